"""Whether two values mean the same: exact, typed, contradiction, vocabulary and words, one layer after the other."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from evaluation.evaluators.embedded.facts.compare import Matched, Relation, family, match_facts
from evaluation.evaluators.embedded.facts.extract import FALSE_WORDS, LONGEST, TRUE_WORDS, facts_in
from evaluation.evaluators.embedded.facts.model import Fact
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.layers.places import compare_airports, compare_codes, compare_places, compare_units
from evaluation.evaluators.embedded.layers.words import (
    ADDRESS,
    GENERIC,
    REQUESTING,
    JOINING,
    LEGAL_FORMS,
    Matching,
    Side,
    Term,
    are_contrasted,
    are_opposites,
    are_synonyms,
    field_words,
    initials_of,
    is_reversed,
    match_terms,
    opposed,
    taken_apart,
)
from evaluation.evaluators.embedded.model import Embedding, Judged
from evaluation.evaluators.embedded.vocabulary import STANDARD, Vocabulary, fold_term

_ONE, _ZERO, _HALF = Fraction(1), Fraction(0), Fraction(1, 2)
_DEEPEST = 40  # levels of lists and objects that are compared by their parts
_MOST = 200  # elements of two lists that are matched by meaning; more are compared as they are written
# Measured for the embedding's similarity: a word exchanged needs more than a word added.
_WHOLE, _REST, _EXTRA = 0.96, 0.84, 0.848


@dataclass(frozen=True, slots=True)
class _Open:
    """A verdict, and the words left over on each side where the words did not decide."""

    judged: Judged
    rest: tuple[str, str] | None = None


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


def sure(is_equal: bool, layer: str, sentence: str, notes: tuple[str, ...] = ()) -> Judged:
    """A verdict that a layer is certain of."""
    return Judged(is_equal, True, _ONE if is_equal else _ZERO, layer, sentence, notes)


def unsure(is_equal: bool, similarity: Fraction, layer: str, sentence: str, notes: tuple[str, ...] = ()) -> Judged:
    """The better guess where the layers cannot decide; its score stays on its side of one half."""
    score = max(_HALF, min(similarity, Fraction(95, 100))) if is_equal else min(similarity, Fraction(49, 100))
    return Judged(is_equal, False, score, layer, sentence, notes)


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
            return sure(True, "exact", "They are equal.")
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
        return unsure(
            is_equal, _HALF, "exact", f"They are nested more than {_DEEPEST} levels deep and were not looked into."
        )

    # --- scalars ----------------------------------------------------------------------------------------------

    def booleans(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        truth, other = (a, b) if isinstance(a, bool) else (b, a)
        if isinstance(other, bool):
            return sure(
                truth == other,
                "typed",
                f"{_shown(truth)} and {_shown(other)} are {'equal' if truth == other else 'opposite'}.",
            )
        if isinstance(other, str):
            said = truth_of(other)
            if said is not None:
                word = "means" if said == truth else "does not mean"
                return sure(said == truth, "typed", f"{_shown(other)} {word} {_shown(truth)}.")
            if other.strip() in ("0", "1"):
                return unsure(
                    (other.strip() == "1") == truth,
                    Fraction(6, 10),
                    "typed",
                    f"{_shown(other)} may stand for a truth value.",
                )
            return unsure(False, Fraction(1, 10), "typed", f"{_shown(other)} is no truth value.")
        if isinstance(other, (int, float)) and other in (0, 1):
            return unsure(
                bool(other) == truth, Fraction(6, 10), "typed", f"{_shown(other)} may stand for a truth value."
            )
        return sure(False, "typed", f"{_shown(truth)} is a truth value, {_shown(other)} is none.")

    def numbers(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = _number(a), _number(b)
        if first is not None and second is not None:
            is_equal = first == second
            return sure(
                is_equal,
                "typed",
                f"{_shown(a)} and {_shown(b)} are {'the same number' if is_equal else 'different numbers'}.",
            )
        if first is None and second is None:
            is_equal = repr(a) == repr(b)
            return unsure(is_equal, Fraction(is_equal), "exact", "They are no JSON values that can be compared.")
        number, text, value = (a, b, first) if first is not None else (b, a, second)
        if not isinstance(text, str) or value is None:
            return sure(False, "typed", f"{_shown(number)} is a number, {_shown(text)} is none.")
        if text.strip() == str(number):
            return sure(True, "typed", f"{_shown(text)} is the number {_shown(number)}.")
        written = str(number) if isinstance(number, int) else format(value.numerator / value.denominator, "f")
        fact = Fact("number", value, 0, len(written), written, measure="json")
        side = taken_apart(text, self.language, field, self.vocabulary)
        numeric = Side(written, written, (fact,), (), (), (), 0)
        return self.with_embedding(_compare_sides(numeric, side, field, self.language, self.vocabulary))

    # --- objects and lists ------------------------------------------------------------------------------------

    def objects(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = _parsed(a), _parsed(b)
        if not isinstance(first, Mapping) or not isinstance(second, Mapping):
            one, other = (a, b) if isinstance(a, Mapping) else (b, a)
            return sure(False, "typed", f"{_shown(one)} is an object, {_shown(other)} is none.")
        if first.keys() != second.keys():
            names = sorted(str(key) for key in first.keys() ^ second.keys())
            if {_key(k) for k in first} == {_key(k) for k in second} and len(first) == len(second):
                second = {k: next(v for name, v in second.items() if _key(name) == _key(k)) for k in first}
            else:
                return sure(False, "typed", f"Only one of the objects has {_listed(names)}.")
        parts = [(str(key), self.values(first[key], second[key], _joined(field, str(key)), depth + 1)) for key in first]
        return _together(parts, "objects")

    def lists(self, a: Any, b: Any, field: str, depth: int) -> Judged:
        first, second = self.elements(a, b), self.elements(b, a)
        if len(first) != len(second):
            counts = (
                f"{len(first)} and {len(second)}" if len(first) < len(second) else f"{len(second)} and {len(first)}"
            )
            if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                return sure(False, "typed", f"The lists have {counts} elements.")
            one = self.single(a, b, field, depth)
            return one or sure(False, "typed", f"The lists have {counts} elements.")
        if first == second and type(first) is type(second) and _same_types(first, second):
            return sure(True, "exact", "The lists are equal.")
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
            return sure(True, "typed", "They have the same elements, in another order.")
        if len(a) > _MOST or len(a) * len(b) > _MOST * _MOST // 4:
            return unsure(
                False,
                Fraction(1, 4),
                "typed",
                f"{len(a)} elements differ, which are more than are compared by meaning.",
            )
        judged = [[self.values(x, y, field, depth + 1) for y in b] for x in a]
        certain = [[one.is_equal and one.is_sure for one in row] for row in judged]
        guessed = [[one.is_equal for one in row] for row in judged]
        possible = [[one.is_equal or not one.is_sure for one in row] for row in judged]
        if _has_matching(certain):
            return sure(True, "typed", "The lists have the same elements.")
        if _has_matching(guessed):
            return unsure(True, Fraction(3, 4), "words", "The lists seem to have the same elements.")
        lost = next((x for x, row in zip(a, guessed, strict=True) if not any(row)), a[0])
        if _has_matching(possible):
            return unsure(False, Fraction(3, 10), "words", f"The other list may not have {_shown(lost)}.")
        lost = next((x for x, row in zip(a, possible, strict=True) if not any(row)), lost)
        return sure(False, "typed", f"The other list has no {_shown(lost)}.")

    # --- texts ------------------------------------------------------------------------------------------------

    def texts(self, a: str, b: str, field: str, depth: int) -> Judged:
        if a == b:
            return sure(True, "exact", "They are equal.")
        first, second = (a, b) if a <= b else (b, a)
        said = self.vocabulary.project_says(first[:200], second[:200], field) if max(len(a), len(b)) <= 200 else None
        if said is not None:
            return sure(
                said, "vocabulary", f"The project says that they mean {'the same' if said else 'different things'}."
            )
        if "{" in first + second or "[" in first + second:
            x, y = _parsed(first), _parsed(second)
            if isinstance(x, (list, dict)) and isinstance(y, (list, dict)):
                return self.values(x, y, field, depth + 1)
        return self.with_embedding(_compare_texts(first, second, field, self.language, self.vocabulary))

    def with_embedding(self, found: _Open) -> Judged:
        """The guess of a pair that the layers leave open, by the embedding where there is one."""
        judged = found.judged
        if self.embedding is None or found.rest is None or judged.is_sure:
            return judged
        a, b = found.rest
        try:
            if a and b:
                rest = self.embedding.similarity(a, b)
                return _guessed(judged, rest >= _REST, rest, self.embedding.name)
            extra = Fraction(judged.score)
            return judged if extra >= _HALF else judged
        except (ValueError, RuntimeError, OSError):
            return judged


def _guessed(judged: Judged, is_equal: bool, similarity: float, name: str) -> Judged:
    score = Fraction(str(round(min(max(similarity, 0.0), 1.0), 4)))
    note = f"{name} finds the words that differ {float(score):.2f} alike."
    return unsure(is_equal, score, "semantic", judged.sentence, (*judged.notes, note))


# --- helpers ------------------------------------------------------------------------------------------------------


def _shown(value: Any) -> str:
    """A value as it is shown in a sentence, shortened."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    except (RecursionError, ValueError):
        text = "a value"
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = text if len(text) <= 60 else f"{text[:57]}…"
    return f"“{text}”" if isinstance(value, str) else text


