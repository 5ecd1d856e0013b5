"""The guideline: its versions with their examples, what differs between two, and the next one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.access import Viewer
from annotations.api.base import Endpoint, Input, PageQuery, PersonSerializer, Row, found_or_404, operation
from annotations.models import EXAMPLE_GROUPS, Capability, Guideline, GuidelineExample, TurnLabel
from annotations.services import guidelines

project = partial(operation, tag="projects")


class ExampleSerializer(Row):
    added_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = GuidelineExample
        fields = (
            "id",
            "reason",
            "verdict",
            "text",
            "why",
            "conversation",
            "trajectory",
            "path",
            "turn_key",
            "added_by",
            "added_at",
        )
        read_only_fields = fields


class GuidelineSerializer(Row):
    created_by = PersonSerializer(read_only=True, allow_null=True)
    examples = serializers.SerializerMethodField(help_text="Those that one may see.")
    examples_held_back = serializers.SerializerMethodField(
        help_text="How many are from conversations in which one's own work is to be handed in first."
    )

    class Meta:
        model = Guideline
        fields = ("number", "title", "body", "created_by", "created_at", "examples", "examples_held_back")
        read_only_fields = fields

    def _visible(self, row: Guideline) -> list[GuidelineExample]:
        may_see = self.context.get("may_see")
        return [example for example in row.examples.all() if may_see is None or example.pk in may_see]

    @extend_schema_field(ExampleSerializer(many=True))
    def get_examples(self, row: Guideline) -> Any:
        return ExampleSerializer(self._visible(row), many=True).data

    def get_examples_held_back(self, row: Guideline) -> int:
        return len(row.examples.all()) - len(self._visible(row))


class ExampleInput(Input):
    reason = serializers.ChoiceField(
        choices=EXAMPLE_GROUPS, required=False, default="general", help_text="What the example is about."
    )
    verdict = serializers.ChoiceField(
        choices=TurnLabel.choices,
        required=False,
        allow_blank=True,
        default="",
        help_text="Left out: pass or fail, as what it is about says.",
    )
    text = serializers.CharField(max_length=guidelines.LONGEST_TEXT)
    why = serializers.CharField(required=False, allow_blank=True, default="", max_length=guidelines.LONGEST_WHY)


class KeptExampleInput(ExampleInput):
    id = serializers.IntegerField(
        required=False, help_text="Of the version that was read: it stays who added it, and where it is from."
    )


class AddedExampleInput(ExampleInput):
    seen_number = serializers.IntegerField(
        required=False, min_value=0, help_text="The version that was read; left out, it is added to the newest one."
    )


class GuidelineInput(Input):
    seen_number = serializers.IntegerField(min_value=0, help_text="The number of the version that was read; 0 if none.")
    title = serializers.CharField(max_length=200)
    body = serializers.CharField(
        required=False, allow_blank=True, default="", trim_whitespace=False, help_text="Markdown."
    )
    examples = KeptExampleInput(
        many=True, required=False, help_text="All that the version has; left out, those of the one before."
    )


class RestoredInput(Input):
    seen_number = serializers.IntegerField(min_value=0, help_text="The number of the newest version that was read.")


class SinceQuery(Input):
    since = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="The number of the other version.")


class LineSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=("same", "changed", "del", "ins"))
    pieces = serializers.SerializerMethodField(help_text="Its words: each with `kind` (same, del, ins) and `text`.")

    @extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string"}}})
    def get_pieces(self, row: guidelines.Line) -> list[dict[str, str]]:
        return [{"kind": piece.kind, "text": piece.text} for piece in row.pieces]


class DifferenceSerializer(serializers.Serializer[Any]):
    lines = LineSerializer(many=True)
    examples_added = ExampleSerializer(many=True, source="added")
    examples_removed = ExampleSerializer(many=True, source="removed")


def _may_see(viewer: Viewer, rows: Iterable[Guideline]) -> dict[str, Any]:
    """For the serializer's context: the ids of the examples that a blinded person may see."""
    if not viewer.is_blinded:
        return {}
    examples = [example for row in rows for example in row.examples.all()]
    return {"may_see": {example.pk for example in guidelines.visible_of(examples, user=viewer.user)}}


class _Guidelines(Endpoint):
    conflict_row = GuidelineSerializer

    def rows(self, viewer: Viewer) -> Any:
        return viewer.project.guidelines.select_related("created_by").prefetch_related("examples__added_by")


class GuidelineList(_Guidelines):
    @project(
        "list_guidelines",
        "All versions of the guideline with their examples, the newest first.",
        query=PageQuery,
        answers=GuidelineSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        self.query(PageQuery)
        prepare = partial(_may_see, viewer)
        return self.page(self.rows(viewer), GuidelineSerializer, order=("-number",), prepare=prepare)

    @project(
        "create_guideline",
        "The guideline's next version.",
        body=GuidelineInput,
        answers=GuidelineSerializer,
        status=201,
        conflict=True,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        made = guidelines.save(project=viewer.project, by=self.user, **self.body(GuidelineInput))
        return self.answer(GuidelineSerializer, made, status=201)


class GuidelineDetail(_Guidelines):
    @project("get_guideline", "One version of the guideline.", answers=GuidelineSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        row = found_or_404(self.rows(viewer), number=number)
        return self.answer(GuidelineSerializer, row, **_may_see(viewer, [row]))


class GuidelineExampleList(_Guidelines):
    @project(
        "add_guideline_example",
        "The guideline's next version, with one more example.",
        body=AddedExampleInput,
        answers=GuidelineSerializer,
        status=201,
        conflict=True,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        made = guidelines.add_example(project=viewer.project, by=self.user, **self.body(AddedExampleInput))
        return self.answer(GuidelineSerializer, made, status=201)


class GuidelineChanges(_Guidelines):
    @project(
        "compare_guidelines",
        "What differs in a version from another one: line by line, and examples.",
        query=SinceQuery,
        answers=DifferenceSerializer,
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        after = found_or_404(self.rows(viewer), number=number)
        before = found_or_404(self.rows(viewer), number=self.query(SinceQuery)["since"])
        may_see = _may_see(viewer, [before, after]).get("may_see")
        shown = [
            [example for example in row.examples.all() if may_see is None or example.pk in may_see]
            for row in (before, after)
        ]
        found = guidelines.difference(before, after, examples_before=shown[0], examples_after=shown[1])
        return self.answer(DifferenceSerializer, found)


class GuidelineRestore(_Guidelines):
    @project(
        "restore_guideline",
        "An older version of the guideline again, as a new one.",
        body=RestoredInput,
        answers=GuidelineSerializer,
        status=201,
        conflict=True,
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        found_or_404(self.rows(viewer), number=number)
        made = guidelines.restore(project=viewer.project, by=self.user, number=number, **self.body(RestoredInput))
        return self.answer(GuidelineSerializer, made, status=201)


_BASE = "projects/<slug:slug>/guidelines/"

urlpatterns: list[Any] = [
    path(_BASE, GuidelineList.as_view(), name="guideline-list"),
    path(f"{_BASE}examples/", GuidelineExampleList.as_view(), name="guideline-example-list"),
    path(f"{_BASE}<int:number>/", GuidelineDetail.as_view(), name="guideline-detail"),
    path(f"{_BASE}<int:number>/changes/", GuidelineChanges.as_view(), name="guideline-changes"),
    path(f"{_BASE}<int:number>/restore/", GuidelineRestore.as_view(), name="guideline-restore"),
]
