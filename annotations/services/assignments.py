"""Who works on which conversation, and until when. Every path to a place of a conversation goes through here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from annotations.models import (
    HOLDING,
    Assignment,
    AssignmentState,
    Conversation,
    Dataset,
    Golden,
    GoldenStatus,
    Project,
    User,
)
from annotations.services import history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem.language import mark, say, say_in, say_n

REASON_LENGTH = 500

#: Words for priorities; any other number from -99 to 99 is shown as it is.
PRIORITIES = {"high": 10, "normal": 0, "low": -10}
PRIORITY_LIMIT = 99
_HANDED_IN = (GoldenStatus.SUBMITTED, GoldenStatus.ACCEPTED)


class NoPlaceLeftError(NotAllowedNowError):
    """Everybody that the conversation asks for is already at work on it."""


class SetAsideError(NoPlaceLeftError):
    """The conversation was set aside: nobody new begins it."""


class ReleasedError(NoPlaceLeftError):
    """The place was taken back by somebody who manages the queue."""


class ReasonMissingError(WorkbenchError):
    """A conversation was skipped without saying why."""


def lease_end(now: datetime) -> datetime:
    return now + timedelta(minutes=settings.AEM_ASSIGNMENT_LEASE_MINUTES)


def priority_word(priority: int) -> str:
    """What a priority is called, in English.

    >>> priority_word(10), priority_word(7)
    ('high', '7')
    """
    return next((word for word, number in PRIORITIES.items() if number == priority), str(priority))


def priority_said(word: str) -> str:
    """A word of :func:`priority_word` in the reader's language."""
    said = {
        "high": say_in("priority", "high"),
        "normal": say_in("priority", "normal"),
        "low": say_in("priority", "low"),
    }
    return said.get(word, word)


# --- what comes next --------------------------------------------------------------------------------------------------


def waiting_for(
    project: Project, user: User, now: datetime, *, dataset: Dataset | None = None, language: str = ""
) -> QuerySet[Conversation]:
    """The conversations that this person may take next, in the order in which they are handed out.

    First those that were assigned to this person, then by priority, then the one that has been here longest.

    A conversation waits while fewer people than the project's overlap hold it; a place that is kept for somebody is
    held. One that was set aside does not wait, and neither does one that came with a golden in force and that nobody
    began to annotate: there is nothing to be written, only to be corrected.
    """
    places = Assignment.objects.filter(conversation__dataset__project=project).order_by()
    others = places.holding(now).exclude(annotator=user).values("conversation")
    full = others.annotate(number=Count("pk")).filter(number__gte=project.overlap).values("conversation")
    begun = places.exclude(state__in=(AssignmentState.RESERVED, AssignmentState.RELEASED)).values("conversation")
    # One person's rows are few, of whatever project.
    own = Assignment.objects.filter(annotator=user).order_by()
    closed = own.exclude(_is_open(now)).values("conversation")
    reserved = own.holding(now).filter(state=AssignmentState.RESERVED).values("conversation")
    # An import may bring what this person wrote elsewhere; there is nothing left for them to write.
    written = Golden.objects.filter(annotator=user, status__in=_HANDED_IN).order_by().values("conversation")
    found = (
        Conversation.objects.in_project(project)
        .filter(Q(golden_record__isnull=True) | Q(pk__in=begun) | Q(pk__in=reserved), set_aside_at__isnull=True)
        .exclude(pk__in=closed)
        .exclude(pk__in=full)
        .exclude(pk__in=written)
        .annotate(
            turn_of=Case(When(pk__in=reserved, then=Value(0)), default=Value(1), output_field=IntegerField()),
        )
        .order_by("turn_of", "-priority", "pk")
    )
    return _chosen(found, dataset=dataset, language=language)


def handed_in(project: Project) -> QuerySet[Golden]:
    """The project's goldens that are not being written any more."""
    return Golden.objects.in_project(project).filter(status__in=_HANDED_IN).order_by()


