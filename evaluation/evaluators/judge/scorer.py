"""The scorer `judge`: looks its answers up, and notes what has to be asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from evaluation.aem.language import kept
from evaluation.aem.scorers import ClaimScore, ClaimState, Scorer, TextScore
from evaluation.evaluators.judge.answers import Outcome
from evaluation.evaluators.judge.questions import Question

NOT_ASKED_YET = kept("The judge was not asked yet.")


class JudgeScorer:
    """Scores from the outcomes that are known. Whoever scores asks what is ``pending``, adds it and scores again.

    With a scorer that comes ``first``, only what that one finds ambiguous is a question. ``outcomes`` is keyed by
    ``question.key(fingerprint)`` and may be added to between two scorings.
    """

    name = "judge"
    is_semantic = True

    def __init__(self, outcomes: Mapping[str, Outcome], *, fingerprint: str, first: Scorer | None = None) -> None:
        self.outcomes = outcomes
        self.fingerprint = fingerprint
        self.first = first
        self.pending: dict[str, Question] = {}
        """Questions without an outcome, by their keys, in the order in which they came up."""

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """Whether two values mean the same; without a score where the judge was not asked yet or gave no answer."""
        found = self.first.compare(expected, observed, field=field, threshold=threshold) if self.first else None
        if found is not None and _is_final(found):
            return found
        outcome = self._outcome(Question.of_values(expected, observed, field=field))
        if outcome is None:
            return TextScore(None, _after(found, NOT_ASKED_YET), layer=self.name)
        return TextScore(outcome.score, _after(found, outcome.sentence), outcome.is_split, self.name)

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """What the reply does with the claim; unknown where the judge was not asked yet or gave no answer."""
        found = self.first.claim(claim, reply, threshold=threshold) if self.first else None
        if found is not None and _is_final(found):
            return found
        outcome = self._outcome(Question.of_claim(claim, reply))
        if outcome is None or outcome.score is None:
            sentence = NOT_ASKED_YET if outcome is None else outcome.sentence
            return ClaimScore("unknown", None, _after(found, sentence), layer=self.name)
        state = _state(outcome.label, outcome.score, threshold)
        span = find_quote(outcome.quote, reply)
        return ClaimScore(state, outcome.score, _after(found, outcome.sentence), outcome.is_split, self.name, span)

    def _outcome(self, question: Question) -> Outcome | None:
        key = question.key(self.fingerprint)
        known = self.outcomes.get(key)
        if known is None:
            self.pending[key] = question
        return known


def _is_final(found: TextScore | ClaimScore) -> bool:
    """What is sure offline stays: no language model overrules a contradiction of numbers, dates, units or ids."""
    return found.score is not None and not found.is_split


def _after(found: TextScore | ClaimScore | None, sentence: str) -> str:
    return sentence if found is None or not found.sentence else f"{found.sentence} {sentence}"


def _state(label: str, score: Fraction, threshold: Fraction) -> ClaimState:
    """Contradicted where most votes say so; else covered from the threshold up, as values pass from it up."""
    if label == "contradicted":
        return "contradicted"
    return "covered" if score >= threshold else "not_said"


def find_quote(quote: str, reply: str) -> tuple[int, int] | None:
    """Where a quote stands in the reply, white space aside; None where the judge made it up.

    >>> find_quote("is  $12", "The total is $12.")
    (10, 16)
    """
    parts = quote.split()
    if not parts:
        return None
    found = re.search(r"\s+".join(map(re.escape, parts)), reply, re.IGNORECASE)
    return found.span() if found else None
