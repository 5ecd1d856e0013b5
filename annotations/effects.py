"""What another golden would change in the verdicts on recorded runs: two verdicts side by side, and sums of them. Pure.

Turns are golden turns. Two goldens of one conversation mostly share their turns' ids; a turn whose id stands for
something else in the other golden, or that has none there, is found by the observed turn that answers it, and else
counts as asked for anew or no longer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest
from threading import Lock
from typing import Any, NamedTuple

from evaluation.aem import ClaimScore, ConversationVerdict, Scorer, TextScore
from evaluation.aem.jsontext import dumps
from evaluation.aem.language import mark, say, say_n

PASS, FAIL, SKIPPED, NOT_SCORED = "pass", "fail", "skipped", "not_scored"
#: Of turns that only one of the two goldens asks for.
ABSENT = "absent"
_MOST_SENTENCES = 4
#: Answers of a scorer that a process keeps, and the characters of their questions.
_KEPT_ANSWERS, _KEPT_CHARACTERS = 20_000, 4_000_000


class TurnState(NamedTuple):
    """A golden turn's verdict in the terms of a comparison."""

    turn_no: int
    key: str
    kind: str
    tool: str
    action: str
    observed: int | None
    state: str
    reason: str
    ambiguous: bool
    #: Whether it fails only since an earlier turn does.
    inherits: bool = False

    @property
    def label(self) -> str:
        """What the turn is in two or three words."""
        return self.action or self.tool or say("reply")


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on a run without what explains it; or why there is none."""

    error: str = ""
    path: str = ""
    test_pass: bool | None = None
    turns: tuple[TurnState, ...] = ()

    @property
    def state(self) -> str:
        """Of the run as a whole."""
        return NOT_SCORED if self.error or self.test_pass is None else PASS if self.test_pass else FAIL

    @property
    def size(self) -> int:
        return len(self.turns) + 1


def judged_of(verdict: ConversationVerdict) -> Judged:
    """What of a verdict is compared."""
    return Judged(
        path=verdict.path,
        test_pass=verdict.test_pass,
        turns=tuple(
            TurnState(
                turn.turn_no,
                turn.golden,
                turn.kind,
                turn.tool or "",
                turn.action or "",
                turn.observed,
                SKIPPED if turn.skipped else NOT_SCORED if turn.passed is None else PASS if turn.passed else FAIL,
                "" if turn.failure_reason is None else str(turn.failure_reason),
                turn.ambiguous,
                bool(turn.cascade_of),
            )
            for turn in verdict.turns
        ),
    )


def why(verdict: ConversationVerdict, turn_no: int) -> tuple[str, ...]:
    """Why a turn failed, as the engine says it."""
    items = verdict.explain_turn(turn_no).get("items") or []
    found = [str(item["sentence"]) for item in items if item.get("sentence") and item.get("passed") is False]
    return tuple(found[:_MOST_SENTENCES])


# --- two verdicts -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of change: its name in the API, and its chip."""

    key: str
    css_class: str
    glyph: str
    #: What so many of it are called, after their number.
    noun: Callable[[int], str]
    #: So many of it, in several agent versions.
    spread: str

    def words(self, count: int, agents: int = 1) -> str:
        """So many of it, in so many agent versions."""
        if agents > 1:
            return say(self.spread, count=count, agents=agents)
        return f"{count} {self.noun(count)}"