def returned_to(
    project: Project, user: User, *, dataset: Dataset | None = None, language: str = ""
) -> QuerySet[Golden]:
    """This person's goldens that a reviewer returned, the one returned first at the top."""
    found = Golden.objects.in_project(project).filter(annotator=user, status=GoldenStatus.RETURNED)
    if dataset is not None:
        found = found.filter(conversation__dataset=dataset)
    if language:
        found = found.filter(conversation__language=language)
    return found.select_related("conversation__dataset__project").order_by("reviewed_at", "pk")


def _chosen(found: QuerySet[Conversation], *, dataset: Dataset | None, language: str) -> QuerySet[Conversation]:
    if dataset is not None:
        found = found.filter(dataset=dataset)
    return found.filter(language=language) if language else found


@dataclass(frozen=True, slots=True)
class Next:
    """What somebody gets next, and why this one."""

    conversation: Conversation
    why: str
    assignment: Assignment | None = None
    golden: Golden | None = None


RETURNED_WHY = mark("It was returned to you: your own returned work comes first.")


def find_next(
    project: Project,
    user: User,
    now: datetime,
    *,
    dataset: Dataset | None = None,
    language: str = "",
    with_returned: bool = True,
) -> Next | None:
    """What this person would get now. Nothing is taken; somebody else may be quicker."""
    returned = returned_to(project, user, dataset=dataset, language=language).first() if with_returned else None
    if returned is not None:
        return Next(returned.conversation, say(RETURNED_WHY), golden=returned)
    waiting = waiting_for(project, user, now, dataset=dataset, language=language).select_related("dataset")
    conversation = waiting.first()
    if conversation is None:
        return None
    return Next(conversation, _why(conversation, find(conversation, user)))


def take_next(
    project: Project,
    user: User,
    now: datetime,
    *,
    dataset: Dataset | None = None,
    language: str = "",
    with_returned: bool = True,
) -> Next | None:
    """Give this person what comes next: a golden that was returned to them, else the next conversation that waits."""
    returned = _first_returned(project, user, dataset=dataset, language=language) if with_returned else None
    if returned is not None:
        assignment = find(returned.conversation, user)
        return Next(returned.conversation, say(RETURNED_WHY), assignment=assignment, golden=returned)
    assignment = claim_next(project, user, now, dataset=dataset, language=language)
    if assignment is None:
        return None
    return Next(assignment.conversation, _why(assignment.conversation, assignment), assignment=assignment)


def _first_returned(project: Project, user: User, *, dataset: Dataset | None, language: str) -> Golden | None:
    """The first of ``returned_to``. Mostly there is none, and nothing is read for it."""
    found = returned_to(project, user, dataset=dataset, language=language)
    first = found.values_list("pk", flat=True).first()
    return None if first is None else found.filter(pk=first).first()


def _why(conversation: Conversation, own: Assignment | None) -> str:
    if own is not None and own.assigned_at is not None and own.state in HOLDING:
        if own.due_at is None:
            return say("It was assigned to you: what is assigned comes before the rest.")
        return say(
            "It was assigned to you, until {until} UTC: what is assigned comes before the rest.",
            until=f"{own.due_at:%Y-%m-%d %H:%M}",
        )
    word = priority_said(priority_word(conversation.priority))
    if conversation.priority > 0:
        return say("Its priority is {priority}, the highest that waits for you.", priority=word)
    if conversation.priority < 0:
        return say("Its priority is {priority}, and nothing with a higher one waits for you.", priority=word)
    return say("Nothing that waits for you has a higher priority, and it has been here longest.")


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
                    .select_related("dataset__project", "tool_set")
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


def claim(conversation: Conversation, user: User, now: datetime) -> Assignment:
    """Give this person this conversation, as its holder again if they were before.

    Raises NoPlaceLeftError when all its places are held by others.
    """
    own = find(conversation, user)
    if own is not None and _is_fresh(own, now):
        return own
    with transaction.atomic():
        conversation = _locked(conversation)
        assignment = _take_place(conversation, user, now)
        if assignment is None:
            raise _no_place(conversation)
        return assignment


def _is_fresh(own: Assignment, now: datetime) -> bool:
    """Whether it is in work and not half of its lease is over: whoever holds it may go on without a word."""
    return own.state == AssignmentState.CLAIMED and own.lease_until - now > (lease_end(now) - now) / 2


