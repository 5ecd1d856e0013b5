"""What an annotator wants at hand beside the conversation, in words: the tools, and what is known of the task. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.sentences import any_of
from annotations.tool_schemas import effect_words
from evaluation.aem.language import mark, say, say_n
from evaluation.formats import jsonio

_ONE = {
    "string": mark("text"),
    "integer": mark("whole number"),
    "number": mark("number"),
    "boolean": mark("yes or no"),
    "null": mark("nothing"),
    "array": mark("array"),
    "object": mark("object"),
}
_LISTS = {
    "string": mark("list of texts"),
    "integer": mark("list of whole numbers"),
    "number": mark("list of numbers"),
    "boolean": mark("list of yes or no"),
    "object": mark("list of objects"),
}
_FORMATS = {
    "date": mark("a date"),
    "date-time": mark("a date and time"),
    "time": mark("a time"),
    "email": mark("an e-mail address"),
    "uri": mark("a link"),
}
#: Key of a schema → what it says, by its value in words and the number that this is, if it is one.
_LIMITS: Mapping[str, Callable[[str, int], str]] = {
    "minimum": lambda value, _: say("at least {value}", value=value),
    "exclusiveMinimum": lambda value, _: say("more than {value}", value=value),
    "maximum": lambda value, _: say("at most {value}", value=value),
    "exclusiveMaximum": lambda value, _: say("less than {value}", value=value),
    "minLength": lambda value, n: say_n("at least {value} character", "at least {value} characters", n, value=value),
    "maxLength": lambda value, n: say_n("at most {value} character", "at most {value} characters", n, value=value),
    "minItems": lambda value, n: say_n("at least {value} entry", "at least {value} entries", n, value=value),
    "maxItems": lambda value, n: say_n("at most {value} entry", "at most {value} entries", n, value=value),
    "pattern": lambda value, _: say("of the form {value}", value=value),
    "default": lambda value, _: say("{value} if left out", value=value),
}
_DEEPEST = 4
#: Keys of a conversation's own data that are shown elsewhere, or are others' words about it.
_NOT_TASK = frozenset({"comments"})


@dataclass(frozen=True, slots=True)
class ParamWords:
    """A parameter of a tool: ``name`` tells of which object it is a part, ``type_words`` what may be given."""

    name: str
    type_words: str
    is_required: bool
    description: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolWords:
    name: str
    effect: str
    effect_words: str
    description: str
    params: tuple[ParamWords, ...]


def tool_words(tools: Any) -> list[ToolWords]:
    """The tools of a tool set as people read them; what is not there or not readable is left empty."""
    return [_tool(str(name), tool) for name, tool in tools.items()] if isinstance(tools, Mapping) else []


def _tool(name: str, tool: Any) -> ToolWords:
    tool = tool if isinstance(tool, Mapping) else {}
    schema = _parameters(tool.get("schema"))
    inner = tool.get("schema")
    text = tool.get("description") or (inner.get("description") if isinstance(inner, Mapping) else "") or ""
    effect = str(tool.get("effect") or "")
    return ToolWords(name, effect, effect_words(effect), str(text), tuple(_params(schema, "", 0)))


def _parameters(schema: Any) -> Mapping[str, Any]:
    """The object schema of a tool, which may stand under ``parameters`` as in function-calling formats."""
    for _ in range(_DEEPEST):
        if not isinstance(schema, Mapping) or "properties" in schema:
            break
        schema = schema.get("parameters", schema.get("function", schema.get("input_schema")))
    return schema if isinstance(schema, Mapping) else {}


def _params(schema: Mapping[str, Any], above: str, depth: int) -> Iterator[ParamWords]:
    properties = schema.get("properties")
    required = schema.get("required")
    for name, prop in properties.items() if isinstance(properties, Mapping) else ():
        prop = prop if isinstance(prop, Mapping) else {}  # noqa: PLW2901 - anything else says nothing
        choices = prop.get("enum", _items(prop).get("enum"))
        if "const" in prop:
            choices = [prop["const"]]
        yield ParamWords(
            name=f"{above}{name}",
            type_words=_type_words(prop),
            is_required=isinstance(required, Sequence) and name in required,
            description=str(prop.get("description") or ""),
            choices=tuple(_plain(choice) for choice in choices) if isinstance(choices, list) else (),
        )
        if depth < _DEEPEST:
            yield from _params(prop, f"{above}{name}.", depth + 1)
            yield from _params(_items(prop), f"{above}{name}[…].", depth + 1)


def _type_words(prop: Mapping[str, Any]) -> str:
    """What may be given: "whole number, at least 1, 10 if left out".

    >>> _type_words({"type": "array", "items": {"type": "string"}, "minItems": 1})
    'list of texts, at least 1 entry'
    """
    parts = [_kind_words(prop)]
    for key, words in _LIMITS.items():
        if key in prop and not isinstance(prop[key], Mapping):
            parts.append(words(_plain(prop[key]), prop[key] if isinstance(prop[key], int) else 2))
    return ", ".join(part for part in parts if part)


def _kind_words(prop: Mapping[str, Any]) -> str:
    kind = prop.get("type")
    if isinstance(kind, list):
        return any_of([_one_words(one) for one in kind])
    if kind is None:
        several = [
            _kind_words(one) for one in _list(prop.get("anyOf") or prop.get("oneOf")) if isinstance(one, Mapping)
        ]
        return any_of(list(dict.fromkeys(word for word in several if word)))
    if kind == "array":
        inner = _items(prop).get("type")
        if not inner:
            return say("list")
        return say(_LISTS[str(inner)]) if str(inner) in _LISTS else say("list of values")
    if prop.get("format") in _FORMATS:
        return f"{_one_words(kind)}: {say(_FORMATS[prop['format']])}"
    return _one_words(kind)


def _one_words(kind: Any) -> str:
    return say(_ONE[str(kind)]) if str(kind) in _ONE else str(kind)


def _items(prop: Mapping[str, Any]) -> Mapping[str, Any]:
    items = prop.get("items")
    return items if isinstance(items, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    return value if isinstance(value, str) else jsonio.dumps(value)


# --- the task ---------------------------------------------------------------------------------------------------------


def task_facts(extra: Any) -> list[tuple[str, str]]:
    """What an import brought of the task beside goal and prompt, as label and words, nested data under its path.

    Remarks of other people are no part of it.

    >>> task_facts({"difficulty": "hard", "user": {"age": 31, "tags": ["a", "b"]}, "comments": ["secret"]})
    [('difficulty', 'hard'), ('user · age', '31'), ('user · tags', 'a, b')]
    """
    return list(_facts(extra, "", 0)) if isinstance(extra, Mapping) else []


def _facts(value: Any, label: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth < _DEEPEST:
        for key, part in value.items():
            if depth or key not in _NOT_TASK:
                name = str(key).replace("_", " ")
                yield from _facts(part, f"{label} · {name}" if label else name, depth + 1)
        return
    if isinstance(value, list) and not any(isinstance(part, Mapping | list) for part in value):
        words = ", ".join(_plain(part) for part in value)
    elif isinstance(value, list) and depth < _DEEPEST:
        for number, part in enumerate(value, start=1):
            yield from _facts(part, f"{label} · {number}", depth + 1)
        return
    else:
        words = "" if value is None else _plain(value)
    if words:
        yield label, words
