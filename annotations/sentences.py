"""What the system understood of a golden, said back in plain words. Pure: values in, text out.

A sentence is a list of parts, so that a page can set names and values apart; ``text_of`` joins them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evaluation.formats import jsonio

SHOWN_LENGTH = 80
_LOOKS_TYPED = frozenset({"", "true", "false", "yes", "no", "null", "none"})


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: plain words, the ``name`` of a field, a ``value``, words that came (``ins``) or went."""

    text: str
    kind: str = ""


Sentence = list[Part]
_MARKS = {"ins": "{{+{}+}}", "del": "[-{}-]"}


def text_of(sentence: Iterable[Part]) -> str:
    """As plain text; words that came and went are marked as ``{+came+}`` and ``[-went-]``."""
    return "".join(_MARKS.get(part.kind, "{}").format(part.text) for part in sentence)


def value_words(value: Any) -> str:
    """A value as it is read aloud; a text that could be taken for something else says that it is a text.

    >>> value_words("EU"), value_words("1"), value_words(1), value_words(True), value_words(None)
    ('EU', 'the text “1”', '1', 'yes', 'nothing (null)')
    >>> value_words("[1]"), value_words([1])
    ('the text “[1]”', '[1]')
    """
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        shown = value if len(value) <= SHOWN_LENGTH else f"{value[: SHOWN_LENGTH - 1]}…"
        if value.strip().lower() in _LOOKS_TYPED or value != value.strip() or _reads_as_other(value):
            return f"the text “{shown}”"
        return shown
    text = jsonio.dumps(value)
    return text if len(text) <= SHOWN_LENGTH else f"{text[: SHOWN_LENGTH - 1]}…"


def _reads_as_other(text: str) -> bool:
    """Whether a text is written as a number, a list or an object would be."""
    try:
        return text[:1] in "-0123456789[{" and not isinstance(jsonio.loads(text), str | bool | None)
    except jsonio.JsonError:
        return False