#: In the order in which people read them.
SORTS: tuple[Sort, ...] = (
    Sort(
        "passes",
        "pass",
        "✓",
        lambda count: say_n("failing turn would pass", "failing turns would pass", count),
        mark("{count} failing turns in {agents} agent versions would pass"),
    ),
    Sort(
        "fails",
        "root",
        "✖",
        lambda count: say_n("passing turn would fail", "passing turns would fail", count),
        mark("{count} passing turns in {agents} agent versions would fail"),
    ),
    Sort(
        "reason",
        "casc",
        "↷",
        lambda count: say_n("turn would fail for another reason", "turns would fail for another reason", count),
        mark("{count} turns in {agents} agent versions would fail for another reason"),
    ),
    Sort(
        "new_fails",
        "root",
        "✖",
        lambda count: say_n("turn asked for anew would fail", "turns asked for anew would fail", count),
        mark("{count} turns asked for anew in {agents} agent versions would fail"),
    ),
    Sort(
        "new_passes",
        "pass",
        "✓",
        lambda count: say_n("turn asked for anew would pass", "turns asked for anew would pass", count),
        mark("{count} turns asked for anew in {agents} agent versions would pass"),
    ),
    Sort(
        "gone",
        "skip",
        "–",
        lambda count: say_n("turn would not be asked for any more", "turns would not be asked for any more", count),
        mark("{count} turns in {agents} agent versions would not be asked for any more"),
    ),
    Sort(
        "not_judged",
        "skip",
        "–",
        lambda count: say_n("judged turn would be left out", "judged turns would be left out", count),
        mark("{count} judged turns in {agents} agent versions would be left out"),
    ),
    Sort(
        "judged",
        "info",
        "+",
        lambda count: say_n(
            "turn that was left out would be judged", "turns that were left out would be judged", count
        ),
        mark("{count} turns that were left out in {agents} agent versions would be judged"),
    ),
    Sort(
        "doubt",
        "amb",
        "◇",
        lambda count: say_n(
            "turn would begin or cease to be in doubt", "turns would begin or cease to be in doubt", count
        ),
        mark("{count} turns in {agents} agent versions would begin or cease to be in doubt"),
    ),
)
_SORTS = {sort.key: sort for sort in SORTS}


@dataclass(frozen=True, slots=True)
class Change:
    """A turn that comes out differently; one of the sides may not ask for it."""

    sort: str
    before: TurnState | None
    after: TurnState | None

    @property
    def turn(self) -> TurnState:
        found = self.after or self.before
        assert found is not None  # noqa: S101 - one of the two made the change
        return found

    @property
    def observed(self) -> int | None:
        """The observed turn that it is about."""
        sides = [side.observed for side in (self.after, self.before) if side is not None]
        return next((index for index in sides if index is not None), None)


def changes_of(before: Judged, after: Judged) -> list[Change]:
    """The turns that come out differently, in the order of the new golden, then those that it does not ask for."""
    if before.error or after.error:
        return []
    pairs = _paired(before.turns, after.turns)
    found = (Change(sort, old, new) for old, new in pairs if (sort := _sort_of(old, new)))
    return list(found)


def _paired(
    before: Sequence[TurnState], after: Sequence[TurnState]
) -> Iterator[tuple[TurnState | None, TurnState | None]]:
    """Turns that are the same in both, by id and what they ask for, then by the observed turn that answers them."""
    olds = {_identity(turn): turn for turn in before}
    left = dict(olds)
    for turn in after:
        left.pop(_identity(turn), None)
    by_answer = {(turn.observed, turn.kind): turn for turn in left.values() if turn.observed is not None}
    taken = set()
    for turn in after:
        old = olds.get(_identity(turn))
        if old is None and turn.observed is not None:
            old = by_answer.pop((turn.observed, turn.kind), None)
            taken.add(id(old))
        yield old, turn
    for old in left.values():
        if id(old) not in taken:
            yield old, None


def _identity(turn: TurnState) -> tuple[str, str, str, str]:
    return turn.key, turn.kind, turn.tool, turn.action


def _sort_of(old: TurnState | None, new: TurnState | None) -> str:
    """The sort of change; empty where there is none."""
    was, is_now = old.state if old else ABSENT, new.state if new else ABSENT
    if was == ABSENT:
        return {FAIL: "new_fails", PASS: "new_passes"}.get(is_now, "")
    if is_now == ABSENT:
        return "gone" if was in (PASS, FAIL) else ""
    assert old is not None  # noqa: S101 - neither is absent
    assert new is not None  # noqa: S101
    if was != is_now:
        return {(FAIL, PASS): "passes", (PASS, FAIL): "fails"}.get(
            (was, is_now), "judged" if is_now in (PASS, FAIL) else "not_judged" if was in (PASS, FAIL) else ""
        )
    if was == FAIL and old.reason != new.reason:
        return "reason"
    return "doubt" if old.ambiguous != new.ambiguous else ""


# --- many runs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run as a comparison names it."""

    pk: int
    label: str
    agent: str
    hash: str
    turn_count: int

    @property
    def short(self) -> str:
        """The label without the agent, for a list under the agent's name."""
        return self.label.removeprefix(self.agent).removeprefix(" · ") or say("this run")


