"""Typed facts in a text: one pass per kind, the most telling shapes first; what is found is cut out for the rest."""

# ruff: noqa: E501  tables and patterns are easier to check on one line

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded.facts import money
from evaluation.evaluators.embedded.facts.calendar import ORDINALS, Found, calendar_facts
from evaluation.evaluators.embedded.facts.model import Bound, Fact, FactKind, Reading
from evaluation.evaluators.embedded.facts.numbers import SCALES, WORDS, Numeral, numerals
from evaluation.evaluators.embedded.facts.units import CAPITALS, UNITS, Unit
from evaluation.evaluators.embedded.language import plain

LONGEST = 4_000  # characters of one text that are searched; what stands behind is not read

TRUE_WORDS = frozenset(
    ("true", "yes", "y", "on", "t", "yep", "yeah", "si", "s", "sim", "verdadero", "verdadera", "verdadeiro",
     "verdadeira", "cierto", "certo", "activado", "ativado", "enabled", "affirmative", "afirmativo", "checked", "yup",
     "yes please", "of course", "correct", "correcto", "correto", "encendido", "ligado", "claro", "claro que si", "claro que sim",
     "por supuesto", "ticked", "selected")
)  # fmt: skip
FALSE_WORDS = frozenset(
    ("false", "no", "n", "off", "f", "nope", "nao", "falso", "falsa", "desactivado", "desativado", "disabled",
     "negative", "negativo", "unchecked", "no thanks", "no, thanks", "no thank you", "apagado", "desligado", "no gracias",
     "no, gracias", "nao, obrigado", "nao obrigado", "incorrect", "incorrecto", "incorreto", "unticked", "not selected")
)  # fmt: skip

_URL = re.compile(
    r"(?:\b(?:https?|ftp|s?ftps?|ssh|git|s3|file)://|\bwww\.)[^\s<>\"'`|\\^{}]+|\bgit@[\w.-]+:[\w./~-]+"
    r"|(?<![@\w.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:com|org|net|io|edu|gov|dev|app|co|ai|br|es|pt|mx|uk|ar|de|fr|info|me|cloud|test|example|local|internal)"
    r"(?:\.[a-z]{2})?(?::\d{2,5})?(?:/[^\s<>\"'`|\\^{}]*)?(?![\w@-])"
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+(?![\w-])")
_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![\w-])")
_VERSION = re.compile(
    r"(?<![\w.-])(?:(?:v|version|ver|r)\.? ?(?P<v>\d{1,5}(?:\.\d{1,5}){0,3})|(?P<w>\d{1,5}(?:\.\d{1,5}){2,3}))"
    r"(?P<tail>-?(?:alpha|beta|rc|dev|a|b)[.-]?\d*)?(?![\w-]|\.\d)"
)
_PHONE = re.compile(
    r"(?<![\w.,#/-])(?:(?:tel|phone|cel|telefono|telefone)\.?:? )?(?P<n>\+\d[\d ().-]{6,18}\d|00 ?[1-9]\d{0,2}[ .-]\(?\d[\d ().-]{5,17}\d|(?:1[-. ]?)?\(\d{2,4}\)[ -]?\d{3,5}[ .-]?\d{3,5}"
    r"|0\d{1,4}[ .-]\d{3,4}[ .-]\d{3,4}|(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}|\d{3}[-. ]\d{2,3}[-. ]\d{2,3}[-. ]\d{2,3}|\d{2}[ .-]\d{4,5}[ .-]\d{4}|\d{2,3}(?:[ .-]\d{2,3}){3,4})(?![\w]|[-/]\d|[.,]\d)"
)
_EXTENSION = re.compile(r",?\s*(?:x|ext\.?|extension|ramal|anexo|interno|int\.)\s?(?P<x>\d{1,5})(?!\d)")
_TOKEN = re.compile(r"(?<![\w$€£.,-])#? ?(?P<t>[a-z0-9_]+(?:[-/.:][a-z0-9_]+)*)(?![\w])|#(?P<h>[a-z]?\d+)")
_NUMBER_UNIT = re.compile(
    r"[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d{1,3}|[a-z]{1,4}\d?(?:/[a-z]{1,3}\d?)?|-?(?:"
    + "|".join(sorted((u for u in UNITS if len(u) > 2 and u.isalpha()), key=len, reverse=True))
    + r"|year|day|month|week|hour|minute|night|st|nd|rd|th|in|ft)s?(?:-[a-z]+)?)?$"
)
# "3-bedroom", "12-person": a number and a word written small.
_NUMBER_WORD_TOKEN = re.compile(r"(\d{1,3})-[a-z]{3,}(?:-[a-z]{2,})?s?$")
# Words with a digit inside, which are no ids.
_WORDLIKE = frozenset(
    """2fa mfa2 b2b b2c c2c p2p d2c 3d 2d 4d 4k 8k mp3 mp4 h264 24x7 24/7 covid-19 covid19 4x4 4wd 2wd 401k i18n k8s l10n
    e2e ipv4 ipv6 utf-8 web2 web3 5g 4g 3g 2g lte5 y2k s3 ec2 o2 co2 h2o n95 kn95 t3 b12 d3 k2 a1c hba1c""".split()  # noqa: SIM905
)
_RANGE_TOKEN = re.compile(r"(\d{1,4})[-](\d{1,4})$")
_DIGIT = re.compile(r"\d")
_PERCENT = re.compile(
    r"\s?(?P<pp>percentage points?|puntos porcentuales|pontos percentuais|p\.?p\.?(?![a-z])|basis points?|bps\b|puntos basicos|pontos base)"
    r"|\s?(?:%|percent(?:age)?\b|per cent\b|pct\b|por ciento\b|por cento\b|porcento\b|%)"
)
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th)(?![a-z])|\.?[ºª](?!\s?[cf]\b)")
_ORDINAL_WORD = re.compile(r"\b(?:" + "|".join(sorted(ORDINALS, key=len, reverse=True)) + r")\b")
_TENS_ORDINAL = re.compile(
    r"\b(?P<t>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[-\s](?P<o>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b"
)
_UNIT = re.compile(
    r"(?:\s?-?\s?|\s?de\s)("
    + "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
    + r")(?![a-z0-9²³^/°])(?!'[a-z])"
)
_UNIT_AFTER_POINT = re.compile(r"\.?(?:\s+(?:and|y|e|,)?\s*|\s*,\s*|(?<=foot)-|)")
_HALF_UNIT = re.compile(
    r"(?<!and a )(?<!\by )(?<!\be )\b(?P<h>half (?:of )?an?|half|(?:un |um )?medi[ao]|(?:um |uma )?mei[ao]|metade de uma?|la mitad de una?|(?P<q>(?:an? |one )?quarter (?:of an? )?|(?:un )?cuarto de |(?:um )?quarto de )(?<=\s))\s*(?P<u>"
    + "|".join(sorted((u for u in UNITS if len(u) > 2 and u.isalpha()), key=len, reverse=True))
    + r")\b"
    r"|\b(?:a )?(?:three[ -])?quarters? (?:of an )?hours?\b|\btres cuartos de hora\b"
)
# "Uma hora e quinze" is 75 minutes; after "à" or "a la" it is a time of the day.
_MINUTES = {
    "cinco": 5, "dez": 10, "diez": 10, "quinze": 15, "quince": 15, "vinte": 20, "veinte": 20, "trinta": 30, "treinta": 30,
    "quarenta": 40, "cuarenta": 40, "quarenta e cinco": 45, "cuarenta y cinco": 45, "cinquenta": 50, "cincuenta": 50,
    "cuarto": 15, "um quarto": 15,
}  # fmt: skip
_MINUTES_BEHIND = re.compile(
    rf"\s+[ey]\s+(?P<m>{'|'.join(sorted(_MINUTES, key=len, reverse=True))})\b(?!\s+(?:dias?|segundos|e\b|y\b|\w+s\b))"
)
_CLOCK_AHEAD = re.compile(r"(?:\ba|\bas|\ba las?|\bla|\blas)\s*$")
_HALF_MONEY = re.compile(r"\b(?:half an? |medio |meio |half (?:of )?(?:a|one) )(?P<c>dollar|euro|real|peso|sol)\b")
_HALF_PERCENT = re.compile(
    r"\b(?:half (?:an? )?|half of (?:one|an?|1) |medio |meio )(?P<p>percentage point|punto porcentual|ponto percentual)\b"
    r"|\b(?:half (?:an? )|half of (?:one|an?|1) )(?P<c>percent|per cent)\b|\bmedio por ciento\b|\bmeio por cento\b"
)
# Capitals that are no word in any of the languages; I, V, X, C, D, L, M and MI, DI, CD are left alone.
_ROMAN = re.compile(r"(?<=\s)(?:II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XV|XVI|XVII|XVIII|XIX|XX|XXI)(?![\w'])")


