"""What a project's first page shows: where the work stands on the main path, and what comes next for this member."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from annotations.access import Viewer
from annotations.models import (
    Assignment,
    AssignmentState,
    Capability,
    Conversation,
    DatasetVersion,
    Golden,
    HumanLabel,
    Trajectory,
)
from evaluation.aem.language import say, say_n
from evaluation.models import Decision, EvaluationRun, ImportJob, ImportState, RunState, TurnVerdict


@dataclass(frozen=True, slots=True)
class Station:
    """One stop of the main path: what it is called, how far it has come, where to go."""

    label: str
    figure: str
    note: str
    url: str


@dataclass(frozen=True, slots=True)
class Step:
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Overview:
    stations: tuple[Station, ...]
    next_steps: tuple[Step, ...]


def of_project(viewer: Viewer) -> Overview:
    """Counts by a fixed number of queries; a blinded annotator gets none that would tell others' work."""
    project, slug = viewer.project, viewer.project.slug
    conversations = Conversation.objects.in_project(project)
    total, annotated = conversations.count(), conversations.annotated().count()
    trajectories = Trajectory.objects.in_project(project).current().count()
    versions = DatasetVersion.objects.filter(dataset__project=project).count()
    runs = list(EvaluationRun.objects.filter(project=project, follows=None).order_by("-number")[:1])
    run_count = EvaluationRun.objects.filter(project=project).count()
    my_open = Assignment.objects.filter(
        conversation__dataset__project=project, annotator=viewer.user, state=AssignmentState.CLAIMED
    ).count()
    waiting = Golden.objects.in_project(project).awaiting_review().count() if viewer.can(Capability.ADJUDICATE) else 0
    my_labels = HumanLabel.objects.in_project(project).filter(annotator=viewer.user).count()

    def link(name: str) -> str:
        return reverse(name, args=[slug])

    stations = [
        Station(
            say("Import"),
            f"{total:,}",
            say("conversations, {number} trajectories", number=f"{trajectories:,}"),
            link("annotations:dataset-list"),
        ),
        Station(
            say("Annotate"),
            say("{n} of {total}", n=f"{annotated:,}", total=f"{total:,}"),
            say("have a golden in force"),
            link("annotations:queue" if viewer.can(Capability.ANNOTATE) else "annotations:dataset-list"),
        ),
        Station(say("Release"), f"{versions:,}", say("dataset versions"), link("annotations:dataset-list")),
        Station(say("Score"), f"{run_count:,}", say("evaluation runs"), link("evaluation:run-list")),
        Station(say("Review"), f"{my_labels:,}", say("turns labelled by you"), link("evaluation:run-list")),
    ]
    if not viewer.is_blinded:
        decisions = Decision.objects.in_project(project).count()
        if viewer.can(Capability.ADJUDICATE):
            stations.append(
                Station(
                    say("Adjudicate"), f"{decisions:,}", say("decisions made"), link("evaluation:adjudication-list")
                )
            )
        stations.append(Station(say("Agreement"), "→", say("machine and people"), link("evaluation:agreement")))
    if viewer.can(Capability.EXPORT):
        stations.append(Station(say("Export"), "→", say("aem/1 and CSV"), link("annotations:dataset-list")))
    return Overview(
        stations=tuple(stations),
        next_steps=tuple(
            _next_steps(
                viewer, total=total, annotated=annotated, versions=versions, runs=runs, my_open=my_open, waiting=waiting
            )
        ),
    )


def _next_steps(
    viewer: Viewer,
    *,
    total: int,
    annotated: int,
    versions: int,
    runs: list[EvaluationRun],
    my_open: int,
    waiting: int,
) -> list[Step]:
    slug, steps = viewer.project.slug, []

    def add(text: str, name: str) -> None:
        steps.append(Step(text, reverse(name, args=[slug])))

    if viewer.can(Capability.IMPORT):
        undecided = ImportJob.objects.filter(project=viewer.project, state=ImportState.PREVIEWED).count()
        if undecided:
            add(
                say_n("{count} upload waits for your decision", "{count} uploads wait for your decision", undecided),
                "evaluation:import-list",
            )
        if not total:
            add(say("Import conversations and trajectories"), "evaluation:import-list")
    if waiting:
        add(
            say_n("{count} submitted golden waits for review", "{count} submitted goldens wait for review", waiting),
            "annotations:golden-review-list",
        )
    if viewer.can(Capability.ANNOTATE):
        if my_open:
            add(
                say_n(
                    "Go on with the {count} conversation in your hands",
                    "Go on with the {count} conversations in your hands",
                    my_open,
                ),
                "annotations:queue",
            )
        elif annotated < total:
            left = total - annotated
            add(
                say_n(
                    "Annotate: {count} conversation has no golden yet",
                    "Annotate: {count} conversations have no golden yet",
                    left,
                ),
                "annotations:queue",
            )
    if viewer.can(Capability.MANAGE) and annotated and not versions:
        add(say("Release a first dataset version"), "annotations:dataset-list")
    if viewer.can(Capability.RUN) and versions and not runs:
        add(say("Score the trajectories"), "evaluation:run-list")
    if runs and viewer.can(Capability.LABEL):
        add(say("Label what the agent did, turn by turn"), "evaluation:run-list")
    if runs and viewer.can(Capability.ADJUDICATE) and runs[0].state == RunState.DONE:
        ambiguous = TurnVerdict.objects.in_run(runs[0]).filter(ambiguous=True).count()
        if ambiguous:
            add(
                say("{count} ambiguous verdicts of {run} go to people", count=ambiguous, run=runs[0]),
                "evaluation:adjudication-list",
            )
    if runs and not viewer.is_blinded:
        newest = runs[0]
        steps.append(Step(say("Look at the root causes of {run}", run=newest), newest.get_absolute_url()))
        add(say("See how far machine and people agree"), "evaluation:agreement")
    return steps
