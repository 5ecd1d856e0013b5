"""One statistic with what must stand beside it: n, interval, p-value, or the reason why there is no value."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Self

from evaluation.aem.language import kept, retold, say

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)

NO_SHARED_ITEMS = kept("no shared items")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, or None and the reason in plain words; never NaN, and never 0 in place of "not defined".

    ``low`` and ``high`` bound the 95 % interval. ``note`` says what a reader must know to read the value rightly, or
    why a value has no interval.
    """

    value: float | None
    n: int
    reason: str | None = None
    p_value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a figure has either a value or a reason why there is none")
        for number in (self.value, self.p_value, self.low, self.high):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{number} is not a number that can be shown")

    @classmethod
    def undefined(cls, reason: str, n: int) -> Self:
        return cls(value=None, n=n, reason=reason)

    def as_json(self) -> dict[str, float | int | str | None]:
        return {
            "value": self.value,
            "n": self.n,
            "reason": self.reason,
            "p_value": self.p_value,
            "low": self.low,
            "high": self.high,
            "note": self.note,
        }

    def __str__(self) -> str:
        """As a sentence would give it: ``0.83 (0.71 to 0.92)``, or the value and what to know, or the reason."""
        if self.value is None:
            return str(self.reason)
        if self.low is None or self.high is None:
            return f"{self.value:.2f} ({self.note})" if self.note else f"{self.value:.2f}"
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    @property
    def told(self) -> str:
        """The same in the reader's language; exports and what is stored have it in English."""
        if self.value is None:
            return retold(str(self.reason))
        if self.low is None or self.high is None:
            return f"{self.value:.2f} ({retold(self.note)})" if self.note else f"{self.value:.2f}"
        return say(
            "{value} ({low} to {high})", value=f"{self.value:.2f}", low=f"{self.low:.2f}", high=f"{self.high:.2f}"
        )


def wilson(successes: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of a rate (Wilson 1927), which stays inside 0 to 1 and has a width at 0 % and 100 % too.

    >>> [round(bound, 4) for bound in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} of {n} is not a rate")
    share = successes / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    # At the ends the bound is exactly 0 or 1; rounding would leave a bound just inside that excludes the rate itself.
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    high = 1.0 if successes == n else min(1.0, middle + reach)
    return low, high


def rate(successes: int, n: int, *, empty: str = NO_SHARED_ITEMS) -> Figure:
    """A share with its Wilson interval; ``empty`` is the reason where nothing was counted."""
    if n == 0:
        return Figure.undefined(empty, 0)
    low, high = wilson(successes, n)
    return Figure(value=successes / n, n=n, low=low, high=high)
