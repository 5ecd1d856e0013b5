"""Several people's goldens of one conversation, laid beside each other, decided item by item, put together. Pure.

``lay_out`` says what the goldens have in common and where they differ. Each *item* (a turn of the main path, a further
path, a forbidden call, an outcome, a key of the policy) has one *variant* for each thing that is said of it. ``merged``
makes a golden of the items and what was decided of each. Names of turns, of groups and of claims make no difference;
neither does the order in which the goldens are given.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotations import structure, ways
from annotations.sentences import either, fields_of, forbidden_sentence, outcome_sentence, text_of, value_words
from annotations.structure import StepDraft
from evaluation.aem.language import mark, say, say_in, say_n
from evaluation.formats import jsonio

#: A field that a variant does not have, and the choice that unites the accepted values of all variants.
ABSENT, BOTH = "-", "both"
#: The keys of a golden that are no settings.
KNOWN = frozenset({"paths", "forbidden", "outcome"})
_KIND_KEYS = ("user", "tool", "response")
Json = dict[str, Any]
#: What was decided of an item: ``{"take": digest}``, ``{"fields": {key: digest}}`` or ``{"out": True}``.
Choice = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """One person's golden; ``key`` tells it from the others and is shown to nobody."""

    key: str
    golden: Json
    policy: Json


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a turn: ``digest`` is the same where the same is said, ``raw`` how it is written."""

    digest: str
    raw: Any


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that is said of an item, by these sources. ``group`` names the turns among which its order is free."""

    digest: str
    raw: Any
    sources: tuple[str, ...]
    parts: Mapping[str, Part]
    group: tuple[str, ...] = ()
    group_name: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is decided at once. ``place`` names it, ``fingerprint`` is all that is said of it."""

    kind: str
    place: str
    name: str
    variants: tuple[Variant, ...]
    absent: tuple[str, ...]
    turn_no: int | None = None

    @property
    def token(self) -> str:
        return digest_of(self.place)

    @property
    def fingerprint(self) -> str:
        return digest_of([self.kind, sorted(variant.digest for variant in self.variants), bool(self.absent)])

    @property
    def is_equal(self) -> bool:
        return len(self.variants) == 1 and not self.absent

    @property
    def is_turn(self) -> bool:
        """Whether it counts as a turn: what the user says does not."""
        return self.kind == "turn"

    @property
    def differing(self) -> tuple[str, ...]:
        """The fields of a turn of which different things are said."""
        keys = dict.fromkeys(key for variant in self.variants for key in variant.parts)
        return tuple(key for key in keys if len(self.options(key)) > 1 and not self._goes_along(key))

    def _goes_along(self, key: str) -> bool:
        """Whether it only says how a parameter is required that not all versions have: that goes with the parameter."""
        if not key.startswith("required "):
            return False
        param = f"param {key.removeprefix('required ')}"
        having = [variant for variant in self.variants if param in variant.parts]
        return len(having) < len(self.variants) and len({key in variant.parts for variant in having}) == 1

    def options(self, key: str) -> dict[str, Part]:
        """What is said of one field, each thing once; ABSENT where a variant does not have it."""
        none = Part(ABSENT, None)
        return {part.digest: part for part in (variant.parts.get(key, none) for variant in self.variants)}

    def find(self, digest: Any) -> Variant | None:
        return next((variant for variant in self.variants if variant.digest == digest), None)


@dataclass(frozen=True, slots=True)
class Layout:
    """All items in the order of the merged golden, and how its main path is called."""

    items: tuple[Item, ...]
    sources: tuple[str, ...]
    path_name: str | None

    def find(self, place: str) -> Item | None:
        return next((item for item in self.items if item.place == place), None)

    @property
    def steps(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind in ("turn", "user"))

    @property
    def turn_words(self) -> dict[str, str]:
        """How sentences call the turns of the merged path."""
        return {item.name: say("turn {number}", number=item.turn_no) for item in self.items if item.kind == "turn"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a choice, or all of them together, cannot be: a sentence, and the item that it is about."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Merged:
    """What the choices make: a golden, or the problems why there is none. ``notes`` is what else became of them."""

    golden: Json
    policy: Json
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def digest_of(value: Any) -> str:
    return hashlib.sha256(jsonio.canonical(value).encode(errors="surrogatepass")).hexdigest()[:16]


# --- laying out -------------------------------------------------------------------------------------------------------


def lay_out(sources: Sequence[Source]) -> Layout:
    """What these goldens say, beside each other. It raises nothing for goldens that the engine can read."""
    ordered = sorted(sources, key=lambda one: (jsonio.canonical([one.golden, one.policy]), one.key))
    keys = tuple(source.key for source in ordered)
    paths = [source.golden["paths"] for source in ordered]
    items = _steps(ordered)
    items += _listed("path", [(source.key, source.golden["paths"][1:]) for source in ordered], keys)
    for kind in ("forbidden", "outcome"):
        items += _listed(kind, [(source.key, source.golden.get(kind) or []) for source in ordered], keys)
    items += _named("policy", [(source.key, source.policy) for source in ordered], keys)
    extra = [(source.key, {k: v for k, v in source.golden.items() if k not in KNOWN}) for source in ordered]
    items += _named("extra", extra, keys)
    of_path = [
        (source.key, {k: v for k, v in source.golden["paths"][0].items() if k not in ("id", "turns")})
        for source in ordered
    ]
    items += _named("path_extra", of_path, keys)
    names = Counter(str(path[0]["id"]) for path in paths if path[0].get("id") is not None)
    return Layout(tuple(items), keys, _most_common(names) if names else None)


def _most_common(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], name))


def _steps(sources: Sequence[Source]) -> list[Item]:
    """The turns of the main paths, those that are one and the same in one item."""
    turns = [list(source.golden["paths"][0]["turns"]) for source in sources]
    slots = _aligned(turns)
    names = _merged_names(slots, turns)
    renamed: list[dict[str, str]] = [{} for _ in sources]
    for slot, name in zip(slots, names, strict=True):
        for index, at in slot.items():
            if turns[index][at].get("id") is not None:
                renamed[index][str(turns[index][at]["id"])] = name
    groups = [_groups(turns[index], renamed[index]) for index in range(len(sources))]
    items = []
    number = users = 0
    for slot, name in zip(slots, names, strict=True):
        bodies = {index: _renamed(turns[index][at], renamed[index]) for index, at in slot.items()}
        is_user = any("user" in body for body in bodies.values())
        number += not is_user
        users += is_user
        claim_keys = _claim_keys([_list(body.get("claims")) for body in bodies.values()])
        variants: dict[str, Variant] = {}
        for (index, body), claims in zip(bodies.items(), claim_keys, strict=True):
            members, group_name = groups[index].get(slot[index], ((), ""))
            parts = _parts_of(body, members, claims)
            digest = digest_of({key: part.digest for key, part in parts.items()})
            known = variants.get(digest)
            who = (*(known.sources if known else ()), sources[index].key)
            first = known or Variant(digest, body, (), parts, members, group_name)
            variants[digest] = Variant(digest, first.raw, who, first.parts, first.group, first.group_name)
        absent = tuple(source.key for index, source in enumerate(sources) if index not in slot)
        place = f"user:{users}" if is_user else f"turn:{name}"
        turn_no = None if is_user else number
        kind = "user" if is_user else "turn"
        items.append(Item(kind, place, name, tuple(variants.values()), absent, turn_no))
    return items


def _aligned(turns: Sequence[Sequence[Json]]) -> list[dict[int, int]]:
    """Which turns are one and the same: for each the place that it has in each source that has it."""
    slots: list[tuple[StepDraft, dict[int, int]]] = []
    for index, path in enumerate(turns):
        steps = [StepDraft(str(turn.get("id", "")), at, _skeleton(turn)) for at, turn in enumerate(path)]
        if not slots:
            slots = [(step, {index: at}) for at, step in enumerate(steps)]
            continue
        known = {id(step): slot for step, slot in slots}
        laid: list[tuple[StepDraft, dict[int, int]]] = []
        for one, other in ways.paired([step for step, _ in slots], steps):
            slot = known[id(one)] if one is not None else {}
            if other is not None and other.turn_no is not None:
                slot = {**slot, index: other.turn_no}
            laid.append((one if one is not None else other, slot))  # type: ignore[arg-type]
        slots = laid
    return [slot for _, slot in slots]


def _skeleton(turn: Json) -> Json:
    """A turn without the names in it, by which turns of two goldens are told to be the same."""
    bare = _renamed(turn, dict.fromkeys([str(turn.get("id")), *(edge.source for edge in structure.edges_of(turn))], ""))
    parts = _parts_of(bare, (), _claim_keys([_list(bare.get("claims"))])[0])
    found: Json = {kind: str(turn[kind]) for kind in _KIND_KEYS if kind in turn}
    if turn.get("action") is not None:
        found["action"] = turn["action"]
    return {**found, "parts": digest_of({key: part.digest for key, part in parts.items()})}


def _merged_names(slots: Sequence[Mapping[int, int]], turns: Sequence[Sequence[Json]]) -> list[str]:
    """An id for each turn: the one that the goldens give it, as far as no other turn has it."""
    wanted = []
    for slot in slots:
        ids = (turns[index][at].get("id") for index, at in slot.items())
        wanted.append(Counter(str(one) for one in ids if one is not None))
    names = [""] * len(slots)
    taken: set[str] = set()
    by_agreement = sorted(range(len(slots)), key=lambda n: (-max(wanted[n].values(), default=0), n))
    for n in by_agreement:
        for name in sorted(wanted[n], key=lambda one: (-wanted[n][one], one)):
            if name not in taken:
                names[n] = name
                taken.add(name)
                break
    every = taken.union(*wanted)
    for n, found in enumerate(names):
        if not found and wanted[n]:
            number = 1
            while f"g{number}" in every:
                number += 1
            names[n] = f"g{number}"
            every.add(names[n])
    return names


def _groups(turns: Sequence[Json], names: Mapping[str, str]) -> dict[int, tuple[tuple[str, ...], str]]:
    """By the place of each turn whose order is free: among which turns it is, and how the group is called."""
    steps = [StepDraft(str(at), at, turn) for at, turn in enumerate(turns)]
    found = {}
    for run in structure.runs_of(steps):
        members = tuple(sorted(names.get(str(turns[int(at)].get("id")), at) for at in run.keys))
        for at in run.keys:
            found[int(at)] = (members, run.name)
    return found


def _renamed(body: Json, names: Mapping[str, str]) -> Json:
    """The turn with the merged ids for all turns that it names, its own id included."""
    turn = dict(body)
    if turn.get("id") is not None:
        turn["id"] = names.get(str(turn["id"]), turn["id"])
    if isinstance(turn.get("depends_on"), list):
        turn["depends_on"] = [
            {**edge, "turn": names.get(str(edge.get("turn")), edge.get("turn"))}
            if isinstance(edge, dict)
            else names.get(str(edge), edge)
            for edge in turn["depends_on"]
        ]
    if isinstance(turn.get("params"), dict):
        turn["params"] = {name: _renamed_part(part, names) for name, part in turn["params"].items()}
    if isinstance(turn.get("claims"), list):
        turn["claims"] = [_renamed_part(part, names) for part in turn["claims"]]
    return turn


def _renamed_part(part: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(part, dict):
        return part
    found = dict(part)
    if isinstance(found.get("from"), list):
        found["from"] = [names.get(str(key), key) for key in found["from"]]
    if isinstance(found.get("ref"), dict):
        found["ref"] = {**found["ref"], "turn": names.get(str(found["ref"].get("turn")), found["ref"].get("turn"))}
    return found


# --- fields of a turn -------------------------------------------------------------------------------------------------


def _claim_keys(claims: Sequence[Sequence[Any]]) -> list[list[str]]:
    """A name for each claim of each variant, the same where it is one and the same: by its words, else by its id."""
    texts = [[_claim_text(claim) for claim in listed] for listed in claims]
    found: list[list[str]] = []
    for n, listed in enumerate(claims):
        others = {text for at, other in enumerate(texts) if at != n for text in other}
        seen: Counter[str] = Counter()
        names = []
        for claim, text in zip(listed, texts[n], strict=True):
            name = text
            if text not in others and isinstance(claim, dict) and claim.get("id") is not None:
                twins = _twins(claims, texts, n, claim["id"])
                name = min([text, *twins])
            seen[name] += 1
            names.append(f"claim {name}" if seen[name] == 1 else f"claim {name} ({seen[name]})")
        found.append(names)
    return found


def _twins(claims: Sequence[Sequence[Any]], texts: Sequence[Sequence[str]], n: int, claim_id: Any) -> list[str]:
    """The words of claims of the other variants that have this id, and words that this variant does not have."""
    return [
        text
        for at, listed in enumerate(claims)
        if at != n
        for claim, text in zip(listed, texts[at], strict=True)
        if isinstance(claim, dict) and claim.get("id") == claim_id and text not in texts[n]
    ]


def _claim_text(claim: Any) -> str:
    if not isinstance(claim, dict):
        return jsonio.canonical(claim)
    text = str(claim.get("text") or "")
    return text or jsonio.canonical([claim.get("contains"), claim.get("excludes")])


def _parts_of(body: Json, group: tuple[str, ...], claims: Sequence[str]) -> dict[str, Part]:
    """The fields of a turn by name. What says the same in another spelling has the same digest."""
    found: dict[str, Part] = {}

    def add(key: str, said: Any, raw: Any) -> None:
        found[key] = Part(digest_of(said), raw)

    for key, value in body.items():
        if key in ("id", "group", "claims", "params", "extra", "allowed_extra"):
            continue
        said = _flag(key, value)
        if said is not None:
            add(key, said, value)
    for name, claim in zip(claims, _list(body.get("claims")), strict=True):
        add(name, _said_of(claim, without=("id",)), claim)
    params = body.get("params")
    for name, param in params.items() if isinstance(params, dict) else ():
        add(f"param {name}", _said_of(param, without=("required",)), _without(param, "required"))
        if isinstance(param, dict) and param.get("required") is False:
            add(f"required {name}", False, False)
    extra, allowed = body.get("extra"), _list(body.get("allowed_extra"))
    if extra not in (None, "forbid") or allowed:
        raw = {**({"extra": extra} if extra else {}), **({"allowed_extra": allowed} if allowed else {})}
        add("other keys", [extra == "allow", _unique(allowed)], raw)
    if len(group) > 1:
        add("order", list(group), list(group))
    return found


def _flag(key: str, value: Any) -> Any:
    """What a key of a turn says; None where it says no more than its absence."""
    if value is None or (key in ("optional", "critical") and value is False):
        return None
    if key == "weight" and not isinstance(value, bool | str | list | dict) and value == 1:
        return None
    if key == "depends_on" and isinstance(value, list):
        edges = [edge if isinstance(edge, dict) else {"turn": edge} for edge in value]
        said = [{**edge, "kind": edge.get("kind") or "state"} for edge in edges]
        return ["edges", *_unique(said)]
    return [value]


def _said_of(part: Any, *, without: tuple[str, ...]) -> Any:
    """A parameter or claim in its one spelling."""
    if not isinstance(part, dict):
        return part
    said = {key: value for key, value in part.items() if key not in without and (value is not None or key == "value")}
    if "value" in said:
        said["values"] = [said.pop("value")]
    for key in ("values", "contains", "excludes", "from"):
        if isinstance(said.get(key), list):
            said[key] = _unique(said[key])
            if key in ("contains", "excludes") and not said[key]:
                del said[key]
    if said.get("required") is True:
        del said["required"]
    compare = said.get("compare")
    if isinstance(compare, dict):
        compare = {key: value for key, value in compare.items() if value is not None}
        said["compare"] = compare = compare.get("as") if set(compare) == {"as"} else compare
    if compare == "auto":
        del said["compare"]
    return said


def _unique(values: Iterable[Any]) -> list[Any]:
    known = {jsonio.canonical(value): value for value in values}
    return [known[key] for key in sorted(known)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without(part: Any, key: str) -> Any:
    return {name: value for name, value in part.items() if name != key} if isinstance(part, dict) else part


def united(item: Item, key: str) -> Any:
    """The parameter that accepts what any variant accepts; None where they differ in more than accepted values."""
    options = [part.raw for part in item.options(key).values()]
    if not key.startswith("param ") or len(options) < 2 or not all(isinstance(part, dict) for part in options):
        return None
    rests = []
    values: dict[str, Any] = {}
    for part in options:
        said = _said_of(part, without=("required",))
        accepted = [part["value"]] if "value" in part else _list(part.get("values"))
        if not accepted:
            return None
        values |= {jsonio.canonical(value): value for value in accepted if jsonio.canonical(value) not in values}
        rests.append(jsonio.canonical(_without(said, "values")))
    if len(set(rests)) > 1:
        return None
    rest = {name: value for name, value in options[0].items() if name not in ("value", "values")}
    return {"values": list(values.values()), **rest}


# --- other items ------------------------------------------------------------------------------------------------------


def _listed(kind: str, lists: Sequence[tuple[str, Sequence[Any]]], keys: tuple[str, ...]) -> list[Item]:
    """Entries of lists that have no order: the same entry of several goldens is one item."""
    found: dict[tuple[str, int], list[tuple[str, Any]]] = {}
    for key, entries in lists:
        seen: Counter[str] = Counter()
        for entry in entries:
            digest = digest_of(_said_of_entry(kind, entry))
            seen[digest] += 1
            found.setdefault((digest, seen[digest]), []).append((key, entry))
    items = []
    for (digest, number), having in found.items():
        raw = having[0][1]
        who = tuple(key for key, _ in having)
        name = str(raw.get("id") or "") if kind == "path" and isinstance(raw, dict) else ""
        absent = tuple(key for key in keys if key not in who)
        items.append(Item(kind, f"{kind}:{digest}:{number}", name, (Variant(digest, raw, who, {}),), absent))
    return items


def _said_of_entry(kind: str, entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    if kind == "path":
        turns = _list(entry.get("turns"))
        names = {str(turn.get("id")): str(at) for at, turn in enumerate(turns) if turn.get("id") is not None}
        groups = _groups(turns, names)
        said = []
        for at, turn in enumerate(turns):
            body = _renamed(turn, names)
            parts = _parts_of(body, groups.get(at, ((), ""))[0], _claim_keys([_list(body.get("claims"))])[0])
            said.append({key: part.digest for key, part in parts.items()})
        return {"turns": said, **{key: value for key, value in entry.items() if key not in ("id", "turns")}}
    said_of = _said_of(entry, without=("id",))
    if isinstance(entry.get("params"), dict):
        said_of["params"] = {name: _said_of(param, without=()) for name, param in entry["params"].items()}
    return said_of


def _named(kind: str, given: Sequence[tuple[str, Json]], keys: tuple[str, ...]) -> list[Item]:
    """The keys of objects: one item for each, with a variant for each value."""
    names = dict.fromkeys(name for _, values in given for name in values)
    items = []
    for name in names:
        variants: dict[str, Variant] = {}
        for key, values in given:
            if name in values:
                digest = digest_of(values[name])
                who = variants[digest].sources if digest in variants else ()
                variants[digest] = Variant(digest, values[name], (*who, key), {})
        having = {key for variant in variants.values() for key in variant.sources}
        absent = tuple(key for key in keys if key not in having)
        items.append(Item(kind, f"{kind}:{name}", str(name), tuple(variants.values()), absent))
    return items


# --- choices ----------------------------------------------------------------------------------------------------------


def refusal(item: Item, choice: Any) -> str:
    """Why this cannot be decided of an item by itself; empty where it can."""
    if not isinstance(choice, Mapping) or len(choice) != 1:
        return say("Say one of: which version to take, what to take of each field, or that it is left out.")
    if "out" in choice:
        return "" if choice["out"] is True else say("Say that it is left out, or what to take.")
    if "take" in choice:
        return "" if item.find(choice["take"]) is not None else say("There is no such version of it any more.")
    fields = choice.get("fields")
    if not isinstance(fields, Mapping) or not item.differing:
        return say("There are no fields of it to choose from.")
    for key in item.differing:
        if key not in fields:
            return say("Choose for each field that differs; {field} is open.", field=field_name(key))
        if fields[key] == BOTH and united(item, key) is None:
            return say(
                "The versions differ in more than the accepted values of {field}: take one of them.",
                field=field_name(key),
            )
        if fields[key] != BOTH and fields[key] not in item.options(key):
            return say("There is no such version of {field} any more.", field=field_name(key))
    unknown = [str(key) for key in fields if key not in item.differing]
    return say("{field} does not differ.", field=field_name(unknown[0])) if unknown else ""


def chosen_body(item: Item, choice: Choice) -> tuple[Json, tuple[str, ...], str] | None:
    """The turn of a valid choice, among which turns its order is free, and the group's name; None if left out."""
    if "out" in choice:
        return None
    if "take" in choice:
        variant = item.find(choice["take"]) or item.variants[0]
        return variant.raw, variant.group, variant.group_name
    parts: dict[str, Any] = {}
    for key in dict.fromkeys(key for variant in item.variants for key in variant.parts):
        wanted = choice["fields"].get(key)
        options = item.options(key)
        if wanted == BOTH:
            parts[key] = united(item, key)
            continue
        # What is the same in all is taken; what goes along with a parameter is there where it is said at all.
        part = options[wanted] if wanted is not None else next(one for one in options.values() if one.digest != ABSENT)
        if part.digest != ABSENT:
            parts[key] = part.raw
    group = tuple(parts.pop("order", ()))
    name = next((variant.group_name for variant in item.variants if variant.group == group), "")
    return _body_of(item, parts), group, name


