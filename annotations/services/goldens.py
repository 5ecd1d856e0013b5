"""Writing a golden: start, turns, paths, submit, return, accept, undo. Each write is a transaction with its history."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Subquery
from django.utils import timezone

from annotations import structure
from annotations.drafting import Mark
from annotations.models import (
    Change,
    Conversation,
    Golden,
    GoldenRecord,
    GoldenStatus,
    GoldTurn,
    Guideline,
    Membership,
    MergeGolden,
    Role,
    SuggestionState,
    Trajectory,
    TurnKind,
    User,
)
from annotations.services import assignments, documents, gold_turns, history, prefills, suggestions
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.services.gold_turns import MAIN_PATH, GoldenRefusedError
from annotations.structure import StepDraft
from annotations.suggesting import Offer
from evaluation.aem.language import mark, say, say_n
from evaluation.formats import jsonio

#: Far above any position: rows wait there while they are renumbered, so that no two meet in one place.
_PARKED = 1_000_000
#: The largest number that a row may have; a larger one is of none, and no database could look for it.
_LARGEST = 2**63 - 1
_ROW = ("path", "path_position", "position", "turn_no", "kind", "body", "observed_index", "is_done")
_WHOLE = ("forbidden", "outcome", "policy", "extra", "comment", "source_trajectory_id", "prefill")
PATH_LENGTH = 100
_CHANGED_SINCE = mark("Somebody else has changed this since; undoing would lose what they wrote.")


class TurnRefusedError(WorkbenchError):
    """A turn that the engine could not read: ``field`` says where in it."""

    def __init__(self, reason: str, field: str = "") -> None:
        self.reason = reason
        self.field = field
        super().__init__(f"{field}: {reason}" if field else reason)


class NothingToUndoError(NotAllowedNowError):
    """There is no change of this person left that could be taken back, or done again."""


# --- start ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def start(
    conversation: Conversation,
    annotator: User,
    source_trajectory: Trajectory | None = None,
    *,
    more: Sequence[Trajectory] = (),
    is_told: bool = True,
    from_golden_in_force: bool = False,
    beyond_overlap: bool = False,
    has_place: bool = False,
    now: datetime | None = None,
) -> Golden:
    """This person's golden of a conversation: the one they have, or a new one.

    A new one is empty, a draft of a trajectory (and of ``more`` of them), or a copy of the golden in force (with a
    trajectory to look at). ``is_told`` says whether the person may know which trajectories were chosen. An
    annotator needs a place of the conversation, unless they were given it this moment (``has_place``); those who review
    may correct without one, and so may an import (``beyond_overlap``), which brings what was written elsewhere.

    Raises NoPlaceLeftError for an annotator when all places are held by others.
    """
    _require_own([*([source_trajectory] if source_trajectory else ()), *more], conversation)
    if not (beyond_overlap or has_place):
        _take_place(conversation, annotator, now or timezone.now())
    own = Golden.objects.filter(conversation=conversation, annotator=annotator).order_by("pk")
    golden = own.first()
    if golden is not None:
        golden.conversation, golden.annotator = conversation, annotator
        return golden
    golden = Golden(
        conversation=conversation,
        annotator=annotator,
        source_trajectory=source_trajectory,
        guideline=Guideline.objects.filter(project_id=conversation.dataset.project_id).first(),
    )
    rows: list[GoldTurn] = []
    marks: dict[int, list[Mark]] = {}
    record = GoldenRecord.objects.filter(pk__in=Conversation.objects.filter(pk=conversation.pk).values("golden_record"))
    in_force = record.first() if from_golden_in_force else None
    if in_force is not None:
        body = in_force.body
        rows = gold_turns.rows_of(golden, body["golden"], is_done=True)
        golden.policy = body.get("policy") or {}
        if source_trajectory is not None:
            gold_turns.lay_beside(rows, golden, source_trajectory)
    elif source_trajectory is not None:
        rows, marks, golden.prefill = prefills.rows_of(golden, [source_trajectory, *more], is_told=is_told)
    try:
        with transaction.atomic():
            golden.save(force_insert=True)
    except IntegrityError:  # another window of theirs was first
        first = own.first()
        if first is None:
            raise
        return first
    GoldTurn.objects.bulk_create(rows)
    if in_force is None:
        suggestions.make(golden, rows, marks)
    history.record(
        project=conversation.dataset.project,
        actor=annotator,
        action="golden.started",
        subject=golden,
        after={"source_trajectory": source_trajectory and source_trajectory.pk, "turns": len(rows)},
    )
    return golden


def _require_own(trajectories: Sequence[Trajectory], conversation: Conversation) -> None:
    if any(trajectory.conversation_id != conversation.pk for trajectory in trajectories):
        raise WorkbenchError(say("The trajectory belongs to another conversation."))
    prefills.require_few(trajectories)


@transaction.atomic
def redraft(*, golden: Golden, trajectories: Sequence[Trajectory], by: User, is_told: bool = True) -> Golden:
    """Draft all turns anew from these trajectories, the first of which stands beside the golden. Undo takes it back.

    What holds for the whole conversation stays.
    """
    golden = _locked_golden(golden.pk, by=by)
    if not trajectories:
        raise WorkbenchError(say("Choose at least one run to draft from."))
    _require_own(trajectories, golden.conversation)
    before = _whole(golden)
    golden.source_trajectory = trajectories[0]
    rows, marks, golden.prefill = prefills.rows_of(golden, trajectories, is_told=is_told)
    golden.revision += 1
    golden.save(update_fields=["source_trajectory", "prefill", "revision", "updated_at"])
    with _structure(golden, by, "golden.redrafted", whole_before=before):
        golden.turns.all().delete()
        GoldTurn.objects.bulk_create(rows)
    suggestions.make(golden, rows, marks)
    return golden


def start_for(
    conversation: Conversation,
    annotator: User,
    *,
    is_blinded: bool,
    origin: str = "",
    trajectories: Sequence[Trajectory] = (),
    has_place: bool = False,
    now: datetime,
) -> Golden:
    """Start as a person asks: ``origin`` is ``nothing``, ``trajectory``, ``golden``, or empty for the best there is.

    The best is the golden in force, then the trajectories that succeeded, then any. A blinded annotator gets no golden
    that somebody in this project wrote: their own is to be independent of it. Nor are they told which trajectories
    succeeded.
    """
    in_force = GoldenRecord.objects.filter(
        pk__in=Conversation.objects.filter(pk=conversation.pk).values("golden_record")
    )
    record = in_force.order_by("pk").values("golden").first()
    may_copy = record is not None and (not is_blinded or record["golden"] is None)
    if origin == "golden" and not may_copy:
        raise NotAllowedNowError(say("There is no golden in force that you may start from; write your own."))
    is_told = bool(trajectories) or not is_blinded
    chosen = [] if origin == "nothing" else list(trajectories)
    if not chosen and origin != "nothing":
        chosen = prefills.succeeded(conversation, is_blinded=is_blinded)
    return start(
        conversation,
        annotator,
        chosen[0] if chosen else None,
        more=chosen[1:],
        is_told=is_told,
        from_golden_in_force=may_copy and origin in ("", "golden"),
        has_place=has_place,
        now=now,
    )


def _take_place(conversation: Conversation, annotator: User, now: datetime) -> None:
    try:
        assignments.claim(conversation, annotator, now)
    except assignments.NoPlaceLeftError:
        if not _reviews(conversation, annotator):
            raise


def _reviews(conversation: Conversation, user: User) -> bool:
    return Membership.objects.filter(
        project_id=conversation.dataset.project_id, user=user, role__in=(Role.ADJUDICATOR, Role.OWNER)
    ).exists()


# --- read -------------------------------------------------------------------------------------------------------------


def golden_body(golden: Golden) -> dict[str, Any]:
    """The aem/1 golden as it is now."""
    return gold_turns.compose(golden, golden.turns.all())


# --- turns ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def update_turn(*, turn: GoldTurn, body: dict[str, Any], seen: int, by: User) -> GoldTurn:
    """Save what is expected in one turn.

    Raises StaleRevisionError when somebody saved it after revision ``seen``, TurnRefusedError when the engine could not
    read it, NotAllowedNowError when the golden is not open. In each case nothing is changed.
    """
    golden = _locked_golden(turn.golden_id, by=by, read=_read_golden(turn))
    turn, beside = _with_path(golden, turn)
    if turn.revision != seen:
        raise StaleRevisionError(turn, seen=seen)
    body = _require_object(body)
    if "id" not in body and "id" in turn.body:
        body = {"id": turn.body["id"], **body}
    if body.get("id") != turn.body.get("id"):
        raise TurnRefusedError(say("the id of a turn stays as it is: labels and other turns name it"), "id")
    before = [other for other in beside if other.position < turn.position]
    _require_turn(before, turn.turn_no, body, [other for other in beside if other.position > turn.position])
    was = _row(turn)
    turn.body, turn.kind, turn.is_done = body, gold_turns.kind_of(body), True
    if (was["kind"] == TurnKind.USER) != (turn.kind == TurnKind.USER):
        raise TurnRefusedError(say("a user turn stays a user turn; add another turn instead"))
    turn.revision += 1
    turn.save(update_fields=["body", "kind", "is_done", "revision", "updated_at"])
    turn.golden = golden
    settled = suggestions.settle(golden, turn, was["body"], by=by, now=timezone.now(), earlier=before)
    if body.get("group") != was["body"].get("group"):
        settled = suggestions.joined(settled, suggestions.refresh(golden))
    rows = {turn.pk: was}, {turn.pk: _row(turn)}
    _record(golden, by, "turn.saved", before=rows[0], after=rows[1], subject=turn, suggested=settled)
    _touch(golden)
    return turn


@transaction.atomic
def decide_suggestion(*, turn: GoldTurn, offer: Offer, accepts: bool, by: User) -> None:
    """Accept or refuse a suggestion where that changes nothing in the turn: what is accepted stands there already, what
    is refused was never in it. Undo takes it back.
    """
    golden = _locked_golden(turn.golden_id, by=by)
    turn = _locked_turn(golden, turn.pk)
    state = SuggestionState.ACCEPTED if accepts else SuggestionState.REFUSED
    settled = suggestions.decide(golden, turn, offer, state=state, by=by, now=timezone.now())
    _record(golden, by, f"suggestion.{state}", subject=turn, suggested=settled)
    _touch(golden)


def _require_turn(before: list[GoldTurn], turn_no: int | None, body: dict[str, Any], after: list[GoldTurn]) -> None:
    """Raises TurnRefusedError where a turn cannot stand between these of its path, or cannot be read."""
    key = str(body.get("id", ""))
    steps: list[structure.Step] = [*before, StepDraft(key, turn_no, body), *after]
    found = structure.order_problem(steps, about=key)
    if found is not None:
        raise TurnRefusedError(found.reason, found.place if found.key == key else "group")
    problem = gold_turns.problem_of_turn(before, body)
    if problem is not None:
        raise TurnRefusedError(problem.reason, problem.field)


@transaction.atomic
def refuse_path(*, turn: GoldTurn, offer: Offer, by: User) -> None:
    """Refuse a way that a draft proposed: it is taken out, as one change that undo takes back."""
    golden = _locked_golden(turn.golden_id, by=by)
    turn = _locked_turn(golden, turn.pk)
    if not golden.turns.exclude(path=turn.path).exists():
        raise NotAllowedNowError(say("A golden needs at least one path."))
    settled = suggestions.decide(golden, turn, offer, state=SuggestionState.REFUSED, by=by, now=timezone.now())
    with _structure(golden, by, "path.removed", suggested=settled):
        golden.turns.filter(path=turn.path).delete()


@transaction.atomic
def take_observed(*, turn: GoldTurn, seen: int, by: User, observed_index: int | None = None) -> GoldTurn:
    """What the agent did in its place is what is expected; step, dependencies and weight stay as they are.

    Raises NotAllowedNowError where there is no such observed turn, else as update_turn.
    """
    golden = Golden.objects.select_related("source_trajectory").get(pk=turn.golden_id)
    index = turn.observed_index if observed_index is None else observed_index
    observed = observed_turn(golden, index)
    drafted = None if observed is None else gold_turns.draft_turn(observed, key=turn.key)
    if drafted is None:
        raise NotAllowedNowError(say("No observed turn stands beside this one."))
    about_the_call = ("response", "claims", "tool", "action", "params", "extra", "allowed_extra", "user")
    kept = {key: value for key, value in turn.body.items() if key not in about_the_call}
    return update_turn(turn=turn, body={**drafted, **kept}, seen=seen, by=by)


def observed_turn(golden: Golden, index: int | None) -> dict[str, Any] | None:
    """A turn of the trajectory that the golden was drafted from."""
    if golden.source_trajectory is None or index is None:
        return None
    turns = golden.source_trajectory.body["turns"]
    return turns[index] if 0 <= index < len(turns) else None


@transaction.atomic
def add_turn(
    *,
    golden: Golden,
    body: dict[str, Any],
    by: User,
    path: str = MAIN_PATH,
    after: GoldTurn | None = None,
    at_start: bool = False,
    observed_index: int | None = None,
) -> GoldTurn:
    """Put a new turn behind another one, at the start, or at the end of the path. It gets an id of its own.

    Behind a turn whose order is free it comes after all of its group, unless it belongs to the group. Raises
    TurnRefusedError where it builds on what it cannot build on, or where the engine could not read it.
    """
    golden = _locked_golden(golden.pk, by=by)
    turns = list(golden.turns.filter(path=path))
    if not turns and golden.turns.exists():
        raise WorkbenchError(say("There is no path {path}.", path=path))
    at = 0 if at_start else len(turns)
    if after is not None:
        at = next((n + 1 for n, turn in enumerate(turns) if turn.pk == after.pk), len(turns))
    body = {**_require_object(body), "id": gold_turns.free_key(turns, gold_turns.kind_of(body))}
    while 0 < at < len(turns) and _pulls_apart(turns, [*turns[:at], StepDraft(body["id"], None, body), *turns[at:]]):
        at += 1
    _require_turn(turns[:at], None, body, turns[at:])
    kind = gold_turns.kind_of(body)
    new = GoldTurn(
        golden=golden,
        path=path,
        path_position=turns[0].path_position if turns else 0,
        position=at,
        kind=kind,
        body=body,
        observed_index=observed_index,
    )
    with _structure(golden, by, "turn.added", path=path):
        turns.insert(at, new)
        _renumber(golden, turns, new=new)
    new.refresh_from_db()
    new.golden = golden
    suggestions.make_for_turn(golden, new)
    return new


@transaction.atomic
def remove_turn(*, turn: GoldTurn, by: User) -> None:
    """Take a turn out of its path. Raises NotAllowedNowError while other turns name it."""
    golden = _locked_golden(turn.golden_id, by=by)
    turns = list(golden.turns.filter(path=turn.path))
    naming = [other for other in turns if other.pk != turn.pk and turn.key in _named_turns(other.body)]
    if turn.key and naming:
        numbers = ", ".join(str(other.turn_no) for other in naming)
        raise NotAllowedNowError(
            say_n(
                "Something of turn {numbers} comes from this turn or depends on it; change that first.",
                "Something of turns {numbers} comes from this turn or depends on it; change that first.",
                len(naming),
                numbers=numbers,
            )
        )
    left = [other for other in turns if other.pk != turn.pk]
    problem = structure.runs_problem(turns, left)
    if problem:
        raise NotAllowedNowError(problem)
    with _structure(golden, by, "turn.removed", path=turn.path):
        GoldTurn.objects.filter(pk=turn.pk).delete()
        _renumber(golden, left)


@transaction.atomic
def move_turn(*, turn: GoldTurn, by: User, places: int) -> GoldTurn:
    """Move a turn up (negative) or down within its path; past a group it moves in one go.

    Raises NotAllowedNowError, naming both turns, where a turn would come before one that it builds on, and where a
    group would be pulled apart.
    """
    golden = _locked_golden(turn.golden_id, by=by)
    turns = list(golden.turns.filter(path=turn.path))
    at = next(n for n, other in enumerate(turns) if other.pk == turn.pk)
    to = max(0, min(len(turns) - 1, at + places))
    if to != at:
        moved = _moved(turns, at, to)
        problem = structure.moved_problem(moved, turn.key) or structure.runs_problem(turns, moved)
        if problem:
            raise NotAllowedNowError(problem)
        with _structure(golden, by, "turn.moved", path=turn.path):
            _renumber(golden, moved)
    turn.refresh_from_db()
    return turn


def _moved(turns: list[GoldTurn], at: int, to: int) -> list[GoldTurn]:
    """The turns with one moved; where it would come to stand within a group, it goes on past it."""
    step = 1 if to > at else -1
    first: list[GoldTurn] | None = None
    while 0 <= to < len(turns):
        moved = [*turns[:at], *turns[at + 1 :]]
        moved.insert(to, turns[at])
        if not _pulls_apart(turns, moved):
            return moved
        first = first or moved
        to += step
    return first or turns


def _pulls_apart(before: Sequence[structure.Step], after: Sequence[structure.Step]) -> bool:
    return bool(structure.runs_problem(before, after))


def _named_turns(body: dict[str, Any]) -> set[str]:
    """The ids that a turn names in depends_on, from and ref, as far as they are readable."""
    found: set[str] = set()
    for edge in _list(body.get("depends_on")):
        found.add(str(edge.get("turn")) if isinstance(edge, dict) else str(edge))
    params = body.get("params")
    parts = [*(params.values() if isinstance(params, dict) else ()), *_list(body.get("claims"))]
    for part in parts:
        if isinstance(part, dict):
            found |= {str(key) for key in _list(part.get("from"))}
            if isinstance(part.get("ref"), dict):
                found.add(str(part["ref"].get("turn")))
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


@transaction.atomic
def relax_lookups(*, golden: Golden, by: User) -> int:
    """Make each call of a tool without effect an optional step: a good run may look things up in its own way."""
    golden = _locked_golden(golden.pk, by=by)
    tools = golden.conversation.tool_set.body
    return _change_bodies(
        golden,
        by,
        "turns.lookups_made_optional",
        lambda turn: (
            {**turn.body, "optional": True}
            if _effect(tools, turn.body) == "read" and not turn.body.get("optional") and not turn.body.get("critical")
            else turn.body
        ),
    )


def _effect(tools: Any, body: dict[str, Any]) -> str:
    tool = tools.get(body.get("tool")) if isinstance(tools, dict) and isinstance(body.get("tool"), str) else None
    return str(tool.get("effect", "")) if isinstance(tool, dict) else ""


def _change_bodies(golden: Golden, by: User, action: str, change: Callable[[GoldTurn], dict[str, Any]]) -> int:
    before, after = {}, {}
    suggested: tuple[suggestions.States, suggestions.States] = {}, {}
    now = timezone.now()
    for turn in golden.turns.exclude(kind=TurnKind.USER):
        body, was = change(turn), turn.body
        if body is was:
            continue
        before[turn.pk] = _row(turn)
        turn.body = body
        turn.revision += 1
        turn.save(update_fields=["body", "revision", "updated_at"])
        after[turn.pk] = _row(turn)
        settled = suggestions.settle(golden, turn, was, by=by, now=now, keeps=False)
        suggested = suggestions.joined(suggested, settled)
    if after:
        settled = suggestions.joined(suggested, suggestions.refresh(golden))
        _record(golden, by, action, before=before, after=after, suggested=settled)
        _touch(golden)
    return len(after)


# --- free order -------------------------------------------------------------------------------------------------------


@transaction.atomic
def group_turns(*, golden: Golden, turns: Collection[int], by: User) -> list[GoldTurn]:
    """Let these turns, given by their row ids, come in any order, together with all that shares a group with them.

    Raises NotAllowedNowError, saying why, where the engine could not take them so: turns between them, a user turn, or
    one that builds on another.
    """
    golden = _locked_golden(golden.pk, by=by)
    steps, chosen = _chosen(golden, turns)
    problem = structure.group_problem(steps, chosen)
    if problem:
        raise NotAllowedNowError(problem)
    names = [turn.body["group"] for turn in chosen if turn.body.get("group") is not None]
    taken = {str(turn.body.get("group")) for turn in steps}
    name = names[0] if names else structure.free_group_name(taken)
    neighbours = structure.runs_of(
        [
            StepDraft(step.key, step.turn_no, {**step.body, "group": name} if step in chosen else step.body)
            for step in steps
        ]
    )
    keys = {turn.key for turn in chosen}
    if not any(set(run.keys) == keys for run in neighbours):  # a group of that name stands right beside it
        name = structure.free_group_name(taken)
    pks = {turn.pk for turn in chosen}
    _change_bodies(
        golden,
        by,
        "turns.grouped",
        lambda turn: {**turn.body, "group": name} if turn.pk in pks and turn.body.get("group") != name else turn.body,
    )
    return list(golden.turns.filter(pk__in=pks))


@transaction.atomic
def ungroup_turns(*, golden: Golden, turns: Collection[int], by: User) -> list[GoldTurn]:
    """Let the order of these turns count again, and that of all that shares a group with them."""
    golden = _locked_golden(golden.pk, by=by)
    _, chosen = _chosen(golden, turns)
    pks = {turn.pk for turn in chosen if turn.body.get("group") is not None}
    if not pks:
        raise NotAllowedNowError(say("The order of none of these turns is free. Choose a turn of a group."))
    _change_bodies(
        golden,
        by,
        "turns.ungrouped",
        lambda turn: (
            {key: value for key, value in turn.body.items() if key != "group"} if turn.pk in pks else turn.body
        ),
    )
    return list(golden.turns.filter(pk__in=pks))


def _chosen(golden: Golden, pks: Collection[int]) -> tuple[list[GoldTurn], list[GoldTurn]]:
    """All turns of the path that these belong to, and these with their companions."""
    found = list(golden.turns.filter(pk__in=[pk for pk in pks if pk <= _LARGEST]))
    if len(found) != len(set(pks)):
        raise NotAllowedNowError(say("One of these turns was removed meanwhile; nothing was changed."))
    if not found:
        raise NotAllowedNowError(say("Choose the turns first: tick them in the list."))
    if len({turn.path for turn in found}) > 1:
        raise NotAllowedNowError(say("These turns belong to different ways; choose turns of one."))
    steps = list(golden.turns.filter(path=found[0].path))
    keys = {turn.key for turn in structure.with_companions(steps, [turn.key for turn in found])}
    return steps, [turn for turn in steps if turn.key in keys]


# --- paths ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def add_path(*, golden: Golden, name: str, copy_of: str, by: User) -> str:
    """Another accepted way, as a copy of one that is there; it is then changed where it differs."""
    golden = _locked_golden(golden.pk, by=by)
    name = _new_path_name(golden, name)
    turns = list(golden.turns.filter(path=copy_of))
    if not turns:
        raise WorkbenchError(say("There is no path {path} with turns to copy.", path=copy_of))
    last = golden.turns.order_by("-path_position").first()
    position = (last.path_position if last else 0) + 1
    with _structure(golden, by, "path.added"):
        GoldTurn.objects.bulk_create(
            GoldTurn(
                golden=golden,
                path=name,
                path_position=position,
                position=turn.position,
                turn_no=turn.turn_no,
                kind=turn.kind,
                body=turn.body,
                observed_index=turn.observed_index,
                is_done=turn.is_done,
            )
            for turn in turns
        )
    return name


@transaction.atomic
def rename_path(*, golden: Golden, path: str, name: str, by: User) -> str:
    golden = _locked_golden(golden.pk, by=by)
    if name.strip() == path:
        return path
    name = _new_path_name(golden, name)
    if not golden.turns.filter(path=path).exists():
        raise WorkbenchError(say("There is no path {path}.", path=path))
    with _structure(golden, by, "path.renamed"):
        golden.turns.filter(path=path).update(path=name, revision=F("revision") + 1)
        path_extra = golden.extra.get("paths", {})
        if path in path_extra:
            golden.extra["paths"] = {name if key == path else key: value for key, value in path_extra.items()}
            golden.save(update_fields=["extra"])
    return name


@transaction.atomic
def remove_path(*, golden: Golden, path: str, by: User) -> None:
    golden = _locked_golden(golden.pk, by=by)
    if not golden.turns.exclude(path=path).exists():
        raise NotAllowedNowError(say("A golden needs at least one path."))
    with _structure(golden, by, "path.removed"):
        golden.turns.filter(path=path).delete()


def _new_path_name(golden: Golden, name: str) -> str:
    name = name.strip()
    if not name:
        raise WorkbenchError(say("A path needs a name."))
    if len(name) > PATH_LENGTH:
        raise WorkbenchError(
            say("A path's name has at most {most} characters, not {count}.", most=PATH_LENGTH, count=len(name))
        )
    if golden.turns.filter(path=name).exists():
        raise WorkbenchError(say("There is a path {path} already.", path=name))
    return name


# --- the whole --------------------------------------------------------------------------------------------------------


@transaction.atomic
def update_whole(
    *,
    golden: Golden,
    seen: int,
    by: User,
    forbidden: list[Any] | None = None,
    outcome: list[Any] | None = None,
    policy: dict[str, Any] | None = None,
    comment: str | None = None,
) -> Golden:
    """Save what holds for the whole conversation: forbidden calls, required outcomes, policy, comment.

    Raises StaleRevisionError when somebody saved it after revision ``seen``, GoldenRefusedError when the engine could
    not read it. In each case nothing is changed.
    """
    golden = _locked_golden(golden.pk, by=by)
    if golden.revision != seen:
        raise StaleRevisionError(golden, seen=seen)
    before = _whole(golden)
    for name, value in (("forbidden", forbidden), ("outcome", outcome), ("policy", policy), ("comment", comment)):
        if value is not None:
            setattr(golden, name, value)
    stand_in = GoldTurn(golden=golden, body={"id": "g1", "response": "-"}, kind=TurnKind.RESPONSE, position=0)
    gold_turns.require_readable(golden, [stand_in])
    golden.revision += 1
    golden.save(update_fields=["forbidden", "outcome", "policy", "comment", "revision", "updated_at"])
    _record(golden, by, "golden.saved", whole=(before, _whole(golden)))
    _touch(golden)
    return golden


@transaction.atomic
def load_body(golden: Golden, body: dict[str, Any], by: User, *, policy: dict[str, Any] | None = None) -> Golden:
    """Replace all turns, forbidden calls and outcomes by those of an aem/1 golden, as one change that can be undone.

    Raises GoldenRefusedError, with turn and field, for a golden that the engine would refuse.
    """
    golden = _locked_golden(golden.pk, by=by)
    before = _whole(golden)
    gold_turns.require_parsable(body)
    too_long = next((path["id"] for path in body["paths"] if len(str(path.get("id") or "")) > PATH_LENGTH), None)
    if too_long is not None:
        reason = say("a path's id has at most {most} characters", most=PATH_LENGTH)
        raise GoldenRefusedError(reason, path=str(too_long))
    rows = gold_turns.rows_of(golden, body, is_done=True)
    if policy is not None:
        golden.policy = policy
    golden.revision += 1
    golden.save(update_fields=["forbidden", "outcome", "extra", "policy", "revision", "updated_at"])
    with _structure(golden, by, "golden.replaced", whole_before=before):
        golden.turns.all().delete()
        GoldTurn.objects.bulk_create(rows)
    return golden


# --- states -----------------------------------------------------------------------------------------------------------


@transaction.atomic
def submit(golden: Golden, by: User, *, now: datetime | None = None) -> Golden:
    """Hand the golden in for review. Its conversation's place is done.

    Raises GoldenRefusedError, with the turn and field, when the engine could not read it; NoPlaceLeftError when the
    lease lapsed and others have taken all places since; NotAllowedNowError when it is not open.
    """
    golden = _locked_golden(golden.pk, read=_with_people(golden))
    if not golden.is_open:
        raise NotAllowedNowError(say("This golden is {state}; it cannot be submitted now.", state=_state_word(golden)))
    if MergeGolden.objects.filter(golden=golden, is_result=True).exists():
        raise NotAllowedNowError(say("This is the result of a merge; it is accepted on the merge's page."))
    turns = list(golden.turns.all())
    gold_turns.require_readable(golden, turns)
    now = now or timezone.now()
    assignments.finish(golden.conversation, golden.annotator, now)
    before, golden.status, golden.submitted_at = golden.status, GoldenStatus.SUBMITTED, now
    golden.revision += 1
    golden.save(update_fields=["status", "submitted_at", "revision", "updated_at"])
    _record_state(golden, by, "golden.submitted", before)
    return golden


@transaction.atomic
def return_(golden: Golden, by: User, comment: str, *, now: datetime | None = None) -> Golden:
    """Give a submitted golden back to its annotator with a comment that says what to change."""
    golden = _locked_golden(golden.pk)
    comment = comment.strip()
    if golden.status not in (GoldenStatus.SUBMITTED, GoldenStatus.ACCEPTED):
        raise NotAllowedNowError(
            say(
                "Only a submitted golden can be returned; this one is {state}.",
                state=_state_word(golden),
            )
        )
    if not comment:
        raise WorkbenchError(say("Say what is to be changed: the annotator reads it."))
    before, golden.status = golden.status, GoldenStatus.RETURNED
    golden.review_comment, golden.reviewed_by, golden.reviewed_at = comment, by, now or timezone.now()
    golden.revision += 1
    golden.save(update_fields=["status", "review_comment", "reviewed_by", "reviewed_at", "revision", "updated_at"])
    _record_state(golden, by, "golden.returned", before, comment=comment)
    return golden


@transaction.atomic
def accept(golden: Golden, by: User, *, comment: str = "", now: datetime | None = None) -> GoldenRecord:
    """Make a submitted golden the one in force for its conversation.

    Raises NotAllowedNowError when it is not submitted, or for its own annotator unless they own the project;
    GoldenRefusedError when the engine could not read it.
    """
    golden = _locked_golden(golden.pk)
    if golden.status != GoldenStatus.SUBMITTED:
        raise NotAllowedNowError(
            say(
                "Only a submitted golden can be accepted; this one is {state}.",
                state=_state_word(golden),
            )
        )
    if golden.annotator_id == by.pk and not _owns(golden, by):
        raise NotAllowedNowError(say("Somebody else must review what you wrote yourself."))
    turns = list(golden.turns.all())
    gold_turns.require_readable(golden, turns)
    before, golden.status = golden.status, GoldenStatus.ACCEPTED
    golden.review_comment, golden.reviewed_by, golden.reviewed_at = comment.strip(), by, now or timezone.now()
    golden.revision += 1
    golden.save(update_fields=["status", "review_comment", "reviewed_by", "reviewed_at", "revision", "updated_at"])
    body = documents.golden_body(golden=gold_turns.compose(golden, turns), policy=golden.policy)
    record = documents.accept_golden_record(conversation=golden.conversation, body=body, by=by, golden=golden)
    _record_state(golden, by, "golden.accepted", before, record=record.number)
    return record


@transaction.atomic
def reopen(golden: Golden, by: User) -> Golden:
    """Take a submitted golden back to work on it, as long as nobody has reviewed it."""
    golden = _locked_golden(golden.pk)
    if golden.status != GoldenStatus.SUBMITTED:
        raise NotAllowedNowError(
            say(
                "Only a submitted golden can be taken back; this one is {state}.",
                state=_state_word(golden),
            )
        )
    before, golden.status = golden.status, GoldenStatus.DRAFT
    golden.revision += 1
    golden.save(update_fields=["status", "revision", "updated_at"])
    _record_state(golden, by, "golden.taken_back", before)
    return golden


def _state_word(golden: Golden) -> str:
    return golden.get_status_display().lower()


def _owns(golden: Golden, user: User) -> bool:
    return Membership.objects.filter(
        project_id=golden.conversation.dataset.project_id, user=user, role=Role.OWNER
    ).exists()


def _record_state(golden: Golden, by: User, action: str, before: str, **more: Any) -> None:
    history.record(
        project=golden.conversation.dataset.project,
        actor=by,
        action=action,
        subject=golden,
        before={"status": str(before)},
        after={"status": str(golden.status), **more},
    )


# --- undo -------------------------------------------------------------------------------------------------------------


@transaction.atomic
def undo(*, golden: Golden, by: User) -> Change:
    """Take back this person's newest change of the golden; pressed again, the one before it, and so on.

    Raises NothingToUndoError when there is none, NotAllowedNowError when somebody else changed the same since.
    """
    golden = _locked_golden(golden.pk, by=by)
    change = history.next_to_undo(scope=str(golden.pk), actor=by)
    if change is None:
        raise NothingToUndoError(say("There is nothing of yours to undo here."))
    return _take_back(golden, change, by=by, action=history.UNDO)


@transaction.atomic
def redo(*, golden: Golden, by: User) -> Change:
    """Do again what this person undid last, as long as they have changed nothing else since.

    Raises NothingToUndoError when there is nothing, NotAllowedNowError when somebody else changed the same since.
    """
    golden = _locked_golden(golden.pk, by=by)
    undone = history.next_to_redo(scope=str(golden.pk), actor=by)
    if undone is None:
        raise NothingToUndoError(say("There is nothing that you have undone and could do again here."))
    return _take_back(golden, undone, by=by, action=history.REDO)


def _take_back(golden: Golden, change: Change, *, by: User, action: str) -> Change:
    """Put everything that a change touched back to what it was before, if it still is what the change made of it."""
    before, after = _keyed(change.before), _keyed(change.after)
    rows = {turn.pk: turn for turn in golden.turns.filter(pk__in={*before, *after})}
    problems = _problems(golden)
    for pk in {*before, *after}:
        now = _row(rows[pk]) if pk in rows else None
        then = after.get(pk)
        if not _agree(now, then):
            raise NotAllowedNowError(say(_CHANGED_SINCE))
    golden.turns.filter(pk__in=rows).update(position=F("position") + _PARKED)
    try:
        for pk in {*before, *after}:
            _restore(golden, pk, before.get(pk), rows.get(pk))
    except IntegrityError as error:  # a turn that somebody added since stands in its place
        raise NotAllowedNowError(say(_CHANGED_SINCE)) from error
    _undo_whole(golden, change)
    decided = change.before.get("suggestions", {})
    is_any = suggestions.restore(golden, decided, change.after.get("suggestions", {}))
    if decided and not (is_any or before or after):
        raise NotAllowedNowError(say(_CHANGED_SINCE))
    if before or after:
        _require_whole(golden, problems)
    taken_back = history.record(
        project=golden.conversation.dataset.project,
        actor=by,
        action=action,
        subject=golden,
        scope=str(golden.pk),
        before=change.after,
        after=change.before,
        undoes=change,
    )
    _touch(golden)
    return taken_back


def _problems(golden: Golden) -> set[str]:
    """What cannot be in the ways of a golden: numbers that do not count on, an id twice, what builds on nothing."""
    paths: dict[str, list[GoldTurn]] = {}
    for turn in golden.turns.all():
        paths.setdefault(turn.path, []).append(turn)
    found = set()
    for path, turns in paths.items():
        problem = structure.order_problem(turns)
        if problem is not None:
            found.add(f"{path}: {problem.reason}")
        keys = [turn.key for turn in turns]
        numbers = [turn.turn_no for turn in turns if turn.kind != TurnKind.USER]
        if len(set(keys)) < len(keys):
            found.add(f"{path}: an id stands twice")
        if numbers != list(range(1, len(numbers) + 1)) or [turn.position for turn in turns] != list(range(len(turns))):
            found.add(f"{path}: the turns do not count on")
    if len({turns[0].path_position for turns in paths.values()}) < len(paths):
        found.add("two ways stand in one place")
    return found


def _require_whole(golden: Golden, known: set[str]) -> None:
    """Raises NotAllowedNowError where a change that was taken back does not fit what others have made of it since."""
    if _problems(golden) - known:
        raise NotAllowedNowError(say(_CHANGED_SINCE))


def _keyed(state: Any) -> dict[int, dict[str, Any]]:
    return {int(pk): row for pk, row in state.get("turns", {}).items()}


def _agree(now: dict[str, Any] | None, then: dict[str, Any] | None) -> bool:
    if now is None or then is None:
        return now is then
    return all(_same(now[name], value) for name, value in then.items())


def _same(one: Any, other: Any) -> bool:
    return jsonio.canonical(one) == jsonio.canonical(other)


def _restore(golden: Golden, pk: int, state: dict[str, Any] | None, row: GoldTurn | None) -> None:
    if state is None:
        GoldTurn.objects.filter(pk=pk).delete()
    elif row is None:
        GoldTurn.objects.create(pk=pk, golden=golden, revision=2, **state)
    else:
        for name, value in state.items():
            setattr(row, name, value)
        row.revision += 1
        row.save(update_fields=[*_ROW, "revision", "updated_at"])


def _undo_whole(golden: Golden, change: Change) -> None:
    before = change.before.get("golden")
    if not before:
        return
    after = change.after["golden"]
    now = _whole(golden)
    if not all(_same(now[name], value) for name, value in after.items()):
        raise NotAllowedNowError(say(_CHANGED_SINCE))
    for name, value in before.items():
        setattr(golden, name, value)
    golden.revision += 1
    golden.save(update_fields=[*before, "revision", "updated_at"])


# --- parts ------------------------------------------------------------------------------------------------------------


def _locked_golden(pk: Any, *, by: User | None = None, read: Golden | None = None) -> Golden:
    """The golden, locked; with ``by`` only where this person may change its content in its present state.

    An annotator writes while it is open; a reviewer may also correct what was submitted. Where the caller has ``read``
    it before, whose it is and of which conversation is taken from there: that does not change.
    """
    found = Golden.objects.select_for_update(of=("self",))
    if read is None:
        found = found.select_related("conversation__dataset__project", "conversation__tool_set", "annotator")
    golden = found.get(pk=pk)
    if read is not None:
        golden.conversation, golden.annotator = read.conversation, read.annotator
    in_review = golden.status == GoldenStatus.SUBMITTED
    if by is not None and not golden.is_open and not (in_review and golden.annotator_id != by.pk):
        raise NotAllowedNowError(
            say(
                "This golden is {state}: it cannot be changed now. Nothing was saved.",
                state=_state_word(golden),
            )
        )
    return golden


def _read_golden(turn: GoldTurn) -> Golden | None:
    """The golden of a turn as it was read with it, with its conversation and annotator; None where it was not."""
    return _with_people(turn.golden) if GoldTurn.golden.is_cached(turn) else None


def _with_people(golden: Golden) -> Golden | None:
    """The golden, where its conversation and annotator were read with it."""
    return golden if Golden.conversation.is_cached(golden) and Golden.annotator.is_cached(golden) else None


def _with_path(golden: Golden, turn: GoldTurn) -> tuple[GoldTurn, list[GoldTurn]]:
    """The turn as it is under the golden's lock, which all that write turns take, and all turns of its path."""
    beside = list(golden.turns.filter(path=turn.path))
    found = next((other for other in beside if other.pk == turn.pk), None)
    if found is None:  # its path got another name meanwhile, or it is gone
        found = _locked_turn(golden, turn.pk)
        beside = list(golden.turns.filter(path=found.path))
    return found, beside


