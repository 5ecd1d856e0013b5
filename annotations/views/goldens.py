"""The annotation workbench: a golden is written turn by turn, submitted, returned and accepted."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from annotations import access
from annotations.forms.goldens import TurnForm, WholeForm
from annotations.models import Capability, Golden, GoldenStatus, GoldTurn, Trajectory, TurnKind
from annotations.observed import part_text
from annotations.services import assignments, drafts, gold_turns, goldens, merges, pace, prefills
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from annotations.views import changes, hand, picking, suggested, workbench
from annotations.views.requests import whole_number
from annotations.views.workbench import Desk
from evaluation.aem.language import say, say_n

CONFLICT = 409
UNREADABLE = 422


# --- the page ---------------------------------------------------------------------------------------------------------


@access.signed_in
@require_safe
def golden_detail(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """The workbench page, open at the turn asked for or at the first one that nobody has looked at."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden, path=request.GET.get("path", ""))
    current = desk.find(_number(request.GET.get("turn")))
    if current is not None and current.path != desk.path:
        desk = Desk.open(viewer, golden, path=current.path)
    current = current or desk.first_to_do()
    form = picking.taken_form(desk, current, request.GET.get("take", ""))
    typed: dict[str, Any] = {"form": form, "is_unsaved": True} if form is not None else {}
    if _is_htmx(request) and current is not None:
        return _turn(request, desk, current, **typed)
    at_hand = hand.hand_context(desk, request.GET.get("hand", ""), current) or {}
    return _page(request, desk, current, here="", **typed, **at_hand)  # relative addresses: there are hundreds


def _page(request: HttpRequest, desk: Desk, current: GoldTurn | None, **extra: Any) -> HttpResponse:
    context = workbench.page_context(desk, current, now=timezone.now())
    status = extra.pop("status", 200)
    if current is not None:
        context |= workbench.turn_context(desk, current, form=extra.pop("form", None))
    context |= {"show_whole": current is None and bool(extra.get("whole"))}
    context |= {
        "hand_links": hand.hand_links(desk, current),
        "pace_words": _pace_words(desk),
    }
    return render(request, "annotations/goldens/detail.html", {**context, **extra}, status=status)


def _pace_words(desk: Desk) -> str:
    """Of who writes the golden: whoever corrects somebody else's has no pace in it."""
    if not (desk.is_own and desk.may_edit):
        return ""
    return pace.pace_words(pace.get_pace(desk.viewer.project, desk.viewer.user))


def _number(text: str | None) -> int | None:
    return whole_number(text, digits=18)


