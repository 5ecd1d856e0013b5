"""Trying a policy before it is kept: a stored run is scored under the draft and compared with its own verdicts.

The database says how far a trial is. A slice moves it on with a condition, so that of two workers at the same slice one
writes and the other's work is thrown away.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet, Sum
from django.utils import translation

from annotations.models import GoldenRecord, Project, User
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation import aem
from evaluation.aem import ENGINE_VERSION, RecordError, ScorerFailed, ScorerUnavailable
from evaluation.aem.language import kept, say
from evaluation.aem.sentences import told_again
from evaluation.formats import jsonio
from evaluation.formats.words import told
from evaluation.models import (
    EvaluationRun,
    JudgeSettings,
    JudgeUse,
    Policy,
    PolicyTrial,
    RunItem,
    RunState,
    TrialChange,
    TrialState,
    TurnVerdict,
    Verdict,
    Vocabulary,
)
from evaluation.services import judges, meaning, policies, scoring

logger = logging.getLogger(__name__)

#: A slice ends with the item that brings it to so many golden turns; it is one transaction.
SLICE_TURNS = 1000
SLICE_ITEMS = 200
#: A run up to this size is tried at once, in the request that asks for it.
AT_ONCE_TURNS = 300
#: Trials of a project that are kept; older ones go with the next one.
KEPT = 20
#: A running trial that did not move for this long has lost its worker.
REST_SECONDS = 60
#: A sentence of a changed verdict is cut here; the review page has it whole.
LONGEST_SENTENCE = 500

PASS, FAIL, SKIPPED, NOT_SCORED = "pass", "fail", "skipped", "not_scored"
BEGINS, ENDS = "begins", "ends"
#: Of a trajectory as a whole: it fits another path, has another rate alone, or is not scored for another reason.
OTHER_PATH, OTHER_RATE, OTHER_ERROR = "path", "rate", "error"


_OTHER_ENGINE = kept("This trial was begun with engine {engine}; this is {now}. Try it again.")


class NothingToTryError(WorkbenchError):
    """There is no run whose verdicts a policy could be tried on."""


def candidates(project: Project) -> QuerySet[EvaluationRun]:
    """The runs on which a policy can be tried, the newest first: those that have come to an end."""
    ended = (RunState.DONE, RunState.STOPPED, RunState.FAILED)
    return EvaluationRun.objects.filter(project=project, state__in=ended).order_by("-number")


def default_run(project: Project) -> EvaluationRun | None:
    """The newest finished run; without one, the newest that was stopped. One that follows another is a part only."""
    found = candidates(project).filter(follows=None)
    return found.filter(state=RunState.DONE).first() or found.first()


def begin(
    *,
    run: EvaluationRun,
    body: dict[str, Any],
    name: str,
    seen_number: int,
    by: User | None,
    now: datetime,
    policy: Policy | None = None,
) -> PolicyTrial:
    """A trial of this draft on the run. One of the same draft that is still at work is given again.

    The caller then works at it or rings for it. Raises PolicyRefusedError where the engine cannot follow the body,
    NothingToTryError for a run that has not come to an end.
    """
    policies.check(body)
    if run.state in (RunState.PENDING, RunState.RUNNING):
        raise NothingToTryError(
            say("{run} is still at work: a policy is tried on the verdicts of a run that has ended.", run=run)
        )
    content_hash = jsonio.content_hash(body)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=run.project_id)
        trials = PolicyTrial.objects.filter(project=run.project_id)
        same = trials.filter(
            run=run, content_hash=content_hash, name=name, seen_number=seen_number, created_by=by, policy=policy
        )
        going_on = same.filter(state=TrialState.RUNNING, engine_version=ENGINE_VERSION).first()
        if going_on is not None:
            return going_on
        old = trials.exclude(state=TrialState.RUNNING).order_by("-created_at").values_list("pk", flat=True)[KEPT - 1 :]
        PolicyTrial.objects.filter(pk__in=list(old)).delete()
        return PolicyTrial.objects.create(
            project_id=run.project_id,
            run=run,
            policy=policy,
            name=name,
            seen_number=seen_number,
            body=body,
            content_hash=content_hash,
            engine_version=ENGINE_VERSION,
            total=run.items.count(),
            counts=_no_counts(),
            created_by=by,
            moved_at=now,
        )


def is_small(trial: PolicyTrial) -> bool:
    """Whether the whole trial is a matter of a moment: few turns, and no meanings to compare for the first time."""
    if policies.parsed(trial.body).scorer != "exact":
        return False
    turns = RunItem.objects.filter(run=trial.run_id).aggregate(n=Sum("golden_record__turn_count"))["n"] or 0
    return turns <= AT_ONCE_TURNS


def stop(*, trial: PolicyTrial, now: datetime) -> None:
    """End a trial early; what it found up to here stays. Raises NotAllowedNowError where it has ended."""
    moved = PolicyTrial.objects.filter(pk=trial.pk, state=TrialState.RUNNING).update(
        state=TrialState.STOPPED, finished_at=now
    )
    trial.refresh_from_db()
    if not moved:
        raise NotAllowedNowError(
            say("This trial has ended already: it is {state}.", state=trial.get_state_display().lower())
        )


def resting(*, now: datetime) -> list[UUID]:
    """The running trials that nobody seems to work at. Each counts as moved, so that it is rung for once."""
    limit = now - timedelta(seconds=REST_SECONDS)
    found = PolicyTrial.objects.filter(state=TrialState.RUNNING, moved_at__lt=limit)
    ids = list(found.values_list("pk", flat=True))
    if ids:
        PolicyTrial.objects.filter(pk__in=ids, state=TrialState.RUNNING).update(moved_at=now)
    return ids


def work(trial_id: UUID, *, now: datetime) -> bool:
    """Try one slice. True where more is left to do. A slice that somebody else did meanwhile is thrown away.

    What is found is stored in English, whoever asks for it.
    """
    with translation.override("en"):
        return _work(trial_id, now=now)


def _work(trial_id: UUID, *, now: datetime) -> bool:
    trial = PolicyTrial.objects.select_related("run__policy", "run__vocabulary", "project").filter(pk=trial_id).first()
    if trial is None or trial.state != TrialState.RUNNING:
        return False
    try:
        if trial.engine_version != ENGINE_VERSION:
            raise NothingToTryError(_OTHER_ENGINE.format(engine=trial.engine_version, now=ENGINE_VERSION))
        found = _slice(trial)
    except Exception as error:
        if not isinstance(error, WorkbenchError):
            logger.exception("trial %s could not be worked through", trial.pk)
        PolicyTrial.objects.filter(pk=trial.pk, state=TrialState.RUNNING, done=trial.done).update(
            state=TrialState.FAILED, error=_described(error), finished_at=now
        )
        return False
    is_last = found.last >= trial.total
    ended: dict[str, Any] = {"state": TrialState.DONE, "finished_at": now} if is_last else {}
    with transaction.atomic():
        moved = PolicyTrial.objects.filter(pk=trial.pk, state=TrialState.RUNNING, done=trial.done).update(
            done=found.last, counts=found.counts, moved_at=now, **ended
        )
        if moved:
            TrialChange.objects.bulk_create(found.changes, batch_size=200)
    return not is_last


# --- one slice ---


@dataclass(frozen=True, slots=True)
class _Slice:
    """What a slice found: the counts with it, the changes in it, and how far it goes."""

    last: int
    counts: dict[str, Any]
    changes: list[TrialChange]


def _no_counts() -> dict[str, Any]:
    """``turns`` and ``trajectories`` count changes by name; ``before`` and ``after`` are sums over the same items.

    ``own_settings`` counts items whose golden settles something by itself, ``missing`` items that the run never scored.
    """
    return {
        "turns": {},
        "changed_turns": 0,
        "begins_ambiguous": 0,
        "ends_ambiguous": 0,
        "trajectories": {},
        "missing": 0,
        "not_asked": 0,
        "own_settings": {},
        "before": dict.fromkeys(SUMS, 0),
        "after": dict.fromkeys(SUMS, 0),
    }


#: Summed over verdicts. ``rates`` is the sum of ``rated`` success rates.
SUMS = (
    "trajectories",
    "trajectories_not_scored",
    "judged",
    "test_passed",
    "evaluated",
    "passed",
    "ambiguous",
    "turns_not_scored",
    "root_causes",
    "cascades",
    "rated",
    "rates",
)


def _slice(trial: PolicyTrial) -> _Slice:
    """Score the items that come next and compare them with their verdicts."""
    rows = (
        RunItem.objects.filter(run=trial.run_id, position__gt=trial.done)
        .order_by("position")
        .values_list(
            "pk",
            "position",
            "golden_record",
            "golden_record__turn_count",
            "trajectory__body",
            "trajectory__conversation__language",
        )
    )
    taken, turns = [], 0
    for row in rows[:SLICE_ITEMS]:
        taken.append(row)
        turns += row[3]
        if turns >= SLICE_TURNS:
            break
    counts = jsonio.loads(jsonio.dumps(trial.counts))
    if not taken:
        return _Slice(trial.total, counts, [])
    stored = {verdict.pk: verdict for verdict in Verdict.objects.filter(item__in=[row[0] for row in taken])}
    stored_turns: dict[int, list[TurnVerdict]] = {pk: [] for pk in stored}
    for turn in TurnVerdict.objects.filter(verdict__in=list(stored)).order_by("verdict", "turn_no"):
        stored_turns[turn.verdict_id].append(turn)
    judge = _Judge(trial, {row[2] for row in taken})
    changes: list[TrialChange] = []
    counts["missing"] += sum(row[0] not in stored for row in taken)
    waiting = [row for row in taken if row[0] in stored]
    while waiting:
        # What asks for comparisons of meaning that nobody has made waits for them, all of the slice together.
        still = []
        for row in waiting:
            item, position, record, _, body, language = row
            after = judge(item, record, body, language=language)
            if after is None:
                still.append(row)
                continue
            for name in judge.own_settings[record]:
                counts["own_settings"][name] = counts["own_settings"].get(name, 0) + 1
            changes += _compared(trial, position, _stored(stored[item], stored_turns[item]), after, counts)
        if still:
            judge.settle()
        waiting = still
    counts["not_asked"] += judge.not_asked
    return _Slice(taken[-1][1], counts, changes)


def _vocabulary_of(trial: PolicyTrial) -> Vocabulary | None:
    """The words of the run. One that compared exactly had none: then those of the project when the trial was begun."""
    if trial.run.scorer_version:
        return trial.run.vocabulary
    known = Vocabulary.objects.filter(project=trial.project_id, created_at__lte=trial.created_at)
    return known.order_by("-number").first()


def _judge_of(trial: PolicyTrial) -> JudgeSettings | None:
    """The judge of the run; else the one that a run would be planned with now."""
    use = JudgeUse.objects.filter(run=trial.run_id).select_related("settings").first()
    return use.settings if use is not None else judges.find(project=trial.project)


class _Judge:
    """Scores trajectories under the draft, as a run with this policy would; what a record says itself comes first."""

    def __init__(self, trial: PolicyTrial, records: set[int]) -> None:
        # Answers are kept, so that a run under the policy asks for none of them again.
        # A judge is not asked: only what it has answered before is known.
        self._meanings = meaning.Meanings(
            project_id=trial.project_id, vocabulary=_vocabulary_of(trial), judge=_judge_of(trial)
        )
        #: What each record settles by itself, so that the draft has no say in it.
        self.own_settings: dict[int, list[str]] = {}
        self._prepared: dict[int, Any] = {}
        bodies = GoldenRecord.objects.filter(pk__in=records).values_list("pk", "body", "tool_set__body")
        for record, body, tools in bodies:
            self._prepared[record] = scoring._prepare(body, tools, trial.body)
            own = body.get("policy") or {}
            self.own_settings[record] = [name for name in policies.SETTINGS if own.get(name) is not None]

    def __call__(self, item: int, record: int, body: Any, *, language: str) -> _Judged | None:
        """The verdict; None where it waits for comparisons of meaning, until :meth:`settle`."""
        prepared = self._prepared[record]
        error = prepared.error
        if not error:
            try:
                trajectory = aem.parse_trajectory(body)
                verdict = self._meanings.score(
                    prepared.golden, trajectory, policy=prepared.policy, tools=prepared.tools, language=language
                )
            except (RecordError, ScorerUnavailable, ScorerFailed) as problem:
                error = str(problem)
            else:
                return None if verdict is None else _scored(item, verdict)
        return _Judged(error=error, sums=_sums_not_scored())

    @property
    def not_asked(self) -> int:
        """Questions to a judge that nobody has answered yet."""
        return self._meanings.not_asked

    def settle(self) -> None:
        """Make the comparisons that verdicts wait for."""
        if not self._meanings.settle():
            raise AssertionError("an item waits for an answer and nothing was asked")


# --- two verdicts on one trajectory ---


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn's verdict in the terms of a comparison."""

    turn_no: int
    key: str
    tool: str
    action: str
    state: str
    reason: str
    ambiguous: bool
    cascade_of: Sequence[int]
    detail: Mapping[str, Any] | None
    explain: Any = None

    def shown(self) -> dict[str, Any]:
        """What a list of changes tells of it."""
        detail = self.detail if self.detail is not None else self.explain(self.turn_no) if self.explain else {}
        because = detail.get("ambiguous_because") or []
        return {
            "state": self.state,
            "reason": self.reason,
            "ambiguous": self.ambiguous,
            "cascade_of": [*self.cascade_of],
            "sentence": _cut(str(detail.get("sentence") or "")),
            **({"ambiguous_because": [_cut(str(one)) for one in because[:3]]} if because else {}),
        }


