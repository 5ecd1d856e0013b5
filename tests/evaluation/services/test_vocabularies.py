"""A project's vocabulary: one shape, all faults with their place, and where each entry comes from."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Change
from annotations.services.errors import StaleRevisionError
from evaluation.services import lessons, vocabularies
from evaluation.services.vocabularies import Entry, VocabularyRefusedError
from tests.evaluation.services.test_lessons import PLACE, booked, booking_run, first
from tests.factories import make_member, make_project

BODY: dict[str, Any] = {
    "equal": [{"terms": ["Gold plan", "Premium"]}, {"terms": ["SP", "São Paulo"], "field": "city"}],
    "different": [{"terms": ["damaged", "defective"], "field": "reason"}],
    "opposites": [[["escalate"], ["close", "drop"]]],
    "fillers": ["kindly"],
}


def test_entries_read_and_written_give_the_same_body() -> None:
    assert vocabularies.body_of(vocabularies.entries_of(BODY)) == BODY
    assert vocabularies.in_one_shape(BODY) == BODY
    assert vocabularies.in_one_shape({"fillers": [], "equal": [{"field": " city ", "terms": [" A", "B "]}]}) == {
        "equal": [{"terms": ["A", "B"], "field": "city"}]
    }


def test_every_fault_is_named_with_its_place() -> None:
    body = {
        "equal": [{"terms": ["A", "B"]}, {"terms": ["A"]}, {"terms": ["A", 3]}, "x", {"terms": ["C", "D"]}],
        "different": [{"terms": ["no", "nope", "no"]}, {"terms": ["a", "b"]}],
        "opposites": [[["x"]], [["yes"], ["no"]], [["yes"], ["Yes"]]],
        "fillers": "kindly",
        "same": [],
    }
    found = vocabularies.faults_of(body)
    assert [fault.partition(": ")[0] for fault in found] == [
        "same",
        "equal[1].terms",
        "equal[2].terms[1]",
        "equal[3]",
        "opposites[0]",
        "opposites[2]",
        "fillers",
        "different[1].terms",
    ]
    assert "otherwise in equal[0]" in found[-1]


def test_a_contradiction_is_named_by_its_place_in_the_whole_body() -> None:
    body = {
        "equal": [{"terms": ["A"]}, {"terms": ["A", "B"]}],
        "different": [{"terms": ["x"]}, {"terms": ["x"]}, {"terms": ["b", "a"]}],
    }
    assert vocabularies.faults_of(body)[-1] == "different[2].terms: 'a' and 'b' are said to be otherwise in equal[1]"


@pytest.mark.parametrize("body", [[], "x", None, 3, {"fillers": ["a\0b"]}, {"fillers": ["\ud83d"]}])
def test_what_is_no_vocabulary_is_a_fault(body: Any) -> None:
    assert vocabularies.faults_of(body)


def test_large_files_are_refused_early() -> None:
    many = {"fillers": [f"word{number}" for number in range(vocabularies.MOST_ENTRIES + 1)]}
    assert "too many" in vocabularies.faults_of(many)[0]
    assert len(vocabularies.faults_of({"equal": [1] * 1000})) == vocabularies.MOST_FAULTS
    assert "more than 500" in vocabularies.faults_of({"fillers": ["x" * 501]})[0]


def test_differences_are_sentences() -> None:
    after = {"equal": [{"terms": ["Gold plan", "Premium"]}], "opposites": BODY["opposites"], "fillers": ["please"]}
    assert vocabularies.differences(BODY, after) == [
        "Change nothing: “please” added",
        "Mean the same: “SP”, “São Paulo” (field city) removed",
        "Never the same: “damaged”, “defective” (field reason) removed",
        "Change nothing: “kindly” removed",
    ]
    assert vocabularies.differences(BODY, BODY) == []


@pytest.mark.django_db
class TestNumbers:
    def test_a_number_is_seen_before_it_is_changed(self) -> None:
        project = make_project()
        by = make_member(project, "engineer")
        one = vocabularies.create(project=project, body={"fillers": ["kindly"]}, by=by, seen_number=0, reason="Why not")
        same = vocabularies.create(project=project, body={"fillers": ["kindly "]}, by=by, seen_number=1)
        assert (one.number, same) == (1, one)
        for seen in (0, 2):
            with pytest.raises(StaleRevisionError, match=r"now at number 1\. Nothing of yours is lost"):
                vocabularies.create(project=project, body={}, by=by, seen_number=seen)
        two = vocabularies.create(project=project, body=BODY, by=by, seen_number=1)
        (second, first_step) = vocabularies.steps([two, one], before=None)
        assert first_step.changes == ["Change nothing: “kindly” added"]
        assert first_step.reason == "Why not"
        assert len(second.changes) == 4
        three = vocabularies.restore(vocabulary=one, by=by, seen_number=2)
        assert (three.number, three.body) == (3, one.body)
        assert Change.objects.filter(action="vocabulary.changed").count() == 3

    def test_a_first_number_that_was_never_seen(self) -> None:
        with pytest.raises(VocabularyRefusedError, match="no vocabulary yet"):
            vocabularies.create(project=make_project(), body={}, by=None, seen_number=3)

    def test_an_entry_has_the_number_that_brought_it(self) -> None:
        run, carla = booking_run(booked("the Big Smoke"))
        project = run.project
        body: dict[str, Any] = {"fillers": ["kindly"], "equal": [{"terms": ["A", "B"]}]}
        vocabularies.create(project=project, body=body, by=None, seen_number=0)
        vocabularies.create(project=project, body={"fillers": ["kindly"]}, by=None, seen_number=1)
        again = vocabularies.create(project=project, body=body, by=carla, seen_number=2)
        item, (pair,) = first(run)
        lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
        assert lesson.vocabulary is not None
        entries = list(vocabularies.entries_of(lesson.vocabulary.body))
        origins = vocabularies.origins_of(project, entries)
        found = [(entry.words, origins[entry.key].number, origins[entry.key].lesson) for entry in entries]
        assert found == [
            ("“A”, “B”", again.number, None),
            ("“New York City”, “the Big Smoke” (field city)", 4, lesson),
            ("“kindly”", 1, None),
        ]

    def test_stored_comparisons_of_a_pair_are_counted(self) -> None:
        run, _ = booking_run(booked("the Big Smoke"), booked("Gotham"))
        entries = [
            Entry("equal", (("THE BIG SMOKE", "New York City", "x"),)),
            Entry("equal", (("Gotham", "new york city"),), "city"),
            Entry("equal", (("Gotham", "New York City"),), "place"),
            Entry("fillers", (("the",),)),
        ]
        counts = vocabularies.uses_of(run.project, entries)
        assert [counts.get(entry.key) for entry in entries] == [1, 1, 0, None]
        assert vocabularies.uses_of(make_project(), entries)[entries[0].key] == 0
