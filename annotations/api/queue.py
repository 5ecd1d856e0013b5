"""The queue for those who manage it: all conversations with who holds them, acts on many at once, and their undo."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
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
    found_or_404,
    operation,
    page_of_list,
)
from annotations.models import Capability, Conversation, QueueAction, QueueActionKind, QueueActionRow, User
from annotations.services import queue, queue_actions
from annotations.services.queue_actions import ActionRefusedError

managing = partial(operation, tag="queue")

KINDS = [
    (kind.value, kind.label) for kind in map(QueueActionKind, queue_actions.NEEDS) if kind != QueueActionKind.OVERLAP
]


# --- what is asked ---


class QueueFilter(Input):
    q = serializers.CharField(required=False, help_text="Stands in title, key, goal or the first user message.")
    dataset = serializers.SlugField(required=False)
    language = serializers.CharField(required=False)
    state = serializers.ChoiceField(choices=list(queue.STATES.items()), required=False)
    person = serializers.CharField(required=False, help_text="The username of somebody who has or had a part.")
    priority = serializers.CharField(required=False, help_text="high, normal or low: all of that sort; or a number.")
    reason = serializers.CharField(required=False, help_text="Skipped for this reason.")

    def validate_priority(self, priority: str) -> str:
        if priority not in ("high", "normal", "low"):
            _read_priority(priority)
        return priority


class QueueItemQuery(QueueFilter, PageQuery):
    order = serializers.ChoiceField(
        choices=[order for order in queue.ORDERS if order],
        required=False,
        help_text="`-` turns it round; left out, the order of hand-out.",
    )


class ActInput(Input):
    do = serializers.ChoiceField(choices=KINDS)
    conversations = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        allow_empty=False,
        max_length=10_000,
    )
    matching = QueueFilter(required=False, help_text="All that fit, instead of a list; `{}` is the whole queue.")
    priority = ExactJSON(required=False, help_text="A number from -99 to 99, or high, normal, low. For `priority`.")
    people = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Usernames. For `assign`; else only theirs."
    )
    each = serializers.BooleanField(
        required=False, default=False, help_text="true: a place for each of the people; else for one of them in turn."
    )
    due_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Until when places are kept; without it, for good."
    )
    reason = serializers.CharField(required=False, allow_blank=True, default="", help_text="For `set_aside`.")

    def validate_priority(self, priority: Any) -> int | None:
        if isinstance(priority, bool) or not isinstance(priority, int | str):
            raise ValidationError("A number or a word is expected.")
        return _read_priority(str(priority))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("conversations" in attrs) == ("matching" in attrs):
            raise ValidationError("Name either conversations or what they match.")
        return attrs


def _read_priority(text: str) -> int | None:
    try:
        return queue_actions.read_priority(text)
    except ActionRefusedError as error:
        raise ValidationError(str(error)) from error


def _filters(viewer: Viewer, given: dict[str, Any]) -> queue.Filters:
    asked = {name: given[name] for name in ("q", "dataset", "language", "state", "priority", "reason") if name in given}
    person = None
    if given.get("person"):
        found = User.objects.filter(
            username=given["person"], assignments__conversation__dataset__project=viewer.project
        ).first()
        person = found.pk if found is not None else 0  # somebody without a part matches nothing
    return queue.Filters(person=person, **asked)


def _people(viewer: Viewer, usernames: list[str]) -> list[User]:
    members = {user.username: user for user in queue_actions.annotators_of(viewer.project)}
    unknown = [name for name in usernames if name not in members]
    if unknown:
        raise ValidationError({"people": f"Not an annotator of this project: {', '.join(unknown)}."})
    return [members[name] for name in usernames]


# --- rows ---


class PlaceSerializer(serializers.Serializer[Any]):
    person = PersonSerializer()
    state = serializers.CharField(
        help_text="assigned, in_work, lapsed, done, skipped, released; written: a golden without a place."
    )
    words = serializers.CharField()
    place = serializers.IntegerField(source="assignment.place", allow_null=True)
    lease_until = serializers.DateTimeField(source="assignment.lease_until", allow_null=True)
    reason = serializers.CharField(source="assignment.reason", allow_null=True)
    assigned_at = serializers.DateTimeField(source="assignment.assigned_at", allow_null=True)
    assigned_by = PersonSerializer(source="assignment.assigned_by", allow_null=True)
    due_at = serializers.DateTimeField(source="assignment.due_at", allow_null=True)


class SetAsideSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(source="set_aside_at")
    by = PersonSerializer(source="set_aside_by", allow_null=True)
    reason = serializers.CharField(source="set_aside_reason")


class QueueItemSerializer(serializers.Serializer[Any]):
    conversation = serializers.IntegerField(source="conversation.pk")
    key = serializers.CharField(source="conversation.key")
    title = serializers.CharField(source="conversation.title")
    dataset = serializers.CharField(source="conversation.dataset.slug")
    language = serializers.CharField(source="conversation.language")
    priority = serializers.IntegerField(source="conversation.priority")
    states = serializers.ListField(child=serializers.CharField(), help_text="All that it is now.")
    done = serializers.IntegerField(help_text="People who have done it.")
    overlap = serializers.IntegerField(help_text="People who are asked to do it.")
    set_aside = serializers.SerializerMethodField(help_text="null, or when, by whom and why.")
    places = PlaceSerializer(many=True)

    @extend_schema_field(SetAsideSerializer(allow_null=True))
    def get_set_aside(self, row: queue.Row) -> Any:
        if row.conversation.set_aside_at is None:
            return None
        return SetAsideSerializer(row.conversation, context=self.context).data


class ReasonSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    count = serializers.IntegerField()


class QueueSummarySerializer(serializers.Serializer[Any]):
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Conversations by state.")
    skip_reasons = ReasonSerializer(many=True, help_text="Why conversations are skipped, and how often.")


class RefusalSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    why = serializers.CharField()


class QueueActionSerializer(Row):
    by = PersonSerializer(read_only=True, allow_null=True)
    refused = RefusalSerializer(many=True, read_only=True, help_text="Conversations that it left alone, and why.")
    undoes = serializers.PrimaryKeyRelatedField[QueueAction](read_only=True, allow_null=True)
    undone_at = serializers.DateTimeField(read_only=True, allow_null=True)

    class Meta:
        model = QueueAction
        fields = (
            "id",
            "kind",
            "words",
            "by",
            "at",
            "row_count",
            "unchanged_count",
            "refused",
            "undoes",
            "undone_at",
        )
        read_only_fields = fields


class QueueActionRowSerializer(Row):
    conversation = serializers.PrimaryKeyRelatedField[Conversation](read_only=True)
    before = JSONObject(read_only=True)
    after = JSONObject(read_only=True)

    class Meta:
        model = QueueActionRow
        fields = ("conversation", "before", "after")
        read_only_fields = fields


class OutcomeSerializer(serializers.Serializer[Any]):
    action = QueueActionSerializer(allow_null=True, help_text="What was done; null where nothing had to be changed.")
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Chosen conversations that were so already.")
    refused = RefusalSerializer(many=True)


# --- endpoints ---


class QueueItemList(Endpoint):
    @managing(
        "list_queue",
        "All conversations of the queue, with their state and who holds them. For owners and adjudicators.",
        query=QueueItemQuery,
        answers=QueueItemSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        given, now = self.query(QueueItemQuery), timezone.now()
        found = queue.matching(viewer.project, _filters(viewer, given), now)
        ids = list(queue.ordered(found, given.get("order", "")).values_list("pk", flat=True))
        shown, links = page_of_list(request, ids)
        known = Conversation.objects.select_related("dataset", "set_aside_by").in_bulk(shown)
        rows = queue.rows_of(viewer.project, [known[pk] for pk in shown if pk in known], now)
        said = QueueItemSerializer(rows, many=True, context={"request": request})
        return Response({**links, "results": said.data})


class QueueSummary(Endpoint):
    @managing(
        "get_queue_summary",
        "How many conversations are in each state, and why some are skipped. For owners and adjudicators.",
        answers=QueueSummarySerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        self.query(Nothing)
        found = {
            "counts": queue.counts(viewer.project, timezone.now()),
            "skip_reasons": queue.skip_reasons(viewer.project),
        }
        return self.answer(QueueSummarySerializer, found)


class QueueActionList(Endpoint):
    @managing(
        "list_queue_actions",
        "What managers did to the queue, the newest first.",
        query=PageQuery,
        answers=QueueActionSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        self.query(PageQuery)
        return self.page(queue_actions.undoable(viewer.project), QueueActionSerializer, order=("-pk",))

    @managing(
        "act_on_queue",
        "Change many conversations of the queue at once; the answer names those that were left alone. Priorities and "
        "assignments are for owners.",
        body=ActInput,
        answers=OutcomeSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        given, now = self.body(ActInput), timezone.now()
        access.get_viewer(self.user, viewer.project, require=queue_actions.NEEDS[given["do"]])
        outcome = queue_actions.perform(
            kind=given["do"],
            project=viewer.project,
            by=self.user,
            chosen=self._chosen(viewer, given),
            now=now,
            priority=given.get("priority"),
            people=_people(viewer, given.get("people", [])),
            each=given["each"],
            due_at=given["due_at"],
            reason=given["reason"],
        )
        return self.answer(OutcomeSerializer, _shown(outcome))

    def _chosen(self, viewer: Viewer, given: dict[str, Any]) -> QuerySet[Conversation]:
        if "matching" in given:
            return queue.matching(viewer.project, _filters(viewer, given["matching"]), timezone.now())
        wanted = list(dict.fromkeys(given["conversations"]))
        found = Conversation.objects.in_project(viewer.project).filter(pk__in=wanted)
        missing = sorted(set(wanted) - set(found.values_list("pk", flat=True)))
        if missing:
            raise ValidationError({"conversations": f"There is no conversation {missing[0]} in this project."})
        return found


class QueueActionDetail(Endpoint):
    @managing(
        "list_queue_action_rows",
        "What one act changed, conversation by conversation.",
        query=PageQuery,
        answers=QueueActionRowSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        self.query(PageQuery)
        action = found_or_404(queue_actions.undoable(viewer.project), pk=pk)
        return self.page(action.rows.all(), QueueActionRowSerializer, order=("pk",))


class QueueActionUndo(Endpoint):
    @managing(
        "undo_queue_action",
        "Take an act back. Conversations that somebody changed since are left as they are and named.",
        body=Nothing,
        answers=OutcomeSerializer,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ADJUDICATE)
        self.body(Nothing)
        action: QueueAction = found_or_404(queue_actions.undoable(viewer.project), pk=pk)
        access.get_viewer(self.user, viewer.project, require=queue_actions.may_undo(action))
        outcome = queue_actions.undo(action=action, by=self.user, now=timezone.now())
        return self.answer(OutcomeSerializer, _shown(outcome))


def _shown(outcome: queue_actions.Outcome) -> dict[str, Any]:
    action = outcome.action
    if action is not None:
        action.undone_at = None  # type: ignore[attr-defined]  # as `undoable` has it; it was made this moment
    return {
        "action": action,
        "changed": outcome.changed,
        "unchanged": outcome.unchanged,
        "refused": outcome.refused,
    }


_QUEUE = "projects/<slug:slug>/queue/"
urlpatterns: list[Any] = [
    path(f"{_QUEUE}items/", QueueItemList.as_view(), name="queue-item-list"),
    path(f"{_QUEUE}summary/", QueueSummary.as_view(), name="queue-summary"),
    path(f"{_QUEUE}actions/", QueueActionList.as_view(), name="queue-action-list"),
    path(f"{_QUEUE}actions/<int:pk>/", QueueActionDetail.as_view(), name="queue-action-detail"),
    path(f"{_QUEUE}actions/<int:pk>/undo/", QueueActionUndo.as_view(), name="queue-action-undo"),
]
