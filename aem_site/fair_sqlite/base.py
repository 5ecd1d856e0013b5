"""SQLite for Django where writers queue up instead of polling.

SQLite lets a writer that finds the database busy sleep for 1 to 100 ms and look again. A worker that writes one chunk
after another takes the lock back long before the sleeper looks, and a person's save waits for seconds. Here a write
transaction first takes an flock(2) on ``<database>.lock``: waiters sleep in the kernel and wake when it is free.
SQLite's own locks stay in force underneath, so a program that knows nothing of the lock file (the sqlite3 shell, a
backup) is safe, only less fair.

Transactions begin with BEGIN IMMEDIATE unless ``OPTIONS["transaction_mode"]`` says otherwise: a deferred one that reads
and then writes is refused at once when somebody else wrote in between, however long the timeout. Writes outside
``atomic`` and deferred transactions go past the lock file. Not for network file systems.
"""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from aem_site.fair_sqlite.creation import DatabaseCreation
from aem_site.fair_sqlite.write_lock import LockTimeoutError, WriteLock

DEFAULT_TIMEOUT_SECONDS = 20.0


def database_path(name: str | Path) -> Path:
    """The file of a database name, which may be a path or SQLite's file: address."""
    text = str(name)
    return Path(unquote(urlsplit(text).path)) if text.startswith("file:") else Path(text)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, with the write lock taken before BEGIN and given back when the transaction is over."""

    creation_class = DatabaseCreation

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._write_lock: WriteLock | None = None
        self._lock_timeout = DEFAULT_TIMEOUT_SECONDS

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        if "transaction_mode" not in self.settings_dict["OPTIONS"]:
            self.transaction_mode = "IMMEDIATE"
        params.setdefault("timeout", DEFAULT_TIMEOUT_SECONDS)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        self._lock_timeout = float(conn_params["timeout"])
        if self.is_in_memory_db() or self.transaction_mode not in {"IMMEDIATE", "EXCLUSIVE"}:
            self._write_lock = None
        else:
            path = database_path(self.settings_dict["NAME"])
            self._write_lock = WriteLock(path.with_name(f"{path.name}.lock"))
        return connection

    def _start_transaction_under_autocommit(self) -> None:
        if self._write_lock is not None:
            try:
                self._write_lock.acquire(timeout=self._lock_timeout)
            except LockTimeoutError as error:
                raise OperationalError(f"database is locked: {error}") from error
            except OSError as error:
                raise OperationalError(f"unable to open the database's lock file: {error}") from error
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except BaseException:
            self._release_write_lock()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # not in the stubs
        self._release_write_lock()  # a commit that failed leaves the transaction open, and a rollback follows

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # not in the stubs
        finally:
            self._release_write_lock()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]  # not in the stubs
        finally:
            if self._write_lock is not None:
                self._write_lock.close()

    def _release_write_lock(self) -> None:
        if self._write_lock is not None:
            self._write_lock.release()
