"""aem/1 records: in, out again, and what is said about bad ones."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from evaluation.formats import aem1, jsonio
from evaluation.formats.model import CannotWriteError, ParsedConversation, ParsedFile, ParsedGolden
from tests.formats.samples import GOLDEN, LABEL, jsonl, record, source


def read(*records: Any, end: str = "\n") -> ParsedFile:
    return aem1.read([source(jsonl(*records, end=end))])


def sentences(parsed: ParsedFile) -> list[str]:
    return [problem.sentence() for problem in parsed.problems]


def written(conversations: Iterable[ParsedConversation]) -> list[Any]:
    return [jsonio.loads(line) for line in aem1.write(conversations)]


def test_a_record_with_everything_comes_out_as_it_went_in() -> None:
    parsed = read(record())
    assert sentences(parsed) == []
    assert written(parsed.conversations) == [record()]


def test_export_import_export_is_the_identity() -> None:
    second = record("c1/run-2", annotations=..., conversation_meta=..., labels=..., comments=...)
    alone = record(
        "c2",
        conversation=...,
        trajectory=...,
        labels=...,
        decisions=...,
        golden={"paths": [{"id": "p", "turns": [{"id": "a", "response": "x"}]}]},
    )
    first = read(record(), second, alone)
    lines = "".join(aem1.write(first.conversations))
    again = aem1.read([source(lines)])
    assert again.problems == first.problems == ()
    assert "".join(aem1.write(again.conversations)) == lines
    assert written(first.conversations) == [record(), second, alone]


def test_what_a_conversation_is_made_of() -> None:
    (conversation,) = read(record(), record("c1/run-2", labels=..., decisions=..., comments=...)).conversations
    assert (conversation.key, conversation.title, conversation.language) == ("c1", "Cancelamento", "pt")
    assert [(run.key, run.agent, run.agent_version, run.trial) for run in conversation.trajectories] == [
        ("c1/run-1", "shop", "3", 0),
        ("c1/run-2", "shop", "3", 0),
    ]
    assert str(conversation.trajectories[0].reward) == "0.50"
    assert set(conversation.trajectories[0].body) == {"turns", "final_state"}
    (golden,) = conversation.goldens
    assert golden.policy == {"extra_writes": "fail"}
    assert golden.extra == {"x_golden": {"note": "kept"}}
    assert [annotation.status for annotation in conversation.annotations] == ["accepted", "submitted"]
    assert [label.verdict for label in conversation.trajectories[0].labels] == ["fail", "not_agent"]
    assert conversation.trajectories[0].decisions[0].reason == "the log says so"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_file_holds_one_record_or_a_list(indent: Any) -> None:
    one = aem1.read([source(jsonio.dumps(record(), indent=indent))])
    assert written(one.conversations) == [record()]
    several = aem1.read([source(jsonio.dumps([record(), record("c1/run-2", labels=...)], indent=indent))])
    assert several.counts["trajectories"] == 2
    assert several.counts["refused"] == 0


def test_a_record_may_have_a_golden_or_a_trajectory_alone() -> None:
    parsed = read(
        record("g", conversation=..., trajectory=..., labels=..., decisions=...),
        record("t", conversation=..., golden=...),
    )
    assert parsed.problems == ()
    golden_only, run_only = parsed.conversations
    assert (len(golden_only.goldens), len(golden_only.trajectories)) == (1, 0)
    assert (len(run_only.goldens), len(run_only.trajectories)) == (0, 1)


def test_long_numbers_and_spellings_of_numbers_survive() -> None:
    args = '{"id": 107505301260286111, "a": 1.0, "b": 0.10, "c": 1}'
    text = f'{{"format": "aem/1", "id": "n", "trajectory": {{"turns": [{{"tool": "t", "args": {args}}}]}}}}'
    assert list(aem1.write(aem1.read([source(text)]).conversations)) == [text + "\n"]


# G03


def test_a_mostly_good_file() -> None:
    records = [
        {"format": "aem/1", "id": f"r{number}", "trajectory": {"turns": [{"user": "hi"}, {"response": "hello"}]}}
        for number in range(1000)
    ]
    lines = [jsonio.dumps(found) for found in records]
    for number in (10, 20, 30):
        lines[number] = ""
    lines[100] = lines[100].replace("hello", "hel\r\nlo")
    lines[200] = lines[200][:-1] + ",}"
    lines[300] = '{"format": "aem/1", "id": "empty"}'
    lines[400] = f"[{lines[400]}]"
    parsed = aem1.read([source("\r\n".join(lines))])
    assert [(problem.line, problem.reason.split(" (")[0]) for problem in parsed.problems] == [
        (101, "a line break stands inside a text, so that the record goes on to line 102; write it as \\n"),
        (202, "a comma stands before a closing bracket"),
        (302, "there is no conversation: neither a golden nor a trajectory"),
        (402, "a list stands where a record"),
    ]
    assert all(0 < len(problem.excerpt) <= 80 for problem in parsed.problems)
    counts = parsed.counts
    assert counts["read"] == 993
    assert counts["refused"] == 4
    assert counts["blank_lines"] + counts["read"] + counts["refused"] == 1000


# G01


def test_unstorable_characters_cost_nothing_and_are_reported() -> None:
    records = [
        {
            "format": "aem/1",
            "id": f"r{number}",
            "trajectory": {"turns": [{"user": "hi"}, {"tool": "t", "args": {"k": 1}}]},
        }
        for number in range(1, 201)
    ]
    lines = [json.dumps(found) for found in records]
    lines[16] = lines[16].replace('"hi"', r'"h\u0000i"').replace('"k"', r'"k\u0000"')
    lines[17] = lines[17].replace('"hi"', r'"\ud83d"')
    lines[18] = lines[18].replace('"hi"', r'"\\u0000"')
    parsed = aem1.read([source("\n".join(lines))])
    assert parsed.counts["read"] == 200
    assert [(problem.severity, problem.line, problem.reason.split(" (")[0]) for problem in parsed.problems] == [
        ("warning", 17, "2 characters that cannot be stored became U+FFFD"),
        ("warning", 18, "1 character that cannot be stored became U+FFFD"),
    ]
    turns = [conversation.trajectories[0].body["turns"] for conversation in parsed.conversations]
    assert turns[16] == [{"user": "h�i"}, {"tool": "t", "args": {"k�": 1}}]
    assert turns[17][0] == {"user": "�"}
    assert turns[18][0] == {"user": "\\u0000"}


# G07


@pytest.mark.parametrize(
    ("args", "shape"),
    [
        ('"SELECT 1"', "text holding a text"),
        ("SELECT 1", "text that is not JSON"),
        ('{"a":', "text that is not JSON"),
        ("[1, 2]", "text holding a list"),
        (None, "null"),
        ([1], "a list"),
        (7, "a number"),
        (True, "true or false"),
    ],
)
def test_arguments_that_are_no_object_are_kept_and_said(args: Any, shape: Any) -> None:
    found = {"format": "aem/1", "id": "r", "trajectory": {"turns": [{"user": "go"}, {"tool": "sql", "args": args}]}}
    parsed = read(found)
    (problem,) = parsed.problems
    assert (problem.severity, problem.path) == ("warning", "trajectory.turns[1].args")
    assert shape in problem.reason
    assert written(parsed.conversations) == [found]


def test_arguments_as_json_text_of_an_object_need_no_word() -> None:
    assert read({"id": "r", "trajectory": {"turns": [{"tool": "t", "args": '{"a": 1}'}]}}).problems == ()


# What is refused


def golden_of(*turns: Any) -> dict[str, Any]:
    return {"paths": [{"id": "main", "turns": list(turns)}]}


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ({"format": "aem/2"}, "format"),
        ({"golden": []}, "golden"),
        ({"golden": golden_of()}, "golden.paths[0]"),
        ({"golden": golden_of({"response": "no id"})}, "golden.paths[0].turns[0]"),
        ({"golden": golden_of({"id": "a", "response": "x", "depends_on": ["z"]})}, "golden.paths[0].turns[0]"),
        ({"trajectory": {"turns": "none"}}, "trajectory"),
        ({"trajectory": {}}, "trajectory"),
        ({"tools": {"cancel": {"effect": "maybe"}}}, "tools"),
        ({"policy": {"composition": {"rule": "best"}}}, "policy"),
        ({"policy": 1}, "policy"),
        ({"id": True}, "id"),
        ({"conversation": 1.5}, "conversation"),
        ({"conversation_meta": {"title": 3}}, "conversation_meta.title"),
        ({"labels": [{**LABEL, "verdict": "good"}]}, "labels[0].verdict"),
        ({"labels": [{**LABEL, "turn": None}]}, "labels[0].turn"),
        ({"labels": [LABEL, "x"]}, "labels[1]"),
        ({"labels": {}}, "labels"),
        ({"labels": [{**LABEL, "cascade_of": [3]}]}, "labels[0].cascade_of"),
        ({"decisions": [{"by": "eva", "turn": "g1"}]}, "decisions[0].path"),
        ({"annotations": [{"golden": {}}]}, "annotations[0].annotator"),
        ({"comments": [{"text": 1, "by": "x"}]}, "comments[0].text"),
    ],
)
def test_a_bad_record_is_refused_with_its_place_and_leaves_nothing(bad: Any, place: Any) -> None:
    good = record("c9/run-1", conversation="c9")
    bad_json = jsonio.loads(json.dumps(bad))
    parsed = read(good, {**record("c9/run-2", conversation="c9"), **bad_json})
    (problem,) = parsed.errors
    assert problem.line == 2
    assert problem.path is not None
    assert problem.path.startswith(place)
    assert problem.reason
    assert problem.excerpt
    assert parsed.conversations == read(good).conversations
    assert (parsed.counts["read"], parsed.counts["refused"]) == (1, 1)


def test_all_that_is_wrong_with_a_record_is_said_at_once() -> None:
    parsed = read(record(golden=golden_of(), policy=1, labels=[{**LABEL, "verdict": "good"}]))
    assert [problem.path for problem in parsed.errors] == ["policy", "golden.paths[0].turns", "labels[0].verdict"]


@pytest.mark.parametrize("value", ["12", '"text"', "null", "true"])
def test_a_single_value_is_no_record(value: Any) -> None:
    parsed = aem1.read([source(f"{jsonio.dumps(record())}\n{value}\n")])
    assert sentences(parsed) == ["line 2: a single value stands where a record (an object) is expected"]


def test_labels_without_their_trajectory_are_refused() -> None:
    assert len(read(record(trajectory=..., decisions=...)).errors) == 1


def test_a_label_on_a_turn_that_the_golden_lacks_is_kept_and_said() -> None:
    parsed = read(record(labels=[{**LABEL, "turn": "g9"}]))
    assert sentences(parsed) == ["line 1: labels[0]: the golden has no turn 'g9' in path 'main'"]
    assert parsed.problems[0].severity == "warning"
    assert parsed.conversations[0].trajectories[0].labels[0].turn == "g9"


# Records that belong together


def test_a_golden_that_differs_is_a_problem_of_the_later_record() -> None:
    other = {**GOLDEN, "forbidden": []}
    parsed = read(record(), record("c1/run-2", golden=other))
    assert sentences(parsed) == [
        "line 2: golden: the golden or its policy differs from that of the same conversation in line 1"
    ]
    assert parsed.counts["trajectories"] == 1


def test_true_and_1_are_not_the_same_golden() -> None:
    turns = [{"id": "a", "tool": "t", "params": {"k": {"value": True}}}]
    other = [{"id": "a", "tool": "t", "params": {"k": {"value": 1}}}]
    parsed = read(
        record(golden=golden_of(*turns), labels=..., decisions=...),
        record("x", golden=golden_of(*other), labels=..., decisions=...),
    )
    assert len(parsed.errors) == 1


def test_tools_that_differ_are_a_problem_of_the_later_record() -> None:
    assert [problem.path for problem in read(record(), record("x", tools={"cancel": {"effect": "read"}})).errors] == [
        "tools"
    ]


def test_a_golden_may_come_before_or_after_its_trajectories() -> None:
    run = record("c1/run-2", golden=..., policy=..., labels=..., decisions=..., annotations=..., conversation_meta=...)
    for records in ([record(), run], [run, record()]):
        (conversation,) = read(*records).conversations
        assert len(conversation.goldens) == 1
        assert len(conversation.trajectories) == 2


def test_a_record_that_is_repeated_is_read_once() -> None:
    parsed = read(record(), record())
    assert sentences(parsed) == ["line 2: the same record as line 1; it is taken once"]
    assert (parsed.counts["read"], parsed.counts["duplicates"], parsed.counts["refused"]) == (1, 1, 0)


def test_several_runs_under_one_id_are_told_apart_by_trial() -> None:
    first = record("c1", conversation=..., labels=..., decisions=...)
    second = {**first, "trajectory": {**first["trajectory"], "trial": 1}}
    parsed = read(first, second)
    assert parsed.errors == ()
    assert [run.key for run in parsed.conversations[0].trajectories] == ["c1", "c1/shop-3/trial-1"]
    assert [found["id"] for found in written(parsed.conversations)] == ["c1", "c1"]
    third = {**second, "trajectory": {**second["trajectory"], "x": 1}}
    assert [problem.path for problem in read(first, second, third).errors] == ["id"]


def test_records_without_id_get_a_key_of_file_and_place() -> None:
    turns = {"turns": [{"response": "x"}]}
    parsed = aem1.read([source(jsonl({"trajectory": turns}, {"trajectory": turns, "x": 1}), "folder/runs.jsonl")])
    assert [conversation.key for conversation in parsed.conversations] == ["runs-1", "runs-2"]


def test_ids_that_are_numbers_stay_numbers() -> None:
    found = {"format": "aem/1", "id": 17, "golden": golden_of({"id": "a", "response": "x"})}
    run = {"format": "aem/1", "id": 18, "conversation": "17", "trajectory": {"turns": [{"response": "x"}]}}
    parsed = read(found, run)
    assert [conversation.key for conversation in parsed.conversations] == ["17"]
    assert written(parsed.conversations)[-1]["id"] == 18


def test_several_files_are_named_in_problems() -> None:
    parsed = aem1.read([source(jsonl(record()), "a.jsonl"), source(b"{\n", "b.jsonl"), source(jsonl([1]), "c.jsonl")])
    assert [problem.file for problem in parsed.problems] == ["b.jsonl", "c.jsonl"]
    assert sentences(parsed)[0].startswith("b.jsonl: line ")


def test_more_than_one_golden_cannot_be_written() -> None:
    golden = ParsedGolden({"paths": []})
    with pytest.raises(CannotWriteError):
        list(aem1.write([ParsedConversation("c", goldens=(golden, golden))]))
