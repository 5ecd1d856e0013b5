"""Bringing earlier goldens into force again: of one conversation, or of a dataset version. Nothing is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotations.models import Change, Conversation, Dataset, DatasetVersion, GoldenRecord, User
from annotations.services import comparing, history
from annotations.services.errors import NotAllowedNowError, WorkbenchError

RESTORED, BACK = "dataset.restored", "dataset.restore_undone"


@transaction.atomic
def restore_record(*, record: GoldenRecord, by: User, seen_number: int | None = None) -> GoldenRecord:
    """Make an accepted golden the one in force of its conversation again.

    Raises NotAllowedNowError where it is in force already, was written for other tools, or where another one than
    ``seen_number`` is in force by now.
    """
    conversation = (
        Conversation.objects.select_for_update(of=("self",))
        .select_related("dataset__project", "golden_record")
        .get(pk=record.conversation_id)
    )
    current = conversation.golden_record
    if current is not None and current.pk == record.pk:
        raise NotAllowedNowError(f"Golden {record.number} is in force already.")
    if seen_number is not None and (current.number if current else 0) != seen_number:
        words = f"golden {current.number} is in force" if current else "no golden is in force"
        raise NotAllowedNowError(f"Meanwhile {words}. Look at it before you replace it.")
    if record.tool_set_id != conversation.tool_set_id:
        raise NotAllowedNowError(
            f"Golden {record.number} was written for other tools than the conversation has now. Open it, look through "
            "it, and accept it anew."
        )
    conversation.golden_record = record
    conversation.save(update_fields=["golden_record"])
    history.record(
        project=conversation.dataset.project,
        actor=by,
        action="golden_record.restored",
        subject=conversation,
        before=current and current.number,
        after=record.number,
    )
    return record


@transaction.atomic
def restore_version(*, version: DatasetVersion, by: User) -> tuple[Change, list[str]]:
    """Make the goldens of a dataset version those in force again, as one change that can be undone.

    Conversations that the version does not have keep what they have. The second value names the conversations that
    could not follow, since their tools are others now. Raises WorkbenchError where nothing would change.
    """
    dataset = Dataset.objects.select_for_update().select_related("project").get(pk=version.dataset_id)
    wanted = comparing.records_of(version)
    conversations = {
        row.pk: row
        for row in Conversation.objects.select_for_update().filter(dataset=dataset).defer("system_prompt", "extra")
    }
    tools = dict(GoldenRecord.objects.filter(conversation__dataset=dataset).values_list("pk", "tool_set_id"))
    changed: dict[int, Conversation] = {}
    left = []
    for pk, record in wanted.items():
        row = conversations[pk]
        if row.golden_record_id == record:
            continue
        if tools[record] != row.tool_set_id:
            left.append(str(row))
            continue
        changed[pk] = row
    if not changed:
        reason = "its other goldens were written for other tools" if left else "its goldens are in force already"
        raise WorkbenchError(f"Nothing would change: {reason}.")
    before = {str(pk): row.golden_record_id for pk, row in changed.items()}
    for pk, row in changed.items():
        row.golden_record_id = wanted[pk]
    Conversation.objects.bulk_update(changed.values(), ["golden_record"], batch_size=400)
    change = history.record(
        project=dataset.project,
        actor=by,
        action=RESTORED,
        subject=dataset,
        before={"in_force": before},
        after={"in_force": {str(pk): wanted[pk] for pk in changed}, "version": version.number},
    )
    return change, left


@transaction.atomic
def undo_restore(*, dataset: Dataset, change_pk: int, by: User) -> int:
    """Take back that a version was restored; returns the number of conversations.

    Raises NotAllowedNowError where it was taken back already, or naming the conversations whose golden was changed
    since. Then nothing is changed.
    """
    Dataset.objects.select_for_update().get(pk=dataset.pk)
    change = find_restores(dataset).filter(pk=change_pk).first()
    if change is None:
        raise NotAllowedNowError("There is nothing to undo: it was taken back already.")
    before, after = _keyed(change.before), _keyed(change.after)
    rows = {row.pk: row for row in Conversation.objects.select_for_update().filter(dataset=dataset, pk__in=after)}
    since = [str(row) for pk, row in rows.items() if row.golden_record_id != after[pk]]
    if since:
        shown = ", ".join(since[:3]) + (f" and {len(since) - 3} more" if len(since) > 3 else "")
        raise NotAllowedNowError(f"Another golden was accepted since for {shown}; undoing would replace it.")
    for pk, row in rows.items():
        row.golden_record_id = before[pk]
    Conversation.objects.bulk_update(rows.values(), ["golden_record"], batch_size=400)
    history.record(
        project=dataset.project,
        actor=by,
        action=BACK,
        subject=dataset,
        before=change.after,
        after=change.before,
        undoes=change,
    )
    return len(rows)


def find_restores(dataset: Dataset) -> Any:
    """The restores of a dataset that stand, newest first."""
    return Change.objects.filter(
        project=dataset.project, action=RESTORED, subject_id=str(dataset.pk), undone_by__isnull=True
    ).order_by("-pk")


def _keyed(state: Mapping[str, Any]) -> dict[int, int | None]:
    return {int(pk): record for pk, record in state["in_force"].items()}
