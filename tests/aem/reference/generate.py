"""Random records, small and dense: few tools, keys and values, so that near matches, groundings and ties are common.

The same seed gives the same record. A trajectory is made from one of the golden paths by answering turn after turn,
now and then wrongly, with values that earlier calls returned, with a turn dropped, repeated, swapped or invented.
Names and values come from pools in which many members are equal under one comparison and different under another.
"""

import copy
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evaluation.formats import jsonio

Json = Any
Turn = dict[str, Any]

MAX_GOLDEN = 7
MAX_OBSERVED = 9

TOOLS = ["find", "book", "pay"]
ACTIONS = [None, None, "X", "Y"]
IDS: list[Json] = [7, "7", "007", "D7", "d7", "D9", 107505301260286111, 107505301260286110, "AUD-2025", "AUD-2023"]
NUMBERS: list[Json] = [
    1,
    5,
    7,
    12,
    34,
    120,
    1200,
    "34",
    "120",
    "1,200",
    Decimal("0.1"),
    Decimal("34.5"),
    Decimal("34.0"),
    -12,
]
NAMES: list[Json] = [
    "Porto",
    "porto ",
    "Lisbon",
    "EU",
    "New  York",
    "new york",
    "Café",
    "Cafe\u0301",
    "ab",
    "Ref D7",
    "34 units",
]
DAYS: list[Json] = [
    "2025-03-14",
    "2025-03-15",
    "2025-03-14T11:30:00",
    "2025-03-14T11:30:00Z",
    "2025-03-14T12:30:00+01:00",
    "2025-03-14T11:30",
    "14 March",
]
LISTS: list[Json] = [
    ["x", "y"],
    ["y", "x"],
    ["x", "x", "y"],
    ["X", "y", "y"],
    [7, "7"],
    ["7", "7.0"],
    [34, "D7"],
    [["x"], 1],
]
FLAGS: list[Json] = [True, False, "true", "False", 1, 0]
OBJECTS: list[Json] = [
    {"a": 7, "b": "Porto"},
    {"b": "porto", "a": "7"},
    {"a": 7},
    {"a": [34, "D9"], "b": True},
    {"a": 34, "b": None},
    {"r": {"id": "D7"}},
    {"a": "", "b": 34},
    {"a": [], "b": "Porto"},
]
CODES: list[Json] = ["D7", "D9", "d7", "AUD-2025", "D77", 7, 34, Decimal("0.10")]
PATTERNS = ["D[0-9]", "D7|D9", "[0-9]+", "AUD-.*", "0\\.1", "0\\.10"]
POOLS: dict[str, list[Json]] = {
    "id": IDS,
    "n": NUMBERS,
    "name": NAMES,
    "day": DAYS,
    "tags": LISTS,
    "ok": FLAGS,
    "o": OBJECTS,
    "code": CODES,
}
KEY_WEIGHTS = {"id": 6, "n": 6, "name": 4, "day": 2, "tags": 2, "ok": 1, "o": 2, "code": 1}
ALL_VALUES = [value for pool in POOLS.values() for value in pool]
SPOKEN: list[Json] = [
    34,
    "34",
    120,
    "120",
    "1,200",
    1200,
    7,
    "D7",
    "D9",
    "007",
    "EU",
    "Porto",
    "12",
    5,
    "AUD-2023",
    Decimal("34.5"),
]
PHRASES = [
    "It is {a}.",
    "It is {a} and {b}.",
    "Total {a} units",
    "EU revenue was {a} million.",
    "Order {a} goes to {b}",
    "{a}-{b}",
    "From {a}, {b}, to Porto.",
    "{a}M for {b}",
    "No. {a}, dated 2025-03-14T11:30:00",
    "On 14 March at 11:30.",
    "up +{a} or -{b} percent",
    "({a}) {b}%",
    "x_{a} v{b} {a}",
    "1.2.3 then {a}, {b}",
    "{a}/{b} at 11:{b}",
    "a-{a} +{b}",
    "ends in {a}... or {b}?",
    "$ {a}-, #{b}",
    "Nothing found.",
    "Done",
]
PATHS = ["$.id", "$.n", "$.hits[0]", "$.hits[1]", "$.o.a", "$.text", "$.none", "$", "$.o.r.id", "$.hits"]


@dataclass(frozen=True)
class Mood:
    """What a record leans to: sources written down, each turn built on the one before, a mostly right agent."""

    annotate: bool
    linked: bool
    careful: bool


PLAIN = Mood(annotate=False, linked=False, careful=False)


def make_mood(rng: random.Random) -> Mood:
    """A mood."""
    linked = chance(rng, 0.4)
    return Mood(annotate=linked or chance(rng, 0.5), linked=linked, careful=chance(rng, 0.35))


def some_upstream(rng: random.Random, upstream: list[str], mood: Mood) -> list[str]:
    """A few earlier turns, the nearest ones where turns are linked; now and then none."""
    count = min(len(upstream), rng.choice([1, 1, 1, 2]) if mood.linked else rng.choice([0, 1, 1, 2]))
    return upstream[-count:] if mood.linked and count and chance(rng, 0.7) else rng.sample(upstream, count)


def chance(rng: random.Random, probability: float) -> bool:
    """True with a probability."""
    return rng.random() < probability


def phrase(rng: random.Random, values: list[Json] | None = None) -> str:
    """A sentence over the small vocabulary."""
    pool = values or SPOKEN
    return rng.choice(PHRASES).format(a=rng.choice(pool), b=rng.choice(pool))


def pick_keys(rng: random.Random, count: int) -> list[str]:
    """Distinct parameter names."""
    keys = list(KEY_WEIGHTS)
    picked: list[str] = []
    for key in rng.choices(keys, weights=list(KEY_WEIGHTS.values()), k=count):
        if key not in picked:
            picked.append(key)
    return picked


# --- golden ----------------------------------------------------------------------------------------------------------


def compare_for(rng: random.Random, key: str) -> Json:
    """A comparison that makes sense for the values of a key, or None for no word about it."""
    options: dict[str, list[Json]] = {
        "id": ["literal", "auto", {"as": "literal"}, "any"],
        "n": [
            "number",
            {"as": "number", "abs": 1},
            {"as": "number", "rel": Decimal("0.1")},
            {"as": "number", "abs": Decimal("0.5"), "rel": Decimal("0.01")},
            "literal",
            "any",
        ],
        "name": ["text", {"as": "text", "threshold": Decimal("0.7")}, "literal", "auto"],
        "day": ["date", {"as": "date"}],
        "tags": ["set", "list", "auto", "literal"],
        "ok": ["literal", "auto"],
        "o": ["object", "auto", "literal"],
        "code": ["literal", "auto", "any"],
    }
    return rng.choice(options[key])


def fitting(key: str, compare: Json) -> list[Json]:
    """The golden values of a key that a comparison can be asked about."""
    name = compare["as"] if isinstance(compare, dict) else compare
    pool = POOLS[key]
    if name == "date":
        return [value for value in pool if value != "14 March"]
    return pool


