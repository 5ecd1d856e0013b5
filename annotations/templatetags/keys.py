"""The keys of the person who looks at a page. Built in: templates need not load them."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations import keys

register = template.Library()
_KEPT = "_bound_keys"


def keys_of(user: Any) -> dict[str, str]:
    """The key of each action for this person, worked out once a request."""
    if not getattr(user, "is_authenticated", False) or not user.chosen_keys:
        return keys.DEFAULTS
    chosen, found = getattr(user, _KEPT, (None, {}))
    if chosen is not user.chosen_keys:
        found = keys.bound(user.chosen_keys)
        setattr(user, _KEPT, (user.chosen_keys, found))
    return dict(found)


def _key(context: template.Context, name: str) -> str:
    if name not in keys.ACTIONS:
        raise template.TemplateSyntaxError(f"{name!r} is no action of annotations/keys.py")
    return keys_of(getattr(context.get("request"), "user", None))[name]


@register.simple_tag(takes_context=True)
def key(context: template.Context, name: str) -> SafeString:
    """The attributes of the element that an action's key presses."""
    found = _key(context, name)
    mark = format_html('data-action="{}"', name)
    if not found:
        return mark
    group = keys.ACTIONS[name].said_group
    named = "Plus" if found == "+" else found  # there + stands between keys that are pressed together
    return format_html('data-key="{}" {} data-key-group="{}" aria-keyshortcuts="{}"', found, mark, group, named)


@register.simple_tag(takes_context=True)
def kbd(context: template.Context, name: str) -> SafeString:
    """An action's key, drawn; nothing where it has none."""
    found = _key(context, name)
    return format_html("<kbd>{}</kbd>", found) if found else SafeString("")
