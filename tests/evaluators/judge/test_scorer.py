"""The scorer that looks its answers up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from evaluation.aem.scorers import ClaimScore, Scorer, TextScore
from evaluation.evaluators.judge import JudgeScorer, Outcome, Question, Vote, count, find_quote, not_asked

HALF = Fraction(1, 2)


class Offline:
    """An offline scorer that finds whatever the test wants."""

    name = "embedded"
    is_semantic = True

    def __init__(self, score: Fraction | None, *, is_split: bool, layer: str = "semantic") -> None:
        self.found = TextScore(score, "Offline said so.", is_split, layer)

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        return self.found

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        state = "covered" if self.found.score else "not_said"
        found = self.found
        return ClaimScore(state, found.score, found.sentence, found.is_split, found.layer)  # type: ignore[arg-type]


def scorer_with(outcome: Outcome | None, *questions: Question, first: Scorer | None = None) -> JudgeScorer:
    known = {} if outcome is None else {question.key("v"): outcome for question in questions}
    return JudgeScorer(known, fingerprint="v", first=first)


def test_it_is_a_scorer() -> None:
    assert isinstance(scorer_with(None), Scorer)


def test_what_was_not_asked_is_pending_and_no_number() -> None:
    scorer = scorer_with(None)
    for _ in range(2):
        found = scorer.compare("New York City", "NYC", field="city", threshold=HALF)
        assert found.score is None
    assert list(scorer.pending.values()) == [Question.of_values("New York City", "NYC", field="city")]


def test_what_is_known_is_scored() -> None:
    question = Question.of_values("a", "b", field="f")
    scorer = scorer_with(count([Vote("equal", "Same.")], "values", quorum=1), question)
    found = scorer.compare("a", "b", field="f", threshold=HALF)
    assert found == TextScore(Fraction(1), "The judge says equal: Same.", False, "judge")
    assert not scorer.pending


@pytest.mark.parametrize(
    ("score", "is_split", "layer", "is_asked"),
    [
        (Fraction(1), False, "typed", False),
        (Fraction(0), False, "contradiction", False),
        (Fraction(1, 5), True, "contradiction", True),
        (Fraction(2, 3), True, "semantic", True),
        (None, False, "semantic", True),
    ],
)
def test_only_the_ambiguous_is_asked(score: Fraction | None, is_split: bool, layer: str, is_asked: bool) -> None:
    scorer = scorer_with(None, first=Offline(score, is_split=is_split, layer=layer))
    scorer.compare("a", "b", field="f", threshold=HALF)
    scorer.claim("a", "b", threshold=HALF)
    assert len(scorer.pending) == (2 if is_asked else 0)


def test_a_contradiction_stays_whatever_the_judge_says() -> None:
    question = Question.of_values("a", "b", field="f")
    outcome = count([Vote("equal")], "values", quorum=1)
    offline = Offline(Fraction(0), is_split=False, layer="contradiction")
    assert scorer_with(outcome, question, first=offline).compare("a", "b", field="f", threshold=HALF).score == 0


def test_what_offline_found_is_told_too() -> None:
    question = Question.of_values("a", "b", field="f")
    outcome = count([Vote("equal", "Same.")], "values", quorum=1)
    found = scorer_with(outcome, question, first=Offline(HALF, is_split=True)).compare(
        "a", "b", field="f", threshold=HALF
    )
    assert found.sentence == "Offline said so. The judge says equal: Same."
    assert found.score == 1


@pytest.mark.parametrize(
    ("label", "state"), [("covered", "covered"), ("contradicted", "contradicted"), ("not_said", "not_said")]
)
def test_a_claim_has_the_state_that_the_judge_names(label: str, state: str) -> None:
    question = Question.of_claim("The total is 12.", "It is 12.")
    found = scorer_with(count([Vote(label)], "claim", quorum=1), question).claim(
        "The total is 12.", "It is 12.", threshold=HALF
    )
    assert found.state == state
    assert not found.is_split


@pytest.mark.parametrize(("threshold", "state"), [(HALF, "covered"), (Fraction(3, 4), "not_said")])
def test_unsure_is_ambiguous(threshold: Fraction, state: str) -> None:
    question = Question.of_claim("a", "b")
    found = scorer_with(count([Vote("unsure")], "claim", quorum=1), question).claim("a", "b", threshold=threshold)
    assert (found.state, found.score, found.is_split) == (state, HALF, True)


def test_no_answer_is_unknown() -> None:
    question = Question.of_claim("a", "b")
    found = scorer_with(not_asked("the budget is spent.", "budget"), question).claim("a", "b", threshold=HALF)
    assert (found.state, found.score, found.sentence) == ("unknown", None, "Not scored: the budget is spent.")


@pytest.mark.parametrize(
    ("quote", "reply", "span"),
    [
        ("$12", "It is $12.", (6, 9)),
        ("it\nis  $12", "It is $12.", (0, 9)),
        ("not there", "It is $12.", None),
        ("", "It is $12.", None),
        (".*", "It is $12.", None),
    ],
)
def test_a_quote_is_found_or_there_is_none(quote: str, reply: str, span: tuple[int, int] | None) -> None:
    assert find_quote(quote, reply) == span
