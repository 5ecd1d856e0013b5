"""What differs between two accepted ways of one golden, turn by turn and word by word. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.differences import Piece, apart, pieces_of
from annotations.sentences import field_words, fields_of
from annotations.structure import Step, edges_of
from evaluation.aem.language import say
from evaluation.formats import jsonio

#: Beyond this many pairs of turns that differ, turns are paired by their place alone.
_MOST_PAIRS = 40_000


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that says something else: its words with what only the first or only the second way says."""

    label: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A turn of either way, or the same turn in both. ``state`` is same, changed, added or missing."""

    state: str
    first: Step | None
    second: Step | None
    fields: tuple[FieldDifference, ...] = ()


def compare(first: Sequence[Step], second: Sequence[Step]) -> list[Row]:
    """The turns of both ways in order: those in both beside each other, and what stands in one of them alone."""
    pairs = paired(first, second)
    words = _turn_words(pairs)
    rows = []
    for one, other in pairs:
        if one is None or other is None:
            rows.append(Row("added" if one is None else "missing", one, other))
            continue
        fields = _differences(one, other, words)
        rows.append(Row("changed" if fields else "same", one, other, fields))
    return rows


def _turn_words(pairs: Sequence[tuple[Step | None, Step | None]]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """How each way names its turns, so that one and the same turn has one and the same name in both."""
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    for one, other in pairs:
        if one is not None and one.turn_no is not None:
            left[one.key] = say("turn {number}", number=one.turn_no)
        if other is not None and other.turn_no is not None:
            right[other.key] = (
                say("turn {number} of this way", number=other.turn_no)
                if one is None
                else say("turn {number}", number=one.turn_no)
            )
    return left, right


def _differences(
    one: Step, other: Step, words: tuple[Mapping[str, str], Mapping[str, str]]
) -> tuple[FieldDifference, ...]:
    if _is_same(one, other) and one.key == other.key and _same_names(one.body, words):
        return ()
    left, right = fields_of(one.body, words[0]), fields_of(other.body, words[1])
    long_left, long_right = _shortened_of(one.body), _shortened_of(other.body)
    found = []
    for label in {**left, **right}:
        before, after = left.get(label, ""), right.get(label, "")
        if before == after and label in long_left and label in long_right:
            before, after = apart(long_left[label], long_right[label])
        if before != after:
            pieces = pieces_of(before, after) or (Piece(before, "del"), Piece(after, "ins"))
            found.append(FieldDifference(field_words(label), tuple(piece for piece in pieces if piece.text)))
    return tuple(found)


def _shortened_of(body: Mapping[str, Any]) -> dict[str, str]:
    """What the words of a field may leave out or write alike, whole: values, and the texts of claims."""
    found = {}
    params = body.get("params")
    for name, param in params.items() if isinstance(params, Mapping) else ():
        if isinstance(param, Mapping):
            values = param["values"] if isinstance(param.get("values"), list) else [param.get("value")]
            found[f"parameter {name}"] = " or ".join(jsonio.canonical(value) for value in values)
    claims = body.get("claims")
    for position, claim in enumerate(claims if isinstance(claims, list) else (), start=1):
        if isinstance(claim, Mapping):
            parts = [claim.get("text"), claim.get("contains"), claim.get("excludes")]
            said = " ".join(jsonio.canonical(part) for part in parts if part)
            found[f"claim {claim.get('id') or position}"] = said
    return found


def _same_names(body: object, words: tuple[Mapping[str, str], Mapping[str, str]]) -> bool:
    """Whether what a turn builds on is one and the same turn in both ways."""
    return all(words[0].get(edge.source) == words[1].get(edge.source) for edge in edges_of(body))


def paired(first: Sequence[Step], second: Sequence[Step]) -> list[tuple[Step | None, Step | None]]:
    """Which turn of the first way is which of the second. What is equal at both ends needs no search."""
    start = 0
    while start < min(len(first), len(second)) and _is_same(first[start], second[start]):
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and _is_same(first[-1 - end], second[-1 - end]):
        end += 1
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    head: list[tuple[Step | None, Step | None]] = list(zip(first[:start], second[:start], strict=True))
    tail = list(zip(first[len(first) - end :], second[len(second) - end :], strict=True))
    middle = _by_place(left, right) if len(left) * len(right) > _MOST_PAIRS else _by_likeness(left, right)
    return [*head, *middle, *tail]


def _is_same(one: Step, other: Step) -> bool:
    # Yes and 1 are equal to Python, and so are 1 and 1.0; to a golden they may not be.
    return bool(one.body == other.body) and jsonio.canonical(one.body) == jsonio.canonical(other.body)


def _likeness(one: Step, other: Step) -> int:
    """How much speaks for two turns being one and the same; 0 where they cannot be."""
    mine, theirs = one.body, other.body
    kinds = [next((kind for kind in ("user", "tool", "response") if kind in body), "") for body in (mine, theirs)]
    if kinds[0] != kinds[1] or mine.get("tool") != theirs.get("tool"):
        return 0
    is_equal, is_same_action = bool(mine == theirs), bool(mine.get("action") == theirs.get("action"))
    return 2 + 8 * is_equal + 4 * is_same_action + (one.key == other.key)


def _by_likeness(left: Sequence[Step], right: Sequence[Step]) -> list[tuple[Step | None, Step | None]]:
    """Keeps the order of both and makes the sum of likenesses as large as can be."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            paired = _likeness(left[i], right[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + paired if paired else 0)
    found: list[tuple[Step | None, Step | None]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        paired = _likeness(left[i], right[j])
        if paired and best[i][j] == best[i + 1][j + 1] + paired:
            found.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            found.append((left[i], None))
            i += 1
        else:
            found.append((None, right[j]))
            j += 1
    return found + [(step, None) for step in left[i:]] + [(None, step) for step in right[j:]]


def _by_place(left: Sequence[Step], right: Sequence[Step]) -> list[tuple[Step | None, Step | None]]:
    found: list[tuple[Step | None, Step | None]] = []
    for number in range(max(len(left), len(right))):
        one = left[number] if number < len(left) else None
        other = right[number] if number < len(right) else None
        if one is not None and other is not None and not _likeness(one, other):
            found += [(one, None), (None, other)]
        else:
            found.append((one, other))
    return found
