"""Suggestions for a golden's turns: made with the draft, settled with each save, counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count

from annotations import suggesting
from annotations.drafting import Mark
from annotations.models import (
    Golden,
    GoldTurn,
    Project,
    Suggestion,
    SuggestionKind,
    SuggestionState,
    Trajectory,
    TurnKind,
    User,
)
from annotations.observed import Field
from annotations.services.digests import get_digest
from annotations.suggesting import Offer, Result, Sources
from annotations.tool_schemas import SchemaField, describe
from evaluation.aem.language import say_n

#: What the history keeps of suggestions that one change made or decided on.
States = dict[str, dict[str, Any]]
BeforeAndAfter = tuple[States, States]


# --- what is suggested ------------------------------------------------------------------------------------------------


def schema_of(golden: Golden, tool: Any) -> dict[str, SchemaField]:
    tools = golden.conversation.tool_set.body
    found = tools.get(tool) if isinstance(tools, dict) and isinstance(tool, str) else None
    return {prop.name: prop for prop in describe(str(tool), found).fields}


def sources_before(turns: Sequence[GoldTurn], turn: GoldTurn, fields: Mapping[int, Sequence[Field]]) -> Sources:
    """The values of the results before a turn, on its path."""
    sources = Sources()
    for other in turns:
        if other.path == turn.path and other.position < turn.position:
            _add(sources, other, fields)
    return sources


def _add(sources: Sources, turn: GoldTurn, fields: Mapping[int, Sequence[Field]]) -> None:
    index = turn.observed_index
    if turn.kind == TurnKind.ACTION and index is not None and index in fields:
        sources.add(Result(turn.key, fields[index], str(turn.body.get("group") or "")))


def fields_beside(golden: Golden) -> Mapping[int, Sequence[Field]]:
    """As ``fields_of``, of the golden's source: its body, which may be large, is read only where that is needed."""
    if golden.source_trajectory_id is not None and not Golden.source_trajectory.is_cached(golden):
        golden.source_trajectory = Trajectory.objects.defer("body").get(pk=golden.source_trajectory_id)
    return fields_of(golden.source_trajectory)


def fields_of(source: Trajectory | None) -> Mapping[int, Sequence[Field]]:
    """The fields of the results of the run that stands beside a golden."""
    return get_digest(source).fields if source is not None else {}


def offers_for(golden: Golden, turn: GoldTurn, body: Mapping[str, Any], sources: Sources) -> list[Offer]:
    return suggesting.offers_of(body, schema=schema_of(golden, body.get("tool")), sources=sources)


# --- making -----------------------------------------------------------------------------------------------------------


def make(golden: Golden, turns: Sequence[GoldTurn], marks: Mapping[int, Iterable[Mark]] | None = None) -> None:
    """Store what is suggested for these turns, all turns of the golden in their order.

    ``marks`` are those of the draft, by the place of their turn.
    """
    fields = fields_of(golden.source_trajectory)
    sources: dict[str, Sources] = {}
    rows: dict[tuple[int, str], Suggestion] = {}
    for place, turn in enumerate(turns):
        known = sources.setdefault(turn.path, Sources())
        offers = [_of_mark(mark) for mark in (marks or {}).get(place, ())]
        offers += offers_for(golden, turn, turn.body, known)
        for offer in offers:
            rows.setdefault((turn.pk, offer.fingerprint), row_of(golden, turn.pk, offer))
        _add(known, turn, fields)
    Suggestion.objects.bulk_create(rows.values(), ignore_conflicts=True)


def _of_mark(mark: Mark) -> Offer:
    return Offer(mark.kind, "runs", mark.field, mark.proposal, mark.was, mark.why)


def row_of(golden: Golden, turn_pk: int, offer: Offer) -> Suggestion:
    return Suggestion(
        golden=golden,
        turn_pk=turn_pk,
        kind=offer.kind,
        source=offer.source,
        field=offer.field,
        proposal=offer.proposal,
        was=offer.was,
        why=offer.why,
        fingerprint=offer.fingerprint,
    )


def make_for_turn(
    golden: Golden,
    turn: GoldTurn,
    *,
    earlier: Sequence[GoldTurn] | None = None,
    stored: Sequence[Suggestion] | None = None,
) -> tuple[States, States]:
    """Store what is newly suggested for one turn as it stands, and withdraw what is open and not suggested any more.

    Returns the states before and after, for the history. ``earlier`` are the turns before it on its path, ``stored``
    the suggestions for it, where the caller has read them.
    """
    fields = fields_beside(golden)
    if earlier is None:
        earlier = list(golden.turns.filter(path=turn.path, position__lt=turn.position)) if fields else []
    known = {row.fingerprint: row for row in (_stored(golden, turn) if stored is None else stored)}
    states: tuple[States, States] = {}, {}
    offers = offers_for(golden, turn, turn.body, sources_before(earlier, turn, fields))
    for offer in offers:
        row = known.get(offer.fingerprint)
        if row is None:
            row = row_of(golden, turn.pk, offer)
            row.state = SuggestionState.WITHDRAWN
            row.save(force_insert=True)
        if row.state == SuggestionState.WITHDRAWN:
            _change(row, SuggestionState.OPEN, states)
    _withdraw(known.values(), offers, states)
    return states


