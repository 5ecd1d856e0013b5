from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import HumanLabel, Project, Role, User
from evaluation import tasks
from evaluation.models import ChunkState, EvaluationRun, Policy, RunState
from evaluation.services import items, runs
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_trajectory,
    score_run,
)
from tests.people import cast_of, client_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
#: What a page for a blinded annotator may not hold.
REVEALING = ("passed", "failed", "root cause", "cascade", "ambiguous", "not scored", "chip pass", "chip root")


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    rung: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.drain, "apply_async", lambda **options: rung.append(options))
    return rung


@pytest.fixture
def run() -> EvaluationRun:
    """Two agent versions, one of which fails once."""
    version = make_report_version(3, failing=1)
    for item in version.items.all():
        make_trajectory(item.golden_record.conversation, agent_version="3.0")
    return make_run(version)


@pytest.fixture
def engineer(run: EvaluationRun) -> User:
    return make_member(run.project, Role.ENGINEER)


def url(name: str, run: EvaluationRun, **query: Any) -> str:
    return reverse(f"evaluation:{name}", args=[run.pk]) + (f"?{urlencode(query)}" if query else "")


def text(response: Any) -> str:
    content: bytes = response.content
    return content.decode()


def _without_token(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page)


# Who may do what


@pytest.mark.parametrize("name", ["run-detail", "run-progress", "run-items", "run-compare"])
def test_members_see_a_run_and_strangers_are_not_told_of_it(run: EvaluationRun, name: str) -> None:
    run.project.is_blind = False
    run.project.save(update_fields=["is_blind"])
    for who, user in cast_of(run.project).items():
        response = client_of(user).get(url(name, run))
        assert response.status_code == {"anonymous": 302, "stranger": 404}.get(who, 200), who


@pytest.mark.parametrize("name", ["run-stop", "run-resume"])
def test_only_engineers_and_owners_move_a_run(run: EvaluationRun, name: str) -> None:
    for who, user in cast_of(run.project).items():
        expected = {"anonymous": 302, "stranger": 404, "engineer": 302, "owner": 302}.get(who, 403)
        assert client_of(user).post(url(name, run)).status_code == expected, who
        if user is not None:
            assert client_of(user).get(url(name, run)).status_code == 405


def test_only_engineers_and_owners_start_runs() -> None:
    project = make_project()
    for who, user in cast_of(project).items():
        expected = {"anonymous": 302, "stranger": 404, "engineer": 200, "owner": 200}.get(who, 403)
        assert client_of(user).get(reverse("evaluation:run-create", args=[project.slug])).status_code == expected, who


def test_every_member_sees_the_list() -> None:
    project = make_project()
    for who, user in cast_of(project).items():
        expected = {"anonymous": 302, "stranger": 404}.get(who, 200)
        assert client_of(user).get(reverse("evaluation:run-list", args=[project.slug])).status_code == expected, who


# Blindness


def test_a_blinded_annotator_gets_a_list_to_label_and_no_result(run: EvaluationRun) -> None:
    annotator = make_member(run.project, Role.ANNOTATOR)
    first = run.items.order_by("position")[0]
    HumanLabel.objects.create(
        trajectory=first.trajectory, annotator=annotator, path="main", turn_key="g1", verdict="fail"
    )
    client = client_of(annotator)
    for page in (
        url("run-detail", run),
        url("run-items", run),
        url("run-items", run, result="failed"),
        url("run-items", run, cause="root", open=1),
        url("run-progress", run),
        reverse("evaluation:run-list", args=[run.project.slug]),
    ):
        content = text(client.get(page))
        found = [word for word in REVEALING if word in content.lower()]
        assert found == [], page
    whole = client.get(url("run-items", run)).context["page"].object_list
    filtered = client.get(url("run-items", run, result="failed", first=2)).context["page"].object_list
    assert [item.pk for item in whole] == [item.pk for item in filtered], "a filter would tell"
    assert "1 of 5" in text(client.get(url("run-detail", run)))
    assert client.get(url("run-compare", run)).status_code == 403


def test_whoever_labelled_everywhere_is_told_that_nothing_is_left(run: EvaluationRun) -> None:
    annotator = make_member(run.project, Role.ANNOTATOR)
    for item in run.items.all():
        HumanLabel.objects.create(
            trajectory=item.trajectory, annotator=annotator, path="main", turn_key="g1", verdict="pass"
        )
    assert "Nothing left" in text(client_of(annotator).get(url("run-detail", run, open=1)))


def test_an_annotator_of_an_open_project_sees_results(run: EvaluationRun) -> None:
    Project.objects.filter(pk=run.project_id).update(is_blind=False)
    assert "Root causes" in text(client_of(make_member(run.project)).get(url("run-detail", run)))


# Starting


