"""Evaluation runs: planned once and frozen, then started, stopped and resumed. Scoring itself is in `scoring`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from annotations.models import Conversation, DatasetVersion, DatasetVersionItem, Project, Trajectory, User
from annotations.services import history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem import ENGINE_VERSION
from evaluation.aem.language import say
from evaluation.formats import jsonio
from evaluation.models import ChunkState, EvaluationRun, Policy, RunChunk, RunItem, RunState
from evaluation.services import bulk, judges, judging, left_open, meaning, versions, vocabularies

#: A chunk is one transaction: with more rows than this a person's save would wait noticeably for it.
CHUNK_TURNS = 400
#: A judge takes seconds for what the rest does in milliseconds, so its chunks are small.
JUDGED_CONVERSATIONS = 2


class NothingToScoreError(WorkbenchError):
    """A plan without trajectories."""


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """One version of one agent, as trajectories name it."""

    agent: str
    agent_version: str

    @property
    def label(self) -> str:
        return " ".join(part for part in (self.agent, self.agent_version) if part) or say("unnamed agent")


@dataclass(frozen=True, slots=True)
class AvailableAgent:
    """What a dataset version could be scored for."""

    version: AgentVersion
    trajectories: int
    trials: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come, counted in trajectories."""

    total: int
    done: int
    in_work: int
    failed: int
    failed_chunks: int

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.in_work - self.failed

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when nothing is left."""
        return 100 * self.done // self.total if self.total else 0


@dataclass(frozen=True, slots=True)
class Staleness:
    """What changed since a run was planned; verdicts on what changed no longer speak of what is in force."""

    golden_changed: int
    trajectory_replaced: int
    engine_changed: bool
    scorer_changes: tuple[str, ...]
    """Sentences that say what compares meanings otherwise now."""

    @property
    def is_whole(self) -> bool:
        """Whether it concerns all verdicts of the run."""
        return self.engine_changed or bool(self.scorer_changes)

    def __bool__(self) -> bool:
        return bool(self.golden_changed or self.trajectory_replaced or self.is_whole)


def available_agents(version: DatasetVersion) -> list[AvailableAgent]:
    """The agent versions that have current trajectories for conversations of this dataset version."""
    rows = (
        _candidates(version)
        .order_by("agent", "agent_version")
        .values("agent", "agent_version")
        .annotate(trajectories=Count("pk"), trials=Count("trial", distinct=True))
    )
    return [
        AvailableAgent(
            version=AgentVersion(row["agent"], row["agent_version"]),
            trajectories=row["trajectories"],
            trials=row["trials"],
        )
        for row in rows
    ]


def available_trials(version: DatasetVersion) -> list[int]:
    """The trial numbers that occur among them."""
    found = _candidates(version).filter(trial__isnull=False).order_by("trial").values_list("trial", flat=True)
    return [trial for trial in found.distinct() if trial is not None]


def _candidates(version: DatasetVersion) -> QuerySet[Trajectory]:
    conversations = DatasetVersionItem.objects.filter(version=version).values("golden_record__conversation")
    return Trajectory.objects.current().filter(conversation__in=conversations)


@transaction.atomic
def plan(
    *,
    project: Project,
    dataset_version: DatasetVersion,
    policy: Policy,
    by: User | None,
    name: str = "",
    agents: Collection[AgentVersion] = (),
    trials: Collection[int] = (),
    follows: EvaluationRun | None = None,
    trajectories: Collection[int] = (),
) -> EvaluationRun:
    """Freeze what is to be scored: each current trajectory of the version's conversations against its golden there.

    ``agents``, ``trials`` and ``trajectories`` (primary keys) narrow the choice; left empty they take all. A run that
    ``follows`` another scores against the goldens that are in force by now.
    Raises NothingToScoreError where nothing is left.
    """
    if dataset_version.dataset.project_id != project.pk or policy.project_id != project.pk:
        raise WorkbenchError(say("Dataset version and policy must belong to the project of the run."))
    chosen = _candidates(dataset_version)
    if agents:
        wanted = Q()
        for agent in agents:
            wanted |= Q(agent=agent.agent, agent_version=agent.agent_version)
        chosen = chosen.filter(wanted)
    if trials:
        chosen = chosen.filter(trial__in=trials)
    if trajectories:
        chosen = chosen.filter(pk__in=trajectories)
    goldens = {
        conversation: (position, record, record_hash, turns)
        for conversation, position, record, record_hash, turns in DatasetVersionItem.objects.filter(
            version=dataset_version
        )
        .order_by("position")
        .values_list(
            "golden_record__conversation",
            "position",
            "golden_record",
            "golden_record__content_hash",
            "golden_record__turn_count",
        )
    }
    if follows is not None:
        goldens |= _in_force(goldens)
    # By conversation, so that a chunk reads and parses each golden once.
    rows = sorted(
        chosen.order_by("agent", "agent_version", "trial", "key").values_list("pk", "conversation", "content_hash"),
        key=lambda row: goldens[row[1]][0],
    )
    if not rows:
        raise NothingToScoreError(
            say(
                "No current trajectory of {version} fits this choice. Import trajectories of its conversations first, "
                "or choose other agent versions and trials.",
                version=dataset_version,
            )
        )
    Project.objects.select_for_update().get(pk=project.pk)  # two runs planned at once would take the same number
    scorers = meaning.scorers_asked_for(policy.body, {goldens[conversation][1] for _, conversation, _ in rows})
    compares = scorers != {"exact"}
    judge = judges.find(project=project) if meaning.JUDGE in scorers else None
    if judge is None and meaning.JUDGE in scorers and policy.body.get("scorer") == meaning.JUDGE:
        raise NotAllowedNowError(
            say(
                "This policy asks a judge, and the project has none. Set one up in the project's settings first, or "
                "choose another policy."
            )
        )
    vocabulary = vocabularies.latest(project) if compares else None
    scorer_version = meaning.version_of(vocabulary) if compares else ""
    number = (EvaluationRun.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0) + 1
    run = EvaluationRun.objects.create(
        project=project,
        number=number,
        name=name.strip(),
        dataset_version=dataset_version,
        policy=policy,
        vocabulary=vocabulary,
        scorer_version=scorer_version,
        plan_hash=jsonio.content_hash(
            {
                "dataset_version": dataset_version.content_hash,
                "policy": policy.content_hash,
                "engine": ENGINE_VERSION,
                **({"scorer": scorer_version} if compares else {}),
                **({"judge": judge.content_hash} if judge is not None else {}),
                "items": [[goldens[conversation][2], trajectory_hash] for _, conversation, trajectory_hash in rows],
            }
        ),
        engine_version=ENGINE_VERSION,
        selection={
            "agents": [[agent.agent, agent.agent_version] for agent in agents],
            "trials": sorted(trials),
            **({"trajectories": sorted(trajectories)} if trajectories else {}),
        },
        follows=follows,
        created_by=by,
    )
    if judge is not None:
        judging.plan_use(run=run, settings=judge)
    run_column = RunItem._meta.get_field("run").get_db_prep_value(run.pk, connection)
    bulk.insert(
        RunItem,
        ("run_id", "position", "trajectory_id", "golden_record_id"),
        [
            (run_column, position, trajectory, goldens[conversation][1])
            for position, (trajectory, conversation, _) in enumerate(rows, start=1)
        ],
    )
    most = settings.AEM_CHUNK_CONVERSATIONS if judge is None else JUDGED_CONVERSATIONS
    stretches = cut([goldens[conversation][3] for _, conversation, _ in rows], most=most)
    RunChunk.objects.bulk_create(
        RunChunk(run=run, position=position, first_item=first, last_item=last)
        for position, (first, last) in enumerate(stretches, start=1)
    )
    history.record(project=project, actor=by, action="run.planned", subject=run, after={"items": len(rows)})
    return run


_Planned = tuple[int, int, str, int]


def _in_force(goldens: Mapping[int, _Planned]) -> dict[int, _Planned]:
    """The goldens in force of these conversations, in the places of those of the version."""
    rows = Conversation.objects.filter(pk__in=goldens, golden_record__isnull=False).values_list(
        "pk", "golden_record", "golden_record__content_hash", "golden_record__turn_count"
    )
    return {
        conversation: (goldens[conversation][0], record, record_hash, turns)
        for conversation, record, record_hash, turns in rows
    }


def cut(turn_counts: Collection[int], *, most: int) -> Iterator[tuple[int, int]]:
    """First and last position (from 1) of each chunk: at most ``most`` items and, past the first, CHUNK_TURNS turns.

    >>> list(cut([10, 10, 10], most=2))
    [(1, 2), (3, 3)]
    >>> list(cut([500, 390, 10, 1], most=20))
    [(1, 1), (2, 3), (4, 4)]
    """
    first, turns = 1, 0
    for position, count in enumerate(turn_counts, start=1):
        if position > first and (position - first == most or turns + count > CHUNK_TURNS):
            yield first, position - 1
            first, turns = position, 0
        turns += count
    if turn_counts:
        yield first, len(turn_counts)


def start(*, run: EvaluationRun, by: User | None = None) -> None:
    """Hand the chunks out. The caller rings the bell (`tasks.ring`) afterwards; without it the reaper does."""
    _move(run, to=RunState.RUNNING, when=[RunState.PENDING], by=by, action="run.started", started_at=timezone.now())


def stop(*, run: EvaluationRun, by: User | None = None) -> None:
    """No further chunk is handed out; those in work are finished and kept. What there is gets added up."""
    _move(
        run,
        to=RunState.STOPPED,
        when=[RunState.PENDING, RunState.RUNNING],
        by=by,
        action="run.stopped",
        finished_at=timezone.now(),
        summary=None,
    )


@transaction.atomic
def resume(*, run: EvaluationRun, by: User | None = None) -> None:
    """Go on where a stopped run was left; in a failed one, try the chunks that failed again."""
    _check_versions(run)
    _move(
        run,
        to=RunState.RUNNING,
        when=[RunState.STOPPED, RunState.FAILED],
        by=by,
        action="run.resumed",
        started_at=run.started_at or timezone.now(),
        finished_at=None,
        summary=None,
    )
    run.chunks.filter(state=ChunkState.FAILED).update(state=ChunkState.READY, attempts=0, error="")


def can_go_on(run: EvaluationRun) -> bool:
    """Whether what is here judges as the run was planned to be judged, so that more of it can be scored."""
    try:
        _check_versions(run)
    except NotAllowedNowError:
        return False
    return True


def _check_versions(run: EvaluationRun) -> None:
    """Refuse to go on with a run whose verdicts would come from two engines, or from two scorers."""
    if run.engine_version != ENGINE_VERSION:
        raise NotAllowedNowError(
            say(
                "This run was planned for engine {planned}; this is engine {now}. "
                "Start a new run with the same choice.",
                planned=run.engine_version,
                now=ENGINE_VERSION,
            )
        )
    scorer = meaning.version_of(run.vocabulary) if run.scorer_version else ""
    if run.scorer_version != scorer:
        raise NotAllowedNowError(
            say(
                "This run was planned for the scorer {planned}; this is the scorer {now}. "
                "Start a new run with the same choice.",
                planned=run.scorer_version,
                now=scorer,
            )
        )


@transaction.atomic
def score_unscored(*, run: EvaluationRun, by: User | None = None) -> int:
    """Try again what a judge gave no readable answer to: turns, forbidden calls, outcomes; in how many trajectories.

    What was answered is not asked again. Raises NotAllowedNowError where nothing is left to try.
    """
    _check_versions(run)
    positions = left_open.find(run).positions
    if not positions:
        raise NotAllowedNowError(say("No turn, forbidden call or outcome of this run is without a score."))
    judging.retry(run=run, now=timezone.now())
    concerned = [
        chunk
        for chunk, first, last in run.chunks.values_list("pk", "first_item", "last_item")
        if bisect_left(positions, first) < bisect_right(positions, last)
    ]
    _move(
        run,
        to=RunState.RUNNING,
        when=[RunState.DONE, RunState.STOPPED, RunState.FAILED],
        by=by,
        action="run.unscored_again",
        finished_at=None,
        summary=None,
    )
    for start in range(0, len(concerned), 500):
        run.chunks.filter(pk__in=concerned[start : start + 500], state=ChunkState.DONE).update(
            state=ChunkState.READY, attempts=0, error=""
        )
    return len(positions)


@transaction.atomic
def _move(
    run: EvaluationRun, *, to: RunState, when: list[RunState], by: User | None, action: str, **changes: datetime | None
) -> None:
    """One conditional update: of two people who press at once, one moves the run and the other is told."""
    moved = EvaluationRun.objects.filter(pk=run.pk, state__in=when).update(state=to, **changes)
    before = run.state
    run.refresh_from_db()
    if not moved:
        raise NotAllowedNowError(
            say("This cannot be done now: {run} is {state}.", run=run, state=run.get_state_display().lower())
        )
    history.record(project=run.project, actor=by, action=action, subject=run, before=before, after=to)


def progress(run: EvaluationRun) -> Progress:
    """Counted from the chunks, in one query."""
    return _progress(_chunk_sums([run])[run.pk])


def progress_of(found: Collection[EvaluationRun]) -> dict[UUID, Progress]:
    """The same for several runs, in one query."""
    return {run_id: _progress(rows) for run_id, rows in _chunk_sums(found).items()}


def _chunk_sums(found: Collection[EvaluationRun]) -> dict[UUID, dict[str, tuple[int, int]]]:
    """Items and chunks by run and state of the chunk."""
    sums: dict[UUID, dict[str, tuple[int, int]]] = {run.pk: {} for run in found}
    rows = RunChunk.objects.filter(run__in=sums).order_by().values("run_id", "state")
    for row in rows.annotate(items=Sum(F("last_item") - F("first_item") + 1), chunks=Count("pk")):
        sums[row["run_id"]][row["state"]] = row["items"], row["chunks"]
    return sums


def _progress(sums: dict[str, tuple[int, int]]) -> Progress:
    none = (0, 0)
    return Progress(
        total=sum(items for items, _ in sums.values()),
        done=sums.get(ChunkState.DONE, none)[0],
        in_work=sums.get(ChunkState.LEASED, none)[0],
        failed=sums.get(ChunkState.FAILED, none)[0],
        failed_chunks=sums.get(ChunkState.FAILED, none)[1],
    )


def agents_in(run: EvaluationRun) -> list[AgentVersion]:
    """The agent versions that the run scores."""
    pairs = run.items.order_by("trajectory__agent", "trajectory__agent_version").values_list(
        "trajectory__agent", "trajectory__agent_version"
    )
    return [AgentVersion(agent, version) for agent, version in pairs.distinct()]


def staleness(run: EvaluationRun) -> Staleness:
    """Whether verdicts of the run are out of date, and how many."""
    counts = run.items.with_staleness().aggregate(
        golden=Count("pk", filter=Q(golden_changed=True)), replaced=Count("pk", filter=Q(trajectory_replaced=True))
    )
    return Staleness(
        golden_changed=counts["golden"],
        trajectory_replaced=counts["replaced"],
        engine_changed=versions.engine_changed(run),
        scorer_changes=versions.scorer_changes(run),
    )


def is_stale(item: RunItem) -> bool:
    """Whether this item's verdict speaks of a golden, trajectory, engine or scorer that is no longer in force."""
    return (
        item.golden_record_id != item.trajectory.conversation.golden_record_id
        or item.trajectory.superseded_at is not None
        or versions.engine_changed(item.run)
        or bool(versions.scorer_changes(item.run))
    )
