"""The forms of a golden: one turn, and what holds for the whole conversation.

A form is read from the stored JSON or from what was posted, drawn by a template, and builds JSON again. What it does
not show it does not touch: it changes a copy of the stored turn only where a field says something else than before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotations import claims
from annotations.forms.values import (
    COMPARISONS,
    MODES,
    VALUE_KINDS,
    Errors,
    FieldError,
    ParamRow,
    Posted,
    TurnNames,
    ValueRow,
    as_typed,
    is_none,
    lines_of,
    non_negative,
    params_from,
    ref_token,
    set_sources,
    values_from,
    values_of_lines,
)
from annotations.tool_schemas import SchemaField
from evaluation.aem.language import say
from evaluation.formats import jsonio

DEPENDENCY_KINDS = (
    ("state", _("works on what it did")),
    ("data", _("uses its result")),
    ("control", _("happens because of it")),
)
OUTCOME_KINDS = (
    ("said", _("some reply says")),
    ("not_said", _("no reply says")),
    ("called", _("a call is made")),
    ("state", _("the final state holds")),
    ("statement", _("a person judges")),
)


@dataclass(slots=True)
class ClaimRow:
    """One claim as it is typed; ``number`` is its place among the stored ones, or -1 for a new one."""

    number: int = -1
    text: str = ""
    contains: str = ""
    excludes: str = ""
    is_required: bool = True
    sources: str = ""

    @property
    def is_blank(self) -> bool:
        return self.number < 0 and not (self.text.strip() or self.contains.strip() or self.excludes.strip())


@dataclass(slots=True)
class ProposalRow:
    """A claim that the reply's text seems to make; none before somebody takes it. ``was`` is how it stands there."""

    was: str
    text: str
    is_taken: bool = True
    is_required: bool = True


@dataclass(slots=True)
class DependencyRow:
    turn: str = ""
    kind: str = "state"


#: Buttons that change the form and save nothing.
FORM_BUTTONS = frozenset(
    {
        "add-param",
        "drop-param",
        "add-value",
        "drop-value",
        "take-ref",
        "take-value",
        "add-claim",
        "drop-claim",
        "propose-claims",
        "take-claims",
        "drop-proposal",
        "drop-proposals",
        "add-dependency",
        "drop-dependency",
        "render",
    }
)


