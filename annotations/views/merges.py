"""The adjudicator's page on which several people's goldens become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from annotations import access, merging
from annotations.access import Viewer
from annotations.differences import Piece, pieces_of
from annotations.merging import ABSENT, BOTH, Item
from annotations.models import Capability, FailureReasonChoice, Merge
from annotations.sentences import text_of, turn_sentence
from annotations.services import gold_turns, merges
from annotations.services.errors import StaleRevisionError, WorkbenchError
from annotations.services.merges import Board, Entry, Side
from annotations.views.requests import whole_number
from evaluation.aem.language import say, say_n

CONFLICT, UNREADABLE = 409, 422
#: Versions beyond these have no key.
_TAKE_ACTIONS = {"A": "merge.take-a", "B": "merge.take-b", "C": "merge.take-c"}


# --- what is shown ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Version:
    """A side with what it says as a whole, and the button that takes it; ``is_main``: from inside of a text box too."""

    side: Side
    words: str
    do: str
    action: str
    is_taken: bool
    is_main: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    letter: str
    digest: str
    pieces: tuple[Piece, ...]
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field of which different things are said, side by side."""

    key: str
    name: str
    cells: tuple[Cell, ...]
    can_unite: bool
    is_united: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The item that is decided."""

    entry: Entry
    title: str
    user_before: str
    versions: tuple[Version, ...]
    rows: tuple[FieldRow, ...]
    same: tuple[tuple[str, str], ...]
    decided: str
    earlier: str

    @property
    def can_be_left_out(self) -> bool:
        """By a button of its own: where a golden lacks it, taking that one leaves it out."""
        return not self.entry.item.absent

    @property
    def is_out(self) -> bool:
        return self.entry.decision is not None and "out" in self.entry.decision.choice


def shown_of(board: Board, entry: Entry, typed: dict[str, str] | None = None) -> Shown:
    """``typed`` is what was chosen of each field before it could be saved."""
    item, choice = entry.item, entry.decision.choice if entry.decision is not None else {}
    words = board.layout.turn_words
    fields = typed if typed is not None else choice.get("fields", {})
    versions = []
    for side in entry.sides:
        if side.variant is None:
            versions.append(Version(side, "", "out", _TAKE_ACTIONS.get(side.letter, ""), "out" in choice))
            continue
        is_taken = choice.get("take") == side.variant.digest
        said = _whole_words(item, side, words)
        action = _TAKE_ACTIONS.get(side.letter, "")
        is_main = not item.differing and entry.decision is None
        versions.append(Version(side, said, f"take:{side.variant.digest}", action, is_taken, is_main))
    same = [
        (merging.field_name(key), merging.part_words(key, next(iter(options.values())), words))
        for key in dict.fromkeys(key for variant in item.variants for key in variant.parts)
        if len(options := item.options(key)) == 1
    ]
    return Shown(
        entry=entry,
        title=_title(item),
        user_before=board.user_before(item),
        versions=tuple(versions),
        rows=tuple(_field_row(entry, key, words, fields.get(key, "")) for key in item.differing),
        same=tuple(same),
        decided=choice_words(entry, choice) if choice else "",
        earlier=choice_words(entry, entry.earlier.choice) if entry.earlier is not None else "",
    )


def _title(item: Item) -> str:
    if item.kind != "turn":
        return merging.words_of(item)
    raw = item.variants[0].raw
    number, tool, action = item.turn_no, raw.get("tool"), raw.get("action")
    if "tool" not in raw:
        words = say("Turn {number}: reply", number=number)
    else:
        words = say("Turn {number}: call of {tool}", number=number, tool=tool)
    return f"{words} · {action}" if action else words


def _whole_words(item: Item, side: Side, words: dict[str, str]) -> str:
    if side.variant is None:
        return ""
    if item.kind in ("turn", "user"):
        raw = side.variant.raw
        return str(raw["user"]) if "user" in raw else text_of(turn_sentence(raw, words))
    return merging.entry_words(item, side.variant)


def _field_row(entry: Entry, key: str, words: dict[str, str], chosen: str) -> FieldRow:
    """Each version's words, with what only it says marked; versions that say the same share a choice."""
    options = entry.item.options(key)
    said = {digest: merging.part_words(key, part, words) for digest, part in options.items()}
    cells = []
    sides = [side for side in entry.sides if side.variant is not None]
    digests = [
        side.variant.parts[key].digest if key in side.variant.parts else ABSENT for side in sides if side.variant
    ]
    for side, digest in zip(sides, digests, strict=True):
        other = next(one for one in digests if one != digest)
        found = pieces_of(said[other], said[digest]) or (Piece(said[digest], "ins"),)
        pieces = tuple(piece for piece in found if piece.kind != "del")
        cells.append(Cell(side.letter, digest, pieces, chosen == digest))
    can_unite = merging.united(entry.item, key) is not None
    return FieldRow(key, merging.field_name(key), tuple(cells), can_unite, chosen == BOTH)


