"""Thresholds from people's labels: which turns can tell about one, what each threshold would do, and taking one over.

A unit is one labelled turn and sub-metric. What no threshold changes, and what a label does not tell, takes the turn
out and is counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal
from urllib.parse import quote

from django.db import transaction
from django.db.models import Q, TextField, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan
from django.utils import translation

from annotations.models import Attribution, GoldenRecord, Judgement, Project, SubLabel, TurnKind, TurnLabel, User
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation import aem
from evaluation.aem.language import kept, mark, retold, say
from evaluation.evaluators.registry import EVALUATORS
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, Policy, RunState, TurnVerdict
from evaluation.services import agreement, policies
from evaluation.services.agreement import FINAL, JudgedTurn
from evaluation.stats.agreement import MISSING, NOT_A_JUDGEMENT, SUB_METRIC_TITLES
from evaluation.stats.calibration import Calibration, Criterion, Proposal, Unit, calibrate

SubMetric = Literal["truthfulness", "completeness", "turn_verdict"]
SUB_METRICS: tuple[SubMetric, ...] = ("truthfulness", "completeness", "turn_verdict")
TITLES = {name: SUB_METRIC_TITLES[name] for name in SUB_METRICS}
DEFAULT_SEED = 1
EXACT = "exact"

ALL = "all"
#: What is compared in a reply; the other kinds are the comparisons of parameters.
REPLY_KINDS = ("claim", "reply")
KIND_WORDS = {"claim": mark("claims of replies"), "reply": mark("whole replies without claims")}

#: Where a threshold comes from: a golden's field, a golden record's policy, a rule of the run's policy, its default.
Origin = Literal["field", "record", "rule", "policy"]

FIXED_FAILURE = kept("another part of the turn fails at every threshold")
NOT_JUDGED = kept("a part of the turn could not be judged")
OTHER_MEANING = kept("another part of the turn is judged by meaning, too, and the label does not tell them apart")
CONTRADICTIONS = kept("claims alone: whether one is contradicted does not hang on a threshold")
OWN_THRESHOLD = kept("the threshold does not come from where this one would be set")
NOT_SAID = f"human label: {kept('does not say it of this sub-metric')}"


_CALIBRATED = kept(
    "Calibrated on people's labels of {runs}: {sub_metric}, {slice}. Threshold {threshold} has {why} on half a (seed "
    "{seed}, n = {a_turns} turns of {a_conversations} conversations). On half b (n = {b_turns} turns of "
    "{b_conversations} conversations): true-pass rate {true_passes}, false-pass rate {false_passes}, accuracy "
    "{accuracy}; before, with {present}: true-pass rate {true_passes_before}, false-pass rate {false_passes_before}, "
    "accuracy {accuracy_before}."
)


class NothingToAdoptError(WorkbenchError):
    """No threshold is proposed, or another one than was shown."""


class ChangedSinceError(NotAllowedNowError):
    """Labels or verdicts have changed since the page was shown, and another threshold is proposed now."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Which parts of turns a threshold is looked for: all, those of a kind of comparison, or one tool's parameter."""

    kind: str = ""
    tool: str = ""
    param: str = ""

    @property
    def key(self) -> str:
        """As an address names it."""
        if self.param:
            return f"param:{quote(self.tool, safe='')}/{quote(self.param, safe='')}"
        return f"as:{self.kind}" if self.kind else ALL

    @property
    def words(self) -> str:
        if self.param:
            return f"{self.tool}.{self.param}"
        if not self.kind:
            return say("everything that follows the policy's threshold")
        if self.kind in KIND_WORDS:
            return say(KIND_WORDS[self.kind])
        return say(
            "values compared as {kind} ({words})", kind=self.kind, words=say(policies.COMPARISON_WORDS[self.kind])
        )

    @property
    def is_of_values(self) -> bool:
        """Whether adopting makes rules for parameters, and leaves the policy's threshold as it is."""
        return bool(self.param) or (bool(self.kind) and self.kind not in REPLY_KINDS)

    def takes(self, part: Part) -> bool:
        """Whether a threshold that is set for this slice moves the part."""
        if self.param:
            is_meant = (part.tool, part.param) == (self.tool, self.param)
        else:
            is_meant = not self.kind or part.kind == self.kind
        return (
            is_meant
            and part.hangs
            and part.origin in (("policy", "rule", "record") if self.is_of_values else ("policy",))
        )


