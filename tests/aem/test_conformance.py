"""Every published case comes out exactly."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.aem import score_record
from evaluation.formats import jsonio

CASES = sorted((Path(__file__).resolve().parents[1] / "cases").glob("*.json"))


def expected_of(path: Path) -> Any:
    """What a case expects, its rates as the doubles that they are emitted as."""
    return json.loads(path.read_text(encoding="utf-8"))["expected"]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    record = jsonio.loads(path.read_text(encoding="utf-8"))["record"]
    assert score_record(record).as_result() == expected_of(path)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case_read_with_binary_floats(path: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))["record"]
    assert score_record(record).as_result() == expected_of(path)


def test_the_suite_is_there() -> None:
    assert len(CASES) >= 58
