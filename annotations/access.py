"""Who may see and do what. Every view and every API endpoint asks here, and nowhere else.

Strangers get 404 (they are not told that the thing exists), members without the right get 403.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, TypeVar
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from annotations.models import (
    Capability,
    Conversation,
    Dataset,
    DatasetVersion,
    Golden,
    GoldenStatus,
    GoldTurn,
    Membership,
    Merge,
    Project,
    Role,
    Trajectory,
    User,
)
from evaluation.aem.language import mark, say

#: What somebody may not do in their role, by capability.
_MAY_NOT = {
    Capability.VIEW: mark("As {role} you may not view in {project}."),
    Capability.ANNOTATE: mark("As {role} you may not annotate in {project}."),
    Capability.LABEL: mark("As {role} you may not label in {project}."),
    Capability.ADJUDICATE: mark("As {role} you may not adjudicate in {project}."),
    Capability.IMPORT: mark("As {role} you may not import in {project}."),
    Capability.RUN: mark("As {role} you may not run in {project}."),
    Capability.EXPORT: mark("As {role} you may not export in {project}."),
    Capability.MANAGE: mark("As {role} you may not manage in {project}."),
}

M = TypeVar("M", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Viewer:
    """A member looking at a project: who, in which role, and what follows from it."""

    user: User
    project: Project
    role: str
    capabilities: frozenset[str]

    def can(self, capability: str) -> bool:
        return capability in self.capabilities

    @property
    def is_blinded(self) -> bool:
        """Whether others' work and the machine's verdict stay hidden until this person has saved their own."""
        return self.project.is_blind and self.role == Role.ANNOTATOR


def get_viewer(user: User | AnonymousUser, project: Project, *, require: str = Capability.VIEW) -> Viewer:
    """The member behind a request; raises Http404 for strangers, PermissionDenied without the capability."""
    membership = None
    if isinstance(user, User):
        membership = Membership.objects.filter(project=project, user=user).order_by("pk").first()
    return _viewer(user, membership, project, require)


def _viewer(user: User | AnonymousUser, membership: Membership | None, project: Project | None, require: str) -> Viewer:
    if membership is None or project is None or not isinstance(user, User):
        raise Http404(_nothing_here())
    if not membership.allows(require):
        role = str(membership.get_role_display()).lower()
        raise PermissionDenied(say(_MAY_NOT[Capability(require)], role=role, project=project.name))
    return Viewer(
        user=user,
        project=project,
        role=membership.role,
        capabilities=frozenset(c for c in Capability.values if membership.allows(c)),
    )


def get_project_or_404(user: User | AnonymousUser, slug: str, *, require: str = Capability.VIEW) -> Viewer:
    """The viewer of the project with this slug."""
    membership = None
    if isinstance(user, User):
        found = Membership.objects.select_related("project").filter(project__slug=slug, user=user)
        membership = found.order_by("pk").first()
    return _viewer(user, membership, membership.project if membership is not None else None, require)


def get_dataset_or_404(
    user: User | AnonymousUser, slug: str, dataset_slug: str, *, require: str = Capability.VIEW
) -> tuple[Viewer, Dataset]:
    dataset = _first(Dataset.objects.select_related("project").filter(project__slug=slug, slug=dataset_slug))
    return get_viewer(user, dataset.project, require=require), dataset


def get_dataset_version_or_404(
    user: User | AnonymousUser, slug: str, dataset_slug: str, number: int, *, require: str = Capability.VIEW
) -> tuple[Viewer, DatasetVersion]:
    version = _first(
        DatasetVersion.objects.select_related("dataset__project").filter(
            dataset__project__slug=slug, dataset__slug=dataset_slug, number=number
        )
    )
    return get_viewer(user, version.dataset.project, require=require), version


def get_conversation_or_404(
    user: User | AnonymousUser, pk: int, *, require: str = Capability.VIEW
) -> tuple[Viewer, Conversation]:
    conversation = _first(
        Conversation.objects.select_related("dataset__project", "tool_set", "golden_record").filter(pk=pk)
    )
    return get_viewer(user, conversation.dataset.project, require=require), conversation


def get_trajectory_or_404(
    user: User | AnonymousUser, pk: int, *, require: str = Capability.VIEW
) -> tuple[Viewer, Trajectory]:
    trajectory = _first(Trajectory.objects.select_related("conversation__dataset__project").filter(pk=pk))
    return get_viewer(user, trajectory.conversation.dataset.project, require=require), trajectory


def get_golden_or_404(
    user: User | AnonymousUser, golden_id: UUID, *, require: str = Capability.VIEW, to_edit: bool = False
) -> tuple[Viewer, Golden]:
    """A golden in work. One's own is always visible; others' to those who adjudicate; editing is for one's own only,
    and for owners and adjudicators. A blinded annotator gets 404 for what others write."""
    golden = _first(
        Golden.objects.select_related("conversation__dataset__project", "conversation__tool_set", "annotator").filter(
            pk=golden_id
        )
    )
    viewer = get_viewer(user, golden.conversation.dataset.project, require=require)
    if golden.annotator_id != viewer.user.pk and not viewer.can(Capability.ADJUDICATE):
        if viewer.is_blinded:
            raise Http404(_nothing_here())
        if to_edit:
            raise PermissionDenied(say("Only its annotator and adjudicators may change this golden."))
    return viewer, golden


def may_write(viewer: Viewer, golden: Golden) -> bool:
    """Whether somebody may change a golden as it is now: its annotator while it is open, a reviewer also in review."""
    if not viewer.can(Capability.ANNOTATE):
        return False
    if golden.annotator_id == viewer.user.pk:
        return golden.is_open
    return viewer.can(Capability.ADJUDICATE) and (golden.is_open or golden.status == GoldenStatus.SUBMITTED)


def require_sighted(viewer: Viewer) -> None:
    """Raises PermissionDenied for a blinded annotator, on pages that show the work of others."""
    if viewer.is_blinded:
        raise PermissionDenied(say("This project is blind: you see your own work here, not that of others."))


def get_merge_or_404(
    user: User | AnonymousUser, merge_id: UUID, *, require: str = Capability.ADJUDICATE
) -> tuple[Viewer, Merge]:
    """The merge of several people's goldens: it shows all of them, so that it is for those who adjudicate alone."""
    merge = _first(
        Merge.objects.select_related(
            "conversation__dataset__project",
            "conversation__tool_set",
            "conversation__golden_record",
            "result",
            "record",
            "accepted_by",
        ).filter(pk=merge_id)
    )
    return get_viewer(user, merge.conversation.dataset.project, require=require), merge


