"""JSON of files and rows: exact, as the engine reads and writes it, with hashes of its one spelling."""

import hashlib
import json
from collections import Counter
from typing import Any, NamedTuple

from evaluation.aem.jsontext import (
    FAULTS,
    MAX_DEPTH,
    MAX_EXPONENT,
    JsonError,
    check_depth,
    dumps,
    loads,
    read_decimal,
    refuse_constant,
    translated,
    written,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "Decoded",
    "JsonError",
    "RepeatedKeys",
    "canonical",
    "check_depth",
    "content_hash",
    "decode_at",
    "dumps",
    "is_json_but_for_line_breaks",
    "loads",
]

_LENIENT = json.JSONDecoder(strict=False)


class RepeatedKeys(dict[str, Any]):
    """An object in which a key stood more than once; JSON readers would drop all but the last value."""

    repeated: tuple[str, ...] = ()


class Decoded(NamedTuple):
    """A value that was read from the middle of a text."""

    value: Any
    end: int
    has_repeated_keys: bool


def decode_at(text: str, start: int = 0) -> Decoded:
    """Read the value that begins at an offset and say where it ends; objects with a repeated key are RepeatedKeys.

    >>> decode_at('{"a": 1} {"a": 2}')
    Decoded(value={'a': 1}, end=8, has_repeated_keys=False)
    """
    marked: list[RepeatedKeys] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) == len(found):
            return made
        repeated = RepeatedKeys(made)
        repeated.repeated = tuple(key for key, times in Counter(key for key, _ in found).items() if times > 1)
        marked.append(repeated)
        return repeated

    decoder = json.JSONDecoder(parse_float=read_decimal, parse_constant=refuse_constant, object_pairs_hook=pairs)
    try:
        value, end = decoder.raw_decode(text, start)
    except FAULTS as error:
        raise translated(error) from None
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH:
        check_depth(value)
    return Decoded(value, end, bool(marked))


def is_json_but_for_line_breaks(text: str) -> bool:
    """Whether the text would be one JSON value if line breaks and tabs were allowed inside its texts."""
    try:
        _LENIENT.decode(text)
    except FAULTS:
        return False
    return True


def canonical(value: Any) -> str:
    """The one spelling that hashes are taken of: sorted keys, no spaces, numbers as written."""
    return written(value, sort_keys=True, separators=(",", ":"))


def content_hash(value: Any) -> str:
    """SHA-256 of the canonical spelling, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode("utf-8", errors="surrogatepass")).hexdigest()
