"""Every operation of the API, asked by everybody who may come by.

The table is checked against the addresses: an operation that is missing here fails the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from django.urls import get_resolver
from django.utils import timezone

from annotations.models import Merge, Role, User
from annotations.services import goldens, projects, queue_actions
from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile
from evaluation.models import JudgeSettings
from evaluation.services import imports, lessons, policies, trials
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
from tests.people import api_of, cast_of

pytestmark = pytest.mark.django_db

A, J, E, O = (role.value for role in (Role.ANNOTATOR, Role.ADJUDICATOR, Role.ENGINEER, Role.OWNER))  # noqa: E741
ALL = frozenset({A, J, E, O})
SIGHTED = ALL - {A}  # the project is blind
ANNOTATE = frozenset({A, J, O})
ADJUDICATE = frozenset({J, O})
WORK = frozenset({E, O})
EXPORT = frozenset({J, E, O})
MANAGE = frozenset({O})

_P = "projects/{slug}/"
_D = f"{_P}datasets/{{dataset}}/"
_G = "goldens/{golden}/"
_T = f"{_G}turns/{{turn}}/"
_I = "runs/{run}/items/1/"

#: Name of the address, method, address, body, who may (None: everybody with a token, also strangers).
OPERATIONS: list[tuple[str, str, str, Any, frozenset[str] | None]] = [
    ("me", "get", "me/", None, None),
    ("me", "patch", "me/", {"display_name": "Ana"}, None),
    ("token-list", "get", "tokens/", None, None),
    ("token-list", "post", "tokens/", {"name": "nightly"}, None),
    ("project-list", "get", "projects/", None, None),
    ("project-list", "post", "projects/", {"name": "!"}, None),
    ("invitation-accept", "post", "invitations/accept/", {"secret": "no"}, None),
    ("format-list", "get", "formats/", None, None),
    ("project-detail", "get", _P, None, ALL),
    ("project-detail", "patch", _P, {"seen_revision": 99, "name": "X"}, MANAGE),
    ("member-list", "get", f"{_P}members/", None, ALL),
    ("member-detail", "patch", f"{_P}members/{{member}}/", {"role": "annotator"}, MANAGE),
    ("member-detail", "delete", f"{_P}members/{{member}}/", None, MANAGE),
    ("invitation-list", "get", f"{_P}invitations/", None, MANAGE),
    ("invitation-list", "post", f"{_P}invitations/", {"role": "owner"}, MANAGE),
    ("invitation-detail", "delete", f"{_P}invitations/{{invitation}}/", None, MANAGE),
    ("guideline-list", "get", f"{_P}guidelines/", None, ALL),
    ("guideline-list", "post", f"{_P}guidelines/", {"title": "T", "body": "b", "seen_number": 9}, MANAGE),
    ("guideline-detail", "get", f"{_P}guidelines/1/", None, ALL),
    ("guideline-example-list", "post", f"{_P}guidelines/examples/", {"text": "So.", "seen_number": 9}, MANAGE),
    ("guideline-changes", "get", f"{_P}guidelines/1/changes/?since=1", None, ALL),
    ("guideline-restore", "post", f"{_P}guidelines/1/restore/", {"seen_number": 9}, MANAGE),
    ("second-look-goldens", "get", f"{_P}second-look/goldens/?before=1&tool=x", None, ADJUDICATE),
    ("second-look-labels", "get", f"{_P}second-look/labels/", None, ADJUDICATE),
    ("second-look-mine", "get", f"{_P}second-look/mine/", None, ANNOTATE),
    ("second-look-acts", "post", f"{_P}second-look/acts/", {"do": "right", "seen_number": 9}, ADJUDICATE),
    ("second-look-undo", "post", f"{_P}second-look/acts/1/undo/", None, ADJUDICATE),
    ("history-list", "get", f"{_P}history/", None, ALL),
    ("dataset-list", "get", f"{_P}datasets/", None, ALL),
    ("dataset-list", "post", f"{_P}datasets/", {"name": "More"}, WORK),
    ("dataset-detail", "get", _D, None, ALL),
    ("conversation-list", "get", f"{_D}conversations/", None, ALL),
    ("dataset-trajectory-list", "get", f"{_D}trajectories/", None, ALL),
    ("version-list", "get", f"{_D}versions/", None, ALL),
    ("version-list", "post", f"{_D}versions/", {}, MANAGE),
    ("version-detail", "get", f"{_D}versions/1/", None, ALL),
    ("version-item-list", "get", f"{_D}versions/1/items/", None, ALL),
    ("version-item-detail", "get", f"{_D}versions/1/items/0/", None, SIGHTED),
    ("version-agents", "get", f"{_D}versions/1/agents/", None, ALL),
    ("dataset-changes", "get", f"{_D}changes/", None, SIGHTED),
    ("version-restore", "post", f"{_D}versions/1/restore/", None, MANAGE),
    ("restore-undo", "post", f"{_D}restores/1/undo/", None, MANAGE),
    ("export", "get", f"{_D}export/", None, EXPORT),
    ("conversation-detail", "get", "conversations/{conversation}/", None, ALL),
    ("golden-record-list", "get", "conversations/{conversation}/golden-records/", None, ALL),
    (
        "golden-record-restore",
        "post",
        "conversations/{conversation}/golden-records/1/restore/",
        {"seen_number": 1},
        ADJUDICATE,
    ),
    ("golden-history", "get", f"{_G}history/", None, ALL),
    ("trajectory-list", "get", "conversations/{conversation}/trajectories/", None, ALL),
    ("trajectory-detail", "get", "trajectories/{trajectory}/", None, ALL),
    ("queue", "get", f"{_P}queue/", None, ANNOTATE),
    ("queue-mine", "get", f"{_P}queue/mine/", None, ANNOTATE),
    ("queue-next", "post", f"{_P}queue/next/", {}, ANNOTATE),
    ("queue-item-list", "get", f"{_P}queue/items/?state=waiting&order=-done", None, ADJUDICATE),
    ("queue-summary", "get", f"{_P}queue/summary/", None, ADJUDICATE),
    ("queue-action-list", "get", f"{_P}queue/actions/", None, ADJUDICATE),
    ("queue-action-list", "post", f"{_P}queue/actions/", {"do": "release", "matching": {}}, ADJUDICATE),
    ("queue-action-detail", "get", f"{_P}queue/actions/{{act}}/", None, ADJUDICATE),
    ("queue-action-undo", "post", f"{_P}queue/actions/{{act}}/undo/", None, ADJUDICATE),
    ("conversation-renew", "post", "conversations/{conversation}/renew/", None, ANNOTATE),
    ("conversation-skip", "post", "conversations/{conversation}/skip/", {"reason": "no"}, ANNOTATE),
    ("conversation-goldens", "post", "conversations/{conversation}/goldens/", {}, ANNOTATE),
    ("golden-list", "get", f"{_P}goldens/", None, ALL),
    ("golden-detail", "get", _G, None, ALL),
    ("golden-detail", "patch", _G, {"seen_revision": 0, "comment": "x"}, ANNOTATE),
    ("golden-body", "get", f"{_G}body/", None, ALL),
    ("golden-try", "get", f"{_G}try/", None, ALL),
    ("golden-effect", "post", f"{_G}effect/", {}, ALL),
    ("golden-draft", "post", f"{_G}draft/", {"trajectories": [1]}, ANNOTATE),
    ("merge-list", "get", f"{_P}merges/", None, ADJUDICATE),
    ("conversation-merge", "post", "conversations/{conversation}/merge/", None, ADJUDICATE),
    ("merge-detail", "get", "merges/{merge}/", None, ADJUDICATE),
    ("merge-item", "put", "merges/{merge}/items/0/", {"seen_revision": 0, "choice": {"out": True}}, ADJUDICATE),
    ("merge-example", "post", "merges/{merge}/items/0/example/", {}, ADJUDICATE),
    ("merge-equal", "post", "merges/{merge}/equal/", None, ADJUDICATE),
    ("merge-undo", "post", "merges/{merge}/undo/", None, ADJUDICATE),
    ("merge-workbench", "post", "merges/{merge}/workbench/", None, ADJUDICATE),
    ("merge-accept", "post", "merges/{merge}/accept/", {"seen_revision": 0}, ADJUDICATE),
    ("golden-submit", "post", f"{_G}submit/", None, ANNOTATE),
    ("golden-reopen", "post", f"{_G}reopen/", None, ANNOTATE),
    ("golden-return", "post", f"{_G}return/", {"comment": "again"}, ADJUDICATE),
    ("golden-accept", "post", f"{_G}accept/", {}, ADJUDICATE),
    ("golden-undo", "post", f"{_G}undo/", None, ANNOTATE),
    ("golden-lookups", "post", f"{_G}lookups/", None, ANNOTATE),
    ("golden-order", "post", f"{_G}order/", {"turns": [1]}, ANNOTATE),
    ("golden-paths", "post", f"{_G}paths/", {"name": "other"}, ANNOTATE),
    ("golden-paths", "patch", f"{_G}paths/", {"path": "main", "name": "first"}, ANNOTATE),
    ("golden-paths", "delete", f"{_G}paths/?path=main", None, ANNOTATE),
    ("golden-turns", "post", f"{_G}turns/", {"body": {"response": "Hello"}}, ANNOTATE),
    ("turn-detail", "get", _T, None, ALL),
    ("turn-detail", "put", _T, {"seen_revision": 99, "body": {"response": "x"}}, ANNOTATE),
    ("turn-claims", "get", f"{_T}claims/", None, ALL),
    ("turn-take", "post", f"{_T}take/", {"seen_revision": 99}, ANNOTATE),
    ("turn-move", "post", f"{_T}move/", {"places": 0}, ANNOTATE),
    ("turn-detail", "delete", _T, None, ANNOTATE),
    ("import-list", "get", f"{_P}imports/", None, WORK),
    ("import-list", "post", f"{_P}imports/", "upload", WORK),
    ("import-detail", "get", "imports/{import_}/", None, WORK),
    ("import-file", "get", "imports/{import_}/files/{file}/", None, WORK),
    ("import-apply", "post", "imports/{import_}/apply/", {}, WORK),
    ("import-discard", "post", "imports/{import_}/discard/", None, WORK),
    ("policy-list", "get", f"{_P}policies/", None, SIGHTED),
    ("policy-detail", "get", f"{_P}policies/{{policy}}/", None, SIGHTED),
    ("policy-trial-list", "post", f"{_P}policy-trials/", {"body": {"taint": False}}, WORK),
    ("policy-trial", "get", f"{_P}policy-trials/{{trial}}/", None, WORK),
    ("policy-trial-changes", "get", f"{_P}policy-trials/{{trial}}/changes/", None, WORK),
    ("policy-trial-stop", "post", f"{_P}policy-trials/{{trial}}/stop/", None, WORK),
    ("policy-list", "post", f"{_P}policies/", {"body": {"taint": False}}, WORK),
    ("run-list", "get", f"{_P}runs/", None, ALL),
    ("run-list", "post", f"{_P}runs/", {"dataset": "reports"}, WORK),
    ("run-detail", "get", "runs/{run}/", None, ALL),
    ("run-stop", "post", "runs/{run}/stop/", None, WORK),
    ("run-resume", "post", "runs/{run}/resume/", None, WORK),
    ("run-unscored", "post", "runs/{run}/unscored/", None, WORK),
    ("run-compare", "get", "runs/{run}/compare/?a=x&b=y", None, SIGHTED),
    ("judge-list", "get", f"{_P}judges/", None, ALL),
    ("judge-list", "post", f"{_P}judges/", {"body": {}}, MANAGE),
    ("judge-trial", "post", f"{_P}judges/{{judge}}/try/", {}, MANAGE),
    ("judge-key", "delete", f"{_P}judges/{{judge}}/key/", None, MANAGE),
    ("run-judge", "get", "runs/{run}/judge/", None, ALL),
    ("run-judge", "put", "runs/{run}/judge/", {"tokens": 5, "money": None}, MANAGE),
    ("run-calibration", "get", "runs/{run}/calibration/", None, SIGHTED),
    ("run-calibration-adopt", "post", "runs/{run}/calibration/adopt/", {"threshold": 1, "seen_number": 1}, WORK),
    ("item-list", "get", "runs/{run}/items/", None, ALL),
    ("item-detail", "get", _I, None, ALL),
    ("label-detail", "put", f"{_I}turns/1/label/", {"seen_revision": 0, "verdict": "pass"}, ANNOTATE),
    ("label-detail", "get", f"{_I}turns/1/label/", None, ANNOTATE),
    ("label-undo", "post", f"{_I}undo-label/", None, ANNOTATE),
    ("adjudication-list", "get", f"{_P}adjudication/", None, ADJUDICATE),
    ("decision-detail", "get", f"{_I}turns/1/decision/", None, ADJUDICATE),
    (
        "decision-detail",
        "put",
        f"{_I}turns/2/decision/",
        {"seen_revision": 0, "verdict": "fail", "reason": "it says so"},
        ADJUDICATE,
    ),
    ("decision-example", "post", f"{_I}turns/1/decision/example/", {}, ADJUDICATE),
    ("decision-detail", "delete", f"{_I}turns/2/decision/", None, ADJUDICATE),
    ("lesson-list", "get", f"{_P}lessons/", None, SIGHTED),
    ("lesson-list", "post", f"{_P}lessons/", {"kind": "accepted"}, ADJUDICATE),
    ("lesson-detail", "get", "lessons/{lesson}/", None, SIGHTED),
    ("lesson-touched", "get", "lessons/{lesson}/touched/", None, SIGHTED),
    ("lesson-changes", "get", "lessons/{lesson}/changes/", None, SIGHTED),
    ("lesson-score-again", "post", "lessons/{lesson}/score-again/", None, ADJUDICATE),
    ("lesson-take-back", "post", "lessons/{lesson}/take-back/", None, ADJUDICATE),
    ("vocabulary", "get", f"{_P}vocabulary/", None, SIGHTED),
    ("vocabulary", "put", f"{_P}vocabulary/", {"body": {"fillers": ["kindly"]}, "seen_number": 99}, SIGHTED),
    ("vocabulary-list", "get", f"{_P}vocabulary/numbers/", None, SIGHTED),
    ("vocabulary-detail", "get", f"{_P}vocabulary/numbers/1/", None, SIGHTED),
    ("compare-meanings", "post", f"{_P}compare-meanings/", {"expected": "a", "observed": "b"}, SIGHTED),
    ("agreement", "get", f"{_P}agreement/", None, SIGHTED),
    ("agreement-rows", "get", f"{_P}agreement/rows/", None, SIGHTED),
    ("token-detail", "delete", "tokens/{token}/", None, None),
]


@dataclass
class World:
    cast: dict[str, User | None]
    ids: dict[str, Any]


@pytest.fixture
def world() -> World:
    """A blind project with something of everything; the golden is the annotator's."""
    project = make_project(slug="world", is_blind=True, overlap=3)
    cast = cast_of(project)
    owner, annotator = cast[O], cast[A]
    assert owner is not None
    assert annotator is not None
    projects.save_guideline(project=project, title="How", body="…", by=owner, seen_number=0)
    invitation, _ = projects.invite(project=project, role=A, by=owner, now=timezone.now())
    dataset = project.datasets.create(slug="reports", name="Reports")
    version = make_report_version(2, failing=1, dataset=dataset)
    run = make_run(version)
    policy = policies.get_standard(project=project)
    trial = trials.begin(run=run, body={}, name="standard", seen_number=1, by=None, now=timezone.now())
    item = run.items.get(position=1)
    pair = lessons.Pair("metric", "revenue", "profit", "", None)
    lesson = lessons.add_entry(
        item=item, path="main", turn_key="g2", pair=pair, by=owner, is_equal=False, is_for_field=True
    )
    judge = JudgeSettings.objects.create(
        project=project, number=1, body=judge_body("https://203.0.113.7/v1"), content_hash="x"
    )
    conversation = make_conversation(dataset, key="in work")
    trajectory = make_trajectory(conversation)
    make_golden_record(conversation)
    golden = goldens.start(conversation, annotator, trajectory)
    record = {"format": "aem/1", "id": "r", "golden": report_golden(), "trajectory": report_trajectory()}
    job = imports.preview(
        project=project,
        dataset=dataset,
        by=owner,
        files=[SourceFile(name="r.json", data=jsonio.dumps(record).encode())],
    )
    stored = job.files.first()
    make_conversation(dataset, key="aside")
    aside = dataset.conversations.filter(key="aside")
    act = queue_actions.set_aside(project=project, by=owner, chosen=aside, reason="So.", now=timezone.now()).action
    assert act is not None
    member = project.memberships.get(user=cast[E])
    turn = golden.turns.order_by("-position").first()
    assert stored is not None
    assert turn is not None
    ids = {
        "slug": project.slug,
        "dataset": dataset.slug,
        "member": member.pk,
        "act": act.pk,
        "invitation": invitation.pk,
        "conversation": conversation.pk,
        "trajectory": trajectory.pk,
        "golden": golden.pk,
        "merge": Merge.objects.create(conversation=conversation).pk,
        "turn": turn.pk,
        "import_": job.pk,
        "file": stored.pk,
        "run": run.pk,
        "policy": policy.pk,
        "trial": trial.pk,
        "judge": judge.pk,
        "lesson": lesson.pk,
        "token": "no-such-token",
    }
    return World(cast, ids)


