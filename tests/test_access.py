"""Every address of the site, seen by everybody who may come by.

The walk finds the addresses itself, so that a new view cannot be forgotten: it fails until the address is described in
`tests.world`. What members get from the API by role is tested with the API; here it only refuses those without a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from django.db import transaction
from django.test import Client, TestCase

from annotations.models import Role
from tests.factories import make_member, make_project
from tests.people import client_of
from tests.world import PUBLIC, RULES, World, expected_status, make_world, routes

_PARAMETERS = re.compile(r"<\w+:(\w+)>")


class TestEverybodyGetsWhatTheirRoleAllows(TestCase):
    """One test for each address; the rows are made once for all of them."""

    world: World

    @classmethod
    def setUpTestData(cls) -> None:
        cls.world = make_world()

    def walk(self, name: str) -> None:
        url = self.world.url_of(name)
        for who, user in self.world.cast.items():
            if name.startswith("api:") and user is not None:
                continue
            client = client_of(user)
            for method in ("get", "post"):
                with transaction.atomic():  # what one person changed is not there for the next one
                    response = getattr(client, method)(url)
                    transaction.set_rollback(True)
                allowed = expected_status(self.world, name, who, method)
                said = f"{method} {url} as {who}: {response.status_code}, not one of {sorted(allowed)}"
                assert response.status_code in allowed, said
                if user is None and name not in PUBLIC and response.status_code == 302:
                    assert response["Location"].startswith("/accounts/login/"), said

    def test_every_form_needs_its_csrf_token(self) -> None:
        client = Client(enforce_csrf_checks=True)
        owner = self.world.cast[Role.OWNER]
        assert owner is not None
        client.force_login(owner)
        for name, rule in RULES.items():
            if rule.post is not None:
                assert client.post(self.world.url_of(name), {"a": "b"}).status_code == 403, name

    def test_what_belongs_to_another_project_is_not_there_under_ones_own(self) -> None:
        own = make_project()
        client = client_of(make_member(own, Role.OWNER))
        mixed = replace(self.world, arguments={**self.world.arguments, "slug": own.slug})
        for name, rule in RULES.items():
            if not rule.is_of_project or _PARAMETERS.findall(routes()[name]) == ["slug"]:
                continue
            for method, needed in (("get", rule.get), ("post", rule.post)):
                if needed is not None:
                    status = getattr(client, method)(mixed.url_of(name)).status_code
                    assert status == 404, f"{method} {mixed.url_of(name)}: {status}"


def _test_of(name: str) -> Callable[[TestEverybodyGetsWhatTheirRoleAllows], None]:
    return lambda case: case.walk(name)


for _name in routes():
    setattr(TestEverybodyGetsWhatTheirRoleAllows, f"test_{_name.replace(':', '__').replace('-', '_')}", _test_of(_name))
