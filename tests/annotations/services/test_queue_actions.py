"""What managers do to the queue, and the one undo of each act."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotations.models import (
    Assignment,
    AssignmentState,
    Change,
    Conversation,
    GoldenStatus,
    Project,
    QueueAction,
    QueueActionKind,
    Role,
    User,
)
from annotations.services import assignments, goldens, projects, queue, queue_actions
from annotations.services.errors import NotAllowedNowError
from annotations.services.queue_actions import ActionRefusedError, Outcome
from evaluation.aem import language
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
)

NOW = timezone.now()
DAY = timedelta(days=1)


class Work:
    """A project with an owner, two annotators and some conversations, the oldest first."""

    def __init__(self, conversations: int = 3, *, overlap: int = 1) -> None:
        self.project = make_project(overlap=overlap)
        self.owner = make_member(self.project, Role.OWNER)
        self.ann, self.ben = (make_member(self.project) for _ in range(2))
        dataset = make_dataset(self.project)
        self.all = [make_conversation(dataset, key=f"c{number}") for number in range(conversations)]

    def act(self, kind: str, *numbers: int, by: User | None = None, now: Any = NOW, **options: Any) -> Outcome:
        chosen = Conversation.objects.filter(pk__in=[self.all[number].pk for number in numbers])
        return queue_actions.perform(
            kind=kind, project=self.project, by=by or self.owner, chosen=chosen, now=now, **options
        )

    def take(self, user: User, now: Any = NOW) -> str | None:
        """The key of the conversation that this person gets next."""
        assignment = assignments.claim_next(self.project, user, now)
        return None if assignment is None else assignment.conversation.key

    def own(self, number: int, user: User) -> Assignment:
        found = assignments.find(self.all[number], user)
        assert found is not None
        return found


def undo(outcome: Outcome, by: User, now: Any = NOW) -> Outcome:
    assert outcome.action is not None
    return queue_actions.undo(action=outcome.action, by=by, now=now)


@pytest.mark.django_db
class TestOrderOfHandOut:
    def test_assigned_then_priority_then_the_oldest(self) -> None:
        work = Work(6)
        work.act("priority", 4, priority=10)
        work.act("priority", 0, priority=-10)
        work.act("priority", 3, priority=11)
        work.act("assign", 5, people=[work.ann])
        assert [work.take(work.ann) for _ in range(7)] == ["c5", "c3", "c4", "c1", "c2", "c0", None]

    def test_why_this_one_is_said(self) -> None:
        work = Work(4)
        work.act("priority", 1, priority=10)
        work.act("priority", 3, priority=-5)
        work.act("assign", 2, people=[work.ann], due_at=NOW + DAY)
        said = []
        for _ in range(4):
            seen = assignments.find_next(work.project, work.ann, NOW)
            found = assignments.take_next(work.project, work.ann, NOW)
            assert found is not None
            assert seen is not None
            assert (seen.conversation, seen.why) == (found.conversation, found.why)
            said.append((found.conversation.key, found.why))
        assert [key for key, _ in said] == ["c2", "c1", "c0", "c3"]
        assert "assigned to you, until" in said[0][1]
        assert "priority is high" in said[1][1]
        assert "longest" in said[2][1]
        assert "priority is -5" in said[3][1]
        assert assignments.take_next(work.project, work.ann, NOW) is None

    def test_ones_own_returned_work_comes_first_and_something_new_can_be_asked_for(self) -> None:
        work = Work(3)
        work.act("assign", 2, people=[work.ann])
        golden = goldens.start(work.all[1], work.ann, now=NOW)
        goldens.add_turn(golden=golden, body={"response": "Yes."}, by=work.ann)
        goldens.submit(golden, work.ann, now=NOW)
        goldens.return_(golden, work.owner, "More, please.")
        found = assignments.take_next(work.project, work.ann, NOW)
        assert found is not None
        assert found.golden == golden
        assert "returned to you" in found.why
        new = assignments.take_next(work.project, work.ann, NOW, with_returned=False)
        assert new is not None
        assert new.conversation.key == "c2"
        other = assignments.take_next(work.project, work.ben, NOW)
        assert other is not None
        assert other.golden is None


@pytest.mark.django_db
class TestAssigned:
    def test_is_handed_to_nobody_else_and_its_place_counts(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann])
        assert work.take(work.ben) is None
        with pytest.raises(assignments.NoPlaceLeftError):
            assignments.claim(work.all[0], work.ben, NOW)
        assert work.take(work.ann) == "c0"
        assert work.own(0, work.ann).place == 1

    def test_with_overlap_two_one_place_is_kept_and_the_other_is_open(self) -> None:
        work = Work(1, overlap=2)
        work.act("assign", 0, people=[work.ann])
        assert work.take(work.ben) == "c0"
        assert work.take(make_member(work.project)) is None
        assert work.take(work.ann) == "c0"
        assert set(Assignment.objects.values_list("place", flat=True)) == {1, 2}

    def test_after_its_day_it_is_free_for_everybody(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann], due_at=NOW + DAY)
        assert work.take(work.ben, NOW + DAY - timedelta(seconds=1)) is None
        assert work.take(work.ben, NOW + DAY) == "c0"
        assert work.own(0, work.ann).state == AssignmentState.RELEASED
        assert work.take(work.ann, NOW + DAY) is None

    def test_late_and_not_given_to_others_it_is_still_theirs(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann], due_at=NOW + DAY)
        assert assignments.claim(work.all[0], work.ann, NOW + 2 * DAY).state == AssignmentState.CLAIMED

    def test_a_lease_that_runs_out_frees_nothing_while_the_place_is_kept(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann])
        assert work.take(work.ann) == "c0"
        late = NOW + 3 * DAY
        assert work.take(work.ben, late) is None
        assert work.take(work.ann, late) == "c0"

    def test_it_can_be_skipped_before_it_is_begun(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann])
        assignments.skip(work.all[0], work.ann, "not my field", NOW)
        own = work.own(0, work.ann)
        assert (own.state, own.place, own.assigned_at, own.due_at) == (AssignmentState.SKIPPED, None, None, None)
        assert work.take(work.ben) == "c0"

    def test_one_of_them_in_turn(self) -> None:
        work = Work(4)
        work.act("assign", 0, 1, 2, 3, people=[work.ann, work.ben])
        assert [work.take(work.ann) for _ in range(3)] == ["c0", "c2", None]
        assert [work.take(work.ben) for _ in range(3)] == ["c1", "c3", None]

    def test_in_turn_somebody_who_skipped_is_passed_over(self) -> None:
        work = Work(2)
        assignments.claim(work.all[0], work.ann, NOW)
        assignments.skip(work.all[0], work.ann, "no", NOW)
        work.act("assign", 0, 1, people=[work.ann, work.ben])
        assert work.own(0, work.ben).state == AssignmentState.RESERVED
        assert work.own(1, work.ann).state == AssignmentState.RESERVED

    def test_a_place_for_each_where_there_are_as_many(self) -> None:
        work = Work(2, overlap=2)
        assignments.claim(work.all[1], make_member(work.project), NOW)
        outcome = work.act("assign", 0, 1, people=[work.ann, work.ben], each=True)
        assert outcome.changed == 1
        assert outcome.refused == [{"id": work.all[1].pk, "title": "c1", "why": "it has 1 free place, not 2"}]
        assert {a.annotator for a in Assignment.objects.filter(conversation=work.all[0])} == {work.ann, work.ben}

    def test_who_has_it_in_work_keeps_it(self) -> None:
        work = Work(1)
        assignments.claim(work.all[0], work.ann, NOW)
        outcome = work.act("assign", 0, people=[work.ben])
        assert outcome.action is None
        assert outcome.refused[0]["why"] == "its places are taken"
        work.act("assign", 0, people=[work.ann])
        assert work.own(0, work.ann).state == AssignmentState.CLAIMED
        assert work.take(work.ben, NOW + DAY) is None

    def test_what_came_with_a_golden_waits_for_whom_it_is_assigned_to_only(self) -> None:
        work = Work(1, overlap=2)
        make_golden_record(work.all[0])
        assert work.take(work.ann) is None
        work.act("assign", 0, people=[work.ann])
        assert work.take(work.ben) is None
        assert work.take(work.ann) == "c0"

    def test_who_has_written_it_elsewhere_is_not_asked_again(self) -> None:
        work = Work(1, overlap=2)
        make_golden(work.all[0], annotator=work.ann, status=GoldenStatus.SUBMITTED)
        assert work.act("assign", 0, people=[work.ann]).refused[0]["why"] == f"{work.ann} has done it"
        assert work.act("assign", 0, people=[work.ann, work.ben]).changed == 1
        assert work.take(work.ann) is None
        assert work.take(work.ben) == "c0"

    def test_only_to_those_who_annotate_here(self) -> None:
        work = Work(1)
        for stranger in (make_member(work.project, Role.ENGINEER), make_member(make_project())):
            with pytest.raises(ActionRefusedError, match="Not an annotator"):
                work.act("assign", 0, people=[stranger])
        with pytest.raises(ActionRefusedError, match="at least one person"):
            work.act("assign", 0)
        with pytest.raises(ActionRefusedError, match="passed already"):
            work.act("assign", 0, people=[work.ann], due_at=NOW)
        assert not Assignment.objects.exists()

    def test_who_leaves_keeps_no_place(self) -> None:
        work = Work(2)
        work.act("assign", 0, people=[work.ann])
        work.act("assign", 1, people=[work.ben])
        membership = work.project.memberships.get(user=work.ann)
        projects.remove_member(membership=membership, by=work.owner)
        other = work.project.memberships.get(user=work.ben)
        projects.change_role(membership=other, role=Role.ENGINEER, by=work.owner)
        assert [work.take(work.owner) for _ in range(2)] == ["c0", "c1"]

    def test_unassigning_frees_what_was_not_begun_and_leaves_the_rest_its_lease(self) -> None:
        work = Work(2)
        work.act("assign", 0, 1, people=[work.ann])
        assert work.take(work.ann) == "c0"
        assert work.act("unassign", 0, 1, people=[work.ben]).changed == 0
        assert work.act("unassign", 0, 1).changed == 2
        assert work.take(work.ben) == "c1"
        assert work.take(work.ben) is None
        assert work.take(work.ben, NOW + DAY) == "c0"


@pytest.mark.django_db
class TestSetAside:
    def test_nobody_new_begins_it_and_who_has_it_may_finish(self) -> None:
        work = Work(2, overlap=2)
        golden = goldens.start(work.all[0], work.ann, now=NOW)
        goldens.add_turn(golden=golden, body={"response": "Yes."}, by=work.ann)
        work.act("set_aside", 0, reason="The policy is being rewritten.")
        assert work.take(work.ben) == "c1"
        assert work.take(work.ben) is None
        with pytest.raises(assignments.SetAsideError):
            goldens.start(work.all[0], work.ben, now=NOW)
        assert assignments.renew(work.all[0], work.ann, NOW) is not None
        goldens.submit(golden, work.ann, now=NOW)
        assert work.own(0, work.ann).state == AssignmentState.DONE
        work.act("bring_back", 0)
        assert work.take(work.ben) == "c0"

    def test_needs_a_reason(self) -> None:
        work = Work(1)
        with pytest.raises(ActionRefusedError, match="Say why"):
            work.act("set_aside", 0, reason="  ")
        with pytest.raises(ActionRefusedError, match="501 characters"):
            work.act("set_aside", 0, reason="x" * 501)

    def test_nothing_is_assigned_of_it(self) -> None:
        work = Work(1)
        work.act("set_aside", 0, reason="later")
        assert work.act("assign", 0, people=[work.ann]).refused[0]["why"] == "it is set aside: bring it back first"


@pytest.mark.django_db
class TestReleaseAndGiveBack:
    def test_a_lease_taken_back_is_free_at_once_and_an_open_page_does_not_take_it_again(self) -> None:
        work = Work(1)
        golden = goldens.start(work.all[0], work.ann, now=NOW)
        work.act("release", 0)
        with pytest.raises(assignments.ReleasedError, match="taken back"):
            assignments.renew(work.all[0], work.ann, NOW)
        assert golden.turns.count() == 0
        assert work.take(work.ben) == "c0"
        with pytest.raises(assignments.NoPlaceLeftError):
            assignments.claim(work.all[0], work.ann, NOW)

    def test_its_person_may_take_it_up_while_a_place_is_free(self) -> None:
        work = Work(1)
        assignments.claim(work.all[0], work.ann, NOW)
        work.act("release", 0, people=[work.ann])
        assert assignments.claim(work.all[0], work.ann, NOW).state == AssignmentState.CLAIMED

    def test_what_somebody_skipped_is_offered_to_them_again(self) -> None:
        work = Work(1)
        work.take(work.ann)
        assignments.skip(work.all[0], work.ann, "tired", NOW)
        assert work.take(work.ann) is None
        assert [(r.text, r.count) for r in queue.skip_reasons(work.project)] == [("tired", 1)]
        outcome = work.act("give_back", 0)
        assert queue.skip_reasons(work.project) == []
        undo(outcome, work.owner)
        assert work.own(0, work.ann).reason == "tired"
        work.act("give_back", 0)
        assert work.take(work.ann) == "c0"


@pytest.mark.django_db
class TestUndo:
    def test_takes_back_everything_at_once_and_only_once(self) -> None:
        work = Work(3)
        work.act("priority", 1, priority=-10)
        outcome = work.act("priority", 0, 1, 2, priority=10)
        assert (outcome.changed, outcome.unchanged) == (3, 0)
        undo(outcome, work.owner)
        assert list(Conversation.objects.order_by("pk").values_list("priority", flat=True)) == [0, -10, 0]
        with pytest.raises(NotAllowedNowError, match="undone already"):
            undo(outcome, work.owner)
        last = QueueAction.objects.get(kind=QueueActionKind.UNDO)
        with pytest.raises(NotAllowedNowError, match="was an undo"):
            queue_actions.undo(action=last, by=work.owner, now=NOW)

    def test_what_changed_since_stays_and_is_named_with_the_reason(self) -> None:
        work = Work(3)
        carla = make_member(work.project, Role.OWNER)
        outcome = work.act("priority", 0, 1, 2, priority=10)
        work.act("priority", 1, priority=5, by=carla)
        work.act("priority", 1, priority=10, by=carla)  # the same value again is still a later decision of hers
        undone = undo(outcome, work.owner)
        assert undone.changed == 2
        assert [entry["title"] for entry in undone.refused] == ["c1"]
        assert f"{carla} changed it since" in undone.refused[0]["why"]
        assert list(Conversation.objects.order_by("pk").values_list("priority", flat=True)) == [0, 10, 0]

    def test_refused_whole_where_all_changed_and_it_can_be_tried_again(self) -> None:
        work = Work(1)
        outcome = work.act("assign", 0, people=[work.ann])
        work.take(work.ann)
        with pytest.raises(NotAllowedNowError, match=f"c0: {work.ann} has begun it since"):
            undo(outcome, work.owner)
        assert work.own(0, work.ann).state == AssignmentState.CLAIMED
        assert not QueueAction.objects.filter(kind=QueueActionKind.UNDO).exists()

    def test_of_an_assignment_leaves_no_trace_of_a_place(self) -> None:
        work = Work(2)
        outcome = work.act("assign", 0, 1, people=[work.ann, work.ben])
        undo(outcome, work.owner)
        assert not Assignment.objects.exists()
        assert work.take(work.ben) == "c0"

    def test_of_taking_a_lease_back_gives_it_back_while_the_place_is_free(self) -> None:
        work = Work(2)
        for number in (0, 1):
            assignments.claim(work.all[number], work.ann, NOW)
        outcome = work.act("release", 0, 1)
        assert work.take(work.ben) == "c0"
        undone = undo(outcome, work.owner)
        assert [entry["why"] for entry in undone.refused] == [f"the place is taken by {work.ben} now"]
        own = work.own(1, work.ann)
        assert (own.state, own.place, own.lease_until) == (AssignmentState.CLAIMED, 1, assignments.lease_end(NOW))

    def test_of_unassigning_keeps_the_place_again(self) -> None:
        work = Work(1)
        work.act("assign", 0, people=[work.ann], due_at=NOW + DAY)
        outcome = work.act("unassign", 0)
        undo(outcome, work.owner)
        own = work.own(0, work.ann)
        assert (own.state, own.due_at, own.assigned_by) == (AssignmentState.RESERVED, NOW + DAY, work.owner)
        assert work.take(work.ben) is None

    def test_of_setting_aside(self) -> None:
        work = Work(2)
        outcome = work.act("set_aside", 0, 1, reason="later")
        work.act("bring_back", 1)
        undone = undo(outcome, work.owner)
        assert [entry["title"] for entry in undone.refused] == ["c1"]
        brought = work.act("bring_back", 0)
        assert brought.unchanged == 1
        again = work.act("set_aside", 0, reason="really")
        back = work.act("bring_back", 0)
        undo(back, work.owner)
        conversation = Conversation.objects.get(pk=work.all[0].pk)
        assert (conversation.set_aside_reason, conversation.set_aside_by) == ("really", work.owner)
        with pytest.raises(NotAllowedNowError, match="changed it since"):
            undo(again, work.owner)

    def test_everything_is_in_the_history(self) -> None:
        work = Work(2)
        outcome = work.act("priority", 0, 1, priority=7)
        undo(outcome, work.owner)
        said = Change.objects.filter(action__startswith="queue.").order_by("pk")
        assert [(change.action, change.after["conversations"]) for change in said] == [
            ("queue.priority", 2),
            ("queue.undo", 2),
        ]
        assert said[0].after["words"] == "Priority set to 7"

    def test_nothing_to_change_leaves_no_act(self) -> None:
        work = Work(2)
        outcome = work.act("priority", 0, 1, priority=0)
        assert (outcome.action, outcome.unchanged) == (None, 2)
        assert not QueueAction.objects.exists()

    def test_of_another_project_nothing_is_touched(self) -> None:
        work, other = Work(1), Work(1)
        outcome = queue_actions.set_priority(
            project=work.project, by=work.owner, chosen=Conversation.objects.all(), priority=9, now=NOW
        )
        assert outcome.changed == 1
        other.all[0].refresh_from_db()
        assert other.all[0].priority == 0


@pytest.mark.parametrize(
    ("text", "number"), [("high", 10), (" Low ", -10), ("7", 7), ("-99", -99), ("+3", 3), ("", None)]
)
def test_priorities_are_words_or_numbers(text: str, number: int | None) -> None:
    assert queue_actions.read_priority(text) == number


@pytest.mark.parametrize("text", ["100", "urgent", "1.5", "--1", "٣", "+-1"])
def test_other_priorities_are_refused(text: str) -> None:
    with pytest.raises(ActionRefusedError):
        queue_actions.read_priority(text)


@pytest.mark.django_db
class TestOverlap:
    def change(self, work: Work, overlap: int) -> str:
        project = Project.objects.get(pk=work.project.pk)
        before = project.overlap
        work.project = projects.update_project(
            project=project,
            by=work.owner,
            seen_revision=project.revision,
            name="P",
            description="",
            is_blind=True,
            overlap=overlap,
            now=NOW,
        )
        return queue.effect_of_overlap(work.project, before, NOW)

    def test_more_people_let_what_was_full_wait_again(self) -> None:
        work = Work(2)
        work.take(work.ann)
        assert "1 conversation that had all its people waits again" in self.change(work, 2)
        work.all = list(Conversation.objects.order_by("pk"))
        assert work.take(work.ben) == "c0"
        assert work.own(0, work.ben).place == 2

    def test_fewer_people_interrupt_nobody_and_free_what_was_not_begun(self) -> None:
        work = Work(3, overlap=2)
        assignments.claim(work.all[0], work.ann, NOW)
        assignments.claim(work.all[0], work.ben, NOW)
        assignments.claim(work.all[1], work.ann, NOW)
        work.act("assign", 1, 2, people=[work.ben])
        said = self.change(work, 1)
        assert "1 conversation has more, in work or done, and that work stays" in said
        assert work.own(0, work.ben).state == AssignmentState.CLAIMED
        assert work.own(1, work.ben).state == AssignmentState.RELEASED
        assert work.own(2, work.ben).state == AssignmentState.RESERVED
        assert work.take(make_member(work.project)) is None
        action = QueueAction.objects.get(kind=QueueActionKind.OVERLAP)
        assert action.row_count == 1
        with pytest.raises(NotAllowedNowError, match="the place is taken by"):
            queue_actions.undo(action=action, by=work.owner, now=NOW)

    def test_the_same_number_says_nothing(self) -> None:
        assert self.change(Work(1), 1) == ""


@pytest.mark.django_db
class TestList:
    def keys(self, work: Work, **asked: Any) -> list[str]:
        found = queue.matching(work.project, queue.Filters(**asked), NOW)
        return [conversation.key for conversation in queue.ordered(found, "")]

    def test_states_of_the_filter_are_those_that_the_rows_show(self) -> None:
        work = Work(9, overlap=2)
        for user in (work.ann, work.ben):
            golden = goldens.start(work.all[0], user, now=NOW)
            goldens.add_turn(golden=golden, body={"response": "Yes."}, by=user)
            goldens.submit(golden, user, now=NOW)
        goldens.accept(goldens.start(work.all[0], work.ben, now=NOW), work.owner)
        assignments.claim(work.all[1], work.ann, NOW)
        assignments.claim(work.all[2], work.ann, NOW - DAY)
        assignments.claim(work.all[3], work.ann, NOW)
        assignments.skip(work.all[3], work.ann, "no", NOW)
        work.act("assign", 4, people=[work.ann])
        work.act("assign", 5, people=[work.ann, work.ben], each=True)
        work.act("set_aside", 6, reason="later")
        make_golden_record(work.all[7])
        golden = goldens.start(work.all[8], work.ben, now=NOW)
        goldens.add_turn(golden=golden, body={"response": "Yes."}, by=work.ben)
        goldens.submit(golden, work.ben, now=NOW)
        goldens.return_(golden, work.owner, "more")
        rows = queue.rows_of(work.project, list(queue.matching(work.project, queue.Filters(), NOW)), NOW)
        for state in queue.STATES:
            shown = sorted(row.conversation.key for row in rows if state in row.states)
            assert sorted(self.keys(work, state=state)) == shown, state
        counted = queue.counts(work.project, NOW)
        assert counted == {
            "waiting": 5,
            "assigned": 2,
            "in_work": 1,
            "lapsed": 1,
            "begun": 1,
            "done": 1,
            "to_review": 1,
            "returned": 1,
            "accepted": 2,
            "skipped": 1,
            "set_aside": 1,
        }

    def test_filters_by_person_priority_language_dataset_and_reason(self) -> None:
        work = Work(3)
        spanish = make_conversation(make_dataset(work.project, slug="other"), key="es", language="es")
        work.act("priority", 1, priority=3)
        assignments.claim(work.all[0], work.ann, NOW)
        assignments.claim(work.all[2], work.ben, NOW)
        assignments.skip(work.all[2], work.ben, "no", NOW)
        assert self.keys(work, person=work.ann.pk) == ["c0"]
        assert self.keys(work, person=work.ann.pk, state="skipped") == []
        assert self.keys(work, person=work.ben.pk, state="skipped") == ["c2"]
        assert self.keys(work, priority="high") == ["c1"]
        assert self.keys(work, priority="3") == ["c1"]
        assert self.keys(work, priority="low") == []
        assert self.keys(work, language="es") == [spanish.key]
        assert self.keys(work, dataset="other") == [spanish.key]
        assert self.keys(work, reason="no") == ["c2"]

    def test_search_finds_title_key_goal_and_first_user_message(self) -> None:
        work = Work(1)
        dataset = work.project.datasets.get()
        make_conversation(dataset, key="k-77", title="A broken boiler", user_goal="Get it mended")
        body = {"turns": [{"user": 'Where is my "parcel"?'}, {"response": "On its way."}, {"user": "Thanks a lot"}]}
        make_trajectory(work.all[0], body=body)
        assert self.keys(work, q="BOILER") == ["k-77"]
        assert self.keys(work, q="k-7") == ["k-77"]
        assert self.keys(work, q="mended") == ["k-77"]
        assert self.keys(work, q='"parcel"') == ["c0"]
        assert self.keys(work, q="thanks") == []
        assert self.keys(work, q="100%") == []

    def test_names_of_those_who_wrote_without_a_place(self) -> None:
        work = Work(1)
        assignments.claim(work.all[0], work.ann, NOW)
        goldens.start(work.all[0], work.owner, now=NOW)
        (row,) = queue.rows_of(work.project, work.all, NOW)
        assert [(place.person, place.state) for place in row.places] == [(work.ann, "in_work"), (work.owner, "written")]


@pytest.mark.django_db(transaction=True)
def test_two_managers_and_twenty_annotators_at_once_keep_the_overlap_exact() -> None:
    """Assigning, releasing and claiming at one time: no place is held twice, and what is kept goes to its person."""
    if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
        pytest.skip("SQLite in memory has one connection")
    work = Work(30, overlap=2)
    people = [make_member(work.project) for _ in range(20)]
    second = make_member(work.project, Role.OWNER)
    barrier = threading.Barrier(22)
    failed: list[BaseException] = []

    def run(action: Callable[[], None]) -> None:
        try:
            barrier.wait(timeout=30)
            action()
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    def assign(by: User, kept_for: list[User]) -> None:
        numbers = range(0, 30, 2)
        outcome = work.act("assign", *numbers, by=by, people=kept_for)
        if outcome.action is not None:
            queue_actions.undo(action=outcome.action, by=by, now=NOW)
        work.act("assign", *numbers, by=by, people=kept_for)

    def take_three(user: User) -> None:
        for _ in range(3):
            work.take(user)

    actions = [partial(take_three, user) for user in people]
    actions += [partial(assign, work.owner, [work.ann]), partial(assign, second, [work.ben])]
    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=90)
    assert [error for error in failed if not isinstance(error, NotAllowedNowError)] == []
    for conversation in work.all:
        held = [a for a in Assignment.objects.filter(conversation=conversation) if a.holds(NOW)]
        assert len(held) <= 2
        assert {a.place for a in held} <= {1, 2}
        for own in held:
            if own.state == AssignmentState.RESERVED:
                assert own.annotator in (work.ann, work.ben)
    kept = Assignment.objects.filter(state=AssignmentState.RESERVED).count()
    assert sum(work.take(user) is not None for user in (work.ann, work.ben) for _ in range(30)) >= kept
    assert not Assignment.objects.filter(state=AssignmentState.RESERVED).exists()


@pytest.fixture
def brackets() -> Iterator[None]:
    """A language in which every text stands in brackets."""
    before = language._translate
    language.use(lambda _context, one, many, n: f"[{one if many is None or n == 1 else many}]")
    yield
    language.use(before)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("Priority set to high", "[Priority set to [high]]"),
        ("Priority set to 7", "[Priority set to 7]"),
        ("Assigned to Ann", "[Assigned to Ann]"),
        (
            "Assigned to Ann, Ben and Cy, each of them, until 2026-12-01 10:00 UTC",
            "[Assigned to [Ann, Ben and Cy], each of them, until 2026-12-01 10:00 UTC]",
        ),
        (
            "Assigned to A, B, C, D and 3 more, to one of them in turn",
            "[Assigned to [A, B, C, D and 3 more], to one of them in turn]",
        ),
        ("Undone: Taken back from who had it in work (Ann)", "[Undone: [Taken back from who had it in work (Ann)]]"),
        (
            "Olga changed it since (Undone: Priority set to low)",
            "[Olga changed it since ([Undone: [Priority set to [low]]])]",
        ),
        ("it has 2 free places, not 3", "[it has 2 free places, not 3]"),
        ("Something older", "Something older"),
    ],
)
@pytest.mark.usefixtures("brackets")
def test_what_is_stored_is_told_in_the_language_of_the_reader(stored: str, said: str) -> None:
    assert queue_actions.told(stored) == said
