"""Learning from decisions: what an adjudicator calls equal or different is known from then on.

A value becomes an accepted value of its field, in a further golden record; or a pair becomes an entry of the project's
vocabulary, in a further number of it. Either way the stored trajectories that it touches are found, and are scored
again in a run that follows the one in which the pair came up. Nothing that was scored before is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.models import Conversation, GoldenRecord, Project, Trajectory, User
from annotations.services import documents, history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from annotations.words import value_text
from evaluation.aem import RecordError, parse_golden
from evaluation.aem.language import kept, say
from evaluation.evaluators.embedded.vocabulary import fold_term
from evaluation.formats import jsonio
from evaluation.formats.words import told
from evaluation.models import Answer, EvaluationRun, Lesson, LessonKind, RunAnswer, RunItem, TurnVerdict
from evaluation.services import runs, vocabularies

#: Further runs in which a page looks for the same pair.
RUNS_LOOKED_AT = 10
#: Ways of writing one term that are looked for in the database.
_SPELLINGS = 50

#: Comparisons under which one more accepted value is what people mean by it; the others compare in a way of their own.
ACCEPTING = frozenset({None, "auto", "text", "literal", "set", "list", "object"})
#: Those of them that ask a scorer, and so a vocabulary.
ASKING = ACCEPTING - {"literal"}


_TAKEN_BACK = kept("a lesson taken back")


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

    @property
    def key(self) -> str:
        """What a page names the pair by."""
        return jsonio.content_hash([self.field, self.expected, self.observed])[:16]


@dataclass(frozen=True, slots=True)
class Touched:
    """A turn of a stored trajectory in which the pair came up."""

    item: RunItem
    turn_no: int
    passed: bool | None
    ambiguous: bool


def pairs_of(golden: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> list[Pair]:
    """The pairs of a turn from which something can be learned, each accepted value beside what was given.

    ``golden`` is the golden turn as it stands in the record, ``items`` what was judged in it. What did not pass comes
    first. A parameter that was left out gave no value, and is no pair.
    """
    found = []
    params = golden.get("params", {})
    for item in items:
        field = item.get("field")
        if item.get("kind") != "parameter" or field not in params or item.get("reason") == "missing_parameters":
            continue
        param = params[field]
        values, observed = _values_of(param), item.get("observed")
        if not values or _accepts(param, observed):
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
                    no_entry=_no_words(param) or _no_entry(expected, observed),
                )
            )
    return sorted(found, key=lambda pair: pair.passed is True)


def as_things_stand(pairs: Iterable[Pair], *, item: RunItem, path: str, turn_key: str) -> list[Pair]:
    """The same pairs; what the golden in force or the project's vocabulary says of them already is no longer offered.

    A run keeps the golden and the words that it was planned with, so its page may ask for what has been learned since.
    """
    conversation = item.trajectory.conversation
    if conversation.golden_record_id != item.golden_record_id:
        now = Conversation.objects.select_related("golden_record").get(pk=conversation.pk).golden_record
        golden = None if now is None else now.body["golden"]
        pairs = [replace(pair, no_value=pair.no_value or _not_now(golden, path, turn_key, pair)) for pair in pairs]
    newest = vocabularies.latest(item.run.project)
    if newest is None:
        return list(pairs)
    words = vocabularies.words_of(newest)
    found = []
    for pair in pairs:
        says = None if pair.no_entry else words.project_says(pair.expected, pair.observed, pair.field)
        known = ""
        if says is not None:
            known = (
                say("The project's vocabulary calls them equal already.")
                if says
                else say("The project's vocabulary calls them different already.")
            )
        found.append(replace(pair, no_entry=pair.no_entry or known))
    return found


def _not_now(golden: Mapping[str, Any] | None, path: str, turn_key: str, pair: Pair) -> str:
    """Why the golden in force cannot take the value."""
    if golden is None:
        return say("The conversation has no golden in force.")
    try:
        param = _param_of(golden, path=path, turn_key=turn_key, field=pair.field)
    except NothingToLearnError as error:
        return str(error)
    if _accepts(param, pair.observed):
        return say("The golden in force accepts this value already.")
    return _no_value(param)


def _values_of(param: Mapping[str, Any]) -> list[Any]:
    return [param["value"]] if "value" in param else list(param.get("values", ()))


def _accepts(param: Mapping[str, Any], observed: Any) -> bool:
    return any(jsonio.dumps(value) == jsonio.dumps(observed) for value in _values_of(param))


def _no_value(param: Mapping[str, Any]) -> str:
    kind = _kind_of(param)
    if kind in ACCEPTING:
        return ""
    return say("The field is compared as {kind}: change that in the golden instead.", kind=kind)


def _no_words(param: Mapping[str, Any]) -> str:
    kind = _kind_of(param)
    return "" if kind in ASKING else say("The field is compared as {kind}, which asks no vocabulary.", kind=kind)


def _kind_of(param: Mapping[str, Any]) -> Any:
    compare = param.get("compare")
    return compare.get("as") if isinstance(compare, Mapping) else compare


def _no_entry(expected: Any, observed: Any) -> str:
    if not isinstance(expected, str) or not isinstance(observed, str):
        return say("Only texts can stand in the vocabulary.")
    if not fold_term(expected) or not fold_term(observed):
        return say("An empty text cannot stand in the vocabulary.")
    if max(len(expected), len(observed)) > vocabularies.LONGEST_TERM:
        return say("A term of the vocabulary has at most {most} characters.", most=vocabularies.LONGEST_TERM)
    if fold_term(expected) == fold_term(observed):
        return say("The vocabulary does not tell these two apart: case, accents and points make no difference there.")
    return ""


def touched(run: EvaluationRun, pair: Pair, *, is_for_field: bool = True) -> Iterator[Touched]:
    """The turns of a run in which the pair came up: in this field, or in any where ``is_for_field`` is false.

    Texts are matched as the vocabulary matches them, without case and accents, and inside lists and objects too; an
    entry for all fields also counts inside longer texts and in replies. Other values are matched exactly.
    """
    looks = _Look(pair, is_for_field=is_for_field)
    rows = (
        TurnVerdict.objects.filter(looks.narrowed(run), verdict__item__run=run)
        .select_related("verdict__item__trajectory__conversation")
        .defer("verdict__item__trajectory__body", "verdict__outcome", "verdict__unexpected")
        .order_by("verdict__item__position", "turn_no")
    )
    for row in rows.iterator(chunk_size=500):
        if any(looks.holds(item) for item in row.detail.get("items", ())):
            yield Touched(row.verdict.item, row.turn_no, row.passed, row.ambiguous)


class _Look:
    """Looks for a pair in what was judged."""

    def __init__(self, pair: Pair, *, is_for_field: bool) -> None:
        self.pair = pair
        self.is_text = not _no_entry(pair.expected, pair.observed)
        self.is_for_field = is_for_field or not self.is_text
        self.terms = (fold_term(pair.expected), fold_term(pair.observed)) if self.is_text else ("", "")
        self.observed = jsonio.dumps(pair.observed)

    def narrowed(self, run: EvaluationRun) -> Q:
        """A first choice by the database, which sees the stored explanation as text."""
        if not self.is_text:
            return Q(detail__contains=self.observed)
        found = reduce(
            or_,
            (Q(detail__contains=jsonio.dumps(text)[1:-1]) for text in self._spellings(run)),
            _plain(self.pair.observed),
        )
        return found & Q(detail__contains=jsonio.dumps(self.pair.field)) if self.is_for_field else found

    def _spellings(self, run: EvaluationRun) -> list[str]:
        """The ways in which the observed term was written in what the run asked a scorer, each pair once."""
        found: set[str] = set()
        asked = Answer.objects.filter(pk__in=RunAnswer.objects.filter(run=run).values("answer"))
        for question in asked.values_list("question", flat=True).iterator(chunk_size=2000):
            for side in ("expected", "observed"):
                text = question.get(side, "")
                value = jsonio.loads(text) if text and question.get("kind") == "value" else text
                found |= {leaf for leaf in _leaves(value) if self._is_the_term(fold_term(leaf))}
            if len(found) >= _SPELLINGS:
                break
        return sorted(found)

    def _is_the_term(self, text: str) -> bool:
        return text == self.terms[1] or (not self.is_for_field and self.terms[1] in text)

    def holds(self, item: Mapping[str, Any]) -> bool:
        """Whether one judged item has the pair."""
        field = str(item.get("field") or "")
        if not self.is_text:
            return (
                item.get("kind") == "parameter"
                and field == self.pair.field
                and jsonio.dumps(item.get("observed")) == self.observed
                and _expects(item.get("expected"), self.pair.expected)
            )
        if self.is_for_field and item.get("kind") != "parameter":
            return False
        sides = [
            {
                text
                for name, text in _texts(item.get(side), field)
                if not self.is_for_field or name.casefold() == self.pair.field.casefold()
            }
            for side in ("expected", "observed")
        ]
        return self._has(sides[0], sides[1]) or self._has(sides[1], sides[0])

    def _has(self, first: set[str], second: set[str]) -> bool:
        mine, theirs = self.terms
        if self.is_for_field:
            return mine in first and theirs in second
        return any(mine in text for text in first) and any(theirs in text for text in second)


def _plain(text: str) -> Q:
    """Where the longest piece of the text stands that is written one way in JSON, in any case."""
    pieces = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text).split()
    longest = max(pieces, key=len) if pieces else ""
    return Q(detail__icontains=longest) if longest else Q(detail__isnull=False)


def _leaves(value: Any) -> Iterator[str]:
    """The texts in a value, as they are."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(inner)


