"""Values with known truth: draws a canonical value of a kind, and writes it in many ways in three languages.

Two spellings of one canonical value mean the same; two spellings of different ones never do. A spelling that only its
language explains (05/03/2024, 1.250) is ``shy``: it is used beside spellings of the same language with the language
given, and nowhere else.
"""

import datetime
import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

LANGUAGES = ("en", "es", "pt")


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a value; ``is_shy`` where only its language tells what it means."""

    value: Any
    is_shy: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: draw a canonical one, write it in a language, draw ones that nearly look like it."""

    name: str
    draw: Callable[[Random], Hashable]
    spell: Callable[[Any, str], list[Spelling]]
    near: Callable[[Any, Random], list[Hashable]]
    field: str = ""


def _plain(*values: Any) -> list[Spelling]:
    return [Spelling(value) for value in values]


# --- numbers ------------------------------------------------------------------------------------------------------

_ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
    " diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis"
    " veintisiete veintiocho veintinueve",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete"
    " dezoito dezenove",
}
_TENS = {
    "en": "_ ten twenty thirty forty fifty sixty seventy eighty ninety",
    "es": "_ diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "pt": "_ dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
}
_HUNDREDS = {
    "es": "_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
    "pt": "_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
}
_MILLION = {"en": ("million", "million"), "es": ("millón", "millones"), "pt": ("milhão", "milhões")}


def in_words(number: int, language: str) -> str:
    """A whole number below a billion in words.

    >>> in_words(1234, "en"), in_words(1234, "es"), in_words(1234, "pt")
    ('one thousand two hundred thirty-four', 'mil doscientos treinta y cuatro', 'mil duzentos e trinta e quatro')
    """
    if number < 0:
        return ("menos " if language != "en" else "minus ") + in_words(-number, language)
    ones = _ONES[language].split()
    if number < len(ones):
        return ones[number]
    if number < 100:
        ten, one = divmod(number, 10)
        joint = {"en": "-", "es": " y ", "pt": " e "}[language]
        return _TENS[language].split()[ten] + (joint + ones[one] if one else "")
    if number < 1000:
        return _hundreds(number, language)
    if number < 10**6:
        many, rest = divmod(number, 1000)
        head = "mil" if language != "en" and many == 1 else f"{_short(in_words(many, language), language)} " + (
            "thousand" if language == "en" else "mil"
        )  # fmt: skip
    else:
        many, rest = divmod(number, 10**6)
        head = f"{_short(in_words(many, language), language)} {_MILLION[language][many > 1]}"
    if not rest:
        return head
    joint = " e " if language == "pt" and (rest < 100 or (rest % 100 == 0 and rest < 1000)) else " "
    return head + joint + in_words(rest, language)


def _hundreds(number: int, language: str) -> str:
    hundred, rest = divmod(number, 100)
    if language == "en":
        return f"{in_words(hundred, 'en')} hundred" + (f" {in_words(rest, 'en')}" if rest else "")
    if number == 100:
        return "cien" if language == "es" else "cem"
    joint = " " if language == "es" else " e "
    return _HUNDREDS[language].split()[hundred] + (joint + in_words(rest, language) if rest else "")


def _short(words: str, language: str) -> str:
    """Before mil and millones "veintiuno" is "veintiún"."""
    if language == "es" and words.endswith("veintiuno"):
        return words[:-9] + "veintiún"
    return words[:-1] if language == "es" and words.endswith("uno") else words


def decimal_text(number: Fraction) -> str:
    """A finite decimal with a point: 3/2 is "1.5"."""
    sign, number = ("-" if number < 0 else ""), abs(number)
    whole, rest = divmod(number, 1)
    digits = ""
    while rest:
        rest *= 10
        digits += str(int(rest))
        rest %= 1
    return f"{sign}{whole}" + (f".{digits}" if digits else "")


def grouped(number: Fraction, group: str, point: str, places: int = 0) -> str:
    """A decimal with groups of three."""
    whole, _, tail = decimal_text(abs(number)).partition(".")
    tail = tail.ljust(places, "0")
    text = f"{int(whole):,}".replace(",", group)
    return ("-" if number < 0 else "") + text + (point + tail if tail else "")


def _local(number: Fraction, language: str, places: int = 0) -> str:
    return grouped(number, ",", ".", places) if language == "en" else grouped(number, ".", ",", places)


def _draw_number(random: Random) -> Fraction:
    size = random.choice((10, 100, 1000, 10**4, 10**5, 10**6, 10**8))
    number = Fraction(random.randrange(size))
    shape = random.randrange(6)
    if shape == 0:
        number += Fraction(random.randrange(1, 100), 100)
    if shape == 1:
        number *= 1000
    if shape == 2:
        number = -number
    return number


def _is_shy(text: str) -> bool:
    """Whether a number in digits could be read in two ways: one mark with three digits behind."""
    marks = [character for character in text if character in ".,"]
    return len(marks) == 1 and len(text.partition(marks[0])[2]) == 3 and text.lstrip("-")[0] != "0"


def digit_spellings(number: Fraction, language: str) -> list[Spelling]:
    """A number in digits, with and without separators."""
    plain = decimal_text(number)
    local = plain if language == "en" else plain.replace(".", ",")
    texts = {plain, local, _local(number, language)} if "." not in plain or not _is_shy(plain) else {local}
    if abs(number) >= 10_000:
        texts.add(grouped(number, " ", "." if language == "en" else ","))
    return [Spelling(text, _is_shy(text)) for text in sorted(texts)]


def number_spellings(number: Fraction, language: str) -> list[Spelling]:
    """A number in digits, words, with scales, and as JSON."""
    found = digit_spellings(number, language)
    plain = decimal_text(number)
    found += _plain(int(number) if number.denominator == 1 else float(number))
    if number.denominator == 1 and abs(number) < 10**9:
        found += _plain(in_words(int(number), language))
        words = in_words(int(number), language)
        found += _plain(words.capitalize())
        if abs(number) < 10**7:
            found += _plain("".join(chr(0xFEE0 + ord(c)) if c.isdigit() else c for c in plain))
    thousands = number / 1000
    if number and thousands.denominator in (1, 2, 5, 10) and abs(number) < 10**6:
        text = decimal_text(thousands)
        found += _plain(text + "k", text + "K")
        found += _plain(text + " thousand" if language == "en" else text.replace(".", ",") + " mil")
    millions = number / 10**6
    if number and millions.denominator in (1, 2, 4, 5, 10, 20, 50, 100) and abs(number) >= 10**5:
        local = decimal_text(millions) if language == "en" else decimal_text(millions).replace(".", ",")
        one, many = _MILLION[language]
        found += _plain(f"{local} {one if abs(millions) < 2 else many}", decimal_text(millions) + "M")
    return found


def near_numbers(number: Fraction, random: Random) -> list[Hashable]:
    """Other numbers that look like this one: a digit changed, exchanged, added or lost, another scale or sign."""
    text = decimal_text(abs(number))
    places = [at for at, character in enumerate(text) if character.isdigit()]
    found: list[Fraction] = [number * 10, number / 10, number * 1000, -number, number + 1, number - 1, number * 100]
    at = random.choice(places)
    found.append(Fraction(text[:at] + random.choice("0123456789") + text[at + 1 :]))
    if len(places) > 1:
        a, b = sorted(random.sample(places, 2))
        found.append(Fraction(text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :]))
    found += [Fraction(text[0] + text), Fraction(text + "1" if "." in text else text[:-1] or 0)]
    return [other for other in found if other != number and other.denominator in (1, 2, 4, 5, 10, 20, 25, 50, 100)]


def _percent(number: Fraction, language: str) -> list[Spelling]:
    after = {"en": ("percent", "per cent", "pct"), "es": ("por ciento",), "pt": ("por cento", "porcento")}[language]
    digits = digit_spellings(number, language)
    found = [Spelling(f"{one.value}{end}", one.is_shy) for one in digits for end in ("%", " %")]
    found += [Spelling(f"{one.value} {end}", one.is_shy) for one in digits for end in after]
    if number.denominator == 1:
        found += _plain(*(f"{in_words(int(number), language)} {end}" for end in after))
    return found


def _draw_percent(random: Random) -> Fraction:
    return Fraction(random.randrange(1, 2000), random.choice((1, 10, 100, 10)))


# --- money --------------------------------------------------------------------------------------------------------

# fmt: off
_CURRENCIES: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "USD": {
        "en": (("US$", "USD ", "$"), (" USD", " US dollars", " dollars", " usd")),
        "es": (("US$", "USD ", "US$ "), (" USD", " dólares estadounidenses", " dólares")),
        "pt": (("US$", "US$ ", "USD "), (" USD", " dólares americanos", " dólares")),
    },
    "EUR": {"en": (("€", "EUR ", "€ "), (" EUR", " euros", "€")), "es": (("€", "EUR "), (" €", "€", " euros", " EUR")), "pt": (("€ ", "EUR "), (" €", " euros", " EUR"))},
    "GBP": {"en": (("£", "GBP "), (" GBP", " pounds sterling", " British pounds")), "es": (("£", "GBP "), (" libras esterlinas", " GBP", " £")), "pt": (("£", "£ "), (" libras esterlinas", " GBP"))},
    "BRL": {"en": (("R$", "BRL "), (" BRL", " reais", " Brazilian reais")), "es": (("R$", "BRL "), (" reales", " BRL", " reales brasileños")), "pt": (("R$ ", "R$", "BRL "), (" reais", " BRL"))},
    "MXN": {"en": (("MX$", "MXN "), (" MXN", " Mexican pesos")), "es": (("MX$", "MXN "), (" pesos mexicanos", " MXN")), "pt": (("MX$", "MXN "), (" pesos mexicanos", " MXN"))},
    "JPY": {"en": (("¥", "JPY "), (" yen", " JPY", " Japanese yen")), "es": (("¥", "JPY "), (" yenes", " JPY", " yenes japoneses")), "pt": (("¥", "JPY "), (" ienes", " JPY"))},
    "CAD": {"en": (("CA$", "C$", "CAD "), (" CAD", " Canadian dollars")), "es": (("CA$", "CAD "), (" dólares canadienses", " CAD")), "pt": (("CA$", "CAD "), (" dólares canadenses", " CAD"))},
}
# fmt: on


def _draw_money(random: Random) -> Hashable:
    amount = Fraction(random.randrange(1, random.choice((100, 1000, 10_000, 10**6))))
    shape = random.randrange(5)
    if shape == 0:
        amount += Fraction(random.randrange(1, 100), 100)
    elif shape == 1:
        amount *= 1000
    elif shape == 2:
        amount = amount * 10**5 if amount < 10_000 else amount
    return amount, random.choice(sorted(_CURRENCIES))


def _money(value: tuple[Fraction, str], language: str) -> list[Spelling]:
    amount, code = value
    before, after = _CURRENCIES[code][language]
    texts = list(digit_spellings(amount, language))
    if code != "JPY":
        cents = _local(amount, language, 2)
        texts.append(Spelling(cents))
    found = [Spelling(head + one.value, one.is_shy) for one in texts for head in before]
    found += [Spelling(one.value + tail, one.is_shy) for one in texts for tail in after]
    if amount.denominator == 1 and amount < 10**9:
        words = in_words(int(amount), language)
        joint = " de" if language != "en" and amount % 10**6 == 0 else ""
        if language == "es":
            words = _short(words, "es")
        if amount > 1:
            found += _plain(*(words + joint + tail for tail in after if tail.strip()[0].islower() and len(tail) > 5))
    millions = amount / 10**6
    if amount >= 10**5 and millions.denominator in (1, 2, 4, 5, 10, 20, 50, 100):
        text = decimal_text(millions)
        local = text if language == "en" else text.replace(".", ",")
        word = _MILLION[language][millions >= 2]
        found += _plain(f"{before[0]}{local} {word}", f"{before[0]}{local}M")
        de = "" if language == "en" else " de"
        found += _plain(*(f"{local} {word}{de}{tail}" for tail in after if tail[0] == " " and len(tail) > 5))
        if language == "en":
            found += _plain(f"{before[0]}{text}m")
    thousands = amount / 1000
    if amount >= 1000 and amount < 10**6 and thousands.denominator in (1, 2, 5, 10):
        text = decimal_text(thousands)
        local = text if language == "en" else text.replace(".", ",")
        found += _plain(f"{before[0]}{local}k")
        if language != "en":
            found += _plain(*(f"{local} mil{tail}" for tail in after if tail[0] == " "))
    return found


