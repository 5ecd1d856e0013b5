"""Suggestions and the choice of runs, as page and as fragment."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Golden, GoldTurn, Role
from annotations.services import goldens
from tests.annotations.html_forms import form_of
from tests.annotations.services.test_suggestions import draft, draft_of_two_ways, make_several, run, states, turn_of
from tests.factories import make_conversation, make_member, make_project
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def address(turn: GoldTurn) -> str:
    return reverse("annotations:golden-turn", args=[turn.golden_id, turn.pk])


def press(golden: Golden, turn: GoldTurn, button: str, *, htmx: bool = True, **typed: str) -> str:
    """Press the button whose words begin so, with the form as it stands and what is typed over it."""
    client = client_of(golden.annotator)
    page = client.get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
    fields = {**form_of(page, action=address(turn)), **typed}
    do = value_of(page, button)
    return answer(client.post(address(turn), {**fields, "do": do}, headers=HTMX if htmx else {}))


def value_of(page: str, label: str) -> str:
    found = re.search(rf'value="(suggest-[^"]+)"[^>]*data-key-label="{re.escape(label)}', page)
    assert found is not None, label
    return found[1]


def answer(response: Any) -> str:
    assert response.status_code == 200, response.content.decode()[:500]
    return str(response.content.decode())


class TestSuggestions:
    def test_are_named_as_such_with_their_reason_and_keys(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        turn = turn_of(golden, "find")
        page = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        assert "this step is optional" in page
        assert "1 of 2 runs do it" in page
        assert "deep is optional?" in page
        assert 'data-action="workbench.suggestion-1"' in page
        assert page.count('data-action="workbench.refuse"') == 1
        assert "3 suggested: 3 open" in page
        assert "Drafted from 2 recorded runs" in page

    @pytest.mark.parametrize("htmx", [True, False])
    def test_refusing_an_offer_is_stored_at_once_and_keeps_what_is_typed(self, htmx: bool) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        turn = turn_of(golden, "find")
        shown = press(golden, turn, "Refuse: deep is optional", htmx=htmx, action="typed")
        assert "deep is optional?" not in shown
        assert 'value="typed"' in shown
        assert "not saved yet" in shown
        assert states(golden)["schema", "param_optional", "deep"] == "refused"
        assert turn_of(golden, "find").revision == 1
        again = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        assert "deep is optional?" not in again
        assert "3 suggested: 1 refused, 2 open" in again

    def test_keeping_what_the_draft_holds_is_stored_at_once(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        shown = press(golden, turn_of(golden, "find"), "this step is optional")
        assert "this step is optional" not in shown
        assert "data-draft-live" not in shown
        assert states(golden)["runs", "step_optional", ""] == "accepted"

    def test_refusing_what_the_draft_holds_changes_the_form_and_counts_with_the_save(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        turn = turn_of(golden, "find")
        shown = press(golden, turn, "Refuse: this step is optional")
        assert "not saved yet" in shown
        assert states(golden)["runs", "step_optional", ""] == "open"
        fields = form_of(shown, action=address(turn))
        assert "optional" not in fields
        client_of(golden.annotator).post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert states(golden)["runs", "step_optional", ""] == "refused"
        assert "optional" not in turn_of(golden, "find").body

    def test_accepting_a_source_counts_with_the_save(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        turn = turn_of(golden, "pay")
        shown = press(golden, turn, "to comes from turn 1")
        fields = form_of(shown, action=address(turn))
        client_of(golden.annotator).post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert turn_of(golden, "pay").body["params"]["to"] == {"ref": {"turn": "g1", "path": "$.payment"}}
        assert states(golden)["result", "source", "to"] == "accepted"

    def test_a_source_of_a_value_that_was_typed_is_counted_too(self) -> None:
        golden = draft(make_several(run()))
        turn = turn_of(golden, "pay")
        client = client_of(golden.annotator)
        page = client.get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        fields = {**form_of(page, action=address(turn)), "p0-v0-text": "other"}
        client.post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert states(golden)["result", "source", "to"] == "edited"
        press_again = {**fields, "p0-v0-text": "PAY-7", "revision": "2", "do": "render"}
        assert "to comes from" not in answer(client.post(address(turn), press_again, headers=HTMX))

    def test_a_refused_one_does_not_come_back_in_a_copy_of_the_way(self) -> None:
        golden = draft(make_several(run()))
        press(golden, turn_of(golden, "pay"), "Refuse: to comes from")
        goldens.add_path(golden=golden, name="other", copy_of="main", by=golden.annotator)
        copy = next(turn for turn in golden.turns.filter(path="other") if turn.body.get("tool") == "pay")
        page = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": copy.pk}).content.decode()
        assert "suggest-yes" not in page
        fields = {**form_of(page, action=address(copy)), "p0-v0-text": "other", "do": "render"}
        assert "suggest-yes" not in answer(client_of(golden.annotator).post(address(copy), fields, headers=HTMX))

    def test_several_values_and_an_open_one_can_be_refused(self) -> None:
        golden = draft(make_several(*[run(f"note {n}") for n in range(5)]))
        turn = turn_of(golden, "pay")
        shown = press(golden, turn, "Refuse: note may be anything")
        fields = form_of(shown, action=address(turn))
        client_of(golden.annotator).post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert list(turn_of(golden, "pay").body["params"]["note"]) == ["value"]
        assert states(golden)["runs", "open", "note"] == "refused"

    def test_claims_can_be_refused(self) -> None:
        one, other = run(), run()
        other["turns"][-1] = {"response": "It is paid now."}
        golden = draft(make_several(one, other))
        turn = golden.turns.get(kind="response")
        shown = press(golden, turn, "Refuse: these claims")
        fields = form_of(shown, action=address(turn))
        client_of(golden.annotator).post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert "claims" not in golden.turns.get(kind="response").body
        assert states(golden)["runs", "claims", ""] == "refused"

    @pytest.mark.parametrize("htmx", [True, False])
    def test_a_way_is_taken_out_by_refusing_it(self, htmx: bool) -> None:
        golden = draft_of_two_ways()
        turn = golden.turns.get(pk=golden.suggestions.get(kind="path").turn_pk)
        client = client_of(golden.annotator)
        page = client.get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        assert "1 of 3 runs go this way" in page
        do = value_of(page, "Refuse: this way, “way 2”, is right too")
        response = client.post(address(turn), {"do": do}, headers=HTMX if htmx else {})
        there = response.headers["HX-Redirect"] if htmx else response.headers["Location"]
        assert there == golden.get_absolute_url()
        assert "Path way 2 removed" in client.get(there).content.decode()
        assert not golden.turns.filter(path="way 2").exists()

    def test_a_way_is_named_as_it_is_called_now(self) -> None:
        golden = draft_of_two_ways()
        goldens.rename_path(golden=golden, path="way 2", name="by letter", by=golden.annotator)
        turn = golden.turns.get(pk=golden.suggestions.get(kind="path").turn_pk)
        page = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
        assert "this way, “by letter”, is right too" in page
        assert "“way 2”" not in page

    def test_one_that_is_gone_says_so(self) -> None:
        golden = draft(make_several(run()))
        turn = turn_of(golden, "pay")
        shown = answer(client_of(golden.annotator).post(address(turn), {"do": "suggest-yes:nothing:7"}, headers=HTMX))
        assert "decided on already" in shown

    def test_those_who_only_read_get_none(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        engineer = make_member(golden.conversation.dataset.project, Role.ENGINEER)
        page = client_of(engineer).get(golden.get_absolute_url()).content.decode()
        assert "suggest-yes" not in page


class TestDraftFrom:
    def test_shows_what_succeeded_and_ticks_it(self) -> None:
        conversation = make_several(run(), run("odd"), run("new"), rewards=(1, 0, None))
        owner = make_member(conversation.dataset.project, Role.OWNER)
        page = client_of(owner).get(reverse("annotations:conversation-draft", args=[conversation.pk])).content.decode()
        good = conversation.trajectories.get(trial=0)
        assert re.findall(r'value="(\d+)" id="run-\d+" checked', page) == [str(good.pk)]
        assert [text in page for text in ("✓ succeeded", "✖ failed", "? not known")] == [True] * 3

    def test_a_blinded_annotator_learns_nothing_of_what_came_out(self) -> None:
        conversation = make_several(run(), run("odd"), rewards=(0, 1), dataset=None)
        project = conversation.dataset.project
        project.is_blind = True
        project.save(update_fields=["is_blind"])
        annotator = make_member(project)
        client = client_of(annotator)
        url = reverse("annotations:conversation-draft", args=[conversation.pk])
        page = client.get(url).content.decode()
        assert "reward" not in page
        assert "succeeded</span>" not in page
        assert "checked" not in page
        assert page.index("trial 0") < page.index("trial 1")
        client.post(url, {"which": "best"})
        golden = Golden.objects.get(annotator=annotator)
        assert "trajectories" not in golden.prefill
        assert "trial" not in str(golden.prefill)
        assert "checked" not in client.get(url).content.decode()

    @pytest.mark.parametrize("is_api", [True, False])
    def test_a_blinded_annotator_is_not_told_how_many_succeeded(self, is_api: bool) -> None:
        bodies = [run(looks=number > 0) if number < 2 else run(f"note {number}") for number in range(7)]
        conversation = make_several(*bodies, rewards=(1, 1, 1, 1, 1, 1, 0))
        project = conversation.dataset.project
        project.is_blind = True
        project.save(update_fields=["is_blind"])
        annotator = make_member(project)
        client = client_of(annotator)
        client.post(reverse("annotations:conversation-draft", args=[conversation.pk]), {"which": "best"})
        golden = Golden.objects.get(annotator=annotator)
        assert golden.suggestions.filter(source="runs").count() >= 2
        if is_api:
            page = str(api_of(annotator).get(f"goldens/{golden.pk}/").data["prefill"])
        else:
            pages = [
                client.get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode() for turn in golden.turns.all()
            ]
            assert "Drafted from recorded runs" in pages[0]
            assert any("not all runs" in page for page in pages)
            page = " ".join(pages)
        assert re.search(r"\b[0-9]+ (of [0-9]+ )?(recorded )?runs?\b|'runs'", page) is None

    def test_chosen_runs_begin_a_golden_and_draft_it_anew(self) -> None:
        conversation = make_several(run(), run("odd"), run("new"), rewards=(1, 0, None))
        owner = make_member(conversation.dataset.project, Role.OWNER)
        client = client_of(owner)
        url = reverse("annotations:conversation-draft", args=[conversation.pk])
        runs = list(conversation.trajectories.order_by("trial"))
        response = client.post(url, {"which": "ticked", "trajectory": [runs[0].pk, runs[1].pk]})
        golden = Golden.objects.get()
        assert response.headers["Location"] == golden.get_absolute_url()
        assert golden.prefill["trajectories"] == [runs[0].pk, runs[1].pk]
        page = client.get(url).content.decode()
        assert "of which you have saved 0" in page
        client.post(url, {"which": "ticked", "trajectory": [runs[2].pk]})
        golden.refresh_from_db()
        assert golden.prefill["trajectories"] == [runs[2].pk]
        assert turn_of(golden, "pay").body["params"]["note"] == {"value": "new"}

    @pytest.mark.parametrize("ticked", [[], ["x"], ["0"], ["9" * 30]])
    def test_nothing_ticked_is_said_and_changes_nothing(self, ticked: list[str]) -> None:
        conversation = make_several(run())
        owner = make_member(conversation.dataset.project, Role.OWNER)
        url = reverse("annotations:conversation-draft", args=[conversation.pk])
        response = client_of(owner).post(url, {"which": "ticked", "trajectory": ticked})
        assert response.status_code == 422
        assert "Tick at least one run" in response.content.decode()
        assert not Golden.objects.exists()

    def test_too_many_are_refused_with_the_ticks_kept(self) -> None:
        conversation = make_several(*[run(f"n {n}") for n in range(9)])
        owner = make_member(conversation.dataset.project, Role.OWNER)
        url = reverse("annotations:conversation-draft", args=[conversation.pk])
        every = [trajectory.pk for trajectory in conversation.trajectories.all()]
        response = client_of(owner).post(url, {"which": "ticked", "trajectory": every})
        assert response.status_code == 422
        assert "at most 8 runs, not 9" in response.content.decode()
        assert response.content.decode().count(" checked") == 9

    def test_says_what_it_cannot_do(self) -> None:
        golden = draft(make_several(run()))
        goldens.submit(golden, golden.annotator)
        client = client_of(golden.annotator)
        url = reverse("annotations:conversation-draft", args=[golden.conversation_id])
        assert "is submitted and is not drafted anew" in client.get(url).content.decode()
        assert client.post(url, {"which": "best"}).status_code == 422
        empty = make_conversation()
        owner = make_member(empty.dataset.project, Role.OWNER)
        page = client_of(owner).get(reverse("annotations:conversation-draft", args=[empty.pk])).content.decode()
        assert "Nothing recorded" in page


class TestRates:
    def test_are_shares_of_what_was_decided_with_n_and_an_interval(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        press(golden, turn_of(golden, "find"), "this step is optional")
        project = golden.conversation.dataset.project
        owner = make_member(project, Role.OWNER)
        page = client_of(owner).get(reverse("annotations:suggestion-rates", args=[project.slug])).content.decode()
        assert "100 %" in page
        assert "n 1, 21–100 %" in page
        assert page.count(">–<") == 2, "what nobody has decided has no share"

    def test_without_any_the_page_says_so(self) -> None:
        project = make_project()
        owner = make_member(project, Role.OWNER)
        page = client_of(owner).get(reverse("annotations:suggestion-rates", args=[project.slug])).content.decode()
        assert "Nothing was suggested yet" in page


class TestApi:
    def test_begins_from_chosen_trajectories_and_tells_the_counts(self) -> None:
        conversation = make_several(run(), run(looks=False), run("odd"), rewards=(1, 1, 0))
        owner = make_member(conversation.dataset.project, Role.OWNER)
        api = api_of(owner)
        runs = list(conversation.trajectories.order_by("trial"))
        path = f"conversations/{conversation.pk}/goldens/"
        for unknown in (10**6, 2**63, 10**40):
            assert api.post(path, {"trajectories": [runs[0].pk, unknown]}).status_code == 400
        assert api.post(path, {"trajectories": [runs[0].pk], "trajectory": runs[0].pk}).status_code == 400
        assert api.post(path, {"trajectories": []}).status_code == 400
        golden = api.post(path, {"trajectories": [runs[0].pk, runs[1].pk]}).data
        assert golden["prefill"]["trajectories"] == [runs[0].pk, runs[1].pk]
        assert golden["suggestions"] == {"suggested": 3, "accepted": 0, "refused": 0, "edited": 0, "open": 3}
        anew = api.post(f"goldens/{golden['id']}/draft/", {"trajectories": [runs[2].pk]}).data
        assert anew["prefill"]["trajectories"] == [runs[2].pk]
        assert api.post(f"goldens/{golden['id']}/draft/", {"trajectories": []}).status_code == 400
