"""Thresholds: the trade-off against hand-worked tables, the split, the choice, and what is said where there is none."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest

from evaluation.stats.calibration import (
    Calibration,
    Counts,
    Criterion,
    Unit,
    between,
    calibrate,
    choose,
    counts_at,
    split,
    thinned,
    trade_off,
)


def unit(score: str | int, label: str, *, group: str = "", now: bool | None = None) -> Unit:
    exact = Fraction(score)
    return Unit(exact, label == "pass", group or f"c{score}{label}", exact >= Fraction(1, 2) if now is None else now)


# Ten turns by hand. From the top: 1 p, 0.9 p, 0.8 f, 0.7 p, 0.6 p, 0.5 f, 0.4 p, 0.3 f, 0.2 f, 0 f.
TEN = [
    unit(score, label)
    for score, label in [
        ("1", "pass"),
        ("0.9", "pass"),
        ("0.8", "fail"),
        ("0.7", "pass"),
        ("0.6", "pass"),
        ("0.5", "fail"),
        ("0.4", "pass"),
        ("0.3", "fail"),
        ("0.2", "fail"),
        ("0", "fail"),
    ]
]


def test_the_trade_off_is_that_of_a_table_worked_by_hand() -> None:
    found = [(str(point.threshold), tuple(point.counts)) for point in trade_off(TEN)]
    assert found == [
        ("0.10", (5, 4, 1, 0)),
        ("0.25", (5, 3, 2, 0)),
        ("0.35", (5, 2, 3, 0)),
        ("0.45", (4, 2, 3, 1)),
        ("0.55", (4, 1, 4, 1)),
        ("0.65", (3, 1, 4, 2)),
        ("0.75", (2, 1, 4, 3)),
        ("0.85", (2, 0, 5, 3)),
        ("0.95", (1, 0, 5, 4)),
    ]


def test_every_point_counts_what_the_units_say_at_its_threshold_and_at_both_ends() -> None:
    for point in trade_off(TEN):
        for threshold in (Fraction(point.threshold), point.up_to):
            assert counts_at(TEN, threshold) == point.counts
        assert point.above < Fraction(point.threshold) <= point.up_to


def test_the_ends_are_there_where_something_is_on_both_sides_of_them() -> None:
    assert [str(point.threshold) for point in trade_off([unit("0.3", "pass"), unit("0.6", "fail")])] == [
        "0.01",
        "0.45",
        "1",
    ]
    assert [str(point.threshold) for point in trade_off([unit("0.004", "pass")])] == ["0.002", "1"]
    assert [tuple(point.counts) for point in trade_off([unit(0, "fail")])] == [(0, 0, 1, 0)]
    assert trade_off([]) == ()


def test_many_thresholds_are_thinned_to_stretches_without_gaps() -> None:
    points = trade_off([unit(f"0.{number}", "pass") for number in range(100, 200)])
    assert [stretch.point for stretch in thinned(points, 500)] == list(points)
    few = thinned(points, 10)
    assert len(few) == 10
    assert few[0].above == 0
    assert few[-1].up_to == 1
    assert all(one.up_to == other.above for one, other in pairwise(few))
    assert all(stretch.above <= stretch.point.above < stretch.point.up_to <= stretch.up_to for stretch in few)


def test_figures_of_a_table_worked_by_hand() -> None:
    figures = Counts(true_pass=4, false_pass=1, true_failure=4, false_failure=1).figures
    assert figures["true_pass_rate"].value == 0.8
    assert figures["true_failure_rate"].value == 0.8
    assert figures["false_pass_rate"].value == 0.2
    assert figures["precision"].value == 0.8
    assert figures["accuracy"].value == 0.8
    assert figures["youden"].value == 0.6
    assert figures["f1"].value == 0.8
    assert figures["kappa"].value == pytest.approx(0.6)
    assert {name: figure.n for name, figure in figures.items()} == {
        "true_pass_rate": 5,
        "true_failure_rate": 5,
        "false_pass_rate": 5,
        "precision": 5,
        "accuracy": 10,
        "youden": 10,
        "f1": 10,
        "kappa": 10,
    }


def test_rates_are_the_doubles_nearest_to_the_exact_fractions() -> None:
    figures = Counts(true_pass=1, false_pass=2, true_failure=1, false_failure=6).figures
    assert figures["true_pass_rate"].value == 1 / 7
    assert figures["youden"].value == float(Fraction(1, 7) - Fraction(2, 3))
    assert figures["f1"].value == float(Fraction(2, 10))


def test_wilson_bounds_are_those_that_are_published() -> None:
    """Newcombe (1998), *Statistics in Medicine* 17, 857-872, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (passes, n), bounds in published.items():
        figure = Counts(passes, 0, 0, n - passes).figures["true_pass_rate"]
        assert (round(figure.low or 0, 4), round(figure.high or 0, 4)) == bounds


