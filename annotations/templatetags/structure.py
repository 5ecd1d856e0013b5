"""Template helpers of the workbench for values that are picked."""

from __future__ import annotations

from django import template

from annotations.forms.values import ref_token
from annotations.structure import key_path

register = template.Library()


@register.filter
def field_of(name: str, turn_key: str) -> str:
    """A named value of a result as the picker takes it."""
    return ref_token(turn_key, f"${key_path(name)}")
