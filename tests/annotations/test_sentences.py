"""What the system understood, in plain words."""

from __future__ import annotations

import doctest
from decimal import Decimal
from typing import Any

import pytest

from annotations import sentences, tool_schemas
from annotations.sentences import fields_of, forbidden_sentence, outcome_sentence, text_of, turn_sentence, value_words


def said(body: dict[str, Any], turns: dict[str, str] | None = None) -> str:
    return text_of(turn_sentence(body, turns))


def call(**param: Any) -> str:
    return said({"tool": "t", "params": {"x": param}}, {"g2": "turn 2"})


def test_examples_hold() -> None:
    for module in (sentences, tool_schemas):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("param", "words"),
    [
        ({"value": "EU"}, "x is EU;"),
        ({"value": "1"}, "x is the text “1”;"),
        ({"value": 1}, "x is 1;"),
        ({"value": Decimal("0.10")}, "x is 0.10;"),
        ({"value": 107505301260286111}, "x is 107505301260286111;"),
        ({"value": True}, "x is yes;"),
        ({"value": None}, "x is nothing (null);"),
        ({"value": ""}, "x is the text “”;"),
        ({"value": "yes"}, "x is the text “yes”;"),
        ({"values": ["a", "b", "c"]}, "x is a, b or c;"),
        ({"compare": "any"}, "x is given, with any value but null;"),
        ({"value": "a", "compare": "literal"}, "x is exactly a;"),
        ({"value": 10, "compare": {"as": "number", "abs": Decimal("0.5")}}, "x is 10, give or take 0.5;"),
        ({"value": 10, "compare": {"as": "number", "rel": Decimal("0.01")}}, "x is 10, give or take 1 %;"),
        ({"value": ["a", "b"], "compare": "set"}, 'x holds the same as ["a", "b"], in any order;'),
        ({"value": "^D", "compare": "regex"}, "x matches the pattern ^D;"),
        ({"ref": {"turn": "g2", "path": "$.id"}}, "x is what turn 2 returned as id;"),
        ({"value": "D7", "from": ["g2"]}, "x is D7 (it comes from turn 2);"),
        ({"value": 5, "required": False}, "; x may be left out, else it is 5;"),
    ],
)
def test_a_parameter(param: dict[str, Any], words: str) -> None:
    assert words in call(**param)


def test_other_keys() -> None:
    assert said({"tool": "t"}) == "Passes if t is called; other keys are not allowed."
    assert said({"tool": "t", "extra": "allow"}) == "Passes if t is called; other keys are allowed."
    assert "of other keys only a and b may be given" in said({"tool": "t", "allowed_extra": ["a", "b"]})


def test_a_reply() -> None:
    assert said({"response": "Hello"}) == "Passes if the reply says the same as the expected one, as a whole."
    claims = [{"text": "it is 120", "contains": ["120"], "excludes": ["80"]}, {"text": "bye", "required": False}]
    words = said({"response": "", "claims": claims})
    assert words == "Passes if the reply contains the text “120” but not the text “80”; it need not say “bye”."


def test_a_step() -> None:
    words = said(
        {"tool": "t", "optional": True, "group": "A", "depends_on": [{"turn": "g2", "kind": "data"}], "weight": 2},
        {"g2": "turn 2"},
    )
    assert "The whole step may be left out." in words
    assert "Its order is free among its neighbours of group A." in words
    assert "It depends on turn 2 (uses its result)." in words
    assert "It depends on no earlier turn." in said({"tool": "t", "depends_on": []})


def test_forbidden_and_outcome() -> None:
    assert text_of(forbidden_sentence({"tool": "mail"})) == "The run fails if mail is called."
    assert text_of(outcome_sentence({"kind": "called", "tool": "t", "times": 2})).endswith(
        "t was called exactly 2 times without error."
    )
    assert text_of(outcome_sentence({"kind": "state", "path": "$.a", "value": 1})) == "In the final state a is 1."
    assert text_of(outcome_sentence({"kind": "not_said", "contains": ["a", "b"]})).endswith("has said a or b.")


def test_two_versions_have_the_same_labels_for_the_same_fields() -> None:
    mine = fields_of({"tool": "t", "params": {"x": {"value": 1}}})
    theirs = fields_of({"tool": "t", "params": {"x": {"value": 2}}, "optional": True})
    assert {label for label in mine if mine[label] != theirs[label]} == {"parameter x", "step"}


def test_a_long_value_is_shortened_only_here() -> None:
    assert len(value_words("x" * 1000)) == 80
