"""The guideline's text, and its examples as rows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotations.models import EXAMPLE_GROUPS, Guideline, TurnLabel
from annotations.services import guidelines
from evaluation.aem.language import say


class GuidelineForm(forms.Form):
    title = forms.CharField(max_length=200, label=_("Title"))
    body = forms.CharField(
        label=_("Body"),
        widget=forms.Textarea(attrs={"rows": 24, "class": "mono"}),
        required=False,
        help_text=_("Markdown. HTML is shown, not run."),
    )
    seen_number = forms.IntegerField(widget=forms.HiddenInput)


class ExampleForm(forms.Form):
    """One row. A row without a text and a reason why is left out."""

    id = forms.IntegerField(widget=forms.HiddenInput, required=False)
    reason = forms.ChoiceField(choices=EXAMPLE_GROUPS, label=_("About"))
    verdict = forms.ChoiceField(
        choices=[("", _("As what it is about says")), *TurnLabel.choices], label=_("Verdict"), required=False
    )
    text = forms.CharField(
        max_length=guidelines.LONGEST_TEXT,
        required=False,
        label=_("Example"),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    why = forms.CharField(
        max_length=guidelines.LONGEST_WHY, required=False, label=_("Why"), widget=forms.Textarea(attrs={"rows": 2})
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("text") and data.get("why") and not data.get("DELETE") and "text" not in self.errors:
            self.add_error("text", say("Say what the example is, or remove the row."))
        if data.get("reason") == "passes" and data.get("verdict") not in ("", None, TurnLabel.PASS):
            self.add_error("verdict", say("What stands under “Passes” cannot have another verdict."))
        return data


class _ExampleFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    def examples(self) -> list[dict[str, Any]]:
        """The rows that stay, as the service takes them."""
        rows = [form.cleaned_data for form in self.forms]
        return [
            {name: value for name, value in row.items() if name != "DELETE" and (name != "id" or value is not None)}
            for row in rows
            if row.get("text") and not row.get("DELETE")
        ]

    @classmethod
    def of(cls, guideline: Guideline | None, *, prefix: str) -> _ExampleFormSet:
        """The rows of a version, and empty ones to add to them."""
        names = ("reason", "verdict", "text", "why")
        rows = guideline.examples.all() if guideline is not None else []
        initial = [{"id": row.pk, **{name: getattr(row, name) for name in names}} for row in rows]
        return cls(initial=initial, prefix=prefix)


ExampleFormSet: Any = forms.formset_factory(
    ExampleForm,
    formset=_ExampleFormSet,
    extra=3,
    can_delete=True,
    max_num=guidelines.MOST_EXAMPLES,
    absolute_max=guidelines.MOST_EXAMPLES + 10,
)
