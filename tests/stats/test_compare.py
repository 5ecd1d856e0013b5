"""Paired versions: McNemar's exact test and Newcombe's interval."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.stats.compare import compare_counts, compare_versions, mcnemar_p_value
from evaluation.stats.figures import Figure


def test_mcnemar_as_published() -> None:
    # Agresti (1990), Categorical Data Analysis, page 350: two surveys of 1600 voters, 150 and 86 of whom changed their
    # mind. The exact p-value is the one that R's exact2x2 gives.
    assert mcnemar_p_value(150, 86) == pytest.approx(3.716e-05, abs=5e-9)


@pytest.mark.parametrize(
    ("only_a", "only_b", "expected"), [(0, 5, 1 / 16), (5, 0, 1 / 16), (1, 1, 1.0), (0, 1, 1.0), (1, 11, 26 / 4096)]
)
def test_mcnemar_by_counting_coin_tosses(only_a: int, only_b: int, expected: float) -> None:
    assert mcnemar_p_value(only_a, only_b) == pytest.approx(expected)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_by_its_definition(only_a: int, only_b: int) -> None:
    n = only_a + only_b
    p_value = mcnemar_p_value(only_a, only_b)
    if n == 0:
        assert p_value is None
        return
    tail = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1)) / 2**n
    assert p_value == pytest.approx(min(1.0, 2 * tail))
    assert p_value == mcnemar_p_value(only_b, only_a)


def test_interval_of_the_difference() -> None:
    # Counts of Altman et al. (2000), Statistics with Confidence, table 6.2, by the formulas of Newcombe (1998).
    figure = compare_counts(both_pass=14, only_b=5, only_a=0, both_fail=22).difference
    assert (figure.value, figure.low, figure.high) == pytest.approx((0.1220, 0.0115, 0.2265), abs=5e-5)
    assert figure.p_value == pytest.approx(1 / 16)


def test_items_are_paired_and_the_unknown_is_left_out() -> None:
    pairs: list[tuple[bool | None, bool | None]] = [
        *[(True, True)] * 60, *[(True, False)] * 5, *[(False, True)] * 18, *[(False, False)] * 31,
        (None, True), (True, None), (None, None),
    ]  # fmt: skip
    result = compare_versions(pairs)
    assert (result.n, result.both_pass, result.only_a, result.only_b, result.both_fail) == (114, 60, 5, 18, 31)
    assert result.excluded == {"not evaluated in A": 1, "not evaluated in B": 1, "not evaluated in A and B": 1}
    assert result.rate_a.value == 65 / 114
    assert result.rate_b.value == 78 / 114
    assert result.difference.value == pytest.approx(13 / 114)
    assert result.difference.p_value == mcnemar_p_value(5, 18)
    json.dumps(result.as_json(), allow_nan=False)


def test_nothing_in_common() -> None:
    assert compare_versions([]).difference == Figure.undefined("no shared items", 0)


def test_versions_that_never_differ_are_not_tested() -> None:
    figure = compare_counts(both_pass=30, only_a=0, only_b=0, both_fail=10).difference
    assert (figure.value, figure.p_value) == (0.0, None)
    assert figure.note == "no test: no item on which the versions differ"


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        compare_counts(both_pass=1, only_a=-1, only_b=0, both_fail=0)


@given(*[st.integers(0, 200)] * 4)
def test_the_difference_turns_round_with_the_versions(both: int, only_a: int, only_b: int, neither: int) -> None:
    there = compare_counts(both_pass=both, only_a=only_a, only_b=only_b, both_fail=neither).difference
    back = compare_counts(both_pass=both, only_a=only_b, only_b=only_a, both_fail=neither).difference
    if there.value is None or there.low is None or there.high is None:
        assert there.n == 0
        return
    assert -1 <= there.low <= there.value <= there.high <= 1
    assert back.value == pytest.approx(-there.value)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-9)
