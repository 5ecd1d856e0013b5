"""A blinded annotator finds on no page what others wrote, what the machine says, or what a benchmark scored (G13)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import Change, Golden, Merge, Project, Role, Trajectory
from annotations.services import goldens, labels
from evaluation.models import EvaluationRun
from evaluation.services import decisions, lessons, trials
from tests.factories import make_golden, make_member, make_project, make_report_version, make_run, make_user
from tests.people import client_of
from tests.world import World, routes

pytestmark = pytest.mark.django_db

SECRET = "SECRET"
REVEALING = (SECRET, "0.7777", "failed at turn", "prior_action_failed", "from turn 2", "1 root cause", "turn 2 failed")


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=True, overlap=2)


@pytest.fixture
def run(project: Project) -> EvaluationRun:
    """Both trajectories fail; another annotator and the adjudicator have said so, and a benchmark too."""
    dataset = project.datasets.create(slug="reports", name="Reports")
    ana, carla = make_member(project), make_member(project, Role.ADJUDICATOR)
    run = make_run(make_report_version(2, failing=2, dataset=dataset))
    Trajectory.objects.update(
        reward="0.7777",
        reward_as_given="0.7777",
        metadata={"info": SECRET},
        extra={"comments": [{"by": "x", "text": SECRET}], "note": SECRET},
    )
    for item in run.items.select_related("trajectory__conversation"):
        labels.save(
            trajectory=item.trajectory,
            path="main",
            turn_key="g2",
            by=ana,
            seen_revision=0,
            verdict="fail",
            failure_reason="inconsistent_parameter_values",
            attribution="root",
            comment=SECRET,
        )
        decisions.decide(
            trajectory=item.trajectory,
            path="main",
            turn_key="g3",
            by=carla,
            seen_revision=0,
            verdict="fail",
            reason=SECRET,
            example=SECRET,
        )
        golden = goldens.start(item.trajectory.conversation, ana, item.trajectory)
        Golden.objects.filter(pk=golden.pk).update(comment=SECRET)
    return run


def look(client: Client, run: EvaluationRun) -> dict[str, str]:
    """Every page that there is for this person, as the browser gets it."""
    item = run.items.select_related("trajectory").get(position=1)
    golden = Golden.objects.filter(conversation=item.trajectory.conversation_id).first()
    assert golden is not None
    turn = golden.turns.first()
    assert turn is not None
    trial = trials.begin(
        run=run, body={}, name=SECRET, seen_number=0, by=make_user(), now=timezone.now(), policy=run.policy
    )
    pair = lessons.Pair("metric", "revenue", SECRET, "", None)
    lesson = lessons.add_entry(
        item=item,
        path="main",
        turn_key="g2",
        pair=pair,
        by=make_user(),
        is_equal=True,
        is_for_field=True,
        reason=SECRET,
    )
    world = World(
        run.project,
        {},
        {
            "slug": run.project.slug,
            "dataset_slug": "reports",
            "number": 1,
            "golden_id": golden.pk,
            "run_id": run.pk,
            "trial_id": trial.pk,
            "lesson_id": lesson.pk,
            "position": 1,
            "turn_no": 2,
            "index": 3,
            "hand": "guideline",
            "merge_id": Merge.objects.get_or_create(conversation=golden.conversation)[0].pk,
            "token": "0",
            "change_pk": Change.objects.filter(scope=str(golden.pk)).order_by("pk").values_list("pk", flat=True).first()
            or 0,
            "part": "result",
            "name": "result",
        },
        {
            "annotations:conversation": item.trajectory.conversation_id,
            "annotations:trajectory": item.trajectory_id,
            "annotations:golden": turn.pk,
            "evaluation:policy": run.policy_id,
        },
    )
    seen = {}
    for name, route in routes().items():
        if name.startswith("api") or any(part in route for part in ("job_id", "secret", "token_key")):
            continue
        for query in ("", "?turn=3", "?golden=1", "?q=SEC", "?result=failed&cause=root"):
            try:
                response = client.get(world.url_of(name) + query)
            except StopIteration:  # an address of something that is only posted to
                break
            if response.status_code == 200 and not response.streaming:
                seen[world.url_of(name) + query] = response.content.decode().replace("q=SEC", "")
    return seen


def test_no_page_tells(project: Project, run: EvaluationRun) -> None:
    client = client_of(make_member(project))
    seen = look(client, run)
    assert len(seen) > 60
    for address, text in seen.items():
        for word in REVEALING:
            assert word not in text, f"{word} on {address}"


def test_the_same_pages_tell_those_who_may_know(project: Project, run: EvaluationRun) -> None:
    together = "".join(look(client_of(make_member(project, Role.OWNER)), run).values())
    for word in REVEALING[:2] + REVEALING[3:]:
        assert word in together, word


def test_who_is_still_writing_a_golden_does_not_look_up_the_one_in_force(project: Project, run: EvaluationRun) -> None:
    annotator, item = make_member(project), run.items.select_related("trajectory__conversation")[0]
    golden = make_golden(item.trajectory.conversation, annotator=annotator)
    client = client_of(annotator)
    assert client.get(item.get_absolute_url()).status_code == 403
    golden.status = "submitted"
    golden.save()
    assert client.get(item.get_absolute_url()).status_code == 200
