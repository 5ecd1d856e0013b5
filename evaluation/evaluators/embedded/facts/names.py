"""Names and codes of countries, their parts, currencies, languages, airports and time zones, in three languages."""

# ruff: noqa: E501, SIM905  tables are easier to check on one line

import re
from functools import lru_cache

from evaluation.evaluators.embedded.facts.money import CURRENCIES
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.vocabulary import fold_term

LOCALES = ("en", "es", "pt")
Code = tuple[str, str]  # type, code: ("country", "DE")

_COUNTRY_ALIASES = """
IE: republic of ireland; eire; irish republic; republica de irlanda; republica da irlanda
GB: uk; u.k.; great britain; britain; england; gran bretana; inglaterra; gra-bretanha; reino unido
US: usa; u.s.; u.s.a.; us; america; united states of america; the united states; the states; eeuu; ee.uu.; ee. uu.; eua; estados unidos; estados unidos de america; estados unidos da america
KR: south korea; surcorea; s korea; korea, republic of; republic of korea; corea del sur; coreia do sul
KP: north korea; norcorea; n korea; dprk; corea del norte; coreia do norte
CN: people's republic of china; prc; mainland china
TW: taiwan; republic of china
RU: russia; russian federation
CI: ivory coast; cote d'ivoire; costa de marfil; costa do marfim
CD: drc; dr congo; democratic republic of the congo; republica democratica del congo; republica democratica do congo; zaire
CG: republic of the congo; congo-brazzaville
CZ: czech republic; czechia; republica checa; republica tcheca
NL: the netherlands; netherlands; holland; holanda; paises bajos; paises baixos
MM: burma; myanmar; birmania
SZ: swaziland; eswatini
MK: macedonia; north macedonia
TR: turkey; turkiye; turquia
VA: vatican; vatican city; holy see
AE: uae; united arab emirates; emirates; emiratos arabes unidos; eau; emirados arabes unidos
SA: ksa; saudi arabia; arabia saudita; arabia saudi
VN: vietnam; viet nam
BO: bolivia
VE: venezuela
IR: iran
SY: syria
LA: laos
MD: moldova
TZ: tanzania
BN: brunei
CV: cape verde; cabo verde
TL: east timor; timor-leste
PS: palestine
SK: slovakia; slovak republic
DO: dominican republic; republica dominicana; rep dominicana; rd dominicana
ZA: south africa; rsa; sudafrica; africa do sul
NZ: new zealand; aotearoa
BA: bosnia
DE: germany; ger; federal republic of germany; republica federal da alemanha; republica federal de alemania; alemania; alemanha
"""
_STATES = """
AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut; DE Delaware; FL Florida;
GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa; KS Kansas; KY Kentucky; LA Louisiana; ME Maine;
MD Maryland; MA Massachusetts; MI Michigan; MN Minnesota; MS Mississippi; MO Missouri; MT Montana; NE Nebraska;
NV Nevada; NH New Hampshire; NJ New Jersey; NM New Mexico; NY New York; NC North Carolina; ND North Dakota; OH Ohio;
OK Oklahoma; OR Oregon; PA Pennsylvania; RI Rhode Island; SC South Carolina; SD South Dakota; TN Tennessee; TX Texas;
UT Utah; VT Vermont; VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming; DC District of Columbia;
PR Puerto Rico
"""
_PARTS = {
    "CA": "AB Alberta; BC British Columbia; MB Manitoba; NB New Brunswick; NL Newfoundland and Labrador; NS Nova Scotia;"
    " ON Ontario; PE Prince Edward Island; QC Quebec; SK Saskatchewan; YT Yukon; NU Nunavut; NT Northwest Territories",
    "AU": "NSW New South Wales; VIC Victoria; QLD Queensland; WA Western Australia; SA South Australia; TAS Tasmania;"
    " ACT Australian Capital Territory; NT Northern Territory",
    "BR": "AC Acre; AL Alagoas; AP Amapá; AM Amazonas; BA Bahia; CE Ceará; DF Distrito Federal; ES Espírito Santo;"
    " GO Goiás; MA Maranhão; MT Mato Grosso; MS Mato Grosso do Sul; MG Minas Gerais; PA Pará; PB Paraíba; PR Paraná;"
    " PE Pernambuco; PI Piauí; RJ Rio de Janeiro; RN Rio Grande do Norte; RS Rio Grande do Sul; RO Rondônia;"
    " RR Roraima; SC Santa Catarina; SP São Paulo; SE Sergipe; TO Tocantins",
    "MX": "CDMX Ciudad de México; JAL Jalisco; NL Nuevo León; QROO Quintana Roo; YUC Yucatán; PUE Puebla; OAX Oaxaca;"
    " VER Veracruz; GTO Guanajuato; CHIS Chiapas; SON Sonora; SIN Sinaloa; TAM Tamaulipas; BC Baja California",
    "GB": "ENG England; SCT Scotland; WLS Wales; NIR Northern Ireland",
}
# How newspapers shorten states, with a full stop.
_STATE_SHORT = {
    "ala": "AL", "ariz": "AZ", "ark": "AR", "calif": "CA", "cal": "CA", "colo": "CO", "conn": "CT", "del": "DE", "fla": "FL", "ga": "GA",
    "ill": "IL", "ind": "IN", "kan": "KS", "kans": "KS", "ky": "KY", "md": "MD", "mass": "MA", "mich": "MI", "minn": "MN", "miss": "MS",
    "mo": "MO", "mont": "MT", "neb": "NE", "nebr": "NE", "nev": "NV", "okla": "OK", "ore": "OR", "penn": "PA", "penna": "PA", "pa": "PA",
    "tenn": "TN", "tex": "TX", "vt": "VT", "va": "VA", "wash": "WA", "wis": "WI", "wisc": "WI", "wyo": "WY",
}  # fmt: skip
_STATE_WORDS = {
    "nueva york": "NY", "nova york": "NY", "nova iorque": "NY", "nueva jersey": "NJ", "nova jersey": "NJ",
    "nuevo mexico": "NM", "novo mexico": "NM", "carolina del norte": "NC", "carolina do norte": "NC",
    "carolina del sur": "SC", "carolina do sul": "SC", "dakota del norte": "ND", "dakota do norte": "ND",
    "dakota del sur": "SD", "dakota do sul": "SD", "virginia occidental": "WV", "pensilvania": "PA",
    "tejas": "TX", "luisiana": "LA", "hawai": "HI", "havai": "HI",
}  # fmt: skip
_LANGUAGE_ALIASES = {
    "mandarin": "zh", "mandarin chinese": "zh", "chinese": "zh", "castilian": "es", "castellano": "es", "castelhano": "es",
    "simplified chinese": "zh_Hans", "traditional chinese": "zh_Hant", "farsi": "fa", "flemish": "nl_BE",
    "espanol": "es", "portugues": "pt", "ingles": "en", "brazilian": "pt_BR", "british": "en_GB", "us english": "en_US",
    "uk english": "en_GB", "portugues do brasil": "pt_BR", "portugues brasileno": "pt_BR", "portugues brasileiro": "pt_BR", "brazilian portuguese": "pt_BR",
    "portugues europeu": "pt_PT", "portugues europeo": "pt_PT", "european portuguese": "pt_PT", "portugues de brasil": "pt_BR",
    "portugues del brasil": "pt_BR", "ingles americano": "en_US", "ingles estadounidense": "en_US", "ingles britanico": "en_GB",
    "ingles de estados unidos": "en_US", "ingles do reino unido": "en_GB", "espanol de mexico": "es_MX", "espanol mexicano": "es_MX",
    "espanhol mexicano": "es_MX", "mexican spanish": "es_MX", "espanol de espana": "es_ES", "espanhol da espanha": "es_ES",
    "espanhol europeu": "es_ES", "european spanish": "es_ES", "espanol europeo": "es_ES", "spanish (spain)": "es_ES",
    "chino mandarin": "zh", "chino": "zh", "chines": "zh", "chino simplificado": "zh_Hans", "chines simplificado": "zh_Hans",
    "francais": "fr", "deutsch": "de", "italiano": "it", "nederlands": "nl", "svenska": "sv", "norsk": "no", "dansk": "da",
    "suomi": "fi", "polski": "pl", "turkce": "tr", "russkiy": "ru", "nihongo": "ja", "hangul": "ko", "zhongwen": "zh", "catala": "ca",
    "eng": "en", "spa": "es", "por": "pt", "fra": "fr", "fre": "fr", "deu": "de", "ger": "de", "ita": "it", "jpn": "ja", "zho": "zh",
    "chi": "zh", "rus": "ru", "ara": "ar", "kor": "ko", "nld": "nl", "dut": "nl", "pol": "pl", "swe": "sv", "tur": "tr", "hin": "hi",
    "chino tradicional": "zh_Hant", "chines tradicional": "zh_Hant", "frances canadiense": "fr_CA", "canadian french": "fr_CA", "portugues de portugal": "pt_PT",
}  # fmt: skip
_LANGUAGE_WORD = re.compile(
    r"(?:(?:the|el|o|la|a) )?(?:idioma|lengua|lingua|language)(?: de)? (?P<a>[a-z ]{3,30})|(?P<b>[a-z ]{3,30}) (?:language|idioma)"
)
# "Lengua inglesa": languages as they stand behind a feminine noun.
_FEMININE = {
    "inglesa": "en", "francesa": "fr", "portuguesa": "pt", "espanola": "es", "espanhola": "es", "castellana": "es",
    "castelhana": "es", "alemana": "de", "alema": "de", "italiana": "it", "china": "zh", "chinesa": "zh", "japonesa": "ja",
    "rusa": "ru", "russa": "ru", "coreana": "ko", "arabe": "ar", "turca": "tr", "griega": "el", "grega": "el",
    "holandesa": "nl", "neerlandesa": "nl", "polaca": "pl", "polonesa": "pl", "sueca": "sv", "danesa": "da", "hebrea": "he",
    "hebraica": "he", "catalana": "ca", "catala": "ca", "gallega": "gl", "galega": "gl", "vasca": "eu", "basca": "eu",
}  # fmt: skip
_ZONES = {
    "America/New_York": "et; est; edt; eastern time; eastern standard time; eastern daylight time; us eastern; us/eastern; hora del este",
    "America/Chicago": "ct; cst; cdt; central time; central standard time; central daylight time; us central; us/central; hora central",
    "America/Denver": "mt; mst; mdt; mountain time; mountain standard time; mountain daylight time; us mountain; us/mountain",
    "America/Los_Angeles": "pt; pst; pdt; pacific time; pacific standard time; pacific daylight time; us pacific; us/pacific; hora del pacifico",
    "Europe/London": "bst; gmt; british summer time; greenwich mean time; british time; uk time",
    "Etc/UTC": "utc; gmt; coordinated universal time; universal time; zulu; etc/utc; greenwich mean time; utc+0; utc+00:00; gmt+0",
    "Europe/Paris": "cet; cest; central european time; central european summer time; hora central europea",
    "Europe/Berlin": "cet; cest; central european time; central european summer time",
    "Europe/Madrid": "cet; cest; central european time; hora peninsular",
    "Asia/Tokyo": "jst; japan standard time; japan time",
    "Asia/Kolkata": "ist; india standard time; indian standard time; asia/calcutta",
    "America/Sao_Paulo": "brt; brasilia time; horario de brasilia; hora de brasilia",
    "America/Argentina/Buenos_Aires": "art; argentina time; america/buenos_aires",
    "Asia/Shanghai": "china standard time; beijing time",
    "Australia/Sydney": "aest; aedt; australian eastern time",
}

