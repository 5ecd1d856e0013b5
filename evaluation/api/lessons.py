"""Lessons of decisions: values that somebody called equal, or never equal, and what was scored again for it."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.base import Endpoint, ExactJSON, Input, Nothing, PageQuery, PersonSerializer, Row, operation
from annotations.models import Capability
from annotations.services.errors import WorkbenchError
from evaluation import access, tasks
from evaluation.models import EvaluationRun, Lesson, LessonKind
from evaluation.services import lessons, review

learning = partial(operation, tag="lessons")


class LessonSerializer(Row):
    words = serializers.SerializerMethodField(help_text="What was learned, in one sentence.")
    run = serializers.UUIDField(source="run_id", read_only=True)
    trajectory = serializers.IntegerField(source="trajectory_id", read_only=True)
    golden_record = serializers.IntegerField(
        source="golden_record_id", read_only=True, allow_null=True, help_text="The golden that accepts the value."
    )
    vocabulary = serializers.IntegerField(
        source="vocabulary.number",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="The number of the project's vocabulary that the entry came with.",
    )
    rescored_in = serializers.UUIDField(
        source="rescored_in_id",
        read_only=True,
        allow_null=True,
        help_text="The run that scores what it touches again. Null where that was not done, or could not be.",
    )
    learned_by = PersonSerializer(read_only=True)
    taken_back_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = Lesson
        fields: tuple[str, ...] = (
            "id",
            "kind",
            "words",
            "run",
            "trajectory",
            "path",
            "turn_key",
            "field",
            "is_for_field",
            "expected",
            "observed",
            "reason",
            "golden_record",
            "vocabulary",
            "rescored_in",
            "learned_by",
            "learned_at",
            "taken_back_by",
            "taken_back_at",
        )
        read_only_fields = fields

    def get_words(self, row: Lesson) -> str:
        return lessons.words_of(row)


class LearnedSerializer(LessonSerializer):
    not_scored_again = serializers.SerializerMethodField(
        help_text="Why what it touches was not scored again; empty where it is."
    )

    class Meta(LessonSerializer.Meta):
        fields = (*LessonSerializer.Meta.fields, "not_scored_again")
        read_only_fields = fields

    def get_not_scored_again(self, row: Lesson) -> str:
        return str(self.context.get("not_scored_again", ""))


class LessonInput(Input):
    kind = serializers.ChoiceField(
        choices=LessonKind.choices,
        help_text="`accepted` adds the value to the golden in force, the others add the pair to the vocabulary.",
    )
    run = serializers.UUIDField(help_text="The run in which the pair came up.")
    position = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    turn_no = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    field = serializers.CharField(max_length=1000, help_text="The parameter.")
    expected = ExactJSON(
        required=False,
        allow_null=True,
        help_text="Which of the accepted values; may be left out where there is one only.",
    )
    is_for_field = serializers.BooleanField(
        required=False, default=True, help_text="Whether an entry holds for this field only."
    )
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=10_000)
    score_again = serializers.BooleanField(
        required=False, default=True, help_text="Whether what it touches is scored again at once."
    )


class TouchedSerializer(serializers.Serializer[lessons.Touched]):
    position = serializers.IntegerField(source="item.position")
    trajectory = serializers.IntegerField(source="item.trajectory_id")
    key = serializers.CharField(source="item.trajectory.conversation.key", help_text="Of the conversation.")
    turn_no = serializers.IntegerField()
    passed = serializers.BooleanField(allow_null=True, help_text="What the run says of the turn.")
    ambiguous = serializers.BooleanField()


class TouchedQuery(PageQuery):
    run = serializers.UUIDField(required=False, help_text="Another run of the project; left out, the lesson's.")


class SaidSerializer(serializers.Serializer[lessons.Said]):
    passed = serializers.BooleanField(allow_null=True)
    skipped = serializers.BooleanField()
    failure_reason = serializers.CharField(allow_blank=True)
    ambiguous = serializers.BooleanField()


class LessonChangeSerializer(serializers.Serializer[lessons.Changed]):
    position = serializers.IntegerField(source="item.position", help_text="In the run that scored again.")
    position_before = serializers.IntegerField(allow_null=True, help_text="In the run that it follows.")
    trajectory = serializers.IntegerField(source="item.trajectory_id")
    turn_no = serializers.IntegerField()
    is_other = serializers.BooleanField(help_text="Whether the two runs say something else.")
    before = serializers.SerializerMethodField()
    after = serializers.SerializerMethodField(help_text="Null as long as it is not scored.")

    @extend_schema_field(SaidSerializer(allow_null=True))
    def get_before(self, row: lessons.Changed) -> Any:
        return None if row.before is None else SaidSerializer(row.before).data

    @extend_schema_field(SaidSerializer(allow_null=True))
    def get_after(self, row: lessons.Changed) -> Any:
        return None if row.after is None else SaidSerializer(row.after).data


class LessonList(Endpoint):
    @learning(
        "list_lessons",
        "What decisions taught in a project, the newest first.",
        query=PageQuery,
        answers=LessonSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug)
        self.query(PageQuery)
        rows = (
            Lesson.objects.filter(project=viewer.project)
            .select_related("trajectory__conversation", "vocabulary", "learned_by", "taken_back_by")
            .defer("trajectory__body", "trajectory__metadata", "trajectory__extra", "vocabulary__body")
        )
        return self.page(rows, LessonSerializer, order=("-learned_at", "id"))

    @learning(
        "create_lesson",
        "Learn from a pair of values of a turn: accept what the agent gave in this field, or call the pair equal or "
        "never equal in the project. What that touches is scored again in a run of its own.",
        body=LessonInput,
        answers=LearnedSerializer,
        status=201,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug, require=Capability.ADJUDICATE)
        given = self.body(LessonInput)
        if not EvaluationRun.objects.filter(project=viewer.project, pk=given["run"]).exists():
            raise ValidationError({"run": "This project has no such run."})
        try:
            _, item = access.get_run_item_or_404(
                self.user, given["run"], given["position"], require=Capability.ADJUDICATE
            )
        except Http404:
            raise ValidationError({"position": "The run has no such trajectory."}) from None
        page = review.build(item, viewer, turn_no=given["turn_no"])
        if page.current is None or page.current.turn_no != given["turn_no"]:
            raise ValidationError({"turn_no": "There is no such turn."})
        detail = page.current.detail or {}
        pairs = [
            pair
            for pair in lessons.pairs_of(page.current.golden, detail.get("items", []))
            if pair.field == given["field"] and ("expected" not in given or pair.expected == given["expected"])
        ]
        if not pairs:
            raise ValidationError({"field": "In this field nothing stands beside an accepted value that differs."})
        if len(pairs) > 1 and given["kind"] != LessonKind.ACCEPTED:
            raise ValidationError({"expected": "The golden accepts several values here: say which one is meant."})
        made = lessons.learn(
            kind=given["kind"],
            item=item,
            path=page.path,
            turn_key=page.current.key,
            pair=pairs[0],
            by=self.user,
            is_for_field=given["is_for_field"],
            reason=given["reason"],
        )
        refused = _score_again(made, self.user) if given["score_again"] else "It was not asked for."
        _, made = access.get_lesson_or_404(self.user, made.pk)
        return self.answer(LearnedSerializer, made, status=201, not_scored_again=refused)


def _score_again(lesson: Lesson, by: Any) -> str:
    try:
        lessons.score_again(lesson=lesson, by=by)
    except WorkbenchError as error:
        return str(error)
    tasks.ring()
    return ""


class LessonDetail(Endpoint):
    @learning("get_lesson", "What was learned, from what, by whom.", answers=LessonSerializer)
    def get(self, request: Request, lesson_id: UUID) -> Response:
        _, lesson = access.get_lesson_or_404(self.user, lesson_id)
        return self.answer(LessonSerializer, lesson)


class LessonTakeBack(Endpoint):
    @learning(
        "take_lesson_back",
        "Undo a lesson: the value leaves the golden in force, or the entry the vocabulary. Runs stay as they are.",
        body=Nothing,
        answers=LessonSerializer,
    )
    def post(self, request: Request, lesson_id: UUID) -> Response:
        _, lesson = access.get_lesson_or_404(self.user, lesson_id, require=Capability.ADJUDICATE)
        self.body(Nothing)
        lessons.take_back(lesson=lesson, by=self.user)
        _, lesson = access.get_lesson_or_404(self.user, lesson_id)
        return self.answer(LessonSerializer, lesson)


class LessonScoreAgain(Endpoint):
    @learning(
        "score_lesson_again",
        "Score what the lesson touches again, where that was not done yet.",
        body=Nothing,
        answers=LessonSerializer,
    )
    def post(self, request: Request, lesson_id: UUID) -> Response:
        _, lesson = access.get_lesson_or_404(self.user, lesson_id, require=Capability.ADJUDICATE)
        self.body(Nothing)
        lessons.score_again(lesson=lesson, by=self.user)
        tasks.ring()
        _, lesson = access.get_lesson_or_404(self.user, lesson_id)
        return self.answer(LessonSerializer, lesson)


class LessonTouched(Endpoint):
    @learning(
        "list_touched",
        "The turns of a run that a lesson touches, with what that run says of them.",
        query=TouchedQuery,
        answers=TouchedSerializer,
        is_page=True,
    )
    def get(self, request: Request, lesson_id: UUID) -> Response:
        viewer, lesson = access.get_lesson_or_404(self.user, lesson_id)
        wanted = self.query(TouchedQuery)
        run: EvaluationRun | None = lesson.run
        if "run" in wanted:
            run = EvaluationRun.objects.filter(project=viewer.project, pk=wanted["run"]).first()
        if run is None:
            raise ValidationError({"run": "This project has no such run."})
        return self.page_of_list(list(lessons.touched_by(lesson, run)), TouchedSerializer)


class LessonChanges(Endpoint):
    @learning(
        "list_lesson_changes",
        "Old and new verdict of each turn that was scored again for a lesson; what changed comes first.",
        query=PageQuery,
        answers=LessonChangeSerializer,
        is_page=True,
    )
    def get(self, request: Request, lesson_id: UUID) -> Response:
        _, lesson = access.get_lesson_or_404(self.user, lesson_id)
        self.query(PageQuery)
        found = lessons.changes(lesson.rescored_in) if lesson.rescored_in is not None else []
        return self.page_of_list(sorted(found, key=lambda one: not one.is_other), LessonChangeSerializer)


urlpatterns: list[Any] = [
    path("projects/<slug:slug>/lessons/", LessonList.as_view(), name="lesson-list"),
    path("lessons/<uuid:lesson_id>/", LessonDetail.as_view(), name="lesson-detail"),
    path("lessons/<uuid:lesson_id>/take-back/", LessonTakeBack.as_view(), name="lesson-take-back"),
    path("lessons/<uuid:lesson_id>/score-again/", LessonScoreAgain.as_view(), name="lesson-score-again"),
    path("lessons/<uuid:lesson_id>/touched/", LessonTouched.as_view(), name="lesson-touched"),
    path("lessons/<uuid:lesson_id>/changes/", LessonChanges.as_view(), name="lesson-changes"),
]
