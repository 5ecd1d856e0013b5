"""The machine's verdicts beside people's labels, turn by turn, and the figures that follow from them.

A pair is one golden turn of one trajectory. The machine's side is its verdict in the chosen runs; people's side is the
final label (decision, else consensus) or one person's. What one side leaves open takes the pair out and is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Q

from annotations.models import Attribution, HumanLabel, Judgement, Project, TurnLabel, User
from evaluation.aem.language import mark
from evaluation.aem.sentences import reason_again
from evaluation.models import Decision, EvaluationRun, RunItem, RunState, TurnVerdict
from evaluation.services.decisions import final_label
from evaluation.stats.agreement import (
    SUB_METRICS,
    Agreement,
    HumanAgreement,
    PairRow,
    PersonLabel,
    Value,
    agreement_between_people,
    agreement_by_sub_metric,
)
from evaluation.stats.first_failure import FirstFailure, FirstFailureAgreement, FirstTurn, first_failure_agreement

FINAL = "final"
SCORES = ("structural", "completeness", "truthfulness")

TurnAddress = tuple[int, str, str]  # trajectory, path, golden turn id


@dataclass(slots=True)
class JudgedTurn:
    """A golden turn of a trajectory that somebody judged: people's labels, the decision, and the machine's verdict."""

    trajectory_id: int
    path: str
    turn_key: str
    item: RunItem | None = None
    verdict: TurnVerdict | None = None
    labels: list[HumanLabel] = field(default_factory=list)
    decision: Decision | None = None

    @property
    def final(self) -> Decision | HumanLabel | None:
        return final_label(self.decision, self.labels)

    def said_by(self, reference: str) -> Judgement | None:
        """What the reference says: ``final``, or the label of the person with this id."""
        if reference == FINAL:
            return self.final
        return next((label for label in self.labels if str(label.annotator_id) == reference), None)

    @property
    def name(self) -> str:
        return f"trajectory {self.trajectory_id}, turn {self.turn_key}"


def newest_runs(project: Project) -> list[EvaluationRun]:
    """The newest finished run of each dataset: what pages compare where nobody chose a run.

    A run that scores some trajectories of another again is a part only, and stands for no dataset.
    """
    found: dict[int, EvaluationRun] = {}
    runs = EvaluationRun.objects.filter(project=project, state=RunState.DONE, follows=None)
    runs = runs.select_related("dataset_version__dataset")
    for run in runs.order_by("-number"):
        found.setdefault(run.dataset_version.dataset_id, run)
    return sorted(found.values(), key=lambda run: run.number)


def comparable_runs(project: Project) -> list[EvaluationRun]:
    """The runs that have results to compare, the newest first."""
    found = EvaluationRun.objects.filter(project=project, state__in=[RunState.DONE, RunState.STOPPED])
    return list(found.select_related("dataset_version__dataset").order_by("-number"))


def people_of(runs: Sequence[EvaluationRun]) -> list[User]:
    """Who has labelled trajectories of these runs."""
    labels = HumanLabel.objects.filter(trajectory__run_items__run__in=runs)
    return list(User.objects.filter(pk__in=labels.values("annotator")).order_by("username"))


def judged_turns(runs: Sequence[EvaluationRun]) -> list[JudgedTurn]:
    """All turns of the runs' trajectories that carry a label or a decision, in a fixed number of queries."""
    items = {
        item.trajectory_id: item
        for item in RunItem.objects.filter(run__in=runs)
        .select_related("run", "trajectory__conversation__dataset")
        .defer(
            "trajectory__body", "trajectory__metadata", "trajectory__extra", "trajectory__conversation__system_prompt"
        )
        .order_by("run__number")
    }
    found: dict[TurnAddress, JudgedTurn] = {}

    def turn_of(row: Judgement, trajectory_id: int) -> JudgedTurn:
        address = (trajectory_id, row.path, row.turn_key)
        if address not in found:
            found[address] = JudgedTurn(*address, item=items.get(trajectory_id))
        return found[address]

    labels = HumanLabel.objects.filter(trajectory__run_items__run__in=runs).select_related("annotator").distinct()
    for label in labels.order_by("trajectory", "path", "turn_key", "pk"):
        turn_of(label, label.trajectory_id).labels.append(label)
    decided = Decision.objects.filter(trajectory__run_items__run__in=runs).select_related("decided_by").distinct()
    for decision in decided.order_by("trajectory", "path", "turn_key"):
        turn_of(decision, decision.trajectory_id).decision = decision
    judged = {address[0] for address in found}
    wanted = [items[trajectory].pk for trajectory in judged if trajectory in items]
    for start in range(0, len(wanted), 500):  # SQLite takes a limited number of values in one statement
        rows = TurnVerdict.objects.filter(verdict__in=wanted[start : start + 500]).select_related("verdict__item")
        for row in rows.defer("detail", "verdict__outcome", "verdict__unexpected"):
            turn = found.get((row.verdict.item.trajectory_id, row.verdict.path, row.turn_key))
            if turn is not None:
                turn.verdict = row
    return list(found.values())