@dataclass(frozen=True, slots=True)
class _Judged:
    """A verdict on a trajectory: its turns of one path, and what it adds to the sums; or why there is none."""

    error: str = ""
    path: str = ""
    test_pass: bool | None = None
    success_rate: float | None = None
    turns: tuple[_Turn, ...] = ()
    sums: Mapping[str, Any] | None = None

    @property
    def state(self) -> str:
        """Of the test."""
        return NOT_SCORED if self.error or self.test_pass is None else PASS if self.test_pass else FAIL

    def shown(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "path": self.path,
            "success_rate": self.success_rate,
            **({"error": _cut(self.error)} if self.error else {}),
        }


def _stored(verdict: Verdict, turns: list[TurnVerdict]) -> _Judged:
    """A verdict as the run keeps it."""
    if verdict.error:
        return _Judged(error=verdict.error, sums=_sums_not_scored())
    columns = {field.attname: getattr(verdict, field.attname) for field in Verdict._meta.concrete_fields}
    return _Judged(
        path=verdict.path,
        test_pass=verdict.test_pass,
        success_rate=verdict.success_rate,
        turns=tuple(
            _Turn(
                turn.turn_no,
                turn.turn_key,
                turn.tool,
                turn.action,
                _state(turn.passed, skipped=turn.skipped),
                turn.failure_reason,
                turn.ambiguous,
                turn.cascade_of or (),
                turn.detail or {},
            )
            for turn in turns
        ),
        sums=_sums(columns),
    )