def _listed(names: Sequence[str]) -> str:
    shown = [_shown(name) for name in names[:3]]
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


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
        return unsure(True, Fraction(6, 10), "typed", f"{_shown(other)} may stand for null.")
    return sure(False, "typed", f"One is null, the other is {_shown(other)}.")


def truth_of(text: str) -> bool | None:
    """The truth value that a whole text is, in three languages; None for another text."""
    word = plain(text).strip(" .!")
    return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None


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


def _together(parts: list[tuple[str, Judged]], what: str) -> Judged:
    """The verdict of an object by its parts: equal where all are, sure where none that counts is unsure."""
    if not parts:
        return sure(True, "exact", f"Both {what} are empty.")
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
    return sure(True, inexact, "All parts of the objects are equal.")


# --- two texts ----------------------------------------------------------------------------------------------------

_LAMBDA = re.compile(r"^\s*lambda\s+[\w, ]+:\s*")
_QUOTED = re.compile(r"""^(["'`“‘])(.*)["'`”’]$""", re.DOTALL)
_SIGNIFICANT = re.compile(r"[+*=<>^%$€£¥#@~]")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")


_NOT_LETTERS = re.compile(r"[\s'’_-]+")


def _signs_differ(a: str, b: str) -> bool:
    return sorted(_SIGNIFICANT.findall(a)) != sorted(_SIGNIFICANT.findall(b))


