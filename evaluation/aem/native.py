"""The native dialog format: one list of turns, each with what was expected and what was predicted."""

from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.plain import child, read_json_text
from evaluation.aem.reading import a_list, a_text, an_object, entries, shape

_GROUP_TAG = "OrderInvariant_"
#: Python writes whole numbers of at most 4300 digits, and the id of a turn is written.
_TOO_LARGE = 10**4000


def is_native_dialog(obj: Any) -> bool:
    """Whether a value is a native dialog: a list whose elements have ``turn_no``.

    One element that has it is enough, so that the others are named as faulty turns and not as faulty records.
    """
    return isinstance(obj, list) and any(isinstance(turn, dict) and "turn_no" in turn for turn in obj)


def record_from_native(dialog: list[Any]) -> dict[str, Any]:
    """The ``aem/1`` record of a native dialog. Pairs go by position; places in errors are those of the dialog."""
    turns = a_list(dialog, "")
    if not turns:
        raise RecordError("", "a dialog must hold at least one turn")
    golds, observed = [], []
    seen: dict[int, int] = {}
    for index, value in enumerate(turns):
        path = f"[{index}]"
        turn = an_object(value, path)
        number = _turn_no(turn.get("turn_no"), child(path, "turn_no"))
        if number in seen:
            raise RecordError(child(path, "turn_no"), f"turn_no {number} appears twice")
        golds.append(_gold(turn, number, seen, path))
        observed.append(_predicted(turn, path))
        seen[number] = index
    return {
        "format": "aem/1",
        "golden": {"paths": [{"id": "main", "turns": golds}]},
        "trajectory": {"turns": observed},
        "policy": {"alignment": "given"},
    }


def _turn_no(value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecordError(path, f"must be a whole number, not {shape(value)}")
    if value >= _TOO_LARGE:
        raise RecordError(path, "is too large for the number of a turn")
    return value


def _gold(turn: dict[str, Any], number: int, seen: dict[int, int], path: str) -> dict[str, Any]:
    kind = turn.get("turn")
    place = child(path, "gold_turn")
    expected = an_object(turn.get("gold_turn"), place)
    made: dict[str, Any] = {"id": f"g{number}"}
    if kind == "Agent":
        made["response"] = a_text(expected.get("response"), child(place, "response"), may_be_empty=True)
    elif kind == "Tool":
        made["tool"] = a_text(expected.get("tool_id"), child(place, "tool_id"))
        if expected.get("action") is not None:
            made["action"] = a_text(expected["action"], child(place, "action"), may_be_empty=True)
        made["params"] = {key: {"value": value} for key, value in _gold_args(expected, place).items()}
    else:
        raise RecordError(child(path, "turn"), f'must be "Agent" or "Tool", not {shape(kind)}')
    group = _group(turn, path)
    if group is not None:
        made["group"] = group
    if turn.get("depends_on") is not None:
        made["depends_on"] = [_earlier(value, number, seen, at) for value, at in entries(turn, "depends_on", path)]
    return made


def _gold_args(expected: dict[str, Any], path: str) -> dict[str, Any]:
    args = expected.get("args")
    if args is None:
        return {}
    if isinstance(args, str):
        held = read_json_text(args)
        args = args if held is None else held
    return an_object(args, child(path, "args"))


def _group(turn: dict[str, Any], path: str) -> str | None:
    for tag, place in entries(turn, "tags", path):
        if not isinstance(tag, str):
            raise RecordError(place, f"must be a text, not {shape(tag)}")
        if tag.startswith(_GROUP_TAG):
            return tag.removeprefix(_GROUP_TAG) or tag
    return None


def _earlier(value: Any, number: int, seen: dict[int, int], path: str) -> str:
    named = _turn_no(value, path)
    if named == number:
        raise RecordError(path, f"turn {named} cannot depend on itself")
    if named not in seen:
        raise RecordError(path, f"there is no earlier turn {named}")
    return f"g{named}"


def _predicted(turn: dict[str, Any], path: str) -> dict[str, Any]:
    """The observed turn; ``{}``, which answers nothing, where nothing was predicted."""
    if turn.get("predict_turn") is None:
        return {}
    place = child(path, "predict_turn")
    predicted = an_object(turn["predict_turn"], place)
    is_call, is_reply = predicted.get("tool_id") is not None, predicted.get("response") is not None
    if is_call and is_reply:
        raise RecordError(place, "must hold one of response and tool_id, not both")
    if is_reply:
        return {"response": a_text(predicted["response"], child(place, "response"), may_be_empty=True)}
    if not is_call:
        if any(value is not None for value in predicted.values()):
            raise RecordError(place, "must hold one of response and tool_id, and has none of them")
        return {}
    made: dict[str, Any] = {"tool": a_text(predicted["tool_id"], child(place, "tool_id"))}
    if predicted.get("action") is not None:
        made["action"] = a_text(predicted["action"], child(place, "action"), may_be_empty=True)
    if "args" in predicted:
        made["args"] = predicted["args"]
    for name in ("result", "error"):
        # Tools that write dialogs put what came back inside the predicted call or next to it.
        if name in predicted or name in turn:
            made[name] = predicted.get(name, turn.get(name))
    return made
