"""Rates over many trajectories, always with their counts. Root causes and cascades are never added together."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from evaluation.aem.reasons import FailureReason
from evaluation.aem.verdicts import ConversationVerdict, TurnVerdict


@dataclass(frozen=True, slots=True)
class Counts:
    """Turns or conversations of one kind. ``root_causes`` and ``cascades`` are shown side by side."""

    evaluated: int = 0
    passed: int = 0
    root_causes: int = 0
    cascades: int = 0

    @property
    def rate(self) -> Fraction | None:
        """Passed out of evaluated; None where nothing was evaluated."""
        return Fraction(self.passed, self.evaluated) if self.evaluated else None


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of exact scores with the number of turns in which there was one."""

    count: int
    total: Fraction

    @property
    def value(self) -> Fraction | None:
        """The mean; None where nothing was judged."""
        return self.total / self.count if self.count else None


@dataclass(frozen=True, slots=True)
class Summary:
    """Many verdicts added up."""

    turns: Counts
    #: Conversations whose test passed, out of all.
    tests: Counts
    sub_metrics: Mapping[str, Mean]
    #: How often each reason made a turn a root cause; a turn counts for each of its reasons.
    root_causes_by_reason: Mapping[FailureReason, int]
    cascades: int
    by_tool: Mapping[str, Counts]
    by_action: Mapping[tuple[str, str | None], Counts]
    by_field: Mapping[tuple[str | None, str], Counts]
    by_chain: Mapping[str | None, Counts]
    by_length: Mapping[int, Counts]


def pass_hat_k(results: Mapping[str, Sequence[bool]], k: int) -> Fraction | None:
    """pass^k over repeated trials: the mean over conversations of C(c, k) / C(n, k), where c of n trials passed.

    A conversation with fewer than k trials has no value and is left out; None where no conversation has one.

    >>> pass_hat_k({"a": [True, True, False], "b": [True, True, True]}, 2)
    Fraction(2, 3)
    """
    if k < 1:
        raise ValueError("k must be a whole number of at least 1")
    shares = [
        Fraction(comb(sum(map(bool, trials)), k), comb(len(trials), k))
        for trials in results.values()
        if len(trials) >= k
    ]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def count_turns(turns: Iterable[TurnVerdict]) -> Counts:
    """Count turns; those that were skipped or could not be scored are not evaluated."""
    evaluated = passed = roots = cascades = 0
    for turn in turns:
        if turn.passed is None:
            continue
        evaluated += 1
        passed += turn.passed
        roots += turn.is_root_cause
        cascades += turn.passed is False and not turn.is_root_cause
    return Counts(evaluated, passed, roots, cascades)


def count_tests(verdicts: Iterable[ConversationVerdict]) -> Counts:
    """Count conversations by whether their test passed, with the root causes and cascades in them.

    Those in which that is not known are not evaluated.
    """
    evaluated = passed = roots = cascades = 0
    for verdict in verdicts:
        evaluated += verdict.test_pass is not None
        passed += verdict.test_pass is True
        roots += verdict.root_cause_count
        cascades += verdict.cascading_count
    return Counts(evaluated, passed, roots, cascades)


def summarise(verdicts: Sequence[ConversationVerdict]) -> Summary:
    """Add verdicts up."""
    turns = [turn for verdict in verdicts for turn in verdict.turns]
    tools: dict[str, list[TurnVerdict]] = defaultdict(list)
    actions: dict[tuple[str, str | None], list[TurnVerdict]] = defaultdict(list)
    fields: dict[tuple[str | None, str], list[TurnVerdict]] = defaultdict(list)
    chains: dict[str | None, list[TurnVerdict]] = defaultdict(list)
    lengths: dict[int, list[TurnVerdict]] = defaultdict(list)
    for verdict in verdicts:
        chains[verdict.chain.bucket].extend(verdict.turns)
        lengths[len(verdict.turns)].extend(verdict.turns)
    for turn in turns:
        if turn.tool is not None:
            tools[turn.tool].append(turn)
            actions[turn.tool, turn.action].append(turn)
        for field in turn.fields:
            fields[turn.tool, field].append(turn)
    roots = [turn for turn in turns if turn.is_root_cause]
    return Summary(
        turns=count_turns(turns),
        tests=count_tests(verdicts),
        sub_metrics={
            "structural": _mean(turn.structural for turn in turns),
            "completeness": _mean(turn.completeness for turn in turns),
            "truthfulness": _mean(turn.truthfulness for turn in turns),
        },
        root_causes_by_reason=Counter(reason for turn in roots for reason in turn.reasons),
        cascades=sum(turn.passed is False and not turn.is_root_cause for turn in turns),
        by_tool={name: count_turns(found) for name, found in tools.items()},
        by_action={name: count_turns(found) for name, found in actions.items()},
        by_field={name: count_turns(found) for name, found in fields.items()},
        by_chain={name: count_turns(found) for name, found in chains.items()},
        by_length={length: count_turns(found) for length, found in lengths.items()},
    )


def _mean(scores: Iterable[Fraction | None]) -> Mean:
    judged = [score for score in scores if score is not None]
    return Mean(len(judged), sum(judged, Fraction(0)))
