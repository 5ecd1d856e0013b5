"""Examples of the guideline, who is shown them, what differs, and the version that work is done under."""

from __future__ import annotations

import pytest

from annotations.models import Golden, GoldenStatus, Project, Role, User
from annotations.services import goldens, guidelines, labels, projects
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.services.guidelines import Source
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory

pytestmark = pytest.mark.django_db


def _project() -> tuple[Project, User]:
    project = make_project(is_blind=True)
    olga = make_member(project, Role.OWNER)
    projects.save_guideline(project=project, title="How", body="One.\nTwo.", by=olga, seen_number=0)
    return project, olga


class TestExamples:
    def test_each_change_is_a_new_version_and_the_old_one_stays(self) -> None:
        project, olga = _project()
        two = guidelines.add_example(project=project, by=olga, reason="missing_parameters", text="No  region", why="…")
        (row,) = two.examples.all()
        assert (two.number, two.body, row.text, row.verdict, row.added_by) == (
            2,
            "One.\nTwo.",
            "No region",
            "fail",
            olga,
        )
        ben = make_member(project, Role.OWNER)
        three = guidelines.save(
            project=project,
            by=ben,
            title="How",
            body="One.",
            seen_number=2,
            examples=[{"id": row.pk, "reason": "general", "text": "Other"}, {"reason": "passes", "text": "Fine"}],
        )
        assert [(r.reason, r.text, r.verdict, r.added_by) for r in three.examples.all()] == [
            ("general", "Other", "", olga),
            ("passes", "Fine", "pass", ben),
        ]
        four = guidelines.save(project=project, by=ben, title="How", body="One.", seen_number=3, examples=[])
        assert not four.examples.exists()
        assert [r.text for r in two.examples.all()] == ["No region"]

    def test_a_save_without_examples_keeps_them(self) -> None:
        project, olga = _project()
        guidelines.add_example(project=project, by=olga, reason="", text="Kept")
        made = projects.save_guideline(project=project, title="How", body="", by=olga, seen_number=2)
        assert [(row.reason, row.text) for row in made.examples.all()] == [("general", "Kept")]

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"reason": "no_such", "text": "x"}, "no failure reason no_such"),
            ({"reason": "general", "text": "  "}, "say what"),
            ({"reason": "general", "text": "x" * 1001}, "1001 characters"),
            ({"reason": "general", "text": "x", "why": "x" * 4001}, "4001 characters"),
            ({"reason": "general", "text": "x", "verdict": "maybe"}, "no verdict maybe"),
            ({"reason": "passes", "text": "x", "verdict": "fail"}, "cannot have another verdict"),
            ({"reason": "general", "text": "x", "id": 10**9}, "no example with the id"),
        ],
    )
    def test_what_cannot_be_is_refused_by_its_place_and_nothing_changes(
        self, given: dict[str, object], says: str
    ) -> None:
        project, olga = _project()
        fine = {"reason": "general", "text": "Fine"}
        with pytest.raises(WorkbenchError, match=f"example 2: .*{says}"):
            guidelines.save(project=project, by=olga, title="T", body="", seen_number=1, examples=[fine, given])
        assert project.guidelines.count() == 1

    def test_a_stale_save_is_refused(self) -> None:
        project, olga = _project()
        guidelines.add_example(project=project, by=olga, reason="general", text="Theirs")
        with pytest.raises(StaleRevisionError):
            guidelines.add_example(project=project, by=olga, reason="general", text="Mine", seen_number=1)
        assert project.guidelines.count() == 2

    def test_an_older_version_comes_back_as_a_new_one_with_its_examples(self) -> None:
        project, olga = _project()
        guidelines.add_example(project=project, by=olga, reason="general", text="First")
        guidelines.save(project=project, by=olga, title="New", body="New.", seen_number=2, examples=[])
        made = guidelines.restore(project=project, by=olga, number=2, seen_number=3)
        assert (made.number, made.title, made.body) == (4, "How", "One.\nTwo.")
        assert [row.text for row in made.examples.all()] == ["First"]
        with pytest.raises(StaleRevisionError):
            guidelines.restore(project=project, by=olga, number=1, seen_number=3)
        with pytest.raises(NotAllowedNowError):
            guidelines.restore(project=project, by=olga, number=4, seen_number=4)
        with pytest.raises(WorkbenchError, match="no version 9"):
            guidelines.restore(project=project, by=olga, number=9, seen_number=4)


