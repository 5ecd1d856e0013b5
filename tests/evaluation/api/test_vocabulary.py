from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotations.models import Project, Role
from tests.factories import make_member, make_project
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db

BODY: dict[str, Any] = {"equal": [{"terms": ["Gold plan", "Premium"]}], "fillers": ["kindly"]}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def engineer(project: Project) -> ApiCaller:
    return api_of(make_member(project, Role.ENGINEER))


def test_numbers_are_saved_read_and_conflict(project: Project, engineer: ApiCaller) -> None:
    path = f"projects/{project.slug}/vocabulary/"
    assert engineer.get(path).data == {"number": 0, "body": {}}
    made = engineer.put(path, {"body": BODY, "seen_number": 0, "reason": "they say so"})
    assert (made.status_code, made.data["number"], made.data["body"]) == (200, 1, BODY)
    assert made.data["changes"] == ["Mean the same: “Gold plan”, “Premium” added", "Change nothing: “kindly” added"]
    stale = engineer.put(path, {"body": {}, "seen_number": 0})
    assert stale.status_code == 409
    assert (stale.data["current"]["number"], stale.data["yours"]) == (1, {"body": {}, "seen_number": 0})
    assert engineer.put(path, {"body": BODY, "seen_number": 1}).data["number"] == 1, "nothing changes"
    engineer.put(path, {"body": {}, "seen_number": 1})
    assert engineer.get(path).data == {"number": 2, "body": {}}
    listed = engineer.get(f"{path}numbers/").data["results"]
    assert [row["number"] for row in listed] == [2, 1]
    assert engineer.get(f"{path}numbers/1/").data["body"] == BODY
    assert engineer.get(f"{path}numbers/{10**20}/").status_code == 404


def test_faults_stand_by_their_place(project: Project, engineer: ApiCaller) -> None:
    body = {"equal": [{"terms": ["A"]}], "fillers": [3], "same": []}
    refused = engineer.put(f"projects/{project.slug}/vocabulary/", {"body": body, "seen_number": 0})
    assert refused.status_code == 400
    assert set(refused.data["errors"]) == {"body.equal[0].terms", "body.fillers[0]", "body.same"}
    assert engineer.put(f"projects/{project.slug}/vocabulary/", {"body": []}).status_code == 400


def test_values_are_compared_with_the_projects_words(project: Project, engineer: ApiCaller) -> None:
    path = f"projects/{project.slug}/compare-meanings/"
    asked = {"expected": "Gold plan", "observed": "Premium", "field": "plan", "language": "en"}
    assert engineer.post(path, asked).data["state"] == "different"
    engineer.put(f"projects/{project.slug}/vocabulary/", {"body": BODY, "seen_number": 0})
    said = engineer.post(path, asked).data
    assert (said["state"], said["is_sure"], said["score"]) == ("equal", True, 1)
    assert said["layer"]
    assert said["sentence"]
    assert "The project's own entries call them equal." in said["known"]
    numbers = engineer.post(path, {"expected": Decimal("0.1"), "observed": Decimal("0.10")}).data
    assert (numbers["state"], numbers["known"]) == ("equal", [])
    assert engineer.post(path, {"expected": None, "observed": 0}).data["state"] == "different"


def test_a_claim_is_judged(project: Project, engineer: ApiCaller) -> None:
    path = f"projects/{project.slug}/compare-meanings/"
    said = engineer.post(path, {"claim": "The refund is 40 euros.", "reply": "Hi. We refund you 40 euros."}).data
    assert (said["state"], said["quote"]) == ("covered", "We refund you 40 euros.")
    assert engineer.post(path, {"claim": "x", "observed": "y"}).status_code == 400
    assert engineer.post(path, {}).status_code == 400
    assert engineer.post(path, {"claim": "x", "reply": "y", "field": "f"}).status_code == 400
