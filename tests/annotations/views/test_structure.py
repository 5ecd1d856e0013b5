"""The workbench as page and as fragment: what builds on what, free order, ways, picked values, what is at hand."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Conversation, Golden, GoldTurn, Guideline, Role
from annotations.services import goldens
from tests.annotations.html_forms import form_of
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden,
    make_member,
    make_project,
    make_trajectory,
    make_user,
    report_golden,
    report_trajectory,
)
from tests.people import client_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def make_draft(body: dict[str, Any] | None = None, **conversation: Any) -> Golden:
    made = make_conversation(**conversation)
    return goldens.start(made, make_member(made.dataset.project), make_trajectory(made, body=body))


def make_loaded() -> Golden:
    golden = make_golden()
    return goldens.load_body(golden, report_golden(), golden.annotator)


def turn_of(golden: Golden, key: str, path: str = "main") -> GoldTurn:
    return next(turn for turn in golden.turns.filter(path=path) if turn.key == key)


def page_of(golden: Golden, **query: Any) -> str:
    return str(client_of(golden.annotator).get(golden.get_absolute_url(), query).content.decode())


def list_of(golden: Golden, **query: Any) -> str:
    url = reverse("annotations:golden-turns", args=[golden.pk])
    return str(client_of(golden.annotator).get(url, query, headers=HTMX).content.decode())


def entry_of(page: str, turn: GoldTurn) -> str:
    found = re.search(rf'<li[^>]*>(?:(?!</li>).)*data-turn="{turn.pk}".*?</li>', page, re.DOTALL)
    assert found is not None
    return unescape(found[0])


def hand(golden: Golden, part: str, *, headers: dict[str, str] | None = HTMX, **query: Any) -> Any:
    url = reverse("annotations:golden-hand", args=[golden.pk, part])
    return client_of(golden.annotator).get(url, query, headers=headers)


def values(golden: Golden, key: str, *, method: str = "get", headers: Any = HTMX, **given: Any) -> str:
    url = reverse("annotations:golden-values", args=[golden.pk, turn_of(golden, key).pk])
    response = getattr(client_of(golden.annotator), method)(url, given, headers=headers)
    assert response.status_code == 200
    return unescape(response.content.decode())


class TestList:
    def test_draws_each_link_by_its_kind_and_says_it(self) -> None:
        golden = make_loaded()
        page = list_of(golden, current=turn_of(golden, "g4").pk)
        assert page.count('data-ends="') == 3
        pair = f'data-ends="{turn_of(golden, "g3").pk} {turn_of(golden, "g4").pk}"'
        assert f'<path class="state on" {pair}' in page
        assert '<path class="data" data-ends=' in page
        assert 'class="state head"' in page
        assert "uses the result of turn 2: data_id" in entry_of(page, turn_of(golden, "g3"))
        assert "works on what turn 3 did" in entry_of(page, turn_of(golden, "g4"))
        assert "style=" not in page

    def test_without_links_has_no_drawing(self) -> None:
        assert "<svg" not in list_of(make_draft())

    def test_brackets_what_may_come_in_any_order_and_says_it(self) -> None:
        golden = make_draft()
        chosen = [turn_of(golden, key).pk for key in ("g2", "g3", "g4")]
        goldens.group_turns(golden=golden, turns=chosen, by=golden.annotator)
        page = list_of(golden)
        assert [part in page for part in ('class="free first"', 'class="free mid"', 'class="free last"')] == [True] * 3
        assert "in any order with turns 3 and 4" in entry_of(page, turn_of(golden, "g2"))

    def test_a_turn_alone_in_its_group_is_told(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        goldens.update_turn(turn=turn, body={**turn.body, "group": "A"}, seen=1, by=golden.annotator)
        assert "alone in group A, which frees nothing" in entry_of(list_of(golden), turn)
        assert "Turn 2 stands alone in group A" in hand(golden, "order").content.decode()

    def test_readers_can_choose_nothing(self) -> None:
        golden = make_loaded()
        engineer = make_member(golden.conversation.dataset.project, Role.ENGINEER)
        page = client_of(engineer).get(golden.get_absolute_url()).content.decode()
        assert 'name="turns"' not in page
        assert 'id="pick"' not in page
        assert 'data-ends="' in page

    def test_a_turn_comes_as_fragment_from_its_own_address(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g3")
        response = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}, headers=HTMX)
        page = response.content.decode()
        assert page.lstrip().startswith('<section class="card" id="turn"')
        assert "Turn 3 of 5" in page
        assert json.loads(response["HX-Trigger-After-Settle"])["turnShown"]["turn"] == turn.pk


class TestOrder:
    def post(self, golden: Golden, *keys: str, headers: dict[str, str] | None = HTMX, **more: Any) -> Any:
        url = reverse("annotations:golden-order", args=[golden.pk])
        turns = [turn_of(golden, key).pk for key in keys]
        return client_of(golden.annotator).post(url, {"turns": turns, "do": "free", **more}, headers=headers)

    def test_is_freed_from_the_list_and_the_open_turn_learns_of_it(self) -> None:
        golden = make_draft()
        current = turn_of(golden, "g3")
        response = self.post(golden, "g2", "g3", current=current.pk, path="main")
        page = response.content.decode()
        assert page.lstrip().startswith('<nav class="card" id="turns"')
        assert "✓ Turns 2 and 3 may come in any order." in page
        assert json.loads(response["HX-Trigger-After-Settle"])["turnMoved"] == {
            "turn": current.pk,
            "revision": 2,
            "group": "A",
        }
        page = self.post(golden, "g3", do="fixed", current=current.pk).content.decode()
        assert "✓ The order of turns 2 and 3 counts again." in page
        assert [turn.body.get("group") for turn in golden.turns.all()] == [None] * 7

    def test_refused_says_why_and_keeps_what_was_chosen(self) -> None:
        golden = make_loaded()
        response = self.post(golden, "g2", "g3")
        page = response.content.decode()
        assert response.status_code == 422
        assert "Turn 3 uses the result of turn 2: data_id. So it must come after turn 2" in page
        assert page.count(" checked") == 2

    def test_works_without_javascript(self) -> None:
        golden = make_draft()
        client = client_of(golden.annotator)
        url = reverse("annotations:golden-order", args=[golden.pk])
        turns = [turn_of(golden, key).pk for key in ("g2", "g3")]
        page = client.post(url, {"turns": turns, "do": "free"}, follow=True).content.decode()
        assert "Turns 2 and 3 may come in any order." in page
        page = client.post(url, {"turns": turns[:1], "do": "nonsense"}, follow=True).content.decode()
        assert "Turns 2 and 3 may come in any order." in page, "the group is chosen with its turn"
        page = client.post(url, {"turns": ["x", "9" * 30]}, follow=True).content.decode()
        assert "Choose the turns first" in page

    def test_what_is_not_open_is_not_changed(self) -> None:
        golden = make_draft()
        golden.status = "accepted"
        golden.save(update_fields=["status"])
        assert "cannot be changed now" in self.post(golden, "g2", "g3").content.decode()
        stranger = client_of(make_user())
        assert stranger.post(reverse("annotations:golden-order", args=[golden.pk])).status_code == 404

    def test_a_move_that_would_turn_the_order_round_is_refused_in_words(self) -> None:
        golden = make_loaded()
        url = reverse("annotations:golden-turn-move", args=[golden.pk, turn_of(golden, "g3").pk])
        page = client_of(golden.annotator).post(url, {"places": "-1"}, follow=True).content.decode()
        assert "Turn 3 must stay behind turn 2: it uses the result of turn 2: data_id." in page

    def test_a_circle_is_refused_beside_its_field(self) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g2")
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        fields = form_of(page_of(golden, turn=turn.pk), action=url)
        ref = {"p0-mode": "ref", "p0-ref": "other", "p0-ref_turn": "g4", "p0-ref_path": "id", "do": "save"}
        response = client_of(golden.annotator).post(url, {**fields, **ref}, headers=HTMX)
        assert response.status_code == 422
        page = response.content.decode()
        assert "Turn 2 cannot build on turn 4: turn 4 builds on turn 2 already (through turn 3)" in page
        assert turn_of(golden, "g2").revision == turn.revision


class TestWays:
    def with_other_way(self) -> Golden:
        golden = make_loaded()
        by = golden.annotator
        goldens.add_path(golden=golden, name="by mail", copy_of="main", by=by)
        turn = turn_of(golden, "g2", "by mail")
        body = {**turn.body, "params": {**turn.body["params"], "metric": {"values": ["revenue", "turnover"]}}}
        goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=by)
        goldens.add_turn(
            golden=golden,
            body={"tool": "mail", "params": {}},
            by=by,
            path="by mail",
            after=turn_of(golden, "g4", "by mail"),
        )
        goldens.remove_turn(turn=turn_of(golden, "g1", "by mail"), by=by)
        return golden

    def test_the_list_says_what_differs(self) -> None:
        golden = self.with_other_way()
        page = list_of(golden, path="by mail")
        assert "3 turns as in main, 1 differs, 1 only here, 1 left out" in page
        assert "≠" in entry_of(page, turn_of(golden, "g2", "by mail"))
        assert "differs from main" in entry_of(page, turn_of(golden, "g2", "by mail"))
        assert "only in this way" in entry_of(page, turn_of(golden, "g6", "by mail"))
        assert "≠" not in list_of(golden, path="main").replace("≠ differs", "")

    def test_are_compared_word_by_word(self) -> None:
        golden = self.with_other_way()
        page = unescape(hand(golden, "ways", path="by mail").content.decode())
        assert "How by mail differs from main" in page
        assert "<ins> or turnover</ins>" in page
        assert "+ Turn 4 · mail" in page
        assert "− Turn 1 · Reply" in page
        assert "Turns 2 and 3 are the same." in page
        assert "Turn 5 is the same." in page

    def test_of_one_way_there_is_nothing_to_compare(self) -> None:
        golden = make_loaded()
        assert hand(golden, "ways").status_code == 404
        assert 'data-hand="ways"' not in page_of(golden)

    def test_are_renamed_and_removed_with_undo(self) -> None:
        golden = self.with_other_way()
        before = goldens.golden_body(golden)
        client = client_of(golden.annotator)
        url = reverse("annotations:golden-path", args=[golden.pk])
        page = client.post(url, {"do": "rename", "path": "main", "name": "by phone"}, follow=True).content.decode()
        assert "by phone" in page
        client.post(url, {"do": "remove", "path": "by mail"})
        assert {turn.path for turn in golden.turns.all()} == {"by phone"}
        for _ in range(2):
            client.post(reverse("annotations:golden-undo", args=[golden.pk]))
        assert goldens.golden_body(Golden.objects.get(pk=golden.pk)) == before


class TestPicking:
    def test_lists_the_values_of_earlier_results_the_nearest_first(self) -> None:
        golden = make_draft()
        page = values(golden, "g4")
        assert page.index("Turn 3 · reports · Aggregate") < page.index("Turn 2 · reports · FilterData")
        assert '["g2", "$.data_id"]' in page
        assert "Turn 4" not in page
        assert "<html" not in page
        assert "<html" in values(golden, "g4", headers=None)

    def test_what_stands_in_the_turn_too_comes_first(self) -> None:
        body = report_trajectory()
        for turn in body["turns"]:
            if turn.get("args") == {"data_id": "D7"}:
                turn["args"] = {"data_id": "REPORT-7781"}
            if turn.get("result") == {"data_id": "D7"}:
                turn["result"] = {"data_id": "REPORT-7781"}
        page = values(make_draft(body), "g3")
        assert page.index("Standing in this turn too") < page.index("REPORT-7781") < page.index("Turn 2 ·")

    def test_a_value_is_offered_to_every_field_that_stands_there(self) -> None:
        golden = make_draft()
        page = values(golden, "g4", value='["g2", "$.data_id"]')
        assert "data_id</b> of what turn 2 returned" in page
        assert "<b>format</b>" in page
        assert "is pdf" in page
        assert "The step as a whole" in page

    def test_the_field_that_holds_the_value_comes_first(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g4")
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        fields = form_of(page_of(golden, turn=turn.pk), action=url)
        typed = {**fields, "p1-name": "title", "p1-mode": "values", "p1-v0-kind": "text", "p1-v0-text": "EU"}
        other = {**typed, "value": '["g2", "$.data_id"]'}
        page = values(golden, "g4", method="post", **other)
        assert page.index("<b>format</b>") < page.index("<b>title</b>")
        page = values(golden, "g4", method="post", **{**other, "p1-v0-text": "D7"})
        assert page.index("<b>title</b>") < page.index("<b>format</b>")

    def test_the_fields_are_those_that_are_typed(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g4")
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        fields = form_of(page_of(golden, turn=turn.pk), action=url)
        typed = {**fields, "p1-name": "title", "p1-mode": "values", "p1-v0-kind": "text", "p1-v0-text": "EU"}
        page = values(golden, "g4", method="post", **typed, value='["g2", "$.data_id"]')
        assert "<b>title</b>" in page
        assert '["p1", "g2", "$.data_id"]' in page

    def test_a_reply_offers_its_claims(self) -> None:
        golden = make_loaded()
        golden.source_trajectory = make_trajectory(golden.conversation)
        golden.save(update_fields=["source_trajectory"])
        page = values(golden, "g5", value='["g2", "$.data_id"]')
        assert "Claim 1: EU revenue was 120 million" in page
        assert "comes from 3" in page

    @pytest.mark.parametrize(
        ("key", "token", "words"),
        [
            ("g2", '["g3", "$.total"]', "Turn 2 cannot build on turn 3, which comes later. Which turn uses it?"),
            ("g2", '["g2", "$.data_id"]', "This is what turn 2 itself returns. Which later turn uses it?"),
            ("u2", '["g2", "$.data_id"]', "What the user says builds on nothing."),
            ("g3", '["g99", "$.a"]', "That turn is not in this way any more."),
        ],
    )
    def test_what_cannot_use_it_is_told_and_who_can(self, key: str, token: str, words: str) -> None:
        page = values(make_draft(), key, value=token)
        assert words in page
        assert ("Turn 4 · reports · Render" in page) == ("g99" not in token)
        assert "data-take" not in page

    def test_turns_in_any_order_cannot_use_each_other(self) -> None:
        golden = make_draft()
        chosen = [turn_of(golden, key).pk for key in ("g2", "g3")]
        goldens.group_turns(golden=golden, turns=chosen, by=golden.annotator)
        assert "may come in any order (group A)" in values(golden, "g3", value='["g2", "$.data_id"]')

    @pytest.mark.parametrize("token", ["[", "7", '["g2"]', '["g2", 3]', "{}", "null"])
    def test_nonsense_lists_all_values(self, token: str) -> None:
        assert "Which value does turn 4 use?" in values(make_draft(), "g4", value=token)

    @pytest.mark.parametrize(
        ("key", "choice", "kept"),
        [
            ("g3", ["p0", "g2", "$.data_id"], {"params": {"data_id": {"ref": {"turn": "g2", "path": "$.data_id"}}}}),
            ("g4", ["+source", "g3", "$.total"], {"params": {"source": {"ref": {"turn": "g3", "path": "$.total"}}}}),
            ("g4", ["", "g3", "$.total"], {"depends_on": [{"turn": "g3", "kind": "data"}]}),
        ],
    )
    def test_is_taken_into_the_form_and_saved_with_it(self, key: str, choice: list[str], kept: dict[str, Any]) -> None:
        golden = make_draft()
        turn = turn_of(golden, key)
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        page = page_of(golden, turn=turn.pk, take=json.dumps(choice))
        assert "not saved yet" in page
        assert turn_of(golden, key).body == turn.body
        fields = form_of(page, action=url)
        client_of(golden.annotator).post(url, {**fields, "do": "save"})
        body = turn_of(golden, key).body
        for name, value in kept.items():
            assert body[name] == value if name != "params" else value.items() <= body[name].items()

    def test_a_claim_gets_its_source(self) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g5")
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        for _ in range(2):  # twice is once
            fields = form_of(page_of(golden, turn=turn.pk), action=url)
            choice = 'take-value:["c0", "g2", "$.data_id"]'
            page = client_of(golden.annotator).post(url, {**fields, "do": choice}, headers=HTMX).content.decode()
            client_of(golden.annotator).post(url, {**form_of(page, action=url), "do": "save"})
        assert turn_of(golden, "g5").body["claims"][0]["from"] == ["g3", "g2"]

    @pytest.mark.parametrize("choice", ["", "[", '["p9","g2","$"]', '["c0","g2","$"]', '["x","g2","$"]', '["p",1,2]'])
    def test_nonsense_takes_nothing(self, choice: str) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g3")
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        fields = form_of(page_of(golden, turn=turn.pk, take=choice), action=url)
        client_of(golden.annotator).post(url, {**fields, "do": "save"})
        assert turn_of(golden, "g3").body == turn.body

    def test_values_in_the_conversation_are_buttons(self) -> None:
        page = page_of(make_draft())
        assert 'value="[&quot;g2&quot;, &quot;$.data_id&quot;]" class="plain pickable">D7</button>' in page

    def test_a_stranger_is_told_nothing(self) -> None:
        golden = make_draft()
        url = reverse("annotations:golden-values", args=[golden.pk, turn_of(golden, "g3").pk])
        assert client_of(make_user()).get(url).status_code == 404


class TestAtHand:
    def test_shows_the_guideline_that_the_golden_is_under(self) -> None:
        project = make_project()
        Guideline.objects.create(project=project, number=1, title="How", body="*First*")
        golden = make_draft(dataset=make_dataset(project))
        Guideline.objects.create(project=project, number=2, title="How", body="*Second*")
        page = hand(golden, "guideline").content.decode()
        assert "<em>First</em>" in page
        assert "version 1" in page
        assert "Version 2 is out since" in page
        assert "<html" not in page

    def test_tools_are_told_in_words_and_that_of_the_turn_is_open(self) -> None:
        schema = {
            "required": ["region"],
            "properties": {"region": {"type": "string", "enum": ["EU", "US"], "description": "Where"}},
        }
        names = ("reports", "mail", "search", "print")
        tools = {name: {"effect": "write", "description": f"Does {name}.", "schema": schema} for name in names}
        golden = make_draft(tools=tools)
        page = hand(golden, "tools", current=turn_of(golden, "g2").pk).content.decode()
        assert page.count('<details class="tool" open>') == 1
        assert "of this turn" in page
        assert "<b>required</b> · text" in page
        assert '<span class="val">US</span>' in page
        assert "changes something" in page

    def test_goal_prompt_and_task(self) -> None:
        golden = make_draft(user_goal="A report", system_prompt="Be careful", domain="sales")
        Conversation.objects.update(extra={"meta": {"difficulty": "hard"}, "comments": [{"text": "secret remark"}]})
        sighted = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        url = reverse("annotations:golden-hand", args=[golden.pk, "goal"])
        page = client_of(sighted).get(url, headers=HTMX).content.decode()
        assert [text in page for text in ("A report", "Be careful", "sales", "meta · difficulty", "hard")] == [True] * 5
        assert "secret" not in page

    def test_a_blinded_annotator_is_not_told_what_an_import_brought(self) -> None:
        golden = make_draft(dataset=make_dataset(make_project(is_blind=True)), user_goal="A report")
        Conversation.objects.update(extra={"reward": 1, "verdict": "fails at turn 2"})
        page = hand(golden, "goal").content.decode()
        assert "A report" in page
        assert "reward" not in page

    def test_links_are_listed_with_their_kinds_explained(self) -> None:
        golden = make_loaded()
        page = unescape(hand(golden, "order").content.decode())
        assert "uses the result of turn 2: data_id" in page
        assert "uses the result of turn 3: “EU revenue was 120 million”" in page
        assert page.count("<dt><svg") == 3
        assert "Nothing is said yet" in hand(make_draft(), "order").content.decode()

    def test_without_javascript_the_page_shows_it(self) -> None:
        golden = make_draft(user_goal="A report", system_prompt="Be careful")
        own = hand(golden, "goal", headers=None, turn=turn_of(golden, "g2").pk).content.decode()
        assert "<html" in own
        assert f"?turn={turn_of(golden, 'g2').pk}" in own
        page = page_of(golden, turn=turn_of(golden, "g2").pk, hand="goal")
        assert "Be careful" in page
        assert "Turn 2 of 5" in page
        assert page.count('id="hand"') == 1

    def test_what_there_is_not_is_not_offered(self) -> None:
        golden = make_draft(tools={})
        page = page_of(golden)
        assert 'data-hand="order"' in page
        for part in ("guideline", "tools", "goal", "ways"):
            assert f'data-hand="{part}"' not in page
            assert hand(golden, part).status_code == 404
        assert hand(golden, "nonsense").status_code == 404
        assert page_of(golden, hand="nonsense").count('id="hand"') == 1

    def test_ones_own_pace_is_told_and_too_little_is_said(self) -> None:
        golden = make_draft()
        assert "no pace yet" in page_of(golden)
        engineer = make_member(golden.conversation.dataset.project, Role.ENGINEER)
        assert "pace" not in client_of(engineer).get(golden.get_absolute_url()).content.decode()

    def test_whoever_reviews_somebody_elses_golden_is_told_no_pace(self) -> None:
        golden = make_draft()
        goldens.submit(golden, golden.annotator)
        reviewer = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        page = client_of(reviewer).get(golden.get_absolute_url()).content.decode()
        assert 'id="turn-form"' in page, "a reviewer may correct it"
        assert "no pace yet" not in page
