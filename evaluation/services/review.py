"""What the review page of one trajectory shows, and to whom.

The stored verdict is what counts. The explanation of its turns is computed again when the page is opened, as long as
the engine is the one that scored; a verdict of another engine shows what was stored with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotations.access import Viewer
from annotations.differences import Piece, pieces_of
from annotations.models import HumanLabel, Trajectory
from annotations.words import expected_text, value_text
from evaluation.aem import (
    ENGINE_VERSION,
    RecordError,
    ScorerFailed,
    ScorerUnavailable,
    parse_golden,
    parse_policy,
    parse_tools,
    parse_trajectory,
)
from evaluation.aem.language import mark, say, say_in
from evaluation.aem.sentences import told_again
from evaluation.formats.words import told
from evaluation.models import Decision, EvaluationRun, JudgeUse, RunItem, TurnVerdict, Verdict
from evaluation.services import claims_shown, meaning
from evaluation.services import decisions as final_labels
from evaluation.services.claims_shown import ReplyShown

#: A longer conversation stands on the page only once it is asked for.
LONGEST_TRANSCRIPT = 60
# A status is a glyph, a word and a hue, so that none of the three is needed alone.
GLYPHS = {"pass": "✓", "root": "✖", "casc": "↳", "skip": "–", "hidden": "○", "done": "●", "open": "?"}


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One judged item of a turn: a parameter, a claim, or the turn as a whole; expected beside observed."""

    name: str
    expected: str
    observed: str | None
    note: str
    passed: bool | None
    word: str
    sentence: str
    pieces: tuple[Piece, ...] = ()
    #: Layer, score and threshold, where meaning was compared.
    why: str = ""


@dataclass(slots=True)
class Turn:
    """A golden turn as the page shows it. What the viewer may not see yet is not in here."""

    turn_no: int
    key: str
    kind: str
    title: str
    golden: Mapping[str, Any]
    exchange: int
    #: The turns of its path as people call them, by id: "turn 2".
    names: Mapping[str, str]
    verdict: TurnVerdict | None
    is_hidden: bool
    status: str
    word: str
    mine: HumanLabel | None = None
    others: list[HumanLabel] = field(default_factory=list)
    decision: Decision | None = None
    detail: Mapping[str, Any] | None = None
    #: Works out the reply; only of the current turn, and only where the verdict may be seen.
    reply_from: Callable[[], ReplyShown | None] | None = None
    _reply: ReplyShown | None = None

    @property
    def reply(self) -> ReplyShown | None:
        """The observed reply with its claims, worked out once it is asked for."""
        if self.reply_from is not None:
            self._reply, self.reply_from = self.reply_from(), None
        return self._reply

    @property
    def glyph(self) -> str:
        return GLYPHS[self.status]

    @property
    def css_class(self) -> str:
        return {"hidden": "skip", "done": "skip", "open": "amb"}.get(self.status, self.status)

    @property
    def is_failing(self) -> bool:
        return self.status in ("root", "casc")

    @property
    def final(self) -> Decision | HumanLabel | None:
        labels = [label for label in (self.mine, *self.others) if label is not None]
        return final_labels.final_label(self.decision, labels)


@dataclass(slots=True)
class Review:
    """The page: all turns, one of them current."""

    item: RunItem
    verdict: Verdict | None
    trajectory: Trajectory
    path: str
    turns: list[Turn]
    observed: list[dict[str, Any]]
    observed_exchange: list[int]
    has_equal_exchanges: bool
    current: Turn | None
    is_hidden: bool
    other_version: str
    """What scored, where it is not what there is now and so explains nothing; else empty."""
    problem: str

    @property
    def labelled(self) -> int:
        return sum(turn.mine is not None for turn in self.turns)

    def after(self, turn_no: int, *, wanted: str) -> Turn | None:
        """The next turn after this one, wrapping round, that is failing, or that this person has not labelled."""
        order = [turn for turn in self.turns if turn.turn_no > turn_no] + [
            turn for turn in self.turns if turn.turn_no < turn_no
        ]
        for turn in order:
            if turn.is_failing if wanted == "failing" else turn.mine is None:
                return turn
        return None

    def neighbour(self, step: int) -> Turn | None:
        if self.current is None:
            return None
        at = self.turns.index(self.current) + step
        return self.turns[at] if 0 <= at < len(self.turns) else None

    @property
    def is_long(self) -> bool:
        """Whether the transcript is loaded only when somebody comes to it."""
        return len(self.observed) > LONGEST_TRANSCRIPT

    @property
    def current_observed(self) -> list[tuple[int, dict[str, Any]]]:
        """The observed turn that the current golden turn was compared with; none where there is none."""
        row = self.current.verdict if self.current is not None else None
        at = row.observed if row is not None else None
        return [] if at is None or at >= len(self.observed) else [(at, self.observed[at])]

    @property
    def observed_numbered(self) -> list[tuple[int, dict[str, Any]]]:
        return list(enumerate(self.observed))

    def observed_here(self) -> list[tuple[int, dict[str, Any]]]:
        """What the agent did where the current golden turn belongs: its exchange where the exchanges are the same."""
        if self.current is None:
            return []
        numbered = list(enumerate(self.observed))
        if not self.has_equal_exchanges:
            return [pair for pair in numbered if "user" not in pair[1]]
        return [
            (index, turn)
            for index, turn in numbered
            if "user" not in turn and self.observed_exchange[index] == self.current.exchange
        ]


