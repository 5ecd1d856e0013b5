"""The settings document of a judge."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from evaluation.evaluators.judge import JudgeConfig, JudgeConfigError
from evaluation.evaluators.judge.config import money_of, pico_of

BODY = {"base_url": "https://example.org/v1", "model": "m"}


def read(**changes: Any) -> JudgeConfig:
    return JudgeConfig.from_json({**BODY, **changes})


def test_what_is_written_is_read() -> None:
    config = read(votes=3, prices={"in": Decimal("0.25"), "out": 2}, budget={"money": Decimal("1.5"), "tokens": 9})
    assert JudgeConfig.from_json(config.as_json()) == config
    assert config.quorum == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": ""}, "model"),
        ({"base_url": None}, "base_url"),
        ({"votes": 0}, "votes"),
        ({"votes": True}, "votes"),
        ({"votes": 2, "quorum": 3}, "quorum"),
        ({"temperature": Decimal("2.1")}, "temperature"),
        ({"seed": -1}, "seed"),
        ({"use": "always"}, "use"),
        ({"key": {"source": "env", "variable": "HOME"}}, "AEM_JUDGE_KEY_"),
        ({"key": {"source": "env", "variable": "AEM_JUDGE_KEY_x"}}, "AEM_JUDGE_KEY_"),
        ({"key": {"source": "stored", "text": "sk-1"}}, "unknown setting"),
        ({"api_key": "sk-1"}, "unknown setting"),
        ({"prices": {"in": 1}}, "prices"),
        ({"prices": {"in": Decimal("0.0000001"), "out": 1}}, "decimals"),
        ({"prices": {"in": Decimal("NaN"), "out": 1}}, "in:"),
        ({"budget": {"tokens": 0}}, "tokens"),
        ({"budget": 5}, "budget"),
    ],
)
def test_what_cannot_be_followed_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(JudgeConfigError, match=message):
        read(**changes)


def test_a_refusal_does_not_repeat_a_value() -> None:
    with pytest.raises(JudgeConfigError) as caught:
        read(key={"source": "stored", "text": "sk-secret"})
    assert "sk-secret" not in str(caught.value)


def test_the_fingerprint_is_of_what_answers_hang_on() -> None:
    base = read().fingerprint
    assert read(model="n").fingerprint != base
    assert read(temperature=Decimal("0.5")).fingerprint != base
    assert read(temperature=Decimal("0.0")).fingerprint == base
    assert read(votes=5, concurrency=9, budget={"tokens": 5}).fingerprint == base


def test_money_is_exact() -> None:
    assert pico_of(Decimal("0.1")) * 3 == pico_of(Decimal("0.3"))
    assert money_of(pico_of(Decimal("12.345678"))) == Decimal("12.345678")
    assert pico_of(Decimal("1e-13")) == 1