def _tidied(text: str) -> str:
    """A text without what only wraps it: quotes, escaped quotes, "lambda x:", doubled spaces."""
    text = " ".join(_LAMBDA.sub("", text).replace('\\"', '"').replace("\\'", "'").split())
    quoted = _QUOTED.match(text)
    return quoted[2] if quoted and quoted[1] not in quoted[2] else text


_UNIT_CASE = re.compile(r"\d\s?(m|mb|gb|kb|tb|mw)\b", re.IGNORECASE)
_LITERAL = re.compile(r"[@/\\]|\w\.\w{2}")


def _capitals_matter(a: str, b: str) -> bool:
    """Whether texts differ in a unit whose meaning hangs on capitals: Gb and GB, m and M."""
    return _UNIT_CASE.findall(a) != _UNIT_CASE.findall(b)


@lru_cache(maxsize=32_768)
def _compare_texts(a: str, b: str, field: str, language: str, vocabulary: Vocabulary) -> _Open:
    """Two different texts, a before b in order. Cached: in a run the same pairs recur."""
    if max(len(a), len(b)) > LONGEST:
        return _Open(_long(a, b))
    a, b = _tidied(a), _tidied(b)
    if a.casefold() == b.casefold() and not _capitals_matter(a, b):
        return _Open(sure(True, "exact", "They are equal but for case and spaces."))
    quick = _quick(a, b, field, language, vocabulary)
    if quick:
        return _Open(quick)
    first = taken_apart(a, language, field, vocabulary)
    second = taken_apart(b, language, field, vocabulary)
    return _compare_sides(first, second, field, language, vocabulary)


