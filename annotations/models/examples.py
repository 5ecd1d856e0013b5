"""Examples that stand beside a guideline, by what is wrong in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models.datasets import Conversation
from annotations.models.goldens import Golden
from annotations.models.guidelines import Guideline
from annotations.models.labels import FailureReasonChoice, TurnLabel
from annotations.models.people import User
from annotations.models.trajectories import Trajectory

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

GENERAL, PASSES = "general", "passes"
#: Under what an example stands: AEM's published failure reasons, what passes, and what is about none of them.
EXAMPLE_GROUPS: tuple[tuple[str, _StrOrPromise], ...] = (
    (GENERAL, _("In general")),
    *FailureReasonChoice.choices,
    (PASSES, _("Passes")),
)


class GuidelineExample(models.Model):
    """One example of one version of a guideline. Never changed: another one is part of a new version.

    Where it came from is named by the conversation, and by a golden or a trajectory of it with a turn.
    """

    guideline = models.ForeignKey(Guideline, on_delete=models.CASCADE, related_name="examples")
    position = models.PositiveIntegerField()
    reason = models.CharField(max_length=40, choices=EXAMPLE_GROUPS)
    text = models.CharField(max_length=1000)
    verdict = models.CharField(max_length=10, choices=TurnLabel.choices, blank=True)
    why = models.TextField(blank=True)
    conversation = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="Where it is from."
    )
    golden = models.ForeignKey(Golden, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    trajectory = models.ForeignKey(Trajectory, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    path = models.CharField(max_length=100, blank=True)
    turn_key = models.CharField(max_length=100, blank=True)
    added_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        ordering = ("guideline", "position")
        constraints = [
            models.UniqueConstraint(fields=("guideline", "position"), name="one_guideline_example_a_position"),
            models.CheckConstraint(condition=~models.Q(text=""), name="guideline_example_has_a_text"),
            models.CheckConstraint(
                condition=models.Q(reason__in=[name for name, _ in EXAMPLE_GROUPS]),
                name="guideline_example_reason_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.text}"

    def copied(self) -> GuidelineExample:
        """The same, not stored yet and of no version."""
        said = ("reason", "text", "verdict", "why", "added_by_id", "added_at")
        source = ("conversation_id", "golden_id", "trajectory_id", "path", "turn_key")
        return GuidelineExample(**{name: getattr(self, name) for name in (*said, *source)})
