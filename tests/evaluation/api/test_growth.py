"""The number of database queries of an answer does not grow with its rows."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.models import ApiToken, Membership, Role
from annotations.services import assignments, goldens, labels, projects
from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile
from evaluation.services import imports, lessons, policies
from tests.factories import (
    make_conversation,
    make_golden_record,
    make_member,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
    report_trajectory,
)
from tests.people import api_of

pytestmark = pytest.mark.django_db


def _grow(world: dict[str, Any], times: int) -> None:
    """More of everything that a list shows."""
    project, owner, dataset = world["project"], world["owner"], world["dataset"]
    for _ in range(times):
        version = make_report_version(2, failing=1, dataset=dataset)
        run = make_run(version)
        annotator = make_member(project, Role.ADJUDICATOR)
        for number, item in enumerate(run.items.order_by("position")):
            for by in (owner, annotator):
                labels.save(
                    trajectory=item.trajectory, path="main", turn_key="g1", by=by, seen_revision=0,
                    verdict="pass" if number or by == owner else "fail",
                )  # fmt: skip
        conversation = make_conversation(dataset)
        trajectory = make_trajectory(world["conversation"])
        assignments.claim(conversation, owner, timezone.now())
        goldens.start(conversation, owner)
        make_golden_record(world["conversation"], policy={"threshold": world["number"] / 1000})
        world["number"] += 1
        projects.invite(project=project, role=Role.OWNER, by=annotator, now=timezone.now())
        newest = projects.current_guideline(project)
        projects.save_guideline(
            project=project, title="T", body="b", by=annotator, seen_number=newest.number if newest else 0
        )
        record = {"format": "aem/1", "id": "r", "golden": report_golden(), "trajectory": report_trajectory()}
        source = SourceFile(name="r.json", data=jsonio.dumps(record).encode())
        imports.preview(project=project, dataset=dataset, by=annotator, files=[source, source])
        policies.create(project=project, body={"margin": world["number"] / 1000}, by=annotator)
        for pair in (lessons.Pair("metric", "revenue", f"{n} {world['number']}", "", None) for n in ("a", "b")):
            lessons.add_entry(
                item=item, path="main", turn_key="g2", pair=pair, by=annotator, is_equal=False, is_for_field=True
            )
        ApiToken.objects.create(user=owner, expiry=None, name="more")
        Membership.objects.create(project=make_project(), user=owner, role=Role.OWNER)
        world["trajectory"], world["run"] = trajectory, run


LISTS = [
    "me/",
    "tokens/",
    "projects/",
    "projects/growth/members/",
    "projects/growth/invitations/",
    "projects/growth/guidelines/",
    "projects/growth/history/",
    "projects/growth/datasets/",
    "projects/growth/datasets/reports/conversations/",
    "projects/growth/datasets/reports/trajectories/",
    "projects/growth/datasets/reports/versions/",
    "projects/growth/goldens/",
    "projects/growth/queue/mine/",
    "projects/growth/imports/",
    "projects/growth/policies/",
    "projects/growth/runs/",
    "projects/growth/lessons/",
    "projects/growth/vocabulary/numbers/",
    "projects/growth/adjudication/",
    "projects/growth/agreement/",
    "projects/growth/agreement/rows/",
]


def test_queries_do_not_grow_with_rows() -> None:
    project = make_project(slug="growth", is_blind=False)
    owner = make_member(project, Role.OWNER)
    dataset = project.datasets.create(slug="reports", name="Reports")
    world: dict[str, Any] = {"project": project, "owner": owner, "dataset": dataset, "number": 1}
    world["conversation"] = make_conversation(dataset)
    caller = api_of(owner)

    def counts() -> tuple[dict[str, int], dict[str, int]]:
        pk = world["conversation"].pk
        queries, rows = {}, {}
        for path in (*LISTS, f"conversations/{pk}/trajectories/", f"conversations/{pk}/golden-records/"):
            with CaptureQueriesContext(connection) as captured:
                response = caller.get(path)
            assert response.status_code == 200, (path, response.data)
            queries[path] = len(captured)
            rows[path] = len(response.data.get("results", ()))
        return queries, rows

    _grow(world, 1)
    few, few_rows = counts()
    _grow(world, 3)
    many, many_rows = counts()
    assert many == few
    grown = {path for path in few_rows if many_rows[path] > few_rows[path]}
    # One answer for oneself, one dataset; and of each dataset the newest run only is compared.
    single = {path for path in LISTS if path.endswith(("me/", "datasets/", "adjudication/", "agreement/", "rows/"))}
    assert set(few_rows) - grown <= single


def test_queries_of_a_run_do_not_grow_with_its_items() -> None:
    project = make_project(slug="growth", is_blind=False)
    owner = make_member(project, Role.OWNER)
    caller = api_of(owner)
    found = []
    for number in (2, 8):
        dataset = project.datasets.create(slug=f"d{number}", name="D")
        run = make_run(make_report_version(number, failing=number, dataset=dataset))
        for item in run.items.all():
            labels.save(
                trajectory=item.trajectory, path="main", turn_key="g2", by=owner, seen_revision=0, verdict="pass"
            )
        paths = {
            "run": f"runs/{run.pk}/",
            "items": f"runs/{run.pk}/items/",
            "item": f"runs/{run.pk}/items/1/",
            "version": f"projects/growth/datasets/d{number}/versions/1/items/",
            "adjudication": f"projects/growth/adjudication/?run={run.pk}",
            "rows": f"projects/growth/agreement/rows/?run={run.pk}",
            "report": f"projects/growth/agreement/?run={run.pk}",
        }
        counts = {}
        for name, path in paths.items():
            with CaptureQueriesContext(connection) as captured:
                assert caller.get(path).status_code == 200
            counts[name] = len(captured)
        found.append(counts)
    assert found[0] == found[1]


def test_pages_follow_each_other() -> None:
    project = make_project(slug="growth", is_blind=False)
    owner = make_member(project, Role.OWNER)
    dataset = project.datasets.create(slug="reports", name="Reports")
    run = make_run(make_report_version(5, failing=5, dataset=dataset))
    caller = api_of(owner)
    for item in run.items.all():
        labels.save(trajectory=item.trajectory, path="main", turn_key="g2", by=owner, seen_revision=0, verdict="pass")
    for path, name in (
        ("projects/growth/datasets/reports/conversations/", "key"),
        (f"runs/{run.pk}/items/", "position"),
        ("projects/growth/adjudication/", "position"),
    ):
        whole = [row[name] for row in caller.get(path).data["results"]]
        seen, following = [], f"{path}?limit=2"
        while following:
            page = caller.get(following).data
            assert len(page["results"]) <= 2
            seen += [row[name] for row in page["results"]]
            following = (page["next"] or "").partition("/api/v1/")[2]
        assert seen == whole
        assert len(seen) >= 5
