"""How two facts stand to each other, and two lists of them."""

import calendar
import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from evaluation.evaluators.embedded.facts import money
from evaluation.evaluators.embedded.facts.extract import is_year
from evaluation.evaluators.embedded.facts.model import Fact, Reading
from evaluation.evaluators.embedded.facts.units import UNITS

_EXACT = Fraction(7, 1000)  # how far a rounded conversion may be off at most, as a share of the value


class Relation(IntEnum):
    """SAME and DIFFERENT are certain; LIKELY and DOUBTFUL cannot be decided and lean one way; UNRELATED say nothing."""

    UNRELATED = 0
    DIFFERENT = 1
    DOUBTFUL = 2
    LIKELY = 3
    SAME = 4


_FAMILIES = {
    "number": "amount", "percent": "amount", "money": "amount", "quantity": "amount", "ordinal": "amount",
    "date": "date", "datetime": "date", "period": "date", "relative": "date", "weekday": "date", "time": "time",
    "recurrence": "recurrence", "id": "id", "version": "id", "phone": "phone", "email": "email", "url": "url",
}  # fmt: skip
_UNIT_BY_NAME = {unit.name: unit for unit in UNITS.values()}


def family(fact: Fact) -> str:
    """The family of a fact: facts of one family can stand in for each other, and so contradict each other."""
    return _FAMILIES.get(fact.kind, fact.kind)


def relation(a: Fact, b: Fact) -> Relation:
    """How two facts stand to each other. Symmetric."""
    best = _related(a, b)
    if best in (Relation.SAME, Relation.LIKELY):
        return best
    agreeing = [
        (x, y)
        for x in a.readings
        for y in b.readings
        if a.bound == b.bound == "" and (x, y) != (a.readings[0], b.readings[0]) and _readings_agree(x, y)
    ]
    if agreeing:
        if all(_is_unlikely(a, x) or _is_unlikely(b, y) for x, y in agreeing):
            return Relation.DOUBTFUL
        if {a.kind, b.kind} == {"id", "date"}:
            return Relation.SAME  # 20240305, which is a date by its shape, beside that date
        return Relation.DOUBTFUL if a.kind == b.kind == "time" else Relation.LIKELY
    return best


def _is_unlikely(fact: Fact, reading: Reading) -> bool:
    """Whether a reading takes a separator for what it is not in the language that was given."""
    is_other = reading.kind == fact.kind and reading != fact.readings[0]
    return fact.is_settled and is_other and (reading.unit == fact.unit or fact.kind != "quantity")


def _readings_agree(a: Reading, b: Reading) -> bool:
    if a.kind != b.kind or a.value != b.value:
        return False
    if a.kind == "date" and "" in (a.unit, b.unit):
        return True  # one says the weekday, too
    return (
        a.unit == b.unit or (a.kind == "money" and (a.unit, b.unit) in (("$", "USD"), ("USD", "$"))) or a.kind == "time"
    )


def _related(a: Fact, b: Fact) -> Relation:  # noqa: PLR0911  one answer for each family
    if (a.kind, a.start) > (b.kind, b.start):
        a, b = b, a
    kinds = {a.kind, b.kind}
    if kinds <= {"number", "percent", "money", "quantity", "ordinal"}:
        return _amounts(a, b)
    if kinds <= {"id", "version", "phone", "number"}:
        return _ids(a, b)
    if {a.value, b.value} == {("some weekend",), ("every", "weekend", 1)}:
        return Relation.LIKELY
    if kinds <= {"date", "datetime", "period", "relative", "weekday", "number"}:
        return _dates(a, b)
    if a.kind == b.kind == "time":
        return _times(a, b)
    if a.kind == b.kind:
        if a.kind == "recurrence" and _is_fortnightly(a, b):
            return Relation.LIKELY
        if a.kind == "url":
            return _urls(str(a.value), str(b.value))
        return Relation.SAME if a.value == b.value else Relation.DIFFERENT
    return Relation.UNRELATED


