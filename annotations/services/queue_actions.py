"""What managers do to the queue: on any number of conversations at once, each act with one undo.

Places change only under the lock of their conversation, as in :mod:`annotations.services.assignments`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, QuerySet

from annotations.models import (
    Assignment,
    AssignmentState,
    Capability,
    Conversation,
    Membership,
    Project,
    QueueAction,
    QueueActionKind,
    QueueActionRow,
    User,
)
from annotations.models.people import ROLE_CAPABILITIES
from annotations.services import assignments, history
from annotations.services.assignments import PRIORITY_LIMIT, REASON_LENGTH, priority_word
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem.language import kept, retold, say, say_n

# What was done is stored in English, and why something was left alone: :func:`told` says it to people.
_PRIORITY_SET = kept("Priority set to {priority}")
_SET_ASIDE = kept("Set aside: {reason}")
_BROUGHT_BACK = kept("Brought back into the queue")
_ASSIGNED = kept("Assigned to {people}")
_ASSIGNED_UNTIL = kept("Assigned to {people}, until {until} UTC")
_ASSIGNED_EACH = kept("Assigned to {people}, each of them")
_ASSIGNED_EACH_UNTIL = kept("Assigned to {people}, each of them, until {until} UTC")
_ASSIGNED_IN_TURN = kept("Assigned to {people}, to one of them in turn")
_ASSIGNED_IN_TURN_UNTIL = kept("Assigned to {people}, to one of them in turn, until {until} UTC")
_UNASSIGNED = kept("Assignments taken back")
_UNASSIGNED_OF = kept("Assignments taken back ({people})")
_RELEASED = kept("Taken back from who had it in work")
_RELEASED_OF = kept("Taken back from who had it in work ({people})")
_OFFERED = kept("Offered again to who had skipped it")
_OFFERED_OF = kept("Offered again to who had skipped it ({people})")
_LOWERED = kept("People per conversation lowered to {overlap}: what was assigned beyond it and not begun is free")
_UNDONE = kept("Undone: {act}")
_IS_SET_ASIDE = kept("it is set aside: bring it back first")
_HAS_DONE = kept("{person} has done it")
_HAS_SKIPPED = kept("{person} skipped it")
_TAKEN = kept("its places are taken")
_ONE_FREE = kept("it has {free} free place, not {needed}")
_SOME_FREE = kept("it has {free} free places, not {needed}")
_CHANGED_SINCE = kept("{person} changed it since ({act})")
_PRIORITY_NOW = kept("its priority is {priority} now")
_MOVED_SINCE = kept("it was set aside or brought back since")
_TAKEN_BY = kept("the place is taken by {names} now")
_NO_PLACE = kept("{person} has no place of it any more")
_SINCE = {
    AssignmentState.CLAIMED: kept("{person} has begun it since"),
    AssignmentState.DONE: kept("{person} has done it since"),
    AssignmentState.SKIPPED: kept("{person} skipped it since"),
    AssignmentState.LAPSED: kept("the time of {person} ran out since"),
    AssignmentState.RELEASED: kept("it is kept for {person} no longer"),
    AssignmentState.RESERVED: kept("it is assigned to {person} since"),
}

BATCH = 500
NAMES_SHOWN = 4

#: What one needs for an act; looking at the queue needs ADJUDICATE, and so does giving back what somebody holds.
NEEDS: dict[str, Capability] = {
    QueueActionKind.PRIORITY: Capability.MANAGE,
    QueueActionKind.ASSIGN: Capability.MANAGE,
    QueueActionKind.UNASSIGN: Capability.MANAGE,
    QueueActionKind.RELEASE: Capability.ADJUDICATE,
    QueueActionKind.GIVE_BACK: Capability.ADJUDICATE,
    QueueActionKind.SET_ASIDE: Capability.ADJUDICATE,
    QueueActionKind.BRING_BACK: Capability.ADJUDICATE,
    QueueActionKind.OVERLAP: Capability.MANAGE,
}


class ActionRefusedError(WorkbenchError):
    """An act that lacks something, such as people to assign to; nothing was changed.

    ``about`` names what is missing or wrong, as :func:`perform` takes it; empty where it is nothing of that.
    """

    def __init__(self, reason: str, *, about: str = "") -> None:
        self.about = about
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an act did; ``action`` is None where nothing had to be changed. Each refusal names its conversation."""

    action: QueueAction | None
    changed: int
    unchanged: int
    refused: list[dict[str, Any]]


