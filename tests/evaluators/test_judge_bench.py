"""Measuring the offline scorer: files of pairs, figures, distinct values, and the command."""

import itertools
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.evaluators import judge_bench as bench
from tests.shared_data import shared

PAIRS = [
    {"a": "NYC", "b": "New York City", "label": "equivalent", "kind": "place", "lang": "en"},
    {"a": "$1,200", "b": "€1,200", "label": "different", "kind": "money", "lang": "en"},
    {"a": "una hora y media", "b": "90 minutos", "label": "equivalent", "kind": "duration", "lang": "es"},
    {"a": "red", "b": "crimson lake", "label": "equivalent", "kind": "colour", "lang": "en"},
]


def written(path: Path, rows: list[object]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def test_figures_count_both_kinds_of_errors() -> None:
    pairs = [
        bench.Pair("a", "b", label, "k", "en", 1) for label in ("equivalent", "equivalent", "different", "different")
    ]
    says = iter([("equivalent", True, ""), ("different", False, ""), ("equivalent", True, ""), ("different", True, "")])
    ticks = itertools.count()
    total = bench.figures(bench.judged(pairs, lambda pair: next(says), lambda: float(next(ticks))))
    assert (total.right, total.false_equals, total.false_failures, total.sure, total.sure_right) == (2, 1, 1, 3, 2)
    assert total.accuracy == 0.5
    assert total.f1 == 0.5
    assert total.caught == (1, 2)
    assert total.as_json()["mean_ms"] == 1000


def test_no_figures_are_no_numbers() -> None:
    empty = bench.figures([])
    assert empty.accuracy is None
    assert empty.f1 is None


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 0, "there are no pairs"),
        ('{"a": 1}\n', 1, "b is missing"),
        ('{"a": 1, "b": 2, "label": "same"}', 1, "label is 'same'"),
        ('{"a": 1, "b": 2, "label": "different"}\n[1]', 2, "no JSON object"),
        ("\n{oops", 2, "it is no JSON"),
        ('{"reference": 1, "response": "x", "label": "ok"}', 1, "have to be texts"),
        (
            '{"a": 1, "b": 2, "label": "different"}\n{"reference": "x", "response": "x", "label": "ok"}',
            2,
            "in one file",
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(bench.PairFileError, match=reason) as caught:
        bench.read_pairs(path)
    assert caught.value.line == line


def test_a_missing_or_binary_file(tmp_path: Path) -> None:
    with pytest.raises(bench.PairFileError, match="No such file"):
        bench.read_pairs(tmp_path / "none.jsonl")
    (tmp_path / "b.jsonl").write_bytes(b'{"a": 1}\n\xff\xfe')
    with pytest.raises(bench.PairFileError, match=r"line 2: it is not UTF-8"):
        bench.read_pairs(tmp_path / "b.jsonl")


def test_distinct_values_of_one_parameter(tmp_path: Path) -> None:
    tasks = [{"actions": [{"name": "t", "kwargs": {"city": "Rome", "items": [{"id": "1"}, {"id": "2"}], "on": True}}]},
             {"actions": [{"name": "u", "kwargs": {"city": "Paris", "city2": "Rome"}}]}]  # fmt: skip
    path = tmp_path / "x_golden_actions.json"
    path.write_text(json.dumps(tasks))
    expected = [("city", "Paris", "Rome"), ("id", "1", "2")]
    assert bench.distinct_pairs(path) == expected
    assert bench.distinct_pairs(tmp_path) == expected
    assert bench.distinct_pairs(path, 1) == []
    path.write_text('[{"actions": 3}]')
    with pytest.raises(bench.PairFileError, match="no golden actions"):
        bench.distinct_pairs(path)
    path.write_text("[\n[")
    with pytest.raises(bench.PairFileError, match="line 2"):
        bench.distinct_pairs(path)
    with pytest.raises(bench.PairFileError, match="no file of golden actions"):
        bench.distinct_pairs(
            tmp_path.parent / "nowhere" if (tmp_path.parent / "nowhere").is_dir() else _empty(tmp_path)
        )


def _empty(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def test_distinct_golden_values_are_not_called_equal() -> None:
    from evaluation.evaluators.embedded.values import compare_values

    pairs = bench.distinct_pairs(shared("data/tau-bench"))
    assert len(pairs) == 3615
    assert sum(compare_values(a, b, field=name).is_equal for name, a, b in pairs) <= 3


def test_the_command_prints_figures_and_the_wrong_pairs(tmp_path: Path) -> None:
    path = written(tmp_path / "values.jsonl", list(PAIRS))
    replies = written(
        tmp_path / "replies.jsonl",
        [
            {
                "reference": "The total is $5.",
                "response": "The total is $6.",
                "label": "inconsistent",
                "kind": "x",
                "lang": "en",
            }
        ],
    )
    out = StringIO()
    call_command("judge_bench", str(path), str(replies), "--wrong", stdout=out)
    text = out.getvalue()
    assert "4 pairs, 3 right" in text
    assert "crimson lake" in text
    assert "faulty replies caught: 1 of 1" in text
    assert "First start" in text

    out = StringIO()
    call_command("judge_bench", str(path), "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert report["files"][0]["all"]["false_failures"] == 1
    assert report["files"][0]["by_language"]["es"]["accuracy"] == 1
    assert report["files"][0]["all"]["median_ms"] > 0


def test_the_command_names_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Name a file"):
        call_command("judge_bench")
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}')
    with pytest.raises(CommandError, match=r"x\.jsonl, line 1: b is missing"):
        call_command("judge_bench", str(path))
