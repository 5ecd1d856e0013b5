"""The second stage: which observed turn answers which gold turn.

The best pairing has the largest sum of pair scores, then the smallest sum of observed positions, then gives the earlier
gold turn the earlier observed turn. All three are digits of one whole number, so that the search only ever compares
whole numbers and has one answer.
"""

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from evaluation.aem.assignment import Assignment
from evaluation.aem.checks import Checked, check
from evaluation.aem.pairs import TurnPair
from evaluation.aem.plan import FieldPlan, PathPlan, TurnPlan
from evaluation.aem.records import ObservedTurn, Trajectory

Pairing = list[int | None]
Block = tuple[TurnPlan, ...]
_Part = TypeVar("_Part")
#: From so many pairs on, it pays to remember which values were compared.
_MANY_PAIRS = 1000


class Pairs:
    """The pairs of a path and a trajectory that were looked at, each judged once."""

    def __init__(self, plan: PathPlan, observed: tuple[ObservedTurn, ...]) -> None:
        self.plan = plan
        self.observed = observed
        self._checked: dict[tuple[int, int], Checked] = {}
        #: How many values are right, for each gold turn that was paired because everything in it is.
        self.clean: dict[int, int] = {}
        self._holding = _Holding(self) if len(plan.turns) * len(observed) >= _MANY_PAIRS else None

    def checked(self, turn: TurnPlan, position: int) -> Checked:
        """The findings of a pair."""
        key = turn.index, position
        found = self._checked.get(key)
        if found is None:
            found = self._checked[key] = check(TurnPair(turn, self.observed[position], position))
        return found

    def score(self, turn: TurnPlan, position: int) -> int | None:
        """The score of a pair in parts of the path's denominator; None where the two cannot pair."""
        gold = turn.turn
        if self.observed[position].kind != ("response" if gold.tool is None else "action"):
            return None
        if gold.optional and self.checked(turn, position).findings:
            return None
        return self._score_reply(turn, position) if gold.tool is None else self._score_call(turn, position)

    def _score_reply(self, turn: TurnPlan, position: int) -> int:
        unit = self.plan.denominator
        checked = self.checked(turn, position)
        if not turn.claims:
            return 8 * unit if checked.findings or checked.unknown else 16 * unit
        # Where no claim is required there is nothing to leave out.
        share = checked.completeness
        return 16 * unit if share is None else 8 * unit + int(8 * unit * share)

    def _score_call(self, turn: TurnPlan, position: int) -> int:
        unit, gold, observed = self.plan.denominator, turn.turn, self.observed[position]
        if observed.tool != gold.tool:
            score = unit // 100
        elif gold.action is not None and observed.action != gold.action:
            score = 4 * unit
        elif not turn.weighed:
            score = 16 * unit
        else:
            holding = turn.holding(observed.args) if self._holding is None else self._holding.count(turn, position)
            score = 8 * unit + 8 * unit * holding // turn.weighed
        return score - unit // 1000 if observed.error else score


