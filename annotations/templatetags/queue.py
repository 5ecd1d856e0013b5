"""Template helpers of the queue's pages."""

from __future__ import annotations

from django import template

from annotations.access import Viewer
from annotations.models import QueueAction, QueueActionKind
from annotations.services import queue_actions
from annotations.services.assignments import priority_said
from annotations.services.assignments import priority_word as word_of_priority
from annotations.services.queue import Filters
from evaluation.aem.language import mark, say

register = template.Library()

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
    ("", mark("order of hand-out")),
    ("title", mark("title")),
    ("-title", mark("title, from the end")),
    ("priority", mark("lowest priority")),
    ("-priority", mark("highest priority")),
    ("age", mark("oldest")),
    ("-age", mark("newest")),
    ("done", mark("fewest done")),
    ("-done", mark("most done")),
)

#: Columns by which the list can be sorted.
_COLUMNS = {"title": mark("Conversation"), "priority": mark("Priority"), "done": mark("People")}


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
    return tuple((value, say(text)) for value, text in _ORDERS)


@register.filter
def priority_word(priority: int) -> str:
    return priority_said(word_of_priority(priority))


@register.filter
def told(stored: str) -> str:
    """What was done, or why something was left alone, in the reader's language."""
    return queue_actions.told(stored)


@register.filter
def priorities(_: str) -> list[tuple[str, str]]:
    """What a priority can be called, with the words for it."""
    return [(word, priority_said(word)) for word in ("high", "normal", "low")]


@register.filter
def columns(text: str) -> list[tuple[str, str]]:
    """Names and heads of these columns."""
    return [(name, say(_COLUMNS[name])) for name in text.split()]


@register.filter
def why_nothing(filters: Filters, states: dict[str, str]) -> str:
    """What was asked for and found nowhere, in a sentence."""
    parts = []
    if filters.state:
        parts.append(say("is “{state}”", state=say(states[filters.state]).lower()))
    if filters.priority:
        parts.append(say("has the priority {priority}", priority=priority_said(filters.priority)))
    if filters.dataset:
        parts.append(say("is in this dataset"))
    if filters.language:
        parts.append(say("has the language {language}", language=filters.language))
    if filters.person is not None:
        parts.append(say("has this person in it"))
    if filters.reason:
        parts.append(say("is skipped for “{reason}”", reason=filters.reason))
    if filters.q:
        parts.append(say("has “{words}” in its title, key, goal or first message", words=filters.q))
    if not parts:
        return ""
    asked = parts[0]
    for part in parts[1:]:
        asked = say("{first} and {second}", first=asked, second=part)
    return say("No conversation {asked}.", asked=asked)
