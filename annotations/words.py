"""Values as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotations.sentences import any_of, path_words
from evaluation.aem.language import say
from evaluation.formats import jsonio


def value_text(value: Any) -> str:
    """A text without quotes, everything else as JSON on one line."""
    return value if isinstance(value, str) else jsonio.dumps(value)


def expected_text(param: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> str:
    """An annotated parameter in words. ``turns`` names turns by their ids, such as ``{"g2": "turn 2"}``.

    >>> expected_text({"values": ["EU", "Europe"]})
    'EU or Europe'
    >>> expected_text({"ref": {"turn": "g2", "path": "$.orders[0].id"}}, {"g2": "turn 2"})
    'what turn 2 returned as orders[0].id'
    """
    if "ref" in param:
        turn = str(param["ref"]["turn"])
        named = (turns or {}).get(turn, turn)
        return say("what {turn} returned as {path}", turn=named, path=path_words(param["ref"]["path"]))
    if "values" in param:
        return any_of([value_text(value) for value in param["values"]])
    if "value" in param:
        return value_text(param["value"])
    return say("anything")