def _body_of(item: Item, parts: Mapping[str, Any]) -> Json:
    body: Json = {"id": item.name} if item.name else {}
    claims = []
    params: Json = {}
    for key, raw in parts.items():
        if key.startswith("claim "):
            claims.append(raw)
        elif key.startswith("param "):
            params[key.removeprefix("param ")] = raw
        elif key == "other keys":
            body |= raw
        elif not key.startswith("required "):
            body[key] = raw
    for key in parts:
        name = key.removeprefix("required ")
        if key.startswith("required ") and isinstance(params.get(name), dict):
            params[name] = {**params[name], "required": False}
    if "tool" in body:
        body["params"] = params
    if claims:
        body["claims"] = _with_own_ids(claims, "claim")
    return body


def _with_own_ids(entries: Sequence[Any], word: str) -> list[Any]:
    """Entries without two of one name; one without an id is called by its place."""
    found: list[Any] = []
    taken: set[str] = set()
    given = {str(entry["id"]) for entry in entries if isinstance(entry, dict) and entry.get("id") is not None}
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            found.append(entry)
            continue
        wanted = name = f"{word}{place}" if entry.get("id") is None else str(entry["id"])
        number = 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        found.append(entry if name == wanted else {**entry, "id": name})
    return found


# --- putting together -------------------------------------------------------------------------------------------------