def _locked_turn(golden: Golden, pk: int) -> GoldTurn:
    turn = golden.turns.select_for_update().filter(pk=pk).first()
    if turn is None:
        raise NotAllowedNowError(say("This turn was removed meanwhile; nothing was saved."))
    return turn


def _require_object(body: Any) -> dict[str, Any]:
    """The body of a turn; refuses what is none, and characters that no database can hold."""
    if not isinstance(body, dict):
        raise TurnRefusedError(say("a turn is a JSON object"))
    try:
        jsonio.dumps(body).encode()
    except UnicodeEncodeError as error:
        raise TurnRefusedError(say("half a character (a lone surrogate) cannot be stored")) from error
    return body


def _row(turn: GoldTurn) -> dict[str, Any]:
    return {name: _plain(getattr(turn, name)) for name in _ROW}


def _whole(golden: Golden) -> dict[str, Any]:
    return {name: getattr(golden, name) for name in _WHOLE}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, TurnKind) else value


def _touch(golden: Golden) -> None:
    """Note that the content was saved just now, under the version of the guideline that is in force."""
    in_force = Guideline.objects.filter(project=golden.conversation.dataset.project_id).order_by("-number")
    Golden.objects.filter(pk=golden.pk).update(updated_at=timezone.now(), guideline=Subquery(in_force.values("pk")[:1]))


