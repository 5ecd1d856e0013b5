"""Who is to annotate which conversation, and until when it is theirs; and what the queue's managers did to it."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models.datasets import Conversation
from annotations.models.fields import ExactJSONField
from annotations.models.people import Project, User


class AssignmentState(models.TextChoices):
    RESERVED = "reserved", _("Assigned, not begun")
    CLAIMED = "claimed", _("In work")
    DONE = "done", _("Done")
    SKIPPED = "skipped", _("Skipped")
    LAPSED = "lapsed", _("Lapsed")
    RELEASED = "released", _("Taken back")


#: States in which one of the conversation's places is this person's.
HOLDING = (AssignmentState.RESERVED, AssignmentState.CLAIMED, AssignmentState.DONE)


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def holding(self, now: datetime) -> AssignmentQuerySet:
        """Those that take one of the conversation's places now: done, in work and not lapsed, or kept for a person."""
        is_kept = models.Q(assigned_at__isnull=False) & (models.Q(due_at__isnull=True) | models.Q(due_at__gt=now))
        return self.filter(
            models.Q(state=AssignmentState.DONE)
            | models.Q(state=AssignmentState.CLAIMED, lease_until__gt=now)
            | (models.Q(state__in=(AssignmentState.RESERVED, AssignmentState.CLAIMED)) & is_kept)
        )


class Assignment(models.Model):
    """One of a conversation's places, held by one person.

    ``place`` runs from 1 to the project's overlap and is set while the place is held; a skipped, lapsed or released one
    gives it back (null). The two constraints keep the overlap exact under load: a place is held once, a person once.

    A place that was assigned to a person (``assigned_at``) is kept for them whether or not they have begun, until
    ``due_at`` where there is one.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(User, on_delete=models.CASCADE, related_name="assignments")
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.CLAIMED)
    reason = models.CharField(max_length=500, blank=True, help_text="Why it was skipped.")
    lease_until = models.DateTimeField()
    assigned_at = models.DateTimeField(null=True, blank=True, help_text="Since when the place is kept for this person.")
    assigned_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    due_at = models.DateTimeField(null=True, blank=True, help_text="Until when it is kept; empty: without an end.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ("conversation", "place")
        constraints = [
            models.UniqueConstraint(fields=("conversation", "place"), name="one_assignment_a_place"),
            models.UniqueConstraint(fields=("conversation", "annotator"), name="one_assignment_a_person"),
            models.CheckConstraint(
                condition=models.Q(place__isnull=True, state__in=("skipped", "lapsed", "released"))
                | models.Q(place__isnull=False, state__in=("reserved", "claimed", "done")),
                name="place_is_held_while_claimed_or_done",
            ),
            models.CheckConstraint(
                condition=models.Q(assigned_at__isnull=False) | ~models.Q(state="reserved"),
                name="reserved_is_assigned",
            ),
            models.CheckConstraint(
                condition=models.Q(assigned_at__isnull=False) | models.Q(due_at__isnull=True),
                name="due_is_assigned",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} for {self.annotator}: {self.state}"

    def is_kept(self, now: datetime) -> bool:
        """Whether the place stays this person's although no lease runs."""
        return self.assigned_at is not None and (self.due_at is None or self.due_at > now)

    def holds(self, now: datetime) -> bool:
        """What ``AssignmentQuerySet.holding`` says, of one row."""
        if self.state == AssignmentState.CLAIMED:
            return self.lease_until > now or self.is_kept(now)
        return self.state == AssignmentState.DONE or (self.state == AssignmentState.RESERVED and self.is_kept(now))


class QueueActionKind(models.TextChoices):
    PRIORITY = "priority", _("Set the priority")
    ASSIGN = "assign", _("Assign to people")
    UNASSIGN = "unassign", _("Take assignments back")
    RELEASE = "release", _("Take back from who has it in work")
    GIVE_BACK = "give_back", _("Offer skipped ones again")
    SET_ASIDE = "set_aside", _("Set aside")
    BRING_BACK = "bring_back", _("Bring back into the queue")
    OVERLAP = "overlap", _("Fewer people per conversation")
    UNDO = "undo", _("Undo")


class QueueAction(models.Model):
    """One act of a manager on any number of conversations of the queue; its rows are what one undo takes back."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="queue_actions")
    kind = models.CharField(max_length=12, choices=QueueActionKind.choices)
    by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    words = models.CharField(max_length=600, help_text="What was done, as people read it.")
    row_count = models.PositiveIntegerField(help_text="Conversations that it changed.")
    unchanged_count = models.PositiveIntegerField(default=0, help_text="Chosen ones that were so already.")
    refused = ExactJSONField(default=list, help_text="Chosen ones that it left alone: id, title and why.")
    undoes = models.OneToOneField("self", null=True, blank=True, on_delete=models.CASCADE, related_name="undone_by")

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=QueueActionKind.values), name="queue_action_is_known"),
        ]

    def __str__(self) -> str:
        return self.words


class QueueActionRow(models.Model):
    """What an act changed of one conversation: its priority, that it is set aside, or places by person."""

    action = models.ForeignKey(QueueAction, on_delete=models.CASCADE, related_name="rows")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    before = ExactJSONField()
    after = ExactJSONField()

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=("action", "conversation"), name="one_row_a_queue_action")]

    def __str__(self) -> str:
        return f"{self.conversation} in {self.action}"
