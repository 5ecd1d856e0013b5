"""A project with a member of every role and one row of everything, and what each address answers to whom.

The tests that walk all addresses share it. A new address is described in `RULES`, or they fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from annotations.models import ApiToken, Capability, Change, Merge, Project, Role, User
from annotations.models.people import ROLE_CAPABILITIES
from annotations.services import goldens, labels, projects, queue_actions
from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile
from evaluation.models import JudgeSettings
from evaluation.services import decisions, imports, lessons, policies, trials
from tests.factories import (
    make_conversation,
    make_golden_record,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
    report_trajectory,
)
from tests.judges import judge_body
from tests.people import cast_of

WRONG_METHOD, NOT_THERE, FORBIDDEN, TO_SIGN_IN, NO_TOKEN = 405, 404, 403, 302, 401
SHOWN = frozenset({200})
#: Done, or refused with a sentence because nothing was filled in.
TAKEN = frozenset({200, 204, 302, 400, 409, 422})

#: Addresses that answer without a sign-in, and how.
PUBLIC: dict[str, frozenset[int]] = {
    "healthz": frozenset({200, 503, 405}),
    "login": frozenset({200, 302, 422}),
    "logout": frozenset({302, 405}),
    "language": frozenset({302, 405}),
    "annotations:join": frozenset({200, 302, 422}),
    "api:schema": frozenset({200, 405}),
    "api-docs": frozenset({200, 405}),
}
#: The token in the address is the owner's; nobody else can revoke it.
OWN_TOKEN = "annotations:token-revoke"


@dataclass(frozen=True, slots=True)
class Rule:
    """What one needs for an address: a capability for each method, "" for any account, None where there is none."""

    get: str | None = None
    post: str | None = None
    is_of_project: bool = True
    is_for_sighted: bool = False
    """Refused to those who are blinded, whatever else they may do."""


_V, _A, _L, _J, _I, _R, _E, _M = (
    Capability.VIEW,
    Capability.ANNOTATE,
    Capability.LABEL,
    Capability.ADJUDICATE,
    Capability.IMPORT,
    Capability.RUN,
    Capability.EXPORT,
    Capability.MANAGE,
)

RULES: dict[str, Rule] = {
    "annotations:home": Rule("", is_of_project=False),
    "annotations:signed-in": Rule("", is_of_project=False),
    "annotations:project-create": Rule("", "", is_of_project=False),
    "annotations:account": Rule("", "", is_of_project=False),
    "annotations:account-keys": Rule("", "", is_of_project=False),
    "annotations:draft": Rule("", "", is_of_project=False),
    "annotations:password-change": Rule("", "", is_of_project=False),
    "annotations:token-create": Rule(None, "", is_of_project=False),
    OWN_TOKEN: Rule(None, "", is_of_project=False),
    "annotations:project-settings": Rule(_M, _M),
    "annotations:guideline": Rule(_V),
    "annotations:guideline-edit": Rule(_M, _M),
    "annotations:guideline-changes": Rule(_V),
    "annotations:guideline-restore": Rule(None, _M),
    "annotations:second-look": Rule(_J, _J),
    "annotations:second-look-undo": Rule(None, _J),
    "annotations:project-history": Rule(_V),
    "annotations:member-list": Rule(_V),
    "annotations:invitation-create": Rule(None, _M),
    "annotations:invitation-revoke": Rule(None, _M),
    "annotations:member-role": Rule(None, _M),
    "annotations:member-remove": Rule(None, _M),
    "annotations:dataset-list": Rule(_V, _I),
    "annotations:dataset-detail": Rule(_V),
    "annotations:dataset-release": Rule(None, _M),
    "annotations:dataset-version": Rule(_V),
    "annotations:dataset-changes": Rule(_V, is_for_sighted=True),
    "annotations:version-restore": Rule(None, _M),
    "annotations:restore-undo": Rule(None, _M),
    "annotations:conversation-golden-changes": Rule(_V, is_for_sighted=True),
    "annotations:conversation-golden-restore": Rule(None, _J),
    "annotations:conversation-detail": Rule(_V),
    "annotations:conversation-draft": Rule(_A, _A),
    "annotations:suggestion-rates": Rule(_M),
    "annotations:trajectory-detail": Rule(_V),
    "annotations:trajectory-transcript": Rule(_V),
    "annotations:trajectory-turn": Rule(_V),
    "annotations:queue": Rule(_A),
    "annotations:queue-next": Rule(None, _A),
    "annotations:queue-all": Rule(_J, _J),
    "annotations:queue-act-list": Rule(_J),
    "annotations:queue-act-detail": Rule(_J),
    "annotations:queue-act-undo": Rule(None, _J),
    "annotations:assignment-skip": Rule(None, _A),
    "annotations:golden-detail": Rule(_V),
    "annotations:golden-turns": Rule(_V),
    "annotations:golden-turn-add": Rule(None, _A),
    "annotations:golden-turn": Rule(_V, _A),
    "annotations:golden-take": Rule(None, _A),
    "annotations:golden-turn-remove": Rule(None, _A),
    "annotations:golden-turn-move": Rule(None, _A),
    "annotations:golden-observed": Rule(_V),
    "annotations:golden-path": Rule(None, _A),
    "annotations:golden-lookups": Rule(None, _A),
    "annotations:golden-hand": Rule(_V),
    "annotations:golden-values": Rule(_A, _A),
    "annotations:golden-order": Rule(None, _A),
    "annotations:golden-whole": Rule(_V, _A),
    "annotations:golden-undo": Rule(None, _A),
    "annotations:golden-redo": Rule(None, _A),
    "annotations:golden-changes": Rule(_A),
    "annotations:golden-history": Rule(_V),
    "annotations:golden-turn-restore": Rule(None, _A),
    "annotations:golden-renew": Rule(None, _A),
    "annotations:golden-try": Rule(_V),
    "annotations:golden-effect": Rule(_V, is_for_sighted=True),
    "annotations:golden-turn-effect": Rule(None, _V),
    "annotations:golden-whole-effect": Rule(None, _V),
    "annotations:golden-submit": Rule(None, _A),
    "annotations:golden-reopen": Rule(None, _A),
    "annotations:golden-return": Rule(None, _J),
    "annotations:golden-accept": Rule(None, _J),
    "annotations:golden-start": Rule(None, _A),
    "annotations:golden-review-list": Rule(_J),
    "annotations:merge-start": Rule(None, _J),
    "annotations:merge-detail": Rule(_J),
    "annotations:merge-decide": Rule(None, _J),
    "annotations:merge-example": Rule(None, _J),
    "annotations:merge-equal": Rule(None, _J),
    "annotations:merge-undo": Rule(None, _J),
    "annotations:merge-workbench": Rule(None, _J),
    "annotations:merge-accept": Rule(None, _J),
    "evaluation:project-detail": Rule(_V),
    "evaluation:import-list": Rule(_I, _I),
    "evaluation:import-detail": Rule(_I),
    "evaluation:import-apply": Rule(None, _I),
    "evaluation:import-discard": Rule(None, _I),
    "evaluation:import-file": Rule(_I),
    "evaluation:export": Rule(_E),
    "evaluation:export-file": Rule(_E),
    "evaluation:run-list": Rule(_V),
    "evaluation:run-create": Rule(_R, _R),
    "evaluation:policy-list": Rule(_V, is_for_sighted=True),
    "evaluation:policy-own-rules": Rule(_V, is_for_sighted=True),
    "evaluation:policy-detail": Rule(_V, is_for_sighted=True),
    "evaluation:policy-create": Rule(_R, _R),
    "evaluation:policy-edit": Rule(_R, _R),
    "evaluation:policy-trial": Rule(_R),
    "evaluation:policy-trial-effect": Rule(_R),
    "evaluation:policy-trial-stop": Rule(None, _R),
    "evaluation:judge-list": Rule(_V),
    "evaluation:judge-create": Rule(_M, _M),
    "evaluation:judge-try": Rule(None, _M),
    "evaluation:judge-forget-key": Rule(None, _M),
    "evaluation:run-judge": Rule(_V, _M),
    "evaluation:run-detail": Rule(_V),
    "evaluation:run-progress": Rule(_V),
    "evaluation:run-stop": Rule(None, _R),
    "evaluation:run-resume": Rule(None, _R),
    "evaluation:run-unscored": Rule(None, _R),
    "evaluation:run-items": Rule(_V),
    "evaluation:run-compare": Rule(_V, is_for_sighted=True),
    "evaluation:item-detail": Rule(_V),
    "evaluation:label-save": Rule(None, _L),
    "evaluation:label-agree": Rule(None, _L),
    "evaluation:label-undo": Rule(None, _L),
    "evaluation:adjudication-list": Rule(_J),
    "evaluation:adjudicate": Rule(_J, _J),
    "evaluation:decision-example": Rule(None, _J),
    "evaluation:decision-take-back": Rule(None, _J),
    "evaluation:lesson-learn": Rule(None, _J),
    "evaluation:lesson-reach": Rule(_J),
    "evaluation:lesson-list": Rule(_V, is_for_sighted=True),
    "evaluation:lesson-detail": Rule(_V, is_for_sighted=True),
    "evaluation:lesson-elsewhere": Rule(_V, is_for_sighted=True),
    "evaluation:lesson-touched": Rule(_V, is_for_sighted=True),
    "evaluation:lesson-score-again": Rule(None, _J),
    "evaluation:lesson-take-back": Rule(None, _J),
    "evaluation:vocabulary": Rule(_V, is_for_sighted=True),
    "evaluation:vocabulary-add": Rule(None, _V, is_for_sighted=True),
    "evaluation:vocabulary-remove": Rule(None, _V, is_for_sighted=True),
    "evaluation:vocabulary-import": Rule(None, _V, is_for_sighted=True),
    "evaluation:vocabulary-file": Rule(_V, is_for_sighted=True),
    "evaluation:vocabulary-look": Rule(None, _V, is_for_sighted=True),
    "evaluation:vocabulary-number": Rule(_V, is_for_sighted=True),
    "evaluation:vocabulary-restore": Rule(None, _V, is_for_sighted=True),
    "evaluation:agreement": Rule(_V, is_for_sighted=True),
    "evaluation:agreement-rows": Rule(_V, is_for_sighted=True),
    "evaluation:calibration": Rule(_V, is_for_sighted=True),
    "evaluation:calibration-rows": Rule(_V, is_for_sighted=True),
    "evaluation:calibration-csv": Rule(_V, is_for_sighted=True),
    "evaluation:calibration-json": Rule(_V, is_for_sighted=True),
    "evaluation:calibration-try": Rule(None, _R, is_for_sighted=True),
    "evaluation:calibration-adopt": Rule(None, _R, is_for_sighted=True),
}


@dataclass
class World:
    """Everybody and everything; ``arguments`` gives the parts of addresses by the name of their parameter."""

    project: Project
    cast: dict[str, User | None]
    arguments: dict[str, Any]
    numbers: dict[str, int] = field(default_factory=dict)

    def url_of(self, name: str) -> str:
        """The address with this name, filled with what there is."""
        route = routes()[name]
        return "/" + _PARAMETER.sub(lambda found: str(self._argument(name, found["parameter"])), route)

    def _argument(self, name: str, parameter: str) -> Any:
        if name == "evaluation:export-file" and parameter == "name":
            return "aem-1"
        if parameter == "pk":
            return next(number for start, number in self.numbers.items() if name.startswith(start))
        return self.arguments[parameter]


_PARAMETER = re.compile(r"<(?:\w+:)?(?P<parameter>\w+)>")


def all_patterns(resolver: Any = None, prefix: str = "", namespace: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """Each address: its full name, its route, and itself."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from all_patterns(pattern, route, inner)
        else:
            yield f"{namespace}{pattern.name}", route, pattern


