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
from annotations.models import Capability, Change, Golden
from annotations.services import goldens, history
from annotations.services.errors import NotAllowedNowError
from annotations.services.gold_turns import MAIN_PATH
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
        words = say("{what}: {turn}", what=words, turn=_turn_words(turn.turn_no, turn.path))
    return Entry(words[:1].upper() + words[1:], at)


def _turn_words(number: int | None, path: str) -> str:
    if path == MAIN_PATH:
        return say("turn {number}", number=number) if number else say("a user turn")
    if number:
        return say("turn {number} of {path}", number=number, path=path)
    return say("a user turn of {path}", path=path)


def undone_words(golden: Golden, done: Change) -> str:
    """What an undo took back, or a redo did again, with the turn that it concerns where it concerns one."""
    what = goldens.words_for(done)
    while done.undoes is not None:
        done = done.undoes
    turn = _turn_of(golden, done)
    return what if turn is None else say("{what} ({turn})", what=what, turn=_turn_words(*turn))


def _turn_of(golden: Golden, change: Change) -> tuple[int | None, str] | None:
    """Number and path of the one turn that was saved, added or removed: as they are now, else as they were last."""
    before, after = (state.get("turns", {}) for state in (change.before, change.after))
    came_or_went = set(before) ^ set(after)
    pk = change.subject_id if change.subject_type == "goldturn" else min(came_or_went, default="")
    if not pk or (change.subject_type != "goldturn" and len(came_or_went) != 1):
        return None
    now = golden.turns.filter(pk=int(pk)).values_list("turn_no", "path").first()
    then = after.get(pk) or before.get(pk)
    return now or (then and (then["turn_no"], then["path"]))


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
        messages.success(request, say("Done again: {what}.", what=undone_words(golden, done)))
        changed = list(done.after.get("turns", {}))
        turn_pk = turn_pk if turn_pk in changed or len(changed) != 1 else changed[0]
    is_there = turn_pk.isdecimal() and len(turn_pk) < 19 and golden.turns.filter(pk=int(turn_pk)).exists()
    return redirect(golden.get_absolute_url() + (f"?turn={turn_pk}" if is_there else ""))


_GOLDEN = "goldens/<uuid:golden_id>/"
urlpatterns = [
    path(f"{_GOLDEN}changes/", golden_changes, name="golden-changes"),
    path(f"{_GOLDEN}redo/", golden_redo, name="golden-redo"),
]
