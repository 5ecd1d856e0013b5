from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from annotations.models import GoldenRecord, Trajectory
from evaluation import aem
from evaluation.models import ChunkState, EvaluationRun, RunChunk, RunState, TurnVerdict, Verdict
from evaluation.services import runs, scoring
from evaluation.services.runs import AgentVersion
from tests.factories import make_report_version, make_run, make_trajectory, report_trajectory, score_run

pytestmark = pytest.mark.django_db


def test_each_golden_turn_gets_its_verdict() -> None:
    run = make_run(make_report_version(1, failing=1))
    assert run.state == RunState.DONE
    verdict = Verdict.objects.get()
    assert (verdict.error, verdict.path, verdict.test_pass) == ("", "main", False)
    assert (verdict.first_failure_turn, verdict.root_cause) == (2, "inconsistent_parameter_values")
    assert (verdict.evaluated, verdict.passed + verdict.root_cause_count + verdict.cascading_count) == (5, 5)
    turns = list(TurnVerdict.objects.order_by("turn_no"))
    assert [turn.turn_key for turn in turns] == ["g1", "g2", "g3", "g4", "g5"]
    root = turns[1]
    assert (root.passed, root.fields, root.reasons) == (False, ["metric"], ["inconsistent_parameter_values"])
    assert (root.tool, root.action, root.kind, root.is_root_cause) == ("reports", "FilterData", "action", True)
    assert root.detail is not None
    passing = [turn for turn in turns if turn.passed and not turn.ambiguous]
    assert passing
    assert all(turn.detail is None and turn.failure_reason == "" for turn in passing)
    for cascade in turns:
        if cascade.is_cascade:
            assert cascade.cascade_of == [2]


def test_scoring_a_run_twice_gives_the_same_verdicts() -> None:
    version = make_report_version(3, failing=1)
    columns = [name for name in scoring.TURN_COLUMNS if name != "verdict_id"]

    def verdicts(run: EvaluationRun) -> list[Any]:
        return list(TurnVerdict.objects.in_run(run).order_by("verdict", "turn_no").values_list(*columns))

    assert verdicts(make_run(version)) == verdicts(make_run(version))


def test_what_cannot_be_scored_is_said_and_is_no_failure() -> None:
    version = make_report_version(2)
    broken = Trajectory.objects.order_by("pk").first()
    assert broken is not None
    broken.body = {"turns": [{"tool": 5}]}
    broken.save(update_fields=["body"])
    run = make_run(version)
    assert run.state == RunState.DONE
    bad, good = Verdict.objects.order_by("pk")
    assert "turns" in bad.error
    assert (bad.test_pass, bad.success_rate, bad.turns.count()) == (None, None, 0)
    assert (good.error, good.test_pass) == ("", True)
    assert (run.summary["scored"], run.summary["not_scored"]) == (1, 1)
    assert run.summary["all"]["judged"] == 1
    assert run.summary["errors"] == [{"reason": bad.error, "count": 1}]


def test_a_golden_that_the_engine_refuses_is_not_scored_either() -> None:
    version = make_report_version(1)
    record = GoldenRecord.objects.get()
    record.body = {"golden": {"paths": [{"id": "main", "turns": []}]}, "policy": {}}
    record.content_hash = "0" * 64
    record.save(update_fields=["body", "content_hash"])
    run = make_run(version)
    assert Verdict.objects.get().error
    assert (run.state, run.summary["not_scored"]) == (RunState.DONE, 1)


def test_the_policy_of_the_golden_goes_before_that_of_the_run() -> None:
    assert scoring._prepare({"golden": {}, "policy": {"alignment": "guess"}}, {}, {}).error


def test_only_one_worker_gets_a_chunk(settings: LazySettings) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 1
    make_run(make_report_version(2), is_scored=False)
    now = timezone.now()
    first, second = scoring.claim(worker="a", now=now), scoring.claim(worker="b", now=now)
    assert first is not None
    assert second is not None
    assert first.chunk_id != second.chunk_id
    assert scoring.claim(worker="c", now=now) is None


