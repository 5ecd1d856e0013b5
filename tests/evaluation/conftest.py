"""What the tests of runs share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from annotations.models import User


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """A browser in which this person is signed in."""

    def _client(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return _client
