"""Parsing the stored run of an agent. It is done for every trajectory of every run, so it takes the short ways."""

from typing import Any, Never

from evaluation.aem.errors import RecordError
from evaluation.aem.plain import exact, is_exact, read_json_text
from evaluation.aem.reading import a_list, a_text, an_object
from evaluation.aem.records import ObservedTurn, Trajectory

_NO_ARGS: dict[str, Any] = {}


def parse_trajectory(obj: Any) -> Trajectory:
    """Read one trajectory; keys that scoring does not know are metadata."""
    given = an_object(obj, "trajectory")
    turns: list[ObservedTurn] = []
    calls: list[int] = []
    exchange: list[int] = []
    exchanges: list[tuple[int, ...]] = []
    for index, value in enumerate(a_list(given.get("turns"), "trajectory.turns")):
        turn = value if type(value) is dict else an_object(value, f"trajectory.turns[{index}]")
        if "tool" in turn:
            if "response" in turn or "user" in turn:
                _refuse(turn, index)
            turns.append(_call(turn, index))
            exchange.append(index)
            calls.append(index)
        elif "response" in turn:
            if "user" in turn:
                _refuse(turn, index)
            turns.append(ObservedTurn("response", _text(turn, "response", index), None, None, _NO_ARGS))
            exchange.append(index)
        elif "user" in turn:
            turns.append(ObservedTurn("user", _text(turn, "user", index), None, None, _NO_ARGS))
            exchanges.append(tuple(exchange))
            exchange = []
        else:
            if turn:
                _refuse(turn, index)
            turns.append(ObservedTurn("nothing", None, None, None, _NO_ARGS))
            exchange.append(index)
    exchanges.append(tuple(exchange))
    final_state = given.get("final_state")
    if final_state is not None:
        final_state = exact(final_state, "trajectory.final_state")
    return Trajectory(tuple(turns), tuple(exchanges), tuple(calls), final_state)


def _text(turn: dict[str, Any], kind: str, index: int) -> str:
    text = turn[kind]
    return text if type(text) is str else a_text(text, f"trajectory.turns[{index}].{kind}", may_be_empty=True)


def _refuse(turn: dict[str, Any], index: int) -> Never:
    found = [kind for kind in ("user", "response", "tool") if kind in turn]
    what = f"not both {' and '.join(found)}" if found else "and has none of them"
    raise RecordError(f"trajectory.turns[{index}]", f"must hold one of user, response and tool, {what}")


def _call(turn: dict[str, Any], index: int) -> ObservedTurn:
    tool, action = turn["tool"], turn.get("action")
    if type(tool) is not str or not tool:
        tool = a_text(tool, f"trajectory.turns[{index}].tool")
    if action is not None and type(action) is not str:
        action = a_text(action, f"trajectory.turns[{index}].action", may_be_empty=True)
    args, result, error = turn.get("args"), turn.get("result"), turn.get("error")
    unreadable = held = None
    if type(args) is dict:
        if not is_exact(args):
            args = exact(args, f"trajectory.turns[{index}].args")
    elif args is None:
        args = {}
    else:
        came = exact(args, f"trajectory.turns[{index}].args")
        args = read_json_text(came) if isinstance(came, str) else came
        if not isinstance(args, dict):
            args, unreadable = {}, came
    if result is not None:
        if isinstance(result, str):
            held = read_json_text
        elif not is_exact(result):
            result = exact(result, f"trajectory.turns[{index}].result")
    if error is not None and type(error) is not bool:
        error = bool(exact(error, f"trajectory.turns[{index}].error"))
    return ObservedTurn("action", None, tool, action, args, unreadable, result, held, bool(error))
