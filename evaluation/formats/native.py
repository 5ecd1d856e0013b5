"""AEM's native dialog format: one list of turns, the expected and the predicted turn side by side.

A file holds one dialog, a list of dialogs, or one dialog a line. A dialog may be wrapped in an object that names its
``id`` and whatever an aem/1 record has beside golden and trajectory: ``{"id": …, "dialog": [turn, …], "run": {…}}``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluation.aem import RecordError, is_native_dialog, record_from_native
from evaluation.aem.language import kept
from evaluation.formats import aem1, jsonio
from evaluation.formats.model import CannotWriteError, ParsedConversation, ParsedFile, SourceFile
from evaluation.formats.reading import Document, Fault, Reading, read_documents
from evaluation.formats.records import Collector

FORMAT = "native"
DIALOG_KEYS = ("dialog", "turns")

EXAMPLE = """\
[{"turn_no": 1, "turn": "Tool", "gold_turn": {"tool_id": "orders", "action": "get", "args": {"order_id": "A1"}},
  "predict_turn": {"tool_id": "orders", "action": "get", "args": {"order_id": "A1"}}, "tags": []},
 {"turn_no": 2, "turn": "Agent", "gold_turn": {"response": "It was shipped."},
  "predict_turn": {"response": "It was shipped."}, "tags": [], "depends_on": [1]}]