def _scored(item: int, verdict: aem.ConversationVerdict) -> _Judged:
    """A new verdict, by way of the rows that a run would keep, so that both are counted alike."""
    rows = scoring.Rows()
    scoring.add_verdict(item, verdict, rows)
    columns = dict(zip(scoring.VERDICT_COLUMNS, rows.verdicts[0], strict=True))
    return _Judged(
        path=verdict.path,
        test_pass=verdict.test_pass,
        success_rate=columns["success_rate"],
        turns=tuple(
            _Turn(
                turn.turn_no,
                turn.golden,
                turn.tool or "",
                turn.action or "",
                _state(turn.passed, skipped=turn.skipped),
                "" if turn.failure_reason is None else str(turn.failure_reason),
                turn.ambiguous,
                turn.cascade_of,
                None,
                verdict.explain_turn,
            )
            for turn in verdict.turns
        ),
        sums=_sums(columns),
    )


def _state(passed: bool | None, *, skipped: bool) -> str:
    if skipped:
        return SKIPPED
    return NOT_SCORED if passed is None else PASS if passed else FAIL


def _sums(columns: Mapping[str, Any]) -> dict[str, Any]:
    rate = columns["success_rate"]
    return {
        "trajectories": 1,
        "judged": int(columns["test_pass"] is not None),
        "test_passed": int(columns["test_pass"] is True),
        "evaluated": columns["evaluated"],
        "passed": columns["passed"],
        "ambiguous": columns["ambiguous"],
        "turns_not_scored": columns.get("not_scored", 0),
        "root_causes": columns["root_cause_count"],
        "cascades": columns["cascading_count"],
        "rated": int(rate is not None),
        "rates": 0 if rate is None else Decimal(repr(rate)),  # JSON is exact here, and holds no floats
    }