def _long(a: str, b: str) -> Judged:
    is_equal = " ".join(a.casefold().split()) == " ".join(b.casefold().split())
    if is_equal:
        return sure(True, "exact", "They are equal but for case and spaces.")
    return unsure(
        False, Fraction(1, 4), "exact", f"They are longer than {LONGEST} characters and were not looked into."
    )


def _quick(a: str, b: str, field: str, language: str, vocabulary: Vocabulary) -> Judged | None:
    """What whole texts say before they are taken apart: truth values, plain equality, lists of words, codes, initials."""
    truth = truth_of(a), truth_of(b)
    if None not in truth:
        return sure(
            truth[0] == truth[1],
            "typed",
            f"{_shown(a)} and {_shown(b)} are {'the same' if truth[0] == truth[1] else 'opposite'} truth values.",
        )
    has_digits = any(c.isdigit() for c in a) or any(c.isdigit() for c in b)
    # In addresses and paths every point and dash counts.
    is_prose = not has_digits and not _LITERAL.search(a) and not _LITERAL.search(b) and not _signs_differ(a, b)
    if is_prose and _words_only(a) == _words_only(b) != "":
        return sure(True, "exact", "They are equal but for case, accents and punctuation.")
    if is_prose and len(a) > 5 and _NOT_LETTERS.sub("", plain(a)) == _NOT_LETTERS.sub("", plain(b)):
        return sure(True, "words", "They are equal but for spaces and hyphens.")
    if max(len(a), len(b)) > 120:
        return None
    listed = _by_lists(a, b, field, language, vocabulary)
    if listed:
        return listed
    unit = compare_units(a, b)
    if unit:
        return _named(unit, "units")
    if has_digits:
        return _initials(a, b) or _initials(b, a)
    own = field_words(field)
    code = compare_codes(a, b, own)
    if code:
        return _named(code, "codes")
    port = compare_airports(a, b)
    if port:
        return _named(port, "codes")
    acronym = _initials(a, b) or _initials(b, a)
    if acronym:
        return acronym
    place = compare_places(a, b, vocabulary, language)
    return _named(place, "places") if place else None


def _named(found: Any, layer: str) -> Judged:
    if found.is_sure:
        return sure(found.is_equal, "typed" if found.is_equal else "contradiction", found.sentence)
    return unsure(found.is_equal, Fraction(7, 10) if found.is_equal else Fraction(3, 10), layer, found.sentence)


def _words_only(text: str) -> str:
    return " ".join(_LETTERS_ONLY.findall(plain(text).replace("'", "")))


def _by_lists(a: str, b: str, field: str, language: str, vocabulary: Vocabulary) -> Judged | None:
    if fold_term(a) == fold_term(b):
        # Folding drops points and dashes, which lists of words can do without and addresses and numbers cannot.
        return None
    if are_synonyms(a, b, language, vocabulary):
        return sure(True, "vocabulary", f"A list says that {_shown(a)} and {_shown(b)} mean the same.")
    if are_opposites(a, b, language, vocabulary):
        return sure(False, "contradiction", f"{_shown(a)} is the opposite of {_shown(b)}.")
    if are_contrasted(a, b, language, vocabulary):
        return sure(False, "contradiction", f"{_shown(a)} and {_shown(b)} exclude each other.")
    return None


def _initials(short: str, full: str) -> Judged | None:
    if any(c.isdigit() for c in short):
        return _initials_and_number(short, full)
    letters = re.sub(r"[.&\s]", "", short)
    if not 2 <= len(letters) <= 7 or not letters.isalpha() or " " in short.replace(". ", "").strip():
        return None
    if plain(letters) not in initials_of(full):
        return None
    sentence = f"{_shown(short)} are the initials of {_shown(full)}."
    if letters.isupper():
        return sure(True, "typed", sentence)
    return unsure(True, Fraction(3, 4), "words", sentence)


_LETTERS_AND_NUMBER = re.compile(r"([A-Za-z]{2,5})[- ]?(\d{1,4})")
_WORDS_AND_NUMBER = re.compile(r"([^\d]+?)\s+(\d{1,4}|II|III|IV|VI|VII|VIII|IX|XI|XII)")
_ROMANS = ("", "", "II", "III", "IV", "", "VI", "VII", "VIII", "IX", "", "XI", "XII")


