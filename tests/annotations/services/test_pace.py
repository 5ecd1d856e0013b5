"""A person's own pace: medians of time at work, and nothing where too little is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from annotations.models import Change
from annotations.services import goldens
from annotations.services.pace import LEAST_TURNS, Deed, get_pace, pace_of, pace_words
from tests.factories import make_conversation, make_golden, make_member, make_trajectory

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def deeds_of(golden: str, *steps: tuple[float, str]) -> list[Deed]:
    """What was done in one golden, each so many seconds after the one before."""
    found = []
    at = START
    for seconds, turn in steps:
        at += timedelta(seconds=seconds)
        found.append(Deed(golden, turn, at))
    return found


class TestPaceOf:
    def test_time_before_a_save_is_spent_on_that_turn(self) -> None:
        deeds = deeds_of("a", (0, ""), *((10.0 * (n + 1), f"t{n}") for n in range(9)))
        pace = pace_of(deeds, finished=set())
        assert (pace.turn, pace.turn_count) == (timedelta(seconds=50), 9)
        assert pace.conversation is None

    def test_a_turn_saved_twice_is_one_turn_with_both_times(self) -> None:
        deeds = deeds_of("a", (0, ""), *((10.0, f"t{n % 8}") for n in range(16)))
        assert pace_of(deeds, finished=set()).turn == timedelta(seconds=20)

    def test_a_break_counts_for_nothing(self) -> None:
        deeds = deeds_of("a", (0, ""), (3 * 3600, "late"), *((10.0, f"t{n}") for n in range(8)))
        pace = pace_of(deeds, finished=set())
        assert (pace.turn, pace.turn_count) == (timedelta(seconds=10), 8)

    def test_the_way_from_one_conversation_to_the_next_is_no_work(self) -> None:
        deeds = [*deeds_of("a", (0, ""), (10, "t1")), *deeds_of("b", (60, ""), (5, "t1"))]
        assert pace_of(deeds, finished={"a"}).conversation_count == 1

    def test_conversations_count_once_they_are_handed_in(self) -> None:
        deeds = [deed for name in "abcd" for deed in deeds_of(name, (0, ""), (60, "t1"), (60, ""))]
        assert pace_of(deeds, finished={"a", "b"}).conversation is None
        assert pace_of(deeds, finished={"a", "b", "c"}).conversation == timedelta(minutes=2)

    @pytest.mark.parametrize("number", [0, 1, LEAST_TURNS - 1])
    def test_too_few_say_so(self, number: int) -> None:
        deeds = deeds_of("a", (0, ""), *((10.0, f"t{n}") for n in range(number)))
        pace = pace_of(deeds, finished=set())
        assert pace.turn is None
        assert pace_words(pace).startswith(f"no pace yet: {number} turn")


@pytest.mark.django_db
class TestGetPace:
    def test_reads_ones_own_history_of_the_project_alone(self) -> None:
        conversation = make_conversation()
        project = conversation.dataset.project
        person, other = make_member(project), make_member(project)
        turns = {"turns": [{"response": f"reply {n}"} for n in range(10)]}
        golden = goldens.start(conversation, person, make_trajectory(conversation, body=turns), beyond_overlap=True)
        for turn in golden.turns.all():
            goldens.update_turn(turn=turn, body=turn.body, seen=1, by=person)
        for number, change in enumerate(Change.objects.filter(actor=person).order_by("pk")):
            Change.objects.filter(pk=change.pk).update(at=START + timedelta(seconds=30 * number))
        pace = get_pace(project, person)
        assert (pace.turn, pace.turn_count) == (timedelta(seconds=30), 10)
        assert pace_words(pace) == "your pace: 30 s a turn, no pace yet for whole conversations"
        assert get_pace(project, other).turn is None
        assert get_pace(make_golden().conversation.dataset.project, person).turn_count == 0

    def test_a_conversation_counts_from_its_start_to_its_submit(self) -> None:
        conversation = make_conversation()
        project = conversation.dataset.project
        person = make_member(project)
        for number in range(3):
            one = conversation if number == 0 else make_conversation(conversation.dataset)
            golden = goldens.start(one, person, make_trajectory(one), now=START)
            turn = golden.turns.filter(kind="response").first()
            assert turn is not None
            goldens.update_turn(turn=turn, body=turn.body, seen=1, by=person)
            goldens.submit(golden, person, now=START)
        for number, change in enumerate(Change.objects.filter(actor=person).order_by("pk")):
            Change.objects.filter(pk=change.pk).update(at=START + timedelta(seconds=40 * number))
        pace = get_pace(project, person)
        # Start, save, the place given back, submit: three steps of 40 seconds.
        assert (pace.conversation, pace.conversation_count) == (timedelta(seconds=120), 3)
