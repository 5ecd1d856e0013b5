"""A golden tried on recorded runs before it is saved: does it accept what it should, and what would change?

Nothing is stored. The engine runs in memory, in bounded time: verdicts, parsed runs and answers of scorers are kept by
content hash, so that a key press costs what it changed, and a second look goes on where the first one stopped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils.translation import get_language

from annotations.effects import (
    FAIL,
    Answers,
    BoundedScorer,
    Effect,
    Judged,
    Line,
    OutOfTimeError,
    Run,
    in_turns,
    judged_of,
    why,
)
from annotations.models import Conversation, Golden, GoldenRecord, GoldTurn, Project, Trajectory
from annotations.services import documents, gold_turns
from annotations.services.errors import WorkbenchError
from evaluation import aem
from evaluation.aem import ENGINE_VERSION, RecordError, Scorer, ScorerFailed, ScorerUnavailable
from evaluation.aem.language import mark, say
from evaluation.formats import jsonio

#: While somebody types an answer has to come at once; who asks for everything waits longer, and still not for ever.
SECONDS_TYPING, SECONDS_ALL = 0.8, 20.0
#: Sentences are worked out for the first lines of each group only, where an answer is to come at once.
SENTENCES, ALL_SENTENCES = 12, 1000
#: The share of the time that explaining may take beyond it.
_EXPLAINING = 0.25
#: What a process keeps: turns of verdicts, and characters of runs that were read.
_KEPT_TURNS, _KEPT_CHARACTERS = 120_000, 24_000_000

Clock = Callable[[], float]
_T = TypeVar("_T")


class CannotBeTriedError(WorkbenchError):
    """A golden that the engine cannot read yet, or a policy that names a scorer which is not there."""


# --- how it is judged -------------------------------------------------------------------------------------------------


class Terms(Protocol):
    """How a project judges what its goldens leave open: settings, and what compares meanings."""

    @property
    def base(self) -> Mapping[str, Any]:
        """The settings of a policy."""
        ...

    @property
    def note(self) -> str:
        """What a run would do otherwise, if anything."""
        ...

    def find_scorer(self, name: str, language: str) -> tuple[Scorer, str] | None:
        """A scorer and the fingerprint of what its answers hang on; None for the installed one of this name."""
        ...


@dataclass(frozen=True, slots=True)
class EngineTerms:
    """The engine's own: nothing is settled, and scorers are the installed ones."""

    base: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def find_scorer(self, name: str, language: str) -> tuple[Scorer, str] | None:
        return None


_terms_of: list[Callable[[Project, bool], Terms]] = []


def use_terms(terms_of: Callable[[Project, bool], Terms]) -> None:
    """Have goldens tried as the project's runs judge. The second argument: whether the viewer is blinded."""
    _terms_of[:] = [terms_of]


def terms_of(project: Project, *, is_blinded: bool) -> Terms:
    return _terms_of[0](project, is_blinded) if _terms_of else EngineTerms()


# --- two goldens ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """A golden, ready to be tried. ``record_hash`` is the one that it would have, were it accepted as it is."""

    golden: aem.Golden
    policy: aem.Policy
    tools: aem.Tools
    scorer: Scorer | None
    hash: str
    record_hash: str


