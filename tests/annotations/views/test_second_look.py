"""What was made under an older guideline is listed, by tool and failure reason, until it is saved again."""

from __future__ import annotations

import pytest
from django.test import Client

from annotations.models import Role
from annotations.services import goldens, labels, projects
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, report_golden
from tests.people import client_of

pytestmark = pytest.mark.django_db


def _look(client: Client, slug: str, query: str = "") -> str:
    return client.get(f"/p/{slug}/guideline/second-look/{query}").content.decode()


def test_what_is_older_is_listed_until_it_is_saved_again() -> None:
    project = make_project()
    olga, ana = make_member(project, Role.OWNER), make_member(project)
    client = client_of(olga)
    assert "There is no guideline yet" in _look(client, project.slug)
    projects.save_guideline(project=project, title="How", body="One.", by=olga, seen_number=0)
    conversation = make_conversation(make_dataset(project), key="old one")
    trajectory = make_trajectory(conversation)
    golden = goldens.start(conversation, ana)
    goldens.load_body(golden, report_golden(), ana)
    labels.save(
        trajectory=trajectory,
        path="main",
        turn_key="g2",
        by=ana,
        seen_revision=0,
        verdict="fail",
        failure_reason="tool_mismatch",
    )
    assert "Nothing is in doubt here" in _look(client, project.slug)
    projects.save_guideline(project=project, title="How", body="Two.", by=olga, seen_number=1)
    page = _look(client, project.slug)
    assert "1 golden and 1 label were made under an older version" in page
    assert str(golden.get_absolute_url()) in page
    assert "Nothing is in doubt here" in _look(client, project.slug, "?tool=mail")
    tool = next(turn.body["tool"] for turn in golden.turns.all() if turn.kind == "action")
    assert str(golden.get_absolute_url()) in _look(client, project.slug, f"?tool={tool}")
    assert "Other tool or nothing done" in _look(client, project.slug, "?what=labels&reason=tool_mismatch")
    assert "Nothing is in doubt here" in _look(client, project.slug, "?what=labels&reason=missing_parameters")
    assert "Nothing is in doubt here" in _look(client, project.slug, "?before=1")

    turn = golden.turns.exclude(kind="user").first()
    assert turn is not None
    goldens.update_turn(turn=turn, body=turn.body, seen=turn.revision, by=ana)
    assert "0 goldens and 1 label" in _look(client, project.slug)
    assert client_of(ana).get(f"/p/{project.slug}/guideline/second-look/").status_code == 403
