"""The worker's entry point: `celery -A aem_site worker`.

The broker only rings the bell (`docs/architecture.md`): what has been done is read from the database.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")
TRANSPORT_ALIASES["safefs"] = "aem_site.safefs:Transport"

from django.conf import settings  # noqa: E402

from aem_site import heartbeat, stopping  # noqa: E402

app = Celery("aem_site")


def _transport_options() -> dict[str, Any]:
    if not settings.CELERY_BROKER_URL.startswith("safefs"):
        return {"visibility_timeout": 3600} if settings.CELERY_BROKER_URL.startswith("redis") else {}
    return {"folder": str(settings.AEM_QUEUE_DIR)}


def _configuration() -> dict[str, Any]:
    return {
        "broker_url": settings.CELERY_BROKER_URL,
        "broker_transport_options": _transport_options(),
        "broker_connection_retry_on_startup": True,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_default_queue": settings.AEM_QUEUE_NAME,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "timezone": settings.TIME_ZONE,
        "beat_schedule": {
            "reap": {
                "task": "evaluation.tasks.reap",
                "schedule": settings.AEM_REAP_SECONDS,
                # While no worker lives the messages would pile up; one that is late says nothing new.
                "options": {"expires": 2 * settings.AEM_REAP_SECONDS},
            }
        },
        "beat_schedule_filename": str(settings.AEM_DATA_DIR / "celerybeat-schedule"),
    }


# Read when first needed: this module is imported while the settings still are.
app.add_defaults(_configuration)
app.autodiscover_tasks(["evaluation"])
heartbeat.connect()
stopping.connect()


@celeryd_init.connect
def _refuse_unsafe_start(**_: Any) -> None:
    from aem_site.startup import require_safe_settings  # noqa: PLC0415

    require_safe_settings()
