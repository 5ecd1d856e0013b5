"""What forbids that two texts mean the same: opposites, contrasts, and a direction that is reversed."""

import re
from collections.abc import Sequence

from evaluation.evaluators.embedded.layers.lists import JOINING
from evaluation.evaluators.embedded.layers.places import are_other_cities
from evaluation.evaluators.embedded.layers.sides import Side, Term, Word
from evaluation.evaluators.embedded.layers.terms import Matching, alike_words, are_contrasted, are_opposites
from evaluation.evaluators.embedded.vocabulary import Vocabulary


def opposed(
    terms_a: Sequence[Term], terms_b: Sequence[Term], language: str, vocabulary: Vocabulary
) -> tuple[Term, Term, str] | None:
    """The first terms left over that deny or exclude each other, and which: "opposite" or "contrast"."""
    for a in terms_a:
        for b in terms_b:
            if are_opposites(a.text, b.text, language, vocabulary):
                return a, b, "opposite"
            if (
                are_contrasted(a.text, b.text, language, vocabulary)
                and not _says_the_rest(a, b, terms_a, terms_b, language, vocabulary)
                and not (_is_within(a, terms_b) and _is_within(b, terms_a))
            ):
                return a, b, "contrast"
            if a.is_name and b.is_name and min(len(a.text), len(b.text)) > 3 and are_other_cities(a.text, b.text):
                return a, b, "contrast"
            if _is_negated_form(a, b) or _is_negated_form(b, a):
                return a, b, "opposite"
    return None


def _is_within(term: Term, others: Sequence[Term]) -> bool:
    """Whether a longer or shorter form of a term is left over too: "from Basic to Pro", "the Basic plan"."""
    said = {word.text for word in term.words}
    return any(said <= there or there <= said for other in others if (there := {word.text for word in other.words}))


def _says_the_rest(  # noqa: PLR0917
    a: Term, b: Term, terms_a: Sequence[Term], terms_b: Sequence[Term], language: str, vocabulary: Vocabulary
) -> bool:
    """Whether one term is a part of the other, whose further words stand elsewhere: "damage … by water"."""
    for short, long, others in ((a, b, terms_a), (b, a, terms_b)):
        if len(short.words) >= len(long.words):
            continue
        said = [word.text for word in long.words if word.text not in JOINING]
        there = [word.text for term in (short, *others) for word in term.words]
        if all(any(one == word or alike_words(one, word, language, vocabulary) >= 2 for one in there) for word in said):
            return True
    return False


def _is_negated_form(a: Term, b: Term) -> bool:
    match = re.match(r"(?:un|non|in|im|dis|des|ir|il)(?=[a-z]{5})", a.text)
    return bool(match) and a.text[match.end() :] == b.text  # type: ignore[union-attr]


_TO = frozenset(("to", "into", "para", "hasta", "ate", "hacia", "a", "al", "ao", "towards", "->", "→"))
_FROM = frozenset(("from", "de", "desde", "da", "do", "del"))
_ORDERED = {
    **dict.fromkeys(_TO, "to"),
    **dict.fromkeys(_FROM, "from"),
    **dict.fromkeys(("for", "por", "with", "by", "con", "com", "pelo", "pela"), "with"),
    **dict.fromkeys(("over", "above", "sobre", "encima"), "over"),
    **dict.fromkeys(("under", "below", "bajo", "sob"), "under"),
    **dict.fromkeys(("before", "antes"), "before"),
    **dict.fromkeys(("after", "despues", "depois"), "after"),
    **dict.fromkeys(("than", "que"), "than"),
    **dict.fromkeys(("minus", "less"), "minus"),
    **dict.fromkeys(("on", "upon", "affects", "affect", "affecting", "impacts", "influences", "afecta", "afeta"), "on"),
    **dict.fromkeys(("of",), "of"),
    **dict.fromkeys(
        (
            "due to",
            "because of",
            "caused by",
            "owing to",
            "as a result of",
            "resulting from",
            "debido a",
            "a causa de",
            "causado por",
            "causada por",
            "por causa de",
            "devido a",
        ),
        "cause",
    ),
}
_LAST_ORDERED = frozenset(("to", "from", "para", "desde", "hacia", "hasta"))
_ARROW = re.compile(r"\s*(?:->|→|=>|\s-\s|(?<=\w)-(?=\w))\s*")