@dataclass(frozen=True, slots=True)
class Part:
    """One judged part of a turn, as far as thresholds are concerned.

    ``hangs`` says whether its score against its threshold is what decided; only then it has both.
    """

    sub_metrics: tuple[str, ...]
    passed: bool | None
    is_semantic: bool = False
    scorer: str = ""
    hangs: bool = False
    score: Fraction = Fraction(0)
    threshold: Fraction = Fraction(0)
    kind: str = ""
    tool: str = ""
    param: str = ""
    origin: Origin = "policy"


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A labelled turn whose parts were judged by meaning, wholly or partly."""

    turn: JudgedTurn
    parts: tuple[Part, ...]

    @property
    def is_action(self) -> bool:
        return self.turn.verdict is not None and self.turn.verdict.kind == TurnKind.ACTION


@dataclass(frozen=True, slots=True)
class Labelled:
    """A unit with the turn behind it. ``is_by_verdict``: the sub-metric has no label, and the turn's verdict tells."""

    turn: JudgedTurn
    unit: Unit
    is_by_verdict: bool
    parts: tuple[Part, ...]

    @property
    def shown_score(self) -> str:
        """Two decimals are not enough where scores lie close together."""
        return f"{float(self.unit.score):.4g}"

    @property
    def names(self) -> list[str]:
        """What was judged by meaning, each with its score."""
        return [
            say(
                "{name} {score} (threshold {threshold})",
                name=part.param or part.kind,
                score=f"{float(part.score):.4g}",
                threshold=f"{float(part.threshold):g}",
            )
            for part in self.parts
        ]


@dataclass(frozen=True, slots=True)
class Choice:
    """A slice that can be chosen, with how many labelled turns tell about it."""

    slice: Slice
    n: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the calibration page shows. ``problem`` says why these runs cannot be calibrated, else empty."""

    runs: tuple[EvaluationRun, ...]
    scorer: str
    problem: str
    sub_metric: SubMetric
    slice: Slice
    choices: tuple[Choice, ...]
    labelled: tuple[Labelled, ...]
    excluded: Counter[str]
    unlabelled: int
    calibration: Calibration

    @property
    def by_verdict(self) -> int:
        """How many labels are verdicts of whole turns."""
        return sum(each.is_by_verdict for each in self.labelled)

    @property
    def present(self) -> tuple[Fraction, ...]:
        """The thresholds in force in the runs; several where parts have their own."""
        return tuple(sorted({part.threshold for each in self.labelled for part in each.parts}))

    @property
    def present_threshold(self) -> Fraction | None:
        """The one threshold in force; None where there are several, or nothing."""
        return self.present[0] if len(self.present) == 1 else None

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Tool and parameter of what a threshold for this slice of values would be set for."""
        if not self.slice.is_of_values:
            return ()
        return tuple(sorted({(part.tool, part.param) for each in self.labelled for part in each.parts}))

    @property
    def also_moves_values(self) -> bool:
        """Whether a threshold for replies would move parameters as well, which have the same one."""
        return not self.slice.is_of_values and (self.slice.kind in REPLY_KINDS or self.sub_metric == "completeness")

    @property
    def also_moves_replies(self) -> bool:
        """Whether a threshold for parameters would move claims as well, which have the same one."""
        return not self.slice.is_of_values and self.sub_metric == "truthfulness"

    def rows(self, *, half: str = "", cell: str = "", threshold: Fraction | None = None) -> list[Labelled]:
        """The turns behind a number: of a half or of both, those that a threshold (None: as things are) puts there."""
        return [
            each
            for each in self.labelled
            if (not half or self.calibration.sides[each.unit.group] == half)
            and (not cell or each.unit.cell(threshold) == cell)
        ]

    def as_json(self) -> dict[str, Any]:
        present = self.present_threshold
        return {
            "runs": [str(run.pk) for run in self.runs],
            "scorer": self.scorer,
            "problem": self.problem or None,
            "sub_metric": self.sub_metric,
            "slice": self.slice.key,
            "slices": [{"slice": each.slice.key, "words": each.slice.words, "n": each.n} for each in self.choices],
            "labels_from_turn_verdicts": self.by_verdict,
            "excluded": dict(sorted(self.excluded.items())),
            "unlabelled_turns": self.unlabelled,
            "present_threshold": None if present is None else float(present),
            "present_thresholds": [float(threshold) for threshold in self.present],
            **self.calibration.as_json(),
        }


