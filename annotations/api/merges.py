"""Merging several people's goldens of one conversation, as on the page: without names until it is finished."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.urls import path
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access, merging
from annotations.api.base import (
    Endpoint,
    ExactJSON,
    Input,
    JSONObject,
    Nothing,
    PageQuery,
    operation,
)
from annotations.api.datasets import GoldenRecordSerializer
from annotations.models import Capability, FailureReasonChoice, Merge, MergeDecision
from annotations.services import merges
from annotations.services.merges import Board, Entry, Waiting

merging_operation = partial(operation, tag="merges")


# --- rows ---


class MergeDecisionSerializer(serializers.Serializer[Any]):
    choice = JSONObject()
    reason = serializers.CharField()
    revision = serializers.IntegerField()
    decided_by = serializers.CharField(source="decided_by.username")
    decided_at = serializers.DateTimeField()


class MergeVersionSerializer(serializers.Serializer[Any]):
    letter = serializers.CharField()
    digest = serializers.CharField(allow_null=True, help_text="To be named in `take`; null: it lacks the item.")
    body = ExactJSON(help_text="As it is written, with the ids of the merged golden.")
    said = serializers.DictField(
        child=serializers.CharField(), help_text="The digest of each field that differs; `-` where it is not there."
    )
    goldens = serializers.IntegerField(help_text="How many say so.")
    annotators = serializers.ListField(child=serializers.CharField(), help_text="Empty until the merge is finished.")


class MergeItemSerializer(serializers.Serializer[Any]):
    token = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    turn_no = serializers.IntegerField(allow_null=True)
    is_equal = serializers.BooleanField()
    fingerprint = serializers.CharField()
    open_again_because = serializers.CharField(allow_blank=True)
    can_unite = serializers.ListField(
        child=serializers.CharField(), help_text="Fields of which all accepted values can be taken: `both`."
    )
    versions = MergeVersionSerializer(many=True)
    decision = MergeDecisionSerializer(allow_null=True)


class MergeCountSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    equal = serializers.IntegerField()
    n = serializers.IntegerField()
    share = serializers.IntegerField(allow_null=True, help_text="In percent; null where n is 0.")


class MergeSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    conversation = serializers.IntegerField()
    revision = serializers.IntegerField()
    goldens = serializers.IntegerField(help_text="How many are merged.")
    progress = serializers.CharField()
    is_finished = serializers.BooleanField()
    problems = serializers.ListField(child=serializers.CharField(), help_text="Why it cannot be accepted now.")
    notes = serializers.ListField(child=serializers.CharField())
    in_force = serializers.IntegerField(allow_null=True, help_text="The number of the golden in force now.")
    kept = serializers.ListField(
        child=serializers.CharField(), help_text="Settings of the golden in force that the goldens say nothing of."
    )
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="What accepting it changes of the golden in force."
    )
    golden_record = serializers.IntegerField(allow_null=True, help_text="The number of what came into force last.")
    result = serializers.UUIDField(allow_null=True, help_text="The golden that came of it.")
    agreement = MergeCountSerializer(many=True)
    items = MergeItemSerializer(many=True)


class MergeWaitingSerializer(serializers.Serializer[Any]):
    conversation = serializers.IntegerField(source="conversation.pk")
    goldens = serializers.IntegerField(source="count")
    merge = serializers.UUIDField(source="merge.pk", allow_null=True, default=None)


def shown(board: Board) -> dict[str, Any]:
    """A merge as the API answers it."""
    merge = board.merge
    return {
        "id": merge.pk,
        "conversation": merge.conversation_id,
        "revision": merge.revision,
        "goldens": len(board.sources),
        "progress": board.progress,
        "is_finished": board.is_finished,
        "problems": [problem.reason for problem in board.made.problems],
        "notes": list(board.made.notes),
        "in_force": board.in_force.number if board.in_force is not None else None,
        "kept": board.kept_words,
        "changes": _changes(board),
        "golden_record": merge.record.number if merge.record is not None else None,
        "result": merge.result_id,
        "agreement": merges.agreement_rows(merge.agreement),
        "items": [_item(entry) for entry in board.entries],
    }


def _changes(board: Board) -> list[str]:
    changes = board.changes()
    if changes is None:
        return []
    return [*(f"{turn.name}: {text}" for turn in changes.turns for text in turn.texts), *changes.whole_texts]


def _item(entry: Entry) -> dict[str, Any]:
    item = entry.item
    versions = []
    for side in entry.sides:
        variant = side.variant
        parts = variant.parts if variant is not None else {}
        said = {key: parts[key].digest if key in parts else merging.ABSENT for key in item.differing}
        versions.append(
            {
                "letter": side.letter,
                "digest": variant.digest if variant is not None else None,
                "body": variant.raw if variant is not None else None,
                "said": said if variant is not None else {},
                "goldens": side.people,
                "annotators": list(side.names),
            }
        )
    return {
        "token": item.token,
        "kind": item.kind,
        "name": item.name,
        "turn_no": item.turn_no,
        "is_equal": item.is_equal,
        "fingerprint": item.fingerprint,
        "open_again_because": entry.again_because,
        "can_unite": [key for key in item.differing if merging.united(item, key) is not None],
        "versions": versions,
        "decision": entry.decision,
    }


class MergeConflictSerializer(serializers.BaseSerializer[Any]):
    """What is there now: a decision, or the merge's revision."""

    def to_representation(self, row: Any) -> Any:
        if isinstance(row, MergeDecision) and row.revision:
            return MergeDecisionSerializer(row).data
        return {"revision": row.revision}


