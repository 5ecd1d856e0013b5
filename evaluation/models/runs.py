"""Evaluation runs: what was to be scored, how far it has come, and what came out."""

from __future__ import annotations

import uuid

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotations.models import DatasetVersion, GoldenRecord, Project, Trajectory, User
from annotations.models.fields import ExactJSONField
from evaluation.aem.language import say


class Policy(models.Model):
    """How a run judges what the records leave open. An immutable document; an edit makes the next number."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="policies")
    name = models.CharField(max_length=80, default="standard")
    number = models.PositiveIntegerField()
    body = ExactJSONField()
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "-number")
        constraints = [models.UniqueConstraint(fields=("project", "name", "number"), name="one_policy_a_number")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class RunState(models.TextChoices):
    PENDING = "pending", _("Waiting")
    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class EvaluationRun(models.Model):
    """Trajectories scored against a dataset version under a policy. Plan and versions are frozen at the start."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True)
    dataset_version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="runs")
    policy = models.ForeignKey(Policy, on_delete=models.PROTECT, related_name="runs")
    plan_hash = models.CharField(max_length=64, help_text="Over the hashes of version, policy and every trajectory.")
    engine_version = models.CharField(max_length=20)
    vocabulary = models.ForeignKey(
        "evaluation.Vocabulary",
        null=True,
        on_delete=models.PROTECT,
        related_name="runs",
        help_text="None: built-in only.",
    )
    scorer_version = models.CharField(
        max_length=120, blank=True, help_text="Version of what compares meanings, with its model; empty under `exact`."
    )
    effort = ExactJSONField(
        null=True, help_text="Comparisons asked for, made and taken from before; a judge's tokens and cost."
    )
    follows = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.SET_NULL,
        related_name="followed_by",
        help_text="The run of which this one scores some trajectories again, against the goldens in force.",
    )
    selection = ExactJSONField(default=dict, help_text="Which agent versions and trials were asked for; empty: all.")
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.PENDING)
    summary = ExactJSONField(null=True, help_text="Aggregates, written by the worker that finished the run.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(fields=("project", "number"), name="one_run_a_number"),
            models.CheckConstraint(condition=models.Q(state__in=RunState.values), name="run_state_is_known"),
        ]

    def __str__(self) -> str:
        return say("Run {number}", number=self.number) + (f" · {self.name}" if self.name else "")

    def get_absolute_url(self) -> str:
        return reverse("evaluation:run-detail", args=[self.pk])

    @property
    def is_part(self) -> bool:
        """Whether it scores some trajectories of another run again, and so stands for no dataset."""
        return self.follows_id is not None


class ChunkState(models.TextChoices):
    READY = "ready", _("Ready")
    LEASED = "leased", _("In work")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class RunChunk(models.Model):
    """A stretch of a run's items that one worker claims, scores and commits at once."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField()
    first_item = models.PositiveIntegerField()
    last_item = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=ChunkState.choices, default=ChunkState.READY)
    owner = models.CharField(max_length=120, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True, help_text="Why the last attempt failed.")
    effort = ExactJSONField(null=True, help_text="Comparisons of meaning that its verdicts asked for.")

    class Meta:
        ordering = ("run", "position")
        constraints = [
            models.UniqueConstraint(fields=("run", "position"), name="one_chunk_a_position"),
            models.CheckConstraint(condition=models.Q(state__in=ChunkState.values), name="chunk_state_is_known"),
        ]
        indexes = [models.Index(fields=("state", "id"), name="chunk_state")]

    def __str__(self) -> str:
        return f"{self.run} chunk {self.position}"


class RunItemQuerySet(models.QuerySet["RunItem"]):
    def scored(self) -> RunItemQuerySet:
        return self.filter(verdict__error="")

    def not_scored(self) -> RunItemQuerySet:
        """Those that were looked at and could not be scored."""
        return self.filter(verdict__isnull=False).exclude(verdict__error="")

    def with_staleness(self) -> RunItemQuerySet:
        """Adds ``golden_changed`` and ``trajectory_replaced``: whether the verdict still speaks of what is in force."""
        in_force = models.Q(golden_record_id=models.F("trajectory__conversation__golden_record_id"))
        return self.annotate(
            golden_changed=models.Case(models.When(in_force, then=False), default=True),
            trajectory_replaced=models.ExpressionWrapper(
                models.Q(trajectory__superseded_at__isnull=False), output_field=models.BooleanField()
            ),
        )


class RunItem(models.Model):
    """One trajectory to be scored against one golden record in a run."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    trajectory = models.ForeignKey(Trajectory, on_delete=models.PROTECT, related_name="run_items")
    golden_record = models.ForeignKey(GoldenRecord, on_delete=models.PROTECT, related_name="run_items")

    objects = RunItemQuerySet.as_manager()

    class Meta:
        ordering = ("run", "position")
        constraints = [
            models.UniqueConstraint(fields=("run", "position"), name="one_item_a_position_in_a_run"),
            models.UniqueConstraint(fields=("run", "trajectory"), name="one_item_a_trajectory"),
        ]

    def __str__(self) -> str:
        return f"{self.run} item {self.position}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation:item-detail", args=[self.run_id, self.position])
