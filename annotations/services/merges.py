"""Merging several people's goldens of one conversation: what is open, deciding it, undoing that, accepting the merge.

Nothing that was decided is lost when a golden changes or another one comes: a decision holds wherever the goldens say
what they said then. Who wrote which version is not told before the merge is finished.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation

from annotations import merging
from annotations.merging import Item, Layout, Merged, Problem, Source, Variant
from annotations.models import (
    Change,
    Conversation,
    Golden,
    GoldenRecord,
    GoldenStatus,
    GoldTurn,
    Guideline,
    Merge,
    MergeDecision,
    MergeGolden,
    Project,
    User,
)
from annotations.sentences import value_words
from annotations.services import documents, gold_turns, goldens, guidelines, history, projects
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.wording import GoldenChange, golden_changes, setting_name
from evaluation.aem.language import kept, mark, say, say_n
from evaluation.formats import jsonio

REASON_LENGTH = 2_000
_MERGED_FROM = kept("Merged from {count} goldens.")
_CHANGED_SINCE = mark("Somebody else has decided this since; undoing would lose that.")


class ChoiceRefusedError(WorkbenchError):
    """A decision that cannot be made, with the reason; nothing was changed."""


class MergeRefusedError(WorkbenchError):
    """Why the merge cannot be accepted: ``problems`` are all of them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        first, more = problems[0].reason, len(problems) - 1
        super().__init__(
            say_n("{reason} (and {count} more)", "{reason} (and {count} more)", more, reason=first) if more else first
        )


# --- which goldens ----------------------------------------------------------------------------------------------------


def sources_of(conversation: Conversation) -> list[Golden]:
    """The goldens that a merge of this conversation is made of: handed in, or merged before and accepted with that."""
    went_in = MergeGolden.objects.filter(is_result=False).values("golden")
    came_out = MergeGolden.objects.filter(is_result=True).values("golden")
    wanted = Q(status=GoldenStatus.SUBMITTED) | Q(status=GoldenStatus.ACCEPTED, pk__in=went_in)
    found = conversation.goldens.filter(wanted).exclude(pk__in=came_out)
    return list(found.select_related("annotator").prefetch_related("turns").order_by("pk"))


def being_changed(merge: Merge) -> int:
    """How many goldens of the merge are with their annotators again."""
    return merge.goldens.filter(is_result=False, golden__status__in=(GoldenStatus.DRAFT, GoldenStatus.RETURNED)).count()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A conversation whose goldens are to be merged."""

    conversation: Conversation
    count: int
    merge: Merge | None
    since: datetime | None


def waiting(project: Project) -> list[Waiting]:
    """Conversations with several goldens handed in, or with a merge to which one came (back); the oldest first."""
    came_out = MergeGolden.objects.filter(is_result=True).values("golden")
    handed_in = Golden.objects.in_project(project).awaiting_review().exclude(pk__in=came_out)
    went_in = Golden.objects.in_project(project).filter(
        status=GoldenStatus.ACCEPTED, in_merge__is_result=False, conversation__in=handed_in.values("conversation")
    )
    counts = Counter(handed_in.values_list("conversation_id", flat=True))
    merged = Counter(went_in.values_list("conversation_id", flat=True))
    several = [pk for pk, number in counts.items() if number + merged[pk] > 1]
    begun = {merge.conversation_id: merge for merge in Merge.objects.filter(conversation__in=several)}
    since: dict[int, datetime] = {}
    for pk, at in handed_in.filter(conversation__in=several).values_list("conversation_id", "submitted_at"):
        if at is not None:
            since[pk] = min(at, since.get(pk, at))
    rows = [
        Waiting(
            conversation,
            counts[conversation.pk] + merged[conversation.pk],
            begun.get(conversation.pk),
            since.get(conversation.pk),
        )
        for conversation in Conversation.objects.filter(pk__in=several).select_related("dataset", "golden_record")
    ]
    return sorted(rows, key=lambda row: (row.since is not None, row.since, row.conversation.pk))


# --- what is open -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """A version as it is shown, under a letter that tells nobody who wrote it. Without a variant, it lacks the item."""

    letter: str
    variant: Variant | None
    people: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with what was decided of it, or why it is open again."""

    item: Item
    sides: tuple[Side, ...]
    decision: MergeDecision | None
    again_because: str = ""
    earlier: MergeDecision | None = None

    @property
    def is_decided(self) -> bool:
        return self.decision is not None


