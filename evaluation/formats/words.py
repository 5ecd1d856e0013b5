"""What is wrong with a file, told again in the reader's language: reports keep it in English.

The sentences of the readers stand where they are used; here stand those that come from the engine, which writes plain
English and is asked about every record.
"""

import re

from evaluation.aem.language import kept, retold, say

#: As `records.place_of` writes it.
_PLACE = re.compile(r"(line|record) ([0-9]+)(?: of (.*))?", re.DOTALL)

_OF_THE_ENGINE = (
    # JSON
    kept("{name} is not a JSON value"),
    kept("the number {number} is too large or too small to be computed with"),
    kept("a value is missing or not written as JSON"),
    kept("a key in double quotes is expected"),
    kept("a colon is expected after the key"),
    kept("a comma or a closing bracket is expected"),
    kept("a text is opened with a quote and never closed"),
    kept("a line break, tab or other control character stands inside a text"),
    kept("a backslash is followed by a character that JSON does not escape"),
    kept("\\u must be followed by four hexadecimal digits"),
    kept("something follows after the end of the value"),
    kept("the text ends in the middle of a value"),
    kept("a comma stands before a closing bracket"),
    kept("nested more than {count} levels deep"),
    kept("a whole number has more digits than can be read (4300)"),
    kept("{value} is no JSON value"),
    kept("the number is too large or too small to be computed with"),
    # records
    kept("is missing"),
    kept("is missing, so there is nothing to score"),
    kept("must be an object, not {shape}"),
    kept("must be a list, not {shape}"),
    kept("must be a text, not {shape}"),
    kept("must be true or false, not {shape}"),
    kept("must be a number, not {shape}"),
    kept("must be a whole number, not {shape}"),
    kept("must be a whole number of at least 0, not {shape}"),
    kept("must be a text or a number, not {shape}"),
    kept("must be a text or a whole number, not {shape}"),
    kept("must be the name of a comparison or an object, not {shape}"),
    kept("must be one of {choices}, not {shape}"),
    kept('must be "Agent" or "Tool", not {shape}'),
    kept('must be "aem/1", not {shape}'),
    kept("must not be empty"),
    kept("must not be negative"),
    kept("must be at most {most}"),
    kept("must hold at least one path"),
    kept("must hold at least one accepted value"),
    kept("the key {key} is no text"),
    kept("the path id {name} is used twice"),
    kept("the turn id {name} is used twice"),
    kept("the outcome id {name} is used twice"),
    kept("the claim id {name} is used twice"),
    kept("must hold one of user, response and tool, not both {kinds}"),
    kept("must hold one of user, response and tool, and has none of them"),
    kept("turn {turn} cannot depend on itself"),
    kept("turn {turn} comes later"),
    kept("turn {turn} is not in this path"),
    kept("turn {turn} is a user turn"),
    kept("turn {turn} is in the same group"),
    kept("there is no agent or tool turn"),
    kept("unknown key {key}; known are {known}"),
    kept("unknown comparison {name}; known are {known}"),
    kept("unknown kind {name}; known are {known}"),
    kept("a regular expression must be a text, not {shape}"),
    kept("invalid regular expression: {reason}"),
    kept("it is nested more than {count} levels deep"),
    kept(
        "could take endlessly long to match: it repeats what repeats itself, and has a backreference, a look ahead or "
        "back, or a repeat that gives nothing back"
    ),
    kept("cannot stand beside a ref, which is compared as auto"),
    kept("takes only one of value, values and ref, not {names}"),
    kept('needs one of value, values and ref, or the comparison "any"'),
    kept("cannot name a turn, since it belongs to no path"),
    kept("cannot name a turn, since the final state belongs to no path"),
    kept("must be a path that starts with $"),
    kept('malformed path: {piece} is not .name, [index] or ["name"]'),
    kept("malformed path: {reason}"),
    kept("{count} characters are too many to be held against the pattern {pattern}"),
    kept("a pattern repeats too much too often"),
    # native dialogs
    kept("a dialog must hold at least one turn"),
    kept("turn_no {number} appears twice"),
    kept("is too large for the number of a turn"),
    kept("there is no earlier turn {turn}"),
    kept("must hold one of response and tool_id, not both"),
    kept("must hold one of response and tool_id, and has none of them"),
    # scorers
    kept("the scorer {name} is not installed"),
    kept("the scorer {name} failed: {reason}"),
    kept("{value} is no score of two values"),
    kept("{value} is no score of a claim"),
)
_SHAPES = (
    kept("a text"),
    kept("a list"),
    kept("an object"),
    kept("a number"),
    kept("true or false"),
    kept("text that is not JSON"),
    kept("text holding {shape}"),
)


def told(reason: str) -> str:
    """A stored problem in the reader's language, be it a sentence alone or one with its place in front."""
    whole = _told(reason)
    if whole != reason:
        return whole
    at = reason.find(": ")
    while at >= 0:
        rest = reason[at + 2 :]
        sentence = _told(rest)
        if sentence != rest:
            return f"{reason[:at]}: {sentence}"
        at = reason.find(": ", at + 2)
    return reason


def _told(sentence: str) -> str:
    return retold(sentence, reason=told, shape=told, where=_where)


def _where(place: str) -> str:
    found = _PLACE.fullmatch(place)
    if found is None:
        return told(place)
    kind, number, file = found.groups()
    if file is None:
        return say("line {number}", number=number) if kind == "line" else say("record {number}", number=number)
    if kind == "line":
        return say("line {number} of {file}", number=number, file=file)
    return say("record {number} of {file}", number=number, file=file)
