"""tau-bench: result files, task lists with golden actions and tool schemas, in any combination.

tau-bench gives a run one reward: 1 where the database ends as the golden actions leave it and every required string was
said. The golden made here says the same turn by turn. Only calls that change the database are required; look-ups are
optional; all calls stand in one order-free group; a change that no golden action makes fails the test; required
strings, the success of each required call and the end of the conversation are outcomes. ``docs/tau-bench.md`` says why,
and in which runs verdict and reward differ.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.aem.language import kept
from evaluation.formats import jsonio
from evaluation.formats.model import ParsedFile, SourceFile
from evaluation.formats.reading import Document, Fault, Reading, child, read_documents
from evaluation.formats.records import Collector

FORMAT = "tau-bench"

#: What each published tool does to the database: these calls change it, all others leave it alone.
WRITES: Mapping[str, frozenset[str]] = {
    "airline": frozenset(
        {
            "book_reservation",
            "cancel_reservation",
            "send_certificate",
            "update_reservation_baggages",
            "update_reservation_flights",
            "update_reservation_passengers",
        }
    ),
    "retail": frozenset(
        {
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        }
    ),
}
READS: Mapping[str, frozenset[str]] = {
    "airline": frozenset(
        {
            "get_reservation_details",
            "get_user_details",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
        }
    ),
    "retail": frozenset(
        {
            "find_user_id_by_email",
            "find_user_id_by_name_zip",
            "get_order_details",
            "get_product_details",
            "get_user_details",
            "list_all_product_types",
        }
    ),
}
#: Tools of every domain without effect on the database; a transfer ends the conversation and changes nothing.
TRANSFER = "transfer_to_human_agents"
COMMON = frozenset({"calculate", "think", TRANSFER})
#: What the simulated user says to end a conversation.
STOP = "###STOP###"
_READING_NAMES = re.compile(
    r"(?:get|find|list|search|look_?up|read|check|query|show|fetch|calculate|think|transfer)(?:_|$)"
)

# Problems are kept in reports, in English; pages show them through `formats.words.told`.
_NEITHER = kept("neither a result (task_id, traj) nor a task (instruction, actions) nor a tool (function)")
_TASK_ID = kept("must be a whole number or a text")
_NO_TASK = kept("the task is missing, so that there is nothing to compare with")
_ACTIONS = kept("must be a list of golden actions")
_ACTION = kept("must be an object with a name")
_KWARGS = kept("must be an object")
_OUTPUTS = kept("must be a list of texts")
_UNKNOWN_ROLE = kept("a message with the unknown role {role} is kept beside the turns")
_NAMELESS_CALL = kept("a tool call without a name")
_RESULT_ALONE = kept("a tool result without a call is kept beside the turns")
_TRIAL_TWICE = kept("trial {trial} of {run} stands there twice with different runs; this one becomes trial {free}")
_OTHER_TOOL = kept("not a tool of tau-bench, effect read off its name: {names}")

#: Lists whose order tau-bench throws away: the retail tools sort them, or treat them item by item.
UNORDERED = frozenset({"item_ids", "new_item_ids"})

GROUP = "calls"
NO_CALL = "No change is expected."

EXAMPLE = """\
[{"task_id": 7, "trial": 0, "reward": 1.0,
  "info": {"task": {"user_id": "ana_silva_1", "instruction": "You want to cancel order #W1.",
                    "actions": [{"name": "cancel_pending_order",
                                 "kwargs": {"order_id": "#W1", "reason": "no longer needed"}}],
                    "outputs": ["12.50"]}},
  "traj": [{"role": "system", "content": "You help customers."},
           {"role": "user", "content": "Please cancel order #W1, I no longer need it."},
           {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
             "function": {"name": "cancel_pending_order",
                          "arguments": "{\\"order_id\\": \\"#W1\\", \\"reason\\": \\"no longer needed\\"}"}}]},
           {"role": "tool", "tool_call_id": "call_1", "name": "cancel_pending_order",
            "content": "{\\"status\\": \\"cancelled\\"}"},
           {"role": "assistant", "content": "It is cancelled; 12.50 will be refunded."},
           {"role": "user", "content": "###STOP###"}]}]
"""


# --- what a file holds ----------------------------------------------------------------------------------------------


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("traj"), list) and "task_id" in value


def _is_task(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "traj" not in value
        and "instruction" in value
        and isinstance(value.get("actions"), list)
    )


def _is_tool(value: Any) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def detect(documents: Sequence[Any]) -> str | None:
    """Why these values look like tau-bench files, or None."""
    for value in documents:
        for element in value if isinstance(value, list) else [value]:
            if _is_result(element):
                return "an element has task_id and traj, as tau-bench results do"
            if _is_task(element):
                return "an element has instruction and actions, as tau-bench tasks do"
            if _is_tool(element):
                return "an element is a function schema, as in tau-bench tool lists"
    return None


@dataclass(frozen=True, slots=True)
class _Item:
    """One element of a file, with what its file says about it."""

    document: Document
    source: SourceFile
    file: str | None


@dataclass(slots=True)
class _Contents:
    results: list[_Item] = field(default_factory=list)
    tasks: list[_Item] = field(default_factory=list)
    tools: list[_Item] = field(default_factory=list)


def _elements(reading: Reading) -> Iterator[Document]:
    for document in reading.documents:
        if isinstance(document.value, list):
            yield from document.items
        else:
            yield document


def read(files: Sequence[SourceFile], *, encoding: str | None = None) -> ParsedFile:
    """Read any combination of tau-bench files as one import; results carry their task and are complete alone."""
    collector = Collector(FORMAT)
    contents = _Contents()
    for source in files:
        name = source.name if len(files) > 1 else None
        reading = read_documents(source.data, encoding=encoding, file=name)
        collector.count(reading.counts)
        collector.problems += reading.problems
        for document in _elements(reading):
            _sort_in(collector, contents, _Item(document, source, name))
    importer = _Importer(collector, _schemas(collector, contents.tools), _file_domains(contents))
    repeating = _files_whose_trial_is_the_task_id(contents.results)
    for item in contents.results:
        importer.result(item, repeats_task_id=item.source.name in repeating)
    for item in contents.tasks:
        importer.task(item)
    importer.finish()
    collector.problems.sort(key=lambda problem: (problem.file or "", problem.line or 0, problem.record or 0))
    return collector.finish()


def _sort_in(collector: Collector, contents: _Contents, item: _Item) -> None:
    document = item.document
    collector.report(document, document.faults, file=item.file)
    if document.has_errors:
        return
    if _is_result(document.value):
        contents.results.append(item)
    elif _is_task(document.value):
        contents.tasks.append(item)
    elif _is_tool(document.value):
        contents.tools.append(item)
    else:
        collector.report(document, [Fault(_NEITHER)], file=item.file)


def _schemas(collector: Collector, items: Iterable[_Item]) -> dict[str, dict[str, Any]]:
    """Tool schemas by domain and name; a file of schemas belongs to the domain that its names speak for."""
    by_file: dict[str, list[_Item]] = {}
    for item in items:
        by_file.setdefault(item.source.name, []).append(item)
    schemas: dict[str, dict[str, Any]] = {}
    for found in by_file.values():
        names = [item.document.value["function"]["name"] for item in found]
        domain = domain_of(names, found[0].source.stem)
        for name, item in zip(names, found, strict=True):
            function = item.document.value["function"]
            schema = function.get("parameters")
            entry: dict[str, Any] = {"effect": effect_of(name, domain)[0]}
            if isinstance(function.get("description"), str):
                entry["description"] = function["description"]
            if isinstance(schema, dict):
                entry["schema"] = schema
            schemas.setdefault(domain, {})[name] = entry
            collector.read += 1
    return schemas


def _file_domains(contents: _Contents) -> dict[str, str]:
    """The domain of each file, by the golden actions of all its tasks, else by its name."""
    names: dict[str, list[str]] = {}
    stems: dict[str, str] = {}
    for item in [*contents.results, *contents.tasks]:
        value = item.document.value
        info = value.get("info")
        task = value if "actions" in value else info.get("task") if isinstance(info, dict) else None
        actions = task.get("actions") if isinstance(task, dict) else None
        found = names.setdefault(item.source.name, [])
        found += [action["name"] for action in actions or [] if _is_action(action)]
        stems[item.source.name] = item.source.stem
    return {name: domain_of(found, stems[name]) for name, found in names.items()}


def _is_action(action: Any) -> bool:
    return isinstance(action, dict) and isinstance(action.get("name"), str)


def _files_whose_trial_is_the_task_id(items: Iterable[_Item]) -> set[str]:
    """The files in which ``trial`` is no trial number but repeats the task id."""
    by_file: dict[str, list[tuple[Any, Any]]] = {}
    for item in items:
        value = item.document.value
        by_file.setdefault(item.source.name, []).append((value["task_id"], value.get("trial")))
    return {name for name, pairs in by_file.items() if all(task == trial for task, trial in pairs)}


# --- tools ----------------------------------------------------------------------------------------------------------


def domain_of(names: Iterable[str], text: str = "") -> str:
    """The domain that tool names belong to, else the one that a text (a file's name) names, else none.

    >>> domain_of(["get_user_details", "cancel_reservation"])
    'airline'
    """
    used = set(names)
    scores = {domain: len(used & (WRITES[domain] | READS[domain])) for domain in WRITES}
    best = max(scores, key=lambda domain: scores[domain])
    if list(scores.values()).count(scores[best]) == 1:
        return best
    return next((domain for domain in WRITES if domain in text.lower()), "")


def effect_of(name: str, domain: str) -> tuple[str, bool]:
    """Whether a tool reads or writes, and whether that is known; the effect of other tools is read off their name."""
    if name in COMMON or name in READS.get(domain, frozenset()):
        return "read", True
    if name in WRITES.get(domain, frozenset()):
        return "write", True
    return ("read" if _READING_NAMES.match(name) else "write"), False


def tools_of(domain: str, used: Iterable[str], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Every tool of the domain with its effect, so that a surplus call is known to change something or not."""
    names = WRITES.get(domain, frozenset()) | READS.get(domain, frozenset())
    names |= COMMON if names else frozenset()
    return {
        name: schemas.get(name, {"effect": effect_of(name, domain)[0]}) for name in sorted({*names, *used, *schemas})
    }


# --- goldens --------------------------------------------------------------------------------------------------------


def golden_of(task: Mapping[str, Any], domain: str) -> dict[str, Any]:
    """The golden that says what tau-bench's reward says, see the module's head."""
    calls = [action for action in task["actions"] if action["name"] != "respond"]
    turns = [_golden_turn(number, action, domain) for number, action in enumerate(calls, 1)]
    if not turns:
        # A path needs a turn. This one is never asked for: such a test passes if and only if nothing was changed.
        turns.append({"id": "g1", "response": NO_CALL, "optional": True})
    said = [
        {"id": f"said{number}", "kind": "said", "contains": [text]}
        for number, text in enumerate(task.get("outputs") or [], 1)
    ]
    ended = {"id": "ended", "kind": "state", "path": "$.ended", "value": True}
    return {"paths": [{"id": "main", "turns": turns}], "outcome": [*said, *_done(turns), ended]}


def _golden_turn(number: int, action: Mapping[str, Any], domain: str) -> dict[str, Any]:
    is_write = effect_of(action["name"], domain)[0] == "write"
    kwargs = action.get("kwargs") or {}
    turn: dict[str, Any] = {
        "id": f"g{number}",
        "tool": action["name"],
        "params": {name: _param(name, value, is_write=is_write) for name, value in kwargs.items()},
        "group": GROUP,
    }
    if not is_write:
        turn["optional"] = True
    return turn


def _param(name: str, value: Any, *, is_write: bool) -> dict[str, Any]:
    """What is written is compared to the letter, as tau-bench compares databases by their hash."""
    if isinstance(value, list) and name in UNORDERED:
        return {"value": value, "compare": "set"}
    return {"value": value, "compare": "literal"} if is_write else {"value": value}


def _done(turns: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One outcome for each different write: it was called and did not fail.

    A turn passes when the right call was made, even if the tool refused it; the database changes only when it did not.
    """
    writes: dict[str, list[dict[str, Any]]] = {}
    for turn in turns:
        if "tool" in turn and not turn.get("optional"):
            writes.setdefault(jsonio.canonical([turn["tool"], turn["params"]]), []).append(turn)
    for same in writes.values():
        first = same[0]
        outcome = {"id": f"done-{first['id']}", "kind": "called", "tool": first["tool"], "params": first["params"]}
        yield {**outcome, "times": len(same)} if len(same) > 1 else outcome


def _id_faults(value: Mapping[str, Any]) -> list[Fault]:
    task_id = value.get("task_id", 0)
    if isinstance(task_id, bool) or not isinstance(task_id, int | str) or task_id == "":
        return [Fault(_TASK_ID, "task_id")]
    return []


def _task_faults(task: Any, path: str) -> list[Fault]:
    if not isinstance(task, dict):
        return [Fault(_NO_TASK, path)]
    actions = task.get("actions")
    if not isinstance(actions, list):
        return [Fault(_ACTIONS, child(path, "actions"))]
    faults = []
    for index, action in enumerate(actions):
        place = f"{child(path, 'actions')}[{index}]"
        if not _is_action(action):
            faults.append(Fault(_ACTION, place))
        elif not isinstance(action.get("kwargs") or {}, dict):
            faults.append(Fault(_KWARGS, f"{place}.kwargs"))
    outputs = task.get("outputs") or []
    if not isinstance(outputs, list) or not all(isinstance(text, str) for text in outputs):
        faults.append(Fault(_OUTPUTS, child(path, "outputs")))
    return faults


# --- trajectories ---------------------------------------------------------------------------------------------------


def text_of(content: Any) -> str:
    """The text of a message: as it stands, or the text parts of a list one after another."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return "\n".join(texts)
    return jsonio.dumps(content)


def _structured(text: Any) -> Any:
    """JSON text of an object or a list as that value; anything else as it came."""
    if isinstance(text, str) and text[:1] in {"{", "["}:
        try:
            decoded = jsonio.decode_at(text)
        except jsonio.JsonError:
            return text
        return decoded.value if decoded.end == len(text) and not decoded.has_repeated_keys else text
    return text


class _Transcript:
    """Turns made of chat messages: each call beside its result, text in the order in which it was written."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []
        self.system: list[str] = []
        self.faults: list[Fault] = []
        self.others: list[Any] = []
        self._open: list[dict[str, Any]] = []

    def add(self, message: Any, path: str) -> None:
        """Take one message."""
        role = message.get("role") if isinstance(message, dict) else None
        if role in ("system", "developer"):
            self.system.append(text_of(message.get("content")))
        elif role == "user":
            self.turns.append({"user": text_of(message.get("content"))})
        elif role == "assistant":
            self._assistant(message, path)
        elif role in ("tool", "function"):
            self._result(message, path)
        else:
            self.faults.append(Fault(_UNKNOWN_ROLE.format(role=repr(role)), path, "warning"))
            self.others.append(message)

    def has_ended(self) -> bool:
        """Whether the user stopped the run or was transferred; a run that was cut off gets no reward."""
        last = next((turn for turn in reversed(self.turns) if "response" not in turn), None)
        return last is not None and (STOP in last.get("user", "") or last.get("tool") == TRANSFER)

    def _assistant(self, message: dict[str, Any], path: str) -> None:
        text = text_of(message.get("content"))
        calls = message.get("tool_calls") or []
        if isinstance(message.get("function_call"), dict):
            calls = [*calls, {"function": message["function_call"]}]
        # Text that accompanies a call is kept in its place.
        if text or not calls:
            self.turns.append({"response": text, "accompanies_call": True} if calls else {"response": text})
        for index, call in enumerate(calls):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                self.faults.append(Fault(_NAMELESS_CALL, f"{path}.tool_calls[{index}]"))
                continue
            turn: dict[str, Any] = {"tool": function["name"], "args": _structured(function.get("arguments"))}
            if call.get("id") is not None:
                turn["call_id"] = call["id"]
            self.turns.append(turn)
            self._open.append(turn)

    def _result(self, message: dict[str, Any], path: str) -> None:
        turn = self._answered(message)
        if turn is None:
            self.faults.append(Fault(_RESULT_ALONE, path, "warning"))
            self.others.append(message)
            return
        self._open.remove(turn)
        content = message.get("content")
        text = content if isinstance(content, str) or content is None else text_of(content)
        turn["result"] = _structured(text)
        # tau-bench's own convention: such a call changed nothing.
        if isinstance(text, str) and text.startswith("Error"):
            turn["error"] = True

    def _answered(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The call that a result belongs to: by its id, else the first unanswered one of its name, else the first."""
        call_id, name = message.get("tool_call_id"), message.get("name")
        same_id = [turn for turn in self._open if call_id is not None and turn.get("call_id") == call_id]
        unnamed = [turn for turn in self._open if call_id is None or "call_id" not in turn]
        same_name = [turn for turn in unnamed if name is not None and turn["tool"] == name]
        return next(iter([*same_id, *same_name, *(unnamed if name is None else [])]), None)


# --- one element ----------------------------------------------------------------------------------------------------


class _Importer:
    """Makes an aem/1 record of each result and task."""

    def __init__(
        self, collector: Collector, schemas: Mapping[str, Mapping[str, Any]], domains: Mapping[str, str]
    ) -> None:
        self.collector = collector
        self.schemas = schemas
        self.domains = domains
        self._trials: dict[str, set[Any]] = {}
        self._made: list[tuple[_Item, dict[str, Any], str]] = []
        self._names: dict[str, set[str]] = {}

    def task(self, item: _Item) -> None:
        """Take a task of a task list."""
        task = item.document.value
        faults = [*_id_faults(task), *_task_faults(task, "")]
        self._report(item, faults)
        if faults or self.collector.is_repeated(item.document, task, file=item.file):
            return
        domain = self._domain(item, _named(task["actions"]))
        key = _key(item, domain, task.get("task_id", item.document.number - 1))
        self._made.append((item, self._record(item, key, domain, task, []), domain))

    def result(self, item: _Item, *, repeats_task_id: bool) -> None:
        """Take a run with the task that it carries."""
        value = item.document.value
        info = value["info"] if isinstance(value.get("info"), dict) else {}
        faults = [*_id_faults(value), *_task_faults(info.get("task"), "info.task")]
        transcript = _Transcript()
        for index, message in enumerate(value["traj"]):
            transcript.add(message, f"traj[{index}]")
        self._report(item, [*transcript.faults, *faults])
        if any(fault.severity == "error" for fault in [*transcript.faults, *faults]):
            return
        task: dict[str, Any] = info["task"]
        used = [turn["tool"] for turn in transcript.turns if "tool" in turn]
        domain = self._domain(item, [*_named(task["actions"]), *used], "".join(transcript.system))
        agent = agent_of(item.source.stem, domain)
        if self.collector.is_repeated(item.document, [agent, value], file=item.file):
            return
        key = _key(item, domain, value["task_id"])
        record = self._record(item, key, domain, task, used)
        if transcript.system:
            record["conversation_meta"]["system_prompt"] = "\n\n".join(transcript.system)
        trial = self._free_trial(item, f"{key}/{agent}", 0 if repeats_task_id else value.get("trial"))
        record["trajectory"] = _trajectory(value, info, transcript, agent, trial)
        record["id"] = "/".join([key, agent, *([f"trial-{trial}"] if trial is not None else [])])
        self._made.append((item, record, domain))

    def finish(self) -> None:
        """Add the records, now that the tools of each domain are known: the runs of a conversation share one list."""
        for item, record, domain in self._made:
            record["tools"] = tools_of(domain, self._names.get(domain, ()), self.schemas.get(domain, {}))
            self.collector.add(item.document, record, default_key=record["id"], file=item.file)

    def _domain(self, item: _Item, names: list[str], system: str = "") -> str:
        """By the tools in use; a task without any by the rest of its file, or by the heading of the agent's policy."""
        heading = system.strip().split("\n", 1)[0]
        return domain_of(names) or self.domains[item.source.name] or domain_of((), heading)

    def _free_trial(self, item: _Item, run: str, trial: Any) -> Any:
        """The trial number, or the next free one where another run of the same file has it."""
        taken = self._trials.setdefault(run, set())
        free = None if isinstance(trial, list | dict) else trial
        if free in taken:
            free = max((number for number in taken if isinstance(number, int)), default=0) + 1
            reason = _TRIAL_TWICE.format(trial=trial, run=run, free=free)
            self._report(item, [Fault(reason, "trial", "warning")])
        taken.add(free)
        return free

    def _record(self, item: _Item, key: str, domain: str, task: dict[str, Any], used: list[str]) -> dict[str, Any]:
        # In a known domain, a further tool that an agent calls is one that it made up, and has no effect.
        names = [*_named(task["actions"]), *([] if domain else used)]
        self._names.setdefault(domain, set()).update(names)
        unknown = sorted({name for name in names if not effect_of(name, domain)[1]})
        if unknown:
            said = ", ".join(f"{name} ({effect_of(name, domain)[0]})" for name in unknown)
            self._report(item, [Fault(_OTHER_TOOL.format(names=said), None, "warning")])
        meta: dict[str, Any] = {"title": _title(domain, key), "language": "en"}
        if domain:
            meta["domain"] = domain
        if isinstance(task.get("instruction"), str):
            meta["user_goal"] = task["instruction"]
        for name in ("user_id", "annotator"):
            if task.get(name):
                meta[name] = task[name]
        return {
            "format": "aem/1",
            "id": key,
            "conversation": key,
            "conversation_meta": meta,
            "golden": golden_of(task, domain),
            "policy": {"extra_writes": "fail"},
        }

    def _report(self, item: _Item, faults: Iterable[Fault]) -> None:
        self.collector.report(item.document, faults, file=item.file)


def _key(item: _Item, domain: str, task_id: Any) -> str:
    """A task's key; the numbers of the development and training tasks begin at 0 again."""
    split = re.search(r"(?:^|[_-])(dev|train)(?:[_-]|$)", item.source.stem.lower())
    return "-".join([domain or "task", *([split.group(1)] if split else []), str(task_id)])


def _trajectory(
    value: dict[str, Any], info: dict[str, Any], transcript: _Transcript, agent: str, trial: Any
) -> dict[str, Any]:
    """The run with its reward and everything else that its source says about it."""
    trajectory: dict[str, Any] = {"agent": agent}
    if trial is not None:
        trajectory["trial"] = trial
    if value.get("reward") is not None:
        trajectory["reward"] = value["reward"]
    rest = {name: part for name, part in info.items() if name != "task"}
    if rest:
        trajectory["info"] = rest
    for name, part in value.items():
        if name not in {"task_id", "trial", "reward", "info", "traj"} and part not in (None, [], {}):
            trajectory[name] = part
    if value.get("trial") != trial:
        trajectory["source_trial"] = value.get("trial")
    if transcript.others:
        trajectory["other_messages"] = transcript.others
    return {**trajectory, "final_state": {"ended": transcript.has_ended()}, "turns": transcript.turns}


def _named(actions: Iterable[Mapping[str, Any]]) -> list[str]:
    return [action["name"] for action in actions if action["name"] != "respond"]


def _title(domain: str, key: str) -> str:
    return f"{(domain or 'tau-bench').capitalize()} task {key.partition('-')[2]}"


def agent_of(stem: str, domain: str) -> str:
    """The agent that a result file is named after, without the domain.

    >>> agent_of("gpt-4o-airline", "airline")
    'gpt-4o'
    """
    words = [word for word in re.split(r"(?<=[-_ ])|(?=[-_ ])", stem) if word]
    kept = "".join(word for word in words if word.lower() != domain) if domain else stem
    return re.sub(r"[-_ ]{2,}", "-", kept).strip("-_ ") or stem
