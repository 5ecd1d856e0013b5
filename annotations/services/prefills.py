"""What a golden begins with: which recorded runs it is drafted from, and the rows of the draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.utils import translation

from annotations.drafting import MOST_RUNS, Mark, draft_of
from annotations.models import Conversation, Golden, GoldTurn, Trajectory, TurnKind
from annotations.services import gold_turns
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import kept, say

#: A reward from which on a run has succeeded.
ENOUGH = 1
#: The largest number that a row may have; a larger one is of none.
_LARGEST = 2**63 - 1

#: Says of the trajectories of a conversation whether their newest verdict passes, by their number in the table.
Outcomes = Callable[[Conversation], Mapping[int, bool]]
_outcomes: list[Outcomes] = []


def register_outcomes(outcomes: Outcomes) -> None:
    """Runs are another part's, which builds on this one: it says here what came out of them."""
    if outcomes not in _outcomes:
        _outcomes.append(outcomes)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recorded run that a draft may be made of. ``succeeded`` is None where nobody has said."""

    trajectory: Trajectory
    succeeded: bool | None
    why: str


def candidates_of(conversation: Conversation, *, is_blinded: bool) -> list[Candidate]:
    """The current runs, the best first. Whether one succeeded, its reward says; where it has none, its newest verdict.

    The verdict is the machine's: for those who are blinded it does not count.
    """
    passed: dict[int, bool] = {}
    for outcomes in [] if is_blinded else _outcomes:
        passed |= outcomes(conversation)
    found = []
    for trajectory in conversation.trajectories.current().order_by(F("reward").desc(nulls_last=True), "pk"):
        reward = trajectory.reward
        if reward is not None:
            given = trajectory.reward_as_given if trajectory.reward_as_given is not None else reward.normalize()
            found.append(Candidate(trajectory, reward >= ENOUGH, say("reward {value}", value=given)))
        elif trajectory.pk in passed:
            is_pass = passed[trajectory.pk]
            why = say("its newest verdict passes") if is_pass else say("its newest verdict fails")
            found.append(Candidate(trajectory, is_pass, why))
        else:
            found.append(Candidate(trajectory, None, say("no reward, no verdict")))
    return sorted(found, key=lambda one: one.succeeded is not True)  # stable: the best stay first


def succeeded(conversation: Conversation, *, is_blinded: bool) -> list[Trajectory]:
    """The runs that a draft is made of where nobody chooses: those that succeeded, at most a few; else the first."""
    candidates = candidates_of(conversation, is_blinded=is_blinded)
    good = [one.trajectory for one in candidates if one.succeeded]
    return good[:MOST_RUNS] or [one.trajectory for one in candidates[:1]]


def in_order(conversation: Conversation, numbers: Sequence[int], *, is_blinded: bool) -> list[Trajectory]:
    """Those of the conversation's trajectories that have these numbers in the table, the best first.

    For those who are blinded the order tells nothing.
    """
    chosen = conversation.trajectories.filter(pk__in=[number for number in numbers if number <= _LARGEST])
    return list(chosen.order_by("pk") if is_blinded else chosen.order_by(F("reward").desc(nulls_last=True), "pk"))


def require_few(trajectories: Sequence[Trajectory]) -> None:
    if len(trajectories) > MOST_RUNS:
        raise WorkbenchError(
            say("A draft is made of at most {most} runs, not {count}.", most=MOST_RUNS, count=len(trajectories))
        )


def rows_of(
    golden: Golden, trajectories: Sequence[Trajectory], *, is_told: bool = True
) -> tuple[list[GoldTurn], dict[int, list[Mark]], dict[str, Any]]:
    """Unsaved rows of a draft of these runs, the suggestions in it by the row's place, and what is to be said of it.

    The first run stands beside the golden. ``is_told`` says whether people may know which runs were chosen: else
    nothing says how many they are either, since that is how many succeeded.
    """
    told: dict[str, Any] = {"is_told": is_told}
    if is_told:
        told["runs"] = len(trajectories)
        told["trajectories"] = [trajectory.pk for trajectory in trajectories]
    if len(trajectories) == 1:
        return gold_turns.draft_rows(golden, trajectories[0].body["turns"]), {}, told
    runs = [trajectory.body["turns"] for trajectory in trajectories]
    with translation.override("en"):  # what it says is stored, for readers of every language
        draft = draft_of(runs, tools=golden.conversation.tool_set.body)
    rows: list[GoldTurn] = []
    marks: dict[int, list[Mark]] = {}
    for path_position, path in enumerate(draft.paths):
        turn_no = 0
        for position, turn in enumerate(path.turns):
            kind = gold_turns.kind_of(turn.body)
            turn_no += kind != TurnKind.USER
            if turn.marks:
                marks[len(rows)] = turn.marks if is_told else [_without_numbers(mark) for mark in turn.marks]
            rows.append(
                GoldTurn(
                    golden=golden,
                    path=path.name,
                    path_position=path_position,
                    position=position,
                    turn_no=None if kind == TurnKind.USER else turn_no,
                    kind=kind,
                    body=turn.body,
                    observed_index=turn.observed.get(0),
                )
            )
    told["notes"] = draft.notes
    if is_told:
        told["failing"] = [
            {"run": one.run + 1, "label": trajectories[one.run].stored_label, "reason": one.reason}
            for one in draft.failing
        ]
    else:
        reasons = dict.fromkeys(one.reason for one in draft.failing)
        told["failing"] = [{"run": None, "label": "", "reason": reason} for reason in reasons]
    return rows, marks, told


_WHY = {
    "step_optional": kept("not all runs do it"),
    "param_optional": kept("not all runs give it"),
    "values": kept("each in some of the runs"),
    "open": kept("many values in the runs: decide what it must be"),
    "path": kept("some runs go this way"),
}


def _without_numbers(mark: Mark) -> Mark:
    return mark._replace(why=_WHY.get(mark.kind, mark.why))
