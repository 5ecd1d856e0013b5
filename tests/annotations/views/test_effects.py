"""Checked while typing, as page and as fragment: hints, the recorded run, what would change, and who may see it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import Golden, GoldTurn, Project, Role, User
from annotations.services import effects, goldens
from tests.annotations.html_forms import Fields, form_of
from tests.factories import (
    REPORT_TOOLS,
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    make_user,
    report_golden,
    report_trajectory,
)
from tests.people import client_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
SCHEMA = {
    "type": "object",
    "properties": {
        "metric": {"type": "string", "enum": ["revenue", "profit"]},
        "region": {"type": "string", "maxLength": 6},
        "top": {"type": "integer", "minimum": 1},
    },
    "required": ["metric", "region"],
}
TOOLS = {**REPORT_TOOLS, "reports": {**REPORT_TOOLS["reports"], "schema": SCHEMA}}


@pytest.fixture(autouse=True)
def nothing_at_hand() -> Iterator[None]:
    effects.forget()
    yield
    effects.forget()


def make_draft(*, is_blind: bool = False, others: int = 3, tools: Any = None) -> Golden:
    """Drafted from a run that is right; the others ask for profit."""
    project = make_project(is_blind=is_blind, overlap=2)
    conversation = make_conversation(make_dataset(project), tools=tools)
    source = make_trajectory(conversation, agent_version="1")
    for trial in range(others):
        make_trajectory(conversation, body=report_trajectory(metric="profit"), agent_version="2", trial=trial)
    return goldens.start(conversation, make_member(project), source)


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def address(turn: GoldTurn) -> str:
    return reverse("annotations:golden-turn", args=[turn.golden_id, turn.pk])


def check(user: User, turn: GoldTurn, typed: dict[str, str] | None = None, *, page: bool = False) -> str:
    """What is said of a turn with these fields typed; the text alone, without its markup."""
    client = client_of(user)
    shown = client.get(turn.golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
    fields: Fields = {**form_of(shown, action=address(turn)), **(typed or {})}
    url = reverse("annotations:golden-turn-effect", args=[turn.golden_id, turn.pk])
    assert f'hx-post="{url}"' in shown
    response = client.post(url, fields, headers={} if page else HTMX)
    assert response.status_code == 200
    return response.content.decode()


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def hints_in(page: str) -> dict[str, str]:
    """Each place of the form with what stands beside it now."""
    found = re.findall(r'data-hint="([^"]+)">(.*?)</div>(?=<div data-hint|</div>)', page, re.DOTALL)
    return {place: words(text) for place, text in found}


class TestWhatIsTyped:
    def test_is_tried_on_the_recorded_run_before_it_is_saved(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        said = check(golden.annotator, turn, {"p1-v0-text": "Asia"})
        assert "fails the recorded run" in said
        assert 'region should be "Asia", and is "EU".' in words(said)
        assert f"?turn={turn.pk}" in said
        assert "not saved" in words(said)
        turn.refresh_from_db()
        assert (turn.revision, turn.body["params"]["region"]) == (1, {"value": "EU"})

    def test_is_compared_on_all_other_runs_with_links_to_them(self) -> None:
        golden = make_draft()
        said = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"})
        assert "If you save this" in said
        assert re.search(r"\d+ failing turns would pass, \d+ passing turns? would fail", words(said))
        other = golden.conversation.trajectories.filter(agent_version="2").first()
        assert other is not None
        assert f"{reverse('annotations:trajectory-detail', args=[other.pk])}#o3" in said
        assert "reporter 2" in words(said)
        assert 'So far: metric should be "revenue", and is "profit".' in words(said)

    def test_that_changes_nothing_says_so_shortly(self) -> None:
        golden = make_draft()
        said = check(golden.annotator, turn_of(golden, "g2"))
        assert "passes the recorded run" in said
        assert "What you type is tried on the 4 recorded runs" in words(said)
        assert "If you save this" not in said

    def test_with_no_other_run_the_recorded_one_is_enough(self) -> None:
        golden = make_draft(others=0)
        said = words(check(golden.annotator, turn_of(golden, "g2")))
        assert "passes the recorded run" in said
        assert "recorded runs of this conversation" not in said

    def test_what_cannot_be_read_yet_is_no_fault(self) -> None:
        golden = make_draft()
        said = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-kind": "number", "p0-v0-text": "twelve"})
        assert "Cannot be tried yet. “twelve” is no number" in words(said)
        assert "“twelve” is no number" in hints_in(said)["p0-v0"]
        refused = words(check(golden.annotator, turn_of(golden, "g2"), {"p0-compare": "regex", "p0-v0-text": "("}))
        assert "Cannot be tried yet. Turn 2" in refused

    def test_without_a_recorded_run_beside_it_others_are_tried_all_the_same(self) -> None:
        golden = make_draft()
        golden.source_trajectory = None
        golden.save(update_fields=["source_trajectory"])
        page = client_of(golden.annotator).get(golden.get_absolute_url()).content.decode()
        assert 'id="try"' in page
        assert "would pass" in words(check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"}))
        golden.conversation.trajectories.all().delete()
        assert 'id="try"' not in client_of(golden.annotator).get(golden.get_absolute_url()).content.decode()

    def test_all_runs_are_tried_on_request_and_a_part_is_said_to_be_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        golden = make_draft()
        monkeypatch.setattr(effects, "SECONDS_TYPING", 0.0)
        part = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"})
        assert "Tried on 1 of 4 runs" in words(part)
        assert "try all of them" in part
        whole = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit", "all": "1"})
        assert "Tried on" not in words(whole)

    def test_long_lists_are_counted_and_open_on_request(self) -> None:
        golden = make_draft(others=9)
        part = words(check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"}))
        assert re.search(r"and \d+ more of this version", part)
        whole = words(check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit", "all": "1"}))
        assert "more of this version" not in whole

    def test_as_a_page_keeps_everything_typed(self) -> None:
        golden = make_draft(tools=TOOLS)
        turn = turn_of(golden, "g2")
        page = check(golden.annotator, turn, {"p1-v0-text": "somewhere"}, page=True)
        assert "<html" in page
        assert "it must have at most 6 characters" in page
        assert "fails the recorded run" in page
        back = form_of(page, action=address(turn))
        assert back["p1-v0-text"] == "somewhere"
        client = client_of(golden.annotator)
        assert 'value="somewhere"' in client.post(address(turn), {**back, "do": "render"}).content.decode()
        client.post(address(turn), {**back, "do": "save"})
        assert turn_of(golden, "g2").body["params"]["region"] == {"value": "somewhere"}

    def test_of_the_whole_conversation_too(self) -> None:
        golden = make_draft()
        client = client_of(golden.annotator)
        shown = client.get(reverse("annotations:golden-whole", args=[golden.pk])).content.decode()
        url = reverse("annotations:golden-whole-effect", args=[golden.pk])
        assert url in shown
        typed = {"revision": "1", "f0-number": "-1", "f0-kind": "", "f0-tool": "reports", "f0-action": "Render"}
        said = client.post(url, typed, headers=HTMX).content.decode()
        assert "1 forbidden call" in words(said)
        assert "As a whole, 1 run would fail." in words(said)
        golden.refresh_from_db()
        assert golden.forbidden == []
        page = client.post(url, typed).content.decode()
        assert form_of(page, action=reverse("annotations:golden-whole", args=[golden.pk]))["f0-action"] == "Render"


class TestHints:
    def test_stand_beside_each_field_and_go_when_they_do_not_hold(self) -> None:
        golden = make_draft(tools=TOOLS)
        turn = turn_of(golden, "g2")
        typed = {"p0-v0-text": "sales", "p1-v0-kind": "number", "p1-v0-text": "5"}
        found = hints_in(check(golden.annotator, turn, typed))
        assert "“sales” is not one of the tool's values: “revenue”, “profit”" in found["p0-v0"]
        assert "the tool takes text here, and this is a number" in found["p1-v0"]
        assert hints_in(check(golden.annotator, turn)) == {"p0": "", "p0-v0": "", "p1": "", "p1-v0": "", "call": ""}

    def test_say_what_is_missing_and_what_nobody_knows(self) -> None:
        golden = make_draft(tools=TOOLS)
        turn = turn_of(golden, "g2")
        found = hints_in(check(golden.annotator, turn, {"p1-name": "area"}))
        assert "the tool has no parameter of this name" in found["p1"]
        assert "the tool requires region" in found["call"]
        found = hints_in(check(golden.annotator, turn, {"tool": "nothing"}))
        assert "the agent has no tool named nothing" in found["call"]

    def test_are_there_when_the_form_is_drawn_and_never_keep_from_saving(self) -> None:
        golden = make_draft(tools=TOOLS)
        turn = turn_of(golden, "g2")
        client = client_of(golden.annotator)
        shown = client.get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        fields = {**form_of(shown, action=address(turn)), "p0-v0-text": "sales", "do": "save"}
        saved = client.post(address(turn), fields, headers=HTMX)
        assert saved.status_code == 200
        assert "is not one of the tool&#x27;s values" in saved.content.decode()
        assert turn_of(golden, "g2").body["params"]["metric"] == {"value": "sales"}

    def test_nothing_is_said_of_what_is_not_typed_yet(self) -> None:
        golden = make_draft(tools=TOOLS)
        turn = turn_of(golden, "g2")
        typed = {"p0-v0-text": "", "p1-compare": "regex", "p1-v0-text": "a long pattern.*"}
        found = hints_in(check(golden.annotator, turn, typed))
        assert found["p0-v0"] == found["p1-v0"] == ""

    def test_of_forbidden_calls(self) -> None:
        golden = make_draft(tools=TOOLS)
        url = reverse("annotations:golden-whole-effect", args=[golden.pk])
        typed = {
            "f0-number": "-1",
            "f0-tool": "reports",
            "f0-p0-name": "top",
            "f0-p0-mode": "values",
            "f0-p0-v0-kind": "number",
            "f0-p0-v0-text": "0",
        }
        said = client_of(golden.annotator).post(url, typed, headers=HTMX).content.decode()
        assert hints_in(said)["f0-p0-v0"] == "! it must be at least 1"
        assert hints_in(said)["f0-call"] == ""

    @pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>'])
    def test_are_text_whatever_was_typed(self, text: str) -> None:
        golden = make_draft(tools=TOOLS)
        for page in (False, True):
            said = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": text}, page=page)
            assert text not in said


def ask(client: Client, golden: Golden, **query: str) -> Any:
    return client.get(reverse("annotations:golden-effect", args=[golden.pk]), query, headers=HTMX)


class TestReview:
    @pytest.fixture
    def golden(self) -> Golden:
        golden = make_draft()
        make_golden_record(golden.conversation, golden=report_golden())
        turn = turn_of(golden, "g2")
        body = {**turn.body, "params": {"metric": {"values": ["revenue", "profit"]}, "region": {"value": "EU"}}}
        goldens.update_turn(turn=turn, body=body, seen=1, by=golden.annotator)
        goldens.submit(golden, golden.annotator)
        return golden

    def test_says_what_accepting_would_change(self, golden: Golden) -> None:
        client = client_of(make_member(golden.conversation.dataset.project, Role.ADJUDICATOR))
        page = client.get(golden.get_absolute_url()).content.decode()
        assert f'hx-get="{reverse("annotations:golden-effect", args=[golden.pk])}"' in page
        said = words(ask(client, golden).content.decode())
        assert "Accepting this golden would change, compared with golden 1, in force:" in said
        assert "failing turns would pass" in said
        whole = client.get(reverse("annotations:golden-effect", args=[golden.pk])).content.decode()
        assert "<html" in whole

    def test_says_that_nothing_would_change(self, golden: Golden) -> None:
        client = client_of(make_member(golden.conversation.dataset.project, Role.ADJUDICATOR))
        make_golden_record(golden.conversation, golden=goldens.golden_body(golden))
        assert "accepting it changes no verdict" in words(ask(client, golden).content.decode())

    def test_of_a_first_golden_says_how_the_runs_do(self, golden: Golden) -> None:
        client = client_of(make_member(golden.conversation.dataset.project, Role.ADJUDICATOR))
        golden.conversation.golden_record = None
        golden.conversation.save(update_fields=["golden_record"])
        said = words(ask(client, golden).content.decode())
        assert "No golden is in force yet. With this one: 4 runs would pass, 0 would fail." in said

    def test_is_no_business_of_strangers(self, golden: Golden) -> None:
        assert ask(client_of(make_user()), golden).status_code == 404


class TestBlindness:
    """One's own golden on recorded runs is one's own work; the golden in force and stored verdicts are not."""

    @pytest.fixture
    def golden(self) -> Golden:
        golden = make_draft(is_blind=True)
        theirs = goldens.start(
            golden.conversation, make_member(self.project(golden), Role.OWNER), golden.source_trajectory
        )
        turn = turn_of(theirs, "g1")
        goldens.update_turn(turn=turn, body={"id": "g1", "response": "SECRET"}, seen=1, by=theirs.annotator)
        goldens.submit(theirs, theirs.annotator)
        goldens.accept(theirs, theirs.annotator)
        return golden

    def project(self, golden: Golden) -> Project:
        return golden.conversation.dataset.project

    def test_ones_own_edit_is_tried_on_all_runs(self, golden: Golden) -> None:
        said = check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"})
        assert "would pass" in words(said)
        assert "SECRET" not in said
        assert "in force" not in words(said)

    @pytest.mark.parametrize("name", ["golden-turn-effect", "golden-whole-effect", "golden-try", "golden-effect"])
    def test_the_golden_in_force_is_not_compared_with(self, golden: Golden, name: str) -> None:
        client = client_of(golden.annotator)
        more = [turn_of(golden, "g2").pk] if name == "golden-turn-effect" else []
        url = reverse(f"annotations:{name}", args=[golden.pk, *more])
        given = {"against": "in_force"}
        response = client.get(url, given) if name in ("golden-try", "golden-effect") else client.post(url, given)
        assert response.status_code == 403
        assert "SECRET" not in response.content.decode()

    def test_goldens_of_others_are_not_there(self, golden: Golden) -> None:
        theirs = golden.conversation.goldens.exclude(pk=golden.pk).get()
        client = client_of(golden.annotator)
        for name in ("golden-effect", "golden-whole-effect", "golden-try"):
            url = reverse(f"annotations:{name}", args=[theirs.pk])
            assert (client.post if name == "golden-whole-effect" else client.get)(url).status_code == 404
        url = reverse("annotations:golden-turn-effect", args=[theirs.pk, turn_of(theirs, "g1").pk])
        assert client.post(url).status_code == 404

    def test_once_handed_in_it_says_nothing_more_of_other_runs(self, golden: Golden) -> None:
        fields = {"tool": "reports", "action": "FilterData", "p0-name": "metric"}
        fields |= {"p0-mode": "values", "p0-v0-kind": "text", "p0-v0-text": "profit"}
        goldens.submit(golden, golden.annotator)
        url = reverse("annotations:golden-turn-effect", args=[golden.pk, turn_of(golden, "g2").pk])
        said = words(client_of(golden.annotator).post(url, fields, headers=HTMX).content.decode())
        assert "is shown to you while you write it" in said
        assert "would pass" not in said

    def test_ones_own_golden_in_force_tells_nothing_either(self, golden: Golden) -> None:
        reviewer = make_member(self.project(golden), Role.ADJUDICATOR)
        goldens.submit(golden, golden.annotator)
        goldens.accept(golden, reviewer)
        goldens.return_(golden, reviewer, "again")
        said = words(check(golden.annotator, turn_of(golden, "g2"), {"p0-v0-text": "profit"}))
        assert "waits for your own labels" in said
        assert "would pass" not in said

    def test_those_who_review_see_it(self, golden: Golden) -> None:
        reviewer = make_member(self.project(golden), Role.ADJUDICATOR)
        said = check(reviewer, turn_of(golden, "g2"), {"p0-v0-text": "profit", "against": "in_force"})
        assert "Compared with golden 1, in force" in words(said)
