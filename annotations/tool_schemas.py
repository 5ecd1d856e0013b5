"""What a tool's JSON Schema says about its parameters, as far as a form can use it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.aem.language import mark, say
from evaluation.formats import jsonio

_KINDS = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "bool",
    "array": "json",
    "object": "json",
}
_WORDS = {
    "text": mark("text"),
    "number": mark("number"),
    "bool": mark("yes or no"),
    "json": mark("list or object"),
    "null": mark("nothing"),
}
_EFFECT_WORDS = {"read": mark("looks something up"), "write": mark("changes something")}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One parameter of a tool."""

    name: str
    kind: str
    is_required: bool
    description: str
    choices: tuple[str, ...]
    #: The choices as values, and whether the schema says a type at all.
    options: tuple[Any, ...] = ()
    is_typed: bool = False

    @property
    def words(self) -> str:
        """What is known of it in a few words."""
        kind = say(_WORDS[self.kind]) if self.kind in _WORDS else self.kind
        return say("{type}, required", type=kind) if self.is_required else say("{type}, optional", type=kind)


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as people read it."""

    name: str
    effect: str
    description: str
    fields: tuple[SchemaField, ...]

    @property
    def effect_words(self) -> str:
        return effect_words(self.effect)


def effect_words(effect: str) -> str:
    """What a tool does, in words; empty where that is not known."""
    return say(_EFFECT_WORDS[effect]) if effect in _EFFECT_WORDS else ""


def describe(name: str, tool: Any) -> ToolDescription:
    """A tool of a tool set; whatever is not there or not readable is left empty."""
    tool = tool if isinstance(tool, Mapping) else {}
    schema = tool.get("schema")
    schema = schema if isinstance(schema, Mapping) else {}
    text = tool.get("description") or schema.get("description") or ""
    return ToolDescription(str(name), str(tool.get("effect") or ""), str(text), fields_of(schema))


def describe_all(tools: Any) -> list[ToolDescription]:
    return [describe(name, tool) for name, tool in tools.items()] if isinstance(tools, Mapping) else []


def fields_of(schema: Any) -> tuple[SchemaField, ...]:
    """The properties of a schema, which may stand under ``parameters`` as in function-calling formats.

    >>> fields_of({"properties": {"limit": {"type": "integer"}}})[0].words
    'number, optional'
    """
    schema = object_schema(schema)
    if schema is None:
        return ()
    required = _list(schema.get("required"))
    return tuple(
        SchemaField(
            name=str(name),
            kind=_kind(prop),
            is_required=name in required,
            description=str(prop.get("description") or ""),
            choices=tuple(
                value if isinstance(value, str) else jsonio.dumps(value) for value in _list(prop.get("enum"))
            ),
            options=tuple(_list(prop.get("enum"))),
            is_typed="type" in prop,
        )
        for name, prop in ((n, p if isinstance(p, Mapping) else {}) for n, p in schema["properties"].items())
    )


def object_schema(schema: Any) -> Mapping[str, Any] | None:
    """The schema of the arguments, out of the layers that function-calling formats put around it; None without one."""
    while isinstance(schema, Mapping) and "properties" not in schema:
        inner = schema.get("parameters", schema.get("function", schema.get("input_schema")))
        if inner is schema or inner is None:
            return None
        schema = inner
    return schema if isinstance(schema, Mapping) and isinstance(schema["properties"], Mapping) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _kind(prop: Mapping[str, Any]) -> str:
    kind = prop.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), None)
    return _KINDS.get(str(kind), "text")
