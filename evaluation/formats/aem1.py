"""The workbench's own format: ``aem/1`` records as the engine scores them, as JSON or one record a line.

An exported line is such a record with extensions that the engine ignores: which conversation it belongs to, what is
known about the conversation, and people's annotations, labels, decisions and comments. Keys that nobody knows are kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from evaluation.aem.language import kept
from evaluation.formats import jsonio
from evaluation.formats.model import (
    CannotWriteError,
    ParsedAnnotation,
    ParsedComment,
    ParsedConversation,
    ParsedDecision,
    ParsedFile,
    ParsedLabel,
    ParsedTrajectory,
    SourceFile,
)
from evaluation.formats.reading import Document, Fault, Reading, read_documents
from evaluation.formats.records import META_KEYS, Collector

FORMAT = "aem/1"
_A_LIST = kept("a list stands where a record (an object) is expected")
_A_VALUE = kept("a single value stands where a record (an object) is expected")
_FORMAT = kept('must be "aem/1"')
_ONE_GOLDEN = kept("an aem/1 record holds one golden, not {count}")

EXAMPLE = """\
{"format": "aem/1", "id": "refund-1/run-1", "conversation": "refund-1", \
"conversation_meta": {"title": "A refund", "language": "en"}, \
"golden": {"paths": [{"id": "main", "turns": [{"user": "Please refund order A1."}, \
{"id": "g1", "tool": "refund_order", "params": {"order_id": {"value": "A1"}}}, \
{"id": "g2", "response": "Done.", "claims": [{"text": "refunded", "contains": ["12.50"]}]}]}]}, \
"tools": {"refund_order": {"effect": "write"}}, \
"trajectory": {"agent": "shop", "agent_version": "3", "trial": 0, "turns": [{"user": "Please refund order A1."}, \
{"tool": "refund_order", "args": {"order_id": "A1"}, "result": {"amount": 12.50}}, {"response": "I refunded 12.50."}]}}
"""


def records_in(reading: Reading) -> Iterator[Document]:
    """The records of a file: the lines, or the elements of the one list that it is."""
    for document in reading.documents:
        if reading.kind == "json" and isinstance(document.value, list):
            yield from document.items
        else:
            yield document


def detect(documents: Sequence[Any]) -> str | None:
    """Why these values look like aem/1 records, or None."""
    for value in documents:
        for record in value if isinstance(value, list) else [value]:
            if isinstance(record, dict):
                if record.get("format") == FORMAT:
                    return f'a record says "format": "{FORMAT}"'
                if isinstance(record.get("golden"), dict) and "paths" in record["golden"]:
                    return "a record has a golden with paths"
                if isinstance(record.get("trajectory"), dict) and "turns" in record["trajectory"]:
                    return "a record has a trajectory with turns"
    return None


def read(files: Sequence[SourceFile], *, encoding: str | None = None) -> ParsedFile:
    """Read aem/1 records; a bad record costs only itself."""
    collector = Collector(FORMAT)
    for source in files:
        name = source.name if len(files) > 1 else None
        reading = read_documents(source.data, encoding=encoding, file=name)
        collector.count(reading.counts)
        collector.problems += reading.problems
        for document in records_in(reading):
            _read_record(collector, document, default_key=f"{source.stem}-{document.number}", file=name)
    collector.problems.sort(key=lambda problem: (problem.file or "", problem.line or 0))
    return collector.finish()


def _read_record(collector: Collector, document: Document, *, default_key: str, file: str | None) -> None:
    faults = list(document.faults)
    record = document.value
    if not isinstance(record, dict):
        faults.append(Fault(_A_LIST if isinstance(record, list) else _A_VALUE))
    elif record.get("format", FORMAT) != FORMAT:
        faults.append(Fault(_FORMAT, "format"))
    collector.report(document, faults, file=file)
    if any(fault.severity == "error" for fault in faults):
        return
    if not collector.is_repeated(document, record, file=file):
        collector.add(document, record, default_key=default_key, file=file)


# --- writing --------------------------------------------------------------------------------------------------------


def write(conversations: Iterable[ParsedConversation]) -> Iterator[str]:
    """The lines of an aem/1 JSONL file, one record each; reading them back gives the same conversations."""
    for conversation in conversations:
        for record in records_of(conversation):
            yield jsonio.dumps(record) + "\n"


def records_of(conversation: ParsedConversation) -> Iterator[dict[str, Any]]:
    """The records of one conversation: one a trajectory, or one without; only the first carries what they share."""
    if len(conversation.goldens) > 1:
        raise CannotWriteError([f"{conversation.key}: {_ONE_GOLDEN.format(count=len(conversation.goldens))}"])
    shared = _shared(conversation)
    own = conversation.extra.get("record")
    if own is not None or not conversation.trajectories:
        yield _record(conversation, None, {**shared, **_own_comments(conversation)}, own or {})
        shared = {}
    elif conversation.comments:
        shared.setdefault("conversation_meta", {}).update(_own_comments(conversation))
    for trajectory in conversation.trajectories:
        yield _record(conversation, trajectory, shared, trajectory.extra)
        shared = {}


def _shared(conversation: ParsedConversation) -> dict[str, Any]:
    meta = {name: getattr(conversation, name) for name in META_KEYS if getattr(conversation, name)}
    meta.update(conversation.extra.get("meta", {}))
    shared: dict[str, Any] = {"conversation_meta": meta} if meta else {}
    if conversation.annotations:
        shared["annotations"] = [_entry(entry) for entry in conversation.annotations]
    return shared


def _own_comments(conversation: ParsedConversation) -> dict[str, Any]:
    return {"comments": [_entry(entry) for entry in conversation.comments]} if conversation.comments else {}


def _record(
    conversation: ParsedConversation,
    trajectory: ParsedTrajectory | None,
    shared: dict[str, Any],
    unknown: dict[str, Any],
) -> dict[str, Any]:
    record: dict[str, Any] = {"format": FORMAT, "id": _record_id(conversation, trajectory)}
    if str(record["id"]) != conversation.key:
        record["conversation"] = conversation.key
    golden = conversation.goldens[0] if conversation.goldens else None
    parts = {
        "conversation_meta": shared.get("conversation_meta"),
        "golden": {**golden.body, **golden.extra} if golden else None,
        "tools": conversation.tools,
        "trajectory": _trajectory(trajectory) if trajectory else None,
        "policy": golden.policy if golden else None,
        "annotations": shared.get("annotations"),
        "labels": [_entry(entry) for entry in trajectory.labels] if trajectory else None,
        "decisions": [_entry(entry) for entry in trajectory.decisions] if trajectory else None,
        "comments": [_entry(entry) for entry in trajectory.comments] if trajectory else shared.get("comments"),
    }
    record.update({name: part for name, part in parts.items() if part})
    return {**record, **{name: value for name, value in unknown.items() if name not in record}}


def _record_id(conversation: ParsedConversation, trajectory: ParsedTrajectory | None) -> Any:
    if trajectory is None:
        return conversation.extra.get("id", conversation.key)
    return trajectory.record_id if trajectory.record_id is not None else trajectory.key


def _trajectory(trajectory: ParsedTrajectory) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name in ("agent", "agent_version"):
        if getattr(trajectory, name):
            written[name] = getattr(trajectory, name)
    for name in ("trial", "reward"):
        if getattr(trajectory, name) is not None:
            written[name] = getattr(trajectory, name)
    return {**written, **trajectory.metadata, **trajectory.body}


def _entry(entry: ParsedAnnotation | ParsedLabel | ParsedDecision | ParsedComment) -> dict[str, Any]:
    """A person's work as it is written: what is empty is left out."""
    written: dict[str, Any] = {}
    for column in fields(entry):
        value = getattr(entry, column.name)
        if column.name != "extra" and value not in (None, "", ()):
            written[column.name] = list(value) if isinstance(value, tuple) else value
    return {**written, **entry.extra}
