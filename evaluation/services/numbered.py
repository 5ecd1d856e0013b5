"""Documents that never change: an edit makes the next number, and the content of the newest number gives that again."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Max

from annotations.models import Project, User
from evaluation.formats import jsonio
from evaluation.models import JudgeSettings, Policy, Vocabulary

Document = TypeVar("Document", Policy, JudgeSettings, Vocabulary)
Named = TypeVar("Named", Policy, JudgeSettings)


def lock(project: Project) -> None:
    """Until the end of the transaction; two edits at once would take the same number."""
    Project.objects.select_for_update().get(pk=project.pk)


def add(
    model: type[Document],
    *,
    project: Project,
    body: dict[str, Any],
    by: User | None,
    newest: Document | None,
    **named: str,
) -> tuple[Document, bool]:
    """The number after ``newest``, and True; or the newest itself, and False, where it has this very content.

    ``named`` says which of the project's documents it is, where there are several. Hold the lock.
    """
    content_hash = jsonio.content_hash(body)
    if newest is not None and newest.content_hash == content_hash:
        return newest, False
    made = model.objects.create(
        project=project,
        number=newest.number + 1 if newest else 1,
        body=body,
        content_hash=content_hash,
        created_by=by,
        **named,
    )
    return made, True


def newest_of_each(model: type[Named], *, project: Project) -> list[Named]:
    """The newest number of each of the project's documents, by name."""
    numbers = model.objects.filter(project=project).values("name").annotate(last=Max("number"))
    last = {row["name"]: row["last"] for row in numbers}
    found = model.objects.filter(project=project, number__in=set(last.values())).select_related("created_by")
    return [document for document in found.order_by("name") if last[document.name] == document.number]
