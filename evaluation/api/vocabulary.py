"""A project's vocabulary, number by number, and a pair compared by the offline scorer. Annotators do without both."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.base import (
    Endpoint,
    ExactJSON,
    Input,
    JSONObject,
    PageQuery,
    PersonSerializer,
    Row,
    operation,
)
from annotations.api.errors import Refused
from evaluation import access
from evaluation.formats import jsonio
from evaluation.forms.vocabulary import LONGEST_REPLY, LONGEST_VALUE
from evaluation.models import Vocabulary
from evaluation.services import lookups, vocabularies

wording = partial(operation, tag="vocabulary")


class VocabularySerializer(Row):
    created_by = PersonSerializer(read_only=True, allow_null=True)

    class Meta:
        model = Vocabulary
        fields: tuple[str, ...] = ("number", "body", "content_hash", "created_by", "created_at")
        read_only_fields = fields


class VocabularyDetailSerializer(VocabularySerializer):
    changes = serializers.SerializerMethodField(help_text="What it changed, against the number before it, in words.")

    class Meta(VocabularySerializer.Meta):
        fields = (*VocabularySerializer.Meta.fields, "changes")
        read_only_fields = fields

    def get_changes(self, row: Vocabulary) -> list[str]:
        before = Vocabulary.objects.filter(project=row.project_id, number__lt=row.number).order_by("-number").first()
        return vocabularies.differences(before.body if before else {}, row.body)


class CurrentVocabularySerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The newest number; 0 where the project added nothing.")
    body = JSONObject(help_text="`equal`, `different`, `opposites` and `fillers`, beyond the built-in lists.")


class VocabularyInput(Input):
    body = JSONObject(help_text="All entries; what is left out is removed.")
    seen_number = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="The newest number when the edit began, 0 for none."
    )
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True, help_text="Why.")


class VocabularyCurrent(Endpoint):
    conflict_row = VocabularySerializer

    @wording("get_vocabulary", "The vocabulary that new runs know.", answers=CurrentVocabularySerializer)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug)
        newest = vocabularies.latest(viewer.project)
        shown = {"number": newest.number, "body": newest.body} if newest else {"number": 0, "body": {}}
        return self.answer(CurrentVocabularySerializer, shown)

    @wording(
        "save_vocabulary",
        "The next number of the vocabulary. What says the same as the newest gives that one again.",
        body=VocabularyInput,
        answers=VocabularyDetailSerializer,
        conflict=True,
    )
    def put(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug)
        try:
            made = vocabularies.create(project=viewer.project, by=self.user, **self.body(VocabularyInput))
        except vocabularies.VocabularyRefusedError as error:
            raise Refused(str(error), errors=_by_place(error.faults)) from error
        return self.answer(VocabularyDetailSerializer, made)


def _by_place(faults: list[str]) -> dict[str, list[str]]:
    """Faults by the place that each names."""
    found: dict[str, list[str]] = {}
    for fault in faults:
        place, colon, reason = fault.partition(": ")
        is_place = bool(colon) and " " not in place
        found.setdefault(f"body.{place}" if is_place else "body", []).append(reason if is_place else fault)
    return found


class VocabularyList(Endpoint):
    @wording(
        "list_vocabularies",
        "All numbers of the vocabulary, the newest first.",
        query=PageQuery,
        answers=VocabularySerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug)
        self.query(PageQuery)
        rows = Vocabulary.objects.filter(project=viewer.project).select_related("created_by")
        return self.page(rows, VocabularySerializer, order=("-number",))


class VocabularyDetail(Endpoint):
    @wording("get_vocabulary_number", "One number, and what it changed.", answers=VocabularyDetailSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        _, found = access.get_vocabulary_or_404(self.user, slug, number)
        return self.answer(VocabularyDetailSerializer, found)


# --- comparing ---


class CompareInput(Input):
    expected = ExactJSON(required=False, allow_null=True, help_text="A value; with `observed`.")
    observed = ExactJSON(required=False, allow_null=True)
    field = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=200, help_text="The parameter; for values only."
    )
    claim = serializers.CharField(required=False, max_length=LONGEST_VALUE, help_text="A claim; with `reply`.")
    reply = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_REPLY)
    language = serializers.ChoiceField(choices=["", "en", "es", "pt"], required=False, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        asked = {name for name in ("expected", "observed", "claim", "reply") if name in attrs}
        if asked not in ({"expected", "observed"}, {"claim", "reply"}):
            raise ValidationError("Give expected and observed, or claim and reply.")
        if "claim" in asked and attrs["field"]:
            raise ValidationError({"field": "A claim has no field."})
        for name in asked & {"expected", "observed"}:
            if len(jsonio.dumps(attrs[name])) > LONGEST_REPLY:
                raise ValidationError({name: f"The value has more than {LONGEST_REPLY:,} characters."})
        return attrs


class JudgedSerializer(serializers.Serializer[lookups.Looked]):
    state = serializers.ChoiceField(
        choices=["equal", "different", "covered", "contradicted", "not_said"],
        help_text="The first two of values, the others of a claim.",
    )
    is_sure = serializers.BooleanField(help_text="False: the layers cannot decide, and the verdict would be ambiguous.")
    score = serializers.SerializerMethodField(help_text="1 or 0 where it is sure, between them a likeness.")
    layer = serializers.CharField(help_text="Which layer decided.")
    sentence = serializers.CharField(help_text="What was found.")
    notes = serializers.ListField(child=serializers.CharField(), help_text="What the other layers found.")
    quote = serializers.CharField(help_text="The part of the reply that answers the claim.")
    known = serializers.ListField(child=serializers.CharField(), help_text="What the word lists know of two texts.")
    version = serializers.CharField(help_text="The version of the words, built-in and the project's.")

    def get_score(self, row: lookups.Looked) -> float:
        return float(Fraction(row.score))


class CompareMeanings(Endpoint):
    @wording(
        "compare_meanings",
        "What the offline scorer says of two values, or of a claim and a reply, as a run of this project would now. "
        "Nothing is kept.",
        body=CompareInput,
        answers=JudgedSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_vocabulary_viewer(self.user, slug)
        given = self.body(CompareInput)
        if "claim" in given:
            looked = lookups.judge_claim(
                viewer.project, claim=given["claim"], reply=given["reply"], language=given["language"]
            )
        else:
            looked = lookups.compare(
                viewer.project,
                expected=given["expected"],
                observed=given["observed"],
                field=given["field"],
                language=given["language"],
            )
        return self.answer(JudgedSerializer, looked)


urlpatterns: list[Any] = [
    path("projects/<slug:slug>/vocabulary/", VocabularyCurrent.as_view(), name="vocabulary"),
    path("projects/<slug:slug>/vocabulary/numbers/", VocabularyList.as_view(), name="vocabulary-list"),
    path("projects/<slug:slug>/vocabulary/numbers/<int:number>/", VocabularyDetail.as_view(), name="vocabulary-detail"),
    path("projects/<slug:slug>/compare-meanings/", CompareMeanings.as_view(), name="compare-meanings"),
]
