"""Between an aem/1 golden and its rows: drafts, composing, numbering, and what the engine says about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.models import Golden, GoldTurn, Trajectory, TurnKind
from annotations.services.errors import WorkbenchError
from evaluation.aem import RecordError, parse_golden, score_record
from evaluation.aem.language import say
from evaluation.formats import jsonio

KNOWN_KEYS = frozenset({"paths", "forbidden", "outcome"})
MAIN_PATH = "main"
_PLACE = re.compile(r"paths\[(?P<path>\d+)\](?:\.turns\[(?P<turn>\d+)\](?P<field>.*))?", re.DOTALL)


class GoldenRefusedError(WorkbenchError):
    """What the engine cannot read in a golden: the turn and the field where it is, and the reason."""

    def __init__(self, reason: str, *, path: str = "", turn: GoldTurn | None = None, field: str = "") -> None:
        self.reason = reason
        self.path = path
        self.turn = turn
        self.field = field
        super().__init__(f"{self._place()}{reason}")

    def _place(self) -> str:
        number = None if self.turn is None else self.turn.turn_no or self.turn.position + 1
        path = "" if self.path == MAIN_PATH else self.path
        if number is not None:
            where = (
                say("Turn {number} of path {path}", number=number, path=path)
                if path
                else say("Turn {number}", number=number)
            )
        else:
            where = say("Path {path}", path=path) if path else ""
        found = " ".join(filter(None, (where, f"({self.field})" if self.field else "")))
        return f"{found}: " if found else ""


@dataclass(frozen=True, slots=True)
class TurnProblem:
    """Why one turn cannot be read: ``field`` is where, as in ``params.region`` or ``claims[0].contains``."""

    reason: str
    field: str = ""


def kind_of(body: dict[str, Any]) -> TurnKind:
    if "user" in body:
        return TurnKind.USER
    return TurnKind.ACTION if "tool" in body else TurnKind.RESPONSE


def compose(golden: Golden, turns: Iterable[GoldTurn]) -> dict[str, Any]:
    """The aem/1 golden of these rows. What an import brought beside the known keys is in it again."""
    extra = dict(golden.extra)
    path_extra = extra.pop("paths", {})
    paths: dict[str, list[Any]] = {}
    for turn in turns:
        paths.setdefault(turn.path, []).append(turn.body)
    if not paths:
        paths = {MAIN_PATH: []}
    return {
        "paths": [{"id": path, "turns": bodies, **path_extra.get(path, {})} for path, bodies in paths.items()],
        "forbidden": golden.forbidden,
        "outcome": golden.outcome,
        **extra,
    }


def rows_of(golden: Golden, body: dict[str, Any], *, is_done: bool) -> list[GoldTurn]:
    """Unsaved rows of an aem/1 golden, and its other parts put into ``golden`` (unsaved too)."""
    rows = []
    path_extra = {}
    for path_position, path in enumerate(body["paths"]):
        name = str(path.get("id") or MAIN_PATH)
        unknown = {key: value for key, value in path.items() if key not in ("id", "turns")}
        if unknown:
            path_extra[name] = unknown
        turn_no = 0
        for position, turn in enumerate(path["turns"]):
            kind = kind_of(turn)
            turn_no += kind != TurnKind.USER
            rows.append(
                GoldTurn(
                    golden=golden,
                    path=name,
                    path_position=path_position,
                    position=position,
                    turn_no=None if kind == TurnKind.USER else turn_no,
                    kind=kind,
                    body=turn,
                    is_done=is_done,
                )
            )
    golden.forbidden = body.get("forbidden") or []
    golden.outcome = body.get("outcome") or []
    golden.extra = {key: value for key, value in body.items() if key not in KNOWN_KEYS}
    if path_extra:
        golden.extra["paths"] = path_extra
    return rows


def draft_turn(observed: dict[str, Any], *, key: str) -> dict[str, Any] | None:
    """The observed turn taken as what is expected; None for one in which nothing was done.

    Arguments that are no object hold no parameters: then none are expected and any are allowed.
    """
    if "user" in observed:
        return {"id": key, "user": observed["user"]}
    if "response" in observed:
        return {"id": key, "response": observed["response"]}
    if "tool" not in observed:
        return None
    turn: dict[str, Any] = {"id": key, "tool": observed["tool"]}
    if observed.get("action") is not None:
        turn["action"] = observed["action"]
    arguments = arguments_of(observed)
    turn["params"] = {name: {"value": value} for name, value in (arguments or {}).items()}
    if arguments is None and observed.get("args") is not None:
        turn["extra"] = "allow"
    return turn


def arguments_of(observed: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of an observed call as the engine reads them; None where they are not an object."""
    arguments = observed.get("args", {})
    if isinstance(arguments, str):
        try:
            arguments = jsonio.loads(arguments)
        except jsonio.JsonError:
            return None
    return arguments if isinstance(arguments, dict) else None


