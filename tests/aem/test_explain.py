"""What people read about a turn."""

import doctest
from pathlib import Path
from typing import Any

import pytest

from evaluation.aem import ConversationVerdict, score_record
from tests.aem.builders import USER, call, gold, judge, reply

ITEM_KEYS = {
    "kind",
    "field",
    "reason",
    "passed",
    "expected",
    "observed",
    "score",
    "threshold",
    "scorer",
    "origin",
    "evidence",
    "evidence_turns",
    "sentence",
}


def sales_report(last: str = "EU revenue was 34 million, up 87 percent.") -> ConversationVerdict:
    turns = [
        gold("g1", "reports", {"metric": "revenue"}, action="Filter"),
        gold("g2", "reports", {"data_id": {"ref": {"turn": "g1", "path": "$.data_id"}}}, action="Aggregate"),
        gold("g3", "reports", {"format": "pdf"}, action="Render", depends_on=["g2"]),
        reply("g4", "x", {"id": "total", "text": "120 million", "contains": ["120"], "from": ["g2"]}),
    ]
    observed = [
        call("reports", {"metric": "profit"}, action="Filter", result={"data_id": "D7"}),
        call("reports", {"data_id": "D7"}, action="Aggregate", result={"total": 34}),
        call("reports", {"format": "pdf"}, action="Render"),
        {"response": last},
    ]
    return judge(turns, observed)


def test_the_shape_is_fixed() -> None:
    verdict = sales_report()
    added = {"kind", "tool", "action", "scores", "items", "sentence", "not_scored", "ambiguous_because"}
    for turn, plain in zip(verdict.as_explained()["turns"], verdict.as_result()["turns"], strict=True):
        assert set(turn) == set(plain) | added
        assert all(set(item) == ITEM_KEYS for item in turn["items"])
        assert {key: turn[key] for key in plain} == plain
        assert turn == verdict.explain_turn(turn["turn_no"])


def test_a_sentence_names_the_value_and_the_turn_it_stood_in() -> None:
    verdict = sales_report()
    first, second, third, fourth = (verdict.explain_turn(number) for number in (1, 2, 3, 4))
    assert 'metric should be "revenue", and is "profit"' in first["sentence"]
    assert "Inherited from the failure of turn 1" in second["sentence"]
    assert "stood in the result of turn 1" in second["sentence"]
    assert "works on what turn 2 left behind" in third["sentence"]
    assert "states 87" in fourth["sentence"]


def test_items_say_how_each_part_came_out() -> None:
    verdict = sales_report()
    structure, data_id = verdict.explain_turn(2)["items"]
    assert (structure["kind"], structure["passed"], structure["origin"]) == ("structure", True, None)
    assert (data_id["kind"], data_id["field"], data_id["passed"]) == ("parameter", "data_id", False)
    assert (data_id["origin"], data_id["evidence"], data_id["evidence_turns"]) == ("inherited", "supported", [1])
    assert (data_id["expected"], data_id["observed"], data_id["reason"]) == (
        "D7",
        "D7",
        "inconsistent_parameter_values",
    )
    assert [item["kind"] for item in verdict.explain_turn(3)["items"]] == ["structure", "parameter", "taint"]
    claim, invented = verdict.explain_turn(4)["items"]
    assert (claim["kind"], claim["origin"], claim["evidence_turns"]) == ("claim", "inherited", [2])
    assert (invented["kind"], invented["origin"], invented["observed"]) == ("invented", "own", 87)


def items_of(params: dict[str, Any], args: Any, **more: Any) -> dict[str, dict[str, Any]]:
    verdict = judge([gold("g1", "t", params, **more)], [call("t", args)])
    return {item["field"]: item for item in verdict.explain_turn(1)["items"] if item["field"]}


@pytest.mark.parametrize(
    ("params", "args", "more", "passed", "words"),
    [
        ({"k": "New York"}, {"k": "new york"}, {}, True, 'counts as "New York"'),
        ({"k": "A"}, {"k": "A"}, {}, True, "as expected"),
        ({"k": {"values": ["A", "B"]}}, {"k": "C"}, {}, False, 'one of "A", "B"'),
        ({"k": {"compare": "any"}}, {"k": None}, {}, False, "null"),
        ({"k": {"compare": "any"}}, {"k": 5}, {}, True, "any value will do"),
        ({"k": {"value": 100, "compare": {"as": "number", "rel": 0.05}}}, {"k": 106}, {}, False, "number (rel 0.05)"),
        ({"k": {"value": 1, "required": False}}, {}, {}, True, "optional"),
        ({"k": 1}, {}, {}, False, "was left out"),
        ({"k": 1}, "k=1", {}, False, "could not be read"),
        ({}, {"k": [1]}, {}, False, "neither expected nor allowed"),
        ({}, {"k": 1}, {"extra": "allow"}, True, "allowed"),
        ({}, {"k": 1}, {"allowed_extra": ["k"]}, True, "allowed"),
        ({"k": "x" * 500}, {"k": 5}, {}, False, "…"),
        ({"k": 10**50}, {"k": 5}, {}, False, "1000000"),
    ],
)
def test_parameters(params: dict[str, Any], args: Any, more: dict[str, Any], passed: bool, words: str) -> None:
    item = items_of(params, args, **more)["k"]
    assert item["passed"] is passed
    assert words in item["sentence"]


