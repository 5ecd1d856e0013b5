"""The pages of the guideline: versions, examples, differences, and bringing one back."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Project, Role, User
from annotations.services import goldens, guidelines, projects
from annotations.services.guidelines import Source
from tests.factories import make_conversation, make_dataset, make_member, make_project
from tests.people import client_of

pytestmark = pytest.mark.django_db


def _project() -> tuple[Project, User]:
    project = make_project(is_blind=True)
    olga = make_member(project, Role.OWNER)
    projects.save_guideline(project=project, title="How", body="One.", by=olga, seen_number=0)
    return project, olga


def _url(project: Project, name: str) -> str:
    return reverse(f"annotations:{name}", args=[project.slug])


def _rows(*rows: dict[str, Any], seen: int = 1) -> dict[str, Any]:
    posted = {"title": "How", "body": "One.", "seen_number": seen}
    posted |= {"examples-TOTAL_FORMS": len(rows), "examples-INITIAL_FORMS": 0}
    for number, row in enumerate(rows):
        posted |= {f"examples-{number}-{name}": value for name, value in row.items()}
    return posted


def test_rows_of_examples_are_written_without_a_script() -> None:
    project, olga = _project()
    client = client_of(olga)
    page = client.get(_url(project, "guideline-edit")).content.decode()
    assert page.count("New example") == 3
    first = {"reason": "missing_parameters", "text": "<b>No region</b>", "why": "It is asked for."}
    assert client.post(_url(project, "guideline-edit"), _rows(first, {"reason": "general"})).status_code == 302
    page = client.get(_url(project, "guideline")).content.decode()
    assert "&lt;b&gt;No region&lt;/b&gt;" in page
    assert "Missing parameters" in page
    (row,) = project.guidelines.get(number=2).examples.all()
    gone = {"id": row.pk, "reason": "general", "text": "x", "DELETE": "on"}
    assert client.post(_url(project, "guideline-edit"), _rows(gone, seen=2)).status_code == 302
    assert not project.guidelines.get(number=3).examples.exists()


def test_a_wrong_row_is_named_and_nothing_is_lost() -> None:
    project, olga = _project()
    wrong = {"reason": "passes", "verdict": "fail", "text": "Typed", "why": ""}
    answer = client_of(olga).post(
        _url(project, "guideline-edit"), _rows(wrong, {"reason": "general", "why": "Only why"})
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert all(
        words in page for words in ("cannot have another verdict", "Say what the example is", "Typed", "Only why")
    )
    assert project.guidelines.count() == 1


def test_a_conflict_shows_both() -> None:
    project, olga = _project()
    guidelines.add_example(project=project, by=olga, reason="general", text="Theirs")
    answer = client_of(olga).post(_url(project, "guideline-edit"), _rows({"reason": "general", "text": "Mine"}))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Theirs" in page
    assert "Mine" in page
    assert project.guidelines.count() == 2


def test_what_changed_and_bringing_a_version_back() -> None:
    project, olga = _project()
    guidelines.save(
        project=project,
        by=olga,
        title="How",
        body="One more.",
        seen_number=1,
        examples=[{"reason": "general", "text": "Came"}],
    )
    client = client_of(olga)
    page = client.get(_url(project, "guideline-changes")).content.decode()
    assert "<ins> more</ins>" in page
    assert "Examples added" in page
    assert "Nothing differs" in client.get(_url(project, "guideline-changes") + "?since=2&to=2").content.decode()
    assert "Bring version 1 back" in client.get(_url(project, "guideline") + "?version=1").content.decode()
    assert client.post(_url(project, "guideline-restore"), {"number": 1, "seen_number": 1}).status_code == 302
    assert project.guidelines.count() == 2
    client.post(_url(project, "guideline-restore"), {"number": 1, "seen_number": 2})
    assert [project.guidelines.get(number=3).body, project.guidelines.get(number=3).examples.count()] == ["One.", 0]
    assert client.get(_url(make_project(), "guideline-changes")).status_code == 404


def test_a_blinded_annotator_finds_nothing_of_others_work() -> None:
    project, olga = _project()
    ana = client_of(make_member(project, Role.ANNOTATOR))
    conversation = make_conversation(make_dataset(project))
    guidelines.add_example(project=project, by=olga, reason="general", text="Secret", source=Source(conversation))
    for name in ("guideline", "guideline-changes"):
        assert "Secret" in client_of(olga).get(_url(project, name)).content.decode()
        assert "Secret" not in ana.get(_url(project, name)).content.decode()
    assert "1 example from conversations" in ana.get(_url(project, "guideline")).content.decode()


def test_the_workbench_shows_the_examples_of_the_version_in_force_as_page_and_fragment() -> None:
    project, olga = _project()
    golden = goldens.start(make_conversation(make_dataset(project)), olga)
    guidelines.add_example(project=project, by=olga, reason="general", text="A short one")
    url = reverse("annotations:golden-hand", args=[golden.pk, "guideline"])
    headers: list[dict[str, str]] = [{}, {"HX-Request": "true"}]
    for asked in headers:
        page = client_of(olga).get(url, headers=asked).content.decode()
        assert "A short one" in page
        assert "last saved under this version" in page
        assert "Version 2 is out since" in page
