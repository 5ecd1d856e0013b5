"""Agreement per sub-metric: what is compared, what is left out, and what is said where a figure is not defined."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.formats import jsonio
from evaluation.stats.agreement import (
    FIGURE_TITLES,
    SUB_METRIC_TITLES,
    SUB_METRICS,
    Agreement,
    PairRow,
    PersonLabel,
    Value,
    agreement,
    agreement_between_people,
    agreement_by_sub_metric,
)
from evaluation.stats.coefficients import pearson, spearman
from evaluation.stats.figures import Figure


@pytest.fixture(autouse=True)
def warnings_are_errors(recwarn: pytest.WarningsRecorder) -> Iterator[None]:
    yield
    assert [str(warning.message) for warning in recwarn] == []


def numbers_of(document: object) -> Iterator[float]:
    if isinstance(document, dict):
        for value in document.values():
            yield from numbers_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from numbers_of(value)
    elif isinstance(document, float):
        yield document


# --- Correlations that do not exist: the three sets of acceptance check G17 ---


def test_the_machine_always_says_pass() -> None:
    result = agreement([(1, "pass")] * 38 + [(1, "fail")] * 2, sub_metric="truthfulness")
    reason = "not defined (no variation in the automatic label)"
    assert result.pearson == result.spearman == result.matthews == Figure.undefined(reason, 40)
    assert result.n == 40
    assert result.raw_agreement.value == 0.95
    assert result.naive.value == 0.95
    assert result.as_json()["pearson"] == {
        "value": None, "n": 40, "reason": reason, "p_value": None, "low": None, "high": None, "note": None,
    }  # fmt: skip


def test_two_turns_are_too_few() -> None:
    result = agreement([(1, "pass"), (0, "fail")])
    assert result.pearson == result.spearman == result.kappa == Figure.undefined("too few (2)", 2)
    assert result.raw_agreement.value == 1.0
    assert result.raw_agreement.low == pytest.approx(0.342, abs=5e-4)


def test_a_thousand_turns_full_of_ties_equal_scipy() -> None:
    chance = random.Random(20260910)
    pairs = [(chance.choice([0.0, 0.5, 0.5, 1.0, 1.0]), chance.choice(["pass", "pass", "fail"])) for _ in range(1000)]
    result = agreement(pairs)
    first = [score for score, _ in pairs]
    second = [1.0 if label == "pass" else 0.0 for _, label in pairs]
    for figure, expected in (
        (result.pearson, stats.pearsonr(first, second)),
        (result.spearman, stats.spearmanr(first, second)),
    ):
        assert figure.n == 1000
        assert figure.value == pytest.approx(expected.statistic, abs=1e-12)
        assert figure.p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_nothing_in_common() -> None:
    result = agreement([(None, "pass"), (1, "unsure")])
    assert {figure.reason for figure in result.figures.values()} == {"no shared items"}
    assert result.n == 0
    assert result.excluded == {"automatic label: no answer": 1, "human label: unsure": 1}


def test_figures_in_json_hold_no_nan() -> None:
    for pairs in ([], [(1, "pass")], [(1, "pass"), (0, "pass")], [(0.5, "pass")] * 3, [(1, "pass"), (0, "fail")] * 9):
        document = agreement(pairs).as_json()
        text = json.dumps(document, allow_nan=False)  # raises where there is one
        assert jsonio.loads(text)["n"] == len(pairs)
        assert all(name in document for name in FIGURE_TITLES)


# --- What is compared ---


def test_scores_are_correlated_as_they_are_and_classified_by_being_perfect() -> None:
    pairs = [(0.9, "pass"), (1, "pass"), (0.2, "fail"), (0.4, "fail"), (1, "fail")]
    result = agreement(pairs)
    labels = np.array([1.0, 1, 0, 0, 0])
    assert result.pearson.value == pytest.approx(stats.pearsonr([0.9, 1, 0.2, 0.4, 1], labels).statistic)
    assert result.pearson.value != pytest.approx(stats.pearsonr([0.0, 1, 0, 0, 1], labels).statistic)
    assert result.confusion.counts == {"pass": {"pass": 1, "fail": 1}, "fail": {"pass": 1, "fail": 2}}


def test_graded_human_labels_are_correlated_as_they_are_too() -> None:
    pairs: list[tuple[Value, Value]] = [(1, 1), (0.5, 0.5), (0, 0), (0.25, 0.5)]
    result = agreement(pairs)
    assert result.pearson.value == pytest.approx(stats.pearsonr([1, 0.5, 0, 0.25], [1, 0.5, 0, 0.5]).statistic)
    assert result.confusion.counts["fail"]["fail"] == 3


@pytest.mark.parametrize("one", [1, 1.0, True, Decimal("1.00"), Fraction(1), "pass"])
@pytest.mark.parametrize("zero", [0, 0.0, False, Decimal("0.0"), Fraction(0), "fail"])
def test_every_spelling_of_a_verdict_means_the_same(one: Value, zero: Value) -> None:
    result = agreement([(one, "pass"), (zero, "fail"), (one, True), (zero, 0.0)])
    assert (result.n, result.raw_agreement.value) == (4, 1.0)


def test_a_score_just_below_1_does_not_pass() -> None:
    almost = Fraction(10**30 - 1, 10**30)
    assert float(almost) == 1.0
    assert agreement([(almost, "pass")]).confusion.counts["fail"]["pass"] == 1


def test_rates_ask_how_many_of_the_persons_labels_were_found() -> None:
    pairs = [("pass", "pass")] * 18 + [("fail", "pass")] * 2 + [("fail", "fail")] * 3 + [("pass", "fail")] * 7
    result = agreement(pairs)
    assert result.true_positive_rate.value == 18 / 20
    assert result.true_negative_rate.value == 3 / 10
    assert (result.true_positive_rate.n, result.true_negative_rate.n) == (20, 10)
    # Always saying pass is right in 20 of 30, nearly as often as this machine: accuracy alone deceives.
    assert (result.raw_agreement.value, result.naive.value, result.naive_answer) == (21 / 30, 20 / 30, "always pass")


def test_a_rate_of_nothing_says_so() -> None:
    result = agreement([("pass", "pass")] * 4)
    assert result.true_negative_rate == Figure.undefined("not defined (no human label is fail)", 0)


@pytest.mark.parametrize(
    ("machine", "human", "reason"),
    [
        (1, "unsure", "human label: unsure"),
        (1, "not_agent", "human label: not the agent's fault"),
        (1, "", "human label: no answer"),
        (None, "pass", "automatic label: no answer"),
        ("skipped", "pass", "automatic label: skipped"),
        ("not_scored", None, "automatic label: not scored; human label: no answer"),
        (float("nan"), "pass", "automatic label: not a number"),
        (Decimal("NaN"), "pass", "automatic label: not a number"),
        (float("inf"), "pass", "automatic label: not a number"),
    ],
)
def test_what_says_nothing_definite_is_left_out_and_counted(machine: Value, human: Value, reason: str) -> None:
    result = agreement([(machine, human), (1, "pass"), (0, "fail"), (0, "pass")])
    assert result.n == 3
    assert result.excluded == {reason: 1}


def test_scores_read_as_one_column_are_checked_like_single_ones() -> None:
    pairs: list[tuple[Value, Value]] = [(1.0, 0.5), (0.25, 0.0), (float("nan"), 1.0), (0.5, float("-inf")), (0.75, 1.0)]
    result = agreement(pairs)
    assert result.excluded == {"automatic label: not a number": 1, "human label: not a number": 1}
    assert result.pearson.value == pytest.approx(stats.pearsonr([1, 0.25, 0.75], [0.5, 0, 1]).statistic)
    assert agreement([(Fraction(one), other) for one, other in [(1, 0.5), (0.25, 0.0), (0.75, 1.0)]]).n == 3
    with pytest.raises(ValueError, match=r"turn_verdict, automatic label: 1.25 is not between 0 and 1"):
        agreement([(1.0, 0.5), (1.25, 0.5)])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("maybe", "structural, human label: 'maybe' is none of pass, fail"),
        ("PASS", "'PASS' is none of"),
        ("root", "'root' is none of"),
        (1.5, "1.5 is not between 0 and 1"),
        (-1, "-1 is not between 0 and 1"),
    ],
)
def test_a_value_of_no_known_kind_is_refused_with_its_place(value: Value, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement([(1, value)], sub_metric="structural")


def test_an_unknown_sub_metric_is_refused_with_its_item() -> None:
    with pytest.raises(ValueError, match="t-1/3: 'tone' is none of the sub-metrics structural, "):
        agreement_by_sub_metric([PairRow("t-1/3", "tone", 1, "pass")])


def test_every_sub_metric_is_there_even_without_labels() -> None:
    rows = [
        PairRow("t-1/1", "structural", 1, "pass"),
        PairRow("t-1/2", "attribution", "root", "cascade"),
        PairRow("t-1/3", "attribution", "pass", "root"),
        PairRow("t-1/4", "attribution", "cascade", "cascade", repeats=3),
    ]
    result = agreement_by_sub_metric(rows)
    assert list(result) == list(SUB_METRICS) == list(SUB_METRIC_TITLES)
    assert result["completeness"].pearson.reason == "no shared items"
    attribution = result["attribution"]
    assert (attribution.n, attribution.naive_answer) == (4, "always root")
    assert attribution.excluded == {"automatic label: says the turn passed": 1}
    assert attribution.confusion.counts == {"root": {"root": 0, "cascade": 1}, "cascade": {"root": 0, "cascade": 3}}


values = st.sampled_from([None, "unsure", "not_agent", "pass", "fail", 0, 0.25, 0.5, 1, True, Fraction(2, 3)])
pairs_of_values = st.lists(st.tuples(values, values), max_size=60)


@given(pairs_of_values, st.randoms(use_true_random=False))
def test_order_and_grouping_of_rows_change_no_digit(pairs: list[tuple[Value, Value]], chance: random.Random) -> None:
    shuffled = pairs[:]
    chance.shuffle(shuffled)
    grouped = [PairRow("", "structural", one, other, count) for (one, other), count in Counter(pairs).items()]
    result = agreement(pairs, sub_metric="structural")
    assert agreement(shuffled, sub_metric="structural") == result
    assert agreement_by_sub_metric(grouped)["structural"] == result
    assert result.n + result.excluded.total() == len(pairs)


@given(pairs_of_values)
def test_swapping_the_sides_keeps_the_symmetric_figures(pairs: list[tuple[Value, Value]]) -> None:
    there, back = agreement(pairs), agreement([(other, one) for one, other in pairs])
    for name in ("raw_agreement", "kappa", "pearson", "spearman", "matthews"):
        one, other = there.figures[name], back.figures[name]
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-9)


@given(pairs_of_values)
def test_turning_every_answer_round_swaps_the_two_rates(pairs: list[tuple[Value, Value]]) -> None:
    turn = {"pass": "fail", "fail": "pass"}
    only = [(one, other) for one, other in pairs if one in ("pass", "fail") and other in ("pass", "fail")]
    there = agreement(only)
    back = agreement([(turn[str(one)], turn[str(other)]) for one, other in only])
    assert there.true_positive_rate.value == back.true_negative_rate.value
    for name in ("kappa", "pearson", "spearman", "matthews"):
        one, other = there.figures[name].value, back.figures[name].value
        assert one == (None if other is None else pytest.approx(other, abs=1e-9))


@given(pairs_of_values)
def test_every_number_is_in_its_bounds(pairs: list[tuple[Value, Value]]) -> None:
    result = agreement(pairs)
    for name, figure in result.figures.items():
        lowest = -1 if name in ("kappa", "pearson", "spearman", "matthews") else 0
        for value in (figure.value, figure.low, figure.high):
            assert value is None or lowest - 1e-12 <= value <= 1 + 1e-12
        assert figure.p_value is None or 0 <= figure.p_value <= 1
    json.dumps(result.as_json(), allow_nan=False)


# --- People ---


def labels_of(person: str, *answers: Value) -> list[PersonLabel]:
    return [PersonLabel(f"t-{number}", "turn_verdict", person, answer) for number, answer in enumerate(answers)]


def test_two_people_are_compared_as_machine_and_person_are() -> None:
    ana: list[Value] = ["pass", "pass", "fail", "fail", "unsure", "pass", None]
    bo: list[Value] = ["pass", "fail", "fail", "pass", "fail", "pass", "pass"]
    result = agreement_between_people(labels_of("bo", *bo) + labels_of("ana", *ana))
    assert list(result.by_pair) == [("ana", "bo")]
    pair = result.by_pair["ana", "bo"]["turn_verdict"]
    direct = agreement(zip(ana, bo, strict=True))
    assert pair.confusion.counts == direct.confusion.counts
    assert pair.kappa.value == direct.kappa.value
    assert pair.excluded == {"label of ana: unsure": 1, "label of ana: no answer": 1}
    ceiling = result.ceiling["turn_verdict"]
    assert (ceiling.items, ceiling.pairs) == (5, 5)
    assert ceiling.raw_agreement == pair.raw_agreement
    assert ceiling.kappa == pair.kappa


def test_three_people_give_a_mean_without_a_false_interval() -> None:
    result = agreement_between_people(
        labels_of("ana", "pass", "pass", "fail", "fail")
        + labels_of("bo", "pass", "pass", "fail", "pass")
        + labels_of("cem", "pass", "fail", "fail", "fail")
    )
    assert len(result.by_pair) == 3
    ceiling = result.ceiling["turn_verdict"]
    assert (ceiling.items, ceiling.pairs) == (4, 12)
    assert ceiling.raw_agreement.value == 8 / 12
    assert (ceiling.raw_agreement.n, ceiling.raw_agreement.low) == (4, None)
    kappas = [by_name["turn_verdict"].kappa.value or 0 for by_name in result.by_pair.values()]
    assert ceiling.kappa.value == pytest.approx(sum(kappas) / 3)
    assert ceiling.kappa.note == "mean over 3 pairs of people"
    json.dumps(result.as_json(), allow_nan=False)


def test_kappas_that_are_not_defined_are_left_out_of_the_mean_and_counted() -> None:
    result = agreement_between_people(
        labels_of("ana", "pass", "pass", "pass", "pass")
        + labels_of("bo", "pass", "pass", "pass", "pass")
        + labels_of("cem", "pass", "fail", "fail", "pass")
    )
    assert result.ceiling["turn_verdict"].kappa.note == "mean over 2 pairs of people; not defined for 1 more"


def test_people_without_shared_items() -> None:
    result = agreement_between_people([*labels_of("ana", "pass"), PersonLabel("t-9", "turn_verdict", "bo", "pass")])
    assert result.by_pair == {}
    assert result.ceiling["turn_verdict"].kappa == Figure.undefined("no shared items", 0)


def test_two_labels_of_one_person_are_refused() -> None:
    with pytest.raises(ValueError, match="t-0: ana has two labels for turn_verdict"):
        agreement_between_people(labels_of("ana", "pass") + labels_of("ana", "fail"))


def test_people_are_compared_with_what_they_say_and_not_whom_they_follow() -> None:
    """The pair's order is that of the names, so that the same two people are always the same pair."""
    first = agreement_between_people(labels_of("ana", "pass", "fail") + labels_of("bo", "fail", "fail"))
    second = agreement_between_people(labels_of("bo", "fail", "fail") + labels_of("ana", "pass", "fail"))
    assert first == second


# --- Speed ---


@pytest.fixture(scope="module")
def million() -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(7)
    return chance.random(1_000_000), chance.integers(0, 2, 1_000_000).astype(np.float64)


@pytest.mark.parametrize("function", [pearson, spearman])
def test_a_million_labels_take_less_than_a_second(
    function: Callable[..., Figure], million: tuple[np.ndarray, np.ndarray]
) -> None:
    started = time.process_time()
    figure = function(*million)
    assert time.process_time() - started < 1
    assert figure.n == 1_000_000


def test_a_million_labels_grouped_by_a_database_take_less_than_a_second() -> None:
    rows = [PairRow("", "completeness", score / 20, label, 25_000) for score in range(20) for label in ("pass", "fail")]
    started = time.process_time()
    result: Agreement = agreement_by_sub_metric(rows)["completeness"]
    assert time.process_time() - started < 1
    assert result.n == 1_000_000
    assert result.pearson.value == pytest.approx(0, abs=1e-12)
