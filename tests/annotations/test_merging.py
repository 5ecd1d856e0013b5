"""Several goldens of one conversation, made one."""

from __future__ import annotations

import random
import re
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations import merging
from annotations.merging import ABSENT, BOTH, Item, Layout, Source, agreement_of, lay_out, merged
from evaluation.aem import RecordError, parse_golden
from evaluation.formats import jsonio
from tests.factories import report_golden

Json = dict[str, Any]


def laid(*goldens: Json, policies: tuple[Json, ...] = ()) -> Layout:
    return lay_out(
        [Source(f"s{n}", golden, policies[n] if n < len(policies) else {}) for n, golden in enumerate(goldens)]
    )


def with_turn(turn_id: str, **said: Any) -> Json:
    golden = report_golden()
    for turn in golden["paths"][0]["turns"]:
        if turn["id"] == turn_id:
            turn.update(said)
    return golden


def without_turn(turn_id: str) -> Json:
    golden = report_golden()
    turns = golden["paths"][0]["turns"]
    golden["paths"][0]["turns"] = [turn for turn in turns if turn["id"] != turn_id]
    return golden


def take_first(item: Item) -> Json:
    return {"take": item.variants[0].digest}


def choices_of(layout: Layout, **by_place: Json) -> dict[str, Any]:
    """The only thing that is said where all agree, the first where not, and what the test says."""
    found = {item.place: take_first(item) for item in layout.items}
    return found | {place.replace("_", ":", 1): choice for place, choice in by_place.items()}


def turns_of(golden: Json) -> dict[str, Json]:
    return {turn.get("id", ""): turn for turn in golden["paths"][0]["turns"]}


def differing(layout: Layout) -> list[str]:
    return [item.place for item in layout.items if not item.is_equal]


def same(one: Any, other: Any) -> bool:
    return jsonio.canonical(one) == jsonio.canonical(other)


class TestLayingOut:
    def test_names_of_turns_and_groups_make_no_difference(self) -> None:
        text = jsonio.dumps(with_turn("g3", group="A"))
        other = jsonio.loads(re.sub(r'"g(\d)"', r'"x\1"', text).replace('"A"', '"other"'))
        other["paths"][0]["turns"][6]["claims"][0]["id"] = "amount"
        assert differing(laid(jsonio.loads(text), other)) == []

    def test_another_spelling_is_no_difference(self) -> None:
        golden = report_golden()
        turns = turns_of(golden)
        turns["g2"]["params"] = {
            "metric": {"values": ["revenue"], "required": True, "compare": "auto"},
            "region": {"values": ["Europe", "EU"]},
        }
        turns["g2"] |= {"optional": False, "extra": "forbid", "weight": 1, "critical": False}
        turns["g4"]["depends_on"] = [{"turn": "g3", "kind": "state"}]
        assert differing(laid(golden, report_golden())) == []

    def test_yes_is_not_the_number_one(self) -> None:
        one, other = (with_turn("g4", params={"format": {"value": value}}) for value in (True, 1))
        assert differing(laid(one, other)) == ["turn:g4"]

    def test_a_changed_parameter_is_one_field(self) -> None:
        layout = laid(report_golden(), with_turn("g4", params={"format": {"value": "html"}}))
        assert differing(layout) == ["turn:g4"]
        item = layout.find("turn:g4")
        assert item is not None
        assert item.differing == ("param format",)

    def test_an_optional_parameter_of_one_alone_is_one_field(self) -> None:
        params = {"format": {"value": "pdf"}, "size": {"value": 4, "required": False}}
        layout = laid(report_golden(), with_turn("g4", params=params))
        item = layout.find("turn:g4")
        assert item is not None
        assert item.differing == ("param size",)
        digest = next(digest for digest in item.options("param size") if digest != ABSENT)
        choices = choices_of(layout, turn_g4={"fields": {"param size": digest}})
        assert turns_of(merged(layout, choices).golden)["g4"]["params"] == params
        choices = choices_of(layout, turn_g4={"fields": {"param size": ABSENT}})
        assert turns_of(merged(layout, choices).golden)["g4"]["params"] == {"format": {"value": "pdf"}}

    def test_a_turn_of_one_alone_is_absent_in_the_other(self) -> None:
        layout = laid(report_golden(), without_turn("g4"))
        (place,) = differing(layout)
        item = layout.find(place)
        assert item is not None
        assert (item.place, len(item.absent), len(item.variants)) == ("turn:g4", 1, 1)

    def test_a_claim_with_other_values_is_one_field(self) -> None:
        claims = [{"id": "total", "text": "EU revenue was 120 million", "contains": ["120", "EU"], "from": ["g3"]}]
        item = laid(report_golden(), with_turn("g5", claims=claims)).find("turn:g5")
        assert item is not None
        assert item.differing == ("claim EU revenue was 120 million",)

    def test_a_claim_in_other_words_under_the_same_id_is_one_field(self) -> None:
        claims = [{"id": "total", "text": "Revenue: 120", "contains": ["120"], "from": ["g3"]}]
        item = laid(report_golden(), with_turn("g5", claims=claims)).find("turn:g5")
        assert item is not None
        assert len(item.differing) == 1

    def test_what_one_alone_frees_is_a_difference_in_both_turns(self) -> None:
        golden = report_golden()
        turns = turns_of(golden)
        turns["g2"]["group"] = turns["g3"]["group"] = "A"
        turns["g3"]["params"] = {}
        other = with_turn("g3", params={})
        assert differing(laid(golden, other)) == ["turn:g2", "turn:g3"]