def renew(conversation: Conversation, user: User, now: datetime) -> Assignment | None:
    """Prolong the lease while its holder works, once half of it is over: a save need not wait for a second one.

    None for somebody who never held a place, such as an adjudicator. Raises NoPlaceLeftError where the lease had lapsed
    and others have taken all places since, ReleasedError where the conversation was taken back from this person.
    """
    own = find(conversation, user)
    if own is None or own.state in (AssignmentState.DONE, AssignmentState.SKIPPED):
        return own
    if own.state == AssignmentState.RELEASED:
        # A page that is still open must not take it again by itself.
        raise ReleasedError(
            say(
                "This conversation was taken back into the queue. What you write is kept; take it up again from your "
                "queue while a place is free."
            )
        )
    if _is_fresh(own, now):
        return own
    with transaction.atomic():
        conversation = _locked(conversation)
        assignment = _take_place(conversation, user, now)
        if assignment is None:
            raise _no_place(conversation)
        return assignment


@transaction.atomic
def skip(conversation: Conversation, user: User, reason: str, now: datetime) -> Assignment:
    """Give a conversation back, saying why. What was written so far is kept.

    Raises ReasonMissingError without a reason, NotAllowedNowError for somebody who does not hold it.
    """
    reason = reason.strip()
    if not reason:
        raise ReasonMissingError(say("Say why you skip it: the owner of the project reads it."))
    if len(reason) > REASON_LENGTH:
        raise ReasonMissingError(too_long(reason))
    conversation = _locked(conversation)
    assignment = find(conversation, user)
    if assignment is None or assignment.state in (AssignmentState.DONE, AssignmentState.SKIPPED):
        raise NotAllowedNowError(
            say("You can skip only a conversation that you are working on, or that is assigned to you.")
        )
    before = assignment.state
    give_up(assignment, AssignmentState.SKIPPED, now)
    assignment.reason = reason
    assignment.save(update_fields=PLACE_FIELDS)
    _record(assignment, "assignment.skipped", user, before=before, after={"state": assignment.state, "reason": reason})
    return assignment


@transaction.atomic
def finish(conversation: Conversation, user: User, now: datetime) -> Assignment | None:
    """The place is done and stays taken. None for somebody who held none.

    Raises NoPlaceLeftError where the lease had lapsed and others have taken all places since: the overlap stays exact.
    """
    conversation = _locked(conversation)
    people = _people_of(conversation)
    assignment = next((one for one in people if one.annotator_id == user.pk), None)
    if assignment is None:
        return None
    if assignment.state != AssignmentState.CLAIMED:  # one in work is still theirs, however late
        assignment = _take_place(conversation, user, now, people)
    if assignment is None:
        raise _no_place(conversation)
    if assignment.state != AssignmentState.DONE:
        before, assignment.state = assignment.state, AssignmentState.DONE
        assignment.lease_until = lease_end(now)
        assignment.save(update_fields=["state", "lease_until", "updated_at"])
        _record(assignment, "assignment.done", user, before=before, after=assignment.state)
    return assignment


def find(conversation: Conversation, user: User) -> Assignment | None:
    own = Assignment.objects.filter(conversation=conversation, annotator=user).order_by("pk").first()
    if own is not None:
        own.conversation, own.annotator = conversation, user  # as they were given, not read again
    return own


def too_long(reason: str) -> str:
    return say("The reason has {count} characters; at most {most} are kept.", count=len(reason), most=REASON_LENGTH)


def _people_of(conversation: Conversation) -> list[Assignment]:
    """Everybody who has or had a part in the conversation."""
    found = list(Assignment.objects.filter(conversation=conversation).order_by("place", "pk"))
    for assignment in found:
        assignment.conversation = conversation  # as it was locked, not read again
    return found


#: What changes when a place is taken or given back.
PLACE_FIELDS = ["state", "place", "reason", "lease_until", "assigned_at", "assigned_by", "due_at", "updated_at"]


