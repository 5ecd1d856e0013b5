"""Evaluation runs. A blinded annotator gets a run as a list of trajectories to label, and no result."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access as project_access
from annotations.access import Viewer
from annotations.api.base import (
    Endpoint,
    Input,
    JSONObject,
    Nothing,
    PageQuery,
    PersonSerializer,
    Row,
    operation,
)
from annotations.models import Capability, FailureReasonChoice, TurnKind
from evaluation import access, tasks
from evaluation.models import EvaluationRun, Policy, RunItem, RunState, Verdict
from evaluation.services import comparisons, items, policies, runs, summaries
from evaluation.services.items import ItemFilter

running = partial(operation, tag="runs")

LARGEST = 2**31 - 1
SHOWN_ERRORS = 3


# --- runs ---


class ProgressSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField(help_text="Trajectories.")
    done = serializers.IntegerField()
    in_work = serializers.IntegerField()
    waiting = serializers.IntegerField()
    failed = serializers.IntegerField()
    failed_chunks = serializers.IntegerField()
    percent = serializers.IntegerField()


class RunSerializer(Row):
    dataset = serializers.CharField(source="dataset_version.dataset.slug", read_only=True)
    dataset_version = serializers.IntegerField(source="dataset_version.number", read_only=True)
    policy = serializers.CharField(source="policy.name", read_only=True)
    policy_number = serializers.IntegerField(source="policy.number", read_only=True)
    follows = serializers.UUIDField(
        source="follows_id",
        read_only=True,
        allow_null=True,
        help_text="The run of which this one scores a part again, against the goldens in force.",
    )
    vocabulary = serializers.IntegerField(
        source="vocabulary.number", read_only=True, allow_null=True, help_text="Number of the project's vocabulary."
    )
    effort = JSONObject(
        read_only=True, allow_null=True, help_text="Comparisons of meaning: asked for, distinct, made, known before."
    )
    created_by = PersonSerializer(read_only=True, allow_null=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = EvaluationRun
        fields = (
            "id",
            "number",
            "name",
            "dataset",
            "dataset_version",
            "policy",
            "policy_number",
            "plan_hash",
            "engine_version",
            "scorer_version",
            "vocabulary",
            "effort",
            "selection",
            "follows",
            "state",
            "progress",
            "created_by",
            "created_at",
            "started_at",
            "finished_at",
        )
        read_only_fields = fields

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, row: EvaluationRun) -> Any:
        return ProgressSerializer(self.context["progress"][row.pk]).data


class AgentSerializer(serializers.Serializer[Any]):
    agent = serializers.CharField(allow_blank=True)
    agent_version = serializers.CharField(allow_blank=True)
    key = serializers.SerializerMethodField(help_text="How filters and comparisons name it.")

    def get_key(self, row: runs.AgentVersion) -> str:
        return items.key_of(row)


class StalenessSerializer(serializers.Serializer[Any]):
    golden_changed = serializers.IntegerField()
    trajectory_replaced = serializers.IntegerField()
    engine_changed = serializers.BooleanField(help_text="Concerns all verdicts of the run.")
    scorer_changes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What compares meanings otherwise than when the run was planned, in words: rules, word lists, "
        "vocabulary, embedding, judge. Concerns all verdicts of the run.",
    )


class RunDetailSerializer(RunSerializer):
    agents = serializers.SerializerMethodField(help_text="The agent versions that it scores.")
    summary = serializers.SerializerMethodField(
        help_text="The figures; null while it is at work, and for blinded annotators."
    )
    stale = serializers.SerializerMethodField(help_text="What changed since; null for blinded annotators.")
    failures = serializers.SerializerMethodField(help_text="Why chunks failed, the commonest first.")

    class Meta:
        model = EvaluationRun
        fields = (*RunSerializer.Meta.fields, "agents", "summary", "stale", "failures")
        read_only_fields = fields

    def _is_blinded(self) -> bool:
        viewer: Viewer = self.context["viewer"]
        return viewer.is_blinded

    @extend_schema_field(AgentSerializer(many=True))
    def get_agents(self, row: EvaluationRun) -> Any:
        return AgentSerializer(runs.agents_in(row), many=True).data

    @extend_schema_field({"type": "object", "additionalProperties": True, "nullable": True})
    def get_summary(self, row: EvaluationRun) -> Any:
        return None if self._is_blinded() else row.summary

    @extend_schema_field(StalenessSerializer(allow_null=True))
    def get_stale(self, row: EvaluationRun) -> Any:
        return None if self._is_blinded() else StalenessSerializer(runs.staleness(row)).data

    def get_failures(self, row: EvaluationRun) -> list[str]:
        if self._is_blinded():
            return []
        found = row.chunks.exclude(error="").order_by().values("error").annotate(chunks=Count("pk"))
        return [entry["error"] for entry in found.order_by("-chunks")[:SHOWN_ERRORS]]


class AgentInput(Input):
    agent = serializers.CharField(max_length=120, allow_blank=True)
    agent_version = serializers.CharField(max_length=120, allow_blank=True)


class RunInput(Input):
    dataset = serializers.SlugField()
    version = serializers.IntegerField(required=False, min_value=1, help_text="The newest if left out.")
    policy = serializers.IntegerField(
        required=False, min_value=1, help_text="The policy's id; the newest `standard` if left out."
    )
    name = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)
    agents = serializers.ListField(child=AgentInput(), required=False, default=list, help_text="Empty: all.")
    trials = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST),
        required=False,
        default=list,
        help_text="Empty: all.",
    )


class RunQuery(PageQuery):
    state = serializers.ChoiceField(choices=RunState.choices, required=False)
    dataset = serializers.SlugField(required=False)


class AvailableSerializer(serializers.Serializer[Any]):
    agent = serializers.CharField(source="version.agent", allow_blank=True)
    agent_version = serializers.CharField(source="version.agent_version", allow_blank=True)
    trajectories = serializers.IntegerField()
    trials = serializers.IntegerField(help_text="Different trial numbers among them.")


class VersionAgents(Endpoint):
    @running(
        "list_version_agents",
        "The agent versions that a released version could be scored for.",
        answers=AvailableSerializer(many=True),
    )
    def get(self, request: Request, slug: str, dataset_slug: str, number: int) -> Response:
        _, version = project_access.get_dataset_version_or_404(self.user, slug, dataset_slug, number)
        return Response(AvailableSerializer(runs.available_agents(version), many=True).data)


class RunList(Endpoint):
    @running(
        "list_runs", "The runs of a project, the newest first.", query=RunQuery, answers=RunSerializer, is_page=True
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug)
        wanted = self.query(RunQuery)
        found = viewer.project.runs.select_related(
            "dataset_version__dataset", "policy", "vocabulary", "created_by"
        ).defer("summary")
        if viewer.is_blinded:
            found = found.filter(follows=None)  # what is scored again tells what others dispute
        if "state" in wanted:
            found = found.filter(state=wanted["state"])
        if "dataset" in wanted:
            found = found.filter(dataset_version__dataset__slug=wanted["dataset"])
        return self.page(
            found, RunSerializer, order=("-number",), prepare=lambda page: {"progress": runs.progress_of(page)}
        )

    @running("create_run", "Plan a run and start it.", body=RunInput, answers=RunDetailSerializer, status=201)
    def post(self, request: Request, slug: str) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug, require=Capability.RUN)
        given = self.body(RunInput)
        run = runs.plan(
            project=viewer.project,
            dataset_version=self._version(viewer, given),
            policy=self._policy(viewer, given),
            by=self.user,
            name=given["name"],
            agents=[runs.AgentVersion(**agent) for agent in given["agents"]],
            trials=given["trials"],
        )
        runs.start(run=run, by=self.user)
        tasks.ring()
        return shown(self, viewer, run, status=201)

    @staticmethod
    def _version(viewer: Viewer, given: dict[str, Any]) -> Any:
        dataset = viewer.project.datasets.filter(slug=given["dataset"]).first()
        if dataset is None:
            raise ValidationError({"dataset": f"There is no dataset {given['dataset']} in this project."})
        versions = dataset.versions.select_related("dataset").order_by("-number")
        if "version" in given:
            versions = versions.filter(number=given["version"])
        version = versions.first()
        if version is None:
            raise ValidationError({"version": "This dataset has no such released version."})
        return version

    def _policy(self, viewer: Viewer, given: dict[str, Any]) -> Policy:
        if "policy" not in given:
            return policies.get_standard(project=viewer.project, by=self.user)
        found = Policy.objects.filter(project=viewer.project, pk=given["policy"]).first()
        if found is None:
            raise ValidationError({"policy": "This project has no such policy."})
        return found


def shown(endpoint: Endpoint, viewer: Viewer, run: EvaluationRun, *, status: int = 200) -> Response:
    return endpoint.answer(
        RunDetailSerializer, run, status=status, viewer=viewer, progress={run.pk: runs.progress(run)}
    )


class RunDetail(Endpoint):
    @running("get_run", "A run: how far it has come, and what came out.", answers=RunDetailSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id)
        return shown(self, viewer, run)


class RunStop(Endpoint):
    @running(
        "stop_run",
        "Begin nothing more; what is in work is finished and kept.",
        body=Nothing,
        answers=RunDetailSerializer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id, require=Capability.RUN)
        self.body(Nothing)
        runs.stop(run=run, by=self.user)
        tasks.ring(bells=1)  # somebody adds up what there is
        return shown(self, viewer, run)


class RunResume(Endpoint):
    @running("resume_run", "Go on where it stopped; try again what failed.", body=Nothing, answers=RunDetailSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id, require=Capability.RUN)
        self.body(Nothing)
        runs.resume(run=run, by=self.user)
        tasks.ring()
        return shown(self, viewer, run)


class RunUnscored(Endpoint):
    @running(
        "score_unscored",
        "Try again the turns that no scorer could judge; what was answered is not asked again.",
        body=Nothing,
        answers=RunDetailSerializer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id, require=Capability.RUN)
        self.body(Nothing)
        runs.score_unscored(run=run, by=self.user)
        tasks.ring()
        return shown(self, viewer, run)


# --- items ---


class VerdictSerializer(Row):
    class Meta:
        model = Verdict
        fields = (
            "error",
            "path",
            "success_rate",
            "test_pass",
            "first_failure_turn",
            "root_cause",
            "root_cause_count",
            "cascading_count",
            "evaluated",
            "passed",
            "ambiguous",
            "not_scored",
            "structural",
            "completeness",
            "truthfulness",
            "chain_length",
            "chain_bucket",
            "outcome",
        )
        read_only_fields = fields


class ItemSerializer(serializers.ModelSerializer[RunItem]):
    trajectory = serializers.IntegerField(source="trajectory_id", read_only=True)
    conversation = serializers.IntegerField(source="trajectory.conversation_id", read_only=True)
    key = serializers.CharField(source="trajectory.conversation.key", read_only=True)
    agent = serializers.CharField(source="trajectory.agent", read_only=True)
    agent_version = serializers.CharField(source="trajectory.agent_version", read_only=True)
    trial = serializers.IntegerField(source="trajectory.trial", read_only=True, allow_null=True)
    verdict = serializers.SerializerMethodField(
        help_text="Null where it is not looked at yet, and for blinded annotators."
    )
    golden_changed = serializers.SerializerMethodField(help_text="Null for blinded annotators.")
    trajectory_replaced = serializers.SerializerMethodField(help_text="Null for blinded annotators.")
    own_labels = serializers.SerializerMethodField(
        help_text="For blinded annotators: how many of its turns they have labelled; else null."
    )

    class Meta:
        model = RunItem
        fields = (
            "position",
            "trajectory",
            "conversation",
            "key",
            "agent",
            "agent_version",
            "trial",
            "verdict",
            "golden_changed",
            "trajectory_replaced",
            "own_labels",
        )
        read_only_fields = fields

    def _is_blinded(self) -> bool:
        viewer: Viewer = self.context["viewer"]
        return viewer.is_blinded

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_verdict(self, row: RunItem) -> Any:
        verdict = None if self._is_blinded() else getattr(row, "verdict", None)
        return None if verdict is None else VerdictSerializer(verdict).data

    def get_golden_changed(self, row: RunItem) -> bool | None:
        return None if self._is_blinded() else bool(row.golden_changed)  # type: ignore[attr-defined]

    def get_trajectory_replaced(self, row: RunItem) -> bool | None:
        return None if self._is_blinded() else bool(row.trajectory_replaced)  # type: ignore[attr-defined]

    def get_own_labels(self, row: RunItem) -> int | None:
        return getattr(row, "own_labels", None)


class ItemQuery(PageQuery):
    """The filters of the page of a run's items."""

    result = serializers.ChoiceField(
        choices=("failed", "passed", "unknown", "left_open", "empty", "not_scored", "waiting"),
        required=False,
        help_text="`unknown`: whether the test passed is not known, since a turn or a call could not be judged. "
        "`left_open`: a turn, a forbidden call or an outcome could not be judged. "
        "`empty`: no turn passed or failed. `not_scored`: the trajectory as a whole could not be scored, with its "
        "`error`. `waiting`: not looked at yet.",
    )
    agent = serializers.CharField(required=False, help_text="The `key` of one of the run's agents.")
    trial = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST)
    first = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST, help_text="First failing turn.")
    chain = serializers.CharField(required=False)
    length = serializers.CharField(required=False)
    language = serializers.CharField(required=False)
    domain = serializers.CharField(required=False)
    stale = serializers.BooleanField(required=False)
    cause = serializers.ChoiceField(
        choices=("root", "cascade", "failed", "passed", "not_scored"),
        required=False,
        help_text="With a turn that is this.",
    )
    reason = serializers.ChoiceField(choices=[*FailureReasonChoice.values, summaries.CASCADE], required=False)
    tool = serializers.CharField(required=False)
    action = serializers.CharField(required=False)
    field = serializers.CharField(required=False)
    kind = serializers.ChoiceField(choices=TurnKind.choices, required=False)
    ambiguous = serializers.BooleanField(required=False)
    open = serializers.BooleanField(
        required=False, help_text="Only trajectories of which one has labelled nothing yet; for blinded annotators."
    )


