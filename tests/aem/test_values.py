"""The comparisons, one by one."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.aem import RecordError, parse_golden, parse_policy, parse_trajectory, score
from evaluation.aem.matching import has_perfect_matching
from evaluation.aem.values import equal, same
from tests.aem.builders import call, gold, golden, judge, value_passes

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-20, 20)
    | st.decimals(-20, 20, places=1)
    | st.sampled_from(["true", "1", "1.0", "A", "a", "x  y", ""]),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abc"), parts, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("expected", "observed", "passes"),
    [
        ("New York", " new  york", True),
        ("1200", "1,200", False),
        (1200, "1,200.0", True),
        ("1,200", 1200, True),
        (7, "007", False),
        (1, True, False),
        (True, 1, False),
        ("true", True, True),
        (True, "TRUE ", True),
        (False, "false", True),
        (None, None, True),
        (None, "", False),
        (None, 0, False),
        ("null", None, False),
        (1, 1.0, True),
        (Decimal("0.1"), 0.1, True),
        (107505301260286111, 107505301260286110, False),
        ([1, "a"], ["1", "A"], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": 1, "b": [None]}, {"b": [None], "a": "1"}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({}, [], False),
        ("[1]", [1], False),
        ("", "  ", True),
    ],
)
def test_auto(expected: Any, observed: Any, passes: bool) -> None:
    assert value_passes(expected, observed) is passes


@pytest.mark.parametrize(
    ("compare", "expected", "observed", "passes"),
    [
        ("literal", "Ab", "ab", False),
        ("literal", "Ab", "Ab", True),
        ("literal", 1, "1", False),
        ("literal", 1, 1.0, True),
        ("literal", True, 1, False),
        ("literal", [1, {"a": True}], [1, {"a": 1}], False),
        ("literal", None, None, True),
        ("text", "Ab", "aB", True),
        ("text", "5", 5, True),
        ("text", "a", "b", False),
        ("number", 100, "100.0", True),
        ("number", 100, 101, False),
        ("number", "abc", "abc", False),
        ("number", 1, True, False),
        ({"as": "number", "abs": 1}, 100, 101, True),
        ({"as": "number", "abs": 1}, 100, Decimal("101.0000001"), False),
        ({"as": "number", "rel": 0.1}, -100, -110, True),
        ({"as": "number", "abs": 20, "rel": 0.1}, 100, 120, True),
        ({"as": "number", "rel": 0.1}, 0.3, 0.33, True),
        ("date", "2025-03-14", "2025-03-14T23:00:00-05:00", True),
        ("date", "2025-03-14T23:00", "2025-03-14", True),
        ("date", "2025-03-14", "2025-03-15", False),
        ("date", "2025-03-14T10:00Z", "2025-03-14T11:00+01:00", True),
        ("date", "2025-03-14T10:00Z", "2025-03-14T10:00", True),
        ("date", "2025-03-14T10:00Z", "2025-03-14T11:00", False),
        ("date", "2025-03-14T10:00:00.5", "2025-03-14T10:00:00.50", True),
        ("date", "2025-W11-5", "2025-03-14", True),
        ("date", "2025-073", "20250314", True),
        ("date", "2025-03-14T24:00", "2025-03-15T00:00", True),
        ("date", "2025-02-30", "2025-02-30", False),
        ("date", "soon", "soon", False),
        ("date", "2025-03-14", 20250314, False),
        ("date", "2025-03-14T25:00", "2025-03-14", False),
        ("boolean", True, True, True),
        ("boolean", True, "true", False),
        ("boolean", False, 0, False),
        ("boolean", "true", "true", False),
        ("regex", "a+", "aaa", True),
        ("regex", "a+", "aab", False),
        ("regex", "(?i)A", "a", True),
        ("regex", r"\d+", 12, True),
        ("regex", ".*", None, False),
        ("regex", ".*", True, False),
        ("set", ["a", "b"], ["B", "A"], True),
        ("set", ["a", "a"], ["a", "b"], False),
        ("set", ["a"], "a", False),
        ("set", [], [], True),
        ("set", [1, "1", "1.0"], ["1.0", "1", 1], True),
        ("set", [1, "1"], ["1.0", "1"], True),
        ("set", ["1", "1.0"], ["1", "1"], False),
        ("set", [[1, 2], {"a": 1}], [{"a": "1"}, ["1", 2]], True),
        ("list", ["a"], ["A"], True),
        ("list", "a", "a", False),
        ("object", {"a": 1}, {"a": 1}, True),
        ("object", [1], [1], False),
        ("any", "whatever", 0, True),
        ("any", "whatever", None, False),
    ],
)
def test_kinds(compare: Any, expected: Any, observed: Any, passes: bool) -> None:
    assert value_passes(expected, observed, compare) is passes


def test_policy_compares_unless_the_field_does() -> None:
    policy = {"params": {"t": {"k": {"compare": {"as": "number", "abs": 1}}}}}
    assert value_passes(10, 11, policy=policy)
    assert not value_passes(10, 11, "literal", policy=policy)


def test_a_pattern_of_the_policy_is_checked_when_scoring() -> None:
    parsed = parse_golden(golden(gold("g1", "t", {"k": "("})))
    policy = parse_policy({"params": {"t": {"k": {"compare": "regex"}}}})
    with pytest.raises(RecordError, match=r"golden\.paths\[0\]\.turns\[0\]\.params\.k: invalid regular expression"):
        score(parsed, parse_trajectory({"turns": []}), policy=policy, tools={})


def test_a_ref_is_compared_as_auto_whatever_the_policy_says() -> None:
    turns = [gold("g1", "t"), gold("g2", "t", {"k": {"ref": {"turn": "g1", "path": "$.v"}}})]
    policy = {"params": {"t": {"k": {"compare": "literal"}}}}
    verdict = judge(turns, [call("t", result={"v": "A"}), call("t", {"k": "a"})], policy=policy)
    assert verdict.test_pass


@given(JSON)
def test_everything_equals_itself(value: Any) -> None:
    assert equal(value, value)
    assert same(value, value)
    assert value_passes(value, value)


@given(JSON, JSON)
def test_equality_goes_both_ways_and_literal_is_narrower(one: Any, other: Any) -> None:
    assert equal(one, other) == equal(other, one)
    assert same(one, other) == same(other, one)
    if same(one, other):
        assert equal(one, other)


@given(st.lists(JSON, max_size=5).flatmap(lambda values: st.tuples(st.just(values), st.permutations(values))))
@settings(max_examples=60)
def test_a_set_is_a_set_in_any_order(values: tuple[list[Any], list[Any]]) -> None:
    assert value_passes(values[0], values[1], "set")


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=5))
def test_perfect_matching_against_all_permutations(edges: list[set[int]]) -> None:
    from itertools import permutations

    size = len(edges)
    expected = any(all(to in edges[one] for one, to in enumerate(order)) for order in permutations(range(size)))
    numbers = range(size)
    found = has_perfect_matching(numbers, numbers, lambda one, other: other in edges[one], alike=int)
    assert found is expected


@given(
    st.lists(st.sampled_from([1, "1", "1.0", 2, "2"]), max_size=6),
    st.lists(st.sampled_from([1, "1", "1.0"]), max_size=6),
)
def test_sets_with_repeated_elements_against_all_permutations(left: list[Any], right: list[Any]) -> None:
    from itertools import permutations

    expected = len(left) == len(right) and any(all(map(equal, left, order)) for order in permutations(right))
    assert value_passes(left, right, "set") is expected


def test_a_large_set_is_compared_in_good_time() -> None:
    values = [f"v{number % 40}" for number in range(2000)]
    assert value_passes(values, list(reversed(values)), "set")
    assert value_passes([1] * 3000 + ["1"] * 3000, [1] * 2000 + ["1"] * 4000, "set")
    assert not value_passes(["1"] * 3000 + ["1.0"], ["1"] * 3001, "set")
