"""What no scorer could judge is neither passed nor failed, and enters no rate."""

from fractions import Fraction
from typing import Any

import pytest

from evaluation.aem import (
    ClaimScore,
    ConversationVerdict,
    TextScore,
    parse_golden,
    parse_policy,
    parse_tools,
    parse_trajectory,
    score,
)
from evaluation.aem.aggregate import summarise
from tests.aem.builders import call, gold, golden, reply


class Silent:
    """Says nothing about texts that begin with a question mark; everything else differs."""

    name = "judge"
    is_semantic = True

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        if str(observed).startswith("?"):
            return TextScore(None, "The judge gave no readable answer.")
        return TextScore(Fraction(0), "They differ.")

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        if reply.startswith("?"):
            return ClaimScore("unknown", None, "The judge gave no readable answer.")
        return ClaimScore("not_said", Fraction(0), "It is not said.", quote=(0, 2))


def judged(
    turns: list[dict[str, Any]], observed: list[dict[str, Any]], policy: dict[str, Any] | None = None, **more: Any
) -> ConversationVerdict:
    return score(
        parse_golden(golden(*turns, **more)),
        parse_trajectory({"turns": observed}),
        policy=parse_policy({"scorer": "judge", **(policy or {})}),
        tools=parse_tools(None),
        scorer=Silent(),
    )


def test_a_value_that_nobody_can_judge_leaves_its_turn_not_scored() -> None:
    verdict = judged([gold("g1", "a", {"k": "x", "n": 1})], [call("a", {"k": "?", "n": 1})])
    turn = verdict.turns[0]
    assert (turn.passed, turn.skipped, turn.failure_reason, turn.is_unscored) == (None, False, None, True)
    assert (turn.structural, turn.completeness, turn.truthfulness) == (Fraction(1), Fraction(1), None)
    assert (verdict.success_rate, verdict.test_pass, verdict.not_scored) == (None, None, 1)
    assert verdict.as_result()["not_scored"] == 1
    explained = verdict.explain_turn(1)
    assert explained["not_scored"] == ["k"]
    assert explained["sentence"].startswith("Not scored.")
    assert [item["passed"] for item in explained["items"]] == [True, None, True]
    assert [item["score"] for item in explained["items"] if item["field"] == "k"] == [None]


def test_rates_are_those_of_the_turns_that_were_scored() -> None:
    turns = [gold("g1", "a", {"k": "x"}), gold("g2", "b"), gold("g3", "c", {"k": "y"}, depends_on=[])]
    verdict = judged(turns, [call("a", {"k": "?"}), call("b"), call("c", {"k": "no"})])
    assert [turn.passed for turn in verdict.turns] == [None, True, False]
    assert (verdict.success_rate, verdict.test_pass) == (Fraction(1, 2), False)
    summary = summarise([verdict])
    assert (summary.turns.evaluated, summary.turns.passed, summary.tests.evaluated) == (2, 1, 1)


@pytest.mark.parametrize(("rule", "rate"), [("weighted", Fraction(1)), ("gated", Fraction(1)), ("unweighted", 1)])
def test_no_composition_counts_it(rule: str, rate: Fraction) -> None:
    turns = [gold("g1", "a", {"k": "x"}, weight=5, critical=True), gold("g2", "b")]
    verdict = judged(turns, [call("a", {"k": "?"}), call("b")], {"composition": {"rule": rule}})
    assert verdict.success_rate == rate


def test_a_failure_beside_it_stands_and_is_ambiguous() -> None:
    verdict = judged([gold("g1", "a", {"k": "x", "n": 1})], [call("a", {"k": "?", "n": 2})])
    turn = verdict.turns[0]
    assert (turn.passed, turn.fields, turn.truthfulness, turn.ambiguous) == (False, ("n",), None, True)
    assert verdict.test_pass is False
    assert verdict.explain_turn(1)["ambiguous_because"] == ["A part of it could not be judged: k."]


