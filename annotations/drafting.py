"""The draft of a golden out of several runs that succeeded: what they share, and where they differ. Pure.

How runs are laid beside each other, exactly:

1. Runs with the same content count as one; the order in which they are given makes no difference.
2. Where the users say the same in all runs, turns are compared exchange by exchange, else over the whole run. Then as
   many user turns of the first run are kept as let the engine compare over the whole run too.
3. The run that has most in common with all others comes first. The others are laid beside it one after the other, each
   so that the sum of the likeness of its pairs is largest: 16 for a turn that is the same to the letter, for a call
   with other arguments 4 and up to 8 more by the share of equal ones, and nothing for another tool, action or kind.
   Calls with other arguments are the same step only where neither has its exact twin in the other run, and where half
   of the arguments are equal or the tool is called once in both. Among equals the earlier turns are paired.
4. What all runs do is required. A call that only some make is optional. The same call in another place is one step of
   free order, where no value flows between the steps that changed places. Where whole stretches have no step in
   common, or an order hangs on values that flow, each way is a path of its own.
5. The engine scores each run with the draft. Optional steps that take the place of others go; a run that still fails
   gets a path of its own, and the draft names those that do not pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotations.observed import is_telling
from annotations.structure import free_group_name
from evaluation.aem import (
    ConversationVerdict,
    Golden,
    Policy,
    RecordError,
    Tools,
    Trajectory,
    parse_golden,
    parse_policy,
    parse_tools,
    parse_trajectory,
    score,
)
from evaluation.aem.grounding import Source, scalars_of
from evaluation.aem.language import kept
from evaluation.aem.records import ObservedTurn
from evaluation.aem.text import Needle, fold, haystack_of
from evaluation.aem.values import equal
from evaluation.evaluators.embedded.sentences import sentences
from evaluation.formats import jsonio

#: Runs that one draft is made of; accepted values of one parameter; ways; optional steps of one way.
MOST_RUNS = 8
MOST_VALUES = 4
MOST_PATHS = 4
MOST_OPTIONAL = 40
MOST_CLAIMS = 8
_TRIES = 6
_SAME = 16_000

# What a draft says is stored with the golden, in English; pages tell it again in their language.
_UNREADABLE = kept("cannot be read: {error}")
_FAILS = kept("turn {number}: {sentence}")
_SOME_DO = kept("{count} of {of} runs do it")
_SOME_GIVE = kept("{count} of {of} runs give it")
_SOME_GO = kept("{count} of {of} runs go this way")
_OTHER_ORDER = kept("runs do these steps in another order")
_MANY_VALUES = kept("{count} values in {of} runs")
_MANY_VALUES_DECIDE = kept("{count} values in {of} runs: decide what it must be")
_EACH_IN_SOME = kept("each in some of {of} runs")
_NO_CLAIM = kept("the runs say it in other words; no claims are in all of them")
_ONE_CLAIM = kept("the runs say it in other words; 1 claim is in all of them")
_SOME_CLAIMS = kept("the runs say it in other words; {count} claims are in all of them")
_BY_EXCHANGE = kept("The users say the same in all runs, so turns were compared exchange by exchange.")
_AS_A_WHOLE = kept("The users do not say the same in all runs, so these were compared as a whole.")
_AS_A_WHOLE_TOO = kept(
    "The users do not say the same in all runs, so these were compared as a whole. {kept} of {count} user turns are in "
    "the draft, so that scoring compares them so too."
)
_WAYS = kept("Whole stretches differ, so there are {count} accepted ways.")
_TOO_VARIED = kept("Whole stretches differ in more than {most} ways; there they became optional steps.")
_LEFT_OUT = {
    "error": kept("Left out: {count} calls that returned an error, and that not every run makes."),
    "reply": kept("Left out: {count} replies that only some runs give."),
    "optional": kept("Left out: {count} of the rarest optional steps ({most} are kept)."),
    "taken": kept("Left out: {count} optional steps that would be taken for required ones."),
}
_WITH_VALUE = re.compile(r"[^\s,;:!?()\[\]{}\"'“”]*\d[^\s,;:!?()\[\]{}\"'“”]*")


class Mark(NamedTuple):
    """Something of a draft that is a suggestion. ``was`` is what refusing it puts in its place; None for nothing."""

    kind: str
    field: str
    proposal: Any
    was: Any
    why: str


@dataclass(slots=True)
class DraftTurn:
    """A golden turn with the places in the runs that it was made from: run → index."""

    body: dict[str, Any]
    observed: dict[int, int] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)


@dataclass(slots=True)
class DraftPath:
    name: str
    turns: list[DraftTurn]
    runs: tuple[int, ...]


class Failing(NamedTuple):
    """A run that does not pass the draft, and why."""

    run: int
    reason: str


@dataclass(slots=True)
class Draft:
    """``runs`` are numbered as they were given."""

    paths: list[DraftPath]
    failing: list[Failing]
    notes: list[str]

    @property
    def golden(self) -> dict[str, Any]:
        """The aem/1 golden."""
        return {"paths": [{"id": path.name, "turns": [turn.body for turn in path.turns]} for path in self.paths]}


def draft_of(runs: Sequence[Any], *, tools: Any = None) -> Draft:
    """The draft of these runs, each the turns of a trajectory. Runs that cannot be read are among the failing.

    >>> call = {"tool": "find", "args": {"id": "A7"}}
    >>> draft = draft_of([[{"user": "Hi"}, call, {"response": "Yes"}], [{"user": "Hi"}, {"response": "Yes"}]])
    >>> [turn.body.get("optional") for turn in draft.paths[0].turns]
    [None, True, None]
    """
    known = _tools(tools)
    failing: list[Failing] = []
    found: dict[str, _Run] = {}
    for number, turns in enumerate(runs):
        try:
            trajectory = parse_trajectory({"turns": turns})
            key = jsonio.canonical(turns)
        except RecordError as error:
            failing.append(Failing(number, str(error)))
            continue
        except (ValueError, TypeError, RecursionError) as error:
            failing.append(Failing(number, _UNREADABLE.format(error=error)))
            continue
        if key in found:
            found[key].numbers.append(number)
        else:
            found[key] = _Run([number], trajectory)
    readable = [found[key] for key in sorted(found)]
    if not readable:
        return Draft([DraftPath("main", [], ())], failing, [])
    return _Drafting(readable, known).draft(failing)


def _tools(tools: Any) -> Tools:
    try:
        return parse_tools(tools if isinstance(tools, Mapping) else {})
    except RecordError:
        return parse_tools({})


# --- runs and steps ---------------------------------------------------------------------------------------------------


class _Step:
    """An agent or tool turn of a run."""

    __slots__ = ("_source", "_words", "exact", "exchange", "index", "sig", "turn")

    def __init__(self, index: int, exchange: int, turn: ObservedTurn) -> None:
        self.index, self.exchange, self.turn = index, exchange, turn
        self.sig: Hashable
        self.exact: Hashable
        if turn.kind == "action":
            self.sig = turn.tool, turn.action
            self.exact = turn.tool, turn.action, jsonio.canonical([turn.args, turn.unreadable])
        else:
            self.sig = None
            self.exact = fold(turn.text or "")
        self._words: frozenset[str] | None = None
        self._source: Source | None = None

    @property
    def is_call(self) -> bool:
        return self.turn.kind == "action"

    @property
    def words(self) -> frozenset[str]:
        if self._words is None:
            self._words = frozenset(str(self.exact).split())
        return self._words

    @property
    def source(self) -> Source:
        if self._source is None:
            self._source = Source([self.turn.returned])
        return self._source

    def feeds(self, later: _Step) -> bool:
        """Whether a value of a later call's arguments stood in what this one returned."""
        return any(is_telling(value) and self.source.holds(value) for value in scalars_of(dict(later.turn.args)))


