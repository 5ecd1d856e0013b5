"""Parsing the stored run of an agent. It is done for every trajectory of every run, so it takes the short ways."""

from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.plain import exact, read_json_text
from evaluation.aem.reading import a_list, a_text, an_object
from evaluation.aem.records import ObservedTurn, Trajectory

_NO_ARGS: dict[str, Any] = {}


def parse_trajectory(obj: Any) -> Trajectory:
    """Read one trajectory; keys that scoring does not know are metadata."""
    given = an_object(obj, "trajectory")
    turns = []
    calls: list[int] = []
    exchange: list[int] = []
    exchanges: list[tuple[int, ...]] = []
    for index, turn in enumerate(a_list(given.get("turns"), "trajectory.turns")):
        made = _turn(turn, index)
        turns.append(made)
        if made.kind == "user":
            exchanges.append(tuple(exchange))
            exchange = []
            continue
        exchange.append(index)
        if made.kind == "action":
            calls.append(index)
    exchanges.append(tuple(exchange))
    final_state = exact(given.get("final_state"), "trajectory.final_state")
    return Trajectory(tuple(turns), tuple(exchanges), tuple(calls), final_state)


def _turn(turn: Any, index: int) -> ObservedTurn:
    if type(turn) is not dict:
        turn = an_object(turn, f"trajectory.turns[{index}]")
    if ("tool" in turn) + ("response" in turn) + ("user" in turn) != 1:
        return _no_turn(turn, f"trajectory.turns[{index}]")
    if "tool" in turn:
        return _call(turn, index)
    kind = "response" if "response" in turn else "user"
    text = turn[kind]
    if type(text) is not str:
        text = a_text(text, f"trajectory.turns[{index}].{kind}", may_be_empty=True)
    return ObservedTurn(kind, text, None, None, _NO_ARGS)  # type: ignore[arg-type]


def _no_turn(turn: dict[str, Any], path: str) -> ObservedTurn:
    if not turn:
        return ObservedTurn("nothing", None, None, None, _NO_ARGS)
    found = [kind for kind in ("user", "response", "tool") if kind in turn]
    what = f"not both {' and '.join(found)}" if found else "and has none of them"
    raise RecordError(path, f"must hold one of user, response and tool, {what}")


def _call(turn: dict[str, Any], index: int) -> ObservedTurn:
    tool, action = turn["tool"], turn.get("action")
    if type(tool) is not str or not tool:
        tool = a_text(tool, f"trajectory.turns[{index}].tool")
    if action is not None and type(action) is not str:
        action = a_text(action, f"trajectory.turns[{index}].action", may_be_empty=True)
    args, result, error = turn.get("args"), turn.get("result"), turn.get("error")
    unreadable = None
    if type(args) is dict:
        args = exact(args, f"trajectory.turns[{index}].args") if args else args
    elif args is None:
        args = {}
    else:
        came = exact(args, f"trajectory.turns[{index}].args")
        args = read_json_text(came) if isinstance(came, str) else came
        if not isinstance(args, dict):
            args, unreadable = {}, came
    if isinstance(result, str):
        held = read_json_text(result)
        result = result if held is None else held
    elif result is not None:
        result = exact(result, f"trajectory.turns[{index}].result")
    if error is not None and type(error) is not bool:
        error = bool(exact(error, f"trajectory.turns[{index}].error"))
    return ObservedTurn("action", None, tool, action, args, unreadable, result, bool(error))
