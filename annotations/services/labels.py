"""Human labels: one person's verdict on one turn of one trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotations.models import Attribution, HumanLabel, Judgement, Trajectory, TurnLabel, User
from annotations.services import history, projects
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation.aem.language import mark, say

_LONG_PATH = mark("The id of this path has {count} characters; only what has at most {most} can be labelled.")
_LONG_TURN = mark("The id of this golden turn has {count} characters; only what has at most {most} can be labelled.")

JUDGED_FIELDS = (
    "verdict",
    "structural",
    "completeness",
    "truthfulness",
    "failure_reason",
    "attribution",
    "cascade_of",
)


def judged(row: Judgement, *more: str) -> dict[str, Any]:
    """What a label or decision says, as JSON."""
    return {name: getattr(row, name) for name in (*JUDGED_FIELDS, *more)}


def check(fields: Mapping[str, Any]) -> None:
    """Raise WorkbenchError where the parts of a judgement contradict each other, naming the part."""
    if not fields.get("verdict"):
        raise WorkbenchError(say("{field}: say pass, fail, unsure or not the agent's fault.", field="verdict"))
    failed = fields["verdict"] == TurnLabel.FAIL
    if not failed and fields.get("failure_reason"):
        raise WorkbenchError(say("{field}: only a failing turn has one.", field="failure_reason"))
    if not failed and fields.get("attribution"):
        raise WorkbenchError(say("{field}: only a failing turn is a root cause or a cascade.", field="attribution"))
    if fields.get("cascade_of") and fields.get("attribution") != Attribution.CASCADE:
        raise WorkbenchError(say("{field}: only a cascade comes from other turns.", field="cascade_of"))


def check_address(*, path: str, turn_key: str) -> None:
    """Raise WorkbenchError for a path or turn whose name is longer than a label's address can be."""
    for text, name, value in ((_LONG_PATH, "path", path), (_LONG_TURN, "turn_key", turn_key)):
        most = getattr(HumanLabel._meta.get_field(name), "max_length", None) or 0
        if len(value) > most:
            raise WorkbenchError(say(text, count=len(value), most=most))


@transaction.atomic
def save(
    *, trajectory: Trajectory, path: str, turn_key: str, by: User, seen_revision: int, comment: str = "", **fields: Any
) -> HumanLabel:
    """Save one's own label of a turn. ``seen_revision`` is 0 for a first one.

    Raises StaleRevisionError when the label was saved meanwhile (from another window), WorkbenchError when its parts
    contradict each other; nothing is changed then.
    """
    check(fields)
    check_address(path=path, turn_key=turn_key)
    trajectory = (
        Trajectory.objects.select_for_update(of=("self",))
        .select_related("conversation__dataset__project")
        .get(pk=trajectory.pk)
    )
    project = trajectory.conversation.dataset.project
    label = HumanLabel.objects.filter(trajectory=trajectory, path=path, turn_key=turn_key, annotator=by).first()
    if (label.revision if label else 0) != seen_revision:
        if label is None:
            raise WorkbenchError(
                say("This label was taken back meanwhile, in another window. Save it again as a new one.")
            )
        raise StaleRevisionError(label, seen=seen_revision)
    before = judged(label, "comment") if label else None
    if label is None:
        label = HumanLabel(trajectory=trajectory, path=path, turn_key=turn_key, annotator=by, revision=0)
    for name in JUDGED_FIELDS:
        setattr(label, name, fields.get(name) or ([] if name == "cascade_of" else ""))
    label.comment = comment
    label.guideline = projects.current_guideline(project)
    label.revision += 1
    label.save()
    history.record(
        project=project,
        actor=by,
        action="label.saved",
        subject=label,
        scope=scope_of(trajectory, by),
        before=before,
        after=judged(label, "comment"),
    )
    return label


def scope_of(trajectory: Trajectory, by: User) -> str:
    """Within what one's labels are undone: one's own on one trajectory."""
    return f"labels:{trajectory.pk}:{by.pk}"


@transaction.atomic
def undo(*, trajectory: Trajectory, by: User) -> str:
    """Take back one's newest label change on a trajectory and say so; raises WorkbenchError when there is none."""
    Trajectory.objects.select_for_update().get(pk=trajectory.pk)  # saves and other undos of it wait
    change = history.next_to_undo(scope=scope_of(trajectory, by), actor=by)
    if change is None:
        raise WorkbenchError(say("There is nothing of yours to undo here."))
    label = HumanLabel.objects.select_for_update().get(pk=change.subject_id)
    before = judged(label, "comment")
    for name, value in (change.before or {}).items():
        setattr(label, name, value)
    label.revision += 1
    label.save()
    history.record(
        project=change.project,
        actor=by,
        action="label.undone",
        subject=label,
        scope=change.scope,
        before=before,
        after=change.before and judged(label, "comment"),
        undoes=change,
    )
    if change.before is None:  # it was the first: there is no label any more
        label.delete()
        return say("Your newest label here is taken back.")
    return say("Your newest change here is undone: the label is as it was before.")


def labelled_turns(*, trajectory: Trajectory, by: User) -> set[tuple[str, str]]:
    """The turns (path, golden turn id) of a trajectory that this person has labelled."""
    return set(HumanLabel.objects.filter(trajectory=trajectory, annotator=by).values_list("path", "turn_key"))
