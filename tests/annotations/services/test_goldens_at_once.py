"""Goldens written by many at the same instant, each on an own connection; on SQLite in a file and PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from annotations.models import Assignment, Change, Golden, GoldTurn, Role
from annotations.services import assignments, goldens
from annotations.services.errors import StaleRevisionError
from tests.factories import make_conversation, make_dataset, make_golden, make_member, make_project, report_golden

pytestmark = pytest.mark.django_db(transaction=True)


def all_at_once(actions: list[Callable[[], Any]]) -> list[Any]:
    """What each action returned, or the error that it raised."""
    barrier = threading.Barrier(len(actions))
    results: list[Any] = [None] * len(actions)

    def run(number: int, action: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=30)
            results[number] = action()
        except Exception as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number, action)) for number, action in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results


def test_of_many_saves_under_one_revision_exactly_one_wins() -> None:
    golden = make_golden()
    goldens.load_body(golden, report_golden(), golden.annotator)
    turn = golden.turns.get(position=1)

    def save(number: int) -> Callable[[], Any]:
        body = {**turn.body, "response": f"version {number}"}
        return lambda: goldens.update_turn(
            turn=GoldTurn.objects.get(pk=turn.pk), body=body, seen=1, by=golden.annotator
        )

    results = all_at_once([save(number) for number in range(10)])
    winners = [result for result in results if isinstance(result, GoldTurn)]
    assert len(winners) == 1
    assert all(isinstance(result, StaleRevisionError) for result in results if result not in winners)
    turn.refresh_from_db()
    assert (turn.revision, turn.body) == (2, winners[0].body)
    assert Change.objects.filter(action="turn.saved").count() == 1


def test_saves_of_different_turns_do_not_disturb_each_other() -> None:
    golden = make_golden()
    goldens.load_body(golden, report_golden(), golden.annotator)

    def save(turn: GoldTurn) -> Callable[[], Any]:
        body = {**turn.body, "note": "kept"}
        return lambda: goldens.update_turn(turn=turn, body=body, seen=1, by=golden.annotator)

    results = all_at_once([save(turn) for turn in golden.turns.all()])
    assert all(isinstance(result, GoldTurn) for result in results), results
    assert all(turn.body["note"] == "kept" for turn in golden.turns.all())


def test_a_direct_start_cannot_go_beyond_the_overlap() -> None:
    project = make_project(overlap=2)
    conversation = make_conversation(make_dataset(project))
    people = [make_member(project, Role.ANNOTATOR) for _ in range(8)]
    results = all_at_once([partial(goldens.start, conversation, user) for user in people])
    assert sum(isinstance(result, Golden) for result in results) == 2
    assert sum(isinstance(result, assignments.NoPlaceLeftError) for result in results) == 6
    assert set(Assignment.objects.values_list("place", flat=True)) == {1, 2}
    assert Golden.objects.count() == 2


def test_one_person_who_starts_twice_at_once_has_one_golden() -> None:
    conversation = make_conversation()
    user = make_member(conversation.dataset.project)
    results = all_at_once([lambda: goldens.start(conversation, user) for _ in range(5)])
    assert {result.pk for result in results} == {Golden.objects.get().pk}
