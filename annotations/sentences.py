"""What the system understood of a golden, said back in plain words. Pure: values in, text out.

A sentence is a list of parts, so that a page can set names and values apart; ``text_of`` joins them. Each is made of
whole clauses by ``phrase``, so that a translation can put their parts in another order.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evaluation.aem.language import mark, say, say_in, say_n
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


def phrase(text: str, /, **values: Part | Sentence | str | float) -> Sentence:
    """A clause in the reader's language, with what fills its ``{placeholders}`` as parts of their own.

    >>> phrase("{tool} is called", tool=Part("reports", "name"))
    [Part(text='reports', kind='name'), Part(text=' is called', kind='')]
    """
    return _phrase(say(text), text, values)


def phrase_in(context: str, text: str, /, **values: Part | Sentence | str | float) -> Sentence:
    """As ``phrase``, for a text that is too short to be clear: ``context`` tells the translator what it is about."""
    return _phrase(say_in(context, text), text, values)


def _phrase(translated: str, text: str, values: Mapping[str, Any]) -> Sentence:
    if not values:
        return [Part(translated)]
    try:
        return _cut(translated, values)
    except (KeyError, ValueError):
        return _cut(text, values)  # a translation that cannot be filled in is worse than English


def _cut(text: str, values: Mapping[str, Any]) -> Sentence:
    found: Sentence = []
    for words, name, _, _ in string.Formatter().parse(text):
        value = [] if name is None else values[name]
        pieces = value if isinstance(value, list) else [value if isinstance(value, Part) else Part(str(value))]
        for part in [Part(words), *pieces]:
            if found and found[-1].kind == part.kind == "":
                found[-1] = Part(found[-1].text + part.text)
            elif part.text or part.kind:
                found.append(part)
    return found


def joined(sentences: Sequence[Sentence], link: str) -> Sentence:
    """Clauses in a row; ``link`` before the last one is "and" or "or".

    >>> text_of(joined([[Part("a is 1")], [Part("b is 2")], [Part("c is 3")]], "and"))
    'a is 1, b is 2 and c is 3'
    """
    if len(sentences) < 2:
        return [part for sentence in sentences for part in sentence]
    first = _row(sentences[:-1], ", ")
    if link == "or":
        return phrase_in("end of a list", "{first} or {last}", first=first, last=sentences[-1])
    return phrase_in("end of a list", "{first} and {last}", first=first, last=sentences[-1])


def _row(sentences: Iterable[Sentence], between: str) -> Sentence:
    found: Sentence = []
    for number, sentence in enumerate(sentences):
        found += [Part(between), *sentence] if number else sentence
    return found


def either(words: Sequence[str], link: str) -> str:
    """Words in a row; ``link`` before the last one is "and" or "or".

    >>> either(["EU", "Europe"], "or")
    'EU or Europe'
    """
    return text_of(joined([[Part(word)] for word in words], link))


def any_of(words: Sequence[str]) -> str:
    """Words of which each would do, without commas.

    >>> any_of(["text", "a number", "a list"])
    'text or a number or a list'
    """
    found = "".join(words[:1])
    for word in words[1:]:
        found = say_in("end of a list", "{first} or {last}", first=found, last=word)
    return found


def value_words(value: Any) -> str:
    """A value as it is read aloud; a text that could be taken for something else says that it is a text.

    >>> value_words("EU"), value_words("1"), value_words(1), value_words(True), value_words(None)
    ('EU', 'the text “1”', '1', 'yes', 'nothing (null)')
    >>> value_words("[1]"), value_words([1])
    ('the text “[1]”', '[1]')
    """
    if value is None:
        return say("nothing (null)")
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, str):
        shown = value if len(value) <= SHOWN_LENGTH else f"{value[: SHOWN_LENGTH - 1]}…"
        if value.strip().lower() in _LOOKS_TYPED or value != value.strip() or _reads_as_other(value):
            return say("the text “{text}”", text=shown)
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
        return phrase("The user says this; nothing is checked.")
    sentence = _call_sentence(body, turns) if "tool" in body else _reply_sentence(body, turns)
    return _row([sentence, *_step_sentences(body, turns)], " ")


def _call_sentence(body: Mapping[str, Any], turns: Mapping[str, str]) -> Sentence:
    tool = Part(tool_words(body), "name")
    params = _mapping(body.get("params"))
    conditions = [_param_condition(name, param, turns) for name, param in params.items() if _required(param)]
    if conditions:
        clauses = [phrase("Passes if {tool} is called, {conditions}", tool=tool, conditions=joined(conditions, "and"))]
    else:
        clauses = [phrase("Passes if {tool} is called", tool=tool)]
    for name, param in params.items():
        if not _required(param):
            subject, words = Part(name, "name"), condition_words(param, turns)
            clauses.append(phrase("{name} may be left out, else it {condition}", name=subject, condition=words))
    if body.get("extra") == "allow":
        clauses.append(phrase("other keys are allowed"))
    elif body.get("allowed_extra"):
        names = either([str(name) for name in _list(body["allowed_extra"])], "and")
        clauses.append(phrase("of other keys only {names} may be given", names=Part(names, "name")))
    else:
        clauses.append(phrase("other keys are not allowed"))
    return [*_row(clauses, "; "), Part(".")]


def tool_words(body: Mapping[str, Any]) -> str:
    """The tool of a call or pattern, with its action where one is named."""
    action = body.get("action")
    return f"{body.get('tool')} · {action}" if action else str(body.get("tool"))


def _param_condition(name: str, param: Any, turns: Mapping[str, str]) -> Sentence:
    return [Part(name, "name"), Part(" "), *condition_words(param, turns)]


def condition_words(param: Any, turns: Mapping[str, str]) -> Sentence:
    """What a value must be: "is EU or Europe", "is what turn 2 returned at $.id"."""
    param = _mapping(param)
    ref = param.get("ref")
    if isinstance(ref, Mapping):
        return phrase(
            "is what {turn} returned as {path}",
            turn=Part(_turn_words(ref.get("turn"), turns), "name"),
            path=Part(path_words(ref.get("path")), "value"),
        )
    compare = param.get("compare")
    kind = compare.get("as") if isinstance(compare, Mapping) else compare
    values = param["values"] if isinstance(param.get("values"), list) else [param["value"]] if "value" in param else []
    if kind == "any" or not values:
        return phrase("is given, with any value but null")
    shown = Part(either([value_words(value) for value in values], "or"), "value")
    sentence = _compared(kind, compare if isinstance(compare, Mapping) else {}, shown, is_plural=len(values) > 1)
    return _with_source(sentence, param, turns)


def _with_source(sentence: Sentence, part: Mapping[str, Any], turns: Mapping[str, str]) -> Sentence:
    if not part.get("from"):
        return sentence
    names = either([_turn_words(key, turns) for key in _list(part["from"])], "and")
    return phrase("{condition} (it comes from {turns})", condition=sentence, turns=names)


def path_words(path: Any) -> str:
    """A field of a result without the signs that only programs need.

    >>> path_words("$.orders[0].id"), path_words("$[0].id"), path_words("$")
    ('orders[0].id', '[0].id', 'the whole result')
    """
    text = str(path)
    if text == "$":
        return say("the whole result")
    return text[2:] if text.startswith("$.") and len(text) > 2 else text[1:] if text.startswith("$[") else text


_COMPARED = {
    "literal": mark("is exactly {value}"),
    "text": mark("says the same as {value}"),
    "date": mark("is the date {value}"),
    "set": mark("holds the same as {value}, in any order"),
    "list": mark("is the list {value}"),
    "object": mark("is the object {value}"),
}


def _compared(kind: Any, compare: Mapping[str, Any], shown: Part, *, is_plural: bool) -> Sentence:
    room = []
    if kind == "number":
        if compare.get("abs") is not None:
            room.append(value_words(compare["abs"]))
        if compare.get("rel") is not None:
            room.append(_percent(compare["rel"]))
    if room:
        return phrase("is {value}, give or take {room}", value=shown, room=either(room, "or"))
    if kind == "regex":
        if is_plural:
            return phrase("matches one of the patterns {value}", value=shown)
        return phrase("matches the pattern {value}", value=shown)
    if str(kind) in _COMPARED:
        return phrase(_COMPARED[str(kind)], value=shown)
    return phrase("is {value}", value=shown)


def _percent(share: Any) -> str:
    if isinstance(share, int | Decimal) and not isinstance(share, bool):
        percent = (Decimal(share) * 100).normalize()
        return f"{percent:f} %"
    return say("{share} of it", share=value_words(share))


def _reply_sentence(body: Mapping[str, Any], turns: Mapping[str, str]) -> Sentence:
    claims = [claim for claim in _list(body.get("claims")) if isinstance(claim, Mapping)]
    if not claims:
        return phrase("Passes if the reply says the same as the expected one, as a whole.")
    required = [_claim_condition(claim) for claim in claims if _required(claim)]
    if required:
        clauses = [phrase("Passes if the reply {conditions}", conditions=joined(required, "and"))]
    else:
        clauses = [phrase("Passes whatever the reply leaves out")]
    for claim in claims:
        if _required(claim):
            continue
        said = Part(claim_words(claim), "value")
        if claim.get("excludes"):
            never = Part(either([value_words(value) for value in _list(claim["excludes"])], "or"), "value")
            clauses.append(phrase("it need not say {claim}, but never {values}", claim=said, values=never))
        else:
            clauses.append(phrase("it need not say {claim}", claim=said))
    return [*_row(clauses, "; "), Part(".")]


def claim_words(claim: Mapping[str, Any]) -> str:
    """What a claim says, shortened, or the values that it asks for."""
    text = str(claim.get("text") or "")
    if text:
        return f"“{text}”" if len(text) <= SHOWN_LENGTH else f"“{text[: SHOWN_LENGTH - 1]}…”"
    return either([value_words(value) for value in _list(claim.get("contains"))], "and") or say("an empty claim")


def _claim_condition(claim: Mapping[str, Any]) -> Sentence:
    contains = [value_words(value) for value in _list(claim.get("contains"))]
    excludes = [value_words(value) for value in _list(claim.get("excludes"))]
    values, others = Part(either(contains, "and"), "value"), Part(either(excludes, "or"), "value")
    if contains and excludes:
        return phrase("contains {values} but not {others}", values=values, others=others)
    if contains:
        return phrase("contains {values}", values=values)
    if excludes:
        return phrase("does not contain {values}", values=others)
    return phrase("says {claim}", claim=Part(claim_words(claim), "value"))


def _step_sentences(body: Mapping[str, Any], turns: Mapping[str, str]) -> Iterable[Sentence]:
    if body.get("optional"):
        yield phrase("The whole step may be left out.")
    if body.get("group") is not None:
        group = Part(str(body["group"]), "name")
        yield phrase("Its order is free among its neighbours of group {group}.", group=group)
    if "depends_on" in body:
        edges = [_edge(edge) for edge in _list(body["depends_on"])]
        if not edges:
            yield phrase("It depends on no earlier turn.")
        else:
            words = [edge_words(_turn_words(key, turns), kind) for key, kind in edges]
            yield phrase("It depends on {turns}.", turns=Part(either(words, "and"), "name"))
    if body.get("critical"):
        yield phrase("It is critical.")
    if "weight" in body and body["weight"] != 1:
        yield phrase("Its weight is {weight}.", weight=value_words(body["weight"]))


KIND_WORDS = {
    "state": mark("works on what it did"),
    "data": mark("uses its result"),
    "control": mark("happens because of it"),
}


def edge_words(turn: str, kind: str) -> str:
    """A turn that another builds on, and how: "turn 2 (uses its result)"."""
    return f"{turn} ({say(KIND_WORDS[kind]) if kind in KIND_WORDS else kind})"


def _edge(edge: Any) -> tuple[str, str]:
    if isinstance(edge, Mapping):
        return str(edge.get("turn")), str(edge.get("kind", "state"))
    return str(edge), "state"


def forbidden_sentence(pattern: Mapping[str, Any]) -> Sentence:
    """
    >>> text_of(forbidden_sentence({"tool": "mail", "params": {"to": {"value": "all"}}}))
    'The run fails if mail is called where to is all.'
    """
    tool, where = Part(tool_words(pattern), "name"), _where(pattern)
    if where:
        return phrase("The run fails if {tool} is called where {conditions}.", tool=tool, conditions=where)
    return phrase("The run fails if {tool} is called.", tool=tool)


def _where(pattern: Mapping[str, Any]) -> Sentence:
    """The conditions of a pattern; empty where there are none."""
    params = _mapping(pattern.get("params"))
    return joined([_param_condition(name, param, {}) for name, param in params.items()], "and")


def outcome_sentence(assertion: Mapping[str, Any]) -> Sentence:
    """
    >>> text_of(outcome_sentence({"kind": "said", "contains": ["120"]}))
    'In the end some reply has said the text “120”.'
    """
    kind = assertion.get("kind")
    contains = [value_words(value) for value in _list(assertion.get("contains"))]
    if kind == "said":
        return phrase("In the end some reply has said {values}.", values=Part(either(contains, "and"), "value"))
    if kind == "not_said":
        return phrase("In the end no reply has said {values}.", values=Part(either(contains, "or"), "value"))
    if kind == "called":
        tool, where, times = Part(tool_words(assertion), "name"), _where(assertion), _times(assertion.get("times"))
        if where:
            return phrase(
                "In the end {tool} was called {times} without error where {conditions}.",
                tool=tool,
                times=times,
                conditions=where,
            )
        return phrase("In the end {tool} was called {times} without error.", tool=tool, times=times)
    path = Part(path_words(assertion.get("path")), "name")
    if kind == "state" and ("value" in assertion or "values" in assertion):
        condition = condition_words(assertion, {})
        return phrase("In the final state {path} {condition}.", path=path, condition=condition)
    if kind == "state":
        return phrase("In the final state {path} is there, and is not null.", path=path)
    return phrase("A person judges: {text}", text=Part(str(assertion.get("text") or ""), "value"))


def _times(times: Any) -> str:
    if times is None:
        return say("at least once")
    count = 1 if times == 1 else times if isinstance(times, int) else 2
    return say_n("exactly {times} time", "exactly {times} times", count, times=times)


def fields_of(body: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Each field of a turn with what is said of it, so that two versions can be laid side by side.

    The fields have the same keys in every language; ``field_words`` is what they are called.
    """
    turns = turns or {}
    fields: dict[str, str] = {}
    if "user" in body:
        fields["user"] = str(body["user"])
    if "response" in body:
        fields["expected reply"] = str(body["response"])
        for position, claim in enumerate(_list(body.get("claims")), start=1):
            if isinstance(claim, Mapping):
                said: Sentence = [Part(f"{claim_words(claim)}: "), *_claim_condition(claim)]
                if not _required(claim):
                    said = phrase("{claim} (need not be said)", claim=said)
                fields[f"claim {claim.get('id') or position}"] = text_of(_with_source(said, claim, turns))
    if "tool" in body:
        fields["tool"] = str(body["tool"])
        fields["action"] = str(body["action"]) if body.get("action") else say_in("action of a tool", "any")
        for name, words in params_of(body, turns):
            fields[f"parameter {name}"] = text_of(words)
        fields["other keys"] = (
            say_in("keys of a call", "allowed")
            if body.get("extra") == "allow"
            else either([str(name) for name in _list(body.get("allowed_extra"))], "and")
            or say_in("keys of a call", "not allowed")
        )
    fields["step"] = text_of(_row(_step_sentences(body, turns), " ")) or say("as usual")
    return fields


