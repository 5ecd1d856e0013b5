"""Exact numbers that are within a tolerance."""

from decimal import Decimal
from fractions import Fraction
from time import process_time

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.aem.plain import is_within

NUMBERS = st.one_of(
    st.integers(-1200, 1200),
    st.integers(-(10**40), 10**40),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.builds(Decimal, st.sampled_from(["0E+3", "-0", "1E-900", "9.99E+900", "0.1", "1200.0", "12E2", "1E+2"])),
)
TOLERANCES = st.one_of(
    st.just(Decimal(0)),
    st.decimals(0, 10, places=3),
    st.builds(Decimal, st.sampled_from(["1E-900", "1E+900", "0.1", "1", "12", "5E1"])),
)


def by_fractions(expected: int | Decimal, observed: int | Decimal, absolute: Fraction, relative: Fraction) -> bool:
    """The rule, word for word."""
    golden = Fraction(expected)
    return abs(Fraction(observed) - golden) <= max(absolute, relative * abs(golden))


@given(NUMBERS, NUMBERS, TOLERANCES, TOLERANCES)
@settings(max_examples=1000, deadline=None)
def test_tolerances_are_exact(one: int | Decimal, other: int | Decimal, absolute: Decimal, relative: Decimal) -> None:
    wide, share = Fraction(absolute), Fraction(relative)
    assert is_within(one, other, absolute=wide, relative=share) is by_fractions(one, other, wide, share)


@given(NUMBERS, TOLERANCES)
@settings(max_examples=300, deadline=None)
def test_a_tolerance_is_inclusive(expected: int | Decimal, absolute: Decimal) -> None:
    """The border is within, and one more is not."""
    border = Fraction(expected) + Fraction(absolute)
    assume(border.denominator == 1)
    assert is_within(expected, int(border), absolute=Fraction(absolute), relative=Fraction(0))
    assert not is_within(expected, int(border) + 1, absolute=Fraction(absolute), relative=Fraction(0))


def test_a_million_digits_take_no_time() -> None:
    long = Decimal("0." + "1" * 10**6)
    started = process_time()
    assert not is_within(5, long, absolute=Fraction(1, 7), relative=Fraction(1, 1000))
    assert is_within(long, long, absolute=Fraction(0), relative=Fraction(0))
    assert is_within(Decimal("1" * 10**6), Decimal("1" * 10**6 + ".5"), absolute=Fraction(1, 2), relative=Fraction(0))
    assert process_time() - started < 2