def build(item: RunItem, viewer: Viewer, *, turn_no: int | None = None) -> Review:
    """Load one item for a viewer, in a fixed number of queries."""
    verdict = Verdict.objects.filter(item=item).first()
    trajectory = item.trajectory
    rows = list(verdict.turns.order_by("turn_no")) if verdict is not None and not verdict.error else []
    path_id = verdict.path if verdict is not None and verdict.path else _first_path(item)
    golden_turns = list(_golden_turns(item, path_id))
    labels = list(trajectory.labels.select_related("annotator").filter(path=path_id).order_by("created_at", "pk"))
    decided = {row.turn_key: row for row in trajectory.decisions.select_related("decided_by").filter(path=path_id)}
    explained, problem, other_version = _explained(item, verdict)
    explained = _of_what_was_stored(explained, rows)
    by_key = {row.turn_key: row for row in rows}
    turns = []
    names = {str(golden.get("id", "")): say("turn {number}", number=number) for number, _, golden in golden_turns}
    labelled: set[int] = set()
    for number, exchange, golden in golden_turns:
        key = str(golden.get("id", ""))
        mine = next((row for row in labels if row.turn_key == key and row.annotator_id == viewer.user.pk), None)
        is_hidden = viewer.is_blinded and mine is None
        row = by_key.get(key)
        if viewer.is_blinded and mine is not None:
            labelled.add(number)
            is_hidden = not _speaks_of(row, explained.get(number), number) <= labelled
        status, word = (
            ("done" if mine else "hidden", say("labelled") if mine else say("to label")) if is_hidden else _status(row)
        )
        turns.append(
            Turn(
                turn_no=number,
                key=key,
                kind="action" if "tool" in golden else "response",
                title=title_of(golden),
                golden=golden,
                exchange=exchange,
                names=names,
                verdict=None if is_hidden else row,
                is_hidden=is_hidden,
                status=status,
                word=word,
                mine=mine,
                others=[]
                if is_hidden
                else [label for label in labels if label.turn_key == key and label.annotator_id != viewer.user.pk],
                decision=None if is_hidden else decided.get(key),
                detail=None if is_hidden or row is None else (explained.get(number) or told_again(row.detail)),
            )
        )
    observed = list(trajectory.body["turns"])
    exchanges = _exchanges(observed)
    current = _current(turns, turn_no, is_blinded=viewer.is_blinded)
    if current is not None and current.kind == "response" and current.detail is not None:
        position = current.verdict.observed if current.verdict is not None else None
        current.reply_from = partial(
            claims_shown.show, current.golden, current.detail, item=item, observed=observed, position=position
        )
    users = sum("user" in turn for turn in observed)
    golden_users = sum("user" in turn for turn in _path(item, path_id).get("turns", []))
    return Review(
        item=item,
        verdict=None if viewer.is_blinded and any(turn.is_hidden for turn in turns) else verdict,
        trajectory=trajectory,
        path=path_id,
        turns=turns,
        observed=observed,
        observed_exchange=exchanges,
        has_equal_exchanges=users == golden_users,
        current=current,
        is_hidden=viewer.is_blinded and any(turn.is_hidden for turn in turns),
        other_version=other_version,
        problem=problem,
    )


def _speaks_of(row: TurnVerdict | None, explained: Mapping[str, Any] | None, number: int) -> set[int]:
    """The earlier turns that failed according to this verdict: a blinded viewer has to have labelled them too."""
    if row is None:
        return set()
    items = (explained or row.detail or {}).get("items", [])
    evidence = {
        turn for entry in items if entry.get("passed") is not True for turn in entry.get("evidence_turns") or ()
    }
    return {turn for turn in {*(row.cascade_of or ()), *evidence} if turn < number}


