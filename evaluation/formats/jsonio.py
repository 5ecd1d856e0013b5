"""JSON without loss: whole numbers of any length and decimals as they were written.

Binary floats would turn ``0.10`` into ``0.1`` and round ids of eighteen digits that carry a decimal point, so numbers with a
point or an exponent are read as :class:`decimal.Decimal` and written back digit for digit.
"""

import hashlib
import json
from decimal import Decimal
from typing import Any

import simplejson


class JsonError(ValueError):
    """Text that is not JSON: a reason in plain words, with line and column from 1 where they are known."""

    def __init__(self, reason: str, *, line: int | None = None, column: int | None = None) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        place = f"line {line}, column {column}: " if line is not None else ""
        super().__init__(f"{place}{reason}")


def _refuse_constant(name: str) -> Any:
    raise JsonError(f"{name} is not a JSON value")


def loads(text: str | bytes) -> Any:
    """Read JSON exactly: int, Decimal, str, bool, None, list, dict.

    >>> loads('{"id": 107505301260286111, "price": 0.10}')
    {'id': 107505301260286111, 'price': Decimal('0.10')}

    Raises JsonError for anything that is not JSON, NaN and Infinity included.
    """
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise JsonError("nested too deeply to be read") from None
    except JsonError:
        raise
    except (ValueError, ArithmeticError) as error:  # more digits than Python converts, an exponent out of range, bad UTF-8
        raise JsonError(str(error)) from None


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Write JSON exactly, keys in their order, non-ASCII characters as they are.

    >>> dumps({"price": Decimal("0.10")})
    '{"price": 0.10}'
    """
    return simplejson.dumps(value, use_decimal=True, ensure_ascii=False, allow_nan=False, indent=indent)


def canonical(value: Any) -> str:
    """The one spelling that hashes are taken of: sorted keys, no spaces, numbers as written."""
    return simplejson.dumps(
        value, use_decimal=True, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def content_hash(value: Any) -> str:
    """SHA-256 of the canonical spelling, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode("utf-8", errors="surrogatepass")).hexdigest()