def _roman_value(text: str) -> int:
    values = {"I": 1, "V": 5, "X": 10}
    return sum(
        -values[here] if values.get(after, 0) > values[here] else values[here]
        for here, after in zip(text, [*text[1:], " "], strict=True)
    )


_METRES = re.compile(
    r"(?<![\w.,])(?P<m>[12]|una?|uma?|dos|dois)\s?m(?:etros?)?(?:\s+(?:y|e)\s+|\s*)(?P<c>\d\d|(?<=\s)[a-z]{4,}(?: [ye] [a-z]{2,})?)(?:\s?cm)?(?![\w.,])"
)
_FEET = re.compile(r"(?<![\w.,])(?P<f>\d{1,2})\s?'\s?(?P<i>\d{1,2}(?:\.\d+)?)(?:\"|'')?(?![\w'])")
_ONE_UNIT = re.compile(
    r"\b(?:an?|un|una|um|uma|one)\s+(?P<f>full\s+)?(?P<u>[a-z]{3,})\b(?P<h>\s+(?:and a half|y media|y medio|e meia|e meio))?"
)
_OF_SPEED = re.compile(r"(?:miles?|kms?|kilomet(?:er|re)s?|met(?:er|re)s|mi|knots)\s$")
_COUNTED_ALONE = ("duration", "months", "length", "mass", "volume")
# Number words before "one" or "un", of which it is the last part.
_MORE_BEFORE = re.compile(
    r"(?<![a-z])(?:"
    + "|".join(
        sorted(
            ({*WORDS, *SCALES, "hundred"} - {"a", "an", "un", "una", "uno", "um", "uma", "one"}), key=len, reverse=True
        )
    )
    + r")(?:[\s-]+(?:and|y|e))?[\s-]+$"
)
_COUPLE = re.compile(r"\b(?:(?:a\s+)?couple(?:\s+of)?|un par de|um par de)\s+(?P<u>[a-z]{3,})\b")
_BOUND_BEFORE = re.compile(
    r"(?:(?P<ge>at least|(?:no|not) (?:less|fewer|lower|smaller|shorter) than|not below|no(?:t be)? under|nao menos (?:de|que|do que)|no menos que|no inferior(?:es)? a|nao inferior(?:es)? a|minimum(?: of)?|min\.?|>=|≥|al menos|por lo menos|como minimo|como poco|cuando menos|minimo(?: de)?|no menos de|com no minimo|mayor o igual (?:que|a)|igual o superior a|maior ou igual a|igual ou superior a|greater than or equal to|pelo menos|ao menos|no minimo|a minimum of|a partir de|not under|starting (?:at|from)|no menor(?:es)? (?:a|de|que)|from)"
    r"|(?P<le>at most|(?:no|not) (?:more|greater|higher|larger|longer|bigger) than|not above|not to exceed|not exceeding|nao mais (?:de|que|do que)|no mas que|no (?:superior(?:es)?|mayor(?:es)?) (?:a|que|de)|nao (?:superior(?:es)?|maior(?:es)?) (?:a|que)|sin superar|sin exceder|sem exceder|menor o igual (?:que|a)|igual o inferior a|menor ou igual a|igual ou inferior a|less than or equal to|maximum(?: of)?|max\.?|<=|≤|up to|como maximo|como mucho|cuando mucho|quando muito|a lo mas|a lo sumo|maximo(?: de)?|no mas de|no maximo|ate|hasta|not over|not exceeding|a maximum of|capped at|limited to|(?:a |with a )?limit of|up to and including|un maximo de|um maximo de|(?:con |com )?(?:un |um )?limite de|tope de|(?:en|em|dentro de|en un|no) ?(?:un |o )?(?:plazo|prazo)(?: maximo)? de|within|inside)"
    r"|(?P<gt>more than|over|above|greater than|older than|longer than|taller than|heavier than|higher than|larger than|upwards? of|in excess of|exceeding|>|maior(?:es)? do que|mas de|mayor(?:es)? (?:que|de|a)|superior a|por encima de|mais de|mais do que|mas que|acima de|maior(?:es)? que)"
    r"|(?P<lt>less than|under|below|fewer than|lower than|younger than|shorter than|cheaper than|lighter than|smaller than|not as many as|<|menor(?:es)? do que|mas barat[oa]s? (?:de|que)|menos de|menor(?:es)? (?:que|de|a)|menos que|menos do que|inferior(?:es)? a|por debajo de|abaixo de|menor que)"
    r"|(?P<ap>about|around|approximately|approx\.?|aprox\.?|more or less|mas o menos|mais ou menos|in the region of|in the neighborhood of|somewhere around|en torno a|em torno de|perto de|\bc\.|sobre(?= $)|roughly|nearly|almost|some|~|circa|unos|unas|alrededor de|aproximadamente|cerca de|casi|quase|uns|umas|por volta de))\s*(?:the |de |us)?$"
)
_BOUND_AFTER = re.compile(
    r",?\s*(?:(?P<ap>or so|-ish|give or take|or thereabouts|approximately|approx\.?|mas o menos|aproximadamente|aprox\.?|mais ou menos|y pico|e poucos|ou coisa assim|o asi)|(?P<ge>\+(?!\d)|or more|or older|and older|(?:years )?or above|or above|or over|or higher|or greater|and above|and over|and up|and more|o superior|ou superior|at least|at the least|al menos|por lo menos|pelo menos|ao menos|como poco|at a minimum|o mas|ou mais|y mas|e mais|(?:de )?para cima|upwards?|minimum|en adelante|em diante|como minimo|no minimo)"
    r"|(?P<le>or less|or fewer|or below|or under|or lower|and under|and below|at most|at a maximum|o menos|ou menos|o inferior|ou inferior|como mucho|a lo sumo|a lo mas|quando muito|at the most|tops(?= *$)|al maximo|maximum|max\b|como maximo|no maximo))(?!\w)"
)
_RANGE_GAP = re.compile(r"\s*(?:-|to|thru|through|until|till|up to|a|al|as|a las?|ate(?: as)?|hasta(?: las?)?)\s*$")
_AND_GAP = re.compile(r"\s+(?:and|y|e)\s+(?:the |el |los |las |o |a )?$")
_BETWEEN = re.compile(r"\b(?:between|entre)\s+(?:the |el |los |las |o |os )?$")
_FROM = re.compile(r"\b(?:from|de|das|desde(?: las?)?|de las?|ranging from)\s+$")