def _near_money(value: tuple[Fraction, str], random: Random) -> list[Hashable]:
    amount, code = value
    others = [(other, code) for other in near_numbers(amount, random) if isinstance(other, Fraction) and other > 0]
    # "$" is read as US dollars, and leaves Canadian ones open: that pair is asked for elsewhere.
    codes = [other for other in sorted(_CURRENCIES) if other != code and {other, code} - {"USD", "CAD", "MXN"}]
    return [*others, *((amount, other) for other in codes)]


# --- dates and times ----------------------------------------------------------------------------------------------

MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "es": [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    "pt": [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
}
WEEKDAYS = {
    "en": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "es": ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    "pt": ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
}


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th.

    >>> [ordinal(n) for n in (1, 12, 23)]
    ['1st', '12th', '23rd']
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _draw_date(random: Random) -> datetime.date:
    return datetime.date(1990, 1, 1) + datetime.timedelta(random.randrange(18_000))


def _date(day: datetime.date, language: str) -> list[Spelling]:
    y, m, d = day.year, day.month, day.day
    name, weekday = MONTHS[language][m - 1], WEEKDAYS[language][day.weekday()]
    short = name[:3]
    found = _plain(day.isoformat(), f"{y}/{m:02}/{d:02}", f"{y}-{m}-{d}", f"{y:04}{m:02}{d:02}", f"{y}.{m:02}.{d:02}")
    first, second = (m, d) if language == "en" else (d, m)
    is_shy = d <= 12 and d != m
    numeric = [f"{first:02}/{second:02}/{y}", f"{first}/{second}/{y}", f"{first:02}-{second:02}-{y}",
               f"{first}/{second}/{y % 100:02}"]  # fmt: skip
    found += [Spelling(text, is_shy or (y % 100 <= 31 and "/2" not in text)) for text in numeric]
    if language == "en":
        found += _plain(
            f"{name} {d}, {y}", f"{d} {name} {y}", f"{name} {ordinal(d)}, {y}", f"{short} {d}, {y}", f"{d}-{short}-{y}",
            f"{weekday}, {name} {d}, {y}", f"the {ordinal(d)} of {name} {y}", f"{short}. {d}, {y}", f"{d} {short} {y}",
            f"{weekday[:3]} {short} {d} {y}", f"{weekday} {d} {name} {y}", f"{name} {d} {y}", f"{short} {ordinal(d)} {y}",
            f"{ordinal(d)} {name} {y}", f"{name.upper()} {d}, {y}", f"on {name} {d}, {y}", f"{d}{short.upper()}{y}",
        )  # fmt: skip
    else:
        found += _plain(
            f"{d} de {name} de {y}", f"{d} {name} {y}", f"{d} {short} {y}", f"{weekday}, {d} de {name} de {y}",
            f"{d}-{short}-{y}", f"{d:02}/{short}/{y}", f"{d} de {name.capitalize()} de {y}", f"{d} {short}. {y}",
        )  # fmt: skip
        found += (
            _plain(f"el {d} de {name} de {y}", f"{d} de {name} del {y}")
            if language == "es"
            else _plain(
                f"dia {d} de {name} de {y}", f"em {d} de {name} de {y}", f"{'1º' if d == 1 else d} de {name} de {y}"
            )
        )
    return found


def _near_dates(day: datetime.date, random: Random) -> list[Hashable]:
    found = [day + datetime.timedelta(n) for n in (1, -1, 10, -10, 7, random.randrange(2, 400))]
    for change in ({"year": day.year + 1}, {"year": day.year - 10}, {"month": day.month % 12 + 1}, {"year": day.year + 100},
                   {"day": day.month, "month": day.day}):  # fmt: skip
        try:
            found.append(day.replace(**change))
        except ValueError:
            continue
    return [other for other in found if other != day and other.year < 2100]


def _day_of_year(day: tuple[int, int], language: str) -> list[Spelling]:
    m, d = day
    name = MONTHS[language][m - 1]
    if language == "en":
        return _plain(f"{name} {d}", f"{d} {name}", f"{name} {ordinal(d)}", f"{name[:3]} {d}", f"the {ordinal(d)} of {name}",
                      f"{name[:3]}. {ordinal(d)}", f"{d}-{name[:3]}")  # fmt: skip
    article = _plain(f"el {d} de {name}") if language == "es" else _plain(f"dia {d} de {name}")
    return [*_plain(f"{d} de {name}", f"{d} {name[:3]}", f"{d}-{name[:3]}", f"{d} {name}"), *article]


def _draw_time(random: Random) -> int:
    return random.randrange(24) * 60 + random.choice((0, 0, 5, 10, 15, 20, 30, 45, random.randrange(60)))


_DAY_PARTS = {
    "en": ("in the morning", "in the afternoon", "in the evening", "at night"),
    "es": ("de la mañana", "de la tarde", "de la tarde", "de la noche"),
    "pt": ("da manhã", "da tarde", "da tarde", "da noite"),
}


def _time(minutes: int, language: str) -> list[Spelling]:
    h, i = divmod(minutes, 60)
    half = h % 12 or 12
    ap = "am" if h < 12 else "pm"
    found = _plain(f"{h:02}:{i:02}", f"{h:02}:{i:02}:00", f"{half}:{i:02} {ap.upper()}", f"{half}:{i:02}{ap}",
                   f"{half}:{i:02} {ap[0]}.m.")  # fmt: skip
    part = None
    if 5 <= h < 12:
        part = _DAY_PARTS[language][0]
    elif 13 <= h < 18:
        part = _DAY_PARTS[language][1]
    elif 20 <= h < 24:
        part = _DAY_PARTS[language][3]
    if part:
        found += _plain(f"{half}:{i:02} {part}")
        if not i:
            found += _plain(f"{half} {part}")
            if half > 1:
                found += _plain(f"{'a las ' if language == 'es' else 'às ' if language == 'pt' else ''}{half} {part}")
    if not i:
        found += _plain(f"{half} {ap.upper()}", f"{half}{ap}", f"{half} {ap[0]}.m.")
        if h == 12:
            found += _plain({"en": "noon", "es": "mediodía", "pt": "meio-dia"}[language])
        if h == 0:
            found += _plain({"en": "midnight", "es": "medianoche", "pt": "meia-noite"}[language])
    if language == "en":
        found += _plain(f"{half}.{i:02}{ap}", f"at {half}:{i:02} {ap}")
        if i == 30 and part:
            found += _plain(f"half past {in_words(half, 'en')} {part}")
        if i == 15 and part:
            found += _plain(f"quarter past {in_words(half, 'en')} {part}", f"a quarter past {half} {part}")
        if not i and part:
            found += _plain(f"{in_words(half, 'en')} o'clock {part}", f"{half} o'clock {part}")
    elif language == "es":
        if h > 12:
            found += _plain(f"{h:02}:{i:02} h", f"a las {h}:{i:02}", f"{h:02}:{i:02} horas", f"{h}.{i:02} h")
        if i == 30 and part:
            found += _plain(
                f"{half} y media {part}", f"{'la una' if half == 1 else 'las ' + in_words(half, 'es')} y media {part}"
            )
    else:
        found += _plain(f"{h}h{i:02}" if i else f"{h}h")
        if h > 12:
            found += _plain(
                f"às {h}:{i:02}", f"{h:02}h{i:02}min" if i else f"{h:02}h", f"às {h}h{i:02}" if i else f"às {h}h"
            )
        if i == 30 and part:
            found += _plain(f"{half} e meia {part}", f"{_feminine(half)} e meia {part}")
    return found


def _feminine(hour: int) -> str:
    return {1: "uma", 2: "duas"}.get(hour, in_words(hour, "pt"))


def _near_times(minutes: int, random: Random) -> list[Hashable]:
    day = 24 * 60
    found = [(minutes + step) % day for step in (1, -1, 10, 30, 60, -60, 720, 15, random.randrange(2, day))]
    h, i = divmod(minutes, 60)
    return [other for other in (*found, i % 24 * 60 + h) if other != minutes]


def _draw_instant(random: Random) -> Hashable:
    return datetime.datetime(2015, 1, 1) + datetime.timedelta(minutes=random.randrange(0, 15 * 525_600, 5))  # noqa: DTZ001


def _instant(utc: datetime.datetime, language: str) -> list[Spelling]:
    day = [one.value for one in _date(utc.date(), language) if not one.is_shy]
    clock = utc.strftime("%H:%M")
    found = _plain(f"{utc:%Y-%m-%dT%H:%M:%SZ}", f"{utc:%Y-%m-%dT%H:%M:%S}+00:00", f"{utc:%Y-%m-%d %H:%M} UTC",
                   f"{utc:%Y-%m-%dT%H:%MZ}", f"{utc:%Y-%m-%dT%H:%M:%S.000Z}", f"{utc:%Y%m%dT%H%M%SZ}")  # fmt: skip
    for hours in (-5, -3, 2, 9):
        local = utc + datetime.timedelta(hours=hours)
        found += _plain(f"{local:%Y-%m-%dT%H:%M:%S}{hours:+03}:00", f"{local:%Y-%m-%d %H:%M} {hours:+03}:00")
        found += _plain(f"{local:%Y-%m-%d %H:%M} UTC{hours:+d}")
    at = {"en": " at ", "es": " a las ", "pt": " às "}[language]
    long = next(text for text in day if MONTHS[language][utc.month - 1] in str(text))
    half = f"{utc.hour % 12 or 12}:{utc.minute:02} {'AM' if utc.hour < 12 else 'PM'}"
    found += _plain(f"{long}{at}{clock} UTC", f"{long}, {clock} UTC", f"{long}{at}{half} UTC", f"{clock} UTC, {long}")
    return found


def _near_instants(utc: datetime.datetime, random: Random) -> list[Hashable]:
    steps = (1, -1, 60, -60, 720, 1440, 10, 24 * 60 * 7, 300, -180, random.randrange(2, 10_000))
    return [utc + datetime.timedelta(minutes=step) for step in steps]


# --- durations and quantities -------------------------------------------------------------------------------------

# fmt: off
_UNITS: dict[str, list[tuple[Fraction, dict[str, tuple[str, ...]]]]] = {
    "duration": [
        (Fraction(1), {"en": ("seconds", "s", "sec", "secs"), "es": ("segundos", "s", "seg"), "pt": ("segundos", "s", "seg")}),
        (Fraction(60), {"en": ("minutes", "min", "mins"), "es": ("minutos", "min"), "pt": ("minutos", "min")}),
        (Fraction(3600), {"en": ("hours", "h", "hrs", "hr"), "es": ("horas", "h"), "pt": ("horas", "h")}),
        (Fraction(86400), {"en": ("days", "d"), "es": ("días",), "pt": ("dias",)}),
        (Fraction(604800), {"en": ("weeks", "wks"), "es": ("semanas",), "pt": ("semanas",)}),
    ],
    "length": [
        (Fraction(1, 1000), {"en": ("mm", "millimeters"), "es": ("mm", "milímetros"), "pt": ("mm", "milímetros")}),
        (Fraction(1, 100), {"en": ("cm", "centimetres"), "es": ("cm", "centímetros"), "pt": ("cm", "centímetros")}),
        (Fraction(1), {"en": ("m", "meters", "metres"), "es": ("m", "metros"), "pt": ("m", "metros")}),
        (Fraction(1000), {"en": ("km", "kilometers"), "es": ("km", "kilómetros"), "pt": ("km", "quilômetros")}),
        (Fraction(1609344, 1000), {"en": ("miles", "mi"), "es": ("millas",), "pt": ("milhas",)}),
        (Fraction(3048, 10000), {"en": ("feet", "ft"), "es": ("pies",), "pt": ("pés",)}),
        (Fraction(254, 10000), {"en": ("inches", "in"), "es": ("pulgadas",), "pt": ("polegadas",)}),
        (Fraction(9144, 10000), {"en": ("yards", "yd"), "es": ("yardas",), "pt": ("jardas",)}),
    ],
    "mass": [
        (Fraction(1, 10 ** 6), {"en": ("µg", "mcg", "micrograms"), "es": ("µg", "microgramos"), "pt": ("µg", "microgramas")}),
        (Fraction(1, 1000), {"en": ("mg", "milligrams"), "es": ("mg", "miligramos"), "pt": ("mg", "miligramas")}),
        (Fraction(1), {"en": ("g", "grams"), "es": ("g", "gramos"), "pt": ("g", "gramas")}),
        (Fraction(1000), {"en": ("kg", "kilograms", "kilos"), "es": ("kg", "kilos", "kilogramos"), "pt": ("kg", "quilos", "quilogramas")}),
        (Fraction(45359237, 100000), {"en": ("lb", "lbs", "pounds"), "es": ("libras",), "pt": ("libras",)}),
        (Fraction(28349523125, 10 ** 9), {"en": ("oz", "ounces"), "es": ("onzas",), "pt": ("onças",)}),
    ],
    "volume": [
        (Fraction(1, 1000), {"en": ("ml", "mL", "milliliters"), "es": ("ml", "mililitros"), "pt": ("ml", "mililitros")}),
        (Fraction(1, 100), {"en": ("cl", "centiliters"), "es": ("cl", "centilitros"), "pt": ("cl", "centilitros")}),
        (Fraction(1), {"en": ("l", "L", "liters", "litres"), "es": ("l", "litros"), "pt": ("l", "litros")}),
        (Fraction(3785411784, 10 ** 9), {"en": ("gallons", "gal"), "es": ("galones",), "pt": ("galões",)}),
    ],
    "data": [
        (Fraction(1, 1000), {"en": ("KB", "kilobytes", "kB"), "es": ("KB", "kilobytes"), "pt": ("KB", "kilobytes")}),
        (Fraction(1), {"en": ("MB", "megabytes"), "es": ("MB", "megabytes"), "pt": ("MB", "megabytes")}),
        (Fraction(1000), {"en": ("GB", "gigabytes"), "es": ("GB", "gigabytes"), "pt": ("GB", "gigabytes")}),
        (Fraction(10 ** 6), {"en": ("TB", "terabytes"), "es": ("TB", "terabytes"), "pt": ("TB", "terabytes")}),
        (Fraction(1024, 10 ** 6), {"en": ("KiB", "kibibytes"), "es": ("KiB",), "pt": ("KiB",)}),
        (Fraction(1024 ** 2, 10 ** 6), {"en": ("MiB", "mebibytes"), "es": ("MiB",), "pt": ("MiB",)}),
        (Fraction(1024 ** 3, 10 ** 6), {"en": ("GiB", "gibibytes"), "es": ("GiB",), "pt": ("GiB",)}),
    ],
    "area": [
        (Fraction(1), {"en": ("m²", "m2", "square meters", "sq m"), "es": ("m²", "metros cuadrados"), "pt": ("m²", "metros quadrados")}),
        (Fraction(10000), {"en": ("hectares", "ha"), "es": ("hectáreas", "ha"), "pt": ("hectares", "ha")}),
        (Fraction(10 ** 6), {"en": ("km²", "square kilometers", "sq km"), "es": ("km²", "kilómetros cuadrados"), "pt": ("km²", "quilômetros quadrados")}),
        (Fraction(9290304, 10 ** 8), {"en": ("sq ft", "square feet", "ft²"), "es": ("pies cuadrados",), "pt": ("pés quadrados",)}),
    ],
    "speed": [
        (Fraction(1), {"en": ("m/s", "meters per second"), "es": ("m/s", "metros por segundo"), "pt": ("m/s", "metros por segundo")}),
        (Fraction(10, 36), {"en": ("km/h", "kilometers per hour", "kph"), "es": ("km/h", "kilómetros por hora"), "pt": ("km/h", "quilômetros por hora")}),
        (Fraction(44704, 10 ** 5), {"en": ("mph", "miles per hour"), "es": ("millas por hora",), "pt": ("milhas por hora",)}),
    ],
    "temperature": [
        (Fraction(1), {"en": ("°C", "degrees Celsius", " °C", "C"), "es": ("°C", "grados Celsius", "grados centígrados"), "pt": ("°C", "graus Celsius", "ºC")}),
        (Fraction(-1), {"en": ("°F", "degrees Fahrenheit", "F"), "es": ("°F", "grados Fahrenheit"), "pt": ("°F", "graus Fahrenheit")}),
    ],
}
# fmt: on
_FEW = (1, 2, 4, 5, 10, 20, 25, 50, 100, 125, 1000)


def _drawer(dimension: str) -> Callable[[Random], Hashable]:
    def draw(random: Random) -> Hashable:
        factor = random.choice(_UNITS[dimension])[0]
        number = Fraction(random.choice((random.randrange(2, 30), random.randrange(2, 1500))))
        if random.randrange(3) == 0:
            number += Fraction(random.choice((1, 3, 5)), random.choice((2, 10)))
        if factor == -1:
            return dimension, _celsius(random.randrange(-10, 40) * 9 + 32)
        return dimension, number * factor

    return draw


def _celsius(fahrenheit: int) -> Fraction:
    return (fahrenheit - 32) * Fraction(5, 9)


def _quantity(value: tuple[str, Fraction], language: str) -> list[Spelling]:
    dimension, base = value
    found: list[Spelling] = []
    for factor, names in _UNITS[dimension]:
        number = base * Fraction(9, 5) + 32 if factor == -1 else base / factor
        if number.denominator not in _FEW or not Fraction(1, 10) <= abs(number) < 10**6:
            continue
        for one in digit_spellings(number, language):
            for name in names[language]:
                gap = "" if name.startswith(("°", " ", "º")) else " "
                found.append(Spelling(f"{one.value}{gap}{name}", one.is_shy))
                if len(name) <= 3 and gap and dimension not in ("area", "temperature"):
                    found.append(Spelling(f"{one.value}{name}", one.is_shy))
        if number.denominator == 1 and 1 < number < 10_000:
            word = next((name for name in names[language] if len(name) > 4), "")
            if word:
                spelled = in_words(int(number), language)
                if language == "es" and spelled.endswith("uno"):
                    spelled = _short(spelled, "es")
                found += _plain(f"{spelled} {word}")
    if dimension == "duration":
        found += _durations(base, language)
    return found


def _durations(seconds: Fraction, language: str) -> list[Spelling]:
    found: list[Spelling] = []
    if seconds.denominator != 1:
        return found
    minutes, s = divmod(int(seconds), 60)
    h, i = divmod(minutes, 60)
    if h and i and not s and h < 48:
        found += _plain(f"{h}h{i:02}m", f"{h}h {i}m", f"{h} h {i} min", f"PT{h}H{i}M")
        joint = {"en": ("hours", "and"), "es": ("horas", "y"), "pt": ("horas", "e")}[language]
        unit = joint[0][:-1] if h == 1 else joint[0]
        word = {"en": "minutes", "es": "minutos", "pt": "minutos"}[language]
        found += _plain(f"{h} {unit} {joint[1]} {i} {word}", f"{h} {unit}, {i} {word}")
        if i == 30:
            if language == "en":
                found += _plain("an hour and a half" if h == 1 else f"{in_words(h, 'en')} and a half hours")
            else:
                count = (
                    {"es": "una", "pt": "uma"}[language]
                    if h == 1
                    else (_feminine(h) if language == "pt" else in_words(h, "es"))
                )
                found += _plain(f"{count} {unit} {joint[1]} {'media' if language == 'es' else 'meia'}")
    if i and s and not h:
        found += _plain(f"{i}m{s:02}s", f"{i} min {s} s", f"PT{i}M{s}S")
    if not s and not i and h and h < 48:
        found += _plain(f"PT{h}H")
    if not s and i and not h:
        found += _plain(f"PT{i}M")
    return found


def _near_quantities(value: tuple[str, Fraction], random: Random) -> list[Hashable]:
    dimension, base = value
    found = [(dimension, base * Fraction(step)) for step in (10, Fraction(1, 10), 1000, Fraction(1, 1000), 100)]
    factors = [factor for factor, _ in _UNITS[dimension] if factor > 0]
    a, b = random.choice(factors), random.choice(factors)
    number = base / a
    found += [(dimension, number * b), (dimension, (number + 1) * a), (dimension, (number + Fraction(1, 10)) * a)]
    if dimension == "temperature":
        found = [("temperature", _celsius(int(base))), ("temperature", base + 1), ("temperature", -base)]
    other = random.choice([name for name in _UNITS if name != dimension])
    found.append((other, base))
    return [one for one in found if one != value]


# --- periods, relative dates, recurrences -------------------------------------------------------------------------

_ORDINALS = {
    "en": ("first", "second", "third", "fourth"),
    "es": ("primer", "segundo", "tercer", "cuarto"),
    "pt": ("primeiro", "segundo", "terceiro", "quarto"),
}


def _draw_period(random: Random) -> Hashable:
    year = random.randrange(2008, 2031)
    kind = random.choice(("quarter", "half", "year", "fiscal", "month", "span", "fiscal quarter"))
    number = {"quarter": 4, "half": 2, "month": 12, "fiscal quarter": 4}.get(kind, 1)
    if kind == "span":
        first = random.randrange(1, 11)
        last = random.randrange(first + 1, 13)
        if (first, last) in {(1, 3), (4, 6), (7, 9), (10, 12), (1, 6), (7, 12), (1, 12)}:
            return "quarter", year, 1
        return kind, year, (first, last)
    return kind, year, random.randrange(1, number + 1)


def _period(value: tuple[str, int, Any], language: str) -> list[Spelling]:
    kind, y, n = value
    short = f"{y % 100:02}"
    months, word = MONTHS[language], {"en": "of", "es": "de", "pt": "de"}[language]
    if kind == "quarter":
        found = _plain(
            f"Q{n} {y}",
            f"{y}-Q{n}",
            f"Q{n} '{short}",
            f"{y}Q{n}",
            f"Q{n}/{y}",
            f"Q{n}-{y}",
            f"{y} Q{n}",
            f"Q{n} {word} {y}",
        )
        first, last = months[3 * n - 3], months[3 * n - 1]
        if language == "en":
            name = _ORDINALS["en"][n - 1]
            return found + _plain(f"{name} quarter of {y}", f"the {name} quarter of {y}", f"{name} quarter {y}", f"{y} {name} quarter",
                                  f"{ordinal(n)} quarter {y}", f"{first} to {last} {y}", f"{first}-{last} {y}", f"{first} through {last} {y}",
                                  f"quarter {n} of {y}", f"quarter {n}, {y}", f"{first[:3]}-{last[:3]} {y}",
                                  f"{first} {y} to {last} {y}", f"third quarter, {y}" if n == 3 else f"Q{n}, {y}")  # fmt: skip
        name = _ORDINALS[language][n - 1]
        code = f"{n}T{short}" if language == "pt" else f"T{n} {y}"
        article = "el" if language == "es" else "o"
        return found + _plain(f"{name} trimestre de {y}", f"{article} {name} trimestre de {y}", f"{n}º trimestre de {y}", code,
                              f"{name} trimestre {y}", f"{n}T{y}" if language == "pt" else f"{n}T {y}",
                              f"{'de ' if language == 'es' else ''}{first} a {last} de {y}", f"trimestre {n} de {y}", f"{first}-{last} {y}")  # fmt: skip
    if kind == "half":
        found = _plain(f"H{n} {y}", f"{y}-H{n}", f"{y} H{n}")
        if language == "en":
            name = _ORDINALS["en"][n - 1]
            return found + _plain(
                f"{name} half of {y}",
                f"the {name} half of {y}",
                f"{name} half {y}",
                f"H{n} of {y}",
                f"{n}H {y}",
                f"{n}H{short}",
            )
        name = _ORDINALS[language][n - 1]
        extra = [f"{n}S{short}", f"{n}S{y}"] if language == "pt" else [f"S{n} {y}"]
        return found + _plain(f"{name} semestre de {y}", f"{n}º semestre de {y}", f"{name} semestre {y}", *extra)
    if kind == "year":
        if language == "en":
            return _plain(
                f"{y}",
                f"the year {y}",
                f"calendar year {y}",
                f"January to December {y}",
                y,
                f"year {y}",
                f"full year {y}",
            )
        if language == "es":
            return _plain(f"{y}", f"el año {y}", f"año {y}", f"de enero a diciembre de {y}", f"año natural {y}", y)
        return _plain(f"{y}", f"o ano de {y}", f"ano de {y}", f"de janeiro a dezembro de {y}", f"ano {y}", y)
    if kind == "fiscal":
        if language == "en":
            return _plain(
                f"FY{y}",
                f"FY {y}",
                f"fiscal year {y}",
                f"fiscal {y}",
                f"FY{short}",
                f"FY'{short}",
                f"the {y} fiscal year",
            )
        if language == "es":
            return _plain(
                f"año fiscal {y}",
                f"ejercicio fiscal {y}",
                f"ejercicio {y}",
                f"FY{y}",
                f"el año fiscal {y}",
                f"año fiscal de {y}",
            )
        return _plain(
            f"ano fiscal de {y}", f"exercício fiscal de {y}", f"exercício de {y}", f"ano fiscal {y}", f"FY{y}"
        )
    if kind == "fiscal quarter":
        if language == "en":
            return _plain(f"FY{y} Q{n}", f"Q{n} FY{y}", f"Q{n} FY{short}", f"FY{short} Q{n}", f"fiscal Q{n} {y}", f"FY{short}Q{n}",
                          f"{_ORDINALS['en'][n - 1]} quarter of fiscal year {y}", f"{_ORDINALS['en'][n - 1]} quarter of fiscal {y}",
                          f"fiscal year {y} Q{n}", f"{_ORDINALS['en'][n - 1]} fiscal quarter of {y}", f"Q{n} of FY{y}")  # fmt: skip
        name = _ORDINALS[language][n - 1]
        year = "año fiscal" if language == "es" else "ano fiscal de"
        of = "del" if language == "es" else "do"
        return _plain(
            f"{name} trimestre {of} {year} {y}",
            f"Q{n} FY{y}",
            f"FY{y} Q{n}",
            f"{name} trimestre fiscal de {y}",
            f"Q{n} {of} {year} {y}",
        )
    if kind == "month":
        name = months[n - 1]
        found = _plain(f"{y}-{n:02}", f"{name} {y}", f"{name[:3]} {y}", f"{n:02}/{y}", f"{n}/{y}", f"{y}/{n:02}")
        if language == "en":
            return found + _plain(
                f"{name} of {y}",
                f"{name}, {y}",
                f"the month of {name} {y}",
                f"{name[:3]}. {y}",
                f"in {name} {y}",
            )
        said = [f"mes de {name} de {y}"] if language == "es" else [f"mês de {name} de {y}", f"{name}/{y}"]
        return found + _plain(f"{name} de {y}", f"{name.capitalize()} de {y}", *said)
    a, b = months[n[0] - 1], months[n[1] - 1]
    if language == "en":
        return _plain(f"{a} to {b} {y}", f"{a}-{b} {y}", f"from {a} to {b} {y}", f"{a} through {b}, {y}", f"{a} {y} - {b} {y}", f"{a[:3]}–{b[:3]} {y}",
                      f"between {a} and {b} {y}", f"from {a} {y} through {b} {y}")  # fmt: skip
    if language == "es":
        return _plain(
            f"de {a} a {b} de {y}",
            f"{a} a {b} de {y}",
            f"{a}-{b} {y}",
            f"entre {a} y {b} de {y}",
            f"desde {a} hasta {b} de {y}",
        )
    return _plain(
        f"de {a} a {b} de {y}", f"{a} a {b} de {y}", f"{a}-{b} {y}", f"entre {a} e {b} de {y}", f"de {a} até {b} de {y}"
    )


def _near_periods(value: tuple[str, int, Any], random: Random) -> list[Hashable]:
    kind, y, n = value
    found: list[Hashable] = [(kind, y + 1, n), (kind, y - 10, n), (kind, y - 1, n)]
    if isinstance(n, int):
        top = {"quarter": 4, "half": 2, "month": 12, "fiscal quarter": 4}.get(kind, 1)
        found += [(kind, y, m) for m in range(1, top + 1) if m != n]
        found += [
            (other, y, 1) for other in ("quarter", "half", "month", "fiscal", "year", "fiscal quarter") if other != kind
        ]
    else:
        first, last = n
        found += (
            [("span", y, (first, last + 1))]
            if last < 12 and (first, last + 1) not in {(1, 3), (4, 6), (7, 9), (10, 12), (1, 6), (7, 12), (1, 12)}
            else []
        )
        found += [("month", y, first), ("month", y, last), ("year", y, 1)]
    return found


# fmt: off
_RELATIVE: dict[str, dict[str, tuple[str, ...]]] = {
    "today": {"en": ("today", "this day"), "es": ("hoy", "el día de hoy"), "pt": ("hoje", "o dia de hoje")},
    "yesterday": {"en": ("yesterday", "1 day ago", "one day ago"), "es": ("ayer", "hace 1 día", "hace un día"), "pt": ("ontem", "há 1 dia", "há um dia")},
    "tomorrow": {"en": ("tomorrow", "in 1 day", "1 day from now", "a day from now"), "es": ("mañana", "en 1 día", "dentro de un día"), "pt": ("amanhã", "daqui a 1 dia", "em 1 dia")},
    "day+2": {"en": ("the day after tomorrow", "in 2 days", "in two days", "2 days from now", "day after tomorrow"), "es": ("pasado mañana", "en dos días", "dentro de 2 días"), "pt": ("depois de amanhã", "em dois dias", "daqui a 2 dias")},
    "day-2": {"en": ("the day before yesterday", "2 days ago", "two days ago"), "es": ("anteayer", "hace dos días", "hace 2 días", "antes de ayer"), "pt": ("anteontem", "há dois dias", "2 dias atrás", "há 2 dias")},
    "last week": {"en": ("last week", "the previous week", "the past week"), "es": ("la semana pasada", "la última semana", "la semana anterior"), "pt": ("semana passada", "a última semana", "na semana passada", "a semana anterior")},
    "this week": {"en": ("this week", "the current week"), "es": ("esta semana", "la semana actual", "la semana en curso"), "pt": ("esta semana", "a semana atual", "nesta semana")},
    "next week": {"en": ("next week", "the coming week", "the following week"), "es": ("la próxima semana", "la semana que viene", "la semana próxima"), "pt": ("próxima semana", "semana que vem", "na próxima semana")},
    "last month": {"en": ("last month", "the previous month", "the past month", "prior month"), "es": ("el mes pasado", "el último mes", "el mes anterior"), "pt": ("mês passado", "o mês passado", "o último mês", "o mês anterior")},
    "this month": {"en": ("this month", "the current month", "month to date"), "es": ("este mes", "el mes actual", "el mes en curso"), "pt": ("este mês", "o mês atual", "neste mês", "o mês corrente")},
    "next month": {"en": ("next month", "the coming month", "the upcoming month"), "es": ("el próximo mes", "el mes que viene", "el mes próximo"), "pt": ("próximo mês", "o mês que vem", "mês que vem")},
    "last year": {"en": ("last year", "the previous year", "the past year", "prior year"), "es": ("el año pasado", "el año anterior"), "pt": ("ano passado", "o ano passado", "o ano anterior")},
    "this year": {"en": ("this year", "the current year"), "es": ("este año", "el año actual", "el año en curso"), "pt": ("este ano", "o ano atual", "neste ano")},
    "next year": {"en": ("next year", "the coming year"), "es": ("el próximo año", "el año que viene", "el año próximo"), "pt": ("próximo ano", "ano que vem", "o ano que vem")},
    "last quarter": {"en": ("last quarter", "the previous quarter", "the prior quarter"), "es": ("el trimestre pasado", "el trimestre anterior", "el último trimestre"), "pt": ("trimestre passado", "o trimestre anterior", "o último trimestre")},
    "next quarter": {"en": ("next quarter", "the coming quarter"), "es": ("el próximo trimestre", "el trimestre que viene"), "pt": ("próximo trimestre", "o próximo trimestre", "trimestre que vem")},
    "last 7 days": {"en": ("the last 7 days", "the past seven days", "last seven days", "previous 7 days"), "es": ("los últimos 7 días", "los últimos siete días"), "pt": ("os últimos 7 dias", "últimos sete dias", "nos últimos 7 dias")},
    "last 30 days": {"en": ("the last 30 days", "past 30 days", "previous thirty days"), "es": ("los últimos 30 días", "últimos treinta días"), "pt": ("os últimos 30 dias", "últimos trinta dias")},
    "last 3 months": {"en": ("the last 3 months", "the past three months", "previous 3 months"), "es": ("los últimos 3 meses", "los últimos tres meses"), "pt": ("os últimos 3 meses", "os últimos três meses")},
    "next 3 months": {"en": ("the next 3 months", "the coming three months", "next three months"), "es": ("los próximos 3 meses", "los próximos tres meses"), "pt": ("os próximos 3 meses", "os próximos três meses")},
    "3 weeks ago": {"en": ("3 weeks ago", "three weeks ago"), "es": ("hace 3 semanas", "hace tres semanas"), "pt": ("há 3 semanas", "três semanas atrás", "há três semanas")},
    "in 3 weeks": {"en": ("in 3 weeks", "three weeks from now", "in three weeks", "3 weeks from now"), "es": ("en 3 semanas", "dentro de tres semanas", "en tres semanas"), "pt": ("em 3 semanas", "daqui a três semanas", "daqui a 3 semanas")},
    "next monday": {"en": ("next Monday", "the coming Monday"), "es": ("el próximo lunes", "el lunes que viene", "el lunes próximo"), "pt": ("próxima segunda-feira", "segunda-feira que vem", "na próxima segunda")},
    "last friday": {"en": ("last Friday", "the previous Friday"), "es": ("el viernes pasado", "el pasado viernes"), "pt": ("sexta-feira passada", "a última sexta-feira", "na sexta passada")},
    "year to date": {"en": ("year to date", "YTD", "since the beginning of the year"), "es": ("en lo que va de año", "desde principios de año"), "pt": ("no acumulado do ano", "desde o início do ano")},
    "this weekend": {"en": ("this weekend", "this coming weekend"), "es": ("este fin de semana",), "pt": ("este fim de semana", "neste fim de semana")},
    "tomorrow morning": {"en": ("tomorrow morning", "tomorrow in the morning"), "es": ("mañana por la mañana",), "pt": ("amanhã de manhã", "amanhã pela manhã")},
    "tonight": {"en": ("tonight", "this evening", "this night"), "es": ("esta noche", "hoy por la noche"), "pt": ("hoje à noite", "esta noite")},
}
# fmt: on
# fmt: off
_RECURRENCE: dict[str, dict[str, tuple[str, ...]]] = {
    "daily": {"en": ("daily", "every day", "each day", "once a day", "once per day"), "es": ("diariamente", "cada día", "todos los días", "una vez al día", "a diario"), "pt": ("diariamente", "todos os dias", "cada dia", "uma vez por dia", "todo dia")},
    "weekly": {"en": ("weekly", "every week", "once a week", "each week"), "es": ("semanalmente", "cada semana", "todas las semanas", "una vez por semana"), "pt": ("semanalmente", "toda semana", "todas as semanas", "uma vez por semana")},
    "monthly": {"en": ("monthly", "every month", "once a month", "each month"), "es": ("mensualmente", "cada mes", "todos los meses", "una vez al mes"), "pt": ("mensalmente", "todo mês", "todos os meses", "uma vez por mês")},
    "quarterly": {"en": ("quarterly", "every quarter", "every 3 months", "every three months", "once a quarter"), "es": ("trimestralmente", "cada trimestre", "cada tres meses", "cada 3 meses"), "pt": ("trimestralmente", "a cada trimestre", "a cada três meses", "a cada 3 meses")},
    "yearly": {"en": ("yearly", "annually", "every year", "once a year", "each year"), "es": ("anualmente", "cada año", "todos los años", "una vez al año"), "pt": ("anualmente", "todo ano", "todos os anos", "uma vez por ano")},
    "hourly": {"en": ("hourly", "every hour", "once an hour", "every 60 minutes"), "es": ("cada hora", "una vez por hora"), "pt": ("a cada hora", "de hora em hora", "uma vez por hora")},
    "2 weeks": {"en": ("every two weeks", "every 2 weeks", "every other week", "fortnightly", "once every two weeks"), "es": ("cada dos semanas", "cada 2 semanas"), "pt": ("a cada duas semanas", "a cada 2 semanas")},
    "2 days": {"en": ("every other day", "every two days", "every 2 days"), "es": ("cada dos días", "un día sí y otro no", "cada 2 días"), "pt": ("a cada dois dias", "dia sim, dia não", "a cada 2 dias")},
    "twice a day": {"en": ("twice a day", "twice daily", "two times a day", "2x a day", "two times per day"), "es": ("dos veces al día", "2 veces al día", "dos veces por día"), "pt": ("duas vezes por dia", "2 vezes ao dia", "duas vezes ao dia")},
    "twice a week": {"en": ("twice a week", "two times a week", "twice per week", "twice weekly"), "es": ("dos veces por semana", "dos veces a la semana"), "pt": ("duas vezes por semana", "2 vezes por semana")},
    "8 hours": {"en": ("every 8 hours", "every eight hours"), "es": ("cada 8 horas", "cada ocho horas"), "pt": ("a cada 8 horas", "de 8 em 8 horas")},
    "weekdays": {"en": ("every weekday", "on weekdays", "Monday to Friday", "Monday through Friday", "Mon-Fri", "weekdays"), "es": ("de lunes a viernes", "lunes a viernes"), "pt": ("de segunda a sexta", "segunda a sexta-feira", "de segunda a sexta-feira")},
    "mondays": {"en": ("every Monday", "Mondays", "on Mondays", "each Monday"), "es": ("todos los lunes", "cada lunes", "los lunes"), "pt": ("toda segunda-feira", "todas as segundas-feiras", "às segundas-feiras", "toda segunda")},
    "tuesdays": {"en": ("every Tuesday", "Tuesdays", "on Tuesdays", "each Tuesday"), "es": ("todos los martes", "cada martes", "los martes"), "pt": ("toda terça-feira", "todas as terças", "às terças-feiras")},
    "weekends": {"en": ("every weekend", "weekends", "on weekends"), "es": ("todos los fines de semana", "cada fin de semana", "los fines de semana"), "pt": ("todo fim de semana", "todos os fins de semana", "aos fins de semana")},
}
# fmt: on


# --- closed tables: truth values, countries, currencies, languages, airports, bounds --------------------------------

_BOOLEANS: dict[Any, dict[str, tuple[Any, ...]]] = {
    True: {"en": (True, "true", "yes", "Yes", "TRUE"), "es": (True, "sí", "verdadero", "Sí"), "pt": (True, "sim", "verdadeiro", "SIM")},
    False: {"en": (False, "false", "no", "No", "FALSE"), "es": (False, "no", "falso", "No"), "pt": (False, "não", "falso", "Não")},
}  # fmt: skip
# fmt: off
_COUNTRIES: dict[Any, dict[str, tuple[Any, ...]]] = {
    "US": {"en": ("United States", "USA", "US", "U.S.", "United States of America", "the US", "U.S.A."), "es": ("Estados Unidos", "EE. UU.", "EEUU", "EE.UU."), "pt": ("Estados Unidos", "EUA", "E.U.A.")},
    "GB": {"en": ("United Kingdom", "UK", "GB", "Great Britain", "U.K."), "es": ("Reino Unido",), "pt": ("Reino Unido",)},
    "DE": {"en": ("Germany", "DE", "DEU"), "es": ("Alemania",), "pt": ("Alemanha",)},
    "AT": {"en": ("Austria", "AT", "AUT"), "es": ("Austria",), "pt": ("Áustria",)},
    "AU": {"en": ("Australia", "AU", "AUS"), "es": ("Australia",), "pt": ("Austrália",)},
    "BR": {"en": ("Brazil", "BR", "BRA"), "es": ("Brasil",), "pt": ("Brasil",)},
    "MX": {"en": ("Mexico", "MX", "MEX"), "es": ("México", "Méjico"), "pt": ("México",)},
    "ES": {"en": ("Spain", "ESP"), "es": ("España",), "pt": ("Espanha",)},
    "NL": {"en": ("Netherlands", "the Netherlands", "Holland", "NLD"), "es": ("Países Bajos", "Holanda"), "pt": ("Países Baixos", "Holanda")},
    "CH": {"en": ("Switzerland", "CHE"), "es": ("Suiza",), "pt": ("Suíça",)},
    "SE": {"en": ("Sweden", "SWE"), "es": ("Suecia",), "pt": ("Suécia",)},
    "KR": {"en": ("South Korea", "Republic of Korea", "KOR"), "es": ("Corea del Sur",), "pt": ("Coreia do Sul",)},
    "KP": {"en": ("North Korea", "PRK"), "es": ("Corea del Norte",), "pt": ("Coreia do Norte",)},
    "NG": {"en": ("Nigeria", "NGA"), "es": ("Nigeria",), "pt": ("Nigéria",)},
    "NE": {"en": ("Niger", "NER"), "es": ("Níger",), "pt": ("Níger",)},
    "IE": {"en": ("Ireland", "IRL"), "es": ("Irlanda",), "pt": ("Irlanda",)},
    "IS": {"en": ("Iceland", "ISL"), "es": ("Islandia",), "pt": ("Islândia",)},
    "CZ": {"en": ("Czech Republic", "Czechia", "CZE"), "es": ("República Checa", "Chequia"), "pt": ("República Tcheca", "Tchéquia")},
    "AE": {"en": ("United Arab Emirates", "UAE", "ARE"), "es": ("Emiratos Árabes Unidos", "EAU"), "pt": ("Emirados Árabes Unidos", "EAU")},
    "CI": {"en": ("Ivory Coast", "Côte d'Ivoire"), "es": ("Costa de Marfil",), "pt": ("Costa do Marfim",)},
    "PY": {"en": ("Paraguay", "PRY"), "es": ("Paraguay",), "pt": ("Paraguai",)},
    "UY": {"en": ("Uruguay", "URY"), "es": ("Uruguay",), "pt": ("Uruguai",)},
    "DO": {"en": ("Dominican Republic", "DOM"), "es": ("República Dominicana",), "pt": ("República Dominicana",)},
    "DM": {"en": ("Dominica", "DMA"), "es": ("Dominica",), "pt": ("Dominica",)},
}
# fmt: on
_MONIES: dict[Any, dict[str, tuple[Any, ...]]] = {
    "USD": {
        "en": ("USD", "US dollar", "US dollars", "United States dollar", "US$"),
        "es": ("USD", "dólar estadounidense", "dólares estadounidenses"),
        "pt": ("USD", "dólar americano", "dólares americanos"),
    },
    "EUR": {"en": ("EUR", "euro", "euros", "€"), "es": ("EUR", "euro", "euros"), "pt": ("EUR", "euro", "euros")},
    "GBP": {
        "en": ("GBP", "British pound", "pound sterling", "£"),
        "es": ("GBP", "libra esterlina", "libras esterlinas"),
        "pt": ("GBP", "libra esterlina"),
    },
    "BRL": {
        "en": ("BRL", "Brazilian real", "R$"),
        "es": ("BRL", "real brasileño"),
        "pt": ("BRL", "real brasileiro", "reais"),
    },
    "JPY": {
        "en": ("JPY", "Japanese yen", "yen"),
        "es": ("JPY", "yen japonés", "yen"),
        "pt": ("JPY", "iene japonês", "iene"),
    },
    "CHF": {
        "en": ("CHF", "Swiss franc", "Swiss francs"),
        "es": ("CHF", "franco suizo", "francos suizos"),
        "pt": ("CHF", "franco suíço"),
    },
    "CAD": {"en": ("CAD", "Canadian dollar"), "es": ("CAD", "dólar canadiense"), "pt": ("CAD", "dólar canadense")},
    "AUD": {"en": ("AUD", "Australian dollar"), "es": ("AUD", "dólar australiano"), "pt": ("AUD", "dólar australiano")},
    "ARS": {"en": ("ARS", "Argentine peso"), "es": ("ARS", "peso argentino"), "pt": ("ARS", "peso argentino")},
    "MXN": {"en": ("MXN", "Mexican peso"), "es": ("MXN", "peso mexicano"), "pt": ("MXN", "peso mexicano")},
}  # fmt: skip
# fmt: off
_TONGUES: dict[Any, dict[str, tuple[Any, ...]]] = {
    "en": {"en": ("English", "en"), "es": ("inglés", "idioma inglés", "Inglés"), "pt": ("inglês", "língua inglesa")},
    "es": {"en": ("Spanish", "es", "Castilian"), "es": ("español", "castellano"), "pt": ("espanhol", "castelhano")},
    "pt": {"en": ("Portuguese", "pt"), "es": ("portugués",), "pt": ("português",)},
    "pt_BR": {"en": ("Brazilian Portuguese", "pt-BR", "pt_BR"), "es": ("portugués de Brasil", "portugués brasileño"), "pt": ("português brasileiro", "português do Brasil")},
    "fr": {"en": ("French", "fr"), "es": ("francés",), "pt": ("francês",)},
    "de": {"en": ("German", "de", "German language"), "es": ("alemán",), "pt": ("alemão",)},
    "zh": {"en": ("Chinese", "zh"), "es": ("chino",), "pt": ("chinês",)},
    "ja": {"en": ("Japanese", "ja"), "es": ("japonés",), "pt": ("japonês",)},
    "ko": {"en": ("Korean", "ko"), "es": ("coreano",), "pt": ("coreano",)},
    "sv": {"en": ("Swedish", "sv"), "es": ("sueco",), "pt": ("sueco",)},
    "sl": {"en": ("Slovenian", "sl"), "es": ("esloveno",), "pt": ("esloveno",)},
    "sk": {"en": ("Slovak", "sk"), "es": ("eslovaco",), "pt": ("eslovaco",)},
}
# fmt: on
# fmt: off
_AIRPORTS: dict[Any, dict[str, tuple[Any, ...]]] = {
    "JFK": {"en": ("JFK", "John F. Kennedy International Airport", "JFK airport", "New York JFK", "New York (JFK)", "Kennedy Airport"), "es": ("JFK", "aeropuerto JFK", "Aeropuerto Internacional John F. Kennedy"), "pt": ("JFK", "aeroporto JFK", "Aeroporto Internacional John F. Kennedy")},
    "LGA": {"en": ("LGA", "LaGuardia Airport", "LaGuardia", "New York LaGuardia"), "es": ("LGA", "aeropuerto LaGuardia"), "pt": ("LGA", "aeroporto LaGuardia")},
    "EWR": {"en": ("EWR", "Newark Liberty International Airport", "Newark Airport", "EWR airport"), "es": ("EWR", "aeropuerto de Newark"), "pt": ("EWR", "aeroporto de Newark")},
    "LHR": {"en": ("LHR", "Heathrow", "London Heathrow", "London Heathrow Airport", "Heathrow Airport"), "es": ("LHR", "aeropuerto de Heathrow", "Londres-Heathrow"), "pt": ("LHR", "aeroporto de Heathrow", "Londres Heathrow")},
    "LGW": {"en": ("LGW", "Gatwick", "London Gatwick", "Gatwick Airport"), "es": ("LGW", "aeropuerto de Gatwick"), "pt": ("LGW", "aeroporto de Gatwick")},
    "GRU": {"en": ("GRU", "São Paulo Guarulhos", "Guarulhos International Airport", "Guarulhos airport"), "es": ("GRU", "aeropuerto de Guarulhos"), "pt": ("GRU", "aeroporto de Guarulhos", "Guarulhos", "Aeroporto Internacional de Guarulhos")},
    "CGH": {"en": ("CGH", "Congonhas Airport", "São Paulo Congonhas"), "es": ("CGH", "aeropuerto de Congonhas"), "pt": ("CGH", "aeroporto de Congonhas", "Congonhas")},
    "MAD": {"en": ("MAD", "Madrid Barajas", "Madrid-Barajas Airport", "Barajas Airport"), "es": ("MAD", "aeropuerto de Barajas", "Madrid-Barajas", "Aeropuerto Adolfo Suárez Madrid-Barajas"), "pt": ("MAD", "aeroporto de Barajas")},
    "CDG": {"en": ("CDG", "Paris Charles de Gaulle", "Charles de Gaulle Airport", "Charles de Gaulle"), "es": ("CDG", "aeropuerto Charles de Gaulle", "París-Charles de Gaulle"), "pt": ("CDG", "aeroporto Charles de Gaulle")},
    "ORY": {"en": ("ORY", "Paris Orly", "Orly Airport", "Orly"), "es": ("ORY", "aeropuerto de Orly"), "pt": ("ORY", "aeroporto de Orly")},
    "SFO": {"en": ("SFO", "San Francisco International Airport", "San Francisco airport", "San Francisco (SFO)"), "es": ("SFO", "aeropuerto de San Francisco"), "pt": ("SFO", "aeroporto de São Francisco")},
    "LAX": {"en": ("LAX", "Los Angeles International Airport", "Los Angeles airport", "LAX airport"), "es": ("LAX", "aeropuerto de Los Ángeles"), "pt": ("LAX", "aeroporto de Los Angeles")},
    "ORD": {"en": ("ORD", "O'Hare International Airport", "Chicago O'Hare", "O'Hare"), "es": ("ORD", "aeropuerto O'Hare"), "pt": ("ORD", "aeroporto O'Hare")},
    "MDW": {"en": ("MDW", "Midway International Airport", "Chicago Midway", "Midway Airport"), "es": ("MDW", "aeropuerto Midway"), "pt": ("MDW", "aeroporto Midway")},
}
# fmt: on


def _draw_bound(random: Random) -> Hashable:
    kind = random.choice((">=", "<=", ">", "<", "=", "range", "~"))
    number = random.randrange(2, 500)
    return kind, number, number + random.randrange(1, 50) if kind == "range" else 0


def _bound(value: tuple[str, int, int], language: str) -> list[Spelling]:
    kind, n, top = value
    table: dict[str, dict[str, tuple[str, ...]]] = {
        ">=": {"en": ("at least {}", "{} or more", "no less than {}", ">= {}", "≥ {}", "a minimum of {}", "{}+"), "es": ("al menos {}", "como mínimo {}", "{} o más", "por lo menos {}", "mínimo {}"), "pt": ("pelo menos {}", "no mínimo {}", "{} ou mais", "ao menos {}", "mínimo de {}")},
        "<=": {"en": ("at most {}", "{} or less", "no more than {}", "<= {}", "up to {}", "maximum {}", "max {}", "{} or fewer"), "es": ("como máximo {}", "{} o menos", "no más de {}", "hasta {}", "a lo sumo {}"), "pt": ("no máximo {}", "{} ou menos", "até {}", "não mais de {}", "não mais que {}")},
        ">": {"en": ("more than {}", "over {}", "above {}", "> {}", ">{}", "greater than {}", "exceeding {}"), "es": ("más de {}", "mayor que {}", "superior a {}", "> {}", "por encima de {}"), "pt": ("mais de {}", "acima de {}", "maior que {}", "> {}", "superior a {}")},
        "<": {"en": ("less than {}", "under {}", "below {}", "< {}", "fewer than {}"), "es": ("menos de {}", "menor que {}", "inferior a {}", "por debajo de {}"), "pt": ("menos de {}", "abaixo de {}", "menor que {}", "inferior a {}")},
        "~": {"en": ("about {}", "around {}", "approximately {}", "roughly {}", "~{}", "approx. {}"), "es": ("unos {}", "alrededor de {}", "aproximadamente {}", "cerca de {}"), "pt": ("cerca de {}", "aproximadamente {}", "uns {}", "por volta de {}")},
        "=": {"en": ("{}", "exactly {}"), "es": ("{}", "exactamente {}"), "pt": ("{}", "exatamente {}")},
        "range": {"en": ("{}-{}", "{} to {}", "between {} and {}", "from {} to {}", "{}–{}"), "es": ("{}-{}", "entre {} y {}", "de {} a {}", "{} a {}"), "pt": ("{}-{}", "entre {} e {}", "de {} a {}", "{} a {}")},
    }  # fmt: skip
    words = table[kind][language]
    found = _plain(*(word.format(n, top) for word in words))
    if kind not in ("=", "range"):
        found += _plain(*(word.format(in_words(n, language)) for word in words[:2]))
    return found


def _near_bounds(value: tuple[str, int, int], random: Random) -> list[Hashable]:
    kind, n, top = value
    found: list[Hashable] = [(other, n, 0) for other in (">=", "<=", ">", "<") if other != kind]
    found += [(kind, n + step, top + 60 if kind == "range" else 0) for step in (1, 10)]
    if kind == "range":
        found += [(kind, n, top + 1), ("=", n, 0), ("=", top, 0)]
    return found


# --- ids and addresses --------------------------------------------------------------------------------------------


def _draw_id(random: Random) -> Hashable:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    word = "".join(random.choice(letters) for _ in range(random.choice((2, 3))))
    digits = "".join(random.choice("0123456789") for _ in range(random.randrange(3, 9)))
    shape = random.randrange(6)
    if shape == 0:
        return f"{word}-{digits}"
    if shape == 1:
        return f"{word}-20{random.randrange(10, 30)}-{digits}"
    if shape == 2:
        return f"{random.randrange(1, 10)}{digits}{random.choice(letters)}"
    if shape == 3:
        return "".join(random.choice("0123456789abcdef") for _ in range(8)) + f"-{digits.ljust(4, '0')[:4]}"
    if shape == 4:
        return str(random.randrange(10**7, 10**10))
    return f"{word}{digits}"


_ID_LABELS = {
    "en": ("order {}", "order #{}", "Order number {}", "ID: {}", "#{}", "ticket {}", "reference {}"),
    "es": ("pedido {}", "pedido n.º {}", "número de pedido {}", "ID: {}", "#{}", "referencia {}"),
    "pt": ("pedido {}", "pedido nº {}", "número do pedido {}", "ID: {}", "#{}", "referência {}"),
}


def _id(value: str, language: str) -> list[Spelling]:
    return _plain(
        value, *(label.format(value) for label in _ID_LABELS[language][:1]), f"#{value}", f" {value} ", f"{value}."
    )


def _near_ids(value: str, random: Random) -> list[Hashable]:
    found = []
    at = random.randrange(len(value))
    pool = "0123456789" if value[at].isdigit() else "ABCDEFGHJKLMNPQRSTUVWXYZ"
    found.append(value[:at] + random.choice(pool) + value[at + 1 :])
    found.append(value[:at] + value[at] + value[at:])
    if at + 1 < len(value):
        found.append(value[:at] + value[at + 1] + value[at] + value[at + 2 :])
    head = value.rstrip("0123456789")
    found += [value[:-1], value + "0", head + "0" + value[len(head) :], value.replace("0", "O", 1), value + "-1"]
    return [other for other in found if other.strip("-") and other.lower() != value.lower()]


def _draw_phone(random: Random) -> Hashable:
    country = random.choice(("1", "34", "55", "52"))
    length = {"1": 10, "34": 9, "55": 11, "52": 10}[country]
    return country, str(random.randrange(2, 9)) + "".join(random.choice("0123456789") for _ in range(length - 1))


def _phone(value: tuple[str, str], language: str) -> list[Spelling]:
    country, n = value
    if country == "34":
        parts = (n[:3], n[3:6], n[6:])
    elif country == "55":
        parts = (n[:2], n[2:7], n[7:])
    else:
        parts = (n[:3], n[3:6], n[6:])
    spaced = " ".join(parts)
    found = [
        f"+{country} {spaced}",
        f"+{country}{n}",
        f"+{country}-{'-'.join(parts)}",
        f"00{country} {spaced}",
        f"tel. +{country} {spaced}",
    ]
    found += [spaced, "-".join(parts), n] if country != "34" else [spaced, n]
    if country in ("1", "55"):
        found += [f"({parts[0]}) {parts[1]}-{parts[2]}", f"+{country} ({parts[0]}) {parts[1]}-{parts[2]}"]
    return _plain(*found)


def _near_phones(value: tuple[str, str], random: Random) -> list[Hashable]:
    country, n = value
    at = random.randrange(len(n) - 1)
    swapped = n[:at] + n[at + 1] + n[at] + n[at + 2 :]
    changed = n[:at] + str((int(n[at]) + random.randrange(1, 9)) % 10) + n[at + 1 :]
    return [(country, other) for other in (swapped, changed) if other != n and other[0] not in "01"]


def _draw_email(random: Random) -> Hashable:
    user = random.choice(("ana", "john.smith", "m_lopez", "info", "j.doe", "support", "maria.silva")) + random.choice(
        ("", "1", "99", "2024")
    )
    return user, random.choice(("example", "acme", "mail-host", "empresa")) + random.choice(
        (".com", ".org", ".com.br", ".es", ".co")
    )


def _email(value: tuple[str, str], language: str) -> list[Spelling]:
    text = "@".join(value)
    label = {"en": "e-mail: ", "es": "correo: ", "pt": "e-mail: "}[language]
    return _plain(text, text.upper(), text.capitalize(), f"mailto:{text}", f"<{text}>", label + text, f"{text} ")


def _near_emails(value: tuple[str, str], random: Random) -> list[Hashable]:
    user, host = value
    return [
        (user + "1", host),
        (user[1:] or "x", host),
        (user, "x" + host),
        (user, host + ".br"),
        (user.replace(".", "_") + "s", host),
    ]


def _draw_url(random: Random) -> Hashable:
    host = random.choice(("example", "acme", "docs-site", "tienda")) + random.choice(
        (".com", ".org", ".io", ".com.br", ".net")
    )
    path = random.choice(("", "/a", "/Docs/Intro", "/v1/items", "/p/12345", "/produto?id=7", "/a/b.html"))
    return host, path


def _url(value: tuple[str, str], language: str) -> list[Spelling]:
    host, path = value
    end = [path, path + "/"] if "?" not in path and "." not in path else [path]
    found = [
        f"{scheme}{www}{host}{tail}" for scheme in ("https://", "http://", "") for www in ("", "www.") for tail in end
    ]
    return _plain(*found, f"https://{host.upper()}{path}")


def _near_urls(value: tuple[str, str], random: Random) -> list[Hashable]:
    host, path = value
    return [(host, path + "x" if path else "/x"), ("x" + host, path), (host + ".br" if not host.endswith(".br") else host[:-3], path),
            ("sub." + host, path), (host, path[:-1] if len(path) > 2 else "/other"), (host, path + "/2")]  # fmt: skip


# --- phrases around a value ---------------------------------------------------------------------------------------

_THINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "nights": {"en": ("{} nights", "{} nights stay"), "es": ("{} noches",), "pt": ("{} noites", "{} diárias")},
    "people": {"en": ("{} people", "{} persons", "party of {}", "a group of {} people"), "es": ("{} personas", "un grupo de {} personas"), "pt": ("{} pessoas", "um grupo de {} pessoas")},
    "adults": {"en": ("{} adults",), "es": ("{} adultos",), "pt": ("{} adultos",)},
    "children": {"en": ("{} children", "{} kids"), "es": ("{} niños",), "pt": ("{} crianças",)},
    "tickets": {"en": ("{} tickets",), "es": ("{} billetes", "{} boletos"), "pt": ("{} bilhetes", "{} ingressos")},
    "rooms": {"en": ("{} rooms",), "es": ("{} habitaciones",), "pt": ("{} quartos",)},
    "employees": {"en": ("{} employees", "{} staff members"), "es": ("{} empleados",), "pt": ("{} funcionários", "{} empregados")},
}  # fmt: skip


