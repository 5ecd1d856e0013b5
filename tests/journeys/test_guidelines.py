"""Examples of the guideline in a real browser: written as rows, made of a decision, read where one decides."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Role
from annotations.services import projects
from tests.evaluation.views.test_review import make_run
from tests.factories import make_member, make_project, report_trajectory
from tests.journeys.people import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_a_row_and_a_decision_to_where_people_decide(page: Page, live_server: LiveServer) -> None:
    project = make_project(is_blind=False)
    olga = make_member(project, Role.OWNER)
    projects.save_guideline(project=project, title="How", body="One.", by=olga, seen_number=0)
    run = make_run(project, bodies=[report_trajectory(metric="profit", total=34)])
    sign_in(page.context, olga, live_server.url)
    page.goto(f"/p/{project.slug}/guideline/edit/")
    page.select_option("[name=examples-0-reason]", "missing_parameters")
    page.fill("[name=examples-0-text]", "No region is given.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#examples-missing_parameters")).to_contain_text("No region is given.")

    page.goto(f"/runs/{run.pk}/items/1/turns/3/decide/")
    page.locator("[name=verdict][value=pass]").check(force=True)
    page.fill("[name=reason]", "It says the total.")
    page.locator("[name=as_example]").check()
    page.locator("#decision [data-save]").click()
    expect(page.locator(".messages, [role=status]").filter(has_text="Decided").first).to_be_visible()

    page.goto(f"/runs/{run.pk}/items/1/?turn=1")
    page.locator("details.by-example > summary", has_text="Examples: Passes (1)").click()
    expect(page.locator("details.by-example[open]")).to_contain_text("It says the total.")
    page.goto(f"/p/{project.slug}/guideline/")
    page.keyboard.press("d")
    expect(page.locator("h1")).to_have_text("From version 2 to 3")
    assert projects.current_guideline(project) == project.guidelines.get(number=3)