def _sums_not_scored() -> dict[str, Any]:
    return {"trajectories": 1, "trajectories_not_scored": 1}


def _compared(
    trial: PolicyTrial, position: int, before: _Judged, after: _Judged, counts: dict[str, Any]
) -> Iterator[TrialChange]:
    """Count an item, and yield what changes in it: its turns, then itself."""
    for name, judged in (("before", before), ("after", after)):
        for key, value in (judged.sums or {}).items():
            counts[name][key] += value
    changed = 0
    # Turns of different paths are different turns, whatever their numbers: the item says that its path is another.
    is_other_path = not before.error and not after.error and before.path != after.path
    if not is_other_path:
        olds, news = ({turn.turn_no: turn for turn in judged.turns} for judged in (before, after))
        for turn_no in sorted(olds.keys() | news.keys()):
            change = _turn_change(olds.get(turn_no), news.get(turn_no), counts)
            if change is not None:
                changed += 1
                change.trial, change.position = trial, position
                yield change
    what = []
    if before.state != after.state:
        what.append(f"{before.state}>{after.state}")
    elif before.error != after.error:
        what.append(OTHER_ERROR)
    if is_other_path:
        what.append(OTHER_PATH)
    if not what and not changed and before.success_rate != after.success_rate:
        what.append(OTHER_RATE)
    for one in what:
        counts["trajectories"][one] = counts["trajectories"].get(one, 0) + 1
    if what:
        yield TrialChange(
            trial=trial,
            position=position,
            turn_no=0,
            change=",".join(what),
            before=before.shown(),
            after=after.shown(),
        )