def _draw_count(random: Random) -> Hashable:
    return random.choice(sorted(_THINGS)), random.randrange(2, 60)


def _count(value: tuple[str, int], language: str) -> list[Spelling]:
    thing, number = value
    words = in_words(number, language)
    if words.endswith(("uno", "um", "dois")):
        words = str(number)  # the word depends on the gender of what is counted
    return _plain(*(text.format(one) for text in _THINGS[thing][language] for one in {str(number): 0, words: 0}))


def _near_counts(value: tuple[str, int], random: Random) -> list[Hashable]:
    thing, number = value
    # Who counts people may mean adults; and adults are people, which no list of exclusions says.
    others = [
        other for other in sorted(_THINGS) if {other, thing} not in ({"people", "adults"}, {"people", "children"})
    ]
    found: list[Hashable] = [(other, number) for other in others if other != thing]
    return [*found, (thing, number + 1), (thing, number * 10), (thing, number + 10)]


_MEASURES: dict[str, dict[str, tuple[str, ...]]] = {
    "net revenue": {"en": ("net revenue", "net sales", "revenue net"), "es": ("ingresos netos", "ventas netas"), "pt": ("receita líquida", "vendas líquidas")},
    "gross revenue": {"en": ("gross revenue", "gross sales"), "es": ("ingresos brutos", "ventas brutas"), "pt": ("receita bruta", "vendas brutas")},
    "profit": {"en": ("profit", "profits"), "es": ("ganancias", "beneficios"), "pt": ("lucro", "lucros")},
    "costs": {"en": ("costs", "expenses"), "es": ("costos", "costes", "gastos"), "pt": ("custos", "despesas")},
    "headcount": {"en": ("headcount", "number of employees"), "es": ("número de empleados", "plantilla"), "pt": ("número de funcionários", "quadro de pessoal")},
    "churn": {"en": ("churn rate", "customer churn"), "es": ("tasa de abandono",), "pt": ("taxa de cancelamento",)},
}  # fmt: skip


