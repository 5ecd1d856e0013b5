from __future__ import annotations

import re
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Project, Role, User
from evaluation import tasks
from evaluation.models import EvaluationRun, Policy, PolicyTrial, TrialState
from evaluation.services import policies, trials
from tests.factories import (
    make_conversation,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
)
from tests.people import cast_of, client_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
FORM = {
    "name": "standard",
    "seen_name": "standard",
    "seen_number": "1",
    "scorer": "exact",
    "threshold": "0.5",
    "margin": "0.1",
    "alignment": "search",
    "default_dependencies": "linear",
    "taint": "on",
    "extra_writes": "report",
    "rule": "unweighted",
    "cap": "0",
    "reason": "",
}
LOOSER = {"rule-0-tool": "reports", "rule-0-param": "metric", "rule-0-compare": "any"}


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    rung: list[Any] = []
    monkeypatch.setattr(tasks.drain, "apply_async", lambda *_, **__: None)
    monkeypatch.setattr(tasks.try_policy, "apply_async", lambda args, **_: rung.append(args))
    return rung


@pytest.fixture
def run() -> EvaluationRun:
    """Three reports, one of which fails at its first call."""
    return make_run(make_report_version(3, failing=1))


@pytest.fixture
def engineer(run: EvaluationRun) -> User:
    return make_member(run.project, Role.ENGINEER)


def url(name: str, run: EvaluationRun, *parts: Any) -> str:
    return reverse(f"evaluation:{name}", args=[run.project.slug, *parts])


def text(response: Any) -> str:
    content: bytes = response.content
    return re.sub(r"\s+", " ", unescape(content.decode()))


def words(response: Any) -> str:
    content: bytes = response.content
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", content.decode())))


# Who


@pytest.mark.parametrize("name", ["policy-list", "policy-detail", "policy-own-rules"])
@pytest.mark.parametrize("is_blind", [True, False])
def test_annotators_do_not_see_policies(run: EvaluationRun, name: str, *, is_blind: bool) -> None:
    Project.objects.filter(pk=run.project_id).update(is_blind=is_blind)
    parts = [run.policy_id] if name == "policy-detail" else []
    for who, user in cast_of(run.project).items():
        expected = {"anonymous": 302, "stranger": 404, "annotator": 403}.get(who, 200)
        assert client_of(user).get(url(name, run, *parts)).status_code == expected, who
    annotator = make_member(run.project, Role.ANNOTATOR)
    assert "/policies/" not in text(client_of(annotator).get(reverse("evaluation:run-list", args=[run.project.slug])))


def test_only_engineers_and_owners_edit_and_try(run: EvaluationRun) -> None:
    for who, user in cast_of(run.project).items():
        expected = {"anonymous": 302, "stranger": 404, "engineer": 200, "owner": 200}.get(who, 403)
        for address in (url("policy-create", run), url("policy-edit", run, run.policy_id)):
            assert client_of(user).get(address).status_code == expected, who
        sent = client_of(user).post(url("policy-edit", run, run.policy_id), {**FORM, "do": "try"})
        assert sent.status_code == (302 if expected == 200 else expected), who
    adjudicator = make_member(run.project, Role.ADJUDICATOR)
    page = text(client_of(adjudicator).get(url("policy-detail", run, run.policy_id)))
    assert "/edit/" not in page
    assert PolicyTrial.objects.count() == 2


def test_a_policy_of_another_project_is_not_there(run: EvaluationRun, engineer: User) -> None:
    other = policies.get_standard(project=make_project())
    for name in ("policy-detail", "policy-edit"):
        assert client_of(engineer).get(url(name, run, other.pk)).status_code == 404


# Reading


