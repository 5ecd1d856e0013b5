"""What a tool's schema says of a form as it is typed: a few words beside the field, never a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.forms.goldens import TurnForm, WholeForm
from annotations.forms.values import FieldError, ParamRow
from annotations.schema_checks import Rules, against_whole, rules_of

#: Comparisons under which a value is no value of the tool's.
_OTHERWISE = frozenset({"regex", "any"})


@dataclass(slots=True)
class Hints:
    """Sentences by their place: ``p0`` is a parameter, ``p0-v1`` one of its values, ``call`` the call.

    ``places`` are all that the form has, so that a hint goes once it does not hold any more.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)

    def put(self, place: str, texts: Sequence[str]) -> None:
        self.places.append(place)
        if texts:
            self.texts[place] = [*texts]


def turn_hints(form: TurnForm, tools: Any) -> Hints:
    """The hints of a turn's form; of a reply there are none."""
    hints = Hints()
    if form.is_call:
        _call(hints, form.params, form.prefix, "call", rules_of(tools, form.tool), is_whole=True)
    return hints


def whole_hints(form: WholeForm, tools: Any) -> Hints:
    """The hints of forbidden calls, and of calls that must have been made."""
    hints = Hints()
    for letter, rows in (("f", form.forbidden), ("o", form.outcome)):
        for number, row in enumerate(rows):
            if letter == "f" or row.kind == "called":
                place = f"{letter}{number}"
                _call(hints, row.params, f"{place}-p", f"{place}-call", rules_of(tools, row.tool), is_whole=False)
    return hints


def _call(hints: Hints, rows: Sequence[ParamRow], prefix: str, call: str, rules: Rules, *, is_whole: bool) -> None:
    """``is_whole``: everything that is called with stands here, so that what is missing will be missing."""
    known: dict[str, Any] = {}
    for number, row in enumerate(rows):
        place = f"{prefix}{number}"
        is_required = row.is_required or not is_whole
        hints.put(place, rules.against_name(row.name, is_required=is_required))
        values = _values(hints, row, place, rules)
        if row.name:
            known[row.name] = {"values": values} if values is not None else {}
    texts = against_whole(rules, known) if is_whole else [rules.problem] if rules.problem else []
    hints.put(call, texts)


def _values(hints: Hints, row: ParamRow, place: str, rules: Rules) -> list[Any] | None:
    """The accepted values; None where they are not known beforehand, or not readable yet."""
    if row.mode != "values":
        return None
    found: list[Any] | None = []
    for number, typed in enumerate(row.values):
        here = f"{place}-v{number}"
        if not typed.text.strip() and typed.kind != "null":
            hints.put(here, [])  # nothing is typed yet
            found = None
            continue
        try:
            value = typed.value()
        except FieldError as error:
            hints.put(here, [str(error)])
            found = None
            continue
        hints.put(here, [] if row.compare in _OTHERWISE else rules.against_value(row.name, value))
        if found is not None:
            found.append(value)
    return None if row.compare in _OTHERWISE else found
