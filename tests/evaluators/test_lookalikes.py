"""Nouns that look like forms of each other, and what was beside what will be: never equal for sure."""

from __future__ import annotations

import pytest

from evaluation.evaluators.embedded.values import compare_values


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [
        ("es", "puerto", "puerta"),
        ("es", "cuento", "cuenta"),
        ("es", "pimiento rojo", "pimienta roja"),
        ("pt", "calça", "calçado"),
        ("pt", "porta", "porto"),
        ("pt", "caixa", "caixão"),
        ("en", "was paid", "will be paid"),
        ("es", "fue aprobado", "será aprobado"),
        ("pt", "foi entregue", "será entregue"),
        ("en", "is cancelled", "may be cancelled"),
    ],
)
def test_another_word_or_time_is_another_value(language: str, a: str, b: str) -> None:
    assert not compare_values(a, b, language=language).is_equal
    assert not compare_values(b, a, language=language).is_equal


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [
        ("es", "puerta", "puertas"),
        ("es", "cerrado", "cerrada"),
        ("pt", "caixa", "caixas"),
        ("pt", "caixão", "caixões"),
        ("pt", "pago", "paga"),
        ("pt", "uma hora e quinze", "75 minutos"),
        ("es", "dos horas y cuarto", "135 minutos"),
        ("en", "4111 2290 0034", "411122900034"),
        ("en", "upgrade from Basic to Pro", "upgrade from the Basic plan to the Pro plan"),
        ("en", "the whole of May 2026", "2026-05-01 to 2026-05-31"),
    ],
)
def test_forms_and_spellings_of_one_thing_stay_equal(language: str, a: str, b: str) -> None:
    assert compare_values(a, b, language=language).is_equal
    assert compare_values(b, a, language=language).is_equal
