"""Template helpers of the queue's pages."""

from __future__ import annotations

from django import template

from annotations.access import Viewer
from annotations.models import QueueAction, QueueActionKind
from annotations.services import queue_actions
from annotations.services.assignments import priority_word as word_of_priority
from annotations.services.queue import Filters

register = template.Library()
register.filter("priority_word", word_of_priority)

#: A state is a glyph, a word and a hue.
_LOOKS = {
    "waiting": ("○", "skip"),
    "assigned": ("◐", "info"),
    "in_work": ("✎", "info"),
    "lapsed": ("◴", "casc"),
    "begun": ("◑", "info"),
    "done": ("●", "pass"),
    "to_review": ("◆", "amb"),
    "returned": ("↩", "casc"),
    "accepted": ("✓", "pass"),
    "skipped": ("⤳", "casc"),
    "set_aside": ("‖", "amb"),
}

_ORDERS = (
    ("", "order of hand-out"),
    ("title", "title"),
    ("-title", "title, from the end"),
    ("priority", "lowest priority"),
    ("-priority", "highest priority"),
    ("age", "oldest"),
    ("-age", "newest"),
    ("done", "fewest done"),
    ("-done", "most done"),
)


@register.filter
def can_be_undone_by(action: QueueAction, viewer: Viewer) -> bool:
    """Whether this act is not undone yet, is no undo itself, and is this member's to undo."""
    is_open = action.kind != QueueActionKind.UNDO and getattr(action, "undone_at", None) is None
    return is_open and viewer.can(queue_actions.may_undo(action))


@register.filter
def state_glyph(state: str) -> str:
    return _LOOKS[state][0]


@register.filter
def state_tone(state: str) -> str:
    return _LOOKS[state][1]


@register.filter
def orders(_: str) -> tuple[tuple[str, str], ...]:
    """How the list can be sorted, with the words for it."""
    return _ORDERS


@register.filter
def words(text: str) -> list[str]:
    return text.split()


@register.filter
def columns(text: str) -> list[tuple[str, str]]:
    """Names and heads of columns, from ``name:Head name:Head``."""
    return [(name, head) for name, _, head in (part.partition(":") for part in text.split())]


@register.filter
def why_nothing(filters: Filters, states: dict[str, str]) -> str:
    """What was asked for and found nowhere, in a sentence."""
    parts = []
    if filters.state:
        parts.append(f"is “{states[filters.state].lower()}”")
    if filters.priority:
        parts.append(f"has the priority {filters.priority}")
    if filters.dataset:
        parts.append("is in this dataset")
    if filters.language:
        parts.append(f"has the language {filters.language}")
    if filters.person is not None:
        parts.append("has this person in it")
    if filters.reason:
        parts.append(f"is skipped for “{filters.reason}”")
    if filters.q:
        parts.append(f"has “{filters.q}” in its title, key, goal or first message")
    return f"No conversation {' and '.join(parts)}." if parts else ""