def make_param(rng: random.Random, key: str, upstream: list[str], *, mood: Mood, in_path: bool = True) -> Turn:
    """One golden parameter."""
    param: Turn = {}
    if in_path and mood.annotate and upstream and chance(rng, 0.35):
        param["ref"] = {"turn": (some_upstream(rng, upstream, mood) or upstream)[0], "path": rng.choice(PATHS)}
        if chance(rng, 0.1):
            param["from"] = [rng.choice(upstream)]
    else:
        compare = compare_for(rng, key) if chance(rng, 0.35) else None
        if key == "code" and chance(rng, 0.5):
            compare, pool = "regex", list(PATTERNS)
        elif key == "ok" and chance(rng, 0.3):
            compare, pool = "boolean", FLAGS[:2]
        elif key == "day" and compare is None:
            pool = POOLS[key]
        else:
            pool = fitting(key, compare)
        if compare is not None:
            param["compare"] = compare
        if compare == "any" and chance(rng, 0.6):
            pass
        elif chance(rng, 0.2):
            param["values"] = rng.sample(pool, 2)
        else:
            param["value"] = None if key != "name" and chance(rng, 0.03) else rng.choice(pool)
            if param["value"] is None:
                param.pop("compare", None)
        if in_path and mood.annotate and chance(rng, 0.6 if mood.linked else 0.35):
            param["from"] = some_upstream(rng, upstream, mood)
    if chance(rng, 0.2):
        param["required"] = chance(rng, 0.3)
    return param


def make_claim(rng: random.Random, upstream: list[str], mood: Mood) -> Turn:
    """One claim."""
    value = rng.choice(SPOKEN)
    claim: Turn = {"text": rng.choice([str(value), f"was {value}", f"{value} million", "Nothing found", "It is"])}
    if chance(rng, 0.65):
        claim["contains"] = [value] if chance(rng, 0.75) else [value, rng.choice(SPOKEN)]
    if chance(rng, 0.3):
        claim["excludes"] = rng.sample(SPOKEN, rng.choice([1, 1, 2]))
    if chance(rng, 0.2):
        claim["required"] = chance(rng, 0.3)
    if mood.annotate and chance(rng, 0.85 if mood.linked else 0.55):
        claim["from"] = some_upstream(rng, upstream, mood)
    return claim


def make_golden_turn(rng: random.Random, turn_id: str, upstream: list[str], mood: Mood) -> Turn:
    """One golden agent or tool turn."""
    turn: Turn = {"id": turn_id}
    if chance(rng, 0.68):
        turn["tool"] = rng.choice(TOOLS)
        action = rng.choice(ACTIONS)
        if action is not None or chance(rng, 0.2):
            turn["action"] = action
        keys = pick_keys(rng, rng.choice([0, 1, 1, 2, 2, 3]))
        turn["params"] = {key: make_param(rng, key, upstream, mood=mood) for key in keys}
        if chance(rng, 0.1):
            turn["extra"] = rng.choice(["allow", "forbid"])
        if chance(rng, 0.1):
            turn["allowed_extra"] = [rng.choice(["zz", "id", "n"])]
    else:
        turn["response"] = phrase(rng)
        if chance(rng, 0.6):
            claims = [make_claim(rng, upstream, mood) for _ in range(rng.choice([1, 1, 2, 3]))]
            for number, claim in enumerate(claims):
                if chance(rng, 0.5):
                    claim["id"] = f"c{number}"
            turn["claims"] = claims
    if mood.annotate and chance(rng, 0.5):
        turn["depends_on"] = make_depends_on(rng, upstream, mood)
    if chance(rng, 0.15):
        turn["optional"] = True
    if chance(rng, 0.25):
        turn["weight"] = rng.choice([0, 1, 2, 3, Decimal("0.5"), Decimal("0.1")])
    if chance(rng, 0.15):
        turn["critical"] = True
    return turn


def make_depends_on(rng: random.Random, upstream: list[str], mood: Mood) -> list[Json]:
    """Dependencies of the three kinds, short and long."""
    edges: list[Json] = []
    for other in some_upstream(rng, upstream, mood):
        kind = rng.choice(["state", "data", "control", None])
        if kind is None:
            edges.append(other if chance(rng, 0.7) else {"turn": other})
        else:
            edges.append({"turn": other, "kind": kind})
            if chance(rng, 0.1):
                edges.append({"turn": other, "kind": rng.choice(["state", "data", "control"])})
    return edges


def make_path(rng: random.Random, path_id: str, mood: Mood) -> Turn:
    """One golden path with its user turns and groups."""
    turns: list[Turn] = []
    ids: list[str] = []
    block: list[str] = []
    group: str | None = None
    if chance(rng, 0.85):
        turns.append(make_user(rng))
    for number in range(1, rng.choice([1, 2, 3, 3, 4, 4, 5, 5, 6, MAX_GOLDEN]) + 1):
        if number > 1 and chance(rng, 0.15):
            turns.append(make_user(rng))
            block, group = [], group if chance(rng, 0.5) else None
        if group is not None and (len(block) >= 3 or chance(rng, 0.35)):
            block, group = [], None
        if group is None and chance(rng, 0.25):
            block, group = [], rng.choice(["q", "w"]) + str(number if chance(rng, 0.7) else 0)
        upstream = [other for other in ids if other not in block]
        turn = make_golden_turn(rng, f"g{number}", upstream, mood)
        if group is not None:
            turn["group"] = group
            block.append(turn["id"])
        elif block:
            block = []
        ids.append(turn["id"])
        turns.append(turn)
    if chance(rng, 0.05):
        turns.append(make_user(rng))
    clear_group_dependencies(turns)
    return {"id": path_id, "turns": turns}


def make_user(rng: random.Random) -> Turn:
    """A user turn, sometimes with an id of its own."""
    turn: Turn = {"user": rng.choice(["Go", "And 34?", "Order 12 for EU", phrase(rng)])}
    if chance(rng, 0.1):
        turn["id"] = f"u{rng.randrange(10**6)}"
    return turn


def blocks_of(turns: list[Turn]) -> dict[str, int]:
    """The block of each turn: neighbours with one group name and no user turn between."""
    blocks: dict[str, int] = {}
    previous: str | None = None
    number = 0
    for turn in turns:
        if "user" in turn:
            previous = None
            continue
        if turn.get("group") is None or turn.get("group") != previous:
            number += 1
        blocks[turn["id"]] = number
        previous = turn.get("group")
    return blocks


