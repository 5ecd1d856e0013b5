"""Keys in a real browser: on every page, of one's own choice, on other layouts, and for a whole annotation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, GoldTurn, HumanLabel, Role, User
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
from tests.journeys.people import sign_in
from tests.people import client_of
from tests.world import RULES, World, make_world

pytestmark = pytest.mark.django_db(transaction=True)

#: What a page may not have, as its reader meets it: what is folded or hidden cannot be pressed.
SURVEY = r"""() => {
  const shown = (el) => el.getClientRects().length > 0 && !el.disabled;
  const text = (el) => el.getAttribute("aria-label") || el.textContent || el.name || el.tagName;
  const name = (el) => text(el).replace(/\s+/g, " ").trim().slice(0, 60);
  const keyed = [...document.querySelectorAll("[data-key]")].filter(shown);
  const twice = {};
  for (const el of keyed) (twice[el.dataset.key] = twice[el.dataset.key] || []).push(name(el));
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const scripted = "[hx-get]:not([hx-trigger]), [data-open-dialog], [data-copy]";
  const works = [...document.querySelectorAll(controls + ", " + scripted)].filter(shown);
  const drawn = (el) => [...el.querySelectorAll("kbd")];
  const isForNobody = (el) => el.closest("[aria-hidden=true]");
  const written = [...document.forms].filter((form) => form.method === "post" && form.querySelector("textarea"));
  return {
    keys: keyed.length,
    twice: Object.entries(twice).filter(([, names]) => names.length > 1),
    nameless: keyed.filter((el) => !el.dataset.action).map(name),
    wordless: keyed.filter((el) => !el.dataset.keyLabel && !name(el)).length,
    drawnOtherwise: keyed.filter((el) => drawn(el).some((kbd) => kbd.textContent !== el.dataset.key)).map(name),
    unreachable: works.filter((el) => el.tabIndex < 0 && !el.dataset.key && !isForNobody(el)).map(name),
    unsaved: written.filter((form) => shown(form) && !window.aem.saveOf(form)).map((form) => form.action),
    reachable: works.filter((el) => el.tabIndex >= 0).length,
  };
}"""


def survey(page: Page, url: str) -> dict[str, Any]:
    page.goto(url)
    page.wait_for_function("() => window.aem")
    found: dict[str, Any] = page.evaluate(SURVEY)
    return found


def pages_of(world: World, user: User) -> list[str]:
    """The addresses that show this person a page."""
    client = client_of(user)
    found = []
    for name, rule in RULES.items():
        if rule.get is None:
            continue
        url = world.url_of(name)
        answer = client.get(url)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html") and b"<html" in answer.content:
            found.append(url)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.OWNER, Role.ADJUDICATOR, Role.ANNOTATOR])
def test_no_page_binds_a_key_twice_and_everything_is_reached_by_key(
    page: Page, live_server: LiveServer, role: Role, page_complaints: list[str]
) -> None:
    world = make_world()
    user = world.cast[role]
    assert user is not None
    sign_in(page.context, user, live_server.url)
    urls = pages_of(world, user)
    golden = Golden.objects.get(pk=world.arguments["golden_id"])
    if role == Role.ADJUDICATOR:
        goldens.submit(golden, golden.annotator)  # then it is looked at to be accepted
    if role != Role.OWNER:
        urls += [f"{golden.get_absolute_url()}?turn={turn.pk}" for turn in golden.turns.all()]
    faults, keys = {}, 0
    for url in urls:
        found = survey(page, url)
        keys += found.pop("keys")
        assert found.pop("reachable") > 3, url
        wrong = {what: which for what, which in found.items() if which}
        if wrong:
            faults[url] = wrong
    assert faults == {}
    assert len(urls) > (25 if role == Role.ANNOTATOR else 40)
    assert keys > 60
    page_complaints.clear()  # what other tests look for: some of these pages ask for what the world does not have


@pytest.fixture
def golden(live_server: LiveServer, page: Page) -> Golden:
    conversation = make_conversation(make_dataset(make_project(slug="shop"), slug="sales"), key="sales-1")
    user = make_member(conversation.dataset.project, user=make_user("ann"))
    sign_in(page.context, user, live_server.url)
    return goldens.start(conversation, user, make_trajectory(conversation, body=report_trajectory()))


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def open_turn(page: Page, golden: Golden, key: str) -> None:
    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, key).pk}")
    page.wait_for_function("() => window.aem")


class TestOnesOwn:
    def test_a_key_is_chosen_by_pressing_it_and_holds_everywhere(self, page: Page, golden: Golden) -> None:
        page.goto("/account/")
        page.get_by_role("link", name="Keys", exact=True).click()
        box = page.locator("[id='key-workbench.take']")
        box.focus()
        page.keyboard.press("u")
        expect(page.locator("#keys-list")).to_contain_text("Not changed: “u” is the key of “Undo” there")
        expect(box).to_have_value("a")
        box.focus()
        page.keyboard.press("Shift+Z")  # a capital is no other key; z skips a conversation
        expect(page.locator("#keys-list")).to_contain_text("“z” is the key of “Skip the conversation”")
        box.focus()
        page.keyboard.press("9")
        expect(page.locator("#keys-list")).to_contain_text("“9” is the key of “Accept suggestion 9”")
        page.locator("[id='key-workbench.suggestion-9']").focus()
        page.keyboard.press("Backspace")
        expect(page.locator("#keys-list")).to_contain_text("“Accept suggestion 9” has no key now")
        box.focus()
        page.keyboard.press("9")
        expect(page.locator("#keys-list")).to_contain_text("“Take as observed, and go on” is “9” now")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement !== document.body"), "Tab goes on from the box"
        open_turn(page, golden, "g1")
        expect(page.get_by_role("button", name="Take as observed")).to_have_text("Take as observed 9")
        page.keyboard.press("?")
        listed = page.locator("#keys tr", has_text="Take as observed")
        expect(listed.locator("kbd")).to_have_text("9")
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()
        page.keyboard.press("a")
        page.keyboard.press("9")
        expect(page.locator("#turn-title")).to_contain_text("Turn 2")
        page.goto("/account/keys/")
        page.get_by_role("button", name="All as they were").click()
        expect(page.locator("#keys-list")).to_contain_text("its usual key again")
        expect(box).to_have_value("a")

    def test_keys_are_listed_by_groups_with_words(self, page: Page, golden: Golden) -> None:
        open_turn(page, golden, "g2")
        page.keyboard.press("?")
        groups = page.locator("#keys th").all_inner_texts()
        assert {"Move", "This turn", "Do", "Everywhere"} <= set(groups)
        assert all(row.strip() for row in page.locator("#keys td:last-child").all_inner_texts())

    def test_the_key_of_a_box_is_listed_by_its_label(self, page: Page, golden: Golden) -> None:
        page.goto(golden.conversation.dataset.get_absolute_url())
        page.wait_for_function("() => window.aem")
        page.keyboard.press("?")
        expect(page.locator("#keys tr", has=page.locator("kbd", has_text="/"))).to_contain_text("Search")


#: Sends keys as another keyboard would; what is bound to them is looked at afterwards.
PRESS = """([key, code, more]) => (document.activeElement || document.body).dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...more }))"""


class TestLayouts:
    def press(self, page: Page, key: str, code: str, **more: bool) -> None:
        page.evaluate(PRESS, [key, code, more])

    def test_digits_need_no_shift_on_azerty_and_may_have_it(self, page: Page, live_server: LiveServer) -> None:
        conversation = make_conversation()
        version = make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)])
        make_trajectory(conversation)
        run = make_run(version)
        sign_in(page.context, make_member(conversation.dataset.project, Role.OWNER), live_server.url)
        page.goto(f"/runs/{run.pk}/items/1/?turn=1")
        page.wait_for_function("() => window.aem")
        self.press(page, "é", "Digit2")
        expect(page.locator("input[name=verdict][value=fail]")).to_be_checked()
        self.press(page, "1", "Digit1", shiftKey=True)
        expect(page.locator("input[name=verdict][value=pass]")).to_be_checked()
        self.press(page, "!", "Digit3", shiftKey=True)  # on QWERTY a sign, and no digit
        expect(page.locator("input[name=verdict][value=pass]")).to_be_checked()
        self.press(page, "É", "Digit4")  # CapsLock
        expect(page.locator("input[name=verdict][value=not_agent]")).to_be_checked()
        self.press(page, "?", "Comma", shiftKey=True)
        expect(page.locator("dialog#keys")).to_be_visible()

    def test_letters_count_by_what_they_write(self, page: Page, golden: Golden) -> None:
        open_turn(page, golden, "g1")
        self.press(page, "q", "KeyA")  # AZERTY: q goes to the queue, and a is not pressed
        page.wait_for_url("**/queue/")
        open_turn(page, golden, "g1")
        self.press(page, "J", "KeyJ")  # CapsLock
        expect(page.locator("#turn-title")).to_contain_text("Turn 2")
        self.press(page, "л", "KeyK")  # a layout without Latin letters
        expect(page.locator("#turn-title")).to_contain_text("Turn 1")

    def test_composing_dead_keys_chords_and_held_keys_do_nothing(self, page: Page, golden: Golden) -> None:
        open_turn(page, golden, "g1")
        self.press(page, "j", "KeyJ", isComposing=True)
        self.press(page, "Dead", "BracketLeft")
        self.press(page, "Process", "KeyJ")
        for chord in ("ctrlKey", "altKey", "metaKey"):
            self.press(page, "j", "KeyJ", **{chord: True})
        self.press(page, "a", "KeyA", repeat=True)
        page.wait_for_timeout(300)
        expect(page.locator("#turn-title")).to_contain_text("Turn 1")
        assert not GoldTurn.objects.filter(is_done=True).exists()

    def test_a_select_and_an_editable_place_are_typed_in(self, page: Page, golden: Golden) -> None:
        open_turn(page, golden, "g2")
        kind = page.locator("select[name='p0-v0-kind']")
        kind.focus()
        page.keyboard.press("j")
        page.keyboard.press("?")
        page.locator("#turn-form").evaluate(
            """(form) => {
              const box = Object.assign(document.createElement("p"), { contentEditable: "true", id: "box" });
              form.append(box);
              box.focus();
            }"""
        )
        page.keyboard.type("jaqs?")
        expect(page.locator("#box")).to_have_text("jaqs?")
        expect(page.locator("#turn-title")).to_contain_text("Turn 2")
        assert page.locator("dialog[open]").count() == 0
        assert not GoldTurn.objects.filter(is_done=True).exists()


class TestSaveFromABox:
    def test_saves_the_form_that_one_is_in_and_no_other(
        self, page: Page, golden: Golden, live_server: LiveServer
    ) -> None:
        goldens.submit(golden, golden.annotator)
        owner = make_member(golden.conversation.dataset.project, Role.OWNER)
        sign_in(page.context, owner, live_server.url)
        open_turn(page, golden, "g1")
        page.locator("#review-comment").fill("Look at turn 2.")
        page.locator("#id_text").evaluate("el => { el.value = 'typed beside it'; }")
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**/reviews/")  # accepting is what the comment's form is for
        assert turn_of(golden, "g1").body["response"] != "typed beside it"
        assert Golden.objects.get(pk=golden.pk).review_comment == "Look at turn 2."

    def test_also_with_the_command_key_and_in_every_area(
        self, page: Page, golden: Golden, live_server: LiveServer
    ) -> None:
        open_turn(page, golden, "g1")
        page.locator("#id_text").fill("typed")
        page.keyboard.press("Meta+Enter")
        expect(page.locator("#turn")).to_contain_text("✓ turn 1 saved")
        page.goto("/account/")
        page.get_by_label("Display name").fill("Ann of Sales")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="Ann of Sales")).to_be_visible()

    def test_typing_labels_types(self, page: Page, live_server: LiveServer) -> None:
        conversation = make_conversation()
        version = make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)])
        make_trajectory(conversation)
        run = make_run(version)
        sign_in(page.context, make_member(conversation.dataset.project, Role.OWNER), live_server.url)
        page.goto(f"/runs/{run.pk}/items/1/?turn=1")
        box = page.get_by_label("Why")
        everything = "abcdefghijklmnopqrstuvwxyz0123456789?"
        box.press_sequentially(everything)
        page.keyboard.press("Backspace")
        page.keyboard.press("Enter")
        expect(box).to_have_value(everything[:-1] + "\n")
        assert not HumanLabel.objects.exists()
        assert page.locator("input[name=verdict]:checked").count() == 0
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        box.focus()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#review")).to_contain_text("turn 1 is saved")
        assert HumanLabel.objects.get().verdict == "pass"


LIBRARY_TOOLS = {
    "members": {"effect": "read", "description": "Find a member of the library."},
    "loans": {"effect": "write", "description": "List and renew what a member has borrowed."},
    "holds": {"effect": "write", "description": "Keep a book for a member."},
    "mail": {"effect": "write", "description": "Send a member a message."},
}


def library_trajectory() -> dict[str, Any]:
    """Ten turns of an agent: it renews for 14 days instead of 28, and has the book kept at another branch."""
    return {
        "turns": [
            {"user": "Hello, I am Mira Okafor. I cannot bring my book back in time."},
            {"tool": "members", "action": "find", "args": {"name": "Mira Okafor"}, "result": {"member_id": "M-204"}},
            {"response": "Welcome back, Mira. Which of your books is it?"},
            {"user": "The one on bridges. I need four more weeks."},
            {
                "tool": "loans",
                "action": "list",
                "args": {"member": "M-204"},
                "result": {"loans": [{"loan_id": "L-9", "title": "Bridges of the North", "due": "2026-03-02"}]},
            },
            {
                "tool": "loans",
                "action": "renew",
                "args": {"loan": "L-9", "days": 14},
                "result": {"due": "2026-03-16"},
            },
            {"response": "Bridges of the North is renewed."},
            {"user": "Thank you. And please keep “Tunnels” for me, I come to the West branch."},
            {
                "tool": "holds",
                "action": "find",
                "args": {"title": "Tunnels"},
                "result": {"book_id": "B-77", "copies": 2},
            },
            {
                "tool": "holds",
                "action": "place",
                "args": {"branch": "North", "book": "B-77"},
                "result": {"hold_id": "H-3"},
            },
            {"response": "Tunnels is kept for you."},
            {"tool": "mail", "action": "send", "args": {"to": "M-204", "about": "H-3"}, "result": {"sent": True}},
            {"response": "I have sent you a message with all of it."},
        ]
    }


class Presses:
    """Counts what a hand does: each key that goes down, a chord as its two keys, and what is done with them."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys, self.actions = page, 0, 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += len(key.split("+"))
        self.actions += 1

    def confirm(self, dialog: Dialog) -> None:
        """The page asks whether suggestions may stay open: Enter."""
        self.keys += 1
        self.actions += 1
        dialog.accept()

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.keys += len(text)
        self.actions += 1


