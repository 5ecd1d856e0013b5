"""What of a reply is checked, in words and places: claims proposed from a text, what is understood of one, where it is
answered. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotations.sentences import either
from evaluation import aem
from evaluation.aem.language import mark, say, say_n
from evaluation.aem.text import fold
from evaluation.evaluators.embedded.claims import ProposedClaim, propose_claims
from evaluation.evaluators.embedded.facts import facts_in
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.sentences import sentences
from evaluation.evaluators.embedded.vocabulary import STANDARD, Vocabulary

State = Literal["covered", "contradicted", "not_said", "undecided"]

#: Never told by colour alone: a glyph and a word for each.
GLYPHS: dict[State, str] = {"covered": "✓", "contradicted": "✖", "not_said": "∅", "undecided": "◇"}
WORDS: dict[State, str] = {
    "covered": mark("covered"),
    "contradicted": mark("contradicted"),
    "not_said": mark("not said"),
    "undecided": mark("not decided"),
}
#: The class of a state's chip.
CSS: dict[State, str] = {"covered": "pass", "contradicted": "root", "not_said": "root", "undecided": "amb"}
_LANGUAGES = frozenset({"en", "es", "pt"})
_ENDS = ".!?…;:,\"'“”‘’ \t\n"
_LONGEST_LISTED = 12
#: Longer ones are judged in runs only: a page has to come at once.
LONGEST_TRIED, MOST_TRIED = 20_000, 40


@dataclass(frozen=True, slots=True)
class Quote:
    """A place in a reply that answers a claim, or makes it: its first character and the one after its last.

    ``state`` is None where nothing was judged.
    """

    number: int
    state: State | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a reply with the claims that it answers. ``ending`` are those whose answer ends with it."""

    text: str
    place: int
    numbers: tuple[int, ...] = ()
    state: State | None = None
    ending: tuple[Quote, ...] = ()
    is_unknown: bool = False

    @property
    def says(self) -> str:
        """The numbers as an attribute lists them."""
        return " ".join(map(str, self.numbers))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply does with one claim."""

    state: State
    sentence: str
    quote: tuple[int, int] | None
    #: The words that the quote is.
    words: str = ""

    @property
    def css_class(self) -> str:
        return CSS[self.state]

    @property
    def glyph(self) -> str:
        return GLYPHS[self.state]

    @property
    def word(self) -> str:
        return say(WORDS[self.state])


def language_of(language: str) -> str:
    """The code of a conversation's language as the scorer knows it; empty where it does not.

    >>> language_of("pt-BR"), language_of("de")
    ('pt', '')
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    return code if code in _LANGUAGES else ""


def circled(number: int) -> str:
    """A number in a circle, up to fifty; beyond, in parentheses.

    >>> circled(1), circled(21), circled(51)
    ('①', '㉑', '(51)')
    """
    for first, last, code in ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)):
        if first <= number <= last:
            return chr(code + number - first)
    return f"({number})"


def proposals_of(reply: str, known: Iterable[str], *, language: str = "") -> tuple[ProposedClaim, ...]:
    """The claims that a golden reply makes, without those that are there already and without repetitions.

    >>> [claim.text for claim in proposals_of("The fee is $5. It is due on May 2.", ["the fee is $5"])]
    ['It is due on May 2.']
    """
    seen = {_bare(text) for text in known}
    found = []
    for claim in propose_claims(reply, language=language_of(language)):
        bare = _bare(claim.text)
        if bare and bare not in seen:
            seen.add(bare)
            found.append(claim)
    return tuple(found)


def is_known(text: str, known: Iterable[str]) -> bool:
    """Whether a claim is among others already, but for case, spaces and the sign at its end."""
    return _bare(text) in {_bare(other) for other in known}


def _bare(text: str) -> str:
    return fold(text).strip(_ENDS)


