"""The review page: expected beside observed, the evidence, and one's own label."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url, trigger_client_event

from annotations.access import Viewer, signed_in
from annotations.models import (
    EXAMPLE_GROUPS,
    Attribution,
    Capability,
    FailureReasonChoice,
    Guideline,
    HumanLabel,
    SecondLook,
    SubLabel,
    TurnLabel,
)
from annotations.models.examples import PASSES
from annotations.services import drafts, guidelines, labels, projects, second_look
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation import access
from evaluation.aem.language import say
from evaluation.forms.review import JudgementForm, LabelForm
from evaluation.forms.runs import ItemFilterForm
from evaluation.models import EvaluationRun, RunItem
from evaluation.services import items, review, runs, versions
from evaluation.services.items import ItemFilter
from evaluation.services.review import Review, Turn


@require_safe
@signed_in
def item_detail(request: HttpRequest, run_id: UUID, position: int) -> HttpResponse:
    viewer, item = access.get_run_item_or_404(request.user, run_id, position)
    turn_no = _turn_no(request)
    if turn_no is None and (wanted := _wanted(request, viewer, item.run)) is not None:
        turn_no = items.first_turn(item, wanted)
    page = review.build(item, viewer, turn_no=turn_no)
    context = _context(request, viewer, page)
    template = "_review.html" if request.headers.get("HX-Request") else "detail.html"
    return render(request, f"evaluation/review/{template}", context)


def _turn_no(request: HttpRequest) -> int | None:
    asked = request.GET.get("turn", "")
    return int(asked) if asked.isdecimal() and len(asked) < 9 else None


def _kept(request: HttpRequest, viewer: Viewer) -> str:
    """The filter of the list from which the page was opened. A blinded viewer has none: it would tell verdicts."""
    return "" if viewer.is_blinded else ItemFilterForm.kept(request.GET)


def _wanted(request: HttpRequest, viewer: Viewer, run: EvaluationRun) -> ItemFilter | None:
    if not _kept(request, viewer):
        return None
    wanted = ItemFilterForm(request.GET, agents=runs.agents_in(run)).wanted()
    return None if wanted.is_empty() else wanted


def _context(
    request: HttpRequest, viewer: Viewer, page: Review, *, form: LabelForm | None = None, **more: Any
) -> dict[str, Any]:
    current = page.current
    may_label = viewer.can(Capability.LABEL)
    if form is None and current is not None and may_label:
        form = _form(page, label=current.mine)
    after = page.item.position
    wanted = _wanted(request, viewer, page.item.run)
    among = None if wanted is None else items.find(page.item.run, wanted)
    kept = "" if wanted is None else _kept(request, viewer)
    beside = {} if form is None else guideline_beside(viewer, current, form)
    return {
        **beside,
        "viewer": viewer,
        "page": page,
        "item": page.item,
        "run": page.item.run,
        "current": current,
        "rows": review.rows_of(current) if current is not None else [],
        "arcs": [] if page.is_hidden else review.arcs(page.turns),
        "strip_width": review.strip_width(page.turns),
        "form": form,
        "asked": _asked(current, beside.get("in_force")),
        "may_label": may_label,
        "previous_turn": page.neighbour(-1),
        "next_turn": page.neighbour(1),
        "next_failing": page.after(current.turn_no, wanted="failing") if current else None,
        "previous_item": review.other_item(page.item, step=-1, among=among),
        "next_item": review.other_item(page.item, step=1, among=among),
        "kept": kept,
        "only_kept": f"?{kept}" if kept else "",
        "and_kept": f"&{kept}" if kept else "",
        "next_to_label": review.next_unlabelled(page.item.run, viewer, after=after) if may_label else None,
        "verdict_choices": verdict_choices(),
        "stale_because": () if viewer.is_blinded else versions.scorer_changes(page.item.run),
        "conflict": None,
        "request": request,
        **more,
    }


def _asked(current: Turn | None, in_force: Guideline | None) -> SecondLook | None:
    """Who asked one to make one's label again, as long as it was not saved anew since."""
    mine = current.mine if current is not None else None
    if mine is None or in_force is None or mine.guideline_id == in_force.pk:
        return None
    return second_look.asked_again([mine]).get(mine.pk)


