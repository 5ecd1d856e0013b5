"""The table of formats. A new format is one module beside this one and one line here."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evaluation.aem.language import kept, mark
from evaluation.formats import aem1, csv_tables, native, tau_bench
from evaluation.formats.model import ParsedConversation, ParsedFile, Problem, SourceFile
from evaluation.formats.reading import UnreadableFileError, decode, first_values, read_documents, read_text

Writer = Callable[[Iterable[ParsedConversation]], Iterator[str]]


class Reader(Protocol):
    """Makes conversations of one or several files that belong together."""

    def __call__(self, files: Sequence[SourceFile], *, encoding: str | None = None) -> ParsedFile: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it is called, how it looks, how it is read and, where it can be, written."""

    name: str
    label: str
    description: str
    example: str
    read: Reader
    write: Writer | None
    detect: Callable[[Sequence[Any]], str | None]
    """Why the values of a file look like this format, or None."""
    extension: str = "jsonl"
    detect_text: Callable[[str], str | None] | None = None
    """For formats that are no JSON."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Which format a file is in, and what it was known by; no name where none fits."""

    name: str | None
    reason: str


_HEAD = 10_000
_NONE_FITS = kept("no format of the table recognises the content; the formats are {names}")
_NO_FORMAT = kept("no format is called {name}; the formats are {names}")

FORMATS: dict[str, Format] = {
    found.name: found
    for found in (
        Format(
            "aem/1",
            mark("AEM records (aem/1)"),
            mark("Golden, tools, trajectory and policy in one record; JSON, or JSONL with one record a line."),
            aem1.EXAMPLE,
            aem1.read,
            aem1.write,
            aem1.detect,
        ),
        Format(
            "native",
            mark("AEM native dialog"),
            mark("One list of turns a conversation, each with the expected and the predicted turn side by side."),
            native.EXAMPLE,
            native.read,
            native.write,
            native.detect,
        ),
        Format(
            "tau-bench",
            "tau-bench",
            mark("Results with trajectories and rewards, tasks with golden actions, tool schemas, in any combination."),
            tau_bench.EXAMPLE,
            tau_bench.read,
            None,
            tau_bench.detect,
            extension="json",
        ),
        Format(
            "csv",
            mark("Dataset table (CSV)"),
            mark("A whole dataset as one flat table for spreadsheets, which can be read back without loss."),
            csv_tables.EXAMPLE,
            csv_tables.read,
            csv_tables.write,
            csv_tables.detect,
            extension="csv",
            detect_text=csv_tables.detect_text,
        ),
    )
}


def detect(documents: Sequence[Any]) -> Detection:
    """The format that the values of a file are in: the first of the table that recognises them."""
    for name, candidate in FORMATS.items():
        reason = candidate.detect(documents)
        if reason:
            return Detection(name, reason)
    return Detection(None, _NONE_FITS.format(names=", ".join(FORMATS)))


def detect_files(files: Sequence[SourceFile], *, encoding: str | None = None) -> Detection:
    """The format of files that are imported together."""
    texts = []
    for source in files:
        try:
            texts.append(decode(source.data, encoding))
        except UnreadableFileError:
            continue
    for name, candidate in FORMATS.items():
        reasons = [candidate.detect_text(text[:_HEAD]) for text in texts] if candidate.detect_text else []
        if any(reasons):
            return Detection(name, next(reason for reason in reasons if reason))
    quick = detect([value for text in texts for value in first_values(text)])
    if quick.name is not None:
        return quick
    return detect([document.value for text in texts for document in read_text(text).documents])


def read_files(
    files: Sequence[SourceFile], *, format_name: str | None = None, encoding: str | None = None
) -> ParsedFile:
    """Read files in the named format, or in the one that they are found to be in."""
    if format_name is None:
        detection = detect_files(files, encoding=encoding)
        if detection.name is None:
            readings = [read_documents(source.data, encoding=encoding, file=source.name) for source in files]
            problems = [problem for reading in readings for problem in reading.problems]
            return ParsedFile("", (), (*problems, Problem(detection.reason)), {"records": 0, "read": 0})
        format_name = detection.name
    if format_name not in FORMATS:
        reason = _NO_FORMAT.format(name=repr(format_name), names=", ".join(FORMATS))
        return ParsedFile(format_name, (), (Problem(reason),), {"records": 0, "read": 0})
    return FORMATS[format_name].read(files, encoding=encoding)
