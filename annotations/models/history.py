"""Every change, in order: who, when, before and after."""

from __future__ import annotations

from django.db import models

from annotations.models.fields import ExactJSONField
from annotations.models.people import Project, User


class Change(models.Model):
    """One change of one row. Appended, never edited; serves undo, audit and blame."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="changes")
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    action = models.CharField(max_length=60, help_text="What was done, such as turn.saved or golden.accepted.")
    subject_type = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=60)
    scope = models.CharField(max_length=60, blank=True, help_text="What undo works within, such as a golden's id.")
    before = ExactJSONField(null=True)
    after = ExactJSONField(null=True)
    undoes = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="undone_by")

    class Meta:
        ordering = ("-pk",)
        indexes = [
            models.Index(fields=("scope", "-id"), name="change_scope"),
            models.Index(fields=("subject_type", "subject_id", "-id"), name="change_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject_type} {self.subject_id}"
