"""Dates, times, periods, relative dates and recurrences in a plain text of three languages."""

# ruff: noqa: E501, SIM905  tables and patterns are easier to check on one line

import calendar
import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded.facts.model import FactKind, Reading

_MONTHS = """
1 january jan enero ene janeiro
2 february feb febrero febr fevereiro fev
3 march mar marzo marco
4 april apr abril abr
5 may mayo maio mai
6 june jun junio junho
7 july jul julio julho
8 august aug agosto ago
9 september sep sept septiembre setiembre set setembro
10 october oct octubre outubro out
11 november nov noviembre novembro
12 december dec diciembre dic dezembro dez
"""
MONTHS = {word: int(line.split()[0]) for line in _MONTHS.strip().splitlines() for word in line.split()[1:]}
_SHY_MONTHS = {"may", "mar", "march", "set", "ago", "out", "jan", "dec", "sep", "sept", "mai", "ene", "dic", "dez", "fev",
               "feb", "febr", "apr", "abr", "jun", "jul", "aug", "oct", "nov"}  # fmt: skip
_WEEKDAYS = """
0 monday mondays mon lunes segunda-feira segundas-feiras segunda-feiras
1 tuesday tuesdays tue tues martes terca-feira tercas-feiras
2 wednesday wednesdays wed weds miercoles quarta-feira quartas-feiras
3 thursday thursdays thu thur thurs jueves quinta-feira quintas-feiras
4 friday fridays fri viernes sexta-feira sextas-feiras
5 saturday saturdays sat sabado sabados
6 sunday sundays sun domingo domingos
"""
WEEKDAYS = {word: int(line.split()[0]) for line in _WEEKDAYS.strip().splitlines() for word in line.split()[1:]}
_PT_WEEKDAYS = {
    "segunda": 0, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4,
    "segundas": 0, "tercas": 1, "quartas": 2, "quintas": 3, "sextas": 4,
}  # fmt: skip
_SHY_WEEKDAYS = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
_ORDINALS = """
1 first primer primero primera primeiro primeira
2 second segundo segunda
3 third tercer tercero tercera terceiro terceira
4 fourth cuarto cuarta quarto quarta
5 fifth quinto quinta
6 sixth sexto sexta
7 seventh septimo septima setimo setima
8 eighth octavo octava oitavo oitava
9 ninth noveno novena nono nona
10 tenth decimo decima
11 eleventh undecimo decimoprimeiro
12 twelfth duodecimo decimosegundo
20 twentieth vigesimo
"""
ORDINALS = {word: int(line.split()[0]) for line in _ORDINALS.strip().splitlines() for word in line.split()[1:]}
_UNITS = """
hour hour hours hora horas hr hrs
day day days dia dias
week week weeks semana semanas wk wks
month month months mes meses mos
quarter quarter quarters trimestre trimestres
half half semester semesters semestre semestres
year year years ano anos yr yrs
weekend weekend weekends finde findes
fortnight fortnight quincena quinzena
minute minute minutes minuto minutos mins
night night nights noche noches noite noites
decade decade decades decada decadas
century century centuries siglo siglos seculo seculos
"""
UNITS = {word: line.split()[0] for line in _UNITS.strip().splitlines() for word in line.split()[1:]}
UNITS |= dict.fromkeys(("fin de semana", "fines de semana", "fim de semana", "fins de semana"), "weekend")
_COUNTS = {
    **{str(n): n for n in range(1, 400)},
    **{word: n for n, words in enumerate(
        ("one un una uno um uma a an", "two dos dois duas", "three tres", "four cuatro quatro", "five cinco", "six seis",
         "seven siete sete", "eight ocho oito", "nine nueve nove", "ten diez dez", "eleven once onze", "twelve doce doze",
         "thirteen trece treze", "fourteen catorce quatorze", "fifteen quince quinze"), 1) for word in words.split()},
    "twenty": 20, "veinte": 20, "vinte": 20, "thirty": 30, "treinta": 30, "trinta": 30, "sixty": 60, "sesenta": 60,
    "sessenta": 60, "ninety": 90, "noventa": 90, "twenty-four": 24, "couple of": 2, "a couple of": 2, "un par de": 2, "um par de": 2,
    "forty-eight": 48, "seventy-two": 72,
}  # fmt: skip


def _any(words: object) -> str:
    return "|".join(sorted((re.escape(str(word)) for word in words), key=len, reverse=True))  # type: ignore[attr-defined]


