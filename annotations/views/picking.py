"""Picking: a value of an earlier result, then what uses it; and letting chosen turns come in any order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from annotations import access
from annotations.forms.goldens import TurnForm
from annotations.forms.values import ParamRow, ref_token
from annotations.models import Capability, Golden, GoldTurn, TurnKind
from annotations.observed import Field, same_value
from annotations.sentences import params_of, path_words
from annotations.services import goldens
from annotations.services.errors import WorkbenchError
from annotations.structure import numbers_of, runs_of
from annotations.views import workbench
from annotations.views.workbench import Desk, title_of
from evaluation.aem.language import say

UNREADABLE = 422
#: Of how many earlier results all values are listed at once, and how many values of each; the rest on demand.
_MOST_RESULTS = 8
_MOST_VALUES = 60
_MOST_LATER = 12


# --- a value and what uses it -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value:
    token: str
    field: str
    preview: str


@dataclass(frozen=True, slots=True)
class Result:
    """The values that one earlier call returned."""

    turn: GoldTurn
    title: str
    values: list[Value]
    left_out: int


@dataclass(frozen=True, slots=True)
class Target:
    """What may use a value: ``choice`` is what the form's button ``take-value`` is told, ``place`` the field in it."""

    place: str
    label: str
    now: str
    choice: str
    href: str


