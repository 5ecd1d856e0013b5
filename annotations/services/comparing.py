"""What has changed between versions: of a dataset, of a conversation's goldens, and of a golden in work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404

from annotations.models import Change, Conversation, Dataset, DatasetVersion, Golden, GoldenRecord, GoldTurn, User
from annotations.sentences import Part, Sentence, turn_sentence
from annotations.services import goldens
from annotations.wording import GoldenChange, Names, golden_changes, turn_changes, whole_changes
from evaluation.aem.language import say

NOW = "now"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Moved:
    """A conversation whose golden differs: ids of golden records, None where there is none."""

    conversation_id: int
    before: int | None
    after: int | None

    @property
    def state(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True)
class ConversationChange:
    """A conversation whose golden differs between two versions, in words."""

    conversation: Conversation
    state: str
    before: GoldenRecord | None
    after: GoldenRecord | None
    change: GoldenChange
    has_other_tools: bool = False


def chosen_versions(
    versions: list[DatasetVersion], to: str, since: str
) -> tuple[DatasetVersion | None, DatasetVersion | None]:
    """The later and the earlier side; None is what is in force now, and nothing at all. Raises Http404 for no version.

    ``versions`` are newest first. Without a choice the later one is what is in force, the earlier one the version
    before.
    """
    by_number = {str(version.number): version for version in versions}
    for asked in (to, since):
        if asked not in ("", NOW, "0") and asked not in by_number:
            raise Http404(say("This dataset has no such version."))
    later = by_number.get(to)
    if since:
        return later, by_number.get(since)
    earlier = [version for version in versions if later is None or version.number < later.number]
    return later, next(iter(earlier), None)


def records_of(version: DatasetVersion) -> dict[int, int]:
    """The golden record of each conversation in a version: ids of records by ids of conversations, in order."""
    rows = version.items.order_by("position").values_list("golden_record__conversation_id", "golden_record_id")
    return dict(rows)


def in_force(dataset: Dataset) -> dict[int, int]:
    """The golden records in force now, which the next version would freeze."""
    rows = dataset.conversations.filter(golden_record__isnull=False).order_by("key")
    return {conversation: record for conversation, record in rows.values_list("pk", "golden_record_id") if record}


def moved(before: Mapping[int, int], after: Mapping[int, int]) -> list[Moved]:
    """The conversations whose golden record is another one, in the order of the later version, then what is gone."""
    found = [Moved(pk, before.get(pk), record) for pk, record in after.items() if before.get(pk) != record]
    return [*found, *(Moved(pk, record, None) for pk, record in before.items() if pk not in after)]


def in_words(found: Sequence[Moved]) -> list[ConversationChange]:
    """These with what changed; it reads the goldens, so give it one page."""
    conversations = Conversation.objects.in_bulk([one.conversation_id for one in found])
    ids = [pk for one in found for pk in (one.before, one.after) if pk is not None]
    records = GoldenRecord.objects.select_related("created_by").in_bulk(ids)
    changes = []
    for one in found:
        before = records.get(one.before) if one.before is not None else None
        after = records.get(one.after) if one.after is not None else None
        changes.append(compared(conversations[one.conversation_id], before, after))
    return changes


def compared(conversation: Conversation, before: GoldenRecord | None, after: GoldenRecord | None) -> ConversationChange:
    """One conversation's goldens of two versions."""
    if before is None or after is None:
        state = "added" if before is None else "removed"
        return ConversationChange(conversation, state, before, after, GoldenChange((), ()))
    change = golden_changes(before.body, after.body)
    has_other_tools = before.tool_set_id != after.tool_set_id
    return ConversationChange(conversation, "changed", before, after, change, has_other_tools)