def _draw_measure(random: Random) -> Hashable:
    return (
        random.choice(sorted(_MEASURES)),
        random.choice(("quarter", "year")),
        random.randrange(2010, 2030),
        random.randrange(1, 5),
    )


def _measure(value: tuple[str, str, int, int], language: str) -> list[Spelling]:
    name, kind, year, n = value
    periods = [one.value for one in _period((kind, year, n if kind == "quarter" else 1), language)]
    periods = [
        text for text in periods if isinstance(text, str) and not text.startswith(("from", "de ", "the", "el ", "o "))
    ]
    found = []
    for at, text in enumerate(periods[:9]):
        for words in _MEASURES[name][language]:
            joint = {"en": ("for", "in"), "es": ("de", "en"), "pt": ("de", "no")}[language][at % 2]
            found.append(f"{words} {joint} {text}")
            if at % 3 == 0:
                found.append(f"{words} {text}" if at % 2 else f"{words}, {text}")
    return _plain(*found)


def _near_measures(value: tuple[str, str, int, int], random: Random) -> list[Hashable]:
    name, kind, year, n = value
    found: list[Hashable] = [(other, kind, year, n) for other in sorted(_MEASURES) if other != name]
    found += [(name, kind, year + 1, n), (name, "year" if kind == "quarter" else "quarter", year, n)]
    return found + ([(name, kind, year, n % 4 + 1)] if kind == "quarter" else [])


