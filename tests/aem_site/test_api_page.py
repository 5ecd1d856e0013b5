"""The schema of the API, and the page that shows it."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client

from tests.people import client_of


def test_the_schema_is_valid_and_nothing_in_it_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn")
    assert "openapi: 3" in capsys.readouterr().out


def test_the_schema_is_served_to_everybody() -> None:
    response = client_of(None).get("/api/v1/schema/")
    assert response.status_code == 200
    assert b"/api/v1/projects/{slug}/runs/" in response.content


def test_the_page_has_no_inline_script_or_style() -> None:
    response = client_of(None).get("/api/docs/")
    assert response.status_code == 200
    text = response.content.decode()
    assert "<style" not in text
    assert " style=" not in text
    assert "<script>" not in text
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert b"SwaggerUIBundle" in client_of(None).get("/api/docs/?script=").content


def test_unknown_versions_do_not_exist() -> None:
    assert Client().get("/api/v2/me/").status_code == 404
