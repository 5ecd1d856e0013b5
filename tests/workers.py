"""Real worker processes on the test's database and broker, which a test may stop, or kill, at any moment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlencode

import pytest
from celery.exceptions import CeleryError
from django.conf import settings
from django.db import connection
from kombu.exceptions import KombuError

from aem_site.celery import app
from evaluation.models import WorkerHeartbeat
from run import end_with_parent

ROOT = Path(__file__).resolve().parent.parent
SECONDS_TO_START = 60


def database_url() -> str:
    """The address of the database that the test is using now."""
    entry = connection.settings_dict
    name = str(entry["NAME"])
    if connection.vendor == "sqlite":
        assert not connection.is_in_memory_db(), "another process cannot see a database in memory"  # type: ignore[attr-defined]
        return f"sqlite:///{quote(name)}"
    query = {"host": entry["HOST"], **{k: v for k, v in entry["OPTIONS"].items() if isinstance(v, str)}}
    login = quote(entry["USER"], safe="") + (f":{quote(entry['PASSWORD'], safe='')}" if entry["PASSWORD"] else "")
    port = f":{entry['PORT']}" if entry["PORT"] else ""
    at = f"{login}@" if login else ""
    # The host goes into the query, where a socket's folder is as good as a name.
    host = f"localhost{port}" if port else ""
    return f"postgresql://{at}{host}/{quote(name)}?{urlencode({k: v for k, v in query.items() if v})}"


def worker_environment(**more: str) -> dict[str, str]:
    """For a process of the site itself, outside pytest, on the test's data."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_", "DJANGO_ALLOW"))
    }
    return {
        **environment,
        "DJANGO_SETTINGS_MODULE": "aem_site.settings",
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
        "AEM_QUEUE_NAME": settings.AEM_QUEUE_NAME,
        "AEM_DATA_DIR": str(settings.AEM_DATA_DIR),
        "AEM_LOCAL": "1",
        "PYTHONUNBUFFERED": "1",
        **more,
    }


class WorkerProcess:
    """`celery -A aem_site worker` with a name of its own."""

    def __init__(self, name: str, *, concurrency: int, beat: bool, environment: dict[str, str]) -> None:
        self.name = f"{name}-{uuid.uuid4().hex[:6]}@test"
        self.log = Path(settings.AEM_DATA_DIR) / f"{self.name}.log"
        schedule = ["--beat", "--schedule", str(self.log.with_suffix(".beat"))] if beat else []
        command = [
            sys.executable, "-m", "celery", "-A", "aem_site", "worker", "--hostname", self.name, "--loglevel", "INFO",
            "--concurrency", str(concurrency), "--without-gossip", "--without-mingle", "--without-heartbeat", *schedule,
        ]  # fmt: skip
        with self.log.open("wb") as output:
            # A group of its own, so that killing it takes its pool processes with it.
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=worker_environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509 -- a test run that is killed leaves no worker behind
            )

    def wait_ready(self) -> None:
        """Until its first sign of life is in the database."""
        end = time.monotonic() + SECONDS_TO_START
        while not WorkerHeartbeat.objects.filter(name=self.name).exists():
            assert self.process.poll() is None, f"the worker ended:\n{self.output()}"
            assert time.monotonic() < end, f"the worker did not get ready:\n{self.output()}"
            time.sleep(0.05)

    def pool_pids(self) -> list[int]:
        """The processes that run tasks (and the beat, if there is one)."""
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    def kill(self) -> None:
        """SIGKILL for all of it: nothing can be tidied up."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, *, seconds: float = 30) -> None:
        """SIGTERM, as a deployment would do; what is left after a while is killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self.kill()

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


class StartWorker(Protocol):
    def __call__(
        self, name: str = ..., *, concurrency: int = ..., beat: bool = ..., wait: bool = ..., **environment: str
    ) -> WorkerProcess: ...


@pytest.fixture(scope="session")
def message_queue() -> Iterator[None]:
    """The session's own queue at the broker, gone when the session is."""
    yield
    with contextlib.suppress(CeleryError, KombuError, OSError), app.connection_for_write() as broker:
        app.amqp.queues[settings.AEM_QUEUE_NAME].bind(broker.default_channel).delete()


@pytest.fixture
def start_worker(transactional_db: None, message_queue: None) -> Iterator[StartWorker]:
    """A function that starts workers; all are gone before the database is emptied.

    `start_worker("first", concurrency=2, AEM_CHUNK_LEASE_SECONDS="2")` waits until it is ready and returns the process.
    """
    workers: list[WorkerProcess] = []
    was_eager = app.conf.task_always_eager
    app.conf.task_always_eager = False
    with app.connection_for_write() as broker:
        queue = app.amqp.queues[settings.AEM_QUEUE_NAME].bind(broker.default_channel)
        queue.declare()
        queue.purge()  # bells that other tests rang for rows that are gone

    def start(
        name: str = "worker", *, concurrency: int = 1, beat: bool = False, wait: bool = True, **environment: str
    ) -> WorkerProcess:
        worker = WorkerProcess(name, concurrency=concurrency, beat=beat, environment=environment)
        workers.append(worker)
        if wait:
            worker.wait_ready()
        return worker

    try:
        yield start
    finally:
        for worker in workers:
            worker.kill()
        app.conf.task_always_eager = was_eager


@pytest.fixture
def celery_worker_process(start_worker: StartWorker) -> WorkerProcess:
    """One worker with its clock, as `run.py` starts it."""
    return start_worker(concurrency=2, beat=True, AEM_REAP_SECONDS="1")
