"""What a threshold does: how many turns it passes rightly and wrongly, and which one to take.

A unit is one labelled turn with the smallest of its scores: it passes from a threshold up that this score reaches. A
threshold is chosen on one half of the conversations and reported on the other, since on the turns that it was chosen on
every threshold looks better than it is.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal, NamedTuple, get_args

from evaluation.aem.language import kept, mark, retold
from evaluation.stats.coefficients import Confusion, cohen_kappa
from evaluation.stats.compare import Comparison, compare_versions
from evaluation.stats.figures import Figure, rate, wilson

Half = Literal["a", "b"]
Cell = Literal["true_pass", "false_pass", "true_failure", "false_failure"]
CriterionKind = Literal["cost", "youden", "false_passes"]

CELLS: tuple[Cell, ...] = get_args(Cell)
CRITERIA: tuple[CriterionKind, ...] = get_args(CriterionKind)
#: Fewer turns in a half, or fewer that people pass or that they fail, and no threshold is proposed.
FEWEST_UNITS = 20
FEWEST_OF_A_LABEL = 5
#: The lowest threshold that is offered where everything would pass; 0 would pass even what is different for sure.
LOWEST = Fraction(1, 100)

#: Thresholds that a document lists with all figures; of more only every so many stand there.
MOST_LISTED = 500

NONE_RIGHT = kept("not defined (no human label is pass)")
NONE_WRONG = kept("not defined (no human label is fail)")
NONE_PASSES = kept("not defined (nothing passes)")
NOTHING_LABELLED = kept("no labelled turn has a score")
_LEAST_COST = kept("the least cost, a false pass counting {weight} times a false failure")
_LARGEST_J = kept("the largest Youden's J")
_MOST_PASSES = kept("the most true passes with at most {share} % false passes")
_NO_PASS = kept("not defined (no pass on either side)")
_NO_INTERVAL = kept("no interval is given for it")
_ALL_FAIL = kept("not defined (no variation in the human label: all {n} are fail)")
_ALL_PASS = kept("not defined (no variation in the human label: all {n} are pass)")
_ONE_SCORE = kept("not defined (no variation in the scores: every one is {score})")
_ONE_CONVERSATION = kept("all turns are of one conversation, and a conversation is not split")
_FEW_TURNS = kept("too few: half {half} has {n} turns, and {fewest} are the fewest")
_FEW_PASSED = kept("too few: half {half} has {n} turns that people pass, and {fewest} are the fewest")
_FEW_FAILED = kept("too few: half {half} has {n} turns that people fail, and {fewest} are the fewest")
_NONE_KEEPS = kept("no threshold keeps the false passes at or below {share} % of the turns that people fail")

FIGURE_TITLES = {
    "true_pass_rate": mark("True-pass rate"),
    "true_failure_rate": mark("True-failure rate"),
    "false_pass_rate": mark("False-pass rate"),
    "precision": mark("Precision of a pass"),
    "accuracy": mark("Accuracy"),
    "youden": mark("Youden's J"),
    "f1": mark("F1 of passes"),
    "kappa": mark("Cohen's kappa"),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A labelled turn: its smallest score from 0 to 1, whether people pass it, and whether it passes as things are.

    ``group`` names its conversation: units of one group are never on both sides of the split.
    """

    score: Fraction
    is_right: bool
    group: str
    passes_now: bool

    def __post_init__(self) -> None:
        if not 0 <= self.score <= 1:
            raise ValueError(f"{self.group}: {self.score} is not a score from 0 to 1")

    def cell(self, threshold: Fraction | None) -> Cell:
        """What becomes of it at a threshold; None is as things are."""
        passes = self.passes_now if threshold is None else self.score >= threshold
        if passes:
            return "true_pass" if self.is_right else "false_pass"
        return "false_failure" if self.is_right else "true_failure"


