"""What scoring works out once for a golden under a policy, so that each trajectory costs little."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from evaluation.aem.parse_parts import compile_pattern
from evaluation.aem.records import (
    CallPattern,
    Claim,
    Compare,
    DependencyKind,
    Golden,
    GoldTurn,
    ObservedTurn,
    Param,
    ParamPolicy,
    Path,
    Policy,
)
from evaluation.aem.scorers import Scorer, get_scorer
from evaluation.aem.text import Haystack, Needle, fold
from evaluation.aem.values import Comparer

_KEPT_PLANS = 8
_NOTHING = ParamPolicy()
_MISSING: Any = object()
# Kinds under which an identical value of the same JSON type passes whatever it is.
_IDENTITY_KINDS = frozenset({"auto", "literal", "text"})
_IDENTITY_TYPES = frozenset({str, int, bool})


@dataclass(slots=True, eq=False)
class FieldPlan:
    """One annotated parameter, ready to be compared."""

    param: Param
    comparer: Comparer
    #: Positions in the path of the turns that it comes from; None where the turn's dependencies count.
    sources: tuple[int, ...] | None = None
    ref: int | None = None
    quick_type: type | None = None
    quick_value: Any = None
    #: The folded text that equal texts have in common, where one comes to that.
    quick_fold: str | None = None


@dataclass(slots=True, eq=False)
class ClaimPlan:
    """One claim, ready to be looked for."""

    claim: Claim
    needle: Needle
    sources: tuple[int, ...] | None = None


@dataclass(slots=True, eq=False)
class TurnPlan:
    """A gold turn with everything that judging it needs."""

    turn: GoldTurn
    index: int
    scorer: Scorer
    threshold: Fraction
    margin: Fraction
    fields: dict[str, FieldPlan]
    claims: tuple[ClaimPlan, ...]
    required: tuple[str, ...]
    #: How many parameters take part in pairing, which looks at no refs.
    weighed: int
    dependencies: tuple[tuple[int, DependencyKind], ...]
    #: Every turn that a field or claim comes from.
    field_sources: frozenset[int]
    has_ref: bool
    folded: str
    #: Verdicts that are the same for every trajectory, by observed position.
    known: dict[int, Any]

    def clean(self, observed: ObservedTurn) -> int:
        """How many values are right where everything is, by equality alone and refs aside.

        -1 says only that a closer look is needed. A clean pair without an error has the highest score that there is.
        """
        turn = self.turn
        if turn.tool is not None:
            return self._clean_call(observed) if observed.kind == "action" else -1
        if observed.kind != "response":
            return -1
        text = observed.text or ""
        if not self.claims:
            return 1 if text == turn.response or fold(text) == self.folded else -1
        reply = Haystack(text)
        for plan in self.claims:
            claim = plan.claim
            if claim.has_values:
                is_clean = all(map(reply.has, claim.contains)) and not any(map(reply.has, claim.excludes))
            else:
                is_clean = reply.has(plan.needle)
            if not is_clean:
                return -1
        return len(self.claims)

    def holding(self, args: Mapping[str, Any]) -> int:
        """How many parameters that are no refs hold; an absent optional one does."""
        count = 0
        for key, field in self.fields.items():
            if field.ref is None:
                value = args.get(key, _MISSING)
                if value is _MISSING:
                    count += not field.param.required
                elif type(value) is field.quick_type and value == field.quick_value:
                    count += 1
                else:
                    count += field.comparer.match(value).passed
        return count

    def _clean_call(self, observed: ObservedTurn) -> int:
        turn = self.turn
        if observed.tool != turn.tool or (turn.action is not None and observed.action != turn.action):
            return -1
        args = observed.args
        present = 0
        for key, field in self.fields.items():
            value = args.get(key, _MISSING)
            if value is _MISSING:
                if field.param.required:
                    return -1
                continue
            present += 1
            if type(value) is field.quick_type and (
                value == field.quick_value or (field.quick_fold is not None and fold(str(value)) == field.quick_fold)
            ):
                continue
            if field.ref is None:
                found = field.comparer.match(value)
                if not found.passed or found.is_close or found.scorer != "exact":
                    return -1
        if present != len(args) and not turn.allows_extra:
            for key in args:
                if key not in self.fields and key not in turn.allowed_extra:
                    return -1
        return present


@dataclass(slots=True, eq=False)
class PathPlan:
    """A path with its turns prepared. ``denominator`` makes every pair score a whole number."""

    path: Path
    turns: tuple[TurnPlan, ...]
    denominator: int
    calls: frozenset[tuple[str, str | None]]
    #: Gold turns in blocks, which are single turns or order-free groups, by exchange.
    exchanges: tuple[tuple[tuple[TurnPlan, ...], ...], ...]


@dataclass(slots=True, eq=False)
class PatternPlan:
    """A forbidden call, or one that an assertion asks for."""

    pattern: CallPattern
    comparers: tuple[tuple[str, Comparer], ...]

    def fits(self, observed: ObservedTurn) -> bool:
        """Whether a call is of this tool and action, with each named key present and right."""
        pattern = self.pattern
        if observed.tool != pattern.tool or (pattern.action is not None and observed.action != pattern.action):
            return False
        args = observed.args
        return all(key in args and comparer.match(args[key]).passed for key, comparer in self.comparers)


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


def plan_of(golden: Golden, policy: Policy) -> GoldenPlan:
    """The plan of a golden under a policy; it is made once and kept with the golden."""
    scorer = get_scorer(policy.scorer)
    kept: GoldenPlan | None = golden.plans.get(id(policy))
    if kept is not None and kept.policy is policy and kept.scorer is scorer:
        return kept
    maker = _Maker(policy, scorer)
    plan = GoldenPlan(
        policy=policy,
        scorer=scorer,
        paths=tuple(maker.path(path) for path in golden.paths),
        forbidden=tuple(maker.pattern(pattern) for pattern in golden.forbidden),
        called={at: maker.pattern(one.call) for at, one in enumerate(golden.outcome) if one.call is not None},
        states={
            at: maker.comparer(one.expected, _NOTHING)
            for at, one in enumerate(golden.outcome)
            if one.expected is not None
        },
    )
    if len(golden.plans) >= _KEPT_PLANS:
        golden.plans.clear()
    golden.plans[id(policy)] = plan
    return plan


def _exchanges(turns: tuple[TurnPlan, ...], user_turns: int) -> tuple[tuple[tuple[TurnPlan, ...], ...], ...]:
    found: list[list[list[TurnPlan]]] = [[] for _ in range(user_turns + 1)]
    group = None
    for turn in turns:
        blocks = found[turn.turn.exchange]
        if blocks and group is not None and turn.turn.group == group:
            blocks[-1].append(turn)
        else:
            blocks.append([turn])
        group = turn.turn.group
    return tuple(tuple(tuple(block) for block in blocks) for blocks in found)


class _Maker:
    """Makes plans under one policy."""

    def __init__(self, policy: Policy, scorer: Scorer) -> None:
        self.policy = policy
        self.scorer = scorer

    def comparer(self, param: Param, ruled: ParamPolicy) -> Comparer:
        """How a parameter is compared: its own comparison wins over the policy's, and its own threshold too."""
        own = param.compare
        compare = own if own.kind is not None else ruled.compare
        if param.ref is not None:
            compare = Compare("auto")
        if compare.kind == "regex" and own.kind != "regex":
            for value in param.values:
                compile_pattern(value, param.place)
        if not param.values and param.ref is None:
            compare = Compare("any")
        thresholds = (own.threshold, ruled.threshold, ruled.compare.threshold, self.policy.threshold)
        threshold = next(one for one in thresholds if one is not None)
        return Comparer(
            param.values, compare, name=param.key, threshold=threshold, margin=self.policy.margin, scorer=self.scorer
        )

    def pattern(self, pattern: CallPattern) -> PatternPlan:
        """Prepare a call pattern."""
        ruled = self.policy.params.get(pattern.tool, {})
        return PatternPlan(
            pattern, tuple((one.key, self.comparer(one, ruled.get(one.key, _NOTHING))) for one in pattern.params)
        )

    def path(self, path: Path) -> PathPlan:
        """Prepare a path."""
        positions = {turn.id: index for index, turn in enumerate(path.turns)}
        turns = tuple(self._turn(path, index, positions) for index in range(len(path.turns)))
        shares = [turn.weighed if turn.turn.is_action else len(turn.required) for turn in turns]
        return PathPlan(
            path,
            turns,
            1000 * lcm(*(share for share in shares if share)),
            frozenset((turn.tool, turn.action) for turn in path.turns if turn.tool is not None),
            _exchanges(turns, path.user_turns),
        )

    def _turn(self, path: Path, index: int, positions: dict[str, int]) -> TurnPlan:
        turn = path.turns[index]
        ruled = self.policy.params.get(turn.tool, {}) if turn.tool is not None else {}
        fields = {}
        for key, param in turn.params.items():
            sources = None
            if param.from_ is not None or param.ref is not None:
                named = [*(param.from_ or ()), *((param.ref.turn,) if param.ref else ())]
                sources = tuple(dict.fromkeys(positions[name] for name in named))
            comparer = self.comparer(param, ruled.get(key, _NOTHING))
            field = FieldPlan(param, comparer, sources, positions[param.ref.turn] if param.ref else None)
            if len(param.values) == 1 and comparer.kind in _IDENTITY_KINDS and type(param.values[0]) in _IDENTITY_TYPES:
                field.quick_type, field.quick_value = type(param.values[0]), param.values[0]
                if field.quick_type is str and comparer.kind != "literal":
                    field.quick_fold = fold(param.values[0])
            fields[key] = field
        claims = tuple(
            ClaimPlan(
                claim,
                Needle(claim.text),
                None if claim.from_ is None else tuple(dict.fromkeys(positions[name] for name in claim.from_)),
            )
            for claim in turn.claims
        )
        required = [key for key, param in turn.params.items() if param.required]
        if turn.tool is None:
            required = [claim.id for claim in turn.claims if claim.required]
        named_sources = [field.sources for field in fields.values()] + [claim.sources for claim in claims]
        return TurnPlan(
            turn=turn,
            index=index,
            scorer=self.scorer,
            threshold=self.policy.threshold,
            margin=self.policy.margin,
            fields=fields,
            claims=claims,
            required=tuple(required),
            weighed=sum(field.ref is None for field in fields.values()),
            dependencies=self._dependencies(path, index, positions),
            field_sources=frozenset(position for sources in named_sources for position in sources or ()),
            has_ref=any(field.ref is not None for field in fields.values()),
            folded=fold(turn.response),
            known={},
        )

    def _dependencies(
        self, path: Path, index: int, positions: dict[str, int]
    ) -> tuple[tuple[int, DependencyKind], ...]:
        turn = path.turns[index]
        if path.is_annotated:
            return tuple(dict.fromkeys((positions[one.turn], one.kind) for one in turn.depends_on or ()))
        if self.policy.default_dependencies == "none":
            return ()
        return tuple(
            (earlier, "data")
            for earlier, other in enumerate(path.turns[:index])
            if other.is_action and (turn.group is None or other.group != turn.group)
        )
