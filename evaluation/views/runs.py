"""Runs: start, watch, stop, and what came out.

A blinded annotator gets the run as a list of trajectories to label, and nothing that a verdict had a part in.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access as project_access
from annotations.access import Viewer, signed_in
from annotations.models import Capability
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation import access, tasks
from evaluation.aem import ENGINE_VERSION
from evaluation.aem.language import retold, say, say_n
from evaluation.forms.runs import CompareForm, ItemFilterForm, RunForm
from evaluation.models import EvaluationRun, RunState
from evaluation.services import comparisons, items, judging, left_open, lessons, policies, runs, summaries

RUNS_A_PAGE = 30
ITEMS_A_PAGE = 50
CHANGES_A_PAGE = 50
#: Errors of chunks that the page shows; they are mostly one and the same.
SHOWN_ERRORS = 3


@require_safe
@signed_in
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = project_access.get_project_or_404(request.user, slug)
    found = (
        EvaluationRun.objects.filter(project=viewer.project)
        .select_related("dataset_version__dataset", "policy", "created_by")
        .order_by("-created_at", "-number")
    )
    if viewer.is_blinded:
        found = found.filter(follows=None)  # what is scored again tells what others dispute
    page = Paginator(found, RUNS_A_PAGE).get_page(request.GET.get("page"))
    progress = runs.progress_of(list(page))
    rows = [{"run": run, "progress": progress[run.pk]} for run in page]
    return render(request, "evaluation/runs/list.html", {"viewer": viewer, "page": page, "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def run_create(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = project_access.get_project_or_404(request.user, slug, require=Capability.RUN)
    policies.get_standard(project=viewer.project, by=viewer.user)
    initial: dict[str, Any] = {
        name: request.GET[name] for name in ("dataset_version", "policy", "name") if request.GET.get(name)
    }
    initial |= {name: request.GET.getlist(name) for name in ("agents", "trials") if request.GET.get(name)}
    form = RunForm(request.POST or None, project=viewer.project, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            run = runs.plan(project=viewer.project, by=user_of(request), **form.cleaned_data)
            runs.start(run=run, by=user_of(request))
        except WorkbenchError as error:
            form.add_error(None, str(error))
        else:
            tasks.ring()
            return redirect(run)
    return render(
        request, "evaluation/runs/create.html", {"viewer": viewer, "form": form}, status=422 if form.errors else 200
    )


@require_safe
@signed_in
def run_detail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    viewer, run = access.get_run_or_404(request.user, run_id)
    if viewer.is_blinded:
        return _to_label(request, viewer, run)
    stale = runs.staleness(run)
    return render(
        request,
        "evaluation/runs/detail.html",
        {
            **progress_context(viewer, run),
            "summary": run.summary,
            "left_open": _left_open(run),
            "can_go_on": runs.can_go_on(run),
            "stale": stale,
            "engine_now": ENGINE_VERSION,
            "agents": run.summary["by"]["agent_version"] if run.summary else [],
            "sub_metrics": _sub_metrics(run),
            **({**changes_context(request, run), "lesson": lessons.lesson_of(run)} if run.follows_id else {}),
        },
    )


@require_safe
@signed_in
def run_progress(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What the run page polls. When the run has ended the page is loaded again, with its results."""
    viewer, run = access.get_run_or_404(request.user, run_id)
    context = progress_context(viewer, run)
    response = render(request, "evaluation/runs/_progress.html", context)
    if request.headers.get("HX-Request") == "true" and not context["is_live"]:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@signed_in
def run_stop(request: HttpRequest, run_id: UUID) -> HttpResponse:
    _, run = access.get_run_or_404(request.user, run_id, require=Capability.RUN)
    try:
        runs.stop(run=run, by=user_of(request))
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        tasks.ring(bells=1)  # somebody adds up what there is
        messages.success(request, say("Stopped. What is in work is finished and kept; nothing more is begun."))
    return redirect(run)


@require_POST
@signed_in
def run_resume(request: HttpRequest, run_id: UUID) -> HttpResponse:
    _, run = access.get_run_or_404(request.user, run_id, require=Capability.RUN)
    try:
        runs.resume(run=run, by=user_of(request))
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        tasks.ring()
        messages.success(request, say("Going on where it stopped."))
    return redirect(run)