def open_items(layout: Layout, choices: Mapping[str, Choice]) -> list[Item]:
    """What is not decided yet, or decided in a way that is not there any more."""
    return [item for item in layout.items if item.place not in choices or refusal(item, choices[item.place])]


def reference_problems(layout: Layout, choices: Mapping[str, Choice]) -> list[Problem]:
    """Decided turns that would name a turn that is decided to be left out."""
    steps = {item.name: item for item in layout.steps if item.name}
    out = {name for name, item in steps.items() if "out" in choices.get(item.place, {})}
    words = layout.turn_words
    found = []
    for item in layout.steps:
        choice = choices.get(item.place)
        made = chosen_body(item, choice) if choice is not None and not refusal(item, choice) else None
        for edge in structure.edges_of(made[0] if made is not None else {}):
            if edge.source in out:
                them = words[edge.source] if edge.source in words else say("what the user says")
                reason = say(
                    "Turn {number} {does}, and {other} is left out. Keep it, or take a version without that.",
                    number=item.turn_no,
                    does=edge.words(them),
                    other=them,
                )
                found.append(Problem(item.place, reason))
    return found


def merged(layout: Layout, choices: Mapping[str, Choice]) -> Merged:
    """The golden that these choices make. Its problems say why there is none; nothing is raised."""
    problems = [
        Problem(item.place, say("{what} is not decided yet.", what=words_of(item)))
        for item in open_items(layout, choices)
    ] or reference_problems(layout, choices)
    if problems:
        return Merged({}, {}, tuple(problems))
    made = [(item, chosen_body(item, choices[item.place])) for item in layout.steps]
    kept = [(item, *body) for item, body in made if body is not None]
    if not any("user" not in body for _, body, _, _ in kept):
        return Merged({}, {}, (Problem("", say("No turn of the agent would be left.")),))
    turns, notes = _with_groups(kept)
    steps = [StepDraft(str(turn.get("id", "")), kept[n][0].turn_no, turn) for n, turn in enumerate(turns)]
    problem = structure.order_problem(steps)
    if problem is not None:
        place = next((item.place for item, body, _, _ in kept if str(body.get("id")) == problem.key), "")
        return Merged({}, {}, (Problem(place, problem.reason),))
    found = [(item, item.find(choices[item.place].get("take"))) for item in layout.items]

    def raws(kind: str) -> list[Any]:
        return [variant.raw for item, variant in found if item.kind == kind and variant is not None]

    def named(kind: str) -> Json:
        return {item.name: variant.raw for item, variant in found if item.kind == kind and variant is not None}

    main: Json = {"id": layout.path_name or "main", "turns": turns, **named("path_extra")}
    paths = [main, *raws("path")]
    if layout.path_name is None and len(paths) == 1:
        del main["id"]
    golden = {
        "paths": _with_own_ids(paths, "path"),
        "forbidden": raws("forbidden"),
        "outcome": _with_own_ids(raws("outcome"), "outcome"),
        **named("extra"),
    }
    return Merged(golden, named("policy"), (), tuple(notes))


