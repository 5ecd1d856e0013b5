"""The table of evaluators and what the engine has installed say the same."""

from __future__ import annotations

from evaluation.evaluators import registry


def test_every_evaluator_of_the_table_can_score() -> None:
    assert [known.name for known in registry.installed()] == list(registry.EVALUATORS)
    for name in registry.EVALUATORS:
        scorer = registry.find_scorer(name)
        assert scorer is not None
        assert scorer.name == name


def test_one_that_is_not_installed_is_not_replaced_by_another() -> None:
    assert registry.find_scorer("judge") is None
