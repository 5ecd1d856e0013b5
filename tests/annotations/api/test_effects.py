"""What a golden would change, over the API: whole or by one turn; against the saved one or the one in force."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from annotations.models import Golden, Role
from annotations.services import effects, goldens
from evaluation.services import policies
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    report_golden,
    report_trajectory,
)
from tests.people import api_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_at_hand() -> Iterator[None]:
    effects.forget()
    yield
    effects.forget()


@pytest.fixture
def golden() -> Golden:
    project = make_project(is_blind=True, overlap=2)
    schema = {"properties": {"metric": {"enum": ["revenue", "profit"]}, "region": {}}}
    conversation = make_conversation(make_dataset(project), tools={"reports": {"effect": "read", "schema": schema}})
    source = make_trajectory(conversation, agent_version="1")
    make_trajectory(conversation, body=report_trajectory(metric="profit"), agent_version="2")
    return goldens.start(conversation, make_member(project), source)


def turn_of(golden: Golden, key: str) -> Any:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def ask(golden: Golden, body: Any = None, *, by: Any = None) -> Any:
    return api_of(by or golden.annotator).post(f"goldens/{golden.pk}/effect/", {} if body is None else body)


def with_metric(golden: Golden, *values: str) -> dict[str, Any]:
    body = deepcopy(turn_of(golden, "g2").body)
    body["params"]["metric"] = {"values": [*values]}
    return {"turn": turn_of(golden, "g2").pk, "body": body}


def test_one_turn_changed(golden: Golden) -> None:
    found = ask(golden, with_metric(golden, "profit")).data
    assert (found["total"], found["tried"], found["is_partial"]) == (2, 2, False)
    assert found["counts"]["fails"] == sum(change["change"] == "fails" for change in found["changes"])
    first = next(change for change in found["changes"] if change["change"] == "passes")
    other = golden.conversation.trajectories.get(agent_version="2")
    assert first["trajectory"] == other.pk
    assert (first["turn"], first["observed"], first["agent"]) == ("g2", 3, "reporter 2")
    assert first["before"] == {"state": "fail", "failure_reason": "inconsistent_parameter_values", "turn_no": 2}
    assert first["after"]["state"] == "pass"
    assert first["sentences"] == ['metric should be "revenue", and is "profit".']
    assert found["runs"]["passes"] == [other.pk]
    assert found["recorded_run"]["test_pass"] is False
    assert found["recorded_run"]["failing"][0]["turn"] == "g2"
    assert "would pass" in found["summary"]
    assert turn_of(golden, "g2").revision == 1


def test_a_whole_golden_and_what_its_tools_say(golden: Golden) -> None:
    body = goldens.golden_body(golden)
    turn = next(turn for turn in body["paths"][0]["turns"] if turn["id"] == "g2")
    turn["params"] = {"metric": {"value": "sales"}, "region": {"value": "EU"}}
    found = ask(golden, {"golden": body}).data
    assert found["hints"][0] == {
        "turn": "g2",
        "param": "metric",
        "value": 0,
        "sentence": "“sales” is not one of the tool's values: “revenue”, “profit”",
    }
    assert found["golden_record"] is None


def test_nothing_given_is_the_saved_golden(golden: Golden) -> None:
    found = ask(golden).data
    assert found["changes"] == []
    assert found["summary"] == "Nothing would change in the 2 recorded runs."


def test_against_the_golden_in_force_for_those_who_may(golden: Golden) -> None:
    make_golden_record(golden.conversation, golden=report_golden())
    reviewer = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
    found = ask(golden, {"against": "in_force", **with_metric(golden, "profit")}, by=reviewer).data
    assert found["golden_record"] == 1
    assert found["counts"]["passes"]
    refused = ask(golden, {"against": "in_force"})
    assert refused.status_code == 403
    assert "blind" in refused.data["detail"]


def test_a_blinded_annotator_asks_while_they_write(golden: Golden) -> None:
    make_golden_record(golden.conversation, golden=report_golden())
    assert ask(golden, with_metric(golden, "profit")).data["golden_record"] is None
    assert ask(golden, {"golden": report_golden()}).status_code == 403  # the imported golden in force
    goldens.submit(golden, golden.annotator)
    assert ask(golden, with_metric(golden, "profit")).status_code == 403


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"turn": 1}, "go together"),
        ({"golden": [], "turn": 1}, "An object is expected"),
        ({"turn": 999999, "body": {}}, "no such turn"),
        ({"golden": {"paths": [{"turns": [{"id": "g1", "tool": 5}]}]}}, "paths[0].turns[0].tool"),
        ({"policy": {"scorer": "elsewhere"}}, "elsewhere"),
        ({"against": "yesterday"}, "yesterday"),
        ({"all": "perhaps"}, "boolean"),
    ],
)
def test_what_cannot_be_tried_is_refused_with_its_place(golden: Golden, body: Any, said: str) -> None:
    response = ask(golden, body)
    assert response.status_code == 400
    assert said in response.content.decode()


def test_a_turn_that_the_engine_cannot_read_is_named(golden: Golden) -> None:
    response = ask(golden, with_metric(golden))
    assert response.status_code == 400
    assert "Turn 2 (params.metric" in response.data["detail"]


def test_trying_judges_as_the_projects_runs_do(golden: Golden) -> None:
    project = golden.conversation.dataset.project
    turn = turn_of(golden, "g2")
    goldens.update_turn(turn=turn, body=with_metric(golden, "sales")["body"], seen=1, by=golden.annotator)
    api = api_of(golden.annotator)
    assert api.get(f"goldens/{golden.pk}/try/").data["test_pass"] is False
    policies.create(project=project, body={"params": {"reports": {"metric": {"compare": "any"}}}}, by=None)
    assert api.get(f"goldens/{golden.pk}/try/").data["test_pass"] is True
