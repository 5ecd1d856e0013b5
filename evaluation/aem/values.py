"""Comparing an observed value with a golden one, kind by kind."""

from collections import Counter
from collections.abc import Callable, Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from evaluation.aem.asking import ask_compare
from evaluation.aem.dates import Moment, moment_of, same_moment
from evaluation.aem.language import kept
from evaluation.aem.matching import has_perfect_matching
from evaluation.aem.patterns import Pattern, pattern_of
from evaluation.aem.plain import is_within, number_text
from evaluation.aem.records import Compare
from evaluation.aem.scorers import Scorer
from evaluation.aem.text import Number, fold, number_of

ONE, ZERO = Fraction(1), Fraction(0)
# Why a score is in doubt. Scoring writes it in English; explanations tell it in the reader's language.
LEFT_OPEN = kept("the comparison leaves open whether it is right")
_NEAR = kept("the score {score} is within {margin} of the threshold {threshold}")


class Match(NamedTuple):
    """What came out of a comparison. ``scorer`` is ``exact`` unless a semantic scorer decided.

    Where no scorer could judge it, ``is_unknown`` is set: then it has neither passed nor failed, and has no score.
    """

    passed: bool
    score: Fraction | None
    scorer: str = "exact"
    sentence: str = ""
    #: Why a person should look at it; empty where nothing makes it doubtful.
    doubt: str = ""
    is_unknown: bool = False
    layer: str = ""

    @property
    def is_close(self) -> bool:
        """Whether the score is close to its threshold, or scorers, layers or votes disagree."""
        return bool(self.doubt)


EQUAL = Match(passed=True, score=ONE)
DIFFERENT = Match(passed=False, score=ZERO)


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number; true and false are none."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def equal(expected: Any, observed: Any) -> bool:
    """Equality under ``auto`` without a semantic scorer, by the golden value's type.

    >>> equal("New York", "new  york"), equal(7, "7"), equal(1, True), equal("true", True), equal("1", "1.0")
    (True, True, False, True, False)
    """
    kind = type(expected)
    if kind is str:
        return _text_equals(expected, observed)
    if kind is bool or expected is None:
        return expected is observed or (kind is bool and _is_text_of(observed, flag=expected))
    if kind is int or kind is Decimal:
        number = number_of(observed) if type(observed) is str else observed
        return is_number(number) and bool(number == expected)
    if isinstance(expected, list):
        return isinstance(observed, list) and len(expected) == len(observed) and all(map(equal, expected, observed))
    return (
        isinstance(observed, dict)
        and expected.keys() == observed.keys()
        and all(equal(part, observed[key]) for key, part in expected.items())
    )


def _is_text_of(text: Any, *, flag: bool) -> bool:
    return type(text) is str and fold(text) == ("true" if flag else "false")


def _text_equals(expected: str, observed: Any) -> bool:
    kind = type(observed)
    if kind is str:
        return expected == observed or fold(expected) == fold(observed)
    if kind is bool:
        return fold(expected) == ("true" if observed else "false")
    if kind is int or kind is Decimal:
        number = number_of(expected)
        return number is not None and bool(number == observed)
    return False


def same(expected: Any, observed: Any) -> bool:
    """Equality under ``literal``: the same JSON type and equal, deep, nothing folded."""
    if isinstance(expected, bool) or isinstance(observed, bool):
        return expected is observed
    if is_number(expected):
        return is_number(observed) and bool(expected == observed)
    if isinstance(expected, list):
        return isinstance(observed, list) and len(expected) == len(observed) and all(map(same, expected, observed))
    if isinstance(expected, dict):
        return (
            isinstance(observed, dict)
            and expected.keys() == observed.keys()
            and all(same(part, observed[key]) for key, part in expected.items())
        )
    return type(expected) is type(observed) and bool(expected == observed)


