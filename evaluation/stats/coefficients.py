"""Correlation and agreement coefficients. Each tests beforehand whether it is defined, and says so where it is not.

scipy takes almost two seconds to import and is imported where it is used: pages without a correlation never pay for it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from evaluation.aem.language import kept
from evaluation.stats.figures import NO_SHARED_ITEMS, Figure, Z

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

# Two points always lie on a line: with two items every coefficient is +1, -1 or not defined, whatever was labelled.
FEWEST = 3
# Below this Fisher's z and Spearman's t are rough; the figure says so.
FEW = 10


@dataclass(frozen=True, slots=True)
class Sides:
    """What the two sides of a pair are called in reasons."""

    first: str
    second: str


AUTOMATIC_AND_HUMAN = Sides(kept("automatic label"), kept("human label"))
_TOO_FEW = kept("too few ({n})")
_TOO_CLOSE = kept("not defined (the values differ by less than the arithmetic can tell)")
_PERFECT = kept("no interval: perfect correlation")
_NEEDS_MORE = kept("no interval: needs more than {most} items")
_ROUGH = kept("p-value and interval are rough: few items")
_NO_DISAGREEMENT = kept("no interval: no disagreement to estimate it from")
# What obstacle and cohen_kappa put together, for pages in other languages.
_PUT_TOGETHER = (
    kept("label of {person}"),
    kept("not defined (no variation in the automatic label)"),
    kept("not defined (no variation in the human label)"),
    kept("not defined (no variation in the automatic label or the human label)"),
    kept("not defined (no variation in the label of {person})"),
    kept("not defined (no variation in the label of {person} or the label of {other})"),
    kept("always 0 here: no variation in the automatic label"),
    kept("always 0 here: no variation in the human label"),
    kept("always 0 here: no variation in the automatic label or the human label"),
    kept("always 0 here: no variation in the label of {person}"),
    kept("always 0 here: no variation in the label of {person} or the label of {other}"),
)


def obstacle(n: int, *, first_varies: bool, second_varies: bool, sides: Sides = AUTOMATIC_AND_HUMAN) -> str | None:
    """Why a coefficient of n pairs has no value, in plain words, or None where it has one."""
    if n == 0:
        return NO_SHARED_ITEMS
    if n < FEWEST:
        return _TOO_FEW.format(n=n)
    constant = [name for name, varies in ((sides.first, first_varies), (sides.second, second_varies)) if not varies]
    return f"not defined ({_no_variation(constant)})" if constant else None


def _no_variation(names: Sequence[str]) -> str:
    return f"no variation in the {' or the '.join(names)}"


def pearson(first: "Numbers", second: "Numbers", *, sides: Sides = AUTOMATIC_AND_HUMAN) -> Figure:
    """Pearson's r with scipy's p-value and the 95 % interval by Fisher's z."""
    return _correlation("pearsonr", _fisher_error, first, second, sides)


def spearman(first: "Numbers", second: "Numbers", *, sides: Sides = AUTOMATIC_AND_HUMAN) -> Figure:
    """Spearman's rho (ties get the mean rank) with scipy's p-value and Bonett and Wright's (2000) 95 % interval."""
    return _correlation("spearmanr", _bonett_wright_error, first, second, sides)


def _fisher_error(_: float, n: int) -> float:
    return 1 / math.sqrt(n - 3)


def _bonett_wright_error(rho: float, n: int) -> float:
    return math.sqrt((1 + rho * rho / 2) / (n - 3))


def _correlation(
    function: Literal["pearsonr", "spearmanr"],
    standard_error: Callable[[float, int], float],
    first: "Numbers",
    second: "Numbers",
    sides: Sides,
) -> Figure:
    n = len(first)
    if n != len(second):
        raise ValueError(f"{n} and {len(second)} values are not pairs")
    reason = obstacle(n, first_varies=_varies(first), second_varies=_varies(second), sides=sides)
    if reason is not None:
        return Figure.undefined(reason, n)
    from scipy import stats  # noqa: PLC0415

    result = getattr(stats, function)(first, second)
    value, p_value = float(result.statistic), float(result.pvalue)
    if not (math.isfinite(value) and math.isfinite(p_value)):
        return Figure.undefined(_TOO_CLOSE, n)
    if abs(value) >= 1:
        return Figure(value=value, n=n, p_value=p_value, note=_PERFECT)
    if n == FEWEST:
        return Figure(value=value, n=n, p_value=p_value, note=_NEEDS_MORE.format(most=FEWEST))
    middle, error = math.atanh(value), standard_error(value, n)
    return Figure(
        value=value,
        n=n,
        p_value=p_value,
        low=math.tanh(middle - Z * error),
        high=math.tanh(middle + Z * error),
        note=_ROUGH if n < FEW else None,
    )


