from datetime import UTC, datetime

import pytest
from django.conf import LazySettings

from annotations.models import Change
from annotations.services import documents
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.models import ChunkState, EvaluationRun, RunState
from evaluation.services import policies, runs
from evaluation.services.runs import AgentVersion
from tests.factories import (
    make_conversation,
    make_dataset_version,
    make_golden_record,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
)

pytestmark = pytest.mark.django_db


def test_a_plan_takes_the_current_trajectories_of_the_versions_conversations() -> None:
    version = make_report_version(2)
    first = version.items.get(position=0).golden_record.conversation
    make_trajectory(first, key="old", superseded_at=datetime(2026, 1, 1, tzinfo=UTC))
    make_trajectory(make_conversation(version.dataset))  # has no golden in the version
    run = make_run(version, is_scored=False)
    assert [item.position for item in run.items.order_by("position")] == [1, 2]
    assert all(item.golden_record.conversation == item.trajectory.conversation for item in run.items.all())


def test_agents_and_trials_narrow_the_choice() -> None:
    conversation = make_conversation()
    version = make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)])
    for agent_version in ("1.0", "2.0"):
        for trial in range(3):
            make_trajectory(conversation, agent_version=agent_version, trial=trial)
    run = make_run(version, is_scored=False, agents=[AgentVersion("reporter", "2.0")], trials=[0, 2])
    chosen = [(item.trajectory.agent_version, item.trajectory.trial) for item in run.items.order_by("position")]
    assert chosen == [("2.0", 0), ("2.0", 2)]
    assert run.selection == {"agents": [["reporter", "2.0"]], "trials": [0, 2]}
    assert [found.version.label for found in runs.available_agents(version)] == ["reporter 1.0", "reporter 2.0"]
    assert runs.available_trials(version) == [0, 1, 2]


def test_a_plan_without_trajectories_is_refused_and_leaves_nothing() -> None:
    version = make_dataset_version()
    project = version.dataset.project
    with pytest.raises(runs.NothingToScoreError, match="Import trajectories"):
        runs.plan(project=project, dataset_version=version, policy=policies.get_standard(project=project), by=None)
    assert not EvaluationRun.objects.exists()


def test_version_and_policy_of_another_project_are_refused() -> None:
    version = make_report_version(1)
    with pytest.raises(WorkbenchError):
        runs.plan(
            project=version.dataset.project,
            dataset_version=version,
            policy=policies.get_standard(project=make_project()),
            by=None,
        )


def test_the_plan_hash_covers_version_policy_engine_and_trajectories() -> None:
    version = make_report_version(2)
    first, second = make_run(version, is_scored=False), make_run(version, is_scored=False)
    assert (first.number, second.number) == (1, 2)
    assert first.plan_hash == second.plan_hash
    make_trajectory(version.items.get(position=0).golden_record.conversation, trial=1)
    assert make_run(version, is_scored=False).plan_hash != first.plan_hash


def test_chunks_cover_the_items_without_gap_or_overlap(settings: LazySettings) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 3
    run = make_run(make_report_version(8), is_scored=False)
    assert list(run.chunks.order_by("position").values_list("first_item", "last_item")) == [(1, 3), (4, 6), (7, 8)]


def test_a_long_conversation_gets_a_chunk_of_its_own() -> None:
    assert list(runs.cut([280, 280, 100, 100], most=20)) == [(1, 1), (2, 3), (4, 4)]
    assert list(runs.cut([], most=20)) == []


def test_stop_and_resume_and_who_did_it_is_kept() -> None:
    run = make_run(is_scored=False)
    runs.stop(run=run)
    assert (run.state, run.finished_at is not None) == (RunState.STOPPED, True)
    with pytest.raises(NotAllowedNowError, match="stopped"):
        runs.stop(run=run)
    runs.resume(run=run)
    assert (run.state, run.finished_at) == (RunState.RUNNING, None)
    with pytest.raises(NotAllowedNowError):
        runs.resume(run=run)
    actions = Change.objects.filter(subject_id=str(run.pk)).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["run.planned", "run.started", "run.stopped", "run.resumed"]


def test_a_run_of_another_engine_cannot_be_resumed() -> None:
    run = make_run(is_scored=False)
    runs.stop(run=run)
    EvaluationRun.objects.update(engine_version="0")
    run.refresh_from_db()
    with pytest.raises(NotAllowedNowError, match="Start a new run"):
        runs.resume(run=run)
    run.refresh_from_db()
    assert run.state == RunState.STOPPED


def test_progress_counts_trajectories(settings: LazySettings) -> None:
    settings.AEM_CHUNK_CONVERSATIONS = 2
    run = make_run(make_report_version(7), is_scored=False)
    first, second, third, fourth = run.chunks.order_by("position")
    for chunk, state in ((first, ChunkState.DONE), (second, ChunkState.LEASED), (fourth, ChunkState.FAILED)):
        chunk.state = state
        chunk.save(update_fields=["state"])
    progress = runs.progress(run)
    assert third.state == ChunkState.READY
    assert (progress.total, progress.done, progress.in_work, progress.failed) == (7, 2, 2, 1)
    assert (progress.waiting, progress.failed_chunks, progress.percent) == (2, 1, 28)
    assert runs.progress_of([run]) == {run.pk: progress}


def test_a_run_is_current_until_golden_trajectory_or_engine_change() -> None:
    version = make_report_version(3)
    run = make_run(version)
    assert not runs.staleness(run)
    first, second, _ = run.items.order_by("position")
    assert not runs.is_stale(first)

    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["metric"] = {"value": "profit"}
    conversation = first.trajectory.conversation
    documents.accept_golden_record(
        conversation=conversation, body=documents.golden_body(golden=golden, policy={}), by=None
    )
    second.trajectory.superseded_at = datetime(2026, 1, 1, tzinfo=UTC)
    second.trajectory.save(update_fields=["superseded_at"])

    stale = runs.staleness(run)
    assert (stale.golden_changed, stale.trajectory_replaced, stale.engine_changed) == (1, 1, False)
    assert [runs.is_stale(item) for item in run.items.order_by("position")] == [True, True, False]
    run.engine_version = "0"
    assert runs.staleness(run).engine_changed