def test_the_page_says_what_holds_for_each_field_and_where_goldens_say_otherwise(engineer: User) -> None:
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["region"] = {"value": "EU", "compare": "literal"}
    project = engineer.memberships.get().project
    conversation = make_conversation(project.datasets.create(slug="more", name="More"), title="Own rule")
    make_golden_record(conversation, golden=golden)
    body = {
        "threshold": Decimal("0.6"),
        "params": {"reports": {"metric": {"compare": "text", "threshold": 1}}},
    }
    policy = policies.create(project=project, body=body, by=engineer)
    client = client_of(engineer)
    page = words(client.get(reverse("evaluation:policy-detail", args=[project.slug, policy.pk])))
    assert "reports.metric rule by meaning, threshold 1 (from the policy's rule)" in page
    assert "reports.region by its type, threshold 0.6 (as everywhere in the policy)" in page
    assert "1 golden call of 4 compare it in their own way" in page
    found = client.get(reverse("evaluation:policy-detail", args=[project.slug, policy.pk]), {"q": "region"})
    assert "reports.metric" not in words(found).split("Fields: how each is compared")[1]
    own = client.get(reverse("evaluation:policy-own-rules", args=[project.slug]), {"q": "reports.region"})
    assert "exactly, letter by letter" in words(own)
    assert conversation.get_absolute_url() in text(own)


def test_the_page_names_the_runs_and_the_history(run: EvaluationRun, engineer: User) -> None:
    policies.create(project=run.project, body={"taint": False}, by=engineer, reason="Taint <hides> things")
    page = words(client_of(engineer).get(url("policy-detail", run, run.policy_id)))
    assert "Frozen: 1 run uses it ( Run 1 )" in page
    assert "The newest is standard 2." in page
    assert "taint on → off Why: Taint <hides> things" in page


def test_a_project_without_anything_has_pages_that_say_what_to_do(engineer: User) -> None:
    project = make_project()
    make_member(project, Role.OWNER, user=engineer)
    client = client_of(engineer)
    assert "No policy yet" in words(client.get(reverse("evaluation:policy-list", args=[project.slug])))
    assert "No golden in force has" in words(client.get(reverse("evaluation:policy-own-rules", args=[project.slug])))
    new = words(client.get(reverse("evaluation:policy-create", args=[project.slug])))
    assert "There is no run that has come to an end" in new
    policy = policies.get_standard(project=project)
    assert "No fields yet" in words(client.get(reverse("evaluation:policy-detail", args=[project.slug, policy.pk])))
    sent = client.post(reverse("evaluation:policy-edit", args=[project.slug, policy.pk]), {**FORM, "do": "try"})
    assert sent.status_code == 422
    assert "There is no run to try it on yet" in words(sent)


# Keeping