# --- pairs ---


def machine_value(turn: JudgedTurn, sub_metric: str) -> Value:
    """What the machine says, as the statistics read it; why it says nothing, where it does not."""
    row = turn.verdict
    if row is None:
        return "not_scored"
    if row.skipped:
        return "skipped"
    if row.passed is None and sub_metric in {"turn_verdict", "attribution"}:
        return "not_scored"
    if sub_metric == "turn_verdict":
        return row.passed
    if sub_metric == "attribution":
        return "pass" if row.passed else "cascade" if row.is_cascade else "root"
    score: float | None = getattr(row, sub_metric)
    return "not_judged" if score is None else score


def human_value(row: Judgement | None, sub_metric: str) -> Value:
    """What a label or decision says, as the statistics read it."""
    if row is None:
        return None
    if sub_metric == "turn_verdict":
        return row.verdict or None
    if sub_metric == "attribution":
        if row.verdict == TurnLabel.FAIL:
            return row.attribution or None
        return row.verdict or None
    value: str = getattr(row, sub_metric)
    return value or None


def pair_rows(turns: Iterable[JudgedTurn], *, reference: str = FINAL) -> Iterator[PairRow]:
    for turn in turns:
        if turn.said_by(reference) is None and reference != FINAL:
            continue
        for sub_metric in SUB_METRICS:
            said = people_value(turn, sub_metric, reference=reference)
            yield PairRow(turn.name, sub_metric, machine_value(turn, sub_metric), said)


def people_value(turn: JudgedTurn, sub_metric: str, *, reference: str) -> Value:
    """What the reference says; without a final label, whether nobody was sure or people differ."""
    row = turn.said_by(reference)
    if row is not None:
        return human_value(row, sub_metric)
    verdicts = {label.verdict for label in turn.labels if label.verdict}
    return None if not verdicts else "unsure" if verdicts == {TurnLabel.UNSURE} else "undecided"


def first_failures(turns: Sequence[JudgedTurn], *, reference: str) -> Iterator[FirstFailure]:
    """The first failing turn of each trajectory as both sides see it; a person's needs labels of all turns before."""
    by_trajectory: dict[int, list[JudgedTurn]] = defaultdict(list)
    for turn in turns:
        if turn.item is not None:
            by_trajectory[turn.trajectory_id].append(turn)
    verdicts: dict[int, list[TurnVerdict]] = defaultdict(list)
    pks = [group[0].item.pk for group in by_trajectory.values() if group[0].item is not None]
    for start in range(0, len(pks), 500):
        rows = TurnVerdict.objects.filter(verdict__in=pks[start : start + 500]).only(
            "verdict_id", "turn_no", "turn_key", "passed", "skipped"
        )
        for row in rows:
            verdicts[row.verdict_id].append(row)
    for trajectory_id, group in by_trajectory.items():
        item = group[0].item
        rows_here = sorted(verdicts[item.pk], key=lambda row: row.turn_no) if item is not None else []
        if not rows_here:
            continue
        said = {turn.turn_key: turn.said_by(reference) for turn in group}
        yield FirstFailure(
            f"trajectory {trajectory_id}",
            _machine_first(rows_here),
            _human_first(rows_here, said),
        )