#: What was before and after; None where it was so already; a sentence where it cannot be done.
_Change = tuple[dict[str, Any], dict[str, Any]] | str | None


@dataclass(slots=True)
class _Table:
    """Locked conversations with everybody's places, and what is to be stored of them."""

    project: Project
    by: User
    now: datetime
    conversations: list[Conversation]
    places: dict[int, list[Assignment]]
    names: dict[int, User]
    written: set[tuple[int, int]]
    moved: dict[int, Conversation] = field(default_factory=dict)
    freed: dict[int, Assignment] = field(default_factory=dict)
    taken: dict[int, Assignment] = field(default_factory=dict)
    new: list[Assignment] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    share: Counter[int] = field(default_factory=Counter)

    def own(self, conversation: Conversation, person_id: int) -> Assignment | None:
        return next((a for a in self.places[conversation.pk] if a.annotator_id == person_id), None)

    def has_done(self, conversation: Conversation, person: User) -> bool:
        """Whether this person has handed it in, with a place or without one."""
        own = self.own(conversation, person.pk)
        is_done = own is not None and own.state == AssignmentState.DONE
        return is_done or (conversation.pk, person.pk) in self.written

    def name(self, person_id: int) -> str:
        return str(self.names.get(person_id, "somebody"))

    def touch(self, assignment: Assignment) -> None:
        if assignment._state.adding:
            return  # it is among the new ones
        (self.freed if assignment.place is None else self.taken)[assignment.pk] = assignment

    def sweep(self, conversation: Conversation) -> None:
        for assignment in assignments.sweep(self.places[conversation.pk], self.now):
            self.touch(assignment)

    def give_up(self, assignment: Assignment, state: AssignmentState) -> None:
        assignments.give_up(assignment, state, self.now)
        self.touch(assignment)

    def store(self) -> None:
        """Places are given back before others take them: a place is held once."""
        fields = [name for name in assignments.PLACE_FIELDS if name != "updated_at"]
        for rows in (self.freed, self.taken):
            for row in rows.values():
                row.updated_at = self.now
            Assignment.objects.bulk_update(rows.values(), [*fields, "updated_at"], batch_size=BATCH)
        Assignment.objects.filter(pk__in=self.gone).delete()
        Assignment.objects.bulk_create(self.new, batch_size=BATCH)
        Conversation.objects.bulk_update(
            self.moved.values(),
            ["priority", "set_aside_at", "set_aside_by", "set_aside_reason"],
            batch_size=BATCH,
        )


# --- acts -------------------------------------------------------------------------------------------------------------


def set_priority(
    *, project: Project, by: User, chosen: QuerySet[Conversation], priority: int, now: datetime
) -> Outcome:
    """Set the priority of the chosen conversations; raises ActionRefusedError beyond 99 either way."""
    if not -PRIORITY_LIMIT <= priority <= PRIORITY_LIMIT:
        raise ActionRefusedError(
            say("A priority is a number from -{most} to {most}.", most=PRIORITY_LIMIT), about="priority"
        )

    def change(table: _Table, conversation: Conversation) -> _Change:
        if conversation.priority == priority:
            return None
        before, conversation.priority = conversation.priority, priority
        table.moved[conversation.pk] = conversation
        return {"priority": before}, {"priority": priority}

    words = _PRIORITY_SET.format(priority=priority_word(priority))
    return _act(project, by, chosen, now, kind=QueueActionKind.PRIORITY, words=words, change=change)


