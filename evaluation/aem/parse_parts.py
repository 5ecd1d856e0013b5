"""Parsing what stands inside golden turns: parameters, claims, comparisons, call patterns and outcome assertions."""

import re
from decimal import Decimal
from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.plain import child, exact, steps_of
from evaluation.aem.reading import a_flag, a_list, a_number, a_text, an_object, entries, shape
from evaluation.aem.records import Assertion, CallPattern, Claim, Compare, Param, Ref
from evaluation.aem.text import Needle

COMPARISONS = ("auto", "literal", "text", "number", "date", "boolean", "regex", "set", "list", "object", "any")
_COMPARE_KEYS = frozenset({"as", "abs", "rel", "threshold"})


def parse_compare(value: Any, path: str) -> Compare:
    """A comparison: a name, or an object with ``as`` and tolerances."""
    if value is None:
        return Compare()
    if isinstance(value, str):
        return Compare(_comparison(value, path))
    if not isinstance(value, dict):
        raise RecordError(path, f"must be the name of a comparison or an object, not {shape(value)}")
    for key in value:
        if key not in _COMPARE_KEYS:
            raise RecordError(path, f"unknown key {key!r:.60}; known are as, abs, rel and threshold")
    if value.get("as") is None:
        raise RecordError(child(path, "as"), "is missing")
    return Compare(
        _comparison(value["as"], child(path, "as")),
        a_number(value, "abs", path),
        a_number(value, "rel", path),
        a_number(value, "threshold", path, most=1),
    )


def _comparison(name: Any, path: str) -> str:
    if not isinstance(name, str) or name not in COMPARISONS:
        raise RecordError(path, f"unknown comparison {shape(name)}; known are {', '.join(COMPARISONS)}")
    return name


def compile_pattern(pattern: Any, path: str) -> re.Pattern[str]:
    """A regular expression, or the reason why it is none."""
    if not isinstance(pattern, str):
        raise RecordError(path, f"a regular expression must be a text, not {shape(pattern)}")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise RecordError(path, f"invalid regular expression: {error or type(error).__name__}") from None


def parse_param(key: str, value: Any, path: str) -> Param:
    """One annotated parameter, or the expectation of a state assertion."""
    given = an_object(value, path)
    compare = parse_compare(given.get("compare"), child(path, "compare"))
    named = [
        name for name in ("value", "values", "ref") if name in given and (name == "value" or given[name] is not None)
    ]
    if len(named) > 1:
        raise RecordError(path, f"takes only one of value, values and ref, not {' and '.join(named)}")
    if not named and compare.kind != "any":
        raise RecordError(path, 'needs one of value, values and ref, or the comparison "any"')
    ref = _ref(given["ref"], child(path, "ref")) if named == ["ref"] else None
    if ref and given.get("compare") is not None:
        raise RecordError(child(path, "compare"), "cannot stand beside a ref, which is compared as auto")
    values: tuple[Any, ...] = ()
    places: list[str] = []
    if named == ["value"]:
        places = [child(path, "value")]
        values = (exact(given["value"], places[0]),)
    elif named == ["values"]:
        place = child(path, "values")
        accepted = a_list(given["values"], place)
        if not accepted:
            raise RecordError(place, "must hold at least one accepted value")
        places = [f"{place}[{index}]" for index in range(len(accepted))]
        values = tuple(exact(one, at) for one, at in zip(accepted, places, strict=True))
    if compare.kind == "regex":
        for one, at in zip(values, places, strict=True):
            compile_pattern(one, at)
    return Param(
        key=key,
        values=values,
        ref=ref,
        required=a_flag(given, "required", path, default=True),
        compare=compare,
        from_=parse_from(given, path),
        place=path,
    )


def _ref(value: Any, path: str) -> Ref:
    given = an_object(value, path)
    turn = a_text(given.get("turn"), child(path, "turn"))
    steps = steps_of(given.get("path"), child(path, "path"))
    return Ref(turn, given["path"], steps)


