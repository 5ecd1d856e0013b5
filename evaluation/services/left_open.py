"""What no scorer could say of a run: the turns, forbidden calls and outcomes that wait to be tried again."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, Q, When

from evaluation.models import EvaluationRun

#: Of a verdict: it could be scored, and something in it could not.
HAS_OPEN_TURN = Q(verdict__error="", verdict__not_scored__gt=0)
#: Whether the test passed is not known though every turn is: a call that may be a forbidden one could not be judged.
HAS_OPEN_CALL = Q(verdict__error="", verdict__not_scored=0, verdict__test_pass=None)
HAS_OPEN_OUTCOME = Q(verdict__error="", verdict__outcome__contains='"passed": null')


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """How much is open, and in which trajectories of the run."""

    turns: int
    calls: int
    """Trajectories in which a call may be a forbidden one."""
    outcomes: int
    positions: tuple[int, ...]

    def as_json(self) -> dict[str, int]:
        return {
            "turns": self.turns,
            "calls": self.calls,
            "outcomes": self.outcomes,
            "trajectories": len(self.positions),
        }


def find(run: EvaluationRun) -> LeftOpen:
    """What a scorer left open in the run and may answer when it is asked again."""
    found: set[int] = set()
    turns = calls = 0
    rows = run.items.filter(HAS_OPEN_TURN | HAS_OPEN_CALL).values_list("position", "verdict__not_scored")
    for position, not_scored in rows:
        found.add(position)
        turns += not_scored
        calls += not not_scored
    outcomes = _open_outcomes(run) if run.scorer_version else {}
    return LeftOpen(turns, calls, sum(outcomes.values()), tuple(sorted(found | outcomes.keys())))


def _open_outcomes(run: EvaluationRun) -> dict[int, int]:
    """How many outcomes are open in which trajectory."""
    found: dict[int, int] = {}
    has_state = Q(trajectory__body__contains='"final_state"')
    rows = run.items.filter(HAS_OPEN_OUTCOME).annotate(has_state=Case(When(has_state, then=True), default=False))
    values = rows.values_list("position", "verdict__outcome", "golden_record__body", "has_state")
    for position, outcome, golden, knows_state in values.iterator(chunk_size=100):
        kinds = {one.get("id"): one.get("kind") for one in golden["golden"].get("outcome") or ()}
        # Without a final state nothing can be said of it, whatever a scorer answers.
        still_open = [
            one for one in outcome if one["passed"] is None and (knows_state or kinds.get(one["id"]) != "state")
        ]
        if still_open:
            found[position] = len(still_open)
    return found