@lru_cache(maxsize=16_384)
def facts_in(text: str, *, language: str = "", field: str = "") -> tuple[Fact, ...]:
    """Every typed fact of a text, in order of place; spans are characters of the text.

    ``language`` (en, es, pt or empty for unknown) orders day and month and reads separators; ``field`` is the name of
    the parameter whose value the text is. Only the first LONGEST characters are read. Never raises.

    >>> [(fact.kind, fact.unit, str(fact.value)) for fact in facts_in("US$3.5m for 90 minutes")]
    [('money', 'USD', '3500000'), ('quantity', 'duration', '5400')]
    """
    text = text[:LONGEST]
    text, places = _composed(text)
    plain_text = plain(text)
    if not _may_hold(plain_text):
        return ()
    found = _Cutting(text, plain_text)
    _addresses(found)
    for one in calendar_facts(found.left, language):
        found.take(one.kind, one.value, one.start, one.end, unit=one.unit, others=one.others)
        if one.kind == "time" and isinstance(one.value, tuple):
            found.facts[-1] = replace(found.facts[-1], bound="range")
    _identifiers(found, language)
    _amounts(found, language)
    facts = _with_years(_with_ranges(sorted(found.facts, key=lambda fact: fact.start), plain_text))
    facts = [fact if fact.text else replace(fact, text=text[fact.start : fact.end]) for fact in facts]
    if language:
        facts = [replace(fact, is_settled=True) if fact.others and fact.kind in _BOUNDED else fact for fact in facts]
    if places:
        facts = [replace(fact, start=places[fact.start], end=places[fact.end]) for fact in facts]
    return tuple(facts)


def _composed(text: str) -> tuple[str, list[int]]:
    """The text with letters and accents in one character, and where each character stood, if any moved."""
    composed = unicodedata.normalize("NFC", text)
    if composed == text:
        return text, []
    # Rare: combining accents. Compose cluster by cluster to know where each one was.
    out: list[str] = []
    places: list[int] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            cluster = unicodedata.normalize("NFC", text[start:at])
            out.append(cluster)
            places.extend(min(start + step, at - 1) for step in range(len(cluster)))
            start = at
    return "".join(out), [*places, len(text)]


_NUMBER_WORDS = {
    "grand", "metade", "mitad", *WORDS, *ORDINALS, *SCALES, "hundred", "half", "medio", "media", "meia", "meio", "an", "a",
}  # fmt: skip
_NUMBER_HINT = re.compile(
    r"[\d½¼¾@]|\b(?:ii|iii|iv|vi|vii|viii|ix|xi|xii|xiii|xiv|xv|xvi|xvii|xviii|xix|xx|xxi)\b|://|www\.|\b(?:"
    + "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
    + r")\b|\.(?:com|org|net|io|edu|gov|dev|app|co|ai|br|es|pt|mx|uk|ar|de|fr|info)\b"
)


def _may_hold(plain_text: str) -> bool:
    from evaluation.evaluators.embedded.facts import calendar  # noqa: PLC0415  one private hint, one place

    return bool(_NUMBER_HINT.search(plain_text) or calendar._HINT.search(plain_text))


class _Cutting:
    """A text from which facts are cut out: ``left`` holds NUL where one was taken."""

    def __init__(self, text: str, plain_text: str) -> None:
        self.text = text
        self.whole = plain_text
        self.left = plain_text
        self.facts: list[Fact] = []

    def take(
        self,
        kind: FactKind,
        value: object,
        start: int,
        end: int,
        *,
        unit: str = "",
        others: tuple[Reading, ...] = (),
        slack: Fraction = Fraction(0),
        measure: str = "",
    ) -> None:
        while end > start and self.whole[end - 1] == " ":
            end -= 1
        while start < end and self.whole[start] == " ":
            start += 1
        fact = Fact(kind, value, start, end, self.text[start:end], unit, "", others, slack, measure)
        self.facts.append(fact)
        self.cut(start, end)

    def cut(self, start: int, end: int) -> None:
        self.left = self.left[:start] + "\x00" * (end - start) + self.left[end:]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        for match in pattern.finditer(self.left):
            if "\x00" not in match[0] and "\x00" not in self.left[match.start() : match.end()]:
                yield match


# --- addresses and ids --------------------------------------------------------------------------------------------


def url_value(text: str) -> str:
    """A URL without scheme, www., trailing slash and .git; git@host:path as host/path; the host in small letters."""
    text = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip(), flags=re.IGNORECASE)
    ssh = re.match(r"git@([^:/]+)[:/](.*)$", text, flags=re.IGNORECASE)
    if ssh:
        text = f"{ssh[1]}/{ssh[2]}"
    host, slash, path = text.partition("/")
    host = re.sub(r"^www\.", "", host.lower()).removesuffix(":80").removesuffix(":443")
    path = re.sub(r"\.git$", "", path.replace("%20", " ").replace("/?", "?").rstrip("/"))
    path = re.sub(r"(?:^|/)(?:index|default)\.(?:html?|php|aspx?)$", "", path)
    return f"{host}/{path}" if slash and path else host


