"""JSON in and out of the API, digit for digit.

The usual reader would make floats of decimals, keep the last of two equal keys, and let through characters that the
database cannot hold; this one keeps the digits and refuses the other two, naming the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from evaluation.formats import jsonio

SHOWN_PLACES = 20
_BLANK = " \t\r\n"


class TooLargeError(APIException):
    status_code = 413
    default_detail = "The request is too large."


class JsonRefusedError(ParseError):
    """A body that is JSON and cannot be taken all the same; ``errors`` names each place."""

    def __init__(self, detail: str, errors: dict[str, list[str]]) -> None:
        super().__init__(detail)
        self.errors = errors


class ExactJSONParser(BaseParser):
    """Reads a JSON body as `evaluation.formats.jsonio` does."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLargeError(f"A JSON body has at most {limit:,} bytes; upload a file instead.")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ParseError(f"The body is not UTF-8: byte {error.start + 1} belongs to no character.") from error
        return read(text)


def read(text: str) -> Any:
    """The value of a whole text; raises ParseError with line and column, or with the paths of what is refused."""
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        found = jsonio.decode_at(text, start)
        if text[found.end :].strip(_BLANK):
            jsonio.loads(text)  # says where the rest begins
    except jsonio.JsonError as error:
        raise ParseError(f"The body is not JSON: {error}") from error
    places = _refused(found.value)
    if places:
        shown = dict(places[:SHOWN_PLACES])
        first, reason = places[0]
        raise JsonRefusedError(f"{first}: {reason}", {place: [why] for place, why in shown.items()})
    return found.value


def _refused(value: Any) -> list[tuple[str, str]]:
    return list(_bad_places(value, "$"))


def _bad_places(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        reason = unstorable(value)
        if reason:
            yield path, reason
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _bad_places(part, f"{path}[{index}]")
    elif isinstance(value, dict):
        if isinstance(value, jsonio.RepeatedKeys):
            for key in value.repeated:
                yield f"{path}.{_shown(key)}", "this key stands here more than once"
        for key, part in value.items():
            reason = unstorable(key)
            if reason:
                yield f"{path}.{_shown(key)}", f"in the key: {reason}"
            yield from _bad_places(part, f"{path}.{_shown(key)}")


def unstorable(text: str) -> str:
    """Why a database cannot hold this text; empty where it can."""
    if "\x00" in text:
        return "the character U+0000 cannot be stored"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half a character (a lone surrogate) cannot be stored"
    return ""


def _shown(key: str) -> str:
    """A key as an answer may hold it."""
    return key.replace("\x00", "\ufffd").encode("utf-8", errors="replace").decode("utf-8")


class ExactJSONRenderer(BaseRenderer):
    """Writes decimals and whole numbers of any length as they are."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None:
            return b""
        # What was stored before may hold half a character; an answer in UTF-8 cannot.
        return jsonio.dumps(data).encode("utf-8", errors="replace")
