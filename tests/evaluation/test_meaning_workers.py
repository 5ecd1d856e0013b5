"""Real workers that compare meanings and ask a judge: whatever is killed, each question is answered once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from annotations.models import DatasetVersion
from evaluation import tasks
from evaluation.models import (
    Answer,
    ChunkState,
    EvaluationRun,
    JudgeClaim,
    JudgeSlot,
    RunAnswer,
    RunChunk,
    RunState,
    Verdict,
)
from evaluation.services import meaning, policies, runs
from tests.evaluation.services.test_judged_runs import GOLDEN
from tests.evaluation.services.test_meaning import CITY, observed
from tests.evaluation.test_workers import all_verdicts, state_of, wait_until
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_project,
    make_run,
    make_trajectory,
)
from tests.judges import make_judge
from tests.misbehaving import Endpoint, says
from tests.workers import StartWorker, message_queue, start_worker

__all__ = ["message_queue", "start_worker"]

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CITIES = ("NYC", "New York", "Boston", "Nueva York", "the city of New York", "Newark", "York", "Chicago")
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


@pytest.fixture
def version(settings: LazySettings) -> DatasetVersion:
    """160 trajectories of two conversations, each in a chunk of its own; workers meet the same pairs all the time."""
    settings.AEM_CHUNK_CONVERSATIONS = 1
    dataset = make_dataset()
    records = []
    for language in ("en", "pt-BR"):
        conversation = make_conversation(dataset, language=language)
        records.append(make_golden_record(conversation, golden=CITY))
        for number in range(80):
            city = f"{CITIES[number % 8]} {WORDS[number // 8]}"
            reply = f"You pay ${100 + number % 40} in all, {WORDS[number % 10]}."
            make_trajectory(conversation, trial=number, body=observed(city, reply))
    return make_dataset_version(dataset, records=records)


def embedded_run(version: DatasetVersion, *, is_scored: bool) -> EvaluationRun:
    policy = policies.create(project=version.dataset.project, name="meaning", body={"scorer": "embedded"}, by=None)
    return make_run(version, policy=policy, is_scored=is_scored)


def kept() -> dict[str, Any]:
    return dict(Answer.objects.values_list("key", "answer"))


def test_workers_killed_while_they_compare(version: DatasetVersion, start_worker: StartWorker) -> None:
    run = embedded_run(version, is_scored=False)
    runs.stop(run=run)
    victim = start_worker("victim", concurrency=2, AEM_CHUNK_LEASE_SECONDS="2")
    other = start_worker("other", concurrency=2, beat=True, AEM_CHUNK_LEASE_SECONDS="2", AEM_REAP_SECONDS="0.5")
    runs.resume(run=run)
    tasks.ring()
    wait_until(lambda: runs.progress(run).done > 20)
    victim.kill()
    assert runs.progress(run).done < 160
    wait_until(lambda: state_of(run) in (RunState.DONE, RunState.FAILED))
    wait_until(lambda: EvaluationRun.objects.filter(pk=run.pk, summary__isnull=False).exists())
    other.stop()
    run.refresh_from_db()
    assert run.state == RunState.DONE, other.output()
    assert "locked" not in other.output() + victim.output()
    assert "deadlock" not in other.output() + victim.output()
    answers = kept()
    assert RunAnswer.objects.filter(run=run).count() == len(answers) == run.effort["made"] == run.effort["distinct"]

    Answer.objects.all().delete()
    meaning.forget()
    calm = embedded_run(version, is_scored=True)
    assert all_verdicts(calm) == all_verdicts(run)
    assert calm.summary == run.summary
    assert calm.effort == run.effort
    assert kept() == answers


def test_a_person_saves_while_workers_compare(version: DatasetVersion, start_worker: StartWorker) -> None:
    run = embedded_run(version, is_scored=False)
    conversation = version.items.first().golden_record.conversation  # type: ignore[union-attr]
    start_worker(concurrency=2, beat=True)
    tasks.ring()
    wait_until(lambda: runs.progress(run).done > 3)
    took: list[float] = []
    while state_of(run) == RunState.RUNNING:
        begun = time.monotonic()
        conversation.title = f"title {len(took)}"
        conversation.save()
        took.append(time.monotonic() - begun)
        time.sleep(0.02)
    assert len(took) > 8  # on a busy machine each turn of the loop takes its time
    assert sorted(took)[int(len(took) * 0.95)] < 1  # a lock would make it wait for seconds; benchmarks say how long


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    found = Endpoint()
    yield found
    found.close()


def test_workers_killed_while_they_ask_a_judge(
    endpoint: Endpoint, start_worker: StartWorker, settings: LazySettings
) -> None:
    endpoint.always = says("equal")
    project = make_project()
    make_judge(endpoint, project, timeout_seconds=3, requests_a_minute=6000)
    dataset = make_dataset(project)
    conversation = make_conversation(dataset, language="en")
    record = make_golden_record(conversation, golden=GOLDEN)
    for number in range(120):
        topic = f"thing {WORDS[number % 10]} {WORDS[number // 20]}"
        body = {"turns": [{"user": "Note it."}, {"tool": "note", "args": {"topic": topic}}]}
        make_trajectory(conversation, trial=number, body=body)
    policy = policies.create(project=project, name="judged", body={"scorer": "judge"}, by=None)
    run = make_run(make_dataset_version(dataset, records=[record]), policy=policy, is_scored=False)
    more: dict[str, Any] = {
        "AEM_JUDGE_ALLOWED_HOSTS": "127.0.0.1",
        "AEM_CHUNK_LEASE_SECONDS": "2",
        "AEM_REAP_SECONDS": "0.5",
    }
    victim = start_worker("victim", concurrency=2, **more)
    other = start_worker("other", concurrency=2, beat=True, **more)
    tasks.ring()
    wait_until(lambda: len(endpoint.asked) > 10)
    victim.kill()
    before = runs.progress(run)
    assert before.done < 120
    wait_until(lambda: state_of(run) in (RunState.DONE, RunState.FAILED), seconds=120)
    wait_until(lambda: EvaluationRun.objects.filter(pk=run.pk, summary__isnull=False).exists())
    other.stop()
    run.refresh_from_db()
    assert run.state == RunState.DONE, list(RunChunk.objects.values_list("error", flat=True).distinct())
    assert run.summary["all"]["test_passed"] == 120
    distinct = len({asked.material["second"] for asked in endpoint.asked})
    assert Answer.objects.count() == distinct
    times = Counter(asked.material["second"] for asked in endpoint.asked)
    # Only what the killed worker had under way is asked twice.
    assert sum(times.values()) - distinct <= 8
    assert not JudgeClaim.objects.exists()
    assert not JudgeSlot.objects.exclude(holder="").exists()
    assert not RunChunk.objects.filter(state=ChunkState.LEASED).exists()
    assert Verdict.objects.count() == 120
