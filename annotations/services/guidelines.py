"""Examples of a guideline, what differs between two versions, and who is shown what."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.differences import Piece, pieces_of
from annotations.models import (
    EXAMPLE_GROUPS,
    Conversation,
    Golden,
    GoldenStatus,
    Guideline,
    GuidelineExample,
    HumanLabel,
    Project,
    Trajectory,
    TurnLabel,
    User,
)
from annotations.services import projects
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem.language import say, say_in

MOST_EXAMPLES = 200
LONGEST_TEXT, LONGEST_WHY = 1000, 4000
_GROUPS = dict(EXAMPLE_GROUPS)


@dataclass(frozen=True, slots=True)
class Source:
    """Where an example is from: a conversation, and a turn of a golden or of a trajectory of it."""

    conversation: Conversation
    golden: Golden | None = None
    trajectory: Trajectory | None = None
    path: str = ""
    turn_key: str = ""


def make_example(
    *,
    reason: str,
    text: str,
    by: User | None,
    why: str = "",
    verdict: str = "",
    source: Source | None = None,
    was: GuidelineExample | None = None,
    place: str = "",
) -> GuidelineExample:
    """An example that is not stored yet. ``was`` is what it was in the version before: it keeps who added it, and from
    where. Raises WorkbenchError, naming the place, for one that cannot be."""
    place = place or say_in("before a colon", "example")
    text, why = " ".join(text.split()), why.strip()
    reason = reason or "general"
    if reason not in _GROUPS:
        raise WorkbenchError(say("{place}: there is no failure reason {reason}.", place=place, reason=reason[:60]))
    if verdict not in ("", *TurnLabel.values):
        raise WorkbenchError(say("{place}: there is no verdict {verdict}.", place=place, verdict=verdict[:60]))
    if not text:
        raise WorkbenchError(say("{place}: say what the example is.", place=place))
    if len(text) > LONGEST_TEXT:
        raise WorkbenchError(
            say(
                "{place}: the text has {count} characters; at most {most} are short enough.",
                place=place,
                count=len(text),
                most=LONGEST_TEXT,
            )
        )
    if len(why) > LONGEST_WHY:
        raise WorkbenchError(
            say(
                "{place}: the reason why has {count} characters; there can be {most}.",
                place=place,
                count=len(why),
                most=LONGEST_WHY,
            )
        )
    if reason == "passes" and verdict not in ("", TurnLabel.PASS):
        raise WorkbenchError(say("{place}: what stands under “Passes” cannot have another verdict.", place=place))
    verdict = verdict or {"general": "", "passes": TurnLabel.PASS.value}.get(reason, TurnLabel.FAIL.value)
    made = was.copied() if was is not None else GuidelineExample(added_by=by, added_at=timezone.now())
    made.reason, made.text, made.verdict, made.why = reason, text, verdict, why
    if source is not None:
        made.conversation, made.golden, made.trajectory = source.conversation, source.golden, source.trajectory
        made.path, made.turn_key = source.path, source.turn_key
    return made


@transaction.atomic
def save(
    *,
    project: Project,
    by: User,
    title: str,
    body: str,
    seen_number: int,
    examples: Sequence[Mapping[str, Any]] | None = None,
) -> Guideline:
    """The next version, with these examples; without them, with those of the one before.

    An example is named by ``id`` where it stands in the version that was seen; without one it is new. Raises
    WorkbenchError for one that cannot be, StaleRevisionError when somebody made a version meanwhile; nothing is changed
    then.
    """
    rows = None
    if examples is not None:
        if len(examples) > MOST_EXAMPLES:
            raise WorkbenchError(
                say(
                    "A guideline has at most {most} examples; these are {count}.",
                    most=MOST_EXAMPLES,
                    count=len(examples),
                )
            )
        known = {
            row.pk: row
            for row in GuidelineExample.objects.filter(guideline__project=project, guideline__number=seen_number)
        }
        rows = []
        for number, entry in enumerate(examples, start=1):
            given = dict(entry)
            pk = given.pop("id", None)
            if pk is not None and pk not in known:
                raise WorkbenchError(
                    say(
                        "{place}: version {version} has no example with the id {id}.",
                        place=_place(number),
                        version=seen_number,
                        id=pk,
                    )
                )
            was = known.get(pk) if pk is not None else None
            rows.append(make_example(**given, by=by, was=was, place=_place(number)))
    return projects.save_guideline(
        project=project, title=title, body=body, by=by, seen_number=seen_number, examples=rows
    )


def _place(number: int) -> str:
    return say("example {number}", number=number)


@transaction.atomic
def add_example(
    *,
    project: Project,
    by: User,
    reason: str,
    text: str,
    why: str = "",
    verdict: str = "",
    source: Source | None = None,
    seen_number: int | None = None,
) -> Guideline:
    """The next version of the guideline, with one more example.

    Without ``seen_number`` it is added to whatever version is the newest; with it, StaleRevisionError is raised when
    there is a newer one.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    newest = projects.current_guideline(project)
    rows = [row.copied() for row in newest.examples.all()] if newest is not None else []
    if len(rows) >= MOST_EXAMPLES:
        raise NotAllowedNowError(say("The guideline has {count} examples already; remove some first.", count=len(rows)))
    rows.append(make_example(reason=reason, text=text, why=why, verdict=verdict, by=by, source=source))
    return projects.save_guideline(
        project=project,
        title=newest.title if newest is not None else "Guideline",
        body=newest.body if newest is not None else "",
        by=by,
        seen_number=(newest.number if newest is not None else 0) if seen_number is None else seen_number,
        examples=rows,
    )


