"""Errors of the API: problem documents with a sentence, and with the fields where it is about fields."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler

from annotations.api.exact_json import TooLargeError
from annotations.services.errors import StaleRevisionError, WorkbenchError
from annotations.services.gold_turns import GoldenRefusedError
from annotations.services.goldens import TurnRefusedError

CONTENT_TYPE = "application/problem+json"


class ProblemSerializer(serializers.Serializer[Any]):
    """What every error answers with, as `application/problem+json`."""

    title = serializers.CharField(help_text="The status in words.")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What is wrong, in one sentence.")
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="What is wrong by field or path, where fields are to blame.",
    )


class Refused(exceptions.APIException):
    """A person asked for something that cannot be done."""

    status_code = 400

    def __init__(self, detail: str, *, errors: dict[str, list[str]] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.errors = errors or {}
        self.more = more


class Conflict(Refused):
    """Somebody saved meanwhile. The answer holds both versions: what was sent, and the row as it is now."""

    status_code = 409


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every error that a caller can cause, as a problem document; the rest are bugs and stay visible."""
    error = _translated(error, context)
    response = rest_exception_handler(error, context)
    if response is None:
        return None
    errors = getattr(error, "errors", None) or {}
    if isinstance(error, exceptions.ValidationError):
        errors = flat(error.detail)
        detail = "; ".join(f"{name}: {' '.join(said)}" if name else " ".join(said) for name, said in errors.items())
    else:
        detail = str(response.data.get("detail", "")) if isinstance(response.data, dict) else str(response.data)
    response.data = {
        "title": HTTPStatus(response.status_code).phrase,
        "status": response.status_code,
        "detail": detail,
        **({"errors": errors} if errors else {}),
        **getattr(error, "more", {}),
    }
    response.content_type = CONTENT_TYPE
    return response


def _translated(error: Exception, context: dict[str, Any]) -> Exception:
    if isinstance(error, StaleRevisionError):
        return _conflict(error, context)
    if isinstance(error, TurnRefusedError):
        return Refused(str(error), errors={error.field or "body": [error.reason]})
    if isinstance(error, GoldenRefusedError):
        place = {"path": error.path, "turn": error.turn.pk if error.turn is not None else None}
        return Refused(str(error), errors={error.field or "golden": [error.reason]}, place=place)
    if isinstance(error, WorkbenchError):
        return Refused(str(error))
    if isinstance(error, SuspiciousOperation):
        return TooLargeError() if isinstance(error, RequestDataTooBig) else Refused("The request cannot be read.")
    return error


def _conflict(error: StaleRevisionError, context: dict[str, Any]) -> Conflict:
    """The view says how its row is shown; without that, only the revision is."""
    shown = getattr(context.get("view"), "conflict_row", None)
    current = {"revision": error.current.revision} if shown is None else shown(error.current, context=context).data
    request = context.get("request")
    return Conflict(str(error), seen=error.seen, current=current, yours=request.data if request is not None else None)


def flat(detail: Any, path: str = "") -> dict[str, list[str]]:
    """Nested error details by path: `params.region`, `turns[2]`; what concerns the whole stands under an empty name."""
    if isinstance(detail, dict):
        found: dict[str, list[str]] = {}
        for name, inner in detail.items():
            whole = name == "non_field_errors"
            there = f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}" if path else str(name)
            found |= flat(inner, path if whole else there)
        return found
    if isinstance(detail, list) and any(isinstance(part, dict | list) for part in detail):
        found = {}
        for index, inner in enumerate(detail):
            if inner:
                found |= flat(inner, f"{path}[{index}]")
        return found
    return {path: [str(part) for part in detail] if isinstance(detail, list) else [str(detail)]}
