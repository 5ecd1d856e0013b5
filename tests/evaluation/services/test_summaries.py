from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Dataset
from evaluation.models import EvaluationRun
from evaluation.services import summaries
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
    report_trajectory,
)

pytestmark = pytest.mark.django_db


def by_value(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["value"]: row for row in rows}


def run_with_trials(results: dict[str, list[bool]], dataset: Dataset | None = None) -> EvaluationRun:
    """A run of one agent version: per conversation, whether each trial passes."""
    dataset = dataset or make_dataset()
    records = []
    for key, passes in results.items():
        conversation = make_conversation(dataset, key=key)
        records.append(make_golden_record(conversation))
        for trial, passed in enumerate(passes):
            make_trajectory(conversation, trial=trial, body=report_trajectory(metric="revenue" if passed else "profit"))
    return make_run(make_dataset_version(dataset, records=records))


def test_root_causes_and_cascades_are_counted_apart() -> None:
    run = make_run(make_report_version(4, failing=1))
    total = run.summary["all"]
    assert (total["trajectories"], total["judged"], total["test_passed"]) == (4, 4, 3)
    assert total["evaluated"] == 20
    assert total["root_causes"] == 1
    assert total["cascades"] >= 1
    assert total["passed"] + total["root_causes"] + total["cascades"] == total["evaluated"]
    assert run.summary["reasons"] == [{"reason": "inconsistent_parameter_values", "root_causes": 1}]
    assert "prior_action_failed" not in {row["reason"] for row in run.summary["reasons"]}


def test_every_table_adds_up_to_the_whole() -> None:
    version = make_report_version(3, failing=2)
    for item in version.items.all():
        make_trajectory(item.golden_record.conversation, agent_version="3.0", trial=0)
    summary = make_run(version).summary
    for name in ("agent_version", "length", "language", "domain", "chain_bucket"):
        rows = summary["by"][name]
        for count in ("trajectories", "judged", "test_passed", "evaluated", "passed", "root_causes", "cascades"):
            assert sum(row[count] for row in rows) == summary["all"][count], (name, count)
    for count in ("evaluated", "passed", "root_causes", "cascades", "ambiguous"):
        assert sum(row[count] for row in summary["kinds"]) == summary["all"][count]
        assert sum(row[count] for row in summary["actions"]) == by_value(summary["kinds"])["action"][count]
        assert sum(row[count] for row in summary["tools"]) == by_value(summary["kinds"])["action"][count]


def test_agent_versions_tools_actions_and_fields_are_named() -> None:
    summary = make_run(make_report_version(2, failing=1)).summary
    assert by_value(summary["by"]["agent_version"])["reporter 2.2"]["key"] == '["reporter", "2.2"]'
    assert list(by_value(summary["tools"])) == ["reports"]
    assert next(iter(by_value(summary["actions"]))) == "FilterData"
    field = by_value(summary["fields"])["metric"]
    assert (field["tool"], field["action"], field["root_causes"], field["cascades"]) == ("reports", "FilterData", 1, 0)
    assert by_value(summary["by"]["length"]).keys() == {"1–5"}
    assert by_value(summary["by"]["chain_bucket"]).keys() == {"complex"}


def test_sub_metrics_count_only_where_they_were_judged() -> None:
    summary = make_run(make_report_version(2)).summary
    assert summary["sub_metrics"]["structural"] == {"mean": 1, "n": 6, "full": 6}, "replies have no structure"
    assert summary["sub_metrics"]["completeness"]["full"] == summary["sub_metrics"]["completeness"]["n"]


def test_nothing_scored_gives_no_rate() -> None:
    conversation = make_conversation()
    make_trajectory(conversation)
    record = make_golden_record(conversation, policy={"scorer": "judge"})
    summary = make_run(make_dataset_version(conversation.dataset, records=[record])).summary
    assert (summary["scored"], summary["not_scored"]) == (0, 1)
    assert summary["all"]["test_pass_rate"] is None
    assert summary["all"]["success_rate"] is None
    assert summary["mean_success_rate"] == {"mean": None, "n": 0}
    assert summary["sub_metrics"]["truthfulness"] == {"mean": None, "n": 0, "full": 0}
    assert (summary["pass_hat_k"], summary["reward"]) == ([], None)


def test_pass_hat_k_is_a_mean_over_conversations() -> None:
    summary = run_with_trials({"a": [True, True, False, False], "b": [True, True, True, True]}).summary
    [table] = summary["pass_hat_k"]
    assert table["agent_version"] == "reporter 2.2"
    values = [float(row["value"]) for row in table["rows"]]
    # C(2,k)/C(4,k) and 1: (1/2 + 1)/2, (1/6 + 1)/2, (0 + 1)/2, (0 + 1)/2
    assert values == pytest.approx([3 / 4, 7 / 12, 1 / 2, 1 / 2])
    assert [row["conversations"] for row in table["rows"]] == [2, 2, 2, 2]


def test_pass_hat_k_leaves_out_conversations_with_fewer_trials() -> None:
    summary = run_with_trials({"a": [True, False], "b": [True]}).summary
    rows = summary["pass_hat_k"][0]["rows"]
    assert [(row["k"], float(row["value"]), row["conversations"]) for row in rows] == [(1, 0.75, 2), (2, 0.0, 1)]


def test_a_single_trial_has_no_pass_hat_k() -> None:
    assert run_with_trials({"a": [True], "b": [False]}).summary["pass_hat_k"] == []


def test_agreement_with_the_reward_counts_outcomes_too() -> None:
    golden = report_golden()
    golden["outcome"] = [{"kind": "said", "contains": ["120"]}]
    dataset = make_dataset()
    records = []
    for total, reward in ((120, 1), (120, 0), (95, 0), (95, 1)):
        conversation = make_conversation(dataset)
        # Without its last turn the golden passes whatever the sum; only the outcome tells.
        shorter = {**golden, "paths": [{"id": "main", "turns": golden["paths"][0]["turns"][:-1]}]}
        records.append(make_golden_record(conversation, golden=shorter))
        make_trajectory(conversation, body=report_trajectory(total=total), reward=reward)
    unknown = make_conversation(dataset)
    records.append(
        make_golden_record(unknown, golden={**golden, "outcome": [{"kind": "statement", "text": "Polite."}]})
    )
    make_trajectory(unknown, reward=1)
    without = make_conversation(dataset)
    records.append(make_golden_record(without))
    make_trajectory(without)
    reward = make_run(make_dataset_version(dataset, records=records)).summary["reward"]
    assert (reward["n"], reward["agree"], reward["undecided"]) == (4, 2, 1)
    assert (reward["both_pass"], reward["only_verdict_passes"]) == (1, 1)
    assert (reward["only_reward_passes"], reward["both_fail"]) == (1, 1)


@pytest.mark.parametrize(
    ("turns", "bucket"), [(1, "1–5"), (5, "1–5"), (6, "6–10"), (40, "21–40"), (80, "41–80"), (81, "81 or more")]
)
def test_lengths_fall_into_the_bucket_whose_range_holds_them(turns: int, bucket: str) -> None:
    assert summaries.length_bucket(turns) == bucket
    bounds = summaries.length_range(bucket)
    assert bounds is not None
    assert bounds[0] <= turns <= bounds[1]


def test_an_unknown_length_has_no_range() -> None:
    assert summaries.length_range("some") is None
