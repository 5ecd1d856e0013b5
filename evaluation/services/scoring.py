"""The work of a run: a chunk is claimed, scored and committed at once, by any number of workers.

The database alone says what has been done. A claim is a lease with a token; results are written in the transaction that
turns this very claim into "done", so a worker killed at any moment loses nothing and nothing is counted twice. A lease
that runs out is handed out again by :func:`reap`.
"""

from __future__ import annotations

import logging
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations.models import GoldenRecord
from evaluation import aem
from evaluation.aem import ENGINE_VERSION, RecordError, ScorerFailed, ScorerUnavailable
from evaluation.aem.language import kept
from evaluation.formats import jsonio
from evaluation.models import ChunkState, EvaluationRun, RunChunk, RunItem, RunState, TurnVerdict, Verdict
from evaluation.services import bulk, left_open, meaning, summaries

_LOST = kept("Its worker was lost: no sign of life before the lease ran out.")
_OTHER_ENGINE = kept(
    "The run was planned for engine {planned}; this worker has engine {own}. Start a new run with the same choice."
)
_OTHER_SCORER = kept(
    "The run was planned for the scorer {planned}; this worker has {own}. Start a new run with the same choice."
)

logger = logging.getLogger(__name__)

#: How long a chunk rests after an error before it is handed out again.
RETRY_SECONDS = 5
#: How long a worker is busy with one chunk; below the limit after which a worker that hangs is ended.
LONGEST_CHUNK = timedelta(minutes=8)
#: Parsed goldens that a worker process keeps; each is used by every agent version and trial of its conversation.
KEPT_GOLDENS = 256

VERDICT_COLUMNS = bulk.columns_of(Verdict)
TURN_COLUMNS = bulk.columns_of(TurnVerdict, without=["id"])


class LeaseLostError(Exception):
    """Somebody else has this chunk now; the work done so far is thrown away."""


class TakesLongError(Exception):
    """A judge needs longer for a chunk than a worker may be busy with it; what it answered is kept."""


class OtherEngineError(Exception):
    """The run was planned for another engine than this worker has."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A chunk in this worker's hands. ``token`` is new with each claim: only its holder may complete the chunk."""

    chunk_id: int
    run_id: UUID
    first_item: int
    last_item: int
    attempt: int
    token: str


@dataclass(slots=True)
class Rows:
    """Verdicts of a chunk in the columns of their tables."""

    verdicts: list[bulk.Row] = field(default_factory=list)
    turns: list[bulk.Row] = field(default_factory=list)
    #: Comparisons of meaning that the verdicts asked for.
    effort: dict[str, int] | None = None


def claim(*, worker: str, now: datetime) -> Claim | None:
    """Take the oldest ready chunk of a running run, in one statement; None when there is nothing to do."""
    skip = "FOR UPDATE OF c SKIP LOCKED" if connection.vendor == "postgresql" else ""
    until = connection.ops.adapt_datetimefield_value(now + _lease())
    token = f"{worker[:80]}:{uuid4().hex[:16]}"
    chunk, run = (connection.ops.quote_name(model._meta.db_table) for model in (RunChunk, EvaluationRun))
    statement = f"""
        UPDATE {chunk} SET state = 'leased', owner = %s, attempts = attempts + 1, lease_until = %s
        WHERE id = (
            SELECT c.id FROM {chunk} c JOIN {run} r ON r.id = c.run_id
            WHERE c.state = 'ready' AND r.state = 'running' ORDER BY c.id LIMIT 1 {skip}
        )
        RETURNING id, run_id, first_item, last_item, attempts
    """  # noqa: S608 - table names of our models
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, [token, until])
        row = cursor.fetchone()
    if row is None:
        return None
    chunk_id, run_id, first, last, attempt = row
    return Claim(chunk_id, run_id if isinstance(run_id, UUID) else UUID(run_id), first, last, attempt, token)


def renew(held: Claim, *, now: datetime) -> None:
    """Keep a chunk that takes longer than its lease; raises LeaseLostError where it is too late."""
    with transaction.atomic():
        if not _held(held).update(lease_until=now + _lease()):
            raise LeaseLostError


def complete(held: Claim, rows: Rows) -> bool:
    """Write the verdicts and mark the chunk done, all or nothing; False where the lease was lost, writing nothing."""
    with transaction.atomic():
        done = _held(held).update(state=ChunkState.DONE, owner="", lease_until=None, error="", effort=rows.effort)
        if not done:
            return False
        # What is scored again, since something in it could not be judged, takes the place of what was there.
        earlier = Verdict.objects.filter(item__run=held.run_id, item__position__range=(held.first_item, held.last_item))
        if earlier.exists():
            earlier.delete()
        bulk.insert(Verdict, VERDICT_COLUMNS, rows.verdicts)
        bulk.insert(TurnVerdict, TURN_COLUMNS, rows.turns)
    return True