_ZONE_NAME = re.compile(
    r"(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US)/[A-Za-z_/+-]+$"
)


@lru_cache(maxsize=1)
def _tables() -> dict[str, set[Code]]:
    """Every name and code, folded, with what it may stand for. Built on first use from Babel and pycountry."""
    from babel import Locale  # noqa: PLC0415  a tenth of a second, and only where names are compared

    table: dict[str, set[Code]] = {}

    def add(name: str, kind: str, code: str) -> None:
        folded = fold_term(name)
        if folded:
            table.setdefault(folded, set()).add((kind, code))

    for name in LOCALES:
        locale = Locale(name)
        for code, territory in locale.territories.items():
            if len(code) == 2 and code.isalpha():
                add(territory, "country", code)
                add(re.sub(r"\s*\(.*\)|\bSAR China\b", "", territory), "country", code)
        for code, spoken in locale.languages.items():
            # Three letters name languages that hardly anybody asks for, and take most of the time.
            if len(code) == 2 or "_" in code:
                add(spoken, "language", code)
                add(code, "language", code)
        for code, currency in locale.currencies.items():
            if code in _CURRENT:
                add(currency, "currency", code)
                add(code, "currency", code)
    _add_countries(add)
    for spelling, code in CURRENCIES.items():
        if len(spelling) > 2 or not spelling.isalpha():
            add(spelling, "currency", {"$": "USD"}.get(code, code))
    for word in ("pounds", "pound", "libras", "libra"):
        add(word, "currency", "GBP")
    for alias, code in _LANGUAGE_ALIASES.items():
        add(alias, "language", code)
    _add_states(add)
    for zone, spellings in _ZONES.items():
        for spelling in spellings.split(";"):
            add(spelling, "zone", zone)
    return table