@dataclass
class Board:
    """A merge as it stands: all its items in order, how many differ and are decided, and what hinders it."""

    merge: Merge
    layout: Layout
    entries: list[Entry]
    sources: list[Golden] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    """Tokens of everything that was ever decided in this merge."""

    @property
    def choices(self) -> dict[str, Any]:
        return {entry.item.place: entry.decision.choice for entry in self.entries if entry.decision is not None}

    @property
    def can_be_merged(self) -> bool:
        return len(self.sources) > 1

    @property
    def turns(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.item.is_turn]

    @property
    def differing(self) -> list[Entry]:
        """What is decided one at a time."""
        return [entry for entry in self.entries if not entry.item.is_equal]

    @property
    def equal_open(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.item.is_equal and not entry.is_decided]

    @property
    def open(self) -> list[Entry]:
        return [entry for entry in self.entries if not entry.is_decided]

    @property
    def progress(self) -> str:
        """How far the decisions are, then where the goldens differ.

        Such as "1 of 4 differences decided: 3 of 10 turns differ, and 1 other point".
        """
        return f"{self.decided_words}: {self.differing_words}" if self.differing else self.decided_words

    @property
    def decided_words(self) -> str:
        if not self.differing:
            return say("The goldens say the same")
        return say_n(
            "{decided} of {count} difference decided",
            "{decided} of {count} differences decided",
            len(self.differing),
            decided=sum(entry.is_decided for entry in self.differing),
        )

    @property
    def differing_words(self) -> str:
        """Where the goldens differ."""
        turns = sum(entry.item.is_turn for entry in self.differing)
        others = len(self.differing) - turns
        if not turns:
            return say_n("{count} point outside the turns differs", "{count} points outside the turns differ", others)
        of_turns = say_n(
            "{count} of {total} turns differs", "{count} of {total} turns differ", turns, total=len(self.turns)
        )
        if not others:
            return of_turns
        return say_n(
            "{turns_differ}, and {count} other point",
            "{turns_differ}, and {count} other points",
            others,
            turns_differ=of_turns,
        )

    @cached_property
    def decided(self) -> Merged:
        """What the decisions make by themselves, or the problems why nothing."""
        return merging.merged(self.layout, self.choices)

    @cached_property
    def in_force(self) -> GoldenRecord | None:
        return self.merge.conversation.golden_record

    @cached_property
    def kept(self) -> dict[str, dict[str, Any]]:
        """Settings of the golden in force of which the goldens say nothing, by kind of item. They stay as they are.

        What was once decided in this merge is none: there a golden said it, and says it no longer.
        """
        if self.in_force is None:
            return {}
        golden, policy = self.in_force.body["golden"], self.in_force.body.get("policy") or {}
        path = golden["paths"][0]
        given = {
            "policy": policy,
            "extra": {key: value for key, value in golden.items() if key not in merging.KNOWN},
            "path_extra": {key: value for key, value in path.items() if key not in ("id", "turns")},
        }
        said = {item.token for item in self.layout.items} | self.known
        return {
            kind: left
            for kind, values in given.items()
            if (left := {k: v for k, v in values.items() if merging.digest_of(f"{kind}:{k}") not in said})
        }

    @cached_property
    def made(self) -> Merged:
        """What comes into force: what the decisions make, and what is kept; or the problems why nothing."""
        made = self.decided
        if made.problems or not self.kept:
            return made
        main, *others = made.golden["paths"]
        paths = [{**main, **self.kept.get("path_extra", {})}, *others]
        golden = {**made.golden, **self.kept.get("extra", {}), "paths": paths}
        return replace(made, golden=golden, policy={**made.policy, **self.kept.get("policy", {})})

    @property
    def kept_words(self) -> list[str]:
        """What is kept, for people."""
        return [
            f"{setting_name(key) if kind == 'policy' else key}: {value_words(value)}"
            for kind, values in self.kept.items()
            for key, value in values.items()
        ]

    def changes(self, by: User | None = None) -> GoldenChange | None:
        """What it changes of the golden in force when this person accepts; None where none is, or nothing can be
        accepted."""
        if self.in_force is None or self.made.problems:
            return None
        golden, policy = self.made.golden, self.made.policy
        result = self.merge.result
        if by is not None and self.is_at_desk and result is not None and result.annotator_id == by.pk:
            golden, policy = gold_turns.compose(result, result.turns.all()), result.policy
        return golden_changes(self.in_force.body, documents.golden_body(golden=golden, policy=policy))

    @property
    def comments(self) -> list[str]:
        """What the annotators wrote to their goldens, in an order that tells nobody whose it is."""
        texts = [golden.comment for golden in self.sources if golden.comment]
        return sorted(texts, key=lambda text: hashlib.sha256(f"{self.merge.seed}:{text}".encode()).digest())

    def user_before(self, item: Item) -> str:
        """What the user says before a turn; empty where nothing is, or the goldens have different words for it."""
        said = ""
        for step in self.layout.steps:
            if step.place == item.place:
                return said
            if step.kind == "user":
                said = str(step.variants[0].raw["user"]) if len(step.variants) == 1 else ""
        return ""

    @property
    def hash(self) -> str:
        """Of what the decisions make; empty where they make nothing yet.

        What is kept of the golden in force is no part of it: once accepted, that is another one.
        """
        return "" if self.decided.problems else jsonio.content_hash([self.decided.golden, self.decided.policy])

    @property
    def is_finished(self) -> bool:
        """Whether what was accepted is what the decisions make now."""
        result = self.merge.result
        is_accepted = result is not None and result.status == GoldenStatus.ACCEPTED
        return is_accepted and self.merge.accepted_at is not None and self.merge.written == self.hash

    @property
    def is_at_desk(self) -> bool:
        """Whether what the decisions make lies on the workbench, to be edited by hand before it is accepted."""
        result = self.merge.result
        return result is not None and result.status != GoldenStatus.ACCEPTED and self.merge.written == self.hash != ""

    def find(self, token: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.item.token == token), None)

    def first_open(self, after: str = "") -> Entry | None:
        """The next that differs and is open, behind an item where one is named, else from the start."""
        tokens = [entry.item.token for entry in self.differing]
        start = tokens.index(after) + 1 if after in tokens else 0
        around = [*self.differing[start:], *self.differing[:start]]
        return next((entry for entry in around if not entry.is_decided), None)