class Comparer:
    """One way to compare, prepared once: the kind with its tolerances, and what each accepted value becomes for it."""

    __slots__ = ("_prepared", "abs", "kind", "margin", "name", "rel", "scorer", "threshold", "values")

    def __init__(
        self,
        values: tuple[Any, ...],
        compare: Compare,
        *,
        name: str,
        threshold: Fraction,
        margin: Fraction,
        scorer: Scorer,
    ) -> None:
        self.kind = compare.kind or "auto"
        self.values = values
        self.abs = compare.abs or ZERO
        self.rel = compare.rel or ZERO
        self.threshold = threshold
        self.margin = margin
        self.name = name
        self.scorer = scorer
        self._prepared: tuple[Any, ...] = values
        if self.kind == "regex":
            self._prepared = tuple(pattern_of(value) if isinstance(value, str) else None for value in values)
        elif self.kind == "date":
            self._prepared = tuple(moment_of(value) for value in values)
        elif self.kind == "number":
            self._prepared = tuple(_as_number(value) for value in values)

    def match(self, observed: Any) -> Match:
        """The best that the observed value reaches against any accepted value."""
        if self.kind == "any":
            return EQUAL if observed is not None else DIFFERENT
        best = DIFFERENT
        for value, prepared in zip(self.values, self._prepared, strict=True):
            found = self._one(value, prepared, observed)
            if found is EQUAL or (found.passed and found.score == ONE and not found.doubt):
                return found
            if best is DIFFERENT or _rank(found) > _rank(best):
                best = found
        return best

    def against(self, expected: Any, observed: Any) -> Match:
        """The comparison with a value that only the trajectory tells, as under ``auto``."""
        return self._auto(expected, observed)

    def _one(self, value: Any, prepared: Any, observed: Any) -> Match:
        decide = _EQUALITIES.get(self.kind)
        if decide is not None:
            return EQUAL if decide(self, value, prepared, observed) else DIFFERENT
        if self.kind == "set":
            return self._set(value, observed)
        if self.kind == "text":
            return self._text(value, observed)
        if self.kind != "auto" and not isinstance(value, list if self.kind == "list" else dict):
            return DIFFERENT
        return self._auto(value, observed)

    def is_near(self, expected: Number | None, observed: Any) -> bool:
        """Whether a number is within the tolerance, the larger of the absolute and the relative one, inclusive."""
        found = _as_number(observed)
        if expected is None or found is None:
            return False
        return is_within(expected, found, absolute=self.abs, relative=self.rel)

    def _text(self, expected: Any, observed: Any) -> Match:
        if equal(expected, observed):
            return EQUAL
        texts = _as_text(expected), _as_text(observed)
        return DIFFERENT if None in texts else self._semantic(*texts)

    def _semantic(self, expected: Any, observed: Any) -> Match:
        if not self.scorer.is_semantic:
            return DIFFERENT
        found = ask_compare(self.scorer, expected, observed, field=self.name, threshold=self.threshold)
        name = self.scorer.name
        if found.score is None:
            return Match(False, None, name, found.sentence, is_unknown=True, layer=found.layer)
        doubt = doubt_of(found.score, self.threshold, self.margin, is_split=found.is_split, sentence=found.sentence)
        return Match(found.score >= self.threshold, found.score, name, found.sentence, doubt, layer=found.layer)

    def _auto(self, expected: Any, observed: Any) -> Match:
        if equal(expected, observed):
            return EQUAL
        if not self.scorer.is_semantic:
            return DIFFERENT
        if isinstance(expected, list) and isinstance(observed, list):
            if len(expected) != len(observed):
                return DIFFERENT
            return _all([self._auto(one, other) for one, other in zip(expected, observed, strict=True)])
        if isinstance(expected, dict) and isinstance(observed, dict):
            if expected.keys() != observed.keys():
                return DIFFERENT
            return _all([self._auto(part, observed[key]) for key, part in expected.items()])
        # A text may say a number, a flag, a list or an object in words; nothing else is another way to write a value.
        if isinstance(expected, str) or isinstance(observed, str):
            return DIFFERENT if expected is None or observed is None else self._semantic(expected, observed)
        return DIFFERENT

    def _set(self, expected: Any, observed: Any) -> Match:
        if not isinstance(expected, list) or not isinstance(observed, list) or len(expected) != len(observed):
            return DIFFERENT
        bucket = None if self.scorer.is_semantic else _bucket
        found: dict[tuple[Any, Any], Match] = {}

        def fits(one: Any, other: Any) -> bool:
            if bucket is not None:
                return equal(one, other)
            key = _alike(one), _alike(other)
            if key not in found:
                found[key] = self._auto(one, other)
            return found[key].passed or found[key].is_unknown

        # Equality is tried first: where it is enough, no scorer is asked.
        if Counter(map(_alike, expected)) == Counter(map(_alike, observed)):
            return EQUAL
        if not has_perfect_matching(expected, observed, fits, alike=_alike, bucket=bucket):
            return DIFFERENT
        if any(match.is_unknown for match in found.values()) and not has_perfect_matching(
            expected, observed, lambda one, other: found[_alike(one), _alike(other)].passed, alike=_alike, bucket=None
        ):
            return _all([match for match in found.values() if match.is_unknown])
        return _all([match for match in found.values() if match.passed]) if found else EQUAL


