"""Agreement of machine and people, per sub-metric; every number opens the rows behind it."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotations.access import Viewer, signed_in
from annotations.models import User
from evaluation.access import get_sighted_viewer
from evaluation.aem.language import mark, say
from evaluation.models import EvaluationRun
from evaluation.services import agreement
from evaluation.stats import charts
from evaluation.stats.agreement import FIGURE_TITLES, SUB_METRIC_TITLES, SUB_METRICS
from evaluation.views.review import item_url

SUB_METRIC_HELPS = {
    "structural": mark("Was it the right tool and the right action?"),
    "completeness": mark("Was everything there that was required?"),
    "truthfulness": mark("Was what was there right?"),
    "turn_verdict": mark("Did the turn as a whole do what it must?"),
    "attribution": mark("Where both say that the turn failed: an error of its own, or inherited from an earlier turn?"),
}
FIGURE_HELPS = {
    "raw_agreement": mark("In what share of the turns do both say the same?"),
    "naive": mark("What share would one always giving the commoner answer reach? Raw agreement must be well above it."),
    "kappa": mark("How much of the agreement goes beyond chance: 1 is full agreement, 0 is chance."),
    "pearson": mark("Do higher scores go with better labels, in a straight line? From -1 to 1."),
    "spearman": mark("The same, where only the order counts."),
    "matthews": mark("The correlation of the two labels alone; it stays honest where one label is rare."),
    "true_positive_rate": mark("Of what people pass, what share does the machine pass? Low: false alarms."),
    "true_negative_rate": mark("Of what people fail, what share does the machine fail? Low: bad turns slip through."),
}


def chosen_runs(request: HttpRequest, viewer: Viewer) -> tuple[list[EvaluationRun], list[EvaluationRun]]:
    """The runs that the query names (else the newest of each dataset), and all that can be chosen."""
    possible = agreement.comparable_runs(viewer.project)
    asked = request.GET.get("run", "")
    if not asked:
        return agreement.newest_runs(viewer.project), possible
    chosen = [run for run in possible if str(run.pk) == asked]
    if not chosen:
        raise Http404(say("There is no such finished run in this project."))
    return chosen, possible


def _reference(request: HttpRequest, people: list[User]) -> str:
    asked = request.GET.get("reference", agreement.FINAL)
    if asked != agreement.FINAL and asked not in {str(person.pk) for person in people}:
        raise Http404(say("Nobody of that number has labelled these runs."))
    return asked


@require_safe
@signed_in
def agreement_detail(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = get_sighted_viewer(request.user, slug)
    runs, possible = chosen_runs(request, viewer)
    people = agreement.people_of(runs)
    reference = _reference(request, people)
    report = agreement.report(runs, reference=reference)
    rows_query = {"run": request.GET.get("run", ""), "reference": reference}
    blocks = [_block(name, report=report, slug=slug, rows_query=rows_query) for name in report.agreements]
    context = {
        "viewer": viewer,
        "runs": runs,
        "possible": possible,
        "people": people,
        "reference": reference,
        "report": report,
        "blocks": blocks,
        "overview": _overview(report),
        "figure_helps": [(say(FIGURE_TITLES[key]), say(text)) for key, text in FIGURE_HELPS.items()],
        "human_pairs": [
            (first, second, [(say(SUB_METRIC_TITLES[name]), each) for name, each in by_name.items()])
            for (first, second), by_name in report.people.by_pair.items()
        ],
        "asked_run": request.GET.get("run", ""),
    }
    return render(request, "evaluation/agreement/detail.html", context)


def _block(name: str, *, report: agreement.Report, slug: str, rows_query: dict[str, str]) -> dict[str, Any]:
    """One sub-metric: its figures, its pictures, and the address of the rows behind each."""
    found, title = report.agreements[name], say(SUB_METRIC_TITLES[name])
    address = reverse("evaluation:agreement-rows", args=[slug])

    def rows_of(machine: str = "", human: str = "") -> str:
        return f"{address}?{urlencode({'sub_metric': name, 'machine': machine, 'human': human, **rows_query})}"

    return {
        "name": name,
        "title": title,
        "help": say(SUB_METRIC_HELPS[name]),
        "agreement": found,
        "figures": [(key, say(FIGURE_TITLES[key]), figure) for key, figure in found.figures.items()],
        "ceiling": report.people.ceiling[name],
        "rows_url": rows_of(),
        "confusion": charts.confusion_heat_map(
            found.confusion, title=say("{sub_metric}: machine and people", sub_metric=title), href=rows_of
        )
        if found.n
        else "",
        "strip": _strip(name, report=report) if found.n and name in agreement.SCORES else "",
    }


def _strip(name: str, *, report: agreement.Report) -> str:
    """The machine's scores by people's label; each dot opens the turn on the review page."""
    points = [
        charts.Point(
            score=scored.score,
            label=scored.label,
            name=say(
                "{conversation}, {trajectory}, turn {number}",
                conversation=item.trajectory.conversation,
                trajectory=item.trajectory.label,
                number=verdict.turn_no,
            ),
            href=item_url(item, verdict.turn_no),
        )
        for scored in agreement.scored_turns(report.judged, sub_metric=name, reference=report.reference)
        if (item := scored.turn.item) is not None and (verdict := scored.turn.verdict) is not None
    ]
    title = say("{sub_metric}: the machine's score by people's label", sub_metric=say(SUB_METRIC_TITLES[name]))
    return charts.score_strip(points, labels=SUB_METRICS[name].labels, title=title)


def _overview(report: agreement.Report) -> list[tuple[str, str]]:
    """Kappa of every sub-metric, of machine and people and of people with each other, drawn on the same scale."""
    sides = [
        (say("Machine and people"), {name: found.figures["kappa"] for name, found in report.agreements.items()}),
        (
            say("People with each other: the ceiling"),
            {name: each.kappa for name, each in report.people.ceiling.items()},
        ),
    ]
    return [
        (
            title,
            charts.bars_with_intervals(
                {say(SUB_METRIC_TITLES[name]): figure for name, figure in figures.items()},
                title=say("Cohen's kappa: {sides}", sides=title),
            ),
        )
        for title, figures in sides
    ]


@require_safe
@signed_in
def agreement_rows(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = get_sighted_viewer(request.user, slug)
    runs, _ = chosen_runs(request, viewer)
    reference = _reference(request, agreement.people_of(runs))
    sub_metric = request.GET.get("sub_metric", "turn_verdict")
    if sub_metric not in SUB_METRICS:
        raise Http404(say("There is no such sub-metric."))
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
        "title": say(SUB_METRIC_TITLES[sub_metric]),
        "labels": SUB_METRICS[sub_metric].labels,
        "asked": request.GET,
    }
    return render(request, "evaluation/agreement/rows.html", context)


urlpatterns = [
    path("p/<slug:slug>/agreement/", agreement_detail, name="agreement"),
    path("p/<slug:slug>/agreement/rows/", agreement_rows, name="agreement-rows"),
]