def _is_fortnightly(a: Fact, b: Fact) -> bool:
    """Every fifteen days, as Spanish and Portuguese say for every two weeks."""
    return {a.value, b.value} == {("every", "week", 2), ("every", "day", 15)}


# --- amounts ------------------------------------------------------------------------------------------------------


def _amounts(a: Fact, b: Fact) -> Relation:
    values = _amount_values(a, b)
    if values is Relation.SAME and a.bound != b.bound:
        if "" in (a.bound, b.bound) or "~" in (a.bound, b.bound):
            return Relation.DOUBTFUL
        if {a.bound, b.bound} == {">", ">="} and a.measure == "yr" and _OF_AGE.search(f"{a.text} {b.text}"):
            return Relation.LIKELY  # "mayores de 18 años" are 18 years old or older
        return Relation.DIFFERENT
    return values


def _moves(a: Fact, b: Fact) -> Relation:
    """Two percentages of which only one says which way it moved, or each another way."""
    if not isinstance(a.value, Fraction) or not isinstance(b.value, Fraction):
        return Relation.DIFFERENT
    is_same = abs(a.value) == abs(b.value) and a.unit == b.unit
    if is_same and {a.measure, b.measure} == {"down", "off"}:
        return Relation.LIKELY  # "20% off" is a reduction of 20%
    is_open = "" in (a.measure, b.measure) and is_same
    return Relation.DOUBTFUL if is_open else Relation.DIFFERENT


_OF_AGE = re.compile(r"\b(?:mayor|maior)", re.IGNORECASE)


def _amount_values(a: Fact, b: Fact) -> Relation:  # noqa: PLR0911  one answer for each case
    if a.kind == b.kind:
        if a.kind == "money":
            return _money(a, b)
        if a.kind == "quantity":
            return _quantities(a, b)
        if (
            a.kind == "percent"
            and a.measure != b.measure
            and isinstance(a.value, Fraction)
            and isinstance(b.value, Fraction)
        ):
            # Only one says which way it moved.
            is_open = "" in (a.measure, b.measure) and abs(a.value) == abs(b.value) and a.unit == b.unit
            return Relation.DOUBTFUL if is_open else Relation.DIFFERENT
        if a.kind == "percent" and a.unit != b.unit:
            return Relation.DOUBTFUL if a.value == b.value else Relation.DIFFERENT
        return Relation.SAME if a.value == b.value else Relation.DIFFERENT
    number, other = (a, b) if a.kind == "number" else (b, a)
    if number.kind != "number":
        if {a.kind, b.kind} == {"money", "quantity"}:
            return Relation.DIFFERENT
        return Relation.DIFFERENT if a.value != b.value or "ordinal" not in (a.kind, b.kind) else Relation.DOUBTFUL
    bare = _bare(other)
    if number.value == bare:
        if other.kind == "money":
            return Relation.SAME
        # A JSON number has no room for a unit; a text that leaves it out may mean another one. Ages have but one.
        is_age = number.bound == other.bound != "" and other.measure == "yr"
        return Relation.LIKELY if number.measure == "json" or is_age else Relation.DOUBTFUL
    if other.kind == "percent" and isinstance(number.value, Fraction) and isinstance(other.value, Fraction):
        return Relation.LIKELY if number.value * 100 == other.value and abs(number.value) < 1 else Relation.DIFFERENT
    return Relation.DIFFERENT


def _bare(fact: Fact) -> object:
    """The number that was written beside the unit."""
    if fact.kind == "quantity":
        unit = _UNIT_BY_NAME.get(fact.measure)
        if unit is None:
            return None
        if isinstance(fact.value, tuple):
            return tuple((value - unit.offset) / unit.factor for value in fact.value)
        return (fact.value - unit.offset) / unit.factor if isinstance(fact.value, Fraction) else None
    return fact.value


def _money(a: Fact, b: Fact) -> Relation:
    if a.value != b.value:
        return Relation.DIFFERENT
    if a.unit == b.unit or {a.unit, b.unit} == {"$", "USD"}:
        return Relation.SAME
    if a.unit in money.ALSO.get(b.unit, ()) or b.unit in money.ALSO.get(a.unit, ()):
        is_open = bool({"peso", "centavo"} & {a.unit, b.unit}) and "$" not in (a.unit, b.unit)
        return Relation.LIKELY if is_open else Relation.DOUBTFUL
    return Relation.DIFFERENT


