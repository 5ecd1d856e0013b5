"""What has changed between two versions of a golden, in sentences that need no knowledge of its format.

Pure. Two versions that differ always give at least one sentence, two that do not give none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.differences import apart, pieces_of
from annotations.sentences import (
    KIND_WORDS,
    Part,
    Sentence,
    claim_words,
    condition_words,
    either,
    forbidden_sentence,
    outcome_sentence,
    path_words,
    text_of,
    tool_words,
    turn_sentence,
    value_words,
)
from annotations.structure import Step, StepDraft, listed
from annotations.ways import compare
from annotations.words import value_text
from evaluation.formats import jsonio

_ABSENT = object()
_KINDS = {"same": "", "del": "del", "ins": "ins"}
Names = Mapping[str, str]
#: What the settings of a policy are called on the pages that edit them.
_SETTINGS = {
    "scorer": "Evaluator",
    "threshold": "Threshold",
    "margin": "Margin",
    "alignment": "Alignment",
    "default_dependencies": "Dependencies that are not said",
    "taint": "Taint",
    "extra_writes": "Unknown calls that change something",
    "composition": "Composition",
    "params": "Rules for parameters",
}


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
            whole.append([Part("The way "), Part(name, "name"), Part(" is no longer accepted.")])
        elif name not in old_paths:
            whole.append([Part("There is another accepted way, "), Part(name, "name"), Part(".")])
        else:
            turns += _path_changes(old_paths[name], new_paths[name], name if several else "")
            whole += _other_keys(
                _without(old_paths[name], "id", "turns"), _without(new_paths[name], "id", "turns"), f"Way {name}: "
            )
    shared = [name for name in old_paths if name in new_paths]
    if shared != [name for name in new_paths if name in old_paths]:
        whole.append([Part("The accepted ways stand in another order.")])
    whole += _listed_changes(old.get("forbidden"), new.get("forbidden"), forbidden_sentence)
    whole += _listed_changes(old.get("outcome"), new.get("outcome"), outcome_sentence)
    whole += _other_keys(
        _without(old, "paths", "forbidden", "outcome"), _without(new, "paths", "forbidden", "outcome"), ""
    )
    whole += _other_keys(_settings(before.get("policy")), _settings(after.get("policy")), "How it is compared: ")
    whole += _other_keys(_without(before, "golden", "policy"), _without(after, "golden", "policy"), "")
    if not turns and not whole:
        whole.append([Part("Something changed that has no words here.")])
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
            found.append(TurnChange("added", path, _name(row.second), ([Part("New. "), *sentence],)))
        elif row.second is None and row.first is not None:
            found.append(TurnChange("removed", path, _name(row.first), ([Part("No longer expected.")],)))
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
    return {step.key: f"turn {step.turn_no}" for step in steps if step.turn_no is not None}


def _name(step: Step) -> str:
    return f"Turn {step.turn_no}" if step.turn_no is not None else "What the user says"


def whole_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Sentence]:
    """Of what a golden in work says for the whole conversation: forbidden calls, outcomes, policy, comment…"""
    found = _listed_changes(before.get("forbidden"), after.get("forbidden"), forbidden_sentence)
    found += _listed_changes(before.get("outcome"), after.get("outcome"), outcome_sentence)
    found += _other_keys(_settings(before.get("policy")), _settings(after.get("policy")), "How it is compared: ")
    if not _same(before.get("comment") or "", after.get("comment") or ""):
        comment = after.get("comment") or ""
        words = [Part("The comment is now "), Part(_quoted(comment), "value")] if comment else [Part("No comment now")]
        found.append([*words, Part(".")])
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
    found += _texts(before, after, "user", "The user now says ")
    found += _texts(before, after, "response", "The expected reply is now ")
    found += _param_changes(_mapping(before.get("params")), _mapping(after.get("params")), old, new)
    found += _claim_changes(before.get("claims"), after.get("claims"), old, new)
    found += _extra_keys_changes(before, after)
    found += _step_changes(before, after, old, new)
    found += _other_keys(_without(before, *_KNOWN), _without(after, *_KNOWN), "")
    if not found:
        found.append([Part("It is written in another way, and means the same.")])
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
    words = {"call": "a call", "reply": "a reply", "user": "something that the user says", "": "nothing"}
    if kinds[0] != kinds[1]:
        return [[Part(f"It is now {words[kinds[1]]}; it was {words[kinds[0]]}.")]]
    if kinds[1] == "call" and any(not _same(before.get(name), after.get(name)) for name in ("tool", "action")):
        now, then = tool_words(after), tool_words(before)
        if now == then:
            return []
        return [[Part("Now "), Part(now, "name"), Part(" is to be called, no longer "), Part(then, "name"), Part(".")]]
    return []


def _texts(before: Mapping[str, Any], after: Mapping[str, Any], name: str, begin: str) -> list[Sentence]:
    if name not in before or name not in after or _same(before[name], after[name]):
        return []
    if isinstance(before[name], str) and isinstance(after[name], str):
        pieces = pieces_of(before[name], after[name])
        if any(piece.kind == "same" and piece.text.strip() for piece in pieces):
            return [[Part(f"{begin.rstrip()}: "), *(Part(piece.text, _KINDS[piece.kind]) for piece in pieces)]]
    now, then = _quoted(after[name]), _quoted(before[name])
    return [[Part(begin), Part(now, "value"), Part("; it was "), Part(then, "value"), Part(".")]]


def _quoted(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else value_words(value)


def _param_changes(before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names) -> list[Sentence]:
    found: list[Sentence] = []
    for name in {**before, **after}:
        subject = Part(name, "name")
        if name not in before:
            words = condition_words(after[name], new)
            asked = " is now asked for: " if _required(after[name]) else " may now be given: "
            found.append([subject, Part(asked), *words, Part(".")])
        elif name not in after:
            found.append([subject, Part(" is no longer expected.")])
        else:
            found += _field_changes(subject, before[name], after[name], old, new)
    return found


def _field_changes(subject: Part, before: Any, after: Any, old: Names, new: Names) -> list[Sentence]:
    """What one parameter may be now, and could not be before, and the other way round."""
    found: list[Sentence] = []
    was, now = _mapping(before), _mapping(after)
    if _required(was) != _required(now):
        words = " must now be given." if _required(now) else " may now be left out."
        found.append([subject, Part(words)])
    how = ("ref", "compare")
    is_other_kind = any(not _same(was.get(name), now.get(name)) for name in how) or _ref_names(was, old) != _ref_names(
        now, new
    )
    values, earlier = _values(now), _values(was)
    if is_other_kind or bool(values) != bool(earlier):
        left, right = condition_words(_without(was, "from"), old), condition_words(_without(now, "from"), new)
        if text_of(left) != text_of(right):
            found.append([subject, Part(" now "), *right, Part("; before: "), *left, Part(".")])
        elif not _same(was.get("compare"), now.get("compare")):
            found.append([subject, Part(" is compared in another way now.")])
    elif not _same(values, earlier):
        found += _value_changes(subject, earlier, values)
    found += _source_changes(subject, was, now, old, new)
    known = ("required", "ref", "compare", "value", "values", "from")
    label = f"{subject.text}: "
    found += _other_keys(_without(was, *known), _without(now, *known), label)
    return found


def _value_changes(subject: Part, before: Sequence[Any], after: Sequence[Any]) -> list[Sentence]:
    kept = [value for value in after if _among(value, before)]
    added = [value for value in after if not _among(value, before)]
    gone = [value for value in before if not _among(value, after)]
    if not kept:
        now, then = _either(after), _either(before)
        if now == then:
            then, now = apart(_either_whole(before), _either_whole(after))
        return [
            [subject, Part(" must now be "), Part(now, "value"), Part(", no longer "), Part(then, "value"), Part(".")]
        ]
    found: list[Sentence] = []
    if added:
        found.append([subject, Part(" now also accepts "), Part(_either(added, "and"), "value"), Part(".")])
    if gone:
        found.append([subject, Part(" no longer accepts "), Part(_either(gone), "value"), Part(".")])
    if not found:
        found.append([subject, Part(" lists its accepted values in another order.")])
    return found


def _source_changes(
    subject: Part, before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names
) -> list[Sentence]:
    was = [_turn_words(key, old) for key in _list(before.get("from"))]
    now = [_turn_words(key, new) for key in _list(after.get("from"))]
    if was == now:
        return []
    if not now:
        return [[subject, Part(" is no longer said to come from "), Part(listed(was), "name"), Part(".")]]
    return [[subject, Part(" is now said to come from "), Part(listed(now), "name"), Part(".")]]


def _claim_changes(before: Any, after: Any, old: Names, new: Names) -> list[Sentence]:
    left, right = _keyed_claims(before), _keyed_claims(after)
    found: list[Sentence] = []
    for key in {**left, **right}:
        was, now = left.get(key), right.get(key)
        if was is None and now is not None:
            needs = "must now say " if _required(now) else "need not say, but may: "
            found.append([Part(f"The reply {needs}"), Part(claim_words(now), "value"), Part(".")])
        elif now is None and was is not None:
            found.append([Part("The reply need no longer say "), Part(claim_words(was), "value"), Part(".")])
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
        found.append([Part("A claim is now "), Part(text, "value"), Part("; it was "), Part(then, "value"), Part(".")])
    if _required(was) != _required(now):
        words = " must now be said." if _required(now) else " need not be said any more."
        found.append([Part("The claim "), subject, Part(words)])
    for name, more, less in (
        ("contains", " must now hold ", " need no longer hold "),
        ("excludes", " must now never hold ", " may now hold "),
    ):
        was_values, now_values = _list(was.get(name)), _list(now.get(name))
        for words, values in (
            (more, [value for value in now_values if not _among(value, was_values)]),
            (less, [value for value in was_values if not _among(value, now_values)]),
        ):
            if values:
                found.append(
                    [Part("The claim "), subject, Part(words), Part(_either(values, "and"), "value"), Part(".")]
                )
    found += _source_changes(subject, was, now, old, new)
    known = ("id", "text", "required", "contains", "excludes", "from")
    found += _other_keys(_without(was, *known), _without(now, *known), f"The claim {subject.text}: ")
    return found


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
            return "allowed"
        names = [str(name) for name in _list(body.get("allowed_extra"))]
        return f"only {either(names, 'and')}" if names else "not allowed"

    was, now = words(before), words(after)
    return [] if was == now else [[Part(f"Other keys are now {now}; before {was}.")]]


def _step_changes(before: Mapping[str, Any], after: Mapping[str, Any], old: Names, new: Names) -> list[Sentence]:
    found: list[Sentence] = []
    if bool(before.get("optional")) != bool(after.get("optional")):
        words = "may now be left out" if after.get("optional") else "must no longer be left out"
        found.append([Part(f"The whole step {words}.")])
    if before.get("group") != after.get("group"):
        group = after.get("group")
        if group is None:
            found.append([Part("Its order counts now.")])
        else:
            found.append([Part("Its order is now free among its neighbours of group "), Part(str(group), "name")])
            found[-1].append(Part("."))
    was, now = _edges(before, old), _edges(after, new)
    if was != now:
        if now is None:
            found.append([Part("What it depends on is no longer said.")])
        elif not now:
            found.append([Part("It depends on no earlier turn now.")])
        else:
            found.append([Part("It now depends on "), Part(listed(now), "name"), Part(".")])
    if bool(before.get("critical")) != bool(after.get("critical")):
        found.append([Part("It is critical now." if after.get("critical") else "It is no longer critical.")])
    if not _same(before.get("weight", 1), after.get("weight", 1)):
        found.append(
            [
                Part(
                    f"Its weight is now {value_words(after.get('weight', 1))}, no longer "
                    f"{value_words(before.get('weight', 1))}."
                )
            ]
        )
    return found


def _edges(body: Mapping[str, Any], names: Names) -> list[str] | None:
    if "depends_on" not in body:
        return None
    found = []
    for edge in _list(body["depends_on"]):
        detailed = edge if isinstance(edge, Mapping) else {"turn": edge}
        kind = str(detailed.get("kind", "state"))
        found.append(f"{_turn_words(detailed.get('turn'), names)} ({KIND_WORDS.get(kind, kind)})")
    return found


# --- everything else --------------------------------------------------------------------------------------------------


def _listed_changes(before: Any, after: Any, say: Any) -> list[Sentence]:
    left, right = _list(before), _list(after)
    found: list[Sentence] = []
    for item in right:
        if not _among(item, left):
            found.append([Part("New: "), *(say(item) if isinstance(item, Mapping) else [Part(value_words(item))])])
    for item in left:
        if not _among(item, right):
            words = say(item) if isinstance(item, Mapping) else [Part(value_words(item))]
            found.append([Part("No longer: "), *words])
    if not found and not _same(left, right):
        found.append([Part("What holds for the whole conversation is listed in another order.")])
    return found


def _other_keys(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str) -> list[Sentence]:
    """Keys that have no sentence of their own, such as those that an import brought."""
    found: list[Sentence] = []
    for name in {**before, **after}:
        was, now = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if was is not _ABSENT and now is not _ABSENT and _same(was, now):
            continue
        subject = [Part(prefix), Part(str(name), "name")] if prefix else [Part(str(name), "name")]
        if now is _ABSENT:
            found.append([*subject, Part(" is no longer set; it was "), Part(value_words(was), "value"), Part(".")])
        elif was is _ABSENT:
            found.append([*subject, Part(" is now "), Part(value_words(now), "value"), Part(".")])
        else:
            then, words = value_words(was), value_words(now)
            if then == words:
                then, words = apart(value_text(was), value_text(now))
            found.append(
                [*subject, Part(" is now "), Part(words, "value"), Part("; it was "), Part(then, "value"), Part(".")]
            )
    return found


def _settings(policy: Any) -> dict[str, Any]:
    return {_SETTINGS.get(name, name): value for name, value in _mapping(policy).items()}


def _values(param: Mapping[str, Any]) -> list[Any]:
    if isinstance(param.get("values"), list):
        return list(param["values"])
    return [param["value"]] if "value" in param else []


def _ref_names(param: Mapping[str, Any], names: Names) -> str:
    ref = param.get("ref")
    return f"{_turn_words(ref.get('turn'), names)} {path_words(ref.get('path'))}" if isinstance(ref, Mapping) else ""


def _turn_words(key: Any, names: Names) -> str:
    return names.get(str(key), f"turn {key}")


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
