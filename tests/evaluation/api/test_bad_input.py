"""Odd values in every field and parameter of every operation: refused with a sentence, never a server error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from annotations.models import Role
from tests.evaluation.api.test_access import OPERATIONS, World, world
from tests.people import api_of

pytestmark = pytest.mark.django_db

__all__ = ["world"]  # the fixture

ODD: list[Any] = [
    None,
    -1,
    10**30,
    Decimal("1.5"),
    "",
    "no such thing",
    "x" * 5000,
    "\ufffd\u202e",
    [],
    [[]],
    {},
    {"user": None, "response": [], "tool": {}},
]


def _operations() -> dict[tuple[str, str], Any]:
    generator: Any = SchemaGenerator
    schema: Any = generator(api_version="v1").get_schema(request=None, public=True)
    return {
        (method, path.removeprefix("/api/v1/")): (schema, found)
        for path, methods in schema["paths"].items()
        for method, found in methods.items()
    }


def _fields(schema: Any, operation: Any) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return []
    name = content["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
    return list(schema["components"]["schemas"].get(name, {}).get("properties", {}))


def _place(address: str) -> str:
    """An address as the schema spells it: what stands in braces may be called otherwise."""
    path = address.partition("?")[0]
    return "/".join("{}" if part.startswith("{") or part.isdecimal() else part for part in path.split("/"))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_odd_values_are_refused(world: World, part: int) -> None:
    caller = api_of(world.cast[Role.OWNER.value])
    described = {(method, _place(path)): found for (method, path), found in _operations().items()}
    sent = 0
    for _, method, address, body, _ in OPERATIONS[part::4]:
        schema, operation = described[method, _place(address)]
        path = address.format(**world.ids)
        for field in _fields(schema, operation):
            for value in ODD:
                given = {**(body if isinstance(body, dict) else {}), field: value}
                response = caller.call(method, path, given)
                assert response.status_code < 500, (method, path, given)
                sent += 1
        for body_as_whole in ("[]", "null", '"x"', "7"):
            if method != "get":
                assert caller.call(method, path, body_as_whole).status_code < 500, (method, path)
        if method == "get":
            for parameter in operation.get("parameters", []):
                if parameter["in"] != "query":
                    continue
                for text in ("-1", str(10**30), "no such", "\x00", '["a", "b"]', "x" * 3000):
                    response = caller.call(method, path.partition("?")[0], None, **{parameter["name"]: text})
                    assert response.status_code < 500, (path, parameter["name"], text)
                    sent += 1
    assert sent > 50


@pytest.mark.parametrize(
    "path",
    [
        f"conversations/{10**30}/",
        f"trajectories/{2**63}/",
        f"projects/world/datasets/reports/versions/{10**30}/",
        "runs/00000000-0000-0000-0000-000000000000/",
        "projects/no-such/",
    ],
)
def test_what_is_not_there_is_404(world: World, path: str) -> None:
    response = api_of(world.cast[Role.OWNER.value]).get(path)
    assert response.status_code == 404
    assert response.data["detail"]


def test_large_positions_are_404(world: World) -> None:
    caller = api_of(world.cast[Role.OWNER.value])
    for path in (
        f"runs/{world.ids['run']}/items/{10**30}/",
        f"runs/{world.ids['run']}/items/1/turns/{10**30}/label/",
        f"goldens/{world.ids['golden']}/turns/{10**30}/",
        f"projects/world/guidelines/{10**30}/",
        f"projects/world/members/{10**30}/",
    ):
        method = "patch" if "members" in path else "get"
        assert caller.call(method, path, {"role": "owner"} if method == "patch" else None).status_code == 404, path
