"""Loads the demo project: once, through the same services as everything else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotations.demo import content
from annotations.models import Dataset, Golden, GoldenStatus, Membership, Project, Role, User
from annotations.services import projects, releases
from evaluation.aem.language import mark
from evaluation.formats.model import (
    ParsedAnnotation,
    ParsedConversation,
    ParsedDecision,
    ParsedGolden,
    ParsedLabel,
    ParsedTrajectory,
)
from evaluation.models import EvaluationRun, Lesson, LessonKind, TurnVerdict
from evaluation.services import imports, lessons, policies, runs, vocabularies

SLUG = "demo"
RETURNED_BECAUSE = {
    "en": "The accepted golden asks for more here: compare turn by turn, and mark what may be left out.",
    "es": "El golden aceptado pide algo más aquí: compáralo turno por turno y marca lo que puede omitirse.",
    "pt": "O golden aceito pede algo a mais aqui: compare turno a turno e marque o que pode ficar de fora.",
}


@dataclass(frozen=True, slots=True)
class DemoLogin:
    username: str
    name: str
    role: str
    what: str

    @property
    def password(self) -> str:
        """Public by design: these accounts exist only where the demo was loaded."""
        return f"{self.username}-demo"


LOGINS = (
    DemoLogin("ana", "Ana Duarte", Role.ANNOTATOR, mark("annotate and label (annotator)")),
    DemoLogin("ben", "Ben Whitlock", Role.ANNOTATOR, mark("annotate and label (annotator)")),
    DemoLogin("carla", "Carla Revuelta", Role.ADJUDICATOR, mark("settle disagreements (adjudicator)")),
    DemoLogin("emil", "Emil Sørensen", Role.ENGINEER, mark("import, score, compare versions (agent engineer)")),
    DemoLogin("olga", "Olga Brandt", Role.OWNER, mark("people, guideline, releases (owner)")),
)


def available_logins() -> tuple[DemoLogin, ...]:
    """The demo logins that exist here; none where the demo was not loaded."""
    there = set(User.objects.filter(is_demo=True, is_active=True).values_list("username", flat=True))
    return tuple(login for login in LOGINS if login.username in there)


@transaction.atomic
def load(*, now: datetime) -> tuple[Project, list[EvaluationRun]] | None:
    """Make the demo project with everything in it; None where it is there already.

    The runs are planned and started; the worker scores them.
    """
    if Project.objects.filter(slug=SLUG).exists():
        return None
    built = content.build()
    people = {login.username: _person(login) for login in LOGINS}
    project = projects.create_project(
        name=built.title, slug=SLUG, by=people["olga"], description=built.description, is_blind=True, overlap=2
    )
    Project.objects.filter(pk=project.pk).update(is_demo=True)
    project.refresh_from_db()
    for login in LOGINS:
        Membership.objects.get_or_create(project=project, user=people[login.username], defaults={"role": login.role})
    projects.save_guideline(project=project, title="Guideline", body=built.guideline, by=people["olga"], seen_number=1)
    named = {
        name: policies.create(project=project, name=name, body=body, by=people["olga"])
        for name, body in built.policies.items()
    }
    vocabularies.create(project=project, body=built.vocabulary, by=people["olga"], seen_number=0)
    started = []
    for described in built.datasets:
        dataset = Dataset.objects.create(project=project, slug=described.slug, name=described.name)
        imports.write(
            dataset=dataset,
            by=people["olga"],
            now=now,
            conversations=[_parsed(entry) for entry in built.conversations if entry.dataset == described.slug],
        )
        Golden.objects.filter(conversation__dataset=dataset, status=GoldenStatus.RETURNED).update(
            reviewed_by=people["carla"], reviewed_at=now, review_comment=RETURNED_BECAUSE[described.language]
        )
        version = releases.release(dataset=dataset, by=people["olga"], note="The demo as it is loaded.")
        policy = named[described.policy]
        started.append(
            runs.plan(project=project, dataset_version=version, policy=policy, by=people["emil"], name=described.name)
        )
    return project, started


def teach(*, project: Project) -> Lesson:
    """What the adjudicator's decision taught: a pair that counts as equal from now on.

    The runs must be scored. Scoring again what the lesson touches is left to the visitor.
    """
    taught = content.build().lesson
    turn = TurnVerdict.objects.select_related("verdict__item__run__project", "verdict__item__trajectory").get(
        verdict__item__run__project=project,
        verdict__item__trajectory__key=taught.trajectory_key,
        turn_key=taught.turn,
    )
    item = turn.verdict.item
    golden = next(
        one
        for path in item.golden_record.body["golden"]["paths"]
        if path["id"] == turn.verdict.path
        for one in path["turns"]
        if one.get("id") == turn.turn_key
    )
    pairs = lessons.pairs_of(golden, turn.detail["items"])
    return lessons.learn(
        kind=LessonKind.EQUAL,
        item=item,
        path=turn.verdict.path,
        turn_key=turn.turn_key,
        pair=next(pair for pair in pairs if pair.field == taught.field),
        by=User.objects.get(username="carla"),
        reason=taught.reason,
    )


def _person(login: DemoLogin) -> User:
    user, is_new = User.objects.get_or_create(
        username=login.username, defaults={"display_name": login.name, "is_demo": True}
    )
    if is_new:
        user.set_password(login.password)
        user.save(update_fields=["password"])
    return user


def _parsed(entry: content.Conversation) -> ParsedConversation:
    goldens = () if entry.golden is None else (ParsedGolden(body=entry.golden, policy=entry.policy),)
    return ParsedConversation(
        key=entry.key,
        title=entry.title,
        language=entry.language,
        domain=entry.domain,
        user_goal=entry.user_goal,
        system_prompt=entry.system_prompt,
        tools=entry.tools,
        goldens=goldens,
        trajectories=tuple(_trajectory(entry, trajectory) for trajectory in entry.trajectories),
        annotations=tuple(
            ParsedAnnotation(
                annotator=annotation.annotator,
                status=annotation.status,
                golden=annotation.golden,
                comment=annotation.comment,
            )
            for annotation in entry.annotations
        ),
    )


def _trajectory(entry: content.Conversation, trajectory: content.Trajectory) -> ParsedTrajectory:
    body: dict[str, object] = {"turns": trajectory.turns}
    if trajectory.final_state is not None:
        body["final_state"] = trajectory.final_state
    return ParsedTrajectory(
        key=trajectory.key,
        body=body,
        agent=trajectory.agent,
        agent_version=trajectory.agent_version,
        trial=trajectory.trial,
        labels=tuple(
            ParsedLabel(
                annotator=label.annotator,
                path=label.path,
                turn=label.turn,
                verdict=label.verdict,
                structural=label.structural,
                completeness=label.completeness,
                truthfulness=label.truthfulness,
                failure_reason=label.failure_reason,
                attribution=label.attribution,
                cascade_of=tuple(label.cascade_of),
                comment=label.comment,
            )
            for label in entry.labels
            if label.trajectory_key == trajectory.key
        ),
        decisions=tuple(
            ParsedDecision(
                by=decision.by,
                path=decision.path,
                turn=decision.turn,
                verdict=decision.verdict,
                structural=decision.structural,
                completeness=decision.completeness,
                truthfulness=decision.truthfulness,
                failure_reason=decision.failure_reason,
                attribution=decision.attribution,
                cascade_of=tuple(decision.cascade_of),
                reason=decision.reason,
            )
            for decision in entry.decisions
            if decision.trajectory_key == trajectory.key
        ),
    )
