"""Drafts of several runs, and what becomes of their suggestions: saved, refused, undone, counted."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Conversation, Golden, GoldTurn, Role, Suggestion
from annotations.services import documents, goldens, prefills, suggestions
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from annotations.suggesting import Offer
from tests.factories import (
    make_conversation,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_run,
    make_trajectory,
)

pytestmark = pytest.mark.django_db

TOOLS: dict[str, Any] = {
    "find": {
        "effect": "read",
        "schema": {
            "properties": {"order": {"type": "string"}, "deep": {"type": "boolean"}},
            "required": ["order"],
        },
    },
    "pay": {"effect": "write", "schema": {"properties": {"to": {"type": "string"}}, "required": ["to"]}},
}


def run(note: str = "", *, looks: bool = True) -> dict[str, Any]:
    turns: list[dict[str, Any]] = [{"user": "Pay W1042"}]
    if looks:
        turns.append({"tool": "find", "args": {"order": "W1042", "deep": True}, "result": {"payment": "PAY-7"}})
    args = {"to": "PAY-7", "note": note} if note else {"to": "PAY-7"}
    return {"turns": [*turns, {"tool": "pay", "args": args, "result": {"ok": True}}, {"response": "Paid."}]}


def make_several(*bodies: dict[str, Any], rewards: tuple[int | None, ...] = (), **fields: Any) -> Conversation:
    conversation = make_conversation(tools=TOOLS, **fields)
    for number, body in enumerate(bodies):
        reward = rewards[number] if rewards else 1
        make_trajectory(conversation, body=body, trial=number, reward=reward, reward_as_given=reward)
    return conversation


def draft(conversation: Conversation, *, is_blinded: bool = False, role: str = Role.ANNOTATOR) -> Golden:
    annotator = make_member(conversation.dataset.project, role)
    now = conversation.created_at
    return goldens.start_for(conversation, annotator, is_blinded=is_blinded, now=now)


def turn_of(golden: Golden, tool: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.body.get("tool") == tool)


def states(golden: Golden) -> dict[tuple[str, str, str], str]:
    return {(row.source, row.kind, row.field): row.state for row in golden.suggestions.that_stand()}


def save(turn: GoldTurn, **change: Any) -> GoldTurn:
    turn.refresh_from_db()
    body = {**turn.body, **change}
    body = {key: value for key, value in body.items() if value is not None}
    return goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=turn.golden.annotator)


OPTIONAL_STEP = ("runs", "step_optional", "")
SOURCE = ("result", "source", "to")
OPTIONAL_PARAM = ("schema", "param_optional", "deep")


class TestWhichRuns:
    def test_those_that_succeeded_are_drafted_from(self) -> None:
        golden = draft(make_several(run(), run(looks=False), run("odd"), rewards=(1, 1, 0)))
        assert golden.prefill["runs"] == 2
        assert golden.prefill["failing"] == []
        assert [turn.body.get("optional") for turn in golden.turns.all()] == [None, True, None, None]
        assert golden.source_trajectory is not None
        assert golden.source_trajectory.trial == 0

    def test_without_a_success_the_first_is(self) -> None:
        golden = draft(make_several(run("a"), run("b"), rewards=(0, None)))
        assert golden.prefill["runs"] == 1
        assert turn_of(golden, "pay").body["params"]["note"] == {"value": "a"}

    def test_a_verdict_says_it_where_there_is_no_reward(self) -> None:
        conversation = make_several(run(), run("x"), rewards=(None, None))
        body = {"paths": [{"id": "main", "turns": [{"id": "g1", "tool": "pay", "params": {"to": {"value": "PAY-7"}}}]}]}
        record = make_golden_record(conversation, golden=body)
        make_run(make_dataset_version(conversation.dataset, records=[record]))
        conversation.refresh_from_db()
        conversation.golden_record = record
        conversation.save(update_fields=["golden_record"])
        found = prefills.candidates_of(conversation, is_blinded=False)
        assert [(one.succeeded, one.why) for one in found] == [
            (True, "its newest verdict passes"),
            (False, "its newest verdict fails"),
        ]
        assert all(one.succeeded is None for one in prefills.candidates_of(conversation, is_blinded=True))

    def test_a_blinded_annotator_is_not_told_which(self) -> None:
        golden = draft(make_several(run(), run("odd"), rewards=(1, 0)), is_blinded=True)
        assert "trajectories" not in golden.prefill
        assert golden.prefill["is_told"] is False

    def test_no_more_than_a_few_and_only_of_the_conversation(self) -> None:
        conversation = make_several(*[run(f"note {n}") for n in range(9)])
        annotator = make_member(conversation.dataset.project)
        everyone = list(conversation.trajectories.all())
        with pytest.raises(WorkbenchError, match="at most 8 runs, not 9"):
            goldens.start(conversation, annotator, everyone[0], more=everyone[1:])
        with pytest.raises(WorkbenchError, match="another conversation"):
            goldens.start(conversation, annotator, everyone[0], more=[make_trajectory()])
        assert not Golden.objects.exists()
        assert draft(conversation).prefill["runs"] == 8

    def test_a_run_that_cannot_be_read_is_named(self) -> None:
        odd = {"turns": [{"tool": "find", "user": "both"}]}
        golden = draft(make_several(run(), odd))
        assert [one["run"] for one in golden.prefill["failing"]] == [2]
        assert "must hold one of" in golden.prefill["failing"][0]["reason"]


class TestSettling:
    def test_all_that_is_suggested_is_stored_open(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        assert states(golden) == {OPTIONAL_STEP: "open", SOURCE: "open", OPTIONAL_PARAM: "open"}
        assert suggestions.counts_of(golden).words == "3 suggested: 3 open"

    def test_a_save_accepts_what_it_keeps_and_leaves_offers_open(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        save(turn_of(golden, "find"))
        assert states(golden) == {OPTIONAL_STEP: "accepted", SOURCE: "open", OPTIONAL_PARAM: "open"}
        row = golden.suggestions.get(kind="step_optional")
        assert (row.decided_by, row.decided_at is not None) == (golden.annotator, True)

    def test_a_save_refuses_what_it_takes_out(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        save(turn_of(golden, "find"), optional=None)
        assert states(golden)[OPTIONAL_STEP] == "refused"

    def test_an_offer_that_is_taken_is_accepted(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        save(turn_of(golden, "pay"), params={"to": {"ref": {"turn": "g1", "path": "$.payment"}}})
        assert states(golden)[SOURCE] == "accepted"

    def test_a_value_decided_otherwise_is_edited(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        save(turn_of(golden, "pay"), params={"to": {"value": "PAY-8"}})
        assert states(golden)[SOURCE] == "edited"

    def test_another_change_of_the_parameter_leaves_the_offer_open(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        save(turn_of(golden, "pay"), params={"to": {"value": "PAY-7", "required": False}})
        assert states(golden)[SOURCE] == "open"
        assert states(golden)["schema", "param_required", "to"] == "open"

    def test_values_of_several_runs(self) -> None:
        golden = draft(make_several(run("a b"), run("c d"), run("c d")))
        values = ("runs", "values", "note")
        assert states(golden)[values] == "open"
        pay = turn_of(golden, "pay")
        params = pay.body["params"]
        save(pay, params={**params, "note": {"values": ["c d", "a b", "e f"]}})
        assert states(golden)[values] == "edited"
        save(pay, params={**params, "note": {"value": params["note"]["values"][0]}})
        assert states(golden)[values] == "refused"

    def test_undo_restores_and_redo_does_it_again(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        before = states(golden)
        save(turn_of(golden, "pay"), params={"to": {"value": "PAY-7", "required": False}})
        save(turn_of(golden, "pay"), params={"to": {"ref": {"turn": "g1", "path": "$.payment"}}})
        after = states(golden)
        assert after[SOURCE] == "accepted"
        goldens.undo(golden=golden, by=golden.annotator)
        assert states(golden)[SOURCE] == "open"
        goldens.undo(golden=golden, by=golden.annotator)
        assert states(golden) == before
        goldens.redo(golden=golden, by=golden.annotator)
        goldens.redo(golden=golden, by=golden.annotator)
        assert states(golden) == after


class TestRefusing:
    def refuse(self, golden: Golden) -> None:
        turn = turn_of(golden, "pay")
        fields = suggestions.fields_of(golden.source_trajectory)
        sources = suggestions.sources_before(list(golden.turns.all()), turn, fields)
        (offer,) = [one for one in suggestions.offers_for(golden, turn, turn.body, sources) if one.kind == "source"]
        goldens.decide_suggestion(turn=turn, offer=offer, accepts=False, by=golden.annotator)

    def test_does_not_come_back_until_it_is_undone(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        self.refuse(golden)
        assert states(golden)[SOURCE] == "refused"
        save(turn_of(golden, "pay"))
        assert states(golden)[SOURCE] == "refused"
        assert suggestions.counts_of(golden).words == "3 suggested: 1 refused, 2 open"
        goldens.undo(golden=golden, by=golden.annotator)  # the save
        goldens.undo(golden=golden, by=golden.annotator)
        assert states(golden)[SOURCE] == "open"
        assert golden.suggestions.get(kind="source").decided_at is None

    def test_is_refused_once_the_golden_is_handed_in(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        goldens.submit(golden, golden.annotator)
        with pytest.raises(NotAllowedNowError):
            self.refuse(golden)
        assert states(golden)[SOURCE] == "open"

    def test_open_ones_do_not_block_a_submission(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        assert goldens.submit(golden, golden.annotator).status == "submitted"


class TestTurnsThatComeAndGo:
    def test_a_new_turn_brings_its_suggestions_and_takes_them_along(self) -> None:
        golden = draft(make_several(run()))
        count = suggestions.counts_of(golden).suggested
        body = {"tool": "find", "params": {"order": {"value": "W1042"}, "deep": {"value": True}}}
        new = goldens.add_turn(golden=golden, body=body, by=golden.annotator)
        assert suggestions.counts_of(golden).suggested == count + 1
        goldens.remove_turn(turn=new, by=golden.annotator)
        assert suggestions.counts_of(golden).suggested == count
        goldens.undo(golden=golden, by=golden.annotator)
        assert suggestions.counts_of(golden).suggested == count + 1

    def test_drafting_anew_is_one_change_that_undo_takes_back(self) -> None:
        conversation = make_several(run(), run(looks=False), run("x y"))
        golden = draft(conversation)
        save(turn_of(golden, "find"))
        before = goldens.golden_body(golden), states(golden), golden.prefill
        third = conversation.trajectories.get(trial=2)
        golden = goldens.redraft(golden=golden, trajectories=[third], by=golden.annotator)
        assert golden.prefill["trajectories"] == [third.pk]
        assert turn_of(golden, "pay").body["params"]["note"] == {"value": "x y"}
        assert suggestions.counts_of(golden).accepted == 0
        goldens.undo(golden=golden, by=golden.annotator)
        golden = Golden.objects.get(pk=golden.pk)
        assert (goldens.golden_body(golden), states(golden), golden.prefill) == before
        assert golden.source_trajectory is not None
        assert golden.source_trajectory.trial == 0

    def test_drafting_anew_needs_a_run_and_an_open_golden(self) -> None:
        golden = draft(make_several(run(), run(looks=False)))
        with pytest.raises(WorkbenchError, match="at least one run"):
            goldens.redraft(golden=golden, trajectories=[], by=golden.annotator)
        goldens.submit(golden, golden.annotator)
        runs = list(golden.conversation.trajectories.all())
        with pytest.raises(NotAllowedNowError):
            goldens.redraft(golden=golden, trajectories=runs, by=golden.annotator)


def draft_of_two_ways() -> Golden:
    other = run()
    other["turns"][2] = {"tool": "send", "args": {"what": "voucher"}, "result": {"ok": True}}
    tools = {**TOOLS, "send": {"effect": "write"}}
    conversation = make_several(run(), run(), other)
    conversation.tool_set = documents.get_tool_set(project=conversation.dataset.project, tools=tools)
    conversation.save(update_fields=["tool_set"])
    return draft(conversation)


class TestChangesOfManyTurns:
    def test_refuse_what_they_take_out_and_keep_the_rest_open(self) -> None:
        one = run()
        other = {"turns": [one["turns"][0], one["turns"][2], one["turns"][1], one["turns"][3]]}
        for body in (one, other):
            body["turns"] = [
                {**turn, "args": {"to": "X-1"}} if turn.get("tool") == "pay" else turn for turn in body["turns"]
            ]
        golden = draft(make_several(one, other, run(looks=False)))
        order = golden.suggestions.filter(kind="order")
        assert {row.state for row in order} == {"open"}
        turns = [turn.pk for turn in golden.turns.all() if turn.body.get("group")]
        goldens.ungroup_turns(golden=golden, turns=turns, by=golden.annotator)
        assert {row.state for row in order.all()} == {"refused"}
        assert {row.state for row in golden.suggestions.exclude(kind="order")} == {"open"}
        goldens.undo(golden=golden, by=golden.annotator)
        assert {row.state for row in order.all()} == {"open"}


class TestAnotherWay:
    def refuse(self, golden: Golden) -> None:
        row = golden.suggestions.get(kind="path")
        turn = golden.turns.get(pk=row.turn_pk)
        assert turn.path == "way 2"
        offer = Offer("path", "runs", "", row.proposal, why=row.why)
        goldens.refuse_path(turn=turn, offer=offer, by=golden.annotator)

    def test_is_a_suggestion_that_is_taken_out_by_refusing_it(self) -> None:
        golden = draft_of_two_ways()
        body = goldens.golden_body(golden)
        assert [path["id"] for path in body["paths"]] == ["main", "way 2"]
        assert states(golden)["runs", "path", ""] == "open"
        self.refuse(golden)
        assert [path["id"] for path in goldens.golden_body(golden)["paths"]] == ["main"]
        assert states(golden)["runs", "path", ""] == "refused"
        goldens.undo(golden=golden, by=golden.annotator)
        assert goldens.golden_body(golden) == body
        assert states(golden)["runs", "path", ""] == "open"

    def test_is_accepted_by_saving_its_first_step(self) -> None:
        golden = draft_of_two_ways()
        save(golden.turns.get(pk=golden.suggestions.get(kind="path").turn_pk))
        assert states(golden)["runs", "path", ""] == "accepted"

    def test_the_only_way_stays(self) -> None:
        golden = draft_of_two_ways()
        goldens.remove_path(golden=golden, path="main", by=golden.annotator)
        with pytest.raises(NotAllowedNowError, match="at least one path"):
            self.refuse(golden)
        assert states(golden)["runs", "path", ""] == "open"


def test_open_suggestions_of_turns_that_are_gone_count_nowhere() -> None:
    golden = draft(make_several(run(), run(looks=False)))
    project = golden.conversation.dataset.project
    assert sum(counts.suggested for _, _, counts in suggestions.counts_by_kind(project)) == 3
    goldens.remove_turn(turn=turn_of(golden, "find"), by=golden.annotator)
    assert suggestions.counts_by_kind(project) == []  # neither those of the turn nor the one that came from its result


def test_a_project_counts_by_source_and_kind() -> None:
    golden = draft(make_several(run(), run(looks=False)))
    save(turn_of(golden, "find"))
    other = draft(make_several(run()))
    found = {
        (source, kind): counts.words
        for source, kind, counts in suggestions.counts_by_kind(golden.conversation.dataset.project)
    }
    assert found == {
        ("result", "source"): "1 suggested: 1 open",
        ("runs", "step_optional"): "1 suggested: 1 accepted",
        ("schema", "param_optional"): "1 suggested: 1 open",
    }
    assert Suggestion.objects.filter(golden=other).exists()


class TestWhatIsNotSuggestedAnyMore:
    """What no page shows is not counted as open: nobody could decide on it."""

    def test_freeing_the_order_takes_back_what_an_earlier_result_suggested_and_undo_brings_it_back(self) -> None:
        golden = draft(make_several(run()))
        counts = suggestions.counts_of(golden)
        assert golden.suggestions.get(kind="source").state == "open"
        turns = [turn_of(golden, "find").pk, turn_of(golden, "pay").pk]
        goldens.group_turns(golden=golden, turns=turns, by=golden.annotator)
        assert golden.suggestions.get(kind="source").state == "withdrawn"
        goldens.ungroup_turns(golden=golden, turns=turns, by=golden.annotator)
        assert suggestions.counts_of(golden) == counts
        goldens.undo(golden=golden, by=golden.annotator)
        assert golden.suggestions.get(kind="source").state == "withdrawn"
        goldens.undo(golden=golden, by=golden.annotator)
        assert suggestions.counts_of(golden) == counts

    def test_saving_a_turn_into_a_group_takes_it_back_too(self) -> None:
        golden = draft(make_several(run()))
        for tool in ("find", "pay"):
            turn = turn_of(golden, tool)
            body = {**turn.body, "group": "A"}
            goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=golden.annotator)
        assert golden.suggestions.get(kind="source").state == "withdrawn"

    def test_moving_a_turn_before_the_result_takes_it_back_and_moving_it_behind_brings_it_back(self) -> None:
        golden = draft(make_several(run()))
        goldens.move_turn(turn=turn_of(golden, "find"), by=golden.annotator, places=1)
        assert golden.suggestions.get(kind="source").state == "withdrawn"
        goldens.move_turn(turn=turn_of(golden, "find"), by=golden.annotator, places=-1)
        assert golden.suggestions.get(kind="source").state == "open"

    def test_one_of_a_typed_value_counts_nothing_before_it_is_saved_or_refused(self) -> None:
        golden = draft(make_several(run()))
        counts = suggestions.counts_of(golden)
        offer = Offer("source", "result", "note", [{"turn": "g1", "path": "$.payment"}], about="PAY-7")
        turn = turn_of(golden, "pay")
        suggestions.note(golden, turn, offer)
        assert suggestions.counts_of(golden) == counts
        goldens.decide_suggestion(turn=turn, offer=offer, accepts=False, by=golden.annotator)
        assert suggestions.counts_of(golden).refused == counts.refused + 1
        goldens.undo(golden=golden, by=golden.annotator)
        assert suggestions.counts_of(golden) == counts


def test_undo_leaves_what_somebody_else_decided_since() -> None:
    golden = draft(make_several(run("a"), run("b")))
    reviewer = make_member(golden.conversation.dataset.project, Role.OWNER)
    turn = turn_of(golden, "pay")
    row = golden.suggestions.get(kind="values")
    offer = Offer(row.kind, row.source, row.field, row.proposal, row.was)
    goldens.decide_suggestion(turn=turn, offer=offer, accepts=True, by=golden.annotator)
    body = {**turn.body, "params": {**turn.body["params"], "note": {"value": "c"}}}
    goldens.update_turn(turn=turn, body=body, seen=turn.revision, by=reviewer)
    with pytest.raises(NotAllowedNowError, match="Somebody else"):
        goldens.undo(golden=golden, by=golden.annotator)
    row.refresh_from_db()
    assert row.state == "edited"


class TestUndoOfTwoPeople:
    def test_a_turn_does_not_come_back_where_the_numbers_would_not_count_on(self) -> None:
        golden = draft(make_several(run()))
        reviewer = make_member(golden.conversation.dataset.project, Role.OWNER)
        goldens.remove_turn(turn=golden.turns.get(kind="response"), by=golden.annotator)
        goldens.remove_turn(turn=turn_of(golden, "find"), by=reviewer)
        before = goldens.golden_body(golden)
        with pytest.raises(NotAllowedNowError, match="Somebody else"):
            goldens.undo(golden=golden, by=golden.annotator)
        assert goldens.golden_body(golden) == before
        goldens.undo(golden=golden, by=reviewer)
        goldens.undo(golden=golden, by=golden.annotator)
        assert [turn.turn_no for turn in golden.turns.all()] == [None, 1, 2, 3]

    def test_a_move_is_not_taken_back_when_somebody_made_a_turn_build_on_it(self) -> None:
        golden = draft(make_several(run()))
        reviewer = make_member(golden.conversation.dataset.project, Role.OWNER)
        goldens.move_turn(turn=turn_of(golden, "find"), by=golden.annotator, places=1)
        turn = turn_of(golden, "find")
        on = turn_of(golden, "pay").key
        goldens.update_turn(turn=turn, body={**turn.body, "depends_on": [on]}, seen=turn.revision, by=reviewer)
        with pytest.raises(NotAllowedNowError, match="Somebody else"):
            goldens.undo(golden=golden, by=golden.annotator)

    def test_a_turn_that_was_added_stays_while_somebody_builds_on_it(self) -> None:
        golden = draft(make_several(run()))
        reviewer = make_member(golden.conversation.dataset.project, Role.OWNER)
        first = turn_of(golden, "find")
        body = {"tool": "find", "params": {"order": {"value": "W1"}}}
        new = goldens.add_turn(golden=golden, body=body, by=golden.annotator, after=first)
        turn = turn_of(golden, "pay")
        goldens.update_turn(turn=turn, body={**turn.body, "depends_on": [new.key]}, seen=turn.revision, by=reviewer)
        with pytest.raises(NotAllowedNowError, match="Somebody else"):
            goldens.undo(golden=golden, by=golden.annotator)
        assert golden.turns.filter(pk=new.pk).exists()
