"""What has changed, in words, and bringing it back: as the pages say and do it."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.api.base import Endpoint, Input, PageQuery, PersonSerializer, operation, page_of_list
from annotations.api.datasets import GoldenRecordSerializer
from annotations.models import Capability
from annotations.sentences import text_of
from annotations.services import comparing, restoring
from annotations.services.comparing import Entry

datasets = partial(operation, tag="datasets")
recorded = partial(operation, tag="conversations")
writing = partial(operation, tag="goldens")
_STATES = ("changed", "added", "removed")


class TurnWordsSerializer(serializers.Serializer[Any]):
    turn = serializers.CharField(source="name", help_text="As people call it: Turn 3.")
    path = serializers.CharField(help_text="Empty where there is only one.")
    state = serializers.ChoiceField(choices=_STATES)
    sentences = serializers.ListField(source="texts", child=serializers.CharField())


class ConversationChangeSerializer(serializers.Serializer[Any]):
    conversation = serializers.IntegerField(source="conversation.pk")
    key = serializers.CharField(source="conversation.key")
    state = serializers.ChoiceField(choices=_STATES)
    before = serializers.IntegerField(source="before.number", allow_null=True, help_text="Number of the golden.")
    after = serializers.IntegerField(source="after.number", allow_null=True)
    has_other_tools = serializers.BooleanField()
    turns = TurnWordsSerializer(source="change.turns", many=True)
    whole = serializers.ListField(
        source="change.whole_texts", child=serializers.CharField(), help_text="Of the conversation as a whole."
    )


class ChangesQuery(PageQuery):
    since = serializers.IntegerField(
        required=False, min_value=0, help_text="The earlier version; 0 for nothing, the one before if left out."
    )
    to = serializers.IntegerField(
        required=False, min_value=1, help_text="The later version; if left out, the goldens that are in force now."
    )


class DatasetChanges(Endpoint):
    @datasets(
        "list_dataset_changes",
        "Which goldens differ between two versions, in words. Not for blinded annotators.",
        query=ChangesQuery,
        answers=ConversationChangeSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, dataset_slug: str) -> Response:
        viewer, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug)
        access.require_sighted(viewer)
        asked = self.query(ChangesQuery)
        versions = list(dataset.versions.order_by("-number"))
        to, since = comparing.chosen_versions(versions, str(asked.get("to", "")), str(asked.get("since", "")))
        before = comparing.records_of(since) if since else {}
        after = comparing.records_of(to) if to else comparing.in_force(dataset)
        moved, links = page_of_list(request, comparing.moved(before, after))
        shown = ConversationChangeSerializer(comparing.in_words(moved), many=True)
        return Response({**links, "results": shown.data})


class RestoredSerializer(serializers.Serializer[Any]):
    change = serializers.IntegerField(help_text="Names it to `undo_restore`.")
    restored = serializers.IntegerField(help_text="Conversations whose golden in force is another one now.")
    left = serializers.ListField(
        child=serializers.CharField(), help_text="Conversations whose tools are others now; they keep what they have."
    )


class VersionRestore(Endpoint):
    @datasets("restore_version", "Make the goldens of a version those in force again.", answers=RestoredSerializer)
    def post(self, request: Request, slug: str, dataset_slug: str, number: int) -> Response:
        _, version = access.get_dataset_version_or_404(self.user, slug, dataset_slug, number, require=Capability.MANAGE)
        change, left = restoring.restore_version(version=version, by=self.user)
        return Response({"change": change.pk, "restored": len(change.after["in_force"]), "left": left})


class RestoreUndo(Endpoint):
    @datasets(
        "undo_restore",
        "Take back that a version was restored, as long as nothing newer was accepted.",
        answers=RestoredSerializer,
    )
    def post(self, request: Request, slug: str, dataset_slug: str, pk: int) -> Response:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug, require=Capability.MANAGE)
        count = restoring.undo_restore(dataset=dataset, change_pk=pk, by=self.user)
        return Response({"change": pk, "restored": count, "left": []})


class RecordRestoreInput(Input):
    seen_number = serializers.IntegerField(
        min_value=0, help_text="The golden that was in force when you looked; 0 for none."
    )


class GoldenRecordRestore(Endpoint):
    @recorded(
        "restore_golden_record",
        "Make an accepted golden the one in force again.",
        body=RecordRestoreInput,
        answers=GoldenRecordSerializer,
    )
    def post(self, request: Request, pk: int, number: int) -> Response:
        viewer, conversation = access.get_conversation_or_404(self.user, pk, require=Capability.ADJUDICATE)
        access.require_sighted(viewer)
        given = self.body(RecordRestoreInput)
        record = conversation.golden_records.select_related("created_by").filter(number=number).first()
        if record is None:
            raise Http404("This conversation has no such golden.")
        return self.answer(GoldenRecordSerializer, restoring.restore_record(record=record, by=self.user, **given))


class StepSerializer(serializers.Serializer[Any]):
    turn = serializers.IntegerField(source="turn_pk")
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=(*_STATES, "seen"))
    sentences = serializers.SerializerMethodField()

    def get_sentences(self, step: comparing.Step) -> list[str]:
        return [text_of(sentence) for sentence in step.sentences]


class GoldenHistorySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    actor = PersonSerializer(allow_null=True)
    words = serializers.CharField()
    turns = StepSerializer(source="steps", many=True)
    whole = serializers.SerializerMethodField(help_text="Of the conversation as a whole.")

    def get_whole(self, entry: Entry) -> list[str]:
        return [text_of(sentence) for sentence in entry.whole]


class GoldenHistoryQuery(PageQuery):
    turn = serializers.IntegerField(required=False, min_value=1, help_text="Only what became of this turn.")


class GoldenHistory(Endpoint):
    @writing(
        "list_golden_history",
        "Who changed what in a golden, in words, the newest first.",
        query=GoldenHistoryQuery,
        answers=GoldenHistorySerializer,
        is_page=True,
    )
    def get(self, request: Request, golden_id: UUID) -> Response:
        _, golden = access.get_golden_or_404(self.user, golden_id)
        only = self.query(GoldenHistoryQuery).get("turn")
        turns = {turn.pk: turn for turn in golden.turns.all()}
        changes = comparing.history_of(golden)
        if only is None:
            found, links = page_of_list(request, list(changes))
            entries = [comparing.entry_of(change, turns) for change in found]
        else:
            every = (comparing.entry_of(change, turns, only=only) for change in changes)
            entries, links = page_of_list(request, [entry for entry in every if entry.steps])
        return Response({**links, "results": GoldenHistorySerializer(entries, many=True).data})


_DATASET = "projects/<slug:slug>/datasets/<slug:dataset_slug>/"
urlpatterns = [
    path(f"{_DATASET}changes/", DatasetChanges.as_view(), name="dataset-changes"),
    path(f"{_DATASET}versions/<int:number>/restore/", VersionRestore.as_view(), name="version-restore"),
    path(f"{_DATASET}restores/<int:pk>/undo/", RestoreUndo.as_view(), name="restore-undo"),
    path(
        "conversations/<int:pk>/golden-records/<int:number>/restore/",
        GoldenRecordRestore.as_view(),
        name="golden-record-restore",
    ),
    path("goldens/<uuid:golden_id>/history/", GoldenHistory.as_view(), name="golden-history"),
]