def report(
    runs: Sequence[EvaluationRun],
    *,
    sub_metric: SubMetric = "truthfulness",
    slice_key: str = ALL,
    criterion: Criterion | None = None,
    seed: int = DEFAULT_SEED,
) -> Report:
    """What the labels of these runs tell about a threshold. Raises LookupError for a slice that is not there."""
    scored = [run for run in runs if compares_meanings(run)]
    problem = _problem(runs, scored)
    turns = [] if problem else list(labelled_turns(scored))
    scorers = sorted({part.scorer for turn in turns for part in turn.parts if part.is_semantic})
    if len(scorers) > 1:
        problem, turns = _mixed(scorers), []
    choices = _choices(turns, sub_metric)
    chosen = next((each.slice for each in choices if each.slice.key == slice_key), None)
    if chosen is None:
        raise LookupError(f"no labelled turn tells about {slice_key}")
    labelled: list[Labelled] = []
    excluded: Counter[str] = Counter()
    for turn in turns:
        found = unit_of(turn, sub_metric, chosen)
        if isinstance(found, Labelled):
            labelled.append(found)
        elif found:
            excluded[found] += 1
    return Report(
        runs=tuple(scored),
        scorer=scorers[0] if len(scorers) == 1 else "",
        problem=problem,
        sub_metric=sub_metric,
        slice=chosen,
        choices=choices,
        labelled=tuple(labelled),
        excluded=excluded,
        unlabelled=max(0, _semantic_turns(scored) - len(turns)) if not problem else 0,
        calibration=calibrate([each.unit for each in labelled], criterion=criterion or Criterion(), seed=seed),
    )


def default_runs(project: Project) -> list[EvaluationRun]:
    """The newest finished run that compared meanings, of those that follow none; without one, that of each dataset."""
    whole = (run for run in possible_runs(project) if run.state == RunState.DONE and run.follows_id is None)
    found = next((run for run in whole if compares_meanings(run)), None)
    return [found] if found is not None else agreement.newest_runs(project)


def possible_runs(project: Project) -> list[EvaluationRun]:
    """The runs that have results to look at, the newest first, with their policies."""
    found = EvaluationRun.objects.filter(project=project, state__in=[RunState.DONE, RunState.STOPPED])
    return list(
        found.select_related("dataset_version__dataset", "policy", "project").defer("summary").order_by("-number")
    )


def compares_meanings(run: EvaluationRun) -> bool:
    """Whether something in the run was compared otherwise than exactly, by its policy or by that of a golden record."""
    return bool(run.scorer_version) or run.policy.body.get("scorer", EXACT) != EXACT


def _problem(runs: Sequence[EvaluationRun], scored: Sequence[EvaluationRun]) -> str:
    if not runs:
        return say("No run has finished yet.")
    if not scored:
        return say(
            "These runs compared exactly: a value is equal or not, and there is no score that a threshold could cut."
        )
    versions = sorted({run.scorer_version for run in scored})
    return _mixed(versions) if len(versions) > 1 else ""


def _mixed(scorers: Sequence[str]) -> str:
    names = "; ".join(name or say("of no known version") for name in scorers)
    return say(
        "These runs were scored by different scorers, whose scores mean different things: {names}. Choose one run.",
        names=names,
    )


def _choices(turns: Sequence[LabelledTurn], sub_metric: SubMetric) -> tuple[Choice, ...]:
    """All, the kinds and the parameters that something tells about, each with how many turns do."""
    counts: Counter[Slice] = Counter({Slice(): 0})
    for turn in turns:
        concerned = {Slice()}
        for part in turn.parts:
            if part.hangs and (sub_metric == "turn_verdict" or sub_metric in part.sub_metrics):
                concerned.add(Slice(kind=part.kind))
                if part.param:
                    concerned.add(Slice(tool=part.tool, param=part.param))
        for one in concerned:
            counts[one] += isinstance(unit_of(turn, sub_metric, one), Labelled)
    return tuple(Choice(one, counts[one]) for one in sorted(counts, key=lambda one: (one.tool, one.param, one.kind)))


# --- turns and their parts ---


