"""A real Chromium on a real server. Without one the tests say why they are skipped; or fail, where it must be there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Keyboard, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.workers import celery_worker_process, message_queue, start_worker

__all__ = ["celery_worker_process", "message_queue", "start_worker"]

# Playwright keeps an event loop in the main thread, where Django then suspects every query of blocking one.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

HERE = Path(__file__).parent
# These tests say what happens, not how fast: a busy machine may take its time.
expect.set_options(timeout=20_000)
# Chromium's own traffic would be refused by a machine without a network, many times at once.
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def find_chromium() -> str | None:
    named = os.environ.get("AEM_CHROMIUM")
    if named:
        return named
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = find_chromium() is None
    required = os.environ.get("AEM_REQUIRE_BROWSER") == "1"
    for item in items:
        if HERE not in item.path.parents or "page" not in getattr(item, "fixturenames", ()):
            continue
        item.add_marker(pytest.mark.browser)
        if missing and not required:
            item.add_marker(pytest.mark.skip(reason="no Chromium here: install Debian's package chromium to run this"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = find_chromium()
    if chromium is None:
        pytest.fail("AEM_REQUIRE_BROWSER is set, and there is no Chromium on this machine", pytrace=False)
    return {**browser_type_launch_args, "executable_path": chromium, "args": CHROMIUM_ARGUMENTS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 900}, "locale": "en-GB"}


@pytest.fixture(scope="session")
def base_url(live_server: LiveServer) -> str:
    """`page.goto("/")` goes to the test's own server."""
    return str(live_server.url)


@pytest.fixture(autouse=True, scope="session")
def keys_wait_for_scripts() -> Iterator[None]:
    """A person presses no key before a page is there. A form that is sent leads to a page that nobody waits for.

    What was just put into a page is seen a moment before it works: till then its forms would be sent without a script.
    """
    plain = Page.keyboard

    def keyboard(page: Page) -> Keyboard:
        page.wait_for_load_state("load")
        expect(page.locator(".htmx-added")).to_have_count(0)
        return plain.__get__(page)  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Page, "keyboard", property(keyboard))
        yield


@pytest.fixture(autouse=True)
def page_complaints(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Everything the browser complained about on `page`; a test that expects a complaint clears the list.

    A refused script or style, an exception in a script or a missing file fails the test that met it. An answer that
    refuses a form (4xx) is part of how the pages work, and no complaint.
    """
    complaints: list[str] = []
    if "page" not in request.fixturenames:
        yield complaints
        return
    page: Page = request.getfixturevalue("page")

    def console(message: ConsoleMessage) -> None:
        refused = "the server responded with a status of 4" in message.text and "404" not in message.text
        # A page that is left breaks off what it asked for. What fails otherwise, the browser itself names beside it.
        broken_off = message.text.startswith(("htmx:afterRequest", "htmx:sendAbort", "htmx:sendError"))
        if message.type == "error" and not refused and not broken_off:
            complaints.append(f"{message.text} ({message.location.get('url')})")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    if "live_server" in request.fixturenames:
        request.getfixturevalue("transactional_db")  # its rows go after the pages of the test have fallen silent
    yield complaints
    said = list(complaints)
    _silence(page)
    assert said == []


def _silence(page: Page) -> None:
    """Let no page ask for anything more: a draft that is sent late would meet the emptying of the tables."""
    browser = page.context.browser
    for context in browser.contexts if browser else [page.context]:
        context.set_offline(True)
    page.wait_for_timeout(200)
