"""What speaks against a golden reply being said: one finding each, with its place in both texts."""

from dataclasses import dataclass
from typing import Literal

from evaluation.evaluators.embedded.reading import Reading
from evaluation.evaluators.embedded.sentences import Span


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the golden that the reply contradicts or leaves out.

    ``first`` and ``last`` (exclusive) are the golden's tokens that it is about; ``quote`` is the reply's sentence that
    says otherwise, where one does. ``weight`` orders findings: the heaviest is the one that is told.
    """

    state: Literal["contradicted", "not_said"]
    layer: str
    sentence: str
    first: int
    last: int
    quote: Span | None = None
    is_sure: bool = False
    weight: float = 1.0


def written(reading: Reading, first: int, last: int) -> str:
    """The text of some tokens, as it is written, on one line and of a length that can be read."""
    if first >= last:
        return ""
    text = " ".join(reading.text[reading.tokens[first].start : reading.tokens[last - 1].end].split())
    return text if len(text) <= 80 else text[:77].rstrip() + "…"


def sentence_at(reading: Reading, at: int) -> Span | None:
    """The sentence in which a token stands."""
    return reading.sentences[reading.tokens[at].sentence] if 0 <= at < len(reading.tokens) else None
