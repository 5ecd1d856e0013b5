"""What a tool's schema says of accepted values: every keyword in words, exact numbers, and no endless work."""

from __future__ import annotations

import time
from typing import Any

import pytest

from annotations.schema_checks import Hint, hints_of, known_values, rules_of
from evaluation.formats import jsonio


def against(schema: str, value: Any) -> list[str]:
    """The sentences on one value of a parameter with this schema; both as JSON where they are texts of it."""
    return rules_of({"t": {"schema": {"properties": {"p": jsonio.loads(schema)}}}}, "t").against_value("p", value)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ('{"type": "integer"}', "12", "the tool takes a whole number here, and this is text"),
        ('{"type": "integer"}', "1.5", "the tool takes a whole number here, and this is text"),
        ('{"type": ["string", "null"]}', 3, "the tool takes text or nothing (null) here, and this is a number"),
        ('{"type": "boolean"}', None, "the tool takes yes or no here, and this is nothing (null)"),
        ('{"enum": ["EU", "US"]}', "eu", "“eu” is not one of the tool's values: “EU”, “US”"),
        ('{"const": 5}', 6, "the tool takes only 5 here"),
        ('{"pattern": "^A-[0-9]+$"}', "B7", "it is not written as the tool asks for: ^A-[0-9]+$"),
        ('{"minimum": 1}', 0, "it must be at least 1"),
        ('{"maximum": 9}', 10, "it must be at most 9"),
        ('{"exclusiveMinimum": 1}', 1, "it must be more than 1"),
        ('{"exclusiveMaximum": 9}', 9, "it must be less than 9"),
        ('{"multipleOf": 5}', 7, "it must be a multiple of 5"),
        ('{"minLength": 3}', "ab", "it must have at least 3 characters, and has 2"),
        ('{"maxLength": 1}', "ab", "it must have at most 1 character, and has 2"),
        ('{"minItems": 1}', [], "the list must have at least 1 item, and has 0"),
        ('{"maxItems": 1}', [1, 2], "the list must have at most 1 item, and has 2"),
        ('{"uniqueItems": true}', [1, 1], "no item may stand in the list twice"),
        ('{"contains": {"const": 1}}', [2], "the list lacks an item that the tool asks for"),
        ('{"required": ["a", "b"]}', {"a": 1}, "b must be given too"),
        ('{"dependentRequired": {"a": ["b"]}}', {"a": 1}, "b must be given too"),
        ('{"properties": {"a": {}}, "additionalProperties": false}', {"z": 1}, "the tool knows no field z here"),
        ('{"minProperties": 1}', {}, "at least 1 field must be given"),
        ('{"maxProperties": 1}', {"a": 1, "b": 2}, "at most 1 field may be given"),
        ('{"not": {"const": 1}}', 1, "the tool does not take this"),
        (
            '{"anyOf": [{"type": "string"}, {"type": "null"}]}',
            1,
            "the tool takes text or nothing (null) here, and this",
        ),
        (
            '{"oneOf": [{"minimum": 1}, {"minimum": 2}]}',
            3,
            "it fits more than one of the forms that the tool tells apart",
        ),
        ('{"format": "date"}', "2026-02-30", "“2026-02-30” is not a date such as 2026-03-31"),
        ('{"format": "date-time"}', "2026-02-03 10:00", "is not a date with a time"),
        ('{"format": "email"}', "ana at example.org", "is not an e-mail address"),
        ('{"format": "uuid"}', "7", "is not a UUID"),
        ('{"format": "ipv4"}', "300.1.1.1", "is not an IPv4 address"),
        ('{"format": "uri"}', "example", "is not an address such as"),
        ('{"format": "duration"}', "3 days", "is not a duration such as P3D"),
        ('{"properties": {"b": {"items": {"type": "number"}}}}', {"b": [1, "x"]}, "b[1]: the tool takes a number here"),
    ],
)
def test_says_in_words_what_does_not_fit(schema: str, value: Any, said: str) -> None:
    found = against(schema, value)
    assert len(found) == 1
    assert said in found[0]
    assert "{" not in found[0]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ('{"type": "integer"}', jsonio.loads("2.0")),
        ('{"type": "integer"}', 107505301260286111),
        ('{"multipleOf": 0.1}', jsonio.loads("0.7")),
        ('{"minimum": 0.30}', jsonio.loads("0.3")),
        ('{"pattern": "b+"}', "abbc"),
        ('{"format": "date"}', "2024-02-29"),
        ('{"format": "date-time"}', "2026-02-03T10:00:00.5+01:00"),
        ('{"format": "time"}', "10:00:00Z"),
        ('{"format": "duration"}', "P1DT2H"),
        ('{"format": "email"}', "ana@example.org"),
        ('{"format": "uri"}', "https://example.org/a?b=c"),
        ('{"format": "unknown"}', "x"),
        ('{"format": "date"}', 5),
        ("true", "x"),
        ("{}", {"any": [1]}),
    ],
)
def test_is_silent_where_a_value_fits(schema: str, value: Any) -> None:
    assert against(schema, value) == []


