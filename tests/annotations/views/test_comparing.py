"""What has changed, in words, and bringing it back: dataset versions, accepted goldens, goldens in work."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import Change, Conversation, Golden, Role, User
from annotations.services import documents, goldens, releases, restoring
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_project,
    report_golden,
)

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


def other_golden() -> dict[str, Any]:
    """The same with one more accepted value, and a look-up that may be left out."""
    body = copy.deepcopy(report_golden())
    call = next(turn for turn in body["paths"][0]["turns"] if "tool" in turn)
    name, param = next(iter(call["params"].items()))
    values = param.get("values") or [param["value"]]
    call["params"][name] = {"values": [*values, "European Union"]}
    call["optional"] = True
    return body


def accept(conversation: Conversation, golden: dict[str, Any]) -> Any:
    body = documents.golden_body(golden=golden, policy={})
    return documents.accept_golden_record(conversation=conversation, body=body, by=None)


@pytest.fixture
def client_of() -> ClientOf:
    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def scene() -> dict[str, Any]:
    project = make_project(is_blind=True)
    dataset = make_dataset(project)
    first, second = (make_conversation(dataset, key=key) for key in ("a", "b"))
    accept(first, report_golden())
    one = releases.release(dataset=dataset, by=None)
    accept(first, other_golden())
    make_golden_record(second)
    two = releases.release(dataset=dataset, by=None)
    return {
        "project": project,
        "dataset": dataset,
        "first": first,
        "second": second,
        "one": one,
        "two": two,
        "owner": make_member(project, Role.OWNER),
        "annotator": make_member(project, Role.ANNOTATOR),
    }


def address(scene: dict[str, Any], query: str = "") -> str:
    return f"{scene['dataset'].get_absolute_url()}changes/{query}"


def test_two_versions_in_words(client_of: ClientOf, scene: dict[str, Any]) -> None:
    client = client_of(scene["owner"])
    text = client.get(address(scene, "?to=2")).content.decode()
    assert "now also accepts" in text
    assert "European Union" in text
    assert "The whole step may now be left out." in text
    assert "1 changed, 1 added, 0 left out, 0 as they were" in text
    backwards = client.get(address(scene, "?to=1&since=2")).content.decode()
    assert "no longer accepts" in backwards
    assert "1 left out" in backwards
    assert "Nothing has changed" in client.get(address(scene)).content.decode()
    assert "1 added, 0 left out" in client.get(address(scene, "?to=1")).content.decode()
    for odd in ("?to=9", "?since=x", "?to=-1"):
        assert client.get(address(scene, odd)).status_code == 404


def test_the_dataset_asks_what_has_changed_since_the_newest_version(client_of: ClientOf, scene: dict[str, Any]) -> None:
    text = client_of(scene["owner"]).get(scene["dataset"].get_absolute_url()).content.decode()
    assert "What has changed since version 2" in text
    assert text.index("/v2/") < text.index("/v1/")


def test_a_blinded_annotator_sees_none_of_it(client_of: ClientOf, scene: dict[str, Any]) -> None:
    client = client_of(scene["annotator"])
    assert client.get(address(scene)).status_code == 403
    record = f"/conversations/{scene['first'].pk}/goldens/2/"
    assert client.get(f"{record}changes/").status_code == 403
    assert client.post(f"{record}restore/").status_code == 403
    assert "changes/" not in client.get(scene["dataset"].get_absolute_url()).content.decode()


def test_a_version_is_restored_and_that_is_undone(client_of: ClientOf, scene: dict[str, Any]) -> None:
    client, first = client_of(scene["owner"]), scene["first"]
    before = Conversation.objects.get(pk=first.pk).golden_record
    page = client.post(f"{scene['one'].get_absolute_url()}restore/", follow=True)
    assert "1 golden of version 1" in page.content.decode()
    now = Conversation.objects.get(pk=first.pk).golden_record
    assert now is not None
    assert before is not None
    assert now.number == 1
    assert before.number == 2
    assert Conversation.objects.get(pk=scene["second"].pk).golden_record is not None
    change = restoring.find_restores(scene["dataset"]).get()
    undo = f"{scene['dataset'].get_absolute_url()}restores/{change.pk}/undo/"
    assert "Undone: 1 conversation" in client.post(undo, follow=True).content.decode()
    assert Conversation.objects.get(pk=first.pk).golden_record == before
    assert "taken back already" in client.post(undo, follow=True).content.decode()
    with pytest.raises(WorkbenchError, match="in force already"):
        restoring.restore_version(version=scene["two"], by=scene["owner"])


def test_an_undo_replaces_nothing_that_was_accepted_since(scene: dict[str, Any]) -> None:
    change, left = restoring.restore_version(version=scene["one"], by=scene["owner"])
    assert left == []
    newer = copy.deepcopy(other_golden())
    newer["outcome"] = [{"kind": "said", "contains": ["120"]}]
    accepted = accept(scene["first"], newer)
    with pytest.raises(NotAllowedNowError, match="accepted since"):
        restoring.undo_restore(dataset=scene["dataset"], change_pk=change.pk, by=scene["owner"])
    assert Conversation.objects.get(pk=scene["first"].pk).golden_record == accepted


def test_a_golden_written_for_other_tools_is_left(scene: dict[str, Any]) -> None:
    conversation = scene["first"]
    conversation.tool_set = documents.get_tool_set(project=scene["project"], tools={"other": {"effect": "read"}})
    conversation.save()
    with pytest.raises(WorkbenchError, match="other tools"):
        restoring.restore_version(version=scene["one"], by=scene["owner"])
    with pytest.raises(NotAllowedNowError, match="other tools"):
        restoring.restore_record(record=conversation.golden_records.get(number=1), by=scene["owner"])


def test_an_accepted_golden_beside_the_one_before(client_of: ClientOf, scene: dict[str, Any]) -> None:
    client = client_of(scene["owner"])
    base = f"/conversations/{scene['first'].pk}/goldens/"
    assert "now also accepts" in client.get(f"{base}2/changes/").content.decode()
    assert "The first golden" in client.get(f"{base}1/changes/").content.decode()
    assert "no longer accepts" in client.get(f"{base}1/changes/?since=2").content.decode()
    assert client.get(f"{base}7/changes/").status_code == 404
    assert client.get(f"{base}2/changes/?since=2").status_code == 404
    stale = client.post(f"{base}1/restore/", {"seen": "1"}, follow=True).content.decode()
    assert "Not restored. Meanwhile golden 2 is in force." in stale
    assert "in force again" in client.post(f"{base}1/restore/", {"seen": "2"}, follow=True).content.decode()
    assert Conversation.objects.get(pk=scene["first"].pk).golden_record.number == 1  # type: ignore[union-attr]
    assert Change.objects.filter(action="golden_record.restored").count() == 1


def started(scene: dict[str, Any]) -> Golden:
    golden = goldens.start(make_conversation(scene["dataset"], key="c"), scene["annotator"], now=timezone.now())
    return goldens.load_body(golden, report_golden(), scene["annotator"])


def test_who_changed_what_in_a_golden(client_of: ClientOf, scene: dict[str, Any]) -> None:
    golden = started(scene)
    turn = next(turn for turn in golden.turns.all() if turn.kind == "action")
    body = next(one for one in other_golden()["paths"][0]["turns"] if "tool" in one)
    goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=scene["annotator"])
    goldens.update_whole(
        golden=golden, seen=golden.revision, by=scene["annotator"], forbidden=[{"tool": "mail"}], comment="So."
    )
    client = client_of(scene["annotator"])
    page = client.get(f"{golden.get_absolute_url()}history/").content.decode()
    assert "now also accepts" in page
    assert "The run fails if" in page
    assert "“So.”" in page
    one_turn = client.get(f"{golden.get_absolute_url()}history/?turn={turn.pk}").content.decode()
    assert "The run fails if" not in one_turn
    project_page = client.get(f"/p/{scene['project'].slug}/history/").content.decode()
    assert "now also accepts" in project_page
    stranger = make_member(scene["project"], Role.ANNOTATOR)
    assert client_of(stranger).get(f"{golden.get_absolute_url()}history/").status_code == 404


def test_a_turn_is_brought_back_and_that_is_undone(client_of: ClientOf, scene: dict[str, Any]) -> None:
    golden = started(scene)
    turn = next(turn for turn in golden.turns.all() if turn.kind == "action")
    first = turn.body
    replaced = Change.objects.filter(scope=str(golden.pk)).latest("pk")
    body = next(one for one in other_golden()["paths"][0]["turns"] if "tool" in one)
    turn = goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=scene["annotator"])
    client = client_of(scene["annotator"])
    back = f"{golden.get_absolute_url()}turns/{turn.pk}/restore/{replaced.pk}/"
    assert "Not restored" in client.post(back, {"revision": 1}, follow=True).content.decode()
    client.post(back, {"revision": turn.revision})
    turn.refresh_from_db()
    assert turn.body == first
    goldens.undo(golden=golden, by=scene["annotator"])
    turn.refresh_from_db()
    assert turn.body == body
    assert client.post(back.replace(f"/{replaced.pk}/", "/999999/"), {"revision": 1}).status_code == 404
