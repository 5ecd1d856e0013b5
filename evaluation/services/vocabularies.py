"""A project's own words: what it holds equal or different. Documents; a change makes the next number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import transaction

from annotations.models import Project, User
from annotations.services import history
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation.evaluators.embedded.vocabulary import STANDARD, VocabularyError
from evaluation.evaluators.embedded.vocabulary import Vocabulary as Words
from evaluation.formats import jsonio
from evaluation.models import Vocabulary


class VocabularyRefusedError(WorkbenchError):
    """Entries that cannot be used; the message names the entry and the reason."""


def latest(project: Project) -> Vocabulary | None:
    """The newest number; None where the project added nothing."""
    return Vocabulary.objects.filter(project=project).order_by("-number").first()


@transaction.atomic
def create(
    *, project: Project, body: dict[str, Any], by: User | None, seen_number: int, reason: str = ""
) -> Vocabulary:
    """The next number. ``seen_number`` is the one that was edited, 0 where there was none.

    Raises VocabularyRefusedError for entries that cannot be used, StaleRevisionError where somebody was faster.
    """
    try:
        STANDARD.extended(body)
    except VocabularyError as error:
        raise VocabularyRefusedError(f"The vocabulary was not saved: {error}") from error
    Project.objects.select_for_update().get(pk=project.pk)  # two edits at once would take the same number
    newest = latest(project)
    if newest is not None and newest.number != seen_number:
        raise StaleRevisionError(newest, seen=seen_number)
    content_hash = jsonio.content_hash(body)
    if newest is not None and newest.content_hash == content_hash:
        return newest
    made = Vocabulary.objects.create(
        project=project,
        number=newest.number + 1 if newest else 1,
        body=body,
        content_hash=content_hash,
        created_by=by,
    )
    history.record(
        project=project,
        actor=by,
        action="vocabulary.changed",
        subject=made,
        scope="vocabulary",
        before=newest and newest.body,
        after={**body, "reason": reason} if reason else body,
    )
    return made


def words_of(vocabulary: Vocabulary | None) -> Words:
    """The built-in lists with the project's entries."""
    return STANDARD if vocabulary is None else _extended(jsonio.dumps(vocabulary.body))


@lru_cache(maxsize=16)
def _extended(body: str) -> Words:
    return STANDARD.extended(jsonio.loads(body))