class TurnForm:
    """One golden turn."""

    value_kinds = VALUE_KINDS
    comparisons = COMPARISONS
    modes = MODES
    dependency_kinds = DEPENDENCY_KINDS

    def __init__(
        self, stored: dict[str, Any], turns: TurnNames, data: Mapping[str, Any] | None = None, *, prefix: str = "p"
    ) -> None:
        self.stored = stored
        self.turns = turns
        self.prefix = prefix
        self.errors: Errors = {}
        self.proposals: list[ProposalRow] = []
        #: Whether claims were asked for and there are none to propose.
        self.has_no_proposals = False
        self.is_user = "user" in stored
        self.is_call = "tool" in stored and not self.is_user
        self._read()
        self._was = {name: getattr(self, name) for name in self._simple}
        self._dependencies_were = list(self.dependencies)
        self._mode_was = self.depends_mode
        self._claims_were = list(self.claims)
        if data is not None:
            self._read_posted(Posted(data))

    _simple = ("text", "tool", "action", "group", "weight", "is_optional", "is_critical", "extra", "allowed_extra")

    def _read(self) -> None:
        stored = self.stored
        self.text = as_typed(stored.get("user" if self.is_user else "response", ""))
        self.tool = str(stored.get("tool", ""))
        self.action = "" if stored.get("action") is None else str(stored["action"])
        self.params = [ParamRow.of(name, param, self.turns) for name, param in _items(stored.get("params"))]
        self.extra = stored.get("extra") == "allow"
        self.allowed_extra = lines_of(stored.get("allowed_extra"))
        self.claims = [
            ClaimRow(
                number=number,
                text=as_typed(claim.get("text") or ""),
                contains=lines_of(claim.get("contains")),
                excludes=lines_of(claim.get("excludes")),
                is_required=claim.get("required", True) is not False,
                sources=self.turns.text_of(claim.get("from")),
            )
            for number, claim in enumerate(_list(stored.get("claims")))
            if isinstance(claim, Mapping)
        ]
        self.is_optional = stored.get("optional") is True
        self.is_critical = stored.get("critical") is True
        self.group = "" if stored.get("group") is None else str(stored["group"])
        self.weight = "" if stored.get("weight") is None else jsonio.dumps(stored["weight"])
        self.depends_mode = "only" if stored.get("depends_on") is not None else "usual"
        self.dependencies = [_dependency(edge) for edge in _list(stored.get("depends_on"))]

    def _read_posted(self, data: Posted) -> None:
        self.text = data.text("text")
        self.tool = data.text("tool").strip()
        self.action = data.text("action").strip()
        self.params = [ParamRow.posted(data, f"{self.prefix}{n}") for n in data.numbers(self.prefix, "-name")]
        self.extra = data.has("extra")
        self.allowed_extra = data.text("allowed_extra")
        self.claims = [
            ClaimRow(
                number=data.number(f"c{n}-number"),
                text=data.text(f"c{n}-text"),
                contains=data.text(f"c{n}-contains"),
                excludes=data.text(f"c{n}-excludes"),
                is_required=data.has(f"c{n}-required"),
                sources=data.text(f"c{n}-sources").strip(),
            )
            for n in data.numbers("c", "-number")
        ]
        self.proposals = [
            ProposalRow(
                was=data.text(f"q{n}-was"),
                text=data.text(f"q{n}-text"),
                is_taken=data.has(f"q{n}-take"),
                is_required=data.has(f"q{n}-required"),
            )
            for n in data.numbers("q", "-was")
        ]
        self.is_optional = data.has("optional")
        self.is_critical = data.has("critical")
        self.group = data.text("group").strip()
        self.weight = data.text("weight").strip()
        self.depends_mode = data.text("depends_mode") or "usual"
        self.dependencies = [
            DependencyRow(data.text(f"d{n}-turn"), data.text(f"d{n}-kind") or "state")
            for n in data.numbers("d", "-turn")
        ]

    # --- changes without saving ---------------------------------------------------------------------------------------

    def apply(self, do: str, schema: Iterable[SchemaField] = (), *, language: str = "") -> bool:
        """Do what a button asks for that only changes the form, such as ``add-value:0``; False for other buttons.

        ``language`` is that of the conversation, for the reading of its texts.
        """
        name, _, rest = do.partition(":")
        if name not in FORM_BUTTONS:
            return False
        numbers = [int(part) for part in rest.split(":") if _is_place(part)]
        if name == "add-param":
            self._add_param(rest, schema)
        elif name == "take-value":
            self._take_value(rest, schema)
        elif name == "add-claim":
            self.claims.append(ClaimRow(text=rest))
        elif name == "propose-claims":
            self._propose(language)
        elif name == "take-claims":
            self._take_proposals()
        elif name == "drop-proposals":
            self.proposals = []
        elif name == "add-dependency":
            self.depends_mode = "only"
            self.dependencies.append(DependencyRow())
        elif name in ("add-value", "drop-value", "take-ref"):
            for row in self.params[numbers[0] : numbers[0] + 1] if numbers else []:
                _change_param(row, name, rest.partition(":")[2])
        elif name.startswith("drop-"):
            lists: dict[str, list[Any]] = {
                "drop-param": self.params,
                "drop-claim": self.claims,
                "drop-proposal": self.proposals,
                "drop-dependency": self.dependencies,
            }
            _drop(lists[name], numbers)
        for row in self.params:
            if row.mode == "values" and not row.values:
                row.values.append(ValueRow())
        return True

    def _take_value(self, choice: str, schema: Iterable[SchemaField]) -> None:
        """Say that something here is, or comes from, what an earlier turn returned.

        ``choice`` is a JSON list of place, turn and path. The place is ``p`` or ``c`` with the number of a parameter or
        claim, ``+`` with the name of a parameter that is not there yet, or empty for the step as a whole.
        """
        place, turn, path = _three(choice)
        number = int(place[1:]) if _is_place(place[1:]) else -1
        if place.startswith("+") and self.is_call and path:
            self._add_param(place[1:], schema)
            place, number = "p", len(self.params) - 1
        if place.startswith("p") and 0 <= number < len(self.params):
            row = self.params[number]
            row.mode, row.ref = "ref", ref_token(turn, path)
        elif place.startswith("c") and 0 <= number < len(self.claims):
            claim = self.claims[number]
            words = self.turns.text_of([turn])
            given = [] if not claim.sources.strip() or is_none(claim.sources) else [claim.sources.strip()]
            if words not in re.split(r"[,;\s]+", claim.sources):
                claim.sources = ", ".join([*given, words])
        elif not place and turn and not self.is_user:
            self.depends_mode = "only"
            whole = DependencyRow(turn, "data")
            if whole not in self.dependencies:
                self.dependencies.append(whole)

    def _propose(self, language: str) -> None:
        """Read the claims out of the reply's text; what is a claim already is not proposed again."""
        if self.is_call or self.is_user:
            return
        found = claims.proposals_of(self.text, [row.text for row in self.claims], language=language)
        self.proposals = [ProposalRow(claim.text, claim.text, is_required=claim.is_required) for claim in found]
        self.has_no_proposals = not found

    def _take_proposals(self) -> None:
        """Put the ticked proposals among the claims, still unsaved."""
        there = [row.text for row in self.claims]
        taken = [row for row in self.proposals if row.is_taken and row.text.strip()]
        for row in taken:
            if not claims.is_known(row.text, there):
                self.claims.append(ClaimRow(text=row.text.strip(), is_required=row.is_required))
                there.append(row.text)
        self.proposals = [row for row in self.proposals if not row.is_taken]

    def _add_param(self, name: str, schema: Iterable[SchemaField]) -> None:
        known = next((prop for prop in schema if prop.name == name), None)
        kind = known.kind if known else "text"
        is_required = known.is_required if known else True
        self.params.append(ParamRow(name=name, values=[ValueRow(kind)], is_required=is_required))

    # --- building -----------------------------------------------------------------------------------------------------

    def is_valid(self) -> bool:
        self.errors = {}
        self.body()
        return not self.errors

    def body(self) -> dict[str, Any]:
        """The turn that the form describes; what cannot be read is in ``errors``."""
        body = dict(self.stored)
        self._build_step(body)
        if self.is_user:
            self._set(body, "user", "text")
        elif self.is_call:
            self._build_call(body)
        else:
            self._set(body, "response", "text")
            self._build_claims(body)
        return body

    def _changed(self, name: str) -> bool:
        was = self._was[name]
        now = getattr(self, name)
        return bool(now != (was.strip() if isinstance(was, str) and name in _STRIPPED else was))

    def _set(self, body: dict[str, Any], key: str, name: str) -> None:
        if self._changed(name):
            body[key] = getattr(self, name)

    def _build_step(self, body: dict[str, Any]) -> None:
        for key, name in (("optional", "is_optional"), ("critical", "is_critical")):
            if self._changed(name):
                _flag(body, key, is_set=getattr(self, name))
        if self._changed("group"):
            _put_or_drop(body, "group", self.group or None)
        if self._changed("weight"):
            try:
                _put_or_drop(body, "weight", non_negative(self.weight) if self.weight else None)
            except FieldError as error:
                self.errors["weight"] = str(error)
        self._build_dependencies(body)

    def _build_dependencies(self, body: dict[str, Any]) -> None:
        rows = [row for row in self.dependencies if row.turn]
        if (self.depends_mode, rows) == (self._mode_was, self._dependencies_were):
            return
        if self.depends_mode != "only":
            body.pop("depends_on", None)
            return
        known = {turn.key for turn in self.turns.turns}
        stored = _list(self.stored.get("depends_on"))
        edges: list[Any] = []
        for number, row in enumerate(rows):
            if row.turn not in known:
                self.errors[f"d{number}"] = say("choose an earlier turn")
            same = next((edge for edge in stored if _dependency(edge) == row), None)
            edges.append(
                same if same is not None else row.turn if row.kind == "state" else {"turn": row.turn, "kind": row.kind}
            )
        if len({row.turn for row in rows}) != len(rows) and len({str(edge) for edge in edges}) != len(edges):
            self.errors["d0"] = say("the same turn stands here twice")
        body["depends_on"] = edges

    def _build_call(self, body: dict[str, Any]) -> None:
        if not self.tool:
            self.errors["tool"] = say("say which tool is to be called")
        self._set(body, "tool", "tool")
        if self._changed("action"):
            _put_or_drop(body, "action", self.action or None)
        params = params_from(self.params, self.stored.get("params"), self.turns, self.prefix, self.errors)
        if params or self.stored.get("params") is not None:
            body["params"] = params
        if self._changed("extra"):
            _put_or_drop(body, "extra", "allow" if self.extra else None)
        if self._changed("allowed_extra"):
            names = values_of_lines(self.allowed_extra, self.stored.get("allowed_extra"))
            _put_or_drop(body, "allowed_extra", names or None)

    def _build_claims(self, body: dict[str, Any]) -> None:
        rows = [row for row in self.claims if not row.is_blank]
        if rows == self._claims_were:
            return
        stored = _list(self.stored.get("claims"))
        built = []
        for number, row in enumerate(self.claims):
            if row.is_blank:
                continue
            claim = dict(stored[row.number]) if 0 <= row.number < len(stored) else {}
            was = next((other for other in self._claims_were if other.number == row.number), ClaimRow())
            built.append(self._claim(row, was, claim, f"c{number}"))
        _require_own_ids(built)
        _put_or_drop(body, "claims", built or None)

    def _claim(self, row: ClaimRow, was: ClaimRow, claim: dict[str, Any], place: str) -> dict[str, Any]:
        if row.text != was.text:
            _put_or_drop(claim, "text", row.text.strip() or None)
        for key in ("contains", "excludes"):
            if getattr(row, key) != getattr(was, key):
                _put_or_drop(claim, key, values_of_lines(getattr(row, key), claim.get(key)) or None)
        if row.is_required != was.is_required:
            _put_or_drop(claim, "required", None if row.is_required else False)
        if row.sources != was.sources:
            set_sources(claim, row.sources, self.turns, place, self.errors)
        if not (claim.get("text") or claim.get("contains") or claim.get("excludes")):
            self.errors[f"{place}-text"] = say("say what must be said, or take the claim out")
        return claim

    def add_refusal(self, reason: str, where: str) -> None:
        """Put what the engine complained about beside the field that it names."""
        self.errors[self._place_of(where)] = reason

    def _place_of(self, where: str) -> str:
        for number, row in enumerate(self.params):
            for name in (row.name, row.original):
                if where.startswith((f"params.{name}.", f"params[{jsonio.dumps(name)}]")) or where == f"params.{name}":
                    return f"{self.prefix}{number}-mode"
        for name in ("weight", "group", "tool", "action"):
            if where.startswith(name):
                return name
        if where.startswith("claims["):
            return f"c{where[7:].split(']', maxsplit=1)[0]}-text"
        return "d0" if where.startswith("depends_on") else ""