class TestThree:
    def test_two_that_agree_are_one_version(self) -> None:
        html = with_turn("g4", params={"format": {"value": "html"}})
        item = laid(report_golden(), html, report_golden()).find("turn:g4")
        assert item is not None
        assert sorted(len(variant.sources) for variant in item.variants) == [1, 2]

    def test_a_third_that_agrees_with_one_leaves_the_fingerprint(self) -> None:
        html = with_turn("g4", params={"format": {"value": "html"}})
        two = laid(report_golden(), html).find("turn:g4")
        three = laid(report_golden(), html, html).find("turn:g4")
        assert two is not None
        assert three is not None
        assert two.fingerprint == three.fingerprint

    def test_a_third_that_says_something_else_changes_it(self) -> None:
        one, two, three = (with_turn("g4", params={"format": {"value": value}}) for value in ("pdf", "html", "csv"))
        first, second = laid(one, two).find("turn:g4"), laid(one, two, three).find("turn:g4")
        assert first is not None
        assert second is not None
        assert first.fingerprint != second.fingerprint


class TestDeciding:
    def test_accepted_values_are_united(self) -> None:
        layout = laid(report_golden(), with_turn("g4", params={"format": {"values": ["html", "pdf"]}}))
        choices = choices_of(layout, turn_g4={"fields": {"param format": BOTH}})
        values = turns_of(merged(layout, choices).golden)["g4"]["params"]["format"]["values"]
        assert sorted(values) == ["html", "pdf"]

    def test_values_that_are_compared_otherwise_are_not_united(self) -> None:
        layout = laid(report_golden(), with_turn("g4", params={"format": {"value": "p.*", "compare": "regex"}}))
        item = layout.find("turn:g4")
        assert item is not None
        assert "more than the accepted values" in merging.refusal(item, {"fields": {"param format": BOTH}})

    def test_each_field_has_to_be_chosen(self) -> None:
        layout = laid(report_golden(), with_turn("g4", optional=True, params={"format": {"value": "html"}}))
        item = layout.find("turn:g4")
        assert item is not None
        assert "optional step is open" in merging.refusal(item, {"fields": {"param format": BOTH}})

    @pytest.mark.parametrize(
        "choice", [None, {}, [], {"take": "x"}, {"out": 1}, {"fields": {}}, {"take": "x", "out": True}, {"fields": []}]
    )
    def test_what_says_nothing_is_refused(self, choice: Any) -> None:
        layout = laid(report_golden(), with_turn("g4", optional=True))
        item = layout.find("turn:g4")
        assert item is not None
        assert merging.refusal(item, choice)

    def test_nothing_may_build_on_what_is_left_out(self) -> None:
        layout = laid(report_golden(), report_golden())
        result = merged(layout, choices_of(layout, turn_g2={"out": True}))
        assert [problem.place for problem in result.problems] == ["turn:g3"]
        assert "turn 2 is left out" in result.problems[0].reason

    def test_an_open_turn_is_named(self) -> None:
        layout = laid(report_golden(), report_golden())
        choices = choices_of(layout)
        del choices["turn:g2"]
        assert merged(layout, choices).problems[0].reason == "Turn 2 is not decided yet."

    def test_refs_follow_the_merged_ids(self) -> None:
        text = jsonio.dumps(report_golden())
        other = jsonio.loads(text.replace('"g2"', '"look"').replace('"g3"', '"sum"'))
        layout = laid(report_golden(), other)
        golden = merged(layout, choices_of(layout)).golden
        parse_golden(golden)
        assert differing(layout) == []

    def test_a_companion_left_out_is_said(self) -> None:
        golden = report_golden()
        golden["paths"][0]["turns"].insert(6, {"id": "m", "tool": "mail", "params": {}, "group": "A"})
        turns_of(golden)["g4"]["group"] = "A"
        layout = laid(golden, golden)
        result = merged(layout, choices_of(layout, turn_m={"out": True}))
        assert result.notes
        assert "Turn" not in [problem.reason for problem in result.problems]
        parse_golden(result.golden)

    def test_dependence_within_a_group_is_refused_in_words(self) -> None:
        free = report_golden()
        turns = turns_of(free)
        turns["g3"]["group"] = turns["g4"]["group"] = "A"
        del turns["g4"]["depends_on"]
        layout = laid(report_golden(), free)
        item = layout.find("turn:g4")
        assert item is not None
        fields = {key: next(d for d in item.options(key) if d != ABSENT) for key in item.differing}
        three = layout.find("turn:g3")
        assert three is not None
        in_group = next(variant.digest for variant in three.variants if "order" in variant.parts)
        result = merged(layout, choices_of(layout, turn_g4={"fields": fields}, turn_g3={"take": in_group}))
        assert "cannot come in any order" in result.problems[0].reason

    def test_forbidden_calls_and_outcomes_item_by_item(self) -> None:
        one, other = report_golden(), report_golden()
        one["forbidden"] = [{"tool": "mail"}]
        one["outcome"] = [{"kind": "said", "contains": ["120"]}]
        other["outcome"] = [{"id": "o", "kind": "said", "contains": ["120"]}, {"kind": "said", "contains": ["EU"]}]
        layout = laid(one, other, policies=({"reply": {"x": 1}}, {}))
        kinds = [item.kind for item in layout.items if not item.is_equal]
        assert sorted(kinds) == ["forbidden", "outcome", "policy"]
        choices = choices_of(layout)
        place = next(item.place for item in layout.items if item.kind == "forbidden")
        result = merged(layout, choices | {place: {"out": True}})
        assert result.golden["forbidden"] == []
        assert len(result.golden["outcome"]) == 2
        assert result.policy == {"reply": {"x": 1}}

    def test_further_ways_are_offered(self) -> None:
        one = report_golden()
        one["paths"].append({"id": "short", "turns": [{"id": "g1", "response": "No."}]})
        layout = laid(one, report_golden())
        (place,) = differing(layout)
        assert [path["id"] for path in merged(layout, choices_of(layout)).golden["paths"]] == ["main", "short"]
        left = merged(layout, choices_of(layout) | {place: {"out": True}}).golden
        assert [path["id"] for path in left["paths"]] == ["main"]


