"""tau-bench: what a golden says, how messages become turns, how files go together."""

from typing import Any

import pytest

from evaluation.formats import aem1, jsonio, tau_bench
from evaluation.formats.model import ParsedFile
from tests.formats.samples import source

CANCEL = {"name": "cancel_pending_order", "kwargs": {"order_id": "#W1", "reason": "no longer needed"}}
LOOK_UP = {"name": "get_order_details", "kwargs": {"order_id": "#W1"}}
RETURN = {"name": "return_delivered_order_items", "kwargs": {"order_id": "#W2", "item_ids": ["1", "2"]}}


def call(name: str, arguments: Any, call_id: str | None = "c1", **message: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments if isinstance(arguments, str) else jsonio.dumps(arguments)}
    made = {"type": "function", "function": function}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [made | ({"id": call_id} if call_id else {})],
        **message,
    }


def answer(content: Any, call_id: str | None = "c1", **message: Any) -> dict[str, Any]:
    return {"role": "tool", "content": content, **({"tool_call_id": call_id} if call_id else {}), **message}


def task(*actions: Any, **changes: Any) -> dict[str, Any]:
    return {"user_id": "u1", "instruction": "You want to cancel.", "actions": list(actions), "outputs": [], **changes}


def result(*messages: Any, actions: Any = (CANCEL,), **changes: Any) -> dict[str, Any]:
    outputs = changes.pop("outputs", [])
    made = {"task_id": 7, "trial": 1, "reward": jsonio.loads("1.0"), "traj": list(messages)}
    return {**made, "info": {"task": task(*actions, outputs=outputs), "user_cost": jsonio.loads("0.01")}, **changes}


def read(*elements: Any, name: str = "gpt-4o-retail.json") -> ParsedFile:
    return tau_bench.read([source(jsonio.dumps(list(elements)), name)])


def turns_of(*messages: Any) -> list[dict[str, Any]]:
    parsed = read(result(*messages), result({"role": "user", "content": "x"}, task_id=9))
    turns: list[dict[str, Any]] = parsed.conversations[0].trajectories[0].body["turns"]
    return turns


# Goldens


def test_writes_are_required_and_look_ups_optional_in_one_group() -> None:
    (conversation,) = read({"task_id": 3, **task(LOOK_UP, CANCEL, RETURN, outputs=["12.50", "camera"])}).conversations
    (golden,) = conversation.goldens
    assert golden.policy == {"extra_writes": "fail"}
    (path,) = golden.body["paths"]
    assert [(turn["tool"], turn.get("optional", False), turn["group"]) for turn in path["turns"]] == [
        ("get_order_details", True, "calls"),
        ("cancel_pending_order", False, "calls"),
        ("return_delivered_order_items", False, "calls"),
    ]
    assert path["turns"][1]["params"]["order_id"] == {"value": "#W1", "compare": "literal"}
    assert path["turns"][2]["params"]["item_ids"] == {"value": ["1", "2"], "compare": "set"}
    assert [(found["kind"], found.get("contains", found.get("tool"))) for found in golden.body["outcome"]] == [
        ("said", ["12.50"]),
        ("said", ["camera"]),
        ("called", "cancel_pending_order"),
        ("called", "return_delivered_order_items"),
        ("state", None),
    ]
    assert (conversation.key, conversation.domain, conversation.user_goal) == (
        "retail-3",
        "retail",
        "You want to cancel.",
    )


def test_the_order_of_flights_and_passengers_is_kept() -> None:
    kwargs = {"reservation_id": "R", "flights": [{"flight_number": "A"}, {"flight_number": "B"}]}
    (conversation,) = read(
        {"task_id": 1, **task({"name": "update_reservation_flights", "kwargs": kwargs})}
    ).conversations
    assert conversation.domain == "airline"
    params = conversation.goldens[0].body["paths"][0]["turns"][0]["params"]
    assert params["flights"]["compare"] == "literal"


def test_equal_calls_are_both_kept_and_asked_for_twice() -> None:
    (conversation,) = read({"task_id": 1, **task(CANCEL, CANCEL)}).conversations
    body = conversation.goldens[0].body
    assert [turn["id"] for turn in body["paths"][0]["turns"]] == ["g1", "g2"]
    assert [found["times"] for found in body["outcome"] if found["kind"] == "called"] == [2]