class Counts(NamedTuple):
    """Turns by what the machine and people say of them. False: the machine says it, and people say the opposite."""

    true_pass: int
    false_pass: int
    true_failure: int
    false_failure: int

    @property
    def n(self) -> int:
        return sum(self)

    @property
    def right(self) -> int:
        """Turns that people pass."""
        return self.true_pass + self.false_failure

    @property
    def wrong(self) -> int:
        """Turns that people fail."""
        return self.false_pass + self.true_failure

    @property
    def true_pass_rate(self) -> Figure:
        """Of what people pass, the share that passes."""
        return rate(self.true_pass, self.right, empty=NONE_RIGHT)

    @property
    def false_pass_rate(self) -> Figure:
        """Of what people fail, the share that passes all the same."""
        return rate(self.false_pass, self.wrong, empty=NONE_WRONG)

    @property
    def precision(self) -> Figure:
        """Of what passes, the share that people pass, too."""
        return rate(self.true_pass, self.true_pass + self.false_pass, empty=NONE_PASSES)

    @property
    def figures(self) -> dict[str, Figure]:
        """Every figure of this table by name, in the order in which they are shown; rates with Wilson's interval."""
        return {
            "true_pass_rate": self.true_pass_rate,
            "true_failure_rate": rate(self.true_failure, self.wrong, empty=NONE_WRONG),
            "false_pass_rate": self.false_pass_rate,
            "precision": self.precision,
            "accuracy": rate(self.true_pass + self.true_failure, self.n, empty=NOTHING_LABELLED),
            "youden": _youden(self),
            "f1": _f1(self),
            "kappa": cohen_kappa(self.confusion),
        }

    @property
    def confusion(self) -> Confusion:
        cells = {
            ("pass", "pass"): self.true_pass,
            ("pass", "fail"): self.false_pass,
            ("fail", "fail"): self.true_failure,
            ("fail", "pass"): self.false_failure,
        }
        return Confusion.of(("pass", "fail"), cells)

    def cost(self, weight: Fraction) -> Fraction:
        """What the mistakes cost where a false failure costs 1 and a false pass ``weight``."""
        return weight * self.false_pass + self.false_failure

    def as_json(self) -> dict[str, Any]:
        return {"n": self.n, **self._asdict(), "figures": {name: one.as_json() for name, one in self.figures.items()}}


def _youden(counts: Counts) -> Figure:
    """True-pass rate less false-pass rate; the interval by Newcombe (1998), *Statistics in Medicine* 17, 873-890,
    method 10: the two rates come from different turns."""
    if not counts.right or not counts.wrong:
        return Figure.undefined(NONE_RIGHT if not counts.right else NONE_WRONG, counts.n)
    first, second = Fraction(counts.true_pass, counts.right), Fraction(counts.false_pass, counts.wrong)
    low_first, high_first = wilson(counts.true_pass, counts.right)
    low_second, high_second = wilson(counts.false_pass, counts.wrong)
    value = float(first - second)
    return Figure(
        value=value,
        n=counts.n,
        low=max(-1.0, value - math.hypot(float(first) - low_first, high_second - float(second))),
        high=min(1.0, value + math.hypot(high_first - float(first), float(second) - low_second)),
    )


def _f1(counts: Counts) -> Figure:
    below = 2 * counts.true_pass + counts.false_pass + counts.false_failure
    if not below:
        reason = NOTHING_LABELLED if not counts.n else _NO_PASS
        return Figure.undefined(reason, counts.n)
    return Figure(value=float(Fraction(2 * counts.true_pass, below)), n=counts.n, note=_NO_INTERVAL)


class Point(NamedTuple):
    """What every threshold above ``above`` and up to ``up_to`` does."""

    above: Fraction
    up_to: Fraction
    counts: Counts

    @property
    def threshold(self) -> Decimal:
        """The one that stands for them: the middle; at the ends 0.01, where everything passes, and 1."""
        counts = self.counts
        if not counts.true_pass and not counts.false_pass:
            return Decimal(1)
        if not counts.true_failure and not counts.false_failure and self.up_to >= LOWEST:
            return _decimal(LOWEST, 2)
        return between(self.above, self.up_to)


