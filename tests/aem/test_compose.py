"""Rates, gates, outcome, unexpected calls, and adding up."""

from fractions import Fraction
from typing import Any

import pytest

from evaluation.aem import ConversationVerdict, FailureReason, parse_golden, parse_policy, parse_trajectory, score
from evaluation.aem.aggregate import pass_hat_k, summarise
from tests.aem.builders import USER, call, gold, golden, judge, reply


def test_rates_are_fractions_and_emitted_as_the_nearest_double() -> None:
    verdict = judge([gold(f"g{n}", f"t{n}") for n in range(3)], [call("t0")])
    assert verdict.success_rate == Fraction(1, 3)
    assert verdict.as_result()["success_rate"] == 1 / 3


@pytest.mark.parametrize(
    ("composition", "rate"),
    [
        ({"rule": "unweighted"}, Fraction(1, 2)),
        ({"rule": "weighted"}, Fraction(1, 4)),
        ({"rule": "gated"}, Fraction(0)),
        ({"rule": "gated", "cap": 0.4}, Fraction(2, 5)),
        ({"rule": "gated", "cap": 0.9}, Fraction(1, 2)),
    ],
)
def test_composition(composition: dict[str, Any], rate: Fraction) -> None:
    turns = [gold("g1", "a", weight=1), gold("g2", "b", {"x": 1}, weight=3, critical=True)]
    verdict = judge(turns, [call("a"), call("b", {"x": 2})], policy={"composition": composition})
    assert verdict.success_rate == rate


def test_a_critical_turn_that_was_skipped_gates_nothing() -> None:
    turns = [gold("g1", "a"), gold("g2", "b", critical=True, optional=True)]
    verdict = judge(turns, [call("a")], policy={"composition": {"rule": "gated"}})
    assert verdict.success_rate == 1


def test_no_weight_no_rate() -> None:
    policy = {"composition": {"rule": "weighted"}}
    assert judge([gold("g1", "a", weight=0)], [call("a")], policy=policy).success_rate is None


def test_of_several_paths_a_rate_beats_none() -> None:
    paths = [
        {"id": "skipped", "turns": [gold("g1", "z", optional=True)]},
        {"id": "failed", "turns": [gold("g1", "z")]},
        {"id": "as_bad", "turns": [gold("g1", "z")]},
    ]
    verdict = score(
        parse_golden({"paths": paths}), parse_trajectory({"turns": []}), policy=parse_policy(None), tools={}
    )
    assert verdict.path == "failed"


def test_a_write_of_a_tool_that_is_not_described_is_none() -> None:
    verdict = judge([gold("g1", "a")], [call("a"), call("b")], policy={"extra_writes": "fail"})
    assert verdict.test_pass
    assert [(one.kind, one.wrote) for one in verdict.unexpected] == [("extra", False)]
    tools = {"b": {"effect": "write"}}
    assert not judge([gold("g1", "a")], [call("a"), call("b")], policy={"extra_writes": "fail"}, tools=tools).test_pass
    assert judge([gold("g1", "a")], [call("a"), call("b")], tools=tools).test_pass


@pytest.mark.parametrize(
    ("kinds", "length", "bucket"),
    [
        ("r", 0, None),
        ("a", 1, "single"),
        ("aa", 2, "two_step"),
        ("aara", 2, "two_step"),
        ("aaua", 2, "two_step"),
        ("aaa", 3, "complex"),
        ("raaaar", 4, "complex"),
    ],
)
def test_chain(kinds: str, length: int, bucket: str | None) -> None:
    makers = {"a": lambda n: gold(f"g{n}"), "r": lambda n: reply(f"g{n}"), "u": lambda n: dict(USER)}
    verdict = judge([makers[kind](number) for number, kind in enumerate(kinds)], [])
    assert verdict.as_result()["chain"] == {"length": length, "bucket": bucket}


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        ({"kind": "said", "contains": ["Porto", 5]}, True),
        ({"kind": "said", "contains": ["Porto", 6]}, False),
        ({"kind": "not_said", "contains": ["Faro", 6]}, True),
        ({"kind": "not_said", "contains": ["Faro", 5]}, False),
        ({"kind": "called", "tool": "a"}, True),
        ({"kind": "called", "tool": "a", "times": 2}, True),
        ({"kind": "called", "tool": "a", "times": 3}, False),
        ({"kind": "called", "tool": "z", "times": 0}, True),
        ({"kind": "called", "tool": "a", "action": "Get"}, True),
        ({"kind": "called", "tool": "a", "action": "get"}, False),
        ({"kind": "called", "tool": "a", "params": {"k": {"value": 1}}}, True),
        (
            {"kind": "called", "tool": "a", "params": {"k": {"value": 1, "required": False}, "m": {"compare": "any"}}},
            False,
        ),
        ({"kind": "state", "path": "$.x.y[0]", "value": "DONE"}, True),
        ({"kind": "state", "path": "$.x.y[1]", "value": "DONE"}, False),
        ({"kind": "state", "path": "$.x", "compare": "any"}, True),
        ({"kind": "state", "path": "$.none"}, False),
        ({"kind": "statement", "text": "Friendly"}, None),
    ],
)
def test_outcome(assertion: dict[str, Any], passed: bool | None) -> None:
    observed = [
        call("a", {"k": 1}, action="Get"),
        call("a"),
        call("a", error="late"),
        {"response": "To Porto"},
        {"response": "for 5."},
    ]
    state = {"x": {"y": ["done"]}, "none": None}
    verdict = judge([gold("g1", "a", extra="allow")], observed, outcome=[assertion], final_state=state)
    assert verdict.as_result()["outcome"] == [{"id": "outcome1", "passed": passed}]
    assert verdict.test_pass


