"""Sentences about goldens in a language with another order of words: parts keep their kinds, nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from aem_site import translations
from annotations import claims, effects, observed, schema_checks, structure, ways
from annotations.drafting import draft_of
from annotations.merging import Source, field_name, lay_out, part_words
from annotations.sentences import (
    Part,
    any_of,
    either,
    field_words,
    fields_of,
    joined,
    outcome_sentence,
    phrase,
    text_of,
    turn_sentence,
)
from annotations.wording import golden_changes, turn_changes
from evaluation.aem import language

SPANISH = {
    "Passes if {tool} is called, {conditions}": "Se aprueba si, con {conditions}, se llama a {tool}",
    "is {value}": "igual a {value}",
    "is exactly {value}": "{value}, exactamente",
    "is what {turn} returned as {path}": "lo que en {path} devolvió {turn}",
    "{condition} (it comes from {turns})": "(viene de {turns}) {condition}",
    "{name} may be left out, else it {condition}": "si no es {condition}, puede faltar {name}",
    "other keys are not allowed": "no se admiten otras claves",
    "{first} and {last}": "{first} y {last}",
    "{first} or {last}": "{first} o {last}",
    "turn {number}": "turno {number}",
    "the text “{text}”": "el texto «{text}»",
    "yes": "sí",
    "{name} must now be {now}, no longer {then}.": "Ya no {then}: ahora {name} debe ser {now}.",
    "{name} is now {value}; it was {then}.": "Antes {then}, ahora {value}: {name}.",
    "How it is compared: ": "Cómo se compara: ",
    "Threshold": "Umbral",
    "No longer expected.": "Ya no se espera.",
    "exactly {times} time": "exactamente {times} vez",
    "exactly {times} times": "exactamente {times} veces",
    "In the end {tool} was called {times} without error.": "Al final, {times}, sin error, se llamó a {tool}.",
    "parameter {name}": "parámetro {name}",
    "any": "cualquiera",
    "may be left out": "puede faltar",
    "required": "obligatorio",
    "the tool takes {wanted} here, and this is {kind}": "esto es {kind}; aquí la herramienta admite {wanted}",
    "text": "texto",
    "a number": "un número",
    "the agent has no tool named {tool}": "el agente no tiene {tool}",
    "{turn} cannot build on {other}: {other} comes later.": "{other} viene después: {turn} no se apoya en él.",
    "{count} failing turns in {agents} agent versions would pass": "en {agents} versiones pasarían {count} turnos",
    "not said": "no dicho",
    "User": "Usuario",
    "The call returned an error.": "La llamada dio un error.",
    "{count} of {of} runs do it": "de {of} ejecuciones lo hacen {count}",
}


def spanish(_context: str, one: str, many: str | None, count: int | None) -> str:
    text = one if many is None or count == 1 else many
    return SPANISH.get(text, text)


@pytest.fixture(autouse=True)
def _in_spanish() -> Iterator[None]:
    before = language._translate
    language.use(spanish)
    yield
    language.use(before)


CALL: dict[str, Any] = {
    "id": "g2",
    "tool": "reports",
    "params": {
        "metric": {"value": "revenue"},
        "region": {"values": ["EU", "Europe"]},
        "limit": {"value": 10, "required": False},
    },
}


def kinds(sentence: list[Part], kind: str) -> list[str]:
    return [part.text for part in sentence if part.kind == kind]


class TestPhrases:
    def test_parts_move_with_the_translation_and_keep_their_kinds(self) -> None:
        sentence = turn_sentence(CALL)
        assert text_of(sentence) == (
            "Se aprueba si, con metric igual a revenue y region igual a EU o Europe, se llama a reports; "
            "si no es igual a 10, puede faltar limit; no se admiten otras claves."
        )
        assert kinds(sentence, "name") == ["metric", "region", "reports", "limit"]
        assert kinds(sentence, "value") == ["revenue", "EU o Europe", "10"]

    def test_a_value_may_stand_before_what_is_said_of_it(self) -> None:
        body = {"tool": "t", "params": {"id": {"value": "1", "compare": "literal", "from": ["g1"]}}}
        sentence = turn_sentence(body, {"g1": "turno 1"})
        assert "id (viene de turno 1) el texto «1», exactamente" in text_of(sentence)
        assert Part("el texto «1»", "value") in sentence

    def test_what_is_in_braces_in_a_value_is_no_placeholder(self) -> None:
        sentence = turn_sentence({"tool": "t", "params": {"a": {"value": "{tool} {0} }{"}}})
        assert Part("{tool} {0} }{", "value") in sentence

    @pytest.mark.parametrize("broken", ["{cuenta} está roto", "{count} está {roto", "{count} está }roto"])
    def test_a_translation_that_cannot_be_filled_in_is_left_aside(
        self, broken: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(SPANISH, "{count} is broken", broken)
        assert text_of(phrase("{count} is broken", count=2)) == "2 is broken"

    def test_rows_of_words_and_of_clauses_link_the_last(self) -> None:
        assert either(["a", "b", "c"], "and") == "a, b y c"
        assert either(["a"], "or") == "a"
        assert either([], "or") == ""
        assert any_of(["a", "b", "c"]) == "a o b o c"
        assert joined([[Part("a", "name")], [Part("b", "value")]], "or") == [
            Part("a", "name"),
            Part(" o "),
            Part("b", "value"),
        ]

    @pytest.mark.parametrize(("times", "words"), [(1, "exactamente 1 vez"), (2, "exactamente 2 veces")])
    def test_an_outcome_counts(self, times: int, words: str) -> None:
        sentence = outcome_sentence({"kind": "called", "tool": "mail", "times": times})
        assert text_of(sentence) == f"Al final, {words}, sin error, se llamó a mail."
        assert kinds(sentence, "name") == ["mail"]


class TestComparing:
    def test_fields_have_the_same_keys_in_every_language(self) -> None:
        found = fields_of(CALL)
        language.use(None)
        assert list(found) == list(fields_of(CALL))
        language.use(spanish)
        assert found["action"] == "cualquiera"
        assert field_words("parameter metric") == "parámetro metric"

    def test_changes_are_the_same_with_other_words(self) -> None:
        after = {**CALL, "params": {**CALL["params"], "metric": {"value": True}}}
        (sentence,) = turn_changes(CALL, after)
        assert text_of(sentence) == "Ya no revenue: ahora metric debe ser sí."
        assert kinds(sentence, "name") == ["metric"]
        assert kinds(sentence, "value") == ["revenue", "sí"]
        assert turn_changes(CALL, dict(CALL)) == []

    def test_a_whole_golden_has_its_states_as_codes(self) -> None:
        before = {"golden": {"paths": [{"turns": [CALL]}]}, "policy": {"threshold": 0}}
        found = golden_changes(before, {"golden": {"paths": [{"turns": []}]}, "policy": {"threshold": 1}})
        assert [turn.state for turn in found.turns] == ["removed"]
        assert found.turns[0].texts == ["Ya no se espera."]
        assert found.whole_texts == ["Antes 0, ahora 1: Cómo se compara: Umbral."]
        assert kinds(found.whole[0], "name") == ["Umbral"]

    def test_settings_that_are_called_alike_are_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(SPANISH, "Margin", "Umbral")
        policies = [{"threshold": n, "margin": n} for n in (0, 1)]
        found = golden_changes({"policy": policies[0]}, {"policy": policies[1]})
        assert len(found.whole) == 2

    def test_ways_are_compared_by_codes_and_labelled_in_words(self) -> None:
        other = {**CALL, "params": {**CALL["params"], "metric": {"value": "profit"}}}
        (row,) = ways.compare([structure.StepDraft("g2", 1, CALL)], [structure.StepDraft("g2", 1, other)])
        assert row.state == "changed"
        assert [field.label for field in row.fields] == ["parámetro metric"]

    def test_a_merge_finds_what_is_said_of_each_field(self) -> None:
        bodies = [CALL, {**CALL, "params": {**CALL["params"], "limit": {"value": 10}}}]
        layout = lay_out([Source(str(n), {"paths": [{"turns": [body]}]}, {}) for n, body in enumerate(bodies)])
        (item,) = layout.steps
        assert item.differing == ("required limit",)
        said = {part_words("required limit", part, {}) for part in item.options("required limit").values()}
        assert said == {"puede faltar", "obligatorio"}
        assert field_name("param metric") == "parámetro metric"
        part = item.variants[0].parts["param region"]
        assert part_words("param region", part, {}) == "igual a EU o Europe"
        assert layout.turn_words == {"g2": "turno 1"}


class TestKept:
    """What a process or the database keeps is not in the language of whoever came first."""

    def test_rules_of_a_tool(self) -> None:
        tools = {"t": {"schema": {"properties": {"p": {"type": ["string", "number"]}}}}}
        rules, none = schema_checks.rules_of(tools, "t"), schema_checks.rules_of(tools, "u")
        assert rules.against_value("p", "a") == []
        hints = rules.against_value("p", [1])
        assert hints == ["esto es a list; aquí la herramienta admite texto o un número"]
        assert none.problem == "el agente no tiene u"
        language.use(None)
        assert rules.against_value("p", [1]) == ["the tool takes text or a number here, and this is a list"]
        assert none.problem == "the agent has no tool named u"

    def test_messages_of_a_run(self) -> None:
        user, call = observed.messages_of([{"user": "Hi"}, {"tool": "", "error": True}])
        assert (user.title, call.title) == ("Usuario", "")
        assert call.pieces[0].text == "La llamada dio un error."
        language.use(None)
        assert user.title == "User"
        assert call.pieces[0].text == "The call returned an error."

    def test_what_a_draft_says_of_itself_is_english_and_told_again(self) -> None:
        call = {"tool": "find", "args": {"id": "A7"}}
        draft = draft_of([[{"user": "Hi"}, call, {"response": "Yes"}], [{"user": "Hi"}, {"response": "Yes"}]])
        (mark,) = draft.paths[0].turns[1].marks
        assert mark.why == "1 of 2 runs do it"
        assert language.retold(mark.why) == "de 2 ejecuciones lo hacen 1"


def test_refusals_name_the_turns_in_their_order() -> None:
    steps = [
        structure.StepDraft("g1", 1, {"tool": "t", "depends_on": ["g2"]}),
        structure.StepDraft("g2", 2, {"tool": "t"}),
    ]
    problem = structure.order_problem(steps)
    assert problem is not None
    assert problem.reason == "turno 2 viene después: Turno 1 no se apoya en él."


def test_a_sum_of_effects_and_an_answer_are_worded_when_shown() -> None:
    passes = next(sort for sort in effects.SORTS if sort.key == "passes")
    assert passes.words(5, 2) == "en 2 versiones pasarían 5 turnos"
    answer = claims.Answer("not_said", "", None)
    assert (answer.word, answer.css_class) == ("no dicho", "root")


def test_every_phrase_is_found_for_the_catalogs() -> None:
    found = translations.texts()
    assert SPANISH.keys() <= {text.one for text in found} | {text.many for text in found}
