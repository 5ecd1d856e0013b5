"""Stored English sentences in the reader's language. Built in: templates need not load it."""

from __future__ import annotations

from django import template

from evaluation.aem import language

register = template.Library()


@register.filter
def retold(stored: object) -> object:
    """A kept sentence in the language of the page; anything else as it is."""
    return language.retold(stored) if isinstance(stored, str) else stored