class ItemList(Endpoint):
    @running(
        "list_items",
        "The trajectories of a run. A blinded annotator gets them without verdicts, and may filter by `open` only.",
        query=ItemQuery,
        answers=ItemSerializer,
        is_page=True,
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id)
        wanted = self.query(ItemQuery)
        for name in ("limit", "cursor"):
            wanted.pop(name, None)
        only_open = wanted.pop("open", False)
        if viewer.is_blinded:
            if wanted:
                raise PermissionDenied("In a blind project annotators do not choose items by what the machine says.")
            found = items.to_label(run, viewer=self.user, only_open=only_open)
        else:
            if only_open:
                raise ValidationError({"open": "Only for blinded annotators."})
            found = items.find(run, ItemFilter(**wanted))
        return self.page(found, ItemSerializer, order=("position",), viewer=viewer)


# --- comparison ---


class CompareQuery(Input):
    a = serializers.CharField(help_text="The `key` of one of the run's agents.")
    b = serializers.CharField(help_text="The `key` of another.")


class SideSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    test_pass = serializers.BooleanField(allow_null=True)
    first_failure_turn = serializers.IntegerField(allow_null=True)
    root_cause = serializers.CharField(allow_blank=True)


class PairSerializer(serializers.Serializer[Any]):
    conversation = serializers.CharField()
    trial = serializers.IntegerField(allow_null=True)
    a = SideSerializer()
    b = SideSerializer()


class ReasonCountSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    a = serializers.IntegerField()
    b = serializers.IntegerField()


class ComparisonSerializer(serializers.Serializer[Any]):
    result = JSONObject(help_text="Paired counts, rates with intervals, difference with its exact test.")
    pairs = serializers.IntegerField()
    only_a_has = serializers.IntegerField()
    only_b_has = serializers.IntegerField()
    worse = PairSerializer(many=True, help_text="Passed under a, failed under b.")
    better = PairSerializer(many=True)
    reasons = ReasonCountSerializer(many=True, help_text="Root causes by reason.")


class RunCompare(Endpoint):
    @running(
        "compare_agents", "Two agent versions of a run, pair by pair.", query=CompareQuery, answers=ComparisonSerializer
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        viewer, run = access.get_run_or_404(self.user, run_id)
        if viewer.is_blinded:
            raise PermissionDenied("In a blind project annotators do not see results of the machine.")
        wanted = self.query(CompareQuery)
        known = {items.key_of(agent): agent for agent in runs.agents_in(run)}
        wrong = {name: "The run has no such agent version." for name in ("a", "b") if wanted[name] not in known}
        if not wrong and wanted["a"] == wanted["b"]:
            wrong = {"b": "Choose two different versions."}
        if wrong:
            raise ValidationError(wrong)
        found = comparisons.compare(run, known[wanted["a"]], known[wanted["b"]])
        return self.answer(
            ComparisonSerializer,
            {
                "result": found.result.as_json(),
                "pairs": found.pairs,
                "only_a_has": found.only_a_has,
                "only_b_has": found.only_b_has,
                "worse": [asdict(pair) for pair in found.worse],
                "better": [asdict(pair) for pair in found.better],
                "reasons": [asdict(reason) for reason in found.reasons],
            },
        )


urlpatterns: list[Any] = [
    path("projects/<slug:slug>/runs/", RunList.as_view(), name="run-list"),
    path(
        "projects/<slug:slug>/datasets/<slug:dataset_slug>/versions/<int:number>/agents/",
        VersionAgents.as_view(),
        name="version-agents",
    ),
    path("runs/<uuid:run_id>/", RunDetail.as_view(), name="run-detail"),
    path("runs/<uuid:run_id>/stop/", RunStop.as_view(), name="run-stop"),
    path("runs/<uuid:run_id>/resume/", RunResume.as_view(), name="run-resume"),
    path("runs/<uuid:run_id>/unscored/", RunUnscored.as_view(), name="run-unscored"),
    path("runs/<uuid:run_id>/items/", ItemList.as_view(), name="item-list"),
    path("runs/<uuid:run_id>/compare/", RunCompare.as_view(), name="run-compare"),
]