def test_one_accepted_value_that_fits_is_enough() -> None:
    accepted = {"k": {"values": ["x", "?!"]}}
    assert judged([gold("g1", "a", accepted)], [call("a", {"k": "?!"})]).turns[0].passed is True
    assert judged([gold("g1", "a", accepted)], [call("a", {"k": "?"})]).turns[0].passed is None


@pytest.mark.parametrize(
    ("expected", "observed", "compare", "passed"),
    [
        (["x", 1], ["?", 1], None, None),
        (["x", 1], ["?", 2], None, False),
        ({"a": "x"}, {"a": "?"}, None, None),
        (["x", "y"], ["y", "?"], "set", None),
        (["x", "y"], ["?", "z"], "set", False),
        (12, "?twelve", None, None),
        (None, "?", None, False),
        ("x", "?", "text", None),
        ("x", "?", "literal", False),
    ],
)
def test_parts_of_a_value(expected: Any, observed: Any, compare: str | None, passed: bool | None) -> None:
    param = {"value": expected, **({"compare": compare} if compare else {})}
    verdict = judged([gold("g1", "a", {"k": param})], [call("a", {"k": observed})])
    assert verdict.turns[0].passed is passed


def test_a_reply_that_nobody_can_judge() -> None:
    verdict = judged([reply("g1", "It is open."), reply("g2", "x", {"text": "It is open."})], [{"response": "? one"}])
    first = next(turn for turn in verdict.turns if turn.observed == 0)
    assert (first.passed, first.completeness, first.truthfulness) == (None, None, None)
    assert verdict.explain_turn(first.turn_no)["sentence"].startswith("Not scored.")


def test_where_a_reply_was_looked_at_is_kept() -> None:
    verdict = judged([reply("g1", "x", {"text": "It is open."})], [{"response": "No."}])
    assert verdict.explain_turn(1)["items"][0]["quote"] == [0, 2]


def test_a_failure_after_it_may_be_inherited_and_says_so() -> None:
    turns = [gold("g1", "a", {"k": "x"}), gold("g2", "b", {"n": 1}, depends_on=["g1"])]
    verdict = judged(turns, [call("a", {"k": "?"}), call("b", {"n": 2})])
    second = verdict.turns[1]
    assert (second.passed, second.is_root_cause, second.ambiguous) == (False, True, True)
    assert "A turn that it builds on could not be scored." in verdict.explain_turn(2)["ambiguous_because"]


def test_a_right_call_on_it_passes_and_is_ambiguous() -> None:
    turns = [gold("g1", "a", {"k": "x"}), gold("g2", "b", {"n": 1}, depends_on=["g1"])]
    second = judged(turns, [call("a", {"k": "?"}), call("b", {"n": 1})]).turns[1]
    assert (second.passed, second.ambiguous) == (True, True)


def test_a_ref_that_nobody_can_judge() -> None:
    turns = [gold("g1", "a"), gold("g2", "b", {"k": {"ref": {"turn": "g1", "path": "$.id"}}})]
    verdict = judged(turns, [call("a", result={"id": "D7"}), call("b", {"k": "?"})])
    assert verdict.turns[1].passed is None
    assert verdict.explain_turn(2)["not_scored"] == ["k"]


def test_calls_that_may_be_forbidden_or_asked_for() -> None:
    forbidden = [{"tool": "z", "params": {"k": {"value": "x"}}}]
    observed = [call("a"), call("z", {"k": "?"})]
    assert judged([gold("g1", "a")], observed, forbidden=forbidden).test_pass is None
    assert judged([gold("g1", "q")], observed, forbidden=forbidden).test_pass is False
    called = {"kind": "called", "tool": "z", "params": {"k": {"value": "x"}}}
    for times, passed in ((None, None), (1, None), (0, None), (2, False)):
        outcome = [{**called, **({} if times is None else {"times": times})}]
        assert judged([gold("g1", "a")], observed, outcome=outcome).outcome[0].passed is passed
