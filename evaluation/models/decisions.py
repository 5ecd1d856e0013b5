"""Final labels: what an adjudicator decided."""

from __future__ import annotations

from django.db import models

from annotations.models import Judgement, Project, Trajectory, User


class DecisionQuerySet(models.QuerySet["Decision"]):
    def in_project(self, project: Project) -> DecisionQuerySet:
        return self.filter(trajectory__conversation__dataset__project=project)


class Decision(Judgement):
    """The adjudicated label of one turn of one trajectory, with the reason."""

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="decisions")
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="decisions")
    reason = models.TextField()

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ("trajectory", "path", "turn_key")
        constraints = [
            models.UniqueConstraint(fields=("trajectory", "path", "turn_key"), name="one_decision_a_turn"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="decision_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.turn_key}: {self.verdict}"
