"""Draws a piece of a reply with the numbers of the claims that it answers."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotations.claims import GLYPHS, WORDS, Stretch, circled

register = template.Library()
register.filter("circled", circled)
#: A claim of this number is the reply as a whole: it is marked without a number.
_WHOLE = 0


@register.simple_tag
def marked_piece(piece: Stretch) -> SafeString:
    """One piece, everything in it escaped, and no white space added: the reply keeps its own."""
    text = format_html("{}", piece.text)
    if piece.is_unknown:
        text = format_html(
            '<span class="nowhere" title="stands nowhere before">{}<span class="nowhere-mark" aria-hidden="true">⚑</span>'
            '<span class="visually-hidden"> (stands nowhere before)</span></span>',
            text,
        )
    if piece.state is None:
        return text
    ends = format_html_join(
        "",
        '<sup class="claim-mark {}"><span aria-hidden="true">{}{}</span>'
        '<span class="visually-hidden"> ({}{})</span></sup>',
        (
            (
                quote.state,
                "" if quote.number == _WHOLE else circled(quote.number),
                GLYPHS[quote.state],
                "" if quote.number == _WHOLE else f"claim {quote.number}: ",
                WORDS[quote.state],
            )
            for quote in piece.ending
        ),
    )
    return format_html(
        '<mark class="said {}" id="said-{}" data-says="{}">{}{}</mark>',
        piece.state,
        piece.place,
        piece.says,
        text,
        ends or mark_safe(""),
    )
