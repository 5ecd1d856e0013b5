"""What is refused, and where the place is named."""

import math
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem import (
    RecordError,
    is_native_dialog,
    parse_golden,
    parse_policy,
    parse_record,
    parse_tools,
    parse_trajectory,
    record_from_native,
    score_record,
)
from tests.aem.builders import USER, call, gold, golden, reply

AT = "golden.paths[0].turns"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("turns", "path", "reason"),
    [
        ([USER], AT, "no agent or tool turn"),
        ([], AT, "no agent or tool turn"),
        ([5], f"{AT}[0]", "must be an object"),
        ([{"id": "g1"}], f"{AT}[0]", "must hold one of user, response and tool"),
        ([{"id": "g1", "tool": "a", "response": "b"}], f"{AT}[0]", "not both response and tool"),
        ([{"tool": "a"}], f"{AT}[0].id", "is missing"),
        ([{"response": "a"}], f"{AT}[0].id", "is missing"),
        ([{"id": 5, "response": "a"}], f"{AT}[0].id", "must be a text"),
        ([gold("g1"), gold("g1")], f"{AT}[1].id", "used twice"),
        ([{"id": "g1", "user": "a"}, gold("g1")], f"{AT}[1].id", "used twice"),
        ([{"user": 5}, gold("g1")], f"{AT}[0].user", "must be a text"),
        ([{"id": "g1", "response": None}], f"{AT}[0].response", "must be a text"),
        ([{"id": "g1", "tool": ""}], f"{AT}[0].tool", "must not be empty"),
        ([gold("g1", params={"limit": {"compare": "auto"}})], f"{AT}[0].params.limit", "needs one of"),
        ([gold("g1", params={"k": {"value": 1, "values": [1]}})], f"{AT}[0].params.k", "only one of"),
        ([gold("g1", params={"k": {"values": []}})], f"{AT}[0].params.k.values", "at least one"),
        ([gold("g1", params={"k": {"values": 5}})], f"{AT}[0].params.k.values", "must be a list"),
        ([{"id": "g1", "tool": "a", "params": {"k": 5}}], f"{AT}[0].params.k", "must be an object"),
        (
            [gold("g1", params={"k": {"value": 1, "compare": "fuzzy"}})],
            f"{AT}[0].params.k.compare",
            "unknown comparison",
        ),
        ([gold("g1", params={"k": {"value": 1, "compare": {"abs": 1}}})], f"{AT}[0].params.k.compare.as", "is missing"),
        (
            [gold("g1", params={"k": {"value": 1, "compare": {"as": "number", "abs": -1}}})],
            f"{AT}[0].params.k.compare.abs",
            "negative",
        ),
        (
            [gold("g1", params={"k": {"value": 1, "compare": {"as": "text", "threshold": 2}}})],
            f"{AT}[0].params.k.compare.threshold",
            "at most 1",
        ),
        (
            [gold("g1", params={"k": {"value": "(", "compare": "regex"}})],
            f"{AT}[0].params.k.value",
            "regular expression",
        ),
        (
            [gold("g1", params={"k": {"values": ["a", "a{9999999999999999999999}"], "compare": "regex"}})],
            f"{AT}[0].params.k.values[1]",
            "regular expression",
        ),
        ([gold("g1", params={"k": {"value": 5, "compare": "regex"}})], f"{AT}[0].params.k.value", "must be a text"),
        ([gold("g1", params={"k": {"value": math.nan}})], f"{AT}[0].params.k.value", "no JSON value"),
        ([gold("g1", params={"k": {"value": [{"a": math.inf}]}})], f"{AT}[0].params.k.value[0].a", "no JSON value"),
        ([gold("g1", params={"k": {"value": {1: 2}}})], f"{AT}[0].params.k.value", "no text"),
        ([gold("g1", params={"k": {"value": {1, 2}}})], f"{AT}[0].params.k.value", "no JSON value"),
        ([gold("g1", params={"k": {"value": nested(200)}})], None, "levels deep"),
        ([gold("g1", params={"k": {"value": Decimal("1E+5000")}})], f"{AT}[0].params.k.value", "too large"),
        ([gold("g1", params={"k": {"value": 1, "required": "yes"}})], f"{AT}[0].params.k.required", "true or false"),
        ([gold("g1", extra="maybe")], f"{AT}[0].extra", "must be one of"),
        ([gold("g1", allowed_extra=[5])], f"{AT}[0].allowed_extra[0]", "must be a text"),
        ([gold("g1", weight=-1)], f"{AT}[0].weight", "negative"),
        ([gold("g1", weight="1")], f"{AT}[0].weight", "must be a number"),
        ([gold("g1", weight=True)], f"{AT}[0].weight", "must be a number"),
        ([gold("g1", optional=1)], f"{AT}[0].optional", "true or false"),
        ([gold("g1", group=5)], f"{AT}[0].group", "must be a text"),
        ([gold("g1", depends_on="g0")], f"{AT}[0].depends_on", "must be a list"),
        ([gold("g1", depends_on=["g0"])], f"{AT}[0].depends_on[0]", "not in this path"),
        ([gold("g1", depends_on=["g1"])], f"{AT}[0].depends_on[0]", "itself"),
        ([gold("g1", depends_on=["g2"]), gold("g2")], f"{AT}[0].depends_on[0]", "comes later"),
        ([{"id": "u", **USER}, gold("g1", depends_on=["u"])], f"{AT}[1].depends_on[0]", "user turn"),
        ([gold("g1", group="q"), gold("g2", group="q", depends_on=["g1"])], f"{AT}[1].depends_on[0]", "same group"),
        ([gold("g1"), gold("g2", depends_on=[{"turn": "g1", "kind": "x"}])], f"{AT}[1].depends_on[0].kind", "one of"),
        ([gold("g1", params={"k": {"value": 1, "from": ["g9"]}})], f"{AT}[0].params.k.from[0]", "not in this path"),
        ([reply("g1", "x", {"text": "a", "from": ["g9"]})], f"{AT}[0].claims[0].from[0]", "not in this path"),
        (
            [gold("g1", params={"k": {"ref": {"turn": "g9", "path": "$"}}})],
            f"{AT}[0].params.k.ref.turn",
            "not in this path",
        ),
        (
            [gold("g1"), gold("g2", params={"k": {"ref": {"turn": "g1", "path": "$"}, "compare": "text"}})],
            f"{AT}[1].params.k.compare",
            "beside a ref",
        ),
        (
            [gold("g1"), gold("g2", params={"k": {"ref": {"turn": "g1", "path": "$.a[x]"}}})],
            f"{AT}[1].params.k.ref.path",
            "malformed path",
        ),
        ([reply("g1", "x", {"id": "a", "text": "a"}, {"id": "a", "text": "b"})], f"{AT}[0].claims[1].id", "used twice"),
        ([reply("g1", "x", {"id": "claim2", "text": "a"}, {"text": "b"})], f"{AT}[0].claims[1].id", "used twice"),
        ([reply("g1", "x", {})], f"{AT}[0].claims[0].text", "must be a text"),
        ([reply("g1", "x", {"text": "a", "contains": [None]})], f"{AT}[0].claims[0].contains[0]", "text or a number"),
    ],
)
def test_goldens_that_are_refused(turns: list[Any], path: str | None, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_golden(golden(*turns))
    assert reason in caught.value.reason
    if path is not None:
        assert caught.value.path == path
        assert str(caught.value) == f"{path}: {caught.value.reason}"


@pytest.mark.parametrize(
    ("more", "path", "reason"),
    [
        ({"paths": []}, "golden.paths", "at least one"),
        ({"paths": None}, "golden.paths", "must be a list"),
        ({"paths": [{"id": "a", "turns": [gold("g")]}] * 2}, "golden.paths[1].id", "used twice"),
        ({"paths": [{"turns": [gold("g")]}] * 2}, "golden.paths[0].id", "must be a text"),
        ({"forbidden": [{}]}, "golden.forbidden[0].tool", "must be a text"),
        (
            {"forbidden": [{"tool": "a", "params": {"k": {"ref": {"turn": "g1", "path": "$"}}}}]},
            "golden.forbidden[0].params.k",
            "belongs to no path",
        ),
        ({"outcome": [{"kind": "smiled"}]}, "golden.outcome[0].kind", "unknown kind"),
        ({"outcome": [{"kind": "called", "tool": "a", "times": 1.5}]}, "golden.outcome[0].times", "whole number"),
        ({"outcome": [{"kind": "state", "path": "a"}]}, "golden.outcome[0].path", "starts with $"),
        ({"outcome": [{"kind": "statement"}]}, "golden.outcome[0].text", "must be a text"),
        (
            {"outcome": [{"kind": "statement", "text": "a", "id": "outcome2"}, {"kind": "statement", "text": "b"}]},
            "golden.outcome[1].id",
            "used twice",
        ),
    ],
)
def test_goldens_refused_as_a_whole(more: dict[str, Any], path: str, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_golden({**golden(gold("g1")), **more})
    assert (caught.value.path, reason in caught.value.reason) == (path, True)


@pytest.mark.parametrize(
    ("turns", "path"),
    [
        ([5], "trajectory.turns[0]"),
        ([{"note": 1}], "trajectory.turns[0]"),
        ([{"user": "a", "tool": "b"}], "trajectory.turns[0]"),
        ([{"response": None}], "trajectory.turns[0].response"),
        ([{"tool": None}], "trajectory.turns[0].tool"),
        ([{"tool": "a", "action": 5}], "trajectory.turns[0].action"),
        ([call("a", {"k": math.nan})], "trajectory.turns[0].args.k"),
        ([call("a", {"a b": [math.nan]})], 'trajectory.turns[0].args["a b"][0]'),
        ([call(result={"k": [1, {"m": -math.inf}]})], "trajectory.turns[0].result.k[1].m"),
        ([call(result={1: 2})], "trajectory.turns[0].result"),
        ([call(error={"a": math.nan})], "trajectory.turns[0].error.a"),
    ],
)
def test_trajectories_that_are_refused(turns: list[Any], path: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_trajectory({"turns": turns})
    assert caught.value.path == path


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    endless["b"] = endless
    with pytest.raises(RecordError, match="levels deep"):
        parse_trajectory({"turns": [call(result=endless)]})


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        (5, "policy"),
        ({"scorer": "magic"}, "policy.scorer"),
        ({"threshold": 1.1}, "policy.threshold"),
        ({"margin": -0.1}, "policy.margin"),
        ({"alignment": "guess"}, "policy.alignment"),
        ({"taint": "no"}, "policy.taint"),
        ({"composition": {"rule": "mean"}}, "policy.composition.rule"),
        ({"composition": {"cap": 2}}, "policy.composition.cap"),
        ({"params": {"t": {"k": {"compare": "x"}}}}, "policy.params.t.k.compare"),
        ({"params": {"t": {"k": {"threshold": "x"}}}}, "policy.params.t.k.threshold"),
        ({"params": {"t": 5}}, "policy.params.t"),
    ],
)
def test_policies_that_are_refused(policy: Any, path: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_policy(policy)
    assert caught.value.path == path


def test_a_record_leaves_to_the_run_what_it_does_not_say() -> None:
    base = parse_policy({"taint": False, "margin": 0.2, "composition": {"rule": "gated", "cap": 0.5}})
    made = parse_policy(
        {"margin": 0.3, "composition": {"cap": 0.1}, "params": {"t": {"k": {"threshold": 0.9}}}}, base=base
    )
    assert (made.taint, made.composition.rule, float(made.composition.cap), float(made.margin)) == (
        False,
        "gated",
        0.1,
        0.3,
    )
    assert parse_policy(None, base=base) is base
    assert parse_policy({}, base=made).params["t"]["k"].threshold == made.params["t"]["k"].threshold
    assert parse_policy({}).taint is True


@pytest.mark.parametrize(
    ("record", "path"),
    [
        ({}, "format"),
        ({"format": "aem/2"}, "format"),
        ({"format": "aem/1"}, "golden"),
        ({"format": "aem/1", "id": 1.5, "golden": {}}, "id"),
        ({"format": "aem/1", "golden": golden(gold("g1")), "tools": {"a": {"effect": "maybe"}}}, "tools.a.effect"),
        ({"format": "aem/1", "golden": golden(gold("g1"))}, "trajectory"),
        ([], ""),
        ("x", ""),
        (None, ""),
    ],
)
def test_records_that_are_refused(record: Any, path: str) -> None:
    with pytest.raises(RecordError) as caught:
        score_record(record)
    assert caught.value.path == path


def test_defaults() -> None:
    record = parse_record({"format": "aem/1", "id": 7, "golden": golden(gold("g1"), reply("g2", "x", {"text": "a"}))})
    turn, answer = record.golden.paths[0].turns
    assert (record.id, record.trajectory, record.tools) == (7, None, {})
    assert [turn.allows_extra, turn.optional, turn.critical] == [False] * 3
    assert (turn.weight, turn.depends_on) == (Fraction(1), None)
    assert [claim.id for claim in answer.claims] == ["claim1"]
    assert answer.claims[0].required
    assert parse_tools({"a": {"effect": "write"}})["a"].effect == "write"


def test_json_in_texts_is_read_and_other_shapes_are_shown() -> None:
    turns = [
        call("a", '{"k": 0.10}', result="[1]"),
        call("a", "k=1", result="{broken"),
        call("a", None),
        call("a", [1]),
    ]
    first, second, third, fourth = parse_trajectory({"turns": turns}).turns
    assert (first.args, first.result, first.unreadable) == ({"k": Decimal("0.10")}, [1], None)
    assert (second.args, second.result, second.unreadable) == ({}, "{broken", "k=1")
    assert (third.args, third.unreadable) == ({}, None)
    assert (fourth.args, fourth.unreadable) == ({}, [1])


@pytest.mark.parametrize(
    ("error", "counts"),
    [(True, True), (False, False), ("", False), ("no", True), (None, False), ({}, False), ([0], True)],
)
def test_what_counts_as_an_error(error: Any, counts: bool) -> None:
    assert parse_trajectory({"turns": [call(error=error)]}).turns[0].error is counts


@pytest.mark.parametrize(
    ("dialog", "path"),
    [
        ([], ""),
        ([5], "[0]"),
        ([{"turn_no": "1"}], "[0].turn_no"),
        ([{"turn_no": 1, "turn": "Robot", "gold_turn": {}}], "[0].turn"),
        ([{"turn_no": 1, "turn": "Agent"}], "[0].gold_turn"),
        ([{"turn_no": 1, "turn": "Agent", "gold_turn": {}}], "[0].gold_turn.response"),
        ([{"turn_no": 1, "turn": "Tool", "gold_turn": {"args": {}}}], "[0].gold_turn.tool_id"),
        ([{"turn_no": 1, "turn": "Tool", "gold_turn": {"tool_id": "a", "args": 5}}], "[0].gold_turn.args"),
        ([{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}}] * 2, "[1].turn_no"),
        ([{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}, "depends_on": [2]}], "[0].depends_on[0]"),
        ([{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}, "tags": [5]}], "[0].tags[0]"),
        ([{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}, "predict_turn": 5}], "[0].predict_turn"),
        (
            [{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}, "predict_turn": {"x": 5}}],
            "[0].predict_turn",
        ),
    ],
)
def test_dialogs_that_are_refused(dialog: list[Any], path: str) -> None:
    with pytest.raises(RecordError) as caught:
        record_from_native(dialog)
    assert caught.value.path == path


