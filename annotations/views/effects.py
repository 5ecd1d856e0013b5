"""Checked while typing: a golden tried on recorded runs before it is saved, and a call against its tool's schema."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from annotations.models import FailureReasonChoice, Golden, GoldTurn, Trajectory
from annotations.services import effects, gold_turns
from annotations.services.effects import CannotBeTriedError, Side, Trial
from annotations.views.workbench import Desk
from evaluation.aem import ConversationVerdict

_MOST_FAILING = 20
#: Lines of each agent version that stand there at once; who asks for everything gets all of them.
_LINES = 6
SAVED, IN_FORCE = "saved", "in_force"


# --- pages ------------------------------------------------------------------------------------------------------------


@access.signed_in
@require_safe
def golden_try(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """What the engine says about the recorded run with this golden as it is now. Nothing is stored."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden)
    asked = _Asked.of(request, viewer)
    return _shown(request, desk, _tried(desk, asked, _as_saved(desk)))


@access.signed_in
@require_safe
def golden_effect(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """What accepting this golden would change, compared with the one in force. Not for those who are blinded."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    if not access.may_compare_in_force(viewer):
        raise PermissionDenied("This project is blind: the golden in force would tell you what others wrote.")
    desk = Desk.open(viewer, golden)
    asked = _Asked(is_all="all" in request.GET, against=IN_FORCE)
    trial = _trial(desk, asked)
    context = _context(desk, asked)
    try:
        as_it_is = _as_saved(desk)
        after = trial.side(as_it_is.golden, as_it_is.policy, turns=as_it_is.turns)
        context |= _effect(desk, trial, after, asked)
    except CannotBeTriedError as error:
        context["problem"] = str(error)
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
        raise Http404("This turn is not there, or was removed.")
    form = TurnForm(turn.body, desk.names_before(turn), request.POST)
    body = form.body()
    typed = copy(turn)
    typed.body = body if "id" in body or "id" not in turn.body else {"id": turn.body["id"], **body}
    turns = [typed if other.pk == turn.pk else other for other in desk.turns]
    version = _Version(gold_turns.compose(golden, turns), golden.policy, turns)
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
    version = _Version(gold_turns.compose(typed, desk.turns), golden.policy, desk.turns)
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
            raise PermissionDenied("This project is blind: the golden in force would tell you what others wrote.")
        return cls(is_all="all" in given, against=against)


@dataclass(frozen=True, slots=True)
class _Version:
    """A golden as it is saved or typed, with its rows."""

    golden: dict[str, Any]
    policy: dict[str, Any]
    turns: Sequence[GoldTurn]


def _as_saved(desk: Desk) -> _Version:
    return _Version(gold_turns.compose(desk.golden, desk.turns), desk.golden.policy, desk.turns)


def _trial(desk: Desk, asked: _Asked) -> Trial:
    return Trial(
        desk.golden.conversation,
        effects.terms_of(desk.viewer.project, is_blinded=desk.viewer.is_blinded),
        time.monotonic,
        effects.SECONDS_ALL if asked.is_all else effects.SECONDS_TYPING,
    )


def _context(desk: Desk, asked: _Asked) -> dict[str, Any]:
    return {"viewer": desk.viewer, "golden": desk.golden, "desk": desk, "asked": asked}


def _tried(
    desk: Desk, asked: _Asked, version: _Version, *, unreadable: str = "", is_typed: bool = False
) -> dict[str, Any]:
    """The recorded run under the golden, then what would change in all of them."""
    trial = _trial(desk, asked)
    context = {**_context(desk, asked), "is_typed": is_typed, "note": trial.terms.note}
    if unreadable:
        return {**context, "problem": unreadable}
    try:
        after = trial.side(version.golden, version.policy, turns=version.turns)
    except CannotBeTriedError as error:
        return {**context, "problem": str(error)}
    source = _source(desk.golden)
    if source is not None:
        try:
            context |= _verdict(desk, trial.verdict(after, source))
        except CannotBeTriedError as error:
            context["source_problem"] = str(error)
    return context | _effect(desk, trial, after, asked)


def _source(golden: Golden) -> Trajectory | None:
    return Trajectory.objects.defer("body").filter(pk=golden.source_trajectory_id or 0).first()


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


def _effect(desk: Desk, trial: Trial, after: Side, asked: _Asked) -> dict[str, Any]:
    """What would change, where this person may see it; else why not."""
    golden = desk.golden
    if not access.may_see_effects(desk.viewer, golden):
        return {"hidden": "What a golden says of other runs is shown to you while you write it."}
    before, record = None, effects.in_force(golden.conversation) if not desk.viewer.is_blinded else None
    if asked.against == IN_FORCE:
        if record is not None:
            body = record.body
            before = trial.side(body["golden"], body.get("policy") or {}, tools=record.tool_set)
    else:
        saved = _as_saved(desk)
        with suppress(CannotBeTriedError):  # then there is nothing to compare with, and what is typed stands alone
            before = trial.side(saved.golden, saved.policy, turns=saved.turns)
    sides = [side for side in (before, after) if side is not None]
    if desk.viewer.is_blinded and effects.is_told_openly(golden, sides):
        return {"hidden": "This is the golden in force: what it says of recorded runs waits for your own labels."}
    runs = effects.runs_of(golden.conversation)
    sentences = 1000 if asked.is_all else _LINES
    effect = trial.compare(before, after, runs, sentences=sentences)
    return {
        "effect": effect,
        "record": record,
        "is_same": before is not None and before.hash == after.hash,
        "groups": _groups(effect, most=None if asked.is_all else _LINES),
        "against_words": f"golden {record.number}, in force" if asked.against == IN_FORCE and record else "as saved",
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
