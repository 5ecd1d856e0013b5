"""Who looks at a page in tests: one member a role, a stranger, and somebody without a sign-in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.test import Client

from annotations.models import ApiToken, Project, Role, User
from evaluation.formats import jsonio
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


class ApiCaller:
    """A program that calls the API with a token of this person, or without one. Bodies are JSON, exactly."""

    def __init__(self, user: User | None) -> None:
        self.client = Client()
        self.headers: dict[str, str] = {}
        if user is not None:
            _, token = ApiToken.objects.create(user=user, expiry=None, name="tests")
            self.headers["Authorization"] = f"Token {token}"

    def call(self, method: str, path: str, body: Any = None, /, **query: Any) -> Any:
        """The answer; ``body`` may be a text that is sent as it is, ``data`` of it is read exactly."""
        url = f"/api/v1/{path}" + (f"?{urlencode(query)}" if query else "")
        sent = body if isinstance(body, str | bytes) else "" if body is None else jsonio.dumps(body)
        response: Any = self.client.generic(
            method.upper(), url, sent, content_type="application/json", headers=self.headers
        )
        is_json = not response.streaming and "json" in response.get("Content-Type", "")
        response.data = jsonio.loads(response.content) if is_json and response.content else None
        return response

    def get(self, path: str, /, **query: Any) -> Any:
        return self.call("get", path, **query)

    def post(self, path: str, body: Any = None) -> Any:
        return self.call("post", path, body)

    def put(self, path: str, body: Any = None) -> Any:
        return self.call("put", path, body)

    def patch(self, path: str, body: Any = None) -> Any:
        return self.call("patch", path, body)

    def delete(self, path: str, /, **query: Any) -> Any:
        return self.call("delete", path, **query)

    def upload(self, path: str, **fields: Any) -> Any:
        """Files and fields as a form sends them."""
        response: Any = self.client.post(f"/api/v1/{path}", fields, headers=self.headers)
        response.data = jsonio.loads(response.content)
        return response


def api_of(user: User | None) -> ApiCaller:
    return ApiCaller(user)