_DEADLINES: dict[str, dict[str, tuple[str, ...]]] = {
    "before": {"en": ("before {}", "prior to {}", "earlier than {}"), "es": ("antes del {}", "con anterioridad al {}"), "pt": ("antes de {}",)},
    "after": {"en": ("after {}", "later than {}"), "es": ("después del {}", "con posterioridad al {}"), "pt": ("depois de {}", "após {}")},
    "until": {"en": ("until {}", "by {}", "no later than {}", "on or before {}"), "es": ("hasta el {}", "a más tardar el {}"), "pt": ("até {}", "até o dia {}")},
    "since": {"en": ("since {}", "from {}", "from {} on", "on or after {}", "starting {}"), "es": ("desde el {}", "a partir del {}"), "pt": ("desde {}", "a partir de {}")},
    "on": {"en": ("{}", "on {}"), "es": ("{}", "el {}"), "pt": ("{}", "em {}")},
}  # fmt: skip


def _draw_deadline(random: Random) -> Hashable:
    return random.choice(sorted(_DEADLINES)), _draw_date(random)


def _deadline(value: tuple[str, datetime.date], language: str) -> list[Spelling]:
    way, day = value
    m, d, y = day.month, day.day, day.year
    name = MONTHS[language][m - 1]
    dates = (
        (f"{name} {d}, {y}", f"{d} {name} {y}", day.isoformat())
        if language == "en"
        else (f"{d} de {name} de {y}", f"{d} {name} {y}")
    )
    return _plain(*(text.format(date) for text in _DEADLINES[way][language] for date in dates))