def labelled_turns(runs: Sequence[EvaluationRun]) -> Iterator[LabelledTurn]:
    """The labelled turns in which something was judged by meaning, in a fixed number of queries."""
    turns = [turn for turn in agreement.judged_turns(runs) if turn.verdict is not None and turn.item is not None]
    details = _in_portions(TurnVerdict, [turn.verdict.pk for turn in turns if turn.verdict is not None], "detail")
    concerned = [turn for turn in turns if turn.verdict is not None and _is_semantic(details[turn.verdict.pk])]
    records = {turn.item.golden_record_id for turn in concerned if turn.item is not None}
    goldens = {pk: _Golden(body) for pk, body in _in_portions(GoldenRecord, sorted(records), "body").items()}
    base = {run.pk: aem.parse_policy(run.policy.body) for run in runs}
    for turn in concerned:
        assert turn.verdict is not None  # noqa: S101 - chosen above
        assert turn.item is not None  # noqa: S101
        golden = goldens[turn.item.golden_record_id]
        reader = _Reader(golden, base[turn.item.run_id], turn)
        yield LabelledTurn(turn, tuple(reader.parts(details[turn.verdict.pk])))


def _in_portions(model: Any, keys: Sequence[int], column: str) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for start in range(0, len(keys), 500):  # SQLite takes a limited number of values in one statement
        found.update(model.objects.filter(pk__in=keys[start : start + 500]).values_list("pk", column))
    return found


def _is_semantic(detail: Any) -> bool:
    return any(_decided_by_meaning(item) for item in (detail or {}).get("items", ()))


def _decided_by_meaning(item: Mapping[str, Any]) -> bool:
    return item.get("scorer") not in (None, EXACT)


def _semantic_turns(runs: Sequence[EvaluationRun]) -> int:
    """In how many turns of the runs, labelled or not, something was judged by meaning. Trajectories count once."""
    rows = TurnVerdict.objects.filter(verdict__item__run__in=runs, detail__isnull=False)
    mentions = Q()
    for name in EVALUATORS:
        if name != EXACT:
            # As it stands in the column; inside a text its quotes would be escaped.
            mark = Value(jsonio.dumps({"scorer": name})[1:-1], output_field=TextField())
            mentions |= Q(GreaterThan(StrIndex("detail", mark), 0))
    return rows.filter(mentions).values("verdict__item__trajectory", "turn_no").distinct().count()