def _quantities(a: Fact, b: Fact) -> Relation:  # noqa: PLR0911  one answer for each case
    if a.unit != b.unit:
        return _other_dimension(a, b)
    if a.value == b.value:
        return Relation.SAME
    if a.measure == b.measure or not isinstance(a.value, Fraction) or not isinstance(b.value, Fraction):
        return Relation.DIFFERENT
    if a.unit == "duration" and {a.value, b.value} == {1_209_600, 1_296_000} and _are_two_weeks(a.text, b.text):
        return Relation.LIKELY
    # A conversion is rounded: 22.05 lb is 10 kg to two places.
    if a.unit == "temperature":
        # Half a degree is a wide margin on this scale, so the one written with more places has to hit.
        off = abs(a.value - b.value)
        if off <= min(max(a.slack, b.slack), Fraction(6, 100)):
            return Relation.SAME
        # "350 °F" and "177 °C": rounded to whole degrees.
        is_rounded = a.slack and b.slack and {a.measure, b.measure} == {"°C", "°F"}
        return (
            Relation.LIKELY if is_rounded and off <= min(max(a.slack, b.slack), Fraction(1, 2)) else Relation.DIFFERENT
        )
    off = abs(a.value - b.value)
    is_other_system = _is_imperial(a) != _is_imperial(b)
    slack = min(a.slack, b.slack)
    if is_other_system and not slack:
        slack = max(a.slack, b.slack)  # number words say nothing of how they are rounded
    if off <= slack and off <= _EXACT * min(abs(a.value), abs(b.value)):
        return Relation.SAME
    if is_other_system and off <= max(a.slack, b.slack) and off <= _EXACT * min(abs(a.value), abs(b.value)):
        return Relation.DOUBTFUL
    return Relation.DIFFERENT


_IMPERIAL = frozenset("in ft yd mi nmi lb oz st gal qt pt cup floz ft2 in2 mi2 yd2 ft3 acre mph".split())  # noqa: SIM905


def _is_imperial(fact: Fact) -> bool:
    return any(part in _IMPERIAL for part in fact.measure.split("+"))


def _other_dimension(a: Fact, b: Fact) -> Relation:
    units = {a.unit, b.unit}
    if units == {"months", "duration"} and isinstance(a.value, Fraction) and isinstance(b.value, Fraction):
        months, seconds = (a.value, b.value) if a.unit == "months" else (b.value, a.value)
        days = seconds / 86_400
        return Relation.DOUBTFUL if months * 28 <= days <= months * 31 + 1 else Relation.DIFFERENT
    return Relation.DIFFERENT


# --- ids ----------------------------------------------------------------------------------------------------------


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _ids(a: Fact, b: Fact) -> Relation:  # noqa: PLR0911  one answer for each case
    if a.kind == b.kind == "phone":
        return _phones(str(a.value), str(b.value))
    if "phone" in (a.kind, b.kind):
        phone, other = (a, b) if a.kind == "phone" else (b, a)
        digits = _digits(other.text)
        if other.kind in ("id", "number") and len(digits) >= 7 and not any(c.isalpha() for c in other.text):
            return _phones(str(phone.value), digits)
        return Relation.DIFFERENT if other.kind == "id" else Relation.UNRELATED
    if a.kind == b.kind == "version":
        return _versions(a, b)
    if "version" in (a.kind, b.kind):
        version, other = (a, b) if a.kind == "version" else (b, a)
        written = _VERSION_WORD.sub("", version.text.lower())
        return Relation.LIKELY if written == other.text.lower() else Relation.DIFFERENT
    if a.kind == b.kind == "number":
        return Relation.SAME if a.value == b.value else Relation.DIFFERENT
    if a.kind != b.kind:
        number, other = (a, b) if a.kind == "number" else (b, a)
        same = any(reading.kind == "number" and reading.value == number.value for reading in other.others)
        if same and not number.bound:
            return Relation.SAME
        # "World War 2" and "WW2", "Windows 11" and "win11": a number inside the other's letters.
        if any(c.isalpha() for c in str(other.value)) and _digits(str(other.value)) == _digits(number.text):
            return Relation.DOUBTFUL
        return Relation.DIFFERENT
    return _plain_ids(str(a.value), str(b.value))


