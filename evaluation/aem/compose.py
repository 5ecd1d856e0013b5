"""The last stage: from turn verdicts to the verdict on the conversation."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

from evaluation.aem.align import Pairing
from evaluation.aem.attribute import Attributed
from evaluation.aem.checks.findings import ratio
from evaluation.aem.errors import RecordError
from evaluation.aem.plain import find_at
from evaluation.aem.plan import GoldenPlan, PathPlan
from evaluation.aem.records import Composition, Golden, ObservedTurn, Tools, Trajectory
from evaluation.aem.text import haystack_of
from evaluation.aem.values import DIFFERENT, ONE, ZERO
from evaluation.aem.verdicts import ConversationVerdict, OutcomeVerdict, SubMetrics, TurnVerdict, Unexpected

Rule = Callable[[Sequence[Attributed], Composition], Fraction | None]


def unweighted(turns: Sequence[Attributed], composition: Composition) -> Fraction | None:
    """Passed turns out of those evaluated."""
    evaluated = passed = 0
    for turn in turns:
        if turn.passed is not None:
            evaluated += 1
            passed += turn.passed
    return ratio(passed, evaluated)


def weighted(turns: Sequence[Attributed], composition: Composition) -> Fraction | None:
    """The weight of passed turns out of that of those evaluated."""
    whole = sum((turn.plan.turn.weight for turn in turns if turn.passed is not None), ZERO)
    passed = sum((turn.plan.turn.weight for turn in turns if turn.passed), ZERO)
    return passed / whole if whole else None


def gated(turns: Sequence[Attributed], composition: Composition) -> Fraction | None:
    """Unweighted, but at most the cap when a critical turn failed."""
    rate = unweighted(turns, composition)
    if rate is not None and any(turn.plan.turn.critical and turn.passed is False for turn in turns):
        return min(rate, composition.cap)
    return rate


#: How turn verdicts become a rate. A further rule is a function and a line here.
RULES: dict[str, Rule] = {"unweighted": unweighted, "weighted": weighted, "gated": gated}


def find_unexpected(
    plan: GoldenPlan, path: PathPlan, trajectory: Trajectory, pairing: Pairing, tools: Tools
) -> tuple[tuple[Unexpected, ...], bool]:
    """Calls that answer no gold turn, and forbidden ones whether they do or not.

    Beside them, whether all could be judged: a call may be forbidden by a value which no scorer could judge.
    """
    matched = set(pairing)
    if not plan.forbidden and matched.issuperset(trajectory.calls):
        return (), True
    found = []
    is_sure = True
    for position in trajectory.calls:
        observed = trajectory.turns[position]
        kind: Literal["retry", "extra", "forbidden"]
        fits = [pattern.fits(observed) for pattern in plan.forbidden]
        is_sure = is_sure and (True in fits or None not in fits)
        if True in fits:
            kind = "forbidden"
        elif position in matched:
            continue
        else:
            kind = "retry" if _is_asked_for(observed, path) else "extra"
        tool = tools.get(str(observed.tool))
        found.append(
            Unexpected(position, kind, wrote=tool is not None and tool.effect == "write" and not observed.error)
        )
    return tuple(found), is_sure


def _is_asked_for(observed: ObservedTurn, path: PathPlan) -> bool:
    tool = str(observed.tool)
    return (tool, None) in path.calls or (tool, observed.action) in path.calls


def judge_outcome(golden: Golden, plan: GoldenPlan, trajectory: Trajectory) -> tuple[OutcomeVerdict, ...]:
    """The outcome assertions. They stand beside the turns and change none of their verdicts."""
    replies = [haystack_of(turn.text or "") for turn in trajectory.turns if turn.kind == "response"]
    found = []
    for position, assertion in enumerate(golden.outcome):
        passed: bool | None = None
        if assertion.kind == "said":
            passed = all(any(reply.has(needle) for reply in replies) for needle in assertion.contains)
        elif assertion.kind == "not_said":
            passed = not any(reply.has(needle) for reply in replies for needle in assertion.contains)
        elif assertion.kind == "called":
            pattern = plan.called[position]
            fits = [pattern.fits(turn) for turn in trajectory.turns if turn.kind == "action" and not turn.error]
            passed = _is_called(fits.count(True), fits.count(None), assertion.times)
        elif assertion.kind == "state" and trajectory.final_state is not None:
            is_found, value = find_at(trajectory.final_state, assertion.steps)
            match = plan.states[position].match(value) if is_found else DIFFERENT
            passed = None if match.is_unknown else match.passed
        found.append(OutcomeVerdict(assertion.id, passed))
    return tuple(found)


def _is_called(sure: int, possible: int, times: int | None) -> bool | None:
    """Whether there were that many calls, at least one where nothing is said; None where it hangs on the possible."""
    if times is None:
        return True if sure else None if possible else False
    if possible and sure <= times <= sure + possible:
        return None
    return sure == times


def compose(
    plan: GoldenPlan,
    path: PathPlan,
    turns: Sequence[Attributed],
    *,
    unexpected: tuple[Unexpected, ...],
    outcome: tuple[OutcomeVerdict, ...],
    explainer: Callable[[int], dict[str, Any]],
    is_sure: bool = True,
) -> ConversationVerdict:
    """Put the verdict on one path together. ``is_sure``: no call may be forbidden by what could not be judged."""
    policy = plan.policy
    failed = roots = unscored = 0
    first: TurnVerdict | None = None
    verdicts = []
    for turn in turns:
        verdict = turn.verdict or _verdict_on(turn)
        verdicts.append(verdict)
        if turn.passed is False:
            failed += 1
            if not turn.roots:
                roots += 1
                first = first or verdict
        elif turn.passed is None and not turn.is_skipped:
            unscored += 1
    fails_by_calls = bool(unexpected) and any(
        one.kind == "forbidden" or (one.wrote and policy.extra_writes == "fail") for one in unexpected
    )
    return ConversationVerdict(
        path.path.id,
        RULES[policy.composition.rule](turns, policy.composition),
        False if failed or fails_by_calls else None if unscored or not is_sure else True,
        None if first is None else first.turn_no,
        None if first is None else first.failure_reason,
        roots,
        failed - roots,
        failed,
        SubMetrics(
            _mean([turn.structural for turn in turns]),
            _mean([turn.completeness for turn in turns]),
            _mean([turn.truthfulness for turn in turns]),
        ),
        path.chain,
        outcome,
        unexpected,
        tuple(verdicts),
        explainer,
        unscored,
    )


def _verdict_on(turn: Attributed) -> TurnVerdict:
    """The published form of a turn as attribution left it."""
    gold = turn.plan.turn
    made = turn.verdict = TurnVerdict(
        gold.turn_no,
        gold.id,
        turn.position,
        turn.is_skipped,
        turn.passed,
        turn.reasons[0] if turn.reasons else None,
        turn.reasons,
        turn.fields,
        tuple([root + 1 for root in turn.roots]) if turn.roots else (),
        bool(turn.ambiguous_because),
        turn.structural,
        turn.completeness,
        turn.truthfulness,
        "response" if gold.tool is None else "action",
        gold.tool,
        gold.action,
        turn.checked is not None and turn.checked.is_semantic,
    )
    return made


def _mean(scores: Sequence[Fraction | None]) -> Fraction | None:
    """The mean of what was judged. Most scores are 1; the others are added over one denominator, as whole numbers."""
    count = above = 0
    below = 1
    for score in scores:
        if score is None:
            continue
        count += 1
        if score is ONE:
            above += below
        else:
            above, below = above * score.denominator + score.numerator * below, below * score.denominator
    return ratio(above, below * count)


def best_of(verdicts: Sequence[ConversationVerdict]) -> ConversationVerdict:
    """Of several paths the highest rate (none is lowest), then the fewest root causes, then the first."""
    if not verdicts:
        raise RecordError("golden.paths", "must hold at least one path")
    return min(verdicts, key=_rank)


def _rank(verdict: ConversationVerdict) -> tuple[Fraction, int]:
    return (ONE if verdict.success_rate is None else -verdict.success_rate), verdict.root_cause_count
