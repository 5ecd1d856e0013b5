"""From the bytes of a file to the JSON values in it: what is wrong is said in plain words, and nothing is dropped."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluation.aem.language import kept
from evaluation.formats import jsonio
from evaluation.formats.model import EXCERPT_LENGTH, Problem, Severity

REPLACEMENT = "\ufffd"

# A text with a line break inside makes its record go on in the next lines; looking further than this would be guessing.
_MAX_CONTINUATION_LINES = 10
_MAX_CONTINUATION_CHARACTERS = 1_000_000

_WHITE = " \t\r\n"
_SPACE = re.compile(r"[ \t\r\n]*")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MAY_BE_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_PLAIN_KEY = re.compile(r"[^\W\d]\w*\Z")
_BOMS = (
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Problems are kept in reports, in English; pages show them through `formats.words.told`.
_UTF_32 = kept("byte 1 begins a UTF-32 byte-order mark; save the file as UTF-8 or UTF-16")
_ZERO_BYTE = kept(
    "byte {at} is zero: this looks like UTF-16 without a byte-order mark; save the file as UTF-8 or name its encoding "
    "(utf-16-le or utf-16-be)"
)
_NO_ENCODING = kept("no text encoding is called {name}")
_NOT_READABLE_AS = kept("the file cannot be read as {encoding}: {error}")
_UNDECODABLE = kept(
    "byte {at} of the line (byte {of_file} of the file) is 0x{byte}, which is not {encoding}; save the file as UTF-8, "
    "or name its encoding (for example latin-1)"
)
_UNDECODABLE_AS_NAMED = kept(
    "byte {at} of the line (byte {of_file} of the file) is 0x{byte}, which is not {encoding}; name the right one"
)
_KEYS_BECOME_EQUAL = kept("two keys become equal: {name}")
_ONE_REPLACED = kept("1 character that cannot be stored became U+FFFD ({where})")
_MANY_REPLACED = kept("{count} characters that cannot be stored became U+FFFD ({where})")
_AND_MORE_PLACES = kept("{places} and {count} more places")
_REPEATED_KEY = kept("the key {key} stands more than once in one object")
_RAW_ZEROS = kept("{count} raw zero characters became U+FFFD")
_COMMA_BEFORE_BRACKET = kept("a comma stands before a closing bracket")
_COMMA_EXPECTED = kept("a comma or a closing bracket is expected")
_ENDS_IN_LIST = kept("the text ends in the middle of a list")
_SOMETHING_FOLLOWS = kept("something follows after the end of the value")
_AT_COLUMN = kept("{reason} (column {column})")
_READ_BEFORE = kept("{reason}; the {count} records before it were read, nothing after it")
_BROKEN_TEXT = kept("a line break stands inside a text, so that the record goes on to line {line}; write it as \\n")
_EMPTY = kept("the file is empty")


class UnreadableFileError(ValueError):
    """A file from which no record can be taken; ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.sentence())


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong inside one value, at a path below it."""

    reason: str
    path: str | None = None
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON value of a file: cleaned, with its place; the elements of a list are documents of their own."""

    value: Any
    line: int | None
    number: int
    excerpt: str
    faults: tuple[Fault, ...] = ()
    items: tuple["Document", ...] = ()
    is_complete: bool = True

    @property
    def has_errors(self) -> bool:
        """Whether something inside costs this record."""
        return any(fault.severity == "error" for fault in self.faults)

    def problem(self, reason: str, *, path: str | None = None, severity: Severity = "error") -> Problem:
        """A problem that names this document's place."""
        return Problem(
            reason, severity, line=self.line, path=path, record=self.number, excerpt=self.excerpt[:EXCERPT_LENGTH]
        )

    def problems(self) -> list[Problem]:
        """The faults found while reading, as problems."""
        return [self.problem(fault.reason, path=fault.path, severity=fault.severity) for fault in self.faults]


@dataclass(frozen=True, slots=True)
class Reading:
    """A file taken apart: ``json`` is one value over the whole file, ``jsonl`` one a line."""

    kind: Literal["json", "jsonl"]
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    counts: dict[str, int]


def child(path: str, key: str | int) -> str:
    """The path of a part below a record, as the engine writes it in its own errors.

    >>> child(child("turns", 3), "a b")
    'turns[3]["a b"]'
    """
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.match(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{jsonio.dumps(key)}]"


def excerpt_of(text: str) -> str:
    """The first characters of a record, as far as they can be stored and shown."""
    return _UNSTORABLE.sub(REPLACEMENT, text[:EXCERPT_LENGTH])


