"""Whole values that are names or codes: countries, units, airports, time zones, "City, Region"."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.names import Code, airport, airport_codes, codes_of, country_of, zone_city
from evaluation.evaluators.embedded.facts.units import NOT_ALONE, UNITS
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.vocabulary import Vocabulary, fold_term

_TYPES = {
    "country": {"country", "nation", "pais", "nationality", "citizenship"},
    "currency": {"currency", "moneda", "moeda", "divisa"},
    "language": {"language", "lang", "locale", "idioma", "lengua", "lingua"},
    "state": {"state", "province", "estado", "provincia", "region"},
    "zone": {"timezone", "tz", "zone", "zona", "fuso"},
}


class Named(NamedTuple):
    """What tables say of two names: equal or not, how sure, and one sentence."""

    is_equal: bool
    is_sure: bool
    sentence: str


def compare_units(a: str, b: str) -> Named | None:
    """Whether two texts name the same unit; None where one names none."""
    first, second = plain(a).strip(" ."), plain(b).strip(" .")
    x, y = UNITS.get(first), UNITS.get(second)
    if x is None or y is None:
        return None
    if x == y:
        return Named(True, True, said.BOTH_NAME_UNIT.format(a=x.name))
    if (first in NOT_ALONE or second in NOT_ALONE) or 1 in (len(first), len(second)):
        # "c" is Celsius or cups: a letter alone names no unit for sure.
        return Named(first[0] == second[0], False, said.A_LETTER_ALONE_DOES_NOT)
    return Named(False, True, said.DIFFERENT_UNITS.format(a=x.name, b=y.name))


def compare_codes(a: str, b: str, field_words: frozenset[str]) -> Named | None:
    """Compares two whole texts by the tables of countries, states, currencies, languages and time zones."""
    first, second = codes_of(a), codes_of(b)
    zone = _zone_and_city(a, b, first, second)
    if zone:
        return zone
    kinds = {kind for kind, _ in first} & {kind for kind, _ in second}
    if not kinds:
        return None
    wanted = {kind for kind, words in _TYPES.items() if words & field_words} & kinds
    kinds = wanted or kinds
    common = sorted(code for code in first & second if code[0] in kinds)
    if common:
        return Named(True, True, said.SAME_CODE[common[0][0]].format(code=common[0][1]))
    kind = min(kinds)
    names = sorted(code for k, code in first if k == kind)[:1] + sorted(code for k, code in second if k == kind)[:1]
    if kind == "language" and len({n.partition("_")[0] for n in names}) == 1:
        return Named(
            False,
            "_" in names[0] and "_" in names[1],
            said.NOT_SAME_FORM_LANGUAGE.format(a=names[0], b=names[1]),
        )
    # "de" may be a word: two letters written small are a language only where a field says so.
    is_sure = bool(wanted) or not any(len(text.strip()) <= 2 and text.strip().islower() for text in (a, b))
    return Named(False, is_sure, said.OTHER_CODES[kind].format(a=names[0], b=names[1]))


def _zone_and_city(a: str, b: str, first: frozenset[Code], second: frozenset[Code]) -> Named | None:
    for name, other, codes in ((a, b, first), (b, a, second)):
        if "/" not in name or "/" in other:
            continue
        for kind, code in codes:
            if kind == "zone":
                if (kind, code) in codes_of(other):
                    return Named(True, True, said.BOTH_NAME_TIME_ZONE.format(code=code))
                city = fold_term(zone_city(code))
                if city == fold_term(other.partition(",")[0]):
                    return Named(True, True, said.IS_TIME_ZONE_OF.format(code=code, other=other))
                if _is_city_alias(city, other):
                    return Named(True, True, said.IS_TIME_ZONE_OF.format(code=code, other=other))
    return None


def _is_city_alias(city: str, other: str) -> bool:
    from evaluation.evaluators.embedded.vocabulary import STANDARD  # noqa: PLC0415

    return STANDARD.are_synonyms(city, other) or any(
        k == "state" and _STATE_CITY.get(c) == city for k, c in codes_of(other)
    )


_STATE_CITY = {"US-NY": "new york"}


# --- cities and airports by the lists of places -------------------------------------------------------------------

_PLACES = Path(__file__).parents[1] / "data" / "concepts" / "places.txt"
# Parts of cities and areas around them are neither those cities nor others.
_NO_CITY = re.compile(
    r"manhattan|brooklyn|queens|bronx|silicon valley|valle d|\barea\b|cities|\bregion\b|metro|hollywood"
)


@lru_cache(maxsize=2)
def _listed_places(section: str) -> dict[str, frozenset[int]]:
    """Of the list's sections that start so ("cities", "airports") each folded name, with the lines it stands in."""
    names: dict[str, set[int]] = {}
    is_in = False
    for number, line in enumerate(_PLACES.read_text("utf-8").splitlines()):
        if line.startswith("# --"):
            is_in = line[4:].strip().startswith(section)
        if not is_in or not line or line.startswith("#") or _NO_CITY.search(plain(line)):
            continue
        for spoken in line.split(" | "):
            for name in spoken.partition(":")[2].split(";"):
                names.setdefault(fold_term(name), set()).add(number)
                if section == "cities" and "," in name:
                    names.setdefault(fold_term(name.partition(",")[0]), set()).add(number)
    return {name: frozenset(lines) for name, lines in names.items()}