def directions(side: Side, language: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """For each ordering word of a text the terms right before and right after it: ("to": ({boston}, {denver}))."""
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    items = sorted(
        (*side.content, *side.neutral, *_fact_terms(side)), key=lambda term: (term.words[0].start, term.place)
    )
    contents = {id(term) for term in side.content} | {id(term) for term in items if term.place < 0}
    for at, term in enumerate(items):
        role = _ORDERED.get(term.text)
        if role is None and len(term.words) > 1 and term.words[-1].text in _LAST_ORDERED:
            role = _ORDERED[term.words[-1].text]  # "shipping to", which a list knows as one term
        if role is None or (term.text == "a" and language in ("", "en") and not _is_spanish_a(items, at)):
            continue
        before = next((one.text for one in reversed(items[:at]) if id(one) in contents), "")
        after = next((one.text for one in items[at + 1 :] if id(one) in contents), "")
        if role == "from":
            before = ""
        old = found.get(role, (frozenset(), frozenset()))
        found[role] = (old[0] | {before}, old[1] | {after})
    for match in _ARROW.finditer(side.plain):
        before = next((t.text for t in reversed(items) if id(t) in contents and t.words[-1].start < match.start()), "")
        after = next((t.text for t in items if id(t) in contents and t.words[0].start >= match.end()), "")
        if before and after and match[0].strip() in ("->", "→", "=>", "-") and "to" not in found:
            found["to"] = (frozenset({before}), frozenset({after}))
    return found


def _is_spanish_a(items: Sequence[Term], at: int) -> bool:
    return any(term.text in ("de", "desde", "da", "do") for term in items[:at])


def _fact_terms(side: Side) -> list[Term]:
    return [
        Term(f"{fact.kind}:{fact.value}:{fact.unit}", (Word(fact.text, fact.text, fact.start),), -1)
        for fact in side.facts
    ]


_MOST_DIRECTED = 160  # words of two texts in which directions are looked for


Direction = tuple[frozenset[str], frozenset[str]]
_NOWHERE: Direction = (frozenset(), frozenset())
# Pairs of roles in which the second text may say the first's the other way round, and whether its order is the reverse.
_TURNED = (
    *((role, role, False) for role in ("to", "with", "over", "before", "after", "than", "minus", "on", "of", "cause")),
    ("over", "under", True),
    ("before", "after", True),
)


def is_reversed(a: Side, b: Side, matching: Matching, language: str) -> tuple[str, str] | None:
    """What goes where the other text has it come from: "Boston to Denver" beside "Denver to Boston"."""
    if len(a.words) + len(b.words) > _MOST_DIRECTED:
        return None
    first, second = directions(a, language), directions(b, language)
    if not first or not second:
        return None
    same = _same_terms(a, matching)
    back = _inverted(same)
    for role, other_role, is_flipped in _TURNED:
        found = _turned(first, second, role, other_role, same, is_flipped=is_flipped)
        if found is None and is_flipped:
            found = _turned(second, first, role, other_role, back, is_flipped=True)
        if found:
            return found
    return _from_and_to(first, second, same) or _only_from_or_to(a, b, first, second, same)


def _same_terms(a: Side, matching: Matching) -> dict[str, set[str]]:
    """For each term and word of the first text those of the second that mean the same."""
    same: dict[str, set[str]] = {}
    for match in matching.matches:
        for one in (match.a.text, *(word.text for word in match.a.words)):
            same.setdefault(one, set()).update((match.b.text, *(word.text for word in match.b.words)))
    for term in _fact_terms(a):
        same.setdefault(term.text, set()).add(term.text)
    return same


def _inverted(same: dict[str, set[str]]) -> dict[str, set[str]]:
    back: dict[str, set[str]] = {}
    for one, others in same.items():
        for other in others:
            back.setdefault(other, set()).add(one)
    return back


def _turned(
    first: dict[str, Direction],
    second: dict[str, Direction],
    role: str,
    other_role: str,
    same: dict[str, set[str]],
    *,
    is_flipped: bool,
) -> tuple[str, str] | None:
    """Where one text has X before a word and Y behind it, and the other Y before and X behind."""
    if role not in first or other_role not in second:
        return None
    before, after = first[role]
    other_before, other_after = second[other_role][::-1] if is_flipped else second[other_role]
    sources = other_before | second.get("from", _NOWHERE)[1]
    for source in sorted(before - {""}):
        for target in sorted(after - {""}):
            targets = same.get(target, set())
            if same.get(source, set()) & other_after and targets & sources and not targets & other_after:
                return source, target
    return None


def _from_and_to(
    first: dict[str, Direction], second: dict[str, Direction], same: dict[str, set[str]]
) -> tuple[str, str] | None:
    """Where one text says from X to Y, the other to X and from Y, or Y before it."""
    to_a, to_b = first.get("to", _NOWHERE)[1], second.get("to", _NOWHERE)[1]
    from_a, from_b = first.get("from", _NOWHERE)[1], second.get("from", _NOWHERE)[1]
    sources = from_b | second.get("to", _NOWHERE)[0]
    for source in sorted(from_a - {""}):
        others = same.get(source, set())
        if others & to_b and not others & from_b:
            for target in sorted(to_a - {""}):
                if same.get(target, set()) & sources:
                    return source, target
    return None


_STRICTLY_FROM = frozenset(("from", "desde"))


def _only_from_or_to(
    a: Side,
    b: Side,
    first: dict[str, Direction],
    second: dict[str, Direction],
    same: dict[str, set[str]],
) -> tuple[str, str] | None:
    """Where one text only says from X, the other only to X: "flights to Rome" beside "flights from Rome"."""
    for side, is_first in ((a, True), (b, False)):
        one, other = (first, second) if is_first else (second, first)
        says_from = any(word.text in _STRICTLY_FROM for word in side.words)
        if not says_from or "to" in one or "from" in other or "to" not in other:
            continue
        known = same if is_first else _inverted(same)
        for source in sorted(one.get("from", _NOWHERE)[1] - {""}):
            if known.get(source, set()) & other["to"][1]:
                return source, source
    return None
