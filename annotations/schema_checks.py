"""What a tool's JSON Schema says against accepted values, in words. Hints only: nothing is refused for them. Pure.

Each accepted value is looked at by itself, against what the schema says of its parameter; a value that comes from an
earlier turn, a pattern and "any value" are not known beforehand and are left alone. A schema that cannot be read, or
asks for endless work, says nothing but that.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from annotations.sentences import any_of
from annotations.tool_schemas import object_schema
from evaluation.aem.errors import RecordError
from evaluation.aem.language import mark, say, say_n
from evaluation.aem.patterns import PatternError, pattern_of
from evaluation.formats import jsonio

#: A longer value is not held against a schema while somebody types.
LONGEST_VALUE = 20_000
#: References that one value may follow; a schema can be written so that they double at every step.
_MOST_REFERENCES = 2000
#: Names of fields may be so long where a schema has patterns for them, and take so many steps.
_LONGEST_NAME, _MOST_STEPS = 500, 2_000_000
_MOST_HINTS = 3
_MOST_CHOICES = 8
_LONGEST_SHOWN = 40

_TYPES = {
    "string": mark("text"),
    "integer": mark("a whole number"),
    "number": mark("a number"),
    "boolean": mark("yes or no"),
    "array": mark("a list"),
    "object": mark("an object"),
    "null": mark("nothing (null)"),
}


@dataclass(frozen=True, slots=True)
class Hint:
    """What speaks against one parameter, or one accepted value of it (counted from 0); without a name, the call."""

    param: str
    value: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What a tool takes. These are kept for long: what they say is put in words when it is asked for."""

    tool: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    is_known: bool = True
    is_readable: bool = True
    _validator: Any = None
    _takes_others: bool = False

    @property
    def problem(self) -> str:
        """Why nothing can be checked; empty where something can, or nothing is known."""
        if not self.is_known:
            return say("the agent has no tool named {tool}", tool=self.tool)
        if not self.is_readable:
            return say("the tool's schema cannot be read, so nothing is checked against it")
        return ""

    @property
    def has_schema(self) -> bool:
        return self._validator is not None

    def knows(self, name: str) -> bool:
        """Whether the tool takes a parameter of this name, as far as is known."""
        return not self.has_schema or self._takes_others or name in self.properties

    def against_name(self, name: str, *, is_required: bool = True) -> list[str]:
        """What speaks against a parameter, whatever its values are."""
        if not name or not self.has_schema:
            return []
        if not self.knows(name):
            return [say("the tool has no parameter of this name")]
        if name in self.required and not is_required:
            return [say("the tool requires it, and here it may be left out")]
        return []

    def missing(self, names: Mapping[str, Any] | set[str]) -> list[str]:
        """The parameters that the tool requires and that are not among these."""
        return [name for name in self.required if name not in names]

    def against_value(self, name: str, value: Any) -> list[str]:
        """What speaks against one accepted value; at most a few sentences."""
        if not self.has_schema or not isinstance(self.properties.get(name), Mapping | bool):
            return []
        return self._against(self.properties[name], value)

    def against_call(self, arguments: Mapping[str, Any]) -> list[str]:
        """What speaks against values together, where each of them is known; not what speaks against one alone."""
        schema = self._validator.schema if self.has_schema else {}
        together = {key: part for key, part in schema.items() if key in _TOGETHER}
        return self._against(together, dict(arguments)) if together else []

    def _against(self, schema: Any, value: Any) -> list[str]:
        if len(jsonio.dumps(value)) > LONGEST_VALUE:
            return []
        _followed.set(0)
        try:
            errors = list(self._validator.evolve(schema=schema).iter_errors(value))
            found = [_sentence(error) for error in sorted(errors, key=lambda error: [str(part) for part in error.path])]
        except (Unresolvable, _TooMuchError, RecursionError, RecordError, PatternError, ArithmeticError, re.error):
            return []
        found = list(dict.fromkeys(found))
        more = len(found) - _MOST_HINTS
        rest = [say_n("and {count} more", "and {count} more", more)] if more > 0 else []
        return [*found[:_MOST_HINTS], *rest]


_TOGETHER = frozenset(
    {
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "minProperties",
        "maxProperties",
    }
)