def choice_words(entry: Entry, choice: Any) -> str:
    """What was decided, in the letters under which the versions are shown."""
    letters = {side.variant.digest: side.letter for side in entry.sides if side.variant is not None}
    if "out" in choice:
        return say("left out")
    if "take" in choice:
        if entry.item.is_equal:
            return say("the same in all")
        return letters.get(choice["take"]) or say("a version that is not there now")
    parts = []
    for key, digest in choice.get("fields", {}).items():
        having = [
            letters[variant.digest]
            for variant in entry.item.variants
            if (variant.parts[key].digest if key in variant.parts else ABSENT) == digest
        ]
        which = say("all values") if digest == BOTH else _letters(having) or say("a version that is not there now")
        parts.append(f"{merging.field_name(key)}: {which}")
    return "; ".join(parts)


def _letters(having: Iterable[str]) -> str:
    found = sorted(having)
    said = found[0] if found else ""
    for letter in found[1:]:
        said = say("{first} and {second}", first=said, second=letter)
    return said


def merge_context(viewer: Viewer, board: Board, entry: Entry | None, **extra: Any) -> dict[str, Any]:
    differing = board.differing
    at = differing.index(entry) if entry in differing else -1
    following, before = differing[at + 1 :], differing[: at if at >= 0 else len(differing)]
    result = board.merge.result
    return {
        "viewer": viewer,
        "board": board,
        "merge": board.merge,
        "conversation": board.merge.conversation,
        "current": shown_of(board, entry, extra.pop("typed", None)) if entry is not None else None,
        "next": following[0] if following else None,
        "previous": before[-1] if before else None,
        "titles": [(one, _title(one.item)) for one in differing],
        "agreement": merges.agreement_rows(board.merge.agreement),
        "changing": merges.being_changed(board.merge),
        "is_mine": any(golden.annotator_id == viewer.user.pk for golden in board.sources),
        "at_desk": board.is_at_desk and result is not None and result.annotator_id == viewer.user.pk,
        "change": None if board.is_finished else board.changes(viewer.user),
        "failure_reasons": FailureReasonChoice.choices,
        "revision": board.merge.revision,
        **extra,
    }


# --- the page ---------------------------------------------------------------------------------------------------------


def _is_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _address(merge: Merge, entry: Entry | None) -> str:
    return merge.get_absolute_url() + (f"?{urlencode({'item': entry.item.token})}" if entry is not None else "")


def _answer(
    request: HttpRequest, viewer: Viewer, board: Board, entry: Entry | None, *, status: int = 200, **extra: Any
) -> HttpResponse:
    template = "_board.html" if _is_htmx(request) else "detail.html"
    context = merge_context(viewer, board, entry, **extra)
    return render(request, f"annotations/merges/{template}", context, status=status)


@access.signed_in
@require_safe
def merge_detail(request: HttpRequest, merge_id: UUID) -> HttpResponse:
    """The merge, open at the item asked for or at the first one to decide."""
    viewer, merge = access.get_merge_or_404(request.user, merge_id)
    board = merges.board_of(merge)
    asked = board.find(request.GET.get("item", ""))
    return _answer(request, viewer, board, asked or board.first_open())


