"""The language of whom a page is for: their own choice, else what their browser asks for.

The API always answers in English, so that programs can rely on its texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

LANGUAGES = dict(settings.LANGUAGES)
_ENGLISH_ONLY = ("/api/", "/healthz")
_YEAR = 365 * 24 * 3600


def translate(context: str, one: str, many: str | None, count: int | None) -> str:
    """What ``evaluation.aem.language`` asks: Django's catalogs, in the language of the request."""
    if many is not None and count is not None:
        return translation.npgettext(context, one, many, count) if context else translation.ngettext(one, many, count)
    if not one:
        return one  # the empty text is the head of a catalog
    return translation.pgettext(context, one) if context else translation.gettext(one)


class LanguageMiddleware:
    """After the authentication: a person's language is theirs wherever they sign in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_ENGLISH_ONLY):
            with translation.override("en"):
                return self.get_response(request)
        language = _language_of(request)
        request.LANGUAGE_CODE = language
        # What is streamed is written after this, in English: files are the same for everybody.
        with translation.override(language):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def _language_of(request: HttpRequest) -> str:
    chosen = getattr(request.user, "language", "") if request.user.is_authenticated else ""
    return chosen if chosen in LANGUAGES else translation.get_language_from_request(request)


def languages(request: HttpRequest) -> dict[str, Any]:
    """For every page: the languages there are, by what they call themselves, and the texts of its scripts."""
    return {
        "page_languages": settings.LANGUAGES,
        "script_words": script_words,
    }


def script_words() -> dict[str, str]:
    """What the scripts say, from English into the language of the page; empty in English."""
    if translation.get_language() in {None, "en"}:
        return {}
    return {text: translation.gettext(text) for text in _script_texts()}


@cache
def _script_texts() -> tuple[str, ...]:
    """From a file that ``python -m aem_site.translations update`` writes."""
    return tuple(json.loads((Path(__file__).parent / "locale" / "scripts.json").read_text("utf-8")))


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Keeps the language with the person who is signed in, else in a cookie, and goes back to the page."""
    language = request.POST.get("language", "")
    # The page says itself where it was sent from; it need not repeat its own address.
    to = request.POST.get("next") or request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(to, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        to = "/"
    response = HttpResponseRedirect(to)
    if language not in LANGUAGES:
        return response
    if request.user.is_authenticated:
        request.user.language = language
        request.user.save(update_fields=["language"])
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=_YEAR,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
    )
    return response