def board_of(merge: Merge) -> Board:
    """The merge with the goldens as they are now. Nothing is written."""
    sources = sources_of(merge.conversation)
    layout = merging.lay_out([_source(golden) for golden in sources])
    stored = list(merge.decisions.select_related("decided_by", "example").order_by("revision"))
    valid = {(row.token, row.fingerprint): row for row in stored}
    board = Board(merge, layout, [], sources, frozenset(row.token for row in stored))
    for item in layout.items:
        decision = valid.get((item.token, item.fingerprint))
        if decision is not None and merging.refusal(item, decision.choice):
            decision = None
        earlier = None
        if decision is None:
            earlier = next((row for row in reversed(stored) if row.token == item.token), None)
        because = _why_again(item, earlier) if earlier is not None else ""
        board.entries.append(Entry(item, _sides(merge, item, {}), decision, because, earlier))
    if board.is_finished:
        names = {str(golden.pk): str(golden.annotator) for golden in sources}
        board.entries = [Entry(entry.item, _sides(merge, entry.item, names), entry.decision) for entry in board.entries]
    return board


def _source(golden: Golden) -> Source:
    return Source(str(golden.pk), gold_turns.compose(golden, golden.turns.all()), golden.policy)


def _sides(merge: Merge, item: Item, names: Mapping[str, str]) -> tuple[Side, ...]:
    """The versions in an order that the merge's seed fixes, another one for each item."""
    said: list[tuple[str, Variant | None, tuple[str, ...]]] = [
        (variant.digest, variant, variant.sources) for variant in item.variants
    ]
    if item.absent:
        said.append(("", None, item.absent))
    said.sort(key=lambda one: hashlib.sha256(f"{merge.seed}:{item.token}:{one[0]}".encode()).digest())
    return tuple(
        Side(chr(ord("A") + n), variant, len(who), tuple(sorted(names[key] for key in who if key in names)))
        for n, (_, variant, who) in enumerate(said)
    )


def _said(item: Item) -> dict[str, str]:
    """What each golden says of an item; empty for one that does not have it."""
    found = {key: variant.digest for variant in item.variants for key in variant.sources}
    return {**dict.fromkeys(item.absent, ""), **found}


