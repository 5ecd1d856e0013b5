"""The table of formats: each example is read, each writer reads back, each format is recognised."""

import re
from pathlib import Path
from typing import Any

import pytest

from evaluation.formats import registry
from evaluation.formats.registry import FORMATS
from tests.formats.samples import jsonl, record, source
from tests.shared_data import shared

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_each_format_is_recognised_and_read_without_a_word(name: Any) -> None:
    parsed = registry.read_files([source(FORMATS[name].example, "example.txt")])
    assert parsed.format == name
    assert parsed.problems == ()
    assert parsed.counts["refused"] == 0
    (conversation,) = parsed.conversations
    assert conversation.goldens
    assert conversation.trajectories


@pytest.mark.parametrize("name", [name for name, found in FORMATS.items() if found.write])
def test_what_a_format_writes_it_reads_back(name: Any) -> None:
    found = FORMATS[name]
    assert found.write is not None
    first = found.read([source(found.example, "example.txt")])
    text = "".join(found.write(first.conversations))
    again = found.read([source(text, "example.txt")])
    assert again.problems == ()
    assert "".join(found.write(again.conversations)) == text


def test_every_format_is_documented_with_its_example() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    for name, found in FORMATS.items():
        assert f"| `{name}` |" in text
        assert found.example.strip() in text


def test_every_documented_example_is_read() -> None:
    blocks = re.findall(r"```(?:json|jsonl|csv)\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= len(FORMATS)
    for block in blocks:
        parsed = registry.read_files([source(block, "example.txt")])
        assert parsed.errors == ()
        assert parsed.conversations


def test_a_file_that_no_format_knows_is_said_to_be_so() -> None:
    parsed = registry.read_files([source('{"hello": 1}')])
    assert parsed.conversations == ()
    (problem,) = parsed.errors
    assert "no format of the table recognises" in problem.reason


def test_a_file_that_is_broken_is_said_to_be_so() -> None:
    parsed = registry.read_files([source('{"hello": ')])
    assert len(parsed.errors) == 2
    assert parsed.errors[0].reason.startswith("the text ends in the middle")


def test_a_format_that_does_not_exist_is_refused() -> None:
    assert "no format is called 'xml'" in registry.read_files([source("[]")], format_name="xml").errors[0].reason


def test_a_named_format_is_taken_at_its_word() -> None:
    parsed = registry.read_files([source(jsonl(record()))], format_name="native")
    assert parsed.format == "native"
    assert parsed.errors


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("data/tau-bench/gpt-4o-airline.json", "tau-bench"),
        ("data/tau-bench/retail_tasks_dev_golden_actions.json", "tau-bench"),
        ("data/tau-bench/airline_tools.json", "tau-bench"),
        ("data/bfcl-multi-turn/BFCL_v4_multi_turn_base.jsonl", None),
        ("data/agentcore-judge-alignment/sme_ground_truth.json", None),
        ("data/tau2-bench/airline_tasks.json", None),
    ],
)
def test_real_files_are_recognised_by_content(file: Any, name: Any) -> None:
    path = shared(file)
    assert registry.detect_files([source(path.read_bytes(), "unnamed")]).name == name