def _texts(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """The texts in a value, folded, each with the name of the innermost field that it stands in."""
    if isinstance(value, str):
        yield name, fold_term(value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)


def _expects(expected: Any, wanted: Any) -> bool:
    text = jsonio.dumps(wanted)
    return jsonio.dumps(expected) == text or (
        isinstance(expected, list) and any(jsonio.dumps(value) == text for value in expected)
    )


def touched_by(lesson: Lesson, run: EvaluationRun) -> Iterator[Touched]:
    """The turns of a run that a lesson touches: of an accepted value, its turn in the whole conversation."""
    if lesson.kind != LessonKind.ACCEPTED:
        yield from touched(run, pair_of(lesson), is_for_field=lesson.is_for_field)
        return
    rows = (
        TurnVerdict.objects.filter(
            verdict__item__run=run,
            verdict__item__trajectory__conversation=lesson.trajectory.conversation_id,
            verdict__item__trajectory__superseded_at=None,
            turn_key=lesson.turn_key,
        )
        .select_related("verdict__item__trajectory__conversation")
        .defer("detail", "verdict__item__trajectory__body", "verdict__outcome", "verdict__unexpected")
        .order_by("verdict__item__position", "turn_no")
    )
    for row in rows.iterator(chunk_size=500):
        yield Touched(row.verdict.item, row.turn_no, row.passed, row.ambiguous)


def turn_no_of(lesson: Lesson) -> int | None:
    """The number of the lesson's turn in its run; None where that has no verdict of it."""
    rows = TurnVerdict.objects.filter(
        verdict__item__run=lesson.run_id, verdict__item__trajectory=lesson.trajectory_id, turn_key=lesson.turn_key
    )
    return rows.values_list("turn_no", flat=True).first()


@dataclass(frozen=True, slots=True)
class Reach:
    """In how many trajectories of a run a pair came up, and what became of them."""

    run: EvaluationRun
    trajectories: int
    failed: int
    ambiguous: int


def reach_in(run: EvaluationRun, pair: Pair, *, is_for_field: bool = True) -> Reach:
    """How much of a run the pair touches, counted in trajectories."""
    every: set[int] = set()
    failed: set[int] = set()
    ambiguous: set[int] = set()
    for one in touched(run, pair, is_for_field=is_for_field):
        every.add(one.item.trajectory_id)
        if one.passed is False:
            failed.add(one.item.trajectory_id)
        if one.ambiguous:
            ambiguous.add(one.item.trajectory_id)
    return Reach(run, len(every), len(failed), len(ambiguous))


def reach_elsewhere(run: EvaluationRun, pair: Pair, *, is_for_field: bool = True) -> list[Reach]:
    """The same in the newest other runs of the project, where the pair came up at all."""
    others = EvaluationRun.objects.filter(project=run.project_id, follows=None).exclude(pk=run.pk)
    found = [reach_in(other, pair, is_for_field=is_for_field) for other in others.order_by("-number")[:RUNS_LOOKED_AT]]
    return [reach for reach in found if reach.trajectories]


def conversation_in(run: EvaluationRun, conversation: int) -> int:
    """How many current trajectories of a conversation the run has: what an accepted value touches."""
    return Trajectory.objects.current().filter(conversation=conversation, run_items__run=run).count()


def learn(
    *,
    kind: str,
    item: RunItem,
    path: str,
    turn_key: str,
    pair: Pair,
    by: User,
    is_for_field: bool = True,
    reason: str = "",
) -> Lesson:
    """What one click does, by the kind of lesson; see `accept_value` and `add_entry` for what they raise."""
    if kind == LessonKind.ACCEPTED:
        return accept_value(item=item, path=path, turn_key=turn_key, pair=pair, by=by, reason=reason)
    return add_entry(
        item=item,
        path=path,
        turn_key=turn_key,
        pair=pair,
        by=by,
        is_equal=kind == LessonKind.EQUAL,
        is_for_field=is_for_field,
        reason=reason,
    )


@transaction.atomic
def accept_value(*, item: RunItem, path: str, turn_key: str, pair: Pair, by: User, reason: str = "") -> Lesson:
    """Add the agent's value to the accepted values of the field, in the golden that is in force.

    Raises NothingToLearnError where the golden in force has no such turn or field, or compares it in another way.
    """
    conversation = Conversation.objects.select_for_update().get(pk=item.trajectory.conversation_id)
    before = conversation.golden_record
    if before is None:
        raise NothingToLearnError(say("The conversation has no golden in force."))
    body = deepcopy(before.body)
    param = _param_of(body["golden"], path=path, turn_key=turn_key, field=pair.field)
    if refused := _no_value(param):
        raise NothingToLearnError(refused)
    if _accepts(param, pair.observed):
        raise NothingToLearnError(say("{field}: the golden in force accepts this value already.", field=pair.field))
    values = _values_of(param)
    param.pop("value", None)
    param["values"] = [*values, pair.observed]
    try:
        parse_golden(body["golden"])
    except RecordError as error:
        raise NothingToLearnError(
            say("The golden would not be readable with this value: {reason}", reason=told(str(error)))
        ) from error
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
    raise NothingToLearnError(
        say("The golden in force has no accepted values of {field} in this turn any more.", field=field)
    )


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
    kind = LessonKind.EQUAL if is_equal else LessonKind.DIFFERENT
    body = vocabularies.with_entry(newest.body if newest else {}, _entry(kind, pair, is_for_field=is_for_field))
    made = vocabularies.create(
        project=project, body=body, by=by, seen_number=newest.number if newest else 0, reason=reason
    )
    return _learned(
        Lesson(kind=kind, vocabulary=made, is_for_field=is_for_field),
        item=item,
        path=path,
        turn_key=turn_key,
        pair=pair,
        by=by,
        reason=reason,
    )


def _entry(kind: str, pair: Pair, *, is_for_field: bool) -> vocabularies.Entry:
    """The pair as it stands in the vocabulary."""
    terms = (pair.expected.strip(), pair.observed.strip())
    return vocabularies.Entry(str(kind), (terms,), pair.field.strip() if is_for_field else "")


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
    found = {one.item.trajectory_id for one in touched(lesson.run, pair_of(lesson), is_for_field=lesson.is_for_field)}
    return list(Trajectory.objects.current().filter(pk__in=found).order_by("pk").values_list("pk", flat=True))


def no_use_of_words(run: EvaluationRun, kind: str) -> str:
    """Why scoring the run again would change nothing; empty where it may."""
    if kind == LessonKind.ACCEPTED or run.scorer_version:
        return ""
    return say(
        "{run} compares exactly, without a vocabulary, so scoring it again would change nothing. The entry counts in "
        "runs whose policy compares meanings.",
        run=run,
    )


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
        raise NotAllowedNowError(say("These trajectories were scored again already."))
    if lesson.taken_back_at is not None:
        raise NotAllowedNowError(say("This was taken back: there is nothing to score again for it."))
    if refused := no_use_of_words(lesson.run, lesson.kind):
        raise runs.NothingToScoreError(refused)
    chosen = trajectories_of(lesson)
    if not chosen:
        raise runs.NothingToScoreError(say("No current trajectory of that run is touched by it."))
    made = runs.plan(
        project=lesson.project,
        dataset_version=lesson.run.dataset_version,
        policy=lesson.run.policy,
        by=by,
        name=f"run {lesson.run.number} again",
        follows=lesson.run,
        trajectories=chosen,
    )
    runs.start(run=made, by=by)
    Lesson.objects.filter(pk=lesson.pk).update(rescored_in=made)
    return made


@transaction.atomic
def take_back(*, lesson: Lesson, by: User) -> Lesson:
    """Undo it: the golden of before is in force again, or the entry leaves the vocabulary in a further number.

    Where another golden is in force by now, only the value leaves it. Raises NotAllowedNowError where that golden does
    not accept the value in this place any more, and where it was taken back already.
    """
    lesson = Lesson.objects.select_for_update(of=("self",)).select_related("project").get(pk=lesson.pk)
    if lesson.taken_back_at is not None:
        raise NotAllowedNowError(say("This was taken back already."))
    if lesson.kind == LessonKind.ACCEPTED:
        conversation = Conversation.objects.select_for_update().get(pk=lesson.trajectory.conversation_id)
        if conversation.golden_record_id == lesson.golden_record_id and lesson.golden_before is not None:
            body = lesson.golden_before.body
        else:
            body = _without_value(conversation.golden_record, lesson)
        documents.accept_golden_record(conversation=conversation, body=body, by=by)
    else:
        Project.objects.select_for_update().get(pk=lesson.project_id)
        newest = vocabularies.latest(lesson.project)
        entry = _entry(lesson.kind, pair_of(lesson), is_for_field=lesson.is_for_field)
        if newest is not None and entry in vocabularies.entries_of(newest.body):
            body = vocabularies.without_entry(newest.body, entry.key)
            vocabularies.create(project=lesson.project, body=body, by=by, seen_number=newest.number, reason=_TAKEN_BACK)
    lesson.taken_back_by, lesson.taken_back_at = by, timezone.now()
    lesson.save(update_fields=["taken_back_by", "taken_back_at"])
    history.record(project=lesson.project, actor=by, action="lesson.taken_back", subject=lesson, before=lesson.kind)
    return lesson


def _without_value(record: GoldenRecord | None, lesson: Lesson) -> dict[str, Any]:
    """The golden in force without the value, all else as it is."""
    body: dict[str, Any] = deepcopy(record.body) if record is not None else {"golden": {"paths": []}}
    try:
        param = _param_of(body["golden"], path=lesson.path, turn_key=lesson.turn_key, field=lesson.field)
    except NothingToLearnError:
        param = {}
    left = [value for value in _values_of(param) if jsonio.dumps(value) != jsonio.dumps(lesson.observed)]
    if not left or not _accepts(param, lesson.observed):
        raise NotAllowedNowError(
            say(
                "Another golden is in force by now, and this value does not stand there as one of several. Change it "
                "in the workbench instead."
            )
        )
    param.pop("value", None)
    param["values"] = left
    return body


class Said(NamedTuple):
    """What a run says of a turn."""

    passed: bool | None
    skipped: bool
    failure_reason: str
    ambiguous: bool

    @property
    def is_cascade(self) -> bool:
        return self.failure_reason == "prior_action_failed"

    @property
    def is_unscored(self) -> bool:
        return self.passed is None and not self.skipped


@dataclass(frozen=True, slots=True)
class Changed:
    """A turn of the run before and of the one that follows it; None where that run does not speak of it.

    ``position_before`` is where the trajectory stands in the run before.
    """

    item: RunItem
    position_before: int | None
    turn_no: int
    before: Said | None
    after: Said | None

    @property
    def is_other(self) -> bool:
        """Whether the two say something else."""
        return self.before != self.after


def changes(run: EvaluationRun) -> list[Changed]:
    """Turn by turn what a run says of the trajectories that it scored again, beside the run that it follows."""
    if run.follows_id is None:
        return []
    chosen = run.items.select_related("run", "trajectory__conversation").defer(
        "trajectory__body", "trajectory__metadata", "trajectory__extra", "trajectory__conversation__system_prompt"
    )
    items = {item.trajectory_id: item for item in chosen}
    earlier, later = _said_in(run.follows_id, run), _said_in(run.pk, run)
    positions = dict(
        RunItem.objects.filter(run=run.follows_id, trajectory__in=run.items.values("trajectory")).values_list(
            "trajectory", "position"
        )
    )
    return [
        Changed(
            items[trajectory],
            positions.get(trajectory),
            turn_no,
            earlier.get((trajectory, turn_no)),
            later.get((trajectory, turn_no)),
        )
        for trajectory, turn_no in sorted({*earlier, *later}, key=lambda one: (items[one[0]].position, one[1]))
    ]


def _said_in(run_id: Any, again: EvaluationRun) -> dict[tuple[int, int], Said]:
    """What a run says of the trajectories of ``again``, without the explanations."""
    rows = TurnVerdict.objects.filter(
        verdict__item__run=run_id, verdict__item__trajectory__in=again.items.values("trajectory")
    ).values_list("verdict__item__trajectory", "turn_no", "passed", "skipped", "failure_reason", "ambiguous")
    return {
        (trajectory, turn_no): Said(passed, skipped, reason, ambiguous)
        for trajectory, turn_no, passed, skipped, reason, ambiguous in rows.iterator()
    }


@dataclass(frozen=True, slots=True)
class Since:
    """What the newest run that follows says of a turn."""

    run: EvaluationRun
    position: int
    said: Said


def scored_since(turns: Collection[tuple[RunItem, int]]) -> dict[int, dict[int, Since]]:
    """What was scored again of these turns since: by the key of the run item, then by the number of the turn."""
    items: dict[tuple[Any, int], int] = {(item.run_id, item.trajectory_id): item.pk for item, _ in turns}
    wanted = {(item.pk, turn_no) for item, turn_no in turns}
    rows = (
        TurnVerdict.objects.filter(
            verdict__item__run__follows__in={item.run_id for item, _ in turns},
            verdict__item__trajectory__in={item.trajectory_id for item, _ in turns},
        )
        .select_related("verdict__item__run")
        .defer("detail", "verdict__outcome", "verdict__unexpected", "verdict__item__run__summary")
        .order_by("verdict__item__run__number", "turn_no")
    )
    found: dict[int, dict[int, Since]] = {}
    for row in rows:
        again = row.verdict.item
        item = items.get((again.run.follows_id, again.trajectory_id))
        if item is not None and (item, row.turn_no) in wanted:
            said = Said(row.passed, row.skipped, row.failure_reason, row.ambiguous)
            found.setdefault(item, {})[row.turn_no] = Since(again.run, again.position, said)
    return found


def lesson_of(run: EvaluationRun) -> Lesson | None:
    """The lesson because of which a run scored again."""
    return Lesson.objects.filter(rescored_in=run).order_by("-learned_at").first()


def words_of(lesson: Lesson) -> str:
    """What was learned, in one sentence."""
    values = {
        "expected": value_text(lesson.expected),
        "observed": value_text(lesson.observed),
        "field": lesson.field,
    }
    if lesson.kind == LessonKind.ACCEPTED:
        return say(
            "“{observed}” is an accepted value of {field}, in the golden of {conversation}.",
            **values,
            conversation=lesson.trajectory.conversation,
        )
    if lesson.kind == LessonKind.EQUAL:
        if lesson.is_for_field:
            return say("“{expected}” and “{observed}” mean the same in {field}.", **values)
        return say("“{expected}” and “{observed}” mean the same in every field.", **values)
    if lesson.is_for_field:
        return say("“{expected}” and “{observed}” never mean the same in {field}.", **values)
    return say("“{expected}” and “{observed}” never mean the same in every field.", **values)


def undo_words(lesson: Lesson) -> str:
    """What taking the lesson back does, in one sentence."""
    if lesson.kind == LessonKind.ACCEPTED:
        if lesson.rescored_in_id is None:
            return say(
                "The value leaves the accepted values of the field: the conversation gets a golden without it. The "
                "history keeps both."
            )
        return say(
            "The value leaves the accepted values of the field: the conversation gets a golden without it; what was "
            "scored again stays as it is. The history keeps both."
        )
    if lesson.rescored_in_id is None:
        return say(
            "The entry leaves the project's vocabulary, which gets a further number without it. The history keeps both."
        )
    return say(
        "The entry leaves the project's vocabulary, which gets a further number without it; what was scored again "
        "stays as it is. The history keeps both."
    )
