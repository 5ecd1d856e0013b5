"""The queue as its managers see it: every conversation with its state, who holds it, and what can be asked of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Lower, NullIf

from annotations.models import (
    Assignment,
    AssignmentState,
    Conversation,
    Golden,
    GoldenStatus,
    Project,
    Trajectory,
    User,
)
from evaluation.aem.language import mark, say, say_n

#: What a conversation can be, in the order of its way through the queue; it may be several at once.
STATES: dict[str, str] = {
    "waiting": mark("Waiting"),
    "assigned": mark("Assigned, not begun"),
    "in_work": mark("In work"),
    "lapsed": mark("Time ran out"),
    "begun": mark("Done by some"),
    "done": mark("Done by all"),
    "to_review": mark("To review"),
    "returned": mark("Returned"),
    "accepted": mark("Accepted"),
    "skipped": mark("Skipped"),
    "set_aside": mark("Set aside"),
}
_DONE = {
    GoldenStatus.DRAFT: mark("done, draft"),
    GoldenStatus.SUBMITTED: mark("done, submitted"),
    GoldenStatus.RETURNED: mark("done, returned"),
    GoldenStatus.ACCEPTED: mark("done, accepted"),
}
_WITHOUT_PLACE = {
    GoldenStatus.DRAFT: mark("is writing a golden that the queue did not ask for"),
    GoldenStatus.SUBMITTED: mark("handed in a golden that the queue did not ask for"),
    GoldenStatus.RETURNED: mark("is to change a golden that the queue did not ask for"),
    GoldenStatus.ACCEPTED: mark("wrote a golden that the queue did not ask for; it is accepted"),
}
#: States that are about one person's place: with a person chosen, it is their place that is asked for.
_OF_PLACES = frozenset({"assigned", "in_work", "lapsed", "skipped"})

ORDERS: dict[str, tuple[str, ...]] = {
    "": ("-priority", "pk"),
    "title": ("sort_title", "pk"),
    "-title": ("-sort_title", "-pk"),
    "priority": ("priority", "pk"),
    "-priority": ("-priority", "pk"),
    "age": ("pk",),
    "-age": ("-pk",),
    "done": ("done_count", "pk"),
    "-done": ("-done_count", "pk"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked for; empty means any. ``priority`` is high, normal, low (all of that sort) or a number."""

    q: str = ""
    dataset: str = ""
    language: str = ""
    state: str = ""
    person: int | None = None
    priority: str = ""
    reason: str = ""


def matching(project: Project, asked: Filters, now: datetime) -> QuerySet[Conversation]:
    """The project's conversations that fit. The words of ``q`` stand in title, key, goal or first user message."""
    found = Conversation.objects.in_project(project)
    if asked.q:
        opening = Trajectory.objects.filter(conversation=OuterRef("pk"), opening__icontains=asked.q)
        found = found.filter(
            Q(title__icontains=asked.q)
            | Q(key__icontains=asked.q)
            | Q(user_goal__icontains=asked.q)
            | Exists(opening.current())
        )
    if asked.dataset:
        found = found.filter(dataset__slug=asked.dataset)
    if asked.language:
        found = found.filter(language=asked.language)
    if asked.priority:
        found = found.filter(_of_priority(asked.priority))
    places = Assignment.objects.filter(conversation__dataset__project=project).order_by()
    if asked.person is not None:
        theirs = places.filter(annotator=asked.person)
        if asked.state not in _OF_PLACES:
            shown = theirs.exclude(state=AssignmentState.RELEASED)
            found = found.filter(pk__in=shown.values("conversation"))
        places = theirs if asked.state in _OF_PLACES else places
    if asked.reason:
        skipped = places.filter(state=AssignmentState.SKIPPED, reason=asked.reason)
        found = found.filter(pk__in=skipped.values("conversation"))
    return _in_state(found, project, places, asked.state, now)


def _of_priority(asked: str) -> Q:
    sorts = {"high": Q(priority__gt=0), "normal": Q(priority=0), "low": Q(priority__lt=0)}
    return sorts[asked] if asked in sorts else Q(priority=int(asked))