def trade_off(units: Iterable[Unit]) -> tuple[Point, ...]:
    """Every threshold that makes a difference, the lowest first: the middles between neighbouring scores and the ends.

    Of a stretch of thresholds that pass the same turns only one stands there.
    """
    # Doubles sort fast; where two scores are the same as doubles the exact ones decide.
    ordered = sorted(units, key=lambda unit: (float(unit.score), unit.score))
    if not ordered:
        return ()
    passing_right = sum(unit.is_right for unit in ordered)
    passing_wrong = len(ordered) - passing_right
    failing_wrong = failing_right = 0
    points = []
    below = Fraction(0)
    for score, group in groupby(ordered, key=lambda unit: unit.score):
        # What has the score 0 fails at every threshold above 0: there is none at which it passes.
        if score > 0:
            points.append(Point(below, score, Counts(passing_right, passing_wrong, failing_wrong, failing_right)))
        labels = [unit.is_right for unit in group]
        right = sum(labels)
        wrong = len(labels) - right
        passing_wrong, passing_right = passing_wrong - wrong, passing_right - right
        failing_wrong, failing_right = failing_wrong + wrong, failing_right + right
        below = score
    if below < 1:
        points.append(Point(below, Fraction(1), Counts(0, 0, failing_wrong, failing_right)))
    return tuple(points)


class Stretch(NamedTuple):
    """Neighbouring points, drawn or listed as the one in their middle."""

    point: Point
    above: Fraction
    up_to: Fraction


