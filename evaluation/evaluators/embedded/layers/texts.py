"""Two texts compared: as whole texts, then by their facts, then by their words."""

from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.extract import LONGEST
from evaluation.evaluators.embedded.layers.pair import compare_sides
from evaluation.evaluators.embedded.layers.routes import compare_routes
from evaluation.evaluators.embedded.layers.sides import taken_apart
from evaluation.evaluators.embedded.layers.verdicts import Open, sure, unsure
from evaluation.evaluators.embedded.layers.wholes import capitals_matter, compare_whole, tidied
from evaluation.evaluators.embedded.model import Judged
from evaluation.evaluators.embedded.vocabulary import Vocabulary


@lru_cache(maxsize=32_768)
def compare_texts(a: str, b: str, field: str, language: str, vocabulary: Vocabulary) -> Open:
    """Two different texts, a before b in order. Cached: in a run the same pairs recur."""
    if max(len(a), len(b)) > LONGEST or any(len(text) > _DENSE and _digits(text) > _MOST_DIGITS for text in (a, b)):
        return Open(_long(a, b))
    a, b = tidied(a), tidied(b)
    if a.casefold() == b.casefold() and not capitals_matter(a, b):
        return Open(sure(True, "exact", said.THEY_EQUAL_BUT_FOR_CASE))
    quick = compare_whole(a, b, field, language, vocabulary)
    if quick:
        return Open(quick)
    way = compare_routes(a, b)
    if way:
        judged = [
            compare_texts(*sorted(ends), field, language, vocabulary).judged for ends in way if ends[0] != ends[1]
        ]
        return Open(_same_route(a, b, judged))
    first = taken_apart(a, language, field, vocabulary)
    second = taken_apart(b, language, field, vocabulary)
    return compare_sides(first, second, field, language, vocabulary)


def _same_route(a: str, b: str, judged: list[Judged]) -> Judged:
    """Whether two ways are the same by their judged starts and ends."""
    wrong = [one for one in judged if not one.is_equal]
    if not wrong:
        if all(one.is_sure for one in judged):
            return sure(True, "typed", said.THEY_START_END_AT_SAME)
        return unsure(True, min(one.score for one in judged), "words", said.THEY_SEEM_TO_START_END)
    certain = next((one for one in wrong if one.is_sure), None)
    if certain or len(wrong) == 2:
        sentence = said.OTHER_ENDS.format(why=(certain or wrong[0]).sentence)
        return sure(False, "contradiction", sentence) if certain else unsure(False, wrong[0].score, "words", sentence)
    return unsure(False, wrong[0].score, "words", wrong[0].sentence)


_DENSE, _MOST_DIGITS = 1_000, 300  # a text longer than this with more digits than that is not looked into


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _long(a: str, b: str) -> Judged:
    is_equal = " ".join(a.casefold().split()) == " ".join(b.casefold().split())
    if is_equal:
        return sure(True, "exact", said.THEY_EQUAL_BUT_FOR_CASE)
    return unsure(False, Fraction(1, 4), "exact", said.THEY_TOO_LONG_OR_HOLD)
