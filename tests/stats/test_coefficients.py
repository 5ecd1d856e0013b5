"""Coefficients against published worked examples, with their sources, and against their definitions."""

import json
import math
import statistics
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.stats.coefficients import Confusion, Sides, cohen_kappa, matthews, pearson, spearman
from evaluation.stats.figures import Figure, rate, wilson
from tests.shared_data import shared


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    """The conditions behind scipy's warnings are tested beforehand, so that none may come."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def table(rows: list[list[int]]) -> Confusion:
    labels = [f"label {number}" for number in range(len(rows))]
    cells = {(a, b): rows[i][j] for i, a in enumerate(labels) for j, b in enumerate(labels)}
    return Confusion.of(labels, cells)


# --- Wilson ---


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe (1998), Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, table I.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_published(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipy_and_holds_the_rate(case: tuple[int, int]) -> None:
    successes, n = case
    low, high = wilson(successes, n)
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= low <= successes / n <= high <= 1
    mirrored = wilson(n - successes, n)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (0, 0), (3, 2), (-1, 2)])
def test_wilson_refuses_what_is_no_rate(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="is not a rate"):
        wilson(successes, n)


def test_rate_of_nothing_has_a_reason() -> None:
    assert rate(0, 0, empty="nobody looked") == Figure(value=None, n=0, reason="nobody looked")


# --- Figure ---


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["value", "p_value", "low", "high"])
def test_a_figure_never_holds_nan(field: str, number: float) -> None:
    fields: dict[str, float] = {"value": 0.5, field: number}
    with pytest.raises(ValueError, match="not a number"):
        Figure(n=3, **fields)  # type: ignore[arg-type]


def test_a_figure_has_a_value_or_a_reason() -> None:
    with pytest.raises(ValueError, match="either"):
        Figure(value=None, n=0)
    with pytest.raises(ValueError, match="either"):
        Figure(value=0.5, n=4, reason="too few (2)")


def test_a_figure_reads_as_a_sentence_gives_it() -> None:
    assert str(rate(38, 40)) == "0.95 (0.83 to 0.99)"
    assert str(Figure(value=0.5, n=3)) == "0.50"
    assert str(Figure(value=0.0, n=3, note="always 0 here")) == "0.00 (always 0 here)"
    assert str(Figure.undefined("too few (2)", 2)) == "too few (2)"


# --- Pearson and Spearman ---


def test_pearson_as_in_scipys_manual() -> None:
    figure = pearson(np.array([1.0, 2, 3, 4, 5, 6, 7]), np.array([10.0, 9, 2.5, 6, 4, 3, 2]))
    assert figure.value == pytest.approx(-0.828503883588428)
    assert figure.p_value == pytest.approx(0.021280260007523286)
    assert figure.n == 7


def test_spearman_as_in_scipys_manual() -> None:
    figure = spearman(np.array([1.0, 2, 3, 4, 5]), np.array([5.0, 6, 7, 8, 7]))
    assert figure.value == pytest.approx(0.8207826816681233)
    assert figure.p_value == pytest.approx(0.08858700531354381)


def test_spearman_interval_as_published() -> None:
    # Bonett and Wright (2000), as in the manual of the R package statpsych, function ci.spear.
    y = np.array([21.0, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19])
    x = np.array([67.0, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51])
    figure = spearman(y, x)
    assert (figure.value, figure.low, figure.high) == pytest.approx((0.8699639, 0.5840951, 0.9638297), abs=5e-8)


def test_a_single_different_answer_among_many() -> None:
    """The phi coefficient by hand: 1 of 4 differs on each side and never together, so -1/3."""
    first, second = np.array([1.0, 1, 1, 0]), np.array([1.0, 0, 1, 1])
    assert pearson(first, second).value == pytest.approx(-1 / 3)
    assert spearman(first, second).value == pytest.approx(-1 / 3)


numbers = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), max_size=40
)


@given(numbers)
def test_correlations_equal_scipy_or_say_why_not(pairs: list[tuple[float, float]]) -> None:
    first = np.array([one for one, _ in pairs], dtype=np.float64)
    second = np.array([other for _, other in pairs], dtype=np.float64)
    defined = len(pairs) > 2 and len(set(first.tolist())) > 1 and len(set(second.tolist())) > 1
    for ours, theirs in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        figure = ours(first, second)
        assert figure.n == len(pairs)
        assert (figure.value is not None) == defined
        if figure.value is None:
            assert figure.reason
            assert (figure.p_value, figure.low, figure.high) == (None, None, None)
            continue
        expected = theirs(first, second)
        assert figure.value == float(expected.statistic)
        assert figure.p_value == float(expected.pvalue)
        assert -1 <= figure.value <= 1
        if figure.low is not None and figure.high is not None:
            assert -1 <= figure.low <= figure.value <= figure.high <= 1
        else:
            assert figure.note is not None
            assert figure.note.startswith("no interval")
    if defined and len(pairs) > 3 and abs(stats.pearsonr(first, second).statistic) < 1:
        interval = stats.pearsonr(first, second).confidence_interval()
        figure = pearson(first, second)
        assert (figure.low, figure.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12))
def test_correlations_of_any_scores_never_warn_and_never_give_nan(pairs: list[tuple[float, float]]) -> None:
    first = np.array([one for one, _ in pairs], dtype=np.float64)
    second = np.array([other for _, other in pairs], dtype=np.float64)
    for function in (pearson, spearman):
        there, back = function(first, second), function(second, first)
        assert (there.value is None) == (back.value is None)
        if there.value is not None and back.value is not None:
            assert there.value == pytest.approx(back.value, abs=1e-9)


def test_values_that_differ_by_rounding_alone_do_not_vary() -> None:
    third = 1 / 3
    first, second = np.array([third, 0.1 + 0.7 / 3, third, third + 1e-16]), np.array([0.0, 1, 0, 1])
    assert pearson(first, second).reason == "not defined (no variation in the automatic label)"


def test_reasons_name_the_sides() -> None:
    sides = Sides("label of Ana", "label of Bo")
    ones, varied = np.ones(5), np.array([0.0, 1, 1, 0, 1])
    assert pearson(ones, varied, sides=sides).reason == "not defined (no variation in the label of Ana)"
    assert pearson(varied, ones, sides=sides).reason == "not defined (no variation in the label of Bo)"
    both = "not defined (no variation in the label of Ana or the label of Bo)"
    assert spearman(ones, ones, sides=sides).reason == both


def test_lists_of_different_length_are_not_pairs() -> None:
    with pytest.raises(ValueError, match="3 and 2 values are not pairs"):
        pearson(np.ones(3), np.ones(2))


@pytest.mark.parametrize(("prompt", "rank", "linear"), [("v1", 0.89, 0.83), ("v2", 0.92, 0.98)])
def test_correlations_of_a_published_judge(prompt: str, rank: float, linear: float) -> None:
    """Reviewers and judges of AWS's AgentCore sample; the human side is the joint review, else the median rating."""
    path = shared("data/agentcore-judge-alignment/ratings_and_judge_scores_tuning.json")
    cases = json.loads(path.read_text(encoding="utf-8"))
    human = [
        case["joint_review_rating"] or statistics.median(review["rating"] for review in case["reviews"].values())
        for case in cases
    ]
    judge = [case["judge_scores"][prompt][0] for case in cases]
    first, second = np.array(judge, dtype=np.float64), np.array(human, dtype=np.float64)
    assert round(spearman(first, second).value or 0, 2) == rank
    assert round(pearson(first, second).value or 0, 2) == linear