def test_a_task_without_actions_expects_that_nothing_is_changed() -> None:
    (conversation,) = read({"task_id": 1, **task()}, name="retail_tasks.json").conversations
    ((turn,),) = [path["turns"] for path in conversation.goldens[0].body["paths"]]
    assert turn["optional"] is True


def test_a_transfer_changes_nothing() -> None:
    transfer = {"name": "transfer_to_human_agents", "kwargs": {"summary": "s"}}
    (conversation,) = read({"task_id": 1, **task(transfer, CANCEL)}).conversations
    assert conversation.tools["transfer_to_human_agents"] == {"effect": "read"}
    assert conversation.goldens[0].body["paths"][0]["turns"][0]["optional"] is True


def test_every_tool_of_the_domain_has_its_effect() -> None:
    (conversation,) = read({"task_id": 1, **task(CANCEL)}).conversations
    writing = {name for name, tool in conversation.tools.items() if tool["effect"] == "write"}
    assert writing == tau_bench.WRITES["retail"]
    assert len(conversation.tools) == 16


def test_the_effect_of_an_unknown_tool_is_guessed_and_said() -> None:
    parsed = read(
        {"task_id": 1, **task(CANCEL, {"name": "get_weather", "kwargs": {}}, {"name": "pay_fee", "kwargs": {}})}
    )
    (problem,) = parsed.problems
    assert problem.severity == "warning"
    assert "get_weather (read), pay_fee (write)" in problem.reason
    assert parsed.conversations[0].tools["pay_fee"] == {"effect": "write"}


def test_a_tool_that_an_agent_made_up_is_no_tool_of_the_conversation() -> None:
    user = {"role": "user", "content": "x"}
    parsed = read(result(user), result(user, call("refund_everything", {}), trial=2))
    (conversation,) = parsed.conversations
    assert parsed.problems == ()
    assert len(conversation.trajectories) == 2
    assert "refund_everything" not in conversation.tools


def test_the_runs_of_another_domain_share_their_tools() -> None:
    user, action = {"role": "user", "content": "x"}, {"name": "book_table", "kwargs": {}}
    parsed = read(
        result(user, call("get_menu", {}), actions=[action]),
        result(user, call("get_wine", {}), actions=[action], trial=2),
        name="gpt.json",
    )
    (conversation,) = parsed.conversations
    assert parsed.errors == ()
    assert {name: tool["effect"] for name, tool in conversation.tools.items()} == {
        "book_table": "write",
        "get_menu": "read",
        "get_wine": "read",
    }


# Trajectories


def test_messages_become_turns_with_each_result_at_its_call() -> None:
    turns = turns_of(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        call("cancel_pending_order", {"order_id": "#W1"}, content="One moment."),
        answer('{"status": "cancelled", "n": 1.0}'),
        {"role": "user", "content": "###STOP###"},
    )
    assert turns == [
        {"user": "Hi"},
        {"response": "Hello"},
        {"response": "One moment.", "accompanies_call": True},
        {
            "tool": "cancel_pending_order",
            "args": {"order_id": "#W1"},
            "call_id": "c1",
            "result": {"status": "cancelled", "n": jsonio.loads("1.0")},
        },
        {"user": "###STOP###"},
    ]


def test_parallel_calls_find_their_results_in_any_order() -> None:
    both = call("get_order_details", {"order_id": "1"}, "a")
    both["tool_calls"] += call("get_order_details", {"order_id": "2"}, "b")["tool_calls"]
    turns = turns_of(both, answer("two", "b"), answer("one", "a"))
    assert [(turn["args"]["order_id"], turn["result"]) for turn in turns] == [("1", "one"), ("2", "two")]


def test_results_without_id_are_joined_by_name_and_then_by_order() -> None:
    both = call("get_order_details", {"order_id": "1"}, None)
    both["tool_calls"] += call("get_user_details", {"user_id": "u"}, None)["tool_calls"]
    named = turns_of(
        both, answer("user", None, name="get_user_details"), answer("order", None, name="get_order_details")
    )
    assert [turn["result"] for turn in named] == ["order", "user"]
    unnamed = turns_of(both, answer("first", None), answer("second", None))
    assert [turn["result"] for turn in unnamed] == ["first", "second"]


