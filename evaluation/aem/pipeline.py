"""Align, check, attribute, compose: the whole way from records to a verdict."""

from typing import Any

from evaluation.aem.align import align, align_in_order, find_all_right
from evaluation.aem.attribute import Attributed, attribute
from evaluation.aem.compose import best_of, compose, find_unexpected, judge_outcome
from evaluation.aem.errors import RecordError
from evaluation.aem.native import is_native_dialog, record_from_native
from evaluation.aem.parse import parse_record
from evaluation.aem.plan import GoldenPlan, PathPlan, plan_of
from evaluation.aem.records import Golden, Policy, Tools, Trajectory
from evaluation.aem.scorers import Scorer
from evaluation.aem.verdicts import ConversationVerdict, OutcomeVerdict

#: Verdicts on right trajectories that are kept with a path; those of one conversation differ only in where turns stand.
_MOST_KNOWN = 64


def score(
    golden: Golden, trajectory: Trajectory, *, policy: Policy, tools: Tools, scorer: Scorer | None = None
) -> ConversationVerdict:
    """Judge a trajectory against a golden: each path by itself, and the one that fits best is the verdict.

    ``scorer`` stands in for the installed one that the policy names. Raises ScorerUnavailable where there is neither.
    """
    plan = plan_of(golden, policy, scorer)
    outcome = judge_outcome(golden, plan, trajectory) if golden.outcome else ()
    verdicts = [_score_path(plan, path, trajectory, tools, outcome) for path in plan.paths]
    return verdicts[0] if len(verdicts) == 1 else best_of(verdicts)


def score_record(obj: Any, *, base: Policy | None = None, scorer: Scorer | None = None) -> ConversationVerdict:
    """Judge a whole record, or a native dialog. What its policy leaves open comes from ``base``.

    ``scorer`` stands in for the installed one that the policy names.
    """
    record = parse_record(record_from_native(obj) if is_native_dialog(obj) else obj, base=base)
    if record.trajectory is None:
        raise RecordError("trajectory", "is missing, so there is nothing to score")
    return score(record.golden, record.trajectory, policy=record.policy, tools=record.tools, scorer=scorer)


def _score_path(
    plan: GoldenPlan, path: PathPlan, trajectory: Trajectory, tools: Tools, outcome: tuple[OutcomeVerdict, ...]
) -> ConversationVerdict:
    explainer = _Explainer(path, trajectory, plan.policy)
    rights = find_all_right(path, trajectory)
    if rights is None:
        pairing, pairs = align(path, trajectory, given=plan.policy.alignment == "given")
    elif path.has_ref or plan.forbidden:
        # What was returned matters too, or a right call may be forbidden.
        pairing, pairs = align_in_order(path, trajectory, rights)
    else:
        key = trajectory.exchanges, tuple(map(bool, rights))
        known = path.known.get(key)
        if known is None:
            pairing, pairs = align_in_order(path, trajectory, rights)
            turns = attribute(path, trajectory, pairing, pairs, plan.policy)
            known = compose(plan, path, turns, unexpected=(), outcome=(), explainer=explainer)
            if len(path.known) < _MOST_KNOWN:
                # What is kept must not keep the trajectory.
                path.known[key] = known.with_outcome((), explainer=_explain_nothing)
        return known.with_outcome(outcome, explainer=explainer)
    explainer.turns = turns = attribute(path, trajectory, pairing, pairs, plan.policy)
    unexpected, is_sure = find_unexpected(plan, path, trajectory, pairing, tools)
    return compose(plan, path, turns, unexpected=unexpected, outcome=outcome, explainer=explainer, is_sure=is_sure)


def _explain_nothing(turn_no: int) -> dict[str, Any]:
    raise LookupError(f"turn {turn_no} belongs to no trajectory")


class _Explainer:
    """Explains the turns of a verdict when asked to; attribution is done once more where it was not needed."""

    __slots__ = ("path", "policy", "trajectory", "turns")

    def __init__(self, path: PathPlan, trajectory: Trajectory, policy: Policy) -> None:
        self.path = path
        self.trajectory = trajectory
        self.policy = policy
        self.turns: list[Attributed] | None = None

    def __call__(self, turn_no: int) -> dict[str, Any]:
        # Imported when asked for: sentences are no part of scoring.
        from evaluation.aem.explain import explain_turn  # noqa: PLC0415

        if self.turns is None:
            pairing, pairs = align(self.path, self.trajectory, given=self.policy.alignment == "given")
            self.turns = attribute(self.path, self.trajectory, pairing, pairs, self.policy)
        return explain_turn(self.turns, turn_no - 1, self.trajectory)
