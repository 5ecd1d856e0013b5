"""Numbers in a plain text: digits with separators of either style, number words, scales, halves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_SMALL = """
0 zero cero
1 one un una uno um uma
2 two dos dois duas
3 three tres
4 four cuatro quatro
5 five cinco
6 six seis
7 seven siete sete
8 eight ocho oito
9 nine nueve nove
10 ten diez dez
11 eleven once onze
12 twelve doce doze
13 thirteen trece treze
14 fourteen catorce quatorze catorze
15 fifteen quince quinze
16 sixteen dieciseis dezesseis dezasseis
17 seventeen diecisiete dezessete dezassete
18 eighteen dieciocho dezoito
19 nineteen diecinueve dezenove dezanove
20 twenty veinte vinte
21 veintiuno veintiun veintiuna
22 veintidos
23 veintitres
24 veinticuatro
25 veinticinco
26 veintiseis
27 veintisiete
28 veintiocho
29 veintinueve
30 thirty treinta trinta
40 forty fourty cuarenta quarenta
50 fifty cincuenta cinquenta
60 sixty sesenta sessenta
70 seventy setenta
80 eighty ochenta oitenta
90 ninety noventa
100 cien ciento cem cento
200 doscientos doscientas duzentos duzentas
300 trescientos trescientas trezentos trezentas
400 cuatrocientos cuatrocientas quatrocentos quatrocentas
500 quinientos quinientas quinhentos quinhentas
600 seiscientos seiscientas seiscentos seiscentas
700 setecientos setecientas setecentos setecentas
800 ochocientos ochocientas oitocentos oitocentas
900 novecientos novecientas novecentos novecentas
"""
WORDS: dict[str, int] = {
    word: int(line.split()[0]) for line in _SMALL.strip().splitlines() for word in line.split()[1:]
}
SCALES: dict[str, int] = {
    **dict.fromkeys(("thousand", "thousands", "mil", "millar", "millares", "milhar", "milhares"), 10**3),
    **dict.fromkeys(("centenar", "centenares", "centena", "centenas"), 10**2),
    **dict.fromkeys(("million", "millions", "millon", "millones", "milhao", "milhoes"), 10**6),
    **dict.fromkeys(("billion", "billions", "bilhao", "bilhoes", "millardo", "millardos", "biliao", "bilioes"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "trilhao", "trilhoes", "billon", "billones"), 10**12),
    **dict.fromkeys(("lakh", "lakhs"), 10**5),
    **dict.fromkeys(("crore", "crores"), 10**7),
    **dict.fromkeys(("dozen", "dozens", "docena", "docenas", "duzia", "duzias", "doz"), 12),
}
# Written after digits only: "3.5m" beside money or with a capital, "40k".
SUFFIXES: dict[str, int] = {
    "k": 10**3,
    "mm": 10**6,
    "mn": 10**6,
    "mln": 10**6,
    "mio": 10**6,
    "mi": 10**6,
    "bn": 10**9,
    "bln": 10**9,
    "bi": 10**9,
    "b": 10**9,
    "tn": 10**12,
    "m": 10**6,
}
_ARTICLES = {"a", "an", "un", "una", "uno", "um", "uma", "one"}
# Words that are numbers in one language and something else in another.
_DOUBTFUL = {"dos", "once", "sete"}
_HALF = r"(?:and a half|and one half|y media|y medio|e meia|e meio)"
_HALVES = {"half", "medio", "media", "meio", "meia"}
_FRACTION = re.compile(
    r"(?<![\w/.,])(?:(?P<w>\d{1,3}) )?(?P<n>\d{1,2})/(?P<d>2|3|4|5|6|8|10|16|32|100)(?![\w/]|[.,]\d)"
)
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_WORD = re.compile(
    r"\b(?:"
    + "|".join(
        sorted(
            (*WORDS, *SCALES, "hundred", "hundreds", "half", "medio", "media", "meio", "meia"), key=len, reverse=True
        )
    )
    + r")\b"
)
_AFTER_HALF = re.compile(r"[\s-]+" + _HALF + r"\b")
_GLYPHS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4)}
DIGITS = re.compile(
    r"(?<![\w])(?:(?<!\d[.,])|(?=[-+]))"
    r"(?P<sign>(?<![\w)%\x00])[-+]|(?<![^(])[-+] )?"
    r"(?:(?P<body>\d{1,3}(?:[ '_]\d{3})+(?:[.,]\d+)?(?![\d])|\d+(?:[.,]\d+)*|[.,]\d+)(?P<exp>e[-+]?\d{1,3}(?![\w]))?"
    r"(?:\s?(?P<glyph>[½¼¾]))?|(?P<alone>[½¼¾]))"
)
_SCALE_WORD = re.compile(
    r"[\s-]*(" + "|".join(sorted(SCALES, key=len, reverse=True)) + r")\b(?:\s+(?:de|of)\b(?=\s+\w))?"
)
_THOUSANDS_OF = re.compile(r"\s+(millones|billones|milhoes|bilhoes)\b(?:\s+de\b(?=\s+\w))?")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text: its value, what else it could be, half a unit of its last digit, and whether it is bare.

    ``integer`` is the text of the digits where it is written with digits alone (no separator, sign or scale).
    """

    value: Fraction
    start: int
    end: int
    others: tuple[Fraction, ...] = ()
    slack: Fraction = Fraction(0)
    digits: str = ""
    is_words: bool = False
    is_signed: bool = False


