"""The first stage: from JSON values to records, or a RecordError that names the place and the reason."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from evaluation.aem.errors import RecordError
from evaluation.aem.parse_parts import parse_assertion, parse_claim, parse_params, parse_pattern
from evaluation.aem.parse_policy import parse_policy
from evaluation.aem.parse_trajectory import parse_trajectory
from evaluation.aem.plain import child, exact
from evaluation.aem.reading import a_choice, a_flag, a_list, a_number, a_text, an_object, entries, shape
from evaluation.aem.records import Dependency, DependencyKind, Golden, GoldTurn, Path, Policy, Record, Tool, Tools

FORMAT = "aem/1"
TurnKind = Literal["user", "response", "tool"]
KINDS: tuple[DependencyKind, ...] = ("state", "data", "control")


def parse_record(obj: Any, *, base: Policy | None = None) -> Record:
    """Read a whole record. What its policy leaves open comes from ``base``."""
    given = an_object(obj, "")
    if given.get("format") != FORMAT:
        raise RecordError("format", f'must be "{FORMAT}", not {shape(given.get("format"))}')
    record_id = given.get("id")
    if record_id is not None and (isinstance(record_id, bool) or not isinstance(record_id, str | int)):
        raise RecordError("id", f"must be a text or a whole number, not {shape(record_id)}")
    if given.get("golden") is None:
        raise RecordError("golden", "is missing")
    trajectory = given.get("trajectory")
    return Record(
        id=record_id,
        golden=parse_golden(given["golden"]),
        trajectory=None if trajectory is None else parse_trajectory(trajectory),
        tools=parse_tools(given.get("tools")),
        policy=parse_policy(given.get("policy"), base=base),
    )


def parse_tools(obj: Any) -> Tools:
    """Read what is known of the tools."""
    if obj is None:
        return {}
    found = {}
    for name, value in an_object(obj, "tools").items():
        if not isinstance(name, str):
            raise RecordError("tools", f"the key {name!r:.40} is no text")
        path = child("tools", name)
        given = an_object(value, path)
        effect = a_choice(given, "effect", path, ("read", "write"))
        found[name] = Tool(name, effect, exact(given.get("schema"), child(path, "schema")))
    return found


def parse_golden(obj: Any) -> Golden:
    """Read the annotated reference of a conversation."""
    given = an_object(obj, "golden")
    alternatives = a_list(given.get("paths"), "golden.paths")
    if not alternatives:
        raise RecordError("golden.paths", "must hold at least one path")
    paths = []
    for index, value in enumerate(alternatives):
        paths.append(_path(value, f"golden.paths[{index}]", is_only=len(alternatives) == 1))
    _refuse_twice([(path.id, f"golden.paths[{index}].id") for index, path in enumerate(paths)], "path")
    outcome = [
        parse_assertion(value, position, place)
        for position, (value, place) in enumerate(entries(given, "outcome", "golden"), 1)
    ]
    _refuse_twice([(one.id, f"golden.outcome[{index}].id") for index, one in enumerate(outcome)], "outcome")
    forbidden = tuple(parse_pattern(value, place) for value, place in entries(given, "forbidden", "golden"))
    return Golden(tuple(paths), forbidden, tuple(outcome))


def _refuse_twice(named: list[tuple[str, str]], what: str) -> None:
    seen: set[str] = set()
    for name, place in named:
        if name in seen:
            raise RecordError(place, f"the {what} id {name!r:.80} is used twice")
        seen.add(name)


def turn_kind(turn: dict[str, Any], path: str) -> TurnKind:
    """Which of its three kinds a turn is."""
    kinds: tuple[TurnKind, ...] = ("user", "response", "tool")
    found = [kind for kind in kinds if kind in turn]
    if len(found) != 1:
        what = f"not both {' and '.join(found)}" if found else "and has none of them"
        raise RecordError(path, f"must hold one of user, response and tool, {what}")
    return found[0]


@dataclass(slots=True)
class _Earlier:
    """The turns of a path that were read so far."""

    #: The turn of each id; None for user turns.
    turns: dict[str, GoldTurn | None] = field(default_factory=dict)
    all_ids: frozenset[str] = frozenset()

    def check(self, turn_id: str, *, of: str, group: int | None, place: str) -> None:
        """Refuse to build on a turn that cannot have given anything."""
        if turn_id == of:
            raise RecordError(place, f"turn {turn_id!r:.80} cannot depend on itself")
        if turn_id not in self.turns:
            why = "comes later" if turn_id in self.all_ids else "is not in this path"
            raise RecordError(place, f"turn {turn_id!r:.80} {why}")
        turn = self.turns[turn_id]
        if turn is None:
            raise RecordError(place, f"turn {turn_id!r:.80} is a user turn")
        if group is not None and turn.group == group:
            raise RecordError(place, f"turn {turn_id!r:.80} is in the same group")


def _path(value: Any, path: str, *, is_only: bool) -> Path:
    given = an_object(value, path)
    path_id = given.get("id")
    name = "main" if path_id is None and is_only else a_text(path_id, f"{path}.id")
    place = f"{path}.turns"
    turns = [an_object(turn, f"{place}[{index}]") for index, turn in enumerate(a_list(given.get("turns"), place))]
    kinds = [turn_kind(turn, f"{place}[{index}]") for index, turn in enumerate(turns)]
    if not any(kind != "user" for kind in kinds):
        raise RecordError(place, "there is no agent or tool turn")
    ids = _turn_ids(turns, kinds, place)
    earlier = _Earlier(all_ids=frozenset(name for name in ids if name is not None))
    found: list[GoldTurn] = []
    exchange = 0
    run, open_group = 0, None
    chain = longest = 0
    for index, (turn, kind, turn_id) in enumerate(zip(turns, kinds, ids, strict=True)):
        at = f"{place}[{index}]"
        if kind == "user":
            a_text(turn["user"], f"{at}.user", may_be_empty=True)
            exchange += 1
            chain, open_group = 0, None
            if turn_id is not None:
                earlier.turns[turn_id] = None
            continue
        group = _group(turn, at)
        if group is None or group != open_group:
            run += 1
        open_group = group
        shared = {"turn_no": len(found) + 1, "group": None if group is None else run, "exchange": exchange, "place": at}
        made = _gold_turn(turn, str(turn_id), kind == "tool", shared, at)
        _check_upstream(made, earlier)
        earlier.turns[made.id] = made
        found.append(made)
        chain = chain + 1 if made.is_action else 0
        longest = max(longest, chain)
    return Path(name, tuple(found), exchange, any(_is_annotated(turn) for turn in found), longest)


def _turn_ids(turns: list[dict[str, Any]], kinds: list[Any], place: str) -> list[str | None]:
    ids: list[str | None] = []
    named = []
    for index, (turn, kind) in enumerate(zip(turns, kinds, strict=True)):
        turn_id = turn.get("id")
        if turn_id is None and kind == "user":
            ids.append(None)
            continue
        if turn_id is None:
            raise RecordError(f"{place}[{index}].id", "is missing")
        ids.append(a_text(turn_id, f"{place}[{index}].id"))
        named.append((str(turn_id), f"{place}[{index}].id"))
    _refuse_twice(named, "turn")
    return ids


def _group(turn: dict[str, Any], path: str) -> str | None:
    group = turn.get("group")
    return None if group is None else a_text(group, child(path, "group"))


def _gold_turn(turn: dict[str, Any], turn_id: str, is_action: bool, shared: dict[str, Any], path: str) -> GoldTurn:
    weight = a_number(turn, "weight", path)
    common: dict[str, Any] = {
        **shared,
        "id": turn_id,
        "depends_on": _depends_on(turn, path),
        "optional": a_flag(turn, "optional", path, default=False),
        "weight": Fraction(1) if weight is None else weight,
        "critical": a_flag(turn, "critical", path, default=False),
    }
    if not is_action:
        response = a_text(turn["response"], f"{path}.response", may_be_empty=True)
        claims = tuple(
            parse_claim(value, position, place)
            for position, (value, place) in enumerate(entries(turn, "claims", path), 1)
        )
        _refuse_twice([(claim.id, f"{path}.claims[{index}].id") for index, claim in enumerate(claims)], "claim")
        return GoldTurn(tool=None, response=response, claims=claims, **common)
    action = turn.get("action")
    return GoldTurn(
        tool=a_text(turn["tool"], f"{path}.tool"),
        action=None if action is None else a_text(action, f"{path}.action", may_be_empty=True),
        params=parse_params(turn, path),
        allows_extra=a_choice(turn, "extra", path, ("forbid", "allow")) == "allow",
        allowed_extra=frozenset(a_text(key, at, may_be_empty=True) for key, at in entries(turn, "allowed_extra", path)),
        **common,
    )


def _depends_on(turn: dict[str, Any], path: str) -> tuple[Dependency, ...] | None:
    if turn.get("depends_on") is None:
        return None
    found = []
    for value, place in entries(turn, "depends_on", path):
        if isinstance(value, dict):
            kind: DependencyKind = a_choice(value, "kind", place, KINDS) or "state"
            found.append(Dependency(a_text(value.get("turn"), child(place, "turn")), kind))
        else:
            found.append(Dependency(a_text(value, place), "state"))
    return tuple(found)


def _check_upstream(turn: GoldTurn, earlier: _Earlier) -> None:
    def check(named: str, place: str) -> None:
        earlier.check(named, of=turn.id, group=turn.group, place=place)

    for index, dependency in enumerate(turn.depends_on or ()):
        check(dependency.turn, f"{turn.place}.depends_on[{index}]")
    sources: list[tuple[tuple[str, ...] | None, str]] = [(param.from_, param.place) for param in turn.params.values()]
    sources += [(claim.from_, f"{turn.place}.claims[{index}]") for index, claim in enumerate(turn.claims)]
    for names, place in sources:
        for index, name in enumerate(names or ()):
            check(name, f"{place}.from[{index}]")
    for param in turn.params.values():
        if param.ref is not None:
            check(param.ref.turn, f"{param.place}.ref.turn")


def _is_annotated(turn: GoldTurn) -> bool:
    """Whether dependencies were written down, be it that there are none."""
    return (
        turn.depends_on is not None
        or any(param.from_ is not None or param.ref is not None for param in turn.params.values())
        or any(claim.from_ is not None for claim in turn.claims)
    )


__all__ = ["parse_golden", "parse_policy", "parse_record", "parse_tools", "parse_trajectory"]
