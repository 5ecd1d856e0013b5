"""Goldens as they are written: nothing lost, nothing half done, each change with its history."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import AssignmentState, Change, Golden, GoldenStatus, GoldTurn, Role
from annotations.services import assignments, goldens
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.services.gold_turns import GoldenRefusedError
from annotations.services.goldens import TurnRefusedError
from evaluation.formats import jsonio
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    report_golden,
)

pytestmark = pytest.mark.django_db


def make_loaded(**fields: Any) -> Golden:
    golden = make_golden(**fields)
    return goldens.load_body(golden, report_golden(), golden.annotator)


def turn_of(golden: Golden, key: str, path: str = "main") -> GoldTurn:
    return next(turn for turn in golden.turns.filter(path=path) if turn.key == key)


def bodies(golden: Golden) -> str:
    return jsonio.canonical(goldens.golden_body(golden))


class TestStart:
    def test_a_trajectory_gives_a_turn_for_each_of_its_turns(self) -> None:
        trajectory = make_trajectory()
        annotator = make_member(trajectory.conversation.dataset.project)

        golden = goldens.start(trajectory.conversation, annotator, trajectory)

        turns = list(golden.turns.all())
        assert [turn.kind for turn in turns] == ["user", "response", "user", "action", "action", "action", "response"]
        assert [turn.turn_no for turn in turns] == [None, 1, None, 2, 3, 4, 5]
        assert turns[3].body["params"] == {"metric": {"value": "revenue"}, "region": {"value": "EU"}}
        assert [turn.observed_index for turn in turns] == list(range(7))
        assert not any(turn.is_done for turn in turns)

    def test_it_takes_a_place_of_the_conversation(self) -> None:
        conversation = make_conversation()
        annotator = make_member(conversation.dataset.project)
        goldens.start(conversation, annotator)
        assert assignments.find(conversation, annotator).state == AssignmentState.CLAIMED  # type: ignore[union-attr]

        with pytest.raises(assignments.NoPlaceLeftError):
            goldens.start(conversation, make_member(conversation.dataset.project))
        assert Golden.objects.count() == 1

    def test_an_adjudicator_corrects_without_a_place(self) -> None:
        conversation = make_conversation()
        goldens.start(conversation, make_member(conversation.dataset.project))
        adjudicator = make_member(conversation.dataset.project, Role.ADJUDICATOR)
        assert goldens.start(conversation, adjudicator).annotator == adjudicator

    def test_twice_gives_the_same_golden(self) -> None:
        conversation = make_conversation()
        annotator = make_member(conversation.dataset.project)
        assert goldens.start(conversation, annotator) == goldens.start(conversation, annotator)

    def test_from_the_golden_in_force_keeps_all_of_it(self) -> None:
        conversation = make_conversation()
        body = {**report_golden(), "note": "kept", "forbidden": [{"tool": "mail"}]}
        body["paths"][0]["colour"] = "kept too"
        make_golden_record(conversation, golden=body, policy={"extra_writes": "fail"})
        golden = goldens.start(conversation, make_member(conversation.dataset.project), from_golden_in_force=True)
        golden.refresh_from_db()
        assert goldens.golden_body(golden) == body
        assert golden.policy == {"extra_writes": "fail"}

    @pytest.mark.parametrize("arguments", ["SELECT 1", '{"a":', ["x"], None])
    def test_arguments_that_are_no_object_expect_no_parameters(self, arguments: Any) -> None:
        trajectory = make_trajectory(body={"turns": [{"tool": "reports", "args": arguments}]})
        annotator = make_member(trajectory.conversation.dataset.project)
        golden = goldens.start(trajectory.conversation, annotator, trajectory)
        assert turn_of(golden, "g1").body["params"] == {}


class TestBody:
    def test_reads_back_as_it_was_loaded(self) -> None:
        body = report_golden()
        body["paths"].append({"id": "other", "turns": deepcopy(body["paths"][0]["turns"][1:])})
        body["outcome"] = [{"kind": "said", "contains": [Decimal("0.10"), 107505301260286111]}]
        body["paths"][0]["turns"][3]["unknown"] = {"kept": [1]}
        golden = make_golden()
        goldens.load_body(golden, body, golden.annotator)
        golden = Golden.objects.get(pk=golden.pk)
        assert jsonio.canonical(goldens.golden_body(golden)) == jsonio.canonical(body)

    def test_a_golden_that_cannot_be_read_changes_nothing(self) -> None:
        golden = make_loaded()
        before = bodies(golden)
        broken = report_golden()
        broken["paths"][0]["turns"][4]["params"]["data_id"]["ref"]["turn"] = "g9"
        with pytest.raises(GoldenRefusedError):
            goldens.load_body(golden, broken, golden.annotator)
        assert bodies(golden) == before


class TestUpdateTurn:
    def test_saves_under_the_next_revision_with_its_history(self) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g4")
        body = {**turn.body, "params": {"format": {"value": "html"}}}
        saved = goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=golden.annotator)
        assert (saved.revision, saved.is_done) == (turn.revision + 1, True)
        change = Change.objects.filter(scope=str(golden.pk)).first()
        assert change is not None
        assert change.before["turns"][str(turn.pk)]["body"]["params"] == {"format": {"value": "pdf"}}
        assert change.after["turns"][str(turn.pk)]["body"]["params"] == {"format": {"value": "html"}}

    def test_a_stale_save_changes_nothing_and_tells_the_other_version(self) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g1")
        goldens.update_turn(turn=turn, body={**turn.body, "response": "A"}, seen=1, by=golden.annotator)
        with pytest.raises(StaleRevisionError) as refused:
            goldens.update_turn(turn=turn, body={**turn.body, "response": "B"}, seen=1, by=golden.annotator)
        assert refused.value.current.body["response"] == "A"
        assert turn_of(golden, "g1").body["response"] == "A"

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"params": {"format": {"value": 1, "values": [2]}}}, "params"),
            ({"depends_on": ["g5"]}, "depends_on"),
            ({"weight": -1}, "weight"),
            ({"id": "other"}, "id"),
        ],
    )
    def test_what_the_engine_cannot_read_is_refused_with_its_field(self, change: Any, field: str) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g4")
        with pytest.raises(TurnRefusedError) as refused:
            goldens.update_turn(turn=turn, body={**turn.body, **change}, seen=1, by=golden.annotator)
        assert field in refused.value.field or field in str(refused.value)
        assert turn_of(golden, "g4").revision == 1

    def test_a_problem_of_another_turn_does_not_stop_this_one(self) -> None:
        golden = make_loaded()
        GoldTurn.objects.filter(pk=turn_of(golden, "g2").pk).update(body={"id": "g2", "tool": "reports", "weight": -1})
        turn = turn_of(golden, "g4")
        goldens.update_turn(turn=turn, body=turn.body, seen=1, by=golden.annotator)

    def test_what_was_submitted_is_changed_by_its_reviewer_only(self) -> None:
        golden = make_loaded()
        goldens.submit(golden, golden.annotator)
        turn = turn_of(golden, "g4")
        with pytest.raises(NotAllowedNowError):
            goldens.update_turn(turn=turn, body=turn.body, seen=1, by=golden.annotator)
        reviewer = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        goldens.update_turn(turn=turn, body=turn.body, seen=1, by=reviewer)


class TestStructure:
    def test_a_turn_is_added_behind_another(self) -> None:
        golden = make_loaded()
        new = goldens.add_turn(
            golden=golden, body={"response": "Anything else?"}, by=golden.annotator, after=turn_of(golden, "g1")
        )
        assert (new.turn_no, new.position, new.key) == (2, 2, "g6")
        assert [turn.turn_no for turn in golden.turns.all()] == [None, 1, 2, None, 3, 4, 5, 6]

    def test_a_turn_that_others_name_stays(self) -> None:
        golden = make_loaded()
        with pytest.raises(NotAllowedNowError, match="turn 3 "):
            goldens.remove_turn(turn=turn_of(golden, "g2"), by=golden.annotator)

    def test_a_turn_is_removed(self) -> None:
        golden = make_loaded()
        goldens.remove_turn(turn=turn_of(golden, "g1"), by=golden.annotator)
        assert [turn.position for turn in golden.turns.all()] == list(range(6))
        assert [turn.turn_no for turn in golden.turns.all()] == [None, None, 1, 2, 3, 4]

    def test_a_turn_does_not_move_before_what_it_comes_from(self) -> None:
        golden = make_loaded()
        goldens.move_turn(turn=turn_of(golden, "g5"), by=golden.annotator, places=-1)
        assert [turn.key for turn in golden.turns.all()] == ["u1", "g1", "u2", "g2", "g3", "g5", "g4"]
        with pytest.raises(NotAllowedNowError):
            goldens.move_turn(turn=turn_of(golden, "g5"), by=golden.annotator, places=-1)

    def test_paths_are_copied_renamed_and_removed(self) -> None:
        golden = make_loaded()
        goldens.add_path(golden=golden, name="by mail", copy_of="main", by=golden.annotator)
        goldens.rename_path(golden=golden, path="by mail", name="post", by=golden.annotator)
        assert [path["id"] for path in goldens.golden_body(golden)["paths"]] == ["main", "post"]
        with pytest.raises(WorkbenchError, match="already"):
            goldens.rename_path(golden=golden, path="post", name="main", by=golden.annotator)
        goldens.remove_path(golden=golden, path="main", by=golden.annotator)
        with pytest.raises(NotAllowedNowError):
            goldens.remove_path(golden=golden, path="post", by=golden.annotator)

    def test_lookups_become_optional_at_once(self) -> None:
        golden = make_loaded()
        assert goldens.relax_lookups(golden=golden, by=golden.annotator) == 3
        assert turn_of(golden, "g2").body["optional"] is True


class TestUndo:
    def test_twenty_changes_of_all_kinds_are_taken_back_one_by_one(self) -> None:
        golden = make_loaded()
        by = golden.annotator
        states = [bodies(golden)]

        def note() -> None:
            states.append(bodies(Golden.objects.get(pk=golden.pk)))

        for number in range(12):
            turn = turn_of(golden, "g1")
            goldens.update_turn(
                turn=turn, body={**turn.body, "response": f"version {number}"}, seen=turn.revision, by=by
            )
            note()
        goldens.add_turn(golden=golden, body={"response": "Hello"}, by=by, at_start=True)
        note()
        goldens.move_turn(turn=turn_of(golden, "g5"), by=by, places=-1)
        note()
        goldens.remove_turn(turn=turn_of(golden, "g4"), by=by)
        note()
        goldens.add_path(golden=golden, name="other", copy_of="main", by=by)
        note()
        goldens.rename_path(golden=golden, path="other", name="third", by=by)
        note()
        goldens.remove_path(golden=golden, path="main", by=by)
        note()
        fresh = Golden.objects.get(pk=golden.pk)
        goldens.update_whole(golden=fresh, seen=fresh.revision, by=by, forbidden=[{"tool": "mail"}])
        note()
        goldens.relax_lookups(golden=golden, by=by)
        note()
        assert len(states) == 21
        for state in reversed(states[:-1]):
            goldens.undo(golden=golden, by=by)
            assert bodies(Golden.objects.get(pk=golden.pk)) == state

    def test_nothing_left_is_said(self) -> None:
        golden = make_golden()
        with pytest.raises(goldens.NothingToUndoError):
            goldens.undo(golden=golden, by=golden.annotator)

    def test_it_never_loses_what_somebody_else_wrote(self) -> None:
        golden = make_loaded()
        owner = make_member(golden.conversation.dataset.project, Role.OWNER)
        turn = turn_of(golden, "g1")
        goldens.update_turn(turn=turn, body={**turn.body, "response": "A"}, seen=1, by=golden.annotator)
        goldens.update_turn(turn=turn, body={**turn.body, "response": "B"}, seen=2, by=owner)
        with pytest.raises(NotAllowedNowError, match="changed this since"):
            goldens.undo(golden=golden, by=golden.annotator)
        assert turn_of(golden, "g1").body["response"] == "B"

    def test_a_turn_that_somebody_added_since_is_in_the_way(self) -> None:
        golden = make_loaded()
        owner = make_member(golden.conversation.dataset.project, Role.OWNER)
        goldens.remove_turn(turn=turn_of(golden, "g1"), by=golden.annotator)
        goldens.add_turn(golden=golden, body={"response": "Hello"}, by=owner)
        before = bodies(golden)
        with pytest.raises(NotAllowedNowError, match="changed this since"):
            goldens.undo(golden=golden, by=golden.annotator)
        assert bodies(golden) == before


class TestReview:
    def test_submit_names_the_turn_that_cannot_be_read(self) -> None:
        golden = make_loaded()
        turn = turn_of(golden, "g3")
        GoldTurn.objects.filter(pk=turn.pk).update(body={**turn.body, "depends_on": ["g5"]})
        with pytest.raises(GoldenRefusedError) as refused:
            goldens.submit(golden, golden.annotator)
        assert refused.value.turn == turn
        assert str(refused.value).startswith("Turn 3")
        assert Golden.objects.get(pk=golden.pk).status == GoldenStatus.DRAFT

    def test_an_empty_golden_is_not_submitted(self) -> None:
        golden = make_golden()
        with pytest.raises(GoldenRefusedError):
            goldens.submit(golden, golden.annotator)

    def test_accepting_puts_it_in_force(self) -> None:
        golden = make_loaded()
        goldens.submit(golden, golden.annotator)
        adjudicator = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        record = goldens.accept(golden, adjudicator)
        golden.refresh_from_db()
        golden.conversation.refresh_from_db()
        assert golden.status == GoldenStatus.ACCEPTED
        assert golden.conversation.golden_record == record
        assert record.body["golden"] == report_golden()

    def test_nobody_accepts_their_own_but_an_owner(self) -> None:
        project = make_project()
        for role, allowed in ((Role.ADJUDICATOR, False), (Role.OWNER, True)):
            golden = make_loaded(
                conversation=make_conversation(make_dataset(project)), annotator=make_member(project, role)
            )
            goldens.submit(golden, golden.annotator)
            if allowed:
                goldens.accept(golden, golden.annotator)
            else:
                with pytest.raises(NotAllowedNowError, match="Somebody else"):
                    goldens.accept(golden, golden.annotator)

    def test_a_returned_golden_is_open_again_with_the_comment(self) -> None:
        golden = make_loaded()
        goldens.submit(golden, golden.annotator)
        adjudicator = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        with pytest.raises(WorkbenchError):
            goldens.return_(golden, adjudicator, "  ")
        golden = goldens.return_(golden, adjudicator, "Turn 2 also takes Europe.")
        assert golden.is_open
        assert golden.review_comment == "Turn 2 also takes Europe."

    def test_after_the_lease_somebody_else_has_the_place_and_the_draft_stays(self) -> None:
        conversation = make_conversation()
        project = conversation.dataset.project
        first, second = make_member(project), make_member(project)
        now = timezone.now()
        golden = goldens.start(conversation, first, now=now)
        goldens.load_body(golden, report_golden(), first)
        later = assignments.lease_end(now) + timedelta(minutes=1)
        goldens.start(conversation, second, now=later)
        with pytest.raises(assignments.NoPlaceLeftError):
            goldens.submit(golden, first, now=later)
        assert goldens.golden_body(Golden.objects.get(pk=golden.pk)) == report_golden()