def clear_group_dependencies(turns: list[Turn]) -> None:
    """Drop what would point into a turn's own block or to a later or vanished turn."""
    blocks = blocks_of(turns)
    earlier: list[str] = []
    for turn in turns:
        if "user" in turn:
            continue
        legal = {other for other in earlier if blocks[other] != blocks[turn["id"]]}
        if "depends_on" in turn:
            turn["depends_on"] = [e for e in turn["depends_on"] if (e["turn"] if isinstance(e, dict) else e) in legal]
        for part in [*turn.get("params", {}).values(), *turn.get("claims", [])]:
            if "from" in part:
                part["from"] = [other for other in part["from"] if other in legal]
            if "ref" in part and part["ref"]["turn"] not in legal:
                del part["ref"]
                part["value"] = "D7"
        earlier.append(turn["id"])


def make_variant(rng: random.Random, path: Turn, path_id: str, mood: Mood) -> Turn:
    """Another accepted path: fresh, or the first with a turn dropped, two swapped, or something made optional."""
    if chance(rng, 0.3):
        return make_path(rng, path_id, mood)
    variant = {"id": path_id, "turns": copy.deepcopy(path["turns"])}
    turns = variant["turns"]
    agents = [n for n, turn in enumerate(turns) if "user" not in turn]
    if len(agents) > 1 and chance(rng, 0.5):
        del turns[rng.choice(agents)]
    elif len(agents) > 1:
        first, second = rng.sample(agents, 2)
        turns[first], turns[second] = turns[second], turns[first]
    for turn in turns:
        if "user" not in turn and chance(rng, 0.1):
            turn["optional"] = not turn.get("optional", False)
    clear_group_dependencies(turns)
    return variant


# --- trajectory ------------------------------------------------------------------------------------------------------


