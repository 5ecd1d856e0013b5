"""What decides where texts differ: a scorer gives a score and a sentence, or there is none beyond equality.

``exact`` is built in. Others are installed with :func:`register_scorer`; one that is not is an error.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol, runtime_checkable

from evaluation.aem.errors import ScorerUnavailable
from evaluation.aem.language import kept

ClaimState = Literal["covered", "contradicted", "not_said", "unknown"]
_NOT_EQUAL = kept("The values are not equal.")
_NOT_SAID = kept("The text does not appear in the reply.")


@dataclass(frozen=True, slots=True)
class TextScore:
    """How close two values are in meaning, from 0 to 1; None where that could not be judged, which is no number.

    ``is_split`` where scorers, layers or a judge's votes differ, or nothing decides; ``layer`` names what decided.
    """

    score: Fraction | None
    sentence: str
    is_split: bool = False
    layer: str = ""


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """What a reply does with a claim: says it, says otherwise, or does not say it; or nobody knows.

    ``quote`` is where in the reply the answer to the claim stands, as start and end in characters.
    """

    state: ClaimState
    score: Fraction | None
    sentence: str
    is_split: bool = False
    layer: str = ""
    quote: tuple[int, int] | None = None


@runtime_checkable
class Scorer(Protocol):
    """Compares values that are not equal. It is asked only after the exact comparison has failed."""

    @property
    def name(self) -> str:
        """As policies name it."""
        ...

    @property
    def is_semantic(self) -> bool:
        """Whether it can tell more than equality."""
        ...

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """Whether two JSON values mean the same; they pass from the threshold up. ``field`` is the parameter's name."""
        ...

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """Whether a reply says, denies or leaves out a claim, or the whole golden reply where there are no claims."""
        ...


class ExactScorer:
    """Equality alone: texts that are not equal when folded differ, and a claim that does not appear is not said."""

    name = "exact"
    is_semantic = False

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """Values that come here are not equal."""
        return TextScore(Fraction(0), _NOT_EQUAL)

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """Claims that come here do not appear."""
        return ClaimScore("not_said", Fraction(0), _NOT_SAID)


_installed: dict[str, Scorer] = {"exact": ExactScorer()}


def register_scorer(scorer: Scorer) -> None:
    """Install a scorer under its name."""
    _installed[scorer.name] = scorer


def unregister_scorer(name: str) -> None:
    """Take a scorer out again; ``exact`` stays."""
    if name != "exact":
        _installed.pop(name, None)


def get_scorer(name: str) -> Scorer:
    """The installed scorer of a name; raises ScorerUnavailable."""
    try:
        return _installed[name]
    except KeyError:
        raise ScorerUnavailable(name) from None
