"""Two texts taken apart, compared: facts, contradictions, words; and how alike what is left open is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.compare import Matched, Relation, family, match_facts
from evaluation.evaluators.embedded.facts.model import Fact
from evaluation.evaluators.embedded.layers.denial import is_reversed, opposed
from evaluation.evaluators.embedded.layers.lists import (
    ADDRESS,
    ASKING,
    GENERIC,
    JOINING,
    LEGAL_FORMS,
    REQUESTING,
    TITLES,
    VAGUE,
    WHOLE,
)
from evaluation.evaluators.embedded.layers.sides import Side, Term, field_words
from evaluation.evaluators.embedded.layers.terms import Matching, denies, match_terms
from evaluation.evaluators.embedded.layers.verdicts import Open, listed, shown, sure, unsure
from evaluation.evaluators.embedded.model import Judged
from evaluation.evaluators.embedded.vocabulary import Vocabulary

SIGNIFICANT = re.compile(r"[+*=<>^%$€£¥#@~]")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts taken apart, with their facts and words matched."""

    a: Side
    b: Side
    facts: Matched
    matching: Matching
    field: str
    language: str
    vocabulary: Vocabulary


def compare_sides(a: Side, b: Side, field: str, language: str, vocabulary: Vocabulary) -> Open:
    """Two texts taken apart: facts first, then contradictions among the words, then the words."""
    facts = match_facts(a.facts, b.facts)
    typed = _typed(a, b, facts)
    if typed:
        return Open(typed)
    matching = match_terms(_without_forms(a), _without_forms(b), language, vocabulary)
    pair = _Pair(a, b, facts, matching, field, language, vocabulary)
    if facts.is_cut or matching.is_cut:
        sentence = said.THEY_TOO_LONG_TO_COMPARE
        return Open(unsure(False, _similarity(pair), "words", sentence))
    _drop_address_words(pair)
    denied = _denied(pair)
    return Open(denied) if denied else _by_words(pair)


def _typed(a: Side, b: Side, facts: Matched) -> Judged | None:
    """A contradiction among the facts, which is final."""
    for x, y, relation in facts.pairs:
        if relation is Relation.DIFFERENT:
            return sure(
                False,
                "contradiction",
                said.IS_NOT.format(a=shown(x.text or a.text), b=shown(y.text or b.text), label=_kind_name(x)),
            )
    return None


def _kind_name(fact: Fact) -> str:
    return fact.unit if fact.kind == "quantity" else said.KINDS.get(fact.kind, fact.kind)


def _without_forms(side: Side) -> Side:
    """The side without a company's legal form behind its name."""
    content = side.content
    if len(content) > 1:
        kept = tuple(
            t
            for at, t in enumerate(content)
            if at == 0 or t.text.replace(".", "") not in LEGAL_FORMS or not t.words[0].is_name
        )
        if kept and len(kept) < len(content):
            return Side(side.text, side.plain, side.facts, side.words, kept, side.neutral, side.negations)
    return side


def _drop_address_words(pair: _Pair) -> None:
    """Where both texts are addresses, "St" is "Street", and the word before a flat's number says nothing."""
    if not (pair.a.facts and pair.b.facts):
        return
    matching = pair.matching
    for term in list(matching.left_a):
        other = next((o for o in matching.left_b if _address(term) == _address(o) is not None), None)
        if other:
            matching.left_a.remove(term)
            matching.left_b.remove(other)
    for left in (matching.left_a, matching.left_b):
        for term in list(left):
            if _address(term) in ("apartment", "suite", "number", "floor", "room"):
                left.remove(term)


def _address(term: Term) -> str | None:
    word = ADDRESS.get(term.text, term.text)
    return word if word in _ADDRESS_WORDS else None


_ADDRESS_WORDS = frozenset(ADDRESS.values())


