"""What DATABASE_URL says."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from aem_site import database_url


def test_postgresql_keeps_plans_unless_told_not_to() -> None:
    options = database_url.parse("postgresql://a:b%40@db:5433/name?sslmode=require")["OPTIONS"]
    assert options == {"sslmode": "require", "server_side_binding": True, "prepare_threshold": 3}
    options = database_url.parse("postgresql://db/name?prepared=no&sslmode=require")["OPTIONS"]
    assert options == {"sslmode": "require"}


@pytest.mark.parametrize("url", ["postgresql://db/name?prepared=perhaps", "mysql://db/name"])
def test_what_it_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        database_url.parse(url)


def test_names_and_passwords_are_read_as_they_are_written() -> None:
    found = database_url.parse("postgresql://a:b%40c@db:5433/name")
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"], found["NAME"]) == (
        "a",
        "b@c",
        "db",
        "5433",
        "name",
    )
