"""What the journeys stand on: a browser, a server and workers, all on the test's database and broker."""

from __future__ import annotations

import os
import signal
import time

import pytest
from django.db import connection
from playwright.sync_api import Page, expect

from evaluation.models import WorkerHeartbeat
from evaluation.tasks import reap
from tests.workers import StartWorker, WorkerProcess


@pytest.mark.slow
def test_browser_server_and_worker_share_one_database(page: Page, celery_worker_process: WorkerProcess) -> None:
    response = page.request.get("/healthz")
    assert response.status == 200, response.text()
    assert response.json()["worker"] == {"ok": True, "reason": "A worker is running."}
    page.goto("/accounts/login/")
    expect(page.locator("input[name=username]")).to_be_visible()


@pytest.mark.slow
def test_workers_can_be_killed_and_stopped(start_worker: StartWorker) -> None:
    first, second = start_worker("first", wait=False), start_worker("second", wait=False)
    first.wait_ready()
    second.wait_ready()
    first.kill()
    assert WorkerHeartbeat.objects.filter(name=first.name).exists(), "a killed worker cannot tidy up"
    (child, *_) = second.pool_pids()
    os.kill(child, signal.SIGKILL)
    end = time.monotonic() + 20
    while second.pool_pids() in ([], [child]):
        assert time.monotonic() < end, "the pool process was not replaced"
        time.sleep(0.05)
    reap.delay()
    end = time.monotonic() + 20
    while "evaluation.tasks.reap" not in second.output() or "succeeded" not in second.output():
        assert time.monotonic() < end, f"no work is done any more:\n{second.output()}"
        time.sleep(0.05)
    second.stop()
    assert not WorkerHeartbeat.objects.filter(name=second.name).exists()
    with connection.cursor() as cursor:  # nobody took the lock along
        cursor.execute("SELECT 1")