class TestAgreement:
    def test_what_is_equal_of_how_many(self) -> None:
        found = agreement_of(laid(report_golden(), with_turn("g4", params={"format": {"value": "html"}})))
        assert found["turns"] == {"equal": 4, "n": 5}
        assert found["fields"]["param"] == {"equal": 3, "n": 4}
        assert found["fields"]["optional"] == {"equal": 0, "n": 0}

    def test_a_turn_of_one_alone_is_not_equal(self) -> None:
        found = agreement_of(laid(report_golden(), without_turn("g4")))
        assert found["turns"] == {"equal": 4, "n": 5}

    def test_three_are_compared_in_pairs(self) -> None:
        html = with_turn("g4", params={"format": {"value": "html"}})
        assert agreement_of(laid(report_golden(), html, html))["turns"] == {"equal": 13, "n": 15}


# --- properties -------------------------------------------------------------------------------------------------------

OUTCOMES: list[Json] = [
    {"kind": "said", "contains": ["1"]},
    {"id": "outcome2", "kind": "called", "tool": "send"},
]
#: Goldens are large to draw; a slow machine makes no difference.
enough = settings(deadline=None, max_examples=60)
_VALUES: st.SearchStrategy[Any] = st.sampled_from([1, True, "1", None, "EU", ["a"], {"b": 1}])