def _turn_change(old: _Turn | None, new: _Turn | None, counts: dict[str, Any]) -> TrialChange | None:
    """How a turn's verdict differs; None where it is the same. Without a verdict it is not scored."""
    states = old.state if old else NOT_SCORED, new.state if new else NOT_SCORED
    reasons = old.reason if old else "", new.reason if new else ""
    doubts = old is not None and old.ambiguous, new is not None and new.ambiguous
    what = ">".join(states) if states[0] != states[1] or reasons[0] != reasons[1] else ""
    ambiguity = "" if doubts[0] == doubts[1] else BEGINS if doubts[1] else ENDS
    if not what and not ambiguity:
        return None
    counts["changed_turns"] += 1
    if what:
        counts["turns"][what] = counts["turns"].get(what, 0) + 1
    if ambiguity:
        counts[f"{ambiguity}_ambiguous"] += 1
    turn = new or old
    assert turn is not None  # noqa: S101 - one of the two made the number
    nothing = {"state": NOT_SCORED, "reason": "", "ambiguous": False, "sentence": ""}
    return TrialChange(
        turn_no=turn.turn_no,
        turn_key=turn.key,
        tool=turn.tool,
        action=turn.action,
        change=what,
        ambiguity=ambiguity,
        before=old.shown() if old else nothing,
        after=new.shown() if new else nothing,
    )


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[: LONGEST_SENTENCE - 1] + "…"


def _described(error: Exception) -> str:
    if isinstance(error, WorkbenchError):
        return str(error)
    return "".join(traceback.format_exception(error, limit=-4))[-4000:]


