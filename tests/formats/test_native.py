"""Native dialogs: in, out again, and what a dialog cannot carry."""

from collections.abc import Iterable
from typing import Any

import pytest

from evaluation.formats import aem1, jsonio, native
from evaluation.formats.model import CannotWriteError, ParsedConversation, ParsedFile
from tests.formats.samples import jsonl, record, source


def agent(number: int, gold: str, predicted: str | None = None, **more: Any) -> dict[str, Any]:
    made = {"turn_no": number, "turn": "Agent", "gold_turn": {"response": gold}, "tags": [], **more}
    return {**made, "predict_turn": {"response": predicted}} if predicted is not None else made


def tool(number: int, args: Any, predicted: Any = ..., **more: Any) -> dict[str, Any]:
    gold = {"tool_id": "orders", "action": "get", "args": args}
    made = {"turn_no": number, "turn": "Tool", "gold_turn": gold, "tags": [], **more}
    return (
        made
        if predicted is ...
        else {**made, "predict_turn": {"tool_id": "orders", "action": "get", "args": predicted}}
    )


DIALOG = [agent(1, "Which?", "Which?"), tool(2, {"id": 1}, {"id": 2}), agent(3, "Sent.", "Lost.", depends_on=[2])]
OTHER = [tool(1, {"a": [1]}, {"a": [1]}, tags=["OrderInvariant_x"]), tool(2, {"b": None}, tags=["OrderInvariant_x"])]


def read(data: bytes | str, name: str = "dialogs.json") -> ParsedFile:
    return native.read([source(data, name)])


def written(conversations: Iterable[ParsedConversation]) -> list[Any]:
    return [jsonio.loads(line) for line in native.write(conversations)]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_may_hold_one_dialog(indent: Any) -> None:
    parsed = read(jsonio.dumps(DIALOG, indent=indent))
    assert parsed.problems == ()
    (conversation,) = parsed.conversations
    assert conversation.key == "dialogs-1"
    (golden,) = conversation.goldens
    assert golden.policy["alignment"] == "given"
    assert [turn["id"] for turn in golden.body["paths"][0]["turns"]] == ["g1", "g2", "g3"]
    assert (parsed.counts["records"], parsed.counts["read"], parsed.counts["refused"]) == (1, 1, 0)


@pytest.mark.parametrize(
    "data", [jsonio.dumps([DIALOG, OTHER]), jsonio.dumps([DIALOG, OTHER], indent=2), jsonl(DIALOG, OTHER)]
)
def test_a_file_may_hold_several_dialogs(data: Any) -> None:
    parsed = read(data)
    assert [conversation.key for conversation in parsed.conversations] == ["dialogs-1", "dialogs-2"]
    assert (parsed.counts["records"], parsed.counts["read"], parsed.counts["refused"]) == (2, 2, 0)


def test_dialogs_come_out_as_they_went_in() -> None:
    found = [{"id": "d1", "dialog": DIALOG}, {"id": "d2", "run": {"agent": "shop", "trial": 2}, "dialog": OTHER}]
    parsed = read(jsonl(*found))
    assert written(parsed.conversations) == found


def test_a_dialog_without_id_gets_one_of_file_and_place() -> None:
    assert written(read(jsonl(DIALOG)).conversations) == [{"id": "dialogs-1", "dialog": DIALOG}]


def test_what_the_conversion_drops_is_kept() -> None:
    rich = [{**DIALOG[0], "tags": ["OrderInvariant_a", "hard"], "seen_at": "Monday"}, *DIALOG[1:]]
    first = read(jsonl({"dialog_id": "d1", "dialog": rich}))
    assert written(first.conversations) == [{"id": "d1", "dialog": rich}]
    through = aem1.read([source("".join(aem1.write(first.conversations)))])
    assert written(through.conversations) == [{"id": "d1", "dialog": rich}]


def test_a_dialog_without_predictions_is_a_golden_alone() -> None:
    parsed = read(jsonl([agent(1, "Hi"), tool(2, {})]))
    (conversation,) = parsed.conversations
    assert conversation.goldens
    assert conversation.trajectories == ()
    assert written(parsed.conversations)[0]["dialog"] == [agent(1, "Hi"), tool(2, {})]


