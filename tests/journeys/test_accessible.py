"""WCAG 2.2 AA on every page: axe in a real browser, wide and narrow, light and dark, and what axe cannot see."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from io import StringIO
from itertools import pairwise
from typing import Literal

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from annotations.models import Golden, GoldTurn, Role, User
from annotations.services import goldens
from evaluation.models import EvaluationRun, RunItem
from evaluation.services import meaning
from tests.factories import (
    make_conversation,
    make_dataset,
    make_member,
    make_project,
    make_trajectory,
    make_user,
    report_trajectory,
)
from tests.journeys.people import sign_in
from tests.people import client_of
from tests.world import RULES, make_world

pytestmark = pytest.mark.django_db(transaction=True)

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: Landmarks, headings and names of tables are good practice there, and asked for here.
PRACTICE = ["best-practice"]
EVERYTHING = {"runOnly": {"type": "tag", "values": [*STANDARD, *PRACTICE]}}
#: Each width and each scheme once: colours do not depend on the width, nor places on the scheme.
SCREENS: list[tuple[str, ViewportSize, Literal["light", "dark"]]] = [
    ("narrow", {"width": 390, "height": 844}, "dark"),
    ("wide", {"width": 1280, "height": 900}, "light"),
]

ASK_AXE = """async (options) => {
  const found = await axe.run(document, { ...options, resultTypes: ["violations"], preload: false });
  const why = (node) => [...node.any, ...node.all, ...node.none].map((check) => check.message).join("; ");
  return found.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${node.target.join(" ")} ${node.html.slice(0, 120)} (${why(node).slice(0, 200)})`));
}"""

#: The page may not scroll sideways; what is wider scrolls inside its own place.
ASK_WIDTH = """() => {
  const { scrollWidth, clientWidth } = document.scrollingElement;
  return scrollWidth > clientWidth ? [`wider than the screen: ${scrollWidth} of ${clientWidth}`] : [];
}"""

#: What has the focus is marked, and not wholly under what sticks to an edge.
ASK_FOCUS = """async () => {
  const found = [];
  const works = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const shown = (el) => el.checkVisibility() && !el.disabled && el.tabIndex >= 0;
  const places = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]];
  for (const el of [...document.querySelectorAll(works)].filter(shown)) {
    const name = el.outerHTML.slice(0, 120);
    el.focus({ focusVisible: true });
    const mark = getComputedStyle(el);
    const labels = [...(el.labels || [])];
    let box = null;
    let top = null;
    const isUncovered = ([x, y]) => {
      box = el.getBoundingClientRect();
      top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      return top && (el.contains(top) || top.contains(el) || labels.some((label) => label.contains(top)));
    };
    let isSeen = places.some(isUncovered);
    if (!isSeen) { // a part that came in this moment may have put its list elsewhere
      await new Promise((done) => setTimeout(done, 300));
      el.focus({ focusVisible: true });
      el.scrollIntoView({ block: "nearest", inline: "nearest" }); // as Tab does
      isSeen = places.some(isUncovered);
    }
    if (!el.isConnected) continue; // another stands in its place now
    if (document.activeElement !== el) found.push("takes no focus: " + name);
    else if (mark.outlineStyle === "none" || parseFloat(mark.outlineWidth) < 1) found.push("focus not marked: " + name);
    else if (!isSeen) found.push(`focus covered: ${name} at ${box.x}, ${box.y} by ${top && top.outerHTML}`);
  }
  document.activeElement.blur();
  window.scrollTo(0, 0);
  return found;
}"""

#: What tells how a thing went is told to those who do not see it.
ASK_STATUS = """() => [...document.querySelectorAll("[data-save-status], [data-check-line], ul.messages, #said")]
  .filter((el) => !el.closest("[role=status], [role=alert], [aria-live]"))
  .map((el) => "a status that is not announced: " + el.outerHTML.slice(0, 120))"""


def settle(page: Page) -> None:
    page.wait_for_function("() => window.aem && !document.querySelector('.htmx-request')")


def faults_of(page: Page, url: str) -> Iterator[str]:
    """What is wrong with the page, and where; also with what is folded."""
    page.goto(url)
    settle(page)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    settle(page)
    page.evaluate(AXE)
    yield from page.evaluate(ASK_STATUS)
    for name, size, scheme in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(ASK_WIDTH) + page.evaluate(ASK_FOCUS) + page.evaluate(ASK_AXE, EVERYTHING)
        yield from (f"{name}, {scheme}: {fault}" for fault in found)


def pages_of(user: User, urls: dict[str, str], seen: set[str]) -> Iterator[tuple[str, str]]:
    """Name and address of what this person is shown, unless somebody before was shown the very same."""
    client = client_of(user)
    for name, url in urls.items():
        answer = client.get(url)
        if answer.status_code != 200 or answer.streaming or b"<html" not in answer.content:
            continue
        body = answer.content.decode()
        main = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", body[body.index("<main") :])
        told = hashlib.sha256(main.encode()).hexdigest()
        if told not in seen:
            seen.add(told)
            yield name, url


def survey(page: Page, pages: list[tuple[str, str]]) -> list[str]:
    """Each fault, with its page; two different pages of one title are one."""
    faults: list[str] = []
    titles: dict[str, str] = {}
    for name, url in pages:
        found = list(faults_of(page, url))
        title = page.title()
        if titles.setdefault(title, name) != name:
            found.append(f"the title of {titles[title]} too: {title}")
        faults += [f"{name} {url}: {fault}" for fault in found]
    return faults


#: Addresses of one and the same page: a turn of the workbench without scripts, a run as who is blinded sees it.
SAME_PAGE = {"annotations:golden-turn": "annotations:golden-detail", "evaluation:run-items": "evaluation:run-detail"}


@pytest.mark.slow
def test_every_page_of_every_role(page: Page, live_server: LiveServer, page_complaints: list[str]) -> None:
    world = make_world()
    urls = {name: world.url_of(name) for name, rule in RULES.items() if rule.get is not None}
    faults: list[str] = []
    seen: set[str] = set()
    count = 0
    for role in (Role.OWNER, Role.ADJUDICATOR, Role.ANNOTATOR):
        user = world.cast[role]
        assert user is not None
        sign_in(page.context, user, live_server.url)
        pages = [(SAME_PAGE.get(name, name), url) for name, url in pages_of(user, urls, seen)]
        if role == Role.ANNOTATOR:
            address = Golden.objects.get(pk=world.arguments["golden_id"]).get_absolute_url()
            turns = GoldTurn.objects.filter(golden=world.arguments["golden_id"])
            pages += [("annotations:golden-detail", f"{address}?turn={turn.pk}") for turn in turns]
        faults += survey(page, pages)
        count += len(pages)
    page_complaints.clear()  # some of these pages ask for what the world does not have
    assert not faults, "\n".join(faults)
    assert count > 80


def demo_pages(user: User) -> list[tuple[str, str]]:
    """What people of the demo see most."""
    run = EvaluationRun.objects.filter(project__slug="demo", items__isnull=False).distinct().latest("created_at")
    item = RunItem.objects.filter(run=run).order_by("position").first()
    assert item is not None
    areas = (
        "",
        "queue/",
        "datasets/",
        "runs/",
        "policies/",
        "guideline/",
        "people/",
        "history/",
        "imports/",
        "judges/",
    )
    more = (
        "reviews/",
        "adjudication/",
        "lessons/",
        "vocabulary/",
        "agreement/",
        "calibration/",
        "settings/",
        "queue/all/",
    )
    urls = {area: f"/p/demo/{area}" for area in (*areas, *more)}
    urls |= {"run": run.get_absolute_url(), "items": f"{run.get_absolute_url()}items/", "item": item.get_absolute_url()}
    written = Golden.objects.filter(annotator=user, conversation__dataset__project__slug="demo").order_by("created_at")
    if written:
        urls["golden"] = written[0].get_absolute_url()
    return list(pages_of(user, urls, set()))


@pytest.mark.slow
def test_the_demo(page: Page, live_server: LiveServer) -> None:
    meaning.forget()
    call_command("load_demo", public_passwords=True, stdout=StringIO())
    faults: list[str] = []
    for name, few in (("olga", 15), ("carla", 3), ("ana", 3)):
        user = User.objects.get(username=name)
        sign_in(page.context, user, live_server.url)
        pages = demo_pages(user)
        if name != "olga":  # what the others are shown differs where they work
            pages = [one for one in pages if one[0] in ("queue/", "adjudication/", "item", "golden", "reviews/")]
        assert len(pages) >= few
        faults += survey(page, pages)
    assert not faults, "\n".join(faults)


def test_pages_without_a_sign_in(page: Page, live_server: LiveServer, page_complaints: list[str]) -> None:
    assert survey(page, [("login", "/accounts/login/"), ("not there", "/nowhere/")]) == []
    page_complaints.clear()  # that a page is not there


@pytest.fixture
def golden(live_server: LiveServer, page: Page) -> Golden:
    conversation = make_conversation(make_dataset(make_project(slug="shop"), slug="sales"), key="sales-1")
    user = make_member(conversation.dataset.project, user=make_user("ann"))
    sign_in(page.context, user, live_server.url)
    return goldens.start(conversation, user, make_trajectory(conversation, body=report_trajectory()))


def open_workbench(page: Page, golden: Golden, key: str = "g2") -> None:
    turn = next(turn for turn in golden.turns.all() if turn.key == key)
    page.goto(f"{golden.get_absolute_url()}?turn={turn.pk}")
    settle(page)


#: Each thing that Tab stops at gets a number; of a group of radio buttons one is a stop.
NUMBER = """() => {
  const works = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const shown = (el) => el.checkVisibility() && !el.disabled && el.tabIndex >= 0;
  const groups = new Set();
  const stops = [...document.querySelectorAll(works)].filter(shown).filter((el) => {
    if (el.type !== "radio") return true;
    const isFirst = !groups.has(el.name);
    groups.add(el.name);
    return isFirst;
  });
  return stops.map((el, at) => {
    el.dataset.stop = at;
    return el.outerHTML.slice(0, 120);
  });
}"""
WHERE = """() => {
  const el = document.activeElement;
  if (el.type === "radio") return document.querySelector(`[name="${el.name}"][data-stop]`).dataset.stop;
  return el.dataset.stop || "";
}"""


class TestByKey:
    def test_the_first_tab_leads_past_the_menu(self, page: Page, golden: Golden) -> None:
        open_workbench(page, golden)
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")

    @pytest.mark.parametrize("way", ["Tab", "Shift+Tab"])
    def test_tab_goes_through_the_workbench_and_out_of_it(self, page: Page, golden: Golden, way: str) -> None:
        open_workbench(page, golden)
        page.wait_for_load_state("networkidle")  # what comes later is there now
        stops = page.evaluate(NUMBER)
        assert len(stops) > 40
        visited = []
        for _ in range(len(stops) + 5):
            page.keyboard.press(way)
            visited.append(page.evaluate(WHERE))
        assert [name for at, name in enumerate(stops) if str(at) not in visited] == []
        assert all(one != other for one, other in pairwise(visited)), "it stays where it is"

    def test_a_dialog_takes_the_focus_and_gives_it_back(self, page: Page, golden: Golden) -> None:
        open_workbench(page, golden)
        opener = page.get_by_role("button", name="Keys on this page")
        opener.focus()
        page.keyboard.press("Enter")
        expect(page.locator("dialog#keys")).to_be_visible()
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
        page.evaluate(AXE)
        assert page.evaluate(ASK_AXE, EVERYTHING) == []
        page.keyboard.press("Escape")
        expect(page.locator("dialog#keys")).to_be_hidden()
        expect(opener).to_be_focused()


class TestSaidAloud:
    def test_what_a_part_of_a_page_tells(self, page: Page, golden: Golden) -> None:
        open_workbench(page, golden, "g1")
        place = page.locator("#said[role=status]")
        expect(place).to_be_empty()
        place.evaluate("(el) => { window.place = el; }")
        page.locator("#id_text").fill("typed")
        page.get_by_role("button", name="Save", exact=False).first.click()
        expect(place).to_contain_text("saved")
        assert page.evaluate("window.place.isConnected"), "only what was there before is read"

    def test_what_a_page_tells(self, page: Page, golden: Golden) -> None:
        page.goto("/account/")
        page.get_by_label("Display name").fill("Ann of Sales")
        page.keyboard.press("Control+Enter")
        message = page.locator("ul.messages li")
        expect(message).not_to_be_empty()
        expect(page.locator("#said")).to_have_text(message.inner_text())


def test_axe_finds_what_is_wrong(page: Page, live_server: LiveServer) -> None:
    """A look that finds nothing is worth something only if it finds what is there."""
    page.goto("/accounts/login/")
    page.evaluate(AXE)
    assert page.evaluate(ASK_AXE, EVERYTHING) == []
    page.locator("main").evaluate(
        """(main) => {
          const add = (tag, more) => main.appendChild(Object.assign(document.createElement(tag), more));
          add("input", { name: "nameless" });
          add("h4", { textContent: "Too deep" });
          add("p", { textContent: "Too faint" }).style.color = "#bbb";
          add("button", { textContent: "Unmarked" }).style.outline = "none";
          add("div", { textContent: "." }).style.width = "2000px";
        }"""
    )
    found = " ".join(page.evaluate(ASK_AXE, EVERYTHING) + page.evaluate(ASK_WIDTH) + page.evaluate(ASK_FOCUS))
    for what in ("label:", "heading-order:", "color-contrast:", "wider than the screen", "focus not marked"):
        assert what in found
