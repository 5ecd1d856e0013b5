"""Our engine on the records: every check and attribution, with reasons."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from timing import Contestant, read_rounds, write_results

from evaluation.aem import Golden, Policy, Tools, Trajectory, parse_golden, parse_policy, parse_tools, parse_trajectory
from evaluation.aem import score as score_conversation
from evaluation.formats import jsonio


class Reference(NamedTuple):
    """What a run is scored against."""

    golden: Golden
    tools: Tools
    policy: Policy


def golden(record: dict[str, Any]) -> Reference:
    return Reference(parse_golden(record["golden"]), parse_tools(record["tools"]), parse_policy(record["policy"]))


def run(record: dict[str, Any]) -> Trajectory:
    return parse_trajectory(record["trajectory"])


def judge(against: Reference, observed: Trajectory) -> bool:
    """Score, and write the result document out as a stored verdict needs it."""
    verdict = score_conversation(against.golden, observed, tools=against.tools, policy=against.policy)
    return bool(verdict.as_result()["test_pass"])


def main() -> None:
    engine = Contestant("aem engine", golden=golden, run=run, judge=judge)
    write_results([engine.measure(read_rounds(jsonio.loads))])


main()