def _initials_and_number(short: str, full: str) -> Judged | None:
    """ "WW2" beside "World War 2" or "World War II"."""
    one, other = _LETTERS_AND_NUMBER.fullmatch(short.strip()), _WORDS_AND_NUMBER.fullmatch(full.strip())
    if one is None or other is None or plain(one[1]) not in initials_of(other[1]):
        return None
    number = other[2] if other[2].isdigit() else str(_ROMANS.index(other[2]))
    if number != one[2]:
        return sure(False, "contradiction", f"{_shown(short)} and {_shown(full)} have different numbers.")
    return sure(True, "typed", f"{_shown(short)} are the initials and the number of {_shown(full)}.")


def _compare_sides(a: Side, b: Side, field: str, language: str, vocabulary: Vocabulary) -> _Open:
    """Two texts taken apart: facts first, then contradictions among the words, then the words."""
    facts = match_facts(a.facts, b.facts)
    typed = _typed(a, b, facts)
    if typed:
        return _Open(typed)
    matching = match_terms(_without_forms(a), _without_forms(b), language, vocabulary)
    if facts.is_cut or matching.is_cut:
        similarity = _similarity(a, b, facts, matching)
        return _Open(unsure(False, similarity, "words", "They are too long to compare every word and value."))
    _drop_address_words(matching, a, b)
    denied = _denied(a, b, facts, matching, language, vocabulary)
    if denied:
        return _Open(denied)
    return _by_words(a, b, facts, matching, field, language, vocabulary)


def _typed(a: Side, b: Side, facts: Matched) -> Judged | None:
    """A contradiction among the facts, which is final."""
    for x, y, relation in facts.pairs:
        if relation is Relation.DIFFERENT:
            return sure(
                False,
                "contradiction",
                f"{_shown(x.text or a.text)} is not {_shown(y.text or b.text)} ({_kind_name(x)}).",
            )
    return None


def _kind_name(fact: Fact) -> str:
    return {"quantity": fact.unit, "relative": "date", "datetime": "date and time"}.get(fact.kind, fact.kind)


def _without_forms(side: Side) -> Side:
    """The side without a company's legal form behind its name."""
    content = side.content
    if len(content) > 1:
        kept = tuple(
            t
            for at, t in enumerate(content)
            if at == 0 or t.text.replace(".", "") not in LEGAL_FORMS or not t.words[0].is_name
        )
        if kept and len(kept) < len(content):
            return Side(side.text, side.plain, side.facts, side.words, kept, side.neutral, side.negations)
    return side


def _drop_address_words(matching: Matching, a: Side, b: Side) -> None:
    """Where both texts are addresses, "St" is "Street", and the word before a flat's number says nothing."""
    if not (a.facts and b.facts):
        return
    for term in list(matching.left_a):
        other = next((o for o in matching.left_b if _address(term) == _address(o) is not None), None)
        if other:
            matching.left_a.remove(term)
            matching.left_b.remove(other)
    for left in (matching.left_a, matching.left_b):
        for term in list(left):
            if _address(term) in ("apartment", "suite", "number", "floor", "room"):
                left.remove(term)


def _address(term: Term) -> str | None:
    word = ADDRESS.get(term.text, term.text)
    return word if word in _ADDRESS_WORDS else None


_ADDRESS_WORDS = frozenset(ADDRESS.values())


