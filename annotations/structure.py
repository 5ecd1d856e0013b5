"""How the turns of one path hang together: what builds on what, what may come in any order, and why something may not.

Pure. What is refused here the engine would refuse too, but in words that name both turns as people know them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotations.sentences import path_words
from evaluation.formats import jsonio

#: What the three kinds of dependency mean, in plain words.
KINDS = {
    "state": ("works on what it did", "It changes or reads something that the earlier call has brought about."),
    "data": ("uses its result", "A value that the earlier turn returned stands in one of its fields."),
    "control": (
        "happens because of it",
        "Whether it happens at all, or which tool is called, hangs on the earlier turn.",
    ),
}


class Step(Protocol):
    """A turn in its place: what a row of the workbench is, and what a test makes in one line."""

    @property
    def key(self) -> str: ...
    @property
    def turn_no(self) -> int | None: ...
    @property
    def body(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A turn as it is to be, before it is stored."""

    key: str
    turn_no: int | None
    body: Any


@dataclass(frozen=True, slots=True)
class Edge:
    """One thing that builds on an earlier turn.

    ``field`` is what uses it (a parameter, a claim; empty for the step as a whole), ``place`` where that is written,
    ``result`` the path in the earlier turn's result where one is named.
    """

    source: str
    kind: str
    field: str
    place: str
    result: str = ""

    def words(self, source: str) -> str:
        """What it does with the turn that ``source`` names: "uses the result of turn 2: report_id"."""
        if self.kind == "state":
            return f"works on what {source} did"
        if self.kind == "control":
            return f"happens because of {source}"
        return f"uses the result of {source}" + (f": {self.field}" if self.field else "")


def edges_of(body: Any) -> list[Edge]:
    """All that a turn says of where it comes from, as far as it can be read.

    >>> [(edge.source, edge.kind, edge.field) for edge in edges_of({"tool": "t", "depends_on": ["g1"], "params": {
    ...     "id": {"ref": {"turn": "g2", "path": "$.id"}}}})]
    [('g1', 'state', ''), ('g2', 'data', 'id')]
    """
    body = body if isinstance(body, Mapping) else {}
    found = []
    for number, edge in enumerate(_list(body.get("depends_on"))):
        detailed = edge if isinstance(edge, Mapping) else {"turn": edge}
        kind = str(detailed.get("kind", "state"))
        found.append(Edge(str(detailed.get("turn")), kind, "", f"depends_on[{number}]"))
    params = body.get("params")
    for name, param in params.items() if isinstance(params, Mapping) else ():
        if isinstance(param, Mapping):
            found += _edges_of_field(param, str(name), f"params{key_path(str(name))}")
    for number, claim in enumerate(_list(body.get("claims"))):
        if isinstance(claim, Mapping):
            found += _edges_of_field(claim, _claim_name(claim, number), f"claims[{number}]")
    return found


def _edges_of_field(part: Mapping[str, Any], name: str, place: str) -> Iterator[Edge]:
    ref = part.get("ref")
    if isinstance(ref, Mapping):
        yield Edge(str(ref.get("turn")), "data", name, f"{place}.ref", str(ref.get("path")))
    for number, key in enumerate(_list(part.get("from"))):
        yield Edge(str(key), "data", name, f"{place}.from[{number}]")


def _claim_name(claim: Mapping[str, Any], number: int) -> str:
    text = str(claim.get("text") or "")
    if not text:
        return f"claim {number + 1}"
    return f"“{text}”" if len(text) <= 40 else f"“{text[:39]}…”"


def key_path(name: str) -> str:
    """A key as the engine writes it in a path."""
    is_plain = bool(name) and not set(name) & set(".[]\"'")
    return f".{name}" if is_plain else f"[{jsonio.dumps(name)}]"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def name_of(step: Step) -> str:
    """A turn as people call it."""
    if step.turn_no is not None:
        return f"turn {step.turn_no}"
    return "what the user says" if _is_user(step) else "the new turn"


def _is_user(step: Step) -> bool:
    return isinstance(step.body, Mapping) and "user" in step.body


# --- what builds on what ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the turns cannot stand so: a sentence that names both, and the place in the turn that asks for it."""

    reason: str
    place: str
    key: str


def order_problem(steps: Sequence[Step], *, about: str | None = None) -> Problem | None:
    """The first dependency that cannot be: on a later turn, in a circle, on itself, within a group, on nothing.

    ``steps`` are all turns of a path in order. With ``about`` only what the turn with this id asks for is looked at,
    and what its group would forbid others: what is wrong elsewhere stops nobody's work.
    """
    places = {step.key: n for n, step in enumerate(steps) if step.key}
    runs = {key: run for run in runs_of(steps) if len(run.keys) > 1 for key in run.keys}
    for at, step in enumerate(steps):
        if _is_user(step):
            continue
        for edge in edges_of(step.body):
            if about in (None, step.key):
                reason = _refusal(steps, at, edge, places, runs)
            elif about == edge.source and places.get(about, at) < at:
                reason = _group_refusal(steps, at, edge, places, runs)
            else:
                continue
            if reason:
                return Problem(reason, edge.place, step.key)
    return None