class TestBlindness:
    def test_an_example_of_a_golden_appears_when_ones_own_is_handed_in(self) -> None:
        project, olga = _project()
        ana = make_member(project, Role.ANNOTATOR)
        conversation = make_conversation(make_dataset(project))
        made = guidelines.add_example(
            project=project, by=olga, reason="general", text="Secret", source=Source(conversation)
        )

        def seen() -> tuple[int, int]:
            shown = guidelines.shown_to(made, user=ana, is_blinded=True)
            return shown.count, shown.held_back

        assert seen() == (0, 1)
        golden = Golden.objects.create(conversation=conversation, annotator=ana)
        assert seen() == (0, 1)
        golden.status = GoldenStatus.SUBMITTED
        golden.save()
        assert seen() == (1, 0)
        assert guidelines.shown_to(made, user=olga, is_blinded=False).count == 1

    def test_an_example_of_a_run_appears_when_one_has_labelled_that_turn(self) -> None:
        project, olga = _project()
        ana = make_member(project, Role.ANNOTATOR)
        trajectory = make_trajectory(make_conversation(make_dataset(project)))
        source = Source(trajectory.conversation, trajectory=trajectory, path="main", turn_key="g2")
        made = guidelines.add_example(project=project, by=olga, reason="general", text="Secret", source=source)
        for key, count in (("g1", 0), ("g2", 1)):
            labels.save(trajectory=trajectory, path="main", turn_key=key, by=ana, seen_revision=0, verdict="pass")
            assert guidelines.shown_to(made, user=ana, is_blinded=True).count == count
        Golden.objects.create(conversation=trajectory.conversation, annotator=ana)
        assert guidelines.shown_to(made, user=ana, is_blinded=True).count == 0


def test_what_differs_line_by_line_and_by_example() -> None:
    project, olga = _project()
    one = project.guidelines.get()
    guidelines.add_example(project=project, by=olga, reason="general", text="Gone")
    two = projects.current_guideline(project)
    assert two is not None
    three = guidelines.save(
        project=project,
        by=olga,
        title="How",
        body="One.\nTwo more.\nThree.",
        seen_number=2,
        examples=[{"reason": "passes", "text": "Came"}],
    )
    found = guidelines.difference(
        two, three, examples_before=list(two.examples.all()), examples_after=list(three.examples.all())
    )
    assert [(line.kind, "|".join(f"{p.kind}:{p.text}" for p in line.pieces)) for line in found.lines] == [
        ("same", "same:One."),
        ("changed", "same:Two|ins: more|same:."),
        ("ins", "ins:Three."),
    ]
    assert [row.text for row in found.added] == ["Came"]
    assert [row.text for row in found.removed] == ["Gone"]
    assert not guidelines.difference(one, two, examples_before=[], examples_after=[])


def test_a_golden_and_a_label_name_the_version_in_force_when_they_were_last_saved() -> None:
    project, olga = _project()
    ana = make_member(project, Role.ANNOTATOR)
    trajectory = make_trajectory(make_conversation(make_dataset(project)))
    golden = goldens.start(trajectory.conversation, ana, trajectory)
    label = labels.save(trajectory=trajectory, path="main", turn_key="g1", by=ana, seen_revision=0, verdict="pass")
    guidelines.add_example(project=project, by=olga, reason="general", text="New")
    golden.refresh_from_db()
    assert [row.guideline and row.guideline.number for row in (golden, label)] == [1, 1]
    turn = golden.turns.first()
    assert turn is not None
    goldens.update_turn(turn=turn, body=turn.body, seen=turn.revision, by=ana)
    label = labels.save(trajectory=trajectory, path="main", turn_key="g1", by=ana, seen_revision=1, verdict="fail")
    golden.refresh_from_db()
    assert [row.guideline and row.guideline.number for row in (golden, label)] == [2, 2]
    guidelines.add_example(project=project, by=olga, reason="general", text="Newer")
    goldens.update_whole(golden=golden, seen=golden.revision, by=ana, comment="So.")
    golden.refresh_from_db()
    assert golden.guideline == projects.current_guideline(project)