def rules_of(tools: Any, name: str) -> Rules:
    """The rules of one tool of a tool set. A tool that is not there says so, where there are tools at all."""
    if not isinstance(tools, Mapping) or not tools or not name:
        return Rules(name)
    if name not in tools:
        return Rules(name, is_known=False)
    tool = tools[name]
    schema = object_schema(tool.get("schema")) if isinstance(tool, Mapping) else None
    return Rules(name) if schema is None else _rules(name, jsonio.dumps(schema))


@lru_cache(maxsize=256)
def _rules(name: str, text: str) -> Rules:
    schema = jsonio.loads(text)
    try:
        base = validator_for(schema, default=Draft202012Validator)
        base.check_schema(schema)
        _check_patterns(schema)
    except _UNREADABLE:
        return Rules(name, is_readable=False)
    # A schema that names its dialect would take a validator of the library's in the place of this one.
    schema = _without_dialect(schema)
    validator = _extended(base)(schema, registry=Registry(), format_checker=_FORMATS)
    required = schema.get("required")
    return Rules(
        name,
        schema["properties"],
        tuple(one for one in required if isinstance(one, str)) if isinstance(required, list) else (),
        _validator=validator,
        _takes_others=schema.get("additionalProperties") not in (None, False) or bool(schema.get("patternProperties")),
    )


def hints_of(tools: Any, turn: Mapping[str, Any]) -> list[Hint]:
    """Everything that a tool's schema says against a golden turn that calls it, in the order of its parameters."""
    if "tool" not in turn:
        return []
    rules = rules_of(tools, str(turn["tool"]))
    params = turn.get("params")
    params = params if isinstance(params, Mapping) else {}
    found = []
    for name, param in params.items():
        param = param if isinstance(param, Mapping) else {}  # noqa: PLW2901 - anything else says nothing
        is_required = param.get("required", True) is not False
        found += [Hint(name, None, text) for text in rules.against_name(name, is_required=is_required)]
        for number, value in enumerate(known_values(param)):
            found += [Hint(name, number, text) for text in rules.against_value(name, value)]
    return found + [Hint("", None, text) for text in against_whole(rules, params)]


def against_whole(rules: Rules, params: Mapping[str, Any]) -> list[str]:
    """What speaks against a call beside its single parameters."""
    found = [rules.problem] if rules.problem else []
    found += [say("the tool requires {name}, which is not said here", name=name) for name in rules.missing(params)]
    values = {name: known_values(param) for name, param in params.items() if isinstance(param, Mapping)}
    if len(values) == len(params) and all(values.values()) and params:
        found += rules.against_call({name: known[0] for name, known in values.items()})
    return found


def known_values(param: Mapping[str, Any]) -> list[Any]:
    """The accepted values that stand there as they are: none of a pattern, a reference, or "any value"."""
    compare = param.get("compare")
    kind = compare.get("as") if isinstance(compare, Mapping) else compare
    if kind in ("regex", "any") or "ref" in param:
        return []
    if "value" in param:
        return [param["value"]]
    values = param.get("values")
    return list(values) if isinstance(values, list) else []


# --- sentences --------------------------------------------------------------------------------------------------------


