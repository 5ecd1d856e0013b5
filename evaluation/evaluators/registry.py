"""The evaluators that a policy can name: what compares values and replies beyond equality.

One module in this folder, and its line here, make a further one. The engine knows them by name
(`evaluation.aem.scorers`); a policy that names one which is not installed is not scored with another in its place.
"""

from dataclasses import dataclass

from evaluation.aem import Scorer, get_scorer
from evaluation.aem.errors import ScorerUnavailable


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator as people choose it."""

    name: str
    label: str
    description: str

    @property
    def is_installed(self) -> bool:
        return find_scorer(self.name) is not None


EVALUATORS: dict[str, Evaluator] = {
    known.name: known
    for known in (
        Evaluator(
            "exact",
            "exact: values are equal, claims appear",
            "Numbers are equal as numbers, texts when folded; a claim's values appear in the reply. Decides everything "
            "by itself, the same on every machine.",
        ),
    )
}


def find_scorer(name: str) -> Scorer | None:
    """The scorer of an evaluator; None where it is not installed."""
    try:
        return get_scorer(name)
    except ScorerUnavailable:
        return None


def installed() -> list[Evaluator]:
    """The evaluators that can be chosen here, in the order of the table."""
    return [known for known in EVALUATORS.values() if known.is_installed]
