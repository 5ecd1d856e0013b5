"""Random records for what holds of every verdict, and a scorer of meaning that anybody can foresee."""

import copy
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeVar
from zlib import crc32

from hypothesis import strategies as st

from evaluation.aem import (
    ClaimScore,
    ConversationVerdict,
    RecordError,
    TextScore,
    is_native_dialog,
    record_from_native,
    score_record,
)
from evaluation.formats import jsonio
from tests.aem.reference.generate import make_case

Record = dict[str, Any]
Result = dict[str, Any]
Part = TypeVar("Part")

#: The generator reaches every rule within a few hundred seeds; hypothesis goes far beyond.
SEEDS = st.integers(0, 10**6)


def a_record(seed: int) -> Record | None:
    """The record of a seed, of its own; None where the seed makes one that is to be refused."""
    made, kind = make_case(seed)
    if kind not in {"record", "native"}:
        return None
    made = copy.deepcopy(made)
    return record_from_native(made) if is_native_dialog(made) else made


def strict(record: Record) -> Record:
    """The record with its turns paired by position, so that no change moves a pair: no groups, nothing optional."""
    record["policy"] = {**record.get("policy", {}), "alignment": "given"}
    for turn in gold_turns(record):
        turn.pop("group", None)
        turn.pop("optional", None)
    return record


def gold_turns(record: Record) -> Iterator[dict[str, Any]]:
    """The agent and tool turns of all paths."""
    for path in record["golden"]["paths"]:
        yield from (turn for turn in path["turns"] if "user" not in turn)


class FakeScorer:
    """Decides by a checksum, so that it passes, fails, doubts and does not know, and always says the same."""

    name = "embedded"
    is_semantic = True

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """A score from 0 to 1, or None, that hangs on the two values alone."""
        number = checksum(expected, observed)
        return TextScore(None if number % 7 == 6 else Fraction(number % 7, 5), "Foreseen.", number % 11 == 0, "fake")

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """A state that hangs on the two texts alone."""
        number = checksum(claim, reply)
        if number % 4 == 3:
            return ClaimScore("unknown", None, "Nobody knows.", False, "fake")
        states = ("covered", "contradicted", "not_said")
        return ClaimScore(states[number % 4], Fraction(int(number % 4 == 0)), "Foreseen.", number % 11 == 0, "fake")


def checksum(one: Any, other: Any) -> int:
    """A number that the order of keys does not change."""
    return crc32(f"{jsonio.canonical(one)!r}{jsonio.canonical(other)!r}".encode())


#: None compares by equality alone, as records ask for.
SCORERS = st.sampled_from([None, FakeScorer()])


def judged(record: Record, scorer: FakeScorer | None = None) -> ConversationVerdict | None:
    """The verdict on a record, or None where it is refused."""
    try:
        return score_record(copy.deepcopy(record), scorer=scorer)
    except RecordError:
        return None


def result_of(record: Record, scorer: FakeScorer | None = None) -> Result | None:
    """The result document of a record, or None where it is refused."""
    verdict = judged(record, scorer)
    return None if verdict is None else verdict.as_result()


def everywhere(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A JSON value with each object in it changed, from the inside out."""
    if isinstance(value, dict):
        return change({key: everywhere(part, change) for key, part in value.items()})
    return [everywhere(part, change) for part in value] if isinstance(value, list) else value
