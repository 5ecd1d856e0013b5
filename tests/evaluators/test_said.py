"""What the layers say stands in one place, and is told again in another language, whatever its values are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evaluation.aem import language
from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.values import compare_values
from evaluation.evaluators.embedded.vocabulary import STANDARD

FOLDER = Path(said.__file__).parent
HALF = Fraction(1, 2)
PAIRS: list[tuple[Any, Any, str]] = [
    ("New York", "new york.", ""),
    ("paid on 2026-03-04", "paid on 2026-03-05", ""),
    ("$5 coffee", "$6 coffee", ""),
    ("date and time: 2026-03-04 10:00", "2026-03-05 10:00", ""),
    ("refund approved", "refund denied", ""),
    ("a red blanket", "a blue blanket", ""),
    ("big house", "house", ""),
    ("5 km", "7 km", ""),
    ("EZE", "GRU", "airport"),
    ("EZE", "Ezeiza airport", "airport"),
    ("Peru", "Chile", "country"),
    ("Spain", "España", "country"),
    ("Springfield, Illinois", "Springfield, Ohio", "city"),
    (True, "yes", ""),
    (True, "no", ""),
    (True, False, ""),
    (True, "perhaps", ""),
    (None, "x", ""),
    (None, "n/a", ""),
    (3, 4, ""),
    (3, "three", ""),
    (3, [1, 2], ""),
    ([1, 2], [1, 2, 3], ""),
    (["a", "b"], ["b", "c"], ""),
    ({"a": 1, "b": {"c": "refund approved"}}, {"a": 1, "b": {"c": "refund denied"}}, ""),
    ({"a": 1}, {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, ""),
    ({}, {}, ""),
    ("/home/ann/a.txt", "/home/ann/b.txt", ""),
    ("@ann", "@Ann", ""),
    ("WW2", "World War 2", ""),
    ("NYC", "New York City", "city"),
]
CLAIMS = [
    ("The total is $12.", "The total is $15."),
    ("The total is $12.", "It is on its way."),
    ("Your order was shipped on May 4.", "Your order will be shipped on May 4."),
    ("All seats are free.", "Some seats are free."),
    ("You must bring an ID.", "You may bring an ID."),
    ("The refund was approved. It takes 5 days.", "The refund was approved and takes 5 days."),
    ("Sales went up 12%.", "Sales went down 12%."),
    ("The flight is not delayed.", "The flight is delayed."),
]


def sentences() -> Iterator[str]:
    for expected, observed, field in PAIRS:
        judged = compare_values(expected, observed, field=field, language="", vocabulary=STANDARD, embedding=None)
        yield judged.sentence
        yield from judged.notes
    for claim, reply in CLAIMS:
        yield EmbeddedScorer().claim(claim, reply, threshold=HALF).sentence


def in_brackets(_context: str, one: str, many: str | None, count: int | None) -> str:
    return f"⟦{one if many is None or count == 1 else many}⟧"


@pytest.fixture
def brackets() -> Iterator[None]:
    before = language._translate
    language.use(in_brackets)
    yield
    language.use(before)


@pytest.mark.usefixtures("brackets")
def test_every_sentence_is_known_when_it_is_told_again() -> None:
    found = [text for text in sentences() if text]
    assert len(set(found)) > 30
    for text in found:
        told = language.retold(text)
        assert told != text
        assert re.sub("[⟦⟧]", "", told) == text


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ("address.city: They are equal.", "address.city: ⟦They are equal.⟧"),
        ("“a” is not “b” (date and time).", "⟦“a” is not “b” (⟦date and time⟧).⟧"),
        (
            "“a” and “b” are alike (a letter apart). The judge says not said: It is open. Who knows.",
            "⟦“a” and “b” are alike (⟦a letter apart⟧).⟧ ⟦The judge says ⟦not said⟧: It is open. Who knows.⟧",
        ),
        ("The judge says equal: This is it. It may be so.", "⟦The judge says ⟦equal⟧: This is it. It may be so.⟧"),
        ("This is the same.", "This is the same."),
        (
            "Not scored: No key is stored for this judge. Enter it in the settings.",
            "⟦Not scored: ⟦No key is stored for this judge. Enter it in the settings.⟧.⟧",
        ),
    ],
)
def test_parts_of_sentences_are_told_again(stored: str, told: str) -> None:
    from evaluation.services import judging  # noqa: F401 - it keeps what is said of judges

    assert language.retold(stored) == told


def test_no_layer_has_a_sentence_of_its_own() -> None:
    own = []
    for path in sorted(FOLDER.rglob("*.py")):
        if path.name != "said.py":
            own += [f"{path.name}: {text}" for text in written_in(ast.parse(path.read_text("utf-8")))]
    assert own == []


def written_in(tree: ast.AST) -> Iterator[str]:
    """Texts that are sentences: a capital, a quotation mark or a value first, a full stop last."""
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart |= {id(part) for part in node.values}
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            text = node.value
        else:
            continue
        if re.fullmatch(r"[A-Z“{][^\n\\]* [^\n\\]*[a-z}”)]\.", text):
            yield text
