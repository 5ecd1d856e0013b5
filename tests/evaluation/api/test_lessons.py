from __future__ import annotations

from typing import Any

import pytest

from evaluation import tasks
from evaluation.models import EvaluationRun, Lesson
from tests.evaluation.services.test_lessons import booked, booking_run
from tests.factories import score_run
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    rung: list[Any] = []
    monkeypatch.setattr(tasks, "ring", lambda **_: rung.append(1))
    return rung


def learn(caller: ApiCaller, of: EvaluationRun, **given: Any) -> Any:
    body = {"kind": "equal", "run": str(of.pk), "position": 1, "turn_no": 1, "field": "city", **given}
    return caller.post(f"projects/{of.project.slug}/lessons/", body)


def test_a_pair_is_learned_scored_again_and_taken_back(bells: list[Any]) -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    caller = api_of(carla)
    made = learn(caller, run, reason="People say so.")
    assert made.status_code == 201, made.data
    assert (made.data["kind"], made.data["is_for_field"], made.data["vocabulary"]) == ("equal", True, 1)
    assert (made.data["not_scored_again"], bells) == ("", [1])
    assert made.data["words"] == "“New York City” and “the Big Smoke” mean the same in city."
    path = f"lessons/{made.data['id']}/"
    touched = caller.get(f"{path}touched/", limit=1).data
    assert [(row["key"], row["turn_no"], row["passed"]) for row in touched["results"]] == [
        (run.items.get(position=1).trajectory.conversation.key, 1, False)
    ]
    assert touched["next"]
    waiting = caller.get(f"{path}changes/").data["results"]
    assert [row["after"] for row in waiting] == [None, None]
    score_run(EvaluationRun.objects.get(pk=made.data["rescored_in"]))
    changes = caller.get(f"{path}changes/").data["results"]
    assert [(row["before"]["passed"], row["after"]["passed"], row["is_other"]) for row in changes] == [
        (False, True, True)
    ] * 2
    assert changes[0]["position_before"] == 1
    assert caller.post(f"{path}score-again/").status_code == 400, "it was done"
    back = caller.post(f"{path}take-back/")
    assert back.data["taken_back_by"]["username"] == carla.username
    assert caller.post(f"{path}take-back/").status_code == 400
    assert [row["id"] for row in caller.get(f"projects/{run.project.slug}/lessons/").data["results"]] == [
        made.data["id"]
    ]
    others = caller.get(f"{path}touched/", run=str(made.data["rescored_in"])).data["results"]
    assert [row["passed"] for row in others] == [True, True]


def test_a_value_is_accepted_without_scoring_again(bells: list[Any]) -> None:
    run, carla = booking_run(booked("New York City", nights=3))
    caller = api_of(carla)
    made = learn(caller, run, kind="accepted", field="nights", score_again=False)
    assert (made.data["observed"], made.data["rescored_in"], bells) == (3, None, [])
    assert made.data["not_scored_again"]
    again = caller.post(f"lessons/{made.data['id']}/score-again/")
    assert again.data["rescored_in"]
    assert bells == [1]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"field": "code"}, "field"),
        ({"turn_no": 9}, "turn_no"),
        ({"position": 99}, "position"),
        ({"run": "00000000-0000-0000-0000-000000000000"}, "run"),
        ({"expected": "Paris"}, "field"),
        ({"kind": "same"}, "kind"),
        ({"observed": "x"}, "observed"),
    ],
)
def test_what_cannot_be_learned_names_the_place(given: dict[str, Any], place: str) -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    refused = learn(api_of(carla), run, **given)
    assert refused.status_code == 400
    assert place in refused.data["errors"]
    assert not Lesson.objects.exists()


def test_of_several_accepted_values_the_one_that_is_meant_is_named() -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    caller = api_of(carla)
    made = learn(caller, run, kind="accepted")
    again = score_run(EvaluationRun.objects.get(pk=made.data["rescored_in"]))
    position = again.items.get(trajectory__trial=1).position
    refused = learn(caller, again, position=position)
    assert "say which one" in refused.data["detail"]
    taken = learn(caller, again, position=position, expected="the Big Smoke")
    assert taken.status_code == 201
    assert taken.data["expected"] == "the Big Smoke"
