"""Time one contestant over the records; used in this environment and in those of the peers (standard library alone)."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, Generic, TypeVar

from records import conversation_of

Record = dict[str, Any]
Golden = TypeVar("Golden")
Run = TypeVar("Run")


class Contestant(Generic[Golden, Run]):
    """Prepares both sides in its own way and judges them."""

    def __init__(
        self,
        name: str,
        *,
        golden: Callable[[Record], Golden],
        run: Callable[[Record], Run],
        judge: Callable[[Golden, Run], bool],
    ) -> None:
        self.name = name
        self._golden = golden
        self._run = run
        self._judge = judge

    def measure(self, rounds: list[list[Record]]) -> dict[str, Any]:
        """Seconds to judge one round of prepared cases, and to prepare and judge them; the fastest round counts.

        Processor time, so that other work on the machine counts for little. Each round has records of its own, so that
        nobody gains by remembering the last one. A golden is prepared once for all runs of its conversation, by
        everybody. ``passed`` shows that the cases were really looked at.
        """
        judged, whole, passed = [], [], []
        for records in rounds:
            cases = list(self._cases(records))
            started = time.process_time()
            verdicts = [self._judge(golden, run) for golden, run in cases]
            judged.append(time.process_time() - started)
            passed.append(sum(verdicts))
        for records in reversed(rounds):
            started = time.process_time()
            for golden, run in self._cases(records):
                self._judge(golden, run)
            whole.append(time.process_time() - started)
        return {"name": self.name, "judged": min(judged), "whole": min(whole), "passed": passed[0]}

    def _cases(self, records: list[Record]) -> Iterator[tuple[Golden, Run]]:
        for _, group in groupby(records, key=conversation_of):
            runs = list(group)
            golden = self._golden(runs[0])
            for record in runs:
                yield golden, self._run(record)


def read_rounds(loads: Callable[[str], Any] = json.loads) -> list[list[Record]]:
    """The rounds of records, from standard input."""
    rounds: list[list[Record]] = loads(sys.stdin.read())
    return rounds


def write_results(results: list[dict[str, Any]]) -> None:
    """The last line of standard output; peers may print before it."""
    sys.stdout.write("\n" + json.dumps(results) + "\n")