def test_the_interval_of_youdens_j_is_newcombes() -> None:
    """Newcombe (1998), *Statistics in Medicine* 17, 873-890, table II, method 10: 56/70 less 48/80; 9/10 less 3/10."""
    for counts, bounds in (
        (Counts(56, 48, 32, 14), (0.0524, 0.3339)),
        (Counts(9, 3, 7, 1), (0.1705, 0.8090)),
    ):
        figure = counts.figures["youden"]
        assert figure.low == pytest.approx(bounds[0], abs=5e-5)
        assert figure.high == pytest.approx(bounds[1], abs=5e-5)


def test_nothing_is_a_number_where_it_is_not_defined() -> None:
    none_fails = Counts(3, 0, 0, 1).figures
    assert none_fails["true_failure_rate"].reason == "not defined (no human label is fail)"
    assert none_fails["youden"].reason == "not defined (no human label is fail)"
    none_passes = Counts(0, 0, 4, 0).figures
    assert none_passes["precision"].reason == "not defined (nothing passes)"
    assert none_passes["f1"].reason == "not defined (no pass on either side)"
    assert none_passes["true_pass_rate"].value is None
    empty = Counts(0, 0, 0, 0).figures
    assert all(figure.value is None and figure.reason for figure in empty.values())


def test_cost_weighs_false_passes_exactly() -> None:
    assert Counts(0, 3, 0, 2).cost(Fraction(5)) == 17
    assert Counts(0, 3, 0, 2).cost(Fraction(1, 3)) == 3


@pytest.mark.parametrize(
    ("criterion", "threshold"),
    [
        # 5 per false pass: 0.85 costs 3, 0.95 costs 4, 0.55 costs 6.
        (Criterion("cost", weight=Fraction(5)), "0.85"),
        # 1 to 1: 0.35 and 0.55 cost 2 each; the higher is taken.
        (Criterion("cost", weight=Fraction(1)), "0.55"),
        # A false failure is worse: 0.35 costs 2 halves.
        (Criterion("cost", weight=Fraction(1, 2)), "0.35"),
        # J is 3/5 at 0.35 and at 0.55.
        (Criterion("youden"), "0.55"),
        (Criterion("false_passes", most=Fraction(0)), "0.85"),
        (Criterion("false_passes", most=Fraction(1, 5)), "0.55"),
        (Criterion("false_passes", most=Fraction(2, 5)), "0.35"),
    ],
)
def test_choice_by_each_criterion_worked_by_hand(criterion: Criterion, threshold: str) -> None:
    point = choose(trade_off(TEN), criterion)
    assert point is not None
    assert str(point.threshold) == threshold


def test_no_threshold_may_be_good_enough() -> None:
    points = trade_off([unit(1, "pass"), unit(1, "fail"), unit("0.5", "pass")])
    assert choose(points, Criterion("false_passes", most=Fraction(1, 2))) is None
    assert choose((), Criterion()) is None


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [("0.5", "0.6", "0.55"), ("0.501", "0.502", "0.5015"), ("1/3", "2/3", "0.50"), ("0.5", "0.51", "0.505")],
)
def test_thresholds_are_short_and_between(low: str, high: str, middle: str) -> None:
    assert str(between(Fraction(low), Fraction(high))) == middle


@pytest.mark.parametrize("arguments", [{"weight": Fraction(0)}, {"most": Fraction(2)}, {"kind": "luck"}])
def test_a_criterion_that_makes_no_sense_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"weight|none of"):
        Criterion(**arguments)  # type: ignore[arg-type]


def test_a_score_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a score"):
        Unit(Fraction(3, 2), True, "c", True)


# --- halves ---


def many(conversations: int, *, each: int = 3) -> list[Unit]:
    """Conversations with ``each`` turns; every third has a turn that people fail, with a lower score."""
    made = []
    for number in range(conversations):
        for turn in range(each):
            is_wrong = number % 3 == 0 and turn == 0
            score = Fraction((number * 7 + turn * 3) % 40, 100) + (0 if is_wrong else Fraction(1, 2))
            made.append(unit(str(score), "fail" if is_wrong else "pass", group=f"conversation {number}"))
    return made


def test_a_conversation_is_never_on_both_sides_and_halves_are_alike() -> None:
    units = many(61)
    sides = split(units, seed=1)
    assert set(sides) == {each.group for each in units}
    sizes = Counter(sides[each.group] for each in units)
    wrong = Counter(sides[each.group] for each in units if not each.is_right)
    assert abs(sizes["a"] - sizes["b"]) <= 3
    assert abs(wrong["a"] - wrong["b"]) <= 1


def test_the_split_hangs_on_seed_and_names_and_not_on_the_order_of_rows() -> None:
    units = many(30)
    assert split(units, seed=1) == split(units[::-1], seed=1)
    assert split(units, seed=1) != split(units, seed=2)