def _with_groups(kept: Sequence[tuple[Item, Json, tuple[str, ...], str]]) -> tuple[list[Json], list[str]]:
    """The turns with the names of their groups: neighbours of one group share one, what lies beside it has another."""
    turns: list[Json] = []
    last: tuple[str, ...] = ()
    name = ""
    for _, body, group, wanted in kept:
        turn = {key: value for key, value in body.items() if key != "group"}
        if group and group != last:
            name = structure.free_group_name({name}) if wanted in ("", name) else wanted
        if group:
            turn["group"] = name
        else:
            name = ""
        last = group
        turns.append(turn)
    notes = []
    for run in structure.runs_of([StepDraft(str(n), n, turn) for n, turn in enumerate(turns)]):
        item, _, group, _ = kept[int(run.keys[0])]
        if len(run.keys) == 1 and len(group) > 1:
            notes.append(
                say(
                    "The order of turn {number} was free and counts now: what it was free with is not there.",
                    number=item.turn_no,
                )
            )
    return turns, notes


# --- agreement --------------------------------------------------------------------------------------------------------

#: What agreement is told of, by the fields of a turn.
AGREEMENT_FIELDS = {
    "response": mark("Reply"),
    "claim": mark("Claims"),
    "tool": mark("Tool and action"),
    "param": mark("Parameters"),
    "required": mark("Which parameters are required"),
    "other keys": mark("Other keys"),
    "optional": mark("Optional steps"),
    "order": mark("Free order"),
    "depends_on": mark("Dependencies"),
}


