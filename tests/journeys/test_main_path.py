"""The whole main path in a real browser, with a real worker: from an empty project to an export."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.models import GoldenRecord, HumanLabel, Project, User
from evaluation.formats import jsonio
from evaluation.models import Decision, TurnVerdict
from tests.factories import make_user, report_trajectory
from tests.workers import WorkerProcess

PASSWORD = "a long enough pass-word"

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def sign_in(page: Page, user: User) -> None:
    user.set_password(PASSWORD)
    user.save()
    page.goto("/accounts/login/")
    page.fill("#id_username", user.username)
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def trajectories(folder: Path) -> Path:
    """Two conversations without goldens: the first run of the first is right, the second is not."""
    records = []
    for conversation in ("sales-1", "sales-2"):
        for trial, metric in enumerate(("revenue", "profit")):
            body = report_trajectory(metric=metric, total=120 if metric == "revenue" else 34)
            records.append(
                {
                    "format": "aem/1",
                    "id": f"{conversation}-{trial}",
                    "conversation": conversation,
                    "conversation_meta": {"title": f"Sales report {conversation[-1]}", "language": "en"},
                    "tools": {"reports": {"effect": "read"}},
                    "trajectory": {"agent": "reporter", "agent_version": "2.2", "trial": trial, **body},
                }
            )
    path = folder / "trajectories.jsonl"
    path.write_text("".join(jsonio.dumps(record) + "\n" for record in records) + "{broken\n", encoding="utf-8")
    return path


def annotate(page: Page, *, turns: int) -> None:
    """Take every turn as observed, by key, and submit."""
    page.wait_for_load_state()  # keys work once the scripts are there
    for number in range(1, turns + 1):
        expect(page.get_by_text(re.compile(rf"Turn {number} of {turns}"))).to_be_visible()
        page.keyboard.press("a")
        expect(page.get_by_text(re.compile(rf"{number} of {turns}$")).first).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("e")


def test_from_an_empty_project_to_an_export(
    page: Page, browser: Browser, base_url: str, celery_worker_process: WorkerProcess, tmp_path: Path
) -> None:
    # The owner makes a project.
    owner = make_user("olivia")
    sign_in(page, owner)
    page.get_by_role("link", name="New project").first.click()
    page.get_by_label("Name", exact=False).first.fill("Sales agents")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Sales agents")).to_be_visible()
    project = Project.objects.get()
    assert project.is_blind

    # Import: the bad line is named, nothing is written before the decision.
    page.get_by_role("link", name="Import conversations and trajectories").click()
    page.get_by_label("Files").set_input_files(trajectories(tmp_path))
    page.get_by_label("Name of the new dataset").fill("Sales")
    page.get_by_role("button", name="Look into it").click()
    expect(page.get_by_text("1 record cannot be read")).to_be_visible()
    expect(page.get_by_role("cell", name="line 5")).to_be_visible()
    page.keyboard.press("i")
    expect(page.get_by_text("Imported on").first).to_be_visible()

    # An annotator joins by the link that the owner sends.
    page.get_by_role("link", name="People").click()
    page.locator("#id_role").select_option("annotator")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Invitation link").input_value()
    annotator = browser.new_context(base_url=base_url, viewport={"width": 1280, "height": 900}).new_page()
    annotator.on("dialog", lambda dialog: dialog.accept())
    annotator.goto(link)
    annotator.fill("#id_username", "ana")
    annotator.fill("#id_password1", PASSWORD)
    annotator.fill("#id_password2", PASSWORD)
    annotator.get_by_role("button", name="Make an account and join").click()

    # Annotate both conversations from the queue, by keys.
    for _ in range(2):
        annotator.get_by_role("link", name="Queue").first.click()
        annotator.get_by_role("button", name=re.compile("Take the next")).click()
        annotate(annotator, turns=5)
    annotator.goto(f"/p/{project.slug}/queue/")
    expect(annotator.get_by_role("button", name=re.compile("Take the next"))).to_have_count(0)

    # The owner accepts them and releases a version.
    for _ in range(2):
        page.goto(f"/p/{project.slug}/reviews/")
        page.keyboard.press("j")
        with page.expect_navigation():
            page.get_by_role("button", name="Accept").click()
    assert GoldenRecord.objects.count() == 2
    page.goto(f"/p/{project.slug}/datasets/sales/")
    page.get_by_role("button", name="Release the next version").click()
    expect(page.get_by_role("heading", name="Version 1")).to_be_visible()

    # Score: the worker does it while the page watches.
    page.keyboard.press("r")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("4 of 4 trajectories")).to_be_visible(timeout=30_000)
    expect(page.locator("#run-progress").get_by_text("Done")).to_be_visible(timeout=30_000)
    assert TurnVerdict.objects.count() == 20
    run_url = page.url

    # The annotator labels blind: no verdict in the page before the own label is saved.
    annotator.goto(f"/p/{project.slug}/runs/")
    annotator.get_by_role("link", name=re.compile("Run 1")).first.click()
    annotator.get_by_role("link", name=re.compile("Sales report 1")).last.click()
    review_url = annotator.url.split("?")[0]
    for turn in range(1, 6):
        annotator.goto(f"{review_url}?turn={turn}")
        # Turn 2 is the machine's root cause, the later ones come from it; what was labelled before may show.
        assert "from 2" not in annotator.content()
        assert turn > 2 or "root cause" not in annotator.content()
        annotator.keyboard.press("1" if turn != 2 else "2")
        if turn == 2:
            annotator.get_by_label("Where it started").select_option("root")
            annotator.locator("summary", has_text="Sub-metrics").click()
            annotator.locator("#id_truthfulness").select_option("fail")
        annotator.get_by_label("Why").fill(f"as I read turn {turn}")
        annotator.keyboard.press("Control+Enter")
        expect(annotator.get_by_text(f"turn {turn} is saved").first).to_be_visible()
        if turn == 1:
            expect(annotator.get_by_text("Passes.", exact=False).first).to_be_visible()
            assert "root cause" not in annotator.content()
    assert HumanLabel.objects.count() == 5

    # Agreement and adjudication.
    page.goto(f"/p/{project.slug}/agreement/")
    expect(page.get_by_role("link", name="n = 5").first).to_be_visible()
    page.goto(f"/p/{project.slug}/adjudication/")
    page.keyboard.press("n")
    expect(page.get_by_text("as I read turn")).to_be_visible()
    page.keyboard.press("2")
    page.get_by_label("Reason").fill("The value came from the turn before.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Decided:").first).to_be_visible()
    assert Decision.objects.count() == 1

    # Export, as a file that reads back.
    page.goto(f"/p/{project.slug}/datasets/sales/export/?version=1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    exported = [json.loads(line) for line in lines]
    assert {record["conversation"] for record in exported} == {"sales-1", "sales-2"}
    assert sum(len(record.get("labels", [])) for record in exported) == 5
    assert sum(len(record.get("decisions", [])) for record in exported) == 1
    assert run_url