def test_a_run_is_started_from_the_form_and_the_bell_rings(
    bells: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    version = make_report_version(2)
    project = version.dataset.project
    engineer = make_member(project, Role.ENGINEER)
    address = reverse("evaluation:run-create", args=[project.slug])
    client = client_of(engineer)
    assert "Scores reporter 2.2 (2 trajectories)" in text(client.get(address))
    policy = Policy.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(address, {"dataset_version": version.pk, "policy": policy.pk, "name": "first"})
    run = EvaluationRun.objects.get()
    assert (response.status_code, response["Location"]) == (302, run.get_absolute_url())
    assert (run.name, run.state, run.created_by) == ("first", RunState.RUNNING, engineer)
    assert len(bells) == tasks.BELLS


def test_chosen_agents_and_trials_are_kept_to(run: EvaluationRun, engineer: User) -> None:
    version = run.dataset_version
    make_trajectory(version.items.get(position=0).golden_record.conversation, agent_version="3.0", trial=1)
    address = reverse("evaluation:run-create", args=[run.project.slug])
    client = client_of(engineer)
    page = text(client.get(address))
    assert "reporter 3.0" in page
    assert "trial 1" in page
    response = client.post(
        address,
        {
            "dataset_version": version.pk,
            "policy": run.policy_id,
            "agents": [items.key_of(runs.AgentVersion("reporter", "3.0"))],
            "trials": ["1"],
        },
    )
    assert response.status_code == 302
    newest = EvaluationRun.objects.get(number=2)
    assert [item.trajectory.trial for item in newest.items.all()] == [1]


def test_a_choice_without_trajectories_is_refused_in_the_form(run: EvaluationRun, engineer: User) -> None:
    empty = make_dataset_version(run.dataset_version.dataset)
    response = client_of(engineer).post(
        reverse("evaluation:run-create", args=[run.project.slug]),
        {"dataset_version": empty.pk, "policy": run.policy_id},
    )
    assert response.status_code == 422
    assert "No current trajectory" in text(response)
    assert EvaluationRun.objects.count() == 1


def test_versions_and_policies_of_other_projects_cannot_be_chosen(run: EvaluationRun) -> None:
    other = make_report_version(1)
    stranger = make_member(other.dataset.project, Role.ENGINEER)
    response = client_of(stranger).post(
        reverse("evaluation:run-create", args=[other.dataset.project.slug]),
        {"dataset_version": run.dataset_version_id, "policy": run.policy_id},
    )
    assert response.status_code == 422
    assert EvaluationRun.objects.count() == 1


def test_without_a_dataset_version_the_page_says_what_comes_first() -> None:
    project = make_project()
    owner = make_member(project, Role.OWNER)
    page = text(client_of(owner).get(reverse("evaluation:run-create", args=[project.slug])))
    assert "Release a dataset version first" in page


# Watching, stopping, going on


def test_the_page_polls_while_the_run_is_live_and_is_loaded_again_at_its_end(
    run: EvaluationRun, engineer: User
) -> None:
    client = client_of(engineer)
    live = make_run(run.dataset_version, is_scored=False)
    page = text(client.get(url("run-detail", live)))
    assert 'hx-trigger="every 1s"' in page
    fragment = client.get(url("run-progress", live), headers=HTMX)
    assert "HX-Refresh" not in fragment
    assert "0 of 6 trajectories" in text(fragment)
    assert _without_token(text(fragment)).strip() in _without_token(page), "the page holds the very fragment"
    score_run(live)
    fragment = client.get(url("run-progress", live), headers=HTMX)
    assert fragment["HX-Refresh"] == "true"
    assert "every 1s" not in text(fragment)
    assert "every 1s" not in text(client.get(url("run-detail", live)))


def test_a_run_is_stopped_and_resumed(
    run: EvaluationRun, engineer: User, bells: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(engineer)
    live = make_run(run.dataset_version, is_scored=False)
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(url("run-stop", live), follow=True)
    live.refresh_from_db()
    assert live.state == RunState.STOPPED
    assert "Stopped." in text(response)
    assert len(bells) == 1
    assert "This cannot be done now" in text(client.post(url("run-stop", live), follow=True))
    tasks.drain()
    assert "Resume" in text(client.get(url("run-detail", live)))
    assert "Not complete" in text(client.get(url("run-detail", live)))
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url("run-resume", live))
    live.refresh_from_db()
    assert live.state == RunState.RUNNING
    assert len(bells) == 1 + tasks.BELLS


def test_a_failed_run_shows_why_and_offers_another_try(run: EvaluationRun, engineer: User) -> None:
    live = make_run(run.dataset_version, is_scored=False)
    live.chunks.update(state=ChunkState.FAILED, error="ZeroDivisionError: <b>a fault</b>")
    score_run(live)
    page = text(client_of(engineer).get(url("run-detail", live)))
    assert "Try the failed parts again" in page
    assert "&lt;b&gt;a fault" in page
    assert "6 of 6 trajectories were not looked at" in page


# Results


def test_every_number_links_to_what_is_behind_it(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    page = text(client.get(url("run-detail", run)))
    assert "Root causes" in page
    assert "Cascades" in page
    assert "Not scored" in page
    for link, expected in (
        (url("run-items", run, cause="root", reason="inconsistent_parameter_values"), [1]),
        (url("run-items", run, agent='["reporter", "3.0"]'), [2, 4, 6]),
        (url("run-items", run, tool="reports", action="FilterData", field="metric", cause="root"), [1]),
    ):
        assert link.replace("&", "&amp;") in page, link
        assert [item.position for item in client.get(link).context["page"].object_list] == expected


def test_all_links_of_the_page_lead_somewhere(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    page = text(client.get(url("run-detail", run)))
    links = {unescape(link) for link in re.findall(r'href="(/runs/[^"]+)"', page)}
    assert len(links) > 10
    for link in links:
        assert client.get(link).status_code == 200, link


def test_staleness_is_said_and_found(run: EvaluationRun, engineer: User) -> None:
    trajectory = run.items.get(position=2).trajectory
    trajectory.superseded_at = timezone.now()
    trajectory.save(update_fields=["superseded_at"])
    client = client_of(engineer)
    assert "Out of date" in text(client.get(url("run-detail", run)))
    assert [item.position for item in client.get(url("run-items", run, stale="on")).context["page"]] == [2]


def test_a_filter_from_a_link_can_be_taken_out_alone(run: EvaluationRun, engineer: User) -> None:
    page = text(client_of(engineer).get(url("run-items", run, action="FilterData", cause="root", page="1")))
    assert 'href="?cause=root"' in page
    assert '<input type="hidden" name="action" value="FilterData">' in page


def test_a_filter_that_finds_nothing_says_so(run: EvaluationRun, engineer: User) -> None:
    assert "No trajectory of this run shows all of that" in text(
        client_of(engineer).get(url("run-items", run, tool="no such tool"))
    )


def test_markup_in_names_is_shown_and_does_nothing(engineer: User, run: EvaluationRun) -> None:
    name = "</script><img src=x onerror=alert(1)>"
    dataset = make_dataset(run.project)
    golden = {"paths": [{"id": "main", "turns": [{"id": "g1", "tool": name, "action": name, "params": {}}]}]}
    conversation = make_conversation(dataset, title=name, language=name[:20], domain=name)
    for agent_version in (name, "plain"):
        make_trajectory(conversation, agent=name, agent_version=agent_version, body={"turns": [{"response": "no"}]})
    record = make_golden_record(conversation, golden={**golden, "forbidden": [], "outcome": []})
    marked = make_run(make_dataset_version(dataset, records=[record]), name=name)
    client = client_of(engineer)
    for page in ("run-detail", "run-items", "run-compare"):
        content = text(client.get(url(page, marked)))
        assert "<img" not in content, page
        assert "&lt;img src=x onerror=alert(1)&gt;" in content, page


def test_two_versions_are_compared_pair_by_pair(run: EvaluationRun, engineer: User) -> None:
    response = client_of(engineer).get(url("run-compare", run))
    result = response.context["comparison"].result
    assert (result.both_pass, result.only_a, result.only_b, result.both_fail) == (2, 0, 1, 0)
    assert "exact McNemar p = 1.0000" in text(response)


def test_a_version_is_not_compared_with_itself(run: EvaluationRun, engineer: User) -> None:
    key = items.key_of(runs.AgentVersion("reporter", "3.0"))
    response = client_of(engineer).get(url("run-compare", run, a=key, b=key))
    assert response.status_code == 422
    assert "two different versions" in text(response)


# Queries


def queries(client: Any, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize(
    ("role", "name"),
    [
        *((Role.ENGINEER, name) for name in ("run-detail", "run-progress", "run-items", "run-compare")),
        *((Role.ANNOTATOR, name) for name in ("run-detail", "run-progress", "run-items")),
    ],
)
def test_a_page_asks_no_more_of_the_database_when_the_run_is_larger(name: str, role: Role) -> None:
    counts = []
    for size in (2, 30):
        version = make_report_version(size, failing=size // 2)
        for item in version.items.all():
            make_trajectory(
                item.golden_record.conversation, agent_version="3.0", body=report_trajectory(metric="profit")
            )
        run = make_run(version)
        client = client_of(make_member(run.project, role))
        client.get(url(name, run))
        counts.append(queries(client, url(name, run)))
    assert counts[0] == counts[1]


def test_the_list_asks_no_more_of_the_database_when_there_are_more_runs(run: EvaluationRun, engineer: User) -> None:
    client = client_of(engineer)
    address = reverse("evaluation:run-list", args=[run.project.slug])
    client.get(address)
    before = queries(client, address)
    for _ in range(4):
        make_run(run.dataset_version)
    assert queries(client, address) == before
