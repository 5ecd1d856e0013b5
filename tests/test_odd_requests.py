"""What no browser sends by itself: no address and no form of the site may answer it with a server error."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.contrib.messages import get_messages
from django.db import transaction
from django.template.loader import get_template
from django.test import TestCase

from annotations.models import Project, Role, User
from tests.people import client_of
from tests.world import RULES, World, make_world, routes

PARAMETERS = (  # noqa: SIM905 - as a list it would fill a page
    "page version run turn golden reference sub_metric machine human state reason q language domain open path current "
    "from dataset_version policy name agents trials a b people dataset next result cause tool agent first ambiguous "
    "stale action field kind trial chain length number"
).split()
ODD = ("abc", "-1", "9" * 21, "9" * 5000, "²", "2147483648", "😀" * 300)
ODD_BYTES = ("%00", "%ED%A0%80")

FILLED = {
    "name": "N",
    "slug": "new-one",
    "title": "T",
    "body": "b",
    "description": "d",
    "note": "n",
    "reason": "r",
    "comment": "c",
    "role": "annotator",
    "overlap": "1",
    "seen_number": "1",
    "seen_revision": "0",
    "revision": "1",
    "verdict": "fail",
    "kind": "action",
    "tool": "t",
    "path": "main",
    "turn": "1",
    "display_name": "D",
    "username": "someone",
    "password1": "a long enough pass-word",
    "password2": "a long enough pass-word",
    "threshold": "0.5",
    "margin": "0.1",
    "language": "en",
    "take_changes": "yes",
}


class TestOddRequests(TestCase):
    world: World
    owner: User

    @classmethod
    def setUpTestData(cls) -> None:
        cls.world = make_world()
        owner = cls.world.cast[Role.OWNER]
        assert owner is not None
        cls.owner = owner

    def send(self, method: str, url: str, data: dict[str, str] | None = None) -> int:
        client = self.client
        client.force_login(self.owner)
        with transaction.atomic():
            try:
                response = getattr(client, method)(url, data)
            except Exception as error:
                raise AssertionError(f"{method} {url[:200]} {str(data)[:200]}: {error!r:.300}") from error
            if response.status_code == 302 and response["Location"].startswith("/"):
                assert data is None or client.get(response["Location"]).status_code < 500, (url, data)
            transaction.set_rollback(True)
        status: int = response.status_code
        return status

    def ask(self, name: str) -> None:
        url = self.world.url_of(name)
        for value in (*map(quote, ODD), *ODD_BYTES):
            query = "&".join(f"{parameter}={value}" for parameter in PARAMETERS)
            status = self.send("get", f"{url}?{query}")
            assert status < 500, (url, value[:30], status)
            assert status == 400 or value != "%00"

    def fill(self, name: str) -> None:
        url = self.world.url_of(name)
        assert self.send("post", url, {}) < 500, url
        for value in ("a\x00b", *ODD):
            assert self.send("post", url, dict.fromkeys(FILLED, value)) < 500, (url, value[:30])
        for field in ("path", "turn", "revision", "seen_revision", "seen_number", "note", "slug"):
            assert self.send("post", url, {**FILLED, field: "9" * 5000}) < 500, (url, field)


def _asking(name: str) -> Callable[[TestOddRequests], None]:
    return lambda case: case.ask(name)


def _filling(name: str) -> Callable[[TestOddRequests], None]:
    return lambda case: case.fill(name)


for _name in routes():
    _plain = _name.replace(":", "__").replace("-", "_")
    _rule = RULES.get(_name)
    if (_rule is not None and _rule.get is not None) or _name in ("login", "annotations:join"):
        setattr(TestOddRequests, f"test_get__{_plain}", _asking(_name))
    if (_rule is not None and _rule.post is not None) or _name in ("login", "logout", "annotations:join"):
        setattr(TestOddRequests, f"test_post__{_plain}", _filling(_name))


@pytest.mark.django_db
def test_a_zero_character_becomes_a_sign_and_the_person_is_told() -> None:
    world = make_world()
    client = client_of(world.cast[Role.OWNER])
    response = client.post("/projects/new/", {"name": "a\x00b", "slug": "zero", "overlap": "1"})
    assert response.status_code == 302
    assert Project.objects.get(slug="zero").name == "a\ufffdb"
    said = [str(message) for message in get_messages(response.wsgi_request)]
    assert any("U+0000" in sentence and "name" in sentence for sentence in said)


def test_the_page_for_unreadable_requests_needs_no_request() -> None:
    """Django renders it without one, where a host is not allowed."""
    assert "cannot be read" in get_template("400.html").render()
