from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from kombu.exceptions import OperationalError

from evaluation import tasks
from evaluation.models import RunState, Verdict
from evaluation.services import scoring
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
