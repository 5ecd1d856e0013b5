"""Ways from one place to another: "de Lisboa a Roma", "to Rome from Lisbon"."""

import re

from evaluation.evaluators.embedded.facts.extract import facts_in
from evaluation.evaluators.embedded.language import plain

_WHAT = (
    r"(?:(?P<what>(?:the |a |an |one-way |un |uma? |el |o |la )?(?:flights?|trips?|journey|route|train|bus|way|travel"
    r"|vuelos?|viajes?|ruta|tren|voos?|viagem|rota|trem|onibus|passagem|pasaje|billete))\s+)?"
)
_FROM = (
    r"(?:from|de|desde|departing(?: from)?|leaving(?: from)?|starting (?:from|in)|saindo d[eoa]|partindo d[eoa]"
    r"|saliendo de|partiendo de|con salida (?:en|desde)|com saida (?:em|de))"
)
_TO = (
    r"(?:to|a|al|para|hasta|ate|hacia|going to|arriving (?:in|at)|and arriving (?:in|at)|con destino a|com destino a"
    r"|con llegada (?:a|en)|e chegando (?:em|a)|chegando (?:em|a)|y llegando a|llegando a)"
)
_END = r"(?P<{}>[^,;()]{{2,40}}?)"
_WAYS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_WHAT}{_FROM}\s+{_END.format('a')},?\s+{_TO}\s+{_END.format('b')}",
        rf"{_WHAT}{_TO}\s+{_END.format('b')},?\s+{_FROM}\s+{_END.format('a')}",
    )
)
_ARROW = re.compile(r"(?P<a>[^,;()\-–—→>]{2,40}?)\s*(?:→|->|=>|>|\s[-–—]\s)\s*(?P<b>[^,;()\-–—→>]{2,40}?)")
_HINT = re.compile(rf"→|->|=>|>|\s-\s|\b{_FROM}\s")
_LONGEST = 120

Route = tuple[str, str]


def route_of(text: str) -> Route | None:
    """Where a whole text says that a way starts and ends; None for another text. Places are names, with a capital.

    >>> route_of("to Rome from Madrid"), route_of("de Lisboa a Roma")
    (('Madrid', 'Rome'), ('Lisboa', 'Roma'))
    """
    text = text.strip(" .")
    if len(text) > _LONGEST:
        return None
    folded = plain(text)
    if not _HINT.search(folded):
        return None
    for pattern in (*_WAYS, _ARROW):
        match = pattern.fullmatch(folded)
        if match is None:
            continue
        start, end = text[slice(*match.span("a"))], text[slice(*match.span("b"))]
        if start[0].isupper() and end[0].isupper() and not facts_in(start) and not facts_in(end):
            return start, end
    return None


def compare_routes(a: str, b: str) -> tuple[Route, Route] | None:
    """The starts and the ends of two ways, beside each other; None where a text names none."""
    first = route_of(a)
    second = route_of(b) if first else None
    if first is None or second is None:
        return None
    return (first[0], second[0]), (first[1], second[1])
