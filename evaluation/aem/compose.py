"""The last stage: from turn verdicts to the verdict on the conversation."""

from collections.abc import Callable, Iterable, Sequence
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
from evaluation.aem.values import ONE, ZERO
from evaluation.aem.verdicts import Chain, ConversationVerdict, OutcomeVerdict, SubMetrics, TurnVerdict, Unexpected

Rule = Callable[[Sequence[tuple[Attributed, TurnVerdict]], Composition], Fraction | None]


def unweighted(turns: Sequence[tuple[Attributed, TurnVerdict]], composition: Composition) -> Fraction | None:
    """Passed turns out of those evaluated."""
    evaluated = passed = 0
    for _, verdict in turns:
        evaluated += not verdict.skipped
        passed += verdict.passed is True
    return ratio(passed, evaluated)


def weighted(turns: Sequence[tuple[Attributed, TurnVerdict]], composition: Composition) -> Fraction | None:
    """The weight of passed turns out of that of those evaluated."""
    whole = sum((turn.plan.turn.weight for turn, verdict in turns if not verdict.skipped), ZERO)
    passed = sum((turn.plan.turn.weight for turn, verdict in turns if verdict.passed), ZERO)
    return passed / whole if whole else None


def gated(turns: Sequence[tuple[Attributed, TurnVerdict]], composition: Composition) -> Fraction | None:
    """Unweighted, but at most the cap when a critical turn failed."""
    rate = unweighted(turns, composition)
    if rate is not None and any(turn.plan.turn.critical and verdict.passed is False for turn, verdict in turns):
        return min(rate, composition.cap)
    return rate


#: How turn verdicts become a rate. A further rule is a function and a line here.
RULES: dict[str, Rule] = {"unweighted": unweighted, "weighted": weighted, "gated": gated}


def find_unexpected(
    plan: GoldenPlan, path: PathPlan, trajectory: Trajectory, pairing: Pairing, tools: Tools
) -> tuple[Unexpected, ...]:
    """Calls that answer no gold turn, and forbidden ones whether they do or not."""
    matched = set(pairing)
    found = []
    if not plan.forbidden and matched.issuperset(trajectory.calls):
        return ()
    for position in trajectory.calls:
        observed = trajectory.turns[position]
        kind: Literal["retry", "extra", "forbidden"]
        if any(pattern.fits(observed) for pattern in plan.forbidden):
            kind = "forbidden"
        elif position in matched:
            continue
        else:
            kind = "retry" if _is_asked_for(observed, path) else "extra"
        tool = tools.get(str(observed.tool))
        found.append(
            Unexpected(position, kind, wrote=tool is not None and tool.effect == "write" and not observed.error)
        )
    return tuple(found)


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
            times = sum(turn.kind == "action" and not turn.error and pattern.fits(turn) for turn in trajectory.turns)
            passed = times >= 1 if assertion.times is None else times == assertion.times
        elif assertion.kind == "state" and trajectory.final_state is not None:
            is_found, value = find_at(trajectory.final_state, assertion.steps)
            passed = is_found and plan.states[position].match(value).passed
        found.append(OutcomeVerdict(assertion.id, passed))
    return tuple(found)


def compose(
    plan: GoldenPlan,
    path: PathPlan,
    turns: Sequence[tuple[Attributed, TurnVerdict]],
    *,
    unexpected: tuple[Unexpected, ...],
    outcome: tuple[OutcomeVerdict, ...],
    explainer: Callable[[int], dict[str, Any]],
) -> ConversationVerdict:
    """Put the verdict on one path together."""
    policy = plan.policy
    verdicts = tuple(verdict for _, verdict in turns)
    failed = [verdict for verdict in verdicts if verdict.passed is False]
    roots = [verdict for verdict in failed if verdict.is_root_cause]
    fails_by_calls = any(one.kind == "forbidden" or (one.wrote and policy.extra_writes == "fail") for one in unexpected)
    length = path.path.chain_length
    return ConversationVerdict(
        path=path.path.id,
        success_rate=RULES[policy.composition.rule](turns, policy.composition),
        test_pass=not failed and not fails_by_calls,
        first_failure_turn=roots[0].turn_no if roots else None,
        root_cause=roots[0].failure_reason if roots else None,
        root_cause_count=len(roots),
        cascading_count=len(failed) - len(roots),
        total_failures=len(failed),
        sub_metrics=SubMetrics(
            _mean(verdict.structural for verdict in verdicts),
            _mean(verdict.completeness for verdict in verdicts),
            _mean(verdict.truthfulness for verdict in verdicts),
        ),
        chain=Chain(length, "complex" if length > 2 else "two_step" if length == 2 else "single" if length else None),
        outcome=outcome,
        unexpected=unexpected,
        turns=verdicts,
        explainer=explainer,
    )


def _mean(scores: Iterable[Fraction | None]) -> Fraction | None:
    count = right = 0
    other = []
    for score in scores:
        if score is None:
            continue
        count += 1
        # Most scores are 1, and adding fractions one by one is slow.
        if score is ONE:
            right += 1
        else:
            other.append(score)
    if not count:
        return None
    return sum(other, Fraction(right)) / count if other else ONE


def best_of(verdicts: Sequence[ConversationVerdict]) -> ConversationVerdict:
    """Of several paths the highest rate (none is lowest), then the fewest root causes, then the first."""
    if not verdicts:
        raise RecordError("golden.paths", "must hold at least one path")
    return min(verdicts, key=_rank)


def _rank(verdict: ConversationVerdict) -> tuple[Fraction, int]:
    return (ONE if verdict.success_rate is None else -verdict.success_rate), verdict.root_cause_count
