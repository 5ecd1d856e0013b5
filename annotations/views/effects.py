"""Checked while typing: a golden tried on recorded runs before it is saved, and a call against its tool's schema."""

from __future__ import annotations

import time
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.effects import FAIL, Effect, why
from annotations.forms.goldens import TurnForm, WholeForm
from annotations.forms.hints import turn_hints, whole_hints
from annotations.models import FailureReasonChoice
from annotations.services import effects, gold_turns
from annotations.services.effects import ALL_SENTENCES, IN_FORCE, SAVED, CannotBeTriedError, Trial, Version
from annotations.views.workbench import Desk
from evaluation.aem import ConversationVerdict
from evaluation.aem.language import say

_MOST_FAILING = 20
#: Lines of each agent version that stand there at once; who asks for everything gets all of them.
_LINES = 6


# --- pages ------------------------------------------------------------------------------------------------------------


@access.signed_in
@require_safe
def golden_try(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """What the engine says about the recorded run with this golden as it is now. Nothing is stored."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden)
    asked = _Asked.of(request, viewer)
    return _shown(request, desk, _tried(desk, asked, Version.saved(golden, desk.turns)))


@access.signed_in
@require_safe
def golden_effect(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """What accepting this golden would change, compared with the one in force. Not for those who are blinded."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    if not access.may_compare_in_force(viewer):
        raise PermissionDenied(_blind_to_others())
    desk = Desk.open(viewer, golden)
    asked = _Asked(is_all="all" in request.GET, against=IN_FORCE)
    saved = Version.saved(golden, desk.turns)
    context = _tried(desk, asked, saved, with_source=False)
    context["effect_url"] = reverse("annotations:golden-effect", args=[golden.pk])
    template = "_accept_effect.html" if _is_htmx(request) else "accept_effect.html"
    return render(request, f"annotations/goldens/{template}", context)


@access.signed_in
@require_POST
def golden_turn_effect(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    """What a turn as it is typed does to recorded runs, and what its tool's schema says of it. Nothing is stored."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden)
    turn = desk.find(pk)
    if turn is None:
        raise Http404(say("This turn is not there, or was removed."))
    form = TurnForm(turn.body, desk.names_before(turn), request.POST)
    body = form.body()
    typed = copy(turn)
    typed.body = body if "id" in body or "id" not in turn.body else {"id": turn.body["id"], **body}
    turns = [typed if other.pk == turn.pk else other for other in desk.turns]
    version = Version(gold_turns.compose(golden, turns), golden.policy, turns)
    hints = turn_hints(form, golden.conversation.tool_set.body)
    asked = _Asked.of(request, viewer)
    context = _tried(desk, asked, version, unreadable=_unreadable(form.errors), is_typed=True)
    context |= {"hints": hints.texts, "hint_places": hints.places, "checked": turn.pk, "turn": turn}
    context |= _to_go_back(request, reverse("annotations:golden-turn", args=[golden.pk, pk]))
    return _shown(request, desk, context)


@access.signed_in
@require_POST
def golden_whole_effect(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """The same for what holds for the whole conversation."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden)
    form = WholeForm(golden.forbidden, golden.outcome, golden.comment, request.POST)
    form.is_valid()
    typed = copy(golden)
    typed.forbidden, typed.outcome = form.forbidden_body, form.outcome_body
    version = Version(gold_turns.compose(typed, desk.turns), golden.policy, desk.turns)
    hints = whole_hints(form, golden.conversation.tool_set.body)
    asked = _Asked.of(request, viewer)
    context = _tried(desk, asked, version, unreadable=_unreadable(form.errors), is_typed=True)
    context |= {"hints": hints.texts, "hint_places": hints.places, "checked": "whole"}
    context |= _to_go_back(request, reverse("annotations:golden-whole", args=[golden.pk]))
    return _shown(request, desk, context)


def _shown(request: HttpRequest, desk: Desk, context: dict[str, Any]) -> HttpResponse:
    template = "_try.html" if _is_htmx(request) else "try.html"
    context["tried_url"] = request.path
    return render(request, f"annotations/goldens/{template}", context)


def _blind_to_others() -> str:
    return say("This project is blind: the golden in force would tell you what others wrote.")


def _is_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _unreadable(errors: Mapping[str, str]) -> str:
    """What keeps a form from being tried, in the form's own words."""
    return next(iter(errors.values()), "")


def _to_go_back(request: HttpRequest, address: str) -> dict[str, Any]:
    """What a page without scripts needs to bring everything typed back into its form."""
    kept: QueryDict = request.POST
    left = ("csrfmiddlewaretoken", "do", "all", "against")
    typed = [(name, value) for name in kept if name not in left for value in kept.getlist(name)]
    return {"typed_fields": typed, "form_url": address}


# --- what is shown ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whether all runs are to be tried, however long it takes, and what the golden is compared with."""

    is_all: bool = False
    against: str = SAVED

    @classmethod
    def of(cls, request: HttpRequest, viewer: Viewer) -> _Asked:
        given = request.POST if request.method == "POST" else request.GET
        against = IN_FORCE if given.get("against") == IN_FORCE else SAVED
        if against == IN_FORCE and not access.may_compare_in_force(viewer):
            raise PermissionDenied(_blind_to_others())
        return cls(is_all="all" in given, against=against)


def _tried(
    desk: Desk,
    asked: _Asked,
    version: Version,
    *,
    unreadable: str = "",
    is_typed: bool = False,
    with_source: bool = True,
) -> dict[str, Any]:
    """The recorded run under the golden, then what would change in all of them."""
    viewer, golden = desk.viewer, desk.golden
    context = {"viewer": viewer, "golden": golden, "desk": desk, "asked": asked, "is_typed": is_typed}
    if unreadable:
        return {**context, "problem": unreadable}
    trial = Trial(
        golden.conversation,
        effects.terms_of(viewer.project, is_blinded=viewer.is_blinded),
        time.monotonic,
        effects.SECONDS_ALL if asked.is_all else effects.SECONDS_TYPING,
    )
    try:
        found = effects.try_golden(
            trial,
            golden,
            version,
            Version.saved(golden, desk.turns),
            is_blinded=viewer.is_blinded,
            sees_all=access.may_see_effects(viewer, golden),
            against=asked.against,
            sentences=ALL_SENTENCES if asked.is_all else _LINES,
            with_source=with_source,
        )
    except CannotBeTriedError as error:
        return {**context, "problem": str(error)}
    context |= {
        "note": found.note,
        "source_problem": found.source_problem,
        "hidden": found.hidden,
        "record": found.record,
        "is_same": found.is_same,
        "effect": found.effect,
        "groups": _groups(found.effect, most=None if asked.is_all else _LINES) if found.effect else [],
    }
    return context | _verdict(desk, found.verdict) if found.verdict is not None else context


def _verdict(desk: Desk, verdict: ConversationVerdict) -> dict[str, Any]:
    by_number = {turn.turn_no: turn for turn in desk.turns if turn.path == verdict.path}
    failing = [turn for turn in verdict.turns if turn.passed is False]
    return {
        "verdict": verdict,
        "failing": [
            {
                "turn": by_number.get(turn.turn_no),
                "verdict": turn,
                "reason": reason_words(str(turn.failure_reason or "")),
                "sentences": why(verdict, turn.turn_no),
            }
            for turn in failing[:_MOST_FAILING]
        ],
        "failing_count": len(failing),
        "passed_count": sum(turn.passed is True for turn in verdict.turns),
        "skipped_count": sum(turn.skipped for turn in verdict.turns),
        "forbidden_count": sum(call.kind == "forbidden" for call in verdict.unexpected),
    }


def _groups(effect: Effect, *, most: int | None) -> list[dict[str, Any]]:
    """The changes as a page lists them: what is left out is counted, and asked for by a link."""
    return [
        {
            "group": group,
            "versions": [
                {
                    "version": version,
                    "lines": [{"line": line, "reason": _reason(line)} for line in version.lines[:most]],
                    "more": len(version.lines) - len(version.lines[:most]),
                }
                for version in group.versions
            ],
        }
        for group in effect.shown_groups
    ]


def _reason(line: Any) -> str:
    """Why a turn fails, or failed so far, by its reason alone."""
    for side in (line.change.after, line.change.before):
        if side is not None and side.state == FAIL:
            return reason_words(side.reason)
    return ""


def reason_words(reason: str) -> str:
    """A failure reason in words."""
    return str(dict(FailureReasonChoice.choices).get(reason, reason))


_GOLDEN = "goldens/<uuid:golden_id>/"
urlpatterns = [
    path(f"{_GOLDEN}try/", golden_try, name="golden-try"),
    path(f"{_GOLDEN}effect/", golden_effect, name="golden-effect"),
    path(f"{_GOLDEN}turns/<int:pk>/effect/", golden_turn_effect, name="golden-turn-effect"),
    path(f"{_GOLDEN}whole/effect/", golden_whole_effect, name="golden-whole-effect"),
]
