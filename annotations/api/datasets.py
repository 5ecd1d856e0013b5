"""Datasets, their conversations and trajectories, and the versions that are released from them."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.urls import path
from django.utils.text import slugify
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.api.base import (
    Endpoint,
    Input,
    JSONObject,
    PageQuery,
    PersonSerializer,
    Row,
    found_or_404,
    operation,
)
from annotations.models import (
    Capability,
    Conversation,
    Dataset,
    DatasetVersion,
    DatasetVersionItem,
    GoldenRecord,
    Trajectory,
)
from annotations.services import conversations, documents, releases

datasets = partial(operation, tag="datasets")
recorded = partial(operation, tag="conversations")


# --- datasets ---


class DatasetSerializer(Row):
    conversation_count = serializers.IntegerField(read_only=True)
    annotated_count = serializers.IntegerField(read_only=True, help_text="Conversations with a golden in force.")
    version_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = Dataset
        fields = (
            "slug",
            "name",
            "description",
            "created_at",
            "conversation_count",
            "annotated_count",
            "version_count",
        )
        read_only_fields = fields


class DatasetInput(Input):
    name = serializers.CharField(max_length=120)
    slug = serializers.SlugField(max_length=60, required=False, help_text="Made from the name if left out.")


def _counted(rows: QuerySet[Dataset]) -> QuerySet[Any]:
    return rows.annotate(
        conversation_count=Count("conversations", distinct=True),
        annotated_count=Count("conversations", filter=Q(conversations__golden_record__isnull=False), distinct=True),
        version_count=Count("versions", distinct=True),
    )


class DatasetList(Endpoint):
    @datasets("list_datasets", "The datasets of a project.", query=PageQuery, answers=DatasetSerializer, is_page=True)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        self.query(PageQuery)
        return self.page(_counted(viewer.project.datasets.all()), DatasetSerializer, order=("slug",))

    @datasets("create_dataset", "An empty dataset.", body=DatasetInput, answers=DatasetSerializer, status=201)
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.IMPORT)
        given = self.body(DatasetInput)
        dataset_slug = given.get("slug") or slugify(given["name"])[:60]
        if not dataset_slug:
            raise ValidationError({"name": "The name needs letters or digits."})
        if viewer.project.datasets.filter(slug=dataset_slug).exists():
            raise ValidationError({"slug": f"There is a dataset {dataset_slug} already."})
        made = documents.get_dataset(project=viewer.project, slug=dataset_slug, name=given["name"])
        return self.answer(DatasetSerializer, _counted(Dataset.objects.filter(pk=made.pk)).get(), status=201)


class DatasetDetail(Endpoint):
    @datasets("get_dataset", "One dataset.", answers=DatasetSerializer)
    def get(self, request: Request, slug: str, dataset_slug: str) -> Response:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug)
        return self.answer(DatasetSerializer, _counted(Dataset.objects.filter(pk=dataset.pk)).get())


# --- conversations ---


class ConversationSerializer(Row):
    has_golden = serializers.SerializerMethodField(help_text="Whether a golden is in force.")
    trajectory_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = Conversation
        fields = (
            "id",
            "key",
            "title",
            "language",
            "domain",
            "user_goal",
            "created_at",
            "has_golden",
            "trajectory_count",
        )
        read_only_fields = fields

    def get_has_golden(self, row: Conversation) -> bool:
        return row.golden_record_id is not None


class GoldenRecordSerializer(Row):
    golden = JSONObject(source="body.golden", read_only=True, help_text="The aem/1 golden.")
    policy = JSONObject(source="body.policy", read_only=True)
    created_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = GoldenRecord
        fields = ("number", "content_hash", "turn_count", "created_by", "created_at", "golden", "policy")
        read_only_fields = fields


class ConversationDetailSerializer(ConversationSerializer):
    dataset = serializers.CharField(source="dataset.slug", read_only=True)
    project = serializers.CharField(source="dataset.project.slug", read_only=True)
    tools = JSONObject(source="tool_set.body", read_only=True, help_text="The tools that the agent had, by name.")
    golden = serializers.SerializerMethodField(
        help_text="The golden in force; null where there is none, and for blinded annotators."
    )
    extra = serializers.SerializerMethodField(
        help_text="What an import brought beside the known fields, comments included; null for blinded annotators."
    )

    class Meta:
        model = Conversation
        fields = (
            *ConversationSerializer.Meta.fields,
            "project",
            "dataset",
            "system_prompt",
            "tools",
            "golden",
            "extra",
        )
        read_only_fields = fields

    @extend_schema_field(GoldenRecordSerializer(allow_null=True))
    def get_golden(self, row: Conversation) -> Any:
        if self.context["viewer"].is_blinded or row.golden_record is None:
            return None
        return GoldenRecordSerializer(row.golden_record, context=self.context).data

    @extend_schema_field({"type": "object", "additionalProperties": True, "nullable": True})
    def get_extra(self, row: Conversation) -> Any:
        return None if self.context["viewer"].is_blinded else row.extra


class ConversationQuery(PageQuery):
    q = serializers.CharField(required=False, help_text="Stands in key, title or goal.")
    state = serializers.ChoiceField(choices=conversations.STATES, required=False)
    language = serializers.CharField(required=False)
    domain = serializers.CharField(required=False)


class ConversationList(Endpoint):
    @recorded(
        "list_conversations",
        "The conversations of a dataset.",
        query=ConversationQuery,
        answers=ConversationSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, dataset_slug: str) -> Response:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug)
        wanted = self.query(ConversationQuery)
        filters = {name: wanted[name] for name in ("q", "state", "language", "domain") if name in wanted}
        found = conversations.find(dataset, **filters).defer("system_prompt", "extra")
        return self.page(found, ConversationSerializer, order=("key",))


class ConversationDetail(Endpoint):
    @recorded("get_conversation", "One conversation with its tools.", answers=ConversationDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        viewer, conversation = access.get_conversation_or_404(self.user, pk)
        conversation.trajectory_count = conversation.trajectories.current().count()  # type: ignore[attr-defined]
        return self.answer(ConversationDetailSerializer, conversation, viewer=viewer)


class GoldenRecordList(Endpoint):
    @recorded(
        "list_golden_records",
        "All goldens that were ever in force, the newest first. A blinded annotator sees none.",
        query=PageQuery,
        answers=GoldenRecordSerializer,
        is_page=True,
    )
    def get(self, request: Request, pk: int) -> Response:
        viewer, conversation = access.get_conversation_or_404(self.user, pk)
        self.query(PageQuery)
        records = conversation.golden_records.select_related("created_by")
        return self.page(records.none() if viewer.is_blinded else records, GoldenRecordSerializer, order=("-number",))


# --- trajectories ---


class TrajectorySerializer(Row):
    conversation = serializers.PrimaryKeyRelatedField[Conversation](read_only=True)
    is_current = serializers.SerializerMethodField(help_text="Whether no later import has replaced it.")
    reward = serializers.SerializerMethodField(
        help_text="A verdict on the whole run from elsewhere, as it was given; null for blinded annotators."
    )

    class Meta:
        model = Trajectory
        fields = (
            "id",
            "conversation",
            "key",
            "version",
            "agent",
            "agent_version",
            "trial",
            "turn_count",
            "content_hash",
            "is_current",
            "created_at",
            "reward",
        )
        read_only_fields = fields

    def get_is_current(self, row: Trajectory) -> bool:
        return row.superseded_at is None

    @extend_schema_field({"type": "number", "nullable": True})
    def get_reward(self, row: Trajectory) -> Any:
        return None if self.context["viewer"].is_blinded else row.reward_as_given


class TrajectoryDetailSerializer(TrajectorySerializer):
    body = JSONObject(read_only=True, help_text="The aem/1 trajectory, whole.")
    metadata = serializers.SerializerMethodField(help_text="What else was recorded; null for blinded annotators.")

    class Meta:
        model = Trajectory
        fields = (*TrajectorySerializer.Meta.fields, "body", "metadata")
        read_only_fields = fields

    @extend_schema_field({"type": "object", "additionalProperties": True, "nullable": True})
    def get_metadata(self, row: Trajectory) -> Any:
        return None if self.context["viewer"].is_blinded else row.metadata


class TrajectoryQuery(PageQuery):
    agent = serializers.CharField(required=False)
    agent_version = serializers.CharField(required=False)
    trial = serializers.IntegerField(required=False, min_value=0)
    state = serializers.ChoiceField(
        choices=("current", "all"), required=False, default="current", help_text="`all`: the replaced ones too."
    )


class _Trajectories(Endpoint):
    """Trajectories of what a subclass chooses."""

    def list(self, viewer: access.Viewer, found: QuerySet[Trajectory]) -> Response:
        wanted = self.query(TrajectoryQuery)
        if wanted["state"] == "current":
            found = found.filter(superseded_at__isnull=True)
        for name in ("agent", "agent_version", "trial"):
            if name in wanted:
                found = found.filter(**{name: wanted[name]})
        return self.page(found.defer("body", "metadata", "extra"), TrajectorySerializer, order=("pk",), viewer=viewer)


class DatasetTrajectoryList(_Trajectories):
    @recorded(
        "list_dataset_trajectories",
        "The trajectories of a dataset, without their turns.",
        query=TrajectoryQuery,
        answers=TrajectorySerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, dataset_slug: str) -> Response:
        viewer, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug)
        return self.list(viewer, Trajectory.objects.filter(conversation__dataset=dataset))


class ConversationTrajectoryList(_Trajectories):
    @recorded(
        "list_trajectories",
        "The trajectories of a conversation, without their turns.",
        query=TrajectoryQuery,
        answers=TrajectorySerializer,
        is_page=True,
    )
    def get(self, request: Request, pk: int) -> Response:
        viewer, conversation = access.get_conversation_or_404(self.user, pk)
        return self.list(viewer, conversation.trajectories.all())


class TrajectoryDetail(Endpoint):
    @recorded("get_trajectory", "One trajectory, complete.", answers=TrajectoryDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        viewer, trajectory = access.get_trajectory_or_404(self.user, pk)
        return self.answer(TrajectoryDetailSerializer, trajectory, viewer=viewer)


# --- versions ---


class VersionSerializer(Row):
    dataset = serializers.CharField(source="dataset.slug", read_only=True)
    golden_count = serializers.IntegerField(read_only=True)
    created_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = DatasetVersion
        fields = ("id", "dataset", "number", "note", "content_hash", "golden_count", "created_by", "created_at")
        read_only_fields = fields


class VersionInput(Input):
    note = serializers.CharField(required=False, allow_blank=True, default="")


class VersionItemSerializer(serializers.ModelSerializer[DatasetVersionItem]):
    conversation = serializers.IntegerField(source="golden_record.conversation_id", read_only=True)
    key = serializers.CharField(source="golden_record.conversation.key", read_only=True)
    golden_number = serializers.IntegerField(source="golden_record.number", read_only=True)
    content_hash = serializers.CharField(source="golden_record.content_hash", read_only=True)
    turn_count = serializers.IntegerField(source="golden_record.turn_count", read_only=True)

    class Meta:
        model = DatasetVersionItem
        fields = ("position", "conversation", "key", "golden_number", "content_hash", "turn_count")
        read_only_fields = fields


def _versions(rows: QuerySet[DatasetVersion]) -> QuerySet[Any]:
    return rows.select_related("dataset", "created_by").annotate(golden_count=Count("items"))


class VersionList(Endpoint):
    @datasets(
        "list_versions",
        "The released versions of a dataset, the newest first.",
        query=PageQuery,
        answers=VersionSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, dataset_slug: str) -> Response:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug)
        self.query(PageQuery)
        return self.page(_versions(dataset.versions.all()), VersionSerializer, order=("-number",))

    @datasets(
        "release_version",
        "Freeze the goldens in force as the next version.",
        body=VersionInput,
        answers=VersionSerializer,
        status=201,
    )
    def post(self, request: Request, slug: str, dataset_slug: str) -> Response:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug, require=Capability.MANAGE)
        made = releases.release(dataset=dataset, by=self.user, **self.body(VersionInput))
        shown = _versions(DatasetVersion.objects.filter(pk=made.pk)).get()
        return self.answer(VersionSerializer, shown, status=201)


class VersionDetail(Endpoint):
    @datasets("get_version", "One released version.", answers=VersionSerializer)
    def get(self, request: Request, slug: str, dataset_slug: str, number: int) -> Response:
        _, version = access.get_dataset_version_or_404(self.user, slug, dataset_slug, number)
        return self.answer(VersionSerializer, _versions(DatasetVersion.objects.filter(pk=version.pk)).get())


class VersionItemList(Endpoint):
    @datasets(
        "list_version_items",
        "The golden records that a version froze.",
        query=PageQuery,
        answers=VersionItemSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, dataset_slug: str, number: int) -> Response:
        _, version = access.get_dataset_version_or_404(self.user, slug, dataset_slug, number)
        self.query(PageQuery)
        items = version.items.select_related("golden_record__conversation").defer(
            "golden_record__body", "golden_record__conversation__system_prompt", "golden_record__conversation__extra"
        )
        return self.page(items, VersionItemSerializer, order=("position",))


class VersionItemDetail(Endpoint):
    @datasets(
        "get_version_item",
        "One frozen golden record, whole. Not for blinded annotators.",
        answers=GoldenRecordSerializer,
    )
    def get(self, request: Request, slug: str, dataset_slug: str, number: int, position: int) -> Response:
        viewer, version = access.get_dataset_version_or_404(self.user, slug, dataset_slug, number)
        if viewer.is_blinded:
            raise Http404("There is nothing here, or it is hidden until your own work is saved.")
        item = found_or_404(version.items.select_related("golden_record__created_by"), position=position)
        return self.answer(GoldenRecordSerializer, item.golden_record)


_DATASET = "projects/<slug:slug>/datasets/<slug:dataset_slug>/"
urlpatterns: list[Any] = [
    path("projects/<slug:slug>/datasets/", DatasetList.as_view(), name="dataset-list"),
    path(_DATASET, DatasetDetail.as_view(), name="dataset-detail"),
    path(f"{_DATASET}conversations/", ConversationList.as_view(), name="conversation-list"),
    path(f"{_DATASET}trajectories/", DatasetTrajectoryList.as_view(), name="dataset-trajectory-list"),
    path(f"{_DATASET}versions/", VersionList.as_view(), name="version-list"),
    path(f"{_DATASET}versions/<int:number>/", VersionDetail.as_view(), name="version-detail"),
    path(f"{_DATASET}versions/<int:number>/items/", VersionItemList.as_view(), name="version-item-list"),
    path(
        f"{_DATASET}versions/<int:number>/items/<int:position>/",
        VersionItemDetail.as_view(),
        name="version-item-detail",
    ),
    path("conversations/<int:pk>/", ConversationDetail.as_view(), name="conversation-detail"),
    path("conversations/<int:pk>/golden-records/", GoldenRecordList.as_view(), name="golden-record-list"),
    path("conversations/<int:pk>/trajectories/", ConversationTrajectoryList.as_view(), name="trajectory-list"),
    path("trajectories/<int:pk>/", TrajectoryDetail.as_view(), name="trajectory-detail"),
]
