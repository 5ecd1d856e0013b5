"""Judges: their settings, a question to try one with, and what a run spends on its judge."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access as project_access
from annotations.access import Viewer, signed_in
from annotations.models import Capability
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation import access
from evaluation.aem.language import say
from evaluation.forms.judges import BudgetForm, JudgeForm
from evaluation.models import EvaluationRun, JudgeSettings, JudgeUse
from evaluation.services import judge_client, judge_keys, judges, judging
from evaluation.services.addresses import AddressRefusedError
from evaluation.services.judge_keys import JudgeKeyError

JUDGES_A_PAGE = 30
#: Newest runs of which the page says what they spent.
RUNS_SHOWN = 20


@require_safe
@signed_in
def judge_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = project_access.get_project_or_404(request.user, slug)
    found = (
        JudgeSettings.objects.filter(project=viewer.project)
        .select_related("created_by")
        .annotate(run_count=Count("uses"))
        .order_by("name", "-number")
    )
    page = Paginator(found, JUDGES_A_PAGE).get_page(request.GET.get("page"))
    keys = judges.keys_set(project=viewer.project)
    newest = {judge.pk for judge in judges.latest(project=viewer.project)}
    rows = [
        {
            "judge": judge,
            "config": judges.read(judge.body),
            "is_newest": judge.pk in newest,
            "key_set_at": keys.get(judge.name),
        }
        for judge in page
    ]
    context = {
        "viewer": viewer,
        "page": page,
        "rows": rows,
        "can_manage": viewer.can(Capability.MANAGE),
        "missing": "" if judge_client.IS_AVAILABLE else say(judge_client.MISSING),
        "spendings": [] if viewer.is_blinded else _spendings(viewer),
    }
    return render(request, "evaluation/judges/list.html", context)


def _spendings(viewer: Viewer) -> list[judging.Spending]:
    """Of the newest runs that asked a judge; those that wait for a budget first."""
    newest = EvaluationRun.objects.filter(project=viewer.project, judge_use__isnull=False).defer("summary")
    found = judging.spending(list(newest.order_by("-number")[:RUNS_SHOWN]))
    return sorted(found, key=lambda each: not each.needs_somebody)


@sensitive_post_parameters("key")
@sensitive_variables("form", "key")
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def judge_create(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = project_access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    source = _source(viewer, request.GET.get("from", ""))
    form = JudgeForm(request.POST or None, initial=JudgeForm.initial_from(source) if source else {})
    if request.method == "POST" and form.is_valid():
        try:
            judge = judges.create(
                project=viewer.project,
                name=form.cleaned_data["name"],
                body=form.body(),
                key=form.cleaned_data["key"],
                by=user_of(request),
            )
        except AddressRefusedError as error:
            form.add_error("base_url", str(error))
        except JudgeKeyError as error:
            form.add_error("key_variable" if form.cleaned_data["key_source"] == "env" else "key", str(error))
        except WorkbenchError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, say("Judge {judge} is kept. Try it before a run hangs on it.", judge=judge))
            return redirect("evaluation:judge-list", slug)
    context = {
        "viewer": viewer,
        "form": form,
        "missing": "" if judge_client.IS_AVAILABLE else say(judge_client.MISSING),
        "can_store": judge_keys.CAN_STORE,
        "key_set_at": judges.keys_set(project=viewer.project).get(source.name) if source else None,
    }
    return render(request, "evaluation/judges/edit.html", context, status=422 if form.errors else 200)


def _source(viewer: Viewer, pk: str) -> JudgeSettings | None:
    is_number = pk.isdecimal() and len(pk) < 19
    return JudgeSettings.objects.filter(project=viewer.project, pk=int(pk)).first() if is_number else None


def _judge_or_404(viewer: Viewer, pk: int) -> JudgeSettings:
    judge = JudgeSettings.objects.select_related("project").filter(project=viewer.project, pk=pk).first()
    if judge is None:
        raise Http404(say("This project has no such judge."))
    return judge


@require_POST
@signed_in
def judge_try(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask the judge one fixed question, and say what came of it and how long it took."""
    viewer = project_access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    judge = _judge_or_404(viewer, pk)
    context = {"viewer": viewer, "judge": judge, "trial": judges.try_it(judge), "is_newest": True}
    template = "_trial.html" if request.headers.get("HX-Request") == "true" else "trial.html"
    return render(request, f"evaluation/judges/{template}", context)


@require_POST
@signed_in
def judge_forget_key(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer = project_access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    judge = _judge_or_404(viewer, pk)
    if judges.forget_key(project=viewer.project, name=judge.name, by=user_of(request)):
        said = say("The key of {judge} is gone. Its runs cannot ask it until another is entered.", judge=judge.name)
        messages.success(request, said)
    else:
        messages.error(request, say("No key of {judge} is stored.", judge=judge.name))
    return redirect("evaluation:judge-list", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def run_judge(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What a run asked, what that took, and what it may spend."""
    needed = Capability.MANAGE if request.method == "POST" else Capability.VIEW
    viewer, run = access.get_run_or_404(request.user, run_id, require=needed)
    use = JudgeUse.objects.filter(run=run).first()
    form = BudgetForm(request.POST or None, initial=BudgetForm.initial_from(use) if use else {})
    if request.method == "POST" and form.is_valid():
        try:
            judging.set_budget(run=run, by=user_of(request), **form.cleaned_data)
        except WorkbenchError as error:
            form.add_error(None, str(error))
        else:
            said = say("The budget is set. Resume the run, or try again what is open in it, to use it.")
            messages.success(request, said)
            return redirect("evaluation:run-judge", run.pk)
    context: dict[str, Any] = {
        "viewer": viewer,
        "run": run,
        "form": form,
        "effort": judging.effort(run),
        "spending": None if viewer.is_blinded else next(iter(judging.spending([run])), None),
        "can_manage": viewer.can(Capability.MANAGE),
    }
    return render(request, "evaluation/judges/run.html", context, status=422 if form.errors else 200)


urlpatterns = [
    path("p/<slug:slug>/judges/", judge_list, name="judge-list"),
    path("p/<slug:slug>/judges/new/", judge_create, name="judge-create"),
    path("p/<slug:slug>/judges/<int:pk>/try/", judge_try, name="judge-try"),
    path("p/<slug:slug>/judges/<int:pk>/forget-key/", judge_forget_key, name="judge-forget-key"),
    path("runs/<uuid:run_id>/judge/", run_judge, name="run-judge"),
]
