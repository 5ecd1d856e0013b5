"""Judges in tests: settings that ask the endpoint of :mod:`tests.misbehaving`, in as little time as can be."""

from __future__ import annotations

from typing import Any

from annotations.models import Project
from evaluation.evaluators.judge import Question
from evaluation.models import JudgeSettings
from evaluation.services import judges
from tests.factories import make_project
from tests.misbehaving import Endpoint

KEY = "sk-tests-0123456789-Zq7x"


def judge_body(url: str, **changes: Any) -> dict[str, Any]:
    """A settings document without waits that a test would feel."""
    return {
        "base_url": url,
        "model": "stub",
        "use": "alone",
        "timeout_seconds": 5,
        "retries": 0,
        "requests_a_minute": 60_000,
        "concurrency": 1,
        **changes,
    }


def make_judge(
    endpoint: Endpoint,
    project: Project | None = None,
    *,
    key: str = "",
    key_from: str = "",
    name: str = "standard",
    **changes: Any,
) -> JudgeSettings:
    """A judge of the project, with a stored key where one is given, or one from a variable of the environment."""
    if key:
        changes["key"] = {"source": "stored"}
    if key_from:
        changes["key"] = {"source": "env", "variable": key_from}
    body = judge_body(endpoint.url, **changes)
    return judges.create(project=project or make_project(), name=name, body=body, by=None, key=key)


def questions(count: int, *, start: int = 0) -> list[Question]:
    """So many different questions."""
    return [Question.of_values(f"value {n}", f"worth {n}", field="f") for n in range(start, start + count)]