def values_in(value: Json) -> list[Json]:
    """Scalars of a value, for handing on."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in values_in(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in values_in(part)]
    return [] if value is None else [value]


def make_result(rng: random.Random, asked: list[str] | None = None) -> Json:
    """What a call returned: an object most of the time, with the keys that later turns ask for in most cases."""
    kind = rng.random() + (0.1 if asked else 0)
    if kind < 0.1:
        return phrase(rng)
    if kind < 0.15:
        return rng.choice([None, [], {}, "", [rng.choice(IDS)], rng.choice(NUMBERS), "{not json", True])
    result: Turn = {}
    makers: dict[str, Callable[[], Json]] = {
        "id": lambda: rng.choice(IDS),
        "n": lambda: rng.choice(NUMBERS),
        "text": lambda: phrase(rng, [*SPOKEN, *SPOKEN, "ab"]) if chance(rng, 0.95) else '{"id": "D7", "n": 34}',
        "hits": lambda: [rng.choice(ALL_VALUES) for _ in range(rng.choice([0, 1, 2]))],
        "o": lambda: rng.choice(OBJECTS),
        "none": lambda: None,
        "name": lambda: rng.choice(NAMES),
    }
    wanted = [key for key in asked or [] if key in makers and chance(rng, 0.8)]
    for key in dict.fromkeys(wanted + rng.sample(sorted(makers), rng.choice([1, 2, 3, 4]))):
        result[key] = copy.deepcopy(makers[key]())
    return jsonio.dumps(result) if chance(rng, 0.1) else result


def respell(rng: random.Random, value: Json) -> Json:
    """The same value written otherwise, as some comparisons forgive and others do not."""
    if isinstance(value, str):
        lower = value if value.startswith("2025") else value.lower()  # whether "t" and "z" are ISO 8601 is left open
        return rng.choice([value.upper(), f" {value}", lower])
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.choice([str(value), Decimal(f"{value}.0"), f"{value}.00", f"{value:,}"])
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list):
        return value[::-1]
    return value


def make_arg(rng: random.Random, key: str, param: Turn, returned: dict[str, Json], mood: Mood) -> Json:
    """An argument for a golden parameter: right, respelled, handed on from an earlier result, or wrong."""
    handed = [leaf for result in returned.values() for leaf in values_in(result)]
    if (
        "ref" in param
        and param["ref"]["turn"] in returned
        and chance(rng, 0.9 if mood.careful or mood.linked else 0.65)
    ):
        found = follow(returned[param["ref"]["turn"]], param["ref"]["path"])
        if found is not None:
            return respell(rng, found) if chance(rng, 0.2) else copy.deepcopy(found)
    accepted = param.get("values", [param["value"]] if "value" in param else [])
    kind = rng.random()
    if accepted and kind < (0.97 if mood.careful else 0.55):
        value = copy.deepcopy(rng.choice(accepted))
        if isinstance(param.get("compare"), str) and param["compare"] == "regex":
            return rng.choice(CODES)
        return respell(rng, value) if chance(rng, 0.1 if mood.careful else 0.25) else value
    if handed and kind < 0.75:
        return rng.choice(handed) if chance(rng, 0.85) else rng.sample(handed, min(2, len(handed)))
    if kind < 0.95:
        return copy.deepcopy(rng.choice(POOLS[key]))
    return copy.deepcopy(rng.choice([None, "", [], {}, *ALL_VALUES]))


def follow(result: Json, path: str) -> Json:
    """What stands at one of PATHS, as an agent would read it, or None."""
    if isinstance(result, str) and result.startswith("{"):
        try:
            result = jsonio.loads(result)
        except jsonio.JsonError:
            return None
    for step in path.replace("[", ".").replace("]", "").split(".")[1:]:
        if isinstance(result, dict):
            result = result.get(step)
        elif isinstance(result, list) and step.isdecimal() and int(step) < len(result):
            result = result[int(step)]
        else:
            return None
    return result


def make_call(
    rng: random.Random, golden: Turn, returned: dict[str, Json], mood: Mood, keys: list[str] | None = None
) -> Turn:
    """A call that answers a golden one, more or less."""
    right = 0.99 if mood.careful else 0.93
    call: Turn = {"tool": golden["tool"] if chance(rng, right) else rng.choice(TOOLS)}
    action = golden.get("action") if chance(rng, right) else rng.choice(ACTIONS)
    if action is not None or chance(rng, 0.2):
        call["action"] = action
    args: Turn = {}
    for key, param in golden["params"].items():
        drop = (0.02 if mood.careful else 0.12) if param.get("required", True) else 0.5
        if not chance(rng, drop):
            args[key] = make_arg(rng, key, param, returned, mood)
    if chance(rng, 0.03 if mood.careful else 0.15):
        key = rng.choice(["zz", "id", "n", "limit"])
        handed = [leaf for result in returned.values() for leaf in values_in(result)]
        args.setdefault(key, rng.choice(handed) if handed and chance(rng, 0.5) else rng.choice(ALL_VALUES))
    call["args"] = args
    kind = rng.random()
    if kind < 0.08:
        call["args"] = jsonio.dumps(args)
    elif kind < 0.11:
        call["args"] = rng.choice(['{"id": ', "7", "[1]", [1], None, "null"])
    elif kind < 0.13:
        del call["args"]
    if chance(rng, 0.95 if mood.linked else 0.85):
        call["result"] = make_result(rng, keys)
    if chance(rng, 0.12):
        call["error"] = rng.choice([True, "timeout", {"code": 1}, False, "", None])
    return call


def make_reply(rng: random.Random, golden: Turn, returned: dict[str, Json], mood: Mood) -> str:
    """A reply that answers a golden one, more or less, with what earlier calls returned."""
    handed = [leaf for result in returned.values() for leaf in values_in(result)]
    kind = rng.random()
    claims = golden.get("claims") or []
    if kind < (0.9 if mood.careful and not claims else 0.3):
        text: str = golden["response"]
        return str(respell(rng, text)) if chance(rng, 0.3) else text
    if claims and kind < (0.9 if mood.careful else 0.6):
        parts = [str(v) for claim in claims for v in claim.get("contains", [claim["text"]]) if chance(rng, 0.85)]
        if handed and chance(rng, 0.3):
            parts.append(str(rng.choice(handed)))
        if chance(rng, 0.25):
            parts.append(str(rng.choice([*SPOKEN, 87, 2025, 14])))
        return rng.choice([" and ", ", ", "; "]).join(parts) + rng.choice(["", ".", "!"])
    if handed and kind < 0.85:
        return phrase(rng, handed if chance(rng, 0.7) else handed + SPOKEN)
    return phrase(rng)


def asked_keys(path: Turn) -> dict[str, list[str]]:
    """For each golden turn the keys of its result that refs ask for."""
    asked: dict[str, list[str]] = {}
    for turn in path["turns"]:
        for param in turn.get("params", {}).values():
            if "ref" in param:
                key = param["ref"]["path"].replace("[", ".").removeprefix("$.").split(".")[0]
                asked.setdefault(param["ref"]["turn"], []).append(key)
    return asked


def make_turns(rng: random.Random, path: Turn, mood: Mood) -> list[Turn]:
    """A trajectory that follows a path, with what goes wrong on the way."""
    turns: list[Turn] = []
    returned: dict[str, Json] = {}
    asked = asked_keys(path)
    for golden in path["turns"]:
        if "user" in golden:
            if chance(rng, 0.93):
                turns.append({"user": golden["user"]})
            continue
        if chance(rng, 0.4 if golden.get("optional") else 0.02 if mood.careful else 0.08):
            continue
        if "tool" in golden:
            if chance(rng, 0.1):
                turns.append(make_call(rng, golden, returned, mood, asked.get(golden["id"])))
            call = (
                make_call(rng, golden, returned, mood, asked.get(golden["id"]))
                if chance(rng, 0.97)
                else {"response": phrase(rng)}
            )
            turns.append(call)
            if call.get("result") is not None:
                returned[golden["id"]] = call["result"]
            if chance(rng, 0.05):
                turns.append(copy.deepcopy(call))
        else:
            turns.append({"response": make_reply(rng, golden, returned, mood)})
            returned[golden["id"]] = turns[-1]["response"]
        if chance(rng, 0.05):
            turns.append({"tool": rng.choice([*TOOLS, "weather"]), "args": {}, "result": make_result(rng)})
        if chance(rng, 0.02):
            turns.append({"user": phrase(rng)})
    if len(turns) > 1 and chance(rng, 0.2):
        at = rng.randrange(len(turns) - 1)
        turns[at], turns[at + 1] = turns[at + 1], turns[at]
    return turns[:MAX_OBSERVED]


# --- records ---------------------------------------------------------------------------------------------------------


def make_pattern(rng: random.Random, path: Turn) -> Turn:
    """A call pattern that is likely to meet a call of the trajectory."""
    actions = [turn for turn in path["turns"] if "tool" in turn]
    pattern: Turn = {"tool": rng.choice(actions)["tool"] if actions and chance(rng, 0.7) else rng.choice(TOOLS)}
    if chance(rng, 0.3):
        pattern["action"] = rng.choice(ACTIONS)
    if chance(rng, 0.6):
        keys = pick_keys(rng, rng.choice([1, 1, 2]))
        pattern["params"] = {key: make_param(rng, key, [], mood=PLAIN, in_path=False) for key in keys}
    return pattern


def make_outcome(rng: random.Random, path: Turn) -> Turn:
    """One outcome assertion of any kind."""
    kind = rng.choice(["said", "not_said", "called", "called", "state", "state", "statement"])
    assertion: Turn = {"kind": kind}
    if kind in {"said", "not_said"}:
        assertion["contains"] = rng.sample(SPOKEN, rng.choice([1, 1, 2]))
    elif kind == "called":
        assertion |= make_pattern(rng, path)
        if chance(rng, 0.4):
            assertion["times"] = rng.choice([0, 1, 1, 2])
    elif kind == "state":
        assertion["path"] = rng.choice(PATHS)
        key = rng.choice(["id", "n", "name"])
        kind_of_value = rng.random()
        if kind_of_value < 0.5:
            assertion["value"] = rng.choice(POOLS[key])
        elif kind_of_value < 0.7:
            assertion["values"] = rng.sample(POOLS[key], 3)
        if "path" in assertion and kind_of_value < 0.7 and chance(rng, 0.3):
            assertion["compare"] = rng.choice(["literal", "auto", "any"])
    else:
        assertion["text"] = "The customer was treated well"
    if chance(rng, 0.3):
        assertion["id"] = f"o{rng.randrange(10**6)}"
    return assertion


def make_policy(rng: random.Random) -> Turn:
    """A policy; the scorer is always the exact one."""
    policy: Turn = {"scorer": "exact"}
    if chance(rng, 0.15):
        policy["alignment"] = "given"
    elif chance(rng, 0.2):
        policy["alignment"] = "search"
    if chance(rng, 0.25):
        policy["default_dependencies"] = rng.choice(["linear", "none"])
    if chance(rng, 0.25):
        policy["taint"] = chance(rng, 0.4)
    if chance(rng, 0.3):
        policy["extra_writes"] = rng.choice(["fail", "fail", "report"])
    if chance(rng, 0.4):
        policy["composition"] = {"rule": rng.choice(["unweighted", "weighted", "gated"])}
        if chance(rng, 0.5):
            policy["composition"]["cap"] = rng.choice([0, Decimal("0.25"), Decimal("0.5"), 1])
    if chance(rng, 0.25):
        policy["params"] = {}
        for tool in rng.sample(TOOLS, 2):
            settings: Turn = {}
            for key in pick_keys(rng, 2):
                if key != "day":
                    settings[key] = {"compare": compare_for(rng, key)}
                if chance(rng, 0.2):
                    settings.setdefault(key, {})["threshold"] = Decimal("0.6")
            policy["params"][tool] = settings
    if chance(rng, 0.1):
        policy |= {"threshold": Decimal("0.5"), "margin": Decimal("0.1")}
    return policy


def make_record(rng: random.Random) -> Turn:
    """One valid ``aem/1`` record."""
    mood = make_mood(rng)
    path = make_path(rng, "main", mood)
    paths = [path]
    while len(paths) < 3 and chance(rng, 0.2):
        paths.append(make_variant(rng, path, f"p{len(paths)}", mood))
    if chance(rng, 0.5):
        rng.shuffle(paths)
    followed = rng.choice(paths)
    golden: Turn = {"paths": paths}
    if chance(rng, 0.25):
        golden["forbidden"] = [make_pattern(rng, followed) for _ in range(rng.choice([1, 1, 2]))]
    if chance(rng, 0.4):
        golden["outcome"] = [make_outcome(rng, followed) for _ in range(rng.choice([1, 2, 3]))]
    trajectory: Turn = {"turns": make_turns(rng, followed, mood), "agent": "demo"}
    if chance(rng, 0.6):
        result = make_result(rng)
        trajectory["final_state"] = {} if isinstance(result, str) else result
    record = {
        "format": "aem/1",
        "id": f"r{rng.randrange(10**9)}",
        "golden": golden,
        "trajectory": trajectory,
        "policy": make_policy(rng),
    }
    if chance(rng, 0.6):
        record["tools"] = {tool: {"effect": rng.choice(["read", "write"])} for tool in rng.sample(TOOLS, 2)}
    return record


def make_cascade(rng: random.Random) -> Turn:
    """A record that starts with a wrong call, on whose result calls and replies are built, truly or not."""
    seen: list[Json] = []
    annotate = chance(rng, 0.75)
    goldens: list[Turn] = [{"user": "Go"}]
    turns: list[Turn] = [{"user": rng.choice(["Go", "What of 99?", "Is a45 or 0046 mine?"])}]
    if chance(rng, 0.2):
        turns.append({"response": rng.choice(["I see 45", "Of 46.", "x99y"])})
    last = rng.choice([2, 3, 3, 4, 5])
    for number in range(1, last + 1):
        sources = [f"g{n}" for n in range(1, number)]
        source = rng.choice([sources[-1], sources[0], rng.choice(sources)]) if sources else None
        golden: Turn = {"id": f"g{number}"}
        if number > 1 and (number == last or chance(rng, 0.3)):
            observed = reply_in_cascade(rng, golden, source if annotate else None, seen)
        else:
            observed = call_in_cascade(rng, golden, source if annotate else None, seen)
            if chance(rng, 0.9):
                observed["result"] = make_result(rng, ["id", "n", "text"])
                seen += values_in(observed["result"])
            if chance(rng, 0.1):
                observed["error"] = "timeout"
            if chance(rng, 0.15):
                observed["args"] |= {"zz": rng.choice([45, "46", "no 99"])}
                golden["extra"] = "allow"
        if annotate and source and chance(rng, 0.5):
            kind = rng.choice(["state", "data", "control"])
            golden["depends_on"] = [rng.choice([source, {"turn": source, "kind": kind}])]
        goldens.append(golden)
        if chance(rng, 0.95):
            turns.append(observed)
    return {
        "format": "aem/1",
        "id": f"r{rng.randrange(10**9)}",
        "golden": {"paths": [{"id": "main", "turns": goldens}]},
        "trajectory": {"turns": turns},
        "policy": make_policy(rng),
    }


def call_in_cascade(rng: random.Random, golden: Turn, source: str | None, seen: list[Json]) -> Turn:
    """Fill in a golden call; its value may be what was seen, may be left out, may be invented."""
    key = rng.choice(["id", "n", "code"])
    value = rng.choice(seen) if seen and chance(rng, 0.3) else rng.choice(POOLS[key])
    golden |= {"tool": rng.choice(TOOLS), "params": {key: {"value": value}}}
    if source and chance(rng, 0.3):
        golden["params"] = {key: {"ref": {"turn": source, "path": rng.choice(["$.id", "$.n", "$.text"])}}}
    if source and chance(rng, 0.5):
        golden["params"][key]["from"] = [source]
    kind = rng.random()
    pool = seen if seen and kind < 0.5 else SPOKEN if kind < 0.75 else POOLS[key]
    args = {} if kind < 0.12 else {key: rng.choice(pool)}
    if chance(rng, 0.1):
        args["zz"] = rng.choice(seen or IDS)
    return {"tool": golden["tool"], "args": args}


def reply_in_cascade(rng: random.Random, golden: Turn, source: str | None, seen: list[Json]) -> Turn:
    """Fill in a golden reply; what is said instead may be what was seen, with or without an invention."""
    telling = [v for v in seen if v != "" and not isinstance(v, bool)]
    value = rng.choice(telling) if telling and chance(rng, 0.3) else rng.choice(SPOKEN)
    golden["response"] = phrase(rng, [value])
    if chance(rng, 0.6):
        claim: Turn = {"text": f"was {value}"}
        if chance(rng, 0.7):
            claim["contains"] = [value]
        if chance(rng, 0.3):
            claim["excludes"] = [rng.choice(telling or SPOKEN)]
        if source and chance(rng, 0.7):
            claim["from"] = [source]
        golden["claims"] = [claim]
    said = phrase(rng, telling or SPOKEN)
    if chance(rng, 0.5):
        said += rng.choice([" Also 87.", " In 2025, too", " By 14 and 30", " It was -12", " see 301260", " code 34"])
    if chance(rng, 0.3):
        said += f" or {rng.choice([99, 10, 11, 2, -3, 45, 46, '45.0', '0.45', value])}"
    return {"response": said}


def make_matching(rng: random.Random) -> Turn:
    """A record that is all about who answers whom: few tools and values, groups, repeats, errors, user turns."""
    tools, values = TOOLS[: rng.choice([1, 1, 2, 3])], ["D7", "D9", 34]
    goldens: list[Turn] = []
    group = rng.choice(["q", "q", "w", None])
    for number in range(1, rng.choice([2, 3, 4, 5, 6]) + 1):
        if chance(rng, 0.15):
            goldens.append({"user": "Go"})
        golden: Turn = {"id": f"g{number}"}
        if chance(rng, 0.8):
            keys = rng.sample(["id", "n"], rng.choice([0, 0, 1, 1, 2]))
            golden |= {"tool": rng.choice(tools), "params": {key: {"value": rng.choice(values)} for key in keys}}
            if chance(rng, 0.4):
                golden["action"] = rng.choice(["X", "Y"])
            if chance(rng, 0.3):
                golden["allowed_extra"] = [rng.choice(["id", "n"])]
        else:
            golden["response"] = rng.choice(["It is D7", "It is 34"])
            if chance(rng, 0.6):
                golden["claims"] = [{"text": str(value)} for value in rng.sample(values, rng.choice([1, 1, 2]))]
            if chance(rng, 0.3):
                golden.setdefault("claims", []).append({"text": "no", "excludes": [rng.choice(values)]})
        if chance(rng, 0.25):
            group = rng.choice(["q", "w", None])
        if group is not None:
            golden["group"] = group
        if chance(rng, 0.2):
            golden["optional"] = True
        goldens.append(golden)
    if chance(rng, 0.6):
        turns = answers_in_some_order(rng, goldens)
    else:
        answers = [answer_to(rng, rng.choice(goldens)) for _ in range(rng.choice([1, 2, 3, 4, 5, 6, 7, MAX_OBSERVED]))]
        turns = [{"user": "Go"} if chance(rng, 0.12) else answer for answer in answers]
    for turn in turns:
        if "tool" in turn and chance(rng, 0.15):
            turn["error"] = True
    policy: Turn = {"scorer": "exact"}
    if chance(rng, 0.3):
        policy["alignment"] = "given"
    return {
        "format": "aem/1",
        "id": f"r{rng.randrange(10**9)}",
        "golden": {"paths": [{"id": "main", "turns": goldens}]},
        "trajectory": {"turns": turns},
        "policy": policy,
    }


def answer_to(rng: random.Random, golden: Turn) -> Turn:
    """A right answer to a golden turn of make_matching, or one that comes near."""
    if "user" in golden:
        return {"user": "Go"}
    if "response" in golden:
        said = " ".join(claim["text"] for claim in golden.get("claims", [])) or golden["response"]
        return {"response": rng.choice([said, said, "It is D7", "It is D7 and 34", "D9"])}
    args = {key: param["value"] for key, param in golden["params"].items()}
    answer: Turn = {"tool": golden["tool"], "args": args}
    if "action" in golden:
        answer["action"] = golden["action"]
    if chance(rng, 0.2):
        args[rng.choice(["id", "n", "zz"])] = rng.choice(["D7", "D9", 34])
    if args and chance(rng, 0.1):
        del args[rng.choice(sorted(args))]
    if chance(rng, 0.15):
        answer["action"] = rng.choice(["X", "Y"])
    return answer


def answers_in_some_order(rng: random.Random, goldens: list[Turn]) -> list[Turn]:
    """Answers to all golden turns, neighbours swapped, a few left out or said twice."""
    turns = [answer_to(rng, golden) for golden in goldens for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2]))]
    for at in range(len(turns) - 1):
        if chance(rng, 0.35):
            turns[at], turns[at + 1] = turns[at + 1], turns[at]
    return turns[:MAX_OBSERVED]


def make_comparisons(rng: random.Random) -> Turn:
    """A record that is all about values: every key at once, compared in every way, respelled and confused."""
    goldens: list[Turn] = []
    turns: list[Turn] = []
    mood = Mood(annotate=False, linked=False, careful=chance(rng, 0.5))
    for number in range(1, rng.choice([1, 2, 3]) + 1):
        golden: Turn = {"id": f"g{number}", "tool": rng.choice(TOOLS), "params": {}}
        for key in rng.sample(sorted(POOLS), rng.choice([3, 5, 8])):
            golden["params"][key] = make_param(rng, key, [], mood=mood)
        call = make_call(rng, golden, {}, mood)
        if isinstance(call.get("args"), dict):
            for key in call["args"]:
                if key in POOLS and chance(rng, 0.4):
                    call["args"][key] = rng.choice([*POOLS[key], respell(rng, rng.choice(POOLS[key]))])
        goldens.append(golden)
        turns.append(call)
    policy = make_policy(rng)
    if chance(rng, 0.5):
        settings = {key: {"compare": compare_for(rng, key)} for key in POOLS if key != "day" and chance(rng, 0.5)}
        policy["params"] = dict.fromkeys(TOOLS, settings)
    return {
        "format": "aem/1",
        "id": f"r{rng.randrange(10**9)}",
        "golden": {"paths": [{"id": "main", "turns": goldens}]},
        "trajectory": {"turns": turns},
        "policy": policy,
    }


def make_sayings(rng: random.Random) -> Turn:
    """A record that is all about what appears in a text: many claims beside long replies full of odd numbers."""
    goldens: list[Turn] = []
    turns: list[Turn] = []
    values = [*SPOKEN, *NAMES, -12, 0, 11, "-34", "+34", "1.2.3", "34.50", "34M", "a-b", "(34)", "%", "34%"]
    for number in range(1, rng.choice([1, 2]) + 1):
        claims: list[Turn] = []
        for _ in range(rng.choice([2, 4, 6])):
            claim: Turn = {"text": str(rng.choice(values))}
            if chance(rng, 0.7):
                claim[rng.choice(["contains", "contains", "excludes"])] = [rng.choice(values)]
            claims.append(claim)
        goldens.append({"id": f"g{number}", "response": "x", "claims": claims})
        parts = [phrase(rng, values) for _ in range(rng.choice([1, 2, 3]))]
        joint = rng.choice([" ", "; ", ".", ",", "-", "+", ".-", "_", "\n", ", ", ". "])
        turns.append({"response": joint.join(parts)})
    outcome: list[Turn] = [
        {"kind": rng.choice(["said", "not_said"]), "contains": rng.sample(values, rng.choice([1, 2]))} for _ in range(3)
    ]
    return {
        "format": "aem/1",
        "id": f"r{rng.randrange(10**9)}",
        "golden": {"paths": [{"id": "main", "turns": goldens}], "outcome": outcome},
        "trajectory": {"turns": turns},
        "policy": {"scorer": "exact"},
    }


def make_native(rng: random.Random) -> list[Turn]:
    """A dialog in AEM's published format."""
    mood = make_mood(rng)
    path = make_path(rng, "main", mood)
    offset = rng.choice([0, 0, 0, 3])
    dialog: list[Turn] = []
    returned: dict[str, Json] = {}
    numbers: list[int] = []
    for golden in [turn for turn in path["turns"] if "user" not in turn]:
        number = len(dialog) + 1 + offset
        entry: Turn = {"turn_no": number}
        if "tool" in golden:
            golden["params"] = {
                key: {"value": copy.deepcopy(rng.choice(POOLS[key])) if chance(rng, 0.98) else None}
                for key in golden["params"]
            }
            args = {key: param["value"] for key, param in golden["params"].items()}
            entry |= {"turn": "Tool", "gold_turn": {"tool_id": golden["tool"], "args": args}}
            if golden.get("action") is not None:
                entry["gold_turn"]["action"] = golden["action"]
        else:
            golden.pop("claims", None)
            entry |= {"turn": "Agent", "gold_turn": {"response": golden["response"]}}
        if not chance(rng, 0.08):
            asked = golden if "tool" in golden else {"tool": "find", "params": {}}
            if ("tool" in golden) == chance(rng, 0.95):
                call = make_call(rng, asked, returned, mood)
                entry["predict_turn"] = {"tool_id": call.pop("tool"), **call}
                if call.get("result") is not None:
                    returned[golden["id"]] = call["result"]
            else:
                reply_to = golden if "response" in golden else {"response": "Done"}
                entry["predict_turn"] = {"response": make_reply(rng, reply_to, returned, mood)}
        if "group" in golden:
            entry["tags"] = [*rng.choice([["x"], []]), f"OrderInvariant_{golden['group']}"]
        elif chance(rng, 0.1):
            entry["tags"] = ["OrderSensitive", "y"]
        dialog.append(entry)
        block = trailing_block(dialog)
        if mood.annotate and chance(rng, 0.5):
            legal = [other for other in numbers if other < number - len(block) + 1]
            entry["depends_on"] = sorted(rng.sample(legal, min(len(legal), rng.choice([0, 1, 1, 2]))))
        numbers.append(number)
    if len(dialog) > 1 and chance(rng, 0.15):
        first, second = rng.sample(dialog, 2)
        first["predict_turn"], second["predict_turn"] = second.get("predict_turn", {}), first.get("predict_turn", {})
    return dialog


