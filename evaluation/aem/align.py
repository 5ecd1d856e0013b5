"""The second stage: which observed turn answers which gold turn.

The best pairing has the largest sum of pair scores, then the smallest sum of observed positions, then gives the earlier
gold turn the earlier observed turn. All three are digits of one whole number, so that the search only ever compares
whole numbers and has one answer.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from evaluation.aem.assignment import Assignment
from evaluation.aem.checks import Checked, check
from evaluation.aem.pairs import TurnPair
from evaluation.aem.plan import PathPlan, TurnPlan
from evaluation.aem.records import ObservedTurn, Trajectory

Pairing = list[int | None]
Block = tuple[TurnPlan, ...]
_Part = TypeVar("_Part")


class Pairs:
    """The pairs of a path and a trajectory that were looked at, each judged once."""

    def __init__(self, plan: PathPlan, observed: tuple[ObservedTurn, ...]) -> None:
        self.plan = plan
        self.observed = observed
        self._checked: dict[tuple[int, int], Checked] = {}
        #: How many values are right, for each gold turn that was paired because everything in it is.
        self.clean: dict[int, int] = {}

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
            return 8 * unit if checked.findings else 16 * unit
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
            score = 8 * unit + 8 * unit * turn.holding(observed.args) // turn.weighed
        return score - unit // 1000 if observed.error else score


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
            _assign(block, theirs, _Weights(block, theirs, pairs), pairing)


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

    def of(self, turn: TurnPlan, position: int) -> int | None:
        """The worth of a pair; None where the two cannot pair."""
        score = self.pairs.score(turn, position)
        if score is None:
            return None
        order = self._earliness[position] * self._order[turn.index]
        return score * self._per_score - position * self._per_position + order


def _assign(block: Sequence[TurnPlan], positions: Sequence[int], weights: _Weights, pairing: Pairing) -> None:
    best = Assignment(len(block))
    for position in positions:
        best.add([weights.of(turn, position) for turn in block])
    for turn, row in zip(block, best.owner, strict=True):
        pairing[turn.index] = None if row is None else positions[row]


def _search(blocks: Sequence[Block], positions: Sequence[int], pairs: Pairs, pairing: Pairing) -> None:
    """The best pairing of an exchange: a table over blocks of gold turns and observed positions.

    ``best[block][end]`` is the worth of the blocks before ``block`` with the first ``end`` observed turns.
    """
    weights = _Weights(_joined(tuple(blocks)), positions, pairs)
    best: list[list[int]] = [[0] * (len(positions) + 1)]
    starts: list[list[int]] = []
    for number, block in enumerate(blocks):
        is_last = number == len(blocks) - 1
        row, chosen = (
            _single_row(block[0], positions, weights, best[-1])
            if len(block) == 1
            else _group_row(block, positions, weights, best[-1], is_last=is_last)
        )
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
            end = start
        else:
            _assign(block, positions[start:end], weights, pairing)
            end = start


def _single_row(
    turn: TurnPlan, positions: Sequence[int], weights: _Weights, before: list[int]
) -> tuple[list[int], list[int]]:
    """The next row for one gold turn, and which observed turn it takes at each end (-1: none)."""
    row, chosen = [before[0]], [-1]
    for at, position in enumerate(positions):
        best, choice = row[at], chosen[at]
        if before[at + 1] > best:
            best, choice = before[at + 1], -1
        weight = weights.of(turn, position)
        if weight is not None and before[at] + weight > best:
            best, choice = before[at] + weight, at
        row.append(best)
        chosen.append(choice)
    return row, chosen


def _group_row(
    block: Sequence[TurnPlan], positions: Sequence[int], weights: _Weights, before: list[int], *, is_last: bool
) -> tuple[list[int], list[int]]:
    """The next row for an order-free group, and where its observed turns start for each end."""
    table = [[weights.of(turn, position) for turn in block] for position in positions]
    size = len(positions)
    row, chosen = list(before), list(range(size + 1))
    if is_last:
        # Only the end of the exchange counts, and more observed turns never make an assignment worse.
        assignment = Assignment(len(block))
        for start in range(size - 1, -1, -1):
            assignment.add(table[start])
            if before[start] + assignment.value > row[size]:
                row[size], chosen[size] = before[start] + assignment.value, start
        return row, chosen
    for start in range(size):
        if start and before[start] == before[start - 1]:
            # Starting one earlier leaves the turns before as good, and this group more to choose from.
            continue
        assignment = Assignment(len(block))
        for end in range(start, size):
            assignment.add(table[end])
            if before[start] + assignment.value > row[end + 1]:
                row[end + 1], chosen[end + 1] = before[start] + assignment.value, start
    return row, chosen
