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
            "Import", f"{total:,}", f"conversations, {trajectories:,} trajectories", link("annotations:dataset-list")
        ),
        Station(
            "Annotate",
            f"{annotated:,} of {total:,}",
            "have a golden in force",
            link("annotations:queue" if viewer.can(Capability.ANNOTATE) else "annotations:dataset-list"),
        ),
        Station("Release", f"{versions:,}", "dataset versions", link("annotations:dataset-list")),
        Station("Score", f"{run_count:,}", "evaluation runs", link("evaluation:run-list")),
        Station("Review", f"{my_labels:,}", "turns labelled by you", link("evaluation:run-list")),
    ]
    if not viewer.is_blinded:
        decisions = Decision.objects.in_project(project).count()
        if viewer.can(Capability.ADJUDICATE):
            stations.append(
                Station("Adjudicate", f"{decisions:,}", "decisions made", link("evaluation:adjudication-list"))
            )
        stations.append(Station("Agreement", "→", "machine and people", link("evaluation:agreement")))
    if viewer.can(Capability.EXPORT):
        stations.append(Station("Export", "→", "aem/1 and CSV", link("annotations:dataset-list")))
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
                f"{undecided} upload{'s wait' if undecided > 1 else ' waits'} for your decision",
                "evaluation:import-list",
            )
        if not total:
            add("Import conversations and trajectories", "evaluation:import-list")
    if waiting:
        add(
            f"{waiting} submitted golden{'s wait' if waiting > 1 else ' waits'} for review",
            "annotations:golden-review-list",
        )
    if viewer.can(Capability.ANNOTATE):
        if my_open:
            add(f"Go on with the {my_open} conversation{'s' if my_open > 1 else ''} in your hands", "annotations:queue")
        elif annotated < total:
            left = total - annotated
            add(f"Annotate: {left} conversation{'s have' if left > 1 else ' has'} no golden yet", "annotations:queue")
    if viewer.can(Capability.MANAGE) and annotated and not versions:
        add("Release a first dataset version", "annotations:dataset-list")
    if viewer.can(Capability.RUN) and versions and not runs:
        add("Score the trajectories", "evaluation:run-list")
    if runs and viewer.can(Capability.LABEL):
        add("Label what the agent did, turn by turn", "evaluation:run-list")
    if runs and viewer.can(Capability.ADJUDICATE) and runs[0].state == RunState.DONE:
        ambiguous = TurnVerdict.objects.in_run(runs[0]).filter(ambiguous=True).count()
        if ambiguous:
            add(f"{ambiguous} ambiguous verdicts of {runs[0]} go to people", "evaluation:adjudication-list")
    if runs and not viewer.is_blinded:
        newest = runs[0]
        steps.append(Step(f"Look at the root causes of {newest}", newest.get_absolute_url()))
        add("See how far machine and people agree", "evaluation:agreement")
    return steps
