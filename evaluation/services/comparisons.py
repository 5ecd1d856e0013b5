"""Two agent versions within a run, compared item by item: the same conversation, the same trial."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db.models import Count

from evaluation.models import EvaluationRun, RunItem, TurnVerdict
from evaluation.services.runs import AgentVersion
from evaluation.stats.compare import Comparison, compare_versions


@dataclass(frozen=True, slots=True)
class Side:
    """One version's trajectory of a pair."""

    position: int
    test_pass: bool | None
    first_failure_turn: int | None
    root_cause: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A conversation and trial that both versions ran."""

    conversation: str
    trial: int | None
    a: Side
    b: Side


@dataclass(frozen=True, slots=True)
class ReasonCounts:
    """Root causes of one reason in either version, of all scored trajectories and not only of the paired ones."""

    reason: str
    a: int
    b: int


@dataclass(frozen=True, slots=True)
class VersionComparison:
    result: Comparison
    excluded: list[tuple[str, int]]
    pairs: int
    only_a_has: int
    only_b_has: int
    worse: list[Pair]
    better: list[Pair]
    reasons: list[ReasonCounts]
    trajectories_a: int
    trajectories_b: int


def compare(run: EvaluationRun, a: AgentVersion, b: AgentVersion) -> VersionComparison:
    """Pair by conversation and trial, and test whether ``test_pass`` differs (exact McNemar).

    What only one version ran is counted and left out; what was not scored takes its pair out.
    """
    sides_a, sides_b = _sides(run, a), _sides(run, b)
    shared = sorted(sides_a.keys() & sides_b.keys(), key=lambda key: sides_a[key][1].position)
    pairs = [Pair(sides_a[key][0], key[1], sides_a[key][1], sides_b[key][1]) for key in shared]
    reasons_a, reasons_b = _reasons(run, a), _reasons(run, b)
    result = compare_versions((pair.a.test_pass, pair.b.test_pass) for pair in pairs)
    return VersionComparison(
        result=result,
        excluded=sorted(result.excluded.items()),
        pairs=len(pairs),
        only_a_has=len(sides_a) - len(pairs),
        only_b_has=len(sides_b) - len(pairs),
        worse=[pair for pair in pairs if pair.a.test_pass is True and pair.b.test_pass is False],
        better=[pair for pair in pairs if pair.a.test_pass is False and pair.b.test_pass is True],
        reasons=[
            ReasonCounts(reason, reasons_a[reason], reasons_b[reason])
            for reason in sorted(reasons_a.keys() | reasons_b.keys(), key=lambda r: (-reasons_a[r] - reasons_b[r], r))
        ],
        trajectories_a=len(sides_a),
        trajectories_b=len(sides_b),
    )


Key = tuple[int, int | None, int]


def _sides(run: EvaluationRun, agent: AgentVersion) -> dict[Key, tuple[str, Side]]:
    """By conversation and trial; several of one trial (or without a trial) are paired in the order of their keys."""
    rows = (
        RunItem.objects.filter(run=run, trajectory__agent=agent.agent, trajectory__agent_version=agent.agent_version)
        .order_by("trajectory__conversation", "trajectory__trial", "trajectory__key")
        .values_list(
            "trajectory__conversation",
            "trajectory__conversation__title",
            "trajectory__conversation__key",
            "trajectory__trial",
            "position",
            "verdict__test_pass",
            "verdict__first_failure_turn",
            "verdict__root_cause",
        )
    )
    seen: defaultdict[tuple[int, int | None], int] = defaultdict(int)
    found: dict[Key, tuple[str, Side]] = {}
    for conversation, title, key, trial, position, test_pass, first, root_cause in rows:
        nth = seen[conversation, trial]
        seen[conversation, trial] += 1
        found[conversation, trial, nth] = title or key, Side(position, test_pass, first, root_cause or "")
    return found


def _reasons(run: EvaluationRun, agent: AgentVersion) -> Counter[str]:
    rows = (
        TurnVerdict.objects.root_causes()
        .filter(
            verdict__item__run=run,
            verdict__item__trajectory__agent=agent.agent,
            verdict__item__trajectory__agent_version=agent.agent_version,
        )
        .order_by()
        .values("failure_reason")
        .annotate(n=Count("pk"))
    )
    return Counter({row["failure_reason"]: row["n"] for row in rows})
