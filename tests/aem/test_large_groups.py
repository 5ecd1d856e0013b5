"""Large order-free groups: the best pairing by an independent referee, to the last tie, and in good time.

The referee is scipy's ``linear_sum_assignment``, which knows nothing of the engine. It computes with doubles, in which
whole numbers up to 2^53 are exact; what it is asked here stays far below.
"""

import random
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from evaluation.aem import parse_golden, parse_policy, parse_trajectory, score
from evaluation.aem.assignment import Assignment
from tests.aem.builders import call, gold, golden

Table = list[list[int]]


def most(table: Table, columns: int) -> int:
    """What the best assignment of a table is worth, by scipy."""
    if not table or not columns:
        return 0
    worths = np.array(table, dtype=np.float64)
    assert worths.max() * min(worths.shape) < 2**53
    rows, taken = linear_sum_assignment(worths, maximize=True)
    return int(worths[rows, taken].sum())


def check(table: Table, columns: int, order: list[int]) -> None:
    """Hold an assignment that grew by rows in some order against scipy's."""
    assignment = Assignment(table, columns)
    for row in order:
        assignment.add(row)
    assert assignment.value == most([table[row] for row in order], columns)
    pairs = [(row, column) for column, row in enumerate(assignment.owner) if row is not None]
    assert len({row for row, _ in pairs}) == len(pairs)
    assert {row for row, _ in pairs} <= set(order)
    assert all(table[row][column] for row, column in pairs)
    assert sum(table[row][column] for row, column in pairs) == assignment.value


@pytest.mark.parametrize("chunk", range(8))
def test_thousands_of_assignments_are_worth_what_scipy_finds(chunk: int) -> None:
    chance = random.Random(chunk)
    for _ in range(400):
        rows, columns = chance.randint(1, 14), chance.randint(1, 10)
        highest = chance.choice([1, 2, 5, 1000, 10**9])
        lowest = chance.choice([0, 0, -highest])  # below 0 stands for pairs that cannot be
        table = [[max(0, chance.randint(lowest, highest)) for _ in range(columns)] for _ in range(rows)]
        order = list(range(rows))
        chance.shuffle(order)
        check(table, columns, order[: chance.randint(0, rows)])


@pytest.mark.parametrize(("rows", "columns"), [(200, 50), (50, 50), (50, 200), (120, 120)])
@pytest.mark.parametrize("highest", [1, 3, 17, 10**9])
def test_large_assignments_are_worth_what_scipy_finds(rows: int, columns: int, highest: int) -> None:
    chance = random.Random(rows + highest)
    for is_sparse in (False, True):
        table = [
            [0 if is_sparse and chance.random() < 0.8 else chance.randint(0, highest) for _ in range(columns)]
            for _ in range(rows)
        ]
        check(table, columns, list(range(rows)))


def test_a_copy_goes_on_by_itself() -> None:
    chance = random.Random(3)
    table = [[chance.randint(0, 9) for _ in range(6)] for _ in range(12)]
    first = Assignment(table, 6)
    for row in range(5):
        first.add(row)
    second = first.copy()
    second.add(5)
    first.add(6)
    assert first.value == most([table[row] for row in (0, 1, 2, 3, 4, 6)], 6)
    assert second.value == most(table[:6], 6)


# --- whole pairings ---------------------------------------------------------------------------------------------------

KEYS = ("x", "y", "z")


def pair_score(params: dict[str, int], args: dict[str, int]) -> Fraction:
    """The rule for two calls of one tool and action."""
    return 8 + 8 * Fraction(sum(args.get(key) == value for key, value in params.items()), len(params))


