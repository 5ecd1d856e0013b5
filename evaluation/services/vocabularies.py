"""A project's own words: what it holds equal or different. Documents; a change makes the next number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import translation

from annotations.models import Change, Project, User
from annotations.services import history
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation.aem.language import kept, mark, say, say_n
from evaluation.evaluators.embedded.vocabulary import STANDARD, VocabularyError, check_body, fold_term
from evaluation.evaluators.embedded.vocabulary import Vocabulary as Words
from evaluation.formats import jsonio
from evaluation.models import Answer, Lesson, Vocabulary
from evaluation.services import numbered

#: The parts of a body, as people read them.
PARTS = {
    "equal": mark("Mean the same"),
    "different": mark("Never the same"),
    "opposites": mark("Deny each other"),
    "fillers": mark("Change nothing"),
}
#: Faults of one upload that are named; a file that is of another sort has one in every entry.
MOST_FAULTS = 50
#: Entries that a project can have: more than people write, and few enough to be read with every comparison.
MOST_ENTRIES = 20_000
LONGEST_TERM = 500
#: Numbers in which the origin of an entry is looked for.
_LOOKED_BACK = 1000
_REASON = "reason"
_AGAIN = kept("number {number} again")
_SURROGATE = re.compile("[\ud800-\udfff]")


class VocabularyRefusedError(WorkbenchError):
    """Entries that cannot be used; the message names the entry and the reason.

    ``faults`` are all that were found, each with its place.
    """

    def __init__(self, message: str, faults: Sequence[str] = ()) -> None:
        self.faults = list(faults) or [message]
        super().__init__(message)


class StaleVocabularyError(StaleRevisionError):
    """Somebody kept a number meanwhile. ``current`` is the newest one."""

    def __init__(self, current: Vocabulary, *, seen: int) -> None:
        super().__init__(current, seen=seen)
        lost = say("Nothing of yours is lost: look at what they did and save again.")
        if seen:
            said = say(
                "Somebody changed the vocabulary meanwhile: you saw number {seen}, it is now at number {number}.",
                seen=seen,
                number=current.number,
            )
        else:
            said = say(
                "Somebody changed the vocabulary meanwhile: you saw none, it is now at number {number}.",
                number=current.number,
            )
        self.args = (f"{said} {lost}",)


def latest(project: Project) -> Vocabulary | None:
    """The newest number; None where the project added nothing."""
    return Vocabulary.objects.filter(project=project).order_by("-number").first()


@transaction.atomic
def create(
    *, project: Project, body: dict[str, Any], by: User | None, seen_number: int, reason: str = ""
) -> Vocabulary:
    """The next number. ``seen_number`` is the one that was edited, 0 where there was none.

    A body that says the same as the newest number gives that one again. Raises VocabularyRefusedError for entries that
    cannot be used, StaleRevisionError where somebody was faster.
    """
    found = faults_of(body)
    if found:
        more = len(found) - 1
        said = (
            say_n(
                "The vocabulary was not saved: {fault} ({count} more)",
                "The vocabulary was not saved: {fault} ({count} more)",
                more,
                fault=found[0],
            )
            if more
            else say("The vocabulary was not saved: {fault}", fault=found[0])
        )
        raise VocabularyRefusedError(said, found)
    body = in_one_shape(body)
    numbered.lock(project)
    newest = latest(project)
    if (newest.number if newest else 0) != seen_number:
        if newest is None:
            raise VocabularyRefusedError(
                say("The project has no vocabulary yet: save it as a first one, with number 0.")
            )
        raise StaleVocabularyError(newest, seen=seen_number)
    made, is_new = numbered.add(Vocabulary, project=project, body=body, by=by, newest=newest)
    if not is_new:
        return made
    with translation.override("en"):  # it is stored, for everybody
        changes = differences(newest.body if newest else {}, body)[:MOST_FAULTS]
    # What changed follows from the numbers themselves; the whole in every line would fill the history.
    history.record(
        project=project,
        actor=by,
        action="vocabulary.changed",
        subject=made,
        scope="vocabulary",
        before=newest and {"number": newest.number},
        after={
            "number": made.number,
            "changes": changes,
            **({_REASON: reason.strip()} if reason.strip() else {}),
        },
    )
    return made


def words_of(vocabulary: Vocabulary | None) -> Words:
    """The built-in lists with the project's entries."""
    return STANDARD if vocabulary is None else _extended(jsonio.dumps(vocabulary.body))