# --- what came out ---


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one sort: how people call it, how many there are, and which rows they are."""

    key: str
    label: str
    count: int
    css_class: str
    rows: Q


@dataclass(frozen=True, slots=True)
class Side:
    """The sums of one side, with the rates that follow from them; None where nothing is below the line."""

    judged: int
    test_passed: int
    evaluated: int
    passed: int
    ambiguous: int
    turns_not_scored: int
    trajectories_not_scored: int
    root_causes: int
    cascades: int
    test_pass_rate: float | None
    turn_pass_rate: float | None
    mean_success_rate: float | None


def side(trial: PolicyTrial, name: str) -> Side:
    """``before``, as the run has it, or ``after``, of the items that the trial is through with."""
    sums = trial.counts[name]
    return Side(
        judged=sums["judged"],
        test_passed=sums["test_passed"],
        evaluated=sums["evaluated"],
        passed=sums["passed"],
        ambiguous=sums["ambiguous"],
        turns_not_scored=sums["turns_not_scored"],
        trajectories_not_scored=sums["trajectories_not_scored"],
        root_causes=sums["root_causes"],
        cascades=sums["cascades"],
        test_pass_rate=_share(sums["test_passed"], sums["judged"]),
        turn_pass_rate=_share(sums["passed"], sums["evaluated"]),
        mean_success_rate=_share(sums["rates"], sums["rated"]),
    )


def tools_out_of_reach(trial: PolicyTrial) -> list[str]:
    """Tools that the draft has rules for and that no golden turn of the run calls: there they can show no effect."""
    ruled = {tool for (tool, _), _ in policies.rules_of(policies.parsed(trial.body))}
    called = TurnVerdict.objects.filter(verdict__item__run=trial.run_id, tool__in=ruled).order_by()
    return sorted(ruled - set(called.values_list("tool", flat=True).distinct())) if ruled else []


def _share(part: Any, whole: int) -> float | None:
    return float(part / whole) if whole else None


_OF_TURN, _OF_TRAJECTORY = Q(turn_no__gt=0), Q(turn_no=0)


def groups(trial: PolicyTrial) -> list[Group]:
    """Every sort of change, with its exact count; a turn whose ambiguity changes too counts in both."""
    counts = trial.counts
    turns, whole = counts["turns"], counts["trajectories"]

    def turn(key: str, label: str, css_class: str, *changes: str) -> Group:
        return Group(
            key,
            label,
            sum(turns.get(change, 0) for change in changes),
            css_class,
            _OF_TURN & Q(change__in=changes),
        )

    def trajectory(key: str, label: str, css_class: str, *changes: str) -> Group:
        rows = Q()
        for change in changes:
            rows |= Q(change=change) | Q(change=f"{change},{OTHER_PATH}")
        if changes == (OTHER_PATH,):
            rows = Q(change__endswith=OTHER_PATH)
        return Group(key, label, sum(whole.get(change, 0) for change in changes), css_class, _OF_TRAJECTORY & rows)

    judged = (PASS, FAIL, SKIPPED)
    return [
        turn("passes", say("turns fail → pass"), "pass", f"{FAIL}>{PASS}"),
        turn("fails", say("turns pass → fail"), "root", f"{PASS}>{FAIL}"),
        turn("reason", say("turns fail for another reason"), "casc", f"{FAIL}>{FAIL}"),
        Group(
            "begins-ambiguous", say("turns become ambiguous"), counts["begins_ambiguous"], "amb", Q(ambiguity=BEGINS)
        ),
        Group("ends-ambiguous", say("turns no longer ambiguous"), counts["ends_ambiguous"], "amb", Q(ambiguity=ENDS)),
        turn("not-scored", say("turns no longer scored"), "skip", *(f"{state}>{NOT_SCORED}" for state in judged)),
        turn("scored", say("turns scored that were not"), "info", *(f"{NOT_SCORED}>{state}" for state in judged)),
        turn("skipped", say("turns skipped that were not"), "skip", f"{PASS}>{SKIPPED}", f"{FAIL}>{SKIPPED}"),
        turn("unskipped", say("turns no longer skipped"), "info", f"{SKIPPED}>{PASS}", f"{SKIPPED}>{FAIL}"),
        trajectory("test-passes", say("tests fail → pass"), "pass", f"{FAIL}>{PASS}"),
        trajectory("test-fails", say("tests pass → fail"), "root", f"{PASS}>{FAIL}"),
        trajectory("undecided", say("tests no longer decided"), "skip", f"{PASS}>{NOT_SCORED}", f"{FAIL}>{NOT_SCORED}"),
        trajectory(
            "decided", say("tests decided that were not"), "info", f"{NOT_SCORED}>{PASS}", f"{NOT_SCORED}>{FAIL}"
        ),
        trajectory("error", say("trajectories not scored for another reason"), "skip", OTHER_ERROR),
        trajectory("path", say("trajectories that fit another path"), "info", OTHER_PATH),
        trajectory("rate", say("trajectories with another rate alone"), "info", OTHER_RATE),
    ]


def find_changes(trial: PolicyTrial, *, group: str = "") -> QuerySet[TrialChange]:
    """The changes in the order of the run, or those of one group; an unknown group has none."""
    found = TrialChange.objects.filter(trial=trial).order_by("position", "turn_no")
    if not group:
        return found
    rows = next((known.rows for known in groups(trial) if known.key == group), None)
    return found.none() if rows is None else found.filter(rows)


def with_items(trial: PolicyTrial, changes: Sequence[TrialChange]) -> list[tuple[TrialChange, RunItem]]:
    """Each change with its item, its conversation and its trajectory, in one query; sentences in one's language."""
    items = {
        item.position: item
        for item in RunItem.objects.filter(run=trial.run_id, position__in={change.position for change in changes})
        .select_related("trajectory__conversation")
        .defer("trajectory__body")
    }
    for change in changes:
        change.before, change.after = _told(change.before), _told(change.after)
    return [(change, items[change.position]) for change in changes]


def _told(side: dict[str, Any]) -> dict[str, Any]:
    """What is stored of a side, in the reader's language."""
    again: dict[str, Any] = told_again(side)
    return {**again, "error": told(again["error"])} if again.get("error") else again
