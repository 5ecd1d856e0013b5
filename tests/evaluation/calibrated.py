"""Runs in which meaning was judged by a scorer that reads its score from what it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from annotations.models import Dataset, DatasetVersion, GoldenRecord, HumanLabel, Project, Trajectory, User
from annotations.services import labels
from evaluation import aem
from evaluation.aem import ENGINE_VERSION, ClaimScore, TextScore
from evaluation.models import EvaluationRun, Policy, RunItem, RunState, TurnVerdict, Verdict
from evaluation.services import bulk, policies, scoring
from tests.factories import make_conversation, make_dataset_version, make_golden_record, make_trajectory

TOOLS: dict[str, Any] = {"booking": {"effect": "write"}}
GOLDEN: dict[str, Any] = {
    "paths": [
        {
            "id": "main",
            "turns": [
                {"id": "u1", "user": "Book it"},
                {
                    "id": "call",
                    "tool": "booking",
                    "action": "Book",
                    "params": {
                        "city": {"value": "New York City"},
                        "note": {"value": "by the window", "compare": "text"},
                    },
                },
                {
                    "id": "reply",
                    "response": "Your room is booked.",
                    "claims": [
                        {"id": "booked", "text": "The room is booked"},
                        {"id": "extra", "text": "Breakfast is included", "required": False},
                    ],
                },
            ],
        }
    ],
    "forbidden": [],
    "outcome": [],
}


class Written:
    """Gives the score that stands in the value or reply after ``~``; ``no`` contradicts, ``?`` could not be judged."""

    name = "embedded"
    is_semantic = True

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        return TextScore(self._score(observed), "As written.", layer="semantic")

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        if "Breakfast" in claim:
            return ClaimScore("not_said", Fraction(0), "Not said.")
        if "~no" in reply:
            return ClaimScore("contradicted", Fraction(0), "It is denied.")
        score = self._score(reply)
        if score is None:
            return ClaimScore("unknown", None, "Not judged.")
        return ClaimScore("covered" if score >= threshold else "not_said", score, "As written.", layer="semantic")

    @staticmethod
    def _score(text: str) -> Fraction | None:
        found = re.search(r"~([0-9.]+)", text)
        return Fraction(found[1].rstrip(".")) if found else None


def body(
    *,
    city: str = "New York City",
    note: str = "by the window",
    reply: str = "The room is booked",
    tool: str = "booking",
) -> dict[str, Any]:
    """A trajectory; a number after ``~`` is the score of the value or reply."""
    return {
        "turns": [
            {"user": "Book it"},
            {"tool": tool, "action": "Book", "args": {"city": city, "note": note}, "result": {"ok": True}},
            {"response": reply},
        ]
    }


def make_calibrated_run(
    project: Project,
    bodies: Sequence[dict[str, Any]],
    *,
    golden: dict[str, Any] | None = None,
    record_policy: dict[str, Any] | None = None,
    policy: dict[str, Any] | None = None,
    trials: int = 1,
    dataset: Dataset | None = None,
) -> EvaluationRun:
    """A finished run over a conversation for each ``trials`` bodies, scored by :class:`Written`."""
    dataset = dataset or project.datasets.create(slug=f"hotel{project.datasets.count()}", name="Bookings")
    records, pairs = [], []
    for start in range(0, len(bodies), trials):
        conversation = make_conversation(dataset, key=f"booking {start // trials}", tools=TOOLS)
        record = make_golden_record(conversation, golden=golden or GOLDEN, policy=record_policy)
        records.append(record)
        for trial, each in enumerate(bodies[start : start + trials]):
            pairs.append((record, make_trajectory(conversation, body=each, trial=trial)))
    version = make_dataset_version(dataset, records=records)
    chosen = policies.create(project=project, body=policy or {"scorer": "embedded"}, by=None)
    return _scored(project, version, chosen, pairs)


def score_again(run: EvaluationRun, *, policy: dict[str, Any]) -> EvaluationRun:
    """A further run over the same trajectories, under another policy."""
    pairs = [
        (item.golden_record, item.trajectory)
        for item in run.items.select_related("golden_record", "trajectory").order_by("position")
    ]
    chosen = policies.create(project=run.project, body=policy, by=None)
    return _scored(run.project, run.dataset_version, chosen, pairs)


def _scored(
    project: Project, version: DatasetVersion, policy: Policy, pairs: Sequence[tuple[GoldenRecord, Trajectory]]
) -> EvaluationRun:
    run = EvaluationRun.objects.create(
        project=project,
        number=project.runs.count() + 1,
        dataset_version=version,
        policy=policy,
        plan_hash="0",
        engine_version=ENGINE_VERSION,
        scorer_version="written 1",
        state=RunState.DONE,
    )
    rows = scoring.Rows()
    for position, (record, trajectory) in enumerate(pairs, start=1):
        item = RunItem.objects.create(run=run, position=position, trajectory=trajectory, golden_record=record)
        verdict = aem.score(
            aem.parse_golden(record.body["golden"]),
            aem.parse_trajectory(trajectory.body),
            policy=aem.parse_policy(record.body["policy"], base=aem.parse_policy(policy.body)),
            tools=aem.parse_tools(TOOLS),
            scorer=Written(),
        )
        scoring.add_verdict(item.pk, verdict, rows)
    bulk.insert(Verdict, scoring.VERDICT_COLUMNS, rows.verdicts)
    bulk.insert(TurnVerdict, scoring.TURN_COLUMNS, rows.turns)
    return run


def label(run: EvaluationRun, by: User, position: int, turn: str, verdict: str, **more: Any) -> HumanLabel:
    trajectory = run.items.get(position=position).trajectory
    return labels.save(
        trajectory=trajectory, path="main", turn_key=turn, by=by, seen_revision=0, verdict=verdict, **more
    )


def label_calls(run: EvaluationRun, by: User, said: Sequence[str], *, turn: str, sub_metric: str) -> None:
    """A label for the turn of each item in their order, at once."""
    HumanLabel.objects.bulk_create(
        HumanLabel(
            trajectory_id=trajectory, path="main", turn_key=turn, annotator=by, verdict=word, **{sub_metric: word}
        )
        for trajectory, word in zip(
            run.items.order_by("position").values_list("trajectory", flat=True), said, strict=True
        )
    )
