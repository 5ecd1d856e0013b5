"""Whatever comes in, the engine gives a verdict or raises one of its own errors, which names a place and a reason.

Arbitrary JSON, valid records in which any part was replaced by something odd, and what no JSON can hold.
"""

import copy
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem import (
    ConversationVerdict,
    RecordError,
    ScorerUnavailable,
    parse_golden,
    parse_policy,
    parse_record,
    parse_tools,
    parse_trajectory,
    record_from_native,
    score_record,
)
from evaluation.aem.aggregate import summarise
from evaluation.aem.parse_parts import COMPARISONS
from evaluation.formats import jsonio
from tests.aem.builders import call, gold, golden, reply
from tests.aem.random_records import SEEDS, FakeScorer
from tests.aem.reference.generate import make_case


class Text(str):
    """A text that is not exactly a text."""


class Number(int):
    """A number that is not exactly a number."""


class Object(dict[Any, Any]):
    """An object that is not exactly an object."""


def nested(depth: int, *, in_objects: bool = False) -> Any:
    """A value inside so many lists or objects."""
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if in_objects else [value]
    return value


def endless() -> list[Any]:
    """A list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


def those(*values: Any) -> list[Callable[[], Any]]:
    """Makers of values that nobody changes."""
    return [partial(copy.deepcopy, value) for value in values]


#: What a careless or malicious producer writes; made anew each time, since it is put into records.
ODD: list[Callable[[], Any]] = [
    *those(None, True, False, 0, -1, 1, "", " ", "x", [], {}, [[]], (1,), {1, 2}, b"x", 1j, Fraction(1, 3)),
    *those(10**30, 10**999, 10**1001, 10**4299, 10**4301, 10**20000, -(10**5000)),
    *those(*map(Decimal, ("1e999", "1e-999", "1e1001", "-0", "NaN", "sNaN", "Infinity"))),
    *those(float("nan"), float("inf"), -0.0, 1e308, 5e-324, 0.1),
    # Half of a character, a zero byte, signs that compose, letters that grow when they are folded, other digits.
    *those("\ud800", "x\udfff", "\x00", "1\u0301", "İ", "ß", "\u0345", "٣", "²", "½"),
    *those("a" * 50_000, "1" * 5000, "1," * 2000, "0." + "3" * 4000),
    *those("{" * 5000, "[" * 5000 + "]" * 5000, '{"a": NaN}', f'{{"id": {"1" * 5000}}}'),
    *those(nested(50), nested(100), nested(101)),
    lambda: nested(5000),
    lambda: nested(5000, in_objects=True),
    endless,
    object,
    *those(Text("x"), Number(3), Object(a=1), {1: 2}, {None: 1, "a": 2}, {"\ud800": 1, "": {"": ""}}),
    *those("9999-12-31T24:00:00", "0001-01-01T00:00:00+23:59", "2025-W53-7", "2025-02-30", "0000-00-00"),
    *those("$", "$.a", "$[999999999]", '$["a', "(a+)+", "(a+)+\\1", "(", "(?i)x"),
    *those("regex", "date", "number", "set", "any", "g1", "g2", "main", "embedded"),
    *those(
        {"value": 10**5000, "compare": "number"},
        {"value": 10**5000, "compare": "regex"},
        {"value": "1" * 5000, "compare": {"as": "number", "abs": Decimal("1e300"), "rel": Decimal("1e-999")}},
        {"value": [10**5000, "1" * 5000], "compare": "set"},
        {"value": ".*", "compare": "regex"},
        {"ref": {"turn": "g1", "path": "$.id"}},
        {"user": "x"},
        {"response": f"{'1' * 5000} and {'9' * 4000}"},
        {"tool": "find", "args": {"id": 10**5000}},
        {"id": "new", "response": "x", "claims": [{"text": "1" * 5000, "contains": [10**5000, True, ""]}]},
    ),
]
ODD_VALUES = st.integers(0, len(ODD) - 1).map(lambda at: ODD[at]())
KEYS = ["", "\ud800", "id", "value", "from", "depends_on", "compare", 1, None]


def places(value: Any, depth: int = 12) -> Iterator[tuple[Any, Any]]:
    """Every part of a record, as what it stands in and the key or index there."""
    if depth:
        for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            if isinstance(part, dict | list):
                yield from places(part, depth - 1)


def spoil(record: Any, chance: random.Random) -> None:
    """Replace, add, repeat or drop something anywhere."""
    found = list(places(record))
    if not found:
        return
    inside, key = chance.choice(found)
    what = chance.random()
    if what < 0.75:
        inside[key] = chance.choice(ODD)()
    elif what < 0.85 and isinstance(inside, dict):
        inside[chance.choice(["", "\ud800", "id", "value", "from", "depends_on", "compare", 1, None])] = chance.choice(
            ODD
        )()
    elif what < 0.95 and isinstance(inside, list):
        inside.insert(key, chance.choice([chance.choice(ODD)(), inside[key]]))
    else:
        del inside[key]


def take_all(verdict: ConversationVerdict) -> None:
    """Everything that is made of a verdict."""
    verdict.as_result()
    jsonio.dumps(verdict.as_explained())
    summarise([verdict])


@given(SEEDS, SEEDS, st.integers(1, 3), st.sampled_from([None, FakeScorer()]))
@settings(max_examples=800, deadline=None)
def test_a_spoiled_record_is_scored_or_refused(seed: int, other: int, times: int, scorer: FakeScorer | None) -> None:
    record = copy.deepcopy(make_case(seed)[0])
    chance = random.Random(other)
    for _ in range(times):
        spoil(record, chance)
    attempt(partial(score_all, record, scorer))


WORDS = "id user tool response args params value values ref compare as turns paths golden format".split()  # noqa: SIM905
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=8)
    | st.characters(codec=None)
    | ODD_VALUES.filter(lambda value: isinstance(value, str | int)),
    lambda part: (
        st.lists(part, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), part, max_size=5)
    ),
    max_leaves=12,
)


def score_all(record: Any, scorer: FakeScorer | None = None) -> None:
    """Score a record and make everything of the verdict."""
    take_all(score_record(record, scorer=scorer))


def attempt(read: Callable[[], object]) -> None:
    """Go on after the engine's own errors, which say something short."""
    problem = ""
    try:
        read()
    except (RecordError, ScorerUnavailable) as error:
        problem = str(error) or "says nothing"
    assert problem != "says nothing"
    assert len(problem) < 1000


