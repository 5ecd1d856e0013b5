"""Who looks at a page in tests: one member a role, a stranger, and somebody without a sign-in."""

from __future__ import annotations

from django.test import Client

from annotations.models import Project, Role, User
from tests.factories import make_member, make_user


def client_of(user: User | None) -> Client:
    """A browser in which this person is signed in."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def cast_of(project: Project) -> dict[str, User | None]:
    """Everybody who may come by: the four roles, a stranger, nobody."""
    members: dict[str, User | None] = {role.value: make_member(project, role) for role in Role}
    return {**members, "stranger": make_user(), "anonymous": None}