def _addresses(found: _Cutting) -> None:
    if (
        "." not in found.left
        and ":" not in found.left
        and "@" not in found.left
        and "-" not in found.left
        and len(found.left) < 32
    ):
        return
    if "@" in found.left:
        for match in found.matches(_EMAIL):
            if found.left[max(0, match.start() - 3) : match.start()].endswith("//") or match[0].startswith("git@"):
                continue
            found.take("email", match[0], *match.span())
    for match in found.matches(_URL):
        end = match.end() - len(match[0]) + len(match[0].rstrip(".,;:!?)"))
        found.take("url", url_value(found.text[match.start() : end]), match.start(), end)
    for match in found.matches(_UUID):
        found.take("id", match[0].replace("-", ""), *match.span())


# Codes that are written in groups or in one: cards, ISBN, CPF and CNPJ, IBAN, British and Canadian postcodes.
_PARTED_CODE = re.compile(
    r"(?<![\w.,/-])(?:\d{4}(?:[ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5}|97[89]-\d{1,5}-\d{1,7}-\d{1,7}-\d"
    r"|\d{3}\.\d{3}\.\d{3}-\d\d|\d\d\.\d{3}\.\d{3}/\d{4}-\d\d"
    r"|(?P<l>[a-z]{2}\d\d(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,4})?|[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}|[a-z]\d[a-z] \d[a-z]\d))"
    r"(?![\w-]|[.,]\d)"
)


def _identifiers(found: _Cutting, language: str) -> None:
    if not _DIGIT.search(found.left):
        return
    for match in found.matches(_PARTED_CODE):
        is_whole = found.whole.strip() == match[0]
        if match["l"] and not is_whole and not found.text[match.start() : match.end()].isupper():
            continue
        found.take("id", re.sub(r"[^a-z0-9]", "", match[0]), *match.span())
    for match in found.matches(_PHONE):
        digits = re.sub(r"\D", "", match["n"].replace("(0)", ""))
        groups = re.split(r"[ .-]", match["n"])
        if match["n"][0] not in "+(0" and len(groups) > 3 and len(digits) not in (9, 10, 11):
            continue
        if match["n"][0] not in "+(0" and _is_amount(found, *match.span("n")):
            continue
        if 7 <= len(digits) <= 15:
            is_grouped = re.fullmatch(r"[1-9]\d{0,2}(?: \d{3})+", match["n"])
            others = (Reading("number", Fraction(int(digits))),) if is_grouped else ()
            extension = _EXTENSION.match(found.left, match.end())
            value = f"{digits}x{extension['x']}" if extension else digits
            found.take("phone", value, match.start(), extension.end() if extension else match.end(), others=others)
    for match in found.matches(_VERSION):
        number = match["v"] or match["w"]
        groups = number.split(".")
        if (
            match["w"]
            and all(len(part) == 3 for part in groups[1:])
            and (len(groups) != 4 or groups[1:] == ["000"] * 3 or any(int(part) > 255 for part in groups))
        ):
            continue  # 1.250.000 is a number; 192.168.100.200 is none
        parts = tuple(int(part) for part in number.split("."))
        found.take("version", (*parts, match["tail"] or ""), *match.span())
    grouped = [match.span() for match in found.matches(_GROUPED)]
    for match in found.matches(_TOKEN):
        token = match["t"] or match["h"]
        start, end = match.span("t") if match["t"] else match.span("h")
        if token in UNITS and _NUMBER_BEFORE.search(found.left[max(0, start - 4) : start]):
            continue  # "459.5 m2"
        if not _DIGIT.search(token) or any(first <= start and end <= last for first, last in grouped):
            continue
        if token in _WORDLIKE and not _ID_BEFORE.search(found.left[max(0, start - 14) : start]):
            found.cut(start, end)
            continue
        is_hashed = found.left[match.start()] == "#"
        if not is_hashed and not _is_id(token, found, start, end):
            continue
        _take_id(found, token, match.start() if is_hashed else start, start, end)


_ID_BEFORE = re.compile(
    r"\b(?:apt|apto|apartment|apartamento|unit|suite|ste|room|rm|gate|puerta|seats?|row|flat|piso|sala|asiento|assento"
    r"|habitacion|quarto|depto|dpto|code|codigo|id|ref|model|modelo|flight|vuelo|voo|terminal|zone|block|bloque|bloco)\.?\s?$"
)


# Thousands parted by a space: "5 038 000".
_GROUPED = re.compile(r"(?<![\w.,#/-])[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?(?![\w]|[-/]\d| \d)")
_NUMBER_BEFORE = re.compile(r"\d\s?$")
_DECIMALS = re.compile(r"[.,]\d")
_NO_UNIT = frozenset(
    ("in", "pe", "pie", "pol", "st", "a", "d", "b", "s", "t", "k", "m", "g", "h", "l", "v", "w", "c", "f")
)


def _is_amount(found: _Cutting, start: int, end: int) -> bool:
    """Whether digits are an amount by what stands around them: a currency, a unit, a percent sign."""
    before = money.BEFORE.search(found.left[max(0, start - 6) : start])
    if before and before[1] not in money._COMMON_WORDS:
        return True
    if before and found.text[start - len(before[0]) : start].strip().isupper():
        return True
    if money.AFTER.match(found.left, end) or _PERCENT.match(found.left, end):
        return True
    unit = _UNIT.match(found.left, end)
    return unit is not None and (unit[1] not in _NO_UNIT or (len(unit[0]) == 2 and unit[1] in "mgls"))


def _is_id(token: str, found: _Cutting, start: int, end: int) -> bool:  # noqa: PLR0911  one answer for each shape
    """Whether a token with digits is an id by its shape rather than a number with a unit, a range or a size."""
    if any(c.isalpha() for c in token) and _ID_BEFORE.search(found.left[max(0, start - 14) : start]):
        return True
    if _NUMBER_WORD_TOKEN.match(token) and found.text[start:end].islower():
        return False
    if token.isdigit():
        if _DECIMALS.match(found.left, end) and (len(token) == 1 or token[0] != "0"):
            return False
        if len(token) >= 7 and token[0] != "0" and _is_amount(found, start, end):
            return False
        return len(token) >= 7 or (len(token) > 1 and token[0] == "0")
    if any(c.isalpha() for c in token):
        if re.fullmatch(r"\d{7,}[cfvwt]", token):
            return True
        if _NUMBER_UNIT.match(token) and _is_measured(token, found.text[start:end]):
            return False
        return not re.fullmatch(r"\d+(?:\.\d+)?(?:x|X)", token)
    numbers = _RANGE_TOKEN.match(token)
    if numbers:
        return not int(numbers[1]) < int(numbers[2])
    if "-" in token:
        return bool(re.fullmatch(r"[\d-]+", token))
    if re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3}){3,}", token) and (
        token.endswith(".000") or any(int(part) > 255 for part in token.split("."))
    ):
        return False  # a number in groups, no address
    return bool(re.fullmatch(r"\d+(?:[/:]\d+)+|\d+(?:\.\d+){3}", token)) and not re.fullmatch(r"\d/\d\d?", token)


