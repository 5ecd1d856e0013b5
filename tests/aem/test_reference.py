"""The plain reference must give every published vector exactly; only then is it worth comparing the engine with it."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evaluation.formats import jsonio
from tests.aem.reference.scorer import score_reference
from tests.aem.reference.values import appears, numbers_in
from tests.shared_data import SHARED, shared

VECTORS = sorted((SHARED / "aem-vectors").glob("*.json"))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_reference_gives_the_vector(path: Path) -> None:
    record: Any = jsonio.loads(path.read_bytes())["record"]
    expected: Any = json.loads(path.read_bytes())["expected"]  # rates are the nearest doubles
    assert score_reference(record) == expected


def test_there_are_vectors() -> None:
    shared("aem-vectors")
    assert VECTORS


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,250", [1250]),
        ("10-20", [10, 20]),
        ("It is 42.", [42]),
        ("3, 4 and -5, +6", [3, 4, -5, 6]),
        ("007 D7 34M 34.5M 1,2500 1.2.3 x_1 .5", []),
        ("v.-5", [5]),
        ("0.50", [Fraction(1, 2)]),
    ],
)
def test_numbers_are_read_whole(text: str, numbers: list[Fraction]) -> None:
    assert numbers_in(text) == numbers


def test_whole_words_have_borders_only_at_word_characters() -> None:
    assert appears("EU", "the EU total")
    assert not appears("EU", "EUR")
    assert appears("(a)", "x(a)y")
