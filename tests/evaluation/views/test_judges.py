"""The pages of judges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from annotations.models import Project, Role, User
from evaluation.forms.judges import JudgeForm
from evaluation.models import JudgeKey, JudgeSettings
from evaluation.services import judges, judging
from tests import misbehaving
from tests.factories import make_member, make_project, make_run
from tests.judges import KEY, make_judge, questions
from tests.misbehaving import Endpoint
from tests.people import client_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    found = Endpoint()
    yield found
    found.close()


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, Role.OWNER)


def filled(endpoint: Endpoint, **changes: Any) -> dict[str, Any]:
    """The form as a person leaves it."""
    return {
        "name": "standard",
        "base_url": endpoint.url,
        "model": "stub",
        "key_source": "stored",
        "key": KEY,
        "key_variable": "",
        "use": "ambiguous",
        "votes": "3",
        "quorum": "",
        "temperature": "0",
        "seed": "1",
        "answer_tokens": "1000",
        "timeout_seconds": "5",
        "retries": "0",
        "requests_a_minute": "6000",
        "concurrency": "2",
        "budget_tokens": "",
        "budget_money": "",
        "price_in": "0.25",
        "price_out": "2",
        **changes,
    }


def url_of(name: str, project: Project, *args: Any) -> str:
    return reverse(f"evaluation:{name}", args=[project.slug, *args])


def test_an_owner_sets_a_judge_up(endpoint: Endpoint, project: Project, owner: User) -> None:
    client = client_of(owner)
    response = client.post(url_of("judge-create", project), filled(endpoint), follow=True)
    page = unescape(response.content.decode())
    assert "Judge standard 1 is kept" in page
    assert "set on" in page
    config = judges.read(JudgeSettings.objects.get().body)
    assert (config.votes, config.quorum, config.price_in, config.use) == (3, 2, Decimal("0.25"), "ambiguous")


def test_only_what_is_needed_stands_open_until_something_else_is_refused(
    endpoint: Endpoint, project: Project, owner: User
) -> None:
    client = client_of(owner)
    url = url_of("judge-create", project)

    def folds(page: str) -> dict[str, bool]:
        found = re.findall(r"<details[^>]*?( open)?><summary><strong>([^<]*)</strong>", page)
        return {title: bool(is_open) for is_open, title in found}

    page = client.get(url).content.decode()
    assert folds(page) == {"What it may cost": False, "How it is asked": False, "How fast": False}
    before_folds = page[: page.index("<summary><strong>What it may cost")]
    assert {name for name in JudgeForm.base_fields if f'name="{name}"' in before_folds} == {
        *("name", "base_url", "model", "key_source", "key", "key_variable", "use")
    }
    assert all(page.count(f'name="{name}"') == 1 for name in JudgeForm.base_fields)
    assert "requests a minute: 60 ·" in page  # said without being opened
    # A field in a closed part cannot be complained of by the browser, which would say nothing at all.
    assert re.search(r"<form[^>]* novalidate>", page)
    refused = client.post(url, filled(endpoint, votes="99", concurrency="0"))
    assert refused.status_code == 422
    assert folds(refused.content.decode()) == {"What it may cost": False, "How it is asked": True, "How fast": True}
    assert not JudgeSettings.objects.exists()


def test_no_page_holds_the_key(endpoint: Endpoint, project: Project, owner: User) -> None:
    client = client_of(owner)
    client.post(url_of("judge-create", project), filled(endpoint))
    judge = JudgeSettings.objects.get()
    sealed = JudgeKey.objects.get().sealed
    pages = [
        client.get(url_of("judge-list", project)),
        client.get(url_of("judge-create", project) + f"?from={judge.pk}"),
        client.post(url_of("judge-create", project), filled(endpoint, votes="0")),
        client.post(url_of("judge-create", project), filled(endpoint, base_url="http://10.0.0.5/")),
        client.post(url_of("judge-try", project, judge.pk)),
        client.get(reverse("annotations:project-history", args=[project.slug])),
    ]
    for response in pages:
        text = response.content.decode()
        assert KEY not in text
        assert KEY[-4:] not in text
        assert sealed not in text


def test_an_edit_begins_with_what_is_there(endpoint: Endpoint, project: Project, owner: User) -> None:
    client = client_of(owner)
    client.post(url_of("judge-create", project), filled(endpoint))
    judge = JudgeSettings.objects.get()
    page = client.get(url_of("judge-create", project) + f"?from={judge.pk}")
    assert page.context["form"]["model"].value() == "stub"
    assert "A key is stored: set on" in unescape(page.content.decode())
    # With the key left empty the stored one stays.
    client.post(url_of("judge-create", project), filled(endpoint, key="", votes="1"))
    assert JudgeSettings.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base_url": "http://169.254.169.254/latest"}, "Use https://"),
        ({"base_url": "https://localhost/"}, "no public address is known"),
        ({"quorum": "4"}, "quorum"),
        ({"key_source": "env", "key": "", "key_variable": "HOME"}, "AEM_JUDGE_KEY_"),
        ({"key_source": "none"}, "Choose “stored here”"),
        ({"key": "two words"}, "without spaces"),
        ({"price_out": ""}, "prices"),
        ({"price_in": "", "price_out": "", "budget_money": "5"}, "no price is known"),
    ],
)
def test_what_cannot_be_is_said_beside_what_was_typed(
    endpoint: Endpoint, project: Project, owner: User, changes: dict[str, str], message: str
) -> None:
    response = client_of(owner).post(url_of("judge-create", project), filled(endpoint, **changes))
    assert response.status_code == 422
    assert message in unescape(response.content.decode())
    assert response.context["form"]["model"].value() == "stub"
    assert not JudgeSettings.objects.exists()
    assert not JudgeKey.objects.exists()


def test_trying_shows_outcome_and_time_as_page_and_as_fragment(
    endpoint: Endpoint, project: Project, owner: User
) -> None:
    judge = make_judge(endpoint, project)
    client = client_of(owner)
    page = client.post(url_of("judge-try", project, judge.pk))
    assert "it works" in page.content.decode()
    assert b"<html" in page.content
    fragment = client.post(url_of("judge-try", project, judge.pk), headers=HTMX)
    assert fragment.content.decode().startswith('<div id="trial"')
    assert "1 request, 100 + 20 tokens" in fragment.content.decode()


def test_trying_shows_nothing_of_what_answered(endpoint: Endpoint, project: Project, owner: User) -> None:
    judge = make_judge(endpoint, project)
    endpoint.always = misbehaving.body(b"<h1>secret of the inside</h1>")
    page = client_of(owner).post(url_of("judge-try", project, judge.pk)).content.decode()
    assert "What came is not JSON." in page
    assert "secret" not in page


def test_a_judge_of_another_project_is_not_tried(endpoint: Endpoint, project: Project, owner: User) -> None:
    judge = make_judge(endpoint)
    assert client_of(owner).post(url_of("judge-try", project, judge.pk)).status_code == 404
    assert client_of(owner).get(url_of("judge-create", project) + f"?from={judge.pk}").context["form"].initial == {}
    assert endpoint.asked == []


def test_an_engineer_sees_judges_and_changes_none(endpoint: Endpoint, project: Project) -> None:
    judge = make_judge(endpoint, project, key=KEY)
    client = client_of(make_member(project, Role.ENGINEER))
    page = client.get(url_of("judge-list", project)).content.decode()
    assert "stub" in page
    assert "Try it" not in page
    for name in ("judge-try", "judge-forget-key"):
        assert client.post(url_of(name, project, judge.pk)).status_code == 403
    assert JudgeKey.objects.exists()


def test_a_key_is_forgotten_with_one_button(endpoint: Endpoint, project: Project, owner: User) -> None:
    judge = make_judge(endpoint, project, key=KEY)
    page = client_of(owner).post(url_of("judge-forget-key", project, judge.pk), follow=True).content.decode()
    assert "The key of standard is gone" in page
    assert "not set" in page


def test_without_the_extra_the_page_says_what_would_be_better_with_it(
    project: Project, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.services.judge_client.IS_AVAILABLE", False)
    page = client_of(owner).get(url_of("judge-list", project)).content.decode()
    assert "requirements-llm.txt" in page
    assert "a language model can decide what the offline comparison leaves open" in page


def test_a_run_shows_what_its_judge_took_and_the_owner_raises_the_budget(endpoint: Endpoint) -> None:
    run = make_run()
    judge = make_judge(endpoint, run.project, budget={"tokens": 200})
    judging.ask(questions(5), settings=judge, run=run)
    client = client_of(make_member(run.project, Role.OWNER))
    url = reverse("evaluation:run-judge", args=[run.pk])
    page = unescape(client.get(url).content.decode())
    assert "200 sent, 40 received" in page
    assert "not known: there is no price for this model" in page
    assert "200 tokens" in page
    assert client.post(url, {"tokens": "0", "money": ""}).status_code == 422
    assert client.post(url, {"tokens": "", "money": "5"}).status_code == 422  # nobody knows the price
    client.post(url, {"tokens": "900", "money": ""})
    outcomes = judging.ask(questions(5), settings=judge, run=run)
    assert {outcome.score for outcome in outcomes.values()} == {1}
    history = unescape(client.get(reverse("annotations:project-history", args=[run.project.slug])).content.decode())
    assert "run.budget_set" in history or "udget" in history


def test_a_run_without_a_judge_says_so() -> None:
    run = make_run()
    client = client_of(make_member(run.project, Role.ENGINEER))
    assert "This run asks no judge" in client.get(reverse("evaluation:run-judge", args=[run.pk])).content.decode()
