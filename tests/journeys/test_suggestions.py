"""Suggestions in a real browser: a draft of several runs, accepted and refused by key, undone, handed in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Dialog, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, Role, User
from tests.annotations.services.test_suggestions import make_several, run, states, turn_of
from tests.factories import make_member

SignIn = Callable[[Page, User], None]


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


def test_a_draft_of_several_runs_is_decided_by_keys_alone(page: Page, transactional_db: None, sign_in: SignIn) -> None:
    conversation = make_several(run(), run(looks=False), run("odd"), rewards=(1, 1, 0))
    owner = make_member(conversation.dataset.project, Role.OWNER)
    sign_in(page, owner)
    page.goto(reverse("annotations:conversation-draft", args=[conversation.pk]))
    expect(page.locator("input[name=trajectory]:checked")).to_have_count(2)
    page.get_by_role("button", name="Draft from the ticked runs").click()
    expect(page.locator("#turns")).to_contain_text("3 suggested: 3 open")
    expect(page.locator(".prefill summary")).to_contain_text("Drafted from 2 recorded runs")
    golden = Golden.objects.get()

    page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, 'find').pk}")
    page.wait_for_load_state()
    expect(page.locator(".suggested li")).to_have_count(2)
    page.keyboard.press("1")  # keeps that the step is optional
    expect(page.locator(".suggested li")).to_have_count(1)
    expect(page.locator("#turns")).to_contain_text("1 accepted, 2 open")
    page.keyboard.press("-")  # refuses that "deep" is optional
    expect(page.locator(".suggested li")).to_have_count(0)
    expect(page.locator("#turns")).to_contain_text("1 accepted, 1 refused, 1 open")
    page.reload()
    expect(page.locator("#turn-title")).to_be_visible()
    expect(page.locator(".suggested li")).to_have_count(0)

    page.keyboard.press("u")
    expect(page.locator(".messages")).to_contain_text("Undone: a suggestion was refused")
    expect(page.locator(".suggested li")).to_have_count(1)
    expect(page.locator("#turns")).to_contain_text("1 accepted, 2 open")

    page.keyboard.press("?")
    keys = page.locator("#keys tbody kbd").all_inner_texts() or page.locator("#keys kbd").all_inner_texts()
    assert {"1", "-"} <= set(keys)
    page.keyboard.press("Escape")

    page.keyboard.press("j")
    expect(page.locator(".suggested li")).to_contain_text("to comes from")
    page.keyboard.press("1")
    expect(page.locator("#understood")).to_contain_text("is what turn 1 returned as payment")
    assert states(golden)["result", "source", "to"] == "open", "nothing counts before it is saved"
    page.keyboard.press("Control+Enter")
    expect(page.locator("#turns")).to_contain_text("2 accepted, 1 open")

    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept()

    page.on("dialog", accept)
    page.keyboard.press("e")
    expect(page.locator(".messages")).to_contain_text("Submitted")
    assert asked == ["You have saved 1 of 3 turns. 1 suggestion is still open. Submit all the same?"]


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(page: Page, transactional_db: None, sign_in: SignIn, width: int) -> None:
    conversation = make_several(run("a note that is rather long for a value"), run("another note"), run(looks=False))
    owner = make_member(conversation.dataset.project, Role.OWNER)
    sign_in(page, owner)
    page.set_viewport_size({"width": width, "height": 844})
    address = reverse("annotations:conversation-draft", args=[conversation.pk])
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Draft from the ticked runs").click()
    expect(page.locator("#turn-title")).to_be_visible()
    golden = Golden.objects.get()
    for tool in ("find", "pay"):
        page.goto(f"{golden.get_absolute_url()}?turn={turn_of(golden, tool).pk}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(reverse("annotations:suggestion-rates", args=[conversation.dataset.project.slug]))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
