"""Which rules the random records reach, and in how many of them: a comparison without power proves nothing."""

import sys
from collections import Counter

from tests.aem.reference.generate import make_case
from tests.aem.reference.scorer import ReferenceError, score_with_rules


def features(seed: int) -> set[str]:
    """What one seed's record shows."""
    record, kind = make_case(seed)
    try:
        result, rules_met = score_with_rules(record)
    except ReferenceError:
        return {"refused", f"refused: {kind}"}
    turns = result["turns"]
    shown = {f"kind: {kind}", f"test_pass: {result['test_pass']}", f"chain: {result['chain']['bucket']}"}
    shown |= {f"reason: {reason}" for turn in turns for reason in turn["reasons"]}
    shown |= {f"unexpected: {call['kind']}" for call in result["unexpected"]}
    shown |= {"unexpected: wrote" for call in result["unexpected"] if call["wrote"]}
    shown |= {f"outcome: {outcome['passed']}" for outcome in result["outcome"]}
    shown |= {f"rule: {rule}" for rule in rules_met}
    conditions = {
        "ambiguous": any(turn["ambiguous"] for turn in turns),
        "ambiguous and passed": any(turn["ambiguous"] and turn["passed"] for turn in turns),
        "skipped": any(turn["skipped"] for turn in turns),
        "several reasons in a turn": any(len(turn["reasons"]) > 1 for turn in turns),
        "cascade of several roots": any(len(turn["cascade_of"]) > 1 for turn in turns),
        "cascade through a cascade": result["cascading_count"] > 1,
        "several roots": result["root_cause_count"] > 1,
        "no rate": result["success_rate"] is None,
        "another path than the first wins": kind == "record" and result["path"] != record["golden"]["paths"][0]["id"],
        "matched against the order of the trajectory": out_of_order([turn["observed"] for turn in turns]),
        "extra write decides": not result["test_pass"] and result["total_failures"] == 0,
    }
    return shown | {name for name, holds in conditions.items() if holds}


def out_of_order(places: list[int | None]) -> bool:
    """Whether a later golden turn took an earlier observed turn, as a group allows."""
    taken = [place for place in places if place is not None]
    return taken != sorted(taken)


def count_features(seeds: range) -> Counter[str]:
    """In how many of the seeds' records each feature shows."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        counts.update(features(seed))
    return counts


if __name__ == "__main__":
    for name, count in sorted(count_features(range(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)).items()):
        print(f"{count:6}  {name}")