def give_back(held: Claim, *, error: str, now: datetime) -> None:
    """Record why the chunk could not be scored. It is tried again after a rest, or has failed with the last attempt.

    The rest is a lease of nobody, which the reaper ends like any other.
    """
    with transaction.atomic():
        if held.attempt >= settings.AEM_CHUNK_ATTEMPTS:
            _held(held).update(state=ChunkState.FAILED, owner="", lease_until=None, error=error)
        else:
            rest = timedelta(seconds=RETRY_SECONDS * held.attempt)
            _held(held).update(owner="", lease_until=now + rest, error=error)


def hand_on(held: Claim) -> None:
    """Let somebody go on with the chunk at once; it counts as no attempt, since nothing failed."""
    with transaction.atomic():
        _held(held).update(state=ChunkState.READY, owner="", lease_until=None, attempts=F("attempts") - 1)


def work(*, worker: str, clock: Callable[[], datetime] = timezone.now) -> Claim | None:
    """Claim, score and commit one chunk. None when there was nothing to do."""
    held = claim(worker=worker, now=clock())
    if held is None:
        return None
    try:
        rows = score_chunk(held, clock=clock)
        complete(held, rows)
    except TakesLongError:
        hand_on(held)
    except LeaseLostError:
        logger.warning("chunk %s took longer than its lease and went to another worker", held.chunk_id)
    except Exception as error:
        logger.exception("chunk %s could not be scored (attempt %s)", held.chunk_id, held.attempt)
        give_back(held, error=_described(error), now=clock())
    return held


def score_chunk(held: Claim, *, clock: Callable[[], datetime] = timezone.now) -> Rows:
    """Score the items of a claimed chunk. What cannot be scored gets a verdict that says why, and is no failure.

    Items that ask for comparisons of meaning which nobody has made yet are scored again once these are made, all those
    of the chunk together.
    """
    plan = _plan_of(held.run_id)
    items = list(
        RunItem.objects.filter(run=held.run_id, position__range=(held.first_item, held.last_item))
        .order_by("position")
        .values_list(
            "pk",
            "position",
            "golden_record",
            "golden_record__content_hash",
            "trajectory__body",
            "trajectory__conversation__language",
        )
    )
    goldens = _prepared({item[2]: item[3] for item in items}, plan)
    lease = _Lease(held, clock)
    rows = Rows()
    while items:
        waiting = []
        for item in items:
            pk, position, record, _, body, language = item
            try:
                if not _score_item(pk, goldens[record], body, rows, meanings=plan.meanings, language=language):
                    waiting.append(item)
            except Exception as error:
                error.add_note(f"while scoring trajectory {position} of the run")
                raise
            lease.keep()
        if waiting and not plan.meanings.settle(keep_alive=lease.keep_while_asking):
            raise AssertionError("an item waits for an answer and nothing was asked")
        items = waiting
    if not plan.meanings.note():
        return score_chunk(held, clock=clock)
    rows.effort = plan.meanings.effort.as_json()
    return rows


class _Lease:
    """Renews the lease of a chunk in time."""

    def __init__(self, held: Claim, clock: Callable[[], datetime]) -> None:
        self.held = held
        self.clock = clock
        self.renew_at = clock() + _lease() / 3
        self.end: datetime | None = None

    def keep(self) -> None:
        """Renew it where a third of it is over; raises LeaseLostError where it is too late."""
        if self.clock() > self.renew_at:
            renew(self.held, now=self.clock())
            self.renew_at = self.clock() + _lease() / 3

    def keep_while_asking(self) -> None:
        """The same while answers come in, which are kept; raises TakesLongError where others should go on."""
        now = self.clock()
        self.end = self.end or now + LONGEST_CHUNK
        if now > self.end:
            raise TakesLongError
        self.keep()


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A golden record as the engine takes it, under a run's policy; or the reason why the engine cannot."""

    golden: Any = None
    policy: Any = None
    tools: Any = None
    error: str = ""


_goldens: OrderedDict[tuple[str, str], _Prepared] = OrderedDict()