def _machine_first(rows: Sequence[TurnVerdict]) -> FirstTurn:
    for row in rows:
        if row.passed is False:
            return row.turn_no
        if row.is_unscored:
            return None  # nobody knows whether it failed
    return "none"


def _human_first(rows: Sequence[TurnVerdict], said: dict[str, Judgement | None]) -> FirstTurn:
    for row in rows:
        label = said.get(row.turn_key)
        if label is not None and label.verdict == TurnLabel.FAIL:
            return row.turn_no
        if not row.skipped and (label is None or label.verdict in ("", TurnLabel.UNSURE)):
            return None  # an unlabelled turn before the first failure: it may have failed
    return "none"


def people_labels(turns: Iterable[JudgedTurn]) -> Iterator[PersonLabel]:
    for turn in turns:
        for label in turn.labels:
            for sub_metric in SUB_METRICS:
                yield PersonLabel(turn.name, sub_metric, str(label.annotator), human_value(label, sub_metric))


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the agreement page shows."""

    reference: str
    turns: int
    agreements: dict[str, Agreement]
    people: HumanAgreement
    first_failure: FirstFailureAgreement
    judged: tuple[JudgedTurn, ...] = field(default=(), repr=False)

    def as_json(self) -> dict[str, Any]:
        return {
            "reference": self.reference,
            "judged_turns": self.turns,
            "machine_and_people": {name: each.as_json() for name, each in self.agreements.items()},
            "people": self.people.as_json(),
            "first_failure": self.first_failure.as_json(),
        }


def report(runs: Sequence[EvaluationRun], *, reference: str = FINAL) -> Report:
    """All figures of the runs against a reference."""
    turns = judged_turns(runs)
    return Report(
        reference=reference,
        turns=len(turns),
        agreements=agreement_by_sub_metric(pair_rows(turns, reference=reference)),
        people=agreement_between_people(_distinct(people_labels(turns))),
        first_failure=first_failure_agreement(first_failures(turns, reference=reference)),
        judged=tuple(turns),
    )


class ScoredTurn(NamedTuple):
    """A score of the machine and the label that people gave the same turn."""

    turn: JudgedTurn
    score: float
    label: str


def scored_turns(turns: Iterable[JudgedTurn], *, sub_metric: str, reference: str) -> Iterator[ScoredTurn]:
    """The turns that both sides judge, with the score as it is; only the sub-metrics of ``SCORES`` have one."""
    scale = SUB_METRICS[sub_metric]
    for turn in turns:
        score = scale.read(machine_value(turn, sub_metric))
        label = scale.read(people_value(turn, sub_metric, reference=reference))
        if not isinstance(score, str) and not isinstance(label, str):
            yield ScoredTurn(turn, score.number, label.label)


def _distinct(labels: Iterable[PersonLabel]) -> Iterator[PersonLabel]:
    """People of the same display name are told apart by a number."""
    seen: set[tuple[str, str, str]] = set()
    for label in labels:
        person, number = label.person, 2
        while (label.item, label.sub_metric, person) in seen:
            person, number = f"{label.person} ({number})", number + 1
        seen.add((label.item, label.sub_metric, person))
        yield label._replace(person=person)


def matching(
    turns: Iterable[JudgedTurn], *, sub_metric: str, reference: str, machine: str = "", human: str = ""
) -> list[JudgedTurn]:
    """The turns behind a number: those that both sides judge, or those with these two values."""
    scale = SUB_METRICS[sub_metric]
    found = []
    for turn in turns:
        sides = [
            scale.read(machine_value(turn, sub_metric)),
            scale.read(people_value(turn, sub_metric, reference=reference)),
        ]
        words = [side if isinstance(side, str) else side.label for side in sides]
        known = not any(isinstance(side, str) for side in sides)
        if machine or human:
            if (not machine or words[0] == machine) and (not human or words[1] == human) and known:
                found.append(turn)
        elif known:
            found.append(turn)
    return found


# --- what goes to people ---


#: Why a turn goes to people, the weightiest first. In addresses and in the API by these names, on pages translated.
_WEIGHTS = {
    mark("people differ"): 8,
    mark("people and machine differ"): 4,
    mark("not scored"): 2,
    mark("ambiguous"): 1,
}


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A verdict that people should settle, and why."""

    item: RunItem
    verdict: TurnVerdict
    reasons: tuple[str, ...]
    decision: Decision | None

    @property
    def weight(self) -> int:
        """People who differ come first, then people against the machine, then what the machine doubts itself."""
        return sum(_WEIGHTS[reason] for reason in self.reasons)

    @property
    def because(self) -> list[str]:
        """Why the machine doubts its verdict, as far as it was stored."""
        return [reason_again(reason) for reason in (self.verdict.detail or {}).get("ambiguous_because", ())]


