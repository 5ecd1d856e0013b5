"""The queue, and goldens as people write them: turn by turn, each save under the revision that it saw."""

from __future__ import annotations

import time
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.urls import path
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access, claims
from annotations.access import Viewer
from annotations.api.base import (
    Endpoint,
    Input,
    JSONList,
    JSONObject,
    Nothing,
    PageQuery,
    PersonSerializer,
    Row,
    found_or_404,
    operation,
)
from annotations.api.datasets import GoldenRecordSerializer
from annotations.drafting import MOST_RUNS
from annotations.models import (
    Assignment,
    Capability,
    Conversation,
    Golden,
    GoldenStatus,
    GoldTurn,
    Trajectory,
    TurnKind,
)
from annotations.services import assignments, claim_trials, effects, gold_turns, goldens, prefills, suggestions
from evaluation.aem import RecordError, ScorerUnavailable, parse_policy

queue = partial(operation, tag="queue")
writing = partial(operation, tag="goldens")


# --- rows ---


class TurnSerializer(Row):
    class Meta:
        model = GoldTurn
        fields = (
            "id",
            "path",
            "position",
            "turn_no",
            "kind",
            "body",
            "observed_index",
            "is_done",
            "revision",
            "updated_at",
        )
        read_only_fields = fields


class SavedTurnSerializer(TurnSerializer):
    note = serializers.SerializerMethodField(
        help_text="A warning where the place has gone to somebody else; else empty."
    )

    class Meta:
        model = GoldTurn
        fields = (*TurnSerializer.Meta.fields, "note")
        read_only_fields = fields

    def get_note(self, row: GoldTurn) -> str:
        return str(self.context["note"])


class GoldenSerializer(Row):
    annotator = PersonSerializer(read_only=True)
    reviewed_by = PersonSerializer(read_only=True, allow_null=True)
    conversation = serializers.PrimaryKeyRelatedField[Conversation](read_only=True)
    source_trajectory = serializers.PrimaryKeyRelatedField[Trajectory](read_only=True, allow_null=True)
    guideline = serializers.IntegerField(source="guideline.number", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Golden
        fields = (
            "id",
            "conversation",
            "annotator",
            "status",
            "source_trajectory",
            "guideline",
            "comment",
            "review_comment",
            "revision",
            "created_at",
            "updated_at",
            "submitted_at",
            "reviewed_by",
            "reviewed_at",
        )
        read_only_fields = fields


class SuggestionCountsSerializer(serializers.Serializer[Any]):
    suggested = serializers.IntegerField()
    accepted = serializers.IntegerField()
    refused = serializers.IntegerField()
    edited = serializers.IntegerField(help_text="Decided in another way.")
    open = serializers.IntegerField()


class GoldenDetailSerializer(GoldenSerializer):
    turns = TurnSerializer(many=True, read_only=True)
    suggestions = serializers.SerializerMethodField(help_text="How many were made, and what became of them.")

    class Meta:
        model = Golden
        fields = (
            *GoldenSerializer.Meta.fields,
            "forbidden",
            "outcome",
            "policy",
            "extra",
            "prefill",
            "suggestions",
            "turns",
        )
        read_only_fields = fields

    @extend_schema_field(SuggestionCountsSerializer)
    def get_suggestions(self, row: Golden) -> Any:
        return SuggestionCountsSerializer(suggestions.counts_of(row)).data


class AssignmentSerializer(Row):
    conversation = serializers.PrimaryKeyRelatedField[Conversation](read_only=True)
    golden = serializers.SerializerMethodField(help_text="One's golden of it, if begun.")

    class Meta:
        model = Assignment
        fields = ("conversation", "state", "lease_until", "reason", "assigned_at", "due_at", "golden")
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.UUID)
    def get_golden(self, row: Assignment) -> str | None:
        found = self.context.get("goldens", {}).get(row.conversation_id)
        return None if found is None else str(found)


def _goldens_of(rows: list[Assignment]) -> dict[str, Any]:
    """What an assignment says of its golden, for all of a page at once."""
    people = {row.annotator_id for row in rows}
    found = Golden.objects.filter(conversation__in=[row.conversation_id for row in rows], annotator__in=people)
    return {"goldens": dict(found.values_list("conversation_id", "pk"))}


