"""The second look: what was made under an older guideline, and what is decided about it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotations import access
from annotations.access import Viewer
from annotations.models import Capability, FailureReasonChoice, SecondLookKind
from annotations.services import second_look as looks
from annotations.services.errors import StaleRevisionError, WorkbenchError
from annotations.views.requests import whole_number
from evaluation.aem.language import say, say_n

PAGE_SIZE = 50
_NAMED = 5


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def second_look(request: HttpRequest, slug: str) -> HttpResponse:
    """Goldens, or labels, that were made under an older guideline than the one in force (or than ``before``); posted,
    what is decided about the ticked ones."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    return _act(request, viewer) if request.method == "POST" else _page(request, viewer)


def _page(request: HttpRequest, viewer: Viewer, *, status: int = 200, **more: Any) -> HttpResponse:
    asked = request.GET
    versions = list(viewer.project.guidelines.order_by("-number"))
    before = next((one for one in versions if str(one.number) == asked.get("before")), next(iter(versions), None))
    is_labels = asked.get("what") == "labels"
    reason, tool = asked.get("reason", "").replace("\x00", "\ufffd"), asked.get("tool", "")
    context: dict[str, Any] = {"viewer": viewer, "versions": versions, "before": before, "is_labels": is_labels}
    if before is not None:
        goldens = looks.goldens_in_doubt(before, tool="" if is_labels else tool)
        labels = looks.labels_in_doubt(before, reason=reason if is_labels else "")
        rows: Any = labels if is_labels else goldens
        page = Paginator(rows, PAGE_SIZE).get_page(asked.get("page"))
        context |= {
            "page": page,
            "asked": looks.asked_again(page.object_list),
            "golden_count": goldens.count(),
            "label_count": labels.count(),
            "tools": looks.tools_of(viewer.project),
            "reasons": FailureReasonChoice.choices,
            "tool": tool,
            "reason": reason,
            "back": asked.urlencode(),
            "act": looks.find_acts(viewer.project).first(),
            "in_force": versions[0],
        }
    return render(request, "annotations/projects/second_look.html", {**context, **more}, status=status)


def _act(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Say of the ticked rows that they are still right, or ask for them again."""
    comment = request.POST.get("comment", "").replace("\x00", "\ufffd")
    ticked = request.POST.getlist("c")
    chosen: dict[str, Any] = {"project": viewer.project, "by": viewer.user}
    chosen["seen_number"] = whole_number(request.POST.get("seen_number", "")) or 0
    if request.GET.get("what") == "labels":
        chosen["labels"] = [number for text in ticked if (number := whole_number(text, digits=18)) is not None]
    else:
        chosen["goldens"] = [pk for text in ticked if (pk := _uuid(text)) is not None]
    try:
        if request.POST.get("do") == SecondLookKind.AGAIN:
            outcome = looks.ask_again(comment=comment, **chosen)
        else:
            outcome = looks.say_right(**chosen)
    except StaleRevisionError as error:
        problem = say(
            "Nothing was done: version {number} of the guideline was saved meanwhile. Look at what has changed.",
            number=error.current.number,
        )
        return _page(request, viewer, status=409, problem=problem, comment=comment, ticked=ticked)
    except WorkbenchError as error:
        return _page(request, viewer, status=422, problem=str(error), comment=comment, ticked=ticked)
    _tell(request, outcome)
    return redirect(_address(viewer, request.GET))


def _tell(request: HttpRequest, outcome: looks.Outcome) -> None:
    """What was done stands on the page with its undo; what was not is said once."""
    if outcome.unchanged:
        said = say_n("{count} was so already.", "{count} were so already.", outcome.unchanged)
        messages.info(request, said)
    if outcome.refused:
        named = "; ".join(f"{one.title}: {one.why}" for one in outcome.refused[:_NAMED])
        if len(outcome.refused) > _NAMED:
            named = say_n(
                "{names} and {count} more", "{names} and {count} more", len(outcome.refused) - _NAMED, names=named
            )
        messages.warning(request, say("Left alone: {names}.", names=named))


@require_POST
@access.signed_in
def second_look_undo(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    act = whole_number(request.POST.get("act", ""), digits=18) or 0
    try:
        outcome = looks.undo(project=viewer.project, act_pk=act, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        said = say_n("Undone: {count} row is as it was before.", "Undone: {count} rows are as before.", outcome.changed)
        messages.success(request, said)
        _tell(request, outcome)
    return redirect(_address(viewer, QueryDict(request.POST.get("back", "")[:4000])))


def _address(viewer: Viewer, back: QueryDict) -> str:
    query = back.urlencode()
    return reverse("annotations:second-look", args=[viewer.project.slug]) + (f"?{query}" if query else "")


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


_BASE = "p/<slug:slug>/guideline/second-look/"
urlpatterns = [
    path(_BASE, second_look, name="second-look"),
    path(f"{_BASE}undo/", second_look_undo, name="second-look-undo"),
]
