"""Comparing meanings where something is odd: what is gone, fails, is huge, or changed while the run was at work."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import DatasetVersion
from annotations.services.errors import NotAllowedNowError
from evaluation.evaluators import remembered
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.formats import jsonio
from evaluation.models import (
    Answer,
    EvaluationRun,
    RunAnswer,
    RunState,
    TrialState,
    TurnVerdict,
    Verdict,
)
from evaluation.services import meaning, policies, review, runs, scoring, summaries, trials, vocabularies
from tests.evaluation.services.test_meaning import CITY, again, observed, scored, turns_of
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_project,
    make_run,
    make_trajectory,
    score_run,
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
    found, problem, other_version = review._explained(item, item.verdict)
    assert (found, problem) == ({}, "")
    assert "rules 0" in other_version


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


LANGUAGES = ("en", "pt-BR", "", "de", "es")
OWN: tuple[dict[str, Any], ...] = (
    {},
    {"threshold": 0.9},
    {"scorer": "exact"},
    {"scorer": "embedded", "threshold": 0.1},
    {"margin": 0.5},
)


def mixed_version() -> DatasetVersion:
    """Conversations in several languages, some with settings of their own, each with trajectories of all sorts."""
    dataset = make_dataset()
    records = []
    for number, own in enumerate(OWN):
        conversation = make_conversation(dataset, language=LANGUAGES[number])
        records.append(make_golden_record(conversation, golden=CITY, policy=own))
        for trial, (city, reply) in enumerate(
            [
                ("NYC", "You pay $120 in all."),
                ("Nova Iorque", "São 120 dólares no total."),
                ("New York", "It is a total of 120, in dollars."),
                ("Boston", "Goodbye."),
                ("the big city", "About a hundred dollars, or some more."),
                ({"city": "New York City"}, "You pay $121."),
            ]
        ):
            make_trajectory(conversation, trial=trial, body=observed(city, reply))
    return make_dataset_version(dataset, records=records)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.75, 1.0])
def test_a_trial_says_what_a_run_then_says(threshold: float) -> None:
    version = mixed_version()
    project = version.dataset.project
    body: dict[str, Any] = {"scorer": "embedded", "threshold": threshold, "composition": {"rule": "weighted"}}
    before = make_run(version)
    trial = trials.begin(run=before, body=body, name="d", seen_number=0, by=None, now=timezone.now())
    while trials.work(trial.pk, now=timezone.now()):
        pass
    trial.refresh_from_db()
    assert trial.state == TrialState.DONE
    policy = policies.create(project=project, name="draft", body=body, by=None)
    # By another process, which knows what is kept and nothing else.
    meaning.forget()
    after = make_run(version, policy=policy)
    everything, said = after.summary["all"], trials.side(trial, "after")
    assert (said.evaluated, said.passed, said.ambiguous, said.root_causes, said.cascades, said.judged) == tuple(
        everything[name] for name in ("evaluated", "passed", "ambiguous", "root_causes", "cascades", "judged")
    )
    assert (said.test_passed, said.turns_not_scored) == (everything["test_passed"], everything["turns_not_scored"])
    assert said.mean_success_rate == pytest.approx(float(after.summary["mean_success_rate"]["mean"]))
    assert after.effort["made"] == 0

    def states(run: EvaluationRun) -> dict[tuple[int, int], tuple[Any, ...]]:
        rows = TurnVerdict.objects.filter(verdict__item__run=run)
        names = ("verdict__item__position", "turn_no", "passed", "failure_reason", "ambiguous")
        return {row[:2]: row[2:] for row in rows.values_list(*names)}

    old, new = states(before), states(after)
    changed = {place for place in new if old[place] != new[place]}
    assert {(one.position, one.turn_no) for one in trials.find_changes(trial) if one.turn_no} == changed
    # Nor does it matter where the answers come from: without any of them the run says the same.
    Answer.objects.all().delete()
    meaning.forget()
    assert states(make_run(version, policy=policy)) == new


def test_claims_are_covered_from_the_threshold_up_whatever_was_asked_before() -> None:
    dataset = make_dataset()
    conversation = make_conversation(dataset, language="en")
    record = make_golden_record(conversation, golden=CITY)
    make_trajectory(conversation, body=observed("NYC", "It may be that some hundred dollars are to be paid."))
    version = make_dataset_version(dataset, records=[record])
    again(version)
    kept = Answer.objects.get(question__contains='"claim"')
    for state, score in (("covered", "3/5"), ("not_said", "2/5")):
        Answer.objects.filter(pk=kept.pk).update(answer={**kept.answer, "state": state, "score": score})
        for threshold, covered in (
            (0.3, True),
            (0.4, True),
            (0.5, score == "3/5"),
            (0.6, score == "3/5"),
            (0.7, False),
        ):
            meaning.forget()
            body = {"scorer": "embedded", "threshold": threshold, "margin": 0}
            policy = policies.create(project=dataset.project, name=f"at {state} {threshold}", body=body, by=None)
            turn = turns_of(make_run(version, policy=policy), 2)[0]
            assert (turn.passed, turn.failure_reason) == (covered, "" if covered else "incomplete_response")


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ("1", "1.0"),
        ("1", "1e0"),
        ("10", "1E+1"),
        ("100000000000000000001", "100000000000000000000"),
        ("0.10", "0.1"),
        ('{"a": 1, "b": "x"}', '{"b": "y", "a": 1.0}'),
        ('"1"', "1"),
        ("9" * 4000, "9" * 3999 + "8"),
    ],
)
def test_values_are_asked_as_they_are_written(expected: str, seen: str) -> None:
    """What is kept and read again decides like what was compared at once."""
    golden = jsonio.loads(jsonio.dumps(CITY).replace('"New York City"', expected))
    dataset = make_dataset()
    conversation = make_conversation(dataset, language="en")
    record = make_golden_record(conversation, golden=golden)
    make_trajectory(conversation, body=observed(jsonio.loads(seen)))
    version = make_dataset_version(dataset, records=[record])
    first = again(version)
    assert first.state == RunState.DONE
    meaning.forget()
    second = again(version)
    assert [turn.passed for turn in turns_of(first, 1)] == [turn.passed for turn in turns_of(second, 1)]
    assert second.effort["made"] == 0


def test_huge_texts_leave_small_rows_and_little_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte as a value, ten as a reply."""
    run = scored(observed("New York " + "x" * 1_000_000, "You pay $120 in all. " + "word " * 2_000_000))
    assert run.state == RunState.DONE
    for answer in Answer.objects.all():
        assert len(jsonio.dumps([answer.question, answer.answer])) < 2000
    (known,) = meaning._known.values()
    assert known.characters > 10_000_000
    monkeypatch.setattr(meaning, "_KEPT_CHARACTERS", 1_000_000)
    assert meaning._known_of(run.project_id, meaning.version_of(None)).characters == 0
    assert not meaning._known_of(run.project_id, meaning.version_of(None)).scores