def _refusal(steps: Sequence[Step], at: int, edge: Edge, places: Mapping[str, int], runs: Mapping[str, Run]) -> str:
    step = steps[at]
    me = name_of(step)
    if edge.source == step.key:
        return f"{_begin(me)} cannot build on itself."
    if edge.source not in places:
        return f"{_begin(me)} names a turn that is not in this path: “{edge.source[:60]}”."
    other = steps[places[edge.source]]
    them = name_of(other)
    if _is_user(other):
        return f"{_begin(me)} cannot build on what the user says: only calls and replies give a result."
    if places[edge.source] > at:
        through = _way_back(steps, other, step.key, places)
        if through is not None:
            via = f" (through {listed([name_of(one) for one in through])})" if through else ""
            return (
                f"{_begin(me)} cannot build on {them}: {them} builds on {me} already{via}, so that each would wait "
                "for the other."
            )
        return f"{_begin(me)} cannot build on {them}: {them} comes later."
    return _group_refusal(steps, at, edge, places, runs)


def _group_refusal(
    steps: Sequence[Step], at: int, edge: Edge, places: Mapping[str, int], runs: Mapping[str, Run]
) -> str:
    run = runs.get(steps[at].key)
    if run is None or edge.source not in run.keys:
        return ""
    me, them = name_of(steps[at]), name_of(steps[places[edge.source]])
    return f"{_begin(me)} {edge.words(them)}, so that the two cannot come in any order (group {run.name})."


def _way_back(steps: Sequence[Step], start: Step, goal: str, places: Mapping[str, int]) -> list[Step] | None:
    """The turns between two where ``start`` builds on ``goal``, at once or through them; None if it does not.

    Only what an earlier turn gave is followed: what points to a later turn is the fault that is looked for.
    """
    queue: list[tuple[Step, list[Step]]] = [(start, [])]
    seen = {start.key}
    for step, way in queue:  # grows while it is read: the shortest way comes first
        for edge in edges_of(step.body):
            if edge.source == goal:
                return way
            at = places.get(edge.source)
            if at is None or edge.source in seen or at >= places[step.key]:
                continue
            seen.add(edge.source)
            queue.append((steps[at], [*way, steps[at]]))
    return None


def moved_problem(steps: Sequence[Step], key: str) -> str:
    """Why a turn cannot stand where it was moved to; ``steps`` are in the new order with the numbers of the old one."""
    places = {step.key: n for n, step in enumerate(steps) if step.key}
    for at, step in enumerate(steps):
        for edge in edges_of(step.body):
            if key in (step.key, edge.source) and places.get(edge.source, -1) > at:
                mine, them = name_of(step), name_of(steps[places[edge.source]])
                return f"{_begin(mine)} must stay behind {them}: it {edge.words(them)}."
    return ""


def _begin(words: str) -> str:
    return words[:1].upper() + words[1:]


def listed(words: Sequence[str], link: str = "and") -> str:
    """
    >>> listed(["turn 2", "turn 3", "turn 5"])
    'turn 2, turn 3 and turn 5'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {link} {words[-1]}" if words else ""


def numbers_of(steps: Iterable[Step]) -> str:
    """Turns by their numbers, neighbours as a span: "turns 2 to 4", "turn 3", "turns 2, 3 and 7"."""
    numbers = sorted(step.turn_no for step in steps if step.turn_no is not None)
    if len(numbers) == 1:
        return f"turn {numbers[0]}"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"turns {numbers[0]} to {numbers[-1]}"
    return f"turns {listed([str(number) for number in numbers])}"


# --- what may come in any order ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbours that share a group: only they may come in any order. A run of one turn frees nothing."""

    name: str
    keys: tuple[str, ...]


def runs_of(steps: Iterable[Step]) -> list[Run]:
    """The groups of a path as the engine takes them: what stands apart, or behind a user turn, is another group."""
    found: list[Run] = []
    keys: list[str] = []
    name = None
    for step in steps:
        group = None if _is_user(step) or not isinstance(step.body, Mapping) else step.body.get("group")
        if group != name and keys:
            found.append(Run(str(name), tuple(keys)))
            keys = []
        name = group
        if group is not None:
            keys.append(step.key)
    if keys:
        found.append(Run(str(name), tuple(keys)))
    return found


def with_companions(steps: Sequence[Step], keys: Collection[str]) -> list[Step]:
    """These turns with all that shares a group with one of them, in order."""
    wanted = set(keys)
    for run in runs_of(steps):
        if wanted & set(run.keys):
            wanted |= set(run.keys)
    return [step for step in steps if step.key in wanted]