def test_nothing_of_a_stopped_run_is_handed_out() -> None:
    run = make_run(is_scored=False)
    runs.stop(run=run)
    assert scoring.claim(worker="a", now=timezone.now()) is None


def test_a_chunk_in_work_when_the_run_is_stopped_is_kept_and_added_up(settings: LazySettings) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 1
    run = make_run(make_report_version(3), is_scored=False)
    held = scoring.claim(worker="a", now=timezone.now())
    assert held is not None
    runs.stop(run=run)
    scoring.finish(now=timezone.now())
    added_up = EvaluationRun.objects.exclude(summary=None)
    assert not added_up.exists(), "the chunk in work still belongs to what there is"
    assert scoring.complete(held, scoring.score_chunk(held))
    scoring.finish(now=timezone.now())
    run.refresh_from_db()
    assert (run.state, run.summary["scored"], run.summary["missing"]) == (RunState.STOPPED, 1, 2)
    runs.resume(run=run)
    score_run(run)
    assert (run.state, run.summary["scored"], run.summary["missing"]) == (RunState.DONE, 3, 0)


def test_who_lost_the_lease_writes_nothing() -> None:
    make_run(is_scored=False)
    now = timezone.now()
    late = scoring.claim(worker="late", now=now)
    assert late is not None
    rows = scoring.score_chunk(late)
    scoring.reap(now=now + timedelta(hours=1))
    second = scoring.claim(worker="second", now=now)
    assert second is not None
    assert not scoring.complete(late, rows)
    assert not Verdict.objects.exists()
    with pytest.raises(scoring.LeaseLostError):
        scoring.renew(late, now=now)
    assert scoring.complete(second, scoring.score_chunk(second))
    assert not scoring.complete(second, rows), "the second time is harmless"
    assert Verdict.objects.count() == 1


