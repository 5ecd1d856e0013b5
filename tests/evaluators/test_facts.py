"""Typed facts: kinds, exact values, places in the text, and how two facts compare."""

from fractions import Fraction
from typing import Any

import pytest

from evaluation.evaluators.embedded.facts import Fact, facts_in
from evaluation.evaluators.embedded.facts.compare import Relation, match_facts, relation
from evaluation.evaluators.embedded.facts.names import codes_of


def only(text: str, language: str = "") -> Fact:
    """The single fact of a text."""
    facts = facts_in(text, language=language)
    assert len(facts) == 1, facts
    return facts[0]


@pytest.mark.parametrize(
    ("text", "language", "kind", "value", "unit"),
    [
        ("1,250", "en", "number", 1250, ""),
        ("1.250", "es", "number", 1250, ""),
        ("1.234,56", "", "number", Fraction("1234.56"), ""),
        ("1'250.50", "", "number", Fraction("1250.5"), ""),
        ("1e3", "", "number", 1000, ""),
        ("3.5m items", "", "quantity", Fraction("3.5"), "length"),
        ("34M", "", "number", 34_000_000, ""),
        ("mil doscientos", "", "number", 1200, ""),
        ("two and a half million", "", "number", 2_500_000, ""),
        ("mil millones", "", "number", 10**9, ""),
        ("three point one four", "", "number", Fraction("3.14"), ""),
        ("3rd", "", "ordinal", 3, ""),
        ("12.5%", "", "percent", Fraction("12.5"), "%"),
        ("25 bps", "", "percent", Fraction("0.25"), "points"),
        ("US$3.5m", "", "money", 3_500_000, "USD"),
        ("-$20", "", "money", -20, "$"),
        ("R$ 2.500,00", "", "money", 2500, "BRL"),
        ("20 libras esterlinas", "", "money", 20, "GBP"),
        ("MXN 100", "", "money", 100, "MXN"),
        ("90 min", "", "quantity", 5400, "duration"),
        ("1 hour 30 minutes", "", "quantity", 5400, "duration"),
        ("uma hora e meia", "", "quantity", 5400, "duration"),
        ("0 °C", "", "quantity", Fraction("273.15"), "temperature"),
        ("2 TB", "", "quantity", 2 * 10**12, "data"),
        ("5 días hábiles", "", "quantity", 5, "working days"),
        ("Sept. 10, 2024", "", "date", (2024, 9, 10), ""),
        ("10/09/2024", "es", "date", (2024, 9, 10), ""),
        ("10/09/2024", "en", "date", (2024, 10, 9), ""),
        ("1º de abril de 2024", "", "date", (2024, 4, 1), ""),
        ("May 12", "", "date", (None, 5, 12), ""),
        ("2025-07-04T09:30:00-05:00", "", "datetime", ((2025, 7, 4), 34_200), "-300"),
        ("8:15 in the morning", "", "time", 29_700, ""),
        ("14:05 UTC", "", "time", 50_700, "0"),
        ("las 3 de la tarde", "", "time", 54_000, ""),
        ("noon", "", "time", 43_200, ""),
        ("jueves", "", "weekday", 3, ""),
        ("3T24", "", "period", ("days", (2024, 7, 1), (2024, 9, 30)), ""),
        ("third quarter", "", "period", ("months", 7, 9), ""),
        ("fiscal year 2024", "", "period", ("fiscal year", 2024), ""),
        ("2020-2023", "", "period", ("days", (2020, 1, 1), (2023, 12, 31)), ""),
        ("end of 2024", "", "period", ("part", "end", 2024, None), ""),
        ("pasado mañana", "", "relative", ("day", 2), ""),
        ("the last 30 days", "", "relative", ("rolling", -1, "day", 30), ""),
        ("la semana que viene", "", "relative", ("week", 1), ""),
        ("todos os dias", "", "recurrence", ("every", "day", 1), ""),
        ("every other week", "", "recurrence", ("every", "week", 2), ""),
        ("#W7342738", "", "id", "w7342738", ""),
        ("ZFA04Y", "", "id", "zfa04y", ""),
        ("00123", "", "id", "00123", ""),
        ("550e8400-e29b-41d4-a716-446655440000", "", "id", "550e8400e29b41d4a716446655440000", ""),
        ("v2.10.0", "", "version", (2, 10, 0, ""), ""),
        ("+1 (415) 555-2671", "", "phone", "14155552671", ""),
        ("John.Doe@Example.com", "", "email", "john.doe@example.com", ""),
        ("https://www.Example.com/Path/", "", "url", "example.com/Path", ""),
    ],
)  # fmt: skip
def test_a_fact_has_its_kind_and_exact_value(text: str, language: str, kind: str, value: Any, unit: str) -> None:
    fact = facts_in(text, language=language)[0]
    assert (fact.kind, fact.value) == (kind, value)
    assert fact.unit == unit


