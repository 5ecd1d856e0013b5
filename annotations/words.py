"""Values as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.formats import jsonio


def value_text(value: Any) -> str:
    """A text without quotes, everything else as JSON on one line."""
    return value if isinstance(value, str) else jsonio.dumps(value)


def expected_text(param: Mapping[str, Any]) -> str:
    """An annotated parameter in words.

    >>> expected_text({"values": ["EU", "Europe"]})
    'EU or Europe'
    """
    if "ref" in param:
        return f"what {param['ref']['turn']} returned at {param['ref']['path']}"
    if "values" in param:
        return " or ".join(value_text(value) for value in param["values"])
    if "value" in param:
        return value_text(param["value"])
    return "anything"
