"""The whole queue in a browser: by key, and without JavaScript."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotations.models import Conversation, Project, Role, User
from tests.factories import make_conversation, make_dataset, make_member, make_project
from tests.journeys.people import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def make_queue() -> tuple[Project, User]:
    project = make_project()
    dataset = make_dataset(project)
    for number in range(4):
        make_conversation(dataset, key=f"c{number}")
    return project, make_member(project, Role.OWNER)


def priorities() -> list[int]:
    return list(Conversation.objects.order_by("pk").values_list("priority", flat=True))


def test_by_key_rows_are_ticked_changed_and_put_back(page: Page, base_url: str) -> None:
    project, owner = make_queue()
    sign_in(page.context, owner, base_url)
    page.goto(reverse("annotations:queue-all", args=[project.slug]))
    page.keyboard.press("j")
    page.keyboard.press("Space")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(page.locator("[data-ticked]")).to_have_text("(2)")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".act-bar")).to_contain_text("Priority set to high · 2 conversations")
    assert priorities() == [10, 10, 0, 0]
    page.keyboard.press("u")
    expect(page.locator(".act-bar")).to_contain_text("Undone")
    assert priorities() == [0, 0, 0, 0]
    page.keyboard.press("a")
    expect(page.locator("[data-ticked]")).to_have_text("(4)")


def test_without_javascript_all_that_match_are_changed_and_put_back(
    page: Page, browser: Browser, base_url: str
) -> None:
    project, owner = make_queue()
    context = browser.new_context(java_script_enabled=False, base_url=base_url)
    sign_in(context, owner, base_url)
    plain = context.new_page()
    plain.goto(reverse("annotations:queue-all", args=[project.slug]) + "?q=c3")
    plain.check("input[name=scope][value=all]")
    plain.select_option("select[name=do]", "set_aside")
    plain.fill("input[name=reason]", "later")
    plain.click("text=Do it")
    expect(plain.locator(".act-bar")).to_contain_text("Set aside: later · 1 conversation")
    assert [row.key for row in Conversation.objects.filter(set_aside_at__isnull=False)] == ["c3"]
    plain.click(".act-bar button")
    expect(plain.locator(".act-bar")).to_contain_text("Undone: Set aside: later")
    assert not Conversation.objects.filter(set_aside_at__isnull=False).exists()
    context.close()
