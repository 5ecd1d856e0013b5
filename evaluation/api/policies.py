"""Policies, and drafts of them tried on stored runs. Annotators do without both."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

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
from evaluation import access, tasks
from evaluation.models import EvaluationRun, Policy, PolicyTrial, TrialChange
from evaluation.services import policies, trials

policy = partial(operation, tag="policies")

LARGEST = 2**31 - 1


# --- policies ---


class PolicyNumberSerializer(Row):
    """One number of a policy, as it stands beside what was sent when somebody kept another one meanwhile."""

    created_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = Policy
        fields: tuple[str, ...] = ("id", "name", "number", "body", "content_hash", "created_by", "created_at")
        read_only_fields = fields


class PolicySerializer(PolicyNumberSerializer):
    run_count = serializers.IntegerField(read_only=True, help_text="Runs that use it; it is frozen in any case.")

    class Meta(PolicyNumberSerializer.Meta):
        fields = (*PolicyNumberSerializer.Meta.fields, "run_count")
        read_only_fields = fields


class PolicyDetailSerializer(PolicySerializer):
    changes = serializers.SerializerMethodField(help_text="What it changed, against the number before it, in words.")

    class Meta(PolicySerializer.Meta):
        fields = (*PolicySerializer.Meta.fields, "changes")
        read_only_fields = fields

    def get_changes(self, row: Policy) -> list[str]:
        before = Policy.objects.filter(project=row.project_id, name=row.name, number__lt=row.number)
        earlier = before.order_by("-number").first()
        return policies.differences(earlier.body if earlier else {}, row.body)


class PolicyInput(Input):
    name = serializers.CharField(
        max_length=80, required=False, default=policies.STANDARD, help_text="A name that exists gets its next number."
    )
    body = JSONObject(help_text="The aem/1 policy.")
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True, help_text="Why.")
    seen_number = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST,
        help_text="The newest number when the edit began, 0 for a new name: then a newer one is a conflict, and a body "
        "that judges the same gives the newest number again. Left out: the next number in any case.",
    )


def _policies() -> Any:
    return Policy.objects.select_related("created_by").annotate(run_count=Count("runs"))


class PolicyList(Endpoint):
    conflict_row = PolicyNumberSerializer

    @policy(
        "list_policies",
        "All policies of a project, each number of each.",
        query=PageQuery,
        answers=PolicySerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_policy_viewer(self.user, slug)
        self.query(PageQuery)
        return self.page(_policies().filter(project=viewer.project), PolicySerializer, order=("-pk",))

    @policy(
        "create_policy",
        "The next number of a policy. The content of its last number gives that one again.",
        body=PolicyInput,
        answers=PolicySerializer,
        status=201,
        conflict=True,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_policy_viewer(self.user, slug, to_edit=True)
        given = self.body(PolicyInput)
        keep = policies.save if "seen_number" in given else policies.create
        made = keep(project=viewer.project, by=self.user, **given)
        return self.answer(PolicySerializer, _policies().get(pk=made.pk), status=201)


class PolicyDetail(Endpoint):
    @policy("get_policy", "One number of a policy, and what it changed.", answers=PolicyDetailSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        _, found = access.get_policy_or_404(self.user, slug, pk)
        return self.answer(PolicyDetailSerializer, _policies().get(pk=found.pk))


# --- trials ---


class TrialSideSerializer(serializers.Serializer[trials.Side]):
    judged = serializers.IntegerField(help_text="Tests that passed or failed.")
    test_passed = serializers.IntegerField()
    evaluated = serializers.IntegerField(help_text="Turns that passed or failed.")
    passed = serializers.IntegerField()
    ambiguous = serializers.IntegerField()
    turns_not_scored = serializers.IntegerField()
    trajectories_not_scored = serializers.IntegerField()
    root_causes = serializers.IntegerField()
    cascades = serializers.IntegerField()
    test_pass_rate = serializers.FloatField(allow_null=True)
    turn_pass_rate = serializers.FloatField(allow_null=True)
    mean_success_rate = serializers.FloatField(allow_null=True)


class TrialGroupSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="How `list_trial_changes` is asked for these.")
    label = serializers.CharField()  # type: ignore[assignment]
    count = serializers.IntegerField()


class PolicyTrialSerializer(Row):
    policy = serializers.IntegerField(source="policy_id", read_only=True, allow_null=True)
    run = serializers.UUIDField(source="run_id", read_only=True)
    run_number = serializers.IntegerField(source="run.number", read_only=True)
    run_engine_version = serializers.CharField(source="run.engine_version", read_only=True)
    changed_turns = serializers.SerializerMethodField(help_text="Turn verdicts that would change.")
    groups = serializers.SerializerMethodField(help_text="Changes by sort; a turn whose ambiguity changes is in two.")
    before = serializers.SerializerMethodField(help_text="Sums of the run's verdicts, of what is tried already.")
    after = serializers.SerializerMethodField(help_text="Sums of the same under the draft.")
    missing = serializers.SerializerMethodField(help_text="Trajectories that the run never scored; left out.")
    not_asked = serializers.SerializerMethodField(help_text="Questions to a judge without a stored answer; not asked.")
    created_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = PolicyTrial
        fields = (
            "id",
            "policy",
            "name",
            "body",
            "run",
            "run_number",
            "run_engine_version",
            "engine_version",
            "state",
            "total",
            "done",
            "changed_turns",
            "groups",
            "before",
            "after",
            "missing",
            "not_asked",
            "error",
            "created_by",
            "created_at",
            "finished_at",
        )
        read_only_fields = fields

    def get_changed_turns(self, row: PolicyTrial) -> int:
        return int(row.counts["changed_turns"])

    @extend_schema_field(TrialGroupSerializer(many=True))
    def get_groups(self, row: PolicyTrial) -> Any:
        return TrialGroupSerializer([group for group in trials.groups(row) if group.count], many=True).data

    @extend_schema_field(TrialSideSerializer)
    def get_before(self, row: PolicyTrial) -> Any:
        return asdict(trials.side(row, "before"))

    @extend_schema_field(TrialSideSerializer)
    def get_after(self, row: PolicyTrial) -> Any:
        return asdict(trials.side(row, "after"))

    def get_missing(self, row: PolicyTrial) -> int:
        return int(row.counts["missing"])

    def get_not_asked(self, row: PolicyTrial) -> int:
        return int(row.counts["not_asked"])


class PolicyTrialInput(Input):
    body = JSONObject(help_text="The draft, an aem/1 policy.")
    run = serializers.UUIDField(required=False, help_text="A run that has ended; the newest finished one if left out.")
    policy = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="The id of the number that the draft is an edit of."
    )


class TrialChangeSerializer(Row):
    class Meta:
        model = TrialChange
        fields = ("position", "turn_no", "turn_key", "tool", "action", "change", "ambiguity", "before", "after")
        read_only_fields = fields


class TrialChangeQuery(PageQuery):
    group = serializers.CharField(required=False, help_text="The `key` of one of the trial's groups.")


class PolicyTrialList(Endpoint):
    @policy(
        "create_policy_trial",
        "Try a draft on a stored run: which of its verdicts would change. Nothing of the run is changed.",
        body=PolicyTrialInput,
        answers=PolicyTrialSerializer,
        status=201,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_policy_viewer(self.user, slug, to_edit=True)
        given = self.body(PolicyTrialInput)
        base = None
        if "policy" in given:
            base = Policy.objects.filter(project=viewer.project, pk=given["policy"]).first()
            if base is None:
                raise ValidationError({"policy": "This project has no such policy."})
        if "run" in given:
            run = EvaluationRun.objects.filter(project=viewer.project, pk=given["run"]).first()
        else:
            run = trials.default_run(viewer.project)
        if run is None:
            raise ValidationError({"run": "This project has no such run that has come to an end."})
        name = base.name if base else policies.STANDARD
        newest = policies.find_newest(project=viewer.project, name=name)
        trial = trials.begin(
            run=run,
            body=given["body"],
            name=name,
            seen_number=newest.number if newest else 0,
            by=self.user,
            now=timezone.now(),
            policy=base,
        )
        tasks.ring_trial(trial.pk)
        return self.answer(PolicyTrialSerializer, trial, status=201)


class PolicyTrialDetail(Endpoint):
    @policy("get_policy_trial", "A trial: how far it has come, and what came out.", answers=PolicyTrialSerializer)
    def get(self, request: Request, slug: str, trial_id: UUID) -> Response:
        _, trial = access.get_trial_or_404(self.user, slug, trial_id)
        return self.answer(PolicyTrialSerializer, trial)


class PolicyTrialStop(Endpoint):
    @policy("stop_policy_trial", "End a trial early; what it found stays.", body=Nothing, answers=PolicyTrialSerializer)
    def post(self, request: Request, slug: str, trial_id: UUID) -> Response:
        _, trial = access.get_trial_or_404(self.user, slug, trial_id)
        self.body(Nothing)
        trials.stop(trial=trial, now=timezone.now())
        return self.answer(PolicyTrialSerializer, trial)


class TrialChangeList(Endpoint):
    @policy(
        "list_trial_changes",
        "The verdicts that would change, each with both sides and why. `turn_no` 0 is the trajectory as a whole.",
        query=TrialChangeQuery,
        answers=TrialChangeSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, trial_id: UUID) -> Response:
        _, trial = access.get_trial_or_404(self.user, slug, trial_id)
        wanted = self.query(TrialChangeQuery)
        known = [group.key for group in trials.groups(trial)]
        if wanted.get("group", known[0]) not in known:
            raise ValidationError({"group": f"There is no such group; known are: {', '.join(known)}."})
        found = trials.find_changes(trial, group=wanted.get("group", ""))
        return self.page(found, TrialChangeSerializer, order=("position", "turn_no"))


urlpatterns: list[Any] = [
    path("projects/<slug:slug>/policies/", PolicyList.as_view(), name="policy-list"),
    path("projects/<slug:slug>/policies/<int:pk>/", PolicyDetail.as_view(), name="policy-detail"),
    path("projects/<slug:slug>/policy-trials/", PolicyTrialList.as_view(), name="policy-trial-list"),
    path("projects/<slug:slug>/policy-trials/<uuid:trial_id>/", PolicyTrialDetail.as_view(), name="policy-trial"),
    path(
        "projects/<slug:slug>/policy-trials/<uuid:trial_id>/stop/", PolicyTrialStop.as_view(), name="policy-trial-stop"
    ),
    path(
        "projects/<slug:slug>/policy-trials/<uuid:trial_id>/changes/",
        TrialChangeList.as_view(),
        name="policy-trial-changes",
    ),
]
