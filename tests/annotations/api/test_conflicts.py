"""A save names the revision that it saw; a stale one is refused with both versions, and nothing is lost."""

from __future__ import annotations

import pytest

from annotations.models import Role
from annotations.services import goldens
from tests.factories import make_conversation, make_member, make_project, make_trajectory
from tests.people import api_of

pytestmark = pytest.mark.django_db


def test_two_saves_of_one_turn() -> None:
    conversation = make_conversation()
    annotator = make_member(conversation.dataset.project)
    golden = goldens.start(conversation, annotator, make_trajectory(conversation))
    turn = golden.turns.get(turn_no=1)
    path = f"goldens/{golden.pk}/turns/{turn.pk}/"
    first, second = api_of(annotator), api_of(annotator)
    assert first.put(path, {"seen_revision": 1, "body": {"response": "Which region?"}}).status_code == 200
    late = second.put(path, {"seen_revision": 1, "body": {"response": "Which year?"}})
    assert late.status_code == 409
    assert late.data["seen"] == 1
    assert late.data["current"]["revision"] == 2
    assert late.data["current"]["body"]["response"] == "Which region?"
    assert late.data["yours"]["body"]["response"] == "Which year?"
    turn.refresh_from_db()
    assert turn.body["response"] == "Which region?"
    assert second.put(path, {"seen_revision": 2, "body": {"response": "Which year?"}}).status_code == 200
    taken = second.post(f"{path}take/", {"seen_revision": 2})
    assert taken.status_code == 409
    undone = second.post(f"goldens/{golden.pk}/undo/")
    assert (undone.status_code, undone.data["undone"]) == (200, "a turn was saved")


def test_what_the_engine_cannot_read_is_refused_with_its_field() -> None:
    conversation = make_conversation()
    annotator = make_member(conversation.dataset.project)
    golden = goldens.start(conversation, annotator, make_trajectory(conversation))
    turn = golden.turns.get(turn_no=2)
    caller = api_of(annotator)
    body = {"tool": "reports", "params": {"region": {"value": "EU", "compare": "guess"}}}
    response = caller.put(f"goldens/{golden.pk}/turns/{turn.pk}/", {"seen_revision": 1, "body": body})
    assert response.status_code == 400
    assert list(response.data["errors"]) == ["params.region.compare"]
    added = caller.post(f"goldens/{golden.pk}/turns/", {"body": {"tool": 7}})
    assert added.status_code == 400
    named = caller.post(f"goldens/{golden.pk}/turns/", {"body": {"response": "Hello", "id": "g99"}})
    assert list(named.data["errors"]) == ["body"]
    policy = caller.patch(f"goldens/{golden.pk}/", {"seen_revision": 1, "policy": {"alignment": "by feeling"}})
    assert policy.status_code == 400
    assert golden.turns.count() == 7


def test_turns_are_added_moved_and_removed() -> None:
    conversation = make_conversation()
    annotator = make_member(conversation.dataset.project)
    golden = goldens.start(conversation, annotator, make_trajectory(conversation))
    caller, path = api_of(annotator), f"goldens/{golden.pk}/"
    last = caller.post(f"{path}turns/", {"body": {"response": "Anything else?"}})
    assert (last.status_code, last.data["turn_no"]) == (201, 6)
    first = caller.post(f"{path}turns/", {"body": {"response": "Welcome"}, "after": None})
    assert (first.status_code, first.data["position"]) == (201, 0)
    moved = caller.post(f"{path}turns/{first.data['id']}/move/", {"places": 1})
    assert (moved.status_code, moved.data["position"]) == (200, 1)
    assert caller.delete(f"{path}turns/{first.data['id']}/").status_code == 204
    assert caller.delete(f"{path}turns/{first.data['id']}/").status_code == 404
    other = caller.post(f"{path}paths/", {"name": "by phone"})
    assert other.status_code == 201
    assert {turn["path"] for turn in other.data["turns"]} == {"main", "by phone"}
    assert caller.patch(f"{path}paths/", {"path": "by phone", "name": "by mail"}).status_code == 200
    assert caller.delete(f"{path}paths/", path="by phone").status_code == 400
    assert caller.delete(f"{path}paths/", path="by mail").status_code == 200
    assert caller.get(f"{path}body/").data["paths"][0]["id"] == "main"
    assert caller.post(f"{path}lookups/").data["changed"] == 3
    tried = caller.get(f"{path}try/")
    assert tried.status_code == 200
    assert tried.data["turns"]
    assert caller.post(f"{path}submit/").status_code == 200
    closed = caller.put(f"{path}turns/{last.data['id']}/", {"seen_revision": 1, "body": {"response": "x"}})
    assert closed.status_code == 400
    assert caller.post(f"{path}reopen/").data["status"] == "draft"


def test_two_owners_change_the_settings() -> None:
    project = make_project(is_blind=False)
    owner = api_of(make_member(project, Role.OWNER))
    path = f"projects/{project.slug}/"
    saved = owner.patch(path, {"seen_revision": 1, "overlap": 2})
    assert (saved.status_code, saved.data["overlap"], saved.data["is_blind"]) == (200, 2, False)
    late = owner.patch(path, {"seen_revision": 1, "overlap": 3})
    assert late.status_code == 409
    assert (late.data["current"]["overlap"], late.data["yours"]["overlap"]) == (2, 3)


def test_two_owners_write_the_guideline() -> None:
    project = make_project()
    owner = api_of(make_member(project, Role.OWNER))
    path = f"projects/{project.slug}/guidelines/"
    assert owner.post(path, {"seen_number": 0, "title": "How", "body": " one\n"}).data["body"] == " one\n"
    late = owner.post(path, {"seen_number": 0, "title": "How", "body": "two"})
    assert (late.status_code, late.data["current"]["number"]) == (409, 1)


def test_the_last_owner_stays() -> None:
    project = make_project()
    member = make_member(project, Role.OWNER)
    membership = project.memberships.get(user=member)
    path = f"projects/{project.slug}/members/{membership.pk}/"
    assert api_of(member).delete(path).status_code == 400
    assert api_of(member).patch(path, {"role": "engineer"}).status_code == 400
    assert api_of(member).patch(path, {"role": "king"}).status_code == 400
    annotator = project.memberships.get(user=make_member(project))
    changed = api_of(member).patch(f"projects/{project.slug}/members/{annotator.pk}/", {"role": "engineer"})
    assert (changed.status_code, changed.data["role"]) == (200, "engineer")
