"""Words of one family: the list itself, and what it lets texts say."""

from itertools import combinations

import pytest

from evaluation.evaluators.embedded.layers.families import _FILE, are_of_one_family, relatives
from evaluation.evaluators.embedded.values import compare_values
from evaluation.evaluators.embedded.vocabulary import LANGUAGES, STANDARD, fold_term


def test_every_family_has_a_known_language_and_no_opposites() -> None:
    problems = []
    for number, line in enumerate(_FILE.read_text("utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        language, _, listed = line.partition(":")
        words = [fold_term(word) for word in listed.split(";")]
        if language not in LANGUAGES or len(set(words)) < 2 or "" in words:
            problems.append(f"families.txt:{number}: {line}")
        problems += [
            f"families.txt:{number}: {a} denies or excludes {b}"
            for a, b in combinations(words, 2)
            if STANDARD.are_opposites(a, b, language) or STANDARD.are_contrasted(a, b, language)
        ]
    assert problems == []


def test_words_of_one_family_are_known_in_their_language() -> None:
    assert are_of_one_family("stolen", "theft", "en")
    assert are_of_one_family("stolen", "theft", "")
    assert not are_of_one_family("stolen", "theft", "es")
    assert "theft" in relatives("stolen", "en")
    assert relatives("nothing at all", "en") == ()


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [
        ("en", "Robert Smith", "Bob Smith"),
        ("en", "market trends in Asia", "Asian market trends"),
        ("es", "Francisco Pérez", "Paco Pérez"),
    ],
)
def test_a_short_form_or_what_is_of_a_country_is_equal_but_not_for_sure(language: str, a: str, b: str) -> None:
    judged = compare_values(a, b, language=language)
    assert (judged.is_equal, judged.is_sure) == (True, False)
