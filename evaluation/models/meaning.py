"""What the comparison of meanings knows and remembers: a project's vocabulary, and the answers that scorers gave."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models import Project, User
from annotations.models.fields import ExactJSONField
from evaluation.aem.language import say
from evaluation.models.runs import EvaluationRun


class Vocabulary(models.Model):
    """What counts as equal or as different in a project, beyond the built-in lists. An immutable document.

    A change makes the next number; a run freezes the one that it was planned with, or none where the project has none.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="vocabularies")
    number = models.PositiveIntegerField()
    body = ExactJSONField()
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("project", "-number")
        constraints = [models.UniqueConstraint(fields=("project", "number"), name="one_vocabulary_a_number")]

    def __str__(self) -> str:
        return say("vocabulary {number}", number=self.number)

    @property
    def revision(self) -> int:
        """What an edit must have seen."""
        return self.number


class AnswerState(models.TextChoices):
    ANSWERED = "answered", _("Answered")
    UNREADABLE = "unreadable", _("No readable answer")


class Answer(models.Model):
    """What a scorer said to one question, kept so that the same question is asked once.

    ``key`` is the hash of the question together with everything that the answer hangs on: scorer, version, vocabulary,
    model, prompt. An answer that could not be read is kept with its reason and is asked again when a run is scored
    again.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="answers")
    key = models.CharField(max_length=64)
    scorer = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=AnswerState.choices, default=AnswerState.ANSWERED)
    question = ExactJSONField()
    answer = ExactJSONField(null=True)
    error = models.TextField(blank=True)
    raw = ExactJSONField(null=True, help_text="A judge's replies as they came.")
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    run = models.ForeignKey(EvaluationRun, null=True, on_delete=models.SET_NULL, related_name="answers")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("project", "key"), name="one_answer_a_question"),
            models.CheckConstraint(condition=models.Q(state__in=AnswerState.values), name="answer_state_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.scorer}: {self.state}"


class RunAnswer(models.Model):
    """That a run needed an answer: once for each distinct question, however often it came up."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="needed_answers", db_index=False)
    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=("run", "answer"), name="one_answer_a_run")]

    def __str__(self) -> str:
        return f"{self.run}: {self.answer}"
