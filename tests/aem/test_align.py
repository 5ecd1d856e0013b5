"""The pairing is the best of all, by trying all; and it is found in good time."""

from collections.abc import Iterator
from fractions import Fraction
from time import process_time
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem import parse_golden, parse_policy, parse_trajectory, score
from evaluation.aem.assignment import Assignment
from tests.aem.builders import USER, call, gold, golden, judge, reply

GOLD = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["a", "a", "b", "say"]),
        "x": st.integers(0, 1),
        "y": st.integers(0, 1),
        "group": st.sampled_from([None, None, "q"]),
        "optional": st.sampled_from([False, False, False, True]),
        "action": st.sampled_from([None, "A"]),
    }
)
SEEN = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["a", "a", "b", "say", "nothing"]),
        "x": st.integers(0, 1),
        "y": st.integers(0, 1),
        "action": st.sampled_from([None, "A", "B"]),
        "error": st.sampled_from([False, False, True]),
        "extra": st.sampled_from([False, False, True]),
    }
)


def gold_turn(index: int, made: dict[str, Any]) -> dict[str, Any]:
    more: dict[str, Any] = {"optional": made["optional"], "depends_on": []}
    if made["group"]:
        more["group"] = made["group"]
    if made["kind"] == "say":
        claims = [{"text": f"w{made['x']}"}, {"text": f"v{made['y']}"}]
        return reply(f"g{index}", "x", *claims, **more)
    if made["action"]:
        more["action"] = made["action"]
    return gold(f"g{index}", made["kind"], {"x": made["x"], "y": made["y"]}, **more)


def seen_turn(made: dict[str, Any]) -> dict[str, Any]:
    if made["kind"] == "nothing":
        return {}
    if made["kind"] == "say":
        return {"response": f"w{made['x']} v{made['y']}"}
    extra = {"z": 1} if made["extra"] else {}
    action = {"action": made["action"]} if made["action"] else {}
    return call(made["kind"], {"x": made["x"], "y": made["y"], **extra}, error=made["error"], **action)


def worth(one: dict[str, Any], other: dict[str, Any]) -> Fraction | None:
    """The rule for pair scores, once more and in plain words."""
    if other["kind"] == "nothing" or (one["kind"] == "say") != (other["kind"] == "say"):
        return None
    share = Fraction((one["x"] == other["x"]) + (one["y"] == other["y"]), 2)
    if one["kind"] == "say":
        return None if one["optional"] and share < 1 else 8 + 8 * share
    same_tool = one["kind"] == other["kind"]
    same_action = one["action"] is None or one["action"] == other["action"]
    if one["optional"] and not (same_tool and same_action and share == 1 and not other["extra"]):
        return None
    value = Fraction(1, 100) if not same_tool else Fraction(4) if not same_action else 8 + 8 * share
    return value - Fraction(1, 1000) if other["error"] else value


