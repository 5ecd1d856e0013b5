"""The zero character, which no database text can hold, in addresses and form fields.

PostgreSQL refuses such a text wherever it meets one, so that each query and each save of a view would have to think of
it. An address with one is refused; in what a person sent it becomes U+FFFD, and they are told: nothing typed is lost.
The API reads its own queries and bodies, and names the place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

ZERO, SIGN = "\x00", "\ufffd"


class UnstorableTextMiddleware:
    """Stands behind sessions and messages, and before the views."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/") and (ZERO in request.path or _with_zero(request.GET)):
            reason = "The address holds a character that cannot be stored (U+0000). Nothing was changed."
            return render(request, "400.html", {"reason": reason}, status=400)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Fields are read here, after the check of the CSRF token, which reads them first."""
        if request.method != "POST" or request.path.startswith("/api/"):
            return None
        names = _with_zero(request.POST)
        if names:
            request.POST = _replaced(request.POST)  # type: ignore[assignment]  # made unchangeable there
            shown = ", ".join(name.replace(ZERO, SIGN)[:80] for name in names)
            messages.warning(request, f"A character that cannot be stored (U+0000) became {SIGN} in: {shown}.")
        return None


def _with_zero(fields: QueryDict) -> list[str]:
    """The names of the fields with a zero character in name or value."""
    return [name for name, values in fields.lists() if ZERO in name or any(ZERO in value for value in values)]


def _replaced(fields: QueryDict) -> QueryDict:
    made = QueryDict(mutable=True, encoding=fields.encoding)
    for name, values in fields.lists():
        for value in values:
            made.appendlist(name.replace(ZERO, SIGN), value.replace(ZERO, SIGN))
    made._mutable = False
    return made
