"""Judges over the API: the same rights and the same silence about keys."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from annotations.models import Role
from evaluation.services import judging
from tests import misbehaving
from tests.factories import make_member, make_project, make_run
from tests.judges import KEY, judge_body, make_judge, questions
from tests.misbehaving import Endpoint
from tests.people import api_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    found = Endpoint()
    yield found
    found.close()


def test_a_judge_is_made_listed_and_tried_and_its_key_never_comes_back(endpoint: Endpoint) -> None:
    project = make_project()
    caller = api_of(make_member(project, Role.OWNER))
    body = judge_body(endpoint.url, key={"source": "stored"}, prices={"in": Decimal("0.10"), "out": 2})
    path = f"projects/{project.slug}/judges/"
    made = caller.post(path, {"body": body, "key": KEY})
    assert made.status_code == 201
    assert made.data["number"] == 1
    assert made.data["key_set_at"]
    assert made.data["body"]["prices"] == {"in": Decimal("0.10"), "out": 2}
    tried = caller.post(f"{path}{made.data['id']}/try/")
    assert tried.data["answer"] == "equal"
    assert tried.data["is_right"]
    listed = caller.get(path)
    history = caller.get(f"projects/{project.slug}/history/")
    for response in (made, tried, listed, history):
        assert KEY not in response.content.decode()
    assert endpoint.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert caller.delete(f"{path}{made.data['id']}/key/").status_code == 204
    assert caller.get(path).data["results"][0]["key_set_at"] is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"body": {"base_url": "http://127.0.0.1:6379", "model": "m"}}, "https://"),
        ({"body": {"base_url": "https://[::1]/", "model": "m"}}, "no public address"),
        ({"body": {"model": "m"}}, "base_url"),
        ({"body": []}, "object"),
        ({"body": {"base_url": "https://x.example", "model": "m", "api_key": KEY}}, "unknown setting"),
        ({"body": {}, "api_key": KEY}, "no such field"),
        ({"body": {"base_url": "https://8.8.8.8", "model": "m"}, "key": f"{KEY} {KEY}"}, "key"),
    ],
)
def test_what_cannot_be_is_refused_without_repeating_a_key(given: Any, said: str) -> None:
    project = make_project()
    response = api_of(make_member(project, Role.OWNER)).post(f"projects/{project.slug}/judges/", given)
    assert response.status_code in (400, 409)
    assert said in response.content.decode()
    assert KEY not in response.content.decode()


def test_what_a_run_spent_and_may_spend(endpoint: Endpoint) -> None:
    run = make_run()
    prices = {"in": Decimal("0.1"), "out": Decimal("0.3")}
    judge = make_judge(endpoint, run.project, prices=prices, budget={"money": Decimal("0.000032")})
    judging.ask(questions(5), settings=judge, run=run)
    caller = api_of(make_member(run.project, Role.OWNER))
    found = caller.get(f"runs/{run.pk}/judge/").data
    assert found["cost"] == Decimal("0.000032")
    assert (found["requests"], found["budget"]["money"]) == (2, Decimal("0.000032"))
    raised = caller.put(f"runs/{run.pk}/judge/", {"tokens": None, "money": Decimal("0.5")})
    assert raised.data["budget"] == {"tokens": None, "money": Decimal("0.5")}
    engineer = api_of(make_member(run.project, Role.ENGINEER))
    assert engineer.get(f"runs/{run.pk}/judge/").status_code == 200
    assert engineer.put(f"runs/{run.pk}/judge/", {"tokens": None, "money": None}).status_code == 403


def test_a_trial_says_nothing_of_what_answered(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    endpoint.always = misbehaving.status(418, "secret of the inside")
    caller = api_of(make_member(judge.project, Role.OWNER))
    response = caller.post(f"projects/{judge.project.slug}/judges/{judge.pk}/try/")
    assert response.data["problem"] == "The endpoint refuses the request (HTTP 418)."
    assert "secret" not in response.content.decode()