def routes() -> dict[str, str]:
    return {name: route for name, route, _ in all_patterns()}


def make_world() -> World:
    """A blind project; golden, label and assignment are its annotator's, the decision its adjudicator's."""
    project = make_project(is_blind=True, overlap=3)
    cast = cast_of(project)
    annotator, adjudicator, owner = (_user(cast, role) for role in (Role.ANNOTATOR, Role.ADJUDICATOR, Role.OWNER))
    projects.save_guideline(project=project, title="How", body="*So.*", by=owner, seen_number=0)
    invitation, secret = projects.invite(project=project, role=Role.ANNOTATOR, by=owner, now=timezone.now())
    dataset = project.datasets.create(slug="reports", name="Reports")
    run = make_run(make_report_version(2, failing=1, dataset=dataset))
    policy = policies.get_standard(project=project)
    trial = trials.begin(run=run, body={}, name="standard", seen_number=1, by=owner, now=timezone.now(), policy=policy)
    item = run.items.get(position=1)
    labels.save(trajectory=item.trajectory, path="main", turn_key="g1", by=annotator, seen_revision=0, verdict="fail")
    decisions.decide(
        trajectory=item.trajectory,
        path="main",
        turn_key="g2",
        by=adjudicator,
        seen_revision=0,
        reason="So.",
        verdict="fail",
    )
    pair = lessons.Pair("metric", "revenue", "profit", "", None)
    lesson = lessons.add_entry(
        item=item, path="main", turn_key="g2", pair=pair, by=adjudicator, is_equal=False, is_for_field=True
    )
    judge = JudgeSettings.objects.create(
        project=project, number=1, body=judge_body("https://203.0.113.7/v1"), content_hash="x"
    )
    conversation = make_conversation(dataset, key="in work")
    trajectory = make_trajectory(conversation)
    make_golden_record(conversation)
    golden = goldens.start(conversation, annotator, trajectory)
    turn = golden.turns.filter(kind="response").first() or golden.turns.get()
    merge = Merge.objects.create(conversation=conversation)
    turn = goldens.update_turn(turn=turn, body=turn.body, seen=turn.revision, by=annotator)
    saved = Change.objects.filter(scope=str(golden.pk)).latest("pk")
    make_conversation(dataset, key="aside")
    aside = dataset.conversations.filter(key="aside")
    act = queue_actions.set_aside(project=project, by=owner, chosen=aside, reason="So.", now=timezone.now()).action
    record = {"format": "aem/1", "id": "r", "golden": report_golden(), "trajectory": report_trajectory()}
    source = SourceFile(name="r.json", data=jsonio.dumps(record).encode())
    job = imports.preview(project=project, dataset=dataset, by=owner, files=[source])
    token, _ = ApiToken.objects.create(user=owner, expiry=None, name="tests")
    return World(
        project=project,
        cast=cast,
        arguments={
            "slug": project.slug,
            "dataset_slug": dataset.slug,
            "number": 1,
            "golden_id": golden.pk,
            "merge_id": merge.pk,
            "token": "0123456789abcdef",
            "run_id": run.pk,
            "trial_id": trial.pk,
            "lesson_id": lesson.pk,
            "position": item.position,
            "turn_no": 2,
            "job_id": job.pk,
            "index": 0,
            "part": "user",
            "hand": "order",
            "name": "user",
            "secret": secret,
            "token_key": token.token_key,
            "change_pk": saved.pk,
        },
        numbers={
            "annotations:invitation": invitation.pk,
            "annotations:member": project.memberships.get(user=cast[Role.ENGINEER]).pk,
            "annotations:conversation": conversation.pk,
            "annotations:trajectory": trajectory.pk,
            "annotations:assignment": conversation.pk,
            "annotations:queue-act": act.pk if act is not None else 0,
            "annotations:golden-start": conversation.pk,
            "annotations:merge": conversation.pk,
            "annotations:restore-undo": 1,
            "annotations:golden": turn.pk,
            "evaluation:import-file": job.files.get().pk,
            "evaluation:policy": policy.pk,
            "evaluation:judge": judge.pk,
            "api:": 1,
        },
    )