def is_right(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether nothing of a paired turn fails."""
    if one["kind"] == "say":
        return bool(one["x"] == other["x"] and one["y"] == other["y"])
    same = all(one[name] == other[name] for name in ("kind", "x", "y"))
    return bool(same and (one["action"] is None or one["action"] == other["action"]) and not other["extra"])


def pairings(blocks: list[list[int]], start: int, size: int) -> Iterator[list[int | None]]:
    """Every pairing that keeps the order of the blocks."""
    if not blocks:
        yield []
        return
    for chosen, end in _choices(blocks[0], start, size):
        for rest in pairings(blocks[1:], end, size):
            yield [*chosen, *rest]


def _choices(block: list[int], start: int, size: int) -> Iterator[tuple[list[int | None], int]]:
    def fill(left: int, used: tuple[int | None, ...]) -> Iterator[tuple[int | None, ...]]:
        if not left:
            yield used
            return
        yield from fill(left - 1, (*used, None))
        for position in range(start, size):
            if position not in used:
                yield from fill(left - 1, (*used, position))

    for used in fill(len(block), ()):
        end = max((position + 1 for position in used if position is not None), default=start)
        yield list(used), end


def best_by_trying(golds: list[dict[str, Any]], seen: list[dict[str, Any]]) -> list[int | None]:
    blocks: list[list[int]] = []
    for index, one in enumerate(golds):
        if index and one["group"] and golds[index - 1]["group"] == one["group"]:
            blocks[-1].append(index)
        else:
            blocks.append([index])
    best: tuple[Any, list[int | None]] | None = None
    for pairing in pairings(blocks, 0, len(seen)):
        scores = [worth(golds[at], seen[to]) for at, to in enumerate(pairing) if to is not None]
        if None in scores:
            continue
        positions = [len(seen) if to is None else to for to in pairing]
        rank = (-sum(score for score in scores if score), sum(to for to in pairing if to is not None), positions)
        if best is None or rank < best[0]:
            best = rank, pairing
    assert best is not None
    return best[1]


@given(st.lists(GOLD, min_size=1, max_size=4), st.lists(SEEN, max_size=4))
@settings(max_examples=400, deadline=None)
def test_the_pairing_is_the_best_of_all(golds: list[dict[str, Any]], seen: list[dict[str, Any]]) -> None:
    verdict = judge([gold_turn(index, one) for index, one in enumerate(golds)], [seen_turn(one) for one in seen])
    best = best_by_trying(golds, seen)
    assert [turn.observed for turn in verdict.turns] == best
    for one, to, turn in zip(golds, best, verdict.turns, strict=True):
        if not turn.skipped:
            assert turn.passed is (to is not None and is_right(one, seen[to]))


@given(st.lists(st.lists(st.integers(1, 50) | st.none(), min_size=3, max_size=3), max_size=5))
def test_an_assignment_is_the_best_after_each_row(rows: list[list[int | None]]) -> None:
    def best(left: list[list[int | None]], free: frozenset[int]) -> int:
        if not left:
            return 0
        without = best(left[1:], free)
        taken = [value + best(left[1:], free - {at}) for at in free if (value := left[0][at]) is not None]
        return max([without, *taken])

    assignment = Assignment([[value or 0 for value in row] for row in rows], 3)
    for count in range(1, len(rows) + 1):
        assignment.add(count - 1)
        assert assignment.value == best(rows[:count], frozenset(range(3)))
        pairs = [(rows[row][at], row) for at, row in enumerate(assignment.owner) if row is not None]
        assert sum(value or 0 for value, _ in pairs) == assignment.value
        assert len({row for _, row in pairs}) == len(pairs)


def test_given_pairs_by_position_and_never_across_kinds() -> None:
    turns = [reply("g1", "Hi"), gold("g2", "a"), gold("g3", "b", group="q"), gold("g4", "c", group="q")]
    observed = [call("a"), {"user": "x"}, {"response": "Hi"}, call("c"), call("b"), call("c")]
    verdict = judge(turns, observed, policy={"alignment": "given"})
    assert [turn.observed for turn in verdict.turns] == [None, None, 4, 3]
    assert [one.observed for one in verdict.unexpected] == [0, 5]


def test_given_skips_an_optional_turn_that_would_fail() -> None:
    verdict = judge(
        [gold("g1", "a", optional=True), gold("g2", "b")], [call("x"), call("b")], policy={"alignment": "given"}
    )
    assert [turn.skipped for turn in verdict.turns] == [True, False]


def test_the_earlier_of_two_equal_answers_is_taken() -> None:
    verdict = judge([USER, gold("g1", "a", {"x": 1})], [USER, call("a", {"x": 1}), call("a", {"x": 1})])
    assert verdict.turns[0].observed == 1


def test_an_optional_turn_asks_for_the_presence_of_refs_not_for_their_values() -> None:
    ref = {"ref": {"turn": "g1", "path": "$.id"}}
    turns = [gold("g1", "find"), gold("g2", "look", {"id": ref}, optional=True)]
    wrong = judge(turns, [call("find", result={"id": 1}), call("look", {"id": 2})])
    absent = judge(turns, [call("find", result={"id": 1}), call("look")])
    assert (wrong.turns[1].skipped, wrong.turns[1].passed) == (False, False)
    assert absent.turns[1].skipped


def test_large_groups_are_paired_in_good_time() -> None:
    def parameters(number: int) -> dict[str, Any]:
        return {"x": number * 7919 % 61, "y": number % 3, "z": number % 5}

    turns = [gold("first", "s"), *(gold(f"g{n}", "t", parameters(n), group="q") for n in range(50)), gold("last", "e")]
    observed = [call("s"), *(call("t", parameters(3 * n + 1)) for n in range(198)), call("e")]
    parsed, trajectory = parse_golden(golden(*turns)), parse_trajectory({"turns": observed})
    started = process_time()
    verdict = score(parsed, trajectory, policy=parse_policy(None), tools={})
    assert process_time() - started < 10
    assert all(turn.observed is not None for turn in verdict.turns)
