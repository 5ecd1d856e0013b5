"""What counts as an answer, and how votes make a score."""

from __future__ import annotations

import doctest
from fractions import Fraction

import pytest

from evaluation.evaluators.judge import UnreadableAnswerError, Vote, answers, count, read_answer


def test_an_answer_has_a_label_and_a_reason() -> None:
    assert read_answer('{"reason": "Both are  the city.", "label": "equal"}', "values") == Vote(
        "equal", "Both are the city."
    )


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"reason": "x", "label": "equal"}\n```',
        '  {"reason": "x", "label": " Equal "}\n',
        '{"label": "equal", "reason": 3, "more": []}',
    ],
)
def test_small_liberties_are_read(content: str) -> None:
    assert read_answer(content, "values").label == "equal"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "the reply is empty"),
        ("equal", "the reply is not JSON"),
        ('Sure! {"reason": "x", "label": "equal"}', "the reply is not JSON"),
        ('{"reason": "x", "label": "equal"} I hope this helps', "something follows"),
        ('{"reason": "x", "label": "equal"', "the reply is not JSON"),
        ('["equal"]', "not a JSON object"),
        ('{"reason": "x"}', "has no label"),
        ('{"reason": "x", "label": "NaN"}', "the label is none of"),
        ('{"reason": "x", "label": NaN}', "NaN is not a JSON value"),
        ('{"reason": "x", "label": 1}', "the label is none of"),
        ('{"reason": "x", "label": null}', "the label is none of"),
        ('{"reason": "x", "label": "covered"}', "the label is none of equal"),
        ('{"label": "equal", "label": "different"}', "more than once"),
        ("[" * 5000, "levels deep"),
    ],
)
def test_the_rest_is_no_answer(content: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=problem):
        read_answer(content, "values")


def test_characters_that_no_database_holds_are_replaced() -> None:
    vote = read_answer('{"reason": "a\\u0000b\\ud83d", "label": "covered", "quote": "\\u0000"}', "claim")
    assert (vote.reason, vote.quote) == ("a\ufffdb\ufffd", "\ufffd")


def votes(*labels: str) -> list[Vote]:
    return [Vote(label) if label else Vote(problem="the reply is empty") for label in labels]


@pytest.mark.parametrize(
    ("labels", "score", "label", "is_split"),
    [
        (["equal"], 1, "equal", False),
        (["different"], 0, "different", False),
        (["unsure"], Fraction(1, 2), "unsure", True),
        (["equal", "equal", "different"], Fraction(2, 3), "equal", True),
        (["different", "equal", "different"], Fraction(1, 3), "different", True),
        (["equal", "different"], Fraction(1, 2), "unsure", True),
        (["equal", "equal", "unsure"], Fraction(5, 6), "equal", True),
        (["equal", "", "equal"], 1, "equal", False),
    ],
)
def test_the_score_is_the_share_of_readable_votes(
    labels: list[str], score: Fraction, label: str, is_split: bool
) -> None:
    outcome = count(votes(*labels), "values", quorum=1)
    assert (outcome.state, outcome.score, outcome.label, outcome.is_split) == ("answered", score, label, is_split)


def test_votes_that_could_not_be_read_stand_beside_the_others() -> None:
    outcome = count(votes("equal", "", "equal"), "values", quorum=2)
    assert outcome.sentence == "The judge says equal, in all 2 votes; 1 of 3 could not be read."


def test_below_the_quorum_there_is_no_score() -> None:
    outcome = count(votes("equal", "", ""), "values", quorum=2)
    assert (outcome.state, outcome.score, outcome.label) == ("unreadable", None, "")
    assert outcome.sentence == ("Not scored: 1 of 3 votes could be read, 2 are needed; the reply is empty (2 times).")


def test_no_vote_at_all_is_no_score_whatever_the_quorum() -> None:
    assert count(votes(""), "values", quorum=0).score is None


def test_a_reply_that_leaves_out_and_one_that_denies_are_told_apart() -> None:
    assert count([Vote("contradicted"), Vote("contradicted"), Vote("not_said")], "claim", quorum=2).label == (
        "contradicted"
    )


def test_a_reason_is_one_sentence() -> None:
    vote = read_answer('{"reason": "' + "very " * 1000 + '", "label": "equal"}', "values")
    assert len(vote.reason) == answers.REASON_LENGTH


def test_examples_in_the_code_hold() -> None:
    assert doctest.testmod(answers).failed == 0
