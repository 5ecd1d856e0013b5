"""How a judge is asked: the settings document, read and refused with the place and the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from evaluation.aem.language import say
from evaluation.evaluators.judge.questions import PROMPT_VERSION
from evaluation.formats import jsonio

Use = Literal["alone", "ambiguous"]
KeySource = Literal["none", "env", "stored"]

USES: tuple[Use, ...] = ("alone", "ambiguous")
KEY_SOURCES: tuple[KeySource, ...] = ("none", "env", "stored")
#: What the name of an environment variable with a key looks like.
KEY_VARIABLE = re.compile(r"AEM_JUDGE_KEY_[A-Z0-9][A-Z0-9_]{0,59}")

#: Prices are for a million tokens, money is counted in 10⁻¹²: with six decimals a token's price is a whole number.
PRICE_DECIMALS = 6
PICO = 10**12
MAX_MONEY = Decimal(1_000_000)

_WHOLE: dict[str, tuple[int, int]] = {
    "votes": (1, 15),
    "quorum": (1, 15),
    "timeout_seconds": (1, 600),
    "retries": (0, 10),
    "requests_a_minute": (1, 60_000),
    "concurrency": (1, 64),
    "answer_tokens": (16, 100_000),
}


class JudgeConfigError(ValueError):
    """A setting that cannot be followed; the message names it."""


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """The settings of a judge. Prices are for a million tokens; None: not known. Budgets are for a run; None: none."""

    base_url: str
    model: str
    key_source: KeySource = "none"
    key_variable: str = ""
    use: Use = "ambiguous"
    votes: int = 1
    quorum: int = 1
    timeout_seconds: int = 60
    retries: int = 4
    requests_a_minute: int = 60
    concurrency: int = 4
    answer_tokens: int = 1000
    temperature: Decimal = Decimal(0)
    seed: int | None = 1
    budget_tokens: int | None = None
    budget_money: Decimal | None = None
    price_in: Decimal | None = None
    price_out: Decimal | None = None

    @property
    def fingerprint(self) -> str:
        """Hash of what an answer hangs on, beside its question. Votes are none of it: each has its own seed."""
        hangs_on = {
            "prompt": PROMPT_VERSION,
            "base_url": self.base_url,
            "model": self.model,
            "temperature": str(self.temperature.normalize()),
            "seed": self.seed,
            "answer_tokens": self.answer_tokens,
        }
        return jsonio.content_hash(hangs_on)

    @property
    def has_prices(self) -> bool:
        return self.price_in is not None and self.price_out is not None

    def as_json(self) -> dict[str, Any]:
        """The document; without a key, which is nowhere in it."""
        key: dict[str, Any] = {"source": self.key_source}
        if self.key_source == "env":
            key["variable"] = self.key_variable
        return {
            "base_url": self.base_url,
            "model": self.model,
            "key": key,
            "use": self.use,
            **{name: getattr(self, name) for name in _WHOLE},
            "temperature": self.temperature,
            "seed": self.seed,
            "budget": {"tokens": self.budget_tokens, "money": self.budget_money},
            "prices": {"in": self.price_in, "out": self.price_out},
        }

    @classmethod
    def from_json(cls, body: Any) -> JudgeConfig:
        """Read a document; raises JudgeConfigError, which names the setting."""
        reader = _Reader(body, "the settings")
        key = _Reader(reader.take("key", {}), "key")
        budget = _Reader(reader.take("budget", {}), "budget")
        prices = _Reader(reader.take("prices", {}), "prices")
        config = cls(
            base_url=reader.text("base_url", 300),
            model=reader.text("model", 200),
            key_source=key.one_of("source", KEY_SOURCES, "none"),
            key_variable=key.text("variable", 80, default=""),
            use=reader.one_of("use", USES, "ambiguous"),
            temperature=reader.decimal("temperature", Decimal(2)) or Decimal(0),
            seed=reader.whole("seed", 0, 2**31 - 1, default=1, is_optional=True),
            budget_tokens=budget.whole("tokens", 1, 10**15, default=None, is_optional=True),
            budget_money=budget.decimal("money", MAX_MONEY),
            price_in=prices.decimal("in", MAX_MONEY),
            price_out=prices.decimal("out", MAX_MONEY),
        )
        defaults: dict[str, int] = {name: getattr(config, name) for name in _WHOLE}
        wholes = {
            name: reader.whole(name, *_WHOLE[name], default=defaults[name]) for name in _WHOLE if name != "quorum"
        }
        majority = (wholes["votes"] or 1) // 2 + 1
        wholes["quorum"] = reader.whole("quorum", *_WHOLE["quorum"], default=majority)
        for part in (reader, key, budget, prices):
            part.refuse_others()
        config = replace(config, **wholes)
        config._check()
        return config

    def _check(self) -> None:
        if self.quorum > self.votes:
            raise JudgeConfigError(
                say("quorum: {quorum} votes cannot be reached with {votes}", quorum=self.quorum, votes=self.votes)
            )
        if self.key_source == "env" and not KEY_VARIABLE.fullmatch(self.key_variable):
            raise JudgeConfigError(
                say("key: the name of the variable must begin with AEM_JUDGE_KEY_ and go on in capitals")
            )
        if self.key_source != "env" and self.key_variable:
            raise JudgeConfigError(say("key: a variable is only for keys from the environment"))
        if (self.price_in is None) != (self.price_out is None):
            raise JudgeConfigError(say("prices: give both or neither; a price of nothing is 0"))


class _Reader:
    """Takes settings out of an object one by one, so that what is left is unknown."""

    def __init__(self, body: Any, place: str) -> None:
        if not isinstance(body, dict):
            raise JudgeConfigError(say("{name}: an object is expected", name=place))
        self.body = dict(body)
        self.place = place

    def take(self, name: str, default: Any) -> Any:
        return self.body.pop(name, default)

    def text(self, name: str, length: int, *, default: str | None = None) -> str:
        value = self.take(name, default)
        if value is None:
            raise JudgeConfigError(say("{name}: this is needed", name=name))
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise JudgeConfigError(say("{name}: a text is expected", name=name))
        if len(value) > length:
            raise JudgeConfigError(say("{name}: at most {most} characters", name=name, most=length))
        return value.strip()

    def one_of(self, name: str, known: tuple[Any, ...], default: Any) -> Any:
        value = self.take(name, default)
        if value not in known:
            raise JudgeConfigError(say("{name}: must be one of {known}", name=name, known=", ".join(known)))
        return value

    def whole(self, name: str, low: int, high: int, *, default: int | None, is_optional: bool = False) -> Any:
        value = self.take(name, default)
        if value is None and is_optional:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise JudgeConfigError(
                say("{name}: a whole number from {low} to {high} is expected", name=name, low=low, high=high)
            )
        return value

    def decimal(self, name: str, high: Decimal) -> Decimal | None:
        value = self.take(name, None)
        if value is None:
            return None
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            raise JudgeConfigError(say("{name}: a number is expected", name=name))
        number = Decimal(value)
        exponent = number.normalize().as_tuple().exponent
        if not number.is_finite() or not 0 <= number <= high:
            raise JudgeConfigError(say("{name}: a number from 0 to {high} is expected", name=name, high=high))
        if isinstance(exponent, int) and exponent < -PRICE_DECIMALS:
            raise JudgeConfigError(say("{name}: at most {most} decimals", name=name, most=PRICE_DECIMALS))
        return number

    def refuse_others(self) -> None:
        if self.body:
            raise JudgeConfigError(
                say("{name}: unknown setting {setting}", name=self.place, setting=f"{min(self.body)!r:.60}")
            )


def pico_of(money: Decimal) -> int:
    """An amount in 10⁻¹², rounded up.

    >>> pico_of(Decimal("0.25"))
    250000000000
    """
    exact = money * PICO
    whole = int(exact)
    return whole if whole == exact else whole + 1


def money_of(pico: int) -> Decimal:
    """An amount from its count of 10⁻¹²."""
    return Decimal(pico) / PICO
