"""The embedded scorer behind the engine's protocol."""

from fractions import Fraction

import pytest

from evaluation.aem.scorers import Scorer
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.vocabulary import STANDARD

HALF = Fraction(1, 2)


def test_it_is_a_scorer() -> None:
    scorer = EmbeddedScorer()
    assert isinstance(scorer, Scorer)
    assert scorer.name == "embedded"
    assert scorer.is_semantic


def test_certain_values_score_one_or_zero() -> None:
    scorer = EmbeddedScorer(language="en")
    same = scorer.compare("NYC", "New York City", field="city", threshold=HALF)
    other = scorer.compare("$1,200", "€1,200", field="price", threshold=HALF)
    assert (same.score, same.is_split) == (Fraction(1), False)
    assert (other.score, other.is_split, other.layer) == (Fraction(0), False, "contradiction")


def test_what_the_layers_leave_open_is_split() -> None:
    found = EmbeddedScorer(language="en").compare("refund", "express refund", field="reason", threshold=HALF)
    assert found.is_split
    assert found.score is not None
    assert 0 < found.score < 1


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("Your refund of $50 was approved.", "covered"),
        ("Your refund of $60 was approved.", "contradicted"),
        ("Hello!", "not_said"),
    ],
)
def test_a_claim_is_covered_contradicted_or_not_said(reply: str, state: str) -> None:
    found = EmbeddedScorer(language="en").claim("The refund of $50 was approved.", reply, threshold=HALF)
    assert found.state == state
    assert found.score is not None
    assert (found.score >= HALF) == (state == "covered")


def test_the_version_names_what_verdicts_hang_on() -> None:
    own = STANDARD.extended({"equal": [{"terms": ["alpha", "beta"]}]})
    versions = {EmbeddedScorer().version, EmbeddedScorer(vocabulary=own).version}
    assert len(versions) == 2
    assert all("rules" in version and "vocabulary" in version for version in versions)
