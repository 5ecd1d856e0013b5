"""The form of a turn: what it does not show or was not touched stays, and what is typed is read exactly."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotations.forms.goldens import TurnForm, WholeForm
from annotations.forms.values import TurnName, TurnNames
from annotations.models import Golden, GoldTurn
from annotations.services import goldens
from evaluation.formats import jsonio
from tests.annotations.html_forms import Fields, form_of
from tests.factories import make_golden
from tests.people import client_of

NAMES = TurnNames((TurnName("g2", 2, "FilterData"), TurnName("g3", 3, "Aggregate")))


def posted(**fields: str) -> Fields:
    return {key.replace("__", "-"): value for key, value in fields.items()}


def call_form(stored: dict[str, Any], **fields: str) -> TurnForm:
    return TurnForm(stored, NAMES, posted(tool=str(stored["tool"]), action=str(stored.get("action", "")), **fields))


def one_param(**fields: str) -> dict[str, str]:
    """A parameter row "x", whose only value is given by fields such as v0__kind."""
    row = {"p0__name": "x", "p0__original": "x", "p0__stored": "1", "p0__mode": "values", "p0__required": "on"}
    return row | {f"p0__{name}": value for name, value in fields.items()}


class TestValues:
    @pytest.mark.parametrize(
        ("kind", "text", "value"),
        [
            ("text", "1", "1"),
            ("number", "1", 1),
            ("number", "107505301260286111", 107505301260286111),
            ("number", "0.10", Decimal("0.10")),
            ("bool", "yes", True),
            ("bool", "no", False),
            ("null", "", None),
            ("json", '["a", 1.50]', ["a", Decimal("1.50")]),
        ],
    )
    def test_are_typed_by_choice_and_exact(self, kind: str, text: str, value: Any) -> None:
        form = call_form(
            {"id": "g4", "tool": "t", "params": {"x": {"value": "old"}}}, **one_param(v0__kind=kind, v0__text=text)
        )
        assert form.is_valid(), form.errors
        assert jsonio.dumps(form.body()["params"]["x"]) == jsonio.dumps({"value": value})

    @pytest.mark.parametrize(
        ("kind", "text", "says"),
        [
            ("number", "twelve", "no number"),
            ("number", "0,5", "with a point, such as 0.5"),
            ("number", "007", "no number"),
            ("number", '"7"', "no number"),
            ("bool", "maybe", "yes or no"),
            ("json", "{", "not a list or object"),
            ("json", "7", "choose the type"),
        ],
    )
    def test_of_another_kind_are_refused_with_what_to_do(self, kind: str, text: str, says: str) -> None:
        form = call_form({"id": "g4", "tool": "t", "params": {}}, **one_param(v0__kind=kind, v0__text=text))
        assert not form.is_valid()
        assert says in form.errors["p0-v0"]

    def test_several_are_accepted_values(self) -> None:
        fields = one_param(v0__kind="text", v0__text="EU", v1__kind="text", v1__text="Europe")
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": "EU", "note": "kept"}}}, **fields)
        assert form.is_valid()
        assert form.body()["params"]["x"] == {"values": ["EU", "Europe"], "note": "kept"}

    def test_none_at_all_is_refused(self) -> None:
        form = call_form({"id": "g4", "tool": "t", "params": {}}, **one_param())
        assert not form.is_valid()
        assert "any value" in form.errors["p0-mode"]


class TestParameters:
    def test_come_from_a_field_of_an_earlier_result(self) -> None:
        fields = one_param(mode="ref", ref='["g2", "$.data_id"]')
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": 1, "compare": "literal"}}}, **fields)
        assert form.is_valid()
        assert form.body()["params"]["x"] == {"ref": {"turn": "g2", "path": "$.data_id"}}

    def test_come_from_a_field_that_was_not_recorded(self) -> None:
        fields = one_param(mode="ref", ref="other", ref_turn="g3", ref_path="rows[0].id")
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": 1}}}, **fields)
        assert form.is_valid()
        assert form.body()["params"]["x"] == {"ref": {"turn": "g3", "path": "$.rows[0].id"}}

    def test_any_value_will_do(self) -> None:
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": 1}}}, **one_param(mode="any"))
        assert form.is_valid()
        assert form.body()["params"]["x"] == {"compare": "any"}

    def test_are_compared_with_room(self) -> None:
        fields = one_param(v0__kind="number", v0__text="12.50", compare="number", abs="0.05", rel="0.01")
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": Decimal("12.50")}}}, **fields)
        assert form.is_valid()
        compare = form.body()["params"]["x"]["compare"]
        assert compare == {"as": "number", "abs": Decimal("0.05"), "rel": Decimal("0.01")}

    def test_have_a_threshold_where_meaning_decides(self) -> None:
        fields = one_param(v0__kind="text", v0__text="a", compare="text", threshold="0.80")
        form = call_form({"id": "g4", "tool": "t", "params": {"x": {"value": "a"}}}, **fields)
        assert form.body()["params"]["x"]["compare"] == {"as": "text", "threshold": Decimal("0.80")}
        stored = {"id": "g4", "tool": "t", "params": {"x": {"value": "a", "compare": {"as": "text", "threshold": 1}}}}
        emptied = call_form(stored, **{**fields, "p0-threshold": ""})
        assert emptied.body()["params"]["x"]["compare"] == "text"
        other = call_form(stored, **{**fields, "p0-compare": "number"})
        assert other.body()["params"]["x"]["compare"] == "number"
        for wrong in ("1.5", "-1", "much"):
            refused = call_form(stored, **{**fields, "p0-threshold": wrong})
            refused.body()
            assert "p0-threshold" in refused.errors, wrong

    def test_keep_a_threshold_that_the_form_does_not_show(self) -> None:
        stored = {"id": "g4", "tool": "t", "params": {"x": {"value": "a", "compare": {"as": "text", "threshold": 1}}}}
        form = call_form(stored, **one_param(v0__kind="text", v0__text="b", compare="text"))
        assert form.is_valid()
        assert form.body()["params"]["x"] == {"value": "b", "compare": {"as": "text", "threshold": 1}}

    def test_name_the_turns_they_come_from_by_number(self) -> None:
        stored = {"id": "g4", "tool": "t", "params": {"x": {"value": 1}}}
        fields = one_param(v0__kind="number", v0__text="1", sources="2, 3")
        assert call_form(stored, **fields).body()["params"]["x"]["from"] == ["g2", "g3"]
        fields = one_param(v0__kind="number", v0__text="1", sources="none")
        assert call_form(stored, **fields).body()["params"]["x"]["from"] == []
        form = call_form(stored, **one_param(v0__kind="number", v0__text="1", sources="9"))
        assert not form.is_valid()
        assert "no earlier turn 9" in form.errors["p0-sources"]

    def test_keep_what_is_stored_under_a_new_name(self) -> None:
        stored = {"id": "g4", "tool": "t", "params": {"x": {"value": 1, "note": "kept"}}}
        fields = one_param(v0__kind="number", v0__text="1") | {"p0__name": "y"}
        assert call_form(stored, **fields).body()["params"] == {"y": {"value": 1, "note": "kept"}}

    def test_twice_the_same_name_is_refused(self) -> None:
        stored = {"id": "g4", "tool": "t", "params": {"x": {"value": 1}}}
        second = {"p1__name": "x", "p1__original": "", "p1__mode": "any"}
        form = call_form(stored, **one_param(v0__kind="number", v0__text="1"), **second)
        assert not form.is_valid()
        assert "twice" in form.errors["p1-name"]


class TestReply:
    def test_claims_hold_values_that_must_appear(self) -> None:
        form = TurnForm(
            {"id": "g5", "response": "120 million"},
            NAMES,
            posted(
                text="120 million",
                c0__number="-1",
                c0__text="revenue",
                c0__contains="120\r\nmillion",
                c0__excludes="80",
                c0__required="on",
                c0__sources="3",
            ),
        )
        assert form.is_valid()
        assert form.body()["claims"] == [
            {"text": "revenue", "contains": ["120", "million"], "excludes": ["80"], "from": ["g3"]}
        ]

    def test_a_new_claim_does_not_take_the_default_id_of_another(self) -> None:
        stored = {"id": "g5", "response": "a b", "claims": [{"id": "claim2", "text": "b"}]}
        form = TurnForm(
            stored,
            NAMES,
            posted(
                text="a b",
                c0__number="0",
                c0__text="b",
                c0__required="on",
                c1__number="-1",
                c1__text="a",
                c1__required="on",
            ),
        )
        assert form.is_valid()
        assert [claim["id"] for claim in form.body()["claims"]] == ["claim2", "claim1"]


class TestStep:
    def test_dependencies_are_rows_of_turn_and_kind(self) -> None:
        stored = {"id": "g4", "tool": "t", "depends_on": ["g3"]}
        form = call_form(stored, depends_mode="only", d0__turn="g3", d0__kind="state", d1__turn="g2", d1__kind="data")
        assert form.is_valid()
        assert form.body()["depends_on"] == ["g3", {"turn": "g2", "kind": "data"}]

    def test_nothing_said_and_on_nothing_are_two_things(self) -> None:
        stored = {"id": "g4", "tool": "t", "depends_on": ["g3"]}
        assert "depends_on" not in call_form(stored, depends_mode="usual").body()
        assert call_form(stored, depends_mode="only").body()["depends_on"] == []

    def test_a_negative_weight_is_refused(self) -> None:
        form = call_form({"id": "g4", "tool": "t"}, weight="-1")
        assert not form.is_valid()
        assert "negative" in form.errors["weight"]


class TestButtons:
    def test_change_the_form_and_nothing_else(self) -> None:
        form = call_form(
            {"id": "g4", "tool": "t", "params": {"x": {"value": 1}}}, **one_param(v0__kind="number", v0__text="1")
        )
        assert form.apply("add-value:0")
        assert form.apply("add-param")
        assert form.apply("add-dependency")
        assert [len(row.values) for row in form.params] == [2, 1]
        assert not form.apply("save")
        assert form.apply("drop-param:7")
        assert form.apply("drop-value:7:7")
        assert form.apply("drop-value:x")


class TestWhole:
    def test_forbidden_calls_and_outcomes(self) -> None:
        form = WholeForm(
            [],
            [],
            "",
            posted(
                f0__number="-1",
                f0__tool="mail",
                f0__p0__name="to",
                f0__p0__mode="values",
                f0__p0__required="on",
                f0__p0__v0__kind="text",
                f0__p0__v0__text="all",
                o0__number="-1",
                o0__kind="said",
                o0__contains="120\r\n",
                o1__number="-1",
                o1__kind="called",
                o1__tool="refund",
                o1__times="2",
                o2__number="-1",
                o2__kind="state",
                o2__path="orders[0].status",
                o2__has_value="on",
                o2__value__kind="text",
                o2__value__text="cancelled",
                comment="please look",
            ),
        )
        assert form.is_valid(), form.errors
        assert form.forbidden_body == [{"tool": "mail", "params": {"to": {"value": "all"}}}]
        assert form.outcome_body == [
            {"kind": "said", "contains": ["120"]},
            {"kind": "called", "tool": "refund", "times": 2},
            {"kind": "state", "path": "$.orders[0].status", "value": "cancelled"},
        ]

    def test_what_was_not_touched_stays(self) -> None:
        stored = [{"kind": "state", "path": "$.a", "values": [1, 2], "note": "kept"}]
        form = WholeForm(
            [],
            stored,
            "",
            posted(
                o0__number="0",
                o0__kind="state",
                o0__path="$.a",
                o0__has_value="on",
                o0__value__kind="json",
                o0__value__text="[1, 2]",
                comment="",
            ),
        )
        assert form.is_valid()
        assert form.outcome_body == stored


# --- what the page shows and gets back unchanged changes nothing ------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", " ", "\n", "\r\n x", "1", "yes", "<b>", "</textarea>", "a\x00b", '"', "&amp;", "’"]
)
NUMBERS = st.integers(-(10**20), 10**20) | st.decimals(allow_nan=False, allow_infinity=False, places=3)
VALUES = st.recursive(
    st.none() | st.booleans() | TEXTS | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
EXTRAS = st.fixed_dictionaries({}, optional={"unknown": VALUES})
SOURCES = st.lists(st.sampled_from(["g2", "g3"]), unique=True, max_size=2)
PARAMS = st.one_of(
    st.fixed_dictionaries({"value": VALUES}, optional={"required": st.booleans(), "from": SOURCES, "unknown": VALUES}),
    st.fixed_dictionaries({"values": st.lists(VALUES, min_size=1, max_size=3)}, optional={"compare": st.just("auto")}),
    st.fixed_dictionaries({"ref": st.fixed_dictionaries({"turn": st.just("g2"), "path": st.just("$.a[0]")})}),
    st.just({"compare": "any"}),
    st.fixed_dictionaries(
        {"value": NUMBERS, "compare": st.just({"as": "number", "abs": Decimal("0.50"), "threshold": Decimal("0.7")})}
    ),
)
STEPS = st.fixed_dictionaries(
    {},
    optional={
        "optional": st.booleans(),
        "critical": st.booleans(),
        "group": st.sampled_from(["A", " b "]),
        "weight": st.sampled_from([1, 0, Decimal("0.50"), None]),
        "depends_on": st.lists(st.sampled_from(["g2", {"turn": "g3", "kind": "data"}]), unique_by=str, max_size=2),
        "unknown": VALUES,
    },
)
KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
CALLS = st.fixed_dictionaries(
    {"id": st.just("g9"), "tool": st.sampled_from(["reports", "<script>x</script>"])},
    optional={
        "action": st.sampled_from([None, "", "Render", " spaced "]),
        "params": st.dictionaries(KEYS, PARAMS, max_size=3),
        "extra": st.sampled_from(["allow", "forbid"]),
        "allowed_extra": st.lists(st.sampled_from(["a", "b c"]), max_size=2),
    },
)
CLAIMS = st.fixed_dictionaries(
    {"text": st.sampled_from(["it", " it ", "a\r\nb"])},
    optional={
        "required": st.booleans(),
        "contains": st.lists(st.sampled_from(["120", 120, Decimal("0.10"), "a\nb", " x"]), max_size=2),
        "excludes": st.lists(st.sampled_from(["no", 7]), max_size=2),
        "from": SOURCES,
        "unknown": VALUES,
    },
)
REPLIES = st.fixed_dictionaries(
    {"id": st.just("g9"), "response": TEXTS}, optional={"claims": st.lists(CLAIMS, max_size=2)}
)


def make_turn(body: dict[str, Any]) -> tuple[Golden, GoldTurn]:
    golden = make_golden()
    earlier = [{"id": "g2", "response": "-"}, {"id": "g3", "response": "-"}]
    goldens.load_body(
        golden, {"paths": [{"id": "main", "turns": [*earlier, {"id": "g9", "response": "-"}]}]}, golden.annotator
    )
    turn = golden.turns.get(position=2)
    turn.body = body
    turn.kind = "action" if "tool" in body else "response"
    turn.save()
    return golden, turn


@pytest.mark.django_db
class TestRoundTrip:
    @settings(
        max_examples=40,
        deadline=None,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a page a step: making an example smaller takes minutes
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(turn=st.tuples(CALLS | REPLIES, STEPS))
    def test_a_form_sent_back_as_it_came_changes_nothing(self, turn: tuple[dict[str, Any], dict[str, Any]]) -> None:
        body = {**turn[0], **turn[1]}
        golden, row = make_turn(body)
        html = client_of(golden.annotator).get(f"{golden.get_absolute_url()}?turn={row.pk}").content.decode()
        fields = form_of(html, action=reverse("annotations:golden-turn", args=[golden.pk, row.pk]))
        stored = GoldTurn.objects.get(pk=row.pk).body
        names = TurnNames((TurnName("g2", 1, "Reply"), TurnName("g3", 2, "Reply")))
        form = TurnForm(stored, names, fields)
        assert form.is_valid(), form.errors
        assert jsonio.dumps(form.body()) == jsonio.dumps(stored)


class TestProposals:
    STORED: dict[str, Any] = {
        "id": "g5",
        "response": "The fee is $5, and it is due on May 2.",
        "claims": [{"text": "The fee is $5"}],
    }
    CLAIM = {"c0__number": "0", "c0__text": "The fee is $5", "c0__required": "on"}

    def form(self, **fields: str) -> TurnForm:
        return TurnForm(self.STORED, NAMES, posted(text=str(self.STORED["response"]), **self.CLAIM, **fields))

    def test_are_no_claims_before_they_are_taken(self) -> None:
        form = self.form()
        assert form.apply("propose-claims", language="en")
        assert [row.text for row in form.proposals] == ["it is due on May 2."]
        assert form.body() == self.STORED

    def test_are_taken_as_typed_ticked_and_optional(self) -> None:
        form = self.form(
            q0__was="it is due on May 2.", q0__text=" Due on May 2 ", q0__take="on",
            q1__was="x", q1__text="Refused", q1__required="on",
            q2__was="y", q2__text="the fee is $5.", q2__take="on", q2__required="on",
        )  # fmt: skip
        assert form.apply("take-claims")
        assert form.is_valid()
        assert form.body()["claims"] == [{"text": "The fee is $5"}, {"text": "Due on May 2", "required": False}]
        assert [row.text for row in form.proposals] == ["Refused"]

    def test_are_refused_one_by_one_or_all(self) -> None:
        rows = {"q0__was": "a", "q0__text": "a", "q1__was": "b", "q1__text": "b"}
        form = self.form(**rows)
        assert form.apply("drop-proposal:0")
        assert [row.text for row in form.proposals] == ["b"]
        assert form.apply("drop-proposals")
        assert form.proposals == []

    def test_of_a_call_are_none(self) -> None:
        form = call_form({"id": "g4", "tool": "t", "params": {}})
        assert form.apply("propose-claims")
        assert form.proposals == []