def _denied(pair: _Pair) -> Judged | None:  # noqa: PLR0911  one answer for each case
    """Opposites, contrasts, one-sided negation and reversed direction: never equal, whatever else agrees."""
    matching, language, vocabulary = pair.matching, pair.language, pair.vocabulary
    is_odd = (pair.a.negations + pair.b.negations + matching.negations) % 2 == 1
    found = opposed(matching.whole_a, matching.whole_b, language, vocabulary)
    whole = len(matching.whole_a) + len(matching.whole_b)
    if found:
        # What "without furniture" denies is within the term, and denies nothing besides.
        inside = sum(denies(word.text, language) for x in found[:2] if len(x.words) > 1 for word in x.words)
        is_odd = (pair.a.negations + pair.b.negations + matching.negations - inside) % 2 == 1
    else:
        found = opposed(matching.left_a, matching.left_b, language, vocabulary)
        whole = len(matching.left_a) + len(matching.left_b)
    if found:
        x, y, how = found
        if is_odd and how == "opposite":
            # "not approved" and "denied" may well be the same.
            rest = whole == 2
            return unsure(
                rest,
                Fraction(6, 10) if rest else Fraction(3, 10),
                "contradiction",
                said.OPPOSITE_ONE_TEXT_DENIES.format(a=x.text, b=y.text),
            )
        if is_odd:
            # What excludes a thing may be said by denying another: "not yet delivered", "in transit".
            return unsure(
                False,
                Fraction(3, 10),
                "contradiction",
                said.EXCLUDES_ONE_TEXT_DENIES_SOMETHING.format(a=x.text, b=y.text),
            )
        text = said.WORDS_ARE_OPPOSITE if how == "opposite" else said.WORD_EXCLUDES
        return sure(False, "contradiction", text.format(a=x.text, b=y.text))
    if is_odd and (matching.matches or pair.facts.pairs):
        if _says_zero(pair):
            return unsure(True, Fraction(6, 10), "typed", said.ONE_SAYS_ZERO_WHAT_OTHER)
        if _lacks(pair):
            return unsure(True, Fraction(6, 10), "words", said.WHAT_ONE_LACKS_DOES_NOT)
        is_all = not matching.left_a and not matching.left_b
        if is_all:
            return sure(False, "contradiction", said.ONE_TEXT_DENIES_WHAT_OTHER)
        return unsure(False, Fraction(1, 5), "contradiction", said.ONE_TEXT_HAS_NEGATION_OTHER)
    turned = is_reversed(pair.a, pair.b, matching, language)
    if turned:
        return sure(
            False,
            "contradiction",
            said.DIRECTION_REVERSED_BETWEEN.format(a=_fact_name(turned[0]), b=_fact_name(turned[1])),
        )
    return None


# ruff: noqa: E501  lists of words are easier to read as text
_FAILING = frozenset(
    """broken out problem problems issue issues trouble difficulty difficulties missing missed lack down failure fails fallo
    falla problema problemas dificultad falta averia roto rota dificuldade quebrado quebrada falha defeito""".split()  # noqa: SIM905
)


def _lacks(pair: _Pair) -> bool:
    """Whether one text denies what the other says is broken or hard: "no heating", "heating broken"."""
    for left, other, side in (
        (pair.matching.left_a, pair.matching.left_b, pair.b),
        (pair.matching.left_b, pair.matching.left_a, pair.a),
    ):
        if len(left) == 1 and not other and side.negations == 1:
            term = left[0]
            stopped = _NOT_WORKING[pair.language or "en"]
            if term.text in _FAILING or pair.vocabulary.are_synonyms(term.text, stopped, pair.language):
                return True
    return False


def _says_zero(pair: _Pair) -> bool:
    """Whether one text is without what the other has zero of: "interest-free loan", "loan with 0% interest"."""
    facts, matching = pair.facts, pair.matching
    left = (*facts.left_a, *facts.left_b)
    return (
        len(left) == 1
        and left[0].value == 0
        and left[0].kind in ("number", "percent", "money")
        and not (matching.left_a or matching.left_b)
    )


_NOT_WORKING = {"en": "not working", "es": "no funciona", "pt": "não funciona"}


def _fact_name(name: str) -> str:
    return name.split(":")[1] if ":" in name else name


