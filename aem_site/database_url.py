"""Reads DATABASE_URL: ``sqlite:///path``, ``postgresql://user:password@host:port/name?sslmode=require``.

PostgreSQL keeps the plan of a query that a connection asks for again. ``prepared=no`` turns that off, for a pooler that
gives each transaction another connection.
"""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

ASKED_BEFORE = 3  # times, before its plan is kept
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-20000; "
    "PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=67108864"
)


def parse(url: str) -> dict[str, Any]:
    """The settings of Django's default database for an address; raises ImproperlyConfigured for any other scheme."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "aem_site.fair_sqlite",
            "NAME": unquote(parts.path.removeprefix("/")) if parts.path != "/:memory:" else ":memory:",
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_PRAGMAS},
        }
    if parts.scheme in {"postgres", "postgresql"}:
        prepared = query.pop("prepared", "yes")
        if prepared not in {"yes", "no"}:
            raise ImproperlyConfigured(f"prepared in DATABASE_URL is yes or no, not {prepared}")
        kept_plans = {"server_side_binding": True, "prepare_threshold": ASKED_BEFORE} if prepared == "yes" else {}
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.removeprefix("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": query.pop("host", unquote(parts.hostname or "")),
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {**kept_plans, **query},
        }
    raise ImproperlyConfigured(
        f"DATABASE_URL must begin with sqlite:// or postgresql://, not {parts.scheme or 'nothing'}://"
    )