def test_an_id_that_is_used_again_belongs_to_the_open_call() -> None:
    turns = turns_of(call("think", {}, "x"), answer("1", "x"), call("think", {}, "x"), answer("2", "x"))
    assert [turn["result"] for turn in turns] == ["1", "2"]


def test_a_result_that_starts_with_error_is_an_error() -> None:
    turns = turns_of(call("think", {}), answer("Error: no such order"), call("think", {}, "d"), answer("No Error", "d"))
    assert [turn.get("error") for turn in turns] == [True, None]


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    parsed = read(result(call("think", "{'thought': 1}"), call("think", '{"a": 1, "a": 2}', "d")))
    assert [turn["args"] for turn in parsed.conversations[0].trajectories[0].body["turns"]] == [
        "{'thought': 1}",
        '{"a": 1, "a": 2}',
    ]
    assert parsed.errors == ()
    assert parsed.warnings[0].path == "trajectory.turns[0].args"


def test_old_function_calls_and_text_parts_are_read() -> None:
    turns = turns_of(
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": None, "function_call": {"name": "think", "arguments": "{}"}},
        {"role": "function", "name": "think", "content": "ok"},
    )
    assert turns == [{"user": "a\nb"}, {"tool": "think", "args": {}, "result": "ok"}]


def test_messages_that_fit_nowhere_are_kept_beside_the_turns() -> None:
    odd = {"role": "critic", "content": "hm"}
    parsed = read(result({"role": "user", "content": "x"}, odd, answer("lost", "z")))
    (run,) = parsed.conversations[0].trajectories
    assert run.metadata["other_messages"] == [odd, answer("lost", "z")]
    assert [problem.severity for problem in parsed.problems] == ["warning", "warning"]


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        ([{"role": "user", "content": "Thanks! ###STOP###"}], True),
        ([call("transfer_to_human_agents", {"summary": "s"}), answer("Transfer successful")], True),
        ([{"role": "user", "content": "Yes"}], False),
        ([call("think", {}), answer("")], False),
    ],
)
def test_whether_a_run_came_to_its_end_is_recorded(last: Any, ended: Any) -> None:
    (run,) = read(result({"role": "user", "content": "Hi"}, *last)).conversations[0].trajectories
    assert run.body["final_state"] == {"ended": ended}


# Files


def test_reward_trial_agent_and_system_prompt_stand_beside_the_run() -> None:
    parsed = read(result({"role": "system", "content": "Be kind."}, {"role": "user", "content": "x"}))
    (conversation,) = parsed.conversations
    (run,) = conversation.trajectories
    assert (run.key, run.record_id) == ("retail-7/gpt-4o/trial-1", "retail-7/gpt-4o/trial-1")
    assert (run.agent, run.trial, str(run.reward)) == ("gpt-4o", 1, "1.0")
    assert run.metadata == {"info": {"user_cost": jsonio.loads("0.01")}}
    assert conversation.system_prompt == "Be kind."


def test_a_trial_that_repeats_the_task_id_is_no_trial() -> None:
    parsed = read(*(result({"role": "user", "content": "x"}, task_id=number, trial=number) for number in (0, 4, 6)))
    runs = [conversation.trajectories[0] for conversation in parsed.conversations]
    assert [run.trial for run in runs] == [0, 0, 0]
    assert [run.metadata.get("source_trial") for run in runs] == [None, 4, 6]


def test_runs_of_one_task_share_its_golden() -> None:
    parsed = read(*(result({"role": "user", "content": "x"}, trial=number) for number in range(4)))
    (conversation,) = parsed.conversations
    assert [run.trial for run in conversation.trajectories] == [0, 1, 2, 3]
    assert len(conversation.goldens) == 1


def test_two_runs_with_the_same_trial_number_are_both_kept() -> None:
    parsed = read(
        result({"role": "user", "content": "x"}),
        result({"role": "user", "content": "y"}),
        result({"role": "user", "content": "z"}),
    )
    assert [run.trial for run in parsed.conversations[0].trajectories] == [1, 2, 3]
    assert [problem.severity for problem in parsed.problems] == ["warning", "warning"]