def _why_again(item: Item, earlier: MergeDecision) -> str:
    now, then = _said(item), earlier.sides
    reasons = []
    if set(now) - set(then):
        reasons.append(say("another golden has come, which says something else here"))
    if set(then) - set(now):
        reasons.append(say("one of the goldens is with its annotator again"))
    if any(now[key] != then[key] for key in now if key in then):
        reasons.append(say("one of the goldens was changed here"))
    if not reasons:
        return say("Open again: what it builds on was changed since it was decided.")
    because = reasons[0]
    for reason in reasons[1:]:
        because = say("{first} and {second}", first=because, second=reason)
    return say("Open again: {because} since it was decided.", because=because)


# --- deciding ---------------------------------------------------------------------------------------------------------


@transaction.atomic
def start(*, conversation: Conversation, by: User) -> Merge:
    """The merge of a conversation, begun where there is none. Raises NotAllowedNowError without two goldens to merge,
    and for somebody who wrote one of them."""
    conversation = (
        Conversation.objects.select_for_update(of=("self",)).select_related("dataset__project").get(pk=conversation.pk)
    )
    merge = Merge.objects.filter(conversation=conversation).first()
    sources = sources_of(conversation)
    if merge is None and len(sources) < 2:
        raise NotAllowedNowError(say("There are no two goldens of this conversation that were handed in."))
    _require_other(sources, by)
    if merge is None:
        merge = Merge.objects.create(conversation=conversation, created_by=by)
        _record(merge, by, "merge.started", after={"goldens": len(sources)})
    _take_in(merge, sources)
    return merge


def _require_other(sources: Iterable[Golden], by: User) -> None:
    if any(golden.annotator_id == by.pk for golden in sources):
        raise NotAllowedNowError(say("One of these goldens is yours, so somebody else must merge them."))


def _take_in(merge: Merge, sources: Sequence[Golden]) -> None:
    """Note which goldens went in, and how far they agree."""
    MergeGolden.objects.bulk_create(
        [MergeGolden(merge=merge, golden=golden) for golden in sources], ignore_conflicts=True
    )
    if len(sources) > 1:
        merge.agreement = merging.agreement_of(merging.lay_out([_source(golden) for golden in sources]))
        merge.save(update_fields=["agreement", "updated_at"])


def _locked(merge: Merge, by: User, *, locks_goldens: bool = False) -> Board:
    """The merge as it is now, locked; with its goldens, which then nobody takes back or returns meanwhile."""
    merge = (
        Merge.objects.select_for_update(of=("self",))
        .select_related(
            "conversation__dataset__project", "conversation__tool_set", "conversation__golden_record", "result"
        )
        .get(pk=merge.pk)
    )
    if locks_goldens:
        list(Golden.objects.select_for_update().filter(conversation=merge.conversation).order_by("pk"))
    board = board_of(merge)
    _require_other(board.sources, by)
    if not board.can_be_merged:
        raise NotAllowedNowError(
            say(
                "Fewer than two goldens are handed in now: what was decided is kept, and the merge goes on when they "
                "are."
            )
        )
    return board


@transaction.atomic
def decide(
    *,
    merge: Merge,
    token: str,
    choice: Any,
    seen: int,
    by: User,
    reason: str = "",
    fingerprint: str = "",
    example_under: str | None = None,
    now: datetime | None = None,
) -> MergeDecision:
    """Decide one item. ``seen`` is the revision of the decision that one saw, 0 where there was none.

    With ``example_under``, a failure reason or an empty text, the reason becomes an example of the guideline as well.

    Raises StaleRevisionError when somebody decided it meanwhile, ChoiceRefusedError when it cannot be decided so,
    NotAllowedNowError when a golden was changed since (``fingerprint`` is what one saw). In each case nothing changes.
    """
    board = _locked(merge, by)
    merge = board.merge
    entry = board.find(token)
    if entry is None or (fingerprint and entry.item.fingerprint != fingerprint):
        raise NotAllowedNowError(say("One of the goldens was changed since you looked. Nothing was saved; look again."))
    current = entry.decision or MergeDecision(merge=merge, token=token, choice={}, revision=0)
    if current.revision != seen:
        raise StaleRevisionError(current, seen=seen)
    reason = _clean(reason)
    why_not = merging.refusal(entry.item, choice)
    if not why_not and example_under is not None and not reason:
        why_not = say("Give a reason: it is the reason that becomes the example.")
    if why_not:
        raise ChoiceRefusedError(why_not)
    _require_no_new_problem(board, {entry.item.place: choice})
    _write(board, [(entry, choice, reason)], by=by, action="merge.decided", now=now or timezone.now())
    if example_under is not None:
        add_example(merge=merge, token=token, by=by, reason_code=example_under)
    return merge.decisions.get(token=token, fingerprint=entry.item.fingerprint)