@access.signed_in
@require_safe
def golden_turns(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """The list of turns alone, as it is after a save."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    desk = Desk.open(viewer, golden, path=request.GET.get("path", ""))
    current = desk.find(_number(request.GET.get("current")))
    context = {"viewer": viewer, "golden": golden, "desk": desk, **workbench.list_context(desk, current), "here": ""}
    return render(request, "annotations/goldens/_turns.html", context)


@access.signed_in
@require_safe
def golden_observed(request: HttpRequest, golden_id: UUID, index: int, name: str) -> HttpResponse:
    """One folded part of the recorded conversation, whole."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    trajectory = _source(golden)
    turns = trajectory.body["turns"] if trajectory else []
    text = part_text(turns[index], name) if index < len(turns) else None
    if text is None:
        raise Http404(say("There is no such part."))
    context = {"viewer": viewer, "golden": golden, "text": text, "index": index, "name": name}
    template = "_part.html" if _is_htmx(request) else "part.html"
    return render(request, f"annotations/goldens/{template}", context)


def _source(golden: Golden) -> Trajectory | None:
    return Trajectory.objects.filter(pk=golden.source_trajectory_id or 0).first()


def _is_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


# --- one turn ---------------------------------------------------------------------------------------------------------


@access.signed_in
@require_http_methods(["GET", "POST"])
def golden_turn(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    """The form of one turn: shown, changed without saving, saved under its revision, or in conflict."""
    if request.method == "GET":
        viewer, golden = access.get_golden_or_404(request.user, golden_id)
        desk = Desk.open(viewer, golden)
        return _turn(request, desk, _find_or_404(desk, pk))
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    desk = Desk.open(viewer, turn.golden)
    turn = _find_or_404(desk, pk)
    form = TurnForm(turn.body, desk.names_before(turn), request.POST)
    do = request.POST.get("do", "save")
    if do == "theirs":
        return _turn(request, desk, turn, discards_draft=True)
    if suggested.is_about(do):
        return _answer_suggestion(request, desk, turn, form, do)
    if form.apply(do, workbench.schema_of(desk, form.tool), language=desk.golden.conversation.language):
        seen = _number(request.POST.get("revision"))
        return _turn(request, desk, turn, form=form, is_unsaved=True, seen=seen)
    return _save_turn(request, desk, turn, form, do)


def _answer_suggestion(request: HttpRequest, desk: Desk, turn: GoldTurn, form: TurnForm, do: str) -> HttpResponse:
    """Accept or refuse a suggestion; the counts of the list follow."""
    seen = _number(request.POST.get("revision"))
    try:
        answered = suggested.answer(desk, turn, form, do)
    except NotAllowedNowError as error:
        form.errors[""] = str(error)
        return _turn(request, desk, turn, form=form, is_unsaved=True, seen=seen, status=UNREADABLE)
    if answered.is_gone:
        messages.success(request, answered.said)
        there = desk.golden.get_absolute_url()
        return HttpResponseClientRedirect(there) if _is_htmx(request) else redirect(there)
    typed = {"form": answered.form, "is_unsaved": True} if answered.form is not None else {}
    return _turn(request, desk, turn, **typed, seen=seen, said=answered.said, has_decided=True)


def _find_or_404(desk: Desk, pk: int) -> GoldTurn:
    turn = desk.find(pk)
    if turn is None:
        raise Http404(say("This turn is not there, or was removed."))
    return turn


def _save_turn(request: HttpRequest, desk: Desk, turn: GoldTurn, form: TurnForm, do: str) -> HttpResponse:
    seen = _number(request.POST.get("their_revision" if do == "overwrite" else "revision")) or 0
    if not form.is_valid():
        return _turn(request, desk, turn, form=form, is_unsaved=True, seen=seen, status=UNREADABLE)
    try:
        saved = goldens.update_turn(turn=turn, body=form.body(), seen=seen, by=desk.viewer.user)
    except StaleRevisionError as error:
        conflict = workbench.conflict_context(desk, error.current, form.body())
        return _turn(request, desk, turn, form=form, is_unsaved=True, status=CONFLICT, seen=seen, conflict=conflict)
    except goldens.TurnRefusedError as error:
        form.add_refusal(error.reason, error.field)
        return _turn(request, desk, turn, form=form, is_unsaved=True, seen=seen, status=UNREADABLE)
    except NotAllowedNowError as error:
        form.errors[""] = str(error)
        return _turn(request, desk, turn, form=form, is_unsaved=True, seen=seen, status=UNREADABLE)
    note = _renew(desk)
    return _after_save(request, desk, saved, goes_on=do == "save-next", note=note)


def _renew(desk: Desk) -> str:
    """Work prolongs the lease; a word of warning where the place has gone to somebody else."""
    if not desk.is_own:
        return ""
    try:
        assignments.renew(desk.golden.conversation, desk.viewer.user, timezone.now())
    except assignments.NoPlaceLeftError as error:
        return str(error)
    return ""


def _after_save(request: HttpRequest, desk: Desk, saved: GoldTurn, *, goes_on: bool, note: str = "") -> HttpResponse:
    drafts.discard(user=desk.viewer.user, name=f"turn-{saved.pk}-{desk.viewer.user.pk}")
    following = desk.neighbour(saved, 1) if goes_on else None
    said = _said_of(saved, is_last=goes_on and following is None)
    if not _is_htmx(request):
        messages.success(request, said)
        return redirect(_address(desk.golden, following or saved))
    desk = Desk.open(desk.viewer, desk.golden, path=saved.path)
    shown = _find_or_404(desk, (following or saved).pk)
    return _turn(request, desk, shown, said=said, note=note, saved=saved, is_at_end=goes_on and following is None)


def _said_of(saved: GoldTurn, *, is_last: bool) -> str:
    if saved.turn_no:
        if is_last:
            return say("✓ turn {number} saved, the last one", number=saved.turn_no)
        return say("✓ turn {number} saved", number=saved.turn_no)
    return say("✓ saved, the last one") if is_last else say("✓ saved")


def _address(golden: Golden, turn: GoldTurn | None) -> str:
    return golden.get_absolute_url() + (f"?turn={turn.pk}" if turn is not None and turn.pk else "")


def _turn(request: HttpRequest, desk: Desk, turn: GoldTurn, **extra: Any) -> HttpResponse:
    """The fragment of one turn, or the page around it, with the events that let the rest of the page follow."""
    status = extra.pop("status", 200)
    form = extra.pop("form", None)
    saved = extra.pop("saved", None)
    discards_draft = extra.pop("discards_draft", False)
    has_decided = extra.pop("has_decided", False)
    seen = extra.pop("seen", None)
    if form is not None and seen not in (None, turn.revision) and "conflict" not in extra:
        # Somebody saved it since: both versions stay in sight while one is made of them.
        extra["conflict"] = workbench.conflict_context(desk, turn, _as_typed(form))
    context = {
        "viewer": desk.viewer,
        "golden": desk.golden,
        "desk": desk,
        **workbench.turn_context(desk, turn, form=form),
        "seen": turn.revision if seen is None else seen,
        **extra,
    }
    if not _is_htmx(request):
        return _page(request, desk, turn, form=form, status=status, **{"seen": context["seen"], **extra})
    response = render(request, "annotations/goldens/_turn.html", context, status=status)
    trigger_client_event(
        response, "turnShown", {"turn": turn.pk, "observed": turn.observed_index, "path": turn.path}, after="settle"
    )
    if saved is not None:
        trigger_client_event(response, "draftSaved", {"draft": f"turn-{saved.pk}-{desk.viewer.user.pk}"})
        trigger_client_event(response, "turnsChanged", {}, after="settle")
    elif discards_draft:
        trigger_client_event(response, "draftSaved", {"draft": context["draft_name"]})
    if status == CONFLICT or has_decided:
        trigger_client_event(response, "turnsChanged", {}, after="settle")
    return response


def _as_typed(form: TurnForm) -> dict[str, Any]:
    """The turn as the form has it; what is not finished yet is no fault of it."""
    found = dict(form.errors)
    body = form.body()
    form.errors = found
    return body


@access.signed_in
@require_POST
def golden_take(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    """What the agent did here is what is expected."""
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    desk = Desk.open(viewer, turn.golden, path=turn.path)
    turn = _find_or_404(desk, pk)
    seen = _number(request.POST.get("revision")) or 0
    try:
        saved = goldens.take_observed(
            turn=turn, seen=seen, by=viewer.user, observed_index=_number(request.POST.get("observed"))
        )
    except StaleRevisionError as error:
        conflict = workbench.conflict_context(desk, error.current, turn.body)
        return _turn(request, desk, turn, status=CONFLICT, seen=seen, conflict=conflict)
    except WorkbenchError as error:
        form = TurnForm(turn.body, desk.names_before(turn), None)
        form.errors[""] = str(error)
        return _turn(request, desk, turn, form=form, status=UNREADABLE)
    return _after_save(request, desk, saved, goes_on=True, note=_renew(desk))


@access.signed_in
@require_POST
def golden_turn_add(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """A new reply, call or user turn behind the current one."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    desk = Desk.open(viewer, golden, path=request.POST.get("path", ""))
    observed_index = _number(request.POST.get("observed"))
    body: dict[str, Any] | None = None
    if observed_index is not None:
        observed = goldens.observed_turn(golden, observed_index)
        body = gold_turns.draft_turn(observed, key="new") if observed else None
    if body is None:
        tool = request.POST.get("tool", "").replace("\x00", "\ufffd").strip()
        kinds: dict[str, dict[str, Any]] = {
            TurnKind.USER: {"user": ""},
            TurnKind.ACTION: {"tool": tool or "tool", "params": {}},
            TurnKind.RESPONSE: {"response": ""},
        }
        body = kinds.get(request.POST.get("kind", ""), kinds[TurnKind.RESPONSE])
    return _do(
        request,
        golden,
        lambda: goldens.add_turn(
            golden=golden,
            body=body,
            by=viewer.user,
            path=desk.path,
            after=desk.find(_number(request.POST.get("after"))),
            observed_index=observed_index,
        ),
        say("Turn added."),
    )


def _do(request: HttpRequest, golden: Golden, change: Any, said: str, *, turn: GoldTurn | None = None) -> HttpResponse:
    """Make a change of the golden's structure and show the page again at the turn that it concerns."""
    try:
        result = change()
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect(_address(golden, turn))
    messages.success(request, said)
    if isinstance(result, GoldTurn):
        turn = result
    if isinstance(result, str):
        return redirect(f"{golden.get_absolute_url()}?{urlencode({'path': result})}")
    return redirect(_address(golden, turn))


@access.signed_in
@require_POST
def golden_turn_remove(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    desk = Desk.open(viewer, turn.golden, path=turn.path)
    beside = desk.neighbour(_find_or_404(desk, pk), -1) or desk.neighbour(turn, 1)
    try:
        goldens.remove_turn(turn=turn, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect(_address(turn.golden, turn))
    messages.success(request, say("Turn removed. Undo brings it back."))
    return redirect(_address(turn.golden, beside))


@access.signed_in
@require_POST
def golden_turn_move(request: HttpRequest, golden_id: UUID, pk: int) -> HttpResponse:
    viewer, turn = access.get_gold_turn_or_404(request.user, golden_id, pk)
    places = -1 if request.POST.get("places") == "-1" else 1
    return _do(
        request,
        turn.golden,
        lambda: goldens.move_turn(turn=turn, by=viewer.user, places=places),
        say("Turn moved."),
        turn=turn,
    )


# --- paths and the whole ----------------------------------------------------------------------------------------------


@access.signed_in
@require_POST
def golden_path(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Add, rename or remove an alternative path."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    name, of = request.POST.get("name", "").replace("\x00", "\ufffd"), request.POST.get("path", "")
    do = request.POST.get("do", "add")
    if do == "remove":
        return _do(
            request,
            golden,
            lambda: goldens.remove_path(golden=golden, path=of, by=viewer.user),
            say("Path {path} removed. Undo brings it back.", path=of),
        )
    if do == "rename":
        return _do(
            request,
            golden,
            lambda: goldens.rename_path(golden=golden, path=of, name=name, by=viewer.user),
            say("Path renamed."),
        )
    return _do(
        request,
        golden,
        lambda: goldens.add_path(golden=golden, name=name, copy_of=of, by=viewer.user),
        say("Another way added as a copy; change it where it differs."),
    )


@access.signed_in
@require_POST
def golden_lookups(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Make each call of a tool without effect an optional step."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    try:
        number = goldens.relax_lookups(golden=golden, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        made = say_n("{count} look-up is optional now.", "{count} look-ups are optional now.", number)
        messages.success(request, made if number else say("No look-up was left to be made optional."))
    return redirect(_address(golden, Desk.open(viewer, golden).find(_number(request.POST.get("turn")))))


@access.signed_in
@require_http_methods(["GET", "POST"])
def golden_whole(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """What must never happen, what must have come out in the end, and a comment for the reviewer."""
    if request.method == "GET":
        viewer, golden = access.get_golden_or_404(request.user, golden_id)
        return _whole(request, Desk.open(viewer, golden))
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    desk = Desk.open(viewer, golden)
    form = WholeForm(golden.forbidden, golden.outcome, golden.comment, request.POST)
    do = request.POST.get("do", "save")
    if do == "theirs":
        return _whole(request, desk, discards_draft=True)
    if form.apply(do):
        return _whole(request, desk, form=form, is_unsaved=True, seen=_number(request.POST.get("revision")) or 0)
    return _save_whole(request, desk, form, do)


def _save_whole(request: HttpRequest, desk: Desk, form: WholeForm, do: str) -> HttpResponse:
    seen = _number(request.POST.get("their_revision" if do == "overwrite" else "revision")) or 0
    typed = {"form": form, "is_unsaved": True, "seen": seen}
    if not form.is_valid():
        return _whole(request, desk, **typed, status=UNREADABLE)
    try:
        golden = goldens.update_whole(
            golden=desk.golden,
            seen=seen,
            by=desk.viewer.user,
            forbidden=form.forbidden_body,
            outcome=form.outcome_body,
            comment=form.comment,
        )
    except StaleRevisionError as error:
        return _whole(request, desk, **typed, status=CONFLICT, conflict=error.current)
    except WorkbenchError as error:
        form.errors[""] = str(error)
        return _whole(request, desk, **typed, status=UNREADABLE)
    drafts.discard(user=desk.viewer.user, name=f"whole-{golden.pk}-{desk.viewer.user.pk}")
    if not _is_htmx(request):
        messages.success(request, say("✓ saved"))
        return redirect("annotations:golden-whole", golden.pk)
    response = _whole(request, Desk.open(desk.viewer, golden), said=say("✓ saved"), discards_draft=True)
    trigger_client_event(response, "turnsChanged", {}, after="settle")  # the list counts what holds for the whole
    return response


def _whole(request: HttpRequest, desk: Desk, **extra: Any) -> HttpResponse:
    status = extra.pop("status", 200)
    discards_draft = extra.pop("discards_draft", False)
    golden = desk.golden
    context = {
        "viewer": desk.viewer,
        "golden": golden,
        "conversation": golden.conversation,
        "desk": desk,
        **workbench.whole_context(desk, extra.pop("form", None)),
        "seen": golden.revision,
        "sentences": workbench.whole_sentences(golden),
        "theirs_sentences": workbench.whole_sentences(extra["conflict"]) if "conflict" in extra else [],
        **extra,
    }
    template = "_whole.html" if _is_htmx(request) else "whole.html"
    response = render(request, f"annotations/goldens/{template}", context, status=status)
    if discards_draft:
        trigger_client_event(response, "draftSaved", {"draft": context["draft_name"]})
    return response


@access.signed_in
@require_POST
def golden_undo(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Take back one's own newest change, and show the turn that it was about."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    turn_pk = _number(request.POST.get("turn"))
    try:
        undone = goldens.undo(golden=golden, by=viewer.user)
    except NotAllowedNowError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, say("Undone: {what}.", what=changes.undone_words(golden, undone)))
        changed = [int(pk) for pk in undone.after.get("turns", {})]
        turn_pk = turn_pk if turn_pk in changed or len(changed) != 1 else changed[0]
    golden.refresh_from_db()
    return redirect(_address(golden, Desk.open(viewer, golden).find(turn_pk)))


@access.signed_in
@require_POST
def golden_renew(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """The page is still open: the conversation stays this person's."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE)
    now = timezone.now()
    if golden.annotator_id != viewer.user.pk:
        lease = workbench.Lease("")
    else:
        try:
            own = assignments.renew(golden.conversation, viewer.user, now)
        except assignments.NoPlaceLeftError as error:
            lease = workbench.Lease(str(error), is_lost=True, is_watched=True)
        else:
            lease = workbench.lease_words(own, now)
    context = {"viewer": viewer, "golden": golden, "lease": lease, "is_renewed": True}
    return render(request, "annotations/goldens/_lease.html", context)


# --- states -----------------------------------------------------------------------------------------------------------


@access.signed_in
@require_POST
def golden_start(request: HttpRequest, pk: int) -> HttpResponse:
    """Begin to annotate a conversation: from nothing, from a trajectory, or from the golden in force."""
    viewer, conversation = access.get_conversation_or_404(request.user, pk, require=Capability.ANNOTATE)
    chosen = [number for text in request.POST.getlist("trajectory") if (number := _number(text)) is not None]
    try:
        golden = goldens.start_for(
            conversation,
            viewer.user,
            trajectories=prefills.in_order(conversation, chosen, is_blinded=viewer.is_blinded),
            origin=request.POST.get("from", ""),
            is_blinded=viewer.is_blinded,
            now=timezone.now(),
        )
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect(conversation)
    return redirect(golden)


@access.signed_in
@require_POST
def golden_submit(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Hand it in; where the engine cannot read it, the page opens at the turn it names."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    try:
        goldens.submit(golden, viewer.user, now=timezone.now())
    except gold_turns.GoldenRefusedError as error:
        messages.error(request, say("Not submitted. {why}", why=error))
        return redirect(_address(golden, error.turn))
    except WorkbenchError as error:
        messages.error(request, say("Not submitted. {why}", why=error))
        return redirect(golden)
    messages.success(request, say("Submitted: {conversation}. Thank you.", conversation=golden.conversation))
    return redirect("annotations:queue", viewer.project.slug)


@access.signed_in
@require_POST
def golden_reopen(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    """Take a submitted golden back to work on it."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ANNOTATE, to_edit=True)
    return _do(request, golden, lambda: goldens.reopen(golden, viewer.user), say("It is yours again."))


@access.signed_in
@require_POST
def golden_return(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ADJUDICATE)
    comment = request.POST.get("comment", "").replace("\x00", "\ufffd")
    try:
        goldens.return_(golden, viewer.user, comment, now=timezone.now())
    except WorkbenchError as error:
        messages.error(request, say("Not returned. {why}", why=error))
        return redirect(golden)
    messages.success(request, say("Returned to {person}.", person=golden.annotator))
    return redirect("annotations:golden-review-list", viewer.project.slug)


@access.signed_in
@require_POST
def golden_accept(request: HttpRequest, golden_id: UUID) -> HttpResponse:
    viewer, golden = access.get_golden_or_404(request.user, golden_id, require=Capability.ADJUDICATE)
    comment = request.POST.get("comment", "").replace("\x00", "\ufffd")
    try:
        record = goldens.accept(golden, viewer.user, comment=comment, now=timezone.now())
    except gold_turns.GoldenRefusedError as error:
        messages.error(request, say("Not accepted. {why}", why=error))
        return redirect(_address(golden, error.turn))
    except WorkbenchError as error:
        messages.error(request, say("Not accepted. {why}", why=error))
        return redirect(golden)
    text = say(
        "Accepted: golden {number} of {conversation} is in force now.",
        number=record.number,
        conversation=golden.conversation,
    )
    messages.success(request, text)
    return redirect("annotations:golden-review-list", viewer.project.slug)


@access.signed_in
@require_safe
def golden_review_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Goldens that wait for review, and those that were reviewed last."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.ADJUDICATE)
    known = Golden.objects.in_project(viewer.project).select_related(
        "conversation__dataset", "conversation__golden_record", "annotator", "reviewed_by"
    )
    to_merge = merges.waiting(viewer.project)
    merge_count, agreement = merges.agreement_in(viewer.project)
    context = {
        "viewer": viewer,
        "to_merge": to_merge,
        "merge_count": merge_count,
        "agreement": agreement,
        "waiting": known.awaiting_review()
        .exclude(conversation__in=[row.conversation for row in to_merge])
        .order_by("submitted_at"),
        "reviewed": known.filter(
            Q(status=GoldenStatus.ACCEPTED) | Q(status=GoldenStatus.RETURNED), reviewed_at__isnull=False
        ).order_by("-reviewed_at")[:20],
        "in_work_count": known.being_written().count(),
    }
    return render(request, "annotations/goldens/review_list.html", context)


_GOLDEN = "goldens/<uuid:golden_id>/"
urlpatterns = [
    path(_GOLDEN, golden_detail, name="golden-detail"),
    path(f"{_GOLDEN}list/", golden_turns, name="golden-turns"),
    path(f"{_GOLDEN}turns/", golden_turn_add, name="golden-turn-add"),
    path(f"{_GOLDEN}turns/<int:pk>/", golden_turn, name="golden-turn"),
    path(f"{_GOLDEN}turns/<int:pk>/take/", golden_take, name="golden-take"),
    path(f"{_GOLDEN}turns/<int:pk>/remove/", golden_turn_remove, name="golden-turn-remove"),
    path(f"{_GOLDEN}turns/<int:pk>/move/", golden_turn_move, name="golden-turn-move"),
    path(f"{_GOLDEN}observed/<int:index>/<slug:name>/", golden_observed, name="golden-observed"),
    path(f"{_GOLDEN}paths/", golden_path, name="golden-path"),
    path(f"{_GOLDEN}lookups/", golden_lookups, name="golden-lookups"),
    path(f"{_GOLDEN}whole/", golden_whole, name="golden-whole"),
    path(f"{_GOLDEN}undo/", golden_undo, name="golden-undo"),
    path(f"{_GOLDEN}renew/", golden_renew, name="golden-renew"),
    path(f"{_GOLDEN}submit/", golden_submit, name="golden-submit"),
    path(f"{_GOLDEN}reopen/", golden_reopen, name="golden-reopen"),
    path(f"{_GOLDEN}return/", golden_return, name="golden-return"),
    path(f"{_GOLDEN}accept/", golden_accept, name="golden-accept"),
    path("conversations/<int:pk>/annotate/", golden_start, name="golden-start"),
    path("p/<slug:slug>/reviews/", golden_review_list, name="golden-review-list"),
    *hand.urlpatterns,
    *picking.urlpatterns,
]
