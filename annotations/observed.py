"""What an agent did, made ready to be read: messages with long parts folded, and the fields that results hold. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from evaluation.aem.language import mark, say
from evaluation.aem.text import fold, number_of
from evaluation.formats import jsonio

#: A part longer than this is folded; the characters that all parts of a page together may have before every part is.
PART_LENGTH = 600
PART_LINES = 12
TEXT_LENGTH = 4000
PAGE_LENGTH = 160_000
_PREVIEW = 160
_ONE_LINE = 72
#: Of each result, how many fields can be chosen, and the longest text that another value may have been taken from.
MOST_FIELDS = 400
LONGEST_FIELD = 200
#: Texts that are shorter, and numbers that are nearer to 0, stand in too many places by chance.
_FEWEST_CHARACTERS, _FROM = 3, 100
_PLAIN_KEY = re.compile(r"[^.\[\]\"']+")


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    text: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a turn, such as its result. ``text`` is None where it is folded; then ``preview`` begins it.

    A short result that is nothing but named values has them in ``fields``, to be read without braces and quotes.
    Pieces are kept for long and read in every language: what is said of one, beside what was recorded, is put in words
    when it is asked for. ``is_bare`` is an error of which nothing is recorded but that there was one.
    """

    name: str
    given: str | None
    start: str
    length: int
    lines: int
    is_odd: bool = False
    is_error: bool = False
    fields: tuple[Argument, ...] = ()
    is_bare: bool = False

    @property
    def text(self) -> str | None:
        return say(_AN_ERROR) if self.is_bare and self.given is not None else self.given

    @property
    def preview(self) -> str:
        return say(_AN_ERROR) if self.is_bare and self.given is None else self.start

    @property
    def note(self) -> str:
        return say("not an object") if self.is_odd else ""

    @property
    def is_folded(self) -> bool:
        return self.given is None


@dataclass(frozen=True, slots=True)
class Message:
    """One observed turn as it is shown; ``index`` is its place in the trajectory, ``turn_no`` leaves out user turns."""

    index: int
    turn_no: int | None
    kind: str
    call: str
    arguments: tuple[Argument, ...] = ()
    pieces: tuple[Piece, ...] = ()

    @property
    def title(self) -> str:
        """The call, or what else it is: messages are kept for long, and read in every language."""
        return say(_TITLES[self.kind]) if self.kind in _TITLES else self.call


def messages_of(turns: Sequence[Any]) -> list[Message]:
    """All turns in recorded order. Nothing is cut: what is folded is opened by its index and name."""
    left = PAGE_LENGTH
    found = []
    turn_no = 0
    for index, turn in enumerate(turns):
        turn = turn if isinstance(turn, Mapping) else {}  # noqa: PLW2901 - anything else is a turn in which nothing is
        kind = kind_of(turn)
        turn_no += kind != "user"
        arguments, pieces, spent = _parts(turn, kind, left)
        left -= spent
        found.append(
            Message(index, None if kind == "user" else turn_no, kind, _call(turn, kind), arguments, tuple(pieces))
        )
    return found


def kind_of(turn: Mapping[str, Any]) -> str:
    if "user" in turn:
        return "user"
    if "response" in turn:
        return "response"
    return "action" if "tool" in turn else "nothing"


_TITLES = {"user": mark("User"), "response": mark("Reply"), "nothing": mark("Nothing was done")}
_AN_ERROR = mark("The call returned an error.")


def _call(turn: Mapping[str, Any], kind: str) -> str:
    if kind != "action":
        return ""
    action = turn.get("action")
    return f"{turn.get('tool')} · {action}" if action else str(turn.get("tool"))


def _parts(turn: Mapping[str, Any], kind: str, left: int) -> tuple[tuple[Argument, ...], list[Piece], int]:
    if kind in ("user", "response"):
        piece = _piece(kind, turn[kind], left, longest=TEXT_LENGTH)
        return (), [piece], len(piece.given or piece.start)
    if kind == "nothing":
        return (), [], 0
    arguments: tuple[Argument, ...] = ()
    pieces: list[Piece] = []
    spent = 0
    given = turn.get("args", {})
    readable = _as_json(given)
    if isinstance(readable, Mapping):
        written = _named(readable)
        size = sum(len(argument.name) + len(argument.text) for argument in written)
        if size <= PART_LENGTH * 3 and size < left:
            arguments, spent = tuple(written), size
        else:
            pieces.append(_piece("args", readable, 0))
    elif "args" in turn:
        pieces.append(_piece("args", given, left, is_odd=True))
    for name in ("result", "error"):
        if turn.get(name) is not None and turn.get(name) is not False:
            is_bare = turn[name] is True and name == "error"
            pieces.append(_piece(name, _AN_ERROR if is_bare else turn[name], left - spent, is_bare=is_bare))
    spent += sum(len(piece.given or piece.start) for piece in pieces)
    return arguments, pieces, spent