def are_other_cities(a: str, b: str) -> bool:
    """Whether two texts are names of two cities, and of none both.

    >>> are_other_cities("Lisboa", "Porto"), are_other_cities("Lisboa", "Lisbon")
    (True, False)
    """
    first, second = (_listed_places("cities").get(fold_term(text)) for text in (a, b))
    return bool(first and second and not first & second)


def compare_cities(a: str, b: str) -> Named | None:
    """Two cities that the list knows as two; None for other texts."""
    return Named(False, True, said.TWO_CITIES.format(a=a.strip(), b=b.strip())) if are_other_cities(a, b) else None


_SAYS_AIRPORT = re.compile(
    r"\b(?:(?:international|intl\.?) )?airport\b|\b(?:aeropuerto|aeroporto)(?: internacional)?\b(?: d[eo]l?\b)?|[()]"
)


def _airport_lines(text: str) -> frozenset[int]:
    listed = _listed_places("airports")
    found = listed.get(fold_term(text))
    if found is None and _SAYS_AIRPORT.search(plain(text)):
        name = fold_term(_SAYS_AIRPORT.sub(" ", plain(text)))
        found = listed.get(name) or _airport_of_city(name)
    return found or frozenset()


def _airport_of_city(name: str) -> frozenset[int]:
    """The airport that is called by a city's name, in whatever language the city is named."""
    lines = _listed_places("cities").get(name, frozenset())
    names = (other for other, at in _listed_places("cities").items() if at & lines)
    listed = _listed_places("airports")
    return frozenset(line for other in names for line in listed.get(f"{other} airport", ()))


_IN_BRACKETS = re.compile(r"^(.*)\(([A-Z]{3})\)$")


def _bare_code(text: str) -> str:
    """The code in "EWR airport", "(SFO)" and "San Francisco (SFO)"; else the text."""
    bracketed = _IN_BRACKETS.match(text)
    if bracketed:
        known = airport(bracketed[2])
        about = _significant(bracketed[1])
        return bracketed[2] if known and (not about or about & _significant(" ".join(known))) else text
    folded = plain(text)
    if len(folded) == len(text) and _SAYS_AIRPORT.search(folded):
        rest = _SAYS_AIRPORT.sub(lambda match: " " * len(match[0]), folded)
        start, end = len(rest) - len(rest.lstrip()), len(rest.rstrip())
        code = text[start:end]
        return code if re.fullmatch(r"[A-Z]{3}", code) and airport(code) else text
    return text


