"""Places of a conversation: never one too many, never lost, whoever asks and however many at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.models import Assignment, AssignmentState, Project, User
from annotations.services import assignments
from tests.factories import make_conversation, make_dataset, make_golden_record, make_member, make_project

NOW = timezone.now()


def make_work(*, conversations: int, overlap: int = 1) -> Project:
    project = make_project(overlap=overlap)
    dataset = make_dataset(project)
    for _ in range(conversations):
        make_conversation(dataset)
    return project


@pytest.mark.django_db
class TestClaimNext:
    def test_gives_each_conversation_once_and_then_none(self) -> None:
        project = make_work(conversations=2)
        ann, ben = make_member(project), make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        second = assignments.claim_next(project, ben, NOW)
        assert first is not None
        assert second is not None
        assert first.conversation != second.conversation
        assert assignments.claim_next(project, ann, NOW) is None

    def test_never_the_same_conversation_twice_to_one_person(self) -> None:
        project = make_work(conversations=1, overlap=2)
        ann = make_member(project)
        assert assignments.claim_next(project, ann, NOW) is not None
        assert assignments.claim_next(project, ann, NOW) is None

    def test_keeps_to_dataset_and_language(self) -> None:
        project = make_work(conversations=1)
        spanish = make_conversation(make_dataset(project), language="es")
        ann = make_member(project)
        found = assignments.claim_next(project, ann, NOW, language="es")
        assert found is not None
        assert found.conversation == spanish
        assert assignments.claim_next(project, ann, NOW, dataset=spanish.dataset) is None

    def test_what_came_with_a_golden_does_not_wait(self) -> None:
        project = make_work(conversations=1)
        make_golden_record(project.datasets.get().conversations.get())
        assert assignments.claim_next(project, make_member(project), NOW) is None

    def test_a_second_annotator_is_still_asked_when_the_first_one_was_accepted(self) -> None:
        project = make_work(conversations=1, overlap=2)
        assignments.claim_next(project, make_member(project), NOW)
        make_golden_record(project.datasets.get().conversations.get())
        assert assignments.claim_next(project, make_member(project), NOW) is not None


@pytest.mark.django_db
class TestLease:
    def test_lapses_to_somebody_else(self) -> None:
        project = make_work(conversations=1)
        ann, ben = make_member(project), make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        assert assignments.claim_next(project, ben, first.lease_until - timedelta(seconds=1)) is None
        second = assignments.claim_next(project, ben, first.lease_until)
        assert second is not None
        assert second.place == 1
        first.refresh_from_db()
        assert (first.state, first.place) == (AssignmentState.LAPSED, None)

    def test_is_prolonged_by_work(self) -> None:
        project = make_work(conversations=1)
        ann, ben = make_member(project), make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        assignments.renew(first.conversation, ann, first.lease_until - timedelta(minutes=1))
        assert assignments.claim_next(project, ben, first.lease_until) is None

    def test_a_save_soon_after_the_last_one_need_not_write_it(self) -> None:
        project = make_work(conversations=1)
        ann = make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        renewed = assignments.renew(first.conversation, ann, NOW + timedelta(minutes=1))
        assert renewed is not None
        assert renewed.lease_until == first.lease_until

    def test_late_but_not_taken_is_still_theirs(self) -> None:
        project = make_work(conversations=1)
        ann = make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        late = first.lease_until + timedelta(days=1)
        renewed = assignments.renew(first.conversation, ann, late)
        assert renewed is not None
        assert renewed.lease_until > late

    def test_a_lapsed_one_is_taken_up_again_when_a_place_is_free(self) -> None:
        project = make_work(conversations=1)
        ann, ben = make_member(project), make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        later = first.lease_until + timedelta(minutes=1)
        taken = assignments.claim_next(project, ben, later)
        assert taken is not None
        with pytest.raises(assignments.NoPlaceLeftError):
            assignments.renew(first.conversation, ann, later)
        assignments.skip(taken.conversation, ben, "not my field", later)
        assert assignments.claim_next(project, ben, later) is None
        again = assignments.claim_next(project, ann, later)
        assert again is not None
        assert again.pk == first.pk

    def test_what_is_done_stays_taken(self) -> None:
        project = make_work(conversations=1)
        ann = make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        assignments.finish(first.conversation, ann, NOW)
        assert assignments.claim_next(project, make_member(project), NOW + timedelta(days=9)) is None


@pytest.mark.django_db
class TestSkip:
    def test_needs_a_reason(self) -> None:
        project = make_work(conversations=1)
        ann = make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        with pytest.raises(assignments.ReasonMissingError):
            assignments.skip(first.conversation, ann, "  ", NOW)
        skipped = assignments.skip(first.conversation, ann, "I do not speak Polish", NOW)
        assert (skipped.state, skipped.reason) == (AssignmentState.SKIPPED, "I do not speak Polish")

    def test_one_who_skipped_is_not_asked_again_but_may_take_it_up(self) -> None:
        project = make_work(conversations=1)
        ann = make_member(project)
        first = assignments.claim_next(project, ann, NOW)
        assert first is not None
        assignments.skip(first.conversation, ann, "later", NOW)
        assert assignments.claim_next(project, ann, NOW) is None
        assert assignments.claim(first.conversation, ann, NOW).state == AssignmentState.CLAIMED


@pytest.mark.django_db
def test_the_database_itself_refuses_one_too_many() -> None:
    project = make_work(conversations=1)
    first = assignments.claim_next(project, make_member(project), NOW)
    assert first is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            conversation=first.conversation, annotator=make_member(project), place=1, lease_until=NOW
        )


def press_next_at_once(project: Project, people: list[User], now: datetime, *, times: int) -> list[Assignment]:
    """Each person presses "next" so many times, all starting at the same instant, on connections of their own."""
    barrier = threading.Barrier(len(people))
    got: list[Assignment] = []
    failed: list[BaseException] = []

    def press(user: User) -> None:
        try:
            barrier.wait(timeout=30)
            for _ in range(times):
                assignment = assignments.claim_next(project, user, now)
                if assignment is not None:
                    got.append(assignment)
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=press, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failed == []
    return got


@pytest.mark.django_db(transaction=True)
class TestTwentyAtOnce:
    """On PostgreSQL and on SQLite in a file; the figures are printed at the end."""

    @pytest.fixture(autouse=True)
    def _in_a_file(self) -> None:
        if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
            pytest.skip("SQLite in memory has one connection; tests/annotations/conftest.py gives a file")

    def test_with_overlap_one_nobody_shares(self) -> None:
        project = make_work(conversations=30)
        people = [make_member(project) for _ in range(20)]
        got = press_next_at_once(project, people, NOW, times=1)
        assert len(got) == 20
        assert len({assignment.conversation_id for assignment in got}) == 20

    def test_with_overlap_two_each_ends_with_exactly_two_people(self, figure: Callable[[str], None]) -> None:
        project = make_work(conversations=30, overlap=2)
        people = [make_member(project) for _ in range(20)]
        started = timezone.now()
        press_next_at_once(project, people, NOW, times=4)
        seconds = (timezone.now() - started).total_seconds()
        figure(f"{connection.vendor}: 80 claims by 20 people at once in {seconds:.2f} s")
        held = Assignment.objects.filter(conversation__dataset__project=project)
        assert set(Counter(held.values_list("conversation_id", flat=True)).values()) == {2}
        assert held.count() == 60
        assert held.values("conversation_id", "annotator_id").distinct().count() == 60

    def test_after_the_lease_twenty_people_share_what_came_free(self) -> None:
        project = make_work(conversations=3)
        gone = make_member(project)
        for _ in range(3):
            assignments.claim_next(project, gone, NOW)
        people = [make_member(project) for _ in range(20)]
        got = press_next_at_once(project, people, assignments.lease_end(NOW), times=1)
        assert len(got) == 3
        assert len({assignment.conversation_id for assignment in got}) == 3
        assert Assignment.objects.filter(annotator=gone, state=AssignmentState.LAPSED).count() == 3