def _cuts(text: str) -> set[int]:
    """After how many letters and digits an id is parted."""
    found, count = set(), 0
    for character in text:
        if character.isalnum():
            count += 1
        else:
            found.add(count)
    return found


def _plain_ids(a: str, b: str) -> Relation:
    if a == b:
        return Relation.SAME
    first, second = a.casefold(), b.casefold()
    if first == second:
        return Relation.LIKELY
    if not (_cuts(first) <= _cuts(second) or _cuts(second) <= _cuts(first)):
        return Relation.DIFFERENT  # a hyphen may be left out, but not moved
    # ORD-2024-001 may be written ORD2024001; but 12-34A is not 1-234A.
    parted = [_PARTING.sub("-", text) for text in (first, second)]
    if _cuts(first) == _cuts(second) and _SLASHED.sub("-", first) == _SLASHED.sub("-", second):
        return Relation.LIKELY  # INV/2024/0031 and INV-2024-0031
    is_long = len(_digits(first)) >= 7 and first.replace("-", "").isdigit()
    if not (is_long or any(c.isalpha() for c in first)) or parted[0].replace("-", "") != parted[1].replace("-", ""):
        return Relation.DIFFERENT
    is_bare = any("-" not in text for text in parted)
    return (
        Relation.LIKELY if is_bare or _BORDER.sub("", parted[0]) == _BORDER.sub("", parted[1]) else Relation.DIFFERENT
    )


_VERSION_WORD = re.compile(r"^(?:version|ver|v|r)\.? ?")
_PARTING = re.compile(r"[-_ ]+")
_SLASHED = re.compile(r"[-_/ ]")
_BORDER = re.compile(r"(?<=[a-z])-(?=\d)|(?<=\d)-(?=[a-z])|(?<=[a-z])-(?=[a-z])")


def _phones(a: str, b: str) -> Relation:
    (first, _, inside), (second, _, other) = a.lstrip("0").partition("x"), b.lstrip("0").partition("x")
    if inside != other:
        return Relation.DIFFERENT if inside and other else Relation.DOUBTFUL
    if first == second:
        return Relation.SAME
    shorter, longer = sorted((first, second), key=len)
    if longer.endswith(shorter):
        return Relation.SAME if len(shorter) >= 9 else Relation.LIKELY if len(shorter) >= 7 else Relation.DIFFERENT
    return Relation.DIFFERENT


def _versions(a: Fact, b: Fact) -> Relation:
    first, second = a.value, b.value
    if first == second:
        return Relation.SAME
    if isinstance(first, tuple) and isinstance(second, tuple) and first[-1] == second[-1]:
        shorter, longer = sorted((first[:-1], second[:-1]), key=len)
        if longer[: len(shorter)] == shorter and not any(longer[len(shorter) :]):
            return Relation.LIKELY
    return Relation.DIFFERENT


def _urls(a: str, b: str) -> Relation:
    if a == b:
        return Relation.SAME
    return (
        Relation.DOUBTFUL
        if a.casefold() == b.casefold() or a.partition("#")[0] == b.partition("#")[0]
        else Relation.DIFFERENT
    )


# --- dates --------------------------------------------------------------------------------------------------------