_MON = rf"(?:{_any(MONTHS)})"
_WD = rf"(?:{_any([*WEEKDAYS, *_PT_WEEKDAYS])})"
_ORD = rf"(?:{_any(ORDINALS)})"
_N = rf"(?:\d{{1,3}}|{_any(word for word in _COUNTS if not word.isdigit() and word not in ('a', 'an'))})"
_UNIT = rf"(?:{_any(UNITS)})"
_YEAR = r"(?:1[5-9]\d\d|20\d\d|21\d\d)"
_ST = r"(?:st|nd|rd|th|\.?[ºª°]|ro|er|ero|o(?=\s+de\b))"
_OF = r"(?:\s+(?:de|of|do|del|of the|da)|\s*,|\s*-|\s*/|\.)?\s*"
_PM = r"(?:[ap]\.? ?m\b\.?)"
_ZONE = r"(?:\s*(?P<zone>(?:eastern|pacific|central|mountain)(?: (?:standard|daylight))?(?: time)?|z|zulu|utc(?:[+-]\d{1,2}(?::?\d\d)?)?|gmt(?:[+-]\d{1,2}(?::?\d\d)?)?|[ecmp][sd]?t|cet|cest|bst|ist|jst|brt|art|clt|[+-]\d\d:?\d\d)(?![a-z0-9]))?"
_DAYPART = (
    r"(?:\s+(?:in the|at|de la|por la|da|de|a|of the|del|do)\s+"
    r"(?P<part>morning|afternoon|evening|night|manana|tarde|noche|noite|madrugada|manha|mediodia|meio-dia))?"
)
_PART_AHEAD = r"\s+(?:in the|de la|por la|da)\s+(?:morning|afternoon|evening|manana|tarde|noche|noite|manha)\b"
ZONES = {
    "z": 0, "zulu": 0, "utc": 0, "gmt": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "cet": 60, "cest": 120, "bst": 60, "jst": 540, "brt": -180, "art": -180, "ist": 330, "clt": -240,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A fact by its place, before its text is cut out."""

    kind: FactKind
    value: Hashable
    start: int
    end: int
    unit: str = ""
    others: tuple[Reading, ...] = ()


def _year(text: str | None) -> int | None:
    """The year of two or four digits; two-digit years up to 68 are of this century, as POSIX has it."""
    if not text:
        return None
    digits = text.strip("' ")
    if len(digits) == 2:
        return 2000 + int(digits) if int(digits) <= 68 else 1900 + int(digits)
    return int(digits)


def _is_day(year: int | None, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year or 2024, month)[1] and (year is None or year > 0)


def span(year: int, first: int, last: int) -> tuple[object, ...]:
    """The days from the first of a month to the last of another of the same year."""
    return ("days", (year, first, 1), (year, last, calendar.monthrange(year, last)[1]))


Maker = Callable[[re.Match[str], str], Found | None]
_rules: list[tuple[re.Pattern[str], Maker, tuple[str, ...]]] = []


def _rule(pattern: str, *needs: str) -> Callable[[Maker], Maker]:
    """Adds a rule; where it has ``needs``, a text without any of them is not searched, which saves most of the time."""

    def add(maker: Maker) -> Maker:
        _rules.append((re.compile(pattern), maker, needs))
        return maker

    return add


def _weekday(name: str | None) -> str:
    if not name:
        return ""
    return f"weekday {WEEKDAYS.get(name, _PT_WEEKDAYS.get(name, 0))}"


# --- instants and dates -------------------------------------------------------------------------------------------


def offset_of(zone: str | None) -> str:
    """A zone as minutes from UTC, as text; empty where there is none."""
    if not zone:
        return ""
    if zone.startswith(("eastern", "pacific", "central", "mountain")):
        offsets = {"standard": "st", "daylight": "dt"}
        kind = next((short for word, short in offsets.items() if word in zone), "t")
        zone = f"{zone[0]}{kind}"
    numeric = re.search(r"([+-])(\d{1,2}):?(\d\d)?$", zone)
    if numeric:
        minutes = int(numeric[2]) * 60 + int(numeric[3] or 0)
        return str(-minutes if numeric[1] == "-" else minutes)
    return str(ZONES[zone]) if zone in ZONES else {"et": "et", "ct": "ct", "mt": "mt", "pt": "pt"}.get(zone, "")


_COUNTED = _any(
    {word for word, n in _COUNTS.items() if not word.isdigit() and n <= 20 and " " not in word}
    - {"a", "an", "un", "um"}
)


@_rule(
    rf"(?<![\w.,/$€£-])(?P<a>\d{{1,4}}|{_COUNTED})\s+(?:out of(?: every)?|in every|de cada|(?:em|en) cada|de un total de|de um total de)\s+(?P<b>\d{{1,5}}|{_COUNTED})\b(?!\s?%|[.,]\d)"
    rf"|^\s*(?P<a2>\d{{1,4}}|{_COUNTED})\s+(?:of|in|de|em)\s+(?P<b2>\d{{1,5}}|{_COUNTED})\s*$",
    " out",
    " every",
    " cada",
    " of ",
    " in ",
    " de ",
    " em ",
)
def _ratio(match: re.Match[str], language: str) -> Found | None:
    """ "5 out of 10", which is 5/10."""
    first, second = match["a"] or match["a2"], match["b"] or match["b2"]
    part, whole = (int(word) if word.isdigit() else _COUNTS[word] for word in (first, second))
    if not 0 < part < whole:
        return None
    return Found("number", Fraction(part, whole), *match.span())


def _days_of(match: re.Match[str]) -> Found | None:
    year, month = _year(match["y"]), MONTHS[match["m"]]
    first, last = int(match["d1"]), int(match["d2"])
    if not (first < last and _is_day(year, month, first) and _is_day(year, month, last)):
        return None
    return Found("period", ("days", (year, month, first), (year, month, last)), *match.span())


# "May 3-7, 2025", "del 3 al 7 de mayo de 2025"
@_rule(
    rf"\b(?:(?:from|between)\s+)?(?P<m>{_MON})\.?\s+(?:the\s+)?(?P<d1>\d\d?)(?:{_ST})?\s*(?:-|to|through|thru|until|(?<=between )and)\s*(?:the\s+)?"
    rf"(?P<d2>\d\d?)(?:{_ST})?(?![\d%:]|[.,]\d)(?:(?:\s*,\s*|\s+of\s+|\s+)(?P<y>{_YEAR}))?(?!\d)"
)
def _month_days(match: re.Match[str], language: str) -> Found | None:
    return _days_of(match)


@_rule(
    rf"(?<![\d.,/$-])\b(?:(?P<o>from|between|del?|entre|desde)\s+(?:the\s+|el\s+|los dias\s+|os dias\s+|o dia\s+)?)?(?P<d1>\d\d?)(?:{_ST})?\s*(?P<j>-|to|through|al?|ao|hasta(?: el)?|ate(?: o dia)?|e|y|and|until)\s*(?:the\s+|el\s+)?"
    rf"(?P<d2>\d\d?)(?:{_ST})?(?:\s+(?:de|of|del))?\s+(?P<m>{_MON})\b\.?(?:(?:\s*,\s*|\s+)(?:(?:de|del|of)\s+)?(?P<y>{_YEAR}))?(?!\d)"
)
def _days_month(match: re.Match[str], language: str) -> Found | None:
    if match["j"] in ("e", "y", "and") and match["o"] not in ("between", "entre"):
        return None
    return _days_of(match)


@_rule(r"(?<![\d/-])(?P<a>\d{4}-\d\d-\d\d)\s?/\s?(?P<b>\d{4}-\d\d-\d\d)(?![\d/-])")
def _iso_interval(match: re.Match[str], language: str) -> Found | None:
    first, last = (tuple(int(part) for part in match[name].split("-")) for name in ("a", "b"))
    if not (_is_day(*first) and _is_day(*last) and first < last):
        return None
    return Found("period", ("days", first, last), *match.span())


@_rule(
    r"(?<![\d])(?P<y>\d{4})[-/](?P<m>\d\d?)[-/](?P<d>\d\d?)(?:[t_]| +|, ?)(?P<h>\d\d?):(?P<i>\d\d)"
    r"(?::(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?)?(?: ?(?P<ap>[ap]\.?m\.?))?" + _ZONE
)
def _instant(match: re.Match[str], language: str) -> Found | None:
    year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    seconds = clock(int(match["h"]), int(match["i"]), int(match["s"] or 0), match["ap"], None)
    if seconds is None or not _is_day(year, month, day):
        return None
    fraction = Fraction(int(match["f"]), 10 ** len(match["f"])) if match["f"] else Fraction(0)
    return Found("datetime", ((year, month, day), seconds + fraction), *match.span(), offset_of(match["zone"]))


@_rule(
    r"(?<![\w.,/-])(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)t(?P<h>\d\d)(?P<i>\d\d)(?P<s>\d\d)?(?:[.,]\d+)?"
    + _ZONE
    + r"(?![\w-])"
)
def _compact_instant(match: re.Match[str], language: str) -> Found | None:
    year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    seconds = clock(int(match["h"]), int(match["i"]), int(match["s"] or 0), None, None)
    if seconds is None or not _is_day(year, month, day):
        return None
    return Found("datetime", ((year, month, day), Fraction(seconds)), *match.span(), offset_of(match["zone"]))


# --- durations in short ---


@_rule(
    r"(?<![\w.,-])p(?=t?\d)(?:(?P<y>\d{1,3})y)?(?:(?P<mo>\d{1,3})m)?(?:(?P<w>\d{1,3})w)?(?:(?P<d>\d{1,4})d)?"
    r"(?P<t>t(?=\d)(?:(?P<h>\d{1,4})h)?(?:(?P<mi>\d{1,5})m)?(?:(?P<s>\d{1,6}(?:\.\d{1,9})?)s)?)?(?![\w-])"
)
def _iso_duration(match: re.Match[str], language: str) -> Found | None:
    months = int(match["y"] or 0) * 12 + int(match["mo"] or 0)
    seconds = Fraction(int(match["w"] or 0) * 604_800 + int(match["d"] or 0) * 86_400)
    seconds += int(match["h"] or 0) * 3_600 + int(match["mi"] or 0) * 60 + Fraction(match["s"] or 0)
    if not match["t"] and match.string.strip() != match[0]:
        return None  # P2W inside a text may be a code
    if months and seconds:
        return None
    if months:
        return Found("quantity", Fraction(months), *match.span(), "months")
    return Found("quantity", seconds, *match.span(), "duration")


@_rule(r"(?<![\w.,])(?:(?P<h>\d{1,3})\s?h\s?)?(?P<m>\d{1,3})\s?m\s?(?P<s>\d{1,2})\s?s(?!\w)")
def _short_duration(match: re.Match[str], language: str) -> Found | None:
    seconds = int(match["h"] or 0) * 3_600 + int(match["m"]) * 60 + int(match["s"])
    return Found("quantity", Fraction(seconds), *match.span(), "duration")


@_rule(
    rf"(?:(?P<wd>{_WD})\.?,? )?(?<![\d.,/-])(?P<y>\d{{4}})(?P<s>[-/.\\]) ?(?P<m>\d\d?)(?P=s) ?(?P<d>\d\d?)(?![\d]|[-/]\d)"
)
def _year_first(match: re.Match[str], language: str) -> Found | None:
    year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    if not _is_day(year, month, day) or not 1000 <= year < 2200:
        return None
    return Found("date", (year, month, day), *match.span(), _weekday(match["wd"]))


@_rule(
    rf"(?:(?P<wd>{_WD})\.?,? )?(?:\b(?:(?:el|o|no) )?dia )?(?<![\d.,/-])(?P<a>\d\d?)[ºª]?(?P<s>[-/.\\])(?P<b>\d\d?)(?P=s)(?P<y>\d{{4}}|\d\d)(?![\d]|[-/.\\]\d)"
)
def _numeric(match: re.Match[str], language: str) -> Found | None:
    first, second, year = int(match["a"]), int(match["b"]), _year(match["y"])
    if len(match["y"]) == 2 and match["s"] not in "/-":
        return None
    month_first = (year, first, second) if _is_day(year, first, second) else None
    day_first = (year, second, first) if _is_day(year, second, first) else None
    order = (day_first, month_first) if language in ("es", "pt") else (month_first, day_first)
    readings = [value for value in order if value]
    if not readings or (year or 0) >= 2200 or (year or 0) < 1000:
        return None
    # A language says how its dates are ordered; where it is not known both readings are kept.
    others = (
        () if language in ("en", "es", "pt") else tuple(Reading("date", r) for r in readings[1:] if r != readings[0])
    )
    return Found("date", readings[0], *match.span(), _weekday(match["wd"]), others)


@_rule(rf"(?<![\w.,/-])(?P<d>\d\d?)(?P<m>{_any(m for m in MONTHS if len(m) == 3)})(?P<y>{_YEAR}|\d\d)(?![\w])")
def _joined_date(match: re.Match[str], language: str) -> Found | None:
    year, month, day = _year(match["y"]), MONTHS[match["m"]], int(match["d"])
    return Found("date", (year, month, day), *match.span()) if _is_day(year, month, day) else None


_DAY_BEFORE = re.compile(rf"(?<![\d.,/-])\d\d?(?:{_ST})?\s+(?:de\s+|of\s+)?$")
_HIGH_DAYS = {
    **{f"{ten}{joint}{word}": n + one for ten, n in (("twenty", 20), ("thirty", 30)) for joint in ("-", " ")
       for one, word in enumerate("first second third fourth fifth sixth seventh eighth ninth".split(), 1) if n + one < 32},
    **{f"vinte e {word}": 20 + n for n, word in enumerate("um dois tres quatro cinco seis sete oito nove".split(), 1)},
    "trinta e um": 31, "treinta y uno": 31, "treinta y un": 31, "twentieth": 20, "thirtieth": 30,
    **{word: n for n, word in enumerate("veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve".split(), 21)},
    **{word: n for n, word in enumerate("sixteen seventeen eighteen nineteen".split(), 16)},
    **{word: n for n, word in enumerate("dieciseis diecisiete dieciocho diecinueve".split(), 16)},
    **{word: n for n, word in enumerate("dezesseis dezessete dezoito dezenove".split(), 16)},
    **{word: n for n, word in enumerate(
        "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(), 11)},
}  # fmt: skip
_ENGLISH_DAYS = {
    word: n for word, n in (*ORDINALS.items(), *_HIGH_DAYS.items()) if re.search(r"(?:st|nd|rd|th)$", word)
}
_DAY_WORDS = {
    **_HIGH_DAYS,
    **{word: n for word, n in ORDINALS.items() if n == 1},
    **{word: n for word, n in _COUNTS.items() if not word.isdigit() and n <= 31 and word not in ("a", "an", "one")},
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip


@_rule(
    rf"\b(?:(?P<wd>{_WD})\.?,? (?:(?:the|el|dia) )?)?(?<!\d[-/.])(?P<m>{_MON})\.?(?:\s+(?:the\s+)?|-|(?<=\.))"
    rf"(?:(?P<d>\d\d?)(?:{_ST}\b|{_ST}(?=\W|$))?|(?P<dw>{_any(_ENGLISH_DAYS)})\b(?!\s+(?:quarter|half|week|fiscal)))(?![\d%:]|[.,]\d(?!\d{{3}}))(?:(?:\s*,\s*|\s+of\s+|\s+|-|/)(?P<y>'?{_YEAR}|'\d\d)(?!\d|,\d{{3}}))?"
)
def _month_day(match: re.Match[str], language: str) -> Found | None:
    if match["dw"]:
        return _made_date(match, _ENGLISH_DAYS[match["dw"]])
    if (
        not match["y"]
        and match.end() == len(match.string.rstrip())
        and _DAY_BEFORE.search(match.string[: match.start()])
    ):
        return None  # "30 Sept 24"
    found = _made_date(match, int(match["d"]))
    if found is None and (match["y"] or len(match["d"]) < 2 or match.string[match.start("d") - 1] != "-"):
        return None
    if not match["y"] and len(match["d"]) == 2 and match.string[match.start("d") - 1] == "-":
        month = MONTHS[match["m"]]  # "Dec-17" is a day or a month
        as_month = span(_year(match["d"]) or 0, month, month)
        if found is None:
            return Found("period", as_month, *match.span())
        return Found(found.kind, found.value, found.start, found.end, found.unit, (Reading("period", as_month),))
    return found


@_rule(
    rf"\b(?:(?P<wd>{_WD})\.?,? (?:(?:the|el|dia) )?|dia )?(?<![\d.,$])(?:(?P<d>\d\d?)(?:{_ST})?|(?P<dw>{_any(_DAY_WORDS)})(?=\s))"
    rf"(?:\s*(?:de|of|do|del)\s+|\s+|-|/|(?<=\d)|\.\s*)(?P<m>{_MON})\b\.?"
    rf"(?:(?:\s+(?:de|del|of|do)\s+|\s*,\s*|\s+|/)(?P<y>'?{_YEAR}|'\d\d)|-(?P<y2>{_YEAR}|\d\d)|\s+(?:de\s+|del\s+)?(?P<y3>\d\d)(?=\s*$))?(?!\d)"
)
def _day_month(match: re.Match[str], language: str) -> Found | None:
    day = int(match["d"]) if match["d"] else _DAY_WORDS[match["dw"]]
    return _made_date(match, day, match["y"] or match["y2"] or match["y3"])


def _made_date(match: re.Match[str], day: int, year_text: str | None = None) -> Found | None:
    year = _year(year_text or match.groupdict().get("y"))
    month = MONTHS[match["m"]]
    if not _is_day(year, month, day):
        return None
    return Found("date", (year, month, day), *match.span(), _weekday(match["wd"]))


@_rule(r"(?<![\d.,/\w-])(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\w/-]|[.,]\d)")
def _compact(match: re.Match[str], language: str) -> Found | None:
    year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    if not _is_day(year, month, day):
        return None
    return Found(
        "id",
        match[0],
        *match.span(),
        "",
        (Reading("date", (year, month, day)), Reading("number", Fraction(int(match[0])))),
    )


@_rule(r"(?<![\d.,/\w$-])(?P<a>\d\d)/(?P<b>\d\d)(?![\d/\w%]|[.,]\d)")
def _no_year(match: re.Match[str], language: str) -> Found | None:
    first, second = int(match["a"]), int(match["b"])
    options = [(None, first, second), (None, second, first)]
    if language in ("es", "pt"):
        options.reverse()
    readings = [option for option in options if _is_day(*option)]
    if not readings:
        return None
    others = (
        () if language in ("en", "es", "pt") else tuple(Reading("date", r) for r in readings[1:] if r != readings[0])
    )
    return Found("date", readings[0], *match.span(), "", others)


_HOLIDAYS = {
    "christmas eve": (12, 24), "nochebuena": (12, 24), "vespera de natal": (12, 24),
    "christmas day": (12, 25), "christmas": (12, 25), "navidad": (12, 25), "dia de navidad": (12, 25), "natal": (12, 25), "dia de natal": (12, 25),
    "new year's eve": (12, 31), "new years eve": (12, 31), "nochevieja": (12, 31), "fin de ano": (12, 31), "vespera de ano novo": (12, 31),
    "new year's day": (1, 1), "new years day": (1, 1), "ano nuevo": (1, 1), "dia de ano nuevo": (1, 1), "ano novo": (1, 1),
    "halloween": (10, 31), "valentine's day": (2, 14), "valentines day": (2, 14), "san valentin": (2, 14),
    "independence day": (7, 4), "may day": (5, 1), "epiphany": (1, 6), "dia de reyes": (1, 6), "dia de los muertos": (11, 2),
}  # fmt: skip


@_rule(rf"\b(?P<h>{_any(_HOLIDAYS)})\b(?:,?\s+(?:de\s+|of\s+)?(?P<y>{_YEAR}))?(?=\s*$|\s*[.,;)])")
def _holiday(match: re.Match[str], language: str) -> Found | None:
    if match["h"] in ("natal", "christmas", "independence day") and not match["y"]:
        return None
    return Found("date", (_year(match["y"]), *_HOLIDAYS[match["h"]]), *match.span())


# --- periods ------------------------------------------------------------------------------------------------------

_FISCAL = r"(?P<f>fiscal|fy|ejercicio|exercicio)"
_YEARISH = rf"(?P<y>{_YEAR}|(?:fy|')\s?\d\d(?!\d))"
_FISCAL_WORD = r"(?:fiscal\s+(?:year\s+)?|(?:ano|ejercicio|exercicio)\s+(?:fiscal|economico|social)\s+|(?:ejercicio|exercicio)\s+|financial\s+year\s+)(?:(?:of|de|del)\s+)?"


def _period(kind: str, year: int | None, number: int, is_fiscal: bool) -> Hashable:
    months = {"quarter": 3, "half": 6}[kind]
    first = (number - 1) * months + 1
    if is_fiscal:
        return (f"fiscal {kind}", year, number)
    if year is None:
        return ("months", first, first + months - 1)
    return span(year, first, first + months - 1)


def _made_period(match: re.Match[str], kind: str, number: int) -> Found | None:
    groups = match.groupdict()
    year_text = (groups.get("y") or groups.get("y2") or "").replace("fy", "")
    if not 1 <= number <= (4 if kind == "quarter" else 2):
        return None
    is_fiscal = bool(re.search(r"\b(?:fiscal|fy|ejercicio|exercicio)", match[0]))
    return Found("period", _period(kind, _year(year_text), number, is_fiscal), *match.span())


@_rule(
    rf"\b(?:fy\s?|{_FISCAL_WORD})'?(?P<y>(?:20|19)?\d\d)[\s,-]+(?:(?P<k>[qth])(?P<n>[1-4])(?!\w)|(?P<o>{_ORD})\s+(?P<w>quarter|trimestre|half|semestre)\b)"
)
def _fiscal_quarter(match: re.Match[str], language: str) -> Found | None:
    is_half = match["k"] == "h" or match["w"] in ("half", "semestre")
    return _made_period(
        match, "half" if is_half else "quarter", int(match["n"]) if match["n"] else ORDINALS[match["o"]]
    )


@_rule(
    rf"\b(?:fiscal\s+)?(?:fy\s?(?P<y>(?:20)?\d\d)[\s-]*)?(?P<k>[qths])(?P<n>[1-4])(?!\w)(?:{_OF}(?:the\s+)?(?:{_FISCAL_WORD})?(?P<y2>{_YEAR}|fy\s?'?(?:20)?\d\d|'?\d\d(?![\d:%/]|[.,]\d|st|nd|rd|th)))?(?![\w%])"
)
def _quarter_code(match: re.Match[str], language: str) -> Found | None:
    y2 = match["y2"]
    if match["k"] == "s" and not y2:
        return None
    bare = y2 and len(y2) == 2
    if bare and (match.string[match.end("n") : match.start("y2")] not in ("", "-", " ", "/", "'")):
        return None
    return _made_period(match, "half" if match["k"] in "hs" else "quarter", int(match["n"]))


@_rule(rf"\b(?P<n>[1-4])(?P<k>[qtsh])(?:\s?-?(?P<y>{_YEAR}|\d\d))?(?![\w%])")
def _code_quarter(match: re.Match[str], language: str) -> Found | None:
    if not match["y"] and match["k"] in "tsh":
        return None
    is_clock = match["k"] == "h" and len(match["y"] or "") == 2 and match.end("k") == match.start("y")
    if is_clock and (language in ("es", "pt") or match["y"] in ("10", "15", "20", "30", "45")):
        return None  # "1h30" is a time
    return _made_period(match, "half" if match["k"] in "sh" else "quarter", int(match["n"]))


@_rule(rf"\b(?P<y>{_YEAR})[\s/-]*(?P<k>[qth])(?P<n>[1-4])(?!\w)")
def _year_quarter(match: re.Match[str], language: str) -> Found | None:
    return _made_period(match, "half" if match["k"] == "h" else "quarter", int(match["n"]))


_ORDINAL_NUMBER = rf"(?:(?P<o>{_ORD})|(?P<on>\d)(?:{_ST}|\.?er|do|to)|(?P<or>i{{1,3}}|iv))"


@_rule(
    rf"\b{_ORDINAL_NUMBER}[\s-]+(?P<fq>fiscal\s+)?(?P<k>quarter|trimestre|trim?\b\.?|half|semestre|semester|mitad|metade)(?:\s+fiscal)?(?!\s+(?:of|de)\s+{_MON}\b)(?!(?<=half)[\s-]+(?:an?\s+)?(?:hour|day|mile|dozen|price|board)s?\b)"
    rf"(?:(?:\s+(?:of|in|de|del|do|da|for)(?:\s+(?:the|el|o))?(?:\s+(?:year|ano)(?!\s+fiscal))?|\s*,)?\s+(?:{_FISCAL_WORD})?(?P<y>{_YEAR}|fy\s?\d\d(?:\d\d)?))?(?!\w)"
)
def _spelled_quarter(match: re.Match[str], language: str) -> Found | None:
    number = ORDINALS[match["o"]] if match["o"] else int(match["on"]) if match["on"] else _roman(match["or"])
    return _made_period(match, "quarter" if match["k"][0] in "qt" else "half", number)


_FIRST_OR_LAST = r"(?P<f>first|primer[oa]s?|primeir[oa]s?)|(?P<l>last|final|ultim[oa]s?)"


@_rule(
    rf"\b(?:(?:the|los|las|os|as)\s+)?(?:(?:{_FIRST_OR_LAST})\s+(?P<c>{_N})|(?P<c2>{_N})\s+(?:(?P<f2>first|primeros|primeiros)|(?P<l2>ultimos)))\s+(?:months|meses)\s+(?:of|in|de|del|do)\s+(?:(?:the year|ano)\s+)?(?P<y>{_YEAR})\b",
    "month",
    "meses",
)
def _some_months(match: re.Match[str], language: str) -> Found | None:
    """ "The first six months of 2025"."""
    count = _COUNTS[match["c"] or match["c2"]]
    if not 1 < count < 12:
        return None
    is_first = bool(match["f"] or match["f2"])
    year = int(match["y"])
    return Found("period", span(year, 1, count) if is_first else span(year, 13 - count, 12), *match.span())


@_rule(
    rf"\b(?:(?:the|la|a)\s+)?(?:(?P<a>first|primera|primeira|1st|1a|1ª)|(?P<b>second|segunda|2nd|2a|2ª))\s+(?:half|quincena|quinzena|mitad|metade)\s+(?:of|de|in)\s+(?P<m>{_MON})\b(?:\s*,?\s*(?:(?:de|of|del)\s+)?(?P<y>{_YEAR}))",
    "half",
    "quin",
    "mitad",
    "metade",
)
def _half_of_month(match: re.Match[str], language: str) -> Found | None:
    year, month = int(match["y"]), MONTHS[match["m"]]
    first, last = (1, 15) if match["a"] else (16, calendar.monthrange(year, month)[1])
    return Found("period", ("days", (year, month, first), (year, month, last)), *match.span())


@_rule(rf"\b(?:quarter|trimestre)\s+(?P<n>[1-4]|one|two|three|four)(?:{_OF}(?P<y>{_YEAR}))?(?!\w)")
def _quarter_number(match: re.Match[str], language: str) -> Found | None:
    return _made_period(match, "quarter", _COUNTS[match["n"]])


@_rule(r"\b(?:the\s+)?(?P<y>20\d\d|19\d\d)\s+(?:fiscal|financial)\s+year\b")
def _year_fiscal(match: re.Match[str], language: str) -> Found | None:
    return Found("period", ("fiscal year", int(match["y"])), *match.span())


@_rule(
    r"\b(?:fy|fiscal year|financial year|ano fiscal|ejercicio(?: fiscal| economico| social)?|exercicio(?: fiscal| social)?|fiscal)(?:\s+(?:of|de|del|ending(?: in)?|ended(?: in)?))?\s?-?'?(?P<y>(?:20|19)?\d\d)"
    r"(?:\s?[-/]\s?(?P<z>(?:20)?\d\d))?(?!\w)"
)
def _fiscal_year(match: re.Match[str], language: str) -> Found | None:
    return Found("period", ("fiscal year", _year(match["z"] or match["y"])), *match.span())


@_rule(
    rf"\b(?:(?:from|between|de|desde|entre)\s+)?(?P<a>{_MON})\b\.?\s*(?:-|to|through|thru|until|al?|ate|hasta|(?<=\s)(?:and|y|e)(?=\s))\s*(?P<b>{_MON})\b\.?(?:\s*,?\s*(?:de |of |del )?(?P<y>{_YEAR}))?(?!\s?\d)"
)
def _months(match: re.Match[str], language: str) -> Found | None:
    first, last = MONTHS[match["a"]], MONTHS[match["b"]]
    is_listed = re.search(r"\s(?:and|y|e)\s", match[0]) and not re.match(r"between|entre", match[0])
    if not first < last or is_listed:
        return None
    return Found("period", span(int(match["y"]), first, last) if match["y"] else ("months", first, last), *match.span())


@_rule(
    rf"\b(?:(?:the|el|o|do|del) )?(?:calendar year|full year|full-year|whole year|entire year|(?:the )?whole of|all of|all through|throughout|year|todo el ano|todo o ano|(?:a lo largo|durante todo) (?:de|el)|ao longo de|ano(?: calendario| civil| natural| completo| inteiro)?)\s+(?:of |de )?(?P<y>{_YEAR})\b(?!\s*[-/]\s*\d)(?!\s+(?:to|a|through|ate|hasta)\s+\d)"
    rf"|\bcy\s?'?(?P<y2>(?:20)?\d\d)\b|\b(?P<y3>{_YEAR})\s*\(?\b(?:full|calendar|whole|ano completo|ano inteiro)(?: year)?\)?"
)
def _whole_year(match: re.Match[str], language: str) -> Found | None:
    return Found("period", span(_year(match["y"] or match["y2"] or match["y3"]) or 0, 1, 12), *match.span())


@_rule(
    rf"\b(?P<p>early|beginning of|start of|mid|middle of|late|end of|first months of|principios de|inicios? de|comienzos de|mediados de|"
    rf"finales del?|fines del?|fin de|final de|comeco de|inicio de|meados de|fim de|late in|early in)[\s-]+(?:the\s+)?(?:(?P<m>{_MON})\s+(?:de\s+|of\s+)?)?(?P<y>{_YEAR})\b"
)
def _part_of(match: re.Match[str], language: str) -> Found | None:
    word = match["p"]
    part = (
        "start"
        if re.match(r"early|begin|start|first|principio|inicio|comienzo|comeco", word)
        else "middle"
        if re.match(r"mid|mediados|meados", word)
        else "end"
    )
    month = MONTHS[match["m"]] if match["m"] else None
    return Found("period", ("part", part, int(match["y"]), month), *match.span())


@_rule(
    rf"\b(?:(?:(?:the|el|o)\s+)?(?:month|mes)\s+(?:of|de)\s+)?(?P<m>{_MON})\b\.?(?:\s*(?:de|del|of|do|/|,|-|'|\s)\s*)(?P<y>{_YEAR}|(?<=[-'/])\d\d)(?!\d)"
)
def _month_year(match: re.Match[str], language: str) -> Found | None:
    month = MONTHS[match["m"]]
    return Found("period", span(_year(match["y"]) or 0, month, month), *match.span())


@_rule(
    rf"(?<![\d.,/\w-])(?P<m>\d\d?)/(?P<y>{_YEAR})\s*(?:-|to|a|ate|hasta)\s*(?P<m2>\d\d?)/(?P<y2>{_YEAR})(?![\d/-])", "/"
)
def _month_numbers(match: re.Match[str], language: str) -> Found | None:
    first, last = (int(match["y"]), int(match["m"])), (int(match["y2"]), int(match["m2"]))
    if not (1 <= first[1] <= 12 and 1 <= last[1] <= 12 and first < last):
        return None
    return Found("period", ("days", (*first, 1), (*last, calendar.monthrange(*last)[1])), *match.span())


@_rule(rf"(?<![\d.,/\w-])(?:(?P<m>\d\d?)/(?P<y>{_YEAR})|(?P<y2>{_YEAR})[-/](?P<m2>0\d|1[0-2]))(?![\d/-]|[.,]\d)")
def _month_number(match: re.Match[str], language: str) -> Found | None:
    month = int(match["m"] or match["m2"])
    if not 1 <= month <= 12:
        return None
    return Found("period", span(int(match["y"] or match["y2"]), month, month), *match.span())


@_rule(
    r"\b(?:(?:calendar )?week|wk|semana|cw|kw)\s?(?P<n>\d\d?)(?:\s*(?:of|de|,|/|-)?\s*(?P<y>20\d\d))?(?!\w)|\bw(?P<n3>\d\d?)[\s/-]+(?P<y3>20\d\d)\b|\b(?P<y2>20\d\d)-?w(?P<n2>\d\d?)\b"
)
def _week(match: re.Match[str], language: str) -> Found | None:
    year = match["y"] or match["y2"] or match["y3"]
    number = int(match["n"] or match["n2"] or match["n3"])
    return Found("period", ("week", int(year) if year else None, number), *match.span())


_TENS = {
    word: n for n, words in {
        20: "twenties veinte vinte", 30: "thirties treinta trinta", 40: "forties cuarenta quarenta", 50: "fifties cincuenta cinquenta",
        60: "sixties sesenta sessenta", 70: "seventies setenta", 80: "eighties ochenta oitenta", 90: "nineties noventa",
    }.items() for word in words.split()
}  # fmt: skip


@_rule(
    rf"\b(?:the\s+)?(?:19|nineteen[- ])?(?P<w>{_any(w for w in _TENS if w.endswith('ies'))})\b|\b(?:(?:los|os)\s+)?(?:anos|decada\s+de(?:\s+los)?(?:\s+anos)?)\s+(?:(?P<v>{_any(w for w in _TENS if not w.endswith('ies'))})|(?P<n>[2-9]0))(?!\d)\b"
    r"|(?<![\w.,$])(?:the\s+)?'?(?P<s>[2-9]0)'?s\b",
    "ties",
    "anos",
    "decada",
    "0s",
    "0's",
)
def _short_decade(match: re.Match[str], language: str) -> Found | None:
    tens = int(match["n"] or match["s"] or _TENS[match["w"] or match["v"]])
    if match["s"] and "the" not in match[0] and match.string.strip(" .'") != match[0].strip("'"):
        return None  # "90s" may be seconds
    year = 1900 + tens
    return Found("period", ("days", (year, 1, 1), (year + 9, 12, 31)), *match.span())


@_rule(r"\b(?:the\s+)?(?P<y>(?:1[5-8])00)'?s\b")
def _hundreds(match: re.Match[str], language: str) -> Found | None:
    return Found("period", ("century", int(match["y"]) // 100 + 1), *match.span())


@_rule(
    r"\b(?:the\s+)?(?P<n>thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first)\s+century\b"
)
def _spelled_century(match: re.Match[str], language: str) -> Found | None:
    names = "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    return Found("period", ("century", 13 + names.split().index(match["n"])), *match.span())


@_rule(
    r"\b(?:the\s+|los\s+(?:anos\s+)?|(?:os\s+)?anos\s+(?:de\s+)?(?!(?:1[89]|20)\d0\s*(?:-|/|a|ate|hasta|to)\s*\d)|decada\s+de\s+(?:los\s+)?)?(?P<y>(?:1[89]|20)\d0)'?s\b|\b(?:los|os)\s+anos\s+(?P<y3>(?:1[89]|20)\d0)(?!\s*(?:-|/|a|ate|hasta|to|y|e)\s*\d)\b|\bdecada\s+de\s+(?P<y2>(?:1[89]|20)\d0)\b"
)
def _decade(match: re.Match[str], language: str) -> Found | None:
    year = int(match["y"] or match["y2"] or match["y3"])
    return Found("period", ("days", (year, 1, 1), (year + 9, 12, 31)), *match.span())


@_rule(
    r"(?<![\d.,/\w])(?:(?:from|between|de|entre|desde|of|del)\s+)?(?:(?:the\s+|los\s+|os\s+)?(?:years|anos(?:\s+de)?)\s+)?(?P<a>(?:19|20)\d\d)\s*(?:-|/|to|through|until|till|a|al|ate|hasta|and|y|e)\s*(?:el\s+)?(?P<b>(?:19|20)\d\d|\d\d)(?![\w]|[.,/-]\d)"
)
def _years(match: re.Match[str], language: str) -> Found | None:
    first = int(match["a"])
    last = int(match["b"]) if len(match["b"]) == 4 else first // 100 * 100 + int(match["b"])
    joined = match.string[match.end("a") : match.start("b")].strip()
    if last <= first or (joined in ("and", "y", "e") and not re.match(r"between|entre", match[0])):
        return None
    if len(match["b"]) == 2 and joined not in ("-", "/"):
        return None
    return Found("period", ("days", (first, 1, 1), (last, 12, 31)), *match.span())


@_rule(
    r"\b(?:(?P<u>year|month|quarter|week)[\s-]to[\s-]date|(?P<c>[ymqw]td)|(?P<s>acumulado (?:del ano|do ano|anual|del mes|do mes|no ano)"
    r"|(?:en )?lo que va (?:del ano|de ano|del mes|de mes)|(?:no|em|o) ano ate agora|ate agora (?:neste|este) ano|este ano ate agora|hasta la fecha este ano|(?:este ano|en el ano) hasta la fecha|this year so far|(?:since|from|desde)\s+(?:(?:the|el|o)\s+)?(?:beginning|start|principios?|inicios?|comienzos?|comeco)\s+(?:of|de|del|do)\s+(?:(?:the|this|este|el|o)\s+)?(?:year|month|ano|mes)|so far this (?:year|month|quarter|week)|lo que va del (?:ano|mes)))\b"
)
def _to_date(match: re.Match[str], language: str) -> Found | None:
    text = match["u"] or {"y": "year", "m": "month", "q": "quarter", "w": "week"}.get((match["c"] or " ")[0], "")
    if not text:
        text = "month" if re.search(r"\bmes|month", match[0]) else "quarter" if "quarter" in match[0] else "year"
        text = "week" if "week" in match[0] else text
    return Found("relative", ("to date", text), *match.span())


# --- recurrence in short ---

_SHORT_UNITS = {
    "h": "hour", "hs": "hour", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute", "wk": "week", "wks": "week",
    "d": "day", "mo": "month", "mos": "month", "yr": "year", "yrs": "year",
}  # fmt: skip


def _each(unit: str, count: int) -> Hashable:
    """A recurrence in the largest unit that fits: every 48 hours is every two days, every twelve months every year."""
    steps = (
        ("minute", 60, "hour"), ("hour", 24, "day"), ("fortnight", 0, "week"), ("day", 7, "week"), ("month", 12, "year"),
        ("month", 6, "half"), ("month", 3, "quarter"), ("quarter", 4, "year"), ("quarter", 2, "half"), ("half", 2, "year"),
    )  # fmt: skip
    for small, size, large in steps:
        if unit == small and not size:
            unit, count = large, count * 2
        elif unit == small and count % size == 0 and (small != "month" or count == size):
            unit, count = large, count // size
    return ("every", unit, count)


def _often(unit: str, count: int) -> tuple[Hashable, tuple[Reading, ...]]:
    """So many times in a unit of time, and the steps that may be meant: three times a day is every eight hours."""
    if count == 1:
        return _each(unit, 1), ()
    if unit == "fortnight":
        return ("times", unit, count), ()
    if unit == "hour" and 60 % count == 0:
        return ("every", "minute", 60 // count), ()
    size, small = {"day": (24, "hour"), "year": (12, "month")}.get(unit, (0, ""))
    if size and size % count == 0:
        return ("times", unit, count), (Reading("recurrence", _each(small, size // count)),)
    return ("times", unit, count), ()


# "Every 8 h", "c/8h", "8/8h", "de 8 em 8 horas", "q8h"
@_rule(
    rf"\b(?:every|each|cada|a cada)\s+(?P<c>{_N})\s?(?P<s>{_any(_SHORT_UNITS)})\b|\bc\s?/\s?(?P<c2>\d\d?)\s?(?P<s2>h|hs|hrs|horas|d|dias|min)\b"
    rf"|\bde\s+(?P<c3>{_N})\s+(?:em|en)\s+(?P=c3)\s+(?P<u3>{_UNIT}|h)\b|(?<![\w/])(?:de\s+)?(?P<c4>\d\d?)\s?/\s?(?P=c4)\s?(?P<u4>h|hs|hrs|horas)\b|\bq\.?\s?(?P<c5>\d\d?)\s?h(?:rs?)?\b"
    r"|\b(?:cada|de)\s+(?P<c6>\d\d?)\s?/\s?(?P=c6)\s?(?P<u6>dias|horas)\b",
    "every",
    "each",
    "cada",
    "/",
    "de ",
    "q",
)
def _every_short(match: re.Match[str], language: str) -> Found | None:
    count = next(int(_COUNTS[match[name]]) for name in ("c", "c2", "c3", "c4", "c5", "c6") if match[name])
    unit = next((match[name] for name in ("s", "s2", "u3", "u4", "u6") if match[name]), "h")
    return Found("recurrence", _each(_SHORT_UNITS.get(unit) or UNITS[unit], count), *match.span())


# --- relative dates -----------------------------------------------------------------------------------------------

_NAMED = {
    r"the day after tomorrow|day after tomorrow|pasado manana|depois de amanha": ("day", 2),
    r"the day before yesterday|day before yesterday|anteayer|antes de ayer|antier|anteontem": ("day", -2),
    r"last night|yesterday (?:evening|night)|anoche|ayer (?:por|en) la noche|ontem a noite|ontem de noite": (
        "night",
        -1,
    ),
    r"(?:later )?tonight|this (?:evening|night)|today(?: in the)? evening|esta noche|hoy (?:por|en) la noche|esta noite|hoje a noite|hoje de noite": (
        "night",
        0,
    ),
    r"(?:o )?dia de amanha|tomorrow|tmrw|tmr|amanha": ("day", 1),
    r"(?:el |o )?dia de (?:ayer|ontem)|yesterday|ayer|ontem": ("day", -1),
    r"(?:(?:en |n)?(?:el |la |o |a )?(?:dia|fecha|data) de )?(?:hoy|hoje)(?: mismo| mesmo)?|today'?s date|today|the current day|current date|present day": (
        "day",
        0,
    ),
}


def _at(unit: str, number: int) -> Hashable:
    """A moment so far from now, in days where those are meant and in months else."""
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days:
        return ("day", number * days)
    if unit == "hour" and number % 24 == 0:
        return ("day", number // 24)
    months = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}.get(unit)
    return ("at", "month", number * months) if months else ("at", unit, number)


@_rule(
    rf"\b(?P<c>{_N}|a|an)\s+(?P<u>{_UNIT})\s+(?:(?P<f>from (?:now|today)|a partir de (?:hoy|hoje|agora|ahora)|(?:a )?contar de (?:hoy|hoje)|hence)|(?:before (?:now|today)|antes de (?:hoy|hoje)|prior to today))\b",
    "today",
    "now",
    "hoy",
    "hoje",
    "agora",
    "ahora",
    "hence",
)
def _from_today(match: re.Match[str], language: str) -> Found | None:
    number = _COUNTS[match["c"]]
    return Found("relative", _at(UNITS[match["u"]], number if match["f"] else -number), *match.span())


@_rule(
    r"\b(?:the\s+|la\s+|el\s+)?(?:(?P<u>week|month|year)\s+before\s+last|(?P<v>semana|mes|ano)\s+(?:antepasad[oa]|retrasad[oa]))\b"
)
def _before_last(match: re.Match[str], language: str) -> Found | None:
    return Found("relative", _at(UNITS[match["u"] or match["v"]], -2), *match.span())


_MANANA = r"(?:(?:el |en el )?dia de manana)"
for _words, _value in _NAMED.items():

    @_rule(rf"\b(?:{_words})\b")
    def _named(match: re.Match[str], language: str, value: Hashable = _value) -> Found | None:
        return Found("relative", value, *match.span())


@_rule(rf"{_MANANA}|" + r"(?:(?<=^)manana|\bpara manana|(?<!la )(?<!por la )\bmanana)\b(?!\s+(?:de|del)\b)")
def _manana(match: re.Match[str], language: str) -> Found | None:
    return Found("relative", ("day", 1), *match.span())


_LAST = r"(?:last|past|previous|prior|preceding|trailing|rolling|most recent|ultim[oa]s?|pasad[oa]s?|anterior(?:es)?|passad[oa]s?|previ[oa]s?)"
_NEXT = r"(?:next|coming|upcoming|following|proxim[oa]s?|siguientes?|seguintes?|entrantes?)"
_THIS = r"(?:this|current|[nd]?est[ae]|actual|actuales|atual|corrente|en curso)"
_THE = r"(?:(?:the|los|las|el|la|os|as|o|a|na|no|nos|nas|en|em|of|del)\s+)?"


def _relative(direction: str, count: str | None, unit: str, match: re.Match[str]) -> Found:
    number = _COUNTS.get(count, 1) if count else 1
    name = UNITS[unit]
    if name == "weekend" and re.match(r"(?:the |this )*(?:coming|upcoming)", match[0]):
        direction = "this"
    sign = {"last": -1, "next": 1, "this": 0}[direction]
    if name == "fortnight" and sign:
        name, number = "week", number * 2
    if number == 1 or direction == "this":
        return Found("relative", (name, sign), *match.span(), "", _as_rolling(name, sign, match[0]))
    return Found("relative", ("rolling", sign, name, number), *match.span(), "", _as_calendar(name, sign, number))


def _as_rolling(name: str, sign: int, text: str) -> tuple[Reading, ...]:
    """ "The past year" may be the twelve months up to now."""
    if name != "year" or not re.search(r"\bpast\b|\bultimo|\bproximos?\b|\bcoming\b", text):
        return ()
    return (Reading("relative", ("rolling", sign, "month", 12)),)


def _as_calendar(name: str, sign: int, number: int) -> tuple[Reading, ...]:
    """Seven days may be a week, four quarters a year: kept as what they also are."""
    months = {"quarter": 3, "half": 6, "year": 12}.get(name, 0) * number
    return (Reading("relative", ("rolling", sign, "month", months)),) if months else ()


@_rule(
    r"\b(?:on\s+)?(?:the\s+)?last day of (?:the |each |every )?month\b|\b(?:el\s+|o\s+)?ultimo dia (?:del?|do|de cada) mes\b"
)
def _last_day(match: re.Match[str], language: str) -> Found | None:
    return Found("relative", ("edge", "end", "month"), *match.span())


@_rule(rf"\b{_THE}(?:(?P<c>{_N})\s+)(?P<l>ultim[oa]s|pasad[oa]s|proxim[oa]s|last|past|next)\s+(?P<u>{_UNIT})\b")
def _count_first(match: re.Match[str], language: str) -> Found | None:
    return _relative("next" if match["l"][:2] in ("pr", "ne") else "last", match["c"], match["u"], match)


@_rule(
    rf"\b{_THE}(?P<d>{_WD})(?:,|\s+(?:of|de|da|of the|de la))?\s+(?:(?P<t>(?:this|esta|desta|nesta)(?: same)? (?:week|semana))|(?P<n>(?:the )?(?:next|following) week|(?:la )?(?:proxima semana|semana que vien?e|semana proxima)|(?:da )?semana que vem)|(?P<l>last week|(?:la )?semana pasada|(?:da )?semana passada))\b",
    "week",
    "seman",
)
def _weekday_of_week(match: re.Match[str], language: str) -> Found | None:
    direction = "this" if match["t"] else "next" if match["n"] else "last"
    number = WEEKDAYS.get(match["d"], _PT_WEEKDAYS.get(match["d"], -1))
    return Found("relative", ("weekday", direction, number), *match.span())


# "The end of this month" is the month's end.
@_rule(
    r"\b(?:by |at |on )?(?:the\s+|el\s+|a\s+|o\s+|no\s+|al\s+)?(?P<p>end|close|beginning|start|middle|fin(?:al(?:es)?)?|fim|principios?|inicios?|comeco|mediados|meados)\s+(?:of|del?|do|da)?\s*"
    r"(?:this|the current|este|esta|deste|desta|el presente|o presente)\s+(?P<u>month|year|week|quarter|mes|ano|semana|trimestre)\b"
    r"|\b(?:by |at |on )?(?:the )?(?P<u2>month|year|quarter)[\s-](?P<p2>end)\b(?!\s+\w)|\b(?:al\s+|el\s+)?(?P<p3>cierre|fin|fim|fecho)\s+(?:del?|do)\s+(?P<u3>mes|ano|trimestre)(?:\s+(?:en curso|actual|atual|corrente))?(?=\s*$)",
    "end",
    "fi",
    "close",
    "begin",
    "start",
    "middle",
    "princ",
    "inicio",
    "comeco",
    "media",
    "meados",
    "cierre",
    "fecho",
)
def _edge_of_this(match: re.Match[str], language: str) -> Found | None:
    word = match["p"] or match["p2"] or match["p3"]
    part = "end" if word[:2] in ("en", "fi", "cl", "ci", "fe") else "middle" if word[:2] in ("mi", "me") else "start"
    return Found("relative", ("edge", part, UNITS[match["u"] or match["u2"] or match["u3"]]), *match.span())


@_rule(
    rf"\b{_THE}(?:(?P<l>{_LAST})|(?P<n>{_NEXT})|(?P<t>{_THIS}))\s+(?:(?P<c>{_N})\s+)?(?:calendar\s+|full\s+)?(?P<u>{_UNIT})\b(?!-feira)"
)
def _before(match: re.Match[str], language: str) -> Found | None:
    return _relative("last" if match["l"] else "next" if match["n"] else "this", match["c"], match["u"], match)


@_rule(
    rf"\b{_THE}(?:(?P<c>{_N})\s+)?(?P<u>{_UNIT})\s+(?:(?P<l>pasad[oa]s?|passad[oa]s?|anterior(?:es)?|ultim[oa]s?|previ[oa]s?)|(?P<n>proxim[oa]s?|siguientes?|seguintes?|entrantes?|que viene|que vem)|(?P<t>actual|atual|en curso|corrente))\b"
)
def _after(match: re.Match[str], language: str) -> Found | None:
    return _relative("last" if match["l"] else "next" if match["n"] else "this", match["c"], match["u"], match)


@_rule(
    rf"\b(?P<c>{_N}|a|an)\s+(?P<u>{_UNIT})\s+(?:ago|atras|back(?=\s*$))\b|\b(?:hace|ha|faz)\s+(?P<c2>{_N})\s+(?P<u2>{_UNIT})\b(?:\s+atras)?"
)
def _ago(match: re.Match[str], language: str) -> Found | None:
    unit, number = UNITS[match["u"] or match["u2"]], _COUNTS[match["c"] or match["c2"]]
    return Found("relative", _at(unit, -number), *match.span())


@_rule(
    rf"\b(?P<c>{_N}|a|an)\s+(?P<u>{_UNIT})\s+(?:from now|from today|later)\b|\b(?:dentro de|daqui a|de aqui a|en|em|in)\s+(?P<c2>{_N}|a|an)\s+(?P<u2>{_UNIT})\b(?:'? time\b)?(?!\s+or)"
)
def _in(match: re.Match[str], language: str) -> Found | None:
    unit, number = UNITS[match["u"] or match["u2"]], _COUNTS[match["c"] or match["c2"]]
    if unit in ("hour", "minute"):
        return None
    return Found("relative", _at(unit, number), *match.span())


@_rule(
    rf"\b{_THE}(?:(?P<l>last|past|previous)|(?P<n>next|coming|upcoming|following)|(?P<t>this)|(?:proxim[oa](?P<pn>))|(?:ultim[oa](?P<pl>))|(?:est[ae](?P<pt>)))\s+(?P<d>{_WD})\b"
    rf"|\b{_THE}(?P<d2>{_WD})\s+(?:(?P<l2>pasado|passad[oa])|(?P<n2>proxim[oa]|que viene|que vem|siguiente))\b"
)
def _relative_weekday(match: re.Match[str], language: str) -> Found | None:
    day = match["d"] or match["d2"]
    number = WEEKDAYS.get(day, _PT_WEEKDAYS.get(day, -1))
    direction = (
        "last"
        if match["l"] or match["l2"] or match["pl"] is not None
        else "next"
        if match["n"] or match["n2"] or match["pn"] is not None
        else "this"
    )
    is_nearest = match["n"] in ("coming", "upcoming") or bool(re.match(r"est[ae]\b.*\bque v", match[0]))
    others = (Reading("relative", ("weekday", "this", number)),) if is_nearest else ()
    return Found("relative", ("weekday", direction, number), *match.span(), "", others)


@_rule(
    rf"\b{_THE}(?:(?P<l>{_LAST})|(?P<n>{_NEXT})|(?P<t>{_THIS}))\s+(?:mes de\s+)?(?P<m>{_any(m for m in MONTHS if len(m) > 4 or m in ('may', 'june', 'july', 'maio', 'mayo'))})\b(?!\s+\d)"
)
def _relative_month(match: re.Match[str], language: str) -> Found | None:
    return Found(
        "relative",
        ("month", "last" if match["l"] else "next" if match["n"] else "this", MONTHS[match["m"]]),
        *match.span(),
    )


@_rule(
    r"(?!\bfi[nm] de semana)\b(?:the\s+)?(?P<p>end|beginning|start|middle|fin(?:al(?:es)?)?|fim|principios?|inicios?|comeco|mediados|meados)\s+(?:of|de|del|do|da)\s+"
    r"(?:(?:the|this|el|la|este|esta|o|a)\s+)?(?P<u>month|year|week|quarter|day|mes|ano|semana|trimestre|dia)\b|\b(?P<e>eo[dwmy])\b"
)
def _edge(match: re.Match[str], language: str) -> Found | None:
    if match["e"]:
        return Found(
            "relative",
            ("edge", "end", {"d": "day", "w": "week", "m": "month", "y": "year"}[match["e"][-1]]),
            *match.span(),
        )
    part = "end" if match["p"][:2] in ("en", "fi") else "middle" if match["p"][:2] in ("mi", "me") else "start"
    return Found("relative", ("edge", part, UNITS[match["u"]]), *match.span())


# --- recurrence ---------------------------------------------------------------------------------------------------

_EVERY = {
    "hourly": ("hour", 1), "daily": ("day", 1), "weekly": ("week", 1), "monthly": ("month", 1), "quarterly": ("quarter", 1),
    "yearly": ("year", 1), "annually": ("year", 1), "annual": ("year", 1), "nightly": ("night", 1), "biannual": ("half", 1),
    "semiannual": ("half", 1), "semiannually": ("half", 1), "semi-annual": ("half", 1), "half-yearly": ("half", 1),
    "fortnightly": ("week", 2), "biweekly": ("week", 2), "bi-weekly": ("week", 2), "bimonthly": ("month", 2),
    "diario": ("day", 1), "diaria": ("day", 1), "diarios": ("day", 1), "diarias": ("day", 1), "diariamente": ("day", 1),
    "semanal": ("week", 1), "semanales": ("week", 1), "semanais": ("week", 1), "semanalmente": ("week", 1),
    "quincenal": ("week", 2), "quinzenal": ("week", 2), "quincenalmente": ("week", 2), "quinzenalmente": ("week", 2),
    "mensual": ("month", 1), "mensuales": ("month", 1), "mensualmente": ("month", 1), "mensal": ("month", 1),
    "mensais": ("month", 1), "mensalmente": ("month", 1), "bimestral": ("month", 2), "trimestral": ("quarter", 1),
    "trimestrales": ("quarter", 1), "trimestrais": ("quarter", 1), "trimestralmente": ("quarter", 1),
    "semestral": ("half", 1), "semestralmente": ("half", 1), "anual": ("year", 1), "anuales": ("year", 1),
    "anuais": ("year", 1), "anualmente": ("year", 1), "weekdays": ("weekday", 1), "everyday": ("day", 1),
    "half-hourly": ("minute", 30), "half hourly": ("minute", 30), "half yearly": ("half", 1), "alternate days": ("day", 2),
    "dias alternos": ("day", 2), "dias alternados": ("day", 2), "dia sim dia nao": ("day", 2), "dia sim, dia nao": ("day", 2),
    "un dia si y otro no": ("day", 2), "a diario": ("day", 1), "per annum": ("year", 1), "each fortnight": ("week", 2),
}  # fmt: skip
_PER_DAY = {"bid": 2, "b.i.d": 2, "b.i.d.": 2, "tid": 3, "t.i.d": 3, "t.i.d.": 3, "qid": 4, "q.i.d": 4, "q.i.d.": 4}


@_rule(
    r"(?<![\w.])(?P<w>[tq]id|[btq]\.i\.d\.?)(?!\w)|(?<=mg )(?P<b>bid)\b|(?<=ml )(?P<b2>bid)\b|(?<=tab )(?P<b3>bid)\b|(?<=tablet )(?P<b4>bid)\b|(?<=tablets )(?P<b5>bid)\b|(?<=capsule )(?P<b6>bid)\b",
    "id",
    "i.d",
)
def _by_letters(match: re.Match[str], language: str) -> Found | None:
    """What prescriptions say in letters: twice, three and four times a day."""
    value, others = _often("day", _PER_DAY[match["w"] or "bid"])
    return Found("recurrence", value, *match.span(), "", others)


_TIMES_ADVERBS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
}  # fmt: skip
_SLASHED = r"hour|day|week|month|year|hora|dia|semana|mes|ano|wk|d|mo|yr"


@_rule(
    rf"\b(?:(?P<w>once|twice|thrice)|(?P<c>{_N})(?:\s+times|\s?x))\s+(?P<a>{_any(_TIMES_ADVERBS)})\b"
    rf"|\b(?:(?P<w2>once|twice)|(?P<c2>{_N})(?:\s+(?:times|veces|vezes|vez)|\s?x))\s?/\s?(?P<u2>{_SLASHED})\b"
    rf"|\b(?P<c3>{_N})\s?x\s+(?:a|an|per|every|each|al|a la|por|ao|cada|na|no)\s+(?P<u3>{_UNIT})\b"
    rf"|\b(?P<c4>{_N})\s+days\s+(?:a|per|every|each)\s+(?P<u4>week|month)\b|\b(?P<c5>{_N})\s+dias\s+(?:por|a la|na|cada)\s+(?P<u5>semana)\b|\b(?P<s>semi-?weekly|bisemanal|bissemanal)\b",
    "once",
    "twice",
    "thrice",
    "time",
    "x",
    "vec",
    "vez",
    "days",
    "dias",
    "weekly",
    "seman",
)
def _times_in(match: re.Match[str], language: str) -> Found | None:
    """ "Twice daily", "3x/day", "two days a week"."""
    if match["s"]:
        return Found("recurrence", ("times", "week", 2), *match.span())
    word = match["w"] or match["w2"]
    count = {"once": 1, "twice": 2, "thrice": 3}[word] if word else 0
    count = count or next(_COUNTS[match[name]] for name in ("c", "c2", "c3", "c4", "c5") if match[name])
    unit = next(match[name] for name in ("a", "u2", "u3", "u4", "u5") if match[name])
    name = _TIMES_ADVERBS.get(unit) or UNITS.get(unit) or _SHORT_UNITS[unit]
    value, others = _often(name, count)
    return Found("recurrence", value, *match.span(), "", others)


_EACH_MONTH = r"(?:(?:of|de|do|in|en|em)\s+)?(?:(?:the|every|each|cada|todo|el|o)\s+)*(?:month|mes)\b"
_NTH = {**ORDINALS, "last": -1, "ultimo": -1, "ultima": -1}
_NTH_WORD = rf"(?:(?P<o>{_any(_NTH)})|(?P<on>\d)(?:{_ST}))"


@_rule(
    rf"\b(?:(?:on|the|el|la|o|a|no|na|every|each|cada|toda|todo)\s+)*{_NTH_WORD}\s+(?P<d>{_WD})\s+(?:(?:of|in|de|do|del)\s+)(?:(?:the|every|each|cada|todo)\s+)*(?:month|mes)\b"
    rf"|\b(?:monthly|mensualmente|mensalmente),?\s+(?:on\s+)?(?:the\s+|el\s+|na\s+|no\s+|a\s+|o\s+)?(?:(?P<o2>{_any(_NTH)}))\s+(?P<d2>{_WD})\b|^\s*(?:every|each|cada|toda)\s+(?P<o3>first|third|fourth|last|primer|ultimo|primeira|ultima)\s+(?P<d3>{_WD})\s*$",
    "month",
    "mes",
    "mens",
    "every",
    "each",
    "cada",
    "toda",
)
def _nth_weekday(match: re.Match[str], language: str) -> Found | None:
    word = match["o"] or match["o2"] or match["o3"]
    number = _NTH[word] if word else int(match["on"])
    day = match["d"] or match["d2"] or match["d3"]
    return Found("recurrence", ("nth", number, WEEKDAYS.get(day, _PT_WEEKDAYS.get(day, -1))), *match.span())


@_rule(
    rf"\b(?:(?:on|the|el|o|no|every|each|cada|todo|dia|day)\s+)*(?:(?P<n>\d\d?)(?:{_ST})?|(?P<w>first|primer|primero|primeiro))\s+(?:(?:day|dia)\s+)?(?:of|de|do|del)\s+(?:(?:every|each|cada|todo)\s+)(?:month|mes)\b"
    rf"|\b(?:monthly|every month|each month|mensualmente|mensalmente|todo mes|cada mes),?\s+(?:on\s+|el\s+|no\s+)(?:the\s+|dia\s+)?(?:(?P<n2>\d\d?)(?:{_ST})?|(?P<w2>first))\b(?!\s+(?:{_WD}|de|of)\b)"
    rf"|\b(?:todo\s+dia|todos\s+los\s+dias|cada\s+dia|todos\s+os\s+dias)\s+(?P<n3>\d\d?)(?:{_ST})?(?=\s*$|\s+(?:de|do|del)\s+(?:(?:cada|todo|el|o)\s+)?mes\b)|^\s*(?:on\s+)?(?:the\s+)?(?P<w4>first)(?:\s+day)?\s+of\s+the\s+month\s*$",
    "month",
    "mes",
    "mens",
    "dia",
)
def _day_of_month(match: re.Match[str], language: str) -> Found | None:
    number = next((int(match[name]) for name in ("n", "n2", "n3") if match[name]), 1)
    return Found("recurrence", ("day of month", number), *match.span()) if 1 <= number <= 31 else None


_SOME_DAYS = _any([*WEEKDAYS, *_PT_WEEKDAYS])
_PT_SHORT = {"seg": 0, "ter": 1, "qua": 2, "qui": 3, "sex": 4, "sab": 5, "dom": 6}
_ES_SHORT = {"lun": 0, "mar": 1, "mie": 2, "jue": 3, "vie": 4, "sab": 5, "dom": 6}
_LISTED_DAYS = re.compile(
    r"\s*(?:,|/|&|\+|\band\b|\by\b|\be\b)\s*(?:(?:on|every|each|los|las|as|nas|todos los|cada)\s+)?"
)


@_rule(
    rf"(?:\b(?P<e>every|each|cada|todos\s+los|todas\s+as|los|as|nas|on)\s+)?\b(?P<l>(?:{_SOME_DAYS}|{_any({*_PT_SHORT, *_ES_SHORT})})\.?(?:(?:\s*(?:,|/|&|\+)\s*(?:(?:and|y|e)\s+)?|\s+(?:and|y|e)\s+)(?:(?:on|every|each|los|las|as|nas|cada)\s+)?(?:{_SOME_DAYS}|{_any({*_PT_SHORT, *_ES_SHORT})})\b\.?)+)",
    ",",
    " and ",
    " y ",
    " e ",
    "/",
    "&",
    "+",
)
def _listed_days(match: re.Match[str], language: str) -> Found | None:
    """ "Tuesdays and Thursdays", "every Tuesday and Thursday"; bare days only where they are the whole text."""
    words = [word.strip(". ") for word in _LISTED_DAYS.split(match["l"]) if word.strip(". ")]
    short = {**_ES_SHORT, **_PT_SHORT} if language == "pt" else {**_PT_SHORT, **_ES_SHORT}
    numbers = [WEEKDAYS.get(word, _PT_WEEKDAYS.get(word, short.get(word, -1))) for word in words]
    if -1 in numbers or len(set(numbers)) < 2:
        return None
    is_whole = match.string.strip(" .") == match[0].strip(" .")
    are_several = any(word.endswith(("days", "os", "as")) and len(word) > 4 for word in words)
    if not (is_whole or are_several or (match["e"] and match["e"] != "on")):
        return None
    if sorted(set(numbers)) == [0, 1, 2, 3, 4]:
        return Found("recurrence", ("every", "weekday", 1), *match.span())
    if sorted(set(numbers)) == [5, 6]:
        return Found("recurrence", ("every", "weekend", 1), *match.span())
    return Found("recurrence", ("on days", *sorted(set(numbers))), *match.span())


@_rule(
    rf"\b(?:weekly|semanalmente)(?:,?\s+(?:on|los|el|as|na|nas|a))?\s+(?P<d>{_WD})\b|\b(?:on\s+|el\s+|a\s+|na\s+)?(?P<d2>{_WD})\s+(?:of|de)\s+(?:each|every|cada|toda)\s+(?:week|semana)\b",
    "week",
    "seman",
)
def _weekly_on(match: re.Match[str], language: str) -> Found | None:
    day = match["d"] or match["d2"]
    return Found("recurrence", ("every weekday", WEEKDAYS.get(day, _PT_WEEKDAYS.get(day, -1))), *match.span())


@_rule(
    r"\bseg\.?\s*(?:-|a|ate)\s*sex\b|^\s*l\s?-\s?v\s*$|^\s*m\s?-\s?f\s*$|^\s*(?:on\s+|em\s+|en\s+)?(?:working|business)\s+days(?:\s+only)?\s*$|\b(?:todos\s+(?:los|os)\s+)dias\s+(?:laborables|habiles|uteis)\b"
)
def _working_days(match: re.Match[str], language: str) -> Found | None:
    return Found("recurrence", ("every", "weekday", 1), *match.span())


@_rule(
    rf"\b(?:once|una vez|uma vez)\s+(?:every|each|cada|a cada)\s+(?:(?P<c>{_N})\s+)?(?:(?P<o>other|second)\s+)?(?P<u>{_UNIT})\b",
    "once",
    "vez",
)
def _once_every(match: re.Match[str], language: str) -> Found | None:
    count = _COUNTS[match["c"]] if match["c"] else 2 if match["o"] else 1
    return Found("recurrence", _each(UNITS[match["u"]], count), *match.span())


_PARTS = {
    **dict.fromkeys(("half", "medio", "meio"), 2), **dict.fromkeys(("third", "thirds", "tercio", "tercios", "terco", "tercos", "tercera", "terceras"), 3),
    **dict.fromkeys(("quarter", "quarters", "fourth", "fourths", "cuarto", "cuartos", "quarto", "quartos", "cuarta", "cuartas"), 4),
    **dict.fromkeys(("fifth", "fifths", "quinto", "quintos"), 5), **dict.fromkeys(("eighth", "eighths"), 8),
    **dict.fromkeys(("tenth", "tenths"), 10),
}  # fmt: skip


_PART_COUNT = r"(?P<n>an?|one|two|three|four|five|seven|nine|un|una|dos|tres|cuatro|um|uma|dois|duas|quatro)"


@_rule(
    rf"^\s*(?:the\s+|la\s+|las\s+|os\s+|as\s+|los\s+)?(?:{_PART_COUNT})[\s-]+(?P<p>{_any(_PARTS)})(?:\s+partes?)?\s*$|^\s*(?:la\s+|a\s+|un\s+|um\s+|one\s+|a\s+)?(?P<h>half|mitad|metade|meio|medio)\s*$"
)
def _parts(match: re.Match[str], language: str) -> Found | None:
    return _made_part(match)


@_rule(
    rf"\b(?:{_PART_COUNT})[\s-]+(?P<p>{_any(_PARTS)})(?:\s+partes?)?(?=\s+(?:of|de|del|do|da|dos|das)\s+(?!(?:an?|um|uma|una?)\s+(?:hour|hora|liter|litre|litro|cup|cent)|hora|litro|kilo|quilo|20\d\d|19\d\d|fy|(?:the |el |o )?(?:year|century|month|ano|mes|day|dia)\b)[a-z])"
    r"|\b(?:la\s+|a\s+)?(?P<h>half|mitad|metade)(?=\s+(?:of|de|dos|das|do|da|del)\s+(?:the|our|all|its|los|las|os|as)\s+(?!year|month|ano|mes|day|night|hour)[a-z])",
    " of",
    " de",
    " do",
    " da",
)
def _parts_of(match: re.Match[str], language: str) -> Found | None:
    """ "Two thirds of customers", "a quarter of the total"."""
    if (
        match["p"]
        and match["p"].startswith(("quarter", "second", "half", "medi", "mei"))
        and not re.match(r"\s+of the (?!year)", match.string[match.end() :])
    ):
        return None
    return _made_part(match)


def _made_part(match: re.Match[str]) -> Found | None:
    if match["p"] and match["p"].endswith(("a", "as")) and "parte" not in match[0]:
        return None
    number = 1 if match["h"] else _COUNTS[match["n"]]
    share = Fraction(number, 2 if match["h"] else _PARTS[match["p"]])
    if share >= 1 or (number > 1) != (match["p"] or "").endswith("s"):
        return None
    others = (Reading("number", Fraction(number)),) if match["p"] in ("cuartos", "quartos", "quarters") else ()
    return Found("number", share, *match.span(), "", others)


@_rule(rf"\b(?:{_any(_EVERY)})\b")
def _adverb(match: re.Match[str], language: str) -> Found | None:
    if match[0] == "diarias" and re.search(rf"\b{_N}\s$", match.string[max(0, match.start() - 14) : match.start()]):
        return None  # "3 diárias" are nights
    return Found("recurrence", ("every", *_EVERY[match[0]]), *match.span())


@_rule(
    rf"\b(?P<w>once|twice|thrice|{_N} times|{_N} vez|una vez|uma vez|{_N} veces|{_N} vezes)\s+(?:a|an|per|every|each|al|a la|por|ao|a|cada|na)\s+(?P<u>{_UNIT})\b"
)
def _times(match: re.Match[str], language: str) -> Found | None:
    word = match["w"].split()[0]
    count = {"once": 1, "twice": 2, "thrice": 3}.get(word) or _COUNTS[word]
    value, others = _often(UNITS[match["u"]], count)
    return Found("recurrence", value, *match.span(), "", others)


@_rule(
    r"\b(?:every|each|cada|a cada)\s+(?:(?P<q>quarter(?: of an)? hour|cuarto de hora|quarto de hora)|(?P<h>half(?: an)? hour|media hora|meia hora))\b"
)
def _part_of_hour(match: re.Match[str], language: str) -> Found | None:
    return Found("recurrence", ("every", "minute", 15 if match["q"] else 30), *match.span())


# Weekday ranges: "Monday to Friday" are the weekdays.
@_rule(rf"\b(?:(?:from|de|desde)\s+)?(?P<a>{_WD})\.?\s*(?:-|to|thru|through|until|a|ate|hasta)\s*(?P<b>{_WD})\b")
def _weekday_range(match: re.Match[str], language: str) -> Found | None:
    first, last = (WEEKDAYS.get(match[name], _PT_WEEKDAYS.get(match[name], -1)) for name in ("a", "b"))
    if (first, last) == (0, 4):
        return Found("recurrence", ("every", "weekday", 1), *match.span())
    if (first, last) == (0, 6):
        return Found("recurrence", ("every", "day", 1), *match.span())
    if (first, last) == (5, 6):
        return Found("recurrence", ("every", "weekend", 1), *match.span())
    return Found("recurrence", ("weekdays", first, last), *match.span()) if first != last else None


@_rule(
    r"\b(?:(?:every|each|on|cada|todos? (?:os|los)?|todo|los|aos|nos|the)\s+)*(?:(?<=every )weekend|(?<=each )weekend|(?<=cada )fin de semana|(?<=todo )fim de semana|(?<=cada )fim de semana|weekends|fines de semana|fins de semana)\b"
)
def _weekends(match: re.Match[str], language: str) -> Found | None:
    return Found("recurrence", ("every", "weekend", 1), *match.span())


@_rule(
    rf"\b(?:every|each|cada|a cada|todos os|todas as|todos los|todas las|toda|todo)\s+(?:(?P<c>{_N})[\s-]+)?(?:(?P<o>other|second)\s+)?(?:(?P<u>{_UNIT})|(?P<d>{_WD}))\b"
)
def _every(match: re.Match[str], language: str) -> Found | None:
    if match["d"] and (match["o"] or match["c"]):
        day = WEEKDAYS.get(match["d"], _PT_WEEKDAYS.get(match["d"], -1))
        return Found("recurrence", ("every weekday", day, 2 if match["o"] else _COUNTS[match["c"]]), *match.span())
    if match["d"]:
        return Found(
            "recurrence", ("every weekday", WEEKDAYS.get(match["d"], _PT_WEEKDAYS.get(match["d"], -1))), *match.span()
        )
    count = _COUNTS[match["c"]] if match["c"] else 2 if match["o"] else 1
    return Found("recurrence", _each(UNITS[match["u"]], count), *match.span())


@_rule(r"\b(?:every weekday|on weekdays|dias de semana|entre semana|dias uteis|dias laborables)\b")
def _weekdays(match: re.Match[str], language: str) -> Found | None:
    return Found("recurrence", ("every", "weekday", 1), *match.span())


@_rule(
    r"\b(?:per|por|al|ao|p/)\s?(?P<u>hour|day|week|month|quarter|year|hora|dia|semana|mes|trimestre|ano|annum)\b|(?:(?<=\d)|(?<=€)|(?<=\$)|(?<=euros)|(?<=reais)|(?<=dolares)|(?<=pesos)|(?<=eur)|(?<=usd)|(?<=brl))\s+(?:a la|la|a|o|el)\s+(?P<u3>hora|semana)\b|(?<=[a-z\d€$] )(?P<u4>p\.\s?a\.|p\.a\b|pa\b|p\.\s?m\.(?=\s*$))(?=\s|$)|/(?P<u2>hour|day|week|month|year|mo|yr|hr|mes|ano|dia|hora|h|semana|wk)\b"
)
def _per(match: re.Match[str], language: str) -> Found | None:
    unit = match["u"] or match["u2"] or match["u3"]
    before = match.string[max(0, match.start() - 24) : match.start()]
    if match["u4"]:
        is_money = re.search(
            r"(?:[$€£]\s?[\d.,]+k?|[\d.,]+k?\s?[$€£]|dollars?|euros?|usd|eur|gbp|pounds|reais|pesos)\s*$", before
        )
        return Found("recurrence", ("every", "year", 1), *match.span()) if is_money and "a" in match["u4"] else None
    if re.search(
        r"(?:kilom\w+|quilom\w+|mil(?:es?|has?|las?)|met\w+|bits?|bytes?|metros?|\bkms?|(?<=\d)km|\bm|\bmi)\s*$", before
    ):
        return None  # a speed
    if unit == "h" and not re.search(
        r"(?:[$€£]\s?[\d.,]+|[\d.,]+\s?[$€£]|dollars?|euros?|usd|eur|gbp|pounds|reais|pesos)\s*$", before
    ):
        return None
    name = (
        UNITS.get(unit) or {"mo": "month", "yr": "year", "hr": "hour", "h": "hour", "wk": "week", "annum": "year"}[unit]
    )
    return Found("recurrence", ("every", name, 1), *match.span())


# --- times of day -------------------------------------------------------------------------------------------------


@_rule(r"(?<![\d:.,])(?P<h>\d{1,3}):(?P<i>[0-5]\d)(?::(?P<s>[0-5]\d))? hours\b")
def _hours(match: re.Match[str], language: str) -> Found | None:
    seconds = int(match["h"]) * 3600 + int(match["i"]) * 60 + int(match["s"] or 0)
    return Found("quantity", Fraction(seconds), *match.span(), "duration")


@_rule(r"(?<![\w:.,])(?P<h>[01]\d|2[0-3])(?P<i>[0-5]\d)\s?(?:hours|hrs|h|hs|horas)\b", "h")
def _military(match: re.Match[str], language: str) -> Found | None:
    return Found("time", int(match["h"]) * 3600 + int(match["i"]) * 60, *match.span())


_HOURS = {
    word: n
    for word, n in _COUNTS.items()
    if n <= 12 and not word.isdigit() and word not in ("a", "an", "un", "um", "uno")
}


_MINUTES = {
    "fifteen": 15, "thirty": 30, "forty-five": 45, "forty five": 45, "ten": 10, "twenty": 20, "oh five": 5, "fifty": 50, "forty": 40,
}  # fmt: skip


def clock(hour: int, minute: int, second: int, half: str | None, part: str | None) -> int | None:
    """Seconds since midnight of a time as it is said; None where there is no such time."""
    if minute > 59 or second > 59 or hour > 24:
        return None
    half = (half or "").strip()[:1]
    if part in ("afternoon", "evening", "tarde", "mediodia", "meio-dia") or (
        part in ("night", "noche", "noite") and hour >= 5
    ):
        half = "p" if not (part in ("night", "noche", "noite") and hour == 12) else "a"
    if part in ("morning", "manana", "manha", "madrugada"):
        half = "a"
    if half and not 1 <= hour <= 23:
        return None
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    if hour == 24 and minute:
        return None
    return hour % 24 * 3600 + minute * 60 + second


def _made_time(match: re.Match[str], hour: int, minute: int, second: int, is_clear: bool) -> Found | None:
    groups = match.groupdict()
    seconds = clock(hour, minute, second, groups.get("ap"), groups.get("part"))
    if seconds is None:
        return None
    is_clear = is_clear or bool(groups.get("ap") or groups.get("part")) or not 1 <= hour <= 12
    others = () if is_clear else (Reading("time", (seconds + 43_200) % 86_400, offset_of(groups.get("zone"))),)
    if groups.get("s") == "h" and not groups.get("ap") and not groups.get("part"):
        others = (*others, Reading("quantity", Fraction(seconds), "duration"))  # "1h30" may be how long
    return Found("time", seconds, *match.span(), offset_of(groups.get("zone")), others)


@_rule(
    r"\b(?:(?:12|twelve) (?:o'? ?clock )?|12 ?|(?:las?|as) (?:12|doce|doze) (?:del? |da )?)?(?P<n>noon|midday|mediodia|meio-dia|meio dia|(?<=las 12 del )dia\b|(?<=las doce del )dia\b|midnight|medianoche|meia-noite|meia noite)\b"
)
def _noon(match: re.Match[str], language: str) -> Found | None:
    is_noon = re.search(r"noon|midday|mediodia|^dia|meio.dia", match["n"])
    return Found("time", 43_200 if is_noon and "night" not in match["n"] else 0, *match.span())


@_rule(
    rf"(?<![\w:.,/$-])(?:(?P<o>from|between|entre|de|das|desde las|desde)\s+(?P<las>las\s+|as\s+|la\s+)?)?(?P<h>\d\d?)(?:[:h](?P<i>[0-5]\d)|(?=\s?h))?\s?(?P<a>{_PM}|h\b|hs\b|horas\b)?"
    rf"\s*(?P<j>-|to|until|al?|as|e|y|and|hasta|ate)\s*(?P<las2>las\s+|la\s+|as\s+)?(?P<h2>\d\d?)(?:[:h](?P<i2>[0-5]\d)|(?=\s?h))?\s?(?P<b>{_PM}|h\b|hs\b|hrs\b|horas\b|(?<=\d)(?=\s*$|[,;.])|(?<=\d)(?={_PART_AHEAD}))(?![\w:]){_DAYPART}"
)
def _hours_range(match: re.Match[str], language: str) -> Found | None:
    """ "9-5pm", "de 9 a 17 h": a first hour without a half of the day takes the second's, unless it would be later."""
    part = match["part"]
    is_half = match["b"][:1] in ("a", "p")
    if (
        not match["b"]
        and not part
        and not (match["las"] and match["las2"])
        and not (match["j"] == "as" and match["i2"])
    ):
        return None
    if match["j"] in ("e", "y", "and") and match["o"] not in ("between", "entre"):
        return None
    is_late = match["j"] == "-" and match["b"] in ("h", "hs") and int(match["h2"]) > 12  # "9-14h"
    if not is_half and match["o"] not in ("de", "das", "desde", "desde las", "entre") and not is_late and not part:
        return None
    if not is_half and match["b"] == "horas" and match["a"] is None:
        return None  # "de 2 a 3 horas" is how long
    if part and int(match["h2"]) > 12:
        return None
    last = clock(int(match["h2"]), int(match["i2"] or 0), 0, match["b"] if is_half else None, part)
    said = match["a"] if match["a"] and match["a"][0] in "ap" else None
    own = None if said else part
    first = clock(int(match["h"]), int(match["i"] or 0), 0, said or (match["b"] if is_half else None), own)
    if first is None or last is None:
        return None
    if first >= last and said is None and (is_half or part):
        first -= 43_200
    if not 0 <= first < last:
        return None
    return Found("time", (first, last), *match.span())


@_rule(r"(?<![\w:.,/$-])(?P<h>\d\d?):(?P<i>[0-5]\d)\s*-\s*(?P<h2>\d\d?):(?P<i2>[0-5]\d)(?![\w:])(?!\s?[ap]\.?m)")
def _clock_range(match: re.Match[str], language: str) -> Found | None:
    """ "9:00-17:00"; "09:30-05:00" is a time with its offset."""
    first = clock(int(match["h"]), int(match["i"]), 0, None, None)
    last = clock(int(match["h2"]), int(match["i2"]), 0, None, None)
    if first is None or last is None or not first < last:
        return None
    return Found("time", (first, last), *match.span())


@_rule(
    r"(?<![\d:.,/-])(?P<h>[01]?\d|2[0-4])(?P<s>:|h|\.(?=\d\d ?[ap]\.?m))(?P<i>[0-5]\d)(?::(?P<x>[0-5]\d)(?:[.,]\d+)?)?(?!\d|:\d)(?:\s?(?:h|hs|hrs|horas|uhr)\b)?"
    rf"(?:\s*(?P<ap>{_PM}))?{_DAYPART}{_ZONE}"
)
def _clock(match: re.Match[str], language: str) -> Found | None:
    is_clear = match["h"].startswith("0") or match["s"] == "h" or bool(match["x"])
    return _made_time(match, int(match["h"]), int(match["i"]), int(match["x"] or 0), is_clear)


_SHARP = r"(?:\s+(?:sharp|on the dot|en punto|em ponto)\b)?"


@_rule(
    rf"\b(?P<at>(?:at|by|around|until|before|after|from)\s+)?(?:(?P<q>half past|half(?=\s+(?:{_any(_HOURS)})(?:\s*{_PM}|\s*$))|(?:a )?quarter (?:past|after|to|till?|of|before)|(?P<mn>\d\d?|five|ten|fifteen|twenty(?:[- ]five)?)(?P<mi>\s+minutes)?\s+(?P<pt>past|after|to|till?|before))\s+)?(?:(?<![:.,])(?P<h>\d\d?)|(?P<w>{_any(_HOURS)}))(?P<oc>\s+o'? ?clock)?(?:\s*(?P<ap>{_PM}))?{_SHARP}{_DAYPART}(?![\w:%])"
)
def _english_hour(match: re.Match[str], language: str) -> Found | None:
    if not (match["q"] or match["oc"] or match["part"] or (match["w"] and match["ap"])):
        return None
    hour = int(match["h"]) if match["h"] else _HOURS[match["w"]]
    if hour > 24:
        return None
    if match["mn"]:
        count = 25 if match["mn"][:7] == "twenty-" or match["mn"] == "twenty five" else _COUNTS.get(match["mn"], 99)
        says_time = match["ap"] or match["oc"] or match["part"] or match["mi"] or match["pt"] == "past"
        # "5 to 10" is a range, "five past ten" none.
        if not says_time and (count <= hour or match["mn"].isdigit() or match["pt"] != "to"):
            return None
        if count > 59:
            return None
        minutes = count * (1 if match["pt"] in ("past", "after") else -1)
    elif match["q"]:
        word = match["q"].removeprefix("a ")
        minutes = 30 if word.startswith("half") else 15 if word.endswith(("past", "after")) else -15
    else:
        minutes = 0
    return _shifted(match, hour, minutes)


@_rule(
    rf"\b(?:(?:at|by)\s+)?(?P<w>{_any(_HOURS)})[\s-]+(?P<i>{_any(_MINUTES)})\b(?:\s*(?P<ap>{_PM}))?{_DAYPART}(?![\w:%])"
)
def _spoken(match: re.Match[str], language: str) -> Found | None:
    """ "Three thirty pm", "six fifteen": without a half of the day only as a whole text."""
    if not (match["ap"] or match["part"] or match.string.strip(" .") == match[0].strip(" .")):
        return None
    return _made_time(match, _HOURS[match["w"]], _MINUTES[match["i"]], 0, False)


_MINUTES_PT = {"quinze": 15, "um quarto": 15, "meia": 30, "trinta": 30, "quarenta e cinco": 45, "dez": 10, "vinte": 20}
_MINUTES_ES = {"cuarto": 15, "quince": 15, "media": 30, "treinta": 30, "cuarenta y cinco": 45, "diez": 10, "veinte": 20}


@_rule(
    rf"(?:^\s*|\b(?:a\s+)?(?:las|la|as)\s+)(?:(?P<w>{_any(_HOURS)})|(?P<h>\d\d?))\s+(?:(?P<y>y|e)\s+(?P<m>{_any({*_MINUTES_ES, *_MINUTES_PT})})|(?P<n>menos)\s+(?P<m2>{_any({*_MINUTES_ES, *_MINUTES_PT})}|\d\d?))\b(?:\s*(?P<ap>{_PM}))?{_DAYPART}(?![\w:%])",
    " y ",
    " e ",
    "menos",
)
def _iberian(match: re.Match[str], language: str) -> Found | None:
    """ "Las nueve menos cuarto", "seis e quinze": without "las" only as a whole text."""
    is_whole = match.string.strip(" .") == match[0].strip(" .")
    if not (match["part"] or match["ap"] or re.search(r"\b(?:las|la|as)\s", match[0]) or is_whole):
        return None
    hour = int(match["h"]) if match["h"] else _HOURS[match["w"]]
    if not 1 <= hour <= 24 or (match["h"] and match["y"] and not re.search(r"\b(?:las|as)\s", match[0])):
        return None
    word = match["m"] or match["m2"]
    minutes = int(word) if word.isdigit() else {**_MINUTES_ES, **_MINUTES_PT}[word]
    return _shifted(match, hour, -minutes if match["n"] else minutes)


@_rule(
    rf"(?:^\s*|\b)(?:faltan?m?\s+)?(?:(?P<m>{_any({*_MINUTES_ES, *_MINUTES_PT})})|(?P<d>\d\d?)|um? (?P<q>cuarto|quarto))\s+(?:minutos\s+)?(?:para)\s+(?:las|as|la|a)\s+(?:(?P<w>{_any(_HOURS)})|(?P<h>\d\d?))\b(?:\s*(?P<ap>{_PM}))?{_DAYPART}(?![\w:%])",
    "para",
)
def _minutes_before(match: re.Match[str], language: str) -> Found | None:
    """ "Quinze para as nove", "un cuarto para las nueve"."""
    minutes = 15 if match["q"] else int(match["d"]) if match["d"] else {**_MINUTES_ES, **_MINUTES_PT}[match["m"]]
    hour = int(match["h"]) if match["h"] else _HOURS[match["w"]]
    return _shifted(match, hour, -minutes) if hour <= 24 and minutes < 60 else None


def _shifted(match: re.Match[str], hour: int, minutes: int) -> Found | None:
    found = _made_time(match, hour, 0, 0, False)
    if found is None:
        return None
    shifted = (int(str(found.value)) + minutes * 60) % 86_400
    others = tuple(Reading("time", (int(str(r.value)) + minutes * 60) % 86_400, r.unit) for r in found.others)
    return Found("time", shifted, found.start, found.end, found.unit, others)


@_rule(r"(?<![\w:.,$-])(?P<h>[01]\d|2[0-3])(?P<i>[0-5]\d)\s?(?P<zone>utc|gmt|z|zulu|[ecmp][sd]t)(?![\w+-])")
def _zoned_military(match: re.Match[str], language: str) -> Found | None:
    return Found("time", int(match["h"]) * 3600 + int(match["i"]) * 60, *match.span(), offset_of(match["zone"]))


@_rule(rf"(?<![\d:.,/$-])(?P<h>0?[1-9]|1[0-2])\s?(?P<ap>{_PM})" + _SHARP + _ZONE)
def _hour_half(match: re.Match[str], language: str) -> Found | None:
    return _made_time(match, int(match["h"]), 0, 0, True)


@_rule(
    rf"\b(?:(?:a|at)\s+)?(?:(?P<h>\d\d?)|(?P<w>{_any(_HOURS)}))\s+(?:y|e)\s+(?P<m>media|meia|cuarto|quinze|quince)\s+(?:de la|da|de|por la)\s+(?P<part>manana|tarde|noche|noite|madrugada|manha)\b"
)
def _hour_and_half(match: re.Match[str], language: str) -> Found | None:
    hour = int(match["h"]) if match["h"] else _HOURS[match["w"]]
    return _made_time(match, hour, 30 if match["m"] in ("media", "meia") else 15, 0, True) if hour <= 12 else None


@_rule(r"(?<![\w:.,])(?P<h>1\d|2[0-3])\.(?P<i>[0-5]\d)\s?(?:h|hs|horas|uhr)\b", ".")
def _pointed_hour(match: re.Match[str], language: str) -> Found | None:
    decimal = Fraction(int(match["h"]) * 100 + int(match["i"]), 100) * 3_600
    others = (Reading("quantity", decimal, "duration"),)
    return Found("time", int(match["h"]) * 3_600 + int(match["i"]) * 60, *match.span(), "", others)


@_rule(rf"(?<![\w:.,])(?P<h>\d\d?)\s?(?:h|hs|hrs|horas?)\.?(?=\s+d[ae]){_DAYPART}(?!\w)")
def _hour_and_part(match: re.Match[str], language: str) -> Found | None:
    return _made_time(match, int(match["h"]), 0, 0, True) if match["part"] else None


@_rule(
    rf"\b(?:(?:a|at|by|around)\s+)?(?:las|la|as)\s+(?:(?P<h>\d\d?)|(?P<w>{_any(_HOURS)}))(?:\s+(?:y|e)\s+(?P<m>media|meia|cuarto|\d\d?)|[.](?P<mm>[0-5]\d)(?!\d))?(?:\s+(?:horas|hs|h|en punto|em ponto))?(?:\s*(?P<ap>{_PM}))?{_DAYPART}(?![\w:])"
)
def _spanish_hour(match: re.Match[str], language: str) -> Found | None:
    hour = int(match["h"]) if match["h"] else _HOURS[match["w"]]
    minute = (
        {None: 0, "media": 30, "meia": 30, "cuarto": 15}.get(match["m"], 0)
        if not (match["m"] or "").isdigit()
        else int(match["m"])
    )
    minute = int(match["mm"]) if match["mm"] else minute
    if minute > 59:
        return None
    if hour > 24 or (
        not match["ap"] and not match["part"] and match.string[match.end() : match.end() + 2].strip()[:1].isalpha()
    ):
        return None
    return _made_time(match, hour, minute, 0, hour > 12)


@_rule(rf"\bat (?P<h>\d\d?)(?=\s*$|\s+(?:on|tomorrow|today|next|this|{_SOME_DAYS})\b)")
def _at_hour(match: re.Match[str], language: str) -> Found | None:
    hour = int(match["h"])
    found = _made_time(match, hour, 0, 0, False) if 1 <= hour <= 23 else None
    if found is None:
        return None
    others = (*found.others, Reading("number", Fraction(hour)))
    return Found("time", found.value, found.start, found.end, "", others)


# --- lone words ---------------------------------------------------------------------------------------------------


@_rule(
    r"\b(?:(?:at|on) (?:the )?|(?:en|no|na|o|el) )?(?:weekends?|fin(?:es)? de semana|fin(?:s|ais)? de semana|fim de semana)\b"
)
def _weekend(match: re.Match[str], language: str) -> Found | None:
    return Found("relative", ("some weekend",), *match.span())


_TIME_BEHIND = re.compile(r"\.?,?\s+(?:at\s+)?(?:\d|\x00)")


@_rule(rf"\b(?P<w>{_any([*WEEKDAYS, *_PT_WEEKDAYS])})\b")
def _lone_weekday(match: re.Match[str], language: str) -> Found | None:
    word = match["w"]
    is_alone = match.string.strip(" .,") == word
    said_before = match.string[: match.start()]
    if word in _PT_WEEKDAYS and not (
        (language == "pt" or (word.endswith("s") and re.search(r"\b(?:as|nas)\s$", said_before)))
        and not re.match(r"\s+(?:vez|parte|classe|via|feira)", match.string[match.end() :])
    ):
        return None
    if word in _SHY_WEEKDAYS and not is_alone and not _TIME_BEHIND.match(match.string, match.end()):
        return None
    before = match.string[: match.start()]
    if (
        re.search(r"\b(?:los|aos|nos)\s$", before)
        or (
            word.endswith("days")
            or word in ("sabados", "domingos", "segundas", "tercas", "quartas", "quintas", "sextas")
        )
        or word.endswith("s-feiras")
    ):
        return Found("recurrence", ("every weekday", WEEKDAYS.get(word, _PT_WEEKDAYS.get(word, -1))), *match.span())
    return Found("weekday", WEEKDAYS.get(word, _PT_WEEKDAYS.get(word, -1)), *match.span())


@_rule(rf"\b(?:(?:(?:the|el|o)\s+)?(?:month|mes)\s+(?:of|de)\s+)?(?P<w>{_MON})\b\.?")
def _lone_month(match: re.Match[str], language: str) -> Found | None:
    word = match["w"]
    is_alone = match.string.strip(" .,") == word
    if (
        word in _SHY_MONTHS
        and not is_alone
        and not re.search(r"\b(?:in|en|em|of|de|since|until|by|this|last|next)\s$", match.string[: match.start()])
    ):
        return None
    if word in ("out", "set", "ago", "mar") and not is_alone:
        return None
    month = MONTHS[word]
    return Found("period", ("months", month, month), *match.span())


@_rule(r"\b(?:the\s+)?(?P<n>\d\d?)(?:st|nd|rd|th)\s+century\b|\b(?:siglo|seculo)\s+(?P<r>[ivx]+)\b")
def _century(match: re.Match[str], language: str) -> Found | None:
    number = int(match["n"]) if match["n"] else _roman(match["r"])
    return Found("period", ("century", number), *match.span()) if number else None


def _roman(text: str) -> int:
    total = 0
    values = {"i": 1, "v": 5, "x": 10}
    for here, after in zip(text, [*text[1:], " "], strict=True):
        total += -values[here] if values.get(after, 0) > values[here] else values[here]
    return total


_HINT = re.compile(
    r"\d|third|fourth|fifth|tercio|terco|cuarto|quarto|quinto|eighth|tenth|ties\b|dia|day|week|mes\b|meses|month|\bano|year|hora|hour|que v|[ao]s (?:seg|ter|qua|qui|sex)|noon|midday|night|mediodia|meio|noche|noite|quarter|trimestre|semestre|half|fiscal|today|hoy|hoje|"
    + "|".join(sorted({w[:4] for w in (*MONTHS, *WEEKDAYS, *_EVERY)} | {w[:3] for w in MONTHS}, key=len, reverse=True))
    + r"|fifteen|thirty|forty|\b(?:to|till|after) |tomorrow|tmr|\bb\.?i\.?d\b|[tq]\.?i\.?d\b|\bseg\b|\b[lm] ?- ?[vf]\b|[ap]\. ?m\b|\b[ap]m\b|finde|weekly|bisem|bissem|menos|\bhrs?\b|\bmins?\b|tomorrow|yesterday|ayer|ontem|amanh|manana|last|past|previo|prior|prece|trail|recent|next|coming|upcom|follow|this|curr|est[ae]|ultim|anteri|antier"
    r"|pasad|passad|proxim|siguiente|seguinte|actual|atual|corrente|curso|ago|atras|hace|faz|dentro|daqui|from now|later|every|each|cada|tod[oa]|once|twice|thrice|times|veces|vez"
    r"|per|por|tarde|morning|afternoon|evening|madrug|en punto|navidad|nochebuena|nochevieja|natal|christmas|halloween|valent|new year|weekend|semana|[ymqw]td|to.date|acumulado|lo que va|so far|end of|begin|start|middle|fin|fim|princip|inicio|comeco|mediad|mead|clock|out of|\b(?:in|of|de|em) (?:two|three|four|five|six|seven|eight|nine|ten|dos|dois|tres|cuatro|quatro|cinco|seis|siete|sete|ocho|oito|nueve|nove|diez|dez)\b|in every|cada|metade|mitad|medio|meio|third|tercio|terco|cuart|siglo|seculo|century|decada|weekday|eo[dwmy]|segunda|terca|quarta|quinta|sexta"
)


def calendar_facts(plain_text: str, language: str) -> Iterator[Found]:
    """Every date, time and period of a plain text; where two overlap, the first rule's."""
    if not _HINT.search(plain_text):
        return
    text = plain_text
    for pattern, maker, needs in _rules:
        if needs and not any(need in text for need in needs):
            continue
        for match in pattern.finditer(text):
            if "\x00" in match[0]:
                continue
            found = maker(match, language)
            if found is None:
                continue
            yield found
            text = text[: found.start] + "\x00" * (found.end - found.start) + text[found.end :]


@lru_cache(maxsize=1)
def rule_count() -> int:
    """How many rules there are."""
    return len(_rules)
