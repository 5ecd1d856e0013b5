"""What a click on one of the buttons beside a pair of values says."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.models import LessonKind

FIELD, EVERYWHERE = "field", "everywhere"


class LearnForm(forms.Form):
    """One button: its kind of lesson and the pair that it stands beside.

    The buttons belong to the decision's form, so that nothing of what was typed there is lost; ``typed`` is that.
    """

    learn = forms.RegexField(
        regex=rf"^({'|'.join(LessonKind.values)}):([0-9a-f]{{16}})$",
        error_messages={
            "required": _("Press one of the buttons beside a pair of values."),
            "invalid": _("No such button."),
        },
    )
    reason = forms.CharField(required=False, max_length=10_000)

    @property
    def kind(self) -> str:
        return str(self.cleaned_data["learn"]).partition(":")[0]

    @property
    def pair_key(self) -> str:
        return str(self.cleaned_data["learn"]).partition(":")[2]

    @property
    def is_for_field(self) -> bool:
        """Whether an entry holds for this field only, as the choice beside the pair says."""
        return bool(self.data.get(f"scope-{self.pair_key}", FIELD) != EVERYWHERE)

    def typed(self, names: list[str]) -> dict[str, Any]:
        """What the decision's fields held when the button was pressed."""
        return {name: self.data.getlist(name) for name in names if any(self.data.getlist(name))}  # type: ignore[attr-defined]
