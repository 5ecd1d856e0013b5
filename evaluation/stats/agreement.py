"""How far the machine's verdicts, or another person's, agree with a person's labels: one sub-metric at a time.

Pairs in which one side says nothing definite are left out and counted by reason; what is left is compared as numbers
(correlations: scores are never rounded first) and as labels (kappa, Matthews, confusion table: a score of 1 passes).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.aem.language import kept, mark, retold
from evaluation.stats.coefficients import (
    AUTOMATIC_AND_HUMAN,
    Confusion,
    Sides,
    cohen_kappa,
    matthews,
    pearson,
    spearman,
)
from evaluation.stats.figures import NO_SHARED_ITEMS, Figure, rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A label ("pass"), a word that says nothing definite ("unsure"), a score from 0 to 1, a verdict (True passes), or None.
Value = str | bool | int | float | Decimal | Fraction | None

# Words that are an answer but no judgement of the agent, with what they are called in counts of what was left out.
NOT_A_JUDGEMENT: Mapping[str, str] = {
    "unsure": kept("unsure"),
    "undecided": kept("people differ, not decided"),
    "not_agent": kept("not the agent's fault"),
    "not_judged": kept("not judged"),
    "not_scored": kept("not scored"),
    "skipped": kept("skipped"),
}
MISSING = kept("no answer")
_NOT_A_NUMBER = kept("not a number")


class Reading(NamedTuple):
    """A value as both kinds of statistics take it."""

    number: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """The two labels of a sub-metric: ``positive`` is 1, ``negative`` is 0; a score is positive only when it is 1."""

    positive: str
    negative: str
    # Further words that are valid but outside the question, such as "pass" where it is asked which failures are roots.
    outside: Mapping[str, str]

    @property
    def labels(self) -> tuple[str, str]:
        return (self.positive, self.negative)

    def read(self, value: Value) -> Reading | str:
        """What the value says, or why it says nothing definite. Raises ValueError for a value of no known kind."""
        if value is None or value == "":  # an empty field of a form is no answer either
            return MISSING
        if isinstance(value, str):
            return self._read_word(value)
        if isinstance(value, (float, Decimal)) and not math.isfinite(value):
            return _NOT_A_NUMBER
        if not 0 <= value <= 1:
            raise ValueError(f"{value} is not between 0 and 1")
        return Reading(float(value), self.positive if value == 1 else self.negative)

    def _read_word(self, word: str) -> Reading | str:
        if word == self.positive:
            return Reading(1.0, word)
        if word == self.negative:
            return Reading(0.0, word)
        reason = self.outside.get(word) or NOT_A_JUDGEMENT.get(word)
        if reason is None:
            known = [self.positive, self.negative, *self.outside, *NOT_A_JUDGEMENT]
            raise ValueError(f"{word!r} is none of {', '.join(known)}")
        return reason


PASS_OR_FAIL = Scale(kept("pass"), kept("fail"), outside={})
# Asked only about turns that both sides call failed; a pass on one side takes the pair out, and is counted.
ROOT_OR_CASCADE = Scale(kept("root"), kept("cascade"), outside={"pass": kept("says the turn passed")})

SUB_METRICS: Mapping[str, Scale] = {
    "structural": PASS_OR_FAIL,
    "completeness": PASS_OR_FAIL,
    "truthfulness": PASS_OR_FAIL,
    "turn_verdict": PASS_OR_FAIL,
    "attribution": ROOT_OR_CASCADE,
}
SUB_METRIC_TITLES: Mapping[str, str] = {
    "structural": mark("Structural"),
    "completeness": mark("Completeness"),
    "truthfulness": mark("Truthfulness"),
    "turn_verdict": mark("Turn verdict"),
    "attribution": mark("Root or cascade"),
}
_PUT_TOGETHER = (
    kept("always pass"),
    kept("always root"),
    kept("not defined (no human label is root)"),
    kept("not defined (no human label is cascade)"),
    kept("nothing failed"),
)
_MEAN_OF_LABELS = kept("mean over {pairs} pairs of labels; no interval")
_MEAN_OF_PEOPLE = kept("mean over {pairs} pairs of people")
_MEAN_OF_SOME = kept("mean over {pairs} pairs of people; not defined for {count} more")
_NO_MEAN = kept("not defined for any of {pairs} pairs of people")
FIGURE_TITLES: Mapping[str, str] = {
    "raw_agreement": mark("Raw agreement"),
    "naive": mark("Naive answer"),
    "kappa": mark("Cohen's kappa"),
    "pearson": mark("Pearson"),
    "spearman": mark("Spearman"),
    "matthews": mark("Matthews"),
    "true_positive_rate": mark("True-positive rate"),
    "true_negative_rate": mark("True-negative rate"),
}


def left_out_words(reason: str) -> str:
    """Why pairs were left out, in the reader's language, each side with its reason.

    >>> left_out_words("automatic label: not scored; human label: no answer")
    'automatic label: not scored; human label: no answer'
    """
    return "; ".join(_left_out_side(part) for part in reason.split("; "))


def _left_out_side(part: str) -> str:
    whole = retold(part)
    side, colon, why = part.partition(": ")
    return f"{retold(side)}: {retold(why)}" if colon and whole == part else whole


class PairRow(NamedTuple):
    """What the machine and a person say about one item, or about ``repeats`` items that a database grouped."""

    item: str
    sub_metric: str
    machine: Value
    human: Value
    repeats: int = 1


class PersonLabel(NamedTuple):
    """What one person says about one item."""

    item: str
    sub_metric: str
    person: str
    value: Value


@dataclass(frozen=True, slots=True)
class Agreement:
    """Every figure about one set of pairs. ``n`` pairs were compared; ``excluded`` counts the others by reason."""

    sub_metric: str
    n: int
    excluded: Counter[str]
    raw_agreement: Figure
    naive: Figure  # what always answering with the positive label would reach; stands beside the raw agreement
    naive_answer: str
    pearson: Figure
    spearman: Figure
    kappa: Figure
    matthews: Figure
    true_positive_rate: Figure  # of the items that people call positive, the share that the machine does
    true_negative_rate: Figure
    confusion: Confusion

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures by name, in the order in which they are shown."""
        return {
            "raw_agreement": self.raw_agreement,
            "naive": self.naive,
            "kappa": self.kappa,
            "pearson": self.pearson,
            "spearman": self.spearman,
            "matthews": self.matthews,
            "true_positive_rate": self.true_positive_rate,
            "true_negative_rate": self.true_negative_rate,
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "sub_metric": self.sub_metric,
            "n": self.n,
            "excluded": dict(sorted(self.excluded.items())),
            "naive_answer": self.naive_answer,
            **{name: figure.as_json() for name, figure in self.figures.items()},
            "confusion": self.confusion.as_json(),
        }


