"""The small language in which the demo conversations are written.

A conversation is a *script*: the good run, step by step, each step carrying what the golden asks of it. Every other run
is the good run with hand-written *edits*: the changed call, what the tool answers to it, and what the agent then makes
of that answer. So a wrong value really travels through the transcript, and each variation says in one line what a
careful reader must find.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]

VERSIONS: Final = ("2.2", "2.3")
AGENT: Final = "frontdesk"

REASONS: Final = {
    "tool": "tool_mismatch",
    "action": "action_mismatch",
    "missing": "missing_parameters",
    "extra": "extra_parameters",
    "value": "inconsistent_parameter_values",
    "incomplete": "incomplete_response",
    "inconsistent": "inconsistent_response",
}
"""Short names of the published failure reasons, in order of rank."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the good run, with the golden turn that it answers."""

    id: str
    kind: Literal["user", "reply", "call"]
    texts: tuple[str, ...] = ()
    call: JsonObject = field(default_factory=dict)
    golden: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alt:
    """The call of the step, changed in some places."""

    args: JsonObject = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    changes: JsonObject = field(default_factory=dict)
    without_result: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Words of the user or the agent; several wordings are spread over the trials."""

    kind: Literal["user", "response"]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keep:
    """The step as it stands, between inserted ones."""


KEEP: Final = Keep()

Piece: TypeAlias = Alt | Words | Keep | JsonObject
Edit: TypeAlias = Piece | Sequence[Piece] | None


@dataclass(frozen=True, slots=True)
class Variation:
    """A way in which a run differs from the good one, and what a careful reader finds in it.

    ``expect`` maps step ids to a code: a short reason (``value``, ``missing+extra``) for a root cause, ``<find`` for a
    cascade of the root cause ``find``, ``<find*`` for one that is only tainted, ``~`` for a skipped optional step; a
    final ``?`` marks what people should look at. Steps that are not named pass.
    """

    edits: Mapping[str, Edit] = field(default_factory=dict)
    expect: Mapping[str, str] = field(default_factory=dict)
    unexpected: tuple[str, ...] = ()
    path: str = "main"
    user_fault: tuple[str, ...] = ()
    final_state: Json = None
    why: str = ""


GOOD: Final = Variation()


@dataclass(frozen=True, slots=True)
class Script:
    """One conversation with everything that the demo shows of it."""

    key: str
    title: str
    domain: str
    user_goal: str
    steps: tuple[Step, ...]
    variations: Mapping[str, Variation]
    runs: Mapping[str, tuple[str, str, str]]
    annotated: bool = True
    alternatives: Mapping[str, Mapping[str, JsonObject]] = field(default_factory=dict)
    forbidden: tuple[JsonObject, ...] = ()
    outcome: tuple[JsonObject, ...] = ()
    policy: JsonObject = field(default_factory=dict)
    final_state: Json = None

    def golden(self) -> JsonObject | None:
        """The golden of aem/1, or None where nobody has annotated yet."""
        if not self.annotated:
            return None
        paths = [{"id": "main", "turns": [dict(step.golden) for step in self.steps]}]
        for name, overrides in self.alternatives.items():
            turns = [{**step.golden, **overrides.get(step.id, {})} for step in self.steps]
            paths.append({"id": name, "turns": turns})
        return {"paths": paths, "forbidden": list(self.forbidden), "outcome": list(self.outcome)}

    def variation(self, version: str, trial: int) -> Variation:
        """What happened in one trial (from 1) of one version."""
        name = self.runs[version][trial - 1]
        return GOOD if name == "good" else self.variations[name]

    def trajectory_key(self, version: str, trial: int) -> str:
        """The name of a recorded run, such as ``ins-01-v2.2-t1``."""
        return f"{self.key}-v{version}-t{trial}"

    def turns(self, version: str, trial: int) -> list[JsonObject]:
        """The transcript of one trial (from 1) of one version."""
        variation = self.variation(version, trial)
        unknown = variation.edits.keys() - {step.id for step in self.steps}
        if unknown:
            raise ValueError(f"{self.key}: edits of unknown steps {sorted(unknown)}")
        wording = VERSIONS.index(version) * 3 + trial - 1
        turns: list[JsonObject] = []
        for step in self.steps:
            edit = variation.edits.get(step.id, KEEP)
            pieces: Sequence[Piece] = () if edit is None else edit if isinstance(edit, list | tuple) else [edit]  # type: ignore[list-item]
            turns.extend(_turn(step, piece, wording) for piece in pieces)
        return turns


def _turn(step: Step, piece: Piece, wording: int) -> JsonObject:
    if isinstance(piece, Words):
        return {piece.kind: piece.texts[wording % len(piece.texts)]}
    if isinstance(piece, Keep):
        if step.kind == "call":
            return dict(step.call)
        return {"user" if step.kind == "user" else "response": step.texts[wording % len(step.texts)]}
    if isinstance(piece, Alt):
        args = {key: value for key, value in {**step.call["args"], **piece.args}.items() if key not in piece.drop}
        turn = {**step.call, "args": args, **piece.changes}
        if piece.without_result:
            turn.pop("result", None)
        return turn
    return dict(piece)


# steps


def user(step_id: str, *texts: str) -> Step:
    """What the user says."""
    return Step(step_id, "user", texts, golden={"id": step_id, "user": texts[0]})


def reply(step_id: str, *texts: str, claims: Sequence[JsonObject] = (), **golden: Json) -> Step:
    """A reply; the first wording is the golden one, and the claims say what every wording must hold."""
    turn: JsonObject = {"id": step_id, "response": texts[0], **golden}
    if claims:
        turn["claims"] = list(claims)
    return Step(step_id, "reply", texts, golden=_depends(turn))


def call(
    step_id: str,
    tool: str,
    args: JsonObject,
    result: Json,
    *,
    action: str | None = None,
    params: Mapping[str, JsonObject] | None = None,
    also: Mapping[str, JsonObject] | None = None,
    **golden: Json,
) -> Step:
    """A call. Arguments are expected as they are unless ``params`` says otherwise; ``also`` adds keys not sent."""
    observed: JsonObject = {"tool": tool, "args": args, "result": result}
    turn: JsonObject = {"id": step_id, "tool": tool}
    if action is not None:
        observed = {"tool": tool, "action": action, "args": args, "result": result}
        turn["action"] = action
    expected: JsonObject = {}
    for key, value in args.items():
        said = dict((params or {}).get(key, {}))
        by_value = not {"value", "values", "ref"} & said.keys() and said.get("compare") != "any"
        expected[key] = {"value": value, **said} if by_value else said
    turn["params"] = {**expected, **(also or {})}
    turn.update(golden)
    return Step(step_id, "call", call=observed, golden=_depends(turn))


def _depends(turn: JsonObject) -> JsonObject:
    """``needs`` (turn ids, or pairs of id and kind) under the name that the format gives it."""
    if "needs" in turn:
        needs = turn.pop("needs")
        turn["depends_on"] = [n if isinstance(n, str) else {"turn": n[0], "kind": n[1]} for n in needs]
    return turn


# what a golden says of a parameter or a reply


def src(*turns: str, **more: Json) -> JsonObject:
    """The value as it is in the good run, coming from these turns."""
    return {"from": list(turns), **more}


def ref(turn: str, path: str) -> JsonObject:
    """Whatever the named turn really returned at the path."""
    return {"ref": {"turn": turn, "path": path}}


def oneof(*values: Json, **more: Json) -> JsonObject:
    """Any of several accepted values."""
    return {"values": list(values), **more}


def anything(**more: Json) -> JsonObject:
    """Some value, whatever it is."""
    return {"compare": "any", **more}


def claim(claim_id: str, text: str, has: Sequence[Json] = (), hasnt: Sequence[Json] = (), **more: Json) -> JsonObject:
    """A fact that a reply must state; ``src`` names the turns that it comes from."""
    found: JsonObject = {"id": claim_id, "text": text}
    if has:
        found["contains"] = list(has)
    if hasnt:
        found["excludes"] = list(hasnt)
    if "src" in more:
        found["from"] = list(more.pop("src"))
    return {**found, **more}


# edits


def say(*texts: str) -> Words:
    """The agent says this instead."""
    return Words("response", texts)


def hear(*texts: str) -> Words:
    """The user says this instead."""
    return Words("user", texts)


def alt(*, drop: Sequence[str] = (), without_result: bool = False, **changes: Json) -> Alt:
    """The step's call with other ``args``, without some (``drop``), or with another result, tool, action or error."""
    args = changes.pop("args", {})
    return Alt(args, tuple(drop), changes, without_result)


def other(tool: str, args: JsonObject, result: Json, **more: Json) -> JsonObject:
    """Another call altogether."""
    return {"tool": tool, **more, "args": args, "result": result}


def failed(message: str) -> Alt:
    """The step's call, answered by an error of the tool."""
    return Alt(changes={"result": message, "error": True})
