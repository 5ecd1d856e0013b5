"""What decisions taught: two values that an adjudicator called equal, or different, and what was made of it."""

from __future__ import annotations

import uuid

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotations.models import GoldenRecord, Project, Trajectory, User
from annotations.models.fields import ExactJSONField
from evaluation.models.meaning import Vocabulary
from evaluation.models.runs import EvaluationRun


class LessonKind(models.TextChoices):
    ACCEPTED = "accepted", _("Accepted value of the field")
    EQUAL = "equal", _("Equal in the project")
    DIFFERENT = "different", _("Different in the project")


class Lesson(models.Model):
    """One thing that was learned from a turn, with the document that it made. It can be taken back."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="lessons")
    kind = models.CharField(max_length=10, choices=LessonKind.choices)
    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="lessons")
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="lessons")
    path = models.CharField(max_length=100)
    turn_key = models.CharField(max_length=100)
    field = models.TextField(help_text="Name of the parameter.")
    is_for_field = models.BooleanField(default=True, help_text="The entry holds for this field only.")
    expected = ExactJSONField()
    observed = ExactJSONField()
    reason = models.TextField(blank=True)
    golden_record = models.ForeignKey(
        GoldenRecord,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Accepts the value.",
    )
    golden_before = models.ForeignKey(GoldenRecord, null=True, on_delete=models.PROTECT, related_name="+")
    vocabulary = models.ForeignKey(Vocabulary, null=True, on_delete=models.PROTECT, related_name="lessons")
    rescored_in = models.ForeignKey(EvaluationRun, null=True, on_delete=models.SET_NULL, related_name="+")
    learned_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="lessons")
    learned_at = models.DateTimeField(auto_now_add=True)
    taken_back_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    taken_back_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-learned_at",)
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=LessonKind.values), name="lesson_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(kind="accepted", golden_record__isnull=False, vocabulary__isnull=True)
                | models.Q(kind__in=["equal", "different"], golden_record__isnull=True, vocabulary__isnull=False),
                name="lesson_made_a_document",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field}: {self.get_kind_display().lower()}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation:lesson-detail", args=[self.pk])