@dataclass(slots=True)
class Trial:
    """The goldens of one conversation tried on its runs: what all of them share, and until when there is time."""

    conversation: Conversation
    terms: Terms
    clock: Clock
    seconds: float
    _until: float = field(init=False)
    _verdicts: dict[tuple[str, str], aem.ConversationVerdict] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._until = self.clock() + self.seconds

    @property
    def is_over(self) -> bool:
        return self.clock() >= self._until

    def side(
        self,
        golden: dict[str, Any],
        policy: Mapping[str, Any],
        *,
        tools: Any = None,
        turns: Sequence[GoldTurn] = (),
    ) -> Side:
        """Make a golden ready. Raises CannotBeTriedError, with turn and field where ``turns`` are its rows."""
        tool_set = self.conversation.tool_set if tools is None else tools
        try:
            settings = aem.parse_policy(policy, base=aem.parse_policy(self.terms.base))
            parsed = aem.parse_golden(golden)
            known = aem.parse_tools(tool_set.body)
        except RecordError as error:
            raise CannotBeTriedError(str(gold_turns.refusal(error, turns)) if turns else str(error)) from error
        scorer, fingerprint = self._scorer(settings.scorer)
        body = documents.golden_body(golden=golden, policy=dict(policy))
        record_hash = documents.golden_hash(body=body, tool_set=tool_set)
        terms = jsonio.content_hash([ENGINE_VERSION, dict(self.terms.base), fingerprint])
        return Side(parsed, settings, known, scorer, f"{record_hash}{terms}", record_hash)

    def _scorer(self, name: str) -> tuple[Scorer | None, str]:
        if name == "exact":
            return None, name
        language = self.conversation.language
        try:
            found = self.terms.find_scorer(name, language) or (aem.get_scorer(name), f"{name} as installed")
        except ScorerUnavailable as error:
            raise CannotBeTriedError(str(error)) from error
        scorer, fingerprint = found
        bounded = BoundedScorer(scorer, fingerprint=fingerprint, answers=_answers, is_over=lambda: self.is_over)
        return bounded, fingerprint

    # --- verdicts ---

    def judge(self, side: Side, run: Run) -> Judged:
        """The verdict on one run. Raises OutOfTimeError."""
        key = side.hash, run.hash
        in_words = *key, get_language()  # why there is no verdict is a sentence in the reader's language
        known = _judged.find(key) or _judged.find(in_words)
        if known is None:
            try:
                known = judged_of(self._verdict(side, run))
            except (RecordError, ScorerUnavailable, ScorerFailed) as error:
                known = Judged(error=str(error))
            _judged.add(in_words if known.error else key, known, known.size)
        return known

    def _verdict(self, side: Side, run: Run) -> aem.ConversationVerdict:
        key = side.hash, run.hash
        found = self._verdicts.get(key)
        if found is None:
            try:
                found = aem.score(side.golden, _parsed(run), policy=side.policy, tools=side.tools, scorer=side.scorer)
            except ScorerFailed as error:
                if isinstance(error.__cause__, OutOfTimeError):
                    raise error.__cause__ from None
                raise
            self._verdicts[key] = found
        return found

    def verdict(self, side: Side, trajectory: Trajectory) -> aem.ConversationVerdict:
        """The whole verdict on one run. Raises CannotBeTriedError, also where the time was not enough."""
        try:
            return self._verdict(side, run_of(trajectory))
        except OutOfTimeError:
            raise CannotBeTriedError(say("The time was not enough for this run; ask again, and it goes on.")) from None
        except (RecordError, ScorerUnavailable, ScorerFailed) as error:
            raise CannotBeTriedError(str(error)) from error

    def compare(self, before: Side | None, after: Side, runs: Sequence[Run], *, sentences: int = SENTENCES) -> Effect:
        """What would change in these runs, as far as the time goes; at least one is tried."""
        effect = Effect(len(runs), has_before=before is not None)
        if before is not None and before.hash == after.hash:
            effect.tried = len(runs)
            return effect
        for run in in_turns(runs):
            if effect.tried and self.is_over:
                break
            try:
                was = None if before is None else self.judge(before, run)
                changed = effect.add(run, was, self.judge(after, run))
            except OutOfTimeError:
                break
            if not changed:
                self._verdicts.pop((after.hash, run.hash), None)
            if before is not None:
                self._verdicts.pop((before.hash, run.hash), None)
        effect.put_causes_first()
        if before is not None:
            self._explain(before, after, effect, sentences)
        return effect

    def _explain(self, before: Side, after: Side, effect: Effect, sentences: int) -> None:
        """Say why the first lines of each group fail, or failed so far; without time, the reason alone is known."""
        until = self._until + self.seconds * _EXPLAINING
        for group in effect.shown_groups:
            for version in group.versions:
                for line in version.lines[:sentences]:
                    failed, side = _failed_side(line, before, after)
                    is_at_hand = (side.hash, line.run.hash) in self._verdicts
                    if failed is None or (not is_at_hand and self.clock() >= until):
                        continue
                    try:
                        line.sentences = why(self._verdict(side, line.run), failed)
                    except (OutOfTimeError, RecordError, ScorerUnavailable, ScorerFailed):
                        continue


def _failed_side(line: Line, before: Side, after: Side) -> tuple[int | None, Side]:
    """The turn number under the golden with which the turn fails, and that golden."""
    new, old = line.change.after, line.change.before
    if new is not None and new.state == FAIL:
        return new.turn_no, after
    if old is not None and old.state == FAIL:
        return old.turn_no, before
    return None, after


# --- one golden, with all that is to be said of it --------------------------------------------------------------------

SAVED, IN_FORCE = "saved", "in_force"
WHILE_WRITTEN = mark("What a golden says of other runs is shown to you while you write it.")
AS_IN_FORCE = mark("This is the golden in force: what it says of recorded runs waits for your own labels.")


@dataclass(frozen=True, slots=True)
class Version:
    """A golden as it is saved or typed; ``turns`` are its rows, by which complaints name their place."""

    golden: dict[str, Any]
    policy: dict[str, Any]
    turns: Sequence[GoldTurn] = ()

    @classmethod
    def saved(cls, golden: Golden, turns: Sequence[GoldTurn]) -> Version:
        return cls(gold_turns.compose(golden, turns), golden.policy, turns)


@dataclass(slots=True)
class Outcome:
    """What came out. ``hidden`` says why there is no effect to be seen, ``source_problem`` why there is no verdict.

    ``record`` is the golden in force, for those who may know it.
    """

    note: str = ""
    verdict: aem.ConversationVerdict | None = None
    source_problem: str = ""
    effect: Effect | None = None
    hidden: str = ""
    record: GoldenRecord | None = None
    is_same: bool = False