def _path(item: RunItem, path_id: str) -> Mapping[str, Any]:
    paths = item.golden_record.body["golden"]["paths"]
    return next((path for path in paths if str(path.get("id")) == path_id), paths[0])


def _first_path(item: RunItem) -> str:
    return str(item.golden_record.body["golden"]["paths"][0].get("id"))


def _golden_turns(item: RunItem, path_id: str) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Number, exchange and body of the agent and tool turns of a path."""
    number = exchange = 0
    for turn in _path(item, path_id)["turns"]:
        if "user" in turn:
            exchange += 1
        else:
            number += 1
            yield number, exchange, turn


def _exchanges(observed: Sequence[Mapping[str, Any]]) -> list[int]:
    exchange, found = 0, []
    for turn in observed:
        exchange += "user" in turn
        found.append(exchange)
    return found


def _explained(item: RunItem, verdict: Verdict | None) -> tuple[dict[int, dict[str, Any]], str, str]:
    """Explanations by turn number; a sentence where there are none; by what it was scored, where that is not here."""
    if verdict is None or verdict.error:
        return {}, "" if verdict is None else told(verdict.error), ""
    if item.run.engine_version != ENGINE_VERSION:
        return {}, "", say("engine {version}", version=item.run.engine_version)
    record = item.golden_record
    try:
        use = JudgeUse.objects.filter(run=item.run_id).select_related("settings").first()
        meanings = meaning.Meanings(
            project_id=item.run.project_id,
            vocabulary=item.run.vocabulary,
            run=item.run,
            is_reading=True,
            judge=use.settings if use is not None else None,
        )
        result = meanings.score_now(
            parse_golden(record.body["golden"]),
            parse_trajectory(item.trajectory.body),
            policy=parse_policy(record.body["policy"], base=parse_policy(item.run.policy.body)),
            tools=parse_tools(record.tool_set.body),
            language=item.trajectory.conversation.language,
        )
    except meaning.OtherScorerError:
        return {}, "", say("the scorer {version}", version=item.run.scorer_version)
    except (RecordError, ScorerUnavailable, ScorerFailed) as error:
        return {}, told(str(error)), ""
    if result.path != verdict.path:
        return {}, "", ""
    return {turn.turn_no: result.explain_turn(turn.turn_no) for turn in result.turns}, "", ""


def _of_what_was_stored(
    explained: Mapping[int, dict[str, Any]], rows: Sequence[TurnVerdict]
) -> dict[int, dict[str, Any]]:
    """The explanations that say what the stored verdicts say: where a judge's answer is gone, they may not."""
    stored = {row.turn_no: (row.passed, row.failure_reason) for row in rows}
    return {
        number: detail
        for number, detail in explained.items()
        if stored.get(number) == (detail["passed"], detail["failure_reason"] or "")
    }


def title_of(golden: Mapping[str, Any]) -> str:
    return _name_of(golden) or say("Reply")


def stored_title(golden: Mapping[str, Any]) -> str:
    """The title as texts that are stored have it: always in English."""
    return _name_of(golden) or "Reply"


def _name_of(golden: Mapping[str, Any]) -> str:
    if "tool" not in golden:
        return ""
    return " · ".join(str(golden[name]) for name in ("tool", "action") if golden.get(name))


def _status(row: TurnVerdict | None) -> tuple[str, str]:
    if row is None:
        return "hidden", say("not scored")
    if row.skipped:
        return "skip", say("skipped")
    if row.is_cascade:
        roots = ", ".join(str(root) for root in row.cascade_of or [])
        return "casc", say("from {turns}", turns=roots) if roots else say("inherited")
    if row.passed is False:
        return "root", say("root cause")
    if row.is_unscored:
        return "open", say("not scored")
    return "pass", say("pass")


def _current(turns: list[Turn], turn_no: int | None, *, is_blinded: bool) -> Turn | None:
    """The asked-for turn; else the first failing one, or for a blinded viewer the first without a label of theirs."""
    if not turns:
        return None
    wanted = next((turn for turn in turns if turn.turn_no == turn_no), None)
    if wanted is not None:
        return wanted
    if is_blinded:
        return next((turn for turn in turns if turn.is_hidden), turns[0])
    return next((turn for turn in turns if turn.status == "root"), None) or next(
        (turn for turn in turns if turn.is_failing), turns[0]
    )


# --- expected beside observed ---


def rows_of(turn: Turn) -> list[ItemRow]:
    """What was judged in a turn, as rows: problems first, each with the engine's sentence."""
    if turn.detail is None:
        return []
    entries = [
        entry
        for entry in turn.detail.get("items", [])
        if not (entry.get("kind") == "structure" and entry.get("passed"))  # the title says it
        and not (turn.reply is not None and entry.get("kind") in ("claim", "reply"))  # they stand beside the reply
    ]
    rows = [_row(turn, entry) for entry in entries]
    return sorted(rows, key=lambda row: row.passed is True)


