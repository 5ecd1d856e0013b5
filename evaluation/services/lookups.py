"""What the offline scorer says of a pair that somebody types, and what the word lists know of it. Nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from annotations.models import Project
from evaluation.aem.language import mark, say, say_n
from evaluation.evaluators.embedded.vocabulary import STANDARD
from evaluation.evaluators.embedded.vocabulary import Vocabulary as Words
from evaluation.evaluators.registry import EVALUATORS, Extra
from evaluation.services import embeddings, vocabularies

#: The verdict in words: where it is sure, and where it is not.
_WORDS = {
    "equal": (mark("equal"), mark("not sure, rather equal")),
    "different": (mark("different"), mark("not sure, rather different")),
    "covered": (mark("covered"), mark("not sure, rather covered")),
    "contradicted": (mark("contradicted"), mark("not sure, rather contradicted")),
    "not_said": (mark("not said"), mark("not sure, rather not said")),
}
#: Pieces of a longer text that are named.
_MOST_PIECES = 8


@dataclass(frozen=True, slots=True)
class Looked:
    """A judgement as people read it: the verdict, which layer found it, in which words, and what else is known.

    ``state`` is ``equal`` or ``different`` of two values, ``covered``, ``contradicted`` or ``not_said`` of a claim.
    ``score`` runs from 0 to 1; between them nothing is certain. ``quote`` is the sentence of the reply that answers.
    """

    state: str
    is_sure: bool
    score: Fraction
    layer: str
    sentence: str
    notes: tuple[str, ...]
    quote: str = ""
    known: tuple[str, ...] = ()
    version: str = ""

    @property
    def words(self) -> str:
        """The verdict in words."""
        sure, unsure = _WORDS[self.state]
        return say(sure) if self.is_sure else say(unsure)

    @property
    def share(self) -> str:
        """The score for people, to two places."""
        return f"{float(self.score):.2f}"

    @property
    def is_positive(self) -> bool:
        return self.state in ("equal", "covered")


def compare(project: Project, *, expected: Any, observed: Any, field: str = "", language: str = "") -> Looked:
    """Compare two JSON values as a run of this project would now, without keeping the answer."""
    # The rules read their word lists with the first comparison.
    from evaluation.evaluators.embedded.values import compare_values  # noqa: PLC0415

    words = vocabularies.words_of(vocabularies.latest(project))
    judged = compare_values(
        expected,
        observed,
        field=field,
        language=language,
        vocabulary=words,
        embedding=embeddings.find(embeddings.installed()),
    )
    return Looked(
        state="equal" if judged.is_equal else "different",
        is_sure=judged.is_sure,
        score=judged.score,
        layer=judged.layer,
        sentence=judged.sentence,
        notes=judged.notes,
        known=tuple(_known(words, expected, observed, field, language))
        if isinstance(expected, str) and isinstance(observed, str)
        else (),
        version=words.version,
    )


def judge_claim(project: Project, *, claim: str, reply: str, language: str = "") -> Looked:
    """What a reply does with a claim, as a run of this project would judge it now."""
    from evaluation.evaluators.embedded.replies import judge_claim as judge  # noqa: PLC0415

    words = vocabularies.words_of(vocabularies.latest(project))
    judged = judge(claim, reply, language=language, vocabulary=words, embedding=embeddings.find(embeddings.installed()))
    return Looked(
        state=judged.state,
        is_sure=judged.is_sure,
        score=judged.score,
        layer=judged.layer,
        sentence=judged.sentence,
        notes=judged.notes,
        quote=reply[slice(*judged.quote)] if judged.quote else "",
        version=words.version,
    )


def _known(words: Words, a: str, b: str, field: str, language: str) -> list[str]:
    """What the lists know of two texts as wholes, and of their pieces."""
    found = []
    said = words.project_says(a, b, field)
    if said is not None:
        found.append(
            say("The project's own entries call them equal.")
            if said
            else say("The project's own entries call them different.")
        )
    if STANDARD.are_synonyms(a, b, language):
        found.append(say("The built-in lists: as wholes they mean the same."))
    if STANDARD.are_opposites(a, b, language):
        found.append(say("The built-in lists: as wholes they deny each other."))
    if STANDARD.are_contrasted(a, b, language):
        found.append(say("The built-in lists: as wholes they exclude each other."))
    for text in dict.fromkeys((a, b)):
        pieces = [term.text for term in words.longest_terms(text.split(), language) if term.is_known]
        fillers = [piece for piece in pieces if words.is_filler(piece, language)]
        rest = [piece for piece in pieces if piece not in fillers]
        parts = [say("known words: {words}", words=_listed(rest)) if rest else say("no word of it is in the lists")]
        parts += [say("changes nothing: {words}", words=_listed(fillers))] if fillers else []
        found.append(f"“{text[:80]}”: {'; '.join(parts)}.")
    return found


def _listed(words: list[str]) -> str:
    shown, more = ", ".join(words[:_MOST_PIECES]), len(words) - _MOST_PIECES
    return say_n("{words} and {count} more", "{words} and {count} more", more, words=shown) if more > 0 else shown


def missing_extras() -> list[tuple[str, Extra]]:
    """The optional packages that are not installed here, each with the name of the evaluator that gains by it."""
    return [(known.name, known.missing) for known in EVALUATORS.values() if known.missing is not None]
