"""Finding conversations."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from annotations.models import Conversation, Dataset

STATES = ("annotated", "open")


def find(
    dataset: Dataset, *, q: str = "", state: str = "", language: str = "", domain: str = ""
) -> QuerySet[Conversation]:
    """The dataset's conversations that fit, each with its number of current trajectories; empty means any.

    ``q`` stands in key, title or goal; ``state`` is ``annotated`` (a golden is in force) or ``open``.
    """
    found = dataset.conversations.all()
    if q:
        found = found.filter(Q(key__icontains=q) | Q(title__icontains=q) | Q(user_goal__icontains=q))
    if state == "annotated":
        found = found.filter(golden_record__isnull=False)
    elif state == "open":
        found = found.filter(golden_record__isnull=True)
    if language:
        found = found.filter(language=language)
    if domain:
        found = found.filter(domain=domain)
    return found.annotate(
        trajectory_count=Count("trajectories", filter=Q(trajectories__superseded_at__isnull=True), distinct=True)
    ).order_by("key")