def draft_rows(golden: Golden, observed_turns: Sequence[Any]) -> list[GoldTurn]:
    """One unsaved row per observed turn, each to be looked at by a person."""
    rows: list[GoldTurn] = []
    turn_no = users = 0
    for index, observed in enumerate(observed_turns):
        is_user = "user" in observed
        body = draft_turn(observed, key=f"u{users + 1}" if is_user else f"g{turn_no + 1}")
        if body is None:
            continue
        users += is_user
        turn_no += not is_user
        rows.append(
            GoldTurn(
                golden=golden,
                path=MAIN_PATH,
                position=len(rows),
                turn_no=None if is_user else turn_no,
                kind=kind_of(body),
                body=body,
                observed_index=index,
            )
        )
    return rows


def lay_beside(rows: Sequence[GoldTurn], golden: Golden, trajectory: Trajectory) -> None:
    """Say of each row which turn of the trajectory answers it, as the engine pairs them on the path that fits best."""
    record = {
        "format": "aem/1",
        "golden": compose(golden, rows),
        "trajectory": trajectory.body,
        "tools": golden.conversation.tool_set.body,
    }
    try:
        verdict = score_record(record)
    except RecordError:
        return  # without pairs the conversation is read all the same
    observed = {turn.golden: turn.observed for turn in verdict.turns}
    users = iter(index for index, turn in enumerate(trajectory.body["turns"]) if "user" in turn)
    for row in rows:
        if row.path == verdict.path:
            row.observed_index = next(users, None) if row.kind == TurnKind.USER else observed.get(row.key)


def free_key(turns: Iterable[GoldTurn], kind: str) -> str:
    """A turn id that the path does not have yet."""
    letter = "u" if kind == TurnKind.USER else "g"
    taken = {turn.key for turn in turns}
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"


def problem_of_turn(before: Iterable[GoldTurn], body: dict[str, Any]) -> TurnProblem | None:
    """What the engine cannot read in one turn, given the turns before it; they are not judged here."""
    stubs: list[dict[str, Any]] = []
    for turn in before:
        if turn.kind == TurnKind.USER:
            stubs.append({"user": "-"})
        else:
            stub: dict[str, Any] = {"id": turn.key, "response": "-"}
            if turn.body.get("group") is not None:
                stub["group"] = turn.body["group"]
            stubs.append(stub)
    # A path needs an agent or tool turn; a user turn alone is judged beside one.
    tail = [{"id": "after it", "response": "-"}] if "user" in body else []
    try:
        parse_golden({"paths": [{"id": MAIN_PATH, "turns": [*stubs, body, *tail]}]})
    except RecordError as error:
        place = _PLACE.search(error.path)
        if place is None or place["turn"] is None or int(place["turn"]) == len(stubs):
            return TurnProblem(error.reason, ((place and place["field"]) or "").lstrip("."))
    return None


def require_readable(golden: Golden, turns: Sequence[GoldTurn]) -> None:
    """Raises GoldenRefusedError, with the turn and field, where the engine would refuse the golden."""
    try:
        parse_golden(compose(golden, turns))
    except RecordError as error:
        raise refusal(error, turns) from error


def require_parsable(body: dict[str, Any]) -> None:
    """Raises GoldenRefusedError where the engine would refuse an aem/1 golden that has no rows yet."""
    try:
        parse_golden(body)
    except RecordError as error:
        raise GoldenRefusedError(
            error.reason, field=error.path.removeprefix("$").lstrip(".").removeprefix("golden.")
        ) from error


def refusal(error: RecordError, turns: Sequence[GoldTurn]) -> GoldenRefusedError:
    """The engine's complaint, with its place as people know it."""
    place = _PLACE.search(error.path)
    if place is None:
        return GoldenRefusedError(error.reason, field=error.path.removeprefix("$").lstrip(".").removeprefix("golden."))
    paths: dict[str, list[GoldTurn]] = {}
    for turn in turns:
        paths.setdefault(turn.path, []).append(turn)
    names = list(paths)
    name = names[int(place["path"])] if int(place["path"]) < len(names) else ""
    if place["turn"] is None or not name or int(place["turn"]) >= len(paths[name]):
        return GoldenRefusedError(error.reason, path=name)
    return GoldenRefusedError(
        error.reason, path=name, turn=paths[name][int(place["turn"])], field=place["field"].lstrip(".")
    )
