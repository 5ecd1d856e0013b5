"""Figures of agreement as people read them."""

from __future__ import annotations

from typing import Any

from django import template

from evaluation.aem.language import mark, say
from evaluation.formats.words import told as told_problem
from evaluation.stats.agreement import left_out_words
from evaluation.stats.figures import Figure

register = template.Library()

_FOUND = {
    "lines": mark("lines"),
    "blank_lines": mark("blank lines"),
    "continuation_lines": mark("continuation lines"),
    "records": mark("records"),
    "read": mark("read"),
    "duplicates": mark("duplicates"),
    "refused": mark("refused"),
    "conversations": mark("conversations"),
    "goldens": mark("goldens"),
    "trajectories": mark("trajectories"),
    "turns": mark("turns"),
    "annotations": mark("annotations"),
    "labels": mark("labels"),
    "decisions": mark("decisions"),
}
_SAID = {
    "pass": mark("pass"),
    "fail": mark("fail"),
    "root": mark("root"),
    "cascade": mark("cascade"),
    "unsure": mark("unsure"),
    "undecided": mark("undecided"),
    "not_agent": mark("not agent"),
    "not_judged": mark("not judged"),
    "not_scored": mark("not scored"),
    "skipped": mark("skipped"),
    "none": mark("none"),
}

SMALLEST_P = 0.001


@register.filter
def p_text(p_value: float) -> str:
    """A p-value with three decimals; what is smaller is said to be smaller, never 0."""
    return f"< {SMALLEST_P}" if p_value < SMALLEST_P else f"{p_value:.3f}"


@register.filter
def said(value: Any) -> str:
    """One side of a pair: a score with what it counts as, a verdict, a word."""
    if isinstance(value, bool):
        return said("pass" if value else "fail")
    if isinstance(value, float):
        return f"{value:.2f} ({said('pass' if value == 1 else 'fail')})"
    if value is None:
        return "–"
    return say(_SAID[value]) if value in _SAID else str(value).replace("_", " ")


@register.filter
def found_words(name: str) -> str:
    """What a count of an import's report counts."""
    return say(_FOUND[name]) if name in _FOUND else name.replace("_", " ")


@register.filter
def problem_words(reason: str) -> str:
    """What is wrong with a file, which its report keeps in English."""
    return told_problem(reason)


@register.filter
def left_out(reason: str) -> str:
    """Why pairs were left out of a comparison, in the reader's language."""
    return left_out_words(reason)


@register.filter
def told(figure: Figure) -> str:
    """A figure as a sentence would give it, in the reader's language."""
    return figure.told


@register.filter
def label_or_any(label: str) -> str:
    """A label that a list is narrowed to, or that it is not."""
    if not label:
        return say("any")
    return say(_SAID[label]) if label in _SAID else label
