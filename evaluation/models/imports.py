"""Uploads, kept as they came, with what was found in them."""

from __future__ import annotations

import uuid

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotations.models import Dataset, Project, User
from annotations.models.fields import ExactJSONField
from evaluation.aem.language import say


class ImportState(models.TextChoices):
    PREVIEWED = "previewed", _("Waiting for a decision")
    APPLIED = "applied", _("Imported")
    DISCARDED = "discarded", _("Not imported")
    FAILED = "failed", _("Unreadable")


class ImportJob(models.Model):
    """One import: files, format, report; written only when a person (or a command) says so."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    dataset = models.ForeignKey(Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="imports")
    format = models.CharField(max_length=40, blank=True)
    encoding = models.CharField(max_length=40, blank=True, help_text="Named by the person; else found from the bytes.")
    state = models.CharField(max_length=10, choices=ImportState.choices, default=ImportState.PREVIEWED)
    report = ExactJSONField(default=dict, help_text="Counts, problems by line, what would be or was written.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=ImportState.values), name="import_state_is_known")
        ]

    def __str__(self) -> str:
        return say("import of {time}", time=f"{self.created_at:%Y-%m-%d %H:%M}")

    def get_absolute_url(self) -> str:
        return reverse("evaluation:import-detail", args=[self.pk])


class ImportFile(models.Model):
    """One file of an import, byte for byte."""

    job = models.ForeignKey(ImportJob, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    file = models.FileField(upload_to="imports/%Y/%m/")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name
