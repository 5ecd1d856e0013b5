"""Dependencies and free order over the API: the same refusals as in the browser, naming both turns."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotations.models import Golden, GoldTurn
from annotations.services import goldens
from tests.factories import make_golden, report_golden

pytestmark = pytest.mark.django_db


@pytest.fixture
def golden() -> Golden:
    golden = make_golden()
    return goldens.load_body(golden, report_golden(), golden.annotator)


@pytest.fixture
def client(golden: Golden) -> APIClient:
    client = APIClient()
    client.force_authenticate(golden.annotator)
    return client


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def address(golden: Golden, *rest: Any) -> str:
    return "/".join(["/api/v1/goldens", str(golden.pk), *(str(part) for part in rest), ""])


def test_a_circle_is_refused_when_a_turn_is_saved(golden: Golden, client: APIClient) -> None:
    turn = turn_of(golden, "g2")
    sent = {"seen_revision": turn.revision, "body": {**turn.body, "depends_on": ["g4"]}}
    response = client.put(address(golden, "turns", turn.pk), sent, format="json")
    assert response.status_code == 400
    assert (
        "Turn 2 cannot build on turn 4: turn 4 builds on turn 2 already (through turn 3)" in response.content.decode()
    )
    assert turn_of(golden, "g2").body == turn.body


def test_a_later_turn_is_refused_when_a_turn_is_added(golden: Golden, client: APIClient) -> None:
    body = {"tool": "mail", "params": {"to": {"ref": {"turn": "g4", "path": "$.id"}}}}
    sent = {"body": body, "after": turn_of(golden, "g2").pk}
    response = client.post(address(golden, "turns"), sent, format="json")
    assert response.status_code == 400
    assert "The new turn cannot build on turn 4: turn 4 comes later." in response.content.decode()
    assert golden.turns.count() == 7


def test_a_move_that_turns_the_order_round_is_refused(golden: Golden, client: APIClient) -> None:
    turn = turn_of(golden, "g3")
    response = client.post(address(golden, "turns", turn.pk, "move"), {"places": -1}, format="json")
    assert response.status_code == 400
    assert "Turn 3 must stay behind turn 2: it uses the result of turn 2: data_id." in response.content.decode()


def test_order_is_freed_and_counts_again(golden: Golden, client: APIClient) -> None:
    turns = [turn_of(golden, key).pk for key in ("g2", "g3")]
    response = client.post(address(golden, "order"), {"turns": turns}, format="json")
    assert response.status_code == 400
    assert "So it must come after turn 2, and their order is not free." in response.content.decode()
    turns = [turn_of(golden, key).pk for key in ("g4", "g5")]
    response = client.post(address(golden, "order"), {"turns": turns}, format="json")
    assert response.status_code == 200
    assert [turn["body"].get("group") for turn in response.json()["turns"]] == [None] * 5 + ["A", "A"]
    response = client.post(address(golden, "order"), {"turns": turns[:1], "is_free": False}, format="json")
    assert [turn["body"].get("group") for turn in response.json()["turns"]] == [None] * 7


@pytest.mark.parametrize("number", [2**63, 10**30])
@pytest.mark.parametrize("is_free", [True, False])
def test_a_number_that_no_row_can_have_is_refused(
    golden: Golden, client: APIClient, number: int, is_free: bool
) -> None:
    sent = {"turns": [turn_of(golden, "g3").pk, number], "is_free": is_free}
    response = client.post(address(golden, "order"), sent, format="json")
    assert response.status_code == 400
    assert "nothing was changed" in response.content.decode()
    sent = {"body": {"response": "-"}, "after": number}
    assert client.post(address(golden, "turns"), sent, format="json").status_code == 400
