"""Scorers that go beyond equality, tried with one whose answers stand in a table."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from evaluation.aem import (
    ClaimScore,
    Scorer,
    ScorerUnavailable,
    TextScore,
    parse_policy,
    register_scorer,
    score_record,
    unregister_scorer,
)
from evaluation.evaluators import registry
from tests.aem.builders import call, gold, golden, judge, reply, value_passes

SCORES = {("NYC", "New York"): "0.9", ("cheap", "low cost"): "0.55", ("big", "small"): "0.1"}
STATES: dict[str, tuple[str, str]] = {"It is open.": ("covered", "0.95"), "It is shut.": ("contradicted", "0.02")}


class Table:
    """A scorer that looks its answers up."""

    name = "embedded"
    is_semantic = True

    def __init__(self) -> None:
        self.asked = 0

    def compare(self, expected: str, observed: str, *, field: str, threshold: Fraction) -> TextScore:
        self.asked += 1
        return TextScore(Fraction(SCORES.get((expected, observed), "0")), f"{field}: looked up.", observed == "split")

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        state, value = STATES.get(reply, ("not_said", "0.2"))
        return ClaimScore(state, Fraction(value), "Looked up.")  # type: ignore[arg-type]


@pytest.fixture
def table() -> Iterator[Table]:
    before = registry.find_scorer("embedded")
    scorer = Table()
    register_scorer(scorer)
    yield scorer
    unregister_scorer("embedded")
    if before is not None:
        register_scorer(before)


SEMANTIC: dict[str, Any] = {"scorer": "embedded"}


def test_a_scorer_that_is_not_installed_is_named() -> None:
    assert parse_policy({"scorer": "judge"}).scorer == "judge"
    with pytest.raises(ScorerUnavailable, match="judge"):
        judge([gold("g1")], [call()], policy={"scorer": "judge"})


def test_it_is_a_scorer(table: Table) -> None:
    assert isinstance(table, Scorer)


@pytest.mark.parametrize(
    ("expected", "observed", "passes"),
    [
        ("NYC", "New York", True),
        ("big", "small", False),
        (["NYC", 1], ["New York", 1], True),
        ({"a": "NYC"}, {"a": "New York"}, True),
        ({"a": "NYC"}, {"b": "New York"}, False),
        ("5", 6, False),
    ],
)
def test_texts_that_differ_go_to_the_scorer(table: Table, expected: Any, observed: Any, passes: bool) -> None:
    assert value_passes(expected, observed, policy=SEMANTIC) is passes


def test_equal_texts_do_not(table: Table) -> None:
    assert value_passes("NYC", "nyc", policy=SEMANTIC)
    assert value_passes(["a", "b"], ["b", "a"], "set", policy=SEMANTIC)
    assert table.asked == 0


def test_literal_and_typed_comparisons_never_go_to_the_scorer(table: Table) -> None:
    assert not value_passes("NYC", "New York", "literal", policy=SEMANTIC)
    assert not value_passes("NYC", "New York", "date", policy=SEMANTIC)
    assert table.asked == 0


def test_sets_are_matched_by_meaning(table: Table) -> None:
    assert value_passes(["NYC", "cheap"], ["low cost", "New York"], "set", policy=SEMANTIC)
    assert not value_passes(["NYC", "NYC"], ["low cost", "New York"], "set", policy=SEMANTIC)


def test_thresholds_of_policy_parameter_and_field_in_rising_strength(table: Table) -> None:
    def passes(policy: dict[str, Any], compare: Any = None) -> bool:
        return value_passes("cheap", "low cost", compare, policy={**SEMANTIC, **policy})

    assert passes({})
    assert not passes({"threshold": 0.6})
    assert passes({"threshold": 0.6, "params": {"t": {"k": {"threshold": 0.5}}}})
    strict = {"params": {"t": {"k": {"threshold": 0.6}}}}
    assert not passes(strict)
    assert passes(strict, {"as": "text", "threshold": 0.55})


def test_close_scores_and_split_votes_are_ambiguous(table: Table) -> None:
    def turn(observed: str, **policy: Any) -> Any:
        turns = [gold("g1", "t", {"k": "cheap"})]
        return judge(turns, [call("t", {"k": observed})], policy={**SEMANTIC, **policy}).turns[0]

    assert (turn("low cost").passed, turn("low cost").ambiguous) == (True, True)
    assert not turn("low cost", margin=0.01).ambiguous
    assert not turn("other").ambiguous
    assert turn("split").ambiguous


def test_a_reply_is_covered_left_out_or_denied(table: Table) -> None:
    def turn(response: str, *claims: dict[str, Any]) -> tuple[Any, ...]:
        verdict = judge([reply("g1", "We are open.", *claims)], [{"response": response}], policy=SEMANTIC)
        found = verdict.turns[0]
        return [str(reason) for reason in found.reasons], found.completeness, found.truthfulness

    for claims in ((), ({"text": "open"},)):
        assert turn("It is open.", *claims) == ([], 1, 1)
        assert turn("It is shut.", *claims) == (["inconsistent_response"], 0, 0)
        assert turn("It is late.", *claims) == (["incomplete_response"], 0, 1)


def test_values_of_a_claim_never_go_to_the_scorer(table: Table) -> None:
    turns = [reply("g1", "x", {"text": "open", "contains": ["open"]})]
    verdict = judge(turns, [{"response": "It is shut."}], policy=SEMANTIC)
    assert [str(reason) for reason in verdict.turns[0].reasons] == ["incomplete_response"]


def test_a_verdict_keeps_score_threshold_scorer_and_sentence(table: Table) -> None:
    verdict = judge([gold("g1", "t", {"k": "NYC"})], [call("t", {"k": "New York"})], policy=SEMANTIC)
    item = verdict.explain_turn(1)["items"][1]
    assert (item["score"], item["threshold"], item["scorer"], item["passed"]) == (0.9, 0.5, "embedded", True)
    assert "looked up" in item["sentence"]


def test_a_run_that_asks_for_a_scorer_is_not_overruled_by_a_dialog(table: Table) -> None:
    dialog = [
        {
            "turn_no": 1,
            "turn": "Tool",
            "gold_turn": {"tool_id": "t", "args": {"k": "NYC"}},
            "predict_turn": {"tool_id": "t", "args": {"k": "New York"}},
        }
    ]
    assert not score_record(dialog).test_pass
    assert score_record(dialog, base=parse_policy(SEMANTIC)).test_pass


def test_exact_stays_installed() -> None:
    unregister_scorer("exact")
    assert score_record({"format": "aem/1", "golden": golden(gold("g1")), "trajectory": {"turns": [call()]}}).test_pass