def restore(*, project: Project, by: User, number: int, seen_number: int) -> Guideline:
    """An older version again, text and examples, as a new one."""
    older = project.guidelines.filter(number=number).first()
    if older is None:
        raise WorkbenchError(say("There is no version {number}.", number=number))
    if number == seen_number:
        raise NotAllowedNowError(say("Version {number} is the one in force.", number=number))
    return projects.save_guideline(
        project=project,
        title=older.title,
        body=older.body,
        by=by,
        seen_number=seen_number,
        examples=[row.copied() for row in older.examples.all()],
    )


# --- who is shown what ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """The examples that a person may see, by group in a fixed order, and how many are held back from them."""

    groups: tuple[tuple[str, str, tuple[GuidelineExample, ...]], ...]
    held_back: int

    @property
    def count(self) -> int:
        return sum(len(rows) for _, _, rows in self.groups)

    def of(self, reason: str) -> tuple[GuidelineExample, ...]:
        return next((rows for name, _, rows in self.groups if name == reason), ())


def shown_to(guideline: Guideline | None, *, user: User, is_blinded: bool) -> Shown:
    """A blinded person gets an example from a conversation only when their own work there is handed in or labelled:
    it tells how somebody else decided."""
    rows = list(guideline.examples.select_related("added_by", "conversation")) if guideline is not None else []
    visible = visible_of(rows, user=user) if is_blinded else rows
    grouped: dict[str, list[GuidelineExample]] = {}
    for row in visible:
        grouped.setdefault(row.reason, []).append(row)
    groups = tuple((name, str(words), tuple(grouped[name])) for name, words in EXAMPLE_GROUPS if name in grouped)
    return Shown(groups, len(rows) - len(visible))


def visible_of(rows: Iterable[GuidelineExample], *, user: User) -> list[GuidelineExample]:
    """Those of the examples that a blinded person may see."""
    rows = list(rows)
    conversations = {row.conversation_id for row in rows if row.conversation_id is not None}
    if not conversations:
        return rows
    own = dict(
        Golden.objects.filter(annotator=user, conversation__in=conversations).values_list("conversation", "status")
    )
    labelled = set(
        HumanLabel.objects.filter(annotator=user, trajectory__conversation__in=conversations).values_list(
            "trajectory", "path", "turn_key"
        )
    )

    def may_see(row: GuidelineExample) -> bool:
        if row.conversation_id is None:
            return True
        status = own.get(row.conversation_id)
        if row.trajectory_id is not None:
            is_open = status in (GoldenStatus.DRAFT, GoldenStatus.RETURNED)
            return not is_open and (row.trajectory_id, row.path, row.turn_key) in labelled
        return status in (GoldenStatus.SUBMITTED, GoldenStatus.ACCEPTED)

    return [row for row in rows if may_see(row)]


# --- what differs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text: ``same``, ``del``, ``ins``, or ``changed`` with its words."""

    kind: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    lines: tuple[Line, ...]
    added: tuple[GuidelineExample, ...]
    removed: tuple[GuidelineExample, ...]
    old_title: str = ""

    @property
    def is_text_changed(self) -> bool:
        return any(line.kind != "same" for line in self.lines)

    def __bool__(self) -> bool:
        return bool(self.is_text_changed or self.added or self.removed or self.old_title)


def difference(
    before: Guideline,
    after: Guideline,
    *,
    examples_before: Sequence[GuidelineExample],
    examples_after: Sequence[GuidelineExample],
) -> Difference:
    """The text line by line, changed lines word by word, and which examples came and went."""
    left, right = before.body.splitlines(), after.body.splitlines()
    lines: list[Line] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line("same", (Piece(text, "same"),)) for text in left[a:b]]
            continue
        paired = min(b - a, d - c)
        for old, new in zip(left[a : a + paired], right[c : c + paired], strict=True):
            pieces = pieces_of(old, new)
            lines.append(Line("changed", pieces or (Piece(old, "del"), Piece(new, "ins"))))
        lines += [Line("del", (Piece(text, "del"),)) for text in left[a + paired : b]]
        lines += [Line("ins", (Piece(text, "ins"),)) for text in right[c + paired : d]]
    gone, came = _said(examples_before), _said(examples_after)
    return Difference(
        lines=tuple(lines),
        added=tuple(row for key, row in came.items() if key not in gone),
        removed=tuple(row for key, row in gone.items() if key not in came),
        old_title=before.title if before.title != after.title else "",
    )


def _said(rows: Iterable[GuidelineExample]) -> dict[tuple[str, ...], GuidelineExample]:
    return {(row.reason, row.text, row.verdict, row.why): row for row in rows}