def _sentence(error: ValidationError) -> str:
    """One complaint as people say it, with its place where it is inside of a list or object."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    return f"{place}: {_words(error)}" if place else _words(error)


def _words(error: ValidationError) -> str:  # noqa: PLR0911 - a line for each keyword
    rule, seen = error.validator_value, error.instance
    match error.validator:
        case "type":
            return _of_types([rule] if isinstance(rule, str) else rule, seen)
        case "enum":
            return _of_choices(rule, seen)
        case "const":
            return say("the tool takes only {value} here", value=_shown(rule))
        case "pattern":
            return say("it is not written as the tool asks for: {pattern}", pattern=rule)
        case "format":
            wanted = say(_FORMAT_WORDS[rule]) if rule in _FORMAT_WORDS else rule
            return say("{value} is not {wanted}", value=_shown(seen), wanted=wanted)
        case "uniqueItems":
            return say("no item may stand in the list twice")
        case "contains":
            return say("the list lacks an item that the tool asks for")
        case "required":
            return _lacking([name for name in rule if name not in seen])
        case "additionalProperties" | "unevaluatedProperties":
            known = error.schema.get("properties") or {}
            names = [str(name) for name in seen if name not in known]
            return say_n(
                "the tool knows no field {names} here",
                "the tool knows no field {names} here",
                len(names),
                names=", ".join(names[:_MOST_CHOICES]),
            )
        case "dependentRequired" | "dependencies":
            return _lacking(
                [name for given, names in rule.items() if given in seen for name in names if name not in seen]
            )
        case "anyOf" | "oneOf":
            return _of_several(error)
        case "not":
            return say("the tool does not take this")
        case str(keyword) if keyword in _BOUNDS:
            return say(_BOUNDS[keyword], value=_shown(rule))
        case str(keyword) if keyword in _LENGTHS:
            number = 1 if rule == 1 else rule if isinstance(rule, int) else 2
            return _LENGTHS[keyword](number, {"limit": rule, "length": len(seen)})
        case _:
            return say("the tool does not take this, by a rule of its schema")


_BOUNDS = {
    "minimum": mark("it must be at least {value}"),
    "maximum": mark("it must be at most {value}"),
    "exclusiveMinimum": mark("it must be more than {value}"),
    "exclusiveMaximum": mark("it must be less than {value}"),
    "multipleOf": mark("it must be a multiple of {value}"),
}
_LENGTHS: dict[str, Callable[[int, dict[str, Any]], str]] = {
    "minLength": lambda n, values: say_n(
        "it must have at least {limit} character, and has {length}",
        "it must have at least {limit} characters, and has {length}",
        n,
        **values,
    ),
    "maxLength": lambda n, values: say_n(
        "it must have at most {limit} character, and has {length}",
        "it must have at most {limit} characters, and has {length}",
        n,
        **values,
    ),
    "minItems": lambda n, values: say_n(
        "the list must have at least {limit} item, and has {length}",
        "the list must have at least {limit} items, and has {length}",
        n,
        **values,
    ),
    "maxItems": lambda n, values: say_n(
        "the list must have at most {limit} item, and has {length}",
        "the list must have at most {limit} items, and has {length}",
        n,
        **values,
    ),
    "minProperties": lambda n, values: say_n(
        "at least {limit} field must be given", "at least {limit} fields must be given", n, **values
    ),
    "maxProperties": lambda n, values: say_n(
        "at most {limit} field may be given", "at most {limit} fields may be given", n, **values
    ),
}


def _lacking(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_CHOICES])
    return say_n("{names} must be given too", "{names} must be given too", len(names), names=shown)


def _of_types(kinds: list[str], seen: Any) -> str:
    wanted = any_of([say(_TYPES[kind]) if kind in _TYPES else kind for kind in kinds])
    return say("the tool takes {wanted} here, and this is {kind}", wanted=wanted, kind=_kind(seen))


def _of_choices(choices: list[Any], seen: Any) -> str:
    shown = ", ".join(_shown(value) for value in choices[:_MOST_CHOICES])
    more = len(choices) - _MOST_CHOICES
    if more > 0:
        return say_n(
            "{value} is not one of the tool's values: {values} and {count} more",
            "{value} is not one of the tool's values: {values} and {count} more",
            more,
            value=_shown(seen),
            values=shown,
        )
    return say("{value} is not one of the tool's values: {values}", value=_shown(seen), values=shown)


def _of_several(error: ValidationError) -> str:
    """Of forms of which one must fit: what the nearest of them says; where too many fit, that."""
    if not error.context:
        return say("it fits more than one of the forms that the tool tells apart")
    kinds = [part.validator_value for part in error.context if part.validator == "type" and not part.path]
    if len(kinds) == len(error.context):
        names = dict.fromkeys(name for kind in kinds for name in ([kind] if isinstance(kind, str) else kind))
        return _of_types(list(names), error.instance)
    nearest = best_match(iter([error]))
    if nearest is not None and nearest is not error:
        return _sentence(nearest)
    return say("it fits none of the tool's forms")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    kinds = ((str, "string"), (int | Decimal, "number"), (list, "array"), (dict, "object"))
    return say(_TYPES[next((name for kind, name in kinds if isinstance(value, kind)), "null")])


def _shown(value: Any) -> str:
    text = f"“{value}”" if isinstance(value, str) else jsonio.dumps(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


# --- the library, with exact numbers and in bounded time --------------------------------------------------------------


class _TooMuchError(Exception):
    """A schema asks for more work than a hint is worth."""


#: What comes of a schema that cannot be read, or not in bounded time.
_UNREADABLE = (
    SchemaError,
    PatternError,
    _TooMuchError,
    RecordError,
    RecursionError,
    Unresolvable,
    ArithmeticError,
    TypeError,
    re.error,
)
#: References followed for the value in hand.
_followed: ContextVar[int] = ContextVar("followed", default=0)


def _counted(follow: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def check(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
        _followed.set(_followed.get() + 1)
        if _followed.get() > _MOST_REFERENCES:
            raise _TooMuchError
        yield from follow(validator, rule, instance, schema) or ()

    return check


def _pattern(validator: Any, rule: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Found anywhere in a text, as JSON Schema asks, in bounded time."""
    if isinstance(instance, str) and not pattern_of(f"(?s:.*)(?a:{rule})(?s:.*)").matches(instance):
        yield ValidationError("does not match")


