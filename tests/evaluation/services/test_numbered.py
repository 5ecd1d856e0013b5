"""Policies, judges and vocabularies are numbered alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotations.models import Project
from evaluation.models import Policy
from evaluation.services import judges, numbered, policies, vocabularies
from tests.factories import make_project
from tests.judges import judge_body

pytestmark = pytest.mark.django_db

Make = Callable[[Project, int], Any]


def policy(project: Project, content: int) -> Any:
    return policies.create(project=project, body={"threshold": 0.5 + content / 10}, by=None)


def judge(project: Project, content: int) -> Any:
    body = judge_body("https://llm.example/v1") | {"requests_a_minute": 1 + content}
    return judges.create(project=project, body=body, by=None)


def vocabulary(project: Project, content: int) -> Any:
    newest = vocabularies.latest(project)
    body = {"equal": [{"terms": ["a word", f"word {content}"]}]}
    return vocabularies.create(project=project, body=body, by=None, seen_number=newest.number if newest else 0)


@pytest.mark.parametrize("make", [policy, judge, vocabulary])
def test_other_content_makes_the_next_number_and_the_same_gives_the_newest_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.services.addresses.check", lambda _: None)
    project, other = make_project(), make_project()
    made = [make(project, content) for content in (1, 1, 2, 2, 1)]
    assert [document.number for document in made] == [1, 1, 2, 2, 3]
    assert made[0] == made[1]
    assert made[4] != made[0], "an earlier content is a further number, not the earlier one again"
    assert made[4].content_hash == made[0].content_hash
    assert make(other, 1).number == 1


def test_the_newest_of_each_name() -> None:
    project = make_project()
    for name, content in (("b", 1), ("a", 1), ("b", 2), ("a", 2), ("a", 3)):
        policies.create(project=project, name=name, body={"threshold": content / 10}, by=None)
    policies.create(project=make_project(), name="c", body={}, by=None)
    found = numbered.newest_of_each(Policy, project=project)
    assert [(document.name, document.number) for document in found] == [("a", 3), ("b", 2)]
