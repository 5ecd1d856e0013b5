"""Values and parameters as rows of a form: typed by choice, never by guess, and read back exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from django.utils.translation import gettext_lazy as _

from evaluation.aem.language import say, say_in
from evaluation.formats import jsonio

VALUE_KINDS = (
    ("text", _("text")),
    ("number", _("number")),
    ("bool", _("yes or no")),
    ("null", _("nothing (null)")),
    ("json", _("list or object")),
)
COMPARISONS = (
    ("", _("as usual")),
    ("auto", _("by its type, whatever the policy says")),
    ("literal", _("exactly, letter by letter")),
    ("text", _("by meaning")),
    ("number", _("as a number, with room")),
    ("date", _("as a date written as 2026-03-31")),
    ("boolean", _("as yes or no")),
    ("regex", _("by a pattern (regex)")),
    ("set", _("as a list in any order")),
    ("list", _("as a list in this order")),
    ("object", _("as an object")),
    ("any", _("anything that is given")),
)
#: Comparisons in which texts that are not equal may still mean the same.
BY_MEANING = ("auto", "text", "set", "list", "object")
MODES = (
    ("values", _("one of these values")),
    ("ref", _("what an earlier turn returned")),
    ("any", _("any value")),
)
OTHER_FIELD = "other"
_ONE_LINE = 60
_MOST_QUOTED = 40

Errors = dict[str, str]


class FieldError(ValueError):
    """What was typed in one field cannot be read; the message says why and what to write instead."""


def as_typed(text: object) -> str:
    """A text as a browser gives it back: line ends are \\n, and a character that no form carries is U+FFFD."""
    return str(text).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")


class Posted:
    """The fields of a submitted form, without the characters that no database holds."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def text(self, name: str) -> str:
        return as_typed(self._data.get(name, ""))

    def number(self, name: str) -> int:
        """A whole number of a hidden field; -1 where there is none."""
        text = self.text(name)
        return int(text) if text.isdecimal() and len(text) < 7 else -1

    def has(self, name: str) -> bool:
        return name in self._data

    def numbers(self, prefix: str, suffix: str) -> list[int]:
        """The numbers N of all fields named ``<prefix>N<suffix>``, ascending."""
        pattern = re.compile(re.escape(prefix) + r"(\d{1,6})" + re.escape(suffix))
        return sorted({int(found[1]) for name in self._data if (found := pattern.fullmatch(name))})