def agreement(
    pairs: Iterable[tuple[Value, Value]],
    *,
    sub_metric: str = "turn_verdict",
    sides: Sides = AUTOMATIC_AND_HUMAN,
) -> Agreement:
    """Compare paired observations of one sub-metric, first side against second."""
    # Equal pairs are counted before they are read: a million labels have few distinct values. 1, 1.0 and True are one
    # key, and mean the same.
    return agreement_of_counts(Counter(pairs), sub_metric=sub_metric, sides=sides)


def agreement_of_counts(
    counts: Mapping[tuple[Value, Value], int],
    *,
    sub_metric: str = "turn_verdict",
    sides: Sides = AUTOMATIC_AND_HUMAN,
) -> Agreement:
    """The same from a table of how often each pair of values occurred."""
    import numpy as np  # noqa: PLC0415

    scale = find_scale(sub_metric)
    if any(count < 0 for count in counts.values()):
        raise ValueError(f"{sub_metric}: a count of pairs is negative")
    repeats = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    first = _read_column([one for one, _ in counts], scale, f"{sub_metric}, {sides.first}")
    second = _read_column([other for _, other in counts], scale, f"{sub_metric}, {sides.second}")

    known = first.is_known & second.is_known
    excluded: Counter[str] = Counter()
    for place in np.flatnonzero(~known).tolist():
        named = ((sides.first, first.reason(place)), (sides.second, second.reason(place)))
        excluded["; ".join(f"{side}: {reason}" for side, reason in named if reason)] += int(repeats[place])

    repeats, first_numbers, second_numbers = repeats[known], first.numbers[known], second.numbers[known]
    # Sorted, so that the same labels give the same digits in whatever order they were read.
    order = np.lexsort((second_numbers, first_numbers))
    firsts, seconds = (np.repeat(numbers[order], repeats[order]) for numbers in (first_numbers, second_numbers))
    cells = {
        (one, other): int(repeats[first.has(one)[known] & second.has(other)[known]].sum())
        for one in scale.labels
        for other in scale.labels
    }
    table = Confusion.of(scale.labels, cells, sides=sides)
    n = table.n
    positives, negatives = table.seconds[scale.positive], table.seconds[scale.negative]
    return Agreement(
        sub_metric=sub_metric,
        n=n,
        excluded=+excluded,
        raw_agreement=rate(table.agreed, n),
        naive=rate(positives, n),
        naive_answer=f"always {scale.positive}",
        pearson=pearson(firsts, seconds, sides=sides),
        spearman=spearman(firsts, seconds, sides=sides),
        kappa=cohen_kappa(table),
        matthews=matthews(table),
        true_positive_rate=_share_found(table, scale.positive, positives),
        true_negative_rate=_share_found(table, scale.negative, negatives),
        confusion=table,
    )


