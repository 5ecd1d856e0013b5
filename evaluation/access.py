"""Who may see what the machine computed: as in `annotations.access`, for runs and their items."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404

from annotations.access import Viewer, get_project_or_404, get_viewer
from annotations.models import Capability, Golden, User
from evaluation.aem.language import say
from evaluation.models import EvaluationRun, Lesson, Policy, PolicyTrial, RunItem, Vocabulary

M = TypeVar("M", bound=Model)
#: The largest number that a column holds.
_LARGEST = 2**31


def get_sighted_viewer(user: User | AnonymousUser, slug: str, *, require: str = Capability.VIEW) -> Viewer:
    """A viewer who may see others' labels; raises PermissionDenied for blinded annotators."""
    viewer = get_project_or_404(user, slug, require=require)
    if viewer.is_blinded:
        raise PermissionDenied(say("This project is blind: agreement would tell you what others and the machine say."))
    return viewer


def get_policy_viewer(user: User | AnonymousUser, slug: str, *, to_edit: bool = False) -> Viewer:
    """Who runs or adjudicates may read policies, who runs may edit them; raises PermissionDenied for annotators."""
    viewer = get_project_or_404(user, slug, require=Capability.RUN if to_edit else Capability.VIEW)
    if not viewer.can(Capability.RUN) and not viewer.can(Capability.ADJUDICATE):
        raise PermissionDenied(
            say("How the machine judges is settled by engineers and owners; annotators do without it.")
        )
    return viewer


def get_policy_or_404(
    user: User | AnonymousUser, slug: str, pk: int, *, to_edit: bool = False
) -> tuple[Viewer, Policy]:
    """One number of a policy."""
    viewer = get_policy_viewer(user, slug, to_edit=to_edit)
    return viewer, _first(Policy.objects.select_related("project", "created_by").filter(project=viewer.project, pk=pk))


def get_trial_or_404(user: User | AnonymousUser, slug: str, trial_id: UUID) -> tuple[Viewer, PolicyTrial]:
    """A draft of a policy that was tried; for those who may edit policies."""
    viewer = get_policy_viewer(user, slug, to_edit=True)
    trials = PolicyTrial.objects.select_related(
        "project", "run__policy", "run__dataset_version__dataset", "policy", "created_by"
    )
    return viewer, _first(trials.filter(project=viewer.project, pk=trial_id))


def get_vocabulary_viewer(user: User | AnonymousUser, slug: str, *, require: str = Capability.VIEW) -> Viewer:
    """Who runs or adjudicates may read and edit what words mean in a project; PermissionDenied for annotators."""
    viewer = get_project_or_404(user, slug, require=require)
    _refuse_annotators(viewer)
    return viewer


def get_vocabulary_or_404(user: User | AnonymousUser, slug: str, number: int) -> tuple[Viewer, Vocabulary]:
    """One number of a project's vocabulary."""
    viewer = get_vocabulary_viewer(user, slug)
    rows = Vocabulary.objects.select_related("project", "created_by").filter(project=viewer.project)
    return viewer, _first(rows.filter(number=number) if number < _LARGEST else rows.none())


def get_lesson_or_404(
    user: User | AnonymousUser, lesson_id: UUID, *, require: str = Capability.VIEW
) -> tuple[Viewer, Lesson]:
    """What a decision taught; raises PermissionDenied for annotators."""
    lesson = _first(
        Lesson.objects.select_related(
            "project",
            "run__project",
            "run__policy",
            "run__dataset_version__dataset__project",
            "trajectory__conversation",
            "vocabulary",
            "golden_record",
            "golden_before",
            "rescored_in__project",
            "learned_by",
            "taken_back_by",
        ).filter(pk=lesson_id)
    )
    viewer = get_viewer(user, lesson.project, require=require)
    _refuse_annotators(viewer)
    return viewer, lesson


def _refuse_annotators(viewer: Viewer) -> None:
    if not viewer.can(Capability.RUN) and not viewer.can(Capability.ADJUDICATE):
        raise PermissionDenied(say("What counts as equal is settled by adjudicators, engineers and owners."))


def get_run_or_404(
    user: User | AnonymousUser, run_id: UUID, *, require: str = Capability.VIEW
) -> tuple[Viewer, EvaluationRun]:
    """A run. A blinded viewer may see that it exists and what is in it, and no result of it."""
    run = _first(
        EvaluationRun.objects.select_related(
            "project", "dataset_version__dataset__project", "policy", "created_by", "follows"
        ).filter(pk=run_id)
    )
    return get_viewer(user, run.project, require=require), run


def get_run_item_or_404(
    user: User | AnonymousUser, run_id: UUID, position: int, *, require: str = Capability.VIEW
) -> tuple[Viewer, RunItem]:
    """One trajectory of a run, with what it was scored against.

    A blinded annotator gets 403 while writing a golden of the same conversation: the one in force would tell them.
    """
    item = _first(
        RunItem.objects.select_related(
            "run__project",
            "run__policy",
            "run__dataset_version__dataset",
            "trajectory__conversation__dataset__project",
            "golden_record__tool_set",
            "verdict",
        ).filter(run=run_id, position=position)
    )
    viewer = get_viewer(user, item.run.project, require=require)
    own = Golden.objects.being_written().filter(conversation=item.trajectory.conversation_id, annotator=viewer.user)
    if viewer.is_blinded and own.exists():
        raise PermissionDenied(
            say(
                "You are still writing your own golden of this conversation. Submit it first: "
                "here stands the one in force."
            )
        )
    return viewer, item


def _first(queryset: QuerySet[M]) -> M:
    found = queryset.first()
    if found is None:
        raise Http404(say("There is nothing here, or you are not a member of its project."))
    return found
