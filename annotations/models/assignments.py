"""Who is to annotate which conversation, and until when it is theirs."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from annotations.models.datasets import Conversation
from annotations.models.people import User


class AssignmentState(models.TextChoices):
    CLAIMED = "claimed", "In work"
    DONE = "done", "Done"
    SKIPPED = "skipped", "Skipped"
    LAPSED = "lapsed", "Lapsed"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def holding(self, now: datetime) -> AssignmentQuerySet:
        """Those that take one of the conversation's places now: done, or in work and not lapsed."""
        return self.filter(
            models.Q(state=AssignmentState.DONE) | models.Q(state=AssignmentState.CLAIMED, lease_until__gt=now)
        )


class Assignment(models.Model):
    """One of a conversation's places, held by one person.

    ``place`` runs from 1 to the project's overlap and is set while the place is held; a skipped or lapsed one
    gives it back (null). The two constraints keep the overlap exact under load: a place is held once, a person once.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(User, on_delete=models.CASCADE, related_name="assignments")
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.CLAIMED)
    reason = models.CharField(max_length=500, blank=True, help_text="Why it was skipped.")
    lease_until = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ("conversation", "place")
        constraints = [
            models.UniqueConstraint(fields=("conversation", "place"), name="one_assignment_a_place"),
            models.UniqueConstraint(fields=("conversation", "annotator"), name="one_assignment_a_person"),
            models.CheckConstraint(
                condition=models.Q(place__isnull=True, state__in=("skipped", "lapsed"))
                | models.Q(place__isnull=False, state__in=("claimed", "done")),
                name="place_is_held_while_claimed_or_done",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} for {self.annotator}: {self.state}"
