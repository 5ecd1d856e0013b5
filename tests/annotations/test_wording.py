"""Differences of goldens in words: what each kind of change says, and that none is passed over."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.sentences import text_of
from annotations.wording import golden_changes, turn_changes
from evaluation.formats import jsonio
from tests.factories import report_golden

CALL: dict[str, Any] = {
    "id": "g2",
    "tool": "reports",
    "params": {"region": {"values": ["EU"]}, "limit": {"value": 10, "required": False}},
}
REPLY: dict[str, Any] = {
    "id": "g3",
    "response": "Revenue was 120 million.",
    "claims": [{"id": "c1", "text": "Revenue was 120 million", "contains": ["120"]}],
}


def said(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    names = {"g1": "turn 1", "g2": "turn 2"}
    return [text_of(sentence) for sentence in turn_changes(before, after, names, names)]


def with_param(name: str, param: Any) -> dict[str, Any]:
    return {**CALL, "params": {**CALL["params"], name: param}}


@pytest.mark.parametrize(
    ("after", "sentences"),
    [
        (with_param("region", {"values": ["EU", "European Union"]}), ["region now also accepts European Union."]),
        (with_param("region", {"values": ["Asia"]}), ["region must now be Asia, no longer EU."]),
        (with_param("region", {"values": ["EU"], "required": False}), ["region may now be left out."]),
        (with_param("limit", {"value": 10}), ["limit must now be given."]),
        (with_param("limit", {"value": "10", "required": False}), ["limit must now be the text “10”, no longer 10."]),
        (
            with_param("region", {"ref": {"turn": "g1", "path": "$.region"}}),
            ["region now is what turn 1 returned as region; before: is EU."],
        ),
        (with_param("region", {"values": ["EU"], "from": ["g1"]}), ["region is now said to come from turn 1."]),
        (with_param("region", {"values": ["EU"], "threshold": 0.8}), ["region: threshold is now 0.8."]),
        (with_param("year", {"value": 2026}), ["year is now asked for: is 2026."]),
        ({**CALL, "params": {"region": {"values": ["EU"]}}}, ["limit is no longer expected."]),
        ({**CALL, "tool": "sales"}, ["Now sales is to be called, no longer reports."]),
        ({**CALL, "optional": True}, ["The whole step may now be left out."]),
        ({**CALL, "group": "A"}, ["Its order is now free among its neighbours of group A."]),
        (
            {**CALL, "depends_on": [{"turn": "g1", "kind": "data"}]},
            ["It now depends on turn 1 (uses its result)."],
        ),
        ({**CALL, "extra": "allow"}, ["Other keys are now allowed; before not allowed."]),
        ({**CALL, "weight": 2}, ["Its weight is now 2, no longer 1."]),
        ({**CALL, "note": "x"}, ["note is now x."]),
    ],
)
def test_a_call(after: dict[str, Any], sentences: list[str]) -> None:
    assert said(CALL, after) == sentences
    assert said(after, CALL) != []


@pytest.mark.parametrize(
    ("after", "sentences"),
    [
        (
            {**REPLY, "response": "It was 120 million."},
            ["The expected reply is now: [-Revenue-]{+It+} was 120 million."],
        ),
        ({**REPLY, "claims": []}, ["The reply need no longer say “Revenue was 120 million”."]),
        (
            {**REPLY, "claims": [*REPLY["claims"], {"id": "c2", "text": "It grew", "required": False}]},
            ["The reply need not say, but may: “It grew”."],
        ),
        (
            {**REPLY, "claims": [{**REPLY["claims"][0], "contains": ["120", "million"], "required": False}]},
            [
                "The claim “Revenue was 120 million” need not be said any more.",
                "The claim “Revenue was 120 million” must now hold million.",
            ],
        ),
    ],
)
def test_a_reply(after: dict[str, Any], sentences: list[str]) -> None:
    assert said(REPLY, after) == sentences


def test_a_whole_golden() -> None:
    before = {"golden": report_golden(), "policy": {}}
    after = copy.deepcopy(before)
    golden = after["golden"]
    turns = golden["paths"][0]["turns"]
    gone = next(turn for turn in turns if "user" not in turn)
    turns.remove(gone)
    turns.append({"id": "g9", "response": "Bye."})
    golden["forbidden"] = [{"tool": "mail"}]
    golden["outcome"] = [{"kind": "said", "contains": ["120"]}]
    golden["paths"].append({"id": "short", "turns": [{"id": "g1", "response": "No."}]})
    after["policy"] = {"threshold": 0.7}
    changes = golden_changes(before, after)
    assert next(iter(changes.turns)).state == "removed"
    assert changes.turns[-1].texts == ["New. Passes if the reply says the same as the expected one, as a whole."]
    assert changes.whole_texts == [
        "There is another accepted way, short.",
        "New: The run fails if mail is called.",
        "New: In the end some reply has said the text “120”.",
        "How it is compared: Threshold is now 0.7.",
    ]
    assert not golden_changes(before, copy.deepcopy(before))
    assert not golden_changes({"golden": {"x": 1}}, {"golden": {"x": 1}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=4,
)
PARAM = st.fixed_dictionaries(
    {},
    optional={
        "value": JSON,
        "values": st.lists(JSON, max_size=3) | JSON,
        "required": st.booleans(),
        "from": st.lists(st.sampled_from(["g1", "g2"]), max_size=2) | JSON,
        "ref": st.fixed_dictionaries({"turn": st.sampled_from(["g1", "g2"]), "path": st.just("$.a")}) | JSON,
        "compare": st.sampled_from(["literal", "any"]) | JSON,
        "odd": JSON,
    },
)
CLAIM = st.fixed_dictionaries({}, optional={"id": JSON, "text": JSON, "contains": JSON, "excludes": JSON, "from": JSON})
TURN = st.fixed_dictionaries(
    {"id": st.sampled_from(["g1", "g2", "g3"])},
    optional={
        "tool": st.sampled_from(["s", "t"]) | JSON,
        "action": JSON,
        "response": JSON,
        "user": JSON,
        "params": st.dictionaries(st.sampled_from("xyz"), PARAM | JSON, max_size=3) | JSON,
        "claims": st.lists(CLAIM | JSON, max_size=3) | JSON,
        "depends_on": JSON,
        "group": JSON,
        "optional": JSON,
        "weight": JSON,
        "extra": JSON,
        "allowed_extra": JSON,
        "odd": JSON,
    },
)
BODY = st.fixed_dictionaries(
    {
        "golden": st.fixed_dictionaries(
            {
                "paths": st.lists(
                    st.fixed_dictionaries({"id": st.sampled_from(["m", "n"]), "turns": st.lists(TURN, max_size=3)}),
                    max_size=2,
                )
            },
            optional={"forbidden": JSON, "outcome": JSON, "odd": JSON},
        )
    },
    optional={"policy": JSON, "odd": JSON},
)


@settings(max_examples=60, deadline=None)
@given(BODY, BODY)
def test_every_difference_has_a_sentence_and_no_other(before: Any, after: Any) -> None:
    is_same = jsonio.canonical(before) == jsonio.canonical(after)
    changes = golden_changes(before, after)
    assert bool(changes) is not is_same
    assert all(text for turn in changes.turns for text in turn.texts)


@settings(max_examples=60, deadline=None)
@given(TURN, TURN)
def test_every_difference_of_a_turn_has_a_sentence(before: Any, after: Any) -> None:
    assert bool(turn_changes(before, after)) is (jsonio.canonical(before) != jsonio.canonical(after))


LONG = "An address that is so long that it is shortened wherever it is shown, in the street of the long names, number "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (with_param("region", {"value": f"{LONG}1"}), with_param("region", {"value": f"{LONG}2"})),
        (with_param("region", {"value": [1]}), with_param("region", {"value": "[1]"})),
        (with_param("region", {"value": {}}), with_param("region", {"value": "{}"})),
        (
            {**REPLY, "claims": [{"id": "c1", "text": f"{LONG}1"}]},
            {**REPLY, "claims": [{"id": "c1", "text": f"{LONG}2"}]},
        ),
        ({**CALL, "note": f"{LONG}1"}, {**CALL, "note": f"{LONG}2"}),
    ],
)
def test_both_sides_of_a_change_are_told_apart(before: dict[str, Any], after: dict[str, Any]) -> None:
    (sentence,) = said(before, after)
    then, now = said(after, before)[0], sentence
    assert then != now