def _prepared(records: Mapping[int, str], plan: _Plan) -> dict[int, _Prepared]:
    """The goldens of a chunk, each read and parsed once per process. Hashes name them, since documents never change."""
    policy_hash, policy_body = plan.policy_hash, plan.policy_body
    found: dict[int, _Prepared] = {}
    missing = []
    for record, record_hash in records.items():
        key = record_hash, policy_hash
        if key in _goldens:
            _goldens.move_to_end(key)
            found[record] = _goldens[key]
        else:
            missing.append(record)
    if missing:
        bodies = GoldenRecord.objects.filter(pk__in=missing).values_list("pk", "body", "tool_set__body")
        for record, body, tools in bodies:
            found[record] = prepared = _prepare(body, tools, policy_body)
            if not prepared.error:
                _goldens[records[record], policy_hash] = prepared
        while len(_goldens) > KEPT_GOLDENS:
            _goldens.popitem(last=False)
    return found


def _prepare(body: dict[str, Any], tools: Any, run_policy: dict[str, Any]) -> _Prepared:
    try:
        # What a record leaves open comes from the run.
        policy = aem.parse_policy(body["policy"], base=aem.parse_policy(run_policy))
        return _Prepared(golden=aem.parse_golden(body["golden"]), policy=policy, tools=aem.parse_tools(tools))
    except (RecordError, ScorerUnavailable) as error:
        return _Prepared(error=str(error))


def _score_item(
    item: int, prepared: _Prepared, body: Any, rows: Rows, *, meanings: meaning.Meanings, language: str
) -> bool:
    """Whether the item was dealt with; False where it waits for comparisons of meaning."""
    error = prepared.error
    if not error:
        try:
            trajectory = aem.parse_trajectory(body)
            verdict = meanings.score(
                prepared.golden, trajectory, policy=prepared.policy, tools=prepared.tools, language=language
            )
        except (RecordError, ScorerUnavailable, ScorerFailed) as problem:
            error = str(problem)
        else:
            if verdict is None:
                return False
            add_verdict(item, verdict, rows)
            return True
    rows.verdicts.append(_not_scored(item, error))
    return True


def add_verdict(item: int, verdict: aem.ConversationVerdict, rows: Rows) -> None:
    """The verdict's rows, as the tables take them."""
    evaluated = passed = ambiguous = not_scored = 0
    for turn in verdict.turns:
        evaluated += turn.passed is not None
        not_scored += turn.is_unscored
        passed += turn.passed is True
        ambiguous += turn.ambiguous
        # What a semantic scorer decided is kept with its scores: thresholds are calibrated on them.
        is_explained = turn.passed is False or turn.ambiguous or turn.is_unscored or turn.is_semantic
        rows.turns.append(
            (
                item,
                turn.turn_no,
                turn.golden,
                turn.kind,
                turn.tool or "",
                turn.action or "",
                turn.observed,
                turn.skipped,
                turn.passed,
                "" if turn.failure_reason is None else str(turn.failure_reason),
                _names(turn.reasons),
                _names(turn.fields),
                _names(turn.cascade_of),
                turn.ambiguous,
                _double(turn.structural),
                _double(turn.completeness),
                _double(turn.truthfulness),
                jsonio.dumps(verdict.explain_turn(turn.turn_no)) if is_explained else None,
            )
        )
    sub = verdict.sub_metrics
    rows.verdicts.append(
        (
            item,
            "",
            verdict.path,
            _double(verdict.success_rate),
            verdict.test_pass,
            verdict.first_failure_turn,
            "" if verdict.root_cause is None else str(verdict.root_cause),
            verdict.root_cause_count,
            verdict.cascading_count,
            evaluated,
            passed,
            ambiguous,
            not_scored,
            _double(sub.structural),
            _double(sub.completeness),
            _double(sub.truthfulness),
            verdict.chain.length,
            verdict.chain.bucket or "",
            _listed([{"id": one.id, "passed": one.passed} for one in verdict.outcome]),
            _listed([{"observed": one.observed, "kind": one.kind, "wrote": one.wrote} for one in verdict.unexpected]),
        )
    )


def _not_scored(item: int, error: str) -> bulk.Row:
    return (item, error, "", None, None, None, "", 0, 0, 0, 0, 0, 0, None, None, None, 0, "", "[]", "[]")


def finish(*, now: datetime) -> list[UUID]:
    """End the runs in which nothing is left to do. Exactly one worker wins each; it adds the results up.

    The end is committed before the adding up: if that fails, or its worker is killed, :func:`reap` does it again.
    """
    open_chunks = Q(chunks__state__in=[ChunkState.READY, ChunkState.LEASED])
    ended = []
    for run_id in (
        EvaluationRun.objects.filter(state=RunState.RUNNING).exclude(open_chunks).values_list("pk", flat=True)
    ):
        failed = RunChunk.objects.filter(run=run_id, state=ChunkState.FAILED).exists()
        with transaction.atomic():
            won = (
                EvaluationRun.objects.filter(pk=run_id, state=RunState.RUNNING)
                .exclude(open_chunks)
                .update(state=RunState.FAILED if failed else RunState.DONE, finished_at=now, summary=None)
            )
        if won:
            ended.append(run_id)
    leased = Q(chunks__state=ChunkState.LEASED)
    stopped = EvaluationRun.objects.filter(state=RunState.STOPPED, summary=None).exclude(leased)
    for run_id in [*ended, *stopped.values_list("pk", flat=True)]:
        _add_up(run_id)
    return ended