def decode(data: bytes, encoding: str | None = None) -> str:
    """The text of a file: UTF-8, UTF-16 where a byte-order mark says so, or the encoding that the user named.

    Nothing is guessed: bytes that do not fit are refused with their place, since a wrong guess stores wrong characters.
    """
    name, start = encoding, 0
    for mark, marked_encoding in _BOMS:
        if data.startswith(mark):
            if encoding is None and marked_encoding is None:
                raise UnreadableFileError(Problem(_UTF_32, line=1))
            if encoding is None or _same_encoding(encoding, marked_encoding):
                name, start = marked_encoding, len(mark)
            break
    else:
        if encoding is None and b"\0" in data[:2]:
            raise UnreadableFileError(Problem(_ZERO_BYTE.format(at=data.index(0) + 1), line=1))
    name = name or "utf-8"
    try:
        text = data[start:].decode(name)
    except LookupError:
        raise UnreadableFileError(Problem(_NO_ENCODING.format(name=repr(encoding)))) from None
    except UnicodeDecodeError as error:
        raise UnreadableFileError(_undecodable(data, start + error.start, name, chosen=encoding is not None)) from None
    except UnicodeError as error:
        raise UnreadableFileError(Problem(_NOT_READABLE_AS.format(encoding=name, error=error))) from None
    return text.removeprefix("\ufeff")


def _same_encoding(named: str, marked: str | None) -> bool:
    try:
        canonical = codecs.lookup(named).name
    except LookupError:
        return False
    return marked is not None and canonical in {marked, marked.removesuffix("-le").removesuffix("-be"), f"{marked}-sig"}


