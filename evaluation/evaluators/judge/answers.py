"""What a judge answered: one reply read, votes counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evaluation.aem.language import kept
from evaluation.evaluators.judge.questions import LABELS, PASSING, UNSURE, Kind, storable
from evaluation.formats import jsonio

#: `answered` has a score; `unreadable` was asked and gave nothing to count; `not_asked` waits for another time.
State = Literal["answered", "unreadable", "not_asked"]
#: Why there is no answer: no vote could be read, the budget is spent, nobody answers, settings or address are refused.
Cause = Literal["", "unreadable", "budget", "endpoint", "refused", "stopped"]

#: A reason is one sentence; what is longer is kept in the raw reply only.
REASON_LENGTH = 600

# What is said is stored beside its question, and told again in the reader's language; a model is told it in English.
_EMPTY = kept("the reply is empty")
_NOT_JSON = kept("the reply is not JSON: {why}")
_MORE_FOLLOWS = kept("the reply is not JSON: something follows after the end of the value")
_NO_OBJECT = kept("the reply is not a JSON object")
_KEY_TWICE = kept("a key stands in the reply more than once")
_NO_LABEL = kept("the reply has no label; known are {known}")
_OTHER_LABEL = kept("the label is none of {known}")
NOT_SCORED = kept("Not scored: {why}.")
_TOO_FEW = kept("Not scored: {read} of {all} votes could be read, {quorum} are needed; {why}.")
_TIMES = kept("{why} ({count} times)")
_WORDS = {
    "equal": kept("equal"),
    "different": kept("different"),
    "covered": kept("covered"),
    "contradicted": kept("contradicted"),
    "not_said": kept("not said"),
    UNSURE: kept("unsure"),
}
#: What the votes say: with a reason and without, each with votes that could not be read and without.
_SAYS = (
    kept("The judge says {label}: {reason}"),
    kept("The judge says {label}."),
    kept("The judge says {label}; {unread} of {all} could not be read: {reason}"),
    kept("The judge says {label}; {unread} of {all} could not be read."),
)
_ALL_SAY = (
    kept("The judge says {label}, in all {count} votes: {reason}"),
    kept("The judge says {label}, in all {count} votes."),
    kept("The judge says {label}, in all {count} votes; {unread} of {all} could not be read: {reason}"),
    kept("The judge says {label}, in all {count} votes; {unread} of {all} could not be read."),
)
_DIFFER = (
    kept("The judge's votes differ: {spread}: {reason}"),
    kept("The judge's votes differ: {spread}."),
    kept("The judge's votes differ: {spread}; {unread} of {all} could not be read: {reason}"),
    kept("The judge's votes differ: {spread}; {unread} of {all} could not be read."),
)

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<inner>.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)
HALF = Fraction(1, 2)


class UnreadableAnswerError(ValueError):
    """A reply that is no answer; the message says why, in words that the judge can be told as well."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote: a label with its reason, or the problem for which there is none."""

    label: str = ""
    reason: str = ""
    quote: str = ""
    problem: str = ""

    @property
    def is_readable(self) -> bool:
        return bool(self.label)

    def as_json(self) -> dict[str, str]:
        """Only what is there."""
        parts = {"label": self.label, "reason": self.reason, "quote": self.quote, "problem": self.problem}
        return {name: text for name, text in parts.items() if text}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question.

    ``score`` is the share of the readable votes that pass, an unsure one counting half; None where it is not scored,
    and then ``sentence`` says why. ``label`` is the one with the most votes, `unsure` where none has.
    """

    state: State
    sentence: str
    label: str = ""
    score: Fraction | None = None
    is_split: bool = False
    votes: tuple[Vote, ...] = ()
    cause: Cause = ""

    @property
    def quote(self) -> str:
        """What the first vote for the label quotes."""
        return next((vote.quote for vote in self.votes if vote.label == self.label and vote.quote), "")

    def as_json(self) -> dict[str, Any]:
        """An answer as it is kept."""
        return {"label": self.label, "votes": [vote.as_json() for vote in self.votes]}


def read_answer(content: str, kind: Kind) -> Vote:
    """Read one reply; raises UnreadableAnswerError with the reason.

    >>> read_answer('{"reason": "Both are the city.", "label": "equal"}', "values").label
    'equal'
    """
    fenced = _FENCED.fullmatch(content)
    text = fenced["inner"] if fenced else content
    if not text.strip():
        raise UnreadableAnswerError(_EMPTY)
    try:
        found = jsonio.decode_at(text.strip())
    except jsonio.JsonError as error:
        raise UnreadableAnswerError(_NOT_JSON.format(why=error.reason)) from None
    if found.end != len(text.strip()):
        raise UnreadableAnswerError(_MORE_FOLLOWS)
    if not isinstance(found.value, dict):
        raise UnreadableAnswerError(_NO_OBJECT)
    if found.has_repeated_keys:
        raise UnreadableAnswerError(_KEY_TWICE)
    return _vote(found.value, kind)


def _vote(answer: dict[str, Any], kind: Kind) -> Vote:
    known = ", ".join(LABELS[kind])
    if "label" not in answer:
        raise UnreadableAnswerError(_NO_LABEL.format(known=known))
    label = answer["label"]
    if not isinstance(label, str) or label.strip().lower() not in LABELS[kind]:
        raise UnreadableAnswerError(_OTHER_LABEL.format(known=known))
    reason, quote = answer.get("reason", ""), answer.get("quote", "")
    return Vote(
        label=label.strip().lower(),
        reason=_sentence(reason) if isinstance(reason, str) else "",
        quote=storable(quote) if isinstance(quote, str) else "",
    )


def _sentence(text: str) -> str:
    text = " ".join(storable(text).split())
    return text if len(text) <= REASON_LENGTH else text[: REASON_LENGTH - 1] + "…"


def count(votes: Sequence[Vote], kind: Kind, *, quorum: int) -> Outcome:
    """The outcome of the votes. Fewer readable ones than the quorum: not scored.

    >>> count([Vote("equal"), Vote("different"), Vote(problem="the reply is empty")], "values", quorum=2).score
    Fraction(1, 2)
    """
    readable = [vote for vote in votes if vote.is_readable]
    if len(readable) < max(quorum, 1):
        return Outcome("unreadable", _unscored(votes, readable, quorum), votes=tuple(votes), cause="unreadable")
    counted = Counter(vote.label for vote in readable)
    passing = counted[PASSING[kind]] + HALF * counted[UNSURE]
    label = _leader(counted)
    return Outcome(
        "answered",
        _said(label, counted, votes),
        label,
        Fraction(passing) / len(readable),
        is_split=len(counted) > 1 or label == UNSURE,
        votes=tuple(votes),
    )


def _leader(counted: Counter[str]) -> str:
    (label, most), *others = counted.most_common()
    return UNSURE if others and others[0][1] == most else label


def _said(label: str, counted: Counter[str], votes: Sequence[Vote]) -> str:
    total = sum(counted.values())
    reason = next((vote.reason for vote in votes if vote.label == label and vote.reason), "")
    texts = _DIFFER if len(counted) > 1 else _SAYS if total == 1 else _ALL_SAY
    unread = len(votes) - total
    spread = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return texts[2 * bool(unread) + (not reason)].format(
        label=words(label),
        count=total,
        spread=", ".join(f"{n} {words(name)}" for name, n in spread),
        unread=unread,
        all=len(votes),
        reason=reason,
    )


def _unscored(votes: Sequence[Vote], readable: Sequence[Vote], quorum: int) -> str:
    problems = Counter(vote.problem for vote in votes if vote.problem)
    why = "; ".join(_TIMES.format(why=problem, count=n) if n > 1 else problem for problem, n in problems.most_common())
    text = _TOO_FEW if len(votes) > 1 else NOT_SCORED
    return text.format(read=len(readable), all=len(votes), quorum=quorum, why=why)


def words(label: str) -> str:
    """A label as a person reads it, in English."""
    return _WORDS.get(label, label)


def not_asked(sentence: str, cause: Cause) -> Outcome:
    """A question that was not put, or not to the end, and is put again another time."""
    return Outcome("not_asked", NOT_SCORED.format(why=sentence.removesuffix(".")), cause=cause)


def restored(answer: dict[str, Any], kind: Kind, *, quorum: int) -> Outcome:
    """The outcome of an answer that was kept, from :meth:`Outcome.as_json`."""
    names = ("label", "reason", "quote", "problem")
    votes = [Vote(**{name: vote.get(name, "") for name in names}) for vote in answer["votes"]]
    return count(votes, kind, quorum=quorum)
