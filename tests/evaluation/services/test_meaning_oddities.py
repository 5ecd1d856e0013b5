"""Comparing meanings where something is odd: what is gone, fails, is huge, or changed while the run was at work."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from annotations.services.errors import NotAllowedNowError
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.models import (
    Answer,
    EvaluationRun,
    RunAnswer,
    RunState,
    TrialState,
    Verdict,
)
from evaluation.services import meaning, review, runs, scoring, summaries, trials, vocabularies
from tests.evaluation.services.test_meaning import CITY, again, observed, scored, turns_of
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_project,
    make_run,
    make_trajectory,
)

pytestmark = pytest.mark.django_db


def test_what_a_page_worked_out_by_itself_is_no_answer_of_a_run() -> None:
    run = scored(observed("NYC"))
    Answer.objects.all().delete()
    meaning.forget()
    review._explained(run.items.get(), run.items.get().verdict)
    second = again(run.dataset_version)
    assert (second.state, [turn.passed for turn in turns_of(second, 1)]) == (RunState.DONE, [True])
    assert RunAnswer.objects.filter(run=second).count() == Answer.objects.count() == second.effort["distinct"] == 2


def test_a_pair_on_which_the_scorer_fails_costs_its_trajectory_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = EmbeddedScorer.compare

    def compare(self: EmbeddedScorer, expected: Any, seen: Any, **more: Any) -> Any:
        if seen == "Poison":
            raise RecursionError("too deep")
        return real(self, expected, seen, **more)

    monkeypatch.setattr(EmbeddedScorer, "compare", compare)
    run = scored(observed("NYC"), observed("Poison"), observed("Boston"))
    assert run.state == RunState.DONE
    assert [verdict.test_pass for verdict in Verdict.objects.filter(item__run=run).order_by("item__position")] == [
        True,
        None,
        False,
    ]
    assert "too deep" in Verdict.objects.get(item__run=run, item__position=2).error
    monkeypatch.setattr(EmbeddedScorer, "compare", real)
    assert turns_of(again(run.dataset_version), 1)[1].passed is False


def test_a_draft_on_a_run_that_compared_exactly_knows_the_words_of_the_project() -> None:
    project = make_project()
    body = {"equal": [{"terms": ["New York City", "the Big A"]}]}
    vocabularies.create(project=project, body=body, by=None, seen_number=0)
    dataset = make_dataset(project)
    conversation = make_conversation(dataset, language="en")
    record = make_golden_record(conversation, golden=CITY)
    make_trajectory(conversation, body=observed("the Big A"))
    version = make_dataset_version(dataset, records=[record])
    exact = make_run(version)
    trial = trials.begin(run=exact, body={"scorer": "embedded"}, name="d", seen_number=0, by=None, now=timezone.now())
    vocabularies.create(project=project, body={}, by=None, seen_number=1)
    trials.work(trial.pk, now=timezone.now())
    trial.refresh_from_db()
    assert trial.state == TrialState.DONE
    assert trials.side(trial, "after").passed == 2


def test_a_run_of_another_scorer_is_not_gone_on_with() -> None:
    run = scored(observed("NYC"))
    EvaluationRun.objects.filter(pk=run.pk).update(scorer_version="rules 0", state=RunState.STOPPED)
    Verdict.objects.filter(item__run=run).update(not_scored=1)
    run.refresh_from_db()
    with pytest.raises(NotAllowedNowError, match=r"rules 0.*Start a new run"):
        runs.resume(run=run)
    with pytest.raises(NotAllowedNowError, match=r"rules 0.*Start a new run"):
        runs.score_unscored(run=run)
    run.refresh_from_db()
    assert run.state == RunState.STOPPED


def test_a_run_of_another_scorer_is_shown_as_it_was_stored() -> None:
    run = scored(observed("Boston"))
    EvaluationRun.objects.filter(pk=run.pk).update(scorer_version="rules 0")
    run.refresh_from_db()
    item = run.items.get()
    found, problem, _ = review._explained(item, item.verdict)
    assert found == {}
    assert "rules 0" in problem


def test_a_run_that_follows_asks_what_the_goldens_in_force_ask() -> None:
    dataset = make_dataset()
    conversation = make_conversation(dataset, language="en")
    record = make_golden_record(conversation, golden=CITY)
    make_trajectory(conversation, body=observed("NYC"))
    version = make_dataset_version(dataset, records=[record])
    first = make_run(version)
    make_golden_record(conversation, golden=CITY, policy={"scorer": "embedded"})
    second = make_run(version, follows=first)
    assert second.scorer_version == meaning.version_of(None)
    assert turns_of(second, 1)[0].passed is True


def test_an_adding_up_that_was_overtaken_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scored(observed("NYC"))
    real = summaries.summarise

    def overtaken(run_id: Any) -> Any:
        found = real(run_id)
        if calls:
            return found
        calls.append(run_id)
        # Meanwhile the run goes on and ends again, with other verdicts.
        EvaluationRun.objects.filter(pk=run_id).update(state=RunState.RUNNING, summary=None)
        Verdict.objects.filter(item__run=run_id).update(test_pass=False)
        scoring.finish(now=timezone.now())
        return found

    calls: list[Any] = []
    monkeypatch.setattr(summaries, "summarise", overtaken)
    EvaluationRun.objects.filter(pk=run.pk).update(state=RunState.RUNNING, summary=None)
    scoring.finish(now=timezone.now())
    run.refresh_from_db()
    assert run.summary["all"]["test_passed"] == 0