def _is_measured(token: str, written: str) -> bool:
    unit = re.sub(r"^[-+]?\d+(?:[.,]\d+)*", "", token).strip("-")
    if re.fullmatch(r"e[-+]?\d{1,3}", unit):
        return True
    if (
        unit in UNITS
        or unit.rstrip("s") in UNITS
        or unit in ("k", "m", "mm", "bn", "b", "mn", "mi", "bi", "st", "nd", "rd", "th", "tn", "mln", "mio")
    ):
        return True
    head = unit.split("-")[0]
    return (
        unit in money.CURRENCIES
        or head in UNITS
        or head in ("year", "day", "month", "week", "hour", "minute", "night", "pack", "star")
    )


def _take_id(found: _Cutting, token: str, first: int, start: int, end: int) -> None:
    written = found.text[start:end]
    others: tuple[Reading, ...] = ()
    if token.isdigit() and (token[0] != "0" or len(token) == 1):
        others = (Reading("number", Fraction(int(token))),)
    value = token if written in (written.upper(), written.lower()) else written
    found.take("id", value, first, end, others=others)


# --- amounts ------------------------------------------------------------------------------------------------------


def _amounts(found: _Cutting, language: str) -> None:  # noqa: PLR0912  one loop for each shape
    for match in found.matches(_GRAND_ALONE):
        found.take("money", Fraction(1000), *match.span(), unit="$")
    for match in found.matches(_HALF_PERCENT):
        found.take("percent", Fraction(1, 2), *match.span(), unit="points" if match["p"] else "%")
    for match in found.matches(_HALF_MONEY):
        found.take("money", Fraction(1, 2), *match.span(), unit=money.CURRENCIES[match["c"]])
    for match in found.matches(_METRES):
        metres = int(match["m"]) if match["m"].isdigit() else WORDS[match["m"]]
        tail = next(iter(numerals(match["c"], match["c"], "")), None)
        if tail and tail.end == len(match["c"]) and 10 <= tail.value < 100:
            found.take("quantity", metres + tail.value / 100, *match.span(), unit="length", measure="m+cm")
    for match in found.matches(_HALF_UNIT):
        unit = UNITS.get(match["u"] or "")
        if match["u"] is None:
            is_three = "three" in match[0] or "tres" in match[0]
            found.take("quantity", Fraction(2700 if is_three else 900), *match.span(), unit="duration", measure="h")
        elif unit:
            found.take(
                "quantity",
                unit.factor / (4 if match["q"] else 2),
                *match.span(),
                unit=unit.dimension,
                measure=unit.name,
            )
    for match in found.matches(_ONE_UNIT):
        if _MORE_BEFORE.search(found.left[max(0, match.start() - 24) : match.start()]):
            continue  # "twenty-one days"
        one = UNITS.get(match["u"])
        if one is None or one.dimension not in _COUNTED_ALONE:
            continue
        if one.dimension == "duration" and _OF_SPEED.search(found.left[max(0, match.start() - 14) : match.start()]):
            continue  # "60 miles an hour"
        unit = one
        value, end = unit.factor * (Fraction(3, 2) if match["h"] else Fraction(1)), match.end()
        if not match["h"] and (minutes := _minutes_behind(found, unit, match.start(), end)):
            value, end = value + minutes[0], minutes[1]
        found.take("quantity", value, match.start(), end, unit=unit.dimension, measure=unit.name)
    for match in found.matches(_COUPLE):
        pair = UNITS.get(match["u"])
        if pair is not None and pair.dimension in ("duration", "months"):
            found.take("quantity", pair.factor * 2, *match.span(), unit=pair.dimension, measure=pair.name)
    for match in found.matches(_FEET):
        inches = Fraction(int(match["f"]) * 12) + Fraction(match["i"])
        found.take("quantity", inches * UNITS["in"].factor, *match.span(), unit="length", measure="ft+in")
    for match in found.matches(_TENS_ORDINAL):
        found.take("ordinal", Fraction(WORDS[match["t"]] + ORDINALS[match["o"]]), *match.span())
    for numeral in list(numerals(found.left, found.text, language)):
        if "\x00" in found.left[numeral.start : numeral.end]:
            continue
        _amount(found, numeral)
    for match in _ROMAN.finditer(found.text):
        if "\x00" not in found.left[match.start() : match.end()] and not found.text.isupper():
            found.take("number", Fraction(_roman_value(match[0])), *match.span())
    for match in found.matches(_ORDINAL_WORD):
        if (
            match[0] not in ("second", "segundo")
            or found.whole.strip() == match[0]
            or re.match(r"\s+[a-z]", found.whole[match.end() :])
        ):
            found.take("ordinal", Fraction(ORDINALS[match[0]]), *match.span())


def _amount(found: _Cutting, numeral: Numeral) -> None:
    left, start, end = found.left, numeral.start, numeral.end
    minus = _MINUS.search(left[max(0, start - 9) : start])
    if minus:
        numeral = replace(numeral, value=-numeral.value, start=start - len(minus[0]), others=())
        start = numeral.start
    others = numeral.others
    percent = _PERCENT.match(left, end)
    if percent:
        is_points = bool(percent["pp"])
        scale = (
            Fraction(1, 100)
            if is_points and re.match(r"basis|bps|puntos basicos|pontos base", percent["pp"])
            else Fraction(1)
        )
        found.take(
            "percent",
            numeral.value * scale,
            start,
            percent.end(),
            unit="points" if is_points else "%",
            others=tuple(Reading("percent", o, "%") for o in others),
            slack=numeral.slack,
        )
        return
    if _take_money(found, numeral):
        return
    ordinal = _ORDINAL_END.match(left, end)
    if ordinal and numeral.digits and int(numeral.digits) < 400:
        found.take("ordinal", Fraction(int(numeral.digits)), start, ordinal.end())
        return
    if _take_quantity(found, numeral):
        return
    value: object = numeral.value
    other_readings = tuple(Reading("number", o) for o in others)
    found.take("number", value, start, end, others=other_readings, slack=numeral.slack)


