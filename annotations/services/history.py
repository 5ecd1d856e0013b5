"""Appends to the history that serves undo, audit and blame."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Max, Q

from annotations.models import Change, Project, User

UNDO, REDO = "undo", "redo"


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


def undoable(*, scope: str, actor: User) -> models.QuerySet[Change]:
    """What undo takes back within the scope, one after the other: this person's changes that stand, newest first."""
    stands = Q(undoes__isnull=True) | Q(action=REDO)
    return Change.objects.filter(stands, scope=scope, actor=actor, undone_by__isnull=True).order_by("-pk")


def next_to_undo(*, scope: str, actor: User) -> Change | None:
    """The newest change of this person within the scope that was not undone yet and is no undo itself."""
    return undoable(scope=scope, actor=actor).first()


def redoable(*, scope: str, actor: User) -> models.QuerySet[Change]:
    """The undos that can be undone in turn, the newest first: those since this person last changed something else."""
    own = Change.objects.filter(scope=scope, actor=actor)
    last = own.filter(undoes__isnull=True).aggregate(pk=Max("pk"))["pk"] or 0
    return own.filter(action=UNDO, undone_by__isnull=True, pk__gt=last).order_by("-pk")


def next_to_redo(*, scope: str, actor: User) -> Change | None:
    return redoable(scope=scope, actor=actor).first()