# --- Kappa and Matthews ---


@pytest.mark.parametrize(
    ("rows", "kappa", "digits"),
    [
        # Fifty grant proposals, two readers; two tables of equal raw agreement: Wikipedia, "Cohen's kappa".
        ([[20, 5], [10, 15]], 0.4, 4),
        ([[45, 15], [25, 15]], 0.1304, 4),
        ([[25, 35], [5, 35]], 0.2593, 4),
        # Eighty patients, two doctors: Nelson (2008), The Penguin Dictionary of Mathematics, 4th edition, on ProofWiki.
        ([[32, 8], [5, 35]], 0.675, 4),
        # Two judges, 200 cases, three diagnoses: Cohen (1968), Weighted kappa, table 1.
        ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492, 3),
        # Approval ratings, Agresti (1990), Categorical Data Analysis, page 350; kappa as R's vcd gives it.
        ([[794, 150], [86, 570]], 0.69959267, 8),
    ],
)
def test_kappa_as_published(rows: list[list[int]], kappa: float, digits: int) -> None:
    value = cohen_kappa(table(rows)).value
    assert value is not None
    assert round(value, digits) == kappa


@pytest.mark.parametrize(
    ("rows", "kappa", "low", "high", "p_value"),
    [
        # Two dermatologists: SAS/STAT User's Guide, PROC FREQ, "Agreement study".
        ([[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]], 0.3449, 0.2030, 0.4868, None),
        # The table on which statsmodels compares its cohens_kappa with a listing of SAS.
        ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], 0.4842, 0.2137, 0.7547, 0.0011),
    ],
)
def test_kappa_interval_as_published(
    rows: list[list[int]], kappa: float, low: float, high: float, p_value: float | None
) -> None:
    figure = cohen_kappa(table(rows))
    assert (figure.value, figure.low, figure.high) == pytest.approx((kappa, low, high), abs=5e-5)
    if p_value is not None:
        assert figure.p_value == pytest.approx(p_value, abs=5e-5)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Twelve pictures of cats and dogs: Wikipedia, "Phi coefficient", machine learning example.
        ([[6, 2], [1, 3]], 0.478),
        # scikit-learn's manual, matthews_corrcoef: truth + + + -, guess + - + +.
        ([[2, 1], [1, 0]], -0.333),
        # The tables of codearena's "Matthews correlation" problem: 50, 40, 5, 5.
        ([[50, 5], [5, 40]], 0.798),
    ],
)
def test_matthews_as_published(rows: list[list[int]], expected: float) -> None:
    value = matthews(table(rows)).value
    assert value is not None
    assert round(value, 3) == expected


