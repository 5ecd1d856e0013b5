"""Guessing passwords is slowed down, and nobody is locked out by others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client, RequestFactory
from django.urls import reverse

from annotations.models import SignInAttempt, User
from annotations.services import sign_in
from tests.factories import make_user
from tests.people import api_of

pytestmark = pytest.mark.django_db

RIGHT, WRONG = "right horse", "wrong horse"
HERE, THERE = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def limits(settings: Any) -> None:
    settings.AEM_SIGN_IN_FAILURES, settings.AEM_SIGN_IN_MINUTES, settings.AEM_PROXIES = 3, 15, 0


def person(name: str = "ana") -> User:
    user = make_user(name)
    user.set_password(RIGHT)
    user.save()
    return user


def attempt(name: str = "ana", password: str = WRONG, *, address: str = HERE, **more: Any) -> Any:
    return Client().post(reverse("login"), {"username": name, "password": password}, headers=more, REMOTE_ADDR=address)


def later(**by: int) -> None:
    """Time passes: what is stored is so much older."""
    SignInAttempt.objects.update(at=F("at") - timedelta(**by))


def test_after_a_few_wrong_passwords_even_the_right_one_has_to_wait() -> None:
    person()
    for _ in range(3):
        said = attempt()
        assert said.status_code == 200
        assert b"do not belong together" in said.content
    refused = attempt(password=RIGHT)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 15 * 60
    page = refused.content.decode()
    assert "Too many wrong passwords for this name from here. Try again in 15 minutes." in page
    assert "do not belong together" not in page
    later(minutes=14)
    assert "Try again in 1 minute." in attempt(password=RIGHT).content.decode()
    later(minutes=1)
    assert attempt(password=RIGHT).status_code == 302


def test_what_is_tried_while_it_has_to_wait_does_not_make_it_longer() -> None:
    person()
    for _ in range(10):
        attempt()
    assert SignInAttempt.objects.count() == 3


def test_nobody_else_is_locked_out() -> None:
    person("ana")
    person("ben")
    for _ in range(4):
        attempt("ana")
    assert attempt("ana", RIGHT).status_code == 429
    assert attempt("ben", RIGHT).status_code == 302, "another person at the same place"
    assert attempt("ana", RIGHT, address=THERE).status_code == 302, "the person at another place"


def test_one_address_cannot_try_everybody() -> None:
    person("ana")
    person("ben")
    assert attempt("ben", RIGHT).status_code == 302
    for number in range(30):
        attempt(f"somebody {number}")
    refused = attempt("ana", RIGHT)
    assert refused.status_code == 429
    assert "from this network" in refused.content.decode()
    assert attempt("ana", RIGHT, address=THERE).status_code == 302
    assert attempt("ben", RIGHT).status_code == 302, "has signed in from there before"
    for _ in range(3):
        attempt("ben")
    assert attempt("ben", RIGHT).status_code == 429, "and is limited like everybody by tries of their own name"


def test_many_addresses_cannot_guess_at_one_name() -> None:
    person()
    assert attempt(password=RIGHT, address=THERE).status_code == 302
    for number in range(30):
        attempt(address=f"192.0.2.{number}")
    refused = attempt(password=RIGHT)
    assert refused.status_code == 429
    assert "from several places" in refused.content.decode()
    assert attempt(password=RIGHT, address=THERE).status_code == 302, "where they signed in lately"
    later(days=31)
    assert attempt(password=RIGHT).status_code == 302


def test_a_name_that_nobody_has_is_answered_alike() -> None:
    person("ana")
    for name in ("ana", "nobody"):
        answers = [attempt(name) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]


def test_other_spellings_of_a_name_are_no_further_tries() -> None:
    for name in ("ana", "ANA", " Ana"):
        attempt(name)
    assert attempt("ａｎａ").status_code == 429


def test_signing_in_clears_what_was_mistyped() -> None:
    person()
    for _ in range(3):
        attempt()
        attempt()
        assert attempt(password=RIGHT).status_code == 302
    assert SignInAttempt.objects.filter(has_worked=False).count() == 0
    assert SignInAttempt.objects.get().has_worked


def test_what_is_stored_tells_nobody_who_tried_from_where() -> None:
    attempt("my secret typed into the wrong field")
    for row in SignInAttempt.objects.values():
        assert "secret" not in str(row)
        assert HERE not in str(row)


def test_old_tries_go() -> None:
    attempt("ana")
    later(days=2)
    attempt("ben")
    assert SignInAttempt.objects.count() == 1


def test_zero_limits_nothing(settings: Any) -> None:
    settings.AEM_SIGN_IN_FAILURES = 0
    person()
    assert {attempt().status_code for _ in range(40)} == {200}
    assert attempt(password=RIGHT).status_code == 302


class TestAddress:
    @pytest.mark.parametrize(
        ("said", "address"),
        [
            ("198.51.100.7", "198.51.100.7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("", ""),
            ("unix:", ""),
        ],
    )
    def test_of_the_connection(self, said: str, address: str) -> None:
        assert sign_in.address_of(RequestFactory().get("/", REMOTE_ADDR=said)) == address

    @pytest.mark.parametrize(
        ("proxies", "header", "address"),
        [
            (0, "192.0.2.1", HERE),
            (1, "192.0.2.1", "192.0.2.1"),
            (1, "10.0.0.1, 192.0.2.1", "192.0.2.1"),
            (2, "10.0.0.1, 192.0.2.1, 10.9.9.9", "192.0.2.1"),
            (2, "192.0.2.1", ""),
            (1, "", ""),
            (1, "<script>", ""),
        ],
    )
    def test_behind_proxies(self, settings: Any, proxies: int, header: str, address: str) -> None:
        settings.AEM_PROXIES = proxies
        request = RequestFactory().get("/", headers={"X-Forwarded-For": header}, REMOTE_ADDR=HERE)
        assert sign_in.address_of(request) == address

    def test_who_writes_the_header_does_not_get_round_the_limit(self, settings: Any) -> None:
        settings.AEM_PROXIES = 1
        person()
        for number in range(3):
            attempt(**{"X-Forwarded-For": f"192.0.2.{number}, {THERE}"})
        assert attempt(password=RIGHT, **{"X-Forwarded-For": f"192.0.2.99, {THERE}"}).status_code == 429

    def test_where_it_is_not_known_only_the_name_is_counted(self, settings: Any) -> None:
        settings.AEM_PROXIES = 1
        person("ana")
        person("ben")
        for _ in range(30):
            assert attempt("ana").status_code == 200
        assert attempt("ana", RIGHT).status_code == 429
        assert attempt("ben", RIGHT).status_code == 302


def test_the_old_password_cannot_be_guessed_in_a_browser_that_was_left_open() -> None:
    user = person()
    client = Client(REMOTE_ADDR=HERE)
    client.force_login(user)
    new = {"new_password1": "a very new horse", "new_password2": "a very new horse"}
    url = reverse("annotations:password-change")
    for _ in range(3):
        assert b"entered incorrectly" in client.post(url, {"old_password": WRONG, **new}).content
    refused = client.post(url, {"old_password": RIGHT, **new}).content.decode()
    assert "Too many wrong passwords for this name from here." in refused
    user.refresh_from_db()
    assert user.check_password(RIGHT)
    later(minutes=15)
    assert client.post(url, {"old_password": RIGHT, **new}).status_code == 302


def test_wrong_tokens_without_end_are_told_so_and_right_ones_are_taken() -> None:
    user = person()

    def call(token: str) -> Any:
        return Client().get("/api/v1/me/", headers={"Authorization": f"Token {token}"}, REMOTE_ADDR="127.0.0.1")

    assert [call("aem_wrong").status_code for _ in range(31)] == [401] * 30 + [429]
    refused = call("aem_wrong")
    assert refused["Content-Type"] == "application/problem+json"
    assert 0 < int(refused["Retry-After"]) <= 15 * 60
    assert "wrong tokens" in refused.json()["detail"]
    assert SignInAttempt.objects.filter(kind="token").count() == 30
    assert api_of(user).get("me/").status_code == 200
    assert attempt(password=RIGHT, address="127.0.0.1").status_code == 302, "a program does not keep people out"
    later(minutes=15)
    assert call("aem_wrong").status_code == 401
