"""The first stage: from JSON values to records, or a RecordError that names the place and the reason."""

from fractions import Fraction
from typing import Any, Literal, NamedTuple

from evaluation.aem.errors import RecordError
from evaluation.aem.parse_parts import parse_assertion, parse_claim, parse_params, parse_pattern
from evaluation.aem.parse_policy import parse_policy
from evaluation.aem.parse_trajectory import parse_trajectory
from evaluation.aem.plain import child, exact
from evaluation.aem.reading import a_choice, a_flag, a_list, a_number, a_text, an_object, entries, shape
from evaluation.aem.records import (
    NO_KEYS,
    ONE,
    Dependency,
    DependencyKind,
    Golden,
    GoldTurn,
    Path,
    Policy,
    Record,
    Tool,
    Tools,
)

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
    if len(paths) > 1:
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


def turn_kind(turn: dict[str, Any], place: str, index: int) -> TurnKind:
    """Which of its three kinds a turn is."""
    if ("user" in turn) + ("response" in turn) + ("tool" in turn) == 1:
        return "tool" if "tool" in turn else "user" if "user" in turn else "response"
    found = [kind for kind in ("user", "response", "tool") if kind in turn]
    what = f"not both {' and '.join(found)}" if found else "and has none of them"
    raise RecordError(child(place, index), f"must hold one of user, response and tool, {what}")


class _Earlier:
    """The turns of a path that were read so far."""

    __slots__ = ("all_ids", "turns")

    def __init__(self, all_ids: list[str | None]) -> None:
        #: The turn of each id; None for user turns.
        self.turns: dict[str, GoldTurn | None] = {}
        self.all_ids = all_ids

    def check(self, turn_id: str, *, of: GoldTurn, place: str) -> None:
        """Refuse to build on a turn that cannot have given anything."""
        turn = self.turns.get(turn_id)
        if turn is None or (of.group is not None and turn.group == of.group):
            self._refuse(turn_id, of.id, place)

    def _refuse(self, turn_id: str, of: str, place: str) -> None:
        if turn_id == of:
            raise RecordError(place, f"turn {turn_id!r:.80} cannot depend on itself")
        if turn_id not in self.turns:
            why = "comes later" if turn_id in self.all_ids else "is not in this path"
            raise RecordError(place, f"turn {turn_id!r:.80} {why}")
        if self.turns[turn_id] is None:
            raise RecordError(place, f"turn {turn_id!r:.80} is a user turn")
        raise RecordError(place, f"turn {turn_id!r:.80} is in the same group")


def _path(value: Any, path: str, *, is_only: bool) -> Path:
    given = an_object(value, path)
    path_id = given.get("id")
    name = "main" if path_id is None and is_only else a_text(path_id, f"{path}.id")
    place = f"{path}.turns"
    turns = a_list(given.get("turns"), place)
    kinds = [turn_kind(an_object(turn, child(place, index)), place, index) for index, turn in enumerate(turns)]
    if kinds.count("user") == len(kinds):
        raise RecordError(place, "there is no agent or tool turn")
    ids = _turn_ids(turns, kinds, place)
    earlier = _Earlier(ids)
    found: list[GoldTurn] = []
    exchange = run = 0
    open_group = None
    is_annotated = False
    chain = longest = 0
    for index, (turn, kind, turn_id) in enumerate(zip(turns, kinds, ids, strict=True)):
        at = child(place, index)
        if kind == "user":
            a_text(turn["user"], f"{at}.user", may_be_empty=True)
            exchange += 1
            chain, open_group = 0, None
            if turn_id is not None:
                earlier.turns[turn_id] = None
            continue
        group = turn.get("group")
        if group is not None:
            a_text(group, f"{at}.group")
        if group is None or group != open_group:
            run += 1
        open_group = group
        part = _Part(len(found) + 1, str(turn_id), None if group is None else run, exchange, at)
        made = _gold_call(turn, part) if kind == "tool" else _gold_reply(turn, part)
        is_annotated = _check_upstream(made, earlier) or is_annotated
        earlier.turns[made.id] = made
        found.append(made)
        chain = chain + 1 if made.tool is not None else 0
        longest = max(longest, chain)
    return Path(name, tuple(found), exchange, is_annotated, longest)


