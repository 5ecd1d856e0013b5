"""What holds of every verdict, whatever is scored: sums, names, order of keys, repetition, an exact copy.

Section numbers are those of the description of what the engine computes. Each property is tried under the exact scorer
and under one that passes, fails, doubts and does not know.
"""

import copy
import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.aem import parse_record, score, score_record
from evaluation.formats import jsonio
from tests.aem.random_records import (
    SCORERS,
    SEEDS,
    FakeScorer,
    Record,
    Result,
    a_record,
    copies,
    everywhere,
    gold_turns,
    judged,
    result_of,
)

ROOT = Path(__file__).resolve().parents[2]


@given(SEEDS, SCORERS)
@settings(max_examples=300, deadline=None)
def test_the_counts_add_up(seed: int, scorer: FakeScorer | None) -> None:
    """Section 5: rates lie between 0 and 1, and every gold turn is counted once, as what it is."""
    record = a_record(seed)
    assume(record is not None)
    verdict = judged(record or {}, scorer)
    assume(verdict is not None)
    assert verdict is not None
    passed = sum(turn.passed is True for turn in verdict.turns)
    failed = [turn for turn in verdict.turns if turn.passed is False]
    skipped = sum(turn.skipped for turn in verdict.turns)
    roots = [turn for turn in failed if not turn.cascade_of]
    assert passed + len(failed) + skipped + verdict.not_scored == len(verdict.turns)
    assert scorer is not None or not verdict.not_scored
    assert len(failed) == verdict.total_failures == verdict.root_cause_count + verdict.cascading_count
    assert len(roots) == verdict.root_cause_count
    first = roots[0] if roots else None
    assert verdict.first_failure_turn == (first and first.turn_no)
    assert verdict.root_cause == (first and first.failure_reason)
    for rate in (verdict.success_rate, *verdict.sub_metrics):
        assert rate is None or 0 <= rate <= 1
    if verdict.test_pass:
        assert not failed
        assert not verdict.not_scored
    observed = [turn.observed for turn in verdict.turns if turn.observed is not None]
    assert len(set(observed)) == len(observed)