def _undecodable(data: bytes, at: int, encoding: str, *, chosen: bool) -> Problem:
    newline = "\n".encode(encoding) if encoding.startswith("utf-16") else b"\n"
    line = data.count(newline, 0, at) + 1
    line_start = data.rfind(newline, 0, at) + len(newline) if line > 1 else 0
    said = _UNDECODABLE_AS_NAMED if chosen else _UNDECODABLE
    before = data[max(line_start, at - EXCERPT_LENGTH // 2) : at + EXCERPT_LENGTH // 2]
    return Problem(
        said.format(at=at - line_start + 1, of_file=at + 1, byte=f"{data[at]:02X}", encoding=encoding.upper()),
        line=line,
        excerpt=excerpt_of(before.decode(encoding, errors="replace")),
    )


def clean(value: Any) -> tuple[Any, list[Fault]]:
    """Put U+FFFD in place of U+0000 and lone surrogates, in texts and keys, and say how many and where.

    Databases cannot hold them. Two keys that become equal are an error, since one of the two values would be lost.
    """
    places: list[str] = []
    replaced = 0
    collisions: list[Fault] = []

    def text(original: str, path: str) -> str:
        nonlocal replaced
        cleaned, times = _UNSTORABLE.subn(REPLACEMENT, original)
        if times:
            replaced += times
            places.append(path)
        return cleaned

    def walk(part: Any, path: str) -> Any:
        if isinstance(part, str):
            return text(part, path)
        if isinstance(part, list):
            return [walk(element, f"{path}[{index}]") for index, element in enumerate(part)]
        if isinstance(part, dict):
            made: dict[str, Any] = {}
            for key, element in part.items():
                name = text(key, f"{path or 'the record'} (a key)")
                if name in made:
                    collisions.append(Fault(_KEYS_BECOME_EQUAL.format(name=repr(name)), path))
                made[name] = walk(element, child(path, name))
            return made
        return part

    cleaned = walk(value, "")
    if not replaced:
        return value, []
    where = ", ".join(places[:3])
    if len(places) > 3:
        where = _AND_MORE_PLACES.format(places=where, count=len(places) - 3)
    said = _ONE_REPLACED if replaced == 1 else _MANY_REPLACED
    return cleaned, [
        Fault(said.format(count=replaced, where=where), None, "warning"),
        *collisions,
    ]


def repeated_keys(value: Any, path: str = "") -> Iterator[Fault]:
    """Each object in which a key stands more than once, which readers of JSON resolve differently."""
    if isinstance(value, jsonio.RepeatedKeys):
        for key in value.repeated:
            yield Fault(_REPEATED_KEY.format(key=repr(key)), path)
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, dict | list):
                yield from repeated_keys(part, child(path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            if isinstance(part, dict | list):
                yield from repeated_keys(part, f"{path}[{index}]")


def _document(decoded: jsonio.Decoded, source: str, *, line: int, number: int, raw_zeros: int = 0) -> Document:
    value = decoded.value
    faults = list(repeated_keys(value)) if decoded.has_repeated_keys else []
    if _MAY_BE_UNSTORABLE.search(source):
        value, found = clean(value)
        faults += found
    if raw_zeros:
        faults.append(Fault(_RAW_ZEROS.format(count=raw_zeros), None, "warning"))
    items: tuple[Document, ...] = ()
    if isinstance(value, list):
        items = tuple(Document(element, line, index, excerpt_of(source)) for index, element in enumerate(value, 1))
    return Document(value, line, number, excerpt_of(source), tuple(faults), items)


class _BrokenError(Exception):
    """The place at which a file stops being JSON, and the document as far as it could be read."""

    def __init__(self, error: jsonio.JsonError, at: int, partial: Document | None = None) -> None:
        self.error = error
        self.at = at
        self.partial = partial
        super().__init__(error.reason)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # the pattern matches everywhere, if only nothing


def _below(index: int, path: str | None) -> str:
    if not path:
        return f"[{index}]"
    return f"[{index}]{path}" if path.startswith("[") else f"[{index}].{path}"


def _whole_list(text: str, start: int, raw_zeros: int) -> tuple[Document, int]:
    """A list read element by element, so that each keeps its line and those before a broken place are not lost."""
    items: list[Document] = []
    at, line = _skip(text, start + 1), 1 + text.count("\n", 0, start)
    counted = start

    def made(*, is_complete: bool) -> Document:
        if len(items) > 1 and items[0].line == items[-1].line:
            # Everything stands on one line, which then says nothing; the number of the record does.
            items[:] = [replace(item, line=None) for item in items]
        faults = tuple(
            Fault(fault.reason, _below(index, fault.path), fault.severity)
            for index, item in enumerate(items)
            for fault in item.faults
        )
        if raw_zeros:
            faults += (Fault(_RAW_ZEROS.format(count=raw_zeros), None, "warning"),)
        values = [item.value for item in items]
        first_line = 1 + text.count("\n", 0, start)
        return Document(values, first_line, 1, excerpt_of(text[start:]), faults, tuple(items), is_complete)

    if text[at : at + 1] == "]":
        return made(is_complete=True), at + 1
    while True:
        line += text.count("\n", counted, at)
        counted = at
        try:
            decoded = jsonio.decode_at(text, at)
        except jsonio.JsonError as error:
            if items and text[at : at + 1] in {"]", "}"}:
                error = jsonio.JsonError(_COMMA_BEFORE_BRACKET, line=error.line, column=error.column)
            raise _BrokenError(error, at, made(is_complete=False)) from None
        items.append(_document(decoded, text[at : decoded.end], line=line, number=len(items) + 1))
        at = _skip(text, decoded.end)
        mark = text[at : at + 1]
        if mark == "]":
            return made(is_complete=True), at + 1
        if mark != ",":
            reason = _COMMA_EXPECTED if mark else _ENDS_IN_LIST
            place = jsonio.JsonError(reason, line=1 + text.count("\n", 0, at), column=at - text.rfind("\n", 0, at))
            raise _BrokenError(place, at, made(is_complete=False))
        at = _skip(text, at + 1)


def _whole(text: str, raw_zeros: int) -> Document:
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        document, end = _whole_list(text, start, raw_zeros)
    else:
        try:
            decoded = jsonio.decode_at(text, start)
        except jsonio.JsonError as error:
            raise _BrokenError(error, start) from None
        end = decoded.end
        line = 1 + text.count("\n", 0, start)
        document = _document(decoded, text[start:end], line=line, number=1, raw_zeros=raw_zeros)
    rest = _skip(text, end)
    if rest < len(text):
        line = 1 + text.count("\n", 0, rest)
        column = rest - text.rfind("\n", 0, rest)
        raise _BrokenError(jsonio.JsonError(_SOMETHING_FOLLOWS, line=line, column=column), rest)
    return document


def _parsed_line(line: str) -> jsonio.Decoded:
    decoded = jsonio.decode_at(line, _skip(line, 0))
    rest = _skip(line, decoded.end)
    if rest < len(line):
        raise jsonio.JsonError(_SOMETHING_FOLLOWS, line=1, column=rest + 1)
    return decoded


def _is_record(line: str) -> bool:
    try:
        return isinstance(_parsed_line(line).value, dict | list)
    except jsonio.JsonError:
        return False


def _continuation(lines: list[str], at: int) -> int:
    """How many further lines belong to a record that a line break inside a text has cut apart; 0 where none do."""
    joined = lines[at]
    for extra, line in enumerate(lines[at + 1 : at + 1 + _MAX_CONTINUATION_LINES], 1):
        if line.lstrip(_WHITE).startswith('{"') or (line.strip(_WHITE) and _is_record(line)):
            return 0
        joined += "\n" + line
        if len(joined) > _MAX_CONTINUATION_CHARACTERS:
            return 0
        if jsonio.is_json_but_for_line_breaks(joined):
            return extra
    return 0


def _with_column(error: jsonio.JsonError) -> str:
    return error.reason if error.column is None else _AT_COLUMN.format(reason=error.reason, column=error.column)


def _by_line(text: str) -> tuple[list[Document], list[Problem], dict[str, int]]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    documents: list[Document] = []
    problems: list[Problem] = []
    blank = continued = number = 0
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip(_WHITE):
            blank += 1
            continue
        number += 1
        zeros = line.count("\0")
        if zeros:
            line = line.replace("\0", REPLACEMENT)
        try:
            decoded = _parsed_line(line)
        except jsonio.JsonError as found:
            error = found
        else:
            documents.append(_document(decoded, line.strip(_WHITE), line=at, number=number, raw_zeros=zeros))
            continue
        reason = _with_column(error)
        further = _continuation(lines, at - 1) if "never closed" in error.reason else 0
        if further:
            reason = _BROKEN_TEXT.format(line=at + further)
        problems.append(Problem(reason, line=at, record=number, excerpt=excerpt_of(line.strip(_WHITE))))
        at += further
        continued += further
    counts = {"lines": len(lines), "blank_lines": blank, "continuation_lines": continued, "records": number}
    return documents, problems, counts


def read_text(text: str) -> Reading:
    """The JSON values of a text: one over all of it, else one a line; a broken line costs only that line."""
    lines = text.count("\n") + (not text.endswith("\n"))
    if not text.strip(_WHITE):
        return Reading("json", (), (Problem(_EMPTY),), {"lines": lines, "blank_lines": lines, "records": 0})
    zeros = text.count("\0")
    try:
        document = _whole(text.replace("\0", REPLACEMENT) if zeros else text, zeros)
    except _BrokenError as broken:
        whole_failed = broken
    else:
        records = len(document.items) if isinstance(document.value, list) else 1
        return Reading("json", (document,), (), {"lines": lines, "blank_lines": 0, "records": records})
    first_line = text.lstrip(_WHITE).split("\n", 1)[0].strip(_WHITE)
    if first_line not in {"[", "{"}:
        documents, problems, counts = _by_line(text)
        if any(isinstance(document.value, dict | list) for document in documents):
            return Reading("jsonl", tuple(documents), tuple(problems), counts)
    return _broken_json(text, whole_failed, lines)


def _broken_json(text: str, broken: _BrokenError, lines: int) -> Reading:
    """One JSON value that breaks off: the records of a list before that place are kept, the rest is one problem."""
    error = broken.error
    before = len(broken.partial.items) if broken.partial else 0
    reason = _with_column(error)
    problem = Problem(
        _READ_BEFORE.format(reason=reason, count=before) if before else reason,
        line=error.line if error.line is not None else 1 + text.count("\n", 0, broken.at),
        record=before + 1 if broken.partial else 1,
        excerpt=excerpt_of(text[broken.at : broken.at + EXCERPT_LENGTH]),
    )
    documents = (broken.partial,) if broken.partial and before else ()
    return Reading("json", documents, (problem,), {"lines": lines, "blank_lines": 0, "records": before + 1})


def read_documents(data: bytes, *, encoding: str | None = None, file: str | None = None) -> Reading:
    """The JSON values of a file; a file that cannot be decoded has none and one problem."""
    try:
        reading = read_text(decode(data, encoding))
    except UnreadableFileError as error:
        reading = Reading("json", (), (error.problem,), {"lines": 0, "blank_lines": 0, "records": 0})
    if file is None:
        return reading
    return replace(reading, problems=tuple(replace(problem, file=file) for problem in reading.problems))


def first_values(text: str) -> list[Any]:
    """The first value of a text, of a list its first element: enough to recognise a format without reading it all."""
    start = _skip(text, 0)
    is_list = text[start : start + 1] == "["
    try:
        value = jsonio.decode_at(text, _skip(text, start + is_list)).value
    except jsonio.JsonError:
        return []
    return [[value]] if is_list else [value]


def added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """The sum of several counts, key by key."""
    total: dict[str, int] = {}
    for count in counts:
        for key, number in count.items():
            total[key] = total.get(key, 0) + number
    return total
