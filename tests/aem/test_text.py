"""Folding, numbers in text, and values that appear."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem.text import appears, digit_runs, digits_of, fold, number_of, numbers_in


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  New\t\n York ", "new york"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "caf\u00e9"),
        ("\u00a0x\u2003y", "x y"),
        ("", ""),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,250", [1250]),
        ("10-20", [10, 20]),
        ("007", []),
        ("D7", []),
        ("34M", []),
        ("34.5M", []),
        ("1,2500", []),
        ("1.2.3", []),
        ("0", [0]),
        ("0.50", [Decimal("0.5")]),
        ("00.5", []),
        ("-5 +6", [-5, 6]),
        ("x-5", [5]),
        ("3-5", [3, 5]),
        ("_-5", [5]),
        (".-5", [5]),
        (",-5", [-5]),
        ("(-5)", [-5]),
        ("It is 42.", [42]),
        ("42, 43; 44!", [42, 43, 44]),
        (".5", []),
        ("a,5", [5]),
        ("1,5", []),
        ("5,,6", []),
        ("5..6", []),
        ("5_", []),
        ("_5", []),
        ("10²", []),
        ("€34 34% $1,000,000.25", [34, 34, Decimal("1000000.25")]),
        ("1e5", []),
        ("e\u03015", []),
        ("\u00e95", []),
        ("e\u0301 5", [5]),
        ("-0", [0]),
        ("2025-03-14", [2025, 14]),
        ("11:30", [11, 30]),
        ("......", []),
        ("1,250,00", []),
        ("12,345", [12345]),
        ("1234,567", []),
    ],
)
def test_numbers_in(text: str, numbers: list[object]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), (" 7 ", 7), ("+7", 7), ("1,200.0", 1200), ("007", None), ("7.", None), ("7 8", None), ("", None)],
)
def test_number_of(text: str, number: object) -> None:
    assert number_of(text) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9))
def test_a_grouped_number_is_read_back(number: Decimal) -> None:
    text = f"{number:,.3f}"
    expected = [number]
    assert numbers_in(f"see {text}, please") == expected
    assert number_of(text) == number


@given(st.text(alphabet="0123456789.,-+ax_ ", max_size=30))
@settings(max_examples=300)
def test_every_number_that_is_read_appears(text: str) -> None:
    for number in numbers_in(text):
        assert appears(number, text)


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        (1250, "1,250.00 euros", True),
        ("1250", "costs 1,250", True),
        ("1,250", "costs 1250", True),
        (34, "34.5M", False),
        ("EU", "the eu total", True),
        ("EU", "EUR", False),
        ("c++", "C++11", True),
        ("%", "50%", True),
        ("new  york", "In New\nYork.", True),
        ("D-7", "AD-7", False),
        ("", "x", False),
        (True, "it is true", True),
        ("cat", "category cat", True),
    ],
)
def test_appears(value: object, text: str, found: bool) -> None:
    assert appears(value, text) is found


def test_long_numbers_are_exact_and_quick() -> None:
    digits = "9" * 10_000
    assert numbers_in(f"a {digits} b") == [Decimal(digits)]
    assert numbers_in("." * 200_000 + "1" + "," * 200_000) == []
    assert digits_of(Decimal("-1E+3")) == "1000"


def test_digit_runs_drop_leading_zeros() -> None:
    assert digit_runs("A007 and 2025-03") == {"7", "2025", "3"}