def agreement_of(layout: Layout) -> dict[str, Any]:
    """How far the goldens agree, over all pairs of them: ``equal`` of ``n`` turns, and of the fields of turns in both.

    A turn counts where at least one of the two has it, a field where at least one of them says it.
    """
    turns = [0, 0]
    fields = {name: [0, 0] for name in AGREEMENT_FIELDS}
    for item in layout.items:
        if not item.is_turn:
            continue
        of = {key: variant for variant in item.variants for key in variant.sources}
        for one, other in combinations(layout.sources, 2):
            mine, theirs = of.get(one), of.get(other)
            if mine is None and theirs is None:
                continue
            turns[1] += 1
            turns[0] += mine is theirs
            if mine is None or theirs is None:
                continue
            for key in {**mine.parts, **theirs.parts}:
                param = f"param {key.removeprefix('required ')}"
                if key.startswith("required ") and not (param in mine.parts and param in theirs.parts):
                    continue
                name = next((name for name in fields if key == name or key.startswith(f"{name} ")), None)
                name = "tool" if key == "action" else name
                if name is not None:
                    fields[name][1] += 1
                    said = mine.parts.get(key), theirs.parts.get(key)
                    fields[name][0] += said[0] is not None and said[1] is not None and said[0].digest == said[1].digest
    return {
        "goldens": len(layout.sources),
        "turns": {"equal": turns[0], "n": turns[1]},
        "fields": {name: {"equal": counts[0], "n": counts[1]} for name, counts in fields.items()},
    }


