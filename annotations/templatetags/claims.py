"""Draws a piece of a reply with the numbers of the claims that it answers."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotations.claims import GLYPHS, WORDS, Stretch, circled
from evaluation.aem.language import say

register = template.Library()
register.filter("circled", circled)
#: A claim of this number is the reply as a whole: it is marked without a number.
_WHOLE = 0


@register.simple_tag
def marked_piece(piece: Stretch, name: str = "said") -> SafeString:
    """One piece, everything in it escaped, and no white space added. ``name`` begins the ids that links go to."""
    text = format_html("{}", piece.text)
    if piece.is_unknown:
        nowhere = say("stands nowhere before")
        text = format_html(
            '<span class="nowhere" title="{}">{}'
            '<span class="nowhere-mark" aria-hidden="true">⚑</span>'
            '<span class="visually-hidden"> ({})</span></span>',
            nowhere,
            text,
            nowhere,
        )
    if not piece.numbers:
        return text
    ends = format_html_join(
        "",
        '<sup class="claim-mark"><span aria-hidden="true">{}{}</span>'
        '<span class="visually-hidden"> ({}{})</span></sup>',
        (
            (
                "" if quote.number == _WHOLE else circled(quote.number),
                "" if quote.state is None else GLYPHS[quote.state],
                say("the whole") if quote.number == _WHOLE else say("claim {number}", number=quote.number),
                "" if quote.state is None else f": {say(WORDS[quote.state])}",
            )
            for quote in piece.ending
        ),
    )
    return format_html(
        '<mark class="{}" id="{}-{}" data-says="{}">{}{}</mark>',
        piece.state or "plain",
        name,
        piece.place,
        piece.says,
        text,
        ends,
    )
