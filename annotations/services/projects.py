"""Projects, their people and their guideline."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations.models import Capability, Guideline, GuidelineExample, Invitation, Membership, Project, Role, User
from annotations.models.people import ROLE_CAPABILITIES
from annotations.services import history, queue_actions
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from evaluation.aem.language import say

INVITATION_DAYS = 14

FIRST_GUIDELINE = """\
## What we write down

For every reply and every call of the agent: **what must hold**, not the one way in which it was once done.

- A value can often be said in several ways: list each one that is right.
- A look-up that helps but is not needed is an *optional step*.
- Steps that may come in any order belong to one *free-order group*.
- Where a value comes from an earlier result, say from which turn: so the first failure is told from what followed.
"""


@transaction.atomic
def create_project(
    *, name: str, slug: str, by: User, description: str = "", is_blind: bool = True, overlap: int = 1
) -> Project:
    """A project with its first owner and a first guideline; raises WorkbenchError where the short name is taken."""
    try:
        with transaction.atomic():
            project = Project.objects.create(
                name=name, slug=slug, description=description, is_blind=is_blind, overlap=overlap
            )
    except IntegrityError as error:
        raise WorkbenchError(say("There is a project with the short name {slug} already.", slug=slug)) from error
    Membership.objects.create(project=project, user=by, role=Role.OWNER)
    Guideline.objects.create(project=project, number=1, title="Guideline", body=FIRST_GUIDELINE, created_by=by)
    history.record(project=project, actor=by, action="project.created", subject=project, after={"name": name})
    return project


@transaction.atomic
def update_project(
    *,
    project: Project,
    by: User,
    seen_revision: int,
    name: str,
    description: str,
    is_blind: bool,
    overlap: int,
    now: datetime | None = None,
) -> Project:
    """Change a project's settings; raises StaleRevisionError when somebody did so meanwhile.

    With a smaller overlap, places beyond it that are assigned and not begun are given up; all other work stays.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    if project.revision != seen_revision:
        raise StaleRevisionError(project, seen=seen_revision)
    before = _settings(project)
    project.name, project.description, project.is_blind, project.overlap = name, description, is_blind, overlap
    project.revision += 1
    project.save(update_fields=["name", "description", "is_blind", "overlap", "revision"])
    history.record(
        project=project, actor=by, action="project.changed", subject=project, before=before, after=_settings(project)
    )
    if overlap < int(str(before["overlap"])):
        queue_actions.give_up_beyond_overlap(project=project, by=by, now=now or timezone.now())
    return project


def _settings(project: Project) -> dict[str, object]:
    return {
        "name": project.name,
        "description": project.description,
        "is_blind": project.is_blind,
        "overlap": project.overlap,
    }


@transaction.atomic
def invite(*, project: Project, role: str, by: User, now: datetime, note: str = "") -> tuple[Invitation, str]:
    """An invitation and its secret, which is shown once: only its digest is stored."""
    secret = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        project=project,
        role=role,
        note=note,
        digest=digest_of(secret),
        created_by=by,
        expires_at=now + timedelta(days=INVITATION_DAYS),
    )
    history.record(project=project, actor=by, action="invitation.made", subject=invitation, after={"role": role})
    return invitation, secret


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def find_open_invitation(*, secret: str, now: datetime) -> Invitation | None:
    """The invitation that this secret opens, while it can still be used."""
    invitation = Invitation.objects.select_related("project").filter(digest=digest_of(secret)).first()
    return invitation if invitation is not None and invitation.is_open(now) else None


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: User, now: datetime) -> None:
    """Make an open invitation useless; one that was used or revoked before stays as it is."""
    changed = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(revoked_at=now)
    if changed:
        history.record(project=invitation.project, actor=by, action="invitation.revoked", subject=invitation)