def _by_words(pair: _Pair) -> Open:
    facts, left_a, left_b = pair.facts, pair.matching.left_a, pair.matching.left_b
    if not left_a and not left_b:
        return Open(_all_matched(pair))
    if facts.worst is Relation.DOUBTFUL or (facts.left_a and facts.left_b):
        doubts = _doubts(facts)
        return Open(unsure(False, _similarity(pair) / 2, "typed", doubts[0], doubts[1:]))
    return _word_difference(pair) if left_a and left_b else _extra_words(pair)


def _rest(left_a: Sequence[Term], left_b: Sequence[Term]) -> tuple[str, str]:
    return " ".join(t.text for t in left_a), " ".join(t.text for t in left_b)


def _doubts(facts: Matched) -> tuple[str, ...]:
    """What the facts leave open, one sentence each."""
    found = [
        (said.MAY_BE_SAME if relation is Relation.LIKELY else said.HARDLY_SAME).format(a=shown(x.text), b=shown(y.text))
        for x, y, relation in facts.pairs
        if relation in (Relation.LIKELY, Relation.DOUBTFUL)
    ]
    found += [said.ONLY_ONE_SAYS.format(fact=shown(fact.text)) for fact in (*facts.left_a, *facts.left_b)]
    return tuple(found)


# Shares are counted in hundredths, as whole numbers.
_STRENGTHS = {3: 100, 2: 95, 1: 75}
_FULL, _LIGHT = 100, 30


def _similarity(pair: _Pair) -> Fraction:
    """The share of facts and words that both have; a generic word weighs less."""
    facts, matching = pair.facts, pair.matching
    both = every = 0
    for match in matching.matches:
        first, second = _weight(match.a), _weight(match.b)
        both += 2 * _STRENGTHS[match.strength] * min(first, second) // 100
        every += first + second
    for _, _, relation in facts.pairs:
        both += 2 * _FULL if relation in (Relation.SAME, Relation.LIKELY) else 0
        every += 2 * _FULL
    every += sum(_weight(term) for term in (*matching.left_a, *matching.left_b))
    every += _FULL * (len(facts.left_a) + len(facts.left_b))
    return Fraction(both, every) if every else Fraction(0)


@lru_cache(maxsize=8_192)
def _word_weight(text: str) -> int:
    words = text.split()
    if len(words) == 1:
        return _LIGHT if any(w in GENERIC or w in REQUESTING for w in (text, text.removesuffix("s"))) else _FULL
    return _LIGHT if all(w in GENERIC or w in REQUESTING or w in JOINING for w in words) else _FULL


def _weight(term: Term) -> int:
    """How much a term says, in hundredths: generic words say less."""
    return _word_weight(term.text)


def _is_light(term: Term) -> bool:
    return _weight(term) < _FULL


def _all_matched(pair: _Pair) -> Judged:
    """No words are left over on either side."""
    facts, matching = pair.facts, pair.matching
    if not matching.matches and not facts.pairs and not (pair.a.facts or pair.b.facts):
        return _only_joining(pair.a, pair.b)
    similarity = _similarity(pair)
    against = _against(pair, similarity)
    if against:
        return against
    if facts.worst is Relation.LIKELY:
        doubts = _doubts(facts)
        return unsure(True, max(similarity, Fraction(7, 10)), "typed", doubts[0], doubts[1:])
    weakest = min(matching.matches, key=lambda match: match.strength, default=None)
    if weakest is None:
        both = listed([x.text or pair.a.text for x, _, _ in facts.pairs])
        return sure(True, "typed", said.BOTH_SAY_THE_SAME.format(listed=both))
    if weakest.strength == 1:
        sentence = said.WORDS_ARE_ALIKE.format(a=weakest.a.text, b=weakest.b.text, why=weakest.reason)
        return unsure(True, similarity, "words", sentence)
    if weakest.strength == 2:
        sentence = said.WORDS_MEAN_THE_SAME.format(a=weakest.a.text, b=weakest.b.text, why=weakest.reason)
        return sure(True, "vocabulary", sentence)
    return sure(True, "words", said.THEY_HAVE_SAME_WORDS)


