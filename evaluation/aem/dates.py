"""ISO 8601 dates and date-times, compared as the rule for ``date`` says."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

_DATE = r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})|(?P<month2>[0-9]{2})(?P<day2>[0-9]{2})"
_WEEK = r"|-?W(?P<week>[0-9]{2})-?(?P<weekday>[1-7])|-?(?P<ordinal>[0-9]{3}))"
_TIME = (
    r"(?P<hour>[0-9]{2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,30}))?)?"
    r"|(?P<minute2>[0-9]{2})(?:(?P<second2>[0-9]{2})(?:[.,](?P<part2>[0-9]{1,30}))?)?)?"
)
_ZONE = r"(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
_MOMENT = re.compile(f"{_DATE}{_WEEK}(?:[Tt ]{_TIME}{_ZONE})?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, or a date-time with its seconds since midnight and its zone in minutes, as far as they were written."""

    day: int
    seconds: Fraction | None = None
    zone: int | None = None


def moment_of(value: object) -> Moment | None:
    """The date or date-time that a text is; None where it is none."""
    found = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    part = found.groupdict()
    day = _day(part)
    if day is None or part["hour"] is None:
        return None if day is None else Moment(day)
    hour, minute = int(part["hour"]), int(part["minute"] or part["minute2"] or 0)
    second = int(part["second"] or part["second2"] or 0)
    fraction = part["part"] or part["part2"] or ""
    seconds = hour * 3600 + minute * 60 + second + (Fraction(int(fraction), 10 ** len(fraction)) if fraction else 0)
    # 24:00 is midnight at the end of the day; a leap second is written as second 60.
    if minute > 59 or second > 60 or hour > 24 or (hour == 24 and seconds != 86400):
        return None
    zone = _zone(part["zone"])
    if zone is None and part["zone"]:
        return None
    return Moment(day + (hour == 24), Fraction(seconds % 86400 if hour == 24 else seconds), zone)


def _day(part: dict[str, str | None]) -> int | None:
    year = int(part["year"] or 0)
    try:
        if part["week"]:
            return date.fromisocalendar(year, int(part["week"]), int(part["weekday"] or 0)).toordinal()
        if part["ordinal"]:
            first, offset = date(year, 1, 1), int(part["ordinal"])
            day = first + timedelta(days=offset - 1)
            return day.toordinal() if offset and day.year == year else None
        return date(year, int(part["month"] or part["month2"] or 0), int(part["day"] or part["day2"] or 0)).toordinal()
    except (ValueError, OverflowError):
        return None


def _zone(written: str | None) -> int | None:
    if not written:
        return None
    if written in "Zz":
        return 0
    digits = written[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        return None
    return (-1 if written[0] == "-" else 1) * (hours * 60 + minutes)


def same_moment(expected: Moment, observed: Moment) -> bool:
    """A date beside a date-time by its date; two date-times as instants where both have a zone, else as written."""
    if expected.seconds is None or observed.seconds is None:
        return expected.day == observed.day
    if expected.zone is not None and observed.zone is not None:
        return _instant(expected) == _instant(observed)
    return expected.day == observed.day and expected.seconds == observed.seconds


def _instant(moment: Moment) -> Fraction:
    return moment.day * 86400 + (moment.seconds or 0) - Fraction((moment.zone or 0) * 60)
