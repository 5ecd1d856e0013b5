"""What the machine computed: a verdict per trajectory and one per golden turn."""

from __future__ import annotations

from django.db import models

from annotations.models.fields import ExactJSONField
from evaluation.models.runs import EvaluationRun, RunItem


class Verdict(models.Model):
    """The result document of one run item, in columns. With ``error`` set it could not be scored."""

    item = models.OneToOneField(RunItem, primary_key=True, on_delete=models.CASCADE, related_name="verdict")
    error = models.TextField(blank=True)
    path = models.TextField(blank=True)
    success_rate = models.FloatField(null=True)
    test_pass = models.BooleanField(null=True)
    first_failure_turn = models.PositiveIntegerField(null=True)
    root_cause = models.CharField(max_length=40, blank=True)
    root_cause_count = models.PositiveIntegerField(default=0)
    cascading_count = models.PositiveIntegerField(default=0)
    evaluated = models.PositiveIntegerField(default=0, help_text="Turns that passed or failed.")
    passed = models.PositiveIntegerField(default=0)
    ambiguous = models.PositiveIntegerField(default=0)
    not_scored = models.PositiveIntegerField(default=0, help_text="Turns on which a scorer gave no readable answer.")
    structural = models.FloatField(null=True)
    completeness = models.FloatField(null=True)
    truthfulness = models.FloatField(null=True)
    chain_length = models.PositiveIntegerField(default=0)
    chain_bucket = models.CharField(max_length=10, blank=True)
    outcome = ExactJSONField(default=list)
    unexpected = ExactJSONField(default=list)

    def __str__(self) -> str:
        return f"verdict on {self.item}"


class TurnVerdictQuerySet(models.QuerySet["TurnVerdict"]):
    def in_run(self, run: EvaluationRun) -> TurnVerdictQuerySet:
        return self.filter(verdict__item__run=run)

    def root_causes(self) -> TurnVerdictQuerySet:
        return self.filter(passed=False).exclude(failure_reason="prior_action_failed")

    def cascades(self) -> TurnVerdictQuerySet:
        return self.filter(failure_reason="prior_action_failed")


class TurnVerdict(models.Model):
    """One golden turn of one verdict. ``detail`` explains failures and ambiguous turns."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="turns", db_index=False)
    turn_no = models.PositiveIntegerField()
    # Names come from goldens as they are; a limit on their length would make a chunk fail for the sake of one.
    turn_key = models.TextField()
    kind = models.CharField(max_length=10)
    tool = models.TextField(blank=True)
    action = models.TextField(blank=True)
    observed = models.PositiveIntegerField(null=True)
    skipped = models.BooleanField(default=False)
    passed = models.BooleanField(null=True)
    failure_reason = models.CharField(max_length=40, blank=True)
    reasons = ExactJSONField(null=True)
    fields = ExactJSONField(null=True)
    cascade_of = ExactJSONField(null=True, help_text="turn_no of the root causes it comes from.")
    ambiguous = models.BooleanField(default=False)
    structural = models.FloatField(null=True)
    completeness = models.FloatField(null=True)
    truthfulness = models.FloatField(null=True)
    detail = ExactJSONField(null=True)

    objects = TurnVerdictQuerySet.as_manager()

    class Meta:
        ordering = ("verdict", "turn_no")
        constraints = [models.UniqueConstraint(fields=("verdict", "turn_no"), name="one_turn_verdict_a_turn")]

    def __str__(self) -> str:
        return f"turn {self.turn_no} of {self.verdict}"

    @property
    def is_cascade(self) -> bool:
        return self.failure_reason == "prior_action_failed"

    @property
    def is_unscored(self) -> bool:
        """Whether no scorer could say if the turn passes."""
        return self.passed is None and not self.skipped

    @property
    def is_root_cause(self) -> bool:
        return self.passed is False and not self.is_cascade