def test_results_tasks_and_tools_go_together() -> None:
    tools = [
        {
            "type": "function",
            "function": {"name": "get_order_details", "description": "Look", "parameters": {"type": "object"}},
        }
    ]
    files = [
        source(jsonio.dumps(tools), "retail_tools.json"),
        source(
            jsonio.dumps([{"task_id": 7, **task(CANCEL)}, {"task_id": 8, **task(CANCEL)}]), "retail_tasks_test.json"
        ),
        source(jsonio.dumps([result({"role": "user", "content": "x"})]), "gpt-4o-retail.json"),
        source(jsonio.dumps([{"task_id": 7, **task(RETURN)}]), "retail_tasks_dev.json"),
    ]
    parsed = tau_bench.read(files)
    assert parsed.problems == ()
    assert [(found.key, len(found.trajectories)) for found in parsed.conversations] == [
        ("retail-7", 1),
        ("retail-8", 0),
        ("retail-dev-7", 0),
    ]
    assert parsed.conversations[0].tools["get_order_details"] == {
        "effect": "read",
        "description": "Look",
        "schema": {"type": "object"},
    }
    assert (parsed.counts["records"], parsed.counts["read"], parsed.counts["refused"]) == (5, 5, 0)


def test_a_golden_that_differs_between_files_is_a_problem_of_the_later() -> None:
    parsed = tau_bench.read(
        [
            source(jsonio.dumps([result({"role": "user", "content": "x"})]), "run-retail.json"),
            source(jsonio.dumps([{"task_id": 7, **task(RETURN)}]), "retail_tasks.json"),
        ]
    )
    (problem,) = parsed.errors
    assert (problem.file, problem.path) == ("retail_tasks.json", "golden")


def test_a_task_without_known_tools_belongs_to_the_domain_of_its_file_or_policy() -> None:
    user = {"role": "user", "content": "x"}
    parsed = read(result(user, actions=()), result(user, task_id=9), name="run.json")
    assert [conversation.key for conversation in parsed.conversations] == ["retail-7", "retail-9"]
    policy = {"role": "system", "content": "# Airline Agent Policy\n\nIn retail, ask a colleague."}
    assert read(result(policy, user, actions=()), name="run.json").conversations[0].domain == "airline"
    assert read(result(user, actions=()), name="run.json").conversations[0].key == "task-7"


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        ({"info": {}}, "info.task"),
        ({"info": {"task": {"actions": [{"kwargs": {}}]}}}, "info.task.actions[0]"),
        ({"info": {"task": {"actions": [{"name": "x", "kwargs": [1]}]}}}, "info.task.actions[0].kwargs"),
        ({"info": {"task": {"actions": [], "outputs": [1]}}}, "info.task.outputs"),
        ({"traj": [{"role": "assistant", "tool_calls": [{"id": "x"}]}]}, "traj[0].tool_calls[0]"),
    ],
)
def test_a_bad_result_is_refused_with_its_place(bad: Any, path: Any) -> None:
    parsed = read(
        {**result({"role": "user", "content": "x"}), **bad}, result({"role": "user", "content": "x"}, task_id=9)
    )
    (problem,) = parsed.errors
    assert (problem.path, problem.record) == (path, 1)
    assert (parsed.counts["read"], parsed.counts["refused"]) == (1, 1)


def test_an_element_that_is_nothing_known_is_refused() -> None:
    parsed = read({"hello": 1}, result({"role": "user", "content": "x"}))
    assert [problem.record for problem in parsed.errors] == [1]


def test_what_was_imported_goes_out_as_records_and_comes_back() -> None:
    first = tau_bench.read([source(tau_bench.EXAMPLE, "gpt-4o-retail.json")])
    lines = "".join(aem1.write(first.conversations))
    again = aem1.read([source(lines)])
    assert "".join(aem1.write(again.conversations)) == lines
    assert again.problems == first.problems == ()


@pytest.mark.parametrize(
    ("stem", "domain", "agent"),
    [
        ("gpt-4o-airline", "airline", "gpt-4o"),
        ("retail_preconditions", "retail", "preconditions"),
        ("tau_dataset_full", "retail", "tau_dataset_full"),
        ("airline", "airline", "airline"),
        ("a-retail-b", "retail", "a-b"),
    ],
)
def test_the_agent_is_named_after_the_file(stem: Any, domain: Any, agent: Any) -> None:
    assert tau_bench.agent_of(stem, domain) == agent
