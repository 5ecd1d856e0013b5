"""What goes to people, and the page on which a turn is settled."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.access import Viewer, signed_in
from annotations.models import Capability, TurnLabel
from annotations.services import drafts, labels
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation import access
from evaluation.aem.language import say
from evaluation.forms.review import DecisionForm
from evaluation.models import Decision, RunItem
from evaluation.services import agreement, decisions, lessons, review
from evaluation.services.review import Review
from evaluation.views import lessons as learning
from evaluation.views.agreement import chosen_runs
from evaluation.views.review import guideline_beside, verdict_choices

REASONS = ("people differ", "people and machine differ", "ambiguous", "not scored")


@require_safe
@signed_in
def adjudication_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_sighted_viewer(request.user, slug, require=Capability.ADJUDICATE)
    runs, possible = chosen_runs(request, viewer)
    state, wanted = request.GET.get("state", "open"), request.GET.get("reason", "")
    every = agreement.to_adjudicate(runs, with_decided=True)
    shown = [entry for entry in every if (entry.decision is None) == (state != "decided")]
    counts = {reason: sum(reason in entry.reasons for entry in shown) for reason in REASONS}
    if wanted in REASONS:
        shown = [entry for entry in shown if wanted in entry.reasons]
    page = Paginator(shown, 50).get_page(request.GET.get("page"))
    context = {
        "viewer": viewer,
        "page": page,
        "since": lessons.scored_since([(entry.item, entry.verdict.turn_no) for entry in page]),
        "counts": counts,
        "open_count": sum(entry.decision is None for entry in every),
        "decided_count": sum(entry.decision is not None for entry in every),
        "runs": runs,
        "possible": possible,
        "asked": request.GET,
        "kept": _kept(request),
        "state": state,
    }
    return render(request, "evaluation/adjudication/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def adjudicate(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.ADJUDICATE)
    page = review.build(item, viewer, turn_no=turn_no)
    current = page.current
    if current is None or current.turn_no != turn_no:
        raise Http404(say("There is no such turn."))
    typed = learning.typed_before(request, item, turn_no)
    earlier = [(turn.key, f"{turn.turn_no} {turn.title}") for turn in page.turns if turn.turn_no < turn_no]
    if request.method != "POST":
        return _page(
            request, viewer, page, form=_form(current.decision, earlier=earlier, typed=typed), has_typed=bool(typed)
        )
    form = DecisionForm(request.POST, earlier=earlier)
    if not form.is_valid():
        return _page(request, viewer, page, form=form, status=422)
    judgement = form.judgement()
    example = decisions.example_text(item.trajectory, turn_no, review.stored_title(current.golden))
    try:
        decisions.decide(
            trajectory=item.trajectory,
            path=page.path,
            turn_key=current.key,
            by=viewer.user,
            seen_revision=judgement.pop("seen_revision"),
            reason=judgement.pop("reason"),
            example=example if "as_example" in request.POST else None,
            **judgement,
        )
    except StaleRevisionError as error:
        return _page(request, viewer, page, form=form, status=409, conflict=error)
    except WorkbenchError as error:
        form.add_error(None, str(error))
        return _page(request, viewer, page, form=form, status=422)
    learning.forget_typed(request)
    drafts.discard(user=viewer.user, name=f"decision-{item.trajectory_id}-{page.path}-{current.key}")
    messages.success(
        request,
        say("Decided: {conversation}, turn {number}.", conversation=item.trajectory.conversation, number=turn_no),
    )
    following = next_open(
        viewer, item, turn_no, chosen=request.GET.get("run", ""), reason=request.GET.get("reason", "")
    )
    kept = _kept(request)
    return redirect((following or reverse("evaluation:adjudication-list", args=[viewer.project.slug])) + kept)


def _kept(request: HttpRequest) -> str:
    """The run and reason that the list was narrowed to, as a query: what goes along from turn to turn."""
    kept = urlencode([(name, request.GET[name]) for name in ("run", "reason") if request.GET.get(name)])
    return f"?{kept}" if kept else ""


def next_open(viewer: Viewer, item: RunItem, turn_no: int, *, chosen: str = "", reason: str = "") -> str | None:
    """The address of the next turn to settle: of the chosen run and reason, as the list shows them."""
    runs = agreement.newest_runs(viewer.project)
    if item.run not in runs or chosen == str(item.run_id):
        runs = [item.run]
    entries = agreement.to_adjudicate(runs)
    if reason in REASONS:
        entries = [entry for entry in entries if reason in entry.reasons]
    here = (item.pk, turn_no)
    entry = next((entry for entry in entries if (entry.item.pk, entry.verdict.turn_no) != here), None)
    return adjudicate_url(entry.item, entry.verdict.turn_no) if entry is not None else None


def adjudicate_url(item: RunItem, turn_no: int) -> str:
    return reverse("evaluation:adjudicate", args=[item.run_id, item.position, turn_no])


def _form(decision: Decision | None, *, earlier: list[tuple[str, str]], typed: dict[str, Any]) -> DecisionForm:
    """``typed`` is what stood in the form when something was learned beside it; it goes before what was decided."""
    initial: dict[str, Any] = {"seen_revision": 0}
    if decision is not None:
        initial = {**labels.judged(decision, "reason"), "seen_revision": decision.revision}
    return DecisionForm(initial=initial | typed, earlier=earlier)


def _page(
    request: HttpRequest, viewer: Viewer, page: Review, *, form: DecisionForm, status: int = 200, **more: Any
) -> HttpResponse:
    current = page.current
    assert current is not None  # noqa: S101 - adjudicate
    form_context = guideline_beside(viewer, current, form)
    answers = [label for label in (current.mine, *current.others) if label is not None]
    numbers = {turn.key: str(turn.turn_no) for turn in page.turns}
    context = {
        "viewer": viewer,
        "page": page,
        "item": page.item,
        "run": page.item.run,
        "current": current,
        "rows": review.rows_of(current),
        "answers": [
            (label, ", ".join(numbers.get(key, key) for key in label.cascade_of or []))
            for label in decisions.shuffled(answers, address=f"{page.trajectory.pk}:{page.path}:{current.key}")
        ],
        "form": form,
        "verdict_choices": [choice for choice in verdict_choices() if choice["value"] != TurnLabel.UNSURE],
        "conflict": None,
        "as_example": "as_example" in request.POST,
        "example": decisions.find_example(current.decision) if current.decision is not None else None,
        **form_context,
        "kept": _kept(request),
        "groups": learning.groups_here(page.item, page),
        "taught": learning.taught_here(page.item, page),
        "since": lessons.scored_since([(page.item, current.turn_no)]).get(page.item.pk, {}).get(current.turn_no),
        **more,
    }
    return render(request, "evaluation/adjudication/detail.html", context, status=status)


@require_POST
@signed_in
def decision_example(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    """Make the reason of a settled turn an example of the guideline."""
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.ADJUDICATE)
    page = review.build(item, viewer, turn_no=turn_no)
    if page.current is None or page.current.turn_no != turn_no:
        raise Http404(say("There is no such turn."))
    decision = get_object_or_404(Decision, trajectory=item.trajectory, path=page.path, turn_key=page.current.key)
    try:
        text = decisions.example_text(item.trajectory, turn_no, review.stored_title(page.current.golden))
        made = decisions.add_example(decision=decision, by=viewer.user, text=text)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, say("It is an example of the guideline now, since version {number}.", number=made.number)
        )
    return redirect(adjudicate_url(item, turn_no) + _kept(request))


@require_POST
@signed_in
def decision_take_back(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    """Open a settled turn again."""
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.ADJUDICATE)
    page = review.build(item, viewer, turn_no=turn_no)
    if page.current is None or page.current.turn_no != turn_no:
        raise Http404(say("There is no such turn."))
    decision = get_object_or_404(Decision, trajectory=item.trajectory, path=page.path, turn_key=page.current.key)
    seen = request.POST.get("seen_revision", "")
    try:
        decisions.take_back(
            decision=decision,
            by=viewer.user,
            seen_revision=int(seen) if seen.isdecimal() and len(seen) < 10 else None,
        )
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, say("The decision is taken back; the turn is open again. The history keeps what it said.")
        )
    return redirect(adjudicate_url(item, turn_no))


urlpatterns = [
    path("p/<slug:slug>/adjudication/", adjudication_list, name="adjudication-list"),
    path("runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/decide/", adjudicate, name="adjudicate"),
    path(
        "runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/decide/example/",
        decision_example,
        name="decision-example",
    ),
    path(
        "runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/decide/take-back/",
        decision_take_back,
        name="decision-take-back",
    ),
]
