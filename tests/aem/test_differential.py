"""The engine against the plain reference, on random records: equal documents, and the same records refused.

``AEM_DIFFERENTIAL_SEEDS`` asks for more seeds, and ``AEM_DIFFERENTIAL_FIRST`` for others.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.aem import RecordError, score_record
from evaluation.formats import jsonio
from tests.aem.reference.coverage import count_features
from tests.aem.reference.generate import make_case, small_matchings
from tests.aem.reference.scorer import ReferenceError, score_reference

FIRST = int(os.environ.get("AEM_DIFFERENTIAL_FIRST", "0"))
SEEDS = int(os.environ.get("AEM_DIFFERENTIAL_SEEDS", "400"))
CHUNK = 50  # seeds per test: few enough that a failure is found soon, many enough that pytest is not busy with itself

# Rules that random records must reach often enough, per 400 records, for agreement to mean something.
POWER = {
    "ambiguous": 40,
    "skipped": 40,
    "several reasons in a turn": 10,
    "cascade through a cascade": 10,
    "cascade of several roots": 4,
    "another path than the first wins": 5,
    "matched against the order of the trajectory": 5,
    "refused": 20,
    "reason: tool_mismatch": 30,
    "reason: action_mismatch": 5,
    "reason: missing_parameters": 20,
    "reason: extra_parameters": 20,
    "reason: inconsistent_parameter_values": 50,
    "reason: incomplete_response": 30,
    "reason: inconsistent_response": 30,
    "reason: prior_action_failed": 50,
    "rule: wrong: supported": 5,
    "rule: wrong: refuted": 5,
    "rule: wrong: absent": 5,
    "rule: missing: supported": 5,
    "rule: missing: refuted": 3,
    "rule: missing: absent": 5,
    "rule: reply: refuted": 3,
    "rule: reply: absent": 3,
    "rule: ref: supported": 3,
    "rule: ref: refuted": 3,
    "rule: ref: absent": 5,
    "rule: ref: unjudged": 5,
    "rule: structure: inherited": 5,
    "rule: invented number": 3,
    "rule: taint": 5,
    "rule: own but doubtful": 10,
}


def outcome_of_engine(record: Any) -> dict[str, Any] | None:
    """The engine's result document, or None where it refuses the record."""
    try:
        return score_record(record).as_result()
    except RecordError:
        return None


def outcome_of_reference(record: Any) -> dict[str, Any] | None:
    """The reference's result document, or None where it refuses the record."""
    try:
        return score_reference(record)
    except ReferenceError:
        return None


def differences(seeds: range) -> Iterator[str]:
    """A readable line for every seed on which the two differ, with where they do."""
    for seed in seeds:
        expected = outcome_of_reference(make_case(seed)[0])
        got = outcome_of_engine(make_case(seed)[0])  # a record of its own, so that neither can change the other's
        if got != expected:
            yield f"seed {seed}: {'; '.join(where_they_differ(expected, got))}"


def where_they_differ(expected: dict[str, Any] | None, got: dict[str, Any] | None) -> Iterator[str]:
    """The places in which two result documents differ."""
    if expected is None or got is None:
        yield f"refused by the {'reference' if expected is None else 'engine'} alone"
        return
    for key in sorted(expected.keys() | got.keys()):
        if key != "turns" and expected.get(key) != got.get(key):
            yield f"{key}: reference {expected.get(key)!r}, engine {got.get(key)!r}"
    for wanted, turn in zip(expected["turns"], got["turns"], strict=False):
        for key in wanted:
            if wanted[key] != turn.get(key):
                yield f"turn {wanted['turn_no']} {key}: reference {wanted[key]!r}, engine {turn.get(key)!r}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, CHUNK))
def test_engine_and_reference_agree(first: int) -> None:
    found = list(differences(range(first, min(first + CHUNK, FIRST + SEEDS))))
    assert not found, "\n".join(found)


def test_engine_and_reference_agree_on_every_small_matching() -> None:
    found = []
    for record in small_matchings():
        expected, got = outcome_of_reference(record), outcome_of_engine(record)
        if got != expected:
            found.append(f"{jsonio.dumps(record)}: {'; '.join(where_they_differ(expected, got))}")
    assert not found, "\n".join(found[:10])


def test_scoring_leaves_the_record_as_it_was() -> None:
    for seed in range(40):
        record, kind = make_case(seed)
        if kind in {"record", "native"}:
            score_record(record)
            assert jsonio.canonical(record) == jsonio.canonical(make_case(seed)[0])


def test_random_records_reach_every_rule() -> None:
    counts = count_features(range(400))
    assert not {name: counts[name] for name, least in POWER.items() if counts[name] < least}