def _times(a: Fact, b: Fact) -> Relation:
    if "range" in (a.bound, b.bound):
        if a.bound != b.bound:
            return Relation.DOUBTFUL
        return Relation.DIFFERENT if a.value != b.value else Relation.SAME if a.unit == b.unit else Relation.LIKELY
    if a.unit and b.unit and a.unit != b.unit:
        if a.unit.lstrip("-").isdigit() and b.unit.lstrip("-").isdigit():
            first = int(str(a.value)) - int(a.unit) * 60
            second = int(str(b.value)) - int(b.unit) * 60
            return Relation.SAME if (first - second) % 86_400 == 0 else Relation.DIFFERENT
        return Relation.DOUBTFUL if a.value == b.value else Relation.DIFFERENT
    if a.value != b.value:
        return Relation.DIFFERENT
    if a.bound != b.bound:
        return Relation.DOUBTFUL
    return Relation.SAME if a.unit == b.unit else Relation.LIKELY


@dataclass(frozen=True, slots=True)
class _Days:
    """A span of days; a year of None on both ends where none was said."""

    first: tuple[int | None, int, int]
    last: tuple[int | None, int, int]

    def is_in(self, other: "_Days") -> bool:
        if None in (self.first[0], other.first[0]):
            return other.first[1:] <= self.first[1:] and self.last[1:] <= other.last[1:]
        return other.first <= self.first and self.last <= other.last


def _days(fact: Fact) -> _Days | None:
    value = fact.value
    if fact.kind == "number":
        if not is_year(fact):
            return None
        year = int(str(value))
        return _Days((year, 1, 1), (year, 12, 31))
    if not isinstance(value, tuple):
        return None
    if fact.kind == "date":
        return _Days(value, value)
    if fact.kind == "datetime":
        return _Days(value[0], value[0])
    if fact.kind == "period" and value[0] == "days":
        return _Days(value[1], value[2])
    if fact.kind == "period" and value[0] == "months":
        return _Days((None, value[1], 1), (None, value[2], calendar.monthrange(2024, value[2])[1]))
    return None


def _dates(a: Fact, b: Fact) -> Relation:  # noqa: PLR0911  one answer for each case
    if a.kind == b.kind == "datetime":
        return _instants(a, b)
    if a.kind == b.kind and a.value == b.value:
        if a.bound != b.bound:
            return Relation.DOUBTFUL if "" in (a.bound, b.bound) else Relation.DIFFERENT
        if a.kind == "date" and a.unit and b.unit and a.unit != b.unit:
            return Relation.DIFFERENT
        return Relation.SAME
    if {a.kind, b.kind} == {"date", "datetime"}:
        return _date_and_instant(a, b)
    first, second = _days(a), _days(b)
    if first and second:
        return _spans(a, b, first, second)
    if "weekday" in (a.kind, b.kind):
        return _weekdays(a, b)
    if "relative" in (a.kind, b.kind):
        return _relatives(a, b)
    if "number" in (a.kind, b.kind) and not (_is_yearly(a) or _is_yearly(b)):
        return Relation.UNRELATED
    if a.kind == b.kind == "period" and isinstance(a.value, tuple) and isinstance(b.value, tuple):
        return _periods(a.value, b.value)
    return Relation.DIFFERENT


def _is_yearly(fact: Fact) -> bool:
    return fact.kind == "number" and is_year(fact)


def _periods(a: tuple[object, ...], b: tuple[object, ...]) -> Relation:
    """Periods of which at least one hangs on a calendar of its own (fiscal, week, part of a year)."""
    if a[0] == b[0] and len(a) > 2 and a[2:] == b[2:] and None in (a[1], b[1]):
        return Relation.LIKELY
    names = {str(a[0]), str(b[0])}
    if any(name.startswith("fiscal") for name in names) and names & {"days", "months"}:
        return Relation.DOUBTFUL
    return Relation.DIFFERENT


def _instants(a: Fact, b: Fact) -> Relation:
    if not isinstance(a.value, tuple) or not isinstance(b.value, tuple):
        return Relation.DIFFERENT
    offsets = (a.unit, b.unit)
    if all(offset.lstrip("-").isdigit() for offset in offsets):
        first, second = (
            datetime.date(*fact.value[0]).toordinal() * 86_400 + fact.value[1] - int(fact.unit) * 60  # type: ignore[index]
            for fact in (a, b)
        )
        return Relation.SAME if first == second else Relation.DIFFERENT
    if a.value != b.value:
        return Relation.DIFFERENT
    return Relation.SAME if a.unit == b.unit else Relation.LIKELY


