"""The label form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotations.models import Attribution, FailureReasonChoice, SubLabel, TurnLabel

_OPEN = [("", "–")]


class JudgementForm(forms.Form):
    """What people say about one turn; shared by labels and decisions."""

    verdict = forms.ChoiceField(
        choices=TurnLabel.choices, error_messages={"required": _("Say pass, fail, unsure or not the agent's fault.")}
    )
    structural = forms.ChoiceField(
        choices=[*_OPEN, *SubLabel.choices], required=False, label=_("Right tool and action")
    )
    completeness = forms.ChoiceField(
        choices=[*_OPEN, *SubLabel.choices],
        required=False,
        label=pgettext_lazy("of a reply or call: nothing is missing", "Complete"),
    )
    truthfulness = forms.ChoiceField(
        choices=[*_OPEN, *SubLabel.choices],
        required=False,
        label=pgettext_lazy("of a reply or call: what it says is so", "True"),
    )
    failure_reason = forms.ChoiceField(
        choices=[*_OPEN, *FailureReasonChoice.choices], required=False, label=_("What is wrong")
    )
    attribution = forms.ChoiceField(choices=[*_OPEN, *Attribution.choices], required=False, label=_("Where it started"))
    cascade_of = forms.MultipleChoiceField(required=False, label=_("Comes from turn"))
    seen_revision = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, earlier: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["cascade_of"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - declared above
        field.choices = list(earlier)

    def judgement(self) -> dict[str, Any]:
        """The cleaned fields, without what a passing turn cannot have."""
        data = {name: self.cleaned_data[name] for name in self.cleaned_data if name in self.fields}
        if data["verdict"] != TurnLabel.FAIL:
            data.update(failure_reason="", attribution="", cascade_of=[])
        if data["attribution"] != Attribution.CASCADE:
            data["cascade_of"] = []
        return data


class LabelForm(JudgementForm):
    comment = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": _("One sentence for the next reader")}),
        required=False,
        label=_("Why"),
    )


class DecisionForm(JudgementForm):
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": _("What settles it, for the next reader")}),
        label=_("Reason"),
        error_messages={"required": _("Say why, for the next reader.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        verdict = self.fields["verdict"]
        assert isinstance(verdict, forms.ChoiceField)  # noqa: S101 - declared above
        verdict.choices = [choice for choice in TurnLabel.choices if choice[0] != TurnLabel.UNSURE]
