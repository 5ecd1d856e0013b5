"""What an adjudicator calls equal is known from then on, and what it touches is scored again."""

from typing import Any

import pytest

from annotations.models import Change, User
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.models import EvaluationRun, LessonKind, RunItem, TurnVerdict
from evaluation.services import lessons, policies, vocabularies
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_run,
    make_trajectory,
    score_run,
)

pytestmark = pytest.mark.django_db

GOLDEN: dict[str, Any] = {
    "paths": [
        {
            "id": "main",
            "turns": [
                {"id": "u1", "user": "Book it."},
                {
                    "id": "g1",
                    "tool": "book",
                    "params": {
                        "city": {"value": "New York City"},
                        "nights": {"value": 2},
                        "code": {"value": "A.*", "compare": "regex"},
                    },
                },
            ],
        }
    ]
}


def booked(city: Any, *, nights: Any = 2, code: str = "A1") -> dict[str, Any]:
    return {
        "turns": [
            {"user": "Book it."},
            {"tool": "book", "args": {"city": city, "nights": nights, "code": code}, "result": {"ok": True}},
        ]
    }


def booking_run(*bodies: dict[str, Any], scorer: str = "embedded") -> tuple[EvaluationRun, User]:
    """A finished run over two conversations with the same golden, and an adjudicator."""
    project = make_project()
    dataset = make_dataset(project)
    records = []
    for _ in range(2):
        conversation = make_conversation(dataset, language="en")
        records.append(make_golden_record(conversation, golden=GOLDEN))
        for number, body in enumerate(bodies):
            make_trajectory(conversation, trial=number, body=body)
    policy = policies.create(project=project, name="p", body={"scorer": scorer}, by=None)
    run = make_run(make_dataset_version(dataset, records=records), policy=policy)
    return run, make_member(project, "adjudicator")


def first(run: EvaluationRun, *, position: int = 1) -> tuple[RunItem, list[lessons.Pair]]:
    item = run.items.get(position=position)
    row = TurnVerdict.objects.get(verdict__item=item, turn_no=1)
    return item, lessons.pairs_of(item.golden_record.body["golden"]["paths"][0]["turns"][1], row.detail["items"])


def verdicts(run: EvaluationRun) -> list[bool | None]:
    rows = TurnVerdict.objects.filter(verdict__item__run=run).order_by("verdict__item__position", "turn_no")
    return [row.passed for row in rows]


PLACE: dict[str, Any] = {"path": "main", "turn_key": "g1"}


@pytest.mark.parametrize("scorer", ["exact", "embedded"])
def test_a_value_becomes_accepted_and_all_of_the_conversation_is_scored_again(scorer: str) -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("New York City"), booked("Gotham"), scorer=scorer)
    assert verdicts(run) == [False, True, False] * 2
    item, pairs = first(run)
    assert [(pair.field, pair.expected, pair.observed) for pair in pairs] == [
        ("city", "New York City", "the Big Smoke")
    ]
    lesson = lessons.accept_value(item=item, pair=pairs[0], by=carla, reason="People call it so.", **PLACE)
    conversation = item.trajectory.conversation
    conversation.refresh_from_db()
    made = conversation.golden_record
    assert made is not None
    assert made.body["golden"]["paths"][0]["turns"][1]["params"]["city"] == {
        "values": ["New York City", "the Big Smoke"]
    }
    assert (lesson.golden_record, lesson.golden_before) == (made, item.golden_record)

    again = score_run(lessons.score_again(lesson=lesson, by=carla))
    assert again.follows == run
    assert verdicts(again) == [True, True, False]
    assert {item.golden_record_id for item in again.items.all()} == {made.pk}
    assert [(one.item.trajectory.trial, one.is_other) for one in lessons.changes(again)] == [
        (0, True),
        (1, False),
        (2, False),
    ]
    assert verdicts(run) == [False, True, False] * 2
    with pytest.raises(NotAllowedNowError):
        lessons.score_again(lesson=lesson, by=carla)


@pytest.mark.parametrize("is_for_field", [True, False])
def test_a_pair_becomes_equal_in_the_project(is_for_field: bool) -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=is_for_field, **PLACE)
    entry = {"terms": ["New York City", "the Big Smoke"], **({"field": "city"} if is_for_field else {})}
    assert lesson.vocabulary is not None
    assert lesson.vocabulary.body == {"equal": [entry]}
    assert len(lessons.trajectories_of(lesson)) == 2  # of both conversations, and only those with this value
    again = score_run(lessons.score_again(lesson=lesson, by=carla))
    assert verdicts(again) == [True, True]
    assert again.vocabulary == lesson.vocabulary
    with pytest.raises(WorkbenchError, match="already"):
        lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=is_for_field, **PLACE)


def test_a_pair_becomes_different_in_the_project() -> None:
    run, carla = booking_run(booked("NYC"))
    assert verdicts(run) == [True, True]
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=False, is_for_field=True, **PLACE)
    assert verdicts(score_run(lessons.score_again(lesson=lesson, by=carla))) == [False, False]


def test_what_contradicts_another_entry_is_refused_and_changes_nothing() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    first_lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=False, **PLACE)
    with pytest.raises(vocabularies.VocabularyRefusedError):
        lessons.add_entry(item=item, pair=pair, by=carla, is_equal=False, is_for_field=False, **PLACE)
    assert vocabularies.latest(run.project) == first_lesson.vocabulary