def _is_numbered(pair: _Pair) -> bool:
    """Whether an ordinal before a word stands beside a number behind that word: "2nd floor" and "floor 2"."""
    open_ones = [(x, y) for x, y, relation in pair.facts.pairs if relation is Relation.DOUBTFUL]
    if len(open_ones) != 1 or pair.facts.left_a or pair.facts.left_b:
        return False
    x, y = open_ones[0]
    if {x.kind, y.kind} != {"ordinal", "number"} or x.value != y.value:
        return False
    partners = {id(match.a): match.b for match in pair.matching.matches}
    first, second = _neighbours(pair.a)[id(x)], _neighbours(pair.b)[id(y)]
    mine, theirs = (first[1], second[0]) if x.kind == "ordinal" else (first[0], second[1])
    if mine is None or theirs is None:
        return False
    return partners.get(id(mine)) is theirs or _address(mine) == _address(theirs) is not None


_OTHER_TIME = said.ONE_SAYS_WHAT_WAS_OR
_COMING = {
    "en": frozenset(("will", "shall")),
    "es": frozenset(("sera", "seran", "estara", "estaran", "va", "van", "habra")),
    "pt": frozenset(("sera", "serao", "estara", "estarao", "vai", "vao", "havera")),
}
_GONE = {
    "en": frozenset(("was", "were", "has", "have", "had", "been", "did")),
    "es": frozenset(("fue", "fueron", "ha", "han", "sido", "hubo")),
    "pt": frozenset(("foi", "foram", "tem", "sido", "houve")),
}
_OPEN = {
    "en": frozenset(("may", "might", "could")),
    "es": frozenset(("podria", "podrian", "quizas", "quiza")),
    "pt": frozenset(("poderia", "poderiam", "talvez")),
}


def _other_time(pair: _Pair) -> bool:
    """Whether the same is told as done in one text and as to come in the other, or is left open in one only."""
    language = pair.language or "en"
    one, other = ({word.text for word in side.words} for side in (pair.a, pair.b))
    coming, gone, open_ = _COMING[language], _GONE[language], _OPEN[language]
    for first, second in ((one, other), (other, one)):
        if first & coming and second & gone and not first & gone and not second & coming:
            return True
        if first & open_ and second & _STATED[language] and not second & (open_ | coming):
            return True
    return False


_STATED = {
    "en": frozenset(("is", "are", "was", "were", "has", "have")),
    "es": frozenset(("es", "son", "esta", "estan", "fue", "ha", "han")),
    "pt": frozenset(("e", "sao", "esta", "estao", "foi", "foram")),
}


def _goes_to(pair: _Pair) -> bool:
    """Whether a name that one text has behind "to" does it in the other: "give way to John", "John gives way"."""
    partners = {id(match.a): match.b for match in pair.matching.matches}
    partners |= {id(match.b): match.a for match in pair.matching.matches}
    for side, other in ((pair.a, pair.b), (pair.b, pair.a)):
        if len(other.content) < 2 or not other.content[0].is_name or "to" in {word.text for word in other.words}:
            continue
        name, verb = partners.get(id(other.content[0])), partners.get(id(other.content[1]))
        if name is None or verb is None or name.place == 0 or name.place > len(side.words) - 1:
            continue
        says = other.content[1].text
        if side.words[name.place - 1].text == "to" and says in (verb.text + "s", verb.text + "es"):
            return True
    return False


def _denies_another(pair: _Pair) -> bool:
    """Whether each denies one word, and not the same: "shipped but not delivered", "delivered but not shipped"."""
    first, second = _denied_word(pair.a, pair.language), _denied_word(pair.b, pair.language)
    if not first or not second or first == second:
        return False
    return any(w.text == first for w in pair.b.words) and any(w.text == second for w in pair.a.words)


