"""Immutable documents: made once per content, found again by their hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotations.models import Change, Conversation, Dataset, Golden, GoldenRecord, Project, ToolSet, User
from annotations.services import history
from evaluation.formats import jsonio

BATCH = 400


def get_tool_set(*, project: Project, tools: dict[str, Any]) -> ToolSet:
    """The project's document for these tools."""
    tool_set, _ = ToolSet.objects.get_or_create(
        project=project, content_hash=jsonio.content_hash(tools), defaults={"body": tools}
    )
    return tool_set


def golden_body(*, golden: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """The body of a golden record in its one shape."""
    return {"golden": golden, "policy": policy}


def golden_hash(*, body: dict[str, Any], tool_set: ToolSet) -> str:
    return jsonio.content_hash({**body, "tools": tool_set.content_hash})


def count_turns(golden: dict[str, Any]) -> int:
    """Agent and tool turns of the first path."""
    return sum("user" not in turn for turn in golden["paths"][0]["turns"])


@transaction.atomic
def accept_golden_record(
    *, conversation: Conversation, body: dict[str, Any], by: User | None, golden: Golden | None = None
) -> GoldenRecord:
    """Make the body the golden in force of its conversation. The same content gives the same record again."""
    conversation = (
        Conversation.objects.select_for_update().select_related("tool_set", "dataset__project").get(pk=conversation.pk)
    )
    content_hash = golden_hash(body=body, tool_set=conversation.tool_set)
    record = GoldenRecord.objects.filter(conversation=conversation, content_hash=content_hash).first()
    if record is None:
        number = (conversation.golden_records.aggregate(last=Max("number"))["last"] or 0) + 1
        record = _golden_record(conversation, number, body, content_hash, by=by, golden=golden)
        record.save(force_insert=True)
    if conversation.golden_record_id != record.pk:
        before, conversation.golden_record = conversation.golden_record, record
        conversation.save(update_fields=["golden_record"])
        history.record(
            project=conversation.dataset.project,
            actor=by,
            action="golden_record.accepted",
            subject=conversation,
            before=before and before.number,
            after=record.number,
        )
    return record


def _golden_record(
    conversation: Conversation,
    number: int,
    body: dict[str, Any],
    content_hash: str,
    *,
    by: User | None,
    golden: Golden | None = None,
) -> GoldenRecord:
    return GoldenRecord(
        conversation=conversation,
        number=number,
        body=body,
        tool_set=conversation.tool_set,
        content_hash=content_hash,
        turn_count=count_turns(body["golden"]),
        golden=golden,
        created_by=by,
    )


@transaction.atomic
def accept_first_golden_records(
    *, project: Project, bodies: Sequence[tuple[Conversation, dict[str, Any]]], by: User | None
) -> None:
    """The same as :func:`accept_golden_record` for many conversations of a project that have none yet, at once."""
    records = GoldenRecord.objects.bulk_create(
        [
            _golden_record(conversation, 1, body, golden_hash(body=body, tool_set=conversation.tool_set), by=by)
            for conversation, body in bodies
        ],
        batch_size=BATCH,
    )
    for record in records:
        record.conversation.golden_record = record
    Conversation.objects.bulk_update([record.conversation for record in records], ["golden_record"], batch_size=BATCH)
    Change.objects.bulk_create(
        [
            history.record(
                project=project,
                actor=by,
                action="golden_record.accepted",
                subject=record.conversation,
                after=record.number,
                is_stored=False,
            )
            for record in records
        ],
        batch_size=BATCH,
    )


def get_dataset(*, project: Project, slug: str, name: str = "") -> Dataset:
    """The project's dataset with this slug, made if there is none."""
    dataset, _ = Dataset.objects.get_or_create(project=project, slug=slug, defaults={"name": name or slug})
    return dataset