def test_what_cannot_be_learned_says_why() -> None:
    run, carla = booking_run(booked("New York City", nights=3, code="B1"))
    item, pairs = first(run)
    by_field = {pair.field: pair for pair in pairs}
    assert by_field["nights"].no_entry == "Only texts can stand in the vocabulary."
    assert "regex" in by_field["code"].no_value
    with pytest.raises(lessons.NothingToLearnError, match="regex"):
        lessons.accept_value(item=item, pair=by_field["code"], by=carla, **PLACE)
    with pytest.raises(lessons.NothingToLearnError, match="texts"):
        lessons.add_entry(item=item, pair=by_field["nights"], by=carla, is_equal=True, is_for_field=True, **PLACE)
    lessons.accept_value(item=item, pair=by_field["nights"], by=carla, **PLACE)
    with pytest.raises(lessons.NothingToLearnError, match="already"):
        lessons.accept_value(item=item, pair=by_field["nights"], by=carla, **PLACE)


def test_a_turn_that_the_golden_in_force_no_longer_has() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    with pytest.raises(lessons.NothingToLearnError, match="city"):
        lessons.accept_value(item=item, pair=pair, by=carla, path="main", turn_key="g9")


def test_an_accepted_value_is_taken_back() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.accept_value(item=item, pair=pair, by=carla, **PLACE)
    lessons.take_back(lesson=lesson, by=carla)
    conversation = item.trajectory.conversation
    conversation.refresh_from_db()
    assert conversation.golden_record == item.golden_record
    with pytest.raises(NotAllowedNowError):
        lessons.take_back(lesson=lesson, by=carla)
    assert set(Change.objects.values_list("action", flat=True)) >= {"lesson.learned", "lesson.taken_back"}


def test_it_is_not_taken_back_over_another_golden() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.accept_value(item=item, pair=pair, by=carla, **PLACE)
    changed = {"paths": [{"id": "main", "turns": [*GOLDEN["paths"][0]["turns"][:1], {"id": "g1", "response": "x"}]}]}
    make_golden_record(item.trajectory.conversation, golden=changed)
    with pytest.raises(NotAllowedNowError, match="Another golden"):
        lessons.take_back(lesson=lesson, by=carla)


def test_an_entry_is_taken_back_and_others_stay() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    kept = {"equal": [{"terms": ["one", "uno"]}]}
    vocabularies.create(project=run.project, body=kept, by=None, seen_number=0)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    lessons.take_back(lesson=lesson, by=carla)
    newest = vocabularies.latest(run.project)
    assert newest is not None
    assert (newest.number, newest.body) == (3, kept)
    assert lesson.kind == LessonKind.EQUAL


def test_a_value_with_quotes_and_accents_is_found_again() -> None:
    run, carla = booking_run(booked('the "Bíg" \\ Smoke'))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    assert len(lessons.trajectories_of(lesson)) == 2


def test_values_are_found_as_the_vocabulary_matches_them() -> None:
    bodies = [booked("the Big Smóke"), booked("THE BIG SMOKE"), booked(["Paris", "the Big Smoke"]), booked("Gotham")]
    run, carla = booking_run(*bodies)
    item, (pair,) = first(run)
    assert lessons.reach_in(run, pair).trajectories == 2 * 3
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    again = score_run(lessons.score_again(lesson=lesson, by=carla))
    assert again.items.count() == 6
    assert verdicts(again) == [True, True, False] * 2


def test_an_entry_for_all_fields_touches_longer_texts_and_other_fields() -> None:
    run, _ = booking_run(booked("the Big Smoke"), booked("Hotel Gotham near the Big Smoke"))
    _, (pair,) = first(run)
    other = lessons.Pair("elsewhere", pair.expected, pair.observed, "", None)
    assert lessons.reach_in(run, other).trajectories == 0
    assert lessons.reach_in(run, other, is_for_field=False).trajectories == 2 * 2
    assert lessons.reach_in(run, pair).trajectories == 2


def test_a_number_is_found_exactly() -> None:
    run, _ = booking_run(booked("New York City", nights=3), booked("New York City", nights=33))
    _, (pair,) = first(run)
    reach = lessons.reach_in(run, pair)
    assert (pair.observed, reach.trajectories, reach.failed, reach.ambiguous) == (3, 2, 2, 0)


def test_of_two_accepted_values_the_first_is_taken_back() -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    (item, (smoke,)), (other, (gotham,)) = first(run), first(run, position=2)
    lesson = lessons.accept_value(item=item, pair=smoke, by=carla, **PLACE)
    lessons.accept_value(item=other, pair=gotham, by=carla, **PLACE)
    lessons.take_back(lesson=lesson, by=carla)
    conversation = item.trajectory.conversation
    conversation.refresh_from_db()
    assert conversation.golden_record is not None
    param = conversation.golden_record.body["golden"]["paths"][0]["turns"][1]["params"]["city"]
    assert param == {"values": ["New York City", "Gotham"]}


def test_blanks_at_the_ends_do_not_keep_an_entry_from_being_taken_back() -> None:
    run, carla = booking_run(booked(" the Big Smoke "))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    assert lesson.vocabulary is not None
    assert lesson.vocabulary.body["equal"][0]["terms"] == ["New York City", "the Big Smoke"]
    lessons.take_back(lesson=lesson, by=carla)
    newest = vocabularies.latest(run.project)
    assert newest is not None
    assert newest.body == {}


def test_what_was_taken_back_or_cannot_change_is_not_scored_again() -> None:
    run, carla = booking_run(booked("the Big Smoke"), scorer="exact")
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    with pytest.raises(WorkbenchError, match="compares exactly"):
        lessons.score_again(lesson=lesson, by=carla)
    lessons.take_back(lesson=lesson, by=carla)
    with pytest.raises(NotAllowedNowError, match="taken back"):
        lessons.score_again(lesson=lesson, by=carla)


def test_a_parameter_that_was_left_out_is_no_pair() -> None:
    body = booked("New York City")
    del body["turns"][1]["args"]["city"]
    run, _ = booking_run(body)
    assert first(run)[1] == []
