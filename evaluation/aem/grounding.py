"""Whether a value stood in what a turn returned."""

from collections.abc import Iterable, Iterator
from typing import Any

from evaluation.aem.text import Haystack, Needle, Number, digit_runs, fold, haystack_of, number_of
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
    """Values in which others are looked for, prepared when first asked."""

    __slots__ = ("_booleans", "_folded", "_numbers", "_runs", "_texts")

    def __init__(self, values: Iterable[Any]) -> None:
        self._texts: list[Haystack] = []
        self._folded: set[str] = set()
        self._numbers: set[Number] = set()
        self._booleans: set[str] = set()
        self._runs: set[str] | None = None
        for value in values:
            for scalar in scalars_of(value):
                self._add(scalar)

    def _add(self, scalar: Any) -> None:
        if isinstance(scalar, str):
            text = haystack_of(scalar)
            self._texts.append(text)
            self._folded.add(text.folded)
        elif isinstance(scalar, bool):
            self._booleans.add("true" if scalar else "false")
        elif is_number(scalar):
            self._numbers.add(scalar)

    def holds(self, scalar: Any) -> bool:
        """Whether one scalar equals a scalar here or appears in one of the texts."""
        if is_number(scalar):
            return self._holds_number(scalar)
        folded = fold(scalar) if isinstance(scalar, str) else ""
        if not folded or folded in self._folded or folded in self._booleans:
            return bool(folded)
        number = number_of(folded)
        if number is not None:
            return self._holds_number(number)
        needle = Needle(scalar)
        return len(folded) >= _FEWEST_CHARACTERS and any(text.has(needle) for text in self._texts)

    def _holds_number(self, number: Number) -> bool:
        return number in self._numbers or any(number in text.numbers for text in self._texts)

    def grounds(self, value: Any) -> bool:
        """Whether every scalar of a value is held here. Booleans, null and empty values never are."""
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
                self._runs |= digit_runs(text.text)
        return digits in self._runs
