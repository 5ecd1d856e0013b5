from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from evaluation import tasks
from evaluation.models import PolicyTrial, RunState, TrialState, Verdict
from evaluation.services import scoring, trials
from tests.factories import make_report_version, make_run


@pytest.fixture
def bells(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The bells that were rung, with their options; none reaches a broker."""
    rung: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.drain, "apply_async", lambda **options: rung.append(options))
    return rung


@pytest.mark.django_db
def test_drain_works_until_nothing_is_left_and_ends_the_run(bells: list[dict[str, Any]]) -> None:
    run = make_run(make_report_version(3), is_scored=False)
    assert tasks.drain() == 1
    run.refresh_from_db()
    assert (run.state, Verdict.objects.count()) == (RunState.DONE, 3)
    assert bells == []
    assert tasks.drain() == 0, "a second time is harmless"


@pytest.mark.django_db(transaction=True)
def test_drain_gives_its_slot_back_and_rings_again(
    bells: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(is_scored=False)
    monkeypatch.setattr(tasks, "DRAIN_SECONDS", 0)
    assert tasks.drain() == 0
    assert len(bells) == 1


@pytest.mark.django_db
def test_drain_ends_one_run_although_another_goes_on(
    bells: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_run(is_scored=False), make_run(is_scored=False)
    ends: list[int] = []
    monkeypatch.setattr(scoring, "finish", lambda **_: ends.append(Verdict.objects.count()))
    assert tasks.drain() == 2
    assert ends == [2, 2]
    assert {first.state, second.state} == {RunState.RUNNING}


@pytest.mark.django_db(transaction=True)
def test_the_bell_rings_when_the_run_is_committed_and_surplus_bells_fade(bells: list[dict[str, Any]]) -> None:
    with transaction.atomic():
        tasks.ring(bells=3)
        assert bells == []
    assert [bell.get("expires") for bell in bells] == [
        None,
        tasks.SURPLUS_BELL_SECONDS,
        tasks.SURPLUS_BELL_SECONDS,
    ]


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_loses_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise OperationalError("the broker is away")

    with monkeypatch.context() as patch:
        patch.setattr(tasks.drain, "apply_async", away)
        run = make_run(is_scored=False)
        tasks.ring()
        tasks.reap()
    rung: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.drain, "apply_async", lambda **options: rung.append(options))
    tasks.reap()
    assert len(rung) == 1
    tasks.drain()
    run.refresh_from_db()
    assert run.state == RunState.DONE


@pytest.mark.django_db(transaction=True)
def test_reap_is_silent_when_nothing_waits(bells: list[dict[str, Any]]) -> None:
    make_run()
    tasks.reap()
    assert bells == []


@pytest.fixture
def trial_bells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The trials that were rung for; none reaches a broker."""
    rung: list[Any] = []
    monkeypatch.setattr(tasks.try_policy, "apply_async", lambda args, **_: rung.append(args[0]))
    return rung


def _begin() -> PolicyTrial:
    run = make_run(make_report_version(3))
    return trials.begin(run=run, body={"taint": False}, name="x", seen_number=0, by=None, now=timezone.now())


@pytest.mark.django_db
def test_a_policy_is_tried_slice_by_slice_and_twice_is_harmless(
    trial_bells: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SLICE_ITEMS", 1)
    trial = _begin()
    assert tasks.try_policy(str(trial.pk)) == 3
    trial.refresh_from_db()
    assert (trial.state, trial.done) == (TrialState.DONE, 3)
    assert tasks.try_policy(str(trial.pk)) == 1
    trial.refresh_from_db()
    assert (trial.done, trial.counts["before"]["trajectories"], trial_bells) == (3, 3, [])


@pytest.mark.django_db(transaction=True)
def test_a_trial_gives_its_slot_back_and_rings_again(trial_bells: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "DRAIN_SECONDS", 0)
    trial = _begin()
    assert tasks.try_policy(str(trial.pk)) == 0
    assert trial_bells == [str(trial.pk)]


@pytest.mark.django_db(transaction=True)
def test_the_reaper_rings_for_a_trial_whose_worker_was_lost(
    trial_bells: list[Any], bells: list[dict[str, Any]]
) -> None:
    trial = _begin()
    tasks.reap()
    assert trial_bells == []
    PolicyTrial.objects.update(moved_at=timezone.now() - timedelta(seconds=trials.REST_SECONDS + 1))
    tasks.reap()
    assert trial_bells == [str(trial.pk)]


@pytest.mark.django_db
def test_a_trial_that_is_gone_is_no_error(trial_bells: list[Any]) -> None:
    trial = _begin()
    trial.delete()
    assert tasks.try_policy(str(uuid4())) == 1
