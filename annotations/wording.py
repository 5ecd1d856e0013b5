"""What has changed between two versions of a golden, in sentences that need no knowledge of its format.

Pure. Two versions that differ always give at least one sentence, two that do not give none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.differences import apart, pieces_of
from annotations.sentences import (
    Part,
    Sentence,
    claim_words,
    condition_words,
    edge_words,
    either,
    forbidden_sentence,
    outcome_sentence,
    path_words,
    phrase,
    text_of,
    tool_words,
    turn_sentence,
    value_words,
)
from annotations.structure import Step, StepDraft
from annotations.ways import compare
from annotations.words import value_text
from evaluation.aem.language import mark, say, say_in
from evaluation.formats import jsonio

_ABSENT = object()
_KINDS = {"same": "", "del": "del", "ins": "ins"}
Names = Mapping[str, str]
#: What the settings of a policy are called on the pages that edit them.
_SETTINGS = {
    "scorer": mark("Evaluator"),
    "threshold": mark("Threshold"),
    "margin": mark("Margin"),
    "alignment": mark("Alignment"),
    "default_dependencies": mark("Dependencies that are not said"),
    "taint": mark("Taint"),
    "extra_writes": mark("Unknown calls that change something"),
    "composition": mark("Composition"),
    "params": mark("Rules for parameters"),
}


def setting_name(key: str) -> str:
    """A setting of a policy as people call it."""
    return say(_SETTINGS[key]) if key in _SETTINGS else key


@dataclass(frozen=True, slots=True)
class TurnChange:
    """What became of one turn. ``state`` is changed, added or removed; ``path`` is empty where there is only one."""

    state: str
    path: str
    name: str
    sentences: tuple[Sentence, ...]

    @property
    def texts(self) -> list[str]:
        return [text_of(sentence) for sentence in self.sentences]


@dataclass(frozen=True, slots=True)
class GoldenChange:
    """What has changed in a whole golden: turn by turn, and for the conversation as a whole."""

    turns: tuple[TurnChange, ...]
    whole: tuple[Sentence, ...]

    def __bool__(self) -> bool:
        return bool(self.turns or self.whole)

    @property
    def whole_texts(self) -> list[str]:
        return [text_of(sentence) for sentence in self.whole]


def golden_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> GoldenChange:
    """Between two bodies of golden records, ``{"golden": {"paths", "forbidden", "outcome"}, "policy": {…}}``.

    >>> one = {"golden": {"paths": [{"id": "main", "turns": [{"id": "g1", "tool": "t", "params": {
    ...     "region": {"values": ["EU"]}}}]}]}}
    >>> two = {"golden": {"paths": [{"id": "main", "turns": [{"id": "g1", "tool": "t", "params": {
    ...     "region": {"values": ["EU", "European Union"]}}}]}]}}
    >>> golden_changes(one, two).turns[0].texts
    ['region now also accepts European Union.']
    """
    if _same(before, after):
        return GoldenChange((), ())
    old, new = _mapping(before.get("golden")), _mapping(after.get("golden"))
    old_paths, new_paths = _paths(old), _paths(new)
    several = len({**old_paths, **new_paths}) > 1
    turns: list[TurnChange] = []
    whole: list[Sentence] = []
    for name in {**old_paths, **new_paths}:
        if name not in new_paths:
            whole.append(phrase("The way {name} is no longer accepted.", name=Part(name, "name")))
        elif name not in old_paths:
            whole.append(phrase("There is another accepted way, {name}.", name=Part(name, "name")))
        else:
            turns += _path_changes(old_paths[name], new_paths[name], name if several else "")
            whole += _other_keys(
                _without(old_paths[name], "id", "turns"),
                _without(new_paths[name], "id", "turns"),
                say("Way {name}: ", name=name),
            )
    shared = [name for name in old_paths if name in new_paths]
    if shared != [name for name in new_paths if name in old_paths]:
        whole.append(phrase("The accepted ways stand in another order."))
    whole += _listed_changes(old.get("forbidden"), new.get("forbidden"), forbidden_sentence)
    whole += _listed_changes(old.get("outcome"), new.get("outcome"), outcome_sentence)
    whole += _other_keys(
        _without(old, "paths", "forbidden", "outcome"), _without(new, "paths", "forbidden", "outcome"), ""
    )
    whole += _policy_changes(before, after)
    whole += _other_keys(_without(before, "golden", "policy"), _without(after, "golden", "policy"), "")
    if not turns and not whole:
        whole.append(phrase("Something changed that has no words here."))
    return GoldenChange(tuple(turns), tuple(whole))


def _paths(golden: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for number, path in enumerate(_mapping(path) for path in _list(golden.get("paths"))):
        name = str(path.get("id") or "main")
        found[name if name not in found else f"{name} ({number + 1})"] = path
    return found


def _path_changes(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> list[TurnChange]:
    left, right = steps_of(before.get("turns")), steps_of(after.get("turns"))
    rows = compare(left, right)
    old_names, new_names = _names_of(left), _names_of(right)
    found = []
    for row in rows:
        if row.first is None and row.second is not None:
            sentence = turn_sentence(row.second.body, new_names)
            found.append(TurnChange("added", path, _name(row.second), ([Part(say("New.") + " "), *sentence],)))
        elif row.second is None and row.first is not None:
            found.append(TurnChange("removed", path, _name(row.first), (phrase("No longer expected."),)))
        elif row.first is not None and row.second is not None:
            sentences = turn_changes(row.first.body, row.second.body, old_names, new_names)
            if sentences:
                found.append(TurnChange("changed", path, _name(row.second), tuple(sentences)))
    return found


def steps_of(turns: Any) -> list[StepDraft]:
    """The turns of a path of an aem/1 golden, numbered as everywhere."""
    found = []
    number = 0
    for turn in _list(turns):
        body = _mapping(turn)
        number += "user" not in body
        found.append(StepDraft(str(body.get("id", "")), None if "user" in body else number, dict(body)))
    return found


def _names_of(steps: Iterable[StepDraft]) -> dict[str, str]:
    return {step.key: say("turn {number}", number=step.turn_no) for step in steps if step.turn_no is not None}


def _name(step: Step) -> str:
    return say("Turn {number}", number=step.turn_no) if step.turn_no is not None else say("What the user says")


def whole_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Sentence]:
    """Of what a golden in work says for the whole conversation: forbidden calls, outcomes, policy, comment…"""
    found = _listed_changes(before.get("forbidden"), after.get("forbidden"), forbidden_sentence)
    found += _listed_changes(before.get("outcome"), after.get("outcome"), outcome_sentence)
    found += _policy_changes(before, after)
    if not _same(before.get("comment") or "", after.get("comment") or ""):
        comment = after.get("comment") or ""
        shown = Part(_quoted(comment), "value")
        found.append(phrase("The comment is now {comment}.", comment=shown) if comment else phrase("No comment now."))
    hidden = ("forbidden", "outcome", "policy", "comment", "source_trajectory_id", "prefill")
    found += _other_keys(_without(before, *hidden), _without(after, *hidden), "")
    return found


# --- one turn ---------------------------------------------------------------------------------------------------------


def turn_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], old: Names | None = None, new: Names | None = None
) -> list[Sentence]:
    """What a turn says now and did not say before. ``old`` and ``new`` name the turns that each refers to.

    >>> one = {"id": "g1", "tool": "t", "params": {"limit": {"value": 10}}}
    >>> two = {"id": "g1", "tool": "t", "params": {"limit": {"value": 10, "required": False}}, "optional": True}
    >>> [text_of(sentence) for sentence in turn_changes(one, two)]
    ['limit may now be left out.', 'The whole step may now be left out.']
    """
    old, new = old or {}, new or {}
    if _same(before, after):
        return []
    found: list[Sentence] = []
    found += _kind_changes(before, after)
    found += _texts(before, after, "user")
    found += _texts(before, after, "response")
    found += _param_changes(_mapping(before.get("params")), _mapping(after.get("params")), old, new)
    found += _claim_changes(before.get("claims"), after.get("claims"), old, new)
    found += _extra_keys_changes(before, after)
    found += _step_changes(before, after, old, new)
    found += _other_keys(_without(before, *_KNOWN), _without(after, *_KNOWN), "")
    if not found:
        found.append(phrase("It is written in another way, and means the same."))
    return found


_KNOWN = (
    "tool",
    "action",
    "user",
    "response",
    "params",
    "claims",
    "extra",
    "allowed_extra",
    "optional",
    "group",
    "depends_on",
    "critical",
    "weight",
)


def _kind_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Sentence]:
    kinds = [
        "call" if "tool" in body else "reply" if "response" in body else "user" if "user" in body else ""
        for body in (before, after)
    ]
    if kinds[0] != kinds[1]:
        now, then = say(_TURN_KINDS[kinds[1]]), say(_TURN_KINDS[kinds[0]])
        return [phrase("It is now {now}; it was {then}.", now=now, then=then)]
    if kinds[1] == "call" and any(not _same(before.get(name), after.get(name)) for name in ("tool", "action")):
        now, then = tool_words(after), tool_words(before)
        if now == then:
            return []
        return [
            phrase("Now {tool} is to be called, no longer {then}.", tool=Part(now, "name"), then=Part(then, "name"))
        ]
    return []


_TURN_KINDS = {
    "call": mark("a call"),
    "reply": mark("a reply"),
    "user": mark("something that the user says"),
    "": mark("nothing"),
}


def _texts(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> list[Sentence]:
    if name not in before or name not in after or _same(before[name], after[name]):
        return []
    if isinstance(before[name], str) and isinstance(after[name], str):
        pieces = pieces_of(before[name], after[name])
        if any(piece.kind == "same" and piece.text.strip() for piece in pieces):
            text = [Part(piece.text, _KINDS[piece.kind]) for piece in pieces]
            if name == "user":
                return [phrase("The user now says: {text}", text=text)]
            return [phrase("The expected reply is now: {text}", text=text)]
    now, then = Part(_quoted(after[name]), "value"), Part(_quoted(before[name]), "value")
    if name == "user":
        return [phrase("The user now says {now}; it was {then}.", now=now, then=then)]
    return [phrase("The expected reply is now {now}; it was {then}.", now=now, then=then)]


def _quoted(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else value_words(value)


def _param_changes(before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names) -> list[Sentence]:
    found: list[Sentence] = []
    for name in {**before, **after}:
        subject = Part(name, "name")
        if name not in before:
            words = condition_words(after[name], new)
            if _required(after[name]):
                found.append(phrase("{name} is now asked for: {condition}.", name=subject, condition=words))
            else:
                found.append(phrase("{name} may now be given: {condition}.", name=subject, condition=words))
        elif name not in after:
            found.append(phrase("{name} is no longer expected.", name=subject))
        else:
            found += _field_changes(subject, before[name], after[name], old, new)
    return found


def _field_changes(subject: Part, before: Any, after: Any, old: Names, new: Names) -> list[Sentence]:
    """What one parameter may be now, and could not be before, and the other way round."""
    found: list[Sentence] = []
    was, now = _mapping(before), _mapping(after)
    if _required(was) != _required(now):
        must, may = (
            phrase("{name} must now be given.", name=subject),
            phrase("{name} may now be left out.", name=subject),
        )
        found.append(must if _required(now) else may)
    how = ("ref", "compare")
    is_other_kind = any(not _same(was.get(name), now.get(name)) for name in how) or _ref_names(was, old) != _ref_names(
        now, new
    )
    values, earlier = _values(now), _values(was)
    if is_other_kind or bool(values) != bool(earlier):
        left, right = condition_words(_without(was, "from"), old), condition_words(_without(now, "from"), new)
        if text_of(left) != text_of(right):
            found.append(
                phrase("{name} now {condition}; before: {earlier}.", name=subject, condition=right, earlier=left)
            )
        elif not _same(was.get("compare"), now.get("compare")):
            found.append(phrase("{name} is compared in another way now.", name=subject))
    elif not _same(values, earlier):
        found += _value_changes(subject, earlier, values)
    found += _source_changes(subject, was, now, old, new)
    known = ("required", "ref", "compare", "value", "values", "from")
    found += _other_keys(_without(was, *known), _without(now, *known), f"{subject.text}: ")
    return found


def _value_changes(subject: Part, before: Sequence[Any], after: Sequence[Any]) -> list[Sentence]:
    kept = [value for value in after if _among(value, before)]
    added = [value for value in after if not _among(value, before)]
    gone = [value for value in before if not _among(value, after)]
    if not kept:
        now, then = _either(after), _either(before)
        if now == then:
            then, now = apart(_either_whole(before), _either_whole(after))
        values = {"now": Part(now, "value"), "then": Part(then, "value")}
        return [phrase("{name} must now be {now}, no longer {then}.", name=subject, **values)]
    found: list[Sentence] = []
    if added:
        more = Part(_either(added, "and"), "value")
        found.append(phrase("{name} now also accepts {values}.", name=subject, values=more))
    if gone:
        less = Part(_either(gone), "value")
        found.append(phrase("{name} no longer accepts {values}.", name=subject, values=less))
    if not found:
        found.append(phrase("{name} lists its accepted values in another order.", name=subject))
    return found


def _source_changes(
    subject: Part, before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names
) -> list[Sentence]:
    was = [_turn_words(key, old) for key in _list(before.get("from"))]
    now = [_turn_words(key, new) for key in _list(after.get("from"))]
    if was == now:
        return []
    if not now:
        turns = Part(either(was, "and"), "name")
        return [phrase("{name} is no longer said to come from {turns}.", name=subject, turns=turns)]
    turns = Part(either(now, "and"), "name")
    return [phrase("{name} is now said to come from {turns}.", name=subject, turns=turns)]


def _claim_changes(before: Any, after: Any, old: Names, new: Names) -> list[Sentence]:
    left, right = _keyed_claims(before), _keyed_claims(after)
    found: list[Sentence] = []
    for key in {**left, **right}:
        was, now = left.get(key), right.get(key)
        if was is None and now is not None:
            claim = Part(claim_words(now), "value")
            must = phrase("The reply must now say {claim}.", claim=claim)
            found.append(must if _required(now) else phrase("The reply need not say, but may: {claim}.", claim=claim))
        elif now is None and was is not None:
            claim = Part(claim_words(was), "value")
            found.append(phrase("The reply need no longer say {claim}.", claim=claim))
        elif was is not None and now is not None:
            found += _one_claim(was, now, old, new)
    return found


def _one_claim(was: Mapping[str, Any], now: Mapping[str, Any], old: Names, new: Names) -> list[Sentence]:
    found: list[Sentence] = []
    subject = Part(claim_words(now), "value")
    if not _same(was.get("text"), now.get("text")):
        then, text = claim_words(was), claim_words(now)
        if then == text:
            then, text = apart(str(was.get("text") or ""), str(now.get("text") or ""))
        words = {"now": Part(text, "value"), "then": Part(then, "value")}
        found.append(phrase("A claim is now {now}; it was {then}.", **words))
    if _required(was) != _required(now):
        must = phrase("The claim {claim} must now be said.", claim=subject)
        found.append(must if _required(now) else phrase("The claim {claim} need not be said any more.", claim=subject))
    for name in ("contains", "excludes"):
        was_values, now_values = _list(was.get(name)), _list(now.get(name))
        more = [value for value in now_values if not _among(value, was_values)]
        less = [value for value in was_values if not _among(value, now_values)]
        if more:
            found.append(phrase(_HOLDS[name][0], claim=subject, values=Part(_either(more, "and"), "value")))
        if less:
            found.append(phrase(_HOLDS[name][1], claim=subject, values=Part(_either(less, "and"), "value")))
    found += _source_changes(subject, was, now, old, new)
    known = ("id", "text", "required", "contains", "excludes", "from")
    found += _other_keys(_without(was, *known), _without(now, *known), say("The claim {claim}: ", claim=subject.text))
    return found


#: What a claim must hold, or never hold, now; and what no longer.
_HOLDS = {
    "contains": (
        mark("The claim {claim} must now hold {values}."),
        mark("The claim {claim} need no longer hold {values}."),
    ),
    "excludes": (
        mark("The claim {claim} must now never hold {values}."),
        mark("The claim {claim} may now hold {values}."),
    ),
}


def _keyed_claims(claims: Any) -> dict[str, Mapping[str, Any]]:
    """Claims by their id, else by their words: without either a claim is itself only where nothing of it changed."""
    found: dict[str, Mapping[str, Any]] = {}
    for claim in (_mapping(claim) for claim in _list(claims)):
        key = str(claim.get("id") or claim.get("text") or jsonio.canonical(claim))
        while key in found:
            key += "+"
        found[key] = claim
    return found


def _extra_keys_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Sentence]:
    def words(body: Mapping[str, Any]) -> str:
        if body.get("extra") == "allow":
            return say_in("keys of a call", "allowed")
        names = [str(name) for name in _list(body.get("allowed_extra"))]
        if names:
            return say_in("keys of a call", "only {names}", names=either(names, "and"))
        return say_in("keys of a call", "not allowed")

    was, now = words(before), words(after)
    return [] if was == now else [phrase("Other keys are now {now}; before {was}.", now=now, was=was)]


def _step_changes(before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names) -> list[Sentence]:
    found: list[Sentence] = []
    if bool(before.get("optional")) != bool(after.get("optional")):
        may = phrase("The whole step may now be left out.")
        found.append(may if after.get("optional") else phrase("The whole step must no longer be left out."))
    if before.get("group") != after.get("group"):
        group = after.get("group")
        if group is None:
            found.append(phrase("Its order counts now."))
        else:
            name = Part(str(group), "name")
            found.append(phrase("Its order is now free among its neighbours of group {group}.", group=name))
    was, now = _edges(before, old), _edges(after, new)
    if was != now:
        if now is None:
            found.append(phrase("What it depends on is no longer said."))
        elif not now:
            found.append(phrase("It depends on no earlier turn now."))
        else:
            found.append(phrase("It now depends on {turns}.", turns=Part(either(now, "and"), "name")))
    if bool(before.get("critical")) != bool(after.get("critical")):
        is_now = phrase("It is critical now.")
        found.append(is_now if after.get("critical") else phrase("It is no longer critical."))
    if not _same(before.get("weight", 1), after.get("weight", 1)):
        weight, then = value_words(after.get("weight", 1)), value_words(before.get("weight", 1))
        found.append(phrase("Its weight is now {weight}, no longer {then}.", weight=weight, then=then))
    return found


def _edges(body: Mapping[str, Any], names: Names) -> list[str] | None:
    if "depends_on" not in body:
        return None
    found = []
    for edge in _list(body["depends_on"]):
        detailed = edge if isinstance(edge, Mapping) else {"turn": edge}
        kind = str(detailed.get("kind", "state"))
        found.append(edge_words(_turn_words(detailed.get("turn"), names), kind))
    return found


# --- everything else --------------------------------------------------------------------------------------------------


def _listed_changes(before: Any, after: Any, told: Callable[[Mapping[str, Any]], Sentence]) -> list[Sentence]:
    left, right = _list(before), _list(after)
    found: list[Sentence] = []
    for item in right:
        if not _among(item, left):
            words = told(item) if isinstance(item, Mapping) else [Part(value_words(item))]
            found.append(phrase("New: {entry}", entry=words))
    for item in left:
        if not _among(item, right):
            words = told(item) if isinstance(item, Mapping) else [Part(value_words(item))]
            found.append(phrase("No longer: {entry}", entry=words))
    if not found and not _same(left, right):
        found.append(phrase("What holds for the whole conversation is listed in another order."))
    return found


def _other_keys(
    before: Mapping[str, Any], after: Mapping[str, Any], prefix: str, called: Mapping[str, str] | None = None
) -> list[Sentence]:
    """Keys that have no sentence of their own, such as those that an import brought. ``called`` names some of them."""
    found: list[Sentence] = []
    for name in {**before, **after}:
        was, now = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if was is not _ABSENT and now is not _ABSENT and _same(was, now):
            continue
        shown = say(called[name]) if called and name in called else str(name)
        subject = [*([Part(prefix)] if prefix else []), Part(shown, "name")]
        if now is _ABSENT:
            earlier = Part(value_words(was), "value")
            found.append(phrase("{name} is no longer set; it was {value}.", name=subject, value=earlier))
        elif was is _ABSENT:
            found.append(phrase("{name} is now {value}.", name=subject, value=Part(value_words(now), "value")))
        else:
            then, words = value_words(was), value_words(now)
            if then == words:
                then, words = apart(value_text(was), value_text(now))
            values = {"value": Part(words, "value"), "then": Part(then, "value")}
            found.append(phrase("{name} is now {value}; it was {then}.", name=subject, **values))
    return found


def _policy_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Sentence]:
    was, now = _mapping(before.get("policy")), _mapping(after.get("policy"))
    return _other_keys(was, now, say("How it is compared: "), _SETTINGS)


def _values(param: Mapping[str, Any]) -> list[Any]:
    if isinstance(param.get("values"), list):
        return list(param["values"])
    return [param["value"]] if "value" in param else []


def _ref_names(param: Mapping[str, Any], names: Names) -> str:
    ref = param.get("ref")
    return f"{_turn_words(ref.get('turn'), names)} {path_words(ref.get('path'))}" if isinstance(ref, Mapping) else ""


def _turn_words(key: Any, names: Names) -> str:
    return names[str(key)] if str(key) in names else say("turn {number}", number=key)


def _either(values: Sequence[Any], link: str = "or") -> str:
    return either([value_words(value) for value in values], link)


def _either_whole(values: Sequence[Any]) -> str:
    return either([value_text(value) for value in values], "or")


def _among(value: Any, values: Sequence[Any]) -> bool:
    return any(_same(value, other) for other in values)


def _same(one: Any, other: Any) -> bool:
    return jsonio.canonical(one) == jsonio.canonical(other)


def _required(part: Any) -> bool:
    return not isinstance(part, Mapping) or part.get("required", True) is not False


def _without(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in names}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
