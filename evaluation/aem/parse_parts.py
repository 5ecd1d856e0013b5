"""Parsing what stands inside golden turns: parameters, claims, comparisons, call patterns and outcome assertions."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.patterns import Pattern, PatternError, pattern_of
from evaluation.aem.plain import child, exact, steps_of
from evaluation.aem.reading import a_flag, a_list, a_number, a_text, an_object, entries, shape
from evaluation.aem.records import NO_COMPARE, Assertion, CallPattern, Claim, Compare, Param, Ref
from evaluation.aem.text import Needle

COMPARISONS = ("auto", "literal", "text", "number", "date", "boolean", "regex", "set", "list", "object", "any")
_COMPARE_KEYS = frozenset({"as", "abs", "rel", "threshold"})


def parse_compare(value: Any, path: str) -> Compare:
    """A comparison: a name, or an object with ``as`` and tolerances."""
    if value is None:
        return NO_COMPARE
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


def compile_pattern(pattern: Any, path: str) -> Pattern:
    """A regular expression, or the reason why it is none, or none that can be matched in bounded time."""
    if not isinstance(pattern, str):
        raise RecordError(path, f"a regular expression must be a text, not {shape(pattern)}")
    try:
        return pattern_of(pattern)
    except PatternError as error:
        raise RecordError(path, f"invalid regular expression: {error}") from None


def parse_param(key: str, value: Any, path: str) -> Param:
    """One annotated parameter, or the expectation of a state assertion."""
    given = value if type(value) is dict else an_object(value, path)
    compare = parse_compare(given["compare"], child(path, "compare")) if "compare" in given else NO_COMPARE
    accepted, source = given.get("values"), given.get("ref")
    ref = None
    values: tuple[Any, ...] = ()
    places: Sequence[str] = ()
    if ("value" in given) + (accepted is not None) + (source is not None) != 1:
        _refuse_values(given, compare, path)
    elif source is not None:
        ref = _ref(source, child(path, "ref"))
        if given.get("compare") is not None:
            raise RecordError(child(path, "compare"), "cannot stand beside a ref, which is compared as auto")
    elif accepted is None:
        places = (child(path, "value"),)
        values = (exact(given["value"], places[0]),)
    else:
        place = child(path, "values")
        if not a_list(accepted, place):
            raise RecordError(place, "must hold at least one accepted value")
        places = [child(place, index) for index in range(len(accepted))]
        values = tuple(map(exact, accepted, places))
    if compare.kind == "regex":
        for one, at in zip(values, places, strict=True):
            compile_pattern(one, at)
    required = True if given.get("required") is None else a_flag(given, "required", path, default=True)
    from_ = None if given.get("from") is None else parse_from(given, path)
    return Param(key, values, ref, required, compare, from_, path)


def _refuse_values(given: dict[str, Any], compare: Compare, path: str) -> None:
    """Several of value, values and ref are refused, and so is none of them, except where any value will do."""
    named = [
        name for name in ("value", "values", "ref") if name in given and (name == "value" or given[name] is not None)
    ]
    if named:
        raise RecordError(path, f"takes only one of value, values and ref, not {' and '.join(named)}")
    if compare.kind != "any":
        raise RecordError(path, 'needs one of value, values and ref, or the comparison "any"')


def _ref(value: Any, path: str) -> Ref:
    given = an_object(value, path)
    turn = a_text(given.get("turn"), child(path, "turn"))
    steps = steps_of(given.get("path"), child(path, "path"))
    return Ref(turn, given["path"], steps)


def parse_from(of: dict[str, Any], path: str) -> tuple[str, ...] | None:
    """The turns that a value comes from; None where nothing is said, empty where it comes from nothing upstream."""
    named = of.get("from")
    if named is None:
        return None
    if type(named) is list and all(map(_is_name, named)):
        return tuple(named)
    return tuple(a_text(turn, place) for turn, place in entries(of, "from", path))


def _is_name(value: Any) -> bool:
    return type(value) is str and value != ""


def parse_claim(value: Any, position: int, path: str) -> Claim:
    """One claim of a response."""
    given = an_object(value, path)
    claim_id = given.get("id")
    text = given.get("text")
    contains, excludes = parse_needles(given, "contains", path), parse_needles(given, "excludes", path)
    if text is not None or not (contains or excludes):
        text = a_text(text, child(path, "text"))
    return Claim(
        f"claim{position}" if claim_id is None else a_text(claim_id, child(path, "id")),
        text or "",
        a_flag(given, "required", path, default=True),
        contains,
        excludes,
        parse_from(given, path),
    )


def parse_needles(of: dict[str, Any], key: str, path: str) -> tuple[Needle, ...]:
    """Values that are looked for in texts."""
    found: list[Needle] = []
    if of.get(key) is None:
        return ()
    for value, place in entries(of, key, path):
        needle = exact(value, place)
        if not isinstance(needle, str | int | Decimal):
            raise RecordError(place, f"must be a text or a number, not {shape(needle)}")
        found.append(Needle(needle))
    return tuple(found)


def parse_params(of: dict[str, Any], path: str) -> dict[str, Param]:
    """The annotated parameters of a call."""
    params = of.get("params")
    if params is None:
        return {}
    place = child(path, "params")
    found = {}
    for key, param in an_object(params, place).items():
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
