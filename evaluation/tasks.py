"""Background work: load, one service call.

Messages carry no work, they ring a bell; what is to do stands in the database.
"""

from __future__ import annotations

import os
import socket
import time
from functools import partial
from uuid import UUID

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from aem_site.stopping import is_stopping
from evaluation.services import scoring, trials

#: A worker gives its slot back after this long, so that other work gets its turn.
DRAIN_SECONDS = 20
#: No chunk takes this long; a process that does is ended, and its chunk counts an attempt.
HANGING_SECONDS = 15 * 60
#: Workers woken at a start. A surplus bell is thrown away unheard, lest other work waits behind it.
BELLS = 8
SURPLUS_BELL_SECONDS = 15


def ring(*, bells: int = BELLS) -> None:
    """Wake workers once the transaction is committed.

    A broker that is away is logged and no more: the run is in the database, and the reaper rings again.
    """

    def _ring() -> None:
        drain.apply_async(retry=False)
        for _ in range(bells - 1):
            drain.apply_async(retry=False, expires=SURPLUS_BELL_SECONDS)

    transaction.on_commit(_ring, robust=True)


@shared_task(acks_late=True, time_limit=HANGING_SECONDS)
def drain() -> int:
    """Score chunk after chunk, for a while. Returns how many."""
    deadline = time.monotonic() + DRAIN_SECONDS
    worker = f"{socket.gethostname()}:{os.getpid()}"
    done, run_id = 0, None
    while time.monotonic() < deadline and not is_stopping():
        held = scoring.work(worker=worker)
        if held is None:
            scoring.finish(now=timezone.now())
            return done
        if run_id not in (None, held.run_id):
            scoring.finish(now=timezone.now())
        done, run_id = done + 1, held.run_id
    ring(bells=1)
    return done


@shared_task(ignore_result=True)
def reap() -> None:
    """Beat, every few seconds: hand out what dead workers left, and ring where work waits."""
    bells = scoring.reap(now=timezone.now())
    if bells:
        ring(bells=bells)
    for trial_id in trials.resting(now=timezone.now()):
        ring_trial(trial_id)


def ring_trial(trial_id: UUID) -> None:
    """Wake a worker for this trial once the transaction is committed; the reaper rings again where nobody comes."""
    transaction.on_commit(partial(try_policy.apply_async, (str(trial_id),), retry=False), robust=True)


@shared_task(acks_late=True, time_limit=HANGING_SECONDS)
def try_policy(trial_id: str) -> int:
    """Try a policy slice after slice, for a while. Returns how many."""
    deadline = time.monotonic() + DRAIN_SECONDS
    done = 0
    while time.monotonic() < deadline and not is_stopping():
        done += 1
        if not trials.work(UUID(trial_id), now=timezone.now()):
            return done
    ring_trial(UUID(trial_id))
    return done
