"""The page of the API in a browser, under the same content security policy as all pages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_operations_are_shown_and_nothing_is_refused(page: Page) -> None:
    page.goto("/api/docs/")
    tags = page.locator(".opblock-tag")
    expect(page.locator("#operations-tag-account")).to_be_visible(timeout=30_000)
    shown = 0
    for number in range(tags.count()):
        tags.nth(number).click()  # each area opens by itself, and closes again: all at once are too many for the page
        operations = page.locator(".opblock")
        expect(operations.first).to_be_visible()
        shown += operations.count()
        tags.nth(number).click()
        expect(operations).to_have_count(0)
    assert shown > 120
    page.locator("#operations-tag-account").click()
    operation = page.locator("#operations-account-get_me")
    expect(operation).to_be_visible()
    operation.locator(".opblock-summary-control").click()
    expect(operation.locator(".responses-table").first).to_be_visible()
