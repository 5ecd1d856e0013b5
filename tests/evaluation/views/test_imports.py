"""Upload, preview and decision in the browser."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client

from annotations.models import Conversation, Dataset, Project, Role
from evaluation.models import ImportJob
from tests.evaluation.services.test_imports import lines, record
from tests.factories import make_member, make_project
from tests.people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def client(project: Project) -> Client:
    return client_of(make_member(project, Role.ENGINEER))


def upload(client: Client, project: Project, data: bytes, name: str = "f.jsonl", **fields: Any) -> Any:
    file = io.BytesIO(data)
    file.name = name
    return client.post(f"/p/{project.slug}/imports/", {"files": file, "new_dataset": "Mine", **fields})


def test_nothing_stays_of_a_dataset_into_which_nothing_was_imported(client: Client, project: Project) -> None:
    page = upload(client, project, lines([record(1)]))["Location"]
    assert client.get(page).status_code == 200
    assert client.post(f"{page}discard/").status_code == 302
    assert not Dataset.objects.exists()
    assert client.get(page).status_code == 200
    page = upload(client, project, b"{broken")["Location"]
    assert not Dataset.objects.exists()
    assert "line 1" in client.get(page).content.decode()


def test_a_dataset_in_use_stays(client: Client, project: Project) -> None:
    first = upload(client, project, lines([record(1)]))["Location"]
    dataset = Dataset.objects.get()
    second = upload(client, project, lines([record(2)]), dataset=dataset.pk)["Location"]
    client.post(f"{first}discard/")
    assert Dataset.objects.get() == dataset
    client.post(f"{second}apply/")
    assert Conversation.objects.get().key == "c2"


@pytest.mark.parametrize(
    "key", ["a/b", "<script>alert(1)</script>", "é 漢 😀", "line\nbreak", "../../etc", "%00", "?x=1#y"]
)
def test_any_key_opens_as_a_page_and_is_shown_as_it_is(client: Client, project: Project, key: str) -> None:
    page = upload(client, project, lines([record(1, id=key, conversation=key)]), name=f"{key[:20]}.jsonl")["Location"]
    client.post(f"{page}apply/")
    conversation = Conversation.objects.get()
    assert conversation.key == key
    for address in (page, conversation.get_absolute_url(), conversation.dataset.get_absolute_url()):
        text = client.get(address).content.decode()
        assert "<script>alert" not in text
    stored = ImportJob.objects.get().files.get()
    sent = client.get(f"{page}files/{stored.pk}/")
    assert sent.status_code == 200
    assert b"".join(sent) == lines([record(1, id=key, conversation=key)])


def test_the_same_decision_twice_is_refused_with_a_sentence(client: Client, project: Project) -> None:
    page = upload(client, project, lines([record(1)]))["Location"]
    client.post(f"{page}apply/")
    for again in ("apply", "discard"):
        text = client.post(f"{page}{again}/", follow=True).content.decode()
        assert "not waiting for a decision" in text
    assert Conversation.objects.count() == 1
