"""Explanations in another language: worked out, or told again of what was stored in English."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.aem import language, score_record
from evaluation.aem.sentences import reason_again, sentence_again, told_again
from evaluation.formats import jsonio
from tests.aem.random_records import a_record, judged

CASES = sorted((Path(__file__).resolve().parents[1] / "cases").glob("*.json"))


@pytest.fixture(autouse=True)
def its_own_language() -> Iterator[None]:
    before = language._translate
    yield
    language.use(before)


def brackets(context: str, one: str, many: str | None, count: int | None) -> str:
    return f"⟦{one if many is None or count == 1 else many}⟧"


def explained(verdict: Any) -> list[dict[str, Any]]:
    return [verdict.explain_turn(turn.turn_no) for turn in verdict.turns]


def require_told_again(verdict: Any) -> None:
    """What was stored in English reads as if it were worked out in the reader's language."""
    language.use(None)
    stored = json.loads(jsonio.dumps(explained(verdict)))
    assert told_again(stored[0]) == stored[0]
    language.use(brackets)
    live = json.loads(jsonio.dumps(explained(verdict)))
    for kept, made in zip(stored, live, strict=True):
        told = told_again(kept)
        assert told["sentence"] == made["sentence"]
        assert told["ambiguous_because"] == made["ambiguous_because"]
        assert [item["sentence"] for item in told["items"]] == [item["sentence"] for item in made["items"]]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_stored_explanation_is_told_as_a_fresh_one(path: Path) -> None:
    require_told_again(score_record(jsonio.loads(path.read_text(encoding="utf-8"))["record"]))


@pytest.mark.parametrize("seed", range(300))
def test_so_is_one_of_any_record(seed: int) -> None:
    record = a_record(seed)
    verdict = judged(record) if record is not None else None
    if verdict is not None and verdict.turns:
        require_told_again(verdict)


def test_every_sentence_is_translated() -> None:
    language.use(brackets)
    for path in CASES:
        for turn in explained(score_record(jsonio.loads(path.read_text(encoding="utf-8"))["record"])):
            for text in (turn["sentence"], *(item["sentence"] for item in turn["items"])):
                assert text.startswith("⟦"), text
                assert text.endswith("⟧"), text


def test_scoring_asks_for_no_translation() -> None:
    def refuse(context: str, one: str, many: str | None, count: int | None) -> str:
        raise AssertionError(f"scoring says {one!r}")

    language.use(refuse)
    for path in CASES:
        score_record(jsonio.loads(path.read_text(encoding="utf-8"))["record"])


def test_what_is_not_known_stays_as_it_is() -> None:
    language.use(brackets)
    assert sentence_again("Failed by itself. The judge found it odd. Really.") == (
        "⟦Failed by itself.⟧ The judge found it odd. Really."
    )
    assert sentence_again("An old engine said this.") == "An old engine said this."
    assert reason_again("An old engine was not sure.") == "An old engine was not sure."


def test_a_reason_names_its_field_and_what_a_scorer_said() -> None:
    language.use(brackets)
    assert reason_again("City: the score 0.52 is within 0.05 of the threshold 0.5.") == (
        "City: ⟦the score 0.52 is within 0.05 of the threshold 0.5⟧."
    )
    assert reason_again("The reply: the comparison leaves open whether it is right: It may be.") == (
        "⟦The reply⟧: ⟦the comparison leaves open whether it is right⟧: It may be."
    )