class _Golden:
    """A golden record as far as thresholds are concerned."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.policy: Mapping[str, Any] = body["policy"] or {}
        paths = aem.parse_golden(body["golden"]).paths
        self.turns = {(path.id, turn.id): turn for path in paths for turn in path.turns}


class _Reader:
    """Reads the parts of one turn from what was kept to explain it."""

    def __init__(self, golden: _Golden, base: aem.Policy, turn: JudgedTurn) -> None:
        self.golden = golden
        self.base = base
        self.policy = aem.parse_policy(golden.policy, base=base)
        self.turn = golden.turns.get((turn.path, turn.turn_key))

    def parts(self, detail: Mapping[str, Any]) -> Iterator[Part]:
        for item in detail["items"]:
            yield self._part(item)

    def _part(self, item: Mapping[str, Any]) -> Part:
        passed = item["passed"]
        if item["kind"] == "parameter":
            is_there = item["reason"] not in ("missing_parameters", "extra_parameters")
            sub_metrics = ("truthfulness",) if is_there else ("completeness",)
            return self._scored(item, self._parameter(str(item["field"]), sub_metrics))
        if item["kind"] in REPLY_KINDS:
            return self._claim(item)
        if item["kind"] == "invented":
            return Part(("truthfulness",), passed)
        return Part(("structural",), passed)

    def _parameter(self, name: str, sub_metrics: tuple[str, ...]) -> Part:
        """How it is compared, and where its threshold comes from."""
        tool = (self.turn.tool if self.turn is not None else "") or ""
        param = self.turn.params.get(name) if self.turn is not None else None
        own = param.compare if param is not None else policies.own_compare(None)
        found = policies.effective(self.policy, tool, name, own=own)
        origin = self._origin(tool, name, found.threshold_from)
        return Part(sub_metrics, None, kind=found.compare.kind or "auto", tool=tool, param=name, origin=origin)

    def _origin(self, tool: str, param: str, threshold_from: str) -> Origin:
        if threshold_from == "golden":
            return "field"
        if threshold_from == "rule":
            ours = self.base.params.get(tool, {}).get(param)
            theirs = self.policy.params[tool][param]
            # A rule that the golden record brings along wins over the run's.
            is_ours = ours is not None and policies.rule_threshold(ours) == policies.rule_threshold(theirs)
            return "rule" if is_ours else "field"
        return "record" if self.golden.policy.get("threshold") is not None else "policy"

    def _claim(self, item: Mapping[str, Any]) -> Part:
        claims = {claim.id: claim for claim in (self.turn.claims if self.turn is not None else ())}
        claim = claims.get(str(item["field"]))
        is_required = claim is None or claim.required
        if item["reason"] == "inconsistent_response":
            # What is contradicted is not covered either.
            return Part(
                ("truthfulness", "completeness") if is_required else ("truthfulness",),
                item["passed"],
                is_semantic=_decided_by_meaning(item),
                scorer=str(item["scorer"] or ""),
            )
        if not is_required:
            return Part((), True)
        origin: Origin = "record" if self.golden.policy.get("threshold") is not None else "policy"
        return self._scored(item, Part(("completeness",), None, kind=str(item["kind"]), origin=origin))

    @staticmethod
    def _scored(item: Mapping[str, Any], like: Part) -> Part:
        """The part with its verdict, and with its score where that decided."""
        passed, is_semantic = item["passed"], _decided_by_meaning(item)
        part = replace(like, passed=passed, is_semantic=is_semantic, scorer=str(item["scorer"] or ""))
        if not is_semantic or passed is None or item["score"] is None or item["threshold"] is None:
            return part
        score, threshold = Fraction(item["score"]), Fraction(item["threshold"])
        # A scorer may decide otherwise than by its score; then no threshold tells anything about it.
        return replace(part, hangs=passed == (score >= threshold), score=score, threshold=threshold)


# --- units ---


def unit_of(labelled: LabelledTurn, sub_metric: SubMetric, one: Slice) -> Labelled | str:
    """The turn as a unit of a slice; why it is none, and an empty text where the slice does not concern it."""
    parts = [part for part in labelled.parts if sub_metric == "turn_verdict" or sub_metric in part.sub_metrics]
    moving = tuple(part for part in parts if one.takes(part))
    if not moving:
        return _not_concerned(labelled, parts, sub_metric, one)
    others = [part for part in parts if part not in moving]
    if any(part.passed is False for part in others):
        return FIXED_FAILURE
    if any(part.passed is None for part in others):
        return NOT_JUDGED
    if any(part.is_semantic for part in others):
        return OTHER_MEANING
    label, is_by_verdict = _label(labelled, sub_metric)
    if not isinstance(label, bool):
        return label
    unit = Unit(
        score=min(part.score for part in moving),
        is_right=label,
        group=_group(labelled.turn),
        passes_now=all(part.passed for part in moving),
    )
    return Labelled(labelled.turn, unit, is_by_verdict, moving)


def _not_concerned(labelled: LabelledTurn, parts: Sequence[Part], sub_metric: SubMetric, one: Slice) -> str:
    if one.kind or one.param:
        return ""
    if any(part.hangs for part in parts):
        return OWN_THRESHOLD
    if any(part.is_semantic and part.passed is None for part in parts):
        return NOT_JUDGED
    if sub_metric == "truthfulness" and not labelled.is_action:
        return CONTRADICTIONS
    return FIXED_FAILURE if any(part.is_semantic for part in parts) else ""


def _group(turn: JudgedTurn) -> str:
    """The conversation, with its dataset: its trajectories are alike, and stay together.

    By names and not by numbers of rows, so that the halves are the same wherever the data is.
    """
    assert turn.item is not None  # noqa: S101 - labelled_turns yields no others
    conversation = turn.item.trajectory.conversation
    return f"{conversation.dataset.slug}/{conversation.key}"


def _label(labelled: LabelledTurn, sub_metric: SubMetric) -> tuple[bool | str, bool]:
    """Whether people pass the turn in this sub-metric, or why that is not known; whether the turn's verdict says so."""
    row = labelled.turn.final
    if row is None or row.verdict not in (TurnLabel.PASS, TurnLabel.FAIL):
        said = agreement.people_value(labelled.turn, "turn_verdict", reference=FINAL)
        return f"human label: {NOT_A_JUDGEMENT.get(str(said), MISSING)}", False
    verdict = row.verdict == TurnLabel.PASS
    if sub_metric == "turn_verdict":
        return verdict, False
    said = getattr(row, sub_metric)
    if said == SubLabel.UNSURE:
        return f"human label: {NOT_A_JUDGEMENT['unsure']}", False
    if said:
        return said == SubLabel.PASS, False
    return (verdict, True) if _verdict_tells(labelled, sub_metric, row) else (NOT_SAID, False)