def _denied_word(side: Side, language: str) -> str:
    """The word behind the only negation of a text; empty where there is none or more than one."""
    places = [at for at, word in enumerate(side.words) if denies(word.text, language)]
    if len(places) != 1:
        return ""
    return next((w.text for w in side.words[places[0] + 1 :] if w.text not in JOINING), "")


def _against(pair: _Pair, similarity: Fraction) -> Judged | None:  # noqa: PLR0911  one answer for each doubt
    """What speaks against texts of which all words are matched."""
    doubts = _doubts(pair.facts)
    if not pair.matching.matches and not pair.facts.pairs:
        return unsure(False, Fraction(1, 10), "typed", doubts[0] if doubts else said.THEY_HAVE_NOTHING_COMMON)
    if pair.facts.left_a or pair.facts.left_b:
        return unsure(False, similarity, "typed", doubts[-1], doubts[:-1])
    if pair.facts.worst is Relation.DOUBTFUL:
        return unsure(_is_numbered(pair), similarity, "typed", doubts[0], doubts[1:])
    if _denies_another(pair):
        return unsure(False, Fraction(3, 10), "contradiction", said.THEY_DENY_DIFFERENT_WORDS)
    if _other_time(pair):
        return unsure(False, Fraction(45, 100), "words", _OTHER_TIME)
    if _goes_to(pair):
        return unsure(False, Fraction(45, 100), "words", said.WHO_DOES_ONE_TEXT_ONE)
    signs = [sorted(SIGNIFICANT.findall(_outside(side))) for side in (pair.a, pair.b)]
    if signs[0] != signs[1] and not set(signs[0] + signs[1]) <= {"#"}:
        return unsure(False, Fraction(45, 100), "words", said.THEY_HAVE_SAME_WORDS_BUT_OTHER)
    bound = _bound_elsewhere(pair)
    if bound:
        return bound
    if _or_for_and(pair):
        return unsure(False, Fraction(45, 100), "words", said.ONE_SAYS_OR_WHERE_OTHER)
    if _given_names_swapped(pair):
        return unsure(False, Fraction(45, 100), "words", said.TWO_GIVEN_NAMES_HAVE_CHANGED)
    swapped = _names_swapped(pair)
    if swapped is not None:
        sentence = said.THEY_HAVE_SAME_WORDS_BUT
        return unsure(swapped, Fraction(6, 10) if swapped else Fraction(45, 100), "words", sentence)
    if _ends_swapped(pair.a, pair.b, pair.matching):
        return unsure(False, Fraction(45, 100), "words", said.THEY_HAVE_SAME_WORDS_BUT_TWO)
    return None


def _or_for_and(pair: _Pair) -> bool:
    said = [frozenset(word.text for word in side.words) for side in (pair.a, pair.b)]
    for one, other in (said, said[::-1]):
        if one & {"or", "ou"} and not one & {"and", "y"} and other & {"and", "y", "e"} and not other & {"or", "ou"}:
            return True
        if "o" in one and "y" in other and "y" not in one and "o" not in other:
            return True
    return False


_BODIES = frozenset(("university", "universidad", "universidade"))


def _given_names_swapped(pair: _Pair) -> bool:
    """Whether two of three names have changed places before the same last one: "José María", "María José López"."""
    first, second = _spoken_names(pair.a), _spoken_names(pair.b)
    return (
        len(first) == len(second) == 3
        and first[2] == second[2]
        and first[:2] == second[1::-1]
        and first[0] != first[1]
        and not pair.facts.pairs
    )


def _spoken_names(side: Side) -> list[str]:
    """The names of a person in the order in which they are spoken: "López, María José" begins with "María"."""
    if side.facts or not all(term.is_name and not _is_light(term) for term in side.content):
        return []
    if len(side.words) > sum(len(term.words) for term in side.content) + sum(w.text in TITLES for w in side.words):
        return []  # "Law of Universal Gravitation" is no person
    names = [word for term in side.content for word in term.words]
    comma = side.text.find(",")
    if side.text.count(",") == 1:
        names = [w for w in names if w.start > comma] + [w for w in names if w.start < comma]
    return [word.text for word in names]