def _user(cast: dict[str, User | None], role: str) -> User:
    user = cast[role]
    assert user is not None
    return user


def expected_status(world: World, name: str, who: str, method: str) -> frozenset[int]:
    """Which answers are right; KeyError for an address that nobody has described."""
    user = world.cast[who]
    if name in PUBLIC:
        return PUBLIC[name] | ({200, 302} if user is not None else set())
    if name.startswith("api:"):
        return frozenset({NO_TOKEN} if user is None else set(range(200, 500)) - {NO_TOKEN})
    rule = RULES[name]
    needed = rule.post if method == "post" else rule.get
    if user is None:
        return frozenset({TO_SIGN_IN, WRONG_METHOD} if needed is None else {TO_SIGN_IN})
    if needed is None:
        return frozenset({WRONG_METHOD})
    if name == OWN_TOKEN and who != Role.OWNER:
        return frozenset({NOT_THERE})
    if rule.is_of_project:
        if who == "stranger":
            return frozenset({NOT_THERE})
        if needed not in ROLE_CAPABILITIES[who] or (rule.is_for_sighted and who == Role.ANNOTATOR):
            return frozenset({FORBIDDEN})
    shown = SHOWN | {302} if name == "annotations:home" else SHOWN
    return TAKEN if method == "post" else shown
