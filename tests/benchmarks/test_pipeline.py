"""The conversations that the pipeline's benchmark makes are what it says they are."""

import json
from pathlib import Path

import pytest

from evaluation import aem
from evaluation.formats import jsonio


@pytest.fixture(autouse=True)
def _beside_the_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))


def test_conversations_have_twenty_turns_and_can_be_scored() -> None:
    import pipeline  # type: ignore[import-not-found]

    policy = aem.parse_policy({})
    passed = []
    for golden, tools, trajectories in pipeline.conversations(10, trials=3, seed=7):
        parsed = aem.parse_golden(jsonio.loads(json.dumps(golden)))
        for body in trajectories:
            trajectory = aem.parse_trajectory(jsonio.loads(json.dumps(body)))
            verdict = aem.score(parsed, trajectory, policy=policy, tools=aem.parse_tools(tools))
            assert len(verdict.turns) == pipeline.TURNS
            passed += [turn.passed for turn in verdict.turns]
    assert len(passed) == 600
    assert 0.6 < sum(map(bool, passed)) / len(passed) < 0.98, "most is right, and something is wrong"


def test_the_same_seed_makes_the_same_conversations() -> None:
    import pipeline

    first, second = (list(pipeline.conversations(3, trials=2, seed=1)) for _ in range(2))
    assert first == second