def compare_airports(a: str, b: str) -> Named | None:  # noqa: PLR0911  one answer for each case
    """Compares airports by IATA code and name; None where neither text is a code in capitals that fits the other."""
    lines = _airport_lines(a), _airport_lines(b)
    if all(lines):
        is_same = bool(lines[0] & lines[1])
        return Named(is_same, True, (said.SAME_AIRPORT if is_same else said.OTHER_AIRPORTS).format(a=a, b=b))
    first, second = _bare_code(a.strip()), _bare_code(b.strip())
    if first == second or (first, second) != (a.strip(), b.strip()):
        codes = [text for text in (first, second) if re.fullmatch(r"[A-Z]{3}", text)]
        if len(codes) == 2:
            return Named(first == second, True, said.THEY_ARE_AIRPORTS.format(first=first, second=second))
    is_code = [bool(re.fullmatch(r"[A-Z]{3}", text)) for text in (first, second)]
    if is_code[0] and is_code[1]:
        return None
    if not (is_code[0] or is_code[1]):
        return _airport_names(first, second)
    code, name = (first, second) if is_code[0] else (second, first)
    known = airport(code)
    if known is None:
        return None
    words = _significant(name)
    own_name, own_city = _significant(known[0]), _significant(known[1])
    says_airport = bool(re.search(r"airport|aeropuerto|aeroporto|intl|international", plain(name)))
    if plain(code) in words and words <= own_name | own_city | {plain(code)}:
        return Named(True, True, said.NAMES_THE_AIRPORT.format(name=name, code=code))
    if words and (words == own_name or (words <= own_name | own_city and words & (own_name - own_city))):
        return Named(True, True, said.IS_CODE_OF.format(iata=code, known=known[0]))
    if words and words == own_city:
        return Named(True, False, said.IS_AN_AIRPORT_OF.format(iata=code, known=known[1]))
    others = airport_codes(name)
    if code in others:
        return Named(True, True, said.IS_CODE_OF.format(iata=code, known=known[0]))
    if others or says_airport:
        if words & own_name:
            return Named(False, False, said.CODE_IS_NOT_QUITE.format(iata=code, known=known[0], name=name))
        return Named(False, True, said.CODE_IS.format(iata=code, known=known[0]))
    return None


def _airport_names(a: str, b: str) -> Named | None:
    if not all(re.search(r"\b(?:airport|aeropuerto|aeroporto)\b", plain(text)) for text in (a, b)):
        return None
    first, second = airport_codes(a), airport_codes(b)
    if first and second:
        return Named(bool(first & second), True, said.BOTH_AIRPORTS_NAMES)
    return None


_AIRPORT_WORD = re.compile(r"international|intl|airport|aeropuerto|aeroporto|internacional|de|of|the|el|o|field")