class _Run:
    """A run, and those that are the same to the letter."""

    def __init__(self, numbers: list[int], trajectory: Trajectory) -> None:
        self.numbers = numbers
        self.trajectory = trajectory
        self.users = [(index, turn.text or "") for index, turn in enumerate(trajectory.turns) if turn.kind == "user"]
        self.steps = [
            _Step(index, exchange, trajectory.turns[index])
            for exchange, positions in enumerate(trajectory.exchanges)
            for index in positions
            if trajectory.turns[index].kind in ("action", "response")
        ]
        self.said = [fold(text) for _, text in self.users]


# --- columns ----------------------------------------------------------------------------------------------------------


class _Column:
    """One step in the runs that make it: run (its place among those that are drafted) → step."""

    __slots__ = ("exacts", "group", "members", "rep")

    def __init__(self, run: int, step: _Step) -> None:
        self.members = {run: step}
        self.rep = step
        self.exacts = {step.exact}
        self.group = 0

    def add(self, run: int, step: _Step) -> None:
        self.members[run] = step
        self.exacts.add(step.exact)


def _share(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[int, int]:
    """How many arguments are equal, of how many."""
    keys = {*one, *other}
    return sum(key in one and key in other and equal(one[key], other[key]) for key in keys), len(keys)


def _merge(columns: list[_Column], run: int, steps: list[_Step], *, by_exchange: bool) -> list[_Column]:
    """Lay a run beside the columns so that the sum of likeness is largest."""
    at = 0
    for column, step in zip(columns, steps, strict=False):
        if step.exact not in column.exacts or column.rep.is_call != step.is_call:
            break
        column.add(run, step)
        at += 1
    head, rest, left = columns[:at], columns[at:], steps[at:]
    weights = _weights(rest, left, by_exchange=by_exchange)
    table = _table(weights, len(left))
    merged = head
    i = j = 0
    while i < len(rest) or j < len(left):
        best = table[i][j]
        weight = weights[i].get(j) if i < len(rest) else None
        if weight is not None and weight + table[i + 1][j + 1] == best:
            rest[i].add(run, left[j])
            merged.append(rest[i])
            i, j = i + 1, j + 1
        elif i < len(rest) and table[i + 1][j] == best:
            merged.append(rest[i])
            i += 1
        else:
            merged.append(_Column(run, left[j]))
            j += 1
    return merged


def _table(weights: list[dict[int, int]], width: int) -> list[list[int]]:
    """The most that the rest of the columns and the rest of the steps are worth, for each pair of places."""
    below = [0] * (width + 1)
    rows = [below]
    for row_weights in reversed(weights):
        if row_weights:
            row = [0] * (width + 1)
            best = 0
            for j in range(width - 1, -1, -1):
                if below[j] > best:  # noqa: PLR1730 - max takes twice as long, a million times
                    best = below[j]
                weight = row_weights.get(j)
                if weight is not None and weight + below[j + 1] > best:
                    best = weight + below[j + 1]
                row[j] = best
            below = row
        rows.append(below)
    rows.reverse()
    return rows


def _weights(columns: list[_Column], steps: list[_Step], *, by_exchange: bool) -> list[dict[int, int]]:
    """What each pair is worth; pairs that are no step of one kind are left out."""
    by_sig: dict[Hashable, list[int]] = {}
    for j, step in enumerate(steps):
        by_sig.setdefault(step.sig, []).append(j)
    in_run = {step.exact for step in steps}
    in_columns = {exact for column in columns for exact in column.exacts}
    columns_of = Counter(column.rep.sig for column in columns)
    found = []
    for column in columns:
        row: dict[int, int] = {}
        has_twin = not column.exacts.isdisjoint(in_run)
        places = by_sig.get(column.rep.sig, [])
        is_single = len(places) == 1 == columns_of[column.rep.sig]
        for j in places:
            step = steps[j]
            if step.exact in column.exacts:
                row[j] = _SAME - step.turn.error
            elif column.rep.is_call:
                if not has_twin and step.exact not in in_columns:
                    good, of = _share(column.rep.turn.args, step.turn.args)
                    if is_single or good * 2 >= of:
                        row[j] = 4000 + (8000 * good // of if of else 8000) - step.turn.error
            else:
                weight = _likeness(column.rep, step, by_exchange=by_exchange)
                if weight:
                    row[j] = weight
        found.append(row)
    return found


def _likeness(one: _Step, other: _Step, *, by_exchange: bool) -> int:
    """Two replies in other words: by their words. To other users, those that share less than a third are two."""
    both = len(one.words & other.words)
    either = len(one.words | other.words) or 1
    if not by_exchange and both * 3 < either:
        return 0
    return 4000 + 8000 * both // either


# --- the draft --------------------------------------------------------------------------------------------------------


class _Way(NamedTuple):
    """One way: the columns in their order, a number standing for the user turn of the first run with that number."""

    runs: tuple[int, ...]
    items: list[Any]
    first: int


class _Drafting:
    """The work on one draft. Runs are known by their places in ``runs``, which are sorted by content."""

    def __init__(self, runs: list[_Run], tools: Tools) -> None:
        self.runs = runs
        self.tools = tools
        self.policy: Policy = parse_policy({})
        self.by_exchange = all(run.said == runs[0].said for run in runs)
        self.left_out: Counter[str] = Counter()
        self.kept_users: tuple[int, int] | None = None
        self.is_too_varied = False

    def draft(self, failing: list[Failing]) -> Draft:
        everybody = tuple(range(len(self.runs)))
        ways = self._ways(everybody)
        ways.sort(key=lambda way: (-sum(len(self.runs[n].numbers) for n in way.runs), way.runs))
        paths = [self._path(way, name) for way, name in zip(ways, _names(), strict=False)]
        failing = [*failing, *self._mend(ways, paths)]
        self._mark_ways(paths)
        numbers = [
            DraftPath(
                path.name,
                [DraftTurn(turn.body, self._as_given(turn.observed), turn.marks) for turn in path.turns],
                tuple(sorted(number for n in path.runs for number in self.runs[n].numbers)),
            )
            for path in paths
        ]
        return Draft(numbers, sorted(failing), self._notes(paths))

    def _as_given(self, observed: dict[int, int]) -> dict[int, int]:
        return {number: index for n, index in observed.items() for number in self.runs[n].numbers}

    # --- ways ---

    def _ways(self, chosen: tuple[int, ...]) -> list[_Way]:
        """The way of these runs, or several where whole stretches of them differ."""
        way = self._way(chosen)
        parts = self._in_two_places(way) or self._split(way)
        if parts is None:
            return [way]
        found = [inner for part in parts for inner in self._ways(part)]
        if len(found) > MOST_PATHS:
            self.is_too_varied = True
            return [way]
        return found

    def _way(self, chosen: tuple[int, ...]) -> _Way:
        first = self._most_common(chosen)
        order = [first, *(n for n in chosen if n != first)]
        exchanges = len(self.runs[first].said) + 1 if self.by_exchange else 1
        items: list[Any] = []
        for exchange in range(exchanges):
            if exchange:
                items.append(exchange - 1)
            columns: list[_Column] = []
            for n in order:
                steps = self.runs[n].steps
                if self.by_exchange:
                    steps = [step for step in steps if step.exchange == exchange]
                columns = _merge(columns, n, steps, by_exchange=self.by_exchange)
            columns = self._without_errors(columns, len(chosen))
            columns = self._without_odd_replies(columns, len(chosen))
            ordered: list[_Column] = []
            for stretch in _stretches(columns):
                self._free_order(stretch)
                ordered += stretch
            items += ordered if self.by_exchange else self._with_users(ordered, first, self._kept_users(first, chosen))
        return _Way(chosen, items, first)

    def _most_common(self, chosen: tuple[int, ...]) -> int:
        """The run that has most steps in common with the others."""
        if len(chosen) == 1:
            return chosen[0]
        exact = {n: Counter(step.exact for step in self.runs[n].steps) for n in chosen}
        kinds = {n: Counter(step.sig for step in self.runs[n].steps) for n in chosen}

        def in_common(n: int) -> int:
            return (
                sum(
                    len(self.runs[m].numbers)
                    * (
                        3 * (exact[n] & exact[m]).total()
                        + (kinds[n] & kinds[m]).total()
                        - (kinds[n] - kinds[m]).total()
                    )
                    for m in chosen
                    if m != n
                )
                + 3 * (len(self.runs[n].numbers) - 1) * exact[n].total()
            )

        return min(chosen, key=lambda n: (-in_common(n), n))

    def _kept_users(self, first: int, chosen: tuple[int, ...]) -> int:
        """How many user turns the way keeps, so that the engine compares other runs over the whole as well."""
        count = len(self.runs[first].said)
        if self.by_exchange or len(chosen) == 1:
            return count
        said = {len(self.runs[n].said) for n in chosen}
        kept = next((number for number in range(count, -1, -1) if number not in said), 0)
        if kept < count and len(chosen) == len(self.runs):
            self.kept_users = kept, count
        return kept

    def _with_users(self, columns: list[_Column], first: int, kept: int) -> list[Any]:
        """The columns with the first user turns of the first run before what follows them there."""
        placed: list[Any] = []
        users = iter([(number, index) for number, (index, _) in enumerate(self.runs[first].users)][:kept])
        user = next(users, None)
        for column in columns:
            step = column.members.get(first)
            goes_on = column.group and placed and isinstance(placed[-1], _Column) and placed[-1].group == column.group
            while user is not None and step is not None and step.index > user[1] and not goes_on:
                placed.append(user[0])
                user = next(users, None)
            placed.append(column)
        while user is not None:
            placed.append(user[0])
            user = next(users, None)
        return placed

    def _without_errors(self, columns: list[_Column], of: int) -> list[_Column]:
        """Without calls that returned an error and that not every run makes: nobody has to repeat them."""
        kept = [
            column
            for column in columns
            if of == 1
            or len(column.members) == of
            or not all(step.is_call and step.turn.error for step in column.members.values())
        ]
        self.left_out["error"] += len(columns) - len(kept)
        return kept

    def _without_odd_replies(self, columns: list[_Column], of: int) -> list[_Column]:
        """Without replies of some runs to users who say something else: nothing says what they answer."""
        if self.by_exchange:
            return columns
        kept = [column for column in columns if column.rep.is_call or len(column.members) == of]
        self.left_out["reply"] += len(columns) - len(kept)
        return kept

    # --- free order ---

    def _free_order(self, columns: list[_Column]) -> None:
        """Make one step of the same call in two places, and free the order between, where no value flows."""
        spans: list[tuple[_Column, _Column]] = []
        i = 0
        while i < len(columns):
            j = self._elsewhere(columns, i)
            if j is None or not self._may_change_places(columns, i, j):
                i += 1
                continue  # behind a merge the same call may stand in a third place
            for run, step in columns[j].members.items():
                columns[i].add(run, step)
            spans.append((columns[i], columns[j - 1]))
            del columns[j]
        self._set_groups(columns, spans)

    def _elsewhere(self, columns: list[_Column], i: int) -> int | None:
        """Where else the same call stands, in other runs."""
        one = columns[i]
        alike = [
            j
            for j in range(i + 1, len(columns))
            if columns[j].rep.sig == one.rep.sig and one.members.keys().isdisjoint(columns[j].members)
        ]
        exact = next((j for j in alike if not columns[j].exacts.isdisjoint(one.exacts)), None)
        if exact is not None or len(alike) != 1:
            return exact
        is_single = sum(column.rep.sig == one.rep.sig for column in columns) == 2
        return alike[0] if is_single else None

    def _may_change_places(self, columns: list[_Column], i: int, j: int) -> bool:
        """Whether no value flows between any of the steps that would stand in one group."""
        moved = {**columns[i].members, **columns[j].members}
        between = columns[i + 1 : j]
        for n, column in enumerate(between):
            others = [moved, *(later.members for later in between[n + 1 :])]
            for run, step in column.members.items():
                for members in others:
                    other = members.get(run)
                    if other is not None:
                        earlier, later = sorted((step, other), key=lambda one: one.index)
                        if earlier.feeds(later):
                            return False
        return True

    def _set_groups(self, columns: list[_Column], spans: list[tuple[_Column, _Column]]) -> None:
        places = {id(column): n for n, column in enumerate(columns)}
        intervals = sorted(
            (places[id(start)], places[id(end)]) for start, end in spans if id(start) in places and id(end) in places
        )
        joined: list[list[int]] = []
        for start, end in intervals:
            if joined and start <= joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], end)
            else:
                joined.append([start, end])
        for start, end in joined:
            if end > start:
                for column in columns[start : end + 1]:
                    column.group = id(columns[start])

    # --- other ways ---

    def _in_two_places(self, way: _Way) -> list[tuple[int, ...]] | None:
        """The runs by where they make a call that all make, where its order could not be freed. Look-ups are let be."""
        places: dict[Hashable, list[_Column]] = {}
        for item in way.items:
            if isinstance(item, _Column) and item.rep.is_call and self._effect(item) != "read":
                for exact in item.exacts:
                    places.setdefault(exact, []).append(item)
        for columns in places.values():
            made = [run for column in columns for run in column.members]
            if len(columns) > 1 and len(set(made)) == len(made) == len(way.runs):
                return sorted(tuple(sorted(column.members)) for column in columns)
        return None

    def _effect(self, column: _Column) -> str | None:
        tool = self.tools.get(str(column.rep.turn.tool))
        return tool.effect if tool is not None else None

    def _split(self, way: _Way) -> list[tuple[int, ...]] | None:
        """The runs by the way that they take through a stretch between steps that all share."""
        if len(way.runs) == 1:
            return None
        stretch: list[_Column] = []
        for item in [*way.items, None]:
            if isinstance(item, _Column) and len(item.members) < len(way.runs):
                stretch.append(item)
                continue
            if isinstance(item, int):
                continue
            parts = self._parts(stretch, way.runs)
            if parts is not None:
                return parts
            stretch = []
        return None

    def _parts(self, stretch: list[_Column], runs: tuple[int, ...]) -> list[tuple[int, ...]] | None:
        """Classes of runs that share no call of the stretch, where each does something of weight in it."""
        weight = dict.fromkeys(runs, 0)
        part = {run: run for run in runs}
        for column in stretch:
            if not column.rep.is_call:
                continue
            effect = self._effect(column)
            lowest = min(part[run] for run in column.members)
            joined = {part[run] for run in column.members}
            for run in runs:
                if part[run] in joined:
                    part[run] = lowest
            for run in column.members:
                weight[run] += 2 if effect == "write" else 0 if effect == "read" else 1
        if min(weight.values()) < 2 or len(set(part.values())) == 1:
            return None
        return [tuple(run for run in runs if part[run] == name) for name in sorted(set(part.values()))]

    # --- turns ---

    def _path(self, way: _Way, name: str) -> DraftPath:
        turns: list[DraftTurn] = []
        made = users = 0
        groups: dict[int, str] = {}
        for item in self._few_enough(way):
            if isinstance(item, int):
                users += 1
                index, text = self.runs[way.first].users[item]
                observed = {way.first: index}
                if self.by_exchange:
                    observed = {n: self.runs[n].users[item][0] for n in way.runs}
                turns.append(DraftTurn({"id": f"u{users}", "user": text}, observed))
                continue
            made += 1
            if item.group and item.group not in groups:
                groups[item.group] = free_group_name(groups.values())
            group = groups.get(item.group, "")
            turns.append(self._turn(item, f"g{made}", way, group))
        return DraftPath(name, turns, way.runs)

    def _few_enough(self, way: _Way) -> list[Any]:
        """Without the rarest optional steps where there are too many to look at."""
        optional = [item for item in way.items if isinstance(item, _Column) and len(item.members) < len(way.runs)]
        if len(optional) <= MOST_OPTIONAL:
            return way.items
        kept = sorted(optional, key=lambda column: -len(column.members))[:MOST_OPTIONAL]
        dropped = {id(column) for column in optional} - {id(column) for column in kept}
        self.left_out["optional"] += len(dropped)
        return [item for item in way.items if id(item) not in dropped]

    def _turn(self, column: _Column, key: str, way: _Way, group: str) -> DraftTurn:
        members = [column.members[n] for n in sorted(column.members)]
        lead = column.members.get(way.first, members[0])
        of = sum(len(self.runs[n].numbers) for n in way.runs)
        count = sum(len(self.runs[n].numbers) for n in column.members)
        turn = DraftTurn({"id": key}, {n: step.index for n, step in column.members.items()})
        if lead.is_call:
            self._call(turn, lead, column)
        else:
            _reply(turn, lead, members)
        if len(column.members) < len(way.runs):
            turn.body["optional"] = True
            turn.marks.append(Mark("step_optional", "", True, None, _SOME_DO.format(count=count, of=of)))
        if group:
            turn.body["group"] = group
            turn.marks.append(Mark("order", "", group, None, _OTHER_ORDER))
        return turn

    def _call(self, turn: DraftTurn, lead: _Step, column: _Column) -> None:
        body = turn.body
        body["tool"] = lead.turn.tool
        if lead.turn.action is not None:
            body["action"] = lead.turn.action
        members = column.members
        of = sum(len(self.runs[n].numbers) for n in members)
        keys = dict.fromkeys([*lead.turn.args, *(key for n in sorted(members) for key in members[n].turn.args)])
        body["params"] = params = {}
        for key in keys:
            given = [(n, members[n].turn.args[key]) for n in sorted(members) if key in members[n].turn.args]
            count = sum(len(self.runs[n].numbers) for n, _ in given)
            values = self._values(given, lead.turn.args.get(key, given[0][1]))
            if len(values) > MOST_VALUES and any(value is None for value in values):
                # An open value is never null, so this one is not judged at all.
                body.setdefault("allowed_extra", []).append(key)
                why = _MANY_VALUES.format(count=len(values), of=of)
                turn.marks.append(Mark("open", key, {"allowed_extra": True}, {"value": values[0]}, why))
                continue
            param: dict[str, Any]
            if len(values) == 1:
                param = {"value": values[0]}
            elif len(values) <= MOST_VALUES:
                param = {"values": values}
                why = _EACH_IN_SOME.format(of=of)
                turn.marks.append(Mark("values", key, values, {"value": values[0]}, why))
            else:
                param = {"compare": "any"}
                why = _MANY_VALUES_DECIDE.format(count=len(values), of=of)
                turn.marks.append(Mark("open", key, {"compare": "any"}, {"value": values[0]}, why))
            if count < of:
                param["required"] = False
                why = _SOME_GIVE.format(count=count, of=of)
                turn.marks.append(Mark("param_optional", key, False, True, why))
            params[key] = param
        if any(step.turn.unreadable is not None for step in members.values()):
            body["extra"] = "allow"

    def _values(self, given: list[tuple[int, Any]], lead: Any) -> list[Any]:
        """The values that differ, that of the first run before those that more runs give."""
        kinds: list[tuple[Any, int]] = [(lead, 0)]
        for n, value in given:
            weight = len(self.runs[n].numbers)
            at = next((i for i, (other, _) in enumerate(kinds) if equal(other, value)), None)
            if at is None:
                kinds.append((value, weight))
            else:
                kinds[at] = kinds[at][0], kinds[at][1] + weight
        return [value for value, _ in sorted(kinds, key=lambda kind: (not equal(kind[0], lead), -kind[1]))]

    def _mark_ways(self, paths: list[DraftPath]) -> None:
        """Every way beyond the first is a suggestion of its first step."""
        of = sum(len(run.numbers) for run in self.runs)
        for path in paths[1:]:
            first = next((turn for turn in path.turns if "user" not in turn.body), None)
            count = sum(len(self.runs[n].numbers) for n in path.runs)
            if first is not None:
                why = _SOME_GO.format(count=count, of=of)
                first.marks.insert(0, Mark("path", "", path.name, None, why))

    # --- held against the engine ---

    def _mend(self, ways: list[_Way], paths: list[DraftPath]) -> list[Failing]:
        """Make each run pass, or say which does not.

        A run that passes its own way passes the draft: the engine takes the way that fits best.
        """
        failing: dict[int, str] = {}
        for path in paths:
            verdicts: dict[int, ConversationVerdict | str | None] = {}
            for _ in range(_TRIES):
                golden = self._parsed(path)
                verdicts = {n: self._verdict(golden, n) for n in path.runs}
                taken = {id(turn) for n, verdict in verdicts.items() for turn in _in_the_way(path, n, verdict)}
                if not taken:
                    break
                self.left_out["taken"] += len(taken)
                path.turns = _numbered([turn for turn in path.turns if id(turn) not in taken])
            failing |= {n: reason for n, verdict in verdicts.items() if (reason := _why_not(verdict))}
        names = [name for name, _ in zip(_names(), range(len(ways) + MOST_PATHS), strict=False)]
        for n in sorted(failing):
            if len(paths) >= MOST_PATHS:
                break
            path = self._path(self._way((n,)), names[len(paths)])
            reason = _why_not(self._verdict(self._parsed(path), n))
            if reason:
                failing[n] = reason
            else:
                paths.append(path)
                del failing[n]
        return [Failing(number, reason) for n, reason in failing.items() for number in self.runs[n].numbers]

    def _parsed(self, path: DraftPath) -> Golden | str | None:
        """What the engine reads in a way; why it cannot, or None where there is nothing to be judged."""
        if all("user" in turn.body for turn in path.turns):
            return None
        try:
            return parse_golden({"paths": [{"id": path.name, "turns": [turn.body for turn in path.turns]}]})
        except RecordError as error:
            return str(error)

    def _verdict(self, golden: Golden | str | None, n: int) -> ConversationVerdict | str | None:
        if golden is None or isinstance(golden, str):
            return golden
        try:
            return score(golden, self.runs[n].trajectory, policy=self.policy, tools=self.tools)
        except RecordError as error:
            return str(error)

    def _notes(self, paths: list[DraftPath]) -> list[str]:
        if len(self.runs) == 1:
            return []
        notes = [_BY_EXCHANGE if self.by_exchange else _AS_A_WHOLE]
        if self.kept_users and not self.by_exchange:
            kept_users, count = self.kept_users
            notes = [_AS_A_WHOLE_TOO.format(kept=kept_users, count=count)]
        if len(paths) > 1:
            notes.append(_WAYS.format(count=len(paths)))
        elif self.is_too_varied:
            notes.append(_TOO_VARIED.format(most=MOST_PATHS))
        for what, text in _LEFT_OUT.items():
            if self.left_out[what]:
                notes.append(text.format(count=self.left_out[what], most=MOST_OPTIONAL))
        return notes


