"""Test databases on disk: what SQLite and the write lock keep beside the file goes with it."""

from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import creation

# A write-ahead log that outlived its database would be replayed into the next one of that name.
_COMPANIONS = ("-wal", "-shm", "-journal", ".lock")


def remove_companions(database: str | Path) -> None:
    path = Path(database)
    for suffix in _COMPANIONS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class DatabaseCreation(creation.DatabaseCreation):
    def _create_test_db(self, verbosity: int, autoclobber: bool, keepdb: bool = False) -> str:
        name: str = super()._create_test_db(verbosity, autoclobber, keepdb)  # type: ignore[misc]
        if not keepdb and not self.is_in_memory_db(name):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            remove_companions(name)
        return name

    def _destroy_test_db(self, test_database_name: str, verbosity: int) -> None:
        super()._destroy_test_db(test_database_name, verbosity)  # type: ignore[misc]
        if test_database_name and not self.is_in_memory_db(test_database_name):
            remove_companions(test_database_name)

    def _clone_test_db(self, suffix: str, verbosity: int, keepdb: bool = False) -> None:
        source: Any = self.connection.settings_dict["NAME"]
        if not self.is_in_memory_db(source):
            with self.connection.cursor() as cursor:
                # Django copies the file alone; what still stands in the log must be in it first.
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super()._clone_test_db(suffix, verbosity, keepdb)  # type: ignore[misc]