def _renumber(golden: Golden, turns: list[GoldTurn], *, new: GoldTurn | None = None) -> None:
    """Give the turns of one path, in this order, their positions and numbers, and save those that changed."""
    moved = []
    turn_no = 0
    for position, turn in enumerate(turns):
        turn_no += turn.kind != TurnKind.USER
        number = None if turn.kind == TurnKind.USER else turn_no
        if turn is not new and (turn.position, turn.turn_no) != (position, number):
            moved.append(turn)
        turn.position, turn.turn_no = position, number
    golden.turns.filter(pk__in=[turn.pk for turn in moved]).update(position=F("position") + _PARKED)
    # From the end to where there is room: parked rows meet none of their final places.
    GoldTurn.objects.bulk_update(moved, ["position", "turn_no"])
    if new is not None:
        new.save(force_insert=True)


@contextmanager
def _structure(
    golden: Golden,
    by: User,
    action: str,
    *,
    path: str | None = None,
    whole_before: dict[str, Any] | None = None,
    suggested: tuple[suggestions.States, suggestions.States] | None = None,
) -> Iterator[None]:
    """Record what a change of several rows did to them, and to the whole golden."""
    turns = golden.turns.all() if path is None else golden.turns.filter(path=path)
    whole = whole_before or _whole(golden)
    rows_before = {turn.pk: _row(turn) for turn in turns.all()}
    yield
    rows_after = {turn.pk: _row(turn) for turn in golden.turns.all()}
    if path is not None:
        rows_after = {pk: row for pk, row in rows_after.items() if row["path"] == path}
    before: dict[int, dict[str, Any]] = {}
    after: dict[int, dict[str, Any]] = {}
    for pk in {*rows_before, *rows_after}:
        old, new = rows_before.get(pk), rows_after.get(pk)
        if old is None or new is None:
            names: tuple[str, ...] = _ROW
        else:
            names = tuple(name for name in _ROW if not _same(old[name], new[name]))
        if old is not None and names:
            before[pk] = {name: old[name] for name in names}
        if new is not None and names:
            after[pk] = {name: new[name] for name in names}
    settled = suggestions.joined(suggested, suggestions.refresh(golden))
    _record(golden, by, action, before=before, after=after, whole=(whole, _whole(golden)), suggested=settled)
    _touch(golden)