def _denied(
    a: Side, b: Side, facts: Matched, matching: Matching, language: str, vocabulary: Vocabulary
) -> Judged | None:
    """Opposites, contrasts, one-sided negation and reversed direction: never equal, whatever else agrees."""
    is_odd = (a.negations + b.negations + matching.negations) % 2 == 1
    found = opposed(matching.whole_a, matching.whole_b, language, vocabulary) or opposed(
        matching.left_a, matching.left_b, language, vocabulary
    )
    if found:
        x, y, how = found
        if is_odd and how == "opposite":
            # "not approved" and "denied" may well be the same.
            rest = len(matching.left_a) + len(matching.left_b) == 2
            return unsure(
                rest,
                Fraction(6, 10) if rest else Fraction(3, 10),
                "contradiction",
                f"“{x.text}” is the opposite of “{y.text}”, and one text denies it.",
            )
        if is_odd:
            # What excludes a thing may be said by denying another: "not yet delivered", "in transit".
            return unsure(
                False,
                Fraction(3, 10),
                "contradiction",
                f"“{x.text}” excludes “{y.text}”, and one text denies something.",
            )
        word = "is the opposite of" if how == "opposite" else "excludes"
        return sure(False, "contradiction", f"“{x.text}” {word} “{y.text}”.")
    if is_odd and (matching.matches or facts.pairs):
        is_all = not matching.left_a and not matching.left_b
        if is_all:
            return sure(False, "contradiction", "One text denies what the other says.")
        return unsure(False, Fraction(1, 5), "contradiction", "One text has a negation that the other has not.")
    turned = is_reversed(a, b, matching, language)
    if turned:
        return sure(
            False,
            "contradiction",
            f"The direction is reversed between “{_fact_name(turned[0])}” and “{_fact_name(turned[1])}”.",
        )
    return None


def _fact_name(name: str) -> str:
    return name.split(":")[1] if ":" in name else name


def _by_words(
    a: Side, b: Side, facts: Matched, matching: Matching, field: str, language: str, vocabulary: Vocabulary
) -> _Open:
    left_a, left_b = matching.left_a, matching.left_b
    doubts = _doubts(facts)
    similarity = _similarity(a, b, facts, matching)
    if not left_a and not left_b:
        return _Open(_all_matched(a, b, facts, matching, doubts, similarity))
    if facts.worst is Relation.DOUBTFUL or (facts.left_a and facts.left_b):
        return _Open(unsure(False, similarity / 2, "typed", doubts[0], doubts[1:]), _rest(left_a, left_b))
    if left_a and left_b:
        return _word_difference(a, b, facts, matching, doubts, similarity)
    return _extra_words(a, b, facts, matching, doubts, similarity, language, vocabulary)


def _rest(left_a: Sequence[Term], left_b: Sequence[Term]) -> tuple[str, str]:
    return " ".join(t.text for t in left_a), " ".join(t.text for t in left_b)


def _doubts(facts: Matched) -> tuple[str, ...]:
    """What the facts leave open, one sentence each."""
    found = [
        f"{_shown(x.text)} and {_shown(y.text)} {'may be' if relation is Relation.LIKELY else 'are hardly'} the same."
        for x, y, relation in facts.pairs
        if relation in (Relation.LIKELY, Relation.DOUBTFUL)
    ]
    found += [f"Only one says {_shown(fact.text)}." for fact in (*facts.left_a, *facts.left_b)]
    return tuple(found)


# Shares are counted in hundredths, as whole numbers.
_STRENGTHS = {3: 100, 2: 95, 1: 75}
_FULL, _LIGHT = 100, 30


def _similarity(a: Side, b: Side, facts: Matched, matching: Matching) -> Fraction:
    """The share of facts and words that both have; a generic word weighs less."""
    both = every = 0
    for match in matching.matches:
        first, second = _weight(match.a), _weight(match.b)
        both += 2 * _STRENGTHS[match.strength] * min(first, second) // 100
        every += first + second
    for _, _, relation in facts.pairs:
        both += 2 * _FULL if relation in (Relation.SAME, Relation.LIKELY) else 0
        every += 2 * _FULL
    every += sum(_weight(term) for term in (*matching.left_a, *matching.left_b))
    every += _FULL * (len(facts.left_a) + len(facts.left_b))
    return Fraction(both, every) if every else Fraction(0)


@lru_cache(maxsize=8_192)
def _word_weight(text: str) -> int:
    words = text.split()
    if len(words) == 1:
        return _LIGHT if any(w in GENERIC or w in REQUESTING for w in (text, text.removesuffix("s"))) else _FULL
    return _LIGHT if all(w in GENERIC or w in REQUESTING or w in JOINING for w in words) else _FULL


def _weight(term: Term) -> int:
    """How much a term says, in hundredths: generic words say less."""
    return _word_weight(term.text)


def _is_light(term: Term) -> bool:
    return _weight(term) < _FULL


