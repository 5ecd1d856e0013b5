"""The workbench in a real browser: keys, saving, conflicts, a lost session, drafts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, GoldTurn, Guideline, Role, User
from annotations.services import goldens
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_run,
    make_trajectory,
    make_user,
    report_trajectory,
)

SignIn = Callable[[Page, User], None]


@pytest.fixture
def golden(transactional_db: None) -> Golden:
    project = make_project(slug="shop", name="Shop")
    Guideline.objects.create(project=project, number=1, title="Guideline", body="Say what must hold.")
    conversation = make_conversation(make_dataset(project, slug="sales"), key="sales-1", title="Sales report")
    user = make_user("ann")
    user.set_password("correct horse")
    user.save()
    make_member(project, user=user)
    return goldens.start(conversation, user, make_trajectory(conversation, body=report_trajectory()))


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
    expect(page.locator("#turn-title")).to_be_visible()
    page.wait_for_load_state()  # keys work once the scripts are there


def title(page: Page) -> str:
    return page.locator("#turn-title").inner_text()


class TestKeys:
    def test_a_draft_that_is_right_is_annotated_and_submitted_by_keys_alone(
        self, page: Page, golden: Golden, sign_in: SignIn
    ) -> None:
        sign_in(page, golden.annotator)
        page.goto("/p/shop/queue/")
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 1 of 5")
        page.wait_for_load_state()  # keys work once the scripts are there
        for number in range(2, 6):
            page.keyboard.press("a")
            expect(page.locator("#turn-title")).to_contain_text(f"Turn {number} of 5")
            expect(page.locator("#turn [role=status]").first).to_contain_text(f"✓ turn {number - 1} saved")
        page.keyboard.press("a")
        expect(page.locator("#turn [role=status]").first).to_contain_text("the last one")
        expect(page.locator("#turns header")).to_contain_text("5 of 5")
        expect(page.locator("#try")).to_contain_text("passes the recorded run")
        page.once("dialog", lambda dialog: dialog.accept())  # a suggestion is still open
        page.keyboard.press("e")
        expect(page.locator(".messages")).to_contain_text("Submitted")

    def test_move_change_and_undo(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g2")
        page.keyboard.press("o")
        expect(page.locator("input[name=optional]")).to_be_checked()
        page.keyboard.press("s")
        expect(page.locator("#turn")).to_contain_text("✓ turn 2 saved")
        expect(page.locator("#understood")).to_contain_text("may be left out")
        assert turn_of(golden, "g2").body["optional"] is True
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        page.keyboard.press("1")  # accepts the suggestion that the value comes from turn 2
        expect(page.locator("#understood")).to_contain_text("is what turn 2 returned as data_id")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn-title")).to_contain_text("Turn 4")
        assert turn_of(golden, "g3").body["params"]["data_id"] == {"ref": {"turn": "g2", "path": "$.data_id"}}
        page.keyboard.press("k")
        expect(page.locator("#turn-title")).to_contain_text("Turn 3")
        page.keyboard.press("u")
        expect(page.locator(".messages")).to_contain_text("Undone")
        assert turn_of(golden, "g3").body["params"]["data_id"] == {"value": "D7"}

    def test_a_value_is_added_to_the_parameter_in_which_the_cursor_was(
        self, page: Page, golden: Golden, sign_in: SignIn
    ) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g2")
        names = page.locator("#turn-form input.name")
        assert names.count() > 1
        page.locator("input[name='p1-v0-text']").focus()
        for number in (1, 2):
            page.keyboard.press("Escape")
            page.keyboard.press("+")
            added = page.locator(f"input[name='p1-v{number}-text']")
            expect(added).to_be_focused()
            page.keyboard.type(f"region {number}")
        expect(page.locator("input[name='p0-v1-text']")).to_have_count(0)
        page.locator("select[name=p1-mode]").select_option("any")
        expect(page.locator("input[name='p1-v0-text']")).to_have_count(0)
        page.locator("select[name=p1-mode]").focus()
        page.keyboard.press("Escape")
        page.keyboard.press("+")
        page.keyboard.press("o")
        expect(page.locator("input[name=optional]")).to_be_checked()
        expect(page.locator("select[name=p1-mode]")).to_have_value("any")
        expect(page.locator("input[name='p0-v1-text']")).to_have_count(0)

    def test_what_was_undone_is_read_without_scrolling_until_the_next_turn(
        self, page: Page, golden: Golden, sign_in: SignIn
    ) -> None:
        sign_in(page, golden.annotator)
        page.set_viewport_size({"width": 1280, "height": 560})
        open_turn(page, golden, "g4")
        page.keyboard.press("s")
        expect(page.locator("#turn")).to_contain_text("✓ turn 4 saved")
        page.keyboard.press("u")
        said = page.locator(".messages")
        expect(said).to_contain_text("Undone")
        page.wait_for_function("window.scrollY > 100")  # the page went to the turn
        expect(said).to_be_in_viewport(ratio=0.99)
        page.keyboard.press("j")
        expect(page.locator("#turn-title")).to_contain_text("Turn 5")
        expect(said).to_have_count(0)

    def test_typing_only_types(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g1")
        box = page.locator("textarea[name=text]")
        box.fill("")
        everything = "abcdefghijklmnopqrstuvwxyz0123456789?"
        box.press_sequentially(everything)
        page.keyboard.press("Backspace")
        page.keyboard.press("Enter")
        expect(box).to_have_value(everything[:-1] + "\n")
        assert "Turn 1" in title(page)
        assert page.locator("dialog[open]").count() == 0
        expect(page.locator("[data-save-status]")).to_have_text("not saved yet")
        assert turn_of(golden, "g1").revision == 1
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn-title")).to_contain_text("Turn 2")
        assert turn_of(golden, "g1").body["response"] == everything[:-1] + "\n"

    def test_selected_words_become_a_claim(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g1")
        reply = turn_of(golden, "g1").body["response"]
        box = page.locator("textarea[name=text]")
        box.focus()
        box.evaluate("(el) => el.setSelectionRange(0, 8)")
        page.keyboard.press("Escape")  # leaves the box, where keys only type
        page.keyboard.press("n")
        expect(page.locator("textarea[name=c0-text]")).to_have_value(reply[:8].strip())
        expect(box).to_have_value(reply)
        page.locator("#conversation .msg.current .text").evaluate(
            "(el) => { document.activeElement.blur(); getSelection().selectAllChildren(el); }"
        )
        page.locator("[data-claim-button]").click()
        expect(page.locator("textarea[name=c1-text]")).to_have_value(reply)

    def test_are_listed_and_dead_elsewhere(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g2")
        page.keyboard.press("?")
        keys = page.locator("#keys tbody kbd").all_inner_texts()
        assert len(keys) == len(set(keys))
        assert {"a", "j", "k", "o", "s", "u", "g", "n", "?"} <= set(keys)
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        expect(page.locator("#hand")).to_contain_text("Say what must hold")
        page.keyboard.press("h")
        expect(page.locator("dialog#changes")).to_be_visible()
        page.keyboard.press("a")  # silent behind a dialog
        page.keyboard.press("Escape")
        page.goto("/")
        here = page.url
        for key in "asoukje1":  # n is a key of this page too
            page.keyboard.press(key)
        assert page.url == here
        assert not GoldTurn.objects.filter(is_done=True).exists()


class TestConflict:
    def test_both_versions_are_shown_and_the_typing_stays(
        self, page: Page, browser: Browser, golden: Golden, sign_in: SignIn, live_server: LiveServer
    ) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g2")
        owner = make_member(golden.conversation.dataset.project, Role.OWNER, user=make_user("olga"))
        turn = turn_of(golden, "g2")
        body = {**turn.body, "params": {**turn.body["params"], "region": {"value": "Europe"}}}
        goldens.update_turn(turn=turn, body=body, seen=1, by=owner)
        page.locator("input[name='p1-v0-text']").fill("Asia")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".conflict")).to_contain_text("olga saved this turn")
        expect(page.locator("input[name='p1-v0-text']")).to_have_value("Asia")
        expect(page.locator(".conflict tr.differs")).to_contain_text(["is Asia"])
        assert turn_of(golden, "g2").body["params"]["region"] == {"value": "Europe"}
        page.get_by_role("button", name="Overwrite theirs").click()
        expect(page.locator("#turn")).to_contain_text("✓ turn 2 saved")
        assert turn_of(golden, "g2").body["params"]["region"] == {"value": "Asia"}


class TestLostSession:
    def sign_in_in_another_tab(self, page: Page) -> None:
        other = page.context.new_page()
        other.goto("/accounts/login/")
        other.locator("input[name=username]").fill("ann")
        other.locator("input[name=password]").fill("correct horse")
        other.keyboard.press("Enter")
        other.wait_for_url(re.compile(r"^(?!.*accounts/login).*$"))
        other.close()

    def test_is_said_and_the_save_goes_through_after_signing_in(
        self, page: Page, golden: Golden, sign_in: SignIn, page_complaints: list[str]
    ) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g1")
        page.locator("textarea[name=text]").fill("typed for a while")
        Session.objects.all().delete()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#banner")).to_contain_text("your session has ended")
        expect(page.locator("textarea[name=text]")).to_have_value("typed for a while")
        assert "✓" not in page.locator("#turn").inner_text()
        assert turn_of(golden, "g1").revision == 1
        self.sign_in_in_another_tab(page)
        page.locator("textarea[name=text]").focus()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn")).to_contain_text("✓ turn 1 saved")
        assert turn_of(golden, "g1").body["response"] == "typed for a while"
        page_complaints.clear()  # the refusal is what this is about

    def test_signing_in_again_elsewhere_does_not_stop_a_save(
        self, page: Page, golden: Golden, page_complaints: list[str]
    ) -> None:
        page.goto("/accounts/login/")
        self.sign_in_in_another_tab(page)
        open_turn(page, golden, "g1")
        page.locator("textarea[name=text]").fill("typed under the first token")
        page.context.clear_cookies()
        self.sign_in_in_another_tab(page)
        page.locator("textarea[name=text]").focus()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn")).to_contain_text("✓ turn 1 saved")
        assert turn_of(golden, "g1").body["response"] == "typed under the first token"
        page_complaints.clear()  # without a cookie for a moment, the page may have asked for something


class TestDrafts:
    def test_what_was_typed_before_a_crash_is_offered_again(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g2")
        page.locator("input[name='p1-v0-text']").fill("Asia")
        page.get_by_role("button", name="+ or another value").nth(1).click()
        page.locator("input[name='p1-v1-text']").fill("Africa")
        page.goto("about:blank")
        open_turn(page, golden, "g2")
        expect(page.locator("input[name='p1-v0-text']")).to_have_value("EU")
        page.get_by_role("button", name="Take it back").click()
        expect(page.locator("input[name='p1-v0-text']")).to_have_value("Asia")
        expect(page.locator("input[name='p1-v1-text']")).to_have_value("Africa")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#turn")).to_contain_text("✓ turn 2 saved")
        assert turn_of(golden, "g2").body["params"]["region"] == {"values": ["Asia", "Africa"]}
        open_turn(page, golden, "g2")
        expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_selected_words_of_the_reply_become_a_claim(page: Page, golden: Golden, sign_in: SignIn) -> None:
    sign_in(page, golden.annotator)
    open_turn(page, golden, "g5")
    page.locator("textarea[name=text]").evaluate("box => { box.focus(); box.setSelectionRange(15, 26); box.blur(); }")
    page.keyboard.press("n")
    expect(page.locator("textarea[name='c0-text']")).to_have_value("120 million")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#turn")).to_contain_text("✓ turn 5 saved")
    assert turn_of(golden, "g5").body["claims"] == [{"text": "120 million"}]


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(page: Page, golden: Golden, sign_in: SignIn, width: int) -> None:
    sign_in(page, golden.annotator)
    page.set_viewport_size({"width": width, "height": 844})
    for key in ("g1", "g2", "g3"):
        open_turn(page, golden, key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_long_transcript_comes_when_somebody_comes_to_it(page: Page, transactional_db: None, sign_in: SignIn) -> None:
    turns = [{"response": f"Answer {number}: " + "words " * 30} for number in range(100)]
    dataset = make_dataset(make_project(slug="shop", name="Shop"))
    conversation = make_conversation(dataset)
    golden = {"paths": [{"id": "main", "turns": [{"id": "g1", **turns[0]}]}]}
    version = make_dataset_version(dataset, records=[make_golden_record(conversation, golden=golden)])
    make_trajectory(conversation, body={"turns": turns})
    run = make_run(version)
    sign_in(page, make_member(dataset.project, Role.ADJUDICATOR))
    first = page.request.get(f"/runs/{run.pk}/items/1/").text()
    assert "100 messages" in first
    assert "Answer 99" not in first
    page.goto(f"/runs/{run.pk}/items/1/")
    transcript = page.locator("#transcript")
    transcript.scroll_into_view_if_needed()
    expect(transcript).to_contain_text("Answer 99")
    page.goto(reverse("evaluation:adjudicate", args=[run.pk, 1, 1]))
    expect(page.locator("#o99")).to_have_count(0)
    page.keyboard.press("t")
    expect(page.locator("#o99")).to_contain_text("Answer 99")


class TestClaims:
    def test_are_proposed_refused_taken_and_undone_by_key(self, page: Page, golden: Golden, sign_in: SignIn) -> None:
        sign_in(page, golden.annotator)
        open_turn(page, golden, "g5")
        page.locator("textarea[name=text]").fill("EU revenue was 120 million. It is final, and the fee is $5.")
        page.keyboard.press("Escape")
        page.keyboard.press("p")
        expect(page.locator("#proposals-title")).to_contain_text("3 claims proposed")
        expect(page.locator(".proposals mark")).to_have_count(3)
        mark = page.locator('.proposals [data-says="1"]')
        before = mark.evaluate("el => getComputedStyle(el).boxShadow")
        page.locator('.proposals [data-claim="1"]').hover()
        expect(mark, "pointing at a claim lights its place").not_to_have_css("box-shadow", before)
        page.get_by_label("Refuse claim 2").click()
        expect(page.locator("#proposals-title")).to_contain_text("2 claims proposed")
        page.keyboard.press("l")
        expect(page.locator(".proposals")).to_have_count(0)
        expect(page.locator("textarea[name=c1-text]")).to_have_value("the fee is $5.")
        expect(page.locator(".tried-claim").first).to_contain_text("covered")
        assert "claims" not in turn_of(golden, "g5").body
        page.keyboard.press("s")
        expect(page.locator("#turn")).to_contain_text("✓ turn 5 saved")
        assert len(turn_of(golden, "g5").body["claims"]) == 2
        page.keyboard.press("u")
        expect(page.locator(".messages")).to_contain_text("Undone")
        assert "claims" not in turn_of(golden, "g5").body