def _record(
    golden: Golden,
    by: User,
    action: str,
    *,
    before: dict[int, dict[str, Any]] | None = None,
    after: dict[int, dict[str, Any]] | None = None,
    whole: tuple[dict[str, Any], dict[str, Any]] | None = None,
    subject: GoldTurn | None = None,
    suggested: tuple[suggestions.States, suggestions.States] | None = None,
) -> None:
    states: list[dict[str, Any]] = [{}, {}]
    if suggested is not None and suggested[1]:
        for state, of_suggestions in zip(states, suggested, strict=True):
            state["suggestions"] = of_suggestions
    for state, rows in zip(states, (before, after), strict=True):
        if rows is not None:
            state["turns"] = {str(pk): row for pk, row in rows.items()}
    if whole is not None:
        changed = [name for name in _WHOLE if not _same(whole[0][name], whole[1][name])]
        for state, values in zip(states, whole, strict=True):
            if changed:
                state["golden"] = {name: values[name] for name in changed}
    history.record(
        project=golden.conversation.dataset.project,
        actor=by,
        action=action,
        subject=subject or golden,
        scope=str(golden.pk),
        before=states[0],
        after=states[1],
    )


def words_for(change: Change) -> str:
    """What a change was, or what an undo took back and a redo did again."""
    words = {
        "turn.saved": mark("a turn was saved"),
        "suggestion.accepted": mark("a suggestion was accepted"),
        "suggestion.refused": mark("a suggestion was refused"),
        "golden.redrafted": mark("the turns were drafted anew"),
        "turn.added": mark("a turn was added"),
        "turn.removed": mark("a turn was removed"),
        "turn.moved": mark("a turn was moved"),
        "path.added": mark("a path was added"),
        "path.renamed": mark("a path was renamed"),
        "path.removed": mark("a path was removed"),
        "golden.saved": mark("what holds for the whole conversation was saved"),
        "golden.replaced": mark("the whole golden was replaced"),
        "turns.grouped": mark("turns were let come in any order"),
        "turns.ungrouped": mark("the order of turns was made to count"),
        "turns.lookups_made_optional": mark("look-ups were made optional"),
    }
    while change.undoes is not None:
        change = change.undoes
    found = words.get(change.action)
    return re.sub(r"[._]", " ", change.action) if found is None else say(found)
