"""Lets a running worker write a sign of life, from a thread of its main process.

A task would wait behind the very work whose progress is asked about; the main process has nothing else to do.
"""

import logging
import os
from threading import Event, Lock, Thread
from typing import Any

from celery.signals import worker_ready, worker_shutdown
from django.db import DatabaseError, connection
from django.utils import timezone

logger = logging.getLogger(__name__)

# A pool process forked in the middle of a write would inherit the database library's locks, locked for ever.
_writing = Lock()


class Heartbeat:
    """Writes the row of one worker every few seconds until it is stopped."""

    def __init__(self, name: str, *, seconds: float) -> None:
        self.name = name
        self._seconds = seconds
        self._stop = Event()
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=self._seconds)

    def _run(self) -> None:
        from evaluation.services import heartbeats  # noqa: PLC0415 -- models are there once the worker is

        try:
            while not self._stop.is_set():
                self._guarded(lambda: heartbeats.record(name=self.name, at=timezone.now()))
                self._stop.wait(self._seconds)
            self._guarded(lambda: heartbeats.forget(name=self.name))
        finally:
            connection.close()

    def _guarded(self, write: Any) -> None:
        """A database that is away for a while ends no worker; its silence says it all."""
        with _writing:
            try:
                write()
            except DatabaseError as error:
                logger.warning("The sign of life of %s could not be written: %s", self.name, error)
                connection.close()


_running: list[Heartbeat] = []


def _start(sender: Any, **_: Any) -> None:
    from evaluation.services import heartbeats  # noqa: PLC0415 -- as above

    if not _running:
        os.register_at_fork(before=_writing.acquire, after_in_parent=_writing.release, after_in_child=_writing.release)
        heartbeat = Heartbeat(str(sender.hostname), seconds=heartbeats.BEAT_SECONDS)
        _running.append(heartbeat)
        heartbeat.start()


def _end(**_: Any) -> None:
    while _running:
        _running.pop().stop()


def connect() -> None:
    """Called by the Celery app; outside a worker the signals never come."""
    worker_ready.connect(_start)
    worker_shutdown.connect(_end)
