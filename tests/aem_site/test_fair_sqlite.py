"""The SQLite back end on files of its own: no update is lost and no writer is turned away."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import DjangoDbBlocker

from aem_site.fair_sqlite import write_lock
from aem_site.fair_sqlite.base import DatabaseWrapper, database_path
from aem_site.fair_sqlite.creation import remove_companions
from aem_site.fair_sqlite.write_lock import LockTimeoutError, WriteLock

# A forked child would share its parent's connections; a fresh interpreter is what a real process is.
processes = multiprocessing.get_context("spawn")
ALIAS = "fair"


@contextmanager
def database(name: Path | str, **options: Any) -> Iterator[BaseDatabaseWrapper]:
    """A connection of the back end under test, under its own alias beside the project's databases."""
    options = {"timeout": 20, "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", **options}
    entry = {"ENGINE": "aem_site.fair_sqlite", "NAME": name, "OPTIONS": options}
    connections.settings[ALIAS] = connections.configure_settings({"default": entry})["default"]
    try:
        yield connections[ALIAS]
    finally:
        connections[ALIAS].close()
        del connections[ALIAS], connections.settings[ALIAS]


@pytest.fixture
def path(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Path]:
    """A database file with one counter in it. The blocker guards the project's database, left alone here."""
    path = tmp_path / "a database.sqlite3"
    with sqlite3.connect(path) as plain:
        plain.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
        plain.execute("CREATE TABLE audit (value INTEGER NOT NULL)")
        plain.execute("INSERT INTO counter VALUES (1, 0)")
    plain.close()
    with django_db_blocker.unblock():
        yield path


def value_in(path: Path) -> int:
    with sqlite3.connect(path) as plain:
        (value,) = plain.execute("SELECT value FROM counter").fetchone()
    plain.close()
    return int(value)


def add_one(connection: BaseDatabaseWrapper) -> None:
    """Read, think, write: what loses updates, or is refused, where writers do not take turns."""
    with transaction.atomic(using=ALIAS), connection.cursor() as cursor:
        cursor.execute("SELECT value FROM counter")
        (value,) = cursor.fetchone()
        time.sleep(0.001)
        cursor.execute("UPDATE counter SET value = %s", [value + 1])
        cursor.execute("INSERT INTO audit VALUES (%s)", [value + 1])


def count_up(path: str, times: int) -> None:
    with database(path) as connection:
        for _ in range(times):
            add_one(connection)


def hold_transaction(path: str, ready: str) -> None:
    with database(path) as connection, transaction.atomic(using=ALIAS), connection.cursor() as cursor:
        cursor.execute("UPDATE counter SET value = 1000")
        Path(ready).touch()
        time.sleep(600)


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@contextmanager
def holder_process(path: Path) -> Iterator[Any]:
    """Another process that sits in the middle of a write transaction."""
    ready = path.with_name("ready")
    process = processes.Process(target=hold_transaction, args=(str(path), str(ready)))
    process.start()
    try:
        wait_until(ready.exists)
        yield process
    finally:
        process.kill()
        process.join()


