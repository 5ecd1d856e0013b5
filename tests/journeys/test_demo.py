"""The demo, as the README walks through it: why NYC passes, why profit fails, and what the labels say."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from evaluation.models import EvaluationRun, RunItem
from evaluation.services import meaning

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def _sign_in(page: Page, name: str) -> None:
    page.goto("/p/demo/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(f"{name}-demo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Runs").first).to_be_visible()


def _item(run: EvaluationRun, key: str) -> str:
    return RunItem.objects.get(run=run, trajectory__key=key).get_absolute_url()


def test_why_nyc_passes_and_profit_does_not(page: Page) -> None:
    meaning.forget()
    call_command("load_demo", public_passwords=True, stdout=StringIO())
    run = EvaluationRun.objects.get(policy__name="meaning")
    _sign_in(page, "carla")

    page.get_by_role("link", name="Runs").first.click()
    page.get_by_role("link", name="In other words").first.click()
    page.goto(_item(run, "sow-01-v2.2-t1"))
    city = page.locator("tr", has_text="NYC").first
    expect(city).to_contain_text("right")
    city.get_by_text("why").click()
    expect(city).to_contain_text("mean the same")

    page.keyboard.press("j")
    expect(page.get_by_text("What the reply must say")).to_be_visible()
    expect(page.locator("main")).to_contain_text("You pay 500 dollars yourself")

    page.goto(_item(run, "sow-04-v2.2-t2"))
    subject = page.locator("tr", has_text="Q3 2024 profit").first
    expect(subject).to_contain_text("other value")
    expect(subject).to_contain_text("“profit” excludes “revenue”")

    page.goto("/p/demo/calibration/")
    expect(page.locator("main")).to_contain_text("Proposed")
    page.goto("/p/demo/lessons/")
    expect(page.locator("main")).to_contain_text("bonnet panel")
