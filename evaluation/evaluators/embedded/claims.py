"""The claims of a golden reply, proposed from its text for an expert to confirm."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.reading import language_of
from evaluation.evaluators.embedded.replywords import is_courtesy, words
from evaluation.evaluators.embedded.sentences import Span, sentences

LONGEST = 20_000
_FEWEST_WORDS = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_JOIN = re.compile(r";\s+|\s+[–—]\s+|,?\s+(?:and|but|while|whereas|y|e|pero|mas|mientras|enquanto)\s+", re.IGNORECASE)
_CONDITION = re.compile(r"(?:if|unless|when|because|since|si|se|caso|cuando|quando|porque|como)\b", re.IGNORECASE)
_SHORTENED = re.compile(r"(?:n't|'s|'re|'ll|'ve)$")


@dataclass(frozen=True, slots=True)
class ProposedClaim:
    """One thing that a golden reply says: its text, and where in the golden it stands (characters, end exclusive)."""

    text: str
    start: int
    end: int
    is_required: bool = True


def propose_claims(golden: str, *, language: str = "") -> tuple[ProposedClaim, ...]:
    """Split a reply into the claims that it makes, in order of place.

    Sentences, items of lists, and joined clauses that stand alone are claims; greetings, thanks, offers of help and
    questions are none. A reply that only asks makes its questions its claims. Never raises.

    >>> [claim.text for claim in propose_claims("Hello! The fee is $5, and it is due on May 2. Anything else?")]
    ['The fee is $5', 'it is due on May 2.']
    """
    text = golden[:LONGEST]
    language = language_of(text, language)
    found = [span for span in sentences(text) if not is_courtesy(text[span.start : span.end])]
    told = [span for span in found if not _is_question(text, span) and not _is_heading(text, span)]
    claims = []
    for span in told or found:
        for part in _parts(text, span, language):
            claims.append(ProposedClaim(text[part.start : part.end], part.start, part.end))
    return tuple(claims)


def _is_question(text: str, span: Span) -> bool:
    return text[span.start : span.end].rstrip("\"')” ").endswith("?")


def _is_heading(text: str, span: Span) -> bool:
    """Whether a sentence only introduces a list: "Here are your balances:"."""
    bare = text[span.start : span.end]
    return bare.endswith(":") and not any(character.isdigit() for character in bare)


def _parts(text: str, span: Span, language: str) -> Iterator[Span]:
    """The sentence, cut where what follows a joint could be a sentence of its own."""
    start, line = span.start, _Line(text, span, language)
    for joint in _JOIN.finditer(text, span.start, span.end):
        before, after = Span(start, joint.start()), Span(joint.end(), span.end)
        if ";" in joint.group():
            stand_alone = all(line.count(part) >= _FEWEST_WORDS for part in (before, after))
        else:
            stand_alone = line.stands_alone(before, is_first=True) and line.stands_alone(after, is_first=False)
        if stand_alone:
            yield _trimmed(text, start, joint.start())
            start = joint.end()
    yield _trimmed(text, start, span.end)


class _Line:
    """The words of a sentence, looked up once for all places where it may be cut."""

    def __init__(self, text: str, span: Span, language: str) -> None:
        self.text = text
        self.words = list(_WORD.finditer(plain(text), span.start, span.end))
        self.starts = [word.start() for word in self.words]
        self.starters, finite = words("starters", language), words("finite", language)
        # How many finite verbs stand before a word.
        self.finite = [0]
        for word in self.words:
            is_finite = word.group() in finite or _SHORTENED.search(word.group())
            self.finite.append(self.finite[-1] + bool(is_finite))

    def _of(self, part: Span) -> tuple[int, int]:
        return bisect_left(self.starts, part.start), bisect_left(self.starts, part.end)

    def count(self, part: Span) -> int:
        first, last = self._of(part)
        return last - first

    def stands_alone(self, part: Span, *, is_first: bool) -> bool:
        first, last = self._of(part)
        if last - first < _FEWEST_WORDS or self.finite[last] == self.finite[first]:
            return False
        if is_first:
            # "If you cancel and you …" is one condition.
            piece = self.text[part.start : part.end]
            return not (_CONDITION.match(piece.strip()) and "," not in piece)
        start = _trimmed(self.text, part.start, part.end).start
        return self.words[first].group() in self.starters or self.text[start : start + 1].isupper()


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in " \t,;":
        start += 1
    while end > start and text[end - 1] in " \t,;":
        end -= 1
    return Span(start, end)
