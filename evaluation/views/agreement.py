"""Agreement of machine and people, per sub-metric; every number opens the rows behind it."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from annotations.access import Viewer, signed_in
from annotations.models import User
from evaluation.access import get_sighted_viewer
from evaluation.models import EvaluationRun
from evaluation.services import agreement
from evaluation.stats import charts
from evaluation.stats.agreement import FIGURE_TITLES, SUB_METRIC_TITLES, SUB_METRICS


def chosen_runs(request: HttpRequest, viewer: Viewer) -> tuple[list[EvaluationRun], list[EvaluationRun]]:
    """The runs that the query names (else the newest of each dataset), and all that can be chosen."""
    possible = agreement.comparable_runs(viewer.project)
    asked = request.GET.get("run", "")
    if not asked:
        return agreement.newest_runs(viewer.project), possible
    chosen = [run for run in possible if str(run.pk) == asked]
    if not chosen:
        raise Http404("There is no such finished run in this project.")
    return chosen, possible


def _reference(request: HttpRequest, people: list[User]) -> str:
    asked = request.GET.get("reference", agreement.FINAL)
    if asked != agreement.FINAL and asked not in {str(person.pk) for person in people}:
        raise Http404("Nobody of that number has labelled these runs.")
    return asked


@require_safe
@signed_in
def agreement_detail(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = get_sighted_viewer(request.user, slug)
    runs, possible = chosen_runs(request, viewer)
    people = agreement.people_of(runs)
    reference = _reference(request, people)
    report = agreement.report(runs, reference=reference)
    blocks = [
        {
            "name": name,
            "title": SUB_METRIC_TITLES[name],
            "agreement": found,
            "figures": [(FIGURE_TITLES[key], figure) for key, figure in found.figures.items()],
            "ceiling": report.people.ceiling[name],
            "cells": _cells(found),
            "chart": charts.confusion_heat_map(found.confusion, title=f"{SUB_METRIC_TITLES[name]}: who says what")
            if found.n
            else "",
        }
        for name, found in report.agreements.items()
    ]
    context = {
        "viewer": viewer,
        "runs": runs,
        "possible": possible,
        "people": people,
        "reference": reference,
        "report": report,
        "blocks": blocks,
        "human_pairs": [
            (first, second, [(SUB_METRIC_TITLES[name], each) for name, each in by_name.items()])
            for (first, second), by_name in report.people.by_pair.items()
        ],
        "asked_run": request.GET.get("run", ""),
    }
    return render(request, "evaluation/agreement/detail.html", context)


def _cells(found: Any) -> list[dict[str, Any]]:
    labels = found.confusion.labels
    return [
        {"machine": first, "cells": [(second, found.confusion.counts[first][second]) for second in labels]}
        for first in labels
    ]


@require_safe
@signed_in
def agreement_rows(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = get_sighted_viewer(request.user, slug)
    runs, _ = chosen_runs(request, viewer)
    reference = _reference(request, agreement.people_of(runs))
    sub_metric = request.GET.get("sub_metric", "turn_verdict")
    if sub_metric not in SUB_METRICS:
        raise Http404("There is no such sub-metric.")
    turns = agreement.matching(
        agreement.judged_turns(runs),
        sub_metric=sub_metric,
        reference=reference,
        machine=request.GET.get("machine", ""),
        human=request.GET.get("human", ""),
    )
    page = Paginator(turns, 50).get_page(request.GET.get("page"))
    rows = [
        {
            "turn": turn,
            "machine": agreement.machine_value(turn, sub_metric),
            "human": agreement.people_value(turn, sub_metric, reference=reference),
        }
        for turn in page
    ]
    context = {
        "viewer": viewer,
        "page": page,
        "rows": rows,
        "title": SUB_METRIC_TITLES[sub_metric],
        "labels": SUB_METRICS[sub_metric].labels,
        "asked": request.GET,
    }
    return render(request, "evaluation/agreement/rows.html", context)


urlpatterns = [
    path("p/<slug:slug>/agreement/", agreement_detail, name="agreement"),
    path("p/<slug:slug>/agreement/rows/", agreement_rows, name="agreement-rows"),
]
