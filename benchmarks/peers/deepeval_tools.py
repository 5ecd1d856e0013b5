"""deepeval's ToolCorrectness on the records: names and parameters of calls."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from deepeval.metrics import ToolCorrectnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams
from records import calls, reply
from timing import Contestant, read_rounds, write_results


class NoModel(DeepEvalBaseLLM):
    """The metric asks for a model even where it calls none."""

    def load_model(self) -> "NoModel":
        return self

    def get_model_name(self) -> str:
        return "none"

    def generate(self, *_: object, **__: object) -> str:
        raise RuntimeError("no model was to be called")

    a_generate = generate


def tool_calls(turns: list[dict[str, Any]]) -> list[ToolCall]:
    return [ToolCall(name=call.name, input_parameters=call.arguments) for call in calls(turns)]


def golden(record: dict[str, Any]) -> list[ToolCall]:
    return tool_calls(record["golden"]["paths"][0]["turns"])


def run(record: dict[str, Any]) -> LLMTestCase:
    observed = record["trajectory"]["turns"]
    return LLMTestCase(input=observed[0]["user"], actual_output=reply(observed), tools_called=tool_calls(observed))


def main() -> None:
    rounds = read_rounds()
    results = []
    for mode, options, shows_progress in (
        ("default", {}, True),
        ("ordering", {"should_consider_ordering": True}, True),
        ("exact", {"should_exact_match": True}, True),
        # Not how its manual calls it, but the metric alone: the rest of its time goes into a progress display.
        ("default without display", {}, False),
    ):
        metric = ToolCorrectnessMetric(
            evaluation_params=[ToolCallParams.INPUT_PARAMETERS],
            model=NoModel(),
            async_mode=False,
            threshold=1,
            **options,
        )

        def judge(
            expected: list[ToolCall],
            case: LLMTestCase,
            metric: ToolCorrectnessMetric = metric,
            shows_progress: bool = shows_progress,
        ) -> bool:
            case.expected_tools = expected
            return metric.measure(case, _show_indicator=shows_progress) == 1

        contestant = Contestant(f"deepeval ToolCorrectness, {mode}", golden=golden, run=run, judge=judge)
        results.append(contestant.measure(rounds))
    write_results(results)


main()