def _all_matched(
    a: Side, b: Side, facts: Matched, matching: Matching, doubts: tuple[str, ...], similarity: Fraction
) -> Judged:
    """No words are left over on either side."""
    if not matching.matches and not facts.pairs:
        if a.facts or b.facts:
            return unsure(False, Fraction(1, 10), "typed", doubts[0] if doubts else "They have nothing in common.")
        return _only_joining(a, b)
    if facts.left_a or facts.left_b:
        return unsure(False, similarity, "typed", doubts[-1], doubts[:-1])
    if facts.worst is Relation.DOUBTFUL:
        return unsure(False, similarity, "typed", doubts[0], doubts[1:])
    if sorted(_SIGNIFICANT.findall(_outside(a))) != sorted(_SIGNIFICANT.findall(_outside(b))) and not _sign_ok(a, b):
        return unsure(False, Fraction(45, 100), "words", "They have the same words but other signs.")
    if facts.worst is Relation.LIKELY:
        return unsure(True, max(similarity, Fraction(7, 10)), "typed", doubts[0], doubts[1:])
    if _ends_swapped(a, b, matching):
        return unsure(False, Fraction(45, 100), "words", "They have the same words, but two have changed places.")
    weak = [m for m in matching.matches if m.strength == 1]
    if weak:
        return unsure(
            True, similarity, "words", f"“{weak[0].a.text}” and “{weak[0].b.text}” are alike ({weak[0].reason})."
        )
    if not matching.matches:
        return sure(True, "typed", f"Both say the same: {_listed([pair[0].text or a.text for pair in facts.pairs])}.")
    listed = [m for m in matching.matches if m.strength == 2]
    if listed:
        return sure(
            True,
            "vocabulary",
            f"The words mean the same: “{listed[0].a.text}” and “{listed[0].b.text}” ({listed[0].reason}).",
        )
    return sure(True, "words", "They have the same words.")


def _ends_swapped(a: Side, b: Side, matching: Matching) -> bool:
    """Whether two words changed places around others that stayed: "Team A beat Team B". Lists may do that."""
    if len(matching.matches) < 3 or any(m.strength < 3 for m in matching.matches) or _LISTED.search(a.plain + b.plain):
        return False
    if len(matching.matches) != len(a.content) or len(a.content) != len(b.content):
        return False
    pairs = list(zip([t.text for t in a.content], [t.text for t in b.content], strict=True))
    moved = [at for at, (x, y) in enumerate(pairs) if x != y]
    return len(moved) == 2 and moved[1] - moved[0] >= 2 and pairs[moved[0]] == pairs[moved[1]][::-1]


_LISTED = re.compile(r"[,;&/]| (?:and|or|y|e|o|u|ou) ")


def _outside(side: Side) -> str:
    text = side.plain
    for fact in side.facts:
        text = text[: fact.start] + " " * (fact.end - fact.start) + text[fact.end :]
    return text


def _sign_ok(a: Side, b: Side) -> bool:
    """Whether signs that differ are only the # before a number."""
    return all(set(_SIGNIFICANT.findall(_outside(side))) <= {"#"} for side in (a, b))


def _only_joining(a: Side, b: Side) -> Judged:
    first, second = [w.text for w in a.words], [w.text for w in b.words]
    if first == second and first:
        return sure(True, "words", "They have the same words.")
    if sorted(first) == sorted(second) and first:
        return unsure(True, Fraction(6, 10), "words", "They have the same words in another order.")
    return unsure(False, Fraction(1, 5), "words", "They have no word in common.")


def _word_difference(
    a: Side, b: Side, facts: Matched, matching: Matching, doubts: tuple[str, ...], similarity: Fraction
) -> _Open:
    """Both sides have words that the other has not."""
    left_a, left_b = matching.left_a, matching.left_b
    words = _rest(left_a, left_b)
    sentence = f"“{words[0]}” stands against “{words[1]}”, and no list knows whether they mean the same."
    only_generic = all(_is_light(t) for t in (*left_a, *left_b)) and (matching.matches or facts.pairs)
    is_ids = (
        bool(facts.pairs)
        and all(family(x) == "id" for x, _, _ in facts.pairs)
        and only_generic
        and not matching.matches
    )
    if is_ids and facts.worst is Relation.SAME:
        return _Open(unsure(False, Fraction(45, 100), "words", sentence, doubts), words)
    leans = bool(only_generic) and similarity >= Fraction(7, 10) and not (facts.left_a or facts.left_b)
    return _Open(unsure(leans, similarity, "words", sentence, doubts), words)


