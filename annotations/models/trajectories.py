"""Recorded runs of agents on conversations."""

from __future__ import annotations

from django.db import models

from annotations.models.datasets import Conversation
from annotations.models.fields import ExactJSONField, OpeningField
from annotations.models.people import Project
from evaluation.aem.language import kept, retold

TRIAL, OF_AGENT = kept("trial {number}"), kept("{agent} · trial {number}")


class TrajectoryQuerySet(models.QuerySet["Trajectory"]):
    def in_project(self, project: Project) -> TrajectoryQuerySet:
        return self.filter(conversation__dataset__project=project)

    def current(self) -> TrajectoryQuerySet:
        """Without those that a later import of the same trajectory replaced."""
        return self.filter(superseded_at__isnull=True)


class Trajectory(models.Model):
    """One recorded run of one agent version on a conversation. An immutable document with what was said about it."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="trajectories")
    key = models.CharField(max_length=300, help_text="Names the trajectory within its conversation, across imports.")
    version = models.PositiveIntegerField(default=1, help_text="Counts imports of the same key with other content.")
    record_id = ExactJSONField(null=True, help_text="The id of the aem/1 record it came in.")
    agent = models.CharField(max_length=120, blank=True)
    agent_version = models.CharField(max_length=120, blank=True)
    trial = models.PositiveIntegerField(null=True, blank=True)
    reward = models.DecimalField(
        null=True, blank=True, max_digits=20, decimal_places=10, help_text="A verdict on the whole run from elsewhere."
    )
    reward_as_given = ExactJSONField(null=True, help_text="The reward digit for digit, for exports.")
    body = ExactJSONField(help_text="aem/1 trajectory: turns and, where recorded, final_state.")
    opening = OpeningField(
        default="", blank=True, editable=False, help_text="How the first user message begins, to be searched."
    )
    metadata = ExactJSONField(default=dict, help_text="What else the trajectory said of itself; exported again.")
    extra = ExactJSONField(default=dict, help_text="What its record held beside the known parts; exported again.")
    content_hash = models.CharField(max_length=64, help_text="Over the body, the metadata and what names the run.")
    turn_count = models.PositiveIntegerField(help_text="Agent and tool turns.")
    superseded_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TrajectoryQuerySet.as_manager()

    class Meta:
        ordering = ("conversation", "agent", "agent_version", "trial", "key", "version")
        verbose_name_plural = "trajectories"
        constraints = [
            models.UniqueConstraint(fields=("conversation", "key", "version"), name="one_trajectory_a_version"),
            models.UniqueConstraint(fields=("conversation", "key", "content_hash"), name="one_trajectory_a_content"),
            models.UniqueConstraint(
                fields=("conversation", "key"),
                condition=models.Q(superseded_at__isnull=True),
                name="one_current_trajectory_a_key",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} · {self.label}"

    @property
    def label(self) -> str:
        """Agent, version and trial in a few words."""
        return retold(self.stored_label)

    @property
    def stored_label(self) -> str:
        """The same in English, for what is stored; shown through ``retold``."""
        agent = " ".join(part for part in (self.agent, self.agent_version) if part)
        if self.trial is None:
            return agent or self.key
        return (OF_AGENT if agent else TRIAL).format(agent=agent, number=self.trial)
