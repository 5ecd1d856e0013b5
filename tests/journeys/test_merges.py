"""In a real browser, by keys alone: two people's goldens become one, field by field, with an undo and an example."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Merge
from tests.annotations.services.test_merges import Scene, golden_with
from tests.factories import report_golden
from tests.journeys.people import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_merge_by_keys_alone(page: Page, live_server: LiveServer) -> None:
    mine = report_golden()
    mine["forbidden"] = [{"tool": "mail"}]
    scene = Scene(mine, golden_with("g4", optional=True, params={"format": {"value": "html"}}))
    Merge.objects.all().delete()
    sign_in(page.context, scene.carla, str(live_server.url))
    page.goto(f"/p/{scene.project.slug}/reviews/")
    expect(page.locator("body")).to_contain_text("2 goldens to merge")
    page.keyboard.press("j")
    progress = page.locator("#merge [role=status]")
    expect(progress).to_contain_text("0 of 2 differences decided 1 of 5 turns differs, and 1 other point")
    for golden in scene.goldens:
        expect(page.locator("body")).not_to_contain_text(str(golden.annotator))

    page.keyboard.press("e")
    expect(page.locator("#merge")).to_contain_text("What is the same in all goldens is accepted.")
    expect(page.locator("#item-title")).to_have_text("Turn 4: call of reports · Render")

    # The first field from A, then the values of both.
    page.keyboard.press("f")
    page.keyboard.press("Space")
    page.keyboard.press("f")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.keyboard.type("Customers open both.")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.locator("#item-title")).to_have_text("A forbidden call")
    expect(progress).to_contain_text("1 of 2 differences decided")
    expect(progress).to_contain_text("an example of the guideline")

    # Whichever letter leaves it out; that is taken back, and the other one taken.
    is_first = "not in it" in page.locator(".version").nth(0).inner_text()
    page.keyboard.press("a" if is_first else "b")
    expect(page.locator("#merge")).to_contain_text("Accept merge")
    page.keyboard.press("k")
    page.keyboard.press("u")
    expect(progress).to_contain_text("1 of 2 differences decided")
    page.keyboard.press("j")
    expect(page.locator("#item-title")).to_have_text("A forbidden call")
    page.keyboard.press("b" if is_first else "a")
    expect(page.locator("#merge")).to_contain_text("Accept merge")

    page.keyboard.press("y")
    expect(progress).to_contain_text("golden 1 in force")
    scene.conversation.refresh_from_db()
    record = scene.conversation.golden_record
    assert record is not None
    golden = record.body["golden"]
    assert golden["forbidden"] == [{"tool": "mail"}]
    assert sorted(golden["paths"][0]["turns"][5]["params"]["format"]["values"]) == ["html", "pdf"]
    assert scene.project.guidelines.get().examples.get().why == "Customers open both."
    page.keyboard.press("j")
    expect(page.locator("#item-title")).to_have_text("Turn 4: call of reports · Render")
    for person in {str(golden.annotator) for golden in scene.goldens}:
        expect(page.locator("#merge")).to_contain_text(person)