def _withdraw(rows: Iterable[Suggestion], offers: Sequence[Offer], states: BeforeAndAfter) -> None:
    """What nothing suggests any more is not open: no page shows it, and nobody could decide on it."""
    made = {offer.fingerprint for offer in offers}
    for row in rows:
        if row.state == SuggestionState.OPEN and row.source != "runs" and row.fingerprint not in made:
            _change(row, SuggestionState.WITHDRAWN, states)


def joined(*changes: BeforeAndAfter | None) -> BeforeAndAfter:
    """Several changes one after the other as one: what was before the first and is after the last."""
    before: States = {}
    after: States = {}
    for change in changes:
        if change is not None:
            before = {**change[0], **before}
            after.update(change[1])
    return before, after


def refresh(golden: Golden) -> BeforeAndAfter:
    """After a change of the order: what is suggested of earlier results hangs on which stand before a turn.

    Returns the states before and after, for the history.
    """
    waiting: dict[int, list[Suggestion]] = {}
    for row in golden.suggestions.filter(state__in=(SuggestionState.OPEN, SuggestionState.WITHDRAWN)):
        waiting.setdefault(row.turn_pk, []).append(row)
    states: BeforeAndAfter = {}, {}
    if not waiting:
        return states
    fields = fields_beside(golden)
    sources: dict[str, Sources] = {}
    for turn in golden.turns.all():
        known = sources.setdefault(turn.path, Sources())
        rows = waiting.get(turn.pk)
        if rows:
            offers = offers_for(golden, turn, turn.body, known)
            made = {offer.fingerprint for offer in offers}
            for row in rows:
                if row.state == SuggestionState.WITHDRAWN and row.fingerprint in made:
                    _change(row, SuggestionState.OPEN, states)
            _withdraw(rows, offers, states)
        _add(known, turn, fields)
    return states


def _stored(golden: Golden, turn: GoldTurn) -> list[Suggestion]:
    return list(golden.suggestions.filter(turn_pk=turn.pk).order_by("pk"))


# --- deciding ---------------------------------------------------------------------------------------------------------


def settle(
    golden: Golden,
    turn: GoldTurn,
    before: Mapping[str, Any],
    *,
    by: User,
    now: datetime,
    keeps: bool = True,
    earlier: Sequence[GoldTurn] | None = None,
) -> tuple[States, States]:
    """What a save of a turn decides: a suggestion that it holds is accepted, one that it contradicts refused or edited.

    Returns the states before and after, for the history. Suggestions that it leaves alone stay open. A change of many
    turns at once looks at none of them: without ``keeps`` what a draft holds is not accepted by staying there.
    """
    states: tuple[States, States] = {}, {}
    body = turn.body
    stored = _stored(golden, turn)
    for row in stored:
        state = _state_after(row, before, body)
        stays = row.source == "runs" and state == SuggestionState.ACCEPTED
        if state != row.state and (keeps or not stays):
            _change(row, state, states, by=by, now=now)
    for settled, made in zip(states, make_for_turn(golden, turn, earlier=earlier, stored=stored), strict=True):
        settled.update(made)
    return states