def _extra_words(
    a: Side,
    b: Side,
    facts: Matched,
    matching: Matching,
    doubts: tuple[str, ...],
    similarity: Fraction,
    language: str,
    vocabulary: Vocabulary,
) -> _Open:
    """Only one side has further words."""
    extra = matching.left_a or matching.left_b
    words = " ".join(term.text for term in extra)
    rest = _rest(matching.left_a, matching.left_b)
    sentence = f"Only one says “{words}”."
    if not matching.matches and not facts.pairs:
        return _Open(unsure(False, Fraction(1, 10), "words", "They have nothing in common."), rest)
    if facts.left_a or facts.left_b:
        return _Open(unsure(False, similarity, "words", sentence, doubts), rest)
    is_generic = all(_is_light(term) for term in extra)
    fact_only = not matching.matches
    if is_generic and fact_only and facts.worst is Relation.SAME and _are_ids(facts):
        return _Open(
            sure(
                True,
                "typed",
                f"Both name {_shown(facts.pairs[0][0].text or facts.pairs[0][1].text)}; “{words}” only says of what.",
            )
        )
    is_qualifying = not is_generic and any(_qualifies(term, language, vocabulary) for term in extra)
    if is_qualifying:
        return _Open(
            unsure(False, similarity, "words", f"Only one says “{words}”, which may make it something else."), rest
        )
    leans = is_generic or (
        _is_mostly_shared(matching, facts, extra)
        and not _narrows(extra, a if matching.left_a else b, matching, bool(matching.left_a), language)
    )
    return _Open(unsure(leans, similarity, "words", sentence, doubts), rest)


def _are_ids(facts: Matched) -> bool:
    return all(
        family(x) in ("id", "phone", "email", "url") or family(y) == "id" or _is_bare(x, y) for x, y, _ in facts.pairs
    )


def _is_bare(x: Fact, y: Fact) -> bool:
    return x.kind == y.kind == "number" and x.text.isdigit() and y.text.isdigit()


def _qualifies(term: Term, language: str, vocabulary: Vocabulary) -> bool:
    """Whether a word makes something else of what it stands beside: it has an opposite or siblings that exclude it."""
    return bool(vocabulary.opposites_of(term.text, language) or vocabulary.contrasts_of(term.text, language))


def _is_mostly_shared(matching: Matching, facts: Matched, extra: Sequence[Term]) -> bool:
    """Whether what both say outweighs what only one says, and the extra is no number of words beyond a name's."""
    shared = len(matching.matches) + len(facts.pairs)
    names = sum(1 for m in matching.matches if m.a.is_name or m.b.is_name)
    weight = sum(_weight(term) for term in extra)
    return weight <= _FULL * max(shared, 1) + _FULL // 2 if names else weight <= _FULL * shared


def _narrows(extra: Sequence[Term], side: Side, matching: Matching, is_a: bool, language: str) -> bool:
    """Whether the further words make a kind of what both name: "assistant manager", "habitación doble".

    In English they stand before the last word, in Spanish and Portuguese behind the first. A name with more of its
    parts ("Cristiano Ronaldo") is no other name.
    """
    shared = [match.a if is_a else match.b for match in matching.matches]
    if not shared or any(term.is_name for term in (*extra, *shared)):
        return False
    if any(word.text in ("of", "de", "do", "da", "del", "in", "on", "for") for word in side.words):
        return False
    first, last = min(t.words[0].start for t in extra), max(t.words[0].start for t in extra)
    if language in ("es", "pt"):
        return first > max(t.words[0].start for t in shared)
    return last < max(t.words[0].start for t in shared)


def joining_words() -> frozenset[str]:
    """The words that only join others."""
    return JOINING


def forget() -> None:
    """Drop what is remembered of single texts and pairs; the tables stay. For measuring."""
    for remembered in (_compare_texts, taken_apart, facts_in):
        remembered.cache_clear()