# --- in words ---------------------------------------------------------------------------------------------------------


def words_of(item: Item) -> str:
    """An item as people call it."""
    if item.kind == "turn":
        return say("Turn {number}", number=item.turn_no)
    return say(_ITEM_WORDS[item.kind], name=item.name)


_ITEM_WORDS = {
    "user": mark("What the user says"),
    "path": mark("The way {name}"),
    "forbidden": mark("A forbidden call"),
    "outcome": mark("A required outcome"),
    "policy": mark("Policy: {name}"),
    "extra": mark("Imported beside the golden: {name}"),
    "path_extra": mark("Imported beside the path: {name}"),
}


def field_name(key: str) -> str:
    """A field of a turn as people call it."""
    if key.startswith("param "):
        return say("parameter {name}", name=key.removeprefix("param "))
    if key.startswith("required "):
        return say("whether {name} is required", name=key.removeprefix("required "))
    if key.startswith("claim "):
        text = key.removeprefix("claim ")
        return say("claim “{text}”", text=text if len(text) <= 60 else text[:59] + "…")
    return say(_FIELD_NAMES[key]) if key in _FIELD_NAMES else key


_FIELD_NAMES = {
    "tool": mark("tool"),
    "action": mark("action"),
    "other keys": mark("other keys"),
    "weight": mark("weight"),
    "response": mark("expected reply"),
    "user": mark("what the user says"),
    "depends_on": mark("dependencies"),
    "optional": mark("optional step"),
    "critical": mark("critical step"),
    "order": mark("free order"),
}