@lru_cache(maxsize=16)
def _extended(body: str) -> Words:
    return STANDARD.extended(jsonio.loads(body))


# --- what a body says ---


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a project's vocabulary: its sides, each with its terms; of all but opposites there is one side."""

    part: str
    sides: tuple[tuple[str, ...], ...]
    field: str = ""

    @property
    def key(self) -> str:
        """What a page names the entry by."""
        return jsonio.content_hash([self.part, [*map(list, self.sides)], self.field])[:16]

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(term for side in self.sides for term in side)

    @property
    def label(self) -> str:
        return say(PARTS[self.part])

    @property
    def words(self) -> str:
        """The entry in one line, without its part."""
        sides = " ↔ ".join(", ".join(f"“{term}”" for term in side) for side in self.sides)
        return say("{words} (field {field})", words=sides, field=self.field) if self.field else sides

    def as_json(self) -> Any:
        """As it stands in the body."""
        if self.part == "opposites":
            return [[*side] for side in self.sides]
        if self.part == "fillers":
            return self.sides[0][0]
        return {"terms": [*self.sides[0]], **({"field": self.field} if self.field else {})}


def entries_of(body: Mapping[str, Any]) -> Iterator[Entry]:
    """The entries of a body, part by part, as they stand."""
    for part in PARTS:
        for entry in body.get(part, ()):
            if part == "opposites":
                yield Entry(part, tuple(tuple(side) for side in entry))
            elif part == "fillers":
                yield Entry(part, ((entry,),))
            else:
                yield Entry(part, (tuple(entry["terms"]),), entry.get("field", "").strip())


def body_of(entries: Iterable[Entry]) -> dict[str, Any]:
    """The body with these entries."""
    body: dict[str, Any] = {}
    for entry in entries:
        body.setdefault(entry.part, []).append(entry.as_json())
    return body


