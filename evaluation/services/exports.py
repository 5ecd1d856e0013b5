"""Exports: what is stored, as the neutral values that every format's writer takes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from django.db import connection, transaction
from django.db.models import Prefetch

from annotations.models import (
    Conversation,
    Dataset,
    DatasetVersion,
    Golden,
    GoldenRecord,
    GoldenStatus,
    HumanLabel,
    Judgement,
    Trajectory,
)
from annotations.services import goldens
from evaluation.formats.model import (
    ParsedAnnotation,
    ParsedComment,
    ParsedConversation,
    ParsedDecision,
    ParsedGolden,
    ParsedLabel,
    ParsedTrajectory,
)
from evaluation.formats.registry import FORMATS
from evaluation.models import Decision

BATCH = 50
_IN_MEMORY = 8 * 1024 * 1024
CONTENT_TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
}


def of_version(version: DatasetVersion, *, with_people: bool = True) -> Iterator[ParsedConversation]:
    """The conversations of a released version with the golden records that it froze."""
    records: dict[int, int] = dict(
        version.items.order_by("position").values_list("golden_record__conversation_id", "golden_record_id")
    )
    yield from _conversations(list(records), records, with_people=with_people)


def of_dataset(dataset: Dataset, *, with_people: bool = True) -> Iterator[ParsedConversation]:
    """All conversations of a dataset as they are now, those without a golden included."""
    records: dict[int, int | None] = dict(dataset.conversations.order_by("pk").values_list("pk", "golden_record_id"))
    yield from _conversations(
        list(records), {key: value for key, value in records.items() if value is not None}, with_people=with_people
    )


def _conversations(ids: list[int], records: dict[int, int], *, with_people: bool) -> Iterator[ParsedConversation]:
    """In the given order, a batch at a time, so that memory stays flat."""
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        rows = (
            Conversation.objects.filter(pk__in=batch)
            .select_related("tool_set")
            .prefetch_related(
                Prefetch(
                    "trajectories", queryset=_trajectories(with_people=with_people), to_attr="exported_trajectories"
                ),
            )
        )
        if with_people:
            rows = rows.prefetch_related(
                Prefetch(
                    "goldens",
                    queryset=Golden.objects.select_related("annotator", "guideline")
                    .prefetch_related("turns")
                    .order_by("created_at", "pk"),
                    to_attr="exported_goldens",
                )
            )
        by_id = {row.pk: row for row in rows}
        frozen = {
            record.pk: record
            for record in GoldenRecord.objects.filter(
                pk__in=[records[key] for key in batch if key in records]
            ).select_related("tool_set")
        }
        for key in batch:
            record = frozen.get(records[key]) if key in records else None
            yield _conversation(by_id[key], record, with_people=with_people)


def _trajectories(*, with_people: bool) -> Any:
    rows = Trajectory.objects.current().order_by("pk")
    if with_people:
        rows = rows.prefetch_related(
            Prefetch("labels", queryset=HumanLabel.objects.select_related("annotator").order_by("pk")),
            Prefetch("decisions", queryset=Decision.objects.select_related("decided_by").order_by("pk")),
        )
    return rows


def _conversation(row: Any, record: GoldenRecord | None, *, with_people: bool) -> ParsedConversation:
    extra = dict(row.extra)
    comments = tuple(ParsedComment(**comment) for comment in extra.pop("comments", ()))
    return ParsedConversation(
        key=row.key,
        title=row.title,
        language=row.language,
        domain=row.domain,
        user_goal=row.user_goal,
        system_prompt=row.system_prompt,
        tools=record.tool_set.body if record is not None else row.tool_set.body,
        goldens=() if record is None else (_golden(record),),
        trajectories=tuple(_trajectory(entry, with_people=with_people) for entry in row.exported_trajectories),
        annotations=tuple(_annotation(entry) for entry in row.exported_goldens) if with_people else (),
        comments=comments,
        extra=extra,
    )


def _golden(record: GoldenRecord) -> ParsedGolden:
    return ParsedGolden(body=record.body["golden"], policy=record.body["policy"], extra=record.body.get("extra", {}))


def _trajectory(row: Trajectory, *, with_people: bool) -> ParsedTrajectory:
    extra = dict(row.extra)
    comments = tuple(ParsedComment(**comment) for comment in extra.pop("comments", ()))
    return ParsedTrajectory(
        key=row.key,
        body=row.body,
        agent=row.agent,
        agent_version=row.agent_version,
        trial=row.trial,
        reward=row.reward_as_given,
        record_id=row.record_id,
        metadata=row.metadata,
        extra=extra,
        labels=tuple(_label(label) for label in row.labels.all()) if with_people else (),
        decisions=tuple(_decision(decision) for decision in row.decisions.all()) if with_people else (),
        comments=comments,
    )


def _judgement(row: Judgement) -> dict[str, Any]:
    return {
        "path": row.path,
        "turn": row.turn_key,
        "verdict": row.verdict or None,
        "structural": row.structural or None,
        "completeness": row.completeness or None,
        "truthfulness": row.truthfulness or None,
        "failure_reason": row.failure_reason or None,
        "attribution": row.attribution or None,
        "cascade_of": tuple(row.cascade_of),
        "extra": row.extra,
    }


def _label(row: HumanLabel) -> ParsedLabel:
    return ParsedLabel(annotator=row.annotator.export_name, comment=row.comment, **_judgement(row))


def _decision(row: Decision) -> ParsedDecision:
    return ParsedDecision(by=row.decided_by.export_name, reason=row.reason, **_judgement(row))


def _annotation(row: Golden) -> ParsedAnnotation:
    given = row.guideline.number if row.guideline is not None else row.extra.get("guideline_version")
    return ParsedAnnotation(
        annotator=row.annotator.export_name,
        status=row.extra.get("status_as_given", row.status) if row.status == GoldenStatus.SUBMITTED else row.status,
        golden=goldens.golden_body(row) if row.turns.all() else None,
        comment=row.comment,
        guideline_version=given,
        extra=row.extra.get("import", {}),
    )


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file to be sent, piece by piece."""

    filename: str
    content_type: str
    chunks: Iterator[bytes]


