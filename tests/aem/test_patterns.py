"""Patterns say what ``re`` says, and never hang."""

import re
from time import process_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.aem import RecordError, parse_golden
from evaluation.aem.patterns import Pattern, PatternError, _Follower
from tests.aem.builders import gold, golden

ATOMS = st.sampled_from(
    ["a", "a", "b", "c", "A", "\\n", ".", "[ab]", "[^a]", "[a-c]", r"\w", r"\d", r"\s", "^", "$", r"\b", r"\B", "é", ""]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(st.sampled_from(["(?i:", "(?s:", "(?m:", "(?-i:", "("]), inner).map(lambda two: f"{two[0]}{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{0,2}", "{1,3}?", "{2,}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)
FLAGS = st.sampled_from(["", "", "(?i)", "(?s)", "(?m)"])
#: Each would take ``re`` longer than anybody waits; none of the texts matches.
HANGING = {
    "(a+)+b": "a" * 5000,
    "(a|a)*b": "a" * 5000,
    r"(?:\w+\s?)*x": "word " * 2000 + "!",
    "(.*)*x": "y" * 5000,
    "(x+x+)+y": "x" * 2000,
    "(a{1,10}){1,10}b": "a" * 100,
    ".*a.*b.*c.*d.*e": " ab" * 3000,
    r"([a-z]+-)*[a-z]+": "abc-" * 2000,
}


@given(PATTERNS, FLAGS, st.text("aabbcABé\n 1", max_size=7))
@settings(max_examples=600, deadline=None)
def test_following_all_ways_answers_as_trying_one_after_the_other(source: str, flags: str, text: str) -> None:
    pattern = Pattern(flags + source)
    assume(pattern.steps(len(text)) < 10**6)
    expected = re.compile(flags + source).fullmatch(text) is not None
    assert pattern.matches(text) is expected
    assert _Follower(pattern._tree).matches(text) is expected


@given(PATTERNS, st.integers(0, 50), st.integers(0, 50))
def test_shorter_texts_never_take_more_steps(source: str, one: int, other: int) -> None:
    pattern = Pattern(source)
    assert pattern.steps(min(one, other)) <= pattern.steps(max(one, other))


@pytest.mark.parametrize(("source", "text"), HANGING.items(), ids=HANGING)
def test_no_pattern_hangs(source: str, text: str) -> None:
    started = process_time()
    assert not Pattern(source).matches(text)
    assert process_time() - started < 5


@pytest.mark.parametrize("source", [r"(a+)+\1b", "(?=(a+)+b)a*", "(?>(a+)+)b"])
def test_what_cannot_be_bounded_is_refused_with_its_place(source: str) -> None:
    with pytest.raises(RecordError, match="endlessly long") as refused:
        parse_golden(golden(gold("g1", params={"k": {"value": source, "compare": "regex"}})))
    assert refused.value.path == "golden.paths[0].turns[0].params.k.value"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"(\w+) \1", "hey hey"),
        (r"(?=.*\d)(?=.*[a-z]).{8,}", "abcdefg1"),
        ("(?>a+)+b", "aaab"),
        (r"(?i).*photo.*", "two Photos"),
        (r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "123e4567-e89b-12d3-a456-426614174000"),
        (r"(?P<year>\d{4})-(?P<month>\d\d)", "2026-11"),
        (r"(a)?b(?(1)c|d)", "abc"),
    ],
)
def test_ordinary_patterns_are_taken(source: str, text: str) -> None:
    assert Pattern(source).matches(text)
    assert not Pattern(source).matches(f"{text}\n\n")


def test_a_text_that_is_too_long_for_a_backreference_is_an_error_and_no_verdict() -> None:
    with pytest.raises(RecordError, match="too many to be held against"):
        Pattern(r"(\w+) \1").matches("a" * 100_000)


@pytest.mark.parametrize("source", ["(", "*", "a{2,1}", "(" * 100 + ")" * 100, "a{99999999999}"])
def test_what_is_no_pattern_says_why(source: str) -> None:
    with pytest.raises(PatternError, match=r"\w"):
        Pattern(source)
