"""The workbench as page and as fragment: saving, conflicts, odd content, large conversations, blindness."""

from __future__ import annotations

import json
import time
from copy import deepcopy
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Change, Golden, GoldenStatus, GoldTurn, Guideline, Role, User
from annotations.services import goldens
from tests.annotations.html_forms import Fields, form_of
from tests.factories import (
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
MARKUP = [
    "<script>alert(1)</script>",
    '<iframe srcdoc="<script>alert(2)</script>"></iframe>',
    "<img src=x onerror=alert(3)>",
    "<think>hidden?</think>",
    "[link](javascript:alert(4))",
    "</script><script>",
    '" onfocus="alert(5)" autofocus="',
]


def make_draft(**trajectory: Any) -> Golden:
    """A golden drafted from a recorded run of the sales report."""
    conversation = make_conversation(user_goal="A report", system_prompt="Be careful")
    annotator = make_member(conversation.dataset.project)
    return goldens.start(conversation, annotator, make_trajectory(conversation, **trajectory))


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def address(turn: GoldTurn) -> str:
    return reverse("annotations:golden-turn", args=[turn.golden_id, turn.pk])


def fields_of(user: User, turn: GoldTurn) -> Fields:
    """What the form of this turn sends when its button is pressed."""
    page = client_of(user).get(turn.golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
    return form_of(page, action=address(turn))


class TestPage:
    def test_shows_the_conversation_in_recorded_order_and_the_first_open_turn(self) -> None:
        golden = make_draft()
        page = client_of(golden.annotator).get(golden.get_absolute_url()).content.decode()
        places = [page.index(text) for text in ("I need a sales report", "Europe, revenue please", "metric:")]
        assert places == sorted(places)
        assert "Turn 1 of 5" in page
        beside = client_of(golden.annotator).get(golden.get_absolute_url(), {"hand": "goal"}).content.decode()
        assert "A report" in beside
        assert "Be careful" in beside

    def test_says_back_what_was_understood(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        page = client_of(golden.annotator).get(address(turn), headers=HTMX).content.decode()
        assert "<b>metric</b>" in page
        assert "other keys are not allowed" in page

    def test_offers_where_a_value_may_come_from(self) -> None:
        golden = make_draft()
        page = client_of(golden.annotator).get(address(turn_of(golden, "g3")), headers=HTMX).content.decode()
        assert "data_id comes from" in page
        assert ">turn 2 · data_id " in page

    def test_a_fragment_has_one_root(self) -> None:
        golden = make_draft()
        fragment = client_of(golden.annotator).get(address(turn_of(golden, "g2")), headers=HTMX).content.decode()
        assert fragment.lstrip().startswith('<section class="card" id="turn"')
        assert "<html" not in fragment

    def test_keys_do_not_clash(self) -> None:
        golden = make_draft()
        for turn in golden.turns.all():
            page = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
            keys = [part.split('"', 1)[0] for part in page.split('data-key="')[1:]]
            assert len(keys) == len(set(keys)), keys
            assert {"s", "u", "w"} <= set(keys)

    def test_a_golden_without_a_run_tells_what_its_calls_must_hold(self) -> None:
        golden = make_draft()
        golden.source_trajectory = None
        golden.outcome = [{"kind": "said", "contains": ["x"]}, {"kind": "said", "contains": ["y"]}]
        golden.forbidden = [{"tool": "mail"}]
        golden.save(update_fields=["source_trajectory", "outcome", "forbidden"])
        page = client_of(golden.annotator).get(golden.get_absolute_url()).content.decode()
        conversation = page[page.index('id="conversation"') :]
        assert "<dt>metric</dt> <dd>is <span" in conversation
        assert "1 forbidden call, 2 outcomes" in page

    def test_others_may_read_but_not_write(self) -> None:
        golden = make_draft()
        engineer = make_member(golden.conversation.dataset.project, Role.ENGINEER)
        client = client_of(engineer)
        page = client.get(golden.get_absolute_url()).content.decode()
        assert "turn-form" not in page
        turn = turn_of(golden, "g1")
        assert client.post(address(turn), {"do": "save", "revision": "1", "text": "x"}).status_code == 403

    def test_a_stranger_is_told_nothing(self) -> None:
        golden = make_draft()
        stranger = client_of(make_user())
        assert stranger.get(golden.get_absolute_url()).status_code == 404
        assert stranger.post(address(turn_of(golden, "g1")), {"do": "save"}).status_code == 404

    def test_a_golden_without_turns_says_what_to_do(self) -> None:
        conversation = make_conversation()
        golden = goldens.start(conversation, make_member(conversation.dataset.project))
        client = client_of(golden.annotator)
        assert "No turns yet" in client.get(golden.get_absolute_url()).content.decode()
        client.post(reverse("annotations:golden-turn-add", args=[golden.pk]), {"kind": "action", "tool": "mail"})
        assert golden.turns.get().body == {"id": "g1", "tool": "mail", "params": {}}


class TestSave:
    def test_as_fragment_goes_on_and_says_so(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        fields = {**fields_of(golden.annotator, turn), "do": "save-next", "p1-v0-text": "Europe"}
        response = client_of(golden.annotator).post(address(turn), fields, headers=HTMX)
        assert response.status_code == 200
        page = response.content.decode()
        assert "✓ turn 2 saved" in page
        assert "Turn 3 of 5" in page
        assert json.loads(response["HX-Trigger"])["draftSaved"]["draft"] == f"turn-{turn.pk}-{golden.annotator_id}"
        assert "turnsChanged" in json.loads(response["HX-Trigger-After-Settle"])
        saved = turn_of(golden, "g2")
        assert saved.is_done
        assert saved.body["params"] == {"metric": {"value": "revenue"}, "region": {"value": "Europe"}}

    def test_after_the_last_turn_says_what_is_left(self) -> None:
        golden = make_draft()
        client = client_of(golden.annotator)
        turns = [turn for turn in golden.turns.all() if turn.kind != "user"]
        last = {**fields_of(golden.annotator, turns[-1]), "do": "save-next"}
        page = client.post(address(turns[-1]), last, headers=HTMX).content.decode()
        assert "4 turns are still to be looked at" in page
        assert f"?turn={turns[0].pk}" in page
        for turn in (*turns[:-1], turns[-1]):
            turn.refresh_from_db()
            page = client.post(
                address(turn), {**fields_of(golden.annotator, turn), "do": "save-next"}, headers=HTMX
            ).content.decode()
        assert "submit with <kbd>e</kbd>" in page

    def test_works_without_javascript(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g1")
        fields = {**fields_of(golden.annotator, turn), "do": "save", "text": "Which one?"}
        response = client_of(golden.annotator).post(address(turn), fields, follow=True)
        assert response.redirect_chain
        assert "✓ turn 1 saved" in response.content.decode()
        assert turn_of(golden, "g1").body["response"] == "Which one?"

    def test_what_cannot_be_read_is_said_beside_its_field_and_kept(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        fields = {**fields_of(golden.annotator, turn), "do": "save", "p0-v0-kind": "number", "p0-v0-text": "twelve"}
        response = client_of(golden.annotator).post(address(turn), fields, headers=HTMX)
        page = response.content.decode()
        assert response.status_code == 422
        assert "“twelve” is no number" in page.replace("&quot;", '"')
        assert 'value="twelve"' in page
        assert "✓" not in page
        assert turn_of(golden, "g2").revision == 1

    def test_what_the_engine_refuses_is_said_beside_its_field(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        fields = {**fields_of(golden.annotator, turn), "do": "save", "p0-compare": "regex", "p0-v0-text": "("}
        response = client_of(golden.annotator).post(address(turn), fields, headers=HTMX)
        assert response.status_code == 422
        assert "invalid regular expression" in response.content.decode()

    def test_a_button_that_changes_the_form_saves_nothing(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        fields = {**fields_of(golden.annotator, turn), "do": "add-value:1", "p1-v0-text": "typed"}
        response = client_of(golden.annotator).post(address(turn), fields, headers=HTMX)
        page = response.content.decode()
        assert 'name="p1-v1-text"' in page
        assert 'value="typed"' in page
        assert "data-draft-live" in page
        assert "not saved yet" in page
        assert turn_of(golden, "g2").revision == 1

    def test_what_is_not_finished_is_no_fault_before_it_is_saved(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g3")
        fields = {**fields_of(golden.annotator, turn), "p0-mode": "ref", "p0-ref": "other"}
        client = client_of(golden.annotator)
        drawn = client.post(address(turn), {**fields, "do": "render"}, headers=HTMX).content.decode()
        assert "Not saved" not in drawn
        assert "errorlist" not in drawn
        refused = client.post(address(turn), {**fields, "do": "save"}, headers=HTMX)
        assert refused.status_code == 422
        assert "choose the turn and the field of its result" in refused.content.decode()

    def test_the_observed_turn_is_taken_with_one_key(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        goldens.update_turn(turn=turn, body={**turn.body, "params": {}, "optional": True}, seen=1, by=golden.annotator)
        url = reverse("annotations:golden-take", args=[golden.pk, turn.pk])
        response = client_of(golden.annotator).post(url, {"revision": "2"}, headers=HTMX)
        assert "Turn 3 of 5" in response.content.decode()
        taken = turn_of(golden, "g2").body
        assert taken["params"] == {"metric": {"value": "revenue"}, "region": {"value": "EU"}}
        assert taken["optional"] is True

    def test_a_lost_session_is_told_from_a_page(self) -> None:
        golden = make_draft()
        response = client_of(None).post(address(turn_of(golden, "g1")), {"do": "save"}, headers=HTMX)
        assert response.status_code == 401
        assert response["X-Session-Ended"] == "1"

    def test_takes_few_queries_however_long_the_conversation(self) -> None:
        counts = []
        for turns in (5, 60):
            golden = make_draft(body={"turns": [{"response": f"reply {n}"} for n in range(turns)]})
            turn = turn_of(golden, "g3")
            fields = {**fields_of(golden.annotator, turn), "do": "save-next", "text": "new"}
            client = client_of(golden.annotator)
            with CaptureQueriesContext(
                connection,
            ) as queries:
                client.post(address(turn), fields, headers=HTMX)
            counts.append(len(queries))
        assert counts[0] == counts[1]


class TestConflict:
    """Two saves of one turn: the second is refused, nothing of either is lost."""

    def test_shows_both_versions_and_overwrites_only_knowingly(self) -> None:
        golden = make_draft()
        owner = make_member(golden.conversation.dataset.project, Role.OWNER)
        turn = turn_of(golden, "g2")
        opened = fields_of(golden.annotator, turn)
        a = {**opened, "do": "save", "p1-v0-text": "Europe"}
        assert client_of(owner).post(address(turn), a, headers=HTMX).status_code == 200
        b = {**opened, "do": "save", "p1-v0-text": "Asia", "p0-v0-text": "profit"}
        client = client_of(golden.annotator)
        response = client.post(address(turn), b, headers=HTMX)
        page = response.content.decode()
        assert response.status_code == 409
        assert 'value="Asia"' in page
        assert "<td>is <mark>Asia</mark></td><td>is <mark>Europe</mark></td>" in page
        assert "turnsChanged" in response["HX-Trigger-After-Settle"]  # the list shows what the other one saved
        assert "✓" not in page
        assert turn_of(golden, "g2").body["params"]["region"] == {"value": "Europe"}

        again = form_of(page, action=address(turn))
        assert client.post(address(turn), {**again, "do": "save"}, headers=HTMX).status_code == 409
        over = client.post(address(turn), {**again, "do": "overwrite"}, headers=HTMX)
        assert over.status_code == 200
        assert turn_of(golden, "g2").body["params"] == {"metric": {"value": "profit"}, "region": {"value": "Asia"}}
        history = Change.objects.filter(subject_id=str(turn.pk), action="turn.saved")
        assert [change.actor for change in history] == [golden.annotator, owner]
        assert "Europe" in json.dumps(history[1].after)

    def test_of_long_replies_only_the_words_that_differ_are_marked(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g1")
        opened = fields_of(golden.annotator, turn)
        client = client_of(golden.annotator)
        client.post(address(turn), {**opened, "do": "save", "text": "The claim is paid on Monday"}, headers=HTMX)
        page = client.post(
            address(turn), {**opened, "do": "save", "text": "The claim is paid on Friday"}, headers=HTMX
        ).content.decode()
        assert "The claim is paid on <mark>Friday</mark></td>" in page
        assert "The claim is paid on <mark>Monday</mark></td>" in page

    def test_theirs_can_be_taken(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g1")
        opened = fields_of(golden.annotator, turn)
        client = client_of(golden.annotator)
        client.post(address(turn), {**opened, "do": "save", "text": "A"}, headers=HTMX)
        conflict = client.post(address(turn), {**opened, "do": "save", "text": "B"}, headers=HTMX)
        fields = form_of(conflict.content.decode(), action=address(turn))
        response = client.post(address(turn), {**fields, "do": "theirs"}, headers=HTMX)
        assert form_of(response.content.decode(), action=address(turn))["text"] == "A"
        assert "draftSaved" in response["HX-Trigger"]
        assert turn_of(golden, "g1").revision == 2

    def test_a_changed_form_keeps_the_revision_it_was_opened_under(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g2")
        opened = fields_of(golden.annotator, turn)
        client = client_of(golden.annotator)
        client.post(address(turn), {**opened, "do": "save"}, headers=HTMX)
        rendered = client.post(address(turn), {**opened, "do": "add-param"}, headers=HTMX).content.decode()
        fields = form_of(rendered, action=address(turn))
        fields |= {"p2-name": "limit", "p2-v0-text": "3"}
        assert client.post(address(turn), {**fields, "do": "save"}, headers=HTMX).status_code == 409

    def test_of_the_whole_is_refused_too(self) -> None:
        golden = make_draft()
        url = reverse("annotations:golden-whole", args=[golden.pk])
        client = client_of(golden.annotator)
        opened = form_of(client.get(url).content.decode(), action=url)
        assert client.post(url, {**opened, "comment": "A"}, headers=HTMX).status_code == 200
        refused = client.post(url, {**opened, "comment": "B"}, headers=HTMX)
        assert refused.status_code == 409
        assert ">\nB</textarea>" in refused.content.decode()
        golden.refresh_from_db()
        assert golden.comment == "A"


class TestOddContent:
    @pytest.mark.parametrize("arguments", ["SELECT 1", '{"a":', None, ["x"]])
    def test_arguments_that_are_no_object_are_shown_as_text(self, arguments: Any) -> None:
        golden = make_draft(body={"turns": [{"tool": "reports", "args": arguments}, {"response": "fine"}]})
        page = client_of(golden.annotator).get(golden.get_absolute_url())
        assert page.status_code == 200
        assert "not an object" in page.content.decode()
        tried = client_of(golden.annotator).get(reverse("annotations:golden-try", args=[golden.pk]), headers=HTMX)
        assert tried.status_code == 200

    @pytest.mark.parametrize("markup", MARKUP)
    def test_markup_is_shown_and_never_run(self, markup: str) -> None:
        project = make_project(name=markup)
        Guideline.objects.create(project=project, number=1, title=markup, body=markup)
        conversation = make_conversation(
            make_dataset(project),
            title=markup,
            tools={markup: {"effect": "read", "description": markup, "schema": {"properties": {markup: {}}}}},
            user_goal=markup,
            system_prompt=markup,
        )
        turns = [
            {"user": markup},
            {"tool": markup, "action": markup, "args": {markup: markup}, "result": {markup: markup}},
            {"response": markup},
        ]
        user = make_user(display_name=markup)
        make_member(project, user=user)
        golden = goldens.start(conversation, user, make_trajectory(conversation, body={"turns": turns}, agent=markup))
        golden.review_comment = golden.comment = markup
        golden.save()
        client = client_of(user)
        pages = [client.get(golden.get_absolute_url(), {"turn": turn.pk}) for turn in golden.turns.all()]
        pages += [
            client.get(reverse("annotations:golden-try", args=[golden.pk])),
            client.get(reverse("annotations:golden-whole", args=[golden.pk])),
            client.get(reverse("annotations:queue", args=[project.slug])),
            client.get(reverse("annotations:golden-observed", args=[golden.pk, 1, "result"])),
        ]
        for response in pages:
            page = response.content.decode()
            assert markup not in page.replace("[link](javascript:alert(4))", "")
            assert '"javascript:' not in page
            assert "'unsafe" not in response["Content-Security-Policy"]

    def test_ids_and_amounts_keep_all_their_digits(self) -> None:
        golden = make_draft(body={"turns": [{"tool": "reports", "args": '{"id": 107505301260286111, "sum": 0.10}'}]})
        page = client_of(golden.annotator).get(golden.get_absolute_url()).content.decode()
        assert page.count("107505301260286111") >= 2
        assert 'value="0.10"' in page


class TestLargeConversation:
    @pytest.fixture
    def golden(self) -> Golden:
        turns: list[Any] = []
        for number in range(140):
            turns.append({"user": f"Question {number}: " + "words " * 40})
            result: Any = {"rows": [{"id": n, "text": "x" * 50} for n in range(40)]}
            turns.append({"tool": "reports", "action": "FilterData", "args": {"n": number}, "result": result})
            turns.append({"response": f"Answer {number}: " + "words " * 60})
        turns[16]["result"] = "z" * 2_000_000
        turns[19]["result"] = "line\n" * 200_000
        return make_draft(body={"turns": turns})

    def test_opens_small_and_quick_with_few_queries(self, golden: Golden) -> None:
        client = client_of(golden.annotator)
        with CaptureQueriesContext(connection) as queries:
            started = time.perf_counter()
            response = client.get(golden.get_absolute_url())
            first = time.perf_counter() - started
        number_of_queries = len(queries)
        started = time.process_time()
        client.get(golden.get_absolute_url())
        spent = time.process_time() - started
        started = time.perf_counter()
        client.get(address(turn_of(golden, "g250")), headers=HTMX)
        jump = time.perf_counter() - started
        size = len(response.content)
        print(f"\n280 turns: first {first:.2f} s, then {spent:.2f} s of CPU, turn 250 {jump:.2f} s")
        print(f"{size:,} bytes, {number_of_queries} queries")
        assert len(response.content) < 500_000
        assert spent < 1
        assert first < 3
        assert jump < 2

    def test_queries_do_not_grow_with_turns(self, golden: Golden) -> None:
        counts = []
        for one in (make_draft(), golden):
            client = client_of(one.annotator)
            client.get(one.get_absolute_url())  # after this the digest of the run is in memory
            with CaptureQueriesContext(connection) as queries:
                client.get(one.get_absolute_url())
            counts.append(len(queries))
        assert counts[0] == counts[1]

    def test_what_is_folded_is_opened_whole(self, golden: Golden) -> None:
        client = client_of(golden.annotator)
        page = client.get(golden.get_absolute_url()).content.decode()
        url = reverse("annotations:golden-observed", args=[golden.pk, 16, "result"])
        assert url in page
        assert "2,000,000 characters" in page
        assert client.get(url, headers=HTMX).content.decode().count("z") == 2_000_000
        missing = reverse("annotations:golden-observed", args=[golden.pk, 999, "result"])
        assert client.get(missing).status_code == 404


class TestBlindness:
    def test_a_blinded_annotator_finds_nothing_of_another(self) -> None:
        project = make_project(overlap=2)
        conversation = make_conversation(make_dataset(project))
        trajectory = make_trajectory(conversation)
        ann, ben = make_member(project), make_member(project)
        theirs = goldens.start(conversation, ann, trajectory)
        goldens.update_turn(turn=turn_of(theirs, "g1"), body={"id": "g1", "response": "SECRET"}, seen=1, by=ann)
        goldens.submit(theirs, ann)
        adjudicator = make_member(project, Role.ADJUDICATOR)
        goldens.accept(theirs, adjudicator, comment="SECRET")

        client = client_of(ben)
        for name in ("golden-detail", "golden-turns", "golden-try", "golden-whole"):
            assert client.get(reverse(f"annotations:{name}", args=[theirs.pk])).status_code == 404
        assert client.get(address(turn_of(theirs, "g1"))).status_code == 404
        client.post(reverse("annotations:golden-start", args=[conversation.pk]), {"from": "golden"})
        assert not Golden.objects.filter(annotator=ben).exists()
        client.post(reverse("annotations:golden-start", args=[conversation.pk]))
        own = Golden.objects.get(annotator=ben)
        seen = client.get(own.get_absolute_url()).content.decode()
        seen += client.get(reverse("annotations:queue", args=[project.slug])).content.decode()
        assert "SECRET" not in seen
        assert client_of(adjudicator).get(theirs.get_absolute_url()).status_code == 200

    def test_an_imported_golden_is_no_secret(self) -> None:
        conversation = make_conversation()
        make_trajectory(conversation)
        make_golden_record(conversation)
        ann = make_member(conversation.dataset.project)
        client_of(ann).post(reverse("annotations:golden-start", args=[conversation.pk]))
        golden = Golden.objects.get(annotator=ann)
        assert goldens.golden_body(golden) == report_golden()
        assert [turn.observed_index for turn in golden.turns.all()] == list(range(7))


class TestStates:
    def test_submit_return_correct_accept(self) -> None:
        golden = make_draft()
        project = golden.conversation.dataset.project
        adjudicator = make_member(project, Role.ADJUDICATOR)
        annotator, reviewer = client_of(golden.annotator), client_of(adjudicator)

        def press(client: Any, name: str, **fields: str) -> str:
            url = reverse(f"annotations:golden-{name}", args=[golden.pk])
            return str(client.post(url, fields, follow=True).content.decode())

        assert "Submitted" in press(annotator, "submit")
        listed = reviewer.get(reverse("annotations:golden-review-list", args=[project.slug])).content.decode()
        assert golden.get_absolute_url() in listed
        assert "Not returned" in press(reviewer, "return")
        assert "Returned to" in press(reviewer, "return", comment="Turn 2 also takes Europe")
        assert (
            "Turn 2 also takes Europe"
            in annotator.get(reverse("annotations:queue", args=[project.slug])).content.decode()
        )
        press(annotator, "submit")
        assert "is in force now" in press(reviewer, "accept")
        golden.refresh_from_db()
        assert golden.status == GoldenStatus.ACCEPTED
        assert annotator.post(reverse("annotations:golden-accept", args=[golden.pk])).status_code == 403

    def test_submit_opens_the_turn_that_cannot_be_read(self) -> None:
        golden = make_draft()
        turn = turn_of(golden, "g3")
        GoldTurn.objects.filter(pk=turn.pk).update(body={**turn.body, "depends_on": ["g5"]})
        url = reverse("annotations:golden-submit", args=[golden.pk])
        response = client_of(golden.annotator).post(url, follow=True)
        assert response.redirect_chain[-1][0].endswith(f"?turn={turn.pk}")
        assert "Not submitted. Turn 3" in response.content.decode()

    def test_undo_after_a_reload(self) -> None:
        golden = make_draft()
        before = deepcopy(goldens.golden_body(golden))
        client = client_of(golden.annotator)
        turn = turn_of(golden, "g1")
        for number in range(20):
            fields = {**fields_of(golden.annotator, turn), "do": "save", "text": f"version {number}"}
            client.post(address(turn), fields, headers=HTMX)
        client = client_of(golden.annotator)
        for _ in range(20):
            page = client.post(reverse("annotations:golden-undo", args=[golden.pk]), follow=True).content.decode()
            assert "Undone" in page
        assert goldens.golden_body(Golden.objects.get(pk=golden.pk)) == before
        page = client.post(reverse("annotations:golden-undo", args=[golden.pk]), follow=True).content.decode()
        assert "nothing of yours to undo" in page

    def test_turns_and_paths_are_changed_from_the_page(self) -> None:
        golden = make_draft()
        client = client_of(golden.annotator)

        def press(what: str, *more: int, **fields: str) -> str:
            url = reverse(f"annotations:golden-{what}", args=[golden.pk, *more])
            return str(client.post(url, fields, follow=True).content.decode())

        first = turn_of(golden, "g1")
        press("turn-add", kind="response", after=str(first.pk), path="main")
        assert [turn.key for turn in golden.turns.all()][:3] == ["u1", "g1", "g6"]
        press("turn-move", turn_of(golden, "g6").pk, places="-1")
        assert [turn.key for turn in golden.turns.all()][:3] == ["u1", "g6", "g1"]
        press("turn-remove", turn_of(golden, "g6").pk)
        press("turn-add", observed="1", path="main")
        assert golden.turns.last().body == {"id": "g6", "response": "Which region should the report cover?"}  # type: ignore[union-attr]
        press("path", do="add", path="main", name="by <mail>")
        assert "by &lt;mail&gt;" in press("path", do="add", path="main", name="by <mail>")
        press("path", do="rename", path="by <mail>", name="post")
        press("path", do="remove", path="post")
        assert {turn.path for turn in golden.turns.all()} == {"main"}
        press("lookups")
        assert turn_of(golden, "g2").body["optional"] is True

    def test_the_run_is_tried_with_the_golden_as_it_is(self) -> None:
        golden = make_draft(body=report_trajectory(metric="profit"))
        turn = turn_of(golden, "g2")
        body = {**turn.body, "params": {**turn.body["params"], "metric": {"value": "revenue"}}}
        goldens.update_turn(turn=turn, body=body, seen=1, by=golden.annotator)
        page = (
            client_of(golden.annotator)
            .get(reverse("annotations:golden-try", args=[golden.pk]), headers=HTMX)
            .content.decode()
        )
        assert "fails the recorded run" in page
        assert "root cause" in page
        assert "metric should be" in page