def read_digits(body: str, language: str) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The values that digits with separators may have, the likeliest first, and half a unit in the last place.

    >>> read_digits("1.234,56", "")[0]
    (Fraction(30864, 25),)
    >>> [int(value * 1000) for value in read_digits("1.250", "es")[0]]
    [1250000, 1250]
    """
    body = body.replace(" ", "").replace("'", "").replace("_", "")
    marks = [character for character in body if character in ".,"]
    if not marks:
        return (Fraction(int(body)),), Fraction(1, 2)
    last = max(body.rfind("."), body.rfind(","))
    head, tail = body[:last], body[last + 1 :]
    groups = re.split(r"[.,]", body)
    is_grouping = 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]) and groups[0] != "0"
    decimal = Fraction(int(re.sub(r"[.,]", "", body) or 0), 10 ** len(tail)), Fraction(1, 2 * 10 ** len(tail))
    if len(set(marks)) == 2:
        if marks.count(marks[-1]) > 1 or not _is_grouped(head):
            return None
        return (decimal[0],), decimal[1]
    if len(marks) > 1:
        return ((Fraction(int("".join(groups))),), Fraction(1, 2)) if is_grouping else None
    if not is_grouping or not head:
        return (decimal[0],), decimal[1]
    whole = Fraction(int("".join(groups)))
    is_comma = marks[0] == ","
    if is_comma == (language in ("es", "pt")):
        return (decimal[0], whole), decimal[1]
    # An English decimal point with three digits is seldom a group; a comma with three digits nearly always is.
    if language == "en":
        return (whole,), Fraction(1, 2)
    return (whole, decimal[0]), Fraction(1, 2)


def _is_grouped(head: str) -> bool:
    groups = re.split(r"[.,]", head)
    return (
        len({c for c in head if c in ".,"}) <= 1 and all(len(g) == 3 for g in groups[1:]) and 1 <= len(groups[0]) <= 3
    )


def numerals(plain_text: str, text: str, language: str) -> Iterator[Numeral]:
    """Every number in a plain text, in order of place; ``text`` is the same text as it was written."""
    at = 0
    if "/" in plain_text:
        for match in _FRACTION.finditer(plain_text):
            share = Fraction(int(match["n"]), int(match["d"]))
            if 0 < share < 1 or plain_text.strip() == match[0]:
                yield Numeral(int(match["w"] or 0) + share, *match.span())
                plain_text = plain_text[: match.start()] + "\x00" * len(match[0]) + plain_text[match.end() :]
    digits = DIGITS.search(plain_text)
    word = _NUMBER_WORD.search(plain_text)
    while digits or word:
        if digits and (not word or digits.start() <= word.start()):
            found = _from_digits(digits, plain_text, text, language)
            at = found.end if found else digits.end()
        else:
            assert word is not None  # noqa: S101  one of the two was found
            found = _from_words(word, plain_text, language)
            at = found.end if found else word.end()
        if found:
            yield found
        if digits and digits.start() < at:
            digits = DIGITS.search(plain_text, at)
        if word and word.start() < at:
            word = _NUMBER_WORD.search(plain_text, at)


def _from_digits(match: re.Match[str], plain_text: str, text: str, language: str) -> Numeral | None:
    start, end = match.span()
    body, glyph = match["body"], match["alone"] or match["glyph"]
    values: tuple[Fraction, ...] = (Fraction(0),)
    slack = Fraction(1, 2)
    if body:
        body_read = read_digits(body, language)
        if body_read is None:
            return None
        values, slack = body_read
    if match["exp"]:
        power = int(match["exp"][1:])
        if abs(power) > 400:
            return None
        values, slack = tuple(v * Fraction(10) ** power for v in values), slack * Fraction(10) ** power
    if glyph:
        values, slack = tuple(v + _GLYPHS[glyph] for v in values), Fraction(0)
    half = _AFTER_HALF.match(plain_text, end)
    if half:
        values, slack, end = tuple(v + Fraction(1, 2) for v in values), Fraction(0), half.end()
    scaled = end
    factor, end = _scale_after(plain_text, text, end)
    if factor != 1 and len(values) > 1:
        # Nobody groups thousands in front of a scale word: "1.250 million" is one and a quarter.
        values = (min(values),)
        slack = Fraction(1, 2000)
    if match["sign"] and "-" in match["sign"]:
        values = tuple(-v for v in values)
    is_plain = (
        bool(body) and body.isdigit() and not match["exp"] and not glyph and factor == 1 and scaled == match.end()
    )
    return Numeral(
        values[0] * factor,
        start,
        end,
        tuple(v * factor for v in values[1:]),
        slack * factor,
        body if is_plain else "",
        is_signed=bool(match["sign"]),
    )


_SUFFIX = re.compile(r" ?(k|mm|mn|mln|mio|mi|bn|bln|bi|b|tn|m)(?![\w²³^])")


def _scale_after(plain_text: str, text: str, end: int) -> tuple[int, int]:
    """The scale written after a number and where it ends. A small m alone is left to units and money."""
    factor = 1
    while (word := _SCALE_WORD.match(plain_text, end)) and factor * SCALES[word[1]] <= 10**18:
        factor *= SCALES[word[1]]
        end = word.end()
    if factor == 1 and (suffix := _SUFFIX.match(plain_text, end)):
        written = text[suffix.start(1) : suffix.end(1)]
        is_apart = suffix.start(1) != end
        is_last = suffix.end() == len(plain_text.rstrip(" ."))
        if written in (
            "K",
            "k",
            "M",
            "MM",
            "mn",
            "mln",
            "mio",
            "Mio",
            "bn",
            "Bn",
            "BN",
            "B",
            "mm",
            "b",
            "mi",
            "bi",
            "tn",
        ) and not (
            written in ("mm", "b", "mi")
            or (written == "bi" and not (is_apart and is_last))
            or (is_apart and written in ("k", "K", "B"))
            or (is_apart and written == "M" and not is_last)
        ):
            factor, end = SUFFIXES[suffix[1]], suffix.end()
    return factor, end


def _from_words(match: re.Match[str], plain_text: str, language: str) -> Numeral | None:
    """A number in words from its first word on; None where an article or a preposition only looks like one."""
    total, current, room = 0, 0, 10**20
    start = end = match.start()
    used: list[str] = []
    position: re.Match[str] | None = match
    half = Fraction(0)
    while position:
        word = position[0]
        if word in _HALVES:
            if used:
                break
            after = re.compile(r"[\s-]+(?:an?\s+)?").match(plain_text, position.end())
            if not after:
                return None
            scale = _SCALE_WORD.match(plain_text, after.end())
            if not scale:
                return None
            return Numeral(Fraction(SCALES[scale[1]], 2), start, scale.end(), is_words=True)
        if word in ("hundred", "hundreds"):
            if current >= 100:
                break
            current = (current or 1) * 100
            room = 100
        elif word in SCALES:
            scale_value = SCALES[word]
            if current == 0 and total:
                total *= scale_value
            else:
                total += (current or 1) * scale_value
            current, room = 0, min(scale_value, 10**20)
        else:
            value = WORDS[word]
            if value >= room or (word in _DOUBTFUL and not _is_meant(word, position, plain_text, language, used)):
                break
            current += value
            room = 10 if 20 <= value < 100 and value % 10 == 0 else 100 if value >= 100 else 1
        used.append(word)
        end = position.end()
        position = _next_word(plain_text, end, used)
    if not used:
        return None
    is_half = used[-1] in ("uno", "um", "un") and _AFTER_HALF.match(plain_text, end)
    if used[-1] in _ARTICLES and len(used) == 1 and plain_text.strip() != used[0] and used != ["one"] and not is_half:
        # An article, unless a unit follows; the caller that looks for units asks for that itself.
        return _article(start, end, plain_text)
    value_so_far = Fraction(total + current)
    value_so_far, end = _with_decimals(value_so_far, plain_text, end)
    joined = _AFTER_HALF.match(plain_text, end)
    if joined:
        # "Dos millones y medio" are two and a half millions.
        half, end = Fraction(SCALES.get(used[-1], 1), 2), joined.end()
    value_so_far += half
    factor = 1
    while (scale := _SCALE_WORD.match(plain_text, end)) and factor < 10**15:
        factor *= SCALES[scale[1]]
        end = scale.end()
    return Numeral(value_so_far * factor, start, end, is_words=True)


def _article(start: int, end: int, plain_text: str) -> Numeral | None:
    scale = _SCALE_WORD.match(plain_text, end)
    if scale:
        return Numeral(Fraction(SCALES[scale[1]]), start, scale.end(), is_words=True)
    return None


def _next_word(plain_text: str, end: int, used: list[str]) -> re.Match[str] | None:
    """The number word that goes on with the number, over a hyphen, a space or "and"."""
    gap = re.compile(r"(?:[\s-]+(?:and|y|e)\s+|[\s-]+)").match(plain_text, end)
    if not gap:
        return None
    following = _NUMBER_WORD.match(plain_text, gap.end())
    if not following or following[0] in _HALVES:
        return None
    if gap[0].strip() == "and" and WORDS.get(used[-1], 100) < 100 and used[-1] not in SCALES:
        return None  # "two and three" are two numbers
    return following


def _is_meant(word: str, position: re.Match[str], plain_text: str, language: str, used: list[str]) -> bool:
    """Whether a word that is a number in one language is one here."""
    if word == "sete":
        return language != "es"
    if used or plain_text.strip() == word:
        return True
    if language == "en" or (word == "dos" and language == "pt"):
        return False
    return language == "es" or (word == "dos" and position.start() == 0)


def _with_decimals(value: Fraction, plain_text: str, end: int) -> tuple[Fraction, int]:
    """Adds the digits spoken after a decimal point: "three point five"."""
    point = re.compile(r"\s+(point|punto|coma|ponto|virgula)\s+").match(plain_text, end)
    if not point:
        return value, end
    place, at = Fraction(1, 10), point.end()
    while (digit := _NUMBER_WORD.match(plain_text, at)) and WORDS.get(digit[0], 10) < 10:
        value, place, end = value + WORDS[digit[0]] * place, place / 10, digit.end()
        gap = re.compile(r"\s+").match(plain_text, end)
        if not gap:
            break
        at = gap.end()
    return value, end
