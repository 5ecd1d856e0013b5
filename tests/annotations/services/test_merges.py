"""Merging goldens: who may, what is decided, what is kept when a golden changes, what comes into force."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Change, Conversation, Golden, GoldenStatus, Merge, Role, User
from annotations.services import documents, goldens, merges, projects
from annotations.services.errors import NotAllowedNowError, StaleRevisionError
from annotations.services.merges import Board, board_of
from evaluation.formats import jsonio
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, report_golden

pytestmark = pytest.mark.django_db
Json = dict[str, Any]


def golden_with(turn_id: str = "", **said: Any) -> Json:
    body = report_golden()
    for turn in body["paths"][0]["turns"]:
        if turn["id"] == turn_id:
            turn.update(said)
    return body


PDF = golden_with()
HTML = golden_with("g4", params={"format": {"value": "html"}})
CSV = golden_with("g4", params={"format": {"value": "csv"}})


def hand_in(conversation: Conversation, body: Json, *, annotator: User | None = None) -> Golden:
    annotator = annotator or make_member(conversation.dataset.project)
    golden = goldens.start(conversation, annotator, beyond_overlap=True)
    goldens.load_body(golden, body, annotator)
    return goldens.submit(Golden.objects.get(pk=golden.pk), annotator)


def change_and_hand_in(golden: Golden, body: Json, *, reviewer: User) -> None:
    goldens.return_(golden, reviewer, "Look again.")
    goldens.load_body(Golden.objects.get(pk=golden.pk), body, golden.annotator)
    goldens.submit(Golden.objects.get(pk=golden.pk), golden.annotator)


class Scene:
    """A conversation with goldens handed in, an adjudicator, and the merge that they began."""

    def __init__(self, *bodies: Json) -> None:
        project = make_project(is_blind=True, overlap=3)
        self.conversation = make_conversation(make_dataset(project))
        make_trajectory(self.conversation)
        self.project = project
        self.carla = make_member(project, Role.ADJUDICATOR)
        self.goldens = [hand_in(self.conversation, body) for body in bodies]
        self.merge = merges.start(conversation=self.conversation, by=self.carla)

    @property
    def board(self) -> Board:
        return board_of(Merge.objects.get(pk=self.merge.pk))

    def token(self, place: str) -> str:
        item = self.board.layout.find(place)
        assert item is not None
        return item.token

    def decide(self, place: str, choice: Any, *, by: User | None = None, seen: int = 0, reason: str = "") -> Any:
        return merges.decide(
            merge=self.merge, token=self.token(place), choice=choice, seen=seen, by=by or self.carla, reason=reason
        )

    def take(self, place: str, **params: Any) -> Json:
        """The choice of the version with these parameters."""
        item = self.board.layout.find(place)
        assert item is not None
        for variant in item.variants:
            if all(variant.raw["params"].get(name) == {"value": value} for name, value in params.items()):
                return {"take": variant.digest}
        raise AssertionError(params)

    def finish(self) -> Any:
        merge = Merge.objects.get(pk=self.merge.pk)
        return merges.accept(merge=merge, by=self.carla, seen=merge.revision)


def test_two_goldens_are_merged_and_the_result_comes_into_force() -> None:
    scene = Scene(PDF, HTML)
    assert scene.board.progress == "0 of 1 difference decided: 1 of 5 turns differs"
    assert merges.accept_equal(merge=scene.merge, by=scene.carla) == 6
    scene.decide("turn:g4", {"fields": {"param format": "both"}}, reason="Both can be opened.")
    record = scene.finish()
    format_ = record.body["golden"]["paths"][0]["turns"][5]["params"]["format"]
    assert sorted(format_["values"]) == ["html", "pdf"]
    scene.conversation.refresh_from_db()
    assert scene.conversation.golden_record == record
    result = record.golden
    assert (result.annotator, result.status) == (scene.carla, GoldenStatus.ACCEPTED)
    for golden, body in zip(scene.goldens, (PDF, HTML), strict=True):
        golden.refresh_from_db()
        assert golden.status == GoldenStatus.ACCEPTED
        assert golden.in_merge.merge == scene.merge
        assert jsonio.canonical(goldens.golden_body(golden)) == jsonio.canonical(body)
    assert scene.board.is_finished
    assert merges.waiting(scene.project) == []


def test_the_result_lies_beside_the_run() -> None:
    scene = Scene(PDF, HTML)
    run = scene.conversation.trajectories.get()
    Golden.objects.update(source_trajectory=run)
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
    golden = scene.finish().golden
    assert golden.source_trajectory == run
    assert [turn.observed_index for turn in golden.turns.all()] == [0, 1, 2, 3, 4, 5, 6]


def test_what_is_open_is_named_and_changes_nothing() -> None:
    scene = Scene(PDF, HTML)
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    with pytest.raises(merges.MergeRefusedError, match="Turn 4 is not decided yet"):
        scene.finish()
    assert scene.conversation.golden_records.count() == 0
    assert not Golden.objects.filter(annotator=scene.carla).exists()


def test_nothing_refers_to_what_is_left_out() -> None:
    scene = Scene(PDF, HTML)
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    entry = scene.board.find(scene.token("turn:g2"))
    assert entry is not None
    assert entry.decision is not None
    with pytest.raises(merges.ChoiceRefusedError, match="turn 2 is left out"):
        scene.decide("turn:g2", {"out": True}, seen=entry.decision.revision)
    assert scene.board.choices["turn:g2"] != {"out": True}


def test_one_who_wrote_one_of_them_cannot_merge() -> None:
    scene = Scene(PDF, HTML)
    other = make_member(scene.project, Role.OWNER)
    hand_in(scene.conversation, CSV, annotator=other)
    with pytest.raises(NotAllowedNowError, match="somebody else"):
        merges.start(conversation=scene.conversation, by=other)


def test_one_golden_alone_is_no_merge() -> None:
    project = make_project()
    conversation = make_conversation(make_dataset(project))
    hand_in(conversation, PDF)
    with pytest.raises(NotAllowedNowError, match="no two goldens"):
        merges.start(conversation=conversation, by=make_member(project, Role.ADJUDICATOR))
    assert merges.waiting(project) == []


class TestAtOnce:
    def test_a_second_decision_over_the_first_is_a_conflict(self) -> None:
        scene = Scene(PDF, HTML)
        other = make_member(scene.project, Role.ADJUDICATOR)
        first = scene.decide("turn:g4", scene.take("turn:g4", format="pdf"), by=other)
        with pytest.raises(StaleRevisionError) as conflict:
            scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        assert conflict.value.current == first
        scene.decide("turn:g4", scene.take("turn:g4", format="html"), seen=first.revision)
        assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="html")

    def test_accepting_after_somebody_decided_is_a_conflict(self) -> None:
        scene = Scene(PDF, HTML)
        seen = Merge.objects.get().revision
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        with pytest.raises(StaleRevisionError):
            merges.accept(merge=scene.merge, by=scene.carla, seen=seen)

    def test_a_golden_changed_since_one_looked_is_said(self) -> None:
        scene = Scene(PDF, HTML)
        entry = scene.board.find(scene.token("turn:g4"))
        assert entry is not None
        change_and_hand_in(scene.goldens[1], CSV, reviewer=scene.carla)
        with pytest.raises(NotAllowedNowError, match="changed since you looked"):
            merges.decide(
                merge=scene.merge,
                token=entry.item.token,
                choice={"out": True},
                seen=0,
                by=scene.carla,
                fingerprint=entry.item.fingerprint,
            )


class TestUndo:
    def test_decisions_go_back_one_by_one(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        first = scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        scene.decide("turn:g4", scene.take("turn:g4", format="html"), seen=first.revision)
        merges.undo(merge=scene.merge, by=scene.carla)
        assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="pdf")
        merges.undo(merge=scene.merge, by=scene.carla)
        assert "turn:g4" not in scene.board.choices
        merges.undo(merge=scene.merge, by=scene.carla)
        assert scene.board.choices == {}
        with pytest.raises(goldens.NothingToUndoError):
            merges.undo(merge=scene.merge, by=scene.carla)

    def test_somebody_elses_decision_stays(self) -> None:
        scene = Scene(PDF, HTML)
        other = make_member(scene.project, Role.ADJUDICATOR)
        first = scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        scene.decide("turn:g4", scene.take("turn:g4", format="html"), seen=first.revision, by=other)
        with pytest.raises(NotAllowedNowError, match="would lose that"):
            merges.undo(merge=scene.merge, by=scene.carla)
        assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="html")


class TestAgain:
    def test_decisions_of_unchanged_turns_are_kept_and_the_others_say_why(self) -> None:
        both = golden_with("g4", params={"format": {"value": "html"}})
        both["paths"][0]["turns"][1]["response"] = "Which country?"
        scene = Scene(PDF, both)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        reply = scene.board.layout.find("turn:g1")
        assert reply is not None
        scene.decide("turn:g1", {"take": reply.variants[0].digest})
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        scene.finish()
        changed = jsonio.loads(jsonio.dumps(both).replace('"html"', '"csv"'))
        change_and_hand_in(scene.goldens[1], changed, reviewer=scene.carla)
        board = scene.board
        assert [entry.item.place for entry in board.open] == ["turn:g4"]
        assert board.open[0].again_because == "Open again: one of the goldens was changed here since it was decided."
        assert [row.conversation for row in merges.waiting(scene.project)] == [scene.conversation]
        scene.decide("turn:g4", scene.take("turn:g4", format="csv"))
        assert scene.finish().number == 2
        assert Golden.objects.filter(annotator=scene.carla).count() == 1

    def test_a_decision_holds_again_when_the_golden_is_as_it_was(self) -> None:
        scene = Scene(PDF, HTML)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        change_and_hand_in(scene.goldens[1], CSV, reviewer=scene.carla)
        assert "turn:g4" not in scene.board.choices
        scene.goldens[1].refresh_from_db()
        change_and_hand_in(scene.goldens[1], HTML, reviewer=scene.carla)
        assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="pdf")

    def test_a_third_that_agrees_with_one_opens_nothing(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        hand_in(scene.conversation, HTML)
        assert len(scene.board.sources) == 3
        assert scene.board.open == []

    def test_a_third_that_says_something_else_opens_that_turn(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        scene.finish()
        hand_in(scene.conversation, CSV)
        (entry,) = scene.board.open
        assert "another golden has come" in entry.again_because
        assert merges.waiting(scene.project)[0].count == 3

    def test_with_one_golden_left_it_waits_and_keeps_what_was_decided(self) -> None:
        scene = Scene(PDF, HTML)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        goldens.return_(scene.goldens[0], scene.carla, "Look again.")
        assert not scene.board.can_be_merged
        assert merges.being_changed(scene.merge) == 1
        with pytest.raises(NotAllowedNowError, match="what was decided is kept"):
            merges.accept_equal(merge=scene.merge, by=scene.carla)
        goldens.submit(Golden.objects.get(pk=scene.goldens[0].pk), scene.goldens[0].annotator)
        assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="pdf")


class TestByHand:
    def test_what_is_edited_on_the_workbench_is_what_is_accepted(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        golden = merges.to_workbench(merge=scene.merge, by=scene.carla)
        assert golden.is_open
        turn = golden.turns.get(turn_no=1)
        goldens.update_turn(turn=turn, body={**turn.body, "response": "By hand."}, seen=turn.revision, by=scene.carla)
        assert scene.board.is_at_desk
        record = scene.finish()
        assert record.body["golden"]["paths"][0]["turns"][1]["response"] == "By hand."

    def test_a_later_decision_is_written_anew(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        first = scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        merges.to_workbench(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="html"), seen=first.revision)
        assert not scene.board.is_at_desk
        turns = scene.finish().body["golden"]["paths"][0]["turns"]
        assert turns[5]["params"] == {"format": {"value": "html"}}

    def test_a_result_is_handed_in_nowhere_else(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        golden = merges.to_workbench(merge=scene.merge, by=scene.carla)
        with pytest.raises(NotAllowedNowError, match="result of a merge"):
            goldens.submit(golden, scene.carla)

    def test_ones_own_work_is_not_written_over(self) -> None:
        scene = Scene(PDF, HTML)
        own = goldens.start(scene.conversation, scene.carla)
        goldens.load_body(own, CSV, scene.carla)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        with pytest.raises(NotAllowedNowError, match="write over"):
            scene.finish()
        assert jsonio.canonical(goldens.golden_body(own)) == jsonio.canonical(CSV)


class TestWhoWrote:
    def test_names_are_told_when_it_is_finished(self) -> None:
        scene = Scene(PDF, HTML)
        names = {str(golden.annotator) for golden in scene.goldens}
        assert all(not side.names for entry in scene.board.entries for side in entry.sides)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        scene.finish()
        entry = scene.board.find(scene.token("turn:g4"))
        assert entry is not None
        assert {name for side in entry.sides for name in side.names} == names

    def test_comments_are_read_without_names(self) -> None:
        scene = Scene(PDF, HTML)
        Golden.objects.filter(pk=scene.goldens[0].pk).update(comment="Paper first.")
        board = scene.board
        assert board.comments == ["Paper first."]
        item = board.layout.find("turn:g4")
        assert item is not None
        assert board.user_before(item) == "Europe, revenue please"

    def test_letters_stay_and_tell_nobody(self) -> None:
        """The same at every look; over many turns either golden comes first."""
        one, other = report_golden(), report_golden()
        for n in range(24):
            for body, said in ((one, "a"), (other, "b")):
                body["paths"][0]["turns"].append({"id": f"r{n}", "response": f"{said} {n}"})
        scene = Scene(one, other)
        firsts = [entry.sides[0].variant.raw["response"][0] for entry in scene.board.differing]  # type: ignore[union-attr]
        again = [entry.sides[0].variant.raw["response"][0] for entry in scene.board.differing]  # type: ignore[union-attr]
        assert firsts == again
        assert set(firsts) == {"a", "b"}


class TestExamples:
    def test_a_reason_becomes_an_example(self) -> None:
        scene = Scene(PDF, HTML)
        projects.save_guideline(
            project=scene.project,
            title="How",
            body="# How\n\n## Missing parameters\n\nName them.\n\n## Rest\n",
            by=scene.carla,
            seen_number=0,
        )
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"), reason="Customers\nprint it.")
        token = scene.token("turn:g4")
        made = merges.add_example(merge=scene.merge, token=token, by=scene.carla, reason_code="missing_parameters")
        assert made.number == 2
        assert made.body == "# How\n\n## Missing parameters\n\nName them.\n\n## Rest\n"
        example = made.examples.get()
        assert (example.reason, example.text) == ("missing_parameters", f"{scene.conversation}, turn 4")
        assert (example.why.split(), example.conversation) == (["Customers", "print", "it."], scene.conversation)
        with pytest.raises(NotAllowedNowError, match="already"):
            merges.add_example(merge=scene.merge, token=token, by=scene.carla)

    def test_deciding_and_the_example_are_one_act_and_undo_takes_the_decision_back(self) -> None:
        scene = Scene(PDF, HTML)
        choice = scene.take("turn:g4", format="pdf")
        token = scene.token("turn:g4")
        with pytest.raises(merges.ChoiceRefusedError, match="Give a reason"):
            merges.decide(merge=scene.merge, token=token, choice=choice, seen=0, by=scene.carla, example_under="")
        assert scene.board.choices == {}
        row = merges.decide(
            merge=scene.merge, token=token, choice=choice, seen=0, by=scene.carla, reason="So.", example_under=""
        )
        assert row.example == scene.project.guidelines.get()
        again = scene.decide("turn:g4", choice, seen=row.revision, reason="Another.")
        assert again.example is None
        merges.undo(merge=scene.merge, by=scene.carla)
        merges.undo(merge=scene.merge, by=scene.carla)
        assert scene.board.choices == {}

    def test_without_a_reason_there_is_none(self) -> None:
        scene = Scene(PDF, HTML)
        scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
        with pytest.raises(NotAllowedNowError, match="give a reason"):
            merges.add_example(merge=scene.merge, token=scene.token("turn:g4"), by=scene.carla)


def test_agreement_has_its_n_and_no_number_without() -> None:
    scene = Scene(PDF, HTML)
    count, rows = merges.agreement_in(scene.project)
    shown = {row.name: (row.equal, row.n, row.share) for row in rows}
    assert count == 1
    assert shown["Turns"] == (4, 5, 80)
    assert shown["Optional steps"] == (0, 0, None)
    assert merges.agreement_in(make_project()) == (0, [merges.Agreement(row.name, 0, 0) for row in rows])


def test_history_tells_who_decided_what() -> None:
    scene = Scene(PDF, HTML)
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
    scene.finish()
    actions = set(Change.objects.filter(project=scene.project, actor=scene.carla).values_list("action", flat=True))
    assert {"merge.started", "merge.equal_accepted", "merge.decided", "merge.accepted", "golden.merged"} <= actions


class TestWhatIsInForce:
    """Settings that none of the goldens speaks of stay; what accepting changes is said before."""

    def scene(self, *bodies: Json, policy: Json, **extra: Any) -> Scene:
        scene = Scene(*bodies)
        body = {**golden_with(), **extra}
        body["paths"][0]["path_note"] = "as imported"
        in_force = documents.golden_body(golden=body, policy=policy)
        documents.accept_golden_record(conversation=scene.conversation, body=in_force, by=scene.carla)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        return scene

    def test_a_setting_that_no_golden_has_is_kept(self) -> None:
        scene = self.scene(PDF, HTML, policy={"extra_writes": "fail"}, source="a ticket")
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        assert scene.board.kept_words == [
            "Unknown calls that change something: fail",
            "source: a ticket",
            "path_note: as imported",
        ]
        record = scene.finish()
        assert record.body["policy"] == {"extra_writes": "fail"}
        assert record.body["golden"]["source"] == "a ticket"
        assert record.body["golden"]["paths"][0]["path_note"] == "as imported"
        assert scene.board.is_finished

    def test_it_is_kept_on_the_way_over_the_workbench_too(self) -> None:
        scene = self.scene(PDF, HTML, policy={"extra_writes": "fail"})
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        golden = merges.to_workbench(merge=scene.merge, by=scene.carla)
        assert golden.policy == {"extra_writes": "fail"}
        golden.policy = {}
        golden.save(update_fields=["policy"])  # as somebody edits it there
        changes = scene.board.changes(scene.carla)
        assert changes is not None
        assert any("Unknown calls that change something is no longer set" in text for text in changes.whole_texts)
        assert scene.finish().body["policy"] == {}
        assert scene.board.is_finished

    def test_what_a_golden_says_counts_and_is_told_before(self) -> None:
        scene = self.scene(PDF, HTML, policy={"extra_writes": "fail", "margin": 0.25})
        Golden.objects.filter(pk=scene.goldens[0].pk).update(policy={"extra_writes": "report"})
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        item = scene.board.layout.find("policy:extra_writes")
        assert item is not None
        scene.decide("policy:extra_writes", {"take": item.variants[0].digest})
        changes = scene.board.changes(scene.carla)
        assert changes is not None
        assert any("is now report; it was fail" in text for text in changes.whole_texts)
        assert [turn.name for turn in changes.turns] == ["Turn 4"]
        assert scene.board.kept_words == ["Margin: 0.25", "path_note: as imported"]
        assert scene.finish().body["policy"] == {"extra_writes": "report", "margin": 0.25}

    def test_what_was_decided_to_be_left_out_stays_out(self) -> None:
        scene = self.scene(PDF, HTML, policy={"extra_writes": "fail"})
        Golden.objects.filter(pk=scene.goldens[0].pk).update(policy={"extra_writes": "fail"})
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        scene.decide("policy:extra_writes", {"out": True})
        Golden.objects.filter(pk=scene.goldens[0].pk).update(policy={})
        assert "policy" not in scene.board.kept
        assert scene.finish().body["policy"] == {}

    def test_another_golden_that_came_into_force_meanwhile_is_not_replaced_unseen(self) -> None:
        scene = self.scene(PDF, HTML, policy={})
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        merge = Merge.objects.get(pk=scene.merge.pk)
        with pytest.raises(NotAllowedNowError, match="Meanwhile golden 1 is in force"):
            merges.accept(merge=merge, by=scene.carla, seen=merge.revision, seen_number=0)
        record = merges.accept(merge=merge, by=scene.carla, seen=merge.revision, seen_number=1)
        assert record.number == 2

    def test_without_one_in_force_nothing_is_said(self) -> None:
        scene = Scene(PDF, HTML)
        merges.accept_equal(merge=scene.merge, by=scene.carla)
        scene.decide("turn:g4", scene.take("turn:g4", format="html"))
        assert (scene.board.kept, scene.board.changes(scene.carla)) == ({}, None)
