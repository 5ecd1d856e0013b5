"""Where two texts differ, word by word. Pure."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LONGEST_DIFFERENCE = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and whether it stands in both, only in the first or only in the second one."""

    text: str
    kind: str  # "same", "del", "ins"


def pieces_of(expected: str, observed: str) -> tuple[Piece, ...]:
    """The differences by word; none for texts too long to be compared so, or with too little in common to be worth it.

    >>> [(piece.kind, piece.text) for piece in pieces_of("revenue EU", "profit EU")]
    [('del', 'revenue'), ('ins', 'profit'), ('same', ' EU')]
    """
    if max(len(expected), len(observed)) > LONGEST_DIFFERENCE or expected == observed:
        return ()
    left, right = _WORDS.findall(expected), _WORDS.findall(observed)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    shared = {word for word in left if word.strip()} & set(right)
    if not shared and min(len(left), len(right)) > 1:
        return (Piece(expected, "del"), Piece(" ", "same"), Piece(observed, "ins"))
    found = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            found.append(Piece("".join(left[a:b]), "same"))
            continue
        if b > a:
            found.append(Piece("".join(left[a:b]), "del"))
        if d > c:
            found.append(Piece("".join(right[c:d]), "ins"))
    return tuple(found)


#: What is shown of two long texts around the place where they begin to differ, in characters.
_AROUND, _SHOWN = 20, 80


def apart(one: str, other: str) -> tuple[str, str]:
    """Of two texts the stretch where they begin to differ, so that shortening does not make them one.

    >>> apart("a" * 90 + "b", "a" * 90 + "c")
    ('…aaaaaaaaaaaaaaaaaaaab', '…aaaaaaaaaaaaaaaaaaaac')
    """
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - _AROUND)
    shown = []
    for text in (one, other):
        begin, end = "…" if start else "", "…" if len(text) > start + _SHOWN else ""
        shown.append(f"{begin}{text[start : start + _SHOWN]}{end}")
    return shown[0], shown[1]
