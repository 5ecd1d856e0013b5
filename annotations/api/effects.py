"""What a golden would change before it is saved or accepted: tried on the recorded runs, nothing stored."""

from __future__ import annotations

import time
from copy import copy
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.urls import path
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.access import Viewer
from annotations.api.base import Endpoint, Input, JSONObject, operation
from annotations.effects import ABSENT, SORTS, Effect, Line, TurnState, why
from annotations.models import Golden, GoldTurn
from annotations.schema_checks import hints_of
from annotations.services import effects, gold_turns
from annotations.services.effects import IN_FORCE, SAVED, Trial, Version
from evaluation.aem import ConversationVerdict

writing = partial(operation, tag="goldens")


class EffectInput(Input):
    golden = JSONObject(required=False, help_text="A whole aem/1 golden; left out, the one that is saved.")
    turn = serializers.IntegerField(required=False, min_value=1, help_text="A turn of it, whose `body` is given.")
    body = JSONObject(required=False, help_text="The turn as it would be saved.")
    policy = JSONObject(required=False, help_text="The golden's own policy; left out, the one that is saved.")
    against = serializers.ChoiceField(
        choices=(SAVED, IN_FORCE),
        default=SAVED,
        help_text="What is compared with: the golden as it is saved, or the one in force (not for blinded annotators).",
    )
    all = serializers.BooleanField(
        default=False, help_text=f"Go on for up to {effects.SECONDS_ALL:.0f} seconds, not {effects.SECONDS_TYPING}."
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("turn" in given) != ("body" in given):
            raise ValidationError("A turn and its body go together.")
        if "turn" in given and "golden" in given:
            raise ValidationError("Give a whole golden or one turn, not both.")
        return given


class EffectSideSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=("pass", "fail", "skipped", "not_scored", ABSENT))
    failure_reason = serializers.CharField(allow_null=True)
    turn_no = serializers.IntegerField(allow_null=True)


class EffectChangeSerializer(serializers.Serializer[Any]):
    change = serializers.ChoiceField(choices=[sort.key for sort in SORTS])
    trajectory = serializers.IntegerField()
    agent = serializers.CharField(help_text="Name and version.")
    turn = serializers.CharField(help_text="The id of the golden turn.")
    observed = serializers.IntegerField(allow_null=True, help_text="Its place in the trajectory's turns.")
    before = EffectSideSerializer()
    after = EffectSideSerializer()
    sentences = serializers.ListField(
        child=serializers.CharField(), help_text="Why it fails, or failed so far; empty for later ones unless `all`."
    )


class EffectFailingSerializer(serializers.Serializer[Any]):
    turn_no = serializers.IntegerField()
    turn = serializers.CharField()
    failure_reason = serializers.CharField(allow_null=True)
    cascade_of = serializers.ListField(child=serializers.IntegerField())
    sentences = serializers.ListField(child=serializers.CharField())


class EffectRecordedRunSerializer(serializers.Serializer[Any]):
    trajectory = serializers.IntegerField()
    test_pass = serializers.BooleanField(allow_null=True)
    problem = serializers.CharField(help_text="Why there is no verdict; else empty.")
    failing = EffectFailingSerializer(many=True)


class EffectRunsSerializer(serializers.Serializer[Any]):
    passes = serializers.ListField(child=serializers.IntegerField())
    fails = serializers.ListField(child=serializers.IntegerField())
    open = serializers.ListField(child=serializers.IntegerField())
    other_path = serializers.ListField(child=serializers.IntegerField())


class EffectUnscoredSerializer(serializers.Serializer[Any]):
    trajectory = serializers.IntegerField()
    reason = serializers.CharField()


class EffectHintSerializer(serializers.Serializer[Any]):
    turn = serializers.CharField(help_text="The id of the golden turn.")
    param = serializers.CharField(help_text="Empty where the whole call is meant.")
    value = serializers.IntegerField(allow_null=True, help_text="Which accepted value, counted from 0.")
    sentence = serializers.CharField()


class EffectSerializer(serializers.Serializer[Any]):
    summary = serializers.CharField()
    against = serializers.ChoiceField(choices=(SAVED, IN_FORCE))
    golden_record = serializers.IntegerField(
        allow_null=True, help_text="The number of the golden in force; null where there is none, or not for you."
    )
    has_before = serializers.BooleanField(help_text="Whether there was a golden to compare with.")
    total = serializers.IntegerField(help_text="Current trajectories of the conversation.")
    tried = serializers.IntegerField(help_text="How many of them the time was enough for.")
    is_partial = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Changed turns by sort of change.")
    changes = EffectChangeSerializer(many=True)
    runs = EffectRunsSerializer(help_text="Trajectories whose verdict as a whole would be another.")
    passing = serializers.IntegerField(help_text="Of those tried, how many would pass as a whole.")
    failing = serializers.IntegerField()
    unscored = EffectUnscoredSerializer(many=True)
    recorded_run = EffectRecordedRunSerializer(allow_null=True, help_text="The run that the golden was drafted from.")
    hints = EffectHintSerializer(
        many=True, help_text="What the tools' schemas say of the calls; no reason to refuse them."
    )
    note = serializers.CharField(help_text="What a run would do otherwise; else empty.")


