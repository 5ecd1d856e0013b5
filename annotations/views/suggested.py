"""Suggestions beside a turn's form: what is shown, and what accepting or refusing one does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from annotations import suggesting
from annotations.forms.goldens import TurnForm
from annotations.forms.values import ParamRow, ValueRow, ref_token
from annotations.models import GoldTurn, SuggestionState, TurnKind
from annotations.sentences import path_words
from annotations.services import goldens, suggestions
from annotations.suggesting import Offer, Result, Sources
from annotations.words import value_text
from evaluation.aem.language import say
from evaluation.formats import jsonio

if TYPE_CHECKING:
    from annotations.views.workbench import Desk

YES, NO = "suggest-yes", "suggest-no"
_KEYS = 9
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Choice:
    """A button that accepts; ``key`` is its digit, empty beyond nine."""

    value: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One open suggestion as a page shows it."""

    offer: Offer
    words: str
    choices: tuple[Choice, ...]
    refuse: str
    is_first: bool
    """The key that refuses is its: it acts on the first one that is open."""


@dataclass(frozen=True, slots=True)
class ForTurn:
    """The suggestions of a turn by what they stand beside: a parameter's name, or "" for the turn as a whole."""

    by_field: Mapping[str, list[Shown]] = field(default_factory=dict)

    @property
    def about_turn(self) -> list[Shown]:
        return self.by_field.get("", [])

    def of(self, name: str) -> list[Shown]:
        return self.by_field.get(name, []) if name else []


def for_turn(desk: Desk, turn: GoldTurn, form: TurnForm, body: Mapping[str, Any]) -> ForTurn:
    """What is suggested for a turn as it is typed, without what was decided already."""
    if not desk.may_edit or form.is_user:
        return ForTurn()
    numbers = {other.key: other.turn_no for other in desk.turns if other.path == turn.path and other.turn_no}
    found: dict[str, list[Shown]] = {}
    digit = 0
    names = [row.name for row in form.params]
    offers = open_offers(desk, turn, body)
    offers.sort(key=lambda offer: names.index(offer.field) if offer.field in names else -1)
    for place, offer in enumerate(offers):
        choices = []
        for number, label in enumerate(_labels(offer, numbers)):
            digit += 1
            key = str(digit) if digit <= _KEYS else ""
            choices.append(Choice(f"{YES}:{offer.fingerprint}:{number}", label, key))
        # What stands in no row any more, such as a parameter that is not judged, is shown with the turn.
        where = offer.field if offer.field in names else ""
        words = _way_words(turn.path) if offer.kind == "path" else _words(offer)  # it may be renamed
        shown = Shown(offer, words, tuple(choices), f"{NO}:{offer.fingerprint}", is_first=place == 0)
        found.setdefault(where, []).append(shown)
    return ForTurn(found)


def open_offers(desk: Desk, turn: GoldTurn, body: Mapping[str, Any]) -> list[Offer]:
    """Suggestions that are open, as far as the turn as it is typed leaves them anything to say."""
    rows = {row.fingerprint: row for row in desk.golden.suggestions.filter(turn_pk=turn.pk)}
    found = [
        Offer(row.kind, row.source, row.field, row.proposal, row.was, row.why)
        for row in rows.values()
        if row.source == "runs"
        and row.state == SuggestionState.OPEN
        and suggesting.holds(row.kind, row.field, row.proposal, body)
    ]
    for offer in suggestions.offers_for(desk.golden, turn, body, _sources(desk, turn)):
        row = rows.get(offer.fingerprint)
        # A value that is typed may come from a result at once; of what is stored only what was made for it is shown.
        is_new = row is None and offer.source == "result" and suggesting.says_otherwise(offer.field, turn.body, body)
        if is_new or (row is not None and row.state in (SuggestionState.OPEN, SuggestionState.WITHDRAWN)):
            found.append(offer)
    return found


def _sources(desk: Desk, turn: GoldTurn) -> Sources:
    sources = Sources()
    if desk.digest is None or turn.kind != TurnKind.ACTION:
        return sources
    for other in desk.turns:
        index = other.observed_index
        is_before = other.path == turn.path and other.position < turn.position and other.kind == TurnKind.ACTION
        if is_before and index is not None and index in desk.digest.fields:
            sources.add(Result(other.key, desk.digest.fields[index], str(other.body.get("group") or "")))
    return sources


# --- in words ---------------------------------------------------------------------------------------------------------


def _labels(offer: Offer, numbers: Mapping[str, int]) -> list[str]:
    """What the accepting buttons say."""
    if offer.kind == "source":
        return [
            say(
                "turn {number} · {field}",
                number=numbers.get(place["turn"], place["turn"]),
                field=path_words(place["path"]),
            )
            for place in offer.proposal
        ]
    return [say("Keep") if offer.is_applied else say("Accept")]


def _words(offer: Offer) -> str:
    """What is suggested, as a sentence says it."""
    return _SENTENCES[offer.kind](offer)


