"""What is wrong with a file is kept in English, and told again in the language of whoever reads the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.aem import language
from evaluation.aem.errors import RecordError, ScorerFailed, ScorerUnavailable
from evaluation.formats import native
from evaluation.formats.model import Problem, SourceFile
from evaluation.formats.reading import UnreadableFileError, decode
from evaluation.formats.registry import read_files
from evaluation.formats.words import told


@pytest.fixture
def brackets() -> Iterator[None]:
    """A language that puts each text in brackets."""
    before = language._translate
    language.use(lambda _context, one, many, count: f"⟦{one if many is None or count == 1 else many}⟧")
    yield
    language.use(before)


def golden(**turn: Any) -> dict[str, Any]:
    return {"paths": [{"turns": [{"id": "g1", **turn}]}]}


def call(**param: Any) -> dict[str, Any]:
    return golden(tool="t", params={"p": param})


RECORDS: list[Any] = [
    1,
    [],
    {"format": "aem/2"},
    {"id": "x"},
    {"id": [], "conversation": "", "golden": 3, "trajectory": "x", "tools": [], "policy": True},
    {"golden": {}},
    {"golden": {"paths": []}},
    {"golden": {"paths": [{"turns": []}]}},
    {"golden": {"paths": [{"turns": [{"user": "a"}]}]}},
    {"golden": {"paths": [{"turns": 3}]}},
    {"golden": {"paths": [{"turns": [3]}]}},
    {"golden": golden()},
    {"golden": golden(tool="t", response="x")},
    {"golden": golden(tool=1)},
    {"golden": golden(response="x", depends_on=["g1"])},
    {"golden": golden(response="x", depends_on=["g9"])},
    {"golden": golden(response="x", optional="yes")},
    {"golden": golden(tool="t", extra="perhaps")},
    {"golden": {"paths": [{"turns": [{"id": "a", "response": "x"}, {"id": "a", "response": "y"}]}]}},
    {"golden": {"paths": [{"id": "a", "turns": [{"response": "x"}]}] * 2}},
    {"golden": golden(tool="t", params=[])},
    {"golden": call()},
    {"golden": call(value=1, values=[1])},
    {"golden": call(values=[])},
    {"golden": call(value=1, compare="nearly")},
    {"golden": call(value=1, compare={"as": "numeric", "near": 2})},
    {"golden": call(value=1, compare=3)},
    {"golden": call(value="x", compare={"as": "regex"}), "policy": {"scorer": 1}},
    {"golden": call(value="(", compare="regex")},
    {"golden": call(value=3, compare="regex")},
    {"golden": call(ref={"turn": "g9", "path": "$.x"})},
    {"golden": call(ref={"turn": "g1", "path": "x"})},
    {"golden": call(ref={"turn": "g1", "path": "$.x y"})},
    {"golden": golden(response="x", claims=[{"text": "a", "contains": [None]}])},
    {"golden": {**golden(response="x"), "outcome": [{"id": "a", "kind": "perhaps"}]}},
    {"golden": golden(response="x"), "policy": {"threshold": -1}},
    {"golden": golden(response="x"), "policy": {"threshold": 7}},
    {"golden": golden(response="x"), "policy": {"threshold": "x"}},
    {"trajectory": {"turns": [{"user": "a", "tool": "b"}]}},
    {"trajectory": {"turns": [{}, {"action": "x"}]}},
    {"trajectory": {"turns": [{"tool": "t", "args": "[1]"}, {"tool": "t", "args": "x"}, {"tool": "t", "args": None}]}},
    {"golden": golden(response="x"), "labels": [{"annotator": "a", "path": "main", "turn": "g1"}]},
    {
        "golden": golden(response="x"),
        "trajectory": {"turns": [{"response": "x"}]},
        "labels": [3, {"annotator": 3, "path": "main", "turn": "g9", "verdict": "perhaps", "cascade_of": [3]}],
        "decisions": {},
        "annotations": [{"annotator": "a", "golden": 3}],
        "conversation_meta": {"title": 3},
    },
]
FILES: list[tuple[str, bytes]] = [
    ("empty", b""),
    ("nothing known", b"[1, 2, 3]"),
    ("no JSON", b"what is this"),
    ("a list that ends", b'[{"golden": 1}, {"golden": '),
    ("a comma too many", b'[{"golden": 1},]'),
    ("no comma", b'[{"golden": 1} {"golden": 2}]'),
    ("more after it", b'{"format": "aem/1"} x'),
    ("twice", b'{"format": "aem/1", "golden": 1, "golden": 2}\n'),
    ("the same", b'{"format": "aem/1", "trajectory": {"turns": []}}\n' * 2),
    ("a line break inside", b'{"format": "aem/1"}\n{"id": "a\nb"}\n'),
    (
        "no number",
        b'{"format": "aem/1"}\n{"id": NaN}\n{"id": 1e999999}\n{"id"}\n{"id" 3}\n{"id": "\\x"}\n{"id": "\\u1"}\n',
    ),
    ("unstorable", b'{"format": "aem/1", "id": "\\u0000", "a": ["\\ud800", "\\u0000", "\\u0000", "\\u0000"]}\n'),
    ("zero", b'{"format": "aem/1", "id": "a\x00b"}\n'),
    ("no characters", b'{"format": "aem/1", "id": "\xff"}\n'),
    ("half of UTF-16", b"\x00{\x00}"),
    ("UTF-32", b"\xff\xfe\x00\x00{}"),
    ("deep", b'{"format": "aem/1", "id": ' + b"[" * 120 + b"]" * 120 + b"}\n"),
    ("cells", b'"row","part","conversation","record","more"\n1,"golden","a","b",""\n'),
    (
        "rows",
        b'"row","part","conversation","record","path","more","trial"\n1,"record","a","b","","{""trajectory"": {}}"'
        b',"x"\n'
        b'2,"what","a","b","","",""\n3,"golden","a","b","p","",""\n4,"observed","a","b","","[1]",""\n5,"label","","","","{x",""\n',
    ),
    ("too many cells", b'"row","part","conversation","record","more"\n1,"record","a","b","",6\n'),
    ("a quote", b'"row","part","conversation","record","more"\n1,"record"x,"a","b",""\n'),
    ("a dialog", b'[{"turn_no": 1, "turn": "Tool"}, {"turn_no": 1, "turn": "x"}]'),
    ("its turns", b'[[{"turn_no": "a"}], [{"turn_no": 1, "turn": "Agent", "gold_turn": {}}], []]'),
    (
        "beside it",
        b'{"dialog": [{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}}], '
        b'"run": 3, "golden": 1, "policy": 1}',
    ),
    (
        "a result",
        b'[{"task_id": [], "traj": [{"role": "x"}, {"role": "assistant", "tool_calls": [{}]}, {"role": "tool"}]}]',
    ),
    ("a task", b'[{"instruction": "a", "actions": [3, {"name": "x", "kwargs": 3}], "outputs": [3]}, {"task_id": 1}]'),
    ("a tool of its own", b'[{"instruction": "a", "actions": [{"name": "fetch_it", "kwargs": {}}]}]'),
]


def problems_of(data: bytes) -> tuple[Problem, ...]:
    return read_files([SourceFile("upload", data)]).problems


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: json.dumps(record)[:60])
def test_what_is_wrong_with_a_record_is_told_again(record: Any, brackets: None) -> None:
    problems = problems_of(json.dumps(record).encode() + b'\n{"format": "aem/1"}\n')
    assert len(problems) > 1
    _require_told(problems)


@pytest.mark.parametrize(("name", "data"), FILES, ids=[name for name, _ in FILES])
def test_what_is_wrong_with_a_file_is_told_again(name: str, data: bytes, brackets: None) -> None:
    problems = problems_of(data)
    assert problems, name
    _require_told(problems)


def _require_told(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        assert "⟦" not in problem.reason, "it is kept in English"
        assert told(problem.reason).startswith("⟦"), problem.reason


def test_a_problem_within_another_is_told_too(brackets: None) -> None:
    broken = "a comma stands before a closing bracket (column 7); the 2 records before it were read, nothing after it"
    assert told(broken) == (
        "⟦⟦⟦a comma stands before a closing bracket⟧ (column 7)⟧; the 2 records before it were read, nothing after it⟧"
    )
    assert told("must be a list, not a text") == "⟦must be a list, not ⟦a text⟧⟧"
    assert told("the same record as line 3 of a.json; it is taken once") == (
        "⟦the same record as ⟦line 3 of a.json⟧; it is taken once⟧"
    )


def test_the_place_before_a_problem_stays_as_it_is(brackets: None) -> None:
    assert told(str(RecordError("golden.paths[0].id", "is missing"))) == "golden.paths[0].id: ⟦is missing⟧"
    assert told(str(ScorerUnavailable("judge"))) == "⟦the scorer 'judge' is not installed⟧"
    assert told(str(ScorerFailed("judge", "no answer"))).startswith("⟦the scorer 'judge' failed: ")
    assert told("a: b: c") == "a: b: c", "what nobody knows"


def test_what_a_dialog_cannot_carry_is_told_again(brackets: None) -> None:
    reasons: list[str] = []
    body = {
        "paths": [
            {"id": "p", "turns": [{"user": "a"}, {"id": "x", "response": "b", "claims": []}]},
            {"id": "q", "turns": []},
        ],
        "forbidden": [{}],
        "outcome": [{}],
        "more": 1,
    }
    native.dialog_of(body, {"turns": [{"response": "b", "note": 1}, {"response": "c"}], "final_state": {}}, reasons)
    native.dialog_of(None, None, reasons)
    assert len(reasons) > 8
    for reason in reasons:
        assert told(f"record-1: {reason}").startswith("record-1: ⟦"), reason


def test_in_english_nothing_changes() -> None:
    with pytest.raises(UnreadableFileError) as raised:
        decode(b"\xff", "ascii")
    reason = raised.value.problem.reason
    assert reason == "byte 1 of the line (byte 1 of the file) is 0xFF, which is not ASCII; name the right one"
    assert told(reason) == reason