def test_which_half_comes_first_is_no_habit() -> None:
    one = [unit("0.5", "fail", group="only")]
    assert {split(one, seed=seed)["only"] for seed in range(20)} == {"a", "b"}


# --- the whole ---


def test_chosen_on_one_half_and_reported_on_the_other() -> None:
    units = many(90)
    found = calibrate(units, criterion=Criterion(), seed=3)
    proposal = found.proposal
    assert proposal is not None
    on_a = [each for each in units if found.sides[each.group] == "a"]
    on_b = [each for each in units if found.sides[each.group] == "b"]
    assert choose(trade_off(on_a), Criterion()).threshold == proposal.threshold  # type: ignore[union-attr]
    assert proposal.reported_on == counts_at(on_b, Fraction(proposal.threshold))
    assert proposal.now == counts_at(on_b, None)
    assert found.swapped is not None
    assert found.swapped.reported_on == counts_at(on_a, Fraction(found.swapped.threshold))
    assert found.distance == abs(proposal.threshold - found.swapped.threshold)
    assert (found.a.n, found.b.n) == (len(on_a), len(on_b))


def test_the_change_is_counted_turn_by_turn() -> None:
    """Fails score up to 0.4 and passes from 0.6 up, and at present everything passes."""
    units = [
        unit("0.4" if number % 2 else "0.6", "fail" if number % 2 else "pass", group=f"c{number}", now=True)
        for number in range(80)
    ]
    found = calibrate(units, criterion=Criterion(), seed=1)
    assert found.proposal is not None
    assert found.proposal.threshold == Decimal("0.50")
    change = found.proposal.change
    wrong_in_b = found.b.now.wrong
    assert (change.both_pass, change.only_a, change.only_b, change.both_fail) == (
        found.b.n - wrong_in_b,
        0,
        wrong_in_b,
        0,
    )
    assert found.is_better is True


def test_a_threshold_that_is_no_better_than_the_present_one_is_called_so() -> None:
    units = [
        unit("0.4" if number % 2 else "0.6", "fail" if number % 2 else "pass", group=f"c{number}")
        for number in range(80)
    ]
    found = calibrate(units, criterion=Criterion(), seed=1)
    assert found.proposal is not None
    assert found.is_better is False


def reasons(units: list[Unit], criterion: Criterion | None = None) -> str | None:
    found = calibrate(units, criterion=criterion or Criterion(), seed=1)
    assert found.proposal is None
    assert found.swapped is None
    assert found.distance is None
    assert found.is_better is None
    return found.reason


def test_nothing_is_proposed_from_too_little_and_the_reason_is_said() -> None:
    assert reasons([]) == "no labelled turn has a score"
    assert reasons([unit("0.2", "pass", group=f"c{n}") for n in range(90)]) == (
        "not defined (no variation in the human label: all 90 are pass)"
    )
    alike = [unit("0.2", "fail" if n % 2 else "pass", group=f"c{n}") for n in range(90)]
    assert reasons(alike) == "not defined (no variation in the scores: every one is 0.2)"
    one = [unit(f"0.{n}", "fail" if n % 2 else "pass", group="one") for n in range(10, 90)]
    assert reasons(one) == "all turns are of one conversation, and a conversation is not split"
    few = [unit(f"0.{n}", "fail" if n % 2 else "pass", group=f"c{n}") for n in range(10, 40)]
    assert reasons(few) == "too few: half a has 15 turns, and 20 are the fewest"
    rare = [unit(f"0.{n}", "fail" if n % 15 == 0 else "pass", group=f"c{n}") for n in range(10, 90)]
    assert reasons(rare) == "too few: half a has 2 turns that people fail, and 5 are the fewest"


def test_a_criterion_that_nothing_meets_is_said() -> None:
    units = [
        unit("1" if number % 3 else "0.5", "fail" if number % 2 else "pass", group=f"c{number}") for number in range(90)
    ]
    assert reasons(units, Criterion("false_passes", most=Fraction(1, 20))) == (
        "no threshold keeps the false passes at or below 5 % of the turns that people fail"
    )


def test_json_has_nulls_with_reasons_and_no_floats_for_thresholds() -> None:
    nothing: Calibration = calibrate([], criterion=Criterion(), seed=1)
    body = nothing.as_json()
    assert body["proposal"] is None
    assert body["reason"] == "no labelled turn has a score"
    assert body["whole"]["now"]["figures"]["accuracy"]["value"] is None
    found = calibrate(many(90), criterion=Criterion("cost", weight=Fraction("2.5")), seed=3).as_json()
    assert isinstance(found["proposal"]["threshold"], Decimal)
    assert found["criterion"] == {
        "kind": "cost",
        "weight": "2.5",
        "words": "the least cost, a false pass counting 2.5 times a false failure",
    }