def _near_deadlines(value: tuple[str, datetime.date], random: Random) -> list[Hashable]:
    way, day = value
    found: list[Hashable] = [(other, day) for other in sorted(_DEADLINES) if other != way]
    return [*found, (way, day + datetime.timedelta(1)), (way, day + datetime.timedelta(31))]


_CITIES: dict[str, dict[str, str]] = {
    "London": {"es": "Londres", "pt": "Londres"}, "Paris": {"es": "París"}, "New York": {"es": "Nueva York", "pt": "Nova York"},
    "Lisbon": {"es": "Lisboa", "pt": "Lisboa"}, "Mexico City": {"es": "Ciudad de México", "pt": "Cidade do México"},
    "Rome": {"es": "Roma", "pt": "Roma"}, "Madrid": {}, "Chicago": {}, "Boston": {}, "Lima": {}, "Tokyo": {"es": "Tokio", "pt": "Tóquio"},
}  # fmt: skip


def _draw_route(random: Random) -> Hashable:
    return tuple(random.sample(sorted(_CITIES), 2))


def _route(value: tuple[str, str], language: str) -> list[Spelling]:
    a, b = (_CITIES[city].get(language, city) for city in value)
    texts = {
        "en": ("from {} to {}", "{} to {}", "{} - {}", "{} → {}", "flight from {} to {}", "to {1} from {0}", "departing {} and arriving in {}"),
        "es": ("de {} a {}", "desde {} hasta {}", "{} - {}", "{} → {}", "vuelo de {} a {}", "a {1} desde {0}"),
        "pt": ("de {} para {}", "de {} a {}", "{} - {}", "{} → {}", "voo de {} para {}", "para {1} saindo de {0}"),
    }[language]  # fmt: skip
    return _plain(*(text.format(a, b) for text in texts))


