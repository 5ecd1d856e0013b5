"""Real tau-bench runs, imported, released and scored: the figures are tau-bench's own."""

from __future__ import annotations

from math import comb

import pytest
from django.utils import timezone

from annotations.models import Trajectory
from annotations.services import releases
from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile
from evaluation.services import imports
from tests.factories import make_dataset, make_run
from tests.shared_data import shared

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_airline_runs_give_the_pass_hat_k_that_tau_bench_computes() -> None:
    results = shared("data/tau-bench/gpt-4o-airline.json")
    tools = shared("data/tau-bench/airline_tools.json")
    dataset = make_dataset()
    job = imports.preview(
        project=dataset.project,
        dataset=dataset,
        by=None,
        files=[SourceFile(name=path.name, data=path.read_bytes()) for path in (results, tools)],
    )
    imports.apply(job=job, by=None, now=timezone.now(), take_changes=True)
    assert Trajectory.objects.count() == 100
    run = make_run(releases.release(dataset=dataset, by=None))

    rewards: dict[int, list[bool]] = {}
    for row in jsonio.loads(results.read_bytes()):
        rewards.setdefault(row["task_id"], []).append(row["reward"] == 1)
    published = [
        sum(comb(sum(trials), k) / comb(4, k) for trials in rewards.values()) / len(rewards) for k in (1, 2, 3, 4)
    ]
    [table] = run.summary["pass_hat_k"]
    for reading in ("reward", "with_outcomes"):
        assert [float(row[reading]["value"]) for row in table["rows"]] == pytest.approx(published)
    assert run.summary["reward"]["agree"] >= 98
