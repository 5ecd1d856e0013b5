"""Projects, their people and their history."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import IntegrityError
from django.urls import path, reverse
from django.utils import timezone
from django.utils.text import slugify
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.api.base import Endpoint, Input, PageQuery, PersonSerializer, Row, found_or_404, operation
from annotations.models import Capability, Change, Invitation, Membership, Project, Role
from annotations.services import projects, queue

project = partial(operation, tag="projects")
people = partial(operation, tag="people")


class ProjectSerializer(Row):
    role = serializers.SerializerMethodField(help_text="One's own role in it.")

    class Meta:
        model = Project
        fields = ("slug", "name", "description", "is_blind", "overlap", "is_demo", "created_at", "revision", "role")
        read_only_fields = fields

    def get_role(self, row: Project) -> str | None:
        """From the context where it is known already, such as on a page of projects."""
        roles = self.context.get("roles", {})
        return roles.get(row.pk) or getattr(self.context.get("viewer"), "role", None)


class ChangedProjectSerializer(ProjectSerializer):
    note = serializers.SerializerMethodField(
        help_text="What another number of people per conversation does to work under way; else empty."
    )

    class Meta:
        model = Project
        fields = (*ProjectSerializer.Meta.fields, "note")
        read_only_fields = fields

    def get_note(self, row: Project) -> str:
        return str(self.context["note"])


class ProjectInput(Input):
    name = serializers.CharField(max_length=120)
    slug = serializers.SlugField(
        max_length=60, required=False, help_text="In addresses; made from the name if left out."
    )
    description = serializers.CharField(required=False, allow_blank=True, default="")
    is_blind = serializers.BooleanField(required=False, default=True)
    overlap = serializers.IntegerField(required=False, default=1, min_value=1, max_value=20)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs["slug"] = attrs.get("slug") or slugify(attrs["name"])[:60]
        if not attrs["slug"]:
            raise ValidationError({"slug": "The name has no letters that can stand in an address: give a slug."})
        if Project.objects.filter(slug=attrs["slug"]).exists():
            raise ValidationError({"slug": f"There is a project with the slug {attrs['slug']} already."})
        return attrs


class ProjectPatch(Input):
    seen_revision = serializers.IntegerField(min_value=0)
    name = serializers.CharField(max_length=120, required=False)
    description = serializers.CharField(required=False, allow_blank=True)
    is_blind = serializers.BooleanField(required=False)
    overlap = serializers.IntegerField(required=False, min_value=1, max_value=20)


class ProjectList(Endpoint):
    @project(
        "list_projects",
        "The projects of which one is a member.",
        query=PageQuery,
        answers=ProjectSerializer,
        is_page=True,
    )
    def get(self, request: Request) -> Response:
        self.query(PageQuery)
        return self.page(Project.objects.visible_to(self.user), ProjectSerializer, order=("slug",), prepare=self._roles)

    def _roles(self, found: list[Project]) -> dict[str, Any]:
        memberships = Membership.objects.filter(user=self.user, project__in=found)
        return {"roles": dict(memberships.values_list("project_id", "role"))}

    @project(
        "create_project",
        "A project with oneself as its owner.",
        body=ProjectInput,
        answers=ProjectSerializer,
        status=201,
    )
    def post(self, request: Request) -> Response:
        given = self.body(ProjectInput)
        try:
            made = projects.create_project(by=self.user, **given)
        except IntegrityError as error:  # somebody took the slug this very moment
            raise ValidationError({"slug": "There is a project with this slug already."}) from error
        return self.answer(ProjectSerializer, made, status=201, roles={made.pk: Role.OWNER.value})


class ProjectDetail(Endpoint):
    conflict_row = ProjectSerializer

    @project("get_project", "One project.", answers=ProjectSerializer)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        return self.answer(ProjectSerializer, viewer.project, viewer=viewer)

    @project(
        "update_project",
        "Change its settings; what is left out stays.",
        body=ProjectPatch,
        answers=ChangedProjectSerializer,
        conflict=True,
    )
    def patch(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        row = viewer.project
        given = self.body(ProjectPatch)
        kept = {name: getattr(row, name) for name in ("name", "description", "is_blind", "overlap")}
        now, overlap = timezone.now(), row.overlap
        row = projects.update_project(project=row, by=self.user, now=now, **{**kept, **given})
        note = queue.effect_of_overlap(row, overlap, now)
        return self.answer(ChangedProjectSerializer, row, viewer=viewer, note=note)


# --- people ---


class MemberSerializer(Row):
    user = PersonSerializer(read_only=True)

    class Meta:
        model = Membership
        fields = ("id", "user", "role", "created_at")
        read_only_fields = fields


class RoleInput(Input):
    role = serializers.ChoiceField(choices=Role.choices)


class InvitationSerializer(Row):
    created_by = PersonSerializer(read_only=True)

    class Meta:
        model = Invitation
        fields = ("id", "role", "note", "created_by", "created_at", "expires_at")
        read_only_fields = fields


class NewInvitationSerializer(InvitationSerializer):
    secret = serializers.SerializerMethodField(help_text="Shown this once: only its digest is kept.")
    link = serializers.SerializerMethodField(help_text="The page on which the invited person joins.")

    class Meta:
        model = Invitation
        fields = (*InvitationSerializer.Meta.fields, "secret", "link")
        read_only_fields = fields

    def get_secret(self, row: Invitation) -> str:
        return str(self.context["secret"])

    def get_link(self, row: Invitation) -> str:
        link: str = self.context["request"].build_absolute_uri(
            reverse("annotations:join", args=[self.context["secret"]])
        )
        return link


class InvitationInput(RoleInput):
    note = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class AcceptInput(Input):
    secret = serializers.CharField(max_length=200)


class MemberList(Endpoint):
    @people("list_members", "The people of a project.", query=PageQuery, answers=MemberSerializer, is_page=True)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        self.query(PageQuery)
        return self.page(viewer.project.memberships.select_related("user"), MemberSerializer, order=("pk",))


class MemberDetail(Endpoint):
    @people("change_role", "Give a member another role.", body=RoleInput, answers=MemberSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        membership = self._member(slug, pk)
        projects.change_role(membership=membership, role=self.body(RoleInput)["role"], by=self.user)
        membership.refresh_from_db(fields=["role"])
        return self.answer(MemberSerializer, membership)

    @people("remove_member", "Take a member out. What they wrote stays.", status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        projects.remove_member(membership=self._member(slug, pk), by=self.user)
        return Response(status=204)

    def _member(self, slug: str, pk: int) -> Membership:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        found: Membership = found_or_404(viewer.project.memberships.select_related("user", "project"), pk=pk)
        return found


class InvitationList(Endpoint):
    @people(
        "list_invitations",
        "Open invitations, without their secrets.",
        query=PageQuery,
        answers=InvitationSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        self.query(PageQuery)
        waiting = viewer.project.invitations.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
        return self.page(waiting.select_related("created_by"), InvitationSerializer, order=("-pk",))

    @people(
        "create_invitation",
        "A link with which one person joins. It is in this answer only.",
        body=InvitationInput,
        answers=NewInvitationSerializer,
        status=201,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        given = self.body(InvitationInput)
        invitation, secret = projects.invite(project=viewer.project, by=self.user, now=timezone.now(), **given)
        return self.answer(NewInvitationSerializer, invitation, status=201, secret=secret)


class InvitationDetail(Endpoint):
    @people("revoke_invitation", "Make an open invitation useless.", status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        invitation = found_or_404(viewer.project.invitations.select_related("project"), pk=pk)
        projects.revoke_invitation(invitation=invitation, by=self.user, now=timezone.now())
        return Response(status=204)


class InvitationAccept(Endpoint):
    @people(
        "accept_invitation",
        "Join the project of an invitation, with the account that one has.",
        body=AcceptInput,
        answers=ProjectSerializer,
    )
    def post(self, request: Request) -> Response:
        now = timezone.now()
        invitation = projects.find_open_invitation(secret=self.body(AcceptInput)["secret"], now=now)
        if invitation is None:
            raise ValidationError({"secret": "This invitation was used, revoked or has expired."})
        membership = projects.accept_invitation(invitation=invitation, user=self.user, now=now)
        return self.answer(ProjectSerializer, invitation.project, roles={invitation.project_id: membership.role})


# --- history ---


class ChangeSerializer(Row):
    actor = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = Change
        fields = ("id", "at", "actor", "action", "subject_type", "subject_id", "before", "after")
        read_only_fields = fields


class HistoryList(Endpoint):
    @project(
        "list_changes",
        "Who changed what, the newest first. A blinded annotator sees their own changes only.",
        query=PageQuery,
        answers=ChangeSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        self.query(PageQuery)
        changes = Change.objects.filter(project=viewer.project).select_related("actor")
        if viewer.is_blinded:
            changes = changes.filter(actor=self.user)
        return self.page(changes, ChangeSerializer, order=("-pk",))


urlpatterns: list[Any] = [
    path("projects/", ProjectList.as_view(), name="project-list"),
    path("projects/<slug:slug>/", ProjectDetail.as_view(), name="project-detail"),
    path("projects/<slug:slug>/members/", MemberList.as_view(), name="member-list"),
    path("projects/<slug:slug>/members/<int:pk>/", MemberDetail.as_view(), name="member-detail"),
    path("projects/<slug:slug>/invitations/", InvitationList.as_view(), name="invitation-list"),
    path("projects/<slug:slug>/invitations/<int:pk>/", InvitationDetail.as_view(), name="invitation-detail"),
    path("invitations/accept/", InvitationAccept.as_view(), name="invitation-accept"),
    path("projects/<slug:slug>/history/", HistoryList.as_view(), name="history-list"),
]