def _piece(
    name: str, value: Any, left: int, *, longest: int = PART_LENGTH, is_odd: bool = False, is_bare: bool = False
) -> Piece:
    text = _text(value)
    if _ONE_LINE < len(text) <= longest and not isinstance(value, str):
        text = _text(value, indent=True)  # laid out only when short: it takes a hundred times as long
    lines = text.count("\n") + 1
    lines_allowed = PART_LINES if longest == PART_LENGTH else 80
    is_folded = len(text) > longest or lines > lines_allowed or len(text) > left
    first = " ".join(text[: _PREVIEW * 2].split())
    start = first[:_PREVIEW] + ("…" if len(text) > _PREVIEW else "") if is_folded else ""
    fields: tuple[Argument, ...] = ()
    read = _as_json(value) if name == "result" and not is_folded else None
    if isinstance(read, Mapping) and not any(isinstance(part, Mapping | list) for part in read.values()):
        fields = tuple(_named(read))
    return Piece(name, None if is_folded else text, start, len(text), lines, is_odd, name == "error", fields, is_bare)


def _named(values: Mapping[Any, Any]) -> list[Argument]:
    return [Argument(str(name), _text(value), isinstance(value, str)) for name, value in values.items()]


def part_text(turn: Any, name: str) -> str | None:
    """The whole text of one part of a turn; None where there is no such part."""
    if name not in ("user", "response", "args", "result", "error") or not isinstance(turn, Mapping) or name not in turn:
        return None
    value = turn[name]
    return _text(_as_json(value) if name == "args" else value, indent=name in ("args", "result"))


def _as_json(value: Any) -> Any:
    """Text that holds a JSON object or list is read as that JSON, as the engine reads it."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return jsonio.loads(value)
        except jsonio.JsonError:
            return value
    return value


def _text(value: Any, *, indent: bool = False) -> str:
    return value if isinstance(value, str) else jsonio.dumps(value, indent=2 if indent else None)


# --- fields of results ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a result: where it stands, and what it is (long texts are left out)."""

    path: str
    value: Any

    @property
    def preview(self) -> str:
        text = _text(self.value)
        return text if len(text) <= 40 else f"{text[:39]}…"


@dataclass(frozen=True, slots=True)
class Digest:
    """What a page needs of a trajectory, however large it is: its messages, and the fields of each turn's result."""

    messages: tuple[Message, ...]
    fields: Mapping[int, tuple[Field, ...]]
    calls: tuple[tuple[str, str], ...]


def digest_of(turns: Sequence[Any]) -> Digest:
    fields = {}
    calls: dict[tuple[str, str], None] = {}
    for index, turn in enumerate(turns):
        if isinstance(turn, Mapping) and "tool" in turn:
            calls[str(turn["tool"]), str(turn.get("action") or "")] = None
            if turn.get("result") is not None:
                fields[index] = tuple(islice(_leaves(_as_json(turn["result"]), "$"), MOST_FIELDS))
    return Digest(tuple(messages_of(turns)), fields, tuple(calls))


def _leaves(value: Any, path: str) -> Iterator[Field]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, _child(path, str(key)))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")
    elif not isinstance(value, str) or len(value) <= LONGEST_FIELD:
        yield Field(path, value)


def _child(path: str, key: str) -> str:
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{jsonio.dumps(key)}]"


def same_value(one: Any, other: Any) -> bool:
    """Whether two scalars are one and the same value, so particular that one may well come from the other."""
    if isinstance(one, bool | list | Mapping) or isinstance(other, bool | list | Mapping):
        return False
    return bool(one == other) and type(one) in _comparable(other) and is_telling(one)


def _comparable(value: Any) -> tuple[type, ...]:
    return (int, Decimal) if isinstance(value, int | Decimal) else (type(value),)


def is_telling(value: Any) -> bool:
    """Whether a value is so particular that it must come from somewhere.

    True, false, null, empty texts, numbers from -99 to 99 (also as texts) and texts of fewer than three characters
    (other than codes such as D7) stand in too many places by chance; so do words such as "yes", "none" or "open".

    >>> [is_telling(value) for value in (True, 7, "12", "yes", "ok", "W2378", 1042, "2026-03-31")]
    [False, False, False, False, False, True, True, True]
    """
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        text = fold(value)
        number: int | Decimal | None = number_of(text)
        if number is None:
            is_code = any(character.isdigit() for character in text) and not text.isdigit()
            return (len(text) >= _FEWEST_CHARACTERS or (is_code and len(text) > 1)) and text not in _COMMON
    elif isinstance(value, int | Decimal):
        number = value
    else:
        return False
    return not -_FROM < number < _FROM


_COMMON = frozenset({
    "yes", "true", "false", "none", "null", "nil", "n/a", "unknown", "other", "all", "any", "new", "old", "open",
    "closed", "active", "inactive", "pending", "done", "success", "okay", "error", "failed", "default", "auto", "main",
    "asc", "desc", "low", "medium", "high", "usd", "eur", "gbp", "user", "admin", "test",
})  # fmt: skip
