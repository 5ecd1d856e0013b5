"""JSON without loss: whole numbers of any length and decimals as they were written.

Binary floats would turn ``0.10`` into ``0.1`` and round ids of eighteen digits that carry a decimal point, so numbers
with a point or an exponent are read as :class:`decimal.Decimal` and written back digit for digit.
"""

import json
import re
from decimal import Decimal
from typing import Any

#: Deeper nesting is refused: reading, comparing and drawing a value all descend once per level.
MAX_DEPTH = 100
#: The largest power of ten, up or down, that a number may have; beyond it exact arithmetic would fill the memory.
MAX_EXPONENT = 1000


class JsonError(ValueError):
    """Text that is not JSON: a reason in plain words, with line and column from 1 where they are known."""

    def __init__(self, reason: str, *, line: int | None = None, column: int | None = None) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        place = f"line {line}, column {column}: " if line is not None else ""
        super().__init__(f"{place}{reason}")


def refuse_constant(name: str) -> Any:
    """NaN and the infinities are no JSON."""
    raise JsonError(f"{name} is not a JSON value")


def read_decimal(text: str) -> Decimal:
    """A number with a point or an exponent, as it was written."""
    try:
        number = Decimal(text)
    except ArithmeticError:  # an exponent that no machine holds
        number = None
    if number is None or abs(number.adjusted()) > MAX_EXPONENT:
        raise JsonError(f"the number {text[:40]} is too large or too small to be computed with")
    return number


_WORDS = {
    "Expecting value": "a value is missing or not written as JSON",
    "Expecting property name enclosed in double quotes": "a key in double quotes is expected",
    "Expecting ':' delimiter": "a colon is expected after the key",
    "Expecting ',' delimiter": "a comma or a closing bracket is expected",
    "Unterminated string starting at": "a text is opened with a quote and never closed",
    "Invalid control character at": "a line break, tab or other control character stands inside a text",
    "Invalid \\escape": "a backslash is followed by a character that JSON does not escape",
    "Invalid \\escape: ": "a backslash is followed by a character that JSON does not escape",
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
    "Extra data": "something follows after the end of the value",
}


def _explained(error: json.JSONDecodeError) -> JsonError:
    """The decoder's complaint in plain words, as a trailing comma where that is what it stumbled over."""
    at = error.doc[error.pos : error.pos + 1]
    if at == "":
        reason = (
            _WORDS["Unterminated string starting at"]
            if "tring" in error.msg
            else "the text ends in the middle of a value"
        )
    elif "trailing comma" in error.msg or (at in "]}" and error.doc[: error.pos].rstrip().endswith(",")):
        reason = "a comma stands before a closing bracket"
    else:
        reason = _WORDS.get(error.msg, error.msg)
    return JsonError(reason, line=error.lineno, column=error.colno)


def translated(error: Exception) -> JsonError:
    """What a reader of the standard library complains about, in plain words."""
    if isinstance(error, JsonError):
        return error
    if isinstance(error, json.JSONDecodeError):
        return _explained(error)
    if isinstance(error, RecursionError):
        return JsonError(f"nested more than {MAX_DEPTH} levels deep")
    if "digits" in str(error):
        return JsonError("a whole number has more digits than can be read (4300)")
    return JsonError(str(error))


FAULTS = (ValueError, ArithmeticError, RecursionError)
#: As a tuple: a union would be made anew for each of the many values that are looked at.
_CONTAINERS = (dict, list)


def check_depth(value: Any) -> None:
    """Refuse a value that is nested more than MAX_DEPTH levels deep."""
    level = [value] if isinstance(value, _CONTAINERS) else []
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise JsonError(f"nested more than {MAX_DEPTH} levels deep")
        level = [
            part
            for container in level
            for part in (container.values() if isinstance(container, dict) else container)
            if isinstance(part, _CONTAINERS)
        ]


def loads(text: str | bytes) -> Any:
    """Read JSON exactly: int, Decimal, str, bool, None, list, dict.

    >>> loads('{"id": 107505301260286111, "price": 0.10}')
    {'id': 107505301260286111, 'price': Decimal('0.10')}

    Raises JsonError for anything that is not JSON, NaN and Infinity included.
    """
    try:
        value = json.loads(text, parse_float=read_decimal, parse_constant=refuse_constant)
    except FAULTS as error:
        raise translated(error) from None
    if len(text) > MAX_DEPTH:
        check_depth(value)
    return value


def written(value: Any, **options: Any) -> str:
    """The standard library's encoder, which is written in C, with decimals put in digit for digit.

    It has no way to write a number as it stands, so decimals go through as texts behind a mark; where the data hold the
    mark too, a longer one is taken.
    """
    mark = "\ue000"
    while True:
        decimals = 0

        def marked(number: Any, mark: str = mark) -> str:
            nonlocal decimals
            if not isinstance(number, Decimal):
                raise TypeError(f"{type(number).__name__} is not a JSON value")
            if not number.is_finite():
                raise ValueError(f"{number} is not a JSON value")
            decimals += 1
            return f"{mark}{number}"

        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=marked, **options)
        except ValueError as error:
            if "digits" not in str(error):
                raise
            value = _with_long_numbers_as_decimals(value)
            continue
        if not decimals:
            return text
        if text.count(mark) == decimals:
            return re.sub(f'"{mark}([^"]*)"', r"\1", text)
        mark += "\ue000"


#: Whole numbers of fewer bits have at most 4300 digits, which Python writes by itself; a decimal has no such limit.
_LONG_BITS = 14_000


def _with_long_numbers_as_decimals(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_long_numbers_as_decimals(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_long_numbers_as_decimals(part) for part in value]
    return Decimal(value) if isinstance(value, int) and value.bit_length() > _LONG_BITS else value


_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Write JSON exactly, keys in their order, non-ASCII characters as they are.

    >>> dumps({"price": Decimal("0.10")})
    '{"price": 0.10}'
    """
    # Texts alone are written most often, in sentences about them.
    return _PLAIN.encode(value) if type(value) is str else written(value, indent=indent)