def find_scale(sub_metric: str) -> Scale:
    scale = SUB_METRICS.get(sub_metric)
    if scale is None:
        raise ValueError(f"{sub_metric!r} is none of the sub-metrics {', '.join(SUB_METRICS)}")
    return scale


@dataclass(frozen=True, slots=True)
class _Column:
    """One side of many pairs: NaN where a value says nothing definite, which never leaves this module."""

    values: Sequence[Value]
    scale: Scale
    numbers: "NDArray[np.float64]"
    is_positive: "NDArray[np.bool_]"
    is_known: "NDArray[np.bool_]"

    def has(self, label: str) -> "NDArray[np.bool_]":
        return self.is_positive if label == self.scale.positive else ~self.is_positive

    def reason(self, place: int) -> str | None:
        read = self.scale.read(self.values[place])
        return read if isinstance(read, str) else None


def _read_column(values: Sequence[Value], scale: Scale, place: str) -> _Column:
    """Read one side at once: a million scores one by one take seconds; a million words have few distinct values."""
    import numpy as np  # noqa: PLC0415

    if set(map(type, values)) == {float}:
        numbers = np.array(values, dtype=np.float64)
        numbers[~np.isfinite(numbers)] = np.nan
        for outside in np.flatnonzero((numbers < 0) | (numbers > 1))[:1]:
            _read(scale, values[outside], place)  # raises
        is_positive = numbers == 1
    else:
        readings = {value: _read(scale, value, place) for value in set(values)}
        known = {value: read for value, read in readings.items() if isinstance(read, Reading)}
        as_number = {value: known[value].number if value in known else math.nan for value in readings}
        as_label = {value: value in known and known[value].label == scale.positive for value in readings}
        numbers = np.fromiter(map(as_number.__getitem__, values), dtype=np.float64, count=len(values))
        is_positive = np.fromiter(map(as_label.__getitem__, values), dtype=np.bool_, count=len(values))
    return _Column(values, scale, numbers, is_positive, ~np.isnan(numbers))


def _read(scale: Scale, value: Value, place: str) -> Reading | str:
    try:
        return scale.read(value)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _share_found(table: Confusion, label: str, total: int) -> Figure:
    empty = f"not defined (no {table.sides.second} is {label})" if table.n else NO_SHARED_ITEMS
    return rate(table.counts[label][label], total, empty=empty)


