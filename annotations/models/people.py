"""Accounts, projects and who may do what in them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken

from annotations.models.fields import ExactJSONField


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox has no types
    """A person. What others see of them is the display name."""

    display_name = models.CharField(max_length=120, blank=True)
    is_demo = models.BooleanField(default=False, help_text="Made by the demo project; its password is public.")
    imported_into = models.ForeignKey(
        "Project",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Set for people who exist only as the authors of imported labels; they cannot sign in.",
    )
    imported_name = models.CharField(max_length=150, blank=True, help_text="What an import called this person.")
    language = models.CharField(
        max_length=8,
        blank=True,
        choices=settings.LANGUAGES,
        help_text="Of the pages; empty: what the browser asks for.",
    )
    chosen_keys = ExactJSONField(
        default=dict, blank=True, help_text="Keys chosen instead of the usual ones, by the name of the action."
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=~models.Q(username=""), name="user_has_a_name"),
            models.UniqueConstraint(fields=("imported_into", "imported_name"), name="one_imported_person_a_name"),
        ]

    def __str__(self) -> str:
        return self.display_name or self.imported_name or self.username

    @property
    def export_name(self) -> str:
        """What exports call this person: an import's own name comes out again."""
        return self.imported_name or self.username


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("Annotator")
    ADJUDICATOR = "adjudicator", _("Adjudicator")
    ENGINEER = "engineer", _("Agent engineer")
    OWNER = "owner", _("Owner")


class Capability(models.TextChoices):
    """What a role allows; views and API ask for these, never for role names."""

    VIEW = "view"
    ANNOTATE = "annotate"
    LABEL = "label"
    ADJUDICATE = "adjudicate"
    IMPORT = "import"
    RUN = "run"
    EXPORT = "export"
    MANAGE = "manage"


ROLE_CAPABILITIES: dict[str, frozenset[str]] = {
    Role.ANNOTATOR: frozenset({Capability.VIEW, Capability.ANNOTATE, Capability.LABEL}),
    Role.ADJUDICATOR: frozenset(
        {Capability.VIEW, Capability.ANNOTATE, Capability.LABEL, Capability.ADJUDICATE, Capability.EXPORT}
    ),
    Role.ENGINEER: frozenset({Capability.VIEW, Capability.IMPORT, Capability.RUN, Capability.EXPORT}),
    Role.OWNER: frozenset(Capability),
}


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: Any) -> ProjectQuerySet:
        """The projects of which this person is a member."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user).order_by("name")


class Project(models.Model):
    """One body of work: its people, datasets, guideline and rules."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    is_blind = models.BooleanField(
        "blind",
        default=True,
        help_text="Annotators see neither others' work nor the machine's verdict before they have saved their own.",
    )
    overlap = models.PositiveSmallIntegerField(
        "people per conversation", default=1, help_text="How many annotators write a golden for each."
    )
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    revision = models.PositiveIntegerField(default=1)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(overlap__gte=1) & models.Q(overlap__lte=20), name="overlap_1_to_20"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("evaluation:project-detail", args=[self.slug])


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("user__username",)
        constraints = [
            models.UniqueConstraint(fields=("project", "user"), name="one_role_a_member"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.project}: {self.get_role_display()}"

    def allows(self, capability: str) -> bool:
        return capability in ROLE_CAPABILITIES[self.role]


class Invitation(models.Model):
    """A link with which one person joins a project. Only a digest of its secret is kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role.choices)
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is; only owners see this.")
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.project} as {self.get_role_display()}"

    def is_open(self, now: datetime) -> bool:
        return self.accepted_at is None and self.revoked_at is None and now < self.expires_at


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """A token for the API: only its digest is stored, it is shown once and can be revoked."""

    name = models.CharField(max_length=80, default="API")

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key}…)"