"""

_BREAKS_OFF = kept("the dialog breaks off and is not read")
_NO_DIALOG = kept("a dialog is a list of turns that is not empty")
_RUN = kept("must be an object, beside a dialog with predicted turns")
_OBJECT = kept("must be an object")
_BESIDE = kept("cannot stand beside a dialog")
# What a dialog cannot carry.
_LOOKED_FOR = kept("answers are looked for, while a dialog pairs them by position (policy alignment is not given)")
_NO_GOLDEN = kept("there is no golden")
_ALTERNATIVES = kept("alternative paths")
_PARTS = {"forbidden": kept("forbidden calls"), "outcome": kept("required outcomes")}
_GOLDEN_KEYS = kept("golden keys {names}")
_PATH_ID = kept("a path with another id than main")
_USER = kept("what the user said")
_TURN_NAME = kept("turn {turn}: an id that is not g and a number")
_ONE_VALUE = kept("turn {turn}: {name} is more than one required value")
_FURTHER = kept("turn {turn}: further parameters are allowed")
_DEPENDENCY = kept("turn {turn}: a dependency with a kind")
_USER_OBSERVED = kept("what the user said in the trajectory")
_MORE_OBSERVED = kept("more observed than expected turns")
_FINAL_STATE = kept("a recorded final state")
_BEYOND = kept("turn {turn}: {names}")
_BEYOND_OBSERVED = kept("observed turn {turn}: {names}")

_GROUP_TAG = "OrderInvariant_"
_TURN_ID = re.compile(r"g([1-9][0-9]*)\Z")


def _dialog_key(value: Any) -> str | None:
    """The key under which a wrapper holds its dialog."""
    if isinstance(value, dict):
        return next((name for name in DIALOG_KEYS if isinstance(value.get(name), list)), None)
    return None


def _is_dialog(value: Any) -> bool:
    key = _dialog_key(value)
    dialog = value[key] if key else value
    return isinstance(dialog, list) and bool(dialog) and is_native_dialog(dialog)


def detect(documents: Sequence[Any]) -> str | None:
    """Why these values look like native dialogs, or None."""
    for value in documents:
        if _is_dialog(value):
            return "a list of turns has turn_no in each"
        if isinstance(value, list) and any(_is_dialog(element) for element in value):
            return "a list holds dialogs whose turns have turn_no"
    return None


def _dialogs(reading: Reading) -> Iterator[Document]:
    for document in reading.documents:
        is_list_of_dialogs = (
            reading.kind == "json"
            and isinstance(document.value, list)
            and not any(isinstance(element, dict) and "turn_no" in element for element in document.value)
        )
        if is_list_of_dialogs:
            yield from document.items
        else:
            yield document


def read(files: Sequence[SourceFile], *, encoding: str | None = None) -> ParsedFile:
    """Read native dialogs; a bad dialog costs only itself."""
    collector = Collector(FORMAT)
    for source in files:
        name = source.name if len(files) > 1 else None
        reading = read_documents(source.data, encoding=encoding, file=name)
        dialogs = list(_dialogs(reading))
        records = reading.counts["records"]
        if reading.kind == "json" and records:
            is_cut_between_dialogs = bool(reading.problems) and all(found.is_complete for found in dialogs)
            records = len(dialogs) + is_cut_between_dialogs
        collector.count({**reading.counts, "records": records})
        collector.problems += reading.problems
        for number, document in enumerate(dialogs, 1):
            _read_dialog(collector, document, f"{source.stem}-{number}", name)
    collector.problems.sort(key=lambda problem: (problem.file or "", problem.line or 0))
    return collector.finish()


def _read_dialog(collector: Collector, document: Document, default_key: str, file: str | None) -> None:
    faults = list(document.faults)
    record: dict[str, Any] = {}
    if not document.is_complete:
        faults.append(Fault(_BREAKS_OFF))
    elif not any(fault.severity == "error" for fault in faults):
        record = _record(document.value, faults)
    collector.report(document, faults, file=file)
    if not any(fault.severity == "error" for fault in faults):
        collector.add(document, record, default_key=default_key, file=file)


def _record(value: Any, faults: list[Fault]) -> dict[str, Any]:
    """The aem/1 record of a dialog, or the reason why there is none."""
    key = _dialog_key(value)
    dialog = value[key] if key else value
    path = key or ""
    if not isinstance(dialog, list) or not dialog:
        faults.append(Fault(_NO_DIALOG, path))
        return {}
    try:
        record = dict(record_from_native(dialog))
    except RecordError as error:
        faults.append(Fault(error.reason, path + error.path))
        return {}
    for name in ("format", "id"):
        record.pop(name, None)
    # A dialog in which nothing was predicted is a reference alone; a run without answers would be a made-up failure.
    if not any("predict_turn" in turn for turn in dialog):
        record.pop("trajectory", None)
    if key:
        wrapper = {name: part for name, part in value.items() if name != key}
        run = wrapper.pop("run", None)
        if isinstance(run, dict) and "trajectory" in record:
            record["trajectory"] = {**run, **record["trajectory"]}
        elif run is not None:
            faults.append(Fault(_RUN, "run"))
        policy = wrapper.pop("policy", None)
        if isinstance(policy, dict):
            record["policy"] = {**record.get("policy", {}), **policy}
        elif policy is not None:
            faults.append(Fault(_OBJECT, "policy"))
        for name in ("golden", "trajectory"):
            if name in wrapper:
                faults.append(Fault(_BESIDE, f"{name}"))
        record = {**wrapper, **record}
        if "dialog_id" in wrapper and "id" not in wrapper:
            record["id"] = record.pop("dialog_id")
    _keep_what_was_dropped(record, dialog)
    return record


def _keep_what_was_dropped(record: dict[str, Any], dialog: list[Any]) -> None:
    """The dialog itself, where writing the record as a dialog would not give it back in full."""
    reasons: list[str] = []
    written = dialog_of(record.get("golden"), record.get("trajectory"), reasons)
    came = [{**entry, "tags": entry.get("tags") or []} for entry in dialog]
    if reasons or jsonio.canonical(written) != jsonio.canonical(came):
        record["native_dialog"] = dialog


# --- writing --------------------------------------------------------------------------------------------------------


def write(conversations: Iterable[ParsedConversation]) -> Iterator[str]:
    """One dialog a line; raises CannotWriteError with everything that a dialog cannot carry, before the first line."""
    values: list[Any] = []
    reasons: list[str] = []
    for conversation in conversations:
        for record in aem1.records_of(conversation):
            values.append(_written(record, reasons))
    if reasons:
        raise CannotWriteError(list(dict.fromkeys(reasons)))
    for value in values:
        yield jsonio.dumps(value) + "\n"


def _written(record: dict[str, Any], reasons: list[str]) -> Any:
    rest = dict(record)
    del rest["format"]
    golden, trajectory = rest.pop("golden", None), rest.pop("trajectory", None)
    policy = dict(rest.pop("policy", {}))
    kept = rest.pop("native_dialog", None)
    found: list[str] = []
    if kept is not None and _same_record(kept, golden, trajectory):
        dialog = kept
    else:
        dialog = dialog_of(golden, trajectory, found)
    if policy.get("alignment") != "given":
        found.append(_LOOKED_FOR)
    reasons += [f"{record['id']}: {reason}" for reason in found]
    if policy != _native_policy():
        rest["policy"] = policy
    run = {name: value for name, value in (trajectory or {}).items() if name != "turns"}
    if run:
        rest["run"] = run
    return {**rest, "dialog": dialog}


def _native_policy() -> dict[str, Any]:
    sample = [{"turn_no": 1, "turn": "Agent", "gold_turn": {"response": "a"}}]
    return dict(record_from_native(sample).get("policy", {}))


def _same_record(dialog: list[Any], golden: Any, trajectory: Any) -> bool:
    """Whether a dialog that was kept still says what the record says."""
    try:
        record = record_from_native(dialog)
    except RecordError:
        return False
    turns = (trajectory or {}).get("turns")
    return jsonio.canonical(record["golden"]) == jsonio.canonical(golden) and (
        turns is None or jsonio.canonical(record["trajectory"]["turns"]) == jsonio.canonical(turns)
    )


def dialog_of(golden: Any, trajectory: Any, reasons: list[str]) -> list[Any]:
    """The dialog that says what a golden and a trajectory say, and the reasons why none can."""
    if not golden:
        reasons.append(_NO_GOLDEN)
        return []
    if len(golden["paths"]) > 1:
        reasons.append(_ALTERNATIVES)
    reasons += [said for name, said in _PARTS.items() if golden.get(name)]
    unknown = golden.keys() - {"paths", "forbidden", "outcome"}
    if unknown:
        reasons.append(_GOLDEN_KEYS.format(names=", ".join(sorted(unknown))))
    path = golden["paths"][0]
    if path.get("id", "main") != "main":
        reasons.append(_PATH_ID)
    turns = path["turns"]
    if any("user" in turn for turn in turns):
        reasons.append(_USER)
    agent_turns = [turn for turn in turns if "user" not in turn]
    dialog = [_gold_entry(turn, reasons) for turn in agent_turns]
    if trajectory is not None:
        _add_predictions(dialog, trajectory, reasons)
    return dialog


def _gold_entry(turn: dict[str, Any], reasons: list[str]) -> dict[str, Any]:
    number = _TURN_ID.match(str(turn.get("id")))
    if number is None:
        reasons.append(_TURN_NAME.format(turn=turn.get("id")))
    entry: dict[str, Any] = {"turn_no": int(number[1]) if number else 0}
    if "tool" in turn:
        entry["turn"] = "Tool"
        known = {"id", "tool", "action", "params", "extra", "group", "depends_on"}
        params = turn.get("params", {})
        for name, param in params.items():
            if set(param) != {"value"} and param != {"value": param.get("value"), "required": True}:
                reasons.append(_ONE_VALUE.format(turn=turn.get("id"), name=name))
        if turn.get("extra", "forbid") != "forbid":
            reasons.append(_FURTHER.format(turn=turn.get("id")))
        entry["gold_turn"] = {
            "tool_id": turn["tool"],
            **({"action": turn["action"]} if "action" in turn else {}),
            "args": {name: param.get("value") for name, param in params.items()},
        }
    else:
        entry["turn"] = "Agent"
        known = {"id", "response", "group", "depends_on"}
        entry["gold_turn"] = {"response": turn.get("response")}
    beyond = [name for name in turn if name not in known]
    if beyond:
        reasons.append(_BEYOND.format(turn=turn.get("id"), names=", ".join(sorted(beyond))))
    entry["tags"] = [f"{_GROUP_TAG}{turn['group']}"] if turn.get("group") else []
    if "depends_on" in turn:
        entry["depends_on"] = _turn_numbers(turn, reasons)
    return entry


def _turn_numbers(turn: dict[str, Any], reasons: list[str]) -> list[int]:
    numbers = []
    for dependency in turn["depends_on"]:
        found = _TURN_ID.match(dependency) if isinstance(dependency, str) else None
        if found is None:
            reasons.append(_DEPENDENCY.format(turn=turn.get("id")))
        else:
            numbers.append(int(found[1]))
    return numbers


def _add_predictions(dialog: list[dict[str, Any]], trajectory: dict[str, Any], reasons: list[str]) -> None:
    observed = trajectory["turns"]
    if any("user" in turn for turn in observed):
        reasons.append(_USER_OBSERVED)
        return
    if len(observed) > len(dialog):
        reasons.append(_MORE_OBSERVED)
    if "final_state" in trajectory:
        reasons.append(_FINAL_STATE)
    for entry, turn in zip(dialog, observed, strict=False):
        if not turn:
            continue
        known = {"tool", "action", "args", "result", "error"} if "tool" in turn else {"response"}
        beyond = turn.keys() - known
        if beyond:
            reasons.append(_BEYOND_OBSERVED.format(turn=entry["turn_no"], names=", ".join(sorted(beyond))))
        if "tool" in turn:
            names = {"tool": "tool_id", "action": "action", "args": "args", "result": "result", "error": "error"}
            entry["predict_turn"] = {names[name]: value for name, value in turn.items() if name in names}
        else:
            entry["predict_turn"] = {"response": turn.get("response")}