def set_aside(*, project: Project, by: User, chosen: QuerySet[Conversation], reason: str, now: datetime) -> Outcome:
    """Take conversations out of the queue, saying why. Who has one in work may finish it; nobody new begins it."""
    reason = reason.strip()
    if not reason:
        raise ActionRefusedError(say("Say why it is set aside: whoever looks for it reads that."), about="reason")
    if len(reason) > REASON_LENGTH:
        raise ActionRefusedError(assignments.too_long(reason), about="reason")

    def change(table: _Table, conversation: Conversation) -> _Change:
        if conversation.set_aside_at is not None:
            return None
        conversation.set_aside_at, conversation.set_aside_by, conversation.set_aside_reason = now, by, reason
        table.moved[conversation.pk] = conversation
        return {"set_aside": None}, {"set_aside": _set_aside_of(conversation)}

    words = _SET_ASIDE.format(reason=reason)
    return _act(project, by, chosen, now, kind=QueueActionKind.SET_ASIDE, words=words, change=change)


def bring_back(*, project: Project, by: User, chosen: QuerySet[Conversation], now: datetime) -> Outcome:
    """Let conversations that were set aside be handed out again."""

    def change(table: _Table, conversation: Conversation) -> _Change:
        if conversation.set_aside_at is None:
            return None
        before = _set_aside_of(conversation)
        conversation.set_aside_at, conversation.set_aside_by, conversation.set_aside_reason = None, None, ""
        table.moved[conversation.pk] = conversation
        return {"set_aside": before}, {"set_aside": None}

    return _act(project, by, chosen, now, kind=QueueActionKind.BRING_BACK, words=_BROUGHT_BACK, change=change)


def assign(
    *,
    project: Project,
    by: User,
    chosen: QuerySet[Conversation],
    people: Sequence[User],
    each: bool,
    now: datetime,
    due_at: datetime | None = None,
) -> Outcome:
    """Keep a place of each chosen conversation for one of these people in turn, or with ``each`` for all of them.

    Until ``due_at``, where it is given, the place is handed to nobody else. Raises ActionRefusedError without people,
    for people who do not annotate in the project, and for a day that has passed.
    """
    people = list(dict.fromkeys(people))
    if not people:
        raise ActionRefusedError(say("Choose at least one person to assign to."), about="people")
    able = {user.pk for user in annotators_of(project)}
    unable = [str(user) for user in people if user.pk not in able]
    if unable:
        raise ActionRefusedError(
            say("Not an annotator of this project: {people}.", people=", ".join(unable)), about="people"
        )
    if due_at is not None and due_at <= now:
        raise ActionRefusedError(say("The day until which it is kept has passed already."), about="due_at")

    def change(table: _Table, conversation: Conversation) -> _Change:
        if conversation.set_aside_at is not None:
            return _IS_SET_ASIDE
        table.sweep(conversation)
        if each:
            return _keep_for(table, conversation, people, due_at=due_at)
        return _keep_for_one(table, conversation, people, due_at=due_at)

    without_end, with_end = (_ASSIGNED, _ASSIGNED_UNTIL)
    if len(people) > 1:
        without_end, with_end = (
            (_ASSIGNED_EACH, _ASSIGNED_EACH_UNTIL) if each else (_ASSIGNED_IN_TURN, _ASSIGNED_IN_TURN_UNTIL)
        )
    words = without_end.format(people=_names(people))
    if due_at is not None:
        words = with_end.format(people=_names(people), until=f"{due_at:%Y-%m-%d %H:%M}")
    return _act(project, by, chosen, now, kind=QueueActionKind.ASSIGN, words=words, change=change, people=people)


def _keep_for_one(
    table: _Table, conversation: Conversation, people: Sequence[User], *, due_at: datetime | None
) -> _Change:
    """The person with the fewest so far who can have it; whoever skipped it is not asked again."""
    kept = [own for person in people if (own := table.own(conversation, person.pk)) is not None and _is_kept(own)]
    if kept:
        return _keep_for(table, conversation, [kept[0].annotator], due_at=due_at)
    why = ""
    for person in sorted(people, key=lambda user: table.share[user.pk]):  # stable: as they were named
        own = table.own(conversation, person.pk)
        if table.has_done(conversation, person):
            why = why or _HAS_DONE.format(person=person)
            continue
        if own is not None and own.state == AssignmentState.SKIPPED:
            why = why or _HAS_SKIPPED.format(person=person)
            continue
        found = _keep_for(table, conversation, [person], due_at=due_at)
        if isinstance(found, tuple):
            table.share[person.pk] += 1
            return found
        why = found or why
    return why


