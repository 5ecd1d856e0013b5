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
