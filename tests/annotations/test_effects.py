"""Two verdicts side by side: which turns come out differently, and how that is said."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from annotations.effects import (
    Answers,
    BoundedScorer,
    Effect,
    Judged,
    OutOfTimeError,
    Run,
    TurnState,
    changes_of,
    in_turns,
)
from evaluation.aem import ClaimScore, TextScore


def turn(key: str, state: str = "pass", *, tool: str = "find", observed: int | None = 0, **more: Any) -> TurnState:
    kind = "action" if tool else "response"
    reason = more.get("reason", "missing_parameters" if state == "fail" else "")
    return TurnState(int(key[1:]), key, kind, tool, "", observed, state, reason, more.get("ambiguous", False))


def judged(*turns: TurnState, test_pass: bool | None = True, path: str = "main", error: str = "") -> Judged:
    return Judged(error, path, test_pass, turns)


def run(pk: int, agent: str = "a 1") -> Run:
    return Run(pk, f"{agent} · trial {pk}", agent, f"hash {pk}", 3)


@pytest.mark.parametrize(
    ("was", "is_now", "sort"),
    [
        (turn("g1", "fail"), turn("g1", "pass"), "passes"),
        (turn("g1", "pass"), turn("g1", "fail"), "fails"),
        (turn("g1", "fail"), turn("g1", "fail", reason="tool_mismatch"), "reason"),
        (turn("g1", "pass"), turn("g1", "skipped"), "not_judged"),
        (turn("g1", "fail"), turn("g1", "not_scored"), "not_judged"),
        (turn("g1", "skipped"), turn("g1", "fail"), "judged"),
        (turn("g1"), turn("g1", ambiguous=True), "doubt"),
    ],
)
def test_a_turn_that_both_ask_for(was: TurnState, is_now: TurnState, sort: str) -> None:
    assert [change.sort for change in changes_of(judged(was), judged(is_now))] == [sort]
    assert changes_of(judged(was), judged(was)) == []


def test_turns_that_only_one_golden_asks_for() -> None:
    old = judged(turn("g1"), turn("g2", "fail", observed=None))
    new = judged(
        turn("g1"), turn("g3", "fail", observed=5), turn("g4", observed=6), turn("g5", "skipped", observed=None)
    )
    assert [(change.sort, change.turn.key) for change in changes_of(old, new)] == [
        ("new_fails", "g3"),
        ("new_passes", "g4"),
        ("gone", "g2"),
    ]


def test_an_id_that_stands_for_something_else_is_no_match_and_the_answer_decides() -> None:
    old = judged(turn("g1", "fail", tool="find", observed=1), turn("g2", tool="cancel", observed=2))
    new = judged(
        turn("g1", tool="", observed=0),
        turn("g2", "pass", tool="find", observed=1),
        turn("g3", tool="cancel", observed=2),
    )
    found = changes_of(old, new)
    assert [(change.sort, change.turn.key) for change in found] == [("new_passes", "g1"), ("passes", "g2")]
    assert found[1].before is not None
    assert found[1].before.key == "g1"


def test_what_could_not_be_scored_has_no_changes_but_is_counted() -> None:
    effect = Effect(2)
    effect.add(run(1), judged(turn("g1")), judged(error="no scorer"))
    effect.add(run(2), judged(error="so"), judged(error="so"))
    assert [(one.pk, text) for one, text in effect.unscored] == [(1, "no scorer"), (2, "so")]
    assert effect.changed_turns == 0
    assert not effect.is_empty
    assert effect.summary == "2 runs could not be compared."


def test_the_sum_is_said_in_one_sentence() -> None:
    effect = Effect(5)
    fails, passes = judged(turn("g1", "fail"), test_pass=False), judged(turn("g1"))
    for number, agent in enumerate(("a 1", "a 2", "a 2")):
        effect.add(run(number, agent), fails, passes)
    effect.add(run(3, "a 3"), passes, fails)
    effect.add(run(4, "a 3"), passes, passes)
    assert effect.summary == (
        "3 failing turns in 2 agent versions would pass, 1 passing turn would fail. "
        "As a whole, 3 runs would pass, 1 run would fail."
    )
    assert not effect.is_partial
    assert [group.sort.key for group in effect.shown_groups] == ["passes", "fails"]


def test_a_run_that_only_differs_as_a_whole_is_no_silence() -> None:
    effect = Effect(2)
    effect.add(run(1), judged(turn("g1")), judged(turn("g1"), test_pass=False))
    effect.add(run(2), judged(turn("g1")), judged(turn("g1"), path="other"))
    assert effect.summary == "As a whole, 1 run would fail."
    assert [one.pk for one in effect.other_path] == [2]


def test_without_a_golden_before_it_says_how_the_runs_do() -> None:
    effect = Effect(4, has_before=False)
    effect.add(run(1), None, judged(turn("g1")))
    effect.add(run(2), None, judged(turn("g1", "fail"), test_pass=False))
    effect.add(run(3), None, judged(test_pass=None))
    effect.add(run(4), None, judged(error="no"))
    assert effect.summary == "1 run would pass, 1 would fail, 1 would be left open, 1 could not be tried."


def test_each_version_comes_up_early() -> None:
    runs = [run(1, "a"), run(2, "a"), run(3, "a"), run(4, "b"), run(5, "c"), run(6, "c")]
    assert [one.pk for one in in_turns(runs)] == [1, 4, 5, 2, 6, 3]


def test_a_label_leaves_out_what_stands_above_it() -> None:
    assert run(7).short == "trial 7"
    assert Run(1, "a 1", "a 1", "", 0).short == "this run"
    assert Run(1, "key-1", "no agent named", "", 0).short == "key-1"


class Counting:
    """A scorer that counts what it is asked."""

    name, is_semantic = "counting", True

    def __init__(self) -> None:
        self.asked = 0

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        self.asked += 1
        return TextScore(Fraction(1), "")

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        self.asked += 1
        return ClaimScore("covered", Fraction(1), "")


def test_a_bounded_scorer_asks_once_and_goes_on_where_it_stopped() -> None:
    inner, answers, is_over = Counting(), Answers(), [False]
    scorer = BoundedScorer(inner, fingerprint="v1", answers=answers, is_over=lambda: is_over[0])
    half = Fraction(1, 2)
    scorer.compare("a", "b", field="f", threshold=half)
    scorer.claim("a", "b", threshold=half)
    is_over[0] = True
    scorer.compare("a", "b", field="f", threshold=half)
    scorer.claim("a", "b", threshold=half)
    assert inner.asked == 2
    with pytest.raises(OutOfTimeError):
        scorer.compare("a", "c", field="f", threshold=half)
    with pytest.raises(OutOfTimeError):
        scorer.claim("a", "c", threshold=half)
    other = BoundedScorer(inner, fingerprint="v2", answers=answers, is_over=lambda: False)
    other.compare("a", "b", field="f", threshold=half)
    assert inner.asked == 3
