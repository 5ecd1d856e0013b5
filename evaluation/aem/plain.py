"""JSON values as the engine takes them: checked once at the door, with exact numbers inside."""

import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from types import NoneType
from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.jsontext import MAX_DEPTH, MAX_EXPONENT, JsonError, dumps, loads
from evaluation.aem.records import Step

_SCALARS = frozenset({str, int, bool, NoneType})
_TEXTS = frozenset({str})
_QUICK_DEPTH = 8
_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*\Z")
_STEP = re.compile(r"\.([^.\[\]\"']+)|\[([0-9]{1,9})\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


class _RefusedError(Exception):
    """A value that is no JSON value; the steps to it are gathered on the way out."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.steps: list[str | int] = []


@lru_cache(maxsize=8192)
def child(path: str, step: str | int) -> str:
    """The place of a part.

    >>> child(child("golden.paths", 0), "a b")
    'golden.paths[0]["a b"]'
    """
    if isinstance(step, int):
        return f"{path}[{step}]"
    if _PLAIN_KEY.match(step):
        return f"{path}.{step}" if path else step
    return f"{path}[{dumps(step)}]"


def exact(value: Any, path: str) -> Any:
    """The value itself, with binary floats as the decimals that they were written as.

    Raises RecordError for what JSON cannot hold: NaN, infinities, other types, keys that are no texts, endless nesting.
    """
    if type(value) in _SCALARS:
        return value
    try:
        return _exact(value, MAX_DEPTH)
    except _RefusedError as refused:
        for step in reversed(refused.steps):
            path = child(path, step)
        raise RecordError(path, refused.reason) from None


def is_exact(value: Any) -> bool:
    """Whether :func:`exact` would give the value back as it is, by a quick look at what is not nested deeply.

    False says only that a closer look is needed.
    """
    return _is_exact(value, _QUICK_DEPTH)


def _is_exact(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) is not str:
                return False
        parts: Iterable[Any] = value.values()
    elif kind is list:
        parts = value
    else:
        return kind in _SCALARS
    for part in parts:
        kind = type(part)
        if kind in _SCALARS:
            continue
        if kind is Decimal:
            if not part.is_finite() or abs(part.adjusted()) > MAX_EXPONENT:
                return False
        elif not depth or not _is_exact(part, depth - 1):
            return False
    return True


def _exact(value: Any, depth: int) -> Any:
    if not isinstance(value, dict | list):
        return _exact_scalar(value)
    if not depth:
        raise _RefusedError(f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, list):
        return value if _SCALARS.issuperset(map(type, value)) else _exact_parts(value, enumerate(value), depth)
    if not _TEXTS.issuperset(map(type, value)):
        for key in value:
            if not isinstance(key, str):
                raise _RefusedError(f"the key {key!r:.40} is no text")
    return value if _SCALARS.issuperset(map(type, value.values())) else _exact_parts(value, value.items(), depth)


def _exact_parts(value: Any, parts: Iterable[tuple[Any, Any]], depth: int) -> Any:
    changed: Any = None
    for step, part in parts:
        if type(part) in _SCALARS:
            continue
        try:
            made = _exact(part, depth - 1)
        except _RefusedError as refused:
            refused.steps.append(step)
            raise
        if made is not part:
            changed = value.copy() if changed is None else changed
            changed[step] = made
    return value if changed is None else changed


def _exact_scalar(value: Any) -> Any:
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _RefusedError(f"{value} is no JSON value")
        if abs(value.adjusted()) > MAX_EXPONENT:
            raise _RefusedError("the number is too large or too small to be computed with")
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    raise _RefusedError(f"{type(value).__name__} is no JSON value")


def read_json_text(text: str) -> Any:
    """The object or array that a text holds as JSON; None where it holds none."""
    start = text.lstrip()[:1]
    if start not in {"{", "["}:
        return None
    try:
        return loads(text)
    except JsonError:
        return None


def steps_of(text: object, path: str) -> tuple[Step, ...]:
    """The steps of a path such as ``$.items[0].id`` into a result.

    >>> steps_of("$.items[0].id", "")
    ('items', 0, 'id')
    """
    if not isinstance(text, str) or not text.startswith("$"):
        raise RecordError(path, "must be a path that starts with $")
    steps: list[Step] = []
    at = 1
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise RecordError(path, f'malformed path: {text[at : at + 40]!r} is not .name, [index] or ["name"]')
        name, index, quoted = found.groups()
        if name is not None:
            steps.append(name)
        elif index is not None:
            steps.append(int(index))
        else:
            steps.append(_unquoted(quoted, path))
        at = found.end()
    return tuple(steps)


def _unquoted(quoted: str, path: str) -> str:
    try:
        return str(loads(f'"{quoted}"'))
    except JsonError as error:
        raise RecordError(path, f"malformed path: {error.reason}") from None


def find_at(value: Any, steps: tuple[Step, ...]) -> tuple[bool, Any]:
    """Whether there is a value at a path, and which."""
    for step in steps:
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return False, None
        elif not isinstance(value, list) or step >= len(value):
            return False, None
        value = value[step]
    return True, value


def is_within(expected: int | Decimal, observed: int | Decimal, *, absolute: Fraction, relative: Fraction) -> bool:
    """Whether a number is within a tolerance of another, the larger of an absolute and a relative one, inclusive.

    Exact, and for numbers of a million digits too, of which fractions would take minutes.

    >>> is_within(100, Decimal("110.0"), absolute=Fraction(0), relative=Fraction(1, 10))
    True
    """
    wanted, found = Decimal(expected), Decimal(observed)
    # Beside the digits of the two there is room for those of the tolerances, so that nothing is rounded.
    top = max(wanted.adjusted(), found.adjusted(), 0)
    bottom = min(*(int(number.as_tuple().exponent) for number in (wanted, found)), 0)
    parts = absolute.numerator, absolute.denominator, relative.numerator, relative.denominator
    room = top - bottom + 10 + sum(part.bit_length() // 3 + 1 for part in parts)
    exactly = Context(prec=room, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[Inexact, InvalidOperation])
    distance = exactly.abs(exactly.subtract(found, wanted))
    if exactly.multiply(distance, Decimal(absolute.denominator)) <= Decimal(absolute.numerator):
        return True
    allowed = exactly.multiply(exactly.abs(wanted), Decimal(relative.numerator))
    return exactly.multiply(distance, Decimal(relative.denominator)) <= allowed


def number_text(number: int | Decimal) -> str:
    """The JSON text of a number. Python writes whole numbers of at most 4300 digits by itself."""
    try:
        return str(number)
    except ValueError:
        return format(Decimal(number), "f")