class _Part(NamedTuple):
    """Where in its path a gold turn stands."""

    turn_no: int
    id: str
    group: int | None
    exchange: int
    place: str


def _turn_ids(turns: list[dict[str, Any]], kinds: list[TurnKind], place: str) -> list[str | None]:
    ids: list[str | None] = []
    for index, (turn, kind) in enumerate(zip(turns, kinds, strict=True)):
        turn_id = turn.get("id")
        if type(turn_id) is not str or not turn_id:
            if turn_id is not None:
                turn_id = a_text(turn_id, f"{place}[{index}].id")
            elif kind != "user":
                raise RecordError(f"{place}[{index}].id", "is missing")
        ids.append(turn_id)
    if len(set(ids)) < len(ids):
        _refuse_twice([(one, f"{place}[{index}].id") for index, one in enumerate(ids) if one is not None], "turn")
    return ids


def _gold_reply(turn: dict[str, Any], part: _Part) -> GoldTurn:
    path = part.place
    response = a_text(turn["response"], f"{path}.response", may_be_empty=True)
    claims = tuple(
        parse_claim(value, position, place) for position, (value, place) in enumerate(entries(turn, "claims", path), 1)
    )
    if len({claim.id for claim in claims}) < len(claims):
        _refuse_twice([(claim.id, f"{path}.claims[{index}].id") for index, claim in enumerate(claims)], "claim")
    return GoldTurn(
        turn_no=part.turn_no,
        id=part.id,
        tool=None,
        response=response,
        claims=claims,
        depends_on=_depends_on(turn, path),
        optional=a_flag(turn, "optional", path, default=False),
        weight=_weight(turn, path),
        critical=a_flag(turn, "critical", path, default=False),
        group=part.group,
        exchange=part.exchange,
        place=path,
    )


def _gold_call(turn: dict[str, Any], part: _Part) -> GoldTurn:
    path = part.place
    action = turn.get("action")
    allowed = (
        frozenset(a_text(key, at, may_be_empty=True) for key, at in entries(turn, "allowed_extra", path))
        if "allowed_extra" in turn
        else NO_KEYS
    )
    return GoldTurn(
        turn_no=part.turn_no,
        id=part.id,
        tool=a_text(turn["tool"], f"{path}.tool"),
        action=None if action is None else a_text(action, f"{path}.action", may_be_empty=True),
        params=parse_params(turn, path),
        allows_extra=a_choice(turn, "extra", path, ("forbid", "allow")) == "allow",
        allowed_extra=allowed,
        depends_on=_depends_on(turn, path),
        optional=a_flag(turn, "optional", path, default=False),
        weight=_weight(turn, path),
        critical=a_flag(turn, "critical", path, default=False),
        group=part.group,
        exchange=part.exchange,
        place=path,
    )


def _weight(turn: dict[str, Any], path: str) -> Fraction:
    weight = a_number(turn, "weight", path)
    return ONE if weight is None else weight


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


def _check_upstream(turn: GoldTurn, earlier: _Earlier) -> bool:
    """Refuse what cannot be built on, and say whether dependencies were written down, be it that there are none."""
    is_annotated = turn.depends_on is not None
    for index, dependency in enumerate(turn.depends_on or ()):
        earlier.check(dependency.turn, of=turn, place=f"{turn.place}.depends_on[{index}]")
    for param in turn.params.values():
        if param.from_ is not None:
            is_annotated = True
            for index, name in enumerate(param.from_):
                earlier.check(name, of=turn, place=f"{param.place}.from[{index}]")
    for at, claim in enumerate(turn.claims):
        if claim.from_ is not None:
            is_annotated = True
            for index, name in enumerate(claim.from_):
                earlier.check(name, of=turn, place=f"{turn.place}.claims[{at}].from[{index}]")
    for param in turn.params.values():
        if param.ref is not None:
            is_annotated = True
            earlier.check(param.ref.turn, of=turn, place=f"{param.place}.ref.turn")
    return is_annotated


__all__ = ["parse_golden", "parse_policy", "parse_record", "parse_tools", "parse_trajectory"]