def trailing_block(dialog: list[Turn]) -> list[Turn]:
    """The last entries that share one group tag; one entry where the last has none."""
    tags = [[tag for tag in entry.get("tags", []) if tag.startswith("OrderInvariant_")] for entry in dialog]
    size = 1
    while tags[-1] and size < len(dialog) and tags[-size - 1][:1] == tags[-1][:1]:
        size += 1
    return dialog[-size:]


# --- records that must be refused ------------------------------------------------------------------------------------


def an_action(record: Turn) -> Turn:
    """A golden action of the first path to break something in; the path gets one at its end where it has none."""
    turns: list[Turn] = record["golden"]["paths"][0]["turns"]
    for turn in turns:
        if "tool" in turn:
            return turn
    turns.append({"id": "added", "tool": "find", "params": {}})
    return turns[-1]


def agent_turns(record: Turn) -> list[Turn]:
    """The agent and tool turns of the first path."""
    return [turn for turn in record["golden"]["paths"][0]["turns"] if "user" not in turn]


def point_at(rng: random.Random, record: Turn, turn: Turn, target: str) -> None:
    """Make a turn name another as dependency, as source or by ref."""
    how = rng.choice(["depends_on", "depends_on", "from", "ref", "claim"])
    if how == "claim" and "response" in turn:
        turn.setdefault("claims", []).append({"id": "pointing", "text": "x", "from": [target]})
    elif how in {"from", "ref"} and "tool" in turn:
        param: Turn = {"value": 7, "from": [target]} if how == "from" else {"ref": {"turn": target, "path": "$.id"}}
        turn["params"]["pointing"] = param
    else:
        edge = rng.choice([target, {"turn": target, "kind": rng.choice(["state", "data", "control"])}])
        turn.setdefault("depends_on", []).append(edge)


