"""The queue for owners and adjudicators: every conversation, who holds it, and what can be done to many at once."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.forms.queue import ActForm, filters_of
from annotations.models import Capability, Conversation, QueueAction, QueueActionKind, QueueActionRow, User
from annotations.services import queue, queue_actions
from annotations.services.assignments import priority_said, priority_word
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import mark, say, say_n

PAGE_SIZE = 50
#: Parts of an address that are no filters.
_NOT_ASKED = ("page", "done", "order")


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def queue_all(request: HttpRequest, slug: str) -> HttpResponse:
    """The conversations that the address asks for; posted, an act on the ticked ones or on all of these."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    people = queue_actions.annotators_of(viewer.project)
    if request.method != "POST":
        return _page(request, viewer, ActForm(kinds=_kinds(viewer), people=people, initial={"each": ""}))
    form = ActForm(request.POST, kinds=_kinds(viewer), people=people, ticked=request.POST.getlist("c"))
    if not form.is_valid():
        return _page(request, viewer, form, status=422)
    now = timezone.now()
    if form.cleaned_data["scope"] == "all":
        chosen = queue.matching(viewer.project, filters_of(request.GET), now)
    else:
        chosen = Conversation.objects.in_project(viewer.project).filter(pk__in=form.ticked)
    try:
        outcome = queue_actions.perform(
            project=viewer.project, by=viewer.user, chosen=chosen, now=now, **form.options()
        )
    except queue_actions.ActionRefusedError as error:
        form.refuse(error)
        return _page(request, viewer, form, status=422)
    except WorkbenchError as error:
        form.add_error(None, str(error))
        return _page(request, viewer, form, status=422)
    if outcome.action is None:
        messages.info(request, _nothing(outcome))
    return redirect(_address(viewer, request.GET.copy(), outcome.action))


def _kinds(viewer: Viewer) -> list[QueueActionKind]:
    """The acts that this member may do."""
    possible = [kind for kind, needed in queue_actions.NEEDS.items() if viewer.can(needed)]
    return [QueueActionKind(kind) for kind in possible if kind != QueueActionKind.OVERLAP]


def _page(request: HttpRequest, viewer: Viewer, form: ActForm, *, status: int = 200) -> HttpResponse:
    now, project, query = timezone.now(), viewer.project, request.GET.copy()
    filters = filters_of(query)
    order = query.get("order", "")
    order = order if order in queue.ORDERS else ""
    found = queue.ordered(queue.matching(project, filters, now), order)
    shown = found.select_related("dataset", "set_aside_by").defer("system_prompt", "user_goal", "extra")
    page = Paginator(shown, PAGE_SIZE).get_page(query.get("page"))
    counts = queue.counts(project, now)
    done = query.get("done", "")
    query.pop("done", None)
    context = {
        "viewer": viewer,
        "page": page,
        "rows": queue.rows_of(project, list(page.object_list), now),
        "form": form,
        "filters": filters,
        "has_filter": any(query.get(name) for name in query if name not in _NOT_ASKED),
        "order": order,
        "states": [(state, say(words), counts[state]) for state, words in queue.STATES.items()],
        "state_words": {state: say(words) for state, words in queue.STATES.items()},
        "total": Conversation.objects.in_project(project).count(),
        "reasons": queue.skip_reasons(project),
        "back": query.urlencode(),
        "done": _done(viewer, done),
        **queue.choices(project),
    }
    return render(request, "annotations/queue_manage/list.html", context, status=status)


def _done(viewer: Viewer, asked: str) -> Any:
    """The act that the address names, to be shown with its undo."""
    if not asked.isdecimal() or len(asked) > 18:
        return None
    return queue_actions.undoable(viewer.project).filter(pk=int(asked)).first()


