"""Whether a value stood in what a turn returned."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from evaluation.aem.text import Haystack, Number, digit_runs, fold, haystack_of, number_of, stands_in
from evaluation.aem.values import is_number

# A text this short stands in too many others by chance.
_FEWEST_CHARACTERS = 3


def scalars_of(value: Any) -> Iterator[Any]:
    """The scalars of a value, in their order. Object keys are none."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            stack.extend(reversed(part.values()))
        elif isinstance(part, list):
            stack.extend(reversed(part))
        else:
            yield part


class Source:
    """Values in which others are looked for. Their texts are read when nothing equal stands there as it is."""

    __slots__ = ("_booleans", "_folded", "_numbers", "_read", "_runs", "_texts")

    def __init__(self, values: Iterable[Any]) -> None:
        self._texts: set[str] = set()
        self._read: list[Haystack] | None = None
        self._numbers: set[Number] = set()
        self._booleans: set[str] = set()
        self._folded: set[str] | None = None
        self._runs: set[str] | None = None
        stack = list(values)
        for part in stack:
            kind = type(part)
            if kind is str:
                self._texts.add(part)
            elif kind is int or kind is Decimal:
                self._numbers.add(part)
            elif kind is bool:
                self._booleans.add("true" if part else "false")
            elif isinstance(part, dict):
                stack += part.values()
            elif isinstance(part, list):
                stack += part

    def holds(self, scalar: Any) -> bool:
        """Whether one scalar equals a scalar here or appears in one of the texts."""
        if is_number(scalar):
            return self._holds_number(scalar)
        if not isinstance(scalar, str):
            return False
        folded = fold(scalar)
        if not folded or scalar in self._texts:
            return bool(folded)
        if self._folded is None:
            self._folded = {text.folded for text in self._haystacks()}
        if folded in self._folded or folded in self._booleans:
            return True
        number = number_of(folded)
        if number is not None:
            return self._holds_number(number)
        if len(folded) < _FEWEST_CHARACTERS:
            return False
        return any(stands_in(folded, text) for text in self._folded)

    def _holds_number(self, number: Number) -> bool:
        return number in self._numbers or any(number in text.numbers for text in self._haystacks())

    def _haystacks(self) -> list[Haystack]:
        if self._read is None:
            self._read = [haystack_of(text) for text in self._texts]
        return self._read

    def grounds(self, value: Any) -> bool:
        """Whether every scalar of a value is held here. Booleans, null and empty values never are."""
        if type(value) is str:
            return self.holds(value)
        found = False
        for scalar in scalars_of(value):
            if not self.holds(scalar):
                return False
            found = True
        return found

    def has_digits(self, digits: str) -> bool:
        """Whether digits stand in one of the texts as a whole run, leading zeros aside."""
        if self._runs is None:
            self._runs = set()
            for text in self._texts:
                self._runs |= digit_runs(text)
        return digits in self._runs
