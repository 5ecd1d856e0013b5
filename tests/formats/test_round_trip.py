"""Whatever the engine can score goes through every format that can carry it, and comes back the same."""

from typing import Any

import pytest

from evaluation.aem import score_record
from evaluation.formats import aem1, csv_tables, jsonio, native
from evaluation.formats.model import ParsedFile
from tests.aem.reference.generate import make_case
from tests.formats.samples import jsonl, source
from tests.shared_data import shared


def as_json(value: Any) -> Any:
    return jsonio.loads(jsonio.dumps(value))


def exported(parsed: ParsedFile) -> list[Any]:
    return [jsonio.loads(line) for line in aem1.write(parsed.conversations)]


def without_empty(record: Any) -> Any:
    """Parts of a record that are null or empty say nothing and need not come back."""
    return {name: part for name, part in record.items() if part not in ({}, [], None)}


@pytest.mark.parametrize("seed", range(150))
def test_random_records(seed: int) -> None:
    value, kind = make_case(seed)
    value = as_json(value)
    parsed = (native if isinstance(value, list) else aem1).read([source(jsonl(value))])
    if kind not in {"record", "native"}:
        assert parsed.conversations == ()
        assert parsed.errors
        assert all(problem.reason for problem in parsed.errors)
        return
    assert parsed.errors == ()
    records = exported(parsed)
    table = "".join(csv_tables.write(parsed.conversations))
    assert exported(csv_tables.read([source(table)])) == records
    if kind == "record":
        assert records == [without_empty(value)]
        assert score_record(records[0]).as_result() == score_record(value).as_result()
    else:
        (line,) = native.write(parsed.conversations)
        dialog = jsonio.loads(line)["dialog"]
        assert [{"tags": [], **turn} for turn in dialog] == [{"tags": [], **turn} for turn in value]
        assert score_record(records[0]).as_result() == score_record(value).as_result()


def test_the_published_vectors() -> None:
    for path in sorted(shared("aem-vectors").glob("*.json")):
        value = jsonio.loads(path.read_text(encoding="utf-8"))["record"]
        parsed = (native if isinstance(value, list) else aem1).read([source(jsonl(value))])
        assert parsed.errors == (), path.name
        (record,) = exported(parsed)
        assert score_record(record).as_result() == score_record(value).as_result(), path.name
        if isinstance(value, dict):
            assert record == value, path.name