def _date_and_instant(a: Fact, b: Fact) -> Relation:
    date, instant = (a, b) if a.kind == "date" else (b, a)
    if not isinstance(instant.value, tuple) or not isinstance(date.value, tuple):
        return Relation.DIFFERENT
    day, seconds = instant.value
    if date.value == day:
        return Relation.SAME if seconds == 0 else Relation.LIKELY
    return Relation.LIKELY if date.value[0] is None and date.value[1:] == day[1:] else Relation.DIFFERENT


def _spans(a: Fact, b: Fact, first: _Days, second: _Days) -> Relation:
    if first == second:
        if a.bound != b.bound:
            return Relation.DOUBTFUL if "" in (a.bound, b.bound) else Relation.DIFFERENT
        return Relation.SAME
    if (first.first[0] is None) != (second.first[0] is None):
        same = (first.first[1:], first.last[1:]) == (second.first[1:], second.last[1:])
        if same and a.kind == b.kind == "date" and a.unit and b.unit and a.unit != b.unit:
            return Relation.DIFFERENT
        if same:
            return Relation.LIKELY
    if first.is_in(second) or second.is_in(first):
        # A day inside a month, a quarter inside a year: neither the same nor a contradiction of it.
        return Relation.DOUBTFUL if a.kind != b.kind or a.kind == "number" else Relation.DIFFERENT
    return Relation.DIFFERENT


def _weekdays(a: Fact, b: Fact) -> Relation:
    if a.kind == b.kind:
        return Relation.DIFFERENT
    weekday, other = (a, b) if a.kind == "weekday" else (b, a)
    if other.kind == "date" and isinstance(other.value, tuple):
        if other.unit:
            return Relation.DOUBTFUL if other.unit == f"weekday {weekday.value}" else Relation.DIFFERENT
        year, month, day = other.value
        if year is not None:
            return Relation.DOUBTFUL if calendar.weekday(year, month, day) == weekday.value else Relation.DIFFERENT
        return Relation.DOUBTFUL
    if other.kind == "relative" and isinstance(other.value, tuple) and other.value[0] == "weekday":
        return Relation.DOUBTFUL if other.value[2] == weekday.value else Relation.DIFFERENT
    return Relation.DIFFERENT if other.kind == "relative" else Relation.UNRELATED


def _rolling_days(value: tuple[object, ...]) -> int | None:
    """How many days from now a relative date is, or a span reaches; None where it is not of days or weeks."""
    if value[0] == "day" and isinstance(value[1], int):
        return value[1]
    if value[0] == "rolling" and value[2] in ("day", "week"):
        return int(str(value[1])) * int(str(value[3])) * (7 if value[2] == "week" else 1)
    return None


_FIFTEEN = re.compile(r"\b(?:15|quince|quinze)\b", re.IGNORECASE)
_WEEKS = re.compile(r"semana|quincena|quinzena|fortnight|week", re.IGNORECASE)


def _same_fortnight(a: Fact, b: Fact, first: int, second: int) -> bool:
    """Whether two spans are the same, or one is the fifteen days that Spanish and Portuguese call two weeks."""
    kinds = {value.value[0] for value in (a, b) if isinstance(value.value, tuple)}
    if len(kinds) > 1:
        return False
    return first == second or (
        sorted((abs(first), abs(second))) == [14, 15] and first * second > 0 and _are_two_weeks(a.text, b.text)
    )


def _are_two_weeks(a: str, b: str) -> bool:
    return any(_FIFTEEN.search(x) and re.search("d[ií]as", x) and _WEEKS.search(y) for x, y in ((a, b), (b, a)))


def _starts_year(fact: Fact) -> bool:
    value = fact.value
    return isinstance(value, tuple) and (
        (fact.kind == "date" and value[1:] == (1, 1)) or (fact.kind == "period" and value[:2] == ("months", 1))
    )