def _keep_for(table: _Table, conversation: Conversation, people: Sequence[User], *, due_at: datetime | None) -> _Change:
    """Keep a place for each: all of them or, where one cannot be, none."""
    here = table.places[conversation.pk]
    wanted = []
    for person in people:
        own = table.own(conversation, person.pk)
        if table.has_done(conversation, person):
            if len(people) == 1:
                return _HAS_DONE.format(person=person)
            continue
        if own is not None and _is_kept(own) and own.due_at == due_at:
            continue
        wanted.append((person, own))
    if not wanted:
        return None
    overlap = table.project.overlap
    held = sum(assignment.place is not None for assignment in here)
    needed = sum(own is None or own.place is None for _, own in wanted)
    if needed and held + needed > overlap:
        free = max(0, overlap - held)
        return (_ONE_FREE if free == 1 else _SOME_FREE).format(free=free, needed=needed) if free else _TAKEN
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for person, own in wanted:
        before[str(person.pk)] = place_of(own)
        kept = own or Assignment(conversation=conversation, annotator=person, place=None, lease_until=table.now)
        if kept.place is None:
            kept.place, kept.reason = assignments.free_place(here, overlap), ""
            kept.state, kept.lease_until = AssignmentState.RESERVED, table.now
        kept.assigned_at, kept.assigned_by, kept.due_at = table.now, table.by, due_at
        if own is None:
            here.append(kept)
            table.new.append(kept)
        else:
            table.freed.pop(own.pk, None)
            table.touch(kept)
        after[str(person.pk)] = place_of(kept)
    return {"people": before}, {"people": after}


def _is_kept(own: Assignment) -> bool:
    return own.assigned_at is not None and own.state in (AssignmentState.RESERVED, AssignmentState.CLAIMED)


def unassign(
    *, project: Project, by: User, chosen: QuerySet[Conversation], now: datetime, people: Sequence[User] = ()
) -> Outcome:
    """Keep places no longer for these people, or for anybody. What somebody has begun stays theirs under its lease."""

    def end(table: _Table, own: Assignment) -> None:
        if own.state == AssignmentState.RESERVED:
            table.give_up(own, AssignmentState.RELEASED)
        else:
            own.assigned_at = own.assigned_by = own.due_at = None
            table.touch(own)

    return _of_people(
        project,
        by,
        chosen,
        now,
        kind=QueueActionKind.UNASSIGN,
        words=_UNASSIGNED,
        words_of=_UNASSIGNED_OF,
        people=people,
        concerns=_is_kept,
        change=end,
    )


def release(
    *, project: Project, by: User, chosen: QuerySet[Conversation], now: datetime, people: Sequence[User] = ()
) -> Outcome:
    """Take back what these people, or anybody, have in work: the place is free again, and their drafts are kept."""
    return _of_people(
        project,
        by,
        chosen,
        now,
        kind=QueueActionKind.RELEASE,
        words=_RELEASED,
        words_of=_RELEASED_OF,
        people=people,
        concerns=lambda own: own.state == AssignmentState.CLAIMED,
        change=lambda table, own: table.give_up(own, AssignmentState.RELEASED),
    )


def give_back(
    *, project: Project, by: User, chosen: QuerySet[Conversation], now: datetime, people: Sequence[User] = ()
) -> Outcome:
    """Offer conversations again to those who skipped them; the history keeps their reasons."""
    return _of_people(
        project,
        by,
        chosen,
        now,
        kind=QueueActionKind.GIVE_BACK,
        words=_OFFERED,
        words_of=_OFFERED_OF,
        people=people,
        concerns=lambda own: own.state == AssignmentState.SKIPPED,
        change=lambda table, own: table.give_up(own, AssignmentState.RELEASED),
    )


