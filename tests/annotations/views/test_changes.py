"""Undo and redo over many actions of every sort, after signing out and in, and the list of what is to be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Golden, GoldTurn, Role, User
from annotations.services import goldens
from evaluation.formats import jsonio
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory
from tests.people import client_of


@pytest.fixture
def golden(db: None) -> Golden:
    project = make_project()
    conversation = make_conversation(make_dataset(project))
    return goldens.start(conversation, make_member(project), make_trajectory(conversation))


def as_it_is(golden: Golden) -> str:
    golden = Golden.objects.get(pk=golden.pk)
    rows = [[turn.path, turn.position, turn.turn_no, turn.kind, turn.body, turn.is_done] for turn in golden.turns.all()]
    return jsonio.canonical([goldens.golden_body(golden), golden.comment, rows])


def turn(golden: Golden, key: str, path: str = "main") -> GoldTurn:
    return next(turn for turn in golden.turns.filter(path=path) if turn.key == key)


def save(golden: Golden, key: str, path: str = "main", **fields: Any) -> None:
    row = turn(golden, key, path)
    goldens.update_turn(turn=row, body={**row.body, **fields}, seen=row.revision, by=golden.annotator)


def actions(golden: Golden) -> list[Callable[[], Any]]:
    """More than twenty, of every sort that the workbench has."""
    by = golden.annotator

    def whole(**fields: Any) -> Callable[[], Any]:
        return lambda: goldens.update_whole(
            golden=golden, seen=Golden.objects.get(pk=golden.pk).revision, by=by, **fields
        )

    def structure(name: str, *keys: str) -> Callable[[], Any]:
        return lambda: getattr(goldens, name)(golden=golden, turns=[turn(golden, key).pk for key in keys], by=by)

    return [
        lambda: save(golden, "g1", response="Which region?"),
        lambda: save(golden, "g2", optional=True),
        lambda: save(golden, "g3", weight=2),
        lambda: goldens.add_turn(golden=golden, body={"response": "Done."}, by=by, after=turn(golden, "g5")),
        lambda: save(golden, "g6", response="Done, thank you."),
        lambda: goldens.move_turn(turn=turn(golden, "g6"), by=by, places=-1),
        lambda: goldens.relax_lookups(golden=golden, by=by),
        structure("group_turns", "g3", "g4"),
        structure("ungroup_turns", "g3", "g4"),
        structure("group_turns", "g2", "g3"),
        whole(forbidden=[{"tool": "mail"}]),
        whole(comment="Please look at turn 2."),
        lambda: goldens.add_path(golden=golden, name="by phone", copy_of="main", by=by),
        lambda: save(golden, "g1", "by phone", response="Which region shall it be?"),
        lambda: goldens.rename_path(golden=golden, path="by phone", name="by letter", by=by),
        lambda: goldens.remove_turn(turn=turn(golden, "g4", "by letter"), by=by),
        lambda: goldens.remove_path(golden=golden, path="by letter", by=by),
        lambda: goldens.remove_turn(turn=turn(golden, "g6"), by=by),
        lambda: goldens.take_observed(turn=turn(golden, "g1"), seen=turn(golden, "g1").revision, by=by),
        lambda: goldens.add_turn(golden=golden, body={"user": "And profit?"}, by=by, at_start=True),
        whole(outcome=[]),
        lambda: save(golden, "g5", claims=[{"text": "120 million"}]),
        lambda: goldens.load_body(golden, {"paths": [{"id": "main", "turns": [{"id": "g1", "response": "No."}]}]}, by),
        lambda: save(golden, "g1", response="Yes."),
    ]


def press(user: User, golden: Golden, name: str) -> str:
    """One press of a button, by somebody who signs in for it."""
    return client_of(user).post(reverse(f"annotations:{name}", args=[golden.pk]), follow=True).content.decode()


def test_more_than_twenty_actions_are_undone_and_done_again_one_by_one(golden: Golden) -> None:
    states = [as_it_is(golden)]
    todo = actions(golden)
    assert len(todo) > 20
    for number, action in enumerate(todo):
        action()
        states.append(as_it_is(golden))
        assert states[-1] != states[-2] or number == 20, f"action {number} changed nothing"
    for number in range(len(todo), 0, -1):
        assert "Undone:" in press(golden.annotator, golden, "golden-undo"), f"action {number}"
        assert as_it_is(golden) == states[number - 1], f"action {number}"
    assert "nothing of yours to undo" in press(golden.annotator, golden, "golden-undo")
    for number in range(1, len(todo) + 1):
        assert "Done again:" in press(golden.annotator, golden, "golden-redo"), f"action {number}"
        assert as_it_is(golden) == states[number], f"action {number}"
    assert "nothing that you have undone" in press(golden.annotator, golden, "golden-redo")
    press(golden.annotator, golden, "golden-undo")
    assert as_it_is(golden) == states[-2], "what was done again can be undone again"


def test_a_new_change_ends_what_could_be_done_again(golden: Golden) -> None:
    save(golden, "g1", response="one")
    press(golden.annotator, golden, "golden-undo")
    save(golden, "g2", optional=True)
    now = as_it_is(golden)
    assert "nothing that you have undone" in press(golden.annotator, golden, "golden-redo")
    assert as_it_is(golden) == now


def test_what_somebody_else_changed_since_is_not_overwritten(golden: Golden) -> None:
    save(golden, "g1", response="one")
    press(golden.annotator, golden, "golden-undo")
    owner = make_member(golden.conversation.dataset.project, Role.OWNER)
    row = turn(golden, "g1")
    goldens.update_turn(turn=row, body={**row.body, "response": "theirs"}, seen=row.revision, by=owner)
    assert "Somebody else has changed this since" in press(golden.annotator, golden, "golden-redo")
    assert turn(golden, "g1").body["response"] == "theirs"


def test_the_message_names_the_turn_that_was_undone_and_done_again(golden: Golden) -> None:
    def said(name: str, words: str) -> None:
        assert words in press(golden.annotator, golden, name)

    save(golden, "g3", optional=True)
    save(golden, "g1", response="one")
    said("golden-undo", "Undone: a turn was saved (turn 1).")
    said("golden-undo", "Undone: a turn was saved (turn 3).")
    said("golden-redo", "Done again: a turn was saved (turn 3).")
    said("golden-undo", "Undone: a turn was saved (turn 3).")
    by = golden.annotator
    goldens.add_turn(golden=golden, body={"response": "Done."}, by=by, after=turn(golden, "g1"))
    said("golden-undo", "Undone: a turn was added (turn 2).")
    goldens.remove_turn(turn=turn(golden, "g5"), by=by)
    said("golden-undo", "Undone: a turn was removed (turn 5).")
    goldens.add_path(golden=golden, name="by phone", copy_of="main", by=by)
    save(golden, "g1", "by phone", response="Which?")
    said("golden-undo", "Undone: a turn was saved (turn 1 of by phone).")
    said("golden-undo", "Undone: a path was added.")
    goldens.add_turn(golden=golden, body={"user": "And profit?"}, by=by, at_start=True)
    said("golden-undo", "Undone: a turn was added (a user turn).")
    goldens.move_turn(turn=turn(golden, "g1"), by=by, places=1)
    said("golden-undo", "Undone: a turn was moved.")


@pytest.mark.parametrize("is_fragment", [False, True])
def test_the_list_says_what_comes_next_and_shows_ones_own_alone(golden: Golden, is_fragment: bool) -> None:
    headers = {"HX-Request": "true"} if is_fragment else {}
    url = reverse("annotations:golden-changes", args=[golden.pk])
    assert "nothing of yours to take back" in client_of(golden.annotator).get(url, headers=headers).content.decode()
    owner = make_member(golden.conversation.dataset.project, Role.OWNER)
    row = turn(golden, "g3")
    goldens.update_turn(turn=row, body={**row.body, "optional": True}, seen=row.revision, by=owner)
    save(golden, "g1", response="one")
    goldens.move_turn(turn=turn(golden, "g5"), by=golden.annotator, places=-1)
    save(golden, "g2", optional=True)
    press(golden.annotator, golden, "golden-undo")
    page = client_of(golden.annotator).get(url, headers=headers).content.decode()
    said = [page.index(words) for words in ("A turn was saved: turn 2", "A turn was moved", "A turn was saved: turn 1")]
    assert said == sorted(said)
    assert "turn 3" not in page, "that was somebody else"
    assert ("<html" in page) is not is_fragment


def test_the_list_reads_no_row_for_each_change(golden: Golden, django_assert_max_num_queries: Any) -> None:
    for number in range(60):
        save(golden, "g1", response=f"text {number}")
    client = client_of(golden.annotator)
    with django_assert_max_num_queries(10):
        page = client.get(reverse("annotations:golden-changes", args=[golden.pk]))
    assert "The last 50 of 60" in page.content.decode()