def thinned(points: Sequence[Point], most: int) -> list[Stretch]:
    """At most so many stretches; each point by itself where there are no more."""
    every = max(1, math.ceil(len(points) / most))
    groups = (points[start : start + every] for start in range(0, len(points), every))
    return [Stretch(group[len(group) // 2], group[0].above, group[-1].up_to) for group in groups]


def between(low: Fraction, high: Fraction) -> Decimal:
    """The middle between two scores, in as few digits (two at least) as keep it between them.

    >>> between(Fraction(1, 2), Fraction(3, 5)), between(Fraction("0.501"), Fraction("0.502"))
    (Decimal('0.55'), Decimal('0.5015'))
    """
    if not low < high:
        raise ValueError(f"there is nothing between {low} and {high}")
    middle = (low + high) / 2
    digits = 2
    while True:
        found = _decimal(middle, digits)
        if low < Fraction(found) < high:
            return found
        digits += 1


def _decimal(number: Fraction, digits: int) -> Decimal:
    """Rounded, ties to even, and without float arithmetic."""
    scaled = round(number * 10**digits)
    return Decimal(scaled).scaleb(-digits)


def counts_at(units: Iterable[Unit], threshold: Fraction | None) -> Counts:
    """What a threshold does to these units; None is as things are."""
    found = Counter(unit.cell(threshold) for unit in units)
    return Counts(*(found[cell] for cell in CELLS))


# --- the split ---


def split(units: Sequence[Unit], *, seed: int) -> dict[str, Half]:
    """Which half each conversation is in. The same units and seed give the same halves, on every machine.

    Conversations are taken in the order of a hash of seed and name. Those with a turn that people fail come first, so
    that both halves get about as many of these; then the others, so that both get about as many turns.
    """
    right: Counter[str] = Counter(unit.group for unit in units if unit.is_right)
    wrong: Counter[str] = Counter(unit.group for unit in units if not unit.is_right)

    def order(group: str) -> bytes:
        return hashlib.sha256(f"{seed}:{group}".encode("utf-8", "surrogatepass")).digest()

    sides: dict[str, Half] = {}
    wrongs: dict[Half, int] = {"a": 0, "b": 0}
    sizes: dict[Half, int] = {"a": 0, "b": 0}
    halves: tuple[Half, Half] = ("a", "b")
    groups = sorted(right.keys() | wrong.keys(), key=lambda group: (not wrong[group], order(group)))
    for group in groups:
        key = (lambda half: (wrongs[half], sizes[half])) if wrong[group] else (lambda half: (sizes[half], wrongs[half]))
        # A tie goes by the hash, or the first conversation would always be in the same half.
        first = halves if order(group)[-1] % 2 else halves[::-1]
        half = min(first, key=key)
        sides[group] = half
        wrongs[half] += wrong[group]
        sizes[half] += right[group] + wrong[group]
    return sides


# --- the choice ---


@dataclass(frozen=True, slots=True)
class Criterion:
    """By what a threshold is chosen: the least cost, the largest Youden's J, or the most true passes with few false.

    ``weight`` is what a false pass costs where a false failure costs 1; ``most`` the share, of the turns that people
    fail, that may pass.
    """

    kind: CriterionKind = "cost"
    weight: Fraction = Fraction(5)
    most: Fraction = Fraction(5, 100)

    def __post_init__(self) -> None:
        if self.kind not in CRITERIA:
            raise ValueError(f"{self.kind!r} is none of {', '.join(CRITERIA)}")
        if self.weight <= 0 or not 0 <= self.most <= 1:
            raise ValueError("a weight is above 0, and a share from 0 to 1")

    def value(self, counts: Counts) -> Fraction | None:
        """What is made as large as possible; None where the criterion rules the table out or is not defined for it."""
        if self.kind == "cost":
            return -counts.cost(self.weight)
        if not counts.right or not counts.wrong:
            return None
        false_passes = Fraction(counts.false_pass, counts.wrong)
        true_passes = Fraction(counts.true_pass, counts.right)
        if self.kind == "youden":
            return true_passes - false_passes
        return true_passes if false_passes <= self.most else None

    def __str__(self) -> str:
        """As a sentence would give it: what is chosen is the threshold with …"""
        if self.kind == "cost":
            return _LEAST_COST.format(weight=_plain(self.weight))
        if self.kind == "youden":
            return _LARGEST_J
        return _MOST_PASSES.format(share=_plain(self.most * 100))

    @property
    def told(self) -> str:
        """The same in the reader's language; exports and what is stored have it in English."""
        return retold(str(self))

    def as_json(self) -> dict[str, Any]:
        """The numbers that count for its kind, as text that keeps every digit."""
        more = {"cost": {"weight": _plain(self.weight)}, "false_passes": {"most": _plain(self.most)}}
        return {"kind": self.kind, **more.get(self.kind, {}), "words": str(self)}


def _plain(number: Fraction) -> str:
    return f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():f}"


def choose(points: Sequence[Point], criterion: Criterion) -> Point | None:
    """The point that the criterion likes best, of several the one with the highest threshold; None where it likes none.

    Towards the higher, since a wrong pass is worse than a failure that a person looks at.
    """
    judged = [(value, point) for point in points if (value := criterion.value(point.counts)) is not None]
    return max(judged, key=lambda pair: (pair[0], pair[1].up_to))[1] if judged else None


# --- the whole ---


@dataclass(frozen=True, slots=True)
class Part:
    """The units of one half, or of both, with what every threshold does to them."""

    units: tuple[Unit, ...]
    points: tuple[Point, ...]
    now: Counts

    @classmethod
    def of(cls, units: Iterable[Unit]) -> "Part":
        kept = tuple(units)
        return cls(kept, trade_off(kept), counts_at(kept, None))

    @property
    def n(self) -> int:
        return len(self.units)

    @property
    def conversations(self) -> int:
        return len({unit.group for unit in self.units})

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "conversations": self.conversations,
            "people_pass": self.now.right,
            "people_fail": self.now.wrong,
            "now": self.now.as_json(),
            "thresholds": len(self.points),
            "points": [
                {"threshold": point.threshold, **point.counts.as_json()}
                for point, _, _ in thinned(self.points, MOST_LISTED)
            ],
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """A threshold with what it did where it was chosen, and what it does on the other half, beside the present one.

    ``change`` compares turn by turn on the other half: A is right as things are, B with this threshold.
    """

    threshold: Decimal
    chosen_on: Counts
    reported_on: Counts
    now: Counts
    change: Comparison

    def as_json(self) -> dict[str, Any]:
        return {
            "threshold": self.threshold,
            "chosen_on": self.chosen_on.as_json(),
            "reported_on": self.reported_on.as_json(),
            "now": self.now.as_json(),
            "change": self.change.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The trade-off, the threshold chosen on half a and reported on b, and the same with the halves swapped.

    Where nothing is proposed ``reason`` says why; ``swapped_reason`` does for the swapped halves.
    """

    criterion: Criterion
    seed: int
    whole: Part
    a: Part
    b: Part
    sides: dict[str, Half]
    proposal: Proposal | None
    reason: str | None
    swapped: Proposal | None
    swapped_reason: str | None

    @property
    def distance(self) -> Decimal | None:
        """How far apart the thresholds of both ways round are; None where one of them is missing."""
        if self.proposal is None or self.swapped is None:
            return None
        return abs(self.proposal.threshold - self.swapped.threshold)

    @property
    def is_better(self) -> bool | None:
        """Whether, on the half that it is reported on, the criterion likes it better than the present state.

        None where nothing is proposed, or where the criterion is not defined for the present state.
        """
        if self.proposal is None:
            return None
        then, now = (self.criterion.value(counts) for counts in (self.proposal.reported_on, self.proposal.now))
        if then is None:
            return False
        return True if now is None else then > now

    def as_json(self) -> dict[str, Any]:
        return {
            "criterion": self.criterion.as_json(),
            "seed": self.seed,
            "whole": self.whole.as_json(),
            "half_a": self.a.as_json(),
            "half_b": self.b.as_json(),
            "proposal": None if self.proposal is None else self.proposal.as_json(),
            "reason": self.reason,
            "swapped": None if self.swapped is None else self.swapped.as_json(),
            "swapped_reason": self.swapped_reason,
            "distance": self.distance,
            "is_better_than_now": self.is_better,
        }


def calibrate(units: Sequence[Unit], *, criterion: Criterion, seed: int) -> Calibration:
    """Choose on one half and report on the other, both ways round."""
    sides = split(units, seed=seed)
    whole = Part.of(units)
    a, b = (Part.of(unit for unit in units if sides[unit.group] == half) for half in ("a", "b"))
    reason = obstacle(whole, a, b)
    proposal = swapped = None
    swapped_reason = reason
    if reason is None:
        proposal, reason = _propose(a, b, criterion)
        swapped, swapped_reason = _propose(b, a, criterion)
    return Calibration(criterion, seed, whole, a, b, sides, proposal, reason, swapped, swapped_reason)


def obstacle(whole: Part, a: Part, b: Part) -> str | None:
    """Why no threshold can be proposed, in plain words, or None."""
    if not whole.n:
        return NOTHING_LABELLED
    if not whole.now.right or not whole.now.wrong:
        return (_ALL_FAIL if whole.now.wrong else _ALL_PASS).format(n=whole.n)
    first = whole.units[0].score
    if all(unit.score == first for unit in whole.units):
        return _ONE_SCORE.format(score=f"{float(first):.3g}")
    if whole.conversations < 2:
        return _ONE_CONVERSATION
    for name, half in (("a", a), ("b", b)):
        if half.n < FEWEST_UNITS:
            return _FEW_TURNS.format(half=name, n=half.n, fewest=FEWEST_UNITS)
        for words, count in ((_FEW_PASSED, half.now.right), (_FEW_FAILED, half.now.wrong)):
            if count < FEWEST_OF_A_LABEL:
                return words.format(half=name, n=count, fewest=FEWEST_OF_A_LABEL)
    return None


def _propose(chosen_on: Part, reported_on: Part, criterion: Criterion) -> tuple[Proposal | None, str | None]:
    point = choose(chosen_on.points, criterion)
    if point is None:
        share = _plain(criterion.most * 100)
        return None, _NONE_KEEPS.format(share=share)
    threshold = Fraction(point.threshold)
    right = ("true_pass", "true_failure")
    change = compare_versions((unit.cell(None) in right, unit.cell(threshold) in right) for unit in reported_on.units)
    reported = counts_at(reported_on.units, threshold)
    return Proposal(point.threshold, point.counts, reported, reported_on.now, change), None
