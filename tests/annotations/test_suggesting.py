"""What a tool's description and earlier results suggest, and when a turn holds it."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.observed import Field
from annotations.suggesting import Offer, Result, Sources, holds, is_refused_in, offers_of
from annotations.tool_schemas import fields_of

SCHEMA = {
    prop.name: prop
    for prop in fields_of(
        {
            "properties": {
                "id": {"type": "string"},
                "amount": {"type": "number"},
                "speed": {"type": "string", "enum": ["normal", "fast"]},
                "level": {"enum": [1, 2, 3]},
                "notify": {"type": "boolean"},
                "items": {"type": "array"},
                "free": {},
            },
            "required": ["id", "amount"],
        }
    )
}


def offers(params: dict[str, Any], sources: Sources | None = None, **turn: Any) -> list[Offer]:
    return offers_of({"tool": "refund", "params": params, **turn}, schema=SCHEMA, sources=sources)


def kinds(params: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(offer.kind, offer.field, offer.proposal) for offer in offers(params)]


class TestTheToolsDescription:
    def test_offers_what_is_optional_there(self) -> None:
        assert kinds({"id": {"value": "W1"}, "notify": {"value": True}}) == [("param_optional", "notify", False)]
        assert kinds({"notify": {"value": True, "required": False}}) == []

    def test_offers_what_is_required_there(self) -> None:
        assert kinds({"id": {"value": "W1", "required": False}}) == [("param_required", "id", True)]

    @pytest.mark.parametrize(
        ("name", "value", "proposed"),
        [
            ("amount", "54.2", "number"),
            ("id", 1042, "1042"),
            ("notify", "yes", True),
            ("notify", "False", False),
            ("items", '["a"]', ["a"]),
        ],
    )
    def test_offers_a_value_of_its_type(self, name: str, value: Any, proposed: Any) -> None:
        (offer,) = [offer for offer in offers({name: {"value": value}}) if offer.kind != "param_optional"]
        assert (offer.kind, offer.field) == ("type", name)
        assert str(offer.proposal[0]) == "54.2" if proposed == "number" else offer.proposal == [proposed]

    @pytest.mark.parametrize(
        ("name", "value"),
        [("amount", "about 5"), ("amount", 5), ("notify", "maybe"), ("free", 7), ("items", "[1"), ("id", None)],
    )
    def test_offers_nothing_where_it_would_be_a_guess(self, name: str, value: Any) -> None:
        assert [offer.kind for offer in offers({name: {"value": value}}) if offer.kind != "param_optional"] == []

    def test_offers_a_value_of_its_list_spelt_as_there(self) -> None:
        assert kinds({"speed": {"value": " FAST", "required": False}}) == [("choices", "speed", ["fast"])]
        assert kinds({"level": {"value": "2", "required": False}}) == [("choices", "level", [2])]
        assert kinds({"speed": {"value": "slow", "required": False}}) == []
        assert kinds({"speed": {"value": "fast", "required": False}}) == []

    def test_offers_its_list_where_any_value_is_right(self) -> None:
        assert kinds({"speed": {"compare": "any", "required": False}}) == [("choices", "speed", ["normal", "fast"])]

    @pytest.mark.parametrize("params", [None, [], {"id": None}, {"id": 7}, {"id": {"values": []}}, {"x": {}}])
    def test_of_odd_turns_is_silent(self, params: Any) -> None:
        assert offers(params) == []
        assert offers_of({"response": "x"}, schema=SCHEMA) == []


class TestEarlierResults:
    def sources(self) -> Sources:
        sources = Sources()
        for key, group, fields in (
            ("g1", "", [("$.order", "W1042"), ("$.flag", True), ("$.count", 1), ("$.word", "yes")]),
            ("g2", "A", [("$.first", "W1042"), ("$.again", "W1042")]),
            ("g3", "", [("$.total", 500)]),
            ("g4", "", [("$[0].id", "W1042")]),
            ("g5", "", [("$.id", "W1042")]),
        ):
            sources.add(Result(key, [Field(path, value) for path, value in fields], group))
        return sources

    def test_are_offered_the_nearest_first_one_place_of_each(self) -> None:
        (offer,) = offers({"id": {"value": "W1042"}}, self.sources())
        assert offer.kind == "source"
        assert offer.proposal == [
            {"turn": "g5", "path": "$.id"},
            {"turn": "g4", "path": "$[0].id"},
            {"turn": "g2", "path": "$.first"},
        ]

    def test_within_a_group_none_is_offered_of_the_same(self) -> None:
        (offer,) = offers({"id": {"value": "W1042"}}, self.sources(), group="A")
        assert [place["turn"] for place in offer.proposal] == ["g5", "g4", "g1"]

    def test_numbers_are_not_texts(self) -> None:
        assert [offer.kind for offer in offers({"amount": {"value": 500}}, self.sources())] == ["source"]
        assert "source" not in [offer.kind for offer in offers({"amount": {"value": "500"}}, self.sources())]

    @pytest.mark.parametrize("value", [True, 1, "yes", "", None, ["W1042"], {"a": "W1042"}])
    def test_trivial_values_come_from_nowhere(self, value: Any) -> None:
        assert "source" not in [offer.kind for offer in offers({"id": {"value": value}}, self.sources())]

    def test_what_was_refused_is_known_by_its_value(self) -> None:
        other = Sources()
        other.add(Result("g1", [Field("$.order", "W1042")]))
        (one,) = offers({"id": {"value": "W1042"}}, self.sources())
        (same,) = offers({"id": {"value": "W1042"}}, other)
        assert one.fingerprint == same.fingerprint


HELD = {"tool": "t", "optional": True, "group": "A", "params": {"a": {"values": [1, 2]}, "b": {"compare": "any"}}}


@pytest.mark.parametrize(
    ("kind", "name", "proposal", "body", "is_held"),
    [
        ("step_optional", "", True, HELD, True),
        ("step_optional", "", True, {"tool": "t"}, False),
        ("order", "", "A", HELD, True),
        ("order", "", "B", HELD, False),
        ("values", "a", [1, 2], HELD, True),
        ("values", "a", [1], HELD, False),
        ("open", "b", {"compare": "any"}, HELD, True),
        ("open", "c", {"allowed_extra": True}, {"tool": "t", "allowed_extra": ["c"]}, True),
        ("param_optional", "a", False, HELD, False),
        ("param_optional", "a", False, {"params": {"a": {"value": 1, "required": False}}}, True),
        (
            "source",
            "a",
            [{"turn": "g1", "path": "$.x"}],
            {"params": {"a": {"ref": {"turn": "g1", "path": "$.x"}}}},
            True,
        ),
        ("claims", "", [{"text": "x"}], {"response": "x", "claims": [{"text": "x"}]}, True),
        ("values", "gone", [1, 2], HELD, False),
    ],
)
def test_a_turn_holds_what_it_says(kind: str, name: str, proposal: Any, body: Any, is_held: bool) -> None:
    assert holds(kind, name, proposal, body) is is_held


def test_refusing_puts_back_what_was() -> None:
    assert is_refused_in("values", "a", {"value": 1}, {"params": {"a": {"value": 1}}})
    assert not is_refused_in("values", "a", {"value": 1}, {"params": {"a": {"value": 3}}})
    assert is_refused_in("step_optional", "", None, {"tool": "t"})
    assert is_refused_in("order", "", None, {"tool": "t"})
    assert is_refused_in("claims", "", None, {"response": "x"})
    assert not is_refused_in("open", "a", {"value": 1}, {"params": {}})