def _varies(values: "Numbers") -> bool:
    """Whether the values differ by more than rounding; the limit is the one below which scipy's Pearson warns."""
    if len(values) == 0:
        return False
    low, high = float(values.min()), float(values.max())
    return high - low > 2e-13 * max(abs(low), abs(high))


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each label of the first side met each label of the second: ``counts[first][second]``."""

    labels: tuple[str, ...]
    counts: Mapping[str, Mapping[str, int]]
    sides: Sides = AUTOMATIC_AND_HUMAN

    @classmethod
    def of(
        cls, labels: Sequence[str], cells: Mapping[tuple[str, str], int], *, sides: Sides = AUTOMATIC_AND_HUMAN
    ) -> "Confusion":
        stray = sorted({label for cell in cells for label in cell} - set(labels))
        if stray:
            raise ValueError(f"{stray[0]!r} is none of the labels {', '.join(labels)}")
        counts = {first: {second: cells.get((first, second), 0) for second in labels} for first in labels}
        return cls(tuple(labels), counts, sides)

    @property
    def n(self) -> int:
        return sum(self.firsts.values())

    @property
    def agreed(self) -> int:
        return sum(self.counts[label][label] for label in self.labels)

    @property
    def firsts(self) -> dict[str, int]:
        """How often the first side gave each label."""
        return {first: sum(self.counts[first].values()) for first in self.labels}

    @property
    def seconds(self) -> dict[str, int]:
        """How often the second side gave each label."""
        return {second: sum(self.counts[first][second] for first in self.labels) for second in self.labels}

    @property
    def constant_sides(self) -> list[str]:
        """The names of the sides that gave one label to everything."""
        counted = ((self.sides.first, self.firsts), (self.sides.second, self.seconds))
        return [name for name, counts in counted if max(counts.values()) == self.n]

    @property
    def obstacle(self) -> str | None:
        """Why coefficients of this table have no value, or None."""
        constant = self.constant_sides
        return obstacle(
            self.n,
            first_varies=self.sides.first not in constant,
            second_varies=self.sides.second not in constant,
            sides=self.sides,
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "labels": list(self.labels),
            "rows": self.sides.first,
            "columns": self.sides.second,
            "counts": [[self.counts[first][second] for second in self.labels] for first in self.labels],
        }


def cohen_kappa(table: Confusion) -> Figure:
    """Cohen's (1960) kappa; interval and p-value from the standard errors of Fleiss, Cohen and Everitt (1969).

    All in exact fractions, so that "chance agreement is 1" and "no error" are found out and not rounded away.
    """
    n = table.n
    if table.obstacle is not None:
        if n < FEWEST or table.agreed == n:
            return Figure.undefined(table.obstacle, n)
        # A side that always says the same agrees exactly as often as chance would, whatever the other side says.
        return Figure(value=0.0, n=n, note=f"always 0 here: {_no_variation(table.constant_sides)}")

    first = {label: Fraction(count, n) for label, count in table.firsts.items()}
    second = {label: Fraction(count, n) for label, count in table.seconds.items()}
    observed = Fraction(table.agreed, n)
    chance = sum((first[label] * second[label] for label in table.labels), Fraction(0))
    value = (observed - chance) / (1 - chance)

    share = {(a, b): Fraction(table.counts[a][b], n) for a in table.labels for b in table.labels}
    on_diagonal = sum(
        share[label, label] * (1 - chance - (first[label] + second[label]) * (1 - observed)) ** 2
        for label in table.labels
    )
    beside = sum(share[a, b] * (second[a] + first[b]) ** 2 for a, b in share if a != b)
    variance = on_diagonal + (1 - observed) ** 2 * beside - (observed * chance - 2 * chance + observed) ** 2
    error = math.sqrt(variance / n) / float((1 - chance) ** 2)

    by_chance = chance + chance**2 - sum(first[a] * second[a] * (first[a] + second[a]) for a in table.labels)
    error_by_chance = math.sqrt(by_chance / n) / float(1 - chance)
    p_value = math.erfc(abs(float(value)) / error_by_chance / math.sqrt(2)) if error_by_chance else None
    if not error:
        return Figure(value=float(value), n=n, p_value=p_value, note=_NO_DISAGREEMENT)
    return Figure(
        value=float(value),
        n=n,
        p_value=p_value,
        low=max(-1.0, float(value) - Z * error),
        high=min(1.0, float(value) + Z * error),
        note=_ROUGH if n < FEW else None,
    )


def matthews(table: Confusion) -> Figure:
    """Matthews' correlation (phi for two labels, Gorodkin's (2004) R_K for more)."""
    n = table.n
    if table.obstacle is not None:
        return Figure.undefined(table.obstacle, n)
    firsts, seconds = table.firsts, table.seconds
    covariance = table.agreed * n - sum(firsts[label] * seconds[label] for label in table.labels)
    spread_first = n * n - sum(count * count for count in firsts.values())
    spread_second = n * n - sum(count * count for count in seconds.values())
    return Figure(value=covariance / math.sqrt(spread_first * spread_second), n=n)
