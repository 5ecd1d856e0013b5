"""What has changed, over the API: the same words and the same rights as on the pages."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Conversation, Role
from annotations.services import goldens
from tests.annotations.views.test_comparing import accept, other_golden, scene, started
from tests.factories import make_member
from tests.people import api_of

__all__ = ["scene"]
pytestmark = pytest.mark.django_db


def test_versions_in_words(scene: dict[str, Any]) -> None:
    owner = api_of(scene["owner"])
    base = f"projects/{scene['project'].slug}/datasets/{scene['dataset'].slug}/"
    found = owner.get(f"{base}changes/?to=2").data["results"]
    assert [(row["key"], row["state"], row["before"], row["after"]) for row in found] == [
        ("a", "changed", 1, 2),
        ("b", "added", None, 1),
    ]
    assert any("now also accepts" in text for text in found[0]["turns"][0]["sentences"])
    page = owner.get(f"{base}changes/?to=2&limit=1").data
    assert len(page["results"]) == 1
    assert page["next"]
    assert owner.get(f"{base}changes/?to=9").status_code == 404
    assert owner.get(f"{base}changes/?to=x").status_code == 400
    assert api_of(scene["annotator"]).get(f"{base}changes/").status_code == 403


def test_restoring(scene: dict[str, Any]) -> None:
    owner, first = api_of(scene["owner"]), scene["first"]
    base = f"projects/{scene['project'].slug}/datasets/{scene['dataset'].slug}/"
    done = owner.post(f"{base}versions/1/restore/", None).data
    assert (done["restored"], done["left"]) == (1, [])
    assert Conversation.objects.get(pk=first.pk).golden_record == first.golden_records.get(number=1)
    assert owner.post(f"{base}restores/{done['change']}/undo/", None).data["restored"] == 1
    assert owner.post(f"{base}restores/{done['change']}/undo/", None).status_code == 400
    record = f"conversations/{first.pk}/golden-records/1/restore/"
    assert owner.post(record, {"seen_number": 1}).status_code == 400
    assert owner.post(record, {"seen_number": 2}).data["number"] == 1
    assert owner.post(record, {}).status_code == 400
    adjudicator = make_member(scene["project"], Role.ADJUDICATOR)
    accept(first, other_golden())
    assert api_of(adjudicator).post(record, {"seen_number": 2}).status_code == 200


def test_the_history_of_a_golden(scene: dict[str, Any]) -> None:
    golden = started(scene)
    turn = next(turn for turn in golden.turns.all() if turn.kind == "action")
    body = next(one for one in other_golden()["paths"][0]["turns"] if "tool" in one)
    goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=scene["annotator"])
    own = api_of(scene["annotator"])
    latest = own.get(f"goldens/{golden.pk}/history/?turn={turn.pk}").data["results"][0]
    assert latest["actor"]["id"] == scene["annotator"].pk
    assert [step["turn"] for step in latest["turns"]] == [turn.pk]
    assert any("now also accepts" in text for text in latest["turns"][0]["sentences"])
    stranger = make_member(scene["project"], Role.ANNOTATOR)
    assert api_of(stranger).get(f"goldens/{golden.pk}/history/").status_code == 404