def give_up(assignment: Assignment, state: AssignmentState, now: datetime) -> None:
    """Give a place back, whatever it was kept for. The caller stores it."""
    assignment.state, assignment.place, assignment.reason = state, None, ""
    assignment.lease_until = min(assignment.lease_until, now)
    assignment.assigned_at = assignment.assigned_by = assignment.due_at = None


def sweep(assignments: Iterable[Assignment], now: datetime) -> list[Assignment]:
    """Take the places back whose time has run out, of those given; returns them. The caller stores them."""
    swept = []
    for assignment in assignments:
        if assignment.place is not None and not assignment.holds(now):
            begun = assignment.state == AssignmentState.CLAIMED
            give_up(assignment, AssignmentState.LAPSED if begun else AssignmentState.RELEASED, now)
            swept.append(assignment)
    return swept


def free_place(assignments: Iterable[Assignment], overlap: int) -> int | None:
    """The lowest place that nobody holds; None when as many people hold one as the conversation asks for."""
    taken = {assignment.place for assignment in assignments if assignment.place is not None}
    return None if len(taken) >= overlap else min(set(range(1, overlap + 1)) - taken)


def _is_open(now: datetime) -> Q:
    """Own assignments that may be handed out to their person: kept and not begun, run out, or taken back."""
    return Q(state__in=(AssignmentState.RESERVED, AssignmentState.LAPSED, AssignmentState.RELEASED)) | Q(
        state=AssignmentState.CLAIMED, lease_until__lte=now
    )


def _locked(conversation: Conversation) -> Conversation:
    """The conversation, locked: its places are given out one at a time, and always under this lock."""
    return (
        Conversation.objects.select_for_update(of=("self",)).select_related("dataset__project").get(pk=conversation.pk)
    )


def _take_place(
    conversation: Conversation, user: User, now: datetime, assignments: list[Assignment] | None = None
) -> Assignment | None:
    """This person's assignment with a place and, while in work, a fresh lease; None when no place is free.

    Call it under the conversation's lock. The unique constraints on place and person hold even without it.
    """
    assignments = _people_of(conversation) if assignments is None else assignments
    own = next((a for a in assignments if a.annotator_id == user.pk), None)
    if own is not None and own.state == AssignmentState.DONE:
        return own
    if own is not None and own.state == AssignmentState.CLAIMED:
        # Late, but nobody else was given the place: it is still theirs.
        own.lease_until = lease_end(now)
        own.save(update_fields=["lease_until", "updated_at"])
        return own
    if conversation.set_aside_at is not None:
        return None
    if own is not None and own.state == AssignmentState.RESERVED:
        # Kept for them, and if its day has passed, not yet given to anybody else.
        own.state, own.lease_until = AssignmentState.CLAIMED, lease_end(now)
        own.save(update_fields=["state", "lease_until", "updated_at"])
        _record(own, "assignment.claimed", user, before=AssignmentState.RESERVED, after=own.state)
        return own
    before = {a.pk: a.state for a in assignments}
    for other in sweep(assignments, now):
        other.save(update_fields=PLACE_FIELDS)
        _record(other, "assignment.lapsed", None, before=before[other.pk], after=other.state)
    place = free_place(assignments, conversation.dataset.project.overlap)
    if place is None:
        return None
    if own is None:
        own = Assignment.objects.create(
            conversation=conversation, annotator=user, place=place, lease_until=lease_end(now)
        )
        _record(own, "assignment.claimed", user, after=own.state)
    else:
        own.state, own.place, own.reason, own.lease_until = AssignmentState.CLAIMED, place, "", lease_end(now)
        own.save(update_fields=PLACE_FIELDS)
        _record(own, "assignment.claimed", user, before=before[own.pk], after=own.state)
    return own


def _no_place(conversation: Conversation) -> NoPlaceLeftError:
    if conversation.set_aside_at is not None:
        return SetAsideError(say("This conversation was set aside: nobody new begins it. What you wrote is kept."))
    return NoPlaceLeftError(
        say_n(
            "{count} person is asked to annotate this conversation, and its places are taken. What you wrote is kept.",
            "{count} people are asked to annotate this conversation, and its places are taken. What you wrote is kept.",
            conversation.dataset.project.overlap,
        )
    )


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