def _whole(golden: Golden) -> Golden:
    """The golden with its turns, as it is now."""
    return (
        Golden.objects.select_related("annotator", "reviewed_by", "guideline")
        .prefetch_related("turns")
        .get(pk=golden.pk)
    )


# --- the queue ---


class QueueQuery(Input):
    dataset = serializers.SlugField(required=False)
    language = serializers.CharField(required=False, max_length=20)


class NextQuery(QueueQuery):
    with_returned = serializers.BooleanField(
        required=False, default=True, help_text="false: something new, although a golden of one's own was returned."
    )


class UpNextSerializer(serializers.Serializer[Any]):
    conversation = serializers.IntegerField(source="conversation.pk")
    why = serializers.CharField(help_text="Why this one, in a sentence.")


class QueueSerializer(serializers.Serializer[Any]):
    waiting = serializers.IntegerField(help_text="Conversations that one may take next.")
    next = UpNextSerializer(allow_null=True, help_text="What one would get now; null when nothing is left.")


class NextSerializer(serializers.Serializer[Any]):
    assignment = AssignmentSerializer(allow_null=True)
    golden = GoldenDetailSerializer(allow_null=True)
    why = serializers.CharField(allow_null=True, help_text="Why this one, in a sentence.")


class SkipInput(Input):
    reason = serializers.CharField(max_length=assignments.REASON_LENGTH)


def _choice(viewer: Viewer, given: dict[str, Any]) -> dict[str, Any]:
    choice: dict[str, Any] = {"language": given.get("language", "")}
    if given.get("dataset"):
        choice["dataset"] = viewer.project.datasets.filter(slug=given["dataset"]).first()
        if choice["dataset"] is None:
            raise ValidationError({"dataset": f"There is no dataset {given['dataset']} in this project."})
    return choice


class Queue(Endpoint):
    @queue("get_queue", "How much waits, and what one would get next.", query=QueueQuery, answers=QueueSerializer)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ANNOTATE)
        choice, now = _choice(viewer, self.query(QueueQuery)), timezone.now()
        waiting = assignments.waiting_for(viewer.project, self.user, now, **choice)
        following = assignments.find_next(viewer.project, self.user, now, **choice)
        return self.answer(QueueSerializer, {"waiting": waiting.count(), "next": following})


class QueueMine(Endpoint):
    @queue(
        "list_assignments",
        "The conversations that one has, or had, in work.",
        query=PageQuery,
        answers=AssignmentSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ANNOTATE)
        self.query(PageQuery)
        own = Assignment.objects.filter(conversation__dataset__project=viewer.project, annotator=self.user)
        return self.page(own, AssignmentSerializer, order=("-pk",), prepare=_goldens_of)


class QueueNext(Endpoint):
    @queue(
        "take_next",
        "Take what comes next: a golden of one's own that was returned, then what was assigned to one, then by "
        "priority, then what has been here longest; with a golden drafted from what there is. All is null when nothing "
        "is left.",
        body=NextQuery,
        answers=NextSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.ANNOTATE)
        given, now = self.body(NextQuery), timezone.now()
        choice = {**_choice(viewer, given), "with_returned": given["with_returned"]}
        found = assignments.take_next(viewer.project, self.user, now, **choice)
        if found is None:
            return Response({"assignment": None, "golden": None, "why": None})
        golden = found.golden or goldens.start_for(
            found.conversation, self.user, is_blinded=viewer.is_blinded, has_place=True, now=now
        )
        return self.answer(
            NextSerializer,
            {"assignment": found.assignment, "golden": golden, "why": found.why},
            goldens={found.conversation.pk: golden.pk},
        )


