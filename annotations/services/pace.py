"""How fast somebody works: their own times, told to themselves alone, from the history of what they did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from annotations.models import Change, Golden, GoldenStatus, Project, User
from evaluation.aem.language import say, say_n

#: A longer gap between two things done is a break, and counts for nothing.
BREAK = timedelta(minutes=15)
#: With fewer the median says nothing yet.
LEAST_TURNS = 8
LEAST_CONVERSATIONS = 3
_MOST_CHANGES = 3_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Medians of somebody's working time; None where too little is known. The counts say of how many."""

    turn: timedelta | None
    turn_count: int
    conversation: timedelta | None
    conversation_count: int


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that somebody did in a golden; ``turn`` is the turn it was about, or empty."""

    golden: str
    turn: str
    at: datetime


def get_pace(project: Project, person: User) -> Pace:
    """This person's pace in this project, from their newest changes of goldens."""
    rows = (
        Change.objects.filter(project=project, actor=person, subject_type__in=("golden", "goldturn"))
        .order_by("-pk")
        .values_list("subject_type", "subject_id", "scope", "action", "at")[:_MOST_CHANGES]
    )
    deeds = [
        Deed(scope or subject, subject if kind == "goldturn" and action == "turn.saved" else "", at)
        for kind, subject, scope, action, at in rows
    ]
    goldens = {deed.golden for deed in deeds}
    if len(rows) == _MOST_CHANGES:
        goldens.discard(deeds[-1].golden)  # of the oldest one only a part was read
    handed_in = {
        str(pk)
        for pk in Golden.objects.filter(
            conversation__dataset__project=project,
            annotator=person,
            status__in=(GoldenStatus.SUBMITTED, GoldenStatus.ACCEPTED),
        ).values_list("pk", flat=True)
    }
    return pace_of(reversed(deeds), finished=handed_in & goldens)


def pace_of(deeds: Iterable[Deed], *, finished: set[str]) -> Pace:
    """The medians over what was done, oldest first: time that passed before a save of a turn is spent on that turn."""
    on_turn: dict[tuple[str, str], timedelta] = {}
    on_golden: dict[str, timedelta] = {}
    last: Deed | None = None
    for deed in deeds:
        gap = deed.at - last.at if last is not None and last.golden == deed.golden else None
        last = deed
        if gap is None or not timedelta() <= gap <= BREAK:
            continue
        on_golden[deed.golden] = on_golden.get(deed.golden, timedelta()) + gap
        if deed.turn:
            key = (deed.golden, deed.turn)
            on_turn[key] = on_turn.get(key, timedelta()) + gap
    whole = [spent for golden, spent in on_golden.items() if golden in finished]
    return Pace(
        turn=_median(list(on_turn.values()), LEAST_TURNS),
        turn_count=len(on_turn),
        conversation=_median(whole, LEAST_CONVERSATIONS),
        conversation_count=len(whole),
    )


def _median(spent: list[timedelta], least: int) -> timedelta | None:
    return None if len(spent) < least else timedelta(seconds=median(one.total_seconds() for one in spent))


def time_words(spent: timedelta) -> str:
    """
    >>> time_words(timedelta(seconds=42.4)), time_words(timedelta(seconds=95)), time_words(timedelta(minutes=72))
    ('42 s', '1 min 35 s', '72 min')
    """
    seconds = round(spent.total_seconds())
    if seconds < 60:
        return say("{seconds} s", seconds=seconds)
    minutes, rest = divmod(seconds, 60)
    if rest and minutes < 10:
        return say("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    return say("{minutes} min", minutes=round(seconds / 60))


def pace_words(pace: Pace) -> str:
    """The pace in one line; what is not known yet is said to be so.

    >>> pace_words(Pace(None, 3, None, 0))
    'no pace yet: 3 turns timed, 8 are needed'
    """
    if pace.turn is None:
        return say_n(
            "no pace yet: {count} turn timed, {least} are needed",
            "no pace yet: {count} turns timed, {least} are needed",
            pace.turn_count,
            least=LEAST_TURNS,
        )
    turn = time_words(pace.turn)
    if pace.conversation is None:
        return say("your pace: {turn} a turn, no pace yet for whole conversations", turn=turn)
    return say(
        "your pace: {turn} a turn, {conversation} a conversation", turn=turn, conversation=time_words(pace.conversation)
    )
