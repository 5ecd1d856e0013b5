"""Exact JSON: nothing is rounded, nothing crashes."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.formats import jsonio

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)
    | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


def as_read(value: object) -> object:
    """Decimals that are written without a point are read as whole numbers; everything else comes back as it went."""
    if isinstance(value, Decimal):
        text = str(value)
        return Decimal(text) if any(mark in text for mark in ".E") else int(text)
    if isinstance(value, list):
        return [as_read(part) for part in value]
    if isinstance(value, dict):
        return {key: as_read(part) for key, part in value.items()}
    return value


@given(VALUES)
def test_what_is_written_reads_back(value: Any) -> None:
    assert jsonio.loads(jsonio.dumps(value)) == as_read(value)
    assert jsonio.loads(jsonio.canonical(value)) == as_read(value)


def test_numbers_keep_every_digit() -> None:
    text = '{"id": 107505301260286111, "price": 0.10, "one": 1.0}'
    assert jsonio.dumps(jsonio.loads(text)) == text


def test_the_canonical_spelling_sorts_keys_and_tells_spellings_apart() -> None:
    assert jsonio.canonical({"b": 1, "a": Decimal("1.0")}) == '{"a":1.0,"b":1}'
    assert jsonio.content_hash({"a": 1, "b": 2}) == jsonio.content_hash({"b": 2, "a": 1})
    assert jsonio.content_hash([1]) != jsonio.content_hash([True])


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":}', "", "[1,]", "1e999999", "[" * 100_000])
def test_what_is_no_json_is_refused(text: Any) -> None:
    with pytest.raises(jsonio.JsonError):
        jsonio.loads(text)


def test_limits_are_errors_with_a_reason() -> None:
    with pytest.raises(jsonio.JsonError, match="4300"):
        jsonio.loads("1" * 5000)
    with pytest.raises(jsonio.JsonError, match="100 levels"):
        jsonio.loads("[" * 101 + "]" * 101)
    assert jsonio.loads("[" * 100 + "]" * 100)


def test_text_that_looks_like_the_mark_of_a_decimal_stays_text() -> None:
    value = ["\ue0001.5", "\ue000\ue0002", Decimal("1.5")]
    assert jsonio.loads(jsonio.dumps(value)) == value


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), float("nan")])
def test_numbers_that_are_none_cannot_be_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"JSON|float"):
        jsonio.dumps([value])
