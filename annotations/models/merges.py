"""Goldens of several people made one: the merge of a conversation, what was decided in it, what it was made of."""

from __future__ import annotations

import secrets
import uuid

from django.db import models
from django.urls import reverse

from annotations.models.datasets import Conversation
from annotations.models.fields import ExactJSONField
from annotations.models.goldens import Golden, GoldenRecord
from annotations.models.guidelines import Guideline
from annotations.models.people import Project, User


def new_seed() -> str:
    return secrets.token_hex(16)


class MergeQuerySet(models.QuerySet["Merge"]):
    def in_project(self, project: Project) -> MergeQuerySet:
        return self.filter(conversation__dataset__project=project)


class Merge(models.Model):
    """The merge of one conversation's goldens. It stays when they change: what is decided is done once.

    ``written`` is the hash of what the decisions made when the result was last written.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="merge")
    seed = models.CharField(max_length=32, default=new_seed, help_text="Fixes which version is called A.")
    revision = models.PositiveIntegerField(default=1)
    agreement = ExactJSONField(default=dict, help_text="How far the goldens agree, as equal of n.")
    result = models.ForeignKey(Golden, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    written = models.CharField(max_length=64, blank=True)
    record = models.ForeignKey(GoldenRecord, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    accepted_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = MergeQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"Merge of {self.conversation}"

    def get_absolute_url(self) -> str:
        return reverse("annotations:merge-detail", args=[self.pk])


class MergeGolden(models.Model):
    """A golden that went into a merge, or came out of it."""

    merge = models.ForeignKey(Merge, on_delete=models.CASCADE, related_name="goldens")
    golden = models.OneToOneField(Golden, on_delete=models.CASCADE, related_name="in_merge")
    is_result = models.BooleanField(default=False)

    class Meta:
        ordering = ("merge", "pk")

    def __str__(self) -> str:
        return f"{self.golden} in {self.merge}"


class MergeDecision(models.Model):
    """What was decided of one item, as long as the goldens say of it what they said then.

    ``token`` names the item, ``fingerprint`` all that was said of it; ``sides`` is what each golden said, to tell why
    an item is open again. One that no longer fits is kept: it holds again when a golden is as it was.
    """

    merge = models.ForeignKey(Merge, on_delete=models.CASCADE, related_name="decisions")
    token = models.CharField(max_length=16)
    fingerprint = models.CharField(max_length=16)
    choice = ExactJSONField()
    reason = models.TextField(blank=True)
    sides = ExactJSONField(default=dict)
    example = models.ForeignKey(
        Guideline,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The version of the guideline to which it was added as an example.",
    )
    revision = models.PositiveIntegerField(help_text="The revision of the merge that it made.")
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        ordering = ("merge", "pk")
        constraints = [
            models.UniqueConstraint(fields=("merge", "token", "fingerprint"), name="one_merge_decision_an_item")
        ]

    def __str__(self) -> str:
        return f"Decision {self.token} of {self.merge}"
