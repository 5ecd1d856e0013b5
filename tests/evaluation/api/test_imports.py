"""Uploads and runs by the API: what is refused, and what is found."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from annotations.models import Conversation, Role
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, ImportJob
from tests.factories import make_member, make_project, make_report_version, make_run, report_golden, score_run
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer() -> ApiCaller:
    return api_of(make_member(make_project(slug="sales"), Role.ENGINEER))


def _file(text: str | bytes, name: str = "records.jsonl") -> BytesIO:
    file = BytesIO(text if isinstance(text, bytes) else text.encode())
    file.name = name
    return file


def _record(key: str, text: str = "Hello") -> str:
    trajectory = {"turns": [{"user": text}, {"response": "Hi"}]}
    return jsonio.dumps({"format": "aem/1", "id": key, "conversation": key, "trajectory": trajectory})


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, "dataset"),
        ({"dataset": "reports"}, "files"),
        ({"dataset": "no slug!", "files": _file("{}")}, "dataset"),
        ({"dataset": "reports", "files": _file("")}, "files[0]"),
        ({"dataset": "reports", "files": _file("{}"), "format": "docx"}, "format"),
        ({"dataset": "reports", "files": _file("{}"), "encoding": "morse"}, "encoding"),
        ({"dataset": "reports", "files": _file("{}"), "colour": "red"}, "colour"),
    ],
)
def test_what_is_no_upload_is_refused(engineer: ApiCaller, fields: dict[str, Any], wrong: str) -> None:
    for value in fields.values():
        if isinstance(value, BytesIO):
            value.seek(0)
    response = engineer.upload("projects/sales/imports/", **fields)
    assert response.status_code == 400, response.data
    assert wrong in response.data["errors"], response.data
    assert not ImportJob.objects.exists()
    assert engineer.post("projects/sales/imports/", {}).status_code == 415


def test_a_report_names_lines_and_the_good_ones_are_taken(engineer: ApiCaller) -> None:
    text = "\n".join((_record("one"), '{"format": "aem/1",', _record("two")))
    upload = engineer.upload("projects/sales/imports/", dataset="reports", name="Reports", files=_file(text))
    report = upload.data["report"]
    assert (report["errors"], [problem["line"] for problem in report["problems"]]) == (1, [2])
    assert "line 2" in report["problems"][0]["sentence"]
    applied = engineer.post(f"imports/{upload.data['id']}/apply/")
    assert applied.data["report"]["effect"]["counts"]["conversations new"] == 2
    assert engineer.get("projects/sales/datasets/reports/").data["name"] == "Reports"


def test_characters_that_cannot_be_held_are_replaced_and_named(engineer: ApiCaller) -> None:
    upload = engineer.upload(
        "projects/sales/imports/", dataset="reports", files=_file(_record("one", "a").replace('"a"', '"a\\u0000b"'))
    )
    assert upload.data["report"]["warnings"] == 1
    engineer.post(f"imports/{upload.data['id']}/apply/", {})
    conversation = Conversation.objects.get()
    listed = engineer.get(f"conversations/{conversation.pk}/trajectories/").data["results"][0]
    assert engineer.get(f"trajectories/{listed['id']}/").data["body"]["turns"][0]["user"] == "a\ufffdb"


def test_an_upload_is_discarded_or_decided_once(engineer: ApiCaller) -> None:
    upload = engineer.upload("projects/sales/imports/", dataset="reports", files=_file(_record("one")))
    path = f"imports/{upload.data['id']}/"
    assert engineer.post(f"{path}discard/").data["state"] == "discarded"
    assert engineer.post(f"{path}discard/").status_code == 400
    assert engineer.post(f"{path}apply/").status_code == 400
    assert engineer.get(path).data["state"] == "discarded"
    assert engineer.get("projects/sales/imports/", state="applied").data["results"] == []
    assert engineer.get("projects/sales/imports/", dataset="other").data["results"] == []
    assert "report" not in engineer.get("projects/sales/imports/").data["results"][0]
    assert not Conversation.objects.exists()


def test_a_changed_trajectory_waits_for_a_word(engineer: ApiCaller) -> None:
    for text, take, versions in (("Hello", False, 1), ("Bye", False, 1), ("Bye", True, 2)):
        upload = engineer.upload("projects/sales/imports/", dataset="reports", files=_file(_record("one", text)))
        engineer.post(f"imports/{upload.data['id']}/apply/", {"take_changes": take})
        path = f"conversations/{Conversation.objects.get().pk}/trajectories/"
        assert len(engineer.get(path, state="all").data["results"]) == versions
        assert len(engineer.get(path).data["results"]) == 1


def test_a_run_is_chosen_stopped_and_resumed(engineer: ApiCaller) -> None:
    project = make_project(slug="runs")
    caller = api_of(make_member(project, Role.ENGINEER))
    dataset = project.datasets.create(slug="reports", name="Reports")
    path = "projects/runs/runs/"
    for body, wrong in (
        ({"dataset": "other"}, "dataset"),
        ({"dataset": "reports"}, "version"),
        ({"dataset": "reports", "trials": [10**30]}, "trials"),
        ({"dataset": "reports", "agents": ["reporter"]}, "agents"),
    ):
        refused = caller.post(path, body)
        assert refused.status_code == 400
        assert any(name.startswith(wrong) for name in refused.data["errors"]), refused.data
    make_report_version(2, failing=1, dataset=dataset)
    assert caller.post(path, {"dataset": "reports", "policy": 10**6}).status_code == 400
    nothing = caller.post(path, {"dataset": "reports", "trials": [7]})
    assert (nothing.status_code, "fits this choice" in nothing.data["detail"]) == (400, True)
    agents = [{"agent": "reporter", "agent_version": "2.2"}]
    run = caller.post(path, {"dataset": "reports", "agents": agents, "trials": [0]}).data
    assert run["selection"] == {"agents": [["reporter", "2.2"]], "trials": [0]}
    assert caller.post(f"runs/{run['id']}/resume/").status_code == 400
    assert caller.post(f"runs/{run['id']}/stop/").data["state"] == "stopped"
    assert caller.post(f"runs/{run['id']}/resume/").data["state"] == "running"
    score_run(EvaluationRun.objects.get(pk=run["id"]))
    assert caller.get(f"runs/{run['id']}/").data["summary"] is not None
    for query, number in (({"state": "done"}, 1), ({"state": "failed"}, 0), ({"dataset": "reports"}, 1)):
        assert len(caller.get(path, **query).data["results"]) == number
    available = caller.get("projects/runs/datasets/reports/versions/1/agents/").data
    assert available == [{"agent": "reporter", "agent_version": "2.2", "trajectories": 2, "trials": 1}]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({}, 3),
        ({"result": "failed"}, 1),
        ({"result": "passed"}, 2),
        ({"cause": "root", "tool": "reports"}, 1),
        ({"reason": "inconsistent_parameter_values", "field": "metric"}, 1),
        ({"reason": "tool_mismatch"}, 0),
        ({"agent": '["reporter", "2.2"]', "trial": "0"}, 3),
        ({"agent": "reporter"}, 0),
        ({"first": "2"}, 1),
        ({"language": "en", "domain": "sales", "kind": "action"}, 3),
        ({"stale": "true"}, 0),
    ],
)
def test_items_are_filtered_as_on_the_page(query: dict[str, str], number: int) -> None:
    project = make_project(is_blind=False)
    dataset = project.datasets.create(slug="reports", name="Reports")
    run = make_run(make_report_version(3, failing=1, dataset=dataset))
    caller = api_of(make_member(project, Role.ENGINEER))
    assert len(caller.get(f"runs/{run.pk}/items/", **query).data["results"]) == number
    assert caller.get(f"runs/{run.pk}/items/", result="odd").status_code == 400


def test_a_policy_that_cannot_be_followed_is_refused(engineer: ApiCaller) -> None:
    wrong: tuple[Any, ...] = ({"alignment": "by feeling"}, {"threshold": "high"}, [])
    for body in wrong:
        assert engineer.post("projects/sales/policies/", {"body": body}).status_code == 400
    first = engineer.post("projects/sales/policies/", {"body": {"margin": jsonio.loads("0.10")}, "name": "strict"})
    assert '"margin": 0.10' in first.content.decode()
    again = engineer.post("projects/sales/policies/", {"body": {"margin": jsonio.loads("0.10")}, "name": "strict"})
    assert again.data["id"] == first.data["id"]


def test_what_a_version_froze_is_read_whole() -> None:
    project = make_project(is_blind=True)
    dataset = project.datasets.create(slug="reports", name="Reports")
    make_report_version(1, dataset=dataset)
    caller = api_of(make_member(project, Role.ENGINEER))
    item = caller.get(f"projects/{project.slug}/datasets/reports/versions/1/items/0/")
    assert item.data["golden"] == report_golden()
