"""Appends to the history that serves undo, audit and blame."""

from __future__ import annotations

from typing import Any

from django.db import models

from annotations.models import Change, Project, User


def record(
    *,
    project: Project,
    actor: User | None,
    action: str,
    subject: models.Model,
    before: Any = None,
    after: Any = None,
    scope: str = "",
    undoes: Change | None = None,
    is_stored: bool = True,
) -> Change:
    """Append one change. Call it inside the transaction that makes the change.

    With ``is_stored`` false the caller stores it, together with many others.
    """
    change = Change(
        project=project,
        actor=actor,
        action=action,
        subject_type=subject._meta.model_name or "",
        subject_id=str(subject.pk),
        scope=scope,
        before=before,
        after=after,
        undoes=undoes,
    )
    if is_stored:
        change.save(force_insert=True)
    return change


def next_to_undo(*, scope: str, actor: User) -> Change | None:
    """The newest change of this person within the scope that was not undone yet and is no undo itself."""
    return (
        Change.objects.filter(scope=scope, actor=actor, undoes__isnull=True, undone_by__isnull=True)
        .order_by("-pk")
        .first()
    )
