"""Comparing values: what means the same, what never does, what is left open, and that nothing makes it raise."""

# ruff: noqa: E501  tables of pairs

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from evaluation.evaluators.embedded.layers.wholes import truth_of
from evaluation.evaluators.embedded.model import Judged
from evaluation.evaluators.embedded.values import compare_values, text_elements
from evaluation.evaluators.embedded.vocabulary import STANDARD
from tests.shared_data import shared

EQUAL = [
    ("en", True, "yes"), ("es", "sí", True), ("pt", "falso", "não"),
    ("en", "1,000,000", "one million"), ("en", "2.5k", 2500), ("en", "half a million", "500,000"), ("en", "1e3", 1000),
    ("es", "3,5 millones", 3500000), ("es", "dos mil quinientos", "2.500"), ("pt", "mil e quinhentos", "1500"),
    ("en", "minus 5", -5), ("en", "up to 5", "at most 5"), (">100".replace(">100", "en"), ">100", "more than 100"),
    ("es", "entre 5 y 10", "5-10"), ("pt", "pelo menos 10", "no mínimo 10"), ("en", "fifty percent", "50%"),
    ("en", "$5.99", "5.99 USD"), ("en", "1.2bn USD", "$1,200,000,000"), ("en", "99 cents", "$0.99"),
    ("es", "mil euros", "1.000 €"), ("pt", "50 mil reais", "R$ 50.000"), ("pt", "R$ 3,5 mi", "R$ 3.500.000,00"),
    ("en", "$1,200", 1200.0),
    ("en", "2024-03-05", "March 5th, 2024"), ("en", "2024-03-05", "3/5/24"), ("en", "2024-03-05", "20240305"),
    ("es", "el 5 de marzo del 2024", "05/03/2024"), ("pt", "terça-feira, 5 de março de 2024", "2024-03-05"),
    ("en", "March 2024", "2024-03"), ("es", "marzo de 2024", "03/2024"), ("en", "FY24 Q2", "Q2 FY2024"),
    ("en", "January to March 2024", "Q1 2024"), ("pt", "segundo trimestre de 2023", "2T23"),
    ("en", "third quarter revenue figures for 2024", "Q3 2024 revenue"), ("es", "primer semestre de 2024", "S1 2024"),
    ("es", "el mes pasado", "el último mes"), ("pt", "ontem", "yesterday"), ("es", "hace 3 días", "3 days ago"),
    ("es", "el próximo lunes", "next Monday"), ("en", "every Monday", "Mondays"), ("es", "cada dos semanas", "every 2 weeks"),
    ("en", "3 in the afternoon", "15:00"), ("en", "half past three in the afternoon", "15:30"), ("pt", "15h30", "15:30"),
    ("en", "2025-07-04T09:30:00-05:00", "2025-07-04T14:30:00Z"),
    ("en", "2h 30m", "150 minutes"), ("es", "dos horas y media", "150 minutos"), ("en", "1 year", "12 months"),
    ("en", "10 miles", "16.09 km"), ("en", "98.6°F", "37 °C"), ("en", "6'2\"", "6 ft 2 in"), ("en", "100 mg", "0.1 g"),
    ("en", "square feet", "ft^2"),
    ("en", "BRA", "Brazil"), ("es", "Alemania", "Germany"), ("pt", "EUA", "Estados Unidos"), ("en", "CHF", "Swiss franc"),
    ("en", "en-US", "American English"), ("en", "SFO", "San Francisco International Airport"),
    ("en", "Seattle, WA", "Seattle, Washington"), ("en", "Austin, TX, USA", "Austin, Texas"),
    ("en", "Asia/Tokyo", "Tokyo"),
    ("en", "123 Main Street, Suite 500", "123 Main St, Ste 500"), ("es", "C/ Mayor, 12", "Calle Mayor 12"),
    ("en", "Smith, John", "John Smith"), ("pt", "Dra. Ana Souza", "Ana Souza"), ("es", "Telefónica S.A.", "Telefónica"),
    ("en", "R&D", "research and development"), ("es", "RRHH", "Recursos Humanos"), ("en", "WW2", "World War II"),
    ("en", "JANE@EXAMPLE.COM", "jane@example.com"), ("en", "+44 20 7946 0958", "020 7946 0958"),
    ("en", "example.com", "https://www.example.com/"), ("en", "git@github.com:a/b.git", "https://github.com/a/b"),
    ("en", "invoice INV-00123", "INV-00123"), ("es", "pedido 5567", "#5567"), ("en", "version 3.2", "v3.2"),
    ("en", "ONE_WAY", "one-way"), ("en", "colour", "color"), ("en", "apples, oranges", "oranges and apples"),
    ("es", "lunes y miércoles", ["miércoles", "lunes"]), ("en", '{"x": "1"}', {"x": 1}), ("en", [1, 2, 3], ["3", "1", "2"]),
    ("en", {"city": "NYC", "nights": 2}, {"nights": "2", "city": "New York City"}),
    ("en", "growth in revenue", "revenue growth"), ("en", "unpaid invoices", "invoices not paid"),
    ("en", "flight from Paris to Rome", "Paris-Rome flight"), ("es", "restablecer la contraseña", "restablecimiento de contraseña"),
    ("en", "1/2 cup", "half a cup"), ("es", "1 de junio de 2024 a las 14:00", "2024-06-01T14:00"), ("en", "Christmas Day 2024", "2024-12-25"),
    ("en", "$20 an hour", "20 dollars per hour"), ("en", "5 foot 11", "5'11\""), ("en", "the year 2024", "2024"), ("es", "medio millón", 500000),
    ("en", "Cancelled Orders", "cancelled order"), ("en", "Orthopedics", "orthopaedic"), ("en", "health care", "healthcare"), ("en", "'San Jose'", "San Jose"),
]  # fmt: skip

