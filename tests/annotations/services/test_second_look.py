"""What is decided about work that was made under an older guideline: it holds, or is asked for again; and the undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from annotations.models import Change, Conversation, Golden, GoldenStatus, HumanLabel, Project, Role, SecondLook, User
from annotations.services import assignments, goldens, labels, projects, second_look
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, report_golden

pytestmark = pytest.mark.django_db


@dataclass
class Desk:
    project: Project
    olga: User
    ana: User
    golden: Golden
    label: HumanLabel

    def doubtful(self) -> tuple[int, int]:
        version = projects.current_guideline(self.project)
        assert version is not None
        return second_look.goldens_in_doubt(version).count(), second_look.labels_in_doubt(version).count()

    def next_version(self) -> int:
        current = projects.current_guideline(self.project)
        seen = current.number if current is not None else 0
        made = projects.save_guideline(project=self.project, title="T", body=f"{seen}", by=self.olga, seen_number=seen)
        return made.number

    def relabel(self) -> None:
        self.label.refresh_from_db()
        labels.save(
            trajectory=self.label.trajectory,
            path="main",
            turn_key="g2",
            by=self.ana,
            seen_revision=self.label.revision,
            verdict="pass",
        )


@pytest.fixture
def desk() -> Desk:
    """An accepted golden and a label by Ana, made under version 1; version 2 is in force."""
    project = make_project()
    olga, ana = make_member(project, Role.OWNER), make_member(project)
    conversation = make_conversation(make_dataset(project))
    made = Desk(project, olga, ana, Golden(), HumanLabel())
    made.next_version()
    made.golden = goldens.start(conversation, ana)
    goldens.load_body(made.golden, report_golden(), ana)
    goldens.submit(made.golden, ana)
    goldens.accept(made.golden, olga, comment="Good")
    made.label = labels.save(
        trajectory=make_trajectory(conversation), path="main", turn_key="g2", by=ana, seen_revision=0, verdict="pass"
    )
    made.next_version()
    made.golden.refresh_from_db()
    return made


def test_what_is_still_right_leaves_the_list_until_the_next_version(desk: Desk) -> None:
    assert desk.doubtful() == (1, 1)
    done = second_look.say_right(
        project=desk.project, by=desk.olga, seen_number=2, goldens=[desk.golden.pk], labels=[desk.label.pk]
    )
    assert (done.changed, done.unchanged, done.refused) == (2, 0, [])
    assert desk.doubtful() == (0, 0)
    kept = SecondLook.objects.get(golden=desk.golden)
    assert (kept.by, kept.guideline.number, kept.kind) == (desk.olga, 2, "right")
    again = second_look.say_right(project=desk.project, by=desk.olga, seen_number=2, goldens=[desk.golden.pk])
    assert (again.act, again.unchanged) == (None, 1)
    first = desk.project.guidelines.get(number=1)
    assert not second_look.goldens_in_doubt(first).exists()
    desk.next_version()
    assert desk.doubtful() == (1, 1)


def test_one_undo_brings_all_of_it_back_and_is_in_the_history(desk: Desk) -> None:
    done = second_look.say_right(
        project=desk.project, by=desk.olga, seen_number=2, goldens=[desk.golden.pk], labels=[desk.label.pk]
    )
    assert done.act is not None
    undone = second_look.undo(project=desk.project, act_pk=done.act.pk, by=desk.olga)
    assert undone.changed == 2
    assert desk.doubtful() == (1, 1)
    actions = list(Change.objects.filter(action__startswith="second_look").order_by("pk").values_list("action"))
    assert actions == [("second_look.right",), ("second_look.undone",)]
    with pytest.raises(NotAllowedNowError, match="taken back already"):
        second_look.undo(project=desk.project, act_pk=done.act.pk, by=desk.olga)
    assert second_look.say_right(project=desk.project, by=desk.olga, seen_number=2, goldens=[desk.golden.pk]).changed


def test_a_golden_that_is_asked_for_again_is_returned_and_stays_in_force(desk: Desk) -> None:
    record = Conversation.objects.get(pk=desk.golden.conversation_id).golden_record
    assert record is not None
    with pytest.raises(WorkbenchError, match="whoever is asked"):
        second_look.ask_again(project=desk.project, by=desk.olga, seen_number=2, comment=" ", goldens=[desk.golden.pk])
    done = second_look.ask_again(
        project=desk.project, by=desk.olga, seen_number=2, comment="See rule 2", goldens=[desk.golden.pk]
    )
    assert done.changed == 1
    desk.golden.refresh_from_db()
    assert (desk.golden.status, desk.golden.review_comment) == (GoldenStatus.RETURNED, "See rule 2")
    assert list(assignments.returned_to(desk.project, desk.ana)) == [desk.golden]
    assert Conversation.objects.get(pk=desk.golden.conversation_id).golden_record == record
    assert desk.doubtful()[0] == 1
    assert second_look.asked_again([desk.golden])[desk.golden.pk].comment == "See rule 2"
    twice = second_look.ask_again(
        project=desk.project, by=desk.olga, seen_number=2, comment="Again", goldens=[desk.golden.pk]
    )
    assert [one.why for one in twice.refused] == ["it is being written already"]
    turn = desk.golden.turns.exclude(kind="user").first()
    assert turn is not None
    goldens.update_turn(turn=turn, body=turn.body, seen=turn.revision, by=desk.ana)
    assert desk.doubtful()[0] == 0
    assert done.act is not None
    with pytest.raises(NotAllowedNowError, match="has gone on with it"):
        second_look.undo(project=desk.project, act_pk=done.act.pk, by=desk.olga)
    goldens.submit(desk.golden, desk.ana)
    assert goldens.accept(desk.golden, desk.olga)


def test_the_undo_puts_a_returned_golden_back_as_it_was_handed_in(desk: Desk) -> None:
    saved = desk.golden.updated_at, desk.golden.reviewed_at
    done = second_look.ask_again(
        project=desk.project,
        by=desk.olga,
        seen_number=2,
        comment="See rule 2",
        goldens=[desk.golden.pk],
        labels=[desk.label.pk],
    )
    assert (done.changed, done.act is not None) == (2, True)
    assert done.act is not None
    second_look.undo(project=desk.project, act_pk=done.act.pk, by=desk.olga)
    desk.golden.refresh_from_db()
    assert (desk.golden.status, desk.golden.review_comment) == (GoldenStatus.ACCEPTED, "Good")
    assert (desk.golden.reviewed_by, desk.golden.reviewed_at) == (desk.olga, saved[1])
    assert not second_look.labels_asked_of(desk.project, desk.ana)
    assert desk.doubtful() == (1, 1)
    assert not SecondLook.objects.exists()


def test_a_label_is_asked_of_whoever_made_it_until_it_is_saved_anew(desk: Desk) -> None:
    ask: dict[str, Any] = {"project": desk.project, "by": desk.olga, "seen_number": 2, "comment": "See rule 2"}
    done = second_look.ask_again(**ask, labels=[desk.label.pk])
    asked = second_look.labels_asked_of(desk.project, desk.ana)
    assert [(one.label, one.look.comment) for one in asked] == [(desk.label, "See rule 2")]
    assert not second_look.labels_asked_of(desk.project, desk.olga)
    desk.label.refresh_from_db()
    assert desk.label.verdict == "pass"
    assert second_look.ask_again(**ask, labels=[desk.label.pk]).unchanged == 1
    desk.relabel()
    assert not second_look.labels_asked_of(desk.project, desk.ana)
    assert desk.doubtful()[1] == 0
    assert done.act is not None
    with pytest.raises(NotAllowedNowError, match="saved anew since"):
        second_look.undo(project=desk.project, act_pk=done.act.pk, by=desk.olga)


def test_what_is_said_to_hold_is_asked_of_nobody_any_more(desk: Desk) -> None:
    second_look.ask_again(project=desk.project, by=desk.olga, seen_number=2, comment="?", labels=[desk.label.pk])
    second_look.say_right(project=desk.project, by=desk.olga, seen_number=2, labels=[desk.label.pk])
    assert not second_look.labels_asked_of(desk.project, desk.ana)


def test_nobody_is_asked_who_is_not_there_any_more(desk: Desk) -> None:
    projects.remove_member(membership=desk.project.memberships.get(user=desk.ana), by=desk.olga)
    done = second_look.ask_again(
        project=desk.project,
        by=desk.olga,
        seen_number=2,
        comment="See rule 2",
        goldens=[desk.golden.pk],
        labels=[desk.label.pk],
    )
    assert (done.act, done.changed) == (None, 0)
    assert [one.why for one in done.refused] == [
        f"{desk.ana} annotates here no more",
        f"{desk.ana} labels here no more",
    ]
    desk.golden.refresh_from_db()
    assert desk.golden.status == GoldenStatus.ACCEPTED


def test_another_version_than_was_seen_and_strange_rows_are_refused(desk: Desk) -> None:
    with pytest.raises(StaleRevisionError):
        second_look.say_right(project=desk.project, by=desk.olga, seen_number=1, goldens=[desk.golden.pk])
    other = make_project()
    stranger = goldens.start(make_conversation(make_dataset(other)), make_member(other))
    with pytest.raises(WorkbenchError, match="no golden"):
        second_look.say_right(project=desk.project, by=desk.olga, seen_number=2, goldens=[stranger.pk])
    with pytest.raises(WorkbenchError, match="no label 999"):
        second_look.say_right(project=desk.project, by=desk.olga, seen_number=2, labels=[999_999])
    with pytest.raises(WorkbenchError, match="at least one"):
        second_look.say_right(project=desk.project, by=desk.olga, seen_number=2)
    assert not SecondLook.objects.exists()