def _names_swapped(pair: _Pair) -> bool | None:
    """Whether two names stand in another order, with a word between them that is no mere link: then hardly the same.

    None where they do not; True where they may still name the same ("Hotel Plaza", "Plaza Hotel").
    """
    if _LISTED.search(pair.a.plain + pair.b.plain) or pair.facts.pairs:
        return None
    named = [match for match in pair.matching.matches if match.a.is_name and match.b.is_name and match.strength == 3]
    for at, one in enumerate(named):
        for other in named[at + 1 :]:
            if (one.a.place < other.a.place) == (one.b.place < other.b.place):
                continue
            if _BODIES & {one.a.text, other.a.text}:
                return False
            first, last = sorted((one.a.place, other.a.place))
            first_b, last_b = sorted((one.b.place, other.b.place))
            if _has_verb(pair.a, first, last) and _has_verb(pair.b, first_b, last_b):
                return False
    return None


def _has_verb(side: Side, first: int, last: int) -> bool:
    between = [word for word in side.words[first + 1 : last] if word.text not in JOINING]
    return any(not word.is_name for word in between)


def _bound_elsewhere(pair: _Pair) -> Judged | None:
    """Whether two values have changed the words they stand beside: "3 red and 2 blue", "2 red and 3 blue"."""
    pairs = [(x, y) for x, y, relation in pair.facts.pairs if relation is Relation.SAME]
    if len(pairs) < 2 or len({x.value for x, _ in pairs}) < len(pairs):
        return None
    partners = {id(match.a): match.b.text for match in pair.matching.matches}
    first, second = _neighbours(pair.a), _neighbours(pair.b)
    for side in (1, 0):  # behind a value first: "3 red"
        mine = [partners.get(id(first[id(x)][side]), "") for x, _ in pairs]
        others = [second[id(y)][side] for _, y in pairs]
        theirs = [other.text if other else "" for other in others]
        moved = [at for at, word in enumerate(mine) if word and word != theirs[at] and word in theirs]
        if len(moved) > 1:
            sentence = said.GOES_WITH_ANOTHER_WORD_THAN.format(word=pairs[moved[0]][0].text)
            return sure(False, "contradiction", sentence)
        if moved:
            sentence = said.STANDS_BESIDE_ANOTHER_WORD_THAN.format(word=pairs[moved[0]][0].text)
            return unsure(False, Fraction(45, 100), "words", sentence)
    return None


def _neighbours(side: Side) -> dict[int, tuple[Term | None, Term | None]]:
    """For each fact the term right before and right behind it, if no other fact stands between."""
    items: list[tuple[int, Fact | Term]] = [(fact.start, fact) for fact in side.facts]
    items += [(term.words[0].start, term) for term in side.content]
    items.sort(key=lambda item: item[0])
    found: dict[int, tuple[Term | None, Term | None]] = {}
    for at, (_, item) in enumerate(items):
        if isinstance(item, Fact):
            before = items[at - 1][1] if at else None
            after = items[at + 1][1] if at + 1 < len(items) else None
            found[id(item)] = (
                before if isinstance(before, Term) else None,
                after if isinstance(after, Term) else None,
            )
    return found


def _ends_swapped(a: Side, b: Side, matching: Matching) -> bool:
    """Whether two words changed places around others that stayed: "Team A beat Team B". Lists may do that."""
    if len(matching.matches) < 3 or any(m.strength < 3 for m in matching.matches) or _LISTED.search(a.plain + b.plain):
        return False
    if len(matching.matches) != len(a.content) or len(a.content) != len(b.content):
        return False
    pairs = list(zip([t.text for t in a.content], [t.text for t in b.content], strict=True))
    moved = [at for at, (x, y) in enumerate(pairs) if x != y]
    if any(pairs[at][0].endswith(("ly", "mente")) for at in moved):
        return False  # "recently closed accounts" are accounts closed recently
    return len(moved) == 2 and moved[1] - moved[0] >= 2 and pairs[moved[0]] == pairs[moved[1]][::-1]


