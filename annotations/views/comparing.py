"""What has changed, in words: between dataset versions, between goldens, and within a golden; and bringing it back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from annotations import access
from annotations.models import Capability, Conversation, GoldenRecord
from annotations.services import comparing, goldens, restoring
from annotations.services.errors import WorkbenchError
from annotations.views.requests import whole_number
from annotations.views.workbench import label_of
from evaluation.aem.language import say, say_n

PAGE_SIZE = 25


@access.signed_in
@require_safe
def dataset_changes(request: HttpRequest, slug: str, dataset_slug: str) -> HttpResponse:
    """What differs between two versions, or between a version and the goldens in force now (``to=now``)."""
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug)
    access.require_sighted(viewer)
    versions = list(dataset.versions.order_by("-number"))
    to, since = comparing.chosen_versions(versions, request.GET.get("to", ""), request.GET.get("since", ""))
    before = comparing.records_of(since) if since else {}
    after = comparing.records_of(to) if to else comparing.in_force(dataset)
    moved = comparing.moved(before, after)
    page = Paginator(moved, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "viewer": viewer,
        "dataset": dataset,
        "versions": versions,
        "to": to,
        "since": since,
        "page": page,
        "changes": comparing.in_words(list(page.object_list)),
        "counts": {state: sum(one.state == state for one in moved) for state in ("changed", "added", "removed")},
        "same_count": len(after) - sum(one.after is not None for one in moved),
    }
    return render(request, "annotations/datasets/changes.html", context)


@access.signed_in
@require_POST
def version_restore(request: HttpRequest, slug: str, dataset_slug: str, number: int) -> HttpResponse:
    """Make the goldens of a version those in force again."""
    viewer, version = access.get_dataset_version_or_404(
        request.user, slug, dataset_slug, number, require=Capability.MANAGE
    )
    try:
        change, left = restoring.restore_version(version=version, by=viewer.user)
    except WorkbenchError as error:
        messages.warning(request, str(error))
        return redirect(version)
    count = len(change.after["in_force"])
    said = say_n(
        "In force again: 1 golden of version {number}. The dataset's page can undo it.",
        "In force again: {shown} goldens of version {number}. The dataset's page can undo it.",
        count,
        shown=f"{count:,}",
        number=number,
    )
    messages.success(request, said)
    if left:
        names = restoring.names_in_words(left, most=5)
        messages.warning(request, say("Left as they are, since their tools are others now: {names}.", names=names))
    return redirect(version.dataset)


@access.signed_in
@require_POST
def restore_undo(request: HttpRequest, slug: str, dataset_slug: str, pk: int) -> HttpResponse:
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug, require=Capability.MANAGE)
    try:
        count = restoring.undo_restore(dataset=dataset, change_pk=pk, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, say("Not undone. {why}", why=error))
    else:
        said = say_n(
            "Undone: {shown} conversation as before.",
            "Undone: {shown} conversations as before.",
            count,
            shown=f"{count:,}",
        )
        messages.success(request, said)
    return redirect(dataset)


# --- accepted goldens -------------------------------------------------------------------------------------------------


@access.signed_in
@require_safe
def record_changes(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """An accepted golden beside an earlier one of the same conversation (``since``, else the one before)."""
    viewer, conversation, record = _record(request, pk, number)
    records = list(conversation.golden_records.order_by("-number").defer("body").select_related("created_by"))
    asked = request.GET.get("since", "")
    others = [one for one in records if one.number != number]
    if asked:
        earlier = next((one for one in others if str(one.number) == asked), None)
        if earlier is None:
            raise Http404(say("This conversation has no such golden."))
    else:
        earlier = next((one for one in others if one.number < number), None)
    context = {
        "viewer": viewer,
        "conversation": conversation,
        "record": record,
        "records": records,
        "since": earlier,
        "one": comparing.compared(conversation, earlier, record),
        "in_force": conversation.golden_record,
    }
    return render(request, "annotations/conversations/golden_changes.html", context)


@access.signed_in
@require_POST
def record_restore(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    viewer, conversation, record = _record(request, pk, number, require=Capability.ADJUDICATE)
    seen = request.POST.get("seen", "")
    try:
        restoring.restore_record(record=record, by=viewer.user, seen_number=whole_number(seen))
    except WorkbenchError as error:
        messages.error(request, say("Not restored. {why}", why=error))
    else:
        said = say("Golden {number} is in force again. Runs score with it from the next version on.", number=number)
        messages.success(request, said)
    return redirect(conversation)


def _record(
    request: HttpRequest, pk: int, number: int, *, require: str = Capability.VIEW
) -> tuple[access.Viewer, Conversation, GoldenRecord]:
    viewer, conversation = access.get_conversation_or_404(request.user, pk, require=require)
    access.require_sighted(viewer)
    record = conversation.golden_records.select_related("created_by").filter(number=number).first()
    if record is None:
        raise Http404(say("This conversation has no such golden."))
    return viewer, conversation, record


# --- a golden in work -------------------------------------------------------------------------------------------------


@access.signed_in
@require_safe
def golden_history(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Who changed which field when, from what to what; of one turn with ``turn``, which can be brought back from it."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    turns = {turn.pk: turn for turn in golden.turns.all()}
    asked = request.GET.get("turn", "")
    only = whole_number(asked, digits=18)
    changes = comparing.history_of(golden)
    entries: list[Any]
    if only is None:
        page = Paginator(changes, PAGE_SIZE).get_page(request.GET.get("page"))
        entries = [comparing.entry_of(change, turns) for change in page.object_list]
    else:
        found = [entry for change in changes if (entry := comparing.entry_of(change, turns, only=only)).steps]
        page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
        entries = list(page.object_list)
    context = {
        "viewer": viewer,
        "golden": golden,
        "conversation": golden.conversation,
        "entries": entries,
        "page": page,
        "turn": turns.get(only) if only is not None else None,
        "turns": [(turn, label_of(turn)) for turn in turns.values() if turn.turn_no],
        "may_restore": access.may_write(viewer, golden),
    }
    return render(request, "annotations/goldens/history.html", context)


@access.signed_in
@require_POST
def golden_turn_restore(request: HttpRequest, golden_id: UUID, pk: int, change_pk: int) -> HttpResponse:
    """Bring a turn back to what it said after one of its changes: a save like any other, so that undo takes it back."""
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    golden = turn.golden
    body = comparing.find_body(golden, change_pk=change_pk, turn_pk=pk)
    if body is None:
        raise Http404(say("That change says nothing of this turn."))
    seen = request.POST.get("revision", "")
    try:
        goldens.update_turn(turn=turn, body=body, seen=whole_number(seen) or 0, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, say("Not restored. {why}", why=error))
        return redirect(f"{golden.get_absolute_url()}history/?turn={pk}")
    messages.success(request, say("Brought back. Undo takes it back."))
    return redirect(f"{golden.get_absolute_url()}?turn={pk}")


_GOLDEN = "goldens/<uuid:golden_id>/"
_DATASET = "p/<slug:slug>/datasets/<slug:dataset_slug>/"
_RECORD = "conversations/<int:pk>/goldens/<int:number>/"
urlpatterns = [
    path(f"{_DATASET}changes/", dataset_changes, name="dataset-changes"),
    path(f"{_DATASET}v<int:number>/restore/", version_restore, name="version-restore"),
    path(f"{_DATASET}restores/<int:pk>/undo/", restore_undo, name="restore-undo"),
    path(f"{_RECORD}changes/", record_changes, name="conversation-golden-changes"),
    path(f"{_RECORD}restore/", record_restore, name="conversation-golden-restore"),
    path(f"{_GOLDEN}history/", golden_history, name="golden-history"),
    path(f"{_GOLDEN}turns/<int:pk>/restore/<int:change_pk>/", golden_turn_restore, name="golden-turn-restore"),
]
