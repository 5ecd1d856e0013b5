"""Time the pairing where groups of gold turns are free in order and large.

    .venv/bin/python benchmarks/large_groups.py [--rounds 3] [--check]

Each case makes a golden and a trajectory from a seed and scores them; the fastest round counts, in milliseconds of
processor time, with nothing remembered from the round before. ``--check`` exits with 1 where a case takes longer than
its goal.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluation.aem import parse_golden, parse_policy, parse_trajectory, score

Turn = dict[str, Any]


class Case(NamedTuple):
    """Gold turns, observed turns, how they are aligned, and how many milliseconds scoring them may take."""

    gold: list[Turn]
    observed: list[Turn]
    alignment: str
    goal: int


def gold_call(number: int, args: dict[str, Any], group: str | None, tool: str = "t") -> Turn:
    """A gold call of a group."""
    params = {key: {"value": value} for key, value in args.items()}
    return {"id": f"g{number}", "tool": tool, "params": params, **({"group": group} if group else {})}


def mixed(rng: random.Random) -> dict[str, Any]:
    """Arguments that are often partly alike."""
    return {"x": rng.randrange(61), "y": rng.randrange(3), "z": rng.randrange(5)}


def equal(rng: random.Random) -> dict[str, Any]:
    """Arguments that are all equally wrong, so that ties alone decide."""
    return {"x": rng.randrange(10**9)}


def few(rng: random.Random) -> dict[str, Any]:
    """Arguments with so few values that nearly everything ties."""
    return {"x": rng.randrange(3), "y": rng.randrange(2)}


def many(rng: random.Random) -> dict[str, Any]:
    """Arguments of eight keys, each one of two values: every pair is partly right."""
    return {f"k{at}": rng.randrange(2) for at in range(8)}


Args = Callable[[random.Random], dict[str, Any]]


def calls(golds: int, seen: int, args: Args, *, groups: int = 1, ends: bool = False, alignment: str = "search") -> Case:
    """Groups of calls against calls; ``ends`` puts a single turn before the first group and after the last."""
    rng = random.Random(golds * 1000 + seen)
    gold = [gold_call(number * golds + at, args(rng), f"q{number}") for number in range(groups) for at in range(golds)]
    observed = [{"tool": "t", "args": args(rng)} for _ in range(seen)]
    if ends:
        gold = [gold_call(-1, {}, None, "start"), *gold, gold_call(-2, {}, None, "end")]
        observed = [{"tool": "start", "args": {}}, *observed, {"tool": "end", "args": {}}]
    return Case(gold, observed, alignment, 1000)


def between_singles(golds: int, seen: int, args: Args, *, singles: int = 10) -> Case:
    """A group between single turns of the same tool, which could be answered nearly anywhere."""
    rng = random.Random(3)
    gold = [gold_call(at, args(rng), "q" if singles <= at < singles + golds else None) for at in range(golds + 20)]
    return Case(gold, [{"tool": "t", "args": args(rng)} for _ in range(seen)], "search", 1000)


def several_tools(golds: int, seen: int) -> Case:
    """A group over five tools, as parallel calls are, shuffled, with retries and wrong values, in the middle."""
    rng = random.Random(5)
    gold = [gold_call(at, {"x": rng.randrange(30)}, "q", f"t{at % 5}") for at in range(golds)]
    observed: list[Turn] = []
    while len(observed) < seen:
        turn = rng.choice(gold)
        value = turn["params"]["x"]["value"] if rng.random() < 0.6 else rng.randrange(30)
        observed.append({"tool": turn["tool"], "args": {"x": value}, "error": rng.random() < 0.2})
    ends = [gold_call(-1, {}, None, "start"), gold_call(-2, {}, None, "end")]
    return Case([ends[0], *gold, ends[1]], [{"tool": "start"}, *observed, {"tool": "end"}], "search", 1000)


def shuffled(count: int) -> Case:
    """What an agent that does everything right in another order gives: each gold call once, shuffled."""
    rng = random.Random(count)
    gold = [gold_call(at, {"x": at, "y": at % 7}, "q") for at in range(count)]
    observed = [{"tool": "t", "args": {"x": at, "y": at % 7}} for at in range(count)]
    rng.shuffle(observed)
    return Case(gold, observed, "search", 1000)


def replies(golds: int, seen: int) -> Case:
    """A group of replies with two claims each."""
    rng = random.Random(6)
    gold = [
        {
            "id": f"g{at}",
            "response": "x",
            "claims": [{"text": f"w{rng.randrange(9)}"}, {"text": f"v{rng.randrange(9)}"}],
            "group": "q",
        }
        for at in range(golds)
    ]
    observed = [{"response": f"It is w{rng.randrange(9)} and v{rng.randrange(9)}."} for _ in range(seen)]
    return Case(gold, observed, "search", 1000)


def long_values(golds: int, seen: int) -> Case:
    """Values that take long to compare: sets of objects, which recur."""
    rng = random.Random(7)

    def value() -> list[Any]:
        return [{"id": (at * 7 + start) % 20, "name": f"Item {at} of many"} for at in range(30)]

    gold = []
    for at in range(golds):
        start = rng.randrange(6)
        gold.append({"id": f"g{at}", "tool": "t", "params": {"s": {"value": value(), "compare": "set"}}, "group": "q"})
    observed = []
    for _ in range(seen):
        start = rng.randrange(6)
        made = value()
        rng.shuffle(made)
        observed.append({"tool": "t", "args": {"s": made}})
    return Case(gold, observed, "search", 1000)


CASES: dict[str, Callable[[], Case]] = {
    "50 x 200, mixed": lambda: calls(50, 200, mixed),
    "50 x 200, all equal": lambda: calls(50, 200, equal),
    "50 x 200, few values": lambda: calls(50, 200, few),
    "50 x 200, eight keys": lambda: calls(50, 200, many),
    "50 x 200, replies": lambda: replies(50, 200),
    "50 x 200, long values": lambda: long_values(50, 200),
    "50 x 200 between two turns, mixed": lambda: calls(50, 200, mixed, ends=True),
    "50 x 200 between two turns, all equal": lambda: calls(50, 200, equal, ends=True),
    "50 x 200 between two turns, few values": lambda: calls(50, 200, few, ends=True),
    "50 x 200 between two turns, eight keys": lambda: calls(50, 200, many, ends=True),
    "50 x 200 between two turns, five tools": lambda: several_tools(50, 200),
    "50 x 200 between 20 turns, mixed": lambda: between_singles(50, 200, mixed),
    "50 x 200 between 20 turns, all equal": lambda: between_singles(50, 200, equal),
    "50 x 200 between 20 turns, eight keys": lambda: between_singles(50, 200, many),
    "2 groups of 50 x 200, mixed": lambda: calls(50, 200, mixed, groups=2),
    "4 groups of 50 x 200, mixed": lambda: calls(50, 200, mixed, groups=4),
    "4 groups of 50 x 200, all equal": lambda: calls(50, 200, equal, groups=4),
    "4 groups of 50 x 200, few values": lambda: calls(50, 200, few, groups=4),
    "4 groups of 50 x 200, eight keys": lambda: calls(50, 200, many, groups=4),
    "10 groups of 20 x 200, mixed": lambda: calls(20, 200, mixed, groups=10),
    "200 x 200, shuffled": lambda: shuffled(200),
    "200 x 200, mixed": lambda: calls(200, 200, mixed),
    "200 x 200, all equal": lambda: calls(200, 200, equal),
    "200 x 200, few values": lambda: calls(200, 200, few),
    "200 x 200, eight keys": lambda: calls(200, 200, many),
    "50 x 50 given, mixed": lambda: calls(50, 50, mixed, alignment="given"),
    "200 x 200 given, mixed": lambda: calls(200, 200, mixed, alignment="given"),
    "200 x 200 given, all equal": lambda: calls(200, 200, equal, alignment="given"),
    "4 groups of 50 x 200 given, few values": lambda: calls(50, 200, few, groups=4, alignment="given"),
}


def milliseconds(case: Case) -> float:
    """How long one scoring takes, parsing left out."""
    golden = parse_golden({"paths": [{"id": "main", "turns": case.gold}]})
    trajectory = parse_trajectory({"turns": case.observed})
    policy = parse_policy({"scorer": "exact", "alignment": case.alignment})
    started = time.process_time()
    score(golden, trajectory, policy=policy, tools={})
    return (time.process_time() - started) * 1000


def main() -> int:
    """Print the figures; 1 where a goal is missed and goals are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    late = 0
    print(f"{'case':45} {'ms':>9} {'goal':>7}")
    for name, make in CASES.items():
        if options.only not in name:
            continue
        case = make()
        took = min(milliseconds(case) for _ in range(options.rounds))
        late += took > case.goal
        print(f"{name:45} {took:9.1f} {case.goal:7}{'  late' if took > case.goal else ''}", flush=True)
    return 1 if options.check and late else 0


if __name__ == "__main__":
    sys.exit(main())
