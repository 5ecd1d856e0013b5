"""How far the verdicts on tau-bench runs agree with tau-bench's own rewards, and why the rest differs.

python benchmarks/tau_bench_agreement.py [--scorer embedded] RESULTS.json…
"""

import argparse
import sys
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluation.aem import score_record
from evaluation.evaluators import registry
from evaluation.formats import aem1, jsonio, tau_bench
from evaluation.formats.model import SourceFile


def reasons(record: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """What made a run fail, in words."""
    golden = {turn["id"]: turn for path in record["golden"]["paths"] for turn in path["turns"]}
    observed = record["trajectory"]["turns"]
    said = []
    for turn in result["turns"]:
        if turn["passed"] is False:
            wanted = golden[turn["golden"]]
            values = jsonio.dumps({name: param["value"] for name, param in wanted["params"].items()})
            said.append(f"{turn['golden']} {turn['failure_reason']}: {wanted['tool']} {values}")
    for call in result["unexpected"]:
        if call["wrote"]:
            turn = observed[call["observed"]]
            said.append(f"turn {call['observed']} changed something: {turn['tool']} {jsonio.dumps(turn['args'])}")
    said += [f"outcome {outcome['id']} not met" for outcome in result["outcome"] if not outcome["passed"]]
    return said or ["everything that the golden asks for was done"]


def pass_k(successes: dict[str, list[bool]], k: int) -> Fraction | None:
    """tau-bench's pass^k: the mean over tasks of the chance that k runs drawn from its runs all succeed."""
    if any(len(runs) < k for runs in successes.values()):
        return None
    shares = [Fraction(comb(sum(runs), k), comb(len(runs), k)) for runs in successes.values()]
    return sum(shares, Fraction(0)) / len(shares)


def report(path: Path, scorer: str) -> None:
    """Print the agreement of one result file."""
    parsed = tau_bench.read([SourceFile(path.name, path.read_bytes())])
    ours: dict[str, list[bool]] = {}
    theirs: dict[str, list[bool]] = {}
    differing = []
    for conversation in parsed.conversations:
        for record, run in zip(aem1.records_of(conversation), conversation.trajectories, strict=True):
            policy = {**record.get("policy", {}), "scorer": scorer}
            result = score_record({**record, "policy": policy}).as_result()
            passes = bool(result["test_pass"] and all(outcome["passed"] for outcome in result["outcome"]))
            rewarded = run.reward == 1
            ours.setdefault(conversation.key, []).append(passes)
            theirs.setdefault(conversation.key, []).append(rewarded)
            if passes != rewarded:
                differing.append((run.key, run.reward, reasons(record, result)))
    total = sum(map(len, ours.values()))
    print(f"{path.name}, {scorer}: {total - len(differing)} of {total} runs agree")
    for key, reward, why in differing:
        print(f"  {key}: reward {reward}")
        for line in why:
            print(f"    {line}")
    for k in range(1, max(map(len, ours.values()), default=0) + 1):
        mine, tau = pass_k(ours, k), pass_k(theirs, k)
        if mine is not None and tau is not None:
            print(f"  pass^{k}: {float(mine):.4f} by verdicts, {float(tau):.4f} by rewards")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--scorer", choices=["exact", "embedded"], default="exact")
    options = parser.parse_args()
    if options.scorer == "embedded":
        registry.install()
    for given in options.results:
        report(given, options.scorer)
