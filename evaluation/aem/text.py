"""Texts as the scoring compares them: folded, searched for whole words, read for the numbers in them.

Numbers are exact: ``int`` or :class:`decimal.Decimal`, which compare and hash alike when they are equal.
"""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

Number = int | Decimal

_ONE_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.[0-9]+)?", re.ASCII)
# It begins with a digit, so that the search skips all else; what stands before that digit is looked at behind it.
_NUMBER = re.compile(
    r"[0-9](?<![\w.].)(?:(?<=0)|(?<=[1-9])(?:[0-9]*|[0-9]{0,2}(?:,[0-9]{3})+))(?:\.[0-9]+)?(?!\w|[.,]+[0-9])"
)
# Python reads whole numbers of at most 4300 digits; a decimal has no such limit and is as exact.
_LONGEST_INT = 4000
_FIRST = frozenset("+-0123456789")
_DIGITS = re.compile(r"[0-9]+")


def fold(text: str) -> str:
    """Unicode NFC, case folded, trimmed, runs of white space as one space.

    >>> fold("  New   YORK ")
    'new york'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def is_word(character: str) -> bool:
    """Whether a character is a letter, a digit or the underscore."""
    return character.isalnum() or character == "_"


def _value(number: str) -> Number:
    if number.isdigit() and len(number) < _LONGEST_INT:
        return int(number)
    plain = number.replace(",", "")
    return int(plain) if "." not in plain and len(plain) < _LONGEST_INT else Decimal(plain)


def number_of(text: str) -> Number | None:
    """The number that a text is, as a whole; None where it is none.

    >>> number_of("1,200.0") == 1200, number_of("007"), number_of("34M")
    (True, None, None)
    """
    trimmed = text.strip()
    if trimmed[:1] not in _FIRST:
        return None
    return _value(trimmed) if _ONE_NUMBER.fullmatch(trimmed) else None


def numbers_in(text: str) -> list[Number]:
    """The numbers in a text, in their order.

    A number is read whole: it touches no letter, digit or underscore and is no part of a longer run of digits, points
    and commas. Points and commas after its last digit are punctuation of the sentence, and so are commas before it.

    >>> numbers_in("10-20, 1,250. But not D7, 34.5M, 1,2500, 1.2.3 or 007")
    [10, 20, 1250]
    """
    if not text.isascii():
        # Composed, an accent and its letter are one character, which touches what stands beside it.
        text = unicodedata.normalize("NFC", text)
    found: list[Number] = []
    for match in _NUMBER.finditer(text):
        start = match.start()
        before = text[start - 1] if start else ""
        if before == "," and _is_continued(text, start):
            continue
        value = _value(match.group())
        found.append(_negative(value) if before == "-" and _is_sign(text, start - 1) else value)
    return found


def _negative(number: Number) -> Number:
    """The number below 0; a minus before a decimal would round it to 28 digits."""
    return number.copy_negate() if isinstance(number, Decimal) else -number


def _is_sign(text: str, at: int) -> bool:
    """Whether a minus belongs to the number behind it: after a letter, digit, underscore or point it does not."""
    return not at or not (is_word(text[at - 1]) or text[at - 1] == ".")


def _is_continued(text: str, start: int) -> bool:
    """Whether the commas before a number join it to a longer run of digits, points and commas."""
    at = start - 1
    while at > 0 and text[at] == ",":
        at -= 1
    return text[at] in "0123456789."


def digit_runs(text: str) -> set[str]:
    """The whole runs of digits in a text, leading zeros aside.

    >>> sorted(digit_runs("2025-03-14"))
    ['14', '2025', '3']
    """
    return {run.lstrip("0") for run in _DIGITS.findall(text)}


def digits_of(number: Number) -> str:
    """The digits of a whole number, without its sign."""
    return format(Decimal(number).copy_abs(), "f").partition(".")[0]


def is_whole(number: Number) -> bool:
    """Whether a number has no decimals other than 0."""
    return isinstance(number, int) or number == number.to_integral_value()


def stands_in(needle: str, haystack: str) -> bool:
    """Whether a folded text stands in another as whole words: its edges, where they are word characters, touch none."""
    if not needle:
        return False
    at = haystack.find(needle)
    if at < 0:
        return False
    left, right = is_word(needle[0]), is_word(needle[-1])
    while at >= 0:
        end = at + len(needle)
        if not (left and at and is_word(haystack[at - 1])) and not (
            right and end < len(haystack) and is_word(haystack[end])
        ):
            return True
        at = haystack.find(needle, at + 1)
    return False


class Needle:
    """A value to be looked for in texts, prepared once."""

    __slots__ = ("folded", "number", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self.number: Number | None = None
        self.folded = ""
        if isinstance(value, bool):
            self.folded = "true" if value else "false"
        elif isinstance(value, int | Decimal):
            self.number = value
        elif isinstance(value, str):
            self.folded = fold(value)
            self.number = number_of(self.folded)


class Haystack:
    """A text in which values are looked for; folded and read for numbers when first asked.

    Trials of one conversation repeat most texts, so take it from :func:`haystack_of`, which keeps what was read.
    """

    __slots__ = ("_folded", "_listed", "_numbers", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: str | None = None
        self._listed: tuple[Number, ...] | None = None
        self._numbers: frozenset[Number] | None = None

    @property
    def folded(self) -> str:
        """The folded text."""
        if self._folded is None:
            self._folded = fold(self.text)
        return self._folded

    @property
    def numbers(self) -> frozenset[Number]:
        """The numbers in the text."""
        if self._numbers is None:
            self._numbers = frozenset(self.listed)
        return self._numbers

    @property
    def listed(self) -> tuple[Number, ...]:
        """The numbers in the text, in their order."""
        if self._listed is None:
            self._listed = tuple(numbers_in(self.text))
        return self._listed

    def has(self, needle: Needle) -> bool:
        """Whether the value appears in the text."""
        if needle.number is not None:
            return needle.number in self.numbers
        return stands_in(needle.folded, self.folded)


_kept = lru_cache(maxsize=1024)(Haystack)
_LONGEST_KEPT = 2000


def haystack_of(text: str) -> Haystack:
    """A text to look into; the last short ones are kept with what was read in them."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else Haystack(text)


def appears(value: object, text: str) -> bool:
    """Whether a value appears in a text.

    >>> appears(1250, "It costs 1,250.00 euros."), appears("EU", "The EU total"), appears("EU", "EUR")
    (True, True, False)
    """
    return Haystack(text).has(Needle(value))
