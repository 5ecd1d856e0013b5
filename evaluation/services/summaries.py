"""What came out of a run: rates by everything one asks for, always with their counts.

Root causes and cascades are counted side by side and never added together: a cascade says nothing new about the agent.
What could not be scored is counted by itself and enters no rate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, Sum

from evaluation.aem.language import mark
from evaluation.formats import jsonio
from evaluation.models import RunItem, TurnVerdict, Verdict

CASCADE = "prior_action_failed"
SUB_METRICS = ("structural", "completeness", "truthfulness")
#: Upper ends of the conversation lengths, in golden agent and tool turns.
LENGTHS = ((5, "1–5"), (10, "6–10"), (20, "11–20"), (40, "21–40"), (80, "41–80"))
LONGEST = mark("81 or more")
#: Reasons why something was not scored are listed up to this many; the rest is counted.
LISTED_ERRORS = 20


def length_bucket(turns: int) -> str:
    """
    >>> length_bucket(5), length_bucket(6), length_bucket(200)
    ('1–5', '6–10', '81 or more')
    """
    return next((name for end, name in LENGTHS if turns <= end), LONGEST)


def length_range(bucket: str) -> tuple[int, int] | None:
    """Fewest and most turns of a bucket; None for an unknown one."""
    low = 0
    for end, name in LENGTHS:
        if name == bucket:
            return low, end
        low = end + 1
    return (low, 10**9) if bucket == LONGEST else None


@dataclass(slots=True)
class _Turns:
    """Turns of one kind, counted."""

    evaluated: int = 0
    passed: int = 0
    root_causes: int = 0
    cascades: int = 0
    ambiguous: int = 0
    not_scored: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "evaluated": self.evaluated,
            "passed": self.passed,
            "success_rate": _ratio(self.passed, self.evaluated),
            "root_causes": self.root_causes,
            "cascades": self.cascades,
            "ambiguous": self.ambiguous,
            "turns_not_scored": self.not_scored,
        }


@dataclass(slots=True)
class _Group:
    """Trajectories that share something, and their turns."""

    turns: _Turns
    trajectories: int = 0
    judged: int = 0
    test_passed: int = 0
    not_scored: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "trajectories": self.trajectories,
            "not_scored": self.not_scored,
            "judged": self.judged,
            "test_passed": self.test_passed,
            "test_pass_rate": _ratio(self.test_passed, self.judged),
            **self.turns.as_json(),
        }


@dataclass(frozen=True, slots=True)
class _Item:
    """A run item with its verdict, as far as the sums need it."""

    conversation: int
    agent: str
    agent_version: str
    trial: int | None
    reward: Any
    golden_turns: int
    language: str
    domain: str
    error: str | None
    test_pass: bool | None
    root_causes: int
    cascades: int
    evaluated: int
    passed: int
    ambiguous: int
    turns_not_scored: int
    chain_bucket: str
    success_rate: float | None
    outcome: list[dict[str, Any]] | None

    @property
    def agent_label(self) -> str:
        return " ".join(part for part in (self.agent, self.agent_version) if part)


def summarise(run_id: UUID) -> dict[str, Any]:
    """The summary of a run from its verdicts, as it is kept with the run."""
    items = [_Item(*row) for row in _item_rows(run_id)]
    looked_at = [item for item in items if item.error is not None]
    scored = [item for item in looked_at if item.error == ""]
    rates = [item.success_rate for item in scored if item.success_rate is not None]
    return {
        "items": len(items),
        "scored": len(scored),
        "not_scored": len(looked_at) - len(scored),
        "missing": len(items) - len(looked_at),
        "errors": _errors(looked_at),
        "all": _grouped(looked_at, lambda _: "all").get("all", _Group(_Turns())).as_json(),
        "mean_success_rate": {"mean": _mean(rates), "n": len(rates)},
        **_turn_sums(run_id),
        "by": {
            "agent_version": _agents(looked_at),
            "chain_bucket": _table(scored, lambda item: item.chain_bucket or "none"),
            "length": _table(looked_at, lambda item: length_bucket(item.golden_turns)),
            "language": _table(looked_at, lambda item: item.language),
            "domain": _table(looked_at, lambda item: item.domain),
        },
        "pass_hat_k": _pass_hat_k(scored),
        "reward": _reward_agreement(scored),
    }


def _item_rows(run_id: UUID) -> Iterable[tuple[Any, ...]]:
    return (
        RunItem.objects.filter(run=run_id)
        .order_by("position")
        .values_list(
            "trajectory__conversation",
            "trajectory__agent",
            "trajectory__agent_version",
            "trajectory__trial",
            "trajectory__reward",
            "golden_record__turn_count",
            "trajectory__conversation__language",
            "trajectory__conversation__domain",
            "verdict__error",
            "verdict__test_pass",
            "verdict__root_cause_count",
            "verdict__cascading_count",
            "verdict__evaluated",
            "verdict__passed",
            "verdict__ambiguous",
            "verdict__not_scored",
            "verdict__chain_bucket",
            "verdict__success_rate",
            "verdict__outcome",
        )
        .iterator(chunk_size=2000)
    )


def _errors(items: list[_Item]) -> list[dict[str, Any]]:
    counts = Counter(item.error for item in items if item.error)
    return [{"reason": reason, "count": count} for reason, count in counts.most_common(LISTED_ERRORS)]


def _grouped(items: Iterable[_Item], key: Callable[[_Item], str]) -> dict[str, _Group]:
    groups: defaultdict[str, _Group] = defaultdict(lambda: _Group(_Turns()))
    for item in items:
        group = groups[key(item)]
        group.trajectories += 1
        if item.error:
            group.not_scored += 1
            continue
        group.judged += item.test_pass is not None
        group.test_passed += item.test_pass is True
        turns = group.turns
        turns.evaluated += item.evaluated
        turns.passed += item.passed
        turns.root_causes += item.root_causes
        turns.cascades += item.cascades
        turns.ambiguous += item.ambiguous
        turns.not_scored += item.turns_not_scored
    return groups


def _table(items: Iterable[_Item], key: Callable[[_Item], str]) -> list[dict[str, Any]]:
    return [{"value": value, **group.as_json()} for value, group in sorted(_grouped(items, key).items())]


def _agents(items: Iterable[_Item]) -> list[dict[str, Any]]:
    """By agent version; ``key`` names it exactly where the label could be read in two ways."""
    groups = _grouped(items, lambda item: jsonio.dumps([item.agent, item.agent_version]))
    return [
        {"value": " ".join(part for part in jsonio.loads(key) if part), "key": key, **group.as_json()}
        for key, group in sorted(groups.items())
    ]


def _turn_sums(run_id: UUID) -> dict[str, Any]:
    """Everything that is counted over turns, from two grouped queries."""
    turns = TurnVerdict.objects.filter(verdict__in=Verdict.objects.filter(item__run=run_id).values("pk")).order_by()
    tools: defaultdict[str, _Turns] = defaultdict(_Turns)
    actions: defaultdict[tuple[str, str], _Turns] = defaultdict(_Turns)
    kinds: defaultdict[str, _Turns] = defaultdict(_Turns)
    reasons: Counter[str] = Counter()
    sums: dict[str, tuple[float, int, int]] = dict.fromkeys(SUB_METRICS, (0.0, 0, 0))
    skipped = not_scored = 0
    grouped = turns.values("kind", "tool", "action", "failure_reason", "skipped", "passed", "ambiguous").annotate(
        n=Count("pk"),
        **{f"{name}_sum": Sum(name) for name in SUB_METRICS},
        **{f"{name}_n": Count(name) for name in SUB_METRICS},
        **{f"{name}_full": Count("pk", filter=Q(**{name: 1.0})) for name in SUB_METRICS},
    )
    row: dict[str, Any]
    for row in grouped:  # type: ignore[assignment]  # a row is typed by its literal keys, and is read by others here
        n = row["n"]
        for name in SUB_METRICS:
            total, judged, full = sums[name]
            sums[name] = (
                total + (row[f"{name}_sum"] or 0.0),
                judged + row[f"{name}_n"],
                full + row[f"{name}_full"],
            )
        if row["skipped"]:
            skipped += n
            continue
        if row["passed"] is None:
            not_scored += n
        into = [kinds[row["kind"]]]
        if row["tool"]:
            into += [tools[row["tool"]], actions[row["tool"], row["action"]]]
        is_cascade = row["failure_reason"] == CASCADE
        for counts in into:
            counts.evaluated += n if row["passed"] is not None else 0
            counts.not_scored += n if row["passed"] is None else 0
            counts.passed += n if row["passed"] else 0
            counts.cascades += n if is_cascade else 0
            counts.root_causes += n if row["passed"] is False and not is_cascade else 0
            counts.ambiguous += n if row["ambiguous"] else 0
        if row["passed"] is False and not is_cascade:
            reasons[row["failure_reason"]] += n
    return {
        "skipped_turns": skipped,
        "not_scored_turns": not_scored,
        "sub_metrics": {
            name: {"mean": total / judged if judged else None, "n": judged, "full": full}
            for name, (total, judged, full) in sums.items()
        },
        "reasons": [{"reason": reason, "root_causes": count} for reason, count in reasons.most_common()],
        "kinds": [{"value": kind, **counts.as_json()} for kind, counts in sorted(kinds.items())],
        "tools": _worst_first({"value": tool, **counts.as_json()} for tool, counts in tools.items()),
        "actions": _worst_first(
            {"tool": tool, "value": action, **counts.as_json()} for (tool, action), counts in actions.items()
        ),
        "fields": _field_sums(turns),
    }


def _field_sums(turns: Any) -> list[dict[str, Any]]:
    """Root causes and cascades by parameter or claim; a turn with two wrong fields counts in both."""
    counts: defaultdict[tuple[str, str, str], _Turns] = defaultdict(_Turns)
    rows = turns.filter(fields__isnull=False, passed=False).values("tool", "action", "fields", "failure_reason")
    for row in rows.annotate(n=Count("pk")):
        for name in row["fields"]:
            entry = counts[row["tool"], row["action"], name]
            if row["failure_reason"] == CASCADE:
                entry.cascades += row["n"]
            else:
                entry.root_causes += row["n"]
    return _worst_first(
        {
            "tool": tool,
            "action": action,
            "value": name,
            "root_causes": entry.root_causes,
            "cascades": entry.cascades,
        }
        for (tool, action, name), entry in counts.items()
    )


def _worst_first(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (-row["root_causes"], -row["cascades"], row.get("tool", ""), row["value"]))


def _pass_hat_k(items: list[_Item]) -> list[dict[str, Any]]:
    """pass^k by agent version: the mean over conversations of C(c, k) / C(n, k), n trials of which c passed.

    Three readings of "passed" stand side by side: the test of AEM, the test with all outcomes, and the imported reward
    (tau-bench's pass^k is that of its reward). Conversations with fewer than k judged trials are left out of pass^k,
    and how many entered it is said. A reading that no trial has is None.
    """
    by_agent: defaultdict[str, list[_Item]] = defaultdict(list)
    for item in items:
        by_agent[item.agent_label].append(item)
    tables = []
    for agent, trials in sorted(by_agent.items()):
        tests = _trials(trials, lambda item: item.test_pass)
        most = max((len(results) for results in tests.values()), default=0)
        if most < 2:
            continue
        has_outcomes = any(item.outcome for item in trials)
        outcomes = _trials(trials, lambda item: succeeded(item.test_pass, item.outcome)) if has_outcomes else {}
        rewards = _trials(trials, lambda item: None if item.reward is None else item.reward == 1)
        tables.append(
            {
                "agent_version": agent,
                "rows": [
                    {
                        "k": k,
                        **(_share_of_k(tests, k) or {}),
                        "with_outcomes": _share_of_k(outcomes, k),
                        "reward": _share_of_k(rewards, k),
                    }
                    for k in range(1, most + 1)
                ],
            }
        )
    return tables


def _trials(items: Iterable[_Item], passed: Callable[[_Item], bool | None]) -> dict[int, list[bool]]:
    """The judged trials of each conversation."""
    found: defaultdict[int, list[bool]] = defaultdict(list)
    for item in items:
        result = passed(item)
        if result is not None:
            found[item.conversation].append(result)
    return found


def _share_of_k(trials: Mapping[int, list[bool]], k: int) -> dict[str, Any] | None:
    shares = [comb(sum(results), k) / comb(len(results), k) for results in trials.values() if len(results) >= k]
    return {"value": _mean(shares), "conversations": len(shares)} if shares else None


def _reward_agreement(items: list[_Item]) -> dict[str, Any] | None:
    """How often `test_pass` and all outcomes together say what the imported reward says; None without rewards."""
    with_reward = [item for item in items if item.reward is not None]
    if not with_reward:
        return None
    counts: Counter[tuple[bool, bool]] = Counter()
    undecided = 0
    for item in with_reward:
        passed = succeeded(item.test_pass, item.outcome)
        if passed is None:
            undecided += 1
        else:
            counts[passed, item.reward == 1] += 1
    n = sum(counts.values())
    agree = counts[True, True] + counts[False, False]
    return {
        "n": n,
        "agree": agree,
        "rate": _ratio(agree, n),
        "both_pass": counts[True, True],
        "only_verdict_passes": counts[True, False],
        "only_reward_passes": counts[False, True],
        "both_fail": counts[False, False],
        "undecided": undecided,
    }


def succeeded(test_pass: bool | None, outcome: list[dict[str, Any]] | None) -> bool | None:
    """Whether the test and all its outcomes hold; None where that hangs on something not judged.

    >>> succeeded(True, [{"passed": True}]), succeeded(True, [{"passed": None}]), succeeded(False, [{"passed": None}])
    (True, None, False)
    """
    parts = [test_pass, *(assertion["passed"] for assertion in outcome or ())]
    if False in parts:
        return False
    return None if None in parts else True


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
