"""What was decided about work that was made under an older guideline."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models.goldens import Golden
from annotations.models.guidelines import Guideline
from annotations.models.history import Change
from annotations.models.labels import HumanLabel
from annotations.models.people import Project, User


class SecondLookKind(models.TextChoices):
    RIGHT = "right", _("Still right")
    AGAIN = "again", _("Ask again")


class SecondLook(models.Model):
    """What somebody decided about one golden or one label: it holds under this version, or is to be made again.

    Each act is a change of the history and has a row for each golden and label; its undo takes the rows away.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="second_looks")
    kind = models.CharField(max_length=10, choices=SecondLookKind.choices)
    guideline = models.ForeignKey(
        Guideline, on_delete=models.CASCADE, related_name="+", help_text="The version that was in force."
    )
    golden = models.ForeignKey(Golden, null=True, blank=True, on_delete=models.CASCADE, related_name="looks")
    label = models.ForeignKey(HumanLabel, null=True, blank=True, on_delete=models.CASCADE, related_name="looks")
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    comment = models.TextField(blank=True, help_text="What whoever is asked again reads.")
    act = models.ForeignKey(Change, on_delete=models.CASCADE, related_name="looks")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=SecondLookKind.values), name="second_look_kind_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(golden__isnull=True, label__isnull=False)
                | models.Q(golden__isnull=False, label__isnull=True),
                name="second_look_is_at_one_thing",
            ),
            models.UniqueConstraint(fields=("golden", "guideline", "kind"), name="one_second_look_a_golden"),
            models.UniqueConstraint(fields=("label", "guideline", "kind"), name="one_second_look_a_label"),
        ]

    def __str__(self) -> str:
        return f"{self.golden or self.label}: {self.kind} under version {self.guideline.number}"