class _Holding:
    """How many parameters of a gold turn hold (as :meth:`TurnPlan.holding` says), each distinct value compared once."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        #: Parameters that are annotated alike, which therefore hold with the same values.
        self._alike: dict[Hashable, dict[int, bool]] = {}
        self._fields: dict[int, list[tuple[str, FieldPlan, dict[int, bool]]]] = {}
        self._values: dict[Hashable, int] = {}
        self._args: dict[int, dict[str, int]] = {}

    def count(self, turn: TurnPlan, position: int) -> int:
        """How many parameters that are no refs hold; an absent optional one does."""
        values = self._args.get(position) or self._numbered(position)
        fields = self._fields.get(turn.index)
        if fields is None:
            fields = self._fields[turn.index] = self._prepared(turn)
        count = 0
        for key, field, known in fields:
            value = values.get(key)
            if value is None:
                count += not field.param.required
                continue
            holds = known.get(value)
            if holds is None:
                holds = known[value] = field.match(self._pairs.observed[position].args[key]).passed
            count += holds
        return count

    def _prepared(self, turn: TurnPlan) -> list[tuple[str, FieldPlan, dict[int, bool]]]:
        fields = []
        for key, field in turn.fields.items():
            if field.ref is None:
                param = field.param
                alike = turn.turn.tool, key, _key_of(param.values), param.compare
                fields.append((key, field, self._alike.setdefault(alike, {})))
        return fields

    def _numbered(self, position: int) -> dict[str, int]:
        """The arguments of a call, each distinct value as a number."""
        values = self._values
        args = self._pairs.observed[position].args
        made = {key: values.setdefault(_key_of(value), len(values)) for key, value in args.items()}
        self._args[position] = made
        return made


def _key_of(value: Any) -> Hashable:
    """A key that only values share which are the same to the letter, as long as they live."""
    try:
        return repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        return id(value)


def find_all_right(plan: PathPlan, trajectory: Trajectory) -> tuple[int, ...] | None:
    """How many values are right in each turn where each observed turn is right in its place; else None.

    Then no other pairing scores as much or stands as early. Refs are no part of it.
    """
    if tuple(map(len, trajectory.exchanges)) != plan.lengths:
        return None
    found = []
    turns = iter(plan.turns)
    observed = trajectory.turns
    for positions in trajectory.exchanges:
        for position in positions:
            turn, answer = next(turns), observed[position]
            right = -1 if answer.error else turn.clean_call(answer) if turn.is_action else turn.clean_reply(answer)
            if right < 0:
                return None
            found.append(right)
    return tuple(found)


def align_in_order(plan: PathPlan, trajectory: Trajectory, rights: tuple[int, ...]) -> tuple[Pairing, Pairs]:
    """The pairing where everything is right in its place."""
    pairs = Pairs(plan, trajectory.turns)
    pairs.clean = dict(enumerate(rights))
    return list(_joined(trajectory.exchanges)), pairs


def align(plan: PathPlan, trajectory: Trajectory, *, given: bool) -> tuple[Pairing, Pairs]:
    """The observed position that answers each gold turn, or None."""
    pairs = Pairs(plan, trajectory.turns)
    pairing: Pairing = [None] * len(plan.turns)
    if given:
        _align_given(plan, trajectory, pairs, pairing)
    elif plan.path.user_turns == trajectory.user_turns:
        for blocks, positions in zip(plan.exchanges, trajectory.exchanges, strict=True):
            if blocks and positions:
                _align_exchange(blocks, positions, pairs, pairing)
    else:
        _align_exchange(_joined(plan.exchanges), _joined(trajectory.exchanges), pairs, pairing)
    return pairing, pairs


def _joined(parts: tuple[tuple[_Part, ...], ...]) -> tuple[_Part, ...]:
    return tuple(chain.from_iterable(parts))


def _align_given(plan: PathPlan, trajectory: Trajectory, pairs: Pairs, pairing: Pairing) -> None:
    """Pair by position among agent and tool turns; inside a group by the best permutation of its positions."""
    positions = _joined(trajectory.exchanges)
    for block in _joined(plan.exchanges):
        first = block[0].index
        theirs = positions[first : first + len(block)]
        if theirs and not _is_clean(block, theirs, pairs, pairing):
            table = _Weights(block, theirs, pairs).table(block, theirs)
            _assign(block, theirs, table, 0, pairing)


def _align_exchange(blocks: Sequence[Block], positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> None:
    """Take what is right from the start on as it stands, and search for the best pairing of the rest.

    A turn that is answered in full by the first observed turn left is answered by it in the best pairing: whatever else
    took that place scores no more and stands later. The same holds for a group that is answered in full in its order.
    """
    at = number = 0
    for block in blocks:
        if len(block) > 1:
            if not _is_clean(block, positions[at : at + len(block)], pairs, pairing):
                break
        elif at < len(positions):
            turn, position = block[0], positions[at]
            observed = pairs.observed[position]
            right = -1 if observed.error else turn.clean(observed)
            if right < 0:
                break
            pairs.clean[turn.index] = right
            pairing[turn.index] = position
        else:
            break
        at += len(block)
        number += 1
    if number < len(blocks) and at < len(positions):
        rest, left = blocks[number:], positions[at:]
        if not _settle(rest, left, pairs, pairing):
            _search(rest, left, pairs, pairing)


class _Favourite(NamedTuple):
    """The observed turn that a gold turn scores most with, the earliest of several."""

    #: Its place among the observed turns; -1 where nothing comes close, and ``most`` is at best to be had.
    at: int
    #: At least so much less is to be had anywhere else.
    lead: int
    most: int = 0


def _settle(blocks: Sequence[Block], positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> bool:
    """Give each gold turn its favourite where they do not get into each other's way; False leaves it to the search.

    No pairing scores more than the favourites together, and among equals they stand earliest, so where they are in
    order they are the best pairing. Turns without a favourite may pair with what lies between: all of them together
    gain less than any other turn would lose by giving up its favourite.
    """
    favourites = [[_favourite(turn, positions, pairs) for turn in block] for block in blocks]
    to_gain = sum(one.most for of_block in favourites for one in of_block)
    end = 0
    for of_block in favourites:
        taken = [one.at for one in of_block if one.at >= 0]
        if to_gain and (len(taken) < len(of_block) > 1 or any(one.lead <= to_gain for one in of_block if one.at >= 0)):
            return False
        if taken:
            if min(taken) < end or len(set(taken)) < len(taken):
                return False
            end = max(taken) + 1
    _pair(blocks, positions, favourites, pairs, pairing)
    return True


def _pair(
    blocks: Sequence[Block],
    positions: Sequence[int],
    favourites: Sequence[Sequence[_Favourite]],
    pairs: Pairs,
    pairing: Pairing,
) -> None:
    """Pair turns with their favourites, and those without one as well as they can be in between."""
    start, waiting = 0, 0
    for number, (block, of_block) in enumerate(zip(blocks, favourites, strict=True)):
        taken = [one.at for one in of_block if one.at >= 0]
        if not taken:
            continue
        if waiting < number:
            _fill(blocks[waiting:number], positions[start : min(taken)], pairs, pairing)
        for turn, one in zip(block, of_block, strict=True):
            if one.at >= 0:
                pairing[turn.index] = positions[one.at]
        start, waiting = max(taken) + 1, number + 1
    if waiting < len(blocks):
        _fill(blocks[waiting:], positions[start:], pairs, pairing)


def _fill(blocks: Sequence[Block], positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> None:
    if len(blocks) == len(positions) == len(blocks[0]) == 1:
        turn = blocks[0][0]
        if pairs.score(turn, positions[0]) is not None:
            pairing[turn.index] = positions[0]
    elif positions:
        _search(blocks, positions, pairs, pairing)


def _favourite(turn: TurnPlan, positions: Sequence[int], pairs: Pairs) -> _Favourite:
    gold, observed, unit = turn.turn, pairs.observed, pairs.plan.denominator
    if gold.optional:
        rivals = list(range(len(positions)))
    elif gold.tool is None:
        rivals = [at for at, position in enumerate(positions) if observed[position].kind == "response"]
        if len(rivals) == 1:
            # It scores at least 8, and no other turn is a reply.
            return _Favourite(rivals[0], 8 * unit)
    else:
        tool, action = gold.tool, gold.action
        rivals = [
            at
            for at, position in enumerate(positions)
            if observed[position].tool == tool and (action is None or observed[position].action == action)
        ]
        if len(rivals) == 1:
            # It scores at least 8, less 0.001 for an error, and other actions at most 4.
            return _Favourite(rivals[0], 3 * unit)
        if not rivals:
            kinds = {observed[position].tool for position in positions}
            return _Favourite(-1, 0, 4 * unit if tool in kinds else unit // 100 if kinds != {None} else 0)
    best = second = 0
    at = -1
    for rival in rivals:
        score = pairs.score(turn, positions[rival]) or 0
        if score > best:
            at, best, second = rival, score, best
        elif score > second:
            second = score
    return _Favourite(at, best - second)


def _is_clean(block: Block, positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> bool:
    """Whether each turn of a block is answered in full by the observed turn at its place; if so, they are paired."""
    if len(block) != len(positions):
        return False
    rights = []
    for turn, position in zip(block, positions, strict=True):
        observed = pairs.observed[position]
        right = -1 if observed.error else turn.clean(observed)
        if right < 0:
            return False
        rights.append(right)
    for turn, position, right in zip(block, positions, rights, strict=True):
        pairs.clean[turn.index] = right
        pairing[turn.index] = position
    return True


class _Weights:
    """Pair scores with the rules for ties as lower digits."""

    def __init__(self, golds: Sequence[TurnPlan], positions: Sequence[int], pairs: Pairs) -> None:
        self.pairs = pairs
        base = len(positions) + 1
        self._order: dict[int, int] = {turn.index: base ** (len(golds) - 1 - at) for at, turn in enumerate(golds)}
        self._earliness = {position: len(positions) - at for at, position in enumerate(positions)}
        self._per_position: int = base ** len(golds)
        self._per_score: int = self._per_position * (len(golds) * (positions[-1] + 1) + 1)

    def table(self, block: Block, positions: Sequence[int]) -> list[list[int]]:
        """The worth of each pair, by observed and then by gold turns; 0 where the two cannot pair."""
        return [[self._of(turn, position) for turn in block] for position in positions]

    def _of(self, turn: TurnPlan, position: int) -> int:
        score = self.pairs.score(turn, position)
        if score is None:
            return 0
        order = self._earliness[position] * self._order[turn.index]
        return score * self._per_score - position * self._per_position + order


def _assign(
    block: Sequence[TurnPlan], positions: Sequence[int], table: Sequence[Sequence[int]], start: int, pairing: Pairing
) -> None:
    """Pair a group with the observed turns from ``start`` on, of which ``table`` has the weights."""
    best = Assignment(table, len(block))
    for row in range(start, start + len(positions)):
        best.add(row)
    for turn, found in zip(block, best.owner, strict=True):
        pairing[turn.index] = None if found is None else positions[found - start]


def _search(blocks: Sequence[Block], positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> None:
    """The best pairing of an exchange: a table over blocks of gold turns and observed positions.

    ``best[block][end]`` is the worth of the blocks before ``block`` with the first ``end`` observed turns.
    """
    weights = _Weights(_joined(tuple(blocks)), positions, pairs)
    if len(blocks) == 1 < len(blocks[0]):
        _assign(blocks[0], positions, weights.table(blocks[0], positions), 0, pairing)
        return
    tables = [weights.table(block, positions) for block in blocks]
    best: list[list[int]] = [[0] * (len(positions) + 1)]
    starts: list[list[int]] = []
    for number, (block, table) in enumerate(zip(blocks, tables, strict=True)):
        is_last = number == len(blocks) - 1
        size = len(block)
        row, chosen = _single_row(table, best[-1]) if size == 1 else _group_row(size, table, best[-1], is_last=is_last)
        best.append(row)
        starts.append(chosen)
    end = len(positions)
    for number in range(len(blocks) - 1, -1, -1):
        block = blocks[number]
        start = starts[number][end]
        if len(block) == 1:
            # The turn takes the observed turn right before the end that was chosen, or none.
            if start < 0:
                continue
            pairing[block[0].index] = positions[start]
        else:
            _assign(block, positions[start:end], tables[number], start, pairing)
        end = start


def _single_row(table: Sequence[Sequence[int]], before: list[int]) -> tuple[list[int], list[int]]:
    """The next row for one gold turn, and which observed turn it takes at each end (-1: none)."""
    row, chosen = [before[0]], [-1]
    for at, (weight,) in enumerate(table):
        best, choice = row[at], chosen[at]
        if before[at + 1] > best:
            best, choice = before[at + 1], -1
        if weight and before[at] + weight > best:
            best, choice = before[at] + weight, at
        row.append(best)
        chosen.append(choice)
    return row, chosen


def _group_row(
    columns: int, table: Sequence[Sequence[int]], before: list[int], *, is_last: bool
) -> tuple[list[int], list[int]]:
    """The next row for an order-free group, and where its observed turns start for each end."""
    size = len(table)
    # Where the turns before gain nothing by one more observed turn, starting earlier leaves the group more to choose
    # from, so only a start at which they gain is worth trying.
    starts = [at for at in range(size + 1) if not at or before[at] != before[at - 1]]
    ends = _Ends(columns, table, before, starts)
    none = Assignment(table, columns)
    if is_last:
        # Only the end of the exchange counts.
        ends.settle(size, size, 0, len(starts) - 1, ends.extended(none, starts[-1], size))
    else:
        ends.settle(0, size, 0, len(starts) - 1, none)
    return ends.row, ends.chosen


class _Ends:
    """Finds where the observed turns of a group best start, for many ends.

    One more observed turn is worth the less to a group the more it has to choose from (assignments are submodular), so
    what is the best start for an end is, for any later end, better than each start before it. Therefore settling an end
    halves the work on the others: the ends before it need no later start, and those behind it no earlier one. What all
    pairs of start and end in a part have in common is assigned once, and gone on from.
    """

    def __init__(self, columns: int, table: Sequence[Sequence[int]], before: list[int], starts: list[int]) -> None:
        self.columns = columns
        self.table = table
        self.before = before
        self.starts = starts
        self.row = list(before)
        self.chosen = list(range(len(before)))

    def extended(self, known: Assignment, first: int, end: int) -> Assignment:
        """An assignment with the observed turns from ``first`` to before ``end`` too."""
        made = known.copy()
        for at in range(first, end):
            made.add(at)
        return made

    def settle(self, first: int, last: int, low: int, high: int, common: Assignment) -> None:
        """Settle the ends from ``first`` to ``last``, whose best starts are among those numbered ``low`` to ``high``.

        ``common`` has the observed turns from the latest of these starts to before ``first``, which may be none.
        """
        starts, before = self.starts, self.before
        if low == high:
            for end in range(first, last + 1):
                if end > first:
                    common.add(end - 1)
                self._note(end, starts[low], before[starts[low]] + common.value)
            return
        middle = (first + last) // 2
        top = high
        while starts[top] > middle:
            top -= 1
        latest = self.extended(common, first if starts[high] < first else starts[top], middle)
        trial = latest.copy()
        best, most = top, before[starts[top]] + trial.value
        for number in range(top - 1, low - 1, -1):
            for at in range(starts[number + 1] - 1, starts[number] - 1, -1):
                trial.add(at)
            worth = before[starts[number]] + trial.value
            if worth >= most:
                best, most = number, worth
        self._note(middle, starts[best], most)
        if first < middle:
            # The starts may lie behind the first end; then there is nothing in common.
            shared = self.extended(common, starts[best], min(first, starts[high]))
            self.settle(first, middle - 1, low, best, shared)
        if middle < last:
            shared = self.extended(latest, middle, middle + 1) if top == high else Assignment(self.table, self.columns)
            self.settle(middle + 1, last, best, high, shared)

    def _note(self, end: int, start: int, worth: int) -> None:
        self.row[end], self.chosen[end] = worth, start
