"""Signs of life."""

from django.db import models


class WorkerHeartbeat(models.Model):
    """When a worker process was last seen; `/healthz` reads it."""

    name = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