def break_no_turns(rng: random.Random, record: Turn) -> None:
    """A path without agent or tool turns."""
    record["golden"]["paths"].append({"id": "empty", "turns": rng.choice([[], [{"user": "Go"}]])})


def break_no_id(rng: random.Random, record: Turn) -> None:
    """An agent or tool turn without an id."""
    turn = {"tool": "find", "params": {}} if chance(rng, 0.5) else {"response": "Hello"}
    record["golden"]["paths"][0]["turns"].append(turn)


def break_id_twice(rng: random.Random, record: Turn) -> None:
    """An id twice in a path."""
    turn = {"id": rng.choice(agent_turns(record))["id"]}
    turn |= rng.choice([{"tool": "find", "params": {}}, {"response": "Hello"}, {"user": "Hello"}])
    record["golden"]["paths"][0]["turns"].append(turn)


def break_path_twice(rng: random.Random, record: Turn) -> None:
    """A path id twice."""
    record["golden"]["paths"].append(copy.deepcopy(record["golden"]["paths"][0]))


def break_claim_twice(rng: random.Random, record: Turn) -> None:
    """A claim id twice, written out or by its position."""
    claims = rng.choice(
        [
            [{"id": "c", "text": "x"}, {"id": "c", "text": "y"}],
            [{"id": "claim2", "text": "x"}, {"text": "y"}],
        ]
    )
    record["golden"]["paths"][0]["turns"].append({"id": "twice", "response": "x", "claims": claims})


