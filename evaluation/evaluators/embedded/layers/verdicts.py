"""How a layer says what it found: certain, or the better guess; and how values are shown in its sentence."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.model import Judged

_ONE, _ZERO, _HALF = Fraction(1), Fraction(0), Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Open:
    """A verdict; and where the words did not decide, those left over on each side, and the whole texts."""

    judged: Judged
    rest: tuple[str, str] | None = None
    whole: tuple[str, str] = ("", "")


def sure(is_equal: bool, layer: str, sentence: str, notes: tuple[str, ...] = ()) -> Judged:
    """A verdict that a layer is certain of."""
    return Judged(is_equal, True, _ONE if is_equal else _ZERO, layer, sentence, notes)


def unsure(is_equal: bool, similarity: Fraction, layer: str, sentence: str, notes: tuple[str, ...] = ()) -> Judged:
    """The better guess where the layers cannot decide; its score stays on its side of one half."""
    score = max(_HALF, min(similarity, Fraction(95, 100))) if is_equal else min(similarity, Fraction(49, 100))
    return Judged(is_equal, False, score, layer, sentence, notes)


def shown(value: Any) -> str:
    """A value as it is shown in a sentence, shortened."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    except (RecursionError, ValueError):
        text = "a value"
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = text if len(text) <= 60 else f"{text[:57]}…"
    return f"“{text}”" if isinstance(value, str) else text


def listed(names: Sequence[str]) -> str:
    quoted = [shown(name) for name in names[:3]]
    text = ", ".join(quoted)
    return said.AND_MORE.format(listed=text, count=len(names) - 3) if len(names) > 3 else text
