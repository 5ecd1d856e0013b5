"""What a fact is: a number, an amount, a date, an id… found in a text, with its exact value."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

FactKind = Literal[
    "number",
    "ordinal",
    "percent",
    "money",
    "quantity",
    "date",
    "datetime",
    "time",
    "weekday",
    "period",
    "relative",
    "recurrence",
    "id",
    "version",
    "phone",
    "email",
    "url",
    "boolean",
    "code",
]

Bound = Literal["", ">=", "<=", ">", "<", "~", "range"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a fact: kind, exact value, and unit where there is one."""

    kind: FactKind
    value: Hashable
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A typed value in a text.

    ``value`` is exact and canonical: a Fraction for numbers, money (in units of the currency), percent and quantities
    (in base units); ``(year or None, month, day)`` for a date; seconds since midnight for a time; a tuple for periods,
    relative dates and recurrences; text for ids, phones, addresses and codes. Where ``bound`` is ``range`` a number's
    value is a pair. ``unit`` is the currency, the dimension of a quantity or the zone of a time. ``others`` are what
    the text could mean besides (10/09 as 10 September), and ``slack`` is half of a unit in the last digit that was
    written, in base units: what a conversion may be off.
    ``is_settled``: a known language says how its separators are read, so that other readings of its kind are unlikely.
    """

    kind: FactKind
    value: Hashable
    start: int
    end: int
    text: str
    unit: str = ""
    bound: Bound = ""
    others: tuple[Reading, ...] = ()
    slack: Fraction = Fraction(0)
    measure: str = ""
    is_settled: bool = False

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Every reading, the likeliest first."""
        return (Reading(self.kind, self.value, self.unit), *self.others)