# "($500)", "$(500)", "(500.00) USD"
_IN_BRACKETS = re.compile(
    r"\([^()]*\)|(?:[a-z]{0,3}[$€£¥]|[a-z]{3}) ?\([^()a-z$€£¥]*\)|\([^()a-z$€£¥]*\) ?(?:[a-z]{3}|[$€£¥]|euros?|dollars?)"
)
_HUNDREDTHS = re.compile(
    r"(?: (?:con|with|and|y|e) | )(\d\d)(?: (?:cents?|centavos|centimos|cts))?\s*(?=$|[.,;)](?!\d))"
)
_CENTS_IN_WORDS = re.compile(
    r",?\s+(?:con|with|and|y|e)\s+(?P<n>[a-z][a-z -]{1,40}?|\d\d?)\s+(?:cents?|centavos?|centimos?|pence|cts)\b"
)
_POUNDS_AND_PENCE = re.compile(r"\s+pounds?,?(?:\s+and)?\s+(?P<n>[a-z][a-z -]{1,30}?|\d\d?)\s?(?:pence|p)\b")
_GRAND_ALONE = re.compile(r"^\s*(?:a|one) grand\s*$")
_GRAND = re.compile(r"\s+grand\b(?!\s+[a-z]{3})")
_MINUS = re.compile(r"(?:\bminus |\bnegative |(?<=^)menos )$")
_SMALL_M = re.compile(r"\s?(mm|mi|m|bi|b)(?![a-z0-9²³^])")


def _take_money(found: _Cutting, numeral: Numeral) -> bool:  # noqa: PLR0912, PLR0915  one branch for each way to write an amount
    left, start, end = found.left, numeral.start, numeral.end
    value, slack, others = numeral.value, numeral.slack, numeral.others
    before = money.BEFORE.search(left[max(0, start - 6) : start].removesuffix("("))
    is_bracketed = left[start - 1 : start] == "(" and start > 0
    sign = 1
    first = start
    code = ""
    if before:
        code = money.CURRENCIES[before[1]]
        first = start - len(before[0]) - is_bracketed
        if (is_bracketed and not _IN_BRACKETS.fullmatch(found.whole.strip())) or (
            before[1] in money._COMMON_WORDS
            and not found.text[first:start].strip().isupper()
            and before[1] not in ("rs",)
        ):
            code, first = "", start
        elif left[max(0, first - 1) : first] == "-" and not re.search(r"[\w)]\s?$", found.whole[: max(0, first - 1)]):
            sign, first = -1, first - 1
        elif minus := _MINUS.search(left[max(0, first - 9) : first]):
            sign, first = -1, first - len(minus[0])
    scaled = _SMALL_M.match(left, end)
    tail = scaled.end() if scaled else end
    after = money.AFTER.match(
        left, tail + (_IN_BRACKETS.fullmatch(found.whole.strip()) is not None and left[tail : tail + 1] == ")")
    )
    if after and after[1] in ("$",) and before:
        after = None
    factor = Fraction(10**9 if scaled and scaled[1] in ("b", "bi") else 10**6)
    if after and (money.CURRENCIES[after[1]] or True):
        after_code = money.CURRENCIES[after[1]]
        if (
            after[1] in ("try", "pen", "php", "cop", "sar", "rs", "kc")
            and not found.text[after.start(1) : after.end(1)].isupper()
        ):
            after_code = ""
        if after_code:
            if not code or (code == "$" and (after_code in money.ALSO["$"])):
                code = after_code if after_code != "$" or not code else code
            elif code != after_code and after_code not in ("$", "peso"):
                after = None
        else:
            after = None
    if not code:
        cents = money.CENTS.match(left, end)
        if cents:
            found.take(
                "money", value / 100, first, cents.end(), unit=money.CENT_OF.get(cents[1], "$"), slack=slack / 100
            )
            return True
        pounds = _POUNDS_AND_PENCE.match(left, end)
        if pounds and value.denominator == 1:
            said = next(iter(numerals(pounds["n"], pounds["n"], "")), None)
            if said and said.start == 0 and said.end == len(pounds["n"]) and said.value < 100:
                found.take("money", value + said.value / 100, first, pounds.end(), unit="GBP")
                return True
        if _GRAND.match(left, end) and not others:
            found.take("money", value * 1000, first, _GRAND.match(left, end).end(), unit="$")  # type: ignore[union-attr]
            return True
        return False
    if others and not scaled:
        # Nobody writes three decimals of a currency: "$1,200" is grouped, in any language.
        value, slack, others = max(value, *others), Fraction(1, 2), ()
    if scaled and (before or after):
        value, slack, end, others = value * factor, slack * factor, scaled.end(), ()
    if after:
        end = after.end()
        cents = _CENTS_IN_WORDS.match(found.left, end)
        if cents and value.denominator == 1:
            said = next(iter(numerals(cents["n"], cents["n"], "")), None)
            if said and said.start == 0 and said.end == len(cents["n"]) and said.value < 100:
                value, end, slack, others = value + said.value / 100, cents.end(), Fraction(0), ()
        hundredths = _HUNDREDTHS.match(found.left, end)
        if hundredths and value.denominator == 1 and after[1] not in ("$",):
            value, end, slack, others = value + Fraction(int(hundredths[1]), 100), hundredths.end(), Fraction(0), ()
    if _IN_BRACKETS.fullmatch(found.whole.strip()) and value > 0:
        sign = -1  # "($500)", as accountants write a loss
    found.take(
        "money",
        value * sign,
        first,
        end,
        unit=code,
        others=tuple(Reading("money", o, code) for o in others),
        slack=slack,
    )
    return True


def _unit_at(found: _Cutting, end: int) -> tuple[Unit, int] | None:
    match = _UNIT.match(found.left, end)
    if not match:
        return None
    written = found.text[match.start(1) : match.end(1)]
    spelling = match[1]
    gap = match.group(0)[: match.start(1) - match.start()]
    if (
        spelling
        in ("a", "pe", "pes", "pie", "in", "d", "b", "s", "t", "st", "v", "w", "pol", "c", "f", "g", "h", "l", "m", "k")
        and "de" in gap
    ):
        return None
    if spelling == "in" and re.match(r"\s+\w", found.left[match.end() :]) and gap.strip() == "" and gap:
        return None  # "10 in stock"
    if spelling in ("w", "v", "t", "l", "c", "f") and re.match(r"\.?\s+[A-Z0-9]", found.text[match.end() :]):
        return None  # "55 W. 5th Ave"
    if spelling in ("'", '"') and gap.strip():
        return None
    return CAPITALS.get(written, UNITS[spelling]), match.end()


def _minutes_behind(found: _Cutting, unit: Unit, start: int, end: int) -> tuple[Fraction, int] | None:
    """The seconds of the minutes that follow hours without their unit, and where they end."""
    if unit.dimension != "duration" or unit.factor != UNITS["hours"].factor:
        return None
    match = _MINUTES_BEHIND.match(found.left, end)
    if match is None or _CLOCK_AHEAD.search(found.left[max(0, start - 8) : start]):
        return None
    return Fraction(_MINUTES[match["m"]] * 60), match.end()


