"""Template helpers that every page shares. All of them return text that the template escapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import template
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.safestring import mark_safe
from markdown_it import MarkdownIt

from annotations import words
from annotations.access import Viewer
from annotations.effects import Group
from annotations.models import Capability
from evaluation.aem.language import mark, say, say_n
from evaluation.formats import jsonio

register = template.Library()
register.filter("value_text", words.value_text)
register.filter("expected_text", words.expected_text)
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

# Label, URL name, what a member must be able to do to see it. A blinded annotator has no use for the last group.
_NAVIGATION = (
    (mark("Overview"), "evaluation:project-detail", Capability.VIEW, False),
    (mark("Queue"), "annotations:queue", Capability.ANNOTATE, False),
    (mark("Datasets"), "annotations:dataset-list", Capability.VIEW, False),
    (mark("Import"), "evaluation:import-list", Capability.IMPORT, False),
    (mark("Runs"), "evaluation:run-list", Capability.VIEW, False),
    (mark("Adjudicate"), "evaluation:adjudication-list", Capability.ADJUDICATE, True),
    (mark("Agreement"), "evaluation:agreement", Capability.VIEW, True),
    (mark("Guideline"), "annotations:guideline", Capability.VIEW, False),
    (mark("People"), "annotations:member-list", Capability.VIEW, False),
    (mark("Settings"), "annotations:project-settings", Capability.MANAGE, False),
)

_AREAS = {
    "/goldens/": "Queue",
    "/merges/": "Queue",
    "/conversations/": "Datasets",
    "/trajectories/": "Datasets",
    "/imports/": "Import",
    "/lessons/": "Adjudicate",
}


@dataclass(frozen=True)
class NavigationEntry:
    label: str
    url: str
    is_current: bool


@register.filter
def navigation(viewer: Viewer, path: str) -> list[NavigationEntry]:
    """The project's menu for this member; the entry of the page one is on is marked."""
    entries = []
    for label, name, capability, needs_sight in _NAVIGATION:
        if not viewer.can(capability) or (needs_sight and viewer.is_blinded):
            continue
        url = reverse(name, args=[viewer.project.slug])
        is_home = name == "evaluation:project-detail"
        is_current = path == url if is_home else path.startswith(url) or _area(path) == label
        entries.append(NavigationEntry(say(label), url, is_current))
    return entries


def _area(path: str) -> str:
    """The entry under which a page is found whose address does not begin with the project's."""
    if path.startswith("/runs/"):
        return "Adjudicate" if "/decide/" in path else "Runs"
    return next((label for start, label in _AREAS.items() if path.startswith(start)), "")


@register.filter
def json_text(value: Any) -> str:
    """JSON as people read it: exact numbers, two spaces of indent."""
    return jsonio.dumps(value, indent=2)


@register.filter
def json_line(value: Any) -> str:
    """JSON on one line, exact."""
    return jsonio.dumps(value)


@register.filter
def quoted(values: Any) -> str:
    """Values as a sentence lists them: “A1”, “12.50”."""
    return ", ".join(f"“{words.value_text(value)}”" for value in (values if isinstance(values, list) else [values]))


@register.filter
def size_of(value: Any) -> str:
    """How large a text or JSON value is, such as "12 lines · 3.4 KB"."""
    text = value if isinstance(value, str) else jsonio.dumps(value, indent=2)
    lines = text.count("\n") + 1
    size = filesizeformat(len(text.encode("utf-8", errors="replace")))
    return say_n("{lines} line", "{lines} lines", lines, lines=f"{lines:,}") + f" · {size}"


_IN_SHORT: dict[str, Callable[[int], str]] = {
    "passes": lambda n: say_n("{count} turn would pass", "{count} turns would pass", n),
    "fails": lambda n: say_n("{count} turn would fail", "{count} turns would fail", n),
    "reason": lambda n: say_n("{count} turn fail otherwise", "{count} turns fail otherwise", n),
    "new_fails": lambda n: say_n("{count} turn new and failing", "{count} turns new and failing", n),
    "new_passes": lambda n: say_n("{count} turn new and passing", "{count} turns new and passing", n),
    "gone": lambda n: say_n("{count} turn not asked for", "{count} turns not asked for", n),
    "not_judged": lambda n: say_n("{count} turn left out", "{count} turns left out", n),
    "judged": lambda n: say_n("{count} turn judged anew", "{count} turns judged anew", n),
    "doubt": lambda n: say_n("{count} turn in doubt or not", "{count} turns in doubt or not", n),
}


@register.filter
def in_short(group: Group) -> str:
    """How many turns would change so, in a few words."""
    return _IN_SHORT[group.sort.key](group.count)


@register.filter
def is_long(value: Any) -> bool:
    """Whether a value is folded when shown."""
    text = value if isinstance(value, str) else jsonio.dumps(value, indent=2)
    return len(text) > 600 or text.count("\n") > 12


@register.filter
def percent(value: float | None) -> str:
    """A rate between 0 and 1 as a percentage; what is not known is a dash, never a number."""
    return "–" if value is None else f"{value * 100:.1f} %"


@register.filter
def get_item(mapping: Any, key: Any) -> Any:
    """The value of a key; None where it is absent."""
    return mapping.get(key) if hasattr(mapping, "get") else None


@register.simple_tag(takes_context=True)
def page_url(context: dict[str, Any], **changes: Any) -> str:
    """This page's query string with some parameters changed; None or an empty text takes one out."""
    query = context["request"].GET.copy()
    for name, value in changes.items():
        if value in (None, ""):
            query.pop(name, None)
        else:
            query[name] = value
    return f"?{query.urlencode()}"


@register.filter
def markdown(text: str) -> str:
    """Markdown as HTML. HTML in it is shown as text, and links may not run anything."""
    return mark_safe(str(_markdown.render(text)))  # noqa: S308 - rendered with html off


@register.filter
def pretty(value: Any) -> str:
    """A value for reading: JSON with indents, also where a text holds it; any other text as it is."""
    if not isinstance(value, str):
        return jsonio.dumps(value, indent=2)
    if value.lstrip()[:1] in ("{", "["):
        try:
            return jsonio.dumps(jsonio.loads(value), indent=2)
        except jsonio.JsonError:
            return value
    return value


@register.filter
def is_huge(value: Any) -> bool:
    """Whether a value is left out of the page and fetched when somebody opens it."""
    return len(value if isinstance(value, str) else jsonio.dumps(value)) > 4_000


@register.filter
def as_object(value: Any) -> list[tuple[str, Any]] | None:
    """The keys and values of a call's arguments, read as the engine reads them; None where they are no object."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = jsonio.loads(value)
        except jsonio.JsonError:
            return None
    return list(value.items()) if isinstance(value, dict) else None


@register.filter
def is_object(value: Any) -> bool:
    """Whether a call's arguments are readable."""
    return as_object(value) is not None


@register.filter
def pairs(mapping: Any) -> list[tuple[Any, Any]]:
    """The keys and values of a mapping. A template's ``.items`` would find a key of that name first."""
    return list(mapping.items()) if mapping else []