_LISTED = re.compile(r"[,;&/]| (?:and|or|y|e|o|u|ou) ")


def _outside(side: Side) -> str:
    text = side.plain
    for fact in side.facts:
        text = text[: fact.start] + " " * (fact.end - fact.start) + text[fact.end :]
    return text


def _only_joining(a: Side, b: Side) -> Judged:
    first, second = [w.text for w in a.words], [w.text for w in b.words]
    if first == second and first:
        return sure(True, "words", said.THEY_HAVE_SAME_WORDS)
    if sorted(first) == sorted(second) and first:
        return unsure(True, Fraction(6, 10), "words", said.THEY_HAVE_SAME_WORDS_ANOTHER)
    return unsure(False, Fraction(1, 5), "words", said.THEY_HAVE_NO_WORD_COMMON)


def _word_difference(pair: _Pair) -> Open:
    """Both sides have words that the other has not."""
    facts, matching = pair.facts, pair.matching
    words = _rest(matching.left_a, matching.left_b)
    sentence = said.STANDS_AGAINST_NO_LIST_KNOWS.format(a=words[0], b=words[1])
    similarity = _similarity(pair)
    # "number of orders" and "count of orders", "show orders" hardly differ.
    is_vague = all(term.text in VAGUE or term.text in REQUESTING for term in (*matching.left_a, *matching.left_b))
    is_asked = all(word.text in ASKING for term in (*matching.left_a, *matching.left_b) for word in term.words)
    if is_asked and matching.matches and not (facts.left_a or facts.left_b):
        return Open(unsure(True, max(similarity, Fraction(6, 10)), "words", sentence, _doubts(facts)))
    leans = is_vague and bool(matching.matches) and similarity >= Fraction(7, 10)
    leans = leans and not (facts.left_a or facts.left_b)
    judged = unsure(leans, similarity, "words", sentence, _doubts(facts))
    if any(term.is_name for term in (*matching.left_a, *matching.left_b)):
        return Open(judged)  # nothing but a list knows of names whether they name the same
    return Open(judged, words, (pair.a.text, pair.b.text))


def _extra_words(pair: _Pair) -> Open:
    """Only one side has further words."""
    facts, matching = pair.facts, pair.matching
    extra = matching.left_a or matching.left_b
    words = " ".join(term.text for term in extra)
    similarity, doubts, sentence = _similarity(pair), _doubts(facts), said.ONLY_ONE_SAYS_WORDS.format(words=words)
    if not matching.matches and not facts.pairs:
        return Open(unsure(False, Fraction(1, 10), "words", said.THEY_HAVE_NOTHING_COMMON))
    if facts.left_a or facts.left_b:
        return Open(unsure(False, similarity, "words", sentence, doubts))
    is_whole = all(word.text in WHOLE for term in extra for word in term.words)
    if is_whole and {x.kind for x, _, _ in facts.pairs} & {"period", "date"} and not matching.matches:
        return Open(unsure(True, max(similarity, Fraction(7, 10)), "words", sentence, doubts))
    is_generic = all(_is_light(t) or (_are_addresses(facts) and _is_of_address(t, facts)) for t in extra)
    if is_generic and not matching.matches and facts.worst is Relation.SAME and _are_ids(facts):
        named = shown(facts.pairs[0][0].text or facts.pairs[0][1].text)
        return Open(sure(True, "typed", said.BOTH_NAME_ONLY_SAYS_WHAT.format(named=named, words=words)))
    if not is_generic and any(_qualifies(term, pair) for term in extra):
        sentence = said.ONLY_ONE_SAYS_WHICH_MAY.format(words=words)
        return Open(unsure(False, similarity, "words", sentence))
    leans = is_generic or (_is_mostly_shared(matching, facts, extra) and not _narrows(pair, extra))
    leans = leans or (len(extra) == 1 and len(matching.matches) > 1 and _is_between(pair, extra[0]))
    return Open(unsure(leans, similarity, "words", sentence, doubts))


