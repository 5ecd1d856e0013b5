"""`python3 run.py doctor`: what stands between these settings and a site that others may use.

Each check says what it found; a failed one says what to do. The exit code is 1 when one failed.
"""

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import django

State = Literal["ok", "note", "FAIL"]
MINIMUM_POSTGRESQL = 150000


@dataclass(frozen=True, slots=True)
class Result:
    state: State
    about: str
    text: str


def check_keys_and_names() -> Iterator[Result]:
    from django.conf import settings  # noqa: PLC0415 -- as everywhere below: after django.setup()

    from aem_site.startup import secret_key_problem  # noqa: PLC0415

    if settings.AEM_LOCAL:
        text = "local: for this machine only. To serve others set SECRET_KEY and ALLOWED_HOSTS."
        yield Result("FAIL", "mode", text)
    else:
        yield Result("ok", "mode", "production")
    if settings.DEBUG:
        yield Result("FAIL", "DEBUG", "is on: error pages would show settings and data. Remove DEBUG.")
    problem = secret_key_problem(os.environ.get("SECRET_KEY", ""))
    yield Result("FAIL", "key", problem) if problem else Result("ok", "key", "is set and long enough")
    if not os.environ.get("ALLOWED_HOSTS"):
        yield Result("FAIL", "ALLOWED_HOSTS", "is not set: name the hosts people use, as in aem.example.org")
    elif "*" in settings.ALLOWED_HOSTS:
        yield Result("FAIL", "ALLOWED_HOSTS", "allows every name; list the names people use instead of *")
    else:
        yield Result("ok", "ALLOWED_HOSTS", ", ".join(settings.ALLOWED_HOSTS))
    if settings.SESSION_COOKIE_SECURE:
        yield Result("ok", "HTTPS", "cookies go over HTTPS only")
    else:
        yield Result("FAIL", "HTTPS", "is off: passwords and sessions would travel in the clear. Remove HTTPS=0.")
    if settings.SECURE_HSTS_SECONDS == 0:
        text = "is 0; raise it once HTTPS works for good, or let the reverse proxy send the header"
        yield Result("note", "SECURE_HSTS_SECONDS", text)


def check_database() -> Iterator[Result]:
    from django.contrib.auth import get_user_model  # noqa: PLC0415
    from django.db import DatabaseError, connection  # noqa: PLC0415
    from django.db.migrations.executor import MigrationExecutor  # noqa: PLC0415

    try:
        connection.ensure_connection()
    except DatabaseError as error:
        yield Result("FAIL", "database", f"does not answer: {str(error).strip()}")
        return
    if connection.vendor == "postgresql":
        version = int(getattr(connection, "pg_version", 0))
        wanted = MINIMUM_POSTGRESQL // 10000
        if version < MINIMUM_POSTGRESQL:
            yield Result("FAIL", "database", f"is PostgreSQL {version // 10000}; {wanted} or newer is needed")
        else:
            yield Result("ok", "database", f"PostgreSQL {version // 10000}")
    else:
        yield Result(
            "note", "database", "is SQLite: fine for one machine. For several, set DATABASE_URL to PostgreSQL."
        )
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        yield Result("FAIL", "tables", f"{len(missing)} migrations are missing. Run: python3 run.py manage migrate")
        return
    yield Result("ok", "tables", "are up to date")
    users = get_user_model().objects
    if not users.filter(is_active=True).exists():
        yield Result("note", "people", "there is no account yet. Run: python3 run.py manage createsuperuser")


def check_worker() -> Iterator[Result]:
    from django.conf import settings  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from aem_site import health  # noqa: PLC0415

    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    part = health.broker()
    yield Result("ok" if part.ok else "FAIL", "broker", f"{kind}: {part.reason}")
    if kind == "safefs":
        text = "is a folder: web server and workers must be on one machine. For several, set CELERY_BROKER_URL."
        yield Result("note", "broker", text)
    part = health.worker(timezone.now())
    yield Result("ok" if part.ok else "FAIL", "worker", part.reason)


def check_files() -> Iterator[Result]:
    from django.conf import settings  # noqa: PLC0415

    folder = settings.AEM_DATA_DIR
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield Result("FAIL", "AEM_DATA_DIR", f"{folder} cannot be written to: {error.strerror}")
    else:
        yield Result("ok", "AEM_DATA_DIR", f"{folder} can be written to")


CHECKS: tuple[Callable[[], Iterator[Result]], ...] = (check_keys_and_names, check_database, check_worker, check_files)


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")
    django.setup()
    logging.disable()  # each check says itself what is wrong
    results = [result for check in CHECKS for result in check()]
    for result in results:
        print(f"{result.state:4}  {result.about}: {result.text}")
    failed = sum(result.state == "FAIL" for result in results)
    print(f"\n{failed} of {len(results)} checks failed." if failed else "\nReady for production.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