_CURRENT = frozenset(
    """AED ARS AUD BGN BOB BRL CAD CHF CLP CNY COP CRC CZK DKK DOP EGP EUR GBP GTQ HKD HNL HUF IDR ILS INR ISK JPY KES
    KRW KWD MAD MXN MYR NGN NIO NOK NZD PAB PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU
    VES VND ZAR AFN ALL AMD AOA AZN BDT BHD BND BWP BYN DZD ETB FJD GEL GHS HRK IQD IRR JMD JOD KHR KZT LAK LBP LKR MDL
    MKD MMK MNT MOP MUR MZN NAD NPR OMR PGK RWF SDG SYP TZS UGX UZS XAF XOF YER ZMW""".split()
)


def _add_countries(add: object) -> None:
    import pycountry  # noqa: PLC0415

    assert callable(add)  # noqa: S101
    for country in pycountry.countries:
        for name in (
            country.name,
            getattr(country, "official_name", ""),
            getattr(country, "common_name", ""),
            country.alpha_3,
            country.alpha_2,
        ):
            add(name, "country", country.alpha_2)
        if "," in country.name:
            head, _, tail = country.name.partition(", ")
            add(f"{tail} {head}", "country", country.alpha_2)
    for line in _COUNTRY_ALIASES.strip().splitlines():
        code, _, names = line.partition(":")
        for name in names.split(";"):
            add(name, "country", code)