def _state_after(row: Suggestion, before: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    if row.state == SuggestionState.WITHDRAWN:
        # One of a value that was typed only counts once it is saved as suggested.
        is_taken = row.kind == SuggestionKind.SOURCE and not suggesting.holds(row.kind, row.field, row.proposal, before)
        if not (is_taken and suggesting.holds(row.kind, row.field, row.proposal, body)):
            return row.state
    if suggesting.holds(row.kind, row.field, row.proposal, body):
        return SuggestionState.ACCEPTED
    if row.source == "runs":
        is_refused = suggesting.is_refused_in(row.kind, row.field, row.was, body)
        return SuggestionState.REFUSED if is_refused else SuggestionState.EDITED
    if row.state == SuggestionState.ACCEPTED:
        return SuggestionState.EDITED
    if row.state == SuggestionState.OPEN and suggesting.says_otherwise(row.field, before, body):
        # A parameter may be changed in what the suggestion is not about: then it still stands.
        return SuggestionState.OPEN if _still_stands(row, body) else SuggestionState.EDITED
    return row.state


def _still_stands(row: Suggestion, body: Mapping[str, Any]) -> bool:
    """Whether the turn is, in what the suggestion is about, as it was when it was made."""
    params = body.get("params")
    param = params.get(row.field) if isinstance(params, Mapping) else None
    if not isinstance(param, Mapping):
        return False
    if row.kind in (SuggestionKind.PARAM_OPTIONAL, SuggestionKind.PARAM_REQUIRED):
        return True
    if row.kind == SuggestionKind.SOURCE:
        offer = Offer(row.kind, row.source, row.field, row.proposal, about=param.get("value"))
        return "value" in param and offer.fingerprint == row.fingerprint
    return False


def decide(
    golden: Golden, turn: GoldTurn, offer: Offer, *, state: str, by: User, now: datetime
) -> tuple[States, States]:
    """Accept or refuse one suggestion by itself, where that changes nothing in the turn."""
    note(golden, turn, offer)
    states: tuple[States, States] = {}, {}
    row = golden.suggestions.get(turn_pk=turn.pk, fingerprint=offer.fingerprint)
    _change(row, state, states, by=by, now=now)
    return states


def note(golden: Golden, turn: GoldTurn, offer: Offer) -> None:
    """Store a suggestion that came up while somebody typed, so that its acceptance is counted with the save.

    Until then it is about nothing that is stored, and counts as little.
    """
    row = row_of(golden, turn.pk, offer)
    row.state = SuggestionState.WITHDRAWN
    Suggestion.objects.bulk_create([row], ignore_conflicts=True)


def _change(
    row: Suggestion, state: str, states: tuple[States, States], *, by: User | None = None, now: datetime | None = None
) -> None:
    states[0][str(row.pk)] = _state(row)
    row.state, row.decided_by, row.decided_at = state, by, now
    row.save(update_fields=["state", "decided_by", "decided_at"])
    states[1][str(row.pk)] = _state(row)


def _state(row: Suggestion) -> dict[str, Any]:
    at = row.decided_at
    return {"state": str(row.state), "by": row.decided_by_id, "at": None if at is None else at.isoformat()}


def restore(golden: Golden, states: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    """Put back what a change that is undone, or done again, made of suggestions: ``made``.

    What somebody decided since stays. Returns whether anything was put back.
    """
    is_any = False
    for row in golden.suggestions.filter(pk__in=[int(pk) for pk in states]):
        state = states[str(row.pk)]
        if _state(row) != made.get(str(row.pk)):
            continue
        is_any = True
        row.state, row.decided_by_id = state["state"], state["by"]
        row.decided_at = None if state["at"] is None else datetime.fromisoformat(state["at"])
        row.save(update_fields=["state", "decided_by", "decided_at"])
    return is_any


# --- counting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """How many were suggested, and what became of them."""

    accepted: int = 0
    refused: int = 0
    edited: int = 0
    open: int = 0

    @property
    def suggested(self) -> int:
        return self.accepted + self.refused + self.edited + self.open

    @property
    def decided(self) -> int:
        return self.accepted + self.refused + self.edited

    @property
    def words(self) -> str:
        """As a sentence says it, such as "12 suggested: 8 accepted, 3 refused, 1 open"; empty where there are none."""
        if not self.suggested:
            return ""
        parts = (
            say_n("{count} accepted", "{count} accepted", self.accepted) if self.accepted else "",
            say_n("{count} refused", "{count} refused", self.refused) if self.refused else "",
            say_n("{count} decided otherwise", "{count} decided otherwise", self.edited) if self.edited else "",
            say_n("{count} open", "{count} open", self.open) if self.open else "",
        )
        found = ", ".join(filter(None, parts))
        return say_n("{count} suggested: {parts}", "{count} suggested: {parts}", self.suggested, parts=found)


def counts_of(golden: Golden) -> Counts:
    """Of the turns that the golden has now."""
    rows = golden.suggestions.that_stand().order_by().values("state").annotate(number=Count("pk"))
    return Counts(**{row["state"]: row["number"] for row in rows})


def counts_by_kind(project: Project) -> list[tuple[str, str, Counts]]:
    """Source, kind and counts over all goldens of a project, also of turns that were taken out once it was decided."""
    rows = (
        Suggestion.objects.in_project(project)
        .exclude(state=SuggestionState.WITHDRAWN)
        .exclude(pk__in=Suggestion.objects.in_project(project).filter(state=SuggestionState.OPEN).that_are_gone())
        .order_by("source", "kind", "state")
        .values("source", "kind", "state")
        .annotate(number=Count("pk"))
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        found.setdefault((row["source"], row["kind"]), {})[row["state"]] = row["number"]
    return [(source, kind, Counts(**states)) for (source, kind), states in found.items()]