def _why_not(verdict: ConversationVerdict | str | None) -> str:
    """Why a run does not pass; empty where it does."""
    if verdict is None or isinstance(verdict, str):
        return verdict or ""
    failed = next((turn for turn in verdict.turns if turn.passed is False), None)
    if failed is None:
        return ""
    sentence = verdict.explain_turn(failed.turn_no).get("sentence", "")
    return _FAILS.format(number=failed.turn_no, sentence=sentence)


def _in_the_way(path: DraftPath, n: int, verdict: ConversationVerdict | str | None) -> list[DraftTurn]:
    """Optional turns that are answered by what belongs to a turn that then fails."""
    if verdict is None or isinstance(verdict, str) or verdict.test_pass is not False:
        return []
    turns = {str(turn.body["id"]): turn for turn in path.turns}
    wanted = {turns[one.golden].observed.get(n) for one in verdict.turns if one.passed is False} - {None}
    takers = [
        (turns[one.golden], one.observed)
        for one in verdict.turns
        if one.observed is not None and turns[one.golden].body.get("optional")
    ]
    exact = [turn for turn, at in takers if at in wanted]
    return exact or [turn for turn, at in takers if turn.observed.get(n) != at]


def _names() -> Iterator[str]:
    yield "main"
    number = 2
    while True:
        yield f"way {number}"
        number += 1


