"""A pool process learns that its worker has been asked to stop."""

import os
from collections.abc import Iterator

import pytest
from celery.signals import worker_shutting_down

from aem_site import stopping


@pytest.fixture(autouse=True)
def not_stopping_afterwards() -> Iterator[None]:
    yield
    stopping._set(0)


def test_the_signals_of_a_worker_set_and_clear_it() -> None:
    assert not stopping.is_stopping()
    worker_shutting_down.send(sender="celery@test", sig="SIGTERM", how="Warm", exitcode=0)
    assert stopping.is_stopping()
    stopping._on_ready()
    assert not stopping.is_stopping()


def test_a_process_forked_before_sees_it() -> None:
    waiting, go_on = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(waiting, 1)
        os._exit(int(stopping.is_stopping()))
    stopping._on_stop()
    os.write(go_on, b"x")
    _, status = os.waitpid(child, 0)
    os.close(waiting)
    os.close(go_on)
    assert os.waitstatus_to_exitcode(status) == 1
