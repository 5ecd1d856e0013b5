"""Figures of agreement as people read them."""

from __future__ import annotations

from typing import Any

from django import template

register = template.Library()

SMALLEST_P = 0.001


@register.filter
def p_text(p_value: float) -> str:
    """A p-value with three decimals; what is smaller is said to be smaller, never 0."""
    return f"< {SMALLEST_P}" if p_value < SMALLEST_P else f"{p_value:.3f}"


@register.filter
def said(value: Any) -> str:
    """One side of a pair: a score with what it counts as, a verdict, a word."""
    if isinstance(value, bool):
        return "pass" if value else "fail"
    if isinstance(value, float):
        return f"{value:.2f} ({'pass' if value == 1 else 'fail'})"
    return "–" if value is None else str(value).replace("_", " ")