def test_a_side_that_never_varies_makes_kappa_0_and_says_so() -> None:
    figure = cohen_kappa(table([[38, 2], [0, 0]]))
    assert (figure.value, figure.low, figure.p_value) == (0.0, None, None)
    assert figure.note == "always 0 here: no variation in the automatic label"
    assert matthews(table([[38, 2], [0, 0]])).reason == "not defined (no variation in the automatic label)"


def test_no_variation_on_either_side_leaves_kappa_undefined() -> None:
    reason = "not defined (no variation in the automatic label or the human label)"
    assert cohen_kappa(table([[40, 0], [0, 0]])) == Figure.undefined(reason, 40)
    assert matthews(table([[40, 0], [0, 0]])) == Figure.undefined(reason, 40)


def test_perfect_agreement_has_no_interval() -> None:
    figure = cohen_kappa(table([[30, 0], [0, 10]]))
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)
    assert figure.note == "no interval: no disagreement to estimate it from"


def test_a_label_outside_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="'maybe' is none of the labels pass, fail"):
        Confusion.of(("pass", "fail"), Counter({("pass", "maybe"): 1}))


squares = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size)
)


def kappa_by_hand(rows: list[list[int]]) -> float | None:
    n = sum(map(sum, rows))
    size = range(len(rows))
    observed = sum(rows[i][i] for i in size) / n
    chance = sum(sum(rows[i]) * sum(row[i] for row in rows) for i in size) / n**2
    return None if chance == 1 else (observed - chance) / (1 - chance)


@given(squares)
def test_kappa_and_matthews_by_their_definitions(rows: list[list[int]]) -> None:
    n = sum(map(sum, rows))
    kappa, phi = cohen_kappa(table(rows)), matthews(table(rows))
    assert kappa.n == phi.n == n
    if n == 0:
        assert kappa.reason == phi.reason == "no shared items"
        return
    if n < 3:
        assert kappa.reason == phi.reason == f"too few ({n})"
        return
    by_hand = kappa_by_hand(rows)
    assert (kappa.value is None) == (by_hand is None)
    if kappa.value is not None:
        assert kappa.value == pytest.approx(by_hand, abs=1e-12)
        assert -1 <= kappa.value <= 1
    if kappa.low is not None and kappa.high is not None and kappa.value is not None:
        assert -1 <= kappa.low <= kappa.value <= kappa.high <= 1
    assert (phi.value is not None) == (
        sum(bool(sum(row)) for row in rows) > 1 and sum(bool(sum(column)) for column in zip(*rows, strict=True)) > 1
    )
    if phi.value is not None:
        assert -1 - 1e-12 <= phi.value <= 1 + 1e-12
        if len(rows) == 2:  # phi is Pearson's r of the labels as 0 and 1
            first = np.repeat([0.0, 0, 1, 1], [rows[0][0], rows[0][1], rows[1][0], rows[1][1]])
            second = np.repeat([0.0, 1, 0, 1], [rows[0][0], rows[0][1], rows[1][0], rows[1][1]])
            assert phi.value == pytest.approx(pearson(first, second).value, abs=1e-9)


@given(squares, st.randoms(use_true_random=False))
def test_kappa_and_matthews_hang_on_no_order(rows: list[list[int]], random: "object") -> None:
    """The sides may be swapped, and the labels renamed together, without moving a digit."""
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    swapped = [list(column) for column in zip(*rows, strict=True)]
    renamed = [[rows[i][j] for j in order] for i in order]
    for function in (cohen_kappa, matthews):
        figure = function(table(rows))
        for other in (function(table(swapped)), function(table(renamed))):
            assert (figure.value is None) == (other.value is None)
            if figure.value is not None:
                assert figure.value == pytest.approx(other.value, abs=1e-12)
                assert (figure.low is None) == (other.low is None)
                if figure.low is not None:
                    assert (figure.low, figure.high) == pytest.approx((other.low, other.high), abs=1e-9)