# --- the history of a golden in work ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """What one change did to one turn. ``state`` is changed, added, removed or seen (saved as it was)."""

    turn_pk: int
    name: str
    state: str
    sentences: tuple[Sentence, ...]
    can_be_restored: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of a golden: who did what when, turn by turn in words."""

    pk: int
    at: datetime
    actor: User | None
    words: str
    steps: tuple[Step, ...]
    whole: tuple[Sentence, ...]


def names_of(turns: Sequence[GoldTurn]) -> dict[str, str]:
    return {turn.key: say("turn {number}", number=turn.turn_no) for turn in turns if turn.turn_no}


def entry_of(change: Change, turns: Mapping[int, GoldTurn], *, only: int | None = None) -> Entry:
    """A change of a golden in words. ``turns`` are those that stand now; ``only`` leaves out the other turns."""
    before, after = _turns_of(change.before), _turns_of(change.after)
    names = names_of(list(turns.values()))
    steps = []
    for pk in {**before, **after}:
        if only in (None, pk):
            step = _step(pk, before.get(pk), after.get(pk), turns.get(pk), names)
            if step is not None:
                steps.append(step)
    steps.sort(key=lambda step: (turns[step.turn_pk].position if step.turn_pk in turns else 1_000_000, step.turn_pk))
    whole = [] if only is not None else whole_changes(_whole_of(change.before), _whole_of(change.after))
    words = goldens.words_for(change)
    if change.action == "undo":
        said = say("Undone: {words}", words=words)
    elif change.action == "redo":
        said = say("Done again: {words}", words=words)
    else:
        said = _begin(words)
    return Entry(change.pk, change.at, change.actor, said, tuple(steps), tuple(whole))


def _step(pk: int, before: Any, after: Any, turn: GoldTurn | None, names: Names) -> Step | None:
    number = next((row["turn_no"] for row in (after, before) if row and row.get("turn_no")), turn and turn.turn_no)
    if number:
        name = say("Turn {number}", number=number)
    else:
        name = say("What the user says") if _is_user(before, after, turn) else say("A turn")
    if before is None and after is not None:
        return Step(pk, name, "added", ([Part(say("New.") + " "), *turn_sentence(after.get("body") or {}, names)],))
    if after is None:
        return Step(pk, name, "removed", ([Part(say("Removed."))],))
    sentences: list[Sentence] = []
    if "body" in before and "body" in after:
        sentences += turn_changes(before["body"], after["body"], names, names)
    if before.get("path") != after.get("path"):
        opening, _, ending = say("It is now in the way {path}.").partition("{path}")
        sentences.append([Part(opening), Part(str(after.get("path")), "name"), Part(ending)])
    elif before.get("turn_no") != after.get("turn_no") and after.get("turn_no") and before.get("turn_no"):
        words = say("It is now turn {number}; it was turn {old}.", number=after["turn_no"], old=before["turn_no"])
        sentences.append([Part(words)])
    if sentences:
        return Step(pk, name, "changed", tuple(sentences), can_be_restored="body" in after)
    if before.get("is_done") != after.get("is_done") or "body" in after:
        words = say("Looked at, and saved as it was.") if after.get("is_done", True) else say("Open again.")
        return Step(pk, name, "seen", ([Part(words)],), can_be_restored="body" in after)
    return None  # only its place in the list moved


def _is_user(*states: Any) -> bool:
    return any(
        (state.kind if isinstance(state, GoldTurn) else state.get("kind")) == "user" for state in states if state
    )


def _turns_of(state: Any) -> dict[int, dict[str, Any]]:
    turns = state.get("turns", {}) if isinstance(state, Mapping) else {}
    return {int(pk): row for pk, row in turns.items()} if isinstance(turns, Mapping) else {}


def _whole_of(state: Any) -> Mapping[str, Any]:
    whole = state.get("golden", {}) if isinstance(state, Mapping) else {}
    return whole if isinstance(whole, Mapping) else {}


def _begin(words: str) -> str:
    return words[:1].upper() + words[1:]


def history_of(golden: Golden) -> Any:
    """All changes of a golden, newest first."""
    return Change.objects.filter(scope=str(golden.pk)).select_related("actor", "undoes").order_by("-pk")


def find_body(golden: Golden, *, change_pk: int, turn_pk: int) -> dict[str, Any] | None:
    """What a turn said after a change of its golden; None where that change says nothing of it."""
    change = Change.objects.filter(scope=str(golden.pk), pk=change_pk).first()
    row = _turns_of(change.after).get(turn_pk) if change is not None else None
    body = row.get("body") if row else None
    return body if isinstance(body, dict) else None


def put_in_words(changes: Iterable[Change]) -> None:
    """Give each change of a golden its ``entry``, and the golden's name and address; the others stay as they are."""
    changes = list(changes)
    scopes = {change.scope for change in changes if _UUID.fullmatch(change.scope)}
    found = {str(golden.pk): golden for golden in Golden.objects.filter(pk__in=scopes).select_related("conversation")}
    turns: dict[str, dict[int, GoldTurn]] = {}
    for turn in GoldTurn.objects.filter(golden__in=found.values()):
        turns.setdefault(str(turn.golden_id), {})[turn.pk] = turn
    for change in changes:
        golden = found.get(change.scope)
        if golden is not None:
            change.entry = entry_of(change, turns.get(change.scope, {}))  # type: ignore[attr-defined]
            change.golden_url = golden.get_absolute_url()  # type: ignore[attr-defined]
            change.golden_name = str(golden.conversation)  # type: ignore[attr-defined]