def break_outcome_twice(rng: random.Random, record: Turn) -> None:
    """An outcome id twice, written out or by its position."""
    said: Turn = {"kind": "said", "contains": ["x"]}
    record["golden"]["outcome"] = rng.choice(
        [[said | {"id": "o"}, said | {"id": "o"}], [said | {"id": "outcome2"}, said]]
    )


def break_turn_kind(rng: random.Random, record: Turn) -> None:
    """A golden turn of no known kind."""
    record["golden"]["paths"][0]["turns"].append({"id": "odd", "says": "Hello"})


def break_kind(rng: random.Random, record: Turn) -> None:
    """An unknown kind of assertion or dependency."""
    if chance(rng, 0.5):
        record["golden"]["outcome"] = [{"kind": "thought", "contains": ["x"]}]
    else:
        target = agent_turns(record)[0]["id"]
        edge = {"turn": target, "kind": "flavour"}
        record["golden"]["paths"][0]["turns"] += [{"user": "And"}, {"id": "new", "response": "x", "depends_on": [edge]}]


def break_compare(rng: random.Random, record: Turn) -> None:
    """An unknown comparison in a field, a policy, a state, a forbidden call or an asked-for one."""
    odd = rng.choice(["fuzzy", {"as": "fuzzy"}])
    where = rng.randrange(5)
    if where == 0:
        an_action(record)["params"]["odd"] = {"value": 1, "compare": odd}
    elif where == 1:
        record["policy"].setdefault("params", {})["find"] = {"id": {"compare": odd}}
    elif where == 2:
        record["golden"]["outcome"] = [{"kind": "state", "path": "$.a", "value": 1, "compare": odd}]
    elif where == 3:
        record["golden"]["forbidden"] = [{"tool": "find", "params": {"id": {"value": 1, "compare": odd}}}]
    else:
        record["golden"]["outcome"] = [{"kind": "called", "tool": "x", "params": {"id": {"value": 1, "compare": odd}}}]


def break_path_text(rng: random.Random, record: Turn) -> None:
    """A malformed path in a ref or a state."""
    bad = rng.choice(["id", "$id", "$.", "$.a..b", "$.a[", "$.a[x]", "$.a[1", "", "$[]", "a.b", "$.a."])
    if chance(rng, 0.4):
        record["golden"]["outcome"] = [{"kind": "state", "path": bad, "value": 1}]
    else:
        target = agent_turns(record)[0]["id"]
        turn = {"id": "new", "tool": "find", "params": {"id": {"ref": {"turn": target, "path": bad}}}}
        record["golden"]["paths"][0]["turns"] += [{"user": "And"}, turn]


def break_nan(rng: random.Random, record: Turn) -> None:
    """NaN where a number may stand."""
    nan = rng.choice([float("nan"), Decimal("NaN"), float("inf")])
    where = rng.randrange(4)
    if where == 0:
        an_action(record)["params"]["odd"] = {"value": nan}
    elif where == 1:
        an_action(record)["weight"] = nan
    elif where == 2:
        record["trajectory"]["turns"].append({"tool": "find", "args": {"a": [nan]}})
    else:
        record["trajectory"]["turns"].append({"tool": "find", "args": {}, "result": {"a": {"b": nan}}})