def guideline_beside(viewer: Viewer, current: Turn | None, form: JudgementForm) -> dict[str, Any]:
    """The examples of the guideline in force; first those about what is chosen, else about what the machine found.

    A verdict that is hidden from this person names no reason.
    """
    in_force = projects.current_guideline(viewer.project)
    shown = guidelines.shown_to(in_force, user=viewer.user, is_blinded=viewer.is_blinded)
    found = current.verdict if current is not None and not current.is_hidden else None
    machine = PASSES if found is not None and found.passed else found.failure_reason if found is not None else ""
    chosen = form["failure_reason"].value() or (PASSES if form["verdict"].value() == TurnLabel.PASS else "")
    reason = chosen or machine or ""
    return {
        "in_force": in_force,
        "examples": shown,
        "examples_about": dict(EXAMPLE_GROUPS).get(reason, "") if shown.of(reason) else "",
        "examples_first": shown.of(reason),
    }


def verdict_choices() -> list[dict[str, str]]:
    glyphs = {"pass": "✓", "fail": "✖", "unsure": "?", "not_agent": "⊘"}
    return [
        {"value": value, "label": str(label), "action": f"verdict.{value}", "glyph": glyphs[value]}
        for value, label in TurnLabel.choices
    ]


def _form(page: Review, *, data: Any = None, label: HumanLabel | None = None) -> LabelForm:
    current = page.current
    earlier = [
        (turn.key, f"{turn.turn_no} {turn.title}") for turn in page.turns if current and turn.turn_no < current.turn_no
    ]
    initial: dict[str, Any] = {"seen_revision": 0}
    if label is not None:
        initial = {**labels.judged(label, "comment"), "seen_revision": label.revision}
    return LabelForm(data, initial=initial, earlier=earlier)


def _turn_page(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> tuple[Viewer, RunItem, Review]:
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.LABEL)
    page = review.build(item, viewer, turn_no=turn_no)
    if page.current is None or page.current.turn_no != turn_no:
        raise Http404(say("There is no such turn."))
    return viewer, item, page