def test_the_state_is_not_judged_where_none_was_recorded() -> None:
    verdict = judge([gold("g1", "a")], [call("a")], outcome=[{"id": "s", "kind": "state", "path": "$.x"}])
    assert verdict.as_result()["outcome"] == [{"id": "s", "passed": None}]


@pytest.mark.parametrize(
    ("results", "k", "share"),
    [
        ({"a": [True, True, False, False]}, 1, Fraction(1, 2)),
        ({"a": [True, True, False, False]}, 2, Fraction(1, 6)),
        ({"a": [True, True], "b": [True, False]}, 2, Fraction(1, 2)),
        ({"a": [True]}, 2, None),
        ({"a": [True], "b": [True, True]}, 2, Fraction(1)),
        ({}, 1, None),
    ],
)
def test_pass_hat_k(results: dict[str, list[bool]], k: int, share: Fraction | None) -> None:
    assert pass_hat_k(results, k) == share


def test_pass_hat_k_asks_for_a_trial() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        pass_hat_k({"a": [True]}, 0)


def verdicts() -> list[ConversationVerdict]:
    turns = [gold("g1", "a", {"x": 1}), gold("g2", "b", {"y": 1}, action="Go"), reply("g3", "Done")]
    bad = [call("a", {"x": 7}, result={"v": 8}), call("b", {"y": 8}, action="Go"), {"response": "Done"}]
    good = [call("a", {"x": 1}), call("b", {"y": 1}, action="Go"), {"response": "done"}]
    return [judge(turns, bad), judge(turns, good)]


def test_adding_up_keeps_root_causes_and_cascades_apart() -> None:
    summary = summarise(verdicts())
    assert (summary.turns.evaluated, summary.turns.passed) == (6, 4)
    assert (summary.turns.root_causes, summary.turns.cascades) == (1, 1)
    assert summary.turns.rate == Fraction(2, 3)
    assert (summary.tests.evaluated, summary.tests.passed) == (2, 1)
    assert summary.root_causes_by_reason == {FailureReason.INCONSISTENT_PARAMETER_VALUES: 1}
    assert summary.cascades == 1
    assert (summary.by_tool["a"].root_causes, summary.by_tool["b"].cascades) == (1, 1)
    assert summary.by_action["b", "Go"].evaluated == 2
    assert (summary.by_field["a", "x"].root_causes, summary.by_field["b", "y"].cascades) == (1, 1)
    assert summary.by_chain["two_step"].evaluated == 6
    assert summary.by_length[3].evaluated == 6
    assert (summary.sub_metrics["truthfulness"].count, summary.sub_metrics["truthfulness"].value) == (6, Fraction(2, 3))


def test_nothing_added_up_has_no_rate() -> None:
    summary = summarise([])
    assert (summary.turns.rate, summary.sub_metrics["structural"].value) == (None, None)


def test_one_golden_serves_many_trajectories_and_policies() -> None:
    parsed = parse_golden(golden(gold("g1", "a", {"x": 10})))
    trajectory = parse_trajectory({"turns": [call("a", {"x": 11})]})
    for _ in range(3):
        for tolerance, passes in ((0, False), (1, True)):
            policy = parse_policy({"params": {"a": {"x": {"compare": {"as": "number", "abs": tolerance}}}}})
            assert score(parsed, trajectory, policy=policy, tools={}).test_pass is passes
