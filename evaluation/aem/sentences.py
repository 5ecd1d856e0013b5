"""The sentences of explanations, and how one that was stored in English is told again in the reader's language.

What is stored holds several sentences in a row, with values in them; each is found again by its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from evaluation.aem.language import mark, retold, say
from evaluation.aem.values import LEFT_OPEN

CALL_EXPECTED = mark("{call} was expected, and nothing answers it.")
CALL_DIFFERS = mark("{call} was expected, and {observed} was called.")
CALL_RIGHT = mark("{call} was called, as expected.")
NO_ACTION = mark("The action {action} was expected, and no action was taken.")
ACTION_DIFFERS = mark("The action {action} was expected, and {observed} was taken.")
INVENTED = mark("The reply states {number}, which stands in no earlier turn and not in the golden.")
OPTIONAL_LEFT_OUT = mark("{name} is optional and was left out, which is right.")
LEFT_OUT = mark("{name} is required and was left out.")
UNREADABLE = mark("{name} is required; the arguments are no object and could not be read.")
EXTRA_ALLOWED = mark("{name} is not annotated, and allowed.")
EXTRA = mark("{name} was given as {value}, and neither expected nor allowed.")
ANY_VALUE = mark("{name} is {value}; any value will do.")
NULL_VALUE = mark("{name} is null, where any other value would do.")
VALUE_OPEN = mark("{name} should be {expected}; whether {value} is that could not be judged.")
VALUE_DIFFERS = mark("{name} should be {expected}, and is {value}.")
VALUE_RIGHT = mark("{name} is {value}, as expected.")
VALUE_COUNTS = mark("{name} is {value}, which counts as {expected}.")
COMPARED_AS = mark("Compared as {kind}.")
REF_OPEN = mark(
    "{name} should be what turn {turn} returned at {path}, {expected}; whether {value} is that could not be judged."
)
REF_NO_RESULT = mark(
    "{name} should be what turn {turn} returned at {path}; no result of turn {turn} was recorded, so it was not judged."
)
REF_RIGHT = mark("{name} is {value}, what turn {turn} returned at {path}.")
REF_OF_FAILED = mark("{name} is {value}, what turn {turn} returned at {path}, and turn {turn} failed.")
REF_DIFFERS = mark("{name} should be what turn {turn} returned at {path}, {expected}, and is {value}.")
REF_NOTHING = mark(
    "{name} should be what turn {turn} returned at {path}, and there is nothing at that place; it is {value}."
)
TAINTED = mark("The call is right, but works on what turn {turns} left behind, and that turn failed.")
TAINTED_MANY = mark("The call is right, but works on what turns {turns} left behind, and those turns failed.")
NO_REPLY = mark("A reply was expected, and there is none.")
OWN_MISSING = mark("It is the turn's own failure: what is missing stood in the result of turn {turns}.")
OWN_MISSING_MANY = mark("It is the turn's own failure: what is missing stood in the result of turns {turns}.")
OWN = mark("It is the turn's own failure: this did not stand in the result of turn {turns}, which failed.")
OWN_MANY = mark("It is the turn's own failure: this did not stand in the result of turns {turns}, which failed.")
COUNTS_AS_INHERITED = mark("It counts as inherited from turn {turns}, which failed; no recorded result tells more.")
COUNTS_AS_INHERITED_MANY = mark(
    "It counts as inherited from turns {turns}, which failed; no recorded result tells more."
)
HANGS_ON = mark("This hangs on turn {turns}, which failed.")
HANGS_ON_MANY = mark("This hangs on turns {turns}, which failed.")
INHERITED_MISSING = mark("It is inherited: what was needed did not stand in the result of turn {turns}, which failed.")
INHERITED_MISSING_MANY = mark(
    "It is inherited: what was needed did not stand in the result of turns {turns}, which failed."
)
INHERITED = mark("It is inherited: this stood in the result of turn {turns}, which failed.")
INHERITED_MANY = mark("It is inherited: this stood in the result of turns {turns}, which failed.")
SKIPPED = mark("This step is optional and was not taken, so it is not evaluated.")
NOT_SCORED = mark("Not scored.")
CALL_IS_RIGHT = mark("The call is right.")
REPLY_IS_RIGHT = mark("The reply is right.")
CALL_BUT = mark("The call is right; {fields} could not be judged.")
REPLY_BUT = mark("The reply is right; {fields} could not be judged.")
FROM_FAILURE = mark("Inherited from the failure of turn {turns}.")
FROM_FAILURE_MANY = mark("Inherited from the failure of turns {turns}.")
BY_ITSELF = mark("Failed by itself.")
CLAIM_OPEN = mark("Whether the claim {claim} holds could not be judged.")
CLAIM_LACKS = mark("The claim {claim} is not covered: {missing} is missing.")
CLAIM_NOT_COVERED = mark("The claim {claim} is not covered.")
CLAIM_DENIED_BY = mark("The claim {claim} is contradicted: the reply says {said}.")
CLAIM_DENIED = mark("The claim {claim} is contradicted.")
CLAIM_OPTIONAL = mark("The claim {claim} is optional and not covered.")
CLAIM_COVERED = mark("The claim {claim} is covered.")
REPLY_OPEN = mark("Whether the reply says what was expected could not be judged.")
REPLY_RIGHT = mark("The reply says what the golden reply says.")
REPLY_LEAVES_OUT = mark("The reply leaves out what was expected: {golden}.")
REPLY_DIFFERS = mark("The reply differs from what was expected: {golden}.")
NOT_A_DATE_EXPECTED = mark("The expected value is not a date as 2026-03-31 or a date-time, so nothing equals it.")
NOT_A_DATE = mark("{value} is not a date as 2026-03-31 or a date-time.")
NOT_A_NUMBER_EXPECTED = mark("The expected value is not a number, so nothing equals it.")
NOT_A_NUMBER = mark("{value} is not a number.")

_TEXTS: tuple[str, ...] = tuple(
    text for name, text in sorted(globals().items()) if name.isupper() and name != "LEFT_OPEN"
)
_ONE_OF, _AND_LAST = mark("one of {values}"), mark("{numbers} and {last}")
_THE_REPLY = mark("The reply")
# Values are written as JSON: a full stop between quotes ends no sentence. One that was cut ends with "…".
_QUOTED = r'(?>"(?:[^"\\]|\\.)*?(?:"|\\?…(?=[,.; ]|$)))'
_PLACES = {
    "turns": r"[0-9, ]+(?: and [0-9]+)?",
    "turn": r"[0-9]+",
    "kind": r"[a-z]+(?: \([^()]*\))?",
}
_VALUE = f'(?:{_QUOTED}|[^"])+?'


def one_of(values: str) -> str:
    """Several accepted values, as a sentence names them."""
    return say(_ONE_OF, values=values)


def and_last(numbers: Sequence[str]) -> str:
    """Two numbers or more, as a sentence names them."""
    return say(_AND_LAST, numbers=", ".join(numbers[:-1]), last=numbers[-1])


def scorer_said(sentence: str) -> str:
    """What a scorer said, in the reader's language; workers, which explain many thousands of turns, look up nothing."""
    return sentence if _is_english() else retold(sentence)


