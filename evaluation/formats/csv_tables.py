"""Tables for spreadsheets: cells that cannot become formulas, and a flat form of aem/1 records that can be read back.

A spreadsheet takes a text such as ``=1+1`` for a formula. Such a cell gets an apostrophe in front, and so does a text
that begins with an apostrophe itself, so that taking one leading apostrophe away always gives back the original.
Numbers are written as numbers and never guarded. A cell holds JSON once: reading it gives the value that was written.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from evaluation.aem.language import kept
from evaluation.formats import aem1, jsonio
from evaluation.formats.model import ParsedConversation, ParsedFile, Problem, SourceFile
from evaluation.formats.reading import Document, Fault, UnreadableFileError, decode, excerpt_of
from evaluation.formats.records import Collector

FORMAT = "csv"
GUARD = "'"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``text`` and ``json`` cells are guarded, ``number`` cells are not; an empty cell is no value."""

    name: str
    kind: Literal["text", "number", "json"]
    description: str


def guard(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula.

    >>> guard("=1+1"), guard("'tis"), guard("a=b")
    ("'=1+1", "''tis", 'a=b')
    """
    if text.startswith(GUARD) or text.lstrip(" ").startswith(_FORMULA_STARTS):
        return GUARD + text
    return text


def unguard(cell: str) -> str:
    """The text that a cell was made of.

    >>> unguard(guard("-5")), unguard(guard("''"))
    ('-5', "''")
    """
    return cell.removeprefix(GUARD)


# --- tables of any columns ----------------------------------------------------------------------------------------


def write_table(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of a CSV file, header first; a cell that is None or absent stays empty."""
    buffer = io.StringIO()
    # Every text is quoted, so that a semicolon inside is no separator where the spreadsheet's language makes it one.
    writer = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)

    def line(cells: Iterable[Any]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(cells)
        return buffer.getvalue()

    yield line(guard(column.name) for column in columns)
    for row in rows:
        yield line(_cell(column, row.get(column.name)) for column in columns)


def _cell(column: Column, value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if column.kind == "number" and isinstance(value, int | Decimal):
        return value
    return guard(jsonio.dumps(value))


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table that was read: its cells by column name, without guards; empty cells are left out."""

    line: int
    cells: dict[str, str]
    excerpt: str


def read_table(text: str) -> Iterator[TableRow]:
    """The rows of a CSV text below its header, as the texts that were written."""
    text = text.removeprefix("\ufeff")
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            if header is None:
                header = [unguard(cell) for cell in cells]
            elif cells:
                named = {name: unguard(cell) for name, cell in zip(header, cells, strict=False) if cell}
                if len(cells) > len(header):
                    raise UnreadableFileError(Problem(_MORE_CELLS, line=line))
                yield TableRow(line, named, excerpt_of(",".join(cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableFileError(Problem(_UNREADABLE.format(error=error), line=line)) from None


# --- results ------------------------------------------------------------------------------------------------------

RESULT_COLUMNS = (
    Column("conversation", "text", "key of the conversation"),
    Column("trajectory", "text", "key of the trajectory"),
    Column("agent", "text", "who ran"),
    Column("agent_version", "text", "in which version"),
    Column("trial", "number", "which of several runs"),
    Column("path", "text", "the golden path that was compared with"),
    Column("turn_no", "number", "golden agent and tool turns, from 1"),
    Column("golden", "text", "id of the golden turn"),
    Column("observed", "number", "index of the observed turn, from 0; empty where none matched"),
    Column("skipped", "text", "true where an optional turn was left out"),
    Column("passed", "text", "true or false; empty where skipped"),
    Column("failure_reason", "text", "the first failure reason"),
    Column("reasons", "json", "all failure reasons"),
    Column("fields", "json", "the parameters or claims that failed"),
    Column("cascade_of", "json", "turn numbers of the root causes that this failure comes from"),
    Column("ambiguous", "text", "true where a person should look"),
    Column("success_rate", "number", "of the whole trajectory"),
    Column("test_pass", "text", "of the whole trajectory"),
)


def result_rows(result: Mapping[str, Any], **identity: Any) -> Iterator[Row]:
    """One row a golden turn of a result document; ``identity`` names conversation, trajectory, agent and so on."""
    shared = {**identity, **{name: result.get(name) for name in ("path", "success_rate", "test_pass")}}
    if isinstance(shared["success_rate"], float):
        shared["success_rate"] = Decimal(repr(shared["success_rate"]))
    for turn in result["turns"]:
        row = {**shared, **turn}
        for name in ("reasons", "fields", "cascade_of"):
            row[name] = jsonio.dumps(row.get(name) or [])
        yield row


# --- datasets -----------------------------------------------------------------------------------------------------

DATASET_COLUMNS = (
    Column("row", "number", "the order of the rows; reading back goes by it"),
    Column(
        "part",
        "text",
        "what the row is: record, golden (a golden turn), observed (a turn of the trajectory), "
        "annotation, label, decision or comment; rows belong to the record before them",
    ),
    Column("conversation", "text", "key of the conversation"),
    Column("record", "text", "id of the aem/1 record"),
    Column("agent", "text", "of a record: who ran"),
    Column("agent_version", "text", "of a record: in which version"),
    Column("trial", "number", "of a record: which of several runs"),
    Column("reward", "number", "of a record: what the source gave the run"),
    Column("path", "text", "of a golden turn, label or decision: the golden path"),
    Column("turn", "text", "of a golden turn, label, decision or comment: the id of the golden turn"),
    Column("kind", "text", "of a turn: user, response or tool"),
    Column("text", "text", "of a turn: what was or is to be said; of other rows: comment or reason"),
    Column("tool", "text", "of a call"),
    Column("action", "text", "of a call"),
    Column("params", "json", "of a golden call: its parameters"),
    Column("args", "json", "of an observed call: its arguments as they came"),
    Column("result", "json", "of an observed call"),
    Column("error", "json", "of an observed call"),
    Column("person", "text", "who annotated, labelled, decided or commented"),
    Column("verdict", "text", "pass, fail, unsure or not_agent"),
    Column("structural", "text", "pass, fail or unsure"),
    Column("completeness", "text", "pass, fail or unsure"),
    Column("truthfulness", "text", "pass, fail or unsure"),
    Column("failure_reason", "text", "as the person named it"),
    Column("attribution", "text", "root or cascade"),
    Column("cascade_of", "json", "golden turn ids of the root causes"),
    Column("more", "json", "everything that has no column of its own"),
)

_KIND = {column.name: column.kind for column in DATASET_COLUMNS}
_JUDGEMENT = (
    "path",
    "turn",
    "verdict",
    "structural",
    "completeness",
    "truthfulness",
    "failure_reason",
    "attribution",
    "cascade_of",
)
# part -> its list in the record, the keys that have a column of their own, and the columns that these go by.
_PEOPLE: dict[str, tuple[str, dict[str, str]]] = {
    "annotation": ("annotations", {"annotator": "person", "comment": "text"}),
    "label": ("labels", {"annotator": "person", "comment": "text", **{name: name for name in _JUDGEMENT}}),
    "decision": ("decisions", {"by": "person", "reason": "text", **{name: name for name in _JUDGEMENT}}),
    "comment": ("comments", {"by": "person", "text": "text", "turn": "turn"}),
}
_GOLDEN_KEYS = {name: name for name in ("tool", "action", "params")} | {"id": "turn"}
_OBSERVED_KEYS = {name: name for name in ("tool", "action", "args", "result", "error")}
_RUN_KEYS = ("agent", "agent_version", "trial", "reward")


def write(conversations: Iterable[ParsedConversation]) -> Iterator[str]:
    """A dataset as one flat table; reading it back gives the same conversations."""
    return write_table(DATASET_COLUMNS, _numbered(dataset_rows(conversations)))


def _numbered(rows: Iterable[Row]) -> Iterator[Row]:
    for number, row in enumerate(rows, 1):
        yield {"row": number, **row}


def dataset_rows(conversations: Iterable[ParsedConversation]) -> Iterator[Row]:
    """The rows of the flat table: each record, followed by its golden, its trajectory and people's work on it.

    The golden stands with the first record of a conversation only; the other records share it.
    """
    for conversation in conversations:
        for number, record in enumerate(aem1.records_of(conversation)):
            yield from _record_rows(record, conversation.key, is_first=number == 0)


def _record_rows(record: dict[str, Any], conversation: str, *, is_first: bool) -> Iterator[Row]:
    rest = {name: value for name, value in record.items() if name not in {"format", "conversation"}}
    if isinstance(rest["id"], str):
        del rest["id"]
    if not is_first and "golden" in rest:
        for name in ("golden", "tools", "policy"):
            rest.pop(name, None)
    row: Row = {"part": "record", "conversation": conversation, "record": str(record["id"])}
    rows: list[Row] = []
    golden = rest.get("golden")
    if golden is not None:
        paths = golden["paths"]
        rest["golden"] = {**golden, "paths": [{**path, "turns": []} for path in paths]}
        for path in paths:
            rows += [{"path": path.get("id"), **_turn_row("golden", turn, _GOLDEN_KEYS)} for turn in path["turns"]]
    trajectory = rest.get("trajectory")
    if trajectory is not None:
        rows += [_turn_row("observed", turn, _OBSERVED_KEYS) for turn in trajectory["turns"]]
        kept = {name: value for name, value in trajectory.items() if name != "turns"}
        for name in _RUN_KEYS:
            if _fits(name, kept.get(name)):
                row[name] = kept.pop(name)
        rest["trajectory"] = kept
    for part, (name, keys) in _PEOPLE.items():
        rows += [_row(part, entry, keys) for entry in rest.pop(name, [])]
    yield {**row, "more": jsonio.dumps(rest)} if rest else row
    yield from ({**found, "conversation": conversation, "record": str(record["id"])} for found in rows)


def _turn_row(part: str, turn: Mapping[str, Any], keys: Mapping[str, str]) -> Row:
    kind = next((name for name in ("user", "response", "tool") if name in turn), None)
    said = {kind: "text"} if kind in {"user", "response"} else {}
    row = _row(part, turn, {**keys, **said})
    if kind is not None and (kind == "tool" or "text" in row):
        row["kind"] = kind
    return row


def _row(part: str, entry: Mapping[str, Any], keys: Mapping[str, str]) -> Row:
    """An entry with each key in its column, and in ``more`` what has none or does not fit."""
    row: Row = {"part": part}
    more: dict[str, Any] = {}
    for name, value in entry.items():
        column = keys.get(name)
        if column and _KIND[column] == "json":
            row[column] = jsonio.dumps(value)
        elif column and _fits(column, value):
            row[column] = value
        else:
            more[name] = value
    if more:
        row["more"] = jsonio.dumps(more)
    return row


def _fits(column: str, value: Any) -> bool:
    if _KIND[column] == "number":
        return isinstance(value, int | Decimal) and not isinstance(value, bool)
    return isinstance(value, str) and value != ""


# Problems are kept in reports, in English; pages show them through `formats.words.told`.
_MORE_CELLS = kept("more cells than the header has columns")
_UNREADABLE = kept("the table cannot be read: {error}")
_FIRST_LINE = kept("the first line does not name the columns part, conversation, record and more")
_BEFORE_RECORD = kept("stands before the first row of part record")
_NO_PATH = kept("line {line}: the record's golden has no path {path}")
_NO_TRAJECTORY = kept("line {line}: the record has no trajectory")
_NO_LIST = kept("line {line}: {name} is no list")
_NO_PART = kept("line {line}: {part} is no kind of row")
_NO_OBJECT = kept("line {line}: must hold an object")
_NO_JSON = kept("line {line}: {reason}")
_NO_NUMBER = kept("line {line}: {cell} is no number")

# --- reading datasets ---------------------------------------------------------------------------------------------

EXAMPLE = """\
"row","part","conversation","record","path","turn","kind","text","tool","params","args","result","more"
1,"record","refund-1","run-1","","","","","","","","",\
"{""golden"": {""paths"": [{""id"": ""main"", ""turns"": []}]}, ""trajectory"": {}}"
2,"golden","refund-1","run-1","main","g1","tool","","refund_order","{""order_id"": {""value"": ""A1""}}","","",""
3,"observed","refund-1","run-1","","","user","'=A1, please","","","","",""
4,"observed","refund-1","run-1","","","tool","","refund_order","","{""order_id"": ""A1""}","{""amount"": 12.50}",""
"""


def detect_text(text: str) -> str | None:
    """Why a text looks like our own table, or None."""
    first = text.removeprefix("\ufeff").split("\n", 1)[0]
    names = {cell.strip().strip('"') for cell in first.split(",")}
    if {"part", "conversation", "record", "more"} <= names:
        return "the first line names the columns of a dataset table"
    return None


def detect(documents: Sequence[Any]) -> str | None:
    """A table is no JSON, see ``detect_text``."""
    return None


def read(files: Sequence[SourceFile], *, encoding: str | None = None) -> ParsedFile:
    """Read dataset tables as they were written, sorted or not."""
    collector = Collector(FORMAT)
    for source in files:
        name = source.name if len(files) > 1 else None
        try:
            text = decode(source.data, encoding)
            if not detect_text(text):
                raise UnreadableFileError(Problem(_FIRST_LINE, line=1, excerpt=excerpt_of(text)))
            rows = list(read_table(text))
        except UnreadableFileError as error:
            problem = error.problem
            collector.problems.append(
                Problem(problem.reason, line=problem.line, excerpt=problem.excerpt, file=name or source.name)
            )
            continue
        groups = list(_groups(rows))
        collector.count({"lines": text.count("\n"), "blank_lines": 0, "records": len(groups)})
        for number, group in enumerate(groups, 1):
            _read_group(collector, group, number, f"{source.stem}-{number}", name)
    return collector.finish()


def _groups(rows: list[TableRow]) -> Iterator[list[TableRow]]:
    """The rows of each record, in their written order where a row number says it."""
    if all(row.cells.get("row", "").isdecimal() for row in rows):
        rows = sorted(rows, key=lambda row: int(row.cells["row"]))
    group: list[TableRow] = []
    for row in rows:
        if row.cells.get("part") == "record" and group:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _read_group(collector: Collector, group: list[TableRow], number: int, key: str, file: str | None) -> None:
    first = group[0]
    document = Document(None, first.line, number, first.excerpt)
    faults: list[Fault] = []
    record = _record(group, faults)
    collector.report(document, faults, file=file)
    if not faults and not collector.is_repeated(document, record, file=file):
        collector.add(document, record, default_key=key, file=file)


def _record(group: list[TableRow], faults: list[Fault]) -> dict[str, Any]:
    first = group[0]
    if first.cells.get("part") != "record":
        faults.append(Fault(_BEFORE_RECORD, "part"))
        return {}
    record: dict[str, Any] = {"format": aem1.FORMAT}
    for name, column in (("id", "record"), ("conversation", "conversation")):
        if column in first.cells:
            record[name] = first.cells[column]
    record.update(_more(first, faults))
    trajectory = record.get("trajectory")
    if isinstance(trajectory, dict):
        trajectory.setdefault("turns", [])
        for name in _RUN_KEYS:
            if name in first.cells:
                trajectory[name] = _value(first, name, faults)
    if str(record.get("id")) == record.get("conversation"):
        del record["conversation"]
    for row in group[1:]:
        _add_row(record, row, faults)
    return record


def _add_row(record: dict[str, Any], row: TableRow, faults: list[Fault]) -> None:
    """Put a row into the list of the record that it is part of."""
    part = row.cells.get("part")
    holder: Any
    if part == "golden":
        holder, name, entry = _path(record, row), "turns", _turn(row, _GOLDEN_KEYS, faults)
        missing = _NO_PATH.format(line=row.line, path=repr(row.cells.get("path")))
    elif part == "observed":
        holder, name, entry = record.get("trajectory"), "turns", _turn(row, _OBSERVED_KEYS, faults)
        missing = _NO_TRAJECTORY.format(line=row.line)
    elif part in _PEOPLE:
        name, keys = _PEOPLE[part]
        holder, entry, missing = record, _entry(row, keys, faults), ""
    else:
        faults.append(Fault(_NO_PART.format(line=row.line, part=repr(part)), "part"))
        return
    entries = holder.setdefault(name, []) if isinstance(holder, dict) else None
    if isinstance(entries, list):
        entries.append(entry)
    else:
        faults.append(Fault(missing or _NO_LIST.format(line=row.line, name=name), "part"))


def _path(record: dict[str, Any], row: TableRow) -> Any:
    golden = record.get("golden")
    paths = golden.get("paths") if isinstance(golden, dict) else None
    candidates = [path for path in paths if isinstance(path, dict)] if isinstance(paths, list) else []
    return next((path for path in candidates if path.get("id") == row.cells.get("path")), None)


def _turn(row: TableRow, keys: Mapping[str, str], faults: list[Fault]) -> dict[str, Any]:
    kind = row.cells.get("kind")
    said = {kind: "text"} if kind in {"user", "response"} else {}
    return _entry(row, {**keys, **said}, faults)


def _entry(row: TableRow, keys: Mapping[str, str], faults: list[Fault]) -> dict[str, Any]:
    entry = {name: _value(row, column, faults) for name, column in keys.items() if column in row.cells}
    return {**entry, **_more(row, faults)}


def _more(row: TableRow, faults: list[Fault]) -> dict[str, Any]:
    value = _json(row, "more", faults)
    if value is not None and not isinstance(value, dict):
        faults.append(Fault(_NO_OBJECT.format(line=row.line), "more"))
        return {}
    return value or {}


def _value(row: TableRow, column: str, faults: list[Fault]) -> Any:
    read: dict[str, Callable[[TableRow, str, list[Fault]], Any]] = {"json": _json, "number": _number}
    kind = _KIND[column]
    return read[kind](row, column, faults) if kind in read else row.cells[column]


def _json(row: TableRow, column: str, faults: list[Fault]) -> Any:
    cell = row.cells.get(column)
    if cell is None:
        return None
    try:
        return jsonio.loads(cell)
    except jsonio.JsonError as error:
        faults.append(Fault(_NO_JSON.format(line=row.line, reason=error.reason), column))
        return None


def _number(row: TableRow, column: str, faults: list[Fault]) -> Any:
    cell = row.cells[column]
    try:
        return int(cell)
    except ValueError:
        pass
    try:
        number = Decimal(cell)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        faults.append(Fault(_NO_NUMBER.format(line=row.line, cell=repr(excerpt_of(cell))), column))
        return None
    return number