def to_adjudicate(runs: Sequence[EvaluationRun], *, with_decided: bool = False) -> list[OpenTurn]:
    """Turns whose verdict is ambiguous, or on which people, or people and machine, differ; the weightiest first."""
    turns = {(turn.trajectory_id, turn.path, turn.turn_key): turn for turn in judged_turns(runs)}
    found: list[OpenTurn] = []
    seen: set[TurnAddress] = set()
    ambiguous = (
        TurnVerdict.objects.filter(verdict__item__run__in=runs)
        .filter(Q(ambiguous=True) | Q(passed=None, skipped=False))
        .select_related("verdict__item__run", "verdict__item__trajectory__conversation")
        .defer(
            "verdict__item__trajectory__body",
            "verdict__item__trajectory__metadata",
            "verdict__item__trajectory__extra",
            "verdict__item__trajectory__conversation__system_prompt",
        )
        .order_by("verdict__item__run__number", "verdict__item__position", "turn_no")
    )
    for row in ambiguous:
        item = row.verdict.item
        address = (item.trajectory_id, row.verdict.path, row.turn_key)
        seen.add(address)
        turn = turns.get(address)
        doubts = [name for name, holds in (("not scored", row.is_unscored), ("ambiguous", row.ambiguous)) if holds]
        reasons = (*doubts, *(differences(turn) if turn is not None else ()))
        found.append(OpenTurn(item, row, reasons, turn.decision if turn is not None else None))
    for address, turn in turns.items():
        if address in seen or turn.verdict is None or turn.item is None:
            continue
        reasons = differences(turn)
        if reasons or turn.decision is not None:
            found.append(OpenTurn(turn.item, turn.verdict, reasons, turn.decision))
    kept = [entry for entry in found if (with_decided or entry.decision is None)]
    return sorted(
        kept, key=lambda entry: (-entry.weight, entry.item.run.number, entry.item.position, entry.verdict.turn_no)
    )


def differences(turn: JudgedTurn) -> tuple[str, ...]:
    """Who differs about a turn: people among each other, people and machine."""
    reasons = []
    sure = [label for label in turn.labels if label.verdict and label.verdict != TurnLabel.UNSURE]
    if (
        len({label.verdict for label in sure}) > 1
        or len({label.attribution for label in sure if label.attribution}) > 1
    ):
        reasons.append("people differ")
    row = turn.verdict
    if row is not None and row.passed is not None and any(_contradicts(label, row) for label in sure):
        reasons.append("people and machine differ")
    return tuple(reasons)


def _contradicts(label: HumanLabel, row: TurnVerdict) -> bool:
    if label.verdict in (TurnLabel.PASS, TurnLabel.FAIL) and (label.verdict == TurnLabel.PASS) != bool(row.passed):
        return True
    if label.verdict == TurnLabel.NOT_AGENT and row.passed is False:
        return True
    if label.verdict == TurnLabel.FAIL and row.passed is False and label.attribution:
        return (label.attribution == Attribution.CASCADE) != row.is_cascade
    return False
