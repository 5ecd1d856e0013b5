"""What is to be calibrated, and by what; a value that cannot be is said at its field, and the rest holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from evaluation.forms import fields
from evaluation.models import EvaluationRun
from evaluation.services import calibration
from evaluation.services.calibration import SubMetric
from evaluation.services.policies import number_words
from evaluation.stats.calibration import CELLS, Criterion

LARGEST_SEED = 2**31 - 1
CRITERIA_WORDS = {
    "cost": _("least cost of mistakes"),
    "youden": _("largest Youden's J"),
    "false_passes": _("most true passes with few false ones"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to see, with the defaults in what was left open."""

    sub_metric: SubMetric
    slice_key: str
    criterion: Criterion
    seed: int


class CalibrationForm(forms.Form):
    run = forms.MultipleChoiceField(label=_("Runs"), required=False)
    sub_metric = forms.ChoiceField(
        label=_("Sub-metric"),
        required=False,
        choices=[(name, gettext_lazy(title)) for name, title in calibration.TITLES.items()],
    )
    slice = forms.CharField(label=_("Which parts"), required=False, max_length=2000)
    criterion = forms.ChoiceField(label=_("Chosen by"), required=False, choices=list(CRITERIA_WORDS.items()))
    weight = forms.DecimalField(
        label=_("A false pass costs"),
        required=False,
        min_value=Decimal("0.01"),
        max_value=1000,
        max_digits=12,
        help_text=_("times as much as a false failure; for the least cost"),
    )
    percent = forms.DecimalField(
        label=_("At most"),
        required=False,
        min_value=0,
        max_value=100,
        max_digits=12,
        help_text=_("% of what people fail may pass; for few false passes"),
    )
    seed = forms.IntegerField(
        label=_("Seed of the halves"),
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_("another one splits the conversations otherwise"),
    )

    def __init__(self, *args: Any, possible: Sequence[EvaluationRun] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields.offer(self, "run", [(str(each.pk), str(each)) for each in possible])
        fields.decimals_as_text(self, "weight", "percent", size=6)

    def asked(self) -> Asked:
        """What is wanted; fields that are empty or wrong have their defaults."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        standard = Criterion()
        percent = given.get("percent")
        return Asked(
            sub_metric=given.get("sub_metric", calibration.SUB_METRICS[0]),
            slice_key=given.get("slice", calibration.ALL),
            criterion=Criterion(
                kind=given.get("criterion", standard.kind),
                weight=Fraction(given.get("weight", standard.weight)),
                most=standard.most if percent is None else Fraction(percent) / 100,
            ),
            seed=given.get("seed", calibration.DEFAULT_SEED),
        )


class AdoptForm(forms.Form):
    """What the person saw when they took the threshold over."""

    threshold = forms.DecimalField(min_value=0, max_value=1)
    seen_number = forms.IntegerField(min_value=0, max_value=2**31 - 1)


class RowsForm(forms.Form):
    """Which number the turns are wanted of."""

    half = forms.ChoiceField(required=False, choices=[("", "both"), ("a", "half a"), ("b", "half b")])
    cell = forms.ChoiceField(required=False, choices=[("", "all"), *((cell, cell) for cell in CELLS)])
    at = forms.DecimalField(required=False, min_value=0, max_value=1)


def query_of(asked: Asked, runs: Sequence[EvaluationRun]) -> dict[str, Any]:
    """The query that asks for the same again, whatever becomes the newest run meanwhile."""
    return {
        "run": [str(run.pk) for run in runs],
        "sub_metric": asked.sub_metric,
        "slice": asked.slice_key,
        "criterion": asked.criterion.kind,
        "weight": number_words(asked.criterion.weight),
        "percent": number_words(asked.criterion.most * 100),
        "seed": str(asked.seed),
    }