def _not_said(key: str) -> str:
    """What a version says of a field by leaving it out."""
    if key.startswith("required "):
        return say("required")
    match key:
        case "action":
            return say_in("action of a tool", "any")
        case "order":
            return say("its order counts")
        case "optional":
            return say("the step is required")
        case "other keys":
            return say_in("keys of a call", "not allowed")
    return say("not there")


def part_words(key: str, part: Part, turns: Mapping[str, str]) -> str:
    """What one version says of a field."""
    if part.digest == ABSENT:
        return _not_said(key)
    raw = part.raw
    if key.startswith("required "):
        return say("may be left out")
    if key.startswith("param "):
        return next(iter(_picked({"tool": "", "params": {"it": raw}}, turns, "parameter it")), value_words(raw))
    if key.startswith("claim "):
        named = fields_of({"response": "", "claims": [raw]}, turns)
        return next((words for name, words in named.items() if name.startswith("claim ")), value_words(raw))
    if key == "other keys":
        return next(iter(_picked({"tool": "", **raw}, turns, "other keys")))
    if key == "order":
        return say("free among {turns}", turns=either(sorted(turns.get(name, name) for name in raw), "and"))
    if key in ("optional", "critical", "weight", "depends_on"):
        return next(iter(_picked({key: raw}, turns, "step")))
    return (raw or say("(nothing)")) if isinstance(raw, str) else value_words(raw)


def _picked(body: Json, turns: Mapping[str, str], label: str) -> list[str]:
    found = fields_of(body, turns)
    return [found[label]] if label in found else []


def entry_words(item: Item, variant: Variant) -> str:
    """What a version of something else than a turn says."""
    raw = variant.raw
    if item.kind == "forbidden" and isinstance(raw, dict):
        return text_of(forbidden_sentence(raw))
    if item.kind == "outcome" and isinstance(raw, dict):
        return text_of(outcome_sentence(raw))
    if item.kind == "path" and isinstance(raw, dict):
        turns = [turn for turn in _list(raw.get("turns")) if isinstance(turn, dict) and "user" not in turn]
        names = ", ".join(str(turn.get("tool") or say("a reply")) for turn in turns)
        return say_n("{count} turn: {names}", "{count} turns: {names}", len(turns), names=names)
    return value_words(raw)
