"""Scoring files from the command line: what is read, what is printed, and the exit status."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from evaluation.aem import (
    Policy,
    RecordError,
    ScorerUnavailable,
    is_native_dialog,
    parse_policy,
    parse_record,
    record_from_native,
    score,
)
from evaluation.formats import jsonio
from evaluation.formats.reading import Document, Reading, read_documents

#: Exit statuses. Bad input wins over a failed gate: a gate is worth nothing when part of the evidence is missing.
SCORED, GATE_FAILED, BAD_INPUT = 0, 1, 2
STDIN = "-"


@dataclass(slots=True)
class Report:
    """Where results and complaints go, and what happened so far."""

    out: Callable[[str], object]
    err: Callable[[str], object]
    scored: int = 0
    failed: int = 0
    bad: int = 0

    def complain(self, *places: str | None, reason: str) -> None:
        """Say what is wrong and where."""
        self.bad += 1
        self.err(": ".join([place for place in places if place] + [reason]))

    def status(self, *, is_gate: bool) -> int:
        """The exit status."""
        if self.bad:
            return BAD_INPUT
        return GATE_FAILED if is_gate and self.failed else SCORED


def run(
    names: Iterable[str], report: Report, *, stdin: BinaryIO, policy_file: str | None = None, is_gate: bool = False
) -> int:
    """Score every record of the files; one result a line. Returns the exit status."""
    base = None
    if policy_file is not None:
        base = _policy(policy_file, report, stdin)
        if base is None:
            return BAD_INPUT
    for name in names:
        data = _read(name, report, stdin)
        if data is not None:
            score_file(name, data, report, base=base)
    return report.status(is_gate=is_gate)


def _read(name: str, report: Report, stdin: BinaryIO) -> bytes | None:
    try:
        return stdin.read() if name == STDIN else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        report.complain(name, reason=str(getattr(error, "strerror", None) or error))
        return None


def _policy(name: str, report: Report, stdin: BinaryIO) -> Policy | None:
    data = _read(name, report, stdin)
    if data is None:
        return None
    reading = read_documents(data)
    problems = [*reading.problems, *(problem for document in reading.documents for problem in document.problems())]
    for problem in problems:
        if problem.severity == "error":
            report.complain(name, reason=problem.sentence())
    if report.bad:
        return None
    if len(reading.documents) != 1:
        report.complain(name, reason="must hold one policy")
        return None
    try:
        return parse_policy(reading.documents[0].value)
    except RecordError as error:
        report.complain(name, error.path, reason=error.reason)
        return None


def score_file(name: str, data: bytes, report: Report, *, base: Policy | None = None) -> None:
    """Score the records of one file. A bad one is named and costs only itself."""
    shown = "standard input" if name == STDIN else name
    reading = read_documents(data)
    for problem in reading.problems:
        report.complain(shown, reason=problem.sentence())
    found = 0
    for document in _records(reading):
        found += 1
        _score_document(shown, document, report, base)
    if not found and not reading.problems:
        report.complain(shown, reason="there is no record in it")


def _records(reading: Reading) -> Iterator[Document]:
    """Each record or dialog. A list that is no dialog holds records or dialogs."""
    for document in reading.documents:
        if isinstance(document.value, list) and not is_native_dialog(document.value):
            yield from document.items if document.items else [document] if document.value else []
        elif document.is_complete:
            yield document


def _score_document(name: str, document: Document, report: Report, base: Policy | None) -> None:
    value = document.value
    place = f"line {document.line}" if document.line is not None else None
    record_id = value.get("id") if isinstance(value, dict) else None
    shown_id = f"id {jsonio.dumps(record_id)}" if isinstance(record_id, str | int) else None
    where = (name, place, f"record {document.number}", shown_id)
    faults = [fault for fault in document.faults if fault.severity == "error"]
    for fault in faults:
        report.complain(*where, fault.path, reason=fault.reason)
    if faults:
        return
    try:
        record = parse_record(record_from_native(value) if is_native_dialog(value) else value, base=base)
        if record.trajectory is None:
            raise RecordError("trajectory", "is missing, so there is nothing to score")
        verdict = score(record.golden, record.trajectory, policy=record.policy, tools=record.tools)
    except RecordError as error:
        report.complain(*where, error.path, reason=error.reason)
        return
    except ScorerUnavailable as error:
        report.complain(*where, "policy.scorer", reason=str(error))
        return
    report.scored += 1
    report.failed += not verdict.test_pass
    result: dict[str, Any] = {} if record.id is None else {"id": record.id}
    report.out(jsonio.dumps({**result, **verdict.as_result()}))
