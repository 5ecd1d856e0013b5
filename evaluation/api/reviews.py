"""Verdicts turn by turn, one's own labels, decisions, and agreement."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import Viewer
from annotations.api.base import (
    Endpoint,
    ExactJSON,
    Input,
    JSONObject,
    Nothing,
    PageQuery,
    PersonSerializer,
    Row,
    operation,
)
from annotations.models import (
    Attribution,
    Capability,
    FailureReasonChoice,
    HumanLabel,
    SubLabel,
    TurnLabel,
)
from annotations.services import labels
from evaluation import access
from evaluation.api.runs import VerdictSerializer
from evaluation.models import Decision, EvaluationRun, RunItem, TurnVerdict
from evaluation.services import agreement, decisions, review, runs
from evaluation.services.review import Review, Turn
from evaluation.stats.agreement import SUB_METRICS

reviewing = partial(operation, tag="review")
settling = partial(operation, tag="adjudication")
agreeing = partial(operation, tag="agreement")

JUDGED = (*labels.JUDGED_FIELDS, "revision", "created_at", "updated_at")
REASONS = ("people differ", "people and machine differ", "ambiguous", "not scored")


# --- rows ---


class LabelSerializer(Row):
    annotator = PersonSerializer(read_only=True)
    guideline = serializers.IntegerField(
        source="guideline.number",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="The version of the guideline it was last saved under; null where nobody knows.",
    )

    class Meta:
        model = HumanLabel
        fields = ("annotator", *JUDGED, "comment", "guideline")
        read_only_fields = fields


class DecisionSerializer(Row):
    decided_by = PersonSerializer(read_only=True)

    class Meta:
        model = Decision
        fields = ("decided_by", *JUDGED, "reason")
        read_only_fields = fields


class AnswerSerializer(Row):
    """A label without its author: who adjudicates weighs what was said, not who said it."""

    class Meta:
        model = HumanLabel
        fields = (*labels.JUDGED_FIELDS, "comment")
        read_only_fields = fields


class TurnVerdictSerializer(Row):
    is_root_cause = serializers.BooleanField(read_only=True)
    is_cascade = serializers.BooleanField(read_only=True)

    class Meta:
        model = TurnVerdict
        fields = (
            "turn_no",
            "turn_key",
            "kind",
            "tool",
            "action",
            "observed",
            "skipped",
            "passed",
            "failure_reason",
            "reasons",
            "fields",
            "is_root_cause",
            "is_cascade",
            "cascade_of",
            "ambiguous",
            "structural",
            "completeness",
            "truthfulness",
        )
        read_only_fields = fields


class ReviewTurnSerializer(serializers.Serializer[Turn]):
    turn_no = serializers.IntegerField()
    turn_key = serializers.CharField(source="key")
    kind = serializers.CharField()
    expected = JSONObject(source="golden", help_text="The golden turn.")
    is_hidden = serializers.BooleanField(help_text="What follows is hidden until one has saved one's own label.")
    verdict = TurnVerdictSerializer(allow_null=True)
    explanation = ExactJSON(source="detail", help_text="What was judged, item by item, with the engine's sentences.")
    mine = LabelSerializer(allow_null=True)
    others = LabelSerializer(many=True)
    decision = DecisionSerializer(allow_null=True)


class ReviewSerializer(serializers.Serializer[Review]):
    run = serializers.UUIDField(source="item.run_id")
    position = serializers.IntegerField(source="item.position")
    trajectory = serializers.IntegerField(source="trajectory.pk")
    conversation = serializers.IntegerField(source="trajectory.conversation_id")
    path = serializers.CharField()
    is_hidden = serializers.BooleanField(help_text="Whether something is hidden until all own labels are saved.")
    is_stale = serializers.SerializerMethodField()
    verdict = VerdictSerializer(allow_null=True)
    problem = serializers.SerializerMethodField(help_text="Why it could not be scored or explained; else empty.")
    turns = ReviewTurnSerializer(many=True)

    def get_is_stale(self, page: Review) -> bool:
        return runs.is_stale(page.item)

    def get_problem(self, page: Review) -> str:
        return "" if page.is_hidden else page.problem


# --- bodies ---

_OPEN: dict[str, Any] = {"required": False, "allow_blank": True, "default": ""}


class JudgementInput(Input):
    """What is said about a turn; the context holds the turns from which a cascade may come."""

    seen_revision = serializers.IntegerField(min_value=0, help_text="0 for a first one.")
    verdict = serializers.ChoiceField(choices=TurnLabel.choices)
    structural = serializers.ChoiceField(choices=SubLabel.choices, **_OPEN)
    completeness = serializers.ChoiceField(choices=SubLabel.choices, **_OPEN)
    truthfulness = serializers.ChoiceField(choices=SubLabel.choices, **_OPEN)
    failure_reason = serializers.ChoiceField(choices=FailureReasonChoice.choices, **_OPEN)
    attribution = serializers.ChoiceField(choices=Attribution.choices, **_OPEN)
    cascade_of = serializers.ListField(
        child=serializers.CharField(), required=False, default=list, help_text="Ids of earlier golden turns."
    )

    def validate_cascade_of(self, names: list[str]) -> list[str]:
        earlier = self.context["earlier"]
        unknown = [name for name in names if name not in earlier]
        if unknown:
            raise ValidationError(f"Not an earlier turn: {', '.join(unknown)}.")
        return names


class LabelInput(JudgementInput):
    comment = serializers.CharField(required=False, allow_blank=True, default="")


class DecisionInput(JudgementInput):
    reason = serializers.CharField(help_text="What settles it, for the next reader.")
    as_example = serializers.BooleanField(
        required=False, default=False, help_text="Whether the reason becomes an example of the guideline as well."
    )


class DecisionExampleSerializer(serializers.Serializer[Any]):
    guideline = serializers.IntegerField(help_text="The version of the guideline that has it.")


class TakeBackQuery(Input):
    seen_revision = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="The revision that was read; left out, the decision is taken back as it is.",
    )


class UndoneLabelSerializer(serializers.Serializer[Any]):
    undone = serializers.CharField()


class DecidedSerializer(serializers.Serializer[Any]):
    decision = DecisionSerializer(allow_null=True)
    answers = AnswerSerializer(many=True, help_text="What people said, without their names.")
    verdict = TurnVerdictSerializer(allow_null=True)
    explanation = ExactJSON(help_text="What was judged, item by item.")
    expected = JSONObject()


# --- review ---


class _Turn(Endpoint):
    """An address under one turn of an item."""

    def turn(self, run_id: UUID, position: int, turn_no: int, *, require: str) -> tuple[Viewer, RunItem, Review, Turn]:
        viewer, item = access.get_run_item_or_404(self.user, run_id, position, require=require)
        page = review.build(item, viewer, turn_no=turn_no)
        if page.current is None or page.current.turn_no != turn_no:
            raise Http404("There is no such turn.")
        return viewer, item, page, page.current

    @staticmethod
    def earlier(page: Review, turn_no: int) -> set[str]:
        return {turn.key for turn in page.turns if turn.turn_no < turn_no}


class ItemDetail(Endpoint):
    @reviewing(
        "get_item",
        "One trajectory of a run, turn by turn: expected, verdict, explanation, labels. What a blinded annotator may "
        "not see yet is left out.",
        answers=ReviewSerializer,
    )
    def get(self, request: Request, run_id: UUID, position: int) -> Response:
        viewer, item = access.get_run_item_or_404(self.user, run_id, position)
        return self.answer(ReviewSerializer, review.build(item, viewer))


class TurnLabelDetail(_Turn):
    conflict_row = LabelSerializer

    @reviewing("get_label", "One's own label of a turn.", answers=LabelSerializer)
    def get(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        *_, turn = self.turn(run_id, position, turn_no, require=Capability.LABEL)
        if turn.mine is None:
            raise Http404("You have not labelled this turn.")
        return self.answer(LabelSerializer, turn.mine)

    @reviewing("save_label", "Save one's own label of a turn.", body=LabelInput, answers=LabelSerializer, conflict=True)
    def put(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        viewer, item, page, turn = self.turn(run_id, position, turn_no, require=Capability.LABEL)
        given = self.body(LabelInput, earlier=self.earlier(page, turn_no))
        label = labels.save(trajectory=item.trajectory, path=page.path, turn_key=turn.key, by=viewer.user, **given)
        return self.answer(LabelSerializer, label)


class LabelUndo(Endpoint):
    @reviewing(
        "undo_label",
        "Take back one's newest label change on a trajectory.",
        body=Nothing,
        answers=UndoneLabelSerializer,
    )
    def post(self, request: Request, run_id: UUID, position: int) -> Response:
        _, item = access.get_run_item_or_404(self.user, run_id, position, require=Capability.LABEL)
        self.body(Nothing)
        return Response({"undone": labels.undo(trajectory=item.trajectory, by=self.user)})


# --- adjudication ---


class OpenTurnSerializer(serializers.Serializer[agreement.OpenTurn]):
    run = serializers.UUIDField(source="item.run_id")
    position = serializers.IntegerField(source="item.position")
    trajectory = serializers.IntegerField(source="item.trajectory_id")
    key = serializers.CharField(source="item.trajectory.conversation.key")
    turn_no = serializers.IntegerField(source="verdict.turn_no")
    turn_key = serializers.CharField(source="verdict.turn_key")
    tool = serializers.CharField(source="verdict.tool")
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=REASONS))
    decision = DecisionSerializer(allow_null=True)


class RunsQuery(PageQuery):
    run = serializers.UUIDField(required=False, help_text="Left out: the newest finished run of each dataset.")


class AdjudicationQuery(RunsQuery):
    state = serializers.ChoiceField(choices=("open", "decided", "all"), required=False, default="open")
    reason = serializers.ChoiceField(choices=REASONS, required=False)


def chosen_runs(viewer: Viewer, wanted: dict[str, Any]) -> list[EvaluationRun]:
    if "run" not in wanted:
        return agreement.newest_runs(viewer.project)
    chosen = [run for run in agreement.comparable_runs(viewer.project) if run.pk == wanted["run"]]
    if not chosen:
        raise ValidationError({"run": "There is no such finished run in this project."})
    return chosen


class AdjudicationList(Endpoint):
    @settling(
        "list_adjudication",
        "Turns that people should settle, the weightiest first.",
        query=AdjudicationQuery,
        answers=OpenTurnSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_sighted_viewer(self.user, slug, require=Capability.ADJUDICATE)
        wanted = self.query(AdjudicationQuery)
        found = agreement.to_adjudicate(chosen_runs(viewer, wanted), with_decided=True)
        if wanted["state"] != "all":
            found = [entry for entry in found if (entry.decision is None) == (wanted["state"] == "open")]
        if "reason" in wanted:
            found = [entry for entry in found if wanted["reason"] in entry.reasons]
        return self.page_of_list(found, OpenTurnSerializer)


class TurnDecision(_Turn):
    conflict_row = DecisionSerializer

    @settling("get_decision", "What people and machine say of a turn, and what was decided.", answers=DecidedSerializer)
    def get(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        _, _, page, turn = self.turn(run_id, position, turn_no, require=Capability.ADJUDICATE)
        answers = [label for label in (turn.mine, *turn.others) if label is not None]
        return self.answer(
            DecidedSerializer,
            {
                "decision": turn.decision,
                "answers": decisions.shuffled(answers, address=f"{page.trajectory.pk}:{page.path}:{turn.key}"),
                "verdict": turn.verdict,
                "explanation": turn.detail,
                "expected": turn.golden,
            },
        )

    @settling(
        "decide", "Settle a turn: its final label.", body=DecisionInput, answers=DecisionSerializer, conflict=True
    )
    def put(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        viewer, item, page, turn = self.turn(run_id, position, turn_no, require=Capability.ADJUDICATE)
        given = self.body(DecisionInput, earlier=self.earlier(page, turn_no))
        example = decisions.example_text(item.trajectory, turn.turn_no, turn.title) if given.pop("as_example") else None
        made = decisions.decide(
            trajectory=item.trajectory, path=page.path, turn_key=turn.key, by=viewer.user, example=example, **given
        )
        return self.answer(DecisionSerializer, made)

    @settling(
        "take_back_decision",
        "Open a settled turn again. The history keeps what was said.",
        query=TakeBackQuery,
        status=204,
        conflict=True,
    )
    def delete(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        viewer, *_, turn = self.turn(run_id, position, turn_no, require=Capability.ADJUDICATE)
        seen = self.query(TakeBackQuery).get("seen_revision")
        if turn.decision is None:
            raise Http404("This turn is not decided.")
        decisions.take_back(decision=turn.decision, by=viewer.user, seen_revision=seen)
        return Response(status=204)


class TurnDecisionExample(_Turn):
    @settling(
        "add_decision_example",
        "Make the reason of a decision an example of the guideline, which gets a new version.",
        body=Nothing,
        answers=DecisionExampleSerializer,
        status=201,
    )
    def post(self, request: Request, run_id: UUID, position: int, turn_no: int) -> Response:
        viewer, item, _, turn = self.turn(run_id, position, turn_no, require=Capability.ADJUDICATE)
        self.body(Nothing)
        if turn.decision is None:
            raise Http404("This turn is not decided.")
        text = decisions.example_text(item.trajectory, turn_no, turn.title)
        made = decisions.add_example(decision=turn.decision, by=viewer.user, text=text)
        return self.answer(DecisionExampleSerializer, {"guideline": made.number}, status=201)


# --- agreement ---


class AgreementQuery(Input):
    run = serializers.UUIDField(required=False, help_text="Left out: the newest finished run of each dataset.")
    reference = serializers.CharField(
        required=False, default=agreement.FINAL, help_text="`final`, or the id of a person: whose labels count."
    )


class AgreementRowsQuery(RunsQuery):
    reference = serializers.CharField(required=False, default=agreement.FINAL)
    sub_metric = serializers.ChoiceField(choices=list(SUB_METRICS), required=False, default="turn_verdict")
    machine = serializers.CharField(required=False, help_text="Only rows on which the machine says this.")
    human = serializers.CharField(required=False, help_text="Only rows on which people say this.")


class AgreementSerializer(serializers.Serializer[Any]):
    runs = serializers.ListField(child=serializers.UUIDField())
    labellers = PersonSerializer(many=True, help_text="Who has labelled these runs.")
    reference = serializers.CharField()
    judged_turns = serializers.IntegerField()
    machine_and_people = JSONObject(
        help_text="By sub-metric: n, exclusions and figures. An undefined figure has the value null and a reason."
    )
    people = JSONObject(help_text="People among each other: by pair, and the ceiling.")
    first_failure = JSONObject(help_text="Whether the first failing turn is the same.")


class AgreementRowSerializer(serializers.Serializer[agreement.JudgedTurn]):
    run = serializers.SerializerMethodField()
    position = serializers.SerializerMethodField()
    turn_no = serializers.SerializerMethodField()
    trajectory = serializers.IntegerField(source="trajectory_id")
    path = serializers.CharField()
    turn_key = serializers.CharField()
    machine = serializers.SerializerMethodField()
    human = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.UUID)
    def get_run(self, turn: agreement.JudgedTurn) -> str | None:
        return str(turn.item.run_id) if turn.item is not None else None

    def get_position(self, turn: agreement.JudgedTurn) -> int | None:
        return turn.item.position if turn.item is not None else None

    def get_turn_no(self, turn: agreement.JudgedTurn) -> int | None:
        return turn.verdict.turn_no if turn.verdict is not None else None

    @extend_schema_field({})
    def get_machine(self, turn: agreement.JudgedTurn) -> Any:
        return agreement.machine_value(turn, self.context["sub_metric"])

    @extend_schema_field({})
    def get_human(self, turn: agreement.JudgedTurn) -> Any:
        return agreement.people_value(turn, self.context["sub_metric"], reference=self.context["reference"])


class Agreement(Endpoint):
    @agreeing(
        "get_agreement",
        "How far machine and people agree, per sub-metric. Not for blinded annotators.",
        query=AgreementQuery,
        answers=AgreementSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_sighted_viewer(self.user, slug)
        wanted = self.query(AgreementQuery)
        chosen = chosen_runs(viewer, wanted)
        people = agreement.people_of(chosen)
        report = agreement.report(chosen, reference=_reference(wanted, people))
        return Response(
            {
                "runs": [str(run.pk) for run in chosen],
                "labellers": [PersonSerializer(person).data for person in people],
                **report.as_json(),
            }
        )


class AgreementRows(Endpoint):
    @agreeing(
        "list_agreement_rows",
        "The turns behind a figure.",
        query=AgreementRowsQuery,
        answers=AgreementRowSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_sighted_viewer(self.user, slug)
        wanted = self.query(AgreementRowsQuery)
        chosen = chosen_runs(viewer, wanted)
        reference = _reference(wanted, agreement.people_of(chosen))
        found = agreement.matching(
            agreement.judged_turns(chosen),
            sub_metric=wanted["sub_metric"],
            reference=reference,
            machine=wanted.get("machine", ""),
            human=wanted.get("human", ""),
        )
        return self.page_of_list(found, AgreementRowSerializer, sub_metric=wanted["sub_metric"], reference=reference)


def _reference(wanted: dict[str, Any], people: list[Any]) -> str:
    asked: str = wanted["reference"]
    if asked != agreement.FINAL and asked not in {str(person.pk) for person in people}:
        raise ValidationError({"reference": "Nobody of that id has labelled these runs."})
    return asked


_ITEM = "runs/<uuid:run_id>/items/<int:position>/"
_TURN = f"{_ITEM}turns/<int:turn_no>/"
urlpatterns: list[Any] = [
    path(_ITEM, ItemDetail.as_view(), name="item-detail"),
    path(f"{_ITEM}undo-label/", LabelUndo.as_view(), name="label-undo"),
    path(f"{_TURN}label/", TurnLabelDetail.as_view(), name="label-detail"),
    path(f"{_TURN}decision/", TurnDecision.as_view(), name="decision-detail"),
    path(f"{_TURN}decision/example/", TurnDecisionExample.as_view(), name="decision-example"),
    path("projects/<slug:slug>/adjudication/", AdjudicationList.as_view(), name="adjudication-list"),
    path("projects/<slug:slug>/agreement/", Agreement.as_view(), name="agreement"),
    path("projects/<slug:slug>/agreement/rows/", AgreementRows.as_view(), name="agreement-rows"),
]