class ConversationRenew(Endpoint):
    @queue("renew_assignment", "Prolong one's lease of a conversation.", body=Nothing, answers=AssignmentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        _, conversation = access.get_conversation_or_404(self.user, pk, require=Capability.ANNOTATE)
        self.body(Nothing)
        own = assignments.renew(conversation, self.user, timezone.now())
        if own is None:
            raise ValidationError("You do not have this conversation in work.")
        return self.answer(AssignmentSerializer, own, **_goldens_of([own]))


class ConversationSkip(Endpoint):
    @queue(
        "skip_conversation",
        "Give a conversation back, saying why. What was written is kept.",
        body=SkipInput,
        answers=AssignmentSerializer,
    )
    def post(self, request: Request, pk: int) -> Response:
        _, conversation = access.get_conversation_or_404(self.user, pk, require=Capability.ANNOTATE)
        own = assignments.skip(conversation, self.user, self.body(SkipInput)["reason"], timezone.now())
        return self.answer(AssignmentSerializer, own, **_goldens_of([own]))


# --- goldens ---


class GoldenQuery(PageQuery):
    status = serializers.ChoiceField(choices=GoldenStatus.choices, required=False)
    conversation = serializers.IntegerField(required=False, min_value=1)
    mine = serializers.BooleanField(required=False, default=False, help_text="Only one's own.")


class StartInput(Input):
    origin = serializers.ChoiceField(
        choices=("nothing", "trajectory", "golden"),
        required=False,
        help_text="What to begin with; left out, the best there is: the golden in force, else a trajectory.",
    )
    trajectory = serializers.IntegerField(required=False, min_value=1, help_text="Which trajectory to lay beside it.")
    trajectories = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        required=False,
        min_length=1,
        help_text=f"Which trajectories to draft from, at most {MOST_RUNS}: what they share is required. "
        "Left out, those that succeeded.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "trajectory" in attrs and "trajectories" in attrs:
            raise ValidationError({"trajectory": "Give either one trajectory or several."})
        return attrs


class WholeInput(Input):
    seen_revision = serializers.IntegerField(min_value=0)
    forbidden = JSONList(required=False)
    outcome = JSONList(required=False)
    policy = JSONObject(required=False)
    comment = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)

    def validate_policy(self, policy: dict[str, Any]) -> dict[str, Any]:
        try:
            parse_policy(policy)
        except (RecordError, ScorerUnavailable) as error:
            raise ValidationError(str(error)) from error
        return policy


class CommentInput(Input):
    comment = serializers.CharField(required=False, allow_blank=True, default="")


class UndoneSerializer(serializers.Serializer[Any]):
    undone = serializers.CharField(help_text="What was taken back.")
    golden = GoldenDetailSerializer()


class RelaxedSerializer(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="Look-ups that became optional.")
    golden = GoldenDetailSerializer()


class GoldenList(Endpoint):
    @writing(
        "list_goldens",
        "Goldens in work and in review. A blinded annotator sees their own only.",
        query=GoldenQuery,
        answers=GoldenSerializer,
        is_page=True,
    )
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug)
        wanted = self.query(GoldenQuery)
        found: QuerySet[Golden] = Golden.objects.in_project(viewer.project)
        if wanted["mine"] or viewer.is_blinded:
            found = found.filter(annotator=self.user)
        for name in ("status", "conversation"):
            if name in wanted:
                found = found.filter(**{name: wanted[name]})
        shown = found.select_related("annotator", "reviewed_by", "guideline")
        return self.page(shown, GoldenSerializer, order=("-created_at", "pk"))


class ConversationGoldens(Endpoint):
    @writing(
        "start_golden",
        "One's golden of a conversation: the one that one has, or a new one. Takes a place of the conversation.",
        body=StartInput,
        answers=GoldenDetailSerializer,
        status=201,
    )
    def post(self, request: Request, pk: int) -> Response:
        viewer, conversation = access.get_conversation_or_404(self.user, pk, require=Capability.ANNOTATE)
        given = self.body(StartInput)
        name = "trajectory" if "trajectory" in given else "trajectories"
        if name == "trajectory":
            given[name] = [given[name]]
        chosen = _chosen(conversation, given, name, is_blinded=viewer.is_blinded)
        golden = goldens.start_for(
            conversation,
            self.user,
            is_blinded=viewer.is_blinded,
            origin=given.get("origin", ""),
            trajectories=chosen,
            now=timezone.now(),
        )
        return self.answer(GoldenDetailSerializer, _whole(golden), status=201)


def _chosen(conversation: Conversation, given: dict[str, Any], name: str, *, is_blinded: bool) -> list[Trajectory]:
    """The trajectories with these numbers, the best first; a 400 where one is not of this conversation."""
    numbers = set(given.get(name, ()))
    found = prefills.in_order(conversation, list(numbers), is_blinded=is_blinded)
    if len(found) != len(numbers):
        raise ValidationError({name: "This conversation has no such trajectory."})
    return found


