"""What people say about what an agent did."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models.fields import ExactJSONField
from annotations.models.guidelines import Guideline
from annotations.models.people import Project, User
from annotations.models.trajectories import Trajectory


class TurnLabel(models.TextChoices):
    PASS = "pass", _("Pass")
    FAIL = "fail", _("Fail")
    UNSURE = "unsure", _("Unsure")
    NOT_AGENT = "not_agent", _("Not the agent's fault")


class SubLabel(models.TextChoices):
    PASS = "pass", _("Pass")
    FAIL = "fail", _("Fail")
    UNSURE = "unsure", _("Unsure")


class Attribution(models.TextChoices):
    ROOT = "root", _("Root cause")
    CASCADE = "cascade", _("Cascade")


class FailureReasonChoice(models.TextChoices):
    """AEM's published names, in their order of rank; ``prior_action_failed`` is said by the attribution, not here."""

    TOOL_MISMATCH = "tool_mismatch", _("Other tool or nothing done")
    ACTION_MISMATCH = "action_mismatch", _("Other action of the tool")
    MISSING_PARAMETERS = "missing_parameters", _("Missing parameters")
    EXTRA_PARAMETERS = "extra_parameters", _("Extra parameters")
    INCONSISTENT_PARAMETER_VALUES = "inconsistent_parameter_values", _("Wrong parameter values")
    INCOMPLETE_RESPONSE = "incomplete_response", _("Incomplete reply")
    INCONSISTENT_RESPONSE = "inconsistent_response", _("Reply says something else")


class Judgement(models.Model):
    """The fields that a label and a decision share: what is said about one golden turn of one trajectory.

    The turn is named by its path and its golden turn id, which stay the same over versions of the golden and over runs.
    """

    path = models.CharField(max_length=100)
    turn_key = models.CharField(max_length=100)
    verdict = models.CharField(
        max_length=10, choices=TurnLabel.choices, blank=True, help_text="Empty where an import judged sub-metrics only."
    )
    structural = models.CharField(max_length=10, choices=SubLabel.choices, blank=True)
    completeness = models.CharField(max_length=10, choices=SubLabel.choices, blank=True)
    truthfulness = models.CharField(max_length=10, choices=SubLabel.choices, blank=True)
    failure_reason = models.CharField(max_length=40, choices=FailureReasonChoice.choices, blank=True)
    attribution = models.CharField(max_length=10, choices=Attribution.choices, blank=True)
    cascade_of = ExactJSONField(default=list, help_text="Ids of the golden turns it is inherited from.")
    extra = ExactJSONField(default=dict, help_text="Unknown keys of an import; exported again.")
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class HumanLabelQuerySet(models.QuerySet["HumanLabel"]):
    def in_project(self, project: Project) -> HumanLabelQuerySet:
        return self.filter(trajectory__conversation__dataset__project=project)


class HumanLabel(Judgement):
    """One person's verdict on one turn of one trajectory."""

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="labels")
    annotator = models.ForeignKey(User, on_delete=models.PROTECT, related_name="labels")
    comment = models.TextField(blank=True)
    guideline = models.ForeignKey(Guideline, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    objects = HumanLabelQuerySet.as_manager()

    class Meta:
        ordering = ("trajectory", "path", "turn_key", "annotator")
        constraints = [
            models.UniqueConstraint(fields=("trajectory", "path", "turn_key", "annotator"), name="one_label_a_person"),
            models.CheckConstraint(
                condition=models.Q(verdict__in=["", *TurnLabel.values]), name="label_verdict_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.turn_key} {self.verdict}"