_MISSING_REASONS = frozenset({"missing_parameters", "incomplete_response"})


def _row(turn: Turn, entry: Mapping[str, Any]) -> ItemRow:
    name, reason, passed = entry.get("field"), entry.get("reason"), entry.get("passed")
    params = turn.golden.get("params", {})
    if entry.get("kind") == "parameter" and name in params:
        expected, note = (
            expected_text(params[name], turn.names),
            "" if params[name].get("required", True) else say("may be left out"),
        )
    elif entry.get("kind") == "parameter":
        expected, note = "", say("not expected")
    else:
        expected, note = value_text(entry["expected"]) if entry.get("expected") is not None else "", ""
    seen = entry.get("observed")
    if entry.get("kind") == "structure":
        expected, seen = _call_text(entry.get("expected")), _call_text(seen) or None
    is_absent = seen is None and (reason in _MISSING_REASONS or passed is not True)
    observed = None if is_absent else value_text(seen)
    return ItemRow(
        name=str(name)
        if name is not None
        else {"structure": "tool and action", "reply": "reply"}.get(str(entry.get("kind")), str(entry.get("kind"))),
        expected=expected,
        observed=observed,
        note=note,
        passed=passed,
        word=_word(entry),
        sentence=str(entry.get("sentence") or ""),
        pieces=pieces_of(expected, observed) if passed is False and observed and expected else (),
        why=claims_shown.why_of(entry),
    )


def _call_text(call: Any) -> str:
    """A call's tool and action, as titles show them."""
    return title_of(call) if isinstance(call, Mapping) and call.get("tool") else value_text(call) if call else ""


_WORD_OF_REASON = {
    "tool_mismatch": mark("other tool"),
    "action_mismatch": mark("other action"),
    "missing_parameters": mark("missing"),
    "extra_parameters": mark("not expected"),
    "inconsistent_parameter_values": mark("other value"),
    "incomplete_response": mark("not said"),
    "inconsistent_response": mark("says otherwise"),
}


def _word(entry: Mapping[str, Any]) -> str:
    if entry.get("passed") is None:
        return say("not judged")
    if entry["passed"]:
        return say_in("correct", "right")
    known = _WORD_OF_REASON.get(str(entry.get("reason")))
    word = say(known) if known else say("wrong")
    return say("{word}, inherited", word=word) if entry.get("origin") == "inherited" else word


# --- the strip ---

TILE, GAP, EDGE = 132, 10, 14


@dataclass(frozen=True, slots=True)
class Arc:
    """A curve from a root cause to a cascade, in pixels of the strip."""

    d: str
    label: str


def arcs(turns: Sequence[Turn]) -> list[Arc]:
    """One curve for each cascade and each root that it comes from."""
    found = []
    for turn in turns:
        for root in (turn.verdict.cascade_of or []) if turn.verdict is not None and turn.verdict.is_cascade else []:
            start, end = _middle(root), _middle(turn.turn_no)
            height = max(2, 26 - 5 * (turn.turn_no - root))
            found.append(
                Arc(f"M{start} 32 C {start + 20} {height}, {end - 20} {height}, {end} 32", f"{root} → {turn.turn_no}")
            )
    return found


def _middle(turn_no: int) -> int:
    return EDGE + (turn_no - 1) * (TILE + GAP) + TILE // 2


def strip_width(turns: Sequence[Turn]) -> int:
    return 2 * EDGE + len(turns) * (TILE + GAP)


# --- from item to item ---


def other_item(item: RunItem, *, step: int, among: QuerySet[RunItem] | None = None) -> int | None:
    """The position of the item before or after this one: of the run's, or of those among which somebody looks."""
    items = RunItem.objects.filter(run=item.run_id) if among is None else among
    if step > 0:
        return items.filter(position__gt=item.position).order_by("position").values_list("position", flat=True).first()
    return items.filter(position__lt=item.position).order_by("-position").values_list("position", flat=True).first()


def next_unlabelled(run: EvaluationRun, viewer: Viewer, *, after: int) -> int | None:
    """The position of the next item of the run on which this person has not labelled anything."""
    mine = HumanLabel.objects.filter(trajectory=OuterRef("trajectory"), annotator=viewer.user)
    open_items = run.items.filter(~Exists(mine)).order_by("position")
    position = open_items.filter(position__gt=after).values_list("position", flat=True).first()
    return position if position is not None else open_items.values_list("position", flat=True).first()
