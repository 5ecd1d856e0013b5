"""How far the goldens made of tau-bench tasks agree with the rewards that tau-bench gave, on real runs."""

from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import pytest

from evaluation.aem import score_record
from evaluation.formats import aem1, tau_bench
from evaluation.formats.model import ParsedFile, SourceFile
from tests.shared_data import shared

AIRLINE = "data/tau-bench/gpt-4o-airline.json"
RETAIL = (
    "data/agentrx/tau_dataset_full.json",
    "data/agentrx/tau_dataset_failed_extra.json",
    "data/tau-bench-variants/retail_preconditions.json",
)


def imported(*files: str) -> ParsedFile:
    return tau_bench.read([SourceFile(path.name, path.read_bytes()) for path in map(shared, files)])


@cache
def judged(*files: str) -> dict[str, tuple[bool, bool]]:
    """For each run: whether it passes, and whether tau-bench gave it its reward."""
    verdicts = {}
    for conversation in imported(*files).conversations:
        for record, run in zip(aem1.records_of(conversation), conversation.trajectories, strict=True):
            result = score_record(record).as_result()
            passes = result["test_pass"] and all(outcome["passed"] for outcome in result["outcome"])
            verdicts[run.key] = (passes, run.reward == 1)
    return verdicts


def differing(verdicts: dict[str, tuple[bool, bool]]) -> list[str]:
    return sorted(key for key, (passes, rewarded) in verdicts.items() if passes != rewarded)


def test_airline_runs() -> None:
    verdicts = judged(AIRLINE)
    assert len(verdicts) == 100
    assert differing(verdicts) == []


@pytest.mark.parametrize(("file", "runs"), list(zip(RETAIL, (50, 1, 50), strict=True)))
def test_retail_runs(file: Any, runs: Any) -> None:
    verdicts = judged(file)
    assert len(verdicts) == runs
    assert len(differing(verdicts)) <= runs * 6 // 100


def test_the_retail_runs_that_differ_are_the_documented_ones() -> None:
    assert differing(judged(*RETAIL)) == [
        "retail-12/preconditions/trial-0",
        "retail-36/preconditions/trial-0",
        "retail-36/tau_dataset_full/trial-0",
        "retail-64/tau_dataset_full/trial-0",
    ]


def pass_k(successes: dict[str, list[bool]], k: int) -> Fraction:
    shares = [Fraction(comb(sum(runs), k), comb(len(runs), k)) for runs in successes.values()]
    return sum(shares, Fraction(0)) / len(shares)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_pass_k_of_the_airline_runs(k: Any) -> None:
    ours: dict[str, list[bool]] = {}
    theirs: dict[str, list[bool]] = {}
    for key, (passes, rewarded) in judged(AIRLINE).items():
        task = key.split("/")[0]
        ours.setdefault(task, []).append(passes)
        theirs.setdefault(task, []).append(rewarded)
    assert {len(runs) for runs in ours.values()} == {4}
    assert pass_k(ours, k) == pass_k(theirs, k)


def test_look_ups_and_their_order_fail_nobody() -> None:
    """Matching the golden sequence would fail most good runs; no good run may fail here for a look-up."""
    for conversation in imported(AIRLINE, *RETAIL).conversations:
        for record in aem1.records_of(conversation):
            for turn in score_record(record).as_result()["turns"]:
                golden = next(found for found in record["golden"]["paths"][0]["turns"] if found["id"] == turn["golden"])
                assert turn["passed"] is not False or not golden.get("optional")


def test_all_files_together_are_one_import() -> None:
    parsed = imported(
        AIRLINE,
        *RETAIL,
        "data/tau-bench/airline_tasks_test_golden_actions.json",
        "data/tau-bench/retail_tasks_test_golden_actions.json",
        "data/tau-bench/retail_tasks_dev_golden_actions.json",
        "data/tau-bench/airline_tools.json",
        "data/tau-bench/retail_tools.json",
    )
    assert parsed.errors == ()
    counts = parsed.counts
    assert (counts["trajectories"], counts["conversations"], counts["refused"]) == (201, 93, 0)
    assert counts["records"] == counts["read"] + counts["duplicates"]
    for conversation in parsed.conversations:
        for run in conversation.trajectories:
            calls = {turn["tool"] for turn in run.body["turns"] if "tool" in turn}
            assert calls <= conversation.tools.keys()
            assert all("result" in turn for turn in run.body["turns"] if "tool" in turn) or run.reward == 0
        assert all("schema" in tool for tool in conversation.tools.values())