def test_an_edit_makes_the_next_number_and_says_what_changed(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    sent = {**FORM, "threshold": "0.70", "rule": "gated", "cap": "0.25", "reason": "calibrated", "do": "save", **LOOSER}
    response = client.post(url("policy-edit", run, run.policy_id), sent, follow=True)
    policy = policies.get_standard(project=run.project)
    assert policy.number == 2
    assert str(policy.body["threshold"]) == "0.70"
    assert policy.body["composition"] == {"rule": "gated", "cap": Decimal("0.25")}
    assert policy.body["params"] == {"reports": {"metric": {"compare": "any"}}}
    page = words(response)
    assert "Kept as standard 2" in page
    assert "threshold 0.5 → 0.7" in page
    assert "reports.metric now compared anything that is given" in page
    assert "Why: calibrated" in page
    run.refresh_from_db()
    assert run.policy.number == 1


def test_what_changes_nothing_makes_nothing(run: EvaluationRun, engineer: User) -> None:
    response = client_of(engineer).post(url("policy-edit", run, run.policy_id), {**FORM, "do": "save"}, follow=True)
    assert "Nothing changes" in words(response)
    assert Policy.objects.count() == 1


def test_what_the_form_shows_is_what_it_keeps(run: EvaluationRun, engineer: User) -> None:
    body = {
        "scorer": "exact",
        "threshold": Decimal("0.65"),
        "params": {
            "reports": {
                "metric": {"compare": {"as": "number", "abs": Decimal("0.5"), "rel": Decimal("0.01")}},
                "region": {"threshold": Decimal("0.9")},
            },
            "tool.with.points": {"a.b": {"compare": {"as": "text", "threshold": Decimal("0.4")}}},
        },
    }
    policy = policies.create(project=run.project, body=body, by=engineer)
    page = text(client_of(engineer).get(url("policy-edit", run, policy.pk)))
    sent = {
        name: value
        for name, value in re.findall(r'<input [^>]*name="([^"]+)" value="([^"]*)"', page.split('id="policy-form"')[1])
        if name.startswith(("rule-", "threshold", "margin"))
    }
    values = dict(re.findall(r'<input type="\w+" name="((?:rule-|threshold|margin)[^"]*)" value="([^"]*)"', page))
    chosen = dict(re.findall(r'<select name="(rule-\d-compare)".*?<option value="(\w*)" selected', page))
    response = client_of(engineer).post(
        url("policy-edit", run, policy.pk),
        {**FORM, **sent, **values, **chosen, "seen_number": "2", "do": "save"},
        follow=True,
    )
    assert "Nothing changes" in words(response), words(response)[:600]


def test_a_new_name_is_a_copy(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    client.post(url("policy-edit", run, run.policy_id), {**FORM, "name": "strict", "do": "save"})
    copy = Policy.objects.get(name="strict")
    assert (copy.number, Policy.objects.filter(name="standard").count()) == (1, 1)
    again = client.post(url("policy-edit", run, run.policy_id), {**FORM, "name": "strict", "taint": "", "do": "save"})
    assert again.status_code == 409, "an existing name is not written over by way of another"
    assert "strict 1 is there already" in words(again)


def test_a_stale_edit_is_refused_with_both_versions_and_can_be_kept_after(run: EvaluationRun, engineer: User) -> None:
    policies.create(project=run.project, body={"margin": Decimal("0.2")}, by=engineer)
    client = client_of(engineer)
    sent = {**FORM, "threshold": "0.8", "reason": "mine", "do": "save", **LOOSER}
    response = client.post(url("policy-edit", run, run.policy_id), sent)
    assert response.status_code == 409
    page = text(response)
    assert "Somebody kept standard 2 meanwhile: you edited number 1." in page
    assert "margin 0.1 → 0.2" in page, "theirs"
    assert "threshold 0.5 → 0.8" in page, "mine"
    assert "margin 0.2 → 0.1" in page, "what keeping mine would undo"
    assert 'value="0.8"' in page
    assert 'value="mine"' in page
    assert 'name="rule-0-param" value="metric"' in page
    assert Policy.objects.count() == 2
    seen = re.findall(r'name="(seen_\w+)" value="([^"]*)"', page)
    assert seen == [("seen_name", "standard"), ("seen_number", "2")]
    kept = client.post(url("policy-edit", run, run.policy_id), {**sent, **dict(seen)})
    assert kept.status_code == 302
    assert policies.get_standard(project=run.project).number == 3


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"threshold": "2"}, "Threshold: Ensure this value is less than or equal to 1"),
        ({"threshold": "half"}, "Threshold: Enter a number"),
        ({"name": " "}, "Name: This field is required"),
        ({**LOOSER, "rule-0-compare": "guess"}, "reports.metric, compared: Select a valid choice"),
        ({**LOOSER, "rule-0-threshold": "-1"}, "reports.metric, threshold: Ensure this value is greater"),
        ({**LOOSER, "rule-0-abs": "1"}, "reports.metric, give or take: Room is for a comparison as a number"),
        (
            {**LOOSER, "rule-1-tool": "reports", "rule-1-param": "metric", "rule-1-compare": "text"},
            "reports.metric has two rules",
        ),
    ],
)
def test_an_error_names_the_setting_and_the_reason_and_keeps_what_was_typed(
    run: EvaluationRun, engineer: User, sent: dict[str, str], said: str
) -> None:
    for headers, do in (({}, "save"), ({}, "try"), (HTMX, "try")):
        response = client_of(engineer).post(
            url("policy-edit", run, run.policy_id), {**FORM, "reason": "typed", **sent, "do": do}, headers=headers
        )
        assert response.status_code == 422
        assert said.replace(":", " :") in words(response) or said in words(response)
        if not headers:
            assert 'value="typed"' in text(response)
    assert Policy.objects.count() == 1
    assert not PolicyTrial.objects.exists()


