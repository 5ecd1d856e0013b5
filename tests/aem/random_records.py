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
from evaluation.aem.scorers import ClaimState
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
        states: tuple[ClaimState, ...] = ("covered", "contradicted", "not_said")
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


# --- a golden and what does just what it says ------------------------------------------------------------------------

WORDS = st.text("abcdefé12 ", min_size=1, max_size=6).filter(lambda text: text.strip() != "")
SCALARS = WORDS | st.integers(-(10**20), 10**20) | st.booleans() | st.decimals(-1000, 1000, places=2)
VALUES = st.recursive(
    SCALARS | st.none(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(WORDS, part, max_size=3),
    max_leaves=5,
)
PARAMS = st.one_of(
    st.tuples(VALUES, st.sampled_from([None, "auto", "literal"])),
    st.tuples(SCALARS, st.just("any")),
    st.tuples(WORDS, st.just("text")),
    st.tuples(st.integers() | st.decimals(-1000, 1000, places=2), st.just("number")),
    st.tuples(st.dates().map(str) | st.datetimes().map(lambda at: at.isoformat()), st.just("date")),
    st.tuples(st.booleans(), st.just("boolean")),
    st.tuples(st.lists(VALUES, max_size=3), st.sampled_from(["set", "list"])),
    st.tuples(st.dictionaries(WORDS, VALUES, max_size=3), st.just("object")),
)
CALLS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "tool": st.sampled_from(["a", "b", "c"]),
        "action": st.sampled_from([None, "X", "Y"]),
        "params": st.dictionaries(st.sampled_from("klmn"), PARAMS, max_size=3),
        "optional": st.sampled_from([False, False, True]),
        "group": st.sampled_from([None, "q", "q", "w"]),
    }
)
REPLIES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "said": st.lists(st.from_regex(r"[a-z]{2,5}", fullmatch=True), min_size=1, max_size=3, unique=True),
        "has_claims": st.booleans(),
        "optional": st.sampled_from([False, False, True]),
        "group": st.sampled_from([None, "q", "q", "w"]),
    }
)
USER: dict[str, Any] = {"user": "Go"}
USERS: st.SearchStrategy[dict[str, Any]] = st.just(USER)


@st.composite
def copies(draw: st.DrawFn) -> Record:
    """A record whose trajectory does what its golden says, turn by turn."""
    made = draw(
        st.lists(CALLS | REPLIES | USERS, min_size=1, max_size=7).filter(lambda some: some != [USER] * len(some))
    )
    gold: list[dict[str, Any]] = []
    observed: list[dict[str, Any]] = []
    for at, one in enumerate(made):
        if "user" in one:
            gold.append(one)
            observed.append(one)
            continue
        more = {"id": f"g{at}", "optional": one["optional"], "group": one["group"]}
        if "tool" in one:
            params = {
                key: {"value": value, **({"compare": compare} if compare else {})}
                for key, (value, compare) in one["params"].items()
            }
            gold.append({**more, "tool": one["tool"], "action": one["action"], "params": params})
            args = {key: value for key, (value, _) in one["params"].items()}
            observed.append({"tool": one["tool"], "action": one["action"], "args": args, "result": {"n": at}})
        else:
            text = f"It is {' and '.join(one['said'])}."
            claims = [{"text": word, "contains": [word]} for word in one["said"]] if one["has_claims"] else []
            gold.append({**more, "response": text, "claims": claims})
            observed.append({"response": text})
    return {
        "format": "aem/1",
        "golden": {"paths": [{"id": "main", "turns": gold}]},
        "trajectory": {"turns": observed},
        "policy": {},
    }