def reap(*, now: datetime) -> int:
    """Hand expired leases out again, end what has ended, add up what was left undone.

    Returns how many bells should ring: as many as leases ran out, at least one where work waits and nobody is at it.
    """
    expired = RunChunk.objects.filter(state=ChunkState.LEASED, lease_until__lt=now)
    returned = 0
    if expired.exists():
        with transaction.atomic():
            expired.filter(attempts__gte=settings.AEM_CHUNK_ATTEMPTS, error="").update(error=_LOST)
            expired.filter(attempts__gte=settings.AEM_CHUNK_ATTEMPTS).update(
                state=ChunkState.FAILED, owner="", lease_until=None
            )
            returned = expired.update(state=ChunkState.READY, owner="", lease_until=None)
    finish(now=now)
    left_undone = EvaluationRun.objects.filter(
        state__in=[RunState.DONE, RunState.FAILED], summary=None, finished_at__lt=now - _lease()
    )
    for run_id in left_undone.values_list("pk", flat=True):
        _add_up(run_id)
    waiting = RunChunk.objects.filter(state=ChunkState.READY, run__state=RunState.RUNNING)
    if not waiting.exists():
        return 0
    at_work = RunChunk.objects.filter(state=ChunkState.LEASED).exclude(owner="").exists()
    return max(returned, 0 if at_work else 1)


def _add_up(run_id: UUID) -> None:
    run = EvaluationRun.objects.get(pk=run_id)
    summary = summaries.summarise(run_id) | {"left_open": left_open.find(run).as_json()}
    efforts = RunChunk.objects.filter(run=run_id, effort__isnull=False).values_list("effort", flat=True)
    effort = meaning.effort_of(run, efforts)
    with transaction.atomic():
        # A run that went on meanwhile, and may have ended again, is added up by whoever ended it then.
        same_end = EvaluationRun.objects.filter(pk=run_id, finished_at=run.finished_at).exclude(state=RunState.RUNNING)
        same_end.update(summary=summary, effort=effort)


def _held(held: Claim) -> Any:
    return RunChunk.objects.filter(pk=held.chunk_id, owner=held.token, state=ChunkState.LEASED)


def _lease() -> timedelta:
    return timedelta(seconds=settings.AEM_CHUNK_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run was planned with."""

    policy_hash: str
    policy_body: Any
    meanings: meaning.Meanings


def _plan_of(run_id: UUID) -> _Plan:
    """Policy and scorers of the run; refuses one that was planned for another engine or other scorers."""
    run = EvaluationRun.objects.select_related("policy", "vocabulary", "judge_use__settings").get(pk=run_id)
    if run.engine_version != ENGINE_VERSION:
        raise OtherEngineError(_OTHER_ENGINE.format(planned=run.engine_version, own=ENGINE_VERSION))
    use = getattr(run, "judge_use", None)
    meanings = meaning.Meanings(
        project_id=run.project_id,
        vocabulary=run.vocabulary,
        run=run,
        judge=use.settings if use is not None else None,
        asks=True,
    )
    if run.scorer_version and run.scorer_version != meanings.version:
        raise OtherEngineError(_OTHER_SCORER.format(planned=run.scorer_version, own=meanings.version))
    return _Plan(run.policy.content_hash, run.policy.body, meanings)


def _nearest(rate: Any) -> float | None:
    """An exact rate as the nearest double, as AEM emits rates."""
    return None if rate is None else rate.numerator / rate.denominator


def _names(values: Iterable[Any]) -> str | None:
    """A short list as JSON; null when it is empty, which most are."""
    values = tuple(values)
    return _short_list(values) if values else None


@lru_cache(maxsize=4096)
def _short_list(values: tuple[Any, ...]) -> str:
    return jsonio.dumps(list(values))


def _double(rate: Fraction | None) -> float | None:
    """The nearest double of an exact rate."""
    return None if rate is None else rate.numerator / rate.denominator


def _listed(values: list[Any]) -> str:
    return jsonio.dumps(values) if values else "[]"


def _described(error: Exception) -> str:
    """The exception with its notes and where it came from: what a person needs to report it."""
    if isinstance(error, OtherEngineError):
        return str(error)  # nobody needs to report it
    return "".join(traceback.format_exception(error, limit=-4))[-4000:]