READERS: dict[str, Callable[[Any], object]] = {
    "record": parse_record,
    "golden": parse_golden,
    "trajectory": parse_trajectory,
    "tools": parse_tools,
    "policy": parse_policy,
    "native": lambda value: record_from_native(value if isinstance(value, list) else [value]),
    "scored": score_all,
    "turn": lambda value: parse_golden({"paths": [{"id": "a", "turns": [{"id": "g1", "tool": "a"}, value]}]}),
    "param": lambda value: parse_golden(golden({"id": "g", "tool": "t", "params": {"k": value}})),
    "claim": lambda value: parse_golden(golden({"id": "g", "response": "r", "claims": [value]})),
    "assertion": lambda value: parse_golden(golden(gold("g"), outcome=[value], forbidden=[value])),
    "policy of a parameter": lambda value: parse_policy({"params": {"t": {"k": value}}, "composition": value}),
    "dialog": lambda value: take_all(
        score_record(
            [{"turn_no": 1, "turn": "Tool", "gold_turn": {"tool_id": "a", "args": value}, "predict_turn": value}]
        )
    ),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@given(value=JSON)
@settings(max_examples=150, deadline=None)
def test_any_json_is_read_or_refused(read: Callable[[Any], object], value: Any) -> None:
    attempt(lambda: read(value))


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_anything_odd_is_read_or_refused(read: Callable[[Any], object]) -> None:
    for make in ODD:
        for value in (make(), {"id": "g", "value": make()}, [make()]):
            attempt(partial(read, value))


@given(JSON, JSON, st.sampled_from([name for name in COMPARISONS if name != "regex"]))
@settings(max_examples=400, deadline=None)
def test_any_two_values_are_compared_or_refused(expected: Any, observed: Any, compare: str) -> None:
    """As a parameter under each comparison, with both scorers, and as what a claim asks for and a reply says."""
    claim = {"text": "t", "contains": [expected]} if isinstance(expected, str | int) else {"text": "t"}
    said = observed if isinstance(observed, str) else "It is 5."
    record = {
        "format": "aem/1",
        "golden": golden(gold("g1", params={"k": {"value": expected, "compare": compare}}), reply("g2", "x", claim)),
        "trajectory": {"turns": [call("a", {"k": observed}, result=observed), {"response": said}]},
    }
    for scorer in (None, FakeScorer()):
        attempt(partial(score_all, copy.deepcopy(record), scorer))


def test_a_refused_record_names_its_place() -> None:
    """The place starts at a part of the record, so that it can be found."""
    refused = 0
    for seed in range(1000):
        record, kind = make_case(seed)
        if kind.startswith("break_") and kind != "break_native":
            with pytest.raises(RecordError) as problem:
                score_record(copy.deepcopy(record))
            refused += 1
            assert problem.value.reason
            assert problem.value.path.split(".")[0] in {"golden", "policy", "trajectory", "tools"}
    assert refused > 50


#: What would take longer than anybody waits where it is compared without a thought.
HANGING = {"value": "(.+)+\\W", "compare": "regex"}
SET = {"value": ["1", 5], "compare": "set"}


@pytest.mark.parametrize(
    "text",
    ["1" * 10**6, "1," * 500_000, "0." + "1" * 10**6, "[" * 10**6, "a" * 10**6, "-" * 10**6, ("é" * 10**5) + "\u0301"],
    ids=["digits", "commas", "decimals", "brackets", "letters", "signs", "accents"],
)
def test_a_million_characters_take_seconds_at_most(text: str) -> None:
    record = {
        "format": "aem/1",
        "golden": golden(
            gold("g1", params={"k": "x", "n": {"value": 5, "compare": "number"}, "r": HANGING, "s": SET}),
            reply("g2", "Done", {"text": "t", "contains": [12]}),
            gold("g3", "b"),
        ),
        "trajectory": {
            "turns": [
                call("a", {**dict.fromkeys("knr", text), "s": [text, 1]}, result=text),
                {"response": text},
                call("b", text),
            ]
        },
    }
    started = process_time()
    take_all(score_record(record))
    assert process_time() - started < 10


def test_a_tolerance_beyond_any_double_is_written() -> None:
    number = {"value": 5, "compare": {"as": "number", "abs": Decimal("1e400")}}
    verdict = score_record(
        {
            "format": "aem/1",
            "golden": golden(gold("g1", params={"n": number})),
            "trajectory": {"turns": [call("a", {"n": "x"})]},
        }
    )
    assert "abs 1e+400" in verdict.explain_turn(1)["sentence"]