def test_a_turn_that_was_not_answered_stays_open() -> None:
    parsed = read(jsonl([agent(1, "Hi"), agent(2, "Bye", "Bye")]))
    (run,) = parsed.conversations[0].trajectories
    assert run.body["turns"] == [{}, {"response": "Bye"}]


def test_runs_of_one_conversation_share_its_golden() -> None:
    worse = [agent(1, "Which?", "What?"), *DIALOG[1:]]
    parsed = read(
        jsonl({"id": "a", "conversation": "c", "dialog": DIALOG}, {"id": "b", "conversation": "c", "turns": worse})
    )
    (conversation,) = parsed.conversations
    assert [run.key for run in conversation.trajectories] == ["a", "b"]


@pytest.mark.parametrize("args", ['"SELECT 1"', '{"a":', None, [1]])
def test_arguments_that_are_no_object_are_kept_and_said(args: Any) -> None:
    parsed = read(jsonl([tool(1, {"id": 1}, args)]))
    (problem,) = parsed.problems
    assert problem.severity == "warning"
    assert written(parsed.conversations)[0]["dialog"][0]["predict_turn"]["args"] == args


@pytest.mark.parametrize(
    "bad",
    [
        [*DIALOG, DIALOG[1]],
        [agent(1, "a", depends_on=[1])],
        [agent(1, "a", depends_on=[9])],
        [{**agent(1, "a"), "turn": "Robot"}],
        [{"turn_no": 1, "turn": "Agent"}],
        [{**agent(1, "a"), "gold_turn": {}}],
        [{"turn_no": "one", "turn": "Agent", "gold_turn": {"response": "a"}}],
        [agent(1, "a"), 7],
        {"id": "x", "dialog": []},
        {"id": "x", "dialog": [agent(1, "a")], "run": {"agent": "x"}},
        {"id": "x", "dialog": DIALOG, "golden": {}},
        {"id": "x", "dialog": DIALOG, "policy": "strict"},
        {"id": "x"},
        "text",
        [],
    ],
)
def test_a_bad_dialog_costs_only_itself(bad: Any) -> None:
    parsed = read(jsonl(DIALOG, bad, OTHER))
    assert {problem.line for problem in parsed.errors} == {2}
    assert all(problem.reason and problem.excerpt for problem in parsed.errors)
    assert [conversation.key for conversation in parsed.conversations] == ["dialogs-1", "dialogs-3"]
    assert (parsed.counts["read"], parsed.counts["refused"]) == (2, 1)


def test_a_turn_number_that_stands_twice_is_named() -> None:
    parsed = read(jsonl([*DIALOG, DIALOG[1]]))
    assert any("twice" in problem.reason and "2" in problem.reason for problem in parsed.errors)


def test_a_dialog_that_breaks_off_is_not_read() -> None:
    parsed = read(jsonio.dumps(DIALOG, indent=1)[:-40])
    assert parsed.conversations == ()
    assert len(parsed.errors) == 2


def test_a_list_of_dialogs_that_breaks_off_gives_the_dialogs_before() -> None:
    parsed = read(jsonio.dumps([DIALOG, OTHER], indent=1)[:-40])
    assert len(parsed.conversations) == 1
    assert len(parsed.errors) == 1
    assert (parsed.counts["read"], parsed.counts["refused"]) == (1, 1)


def test_what_a_dialog_cannot_carry_is_listed_before_anything_is_written() -> None:
    first = aem1.read([source(jsonl(record()))])
    with pytest.raises(CannotWriteError) as refused:
        next(native.write(first.conversations))
    said = " ".join(refused.value.reasons)
    for word in ("alternative paths", "forbidden", "outcomes", "user said", "claims", "x_turn", "position"):
        assert word in said
    assert all(reason.startswith("c1/run-1: ") for reason in refused.value.reasons)


def test_a_golden_that_was_changed_is_written_as_it_is_now() -> None:
    rich = [{**DIALOG[0], "seen_at": "Monday"}, *DIALOG[1:]]
    (line,) = aem1.write(read(jsonl({"id": "d1", "dialog": rich})).conversations)
    changed = jsonio.loads(line)
    changed["golden"]["paths"][0]["turns"][2]["response"] = "Gone."
    (found,) = written(aem1.read([source(jsonl(changed))]).conversations)
    assert found["dialog"] == [*DIALOG[:2], {**DIALOG[2], "gold_turn": {"response": "Gone."}}]
