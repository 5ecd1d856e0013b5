"""What views ask of a request."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from annotations.models import User


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


def user_of(request: HttpRequest) -> User:
    """The person of a signed-in request; `access.signed_in` comes before."""
    assert isinstance(request.user, User)  # noqa: S101 - a view without signed_in is a bug
    return request.user


def whole_number(text: str | None, *, digits: int = 9) -> int | None:
    """A number that came with a request; None for what is none, or has more digits than any of its kind."""
    return int(text) if text and text.isdecimal() and len(text) <= digits else None
