"""A policy is edited with the keyboard, its effect is seen and kept; in a browser, and once without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.models import Role, User
from evaluation.models import Policy, PolicyTrial
from tests.factories import make_member, make_report_version, make_run

pytestmark = pytest.mark.django_db(transaction=True)


def _scene() -> tuple[Any, User]:
    run = make_run(make_report_version(3, failing=1))
    engineer = make_member(run.project, Role.ENGINEER)
    engineer.set_password("long-enough-1")
    engineer.save()
    return run, engineer


def _sign_in(page: Page, engineer: User, address: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill(engineer.username)
    page.get_by_label("Password").fill("long-enough-1")
    page.keyboard.press("Enter")
    expect(page.locator("#policy-form")).to_be_visible()


def test_the_effect_is_seen_before_a_policy_is_kept(page: Page) -> None:
    run, engineer = _scene()
    address = f"/p/{run.project.slug}/policies/{run.policy_id}/edit/"
    _sign_in(page, engineer, address)
    page.keyboard.press("n")
    page.keyboard.type("reports.metric")
    page.keyboard.press("Enter")
    row = page.locator(".rules tbody tr")
    expect(row).to_have_count(1)
    compared = row.get_by_label("Compared")
    expect(compared).to_be_focused()
    compared.select_option("any")
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("t")
    effect = page.locator("#effect")
    expect(effect).to_contain_text("turn verdicts would change")
    expect(effect).to_contain_text("3 of 3")
    assert Policy.objects.count() == 1
    page.wait_for_url(f"**/trials/{PolicyTrial.objects.get().pk}/")
    expect(page.locator("[data-effect-stale]")).to_be_hidden()
    page.get_by_label("Margin").fill("0.2")
    expect(page.locator("[data-effect-stale]")).to_be_visible()
    effect.get_by_role("link", name="tests fail → pass").click()
    expect(effect.locator(".change-list li")).to_have_count(1)
    page.get_by_label("Why").fill("profit is fine")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".messages")).to_contain_text("Kept as standard 2")
    expect(page.locator("#history")).to_contain_text("profit is fine")


@pytest.mark.parametrize("colour", ["light", "dark"])
def test_a_small_screen_and_no_scripts(browser: Browser, page: Page, base_url: str, colour: Any) -> None:
    run, engineer = _scene()
    address = f"/p/{run.project.slug}/policies/{run.policy_id}/edit/"
    context = browser.new_context(
        base_url=base_url, java_script_enabled=False, viewport={"width": 390, "height": 800}, color_scheme=colour
    )
    plain = context.new_page()
    _sign_in(plain, engineer, address)
    plain.locator("#id_new_field").fill("reports.metric")
    plain.get_by_role("button", name="Add", exact=True).click()
    plain.locator(".rules").get_by_label("Compared").select_option("any")
    plain.get_by_role("button", name="Show the effect").click()
    expect(plain.locator("#effect")).to_contain_text("turn verdicts would change")
    widest = plain.locator(".policy-columns").bounding_box()
    assert widest is not None
    assert widest["x"] + widest["width"] <= 390
    plain.get_by_role("button", name="Remove the rule for reports.metric").click()
    expect(plain.locator(".rules tbody tr")).to_have_count(0)
    context.close()
