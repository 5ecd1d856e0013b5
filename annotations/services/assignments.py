"""Who works on which conversation, and until when. Every path to a place of a conversation goes through here."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.models import Assignment, AssignmentState, Conversation, Dataset, Project, User
from annotations.services import history
from annotations.services.errors import NotAllowedNowError, WorkbenchError

REASON_LENGTH = 500


class NoPlaceLeftError(NotAllowedNowError):
    """Everybody that the conversation asks for is already at work on it."""


class ReasonMissingError(WorkbenchError):
    """A conversation was skipped without saying why."""


def lease_end(now: datetime) -> datetime:
    return now + timedelta(minutes=settings.AEM_ASSIGNMENT_LEASE_MINUTES)


def waiting_for(
    project: Project, user: User, now: datetime, *, dataset: Dataset | None = None, language: str = ""
) -> QuerySet[Conversation]:
    """The conversations that this person may take next, in the order in which they are handed out.

    A conversation waits while fewer people than the project's overlap hold it. One that came with a golden in force and
    that nobody began to annotate does not wait: there is nothing to be written, only to be corrected.
    """
    holders = (
        Assignment.objects.holding(now)
        .filter(conversation=OuterRef("pk"))
        .order_by()
        .values("conversation")
        .annotate(number=Count("pk"))
        .values("number")
    )
    own = Assignment.objects.filter(conversation=OuterRef("pk"), annotator=user).exclude(_has_lapsed(now))
    begun = Assignment.objects.filter(conversation=OuterRef("pk"))
    found = (
        Conversation.objects.in_project(project)
        .annotate(holders=Coalesce(Subquery(holders, output_field=IntegerField()), 0))
        .filter(Q(golden_record__isnull=True) | Exists(begun), ~Exists(own), holders__lt=project.overlap)
        .order_by("pk")
    )
    if dataset is not None:
        found = found.filter(dataset=dataset)
    if language:
        found = found.filter(language=language)
    return found


def claim_next(
    project: Project, user: User, now: datetime, *, dataset: Dataset | None = None, language: str = ""
) -> Assignment | None:
    """Give this person the next conversation that waits; None when there is none.

    Conversations that somebody else is claiming this very moment are passed over, and waited for only when nothing
    else is left: they may have a second place.
    """
    waiting = waiting_for(project, user, now, dataset=dataset, language=language)
    passed_over: list[int] = []
    for skip_locked in (True, False):
        while True:
            with transaction.atomic():
                conversation = (
                    waiting.exclude(pk__in=passed_over)
                    .select_for_update(skip_locked=skip_locked, of=("self",))
                    .select_related("dataset__project")
                    .first()
                )
                if conversation is None:
                    break
                # The count was taken before the lock; only what is seen under the lock counts.
                assignment = _take_place(conversation, user, now)
                if assignment is not None:
                    return assignment
                passed_over.append(conversation.pk)
    return None


@transaction.atomic
def claim(conversation: Conversation, user: User, now: datetime) -> Assignment:
    """Give this person this conversation, as its holder again if they were before.

    Raises NoPlaceLeftError when all its places are held by others.
    """
    conversation = _locked(conversation)
    assignment = _take_place(conversation, user, now)
    if assignment is None:
        raise NoPlaceLeftError(_full(conversation))
    return assignment


def renew(conversation: Conversation, user: User, now: datetime) -> Assignment | None:
    """Prolong the lease while its holder works, once half of it is over: a save need not wait for a second one.

    None for somebody who never held a place, such as an adjudicator. Raises NoPlaceLeftError where the lease had lapsed
    and others have taken all places since.
    """
    own = find(conversation, user)
    if own is None or own.state in (AssignmentState.DONE, AssignmentState.SKIPPED):
        return own
    if own.state == AssignmentState.CLAIMED and own.lease_until - now > (lease_end(now) - now) / 2:
        return own
    with transaction.atomic():
        conversation = _locked(conversation)
        assignment = _take_place(conversation, user, now)
        if assignment is None:
            raise NoPlaceLeftError(_full(conversation))
        return assignment


@transaction.atomic
def skip(conversation: Conversation, user: User, reason: str, now: datetime) -> Assignment:
    """Give a conversation back, saying why. What was written so far is kept.

    Raises ReasonMissingError without a reason, NotAllowedNowError for somebody who does not hold it.
    """
    reason = reason.strip()
    if not reason:
        raise ReasonMissingError("Say why you skip it: the owner of the project reads it.")
    if len(reason) > REASON_LENGTH:
        raise ReasonMissingError(f"The reason has {len(reason)} characters; at most {REASON_LENGTH} are kept.")
    conversation = _locked(conversation)
    assignment = find(conversation, user)
    if assignment is None or assignment.state not in (AssignmentState.CLAIMED, AssignmentState.LAPSED):
        raise NotAllowedNowError("You can skip only a conversation that you are working on.")
    before = assignment.state
    assignment.state, assignment.place, assignment.reason = AssignmentState.SKIPPED, None, reason
    assignment.lease_until = now
    assignment.save(update_fields=["state", "place", "reason", "lease_until", "updated_at"])
    _record(assignment, "assignment.skipped", user, before=before, after={"state": assignment.state, "reason": reason})
    return assignment


@transaction.atomic
def finish(conversation: Conversation, user: User, now: datetime) -> Assignment | None:
    """The place is done and stays taken. None for somebody who held none.

    Raises NoPlaceLeftError where the lease had lapsed and others have taken all places since: the overlap stays exact.
    """
    conversation = _locked(conversation)
    if find(conversation, user) is None:
        return None
    assignment = _take_place(conversation, user, now)
    if assignment is None:
        raise NoPlaceLeftError(_full(conversation))
    if assignment.state != AssignmentState.DONE:
        before, assignment.state = assignment.state, AssignmentState.DONE
        assignment.save(update_fields=["state", "updated_at"])
        _record(assignment, "assignment.done", user, before=before, after=assignment.state)
    return assignment


def find(conversation: Conversation, user: User) -> Assignment | None:
    return Assignment.objects.filter(conversation=conversation, annotator=user).first()


def _has_lapsed(now: datetime) -> Q:
    return Q(state=AssignmentState.LAPSED) | Q(state=AssignmentState.CLAIMED, lease_until__lte=now)


def _locked(conversation: Conversation) -> Conversation:
    """The conversation, locked: its places are given out one at a time, and always under this lock."""
    return (
        Conversation.objects.select_for_update(of=("self",)).select_related("dataset__project").get(pk=conversation.pk)
    )


def _take_place(conversation: Conversation, user: User, now: datetime) -> Assignment | None:
    """This person's assignment with a place and, while in work, a fresh lease; None when no place is free.

    Call it under the conversation's lock. The unique constraints on place and person hold even without it.
    """
    assignments = list(Assignment.objects.filter(conversation=conversation))
    own = next((a for a in assignments if a.annotator_id == user.pk), None)
    if own is not None and own.state == AssignmentState.DONE:
        return own
    if own is not None and own.state == AssignmentState.CLAIMED:
        # Late, but nobody else was given the place: it is still theirs.
        own.lease_until = lease_end(now)
        own.save(update_fields=["lease_until", "updated_at"])
        return own
    for other in assignments:
        if other.state == AssignmentState.CLAIMED and other.lease_until <= now:
            other.state, other.place = AssignmentState.LAPSED, None
            other.save(update_fields=["state", "place", "updated_at"])
            _record(other, "assignment.lapsed", None, before=AssignmentState.CLAIMED, after=other.state)
    taken = {a.place for a in assignments if a.place is not None}
    overlap = conversation.dataset.project.overlap
    if len(taken) >= overlap:
        return None
    place = min(set(range(1, overlap + 1)) - taken)
    if own is None:
        own = Assignment.objects.create(
            conversation=conversation, annotator=user, place=place, lease_until=lease_end(now)
        )
        _record(own, "assignment.claimed", user, after=own.state)
    else:
        before = own.state
        own.state, own.place, own.reason, own.lease_until = AssignmentState.CLAIMED, place, "", lease_end(now)
        own.save(update_fields=["state", "place", "reason", "lease_until", "updated_at"])
        _record(own, "assignment.claimed", user, before=before, after=own.state)
    return own


def _full(conversation: Conversation) -> str:
    overlap = conversation.dataset.project.overlap
    people = "1 person is" if overlap == 1 else f"{overlap} people are"
    return f"{people} asked to annotate this conversation, and its places are taken. What you wrote is kept."


def _record(
    assignment: Assignment, action: str, actor: User | None, *, before: object = None, after: object = None
) -> None:
    history.record(
        project=assignment.conversation.dataset.project,
        actor=actor,
        action=action,
        subject=assignment,
        before=before and str(before),
        after=after if isinstance(after, dict) else after and str(after),
    )
