"""/healthz and the sign of life behind it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from aem_site import health, heartbeat
from aem_site.celery import app
from evaluation.models import WorkerHeartbeat
from evaluation.services import heartbeats

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def wait_until(condition: Callable[[], object], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.mark.django_db
def test_all_is_well_for_anybody(client: Client) -> None:
    heartbeats.record(name="celery@here", at=timezone.now())
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {
        "ok": True,
        "database": {"ok": True, "reason": "The database answers."},
        "broker": {"ok": True, "reason": "The message broker answers."},
        "worker": {"ok": True, "reason": "A worker is running."},
    }
    assert "no-store" in response.headers["Cache-Control"]
    assert client.head("/healthz").status_code == 200
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db
def test_without_a_worker(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["worker"] == {"ok": False, "reason": "No worker is running."}
    assert response.json()["database"]["ok"]


@pytest.mark.django_db
def test_a_silent_worker_counts_as_gone() -> None:
    heartbeats.record(name="old", at=NOON - timedelta(minutes=5))
    heartbeats.record(name="late", at=NOON - timedelta(seconds=41))
    assert health.worker(NOON) == health.Part(ok=False, reason="No worker has been seen for 41 seconds.")
    heartbeats.record(name="late", at=NOON - timedelta(seconds=29))
    assert health.worker(NOON).ok
    heartbeats.forget(name="late")
    assert health.worker(NOON).reason == "No worker has been seen for 300 seconds."


@pytest.mark.django_db
def test_rows_of_workers_long_gone_are_forgotten() -> None:
    heartbeats.record(name="ancient", at=NOON - timedelta(days=2))
    heartbeats.record(name="now", at=NOON)
    assert [beat.name for beat in WorkerHeartbeat.objects.order_by("name")] == ["now"]


@pytest.mark.django_db
def test_a_broker_that_is_away_is_said_without_its_address(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(**_: Any) -> Any:
        return app.connection("redis://:hunter2@127.0.0.1:1/0")

    monkeypatch.setattr(app, "connection_for_write", unreachable)
    started = time.monotonic()
    response = client.get("/healthz")
    assert time.monotonic() - started < 5
    assert response.status_code == 503
    assert response.json()["broker"] == {"ok": False, "reason": "The message broker does not answer."}
    assert b"hunter2" not in response.content


@pytest.mark.django_db
def test_a_database_that_is_away_is_said_without_its_address(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("connection to server at 10.0.0.5 failed for user aem")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", refuse)
        patch.setattr(heartbeats, "find_latest", refuse)
        response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["database"] == {"ok": False, "reason": "The database does not answer."}
    assert response.json()["worker"]["reason"].startswith("Unknown")
    assert b"10.0.0.5" not in response.content


@pytest.mark.django_db(transaction=True)
def test_a_worker_writes_while_it_lives_and_leaves_no_row_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.05)
    heartbeat._start(SimpleNamespace(hostname="celery@test"))
    try:
        wait_until(lambda: WorkerHeartbeat.objects.filter(name="celery@test").exists())
        first = heartbeats.find_latest()
        wait_until(lambda: heartbeats.find_latest() != first)
    finally:
        heartbeat._end()
    assert heartbeats.find_latest() is None


@pytest.mark.django_db(transaction=True)
def test_a_database_error_does_not_end_the_sign_of_life(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    record, failures = heartbeats.record, iter([OperationalError("away"), OperationalError("away")])

    def sometimes(**arguments: Any) -> None:
        for failure in failures:
            raise failure
        record(**arguments)

    monkeypatch.setattr(heartbeats, "record", sometimes)
    beat = heartbeat.Heartbeat("celery@test", seconds=0.02)
    beat.start()
    try:
        wait_until(lambda: heartbeats.find_latest() is not None)
    finally:
        beat.stop()
    assert caplog.text.count("could not be written: away") == 2