def told_again(stored: Mapping[str, Any] | None) -> Any:
    """A stored explanation with its sentences in the reader's language; in English it is what was stored."""
    if stored is None or _is_english():
        return stored
    told = dict(stored)
    if "sentence" in stored:
        told["sentence"] = sentence_again(str(stored["sentence"] or ""))
    if "ambiguous_because" in stored:
        told["ambiguous_because"] = [reason_again(str(reason)) for reason in stored["ambiguous_because"] or ()]
    if "items" in stored:
        told["items"] = [told_again(item) for item in stored["items"]]
    return told


def sentence_again(stored: str) -> str:
    """Stored sentences, one after another, in the reader's language; from the first that is not known on as they are.

    >>> sentence_again("Failed by itself. region is required and was left out.")
    'Failed by itself. region is required and was left out.'
    """
    if _is_english():
        return stored
    found, left = [], stored
    while left:
        told, rest = _first(left)
        found.append(told)
        left = rest
    return " ".join(found)


def reason_again(stored: str) -> str:
    """Why a turn is ambiguous, in the reader's language: a stored sentence, which may begin with a field."""
    if _is_english() or not stored.endswith("."):
        return stored
    reason = stored[0].lower() + stored[1:].removesuffix(".")
    told = retold(reason)
    if told == reason:
        what, colon, doubt = stored.removesuffix(".").partition(": ")
        if not colon:
            return stored
        return f"{say(_THE_REPLY) if what == _THE_REPLY else what}: {_doubt(doubt)}."
    return f"{told[0].upper()}{told[1:]}."


def _is_english() -> bool:
    return say(BY_ITSELF) == BY_ITSELF


def _doubt(doubt: str) -> str:
    """Why a comparison is in doubt. What a scorer said of it stands in it as a sentence without its full stop."""
    opening, colon, said = doubt.partition(": ")
    if colon and opening == LEFT_OPEN:
        return f"{retold(opening)}: {retold(f'{said}.').rstrip('. ')}"
    return retold(doubt)


def _first(stored: str) -> tuple[str, str]:
    """The first sentence told again, and what is left; all of it as it is where it is none of these."""
    fitting = [(found.end(), text, found) for text in _TEXTS if (found := _pattern(text).match(stored)) is not None]
    if not fitting:
        return retold(stored), ""
    end, text, found = min(fitting, key=lambda one: (one[0], -len(one[1])))
    return say(text, **{name: _value(name, value) for name, value in found.groupdict().items()}), stored[end:].lstrip()


def _value(name: str, value: str) -> str:
    if name == "expected" and value.startswith("one of "):
        return one_of(value.removeprefix("one of "))
    if name == "turns" and " and " in value:
        return and_last(value.replace(" and ", ", ").split(", "))
    return value


@cache
def _pattern(text: str) -> re.Pattern[str]:
    parts, seen = [], set()
    for piece in re.split(r"(\{\w+\})", text):
        name = piece[1:-1]
        if not piece.startswith("{"):
            parts.append(re.escape(piece))
        elif name in seen:
            parts.append(f"(?P={name})")
        else:
            seen.add(name)
            parts.append(f"(?P<{name}>{_PLACES.get(name, _VALUE)})")
    return re.compile(f"{''.join(parts)}(?= |$)", re.DOTALL)
