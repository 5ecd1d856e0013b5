"""Two people, or two windows of one, at the same moment: nothing is lost, doubled or answered with a server error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from annotations.models import Change, Conversation, DatasetVersion, HumanLabel, Role, Trajectory, User
from annotations.services import labels, projects, releases
from annotations.services.errors import WorkbenchError
from evaluation.models import Decision
from evaluation.services import decisions, exports
from tests.factories import make_conversation, make_golden_record, make_member, make_project, make_trajectory

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each call gives, or the refusal that it meets; any other error fails the test."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(index: int) -> None:
        try:
            barrier.wait()
            results[index] = calls[index]()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        assert not isinstance(result, Exception) or isinstance(result, WorkbenchError), repr(result)
    return results


def refused(results: list[Any]) -> int:
    return sum(isinstance(result, WorkbenchError) for result in results)


@pytest.fixture
def trajectory() -> Trajectory:
    return make_trajectory(make_conversation())


@pytest.fixture
def person(trajectory: Trajectory) -> User:
    return make_member(trajectory.conversation.dataset.project, Role.ADJUDICATOR)


def _label(trajectory: Trajectory, person: User, verdict: str, seen: int, turn: str = "g1") -> HumanLabel:
    return labels.save(
        trajectory=trajectory, path="main", turn_key=turn, by=person, seen_revision=seen, verdict=verdict
    )


def _decide(trajectory: Trajectory, person: User, verdict: str, seen: int) -> Decision:
    return decisions.decide(
        trajectory=trajectory, path="main", turn_key="g1", by=person, seen_revision=seen, reason="so", verdict=verdict
    )


@pytest.mark.parametrize("seen", [0, 1])
def test_of_two_saves_of_one_label_one_is_refused(trajectory: Trajectory, person: User, seen: int) -> None:
    if seen:
        _label(trajectory, person, "unsure", 0)
    results = at_once(
        lambda: _label(trajectory, person, "pass", seen), lambda: _label(trajectory, person, "fail", seen)
    )
    assert refused(results) == 1
    saved = next(result for result in results if isinstance(result, HumanLabel))
    assert HumanLabel.objects.get().verdict == saved.verdict
    assert Change.objects.filter(action="label.saved").count() == 1 + seen


@pytest.mark.parametrize("seen", [0, 1])
def test_of_two_decisions_on_one_turn_one_is_refused(trajectory: Trajectory, person: User, seen: int) -> None:
    other = make_member(trajectory.conversation.dataset.project, Role.ADJUDICATOR)
    if seen:
        _decide(trajectory, person, "not_agent", 0)
    results = at_once(
        lambda: _decide(trajectory, person, "pass", seen), lambda: _decide(trajectory, other, "fail", seen)
    )
    assert refused(results) == 1
    assert Decision.objects.get().revision == 1 + seen


def test_two_undos_take_back_two_changes(trajectory: Trajectory, person: User) -> None:
    _label(trajectory, person, "pass", 0)
    _label(trajectory, person, "fail", 1)
    results = at_once(*[lambda: labels.undo(trajectory=trajectory, by=person)] * 3)
    assert refused(results) == 1
    assert not HumanLabel.objects.exists()
    assert Change.objects.filter(action="label.undone").count() == 2


def test_an_undo_leaves_what_others_said(trajectory: Trajectory, person: User) -> None:
    other = make_member(trajectory.conversation.dataset.project)
    _label(trajectory, person, "pass", 0)
    _label(trajectory, other, "fail", 0)
    labels.undo(trajectory=trajectory, by=person)
    assert HumanLabel.objects.get().annotator == other
    with pytest.raises(WorkbenchError):
        labels.undo(trajectory=trajectory, by=person)


def test_a_decision_is_taken_back_once_and_only_as_it_was_seen(trajectory: Trajectory, person: User) -> None:
    decision = _decide(trajectory, person, "pass", 0)
    _decide(trajectory, person, "fail", 1)
    with pytest.raises(WorkbenchError, match="meanwhile"):
        decisions.take_back(decision=decision, by=person, seen_revision=1)
    take_back: Callable[[], None] = lambda: decisions.take_back(decision=decision, by=person, seen_revision=2)  # noqa: E731
    assert refused(at_once(take_back, take_back)) == 1
    assert not Decision.objects.exists()
    assert Change.objects.filter(action="decision.taken_back").count() == 1


def test_taking_back_while_somebody_decides_ends_in_one_of_both(trajectory: Trajectory, person: User) -> None:
    decision = _decide(trajectory, person, "pass", 0)
    results = at_once(
        lambda: decisions.take_back(decision=decision, by=person, seen_revision=1),
        lambda: _decide(trajectory, person, "fail", 1),
    )
    assert refused(results) == 1
    assert Decision.objects.count() == (0 if isinstance(results[1], WorkbenchError) else 1)


def test_of_two_releases_at_once_one_has_nothing_to_release(trajectory: Trajectory) -> None:
    make_golden_record(trajectory.conversation)
    dataset = trajectory.conversation.dataset
    results = at_once(*[lambda: releases.release(dataset=dataset, by=None)] * 3)
    assert refused(results) == 2
    assert DatasetVersion.objects.get().number == 1


def test_two_owners_who_leave_at_once_leave_one() -> None:
    project = make_project()
    make_member(project, Role.OWNER)
    make_member(project, Role.OWNER)
    first, second = project.memberships.select_related("user", "project")
    results = at_once(
        lambda: projects.remove_member(membership=first, by=first.user),
        lambda: projects.change_role(membership=second, role=Role.ANNOTATOR, by=second.user),
    )
    assert refused(results) == 1
    assert project.memberships.filter(role=Role.OWNER).count() == 1


def test_of_two_projects_of_one_short_name_one_is_made() -> None:
    user = User.objects.create(username="u")
    results = at_once(*[lambda: projects.create_project(name="N", slug="n", by=user)] * 2)
    assert refused(results) == 1


def test_an_export_holds_one_moment_although_people_go_on(
    trajectory: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second conversation is written while the first is read; on SQLite writers are not kept waiting for it."""
    monkeypatch.setattr(exports, "BATCH", 1)
    dataset = trajectory.conversation.dataset
    later = make_trajectory(make_conversation(dataset, key="later", title="before"))
    original = exports._conversation

    def slowly(row: Any, *args: Any, **kwargs: Any) -> Any:
        def write() -> None:
            Conversation.objects.filter(pk=later.conversation_id).update(title="after")
            connection.close()

        thread = threading.Thread(target=write)
        thread.start()
        thread.join(timeout=10)
        assert not thread.is_alive()
        return original(row, *args, **kwargs)

    monkeypatch.setattr(exports, "_conversation", slowly)
    written = exports.written(dataset=dataset, version=None, name="aem-1")
    text = b"".join(written.chunks).decode()
    assert '"later"' in text
    assert ('"after"' in text) == (connection.vendor != "postgresql")
    _label(trajectory, make_member(dataset.project), "pass", 0)  # the connection writes again
