"""Where sentences and clauses begin and end, as places in the text."""

import re
from typing import NamedTuple

from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.replywords import words


class Span(NamedTuple):
    """A piece of a text: its first character, and the one after its last."""

    start: int
    end: int


_END = re.compile(r"[.!?…]+[\"')\]»”’*_]*(?=\s|$)|\n+")
_MARKER = re.compile(r"[ \t]*(?:[-*•‣▪–—]+|\(?\d{1,2}[.)]|[a-z][.)])[ \t]+")
_TRIMMED = " \t\r\n\u00a0*_#>"


def sentences(text: str) -> list[Span]:
    """The sentences of a text, and the items of its lists, without their marks; what has no letter or digit is none.

    >>> text = "See Dr. Lima at 8 a.m. Bring:\\n- an ID\\n- $1.50"
    >>> [text[span.start : span.end] for span in sentences(text)]
    ['See Dr. Lima at 8 a.m.', 'Bring:', 'an ID', '$1.50']
    """
    found: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if not match.group().startswith("\n") and not _ends(text, start, match):
            continue
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    if match.group()[0] != ".":
        return True
    before = re.search(r"[^\s(]*$", text[max(start, match.start() - 30) : match.start()])
    word = plain(before.group()) if before else ""
    following = re.match(r"\s+[\"'(¿¡]*(\w?)", text[match.end() : match.end() + 10])
    nxt = following[1] if following else ""
    if word == "no" and not nxt.isdigit():
        return not nxt.islower()  # "el coche no." is no number
    if word in words("abbreviations", "") or (len(word) == 1 and word.isalpha()):
        # "at 8 a.m. The …" ends there, "Dr. Lima" does not.
        return word in {"a.m", "p.m", "etc", "inc", "ltd", "co"} and (not nxt or nxt.isupper())
    if word.isdigit() and len(word) <= 2 and not text[start : match.start()].strip(_TRIMMED + "0123456789"):
        return False  # the number of a list item
    return not (nxt and nxt.islower())


def _add(found: list[Span], text: str, start: int, end: int) -> None:
    if marker := _MARKER.match(text, start, end):
        start = marker.end()
    while start < end and text[start] in _TRIMMED:
        start += 1
    while end > start and text[end - 1] in _TRIMMED:
        end -= 1
    if any(character.isalnum() for character in text[start:end]):
        found.append(Span(start, end))