def test_long_questions_are_compared_few_at_once() -> None:
    def question(length: int) -> remembered.Question:
        return remembered.Question("claim", "", "en", "c", "r" * (length - 1))

    questions = [question(length) for length in (100, 3900, 1, 9000, 10, 10, 10, 10, 10)]
    sizes = [[len(one.observed) + 1 for one in portion] for portion in meaning._portions_of(questions, 4)]
    assert sizes == [[100, 3900], [1], [9000], [10, 10, 10, 10], [10]]


@pytest.mark.django_db(transaction=True)
def test_answers_that_somebody_deleted_are_found_again() -> None:
    run = scored(observed("NYC"), observed("Boston"))
    Answer.objects.all().delete()
    second = again(run.dataset_version)
    assert (second.state, second.chunks.get().attempts) == (RunState.DONE, 1)
    assert second.effort["distinct"] == second.effort["made"] == Answer.objects.count() == 3
    assert second.effort["asked"] == run.effort["asked"]


def test_workers_of_another_version_fail_the_run_and_the_right_one_ends_it() -> None:
    run = scored(observed("NYC"))
    second = make_run(run.dataset_version, policy=run.policy, is_scored=False)
    EvaluationRun.objects.filter(pk=second.pk).update(scorer_version="rules 0")
    for minutes in range(1, 4):
        scoring.work(worker="old")
        scoring.reap(now=timezone.now() + timedelta(minutes=minutes))
    second.refresh_from_db()
    error = second.chunks.get().error
    assert second.state == RunState.FAILED
    assert error.startswith("The run was planned for the scorer rules 0")
    assert "Traceback" not in error
    EvaluationRun.objects.filter(pk=second.pk).update(scorer_version=run.scorer_version)
    second.refresh_from_db()
    runs.resume(run=second)
    assert score_run(second).state == RunState.DONE
