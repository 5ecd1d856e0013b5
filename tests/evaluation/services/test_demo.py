"""The demo in the database: loaded once, scored, with a calibration that proposes and a lesson that was learned."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotations.models import Project
from evaluation.models import EvaluationRun, Lesson, LessonKind, RunState, TurnVerdict, Vocabulary
from evaluation.services import calibration, lessons, meaning

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def loaded(settings: Any) -> Project:
    settings.AEM_LOCAL = True
    meaning.forget()
    call_command("load_demo", stdout=StringIO())
    return Project.objects.get(slug="demo")


def test_everything_is_scored_and_a_second_load_changes_nothing(loaded: Project) -> None:
    runs = EvaluationRun.objects.filter(project=loaded)
    assert {run.state for run in runs} == {RunState.DONE}
    assert [run.policy.name for run in runs.order_by("number")] == ["standard", "standard", "standard", "meaning"]
    before = (runs.count(), Vocabulary.objects.count(), Lesson.objects.count(), TurnVerdict.objects.count())
    said = StringIO()
    call_command("load_demo", stdout=said)
    assert "already" in said.getvalue()
    assert (runs.count(), Vocabulary.objects.count(), Lesson.objects.count(), TurnVerdict.objects.count()) == before

    scored = runs.get(policy__name="meaning")
    assert scored.vocabulary is not None
    turns = TurnVerdict.objects.in_run(scored)
    assert turns.filter(ambiguous=True).count() >= 10
    assert turns.filter(passed=False, ambiguous=False).count() >= 10

    # What people labelled is enough for a proposal.
    chosen = calibration.default_runs(loaded)
    assert chosen == [scored]
    report = calibration.report(chosen)
    assert report.problem == ""
    proposal = report.calibration.proposal
    assert proposal is not None
    # The demo's policy begins at 0.4; labels propose another threshold.
    assert report.present_threshold == Fraction(2, 5)
    assert proposal.threshold != Decimal("0.4")

    # One pair was learned, and what it touches waits to be scored again.
    lesson = Lesson.objects.get()
    assert lesson.kind == LessonKind.EQUAL
    assert lesson.rescored_in is None
    assert lesson.vocabulary is not None
    assert lesson.vocabulary.number == scored.vocabulary.number + 1
    assert len(list(lessons.touched_by(lesson, scored))) >= 2
