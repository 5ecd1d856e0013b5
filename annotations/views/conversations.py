"""One conversation, and one recorded run of an agent on it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from annotations import access
from annotations.models import Capability


@require_safe
@access.signed_in
def conversation_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """What is known of a conversation. A blinded annotator sees neither goldens of others nor those in force."""
    viewer, conversation = access.get_conversation_or_404(request.user, pk)
    goldens = conversation.goldens.select_related("annotator").order_by("created_at")
    may_see_goldens = not viewer.is_blinded
    if not may_see_goldens:
        goldens = goldens.filter(annotator=viewer.user)
    context = {
        "viewer": viewer,
        "conversation": conversation,
        "goldens": goldens,
        "records": conversation.golden_records.select_related("created_by") if may_see_goldens else [],
        "trajectories": conversation.trajectories.current().order_by("agent", "agent_version", "trial", "key"),
        "comments": conversation.extra.get("comments", []) if may_see_goldens else [],
        "mine": next((golden for golden in goldens if golden.annotator_id == viewer.user.pk), None),
        "may_annotate": viewer.can(Capability.ANNOTATE),
        "shown_record": _shown_record(request, conversation) if may_see_goldens else None,
    }
    return render(request, "annotations/conversations/detail.html", context)


def _shown_record(request: HttpRequest, conversation: Any) -> Any:
    wanted = request.GET.get("golden", "")
    if wanted.isdecimal() and len(wanted) < 10:
        return conversation.golden_records.filter(number=int(wanted)).first()
    return conversation.golden_record


@require_safe
@access.signed_in
def trajectory_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The transcript of one trajectory, complete."""
    viewer, trajectory = access.get_trajectory_or_404(request.user, pk)
    context = {
        "viewer": viewer,
        "trajectory": trajectory,
        "conversation": trajectory.conversation,
        "turns": list(enumerate(trajectory.body["turns"])),
        "versions": trajectory.conversation.trajectories.filter(key=trajectory.key).order_by("-version"),
    }
    return render(request, "annotations/conversations/trajectory.html", context)


@require_safe
@access.signed_in
def trajectory_transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """The transcript alone, for pages that load a long one only when somebody comes to it."""
    viewer, trajectory = access.get_trajectory_or_404(request.user, pk)
    context = {"viewer": viewer, "trajectory": trajectory, "turns": list(enumerate(trajectory.body["turns"]))}
    return render(request, "annotations/conversations/_transcript.html", context)


@require_safe
@access.signed_in
def trajectory_turn(request: HttpRequest, pk: int, index: int, part: str) -> HttpResponse:
    """One long text of a trajectory, whole; the pages fold it and ask for it when it is opened."""
    viewer, trajectory = access.get_trajectory_or_404(request.user, pk)
    turns = trajectory.body["turns"]
    turn = turns[index] if index < len(turns) else {}
    context = {"viewer": viewer, "value": turn.get(part), "is_there": part in turn}
    return render(request, "annotations/conversations/_value.html", context)


urlpatterns = [
    path("conversations/<int:pk>/", conversation_detail, name="conversation-detail"),
    path("trajectories/<int:pk>/", trajectory_detail, name="trajectory-detail"),
    path("trajectories/<int:pk>/transcript/", trajectory_transcript, name="trajectory-transcript"),
    path("trajectories/<int:pk>/turns/<int:index>/<str:part>/", trajectory_turn, name="trajectory-turn"),
]
