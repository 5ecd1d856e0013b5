"""Real workers on the real broker: whatever is killed at whatever moment, the count comes out exactly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from evaluation import tasks
from evaluation.models import ChunkState, EvaluationRun, RunChunk, RunState, TurnVerdict, Verdict
from evaluation.services import runs, scoring
from tests.factories import make_report_version, make_run, make_trajectory, report_trajectory, score_run
from tests.workers import StartWorker, message_queue, start_worker

__all__ = ["message_queue", "start_worker"]

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TURN_COLUMNS = [name for name in scoring.TURN_COLUMNS if name != "verdict_id"]
VERDICT_COLUMNS = [name for name in scoring.VERDICT_COLUMNS if name != "item_id"]


def wait_until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass in time"
        time.sleep(0.005)


def state_of(run: EvaluationRun) -> str:
    return EvaluationRun.objects.values_list("state", flat=True).get(pk=run.pk)


def all_verdicts(run: EvaluationRun) -> tuple[list[Any], list[Any]]:
    return (
        list(Verdict.objects.filter(item__run=run).order_by("item__position").values_list(*VERDICT_COLUMNS)),
        list(
            TurnVerdict.objects.in_run(run)
            .order_by("verdict__item__position", "turn_no")
            .values_list("verdict__item__position", *TURN_COLUMNS)
        ),
    )


@pytest.fixture
def run(settings: LazySettings) -> EvaluationRun:
    """300 trajectories in as many chunks, a third of which fail: long enough to be killed in the middle of."""
    settings.AEM_CHUNK_CONVERSATIONS = 1
    version = make_report_version(20, failing=10)
    conversations = [item.golden_record.conversation for item in version.items.all()]
    for trial in range(1, 15):
        for number, conversation in enumerate(conversations):
            body = report_trajectory(metric="profit" if (number + trial) % 3 == 0 else "revenue")
            make_trajectory(conversation, trial=trial, body=body)
    return make_run(version, is_scored=False)


def test_a_worker_killed_in_mid_run_loses_nothing_and_counts_nothing_twice(
    run: EvaluationRun, start_worker: StartWorker
) -> None:
    runs.stop(run=run)
    victim = start_worker("victim", AEM_CHUNK_LEASE_SECONDS="2")
    other = start_worker("other", beat=True, AEM_CHUNK_LEASE_SECONDS="2", AEM_REAP_SECONDS="0.5")
    runs.resume(run=run)
    tasks.ring()
    owners = RunChunk.objects.filter(run=run, state=ChunkState.LEASED)
    own_pids = {str(pid) for pid in victim.pool_pids()}
    # Killed while it holds a chunk: seen in the table, though it may have been committed in the meantime.
    wait_until(lambda: runs.progress(run).done > 30 and any(o.split(":")[1] in own_pids for o in _owners(owners)))
    victim.kill()
    before = runs.progress(run)
    assert before.done < before.total, "the run was over before anything was killed"
    wait_until(lambda: state_of(run) == RunState.DONE)
    wait_until(lambda: EvaluationRun.objects.filter(pk=run.pk, summary__isnull=False).exists())
    other.stop()

    run.refresh_from_db()
    verdicts, turns = all_verdicts(run)
    assert (len(verdicts), len(turns)) == (300, 1500)
    assert (run.summary["scored"], run.summary["missing"]) == (300, 0)
    # The same run, worked through here without any accident, is equal to the last digit.
    calm = score_run(make_run(run.dataset_version, is_scored=False))
    assert all_verdicts(calm) == (verdicts, turns)
    assert calm.summary == run.summary
    assert calm.plan_hash == run.plan_hash


def _owners(chunks: Any) -> list[str]:
    return [owner for owner in chunks.values_list("owner", flat=True) if owner]


def test_all_workers_killed_and_new_ones_started_goes_on_where_it_was(
    run: EvaluationRun, start_worker: StartWorker
) -> None:
    first = start_worker("first", concurrency=2, AEM_CHUNK_LEASE_SECONDS="2")
    tasks.ring()
    wait_until(lambda: runs.progress(run).done > 30)
    first.kill()
    left = runs.progress(run)
    assert left.done < left.total
    start_worker("second", concurrency=2, beat=True, AEM_CHUNK_LEASE_SECONDS="2", AEM_REAP_SECONDS="0.5")
    wait_until(lambda: state_of(run) == RunState.DONE)
    assert (Verdict.objects.count(), TurnVerdict.objects.count()) == (300, 1500)


def test_a_run_is_stopped_and_resumed_while_workers_are_at_it(run: EvaluationRun, start_worker: StartWorker) -> None:
    start_worker(concurrency=2, beat=True, AEM_REAP_SECONDS="0.5")
    tasks.ring()
    wait_until(lambda: runs.progress(run).done > 20)
    runs.stop(run=run)
    tasks.ring(bells=1)
    wait_until(lambda: EvaluationRun.objects.filter(pk=run.pk, summary__isnull=False).exists())
    run.refresh_from_db()
    quiet = runs.progress(run)
    assert (quiet.in_work, quiet.done) == (0, run.summary["scored"])
    assert quiet.done < quiet.total
    time.sleep(1)
    assert runs.progress(run) == quiet, "nothing more is begun"
    runs.resume(run=run)
    tasks.ring()
    wait_until(lambda: state_of(run) == RunState.DONE)
    assert (Verdict.objects.count(), TurnVerdict.objects.count()) == (300, 1500)


def test_the_bell_that_nobody_rang_is_rung_by_the_clock(start_worker: StartWorker) -> None:
    run = make_run(is_scored=False)
    assert EvaluationRun.objects.get().started_at <= timezone.now()  # type: ignore[operator]
    start_worker(beat=True, AEM_REAP_SECONDS="0.5")
    wait_until(lambda: state_of(run) == RunState.DONE)
