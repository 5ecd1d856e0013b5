"""Goldens: as people write them (rows), and as they were accepted (documents)."""

from __future__ import annotations

import uuid

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotations.models.datasets import Conversation, ToolSet
from annotations.models.fields import ExactJSONField
from annotations.models.guidelines import Guideline
from annotations.models.people import Project, User
from annotations.models.trajectories import Trajectory


class GoldenRecord(models.Model):
    """An accepted golden of one conversation, with its tools and policy. An immutable document.

    ``body`` is ``{"golden": {"paths", "forbidden", "outcome"}, "policy": {...}}``; the hash covers body and tools.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="golden_records")
    number = models.PositiveIntegerField()
    body = ExactJSONField()
    tool_set = models.ForeignKey(ToolSet, on_delete=models.PROTECT, related_name="+")
    content_hash = models.CharField(max_length=64)
    turn_count = models.PositiveIntegerField(help_text="Agent and tool turns of the first path.")
    golden = models.ForeignKey(
        "Golden",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="records",
        help_text="What it was made of.",
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("conversation", "-number")
        constraints = [
            models.UniqueConstraint(fields=("conversation", "number"), name="one_golden_record_a_number"),
            models.UniqueConstraint(fields=("conversation", "content_hash"), name="one_golden_record_a_hash"),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} golden {self.number}"


class GoldenStatus(models.TextChoices):
    DRAFT = "draft", _("Draft")
    SUBMITTED = "submitted", _("Submitted")
    RETURNED = "returned", _("Returned")
    ACCEPTED = "accepted", _("Accepted")


class GoldenQuerySet(models.QuerySet["Golden"]):
    def in_project(self, project: Project) -> GoldenQuerySet:
        return self.filter(conversation__dataset__project=project)

    def awaiting_review(self) -> GoldenQuerySet:
        return self.filter(status=GoldenStatus.SUBMITTED)

    def being_written(self) -> GoldenQuerySet:
        return self.filter(status__in=(GoldenStatus.DRAFT, GoldenStatus.RETURNED))


class Golden(models.Model):
    """One person's annotation of one conversation, while it is written and reviewed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="goldens")
    annotator = models.ForeignKey(User, on_delete=models.PROTECT, related_name="goldens")
    status = models.CharField(max_length=20, choices=GoldenStatus.choices, default=GoldenStatus.DRAFT)
    source_trajectory = models.ForeignKey(
        Trajectory,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="What it was drafted from.",
    )
    forbidden = ExactJSONField(default=list)
    outcome = ExactJSONField(default=list)
    policy = ExactJSONField(default=dict)
    extra = ExactJSONField(default=dict, help_text="Unknown keys of an imported golden; exported again.")
    prefill = ExactJSONField(
        default=dict, help_text="Which runs it was drafted from, what was left out, what does not pass."
    )
    comment = models.TextField(blank=True)
    review_comment = models.TextField(blank=True)
    guideline = models.ForeignKey(Guideline, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    reviewed_at = models.DateTimeField(null=True, blank=True)

    objects = GoldenQuerySet.as_manager()

    class Meta:
        ordering = ("-updated_at",)
        constraints = [
            models.UniqueConstraint(fields=("conversation", "annotator"), name="one_golden_a_person"),
            models.CheckConstraint(condition=models.Q(status__in=GoldenStatus.values), name="golden_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} by {self.annotator}"

    def get_absolute_url(self) -> str:
        return reverse("annotations:golden-detail", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.status in (GoldenStatus.DRAFT, GoldenStatus.RETURNED)


class TurnKind(models.TextChoices):
    USER = "user", _("User")
    RESPONSE = "response", _("Reply")
    ACTION = "action", _("Call")


class GoldTurn(models.Model):
    """One turn of a golden being written: an aem/1 golden turn, saved by itself under its own revision.

    ``turn_no`` counts agent and tool turns from 1 within the path; user turns have none. ``position`` orders them all.
    """

    golden = models.ForeignKey(Golden, on_delete=models.CASCADE, related_name="turns")
    path = models.CharField(max_length=100, default="main")
    path_position = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField()
    turn_no = models.PositiveIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10, choices=TurnKind.choices)
    body = ExactJSONField(help_text="The aem/1 golden turn, its id included.")
    observed_index = models.PositiveIntegerField(
        null=True, blank=True, help_text="The turn of the source trajectory that it was drafted from."
    )
    is_done = models.BooleanField(default=False, help_text="A person has saved it.")
    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("path_position", "position")
        constraints = [
            models.UniqueConstraint(fields=("golden", "path", "position"), name="one_gold_turn_a_position"),
            models.CheckConstraint(condition=models.Q(kind__in=TurnKind.values), name="gold_turn_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn_no} of {self.golden}"

    @property
    def key(self) -> str:
        return str(self.body.get("id", ""))
