"""What was made under an older guideline is listed, by tool and failure reason, until it is saved again."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotations.models import Golden, Project, Role, SecondLook, User
from annotations.services import goldens, labels, projects, second_look
from tests.factories import (
    make_conversation,
    make_dataset,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
)
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


def _doubtful(count: int) -> tuple[Project, User, User, list[Golden]]:
    """A project with goldens by Ana that were handed in under version 1; version 2 is in force."""
    project = make_project()
    olga, ana = make_member(project, Role.OWNER), make_member(project)
    projects.save_guideline(project=project, title="How", body="One.", by=olga, seen_number=0)
    dataset = make_dataset(project)
    made = []
    for number in range(count):
        golden = goldens.start(make_conversation(dataset, key=f"old {number}"), ana)
        goldens.load_body(golden, report_golden(), ana)
        made.append(goldens.submit(golden, ana))
    projects.save_guideline(project=project, title="How", body="Two.", by=olga, seen_number=1)
    return project, olga, ana, made


def test_ticked_rows_are_said_to_be_right_and_one_undo_brings_them_back() -> None:
    project, olga, _, made = _doubtful(3)
    client, address = client_of(olga), f"/p/{project.slug}/guideline/second-look/"
    ticked = [str(golden.pk) for golden in made[:2]]
    answer = client.post(f"{address}?what=goldens&before=2", {"do": "right", "c": ticked, "seen_number": "2"})
    assert (answer.status_code, answer["Location"]) == (302, f"{address}?what=goldens&before=2")
    page = _look(client, project.slug)
    assert "1 golden and 0 labels were made" in page
    assert "said that 2 are still right under version 2" in " ".join(page.split())
    act = str(second_look.find_acts(project)[0].pk)
    answer = client.post(f"{address}undo/", {"act": act, "back": "what=goldens"}, follow=True)
    assert "Undone: 2 rows are as before." in answer.content.decode()
    assert "3 goldens and 0 labels were made" in _look(client, project.slug)
    answer = client.post(f"{address}undo/", {"act": act}, follow=True)
    assert "taken back already" in answer.content.decode()


def test_ticked_rows_are_asked_for_again_with_a_comment() -> None:
    project, olga, ana, made = _doubtful(2)
    client, address = client_of(olga), f"/p/{project.slug}/guideline/second-look/"
    asked = {"do": "again", "c": [str(made[0].pk)], "seen_number": "2", "comment": ""}
    refused = client.post(address, asked)
    assert refused.status_code == 422
    assert "whoever is asked reads it" in refused.content.decode()
    assert f'value="{made[0].pk}" id="c-{made[0].pk}" aria-label="{made[0].conversation}" checked' in (
        refused.content.decode()
    )
    assert client.post(address, {**asked, "comment": "See <rule> 2"}).status_code == 302
    page = _look(client, project.slug)
    assert "asked again" in page
    assert "See &lt;rule&gt; 2" in page
    answer = client.post(address, {**asked, "comment": "Once more"}, follow=True)
    assert "it is being written already" in answer.content.decode()
    queue = client_of(ana).get(f"/p/{project.slug}/queue/").content.decode()
    assert "See &lt;rule&gt; 2" in queue


def test_an_act_on_an_older_version_or_on_nothing_does_nothing() -> None:
    project, olga, ana, made = _doubtful(1)
    client, address = client_of(olga), f"/p/{project.slug}/guideline/second-look/"
    late = client.post(address, {"do": "right", "c": [str(made[0].pk)], "seen_number": "1"})
    assert late.status_code == 409
    assert "version 2 of the guideline was saved meanwhile" in late.content.decode()
    nothing = client.post(address, {"do": "right", "c": ["x", "\x00"], "seen_number": "2"})
    assert nothing.status_code == 422
    assert "Tick at least one row." in nothing.content.decode()
    assert client_of(ana).post(address, {"do": "right"}).status_code == 403
    assert client_of(ana).post(f"{address}undo/", {}).status_code == 403
    assert not SecondLook.objects.exists()


def test_a_label_that_is_asked_for_again_stands_in_the_queue_of_whoever_made_it() -> None:
    run = make_run(make_report_version(1))
    item = run.items.get()
    project = run.project
    olga, ana, ben = (make_member(project, role) for role in (Role.OWNER, Role.ANNOTATOR, Role.ANNOTATOR))
    projects.save_guideline(project=project, title="How", body="One.", by=olga, seen_number=0)
    made: dict[str, Any] = {
        "trajectory": item.trajectory,
        "path": "main",
        "turn_key": "g2",
        "by": ana,
        "verdict": "fail",
    }
    label = labels.save(seen_revision=0, **made)
    projects.save_guideline(project=project, title="How", body="Two.", by=olga, seen_number=1)
    address = f"/p/{project.slug}/guideline/second-look/?what=labels"
    asked = {"do": "again", "c": [str(label.pk)], "seen_number": "2", "comment": "See rule 2"}
    assert client_of(olga).post(address, asked).status_code == 302
    assert "asked again" in _look(client_of(olga), project.slug, "?what=labels")
    queue = client_of(ana).get(f"/p/{project.slug}/queue/").content.decode()
    assert "Labels to look at again" in queue
    assert "See rule 2" in queue
    assert f'href="{item.get_absolute_url()}?turn=2"' in queue
    review = f"{item.get_absolute_url()}?turn=2"
    assert "asks you to look at it again: See rule 2" in client_of(ana).get(review).content.decode()
    assert "asks you to look at it again" not in client_of(olga).get(review).content.decode()
    assert "Labels to look at again" not in client_of(ben).get(f"/p/{project.slug}/queue/").content.decode()
    labels.save(seen_revision=1, **made)
    assert "asks you to look at it again" not in client_of(ana).get(review).content.decode()
    assert "Labels to look at again" not in client_of(ana).get(f"/p/{project.slug}/queue/").content.decode()
