"""What was suggested for a golden, and what became of it."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotations.models.fields import ExactJSONField
from annotations.models.goldens import Golden, GoldTurn
from annotations.models.people import Project, User


class SuggestionState(models.TextChoices):
    OPEN = "open", _("Open")
    ACCEPTED = "accepted", _("Accepted")
    REFUSED = "refused", _("Refused")
    EDITED = "edited", _("Decided otherwise")
    WITHDRAWN = "withdrawn", _("No longer made")
    """What it was about was undone; it counts nowhere, and is open again when that is done again."""


class SuggestionKind(models.TextChoices):
    SOURCE = "source", _("Comes from an earlier result")
    PARAM_OPTIONAL = "param_optional", _("A parameter is optional")
    PARAM_REQUIRED = "param_required", _("A parameter is required")
    TYPE = "type", _("A value of the type that the tool takes")
    CHOICES = "choices", _("A value of the tool's list")
    STEP_OPTIONAL = "step_optional", _("A step is optional")
    VALUES = "values", _("Several values are right")
    OPEN = "open", _("Any value is right")
    ORDER = "order", _("Steps in any order")
    CLAIMS = "claims", _("Claims instead of the whole reply")
    PATH = "path", _("Another way is right too")


class SuggestionSource(models.TextChoices):
    RESULT = "result", _("An earlier result")
    SCHEMA = "schema", _("The tool's description")
    RUNS = "runs", _("The recorded runs")


class SuggestionQuerySet(models.QuerySet["Suggestion"]):
    def in_project(self, project: Project) -> SuggestionQuerySet:
        return self.filter(golden__conversation__dataset__project=project)

    def that_stand(self) -> SuggestionQuerySet:
        """Without those of turns that were taken out, and those that are no longer made.

        A way that was refused is taken out by that, and counts all the same.
        """
        turns = models.Exists(GoldTurn.objects.filter(pk=models.OuterRef("turn_pk")))
        is_refused_way = models.Q(kind=SuggestionKind.PATH, state=SuggestionState.REFUSED)
        return self.filter(turns | is_refused_way).exclude(state=SuggestionState.WITHDRAWN)

    def that_are_gone(self) -> SuggestionQuerySet:
        """Those of turns that were taken out."""
        return self.filter(~models.Exists(GoldTurn.objects.filter(pk=models.OuterRef("turn_pk"))))


class Suggestion(models.Model):
    """One suggestion for one turn, and who decided on it.

    The turn is named by its number in the table and not bound to it: an undo brings a turn back under the same number,
    and with it what was said of its suggestions.
    """

    golden = models.ForeignKey(Golden, on_delete=models.CASCADE, related_name="suggestions")
    turn_pk = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20, choices=SuggestionKind.choices)
    source = models.CharField(max_length=10, choices=SuggestionSource.choices)
    field = models.TextField(blank=True, help_text="The name of a parameter; empty for the turn as a whole.")
    proposal = ExactJSONField(null=True)
    was = ExactJSONField(null=True, help_text="What refusing it puts back, where the draft holds it already.")
    why = models.TextField(blank=True)
    fingerprint = models.CharField(max_length=32)
    state = models.CharField(max_length=10, choices=SuggestionState.choices, default=SuggestionState.OPEN)
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SuggestionQuerySet.as_manager()

    class Meta:
        ordering = ("golden", "turn_pk", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=("golden", "turn_pk", "fingerprint"), name="one_suggestion_a_kind_and_content"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=SuggestionState.values), name="suggestion_state_is_known"
            ),
            models.CheckConstraint(condition=models.Q(kind__in=SuggestionKind.values), name="suggestion_kind_is_known"),
            models.CheckConstraint(
                condition=models.Q(state__in=("open", "withdrawn")) | models.Q(decided_at__isnull=False),
                name="suggestion_decided_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.field or 'turn'} · {self.get_state_display()}"
