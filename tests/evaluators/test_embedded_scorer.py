"""The embedded scorer behind the engine's protocol."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from evaluation.aem.scorers import Scorer
from evaluation.evaluators.embedded.scorer import EmbeddedScorer, lists_version
from evaluation.evaluators.embedded.vocabulary import DATA, STANDARD

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


def test_the_version_changes_with_every_list(tmp_path: Path) -> None:
    """Lists of replies and tables too: an answer that was kept under other ones no longer holds."""
    shutil.copytree(DATA, tmp_path / "data")
    assert lists_version(tmp_path / "data") == lists_version()
    assert lists_version() in EmbeddedScorer().version
    for number, path in enumerate(sorted((tmp_path / "data").rglob("*.txt"))):
        folder = tmp_path / str(number)
        shutil.copytree(DATA, folder)
        with (folder / path.relative_to(tmp_path / "data")).open("a", encoding="utf-8") as file:
            file.write("# one more line\n")
        assert lists_version(folder) != lists_version(), path