def url_name(format_name: str) -> str:
    """The name of a format in addresses: `aem/1` is `aem-1`."""
    return format_name.replace("/", "-")


def written(*, dataset: Dataset, version: DatasetVersion | None, name: str, with_people: bool = True) -> WrittenFile:
    """An export in the format of this (address) name.

    Raises KeyError for a format that is not written, and CannotWriteError, before anything is sent, where the format
    cannot carry what is stored.
    """
    known = next((known for known in FORMATS.values() if name in (known.name, url_name(known.name))), None)
    if known is None or known.write is None:
        raise KeyError(name)

    def conversations() -> Iterator[ParsedConversation]:
        if version is None:
            return of_dataset(dataset, with_people=with_people)
        return of_version(version, with_people=with_people)

    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - _pieces closes it
    try:
        with _one_moment():
            for line in known.write(conversations()):  # what cannot be written is said before the first byte has left
                file.write(line.encode("utf-8"))
    except BaseException:
        file.close()
        raise
    file.seek(0)
    state = f"v{version.number}" if version is not None else "now"
    return WrittenFile(
        filename=f"{dataset.slug}-{state}.{known.extension}",
        content_type=CONTENT_TYPES.get(known.extension, "text/plain; charset=utf-8"),
        chunks=_pieces(file),
    )


@contextmanager
def _one_moment() -> Iterator[None]:
    """Reads all of an export as it is at one moment, although people go on writing.

    PostgreSQL only: on SQLite a transaction would keep the writers waiting.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        yield from file


def writable() -> dict[str, str]:
    """Address names and labels of the formats that can be written."""
    return {url_name(known.name): known.label for known in FORMATS.values() if known.write is not None}