def exact_parts(text: str, *, language: str = "") -> tuple[str, ...]:
    """The numbers, amounts, dates, ids… of a claim, as they are written: what must be the same in every wording.

    >>> exact_parts("The fee is $5, due on May 2.", language="en")
    ('$5', 'May 2')
    """
    facts = facts_in(text, language=language_of(language))
    parts = [fact.text.strip() for fact in facts if fact.kind not in ("boolean", "relative", "recurrence")]
    return tuple(dict.fromkeys(part for part in parts if part))


def understood(text: str, contains: Sequence[Any] = (), excludes: Sequence[Any] = (), *, language: str = "") -> str:
    """One sentence on when a claim holds where meaning is judged.

    >>> understood("The fee is $5.", language="en")
    'Passes if the reply says, in any words: “The fee is $5.” This must be the same: $5.'
    >>> understood("", ["A-1"], ["free"])
    'Passes if the reply contains “A-1”, and does not contain “free”; this is looked for as it stands.'
    """
    holds, lacks = _quoted(contains, "and"), _quoted(excludes, "or")
    if contains and excludes:
        return say(
            "Passes if the reply contains {values}, and does not contain {others}; this is looked for as it stands.",
            values=holds,
            others=lacks,
        )
    if contains:
        return say("Passes if the reply contains {values}; this is looked for as it stands.", values=holds)
    if excludes:
        return say("Passes if the reply does not contain {values}; this is looked for as it stands.", values=lacks)
    text = text.strip()
    if not text:
        return ""
    sentence = say("Passes if the reply says, in any words: “{text}”", text=text)
    if text[-1] not in ".!?":
        sentence += "."
    return f"{sentence} {_decisive(exact_parts(text, language=language))}"


def _decisive(parts: Sequence[str]) -> str:
    """What of a claim must be the same in every wording."""
    shown, more = ", ".join(parts[:_LONGEST_LISTED]), len(parts) - _LONGEST_LISTED
    if not parts:
        return say("Names, numbers and “not” decide; other words may change.")
    if more > 0:
        return say_n(
            "These must be the same: {parts} and {count} more.",
            "These must be the same: {parts} and {count} more.",
            more,
            parts=shown,
        )
    return say_n("This must be the same: {parts}.", "These must be the same: {parts}.", len(parts), parts=shown)


def _quoted(values: Sequence[Any], link: str) -> str:
    return either([f"“{value}”" for value in values], link)


# --- places in a reply ------------------------------------------------------------------------------------------------


def stretches_of(text: str, quotes: Iterable[Quote], unknown: Iterable[tuple[int, int]] = ()) -> tuple[Stretch, ...]:
    """A reply cut where answers and unknown values begin and end. Joined, the pieces are the reply.

    Places outside of the text are left out. Where one piece answers several claims, the worst state marks it.

    >>> [(one.text, one.numbers) for one in stretches_of("Yes. It is 5.", [Quote(1, "covered", 5, 13)])]
    [('Yes. ', ()), ('It is 5.', (1,))]
    """
    inside = [quote for quote in quotes if 0 <= quote.start < quote.end <= len(text)]
    marks = [(start, end) for start, end in unknown if 0 <= start < end <= len(text)]
    cuts = {0, len(text)}
    for quote in inside:
        cuts |= {quote.start, quote.end}
    for start, end in marks:
        cuts |= {start, end}
    places = sorted(cuts)
    found = []
    for place, (start, end) in enumerate(itertools.pairwise(places)):
        here = [quote for quote in inside if quote.start <= start and end <= quote.end]
        found.append(
            Stretch(
                text=text[start:end],
                place=place,
                numbers=tuple(sorted({quote.number for quote in here})),
                state=min((quote.state for quote in here), key=_WORST.index, default=None),
                ending=tuple(sorted((quote for quote in here if quote.end == end), key=lambda quote: quote.number)),
                is_unknown=any(first <= start and end <= last for first, last in marks),
            )
        )
    return tuple(found)


_WORST: tuple[State | None, ...] = ("contradicted", "undecided", "not_said", "covered", None)