@given(SEEDS, SCORERS)
@settings(max_examples=300, deadline=None)
def test_a_cascade_names_root_causes_before_it(seed: int, scorer: FakeScorer | None) -> None:
    """Section 4: what is inherited is named after turns that failed by themselves, earlier in the path; own is not."""
    record = a_record(seed)
    assume(record is not None)
    verdict = judged(record or {}, scorer)
    assume(verdict is not None)
    assert verdict is not None
    roots: set[int] = set()
    for turn in verdict.turns:
        assert set(turn.cascade_of) <= roots
        assert list(turn.cascade_of) == sorted(set(turn.cascade_of))
        assert (turn.failure_reason == "prior_action_failed") is bool(turn.cascade_of)
        if turn.passed is False and not turn.cascade_of:
            roots.add(turn.turn_no)
            assert turn.reasons
        assert bool(turn.reasons) is (turn.passed is False)


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=150, deadline=None)
def test_scoring_again_gives_the_same(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Each stage is a function of those before it: neither time nor what was scored meanwhile changes a verdict."""
    record, between = a_record(seed), a_record(other)
    assume(record is not None and between is not None)
    before = result_of(record or {}, scorer)
    assume(before is not None)
    parsed = parse_record(copy.deepcopy(record))
    assert parsed.trajectory is not None
    others = [parsed.trajectory]
    if between is not None and result_of(between) is not None:
        others.insert(0, parse_record(between).trajectory or parsed.trajectory)
    for trajectory in [*others, *others]:
        verdict = score(parsed.golden, trajectory, policy=parsed.policy, tools=parsed.tools, scorer=scorer)
        verdict.as_explained()
        if trajectory is parsed.trajectory:
            assert verdict.as_result() == before


PROGRAM = """
import hashlib
from evaluation.formats import jsonio
from tests.aem.random_records import FakeScorer, a_record, judged
found = hashlib.sha256()
for seed in range(80):
    record = a_record(seed)
    for scorer in (None, FakeScorer()):
        verdict = None if record is None else judged(record, scorer)
        if verdict is not None:
            found.update(jsonio.dumps(verdict.as_explained()).encode())
print(found.hexdigest())
"""


def test_hashing_changes_no_verdict_and_no_sentence() -> None:
    """Each stage is a function of those before it: the order in which Python keeps sets is no part of them."""
    found = set()
    for number in ("0", "1", "4711"):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(ran.stdout.strip())
    assert len(found) == 1
    assert found != {hashlib.sha256().hexdigest()}


# --- names ------------------------------------------------------------------------------------------------------------


class Renamer:
    """Gives every path, turn, claim, group and assertion of a record another name, one for each."""

    def __init__(self, record: Record, seed: int) -> None:
        self.record = copy.deepcopy(record)
        self.chance = random.Random(seed)
        self.names: dict[tuple[str, str], str] = {}
        #: The names of claims, by path and turn as they were called.
        self.claims: dict[tuple[str, str], dict[str, str]] = {}
        golden = self.record["golden"]
        self.paths = {}
        for path in golden["paths"]:
            old = path["id"]
            path["id"] = self.paths[old] = self.name("path", old)
            for turn in path["turns"]:
                self.turn(old, turn)
        self.outcome = {}
        for number, one in enumerate(golden.get("outcome", ()), 1):
            old = one.get("id", f"outcome{number}")
            one["id"] = self.outcome[old] = self.name("outcome", old)

    def name(self, kind: str, old: str) -> str:
        """The new name of a thing of some kind."""
        known = self.names.get((kind, old))
        if known is None:
            known = self.names[kind, old] = f"{self.chance.choice('zyxaé ')}{self.chance.randrange(10**9)}"
        return known

    def turn(self, path: str, turn: dict[str, Any]) -> None:
        """Rename a turn and all that it names."""
        old = turn.get("id")
        if old is not None:
            turn["id"] = self.name("turn", old)
        if turn.get("group") is not None:
            turn["group"] = self.name("group", turn["group"])
        named = self.claims.setdefault((path, old or ""), {})
        for number, claim in enumerate(turn.get("claims", ()), 1):
            was = claim.get("id", f"claim{number}")
            claim["id"] = named[was] = self.name("claim", was)
        for part in (*turn.get("claims", ()), *turn.get("params", {}).values()):
            if part.get("from") is not None:
                part["from"] = [self.name("turn", one) for one in part["from"]]
            if "ref" in part:
                part["ref"]["turn"] = self.name("turn", part["ref"]["turn"])
        if turn.get("depends_on") is not None:
            turn["depends_on"] = [
                {**one, "turn": self.name("turn", one["turn"])} if isinstance(one, dict) else self.name("turn", one)
                for one in turn["depends_on"]
            ]

    def renamed(self, result: Result) -> Result:
        """A result with the new names in the places of the old ones."""
        made = copy.deepcopy(result)
        path = made["path"]
        made["path"] = self.paths[path]
        for turn in made["turns"]:
            claims = self.claims.get((path, turn["golden"]), {})
            turn["fields"] = sorted(claims.get(field, field) for field in turn["fields"])
            turn["golden"] = self.name("turn", turn["golden"])
        for one in made["outcome"]:
            one["id"] = self.outcome[one["id"]]
        return made


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=250, deadline=None)
def test_names_are_only_names(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Sections 1 and 6: renaming turns, paths, claims, groups and assertions changes nothing but these names."""
    record = a_record(seed)
    assume(record is not None)
    before = result_of(record or {}, scorer)
    assume(before is not None)
    renamer = Renamer(record or {}, other)
    assert result_of(renamer.record, scorer) == renamer.renamed(before or {})


@given(SEEDS, SCORERS)
@settings(max_examples=200, deadline=None)
def test_what_the_engine_does_not_know_changes_nothing(seed: int, scorer: FakeScorer | None) -> None:
    """Section 1: keys that scoring does not know are metadata: who the agent is, what it cost, how long it took."""
    record = a_record(seed)
    assume(record is not None)
    assert record is not None
    before = result_of(record, scorer)
    assume(before is not None)
    more = {"agent": "other", "agent_version": "9", "user_id": 7, "latency_ms": 12, "note": {"a": [1]}}
    changed = copy.deepcopy(record)
    changed.update(more)
    changed["trajectory"].update(more)
    changed["golden"].update(more)
    for turn in changed["trajectory"]["turns"]:
        if turn:  # a turn that holds nothing answers nothing, and with a key it would be no turn at all
            turn.update(more)
    for turn in gold_turns(changed):
        turn.update(more)
    assert result_of(changed, scorer) == before


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=250, deadline=None)
def test_the_order_of_keys_changes_nothing(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Sections 1 and 3: a record and the values in it are JSON, whose objects have no order."""
    record = a_record(seed)
    assume(record is not None)
    before = result_of(record or {}, scorer)
    assume(before is not None)
    chance = random.Random(other)

    def shuffled(of: dict[str, Any]) -> dict[str, Any]:
        keys = list(of)
        chance.shuffle(keys)
        return {key: of[key] for key in keys}

    assert result_of(everywhere(record, shuffled), scorer) == before


# --- what is added ----------------------------------------------------------------------------------------------------


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=250, deadline=None)
def test_an_optional_turn_that_nothing_answers_changes_nothing(
    seed: int, other: int, scorer: FakeScorer | None
) -> None:
    """Section 2: it is skipped, not evaluated, and not failed for anyone; only numbers and the chain make room for it.

    Under ``search``, and where it splits no group: by position it would be given a turn that belongs to another.
    """
    record = a_record(seed)
    assume(record is not None)
    assert record is not None
    record["policy"]["alignment"] = "search"
    before = result_of(record, scorer)
    assume(before is not None)
    assert before is not None
    chance = random.Random(other)
    changed = copy.deepcopy(record)
    for path in changed["golden"]["paths"]:
        turns = path["turns"]
        places = [
            at
            for at in range(len(turns) + 1)
            if not (0 < at < len(turns) and turns[at - 1].get("group") and turns[at].get("group"))
        ]
        turns.insert(
            chance.choice(places), {"id": "nobody", "tool": "nobody calls this", "params": {}, "optional": True}
        )
    after = result_of(changed, scorer)
    assert after is not None
    added = next(turn for turn in after["turns"] if turn["golden"] == "nobody")
    assert added["skipped"]
    assert added["passed"] is None
    numbers = {turn["turn_no"]: at for at, turn in enumerate([t for t in after["turns"] if t is not added], 1)}
    after["turns"].remove(added)
    for turn in after["turns"]:
        turn["turn_no"] = numbers[turn["turn_no"]]
        turn["cascade_of"] = [numbers[one] for one in turn["cascade_of"]]
    if after["first_failure_turn"] is not None:
        after["first_failure_turn"] = numbers[after["first_failure_turn"]]
    assert after.pop("chain")["length"] - before.pop("chain")["length"] >= 0
    assert after == before


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=200, deadline=None)
def test_another_accepted_path_never_lowers_the_rate(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Section 5: the path with the highest rate is the verdict, and a path that is like another changes nothing."""
    record, donor = a_record(seed), a_record(other)
    assume(record is not None and donor is not None)
    assert record is not None
    assert donor is not None
    before = result_of(record, scorer)
    assume(before is not None)
    assert before is not None
    same = copy.deepcopy(record)
    same["golden"]["paths"].append({**copy.deepcopy(same["golden"]["paths"][0]), "id": "the same again"})
    assert result_of(same, scorer) == before
    record["golden"]["paths"].append({**donor["golden"]["paths"][0], "id": "another"})
    after = result_of(record, scorer)
    if after is not None and before["success_rate"] is not None:
        assert after["success_rate"] >= before["success_rate"]


# --- an exact copy ----------------------------------------------------------------------------------------------------


@given(copies(), st.sampled_from(["search", "given"]), SCORERS)
@settings(max_examples=300, deadline=None)
def test_an_exact_copy_passes_entirely(record: Record, alignment: str, scorer: FakeScorer | None) -> None:
    """Sections 2 and 3: a trajectory that does what the golden says, in its order, passes in every turn."""
    record["policy"] = {"alignment": alignment}
    verdict = score_record(jsonio.loads(jsonio.dumps(record)), scorer=scorer)
    assert verdict.test_pass is True
    assert verdict.success_rate == 1
    assert verdict.unexpected == ()
    assert all(turn.passed and not turn.ambiguous for turn in verdict.turns)