def _near_routes(value: tuple[str, str], random: Random) -> list[Hashable]:
    a, b = value
    other = random.choice([city for city in sorted(_CITIES) if city not in value])
    return [(b, a), (a, other), (other, b)]


# --- lists and objects --------------------------------------------------------------------------------------------


def _draw_list(random: Random) -> Hashable:
    return tuple(sorted(random.sample(sorted(_COUNTRIES), random.randrange(2, 5))))


def _list(value: tuple[str, ...], language: str) -> list[Spelling]:
    names = [_COUNTRIES[code][language][0] for code in value]
    joint = {"en": "and", "es": "y", "pt": "e"}[language]
    if language == "es" and names[0].startswith(("I", "Hi")):
        joint = "e"
    turned = names[::-1]
    found: list[Any] = [names, turned, json.dumps(names), ", ".join(names), "; ".join(turned), "\n".join(names)]
    if (
        len(names) > 1
        and not names[0].startswith(("Repu", "Repú"))
        and not (language == "es" and any(name[0] == "I" for name in names))
    ):
        found += [f"{', '.join(turned[:-1])} {joint} {turned[-1]}"]
    found.append([_COUNTRIES[code][language][-1] for code in value])
    return _plain(*found)


def _near_lists(value: tuple[str, ...], random: Random) -> list[Hashable]:
    others = [code for code in sorted(_COUNTRIES) if code not in value]
    more = random.choice(others)
    return [value[1:], tuple(sorted((*value, more))), tuple(sorted((*value[1:], more)))]


_FIELDS: tuple[tuple[str, str], ...] = (
    ("amount", "money"),
    ("date", "date"),
    ("count", "number"),
    ("country", "country"),
)


def _draw_object(random: Random) -> Hashable:
    names = sorted(random.sample([name for name, _ in _FIELDS], random.randrange(1, 4)))
    kinds = dict(_FIELDS)
    return tuple((name, KINDS[kinds[name]].draw(random)) for name in names)


def _object(value: tuple[tuple[str, Any], ...], language: str) -> list[Spelling]:
    kinds = dict(_FIELDS)
    found = []
    spelled = {name: KINDS[kinds[name]].spell(one, language) for name, one in value}
    for at in range(0, 40, 7):
        parts = {name: one[(at * 3 + len(name)) % len(one)] for name, one in spelled.items()}
        is_shy = any(one.is_shy for one in parts.values())
        body = {name: one.value for name, one in parts.items()}
        found.append(Spelling(dict(reversed(body.items())) if at % 2 else body, is_shy))
        if at == 14:
            found.append(Spelling(json.dumps(body, ensure_ascii=False), is_shy))
    return found


def _near_objects(value: tuple[tuple[str, Any], ...], random: Random) -> list[Hashable]:
    kinds = dict(_FIELDS)
    at = random.randrange(len(value))
    name, one = value[at]
    others = [(*value[:at], (name, other), *value[at + 1 :]) for other in KINDS[kinds[name]].near(one, random)]
    return [*others[:4], value[1:]] if len(value) > 1 else list(others[:4])


def _table(name: str, table: dict[Any, dict[str, tuple[Any, ...]]], field: str = "") -> Kind:
    keys = list(table)

    def draw(random: Random) -> Hashable:
        key: Hashable = random.choice(keys)
        return key

    def spell(value: Any, language: str) -> list[Spelling]:
        return _plain(*table[value][language])

    def near(value: Any, random: Random) -> list[Hashable]:
        return [other for other in keys if other != value]

    return Kind(name, draw, spell, near, field)


def _draw_day_of_year(random: Random) -> Hashable:
    day = _draw_date(random)
    return day.month, day.day


def _near_days_of_year(value: tuple[int, int], random: Random) -> list[Hashable]:
    m, d = value
    found: set[tuple[int, int]] = {(m, d + 1), (m, d - 1), (m % 12 + 1, d), (m, d + 10), (d, m)}
    return [one for one in sorted(found) if one != value and 1 <= one[0] <= 12 and 1 <= one[1] <= 28]


# --- moves, shares, recurring days, doses ------------------------------------------------------------------------

# fmt: off
_MOVED = {
    ("en", 1): ("up {}%", "{}% increase", "an increase of {}%", "rose by {}%", "+{}%", "grew {}%", "{}% higher"),
    ("en", -1): ("down {}%", "{}% decrease", "a drop of {}%", "fell by {}%", "-{}%", "declined {}%", "{}% lower"),
    ("es", 1): ("subió un {}%", "aumento del {}%", "alza del {}%", "+{}%", "creció un {}%", "incremento de {}%"),
    ("es", -1): ("bajó un {}%", "caída del {}%", "descenso del {}%", "-{}%", "disminuyó un {}%", "reducción del {}%"),
    ("pt", 1): ("alta de {}%", "subiu {}%", "aumento de {}%", "+{}%", "cresceu {}%"),
    ("pt", -1): ("queda de {}%", "caiu {}%", "redução de {}%", "-{}%", "recuo de {}%", "diminuiu {}%"),
}
_OUT_OF = {
    "en": ("{} out of {}", "{} in every {}", "{} out of every {}"),
    "es": ("{} de cada {}", "{} de {}"),
    "pt": ("{} em cada {}", "{} de {}"),
}
_NTHS = {
    "en": ("first", "second", "third", "fourth"), "es": ("primer", "segundo", "tercer", "cuarto"),
    "pt": ("primeiro", "segundo", "terceiro", "quarto"),
}
_PT_NTHS = ("primeira", "segunda", "terceira", "quarta")
# fmt: on


def _draw_move(random: Random) -> Hashable:
    return random.randrange(1, 60), random.choice((1, -1))


def _move(value: tuple[int, int], language: str) -> list[Spelling]:
    size, way = value
    return _plain(*(text.format(size) for text in _MOVED[language, way]))


def _near_moves(value: tuple[int, int], random: Random) -> list[Hashable]:
    size, way = value
    return [(size, -way), (size + 1, way), (size * 10, way)]


def _draw_share(random: Random) -> Hashable:
    whole = random.choice((3, 4, 5, 8, 10))
    return random.randrange(1, whole), whole


def _share(value: tuple[int, int], language: str) -> list[Spelling]:
    part, whole = value
    texts = [text.format(part, whole) for text in _OUT_OF[language]]
    texts += [
        text.format(in_words(part, language), in_words(whole, language)) for text in _OUT_OF[language] if part > 1
    ]
    return _plain(*texts, f"{part}/{whole}")


def _near_shares(value: tuple[int, int], random: Random) -> list[Hashable]:
    part, whole = value
    others = ((part + 1, whole), (part, whole * 10), (part, whole + 1))
    return [(a, b) for a, b in others if a < b and Fraction(a, b) != Fraction(part, whole)]


def _draw_nth_day(random: Random) -> Hashable:
    return random.randrange(4), random.randrange(7)


def _nth_day(value: tuple[int, int], language: str) -> list[Spelling]:
    nth, day = value
    name = WEEKDAYS[language][day]
    number = _NTHS[language][nth] if language != "pt" or day > 4 else _PT_NTHS[nth]
    if language == "en":
        return _plain(
            f"{number} {name} of the month", f"the {number} {name} of each month", f"every {number} {name} of the month"
        )
    if language == "es":
        return _plain(f"el {number} {name} de cada mes", f"{number} {name} del mes", f"cada {number} {name} del mes")
    article = "o" if day > 4 else "a"
    return _plain(f"{article} {number} {name} de cada mês", f"{number} {name} do mês")


def _near_nth_days(value: tuple[int, int], random: Random) -> list[Hashable]:
    nth, day = value
    return [((nth + 1) % 4, day), (nth, (day + 1) % 7)]


def _draw_dose(random: Random) -> Hashable:
    return random.choice((50, 250, 500, 1000)), random.choice((4, 6, 8, 12))


def _dose(value: tuple[int, int], language: str) -> list[Spelling]:
    size, hours = value
    times = 24 // hours
    if language == "en":
        often = (f"every {hours} hours", f"every {hours} h", f"q{hours}h", f"{times} times a day", f"{times}x/day")
    elif language == "es":
        often = (f"cada {hours} horas", f"cada {hours} h", f"c/{hours}h", f"{times} veces al día", f"{times} veces/día")
    else:
        often = (
            f"a cada {hours} horas",
            f"de {hours} em {hours} horas",
            f"{hours}/{hours}h",
            f"{times} vezes ao dia",
            f"{times}x ao dia",
        )
    return _plain(*(f"{size} mg {one}" for one in often))