def in_one_shape(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same body with its parts in order, blanks at ends cut off, and each entry once.

    >>> in_one_shape({"fillers": ["kindly ", "kindly"], "equal": [{"field": "", "terms": ["A", "B"]}], "different": []})
    {'equal': [{'terms': ['A', 'B']}], 'fillers': ['kindly']}
    """
    stripped = (
        Entry(entry.part, tuple(tuple(dict.fromkeys(map(str.strip, side))) for side in entry.sides), entry.field)
        for entry in entries_of(body)
    )
    return body_of(dict.fromkeys(stripped))


def with_entry(body: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """The body with one more entry; raises VocabularyRefusedError where it has it already."""
    found = list(entries_of(body))
    if entry in found:
        raise VocabularyRefusedError(say("The vocabulary has this entry already: {entry}.", entry=entry.words))
    return body_of([*found, entry])


def without_entry(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The body without the entry of this key; raises VocabularyRefusedError where there is none."""
    found = list(entries_of(body))
    left = [entry for entry in found if entry.key != key]
    if len(left) == len(found):
        raise VocabularyRefusedError(say("The vocabulary has no such entry any more."))
    return body_of(left)


def merged(body: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Both bodies in one; what stands in both stands there once."""
    return in_one_shape(body_of([*entries_of(body), *entries_of(more)]))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What changed from one body to the other, a sentence each.

    >>> differences({"fillers": ["kindly"]}, {"equal": [{"terms": ["A", "B"]}]})
    ['Mean the same: “A”, “B” added', 'Change nothing: “kindly” removed']
    """
    old, new = dict.fromkeys(entries_of(before)), dict.fromkeys(entries_of(after))
    added = [say("{part}: {entry} added", part=entry.label, entry=entry.words) for entry in new if entry not in old]
    removed = [say("{part}: {entry} removed", part=entry.label, entry=entry.words) for entry in old if entry not in new]
    return [*added, *removed]


def faults_of(body: Any) -> list[str]:
    """What is wrong with a body, each fault with its place; empty where it can be used."""
    if not isinstance(body, Mapping):
        return [_fault(body) or ""]
    found = [
        say("{name}: unknown part; there are {parts}", name=name, parts=", ".join(PARTS))
        for name in body
        if name not in PARTS
    ]
    good: dict[str, list[Any]] = {}
    places: dict[str, list[int]] = {}
    for part in PARTS:
        entries = body.get(part, [])
        if not isinstance(entries, list):
            found.append(say("{part}: needs a list", part=part))
            continue
        for number, entry in enumerate(entries):
            fault = _fault({part: [entry]}) or _not_storable(part, entry)
            if fault:
                found.append(fault.replace(f"{part}[0]", f"{part}[{number}]", 1))
            else:
                good.setdefault(part, []).append(entry)
                places.setdefault(part, []).append(number)
            if len(found) >= MOST_FAULTS:
                return found
    total = sum(map(len, good.values()))
    if total > MOST_ENTRIES:
        said = say(
            "{number} entries are too many: a project's vocabulary can have {most}",
            number=f"{total:,}",
            most=f"{MOST_ENTRIES:,}",
        )
        return [*found, said]
    fault = _fault(good)
    if fault:
        found.append(_placed(fault, places))
    return found


def _fault(body: Any) -> str:
    try:
        check_body(body)
    except VocabularyError as error:
        return str(error)
    return ""


def _placed(fault: str, places: Mapping[str, Sequence[int]]) -> str:
    """The fault with the places of the whole body, where faulty entries had been left out."""
    for part, numbers in places.items():
        for at in reversed(range(len(numbers))):
            fault = fault.replace(f"{part}[{at}]", f"{part}\0{numbers[at]}\1")
    return fault.replace("\0", "[").replace("\1", "]")


def _not_storable(part: str, entry: Any) -> str:
    found = next(entries_of({part: [entry]}))
    if any(len(text) > LONGEST_TERM for text in (*found.terms, found.field)):
        return say("{place}: a text has more than {most} characters", place=f"{part}[0]", most=LONGEST_TERM)
    if any("\0" in text or _SURROGATE.search(text) for text in (*found.terms, found.field)):
        return say("{place}: a text holds a character that cannot be stored", place=f"{part}[0]")
    return ""


# --- where entries come from, and what they do ---


@dataclass(frozen=True, slots=True)
class Origin:
    """Since which number an entry stands there, who added it and when; the lesson, where a decision taught it."""

    number: int
    by: User | None
    at: datetime
    lesson: Lesson | None


def origins_of(project: Project, entries: Sequence[Entry]) -> dict[str, Origin]:
    """The origins by the entries' keys; without those that stand there for longer than is looked back."""
    texts = {entry.key: jsonio.dumps(entry.as_json()) for entry in entries}
    numbers: dict[str, int] = {}
    rows = (
        Vocabulary.objects.filter(project=project)
        .order_by("-number")
        .annotate(text=Cast("body", TextField()))
        .values_list("number", "text")
    )
    last = 0
    for number, text in rows[:_LOOKED_BACK].iterator(chunk_size=20):
        for key in [key for key in texts if key not in numbers and texts[key] not in text]:
            numbers[key] = number + 1
        last = number
        if len(numbers) == len(texts):
            break
    if last == 1:
        numbers |= {key: 1 for key in texts if key not in numbers}
    made = {
        row.number: row
        for row in Vocabulary.objects.filter(project=project, number__in=set(numbers.values()))
        .defer("body")
        .select_related("created_by")
    }
    taught = {
        (row.vocabulary_id, row.kind, frozenset((row.expected, row.observed))): row
        for row in Lesson.objects.filter(vocabulary__in=[row.pk for row in made.values()]).select_related("learned_by")
    }
    found = {}
    for entry in entries:
        row = made.get(numbers.get(entry.key, 0))
        if row is not None:
            lesson = taught.get((row.pk, entry.part, frozenset(entry.terms)))
            found[entry.key] = Origin(row.number, row.created_by, row.created_at, lesson)
    return found


def uses_of(project: Project, entries: Sequence[Entry]) -> dict[str, int]:
    """In how many stored comparisons of values the pairs of these entries came up, by the entries' keys.

    Each distinct comparison is stored once, however often it recurs.
    """
    wanted = [entry for entry in entries if entry.part in ("equal", "different")]
    if not wanted:
        return {}
    either = reduce(or_, (_mentions(term) for entry in wanted for term in entry.terms[:10]))
    counts = dict.fromkeys((entry.key for entry in wanted), 0)
    rows = Answer.objects.filter(either, project=project).values_list("question", flat=True)
    for question in rows.iterator(chunk_size=500):
        if question.get("kind") != "value" or "expected" not in question:
            continue
        expected, observed = jsonio.loads(question["expected"]), jsonio.loads(question["observed"])
        if not isinstance(expected, str) or not isinstance(observed, str):
            continue
        pair = {fold_term(expected), fold_term(observed)}
        if len(pair) < 2:
            continue
        for entry in wanted:
            if _is_of_field(question.get("field", ""), entry.field) and pair <= {*map(fold_term, entry.terms)}:
                counts[entry.key] += 1
    return counts


def _mentions(term: str) -> Q:
    """A first choice by the database: the longest piece of the term that is spelled one way in JSON."""
    pieces = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in term).split()
    return Q(question__icontains=max(pieces, key=len)) if pieces else Q()


def _is_of_field(field: str, wanted: str) -> bool:
    return not wanted or field.casefold() == wanted.casefold() or field.casefold().endswith(f".{wanted.casefold()}")


# --- numbers ---


@dataclass(frozen=True, slots=True)
class Step:
    """A number, and what it changed against the one before."""

    vocabulary: Vocabulary
    changes: list[str]
    reason: str
    lessons: list[Lesson]


def steps(shown: Sequence[Vocabulary], *, before: Vocabulary | None) -> list[Step]:
    """Numbers with what they changed, the newest first; ``before`` is the one that the last of them follows."""
    reasons = {
        change.subject_id: change.after.get(_REASON, "")
        for change in Change.objects.filter(
            action="vocabulary.changed", subject_type="vocabulary", subject_id__in=[str(row.pk) for row in shown]
        )
        if isinstance(change.after, dict)
    }
    lessons: dict[int, list[Lesson]] = {}
    for lesson in Lesson.objects.filter(vocabulary__in=shown).order_by("learned_at"):
        lessons.setdefault(lesson.vocabulary_id or 0, []).append(lesson)
    found = []
    earlier_ones = [*shown[1:], before]
    for row, earlier in zip(shown, earlier_ones, strict=False):
        changes = differences(earlier.body if earlier else {}, row.body)
        found.append(Step(row, changes, reasons.get(str(row.pk), ""), lessons.get(row.pk, [])))
    return found


@transaction.atomic
def restore(*, vocabulary: Vocabulary, by: User | None, seen_number: int) -> Vocabulary:
    """Make an older number's entries the newest ones, as a further number."""
    return create(
        project=vocabulary.project,
        body=vocabulary.body,
        by=by,
        seen_number=seen_number,
        reason=_AGAIN.format(number=vocabulary.number),
    )
