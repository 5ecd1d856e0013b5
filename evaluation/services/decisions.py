"""Adjudication's writes, and what counts as the final label of a turn."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

from django.db import transaction

from annotations.models import Guideline, GuidelineExample, HumanLabel, Project, Trajectory, TurnLabel, User
from annotations.models.examples import GENERAL, PASSES
from annotations.services import guidelines, history, labels, projects
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from evaluation.aem.language import say
from evaluation.models import Decision


@transaction.atomic
def decide(
    *,
    trajectory: Trajectory,
    path: str,
    turn_key: str,
    by: User,
    seen_revision: int,
    reason: str,
    example: str | None = None,
    **fields: Any,
) -> Decision:
    """Settle a turn: the decision is its final label from now on. ``seen_revision`` is 0 for a first decision.

    With ``example``, a text that says what turn it is, the reason becomes an example of the guideline as well.

    Raises WorkbenchError without a reason or where the parts contradict each other, StaleRevisionError when somebody
    decided meanwhile.
    """
    labels.check(fields)
    labels.check_address(path=path, turn_key=turn_key)
    if fields["verdict"] == TurnLabel.UNSURE:
        raise WorkbenchError(say("verdict: a decision settles the turn; leave it open if it cannot be settled."))
    if not reason.strip():
        raise WorkbenchError(say("reason: say why, for the next reader."))
    trajectory = (
        Trajectory.objects.select_for_update(of=("self",))
        .select_related("conversation__dataset__project")
        .get(pk=trajectory.pk)
    )
    decision = Decision.objects.filter(trajectory=trajectory, path=path, turn_key=turn_key).first()
    if (decision.revision if decision else 0) != seen_revision:
        if decision is None:
            raise WorkbenchError(say("This decision was taken back meanwhile. Decide again."))
        raise StaleRevisionError(decision, seen=seen_revision)
    before = labels.judged(decision, "reason") if decision else None
    if decision is None:
        decision = Decision(trajectory=trajectory, path=path, turn_key=turn_key, revision=0)
    for name in labels.JUDGED_FIELDS:
        setattr(decision, name, fields.get(name) or ([] if name == "cascade_of" else ""))
    decision.reason = reason.strip()
    decision.decided_by = by
    decision.revision += 1
    decision.save()
    history.record(
        project=trajectory.conversation.dataset.project,
        actor=by,
        action="decision.saved",
        subject=decision,
        scope=f"decisions:{by.pk}",
        before=before,
        after=labels.judged(decision, "reason"),
    )
    if example is not None:
        add_example(decision=decision, by=by, text=example)
    return decision


@transaction.atomic
def add_example(*, decision: Decision, by: User, text: str) -> Guideline:
    """Make a decision's reason an example of the guideline, under what it says is wrong: a new version of it.

    Raises NotAllowedNowError where it is one already.
    """
    trajectory = decision.trajectory
    project = trajectory.conversation.dataset.project
    Project.objects.select_for_update().get(pk=project.pk)  # two clicks follow each other
    if find_example(decision) is not None:
        raise NotAllowedNowError(say("This reason is an example of the guideline already."))
    is_pass = decision.verdict == TurnLabel.PASS
    return guidelines.add_example(
        project=project,
        by=by,
        reason=decision.failure_reason or (PASSES if is_pass else GENERAL),
        verdict=decision.verdict,
        text=text,
        why=decision.reason,
        source=guidelines.Source(
            trajectory.conversation, trajectory=trajectory, path=decision.path, turn_key=decision.turn_key
        ),
    )


def example_text(trajectory: Trajectory, turn_no: int, title: str) -> str:
    """What turn it is: how an example made of a decision begins."""
    text = f"{trajectory.conversation}, turn {turn_no}: {title}"
    return text if len(text) <= guidelines.LONGEST_TEXT else f"Turn {turn_no}"


def find_example(decision: Decision) -> GuidelineExample | None:
    """The example of the guideline in force that this decision's reason is."""
    in_force = projects.current_guideline(decision.trajectory.conversation.dataset.project)
    if in_force is None:
        return None
    same = {"trajectory": decision.trajectory_id, "path": decision.path, "turn_key": decision.turn_key}
    return in_force.examples.filter(**same, why=decision.reason).first()


@transaction.atomic
def take_back(*, decision: Decision, by: User, seen_revision: int | None = None) -> None:
    """Remove a decision: the turn is open again. The history keeps what it said.

    With ``seen_revision``, raises StaleRevisionError when somebody decided otherwise meanwhile; raises WorkbenchError
    when it was taken back already.
    """
    # In the same order as a decision: the trajectory first.
    trajectory = (
        Trajectory.objects.select_for_update(of=("self",))
        .select_related("conversation__dataset__project")
        .get(pk=decision.trajectory_id)
    )
    current = Decision.objects.filter(pk=decision.pk).first()
    if current is None:
        raise WorkbenchError(say("This decision was taken back already; the turn is open."))
    if seen_revision is not None and current.revision != seen_revision:
        raise StaleRevisionError(current, seen=seen_revision)
    history.record(
        project=trajectory.conversation.dataset.project,
        actor=by,
        action="decision.taken_back",
        subject=current,
        scope=f"decisions:{by.pk}",
        before=labels.judged(current, "reason"),
    )
    current.delete()


def consensus(rows: Collection[HumanLabel]) -> HumanLabel | None:
    """The label on which all people who were sure agree; None where they differ or nobody was sure.

    They agree when their verdicts are the same; the one with the most to say (sub-metrics, attribution) stands for all.
    """
    sure = [row for row in rows if row.verdict and row.verdict != TurnLabel.UNSURE]
    if not sure or len({row.verdict for row in sure}) > 1:
        return None
    return max(sure, key=lambda row: (_said(row), -row.pk))


def _said(row: HumanLabel) -> int:
    return sum(bool(getattr(row, name)) for name in labels.JUDGED_FIELDS)


def final_label(decision: Decision | None, rows: Collection[HumanLabel]) -> Decision | HumanLabel | None:
    """The final label of a turn: the decision, else the consensus of people's labels, else none."""
    return decision if decision is not None else consensus(rows)


def shuffled(rows: Collection[HumanLabel], *, address: str) -> list[HumanLabel]:
    """People's answers in an order that tells nobody who gave which, the same each time they are looked at."""
    return sorted(rows, key=lambda row: hashlib.sha256(f"{address}:{row.pk}".encode()).digest())