def _done(
    request: HttpRequest, viewer: Viewer, merge: Merge, said: str, *, after: str = "", stay: str = ""
) -> HttpResponse:
    """The page after something was done: at the next open item, or where one was (``stay``)."""
    merge = access.get_merge_or_404(request.user, merge.pk)[1]
    board = merges.board_of(merge)
    entry = board.find(stay) if stay else board.first_open(after)
    if not _is_htmx(request):
        messages.success(request, said)
        return redirect(_address(merge, entry))
    return push_url(_answer(request, viewer, board, entry, said=said), _address(merge, entry))


def _do(
    request: HttpRequest, merge_id: UUID, act: Callable[[Viewer, Merge], str], *, stays: bool = False
) -> HttpResponse:
    """One act on the merge; what is refused is said on the page, and nothing else of it changes."""
    viewer, merge = access.get_merge_or_404(request.user, merge_id)
    here = request.POST.get("item", "")
    try:
        said = act(viewer, merge)
    except StaleRevisionError as error:
        problem = f"{say('Something was decided since you looked. Look again, then accept.')} {error}"
        return _refused(request, viewer, merge, here, problem, status=CONFLICT)
    except WorkbenchError as error:
        return _refused(request, viewer, merge, here, str(error), status=UNREADABLE)
    return _done(request, viewer, merge, said, after=here, stay=here if stays else "")


def _refused(
    request: HttpRequest, viewer: Viewer, merge: Merge, token: str, problem: str, *, status: int, **extra: Any
) -> HttpResponse:
    board = merges.board_of(access.get_merge_or_404(request.user, merge.pk)[1])
    return _answer(
        request, viewer, board, board.find(token) or board.first_open(), status=status, problem=problem, **extra
    )


