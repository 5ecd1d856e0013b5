"""One's own last changes of a golden: what undo takes back next, and what can be done again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from annotations import access
from annotations.models import Capability, Change
from annotations.services import goldens, history
from annotations.services.errors import NotAllowedNowError
from evaluation.aem.language import say

#: More can be undone than is listed.
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Entry:
    words: str
    at: datetime


@access.signed_in
@require_safe
def golden_changes(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """The person's own changes only: what others did is in nobody's undo."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE)
    scope = str(golden.pk)
    standing = history.undoable(scope=scope, actor=viewer.user)
    undone = history.redoable(scope=scope, actor=viewer.user)
    numbers = {str(turn.pk): turn for turn in golden.turns.only("pk", "turn_no", "path", "golden_id")}
    context: dict[str, Any] = {
        "viewer": viewer,
        "golden": golden,
        "changes": [_entry(change, numbers) for change in _light(standing)[:SHOWN]],
        "count": standing.count(),
        "undone": [_entry(change, numbers) for change in _light(undone)[:SHOWN]],
        "may_undo": access.may_write(viewer, golden),
    }
    is_fragment = request.headers.get("HX-Request") == "true"
    return render(request, f"annotations/goldens/{'_changes' if is_fragment else 'changes'}.html", context)


def _light(changes: Any) -> Any:
    """Without the rows as they were, which may be long; with what a redo did again, or an undo took back."""
    related = ("undoes", "undoes__undoes", "undoes__undoes__undoes")
    heavy = [f"{prefix}{name}" for prefix in ("", *(f"{one}__" for one in related)) for name in ("before", "after")]
    return changes.select_related(*related).defer(*heavy)


def _entry(change: Change, turns: dict[str, Any]) -> Entry:
    at = change.at
    while change.undoes is not None:
        change = change.undoes
    words = goldens.words_for(change)
    turn = turns.get(change.subject_id) if change.subject_type == "goldturn" else None
    if turn is not None:
        words = _with_turn(words, turn)
    return Entry(words[:1].upper() + words[1:], at)


def _with_turn(what: str, turn: Any) -> str:
    if turn.path == "main":
        if turn.turn_no:
            return say("{what}: turn {number}", what=what, number=turn.turn_no)
        return say("{what}: a user turn", what=what)
    if turn.turn_no:
        return say("{what}: turn {number} of {path}", what=what, number=turn.turn_no, path=turn.path)
    return say("{what}: a user turn of {path}", what=what, path=turn.path)


@access.signed_in
@require_POST
def golden_redo(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Do again what was undone last, and show the turn that it was about."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    turn_pk = request.POST.get("turn", "")
    try:
        done = goldens.redo(golden=golden, by=viewer.user)
    except NotAllowedNowError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, say("Done again: {what}.", what=goldens.words_for(done)))
        changed = list(done.after.get("turns", {}))
        turn_pk = turn_pk if turn_pk in changed or len(changed) != 1 else changed[0]
    is_there = turn_pk.isdecimal() and len(turn_pk) < 19 and golden.turns.filter(pk=int(turn_pk)).exists()
    return redirect(golden.get_absolute_url() + (f"?turn={turn_pk}" if is_there else ""))


_GOLDEN = "goldens/<uuid:golden_id>/"
urlpatterns = [
    path(f"{_GOLDEN}changes/", golden_changes, name="golden-changes"),
    path(f"{_GOLDEN}redo/", golden_redo, name="golden-redo"),
]
