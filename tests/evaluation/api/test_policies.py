from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotations.models import Role
from evaluation import tasks
from evaluation.models import EvaluationRun, Policy, PolicyTrial
from evaluation.services import trials
from tests.factories import make_member, make_project, make_report_version, make_run
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db

LOOSER = {"params": {"reports": {"metric": {"compare": "any"}}}}


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    rung: list[Any] = []
    monkeypatch.setattr(tasks.try_policy, "apply_async", lambda args, **_: rung.append(args))
    return rung


@pytest.fixture
def run() -> EvaluationRun:
    return make_run(make_report_version(3, failing=1))


@pytest.fixture
def engineer(run: EvaluationRun) -> ApiCaller:
    return api_of(make_member(run.project, Role.ENGINEER))


def test_a_stale_save_is_a_conflict_with_both_versions(run: EvaluationRun, engineer: ApiCaller) -> None:
    path = f"projects/{run.project.slug}/policies/"
    made = engineer.post(path, {"body": {"margin": Decimal("0.2")}, "seen_number": 1, "reason": "narrower"})
    assert (made.status_code, made.data["number"]) == (201, 2)
    sent = {"body": {"margin": Decimal("0.30")}, "seen_number": 1}
    stale = engineer.post(path, sent)
    assert stale.status_code == 409
    assert (stale.data["seen"], stale.data["yours"]) == (1, {"body": {"margin": Decimal("0.30")}, "seen_number": 1})
    assert (stale.data["current"]["number"], stale.data["current"]["body"]) == (2, {"margin": Decimal("0.2")})
    same = engineer.post(path, {"body": {"margin": Decimal("0.20"), "taint": True}, "seen_number": 2})
    assert (same.data["number"], Policy.objects.count()) == (2, 2)
    read = engineer.get(f"{path}{made.data['id']}/")
    assert read.data["changes"] == ["margin 0.1 → 0.2"]
    refused = engineer.post(path, {"body": {"thresold": 1}})
    assert refused.status_code == 400
    assert "no setting 'thresold'" in refused.data["detail"]


def test_a_draft_is_tried_and_its_changes_are_read(
    run: EvaluationRun, engineer: ApiCaller, bells: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    path = f"projects/{run.project.slug}/policy-trials/"
    with django_capture_on_commit_callbacks(execute=True):
        begun = engineer.post(path, {"body": LOOSER, "policy": run.policy_id})
    assert begun.status_code == 201
    assert (begun.data["state"], begun.data["done"], begun.data["total"]) == ("running", 0, 3)
    assert bells == [(begun.data["id"],)]
    trials.work(PolicyTrial.objects.get().pk, now=PolicyTrial.objects.get().created_at)
    done = engineer.get(f"{path}{begun.data['id']}/").data
    assert (done["state"], done["run_number"]) == ("done", run.number)
    assert (done["before"]["test_passed"], done["after"]["test_passed"], done["after"]["judged"]) == (2, 3, 3)
    counts = {group["key"]: group["count"] for group in done["groups"]}
    assert counts == {"passes": done["changed_turns"], "test-passes": 1}
    changes = engineer.get(f"{path}{begun.data['id']}/changes/", group="passes", limit=1).data
    assert len(changes["results"]) == 1
    first = changes["results"][0]
    assert (first["turn_key"], first["change"], first["before"]["state"]) == ("g2", "fail>pass", "fail")
    assert "profit" in first["before"]["sentence"]
    assert changes["next"]
    assert engineer.get(f"{path}{begun.data['id']}/changes/", group="nonsense").status_code == 400
    assert engineer.post(f"{path}{begun.data['id']}/stop/").status_code == 400, "it has ended"
    assert not Policy.objects.exclude(pk=run.policy_id).exists()


def test_what_cannot_be_tried_is_refused(run: EvaluationRun, engineer: ApiCaller) -> None:
    path = f"projects/{run.project.slug}/policy-trials/"
    bodies: list[dict[str, Any]] = [
        {"body": {"threshold": 7}},
        {"body": {}, "policy": 10**6},
        {"body": {}, "run": str(make_run().pk)},
        {"body": []},
    ]
    for body in bodies:
        assert engineer.post(path, body).status_code == 400, body
    other = make_project(slug="empty")
    make_member(other, Role.OWNER, user=run.project.memberships.get(role=Role.ENGINEER).user)
    nothing = engineer.post("projects/empty/policy-trials/", {"body": {}})
    assert nothing.status_code == 400
    assert "no such run" in nothing.data["detail"]
    assert not PolicyTrial.objects.exists()


def test_annotators_see_neither_policies_nor_trials(run: EvaluationRun) -> None:
    annotator = api_of(make_member(run.project, Role.ANNOTATOR))
    for path in ("policies/", f"policies/{run.policy_id}/"):
        assert annotator.get(f"projects/{run.project.slug}/{path}").status_code == 403
    assert annotator.post(f"projects/{run.project.slug}/policy-trials/", {"body": {}}).status_code == 403