@access.signed_in
@require_POST
def merge_start(request: HttpRequest, pk: int) -> HttpResponse:
    """Begin to merge the goldens of a conversation, or go on."""
    viewer, conversation = access.get_conversation_or_404(request.user, pk, require=Capability.ADJUDICATE)
    try:
        merge = merges.start(conversation=conversation, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect("annotations:golden-review-list", viewer.project.slug)
    return redirect(merge)


@access.signed_in
@require_POST
def merge_decide(request: HttpRequest, merge_id: UUID, token: str) -> HttpResponse:
    """Take a version, fields of several, or leave it out."""
    viewer, merge = access.get_merge_or_404(request.user, merge_id)
    post = request.POST
    do, reason = post.get("do", ""), post.get("reason", "")
    prefix = "field:"
    typed = {name.removeprefix(prefix): post[name] for name in post if name.startswith(prefix)}
    choice: dict[str, Any] = {"fields": typed}
    if do == "out":
        choice = {"out": True}
    elif do.startswith("take:"):
        choice = {"take": do.removeprefix("take:")}
    elif do == "same":
        entry = merges.board_of(merge).find(token)
        choice = entry.decision.choice if entry is not None and entry.decision is not None else {}
    seen = post.get("revision", "")
    kept = {"reason": reason, "typed": typed, "as_example": "as_example" in post}
    try:
        merges.decide(
            merge=merge,
            token=token,
            choice=choice,
            seen=whole_number(seen) or 0,
            by=viewer.user,
            reason=reason,
            fingerprint=post.get("fingerprint", ""),
            example_under=_reason_code(post.get("reason_code", "")) if "as_example" in post else None,
            now=timezone.now(),
        )
    except StaleRevisionError as error:
        fields = [(f"{prefix}{key}", value) for key, value in typed.items()]
        conflict = {"current": error.current, "choice": choice, "do": do, "fields": fields}
        board = merges.board_of(access.get_merge_or_404(request.user, merge.pk)[1])
        return _conflict(request, viewer, board.find(token), board=board, conflict=conflict, **kept)
    except WorkbenchError as error:
        return _refused(request, viewer, merge, token, f"{say('Not decided.')} {error}", status=UNREADABLE, **kept)
    said = (
        say("✓ Your decision is saved, and its reason is an example of the guideline.")
        if "as_example" in post
        else say("✓ Your decision is saved.")
    )
    return _done(request, viewer, merge, said, after=token, stay=token if do == "same" else "")


def _reason_code(text: str) -> str:
    return text if text in FailureReasonChoice.values else ""


def _conflict(request: HttpRequest, viewer: Viewer, entry: Entry | None, *, board: Board, **more: Any) -> HttpResponse:
    """Somebody decided it meanwhile: both decisions are shown, and one is chosen."""
    conflict = more["conflict"]
    if entry is not None:
        theirs = conflict["current"]
        conflict["theirs"] = choice_words(entry, theirs.choice) if theirs.choice else say("open again")
        conflict["mine"] = choice_words(entry, conflict["choice"])
    return _answer(request, viewer, board, entry, status=CONFLICT, **more)


@access.signed_in
@require_POST
def merge_equal(request: HttpRequest, merge_id: UUID) -> HttpResponse:
    """Accept all that is the same in all goldens."""

    def act(viewer: Viewer, merge: Merge) -> str:
        number = merges.accept_equal(merge=merge, by=viewer.user, now=timezone.now())
        return say_n(
            "✓ {count} accepted that are the same in all goldens",
            "✓ {count} accepted that are the same in all goldens",
            number,
        )

    return _do(request, merge_id, act)


@access.signed_in
@require_POST
def merge_undo(request: HttpRequest, merge_id: UUID) -> HttpResponse:
    def act(viewer: Viewer, merge: Merge) -> str:
        undone = merges.undo(merge=merge, by=viewer.user)
        number = len(undone.before["decisions"])
        return say_n("Undone: {count} decision.", "Undone: {count} decisions.", number)

    return _do(request, merge_id, act, stays=True)


@access.signed_in
@require_POST
def merge_example(request: HttpRequest, merge_id: UUID, token: str) -> HttpResponse:
    """The reason of a decision becomes an example of the guideline."""

    def act(viewer: Viewer, merge: Merge) -> str:
        code = _reason_code(request.POST.get("reason_code", ""))
        guideline = merges.add_example(merge=merge, token=token, by=viewer.user, reason_code=code)
        return say("✓ an example of the guideline now, version {number}", number=guideline.number)

    return _do(request, merge_id, act, stays=True)


@access.signed_in
@require_POST
def merge_workbench(request: HttpRequest, merge_id: UUID) -> HttpResponse:
    """Write what was decided as a golden of one's own, and open it on the workbench."""
    viewer, merge = access.get_merge_or_404(request.user, merge_id)
    try:
        golden = merges.to_workbench(merge=merge, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect(merge)
    return redirect(golden)


@access.signed_in
@require_POST
def merge_accept(request: HttpRequest, merge_id: UUID) -> HttpResponse:
    """Make the result the golden in force."""

    def act(viewer: Viewer, merge: Merge) -> str:
        seen = request.POST.get("revision", "")
        try:
            record = merges.accept(
                merge=merge,
                by=viewer.user,
                seen=whole_number(seen) or 0,
                seen_number=whole_number(request.POST.get("seen_number", "")),
                now=timezone.now(),
            )
        except gold_turns.GoldenRefusedError as error:
            raise WorkbenchError(f"{say('Not accepted.')} {error}") from error
        return say(
            "Accepted: golden {number} of {conversation} is in force now.",
            number=record.number,
            conversation=merge.conversation,
        )

    return _do(request, merge_id, act)


_MERGE = "merges/<uuid:merge_id>/"
urlpatterns = [
    path("conversations/<int:pk>/merge/", merge_start, name="merge-start"),
    path(_MERGE, merge_detail, name="merge-detail"),
    path(f"{_MERGE}items/<slug:token>/", merge_decide, name="merge-decide"),
    path(f"{_MERGE}items/<slug:token>/example/", merge_example, name="merge-example"),
    path(f"{_MERGE}equal/", merge_equal, name="merge-equal"),
    path(f"{_MERGE}undo/", merge_undo, name="merge-undo"),
    path(f"{_MERGE}workbench/", merge_workbench, name="merge-workbench"),
    path(f"{_MERGE}accept/", merge_accept, name="merge-accept"),
]
