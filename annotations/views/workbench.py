"""What the workbench page and its fragments show, built from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from annotations import access, claims
from annotations.access import Viewer
from annotations.differences import Piece, pieces_of
from annotations.forms.goldens import ClaimRow, ProposalRow, TurnForm, WholeForm
from annotations.forms.hints import turn_hints, whole_hints
from annotations.forms.values import OTHER_FIELD, ParamRow, TurnName, TurnNames, ValueRow, ref_token
from annotations.models import (
    Assignment,
    AssignmentState,
    Capability,
    Change,
    Golden,
    GoldenStatus,
    GoldTurn,
    Role,
    Trajectory,
    TurnKind,
)
from annotations.observed import Digest, Field, same_value
from annotations.sentences import (
    Sentence,
    field_words,
    fields_of,
    forbidden_sentence,
    outcome_sentence,
    params_of,
    path_words,
    turn_sentence,
)
from annotations.services import assignments, claim_trials, suggestions
from annotations.services.digests import get_digest
from annotations.tool_schemas import SchemaField, describe, describe_all
from annotations.views import suggested
from annotations.views.turn_list import Structure, drawing
from evaluation.aem.language import say, say_n

_MOST_CHOICES = 60
_NEAREST_RESULTS = 4


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A turn in the list at the left."""

    turn: GoldTurn
    label: str
    glyph: str
    state: str
    is_current: bool
    bracket: str = ""
    way_glyph: str = ""

    @property
    def pk(self) -> str:
        """As text: a template would format each number for a language, which takes long for hundreds."""
        return str(self.turn.pk)

    @property
    def no(self) -> str:
        return "" if self.turn.turn_no is None else str(self.turn.turn_no)


@dataclass(frozen=True, slots=True)
class Choice:
    token: str
    label: str
    is_chosen: bool


@dataclass(slots=True)
class ValueCard:
    place: str
    row: ValueRow
    error: str


@dataclass(slots=True)
class ParamCard:
    """A parameter's row with all that stands around it."""

    number: int
    place: str
    row: ParamRow
    values: list[ValueCard]
    errors: dict[str, str]
    schema: SchemaField | None
    choices: list[Choice] = field(default_factory=list)
    suggested: list[suggested.Shown] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Desk:
    """A golden open on somebody's desk: the rows that every part of the page needs, each read once."""

    viewer: Viewer
    golden: Golden
    turns: Sequence[GoldTurn]
    source: Trajectory | None
    digest: Digest | None
    path: str

    @classmethod
    def open(cls, viewer: Viewer, golden: Golden, *, path: str = "") -> Desk:
        turns = list(golden.turns.all())
        for turn in turns:
            turn.golden = golden
        source = None
        if golden.source_trajectory_id is not None:
            source = Trajectory.objects.defer("body").get(pk=golden.source_trajectory_id)
        names = [turn.path for turn in turns]
        return cls(
            viewer=viewer,
            golden=golden,
            turns=turns,
            source=source,
            digest=get_digest(source) if source else None,
            path=path if path in names else (names[0] if names else "main"),
        )

    @property
    def path_turns(self) -> list[GoldTurn]:
        return [turn for turn in self.turns if turn.path == self.path]

    @property
    def is_own(self) -> bool:
        return self.golden.annotator_id == self.viewer.user.pk

    @property
    def may_edit(self) -> bool:
        return access.may_write(self.viewer, self.golden)

    @property
    def may_review(self) -> bool:
        return (
            self.viewer.can(Capability.ADJUDICATE)
            and self.golden.status == GoldenStatus.SUBMITTED
            and (not self.is_own or self.viewer.role == Role.OWNER)
        )

    def find(self, pk: int | None) -> GoldTurn | None:
        return next((turn for turn in self.turns if turn.pk == pk), None)

    def first_to_do(self) -> GoldTurn | None:
        """Where to begin: the first turn that nobody has looked at yet, else the first one."""
        checked = [turn for turn in self.path_turns if turn.kind != TurnKind.USER]
        return next((turn for turn in checked if not turn.is_done), checked[0] if checked else self._any())

    def _any(self) -> GoldTurn | None:
        return next(iter(self.path_turns), None)

    def neighbour(self, turn: GoldTurn, step: int) -> GoldTurn | None:
        """The next (1) or previous (-1) agent or tool turn of the path."""
        turns = [other for other in self.turns if other.path == turn.path]
        at = next(n for n, other in enumerate(turns) if other.pk == turn.pk) + step
        while 0 <= at < len(turns):
            if turns[at].kind != TurnKind.USER:
                return turns[at]
            at += step
        return None

    def names_before(self, turn: GoldTurn) -> TurnNames:
        """The turns that something of this one may come from."""
        return TurnNames(
            tuple(
                TurnName(other.key, other.turn_no, label_of(other))
                for other in self.turns
                if other.path == turn.path and other.position < turn.position and other.turn_no is not None
            )
        )

    def words_for_turns(self, path: str) -> dict[str, str]:
        return {
            turn.key: say("turn {number}", number=turn.turn_no)
            for turn in self.turns
            if turn.path == path and turn.turn_no
        }


