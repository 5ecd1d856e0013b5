"""What is suggested for a golden turn: by the tool's description, by earlier results, by the runs it was drafted from.

An *offer* is not in the turn before somebody accepts it; what the draft of several runs put there already is *applied*,
and refusing it takes it out again. Pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotations.observed import Field, is_telling
from annotations.tool_schemas import SchemaField
from evaluation.aem.language import kept, mark
from evaluation.aem.text import fold, number_of
from evaluation.formats import jsonio

#: Results that a value may come from, the nearest first; accepted values that a tool's list is short enough for.
MOST_RESULTS = 3
MOST_CHOICES = 6

#: Kind → what it is about, for lists and figures.
KIND_WORDS = {
    "source": mark("comes from an earlier result"),
    "param_optional": mark("a parameter is optional"),
    "param_required": mark("a parameter is required"),
    "type": mark("a value of the type that the tool takes"),
    "choices": mark("a value of the tool's list"),
    "step_optional": mark("a step is optional"),
    "values": mark("several values are right"),
    "open": mark("any value is right"),
    "order": mark("steps in any order"),
    "claims": mark("claims instead of the whole reply"),
    "path": mark("another way is right too"),
}
#: Where a suggestion comes from.
SOURCE_WORDS = {
    "result": mark("an earlier result"),
    "schema": mark("the tool's description"),
    "runs": mark("the recorded runs"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One suggestion. ``field`` is a parameter's name, or empty; ``was`` what refusing an applied one puts back.

    ``why`` is English, as it is stored; pages tell it again in their language.
    """

    kind: str
    source: str
    field: str
    proposal: Any
    was: Any = None
    why: str = ""
    #: What tells two suggestions of one kind and field apart, if not the proposal.
    about: Any = None

    @property
    def is_applied(self) -> bool:
        return self.source == "runs"

    @property
    def fingerprint(self) -> str:
        """The same for the same suggestion: one that was refused is not made again."""
        return fingerprint(self.kind, self.source, self.field, self.proposal if self.about is None else self.about)


def fingerprint(kind: str, source: str, name: str, about: Any) -> str:
    text = jsonio.canonical([kind, source, name, about])
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Result:
    """The fields of what an earlier turn returned, beside the golden turn that it answers."""

    key: str
    fields: Sequence[Field]
    group: str = ""


class Sources:
    """The values of earlier results and where they stand, made once for many turns."""

    def __init__(self) -> None:
        self._places: dict[Hashable, list[tuple[Result, str]]] = {}

    def add(self, result: Result) -> None:
        """Put in the next result, in the order of the turns. Of each value its first place in the result counts."""
        for item in result.fields:
            if is_telling(item.value):
                places = self._places.setdefault(_key(item.value), [])
                if not places or places[-1][0] is not result:
                    places.append((result, item.path))

    def of(self, value: Any, *, group: str = "") -> list[dict[str, str]]:
        """Where this value stood before, the nearest result first; none within a group, where no order holds."""
        if isinstance(value, list | Mapping) or not is_telling(value):
            return []
        places = [
            (result, path)
            for result, path in reversed(self._places.get(_key(value), []))
            if not group or result.group != group
        ]
        return [{"turn": result.key, "path": path} for result, path in places[:MOST_RESULTS]]


def _key(value: Any) -> Hashable:
    return ("text", value) if isinstance(value, str) else ("number", value)


def offers_of(
    body: Mapping[str, Any], *, schema: Mapping[str, SchemaField], sources: Sources | None = None
) -> list[Offer]:
    """What the tool's description and earlier results suggest for a call as it stands; nothing for other turns."""
    params = body.get("params")
    if "tool" not in body or not isinstance(params, Mapping):
        return []
    group = str(body.get("group") or "")
    found: list[Offer] = []
    for name, param in params.items():
        if not isinstance(param, Mapping):
            continue
        if sources is not None:
            found += _from_results(str(name), param, sources, group)
        prop = schema.get(str(name))
        if prop is not None:
            found += _from_schema(str(name), param, prop)
    return found


def _from_results(name: str, param: Mapping[str, Any], sources: Sources, group: str) -> Iterable[Offer]:
    if "value" not in param:
        return
    candidates = sources.of(param["value"], group=group)
    if candidates:
        yield Offer("source", "result", name, candidates, why=_SAME_VALUE, about=param["value"])