@pytest.mark.parametrize(
    ("text", "bound", "value"),
    [
        ("at least 10", ">=", 10),
        ("10 o más", ">=", 10),
        ("no máximo 3", "<=", 3),
        ("more than $5", ">", 5),
        ("menos de 20%", "<", 20),
        ("about 7 km", "~", 7000),
        ("between 10 and 20", "range", (10, 20)),
        ("5-7 days", "range", (5 * 86_400, 7 * 86_400)),
        ("$10-20", "range", (10, 20)),
    ],
)
def test_bounds_and_ranges(text: str, bound: str, value: Any) -> None:
    fact = only(text)
    assert (fact.bound, fact.value) == (bound, value)


def test_places_are_characters_of_the_text() -> None:
    text = "José\u0301 pagó R$ 2.500,00 el 5 de marzo de 2024 (pedido #W123, 8:15 PM)."
    found = {fact.kind: text[fact.start : fact.end] for fact in facts_in(text, language="es")}
    assert found["money"] == "R$ 2.500,00"
    assert found["date"] == "5 de marzo de 2024"
    assert found["id"] == "#W123"
    assert found["time"] == "8:15 PM"


def test_marks_that_join_no_letter_keep_their_place() -> None:
    text = "3/4\u0301 kg"
    assert all(0 <= fact.start < fact.end <= len(text) for fact in facts_in(text))


@pytest.mark.parametrize("text", ["", "Paris", "not a fact here", "may I set the march?", "in stock", "a b c"])
def test_plain_words_hold_no_facts(text: str) -> None:
    assert facts_in(text) == ()


def test_a_lone_year_belongs_to_the_period_that_lacks_one() -> None:
    (fact,) = facts_in("third quarter revenue figures for 2024")
    assert fact.value == ("days", (2024, 7, 1), (2024, 9, 30))
    assert len(facts_in("the third quarter, compared with 2023 and 2022")) == 3


def test_an_unknown_language_keeps_both_readings_of_a_date() -> None:
    fact = only("10/09/2024")
    assert {reading.value for reading in fact.readings} == {(2024, 10, 9), (2024, 9, 10)}
    assert only("16/08/2024").others == ()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("10 kg", "22.05 lb", Relation.SAME),
        ("10 kg", "22.5 lb", Relation.DIFFERENT),
        ("22.2 °C", "72°F", Relation.SAME),
        ("1 m", "3 ft", Relation.DIFFERENT),
        ("$5", "USD 5", Relation.SAME),
        ("$5", "CAD 5", Relation.DOUBTFUL),
        ("5 pesos", "MXN 5", Relation.LIKELY),
        ("30 days", "1 month", Relation.DOUBTFUL),
        ("July 1", "2023-07-01", Relation.LIKELY),
        ("Tuesday, October 14", "Thursday, October 14", Relation.DIFFERENT),
        ("2025-11-20T00:00:00Z", "2025-11-20", Relation.SAME),
        ("2025-11-20T16:00:00Z", "2025-11-20", Relation.LIKELY),
        ("March 5, 2024", "March 2024", Relation.DOUBTFUL),
        ("Q3 2024", "FY24 Q3", Relation.DOUBTFUL),
        ("yesterday", "2024-03-05", Relation.DOUBTFUL),
        ("8:15", "8:15 PM", Relation.DOUBTFUL),
        ("14:00 UTC", "2pm", Relation.LIKELY),
        ("ORD-2024-001", "ORD2024001", Relation.LIKELY),
        ("12-34A", "1-234A", Relation.DIFFERENT),
        ("+55 11 98765-4321", "(11) 98765-4321", Relation.SAME),
        ("v2.1", "2.1.0", Relation.LIKELY),
        ("5 kg", "$5", Relation.DIFFERENT),
        ("a@b.org", "https://a.org", Relation.UNRELATED),
    ],
)
def test_how_two_facts_stand_to_each_other(a: str, b: str, expected: Relation) -> None:
    first, second = facts_in(a)[0], facts_in(b)[0]
    assert relation(first, second) is expected
    assert relation(second, first) is expected


def test_lists_of_facts_are_matched_as_multisets() -> None:
    matched = match_facts(facts_in("5 kg and 7 kg and 5 kg"), facts_in("7 kg, 5 kg"))
    assert [pair[2] for pair in matched.pairs] == [Relation.SAME, Relation.SAME]
    assert [fact.text for fact in matched.left_a] == ["5 kg"]
    many = match_facts(facts_in("1 kg " * 300), facts_in("2 lb " * 300))
    assert many.is_cut


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Suíça", ("country", "CH")),
        ("Korea, Republic of", ("country", "KR")),
        ("OR", ("state", "US-OR")),
        ("libra esterlina", ("currency", "GBP")),
        ("Brazilian Portuguese", ("language", "pt_BR")),
        ("pt-BR", ("language", "pt_BR")),
        ("EST", ("zone", "America/New_York")),
    ],
)
def test_names_and_codes(text: str, code: tuple[str, str]) -> None:
    assert code in codes_of(text)


def test_small_letters_are_words_before_they_are_codes() -> None:
    assert not any(kind in ("country", "state") for kind, _ in codes_of("in"))