def test_ten_turns_that_are_right_but_for_two_fields_take_few_keys(
    page: Page, live_server: LiveServer, figure: Callable[[str], None]
) -> None:
    project = make_project(slug="library")
    conversation = make_conversation(make_dataset(project), key="mira-1", tools=LIBRARY_TOOLS)
    user = make_member(project)
    golden = goldens.start(conversation, user, make_trajectory(conversation, body=library_trajectory()))
    sign_in(page.context, user, live_server.url)
    page.goto("/p/library/queue/")
    page.wait_for_function("() => window.aem")
    hand = Presses(page)
    page.on("dialog", hand.confirm)
    title = page.locator("#turn-title")

    hand.press("j")
    expect(title).to_contain_text("Turn 1 of 10")
    page.wait_for_function("() => window.aem")
    for number in range(1, 11):
        expect(title).to_contain_text(f"Turn {number} of 10")
        if number == 4:
            hand.press("v")  # the loan
            hand.press("Escape")
            hand.press("v")  # the days
            hand.type("28")
            hand.press("Control+Enter")
        elif number == 7:
            hand.press("v")  # the branch
            hand.type("West")
            hand.press("Control+Enter")
        else:
            hand.press("a")
    expect(page.locator("#turns header")).to_contain_text("10 of 10")
    hand.press("e")
    expect(page.locator(".messages")).to_contain_text("Submitted")

    golden.refresh_from_db()
    assert golden.status == "submitted"
    bodies = [turn.body for turn in golden.turns.all() if turn.turn_no]
    renewed, kept = bodies[3]["params"], bodies[6]["params"]
    assert (renewed["days"], renewed["loan"]["value"]) == ({"value": 28}, "L-9")
    assert (kept["branch"], kept["book"]["value"]) == ({"value": "West"}, "B-77")
    figure(f"ten turns, two fields put right: {hand.keys} keys, {hand.actions} actions")
    assert hand.keys <= 40
    assert hand.actions <= 25
