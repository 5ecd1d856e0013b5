"""The page of the API in a browser, under the same content security policy as all pages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_operations_are_shown_and_nothing_is_refused(page: Page) -> None:
    page.goto("/api/docs/")
    operation = page.locator("#operations-account-get_me")
    expect(operation).to_be_visible(timeout=30_000)
    assert page.locator(".opblock").count() > 60
    operation.locator(".opblock-summary-control").click()
    expect(operation.locator(".responses-table").first).to_be_visible()