def test_a_long_chunk_keeps_its_lease(settings: LazySettings) -> None:
    make_run(make_report_version(3), is_scored=False)
    start = timezone.now()
    held = scoring.claim(worker="a", now=start)
    assert held is not None
    ticks = iter(range(0, 10_000, settings.AEM_CHUNK_LEASE_SECONDS // 2))
    scoring.score_chunk(held, clock=lambda: start + timedelta(seconds=next(ticks)))
    lease = RunChunk.objects.get().lease_until
    assert lease is not None
    assert lease > start + timedelta(seconds=settings.AEM_CHUNK_LEASE_SECONDS)


def test_a_lost_worker_costs_an_attempt_and_nothing_else(settings: LazySettings) -> None:
    run = make_run(is_scored=False)
    now = timezone.now()
    for attempt in range(1, settings.AEM_CHUNK_ATTEMPTS + 1):
        held = scoring.claim(worker="dies", now=now)
        assert held is not None
        assert held.attempt == attempt
        assert scoring.reap(now=now) == 0, "its lease still runs"
        now += timedelta(hours=1)
        bells = scoring.reap(now=now)
        assert bells == (1 if attempt < settings.AEM_CHUNK_ATTEMPTS else 0)
    chunk = RunChunk.objects.get()
    assert (chunk.state, "worker was lost" in chunk.error) == (ChunkState.FAILED, True)
    run.refresh_from_db()
    assert (run.state, run.summary["missing"]) == (RunState.FAILED, 1)


@pytest.fixture
def engine_fault(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the engine raise for trajectories that sum to 13, until the returned function mends it."""
    original = aem.score

    def faulty(golden: Any, trajectory: Any, **context: Any) -> Any:
        if "13 million" in repr(trajectory):
            raise ZeroDivisionError("a fault in the engine")
        return original(golden, trajectory, **context)

    monkeypatch.setattr(aem, "score", faulty)
    return lambda: monkeypatch.setattr(aem, "score", original)


def test_an_unexpected_error_fails_its_chunk_after_all_attempts_and_can_be_tried_again(
    settings: LazySettings, engine_fault: Callable[[], None]
) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 1
    version = make_report_version(2)
    conversation = version.items.get(position=1).golden_record.conversation
    make_trajectory(conversation, body=report_trajectory(total=13), trial=1)
    run = make_run(version, is_scored=False)
    now = timezone.now()
    for attempt in range(settings.AEM_CHUNK_ATTEMPTS):
        later = now + attempt * timedelta(minutes=5)
        scoring.reap(now=later)
        while scoring.work(worker="a", clock=lambda later=later: later):  # type: ignore[misc]
            pass
    scoring.finish(now=now)
    run.refresh_from_db()
    chunk = run.chunks.get(state=ChunkState.FAILED)
    assert "a fault in the engine" in chunk.error
    assert "while scoring trajectory" in chunk.error
    assert chunk.attempts == settings.AEM_CHUNK_ATTEMPTS
    assert (run.state, run.summary["scored"], run.summary["missing"]) == (RunState.FAILED, 2, 1)

    engine_fault()
    runs.resume(run=run)
    score_run(run)
    assert (run.state, run.summary["scored"], Verdict.objects.count()) == (RunState.DONE, 3, 3)
    assert not run.chunks.exclude(error="").exists()


def test_a_chunk_rests_after_an_error(engine_fault: Callable[[], None]) -> None:
    version = make_report_version(1)
    make_trajectory(version.items.get().golden_record.conversation, body=report_trajectory(total=13), trial=1)
    make_run(version, is_scored=False)
    now = timezone.now()
    assert scoring.work(worker="a", clock=lambda: now)
    assert scoring.work(worker="a", clock=lambda: now) is None
    assert scoring.reap(now=now) == 0
    engine_fault()
    assert scoring.reap(now=now + timedelta(minutes=1)) == 1
    assert scoring.work(worker="a", clock=lambda: now)
    assert Verdict.objects.count() == 2


def test_a_worker_with_another_engine_does_not_score() -> None:
    run = make_run(is_scored=False)
    EvaluationRun.objects.update(engine_version="0")
    assert scoring.work(worker="a")
    assert "engine 0" in run.chunks.get().error
    assert not Verdict.objects.exists()


def test_exactly_one_worker_ends_a_run() -> None:
    run = make_run(is_scored=False)
    assert scoring.finish(now=timezone.now()) == []
    assert scoring.work(worker="a")
    assert scoring.finish(now=timezone.now()) == [run.pk]
    assert scoring.finish(now=timezone.now()) == []


def test_a_summary_lost_with_its_worker_is_made_again() -> None:
    run = make_run()
    summary = run.summary
    EvaluationRun.objects.update(summary=None)
    scoring.reap(now=timezone.now())
    assert EvaluationRun.objects.filter(summary=None).exists(), "somebody may still be adding up"
    scoring.reap(now=timezone.now() + timedelta(hours=1))
    run.refresh_from_db()
    assert run.summary == summary


def test_a_run_whose_bell_was_never_heard_is_found() -> None:
    make_run(is_scored=False)
    assert scoring.reap(now=timezone.now()) == 1


def test_two_runs_share_a_trajectory_and_keep_their_own_verdicts() -> None:
    version = make_report_version(1)
    make_run(version)
    make_run(version, agents=[AgentVersion("reporter", "2.2")])
    assert Verdict.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_share_the_chunks_without_overlap(settings: LazySettings) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 1
    run = make_run(make_report_version(24, failing=5), is_scored=False)
    done: list[int] = []
    errors: list[BaseException] = []

    def worker(name: str) -> None:
        try:
            while held := scoring.work(worker=name):
                done.append(held.chunk_id)
            scoring.finish(now=timezone.now())
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [Thread(target=worker, args=(f"w{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(done) == len(set(done)) == 24
    run.refresh_from_db()
    assert run.state == RunState.DONE
    assert (Verdict.objects.count(), TurnVerdict.objects.count()) == (24, 120)
    assert (run.summary["all"]["test_passed"], run.summary["all"]["judged"]) == (19, 24)
