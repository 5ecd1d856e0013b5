"""What all endpoints share: reading bodies and queries strictly, paging, and saying it in the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError as FieldError
from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from annotations.api.errors import CONTENT_TYPE, ProblemSerializer
from annotations.models import User
from annotations.models.fields import ExactJSONField

PAGE_SIZE = 50
LARGEST_PAGE = 200
F = TypeVar("F", bound=Callable[..., Any])
Fields = dict[str, Any]


# --- serializers ---


@extend_schema_field({})
class ExactJSON(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value, exactly as it is."""

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"type": "object", "additionalProperties": True})
class JSONObject(ExactJSON):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError("An object is expected.")
        return data


@extend_schema_field({"type": "array", "items": {}})
class JSONList(ExactJSON):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            raise ValidationError("A list is expected.")
        return data


class Row(serializers.ModelSerializer[Any]):
    """A row as it is answered; never written through."""

    serializer_field_mapping = {**serializers.ModelSerializer.serializer_field_mapping, ExactJSONField: ExactJSON}


class Input(serializers.Serializer[Any]):
    """A body or query that is read; a name that it does not know is refused, not ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(str(name) for name in data if name not in self.fields)
            if unknown:
                known = ", ".join(self.fields)
                raise ValidationError({name: [f"There is no such field here; known are: {known}."] for name in unknown})
        return super().to_internal_value(data)


class PageQuery(Input):
    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_PAGE, help_text=f"Rows a page; {PAGE_SIZE} if left out."
    )
    cursor = serializers.CharField(required=False, help_text="From `next` or `previous` of another page.")


class Nothing(Input):
    """A body without fields."""


class PersonSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.SerializerMethodField(help_text="What others see of them.")

    def get_name(self, user: User) -> str:
        return str(user)


# --- pages ---


class Pages(CursorPagination):
    """By cursor, over columns that do not change; a page costs the same wherever it lies."""

    page_size = PAGE_SIZE
    max_page_size = LARGEST_PAGE
    page_size_query_param = "limit"

    def decode_cursor(self, request: Any) -> Any:
        cursor = super().decode_cursor(request)
        position: Any = cursor.position if cursor is not None else None
        if "\x00" in (position or ""):
            raise ValidationError({"cursor": [str(self.invalid_cursor_message)]})
        return cursor

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, TypeError, OverflowError, FieldError) as error:
            # A cursor of another list, such as a word where a number stands.
            raise ValidationError({"cursor": [str(self.invalid_cursor_message)]}) from error


def page_of_list(request: Request, rows: Sequence[Any]) -> tuple[list[Any], dict[str, str | None]]:
    """A page of what is computed as a whole; here the cursor is how many rows come before."""
    asked = request.query_params.get("cursor") or "0"
    if not asked.isdecimal() or len(asked) > 9:
        raise ValidationError({"cursor": ["Invalid cursor"]})
    start, size = int(asked), int(request.query_params.get("limit") or PAGE_SIZE)
    url = request.build_absolute_uri()
    return list(rows[start : start + size]), {
        "next": replace_query_param(url, "cursor", start + size) if start + size < len(rows) else None,
        "previous": replace_query_param(url, "cursor", max(0, start - size)) if start else None,
    }


_pages: dict[type[serializers.BaseSerializer[Any]], type[serializers.Serializer[Any]]] = {}


def paged(row: type[serializers.BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The schema of a page of these rows."""
    if row not in _pages:
        name = f"{row.__name__.removesuffix('Serializer')}PageSerializer"
        fields: dict[str, Any] = {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": row(many=True),
        }
        _pages[row] = type(name, (serializers.Serializer,), fields)
    return _pages[row]


# --- endpoints ---