def _of_people(
    project: Project,
    by: User,
    chosen: QuerySet[Conversation],
    now: datetime,
    *,
    kind: QueueActionKind,
    words: str,
    words_of: str,
    people: Sequence[User],
    concerns: Callable[[Assignment], bool],
    change: Callable[[_Table, Assignment], None],
) -> Outcome:
    """Change the places that are concerned: those of these people, or without any everybody's."""
    only = {user.pk for user in people}

    def changed(table: _Table, conversation: Conversation) -> _Change:
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for own in table.places[conversation.pk]:
            if concerns(own) and (not only or own.annotator_id in only):
                before[str(own.annotator_id)] = place_of(own)
                change(table, own)
                after[str(own.annotator_id)] = place_of(own)
        return ({"people": before}, {"people": after}) if before else None

    words = words_of.format(people=_names(people)) if people else words
    return _act(project, by, chosen, now, kind=kind, words=words, change=changed)


def give_up_beyond_overlap(*, project: Project, by: User, now: datetime) -> Outcome:
    """After the overlap was lowered: places that are kept and not begun go where more people hold a conversation than
    it now asks for, the last assigned first. What is in work or done stays. Call it with the new overlap."""

    def change(table: _Table, conversation: Conversation) -> _Change:
        table.sweep(conversation)
        here = table.places[conversation.pk]
        beyond = sum(own.place is not None for own in here) - project.overlap
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        reserved = [own for own in here if own.state == AssignmentState.RESERVED]
        for own in sorted(reserved, key=lambda own: (own.assigned_at or now, own.pk), reverse=True)[: max(0, beyond)]:
            before[str(own.annotator_id)] = place_of(own)
            table.give_up(own, AssignmentState.RELEASED)
            after[str(own.annotator_id)] = place_of(own)
        return ({"people": before}, {"people": after}) if before else None

    held = Assignment.objects.filter(conversation__dataset__project=project, place__isnull=False).order_by()
    crowded = held.values("conversation").annotate(number=Count("pk")).filter(number__gt=project.overlap)
    reserved = held.filter(state=AssignmentState.RESERVED).values("conversation")
    chosen = Conversation.objects.filter(pk__in=crowded.values("conversation")).filter(pk__in=reserved)
    words = _LOWERED.format(overlap=project.overlap)
    return _act(project, by, chosen, now, kind=QueueActionKind.OVERLAP, words=words, change=change)


def free_places_of(*, project: Project, user: User, by: User, now: datetime) -> Outcome:
    """Somebody leaves, or annotates no more: places that are kept for them are free, and what they have in work runs
    out like any lease. Their drafts and what they have done stay."""
    chosen = Conversation.objects.filter(
        pk__in=Assignment.objects.filter(annotator=user, assigned_at__isnull=False).values("conversation")
    )
    return unassign(project=project, by=by, chosen=chosen, now=now, people=[user])


def annotators_of(project: Project) -> list[User]:
    """The members who may be given work, by name."""
    roles = [role for role, may in ROLE_CAPABILITIES.items() if Capability.ANNOTATE in may]
    members = Membership.objects.filter(project=project, role__in=roles).select_related("user")
    return sorted((member.user for member in members), key=lambda user: (str(user).lower(), user.pk))


# --- doing and undoing ------------------------------------------------------------------------------------------------


@transaction.atomic
def _act(
    project: Project,
    by: User,
    chosen: QuerySet[Conversation],
    now: datetime,
    *,
    kind: QueueActionKind,
    words: str,
    change: Callable[[_Table, Conversation], _Change],
    people: Iterable[User] = (),
) -> Outcome:
    table = _locked(project, by, now, chosen, people)
    rows: list[tuple[Conversation, dict[str, Any], dict[str, Any]]] = []
    unchanged, refused = 0, []
    for conversation in table.conversations:
        found = change(table, conversation)
        if isinstance(found, str):
            refused.append(_refusal(conversation, found))
        elif found is None:
            unchanged += 1
        else:
            rows.append((conversation, *found))
    action = _stored(table, kind, words, rows, unchanged=unchanged, refused=refused)
    return Outcome(action, len(rows), unchanged, refused)


