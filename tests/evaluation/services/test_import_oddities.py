"""Imports of what no exporter of ours writes: names too long for columns, people who speak twice, tools in parts."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Conversation, Dataset, Golden, HumanLabel, Membership, Role, User
from annotations.services import labels, projects
from evaluation.formats import jsonio
from evaluation.models import ImportState
from evaluation.services import imports
from tests.evaluation.services.test_imports import exported, lines, record, take, upload
from tests.factories import make_dataset, make_member, report_golden

pytestmark = pytest.mark.django_db

TOOLS = {"reports": {"effect": "read"}, "mail": {"effect": "write"}}
SCHEMA = {"type": "object", "properties": {"metric": {"type": "string"}}}


def label(annotator: str = "ana", **changes: Any) -> dict[str, Any]:
    return {"annotator": annotator, "path": "main", "turn": "g2", "verdict": "fail", **changes}


def decision(by: str = "carla", **changes: Any) -> dict[str, Any]:
    return {"by": by, "path": "main", "turn": "g2", "verdict": "fail", "reason": "so", **changes}


def golden_with(old: str, new: str) -> Any:
    return jsonio.loads(jsonio.dumps(report_golden()).replace(f'"{old}"', f'"{new}"'))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": [label("a" * 151)]}, "name of a person"),
        ({"decisions": [decision("a" * 151)]}, "name of a person"),
        ({"annotations": [{"annotator": "a" * 151, "comment": "c"}]}, "name of a person"),
        ({"labels": [label(), label(verdict="pass")]}, "two labels by ana on turn g2"),
        ({"decisions": [decision(), decision("ben")]}, "two decisions on turn g2"),
        ({"annotations": [{"annotator": "ana", "comment": "1"}, {"annotator": "ana", "comment": "2"}]}, "by ana"),
        ({"golden": golden_with("g2", "g" * 101)}, "turn of the golden"),
        ({"golden": golden_with("main", "m" * 101)}, "path of the golden"),
    ],
)
def test_what_cannot_be_stored_as_it_is_costs_its_conversation_and_nothing_else(
    changes: dict[str, Any], words: str
) -> None:
    dataset = make_dataset()
    job = upload(dataset, lines([record(1), record(2, **changes), record(3)]))
    said = [problem["sentence"] for problem in job.report["problems"] if problem["severity"] == "error"]
    assert any(words in sentence and "c2" in sentence for sentence in said)
    take(job)
    assert [conversation.key for conversation in Conversation.objects.order_by("key")] == ["c1", "c3"]


def test_people_whose_names_begin_alike_are_two_people() -> None:
    dataset = make_dataset()
    names = ["é" * 149 + end for end in "ab"]
    job = upload(dataset, lines([record(1, labels=[label(name) for name in names])]))
    assert take(job)["labels new"] == 2
    assert sorted(HumanLabel.objects.values_list("annotator__imported_name", flat=True)) == names
    again = upload(dataset, lines([record(1, labels=[label(name) for name in names])]))
    assert again.report["effect"]["counts"]["labels already present, kept"] == 2


def test_there_is_nothing_to_decide_where_no_conversation_is_good() -> None:
    job = upload(make_dataset(), lines([record(1, conversation_meta={"title": "x" * 301})]))
    assert job.state == ImportState.FAILED


def test_tool_schemas_alone_are_refused_with_a_reason() -> None:
    schema = {"type": "function", "function": {"name": "get_order", "description": "d", "parameters": SCHEMA}}
    job = upload(make_dataset(), jsonio.dumps([schema]).encode(), name="tools.json", format_name="tau-bench")
    assert job.state == ImportState.FAILED
    assert "no conversation" in job.report["problems"][0]["sentence"]


def _tools(dataset: Dataset) -> tuple[Any, Any]:
    """Of the conversation, and of its golden in force."""
    conversation = Conversation.objects.get(dataset=dataset)
    assert conversation.golden_record is not None
    return conversation.tool_set.body, conversation.golden_record.tool_set.body


def test_what_a_later_file_says_of_known_tools_is_added_and_nothing_is_replaced() -> None:
    dataset = make_dataset()
    take(upload(dataset, lines([record(1, tools=TOOLS)])))
    richer = {"reports": {"effect": "write", "schema": SCHEMA}, "print": {"effect": "read"}}
    job = upload(dataset, lines([record(1, tools=richer)]))
    assert job.report["effect"]["counts"]["tools changed: more is known of them"] == 1
    assert any("reports.effect" in note for note in job.report["effect"]["notes"])
    assert take(job, take_changes=False)["tools changed, kept"] == 1
    assert _tools(dataset) == (TOOLS, TOOLS)

    job = upload(dataset, lines([record(1, tools=richer)]))
    assert take(job) == job.report["effect"]["counts"]
    merged = {"reports": {"effect": "read", "schema": SCHEMA}, "mail": {"effect": "write"}, "print": {"effect": "read"}}
    assert _tools(dataset) == (merged, merged)
    assert jsonio.loads(exported(dataset))["tools"] == merged

    again = upload(dataset, lines([record(1, tools=richer)])).report["effect"]["counts"]
    assert set(again) == {"conversations already present", "goldens already present", "trajectories already present"}


def test_a_second_import_finds_the_same_people_although_they_have_joined_or_left() -> None:
    dataset = make_dataset()
    data = lines([record(1, labels=[label("ana"), label("ben")])])
    ben = make_member(dataset.project, user=User.objects.create(username="ben"))
    take(upload(dataset, data))
    make_member(dataset.project, Role.ANNOTATOR, user=User.objects.create(username="ana"))
    Membership.objects.filter(user=ben).delete()
    counts = take(upload(dataset, data))
    assert counts["labels already present, kept"] == 2
    assert HumanLabel.objects.count() == 2


def test_a_file_that_is_gone_from_the_server_is_said_to_be() -> None:
    job = upload(make_dataset(), lines([record(1)]))
    stored = job.files.get()
    stored.file.storage.delete(str(stored.file.name))
    with pytest.raises(imports.ImportRefusedError, match="Upload it again"):
        take(job)
    job.refresh_from_db()
    assert job.state == ImportState.PREVIEWED


def test_odd_file_names_are_stored() -> None:
    job = upload(make_dataset(), lines([record(1)]), name="a\x00b\n\udce9" + "x" * 300 + ".jsonl")
    name = job.files.get().name
    assert name.endswith("x.jsonl")
    assert len(name) == 255


def test_labels_of_turns_with_the_longest_names_can_be_changed_here() -> None:
    dataset = make_dataset()
    take(upload(dataset, lines([record(1, golden=golden_with("g2", "g" * 100), labels=[label(turn="g" * 100)])])))
    row = HumanLabel.objects.get()
    person = make_member(dataset.project)
    labels.save(trajectory=row.trajectory, path="main", turn_key="g" * 100, by=person, seen_revision=0, verdict="pass")
    assert HumanLabel.objects.count() == 2


@pytest.mark.parametrize(
    ("named", "number"), [(1, 1), (7, None), ("1", None), (True, None), (10**30, None), (None, None)]
)
def test_an_imported_golden_is_under_the_version_that_its_file_names(named: Any, number: int | None) -> None:
    dataset = make_dataset()
    for seen in (0, 1):
        projects.save_guideline(project=dataset.project, title="G", body="", by=None, seen_number=seen)
    written = {"annotator": "ana", "status": "submitted", "golden": report_golden(), "guideline_version": named}
    take(upload(dataset, lines([record(1, annotations=[written])])))
    guideline = Golden.objects.get().guideline
    assert (guideline.number if guideline is not None else None) == number
