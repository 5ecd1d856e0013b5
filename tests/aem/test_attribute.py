"""Own failures and inherited ones. The published cases hold most rules; here stand those that need less room."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem import ConversationVerdict, RecordError, parse_record, score_record
from evaluation.formats import jsonio
from tests.aem.builders import call, gold, judge, reply

BAD = gold("g1", "find", {"id": 1})
SEEN = call("find", {"id": 2}, result={"v": 61, "name": "Lisbon", "text": "Order A-77 of 5 June, 12 pieces"})


def second(verdict: ConversationVerdict) -> tuple[Any, ...]:
    turn = verdict.turns[1]
    return (turn.failure_reason and str(turn.failure_reason)), list(turn.fields), list(turn.cascade_of), turn.ambiguous


@pytest.mark.parametrize(
    ("observed", "inherited"),
    [
        (61, True),
        ("61", True),
        (62, False),
        ("lisbon", True),
        ("A-77", True),
        ("A-7", False),
        (12, True),
        ("5 june", True),
        ([61, "Lisbon"], True),
        ([61, "Porto"], False),
        ({"k": {"m": 61}}, True),
        ([], False),
        ("", False),
        (None, False),
        (True, False),
        ([61, None], False),
        ("v", False),
    ],
)
def test_grounding_of_a_wrong_value(observed: Any, inherited: bool) -> None:
    turns = [BAD, gold("g2", "pay", {"x": {"value": "right", "from": ["g1"]}})]
    verdict = judge(turns, [SEEN, call("pay", {"x": observed})])
    expected = ("prior_action_failed", ["x"], [1], False)
    assert second(verdict) == (expected if inherited else ("inconsistent_parameter_values", ["x"], [], False))


def test_an_excluded_value_that_stood_upstream_is_inherited() -> None:
    turns = [BAD, reply("g2", "x", {"id": "c", "text": "c", "excludes": ["Lisbon", "Faro"], "from": ["g1"]})]
    assert second(judge(turns, [SEEN, {"response": "To Lisbon."}])) == ("prior_action_failed", ["c"], [1], False)
    assert second(judge(turns, [SEEN, {"response": "To Faro."}])) == ("inconsistent_response", ["c"], [], False)


def test_a_claim_by_text_that_stood_upstream_was_left_out() -> None:
    turns = [BAD, reply("g2", "x", {"id": "c", "text": "order A-77", "from": ["g1"]})]
    assert second(judge(turns, [SEEN, {"response": "Hm."}])) == ("incomplete_response", ["c"], [], False)


def test_only_missing_values_count_as_left_out() -> None:
    turns = [BAD, reply("g2", "x", {"id": "c", "text": "c", "contains": ["Lisbon", "Faro"], "from": ["g1"]})]
    verdict = judge(turns, [SEEN, {"response": "Lisbon"}])
    assert second(verdict) == ("prior_action_failed", ["c"], [1], False)


def test_an_unrecorded_candidate_leaves_the_evidence_open() -> None:
    other = gold("g0", "seek", {"id": 1})
    turns = [other, BAD, gold("g2", "pay", {"x": {"value": 1, "from": ["g0", "g1"]}})]
    verdict = judge(turns, [call("seek", {"id": 5}), SEEN, call("pay", {"x": 99})])
    assert verdict.turns[2].ambiguous
    assert verdict.turns[2].cascade_of == (1, 2)
    grounded = judge(turns, [call("seek", {"id": 5}), SEEN, call("pay", {"x": 61})])
    assert (grounded.turns[2].ambiguous, grounded.turns[2].cascade_of) == (False, (2,))


def test_own_items_after_an_environment_error_are_ambiguous_for_any_kind() -> None:
    for kind in ("state", "data", "control"):
        turns = [gold("g1", "find"), gold("g2", "pay", {"x": 1}, depends_on=[{"turn": "g1", "kind": kind}])]
        verdict = judge(turns, [call("find", error="late"), call("pay", {"x": 2})])
        assert second(verdict) == ("inconsistent_parameter_values", ["x"], [], True)


def test_taint_needs_a_state_dependency_and_an_action() -> None:
    for kind, passed in (("state", False), ("data", True), ("control", True)):
        turns = [
            BAD,
            gold("g2", "pay", depends_on=[{"turn": "g1", "kind": kind}]),
            reply("g3", "Done", depends_on=["g1"]),
        ]
        verdict = judge(turns, [SEEN, call("pay"), {"response": "done"}])
        assert (verdict.turns[1].passed, verdict.turns[2].passed) == (passed, True)
        assert verdict.turns[1].truthfulness is None
        assert verdict.turns[1].structural == 1


def test_a_cascade_names_every_root_that_it_comes_from() -> None:
    turns = [
        BAD,
        gold("g2", "seek", {"id": 1}),
        gold("g3", "pay", depends_on=["g2", "g1"]),
        gold("g4", "log", depends_on=["g3"]),
    ]
    verdict = judge(turns, [SEEN, call("seek", {"id": 3}), call("pay"), call("log")])
    assert [turn.cascade_of for turn in verdict.turns] == [(), (), (1, 2), (1, 2)]
    assert (verdict.root_cause_count, verdict.cascading_count, verdict.total_failures) == (2, 2, 4)


@pytest.mark.parametrize(
    ("response", "invented"),
    [
        ("It is 61.", False),
        ("It is 87.", True),
        ("Nights: 10, 9, 0.", False),
        ("It is 11.", True),
        ("It is 77.", False),
        ("It is -87 or so.", True),
        ("It is 12.5.", True),
        ("It is 500 and 61.", False),
        ("It is 4242, I think.", False),
    ],
)
def test_invented_numbers(response: str, invented: bool) -> None:
    turns = [{"user": "For 500"}, BAD, reply("g2", "x", {"id": "c", "text": "Room 4242", "from": ["g1"]})]
    verdict = judge(turns, [{"user": "For 500"}, SEEN, {"response": response}])
    expected = ("inconsistent_response", [], [], True) if invented else ("prior_action_failed", ["c"], [1], False)
    assert second(verdict) == expected
    assert verdict.turns[1].truthfulness == 1


def test_a_whole_reply_without_telling_numbers_is_open() -> None:
    turns = [BAD, reply("g2", "It went well.", depends_on=["g1"])]
    assert second(judge(turns, [SEEN, {"response": "It went badly, 3 times."}])) == (
        "prior_action_failed",
        [],
        [1],
        True,
    )


def test_a_ref_after_a_failed_turn_fails_even_where_it_is_equal() -> None:
    turns = [BAD, gold("g2", "pay", {"x": {"ref": {"turn": "g1", "path": "$.v"}}, "y": 1})]
    verdict = judge(turns, [SEEN, call("pay", {"x": 61, "y": 1})])
    assert second(verdict) == ("prior_action_failed", ["x"], [1], False)
    assert verdict.turns[1].truthfulness is not None
    assert float(verdict.turns[1].truthfulness) == 0.5


def test_default_dependencies_are_off_as_soon_as_one_claim_says_where_it_comes_from() -> None:
    turns = [BAD, gold("g2", "pay", {"x": 1}), reply("g3", "x", {"text": "c", "from": []})]
    verdict = judge(turns, [SEEN, call("pay", {"x": 61}), {"response": "c"}])
    assert second(verdict) == ("inconsistent_parameter_values", ["x"], [], False)


VALUES = st.sampled_from([1, 2, "A-77", 61, None])
TURNS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["call", "call", "say"]),
            "tool": st.sampled_from(["a", "b"]),
            "value": VALUES,
            "seen": VALUES,
            "result": st.sampled_from([None, {"v": 61}, "A-77", [1, 2]]),
            "link": st.sampled_from(["none", "state", "data", "control", "from", "ref"]),
            "to": st.integers(0, 5),
            "optional": st.booleans(),
            "drop": st.sampled_from([False, False, False, True]),
            "swap": st.sampled_from([False, False, False, True]),
        }
    ),
    min_size=1,
    max_size=6,
)


def random_record(made: list[dict[str, Any]]) -> dict[str, Any]:
    turns, observed = [], []
    for index, one in enumerate(made):
        target = f"g{one['to'] % index}" if index else None
        more: dict[str, Any] = {"optional": one["optional"]}
        source: dict[str, Any] = {}
        if target and one["link"] in {"state", "data", "control"}:
            more["depends_on"] = [{"turn": target, "kind": one["link"]}]
        if target and one["link"] == "from":
            source = {"from": [target]}
        if one["kind"] == "say":
            text = str(one["value"])
            turns.append(reply(f"g{index}", "x", {"id": "c", "text": text, **source}, **more))
            seen: dict[str, Any] = {"response": f"It is {one['seen']}, 42."}
        else:
            param = {"value": one["value"], **source}
            if target and one["link"] == "ref":
                param = {"ref": {"turn": target, "path": "$.v"}}
            turns.append(gold(f"g{index}", one["tool"], {"k": param}, **more))
            seen = call("b" if one["swap"] else one["tool"], {"k": one["seen"]}, result=one["result"])
        if not one["drop"]:
            observed.append(seen)
    return {
        "format": "aem/1",
        "golden": {"paths": [{"id": "main", "turns": turns}]},
        "trajectory": {"turns": observed},
    }


@given(TURNS)
@settings(max_examples=200, deadline=None)
def test_what_holds_for_every_verdict(made: list[dict[str, Any]]) -> None:
    verdict = score_record(random_record(made))
    failed = [turn for turn in verdict.turns if turn.passed is False]
    roots = {turn.turn_no for turn in failed if not turn.cascade_of}
    assert verdict.total_failures == verdict.root_cause_count + verdict.cascading_count == len(failed)
    assert verdict.root_cause_count == len(roots)
    assert bool(failed) == bool(roots)
    assert verdict.test_pass is not bool(failed)
    for turn in verdict.turns:
        assert set(turn.cascade_of) <= {number for number in roots if number < turn.turn_no}
        assert turn.skipped is (turn.passed is None)
        assert bool(turn.reasons) is (turn.passed is False)
        assert list(turn.fields) == sorted(turn.fields)
        if turn.cascade_of:
            assert [str(reason) for reason in turn.reasons] == ["prior_action_failed"]
    explained = verdict.as_explained()
    jsonio.dumps(explained)
    for shown in explained["turns"]:
        assert shown["sentence"]
        assert bool(shown["ambiguous_because"]) is shown["ambiguous"]
        if not shown["skipped"]:
            assert any(item["passed"] is False for item in shown["items"]) is (shown["passed"] is False)
        for item in shown["items"]:
            assert item["sentence"]
            assert (item["origin"] is None) is (item["passed"] is not False)
    assert {key: value for key, value in explained.items() if key != "turns"} == {
        key: value for key, value in verdict.as_result().items() if key != "turns"
    }


def test_a_record_without_a_trajectory_is_not_scored() -> None:
    record = random_record([])
    record["golden"]["paths"][0]["turns"] = [BAD]
    del record["trajectory"]
    assert parse_record(record).trajectory is None
    with pytest.raises(RecordError, match="trajectory: is missing"):
        score_record(record)
