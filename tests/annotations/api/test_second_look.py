"""The second look over the API: the lists, the two acts, their undo, and who gets none of it."""

from __future__ import annotations

import pytest

from annotations.models import Golden, HumanLabel, Project, Role, User
from annotations.services import goldens, labels, projects
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, report_golden
from tests.people import api_of

pytestmark = pytest.mark.django_db


def _world(*, is_blind: bool = False) -> tuple[Project, User, User, Golden, HumanLabel]:
    """A golden and a label by Ana, made under version 1; version 2 is in force."""
    project = make_project(is_blind=is_blind)
    olga, ana = make_member(project, Role.OWNER), make_member(project)
    projects.save_guideline(project=project, title="T", body="1", by=olga, seen_number=0)
    conversation = make_conversation(make_dataset(project))
    golden = goldens.start(conversation, ana)
    goldens.load_body(golden, report_golden(), ana)
    goldens.submit(golden, ana)
    label = labels.save(
        trajectory=make_trajectory(conversation),
        path="main",
        turn_key="g2",
        by=ana,
        seen_revision=0,
        verdict="fail",
        failure_reason="tool_mismatch",
    )
    projects.save_guideline(project=project, title="T", body="2", by=olga, seen_number=1)
    return project, olga, ana, golden, label


def test_the_lists_the_acts_and_their_undo() -> None:
    project, olga, ana, golden, label = _world()
    api, base = api_of(olga), f"projects/{project.slug}/second-look/"
    (row,) = api.get(f"{base}goldens/").data["results"]
    assert (row["id"], row["guideline"], row["annotator"]["id"]) == (str(golden.pk), 1, ana.pk)
    assert (row["status"], row["asked_again"]) == ("submitted", None)
    assert api.get(f"{base}goldens/", tool="mail").data["results"] == []
    assert api.get(f"{base}goldens/", before=1).data["results"] == []
    assert api.get(f"{base}goldens/", before=7).status_code == 404
    assert len(api.get(f"{base}labels/", reason="tool_mismatch").data["results"]) == 1
    assert api.get(f"{base}labels/", reason="missing_parameters").data["results"] == []

    chosen = {"seen_number": 2, "goldens": [str(golden.pk)], "labels": [label.pk]}
    silent = api.post(f"{base}acts/", {"do": "again", **chosen})
    assert (silent.status_code, "whoever is asked" in silent.data["detail"]) == (400, True)
    asked = api.post(f"{base}acts/", {"do": "again", "comment": "See 2", **chosen})
    assert (asked.status_code, asked.data["changed"], asked.data["refused"]) == (200, 2, [])
    (row,) = api.get(f"{base}labels/").data["results"]
    assert (row["asked_again"]["comment"], row["asked_again"]["version"]) == ("See 2", 2)
    twice = api.post(f"{base}acts/", {"do": "again", "comment": "See 2", **chosen}).data
    assert (twice["act"], twice["unchanged"]) == (None, 1)
    assert [(one["golden"], one["label"]) for one in twice["refused"]] == [(str(golden.pk), None)]
    assert api.post(f"{base}acts/{asked.data['act']}/undo/").data["changed"] == 2

    right = api.post(f"{base}acts/", {"do": "right", **chosen})
    assert (right.status_code, right.data["changed"]) == (200, 2)
    assert api.get(f"{base}goldens/").data["results"] == api.get(f"{base}labels/").data["results"] == []
    assert api.post(f"{base}acts/{right.data['act']}/undo/").status_code == 200
    assert api.post(f"{base}acts/{right.data['act']}/undo/").status_code in (400, 409)
    assert len(api.get(f"{base}goldens/").data["results"]) == 1


def test_another_version_gives_both_and_strange_rows_are_refused() -> None:
    project, olga, _, golden, _ = _world()
    api, base = api_of(olga), f"projects/{project.slug}/second-look/"
    late = api.post(f"{base}acts/", {"do": "right", "seen_number": 1, "goldens": [str(golden.pk)]})
    assert (late.status_code, late.data["current"]["number"], late.data["seen"]) == (409, 2, 1)
    other = _world()[3]
    strange = api.post(f"{base}acts/", {"do": "right", "seen_number": 2, "goldens": [str(other.pk)]})
    assert (strange.status_code, "no golden" in strange.data["detail"]) == (400, True)
    assert api.post(f"{base}acts/", {"do": "right", "seen_number": 2}).status_code == 400
    assert api.post(f"{base}acts/", {"do": "wrong", "seen_number": 2}).status_code == 400


def test_annotators_see_nothing_of_it_and_are_told_only_what_is_asked_of_them() -> None:
    project, olga, ana, golden, label = _world(is_blind=True)
    api, base = api_of(ana), f"projects/{project.slug}/second-look/"
    ben = make_member(project)
    chosen = {"do": "again", "comment": "See 2", "seen_number": 2, "goldens": [str(golden.pk)], "labels": [label.pk]}
    assert api_of(olga).post(f"{base}acts/", chosen).status_code == 200
    for path in ("goldens/", "labels/"):
        assert api.get(base + path).status_code == 403
    assert api.post(f"{base}acts/", chosen).status_code == 403
    own = api.get(f"goldens/{golden.pk}/").data
    assert (own["status"], own["review_comment"]) == ("returned", "See 2")
    assert api_of(ben).get(f"goldens/{golden.pk}/").status_code == 404
    (row,) = api.get(f"{base}mine/").data["results"]
    assert (row["id"], row["asked_again"]["by"]["id"]) == (label.pk, olga.pk)
    assert api_of(ben).get(f"{base}mine/").data["results"] == []
