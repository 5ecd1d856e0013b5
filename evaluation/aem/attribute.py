"""The third stage: which failures are a turn's own, and which it only inherited.

Being later than a failure is not enough: a cascade must pass once the information from upstream is put right, so each
failing item is held against what the failed turns upstream actually returned.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from evaluation.aem.align import Pairing, Pairs
from evaluation.aem.checks import Checked, Finding, check
from evaluation.aem.checks.findings import ratio
from evaluation.aem.grounding import Source
from evaluation.aem.language import kept
from evaluation.aem.pairs import TurnPair
from evaluation.aem.plain import find_at
from evaluation.aem.plan import FieldPlan, PathPlan, TurnPlan
from evaluation.aem.reasons import REASON_RANK, FailureReason
from evaluation.aem.records import ObservedTurn, Policy, Trajectory
from evaluation.aem.text import Number, digits_of, haystack_of, is_whole
from evaluation.aem.values import DIFFERENT, ONE, equal
from evaluation.aem.verdicts import TurnVerdict

_MOST_KNOWN = 512
Evidence = Literal["supported", "refuted", "absent"]
_NO_VALUE: Any = object()
_UNKNOWN = -2

# Why a turn is ambiguous. Scoring writes it in English; explanations tell it in the reader's language.
_PART_OPEN = kept("a part of it could not be judged: {fields}")
_INVENTED = kept("the reply states a number that stands nowhere before it")
_WORKS_ON_UNSCORED = kept("a turn that it works on could not be scored")
_NOT_TOLD = kept("nothing that was recorded upstream tells whether the failure is inherited")
_USED_RESULT = kept("a turn failed whose result this one uses, though nothing says that acting hangs on it")
_BUILDS_ON_UNSCORED = kept("a turn that it builds on could not be scored")
_BUILDS_ON_ERROR = kept("a turn that it builds on was right, and its call returned an error")
_NO_RESULT = kept("a value should come from a turn without a recorded result, so it was not judged")


class Item(NamedTuple):
    """A failing item with where it comes from. Positions are those of gold turns in the path."""

    finding: Finding
    is_own: bool
    evidence: Evidence | None = None
    #: The turns whose failure it is inherited from.
    causes: tuple[int, ...] = ()
    #: The turns in whose results the value stood, or was looked for.
    witnesses: tuple[int, ...] = ()
    expected: Any = _NO_VALUE


class RefMatch(NamedTuple):
    """How a ref came out: ``passed`` None where it could not be judged."""

    passed: bool | None
    expected: Any = None
    is_found: bool = False


@dataclass(slots=True)
class Attributed:
    """A turn as it stands after attribution; built once, and not changed after its turn was dealt with."""

    plan: TurnPlan
    position: int | None
    is_skipped: bool = False
    #: None for a turn that passes by equality alone, of which nothing else has to be known.
    checked: Checked | None = None
    items: tuple[Item, ...] = ()
    refs: dict[str, RefMatch] = field(default_factory=dict)
    taint: tuple[int, ...] = ()
    invented: tuple[Number, ...] = ()
    passed: bool | None = True
    reasons: tuple[FailureReason, ...] = ()
    fields: tuple[str, ...] = ()
    #: Positions of the root causes that the failure comes from.
    roots: tuple[int, ...] = ()
    ambiguous_because: tuple[str, ...] = ()
    #: Fields and claims that no scorer could judge. Where nothing fails besides, the turn is not scored.
    unknown: tuple[str, ...] = ()
    structural: Fraction | None = None
    completeness: Fraction | None = None
    truthfulness: Fraction | None = None
    #: The published form, once it was made.
    verdict: TurnVerdict | None = None

    @property
    def is_unscored(self) -> bool:
        """Whether nobody could say if the turn passes: neither passed nor failed nor skipped."""
        return self.passed is None and not self.is_skipped

    @property
    def is_root(self) -> bool:
        """Whether the turn failed by itself."""
        return self.passed is False and not self.roots


def attribute(
    plan: PathPlan, trajectory: Trajectory, pairing: Pairing, pairs: Pairs, policy: Policy
) -> list[Attributed]:
    """Judge the turns of a path in order, each in the light of those before it."""
    stage = _Stage(trajectory, pairs, policy)
    judged, clean = stage.turns, pairs.clean
    for turn, position in zip(plan.turns, pairing, strict=True):
        if position is not None and not (turn.has_ref or stage.is_troubled):
            right = clean.get(turn.index, -1)
            if right >= 0:
                judged.append(turn.known.get(position * 2 + (right > 0)) or stage.clean(turn, position, right))
                continue
        judged.append(stage.judge(turn, position))
    return judged


class _Stage:
    """What is known while the turns of one path are gone through."""

    def __init__(self, trajectory: Trajectory, pairs: Pairs, policy: Policy) -> None:
        self.trajectory = trajectory
        self.pairs = pairs
        self.policy = policy
        self.turns: list[Attributed] = []
        self._sources: dict[int, Source] = {}
        self.has_failures = False
        #: Whether a turn failed or could not be scored, so that later turns need a closer look.
        self.is_troubled = False
        self._has_unscored = False
        self._has_errors = any(trajectory.turns[position].error for position in trajectory.calls)

    def judge(self, turn: TurnPlan, position: int | None) -> Attributed:
        """The verdict on one turn."""
        if position is None:
            if turn.turn.optional:
                return Attributed(turn, None, is_skipped=True, passed=None)
            checked = check(TurnPair(turn, None, None))
        else:
            right = self.pairs.clean.get(turn.index, _UNKNOWN)
            if right == _UNKNOWN:
                right = turn.clean(self.trajectory.turns[position])
            if right >= 0 and (not (turn.has_ref or self.is_troubled) or self._is_settled(turn, position)):
                return turn.known.get(position * 2 + (right > 0)) or self.clean(turn, position, right)
            checked = self.pairs.checked(turn, position)
        made = Attributed(
            turn, position, checked=checked, structural=checked.structural, completeness=checked.completeness
        )
        because: list[str] = []
        items = [self._item(made, finding, because) for finding in checked.findings]
        good, judged = checked.good, checked.judged
        if turn.has_ref and checked.structural:
            items += self._refs(made, because)
            judged += sum(ref.passed is not None for ref in made.refs.values())
            good += sum(ref.passed is True for ref in made.refs.values())
        made.truthfulness = ratio(good, judged)
        made.items = tuple(items)
        because.extend(checked.doubts)
        made.unknown += checked.unknown
        if made.unknown:
            made.truthfulness = None
            if not turn.is_action:
                made.completeness = None
        self._conclude(made, because)
        if made.unknown:
            if made.passed is False:
                because.append(_PART_OPEN.format(fields=", ".join(made.unknown)))
            else:
                made.passed = None
                self._has_unscored = True
        if because:
            made.ambiguous_because = tuple(dict.fromkeys(because))
        self.has_failures = self.has_failures or made.passed is False
        self.is_troubled = self.is_troubled or made.passed is not True
        return made

    def _is_settled(self, turn: TurnPlan, position: int) -> bool:
        """Whether a turn in which everything is right passes: its refs hold, and it works on no failed turn."""
        if self.is_troubled and self.policy.taint and turn.is_action:
            for at in turn.dependencies.state:
                if self.turns[at].passed is False or self.turns[at].is_unscored:
                    return False
        if turn.has_ref:
            args = self.trajectory.turns[position].args
            for key, field in turn.fields.items():
                if field.ref is None or field.param.ref is None or key not in args:
                    continue
                before = self.turns[field.ref]
                if before.passed is not True or before.position is None:
                    return False
                is_found, expected = find_at(self.trajectory.turns[before.position].returned, field.param.ref.steps)
                if not is_found or not equal(expected, args[key]):
                    return False
        return True

    def clean(self, turn: TurnPlan, position: int, right: int) -> Attributed:
        """The verdict on a turn in which everything is right; it is the same whenever it stands at this position."""
        made = Attributed(
            turn,
            position,
            structural=ONE if turn.is_action else None,
            completeness=ONE if turn.required or not (turn.is_action or turn.claims) else None,
            truthfulness=ONE if right else None,
        )
        if len(turn.known) < _MOST_KNOWN:
            turn.known[position * 2 + (right > 0)] = made
        return made

    def _conclude(self, made: Attributed, because: list[str]) -> None:
        turn, items = made.plan, made.items
        own = [item for item in items if item.is_own]
        if items and not own and not turn.is_action and made.position is not None:
            made.invented = self._invented(turn, made.position)
        if own or made.invented:
            made.passed = False
            reasons = {item.finding.reason for item in own}
            if made.invented:
                reasons.add(FailureReason.INCONSISTENT_RESPONSE)
                because.append(_INVENTED)
            made.reasons = tuple(reasons) if len(reasons) == 1 else tuple(sorted(reasons, key=REASON_RANK.__getitem__))
            made.fields = _fields(made, own)
            return
        if items:
            causes: Iterable[int] = [cause for item in items for cause in item.causes]
            made.fields = _fields(made, items)
        elif turn.is_action and self.policy.taint:
            causes = made.taint = tuple(self._failed(turn.dependencies.state))
            if not causes and any(self.turns[at].is_unscored for at in turn.dependencies.state):
                because.append(_WORKS_ON_UNSCORED)
        else:
            causes = ()
        made.roots = self._roots_of(causes)
        if made.roots:
            made.passed = False
            made.reasons = (FailureReason.PRIOR_ACTION_FAILED,)

    def _roots_of(self, causes: Iterable[int]) -> tuple[int, ...]:
        found: set[int] = set()
        for cause in causes:
            roots = self.turns[cause].roots
            found.update(roots) if roots else found.add(cause)
        return tuple(found) if len(found) == 1 else tuple(sorted(found))

    def _failed(self, positions: Iterable[int]) -> list[int]:
        turns = self.turns
        return [at for at in positions if turns[at].passed is False] if self.has_failures else []

    # --- one item -------------------------------------------------------------------------------------------------

    def _item(self, made: Attributed, finding: Finding, because: list[str]) -> Item:
        turn = made.plan
        if not (self.is_troubled or self._has_errors):
            # Nothing upstream could have caused it, or makes it doubtful.
            return Item(finding, True)
        if finding.kind == "structure":
            return self._structural(turn, finding, because)
        sources = _own_sources(turn, finding)
        candidates = self._failed(turn.dependencies.values if sources is None else sources)
        if not candidates:
            self._mark_errors(turn.dependencies.every if sources is None else sources, because)
            return Item(finding, True)
        is_by_numbers = _is_judged_by_numbers(finding)
        evidence, witnesses = self._evidence(made, finding, candidates, is_by_numbers=is_by_numbers)
        if evidence == "refuted":
            self._mark_errors(turn.dependencies.every if sources is None else sources, because)
            return Item(finding, True, evidence, (), tuple(witnesses))
        if evidence == "absent":
            because.append(_NOT_TOLD)
        causes = candidates
        if evidence == "supported" and finding.reason in _GROUNDED_REASONS and not is_by_numbers:
            causes = witnesses
        return Item(finding, False, evidence, tuple(causes), tuple(witnesses))

    def _structural(self, turn: TurnPlan, finding: Finding, because: list[str]) -> Item:
        dependencies = turn.dependencies
        candidates = self._failed(dependencies.structure)
        if candidates:
            return Item(finding, False, None, tuple(candidates))
        if self._failed({*dependencies.data, *turn.field_sources}):
            because.append(_USED_RESULT)
        self._mark_errors({*dependencies.every, *turn.field_sources}, because)
        return Item(finding, True)

    def _mark_errors(self, dependencies: Iterable[int], because: list[str]) -> None:
        """An own failure may be the environment's fault after a call that was right and yet returned an error.

        After a turn that could not be scored it may be inherited.
        """
        if not (self._has_errors or self._has_unscored):
            return
        for at in dependencies:
            before = self.turns[at]
            if before.is_unscored:
                because.append(_BUILDS_ON_UNSCORED)
            if before.passed and before.position is not None and self.trajectory.turns[before.position].error:
                because.append(_BUILDS_ON_ERROR)

    # --- evidence -------------------------------------------------------------------------------------------------

    def _returned(self, at: int) -> Any:
        position = self.turns[at].position
        return None if position is None else self.trajectory.turns[position].returned

    def _source(self, at: int) -> Source:
        found = self._sources.get(at)
        if found is None:
            found = self._sources[at] = Source([self._returned(at)])
        return found

    def _not_found(self, candidates: list[int], *, if_recorded: Evidence) -> tuple[Evidence, list[int]]:
        """What it comes to that nothing was found: that tells something only where every result was recorded."""
        is_recorded = all(self._returned(at) is not None for at in candidates)
        return (if_recorded, candidates) if is_recorded else ("absent", [])

    def _evidence(
        self, made: Attributed, finding: Finding, candidates: list[int], *, is_by_numbers: bool
    ) -> tuple[Evidence, list[int]]:
        if is_by_numbers:
            return self._evidence_of_numbers(made, candidates)
        if finding.reason in _GROUNDED_REASONS:
            wrong = _wrong_values(made, finding)
            grounding = [at for at in candidates if all(map(self._source(at).grounds, wrong))]
            return ("supported", grounding) if grounding else self._not_found(candidates, if_recorded="refuted")
        wanted = self._missing_values(made, finding)
        holding = [at for at in candidates if any(map(self._source(at).grounds, wanted))]
        return ("refuted", holding) if holding else self._not_found(candidates, if_recorded="supported")

    def _evidence_of_numbers(self, made: Attributed, candidates: list[int]) -> tuple[Evidence, list[int]]:
        numbers = _telling_numbers(_reply(made, self.trajectory))
        if not numbers:
            return "absent", []
        if all(any(self._source(at).holds(number) for at in candidates) for number in numbers):
            return "supported", [at for at in candidates if any(map(self._source(at).holds, numbers))]
        return self._not_found(candidates, if_recorded="refuted")

    def _missing_values(self, made: Attributed, finding: Finding) -> list[Any]:
        """The golden values whose absence is complained about."""
        if finding.claim is not None and finding.claim.plan is not None:
            claim = finding.claim.plan.claim
            return [needle.value for needle in finding.claim.missing] if claim.has_values else [claim.text]
        plan = made.plan.fields[str(finding.field)]
        if plan.param.ref is not None and plan.ref is not None:
            is_found, value = find_at(self._returned(plan.ref), plan.param.ref.steps)
            return [value] if is_found else []
        return list(plan.param.values)

    # --- refs -----------------------------------------------------------------------------------------------------

    def _refs(self, made: Attributed, because: list[str]) -> Iterator[Item]:
        position = made.position
        args = self.trajectory.turns[position].args if position is not None else {}
        for key, plan in made.plan.fields.items():
            if plan.ref is not None and key in args:
                item = self._ref(made, key, plan, args[key], because)
                if item is not None:
                    yield item

    def _ref(self, made: Attributed, key: str, plan: FieldPlan, observed: Any, because: list[str]) -> Item | None:
        at = plan.ref if plan.ref is not None else -1
        returned = self._returned(at)
        steps = plan.param.ref.steps if plan.param.ref else ()
        is_found, expected = find_at(returned, steps) if returned is not None else (False, None)
        match = plan.comparer.against(expected, observed) if is_found else DIFFERENT
        is_equal = match.passed
        if match.doubt:
            because.append(f"{key}: {match.doubt}")
        if match.is_unknown:
            made.refs[key] = RefMatch(None, expected, is_found)
            made.unknown += (key,)
            return None
        finding = Finding(FailureReason.INCONSISTENT_PARAMETER_VALUES, "parameter", key)
        if self.turns[at].passed is False:
            made.refs[key] = RefMatch(False, expected, is_found)
            if is_equal:
                return Item(finding, is_own=False, evidence="supported", causes=(at,), witnesses=(at,))
            if is_found:
                self._mark_errors(plan.sources or (), because)
                return Item(finding, is_own=True, evidence="refuted", witnesses=(at,))
            because.append(_NOT_TOLD)
            return Item(finding, is_own=False, evidence="absent", causes=(at,))
        if returned is None:
            made.refs[key] = RefMatch(None)
            because.append(_NO_RESULT)
            return None
        made.refs[key] = RefMatch(is_equal, expected, is_found)
        if is_equal:
            return None
        self._mark_errors(plan.sources or (), because)
        return Item(finding, is_own=True, witnesses=(at,))

    # --- invented numbers -----------------------------------------------------------------------------------------

    def _invented(self, turn: TurnPlan, position: int) -> tuple[Number, ...]:
        """Numbers of an inherited reply that stand nowhere before it, where an earlier call has a recorded result."""
        earlier = self.trajectory.turns[:position]
        if all(before.kind != "action" or before.result is None for before in earlier):
            return ()
        numbers = _telling_numbers(self.trajectory.turns[position].text or "")
        # Most stand in the golden or in a result that was looked into already.
        seen = [turn.stated, *(source for at, source in self._sources.items() if self._is_before(at, position))]
        open_numbers = [number for number in dict.fromkeys(numbers) if not any(one.holds(number) for one in seen)]
        if not open_numbers:
            return ()
        known = Source(_everything(earlier))
        return tuple(
            number
            for number in open_numbers
            if not known.holds(number)
            and not (
                is_whole(number) and (known.has_digits(digits_of(number)) or turn.stated.has_digits(digits_of(number)))
            )
        )

    def _is_before(self, at: int, position: int) -> bool:
        before = self.turns[at].position
        return before is not None and before < position


_GROUNDED_REASONS = frozenset(
    {
        FailureReason.EXTRA_PARAMETERS,
        FailureReason.INCONSISTENT_PARAMETER_VALUES,
        FailureReason.INCONSISTENT_RESPONSE,
    }
)


def _fields(made: Attributed, items: Iterable[Item]) -> tuple[str, ...]:
    found = {item.finding.field for item in items if item.finding.field is not None}
    if not made.plan.is_action and any(item.finding.kind == "structure" for item in items):
        # A missing reply leaves out everything that it had to say.
        found.update(made.plan.required)
    return tuple(sorted(found))


def _own_sources(turn: TurnPlan, finding: Finding) -> tuple[int, ...] | None:
    """What the field or claim says itself about where it comes from."""
    if finding.claim is not None:
        return finding.claim.plan.sources if finding.claim.plan else None
    plan = turn.fields.get(finding.field) if finding.field is not None else None
    return plan.sources if plan else None


def _is_judged_by_numbers(finding: Finding) -> bool:
    """Whether no single observed value can be pointed at: a whole reply, or a claim that a scorer finds denied."""
    if finding.kind == "reply":
        return True
    claim = finding.claim
    return finding.reason is FailureReason.INCONSISTENT_RESPONSE and claim is not None and not claim.excluded


def _wrong_values(made: Attributed, finding: Finding) -> list[Any]:
    if finding.claim is not None:
        return [needle.value for needle in finding.claim.excluded]
    pair = made.checked.pair if made.checked else None
    return [pair.args[finding.field]] if pair and finding.field is not None else []


def _reply(made: Attributed, trajectory: Trajectory) -> str:
    return trajectory.turns[made.position].text or "" if made.position is not None else ""


def _telling_numbers(text: str) -> list[Number]:
    """The numbers of a reply, other than the integers 0 to 10: those stand in many replies by chance."""
    return [number for number in haystack_of(text).listed if not (0 <= number <= 10 and is_whole(number))]


def _everything(turns: Iterable[ObservedTurn]) -> Iterator[Any]:
    for turn in turns:
        yield turn.text
        if turn.kind == "action":
            yield turn.args
            yield turn.unreadable
            yield turn.result