def _significant(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[a-z]+", plain(text)) if not _AIRPORT_WORD.fullmatch(word))


# --- "City, Region" -----------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A place's own name, and the codes of the regions named behind it."""

    base: str
    regions: tuple[frozenset[Code], ...]
    is_split: bool


def place_of(text: str) -> Place | None:
    """A place with its region cut off: "Portland, OR", "Paris, France", "CA, Los Angeles"; None for another text."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    if not 1 <= len(parts) <= 4 or len(text) > 80:
        return None
    regions = [_regional(part) for part in parts]
    if len(parts) == 1:
        return Place(parts[0], (), False)
    tail: list[frozenset[Code]] = []
    while len(parts) > 1 and regions[-1]:
        tail.append(regions.pop())
        parts.pop()
    if not tail and len(parts) == 2 and regions[0]:
        return Place(parts[1], (regions[0],), True)
    if not tail:
        return None
    base = ", ".join(parts)
    codes = codes_of(base)
    lands = {code for kind, code in codes if kind == "country"}
    is_state = any(kind == "state" for kind, _ in codes)
    if not is_state and lands - _DEPENDENT and not lands & {country_of(code) for region in tail for code in region}:
        return None  # "Germany, France" are two countries
    return Place(base, tuple(tail), True)


_DEPENDENT = frozenset(("HK", "MO", "PR", "JE", "GG", "IM", "GI", "GL", "VI", "GU", "BM"))


def name_one_kind(texts: Sequence[str]) -> bool:
    """Whether all texts are names of countries, or all of currencies, or all of languages; and none is a state's."""
    common: set[str] | None = None
    for text in texts:
        kinds = {kind for kind, _ in codes_of(text)}
        if "state" in kinds or len(text) < 3:
            return False
        common = kinds if common is None else common & kinds
        if not common & {"country", "currency", "language"}:
            return False
    return bool(common)


def _regional(text: str) -> frozenset[Code]:
    text = text.strip(" .")
    found = frozenset(code for code in codes_of(text) if code[0] in ("country", "state"))
    if not found and len(text) == 2 and text.isalpha():
        return frozenset()
    return found


def compare_places(a: str, b: str, vocabulary: Vocabulary, language: str) -> Named | None:
    """Compares "City, Region" with another such, or with a city alone. None where they are not of this form."""
    first, second = place_of(a), place_of(b)
    if first is None or second is None or not (first.is_split or second.is_split):
        return None
    is_same = fold_term(first.base) == fold_term(second.base) or vocabulary.are_synonyms(
        first.base, second.base, language
    )
    if not is_same:
        return _other_cities(first, second, vocabulary, language)
    fit = _regions_fit(first.regions, second.regions)
    if fit is False:
        return Named(False, True, said.LIES_DIFFERENT_REGIONS.format(first=first.base))
    if fit is None:
        return Named(True, True, said.BOTH_NAME_ONE_ALSO_SAYS.format(first=first.base))
    return Named(True, True, said.BOTH_NAME_SAME_REGION.format(first=first.base))


def _other_cities(first: Place, second: Place, vocabulary: Vocabulary, language: str) -> Named | None:
    # "New York, USA" and "NY": the second is a code of the first's name, or the region of the other.
    for one, other in ((first, second), (second, first)):
        if other.is_split or not one.is_split:
            continue
        codes = codes_of(other.base)
        if any(code in region for region in one.regions for code in codes):
            same = _is_named_like_region(one.base, codes)
            return Named(same, same, (said.IS_BOTH if same else said.IS_REGION_OF).format(a=other.base, b=one.base))
        is_land = all(kind == "country" for region in one.regions for kind, _ in region)
        if is_land and _is_named_like_region(one.base, codes):
            return Named(True, False, said.MAY_BE_THE_PLACE.format(a=other.base, b=one.base))
    fit = _regions_fit(first.regions, second.regions)
    if fit is False:
        return Named(False, True, said.LIE_DIFFERENT_REGIONS.format(first=first.base, second=second.base))
    if first.is_split and second.is_split and _is_known(first.base, vocabulary) and _is_known(second.base, vocabulary):
        return Named(False, True, said.DIFFERENT_PLACES.format(first=first.base, second=second.base))
    return None


def _is_known(name: str, vocabulary: Vocabulary) -> bool:
    return bool(vocabulary.concepts_of(name))


def _is_named_like_region(base: str, codes: frozenset[Code]) -> bool:
    return any(kind in ("state", "country") and (kind, code) in codes_of(base) for kind, code in codes)


def _regions_fit(a: tuple[frozenset[Code], ...], b: tuple[frozenset[Code], ...]) -> bool | None:
    """Whether regions agree; None where one side says none, or they are of different kinds that can go together."""
    if not a or not b:
        return None
    any_common = any(x & y for x in a for y in b)
    if any_common:
        return True
    countries = [{country_of(code) for group in side for code in group} for side in (a, b)]
    if not countries[0] & countries[1]:
        return False
    states = [{code for group in side for code in group if code[0] == "state"} for side in (a, b)]
    countries_only = [any(all(code[0] == "country" for code in group) for group in side) for side in (a, b)]
    if states[0] and states[1] and not any(countries_only):
        return False
    return None