def sentence_with(reply: str, texts: Iterable[Any]) -> tuple[int, int] | None:
    """Where the first sentence of a reply stands that has one of these texts as they are, whatever the case.

    >>> sentence_with("Hello. Your id is A-17.", ["a-17"])
    (7, 23)
    """
    for text in texts:
        words = [re.escape(word) for word in str(text).split()]
        found = re.search(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", reply, re.IGNORECASE) if words else None
        if found is None:
            continue
        inside = [span for span in sentences(reply) if span.start < found.end() and found.start() < span.end]
        if not inside:
            return found.span()
        return min(inside[0].start, found.start()), max(inside[-1].end, found.end())
    return None


# --- trying -----------------------------------------------------------------------------------------------------------


def try_claims(
    turn: dict[str, Any], reply: str, *, language: str = "", vocabulary: Vocabulary = STANDARD
) -> list[Answer] | None:
    """What the embedded scorer says of each claim of a golden reply beside a recorded reply, as a run would.

    ``vocabulary`` is what counts as the same: the built-in lists, or those with a project's words.

    One answer for the whole golden reply where it has no claims. None where the turn cannot be read yet, or is too
    long for a page that is waited for.
    """
    claims = turn.get("claims") or []
    if len(reply) > LONGEST_TRIED or len(claims) > MOST_TRIED:
        return None
    alone = {key: turn[key] for key in ("response", "claims") if key in turn}
    if isinstance(alone.get("claims"), list):
        alone["claims"] = [
            {key: value for key, value in claim.items() if key != "from"} if isinstance(claim, dict) else claim
            for claim in alone["claims"]
        ]
    try:
        verdict = aem.score(
            aem.parse_golden({"paths": [{"turns": [{**alone, "id": "g1"}]}]}),
            aem.parse_trajectory({"turns": [{"response": reply}]}),
            policy=aem.parse_policy({"scorer": "embedded"}),
            tools=aem.parse_tools({}),
            scorer=EmbeddedScorer(language=language_of(language), vocabulary=vocabulary),
        )
    except aem.RecordError:
        return None
    groups = grouped(verdict.explain_turn(1)["items"])
    return [answer_of(group, reply, claim) for group, claim in zip(groups, claims or [{}], strict=False)]


def grouped(items: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The judged claims of an explained turn, in order; a claim that fails twice has both of its items."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for item in items:
        if item.get("kind") in ("claim", "reply"):
            groups.setdefault((item["kind"], item.get("field")), []).append(item)
    return list(groups.values())


def state_of(group: Sequence[dict[str, Any]]) -> State:
    """What the items of a claim come to."""
    reasons = {str(item.get("reason")) for item in group}
    if "inconsistent_response" in reasons:
        return "contradicted"
    if "incomplete_response" in reasons:
        return "not_said"
    if any(item.get("passed") is None for item in group):
        return "undecided"
    # An optional claim passes whether or not it is said; what is not said scores below one half.
    score = group[0].get("score")
    return "not_said" if score is not None and score < _HALF else "covered"


_HALF = 0.5


def answer_of(group: Sequence[dict[str, Any]], reply: str, claim: Mapping[str, Any]) -> Answer:
    """The items of one claim as one answer. What the engine found by the claim's own words is looked for once more."""
    state = state_of(group)
    sentence = " ".join(str(item.get("sentence") or "") for item in group).strip()
    quote = next((item["quote"] for item in group if item.get("quote")), None)
    if quote:
        start, end = int(quote[0]), int(quote[1])
        return Answer(state, sentence, (start, end), reply[start:end])
    looked: Iterable[Any] = ()
    if state == "covered":
        looked = claim.get("contains") or [claim.get("text") or ""]
    elif state == "contradicted":
        looked = claim.get("excludes") or ()
    at = sentence_with(reply, looked)
    return Answer(state, sentence, at, reply[at[0] : at[1]] if at else "")