def _api_names() -> Iterator[tuple[str, str]]:
    def walk(patterns: Any) -> Iterator[Any]:
        for pattern in patterns:
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns)
            else:
                yield pattern

    api: Any = next(found for found in get_resolver().url_patterns if str(found.pattern) == "api/")
    for pattern in walk(api.url_patterns):
        if pattern.name in ("schema", "api-docs"):
            continue
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(pattern.callback.view_class, method):
                yield pattern.name, method


def test_the_table_has_every_operation() -> None:
    assert {(name, method) for name, method, *_ in OPERATIONS} == set(_api_names())


@pytest.mark.parametrize("who", ["anonymous", "stranger", A, J, E, O])
def test_everybody_gets_what_their_role_allows(world: World, who: str) -> None:
    caller = api_of(world.cast[who])
    for _name, method, address, body, may in OPERATIONS:
        path = address.format(**world.ids)
        if body == "upload":
            response = caller.upload(path, dataset="reports", files=BytesIO(b"{}"))
        else:
            response = caller.call(method, path, body)
        status = response.status_code
        what = f"{method} {path} as {who}: {status} {getattr(response, 'data', '')!r:.300}"
        assert status < 500, what
        if who == "anonymous":
            assert status == 401, what
        elif may is None:
            assert status in ((404,) if "no-such" in path else (200, 201, 400)), what
        elif who == "stranger":
            assert status == 404, what
        elif who in may:
            # Refused or not there any more for other reasons than the role, for all that came before it.
            assert status not in (401, 403), what
        elif _name == "version-item-detail":
            assert status == 404, what
        else:
            assert status == 403, what
        if status >= 400:
            assert response["Content-Type"] == "application/problem+json", what
            assert response.data["status"] == status, what
            assert response.data["detail"], what


def test_a_session_works_and_needs_its_csrf_token(world: World) -> None:
    from django.test import Client

    owner = world.cast[O]
    assert owner is not None
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.get("/api/v1/me/").status_code == 200
    refused = client.post("/api/v1/tokens/", {"name": "x"}, content_type="application/json")
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["detail"]


@pytest.mark.parametrize("header", ["Token", "Token aem_wrong", "Token a b", "Token \xff\xfe", "Bearer x"])
def test_what_is_no_token_is_401(client: Any, header: str) -> None:
    response = client.get("/api/v1/me/", headers={"Authorization": header})
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Token"