def break_unknown_turn(rng: random.Random, record: Turn) -> None:
    """A dependency, source or ref on a turn that is not there."""
    point_at(rng, record, rng.choice(agent_turns(record)), "nowhere")


def break_user_turn(rng: random.Random, record: Turn) -> None:
    """A dependency, source or ref on a user turn."""
    turn: Turn = {"id": "new"}
    turn |= {"tool": "find", "params": {}} if chance(rng, 0.5) else {"response": "x"}
    record["golden"]["paths"][0]["turns"] += [{"id": "asked", "user": "And"}, turn]
    point_at(rng, record, turn, "asked")


def break_own_turn(rng: random.Random, record: Turn) -> None:
    """A dependency, source or ref of a turn on itself."""
    turn = rng.choice(agent_turns(record))
    point_at(rng, record, turn, turn["id"])


def break_later_turn(rng: random.Random, record: Turn) -> None:
    """A dependency, source or ref on a later turn."""
    record["golden"]["paths"][0]["turns"] += [{"user": "And"}, {"id": "late", "response": "x"}]
    point_at(rng, record, rng.choice(agent_turns(record)[:-1]), "late")


def break_group_turn(rng: random.Random, record: Turn) -> None:
    """A dependency, source or ref on a turn of the same group."""
    pair: list[Turn] = [
        {"id": "one", "tool": "find", "params": {}, "group": "tight"},
        {"id": "two", "tool": "book", "params": {}, "group": "tight"},
    ]
    if chance(rng, 0.3):
        pair.insert(1, {"id": "between", "response": "x", "group": "tight"})
    record["golden"]["paths"][0]["turns"] += pair
    point_at(rng, record, pair[-1], "one")


def break_values(rng: random.Random, record: Turn) -> None:
    """A wrong combination of value, values and ref."""
    ref = {"turn": agent_turns(record)[0]["id"], "path": "$.id"}
    bad: list[Turn] = [
        {"value": 1, "values": [1]},
        {"value": 1, "ref": ref},
        {"values": [1, 2], "ref": ref},
        {"value": 1, "values": [1], "ref": ref},
        {},
        {"required": False},
        {"compare": "auto"},
        {"compare": {"as": "number"}},
        {"ref": ref, "compare": "auto"},
        {"ref": ref, "compare": "literal"},
    ]
    record["golden"]["paths"][0]["turns"] += [
        {"user": "And"},
        {"id": "new", "tool": "find", "params": {"id": rng.choice(bad)}},
    ]


def break_regex(rng: random.Random, record: Turn) -> None:
    """A regex that is none."""
    bad = rng.choice(["(", "[a", "*", "(?P<x>a)(?P<x>b)", "a{2,1}"])
    param = rng.choice([{"value": bad, "compare": "regex"}, {"values": ["a", bad], "compare": {"as": "regex"}}])
    if chance(rng, 0.7):
        an_action(record)["params"]["odd"] = param
    else:
        record["golden"]["forbidden"] = [{"tool": "find", "params": {"id": param}}]


def break_weight(rng: random.Random, record: Turn) -> None:
    """A negative weight."""
    rng.choice(agent_turns(record))["weight"] = rng.choice([-1, Decimal("-0.5")])


BREAKS: list[Callable[[random.Random, Turn], None]] = [
    break_no_turns,
    break_no_id,
    break_id_twice,
    break_path_twice,
    break_claim_twice,
    break_outcome_twice,
    break_turn_kind,
    break_kind,
    break_compare,
    break_path_text,
    break_nan,
    break_unknown_turn,
    break_user_turn,
    break_own_turn,
    break_later_turn,
    break_group_turn,
    break_values,
    break_regex,
    break_weight,
]


def break_native(rng: random.Random, dialog: list[Turn]) -> None:
    """A native dialog that must be refused: a number twice, or a dependency that cannot be."""
    entry = rng.choice(dialog)
    kind = rng.randrange(3)
    if kind == 0:
        dialog.append(copy.deepcopy(entry))
    elif kind == 1:
        entry["depends_on"] = [rng.choice([entry["turn_no"], 99])]
    else:
        entry["turn"] = "Robot"


# --- every small one -------------------------------------------------------------------------------------------------

SMALL_GOLDENS: list[Turn] = [
    {"tool": "find"},
    {"tool": "find", "action": "X"},
    {"tool": "find", "params": {"id": {"value": 1}}},
    {"tool": "find", "params": {"id": {"value": 2, "required": False}}, "allowed_extra": ["zz"]},
    {"tool": "book", "optional": True},
    {"response": "Done"},
    {"response": "x", "claims": [{"text": "one"}, {"text": "two", "required": False, "excludes": ["no"]}]},
]
SMALL_ANSWERS: list[Turn] = [
    {"tool": "find"},
    {"tool": "find", "action": "X", "error": True},
    {"tool": "find", "args": {"id": 1}},
    {"tool": "find", "args": {"id": 2, "zz": 1}},
    {"tool": "book"},
    {"response": "Done"},
    {"response": "one, no"},
]


def small_matchings() -> Iterator[Turn]:
    """Every two golden turns beside every two answers, free in order, as listed, and paired by position."""
    pairs = list(itertools.product(SMALL_GOLDENS, repeat=2))
    for (one, two), answers in itertools.product(pairs, itertools.product(SMALL_ANSWERS, repeat=2)):
        for group, alignment in (("q", "search"), (None, "search"), ("q", "given")):
            turns = [{"id": "g1", "group": group, **one}, {"id": "g2", "group": group, **two}]
            yield {
                "format": "aem/1",
                "id": "small",
                "golden": {"paths": [{"id": "main", "turns": turns}]},
                "trajectory": {"turns": list(answers)},
                "policy": {"scorer": "exact", "alignment": alignment},
            }


# --- one case per seed -----------------------------------------------------------------------------------------------


def make_case(seed: int) -> tuple[Json, str]:
    """A record or native dialog for a seed, and what it is: ``record``, ``native``, or the name of what breaks it."""
    rng = random.Random(seed)
    kind = rng.random()
    if kind < 0.10:
        return make_native(rng), "native"
    if kind < 0.12:
        dialog = make_native(rng)
        break_native(rng, dialog)
        return dialog, "break_native"
    if kind > 0.85:
        return make_cascade(rng), "record"
    if kind > 0.77:
        return make_matching(rng), "record"
    if kind > 0.69:
        return make_comparisons(rng), "record"
    if kind > 0.65:
        return make_sayings(rng), "record"
    record = make_record(rng)
    if kind < 0.22:
        breaking = rng.choice(BREAKS)
        breaking(rng, record)
        return record, breaking.__name__
    return record, "record"