def doubt_of(score: Fraction, threshold: Fraction, margin: Fraction, *, is_split: bool, sentence: str = "") -> str:
    """Why a score is ambiguous: what gave it disagrees within itself, or it is near its threshold. Empty: it is not.

    ``sentence`` is what the scorer said; where it leaves open whether the value is right, that is the reason.
    """
    if is_split:
        said = sentence.rstrip(". ")
        return LEFT_OPEN + (f": {said}" if said else "")
    if abs(score - threshold) <= margin:
        return _NEAR.format(score=f"{float(score):.2f}", margin=f"{float(margin):g}", threshold=f"{float(threshold):g}")
    return ""


def _rank(match: Match) -> tuple[int, Fraction]:
    """What has passed is better than what nobody knows, and that better than what has failed."""
    return 2 if match.passed else 1 if match.is_unknown else 0, ZERO if match.score is None else match.score


def _all(parts: list[Match]) -> Match:
    """A whole is as good as its worst part."""
    if not parts:
        return EQUAL
    worst = min(parts, key=_rank)
    decided = next((part for part in parts if part.scorer != "exact"), worst)
    doubt = next((part.doubt for part in parts if part.doubt), "")
    sentence = worst.sentence or decided.sentence
    return Match(worst.passed, worst.score, decided.scorer, sentence, doubt, worst.is_unknown, decided.layer)


def _alike(value: Any) -> Hashable:
    """A key that values share which equal the same others."""
    if isinstance(value, str):
        return "text", fold(value)
    if isinstance(value, list):
        return ("list", *map(_alike, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _alike(part)) for key, part in value.items())
    return type(value) is bool, value


def _bucket(value: Any) -> Hashable:
    """A key that equal values share (values that share it need not be equal)."""
    if isinstance(value, str):
        folded = fold(value)
        number = number_of(folded)
        return folded if number is None else number
    if isinstance(value, list):
        return ("list", *map(_bucket, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _bucket(part)) for key, part in value.items())
    scalar: Hashable = value
    return ("true" if value else "false") if isinstance(value, bool) else scalar


def _as_number(value: Any) -> Number | None:
    if isinstance(value, str):
        return number_of(value)
    return value if is_number(value) else None


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return number_text(value) if is_number(value) else None


def _fits(pattern: Pattern | None, observed: Any) -> bool:
    text = _as_text(observed)
    return pattern is not None and text is not None and pattern.matches(text)


def _same_moment(expected: Moment | None, observed: Any) -> bool:
    found = moment_of(observed) if expected is not None else None
    return expected is not None and found is not None and same_moment(expected, found)


# Comparisons that only say yes or no: comparer, golden value, the same prepared, observed value.
_EQUALITIES: dict[str, Callable[[Comparer, Any, Any, Any], bool]] = {
    "literal": lambda comparer, value, prepared, observed: same(value, observed),
    "number": lambda comparer, value, prepared, observed: comparer.is_near(prepared, observed),
    "date": lambda comparer, value, prepared, observed: _same_moment(prepared, observed),
    "boolean": lambda comparer, value, prepared, observed: isinstance(value, bool) and value is observed,
    "regex": lambda comparer, value, prepared, observed: _fits(prepared, observed),
}