@transaction.atomic
def undo(*, action: QueueAction, by: User, now: datetime) -> Outcome:
    """Take an act back, conversation by conversation. Those that somebody changed since are left as they are and named
    with the reason.

    Raises NotAllowedNowError where the act was undone before, where it is an undo itself, and where every conversation
    has changed since; nothing is changed then.
    """
    action = QueueAction.objects.select_for_update(of=("self",)).select_related("project").get(pk=action.pk)
    if action.kind == QueueActionKind.UNDO:
        raise NotAllowedNowError(say("This was an undo. Do the act again instead."))
    done = QueueAction.objects.filter(undoes=action).select_related("by").first()
    if done is not None:
        raise NotAllowedNowError(
            say("It was undone already, by {person} at {time} UTC.", person=done.by, time=f"{done.at:%Y-%m-%d %H:%M}")
        )
    stored = {row.conversation_id: row for row in action.rows.all()}
    chosen = Conversation.objects.filter(pk__in=action.rows.values("conversation"))
    table = _locked(action.project, by, now, chosen)
    later = _later_acts(action)
    rows, refused = [], []
    for conversation in table.conversations:
        row = stored[conversation.pk]
        why = _put_back(table, conversation, row, later.get(conversation.pk))
        if why:
            refused.append(_refusal(conversation, why))
        else:
            rows.append((conversation, row.after, row.before))
    if not rows:
        named = "; ".join(f"{entry['title']}: {told(entry['why'])}" for entry in refused[:NAMES_SHOWN])
        if len(refused) > NAMES_SHOWN:
            more = len(refused) - NAMES_SHOWN
            named = say_n("{named} … and {count} more", "{named} … and {count} more", more, named=named)
        raise NotAllowedNowError(f"{say('Nothing was undone: all of it has changed since.')} {named}.")
    words = _UNDONE.format(act=action.words)[:600]
    made = _stored(table, QueueActionKind.UNDO, words, rows, unchanged=0, refused=refused, undoes=action)
    return Outcome(made, len(rows), 0, refused)


def _later_acts(action: QueueAction) -> dict[int, QueueActionRow]:
    """The newest later act, on each conversation of this one, that changed the same thing."""
    rows = QueueActionRow.objects.filter(
        conversation__in=action.rows.values("conversation"), action__pk__gt=action.pk
    ).select_related("action__by")
    first = action.rows.first()
    thing = set(first.before) if first is not None else set()
    return {row.conversation_id: row for row in rows.order_by("pk") if thing & set(row.before)}


def _put_back(table: _Table, conversation: Conversation, row: QueueActionRow, later: QueueActionRow | None) -> str:
    """Restore one conversation; else say in words why not, having changed nothing."""
    since = _CHANGED_SINCE.format(person=later.action.by, act=later.action.words) if later is not None else ""
    if "priority" in row.before:
        if conversation.priority != row.after["priority"] or since:
            return since or _PRIORITY_NOW.format(priority=priority_word(conversation.priority))
        conversation.priority = row.before["priority"]
        table.moved[conversation.pk] = conversation
        return ""
    if "set_aside" in row.before:
        if _set_aside_of(conversation) != row.after["set_aside"] or since:
            return since or _MOVED_SINCE
        was = row.before["set_aside"] or {"at": None, "by": None, "reason": ""}
        conversation.set_aside_at = _moment(was["at"])
        conversation.set_aside_by_id = was["by"]
        conversation.set_aside_reason = was["reason"]
        table.moved[conversation.pk] = conversation
        return ""
    return _put_people_back(table, conversation, row, since)


