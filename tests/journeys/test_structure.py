"""In a real browser: links are made by picking, turns come in any order, ways are compared, and all is at hand."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, GoldTurn, Guideline
from annotations.services import goldens
from tests.factories import (
    make_conversation,
    make_dataset,
    make_member,
    make_project,
    make_trajectory,
    make_user,
    report_trajectory,
)

SCHEMA = {"required": ["metric"], "properties": {"metric": {"type": "string", "enum": ["revenue", "profit"]}}}
TOOLS = {
    "reports": {"effect": "read", "description": "Filter and sum up sales. " * 40, "schema": SCHEMA},
    **{f"tool{n}": {"effect": "write", "description": "Does something. " * 40} for n in range(12)},
}


@pytest.fixture
def golden(transactional_db: None) -> Golden:
    project = make_project(slug="shop", name="Shop")
    Guideline.objects.create(project=project, number=1, title="Guideline", body="Say what must hold.\n\n" * 60)
    conversation = make_conversation(
        make_dataset(project, slug="sales"), title="Sales report", tools=TOOLS, user_goal="A report of sales"
    )
    user = make_member(project, user=make_user("ann"))
    return goldens.start(conversation, user, make_trajectory(conversation, body=report_trajectory()))


@pytest.fixture
def signed_in(page: Page, golden: Golden, live_server: LiveServer) -> Page:
    return enter(page, golden, live_server)


def enter(page: Page, golden: Golden, live_server: LiveServer) -> Page:
    client = Client()
    client.force_login(golden.annotator)
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server.url)}
    page.context.add_cookies([session])  # type: ignore[list-item]
    return page


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.filter(path="main") if turn.key == key)


def open_turn(page: Page, golden: Golden, key: str) -> None:
    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, key).pk}")
    page.wait_for_load_state()
    expect(page.locator("#turn-title")).to_contain_text(f"Turn {turn_of(golden, key).turn_no}")


def entry(page: Page, golden: Golden, key: str):  # type: ignore[no-untyped-def]
    return page.locator(f'#turns li:has(a[data-turn="{turn_of(golden, key).pk}"])')


class TestPicking:
    def test_a_link_is_made_by_a_click_on_a_value(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g3")
        expect(page.locator("#turns .arcs")).to_have_count(0)
        page.locator("button.pickable", has_text="D7").click()
        expect(page.locator("#values-title")).to_contain_text("What of turn 3 is it?")
        page.keyboard.press("1")
        expect(page.locator("#values")).to_be_hidden()
        expect(page.locator("#understood")).to_contain_text("is what turn 2 returned as data_id")
        expect(page.locator("[data-save-status]")).to_have_text("not saved yet")
        page.keyboard.press("s")
        expect(page.locator("#turns .arcs path.data.on")).to_have_count(1)
        expect(entry(page, golden, "g3")).to_contain_text("uses the result of turn 2: data_id")
        assert turn_of(golden, "g3").body["params"]["data_id"] == {"ref": {"turn": "g2", "path": "$.data_id"}}

    def test_a_link_is_made_by_keys_alone_and_keeps_what_is_typed(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g4")
        page.locator("input[name='p0-v0-text']").fill("docx")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.locator("input[name='p1-name']").fill("source")
        page.keyboard.press("Escape")
        page.keyboard.press("0")
        expect(page.locator("#values-title")).to_contain_text("Which value does turn 4 use?")
        page.keyboard.type("total")
        page.keyboard.press("Enter")
        expect(page.locator("#values")).to_contain_text("source")
        page.keyboard.press("2")
        expect(page.locator("#understood")).to_contain_text("source is what turn 3 returned as total")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn-title")).to_contain_text("Turn 5")
        params = turn_of(golden, "g4").body["params"]
        assert params == {"format": {"value": "docx"}, "source": {"ref": {"turn": "g3", "path": "$.total"}}}

    def test_a_later_value_is_refused_and_leads_to_those_that_can_use_it(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        page.locator("button.pickable", has_text="120").click()
        expect(page.locator("#values .why")).to_have_text(
            "Turn 2 cannot build on turn 3, which comes later. Which turn uses it?"
        )
        page.keyboard.press("1")
        expect(page.locator("#values-title")).to_have_text("What of turn 4 is it?")
        page.get_by_role("link", name="format").click()
        expect(page.locator("#turn-title")).to_contain_text("Turn 4")
        expect(page.locator("#understood")).to_contain_text("format is what turn 3 returned as total")
        assert turn_of(golden, "g4").body["params"]["format"] == {"value": "pdf"}

    def test_escape_leaves_the_picker(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g3")
        page.keyboard.press("0")
        expect(page.locator("#values")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#values")).to_be_hidden()
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 4")


class TestOrder:
    def test_is_freed_and_counts_again_by_keys(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        page.keyboard.press(".")
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        page.locator("input[name='p0-v0-text']").fill("D8")
        page.keyboard.press("Escape")
        page.keyboard.press(".")
        expect(page.locator("#turns input:checked")).to_have_count(2)
        page.keyboard.press("b")
        expect(page.locator("#turns .order-said")).to_have_text("✓ Turns 2 and 3 may come in any order.")
        expect(entry(page, golden, "g2")).to_have_class("free first")
        expect(page.locator("input[name='p0-v0-text']")).to_have_value("D8")
        expect(page.locator("#understood")).to_contain_text("group A")
        page.keyboard.press("s")
        expect(page.locator("#turn p .saved")).to_contain_text("✓ turn 3 saved")
        body = turn_of(golden, "g3").body
        assert (body["group"], body["params"]["data_id"]) == ("A", {"value": "D8"})
        page.keyboard.press(".")
        page.keyboard.press("=")
        expect(page.locator("#turns .order-said")).to_have_text("✓ The order of turns 2 and 3 counts again.")
        assert "group" not in turn_of(golden, "g2").body

    def test_is_freed_for_a_span_and_by_dragging(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        entry(page, golden, "g4").locator("a").click(modifiers=["Shift"])
        expect(page.locator("#turns input:checked")).to_have_count(3)
        expect(page.locator("#turn-title")).to_contain_text("Turn 2")
        page.locator("#order button", has_text="Any order").click()
        expect(page.locator("#turns .order-said")).to_have_text("✓ Turns 2 to 4 may come in any order.")
        entry(page, golden, "g5").locator("a").drag_to(entry(page, golden, "g4").locator("a"))
        expect(page.locator("#turns .order-said")).to_have_text("✓ Turns 2 to 5 may come in any order.")
        assert {turn_of(golden, key).body["group"] for key in ("g2", "g3", "g4", "g5")} == {"A"}

    def test_refused_says_why_and_so_does_a_move(self, signed_in: Page, golden: Golden) -> None:
        turn = turn_of(golden, "g3")
        body = {**turn.body, "params": {"data_id": {"ref": {"turn": "g2", "path": "$.data_id"}}}}
        goldens.update_turn(turn=turn, body=body, seen=1, by=golden.annotator)
        page = signed_in
        open_turn(page, golden, "g2")
        page.keyboard.press(".")
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        page.keyboard.press(".")
        page.keyboard.press("b")
        expect(page.locator("#turns [role=alert]")).to_contain_text(
            "Turn 3 uses the result of turn 2: data_id. So it must come after turn 2"
        )
        expect(page.locator("#turns input:checked")).to_have_count(2)
        page.get_by_text("Add, move or remove turns").click()
        page.get_by_role("button", name="Move up").click()
        expect(page.locator(".messages")).to_contain_text(
            "Turn 3 must stay behind turn 2: it uses the result of turn 2: data_id."
        )


class TestWays:
    def test_are_tabs_that_say_what_differs(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        page.get_by_text("Other ways and look-ups").click()
        page.locator("#turns input[name=name]").fill("by phone")
        page.locator("#turns button[value=add]").click()
        expect(page.locator("#turns .way-line")).to_have_text("5 turns as in main")
        page.locator("#turns a", has_text="FilterData").click()
        expect(page.locator("#turn-title")).to_contain_text("by phone")
        page.locator("input[name='p1-v0-text']").fill("Europe")
        page.keyboard.press("Escape")
        page.keyboard.press("s")
        expect(page.locator("#turns .way-line")).to_have_text("4 turns as in main, 1 differs")
        expect(page.locator("#turns .way-glyph")).to_have_text("≠")
        page.keyboard.press(";")
        expect(page.locator("#hand del")).to_have_text("EU")
        expect(page.locator("#hand ins")).to_have_text("Europe")
        page.keyboard.press(";")
        expect(page.locator("#hand")).to_be_hidden()
        page.get_by_text("Other ways and look-ups").click()
        page.get_by_role("button", name="Remove way by phone").click()
        expect(page.locator("#turns .tabs")).to_have_count(0)
        page.keyboard.press("u")
        expect(page.locator("#turns .tabs a")).to_have_text(["main", "by phone"])


class TestAtHand:
    def test_opens_and_closes_by_one_key_and_is_found_where_it_was_left(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        page.keyboard.press("g")
        body = page.locator("#hand .hand-body")
        expect(body).to_be_focused()
        expect(body).to_contain_text("Say what must hold")
        body.evaluate("el => { el.scrollTop = 400 }")
        page.wait_for_function("() => Object.values(sessionStorage).includes('400')")
        page.keyboard.press("t")
        expect(page.locator("#hand-title")).to_have_text("Tools of the agent")
        expect(page.locator("#hand details[open]")).to_contain_text("One of revenue profit")
        page.keyboard.press("g")
        expect(page.locator("#hand-title")).to_contain_text("Guideline, version 1")
        page.wait_for_function("() => document.querySelector('#hand .hand-body').scrollTop === 400")
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        expect(body).to_be_visible()
        page.reload()
        page.wait_for_function("() => (document.querySelector('#hand .hand-body') || {}).scrollTop === 400")
        page.keyboard.press("g")
        expect(body).to_have_count(0)
        page.reload()
        page.wait_for_load_state("networkidle")
        expect(body).to_have_count(0)

    def test_escape_closes_it_and_gives_the_focus_back(self, signed_in: Page, golden: Golden) -> None:
        page = signed_in
        open_turn(page, golden, "g2")
        page.keyboard.press("i")
        expect(page.locator("#hand .hand-body")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#hand")).to_be_hidden()
        expect(page.locator("a[data-hand=goal]")).to_be_focused()

    def test_is_a_link_without_javascript(
        self, browser: Browser, golden: Golden, live_server: LiveServer, base_url: str
    ) -> None:
        context = browser.new_context(base_url=base_url, java_script_enabled=False)
        page = enter(context.new_page(), golden, live_server)
        page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, 'g3').pk}")
        page.get_by_role("link", name="Goal").click()
        expect(page.locator("#hand")).to_contain_text("A report of sales")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        page.get_by_role("link", name=re.compile("^Close")).click()
        expect(page.locator("#hand")).to_be_hidden()
        page.locator("button.pickable", has_text="D7").click()
        page.get_by_role("link", name="data_id").click()
        expect(page.locator("#understood")).to_contain_text("is what turn 2 returned as data_id")
        page.locator("button[name=do][value=save]").last.click()
        assert turn_of(golden, "g3").body["params"]["data_id"] == {"ref": {"turn": "g2", "path": "$.data_id"}}
        context.close()


@pytest.mark.parametrize("width", [1280, 1000, 390])
def test_nothing_is_wider_than_the_screen(signed_in: Page, golden: Golden, width: int) -> None:
    page = signed_in
    turn = turn_of(golden, "g3")
    body = {**turn.body, "params": {"data_id": {"ref": {"turn": "g2", "path": "$.data_id"}}}}
    goldens.update_turn(turn=turn, body=body, seen=1, by=golden.annotator)
    page.set_viewport_size({"width": width, "height": 844})
    for part in ("guideline", "tools", "goal", "order"):
        page.goto(f"{golden.get_absolute_url()}?turn={turn.pk}&hand={part}")
        expect(page.locator("#hand .hand-body")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