def parse_from(of: dict[str, Any], path: str) -> tuple[str, ...] | None:
    """The turns that a value comes from; None where nothing is said, empty where it comes from nothing upstream."""
    if of.get("from") is None:
        return None
    return tuple(a_text(turn, place) for turn, place in entries(of, "from", path))


def parse_claim(value: Any, position: int, path: str) -> Claim:
    """One claim of a response."""
    given = an_object(value, path)
    claim_id = given.get("id")
    text = given.get("text")
    contains, excludes = parse_needles(given, "contains", path), parse_needles(given, "excludes", path)
    if text is not None or not (contains or excludes):
        text = a_text(text, child(path, "text"))
    return Claim(
        id=f"claim{position}" if claim_id is None else a_text(claim_id, child(path, "id")),
        text=text or "",
        required=a_flag(given, "required", path, default=True),
        contains=contains,
        excludes=excludes,
        from_=parse_from(given, path),
    )


def parse_needles(of: dict[str, Any], key: str, path: str) -> tuple[Needle, ...]:
    """Values that are looked for in texts."""
    found = []
    for value, place in entries(of, key, path):
        needle = exact(value, place)
        if not isinstance(needle, str | int | Decimal):
            raise RecordError(place, f"must be a text or a number, not {shape(needle)}")
        found.append(Needle(needle))
    return tuple(found)


def parse_params(of: dict[str, Any], path: str) -> dict[str, Param]:
    """The annotated parameters of a call."""
    if of.get("params") is None:
        return {}
    place = child(path, "params")
    found = {}
    for key, param in an_object(of["params"], place).items():
        if not isinstance(key, str):
            raise RecordError(place, f"the key {key!r:.40} is no text")
        found[key] = parse_param(key, param, child(place, key))
    return found


def parse_pattern(value: Any, path: str) -> CallPattern:
    """A call that is forbidden or asked for. It belongs to no path, so that nothing in it can name a turn."""
    given = an_object(value, path)
    params = parse_params(given, path)
    for param in params.values():
        if param.ref is not None or param.from_:
            raise RecordError(param.place, "cannot name a turn, since it belongs to no path")
    action = given.get("action")
    return CallPattern(
        tool=a_text(given.get("tool"), child(path, "tool")),
        action=None if action is None else a_text(action, child(path, "action"), may_be_empty=True),
        params=tuple(params.values()),
    )


def parse_assertion(value: Any, position: int, path: str) -> Assertion:
    """One outcome assertion."""
    given = an_object(value, path)
    name = given.get("id")
    assertion_id = f"outcome{position}" if name is None else a_text(name, child(path, "id"))
    kind = given.get("kind")
    if kind in ("said", "not_said"):
        return Assertion(assertion_id, kind, contains=parse_needles(given, "contains", path))
    if kind == "called":
        return Assertion(assertion_id, "called", call=parse_pattern(given, path), times=_times(given, path))
    if kind == "state":
        steps = steps_of(given.get("path"), child(path, "path"))
        return Assertion(assertion_id, "state", steps=steps, expected=_expected_state(given, path))
    if kind == "statement":
        return Assertion(assertion_id, "statement", text=a_text(given.get("text"), child(path, "text")))
    known = "said, not_said, called, state, statement"
    raise RecordError(child(path, "kind"), f"unknown kind {shape(kind)}; known are {known}")


def _times(of: dict[str, Any], path: str) -> int | None:
    times = of.get("times")
    if times is None:
        return None
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise RecordError(child(path, "times"), f"must be a whole number of at least 0, not {shape(times)}")
    return times


def _expected_state(of: dict[str, Any], path: str) -> Param:
    known = {name: of[name] for name in ("value", "values", "compare") if name in of}
    if of.get("ref") is not None:
        raise RecordError(child(path, "ref"), "cannot name a turn, since the final state belongs to no path")
    if "value" not in known and known.get("values") is None:
        # Without a value the state has to be there and not null, however it would be compared.
        compare = parse_compare(known.get("compare"), child(path, "compare"))
        return Param("", compare=Compare("any", threshold=compare.threshold), place=path)
    return parse_param("", known, path)
