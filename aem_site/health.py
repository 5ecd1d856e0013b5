"""`/healthz`: whether database, broker and worker are there, for load balancers and for `run.py`.

Anybody may ask, so an answer says what does not work, and never where it is or who may log in to it.
"""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aem_site.celery import app
from evaluation.services import heartbeats

logger = logging.getLogger(__name__)

BROKER_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Part:
    """What one part answered."""

    ok: bool
    reason: str


def database() -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.warning("The database does not answer", exc_info=True)
        return Part(ok=False, reason="The database does not answer.")
    return Part(ok=True, reason="The database answers.")


def broker() -> Part:
    try:
        with app.connection_for_write(
            connect_timeout=BROKER_SECONDS, transport_options=_impatient()
        ) as broker_connection:
            broker_connection.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    except Exception:  # each transport has its own errors, and none of them is a reason not to answer
        logger.warning("The message broker does not answer", exc_info=True)
        return Part(ok=False, reason="The message broker does not answer.")
    return Part(ok=True, reason="The message broker answers.")


def worker(now: datetime) -> Part:
    try:
        seen_at = heartbeats.find_latest()
    except DatabaseError:
        logger.warning("The workers' signs of life cannot be read", exc_info=True)
        return Part(ok=False, reason="Unknown: the database cannot say when a worker was last seen.")
    if seen_at is None:
        return Part(ok=False, reason="No worker is running.")
    silent = now - seen_at
    if silent > heartbeats.GONE_AFTER:
        return Part(ok=False, reason=f"No worker has been seen for {silent.total_seconds():.0f} seconds.")
    return Part(ok=True, reason="A worker is running.")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when all parts are fine, else 503; each part with its reason."""
    checks: dict[str, Callable[[], Part]] = {
        "database": database,
        "broker": broker,
        "worker": lambda: worker(timezone.now()),
    }
    parts = {name: check() for name, check in checks.items()}
    ok = all(part.ok for part in parts.values())
    return JsonResponse({"ok": ok, **{name: asdict(part) for name, part in parts.items()}}, status=200 if ok else 503)


def _impatient() -> dict[str, object]:
    """The broker's options with short waits, for transports that take them from there."""
    options: dict[str, object] = dict(app.conf.broker_transport_options or {})
    if str(app.conf.broker_url).startswith("redis"):
        options |= {"socket_connect_timeout": BROKER_SECONDS, "socket_timeout": BROKER_SECONDS}
    return options