@require_POST
@signed_in
def label_save(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    viewer, item, page = _turn_page(request, run_id, position, turn_no)
    current = page.current
    assert current is not None  # noqa: S101 - _turn_page
    form = _form(page, data=request.POST)
    if not form.is_valid():
        return _again(request, viewer, page, form=form, status=422)
    judgement = form.judgement()
    seen = judgement.pop("seen_revision")
    try:
        labels.save(
            trajectory=item.trajectory,
            path=page.path,
            turn_key=current.key,
            by=viewer.user,
            seen_revision=seen,
            **judgement,
        )
    except StaleRevisionError as error:
        return _again(request, viewer, page, form=form, status=409, conflict=error)
    except WorkbenchError as error:
        form.add_error(None, str(error))
        return _again(request, viewer, page, form=form, status=422)
    # A blinded person stays to see what the machine says of the turn just labelled; the next key goes on.
    return _saved(request, viewer, item, turn_no, goes_on="stay" not in request.POST and not viewer.is_blinded)


@require_POST
@signed_in
def label_agree(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    """Save the machine's verdict as one's own: pass or fail, its reason, its root or what it comes from."""
    viewer, item, page = _turn_page(request, run_id, position, turn_no)
    current = page.current
    assert current is not None  # noqa: S101 - _turn_page
    row = current.verdict
    if row is None or row.passed is None:
        messages.error(request, say("There is no verdict here to agree with."))
        return _moved(request, viewer, item, turn_no)
    try:
        labels.save(
            trajectory=item.trajectory,
            path=page.path,
            turn_key=current.key,
            by=viewer.user,
            seen_revision=current.mine.revision if current.mine else 0,
            comment=current.mine.comment if current.mine else "",
            **machine_judgement(page, row),
        )
    except WorkbenchError as error:
        messages.error(request, str(error))
        return _moved(request, viewer, item, turn_no)
    return _saved(request, viewer, item, turn_no, goes_on=True)


def machine_judgement(page: Review, row: Any) -> dict[str, Any]:
    """A turn verdict in the words of a label; a sub-metric that was not judged stays open."""
    keys = {turn.turn_no: turn.key for turn in page.turns}

    def said(value: float | None) -> str:
        return "" if value is None else SubLabel.PASS if value == 1 else SubLabel.FAIL

    failed = row.passed is False
    reasons = [] if row.is_cascade else [row.failure_reason]
    return {
        "verdict": TurnLabel.FAIL if failed else TurnLabel.PASS,
        "structural": said(row.structural),
        "completeness": said(row.completeness),
        "truthfulness": said(row.truthfulness),
        "failure_reason": next((r for r in reasons if failed and r in FailureReasonChoice.values), ""),
        "attribution": "" if not failed else Attribution.CASCADE if row.is_cascade else Attribution.ROOT,
        "cascade_of": [keys[number] for number in row.cascade_of or [] if number in keys] if row.is_cascade else [],
    }


@require_POST
@signed_in
def label_undo(request: HttpRequest, run_id: UUID, position: int) -> HttpResponse:
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.LABEL)
    try:
        messages.success(request, labels.undo(trajectory=item.trajectory, by=viewer.user))
    except WorkbenchError as error:
        messages.error(request, str(error))
    asked = request.POST.get("turn", "")
    return _moved(request, viewer, item, int(asked) if asked.isdecimal() and len(asked) < 9 else None)


def item_url(item: RunItem, turn_no: int | None, *, kept: str = "") -> str:
    """The address of a turn; ``kept`` is the filter that goes along."""
    url = reverse("evaluation:item-detail", args=[item.run_id, item.position])
    query = "&".join(part for part in (f"turn={turn_no}" if turn_no is not None else "", kept) if part)
    return f"{url}?{query}" if query else url


def _saved(request: HttpRequest, viewer: Viewer, item: RunItem, turn_no: int, *, goes_on: bool) -> HttpResponse:
    """The page after a label was saved: at the next turn without one where it goes on, else at the same."""
    drafts.discard(user=viewer.user, name=f"label-{item.trajectory_id}-{turn_no}")
    page = review.build(item, viewer, turn_no=turn_no)
    if goes_on:
        page.current = page.after(turn_no, wanted="unlabelled") or page.current
    return _shown(request, viewer, page, just_saved=turn_no)


def _moved(request: HttpRequest, viewer: Viewer, item: RunItem, turn_no: int | None) -> HttpResponse:
    if not request.headers.get("HX-Request"):
        return redirect(item_url(item, turn_no, kept=_kept(request, viewer)))
    return _shown(request, viewer, review.build(item, viewer, turn_no=turn_no))


def _shown(request: HttpRequest, viewer: Viewer, page: Review, *, just_saved: int | None = None) -> HttpResponse:
    item, turn_no = page.item, page.current.turn_no if page.current else None
    url = item_url(item, turn_no, kept=_kept(request, viewer))
    if not request.headers.get("HX-Request"):
        return redirect(url)
    response = render(request, "evaluation/review/_review.html", _context(request, viewer, page, just_saved=just_saved))
    if just_saved is not None:
        response = trigger_client_event(response, "draftSaved", {"draft": f"label-{item.trajectory_id}-{just_saved}"})
    return push_url(response, url)


def _again(request: HttpRequest, viewer: Viewer, page: Review, *, status: int, **more: Any) -> HttpResponse:
    template = "_review.html" if request.headers.get("HX-Request") else "detail.html"
    context = _context(request, viewer, page, **more)
    return render(request, f"evaluation/review/{template}", context, status=status)


urlpatterns = [
    path("runs/<uuid:run_id>/items/<int:position>/", item_detail, name="item-detail"),
    path("runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/label/", label_save, name="label-save"),
    path("runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/agree/", label_agree, name="label-agree"),
    path("runs/<uuid:run_id>/items/<int:position>/undo/", label_undo, name="label-undo"),
]