def _listed(values: Any) -> str:
    shown = [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in map(value_text, values)]
    return reduce(lambda one, other: say("{one} or {other}", one=one, other=other), shown) if shown else ""


def _way_words(path: str) -> str:
    return say("this way, “{path}”, is right too", path=path)


def _typed(offer: Offer) -> str:
    values = {"field": offer.field, "values": _listed(offer.proposal)}
    first = offer.proposal[0]
    if isinstance(first, bool):
        return say("{field} is {values}, as yes or no", **values)
    if isinstance(first, str):
        return say("{field} is {values}, as text", **values)
    if isinstance(first, list | dict):
        return say("{field} is {values}, as a list or object", **values)
    return say("{field} is {values}, as a number", **values)


_SENTENCES: dict[str, Callable[[Offer], str]] = {
    "source": lambda offer: say("{field} comes from", field=offer.field),
    "param_optional": lambda offer: say("{field} is optional", field=offer.field),
    "param_required": lambda offer: say("{field} is required", field=offer.field),
    "type": _typed,
    "choices": lambda offer: say("{field} is {values}", field=offer.field, values=_listed(offer.proposal)),
    "step_optional": lambda offer: say("this step is optional"),
    "values": lambda offer: say("{field} may be {values}", field=offer.field, values=_listed(offer.proposal)),
    "open": lambda offer: say("{field} may be anything", field=offer.field),
    "order": lambda offer: say("this step is free in its order, in “{group}”", group=offer.proposal),
    "claims": lambda offer: say("these claims, not the whole reply"),
    "path": lambda offer: _way_words(offer.proposal),
}


# --- accepting and refusing -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answered:
    """The form after a suggestion was answered: None where nothing in it is unsaved."""

    form: TurnForm | None
    said: str
    is_gone: bool = False
    """Whether the turn went with it."""


def is_about(do: str) -> bool:
    return do.partition(":")[0] in (YES, NO)


def answer(desk: Desk, turn: GoldTurn, form: TurnForm, do: str) -> Answered:
    """Accept or refuse a suggestion.

    What changes nothing in the turn is stored at once; what changes it changes the form, and counts when that is saved.
    Raises NotAllowedNowError where the golden may not be changed now.
    """
    name, _, rest = do.partition(":")
    token, _, number = rest.partition(":")
    was = dict(form.errors)
    body = form.body()
    form.errors = was
    is_typed = jsonio.canonical(body) != jsonio.canonical(turn.body)
    offer = next((one for one in open_offers(desk, turn, body) if one.fingerprint == token), None)
    if offer is None:
        return Answered(form if is_typed else None, say("This suggestion was decided on already."))
    accepts = name == YES
    if accepts is offer.is_applied:
        goldens.decide_suggestion(turn=turn, offer=offer, accepts=accepts, by=desk.viewer.user)
        said = say("✓ kept") if accepts else say("refused; it does not come back. Undo takes that back")
        return Answered(form if is_typed else None, said)
    if offer.kind == "path":
        goldens.refuse_path(turn=turn, offer=offer, by=desk.viewer.user)
        return Answered(None, say("Path {path} removed. Undo brings it back.", path=turn.path), is_gone=True)
    if accepts:
        suggestions.note(desk.golden, turn, offer)
        _accept(form, offer, int(number) if number.isdecimal() and len(number) < 3 else 0)
    else:
        _refuse(form, offer)
    return Answered(form, "")


def _accept(form: TurnForm, offer: Offer, number: int) -> None:
    row = next((row for row in form.params if row.name == offer.field), None)
    if row is None:
        return
    if offer.kind == "source":
        place = offer.proposal[min(number, len(offer.proposal) - 1)]
        row.mode, row.ref = "ref", ref_token(place["turn"], place["path"])
    elif offer.kind in ("param_optional", "param_required"):
        row.is_required = bool(offer.proposal)
    else:
        _set_values(row, offer.proposal)


def _refuse(form: TurnForm, offer: Offer) -> None:
    """Take an applied suggestion out again."""
    row = next((row for row in form.params if row.name == offer.field), None)
    if offer.kind == "step_optional":
        form.is_optional = False
    elif offer.kind == "order":
        form.group = ""
    elif offer.kind == "claims":
        form.claims = []
    elif offer.kind == "param_optional" and row is not None:
        row.is_required = True
    elif isinstance(offer.was, Mapping):
        if row is None:
            row = ParamRow(name=offer.field)
            form.params.append(row)
            form.allowed_extra = "\n".join(
                line for line in form.allowed_extra.splitlines() if line.strip() != offer.field
            )
        _set_values(row, [offer.was.get("value")])


def _set_values(row: ParamRow, values: list[Any]) -> None:
    row.mode = "values"
    row.values = [ValueRow.of(value) for value in values]
    if row.compare == "any":
        row.compare = ""