# Rules, without a script too


def test_rows_come_and_go_without_a_script_and_nothing_typed_is_lost(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    address = url("policy-edit", run, run.policy_id)
    added = client.post(address, {**FORM, "threshold": "0.77", "new_field": "reports.metric", "do": "add-rule"})
    page = text(added)
    assert added.status_code == 200
    assert 'name="rule-0-tool" value="reports"' in page
    assert 'value="0.77"' in page
    by_button = text(client.post(address, {**FORM, **LOOSER, "do": 'add-rule:["mail","to"]'}))
    assert 'name="rule-1-tool" value="mail"' in by_button
    by_enter = text(client.post(address, {**FORM, **LOOSER, "new_field": "reports.region", "do": "render"}))
    assert 'name="rule-1-param" value="region"' in by_enter
    twice = words(client.post(address, {**FORM, **LOOSER, "new_field": "reports.metric", "do": "add-rule"}))
    assert "reports.metric has a rule already" in twice
    nothing = words(client.post(address, {**FORM, "new_field": "metric", "do": "add-rule"}))
    assert "metric: name a tool and its parameter" in nothing
    two = {**LOOSER, "rule-4-tool": "mail", "rule-4-param": "to", "rule-4-compare": "literal"}
    dropped = text(client.post(address, {**FORM, **two, "do": "drop-rule:0"}))
    assert 'name="rule-0-tool"' not in dropped
    assert 'name="rule-4-tool" value="mail"' in dropped
    assert Policy.objects.count() == 1


def test_a_field_is_offered_with_how_often_it_occurs_and_an_example(run: EvaluationRun, engineer: User) -> None:
    page = text(client_of(engineer).get(url("policy-edit", run, run.policy_id)))
    assert '<option value="reports.metric">text, 3 ×, such as revenue</option>' in page
    with_rule = text(client_of(engineer).get(url("policy-edit", run, run.policy_id), {"rule": '["reports","region"]'}))
    assert 'name="rule-0-param" value="region"' in with_rule


# The effect


def test_the_effect_is_shown_as_a_page_and_as_a_fragment(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    sent = {**FORM, **LOOSER, "run": str(run.pk), "do": "try"}
    response = client.post(url("policy-edit", run, run.policy_id), sent)
    trial = PolicyTrial.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"{trial.get_absolute_url()}#effect"
    assert (trial.state, trial.total) == (TrialState.DONE, 3)
    page = client.get(trial.get_absolute_url())
    failed = trial.counts["turns"]["fail>pass"]
    assert f"{failed} turn verdicts would change" in words(page)
    assert "Tests passed 2 of 3 66.7 % 3 of 3 100.0 %" in words(page)
    assert 'name="rule-0-param" value="metric"' in text(page), "the draft is there to be kept"
    assert run.items.get(position=1).get_absolute_url() + "?turn=2" in text(page)
    fragment = client.post(url("policy-edit", run, run.policy_id), sent, headers=HTMX)
    newest = PolicyTrial.objects.order_by("-created_at")[0]
    assert fragment["HX-Push-Url"] == newest.get_absolute_url()
    assert text(fragment).lstrip().startswith('<section id="effect"')
    assert "<html" not in text(fragment)
    assert Policy.objects.count() == 1, "nothing was kept"


def test_changes_are_shown_by_sort_and_in_pages(
    run: EvaluationRun, engineer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.views import policies as views

    monkeypatch.setattr(views, "CHANGES_A_PAGE", 2)
    client = client_of(engineer)
    client.post(url("policy-edit", run, run.policy_id), {**FORM, **LOOSER, "run": str(run.pk), "do": "try"})
    trial = PolicyTrial.objects.get()
    address = url("policy-trial-effect", run, trial.pk)
    first = text(client.get(address, {"change": "passes"}, headers=HTMX))
    assert first.count("<dt>stored</dt>") == 2
    assert "page=2" in first
    tests = words(client.get(address, {"change": "test-passes"}))
    assert "the test as a whole" in tests
    assert "success rate" in tests
    nothing = words(client.get(address, {"change": "no-such"}))
    assert "None of this sort" in nothing


def test_a_big_run_is_tried_in_the_background_and_can_be_stopped(
    run: EvaluationRun,
    engineer: User,
    bells: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(trials, "AT_ONCE_TURNS", 1)
    monkeypatch.setattr(trials, "SLICE_ITEMS", 1)
    client = client_of(engineer)
    sent = {**FORM, **LOOSER, "run": str(run.pk), "do": "try"}
    with django_capture_on_commit_callbacks(execute=True):
        fragment = text(client.post(url("policy-edit", run, run.policy_id), sent, headers=HTMX))
    trial = PolicyTrial.objects.get()
    assert bells == [(str(trial.pk),)]
    assert "0 of 3 trajectories tried" in re.sub(r"<[^>]+>", "", fragment)
    assert 'hx-trigger="every 1s"' in fragment
    trials.work(trial.pk, now=trial.created_at)
    polled = text(client.get(url("policy-trial-effect", run, trial.pk), headers=HTMX))
    assert "1 of 3 trajectories tried" in re.sub(r"<[^>]+>", "", polled)
    stopped = client.post(url("policy-trial-stop", run, trial.pk), headers=HTMX)
    assert "Stopped after 1 of 3 trajectories" in words(stopped)
    assert "every 1s" not in text(stopped)
    again = client.post(url("policy-trial-stop", run, trial.pk), follow=True)
    assert "has ended already" in words(again)


def test_the_page_says_what_its_figures_do_not_say(run: EvaluationRun, engineer: User) -> None:
    conversation = make_conversation(run.dataset_version.dataset)
    record = make_golden_record(conversation, policy={"taint": False})
    make_trajectory(conversation)
    other = make_run(make_dataset_version(run.dataset_version.dataset, records=[record]))
    EvaluationRun.objects.filter(pk=other.pk).update(engine_version="0.9")
    client = client_of(engineer)
    rule = {"rule-0-tool": "planes", "rule-0-param": "seat", "rule-0-compare": "text"}
    client.post(url("policy-edit", run, run.policy_id), {**FORM, **rule, "run": str(other.pk), "do": "try"})
    page = words(client.get(PolicyTrial.objects.get().get_absolute_url()))
    assert "was scored by engine 0.9" in page
    assert "taint: the goldens of 1 of 1 trajectories settle this" in page
    assert "is one of planes: the rules for them can show no effect here" in page
    assert "No verdict would change" in page


def test_the_newest_finished_run_is_offered_first(run: EvaluationRun, engineer: User) -> None:
    newer = make_run(run.dataset_version, policy=run.policy)
    make_run(run.dataset_version, policy=run.policy, is_scored=False)
    page = text(client_of(engineer).get(url("policy-edit", run, run.policy_id)))
    chosen = re.findall(r'<option value="([^"]+)" selected', page.split('name="run"')[1].split("</select>")[0])
    offered = re.findall(r'<option value="([^"]+)"', page.split('name="run"')[1].split("</select>")[0])
    assert chosen == [str(newer.pk)]
    assert offered == [str(newer.pk), str(run.pk)], "one at work is none"


def test_a_trial_is_kept_from_its_page(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    client.post(url("policy-edit", run, run.policy_id), {**FORM, **LOOSER, "run": str(run.pk), "do": "try"})
    page = text(client.get(PolicyTrial.objects.get().get_absolute_url()))
    assert f'action="{url("policy-edit", run, run.policy_id)}"' in page
    assert ("seen_number", "1") in re.findall(r'name="(seen_\w+)" value="([^"]*)"', page)
