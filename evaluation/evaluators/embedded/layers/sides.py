"""A text taken apart: its facts, and the words that stand outside of them."""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded.facts.extract import facts_in, spans_of
from evaluation.evaluators.embedded.facts.model import Fact
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.layers.families import relatives
from evaluation.evaluators.embedded.layers.lists import JOINING, NEGATORS, TITLES
from evaluation.evaluators.embedded.vocabulary import Vocabulary

_WORD = re.compile(r"\b[eE]-[mM]ails?\b|[^\W_]+(?:['.&][^\W_]+)*[+#]*\.?(?<![ ])")


_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its folded form, how it was written, and its place."""

    text: str
    written: str
    start: int

    @property
    def is_name(self) -> bool:
        """Written with a capital."""
        return self.written[:1].isupper()


@dataclass(frozen=True, slots=True)
class Term:
    """One or more words that stand for one thing."""

    text: str
    words: tuple[Word, ...]
    place: int

    @property
    def is_name(self) -> bool:
        """Whether every word of it is written with a capital."""
        return all(word.is_name for word in self.words)


# ruff: noqa: E501  lists of words are easier to read as text
# Words beside a percentage that say which way it moved, or that it is taken off.
_MOVES = {
    **dict.fromkeys(
        """up increase increases increased increasing rise rises rose risen rising growth grow grows grew grown gain gains
        gained higher climb climbed uptick surge jump subio subieron sube subida aumentaron crecieron subiram aumentaram cresceram elevaram aumento aumentado incremento incrementado alza
        crecio crecimiento alta subiu sobe aumentou cresceu crescimento elevacao elevou incremento""".split(),  # noqa: SIM905
        "up",
    ),
    **dict.fromkeys(
        """down decrease decreases decreased decreasing drop drops dropped fall falls fell fallen decline declines declined
        reduction reduced lower dip dipped slump bajo bajaron cayeron disminuyeron descendieron redujeron cairam diminuiram recuaram reduziram baixaram baja bajada caida cayo descenso descendio disminucion disminuyo
        reduccion redujo queda caiu reducao reduziu recuo recuou diminuicao diminuiu baixa decrescimo retroceso""".split(),  # noqa: SIM905
        "down",
    ),
    **dict.fromkeys("off discount descuento desconto rebaja abatimento discounted".split(), "off"),  # noqa: SIM905
}


def _with_moves(facts: tuple[Fact, ...], words: list[Word], plain_text: str) -> tuple[tuple[Fact, ...], set[int]]:
    """Percentages with the word beside them that says which way: "3% drop" is -3 %; and the words so used up."""
    moved: list[Fact] = []
    used: set[int] = set()
    for fact in facts:
        value = fact.value
        if fact.kind != "percent" or fact.bound or not isinstance(value, Fraction):
            moved.append(fact)
            continue
        way, at = _way_beside(fact, words)
        written = plain_text[fact.start : fact.start + 1]
        if not way and written in "+-":
            way = "up" if written == "+" else "down"
        if not way and value < 0:
            way = "down"
        if way == "down":
            value = -abs(value)
        if at >= 0:
            used.add(at)
        moved.append(replace(fact, value=value, measure=way) if way else fact)
    return tuple(moved), used


def _way_beside(fact: Fact, words: list[Word]) -> tuple[str, int]:
    before = [(at, word) for at, word in enumerate(words) if word.start < fact.start]
    after = [(at, word) for at, word in enumerate(words) if word.start >= fact.end]
    for near in (after[:2], before[::-1][:2]):
        for at, word in near:
            if word.text in _MOVES:
                return _MOVES[word.text], at
            if word.text not in JOINING:
                break
    return "", -1


@dataclass(frozen=True, slots=True)
class Side:
    """A text taken apart: its facts, and the words that stand outside of them."""

    text: str
    plain: str
    facts: tuple[Fact, ...]
    words: tuple[Word, ...]
    content: tuple[Term, ...]
    neutral: tuple[Term, ...]
    negations: int


_CAPITALS_AND_S = re.compile(r"[A-Z]{2,5}'?s")


def _fold_word(text: str) -> str:
    word = plain(text).strip(".")
    if word.startswith("e-mail"):
        return word.replace("-", "")
    if _CAPITALS_AND_S.fullmatch(text):
        return word[:-1].rstrip("'")  # "EVs" are several EV
    if word.count(".") and all(len(part) <= 2 for part in word.split(".")):
        word = word.replace(".", "")
    if word.endswith("'s"):
        word = word[:-2]
    if word.endswith("n't"):
        return word.replace("'", "")
    return word.replace("'", "")


@lru_cache(maxsize=8_192)
def taken_apart(text: str, language: str, field_name: str, vocabulary: Vocabulary) -> Side:
    """A text's facts and words. Words that say nothing (fillers, joining words, the field's own name) are set apart."""
    facts = with_instants(facts_in(text, language=language, field=field_name), plain(text[:4_000]))
    return _side(text, facts, language, field_name, vocabulary)


_BETWEEN_DATE_AND_TIME = re.compile(r"\s*(?:,|-|t|@|,? ?(?:at|on|a las?|as|a|el|em|no dia|on the))?\s*$")
_BETWEEN_TIME_AND_DATE = re.compile(r"\s*(?:,|,? ?(?:on|on the|of|de|del|del dia|do dia|do|el|em|no dia))?\s*$")


def with_instants(facts: tuple[Fact, ...], plain_text: str) -> tuple[Fact, ...]:
    """Facts with a date and the time beside it made one instant."""
    joined: list[Fact] = []
    for fact in facts:
        before = joined[-1] if joined else None
        if before is not None and before.kind == "date" and fact.measure == "h":
            # "às 14h" behind a date is a time.
            as_time = next((reading for reading in fact.others if reading.kind == "time"), None)
            fact = replace(fact, kind="time", value=as_time.value, unit="", others=()) if as_time else fact  # noqa: PLW2901
        if before is not None and {before.kind, fact.kind} == {"date", "time"} and before.bound == fact.bound == "":
            date, time = (before, fact) if before.kind == "date" else (fact, before)
            gap = plain_text[before.end : fact.start]
            between = _BETWEEN_DATE_AND_TIME if before.kind == "date" else _BETWEEN_TIME_AND_DATE
            if between.match(gap) and isinstance(date.value, tuple) and date.value[0] is not None:
                joined[-1] = Fact(
                    "datetime",
                    (date.value, time.value),
                    before.start,
                    fact.end,
                    f"{before.text}{gap}{fact.text}",
                    time.unit,
                )
                continue
        joined.append(fact)
    return tuple(joined)


def _side(text: str, facts: tuple[Fact, ...], language: str, field_name: str, vocabulary: Vocabulary) -> Side:
    readable = text[:4_000]
    spans = spans_of(facts)
    ends = [end for _, end in spans]
    # A year that stands apart from its quarter has become part of that fact.
    years = {part for fact in facts if fact.kind in ("period", "date") for part in _YEAR.findall(str(fact.value))}
    words: list[Word] = []
    for match in _WORD.finditer(_parted(readable)):
        at = bisect_right(ends, match.start())  # the first span that ends behind the word's start
        if at < len(spans) and spans[at][0] < match.end():
            continue
        folded = _fold_word(match[0])
        if folded and not (folded.isdigit() and folded in years):
            words.append(Word(folded, readable[match.start() : match.end()].strip("."), match.start()))
    facts, used = _with_moves(facts, words, plain(readable))
    if used:
        words = [word for at, word in enumerate(words) if at not in used]
    content: list[Term] = []
    neutral: list[Term] = []
    negations = 0
    own = field_words(field_name)
    is_all_capitals = readable.isupper()
    for at, word in enumerate(words):
        # "Product A", "replace A with B": a letter that is no article is a name.
        if (
            len(word.text) == 1
            and word.is_name
            and not (word.text == "i" and language == "en" and len(words) > 2)
            and (at > 0 or len(words) == 1 or readable[: word.start].strip())
        ):
            words[at] = Word(word.text, word.written * 2, word.start)
    for piece in vocabulary.longest_terms([word.text for word in words], language):
        inside = tuple(words[piece.start : piece.end])
        term = Term(" ".join(word.text for word in inside), inside, piece.start)
        if (
            len(inside) == 1
            and inside[0].text in NEGATORS
            and not (inside[0].text == "no" and _is_no_denial(facts, inside[0], language, readable))
        ):
            negations += 1
            neutral.append(term)
        elif len(inside) > 1 and (turned := sum(word.text in NEGATORS for word in inside)) and _only_joins(inside):
            negations += turned  # "does not", "is not"
            neutral.append(term)
        elif term.text == "free" and readable[inside[0].start - 1 : inside[0].start] == "-":
            negations += 1  # "tax-free"
            neutral.append(term)
        elif _is_neutral(term, language, own, vocabulary, is_all_capitals):
            neutral.append(term)
        else:
            negated = _split_negation(term, vocabulary, language)
            if negated:
                negations += 1
                term = negated
            content.append(term)
    return Side(text, plain(readable), facts, tuple(words), tuple(content), tuple(neutral), negations)


def _only_joins(words: tuple[Word, ...]) -> bool:
    return all(word.text in NEGATORS or word.text in JOINING for word in words)


_PORTUGUESE = re.compile(r"[ãõç]|\b(?:do|da|em|ao|uma|pelo|pela|na|nas)\b", re.IGNORECASE)


def _is_no_denial(facts: tuple[Fact, ...], word: Word, language: str, text: str) -> bool:
    """The "no" of "no. 778", and of Portuguese "no trimestre", which is "in the"."""
    if _is_number_sign(facts, word) or language == "pt":
        return True
    if language:
        return False
    behind = word.start + len(word.written) + 1
    before_date = any(fact.start == behind and fact.kind in ("date", "period", "relative") for fact in facts)
    return word.start > 0 and (before_date or bool(_PORTUGUESE.search(text)))


def _is_number_sign(facts: tuple[Fact, ...], word: Word) -> bool:
    """The "no" of "no. 778" is no negation."""
    return any(0 <= fact.start - word.start <= 5 for fact in facts) and word.written.rstrip(".").casefold() in (
        "no",
        "nº",
    )


def _parted(text: str) -> str:
    """The text with words parted at underscores and in camelCase, as long as it was."""
    return re.sub(r"[_/]", " ", text)


_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=4_096)
def field_words(name: str) -> frozenset[str]:
    """The words in a parameter's name: customerCity, customer_city and customer.city have two.

    >>> sorted(field_words("museum_name"))
    ['museum', 'name']
    """
    return frozenset(plain(word) for word in _CAMEL.findall(re.sub(r"\[\d*\]", " ", name)))


def _is_neutral(term: Term, language: str, own: frozenset[str], vocabulary: Vocabulary, is_all_capitals: bool) -> bool:
    if len(term.words) == 1:
        word = term.words[0]
        is_code = word.written.isupper() and len(word.written) == 2 and (not is_all_capitals or len(word.text) == 1)
        if word.text in JOINING and not is_code:
            return True
        if word.text in own or word.text.removesuffix("s") in own:
            return True
        if word.text in TITLES and word.is_name:
            return True
        if is_code or (len(word.text) == 1 and word.is_name):
            return False
    return vocabulary.is_filler(term.text, language)


def _split_negation(term: Term, vocabulary: Vocabulary, language: str) -> Term | None:
    """ "undelivered" as "delivered" with a negation, where the word itself is not known."""
    if len(term.words) != 1 or term.words[0].is_name:
        return None
    word = term.words[0].text
    match = re.match(r"(?:un|non)(?=[a-z]{5})", word)
    if not match or vocabulary.concepts_of(word, language):
        return None
    rest = word[match.end() :]
    if not relatives(rest, language) and not rest.endswith(
        ("ed", "able", "ful", "ing", "al", "ive", "ent", "able", "refundable", "stop", "paid", "read", "known", "safe")
    ):
        return None
    if match[0] == "non" and rest == "stop":
        return None
    base = Word(rest, term.words[0].written, term.words[0].start)
    return Term(rest, (base,), term.place)