def _clean(reason: str) -> str:
    reason = reason.replace("\x00", "\ufffd").strip()
    if len(reason) > REASON_LENGTH:
        raise ChoiceRefusedError(
            say("A reason has at most {most} characters, not {count}.", most=REASON_LENGTH, count=len(reason))
        )
    return reason


def _require_no_new_problem(board: Board, more: Mapping[str, Any]) -> None:
    before = set(merging.reference_problems(board.layout, board.choices))
    for problem in merging.reference_problems(board.layout, {**board.choices, **more}):
        if problem not in before:
            raise ChoiceRefusedError(problem.reason)


@transaction.atomic
def accept_equal(*, merge: Merge, by: User, now: datetime | None = None) -> int:
    """Accept all that is the same in all goldens and not decided yet. Returns how many; one undo takes them back.

    Raises ChoiceRefusedError where one of them builds on what was decided to be left out.
    """
    board = _locked(merge, by)
    chosen = [(entry, {"take": entry.item.variants[0].digest}, "") for entry in board.equal_open]
    _require_no_new_problem(board, {entry.item.place: choice for entry, choice, _ in chosen})
    if chosen:
        _write(board, chosen, by=by, action="merge.equal_accepted", now=now or timezone.now())
    return len(chosen)


def _write(board: Board, decided: Collection[tuple[Entry, Any, str]], *, by: User, action: str, now: datetime) -> None:
    merge = board.merge
    _bump(merge)
    before, after = {}, {}
    for entry, choice, reason in decided:
        key = f"{entry.item.token}:{entry.item.fingerprint}"
        before[key] = _state(entry.decision)
        row = MergeDecision.objects.filter(
            merge=merge, token=entry.item.token, fingerprint=entry.item.fingerprint
        ).first() or MergeDecision(merge=merge, token=entry.item.token, fingerprint=entry.item.fingerprint)
        _set_reason(row, reason)
        row.choice, row.sides = choice, _said(entry.item)
        row.revision, row.decided_by, row.decided_at = merge.revision, by, now
        row.save()
        after[key] = _state(row)
    _record(merge, by, action, before={"decisions": before}, after={"decisions": after})
    _take_in(merge, board.sources)


def _set_reason(row: MergeDecision, reason: str) -> None:
    """Another reason is not the one that the guideline has as an example."""
    if row.reason != reason:
        row.reason, row.example = reason, None


def _bump(merge: Merge) -> None:
    merge.revision += 1
    merge.save(update_fields=["revision", "updated_at"])


def _state(row: MergeDecision | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "choice": row.choice,
        "reason": row.reason,
        "sides": row.sides,
        "by": row.decided_by_id,
        "at": row.decided_at.isoformat(),
    }


@transaction.atomic
def undo(*, merge: Merge, by: User) -> Change:
    """Take back this person's newest decision of the merge; pressed again, the one before it.

    Raises goldens.NothingToUndoError when there is none, NotAllowedNowError when somebody else decided the same since.
    """
    merge = _locked(merge, by).merge
    change = history.next_to_undo(scope=str(merge.pk), actor=by)
    if change is None:
        raise goldens.NothingToUndoError(say("There is nothing of yours to undo here."))
    before, after = change.before["decisions"], change.after["decisions"]
    rows = {f"{row.token}:{row.fingerprint}": row for row in merge.decisions.all()}
    for key, then in after.items():
        if not jsonio.canonical(_state(rows.get(key))) == jsonio.canonical(then):
            raise NotAllowedNowError(say(_CHANGED_SINCE))
    _bump(merge)
    for key in after:
        _restore(merge, key, before.get(key), rows.get(key))
    return _record(merge, by, history.UNDO, before=change.after, after=change.before, undoes=change)


def _restore(merge: Merge, key: str, state: dict[str, Any] | None, row: MergeDecision | None) -> None:
    if state is None:
        if row is not None:
            row.delete()
        return
    token, _, fingerprint = key.partition(":")
    row = row or MergeDecision(merge=merge, token=token, fingerprint=fingerprint)
    _set_reason(row, state["reason"])
    row.choice, row.sides, row.decided_by_id = state["choice"], state["sides"], state["by"]
    row.decided_at, row.revision = datetime.fromisoformat(state["at"]), merge.revision
    row.save()


