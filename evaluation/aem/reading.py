"""Reading one key of an object, with an error that names it."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.plain import child, exact


def an_object(value: Any, path: str) -> dict[str, Any]:
    """The value as an object."""
    if not isinstance(value, dict):
        raise RecordError(path, f"must be an object, not {shape(value)}")
    return value


def a_list(value: Any, path: str) -> list[Any]:
    """The value as a list."""
    if not isinstance(value, list):
        raise RecordError(path, f"must be a list, not {shape(value)}")
    return value


def a_text(value: Any, path: str, *, may_be_empty: bool = False) -> str:
    """The value as a text."""
    if not isinstance(value, str):
        raise RecordError(path, f"must be a text, not {shape(value)}")
    if not value and not may_be_empty:
        raise RecordError(path, "must not be empty")
    return value


def a_flag(of: dict[str, Any], key: str, path: str, *, default: bool) -> bool:
    """A key that holds true or false; absent and null mean the default."""
    value = of.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RecordError(child(path, key), f"must be true or false, not {shape(value)}")
    return value


def a_number(of: dict[str, Any], key: str, path: str, *, most: int | None = None) -> Fraction | None:
    """A key that holds a number of at least 0; None where it is absent or null."""
    value = of.get(key)
    if value is None:
        return None
    place = child(path, key)
    value = exact(value, place)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise RecordError(place, f"must be a number, not {shape(value)}")
    if value < 0:
        raise RecordError(place, "must not be negative")
    if most is not None and value > most:
        raise RecordError(place, f"must be at most {most}")
    return Fraction(value)


def a_choice(of: dict[str, Any], key: str, path: str, choices: tuple[str, ...]) -> Any:
    """A key that holds one of a few words; None where it is absent or null."""
    value = of.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or value not in choices:
        raise RecordError(child(path, key), f"must be one of {', '.join(choices)}, not {shape(value)}")
    return value


def entries(of: dict[str, Any], key: str, path: str) -> Iterator[tuple[Any, str]]:
    """The elements of a list under a key, each with its place; none where it is absent or null."""
    value = of.get(key)
    if value is None:
        return
    place = child(path, key)
    for index, element in enumerate(a_list(value, place)):
        yield element, child(place, index)


def shape(value: Any) -> str:
    """What a value is, for a message."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"{value[:40]!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return "a number"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else type(value).__name__