class Problem:
    """Gold calls in blocks, all of one tool with the same keys, and observed calls."""

    def __init__(self, chance: random.Random, sizes: list[int], seen: int, values: int) -> None:
        def draw() -> dict[str, int]:
            return {key: chance.randrange(values) for key in KEYS}

        self.blocks = [[draw() for _ in range(size)] for size in sizes]
        self.seen = [draw() for _ in range(seen)]
        # In parts of a third; shares of three keys are whole then.
        self.table = [[int(3 * pair_score(one, args)) for one in self.golds] for args in self.seen]

    @property
    def golds(self) -> list[dict[str, int]]:
        """All gold calls in their order."""
        return [one for block in self.blocks for one in block]

    def pairing(self, alignment: str = "search") -> list[int | None]:
        """What the engine finds: the observed position for each gold call."""
        turns: list[dict[str, Any]] = []
        for number, block in enumerate(self.blocks):
            group = {"group": f"q{number}"} if len(block) > 1 else {}
            turns += [gold(f"g{len(turns) + at}", "t", dict(one), **group) for at, one in enumerate(block)]
        verdict = score(
            parse_golden(golden(*turns)),
            parse_trajectory({"turns": [call("t", args) for args in self.seen]}),
            policy=parse_policy({"alignment": alignment}),
            tools={},
        )
        return [turn.observed for turn in verdict.turns]

    def worth(self, pairing: list[int | None]) -> tuple[int, int]:
        """The sum of scores and of positions, the latter below 0, so that more is better in both."""
        pairs = [(at, to) for at, to in enumerate(pairing) if to is not None]
        return sum(self.table[to][at] for at, to in pairs), -sum(to for _, to in pairs)

    def best(self, forced: dict[int, int | None] | None = None) -> tuple[int, int]:
        """The best worth by a plain table over blocks, starts and ends, each part by scipy.

        ``forced`` says what some gold calls get. Score and position are digits of one number below 2^53.
        """
        forced = forced or {}
        base = len(self.golds) * len(self.seen) + 1
        size = len(self.seen)
        before = [0] * (size + 1)
        first = 0
        impossible = -(10**15)
        for block in self.blocks:
            columns = range(first, first + len(block))
            row = (
                list(before)
                if not any(forced.get(column) is not None for column in columns)
                else [impossible] * (size + 1)
            )
            for start in range(size):
                for end in range(start + 1, size + 1):
                    wanted = {forced[column] for column in columns if forced.get(column) is not None}
                    if not all(to is not None and start <= to < end for to in wanted):
                        continue
                    part = [
                        [self.allowed(column, to, forced) * (self.table[to][column] * base - to) for column in columns]
                        for to in range(start, end)
                    ]
                    row[end] = max(row[end], before[start] + most(part, len(block)))
            for end in range(1, size + 1):
                row[end] = max(row[end], row[end - 1])
            before, first = row, first + len(block)
        total = -(-before[size] // base)
        return total, before[size] - total * base

    @staticmethod
    def allowed(column: int, to: int, forced: dict[int, int | None]) -> int:
        """Whether a pair is left by what is forced."""
        if column in forced:
            return int(forced[column] == to)
        return int(to not in forced.values())


@pytest.mark.parametrize("seed", range(30))
def test_several_groups_are_paired_as_a_plain_search_would(seed: int) -> None:
    """The sum of scores and then of positions is the best over every way to cut the trajectory into blocks."""
    chance = random.Random(seed)
    sizes = [chance.choice([1, 1, 2, 3, 5]) for _ in range(chance.randint(1, 5))]
    problem = Problem(chance, sizes, chance.randint(1, 12), chance.choice([1, 2, 3, 6]))
    assert problem.worth(problem.pairing()) == problem.best()


@pytest.mark.parametrize("seed", range(12))
def test_ties_go_to_the_earlier_gold_turn(seed: int) -> None:
    """Gold turn by gold turn, no earlier answer, and no answer instead of none, would leave a pairing as good."""
    chance = random.Random(100 + seed)
    sizes = [chance.choice([1, 2, 4]) for _ in range(chance.randint(1, 3))]
    problem = Problem(chance, sizes, chance.randint(3, 8), chance.choice([1, 2]))
    pairing = problem.pairing()
    best = problem.best()
    assert problem.worth(pairing) == best
    forced: dict[int, int | None] = {}
    for column, taken in enumerate(pairing):
        for earlier in range(len(problem.seen) if taken is None else taken):
            if earlier not in forced.values():
                assert problem.best({**forced, column: earlier}) < best
        forced[column] = taken


@pytest.mark.parametrize("alignment", ["search", "given"])
@pytest.mark.parametrize(("golds", "seen"), [(50, 200), (200, 200)])
@pytest.mark.parametrize("values", [1, 2, 4, 40])
def test_one_large_group_is_worth_what_scipy_finds(alignment: str, golds: int, seen: int, values: int) -> None:
    problem = Problem(random.Random(golds + values), [golds], seen, values)
    if alignment == "given":
        problem.seen, problem.table = problem.seen[:golds], problem.table[:golds]
    started = process_time()
    pairing = problem.pairing(alignment)
    # Well under a second by itself; the limit leaves room for a busy machine.
    assert process_time() - started < (2 if golds == 50 else 10)
    base = golds * seen + 1
    part = [[score * base - to for score in row] for to, row in enumerate(problem.table)]
    total, positions = problem.worth(pairing)
    assert total * base + positions == most(part, golds)


def test_several_large_groups_are_paired_in_good_time() -> None:
    problem = Problem(random.Random(1), [50, 50, 50, 50], 200, 5)
    started = process_time()
    pairing = problem.pairing()
    assert process_time() - started < 10
    for number in range(3):
        # Each block stays before the next.
        one, other = pairing[50 * number : 50 * number + 50], pairing[50 * number + 50 : 50 * number + 100]
        assert max(to for to in one if to is not None) < min(to for to in other if to is not None)


def test_a_value_that_recurs_is_compared_once() -> None:
    """10,000 pairs of which each has one of six golden values and one of eight observed ones: 48 comparisons."""
    asked = []

    class Counting:
        name = "exact"
        is_semantic = True

        def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> Any:
            from evaluation.aem import TextScore

            asked.append((expected, observed))
            return TextScore(Fraction(0), "They differ.")

        def claim(self, claim: str, reply: str, *, threshold: Fraction) -> Any:
            raise AssertionError("there are no replies")

    turns = [gold(f"g{at}", "t", {"k": f"golden {at % 6}"}, group="q") for at in range(50)]
    seen = [call("t", {"k": f"observed {at % 8}"}) for at in range(200)]
    verdict = score(
        parse_golden(golden(*turns)),
        parse_trajectory({"turns": seen}),
        policy=parse_policy(None),
        tools={},
        scorer=Counting(),
    )
    assert all(turn.observed is not None for turn in verdict.turns)
    assert len(set(asked)) == 48
    # Once for the pairing, and again only for the pairs that were found or tried first.
    assert len(asked) < 48 + 3 * 50
