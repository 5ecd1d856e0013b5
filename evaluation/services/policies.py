"""Policies: how a run judges what its records leave open. Documents; an edit makes the next number."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Max

from annotations.models import Project, User
from annotations.services import history
from annotations.services.errors import WorkbenchError
from evaluation.aem import RecordError, ScorerUnavailable, parse_policy
from evaluation.formats import jsonio
from evaluation.models import Policy

STANDARD = "standard"


class PolicyRefusedError(WorkbenchError):
    """A policy that the engine cannot follow; the message names the setting and the reason."""


@transaction.atomic
def create(*, project: Project, body: dict[str, Any], by: User | None, name: str = STANDARD) -> Policy:
    """The next number of the named policy. The content of its last number gives that one again.

    Raises PolicyRefusedError for a body that the engine does not understand.
    """
    name = name.strip()
    if not name:
        raise PolicyRefusedError("A policy needs a name.")
    if len(name) > name_length():
        raise PolicyRefusedError(f"A policy's name has at most {name_length()} characters, not {len(name)}.")
    check(body)
    Project.objects.select_for_update().get(pk=project.pk)  # two edits at once would take the same number
    content_hash = jsonio.content_hash(body)
    newest = Policy.objects.filter(project=project, name=name).order_by("-number").first()
    if newest is not None and newest.content_hash == content_hash:
        return newest
    policy = Policy.objects.create(
        project=project,
        name=name,
        number=newest.number + 1 if newest else 1,
        body=body,
        content_hash=content_hash,
        created_by=by,
    )
    history.record(
        project=project,
        actor=by,
        action="policy.created",
        subject=policy,
        before=newest and newest.body,
        after=body,
        scope=f"policy:{name}",
    )
    return policy


def get_standard(*, project: Project, by: User | None = None) -> Policy:
    """The newest number of the policy `standard`; number 1 leaves everything at the engine's defaults."""
    newest = Policy.objects.filter(project=project, name=STANDARD).order_by("-number").first()
    return newest or create(project=project, body={}, by=by)


def latest(*, project: Project) -> list[Policy]:
    """The newest number of each of the project's policies."""
    numbers = Policy.objects.filter(project=project).values("name").annotate(last=Max("number"))
    last = {row["name"]: row["last"] for row in numbers}
    found = Policy.objects.filter(project=project, number__in=set(last.values())).order_by("name")
    return [policy for policy in found if last[policy.name] == policy.number]


def check(body: dict[str, Any]) -> None:
    """Raises PolicyRefusedError where the engine would."""
    try:
        parse_policy(body)
    except (RecordError, ScorerUnavailable) as error:
        raise PolicyRefusedError(f"This policy cannot be followed: {error}") from error


def name_length() -> int:
    return Policy._meta.get_field("name").max_length or 0
