"""The guideline over the API: examples, differences, and bringing a version back."""

from __future__ import annotations

import pytest

from annotations.models import Role
from annotations.services import guidelines
from annotations.services.guidelines import Source
from tests.factories import make_conversation, make_dataset, make_member, make_project
from tests.people import api_of

pytestmark = pytest.mark.django_db


def test_examples_are_added_kept_edited_and_compared() -> None:
    project = make_project()
    olga = api_of(make_member(project, Role.OWNER))
    base = f"projects/{project.slug}/guidelines/"
    first = olga.post(f"{base}examples/", {"reason": "missing_parameters", "text": "No region"})
    assert (first.status_code, first.data["number"], first.data["examples"][0]["verdict"]) == (201, 1, "fail")
    late = olga.post(f"{base}examples/", {"text": "Late", "seen_number": 0})
    assert (late.status_code, late.data["current"]["number"]) == (409, 1)
    kept = {"id": first.data["examples"][0]["id"], "text": "No region given"}
    made = olga.post(base, {"title": "T", "body": "B", "seen_number": 1, "examples": [kept, {"text": "Other"}]})
    assert [row["text"] for row in made.data["examples"]] == ["No region given", "Other"]
    again = olga.post(base, {"title": "T", "body": "B2", "seen_number": 2})
    assert len(again.data["examples"]) == 2
    found = olga.get(f"{base}2/changes/", since=1).data
    assert [line["kind"] for line in found["lines"]] == ["ins"]
    assert [row["text"] for row in found["examples_removed"]] == ["No region"]
    back = olga.post(f"{base}1/restore/", {"seen_number": 3})
    assert (back.status_code, back.data["number"], len(back.data["examples"])) == (201, 4, 1)
    wrong = olga.post(
        base, {"title": "T", "seen_number": 4, "examples": [{"reason": "passes", "verdict": "fail", "text": "x"}]}
    )
    assert wrong.status_code == 400
    assert "example 1" in wrong.data["detail"]
    assert olga.get(f"{base}2/changes/").status_code == 400
    assert project.guidelines.count() == 4


def test_a_blinded_annotator_gets_no_example_from_others_work() -> None:
    project = make_project(is_blind=True)
    olga = make_member(project, Role.OWNER)
    source = Source(make_conversation(make_dataset(project)))
    guidelines.add_example(project=project, by=olga, reason="general", text="Open")
    guidelines.add_example(project=project, by=olga, reason="general", text="Secret", source=source)
    base = f"projects/{project.slug}/guidelines/"
    ana = api_of(make_member(project, Role.ANNOTATOR))
    for path in (base, f"{base}2/", f"{base}2/changes/?since=1"):
        assert "Secret" in api_of(olga).get(path).content.decode()
        assert "Secret" not in ana.get(path).content.decode()
    assert ana.get(f"{base}2/").data["examples_held_back"] == 1