def turn_sentence(body: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> Sentence:
    """When a golden turn passes. ``turns`` names other turns by their ids, such as ``{"g2": "turn 2"}``.

    >>> text_of(turn_sentence({"tool": "reports", "params": {
    ...     "metric": {"value": "revenue"}, "region": {"values": ["EU", "Europe"]},
    ...     "limit": {"value": 10, "required": False}}}))
    'Passes if reports is called, metric is revenue and region is EU or Europe; limit may be left out, else it is 10; other keys are not allowed.'
    """  # noqa: E501 - one sentence is one line
    turns = turns or {}
    if "user" in body:
        return [Part("The user says this; nothing is checked.")]
    sentence = _call_sentence(body, turns) if "tool" in body else _reply_sentence(body, turns)
    for extra in _step_sentences(body, turns):
        sentence += [Part(" "), *extra]
    return sentence


def _call_sentence(body: Mapping[str, Any], turns: Mapping[str, str]) -> Sentence:
    sentence = [Part("Passes if "), Part(tool_words(body), "name"), Part(" is called")]
    params = _mapping(body.get("params"))
    conditions = [_param_condition(name, param, turns) for name, param in params.items() if _required(param)]
    sentence += _enumerated(conditions)
    left_out = [(name, param) for name, param in params.items() if not _required(param)]
    for name, param in left_out:
        sentence += [Part("; "), Part(name, "name"), Part(" may be left out")]
        words = condition_words(param, turns)
        sentence += [Part(", else it "), *words]
    if body.get("extra") == "allow":
        sentence.append(Part("; other keys are allowed"))
    elif body.get("allowed_extra"):
        names = [str(name) for name in _list(body["allowed_extra"])]
        sentence += [Part("; of other keys only "), Part(either(names, "and"), "name"), Part(" may be given")]
    else:
        sentence.append(Part("; other keys are not allowed"))
    return [*sentence, Part(".")]


def tool_words(body: Mapping[str, Any]) -> str:
    """The tool of a call or pattern, with its action where one is named."""
    action = body.get("action")
    return f"{body.get('tool')} · {action}" if action else str(body.get("tool"))


def _enumerated(conditions: list[Sentence]) -> Sentence:
    found: Sentence = []
    for position, condition in enumerate(conditions):
        found.append(Part(" and " if position == len(conditions) - 1 and position else ", "))
        found += condition
    return found


def _param_condition(name: str, param: Any, turns: Mapping[str, str]) -> Sentence:
    return [Part(name, "name"), Part(" "), *condition_words(param, turns)]


def condition_words(param: Any, turns: Mapping[str, str]) -> Sentence:
    """What a value must be: "is EU or Europe", "is what turn 2 returned at $.id"."""
    param = _mapping(param)
    ref = param.get("ref")
    if isinstance(ref, Mapping):
        return [
            Part("is what "),
            Part(_turn_words(ref.get("turn"), turns), "name"),
            Part(" returned as "),
            Part(path_words(ref.get("path")), "value"),
        ]
    compare = param.get("compare")
    kind = compare.get("as") if isinstance(compare, Mapping) else compare
    values = param["values"] if isinstance(param.get("values"), list) else [param["value"]] if "value" in param else []
    if kind == "any" or not values:
        return [Part("is given, with any value but null")]
    shown = either([value_words(value) for value in values], "or")
    before, after = _compare_words(kind, compare if isinstance(compare, Mapping) else {}, plural=len(values) > 1)
    sentence = [Part(before), Part(shown, "value")]
    if after:
        sentence.append(Part(after))
    if param.get("from"):
        names = either([_turn_words(key, turns) for key in _list(param["from"])], "and")
        sentence.append(Part(f" (it comes from {names})"))
    return sentence


def path_words(path: Any) -> str:
    """A field of a result without the signs that only programs need.

    >>> path_words("$.orders[0].id"), path_words("$[0].id"), path_words("$")
    ('orders[0].id', '[0].id', 'the whole result')
    """
    text = str(path)
    if text == "$":
        return "the whole result"
    return text[2:] if text.startswith("$.") and len(text) > 2 else text[1:] if text.startswith("$[") else text


def _compare_words(kind: Any, compare: Mapping[str, Any], *, plural: bool) -> tuple[str, str]:
    if kind == "number":
        room = []
        if compare.get("abs") is not None:
            room.append(value_words(compare["abs"]))
        if compare.get("rel") is not None:
            room.append(_percent(compare["rel"]))
        return "is ", f", give or take {' or '.join(room)}" if room else ""
    words = {
        "literal": "is exactly ",
        "text": "says the same as ",
        "date": "is the date ",
        "regex": "matches one of the patterns " if plural else "matches the pattern ",
        "set": "holds the same as ",
        "list": "is the list ",
        "object": "is the object ",
    }
    return words.get(str(kind), "is "), ", in any order" if kind == "set" else ""


def _percent(share: Any) -> str:
    if isinstance(share, int | Decimal) and not isinstance(share, bool):
        percent = (Decimal(share) * 100).normalize()
        return f"{percent:f} %"
    return f"{value_words(share)} of it"


def _reply_sentence(body: Mapping[str, Any], turns: Mapping[str, str]) -> Sentence:
    claims = [claim for claim in _list(body.get("claims")) if isinstance(claim, Mapping)]
    if not claims:
        return [Part("Passes if the reply says the same as the expected one, as a whole.")]
    required = [claim for claim in claims if _required(claim)]
    sentence: Sentence = [Part("Passes if the reply ")] if required else [Part("Passes whatever the reply leaves out")]
    for position, claim in enumerate(required):
        if position:
            sentence.append(Part(" and " if position == len(required) - 1 else ", "))
        sentence += _claim_condition(claim)
    for claim in claims:
        if _required(claim):
            continue
        sentence += [Part("; it need not say "), Part(claim_words(claim), "value")]
        if claim.get("excludes"):
            values = either([value_words(value) for value in _list(claim["excludes"])], "or")
            sentence += [Part(", but never "), Part(values, "value")]
    return [*sentence, Part(".")]


def claim_words(claim: Mapping[str, Any]) -> str:
    """What a claim says, shortened, or the values that it asks for."""
    text = str(claim.get("text") or "")
    if text:
        return f"“{text}”" if len(text) <= SHOWN_LENGTH else f"“{text[: SHOWN_LENGTH - 1]}…”"
    return either([value_words(value) for value in _list(claim.get("contains"))], "and") or "an empty claim"


def _claim_condition(claim: Mapping[str, Any]) -> Sentence:
    contains = [value_words(value) for value in _list(claim.get("contains"))]
    excludes = [value_words(value) for value in _list(claim.get("excludes"))]
    if not contains and not excludes:
        return [Part("says "), Part(claim_words(claim), "value")]
    sentence: Sentence = []
    if contains:
        sentence += [Part("contains "), Part(either(contains, "and"), "value")]
    if excludes:
        sentence.append(Part(" but not " if contains else "does not contain "))
        sentence.append(Part(either(excludes, "or"), "value"))
    return sentence


def _step_sentences(body: Mapping[str, Any], turns: Mapping[str, str]) -> Iterable[Sentence]:
    if body.get("optional"):
        yield [Part("The whole step may be left out.")]
    if body.get("group") is not None:
        yield [Part("Its order is free among its neighbours of group "), Part(str(body["group"]), "name"), Part(".")]
    if "depends_on" in body:
        edges = [_edge(edge) for edge in _list(body["depends_on"])]
        if not edges:
            yield [Part("It depends on no earlier turn.")]
        else:
            words = [f"{_turn_words(key, turns)} ({KIND_WORDS.get(kind, kind)})" for key, kind in edges]
            yield [Part("It depends on "), Part(either(words, "and"), "name"), Part(".")]
    if body.get("critical"):
        yield [Part("It is critical.")]
    if "weight" in body and body["weight"] != 1:
        yield [Part(f"Its weight is {value_words(body['weight'])}.")]


KIND_WORDS = {
    "state": "works on what it did",
    "data": "uses its result",
    "control": "happens because of it",
}


def _edge(edge: Any) -> tuple[str, str]:
    if isinstance(edge, Mapping):
        return str(edge.get("turn")), str(edge.get("kind", "state"))
    return str(edge), "state"


def forbidden_sentence(pattern: Mapping[str, Any]) -> Sentence:
    """
    >>> text_of(forbidden_sentence({"tool": "mail", "params": {"to": {"value": "all"}}}))
    'The run fails if mail is called where to is all.'
    """
    sentence = [Part("The run fails if "), Part(tool_words(pattern), "name"), Part(" is called")]
    return [*sentence, *_where(pattern), Part(".")]


def _where(pattern: Mapping[str, Any]) -> Sentence:
    conditions = [_param_condition(name, param, {}) for name, param in _mapping(pattern.get("params")).items()]
    if not conditions:
        return []
    return [Part(" where "), *_enumerated(conditions)[1:]]


def outcome_sentence(assertion: Mapping[str, Any]) -> Sentence:
    """
    >>> text_of(outcome_sentence({"kind": "said", "contains": ["120"]}))
    'In the end some reply has said the text “120”.'
    """
    kind = assertion.get("kind")
    if kind in ("said", "not_said"):
        values = either([value_words(value) for value in _list(assertion.get("contains"))], "and")
        words = "In the end some reply has said " if kind == "said" else "In the end no reply has said "
        if kind == "not_said":
            values = either([value_words(value) for value in _list(assertion.get("contains"))], "or")
        return [Part(words), Part(values, "value"), Part(".")]
    if kind == "called":
        times = assertion.get("times")
        count = " at least once" if times is None else f" exactly {times} time{'' if times == 1 else 's'}"
        start = [Part("In the end "), Part(tool_words(assertion), "name"), Part(f" was called{count} without error")]
        return [*start, *_where(assertion), Part(".")]
    if kind == "state":
        start = [Part("In the final state "), Part(path_words(assertion.get("path")), "name"), Part(" ")]
        has_value = "value" in assertion or "values" in assertion
        condition = condition_words(assertion, {}) if has_value else [Part("is there, and is not null")]
        return [*start, *condition, Part(".")]
    return [Part("A person judges: "), Part(str(assertion.get("text") or ""), "value")]


def fields_of(body: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Each field of a turn with what is said of it, so that two versions can be laid side by side."""
    turns = turns or {}
    fields: dict[str, str] = {}
    if "user" in body:
        fields["user"] = str(body["user"])
    if "response" in body:
        fields["expected reply"] = str(body["response"])
        for position, claim in enumerate(_list(body.get("claims")), start=1):
            if isinstance(claim, Mapping):
                needs = "" if _required(claim) else " (need not be said)"
                said = f"{claim_words(claim)}: {text_of(_claim_condition(claim))}{needs}"
                fields[f"claim {claim.get('id') or position}"] = said + _source_words(claim, turns)
    if "tool" in body:
        fields["tool"] = str(body["tool"])
        fields["action"] = str(body["action"]) if body.get("action") else "any"
        for name, param in _mapping(body.get("params")).items():
            needs = "" if _required(param) else "may be left out, else "
            fields[f"parameter {name}"] = needs + text_of(condition_words(param, turns))
        fields["other keys"] = (
            "allowed"
            if body.get("extra") == "allow"
            else either([str(name) for name in _list(body.get("allowed_extra"))], "and") or "not allowed"
        )
    fields["step"] = " ".join(text_of(sentence) for sentence in _step_sentences(body, turns)) or "as usual"
    return fields


def params_of(body: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> list[tuple[str, Sentence]]:
    """Each expected parameter of a call and what it must be.

    >>> [(name, text_of(words)) for name, words in params_of(
    ...     {"tool": "t", "params": {"id": {"value": "C-1"}, "n": {"value": 2, "required": False}}})]
    [('id', 'is C-1'), ('n', 'may be left out, else is 2')]
    """
    found = []
    for name, param in _mapping(body.get("params")).items():
        words = condition_words(param, turns or {})
        found.append((name, words if _required(param) else [Part("may be left out, else "), *words]))
    return found


def _source_words(part: Mapping[str, Any], turns: Mapping[str, str]) -> str:
    if not part.get("from"):
        return ""
    return f" (it comes from {either([_turn_words(key, turns) for key in _list(part['from'])], 'and')})"


def _turn_words(key: Any, turns: Mapping[str, str]) -> str:
    return turns.get(str(key), f"turn {key}")


def _required(part: Any) -> bool:
    return not isinstance(part, Mapping) or part.get("required", True) is not False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def either(words: list[str], link: str) -> str:
    """Words in a row, the last one after ``link``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {link} {words[-1]}"