@dataclass(slots=True)
class Line:
    """One changed turn of one run. ``sentences`` say why it fails, or failed so far."""

    run: Run
    change: Change
    sentences: tuple[str, ...] = ()

    @property
    def inherits(self) -> bool:
        """Whether the turn fails, or failed so far, only since an earlier one does."""
        sides = (self.change.after, self.change.before)
        failing = next((side for side in sides if side is not None and side.state == FAIL), None)
        return failing is not None and failing.inherits


@dataclass(slots=True)
class Version:
    """The changes of one sort in the runs of one agent version."""

    agent: str
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """All changes of one sort."""

    sort: Sort
    versions: list[Version] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(len(version.lines) for version in self.versions)

    @property
    def inherited(self) -> int:
        """How many of them only follow from others."""
        return sum(line.inherits for version in self.versions for line in version.lines)

    @property
    def noun(self) -> str:
        return self.sort.noun(self.count)

    @property
    def words(self) -> str:
        return self.sort.words(self.count)


@dataclass(slots=True)
class Effect:
    """What came out of comparing two goldens on recorded runs; or of one golden, where there is none before it.

    ``unscored`` are runs that one side could not be tried on, with the reason.
    """

    total: int
    has_before: bool = True
    tried: int = 0
    groups: dict[str, Group] = field(default_factory=dict)
    tests_pass: list[Run] = field(default_factory=list)
    tests_fail: list[Run] = field(default_factory=list)
    tests_open: list[Run] = field(default_factory=list)
    other_path: list[Run] = field(default_factory=list)
    unscored: list[tuple[Run, str]] = field(default_factory=list)
    passing: int = 0
    failing: int = 0

    @property
    def is_partial(self) -> bool:
        return self.tried < self.total

    @property
    def shown_groups(self) -> list[Group]:
        """In the order in which people read them."""
        return [self.groups[sort.key] for sort in SORTS if sort.key in self.groups]

    @property
    def changed_turns(self) -> int:
        return sum(group.count for group in self.groups.values())

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all would change in what was tried."""
        others = (self.tests_pass, self.tests_fail, self.tests_open, self.other_path, self.unscored)
        return not self.groups and not any(others)

    def put_causes_first(self) -> None:
        """In each list the turns that fail by themselves, then those that follow from them."""
        for group in self.groups.values():
            for version in group.versions:
                version.lines.sort(key=lambda line: line.inherits)

    def add(self, run: Run, before: Judged | None, after: Judged) -> list[Line]:
        """Count one run; what changes in it."""
        self.tried += 1
        self.passing += after.state == PASS
        self.failing += after.state == FAIL
        if after.error or (before is not None and before.error):
            why_before = before.error if before else ""
            self.unscored.append((run, after.error or say("As it is so far: {reason}", reason=why_before)))
            return []
        if before is None:
            return []
        if before.state != after.state:
            {PASS: self.tests_pass, FAIL: self.tests_fail}.get(after.state, self.tests_open).append(run)
        if before.path != after.path:
            self.other_path.append(run)
        lines = [Line(run, change) for change in changes_of(before, after)]
        for line in lines:
            group = self.groups.setdefault(line.change.sort, Group(_SORTS[line.change.sort]))
            version = next((one for one in group.versions if one.agent == run.agent), None)
            if version is None:
                version = Version(run.agent)
                group.versions.append(version)
            version.lines.append(line)
        return lines

    @property
    def summary(self) -> str:
        """What would change, in one sentence or two.

        >>> Effect(3, tried=3).summary
        'Nothing would change in the 3 recorded runs.'
        >>> Effect(40, tried=12).summary
        'Nothing would change in the 12 runs that were tried.'
        """
        if not self.has_before:
            return _first(self)
        if self.is_empty:
            if not self.tried:
                return ""
            if self.is_partial:
                return say_n(
                    "Nothing would change in the run that was tried.",
                    "Nothing would change in the {count} runs that were tried.",
                    self.tried,
                )
            return say_n(
                "Nothing would change in the recorded run.",
                "Nothing would change in the {count} recorded runs.",
                self.total,
            )
        parts: list[str] = []
        for group in self.shown_groups:
            parts.append(group.sort.words(group.count, 1 if parts else len(group.versions)))
        said = [f"{', '.join(parts)}."] if parts else []
        if tests := self._tests():
            said.append(say("As a whole, {runs}.", runs=", ".join(tests)))
        elif not parts and self.other_path:
            said.append(
                say_n(
                    "{count} run would fit another path.",
                    "{count} runs would fit another path.",
                    len(self.other_path),
                )
            )
        if self.unscored:
            said.append(
                say_n("{count} run could not be compared.", "{count} runs could not be compared.", len(self.unscored))
            )
        return " ".join(said)

    def _tests(self) -> list[str]:
        """The runs that come out differently as a whole."""
        found = []
        if self.tests_pass:
            found.append(say_n("{count} run would pass", "{count} runs would pass", len(self.tests_pass)))
        if self.tests_fail:
            found.append(say_n("{count} run would fail", "{count} runs would fail", len(self.tests_fail)))
        if self.tests_open:
            found.append(
                say_n("{count} run would be left open", "{count} runs would be left open", len(self.tests_open))
            )
        return found


def _first(effect: Effect) -> str:
    """Of a golden that none stands before."""
    if not effect.tried:
        return ""
    open_count = effect.tried - effect.passing - effect.failing - len(effect.unscored)
    parts = [
        say_n("{count} run would pass", "{count} runs would pass", effect.passing),
        say_n("{count} would fail", "{count} would fail", effect.failing),
    ]
    if open_count:
        parts.append(say_n("{count} would be left open", "{count} would be left open", open_count))
    if effect.unscored:
        parts.append(say_n("{count} could not be tried", "{count} could not be tried", len(effect.unscored)))
    return f"{', '.join(parts)}."


def in_turns(runs: Iterable[Run]) -> list[Run]:
    """The runs so that each agent version comes up early: the first of each, then the second of each, and so on."""
    by_agent: dict[str, list[Run]] = {}
    for run in runs:
        by_agent.setdefault(run.agent, []).append(run)
    return [run for row in zip_longest(*by_agent.values()) for run in row if run is not None]


# --- scorers in bounded time ------------------------------------------------------------------------------------------


class OutOfTimeError(Exception):
    """The time that a page may take is over; what was answered so far is kept."""


class Answers:
    """Answers of scorers, kept by their questions; the oldest go first. For all threads of a process."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], TextScore | ClaimScore] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def find(self, key: tuple[str, ...]) -> TextScore | ClaimScore | None:
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
            return found

    def add(self, key: tuple[str, ...], score: TextScore | ClaimScore) -> None:
        with self._lock:
            if key in self._known:
                return
            self._known[key] = score
            self._characters += sum(map(len, key))
            while len(self._known) > _KEPT_ANSWERS or self._characters > _KEPT_CHARACTERS:
                gone, _ = self._known.popitem(last=False)
                self._characters -= sum(map(len, gone))


class BoundedScorer:
    """A scorer that asks nothing twice and stops with OutOfTimeError once ``is_over`` says so.

    ``fingerprint`` names all that its answers hang on.
    """

    def __init__(self, scorer: Scorer, *, fingerprint: str, answers: Answers, is_over: Callable[[], bool]) -> None:
        self.scorer = scorer
        self.fingerprint = fingerprint
        self.answers = answers
        self.is_over = is_over

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def is_semantic(self) -> bool:
        return self.scorer.is_semantic

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """As the scorer says."""
        key = (self.fingerprint, "value", field, str(threshold), dumps(expected), dumps(observed))
        found = self.answers.find(key)
        if not isinstance(found, TextScore):
            self._require_time()
            found = self.scorer.compare(expected, observed, field=field, threshold=threshold)
            self.answers.add(key, found)
        return found

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """As the scorer says."""
        key = (self.fingerprint, "claim", str(threshold), claim, reply)
        found = self.answers.find(key)
        if not isinstance(found, ClaimScore):
            self._require_time()
            found = self.scorer.claim(claim, reply, threshold=threshold)
            self.answers.add(key, found)
        return found

    def _require_time(self) -> None:
        if self.is_over():
            raise OutOfTimeError