def _take_quantity(found: _Cutting, numeral: Numeral) -> bool:
    first = _unit_at(found, numeral.end)
    if first is None:
        return False
    unit, end = first
    base = numeral.value * unit.factor + unit.offset
    slack = numeral.slack * unit.factor
    measure = unit.name
    half = re.compile(r"\s+(?:and a half|y media|y medio|e meia|e meio)\b").match(found.left, end)
    minutes = _minutes_behind(found, unit, numeral.start, end)
    if minutes:
        base, end = base + minutes[0], minutes[1]
    elif half:
        base, end = base + unit.factor / 2, half.end()
    # "1 hour 30 minutes", "6 ft 2 in": parts of one dimension, each smaller than the one before.
    while unit.offset == 0 and (gap := _UNIT_AFTER_POINT.match(found.left, end)):
        following = next(
            iter(numerals(found.left[gap.end() : gap.end() + 24], found.text[gap.end() : gap.end() + 24], "")), None
        )
        if following is None or following.start != 0:
            break
        after = _unit_at(found, gap.end() + following.end)
        if after is None and unit.name == "ft" and (following.digits or following.is_words) and following.value < 12:
            after = (UNITS["inches"], gap.end() + following.end)  # "5 foot 11"
        if after and unit.name == "h" and after[0].name == "m" and after[0].dimension == "length":
            after = (UNITS["min"], after[1])  # "2h 30m"
        if after and unit.name == "yr" and after[0].name == "m" and after[0].dimension == "length":
            after = (UNITS["months"], after[1])  # "3y 2m"
        if after is None or after[0].dimension != unit.dimension or after[0].factor >= unit.factor:
            break
        base += following.value * after[0].factor
        slack, unit, end = following.slack * after[0].factor, after[0], after[1]
        measure += f"+{unit.name}"
    readings = [Reading("quantity", o * unit.factor + unit.offset, unit.dimension) for o in numeral.others]
    spelling = found.left[numeral.end : end].strip(" -")
    if spelling in money.DOUBTFUL:
        readings.append(Reading("money", numeral.value, money.DOUBTFUL[spelling]))
    if spelling == "mi" and found.text[numeral.end : end].strip() == "mi":
        readings.append(Reading("number", numeral.value * 10**6))  # "2,5 mi" in Portuguese
    if spelling == "m" and found.text[numeral.end : end] == "m":
        readings += [Reading("number", numeral.value * 10**6), Reading("quantity", numeral.value * 60, "duration")]
    if unit.dimension == "angle":
        readings += [
            Reading("quantity", numeral.value * u.factor + u.offset, u.dimension) for u in (UNITS["°c"], UNITS["°f"])
        ]
    if spelling == "h" and numeral.value <= 24 and numeral.value.denominator == 1:
        readings.append(Reading("time", int(numeral.value) % 24 * 3600))
    if spelling in ("c", "f") and unit.dimension == "temperature" and found.text[numeral.end : end].strip().islower():
        return False
    found.take(
        "quantity", base, numeral.start, end, unit=unit.dimension, others=tuple(readings), slack=slack, measure=measure
    )
    return True


# --- bounds, ranges and years -------------------------------------------------------------------------------------

_BOUNDED = ("number", "money", "percent", "quantity")


def _with_ranges(facts: list[Fact], plain_text: str) -> list[Fact]:
    """Facts with their bounds, and pairs joined to ranges: "between 10 and 20", "5-7 days", "at least $10"."""
    joined: list[Fact] = []
    at = 0
    while at < len(facts):
        fact = facts[at]
        after = facts[at + 1] if at + 1 < len(facts) else None
        both = _range(fact, after, plain_text) if after else None
        if both:
            joined.append(both)
            at += 2
            continue
        joined.append(_bounded(_per_unit(fact, joined, plain_text), plain_text))
        at += 1
    return joined


_PER = {
    "s": "second",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "wk": "week",
    "mo": "month",
    "qtr": "quarter",
    "yr": "year",
}


def _per_unit(fact: Fact, before: list[Fact], plain_text: str) -> Fact:
    """The "an hour" of "$20 an hour", which is no duration."""
    if (
        fact.kind != "quantity"
        or not before
        or fact.measure not in _PER
        or not re.match(r"an? ", plain_text[fact.start : fact.end])
    ):
        return fact
    if before[-1].kind in ("money", "number") and plain_text[before[-1].end : fact.start].strip() == "":
        return replace(
            fact, kind="recurrence", value=("every", _PER[fact.measure], 1), unit="", measure="", slack=Fraction(0)
        )
    return fact


_SYMBOLS: dict[str, Bound] = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ap": "~"}


def _bounded(fact: Fact, plain_text: str) -> Fact:
    if fact.kind in _DATED or is_year(fact):
        return _dated(fact, plain_text)
    if fact.kind not in _BOUNDED:
        return fact
    before = _BOUND_BEFORE.search(plain_text[max(0, fact.start - 32) : fact.start])
    if before and before.start() and plain_text[max(0, fact.start - 32) : fact.start][before.start() - 1].isalpha():
        before = None
    if (
        before
        and fact.kind in ("date", "period", "time", "quantity")
        and before.lastgroup == "ge"
        and before["ge"] == "from"
    ):
        before = None
    if before and before["ge"] == "from" and before.start() + max(0, fact.start - 32) != 0:
        before = None  # "from 14% to 9%" is a change
    after = _BOUND_AFTER.match(plain_text, fact.end)
    symbol = _SYMBOLS[str(before.lastgroup)] if before else _SYMBOLS[str(after.lastgroup)] if after else ""
    if not symbol:
        return fact
    # The words of the bound belong to the fact: "at least 10" is one thing.
    start = max(0, fact.start - 32) + before.start() if before else fact.start
    return replace(fact, bound=symbol, start=start, end=after.end() if after and not before else fact.end)


_DATED = ("date", "datetime", "period", "time", "weekday", "relative")
_ONWARDS = re.compile(r"\s+(?:onwards?|on(?=\W|$)(?!\s+\w)|and later|and after|en adelante|em diante)")
_DATE_BOUND = re.compile(
    r"(?<![a-z])(?:(?P<s>since|starting(?: on| from| in)?|from|as of|beginning(?: on| in)?|on or after|(?:no|not) (?:earlier|sooner) than|not before|desde|a partir del?|a partir d[oae]|no antes del?|nao antes d[eoa])"
    r"|(?P<u>until|till|through|up to|hasta|ate|on or before|(?:no|not) later than|not after|by|no(?:t)? past|a mas tardar|no mas tarde del?|como muy tarde|como maximo|nao depois d[eoa]|o mais tardar(?: ate)?|no mais tardar(?: ate)?|no despues del?|by the latest on)"
    r"|(?P<b>before|prior to|earlier than|ahead of|antes del?|antes d[oa]|con anterioridad al?|anterior(?:es)? al?|previ[oa] al?|com anterioridade a|anterior(?:es)? ao)"
    r"|(?P<a>after|later than|subsequent to|despues del?|depois d[eoa]|apos|con posterioridad al?|posterior(?:es)? al?|posterior(?:es)? ao))\s+(?:the |el |o |las |la |as |(?:el |o )?dia )?$"
)


