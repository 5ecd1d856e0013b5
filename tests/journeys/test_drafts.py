"""What is typed is never lost: in another browser, after a crash, without a session, in two windows at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Change, Draft, Golden, GoldTurn, Guideline, Role, User
from annotations.services import goldens
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, make_user
from tests.journeys.people import sign_in

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse"


@pytest.fixture
def golden(live_server: LiveServer) -> Golden:
    conversation = make_conversation(make_dataset(make_project(slug="shop"), slug="sales"), key="sales-1")
    user = make_user("ann")
    user.set_password(PASSWORD)
    user.save()
    make_member(conversation.dataset.project, user=user)
    return goldens.start(conversation, user, make_trajectory(conversation))


@pytest.fixture
def window(browser: Browser, live_server: LiveServer) -> Iterator[Callable[[User], Page]]:
    """A browser of its own in which this person is signed in."""
    opened: list[BrowserContext] = []

    def open_one(user: User) -> Page:
        context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900})
        opened.append(context)
        sign_in(context, user, live_server.url)
        return context.new_page()

    yield open_one
    for context in opened:
        for page in context.pages:
            context.set_offline(True)  # what is sent as it closes would meet the emptying of the tables
            page.wait_for_timeout(200)
        context.close()


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def open_turn(page: Page, golden: Golden, key: str) -> None:
    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, key).pk}")
    page.wait_for_function("() => window.aem")


def type_and_wait(page: Page, text: str) -> None:
    """Type, and wait until the server has it as a draft."""
    with page.expect_response(lambda answer: answer.url.endswith("/account/drafts/") and answer.status == 204):
        page.locator("#id_text").fill(text)


def sign_in_in_another_tab(context: BrowserContext, name: str = "ann") -> None:
    other = context.new_page()
    other.goto("/accounts/login/")
    other.locator("input[name=username]").fill(name)
    other.locator("input[name=password]").fill(PASSWORD)
    other.keyboard.press("Enter")
    other.wait_for_url(re.compile(r"^(?!.*accounts/login).*$"))
    other.close()


def test_another_browser_offers_it_once_and_a_save_ends_it(golden: Golden, window: Callable[[User], Page]) -> None:
    first = window(golden.annotator)
    open_turn(first, golden, "g1")
    type_and_wait(first, "typed in the first browser")
    assert turn_of(golden, "g1").body["response"] != "typed in the first browser"
    first.context.close()  # as a crash does, without a word

    second = window(golden.annotator)
    open_turn(second, golden, "g1")
    second.get_by_role("button", name="Take it back").click()
    expect(second.locator("#id_text")).to_have_value("typed in the first browser")
    second.locator("#id_text").focus()
    second.keyboard.press("Control+Enter")
    expect(second.locator("#turn")).to_contain_text("✓ turn 1 saved")
    assert turn_of(golden, "g1").body["response"] == "typed in the first browser"
    with second.expect_response(lambda answer: "/account/drafts/?name=" in answer.url):
        open_turn(second, golden, "g1")
    expect(second.get_by_role("button", name="Take it back")).to_have_count(0)
    assert not Draft.objects.exists()


def test_it_can_be_forgotten(golden: Golden, window: Callable[[User], Page]) -> None:
    page = window(golden.annotator)
    open_turn(page, golden, "g1")
    type_and_wait(page, "not meant")
    open_turn(page, golden, "g1")
    with page.expect_response(lambda answer: answer.status == 204):
        page.get_by_role("button", name="Forget it").click()
    open_turn(page, golden, "g1")
    page.wait_for_timeout(500)
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)
    assert not Draft.objects.exists()


def test_leaving_the_page_at_once_keeps_it_too(golden: Golden, window: Callable[[User], Page]) -> None:
    page = window(golden.annotator)
    open_turn(page, golden, "g1")
    page.locator("#id_text").fill("typed and gone")
    page.goto("/")
    page.wait_for_timeout(500)
    assert ["text", "typed and gone"] in Draft.objects.get().fields


def test_nobody_else_is_offered_it_not_even_in_the_same_browser(golden: Golden, window: Callable[[User], Page]) -> None:
    page = window(golden.annotator)
    open_turn(page, golden, "g1")
    type_and_wait(page, "mine alone")
    owner = make_member(golden.conversation.dataset.project, Role.OWNER)
    page.context.clear_cookies()
    sign_in(page.context, owner, page.url.split("/goldens")[0])
    with page.expect_response(lambda answer: "/account/drafts/?name=" in answer.url):
        open_turn(page, golden, "g1")
    page.wait_for_timeout(300)
    assert "mine alone" not in page.content()
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_the_end_of_a_session_is_said_while_one_types(golden: Golden, window: Callable[[User], Page]) -> None:
    page = window(golden.annotator)
    open_turn(page, golden, "g1")
    type_and_wait(page, "typed for a while")
    Session.objects.all().delete()
    page.locator("#id_text").fill("typed for a while, and longer")
    expect(page.locator("#banner")).to_contain_text("your session has ended")
    expect(page.locator("#banner a")).to_have_attribute("target", "_blank")
    sign_in_in_another_tab(page.context)
    page.bring_to_front()
    page.evaluate("window.dispatchEvent(new Event('focus'))")  # headless windows all have the focus
    expect(page.locator("#banner")).to_contain_text("You are signed in again")
    expect(page.locator("#turn")).not_to_contain_text("✓")
    page.locator("#id_text").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#turn")).to_contain_text("✓ turn 1 saved")
    expect(page.locator("#banner")).to_be_hidden()
    assert turn_of(golden, "g1").body["response"] == "typed for a while, and longer"


def test_somebody_else_who_signed_in_meanwhile_gets_nothing(golden: Golden, window: Callable[[User], Page]) -> None:
    page = window(golden.annotator)
    open_turn(page, golden, "g1")
    ben = make_member(golden.conversation.dataset.project, Role.OWNER, user=make_user("ben"))
    page.context.clear_cookies()
    sign_in(page.context, ben, page.url.split("/goldens")[0])
    page.locator("#id_text").fill("by ann")
    expect(page.locator("#banner")).to_contain_text("ben has signed in in this browser")
    assert not Draft.objects.exists()


class TestAFormThatIsAPage:
    """A guideline is sent without a script's help; what is typed there is as safe."""

    def open(self, golden: Golden, page: Page) -> None:
        page.goto("/p/shop/guideline/edit/")
        page.wait_for_function("() => window.aem")
        page.get_by_label("Body").fill("Say what must hold.")

    @pytest.fixture
    def owner(self, golden: Golden) -> User:
        owner = make_member(golden.conversation.dataset.project, Role.OWNER, user=make_user("olga"))
        owner.set_password(PASSWORD)
        owner.save()
        return owner

    def test_without_a_session_it_stays_until_one_signs_in(
        self, golden: Golden, window: Callable[[User], Page], owner: User
    ) -> None:
        page = window(owner)
        self.open(golden, page)
        Session.objects.all().delete()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#banner")).to_contain_text("your session has ended")
        expect(page.get_by_label("Body")).to_have_value("Say what must hold.")
        sign_in_in_another_tab(page.context, "olga")
        page.get_by_label("Body").focus()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".messages")).to_contain_text("Saved as a new version")
        assert Guideline.objects.get().body == "Say what must hold."
        assert not Draft.objects.exists()

    def test_a_token_of_an_earlier_sign_in_does_not_stop_it(
        self, golden: Golden, window: Callable[[User], Page], owner: User
    ) -> None:
        page = window(owner)
        self.open(golden, page)
        page.context.clear_cookies()
        sign_in_in_another_tab(page.context, "olga")
        page.get_by_label("Body").focus()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".messages")).to_contain_text("Saved as a new version")
        assert Guideline.objects.get().body == "Say what must hold."