def _add_states(add: object) -> None:
    assert callable(add)  # noqa: S101
    for country, listed in (("US", _STATES), *_PARTS.items()):
        for part in re.sub(r"\s+", " ", listed).split(";"):
            code, _, name = part.strip().partition(" ")
            add(code, "state", f"{country}-{code}")
            add(name, "state", f"{country}-{code}")
            add(f"{name} state", "state", f"{country}-{code}")
            add(f"state of {name}", "state", f"{country}-{code}")
    for name, code in _STATE_WORDS.items():
        add(name, "state", f"US-{code}")


@lru_cache(maxsize=1)
def _airports() -> tuple[dict[str, tuple[str, str]], dict[str, set[str]]]:
    """Airports by IATA code (folded name, folded city), and codes by folded name."""
    import airportsdata  # noqa: PLC0415  a sixth of a second, only where a code asks for it

    by_code: dict[str, tuple[str, str]] = {}
    by_name: dict[str, set[str]] = {}
    for code, airport in airportsdata.load("IATA").items():
        name, city = str(airport["name"]), str(airport["city"])
        by_code[code] = (name, city)
        by_name.setdefault(_airport_name(name), set()).add(code)
    return by_code, by_name


_AIRPORT_WORDS = re.compile(
    r"\b(?:international|intl|airport|aeropuerto|aeroporto|internacional|aerodrome|of|de|field|the)\b"
)


def _airport_name(name: str) -> str:
    return " ".join(_AIRPORT_WORDS.sub(" ", fold_term(name)).split())


