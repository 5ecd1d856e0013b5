"""Tables: no cell is a formula, and every text comes back as it was."""

import csv
import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.formats import aem1, csv_tables, jsonio
from evaluation.formats.csv_tables import Column
from evaluation.formats.model import ParsedConversation
from tests.formats.samples import GOLDEN, jsonl, record, source

COLUMNS = (Column("text", "text", ""), Column("number", "number", ""), Column("data", "json", ""))
DANGEROUS = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", "  =1"]


def cells(data: str) -> list[list[str]]:
    """The cells as a spreadsheet sees them."""
    return list(csv.reader(io.StringIO(data, newline="")))


def table(*rows: dict[str, Any]) -> str:
    return "".join(csv_tables.write_table(COLUMNS, rows))


@pytest.mark.parametrize("text", DANGEROUS)
def test_a_text_cannot_become_a_formula(text: Any) -> None:
    data = table({"text": text, "data": jsonio.dumps(text)})
    assert cells(data)[1][0] == f"'{text}"
    (row,) = csv_tables.read_table(data)
    assert row.cells["text"] == text
    assert jsonio.loads(row.cells["data"]) == text


def test_numbers_keep_their_sign_and_their_digits_and_stay_numbers() -> None:
    data = table({"number": -5}, {"number": Decimal("-0.50")}, {"number": 107505301260286111})
    assert data.split("\r\n")[1:4] == ['"",-5,""', '"",-0.50,""', '"",107505301260286111,""']


@pytest.mark.parametrize("text", ["'", "''=1", "'tis", 'say "a, b"\r\nand; more', " x ", "a\nb", "a\rb", "�"])
def test_quotes_line_breaks_and_the_guard_itself_come_back(text: Any) -> None:
    (row,) = csv_tables.read_table(table({"text": text}))
    assert row.cells["text"] == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_every_text_comes_back(text: Any) -> None:
    data = table({"text": text, "data": jsonio.dumps(text)})
    (row,) = csv_tables.read_table(data)
    assert row.cells["text"] == text
    assert jsonio.loads(row.cells["data"]) == text
    assert not cells(data)[1][0].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_texts_of_any_length_are_read() -> None:
    (row,) = csv_tables.read_table(table({"text": "x" * 200_000}))
    assert len(row.cells["text"]) == 200_000


# Datasets


def dataset() -> list[Any]:
    second = record("c1/run-2", annotations=..., conversation_meta=..., labels=..., comments=...)
    path = {"id": "p", "turns": [{"user": ""}, {"id": "a", "response": "-"}, {"id": "b", "tool": "t", "params": {}}]}
    odd = {
        "turns": [
            {},
            {"user": "'=x"},
            {"response": "", "x": 1},
            {"tool": "t", "args": "SELECT 1", "result": "{}", "error": False},
            {"tool": "t", "args": '"SELECT 1"', "result": '"{}"'},
            {"tool": "t", "args": None, "action": "", "kind": "x", "text": "y", "part": 1},
        ],
        "agent": "",
        "trial": "first",
        "reward": -1,
    }
    return [
        record(),
        second,
        {"format": "aem/1", "id": "c2", "golden": {"paths": [path]}, "x_record": "=kept"},
        {"format": "aem/1", "id": "c3", "trajectory": odd, "policy": {"threshold": jsonio.loads("0.70")}},
        {"format": "aem/1", "id": "-c4", "golden": GOLDEN, "labels": []},
    ]


def lines(conversations: Iterable[ParsedConversation]) -> list[Any]:
    return [jsonio.loads(line) for line in aem1.write(conversations)]


def test_a_dataset_comes_back_without_loss() -> None:
    first = aem1.read([source(jsonl(*dataset()))])
    assert first.errors == ()
    data = "".join(csv_tables.write(first.conversations))
    again = csv_tables.read([source(data, "dataset.csv")])
    assert again.errors == ()
    assert lines(again.conversations) == lines(first.conversations)
    assert "".join(csv_tables.write(again.conversations)) == data


def test_rows_sorted_in_a_spreadsheet_are_put_back_in_order() -> None:
    data = "".join(csv_tables.write(aem1.read([source(jsonl(*dataset()))]).conversations))
    header, *rows = cells(data)
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *sorted(rows, key=lambda row: row[5:])])
    again = csv_tables.read([source("\ufeff" + out.getvalue(), "dataset.csv")])
    assert again.errors == ()
    assert "".join(csv_tables.write(again.conversations)) == data


def test_no_cell_of_a_dataset_is_a_formula() -> None:
    data = "".join(csv_tables.write(aem1.read([source(jsonl(*dataset()))]).conversations))
    numeric = {place for place, column in enumerate(csv_tables.DATASET_COLUMNS) if column.kind == "number"}
    for row in cells(data):
        for place, cell in enumerate(row):
            assert place in numeric or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))


@pytest.mark.parametrize(
    ("find", "put", "reason"),
    [
        ('"observed"', '"observation"', "'observation' is no kind of row"),
        ('"main","g1"', '"side","g1"', "the record's golden has no path 'side'"),
        ('""order_id"": {""value""', '""order_id"" {""value""', "a colon is expected"),
        ('1,"record"', '1,"golden"', "stands before the first row of part record"),
        ('""trajectory"": {}', '""trajectoty"": {}', "the record has no trajectory"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_line(find: Any, put: Any, reason: Any) -> None:
    assert find in csv_tables.EXAMPLE
    parsed = csv_tables.read([source(csv_tables.EXAMPLE.replace(find, put), "dataset.csv")])
    assert parsed.conversations == ()
    assert any(reason in problem.sentence() for problem in parsed.errors)
    assert all(problem.line is not None for problem in parsed.errors)


def test_a_table_that_is_cut_off_is_refused() -> None:
    parsed = csv_tables.read([source(csv_tables.EXAMPLE[:-30], "dataset.csv")])
    assert parsed.conversations == ()
    assert len(parsed.errors) == 1


def test_results_are_one_row_a_golden_turn() -> None:
    result = {
        "path": "main",
        "success_rate": 0.5,
        "test_pass": False,
        "turns": [
            {
                "turn_no": 1,
                "golden": "g1",
                "observed": None,
                "passed": False,
                "reasons": ["tool_mismatch"],
                "fields": [],
            },
            {"turn_no": 2, "golden": "g2", "observed": 3, "passed": None, "skipped": True},
        ],
    }
    rows = csv_tables.result_rows(result, conversation="=c", trajectory="t", trial=0)
    first, second = csv_tables.read_table("".join(csv_tables.write_table(csv_tables.RESULT_COLUMNS, rows)))
    assert first.cells["conversation"] == "=c"
    assert first.cells["reasons"] == '["tool_mismatch"]'
    assert first.cells["success_rate"] == "0.5"
    assert "observed" not in first.cells
    assert (second.cells["observed"], second.cells["skipped"], second.cells["trial"]) == ("3", "true", "0")
    assert "passed" not in second.cells