def _put_people_back(table: _Table, conversation: Conversation, row: QueueActionRow, since: str) -> str:
    here = table.places[conversation.pk]
    pairs = []
    for key, before in row.before["people"].items():
        own, after = table.own(conversation, int(key)), row.after["people"][key]
        if not _is_as_it_was(own, after):
            return since or _what_happened(table.name(int(key)), own)
        pairs.append((own, before))
    others = [own for own in here if own not in [pair[0] for pair in pairs]]
    for swept in assignments.sweep(others, table.now):
        table.touch(swept)
    taken = {own.place for own in others if own.place is not None}
    returning = [(own, before) for own, before in pairs if before is not None and before["place"] is not None]
    if taken and len(taken) + len(returning) > max(table.project.overlap, len(returning)):
        names = ", ".join(table.name(own.annotator_id) for own in others if own.place is not None)
        return _TAKEN_BY.format(names=names)
    free = sorted(set(range(1, table.project.overlap + len(returning) + 1)) - taken)
    for own, before in pairs:
        if own is None:
            continue
        if before is None:
            table.gone.append(own.pk)
            table.freed.pop(own.pk, None)
            table.taken.pop(own.pk, None)
            continue
        own.state, own.reason = before["state"], before["reason"]
        own.place = before["place"] if before["place"] is None or before["place"] in free else free[0]
        if own.place is not None:
            free.remove(own.place)
        own.lease_until = _moment(before["lease_until"]) or table.now
        own.assigned_at, own.due_at = _moment(before["assigned_at"]), _moment(before["due_at"])
        own.assigned_by_id = before["assigned_by"]
        table.touch(own)
    return ""


def _is_as_it_was(own: Assignment | None, after: dict[str, Any] | None) -> bool:
    now = place_of(own)
    if now is None or after is None:
        return now is after
    # A lease is prolonged by work and a place may have another number: neither changes whose it is.
    return all(now[name] == after[name] for name in ("state", "reason", "assigned_at", "due_at"))


def _what_happened(name: str, own: Assignment | None) -> str:
    if own is None:
        return _NO_PLACE.format(person=name)
    return _SINCE[AssignmentState(own.state)].format(person=name)


def _locked(
    project: Project, by: User, now: datetime, chosen: QuerySet[Conversation], people: Iterable[User] = ()
) -> _Table:
    """Lock the chosen conversations, always in one order: two managers wait for each other and do not deadlock."""
    conversations = list(
        Conversation.objects.filter(dataset__project=project, pk__in=chosen.order_by().values("pk"))
        .defer("system_prompt", "user_goal", "extra")
        .select_for_update(of=("self",))
        .order_by("pk")
    )
    places: dict[int, list[Assignment]] = defaultdict(list)
    names = {user.pk: user for user in people}
    for start in range(0, len(conversations), BATCH):
        part = [conversation.pk for conversation in conversations[start : start + BATCH]]
        for own in Assignment.objects.filter(conversation__in=part).select_related("annotator").order_by("pk"):
            places[own.conversation_id].append(own)
            names[own.annotator_id] = own.annotator
    written = set(assignments.handed_in(project).values_list("conversation_id", "annotator_id"))
    return _Table(project, by, now, conversations, places, names, written)


def _stored(
    table: _Table,
    kind: QueueActionKind,
    words: str,
    rows: list[tuple[Conversation, dict[str, Any], dict[str, Any]]],
    *,
    unchanged: int,
    refused: list[dict[str, Any]],
    undoes: QueueAction | None = None,
) -> QueueAction | None:
    """Store what was changed, with the act and its line in the history; nothing where nothing was."""
    if not rows:
        return None
    table.store()
    action = QueueAction.objects.create(
        project=table.project,
        kind=kind,
        by=table.by,
        at=table.now,
        words=words[:600],
        row_count=len(rows),
        unchanged_count=unchanged,
        refused=refused,
        undoes=undoes,
    )
    QueueActionRow.objects.bulk_create(
        (QueueActionRow(action=action, conversation=row, before=before, after=after) for row, before, after in rows),
        batch_size=BATCH,
    )
    history.record(
        project=table.project,
        actor=table.by,
        action=f"queue.{kind}",
        subject=action,
        after={"words": action.words, "conversations": len(rows), "left alone": len(refused)},
    )
    return action


def _refusal(conversation: Conversation, why: str) -> dict[str, Any]:
    return {"id": conversation.pk, "title": str(conversation), "why": why}


