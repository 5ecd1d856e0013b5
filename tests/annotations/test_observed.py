"""Recorded turns made ready to be read: folded where long, cut nowhere, odd shapes shown."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.observed import digest_of, messages_of, part_text, same_value
from annotations.tool_schemas import fields_of


def test_turns_are_numbered_without_user_turns() -> None:
    turns = [{"user": "a"}, {"response": "b"}, {"tool": "t"}, {}]
    assert [(m.kind, m.turn_no) for m in messages_of(turns)] == [
        ("user", None),
        ("response", 1),
        ("action", 2),
        ("nothing", 3),
    ]


@pytest.mark.parametrize(("arguments", "shown"), [("SELECT 1", "SELECT 1"), ('{"a":', '{"a":'), (None, "null")])
def test_arguments_that_are_no_object_are_text_with_a_note(arguments: Any, shown: str) -> None:
    (message,) = messages_of([{"tool": "t", "args": arguments}])
    assert message.arguments == ()
    assert [(piece.note, piece.text) for piece in message.pieces] == [("not an object", shown)]


def test_text_that_holds_an_object_is_read_as_arguments() -> None:
    (message,) = messages_of([{"tool": "t", "args": '{"id": 107505301260286111, "sum": 0.10}'}])
    assert [(a.name, a.text) for a in message.arguments] == [("id", "107505301260286111"), ("sum", "0.10")]


def test_long_parts_are_folded_and_opened_whole() -> None:
    turn = {"tool": "t", "result": "x" * 5000}
    (piece,) = messages_of([turn])[0].pieces
    assert piece.is_folded
    assert piece.length == 5000
    assert part_text(turn, "result") == "x" * 5000
    assert part_text(turn, "password") is None


def test_many_short_parts_are_folded_once_the_page_is_full() -> None:
    messages = messages_of([{"tool": "t", "result": "x" * 590} for _ in range(1000)])
    assert not messages[0].pieces[0].is_folded
    assert messages[-1].pieces[0].is_folded


def test_fields_of_results_have_paths_that_the_engine_reads() -> None:
    digest = digest_of([{"tool": "t", "result": {"a": [{"b c": 1}], "x.y": 2, "z": "w" * 999}}])
    assert [(field.path, field.value) for field in digest.fields[0]] == [("$.a[0].b c", 1), ('$["x.y"]', 2)]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("D7", "D7", True), ("", "", False), (3, 3, False), (120, 120, True), (True, True, False), ("a", 1, False)],
)
def test_a_value_is_traced_only_where_it_says_something(one: Any, other: Any, is_same: bool) -> None:
    assert same_value(one, other) is is_same


def test_schemas_are_found_where_function_calling_formats_put_them() -> None:
    properties = {"a": {"type": ["integer", "null"], "enum": [1, 2]}, "b": "odd"}
    inner = {"properties": properties, "required": ["a"]}
    for schema in (inner, {"parameters": inner}, {"function": {"parameters": inner}}):
        first, second = fields_of(schema)
        assert (first.kind, first.is_required, first.choices) == ("number", True, ("1", "2"))
        assert (second.kind, second.is_required) == ("text", False)
    odd: Any
    for odd in (None, [], {"properties": 3}, {"parameters": None}):
        assert fields_of(odd) == ()


def test_a_short_result_of_named_values_is_read_without_braces() -> None:
    flat = {"tool": "t", "result": '{"covered": true, "deductible": 500.50, "id": "C-1"}'}
    nested = {"tool": "t", "result": {"rows": [1]}}
    failed = {"tool": "t", "result": "unknown", "error": True}
    one, other, third = messages_of([flat, nested, failed])
    assert [(field.name, field.text) for field in one.pieces[0].fields] == [
        ("covered", "true"),
        ("deductible", "500.50"),
        ("id", "C-1"),
    ]
    assert other.pieces[0].fields == ()
    assert other.pieces[0].text == '{"rows": [1]}'
    assert third.pieces[1].text == "The call returned an error."
