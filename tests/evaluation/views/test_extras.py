"""The pages say which optional packages are missing, and what would be better with them."""

import dataclasses

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import Role
from evaluation.evaluators import registry
from tests.factories import make_member, make_project
from tests.people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, known in list(registry.EVALUATORS.items()):
        if known.extra is not None:
            extra = dataclasses.replace(known.extra, package="no_such_package")
            monkeypatch.setitem(registry.EVALUATORS, name, dataclasses.replace(known, extra=extra))


def engineer() -> tuple[Client, str]:
    project = make_project()
    return client_of(make_member(project, Role.ENGINEER)), reverse("evaluation:policy-create", args=[project.slug])


@pytest.mark.usefixtures("without_extras")
def test_what_is_missing_is_named_with_its_gain() -> None:
    client, address = engineer()
    page = client.get(address).content.decode()
    assert "Better with the optional package no_such_package" in page
    assert "Cannot be chosen without the optional package no_such_package" in page
    assert "requirements-embed.txt" in page
    assert "requirements-llm.txt" in page
    assert 'value="embedded"' in page
    assert 'value="judge"' not in page
    assert client.post(address, {"scorer": "judge"}).status_code == 422


def test_the_judge_can_be_chosen_where_its_package_is_there() -> None:
    client, address = engineer()
    assert 'value="judge"' in client.get(address).content.decode()
