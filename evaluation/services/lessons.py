"""Learning from decisions: what an adjudicator calls equal or different is known from then on.

A value becomes an accepted value of its field, in a further golden record; or a pair becomes an entry of the project's
vocabulary, in a further number of it. Either way the stored trajectories that it touches are found, and are scored
again in a run that follows the one in which the pair came up. Nothing that was scored before is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.models import Conversation, Project, Trajectory, User
from annotations.services import documents, history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem import RecordError, parse_golden
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, Lesson, LessonKind, RunItem, TurnVerdict
from evaluation.services import runs, vocabularies

#: Comparisons under which one more accepted value is what people mean by it; the others compare in a way of their own.
ACCEPTING = frozenset({None, "auto", "text", "literal", "set", "list", "object"})


class NothingToLearnError(WorkbenchError):
    """A lesson that cannot be learned; the message says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of a parameter that were compared: one of the golden, and what the agent gave."""

    field: str
    expected: Any
    observed: Any
    sentence: str
    passed: bool | None
    #: Why the value cannot become an accepted one; empty where it can.
    no_value: str = ""
    #: Why the pair cannot become an entry of the project's vocabulary; empty where it can.
    no_entry: str = ""


@dataclass(frozen=True, slots=True)
class Touched:
    """A turn of a stored trajectory in which the pair came up."""

    item: RunItem
    turn_no: int
    passed: bool | None
    ambiguous: bool


def pairs_of(golden: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> list[Pair]:
    """The pairs of a turn from which something can be learned, each accepted value beside what was given.

    ``golden`` is the golden turn as it stands in the record, ``items`` what was judged in it.
    """
    found = []
    params = golden.get("params", {})
    for item in items:
        field = item.get("field")
        if item.get("kind") != "parameter" or field not in params:
            continue
        param = params[field]
        values = [param["value"]] if "value" in param else list(param.get("values", ()))
        observed = item.get("observed")
        if not values or any(jsonio.dumps(value) == jsonio.dumps(observed) for value in values):
            continue
        if item.get("passed") is True and item.get("scorer") in (None, "exact"):
            continue
        for expected in values:
            found.append(
                Pair(
                    str(field),
                    expected,
                    observed,
                    str(item.get("sentence", "")),
                    item.get("passed"),
                    no_value=_no_value(param),
                    no_entry=_no_entry(expected, observed),
                )
            )
    return found


def _no_value(param: Mapping[str, Any]) -> str:
    compare = param.get("compare")
    kind = compare.get("as") if isinstance(compare, Mapping) else compare
    if kind not in ACCEPTING:
        return f"The field is compared as {kind}: change that in the golden instead."
    return ""


def _no_entry(expected: Any, observed: Any) -> str:
    if not isinstance(expected, str) or not isinstance(observed, str):
        return "Only texts can stand in the vocabulary."
    if not expected.strip() or not observed.strip():
        return "An empty text cannot stand in the vocabulary."
    return ""


def touched(run: EvaluationRun, pair: Pair) -> Iterator[Touched]:
    """The turns of a run in which the field was compared and the agent gave this very value."""
    observed = jsonio.dumps(pair.observed)
    # The stored explanation holds the value in its JSON; a first look leaves out those that cannot hold it.
    rows = (
        TurnVerdict.objects.filter(verdict__item__run=run, detail__contains=observed)
        .select_related("verdict__item__trajectory__conversation", "verdict__item__golden_record")
        .defer("verdict__item__trajectory__body", "verdict__outcome", "verdict__unexpected")
        .order_by("verdict__item__position", "turn_no")
    )
    for row in rows.iterator(chunk_size=500):
        for item in row.detail.get("items", ()):
            if (
                item.get("kind") == "parameter"
                and item.get("field") == pair.field
                and jsonio.dumps(item.get("observed")) == observed
                and _expects(item.get("expected"), pair.expected)
            ):
                yield Touched(row.verdict.item, row.turn_no, row.passed, row.ambiguous)
                break


def _expects(expected: Any, wanted: Any) -> bool:
    text = jsonio.dumps(wanted)
    return jsonio.dumps(expected) == text or (
        isinstance(expected, list) and any(jsonio.dumps(value) == text for value in expected)
    )


@transaction.atomic
def accept_value(*, item: RunItem, path: str, turn_key: str, pair: Pair, by: User, reason: str = "") -> Lesson:
    """Add the agent's value to the accepted values of the field, in the golden that is in force.

    Raises NothingToLearnError where the golden in force has no such turn or field, or compares it in another way.
    """
    conversation = Conversation.objects.select_for_update().get(pk=item.trajectory.conversation_id)
    before = conversation.golden_record
    if before is None:
        raise NothingToLearnError("The conversation has no golden in force.")
    body = deepcopy(before.body)
    param = _param_of(body["golden"], path=path, turn_key=turn_key, field=pair.field)
    if refused := _no_value(param):
        raise NothingToLearnError(refused)
    values = [param.pop("value")] if "value" in param else list(param.get("values", ()))
    if any(jsonio.dumps(value) == jsonio.dumps(pair.observed) for value in values):
        raise NothingToLearnError(f"{pair.field}: the golden in force accepts this value already.")
    param["values"] = [*values, pair.observed]
    try:
        parse_golden(body["golden"])
    except RecordError as error:
        raise NothingToLearnError(f"The golden would not be readable with this value: {error}") from error
    made = documents.accept_golden_record(conversation=conversation, body=body, by=by)
    return _learned(
        Lesson(kind=LessonKind.ACCEPTED, golden_record=made, golden_before=before),
        item=item,
        path=path,
        turn_key=turn_key,
        pair=pair,
        by=by,
        reason=reason,
    )


def _param_of(golden: Mapping[str, Any], *, path: str, turn_key: str, field: str) -> dict[str, Any]:
    for one in golden["paths"]:
        if one.get("id") == path:
            for turn in one["turns"]:
                if turn.get("id") == turn_key and field in turn.get("params", {}):
                    param: dict[str, Any] = turn["params"][field]
                    if "value" in param or param.get("values"):
                        return param
    raise NothingToLearnError(f"The golden in force has no accepted values of {field} in this turn any more.")


@transaction.atomic
def add_entry(
    *,
    item: RunItem,
    path: str,
    turn_key: str,
    pair: Pair,
    by: User,
    is_equal: bool,
    is_for_field: bool,
    reason: str = "",
) -> Lesson:
    """Note the pair as equal, or as different, in the project's vocabulary; for this field only, or everywhere.

    Raises NothingToLearnError for values that are no texts, VocabularyRefusedError where the entry contradicts
    another.
    """
    if refused := _no_entry(pair.expected, pair.observed):
        raise NothingToLearnError(refused)
    project = Project.objects.select_for_update().get(pk=item.run.project_id)
    newest = vocabularies.latest(project)
    name = "equal" if is_equal else "different"
    entry: dict[str, Any] = {"terms": [pair.expected, pair.observed]}
    if is_for_field:
        entry["field"] = pair.field
    body = deepcopy(newest.body) if newest else {}
    if entry in body.get(name, []):
        raise NothingToLearnError(f"The vocabulary holds this pair as {name} already.")
    body[name] = [*body.get(name, []), entry]
    made = vocabularies.create(
        project=project, body=body, by=by, seen_number=newest.number if newest else 0, reason=reason
    )
    return _learned(
        Lesson(kind=LessonKind.EQUAL if is_equal else LessonKind.DIFFERENT, vocabulary=made, is_for_field=is_for_field),
        item=item,
        path=path,
        turn_key=turn_key,
        pair=pair,
        by=by,
        reason=reason,
    )


def _learned(lesson: Lesson, *, item: RunItem, path: str, turn_key: str, pair: Pair, by: User, reason: str) -> Lesson:
    lesson.project_id = item.run.project_id
    lesson.run = item.run
    lesson.trajectory = item.trajectory
    lesson.path, lesson.turn_key, lesson.field = path, turn_key, pair.field
    lesson.expected, lesson.observed, lesson.reason = pair.expected, pair.observed, reason.strip()
    lesson.learned_by = by
    lesson.save(force_insert=True)
    history.record(
        project=lesson.project,
        actor=by,
        action="lesson.learned",
        subject=lesson,
        after={
            "kind": lesson.kind,
            "field": pair.field,
            "expected": pair.expected,
            "observed": pair.observed,
            "reason": lesson.reason,
        },
    )
    return lesson


def pair_of(lesson: Lesson) -> Pair:
    """The pair that a lesson is about."""
    return Pair(lesson.field, lesson.expected, lesson.observed, "", None)


def trajectories_of(lesson: Lesson) -> list[int]:
    """Primary keys of the trajectories of the lesson's run that it touches and that are still current.

    An accepted value belongs to one conversation: all its trajectories, since a golden may now fit any of them.
    """
    if lesson.kind == LessonKind.ACCEPTED:
        own = Trajectory.objects.current().filter(conversation=lesson.trajectory.conversation_id)
        return list(own.filter(run_items__run=lesson.run).order_by("pk").values_list("pk", flat=True))
    found = {one.item.trajectory_id for one in touched(lesson.run, pair_of(lesson))}
    return list(Trajectory.objects.current().filter(pk__in=found).order_by("pk").values_list("pk", flat=True))


@transaction.atomic
def score_again(*, lesson: Lesson, by: User) -> EvaluationRun:
    """Plan and start a run over the trajectories that the lesson touches, under the policy of its run.

    The caller rings the bell (`tasks.ring`). Raises NothingToScoreError where no trajectory is left, and
    NotAllowedNowError where it was done already.
    """
    lesson = (
        Lesson.objects.select_for_update(of=("self",)).select_related("run__policy", "run__project").get(pk=lesson.pk)
    )
    if lesson.rescored_in_id is not None:
        raise NotAllowedNowError("These trajectories were scored again already.")
    chosen = trajectories_of(lesson)
    if not chosen:
        raise runs.NothingToScoreError("No current trajectory of that run is touched by it.")
    made = runs.plan(
        project=lesson.project,
        dataset_version=lesson.run.dataset_version,
        policy=lesson.run.policy,
        by=by,
        name=f"again: {lesson.field}"[:120],
        follows=lesson.run,
        trajectories=chosen,
    )
    runs.start(run=made, by=by)
    Lesson.objects.filter(pk=lesson.pk).update(rescored_in=made)
    return made


@transaction.atomic
def take_back(*, lesson: Lesson, by: User) -> Lesson:
    """Undo it: the golden of before is in force again, or the entry leaves the vocabulary in a further number.

    Raises NotAllowedNowError where another golden is in force by now, or it was taken back already.
    """
    lesson = Lesson.objects.select_for_update(of=("self",)).select_related("project").get(pk=lesson.pk)
    if lesson.taken_back_at is not None:
        raise NotAllowedNowError("This was taken back already.")
    if lesson.kind == LessonKind.ACCEPTED:
        conversation = Conversation.objects.get(pk=lesson.trajectory.conversation_id)
        if conversation.golden_record_id != lesson.golden_record_id or lesson.golden_before is None:
            raise NotAllowedNowError(
                "Another golden is in force by now. Take the value out of it in the workbench instead."
            )
        documents.accept_golden_record(conversation=conversation, body=lesson.golden_before.body, by=by)
    else:
        Project.objects.select_for_update().get(pk=lesson.project_id)
        newest = vocabularies.latest(lesson.project)
        entry: dict[str, Any] = {"terms": [lesson.expected, lesson.observed]}
        if lesson.is_for_field:
            entry["field"] = lesson.field
        if newest is not None and entry in newest.body.get(lesson.kind, []):
            body = {**newest.body, lesson.kind: [one for one in newest.body[lesson.kind] if one != entry]}
            vocabularies.create(project=lesson.project, body=body, by=by, seen_number=newest.number)
    lesson.taken_back_by, lesson.taken_back_at = by, timezone.now()
    lesson.save(update_fields=["taken_back_by", "taken_back_at"])
    history.record(project=lesson.project, actor=by, action="lesson.taken_back", subject=lesson, before=lesson.kind)
    return lesson


@dataclass(frozen=True, slots=True)
class Changed:
    """A turn of the run before and of the one that follows it."""

    item: RunItem
    turn_no: int
    before: TurnVerdict | None
    after: TurnVerdict | None

    @property
    def is_other(self) -> bool:
        """Whether the two say something else."""
        return _said(self.before) != _said(self.after)


def _said(row: TurnVerdict | None) -> tuple[Any, ...] | None:
    return None if row is None else (row.passed, row.skipped, row.failure_reason, row.ambiguous)


def changes(run: EvaluationRun) -> list[Changed]:
    """Turn by turn what a run says of the trajectories that it scored again, beside the run that it follows."""
    if run.follows_id is None:
        return []
    items = {item.trajectory_id: item for item in run.items.select_related("trajectory__conversation")}
    earlier = _turns_of(run.follows_id, items)
    later = _turns_of(run.pk, items)
    return [
        Changed(items[trajectory], turn_no, earlier.get((trajectory, turn_no)), later.get((trajectory, turn_no)))
        for trajectory, turn_no in sorted({*earlier, *later}, key=lambda one: (items[one[0]].position, one[1]))
    ]


def _turns_of(run_id: Any, items: Mapping[int, RunItem]) -> dict[tuple[int, int], TurnVerdict]:
    rows = TurnVerdict.objects.filter(verdict__item__run=run_id, verdict__item__trajectory__in=items)
    return {(row.verdict.item.trajectory_id, row.turn_no): row for row in rows.select_related("verdict__item")}
