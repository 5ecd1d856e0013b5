"""Pages for requests that were refused before a view saw them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token is of another session, mostly after signing in again in another tab: say what to do.

    The header lets the page's script tell this from a missing right; what was typed stays in the form.
    """
    response = render(request, "403_csrf.html", {"reason": reason}, status=403)
    response["X-CSRF-Failed"] = "1"
    return response
