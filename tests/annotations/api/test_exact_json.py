"""Numbers come and go digit for digit; what cannot be kept is refused, with its place."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.services import goldens
from evaluation.formats import jsonio
from tests.factories import make_conversation, make_member, make_trajectory
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db

NUMBERS = (
    '{"id": 107505301260286111, "rate": 0.10, "tiny": 1E-30, "one": 1.0, "digits": 123456789012345678901234567890}'
)


@pytest.fixture
def writing() -> tuple[ApiCaller, str, Any]:
    conversation = make_conversation()
    annotator = make_member(conversation.dataset.project)
    golden = goldens.start(conversation, annotator, make_trajectory(conversation))
    turn = golden.turns.get(turn_no=2)
    return api_of(annotator), f"goldens/{golden.pk}/turns/{turn.pk}/", turn


def test_numbers_keep_their_digits(writing: tuple[ApiCaller, str, Any]) -> None:
    caller, path, turn = writing
    params = f'{{"x": {{"value": {NUMBERS}}}}}'
    body = f'{{"seen_revision": {turn.revision}, "body": {{"tool": "reports", "params": {params}}}}}'
    saved = caller.put(path, body)
    assert saved.status_code == 200, saved.data
    assert NUMBERS in caller.get(path).content.decode()
    turn.refresh_from_db()
    assert jsonio.dumps(turn.body["params"]["x"]["value"]) == NUMBERS


def test_a_trajectory_is_shown_digit_for_digit() -> None:
    conversation = make_conversation()
    body = {"turns": [{"user": "hi"}, {"tool": "t", "args": jsonio.loads(NUMBERS), "result": None}]}
    trajectory = make_trajectory(conversation, body=body)
    response = api_of(make_member(conversation.dataset.project)).get(f"trajectories/{trajectory.pk}/")
    assert NUMBERS in response.content.decode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"name": "x",\n "slug": }', "line 2, column 10"),
        ('{"name": "x"} {}', "something follows"),
        ("", None),
        ('{"name": NaN}', "NaN"),
        ('{"name": "a\\u0000b"}', "$.name: the character U+0000 cannot be stored"),
        ('{"name": "\\ud83d"}', "$.name: half a character"),
        ('{"na\\u0000me": 1}', "in the key"),
        ('{"name": "x", "name": "y"}', "$.name: this key stands here more than once"),
        ("[" * 101 + "]" * 101, "nested"),
        ("[]", None),
        ('"text"', None),
        (b'{"name": "\xe9"}', "not UTF-8"),
        ('{"name": "x", "colour": "red"}', "colour"),
        ('{"name": {"a": 1}}', "name"),
        ('{"name": "x", "overlap": 1e400}', None),
        ('{"name": "x", "overlap": 100000000000000000000000}', "overlap"),
    ],
)
def test_what_cannot_be_taken_is_400_and_says_where(body: str | bytes, said: str | None) -> None:
    caller = api_of(make_member(make_conversation().dataset.project))
    response = caller.post("projects/", body)
    assert response.status_code == 400, response.data
    assert response["Content-Type"] == "application/problem+json"
    if said is not None:
        assert said in response.data["detail"]


def test_other_media_types_are_415() -> None:
    caller = api_of(make_member(make_conversation().dataset.project))
    response = caller.client.post("/api/v1/projects/", {"name": "x"}, headers=caller.headers)
    assert response.status_code == 415


def test_a_byte_order_mark_is_no_character() -> None:
    caller = api_of(make_member(make_conversation().dataset.project))
    assert caller.post("tokens/", b'\xef\xbb\xbf {"name": "nightly"} ').status_code == 201


@pytest.mark.parametrize(
    "query",
    [
        {"colour": "red"},
        {"limit": "0"},
        {"limit": "many"},
        {"limit": "201"},
        {"cursor": "no cursor"},
        {"cursor": "cD0lMDA="},  # p=%00
        {"state": "lost"},
        {"q": "a\x00b"},
        {"language": "\x00"},
    ],
)
def test_queries_are_read_strictly(query: dict[str, str]) -> None:
    conversation = make_conversation()
    dataset = conversation.dataset
    caller = api_of(make_member(dataset.project))
    response = caller.get(f"projects/{dataset.project.slug}/datasets/{dataset.slug}/conversations/", **query)
    assert response.status_code in (400, 404), response.data
    twice = caller.call("get", f"projects/{dataset.project.slug}/datasets/?limit=1&limit=2")
    assert twice.status_code == 400


def test_a_cursor_of_another_list_is_refused() -> None:
    project = make_conversation().dataset.project
    caller = api_of(make_member(project))
    response = caller.get(f"projects/{project.slug}/runs/", cursor="cD13b3Jk")  # p=word
    assert response.status_code in (400, 404)
