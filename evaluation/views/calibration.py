"""Calibration: what each threshold would do to labelled turns, the one that is proposed, and adopting it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from annotations.access import Viewer, signed_in
from annotations.models import Capability
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.views.requests import user_of
from evaluation import tasks
from evaluation.access import get_sighted_viewer
from evaluation.aem.language import mark, retold, say
from evaluation.formats import jsonio
from evaluation.formats.csv_tables import Column, write_table
from evaluation.forms.calibration import AdoptForm, Asked, CalibrationForm, RowsForm, query_of
from evaluation.models import EvaluationRun
from evaluation.services import calibration, trials
from evaluation.services.calibration import Draft, Report
from evaluation.services.policies import number_words
from evaluation.stats import charts
from evaluation.stats.calibration import (
    CELLS,
    FIGURE_TITLES,
    Counts,
    Half,
    Part,
    Proposal,
    counts_at,
    thinned,
)

FIGURE_HELPS = {
    "true_pass_rate": mark("Of what people pass, what share passes? Low: false alarms."),
    "true_failure_rate": mark("Of what people fail, what share fails? Low: bad turns slip through."),
    "false_pass_rate": mark("Of what people fail, what share passes all the same? The rest of the line above."),
    "precision": mark("Of what passes, what share do people pass, too?"),
    "accuracy": mark("In what share of the turns do both say the same?"),
    "youden": mark("True-pass rate less false-pass rate: 1 separates them all, 0 is what chance gives."),
    "f1": mark("Precision and true-pass rate in one number; what fails rightly does not count in it."),
    "kappa": mark("How much of the agreement goes beyond chance."),
}
CELL_WORDS = {
    "true_pass": mark("rightly passed"),
    "false_pass": mark("passed, though people fail them"),
    "true_failure": mark("rightly failed"),
    "false_failure": mark("failed, though people pass them"),
}
#: Steps of a curve; more could not be seen.
MOST_STEPS = 300
#: Thresholds further apart than this over the two ways round are called unstable.
FAR_APART = Decimal("0.1")
GRID = tuple(Decimal(step) / 20 for step in range(1, 21))
ROWS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class _Page:
    """What a request asks for, and what there is to see of it."""

    viewer: Viewer
    form: CalibrationForm
    asked: Asked
    possible: list[EvaluationRun]
    chosen: list[EvaluationRun]
    report: Report

    @property
    def query(self) -> dict[str, Any]:
        return query_of(self.asked, self.chosen)

    def url(self, name: str, *args: Any, **more: Any) -> str:
        address = reverse(f"evaluation:{name}", args=[self.viewer.project.slug, *args])
        return f"{address}?{urlencode({**self.query, **more}, doseq=True)}"


def _page(request: HttpRequest, slug: str, data: QueryDict, *, require: str = Capability.VIEW) -> _Page:
    viewer = get_sighted_viewer(request.user, slug, require=require)
    possible = calibration.possible_runs(viewer.project)
    form = CalibrationForm(data, possible=possible)
    asked = form.asked()
    wanted = set(data.getlist("run")) - {""}
    chosen = [run for run in possible if str(run.pk) in wanted]
    if len(chosen) < len(wanted):
        raise Http404(say("There is no such finished run in this project."))
    chosen = chosen or calibration.default_runs(viewer.project)
    try:
        report = _report(chosen, asked)
    except LookupError:
        # What can be chosen changes with the run and the sub-metric; all there is can always be.
        asked = replace(asked, slice_key=calibration.ALL)
        report = _report(chosen, asked)
    return _Page(viewer, form, asked, possible, chosen, report)


def _report(runs: Sequence[EvaluationRun], asked: Asked) -> Report:
    return calibration.report(
        runs,
        sub_metric=asked.sub_metric,
        slice_key=asked.slice_key,
        criterion=asked.criterion,
        seed=asked.seed,
    )


# --- the page ---


@require_safe
@signed_in
def calibration_detail(request: HttpRequest, slug: str) -> HttpResponse:
    return _shown(request, _page(request, slug, request.GET))


def _shown(request: HttpRequest, page: _Page, *, problem: str = "", status: int = 200) -> HttpResponse:
    report = page.report
    found = report.calibration
    proposal = found.proposal
    made = calibration.draft(report, proposal) if proposal is not None else None
    parts: list[tuple[str, Part, Half | None]] = [(say("All labelled turns"), found.whole, None)]
    if proposal is not None:
        parts = [
            (say("Half b: where it is reported"), found.b, "b"),
            (say("Half a: where it was chosen"), found.a, "a"),
        ]
    context = {
        "viewer": page.viewer,
        "form": page.form,
        "page": page,
        "report": report,
        "calibration": found,
        "proposal": proposal,
        "draft": made,
        "problem": problem,
        "blocks": [_block(page, title, part, half) for title, part, half in parts] if found.whole.n else [],
        "figures": list(_figures(page, proposal)) if proposal is not None else [],
        "notes": list(_notes(page, proposal, made)) if proposal is not None and made is not None else [],
        "helps": [(say(FIGURE_TITLES[name]), say(words)) for name, words in FIGURE_HELPS.items()],
        "query": [(name, value) for name, values in page.query.items() for value in _listed(values)],
        "costs": [
            None if table is None else _cost_words(page, table)
            for table in (_tables(page, proposal) if proposal else ())
        ],
        "draft_threshold": number_words(proposal.threshold) if proposal else "",
        "swapped_threshold": number_words(found.swapped.threshold) if found.swapped else "",
        "distance": number_words(found.distance) if found.distance is not None else "",
        "present": ", ".join(number_words(threshold) for threshold in report.present),
        "next_number": made.newest.number + 1 if made is not None else None,
        "can_adopt": page.viewer.can(Capability.RUN),
        "csv_url": page.url("calibration-csv"),
        "json_url": page.url("calibration-json"),
        "rows_url": page.url("calibration-rows"),
        "chosen": {str(run.pk) for run in page.chosen},
        "errors": [(page.form[name].label, said) for name, all_said in page.form.errors.items() for said in all_said],
    }
    return render(request, "evaluation/calibration/detail.html", context, status=status)


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _block(page: _Page, title: str, part: Part, half: Half | None) -> dict[str, Any]:
    """The curves of some turns, and the same in a table in which every count opens its turns."""
    proposal, report = page.report.calibration.proposal, page.report
    marks: dict[str, float] = {}
    if proposal is not None:
        marks[say("chosen")] = float(proposal.threshold)
    if report.present_threshold is not None:
        marks[say("now")] = float(report.present_threshold)

    def rows_url(threshold: Decimal, cell: str) -> str:
        return page.url("calibration-rows", half=half or "", cell=cell, at=number_words(threshold))

    rates = [
        charts.ThresholdRate(
            threshold=float(point.threshold),
            above=float(above),
            up_to=float(up_to),
            true=point.counts.true_pass_rate,
            false=point.counts.false_pass_rate,
            true_href=rows_url(point.threshold, "true_pass") if point.counts.true_pass else "",
            false_href=rows_url(point.threshold, "false_pass") if point.counts.false_pass else "",
        )
        for point, above, up_to in thinned(part.points, MOST_STEPS)
    ]
    return {
        "title": title,
        "part": part,
        "chart": charts.threshold_curves(
            rates,
            title=say("{turns}: what passes from which threshold up", turns=title),
            marks=marks,
            names=(say("true passes, of what people pass"), say("false passes, of what people fail")),
        ),
        "rows": [_row(page, part, half, threshold, words) for threshold, words in _thresholds(page)],
        "rows_url": page.url("calibration-rows", half=half or ""),
    }


def _thresholds(page: _Page) -> list[tuple[Decimal, str]]:
    """The thresholds of the table: even steps, the present ones and the proposed one."""
    words = dict.fromkeys(GRID, "")
    for present in page.report.present:
        words[Decimal(number_words(present))] = say("now")
    proposal = page.report.calibration.proposal
    if proposal is not None:
        words[proposal.threshold] = say("chosen, and now") if words.get(proposal.threshold) else say("chosen")
    return sorted(words.items())


def _row(page: _Page, part: Part, half: Half | None, threshold: Decimal, words: str) -> dict[str, Any]:
    counts = counts_at(part.units, Fraction(threshold))
    at = number_words(threshold)
    return {
        "threshold": at,
        "words": words,
        "cells": [
            {
                "count": count,
                "words": say(CELL_WORDS[cell]),
                "url": page.url("calibration-rows", half=half or "", cell=cell, at=at) if count else "",
            }
            for cell, count in zip(CELLS, counts, strict=True)
        ],
        "rates": [counts.true_pass_rate, counts.false_pass_rate, counts.precision],
        "cost": _cost_words(page, counts),
    }


def _cost_words(page: _Page, counts: Counts) -> str:
    return number_words(counts.cost(page.asked.criterion.weight))


def _tables(page: _Page, proposal: Proposal) -> list[Counts | None]:
    """On the other half with the proposed threshold and as things are; where it was chosen; and of the threshold of the
    swapped halves, on its other half."""
    swapped = page.report.calibration.swapped
    return [proposal.reported_on, proposal.now, proposal.chosen_on, swapped.reported_on if swapped else None]


def _figures(page: _Page, proposal: Proposal) -> Iterator[dict[str, Any]]:
    figures = [table.figures if table else {} for table in _tables(page, proposal)]
    for name, title in FIGURE_TITLES.items():
        yield {"title": say(title), "values": [each.get(name) for each in figures]}


def _notes(page: _Page, proposal: Proposal, made: Draft) -> Iterator[str]:
    """What one has to know before adopting it."""
    report, found = page.report, page.report.calibration
    if found.is_better is False:
        yield say(
            "On the half that it was not chosen on, it is no better than what is in force now, by the same criterion."
        )
    if found.distance is not None and found.swapped is not None and found.distance > FAR_APART:
        yield say(
            "The halves do not agree: chosen on half b it would be {threshold}, which is {distance} away. More labels "
            "would tell.",
            threshold=number_words(found.swapped.threshold),
            distance=number_words(found.distance),
        )
    if found.swapped is None:
        yield say("With the halves swapped nothing can be chosen: {why}.", why=retold(str(found.swapped_reason)))
    if report.also_moves_values:
        yield say(
            "Replies have the policy's threshold and no other: adopting it moves parameters, too, where no rule sets "
            "their own. Try it first."
        )
    if report.also_moves_replies:
        yield say(
            "It becomes the threshold of the whole policy, which replies have, too. For parameters alone choose a kind "
            "of comparison or one parameter: that makes rules."
        )
    used = {run.policy for run in report.runs}
    if any(policy.pk != made.newest.pk for policy in used):
        names = ", ".join(sorted(str(policy) for policy in used))
        yield say(
            "The runs were scored under {names}; the newest number is {newest}, and the change is made to that.",
            names=names,
            newest=made.newest,
        )
    if made.newest.body.get("scorer", calibration.EXACT) == calibration.EXACT:
        yield say(
            "{policy} compares exactly: no threshold has an effect there before its evaluator is another one.",
            policy=made.newest,
        )


# --- the turns behind a number ---


@require_safe
@signed_in
def calibration_rows(request: HttpRequest, slug: str) -> HttpResponse:
    page = _page(request, slug, request.GET)
    form = RowsForm(request.GET)
    if not form.is_valid():
        raise Http404(say("There is no such number."))
    half, cell, at = form.cleaned_data["half"], form.cleaned_data["cell"], form.cleaned_data["at"]
    threshold = None if at is None else Fraction(at)
    found = page.report.rows(half=half, cell=cell, threshold=threshold)
    found.sort(key=lambda each: (each.unit.score, each.unit.group))
    rows = Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "viewer": page.viewer,
        "back": page.url("calibration"),
        "page": rows,
        "rows": [{"row": row, "half": page.report.calibration.sides[row.unit.group]} for row in rows],
        "half": half,
        "what": say(CELL_WORDS[cell]) if cell in CELL_WORDS else "",
        "at": None if at is None else number_words(at),
        "title": say(calibration.TITLES[page.report.sub_metric]),
        "words": page.report.slice.words,
    }
    return render(request, "evaluation/calibration/rows.html", context)


# --- downloads ---


_COLUMNS = [
    Column("part", "text", "all, half a or half b"),
    Column("threshold", "number", "turns pass from it up; empty: as things are"),
    Column("is_chosen", "text", "yes for the proposed threshold"),
    *(Column(cell, "number", CELL_WORDS[cell]) for cell in CELLS),
    *(
        Column(f"{name}{end}", "number", title)
        for name, title in FIGURE_TITLES.items()
        for end in ("", "_low", "_high", "_n")
    ),
    *(Column(f"{name}_reason", "text", f"why {title} has no value") for name, title in FIGURE_TITLES.items()),
]


@require_safe
@signed_in
def calibration_json(request: HttpRequest, slug: str) -> HttpResponse:
    with translation.override("en"):  # what is taken away is the same for everybody
        page = _page(request, slug, request.GET)
        body = jsonio.dumps(page.report.as_json(), indent=2)
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="calibration.json"'
    return response


@require_safe
@signed_in
def calibration_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    page = _page(request, slug, request.GET)
    rows = write_table(_COLUMNS, _table(page.report))
    response = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="calibration.csv"'
    return response


def _table(report: Report) -> Iterator[dict[str, Any]]:
    found = report.calibration
    for part_name, part in (("all", found.whole), ("half a", found.a), ("half b", found.b)):
        yield _table_row(part_name, None, part.now, report)
        for point in part.points:
            yield _table_row(part_name, point.threshold, point.counts, report)
        if found.proposal is not None and all(point.threshold != found.proposal.threshold for point in part.points):
            threshold = found.proposal.threshold
            yield _table_row(part_name, threshold, counts_at(part.units, Fraction(threshold)), report)


def _table_row(part: str, threshold: Decimal | None, counts: Counts, report: Report) -> dict[str, Any]:
    proposal = report.calibration.proposal
    row: dict[str, Any] = {
        "part": part,
        "threshold": threshold,
        "is_chosen": "yes" if proposal is not None and proposal.threshold == threshold else "",
        **counts._asdict(),
    }
    for name, figure in counts.figures.items():
        row |= {
            name: figure.value,
            f"{name}_low": figure.low,
            f"{name}_high": figure.high,
            f"{name}_n": figure.n,
            f"{name}_reason": figure.reason,
        }
    return row


# --- taking it over ---


@require_POST
@signed_in
def calibration_try(request: HttpRequest, slug: str) -> HttpResponse:
    """Score the newest of the runs under the policy that adopting would make, and show what would change."""
    page = _page(request, slug, request.POST, require=Capability.RUN)
    proposal = page.report.calibration.proposal
    if proposal is None:
        return _shown(request, page, problem=say("There is no threshold to try."), status=422)
    made = calibration.draft(page.report, proposal)
    run = max(page.report.runs, key=lambda each: each.number)
    try:
        trial = trials.begin(
            run=run,
            body=made.body,
            name=made.newest.name,
            seen_number=made.newest.number,
            by=user_of(request),
            now=timezone.now(),
            policy=made.newest,
        )
    except WorkbenchError as error:
        return _shown(request, page, problem=str(error), status=422)
    if trials.is_small(trial):
        while trials.work(trial.pk, now=timezone.now()):
            pass
    else:
        tasks.ring_trial(trial.pk)
    return redirect(f"{trial.get_absolute_url()}#effect")


@require_POST
@signed_in
def calibration_adopt(request: HttpRequest, slug: str) -> HttpResponse:
    page = _page(request, slug, request.POST, require=Capability.RUN)
    form = AdoptForm(request.POST)
    if not form.is_valid():
        return _shown(
            request, page, problem=say("Say which threshold and which number of the policy you saw."), status=422
        )
    try:
        policy = calibration.adopt(
            found=page.report,
            project=page.viewer.project,
            by=user_of(request),
            threshold=Fraction(form.cleaned_data["threshold"]),
            seen_number=form.cleaned_data["seen_number"],
        )
    except (StaleRevisionError, NotAllowedNowError) as error:
        return _shown(request, page, problem=str(error), status=409)
    except WorkbenchError as error:
        return _shown(request, page, problem=str(error), status=422)
    if policy.number == form.cleaned_data["seen_number"]:
        messages.info(request, say("Nothing changes: {policy} has this threshold already.", policy=policy))
    else:
        messages.success(
            request,
            say(
                "Adopted as {policy}; its history keeps how the threshold was found. Score again to see its effect.",
                policy=policy,
            ),
        )
    return redirect("evaluation:policy-detail", slug, policy.pk)


urlpatterns = [
    path("p/<slug:slug>/calibration/", calibration_detail, name="calibration"),
    path("p/<slug:slug>/calibration/rows/", calibration_rows, name="calibration-rows"),
    path("p/<slug:slug>/calibration/try/", calibration_try, name="calibration-try"),
    path("p/<slug:slug>/calibration/adopt/", calibration_adopt, name="calibration-adopt"),
    path("p/<slug:slug>/calibration/json/", calibration_json, name="calibration-json"),
    path("p/<slug:slug>/calibration/csv/", calibration_csv, name="calibration-csv"),
]
