"""The examples of docs/meaning.md and the figures' table."""

import doctest
import re
from pathlib import Path

import pytest

from evaluation.evaluators.embedded.replies import judge_claim
from evaluation.evaluators.embedded.values import compare_values

PAGE = Path(__file__).resolve().parents[2] / "docs" / "meaning.md"


def test_the_python_examples_give_what_is_shown() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 6
    assert found.failed == 0


@pytest.mark.parametrize(
    ("expected", "observed", "language", "is_equal"),
    [
        ("New York City", "NYC", "en", True),
        ("third quarter revenue figures for 2024", "Q3 2024 revenue", "en", True),
        ("9 de marzo de 2026", "2026-03-09", "es", True),
        ("1.250 euros", "€1250", "es", True),
        ("500 Mbps", "0,5 Gbps", "pt", True),
        ("Q3 2024", "July to September 2024", "en", True),
        ("cefalea", "dolor de cabeza", "es", True),
        ("$1,200", "€1,200", "en", False),
        ("A-10442", "A-10424", "en", False),
        ("approve the claim", "reject the claim", "en", False),
        ("net amount", "gross amount", "en", False),
        ("from Lisbon to Porto", "from Porto to Lisbon", "en", False),
        ("Q3 2024 revenue", "Q3 2024 profit", "en", False),
    ],
)
def test_examples_that_are_sure(expected: str, observed: str, language: str, *, is_equal: bool) -> None:
    judged = compare_values(expected, observed, language=language)
    assert (judged.is_equal, judged.is_sure) == (is_equal, True)
    for value in (expected, observed):
        assert re.search(rf"[`*]{re.escape(value)}[`*]", PAGE.read_text(encoding="utf-8")), value


@pytest.mark.parametrize(
    ("expected", "observed"),
    [("rear bumper", "chrome bumper"), ("refund", "partial refund"), ("damp in the cellar", "water stains")],
)
def test_examples_that_are_open(expected: str, observed: str) -> None:
    assert not compare_values(expected, observed, language="en").is_sure


def test_examples_of_claims() -> None:
    states = [
        judge_claim("The deductible is $500", reply, language="en").state
        for reply in ("You pay the first $500 yourself.", "The deductible is $1,500.", "Your claim is C-4410.")
    ]
    assert states == ["covered", "contradicted", "not_said"]


def test_names_of_parameters_help() -> None:
    assert compare_values("Louvre", "Louvre Museum", field="museum_name", language="en").is_equal
