"""The review page and labels: what is shown to whom, and saving."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Change, HumanLabel, Project, Role, User
from evaluation.models import EvaluationRun, RunItem, TurnVerdict, Verdict
from evaluation.services import policies, runs, scoring
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    make_user,
    report_golden,
    report_trajectory,
)
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db
REASON = "<code>inconsistent_parameter_values</code>"  # the words of the form are always there


def make_run(project: Project, *, bodies: list[dict[str, Any]] | None = None, golden: Any = None) -> EvaluationRun:
    """A finished run over one conversation with a trajectory for each body; the default fails at turn 2."""
    dataset = make_dataset(project)
    conversation = make_conversation(dataset)
    record = make_golden_record(conversation, golden=golden)
    for trial, body in enumerate(bodies or [report_trajectory(metric="profit", total=34)]):
        make_trajectory(conversation, body=body, trial=trial)
    run = runs.plan(
        project=project,
        dataset_version=make_dataset_version(dataset, records=[record]),
        policy=policies.get_standard(project=project),
        by=None,
    )
    runs.start(run=run)
    while scoring.work(worker="test") is not None:
        pass
    scoring.finish(now=timezone.now())
    run.refresh_from_db()
    return run


def url(run: EvaluationRun, *, turn: int | None = None) -> str:
    found = reverse("evaluation:item-detail", args=[run.pk, 1])
    return found if turn is None else f"{found}?turn={turn}"


def save_url(run: EvaluationRun, turn: int) -> str:
    return reverse("evaluation:label-save", args=[run.pk, 1, turn])


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


@pytest.fixture
def blind_project() -> Project:
    return make_project(is_blind=True)


def label(client: Client, run: EvaluationRun, turn: int, *, seen: int = 0, **fields: Any) -> Any:
    return client.post(save_url(run, turn), {"verdict": "fail", "seen_revision": seen, **fields})


def test_it_opens_at_the_first_root_cause_with_expected_beside_observed(project: Project) -> None:
    run = make_run(project)
    page = client_of(make_member(project, Role.ENGINEER)).get(url(run))
    assert page.context["current"].turn_no == 2
    text = page.content.decode()
    assert "<del>revenue</del><ins>profit</ins>" in text
    assert "inconsistent_parameter_values" in text
    assert "from 2" in text
    assert len(page.context["arcs"]) == 3


def two_doubts(project: Project) -> EvaluationRun:
    """Two failing trajectories; in the first the machine doubts turns 4 and 5, though turn 2 fails before them."""
    run = make_run(project, bodies=[report_trajectory(metric="profit", total=34)] * 2)
    turns = TurnVerdict.objects.filter(verdict__item__run=run, verdict__item__position=1)
    turns.filter(turn_no__gte=4).update(ambiguous=True)
    turns.filter(turn_no=5).update(passed=None, failure_reason="")
    Verdict.objects.filter(item__run=run, item__position=1).update(not_scored=1)
    return run


@pytest.mark.parametrize(
    ("query", "turn"),
    [
        ("ambiguous=on", 4),
        ("cause=not_scored", 5),
        ("cause=passed", 1),
        ("cause=cascade", 3),
        ("kind=response&ambiguous=on", 5),
        ("action=Render", 4),
        ("result=failed", 2),
        ("result=left_open", 5),
        ("cause=nonsense", 2),
    ],
)
def test_opened_from_a_filter_it_begins_at_the_first_turn_that_fits(project: Project, query: str, turn: int) -> None:
    run = two_doubts(project)
    client = client_of(make_member(project))
    listed = client.get(f"{reverse('evaluation:run-items', args=[run.pk])}?{query}&page=1").content.decode()
    address = unescape(re.findall(rf'href="({re.escape(url(run))}[^"]*)"', listed)[0])
    for headers in ({}, {"HX-Request": "true"}):
        assert client.get(address, headers=headers).context["current"].turn_no == turn


def test_the_filter_goes_along_from_turn_to_turn_and_from_trajectory_to_trajectory(project: Project) -> None:
    run = two_doubts(project)
    client = client_of(make_member(project))
    page = client.get(f"{url(run)}?ambiguous=on&turn=2")
    assert page.context["current"].turn_no == 2  # what is asked for goes before the filter
    assert "?turn=3&amp;ambiguous=on" in page.content.decode()
    assert (page.context["previous_item"], page.context["next_item"]) == (None, None)
    assert client.get(url(run)).context["next_item"] == 2
    saved = client.post(f"{save_url(run, 4)}?ambiguous=on", {"verdict": "fail", "seen_revision": 0})
    assert saved["Location"] == f"{url(run, turn=5)}&ambiguous=on"
    late = client.post(f"{save_url(run, 4)}?ambiguous=on", {"seen_revision": 0}, headers={"HX-Request": "true"})
    assert f"{save_url(run, 4)}?ambiguous=on" in late.content.decode()


def test_a_filter_tells_a_blinded_annotator_nothing(blind_project: Project) -> None:
    run = two_doubts(blind_project)
    client = client_of(make_member(blind_project))
    for query in ("ambiguous=on", "cause=cascade", "result=passed"):
        page = client.get(f"{url(run)}?{query}")
        assert (page.context["current"].turn_no, page.context["next_item"]) == (1, 2)
        assert query not in page.content.decode()


def test_a_fragment_is_the_same_part_of_the_page(project: Project) -> None:
    run = make_run(project)
    client = client_of(make_member(project))
    fragment = client.get(url(run), headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div id="review">')
    assert "<html" not in fragment


def test_a_blinded_annotator_sees_nothing_of_a_verdict_or_of_others_before_saving(blind_project: Project) -> None:
    """G13 for verdicts and labels."""
    run = make_run(blind_project)
    ana, ben = make_member(blind_project), make_member(blind_project)
    label(client_of(ana), run, 2, comment="Ana was here")
    client = client_of(ben)
    before = client.get(url(run, turn=2)).content.decode()
    for told in ("root cause", "from 2", "Ana was here", REASON, "<del>", "Failed by itself"):
        assert told not in before, told
    assert "revenue" in before
    assert "profit" in before
    label(client, run, 2)
    after = client.get(url(run, turn=2)).content.decode()
    for told in ("root cause", "Ana was here", REASON):
        assert told in after, told
    other_turn = client.get(url(run, turn=3)).content.decode()
    assert "from 2" not in other_turn


def test_a_verdict_on_a_later_turn_does_not_tell_of_an_earlier_one(blind_project: Project) -> None:
    """Turn 3 inherits from turn 2: who has labelled only turn 3 is not told that turn 2 failed."""
    run = make_run(blind_project)
    client, api = client_of(ben := make_member(blind_project)), api_of(ben)
    label(
        client_of(make_member(blind_project)), run, 3, attribution="cascade", cascade_of=["g2"], comment="Ana was here"
    )
    label(client, run, 3, seen=0, verdict="pass")
    for text in (client.get(url(run, turn=3)).content.decode(), api.get(f"runs/{run.pk}/items/1/").content.decode()):
        for told in ("from 2", "from turn 2", "turn 2 failed", "prior_action_failed", "inherited", "Ana was here"):
            assert told not in text, told
    assert "earlier turns" in client.get(url(run, turn=3)).content.decode()
    label(client, run, 2, verdict="pass")
    text = client.get(url(run, turn=3)).content.decode()
    assert "turn 2 failed" in text
    assert "Ana was here" in text


def test_a_blinded_annotator_cannot_agree_with_a_hidden_verdict(blind_project: Project) -> None:
    run = make_run(blind_project)
    client_of(make_member(blind_project)).post(reverse("evaluation:label-agree", args=[run.pk, 1, 2]))
    assert not HumanLabel.objects.exists()


def test_the_adjudicator_of_a_blind_project_sees_both(blind_project: Project) -> None:
    run = make_run(blind_project)
    label(client_of(make_member(blind_project)), run, 2, comment="Ana was here")
    text = client_of(make_member(blind_project, Role.ADJUDICATOR)).get(url(run, turn=2)).content.decode()
    assert "Ana was here" in text
    assert "root cause" in text


def test_a_label_is_saved_with_its_history_and_the_next_turn_opens(project: Project) -> None:
    run = make_run(project)
    annotator = make_member(project)
    response = label(
        client_of(annotator), run, 3, attribution="cascade", cascade_of=["g2"], truthfulness="fail", comment="late"
    )
    assert response["Location"].endswith("?turn=4")
    saved = HumanLabel.objects.get()
    assert (saved.turn_key, saved.path, saved.cascade_of, saved.truthfulness) == ("g3", "main", ["g2"], "fail")
    assert Change.objects.get(action="label.saved").after["comment"] == "late"


def test_saving_by_htmx_says_saved_and_tells_the_page_to_forget_the_draft(project: Project) -> None:
    run = make_run(project)
    response = client_of(make_member(project)).post(
        save_url(run, 1), {"verdict": "pass", "seen_revision": 0}, headers={"HX-Request": "true"}
    )
    assert response.status_code == 200
    assert "turn 1 is saved" in response.content.decode()
    assert "draftSaved" in response["HX-Trigger"]


def test_two_windows_conflict_and_nothing_typed_is_lost(project: Project) -> None:
    """G11 for labels."""
    run = make_run(project)
    client = client_of(make_member(project))
    label(client, run, 2, comment="first window")
    late = label(client, run, 2, verdict="pass", comment="second window")
    assert late.status_code == 409
    text = late.content.decode()
    assert "second window" in text
    assert "first window" in text
    assert HumanLabel.objects.get().comment == "first window"
    assert label(client, run, 2, seen=1, verdict="pass", comment="second window").status_code == 302
    assert HumanLabel.objects.get().verdict == "pass"


def test_a_label_without_a_verdict_or_with_unknown_words_is_refused(project: Project) -> None:
    run = make_run(project)
    client = client_of(make_member(project))
    for fields in ({"verdict": ""}, {"verdict": "maybe"}, {"failure_reason": "bad luck"}, {"cascade_of": ["nope"]}):
        assert label(client, run, 2, **fields).status_code == 422
    assert not HumanLabel.objects.exists()
    assert client.post(save_url(run, 99), {"verdict": "pass", "seen_revision": 0}).status_code == 404


def test_agreeing_takes_the_machines_words(project: Project) -> None:
    run = make_run(project)
    client = client_of(make_member(project))
    for turn in (2, 3):
        client.post(reverse("evaluation:label-agree", args=[run.pk, 1, turn]))
    root, cascade = HumanLabel.objects.order_by("turn_key")
    assert (root.verdict, root.attribution, root.failure_reason) == ("fail", "root", "inconsistent_parameter_values")
    assert (cascade.verdict, cascade.attribution, cascade.cascade_of) == ("fail", "cascade", ["g2"])


def test_undo_takes_back_change_after_change(project: Project) -> None:
    run = make_run(project)
    client = client_of(make_member(project))
    label(client, run, 2, comment="one")
    label(client, run, 2, seen=1, verdict="pass", comment="two")
    undo = reverse("evaluation:label-undo", args=[run.pk, 1])
    client.post(undo, {"turn": 2})
    assert HumanLabel.objects.get().comment == "one"
    client.post(undo, {"turn": 2})
    assert not HumanLabel.objects.exists()
    client.post(undo, {"turn": 2})
    assert Change.objects.filter(action="label.undone").count() == 2


@pytest.mark.parametrize(("role", "status"), [(Role.ENGINEER, 403), (None, 404)])
def test_engineers_and_strangers_do_not_label(project: Project, role: str | None, status: int) -> None:
    run = make_run(project)
    user: User = make_member(project, role) if role else make_member(make_project())
    assert label(client_of(user), run, 2).status_code == status


def test_markup_in_every_part_is_shown_and_not_run(project: Project) -> None:
    """G08."""
    nasty = "</script><script>alert(1)</script><img src=x onerror=alert(1)><think>t</think>"
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"][nasty] = {"value": nasty}
    body = report_trajectory()
    body["turns"][0]["user"] = nasty
    body["turns"][3]["args"][nasty] = nasty + "!"
    body["turns"][3]["tool"] = nasty
    body["turns"][4]["result"] = nasty
    run = make_run(project, bodies=[body], golden=golden)
    annotator = make_member(project)
    annotator.display_name = nasty
    annotator.save()
    client = client_of(annotator)
    label(client, run, 2, comment=nasty)
    for turn in range(1, 6):
        text = client.get(url(run, turn=turn)).content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text
        assert "&lt;think&gt;t&lt;/think&gt;" in text


def test_odd_arguments_are_shown_as_text(project: Project) -> None:
    """G07 on the page."""
    body = report_trajectory()
    for value in ('"SELECT 1"', '{"a":', None, [1]):
        body["turns"].append({"tool": "reports", "action": "FilterData", "args": value})
    run = make_run(project, bodies=[body])
    text = client_of(make_member(project)).get(url(run)).content.decode()
    assert text.count("not an object") == 4
    assert "SELECT 1" in text


def test_long_ids_are_shown_digit_by_digit(project: Project) -> None:
    """G09 on the page."""
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["id"] = {"value": 107505301260286111}
    body = report_trajectory()
    body["turns"][3]["args"]["id"] = 107505301260286110
    run = make_run(project, bodies=[body], golden=golden)
    page = client_of(make_member(project)).get(url(run))
    assert page.context["current"].turn_no == 2
    assert "107505301260286111" in page.content.decode()
    assert "107505301260286110" in page.content.decode()


def test_what_could_not_be_scored_says_why_and_counts_nowhere(project: Project) -> None:
    run = make_run(project)
    item = RunItem.objects.get()
    item.verdict.turns.all().delete()
    item.verdict.error = "trajectory.turns[3]: unreadable"
    item.verdict.save()
    text = client_of(make_member(project)).get(url(run)).content.decode()
    assert "trajectory.turns[3]: unreadable" in text
    assert "not scored" in text


def test_the_number_of_queries_does_not_grow_with_turns_labels_or_items(project: Project) -> None:
    def long_case(turns: int) -> tuple[dict[str, Any], dict[str, Any]]:
        golden = {
            "paths": [
                {
                    "id": "main",
                    "turns": [{"id": f"g{n}", "tool": "reports", "params": {"n": {"value": n}}} for n in range(turns)],
                }
            ]
        }
        return golden, {"turns": [{"tool": "reports", "args": {"n": n}, "result": {"n": n}} for n in range(turns)]}

    counts = []
    for turns in (3, 280):
        golden, body = long_case(turns)
        run = make_run(project, bodies=[body], golden=golden)
        client = client_of(make_member(project, Role.ADJUDICATOR))
        for turn in range(1, min(turns, 6)):
            label(client, run, turn)
        client.get(url(run))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(url(run)).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


class TestLongConversation:
    """280 golden turns, 420 messages: the transcript waits until somebody comes to it."""

    @pytest.fixture
    def run(self, project: Project) -> EvaluationRun:
        golden: list[dict[str, Any]] = []
        body: list[dict[str, Any]] = []
        for number in range(140):
            user = {"user": f"Question {number}: " + "words " * 40}
            reply = {"response": f"Answer {number}: " + "words " * 80}
            call = {"tool": "reports", "args": {"n": number, "region": "EU"}}
            rows = {"rows": [{"id": n, "text": "x" * 50} for n in range(30)]}
            params = {"n": {"value": number}, "region": {"value": "US" if number % 3 == 0 else "EU"}}
            golden += [user, {"id": f"c{number}", "tool": "reports", "params": params}, {"id": f"r{number}", **reply}]
            body += [user, {**call, "result": rows}, reply]
        return make_run(project, bodies=[{"turns": body}], golden={"paths": [{"id": "main", "turns": golden}]})

    @pytest.mark.parametrize("name", ["item-detail", "adjudicate"])
    def test_opens_small_and_quick(self, project: Project, run: EvaluationRun, name: str) -> None:
        client = client_of(make_member(project, Role.ADJUDICATOR))
        address = reverse(f"evaluation:{name}", args=[run.pk, 1] if name == "item-detail" else [run.pk, 1, 1])
        client.get(address)
        started = time.process_time()
        page = client.get(address).content
        spent = time.process_time() - started
        print(f"\n{name}, 280 turns: {spent:.2f} s of CPU, {len(page):,} bytes")
        assert len(page) < 500_000
        assert spent < 1
        assert b"Answer 139" not in page
        item = RunItem.objects.get()
        assert reverse("annotations:trajectory-transcript", args=[item.trajectory_id]).encode() in page
        assert reverse("annotations:trajectory-detail", args=[item.trajectory_id]).encode() in page

    def test_a_blinded_annotator_reads_the_transcript(self, project: Project, run: EvaluationRun) -> None:
        project.is_blind = True
        project.save(update_fields=["is_blind"])
        client = client_of(make_member(project))
        page = client.get(url(run)).content
        assert len(page) < 500_000
        address = reverse("annotations:trajectory-transcript", args=[RunItem.objects.get().trajectory_id])
        assert address.encode() in page
        text = client.get(address, headers={"HX-Request": "true"}).content.decode()
        assert text.lstrip().startswith('<div class="transcript">')
        assert text.count('class="msg') == 420
        assert "Answer 139" in text
        assert client_of(make_user()).get(address).status_code == 404

    def test_where_the_user_turns_differ_the_whole_run_is_not_laid_beside_each_turn(
        self, project: Project, run: EvaluationRun
    ) -> None:
        project.is_blind = True
        project.save(update_fields=["is_blind"])
        trajectory = RunItem.objects.get().trajectory
        trajectory.body["turns"].append({"user": "One more thing"})
        trajectory.save(update_fields=["body"])
        page = client_of(make_member(project)).get(url(run)).content
        assert len(page) < 500_000
        assert b"280 messages, on a page of their own" in page
