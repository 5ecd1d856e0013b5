"""Plain functions that make rows; a test states only what matters to it."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.utils import timezone

from annotations.models import (
    Conversation,
    Dataset,
    DatasetVersion,
    DatasetVersionItem,
    Golden,
    GoldenRecord,
    Membership,
    Project,
    Role,
    Trajectory,
    User,
)
from annotations.services import documents
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun
from evaluation.services import policies, runs, scoring

_number = count(1)

REPORT_TOOLS: dict[str, Any] = {
    "reports": {"effect": "read", "description": "Filter and sum up sales."},
    "mail": {"effect": "write", "description": "Send a message."},
}


def make_user(name: str = "", **fields: Any) -> User:
    user = User(username=name or f"user{next(_number)}", **fields)
    user.set_unusable_password()
    user.save()
    return user


def make_project(*, slug: str = "", **fields: Any) -> Project:
    slug = slug or f"project-{next(_number)}"
    return Project.objects.create(slug=slug, name=fields.pop("name", slug.replace("-", " ").title()), **fields)


def make_member(project: Project, role: str = Role.ANNOTATOR, *, user: User | None = None) -> User:
    user = user or make_user()
    Membership.objects.create(project=project, user=user, role=role)
    return user


def make_dataset(project: Project | None = None, *, slug: str = "") -> Dataset:
    slug = slug or f"dataset-{next(_number)}"
    return Dataset.objects.create(project=project or make_project(), slug=slug, name=slug)


def make_conversation(
    dataset: Dataset | None = None, *, key: str = "", tools: Any = None, **fields: Any
) -> Conversation:
    dataset = dataset or make_dataset()
    tool_set = documents.get_tool_set(project=dataset.project, tools=REPORT_TOOLS if tools is None else tools)
    key = key or f"conversation-{next(_number)}"
    return Conversation.objects.create(
        dataset=dataset, key=key, title=fields.pop("title", key), tool_set=tool_set, **fields
    )


def report_golden() -> dict[str, Any]:
    """The sales report: a question, three calls that build on each other, an answer."""
    return {
        "paths": [
            {
                "id": "main",
                "turns": [
                    {"id": "u1", "user": "I need a sales report"},
                    {"id": "g1", "response": "Which region should the report cover?"},
                    {"id": "u2", "user": "Europe, revenue please"},
                    {
                        "id": "g2",
                        "tool": "reports",
                        "action": "FilterData",
                        "params": {"metric": {"value": "revenue"}, "region": {"values": ["EU", "Europe"]}},
                    },
                    {
                        "id": "g3",
                        "tool": "reports",
                        "action": "Aggregate",
                        "params": {"data_id": {"ref": {"turn": "g2", "path": "$.data_id"}}},
                    },
                    {
                        "id": "g4",
                        "tool": "reports",
                        "action": "Render",
                        "params": {"format": {"value": "pdf"}},
                        "depends_on": ["g3"],
                    },
                    {
                        "id": "g5",
                        "response": "EU revenue was 120 million.",
                        "claims": [
                            {"id": "total", "text": "EU revenue was 120 million", "contains": ["120"], "from": ["g3"]}
                        ],
                    },
                ],
            }
        ],
        "forbidden": [],
        "outcome": [],
    }


def report_trajectory(*, metric: str = "revenue", total: int = 120) -> dict[str, Any]:
    """A run of the sales report; with metric="profit" it fails at turn 2 and the rest inherits it."""
    return {
        "turns": [
            {"user": "I need a sales report"},
            {"response": "Which region should the report cover?"},
            {"user": "Europe, revenue please"},
            {
                "tool": "reports",
                "action": "FilterData",
                "args": {"metric": metric, "region": "EU"},
                "result": {"data_id": "D7"},
            },
            {"tool": "reports", "action": "Aggregate", "args": {"data_id": "D7"}, "result": {"total": total}},
            {"tool": "reports", "action": "Render", "args": {"format": "pdf"}, "result": {"ok": True}},
            {"response": f"EU revenue was {total} million."},
        ]
    }


def make_trajectory(
    conversation: Conversation | None = None, *, body: dict[str, Any] | None = None, key: str = "", **fields: Any
) -> Trajectory:
    body = report_trajectory() if body is None else body
    return Trajectory.objects.create(
        conversation=conversation or make_conversation(),
        key=key or f"trajectory-{next(_number)}",
        agent=fields.pop("agent", "reporter"),
        agent_version=fields.pop("agent_version", "2.2"),
        trial=fields.pop("trial", 0),
        body=body,
        content_hash=jsonio.content_hash(body),
        turn_count=sum("user" not in turn for turn in body["turns"]),
        **fields,
    )


def make_golden_record(
    conversation: Conversation | None = None,
    *,
    golden: dict[str, Any] | None = None,
    policy: dict[str, Any] | None = None,
) -> GoldenRecord:
    body = documents.golden_body(golden=report_golden() if golden is None else golden, policy=policy or {})
    return documents.accept_golden_record(conversation=conversation or make_conversation(), body=body, by=None)


def make_golden(conversation: Conversation | None = None, *, annotator: User | None = None, **fields: Any) -> Golden:
    """A golden in work without turns; `annotations.services.goldens` fills it."""
    conversation = conversation or make_conversation()
    annotator = annotator or make_member(conversation.dataset.project)
    return Golden.objects.create(conversation=conversation, annotator=annotator, **fields)


def make_dataset_version(
    dataset: Dataset | None = None, *, records: list[GoldenRecord] | None = None
) -> DatasetVersion:
    """A frozen version of the given records; without any, of one sales report."""
    dataset = dataset or make_dataset()
    records = [make_golden_record(make_conversation(dataset))] if records is None else records
    version = DatasetVersion.objects.create(
        dataset=dataset,
        number=dataset.versions.count() + 1,
        content_hash=jsonio.content_hash([record.content_hash for record in records]),
    )
    DatasetVersionItem.objects.bulk_create(
        DatasetVersionItem(version=version, position=position, golden_record=record)
        for position, record in enumerate(records)
    )
    return version


def make_run(version: DatasetVersion | None = None, *, is_scored: bool = True, **choice: Any) -> EvaluationRun:
    """A started run over all current trajectories of the version; worked through unless the test wants to."""
    if version is None:
        conversation = make_conversation()
        version = make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)])
        make_trajectory(conversation)
    project = version.dataset.project
    policy = choice.pop("policy", None) or policies.get_standard(project=project)
    run = runs.plan(project=project, dataset_version=version, policy=policy, by=None, **choice)
    runs.start(run=run)
    return score_run(run) if is_scored else run


def score_run(run: EvaluationRun) -> EvaluationRun:
    """Work through what is ready, as a worker does, and end the run."""
    while scoring.work(worker="test"):
        pass
    scoring.finish(now=timezone.now())
    run.refresh_from_db()
    return run


def make_report_version(
    count: int, *, failing: int = 0, agent_version: str = "2.2", dataset: Dataset | None = None, **fields: Any
) -> DatasetVersion:
    """A version of ``count`` sales reports with a trajectory each, of which the first ``failing`` fail at turn 2."""
    dataset = dataset or make_dataset()
    records = []
    for number in range(count):
        conversation = make_conversation(dataset, language="en", domain="sales")
        records.append(make_golden_record(conversation))
        body = report_trajectory(metric="profit" if number < failing else "revenue")
        make_trajectory(conversation, body=body, agent_version=agent_version, **fields)
    return make_dataset_version(dataset, records=records)
