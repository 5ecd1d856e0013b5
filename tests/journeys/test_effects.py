"""Checked while typing, in a real browser: hints and effects come by themselves, and what is typed stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, GoldTurn, Role, User
from annotations.services import goldens
from tests.factories import (
    REPORT_TOOLS,
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    report_golden,
    report_trajectory,
)

SignIn = Callable[[Page, User], None]
SCHEMA = {"properties": {"metric": {"enum": ["revenue", "profit"]}, "region": {"type": "string"}}}


@pytest.fixture
def golden(transactional_db: None) -> Golden:
    """Drafted from a run that is right; two runs of another version ask for profit."""
    project = make_project(slug="shop", name="Shop")
    tools = {**REPORT_TOOLS, "reports": {**REPORT_TOOLS["reports"], "schema": SCHEMA}}
    conversation = make_conversation(make_dataset(project, slug="sales"), key="sales-1", tools=tools)
    source = make_trajectory(conversation, agent_version="1")
    for trial in range(2):
        make_trajectory(conversation, body=report_trajectory(metric="profit"), agent_version="2", trial=trial)
    return goldens.start(conversation, make_member(project), source)


@pytest.fixture
def sign_in(live_server: LiveServer) -> SignIn:
    """Signs somebody in without typing a password."""

    def enter(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user)
        page.context.add_cookies(
            [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server.url)}]
        )

    return enter


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def open_turn(page: Page, golden: Golden, key: str) -> None:
    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, key).pk}")
    expect(page.locator("#try")).to_contain_text("passes the recorded run")


def test_a_value_is_typed_its_effect_seen_and_saved(page: Page, golden: Golden, sign_in: SignIn) -> None:
    sign_in(page, golden.annotator)
    open_turn(page, golden, "g2")
    value = page.locator("input[name=p0-v0-text]")
    value.fill("")
    value.press_sequentially("profits", delay=20)
    expect(page.locator("#hint-p0-v0")).to_contain_text("is not one of the tool's values")
    expect(page.locator("#try")).to_contain_text('metric should be "profits", and is "revenue".')
    page.keyboard.press("Backspace")
    expect(page.locator("#hint-p0-v0")).to_be_empty()
    expect(page.locator("#try")).to_contain_text("fails the recorded run")
    expect(page.locator("#try")).to_contain_text(re.compile(r"failing turns would pass, \d+ passing turns? would fail"))
    expect(page.locator("[data-check-line]")).to_contain_text("would pass")
    expect(value).to_be_focused()
    expect(value).to_have_value("profit")
    assert turn_of(golden, "g2").revision == 1
    page.keyboard.press("Control+Enter")
    expect(page.locator("#turn")).to_contain_text("✓ turn 2 saved")
    expect(page.locator("#try")).to_contain_text("What you type is tried on the 3 recorded runs")
    expect(page.locator("#try")).to_contain_text("fails the recorded run")
    assert turn_of(golden, "g2").body["params"]["metric"] == {"value": "profit"}


def test_another_accepted_value_is_better_and_links_lead_to_the_runs(
    page: Page, golden: Golden, sign_in: SignIn
) -> None:
    sign_in(page, golden.annotator)
    open_turn(page, golden, "g2")
    page.get_by_role("button", name="+ or another value").first.click()
    page.locator("input[name=p0-v1-text]").fill("profit")
    expect(page.locator("#try")).to_contain_text("As a whole, 2 runs would pass.")
    page.locator(".effect-group a").first.click()
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/#o3$"))


def test_typing_goes_on_whatever_becomes_of_the_check(
    page: Page, golden: Golden, sign_in: SignIn, page_complaints: list[str]
) -> None:
    sign_in(page, golden.annotator)
    open_turn(page, golden, "g2")
    page.evaluate("aem.banner('Not saved: as if.', null)")
    page.locator("input[name=p1-v0-text]").fill("Asia")
    expect(page.locator("#try")).to_contain_text("fails the recorded run")
    expect(page.locator("#banner")).to_contain_text("as if")  # a check is no saving

    def fail(route: Route) -> None:
        route.fulfill(status=429, body="slow down")

    page.route("**/effect/", fail)
    value = page.locator("input[name=p1-v0-text]")
    value.fill("Africa")
    expect(page.locator("#try")).to_contain_text("could not be checked (429)")
    expect(page.locator("#banner")).to_contain_text("as if")
    expect(value).to_have_value("Africa")
    page.unroute("**/effect/", fail)
    assert [text for text in page_complaints if "429" not in text] == []
    page_complaints.clear()
    value.press("End")
    value.press("s")
    expect(page.locator("#try")).to_contain_text('region should be "Africas"')
    expect(value).to_be_focused()


def test_what_holds_for_the_whole_conversation_is_checked_too(page: Page, golden: Golden, sign_in: SignIn) -> None:
    sign_in(page, golden.annotator)
    page.goto(reverse("annotations:golden-whole", args=[golden.pk]))
    page.get_by_role("button", name="+ forbidden call").click()
    page.locator("input[name=f0-tool]").fill("reports")
    expect(page.locator("#try")).to_contain_text("3 forbidden calls")
    expect(page.locator("#try")).to_contain_text("1 run would fail")
    golden.refresh_from_db()
    assert golden.forbidden == []


def test_a_reviewer_sees_what_accepting_would_change(page: Page, golden: Golden, sign_in: SignIn) -> None:
    make_golden_record(golden.conversation, golden=report_golden())
    goldens.submit(golden, golden.annotator)
    reviewer = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
    sign_in(page, reviewer)
    page.goto(golden.get_absolute_url())
    effect = page.locator("#accept-effect")
    expect(effect).to_contain_text("Accepting this golden would change, compared with golden 1, in force")
    page.locator(f'#turns a[data-turn="{turn_of(golden, "g2").pk}"]').click()
    expect(page.locator("#turn-title")).to_contain_text("Turn 2")
    page.locator("input[name=p0-v0-text]").fill("sales")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#turn")).to_contain_text("✓ turn 2 saved")
    expect(effect).to_contain_text("passing turn would fail")


def test_without_scripts_a_button_checks_and_nothing_typed_is_lost(
    browser: Browser, golden: Golden, sign_in: SignIn, live_server: LiveServer
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=str(live_server.url))
    page = context.new_page()
    sign_in(page, golden.annotator)
    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, 'g2').pk}")
    page.locator("input[name=p1-v0-text]").fill("Asia")
    page.get_by_role("button", name="Check before saving").click()
    expect(page.locator("#try")).to_contain_text('region should be "Asia"')
    page.get_by_role("button", name="Back to the form, nothing lost").click()
    expect(page.locator("input[name=p1-v0-text]")).to_have_value("Asia")
    assert turn_of(golden, "g2").revision == 1
    context.close()