# What stands before an address: "e-mail: x@y.z".
_CONTACT = frozenset(
    """email;emails;mail;mailto;correo;correo electronico;electronico;email address;electronic mail;address;direccion;
    endereco;endereco de email;direccion de correo;direccion de correo electronico;phone;telephone;telefono;telefone;
    tel;cell;mobile;movil;celular;fono;whatsapp;phone number;mobile number;numero de telefono;numero de telefone;url;
    website;web;site;sitio web;contact;contacto;contato;fax;link;enlace""".replace("\n    ", "").split(";")
)


def _are_addresses(facts: Matched) -> bool:
    return bool(facts.pairs) and all(family(x) in ("phone", "email", "url") for x, _, _ in facts.pairs)


def _is_of_address(term: Term, facts: Matched) -> bool:
    """Whether a word says that an address follows, or stands in an e-mail's: "Ann Lee <ann.lee@example.com>"."""
    if term.text in _CONTACT:
        return True
    said = {str(x.value).casefold() for x, _, _ in facts.pairs if x.kind == "email"}
    return all(any(word.text in value for value in said) for word in term.words)


def _are_ids(facts: Matched) -> bool:
    return all(
        family(x) in ("id", "phone", "email", "url") or family(y) == "id" or _is_bare(x, y) for x, y, _ in facts.pairs
    )


def _is_bare(x: Fact, y: Fact) -> bool:
    return x.kind == y.kind == "number" and x.text.isdigit() and y.text.isdigit()


_NAMING = frozenset(
    """name team player artist author company event city person actor actress director singer band title movie film song
    album nombre equipo empresa ciudad autor nome time cidade artista""".split()  # noqa: SIM905
)


def _qualifies(term: Term, pair: _Pair) -> bool:
    """Whether a word makes something else of what it stands beside: it has an opposite or siblings that exclude it.

    A capital word in a field that holds a name is a part of the name.
    """
    if term.is_name and field_words(pair.field) & _NAMING:
        return False
    vocabulary, language = pair.vocabulary, pair.language
    return bool(vocabulary.opposites_of(term.text, language) or vocabulary.contrasts_of(term.text, language))


def _is_mostly_shared(matching: Matching, facts: Matched, extra: Sequence[Term]) -> bool:
    """Whether what both say outweighs what only one says, and the extra is no number of words beyond a name's."""
    shared = len(matching.matches) + len(facts.pairs)
    names = sum(1 for m in matching.matches if m.a.is_name or m.b.is_name)
    weight = sum(_weight(term) for term in extra)
    return weight <= _FULL * max(shared, 1) + _FULL // 2 if names else weight <= _FULL * shared


def _narrows(pair: _Pair, extra: Sequence[Term]) -> bool:
    """Whether the further words make something else of what both name: "assistant manager", "gift card".

    A name with more of its parts ("Cristiano Ronaldo") is no other name, and "pair of sneakers" are sneakers.
    """
    is_a = bool(pair.matching.left_a)
    shared = [match.a if is_a else match.b for match in pair.matching.matches]
    if not shared or any(term.is_name for term in (*extra, *shared)):
        return False
    return not any(word.text in _OF for word in (pair.a if is_a else pair.b).words)


def _is_between(pair: _Pair, extra: Term) -> bool:
    """Whether the word is a participle behind what it is of, with more behind: "goals scored away", "away goals"."""
    side = pair.a if pair.matching.left_a else pair.b
    word = extra.text
    if len(extra.words) > 1 or not (word.endswith(("ed", "ing")) or word in _PARTICIPLES) or extra.place == 0:
        return False
    before = side.words[extra.place - 1].text if extra.place < len(side.words) else ""
    has_before = any(before in {w.text for w in term.words} for term in side.content if term is not extra)
    return has_before and any(term.place > extra.place for term in side.content)


_PARTICIPLES = frozenset(("made", "held", "sent", "done", "kept", "given", "taken", "built", "written"))
_OF = frozenset(("of", "de", "do", "da", "del", "in", "on", "for"))
