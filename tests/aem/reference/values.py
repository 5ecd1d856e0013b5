"""Texts, numbers in texts, comparisons, and what it means that a value is grounded in a result."""

import datetime
import itertools
import json
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import Any

DIGITS = "0123456789"
MISSING = object()  # a path that leads nowhere; None is a value


# --- texts -----------------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """NFC, case folded, trimmed, runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def is_word_character(character: str) -> bool:
    """Letter, digit or underscore; the empty string stands for the edge of a text."""
    return character != "" and (character.isalnum() or character == "_")


def unsigned_number(run: str) -> Fraction | None:
    """Read ``1,250.5`` and the like: no leading zero, commas only in threes, at most one point."""
    whole, point, decimals = run.partition(".")
    if point and not (decimals and all(c in DIGITS for c in decimals)):
        return None
    groups = whole.split(",")
    if not all(group and all(c in DIGITS for c in group) for group in groups):
        return None
    if len(groups) > 1 and not (len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
        return None
    if groups[0].startswith("0") and groups != ["0"]:
        return None
    return Fraction("".join(groups) + point + decimals)


def numbers_with_places(text: str) -> list[tuple[Fraction, int, int]]:
    """Every number in a text, with the places of its first character (sign included) and after its last."""
    found = []
    at = 0
    while at < len(text):
        if text[at] not in DIGITS:
            at += 1
            continue
        start = end = at
        while start > 0 and text[start - 1] in ".,":
            start -= 1
        while end < len(text) and text[end] in DIGITS + ".,":
            end += 1
        at = end
        while text[end - 1] in ".,":  # the full stop or comma that ends a sentence belongs to the sentence,
            end -= 1
        while text[start] == ",":  # and so does a comma before a number, unlike a point, which makes it a decimal
            start += 1
        before = text[start - 1 : start]
        before_that = text[start - 2 : start - 1] if start >= 2 else ""
        after = text[end : end + 1]
        number = unsigned_number(text[start:end])
        if number is None or is_word_character(before) or is_word_character(after):
            continue
        if before in {"+", "-"} and not is_word_character(before_that) and before_that != ".":
            found.append((-number if before == "-" else number, start - 1, end))
        else:
            found.append((number, start, end))
    return found


def numbers_in(text: str) -> list[Fraction]:
    """Every number in a text as it is composed, in order."""
    return [number for number, _, _ in numbers_with_places(unicodedata.normalize("NFC", text))]


def text_as_number(text: str) -> Fraction | None:
    """The number that a text is as a whole, if it is one."""
    trimmed = text.strip()
    for number, start, end in numbers_with_places(trimmed):
        if start == 0 and end == len(trimmed):
            return number
    return None


def is_number(value: Any) -> bool:
    """A JSON number; a boolean is none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def exact(value: Any) -> Fraction:
    """A JSON number without loss; a float by its shortest spelling."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def as_number(value: Any) -> Fraction | None:
    """A number, or a text that is one."""
    if is_number(value):
        return exact(value)
    return text_as_number(value) if isinstance(value, str) else None


def stands_as_words(wanted: str, text: str) -> bool:
    """Whether a folded text stands in another as whole words; borders only where its edges are word characters."""
    wanted, text = fold(wanted), fold(text)
    if not wanted:
        return False
    for start in range(len(text) - len(wanted) + 1):
        end = start + len(wanted)
        if text[start:end] != wanted:
            continue
        if is_word_character(wanted[:1]) and is_word_character(text[start - 1 : start] if start else ""):
            continue
        if is_word_character(wanted[-1:]) and is_word_character(text[end : end + 1]):
            continue
        return True
    return False


def appears(value: Any, text: str) -> bool:
    """Whether a value appears in a text: as an equal number, or as whole words."""
    number = as_number(value)
    if number is not None:
        return number in numbers_in(text)
    return stands_as_words(value if isinstance(value, str) else json.dumps(value), text)


# --- comparisons -----------------------------------------------------------------------------------------------------


def json_type(value: Any) -> str:
    """The JSON type by name."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"


def equal_auto(golden: Any, observed: Any) -> bool:
    """``auto`` under the exact scorer."""
    kinds = {json_type(golden), json_type(observed)}
    if kinds == {"text"}:
        return fold(golden) == fold(observed)
    if kinds == {"number"}:
        return exact(golden) == exact(observed)
    if kinds == {"number", "text"}:
        return as_number(golden) is not None and as_number(golden) == as_number(observed)
    if kinds == {"boolean"}:
        return golden is observed
    if kinds == {"boolean", "text"}:
        as_text = [fold(v) if isinstance(v, str) else str(v).casefold() for v in (golden, observed)]
        return as_text[0] == as_text[1]
    if kinds == {"null"}:
        return True
    if kinds == {"list"}:
        return len(golden) == len(observed) and all(map(equal_auto, golden, observed))
    if kinds == {"object"}:
        return golden.keys() == observed.keys() and all(equal_auto(golden[key], observed[key]) for key in golden)
    return False


def equal_literal(golden: Any, observed: Any) -> bool:
    """``literal``: same JSON type and equal, deep, nothing folded."""
    if json_type(golden) != json_type(observed):
        return False
    if isinstance(golden, list):
        return len(golden) == len(observed) and all(map(equal_literal, golden, observed))
    if isinstance(golden, dict):
        return golden.keys() == observed.keys() and all(equal_literal(golden[key], observed[key]) for key in golden)
    if is_number(golden):
        return exact(golden) == exact(observed)
    return bool(golden == observed)


def equal_number(golden: Any, observed: Any, compare: dict[str, Any]) -> bool:
    """``number``: within the larger of the two tolerances, inclusive."""
    wanted, got = as_number(golden), as_number(observed)
    if wanted is None or got is None:
        return False
    tolerance = max(exact(compare.get("abs") or 0), exact(compare.get("rel") or 0) * abs(wanted))
    return abs(got - wanted) <= tolerance


def read_date(value: Any) -> datetime.date | datetime.datetime | None:
    """An ISO 8601 date or date-time; a datetime is told from a date by its class."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def equal_date(golden: Any, observed: Any) -> bool:
    """``date``: by the day where either is a day; as instants where both have a zone; else as written."""
    wanted, got = read_date(golden), read_date(observed)
    if wanted is None or got is None:
        return False
    if isinstance(wanted, datetime.datetime) and isinstance(got, datetime.datetime):
        if wanted.tzinfo is not None and got.tzinfo is not None:
            return wanted == got
        return wanted.replace(tzinfo=None) == got.replace(tzinfo=None)
    days = [v.date() if isinstance(v, datetime.datetime) else v for v in (wanted, got)]
    return days[0] == days[1]


def equal_set(golden: Any, observed: Any) -> bool:
    """``set``: some order of the observed list equals the golden list."""
    if not (isinstance(golden, list) and isinstance(observed, list) and len(golden) == len(observed)):
        return False
    return any(all(map(equal_auto, golden, order)) for order in itertools.permutations(observed))


def matches_regex(pattern: Any, observed: Any) -> bool:
    """``regex``: the whole value; a number by its JSON text."""
    text = str(observed) if is_number(observed) else observed
    return isinstance(pattern, str) and isinstance(text, str) and re.fullmatch(pattern, text) is not None


def passes(golden: Any, observed: Any, compare: dict[str, Any]) -> bool:
    """Whether an observed value passes for one golden value under a comparison ``{"as": name, …}``."""
    how = compare["as"]
    if how == "auto":
        return equal_auto(golden, observed)
    if how == "literal":
        return equal_literal(golden, observed)
    if how == "text":
        return isinstance(golden, str) and isinstance(observed, str) and fold(golden) == fold(observed)
    if how == "number":
        return equal_number(golden, observed, compare)
    if how == "date":
        return equal_date(golden, observed)
    if how == "boolean":
        return isinstance(golden, bool) and golden is observed
    if how == "regex":
        return matches_regex(golden, observed)
    if how == "set":
        return equal_set(golden, observed)
    if how == "list":
        return isinstance(golden, list) and equal_auto(golden, observed)
    if how == "object":
        return isinstance(golden, dict) and equal_auto(golden, observed)
    if how == "any":
        return observed is not None
    raise AssertionError(how)


# --- paths and grounding ---------------------------------------------------------------------------------------------


def path_steps(path: Any) -> list[str | int] | None:
    """The steps of ``$.a.b[0].c``, or None where the path is malformed."""
    if not isinstance(path, str) or not path.startswith("$"):
        return None
    steps: list[str | int] = []
    rest = path[1:]
    while rest:
        key = re.match(r"\.([^.\[\]]+)", rest)
        index = re.match(r"\[([0-9]+)\]", rest)
        if key:
            steps.append(key.group(1))
            rest = rest[key.end() :]
        elif index:
            steps.append(int(index.group(1)))
            rest = rest[index.end() :]
        else:
            return None
    return steps


def at_path(value: Any, path: str) -> Any:
    """What stands at a path, or MISSING."""
    for step in path_steps(path) or []:
        by_key = isinstance(step, str) and isinstance(value, dict) and step in value
        by_index = isinstance(step, int) and isinstance(value, list) and step < len(value)
        if not by_key and not by_index:
            return MISSING
        value = value[step]
    return value


def leaves(value: Any) -> list[Any]:
    """The scalars of a value, object keys left out."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list):
        return [value]
    return [leaf for part in parts for leaf in leaves(part)]


def leaf_grounded(leaf: Any, source: Any) -> bool:
    """Whether one scalar equals a scalar of the source, or appears in one of its texts."""
    if leaf is None or isinstance(leaf, bool) or (isinstance(leaf, str) and fold(leaf) == ""):
        return False
    short = isinstance(leaf, str) and text_as_number(leaf) is None and len(fold(leaf)) < 3
    for other in leaves(source):
        if equal_auto(leaf, other):
            return True
        if isinstance(other, str) and not short and appears(leaf, other):
            return True
    return False


def grounded(value: Any, source: Any) -> bool:
    """Whether every scalar of a value stands in the source; what holds no scalar is never grounded."""
    scalars = leaves(value)
    return bool(scalars) and all(leaf_grounded(leaf, source) for leaf in scalars)


def telling_numbers(text: str) -> list[Fraction]:
    """The numbers of a text without the integers 0 to 10, which stand anywhere by chance."""
    return [n for n in numbers_in(text) if not (n.denominator == 1 and 0 <= n <= 10)]


def number_grounded(number: Fraction, source: Any) -> bool:
    """Whether a number of a reply equals a scalar of the source or appears in one of its texts."""
    for other in leaves(source):
        if as_number(other) == number:
            return True
        if isinstance(other, str) and number in numbers_in(other):
            return True
    return False


def digit_run_stands(number: Fraction, source: Any) -> bool:
    """Whether the digits of an integer stand in a text of the source as a whole run of digits, leading zeros aside."""
    if number.denominator != 1:
        return False
    digits = str(abs(number.numerator))
    runs = [run for text in leaves(source) if isinstance(text, str) for run in re.findall("[0-9]+", text)]
    return digits in {run.lstrip("0") for run in runs}
