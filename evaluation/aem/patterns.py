"""Regular expressions of experts, matched in bounded time.

Python's ``re`` tries one way through a text after the other, and some patterns have endlessly many: ``(a+)+b`` against
thirty letters takes minutes, and nothing can interrupt it. So the steps that a pattern could take through a text of
some length are counted beforehand. Where they are few, which is nearly always so, ``re`` decides. Else all ways are
followed at once, one character after the other (Thompson's construction): that takes time in proportion to the text and
answers the same question, whether the whole text matches. What tells ways apart (a backreference, a look ahead or back,
a repeat that gives nothing back) cannot be followed like that, and is refused where it could take endlessly long.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from evaluation.aem.errors import RecordError

#: What ``re`` does in a fraction of a second.
_MOST_STEPS = 20_000_000
#: What it does in some seconds, where nothing else can decide.
_MOST_STEPS_ALONE = 200_000_000
#: A pattern that cannot be followed must get through a text of this length.
_LENGTH_ALONE = 1000
#: What following does in some seconds: states times characters.
_MOST_FOLLOWED = 20_000_000
_MOST_STATES = 20_000
_MOST_KEPT = 20_000
_DEEPEST = 40
_ENDLESS = 10**12

_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
_LOOKS = frozenset({_constants.ASSERT, _constants.ASSERT_NOT})
_TELL_APART = _LOOKS | {
    _constants.GROUPREF,
    _constants.GROUPREF_EXISTS,
    _constants.ATOMIC_GROUP,
    _constants.POSSESSIVE_REPEAT,
}


class PatternError(ValueError):
    """A text that is no regular expression, or one that could take endlessly long to match; says why."""


class Pattern:
    """A regular expression that says whether it matches a whole text."""

    __slots__ = ("_follower", "_is_followed", "_quick_to", "_tree", "_tried", "source")

    def __init__(self, source: str) -> None:
        """Raises PatternError."""
        self.source = source
        try:
            with warnings.catch_warnings():
                # Of "[[a]" Python warns that it may mean something else one day.
                warnings.simplefilter("ignore")
                self._tried = re.compile(source)
                self._tree = _parser.parse(source)
        except (re.error, OverflowError, RecursionError, MemoryError, ValueError) as error:
            raise PatternError(str(error) or type(error).__name__) from None
        self._is_followed = not any(op in _TELL_APART for op in _ops(self._tree, _DEEPEST))
        self._follower: _Follower | None = None
        #: Texts of this length were found to take few steps; shorter ones take no more.
        self._quick_to = -1
        if not self._is_followed and self.steps(_LENGTH_ALONE) > _MOST_STEPS_ALONE:
            raise PatternError(
                "could take endlessly long to match: it repeats what repeats itself, and has a backreference, a look "
                "ahead or back, or a repeat that gives nothing back"
            )

    def steps(self, length: int) -> int:
        """The most steps that trying one way after the other takes through a text of a length; at most 10**12."""
        return _ways(self._tree, length)[1]

    def matches(self, text: str) -> bool:
        """Whether the whole text matches.

        >>> Pattern("(a+)+b").matches("a" * 1000), Pattern("(a+)+b").matches("a" * 1000 + "b")
        (False, True)

        Raises RecordError, without a place, where that could take too long.
        """
        length = len(text)
        if length > self._quick_to and self.steps(length) <= (_MOST_STEPS if self._is_followed else _MOST_STEPS_ALONE):
            self._quick_to = length
        if length <= self._quick_to:
            return self._tried.fullmatch(text) is not None
        if self._is_followed:
            if self._follower is None:
                self._follower = _Follower(self._tree)
            if self._follower.size * length <= _MOST_FOLLOWED:
                return self._follower.matches(text)
        raise RecordError("", f"{length} characters are too many to be held against the pattern {self.source[:60]!r}")


@lru_cache(maxsize=512)
def pattern_of(source: str) -> Pattern:
    """The pattern of a text, read once. Raises PatternError."""
    return Pattern(source)


def _parts(op: Any, of: Any) -> list[Any]:
    """The patterns that stand inside an element of a pattern."""
    if op is _constants.BRANCH:
        return list(of[1])
    if op is _constants.SUBPATTERN:
        return [of[3]]
    if op in _REPEATS:
        return [of[2]]
    if op in _LOOKS:
        return [of[1]]
    if op is _constants.GROUPREF_EXISTS:
        return [part for part in of[1:] if part is not None]
    return [of] if op is _constants.ATOMIC_GROUP else []


def _ops(tree: Any, depth: int) -> Iterator[Any]:
    if not depth:
        raise PatternError(f"it is nested more than {_DEEPEST} levels deep")
    for op, of in tree:
        yield op
        for part in _parts(op, of):
            yield from _ops(part, depth - 1)


def _ways(tree: Any, length: int) -> tuple[int, int]:
    """In how many ways a pattern can go through a text of a length from one place, and in how many steps, at most."""
    ways, steps = 1, 0
    for op, of in tree:
        more, each = _ways_of(op, of, length)
        steps = min(_ENDLESS, steps + ways * each)
        ways = min(_ENDLESS, ways * more)
    return ways, steps


def _ways_of(op: Any, of: Any, length: int) -> tuple[int, int]:
    if op in _REPEATS:
        ways, steps = _ways_of_repeat(of[0], of[1], of[2], length)
        return (1 if op is _constants.POSSESSIVE_REPEAT else ways), steps
    inside = [_ways(part, length) for part in _parts(op, of)]
    if not inside:
        return 1, length + 1 if op is _constants.GROUPREF else 1
    steps = min(_ENDLESS, sum(each for _, each in inside) + 1)
    if op is _constants.ATOMIC_GROUP or op in _LOOKS:
        # Once it matched, no other way through it is tried.
        return 1, steps
    return min(_ENDLESS, sum(ways for ways, _ in inside)), steps


def _ways_of_repeat(least: int, most: int, part: Any, length: int) -> tuple[int, int]:
    ways, steps = _ways(part, length)
    narrowest = part.getwidth()[0]
    times = min(int(most), length // narrowest if narrowest else length + 1)
    if ways == 1:
        return max(1, times - least + 1), min(_ENDLESS, (times + 1) * (steps + 1))
    # At most the double of what the longest repeat has.
    whole = _ENDLESS if times * (ways.bit_length() - 1) >= _ENDLESS.bit_length() else min(_ENDLESS, 2 * ways**times)
    return whole, min(_ENDLESS, whole * (steps + 1))


_Test = Callable[[str, int], bool]


class _Follower:
    """A pattern as states, of which a text is in several at once.

    A state leads on by a character, without one, or without one where a condition holds at its place in the text.
    """

    def __init__(self, tree: Any) -> None:
        self._state = tree.state
        self._by_character: dict[int, tuple[re.Pattern[str], int]] = {}
        self._conditions: dict[int, tuple[re.Pattern[str], int]] = {}
        self._freely: dict[int, list[int]] = {}
        self.size = 0
        self._end = self._new()
        self._start = self._build(list(tree), self._end, ())
        self._known: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def _new(self) -> int:
        self.size += 1
        if self.size > _MOST_STATES:
            raise RecordError("", "a pattern repeats too much too often")
        return self.size - 1

    def _build(self, items: list[Any], then: int, flags: tuple[tuple[int, int], ...]) -> int:
        """The state in which a pattern starts that goes on to another; ``flags`` are those of the groups around it."""
        for op, of in reversed(items):
            if op is _constants.BRANCH:
                starts = [self._build(list(part), then, flags) for part in of[1]]
                then = self._new()
                self._freely[then] = starts
            elif op is _constants.SUBPATTERN:
                then = self._build(list(of[3]), then, (*flags, (of[1], of[2])))
            elif op in _REPEATS:
                then = self._repeat(of[0], of[1], of[2], then, flags)
            else:
                where = self._conditions if op is _constants.AT else self._by_character
                state = self._new()
                where[state] = self._compiled((op, of), flags), then
                then = state
        return then

    def _repeat(self, least: int, most: int, part: Any, then: int, flags: tuple[tuple[int, int], ...]) -> int:
        items = list(part)
        if most is _constants.MAXREPEAT:
            loop = self._new()
            self._freely[loop] = [self._build(items, loop, flags), then]
            then = loop
        else:
            end = then
            for _ in range(most - least):
                start = self._build(items, then, flags)
                then = self._new()
                self._freely[then] = [start, end]
        for _ in range(least):
            then = self._build(items, then, flags)
        return then

    def _compiled(self, item: Any, flags: tuple[tuple[int, int], ...]) -> "re.Pattern[str]":
        """A single element as a pattern of its own, so that Python says what it matches."""
        tree = _parser.SubPattern(self._state, [item])
        for add, remove in reversed(flags):
            tree = _parser.SubPattern(self._state, [(_constants.SUBPATTERN, (None, add, remove, tree))])
        made: re.Pattern[str] = _compiler.compile(tree)
        return made

    def _reached(self, states: set[int], text: str, at: int) -> frozenset[int]:
        """Those states and all that follow without a character."""
        todo = list(states)
        found = set(states)
        while todo:
            state = todo.pop()
            following = self._freely.get(state, ())
            if state in self._conditions:
                condition, then = self._conditions[state]
                following = [then] if condition.match(text, at) else ()
            for then in following:
                if then not in found:
                    found.add(then)
                    todo.append(then)
        return frozenset(found)

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        known = self._known
        states = self._reached({self._start}, text, 0)
        for at, character in enumerate(text):
            key = states, character
            after = known.get(key) if not self._conditions else None
            if after is None:
                led = set()
                for state in states:
                    one = self._by_character.get(state)
                    if one is not None and one[0].match(character):
                        led.add(one[1])
                after = self._reached(led, text, at + 1)
                if not self._conditions:
                    if len(known) >= _MOST_KEPT:
                        known.clear()
                    known[key] = after
            if not after:
                return False
            states = after
        return self._end in states