@pytest.mark.slow
def test_processes_and_threads_lose_no_update_and_are_never_locked_out(path: Path) -> None:
    workers = [processes.Process(target=count_up, args=(str(path), 150)) for _ in range(4)]
    for worker in workers:
        worker.start()
    with database(path):
        failures: list[BaseException] = []

        def in_thread() -> None:
            try:
                for _ in range(50):
                    add_one(connections[ALIAS])
            except BaseException as error:
                failures.append(error)
            finally:
                connections[ALIAS].close()

        threads = [threading.Thread(target=in_thread) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    assert failures == []
    assert value_in(path) == 4 * 150 + 2 * 50
    with sqlite3.connect(path) as plain:
        assert plain.execute("SELECT count(*), count(DISTINCT value) FROM audit").fetchone() == (700, 700)
    plain.close()


def test_a_killed_writer_blocks_nobody_and_leaves_nothing(path: Path) -> None:
    with database(path) as connection, holder_process(path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        add_one(connection)
    assert value_in(path) == 1


def test_whoever_waits_in_vain_is_told_so_and_can_go_on(path: Path) -> None:
    with database(path, timeout=0.2) as connection:
        with holder_process(path):
            with pytest.raises(OperationalError, match=r"database is locked: another writer held .* for 0\.2 seconds"):
                add_one(connection)
            with pytest.raises(OperationalError, match="database is locked"):
                add_one(connection)
        add_one(connection)
    assert value_in(path) == 1


def test_waiting_ends_when_the_holder_does(path: Path) -> None:
    with database(path) as connection, holder_process(path) as holder:
        threading.Timer(0.3, lambda: os.kill(holder.pid, signal.SIGKILL)).start()
        add_one(connection)
    assert value_in(path) == 1


def lock_is_free(path: Path) -> bool:
    other = WriteLock(path.with_name(path.name + ".lock"))
    try:
        other.acquire(timeout=0.05)
    except LockTimeoutError:
        return False
    finally:
        other.close()
    return True


def test_lock_is_held_from_the_outer_atomic_to_its_end(path: Path) -> None:
    with database(path) as connection:
        with transaction.atomic(using=ALIAS):
            assert not lock_is_free(path)
            with transaction.atomic(using=ALIAS), connection.cursor() as cursor:
                cursor.execute("UPDATE counter SET value = 5")
            with pytest.raises(ZeroDivisionError), transaction.atomic(using=ALIAS):
                with connection.cursor() as cursor:
                    cursor.execute("UPDATE counter SET value = 6")
                raise ZeroDivisionError
            assert not lock_is_free(path)
        assert lock_is_free(path)
    assert value_in(path) == 5


def test_rollback_and_close_give_the_lock_back(path: Path) -> None:
    with database(path) as connection:
        with pytest.raises(ZeroDivisionError), transaction.atomic(using=ALIAS):
            raise ZeroDivisionError
        assert lock_is_free(path)
        with transaction.atomic(using=ALIAS, durable=True):
            connection.close()
            assert lock_is_free(path)
        add_one(connection)
        assert lock_is_free(path)
    assert value_in(path) == 1


def test_failed_begin_gives_the_lock_back(path: Path) -> None:
    with database(path, timeout=0.1) as connection, sqlite3.connect(path) as stranger:
        connection.ensure_connection()
        stranger.execute("BEGIN IMMEDIATE")  # a program that knows nothing of the lock file
        with pytest.raises(OperationalError, match="database is locked"):
            add_one(connection)
        assert lock_is_free(path)
        stranger.rollback()
        add_one(connection)
    stranger.close()


def test_failed_commit_rolls_back_and_gives_the_lock_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError("disk I/O error")

    with database(path) as connection:
        with monkeypatch.context() as patch:
            patch.setattr("django.db.backends.sqlite3.base.DatabaseWrapper._commit", refuse)
            with pytest.raises(OperationalError, match="disk I/O error"):
                add_one(connection)
        assert lock_is_free(path)
        add_one(connection)
    assert value_in(path) == 1


def open_descriptors(path: Path) -> int:
    """How many of this process's descriptors are of the database or its lock; other tests may hold others."""
    gc.collect()  # a connection that its thread left open is closed when it is collected
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile, such as the one that lists them
            found += str(descriptor.readlink()).startswith(str(path))
    return found


def test_threads_have_a_lock_each(path: Path) -> None:
    with database(path, timeout=0.1) as connection:
        seen: list[str] = []

        def in_thread() -> None:
            try:
                add_one(connections[ALIAS])
            except OperationalError as error:
                seen.append(str(error))

        with transaction.atomic(using=ALIAS), connection.cursor() as cursor:
            cursor.execute("UPDATE counter SET value = 7")
            thread = threading.Thread(target=in_thread)  # ends without closing its connection
            thread.start()
            thread.join()
    assert len(seen) == 1
    assert "another writer held" in seen[0]
    assert value_in(path) == 7
    wait_until(lambda: open_descriptors(path) == 0)


def test_a_forked_child_does_not_share_its_parents_lock(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "lock")
    lock.acquire(timeout=1)
    lock.release()
    child = os.fork()
    if child == 0:
        lock.acquire(timeout=1)
        (tmp_path / "taken").touch()
        time.sleep(600)
    try:
        wait_until((tmp_path / "taken").exists)
        with pytest.raises(LockTimeoutError):
            lock.acquire(timeout=0.1)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    lock.acquire(timeout=1)
    assert lock.held
    lock.close()


def test_an_interrupted_waiter_leaves_the_lock_to_others(tmp_path: Path) -> None:
    holder, waiter = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    holder.acquire(timeout=1)

    def interrupt(*_: object) -> None:
        raise InterruptedError("stop")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(InterruptedError, match="stop"):
            waiter.acquire(timeout=20)
    finally:
        signal.signal(signal.SIGALRM, before)
    holder.close()
    waiter.acquire(timeout=1)
    assert waiter.held
    waiter.close()


@pytest.mark.parametrize("name", [":memory:", "file:somewhere?mode=memory&cache=shared"])
def test_a_database_in_memory_needs_no_lock(
    name: str, django_db_blocker: DjangoDbBlocker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with django_db_blocker.unblock(), database(name) as connection:
        with transaction.atomic(using=ALIAS), connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (x)")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [None, "DEFERRED"])
def test_a_deferred_transaction_takes_no_lock(path: Path, mode: str | None) -> None:
    with database(path, transaction_mode=mode), transaction.atomic(using=ALIAS):
        assert lock_is_free(path)


def test_without_flock_the_stock_engine_serves(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock, "AVAILABLE", False)
    with database(path) as connection:
        add_one(connection)
    assert value_in(path) == 1
    assert not path.with_name(path.name + ".lock").exists()


def test_a_lock_file_that_cannot_be_opened_is_named(path: Path) -> None:
    lock_file = path.with_name(path.name + ".lock")
    lock_file.mkdir()
    with database(path) as connection, pytest.raises(OperationalError, match=r"lock file: .*a database\.sqlite3\.lock"):
        add_one(connection)


def test_the_file_behind_a_name() -> None:
    assert database_path("file:/data/a%20b.sqlite3?mode=rwc") == Path("/data/a b.sqlite3")
    assert database_path("/data/a b?.sqlite3") == Path("/data/a b?.sqlite3")
    assert database_path(Path("data.sqlite3")) == Path("data.sqlite3")


def test_a_test_database_leaves_nothing_behind(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    path = tmp_path / "sub folder" / "test.sqlite3"
    with django_db_blocker.unblock(), database(tmp_path / "unused.sqlite3") as connection:
        assert isinstance(connection, DatabaseWrapper)
        connection.settings_dict["TEST"]["NAME"] = str(path)
        creation: Any = connection.creation
        assert creation._create_test_db(verbosity=0, autoclobber=True) == str(path)
        with sqlite3.connect(path) as plain:
            plain.execute("CREATE TABLE t (x)")
        plain.close()
        for suffix in ("-wal", "-shm", ".lock"):
            path.with_name(path.name + suffix).touch()
        creation._destroy_test_db(str(path), verbosity=0)
    assert list(path.parent.iterdir()) == []
    remove_companions(path)
