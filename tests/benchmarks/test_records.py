"""The benchmark's made-up records are what its README says: right and wrong runs in the stated mix."""

import json
from collections import Counter
from typing import Any

import pytest

from benchmarks.records import MIX, TURNS, calls, conversation_of, records
from evaluation.aem import score_record
from evaluation.formats import jsonio


def made(count: int, *, runs: int = 4, seed: int = 1) -> list[dict[str, Any]]:
    return list(records(count, runs=runs, seed=seed))


def exactly(record: dict[str, Any]) -> Any:
    return jsonio.loads(json.dumps(record))


def test_the_same_seed_makes_the_same_records() -> None:
    assert made(20, seed=3) == made(20, seed=3)
    assert made(20, seed=3) != made(20, seed=4)


def test_the_engine_finds_what_was_put_in() -> None:
    found: Counter[str] = Counter()
    for record in made(600):
        result = score_record(exactly(record)).as_result()
        assert len(result["turns"]) == TURNS
        found[str(result["root_cause"])] += 1
        # A wrong look-up is the one root cause of all that it spoils.
        assert result["root_cause_count"] <= 1
    assert set(found) == {
        "None", "tool_mismatch", "missing_parameters", "extra_parameters", "inconsistent_parameter_values",
        "incomplete_response",
    }  # fmt: skip
    assert found["None"] == pytest.approx(600 * (100 - sum(MIX.values())) / 100, abs=60)


def test_a_wrong_lookup_is_inherited() -> None:
    inherited = [score_record(exactly(record)).cascading_count for record in made(200)]
    assert max(inherited) >= 2


def test_runs_of_a_conversation_share_their_golden() -> None:
    first, second, third = made(3, runs=2)
    assert first["golden"] == second["golden"] != third["golden"]
    assert [conversation_of(record) for record in (first, second, third)] == ["0", "0", "1"]


def test_peers_see_the_calls_of_both_sides() -> None:
    record = made(1)[0]
    golden, observed = calls(record["golden"]["paths"][0]["turns"]), calls(record["trajectory"]["turns"])
    assert [call.name for call in golden] == ["customers.get", "orders.find", "refunds.create", "mail.send"]
    assert len(observed) == TURNS - 1
    assert set(golden[2].arguments) == {"order_id", "amount", "reason"}