def told(stored: str) -> str:
    """What was done, or why something was left alone, in the reader's language."""
    return retold(stored, act=told, people=_names_told, priority=assignments.priority_said)


def _names_told(stored: str) -> str:
    """What :func:`_names` wrote, in the reader's language."""
    first, _, last = stored.rpartition(" and ")
    if not first:
        return stored
    number = last.removesuffix(" more")
    if number != last and number.isdecimal():
        return say_n("{names} and {count} more", "{names} and {count} more", int(number), names=first)
    return say("{names} and {name}", names=first, name=last)


def _names(people: Sequence[User]) -> str:
    shown = [str(user) for user in people[:NAMES_SHOWN]]
    if len(people) > NAMES_SHOWN:
        return f"{', '.join(shown)} and {len(people) - NAMES_SHOWN} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def place_of(own: Assignment | None) -> dict[str, Any] | None:
    """One person's place as a history keeps it; None for somebody who never had one."""
    if own is None:
        return None
    return {
        "state": str(own.state),
        "place": own.place,
        "reason": own.reason,
        "lease_until": _text(own.lease_until),
        "assigned_at": _text(own.assigned_at),
        "assigned_by": own.assigned_by_id,
        "due_at": _text(own.due_at),
    }


def _set_aside_of(conversation: Conversation) -> dict[str, Any] | None:
    if conversation.set_aside_at is None:
        return None
    return {
        "at": _text(conversation.set_aside_at),
        "by": conversation.set_aside_by_id,
        "reason": conversation.set_aside_reason,
    }


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def may_undo(action: QueueAction) -> Capability:
    """What one needs to take an act back: what the act itself needs."""
    return NEEDS.get(action.kind, Capability.ADJUDICATE)


def undoable(project: Project) -> QuerySet[QueueAction]:
    """The project's acts, the newest first, each with who did it and who took it back."""
    return (
        QueueAction.objects.filter(project=project)
        .select_related("by", "undone_by__by")
        .annotate(undone_at=F("undone_by__at"))
        .order_by("-pk")
    )


def perform(
    *,
    kind: str,
    project: Project,
    by: User,
    chosen: QuerySet[Conversation],
    now: datetime,
    priority: int | None = None,
    people: Sequence[User] = (),
    each: bool = False,
    due_at: datetime | None = None,
    reason: str = "",
) -> Outcome:
    """Do what a page or a program asks for by name; what the act does not use is not looked at.

    Raises ActionRefusedError where something is missing.
    """
    common: dict[str, Any] = {"project": project, "by": by, "chosen": chosen, "now": now}
    if kind == QueueActionKind.PRIORITY:
        if priority is None:
            raise ActionRefusedError(say("Say which priority: high, normal, low or a number."), about="priority")
        return set_priority(priority=priority, **common)
    if kind == QueueActionKind.ASSIGN:
        return assign(people=people, each=each, due_at=due_at, **common)
    if kind == QueueActionKind.SET_ASIDE:
        return set_aside(reason=reason, **common)
    if kind == QueueActionKind.BRING_BACK:
        return bring_back(**common)
    of_people = {
        QueueActionKind.UNASSIGN: unassign,
        QueueActionKind.RELEASE: release,
        QueueActionKind.GIVE_BACK: give_back,
    }
    if kind not in of_people:
        raise ActionRefusedError(say("Choose what is to be done."))
    return of_people[QueueActionKind(kind)](people=people, **common)


def read_priority(text: str) -> int | None:
    """A priority from a word or a number; None for an empty text.

    Raises ActionRefusedError for anything else.
    """
    text = text.strip().lower()
    if not text:
        return None
    if text in assignments.PRIORITIES:
        return assignments.PRIORITIES[text]
    digits = text.removeprefix("-").removeprefix("+")
    if digits.isascii() and digits.isdecimal() and len(digits) <= 2:
        return -int(digits) if text.startswith("-") else int(digits)
    raise ActionRefusedError(
        say("A priority is high, normal, low or a number from -{most} to {most}.", most=PRIORITY_LIMIT)
    )
