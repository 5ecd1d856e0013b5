"""Align, check, attribute, compose: the whole way from records to a verdict."""

from typing import Any

from evaluation.aem.align import align
from evaluation.aem.attribute import attribute
from evaluation.aem.compose import best_of, compose, find_unexpected, judge_outcome
from evaluation.aem.errors import RecordError
from evaluation.aem.native import is_native_dialog, record_from_native
from evaluation.aem.parse import parse_record
from evaluation.aem.plan import GoldenPlan, PathPlan, plan_of
from evaluation.aem.records import Golden, Policy, Tools, Trajectory
from evaluation.aem.verdicts import ConversationVerdict, OutcomeVerdict


def score(golden: Golden, trajectory: Trajectory, *, policy: Policy, tools: Tools) -> ConversationVerdict:
    """Judge a trajectory against a golden: each path by itself, and the one that fits best is the verdict."""
    plan = plan_of(golden, policy)
    outcome = judge_outcome(golden, plan, trajectory) if golden.outcome else ()
    verdicts = [_score_path(plan, path, trajectory, tools, outcome) for path in plan.paths]
    return verdicts[0] if len(verdicts) == 1 else best_of(verdicts)


def score_record(obj: Any, *, base: Policy | None = None) -> ConversationVerdict:
    """Judge a whole record, or a native dialog. What its policy leaves open comes from ``base``."""
    record = parse_record(record_from_native(obj) if is_native_dialog(obj) else obj, base=base)
    if record.trajectory is None:
        raise RecordError("trajectory", "is missing, so there is nothing to score")
    return score(record.golden, record.trajectory, policy=record.policy, tools=record.tools)


def _score_path(
    plan: GoldenPlan, path: PathPlan, trajectory: Trajectory, tools: Tools, outcome: tuple[OutcomeVerdict, ...]
) -> ConversationVerdict:
    pairing, pairs = align(path, trajectory, given=plan.policy.alignment == "given")
    attributed = attribute(path, trajectory, pairing, pairs, plan.policy)

    def explain(turn_no: int) -> dict[str, Any]:
        # Imported when asked for: sentences are no part of scoring.
        from evaluation.aem.explain import explain_turn  # noqa: PLC0415

        return explain_turn(attributed, turn_no - 1, trajectory)

    return compose(
        plan,
        path,
        attributed,
        unexpected=find_unexpected(plan, path, trajectory, pairing, tools),
        outcome=outcome,
        explainer=explain,
    )
