"""Policies tried before they are kept: what a draft would change in the verdicts of a stored run."""

from __future__ import annotations

import uuid

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotations.models import Project, User
from annotations.models.fields import ExactJSONField
from evaluation.aem.language import say
from evaluation.models.runs import EvaluationRun, Policy


class TrialState(models.TextChoices):
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    STOPPED = "stopped", _("Stopped")
    FAILED = "failed", _("Failed")


class PolicyTrial(models.Model):
    """A draft of a policy, scored on the items of a run, and compared with what that run says.

    ``done`` counts the items that are behind it: slices are taken in order, and each moves it on in the transaction
    that writes what it found. ``counts`` is exact; the verdicts of the run stay as they are.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="policy_trials")
    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="trials")
    policy = models.ForeignKey(
        Policy, null=True, on_delete=models.CASCADE, related_name="trials", help_text="The number that was edited."
    )
    name = models.CharField(max_length=80)
    seen_number = models.PositiveIntegerField(default=0, help_text="The newest number of that name when it was edited.")
    body = ExactJSONField()
    content_hash = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=TrialState.choices, default=TrialState.RUNNING)
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    counts = ExactJSONField(default=dict)
    error = models.TextField(blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    moved_at = models.DateTimeField(
        help_text="When its last slice was done; one that rests too long is rung for again."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=TrialState.values), name="trial_state_is_known"),
            models.CheckConstraint(condition=models.Q(done__lte=models.F("total")), name="trial_does_no_more_than_all"),
        ]

    def __str__(self) -> str:
        return say("{policy} tried on {run}", policy=self.name, run=self.run)

    def get_absolute_url(self) -> str:
        return reverse("evaluation:policy-trial", args=[self.project.slug, self.pk])

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when nothing is left."""
        return 100 * self.done // self.total if self.total else 100

    @property
    def is_running(self) -> bool:
        return self.state == TrialState.RUNNING


class TrialChange(models.Model):
    """A verdict that would change: of one golden turn, or with ``turn_no`` 0 of the trajectory as a whole.

    ``change`` names both states, such as ``fail>pass``; it is empty where only the ambiguity changes. ``before`` and
    ``after`` hold the verdicts as far as people need them to see why.
    """

    trial = models.ForeignKey(PolicyTrial, on_delete=models.CASCADE, related_name="changes")
    position = models.PositiveIntegerField(help_text="Of the item in the run.")
    turn_no = models.PositiveIntegerField()
    turn_key = models.TextField(blank=True)
    tool = models.TextField(blank=True)
    action = models.TextField(blank=True)
    change = models.CharField(max_length=40, blank=True)
    ambiguity = models.CharField(max_length=10, blank=True, help_text="`begins`, `ends`, or empty.")
    before = ExactJSONField(default=dict)
    after = ExactJSONField(default=dict)

    class Meta:
        ordering = ("trial", "position", "turn_no")
        constraints = [models.UniqueConstraint(fields=("trial", "position", "turn_no"), name="one_trial_change_a_turn")]

    def __str__(self) -> str:
        return f"{self.change or self.ambiguity} at {self.position}:{self.turn_no}"