def _record(
    merge: Merge, by: User, action: str, *, before: Any = None, after: Any = None, undoes: Change | None = None
) -> Change:
    is_decision = action.startswith(("merge.decided", "merge.equal")) or action == history.UNDO
    return history.record(
        project=merge.conversation.dataset.project,
        actor=by,
        action=action,
        subject=merge,
        scope=str(merge.pk) if is_decision else "",
        before=before,
        after=after,
        undoes=undoes,
    )


# --- examples ---------------------------------------------------------------------------------------------------------


@transaction.atomic
def add_example(*, merge: Merge, token: str, by: User, reason_code: str = "") -> Guideline:
    """Put the reason of a decision into the guideline as an example: a new version of it.

    Raises NotAllowedNowError where there is no reason, or it stands there already.
    """
    board = _locked(merge, by)
    entry = board.find(token)
    decision = entry.decision if entry is not None else None
    if entry is None or decision is None or not decision.reason:
        raise NotAllowedNowError(say("Decide this first and give a reason: the reason is the example."))
    if decision.example_id is not None:
        raise NotAllowedNowError(say("This reason is an example of the guideline already."))
    project = board.merge.conversation.dataset.project
    with translation.override("en"):  # it is stored, for readers of every language
        what = _begin_small(merging.words_of(entry.item))
    guideline = guidelines.add_example(
        project=project,
        by=by,
        reason=reason_code,
        text=f"{board.merge.conversation}, {what}",
        why=decision.reason,
        source=guidelines.Source(board.merge.conversation),
    )
    decision.example = guideline
    decision.save(update_fields=["example"])
    _record(board.merge, by, "merge.example_added", after={"guideline": guideline.number})
    return guideline


def _begin_small(words: str) -> str:
    return words[:1].lower() + words[1:]


# --- the result -------------------------------------------------------------------------------------------------------


@transaction.atomic
def to_workbench(*, merge: Merge, by: User) -> Golden:
    """Write what the decisions make as a golden of one's own, to be edited by hand before the merge is accepted.

    Raises MergeRefusedError where something is open or cannot be, GoldenRefusedError where the engine cannot read it.
    """
    board = _locked(merge, by)
    result = board.merge.result
    if board.is_at_desk and result is not None and result.annotator_id == by.pk:
        return result
    golden = _written(board, by)
    _record(board.merge, by, "merge.written", after={"golden": str(golden.pk)})
    return golden


@transaction.atomic
def accept(
    *, merge: Merge, by: User, seen: int, seen_number: int | None = None, now: datetime | None = None
) -> GoldenRecord:
    """Make what the decisions make (as it was edited on the workbench, if it was) the golden in force.

    The goldens that went in keep their content and count as accepted. Raises StaleRevisionError when something was
    decided since revision ``seen`` of the merge, NotAllowedNowError when another golden than ``seen_number`` (0: none)
    is in force by now, else as :func:`to_workbench`.
    """
    board = _locked(merge, by, locks_goldens=True)
    merge = board.merge
    if merge.revision != seen:
        raise StaleRevisionError(merge, seen=seen)
    number = board.in_force.number if board.in_force is not None else 0
    if seen_number is not None and seen_number != number:
        if not number:
            raise NotAllowedNowError(say("Meanwhile no golden is in force. Look at it before you replace it."))
        raise NotAllowedNowError(
            say("Meanwhile golden {number} is in force. Look at it before you replace it.", number=number)
        )
    if board.made.problems:
        raise MergeRefusedError(board.made.problems)
    now = now or timezone.now()
    result = merge.result
    is_as_it_stands = board.is_at_desk and result is not None and result.annotator_id == by.pk
    golden = result if is_as_it_stands and result is not None else _written(board, by)
    turns = list(golden.turns.all())
    gold_turns.require_readable(golden, turns)
    before = golden.status
    _accepted(golden, by, now, comment=_MERGED_FROM.format(count=len(board.sources)))
    body = documents.golden_body(golden=gold_turns.compose(golden, turns), policy=golden.policy)
    record = documents.accept_golden_record(conversation=merge.conversation, body=body, by=by, golden=golden)
    _record_state(golden, by, "golden.accepted", before, record=record.number, merge=str(merge.pk))
    for source in board.sources:
        if source.status == GoldenStatus.SUBMITTED:
            was = source.status
            _accepted(source, by, now, comment="")
            _record_state(source, by, "golden.merged", was, record=record.number, merge=str(merge.pk))
    merge.result, merge.record, merge.accepted_by, merge.accepted_at = golden, record, by, now
    merge.revision += 1
    merge.save(update_fields=["result", "record", "accepted_by", "accepted_at", "revision", "updated_at"])
    _record(merge, by, "merge.accepted", after={"record": record.number, "goldens": len(board.sources)})
    _take_in(merge, board.sources)
    return record


