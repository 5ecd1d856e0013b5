"""Bringing earlier goldens into force again: of one conversation, or of a dataset version. Nothing is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotations.models import Change, Conversation, Dataset, DatasetVersion, GoldenRecord, User
from annotations.services import comparing, history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem.language import say, say_n

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
        raise NotAllowedNowError(say("Golden {number} is in force already.", number=record.number))
    if seen_number is not None and (current.number if current else 0) != seen_number:
        if current is None:
            raise NotAllowedNowError(say("Meanwhile no golden is in force. Look at it before you replace it."))
        raise NotAllowedNowError(
            say("Meanwhile golden {number} is in force. Look at it before you replace it.", number=current.number)
        )
    if record.tool_set_id != conversation.tool_set_id:
        raise NotAllowedNowError(
            say(
                "Golden {number} was written for other tools than the conversation has now. Open it, look through it, "
                "and accept it anew.",
                number=record.number,
            )
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
        raise WorkbenchError(
            say("Nothing would change: its other goldens were written for other tools.")
            if left
            else say("Nothing would change: its goldens are in force already.")
        )
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
        raise NotAllowedNowError(say("There is nothing to undo: it was taken back already."))
    before, after = _keyed(change.before), _keyed(change.after)
    rows = {row.pk: row for row in Conversation.objects.select_for_update().filter(dataset=dataset, pk__in=after)}
    since = [str(row) for pk, row in rows.items() if row.golden_record_id != after[pk]]
    if since:
        names = names_in_words(since, most=3)
        raise NotAllowedNowError(
            say("Another golden was accepted since for {names}; undoing would replace it.", names=names)
        )
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


def names_in_words(names: list[str], *, most: int) -> str:
    """The first of many names, and how many there are beside them.

    >>> names_in_words(["a", "b", "c"], most=2), names_in_words(["a", "b"], most=2)
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(names[:most])
    return (
        say_n("{names} and {count} more", "{names} and {count} more", len(names) - most, names=shown)
        if len(names) > most
        else shown
    )


def _keyed(state: Mapping[str, Any]) -> dict[int, int | None]:
    return {int(pk): record for pk, record in state["in_force"].items()}
