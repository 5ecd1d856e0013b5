"""Judges in the API: settings, keys that go in and never come out, a trial, and what a run may spend."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import path
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access as project_access
from annotations.access import Viewer
from annotations.api.base import Endpoint, Input, JSONObject, Nothing, PageQuery, PersonSerializer, Row, operation
from annotations.models import Capability
from evaluation import access
from evaluation.models import JudgeSettings
from evaluation.services import judges, judging
from evaluation.services.judge_keys import MAX_KEY_LENGTH

judge = partial(operation, tag="judges")

LARGEST = 2**53


class JudgeSerializer(Row):
    created_by = PersonSerializer(read_only=True, allow_null=True)
    key_set_at = serializers.SerializerMethodField(help_text="When the stored key was set; null where there is none.")

    class Meta:
        model = JudgeSettings
        fields = ("id", "name", "number", "body", "content_hash", "key_set_at", "created_by", "created_at")
        read_only_fields = fields

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_key_set_at(self, row: JudgeSettings) -> Any:
        set_at = self.context["keys"].get(row.name)
        return set_at and serializers.DateTimeField().to_representation(set_at)


class JudgeInput(Input):
    name = serializers.CharField(
        max_length=80, required=False, default=judges.STANDARD, help_text="A name that exists gets its next number."
    )
    body = JSONObject(help_text="The settings document; it holds no key.")
    key = serializers.CharField(
        max_length=MAX_KEY_LENGTH,
        required=False,
        default="",
        allow_blank=True,
        write_only=True,
        help_text="Stored encrypted, for the host of `base_url`; never answered. Left out, the stored one stays.",
    )


class TrialSerializer(serializers.Serializer[Any]):
    answer = serializers.CharField(
        source="label", help_text="What the judge said of `New York City` and `NYC`; empty: no answer."
    )
    is_right = serializers.BooleanField()
    problem = serializers.CharField(help_text="Why there is no answer.")
    seconds = serializers.FloatField()
    requests = serializers.IntegerField()
    tokens_in = serializers.IntegerField(allow_null=True)
    tokens_out = serializers.IntegerField(allow_null=True)


class JudgeList(Endpoint):
    @judge(
        "list_judges",
        "All judges of a project, each number of each.",
        query=PageQuery,
        answers=JudgeSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug)
        self.query(PageQuery)
        found = JudgeSettings.objects.filter(project=viewer.project).select_related("created_by")
        return self.page(found, JudgeSerializer, order=("-pk",), keys=judges.keys_set(project=viewer.project))

    @judge(
        "create_judge",
        "The next number of a judge. The content of its last number gives that one again.",
        body=JudgeInput,
        answers=JudgeSerializer,
        status=201,
    )
    @sensitive_variables("given")
    def post(self, request: Request, slug: str) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        given = self.body(JudgeInput)
        made = judges.create(project=viewer.project, by=self.user, **given)
        return self.answer(JudgeSerializer, made, status=201, keys=judges.keys_set(project=viewer.project))


def _judge(viewer: Viewer, pk: int) -> JudgeSettings:
    found = JudgeSettings.objects.select_related("project").filter(project=viewer.project, pk=pk).first()
    if found is None:
        raise Http404("This project has no such judge.")
    return found


class JudgeTrial(Endpoint):
    @judge(
        "try_judge",
        "Ask the judge one fixed question, and say what came of it.",
        body=Nothing,
        answers=TrialSerializer,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        self.body(Nothing)
        return self.answer(TrialSerializer, judges.try_it(_judge(viewer, pk)))


class JudgeKeyDetail(Endpoint):
    @judge("forget_judge_key", "Take the stored key away, from every number of the judge.", status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        viewer = project_access.get_project_or_404(self.user, slug, require=Capability.MANAGE)
        judges.forget_key(project=viewer.project, name=_judge(viewer, pk).name, by=self.user)
        return Response(status=204)


class LimitsSerializer(serializers.Serializer[Any]):
    tokens = serializers.IntegerField(allow_null=True)
    money = serializers.DecimalField(max_digits=20, decimal_places=12, allow_null=True)


class EffortSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField()
    questions = serializers.IntegerField()
    asked = serializers.IntegerField()
    from_cache = serializers.IntegerField(help_text="Questions that had been answered before.")
    requests = serializers.IntegerField()
    votes = serializers.IntegerField(help_text="That could be read.")
    unreadable = serializers.IntegerField(help_text="Questions without a readable answer: not scored.")
    unreadable_replies = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=20, decimal_places=12, allow_null=True, help_text="Null: not known.")
    uncounted = serializers.IntegerField(help_text="Requests that may have been charged and did not say how much.")
    budget = LimitsSerializer(help_text="Null: no limit.")
    left = LimitsSerializer(help_text="What may still be spent. Null: no limit.")
    is_spent = serializers.BooleanField(help_text="The budget is spent: nothing more is asked.")
    turns_left = serializers.IntegerField(help_text="Turns that are not scored since the budget was spent.")


class BudgetInput(Input):
    tokens = serializers.IntegerField(allow_null=True, min_value=1, max_value=LARGEST)
    money = serializers.DecimalField(max_digits=13, decimal_places=6, allow_null=True, min_value=0)


class RunJudge(Endpoint):
    @judge("get_run_judge", "What a run asked its judge, and what that took.", answers=EffortSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        _, run = access.get_run_or_404(self.user, run_id)
        return self._shown(run)

    @judge(
        "set_run_budget",
        "What a run may spend on its judge in all. Resume it to ask what was left open.",
        body=BudgetInput,
        answers=EffortSerializer,
    )
    def put(self, request: Request, run_id: UUID) -> Response:
        _, run = access.get_run_or_404(self.user, run_id, require=Capability.MANAGE)
        judging.set_budget(run=run, by=self.user, **self.body(BudgetInput))
        return self._shown(run)

    def _shown(self, run: Any) -> Response:
        effort = judging.effort(run)
        if effort is None:
            raise Http404("This run asks no judge.")
        return self.answer(EffortSerializer, effort)


urlpatterns: list[Any] = [
    path("projects/<slug:slug>/judges/", JudgeList.as_view(), name="judge-list"),
    path("projects/<slug:slug>/judges/<int:pk>/try/", JudgeTrial.as_view(), name="judge-trial"),
    path("projects/<slug:slug>/judges/<int:pk>/key/", JudgeKeyDetail.as_view(), name="judge-key"),
    path("runs/<uuid:run_id>/judge/", RunJudge.as_view(), name="run-judge"),
]
