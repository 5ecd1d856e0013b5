"""Comparing meanings in a run: each question once, kept, counted, and the same again when somebody looks."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.db import connection

from annotations.models import DatasetVersion, Project, Role
from annotations.services.errors import StaleRevisionError
from evaluation import aem
from evaluation.evaluators import remembered
from evaluation.models import Answer, EvaluationRun, RunAnswer, TurnVerdict
from evaluation.services import items, meaning, policies, review, runs, scoring, vocabularies
from evaluation.services.items import ItemFilter
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
)
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db

CITY: dict[str, Any] = {
    "paths": [
        {
            "id": "main",
            "turns": [
                {"id": "u1", "user": "Book it."},
                {"id": "g1", "tool": "book", "params": {"city": {"value": "New York City"}, "nights": {"value": 2}}},
                {"id": "g2", "response": "x", "claims": [{"text": "The total is 120 dollars."}]},
            ],
        }
    ]
}


def observed(city: Any, reply: str = "You pay $120 in all.") -> dict[str, Any]:
    return {
        "turns": [
            {"user": "Book it."},
            {"tool": "book", "args": {"city": city, "nights": 2}, "result": {"ok": True}},
            {"response": reply},
        ]
    }


def scored(*bodies: dict[str, Any], language: str = "en", project: Project | None = None) -> EvaluationRun:
    """A finished run over trajectories of one conversation."""
    dataset = make_dataset(project or make_project())
    conversation = make_conversation(dataset, language=language)
    record = make_golden_record(conversation, golden=CITY)
    for number, body in enumerate(bodies):
        make_trajectory(conversation, trial=number, body=body)
    return again(make_dataset_version(dataset, records=[record]))


def again(version: DatasetVersion) -> EvaluationRun:
    policy = policies.create(project=version.dataset.project, name="meaning", body={"scorer": "embedded"}, by=None)
    return make_run(version, policy=policy)


def turns_of(run: EvaluationRun, turn_no: int) -> list[TurnVerdict]:
    return list(TurnVerdict.objects.filter(verdict__item__run=run, turn_no=turn_no).order_by("verdict__item__position"))


def test_another_spelling_passes_and_another_city_fails() -> None:
    run = scored(observed("NYC"), observed("Boston"))
    assert [turn.passed for turn in turns_of(run, 1)] == [True, False]
    item = next(item for item in turns_of(run, 1)[0].detail["items"] if item["field"] == "city")
    assert (item["scorer"], item["passed"], item["threshold"]) == ("embedded", True, 0.5)
    assert item["layer"]
    assert item["sentence"]


def test_a_reply_in_other_words_covers_the_claim() -> None:
    run = scored(observed("NYC"), observed("NYC", "You pay $210 in all."), observed("NYC", "Goodbye."))
    assert [turn.failure_reason for turn in turns_of(run, 2)] == ["", "inconsistent_response", "incomplete_response"]
    item = turns_of(run, 2)[0].detail["items"][0]
    assert item["quote"] == [0, 20]


def test_each_distinct_pair_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[Any, Any]] = []
    real = meaning.scorer_of

    def counting(*given: Any) -> Any:
        scorer = real(*given)

        class Counting:
            version = scorer.version

            def compare(self, expected: Any, seen: Any, **more: Any) -> Any:
                compared.append((expected, seen))
                return scorer.compare(expected, seen, **more)

            claim = scorer.claim

        return Counting()

    monkeypatch.setattr(meaning, "scorer_of", counting)
    run = scored(*[observed("NYC") for _ in range(30)], observed("Boston"))
    assert sorted(compared) == [("New York City", "Boston"), ("New York City", "NYC")]
    effort = run.effort
    assert effort["distinct"] == effort["made"] == 3
    assert effort["from_before"] == 0
    assert effort["values"] >= 31
    assert effort["claims"] >= 31
    assert effort["asked"] == effort["values"] + effort["claims"]

    meaning.forget()  # as another process would begin
    second = again(run.dataset_version)
    assert len(compared) == 2
    assert (second.effort["distinct"], second.effort["made"], second.effort["from_before"]) == (3, 0, 3)
    assert RunAnswer.objects.filter(run=second).count() == 3


def test_what_another_worker_claimed_is_read_and_not_compared_again() -> None:
    run = scored(observed("NYC"))
    question = remembered.Question("value", "city", "en", '"New York City"', '"NYC"')
    meanings = meaning.Meanings(project_id=run.project_id, run=run)
    answer = Answer.objects.get(key=question.key(meanings.version))
    body = {"score": "1/3", "sentence": "Said by another.", "is_split": True, "layer": "test"}
    Answer.objects.filter(pk=answer.pk).update(answer=body)
    meanings.known.scores.clear()
    meanings._compare([question])
    assert meanings.known.scores[question] == aem.TextScore(Fraction(1, 3), "Said by another.", True, "test")


def test_under_exact_nothing_is_asked_and_nothing_loaded() -> None:
    run = make_run()
    assert (run.effort, run.scorer_version, run.vocabulary) == (None, "", None)
    assert not Answer.objects.exists()


def test_a_run_keeps_the_words_it_was_planned_with() -> None:
    project = make_project()
    before = scored(observed("the Big A"), project=project)
    assert turns_of(before, 1)[0].passed is False
    body = {"equal": [{"terms": ["New York City", "the Big A"]}]}
    made = vocabularies.create(project=project, body=body, by=None, seen_number=0)
    after = again(before.dataset_version)
    assert after.vocabulary == made
    assert turns_of(after, 1)[0].passed is True
    assert after.scorer_version != before.scorer_version
    assert after.plan_hash != before.plan_hash


def test_a_worker_with_other_words_does_not_score_the_run() -> None:
    run = scored(observed("NYC"))
    EvaluationRun.objects.filter(pk=run.pk).update(scorer_version="embedded 0")
    with pytest.raises(scoring.OtherEngineError, match="embedded 0"):
        scoring._plan_of(run.pk)


def changes_of(run: EvaluationRun) -> tuple[str, ...]:
    return runs.staleness(EvaluationRun.objects.get(pk=run.pk)).scorer_changes


def test_a_run_is_out_of_date_once_meanings_are_compared_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scored(observed("NYC"), observed("Boston"))
    assert not runs.staleness(run)
    body = {"equal": [{"terms": ["New York City", "the Big A"]}]}
    vocabularies.create(project=run.project, body=body, by=None, seen_number=0)
    said = "The project's vocabulary has changed: none then, number 1 now."
    assert changes_of(run) == (said,)
    assert all(runs.is_stale(item) for item in run.items.all())
    assert items.find(run, ItemFilter(stale=True)).count() == 2
    engineer = make_member(run.project, Role.ENGINEER)
    page = unescape(client_of(engineer).get(run.get_absolute_url()).content.decode())
    assert "Out of date" in page
    assert said in page
    assert api_of(engineer).get(f"runs/{run.pk}/").data["stale"]["scorer_changes"] == [said]
    assert "out of date" in client_of(engineer).get(run.items.get(position=1).get_absolute_url()).content.decode()
    assert changes_of(again(run.dataset_version)) == ()

    monkeypatch.setattr("evaluation.evaluators.embedded.scorer.RULES", "99")
    monkeypatch.setattr("evaluation.evaluators.embedded.scorer.lists_version", lambda: "0" * 12)
    rules, lists, words = changes_of(run)
    assert rules.endswith("99 now.")
    assert lists == "The built-in word lists have changed."
    assert words == said


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ("", "nano 1", "The embedding nano 1 is used now, and was not then."),
        ("nano 1", "", "The embedding nano 1 was used then, and is not now."),
        ("nano 1", "nano 2", "The embedding is another: nano 1 then, nano 2 now."),
    ],
)
def test_a_run_is_out_of_date_with_another_embedding(
    monkeypatch: pytest.MonkeyPatch, then: str, now: str, said: str
) -> None:
    run = scored(observed("NYC"))
    plain = run.scorer_version
    plain = plain[: plain.index("vocabulary ") + len("vocabulary ") + 12]
    monkeypatch.setattr(meaning, "version_of", lambda _: ", ".join(part for part in (plain, now) if part))
    EvaluationRun.objects.update(scorer_version=", ".join(part for part in (plain, then) if part))
    assert changes_of(run) == (said,)


def test_a_run_that_compares_exactly_does_not_hang_on_words() -> None:
    run = make_run(make_report_version(1))
    body = {"equal": [{"terms": ["New York City", "the Big A"]}]}
    vocabularies.create(project=run.project, body=body, by=None, seen_number=0)
    assert not runs.staleness(run)


def test_the_review_of_a_verdict_by_other_rules_shows_what_was_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scored(observed("Boston"))
    monkeypatch.setattr("evaluation.evaluators.embedded.scorer.RULES", "99")
    meaning.forget()
    page = client_of(make_member(run.project, Role.ENGINEER)).get(run.items.get().get_absolute_url()).content.decode()
    assert "could not be scored" not in page
    assert "Scored by the scorer rules" in page
    assert "Boston" in page


def test_the_page_that_explains_writes_nothing() -> None:
    run = scored(observed("NYC"))
    Answer.objects.all().delete()
    meaning.forget()
    item = run.items.get()
    found, problem, _ = review._explained(item, item.verdict)
    assert problem == ""
    assert found[1]["passed"] is True
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"equal": [{"terms": ["one"]}]}, "equal"),
        ({"unknown": []}, "unknown"),
        ({"equal": [{"terms": ["a", "b"]}], "different": [{"terms": ["b", "a"]}]}, "a"),
    ],
)
def test_words_that_cannot_be_used_are_refused(body: dict[str, Any], reason: str) -> None:
    project = make_project()
    with pytest.raises(vocabularies.VocabularyRefusedError, match=reason):
        vocabularies.create(project=project, body=body, by=None, seen_number=0)
    assert vocabularies.latest(project) is None


def test_two_edits_of_the_words_at_once() -> None:
    project = make_project()
    first = vocabularies.create(project=project, body={"equal": [{"terms": ["a", "bee"]}]}, by=None, seen_number=0)
    with pytest.raises(StaleRevisionError):
        vocabularies.create(project=project, body={"fillers": ["uh"]}, by=None, seen_number=0)
    same = vocabularies.create(project=project, body=first.body, by=None, seen_number=1)
    assert (same.pk, vocabularies.latest(project)) == (first.pk, first)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_workers_that_meet_the_same_pair_compare_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    question = remembered.Question("value", "city", "en", '"New York City"', '"NYC"')
    made: list[int] = []
    begun = threading.Barrier(2)

    def answer(self: meaning.Meanings, asked: remembered.Question) -> aem.TextScore:
        made.append(1)
        time.sleep(0.3)
        return aem.TextScore(Fraction(1), "Equal.")

    monkeypatch.setattr(meaning.Meanings, "_answer", answer)
    monkeypatch.setattr(meaning, "_known_of", lambda *_: meaning._Known())

    def work() -> aem.TextScore | aem.ClaimScore:
        meanings = meaning.Meanings(project_id=project.pk)
        begun.wait()
        meanings._compare([question])
        connection.close()
        return meanings.known.scores[question]

    with ThreadPoolExecutor(2) as pool:
        scores = [future.result() for future in [pool.submit(work), pool.submit(work)]]
    assert scores[0] == scores[1] == aem.TextScore(Fraction(1), "Equal.")
    assert made == [1]
