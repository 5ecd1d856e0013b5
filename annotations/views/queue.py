"""The queue: what is yours, what waits, and why nothing is left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.models import (
    Assignment,
    AssignmentState,
    Capability,
    Conversation,
    Dataset,
    Golden,
    GoldenStatus,
    TurnKind,
)
from annotations.services import assignments, goldens, second_look
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say, say_n


@dataclass(frozen=True, slots=True)
class Mine:
    """A conversation that this person has in work, or had."""

    conversation: Conversation
    golden: Golden | None
    assignment: Assignment | None

    @property
    def done(self) -> int:
        return getattr(self.golden, "done_count", 0)

    @property
    def total(self) -> int:
        return getattr(self.golden, "turn_total", 0)


@access.signed_in
@require_safe
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own work first, then the button for what comes next."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ANNOTATE)
    now = timezone.now()
    datasets = list(Dataset.objects.filter(project=viewer.project).order_by("name"))
    chosen = next((dataset for dataset in datasets if dataset.slug == request.GET.get("dataset")), None)
    language = request.GET.get("language", "")
    languages = (
        Conversation.objects.in_project(viewer.project)
        .exclude(language="")
        .order_by("language")
        .values_list("language", flat=True)
        .distinct()
    )
    waiting = assignments.waiting_for(viewer.project, viewer.user, now, dataset=chosen, language=language).count()
    following = assignments.find_next(viewer.project, viewer.user, now, dataset=chosen, language=language)
    context = {
        "viewer": viewer,
        "datasets": datasets,
        "languages": list(languages),
        "dataset": chosen,
        "language": language,
        "waiting": waiting,
        "next": following,
        "reasons": [] if waiting else _why_nothing_waits(viewer, now, has_filter=bool(chosen or language)),
        "asked_labels": second_look.labels_asked_of(viewer.project, viewer.user),
        **_own_work(viewer, now),
    }
    return render(request, "annotations/queue/queue.html", context)


def _own_work(viewer: Viewer, now: datetime) -> dict[str, Any]:
    written = {
        golden.conversation_id: golden
        for golden in Golden.objects.in_project(viewer.project)
        .filter(annotator=viewer.user)
        .select_related("conversation__dataset", "reviewed_by")
        .annotate(
            turn_total=Count("turns", filter=~Q(turns__kind=TurnKind.USER)),
            done_count=Count("turns", filter=~Q(turns__kind=TurnKind.USER) & Q(turns__is_done=True)),
        )
    }
    held = {
        assignment.conversation_id: assignment
        for assignment in Assignment.objects.filter(
            annotator=viewer.user, conversation__dataset__project=viewer.project
        ).select_related("conversation__dataset")
    }
    everything = [
        Mine(
            (written.get(pk) or held[pk]).conversation,
            written.get(pk),
            held.get(pk),
        )
        for pk in dict.fromkeys([*held, *written])
    ]
    groups: dict[str, list[Mine]] = {
        name: []
        for name in ("returned", "in_work", "assigned", "lapsed", "released", "skipped", "handed_in", "not_shown")
    }
    for mine in everything:
        groups[_group(mine, now)].append(mine)
    groups["assigned"].sort(key=lambda mine: (-mine.conversation.priority, mine.conversation.pk))
    groups["handed_in"].sort(key=lambda mine: mine.golden.updated_at if mine.golden else now, reverse=True)
    accepted = [m for m in groups["handed_in"] if m.golden and m.golden.status == GoldenStatus.ACCEPTED]
    return {**groups, "accepted_count": len(accepted)}


def _group(mine: Mine, now: datetime) -> str:
    if mine.golden is not None and mine.golden.status == GoldenStatus.RETURNED:
        return "returned"
    if mine.golden is not None and not mine.golden.is_open:
        return "handed_in"
    if mine.assignment is None or mine.assignment.state == AssignmentState.DONE:
        return "in_work" if mine.golden is not None else "handed_in"
    if mine.assignment.state == AssignmentState.SKIPPED:
        return "skipped"
    if mine.assignment.state == AssignmentState.RESERVED:
        is_next = mine.assignment.is_kept(now) and mine.conversation.set_aside_at is None
        return "assigned" if is_next else "released" if mine.golden is not None else "not_shown"
    if mine.assignment.state == AssignmentState.RELEASED:
        return "released" if mine.golden is not None else "not_shown"
    if mine.assignment.state == AssignmentState.LAPSED or mine.assignment.lease_until <= now:
        return "lapsed"
    return "in_work"


def _why_nothing_waits(viewer: Viewer, now: datetime, *, has_filter: bool) -> list[str]:
    """Honest reasons, each with its number, for an empty queue."""
    if has_filter and assignments.waiting_for(viewer.project, viewer.user, now).exists():
        return [say("Nothing waits with these filters; without them there is more.")]
    known = Conversation.objects.in_project(viewer.project)
    total = known.count()
    if not total:
        return [say("This project has no conversations yet. An agent engineer or an owner can import some.")]
    places = Assignment.objects.filter(conversation__dataset__project=viewer.project).exclude(annotator=viewer.user)
    active = known.filter(set_aside_at__isnull=True)
    aside = total - active.count()
    begun = active.exclude(pk__in=Conversation.objects.untouched()).count()
    in_force = active.annotated().filter(pk__in=Conversation.objects.untouched()).count()
    own = active.filter(pk__in=_had_by(viewer)).count()
    held = places.filter(state=AssignmentState.CLAIMED, lease_until__gt=now)
    first_end = held.order_by("lease_until").values_list("lease_until", flat=True).first()
    kept = places.holding(now).filter(state=AssignmentState.RESERVED).count()
    reasons = []
    if own:
        reasons.append(
            say_n(
                "You have had {number} conversation yourself.",
                "You have had {number} conversations yourself.",
                own,
                number=f"{own:,}",
            )
        )
    if begun - own > 0:
        reasons.append(_others_have(begun - own, viewer.project.overlap))
    if kept:
        reasons.append(
            say_n(
                "{number} place is kept for people to whom they are assigned.",
                "{number} places are kept for people to whom they are assigned.",
                kept,
                number=f"{kept:,}",
            )
        )
    if first_end is not None:
        number = held.count()
        reasons.append(
            say_n(
                "Others have {number} place in work; the first comes back at {time} UTC if it is left alone.",
                "Others have {number} places in work; the first comes back at {time} UTC if it is left alone.",
                number,
                number=f"{number:,}",
                time=f"{first_end:%H:%M}",
            )
        )
    if aside:
        reasons.append(
            say_n(
                "{number} conversation was set aside.",
                "{number} conversations were set aside.",
                aside,
                number=f"{aside:,}",
            )
        )
    if in_force:
        reasons.append(
            say_n(
                "{number} conversation came with a golden that is in force; open one from its dataset to correct it.",
                "{number} conversations came with a golden that is in force; open one from its dataset to correct it.",
                in_force,
                number=f"{in_force:,}",
            )
        )
    return reasons


def _others_have(number: int, overlap: int) -> str:
    if overlap == 1:
        return say_n(
            "{number} other already has one person.",
            "{number} others already have one person.",
            number,
            number=f"{number:,}",
        )
    return say_n(
        "{number} other already has {people} people.",
        "{number} others already have {people} people.",
        number,
        number=f"{number:,}",
        people=overlap,
    )


def _had_by(viewer: Viewer) -> QuerySet[Any, Any]:
    """The conversations that this person has, or had, in work."""
    own = Assignment.objects.filter(annotator=viewer.user).exclude(state=AssignmentState.RELEASED)
    return own.order_by().values("conversation")


@access.signed_in
@require_POST
def queue_next(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the next conversation that waits and open it, drafted from what there is."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ANNOTATE)
    now = timezone.now()
    dataset = Dataset.objects.filter(project=viewer.project, slug=request.POST.get("dataset", "")).first()
    language = request.POST.get("language", "")
    found = assignments.take_next(
        viewer.project,
        viewer.user,
        now,
        dataset=dataset,
        language=language,
        with_returned=request.POST.get("new") != "1",
    )
    if found is None:
        messages.info(request, say("Nothing is left to take just now."))
        chosen = {"dataset": dataset.slug if dataset else "", "language": language}
        query = urlencode({name: value for name, value in chosen.items() if value})
        return redirect(reverse("annotations:queue", args=[slug]) + (f"?{query}" if query else ""))
    expected = request.POST.get("expected", "")
    if expected and expected != str(found.conversation.pk):
        quicker = say("Somebody was quicker, so you have another one: {conversation}.", conversation=found.conversation)
        messages.info(request, f"{quicker} {found.why}")
    golden = found.golden or goldens.start_for(
        found.conversation, viewer.user, is_blinded=viewer.is_blinded, has_place=True, now=now
    )
    return redirect(golden)


@access.signed_in
@require_POST
def assignment_skip(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a conversation back with a reason; what was written is kept."""
    viewer, conversation = access.get_conversation_or_404(request.user, pk, require=Capability.ANNOTATE)
    reason = request.POST.get("reason", "").replace("\x00", "\ufffd")
    try:
        assignments.skip(conversation, viewer.user, reason, timezone.now())
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say("Skipped: {conversation}. What you wrote is kept.", conversation=conversation))
    return redirect("annotations:queue", viewer.project.slug)


urlpatterns = [
    path("p/<slug:slug>/queue/", queue, name="queue"),
    path("p/<slug:slug>/queue/next/", queue_next, name="queue-next"),
    path("conversations/<int:pk>/skip/", assignment_skip, name="assignment-skip"),
]