DIFFERENT = [
    ("en", True, "no"), ("pt", "sim", "não"),
    ("en", "1,200", "12,00"), ("en", "1.5", "15"), ("en", "34M", "34"), ("es", "dos", "doce"), ("pt", "sessenta", "setenta"),
    ("en", "12", 1.2), ("en", "-4.5", "4.5"), ("en", "at least 5", "at most 5"), ("en", "5-10", "5-15"), ("en", "0.5%", "5%"),
    ("en", "$1,200", "€1,200"), ("en", "$1.5m", "$1.5k"), ("pt", "R$ 1.000,00", "R$ 10.000,00"), ("en", "CAD 50", "AUD 50"),
    ("es", "1.000 €", "1.000,50 €"), ("en", "$100", 1000),
    ("en", "2024-03-05", "2024-05-03"), ("es", "05/03/2024", "2024-05-03"), ("en", "March 5", "March 15"),
    ("pt", "segunda-feira", "terça-feira"), ("en", "Q1 2024", "Q4 2024"), ("en", "H1 2024", "Q1 2024"),
    ("en", "last month", "next month"), ("en", "last 7 days", "last 7 weeks"), ("es", "anteayer", "ayer"),
    ("en", "weekly", "biweekly"), ("en", "9am", "9pm"), ("es", "las 7 de la mañana", "las 7 de la tarde"),
    ("en", "2 hours", "2 minutes"), ("es", "dos horas", "dos días"), ("en", "10 mg", "10 g"), ("en", "10 mg", "10 ml"),
    ("en", "20°C", "20°F"), ("en", "5 km", "5 miles"), ("en", "10 kg", "22 kg"),
    ("en", "Niger", "Nigeria"), ("pt", "Suíça", "Suécia"), ("en", "es-MX", "es-ES"), ("en", "JFK", "LaGuardia Airport"),
    ("en", "Paris, France", "Paris, Texas"), ("en", "Kansas City, MO", "Kansas City, KS"),
    ("en", "123 Main St", "132 Main St"), ("en", "Apt 3A", "Apt 3B"), ("en", "Mary Jones", "Mark Jones"),
    ("es", "Lucía Fernández", "Lucio Fernández"), ("en", "John Smith", "John Smythe"),
    ("en", "jane.doe@example.com", "janedoe@example.com"), ("en", "+1 212 555 0100", "+1 212 555 0101"),
    ("en", "example.com/a", "example.com/b"), ("en", "INV-00123", "INV-00132"), ("en", "007", "7"), ("en", "v3.2", "v3.20"),
    ("en", "ZFA04Y", "ZFAO4Y"), ("en", "12345678901234567890", "12345678901234567891"),
    ("en", ["a", "b"], ["a", "c"]), ("en", [1, 1, 2], [1, 2]), ("en", {"x": 1}, {"y": 1}),
    ("en", {"from": "BOS", "to": "DEN"}, {"from": "DEN", "to": "BOS"}),
    ("en", "net revenue", "gross revenue"), ("es", "ingresos netos", "ingresos brutos"),
    ("en", "flights to Rome", "flights from Rome"), ("en", "convert dollars to euros", "convert euros to dollars"),
    ("pt", "voos de Lisboa para o Porto", "voos do Porto para Lisboa"),
    ("en", "customers who churned", "customers who did not churn"), ("en", "price with taxes", "price without taxes"),
    ("en", "gift", "gift card"), ("en", "Oliver Grant", "Olivia Grant"), ("en", "total number of orders", "total number of customers"),
    ("en", "3 red and 2 blue", "2 red and 3 blue"), ("en", "2 adults, 1 child", "1 adult, 2 children"),
    ("en", "16 GB", "16 Gb"), ("en", "C", "C++"), ("en", "room 101", "room 110"), ("en", "Team A beat Team B", "Team B beat Team A"),
    ("en", "replace A with B", "replace B with A"), ("en", "assistant manager", "manager"), ("es", "habitación doble", "habitación"),
    ("en", None, 0), ("en", None, "Paris"),
]  # fmt: skip