def test_a_dialog_becomes_a_record() -> None:
    dialog = [
        {"turn_no": 3, "turn": "Agent", "gold_turn": {"response": "Hi"}},
        {
            "turn_no": 5,
            "turn": "Tool",
            "gold_turn": {"tool_id": "a", "action": "Get", "args": {"k": None}},
            "predict_turn": {"tool_id": "a", "action": "Get", "args": {"k": 1}, "result": {"v": 1}},
            "error": "late",
            "tags": ["x", "OrderInvariant_q", "OrderInvariant_r"],
            "depends_on": [3],
        },
    ]
    record = record_from_native(dialog)
    first, second = record["golden"]["paths"][0]["turns"]
    assert record["policy"] == {"alignment": "given"}
    assert (first["id"], record["golden"]["paths"][0]["id"]) == ("g3", "main")
    assert second["params"] == {"k": {"value": None}}
    assert (second["group"], second["depends_on"]) == ("q", ["g3"])
    assert record["trajectory"]["turns"][0] == {}
    assert record["trajectory"]["turns"][1]["error"] == "late"
    assert is_native_dialog(dialog)
    assert not is_native_dialog([{"format": "aem/1"}])
    assert not is_native_dialog([])


KEYS = [
    "id",
    "user",
    "response",
    "tool",
    "params",
    "value",
    "values",
    "ref",
    "turn",
    "path",
    "claims",
    "text",
    "depends_on",
    "from",
    "compare",
    "as",
    "group",
    "weight",
    "contains",
    "args",
    "result",
    "kind",
    "turns",
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.decimals(),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            parts,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANYTHING)
@settings(max_examples=200)
def test_bad_input_raises_record_errors_and_nothing_else(value: Any) -> None:
    inputs: list[Callable[[], object]] = [
        lambda: parse_golden(value),
        lambda: parse_golden({"paths": [{"id": "a", "turns": [value]}]}),
        lambda: parse_golden({"paths": [{"id": "a", "turns": [{"id": "g", "tool": "t", "params": {"k": value}}]}]}),
        lambda: parse_golden({"paths": [{"id": "a", "turns": [{"id": "g", "response": "t", "claims": [value]}]}]}),
        lambda: parse_golden({**golden(gold("g")), "forbidden": [value], "outcome": [value]}),
        lambda: parse_trajectory({"turns": [value], "final_state": value}),
        lambda: parse_trajectory({"turns": [{"tool": "t", "args": value, "result": value, "error": value}]}),
        lambda: parse_policy(value),
        lambda: parse_tools({"a": value}),
        lambda: score_record(value),
        lambda: record_from_native([value]),
    ]
    for read in inputs:
        with suppress(RecordError):
            read()
