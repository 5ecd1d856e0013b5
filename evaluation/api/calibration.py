"""Thresholds from people's labels: what each would do in a run, and taking the proposed one over."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import Viewer
from annotations.api.base import Endpoint, Input, JSONList, JSONObject, operation
from annotations.models import Capability
from evaluation import access
from evaluation.api.policies import PolicyNumberSerializer
from evaluation.forms.calibration import CRITERIA_WORDS, LARGEST_SEED
from evaluation.models import EvaluationRun, RunState
from evaluation.services import calibration
from evaluation.services.calibration import Report
from evaluation.stats.calibration import Criterion

calibrating = partial(operation, tag="calibration")


class CalibrationQuery(Input):
    sub_metric = serializers.ChoiceField(
        choices=calibration.SUB_METRICS, required=False, default=calibration.SUB_METRICS[0]
    )
    slice = serializers.CharField(
        required=False, default=calibration.ALL, help_text="`all`, or one of `slices` of the answer."
    )
    criterion = serializers.ChoiceField(choices=list(CRITERIA_WORDS), required=False, default="cost")
    weight = serializers.DecimalField(
        max_digits=12,
        decimal_places=6,
        min_value=0,
        max_value=1000,
        required=False,
        help_text="What a false pass costs where a false failure costs 1; for `cost`. 5 if left out.",
    )
    percent = serializers.DecimalField(
        max_digits=12,
        decimal_places=6,
        min_value=0,
        max_value=100,
        required=False,
        help_text="The most false passes, in percent of what people fail; for `false_passes`. 5 if left out.",
    )
    seed = serializers.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        required=False,
        default=calibration.DEFAULT_SEED,
        help_text="Of the halves.",
    )

    def validate_weight(self, weight: Any) -> Any:
        if weight <= 0:
            raise ValidationError("It must be above 0.")
        return weight


class AdoptInput(CalibrationQuery):
    threshold = serializers.DecimalField(
        max_digits=40, decimal_places=30, min_value=0, max_value=1, help_text="The one that was proposed."
    )
    seen_number = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="The newest number of the policy when you looked."
    )


class SliceSerializer(serializers.Serializer[Any]):
    slice = serializers.CharField()
    words = serializers.CharField()
    n = serializers.IntegerField(help_text="Labelled turns that tell about it.")


class CalibrationSerializer(serializers.Serializer[Any]):
    """A report of the service. Figures that are not defined have the value null and a reason."""

    runs = serializers.ListField(child=serializers.UUIDField())
    scorer = serializers.CharField(allow_blank=True, help_text="What gave the scores.")
    problem = serializers.CharField(allow_null=True, help_text="Why this run cannot be calibrated; else null.")
    sub_metric = serializers.CharField()
    slice = serializers.CharField()
    slices = SliceSerializer(many=True)
    labels_from_turn_verdicts = serializers.IntegerField()
    excluded = JSONObject(help_text="Labelled turns that were left out, by reason.")
    unlabelled_turns = serializers.IntegerField(help_text="Turns with something judged by meaning, without a label.")
    present_threshold = serializers.FloatField(allow_null=True, help_text="Null where there are several, or nothing.")
    present_thresholds = JSONList()
    criterion = JSONObject()
    seed = serializers.IntegerField()
    whole = JSONObject(
        help_text="All of them: n, labels, figures as things are, and thresholds with theirs, at most 500."
    )
    half_a = JSONObject(help_text="The half that the threshold is chosen on.")
    half_b = JSONObject(help_text="The half that it is reported on.")
    proposal = JSONObject(
        allow_null=True, help_text="The threshold, with its figures on both halves and the present ones."
    )
    reason = serializers.CharField(allow_null=True, help_text="Why nothing is proposed; else null.")
    swapped = JSONObject(allow_null=True, help_text="The same, chosen on half b and reported on half a.")
    swapped_reason = serializers.CharField(allow_null=True)
    distance = serializers.SerializerMethodField(help_text="How far both thresholds are apart; null without both.")
    is_better_than_now = serializers.BooleanField(allow_null=True)
    adoption = JSONObject(allow_null=True, help_text="What adopting would change, in which policy; else null.")

    @extend_schema_field(serializers.FloatField(allow_null=True))
    def get_distance(self, row: dict[str, Any]) -> Any:
        return row["distance"]


class _Calibrated(Endpoint):
    """The run of an address, for those who may see what it says beside what people say."""

    def run_of(self, run_id: UUID, *, require: str = Capability.VIEW) -> tuple[Viewer, EvaluationRun]:
        viewer, run = access.get_run_or_404(self.user, run_id, require=require)
        if viewer.is_blinded:
            raise PermissionDenied("This project is blind: calibration would tell you what others and the machine say.")
        return viewer, run

    @staticmethod
    def report(run: EvaluationRun, wanted: dict[str, Any]) -> Report:
        standard = Criterion()
        percent = wanted.get("percent")
        ended = run.state in (RunState.DONE, RunState.STOPPED)
        try:
            return calibration.report(
                [run] if ended else [],
                sub_metric=wanted["sub_metric"],
                slice_key=wanted["slice"],
                criterion=Criterion(
                    kind=wanted["criterion"],
                    weight=Fraction(wanted.get("weight", standard.weight)),
                    most=standard.most if percent is None else Fraction(percent) / 100,
                ),
                seed=wanted["seed"],
            )
        except LookupError as error:
            raise ValidationError({"slice": f"There is no such slice: {error}."}) from error


class RunCalibration(_Calibrated):
    @calibrating(
        "get_calibration",
        "What each threshold would do to the labelled turns of a run, and which one is proposed. Not for blinded "
        "annotators.",
        query=CalibrationQuery,
        answers=CalibrationSerializer,
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        _, run = self.run_of(run_id)
        found = self.report(run, self.query(CalibrationQuery))
        return self.answer(CalibrationSerializer, {**found.as_json(), "adoption": _adoption(found)})


def _adoption(found: Report) -> dict[str, Any] | None:
    proposal = found.calibration.proposal
    if proposal is None:
        return None
    draft = calibration.draft(found, proposal)
    return {
        "policy": draft.newest.name,
        "seen_number": draft.newest.number,
        "changes": draft.differences,
        "body": draft.body,
    }


class RunCalibrationAdopt(_Calibrated):
    conflict_row = PolicyNumberSerializer

    @calibrating(
        "adopt_threshold",
        "The proposed threshold as the next number of the run's policy. Refused where another one is proposed by now.",
        body=AdoptInput,
        answers=PolicyNumberSerializer,
        status=201,
        conflict=True,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        viewer, run = self.run_of(run_id, require=Capability.RUN)
        given = self.body(AdoptInput)
        made = calibration.adopt(
            found=self.report(run, given),
            project=viewer.project,
            by=self.user,
            threshold=Fraction(given["threshold"]),
            seen_number=given["seen_number"],
        )
        return self.answer(PolicyNumberSerializer, made, status=201)


urlpatterns: list[Any] = [
    path("runs/<uuid:run_id>/calibration/", RunCalibration.as_view(), name="run-calibration"),
    path("runs/<uuid:run_id>/calibration/adopt/", RunCalibrationAdopt.as_view(), name="run-calibration-adopt"),
]
