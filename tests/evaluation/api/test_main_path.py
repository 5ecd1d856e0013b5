"""The whole main path by the API alone, with tokens: each step does what its role may."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from django.urls import reverse

from evaluation.formats import jsonio
from evaluation.models import EvaluationRun
from tests.factories import REPORT_TOOLS, make_user, report_trajectory, score_run
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db

LONG_ID = 107505301260286111


def _records() -> bytes:
    """Two versions of an agent on one conversation, the newer one failing; an id of eighteen digits beside it."""
    lines = []
    for agent_version, metric in (("2.2", "revenue"), ("2.3", "profit")):
        trajectory = {
            **report_trajectory(metric=metric),
            "agent": "reporter",
            "agent_version": agent_version,
            "metadata": {"ticket": LONG_ID},
        }
        record = {
            "format": "aem/1",
            "id": f"report {agent_version}",
            "conversation": "report",
            "conversation_meta": {"title": "A sales report", "language": "en"},
            "tools": REPORT_TOOLS,
            "trajectory": trajectory,
        }
        lines.append(jsonio.dumps(record))
    return "\n".join(lines).encode()


def _join(owner: ApiCaller, role: str) -> ApiCaller:
    invited = owner.post("projects/sales/invitations/", {"role": role})
    assert invited.status_code == 201
    assert invited.data["link"].endswith(reverse("annotations:join", args=[invited.data["secret"]]))
    person = api_of(make_user(f"the-{role}-{invited.data['id']}"))
    joined = person.post("invitations/accept/", {"secret": invited.data["secret"]})
    assert (joined.status_code, joined.data["role"]) == (200, role)
    again = api_of(make_user()).post("invitations/accept/", {"secret": invited.data["secret"]})
    assert again.status_code == 400
    return person


def test_from_import_to_export() -> None:
    owner = api_of(make_user("olga"))
    project = owner.post("projects/", {"name": "Sales", "is_blind": True, "overlap": 1})
    assert (project.status_code, project.data["slug"], project.data["role"]) == (201, "sales", "owner")
    engineer, adjudicator = _join(owner, "engineer"), _join(owner, "adjudicator")
    annotator, second = _join(owner, "annotator"), _join(owner, "annotator")

    _import(engineer)
    conversation = _annotate(annotator, adjudicator)
    released = owner.post("projects/sales/datasets/reports/versions/", {"note": "first"})
    assert (released.status_code, released.data["number"], released.data["golden_count"]) == (201, 1, 1)
    unchanged = owner.post("projects/sales/datasets/reports/versions/", {})
    assert (unchanged.status_code, unchanged.data["detail"]) == (400, "Nothing has changed since version 1.")

    run = _score(engineer)
    item = _label(annotator, second, run)
    _settle(adjudicator, run, item)
    _agree(engineer, annotator, run)
    _export(engineer, conversation)


def _import(engineer: ApiCaller) -> None:
    upload = engineer.upload("projects/sales/imports/", dataset="reports", files=BytesIO(_records()))
    assert upload.status_code == 201, upload.data
    report = upload.data["report"]
    assert (upload.data["state"], report["format"], report["errors"]) == ("previewed", "aem/1", 0)
    assert report["effect"]["counts"]["trajectories new"] == 2
    assert engineer.get("projects/sales/datasets/reports/conversations/").data["results"] == []
    applied = engineer.post(f"imports/{upload.data['id']}/apply/", {"take_changes": False})
    assert (applied.status_code, applied.data["state"]) == (200, "applied")
    twice = engineer.post(f"imports/{upload.data['id']}/apply/", {})
    assert twice.status_code == 400
    file = upload.data["files"][0]
    raw = engineer.get(f"imports/{upload.data['id']}/files/{file['id']}/")
    assert b"".join(raw.streaming_content) == _records()


def _annotate(annotator: ApiCaller, adjudicator: ApiCaller) -> int:
    waiting = annotator.get("projects/sales/queue/").data
    assert waiting["waiting"] == 1
    taken = annotator.post("projects/sales/queue/next/", {"dataset": "reports"})
    golden = taken.data["golden"]
    assert taken.data["assignment"]["state"] == "claimed"
    assert taken.data["assignment"]["conversation"] == waiting["next"]["conversation"]
    assert golden["annotator"]["username"].startswith("the-annotator")
    nothing = annotator.post("projects/sales/queue/next/", {})
    assert nothing.data == {"assignment": None, "golden": None, "why": None}
    path = f"goldens/{golden['id']}/"
    turns = [turn for turn in golden["turns"] if turn["kind"] != "user"]
    for turn in turns:
        body = {key: value for key, value in turn["body"].items() if key != "id"}
        if body.get("action") == "FilterData":
            body["params"]["metric"] = {"value": "revenue"}
        saved = annotator.put(f"{path}turns/{turn['id']}/", {"seen_revision": turn["revision"], "body": body})
        assert (saved.status_code, saved.data["is_done"], saved.data["note"]) == (200, True, "")
    whole = annotator.patch(path, {"seen_revision": golden["revision"], "comment": "as agreed"})
    assert (whole.status_code, whole.data["comment"]) == (200, "as agreed")
    submitted = annotator.post(f"{path}submit/")
    assert (submitted.status_code, submitted.data["status"]) == (200, "submitted")
    assert adjudicator.get("projects/sales/goldens/", status="submitted").data["results"][0]["id"] == golden["id"]
    returned = adjudicator.post(f"{path}return/", {"comment": "say why"})
    assert returned.data["status"] == "returned"
    assert annotator.post(f"{path}submit/").status_code == 200
    accepted = adjudicator.post(f"{path}accept/", {"comment": "good"})
    assert (accepted.status_code, accepted.data["number"]) == (200, 1)
    conversation: int = golden["conversation"]
    return conversation


def _score(engineer: ApiCaller) -> str:
    policy = engineer.post("projects/sales/policies/", {"body": {"extra_writes": "fail"}})
    assert (policy.status_code, policy.data["name"], policy.data["number"]) == (201, "standard", 1)
    started = engineer.post(
        "projects/sales/runs/", {"dataset": "reports", "version": 1, "policy": policy.data["id"], "name": "2.3?"}
    )
    assert (started.status_code, started.data["state"], started.data["progress"]["total"]) == (201, "running", 2)
    run: str = started.data["id"]
    score_run(EvaluationRun.objects.get(pk=run))
    done = engineer.get(f"runs/{run}/").data
    assert (done["state"], done["progress"]["percent"]) == ("done", 100)
    assert done["summary"] is not None
    keys = [agent["key"] for agent in done["agents"]]
    compared = engineer.get(f"runs/{run}/compare/", a=keys[0], b=keys[1])
    assert compared.status_code == 200, compared.data
    assert compared.data["pairs"] == 1
    assert engineer.post(f"runs/{run}/stop/").status_code == 400
    return run


def _label(annotator: ApiCaller, second: ApiCaller, run: str) -> int:
    items = annotator.get(f"runs/{run}/items/").data["results"]
    assert [entry["own_labels"] for entry in items] == [0, 0]
    assert all(entry["verdict"] is None for entry in items)
    position: int = next(entry["position"] for entry in items if entry["agent_version"] == "2.3")
    item = f"runs/{run}/items/{position}/"
    said: dict[int, dict[str, Any]] = {
        2: {"verdict": "fail", "failure_reason": "inconsistent_parameter_values", "attribution": "root"},
        3: {"verdict": "fail", "attribution": "cascade", "cascade_of": ["g2"]},
    }
    for turn in annotator.get(item).data["turns"]:
        number = turn["turn_no"]
        assert turn["is_hidden"]
        label: dict[str, Any] = said.get(number, {"verdict": "pass"})
        saved = annotator.put(f"{item}turns/{number}/label/", {"seen_revision": 0, **label})
        assert saved.status_code == 200, saved.data
        differing: dict[str, Any] = {"verdict": "pass"} if number == 2 else label
        assert second.put(f"{item}turns/{number}/label/", {"seen_revision": 0, **differing}).status_code == 200
    seen = annotator.get(item).data
    assert not seen["is_hidden"]
    assert seen["turns"][1]["verdict"]["is_root_cause"]
    assert seen["turns"][1]["explanation"]["items"]
    return position


def _settle(adjudicator: ApiCaller, run: str, position: int) -> None:
    waiting = adjudicator.get("projects/sales/adjudication/", reason="people differ").data["results"]
    assert [(entry["position"], entry["turn_no"]) for entry in waiting] == [(position, 2)]
    turn = f"runs/{run}/items/{position}/turns/2/decision/"
    shown = adjudicator.get(turn).data
    assert sorted(answer["verdict"] for answer in shown["answers"]) == ["fail", "pass"]
    assert "annotator" not in shown["answers"][0]
    decision = {"verdict": "fail", "attribution": "root", "reason": "The user asked for revenue."}
    assert adjudicator.put(turn, {"seen_revision": 0, **decision}).status_code == 200
    late = adjudicator.put(turn, {"seen_revision": 0, **decision})
    assert (late.status_code, late.data["current"]["revision"]) == (409, 1)
    assert adjudicator.delete(turn, seen_revision=7).status_code == 409
    assert adjudicator.delete(turn, seen_revision=1).status_code == 204
    assert adjudicator.put(turn, {"seen_revision": 0, **decision}).status_code == 200
    assert adjudicator.get("projects/sales/adjudication/", reason="people differ").data["results"] == []
    decided = adjudicator.get("projects/sales/adjudication/", state="decided").data["results"]
    assert decided[0]["decision"]["reason"] == decision["reason"]


def _agree(engineer: ApiCaller, annotator: ApiCaller, run: str) -> None:
    report = engineer.get("projects/sales/agreement/", run=run)
    assert report.status_code == 200
    verdicts = report.data["machine_and_people"]["turn_verdict"]
    assert verdicts["n"] == 5
    structural: dict[str, Any] = report.data["machine_and_people"]["structural"]
    assert structural["n"] == 0
    assert structural["pearson"]["value"] is None
    assert structural["pearson"]["reason"]
    assert len(report.data["people"]["by_pair"]) == 1
    rows = engineer.get("projects/sales/agreement/rows/", run=run, sub_metric="turn_verdict").data["results"]
    assert len(rows) == 5
    assert annotator.get("projects/sales/agreement/").status_code == 403


def _export(engineer: ApiCaller, conversation: int) -> None:
    response = engineer.get("projects/sales/datasets/reports/export/", version=1, format="aem-1")
    assert response.status_code == 200
    assert response["Content-Disposition"] == 'attachment; filename="reports-v1.jsonl"'
    lines = [jsonio.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert len(lines) == 2
    assert {line["trajectory"]["metadata"]["ticket"] for line in lines} == {LONG_ID}
    table = engineer.get("projects/sales/datasets/reports/export/", format="csv")
    assert table.status_code == 200
    assert table["Content-Type"].startswith("text/csv")
    wrong = engineer.get("projects/sales/datasets/reports/export/", format="docx")
    assert (wrong.status_code, list(wrong.data["errors"])) == (400, ["format"])
    assert engineer.get("projects/sales/datasets/reports/export/", version=9).status_code == 404
    records = engineer.get(f"conversations/{conversation}/golden-records/").data["results"]
    assert records[0]["golden"]["paths"][0]["turns"]
