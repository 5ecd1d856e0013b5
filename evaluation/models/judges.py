"""Judges: language models that a project asks about meaning; their keys, what they may spend, and how fast."""

from __future__ import annotations

from django.db import models

from annotations.models import Project, User
from annotations.models.fields import ExactJSONField
from evaluation.models.runs import EvaluationRun


class JudgeSettings(models.Model):
    """How a project asks a language model. An immutable document; an edit makes the next number.

    The body never holds a key: only where it comes from.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judges")
    name = models.CharField(max_length=80, default="standard")
    number = models.PositiveIntegerField()
    body = ExactJSONField()
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "-number")
        constraints = [models.UniqueConstraint(fields=("project", "name", "number"), name="one_judge_a_number")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class JudgeKey(models.Model):
    """The stored key of a project's judge, encrypted; it is sent to the origin that it was entered for, nowhere else.

    Not part of any document: a new key serves all numbers of the judge, and a key that is taken away serves none.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judge_keys")
    name = models.CharField(max_length=80, help_text="Of the judge.")
    origin = models.CharField(max_length=300, help_text="Scheme, host and port that it may be sent to.")
    sealed = models.TextField()
    set_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("project", "name"), name="one_key_a_judge")]

    def __str__(self) -> str:
        return f"key of {self.name}"


class JudgeGate(models.Model):
    """What all workers together keep when they ask a judge: its rate, and a rest while it does not answer."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judge_gates")
    name = models.CharField(max_length=80, help_text="Of the judge.")
    next_at = models.DateTimeField(null=True, help_text="When the next request may leave, by the rate.")
    failures = models.PositiveIntegerField(default=0, help_text="Requests in a row that nobody answered.")
    closed_until = models.DateTimeField(null=True, help_text="Nothing is asked before.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=("project", "name"), name="one_gate_a_judge")]

    def __str__(self) -> str:
        return f"gate of {self.name}"


class JudgeSlot(models.Model):
    """A place for one request that is under way. A place whose time is up is free, whoever held it."""

    gate = models.ForeignKey(JudgeGate, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveSmallIntegerField()
    holder = models.CharField(max_length=40, blank=True)
    until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("gate", "position"), name="one_slot_a_position")]

    def __str__(self) -> str:
        return f"slot {self.position}"


class JudgeClaim(models.Model):
    """A question that a worker is asking now, so that no other asks it too. One whose time is up is anybody's."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judge_claims")
    key = models.CharField(max_length=64)
    holder = models.CharField(max_length=40)
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("project", "key"), name="one_judge_claim_a_question")]

    def __str__(self) -> str:
        return f"claim of {self.key[:8]}"


class JudgeUse(models.Model):
    """The judge that a run was planned with, what it may spend, and what it has spent so far.

    Money is counted in 10⁻¹² of the unit that prices are given in, so that sums are exact. What is reserved belongs to
    requests that are under way; what is assumed, to those that may have been charged and did not say how much. Both
    count against the limits, and neither is ever shown as spent.
    """

    run = models.OneToOneField(EvaluationRun, on_delete=models.CASCADE, related_name="judge_use")
    settings = models.ForeignKey(JudgeSettings, on_delete=models.PROTECT, related_name="uses")
    money_limit = models.PositiveBigIntegerField(null=True)
    token_limit = models.PositiveBigIntegerField(null=True)
    requests = models.PositiveBigIntegerField(default=0)
    unpriced = models.PositiveBigIntegerField(
        default=0, help_text="Requests that may have been charged and did not say how much."
    )
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    money = models.PositiveBigIntegerField(default=0)
    reserved_tokens = models.PositiveBigIntegerField(default=0)
    reserved_money = models.PositiveBigIntegerField(default=0)
    assumed_tokens = models.PositiveBigIntegerField(default=0)
    assumed_money = models.PositiveBigIntegerField(default=0)
    asked = models.PositiveBigIntegerField(default=0, help_text="Questions put to the judge.")
    from_cache = models.PositiveBigIntegerField(default=0, help_text="Questions that had been answered before.")
    votes = models.PositiveBigIntegerField(default=0, help_text="Votes that could be read.")
    unreadable = models.PositiveBigIntegerField(default=0, help_text="Replies that could not be read.")
    retry_from = models.DateTimeField(null=True, help_text="What was unreadable before is asked again.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(requests__gte=models.F("unpriced")), name="judge_use_counts_are_possible"
            )
        ]

    def __str__(self) -> str:
        return f"judge of {self.run}"
