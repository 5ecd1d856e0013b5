"""Template helpers of the merge's page."""

from __future__ import annotations

from django import template

from annotations import merging
from annotations.merging import Item
from annotations.sentences import text_of, turn_sentence
from annotations.services.merges import Board

register = template.Library()


@register.filter
def says(item: Item, board: Board) -> str:
    """What all goldens say of an item."""
    variant = item.variants[0]
    if item.kind in ("turn", "user"):
        raw = variant.raw
        return f"“{raw['user']}”" if "user" in raw else text_of(turn_sentence(raw, board.layout.turn_words))
    return merging.entry_words(item, variant)