def _names_within(follow: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def check(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, dict) and any(len(name) > _LONGEST_NAME for name in instance):
            raise _TooMuchError
        yield from follow(validator, rule, instance, schema) or ()

    return check


@lru_cache(maxsize=16)
def _extended(base: Any) -> Any:
    known = base.VALIDATORS
    changed = {"pattern": _pattern}
    changed |= {name: _counted(known[name]) for name in ("$ref", "$dynamicRef", "$recursiveRef") if name in known}
    names = ("patternProperties", "additionalProperties", "unevaluatedProperties")
    changed |= {name: _names_within(known[name]) for name in names if name in known}
    checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    return extend(base, validators=changed, type_checker=checker)


def _is_integer(checker: Any, instance: Any) -> bool:
    if isinstance(instance, bool):
        return False
    return isinstance(instance, int) or (isinstance(instance, Decimal) and instance == instance.to_integral_value())


def _without_dialect(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_dialect(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    is_named = isinstance(schema.get("$schema"), str)
    return {key: _without_dialect(part) for key, part in schema.items() if not (is_named and key == "$schema")}


def _check_patterns(schema: Any) -> None:
    """Raises PatternError where a pattern cannot be read, _TooMuchError where one for names could take long."""
    if isinstance(schema, list):
        for part in schema:
            _check_patterns(part)
    if not isinstance(schema, Mapping):
        return
    for key, part in schema.items():
        if key == "pattern" and isinstance(part, str):
            pattern_of(f"(?s:.*)(?a:{part})(?s:.*)")
        if key == "patternProperties" and isinstance(part, Mapping):
            for source in part:
                if pattern_of(f"(?s:.*)(?:{source})").steps(_LONGEST_NAME) > _MOST_STEPS:
                    raise _TooMuchError
        _check_patterns(part)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{2}:\d{2}:\d{2})(\.\d+)?(z|[+-]\d{2}:\d{2})", re.ASCII | re.IGNORECASE)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.?[^@\s]*")
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?", re.ASCII | re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_DURATION = re.compile(r"P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)", re.ASCII)
_FORMAT_WORDS = {
    "date": mark("a date such as 2026-03-31"),
    "date-time": mark("a date with a time such as 2026-03-31T14:30:00Z"),
    "time": mark("a time such as 14:30:00Z"),
    "duration": mark("a duration such as P3D or PT2H"),
    "email": mark("an e-mail address"),
    "idn-email": mark("an e-mail address"),
    "hostname": mark("the name of a host"),
    "ipv4": mark("an IPv4 address such as 192.0.2.1"),
    "ipv6": mark("an IPv6 address"),
    "uri": mark("an address such as https://example.org/"),
    "uuid": mark("a UUID of 32 digits and letters in five groups"),
    "regex": mark("a pattern (regex)"),
}


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    time.fromisoformat(found[1])
    if found[3].lower() != "z":
        time.fromisoformat(found[3][1:])
    return True


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None and date.fromisoformat(text) is not None


def _is_moment(text: str) -> bool:
    day, clock = text[:10], text[11:]
    return text[10:11].lower() in ("t", " ") and _is_date(day) and _is_time(clock)


def _is_uri(text: str) -> bool:
    parts = urlsplit(text)
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", text)


_CHECKS: dict[str, Callable[[str], Any]] = {
    "date": _is_date,
    "date-time": _is_moment,
    "time": _is_time,
    "duration": _DURATION.fullmatch,
    "email": _MAIL.fullmatch,
    "idn-email": _MAIL.fullmatch,
    "hostname": _HOST.fullmatch,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "uri": _is_uri,
    "uuid": _UUID.fullmatch,
    "regex": pattern_of,
}
_FORMATS = FormatChecker(formats=())


def _checks(test: Callable[[str], Any]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or bool(test(value))


for _name, _test in _CHECKS.items():
    _FORMATS.checks(_name, raises=(ValueError, PatternError))(_checks(_test))