def _numbered(turns: list[DraftTurn]) -> list[DraftTurn]:
    """The turns with ids that count again; a group of one is none."""
    groups = Counter(turn.body["group"] for turn in turns if "group" in turn.body)
    made = users = 0
    for turn in turns:
        is_user = "user" in turn.body
        users += is_user
        made += not is_user
        turn.body["id"] = f"u{users}" if is_user else f"g{made}"
        if groups.get(turn.body.get("group", ""), 2) == 1:
            del turn.body["group"]
            turn.marks = [mark for mark in turn.marks if mark.kind != "order"]
    return turns


def _stretches(columns: list[_Column]) -> Iterator[list[_Column]]:
    """Calls that follow each other; a reply stands alone."""
    calls: list[_Column] = []
    for column in columns:
        if column.rep.is_call:
            calls.append(column)
            continue
        if calls:
            yield calls
            calls = []
        yield [column]
    if calls:
        yield calls


# --- replies ----------------------------------------------------------------------------------------------------------


def _reply(turn: DraftTurn, lead: _Step, members: list[_Step]) -> None:
    """What all runs say is required, sentence by sentence; where they use other words, the values that all name."""
    text = lead.turn.text or ""
    turn.body["response"] = text
    others = [haystack_of(step.turn.text or "") for step in members if step.exact != lead.exact]
    if not others:
        return
    claims: list[dict[str, Any]] = []
    optional: list[dict[str, Any]] = []
    for span in sentences(text):
        sentence = text[span.start : span.end].strip()
        if not sentence or any(claim["text"] == sentence for claim in (*claims, *optional)):
            continue
        needle = Needle(sentence)
        if all(other.has(needle) for other in others):
            claims.append({"text": sentence})
            continue
        values = _shared_values(sentence, others)
        if values:
            claims.append({"text": sentence, "contains": values})
        else:
            optional.append({"text": sentence, "required": False})
    left = max(0, MOST_CLAIMS - len(claims))
    found = (claims + optional[:left]) or [{"text": _longest(members), "required": False}]
    turn.body["claims"] = found
    shared = len(claims)
    why = _SOME_CLAIMS.format(count=shared) if shared > 1 else _ONE_CLAIM if shared else _NO_CLAIM
    turn.marks.append(Mark("claims", "", found, None, why))


def _shared_values(sentence: str, others: Iterable[Any]) -> list[str]:
    """The words with digits that stand in all other replies too."""
    found = dict.fromkeys(match.group().strip(".*_`’") for match in _WITH_VALUE.finditer(sentence))
    others = list(others)
    own = haystack_of(sentence)
    return [
        value
        for value in found
        if fold(value) and own.has(Needle(value)) and all(other.has(Needle(value)) for other in others)
    ]


def _longest(members: list[_Step]) -> str:
    """A text that is there, of several replies that share nothing."""
    return max((step.turn.text or "" for step in members), key=lambda text: (len(text.strip()), text)).strip() or "-"
