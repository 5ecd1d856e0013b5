"""The queue over the API: the same rules as the pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import Assignment, AssignmentState, Conversation, Role
from annotations.services import assignments, goldens
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db


class Desk:
    def __init__(self, conversations: int = 3, *, overlap: int = 1) -> None:
        self.project = make_project(overlap=overlap)
        self.owner = make_member(self.project, Role.OWNER)
        self.ann, self.ben = (make_member(self.project) for _ in range(2))
        dataset = make_dataset(self.project)
        self.all = [make_conversation(dataset, key=f"c{number}") for number in range(conversations)]
        for conversation in self.all:
            make_trajectory(conversation)
        self.api = api_of(self.owner)
        self.path = f"projects/{self.project.slug}/queue/"

    def act(self, do: str, *numbers: int, api: ApiCaller | None = None, **body: Any) -> Any:
        chosen = {"conversations": [self.all[number].pk for number in numbers]} if numbers else {}
        return (api or self.api).post(f"{self.path}actions/", {"do": do, **chosen, **body})

    def keys(self, **query: Any) -> list[str]:
        response = self.api.get(f"{self.path}items/", **query)
        assert response.status_code == 200, response.data
        return [row["key"] for row in response.data["results"]]


def test_priorities_assignments_and_why_the_next_one_is_next() -> None:
    desk = Desk(3)
    assert desk.act("priority", 2, priority="high").data["changed"] == 1
    due = (timezone.now() + timedelta(days=1)).isoformat()
    assert desk.act("assign", 1, people=[desk.ann.username], due_at=due).data["changed"] == 1
    ann, ben = api_of(desk.ann), api_of(desk.ben)
    following = ann.get(desk.path).data["next"]
    assert following["conversation"] == desk.all[1].pk
    taken = ann.post(f"{desk.path}next/", {}).data
    assert taken["assignment"]["conversation"] == desk.all[1].pk
    assert taken["assignment"]["due_at"] is not None
    assert taken["why"] == following["why"]
    assert "priority is high" in ben.post(f"{desk.path}next/", {}).data["why"]
    assert "longest" in ben.post(f"{desk.path}next/", {}).data["why"]
    assert ben.post(f"{desk.path}next/", {}).data == {"assignment": None, "golden": None, "why": None}


def test_returned_work_first_unless_something_new_is_asked_for() -> None:
    desk = Desk(2)
    golden = goldens.start(desk.all[1], desk.ann, now=timezone.now())
    goldens.add_turn(golden=golden, body={"response": "Yes."}, by=desk.ann)
    goldens.submit(golden, desk.ann)
    goldens.return_(golden, desk.owner, "More.")
    ann = api_of(desk.ann)
    first = ann.post(f"{desk.path}next/", {}).data
    assert first["golden"]["id"] == str(golden.pk)
    assert first["golden"]["status"] == "returned"
    new = ann.post(f"{desk.path}next/", {"with_returned": False}).data
    assert new["assignment"]["conversation"] == desk.all[0].pk


def test_nobody_gets_round_a_place_that_is_kept() -> None:
    desk = Desk(1)
    desk.act("assign", 0, people=[desk.ann.username])
    ben = api_of(desk.ben)
    assert ben.post(f"{desk.path}next/", {}).data["assignment"] is None
    refused = ben.post(f"conversations/{desk.all[0].pk}/goldens/", {})
    assert refused.status_code == 400
    assert "places are taken" in refused.data["detail"]
    assert ben.post(f"conversations/{desk.all[0].pk}/renew/").status_code == 400
    assert api_of(desk.ann).post(f"conversations/{desk.all[0].pk}/goldens/", {}).status_code == 201


def test_the_list_its_filters_and_pages() -> None:
    desk = Desk(5, overlap=2)
    assignments.claim(desk.all[0], desk.ann, timezone.now())
    assignments.skip(desk.all[0], desk.ann, "tired", timezone.now())
    assignments.claim(desk.all[1], desk.ann, timezone.now())
    desk.act("priority", 4, priority=7)
    desk.act("set_aside", 3, reason="later")
    assert desk.keys() == ["c4", "c0", "c1", "c2", "c3"]
    assert desk.keys(state="skipped", person=desk.ann.username, reason="tired") == ["c0"]
    assert desk.keys(state="in_work") == ["c1"]
    assert desk.keys(person="nobody") == []
    assert desk.keys(q="sales report", order="-age", limit=2) == ["c4", "c3"]
    page = desk.api.get(f"{desk.path}items/", limit=2).data
    assert page["next"]
    row = desk.api.get(f"{desk.path}items/", state="set_aside").data["results"][0]
    assert (row["set_aside"]["reason"], row["set_aside"]["by"]["id"]) == ("later", desk.owner.pk)
    row = desk.api.get(f"{desk.path}items/", state="in_work").data["results"][0]
    assert [(place["person"]["id"], place["state"], place["place"]) for place in row["places"]] == [
        (desk.ann.pk, "in_work", 1)
    ]
    summary = desk.api.get(f"{desk.path}summary/").data
    assert summary["skip_reasons"] == [{"text": "tired", "count": 1}]
    assert summary["counts"]["in_work"] == 1
    for wrong in ({"state": "x"}, {"priority": "x"}, {"order": "x"}, {"nonsense": "x"}, {"dataset": "§"}):
        assert desk.api.get(f"{desk.path}items/", **wrong).status_code == 400, wrong


def test_acts_on_all_that_match_are_listed_and_undone() -> None:
    desk = Desk(3)
    done = desk.act("priority", matching={"state": "waiting"}, priority=-5)
    assert done.data["changed"] == 3
    number = done.data["action"]["id"]
    desk.act("priority", 1, priority=1)
    rows = desk.api.get(f"{desk.path}actions/{number}/").data["results"]
    assert [(row["before"], row["after"]) for row in rows] == [({"priority": 0}, {"priority": -5})] * 3
    undone = desk.api.post(f"{desk.path}actions/{number}/undo/")
    assert undone.status_code == 200
    assert undone.data["changed"] == 2
    assert [entry["title"] for entry in undone.data["refused"]] == ["c1"]
    assert list(Conversation.objects.order_by("pk").values_list("priority", flat=True)) == [0, 1, 0]
    again = desk.api.post(f"{desk.path}actions/{number}/undo/")
    assert again.status_code == 400
    assert "undone already" in again.data["detail"]
    listed = desk.api.get(f"{desk.path}actions/").data["results"]
    assert [entry["kind"] for entry in listed] == ["undo", "priority", "priority"]
    assert listed[2]["undone_at"] is not None
    assert listed[0]["undoes"] == number


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"do": "priority", "priority": 1}, "Name either"),
        ({"do": "priority", "priority": 1, "conversations": [1], "matching": {}}, "Name either"),
        ({"do": "priority", "matching": {}}, "Say which priority"),
        ({"do": "priority", "matching": {}, "priority": True}, "A number or a word"),
        ({"do": "priority", "matching": {}, "priority": 100}, "-99 to 99"),
        ({"do": "priority", "matching": {}, "priority": 1.5}, "A number or a word"),
        ({"do": "priority", "conversations": [2**62], "priority": 1}, "There is no conversation"),
        ({"do": "priority", "conversations": [2**80], "priority": 1}, "conversations"),
        ({"do": "assign", "matching": {}}, "at least one person"),
        ({"do": "assign", "matching": {}, "people": ["nobody"]}, "Not an annotator"),
        ({"do": "set_aside", "matching": {}}, "Say why"),
        ({"do": "overlap", "matching": {}}, "do"),
        ({"do": "release", "matching": {"color": "red"}}, "no such field"),
        ({"do": "release", "conversations": []}, "conversations"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(body: dict[str, Any], said: str) -> None:
    desk = Desk(1)
    response = desk.api.post(f"{desk.path}actions/", body)
    assert response.status_code == 400
    assert said in response.data["detail"]
    assert not Assignment.objects.exists()
    assert not Conversation.objects.exclude(priority=0, set_aside_at=None).exists()


def test_rights_follow_the_act() -> None:
    desk = Desk(1)
    carla = api_of(make_member(desk.project, Role.ADJUDICATOR))
    assignments.claim(desk.all[0], desk.ann, timezone.now())
    assert desk.act("release", 0, api=carla).data["changed"] == 1
    assert desk.act("priority", 0, api=carla, priority=1).status_code == 403
    number = desk.act("priority", 0, priority=1).data["action"]["id"]
    assert carla.post(f"{desk.path}actions/{number}/undo/").status_code == 403
    assert api_of(desk.ann).post(f"{desk.path}actions/{number}/undo/").status_code == 403
    assert Desk(1).api.post(f"{desk.path}actions/{number}/undo/").status_code == 404
    other = Desk(1)
    assert other.api.post(f"{other.path}actions/{number}/undo/").status_code == 404


def test_another_number_of_people_says_what_it_does() -> None:
    desk = Desk(2, overlap=2)
    for user in (desk.ann, desk.ben):
        assignments.claim(desk.all[0], user, timezone.now())
    path = f"projects/{desk.project.slug}/"
    answer = desk.api.patch(path, {"seen_revision": 1, "overlap": 1}).data
    assert "1 conversation has more, in work or done, and that work stays" in answer["note"]
    assert Assignment.objects.filter(state=AssignmentState.CLAIMED).count() == 2
    assert "waits again" not in desk.api.patch(path, {"seen_revision": 2, "name": "Other"}).data["note"]
    answer = desk.api.patch(path, {"seen_revision": 3, "overlap": 3}).data
    assert "3 people annotate each conversation now, 1 before: 1 conversation" in answer["note"]