TOOL = {
    "schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "to": {"$ref": "#/$defs/place"}, "n": {"type": "integer"}},
        "required": ["city", "n"],
        "dependentRequired": {"to": ["n"]},
        "$defs": {"place": {"type": "object", "properties": {"zip": {"maxLength": 5}}, "required": ["zip"]}},
    }
}


def hints(params: dict[str, Any], tool: Any = TOOL) -> list[tuple[str, int | None, str]]:
    return [(hint.param, hint.value, hint.sentence) for hint in hints_of({"t": tool}, {"tool": "t", "params": params})]


def test_a_call_is_held_against_names_requirements_and_definitions() -> None:
    found = hints({"city": {"value": "Lima", "required": False}, "to": {"values": [{"zip": "123456"}, {}]}, "x": {}})
    assert found == [
        ("city", None, "the tool requires it, and here it may be left out"),
        ("to", 0, "zip: it must have at most 5 characters, and has 6"),
        ("to", 1, "zip must be given too"),
        ("x", None, "the tool has no parameter of this name"),
        ("", None, "the tool requires n, which is not said here"),
    ]


def test_values_are_held_together_where_all_are_known() -> None:
    tool = {"schema": {"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}}
    assert hints({"a": {"value": 1}}, tool) == [("", None, "b must be given too")]
    assert hints({"a": {"ref": {"turn": "g1", "path": "$.x"}}}, tool) == []


def test_what_is_not_known_beforehand_is_left_alone() -> None:
    for param in (
        {"value": "x.*", "compare": "regex"},
        {"compare": {"as": "any"}},
        {"ref": {"turn": "g1", "path": "$"}},
    ):
        assert known_values(param) == []
        assert hints({"n": param, "city": {"value": "Lima"}}) == []


def test_a_tool_that_takes_other_fields_knows_every_name() -> None:
    assert hints({"x": {"value": 1}}, {"schema": {"properties": {}, "additionalProperties": True}}) == []


def test_an_unknown_tool_is_named_where_there_are_tools() -> None:
    assert hints_of({"t": TOOL}, {"tool": "u"}) == [Hint("", None, "the agent has no tool named u")]
    assert hints_of({}, {"tool": "u"}) == []
    assert hints_of({"t": TOOL}, {"response": "x"}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"p": {"type": "nonsense"}}},
        {"properties": {"p": {"pattern": "("}}},
        {"properties": {"p": {"minimum": "one"}}},
        {"properties": {"p": {}}, "patternProperties": {"(a+)+$": {}}},
        {"properties": {"p": {}}, "required": "p"},
    ],
)
def test_a_schema_that_cannot_be_read_says_so_and_nothing_else(schema: Any) -> None:
    rules = rules_of({"t": {"schema": schema}}, "t")
    assert rules.problem == "the tool's schema cannot be read, so nothing is checked against it"
    assert rules.against_value("p", "x") == []
    assert rules.against_name("unknown") == []


@pytest.mark.parametrize(
    "tools", [{"t": None}, {"t": {}}, {"t": {"schema": None}}, {"t": {"schema": [1]}}, [], None, 5]
)
def test_a_tool_without_a_schema_says_nothing(tools: Any) -> None:
    assert hints_of(tools, {"tool": "t", "params": {"p": {"value": 1}}}) == []


def test_no_network_is_asked_for_what_a_schema_names() -> None:
    assert against('{"$ref": "http://127.0.0.1:9/other.json"}', "x") == []


def doubling(levels: int) -> dict[str, Any]:
    """Definitions that each name the next one twice."""
    named: dict[str, Any] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(levels)
    }
    return {"properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": {**named, f"d{levels}": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (doubling(40), "x"),
        ({"properties": {"p": {"$ref": "#/properties/p"}}}, "x"),
        ({"properties": {"p": {"pattern": "(a+)+b"}}}, "a" * 5000),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"p": {"pattern": "(a+)+b$"}}},
            "a" * 5000,
        ),
        (
            {"properties": {"p": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(a+)+b$"}}},
            "a" * 5000,
        ),
    ],
)
def test_endless_work_is_given_up(schema: Any, value: Any) -> None:
    begun = time.perf_counter()
    rules_of({"t": {"schema": schema}}, "t").against_value("p", value)
    assert time.perf_counter() - begun < 3


def test_schemas_of_function_calling_formats_are_found_inside() -> None:
    inner = {"type": "object", "properties": {"p": {"type": "integer"}}}
    for schema in ({"parameters": inner}, {"function": {"parameters": inner}}, {"input_schema": inner}):
        assert hints_of({"t": {"schema": schema}}, {"tool": "t", "params": {"p": {"value": "x"}}})


def test_many_complaints_are_counted() -> None:
    schema = '{"items": {"type": "integer"}}'
    found = against(schema, ["a", "b", "c", "d", "e"])
    assert found[-1] == "and 2 more"
    assert len(found) == 4
