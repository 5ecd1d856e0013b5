"""Whether a value stood in what a turn returned."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from evaluation.aem.text import Number, digit_runs, fold, haystack_of, number_of, stands_in
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
        self._read: frozenset[Number] | None = None
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
            return scalar in self._numbers or scalar in self.numbers_in_texts
        if not isinstance(scalar, str):
            return False
        if scalar in self._texts:
            # A text of spaces alone is as empty as one without any character.
            return not scalar.isspace() and scalar != ""
        folded = fold(scalar)
        if not folded:
            return False
        if self._folded is None:
            self._folded = {haystack_of(text).folded for text in self._texts}
        if folded in self._folded or folded in self._booleans:
            return True
        number = number_of(folded)
        if number is not None:
            return number in self._numbers or number in self.numbers_in_texts
        if len(folded) < _FEWEST_CHARACTERS:
            return False
        return any(stands_in(folded, text) for text in self._folded)

    @property
    def numbers_in_texts(self) -> frozenset[Number]:
        """The numbers that stand in texts."""
        if self._read is None:
            self._read = frozenset().union(*[haystack_of(text).numbers for text in self._texts])
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