def _shown_fields(body: dict[str, Any], words: dict[str, str]) -> dict[str, str]:
    """What is said of each field of a turn, by what the field is called."""
    return {field_words(key): text for key, text in fields_of(body, words).items()}


def label_of(turn: GoldTurn) -> str:
    """What a turn is in two or three words."""
    if turn.kind == TurnKind.ACTION:
        return str(turn.body.get("action") or turn.body.get("tool"))
    return say("User") if turn.kind == TurnKind.USER else say("Reply")


def title_of(turn: GoldTurn) -> str:
    """A turn as the conversation names it: of a call both the tool and the action."""
    if turn.kind != TurnKind.ACTION:
        return label_of(turn)
    tool, action = turn.body.get("tool"), turn.body.get("action")
    return f"{tool} · {action}" if action else str(tool)


# --- parts of the page ------------------------------------------------------------------------------------------------


def list_context(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    """The list of turns at the left, with paths and progress."""
    entries = []
    paths = list(dict.fromkeys(turn.path for turn in desk.turns)) or [desk.path]
    first = [turn for turn in desk.turns if turn.path == paths[0]] if desk.path != paths[0] else None
    structure = Structure.of(desk.path_turns, first)
    around = structure.beside(first_name=paths[0])
    for turn in desk.path_turns:
        is_user = turn.kind == TurnKind.USER
        glyph, state = (
            ("·", say("nothing to do"))
            if is_user
            else ("●", say("done"))
            if turn.is_done
            else ("○", say("to be looked at"))
        )
        is_current = current is not None and turn.pk == current.pk
        beside = around[turn.key]
        optional = say("optional") if not is_user and turn.body.get("optional") else ""
        state = ", ".join(filter(None, (state, optional, beside.words)))
        entry = ListEntry(turn, label_of(turn), glyph, state, is_current, beside.bracket, beside.way_glyph)
        entries.append(entry)
    checked = [turn for turn in desk.turns if turn.kind != TurnKind.USER]
    return {
        "here": desk.golden.get_absolute_url(),
        "turns_url": reverse("annotations:golden-turn-add", args=[desk.golden.pk]),
        "entries": entries,
        "paths": paths,
        "path": desk.path,
        "current": current,
        "done_count": sum(turn.is_done for turn in checked),
        "checked_count": len(checked),
        "whole_words": whole_words(desk.golden),
        "suggestion_counts": suggestions.counts_of(desk.golden),
        "has_lookups": any(turn.kind == TurnKind.ACTION for turn in desk.turns),
        "way_counts": structure.way_counts if first else None,
        "chosen": (),
        **drawing(structure, current),
    }


def turn_context(desk: Desk, turn: GoldTurn, *, form: TurnForm | None = None) -> dict[str, Any]:
    """The form of one turn with its sentence, suggestions and neighbours."""
    names = desk.names_before(turn)
    form = form or TurnForm(turn.body, names)
    schema = schema_of(desk, form.tool)
    words = desk.words_for_turns(turn.path)
    found = dict(form.errors)
    body = form.body()
    form.errors = found  # what is not finished yet is no fault before it is to be saved
    shown = {prop.name: prop for prop in schema}
    offered = suggested.for_turn(desk, turn, form, body)
    cards = param_cards(desk, turn, form, names, shown, offered=offered) if form.is_call else []
    return {
        "turn": turn,
        "form": form,
        "errors": form.errors,
        "label": label_of(turn),
        "cards": cards,
        "first_with_values": next((card.number for card in cards if card.row.mode == "values"), None),
        "suggested": offered.about_turn,
        "missing": [prop for prop in schema if prop.name not in {row.name for row in form.params}],
        "tools": describe_all(desk.golden.conversation.tool_set.body),
        "calls": desk.digest.calls if desk.digest else (),
        "names": names,
        "sentence": turn_sentence(body, words),
        "previous": desk.neighbour(turn, -1),
        "next": desk.neighbour(turn, 1),
        "form_url": reverse("annotations:golden-turn", args=[desk.golden.pk, turn.pk]),
        "check_url": reverse("annotations:golden-turn-effect", args=[desk.golden.pk, turn.pk]),
        "hints": turn_hints(form, desk.golden.conversation.tool_set.body).texts if desk.may_edit else {},
        "shown_fields": {} if desk.may_edit else _shown_fields(turn.body, words),
        "has_observed": turn.observed_index is not None and desk.source is not None,
        "draft_name": f"turn-{turn.pk}-{desk.viewer.user.pk}",
        "left_to_do": [other for other in desk.turns if other.kind != TurnKind.USER and not other.is_done],
        **_claims_context(desk, turn, form, body),
        "dependency_places": [(f"d{n}", n, row) for n, row in enumerate(form.dependencies)],
        "position": sum(
            other.path == turn.path and other.kind != TurnKind.USER and other.position <= turn.position
            for other in desk.turns
        ),
        "position_of": sum(other.path == turn.path and other.kind != TurnKind.USER for other in desk.turns),
    }


@dataclass(frozen=True, slots=True)
class ClaimCard:
    """A claim's row with what is understood of it, and what the recorded reply does with it as it stands there."""

    place: str
    number: int
    row: ClaimRow
    understood: str
    tried: claims.Answer | None = None


@dataclass(frozen=True, slots=True)
class ProposalCard:
    """A proposed claim; ``number`` marks its place in the reply."""

    place: str
    number: int
    row: ProposalRow
    understood: str


def _claims_context(desk: Desk, turn: GoldTurn, form: TurnForm, body: dict[str, Any]) -> dict[str, Any]:
    """The claims of a reply as cards, what is proposed, and the reply with the places of the proposals."""
    if form.is_call or form.is_user:
        return {"claim_cards": [], "proposal_cards": []}
    language = desk.golden.conversation.language
    reply, tried = _tried_claims(desk, turn, body) if desk.may_edit else (None, None)
    answers = iter(tried or ())
    cards = [
        ClaimCard(
            place=f"c{n}",
            number=n,
            row=row,
            understood=claims.understood(row.text, _lines(row.contains), _lines(row.excludes), language=language),
            tried=None if row.is_blank or not body.get("claims") else next(answers, None),
        )
        for n, row in enumerate(form.claims)
    ]
    quotes = []
    after = 0
    for number, row in enumerate(form.proposals, start=1):
        start = form.text.find(row.was, after) if row.was else -1
        if start >= 0:
            after = start + len(row.was)
            quotes.append(claims.Quote(number, None, start, after))
    return {
        "claim_cards": cards,
        "proposal_cards": [
            ProposalCard(f"q{n}", n + 1, row, claims.understood(row.text, language=language))
            for n, row in enumerate(form.proposals)
        ],
        "proposal_pieces": claims.stretches_of(form.text, quotes) if quotes else (),
        "whole_tried": next(answers, None) if not body.get("claims") and reply != form.text else None,
        "is_too_long_to_try": reply is not None and tried is None and not form.errors,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tried_claims(desk: Desk, turn: GoldTurn, body: dict[str, Any]) -> tuple[str | None, list[claims.Answer] | None]:
    """The recorded reply beside a turn, and what it does with each claim as it is typed; None where there is none.

    It tells what the workbench tells anyway when it tries the golden on the recorded run, and nothing is stored.
    """
    index = turn.observed_index
    messages = desk.digest.messages if desk.digest is not None else ()
    if index is None or index >= len(messages) or messages[index].kind != "response":
        return None, None
    reply = messages[index].pieces[0].text
    if reply is None:  # folded, since it is very long
        return "", None
    return reply, claim_trials.try_claims(desk.golden, body, reply, is_blinded=desk.viewer.is_blinded)


def schema_of(desk: Desk, tool: str) -> tuple[SchemaField, ...]:
    tools = desk.golden.conversation.tool_set.body
    return describe(tool, tools.get(tool) if isinstance(tools, dict) else None).fields


def param_cards(
    desk: Desk,
    turn: GoldTurn,
    form: TurnForm,
    names: TurnNames,
    schema: dict[str, SchemaField],
    *,
    offered: suggested.ForTurn,
) -> list[ParamCard]:
    """Each parameter with the fields of earlier results that it may come from, and what is suggested for it."""
    numbers = {name.key: name.number for name in names.turns}
    earlier = [
        (other, desk.digest.fields.get(other.observed_index, ()))
        for other in reversed(desk.turns)
        if desk.digest is not None
        and other.path == turn.path
        and other.position < turn.position
        and other.observed_index is not None
        and other.kind == TurnKind.ACTION
    ]
    cards = []
    for number, row in enumerate(form.params):
        place = f"{form.prefix}{number}"
        card = ParamCard(
            number=number,
            place=place,
            row=row,
            values=[
                ValueCard(f"{place}-v{n}", value, form.errors.get(f"{place}-v{n}", ""))
                for n, value in enumerate(row.values)
            ],
            errors={
                key.removeprefix(f"{place}-"): text for key, text in form.errors.items() if key.startswith(f"{place}-")
            },
            schema=schema.get(row.name),
        )
        _add_choices(card, earlier, numbers)
        card.suggested = offered.of(row.name)
        cards.append(card)
    return cards


def _add_choices(card: ParamCard, earlier: list[tuple[GoldTurn, tuple[Field, ...]]], numbers: dict[str, int]) -> None:
    row = card.row
    try:
        value = row.values[0].value() if len(row.values) == 1 else None
    except ValueError:
        value = None
    same: list[Choice] = []
    near: list[Choice] = []
    for distance, (other, fields) in enumerate(earlier):
        for item in fields:
            token = ref_token(other.key, item.path)
            label = say(
                "turn {number} · {field} = {value}",
                number=numbers.get(other.key, other.key),
                field=path_words(item.path),
                value=item.preview,
            )
            if same_value(value, item.value):
                same.append(Choice(token, label, token == row.ref))
            elif distance < _NEAREST_RESULTS and len(near) < _MOST_CHOICES:
                near.append(Choice(token, label, token == row.ref))
    choices = [*same[:10], *near][:_MOST_CHOICES]
    if row.ref and row.ref != OTHER_FIELD and not any(choice.is_chosen for choice in choices):
        turn = numbers.get(row.ref_turn, row.ref_turn)
        label = say("turn {number} · {field}", number=turn, field=path_words(row.ref_path))
        choices.insert(0, Choice(row.ref, label, is_chosen=True))
    card.choices = choices


def conversation_context(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    """The recorded conversation; without a source, the golden's own turns tell it."""
    by_index = {turn.observed_index: turn for turn in desk.path_turns if turn.observed_index is not None}
    messages = desk.digest.messages if desk.digest else ()
    return {
        "messages_shown": [(message, by_index.get(message.index)) for message in messages],
        "current_index": current.observed_index if current else None,
        "source": desk.source,
        "told_by_golden": _told_by_golden(desk) if desk.digest is None else [],
    }


def _told_by_golden(desk: Desk) -> list[tuple[GoldTurn, str, list[tuple[str, Sentence]]]]:
    words = desk.words_for_turns(desk.path)
    return [(turn, title_of(turn), params_of(turn.body, words)) for turn in desk.path_turns]


def whole_words(golden: Golden) -> str:
    """How much is said of the conversation as a whole: "1 forbidden call, 2 outcomes"."""
    forbidden, outcomes = len(golden.forbidden), len(golden.outcome)
    parts = (
        say_n("{count} forbidden call", "{count} forbidden calls", forbidden) if forbidden else "",
        say_n("{count} outcome", "{count} outcomes", outcomes) if outcomes else "",
    )
    return ", ".join(filter(None, parts))


def whole_context(desk: Desk, form: WholeForm | None = None) -> dict[str, Any]:
    golden = desk.golden
    form = form or WholeForm(golden.forbidden, golden.outcome, golden.comment)
    return {
        "form": form,
        "errors": form.errors,
        "forbidden_rows": [_call_card(form, "f", n) for n in range(len(form.forbidden))],
        "outcome_rows": [_call_card(form, "o", n) for n in range(len(form.outcome))],
        "tools": describe_all(golden.conversation.tool_set.body),
        "form_url": reverse("annotations:golden-whole", args=[golden.pk]),
        "check_url": reverse("annotations:golden-whole-effect", args=[golden.pk]),
        "hints": whole_hints(form, golden.conversation.tool_set.body).texts if desk.may_edit else {},
        "draft_name": f"whole-{golden.pk}-{desk.viewer.user.pk}",
    }


def _call_card(form: WholeForm, letter: str, number: int) -> dict[str, Any]:
    row = (form.forbidden if letter == "f" else form.outcome)[number]
    place = f"{letter}{number}"
    return {
        "row": row,
        "place": place,
        "number": number,
        "error": form.errors.get(place, ""),
        "drop_param": f"drop-param:{letter}:{number}:",
        "cards": [
            ParamCard(
                number=n,
                place=f"{place}-p{n}",
                row=param,
                values=[
                    ValueCard(f"{place}-p{n}-v{v}", value, form.errors.get(f"{place}-p{n}-v{v}", ""))
                    for v, value in enumerate(param.values)
                ],
                errors={
                    key.removeprefix(f"{place}-p{n}-"): text
                    for key, text in form.errors.items()
                    if key.startswith(f"{place}-p{n}-")
                },
                schema=None,
            )
            for n, param in enumerate(row.params)
        ],
    }


def whole_sentences(golden: Golden) -> list[Sentence]:
    found = [forbidden_sentence(item) for item in golden.forbidden if isinstance(item, dict)]
    return found + [outcome_sentence(item) for item in golden.outcome if isinstance(item, dict)]


@dataclass(frozen=True, slots=True)
class Lease:
    """Whose the conversation is, in words."""

    words: str
    is_lost: bool = False
    is_watched: bool = False


def lease_of(desk: Desk, now: datetime) -> Lease:
    """How long the conversation is this person's. Nobody who holds no place is watched."""
    if not desk.is_own:
        return Lease(say("by {person}", person=desk.golden.annotator))
    own = assignments.find(desk.golden.conversation, desk.viewer.user)
    return lease_words(own, now)


def lease_words(own: Assignment | None, now: datetime) -> Lease:
    if own is None or own.state == AssignmentState.DONE:
        return Lease("")
    if own.state == AssignmentState.SKIPPED:
        return Lease(say("you skipped this; what you wrote is kept"))
    if own.state == AssignmentState.LAPSED or own.lease_until <= now:
        return Lease(say("your time had run out"), is_watched=True)
    return Lease(say("yours until {time}", time=f"{own.lease_until:%H:%M}"), is_watched=True)


def page_context(desk: Desk, current: GoldTurn | None, *, now: datetime) -> dict[str, Any]:
    """All that the full page shows around the form."""
    golden = desk.golden
    saved = Change.objects.filter(
        project=desk.viewer.project, actor=desk.viewer.user, action="turn.saved", at__gte=now - timedelta(hours=1)
    )
    return {
        "viewer": desk.viewer,
        "golden": golden,
        "conversation": golden.conversation,
        "desk": desk,
        "lease": lease_of(desk, now),
        "pace": saved.count(),
        "has_runs": desk.source is not None or golden.conversation.trajectories.current().exists(),
        "whole_sentences": whole_sentences(golden),
        "prefill": prefill_of(golden),
        **list_context(desk, current),
        **conversation_context(desk, current),
    }


def prefill_of(golden: Golden) -> dict[str, Any]:
    """What is to be said of the runs that a golden was drafted from, with their names where these may be told."""
    numbers = golden.prefill.get("trajectories")
    runs = Trajectory.objects.defer("body").filter(pk__in=numbers) if numbers and len(numbers) > 1 else ()
    return {**golden.prefill, "labels": [run.label for run in runs]}


@dataclass(frozen=True, slots=True)
class Difference:
    label: str
    yours: str
    theirs: str

    @property
    def differs(self) -> bool:
        return self.yours != self.theirs

    @property
    def pieces(self) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Yours and theirs, each with the words marked that the other does not have."""
        found = pieces_of(self.yours, self.theirs) or (Piece(self.yours, "del"), Piece(self.theirs, "ins"))
        shared = any(piece.kind == "same" and piece.text.strip() for piece in found)
        if not shared:
            return (Piece(self.yours, "del"),), (Piece(self.theirs, "ins"),)
        return (
            tuple(piece for piece in found if piece.kind != "ins"),
            tuple(piece for piece in found if piece.kind != "del"),
        )


def conflict_context(desk: Desk, theirs: GoldTurn, mine: dict[str, Any]) -> dict[str, Any]:
    """Both versions of a turn, field by field, and who wrote the other one."""
    words = desk.words_for_turns(theirs.path)
    yours, others = fields_of(mine, words), fields_of(theirs.body, words)
    rows = [Difference(field_words(key), yours.get(key, "–"), others.get(key, "–")) for key in {**yours, **others}]
    last = Change.objects.filter(subject_type="goldturn", subject_id=str(theirs.pk)).select_related("actor").first()
    return {
        "theirs": theirs,
        "by": last.actor if last else None,
        "at": last.at if last else theirs.updated_at,
        "differences": [row for row in rows if row.differs],
        "same": [row.label for row in rows if not row.differs],
    }
