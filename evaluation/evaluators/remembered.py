"""A scorer in front of another that never asks the same question twice, and can put questions off.

Whoever scores many trajectories runs the engine, has the questions that came up answered all at once (and kept where
other processes find them), and runs the engine again on what is then known.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from evaluation.aem import ClaimScore, TextScore
from evaluation.aem.jsontext import dumps
from evaluation.aem.language import kept

Kind = Literal["value", "claim"]
Score = TextScore | ClaimScore
_NOT_COMPARED = kept("Not compared yet.")


@dataclass(frozen=True, slots=True)
class Question:
    """What a scorer is asked: whether two values mean the same, or what a reply does with a claim.

    ``expected`` and ``observed`` are JSON texts of the values; for a claim, the claim and the reply themselves.
    """

    kind: Kind
    field: str
    language: str
    expected: str
    observed: str

    def key(self, fingerprint: str) -> str:
        """The hash of the question and of everything that its answer hangs on."""
        parts = dumps([fingerprint, self.kind, self.field, self.language, self.expected, self.observed])
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()

    def as_json(self) -> dict[str, str]:
        """As it is kept."""
        return {
            "kind": self.kind,
            "field": self.field,
            "language": self.language,
            "expected": self.expected,
            "observed": self.observed,
        }


class RememberingScorer:
    """Answers from ``known``; what is not there is noted in ``open`` and not judged for now.

    Not judged for now is no verdict: as long as ``open`` holds something, what was scored is to be scored again.
    """

    is_semantic = True

    def __init__(
        self,
        name: str,
        *,
        language: str,
        known: Mapping[Question, Score],
        failed: Mapping[Question, Exception] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.language = language
        self.known = known
        #: Questions on which the other scorer failed, with what it raised; that is raised again where they are asked.
        self.failed = failed
        #: Questions without an answer so far, in the order in which they came up.
        self.open: dict[Question, None] = {}
        #: Questions since the last :meth:`restart`, each as often as it was asked.
        self.asked: dict[Question, int] = {}
        #: Whether one of those has no answer.
        self.is_waiting = False

    def restart(self) -> None:
        """Begin to count anew, for another trajectory."""
        self.asked = {}
        self.is_waiting = False

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """The answer that is known, or none for now."""
        question = Question("value", field, self.language, dumps(expected), dumps(observed))
        found = self._find(question)
        return found if isinstance(found, TextScore) else TextScore(None, _NOT_COMPARED)

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """The answer that is known, or none for now. A claim is covered from the threshold up."""
        found = self._find(Question("claim", "", self.language, claim, reply))
        return under_threshold(found, threshold) if isinstance(found, ClaimScore) else _NOT_YET

    def _find(self, question: Question) -> Score | None:
        self.asked[question] = self.asked.get(question, 0) + 1
        found = self.known.get(question)
        if found is None and question in self.failed:
            raise self.failed[question].with_traceback(None)
        if found is None:
            self.open[question] = None
            self.is_waiting = True
        return found


_NOT_YET = ClaimScore("unknown", None, _NOT_COMPARED)


def under_threshold(found: ClaimScore, threshold: Fraction) -> ClaimScore:
    """What a score says under a threshold: a claim that is not contradicted is covered from there up."""
    if found.score is None or found.state in {"contradicted", "unknown"}:
        return found
    state: Literal["covered", "not_said"] = "covered" if found.score >= threshold else "not_said"
    if state == found.state:
        return found
    return ClaimScore(state, found.score, found.sentence, found.is_split, found.layer, found.quote)


def as_json(score: Score) -> dict[str, Any]:
    """A score as it is kept, exact."""
    made: dict[str, Any] = {
        "score": None if score.score is None else str(score.score),
        "sentence": score.sentence,
        "is_split": score.is_split,
        "layer": score.layer,
    }
    if isinstance(score, ClaimScore):
        made["state"] = score.state
        made["quote"] = None if score.quote is None else [*score.quote]
    return made


def from_json(body: Mapping[str, Any]) -> Score:
    """The score that was kept."""
    score = None if body["score"] is None else Fraction(body["score"])
    if "state" not in body:
        return TextScore(score, body["sentence"], body["is_split"], body["layer"])
    quote = body["quote"]
    return ClaimScore(
        body["state"], score, body["sentence"], body["is_split"], body["layer"], None if quote is None else tuple(quote)
    )