def _in_state(
    found: QuerySet[Conversation], project: Project, places: QuerySet[Assignment], state: str, now: datetime
) -> QuerySet[Conversation]:
    if not state:
        return found
    if state == "set_aside":
        return found.filter(set_aside_at__isnull=False)
    if state == "accepted":
        return found.filter(golden_record__isnull=False)
    if state in ("to_review", "returned"):
        status = GoldenStatus.SUBMITTED if state == "to_review" else GoldenStatus.RETURNED
        goldens = Golden.objects.in_project(project).filter(status=status).order_by()
        return found.filter(pk__in=goldens.values("conversation"))
    if state in ("begun", "done"):
        done = places.filter(state=AssignmentState.DONE).values("conversation").annotate(number=Count("pk"))
        full = Q(number__gte=project.overlap)
        return found.filter(pk__in=done.filter(full if state == "done" else ~full).values("conversation"))
    if state == "waiting":
        held = places.filter(pk__in=Assignment.objects.holding(now)).values("conversation")
        full_ones = held.annotate(number=Count("pk")).filter(number__gte=project.overlap).values("conversation")
        begun = places.exclude(state__in=(AssignmentState.RESERVED, AssignmentState.RELEASED)).values("conversation")
        return found.filter(Q(golden_record__isnull=True) | Q(pk__in=begun), set_aside_at__isnull=True).exclude(
            pk__in=full_ones
        )
    running = Q(lease_until__gt=now)
    kind = {
        "assigned": Q(state=AssignmentState.RESERVED) & (Q(due_at__isnull=True) | Q(due_at__gt=now)),
        "in_work": Q(state=AssignmentState.CLAIMED) & running,
        "lapsed": Q(state=AssignmentState.LAPSED) | (Q(state=AssignmentState.CLAIMED) & ~running),
        "skipped": Q(state=AssignmentState.SKIPPED),
    }[state]
    return found.filter(pk__in=places.filter(kind).values("conversation"))


def ordered(found: QuerySet[Conversation], order: str) -> QuerySet[Conversation]:
    """Sorted as asked; without an order, as the queue hands out what nobody has been assigned."""
    if order.endswith("title"):
        found = found.annotate(sort_title=Lower(Coalesce(NullIf("title", Value("")), "key")))
    if order.endswith("done"):
        done = Count("assignments", filter=Q(assignments__state=AssignmentState.DONE), distinct=True)
        found = found.annotate(done_count=done)
    return found.order_by(*ORDERS[order])


# --- rows -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """One person's part in a conversation, in words."""

    person: User
    state: str
    words: str
    assignment: Assignment | None = None


@dataclass(slots=True)
class Row:
    """A conversation of the queue."""

    conversation: Conversation
    overlap: int
    places: list[Place] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    held: int = 0

    @property
    def done(self) -> int:
        return sum(place.state == "done" for place in self.places)

    @property
    def done_words(self) -> str:
        """How many of those whom the queue asks have handed in; or why it asks nobody."""
        if not self.done and self.conversation.golden_record_id is not None and "waiting" not in self.states:
            return say("Nobody is asked: it has an accepted golden.")
        return say_n(
            "{done} of {count} person has handed in",
            "{done} of {count} people have handed in",
            self.overlap,
            done=self.done,
        )

    @property
    def states(self) -> list[str]:
        """What the conversation is now, as :data:`STATES` names it."""
        found = {place.state for place in self.places if place.state in STATES} - {"done"}
        if self.done:
            found.add("done" if self.done >= self.overlap else "begun")
        if GoldenStatus.SUBMITTED in self.statuses:
            found.add("to_review")
        if GoldenStatus.RETURNED in self.statuses:
            found.add("returned")
        if self.conversation.golden_record_id is not None:
            found.add("accepted")
        if self.conversation.set_aside_at is not None:
            found.add("set_aside")
        was_begun = any(place.state not in ("assigned", "released", "written") for place in self.places)
        if (
            self.held < self.overlap
            and self.conversation.set_aside_at is None
            and (self.conversation.golden_record_id is None or was_begun)
        ):
            found.add("waiting")
        return [state for state in STATES if state in found]


def rows_of(project: Project, conversations: Sequence[Conversation], now: datetime) -> list[Row]:
    """Rows for a page of conversations, by a fixed number of queries."""
    rows = {conversation.pk: Row(conversation, project.overlap) for conversation in conversations}
    goldens: dict[tuple[int, int], Golden] = {}
    written = Golden.objects.filter(conversation__in=rows).order_by("pk")
    for one in written.select_related("annotator").only("pk", "conversation_id", "status", "annotator"):
        goldens[one.conversation_id, one.annotator_id] = one
        rows[one.conversation_id].statuses.append(one.status)
    places = Assignment.objects.filter(conversation__in=rows).select_related("annotator", "assigned_by")
    for own in places.order_by("conversation", "created_at", "pk"):
        golden = goldens.get((own.conversation_id, own.annotator_id))
        row = rows[own.conversation_id]
        row.held += own.holds(now)
        row.places.append(_place(own, golden, now))
    # Those who review may write without a place, and so does an import.
    with_place = {(own.conversation_id, own.annotator_id) for own in places}
    for key, other in goldens.items():
        if key not in with_place:
            words = say(_WITHOUT_PLACE[GoldenStatus(other.status)])
            rows[other.conversation_id].places.append(Place(other.annotator, "written", words))
    return [rows[conversation.pk] for conversation in conversations]


