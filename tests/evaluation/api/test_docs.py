"""The examples of docs/api.md, run in their order."""

from __future__ import annotations

import re
import shlex
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from annotations.models import ApiToken
from evaluation.formats import aem1, jsonio
from evaluation.models import EvaluationRun
from tests.factories import make_user, score_run

pytestmark = pytest.mark.django_db

PAGE = Path(settings.BASE_DIR) / "docs" / "api.md"


def _commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("curl ")]


def _run(command: str, known: dict[str, str]) -> Any:
    """The answer to a curl command as the page writes them."""
    expanded = re.sub(r"\$([A-Z]+)", lambda found: known[found[1]], command)
    words = iter(shlex.split(expanded)[1:])
    url, method, data, headers, form = "", "", "", {}, {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word == "-d":
            data = next(words)
        elif word == "-o":
            next(words)
        elif word == "-F":
            name, _, value = next(words).partition("=")
            form[name] = _example_file() if value.startswith("@") else value
        else:
            url = word
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    client = Client()
    if form:
        return client.post(path, form, headers=headers)
    method = method or ("POST" if data else "GET")
    return client.generic(method, path, data, content_type=headers.pop("Content-Type", ""), headers=headers)


def _example_file() -> BytesIO:
    record = jsonio.loads(aem1.EXAMPLE)
    del record["golden"]
    file = BytesIO(jsonio.dumps(record).encode())
    file.name = "runs.jsonl"
    return file


def test_the_examples_work_in_their_order() -> None:
    _, token = ApiToken.objects.create(user=make_user("olga"), expiry=None, name="docs")
    known = {"SITE": "http://testserver/api/v1", "TOKEN": token}
    done = 0
    for command in _commands():
        response = _run(command, known)
        content = b"".join(response.streaming_content) if response.streaming else response.content
        assert response.status_code in (200, 201), (command, content)
        done += 1
        if response.streaming:
            assert jsonio.loads(content)["golden"]
            continue
        answer = jsonio.loads(content)
        if "/imports/" in command and "-F" in command:
            known["IMPORT"] = answer["id"]
        elif "/queue/next/" in command:
            known["GOLDEN"] = answer["golden"]["id"]
            turn = next(turn for turn in answer["golden"]["turns"] if turn["kind"] == "action")
            known["TURN"] = str(turn["id"])
        elif "/runs/" in command and answer.get("state") == "running":
            known["RUN"] = answer["id"]
            score_run(EvaluationRun.objects.get(pk=answer["id"]))
    assert done > 15