class Endpoint(APIView):
    """One address. Each method asks `access` for its viewer, reads strictly, makes one service call, answers."""

    #: How a row is shown beside what was sent when somebody saved it meanwhile.
    conflict_row: type[serializers.BaseSerializer[Any]] | None = None
    asked_version: str | None = None

    def dispatch(self, request: Any, *args: Any, version: str | None = None, **kwargs: Any) -> Any:
        self.asked_version = version
        return super().dispatch(request, *args, **kwargs)

    def determine_version(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        return super().determine_version(request, *args, **{"version": self.asked_version, **kwargs})

    @property
    def user(self) -> User:
        user = self.request.user
        assert isinstance(user, User)  # noqa: S101 - IsAuthenticated comes before
        return user

    def body(self, serializer: type[serializers.Serializer[Any]], **context: Any) -> Fields:
        """The validated body."""
        read = serializer(data=self.request.data, context={"request": self.request, **context})
        read.is_valid(raise_exception=True)
        return dict(read.validated_data)

    def query(self, serializer: type[serializers.Serializer[Any]]) -> Fields:
        """The validated query; an empty value is as good as none."""
        given = self.request.query_params
        twice = [name for name in given if len(given.getlist(name)) > 1]
        if twice:
            raise ValidationError({name: ["This parameter stands in the address more than once."] for name in twice})
        read = serializer(data={name: value for name, value in given.items() if value != ""})
        read.is_valid(raise_exception=True)
        return dict(read.validated_data)

    def answer(
        self, serializer: type[serializers.BaseSerializer[Any]], row: Any, *, status: int = 200, **context: Any
    ) -> Response:
        shown = serializer(row, context={"request": self.request, **context})
        return Response(shown.data, status=status)

    def page(
        self,
        rows: QuerySet[Any, Any],
        serializer: type[serializers.BaseSerializer[Any]],
        *,
        order: tuple[str, ...],
        prepare: Callable[[list[Any]], Mapping[str, Any]] | None = None,
        **context: Any,
    ) -> Response:
        """One page. ``prepare`` loads what the rows of a page need beside them, into the serializer's context."""
        pages = Pages()
        pages.ordering = order
        found = pages.paginate_queryset(rows, self.request, self)
        context |= prepare(found) if prepare is not None else {}
        shown = serializer(found, many=True, context={"request": self.request, **context})
        return Response({"next": pages.get_next_link(), "previous": pages.get_previous_link(), "results": shown.data})

    def page_of_list(
        self, rows: Sequence[Any], serializer: type[serializers.BaseSerializer[Any]], **context: Any
    ) -> Response:
        found, links = page_of_list(self.request, rows)
        shown = serializer(found, many=True, context={"request": self.request, **context})
        return Response({**links, "results": shown.data})


class AnyAccept(BaseContentNegotiation):
    """For downloads: what is sent does not depend on the Accept header, and problems are JSON."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return next((parser for parser in parsers if request.content_type.startswith(parser.media_type)), None)

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


def found_or_404(rows: QuerySet[Any, Any], **wanted: Any) -> Any:
    """The row, or the same 404 that strangers get."""
    row = rows.filter(**wanted).first()
    if row is None:
        raise Http404("There is nothing here, or you are not a member of its project.")
    return row


def operation(
    name: str,
    summary: str,
    *,
    tag: str,
    body: Any = None,
    query: type[serializers.Serializer[Any]] | None = None,
    answers: Any = None,
    is_page: bool = False,
    status: int = 200,
    conflict: bool = False,
    media: str = "application/json",
) -> Callable[[F], F]:
    """What the schema says of an operation, with the errors that all have."""
    answer = paged(answers) if is_page else answers
    said = {200: "Done.", 201: "Made.", 204: "Done; there is nothing to say."}
    responses: dict[Any, Any] = {
        (status, media): OpenApiResponse(answer, description=said[status]),
    }
    refused = {
        400: "The request is refused: the sentence says why.",
        401: "Without a token or session.",
        403: "A member without the right.",
        404: "There is no such thing, or not for you.",
        429: "Too many wrong tokens came from this address.",
    }
    for code, why in refused.items():
        responses[code, CONTENT_TYPE] = OpenApiResponse(ProblemSerializer, description=why)
    if conflict:
        responses[409, CONTENT_TYPE] = OpenApiResponse(
            ConflictSerializer, description="Somebody saved meanwhile; nothing was changed. Both versions are there."
        )
    return extend_schema(
        operation_id=name,
        summary=summary,
        description=summary,  # else the docstring of the class, which is for those who read the code
        tags=[tag],
        request=body,
        parameters=[query] if query is not None else [],
        responses=responses,
    )


class ConflictSerializer(ProblemSerializer):
    seen = serializers.IntegerField(help_text="The revision that the request named.")
    current = JSONObject(help_text="The row as it is now, in the shape in which it is read.")
    yours = ExactJSON(help_text="The request's body, to be merged.")