def group_problem(steps: Sequence[Step], chosen: Sequence[Step]) -> str:
    """Why these turns cannot come in any order; empty where they can."""
    if any(_is_user(step) for step in chosen):
        return "What the user says stays where it is. Choose calls and replies."
    if len(chosen) < 2:
        return "Choose two turns or more: one alone has no order that could be free."
    keys = {step.key for step in chosen}
    places = [n for n, step in enumerate(steps) if step.key in keys]
    between = [step for step in steps[places[0] : places[-1]] if step.key not in keys]
    ends = f"{name_of(chosen[0])} and {name_of(chosen[-1])}"
    if any(_is_user(step) for step in between):
        return f"The user speaks between {ends}. Only neighbours with no user turn between them can come in any order."
    if between:
        them = _begin(numbers_of(between))
        stand, which = ("stands", "it") if len(between) == 1 else ("stand", "them")
        return f"{them} {stand} between {ends}. Only neighbours can come in any order: choose or move {which} too."
    for step in chosen:
        for edge in edges_of(step.body):
            if edge.source in keys:
                them = next(name_of(other) for other in chosen if other.key == edge.source)
                words = edge.words(them)
                return f"{_begin(name_of(step))} {words}. So it must come after {them}, and their order is not free."
    return ""


def runs_problem(before: Sequence[Step], after: Sequence[Step]) -> str:
    """Whether a change of order pulls a group apart, or makes one of two: then why it is refused, else empty."""
    there = {step.key: step for step in after}
    now = {key: set(run.keys) for run in runs_of(after) for key in run.keys}
    for run in runs_of(before):
        keys = {key for key in run.keys if key in there}
        members = [step for step in before if step.key in keys]
        if len(keys) > 1 and any(now.get(key, set()) & keys != keys for key in keys):
            return (
                f"{_begin(numbers_of(members))} may come in any order, and would no longer be neighbours. "
                "Let their order count again first."
            )
        mixed = [step for step in before if step.key in set().union(*(now.get(key, set()) for key in keys)) - keys]
        if keys and mixed:
            return (
                f"{_begin(numbers_of(members))} and {numbers_of(mixed)} have groups of the same name “{run.name}”, and "
                "would become one. Give one of them another name first."
            )
    return ""


def free_group_name(names: Collection[str]) -> str:
    """A short name that no group has yet: A, B … Z, A2, B2 …"""
    number = 0
    while True:
        letter, again = chr(ord("A") + number % 26), number // 26
        name = letter if not again else f"{letter}{again + 1}"
        if name not in names:
            return name
        number += 1


# --- in words and as arcs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """All that one turn takes from one earlier turn in one way; ``fields`` are those that use it."""

    source: Step
    target: Step
    kind: str
    fields: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def words(self) -> str:
        """ "uses the result of turn 2: report_id, region"."""
        return Edge(self.source.key, self.kind, ", ".join(self.fields), "").words(name_of(self.source))

    @property
    def sentence(self) -> str:
        return f"{name_of(self.target)} {self.words}"


def links_of(steps: Sequence[Step]) -> list[Link]:
    """What builds on what in a path, by turn; what names no earlier turn is left out, since it cannot be drawn."""
    places = {step.key: n for n, step in enumerate(steps) if step.key}
    found = []
    for at, step in enumerate(steps):
        together: dict[tuple[str, str], list[Edge]] = {}
        for edge in edges_of(step.body):
            if places.get(edge.source, at) < at:
                together.setdefault((edge.source, edge.kind), []).append(edge)
        for (source, kind), edges in together.items():
            fields = tuple(dict.fromkeys(edge.field for edge in edges if edge.field))
            results = tuple(dict.fromkeys(path_words(edge.result) for edge in edges if edge.result))
            found.append(Link(steps[places[source]], step, kind, fields, results))
    return found


ROW = 28
WIDTH = 46
_NEAREST, _FARTHEST = 9, 38
#: Arcs of two kinds between the same turns lie beside each other.
_ASIDE = {"state": 4, "data": 0, "control": 2}


@dataclass(frozen=True, slots=True)
class Arc:
    """A link as it is drawn at the right of the list: from the earlier turn's row to that of the turn that uses it."""

    link: Link
    d: str
    head: str


def arcs_of(links: Iterable[Link], rows: Mapping[str, int]) -> list[Arc]:
    """``rows`` are the places of turns in the list, by id. Rows are ROW high; far links reach out farther."""
    found = []
    for link in links:
        start, end = (rows[step.key] * ROW + ROW // 2 for step in (link.source, link.target))
        span = rows[link.target.key] - rows[link.source.key]
        depth = min(_FARTHEST, _NEAREST + 4 * (span.bit_length() - 1) + 2 * (span > 2)) + _ASIDE.get(link.kind, 0)
        depth, first, last = depth * 4 // 3, start + 4, end - 4
        d = f"M2 {first}C{depth} {first} {depth} {last} 2 {last}"
        found.append(Arc(link, d, f"M7 {last - 3}l-5 3 5 3"))
    return found