def _near_doses(value: tuple[int, int], random: Random) -> list[Hashable]:
    size, hours = value
    return [*((size, other) for other in (4, 6, 8, 12) if other != hours), (size * 10, hours)]


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("number", _draw_number, number_spellings, near_numbers),
        Kind("percent", _draw_percent, _percent, near_numbers),
        Kind("money", _draw_money, _money, _near_money),
        Kind("bound", _draw_bound, _bound, _near_bounds),
        Kind("date", _draw_date, _date, _near_dates),
        Kind("day of year", _draw_day_of_year, _day_of_year, _near_days_of_year),
        Kind("time", _draw_time, _time, _near_times),
        Kind("instant", _draw_instant, _instant, _near_instants),
        *(Kind(name, _drawer(name), _quantity, _near_quantities) for name in _UNITS),
        Kind("period", _draw_period, _period, _near_periods),
        _table("relative", _RELATIVE),
        _table("recurrence", _RECURRENCE),
        Kind("id", _draw_id, _id, _near_ids, "order_id"),
        Kind("phone", _draw_phone, _phone, _near_phones),
        Kind("email", _draw_email, _email, _near_emails),
        Kind("url", _draw_url, _url, _near_urls),
        Kind("count", _draw_count, _count, _near_counts),
        Kind("measure", _draw_measure, _measure, _near_measures),
        Kind("deadline", _draw_deadline, _deadline, _near_deadlines),
        Kind("route", _draw_route, _route, _near_routes),
        Kind("move", _draw_move, _move, _near_moves),
        Kind("share", _draw_share, _share, _near_shares),
        Kind("nth weekday", _draw_nth_day, _nth_day, _near_nth_days),
        Kind("dose", _draw_dose, _dose, _near_doses),
        _table("boolean", _BOOLEANS),
        _table("country", _COUNTRIES),
        _table("currency", _MONIES, "currency"),
        _table("language", _TONGUES, "language"),
        _table("airport", _AIRPORTS),
        Kind("list", _draw_list, _list, _near_lists),
        Kind("object", _draw_object, _object, _near_objects),
    )
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two spellings, whether they mean the same, and the language to give: empty where they are of two languages."""

    kind: str
    a: Any
    b: Any
    is_same: bool
    language: str
    spoken: str
    field: str = ""


def pairs(kind: Kind, random: Random) -> Iterator[Pair]:
    """Pairs of one canonical value and of near misses, in one language and across two."""
    value = kind.draw(random)
    spoken = random.choice(LANGUAGES)
    other = random.choice([language for language in LANGUAGES if language != spoken])
    near = random.choice(kind.near(value, random) or [None])
    # Half of the pairs of one language come without its name.
    for a_language, b_language, given in ((spoken, spoken, spoken), (spoken, spoken, ""), (spoken, other, "")):
        name = spoken if a_language == b_language else "across"
        mine = [one.value for one in kind.spell(value, a_language) if given or not one.is_shy]
        theirs = [one.value for one in kind.spell(value, b_language) if given or not one.is_shy]
        if not mine or not theirs:
            continue
        a, b = random.choice(mine), random.choice(theirs)
        if a != b or type(a) is not type(b):
            yield Pair(kind.name, a, b, True, given, name, kind.field)
        if near is None:
            continue
        wrong = [one.value for one in kind.spell(near, b_language) if given or not one.is_shy]
        if wrong:
            yield Pair(kind.name, a, random.choice(wrong), False, given, name, kind.field)


# --- further classes, each written out --------------------------------------------------------------------------------

# fmt: off
# Ways to write one value, in any of the languages, and values that are others.
FURTHER: tuple[tuple[str, str], ...] = (
    ("$5 to $10 | $5-$10 | between $5 and $10 | from $5 to $10 | 5-10 dollars | USD 5–10",
     "$5 to $15 | $5 | €5-€10 | 5-10%"),
    ("$1,000-$2,000 | between $1,000 and $2,000 | $1k-$2k | $1k to $2k",
     "$1,000-$20,000 | $100-$2,000"),
    ("May 3-7, 2025 | May 3 to May 7, 2025 | 3-7 May 2025 | 2025-05-03 to 2025-05-07 | from May 3, 2025 to May 7, 2025 | 2025-05-03/2025-05-07 | 3 al 7 de mayo de 2025 | del 3 al 7 de mayo de 2025 | de 3 a 7 de maio de 2025",
     "May 3-8, 2025 | May 2-7, 2025 | May 3, 2025 | June 3-7, 2025"),
    ("9 am to 5 pm | 9-5pm | 9:00-17:00 | from 9am to 5pm | 09:00 to 17:00 | 9:00 AM - 5:00 PM | de 9 a 17 h | das 9h às 17h | de 9:00 a 17:00",
     "9 am to 6 pm | 9 pm to 5 am | 10:00-17:00"),
    ("1/2 | half | one half | 0.5 | 50% | a half | la mitad | um meio",
     "1/3 | 2 | 1.5"),
    ("3/4 | three quarters | 0.75 | 75% | three fourths | tres cuartos | três quartos",
     "1/4 | 4/3"),
    ("2/3 | two thirds | two-thirds | dos tercios | dois terços",
     "3/2 | 1/3"),
    ("1.5 | one and a half | 1 1/2 | 1½ | uno y medio | um e meio",
     "2.5 | 1.25 | 15"),
    ("21st | twenty-first | 21º | vigésimo primero | 21.º",
     "21 | 22nd | twentieth"),
    ("3rd | third | tercero | terceiro | 3º",
     "2nd | thirteenth"),
    ("$20 per hour | $20/hour | $20 an hour | $20/hr | 20 dollars per hour | $20 hourly | 20 dólares por hora | US$20/h",
     "$20 per day | $20 | $200 per hour | $20/month"),
    ("100 km/h | 100 kilometers per hour | 100 kph | 100 kilómetros por hora | 100 quilômetros por hora",
     "100 mph | 100 m/s | 10 km/h"),
    ("10 x 20 cm | 10cm x 20cm | 10 by 20 cm | 10×20 cm | 10 cm by 20 cm | 10 por 20 cm",
     "10 x 20 in | 10 x 30 cm | 20 x 20 cm"),
    ("2:1 | 2 to 1 | ratio of 2 to 1",
     "1:2 | 2:3"),
    ("-$500 | ($500) | minus $500 | $-500 | −$500 | negative 500 dollars",
     "$500 | $50"),
    ("+5% | up 5% | 5% increase | increase of 5% | 5% growth | aumento del 5% | aumento de 5%",
     "-5% | down 5% | 5% decrease | 15% increase"),
    ("down 3% | 3% decrease | -3% | decline of 3% | drop of 3%",
     "up 3% | 3% increase | -30%"),
    ("5-year-old | 5 years old | aged 5 | five years old | 5 yo | age 5 | 5 años | 5 anos",
     "15 years old | 5 months old | 50 years old"),
    ("1990s | the 90s | the nineties | the 1990s | los años 90 | anos 90 | década de 1990",
     "1980s | 1990 | the 1890s"),
    ("19th century | nineteenth century | the 1800s | siglo XIX | século XIX",
     "20th century | 18th century | 1900s"),
    ("3pm ET | 3:00 PM Eastern | 15:00 Eastern Time | 3 p.m. ET",
     "3pm PT | 3am ET | 4pm ET"),
    ("192.168.0.1 | 192.168.0.1 | IP 192.168.0.1",
     "192.168.0.10 | 192.168.1.0 | 192.168.0.2"),
    ("550e8400-e29b-41d4-a716-446655440000 | 550E8400-E29B-41D4-A716-446655440000 | 550e8400e29b41d4a716446655440000",
     "550e8400-e29b-41d4-a716-446655440001 | 550e8400-e29b-41d4-a176-446655440000"),
    ("#FF0000 | #ff0000",
     "#FF000 | #FF0001 | #F00000"),
    ("4111 1111 1111 1234 | 4111111111111234 | 4111-1111-1111-1234",
     "4111 1111 1111 1243 | 4111 1111 1111 1235"),
    ("978-3-16-148410-0 | 9783161484100 | ISBN 978-3-16-148410-0",
     "978-3-16-148410-1 | 978-3-16-184410-0"),
    ("SW1A 1AA | sw1a 1aa | SW1A1AA",
     "SW1A 1AB | SW1A 2AA"),
    ("94103 | ZIP 94103",
     "94130 | 94013"),
    ("v2.10.0 | 2.10.0 | version 2.10.0 | Version 2.10",
     "v2.1.0 | 2.10.1"),
    ("/home/user/file.txt | /home/user/file.txt",
     "/home/user/File2.txt | /home/user/file.csv | /home/users/file.txt"),
    ("@jdoe | jdoe | @JDoe",
     "@jdoes | @jode"),
    ("4.5 stars | 4.5/5 | 4.5 out of 5 | 4.5-star | 4,5 estrellas | 4,5 estrelas",
     "4 stars | 5 stars | 4.5/10"),
    ("5 out of 10 | 5/10 | 5 of 10",
     "5/100 | 10/5 | 6/10"),
    ("+1 (555) 010-2030 ext. 12 | +1 555 010 2030 x12 | +15550102030 ext 12",
     "+1 (555) 010-2030 ext. 21 | +1 (555) 010-2031 ext. 12"),
    ("40.7128, -74.0060 | 40.7128,-74.0060 | (40.7128, -74.0060) | 40.7128° N, 74.0060° W",
     "40.7128, 74.0060 | -40.7128, -74.0060 | 40.7182, -74.0060"),
    ("37.5°C | 37,5 °C | 99.5°F | 37.5 degrees Celsius | 37.5 C",
     "37.5°F | 35.7°C | -37.5°C"),
    ("120/80 mmHg | 120/80",
     "80/120 | 120/85 | 130/80"),
    ("2 tbsp | 2 tablespoons | two tablespoons | 2 cucharadas | 2 colheres de sopa",
     "2 tsp | 2 cups | 3 tbsp"),
    ("1 dozen | 12 | a dozen | twelve | una docena | uma dúzia",
     "2 dozen | 10 | 20"),
    ("twice | 2 times | two times | dos veces | duas vezes",
     "once | three times"),
    ("every 15 minutes | each 15 minutes | every quarter of an hour | cada 15 minutos | a cada 15 minutos",
     "every 50 minutes | every 15 hours | every 5 minutes"),
    ("first Monday of the month | the first Monday of each month | 1st Monday of every month | el primer lunes de cada mes | primeira segunda-feira do mês",
     "last Monday of the month | first Tuesday of the month | second Monday of the month"),
    ("end of month | EOM | last day of the month | month end | fin de mes | fim do mês",
     "beginning of month | end of year | mid-month"),
    ("Christmas 2024 | December 25, 2024 | 25/12/2024 | Christmas Day 2024 | Navidad de 2024 | Natal de 2024",
     "December 24, 2024 | Christmas 2023"),
    ("10 GB | 10 gigabytes | 10GB | 10,000 MB",
     "10 GiB | 10 Gb | 10 TB | 100 GB"),
    ("100 Mbps | 100 Mbit/s | 100 megabits per second | 0.1 Gbps",
     "100 MBps | 100 MB/s | 10 Mbps"),
    ("5 MW | 5 megawatts | 5000 kW",
     "5 mW | 5 kW | 5 MWh"),
    ("250 kcal | 250 kilocalories",
     "250 kJ | 25 kcal"),
    ("6 feet 2 inches | 6'2\" | 6 ft 2 in | 188 cm | 1.88 m | 74 inches",
     "6'3\" | 6'12\" | 62 inches | 1.78 m"),
    ("1h30 | 90 min | 1:30 h | 1 hr 30 min | an hour and a half | 1.5 h",
     "1:30 pm | 130 min | 1h13"),
    ("two weeks | 14 days | fortnight | 2 weeks | dos semanas | quince días | duas semanas",
     "two months | 12 days | 10 business days"),
    ("1 year | 12 months | one year | a year | un año | um ano",
     "1 month | 10 months | 13 months"),
    ("$1.2M | 1.2 million dollars | $1,200,000 | USD 1.2 million | 1,200,000 USD",
     "$1.2B | $12M | $120,000 | €1.2M"),
    ("₹5 lakh | 500,000 rupees | INR 500,000 | 5 lakh rupees | Rs 5,00,000",
     "₹50 lakh | ₹5 crore | $500,000"),
    ("1.000.000 de pesos | un millón de pesos | $1.000.000 pesos | 1 millón de pesos",
     "1.000 pesos | 1.000.000 de euros"),
    ("R$ 1.234,56 | 1234,56 reais | BRL 1234.56 | mil duzentos e trinta e quatro reais e cinquenta e seis centavos",
     "R$ 1.234,65 | R$ 123.456 | US$ 1.234,56"),
    ("five hundred dollars and fifty cents | $500.50 | 500.50 USD | 500 dollars 50 cents",
     "$500.05 | $550"),
    ("a couple of days | 2 days | two days | un par de días",
     "a few days | 3 days"),
    ("Monday, Wednesday and Friday | Mon/Wed/Fri | MWF | lunes, miércoles y viernes | segunda, quarta e sexta | Mon, Wed, Fri",
     "Monday, Tuesday and Friday | Mon/Wed | Monday to Friday"),
)
# fmt: on


def further() -> Iterator[tuple[str, str, bool]]:
    """Pairs of the further classes, and whether they mean the same."""
    for row in FURTHER:
        same, others = (text.split(" | ") for text in row)
        yield from ((a, b, True) for at, a in enumerate(same) for b in same[at + 1 :])
        yield from ((a, b, False) for a in same for b in others)
