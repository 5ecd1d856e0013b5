"""A blinded annotator finds, on no address, what others wrote or what the machine says before their own is saved."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from annotations.models import Merge, Role
from annotations.services import goldens, labels, queue_actions
from evaluation.services import lessons, trials
from tests.evaluation.api.test_access import OPERATIONS
from tests.factories import (
    make_conversation,
    make_golden_record,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_trajectory,
)
from tests.people import api_of

pytestmark = pytest.mark.django_db

SECRET = "only the first annotator knows"
COMMENT = {"author": "ana", "text": "the agent failed at turn 2, says the comment"}


@pytest.fixture
def blind() -> dict[str, Any]:
    """Ana has labelled and annotated; Ben has not yet."""
    project = make_project(slug="blind", is_blind=True, overlap=2)
    ana, ben = make_member(project), make_member(project)
    dataset = project.datasets.create(slug="reports", name="Reports")
    run = make_run(make_report_version(1, failing=1, dataset=dataset))
    item = run.items.get()
    labels.save(
        trajectory=item.trajectory,
        path="main",
        turn_key="g2",
        by=ana,
        seen_revision=0,
        verdict="fail",
        attribution="root",
        comment=SECRET,
    )
    conversation = make_conversation(dataset, extra={"comments": [COMMENT]})
    body = {**report_trajectory(), "final_state": {}}
    trajectory = make_trajectory(
        conversation, body=body, metadata={"secret": SECRET}, extra={"comments": [COMMENT]}, reward_as_given=0
    )
    golden = goldens.start(conversation, ana, trajectory)
    goldens.update_whole(golden=golden, seen=1, by=ana, comment=SECRET)
    make_golden_record(conversation, policy={"taint": False})
    draft = {"params": {"reports": {"metric": {"compare": "any"}}}}
    trial = trials.begin(run=run, body=draft, name="standard", seen_number=1, by=None, now=timezone.now())
    trials.work(trial.pk, now=timezone.now())
    lesson = lessons.add_entry(
        item=item,
        path="main",
        turn_key="g2",
        pair=lessons.Pair("metric", "revenue", "profit", "", None),
        by=make_member(project, Role.ADJUDICATOR),
        is_equal=False,
        is_for_field=True,
        reason=SECRET,
    )
    make_conversation(dataset, key="aside")
    aside = dataset.conversations.filter(key="aside")
    owner = make_member(project, Role.OWNER)
    act = queue_actions.set_aside(project=project, by=owner, chosen=aside, reason=SECRET, now=timezone.now()).action
    assert act is not None
    ids = {
        "act": act.pk,
        "merge": Merge.objects.create(conversation=conversation).pk,
        "slug": "blind",
        "dataset": "reports",
        "conversation": conversation.pk,
        "trajectory": trajectory.pk,
        "golden": golden.pk,
        "turn": golden.turns.first().pk,  # type: ignore[union-attr]
        "run": run.pk,
        "policy": run.policy_id,
        "trial": trial.pk,
        "lesson": lesson.pk,
    }
    return {"ana": ana, "ben": ben, "ids": ids, "run": run, "project": project}


def test_no_address_tells(blind: dict[str, Any]) -> None:
    ben = api_of(blind["ben"])
    asked = 0
    for _, method, address, _, _ in OPERATIONS:
        if method != "get" or any(name in address for name in ("{import_}", "{member}", "{invitation}")):
            continue
        response = ben.get(address.format(**blind["ids"]))
        text = response.content.decode()
        asked += 1
        for word in (SECRET, "failed at turn 2", "inconsistent_parameter_values", '"test_pass": false', '"reward": 0'):
            assert word not in text, address
        assert str(blind["ana"]) not in text or "members" in address, address
    assert asked > 30


@pytest.mark.parametrize("address", ["", "body/", "try/"])
def test_others_goldens_are_not_there(blind: dict[str, Any], address: str) -> None:
    path = f"goldens/{blind['ids']['golden']}/{address}"
    assert api_of(blind["ben"]).get(path).status_code == 404
    assert api_of(blind["ana"]).get(path).status_code == 200
    adjudicator = make_member(blind["project"], Role.ADJUDICATOR)
    assert SECRET in api_of(adjudicator).get(f"goldens/{blind['ids']['golden']}/").content.decode()


@pytest.mark.parametrize("query", [{"result": "failed"}, {"cause": "root"}, {"ambiguous": "1"}, {"stale": "1"}])
def test_items_are_not_chosen_by_verdict(blind: dict[str, Any], query: dict[str, str]) -> None:
    path = f"runs/{blind['run'].pk}/items/"
    assert api_of(blind["ben"]).get(path, **query).status_code == 403
    assert api_of(blind["ben"]).get(path, open="1").data["results"][0]["own_labels"] == 0
    assert api_of(blind["ana"]).get(path, open="1").data["results"] == []
    assert api_of(make_member(blind["project"], Role.ENGINEER)).get(path, **query).status_code == 200


def test_each_turn_opens_with_ones_own_label_of_it(blind: dict[str, Any]) -> None:
    ben, item = api_of(blind["ben"]), f"runs/{blind['run'].pk}/items/1/"
    hidden = ben.get(item).data
    assert hidden["is_hidden"]
    assert hidden["verdict"] is None
    for turn in hidden["turns"]:
        assert (turn["verdict"], turn["explanation"], turn["mine"], turn["others"]) == (None, None, None, [])
    assert ben.get(f"{item}turns/2/label/").status_code == 404
    assert ben.put(f"{item}turns/2/label/", {"seen_revision": 0, "verdict": "unsure"}).status_code == 200
    seen = ben.get(item).data
    assert seen["verdict"] is None, "the whole shows only when all turns are labelled"
    assert [turn["is_hidden"] for turn in seen["turns"]] == [True, False, True, True, True]
    assert seen["turns"][1]["verdict"]["failure_reason"] == "inconsistent_parameter_values"
    assert seen["turns"][1]["others"][0]["comment"] == SECRET
    undone = ben.post(f"{item}undo-label/")
    assert "taken back" in undone.data["undone"]
    assert ben.get(item).data["turns"][1]["is_hidden"]


def test_a_label_is_checked(blind: dict[str, Any]) -> None:
    ben, path = api_of(blind["ben"]), f"runs/{blind['run'].pk}/items/1/turns/3/label/"
    for body in (
        {"verdict": "pass"},
        {"seen_revision": 0},
        {"seen_revision": 0, "verdict": "maybe"},
        {"seen_revision": 0, "verdict": "pass", "failure_reason": "tool_mismatch"},
        {"seen_revision": 0, "verdict": "fail", "attribution": "root", "cascade_of": ["g2"]},
        {"seen_revision": 0, "verdict": "fail", "attribution": "cascade", "cascade_of": ["g5"]},
        {"seen_revision": 0, "verdict": "fail", "attribution": "cascade", "cascade_of": "g2"},
        {"seen_revision": 7, "verdict": "fail"},
    ):
        assert ben.put(path, body).status_code == 400, body
    assert ben.put(path, {"seen_revision": 0, "verdict": "fail"}).data["revision"] == 1
    late = ben.put(path, {"seen_revision": 0, "verdict": "pass"})
    assert (late.status_code, late.data["current"]["verdict"], late.data["yours"]["verdict"]) == (409, "fail", "pass")
    assert ben.put(f"runs/{blind['run'].pk}/items/1/turns/9/label/", {}).status_code == 404


def test_the_overlap_holds_for_direct_calls(blind: dict[str, Any]) -> None:
    path = f"conversations/{blind['ids']['conversation']}/goldens/"
    copied = api_of(blind["ben"]).post(path, {"origin": "golden"})
    assert copied.status_code in (201, 400)
    assert SECRET not in copied.content.decode()
    assert api_of(blind["ben"]).post(path, {}).status_code == 201
    third = api_of(make_member(blind["project"])).post(path, {})
    assert third.status_code == 400
    assert "places are taken" in third.data["detail"]
    foreign = make_trajectory()
    assert api_of(blind["ben"]).post(path, {"trajectory": foreign.pk}).status_code == 400
    skipped = api_of(blind["ben"]).post(f"conversations/{blind['ids']['conversation']}/skip/", {"reason": "too long"})
    assert (skipped.status_code, skipped.data["state"]) == (200, "skipped")
    assert api_of(blind["ben"]).post(f"conversations/{blind['ids']['conversation']}/skip/", {}).status_code == 400