def _from_schema(name: str, param: Mapping[str, Any], prop: SchemaField) -> Iterable[Offer]:
    is_required = param.get("required", True) is not False
    if is_required and not prop.is_required:
        yield Offer("param_optional", "schema", name, proposal=False, why=_OPTIONAL)
    if not is_required and prop.is_required:
        yield Offer("param_required", "schema", name, proposal=True, why=_REQUIRED)
    compare = param.get("compare")
    kind = compare.get("as") if isinstance(compare, Mapping) else compare
    if "ref" in param or kind == "regex":
        return
    values = [param["value"]] if "value" in param else param.get("values")
    if kind == "any" and not values:
        if 0 < len(prop.options) <= MOST_CHOICES:
            yield Offer("choices", "schema", name, list(prop.options), why=_CHOICES)
        return
    if not isinstance(values, list) or not values:
        return
    better = [_as_option(value, prop) for value in values]
    if jsonio.canonical(better) != jsonio.canonical(values):
        kind = "choices" if prop.options else "type"
        why = _AS_DESCRIBED if prop.options else _TAKES.get(prop.kind, _AS_DESCRIBED)
        yield Offer(kind, "schema", name, better, why=why)


_SAME_VALUE = kept("the same value stood in that result")
_OPTIONAL = kept("optional in the tool's description")
_REQUIRED = kept("required in the tool's description")
_CHOICES = kept("the values that the tool takes")
_AS_DESCRIBED = kept("as the tool's description has it")
_TAKES = {
    "text": kept("the tool takes text"),
    "number": kept("the tool takes a number"),
    "bool": kept("the tool takes yes or no"),
    "json": kept("the tool takes a list or object"),
}


def _as_option(value: Any, prop: SchemaField) -> Any:
    """The value as the tool takes it; the value itself where that is no matter of spelling.

    A value that is one of the tool's list but for case and spaces is that one; a text that is a number is the number
    where the tool takes one, and the other way round; "true" and "yes" are true where it takes yes or no.
    """
    if prop.options:
        if any(_same(value, option) for option in prop.options):
            return value
        folded = _folded(value)
        alike = [option for option in prop.options if folded and _folded(option) == folded]
        return alike[0] if len(alike) == 1 else value
    if prop.kind == "number" and isinstance(value, str):
        number = number_of(fold(value))
        return value if number is None else number
    if prop.kind == "text" and isinstance(value, int | Decimal) and not isinstance(value, bool) and prop.is_typed:
        return jsonio.dumps(value)
    if prop.kind == "bool" and isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(fold(value), value)
    if prop.kind == "json" and isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return jsonio.loads(value)
        except jsonio.JsonError:
            return value
    return value


def _folded(value: Any) -> str:
    return fold(value if isinstance(value, str) else jsonio.dumps(value))


def _same(one: Any, other: Any) -> bool:
    return jsonio.canonical(one) == jsonio.canonical(other)


# --- whether a turn holds a suggestion --------------------------------------------------------------------------------


def holds(kind: str, name: str, proposal: Any, body: Mapping[str, Any]) -> bool:
    """Whether a turn says what is proposed."""
    if kind == "path":
        return True  # as long as its first step is there
    if kind == "step_optional":
        return body.get("optional") is True
    if kind == "order":
        return bool(body.get("group")) and body.get("group") == proposal
    if kind == "claims":
        return _same(body.get("claims"), proposal)
    params = body.get("params")
    param = params.get(name) if isinstance(params, Mapping) else None
    if kind == "open" and isinstance(proposal, Mapping) and "allowed_extra" in proposal:
        return param is None and name in (body.get("allowed_extra") or ())
    return isinstance(param, Mapping) and _param_holds(kind, proposal, param)


def _param_holds(kind: str, proposal: Any, param: Mapping[str, Any]) -> bool:
    if kind == "source":
        return any(_same(param.get("ref"), candidate) for candidate in proposal)
    if kind in ("param_optional", "param_required"):
        return (param.get("required", True) is not False) is bool(proposal)
    if kind == "open":
        return param.get("compare") == "any" and "value" not in param and "values" not in param
    values = [param["value"]] if "value" in param else param.get("values")
    return isinstance(values, list) and _same(values, proposal)


def is_refused_in(kind: str, name: str, was: Any, body: Mapping[str, Any]) -> bool:
    """Whether a turn says what refusing an applied suggestion puts in its place."""
    if kind == "step_optional":
        return body.get("optional") is not True
    if kind == "order":
        return not body.get("group")
    if kind == "claims":
        return not body.get("claims")
    params = body.get("params")
    param = params.get(name) if isinstance(params, Mapping) else None
    if not isinstance(param, Mapping):
        return False
    if kind == "param_optional":
        return param.get("required", True) is not False
    values = [param["value"]] if "value" in param else param.get("values")
    return isinstance(was, Mapping) and isinstance(values, list) and _same(values, [was.get("value")])


def says_otherwise(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether what a suggestion is about was changed: the parameter, or the whole turn where there is none."""
    if not name:
        return not _same(before, after)
    parts = [body.get("params") for body in (before, after)]
    one, other = (part.get(name) if isinstance(part, Mapping) else None for part in parts)
    return not _same(one, other)