def _accepted(golden: Golden, by: User, now: datetime, *, comment: str) -> None:
    golden.status, golden.reviewed_by, golden.reviewed_at = GoldenStatus.ACCEPTED, by, now
    golden.review_comment = comment or golden.review_comment
    golden.revision += 1
    golden.save(update_fields=["status", "reviewed_by", "reviewed_at", "review_comment", "revision", "updated_at"])


def _record_state(golden: Golden, by: User, action: str, before: str, **more: Any) -> None:
    history.record(
        project=golden.conversation.dataset.project,
        actor=by,
        action=action,
        subject=golden,
        before={"status": str(before)},
        after={"status": str(golden.status), **more},
    )


def _written(board: Board, by: User) -> Golden:
    """What the decisions make, as this person's golden, open to be edited."""
    if board.made.problems:
        raise MergeRefusedError(board.made.problems)
    merge = board.merge
    golden = _result_of(merge, by)
    before = golden.status
    golden.status = GoldenStatus.DRAFT
    golden.source_trajectory_id = _most_common(source.source_trajectory_id for source in board.sources)
    golden.save(update_fields=["status", "source_trajectory", "updated_at"])
    if before == GoldenStatus.ACCEPTED:
        _record_state(golden, by, "golden.reopened", before, merge=str(merge.pk))
    golden = goldens.load_body(golden, board.made.golden, by, policy=board.made.policy)
    if golden.source_trajectory is not None:
        rows = list(golden.turns.all())
        gold_turns.lay_beside(rows, golden, golden.source_trajectory)
        GoldTurn.objects.bulk_update(rows, ["observed_index"])
    MergeGolden.objects.update_or_create(golden=golden, defaults={"merge": merge, "is_result": True})
    merge.result, merge.written = golden, board.hash
    merge.save(update_fields=["result", "written", "updated_at"])
    return golden


def _most_common(values: Iterable[int | None]) -> int | None:
    counts = Counter(value for value in values if value is not None)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None


def _result_of(merge: Merge, by: User) -> Golden:
    """This person's golden of the conversation, where it may be written over, or a new one."""
    own = Golden.objects.select_for_update().filter(conversation=merge.conversation, annotator=by).first()
    if own is None:
        return Golden.objects.create(
            conversation=merge.conversation,
            annotator=by,
            guideline=projects.current_guideline(merge.conversation.dataset.project),
        )
    is_result = MergeGolden.objects.filter(golden=own, is_result=True).exists()
    if not is_result and own.status != GoldenStatus.ACCEPTED:
        raise NotAllowedNowError(
            say(
                "You have a golden of your own of this conversation in work, which the merge would write over. "
                "Hand it in first; somebody else then merges it with the others."
            )
        )
    return own


# --- agreement --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of ``n`` are equal; no share where there are none."""

    name: str
    equal: int
    n: int

    @property
    def share(self) -> int | None:
        """In percent."""
        return round(100 * self.equal / self.n) if self.n else None


def agreement_rows(found: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> list[Agreement]:
    """Turns, then field by field, of one merge or of several together."""
    several = [found] if isinstance(found, Mapping) else list(found)

    def total(name: str, of: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Agreement:
        counts = [of(one) for one in several if one]
        return Agreement(name, sum(c.get("equal", 0) for c in counts), sum(c.get("n", 0) for c in counts))

    rows = [total(say("Turns"), lambda one: one.get("turns", {}))]
    for key, words in merging.AGREEMENT_FIELDS.items():
        rows.append(total(say(words), lambda one, key=key: one.get("fields", {}).get(key, {})))  # type: ignore[misc]
    return rows


def agreement_in(project: Project) -> tuple[int, list[Agreement]]:
    """How many merges of a project there are, and how far people's goldens agree in them."""
    found = list(Merge.objects.in_project(project).values_list("agreement", flat=True))
    return len(found), agreement_rows(found)