def agreement_by_sub_metric(rows: Iterable[PairRow], *, sides: Sides = AUTOMATIC_AND_HUMAN) -> dict[str, Agreement]:
    """One Agreement for each sub-metric, always all of them and in the order of SUB_METRICS."""
    counts: dict[str, Counter[tuple[Value, Value]]] = {name: Counter() for name in SUB_METRICS}
    for item, sub_metric, machine, human, repeats in rows:
        if sub_metric not in counts:
            raise ValueError(f"{item}: {sub_metric!r} is none of the sub-metrics {', '.join(SUB_METRICS)}")
        counts[sub_metric][machine, human] += repeats
    return {name: agreement_of_counts(table, sub_metric=name, sides=sides) for name, table in counts.items()}


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How well people agree with each other on one sub-metric: more than that cannot be asked of a machine.

    ``items`` were labelled by two or more people, which makes ``pairs`` comparisons.
    """

    sub_metric: str
    items: int
    pairs: int
    raw_agreement: Figure
    kappa: Figure

    def as_json(self) -> dict[str, Any]:
        return {
            "sub_metric": self.sub_metric,
            "items": self.items,
            "pairs": self.pairs,
            "raw_agreement": self.raw_agreement.as_json(),
            "kappa": self.kappa.as_json(),
        }


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """People against people: each two of them, and the ceiling over all."""

    by_pair: Mapping[tuple[str, str], Mapping[str, Agreement]]
    ceiling: Mapping[str, Ceiling]

    def as_json(self) -> dict[str, Any]:
        return {
            "by_pair": [
                {
                    "first": first,
                    "second": second,
                    "sub_metrics": {name: each.as_json() for name, each in by_name.items()},
                }
                for (first, second), by_name in self.by_pair.items()
            ],
            "ceiling": {name: ceiling.as_json() for name, ceiling in self.ceiling.items()},
        }


def agreement_between_people(labels: Iterable[PersonLabel]) -> HumanAgreement:
    """Compare every two people on the items that both labelled. Raises ValueError where one labelled an item twice."""
    by_question: dict[tuple[str, str], dict[str, Value]] = defaultdict(dict)
    for item, sub_metric, person, value in labels:
        answers = by_question[item, sub_metric]
        if person in answers:
            raise ValueError(f"{item}: {person} has two labels for {sub_metric}")
        answers[person] = value

    rows: dict[tuple[str, str], list[PairRow]] = defaultdict(list)
    for (item, sub_metric), answers in by_question.items():
        for first, second in combinations(sorted(answers), 2):
            rows[first, second].append(PairRow(item, sub_metric, answers[first], answers[second]))
    by_pair = {
        pair: agreement_by_sub_metric(rows[pair], sides=Sides(f"label of {pair[0]}", f"label of {pair[1]}"))
        for pair in sorted(rows)
    }
    return HumanAgreement(by_pair, {name: _ceiling(name, by_question, by_pair) for name in SUB_METRICS})


def _ceiling(
    sub_metric: str,
    by_question: Mapping[tuple[str, str], Mapping[str, Value]],
    by_pair: Mapping[tuple[str, str], Mapping[str, Agreement]],
) -> Ceiling:
    scale = find_scale(sub_metric)
    items = 0
    for (_, name), answers in by_question.items():
        if name == sub_metric and sum(isinstance(scale.read(value), Reading) for value in answers.values()) > 1:
            items += 1
    each = [by_name[sub_metric] for by_name in by_pair.values() if by_name[sub_metric].n]
    agreed, pairs = sum(one.confusion.agreed for one in each), sum(one.n for one in each)
    raw = rate(agreed, pairs)
    if raw.value is not None and pairs > items:
        # Pairs that share a label are not independent, so that an interval from their number would be too narrow.
        raw = Figure(value=raw.value, n=items, note=_MEAN_OF_LABELS.format(pairs=pairs))
    return Ceiling(sub_metric, items, pairs, raw, _mean_kappa([one.kappa for one in each], items))


def _mean_kappa(kappas: list[Figure], items: int) -> Figure:
    defined = [kappa.value for kappa in kappas if kappa.value is not None]
    if not kappas:
        return Figure.undefined(NO_SHARED_ITEMS, 0)
    if len(kappas) == 1:
        return kappas[0]
    if not defined:
        return Figure.undefined(_NO_MEAN.format(pairs=len(kappas)), items)
    left_out = len(kappas) - len(defined)
    note = (_MEAN_OF_SOME if left_out else _MEAN_OF_PEOPLE).format(pairs=len(defined), count=left_out)
    return Figure(value=math.fsum(defined) / len(defined), n=items, note=note)
