"""Which recorded runs a golden is drafted from, and how often what is suggested is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.drafting import MOST_RUNS
from annotations.models import Capability, Conversation, Golden, TurnKind
from annotations.services import goldens, prefills, suggestions
from annotations.services.errors import WorkbenchError
from annotations.services.suggestions import Counts
from annotations.suggesting import KIND_WORDS, SOURCE_WORDS
from evaluation.aem.language import say
from evaluation.stats.figures import wilson

UNREADABLE = 422


@access.signed_in
@require_http_methods(["GET", "POST"])
def conversation_draft(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the runs that one's golden of a conversation is drafted from, also anew."""
    viewer, conversation = access.get_conversation_or_404(request.user, pk, require=Capability.ANNOTATE)
    mine = conversation.goldens.filter(annotator=viewer.user).first()
    if request.method == "GET":
        return _choose(request, viewer, conversation, mine)
    numbers = {int(text) for text in request.POST.getlist("trajectory") if text.isdecimal() and len(text) < 19}
    is_choice = request.POST.get("which") != "best"
    chosen = prefills.in_order(conversation, sorted(numbers), is_blinded=viewer.is_blinded) if is_choice else []
    if is_choice and not chosen:
        return _choose(request, viewer, conversation, mine, problem=say("Tick at least one run to draft from."))
    try:
        if mine is None:
            golden = goldens.start_for(
                conversation,
                viewer.user,
                is_blinded=viewer.is_blinded,
                origin="trajectory",
                trajectories=chosen,
                now=timezone.now(),
            )
        else:
            best = chosen or prefills.succeeded(conversation, is_blinded=viewer.is_blinded)
            is_told = is_choice or not viewer.is_blinded
            golden = goldens.redraft(golden=mine, trajectories=best, by=viewer.user, is_told=is_told)
            messages.success(request, say("Drafted anew. Undo brings the turns back that were there."))
    except WorkbenchError as error:
        return _choose(request, viewer, conversation, mine, problem=str(error), ticked=numbers)
    return redirect(golden)


def _choose(
    request: HttpRequest,
    viewer: Viewer,
    conversation: Conversation,
    mine: Golden | None,
    *,
    problem: str = "",
    ticked: set[int] | None = None,
) -> HttpResponse:
    candidates = prefills.candidates_of(conversation, is_blinded=viewer.is_blinded)
    if viewer.is_blinded:  # the best first would tell which they are
        candidates.sort(key=lambda one: (one.trajectory.label, one.trajectory.key))
    if ticked is None:
        ticked = _ticked(viewer, mine, candidates)
    turns = mine.turns.exclude(kind=TurnKind.USER) if mine else None
    context = {
        "viewer": viewer,
        "conversation": conversation,
        "mine": mine,
        "candidates": candidates,
        "ticked": ticked,
        "most_runs": MOST_RUNS,
        "succeeded_count": sum(one.succeeded is True for one in candidates),
        "turn_count": turns.count() if turns is not None else 0,
        "done_count": turns.filter(is_done=True).count() if turns is not None else 0,
        "problem": problem,
    }
    status = UNREADABLE if problem else 200
    return render(request, "annotations/goldens/draft.html", context, status=status)


def _ticked(viewer: Viewer, mine: Golden | None, candidates: list[prefills.Candidate]) -> set[int]:
    """The runs that the draft was made of; else those that succeeded. Those who are blinded learn nothing by it."""
    known = mine.prefill.get("trajectories") if mine else None
    if known:
        return set(known)
    if viewer.is_blinded:
        return set()
    return {one.trajectory.pk for one in [one for one in candidates if one.succeeded][:MOST_RUNS]}


@dataclass(frozen=True, slots=True)
class Rate:
    """How often one kind of suggestion was taken, with an interval of 95 %."""

    source: str
    words: str
    counts: Counts

    @property
    def share(self) -> str:
        """Of those that were decided; nobody knows it before one was."""
        if not self.counts.decided:
            return "–"
        return f"{100 * self.counts.accepted / self.counts.decided:.0f} %"

    @property
    def interval(self) -> str:
        if not self.counts.decided:
            return ""
        low, high = wilson(self.counts.accepted, self.counts.decided)
        return f"{100 * low:.0f}–{100 * high:.0f} %"


@access.signed_in
@require_safe
def suggestion_rates(request: HttpRequest, slug: str) -> HttpResponse:
    """What was suggested in a project, by kind, and how much of it was taken."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    rates = [
        Rate(say(SOURCE_WORDS[source]), say(KIND_WORDS[kind]), counts)
        for source, kind, counts in suggestions.counts_by_kind(viewer.project)
    ]
    total = Counts(
        accepted=sum(rate.counts.accepted for rate in rates),
        refused=sum(rate.counts.refused for rate in rates),
        edited=sum(rate.counts.edited for rate in rates),
        open=sum(rate.counts.open for rate in rates),
    )
    context: dict[str, Any] = {"viewer": viewer, "rates": rates, "total": Rate("", say("all"), total)}
    return render(request, "annotations/goldens/suggestion_rates.html", context)


urlpatterns = [
    path("conversations/<int:pk>/draft/", conversation_draft, name="conversation-draft"),
    path("p/<slug:slug>/suggestions/", suggestion_rates, name="suggestion-rates"),
]
