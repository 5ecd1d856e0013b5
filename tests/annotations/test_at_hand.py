"""Tools and tasks in words."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.at_hand import task_facts, tool_words

SCHEMA = {
    "type": "object",
    "required": ["region", "address"],
    "properties": {
        "region": {"type": "string", "enum": ["EU", "US"], "description": "Where"},
        "limit": {"type": "integer", "minimum": 1, "default": 10},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "when": {"type": "string", "format": "date"},
        "either": {"type": ["integer", "null"]},
        "any_of": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        "address": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        "draft": {"type": "boolean"},
    },
}


class TestTools:
    def test_say_types_requirement_and_choices_in_words(self) -> None:
        (tool,) = tool_words({"orders": {"effect": "write", "description": "Place an order.", "schema": SCHEMA}})
        assert (tool.effect_words, tool.description) == ("changes something", "Place an order.")
        words = {param.name: (param.type_words, param.is_required) for param in tool.params}
        assert words == {
            "region": ("text", True),
            "limit": ("whole number, at least 1, 10 if left out", False),
            "tags": ("list of texts", False),
            "when": ("text: a date", False),
            "either": ("whole number or nothing", False),
            "any_of": ("text or number", False),
            "address": ("object", True),
            "address.city": ("text", True),
            "lines": ("list of objects", False),
            "lines[…].sku": ("text", False),
            "draft": ("yes or no", False),
        }
        choices = {param.name: param.choices for param in tool.params if param.choices}
        assert choices == {"region": ("EU", "US"), "tags": ("a", "b")}

    @pytest.mark.parametrize(
        "tools",
        [
            None,
            [],
            {"t": None},
            {"t": {"schema": 3}},
            {"t": {"schema": {"properties": [1]}}},
            {"t": {"schema": {"properties": {"a": 1}, "required": "a"}}},
            {"t": {"schema": {"properties": {"a": {"enum": 3, "items": 4, "type": 5, "anyOf": 6}}}}},
        ],
    )
    def test_that_cannot_be_read_are_left_empty(self, tools: Any) -> None:
        assert all(tool.name == "t" for tool in tool_words(tools))

    def test_a_schema_without_end_ends(self) -> None:
        schema: dict[str, Any] = {"properties": {}}
        schema["properties"]["again"] = schema
        (tool,) = tool_words({"t": {"schema": schema}})
        assert len(tool.params) == 5

    def test_a_schema_under_parameters_is_found(self) -> None:
        (tool,) = tool_words({"t": {"schema": {"function": {"parameters": SCHEMA}}}})
        assert tool.params[0].name == "region"


def test_a_task_is_told_by_paths_and_without_remarks() -> None:
    extra = {"meta": {"reward_basis": ["DB", "COMMUNICATE"]}, "n": None, "ok": True, "comments": [{"text": "secret"}]}
    assert task_facts(extra) == [("meta · reward basis", "DB, COMMUNICATE"), ("ok", "yes")]
    assert task_facts([1]) == []