@require_POST
@signed_in
def run_unscored(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Try again the turns, forbidden calls and outcomes that no scorer could judge."""
    _, run = access.get_run_or_404(request.user, run_id, require=Capability.RUN)
    try:
        count = runs.score_unscored(run=run, by=user_of(request))
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        tasks.ring()
        messages.success(
            request,
            say_n(
                "{count} trajectory in which something was not scored: tried again.",
                "{count} trajectories in which something was not scored: tried again.",
                count,
            ),
        )
    return redirect(run)


@require_safe
@signed_in
def run_items(request: HttpRequest, run_id: UUID) -> HttpResponse:
    viewer, run = access.get_run_or_404(request.user, run_id)
    if viewer.is_blinded:
        return _to_label(request, viewer, run)
    form = ItemFilterForm(request.GET, agents=runs.agents_in(run))
    wanted = form.wanted()
    page = Paginator(items.find(run, wanted), ITEMS_A_PAGE).get_page(request.GET.get("page"))
    kept = ItemFilterForm.kept(request.GET)  # the review page begins at the turn for which an item fits
    tools = [row["value"] for row in run.summary["tools"]] if run.summary else []
    return render(
        request,
        "evaluation/runs/items.html",
        {
            "viewer": viewer,
            "run": run,
            "form": form,
            "wanted": wanted,
            "page": page,
            "tools": tools,
            "kept": f"?{kept}" if kept else "",
        },
    )


@require_safe
@signed_in
def run_compare(request: HttpRequest, run_id: UUID) -> HttpResponse:
    viewer, run = access.get_run_or_404(request.user, run_id)
    _refuse_blinded(viewer)
    agents = runs.agents_in(run)
    chosen = request.GET if "a" in request.GET or "b" in request.GET else None
    if chosen is None and len(agents) >= 2:
        chosen_by_default: dict[str, Any] = {"a": items.key_of(agents[0]), "b": items.key_of(agents[1])}
        form = CompareForm(chosen_by_default, agents=agents)
    else:
        form = CompareForm(chosen, agents=agents)
    context: dict[str, Any] = {"viewer": viewer, "run": run, "form": form, "agents": agents}
    if len(agents) >= 2 and form.is_valid():
        a, b = items.agent_of(form.cleaned_data["a"]), items.agent_of(form.cleaned_data["b"])
        if a is not None and b is not None:
            context |= {"a": a, "b": b, "comparison": comparisons.compare(run, a, b)}
    return render(request, "evaluation/runs/compare.html", context, status=422 if form.errors else 200)


def _to_label(request: HttpRequest, viewer: Viewer, run: EvaluationRun) -> HttpResponse:
    """A run as a blinded annotator sees it."""
    only_open = request.GET.get("open") == "1"
    found = items.to_label(run, viewer=viewer.user, only_open=only_open)
    page = Paginator(found, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "evaluation/runs/to_label.html",
        {"viewer": viewer, "run": run, "page": page, "only_open": only_open},
    )


def _refuse_blinded(viewer: Viewer) -> None:
    if viewer.is_blinded:
        raise PermissionDenied(say("In a blind project annotators do not see results of the machine."))


def progress_context(viewer: Viewer, run: EvaluationRun) -> dict[str, Any]:
    """State and progress. Live is also a run that has ended and whose results are still being added up."""
    progress = runs.progress(run)
    is_at_work = run.state in (RunState.PENDING, RunState.RUNNING)
    errors = [] if viewer.is_blinded or not progress.failed_chunks else _chunk_errors(run)
    return {
        "viewer": viewer,
        "run": run,
        "progress": progress,
        "is_at_work": is_at_work,
        "is_live": is_at_work or run.summary is None,
        "can_run": viewer.can(Capability.RUN),
        "can_manage": viewer.can(Capability.MANAGE),
        "spending": None if viewer.is_blinded else next(iter(judging.spending([run])), None),
        "errors": errors,
    }


def changes_context(request: HttpRequest, again: EvaluationRun) -> dict[str, Any]:
    """What a run that follows another says beside it, a page of it; what changed comes first."""
    found = sorted(lessons.changes(again), key=lambda one: not one.is_other)
    return {
        "again": again,
        "follows": again.follows,
        "page": Paginator(found, CHANGES_A_PAGE).get_page(request.GET.get("page")),
        "other_count": sum(one.is_other for one in found),
        "turn_count": len(found),
        "trajectory_count": len({one.item.pk for one in found}),
    }


def _chunk_errors(run: EvaluationRun) -> list[dict[str, Any]]:
    rows = run.chunks.exclude(error="").order_by().values("error").annotate(chunks=Count("pk")).order_by("-chunks")
    return [
        {"error": row["error"], "chunks": row["chunks"], "sentence": retold(_last_words(row["error"]))}
        for row in rows[:SHOWN_ERRORS]
    ]


def _last_words(error: str) -> str:
    """The last line, which says what went wrong; of a traceback without the name of the exception's module."""
    line = (error.strip().splitlines() or [""])[-1]
    name, colon, said = line.partition(": ")
    return f"{name.rpartition('.')[2]}: {said}" if colon and " " not in name else line


def _left_open(run: EvaluationRun) -> dict[str, int]:
    """What can be tried again, as it was counted when the run ended."""
    if not run.summary:
        return {}
    counted: dict[str, int] = run.summary.get("left_open") or left_open.find(run).as_json()
    return counted if counted["trajectories"] else {}


def _sub_metrics(run: EvaluationRun) -> list[tuple[str, dict[str, Any]]]:
    return [(name, run.summary["sub_metrics"][name]) for name in summaries.SUB_METRICS] if run.summary else []


urlpatterns = [
    path("p/<slug:slug>/runs/", run_list, name="run-list"),
    path("p/<slug:slug>/runs/new/", run_create, name="run-create"),
    path("runs/<uuid:run_id>/", run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/progress/", run_progress, name="run-progress"),
    path("runs/<uuid:run_id>/stop/", run_stop, name="run-stop"),
    path("runs/<uuid:run_id>/resume/", run_resume, name="run-resume"),
    path("runs/<uuid:run_id>/unscored/", run_unscored, name="run-unscored"),
    path("runs/<uuid:run_id>/items/", run_items, name="run-items"),
    path("runs/<uuid:run_id>/compare/", run_compare, name="run-compare"),
]
