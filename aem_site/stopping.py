"""Tells the pool processes of a worker that it has been asked to stop, so that long tasks hand their work back early.

Celery lets running tasks finish, and a task does not know that somebody waits for it. One byte of memory that the pool
processes share with their parent says so.
"""

import mmap
from typing import Any

from celery.signals import worker_ready, worker_shutting_down

# Anonymous memory, made before the pool is forked from this process.
_flag = mmap.mmap(-1, 1)


def is_stopping() -> bool:
    """Whether this process, or the worker that it belongs to, is to end soon."""
    return _flag[0] == 1


def _set(value: int) -> None:
    _flag[0] = value


def connect() -> None:
    """Called by the Celery app; outside a worker the signals never come."""
    worker_ready.connect(_on_ready)
    worker_shutting_down.connect(_on_stop)


def _on_ready(**_: Any) -> None:
    _set(0)


def _on_stop(**_: Any) -> None:
    _set(1)
