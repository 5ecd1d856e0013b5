"""What a comparison of meaning says: of two values, and of a claim beside a reply."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Judged:
    """Two values compared: the verdict, how sure it is, and what was found.

    ``score`` is 1 where they are equal for sure, 0 where they differ for sure, and their similarity between; it is at
    least one half exactly where ``is_equal``. Not ``is_sure``: the layers cannot decide, ``is_equal`` is only the
    better guess, and the verdict is ambiguous. ``notes`` are what the other layers found, one sentence each.
    """

    is_equal: bool
    is_sure: bool
    score: Fraction
    layer: str
    sentence: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimJudged:
    """One claim beside a reply: covered (score 1), contradicted or not said (score 0), and how sure that is.

    ``quote`` is where in the reply, as start and end in characters, the sentence stands that answers the claim.
    """

    state: Literal["covered", "contradicted", "not_said"]
    is_sure: bool
    score: Fraction
    layer: str
    sentence: str
    quote: tuple[int, int] | None
    notes: tuple[str, ...] = ()


class Embedding(Protocol):
    """Gives the similarity of two texts, from 0 to 1, where the rules leave one open."""

    name: str

    def similarity(self, a: str, b: str) -> float:
        """How alike two texts are."""
        ...