def both_ways(language: str, a: Any, b: Any, **options: Any) -> Judged:
    """The verdict, which must not hang on the order."""
    there, back = (compare_values(x, y, language=language, **options) for x, y in ((a, b), (b, a)))
    assert (there.is_equal, there.is_sure, there.score) == (back.is_equal, back.is_sure, back.score)
    return there


@pytest.mark.parametrize(("language", "a", "b"), EQUAL, ids=repr)
def test_means_the_same_for_sure(language: str, a: Any, b: Any) -> None:
    judged = both_ways(language, a, b)
    assert judged.is_equal, judged
    assert judged.is_sure, judged
    assert judged.score == 1
    assert judged.sentence.endswith(".")


@pytest.mark.parametrize(("language", "a", "b"), DIFFERENT, ids=repr)
def test_means_something_else(language: str, a: Any, b: Any) -> None:
    judged = both_ways(language, a, b)
    assert not judged.is_equal, judged
    assert judged.score < Fraction(1, 2)
    assert judged.sentence.endswith(".")


OPEN = [
    ("en", "March 4", "2025-03-04", "year"),
    ("en", "J. Park", "Ji Park", "initial"),
    ("en", "15%", 15, "a JSON number may be percent"),
    ("en", "Cristiano Ronaldo", "Ronaldo", "extra word"),
    ("en", "refund", "full refund", "extra word"),
    ("en", "$100", "CAD 100", "which dollars"),
    ("", "10/09/2024", "2024-09-10", "order of day and month"),
    ("en", None, "none", "a word for null"),
    ("en", "network team", "infrastructure crew", "words that no list knows"),
]


@pytest.mark.parametrize(("language", "a", "b", "why"), OPEN, ids=repr)
def test_what_cannot_be_decided_is_not_sure(language: str, a: Any, b: Any, why: str) -> None:
    judged = both_ways(language, a, b)
    assert not judged.is_sure, (why, judged)
    assert 0 < judged.score < 1 or judged.score == 0
    assert (judged.score >= Fraction(1, 2)) == judged.is_equal


def test_a_language_orders_day_and_month() -> None:
    assert both_ways("es", "09/10/2024", "2024-10-09").is_equal
    assert not both_ways("en", "09/10/2024", "2024-10-09").is_equal


def test_the_fields_name_is_neutral() -> None:
    assert both_ways("en", "Halvorsen", "Halvorsen Museum", field="museum_name").is_sure
    assert not both_ways("en", "Halvorsen", "Halvorsen Museum").is_sure


def test_the_projects_word_is_final() -> None:
    own = STANDARD.extended(
        {
            "equal": [{"terms": ["Plan B", "backup plan"]}],
            "different": [{"terms": ["NYC", "New York City"], "field": "city"}],
        }
    )
    assert both_ways("en", "plan b", "Backup Plan", vocabulary=own).is_sure
    assert not both_ways("en", "NYC", "New York City", vocabulary=own, field="city").is_equal
    assert both_ways("en", "NYC", "New York City", vocabulary=own, field="town").is_equal


class _Alike:
    name = "alike"

    def similarity(self, a: str, b: str) -> float:
        return 0.99


def test_an_embedding_guesses_only_what_is_open() -> None:
    guessed = both_ways("en", "network team", "infrastructure crew", embedding=_Alike())
    assert guessed.is_equal
    assert not guessed.is_sure
    assert "alike" in guessed.notes[-1]
    assert not both_ways("en", "Anderson", "Wilson", embedding=_Alike()).is_equal
    assert not both_ways("en", "$1,200", "€1,200", embedding=_Alike()).is_equal
    assert not both_ways("en", "net revenue", "gross revenue", embedding=_Alike()).is_equal


def _number_texts(rng: random.Random) -> list[str]:
    digits = rng.randint(1, 99_999)
    return [f"{digits}", f"{digits:,}", f"{digits / 100:.2f}", f"{digits}.5", f"-{digits}", f"0{digits}", f"{digits}0"]