# --- bodies ---


class MergeDecideInput(Input):
    seen_revision = serializers.IntegerField(min_value=0, help_text="Of the decision one saw; 0 where there was none.")
    choice = JSONObject(
        help_text='`{"take": digest}`, `{"fields": {name: digest or "both"}}` for each field that differs, '
        'or `{"out": true}`.'
    )
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=merges.REASON_LENGTH)
    fingerprint = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="Of the item one saw; refused where it has changed."
    )


class MergeAcceptInput(Input):
    seen_revision = serializers.IntegerField(min_value=0, help_text="Of the merge.")
    seen_in_force = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text="The number of the golden in force when you looked, 0 for none: refused where it is another now.",
    )


class MergeExampleInput(Input):
    reason_code = serializers.ChoiceField(
        choices=FailureReasonChoice.choices, required=False, help_text="Under which heading of the guideline."
    )


# --- endpoints ---


class MergeList(Endpoint):
    @merging_operation(
        "list_merges_waiting",
        "Conversations with several goldens to merge, the oldest first.",
        query=PageQuery,
        answers=MergeWaitingSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        self.query(PageQuery)
        found: list[Waiting] = merges.waiting(viewer.project)
        return self.page_of_list(found, MergeWaitingSerializer)


class ConversationMerge(Endpoint):
    @merging_operation(
        "start_merge",
        "The merge of a conversation's goldens: the one that there is, or a new one.",
        body=Nothing,
        answers=MergeSerializer,
        status=201,
    )
    def post(self, request: Request, pk: int) -> Response:
        _, conversation = access.get_conversation_or_404(self.user, pk, require=Capability.ADJUDICATE)
        self.body(Nothing)
        merge = merges.start(conversation=conversation, by=self.user)
        return self.answer(MergeSerializer, shown(merges.board_of(merge)), status=201)


class _Merge(Endpoint):
    """An address under a merge."""

    conflict_row = MergeConflictSerializer

    def merge(self, merge_id: UUID) -> Merge:
        return access.get_merge_or_404(self.user, merge_id)[1]

    def shown(self, merge_id: UUID) -> Response:
        return self.answer(MergeSerializer, shown(merges.board_of(self.merge(merge_id))))


class MergeDetail(_Merge):
    @merging_operation("get_merge", "A merge: what differs, what is decided, what is open.", answers=MergeSerializer)
    def get(self, request: Request, merge_id: UUID) -> Response:
        return self.shown(merge_id)


class MergeItem(_Merge):
    @merging_operation(
        "decide_merge_item",
        "Decide one item of a merge.",
        body=MergeDecideInput,
        answers=MergeSerializer,
        conflict=True,
    )
    def put(self, request: Request, merge_id: UUID, token: str) -> Response:
        merge = self.merge(merge_id)
        given = self.body(MergeDecideInput)
        merges.decide(
            merge=merge, token=token, seen=given.pop("seen_revision"), by=self.user, now=timezone.now(), **given
        )
        return self.shown(merge_id)


class MergeExample(_Merge):
    @merging_operation(
        "add_merge_example",
        "Make the reason of a decision an example of the guideline, which gets a new version.",
        body=MergeExampleInput,
        answers=MergeSerializer,
    )
    def post(self, request: Request, merge_id: UUID, token: str) -> Response:
        merge = self.merge(merge_id)
        code = self.body(MergeExampleInput).get("reason_code", "")
        merges.add_example(merge=merge, token=token, by=self.user, reason_code=code)
        return self.shown(merge_id)


class MergeEqual(_Merge):
    @merging_operation(
        "accept_equal_items",
        "Accept all that is the same in all goldens and not decided yet.",
        body=Nothing,
        answers=MergeSerializer,
    )
    def post(self, request: Request, merge_id: UUID) -> Response:
        merge = self.merge(merge_id)
        self.body(Nothing)
        merges.accept_equal(merge=merge, by=self.user, now=timezone.now())
        return self.shown(merge_id)


class MergeUndo(_Merge):
    @merging_operation(
        "undo_merge_decision", "Take back one's own newest decision of it.", body=Nothing, answers=MergeSerializer
    )
    def post(self, request: Request, merge_id: UUID) -> Response:
        merge = self.merge(merge_id)
        self.body(Nothing)
        merges.undo(merge=merge, by=self.user)
        return self.shown(merge_id)


class MergeWorkbench(_Merge):
    @merging_operation(
        "write_merge_result",
        "Write what was decided as a golden of one's own, `result`, to be edited before the merge is accepted.",
        body=Nothing,
        answers=MergeSerializer,
    )
    def post(self, request: Request, merge_id: UUID) -> Response:
        merge = self.merge(merge_id)
        self.body(Nothing)
        merges.to_workbench(merge=merge, by=self.user)
        return self.shown(merge_id)


class MergeAccept(_Merge):
    @merging_operation(
        "accept_merge",
        "Make the result the golden in force of its conversation.",
        body=MergeAcceptInput,
        answers=GoldenRecordSerializer,
        conflict=True,
    )
    def post(self, request: Request, merge_id: UUID) -> Response:
        merge = self.merge(merge_id)
        given = self.body(MergeAcceptInput)
        record = merges.accept(
            merge=merge,
            by=self.user,
            seen=given["seen_revision"],
            seen_number=given.get("seen_in_force"),
            now=timezone.now(),
        )
        return self.answer(GoldenRecordSerializer, record)


_MERGE = "merges/<uuid:merge_id>/"
urlpatterns = [
    path("projects/<slug:slug>/merges/", MergeList.as_view(), name="merge-list"),
    path("conversations/<int:pk>/merge/", ConversationMerge.as_view(), name="conversation-merge"),
    path(_MERGE, MergeDetail.as_view(), name="merge-detail"),
    path(f"{_MERGE}items/<slug:token>/", MergeItem.as_view(), name="merge-item"),
    path(f"{_MERGE}items/<slug:token>/example/", MergeExample.as_view(), name="merge-example"),
    path(f"{_MERGE}equal/", MergeEqual.as_view(), name="merge-equal"),
    path(f"{_MERGE}undo/", MergeUndo.as_view(), name="merge-undo"),
    path(f"{_MERGE}workbench/", MergeWorkbench.as_view(), name="merge-workbench"),
    path(f"{_MERGE}accept/", MergeAccept.as_view(), name="merge-accept"),
]