def _dated(fact: Fact, plain_text: str) -> Fact:
    match = _DATE_BOUND.search(plain_text[max(0, fact.start - 32) : fact.start])
    onwards = _ONWARDS.match(plain_text, fact.end)
    end = onwards.end() if onwards else fact.end
    if not match:
        return replace(fact, bound=">=", end=end) if onwards else fact
    symbols: dict[str, Bound] = {"s": ">=", "u": "<=", "b": "<", "a": ">"}
    bound = symbols[str(match.lastgroup)]
    start = max(0, fact.start - 32) + match.start()
    return replace(fact, bound=bound, start=start, end=end)


def _range(fact: Fact, after: Fact, plain_text: str) -> Fact | None:  # noqa: PLR0911  one answer for each kind
    gap = plain_text[fact.end : after.start]
    if len(gap) > 12 or not isinstance(fact.value, (Fraction, tuple, int)):
        return None
    before = plain_text[max(0, fact.start - 16) : fact.start]
    is_between = bool(_BETWEEN.search(before))
    if not (_RANGE_GAP.match(gap) or (is_between and _AND_GAP.match(gap))):
        return None
    opener = _BETWEEN.search(before) or _FROM.search(before)
    start = fact.start - (len(before) - opener.start()) if opener else fact.start
    is_dash = gap.strip() == "-"
    if fact.kind in _BOUNDED and isinstance(fact.value, Fraction) and isinstance(after.value, Fraction):
        if _FROM.search(before) and fact.kind in ("percent", "money", "number") and start > 0:
            return None  # "fell from 14% to 9%" is a change, whose ends stay apart
        first, second = _like(fact, after) or fact, _like(after, fact) or after
        if first.kind != second.kind or first.unit != second.unit:
            return None
        low, high = first.value, second.value
        if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low < high) or (is_dash and high < 0):
            return None
        return Fact(
            first.kind,
            (low, high),
            start,
            after.end,
            "",
            first.unit,
            "range",
            (),
            second.slack,
            first.measure,
        )
    if fact.kind == after.kind == "time":
        if not isinstance(fact.value, int) or not isinstance(after.value, int) or fact.unit not in ("", after.unit):
            return None
        return Fact("time", (fact.value, after.value), start, after.end, "", after.unit, "range")
    return _date_range(fact, after, start)


def _date_range(fact: Fact, after: Fact, start: int) -> Fact | None:
    if fact.kind == "period" and after.kind == "period":
        a, b = fact.value, after.value
        if isinstance(a, tuple) and isinstance(b, tuple):
            if a[0] == "months" and b[0] == "days":
                a = ("days", (b[1][0], a[1], 1), b[2])
            if a[0] == "months" and b[0] == "months":
                return replace(fact, value=("months", a[1], b[2]), start=start, end=after.end)
            if a[0] == "days" and b[0] == "days" and a[1] < b[1]:
                return replace(fact, value=("days", a[1], b[2]), start=start, end=after.end)
    if (
        fact.kind == "date"
        and after.kind == "date"
        and isinstance(fact.value, tuple)
        and isinstance(after.value, tuple)
    ):
        first, last = fact.value, after.value
        if first[0] is None and last[0] is not None:
            first = (last[0], *first[1:])
        if first[0] is not None and last[0] is not None and first < last:
            return Fact("period", ("days", first, last), start, after.end, "")
    return None


def _like(fact: Fact, other: Fact) -> Fact | None:
    """A bare number read with the unit of the other end: the 5 of "5 to 7 days", the 20 of "$10-20"."""
    if fact.kind != "number" or other.kind == "number" or not isinstance(fact.value, Fraction):
        return None
    if other.kind == "quantity":
        unit = UNITS.get(other.measure) or next((u for u in UNITS.values() if u.name == other.measure), None)
        if unit is None:
            return None
        return replace(
            fact, kind="quantity", value=fact.value * unit.factor + unit.offset, unit=other.unit, measure=other.measure
        )
    return replace(fact, kind=other.kind, unit=other.unit)


_YEARS = (1900, 2100)


def is_year(fact: Fact) -> bool:
    """Whether a number may be a year: four bare digits from 1900 to 2099."""
    return (
        fact.kind == "number"
        and not fact.bound
        and isinstance(fact.value, Fraction)
        and fact.value.denominator == 1
        and _YEARS[0] <= fact.value < _YEARS[1]
        and fact.text.isdigit()
    )


def _with_years(facts: list[Fact]) -> list[Fact]:
    """Gives a period or date without a year the only year of the text: "third quarter figures for 2024"."""
    years = [fact for fact in facts if is_year(fact)]
    open_ones = [fact for fact in facts if _lacks_year(fact)]
    if len(years) != 1 or len(open_ones) != 1:
        return facts
    year, fact = int(str(years[0].value)), open_ones[0]
    value = fact.value
    assert isinstance(value, tuple)  # noqa: S101  it lacks a year, so it is a period or date
    if fact.kind == "date":
        value = (year, *value[1:])
    elif value[0] == "months":
        import calendar as days  # noqa: PLC0415

        value = ("days", (year, value[1], 1), (year, value[2], days.monthrange(year, value[2])[1]))
    else:
        value = (value[0], year, *value[2:])
    return [replace(one, value=value) if one is fact else one for one in facts if one is not years[0]]


def _lacks_year(fact: Fact) -> bool:
    value = fact.value
    if fact.kind == "date":
        return isinstance(value, tuple) and value[0] is None
    return (
        fact.kind == "period"
        and isinstance(value, tuple)
        and (value[0] == "months" or (len(value) > 2 and value[1] is None))
    )


def spans_of(facts: Iterable[Fact]) -> list[tuple[int, int]]:
    """Where facts stand, merged and sorted."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((fact.start, fact.end) for fact in facts):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def outside(text: str, facts: Iterable[Fact]) -> str:
    """The text with each fact replaced by a space."""
    parts, at = [], 0
    for start, end in spans_of(facts):
        parts.append(text[at:start])
        at = end
    return " ".join([*parts, text[at:]])


def fact_at(facts: tuple[Fact, ...], place: int) -> Fact | None:
    """The fact that covers a place of the text."""
    at = bisect_right([fact.start for fact in facts], place) - 1
    return facts[at] if at >= 0 and facts[at].end > place else None


__all__ = [
    "FALSE_WORDS",
    "LONGEST",
    "TRUE_WORDS",
    "Found",
    "fact_at",
    "facts_in",
    "is_year",
    "outside",
    "spans_of",
    "url_value",
]
