"""What several forms do to their fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms


def decimals_as_text(form: forms.Form, *names: str, **attrs: Any) -> None:
    """Show decimal fields as text with a keyboard of digits.

    A browser's number field turns with the mouse wheel, and drops what it cannot read instead of sending it.
    """
    for name in names:
        form.fields[name].widget = forms.TextInput(attrs={"inputmode": "decimal", **attrs})


def offer(form: forms.Form, name: str, choices: Iterable[tuple[Any, Any]]) -> forms.ChoiceField:
    """Set what can be chosen in a field, once it is known."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared so in the form
    field.choices = list(choices)
    return field