class _Golden(Endpoint):
    """An address under a golden."""

    conflict_row = GoldenDetailSerializer

    def readable(self, golden_id: UUID) -> Golden:
        return access.get_golden_or_404(self.user, golden_id)[1]

    def editable(self, golden_id: UUID) -> Golden:
        return access.get_golden_or_404(self.user, golden_id, require=Capability.ANNOTATE, to_edit=True)[1]

    def reviewable(self, golden_id: UUID) -> Golden:
        return access.get_golden_or_404(self.user, golden_id, require=Capability.ADJUDICATE)[1]

    def shown(self, golden: Golden, *, status: int = 200) -> Response:
        return self.answer(GoldenDetailSerializer, _whole(golden), status=status)


class GoldenDetail(_Golden):
    @writing("get_golden", "A golden with its turns.", answers=GoldenDetailSerializer)
    def get(self, request: Request, golden_id: UUID) -> Response:
        return self.shown(self.readable(golden_id))

    @writing(
        "update_golden",
        "Save what holds for the whole conversation; what is left out stays.",
        body=WholeInput,
        answers=GoldenDetailSerializer,
        conflict=True,
    )
    def patch(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        given = self.body(WholeInput)
        return self.shown(goldens.update_whole(golden=golden, seen=given.pop("seen_revision"), by=self.user, **given))


class GoldenBody(_Golden):
    @writing("get_golden_body", "The aem/1 golden as it is now.", answers=OpenApiTypes.OBJECT)
    def get(self, request: Request, golden_id: UUID) -> Response:
        return Response(goldens.golden_body(self.readable(golden_id)))


class GoldenTry(_Golden):
    @writing(
        "try_golden",
        "What the engine says about the recorded run with this golden as it is now. Nothing is stored.",
        answers=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, golden_id: UUID) -> Response:
        viewer, golden = access.get_golden_or_404(self.user, golden_id)
        if golden.source_trajectory is None:
            raise ValidationError("No trajectory stands beside this golden.")
        terms = effects.terms_of(viewer.project, is_blinded=viewer.is_blinded)
        trial = effects.Trial(golden.conversation, terms, time.monotonic, effects.SECONDS_ALL)
        saved = effects.Version.saved(golden, list(golden.turns.all()))
        side = trial.side(saved.golden, saved.policy, turns=saved.turns)
        return Response(trial.verdict(side, golden.source_trajectory).as_explained())


class DraftInput(Input):
    trajectories = serializers.ListField(child=serializers.IntegerField(min_value=1), min_length=1)


class GoldenDraft(_Golden):
    @writing(
        "redraft_golden",
        "Draft all turns anew from these trajectories. Undo brings the turns back that it replaces.",
        body=DraftInput,
        answers=GoldenDetailSerializer,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        viewer, golden = access.get_golden_or_404(self.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
        given = self.body(DraftInput)
        chosen = _chosen(golden.conversation, given, "trajectories", is_blinded=viewer.is_blinded)
        return self.shown(goldens.redraft(golden=golden, trajectories=chosen, by=self.user))


class GoldenSubmit(_Golden):
    @writing("submit_golden", "Hand it in for review.", body=Nothing, answers=GoldenDetailSerializer)
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        self.body(Nothing)
        return self.answer(GoldenDetailSerializer, goldens.submit(golden, self.user, now=timezone.now()))


class GoldenReopen(_Golden):
    @writing(
        "reopen_golden", "Take a submitted golden back to work on it.", body=Nothing, answers=GoldenDetailSerializer
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        self.body(Nothing)
        return self.shown(goldens.reopen(golden, self.user))


class GoldenReturn(_Golden):
    @writing("return_golden", "Give it back, saying what to change.", body=CommentInput, answers=GoldenDetailSerializer)
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.reviewable(golden_id)
        comment = self.body(CommentInput)["comment"]
        return self.shown(goldens.return_(golden, self.user, comment, now=timezone.now()))


class GoldenAccept(_Golden):
    @writing(
        "accept_golden",
        "Make it the golden in force of its conversation.",
        body=CommentInput,
        answers=GoldenRecordSerializer,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.reviewable(golden_id)
        comment = self.body(CommentInput)["comment"]
        record = goldens.accept(golden, self.user, comment=comment, now=timezone.now())
        return self.answer(GoldenRecordSerializer, record)


class GoldenUndo(_Golden):
    @writing("undo_golden", "Take back one's own newest change of it.", body=Nothing, answers=UndoneSerializer)
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        self.body(Nothing)
        undone = goldens.undo(golden=golden, by=self.user)
        return self.answer(UndoneSerializer, {"undone": goldens.words_for(undone), "golden": _whole(golden)})


class GoldenLookups(_Golden):
    @writing(
        "relax_lookups",
        "Make each call of a tool without effect an optional step.",
        body=Nothing,
        answers=RelaxedSerializer,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        self.body(Nothing)
        changed = goldens.relax_lookups(golden=golden, by=self.user)
        return self.answer(RelaxedSerializer, {"changed": changed, "golden": _whole(golden)})


class OrderInput(Input):
    turns = serializers.ListField(child=serializers.IntegerField(min_value=1), max_length=1000, help_text="Their ids.")
    is_free = serializers.BooleanField(
        required=False, default=True, help_text="Whether they may come in any order; false: their order counts again."
    )


class GoldenOrder(_Golden):
    @writing(
        "free_order",
        "Let neighbours come in any order, with all that shares a group with one of them; or let it count again. "
        "Refused, with the reason, where other turns stand between them or one builds on another.",
        body=OrderInput,
        answers=GoldenDetailSerializer,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        given = self.body(OrderInput)
        change = goldens.group_turns if given["is_free"] else goldens.ungroup_turns
        change(golden=golden, turns=given["turns"], by=self.user)
        return self.shown(golden)


# --- paths ---


class PathAdd(Input):
    name = serializers.CharField(max_length=goldens.PATH_LENGTH)
    copy_of = serializers.CharField(required=False, default=gold_turns.MAIN_PATH)


class PathRename(Input):
    path = serializers.CharField()
    name = serializers.CharField(max_length=goldens.PATH_LENGTH)


class PathQuery(Input):
    path = serializers.CharField()


class GoldenPaths(_Golden):
    @writing(
        "add_path",
        "Another accepted way, as a copy of one that is there.",
        body=PathAdd,
        answers=GoldenDetailSerializer,
        status=201,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        goldens.add_path(golden=golden, by=self.user, **self.body(PathAdd))
        return self.shown(golden, status=201)

    @writing("rename_path", "Give a path another name.", body=PathRename, answers=GoldenDetailSerializer)
    def patch(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        goldens.rename_path(golden=golden, by=self.user, **self.body(PathRename))
        return self.shown(golden)

    @writing("remove_path", "Take a path out. Undo brings it back.", query=PathQuery, answers=GoldenDetailSerializer)
    def delete(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        name = self.query(PathQuery)["path"]
        if not golden.turns.filter(path=name).exists():
            raise ValidationError({"path": f"There is no path {name}."})
        goldens.remove_path(golden=golden, path=name, by=self.user)
        return self.shown(golden)


# --- turns ---


class TurnInput(Input):
    seen_revision = serializers.IntegerField(min_value=0)
    body = JSONObject(help_text="The aem/1 golden turn. Its id stays as it is and may be left out.")


class TakeInput(Input):
    seen_revision = serializers.IntegerField(min_value=0)
    observed_index = serializers.IntegerField(
        required=False, min_value=0, help_text="Another turn of the trajectory than the one that stands beside it."
    )


class NewTurnInput(Input):
    body = JSONObject(help_text="The aem/1 golden turn without an id: it gets one.")
    path = serializers.CharField(required=False, default=gold_turns.MAIN_PATH)
    after = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="The turn behind which it is put; null: at the start; left out: at the end.",
    )
    observed_index = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def validate_body(self, body: dict[str, Any]) -> dict[str, Any]:
        if "id" in body:
            raise ValidationError("leave the id out: a new turn gets one of its own")
        return body


class MoveInput(Input):
    places = serializers.IntegerField(min_value=-1000, max_value=1000, help_text="Negative: towards the start.")


class GoldenTurns(_Golden):
    @writing("add_turn", "Put a new turn into a path.", body=NewTurnInput, answers=TurnSerializer, status=201)
    def post(self, request: Request, golden_id: UUID) -> Response:
        golden = self.editable(golden_id)
        given = self.body(NewTurnInput)
        after = None
        if given.get("after") is not None:
            after = golden.turns.filter(path=given["path"], pk=given["after"]).first()
            if after is None:
                raise ValidationError({"after": f"There is no such turn in path {given['path']}."})
        turn = goldens.add_turn(
            golden=golden,
            body=given["body"],
            by=self.user,
            path=given["path"],
            after=after,
            at_start="after" in given and after is None,
            observed_index=given.get("observed_index"),
        )
        return self.answer(TurnSerializer, turn, status=201)


class _Turn(Endpoint):
    """An address under a turn of a golden."""

    conflict_row = TurnSerializer

    def editable(self, golden_id: UUID, pk: int) -> GoldTurn:
        return access.get_gold_turn_or_404(self.user, golden_id, pk)[1]

    def saved(self, turn: GoldTurn) -> Response:
        """Work prolongs the lease; where the place has gone to somebody else, the answer says so."""
        note = ""
        if turn.golden.annotator_id == self.user.pk:
            try:
                assignments.renew(turn.golden.conversation, self.user, timezone.now())
            except assignments.NoPlaceLeftError as error:
                note = str(error)
        return self.answer(SavedTurnSerializer, turn, note=note)


class TurnDetail(_Turn):
    @writing("get_turn", "One turn of a golden.", answers=TurnSerializer)
    def get(self, request: Request, golden_id: UUID, pk: int) -> Response:
        _, golden = access.get_golden_or_404(self.user, golden_id)
        return self.answer(TurnSerializer, found_or_404(golden.turns.all(), pk=pk))

    @writing(
        "save_turn", "Save what is expected in a turn.", body=TurnInput, answers=SavedTurnSerializer, conflict=True
    )
    def put(self, request: Request, golden_id: UUID, pk: int) -> Response:
        turn = self.editable(golden_id, pk)
        given = self.body(TurnInput)
        return self.saved(goldens.update_turn(turn=turn, body=given["body"], seen=given["seen_revision"], by=self.user))

    @writing("remove_turn", "Take a turn out. Undo brings it back.", status=204)
    def delete(self, request: Request, golden_id: UUID, pk: int) -> Response:
        goldens.remove_turn(turn=self.editable(golden_id, pk), by=self.user)
        return Response(status=204)


class TurnTake(_Turn):
    @writing(
        "take_observed",
        "What the agent did here is what is expected.",
        body=TakeInput,
        answers=SavedTurnSerializer,
        conflict=True,
    )
    def post(self, request: Request, golden_id: UUID, pk: int) -> Response:
        turn = self.editable(golden_id, pk)
        given = self.body(TakeInput)
        return self.saved(
            goldens.take_observed(
                turn=turn, seen=given["seen_revision"], by=self.user, observed_index=given.get("observed_index")
            )
        )


class ProposedClaimSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    start = serializers.IntegerField(help_text="The first character in the golden reply.")
    end = serializers.IntegerField(help_text="The character after the last.")
    is_required = serializers.BooleanField()
    understood = serializers.CharField(help_text="When a reply would pass, as it was understood.")


class TriedClaimSerializer(serializers.Serializer[Any]):
    claim = serializers.IntegerField(allow_null=True, help_text="Its place among the claims; null: the whole reply.")
    understood = serializers.CharField()
    state = serializers.ChoiceField(choices=tuple(claims.WORDS))
    sentence = serializers.CharField()
    quote = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="First character, and the one after the last, of what answers it in the recorded reply.",
    )


class TurnClaimsSerializer(serializers.Serializer[Any]):
    proposed = ProposedClaimSerializer(many=True, help_text="Those that are not there yet. Saving is up to you.")
    tried = TriedClaimSerializer(
        many=True,
        allow_null=True,
        help_text="What the recorded reply does with the claims, by meaning; null where there is none to be tried on.",
    )


class TurnClaims(_Turn):
    @writing(
        "get_turn_claims",
        "The claims that a golden reply's text seems to make, and what the recorded reply does with those that it has. "
        "Nothing is stored.",
        answers=TurnClaimsSerializer,
    )
    def get(self, request: Request, golden_id: UUID, pk: int) -> Response:
        viewer, golden = access.get_golden_or_404(self.user, golden_id)
        turn = found_or_404(golden.turns.all(), pk=pk)
        if turn.kind != TurnKind.RESPONSE:
            raise ValidationError("Only replies have claims.")
        language = golden.conversation.language
        stored = [claim for claim in turn.body.get("claims") or [] if isinstance(claim, dict)]
        known = [str(claim.get("text") or "") for claim in stored]
        proposed = [
            {
                "text": claim.text,
                "start": claim.start,
                "end": claim.end,
                "is_required": claim.is_required,
                "understood": claims.understood(claim.text, language=language),
            }
            for claim in claims.proposals_of(str(turn.body.get("response") or ""), known, language=language)
        ]
        tried = _tried(golden, turn, stored, is_blinded=viewer.is_blinded)
        return self.answer(TurnClaimsSerializer, {"proposed": proposed, "tried": tried})


def _tried(
    golden: Golden, turn: GoldTurn, stored: list[dict[str, Any]], *, is_blinded: bool
) -> list[dict[str, Any]] | None:
    observed = None
    if golden.source_trajectory is not None and turn.observed_index is not None:
        turns = golden.source_trajectory.body["turns"]
        observed = turns[turn.observed_index] if turn.observed_index < len(turns) else None
    reply = observed.get("response") if isinstance(observed, dict) else None
    language = golden.conversation.language
    if not isinstance(reply, str):
        return None
    answers = claim_trials.try_claims(golden, turn.body, reply, is_blinded=is_blinded)
    if answers is None:
        return None
    whole: list[dict[str, Any]] = [{"text": turn.body.get("response")}]
    return [
        {
            "claim": number if stored else None,
            "understood": claims.understood(
                str(claim.get("text") or ""),
                claim.get("contains") or (),
                claim.get("excludes") or (),
                language=language,
            ),
            "state": answer.state,
            "sentence": answer.sentence,
            "quote": answer.quote,
        }
        for number, (claim, answer) in enumerate(zip(stored or whole, answers, strict=False))
    ]


class TurnMove(_Turn):
    @writing("move_turn", "Move a turn within its path.", body=MoveInput, answers=TurnSerializer)
    def post(self, request: Request, golden_id: UUID, pk: int) -> Response:
        turn = self.editable(golden_id, pk)
        return self.answer(
            TurnSerializer, goldens.move_turn(turn=turn, by=self.user, places=self.body(MoveInput)["places"])
        )


_GOLDEN = "goldens/<uuid:golden_id>/"
_TURN = f"{_GOLDEN}turns/<int:pk>/"
urlpatterns: list[Any] = [
    path("projects/<slug:slug>/queue/", Queue.as_view(), name="queue"),
    path("projects/<slug:slug>/queue/mine/", QueueMine.as_view(), name="queue-mine"),
    path("projects/<slug:slug>/queue/next/", QueueNext.as_view(), name="queue-next"),
    path("conversations/<int:pk>/renew/", ConversationRenew.as_view(), name="conversation-renew"),
    path("conversations/<int:pk>/skip/", ConversationSkip.as_view(), name="conversation-skip"),
    path("conversations/<int:pk>/goldens/", ConversationGoldens.as_view(), name="conversation-goldens"),
    path("projects/<slug:slug>/goldens/", GoldenList.as_view(), name="golden-list"),
    path(_GOLDEN, GoldenDetail.as_view(), name="golden-detail"),
    path(f"{_GOLDEN}body/", GoldenBody.as_view(), name="golden-body"),
    path(f"{_GOLDEN}try/", GoldenTry.as_view(), name="golden-try"),
    path(f"{_GOLDEN}draft/", GoldenDraft.as_view(), name="golden-draft"),
    path(f"{_GOLDEN}submit/", GoldenSubmit.as_view(), name="golden-submit"),
    path(f"{_GOLDEN}reopen/", GoldenReopen.as_view(), name="golden-reopen"),
    path(f"{_GOLDEN}return/", GoldenReturn.as_view(), name="golden-return"),
    path(f"{_GOLDEN}accept/", GoldenAccept.as_view(), name="golden-accept"),
    path(f"{_GOLDEN}undo/", GoldenUndo.as_view(), name="golden-undo"),
    path(f"{_GOLDEN}lookups/", GoldenLookups.as_view(), name="golden-lookups"),
    path(f"{_GOLDEN}order/", GoldenOrder.as_view(), name="golden-order"),
    path(f"{_GOLDEN}paths/", GoldenPaths.as_view(), name="golden-paths"),
    path(f"{_GOLDEN}turns/", GoldenTurns.as_view(), name="golden-turns"),
    path(_TURN, TurnDetail.as_view(), name="turn-detail"),
    path(f"{_TURN}claims/", TurnClaims.as_view(), name="turn-claims"),
    path(f"{_TURN}take/", TurnTake.as_view(), name="turn-take"),
    path(f"{_TURN}move/", TurnMove.as_view(), name="turn-move"),
]
