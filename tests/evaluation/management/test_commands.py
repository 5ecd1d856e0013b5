"""Import and export from the command line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Conversation, Dataset, Project
from tests.evaluation.services.test_imports import lines, record
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="p")


def call(name: str, *arguments: Any, **options: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def file_of(tmp_path: Path, data: bytes, name: str = "f.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_a_file_goes_in_and_comes_out_again(project: Project, tmp_path: Path) -> None:
    texts = record(1, conversation_meta={"title": "é 漢 😀\nsecond line"})
    out, _ = call("import_file", "--project", "p", "--dataset", "mine", file_of(tmp_path, lines([texts])))
    assert "1 conversations new" in out
    printed, _ = call("export_dataset", "--project", "p", "--dataset", "mine")
    target = tmp_path / "out.jsonl"
    call("export_dataset", "--project", "p", "--dataset", "mine", "--output", target)
    assert target.read_text(encoding="utf-8") == printed
    call("import_file", "--project", "p", "--dataset", "again", target)
    assert call("export_dataset", "--project", "p", "--dataset", "again")[0] == printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--project", "p", "--dataset", "my data"], "short name"),
        (["--project", "p", "--dataset", "x" * 61], "short name"),
        (["--project", "p", "--encoding", "x" * 50], "encoding"),
        (["--project", "q"], "There is no project q"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_made(
    project: Project, tmp_path: Path, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call("import_file", *arguments, file_of(tmp_path, lines([record(1)])))
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("data", [b"", b"\x00\x01\xff", b"[1, 2]", b"{", b"null"])
def test_an_unreadable_file_leaves_nothing(project: Project, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(CommandError, match="nothing was written"):
        call("import_file", "--project", "p", file_of(tmp_path, data))
    assert not Dataset.objects.exists()


def test_a_preview_and_a_refused_whole_leave_nothing(project: Project, tmp_path: Path) -> None:
    path = file_of(tmp_path, lines([record(1)]) + b"{broken\n")
    out, err = call("import_file", "--project", "p", "--preview", path)
    assert "1 conversations new" in out
    assert "line 2" in err
    with pytest.raises(CommandError, match="1 bad records"):
        call("import_file", "--project", "p", "--all-or-nothing", path)
    assert not Dataset.objects.exists()


def test_a_folder_and_a_file_that_is_not_there_are_named(project: Project, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(CommandError, match=str(path.name)):
            call("import_file", "--project", "p", path)
    assert not Dataset.objects.exists()


def test_a_dataset_that_was_there_stays(project: Project, tmp_path: Path) -> None:
    project.datasets.create(slug="main", name="Main")
    with pytest.raises(CommandError):
        call("import_file", "--project", "p", file_of(tmp_path, b"{"))
    assert Dataset.objects.get().slug == "main"


def test_an_export_that_cannot_be_written_says_where(project: Project, tmp_path: Path) -> None:
    call("import_file", "--project", "p", file_of(tmp_path, lines([record(1)])))
    assert Conversation.objects.exists()
    with pytest.raises(CommandError, match="cannot be written"):
        call("export_dataset", "--project", "p", "--dataset", "main", "--output", tmp_path / "no" / "x.jsonl")
    with pytest.raises(CommandError, match="Formats are"):
        call("export_dataset", "--project", "p", "--dataset", "main", "--format", "xls")
    with pytest.raises(CommandError, match="no version 9"):
        call("export_dataset", "--project", "p", "--dataset", "main", "--release", "9")