_STRIPPED = frozenset({"tool", "action", "group", "weight"})


def _is_place(text: str) -> bool:
    """Whether a button's value names a place in a list; thousands of digits do not."""
    return text.isdecimal() and len(text) < 6


def _three(text: str) -> tuple[str, str, str]:
    """A JSON list of three texts; empty ones where it is something else."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or len(found) != 3 or not all(isinstance(part, str) for part in found):
        return "", "", ""
    return found[0], found[1], found[2]


def _require_own_ids(claims: list[dict[str, Any]]) -> None:
    """Give new claims an id of their own where others have one: the default ids count positions."""
    if not any("id" in claim for claim in claims):
        return
    taken = {str(claim["id"]) for claim in claims if "id" in claim}
    number = 1
    for claim in claims:
        if "id" not in claim:
            while f"claim{number}" in taken:
                number += 1
            claim["id"] = f"claim{number}"
            taken.add(claim["id"])


def _flag(body: dict[str, Any], key: str, *, is_set: bool) -> None:
    if is_set:
        body[key] = True
    else:
        body.pop(key, None)


def _put_or_drop(body: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        body.pop(key, None)
    else:
        body[key] = value


def _change_param(row: ParamRow, name: str, rest: str) -> None:
    if name == "take-ref":
        row.mode, row.ref = "ref", rest
    elif name == "drop-value":
        _drop(row.values, [int(rest)] if _is_place(rest) else [])
    else:
        row.mode = "values"
        row.values.append(ValueRow(row.values[-1].kind if row.values else "text"))


def _drop(rows: list[Any], numbers: list[int]) -> None:
    if numbers and numbers[0] < len(rows):
        del rows[numbers[0]]


def _dependency(edge: Any) -> DependencyRow:
    if isinstance(edge, Mapping):
        return DependencyRow(str(edge.get("turn", "")), str(edge.get("kind", "state")))
    return DependencyRow(str(edge), "state")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, Mapping) else []


# --- the whole conversation -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class CallRow:
    """A forbidden call, or an outcome: a row with parameters of its own."""

    number: int = -1
    kind: str = ""
    tool: str = ""
    action: str = ""
    contains: str = ""
    times: str = ""
    path: str = ""
    text: str = ""
    value: ValueRow = field(default_factory=lambda: ValueRow("text", ""))
    has_value: bool = False
    params: list[ParamRow] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return self.number < 0 and not any((self.tool, self.contains.strip(), self.path, self.text.strip()))


class WholeForm:
    """What must never happen, what must have come out in the end, and a comment for the reviewer."""

    value_kinds = VALUE_KINDS
    comparisons = COMPARISONS
    modes = MODES
    outcome_kinds = OUTCOME_KINDS

    def __init__(self, forbidden: Any, outcome: Any, comment: str, data: Mapping[str, Any] | None = None) -> None:
        self._forbidden, self._outcome = _list(forbidden), _list(outcome)
        self.comment = comment
        self.errors: Errors = {}
        self.turns = TurnNames()
        self.forbidden = [_call_row(n, item) for n, item in enumerate(self._forbidden)]
        self.outcome = [_call_row(n, item) for n, item in enumerate(self._outcome)]
        self._were = {"f": list(self.forbidden), "o": list(self.outcome)}
        self.forbidden_body, self.outcome_body = self._forbidden, self._outcome
        if data is not None:
            posted = Posted(data)
            self.forbidden = [_posted_call(posted, f"f{n}") for n in posted.numbers("f", "-number")]
            self.outcome = [_posted_call(posted, f"o{n}") for n in posted.numbers("o", "-number")]
            self.comment = posted.text("comment")

    def apply(self, do: str) -> bool:
        """Do what a button asks for that only changes the form; False for other buttons."""
        name, _, rest = do.partition(":")
        if name not in ("add", "drop", "add-param", "drop-param", "render"):
            return False
        which, _, rest = rest.partition(":")
        rows = self.forbidden if which == "f" else self.outcome
        numbers = [int(part) for part in rest.split(":") if _is_place(part)]
        if name == "add":
            rows.append(CallRow(kind=rest))
        elif name == "drop":
            _drop(rows, numbers)
        elif numbers and numbers[0] < len(rows):
            params = rows[numbers[0]].params
            if name == "add-param":
                params.append(ParamRow(values=[ValueRow()]))
            else:
                _drop(params, numbers[1:])
        return True

    def is_valid(self) -> bool:
        self.errors = {}
        self.forbidden_body = self._build("f", self.forbidden, self._forbidden)
        self.outcome_body = self._build("o", self.outcome, self._outcome)
        return not self.errors

    def _build(self, letter: str, rows: list[CallRow], stored: list[Any]) -> list[Any]:
        found = []
        for number, row in enumerate(rows):
            if row.is_blank:
                continue
            was = self._were[letter][row.number] if 0 <= row.number < len(stored) else CallRow(kind=row.kind)
            body = dict(stored[row.number]) if 0 <= row.number < len(stored) else {}
            if row == was:
                found.append(body)
                continue
            if letter == "o":
                body["kind"] = row.kind
            self._build_row(row, was, body, f"{letter}{number}", is_call=letter == "f" or row.kind == "called")
            found.append(body)
        return found

    def _build_row(self, row: CallRow, was: CallRow, body: dict[str, Any], place: str, *, is_call: bool) -> None:
        if is_call:
            self._build_call(row, was, body, place)
        elif row.kind in ("said", "not_said"):
            if row.contains != was.contains:
                body["contains"] = values_of_lines(row.contains, body.get("contains"))
            if not body.get("contains"):
                self.errors[place] = say("say which values, one a line")
        elif row.kind == "state":
            self._build_state(row, was, body, place)
        else:
            body["text"] = row.text.strip()
            if not body["text"]:
                self.errors[place] = say("say what is to be judged")

    def _build_call(self, row: CallRow, was: CallRow, body: dict[str, Any], place: str) -> None:
        if not row.tool:
            self.errors[place] = say("say which tool")
        for key in ("tool", "action"):
            if getattr(row, key) != getattr(was, key):
                _put_or_drop(body, key, getattr(row, key) or None)
        if row.times != was.times:
            try:
                _put_or_drop(body, "times", non_negative(row.times) if row.times else None)
            except FieldError as error:
                self.errors[place] = say("how often: {why}", why=error)
        params = params_from(row.params, body.get("params"), self.turns, f"{place}-p", self.errors)
        if params or body.get("params") is not None:
            body["params"] = params

    def _build_state(self, row: CallRow, was: CallRow, body: dict[str, Any], place: str) -> None:
        if row.path != was.path:
            body["path"] = row.path if row.path.startswith("$") else f"$.{row.path}"
        if not row.path:
            self.errors[place] = say("say which field, such as orders[0].status")
        if (row.has_value, row.value) != (was.has_value, was.value):
            stored = body.pop("values", None)
            body.pop("value", None)
            if row.has_value:
                found = values_from([row.value], stored or [], place, self.errors)
                if found:
                    body["value"] = found[0]
            elif "compare" in body:
                del body["compare"]


def _call_row(number: int, item: Any) -> CallRow:
    item = item if isinstance(item, Mapping) else {}
    values = [item["value"]] if "value" in item else _list(item.get("values"))
    return CallRow(
        number=number,
        kind=str(item.get("kind", "")),
        tool=str(item.get("tool") or ""),
        action=str(item.get("action") or ""),
        contains=lines_of(item.get("contains")),
        times=_text(item.get("times")),
        path=str(item.get("path") or ""),
        text=as_typed(item.get("text") or ""),
        value=ValueRow.of(values[0] if len(values) == 1 else values) if values else ValueRow(),
        has_value=bool(values),
        params=[ParamRow.of(name, param, TurnNames()) for name, param in _items(item.get("params"))],
    )


def _posted_call(data: Posted, prefix: str) -> CallRow:
    return CallRow(
        number=data.number(f"{prefix}-number"),
        kind=data.text(f"{prefix}-kind"),
        tool=data.text(f"{prefix}-tool").strip(),
        action=data.text(f"{prefix}-action").strip(),
        contains=data.text(f"{prefix}-contains"),
        times=data.text(f"{prefix}-times").strip(),
        path=data.text(f"{prefix}-path").strip(),
        text=data.text(f"{prefix}-text"),
        value=ValueRow(data.text(f"{prefix}-value-kind") or "text", data.text(f"{prefix}-value-text")),
        has_value=data.has(f"{prefix}-has_value"),
        params=[ParamRow.posted(data, f"{prefix}-p{n}") for n in data.numbers(f"{prefix}-p", "-name")],
    )


def _text(value: Any) -> str:
    return "" if value is None else jsonio.dumps(value)
