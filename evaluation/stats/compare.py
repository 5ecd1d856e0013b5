"""Two versions of an agent on the same items: paired, because two runs of one agent already differ on many items."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.aem.language import kept
from evaluation.stats.figures import NO_SHARED_ITEMS, Figure, rate, wilson

#: Why a pair was left out, by whether A and B are missing.
_NOT_EVALUATED = {
    (True, False): kept("not evaluated in A"),
    (False, True): kept("not evaluated in B"),
    (True, True): kept("not evaluated in A and B"),
}
_NO_TEST = kept("no test: no item on which the versions differ")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of each item from version A to version B.

    ``difference`` is B's rate less A's, with the exact McNemar p-value and Newcombe's 95 % interval for paired rates.
    """

    both_pass: int
    only_a: int
    only_b: int
    both_fail: int
    excluded: Counter[str]
    rate_a: Figure
    rate_b: Figure
    difference: Figure

    @property
    def n(self) -> int:
        return self.both_pass + self.only_a + self.only_b + self.both_fail

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "both_pass": self.both_pass,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "both_fail": self.both_fail,
            "excluded": dict(sorted(self.excluded.items())),
            "rate_a": self.rate_a.as_json(),
            "rate_b": self.rate_b.as_json(),
            "difference": self.difference.as_json(),
        }


def compare_versions(pairs: Iterable[tuple[bool | None, bool | None]]) -> Comparison:
    """Compare (A passed, B passed) item by item; None is "not evaluated" and takes the item out, counted."""
    counts = Counter(pairs)
    excluded: Counter[str] = Counter()
    for (a, b), count in counts.items():
        missing = a is None, b is None
        if any(missing):
            excluded[_NOT_EVALUATED[missing]] += count
    return compare_counts(
        both_pass=counts[True, True],
        only_a=counts[True, False],
        only_b=counts[False, True],
        both_fail=counts[False, False],
        excluded=excluded,
    )


def compare_counts(
    *, both_pass: int, only_a: int, only_b: int, both_fail: int, excluded: Counter[str] | None = None
) -> Comparison:
    """The same from the four counts."""
    if min(both_pass, only_a, only_b, both_fail) < 0:
        raise ValueError("counts of items cannot be negative")
    n = both_pass + only_a + only_b + both_fail
    return Comparison(
        both_pass=both_pass,
        only_a=only_a,
        only_b=only_b,
        both_fail=both_fail,
        excluded=excluded if excluded is not None else Counter(),
        rate_a=rate(both_pass + only_a, n),
        rate_b=rate(both_pass + only_b, n),
        difference=_difference(both_pass, only_a, only_b, both_fail),
    )


def mcnemar_p_value(only_a: int, only_b: int) -> float | None:
    """Exact two-sided McNemar test; None where no item differs, since there is then nothing to test.

    Only items on which the versions differ say which is better; without a difference between them each falls either way
    with probability one half.
    """
    if only_a + only_b == 0:
        return None
    from scipy import stats  # noqa: PLC0415

    return float(stats.binomtest(only_a, only_a + only_b).pvalue)


def _difference(both_pass: int, only_a: int, only_b: int, both_fail: int) -> Figure:
    n = both_pass + only_a + only_b + both_fail
    if n == 0:
        return Figure.undefined(NO_SHARED_ITEMS, 0)
    low, high = _newcombe(both_pass, only_b, only_a, both_fail)
    return Figure(
        value=(only_b - only_a) / n,
        n=n,
        p_value=mcnemar_p_value(only_a, only_b),
        low=low,
        high=high,
        note=_NO_TEST if only_a + only_b == 0 else None,
    )


def _newcombe(both: int, only_first: int, only_second: int, neither: int) -> tuple[float, float]:
    """Interval of first rate less second: Newcombe (1998), *Statistics in Medicine* 17, 2635-2650, method 10."""
    n = both + only_first + only_second + neither
    first, second = both + only_first, both + only_second
    spread = first * (n - first) * second * (n - second)
    link = both * neither - only_first * only_second
    # Continuity correction, towards less correlation, hence a wider interval.
    corrected = max(link - n / 2, 0.0) if link > 0 else float(link)
    phi = corrected / math.sqrt(spread) if spread else 0.0
    low_first, high_first = wilson(first, n)
    low_second, high_second = wilson(second, n)
    down_first, up_first = first / n - low_first, high_first - first / n
    down_second, up_second = second / n - low_second, high_second - second / n
    value = (only_first - only_second) / n
    low = value - math.sqrt(max(0.0, down_first**2 - 2 * phi * down_first * up_second + up_second**2))
    high = value + math.sqrt(max(0.0, down_second**2 - 2 * phi * down_second * up_first + up_first**2))
    return max(-1.0, low), min(1.0, high)