def test_structure() -> None:
    def sentence(observed: list[dict[str, Any]]) -> str:
        verdict = judge([USER, gold("g1", "mail", action="Send")], [USER, *observed])
        explained = verdict.explain_turn(1)
        assert len(explained["items"]) == 1
        return str(explained["sentence"])

    assert "mail Send was expected, and nothing answers it" in sentence([])
    assert "and calendar was called" in sentence([call("calendar")])
    assert 'The action "Send" was expected, and "Draft" was taken' in sentence([call("mail", action="Draft")])
    assert "no action was taken" in sentence([call("mail")])


def test_replies() -> None:
    claims: list[dict[str, Any]] = [
        {"id": "a", "text": "the total", "contains": [5]},
        {"id": "b", "text": "no fee", "excludes": ["fee"]},
        {"id": "c", "text": "thanks", "required": False},
    ]
    verdict = judge([reply("g1", "x", *claims)], [{"response": "A fee applies."}])
    explained = verdict.explain_turn(1)
    words = {item["field"]: item["sentence"] for item in explained["items"]}
    assert "is not covered: 5 is missing" in words["a"]
    assert 'contradicted: the reply says "fee"' in words["b"]
    assert "optional and not covered" in words["c"]
    whole = judge([reply("g1", "Done.")], [{"response": "Oops."}]).explain_turn(1)
    assert (whole["items"][0]["kind"], 'expected: "Done."' in whole["sentence"]) == ("reply", True)
    assert "there is none" in judge([reply("g1", "Done.")], []).explain_turn(1)["sentence"]


def test_refs() -> None:
    turns = [
        gold("g1", "find"),
        gold("g2", "pay", {"k": {"ref": {"turn": "g1", "path": "$.a"}}}),
        gold("g3", "log", {"k": {"ref": {"turn": "g1", "path": "$.b"}}}),
        gold("g4", "mail", {"k": {"ref": {"turn": "g2", "path": "$.c"}}}),
    ]
    observed = [
        call("find", result={"a": "R1"}),
        call("pay", {"k": "r1"}),
        call("log", {"k": 1}),
        call("mail", {"k": 1}),
    ]
    verdict = judge(turns, observed)
    held, absent, unrecorded = (verdict.explain_turn(number)["items"][1] for number in (2, 3, 4))
    assert (held["passed"], held["expected"], held["observed"]) == (True, "R1", "r1")
    assert "there is nothing at that place" in absent["sentence"]
    assert (unrecorded["passed"], "not judged" in unrecorded["sentence"]) == (None, True)
    assert "k could not be judged" in verdict.explain_turn(4)["sentence"]
    assert verdict.explain_turn(4)["ambiguous_because"]


def test_skipped_turns_and_unknown_ones() -> None:
    verdict = judge([gold("g1", optional=True)], [])
    assert (verdict.explain_turn(1)["items"], "optional" in verdict.explain_turn(1)["sentence"]) == ([], True)
    for number in (0, 2, -1):
        with pytest.raises(LookupError, match="there is no turn"):
            verdict.explain_turn(number)


def test_scores_are_those_of_the_turn() -> None:
    record = {
        "format": "aem/1",
        "golden": {"paths": [{"id": "main", "turns": [gold("g1", "t", {"a": 1, "b": 2})]}]},
        "trajectory": {"turns": [call("t", {"a": 2, "z": 1})]},
    }
    explained = score_record(record).explain_turn(1)
    assert explained["scores"] == {"structural": 1.0, "completeness": 1 / 3, "truthfulness": 0.0}
    assert (explained["kind"], explained["tool"], explained["action"]) == ("action", "t", None)


def test_the_documentation_is_right() -> None:
    path = Path(__file__).resolve().parents[2] / "docs" / "engine.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_what_a_comparison_cannot_read_is_said() -> None:
    expected = {"value": "March 2, 2026", "compare": "date"}
    same = judge([gold("g1", "a", {"on": expected})], [call("a", {"on": "March 2, 2026"})])
    assert "The expected value is not a date as 2026-03-31" in same.explain_turn(1)["sentence"]
    expected = {"value": "2026-03-02", "compare": "date"}
    other = judge([gold("g1", "a", {"on": expected})], [call("a", {"on": "March 2, 2026"})])
    assert '"March 2, 2026" is not a date as 2026-03-31' in other.explain_turn(1)["sentence"]
    priced = judge([gold("g1", "a", {"n": {"value": 5, "compare": "number"}})], [call("a", {"n": "$5"})])
    assert '"$5" is not a number.' in priced.explain_turn(1)["sentence"]