def test_two_windows_save_one_turn_and_nothing_is_lost(golden: Golden, window: Callable[[User], Page]) -> None:
    first, second = window(golden.annotator), window(golden.annotator)
    for page in (first, second):
        open_turn(page, golden, "g2")
    first.locator("input[name='p1-v0-text']").fill("Europe")
    first.keyboard.press("Control+Enter")
    expect(first.locator("#turn")).to_contain_text("✓ turn 2 saved")
    second.locator("input[name='p1-v0-text']").fill("Asia")
    second.keyboard.press("Control+Enter")
    conflict = second.locator(".conflict")
    expect(conflict).to_contain_text("saved this turn")
    expect(conflict.locator("tr.differs")).to_contain_text(["is Asia"])
    expect(conflict).to_contain_text("Europe")
    expect(second.locator("input[name='p1-v0-text']")).to_have_value("Asia")
    assert turn_of(golden, "g2").body["params"]["region"] == {"value": "Europe"}
    # Merged: what is typed, and theirs as another accepted value.
    second.get_by_role("button", name="+ or another value").nth(1).click()
    second.locator("input[name='p1-v1-text']").fill("Europe")
    expect(second.locator(".conflict")).to_be_visible()
    second.get_by_role("button", name="Overwrite theirs").click()
    expect(second.locator("#turn")).to_contain_text("✓ turn 2 saved")
    assert turn_of(golden, "g2").body["params"]["region"] == {"values": ["Asia", "Europe"]}
    saved = Change.objects.filter(action="turn.saved").order_by("pk")
    regions = [next(iter(change.after["turns"].values()))["body"]["params"]["region"] for change in saved]
    assert regions == [{"value": "Europe"}, {"values": ["Asia", "Europe"]}]
