"""Proposed claims in the workbench: taken, edited, refused, saved, undone; and what is told of each, and to whom."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotations.models import Golden, GoldTurn, Role, Trajectory
from annotations.services import goldens
from evaluation.services import vocabularies
from tests.annotations.html_forms import form_of
from tests.factories import make_conversation, make_member, make_trajectory, make_user
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
RESPONSE = "The fee is $5, and it is due on May 2. <b>Café</b> Zoë 😀 opens at 9."
OBSERVED = "You pay 5 dollars. <i>It is due on May 3.</i>"


@pytest.fixture
def turn() -> GoldTurn:
    conversation = make_conversation(language="en")
    annotator = make_member(conversation.dataset.project)
    golden = goldens.start(
        conversation,
        annotator,
        make_trajectory(conversation, body={"turns": [{"user": "Fee?"}, {"response": OBSERVED}]}),
    )
    drafted = golden.turns.get(kind="response")
    return goldens.update_turn(
        turn=drafted, body={**drafted.body, "response": RESPONSE}, seen=drafted.revision, by=annotator
    )


def address(turn: GoldTurn) -> str:
    return reverse("annotations:golden-turn", args=[turn.golden_id, turn.pk])


def test_proposals_are_taken_saved_and_undone(turn: GoldTurn) -> None:
    client = client_of(turn.golden.annotator)
    fields = form_of(
        client.get(turn.golden.get_absolute_url(), {"turn": turn.pk}).content.decode(), action=address(turn)
    )
    page = client.post(address(turn), {**fields, "do": "propose-claims"}, headers=HTMX).content.decode()
    assert "3 claims proposed" in page
    assert '<mark class="plain" id="made-0" data-says="1">The fee is $5<sup' in page
    assert "&lt;b&gt;Café&lt;/b&gt; Zoë 😀 opens at 9.<sup" in page
    assert "<b>Café" not in page
    turn.refresh_from_db()
    assert "claims" not in turn.body

    offered = form_of(page, action=address(turn))
    del offered["q2-take"], offered["q1-required"]
    page = client.post(address(turn), {**offered, "do": "take-claims"}, headers=HTMX).content.decode()
    assert "Passes if the reply says, in any words: “The fee is $5”. This must be the same: $5." in page
    turn.refresh_from_db()
    assert "claims" not in turn.body, "taken into the form, not saved"

    saved = client.post(address(turn), {**form_of(page, action=address(turn)), "do": "save"}, headers=HTMX)
    assert saved.status_code == 200
    turn.refresh_from_db()
    assert turn.body["claims"] == [{"text": "The fee is $5"}, {"text": "it is due on May 2.", "required": False}]
    # What is there is not proposed again.
    fields = form_of(saved.content.decode(), action=address(turn))
    page = client.post(address(turn), {**fields, "do": "propose-claims"}, headers=HTMX).content.decode()
    assert "1 claim proposed" in page

    client.post(reverse("annotations:golden-undo", args=[turn.golden_id]), {"turn": turn.pk})
    turn.refresh_from_db()
    assert "claims" not in turn.body
    assert turn.body["response"] == RESPONSE


def test_the_form_says_what_the_recorded_reply_does_with_each_claim(turn: GoldTurn) -> None:
    annotator = turn.golden.annotator
    body = {
        **turn.body,
        "claims": [{"text": "The fee is $5"}, {"text": "It is due on May 2"}, {"text": "Parking is free"}],
    }
    goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=annotator)
    page = client_of(annotator).get(address(turn), headers=HTMX).content.decode()
    covered, contradicted, not_said = page.split('class="tried-claim')[1:]
    assert "covered</span> in “<bdi>You pay 5 dollars.</bdi>”" in covered
    assert "contradicted</span> by “<bdi>" in contradicted
    assert "It is due on May 3." in contradicted.partition("</bdi>")[0]
    assert "not said</span>" in not_said.partition("</fieldset>")[0]
    assert "<i>It is due" not in page


@pytest.mark.parametrize("is_blind", [False, True])
def test_the_words_of_the_project_count_but_for_who_is_blinded(turn: GoldTurn, is_blind: bool) -> None:
    """What the project added says what others have decided, which a blinded annotator may not find out."""
    project = turn.golden.conversation.dataset.project
    project.is_blind = is_blind
    project.save()
    annotator = turn.golden.annotator
    reply = {"turns": [{"user": "Fee?"}, {"response": "Bring the gizmo on May 3."}]}
    Trajectory.objects.update(body=reply, content_hash="another")
    body = {**turn.body, "claims": [{"text": "Bring the plumbus on May 3."}]}
    turn = goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=annotator)

    def said() -> tuple[str, str]:
        page = client_of(annotator).get(address(turn), headers=HTMX).content.decode()
        on_page = "contradicted" if "contradicted</span>" in page else "not said" if "not said</span>" in page else ""
        (tried,) = api_of(annotator).get(f"goldens/{turn.golden_id}/turns/{turn.pk}/claims/").data["tried"]
        return on_page or "covered", tried["state"].replace("_", " ")

    before = said()
    assert before != ("covered", "covered")
    entries = {"equal": [{"terms": ["plumbus", "gizmo"]}]}
    vocabularies.create(project=project, body=entries, by=None, seen_number=0)
    assert said() == (before if is_blind else ("covered", "covered"))


def test_a_stale_save_of_taken_claims_is_refused_and_keeps_them(turn: GoldTurn) -> None:
    annotator = turn.golden.annotator
    client = client_of(annotator)
    fields = form_of(
        client.get(turn.golden.get_absolute_url(), {"turn": turn.pk}).content.decode(), action=address(turn)
    )
    goldens.update_turn(turn=turn, body={**turn.body, "weight": 2}, seen=turn.revision, by=annotator)
    offered = form_of(
        client.post(address(turn), {**fields, "do": "propose-claims"}, headers=HTMX).content.decode(),
        action=address(turn),
    )
    taken = form_of(
        client.post(address(turn), {**offered, "do": "take-claims"}, headers=HTMX).content.decode(),
        action=address(turn),
    )
    refused = client.post(address(turn), {**taken, "do": "save"}, headers=HTMX)
    assert refused.status_code == 409
    assert form_of(refused.content.decode(), action=address(turn))["c0-text"] == "The fee is $5"
    turn.refresh_from_db()
    assert "claims" not in turn.body


def test_nobody_proposes_into_a_golden_that_is_not_theirs_to_edit(turn: GoldTurn) -> None:
    engineer = make_member(turn.golden.conversation.dataset.project, Role.ENGINEER)
    assert client_of(engineer).post(address(turn), {"do": "propose-claims"}).status_code == 403
    assert client_of(make_user()).post(address(turn), {"do": "propose-claims"}).status_code == 404


class TestApi:
    def path(self, turn: GoldTurn) -> str:
        return f"goldens/{turn.golden_id}/turns/{turn.pk}/claims/"

    def test_proposes_and_tries_and_stores_nothing(self, turn: GoldTurn) -> None:
        annotator = turn.golden.annotator
        body = {**turn.body, "claims": [{"text": "the fee is $5."}, {"text": "It is due on May 2"}]}
        turn = goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=annotator)
        data = api_of(annotator).get(self.path(turn)).data
        proposed = data["proposed"]
        assert [RESPONSE[one["start"] : one["end"]] for one in proposed] == [one["text"] for one in proposed]
        assert "The fee is $5" not in [one["text"] for one in proposed]
        assert [(one["claim"], one["state"]) for one in data["tried"]] == [(0, "covered"), (1, "contradicted")]
        start, end = data["tried"][0]["quote"]
        assert OBSERVED[start:end] == "You pay 5 dollars."
        turn.refresh_from_db()
        assert turn.body == body

    def test_without_a_recorded_reply_nothing_is_tried(self, turn: GoldTurn) -> None:
        Golden.objects.filter(pk=turn.golden_id).update(source_trajectory=None)
        assert api_of(turn.golden.annotator).get(self.path(turn)).data["tried"] is None

    def test_only_replies_have_claims(self, turn: GoldTurn) -> None:
        user_turn = turn.golden.turns.get(kind="user")
        assert api_of(turn.golden.annotator).get(self.path(user_turn)).status_code == 400
        assert api_of(make_user()).get(self.path(turn)).status_code == 404