def try_golden(
    trial: Trial,
    golden: Golden,
    typed: Version,
    saved: Version,
    *,
    is_blinded: bool,
    sees_all: bool,
    against: str = SAVED,
    sentences: int = SENTENCES,
    with_source: bool = True,
) -> Outcome:
    """Try a golden on the run it was drafted from, and say what it would change in all of them.

    ``sees_all``: whether this person may see what it says of all runs; who ``is_blinded`` sees nothing of a golden that
    others wrote. Raises CannotBeTriedError, with turn and field, for one that the engine cannot read.
    """
    found = Outcome(note=trial.terms.note)
    after = trial.side(typed.golden, typed.policy, turns=typed.turns)
    source = Trajectory.objects.defer("body").filter(pk=golden.source_trajectory_id or 0).first()
    if source is not None and with_source:
        try:
            found.verdict = trial.verdict(after, source)
        except CannotBeTriedError as error:
            found.source_problem = str(error)
    if not sees_all:
        found.hidden = say(WHILE_WRITTEN)
        return found
    found.record = None if is_blinded else in_force(golden.conversation)
    before = _before(trial, saved, found.record, against)
    if is_blinded and is_told_openly(golden, [side for side in (before, after) if side is not None]):
        found.hidden = say(AS_IN_FORCE)
        return found
    found.is_same = before is not None and before.hash == after.hash
    if found.is_same:
        warm_up(after)
    found.effect = trial.compare(before, after, runs_of(golden.conversation), sentences=sentences)
    return found


def warm_up(side: Side) -> None:
    """Have a scorer read its word lists while nothing is typed yet: its first comparison in a process takes long."""
    inner = side.scorer.scorer if isinstance(side.scorer, BoundedScorer) else None
    if inner is not None and inner.name not in _warm:
        _warm.add(inner.name)
        inner.compare("a list", "the lists", field="", threshold=Fraction(1, 2))


_warm: set[str] = set()


def _before(trial: Trial, saved: Version, record: GoldenRecord | None, against: str) -> Side | None:
    """What is compared with; None where there is none, or it cannot be read, and the other one stands alone."""
    try:
        if against == SAVED:
            return trial.side(saved.golden, saved.policy, turns=saved.turns)
        if record is not None:
            return trial.side(record.body["golden"], record.body.get("policy") or {}, tools=record.tool_set)
    except CannotBeTriedError:
        pass
    return None


# --- what is compared -------------------------------------------------------------------------------------------------


def in_force(conversation: Conversation) -> GoldenRecord | None:
    """The golden in force of a conversation, with its tools."""
    found = Conversation.objects.filter(pk=conversation.pk).values("golden_record")
    return GoldenRecord.objects.select_related("tool_set").filter(pk__in=found).first()


def is_told_openly(golden: Golden, sides: Iterable[Side]) -> bool:
    """Whether one of these goldens is one in force that its writer knows to be: made of theirs, or imported.

    What it says of recorded runs is then what stored verdicts say. Goldens of others do not count: whether one's own
    is the same as theirs is for nobody to find out by this.
    """
    hashes = {side.record_hash for side in sides}
    known = GoldenRecord.objects.filter(conversation=golden.conversation_id, content_hash__in=hashes)
    return known.filter(golden=golden).exists() or known.filter(golden=None).exists()


def runs_of(conversation: Conversation) -> list[Run]:
    """The current runs of a conversation, in their usual order."""
    return [run_of(trajectory) for trajectory in _light(conversation.trajectories.current())]


def run_of(trajectory: Trajectory) -> Run:
    agent = " ".join(part for part in (trajectory.agent, trajectory.agent_version) if part)
    return Run(
        trajectory.pk, trajectory.label, agent or say("no agent named"), trajectory.content_hash, trajectory.turn_count
    )


def _light(trajectories: QuerySet[Trajectory]) -> QuerySet[Trajectory]:
    return trajectories.only(
        "pk", "key", "agent", "agent_version", "trial", "content_hash", "turn_count", "conversation_id"
    ).order_by("agent", "agent_version", "trial", "key")


# --- what is kept -----------------------------------------------------------------------------------------------------


class _Kept(Generic[_T]):
    """Values by their keys, each of some size, up to a sum of sizes; what was not used for longest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._values: OrderedDict[Any, tuple[_T, int]] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Any) -> _T | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def add(self, key: Any, value: _T, size: int) -> None:
        with self._lock:
            if key in self._values or size > self._most:
                return
            self._values[key] = value, size
            self._size += size
            while self._size > self._most:
                _, (_, gone) = self._values.popitem(last=False)
                self._size -= gone

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._size = 0


_judged: _Kept[Judged] = _Kept(_KEPT_TURNS)
_runs: _Kept[aem.Trajectory] = _Kept(_KEPT_CHARACTERS)
_answers = Answers()


def forget() -> None:
    """Drop what this process has at hand."""
    _judged.clear()
    _runs.clear()


def _parsed(run: Run) -> aem.Trajectory:
    """The run as the engine reads it; the row is only read where this process has not seen it yet."""
    found = _runs.find(run.hash)
    if found is None:
        row = Trajectory.objects.annotate(size=Length("body")).values_list("body", "size").get(pk=run.pk)
        found = aem.parse_trajectory(row[0])
        _runs.add(run.hash, found, row[1])
    return found