class GoldenEffect(Endpoint):
    @writing(
        "golden_effect",
        "What a golden would change in the verdicts on recorded trajectories: as a whole, or with one turn changed, "
        "compared with the one that is saved or the one in force. Nothing is stored.",
        body=EffectInput,
        answers=EffectSerializer,
    )
    def post(self, request: Request, golden_id: UUID) -> Response:
        viewer, golden = access.get_golden_or_404(self.user, golden_id)
        given = self.body(EffectInput)
        if given["against"] == IN_FORCE and not access.may_compare_in_force(viewer):
            raise PermissionDenied("This project is blind: the golden in force would tell you what others wrote.")
        if not access.may_see_effects(viewer, golden):
            raise PermissionDenied(effects.WHILE_WRITTEN)
        turns = list(golden.turns.all())
        typed = _typed(golden, turns, given)
        found = _try(viewer, golden, typed, turns, given)
        if found.effect is None:
            raise PermissionDenied(found.hidden)
        return self.answer(EffectSerializer, _answer(golden, typed, given["against"], found, found.effect))


def _typed(golden: Golden, turns: list[GoldTurn], given: dict[str, Any]) -> Version:
    policy: dict[str, Any] = given.get("policy", golden.policy) or {}
    if "golden" in given:
        return Version(given["golden"], policy)
    rows = []
    for turn in turns:
        row = turn
        if turn.pk == given.get("turn"):
            row = copy(turn)
            row.body = {"id": turn.key, **given["body"]} if turn.key else given["body"]
        rows.append(row)
    if "turn" in given and not any(turn.pk == given["turn"] for turn in turns):
        raise ValidationError({"turn": ["This golden has no such turn."]})
    return Version(gold_turns.compose(golden, rows), policy, rows)


def _try(
    viewer: Viewer, golden: Golden, typed: Version, turns: list[GoldTurn], given: dict[str, Any]
) -> effects.Outcome:
    trial = Trial(
        golden.conversation,
        effects.terms_of(viewer.project, is_blinded=viewer.is_blinded),
        time.monotonic,
        effects.SECONDS_ALL if given["all"] else effects.SECONDS_TYPING,
    )
    return effects.try_golden(
        trial,
        golden,
        typed,
        Version.saved(golden, turns),
        is_blinded=viewer.is_blinded,
        sees_all=True,
        against=given["against"],
        sentences=effects.ALL_SENTENCES if given["all"] else effects.SENTENCES,
    )


def _answer(golden: Golden, typed: Version, against: str, found: effects.Outcome, effect: Effect) -> dict[str, Any]:
    lines = [line for group in effect.shown_groups for version in group.versions for line in version.lines]
    return {
        "summary": effect.summary,
        "against": against,
        "golden_record": found.record and found.record.number,
        "has_before": effect.has_before,
        "total": effect.total,
        "tried": effect.tried,
        "is_partial": effect.is_partial,
        "counts": {group.sort.key: group.count for group in effect.shown_groups},
        "changes": [_change(line) for line in lines],
        "runs": {
            "passes": [run.pk for run in effect.tests_pass],
            "fails": [run.pk for run in effect.tests_fail],
            "open": [run.pk for run in effect.tests_open],
            "other_path": [run.pk for run in effect.other_path],
        },
        "passing": effect.passing,
        "failing": effect.failing,
        "unscored": [{"trajectory": run.pk, "reason": reason} for run, reason in effect.unscored],
        "recorded_run": _recorded_run(golden, found),
        "hints": list(_hints(golden, typed)),
        "note": found.note,
    }


def _change(line: Line) -> dict[str, Any]:
    return {
        "change": line.change.sort,
        "trajectory": line.run.pk,
        "agent": line.run.agent,
        "turn": line.change.turn.key,
        "observed": line.change.observed,
        "before": _side(line.change.before),
        "after": _side(line.change.after),
        "sentences": line.sentences,
    }


def _side(turn: TurnState | None) -> dict[str, Any]:
    if turn is None:
        return {"state": ABSENT, "failure_reason": None, "turn_no": None}
    return {"state": turn.state, "failure_reason": turn.reason or None, "turn_no": turn.turn_no}


def _recorded_run(golden: Golden, found: effects.Outcome) -> dict[str, Any] | None:
    if golden.source_trajectory_id is None:
        return None
    verdict: ConversationVerdict | None = found.verdict
    return {
        "trajectory": golden.source_trajectory_id,
        "test_pass": None if verdict is None else verdict.test_pass,
        "problem": found.source_problem,
        "failing": [
            {
                "turn_no": turn.turn_no,
                "turn": turn.golden,
                "failure_reason": turn.failure_reason and str(turn.failure_reason),
                "cascade_of": turn.cascade_of,
                "sentences": why(verdict, turn.turn_no),
            }
            for turn in verdict.turns
            if turn.passed is False
        ]
        if verdict is not None
        else [],
    }


def _hints(golden: Golden, typed: Version) -> Any:
    for one in typed.golden["paths"]:
        for turn in one["turns"]:
            for hint in hints_of(golden.conversation.tool_set.body, turn):
                yield {
                    "turn": str(turn.get("id", "")),
                    "param": hint.param,
                    "value": hint.value,
                    "sentence": hint.sentence,
                }


urlpatterns: list[Any] = [
    path("goldens/<uuid:golden_id>/effect/", GoldenEffect.as_view(), name="golden-effect"),
]
