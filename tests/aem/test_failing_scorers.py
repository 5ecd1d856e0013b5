"""A scorer that raises, or gives what is no score, is an error by name: no verdict comes of it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from evaluation.aem import ClaimScore, ScorerFailed, TextScore, score_record
from tests.aem.builders import call, gold, golden, reply


class Saying:
    """Gives what it was told to give."""

    name = "embedded"
    is_semantic = True

    def __init__(self, give: Callable[[], Any]) -> None:
        self.give = give

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> Any:
        """What it was told."""
        return self.give()

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> Any:
        """What it was told."""
        return self.give()


def record(*turns: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return {
        "format": "aem/1",
        "golden": golden(*(one for one, _ in turns)),
        "trajectory": {"turns": [other for _, other in turns]},
    }


VALUES = record((gold("g1", params={"k": "one"}), call("a", {"k": "two"})))
CLAIMS = record((reply("g1", "one", {"text": "one"}), {"response": "two"}))
ODD_SCORES: list[Any] = [Fraction(2), Fraction(-1, 9), float("nan"), float("inf"), 0.5, True, "1", 1j, [1]]


@pytest.mark.parametrize("scored", [VALUES, CLAIMS], ids=["values", "claims"])
@pytest.mark.parametrize("error", [ValueError("odd"), KeyError(1), RecursionError(), ZeroDivisionError("x" * 10**6)])
def test_a_scorer_that_raises_is_named(scored: dict[str, Any], error: Exception) -> None:
    def give() -> Any:
        raise error

    with pytest.raises(ScorerFailed, match="embedded") as failed:
        score_record(scored, scorer=Saying(give))
    assert failed.value.__cause__ is error
    assert len(str(failed.value)) < 1000


@pytest.mark.parametrize("scored", [VALUES, CLAIMS], ids=["values", "claims"])
@pytest.mark.parametrize("given", [None, 1, "covered", (1, "x"), object()])
def test_what_is_no_score_is_no_verdict(scored: dict[str, Any], given: Any) -> None:
    with pytest.raises(ScorerFailed, match="is no score"):
        score_record(scored, scorer=Saying(lambda: given))


@pytest.mark.parametrize("score", ODD_SCORES)
def test_a_score_is_an_exact_share(score: Any) -> None:
    with pytest.raises(ScorerFailed, match="is no score"):
        score_record(VALUES, scorer=Saying(lambda: TextScore(score, "")))
    with pytest.raises(ScorerFailed, match="is no score"):
        score_record(CLAIMS, scorer=Saying(lambda: ClaimScore("covered", score, "")))


def test_an_unknown_state_is_no_score() -> None:
    odd: Any = "perhaps"
    with pytest.raises(ScorerFailed, match="is no score"):
        score_record(CLAIMS, scorer=Saying(lambda: ClaimScore(odd, Fraction(1), "")))


def test_a_score_that_nobody_knows_is_one() -> None:
    assert score_record(VALUES, scorer=Saying(lambda: TextScore(None, ""))).not_scored == 1
    assert score_record(CLAIMS, scorer=Saying(lambda: ClaimScore("unknown", None, ""))).not_scored == 1
