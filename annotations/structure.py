"""How the turns of one path hang together: what builds on what, what may come in any order, and why something may not.

Pure. What is refused here the engine would refuse too, but in words that name both turns as people know them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotations.sentences import either, path_words
from evaluation.aem.language import mark, say, say_n
from evaluation.formats import jsonio

#: What the three kinds of dependency mean, in plain words.
KINDS = {
    "state": (
        mark("works on what it did"),
        mark("It changes or reads something that the earlier call has brought about."),
    ),
    "data": (mark("uses its result"), mark("A value that the earlier turn returned stands in one of its fields.")),
    "control": (
        mark("happens because of it"),
        mark("Whether it happens at all, or which tool is called, hangs on the earlier turn."),
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
            return say("works on what {turn} did", turn=source)
        if self.kind == "control":
            return say("happens because of {turn}", turn=source)
        if self.field:
            return say("uses the result of {turn}: {field}", turn=source, field=self.field)
        return say("uses the result of {turn}", turn=source)


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
        return say("claim {name}", name=number + 1)
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
        return say("turn {number}", number=step.turn_no)
    return say("what the user says") if _is_user(step) else say("the new turn")


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
    me = _begin(name_of(step))
    if edge.source == step.key:
        return say("{turn} cannot build on itself.", turn=me)
    if edge.source not in places:
        return say("{turn} names a turn that is not in this path: “{key}”.", turn=me, key=edge.source[:60])
    other = steps[places[edge.source]]
    if _is_user(other):
        return say("{turn} cannot build on what the user says: only calls and replies give a result.", turn=me)
    if places[edge.source] > at:
        names = {"turn": me, "other": name_of(other)}
        through = _way_back(steps, other, step.key, places)
        if through is None:
            return say("{turn} cannot build on {other}: {other} comes later.", **names)
        names["again"] = name_of(step)
        if not through:
            return say(
                "{turn} cannot build on {other}: {other} builds on {again} already, so that each would wait for the "
                "other.",
                **names,
            )
        return say(
            "{turn} cannot build on {other}: {other} builds on {again} already (through {between}), so that each would "
            "wait for the other.",
            **names,
            between=either([name_of(one) for one in through], "and"),
        )
    return _group_refusal(steps, at, edge, places, runs)


def _group_refusal(
    steps: Sequence[Step], at: int, edge: Edge, places: Mapping[str, int], runs: Mapping[str, Run]
) -> str:
    run = runs.get(steps[at].key)
    if run is None or edge.source not in run.keys:
        return ""
    me, them = name_of(steps[at]), name_of(steps[places[edge.source]])
    return say(
        "{turn} {does}, so that the two cannot come in any order (group {group}).",
        turn=_begin(me),
        does=edge.words(them),
        group=run.name,
    )


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
                return say(
                    "{turn} must stay behind {other}: it {does}.", turn=_begin(mine), other=them, does=edge.words(them)
                )
    return ""


def _begin(words: str) -> str:
    return words[:1].upper() + words[1:]


def numbers_of(steps: Iterable[Step]) -> str:
    """Turns by their numbers, neighbours as a span: "turns 2 to 4", "turn 3", "turns 2, 3 and 7"."""
    numbers = sorted(step.turn_no for step in steps if step.turn_no is not None)
    if len(numbers) == 1:
        return say("turn {number}", number=numbers[0])
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return say("turns {first} to {last}", first=numbers[0], last=numbers[-1])
    return say("turns {numbers}", numbers=either([str(number) for number in numbers], "and"))


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
        return say("What the user says stays where it is. Choose calls and replies.")
    if len(chosen) < 2:
        return say("Choose two turns or more: one alone has no order that could be free.")
    keys = {step.key for step in chosen}
    places = [n for n, step in enumerate(steps) if step.key in keys]
    between = [step for step in steps[places[0] : places[-1]] if step.key not in keys]
    ends = {"first": name_of(chosen[0]), "last": name_of(chosen[-1])}
    if any(_is_user(step) for step in between):
        return say(
            "The user speaks between {first} and {last}. Only neighbours with no user turn between them can come in "
            "any order.",
            **ends,
        )
    if between:
        return say_n(
            "{turns} stands between {first} and {last}. Only neighbours can come in any order: choose or move it too.",
            "{turns} stand between {first} and {last}. Only neighbours can come in any order: choose or move them too.",
            len(between),
            turns=_begin(numbers_of(between)),
            **ends,
        )
    for step in chosen:
        for edge in edges_of(step.body):
            if edge.source in keys:
                them = next(name_of(other) for other in chosen if other.key == edge.source)
                return say(
                    "{turn} {does}. So it must come after {other}, and their order is not free.",
                    turn=_begin(name_of(step)),
                    does=edge.words(them),
                    other=them,
                )
    return ""


def runs_problem(before: Sequence[Step], after: Sequence[Step]) -> str:
    """Whether a change of order pulls a group apart, or makes one of two: then why it is refused, else empty."""
    there = {step.key: step for step in after}
    now = {key: set(run.keys) for run in runs_of(after) for key in run.keys}
    for run in runs_of(before):
        keys = {key for key in run.keys if key in there}
        members = [step for step in before if step.key in keys]
        if len(keys) > 1 and any(now.get(key, set()) & keys != keys for key in keys):
            return say(
                "{turns} may come in any order, and would no longer be neighbours. Let their order count again first.",
                turns=_begin(numbers_of(members)),
            )
        mixed = [step for step in before if step.key in set().union(*(now.get(key, set()) for key in keys)) - keys]
        if keys and mixed:
            return say(
                "{turns} and {others} have groups of the same name “{group}”, and would become one. Give one of them "
                "another name first.",
                turns=_begin(numbers_of(members)),
                others=numbers_of(mixed),
                group=run.name,
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