_FIELD_WORDS = {
    "user": mark("user"),
    "expected reply": mark("expected reply"),
    "tool": mark("tool"),
    "action": mark("action"),
    "other keys": mark("other keys"),
    "step": mark("step"),
}


def field_words(key: str) -> str:
    """What a field of ``fields_of`` is called.

    >>> field_words("parameter region"), field_words("step")
    ('parameter region', 'step')
    """
    if key in _FIELD_WORDS:
        return say(_FIELD_WORDS[key])
    kind, _, name = key.partition(" ")
    return say("parameter {name}", name=name) if kind == "parameter" else say("claim {name}", name=name)


def params_of(body: Mapping[str, Any], turns: Mapping[str, str] | None = None) -> list[tuple[str, Sentence]]:
    """Each expected parameter of a call and what it must be.

    >>> [(name, text_of(words)) for name, words in params_of(
    ...     {"tool": "t", "params": {"id": {"value": "C-1"}, "n": {"value": 2, "required": False}}})]
    [('id', 'is C-1'), ('n', 'may be left out, else is 2')]
    """
    found = []
    for name, param in _mapping(body.get("params")).items():
        words = condition_words(param, turns or {})
        found.append(
            (name, words if _required(param) else phrase("may be left out, else {condition}", condition=words))
        )
    return found


def _turn_words(key: Any, turns: Mapping[str, str]) -> str:
    return turns[str(key)] if str(key) in turns else say("turn {number}", number=key)


def _required(part: Any) -> bool:
    return not isinstance(part, Mapping) or part.get("required", True) is not False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