def _verdict_tells(labelled: LabelledTurn, sub_metric: SubMetric, row: Judgement) -> bool:
    """Whether the turn's verdict can only be about this sub-metric.

    Passes and failures alike, or the labels that count would be chosen by what they say.
    """
    if row.attribution == Attribution.CASCADE or row.structural == SubLabel.FAIL:
        return False
    if sub_metric == "truthfulness":
        # The right call with the right keys, as the engine found without judging any meaning: only values are left.
        others = [part for part in labelled.parts if sub_metric not in part.sub_metrics]
        return labelled.is_action and row.completeness != SubLabel.FAIL and all(part.passed for part in others)
    return not labelled.is_action and row.truthfulness == SubLabel.PASS


# --- taking a threshold over ---


@dataclass(frozen=True, slots=True)
class Draft:
    """The policy that a proposal would make: the newest number that it starts from, and the changes."""

    newest: Policy
    changes: tuple[policies.Adoption, ...]

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = self.newest.body
        for change in self.changes:
            found = policies._adopted(found, change)
        return found

    @property
    def differences(self) -> list[str]:
        """What adopting changes in the policy, a sentence each."""
        return policies.differences(self.newest.body, self.body)


def draft(found: Report, proposal: Proposal) -> Draft:
    """What adopting would change, in the newest number of the policy of the newest run."""
    run = max(found.runs, key=lambda each: each.number)
    newest = policies.find_newest(project=run.project, name=run.policy.name)
    assert newest is not None  # noqa: S101 - the run has one
    if found.slice.is_of_values:
        changes = tuple(policies.Adoption(proposal.threshold, tool, param) for tool, param in found.fields)
    else:
        changes = (policies.Adoption(proposal.threshold),)
    return Draft(newest, changes)


@transaction.atomic
def adopt(*, found: Report, project: Project, by: User, threshold: Fraction, seen_number: int) -> Policy:
    """The proposed threshold as the next number of the policy; its history keeps how it was found.

    ``threshold`` and ``seen_number`` are what the person saw. Raises NothingToAdoptError where nothing is proposed,
    ChangedSinceError where another threshold is proposed now, StalePolicyError where the policy has a newer number.
    """
    proposal = found.calibration.proposal
    if proposal is None:
        raise NothingToAdoptError(
            say("There is no threshold to adopt: {why}.", why=found.problem or retold(str(found.calibration.reason)))
        )
    if Fraction(proposal.threshold) != threshold:
        raise ChangedSinceError(
            say(
                "Labels or verdicts have changed meanwhile: {before} was proposed when you looked, {now} is now. "
                "Nothing was adopted; look at it again.",
                before=policies.number_words(threshold),
                now=policies.number_words(proposal.threshold),
            )
        )
    Project.objects.select_for_update().get(pk=project.pk)  # two who adopt at once would both see the same number
    made = draft(found, proposal)
    # Saving refuses a number that was overtaken, and says by which.
    if made.newest.number != seen_number:
        newest = made.newest
        policies.save(project=project, name=newest.name, body=newest.body, by=by, seen_number=seen_number)
    with translation.override("en"):  # it is stored, for everybody
        reason = reason_of(found, proposal)
    return policies.adopt(project=project, name=made.newest.name, changes=made.changes, by=by, reason=reason)


def reason_of(found: Report, proposal: Proposal) -> str:
    """How the threshold was found, for the next reader: runs, slice, criterion, seed, halves and figures."""
    calibration = found.calibration
    present = ", ".join(policies.number_words(threshold) for threshold in found.present)
    runs = ", ".join(str(run) for run in found.runs)
    reported, before = proposal.reported_on.figures, proposal.now.figures
    return _CALIBRATED.format(
        runs=runs,
        sub_metric=TITLES[found.sub_metric].lower(),
        slice=found.slice.words,
        threshold=policies.number_words(proposal.threshold),
        why=calibration.criterion,
        seed=calibration.seed,
        a_turns=calibration.a.n,
        a_conversations=calibration.a.conversations,
        b_turns=calibration.b.n,
        b_conversations=calibration.b.conversations,
        present=present,
        true_passes=reported["true_pass_rate"],
        false_passes=reported["false_pass_rate"],
        accuracy=reported["accuracy"],
        true_passes_before=before["true_pass_rate"],
        false_passes_before=before["false_pass_rate"],
        accuracy_before=before["accuracy"],
    )
