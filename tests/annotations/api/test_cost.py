"""How often one request of the queue asks the database: twenty people at once wait for each of these queries."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotations.models import ApiToken, Trajectory
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory

pytestmark = pytest.mark.django_db


class Caller:
    """A person with a token of their own and another one, on a queue of two conversations."""

    def __init__(self) -> None:
        self.project = make_project()
        for number in range(2):
            make_trajectory(make_conversation(make_dataset(self.project, slug=f"d{number}")))
        person = make_member(self.project)
        ApiToken.objects.create(user=person, expiry=None, name="other")
        token = ApiToken.objects.create(user=person, expiry=None, name="this")[1]
        self.client = APIClient(headers={"authorization": f"Token {token}"})

    def ask(self, method: str, path: str, body: Any) -> tuple[Any, list[str]]:
        """The answer, and what the database was asked for it."""
        with CaptureQueriesContext(connection) as asked:
            response = getattr(self.client, method)(f"/api/v1/{path}", body, format="json")
        assert response.status_code == 200, response.content
        sql = [query["sql"] for query in asked.captured_queries]
        return response.json(), [text for text in sql if text.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))]


def test_a_claim_a_save_and_a_submission_ask_the_database_seldom() -> None:
    caller = Caller()
    caller.ask("post", f"projects/{caller.project.slug}/queue/next/", {})  # what the process keeps, it has now
    taken, claim = caller.ask("post", f"projects/{caller.project.slug}/queue/next/", {})
    golden = taken["golden"]
    turn = next(turn for turn in golden["turns"] if turn["kind"] == "action")
    path = f"goldens/{golden['id']}/turns/{turn['id']}/"
    body = {"seen_revision": turn["revision"], "body": {**turn["body"], "weight": 2}}
    saved, save = caller.ask("put", path, body)
    _, submit = caller.ask("post", f"goldens/{golden['id']}/submit/", {})
    assert saved["body"]["weight"] == 2
    assert len(claim) <= 17, "\n".join(claim)
    assert len(save) <= 12, "\n".join(save)
    assert len(submit) <= 15, "\n".join(submit)


def test_a_save_does_not_read_the_recorded_run() -> None:
    caller = Caller()
    taken, _ = caller.ask("post", f"projects/{caller.project.slug}/queue/next/", {})
    golden = taken["golden"]
    turn = next(turn for turn in golden["turns"] if turn["kind"] == "action")
    body = {"seen_revision": turn["revision"], "body": {**turn["body"], "weight": 2}}
    _, save = caller.ask("put", f"goldens/{golden['id']}/turns/{turn['id']}/", body)
    assert not [text for text in save if f'"{Trajectory._meta.db_table}"."body"' in text]