@pytest.mark.parametrize("shape", ["{}", "${}", "{} kg", "{}%", "{} EUR", "INV-{}", "{} days"])
def test_other_digits_are_never_equal(shape: str) -> None:
    rng = random.Random(shape)
    for _ in range(30):
        texts = _number_texts(rng)
        for a in texts:
            for b in texts:
                if a != b:
                    assert not compare_values(shape.format(a), shape.format(b), language="en").is_equal or _same(
                        shape, a, b
                    ), (a, b)


def _same(shape: str, a: str, b: str) -> bool:
    """Whether two of the spellings above are one number. Alone or in an id, a leading zero tells them apart."""
    if shape in ("{}", "INV-{}") and "0" in (a[0], b[0]):
        return False
    return float(a.replace(",", "")) == float(b.replace(",", ""))


@pytest.mark.parametrize(
    "unit",
    ["mg", "kg", "lb", "ml", "l", "km", "miles", "GB", "MB", "hours", "minutes", "days", "months", "USD", "EUR", "%"],
)
def test_other_units_are_never_equal(unit: str) -> None:
    for other in ("g", "oz", "gal", "m", "yards", "TB", "KB", "seconds", "weeks", "years", "GBP", "MXN"):
        assert not compare_values(f"10 {unit}", f"10 {other}", language="en").is_equal, (unit, other)


ODD = [
    "", " ", "\ud800", "\x00", "١٢ days", "9" * 5_000, "a@" * 900, "{" * 500, "[1, 2", "e" * 3_999, float("nan"), float("inf"),
    10**400, -0.0, [], {}, [[]], {"": ""}, "½ ½", "Q9 2024", "2024-02-30", "99:99", "1/0", "--5", "İstanbul", "%", "$", "#", "'",
]  # fmt: skip


def test_nothing_makes_it_raise() -> None:
    for a in ODD:
        for b in ODD:
            judged = both_ways("", a, b, field="a.b[0]")
            assert (judged.score >= Fraction(1, 2)) == judged.is_equal


def test_deep_and_long_values_are_undecided_not_an_error() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert not compare_values(deep, [deep]).is_sure
    assert not compare_values("a " * 50_000, "b " * 50_000).is_sure
    assert compare_values("a " * 50_000, "A " * 50_000).is_sure


def test_lists_in_texts() -> None:
    assert text_elements("maçã, pera e uva") == ["maçã", "pera", "uva"]
    assert truth_of("Sí.") is True
    assert truth_of("maybe") is None


def test_sentences_are_short_and_name_what_was_found() -> None:
    judged = compare_values("profit by region", "revenue by region", language="en")
    assert not judged.is_equal
    assert "profit" in judged.sentence
    assert "revenue" in judged.sentence
    assert len(compare_values("x" * 300, "y" * 300).sentence) < 800


@pytest.mark.parametrize(("name", "right", "false_equals"), [("values.given", 0.95, 3), ("values_bfcl.given", 0.94, 6)])
def test_given_pairs(name: str, right: float, false_equals: int) -> None:
    rows = [json.loads(line) for line in shared(f"data/judge/{name}.jsonl").read_text("utf-8").splitlines()]
    good = wrong_equal = sure = sure_good = 0
    for row in rows:
        field = row["kind"] if "bfcl" in name else ""
        judged = compare_values(row["a"], row["b"], field=field, language=row["lang"])
        is_right = judged.is_equal == (row["label"] == "equivalent")
        good += is_right
        wrong_equal += judged.is_equal and not is_right
        sure += judged.is_sure
        sure_good += judged.is_sure and is_right
    assert good >= right * len(rows)
    assert wrong_equal <= false_equals
    assert sure_good >= 0.98 * sure


@pytest.mark.parametrize(
    ("a", "b", "is_equal"),
    [
        ("C-140891", "C-596853", False),
        ("ORD-83219515", "ord-8977024100", False),
        ("C-001234", "C-1234", None),
        ("AB1234", "AC1234", False),
        ("FY2024", "FY2025", False),
        ("FY2024", "fy-2024", None),
    ],
)
def test_codes_of_one_kind(a: str, b: str, is_equal: bool | None) -> None:
    """Other numbers are another code at once; what only looks alike is looked at like any other value."""
    judged = compare_values(a, b)
    if is_equal is not None:
        assert (judged.is_equal, judged.is_sure) == (is_equal, True)
    known = STANDARD.extended({"equal": [{"terms": [a, b]}]})
    assert compare_values(a, b, vocabulary=known).is_equal