def airport(code: str) -> tuple[str, str] | None:
    """Name and city of the airport with an IATA code in capitals; None for another text."""
    return _airports()[0].get(code)


def airport_codes(text: str) -> frozenset[str]:
    """The airports of a name that says "airport" or that is a whole airport's name."""
    name = _airport_name(text)
    return frozenset(_airports()[1].get(name, ()))


@lru_cache(maxsize=16_384)
def codes_of(text: str) -> frozenset[Code]:
    """What a whole text names: (type, code) for country, state, currency, language and time zone.

    >>> sorted(codes_of("Suíça"))
    [('country', 'CH')]
    """
    text = text.strip()
    if not text or len(text) > 64:
        return frozenset()
    folded = fold_term(text)
    found = set(_tables().get(folded, ()))
    if not found:
        found = _explained(text) | _of_region(folded)
    if not found and text.endswith(".") and folded in _STATE_SHORT and text[0].isupper():
        found = {("state", f"US-{_STATE_SHORT[folded]}")}
    spoken = _LANGUAGE_WORD.fullmatch(folded)
    if spoken and not found:
        name = spoken["a"] or spoken["b"]
        code = _FEMININE.get(name)
        found |= {("language", code)} if code else {one for one in _tables().get(name, ()) if one[0] == "language"}
    if text.isalpha() and len(text) == 2 and not text.isupper():
        # "in", "is", "no", "me" are words before they are codes.
        found = {code for code in found if code[0] == "language"}
    if text.isalpha() and len(text) == 3 and text.islower():
        found = {
            code
            for code in found
            if code[0] in ("currency", "zone", "language") and text not in ("try", "all", "top", "mad")
        }
    if _ZONE_NAME.match(text.replace(" ", "_")):
        found.add(("zone", _zone(text)))
    tag = re.fullmatch(r"([a-z]{2,3})[-_]([A-Z][a-z]{3}|[A-Za-z]{2})", text)
    if tag:
        found.add(("language", f"{tag[1]}_{tag[2].title() if len(tag[2]) == 4 else tag[2].upper()}"))
    return frozenset(found)


_BRACKETED = re.compile(r"([^()]{2,40}?)\s*\(([^()]{2,30})\)|([^(),]{2,40}),\s*([^(),]{2,30})")
_REGION_WORD = re.compile(
    r"(?:the )?(?:state of|estado d[eoa]|provincia d[eoa]|departamento d[eo]|region de|comunidad(?: autonoma)? de|prefecture of|county of|province of) (?P<a>.{2,30})"
)


def _explained(text: str) -> set[Code]:
    """A name with another behind it in brackets: "Euro (EUR)", "Portuguese (Brazil)", "Korea (Republic of)"."""
    match = _BRACKETED.fullmatch(text)
    if match is None:
        return set()
    outer, inner = match[1] or match[3], match[2] or match[4]
    table = _tables()
    first, second = table.get(fold_term(outer), set()), table.get(fold_term(inner), set())
    if match[1] and first & second:
        return first & second
    spoken = {code for kind, code in first if kind == "language" and "_" not in code}
    lands = {code for kind, code in second if kind == "country"}
    if len(spoken) == 1 and len(lands) == 1:
        return {("language", f"{min(spoken)}_{min(lands)}")}
    return set(table.get(fold_term(f"{inner} {outer}"), ())) if match[1] else set()


def _of_region(folded: str) -> set[Code]:
    match = _REGION_WORD.fullmatch(folded)
    return {code for code in _tables().get(match["a"], ()) if code[0] == "state"} if match else set()


def _zone(text: str) -> str:
    name = text.replace(" ", "_")
    return next((zone for zone, names in _ZONES.items() if plain(name) in names.split("; ") or zone == name), name)


def zone_city(zone: str) -> str:
    """The city in the name of a time zone: "New York" of America/New_York."""
    return zone.rpartition("/")[2].replace("_", " ")


def country_of(code: Code) -> str:
    """The country of a country or state code."""
    return code[1].partition("-")[0] if code[0] == "state" else code[1]
