"""Drafts on the server: one's own, replaced, discarded by a save, and part of nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Draft, Golden, GoldTurn, Role, User
from annotations.services import drafts, goldens
from evaluation.formats import jsonio
from tests.factories import (
    make_conversation,
    make_dataset,
    make_member,
    make_project,
    make_run,
    make_trajectory,
    make_user,
)
from tests.people import client_of

URL = "/account/drafts/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def golden(db: None) -> Golden:
    project = make_project()
    conversation = make_conversation(make_dataset(project))
    return goldens.start(conversation, make_member(project), make_trajectory(conversation))


def keep(user: User, name: str, fields: Any, *, page_of: User | None = None) -> Any:
    body = jsonio.dumps({"name": name, "user": str((page_of or user).pk), "fields": fields})
    return client_of(user).post(URL, body, content_type="application/json", headers=HTMX)


def kept(user: User, name: str) -> Any:
    answer = client_of(user).get(URL, {"name": name, "user": str(user.pk)}).json()["draft"]
    return answer and answer["fields"]


def test_is_kept_replaced_and_forgotten(db: None) -> None:
    user = make_user()
    assert kept(user, "turn-1-1") is None
    assert keep(user, "turn-1-1", [["text", "so"], ["text", "and so"]]).status_code == 204
    assert keep(user, "turn-1-1", [["text", "otherwise"]]).status_code == 204
    assert kept(user, "turn-1-1") == [["text", "otherwise"]]
    assert keep(user, "turn-1-1", None).status_code == 204
    assert not Draft.objects.exists()


def test_is_shown_to_nobody_else(db: None) -> None:
    user, other = make_user(), make_user()
    keep(user, "turn-1-1", [["text", "mine"]])
    assert kept(other, "turn-1-1") is None
    assert client_of(other).get(URL, {"name": "turn-1-1", "user": str(user.pk)}).json() == {"draft": None}


def test_a_page_that_somebody_else_opened_keeps_nothing_under_ones_name(db: None) -> None:
    ann, ben = make_user("ann"), make_user("ben")
    answer = keep(ben, "turn-1-1", [["text", "by ann"]], page_of=ann)
    assert (answer.status_code, answer.content) == (409, b"ben")
    assert not Draft.objects.exists()


def test_needs_a_session(db: None) -> None:
    assert client_of(None).post(URL, "{}", content_type="application/json", headers=HTMX).status_code == 401


@pytest.mark.parametrize("fields", ["x", [["a"]], [["a", 1]], [1], {"a": "b"}])
def test_what_is_no_form_is_refused(db: None, fields: Any) -> None:
    assert keep(make_user(), "turn-1-1", fields).status_code == 422
    assert not Draft.objects.exists()


@pytest.mark.parametrize("name", ["", "x" * 201, "a\x00b"])
def test_what_names_no_form_is_refused(db: None, name: str) -> None:
    assert keep(make_user(), name, []).status_code == 422


@pytest.mark.parametrize("body", ["", "{", "[]", "7", '{"name": 7, "fields": []}', '{"name": "a"}'])
def test_what_is_no_draft_is_refused(db: None, body: str) -> None:
    user = make_user()
    assert client_of(user).post(URL, body, content_type="application/json").status_code == 422


def test_too_much_is_left_to_the_browser(db: None) -> None:
    user = make_user()
    keep(user, "turn-1-1", [["text", "before"]])
    assert keep(user, "turn-1-1", [["text", "x" * drafts.MOST_CHARACTERS]]).status_code == 413
    assert kept(user, "turn-1-1") == [["text", "before"]]


def test_characters_that_no_database_holds_are_replaced(db: None) -> None:
    user = make_user()
    keep(user, "turn-1-1", [["text", "a\x00b"]])
    assert kept(user, "turn-1-1") == [["text", "a\ufffdb"]]
    body = jsonio.dumps({"name": "turn-2-1", "user": str(user.pk), "fields": [["text", "half H"]]}).replace(
        "H", "\\ud83d"
    )
    assert client_of(user).post(URL, body, content_type="application/json").status_code in (204, 422)


def test_the_oldest_go_first(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MOST_DRAFTS", 3)
    user, other = make_user(), make_user()
    keep(other, "turn-0", [])
    for number in range(5):
        keep(user, f"turn-{number}", [])
    assert set(user.drafts.values_list("name", flat=True)) == {"turn-2", "turn-3", "turn-4"}
    assert other.drafts.count() == 1


class TestSaving:
    def save(self, golden: Golden, turn: GoldTurn, **fields: str) -> Any:
        url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
        return client_of(golden.annotator).post(url, fields, headers=HTMX)

    def test_a_turn_discards_its_draft_and_no_other(self, golden: Golden) -> None:
        user, turn = golden.annotator, golden.turns.get(position=1)
        name = f"turn-{turn.pk}-{user.pk}"
        keep(user, name, [["text", "typed"]])
        keep(user, "turn-0-0", [["text", "another"]])
        assert golden.turns.get(pk=turn.pk).body == turn.body, "a draft is no part of the golden"
        refused = self.save(golden, turn, text="typed", revision="7", do="save")
        assert refused.status_code == 409
        assert kept(user, name) == [["text", "typed"]]
        assert self.save(golden, turn, text="typed", revision="1", do="save").status_code == 200
        assert kept(user, name) is None
        assert kept(user, "turn-0-0") is not None

    def test_the_whole_conversation_too(self, golden: Golden) -> None:
        user = golden.annotator
        name = f"whole-{golden.pk}-{user.pk}"
        keep(user, name, [["comment", "typed"]])
        url = reverse("annotations:golden-whole", args=[golden.pk])
        fields = {"comment": "typed", "revision": str(golden.revision), "do": "save"}
        assert client_of(user).post(url, fields, headers=HTMX).status_code == 200
        assert kept(user, name) is None

    def test_a_label_a_decision_and_a_guideline_too(self, db: None) -> None:
        run = make_run()
        item = run.items.get()
        user = make_member(run.project, Role.OWNER)
        names = [
            f"label-{item.trajectory_id}-1",
            f"decision-{item.trajectory_id}-main-g1",
            f"guideline-{run.project.slug}",
        ]
        client = client_of(user)
        pages = [
            f"{item.get_absolute_url()}?turn=1",
            reverse("evaluation:adjudicate", args=[run.pk, 1, 1]),
            reverse("annotations:guideline-edit", args=[run.project.slug]),
        ]
        for name, page in zip(names, pages, strict=True):
            assert f'data-draft="{name}"' in client.get(page).content.decode()
            keep(user, name, [["reason", "typed"]])
        judged = {"verdict": "pass", "seen_revision": "0"}
        client.post(reverse("evaluation:label-save", args=[run.pk, 1, 1]), {**judged, "comment": "c"})
        client.post(pages[1], {**judged, "reason": "So."})
        client.post(pages[2], {"title": "T", "body": "b", "seen_number": "0"})
        assert [name for name in names if kept(user, name)] == []
