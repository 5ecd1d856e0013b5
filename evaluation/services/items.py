"""Finding a run's items: by what was scored, by the verdict, and by what one of its turns shows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, StrIndex

from annotations.models import HumanLabel, User
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, RunItem, TurnVerdict
from evaluation.services import left_open, summaries, versions
from evaluation.services.runs import AgentVersion

#: Stands for "not given" where an empty text would mean "any".
NOT_GIVEN = "none"


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """What the items must show; empty means any. The second group must all hold for one and the same turn."""

    result: str = ""
    agent: str = ""
    trial: int | None = None
    first: int | None = None
    chain: str = ""
    length: str = ""
    language: str = ""
    domain: str = ""
    stale: bool = False

    cause: str = ""
    reason: str = ""
    tool: str = ""
    action: str = ""
    field: str = ""
    kind: str = ""
    ambiguous: bool = False

    def is_empty(self) -> bool:
        return all(getattr(self, part.name) in ("", None, False) for part in fields(self))


def agent_of(key: str) -> AgentVersion | None:
    """The agent version that a key names, as filters and forms carry it; None for anything else."""
    try:
        parts = jsonio.loads(key)
    except jsonio.JsonError:
        return None
    if isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, str) for part in parts):
        return AgentVersion(*parts)
    return None


def key_of(agent: AgentVersion) -> str:
    return jsonio.dumps([agent.agent, agent.agent_version])


def find(run: EvaluationRun, wanted: ItemFilter) -> QuerySet[RunItem]:
    """The items that fit, in the order of the plan, with all that a list shows of them."""
    items = _by_item(run.items.with_staleness(), wanted, run)
    turns = _by_turn(TurnVerdict.objects.filter(verdict=OuterRef("pk")), wanted)
    if turns is not None:
        items = items.filter(Exists(turns))
    return items.select_related("trajectory__conversation", "golden_record", "verdict").defer(
        "trajectory__body", "golden_record__body", "verdict__unexpected", "trajectory__conversation__system_prompt"
    )


def first_turn(item: RunItem, wanted: ItemFilter) -> int | None:
    """The first turn of an item for whose sake it fits; None where nothing is asked of a turn, or none fits."""
    turns = _by_turn(TurnVerdict.objects.filter(verdict=item.pk), wanted)
    if turns is None and wanted.result in ("unknown", "left_open"):
        turns = TurnVerdict.objects.filter(verdict=item.pk, passed=None, skipped=False)
    return None if turns is None else turns.order_by("turn_no").values_list("turn_no", flat=True).first()


def _by_item(items: QuerySet[RunItem], wanted: ItemFilter, run: EvaluationRun) -> QuerySet[RunItem]:
    by_result = {
        "passed": Q(verdict__test_pass=True),
        "failed": Q(verdict__test_pass=False),
        "empty": Q(verdict__error="", verdict__evaluated=0),
        "not_scored": Q(verdict__isnull=False) & ~Q(verdict__error=""),
        "unknown": Q(verdict__error="", verdict__test_pass=None),
        "left_open": left_open.HAS_OPEN_TURN | left_open.HAS_OPEN_CALL | left_open.HAS_OPEN_OUTCOME,
        "waiting": Q(verdict__isnull=True),
    }
    if wanted.result:
        items = items.filter(by_result.get(wanted.result, Q(pk__in=[])))
    if wanted.agent:
        agent = agent_of(wanted.agent)
        items = (
            items.filter(trajectory__agent=agent.agent, trajectory__agent_version=agent.agent_version)
            if agent
            else items.none()
        )
    if wanted.trial is not None:
        items = items.filter(trajectory__trial=wanted.trial)
    if wanted.first is not None:
        items = items.filter(verdict__first_failure_turn=wanted.first)
    if wanted.chain:
        items = items.filter(verdict__error="", verdict__chain_bucket=_given(wanted.chain))
    if wanted.length:
        bounds = summaries.length_range(wanted.length)
        items = items.filter(golden_record__turn_count__range=bounds) if bounds else items.none()
    if wanted.language:
        items = items.filter(trajectory__conversation__language=_given(wanted.language))
    if wanted.domain:
        items = items.filter(trajectory__conversation__domain=_given(wanted.domain))
    if wanted.stale and not (versions.engine_changed(run) or versions.scorer_changes(run)):
        # Another engine or scorer makes all of them out of date.
        items = items.filter(Q(golden_changed=True) | Q(trajectory_replaced=True))
    return items


def _by_turn(turns: QuerySet[TurnVerdict], wanted: ItemFilter) -> QuerySet[TurnVerdict] | None:
    """Those of the turns that fit; None where nothing is asked of a turn."""
    asked: list[Q] = []
    if wanted.cause == "root":
        asked.append(Q(passed=False) & ~Q(failure_reason=summaries.CASCADE))
    elif wanted.cause == "cascade":
        asked.append(Q(failure_reason=summaries.CASCADE))
    elif wanted.cause == "failed":
        asked.append(Q(passed=False))
    elif wanted.cause == "passed":
        asked.append(Q(passed=True))
    elif wanted.cause == "not_scored":
        asked.append(Q(passed=None, skipped=False))
    if wanted.reason:
        asked.append(Q(failure_reason=wanted.reason))
    if wanted.tool:
        asked.append(Q(tool=wanted.tool))
    if wanted.action:
        asked.append(Q(action=_given(wanted.action)))
    if wanted.kind:
        asked.append(Q(kind=wanted.kind))
    if wanted.ambiguous:
        asked.append(Q(ambiguous=True))
    if wanted.field:
        # The column holds a JSON list of names: each stands in it in quotes, its own quotes escaped.
        turns = turns.alias(named_at=StrIndex("fields", Value(jsonio.dumps(wanted.field))))
        asked.append(Q(passed=False, named_at__gt=0))
    return turns.filter(*asked) if asked else None


def _given(value: str) -> str:
    return "" if value == NOT_GIVEN else value


def to_label(run: EvaluationRun, *, viewer: User, only_open: bool = False) -> QuerySet[Any]:
    """The run's trajectories for a person who labels them: in the order of the plan, with how many turns they labelled.

    Nothing here is chosen, ordered or counted by a verdict.
    """
    own = (
        HumanLabel.objects.filter(trajectory=OuterRef("trajectory"), annotator=viewer)
        .order_by()
        .values("trajectory")
        .annotate(n=Count("pk"))
        .values("n")
    )
    items = run.items.annotate(own_labels=Coalesce(Subquery(own), 0))
    if only_open:
        items = items.filter(own_labels=0)
    return items.select_related("trajectory__conversation", "golden_record").defer(
        "trajectory__body", "golden_record__body", "trajectory__conversation__system_prompt"
    )
