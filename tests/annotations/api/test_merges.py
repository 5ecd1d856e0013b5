"""Merging goldens over the API: the same rules as on the page."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Golden, GoldenStatus
from tests.annotations.services.test_merges import HTML, PDF, Scene
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db


def item_of(merge: Any, turn_no: int) -> Any:
    return next(item for item in merge["items"] if item["turn_no"] == turn_no)


@pytest.fixture
def scene() -> Scene:
    return Scene(PDF, HTML)


@pytest.fixture
def carla(scene: Scene) -> ApiCaller:
    return api_of(scene.carla)


def test_a_whole_merge(scene: Scene, carla: ApiCaller) -> None:
    (row,) = carla.get(f"projects/{scene.project.slug}/merges/").data["results"]
    assert (row["conversation"], row["goldens"]) == (scene.conversation.pk, 2)
    merge = carla.post(f"conversations/{row['conversation']}/merge/").data
    assert merge["id"] == row["merge"]
    item = item_of(merge, 4)
    assert item["can_unite"] == ["param format"]
    assert {version["letter"] for version in item["versions"]} == {"A", "B"}
    assert all(version["annotators"] == [] for version in item["versions"])
    url = f"merges/{merge['id']}/"
    assert carla.post(f"{url}equal/").status_code == 200
    body = {
        "seen_revision": 0,
        "choice": {"fields": {"param format": "both"}},
        "reason": "Both open.",
        "fingerprint": item["fingerprint"],
    }
    merge = carla.put(f"{url}items/{item['token']}/", body).data
    assert item_of(merge, 4)["decision"]["reason"] == "Both open."
    assert merge["problems"] == []
    assert carla.post(f"{url}items/{item['token']}/example/", {}).status_code == 200
    record = carla.post(f"{url}accept/", {"seen_revision": merge["revision"]})
    assert record.status_code == 200
    assert record.data["number"] == 1
    merge = carla.get(url).data
    assert merge["is_finished"]
    shares = {row["name"]: (row["equal"], row["n"], row["share"]) for row in merge["agreement"]}
    assert shares["Turns"] == (4, 5, 80)
    assert shares["Optional steps"] == (0, 0, None)
    names = {name for version in item_of(merge, 4)["versions"] for name in version["annotators"]}
    assert names == {str(golden.annotator) for golden in scene.goldens}
    assert carla.get(f"projects/{scene.project.slug}/merges/").data["results"] == []


def test_a_decision_over_another_is_a_conflict_that_shows_both(scene: Scene, carla: ApiCaller) -> None:
    url = f"merges/{scene.merge.pk}/items/{scene.token('turn:g4')}/"
    first = {"seen_revision": 0, "choice": scene.take("turn:g4", format="pdf")}
    assert carla.put(url, first).status_code == 200
    second = carla.put(url, {"seen_revision": 0, "choice": scene.take("turn:g4", format="html")})
    assert second.status_code == 409
    assert second.data["current"]["choice"] == first["choice"]
    assert second.data["yours"]["choice"] == scene.take("turn:g4", format="html")


@pytest.mark.parametrize("choice", [{}, {"take": "no"}, {"fields": {}}, {"out": False}, {"take": ["x"]}, {"x": 1}])
def test_what_cannot_be_decided_is_refused_with_the_reason(scene: Scene, carla: ApiCaller, choice: Any) -> None:
    url = f"merges/{scene.merge.pk}/items/{scene.token('turn:g4')}/"
    response = carla.put(url, {"seen_revision": 0, "choice": choice})
    assert response.status_code == 400
    assert response.data["detail"]
    assert scene.board.choices == {}


def test_what_is_open_is_refused(scene: Scene, carla: ApiCaller) -> None:
    url = f"merges/{scene.merge.pk}/"
    revision = carla.get(url).data["revision"]
    response = carla.post(f"{url}accept/", {"seen_revision": revision})
    assert response.status_code == 400
    assert "not decided yet" in response.data["detail"]


def test_a_golden_that_came_into_force_meanwhile_is_not_replaced_unseen(scene: Scene, carla: ApiCaller) -> None:
    url = f"merges/{scene.merge.pk}/"
    seen = {"seen_revision": carla.get(url).data["revision"], "seen_in_force": 7}
    response = carla.post(f"{url}accept/", seen)
    assert response.status_code == 400
    assert "is in force" in response.data["detail"]
    assert scene.merge.conversation.golden_record is None


def test_undo_and_the_workbench(scene: Scene, carla: ApiCaller) -> None:
    url = f"merges/{scene.merge.pk}/"
    carla.put(
        f"{url}items/{scene.token('turn:g4')}/",
        {"seen_revision": 0, "choice": scene.take("turn:g4", format="pdf")},
    )
    assert item_of(carla.post(f"{url}undo/").data, 4)["decision"] is None
    carla.put(
        f"{url}items/{scene.token('turn:g4')}/",
        {"seen_revision": 0, "choice": scene.take("turn:g4", format="pdf")},
    )
    carla.post(f"{url}equal/")
    merge = carla.post(f"{url}workbench/").data
    golden = Golden.objects.get(pk=merge["result"])
    assert (golden.annotator, golden.status) == (scene.carla, GoldenStatus.DRAFT)


def test_annotators_never_see_a_merge(scene: Scene) -> None:
    api = api_of(scene.goldens[0].annotator)
    assert api.get(f"merges/{scene.merge.pk}/").status_code == 403
    assert api.get(f"projects/{scene.project.slug}/merges/").status_code == 403
    assert api.post(f"conversations/{scene.conversation.pk}/merge/").status_code == 403