# A year ago is a moment of last year; what is the next weekend hangs on who says it.
_NEARLY: tuple[set[tuple[object, ...]], ...] = (
    {("year", -1), ("at", "month", -12)},
    {("weekend", 0), ("weekend", 1)},
)


def _relatives(a: Fact, b: Fact) -> Relation:
    if a.kind == b.kind and isinstance(a.value, tuple) and isinstance(b.value, tuple):
        first, second = a.value, b.value
        days, others = _rolling_days(first), _rolling_days(second)
        if days is not None and others is not None and _same_fortnight(a, b, days, others):
            return Relation.SAME if days == others else Relation.LIKELY
        if {first, second} in _NEARLY:
            return Relation.DOUBTFUL
        if first[0] == second[0] == "weekday" and first[2] == second[2] and "this" in (first[1], second[1]):
            return Relation.DOUBTFUL
        if {first[0], second[0]} == {"weekend", "some weekend"}:
            return Relation.LIKELY if 0 in (first[-1], second[-1]) else Relation.DOUBTFUL
        if {first[0], second[0]} == {"rolling", "week"}:
            rolling, week = (first, second) if first[0] == "rolling" else (second, first)
            if rolling[1:] == (week[1], "day", 7):
                return Relation.DOUBTFUL
        return Relation.DIFFERENT
    dated, said = (a, b) if a.kind == "relative" else (b, a)
    if dated.value == ("to date", "year") and said.bound == ">=" and _starts_year(said):
        return Relation.LIKELY  # "since January"
    # What today is, nobody says.
    return Relation.DOUBTFUL if {a.kind, b.kind} & {"date", "datetime", "period"} else Relation.UNRELATED


# --- lists of facts -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matched:
    """Two lists of facts matched: pairs with their relation, and what is left on each side.

    ``is_cut`` where there were more than are compared one with another.
    """

    pairs: tuple[tuple[Fact, Fact, Relation], ...]
    left_a: tuple[Fact, ...]
    left_b: tuple[Fact, ...]
    is_cut: bool = False

    @property
    def worst(self) -> Relation:
        """The weakest relation of a pair; SAME where there are none."""
        return min((pair[2] for pair in self.pairs), default=Relation.SAME)


_MOST_PAIRS = 2_500  # facts of two texts that are compared one with another


def _take_identical(left_a: list[Fact], left_b: list[Fact]) -> list[tuple[Fact, Fact, Relation]]:
    """Take out the facts that are the same to the last, which needs no comparing of each with each."""
    known: dict[object, list[Fact]] = {}
    for fact in left_b:
        known.setdefault((fact.kind, fact.value, fact.unit, fact.bound), []).append(fact)
    pairs = []
    kept = []
    for fact in left_a:
        same = known.get((fact.kind, fact.value, fact.unit, fact.bound))
        if same:
            pairs.append((fact, same.pop(0), Relation.SAME))
        else:
            kept.append(fact)
    left_a[:] = kept
    left_b[:] = sorted((fact for facts in known.values() for fact in facts), key=lambda fact: fact.start)
    return pairs


def match_facts(a: Sequence[Fact], b: Sequence[Fact]) -> Matched:
    """Pair the facts of two texts as multisets: equal ones first, then likely, doubtful, and contradicting ones."""
    left_a, left_b = list(a), list(b)
    pairs: list[tuple[Fact, Fact, Relation]] = []
    if len(left_a) * len(left_b) > 16:
        pairs = _take_identical(left_a, left_b)
    if len(left_a) * len(left_b) > _MOST_PAIRS:
        return Matched(tuple(pairs), tuple(left_a), tuple(left_b), is_cut=True)
    for wanted in (Relation.SAME, Relation.LIKELY, Relation.DOUBTFUL, Relation.DIFFERENT):
        for fact in list(left_a):
            other = next((one for one in left_b if relation(fact, one) is wanted), None)
            if other is not None:
                left_a.remove(fact)
                left_b.remove(other)
                pairs.append((fact, other, wanted))
    return Matched(tuple(pairs), tuple(left_a), tuple(left_b))
