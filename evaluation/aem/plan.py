"""What scoring works out once for a golden under a policy, so that each trajectory costs little."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any, Literal, NamedTuple

from evaluation.aem.grounding import Source
from evaluation.aem.parse_parts import compile_pattern
from evaluation.aem.records import (
    CallPattern,
    Claim,
    Compare,
    Golden,
    GoldTurn,
    ObservedTurn,
    Param,
    ParamPolicy,
    Path,
    Policy,
)
from evaluation.aem.scorers import Scorer, get_scorer
from evaluation.aem.text import Needle, fold, haystack_of
from evaluation.aem.values import DIFFERENT, EQUAL, Comparer, Match
from evaluation.aem.verdicts import Chain

_KEPT_PLANS = 8
_NOTHING = ParamPolicy()
_BUCKETS: dict[int, Literal["single", "two_step"] | None] = {0: None, 1: "single", 2: "two_step"}
_NO_RULES: Mapping[str, ParamPolicy] = {}
_MISSING: Any = object()
# Kinds under which an identical value of the same JSON type passes whatever it is.
_IDENTITY_KINDS = frozenset({"auto", "literal", "text"})
_IDENTITY_TYPES = frozenset({str, int, bool, Decimal})


class Surroundings:
    """What the turns of a path share under a policy."""

    __slots__ = ("path", "policy", "positions", "scorer")

    def __init__(self, path: Path, policy: Policy, scorer: Scorer) -> None:
        self.path = path
        self.policy = policy
        self.scorer = scorer
        self.positions = {turn.id: index for index, turn in enumerate(path.turns)}


class FieldPlan:
    """One annotated parameter, ready to be compared: at once where the value is the golden one to the letter."""

    __slots__ = (
        "_comparer",
        "_is_text",
        "_ruled",
        "around",
        "param",
        "quick_fold",
        "quick_type",
        "quick_value",
        "ref",
        "sources",
    )

    def __init__(self, param: Param, ruled: ParamPolicy, around: Surroundings) -> None:
        self.param = param
        self.around = around
        self._ruled = ruled
        self._comparer: Comparer | None = None
        #: Positions in the path of the turns that it comes from; None where the turn's dependencies count.
        self.sources: tuple[int, ...] | None = None
        if param.from_ is not None or param.ref is not None:
            names = [*(param.from_ or ()), *((param.ref.turn,) if param.ref is not None else ())]
            self.sources = _once([around.positions[name] for name in names])
        self.ref = None if param.ref is None else around.positions[param.ref.turn]
        self.quick_type: type | None = None
        self.quick_value: Any = None
        #: The folded text that equal texts have in common, where one comes to that.
        self.quick_fold: str | None = None
        #: Whether texts are equal when folded, or not at all.
        self._is_text = False
        kind = param.compare.kind or ruled.compare.kind or "auto"
        if kind in _IDENTITY_KINDS and param.values:
            value = param.values[0]
            if type(value) in _IDENTITY_TYPES:
                self.quick_type, self.quick_value = type(value), value
                if self.quick_type is str and kind != "literal" and len(param.values) == 1:
                    self.quick_fold = fold(value)
                    self._is_text = not around.scorer.is_semantic
        elif kind == "regex":
            _check_patterns(param)

    @property
    def comparer(self) -> Comparer:
        """How it is compared; made when equality to the letter is not enough."""
        if self._comparer is None:
            self._comparer = make_comparer(self.param, self._ruled, self.around.policy, self.around.scorer)
        return self._comparer

    def match(self, observed: Any) -> Match:
        """How a value compares with the accepted ones."""
        kind = type(observed)
        if kind is self.quick_type:
            if observed == self.quick_value:
                return EQUAL
            if kind is str and self._is_text:
                return EQUAL if fold(observed) == self.quick_fold else DIFFERENT
        return self.comparer.match(observed)


class ClaimPlan:
    """One claim, ready to be looked for."""

    __slots__ = ("_needle", "claim", "has_values", "sources")

    def __init__(self, claim: Claim, around: Surroundings) -> None:
        self.claim = claim
        #: Positions in the path of the turns that it comes from; None where the turn's dependencies count.
        self.sources: tuple[int, ...] | None = None
        if claim.from_ is not None:
            self.sources = _once([around.positions[name] for name in claim.from_])
        self.has_values = claim.has_values
        self._needle: Needle | None = None

    @property
    def needle(self) -> Needle:
        """The text of a claim without values."""
        if self._needle is None:
            self._needle = Needle(self.claim.text)
        return self._needle


class Dependencies(NamedTuple):
    """Positions in the path of the turns that a turn builds on."""

    every: tuple[int, ...]
    state: tuple[int, ...]
    data: tuple[int, ...]
    #: Those that excuse a field or a claim.
    values: tuple[int, ...]
    #: Those that excuse a wrong tool, a wrong action, a missing turn or a missing reply.
    structure: tuple[int, ...]


# The kinds of each part, in its order.
_KINDS = ({"state", "data", "control"}, {"state"}, {"data"}, {"state", "data"}, {"state", "control"})
_NO_DEPENDENCIES = Dependencies((), (), (), (), ())


def _once(positions: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(positions))


class TurnPlan:
    """A gold turn with everything that judging it needs. What only failing turns need is worked out when they do."""

    __slots__ = (
        "_dependencies",
        "_folded",
        "_quick",
        "_stated",
        "around",
        "claims",
        "fields",
        "has_ref",
        "index",
        "is_action",
        "known",
        "required",
        "turn",
        "weighed",
    )

    def __init__(self, turn: GoldTurn, index: int, around: Surroundings) -> None:
        self.turn = turn
        self.index = index
        self.around = around
        self.is_action = turn.tool is not None
        self.fields: dict[str, FieldPlan] = {}
        self.claims: tuple[ClaimPlan, ...] = ()
        #: How many parameters take part in pairing, which looks at no refs.
        self.weighed = 0
        if turn.tool is None:
            self.claims = tuple([ClaimPlan(claim, around) for claim in turn.claims])
            self.required = tuple([claim.id for claim in turn.claims if claim.required])
        else:
            ruled = around.policy.params.get(turn.tool, _NO_RULES)
            for key, param in turn.params.items():
                self.fields[key] = FieldPlan(param, ruled.get(key, _NOTHING), around)
                self.weighed += param.ref is None
            self.required = tuple([key for key, param in turn.params.items() if param.required])
        self.has_ref = self.weighed < len(self.fields)
        self._quick = [(key, field.quick_type, field.quick_value, field) for key, field in self.fields.items()]
        #: Verdicts that are the same for every trajectory, by observed position.
        self.known: dict[int, Any] = {}
        self._dependencies: Dependencies | None = None
        self._folded: str | None = None
        self._stated: Source | None = None

    @property
    def scorer(self) -> Scorer:
        """What decides where texts differ."""
        return self.around.scorer

    @property
    def threshold(self) -> Fraction:
        """From where up a claim is covered."""
        return self.around.policy.threshold

    @property
    def margin(self) -> Fraction:
        """How near to the threshold a score is close."""
        return self.around.policy.margin

    @property
    def folded(self) -> str:
        """The golden reply, folded."""
        if self._folded is None:
            self._folded = fold(self.turn.response)
        return self._folded

    @property
    def stated(self) -> Source:
        """What the golden reply and its claims state."""
        if self._stated is None:
            claims = [plan.claim for plan in self.claims]
            needles = [needle.value for claim in claims for needle in claim.contains]
            self._stated = Source([self.turn.response, *(claim.text for claim in claims), *needles])
        return self._stated

    @property
    def field_sources(self) -> frozenset[int]:
        """Every turn that a field or claim comes from."""
        parts: list[FieldPlan | ClaimPlan] = [*self.fields.values(), *self.claims]
        return frozenset(position for part in parts for position in part.sources or ())

    @property
    def dependencies(self) -> Dependencies:
        """The turns that this one builds on, and how; the default where the path says nothing."""
        if self._dependencies is None:
            self._dependencies = self._find_dependencies()
        return self._dependencies

    def _find_dependencies(self) -> Dependencies:
        turn, path, positions = self.turn, self.around.path, self.around.positions
        if path.is_annotated:
            named = [(positions[one.turn], one.kind) for one in turn.depends_on or ()]
            return Dependencies(*(_once([at for at, kind in named if kind in kinds]) for kinds in _KINDS))
        if self.around.policy.default_dependencies == "none":
            return _NO_DEPENDENCIES
        earlier = tuple(
            [
                at
                for at, other in enumerate(path.turns[: self.index])
                if other.tool is not None and (turn.group is None or other.group != turn.group)
            ]
        )
        return Dependencies(every=earlier, state=(), data=earlier, values=earlier, structure=())

    def clean(self, observed: ObservedTurn) -> int:
        """How many values are right where everything is, by equality alone and refs aside.

        -1 says only that a closer look is needed. A clean pair without an error has the highest score that there is.
        """
        return self.clean_call(observed) if self.is_action else self.clean_reply(observed)

    def clean_reply(self, observed: ObservedTurn) -> int:
        """The same for a gold reply."""
        if observed.kind != "response":
            return -1
        text = observed.text or ""
        if not self.claims:
            return 1 if text == self.turn.response or fold(text) == self.folded else -1
        reply = haystack_of(text)
        for plan in self.claims:
            if not plan.has_values:
                if not reply.has(plan.needle):
                    return -1
                continue
            for needle in plan.claim.contains:
                if not reply.has(needle):
                    return -1
            for needle in plan.claim.excludes:
                if reply.has(needle):
                    return -1
        return len(self.claims)

    def holding(self, args: Mapping[str, Any]) -> int:
        """How many parameters that are no refs hold; an absent optional one does."""
        count = 0
        for key, kind, wanted, field in self._quick:
            if field.ref is None:
                value = args.get(key, _MISSING)
                if type(value) is kind and value == wanted:
                    count += 1
                elif value is _MISSING:
                    count += not field.param.required
                else:
                    count += field.match(value).passed
        return count

    def clean_call(self, observed: ObservedTurn) -> int:
        """The same for a gold call."""
        turn = self.turn
        if observed.tool != turn.tool or (turn.action is not None and observed.action != turn.action):
            return -1
        args = observed.args
        present = 0
        for key, kind, wanted, field in self._quick:
            value = args.get(key, _MISSING)
            if type(value) is kind and value == wanted:
                present += 1
            elif value is _MISSING:
                if field.param.required:
                    return -1
            else:
                present += 1
                if field.ref is None:
                    found = field.match(value)
                    if not found.passed or found.is_close or found.scorer != "exact":
                        return -1
        if present != len(args) and not turn.allows_extra:
            for key in args:
                if key not in self.fields and key not in turn.allowed_extra:
                    return -1
        return present


class PathPlan:
    """A path with its turns prepared. ``denominator`` makes every pair score a whole number."""

    __slots__ = ("_calls", "chain", "denominator", "exchanges", "has_ref", "known", "lengths", "path", "turns")

    def __init__(self, path: Path, policy: Policy, scorer: Scorer) -> None:
        around = Surroundings(path, policy, scorer)
        self.path = path
        self.turns = [TurnPlan(turn, index, around) for index, turn in enumerate(path.turns)]
        self.denominator = 1000 * lcm(
            *{turn.weighed if turn.is_action else len(turn.required) for turn in self.turns} - {0}
        )
        length = path.chain_length
        self.chain = Chain(length, _BUCKETS.get(length, "complex"))
        #: Gold turns in blocks, which are single turns or order-free groups, by exchange.
        self.exchanges = _exchanges(self.turns, path.user_turns)
        self.lengths = tuple([sum(map(len, blocks)) for blocks in self.exchanges])
        self.has_ref = any(turn.has_ref for turn in self.turns)
        #: Verdicts on trajectories in which everything is right, by where their turns stand.
        self.known: dict[Any, Any] = {}
        self._calls: frozenset[tuple[str, str | None]] | None = None

    @property
    def calls(self) -> frozenset[tuple[str, str | None]]:
        """The calls that the path asks for."""
        if self._calls is None:
            turns = self.path.turns
            self._calls = frozenset((turn.tool, turn.action) for turn in turns if turn.tool is not None)
        return self._calls


@dataclass(slots=True, eq=False)
class PatternPlan:
    """A forbidden call, or one that an assertion asks for."""

    pattern: CallPattern
    comparers: tuple[tuple[str, Comparer], ...]

    def fits(self, observed: ObservedTurn) -> bool | None:
        """Whether a call is of this tool and action, with each named key present and right.

        None where that hangs on a value which no scorer could judge.
        """
        pattern = self.pattern
        if observed.tool != pattern.tool or (pattern.action is not None and observed.action != pattern.action):
            return False
        args = observed.args
        if any(key not in args for key, _ in self.comparers):
            return False
        fits: bool | None = True
        for key, comparer in self.comparers:
            found = comparer.match(args[key])
            if found.is_unknown:
                fits = None
            elif not found.passed:
                return False
        return fits


@dataclass(slots=True, eq=False)
class GoldenPlan:
    """A golden under a policy."""

    policy: Policy
    scorer: Scorer
    paths: tuple[PathPlan, ...]
    forbidden: tuple[PatternPlan, ...]
    #: By position in the golden's outcome.
    called: dict[int, PatternPlan]
    states: dict[int, Comparer]


def plan_of(golden: Golden, policy: Policy, scorer: Scorer | None = None) -> GoldenPlan:
    """The plan of a golden under a policy; it is made once and kept with the golden.

    ``scorer`` stands in for the installed one that the policy names.
    """
    scorer = scorer or get_scorer(policy.scorer)
    kept: GoldenPlan | None = golden.plans.get(id(policy))
    if kept is not None and kept.policy is policy and kept.scorer is scorer:
        return kept
    plan = GoldenPlan(
        policy=policy,
        scorer=scorer,
        paths=tuple([PathPlan(path, policy, scorer) for path in golden.paths]),
        forbidden=tuple([_pattern(pattern, policy, scorer) for pattern in golden.forbidden]),
        called={
            at: _pattern(one.call, policy, scorer) for at, one in enumerate(golden.outcome) if one.call is not None
        },
        states={
            at: make_comparer(one.expected, _NOTHING, policy, scorer)
            for at, one in enumerate(golden.outcome)
            if one.expected is not None
        },
    )
    if len(golden.plans) >= _KEPT_PLANS:
        golden.plans.clear()
    golden.plans[id(policy)] = plan
    return plan


def _exchanges(turns: list[TurnPlan], user_turns: int) -> tuple[tuple[tuple[TurnPlan, ...], ...], ...]:
    found: list[list[tuple[TurnPlan, ...]]] = [[] for _ in range(user_turns + 1)]
    group = None
    for turn in turns:
        blocks = found[turn.turn.exchange]
        if blocks and group is not None and turn.turn.group == group:
            blocks[-1] = (*blocks[-1], turn)
        else:
            blocks.append((turn,))
        group = turn.turn.group
    return tuple(map(tuple, found))


def _check_patterns(param: Param) -> None:
    """Refuse what a policy would compare as patterns and is none. The golden's own patterns were checked with it."""
    if param.ref is None and param.compare.kind != "regex":
        for value in param.values:
            compile_pattern(value, param.place)


def make_comparer(param: Param, ruled: ParamPolicy, policy: Policy, scorer: Scorer) -> Comparer:
    """How a parameter is compared: its own comparison wins over the policy's, and its own threshold too."""
    own = param.compare
    compare = own if own.kind is not None else ruled.compare
    if param.ref is not None:
        compare = Compare("auto")
    if compare.kind == "regex":
        _check_patterns(param)
    if not param.values and param.ref is None:
        compare = Compare("any")
    thresholds = (own.threshold, ruled.threshold, ruled.compare.threshold, policy.threshold)
    threshold = next(one for one in thresholds if one is not None)
    return Comparer(param.values, compare, name=param.key, threshold=threshold, margin=policy.margin, scorer=scorer)


def _pattern(pattern: CallPattern, policy: Policy, scorer: Scorer) -> PatternPlan:
    ruled = policy.params.get(pattern.tool, _NO_RULES)
    comparers = [(one.key, make_comparer(one, ruled.get(one.key, _NOTHING), policy, scorer)) for one in pattern.params]
    return PatternPlan(pattern, tuple(comparers))