@transaction.atomic
def accept_invitation(*, invitation: Invitation, user: User, now: datetime) -> Membership:
    """Join the project. An invitation serves once; a member keeps the role they have."""
    used = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=now).update(
        accepted_at=now, accepted_by=user
    )
    if not used:
        raise NotAllowedNowError(say("This invitation was used, revoked or has expired. Ask the owner for a new one."))
    membership, is_new = Membership.objects.get_or_create(
        project=invitation.project, user=user, defaults={"role": invitation.role}
    )
    if is_new:
        history.record(
            project=invitation.project,
            actor=user,
            action="member.joined",
            subject=membership,
            after={"user": user.username, "role": membership.role},
        )
    return membership


@transaction.atomic
def join(*, invitation: Invitation, user: User, now: datetime) -> Membership:
    """Make a new account and join with it: both or, where the invitation was used meanwhile, neither."""
    user.save()
    return accept_invitation(invitation=invitation, user=user, now=now)


@transaction.atomic
def change_role(*, membership: Membership, role: str, by: User) -> None:
    """Give a member another role. A project always keeps an owner. What was assigned to somebody who annotates no more
    is free."""
    membership = _locked(membership)
    _require_other_owner(membership, stays_owner=role == Role.OWNER)
    before, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    history.record(
        project=membership.project, actor=by, action="member.role", subject=membership, before=before, after=role
    )
    if Capability.ANNOTATE not in ROLE_CAPABILITIES[role]:
        queue_actions.free_places_of(project=membership.project, user=membership.user, by=by, now=timezone.now())


@transaction.atomic
def remove_member(*, membership: Membership, by: User) -> None:
    """Take a member out. What they wrote stays, under their name; what was assigned to them is free. A project always
    keeps an owner."""
    membership = _locked(membership)
    _require_other_owner(membership, stays_owner=False)
    history.record(
        project=membership.project,
        actor=by,
        action="member.removed",
        subject=membership,
        before={"user": membership.user.username, "role": membership.role},
    )
    queue_actions.free_places_of(project=membership.project, user=membership.user, by=by, now=timezone.now())
    membership.delete()


def _locked(membership: Membership) -> Membership:
    """The membership as it is now; changes of a project's members follow each other."""
    Project.objects.select_for_update().get(pk=membership.project_id)
    current = Membership.objects.select_related("user", "project").filter(pk=membership.pk).first()
    if current is None:
        raise WorkbenchError(say("{name} is not a member any more.", name=membership.user))
    return current


def _require_other_owner(membership: Membership, *, stays_owner: bool) -> None:
    if membership.role != Role.OWNER or stays_owner:
        return
    if not membership.project.memberships.filter(role=Role.OWNER).exclude(pk=membership.pk).exists():
        raise WorkbenchError(say("A project needs an owner: make somebody else owner first."))


def current_guideline(project: Project) -> Guideline | None:
    return project.guidelines.order_by("-number").first()


@transaction.atomic
def save_guideline(
    *,
    project: Project,
    title: str,
    body: str,
    by: User | None,
    seen_number: int,
    examples: Sequence[GuidelineExample] | None = None,
) -> Guideline:
    """Make the next version; raises StaleRevisionError when there is a newer one than the writer saw.

    ``examples`` are rows that are not stored yet; without them the new version has those of the one before.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    current = current_guideline(project)
    newest = current.number if current is not None else 0
    if newest != seen_number:
        if current is None:
            raise WorkbenchError(say("This project has no guideline yet. Save it as a first one."))
        current.revision = current.number  # type: ignore[attr-defined]
        raise StaleRevisionError(current, seen=seen_number)
    before = list(current.examples.all()) if current is not None else []
    rows = [example.copied() for example in before] if examples is None else examples
    guideline = Guideline.objects.create(project=project, number=newest + 1, title=title, body=body, created_by=by)
    for position, row in enumerate(rows, start=1):
        row.guideline, row.position = guideline, position
    GuidelineExample.objects.bulk_create(rows)
    history.record(
        project=project, actor=by, action="guideline.saved", subject=guideline, before=newest, after=guideline.number
    )
    return guideline
