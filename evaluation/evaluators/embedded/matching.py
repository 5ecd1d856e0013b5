"""Which words, facts and names of a golden reply stand in an observed one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded.facts import Fact
from evaluation.evaluators.embedded.facts.model import Reading as FactReading
from evaluation.evaluators.embedded.reading import Meaning, Name, Reading, Side, Term
from evaluation.evaluators.embedded.replywords import words
from evaluation.evaluators.embedded.vocabulary import are_lookalikes

_SHORTEST_ROOT = 4
_SHORTEST_COGNATE = 5
_MOST_LINKS = 12_000


@dataclass(slots=True)
class Matching:
    """A golden beside a reply.

    ``words`` has, by the golden's token, the tokens of the reply that mean the same; ``facts`` and ``names`` the same
    by number. ``denying`` are pairs of tokens that mean the same with the denial in them ("not eat", "fast"), and
    ``links`` the expressions that match. ``used`` are the tokens of the reply that something of the golden matched.
    """

    golden: Reading
    reply: Reading
    words: dict[int, set[int]] = field(default_factory=dict)
    facts: dict[int, list[int]] = field(default_factory=dict)
    names: dict[int, list[int]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    used_facts: set[int] = field(default_factory=set)
    used_names: set[int] = field(default_factory=set)
    denying: set[tuple[int, int]] = field(default_factory=set)
    links: list[tuple[Term, Term]] = field(default_factory=list)
    is_cut: bool = False  # there were too many links to follow them all

    def has(self, at: int) -> bool:
        """Whether a token of the golden is found in the reply."""
        return bool(self.words.get(at))


def match(golden: Reading, reply: Reading) -> Matching:
    """Find what of a golden stands in a reply."""
    found = Matching(golden, reply)
    _match_facts(found)
    _match_names(found)
    _match_terms(found)
    _give_back(found)
    return found


def _give_back(found: Matching) -> None:
    """Leave a word of the reply to the one of a sentence that it is, where it could also stand for another one there.

    "Changed because of a swap" is not said by "changed", though a swap is a change.
    """
    golden, reply = found.golden, found.reply
    charge = words("charge", golden.language)
    owners: dict[tuple[int, str], set[int]] = {}
    for at, token in enumerate(golden.tokens):
        if token.is_content and token.fact < 0:
            owners.setdefault((token.sentence, token.stem), set()).add(at)
    for at, places in found.words.items():
        token = golden.tokens[at]
        if not token.is_content or token.fact >= 0 or token.name >= 0 or token.word in charge:
            continue  # "no fee is charged" is "no fee"
        kept = {
            place
            for place in places
            if reply.tokens[place].stem == token.stem
            or not (owners.get((token.sentence, reply.tokens[place].stem), set()) - {at})
        }
        if kept != places and not any(
            reply.tokens[place].fact >= 0 or reply.tokens[place].name >= 0 for place in places
        ):
            found.words[at] = kept


# -- words ---------------------------------------------------------------------------------------------------------


def _match_terms(found: Matching) -> None:
    golden, reply = found.golden, found.reply
    is_one_language = golden.language == reply.language or not golden.language or not reply.language
    by_stems: dict[tuple[str, ...], list[Term]] = {}
    by_concept: dict[tuple[str, int], list[Term]] = {}
    for term in reply.terms:
        if term.stems:
            by_stems.setdefault(term.stems, []).append(term)
        for concept in term.meaning.concepts:
            by_concept.setdefault(concept, []).append(term)
    singles = [term for term in reply.terms if len(term.stems) == 1]
    # By their ids: expressions of both texts with their "not" in them.
    denying = {id(term) for reading in (golden, reply) for term in reading.terms if denies(reading, term)}
    for term in golden.terms:
        if not term.stems:
            continue
        others = {id(other): other for other in by_stems.get(term.stems, ())}
        for concept in term.meaning.concepts:
            for other in by_concept.get(concept, ()):
                if not excludes(term.meaning, other.meaning):
                    others[id(other)] = other
        if term.last - term.first == 1 and not others:
            for other in singles:
                is_related = are_related(term.stems[0], other.stems[0], is_one_language=is_one_language)
                if is_related and not are_opposed(term.meaning, other.meaning):
                    others[id(other)] = other
        for other in others.values():
            _note(found, term, other, is_denying=id(term) in denying or id(other) in denying)
        if len(found.links) > _MOST_LINKS:
            found.is_cut = True
            return


def _note(found: Matching, term: Term, other: Term, *, is_denying: bool) -> None:
    found.links.append((term, other))
    # "Went out" covers all of "was shipped"; the small words of an expression are part of it.
    theirs = {at for at in range(other.first, other.last) if found.reply.tokens[at].fact < 0}
    for at in range(term.first, term.last):
        if found.golden.tokens[at].is_content and found.golden.tokens[at].fact < 0:
            found.words.setdefault(at, set()).update(theirs)
    found.used |= theirs
    if is_denying:
        found.denying |= {(at, there) for at in range(term.first, term.last) for there in theirs}


def denies(reading: Reading, term: Term) -> bool:
    """Whether an expression has its "not" in it: "not eat", "sin coste"."""
    if term.last - term.first == 1:
        return False
    negators = words("negators", reading.language)
    return any(token.word in negators for token in reading.tokens[term.first : term.last])


@lru_cache(maxsize=65_536)
def are_related(a: str, b: str, *, is_one_language: bool) -> bool:
    """Whether two stems are of one root ("instal", "install"), or of two languages and alike ("inform")."""
    if a == b:
        return True
    shorter, longer = sorted((len(a), len(b)))
    shared = 0
    while shared < shorter and a[shared] == b[shared]:
        shared += 1
    if is_one_language:
        return shared >= _SHORTEST_ROOT and shared >= 0.75 * longer and not are_lookalikes(a, b, "")
    return (shared >= _SHORTEST_COGNATE and shared >= 0.65 * longer) or (shared >= 4 and shared >= 0.8 * longer)


def excludes(a: Meaning, b: Meaning) -> bool:
    """Whether two terms exclude each other: opposites, or siblings of one set."""
    if (is_told := _others(a.contrasts, b.contrasts)) and any(label == "r" for label, _ in a.concepts & b.concepts):
        # In a reply the two may stand for each other, though as values they differ.
        is_told = are_told_apart(a, b)
    return is_told or are_opposed(a, b)


def are_told_apart(a: Meaning, b: Meaning) -> bool:
    """Whether two terms are different siblings in the lists of replies, which name things rather than values."""
    mine = frozenset(side for side in a.contrasts if side[0] == "x")
    return _others(mine, frozenset(side for side in b.contrasts if side[0] == "x"))


def are_opposed(a: Meaning, b: Meaning) -> bool:
    """Whether one term denies the other. Words of one concept never do."""
    if not a.opposites or not b.opposites or a.concepts & b.concepts:
        return False
    return _on_other_sides(a.opposites, b.opposites)


@lru_cache(maxsize=16_384)
def _on_other_sides(a: frozenset[Side], b: frozenset[Side]) -> bool:
    mine, theirs = _by_line(a), _by_line(b)
    return any(mine[line].isdisjoint(theirs[line]) for line in mine.keys() & theirs.keys())


def are_contrasted(a: Meaning, b: Meaning) -> bool:
    """Whether two terms are different siblings of one set."""
    return _others(a.contrasts, b.contrasts)


@lru_cache(maxsize=16_384)
def _others(a: frozenset[Side], b: frozenset[Side]) -> bool:
    if not a or not b:
        return False
    mine, theirs = _by_line(a), _by_line(b)
    shared = mine.keys() & theirs.keys()
    return any(mine[line].isdisjoint(theirs[line]) for line in shared) and not any(
        mine[line] & theirs[line] for line in shared
    )


@lru_cache(maxsize=16_384)
def _by_line(sides: frozenset[Side]) -> dict[tuple[str, int], set[int]]:
    found: dict[tuple[str, int], set[int]] = {}
    for label, line, side in sides:
        found.setdefault((label, line), set()).add(side)
    return found


# -- facts ---------------------------------------------------------------------------------------------------------


def _match_facts(found: Matching) -> None:
    taken: set[int] = set()
    theirs = [(other, other.readings) for other in found.reply.facts]
    for number, fact in enumerate(found.golden.facts):
        own = fact.readings
        equal = [at for at, (_, readings) in enumerate(theirs) if _have_equal(own, readings)]
        found.facts[number] = equal
        taken.update(equal)
    for number, fact in enumerate(found.golden.facts):
        if not found.facts[number]:
            # The ends of a range may stand apart, and one reading may have taken more than the other.
            loose = [
                at
                for at, other in enumerate(found.reply.facts)
                if (at not in taken and are_alike(fact, other)) or _is_year_of(fact, other)
            ]
            if not loose:
                loose = _ends(fact, found.reply.facts)
            loose = loose or _often(fact, found.reply.facts) or _hours(fact, found.reply.facts)
            loose = loose or _pieces(fact, found.reply.facts)
            found.facts[number] = loose
            if not loose:
                _match_letters(found, number)
    for number, numbers in found.facts.items():
        found.used_facts.update(numbers)
        places = {at for one in numbers for at in range(*found.reply.fact_tokens[one])}
        if places:
            for at in range(*found.golden.fact_tokens[number]):
                found.words.setdefault(at, set()).update(places)
            found.used |= places


_CLOCK = re.compile(r"[:h]|[ap]\.?m", re.IGNORECASE)


def _pieces(fact: Fact, others: tuple[Fact, ...]) -> list[int]:
    """The numbers of what was taken for a time without looking like one: "from 3.2 to 4.1 minutes"."""
    if fact.kind != "time" or _CLOCK.search(fact.text):
        return []
    digits = set(digits_of(fact))
    found = [
        at for at, one in enumerate(others) if one.kind in ("number", "quantity") and set(digits_of(one)) <= digits
    ]
    return found if {run for at in found for run in digits_of(others[at])} == digits else []


def _hours(fact: Fact, others: tuple[Fact, ...]) -> list[int]:
    """A full hour in a range of hours that was read as something else: "entre las 9 y las 20 h"."""
    if fact.kind != "time" or not isinstance(fact.value, int) or fact.value % 3_600:
        return []
    hour = str(fact.value // 3_600)
    kinds = ("quantity", "number", "time", "period", "id")
    return [
        at for at, one in enumerate(others) if one.kind in kinds and len(digits_of(one)) > 1 and hour in digits_of(one)
    ]


def _often(fact: Fact, others: tuple[Fact, ...]) -> list[int]:
    """ "Twice a day" as "two times daily": the number and the day apart."""
    if fact.kind != "recurrence" or not isinstance(fact.value, tuple) or fact.value[0] != "times":
        return []
    _, unit, count = fact.value
    days = [at for at, one in enumerate(others) if one.kind == "recurrence" and one.value == ("every", unit, 1)]
    counts = [at for at, one in enumerate(others) if one.kind == "number" and one.value == count]
    return [*days[:1], *counts[:1]] if days and (counts or count == 1) else []


def _match_letters(found: Matching, number: int) -> None:
    """A fact that stands in the reply letter for letter, where it was not read as one: "May brought …"."""
    golden, reply = found.golden, found.reply
    first, last = golden.fact_tokens[number]
    listed = [token.written for token in golden.tokens[first:last]]
    size = len(listed)
    for at in range(len(reply.tokens) - size + 1):
        place = reply.tokens[at : at + size]
        if [token.written for token in place] == listed and all(token.fact < 0 for token in place):
            _link(found, range(first, last), range(at, at + size))
            return


def are_equal(a: Fact, b: Fact) -> bool:
    """Whether two facts may be the same value. Which bound they are of is not asked here."""
    return _have_equal(a.readings, b.readings)


def _have_equal(mine: Iterable[FactReading], theirs: Iterable[FactReading]) -> bool:
    for one in mine:
        for other in theirs:
            if one.kind != other.kind and {one.kind, other.kind} != {"date", "datetime"}:
                continue
            if not _units_agree(one.kind, one.unit, other.unit):
                continue
            if _values_agree(one.kind, one.value, other.value):
                return True
    return False


def _units_agree(kind: str, a: str, b: str) -> bool:
    if kind == "money":
        return (
            a == b
            or not a
            or not b
            or ("$" in (a, b) and {a, b} <= {"$", "USD", "CAD", "AUD", "MXN", "ARS", "CLP", "COP"})
        )
    if kind in ("time", "date", "datetime", "id", "phone", "email", "url", "version", "code", "period"):
        return True  # a zone or weekday that one of them leaves out
    return a == b


def _values_agree(kind: str, a: object, b: object) -> bool:
    if a == b:
        return True
    if kind == "date" and isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) == 3:
        # A year, or a month, that one of them leaves out.
        return a[2] == b[2] and all(x is None or y is None or x == y for x, y in zip(a[:2], b[:2], strict=True))
    if kind == "phone":
        return str(a)[-9:] == str(b)[-9:]
    if kind == "id":
        return _bare(str(a)) == _bare(str(b))
    return False


@lru_cache(maxsize=4_096)
def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


# Kinds of which one may be the other, read too simply: "16" of "16 fully paid weeks", "8h" as a length of time.
_CONFUSED = (
    {"number", "quantity"}, {"number", "id"}, {"number", "time"}, {"number", "date"}, {"number", "period"},
    {"number", "ordinal"}, {"number", "phone"}, {"number", "relative"}, {"number", "recurrence"}, {"number", "money"},
    {"number", "version"}, {"id", "phone"}, {"id", "version"}, {"id", "quantity"}, {"id", "time"}, {"time", "quantity"},
    {"quantity", "relative"}, {"date", "ordinal"}, {"date", "period"}, {"date", "datetime"}, {"time", "datetime"},
    {"quantity", "recurrence"}, {"id", "date"},
)  # fmt: skip


def are_alike(a: Fact, b: Fact) -> bool:
    """Whether two facts of different kinds are written with the same digits, one of them being read too simply."""
    if {a.kind, b.kind} not in _CONFUSED:
        return False
    if a.kind == "relative" or b.kind == "relative":
        lasting = _lasting(a), _lasting(b)
        if lasting[0] is not None and lasting[0] == lasting[1]:
            return True
    if _is_hour(a, b) or _is_hour(b, a):
        return True
    mine, theirs = digits_of(a), digits_of(b)
    return bool(mine) and (mine == theirs or _is_year_of(a, b) or _is_year_of(b, a))


_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}


_MONTHS = {"month": 1, "year": 12}


def _lasting(fact: Fact) -> object:
    """How long a fact lasts, in seconds or in months: "the next four hours" as "four hours"."""
    if fact.kind == "quantity" and fact.unit == "months":
        return "months", fact.value
    if fact.kind == "quantity" and fact.unit == "duration":
        return fact.value
    if fact.kind == "quantity" and fact.unit == "working days" and isinstance(fact.value, Fraction):
        return fact.value * _SECONDS["day"]
    if (
        fact.kind == "relative"
        and isinstance(fact.value, tuple)
        and len(fact.value) == 4
        and fact.value[0] == "rolling"
    ):
        unit, count = fact.value[2], fact.value[3]
        return _SECONDS[unit] * count if unit in _SECONDS else None
    if fact.kind == "relative" and isinstance(fact.value, tuple) and len(fact.value) == 3 and fact.value[0] == "at":
        unit, count = fact.value[1], fact.value[2]
        if unit in _MONTHS and isinstance(count, int):
            return "months", _MONTHS[unit] * count
        return _SECONDS[unit] * count if unit in _SECONDS and isinstance(count, int) else None
    if fact.kind == "relative" and isinstance(fact.value, tuple) and len(fact.value) == 2:
        # "In ten days", of which the reader has not told working days.
        unit, count = fact.value
        if unit in _SECONDS and isinstance(count, int) and count > 0:
            return _SECONDS[unit] * count
    return None


def _is_hour(a: Fact, b: Fact) -> bool:
    """Whether a bare number is a full hour: the 9 of "between 9 and 11 AM"."""
    if a.kind != "time" or b.kind not in ("number", "quantity") or not isinstance(a.value, int) or a.value % 3_600:
        return False
    hour = a.value // 3_600
    return digits_of(b) in ((str(hour),), (str(hour % 12),))


def _is_year_of(a: Fact, b: Fact) -> bool:
    """Whether a bare year is that of a period: "the same quarter of 2023" of "Q3 2023"."""
    years = digits_of(a)
    is_year = a.kind == "number" and len(years) == 1 and len(years[0]) == 4
    return is_year and b.kind in ("period", "date") and years[0] in digits_of(b)


@lru_cache(maxsize=8_192)
def digits_of(fact: Fact) -> tuple[str, ...]:
    """The runs of digits in which a fact is written, without leading zeros; its value where it is in words."""
    runs, current = [], ""
    for character in fact.text + " ":
        if character.isdigit():
            current += character
        elif current:
            runs.append(current.lstrip("0") or "0")
            current = ""
    if not runs and fact.kind == "number":
        return (str(fact.value),)
    if not runs and fact.kind == "quantity" and isinstance(fact.value, Fraction):
        # "Six days" is written with a 6.
        for size in _SIZES.get(fact.unit, ()):
            if (count := fact.value / size).denominator == 1 and 0 < count < 100:
                return (str(count),)
    return tuple(runs)


# From the largest: so a quantity in words is taken to be counted.
_SIZES = {"duration": (604_800, 86_400, 3_600, 60), "months": (12, 1), "working days": (1,)}


def _days(fact: Fact) -> tuple[object, ...]:
    """The first and the last day of a period of days; nothing for other facts."""
    if fact.kind == "period" and isinstance(fact.value, tuple) and len(fact.value) == 3 and fact.value[0] == "days":
        return fact.value[1:]
    return ()


def _ends_of_days(fact: Fact, others: tuple[Fact, ...]) -> list[int]:
    """The dates that are the ends of a period of days, or the period of which a date, or its day, is one end."""
    if days := _days(fact):
        found = [at for at, other in enumerate(others) if other.kind == "date" and other.value in days]
        if len({others[at].value for at in found}) == 1:
            # "6 to 9 June": the first is a bare number.
            digits = {run for at in found for run in digits_of(others[at])}
            rest = [run for run in digits_of(fact) if run not in digits]
            found += [at for at, other in enumerate(others) if other.kind == "number" and digits_of(other) == (*rest,)]
        return found if len(found) >= 2 else []
    periods = [(at, _days(other)) for at, other in enumerate(others)]
    if fact.kind == "date":
        return [at for at, days in periods if fact.value in days]
    day = digits_of(fact)[:1]
    return [at for at, days in periods if days and fact.kind == "number" and day and day[0] in digits_of(others[at])]


def _ends(fact: Fact, others: tuple[Fact, ...]) -> list[int]:
    """The two facts that are the ends of a range, or the range of which a fact is one end."""
    if days := _ends_of_days(fact, others):
        return days
    if fact.bound == "range" and isinstance(fact.value, tuple):
        ends = []
        for end in fact.value:
            found = [
                at
                for at, other in enumerate(others)
                if any(r.value == end and r.unit == fact.unit for r in other.readings)
            ]
            if not found:
                return []
            ends.append(found[0])
        return ends
    for at, other in enumerate(others):
        if other.bound != "range" or not isinstance(other.value, tuple):
            continue
        if fact.kind == "number" and digits_of(fact) in (digits_of(other)[:1], digits_of(other)[1:]):
            return [at]
        if fact.kind != other.kind:
            continue
        if fact.value in other.value and fact.unit == other.unit:
            return [at]
    return []


# -- names ---------------------------------------------------------------------------------------------------------


def _match_names(found: Matching) -> None:
    golden, reply = found.golden, found.reply
    for number, name in enumerate(golden.names):
        same = [at for at, other in enumerate(reply.names) if are_same_name(name, other)]
        found.names[number] = same
        found.used_names.update(same)
        for at in same:
            other = reply.names[at]
            _link(found, range(name.first, name.last), range(other.first, other.last))
        if not same:
            # Written small, or at the beginning of a sentence.
            for at, token in enumerate(reply.tokens):
                if token.word == name.words[-1] and token.fact < 0:
                    _link(found, range(name.first, name.last), range(at, at + 1))
    # And names of the reply that are common words in the golden.
    for name in reply.names:
        for at, token in enumerate(golden.tokens):
            if token.name < 0 and token.word == name.words[-1] and token.is_content:
                _link(found, range(at, at + 1), range(name.first, name.last))
                found.used_names.add(reply.names.index(name))


def _link(found: Matching, mine: range, theirs: range) -> None:
    for at in mine:
        found.words.setdefault(at, set()).update(theirs)
    found.used.update(theirs)


def are_same_name(a: Name, b: Name) -> bool:
    """Whether two names are the same, or one is part of the other ("Ken Ito", "Ito")."""
    mine, theirs = [_possessed(w) for w in a.words], [_possessed(w) for w in b.words]
    if mine == theirs:
        return True
    short, long = sorted((mine, theirs), key=len)
    return len(short) < len(long) and set(short) <= set(long)


def _possessed(word: str) -> str:
    return word.removesuffix("'s").rstrip("'")