def _nothing(outcome: queue_actions.Outcome) -> str:
    said = [say("Nothing was changed.")]
    if outcome.unchanged:
        number = f"{outcome.unchanged:,}"
        said.append(say_n("{number} was so already.", "{number} were so already.", outcome.unchanged, number=number))
    named = [f"{entry['title']}: {queue_actions.told(entry['why'])}." for entry in outcome.refused[:5]]
    if len(outcome.refused) > 5:
        named.append(say("And {number} more.", number=f"{len(outcome.refused) - 5:,}"))
    if not outcome.unchanged and not named:
        said.append(say("No conversation was chosen."))
    return " ".join([*said, *named])


def _address(viewer: Viewer, query: QueryDict, action: QueueAction | None) -> str:
    """The page as it was, with the act that it is to show."""
    query.pop("done", None)
    if action is not None:
        query["done"] = str(action.pk)
    asked = query.urlencode()
    return reverse("annotations:queue-all", args=[viewer.project.slug]) + (f"?{asked}" if asked else "")


@require_safe
@access.signed_in
def queue_act_list(request: HttpRequest, slug: str) -> HttpResponse:
    """What was done to the queue, newest first, each with its undo."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    page = Paginator(queue_actions.undoable(viewer.project), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"viewer": viewer, "page": page}
    return render(request, "annotations/queue_manage/acts.html", context)


@require_safe
@access.signed_in
def queue_act_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One act: each conversation that it changed, before and after, and those that it left alone."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    action = get_object_or_404(queue_actions.undoable(viewer.project), pk=pk)
    rows = action.rows.select_related("conversation__dataset").order_by("pk")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"viewer": viewer, "action": action, "page": page, "changes": _changes(list(page.object_list))}
    return render(request, "annotations/queue_manage/act.html", context)


def _changes(rows: list[QueueActionRow]) -> list[tuple[QueueActionRow, list[str], list[str]]]:
    ids = {int(key) for row in rows for key in row.before.get("people", {})}
    names = {user.pk: str(user) for user in User.objects.filter(pk__in=ids)}
    return [(row, _words(row.before, names), _words(row.after, names)) for row in rows]


def _words(side: dict[str, Any], names: dict[int, str]) -> list[str]:
    """One side of a change as people read it."""
    if "priority" in side:
        return [priority_said(priority_word(side["priority"]))]
    if "set_aside" in side:
        aside = side["set_aside"]
        return [say("set aside: {reason}", reason=aside["reason"]) if aside else say("in the queue")]
    return [f"{names.get(int(key)) or say('somebody')}: {_place_words(place)}" for key, place in side["people"].items()]


_PLACES = {
    "reserved": mark("assigned, not begun"),
    "claimed": mark("in work"),
    "done": mark("done"),
    "lapsed": mark("time ran out"),
    "released": mark("taken back"),
}


def _place_words(place: dict[str, Any] | None) -> str:
    if place is None:
        return say("no part in it")
    if place["state"] == "skipped":
        return say("skipped: “{reason}”", reason=place["reason"])
    if place["state"] == "claimed" and place["assigned_at"]:
        return say("in work, assigned")
    return say(_PLACES[place["state"]])


@require_POST
@access.signed_in
def queue_act_undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    action = get_object_or_404(queue_actions.undoable(viewer.project), pk=pk)
    access.get_viewer(request.user, viewer.project, require=queue_actions.may_undo(action))
    query, made = QueryDict(request.POST.get("back", "")[:4000], mutable=True), None
    try:
        made = queue_actions.undo(action=action, by=viewer.user, now=timezone.now()).action
    except WorkbenchError as error:
        messages.error(request, str(error))
    return redirect(_address(viewer, query, made))


_QUEUE = "p/<slug:slug>/queue/"
urlpatterns = [
    path(f"{_QUEUE}all/", queue_all, name="queue-all"),
    path(f"{_QUEUE}acts/", queue_act_list, name="queue-act-list"),
    path(f"{_QUEUE}acts/<int:pk>/", queue_act_detail, name="queue-act-detail"),
    path(f"{_QUEUE}acts/<int:pk>/undo/", queue_act_undo, name="queue-act-undo"),
]
