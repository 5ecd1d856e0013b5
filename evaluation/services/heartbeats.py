"""Signs of life of worker processes: each worker writes its own, whoever asks reads the latest."""

from datetime import datetime, timedelta

from django.db import transaction

from evaluation.models import WorkerHeartbeat

#: How often a worker writes, and after how long a silent one counts as gone: two signs may be lost.
BEAT_SECONDS = 10.0
GONE_AFTER = timedelta(seconds=30)
#: A worker that was killed leaves its row behind; with changing host names they would pile up.
FORGOTTEN_AFTER = timedelta(days=1)


def record(*, name: str, at: datetime) -> None:
    with transaction.atomic():
        WorkerHeartbeat.objects.update_or_create(name=name, defaults={"seen_at": at})
        WorkerHeartbeat.objects.filter(seen_at__lt=at - FORGOTTEN_AFTER).delete()


def forget(*, name: str) -> None:
    """A worker that ends in good order is gone at once, not half a minute later."""
    with transaction.atomic():
        WorkerHeartbeat.objects.filter(name=name).delete()


def find_latest() -> datetime | None:
    """When any worker was last seen."""
    return WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()
