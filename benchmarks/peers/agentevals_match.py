"""langchain's agentevals on the records: names and arguments of calls."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentevals.trajectory.match import create_trajectory_match_evaluator
from records import calls, reply
from timing import Contestant, read_rounds, write_results

Messages = list[dict[str, Any]]


def messages(turns: list[dict[str, Any]]) -> Messages:
    said: Messages = [{"role": "user", "content": turns[0]["user"]}]
    for number, call in enumerate(calls(turns)):
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        asked = {"id": f"call-{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": "", "tool_calls": [asked]})
        # Strict matching wants an answer to each call on both sides; what it says is not compared.
        said.append({"role": "tool", "tool_call_id": f"call-{number}", "content": json.dumps(call.result)})
    said.append({"role": "assistant", "content": reply(turns)})
    return said


def golden(record: dict[str, Any]) -> Messages:
    return messages(record["golden"]["paths"][0]["turns"])


def run(record: dict[str, Any]) -> Messages:
    return messages(record["trajectory"]["turns"])


def main() -> None:
    rounds = read_rounds()
    results = []
    for mode in ("strict", "unordered", "superset"):
        evaluate = create_trajectory_match_evaluator(trajectory_match_mode=mode)

        def judge(expected: Messages, observed: Messages, evaluate: Callable[..., Any] = evaluate) -> bool:
            return bool(evaluate(outputs=observed, reference_outputs=expected)["score"])

        results.append(Contestant(f"agentevals, {mode}", golden=golden, run=run, judge=judge).measure(rounds))
    write_results(results)


main()
