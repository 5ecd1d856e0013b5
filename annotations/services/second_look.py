"""What was made under an older guideline, and may be in doubt since it changed."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from annotations.models import Golden, GoldTurn, Guideline, HumanLabel, Project, TurnKind


def _older(version: Guideline) -> Q:
    """Made under an earlier version, or under one that is not known, as some imports are."""
    return Q(guideline__number__lt=version.number) | Q(guideline__isnull=True)


def goldens_in_doubt(version: Guideline, *, tool: str = "") -> QuerySet[Golden]:
    """Goldens that were last saved before this version; with ``tool`` only those that expect a call of it."""
    found = Golden.objects.in_project(version.project).filter(_older(version))
    if tool:
        found = found.filter(pk__in=_with_tool(version.project, tool))
    related = ("conversation__dataset", "annotator", "guideline")
    return found.select_related(*related).order_by("guideline__number", "updated_at", "pk")


def labels_in_doubt(version: Guideline, *, reason: str = "") -> QuerySet[HumanLabel]:
    """Labels that were last saved before this version; with ``reason`` only those that name this failure reason."""
    found = HumanLabel.objects.in_project(version.project).filter(_older(version))
    if reason:
        found = found.filter(failure_reason=reason)
    related = ("trajectory__conversation", "annotator", "guideline")
    return found.select_related(*related).defer("trajectory__body").order_by("guideline__number", "updated_at", "pk")


def tools_of(project: Project) -> list[str]:
    """The tools that goldens of the project expect, by name."""
    return sorted({tool for _, tool in _calls(project)})


def _with_tool(project: Project, tool: str) -> set[UUID]:
    return {golden for golden, name in _calls(project) if name == tool}


def _calls(project: Project) -> list[tuple[UUID, str]]:
    turns = GoldTurn.objects.filter(golden__conversation__dataset__project=project, kind=TurnKind.ACTION)
    rows = turns.order_by("pk").values_list("golden_id", "body").iterator(chunk_size=500)
    return [(golden, str(body.get("tool"))) for golden, body in rows]