# --- single values ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ValueRow:
    """One accepted value as it is typed."""

    kind: str = "text"
    text: str = ""

    @classmethod
    def of(cls, value: Any) -> ValueRow:
        if value is None:
            return cls("null", "")
        if isinstance(value, bool):
            return cls("bool", "yes" if value else "no")
        if isinstance(value, str):
            return cls("text", as_typed(value))
        if isinstance(value, int | Decimal):
            return cls("number", jsonio.dumps(value))
        line = jsonio.dumps(value)
        return cls("json", line if len(line) <= _ONE_LINE else jsonio.dumps(value, indent=2))

    @property
    def is_long(self) -> bool:
        return len(self.text) > _ONE_LINE or "\n" in self.text

    @property
    def lines(self) -> int:
        return min(12, max(2, self.text.count("\n") + 1, len(self.text) // 50 + 1))

    def value(self) -> Any:
        """Raises FieldError where the text is not of the chosen kind."""
        if self.kind == "null":
            return None
        if self.kind == "text":
            return self.text
        typed = self.text.strip()
        if self.kind == "bool":
            words = {"yes": True, "true": True, "no": False, "false": False}
            if typed.lower() not in words:
                raise FieldError(say("choose yes or no"))
            return words[typed.lower()]
        try:
            value = jsonio.loads(typed)
        except jsonio.JsonError as error:
            if self.kind == "number":
                raise FieldError(_no_number(typed, _as_number(typed))) from None
            raise FieldError(say("not a list or object: {why}", why=error)) from None
        is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        if self.kind == "number" and not is_number:
            raise FieldError(_no_number(typed, say("write it as 12 or 0.10, or choose another type")))
        if self.kind == "json" and not isinstance(value, list | dict):
            raise FieldError(say("not a list or object; choose the type that it has"))
        return value


def _as_number(text: str) -> str:
    """How to write it: in many languages decimals follow a comma."""
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        number = text.replace(",", ".").removeprefix("+")
        return say("write decimals with a point, such as {number}", number=number)
    return say("write it as 12 or 0.10, or choose text")


def _no_number(text: str, advice: str) -> str:
    if text and len(text) <= _MOST_QUOTED:
        return say("“{text}” is no number; {advice}", text=text, advice=advice)
    if text:
        return say("this is no number; {advice}", advice=advice)
    return say("an empty field is no number; {advice}", advice=advice)


def values_from(rows: list[ValueRow], original: list[Any], place: str, errors: Errors) -> list[Any]:
    """The values of these rows; one that is typed as it was is the very value that it was."""
    known = [(ValueRow.of(value), value) for value in original]
    found = []
    for number, row in enumerate(rows):
        same = next((value for other, value in known if other == row), _NONE)
        try:
            found.append(row.value() if same is _NONE else same)
        except FieldError as error:
            errors[f"{place}-v{number}"] = str(error)
    return found


_NONE = object()


# --- lists of turns and of words --------------------------------------------------------------------------------------


def none_word() -> str:
    """What a field of turns says where something comes from none of them; "none" is understood in every language."""
    return say_in("of no turn", "none")


def is_none(text: str) -> bool:
    return text.strip().lower() in ("none", none_word().lower())


@dataclass(frozen=True, slots=True)
class TurnName:
    """An earlier turn as a form names it."""

    key: str
    number: int
    label: str


@dataclass(frozen=True, slots=True)
class TurnNames:
    """The turns that something of the current one may come from."""

    turns: tuple[TurnName, ...] = ()

    def text_of(self, keys: Any) -> str:
        """Turn ids as numbers, such as "2, 3"; "none" for an empty list."""
        if not isinstance(keys, list):
            return ""
        numbers = {turn.key: str(turn.number) for turn in self.turns}
        return ", ".join(numbers.get(str(key), str(key)) for key in keys) or none_word()

    def keys_of(self, text: str) -> list[str] | None:
        """Turn ids for "2, 3"; None for an empty text. Raises FieldError for a turn that is not there."""
        if not text.strip():
            return None
        if text.strip().lower() in ("none", "nothing", "0", "-", none_word().lower()):
            return []
        by_number = {str(turn.number): turn.key for turn in self.turns}
        keys = {turn.key for turn in self.turns}
        found = []
        for word in re.split(r"[,;\s]+", text.strip()):
            key = by_number.get(word) or (word if word in keys else None)
            if key is None:
                raise FieldError(
                    say("there is no earlier turn {word}; write numbers of earlier turns, such as 2, 3", word=word)
                )
            if key not in found:
                found.append(key)
        return found


def lines_of(values: Any) -> str:
    """Values one a line, as words."""
    return "\n".join(_line(value) for value in values) if isinstance(values, list) else ""


def _line(value: Any) -> str:
    text = value if isinstance(value, str) else jsonio.dumps(value)
    return " ".join(as_typed(text).split("\n")).strip()


def values_of_lines(text: str, original: Any) -> list[Any]:
    """One value a line; a line as it was is the very value that it was, a new one is a text."""
    known = {_line(value): value for value in original} if isinstance(original, list) else {}
    return [known.get(line.strip(), line.strip()) for line in text.split("\n") if line.strip()]


# --- parameters -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ParamRow:
    """One expected parameter as it is typed; where it is stored, ``original`` is its name there, which may be empty."""

    name: str = ""
    original: str = ""
    is_stored: bool = False
    mode: str = "values"
    values: list[ValueRow] = field(default_factory=list)
    is_required: bool = True
    compare: str = ""
    abs: str = ""
    rel: str = ""
    threshold: str | None = ""
    """From which similarity on two values are the same; None where the form did not ask, and what is stored stays."""
    ref: str = ""
    ref_turn: str = ""
    ref_path: str = ""
    sources: str = ""

    @classmethod
    def of(cls, name: str, param: Any, turns: TurnNames) -> ParamRow:
        param = param if isinstance(param, Mapping) else {}
        compare = param.get("compare")
        detailed = compare if isinstance(compare, Mapping) else {"as": compare}
        ref = param.get("ref") if isinstance(param.get("ref"), Mapping) else None
        row = cls(
            name=name,
            original=name,
            is_stored=True,
            mode="ref" if ref is not None else "values" if "value" in param or "values" in param else "any",
            values=[ValueRow.of(value) for value in accepted_values(param)],
            is_required=param.get("required", True) is not False,
            compare=str(detailed.get("as") or ""),
            abs=_number_text(detailed.get("abs")),
            rel=_number_text(detailed.get("rel")),
            threshold=_number_text(detailed.get("threshold")),
            sources=turns.text_of(param.get("from")),
        )
        if ref is not None:
            row.ref_turn, row.ref_path = str(ref.get("turn")), str(ref.get("path"))
            row.ref = ref_token(row.ref_turn, row.ref_path)
        return row

    @classmethod
    def posted(cls, data: Posted, prefix: str) -> ParamRow:
        return cls(
            name=data.text(f"{prefix}-name").strip(),
            original=data.text(f"{prefix}-original"),
            is_stored=data.has(f"{prefix}-stored"),
            mode=data.text(f"{prefix}-mode") or "values",
            values=[
                ValueRow(data.text(f"{prefix}-v{n}-kind") or "text", data.text(f"{prefix}-v{n}-text"))
                for n in data.numbers(f"{prefix}-v", "-kind")
            ],
            is_required=data.has(f"{prefix}-required"),
            compare=data.text(f"{prefix}-compare"),
            abs=data.text(f"{prefix}-abs").strip(),
            rel=data.text(f"{prefix}-rel").strip(),
            threshold=data.text(f"{prefix}-threshold").strip() if data.has(f"{prefix}-threshold") else None,
            ref=data.text(f"{prefix}-ref"),
            ref_turn=data.text(f"{prefix}-ref_turn"),
            ref_path=data.text(f"{prefix}-ref_path").strip(),
            sources=data.text(f"{prefix}-sources").strip(),
        )

    @property
    def is_blank(self) -> bool:
        return not self.name and not self.is_stored and not any(value.text for value in self.values)

    @property
    def shows_details(self) -> bool:
        """Whether something stands in the fields that are folded at first."""
        return bool(self.has_room or self.sources or (self.threshold and self.has_threshold))

    @property
    def has_room(self) -> bool:
        """Whether it is a number that may be a little off."""
        return self.compare == "number" or bool(self.abs or self.rel)

    @property
    def has_threshold(self) -> bool:
        """Whether meaning may decide, so that a threshold of its own counts."""
        return self.compare in BY_MEANING


def accepted_values(param: Mapping[str, Any]) -> list[Any]:
    if "value" in param:
        return [param["value"]]
    values = param.get("values")
    return list(values) if isinstance(values, list) else []


def ref_token(turn: str, path: str) -> str:
    """A field of a turn's result as one form value."""
    return json.dumps([turn, path])


def _number_text(value: Any) -> str:
    return "" if value is None else jsonio.dumps(value)


def param_from(row: ParamRow, stored: Any, turns: TurnNames, place: str, errors: Errors) -> dict[str, Any]:
    """The parameter that a row describes: the stored one, changed only where the row says something else."""
    stored = stored if isinstance(stored, Mapping) else {}
    was = ParamRow.of(row.original, stored, turns)
    param = dict(stored)
    if (row.mode, row.values) != (was.mode, was.values) or not stored:
        _set_values(param, row, stored, place, errors)
    if row.mode == "ref":
        _set_ref(param, row, was, place, errors)
    else:
        param.pop("ref", None)
        _set_compare(param, row=row, was=was, stored=stored, place=place, errors=errors)
    if row.is_required != was.is_required:
        if row.is_required:
            param.pop("required", None)
        else:
            param["required"] = False
    if row.sources != was.sources:
        set_sources(param, row.sources, turns, place, errors)
    return param


def _set_values(param: dict[str, Any], row: ParamRow, stored: Mapping[str, Any], place: str, errors: Errors) -> None:
    param.pop("value", None)
    param.pop("values", None)
    if row.mode == "any":
        param.setdefault("compare", "any")
        return
    if row.mode != "values":
        return
    if not row.values:
        errors[f"{place}-mode"] = say("say which value is expected, or that any value will do")
        return
    values = values_from(row.values, accepted_values(stored), place, errors)
    if len(values) == 1 and "values" not in stored:
        param["value"] = values[0]
    else:
        param["values"] = values


def _set_ref(param: dict[str, Any], row: ParamRow, was: ParamRow, place: str, errors: Errors) -> None:
    param.pop("compare", None)
    turn, path = row.ref_turn, row.ref_path
    if row.ref and row.ref != OTHER_FIELD:
        turn, path = _ref_parts(row.ref)
    if not turn or not path:
        errors[f"{place}-ref"] = say("choose the turn and the field of its result")
    elif (turn, path) != (was.ref_turn, was.ref_path) or "ref" not in param:
        param["ref"] = {"turn": turn, "path": path if path.startswith("$") else f"$.{path}"}


def _ref_parts(token: str) -> tuple[str, str]:
    try:
        turn, path = json.loads(token)
    except ValueError:
        return "", ""
    return str(turn), str(path)


def _set_compare(
    param: dict[str, Any], *, row: ParamRow, was: ParamRow, stored: Mapping[str, Any], place: str, errors: Errors
) -> None:
    compare = row.compare
    if row.mode == "any":
        compare = "any"
    elif was.mode == "any" and compare == "any":
        compare = ""
    threshold = was.threshold if row.threshold is None else row.threshold
    if (compare, row.abs, row.rel, threshold) == (was.compare, was.abs, was.rel, was.threshold):
        return
    detailed = stored.get("compare")
    known = ("as", "abs", "rel") if threshold == was.threshold else ("as", "abs", "rel", "threshold")
    kept = {
        key: value
        for key, value in (detailed.items() if isinstance(detailed, Mapping) and compare == was.compare else ())
        if key not in known
    }
    if compare == "number":
        for name, text in (("abs", row.abs), ("rel", row.rel)):
            if text:
                _put(kept, name, partial(non_negative, text), f"{place}-{name}", errors)
    if compare in BY_MEANING and threshold and "threshold" not in kept:
        _put(kept, "threshold", partial(share, threshold), f"{place}-threshold", errors)
    if not compare:
        param.pop("compare", None)
    elif kept:
        param["compare"] = {"as": compare, **kept}
    else:
        param["compare"] = compare


def non_negative(text: str) -> Any:
    value = ValueRow("number", text).value()
    if value < 0:
        raise FieldError(say("a number that is not negative, such as 0.5"))
    return value


def share(text: str) -> Any:
    value = ValueRow("number", text).value()
    if not 0 <= value <= 1:
        raise FieldError(say("a number from 0 to 1, such as 0.8"))
    return value


def _put(target: dict[str, Any], key: str, read: Callable[[], Any], place: str, errors: Errors) -> None:
    try:
        target[key] = read()
    except FieldError as error:
        errors[place] = str(error)


def set_sources(part: dict[str, Any], text: str, turns: TurnNames, place: str, errors: Errors) -> None:
    """Put what was typed under "comes from" into a parameter or claim."""
    try:
        keys = turns.keys_of(text)
    except FieldError as error:
        errors[f"{place}-sources"] = str(error)
        return
    if keys is None:
        part.pop("from", None)
    else:
        part["from"] = keys


def params_from(rows: Iterable[ParamRow], stored: Any, turns: TurnNames, prefix: str, errors: Errors) -> dict[str, Any]:
    """All parameters, in the order of their rows. A name twice, or none, is an error beside its row."""
    stored = stored if isinstance(stored, Mapping) else {}
    params: dict[str, Any] = {}
    for number, row in enumerate(rows):
        place = f"{prefix}{number}"
        if row.is_blank:
            continue
        # A stored name may be empty or end in a space; only a name that was changed is held to having letters.
        name = row.original if row.is_stored and row.name == row.original.strip() else row.name
        if not name and name not in stored:
            errors[f"{place}-name"] = say("the parameter has no name")
        elif name in params:
            errors[f"{place}-name"] = say("{name} stands here twice", name=name)
        params[name] = param_from(row, stored.get(row.original) if row.is_stored else None, turns, place, errors)
    return params