def _place(own: Assignment, golden: Golden | None, now: datetime) -> Place:
    state, words = _state_and_words(own, golden, now)
    return Place(own.annotator, state, words, own)


def _state_and_words(own: Assignment, golden: Golden | None, now: datetime) -> tuple[str, str]:
    kept = _kept_words(own) if own.assigned_at is not None else ""
    if own.state == AssignmentState.DONE:
        return "done", say(_DONE[GoldenStatus(golden.status)]) if golden is not None else say("done")
    if own.state == AssignmentState.SKIPPED:
        return "skipped", say("skipped: “{reason}”", reason=own.reason)
    if own.state == AssignmentState.RESERVED:
        if own.is_kept(now):
            return "assigned", f"{kept}; {say('not begun')}"
        return "released", say("was assigned; the day has passed and the place is free")
    if own.state == AssignmentState.CLAIMED and own.lease_until > now:
        words = say("in work until {time} UTC", time=f"{own.lease_until:%H:%M}")
        return "in_work", f"{words}; {kept}" if kept else words
    if own.state == AssignmentState.CLAIMED and own.is_kept(now):
        return "lapsed", f"{say('begun, time ran out')}; {kept}"
    if own.state == AssignmentState.RELEASED:
        return "released", say("taken back; a draft is kept") if golden is not None else say("taken back")
    return "lapsed", say("time ran out; the draft is kept") if golden is not None else say("time ran out")


def _kept_words(own: Assignment) -> str:
    """By whom a place is kept for somebody, and until when."""
    until = f"{own.due_at:%Y-%m-%d %H:%M}" if own.due_at is not None else ""
    if own.assigned_by is not None:
        if until:
            return say("assigned by {person}, until {until} UTC", person=own.assigned_by, until=until)
        return say("assigned by {person}", person=own.assigned_by)
    return say("assigned, until {until} UTC", until=until) if until else say("assigned")


# --- sums -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reason:
    """Why conversations were skipped, and how often for this reason."""

    text: str
    count: int


def counts(project: Project, now: datetime) -> dict[str, int]:
    """How many conversations are in each state."""
    return {state: matching(project, Filters(state=state), now).count() for state in STATES}


def skip_reasons(project: Project) -> list[Reason]:
    """The reasons for which conversations are skipped now, the most frequent first."""
    skipped = Assignment.objects.filter(conversation__dataset__project=project, state=AssignmentState.SKIPPED)
    found = skipped.order_by().values("reason").annotate(number=Count("pk")).order_by("-number", "reason")
    return [Reason(entry["reason"], entry["number"]) for entry in found]


def effect_of_overlap(project: Project, before: int, now: datetime) -> str:
    """What a changed overlap does to what is under way, in words; empty where it is as it was.

    Call it after the change.
    """
    after = project.overlap
    if before == after:
        return ""
    held: dict[int, int] = defaultdict(int)
    places = Assignment.objects.filter(conversation__dataset__project=project).holding(now).order_by()
    for entry in places.values("conversation").annotate(number=Count("pk")):
        held[entry["number"]] += 1
    if after > before:
        full_before = sum(number for people, number in held.items() if before <= people < after)
        return say_n(
            "{people} people annotate each conversation now, {before} before: {number} conversation that had all its "
            "people waits again.",
            "{people} people annotate each conversation now, {before} before: {number} conversations that had all "
            "their people wait again.",
            full_before,
            people=after,
            before=before,
            number=f"{full_before:,}",
        )
    beyond = sum(number for people, number in held.items() if people > after)
    if after == 1:
        return say_n(
            "1 person annotates each conversation now, {before} before: {number} conversation has more, in work or "
            "done, and that work stays; nobody new is asked there.",
            "1 person annotates each conversation now, {before} before: {number} conversations have more, in work or "
            "done, and that work stays; nobody new is asked there.",
            beyond,
            before=before,
            number=f"{beyond:,}",
        )
    return say_n(
        "{people} people annotate each conversation now, {before} before: {number} conversation has more, in work or "
        "done, and that work stays; nobody new is asked there.",
        "{people} people annotate each conversation now, {before} before: {number} conversations have more, in work or "
        "done, and that work stays; nobody new is asked there.",
        beyond,
        people=after,
        before=before,
        number=f"{beyond:,}",
    )


def choices(project: Project) -> dict[str, Any]:
    """What the filters offer: datasets, languages, and everybody who has or had a part."""
    places = Assignment.objects.filter(conversation__dataset__project=project).order_by()
    people = User.objects.filter(pk__in=places.values("annotator"))
    spoken = Conversation.objects.in_project(project).exclude(language="").order_by("language")
    return {
        "datasets": list(project.datasets.order_by("name")),
        "languages": list(spoken.values_list("language", flat=True).distinct()),
        "people": sorted(people, key=lambda user: (str(user).lower(), user.pk)),
    }