@st.composite
def goldens(draw: st.DrawFn) -> Json:
    """A golden that the engine can read, of few words, so that two of them have turns in common."""
    names: list[str] = draw(st.permutations([f"{draw(st.sampled_from('gx'))}{n}" for n in range(8)]))
    turns: list[Json] = []
    for n in range(draw(st.integers(1, 7))):
        kind: str = draw(st.sampled_from(["user", "response", "tool", "tool"]))
        body: Json = {"id": names[n]}
        earlier = [turn["id"] for turn in turns if "user" not in turn]
        if kind == "user":
            body["user"] = draw(st.sampled_from(["Hello", "And then?"]))
        elif kind == "response":
            body["response"] = draw(st.sampled_from(["Yes.", "No.", ""]))
            texts = draw(st.lists(st.sampled_from(["one", "two"]), max_size=2, unique=True))
            body["claims"] = [
                {
                    "text": text,
                    **({"id": draw(st.sampled_from(["c", "claim2"])) + str(at)} if draw(st.booleans()) else {}),
                }
                for at, text in enumerate(texts)
            ]
            if earlier and body["claims"]:
                body["claims"][0]["from"] = [draw(st.sampled_from(earlier))]
        else:
            body["tool"] = draw(st.sampled_from(["look", "send"]))
            params: Json = {}
            for name in draw(st.lists(st.sampled_from(["a", "b"]), unique=True)):
                if bool(earlier) and draw(st.booleans()):
                    params[name] = {"ref": {"turn": draw(st.sampled_from(earlier)), "path": "$.id"}}
                else:
                    params[name] = {"values": draw(st.lists(_VALUES, min_size=1, max_size=2))}
                if draw(st.booleans()):
                    params[name]["required"] = draw(st.booleans())
            body["params"] = params
        if kind != "user":
            if draw(st.booleans()):
                body["group"] = draw(st.sampled_from("AB"))
            if bool(earlier) and draw(st.booleans()):
                body["depends_on"] = draw(st.lists(st.sampled_from(earlier), max_size=2))
            if draw(st.booleans()):
                body["optional"] = draw(st.booleans())
        turns.append(body)
    if all("user" in turn for turn in turns):
        turns.append({"id": "end", "response": "Bye."})
    paths: list[Json] = [{"id": draw(st.sampled_from(["main", "other"])), "turns": turns}]
    if draw(st.booleans()):
        paths.append({"id": "further", "turns": [{"id": "g1", "tool": draw(st.sampled_from(["look", "send"]))}]})
    golden: Json = {
        "paths": paths,
        "forbidden": draw(st.lists(st.sampled_from([{"tool": "send"}, {"tool": "look"}]), max_size=3)),
        "outcome": draw(
            st.lists(
                st.sampled_from(OUTCOMES),
                max_size=2,
                unique_by=lambda one: str(one["kind"]),
            )
        ),
    }
    for turn in turns:  # what a group forbids is taken out, not thrown away as a whole
        try:
            parse_golden(golden)
            break
        except RecordError:
            turn.pop("group", None)
            if turn is turns[-1]:
                golden["outcome"] = []
    parse_golden(golden)
    return golden


def any_choice(item: Item, chance: random.Random) -> Json:
    ways: list[Json] = [{"take": variant.digest} for variant in item.variants]
    if item.differing:
        fields = {}
        for key in item.differing:
            wanted = [*item.options(key), *([BOTH] if merging.united(item, key) is not None else [])]
            fields[key] = chance.choice(wanted)
        ways += [{"fields": fields}] * 2
    return chance.choice([*ways * 3, {"out": True}])


@enough
@given(goldens(), goldens(), goldens(), st.randoms(use_true_random=False))
def test_every_merge_can_be_read_by_the_engine(one: Json, two: Json, three: Json, chance: random.Random) -> None:
    layout = laid(*[one, two, three][: chance.choice([2, 3])])
    choices = {item.place: any_choice(item, chance) for item in layout.items}
    assert len({item.place for item in layout.items}) == len(layout.items)
    result = merged(layout, choices)
    if result.problems:
        assert all(problem.reason for problem in result.problems)
        return
    parse_golden(result.golden)


@enough
@given(goldens(), goldens())
def test_whole_versions_can_be_read_or_are_refused_and_have_words(one: Json, two: Json) -> None:
    layout = laid(one, two)
    result = merged(layout, {item.place: take_first(item) for item in layout.items})
    assert result.problems or parse_golden(result.golden)
    words = [merging.words_of(item) for item in layout.items]
    assert all(words)
    for item in layout.items:
        for key in item.differing:
            assert merging.field_name(key)
            assert all(merging.part_words(key, part, layout.turn_words) for part in item.options(key).values())


@enough
@given(goldens(), st.integers(1, 3))
def test_a_golden_merged_with_itself_is_itself(golden: Json, more: int) -> None:
    layout = laid(*[deepcopy(golden) for _ in range(more + 1)])
    assert all(item.is_equal for item in layout.items)
    result = merged(layout, {item.place: take_first(item) for item in layout.items})
    assert not result.problems
    assert same(result.golden, golden)


@enough
@given(goldens(), goldens(), goldens())
def test_the_order_makes_no_difference(one: Json, two: Json, three: Json) -> None:
    sources = [Source("p", one, {}), Source("q", two, {}), Source("r", three, {})]

    def told(layout: Layout) -> list[Any]:
        return [
            (item.place, item.fingerprint, sorted((v.digest, sorted(v.sources)) for v in item.variants), item.differing)
            for item in layout.items
        ]

    first = lay_out(sources)
    for order in ([2, 1, 0], [1, 0, 2]):
        assert told(lay_out([sources[n] for n in order])) == told(first)
    assert agreement_of(lay_out(sources[::-1])) == agreement_of(first)