@access.signed_in
@require_http_methods(["GET", "POST"])
def golden_values(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    """The values that a turn may build on; once one is chosen, the fields of the turn that may use it.

    What is posted is the turn's form as it is typed, so that the fields offered are those that stand there. Nothing is
    saved: the choice changes the form, and the form is saved as ever.
    """
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    desk = Desk.open(viewer, turn.golden, path=turn.path)
    turn = next(other for other in desk.turns if other.pk == turn.pk)
    given = request.POST if request.method == "POST" else request.GET
    form = TurnForm(turn.body, desk.names_before(turn), request.POST if request.method == "POST" else None)
    source, where = _parsed(given.get("value", ""))
    context = {"viewer": viewer, "golden": desk.golden, "desk": desk, "turn": turn, "turn_title": title_of(turn)}
    if source:
        context |= _targets_context(desk, turn, form, source, where)
    else:
        context |= _values_context(desk, turn, form, of=given.get("of", ""))
    template = "_values.html" if getattr(request, "htmx", False) else "values.html"
    return render(request, f"annotations/goldens/{template}", context)


def _parsed(token: str) -> tuple[str, str]:
    try:
        found = json.loads(token) if token else None
    except ValueError:
        found = None
    if isinstance(found, list) and len(found) == 2 and all(isinstance(part, str) for part in found):
        return found[0], found[1]
    return "", ""


def _values_context(desk: Desk, turn: GoldTurn, form: TurnForm, *, of: str) -> dict[str, Any]:
    """Earlier results, the nearest first, and before them the values that stand in this turn too."""
    earlier = [
        other
        for other in reversed(desk.path_turns)
        if other.position < turn.position and other.kind == TurnKind.ACTION and _fields(desk, other)
    ]
    wanted = [other for other in earlier if other.key == of] or earlier
    mine = _typed_values(form)
    same = [
        (other, _value(other, field))
        for other in earlier
        for field in _fields(desk, other)
        if any(same_value(one, field.value) for one in mine)
    ]
    shown = [_result(desk, other, whole=bool(of)) for other in wanted[:_MOST_RESULTS]]
    return {
        "results": shown,
        "same_values": [] if of else same[:9],
        "further": wanted[_MOST_RESULTS:],
        "is_one": bool(of) and len(wanted) == 1,
        "none_is_recorded": not earlier,
    }


def _fields(desk: Desk, turn: GoldTurn) -> tuple[Field, ...]:
    if desk.digest is None or turn.observed_index is None:
        return ()
    return desk.digest.fields.get(turn.observed_index, ())


def _result(desk: Desk, turn: GoldTurn, *, whole: bool) -> Result:
    fields = _fields(desk, turn)
    most = len(fields) if whole else _MOST_VALUES
    return Result(turn, title_of(turn), [_value(turn, field) for field in fields[:most]], max(0, len(fields) - most))


def _value(turn: GoldTurn, field: Field) -> Value:
    return Value(ref_token(turn.key, field.path), path_words(field.path), field.preview)


def _typed_values(form: TurnForm) -> list[Any]:
    """The values that stand in a form, as far as they can be read."""
    return [value for row in form.params for value in _values_of(row)]


def _values_of(row: ParamRow) -> list[Any]:
    found = []
    for value in row.values if row.mode == "values" else ():
        try:
            found.append(value.value())
        except ValueError:
            continue
    return found


def _targets_context(desk: Desk, turn: GoldTurn, form: TurnForm, source: str, where: str) -> dict[str, Any]:
    """What of the turn may use the value; where it cannot use it, the reason and the turns that can."""
    giver = next((other for other in desk.path_turns if other.key == source), None)
    if giver is None or giver.turn_no is None:
        return {"refusal": say("That turn is not in this way any more."), "targets": [], "later": []}
    shown = next((field for field in _fields(desk, giver) if field.path == where), None)
    context: dict[str, Any] = {
        "giver": giver,
        "giver_title": title_of(giver),
        "picked_field": path_words(where),
        "picked": shown.preview if shown is not None else "",
        "targets": [],
        "later": [],
        "token": ref_token(source, where),
    }
    refusal = _refusal(desk, turn, giver)
    if refusal:
        context["refusal"] = refusal
        later = [other for other in desk.path_turns if other.position > giver.position and other.turn_no is not None]
        context["later"] = [(other, title_of(other)) for other in later[:_MOST_LATER]]
        return context
    # The field that holds the very value comes first: it is the likeliest to use it, and has the first digit.
    holding = _fields_that_hold(form, shown.value) if shown is not None else set()
    targets = _targets(desk, turn, form, (source, where))
    context["targets"] = sorted(targets, key=lambda target: target.place not in holding)
    return context


def _fields_that_hold(form: TurnForm, value: Any) -> set[str]:
    """Where in a form a value stands, in the words of ``Target.place``."""
    return {
        f"p{number}"
        for number, row in enumerate(form.params if form.is_call else ())
        if any(same_value(one, value) for one in _values_of(row))
    }


def _refusal(desk: Desk, turn: GoldTurn, giver: GoldTurn) -> str:
    if turn.turn_no is None:
        return say("What the user says builds on nothing. Open the turn that uses the value.")
    if giver.pk == turn.pk:
        return say("This is what turn {number} itself returns. Which later turn uses it?", number=turn.turn_no)
    if giver.position > turn.position:
        return say(
            "Turn {number} cannot build on turn {other}, which comes later. Which turn uses it?",
            number=turn.turn_no,
            other=giver.turn_no,
        )
    run = next((run for run in runs_of(desk.path_turns) if turn.key in run.keys and giver.key in run.keys), None)
    if run is not None:
        return say(
            "Turn {number} and turn {other} may come in any order (group {name}), so that neither can use what the "
            "other returns.",
            number=turn.turn_no,
            other=giver.turn_no,
            name=run.name,
        )
    return ""


def _targets(desk: Desk, turn: GoldTurn, form: TurnForm, picked: tuple[str, str]) -> Iterable[Target]:
    words = desk.words_for_turns(turn.path)

    def target(label: str, now: str, place: str) -> Target:
        choice = json.dumps([place, *picked])
        query = urlencode({"turn": str(turn.pk), "take": choice})
        return Target(place, label, now, choice, f"{desk.golden.get_absolute_url()}?{query}")

    if form.is_call:
        now = params_of(form.body(), words)
        said = {name: "".join(part.text for part in sentence) for name, sentence in now}
        for number, row in enumerate(form.params):
            if row.name:
                yield target(row.name, said.get(row.name, ""), f"p{number}")
        there = {row.name for row in form.params}
        for prop in workbench.schema_of(desk, form.tool):
            if prop.name not in there:
                yield target(prop.name, say("not among the parameters yet"), f"+{prop.name}")
    else:
        for number, claim in enumerate(form.claims):
            now_from = say("comes from {turns}", turns=claim.sources) if claim.sources else ""
            label = say("Claim {number}: {text}", number=number + 1, text=claim.text[:60])
            yield target(label, now_from, f"c{number}")
    yield target(say("The step as a whole"), say("no field of it: it depends on that turn"), "")


def taken_form(desk: Desk, turn: GoldTurn | None, choice: str) -> TurnForm | None:
    """The turn's form with a value taken into it, still unsaved; None where there is nothing to take."""
    if not choice or turn is None or not desk.may_edit:
        return None
    form = TurnForm(turn.body, desk.names_before(turn))
    form.apply(f"take-value:{choice}", workbench.schema_of(desk, form.tool))
    return form


# --- free order -------------------------------------------------------------------------------------------------------


@access.signed_in
@require_POST
def golden_order(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Let the chosen turns come in any order, or let their order count again."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    chosen = [int(text) for text in request.POST.getlist("turns") if text.isdecimal() and len(text) < 19]
    change = goldens.ungroup_turns if request.POST.get("do") == "fixed" else goldens.group_turns
    problem, said = "", ""
    changed: list[GoldTurn] = []
    try:
        changed = change(golden=golden, turns=chosen, by=viewer.user)
    except WorkbenchError as error:
        problem = str(error)
    else:
        words = numbers_of(changed)
        if request.POST.get("do") == "fixed":
            said = say("The order of {turns} counts again.", turns=words)
        else:
            said = say("{turns} may come in any order.", turns=words[:1].upper() + words[1:])
    if not getattr(request, "htmx", False):
        (messages.error if problem else messages.success)(request, problem or said)
        return redirect(_back(golden, request.POST.get("current", ""), chosen))
    return _list(request, viewer, golden, problem=problem, said=said, chosen=chosen if problem else [], changed=changed)


def _back(golden: Golden, current: str, chosen: list[int]) -> str:
    turn = current if current.isdecimal() else str(chosen[0]) if chosen else ""
    return golden.get_absolute_url() + (f"?turn={turn}" if turn else "")


def _list(
    request: HttpRequest,
    viewer: access.Viewer,
    golden: Golden,
    *,
    problem: str,
    said: str,
    chosen: list[int],
    changed: list[GoldTurn],
) -> HttpResponse:
    """The list anew; the open turn learns of a change of itself, so that what is typed in it can still be saved."""
    golden = Golden.objects.select_related("conversation__tool_set").get(pk=golden.pk)
    desk = Desk.open(viewer, golden, path=request.POST.get("path", ""))
    number = request.POST.get("current", "")
    current = desk.find(int(number)) if number.isdecimal() and len(number) < 19 else None
    context = {
        "viewer": viewer,
        "golden": golden,
        "desk": desk,
        **workbench.list_context(desk, current),
        "here": "",
        "order_problem": problem,
        "order_said": said,
        "chosen": chosen,
    }
    response = render(request, "annotations/goldens/_turns.html", context, status=UNREADABLE if problem else 200)
    for turn in changed:
        if current is not None and turn.pk == current.pk:
            group = str(turn.body.get("group") or "")
            trigger_client_event(
                response, "turnMoved", {"turn": turn.pk, "revision": turn.revision, "group": group}, after="settle"
            )
    return response


_GOLDEN = "goldens/<uuid:golden_id>/"
urlpatterns = [
    path(f"{_GOLDEN}turns/<int:pk>/values/", golden_values, name="golden-values"),
    path(f"{_GOLDEN}order/", golden_order, name="golden-order"),
]
