"""What scoring gives back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from evaluation.aem.reasons import FailureReason


class TurnVerdict(NamedTuple):
    """The verdict on one gold turn. ``passed`` is None where it was skipped, or no scorer could judge it."""

    turn_no: int
    golden: str
    observed: int | None
    skipped: bool
    passed: bool | None
    failure_reason: FailureReason | None
    reasons: tuple[FailureReason, ...]
    fields: tuple[str, ...]
    cascade_of: tuple[int, ...]
    ambiguous: bool
    structural: Fraction | None
    completeness: Fraction | None
    truthfulness: Fraction | None
    kind: Literal["action", "response"]
    tool: str | None
    action: str | None
    #: Whether a semantic scorer decided something in it.
    is_semantic: bool = False

    @property
    def is_unscored(self) -> bool:
        """Whether no scorer could say if the turn passes."""
        return self.passed is None and not self.skipped

    @property
    def is_root_cause(self) -> bool:
        """Whether the turn failed by itself."""
        return self.passed is False and not self.cascade_of

    def as_result(self) -> dict[str, Any]:
        """The turn's part of the result document."""
        return {
            "turn_no": self.turn_no,
            "golden": self.golden,
            "observed": self.observed,
            "skipped": self.skipped,
            "passed": self.passed,
            "failure_reason": None if self.failure_reason is None else str(self.failure_reason),
            "reasons": [str(reason) for reason in self.reasons] if self.reasons else [],
            "fields": [*self.fields],
            "cascade_of": [*self.cascade_of],
            "ambiguous": self.ambiguous,
        }


class SubMetrics(NamedTuple):
    """Means over the turns in which each was judged; None where it was judged in none."""

    structural: Fraction | None
    completeness: Fraction | None
    truthfulness: Fraction | None


class Chain(NamedTuple):
    """The longest run of consecutive golden actions."""

    length: int
    bucket: Literal["single", "two_step", "complex"] | None


class Unexpected(NamedTuple):
    """An observed call that no gold turn asks for, or that must never happen."""

    observed: int
    kind: Literal["retry", "extra", "forbidden"]
    wrote: bool


class OutcomeVerdict(NamedTuple):
    """An outcome assertion; ``passed`` is None where it could not be judged."""

    id: str
    passed: bool | None


@dataclass(slots=True, eq=False)
class ConversationVerdict:
    """The verdict on a trajectory, with one verdict per gold turn of the path that fits it best.

    Not frozen only because so many are built.
    """

    path: str
    success_rate: Fraction | None
    #: None where nothing fails and something could not be judged.
    test_pass: bool | None
    first_failure_turn: int | None
    root_cause: FailureReason | None
    root_cause_count: int
    cascading_count: int
    total_failures: int
    sub_metrics: SubMetrics
    chain: Chain
    outcome: tuple[OutcomeVerdict, ...]
    unexpected: tuple[Unexpected, ...]
    turns: tuple[TurnVerdict, ...]
    explainer: Callable[[int], dict[str, Any]] = field(repr=False)
    #: Turns that no scorer could judge; they enter no rate.
    not_scored: int = 0

    def as_result(self) -> dict[str, Any]:
        """The result document. Rates are the nearest doubles to the exact fractions.

        Where turns could not be scored, their number stands beside the rates as ``not_scored``.
        """
        sub = self.sub_metrics
        unscored = {"not_scored": self.not_scored} if self.not_scored else {}
        return {
            "path": self.path,
            "success_rate": _double(self.success_rate),
            "test_pass": self.test_pass,
            "first_failure_turn": self.first_failure_turn,
            "root_cause": None if self.root_cause is None else str(self.root_cause),
            "root_cause_count": self.root_cause_count,
            "cascading_count": self.cascading_count,
            "total_failures": self.total_failures,
            "sub_metrics": {
                "structural": _double(sub.structural),
                "completeness": _double(sub.completeness),
                "truthfulness": _double(sub.truthfulness),
            },
            "chain": {"length": self.chain.length, "bucket": self.chain.bucket},
            "outcome": [one._asdict() for one in self.outcome],
            "unexpected": [one._asdict() for one in self.unexpected],
            "turns": [turn.as_result() for turn in self.turns],
            **unscored,
        }

    def with_outcome(
        self, outcome: tuple[OutcomeVerdict, ...], *, explainer: Callable[[int], dict[str, Any]]
    ) -> "ConversationVerdict":
        """The same verdict on another trajectory."""
        return ConversationVerdict(
            self.path,
            self.success_rate,
            self.test_pass,
            self.first_failure_turn,
            self.root_cause,
            self.root_cause_count,
            self.cascading_count,
            self.total_failures,
            self.sub_metrics,
            self.chain,
            outcome,
            self.unexpected,
            self.turns,
            explainer,
            self.not_scored,
        )

    def as_explained(self) -> dict[str, Any]:
        """The result document with, for each turn, everything that was judged and sentences that say why."""
        return {**self.as_result(), "turns": [self.explain_turn(turn.turn_no) for turn in self.turns]}

    def explain_turn(self, turn_no: int) -> dict[str, Any]:
        """One turn of :meth:`as_explained`. The explanation is worked out when it is asked for."""
        if not 1 <= turn_no <= len(self.turns):
            raise LookupError(f"there is no turn {turn_no!r}; the path has turns 1 to {len(self.turns)}")
        return {**self.turns[turn_no - 1].as_result(), **self.explainer(turn_no)}


def _double(rate: Fraction | None) -> float | None:
    return None if rate is None else rate.numerator / rate.denominator
