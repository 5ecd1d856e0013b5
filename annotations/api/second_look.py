"""The second look over the API: what was made under an older guideline, and what is decided about it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.access import Viewer
from annotations.api.base import Endpoint, Input, PageQuery, PersonSerializer, Row, found_or_404, operation
from annotations.api.guidelines import GuidelineSerializer
from annotations.models import (
    Capability,
    FailureReasonChoice,
    Golden,
    Guideline,
    HumanLabel,
    SecondLook,
    SecondLookKind,
    Trajectory,
)
from annotations.services import projects, second_look

looking = partial(operation, tag="projects")
MOST = 1000


class DoubtQuery(PageQuery):
    before = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Saved before this version; left out, the newest."
    )


class GoldenDoubtQuery(DoubtQuery):
    tool = serializers.CharField(required=False, help_text="Only those that expect a call of it.")


class LabelDoubtQuery(DoubtQuery):
    reason = serializers.ChoiceField(choices=FailureReasonChoice.choices, required=False)


class AskedSerializer(Row):
    by = PersonSerializer(read_only=True)
    version = serializers.IntegerField(source="guideline.number", read_only=True, help_text="In force then.")

    class Meta:
        model = SecondLook
        fields = ("by", "at", "version", "comment")
        read_only_fields = fields


class _Doubtful(Row):
    annotator = PersonSerializer(read_only=True)
    guideline = serializers.IntegerField(
        source="guideline.number", read_only=True, allow_null=True, default=None, help_text="null: not known."
    )
    asked_again = serializers.SerializerMethodField(help_text="By whom, as long as it was not saved anew; else null.")

    @extend_schema_field(AskedSerializer(allow_null=True))
    def get_asked_again(self, row: Any) -> Any:
        look = self.context.get("asked", {}).get(row.pk)
        return None if look is None else AskedSerializer(look, context=self.context).data


class DoubtfulGoldenSerializer(_Doubtful):
    conversation = serializers.PrimaryKeyRelatedField[Any](read_only=True)

    class Meta:
        model = Golden
        fields = ("id", "conversation", "annotator", "status", "guideline", "updated_at", "asked_again")
        read_only_fields = fields


class DoubtfulLabelSerializer(_Doubtful):
    trajectory = serializers.PrimaryKeyRelatedField[Trajectory](read_only=True)

    class Meta:
        model = HumanLabel
        fields = (
            "id",
            "trajectory",
            "path",
            "turn_key",
            "annotator",
            "verdict",
            "failure_reason",
            "guideline",
            "updated_at",
            "asked_again",
        )
        read_only_fields = fields


class SecondLookActInput(Input):
    do = serializers.ChoiceField(
        choices=SecondLookKind.choices,
        help_text="`right`: it holds under the version in force; `again`: return the golden, ask for the label.",
    )
    seen_number = serializers.IntegerField(min_value=0, help_text="The version that was in force when you looked.")
    goldens = serializers.ListField(child=serializers.UUIDField(), required=False, default=list, max_length=MOST)
    labels = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), required=False, default=list, max_length=MOST
    )
    comment = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=second_look.LONGEST_COMMENT,
        help_text="What is to be looked at. `again` needs one: whoever is asked reads it.",
    )


class LeftAloneSerializer(serializers.Serializer[Any]):
    golden = serializers.UUIDField(source="golden.pk", allow_null=True, default=None)
    label = serializers.IntegerField(  # type: ignore[assignment]
        source="label.pk", allow_null=True, default=None
    )
    title = serializers.CharField()
    why = serializers.CharField()


class LookOutcomeSerializer(serializers.Serializer[Any]):
    act = serializers.IntegerField(
        source="act.pk", allow_null=True, default=None, help_text="Names it to its undo; null where nothing was done."
    )
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Not in doubt, or asked for already.")
    refused = LeftAloneSerializer(many=True, help_text="What it left alone, and why.")


class _SecondLook(Endpoint):
    conflict_row = GuidelineSerializer

    def viewer(self, slug: str) -> Viewer:
        return access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)

    def version(self, viewer: Viewer, asked: dict[str, Any]) -> Guideline | None:
        """The version that is asked about; None where the project has none."""
        if "before" in asked:
            found: Guideline = found_or_404(viewer.project.guidelines.all(), number=asked["before"])
            return found
        return projects.current_guideline(viewer.project)


def _asked(rows: list[Any]) -> dict[str, Any]:
    return {"asked": second_look.asked_again(rows)}


class SecondLookGoldens(_SecondLook):
    @looking(
        "list_doubtful_goldens",
        "Goldens that were last saved under an older guideline and are not said to hold. For owners and adjudicators.",
        query=GoldenDoubtQuery,
        answers=DoubtfulGoldenSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer, asked = self.viewer(slug), self.query(GoldenDoubtQuery)
        version = self.version(viewer, asked)
        rows: QuerySet[Golden] = Golden.objects.none()
        if version is not None:
            rows = second_look.goldens_in_doubt(version, tool=asked.get("tool", ""))
        return self.page(rows, DoubtfulGoldenSerializer, order=("-created_at", "pk"), prepare=_asked)


class SecondLookLabels(_SecondLook):
    @looking(
        "list_doubtful_labels",
        "Labels that were last saved under an older guideline and are not said to hold. For owners and adjudicators.",
        query=LabelDoubtQuery,
        answers=DoubtfulLabelSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer, asked = self.viewer(slug), self.query(LabelDoubtQuery)
        version = self.version(viewer, asked)
        rows: QuerySet[HumanLabel] = HumanLabel.objects.none()
        if version is not None:
            rows = second_look.labels_in_doubt(version, reason=asked.get("reason", ""))
        return self.page(rows, DoubtfulLabelSerializer, order=("pk",), prepare=_asked)


class SecondLookMine(Endpoint):
    @looking(
        "list_labels_asked_again",
        "One's own labels that one is asked to make again, first what was asked first. Saved anew they leave the list.",
        query=PageQuery,
        answers=DoubtfulLabelSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.LABEL)
        self.query(PageQuery)
        asked = second_look.labels_asked_of(viewer.project, self.user)
        looks = {one.label.pk: one.look for one in asked}
        return self.page_of_list([one.label for one in asked], DoubtfulLabelSerializer, asked=looks)


class SecondLookActs(_SecondLook):
    @looking(
        "decide_doubtful",
        "Say that goldens and labels still hold, or ask for them again. For owners and adjudicators.",
        body=SecondLookActInput,
        answers=LookOutcomeSerializer,
        conflict=True,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer, given = self.viewer(slug), self.body(SecondLookActInput)
        chosen = {name: given[name] for name in ("seen_number", "goldens", "labels")}
        if given["do"] == SecondLookKind.AGAIN:
            outcome = second_look.ask_again(project=viewer.project, by=self.user, comment=given["comment"], **chosen)
        else:
            outcome = second_look.say_right(project=viewer.project, by=self.user, **chosen)
        return self.answer(LookOutcomeSerializer, outcome)


class SecondLookUndo(_SecondLook):
    @looking(
        "undo_doubtful",
        "Take such an act back; what was saved anew since is left as it is and named.",
        answers=LookOutcomeSerializer,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        viewer = self.viewer(slug)
        outcome = second_look.undo(project=viewer.project, act_pk=pk, by=self.user)
        return self.answer(LookOutcomeSerializer, outcome)


_BASE = "projects/<slug:slug>/second-look/"

urlpatterns: list[Any] = [
    path(f"{_BASE}goldens/", SecondLookGoldens.as_view(), name="second-look-goldens"),
    path(f"{_BASE}labels/", SecondLookLabels.as_view(), name="second-look-labels"),
    path(f"{_BASE}mine/", SecondLookMine.as_view(), name="second-look-mine"),
    path(f"{_BASE}acts/", SecondLookActs.as_view(), name="second-look-acts"),
    path(f"{_BASE}acts/<int:pk>/undo/", SecondLookUndo.as_view(), name="second-look-undo"),
]
