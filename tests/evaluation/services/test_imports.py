"""Imports and exports through the services: what acceptance checks G01 to G05, G07 and G09 ask for."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotations.models import Conversation, Dataset, GoldenRecord, HumanLabel, Project, Role, Trajectory
from annotations.services import goldens, labels
from annotations.services.errors import NotAllowedNowError
from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile
from evaluation.models import Decision, ImportJob, ImportState
from evaluation.services import decisions, exports, imports
from tests.factories import make_dataset, make_golden, make_member, report_golden, report_trajectory

pytestmark = pytest.mark.django_db


def record(number: int, **changes: Any) -> dict[str, Any]:
    trajectory = {"agent": "reporter", "agent_version": "2.2", "trial": 0, **report_trajectory()}
    return {"format": "aem/1", "id": f"c{number}", "golden": report_golden(), "trajectory": trajectory, **changes}


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(jsonio.dumps(each) + "\n" for each in records).encode()


def upload(dataset: Dataset, data: bytes, *, name: str = "upload.jsonl", **more: Any) -> ImportJob:
    return imports.preview(
        project=dataset.project, dataset=dataset, by=None, files=[SourceFile(name=name, data=data)], **more
    )


def take(job: ImportJob, *, take_changes: bool = True) -> dict[str, int]:
    done = imports.apply(job=job, by=None, now=timezone.now(), take_changes=take_changes)
    counts: dict[str, int] = done.report["effect"]["counts"]
    return counts


def exported(dataset: Dataset, *, name: str = "aem-1", with_people: bool = True) -> bytes:
    return b"".join(exports.written(dataset=dataset, version=None, name=name, with_people=with_people).chunks)


def test_a_preview_writes_nothing_and_says_what_would_be_written() -> None:
    dataset = make_dataset()
    job = upload(dataset, lines([record(n) for n in range(3)]))
    assert job.state == ImportState.PREVIEWED
    assert job.report["effect"]["counts"] == {"conversations new": 3, "goldens new": 3, "trajectories new": 3}
    assert not Conversation.objects.exists()
    assert take(job) == job.report["effect"]["counts"]
    assert Trajectory.objects.count() == 3
    assert job.files.get().file.read() == lines([record(n) for n in range(3)])


def test_a_decision_is_made_once() -> None:
    job = upload(make_dataset(), lines([record(1)]))
    imports.discard(job=job, by=None, now=timezone.now())
    with pytest.raises(NotAllowedNowError):
        take(job)
    assert not Conversation.objects.exists()


def test_characters_that_the_database_cannot_hold_are_replaced_and_named() -> None:
    """G01."""
    dataset = make_dataset()
    texts = [jsonio.dumps(record(n)) for n in range(1, 201)]
    bad = record(17)
    bad["trajectory"]["turns"][0]["user"] = "a\x00b"
    bad["trajectory"]["turns"][3]["args"]["k\x00"] = 1
    texts[16] = json.dumps(bad)
    texts[17] = texts[17].replace("Europe, revenue please", "\\ud83d alone", 1)
    texts[18] = texts[18].replace("Europe, revenue please", "six: \\\\u0000", 1)
    job = upload(dataset, "\n".join(texts).encode())
    assert take(job)["conversations new"] == 200
    warned = {problem["line"] for problem in job.report["problems"]}
    assert warned == {17, 18}
    seventeen = Trajectory.objects.get(conversation__key="c17")
    assert seventeen.body["turns"][0]["user"] == "a\ufffdb"
    assert seventeen.body["turns"][3]["args"]["k\ufffd"] == 1
    nineteen = jsonio.dumps(
        [
            Conversation.objects.get(key="c19").golden_record.body,  # type: ignore[union-attr]
            Trajectory.objects.get(conversation__key="c19").body,
        ]
    )
    assert "six: \\\\u0000" in nineteen
    eighteen = GoldenRecord.objects.get(conversation__key="c18")
    assert "\ufffd alone" in jsonio.dumps(eighteen.body)


def test_encodings_give_identical_records_or_a_clear_refusal() -> None:
    """G02."""
    records = [record(n, conversation_meta={"title": "é ã 漢 😀"}) for n in range(10)]
    text = lines(records).decode()
    seen = []
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        dataset = make_dataset()
        take(upload(dataset, text.encode(encoding)))
        seen.append(exported(dataset))
    assert seen[0] == seen[1] == seen[2]
    latin = lines([record(1, conversation_meta={"title": "é"})]).decode().encode("latin-1")
    refused = upload(make_dataset(), latin)
    assert refused.state == ImportState.FAILED
    assert "byte" in refused.report["problems"][0]["reason"]
    assert refused.report["problems"][0]["line"] == 1
    named = make_dataset()
    take(upload(named, latin, encoding="latin-1"))
    assert Conversation.objects.get(dataset=named).title == "é"


def test_a_mostly_good_file_is_taken_in_part_or_not_at_all() -> None:
    """G03."""
    dataset = make_dataset()
    texts = [jsonio.dumps(record(n)) for n in range(1000)]
    texts[10] = texts[20] = texts[30] = ""
    texts[100] = texts[100].replace("I need a sales report", "I need\na sales report", 1)
    texts[200] = texts[200][:-1] + ",}"
    texts[300] = '{"format": "aem/1", "id": "no conversation"}'
    texts[400] = "[1, 2]"
    job = upload(dataset, "\r\n".join(texts).encode())
    assert job.report["errors"] == 4
    for problem in job.report["problems"]:
        assert problem["line"] is not None
        assert problem["reason"]
        assert 0 < len(problem["excerpt"]) <= 80
    assert not Conversation.objects.exists()
    counts = take(job)
    assert counts["conversations new"] == 993
    assert counts["conversations new"] + job.report["errors"] + job.report["counts"]["blank_lines"] == 1000


def test_the_same_file_again_adds_nothing_and_a_change_is_asked_about() -> None:
    """G04."""
    dataset = make_dataset()
    records = [record(n) for n in range(50)]
    take(upload(dataset, lines(records)))
    again = take(upload(dataset, lines(records)))
    assert again["trajectories already present"] == 50
    assert "trajectories new" not in again
    records[7]["trajectory"]["turns"][3]["args"]["metric"] = "profit"
    job = upload(dataset, lines(records))
    assert job.report["effect"]["counts"]["trajectories changed"] == 1
    kept = take(job, take_changes=False)
    assert kept["trajectories changed, kept"] == 1
    assert Trajectory.objects.count() == 50
    added = take(upload(dataset, lines(records)))
    assert added["trajectories changed"] == 1
    assert Trajectory.objects.count() == 51
    assert Trajectory.objects.current().count() == 50
    assert Trajectory.objects.current().get(conversation__key="c7").version == 2


def test_an_old_version_imported_again_is_in_force_again() -> None:
    dataset = make_dataset()
    first, second = record(1), record(1)
    second["trajectory"]["turns"][3]["args"]["metric"] = "profit"
    for each in (first, second, first):
        take(upload(dataset, lines([each])))
    assert Trajectory.objects.count() == 2
    assert Trajectory.objects.current().get().version == 1


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_the_same_moment_still_make_fifty() -> None:
    """G04, the last sentence."""
    dataset = make_dataset()
    data = lines([record(n) for n in range(50)])
    jobs = [upload(dataset, data), upload(dataset, data)]
    errors: list[BaseException] = []

    def run(job: ImportJob) -> None:
        try:
            take(job)
        except BaseException as error:  # shown below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert Trajectory.objects.count() == 50
    assert Conversation.objects.count() == 50


def test_a_golden_that_was_annotated_here_is_never_replaced() -> None:
    dataset = make_dataset()
    take(upload(dataset, lines([record(1)])))
    conversation = Conversation.objects.get()
    owner = make_member(dataset.project, Role.OWNER)
    golden = make_golden(conversation)
    body = report_golden()
    body["paths"][0]["turns"][3]["params"]["region"] = {"value": "EMEA"}
    goldens.load_body(golden, body, golden.annotator)
    goldens.submit(golden, golden.annotator)
    goldens.accept(golden, owner)
    counts = take(upload(dataset, lines([record(1)])))
    assert counts["goldens changed, kept: written here"] == 1
    conversation.refresh_from_db()
    assert "EMEA" in jsonio.dumps(conversation.golden_record.body)  # type: ignore[union-attr]


def test_export_then_import_then_export_is_the_identity() -> None:
    """G05, over aem/1 and the table, with everything that people did."""
    dataset = make_dataset()
    known = record(
        1,
        remark="unknown keys come out again",
        conversation_meta={"title": "One", "language": "en", "domain": "sales", "user_goal": "a report"},
        tools={"reports": {"effect": "read", "schema": {"type": "object"}}},
        policy={"extra_writes": "fail"},
    )
    known["golden"]["paths"].append({"id": "other", "turns": [{"id": "o1", "tool": "mail", "params": {}}]})
    known["golden"]["note"] = "kept"
    known["trajectory"] |= {"reward": jsonio.loads("1.0"), "session": "s-1"}
    second = record(2, conversation="c1", golden=known["golden"], tools=known["tools"], policy=known["policy"])
    second["trajectory"] |= {"trial": 1}
    take(upload(dataset, lines([known, second])))
    conversation = Conversation.objects.get()
    ana, ben = make_member(dataset.project), make_member(dataset.project)
    carla = make_member(dataset.project, Role.ADJUDICATOR)
    trajectory = Trajectory.objects.order_by("pk")[0]
    for person, verdict in ((ana, "pass"), (ben, "fail")):
        golden = make_golden(conversation, annotator=person, comment=f"by {person}")
        goldens.load_body(golden, report_golden(), person)
        labels.save(
            trajectory=trajectory,
            path="main",
            turn_key="g2",
            by=person,
            seen_revision=0,
            comment='=why, "quoted"\nand a line',
            verdict=verdict,
            truthfulness=verdict,
            attribution="root" if verdict == "fail" else "",
        )
    decisions.decide(
        trajectory=trajectory, path="main", turn_key="g2", by=carla, seen_revision=0, reason="-because", verdict="pass"
    )
    for name in ("aem-1", "csv"):
        first = exported(dataset, name=name)
        other = make_dataset()
        job = upload(other, first, name=f"export.{name}")
        assert job.report["errors"] == 0, job.report["problems"]
        take(job)
        assert exported(other, name=name) == first
        assert HumanLabel.objects.in_project(other.project).count() == 2
        assert Decision.objects.in_project(other.project).count() == 1
        assert not other.project.memberships.exists()  # authors of imported labels get no access


def test_arguments_that_are_no_object_are_kept_as_they_are() -> None:
    """G07."""
    dataset = make_dataset()
    odd = record(1)
    values: list[Any] = ['"SELECT 1"', '{"a":', None, [1]]
    for value in values:
        odd["trajectory"]["turns"].append({"tool": "mail", "args": value})
    job = upload(dataset, lines([odd]))
    assert job.report["errors"] == 0
    take(job)
    assert [turn["args"] for turn in Trajectory.objects.get().body["turns"][-4:]] == values


def test_long_numbers_keep_every_digit() -> None:
    """G09."""
    dataset = make_dataset()
    text = jsonio.dumps(record(1)).replace('"metric": "revenue"', '"metric": 107505301260286110, "rate": 0.10')
    take(upload(dataset, text.encode()))
    out = exported(dataset).decode()
    assert "107505301260286110" in out
    assert "0.10" in out


def test_names_that_are_too_long_are_refused_by_name_and_never_cut() -> None:
    dataset = make_dataset()
    job = upload(dataset, lines([record(1, conversation="k" * 201), record(2)]))
    assert job.report["errors"] == 1
    assert "201 characters" in job.report["problems"][0]["reason"]
    assert take(job)["conversations new"] == 1


def test_label_authors_are_members_of_that_name_or_people_without_an_account() -> None:
    dataset = make_dataset()
    member = make_member(dataset.project)
    said = [
        {"annotator": name, "path": "main", "turn": "g2", "verdict": "pass"} for name in (member.username, "nobody")
    ]
    take(upload(dataset, lines([record(1, labels=said)])))
    authors = {label.annotator for label in HumanLabel.objects.select_related("annotator")}
    assert member in authors
    (stranger,) = authors - {member}
    assert not stranger.is_active
    assert stranger.export_name == "nobody"
    assert Project.objects.get().memberships.count() == 1