def may_see_effects(viewer: Viewer, golden: Golden) -> bool:
    """Whether somebody may see what a golden says of all recorded runs of its conversation.

    That is one's own work while one writes it. Who is blinded may no longer ask once it is handed in: it may then be
    what stored verdicts were computed from, and those wait for their own labels.
    """
    return not viewer.is_blinded or (golden.annotator_id == viewer.user.pk and golden.is_open)


def may_compare_in_force(viewer: Viewer) -> bool:
    """Whether somebody may set a golden beside the one in force, which others mostly wrote."""
    return not viewer.is_blinded


def get_gold_turn_or_404(
    user: User | AnonymousUser, golden_id: UUID, pk: int, *, require: str = Capability.ANNOTATE
) -> tuple[Viewer, GoldTurn]:
    """A turn of a golden, to be edited."""
    viewer, golden = get_golden_or_404(user, golden_id, require=require, to_edit=True)
    turn = _first(golden.turns.filter(pk=pk))
    turn.golden = golden
    return viewer, turn


def signed_in(
    view: Callable[Concatenate[HttpRequest, ...], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, ...], HttpResponseBase]:
    """Asks for a sign-in. An htmx request gets 401 with a header instead of a login page in a fragment."""
    inner = login_required(view)

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated and request.headers.get("HX-Request") == "true":
            said = say("Your session has ended. Sign in again; what you typed is still here.")
            response = HttpResponse(said, status=401)
            response["HX-Reswap"] = "none"
            response["X-Session-Ended"] = "1"
            return response
        return inner(request, *args, **kwargs)

    return wrapped


def _nothing_here() -> str:
    return say("There is nothing here, or you are not a member of its project.")


def _first(queryset: models.QuerySet[M]) -> M:
    found = queryset.first()
    if found is None:
        raise Http404(_nothing_here())
    return found
