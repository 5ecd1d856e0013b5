"""A reply as it is read for judging: its words with what they may mean, facts, names, clauses, and what is denied."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from evaluation.evaluators.embedded.facts import Fact, facts_in
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.replywords import EXCLUSIONS, LANGUAGES, PHRASES, is_courtesy, phrases, words
from evaluation.evaluators.embedded.sentences import Span, sentences
from evaluation.evaluators.embedded.vocabulary import Vocabulary, stem_word

# So much of a reply is read; what stands behind is not judged.
LONGEST = 4_000  # characters
MOST_SENTENCES = 60
MOST_TOKENS = 600
MOST_FACTS = 120
MOST_PAIRS = 2_000  # of like words in one text

_TOKEN = re.compile(r"\be-mails?\b|[^\W_]+(?:['.&][^\W_]+)*|[^\w\s]|_")
_CLITIC = re.compile(r"('(?:s|re|ll|ve|d|m))$")
# "Acéptelo", "pagarla", "enviándolo": a Spanish verb with its object.
_JOINED = re.compile(
    r"(\w+[áéíóú]\w{1,4}[aeno]|\w{2,}[aei]r|\w{2,}(?:ándo|iéndo|yéndo))(?:se|[mt]e|nos)?(?:l[aoe]s?|se|me|nos)",
    re.IGNORECASE,
)
_NOT = re.compile(r"n't$")
_BREAKING = frozenset(";:()[]!?…—–\n")
_TOKENS_IN_SCOPE = 9
_TOKENS_AFTER_WITHOUT = 4
_TOKENS_BEFORE = 40
_BEHIND = 40  # characters, for a fact at the end of what is read
_FACT = 1.5  # weighs a fact, over all its tokens
# Small words that are others once their accents are gone: Portuguese "é" is no "e".
_ACCENTED = frozenset(("é", "más", "sí", "él", "está", "às", "à"))

Side = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word, or several, may mean: the concepts it stands in, and its places among opposites and contrasts."""

    concepts: frozenset[tuple[str, int]]
    opposites: frozenset[Side]
    contrasts: frozenset[Side]


@dataclass(slots=True)
class Token:
    """One word or mark. ``fact`` is the number of the fact that it is part of, ``name`` of the name; -1: of none."""

    start: int
    end: int
    word: str
    written: str
    sentence: int
    stem: str = ""
    clause: int = -1
    segment: int = -1
    fact: int = -1
    name: int = -1
    weight: float = 0.0
    is_denied: bool = False
    is_focus: bool = False
    head: int = -1  # the verb behind a "without" that this word is the object of

    @property
    def is_content(self) -> bool:
        return self.weight > 0


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens ``first`` to ``last`` (exclusive) that may be one expression."""

    first: int
    last: int
    stems: tuple[str, ...]
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name: its tokens, and their plain words."""

    first: int
    last: int
    words: tuple[str, ...]


@dataclass(slots=True)
class Clause:
    """Tokens between two breaks: how often it says "not", how often "without", and how it is meant.

    ``implied`` are those of the negations that are in a word: "unable", "out of stock".
    """

    first: int
    last: int
    sentence: int
    flags: frozenset[str] = frozenset()
    negations: int = 0
    lacks: int = 0
    implied: int = 0
    implying: set[int] = field(default_factory=set)  # their tokens


@dataclass(slots=True)
class Reading:
    """A text read."""

    text: str
    language: str
    sentences: list[Span]
    courtesies: frozenset[int]
    tokens: list[Token]
    terms: list[Term]
    facts: tuple[Fact, ...]
    names: list[Name]
    clauses: list[Clause]
    is_cut: bool = False
    fact_tokens: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=4_096)
def language_of(text: str, hint: str = "") -> str:
    """The language whose small words and endings a text has most of; the hint where none is ahead of it.

    >>> language_of("A instalação é gratuita."), language_of("Listo: se envió."), language_of("5", "pt")
    ('pt', 'es', 'pt')
    """
    found = [token for token in _TOKEN.findall(text[:1_000].casefold()) if token[0].isalpha()]
    counts = dict.fromkeys(LANGUAGES, 0.0)
    for token in found:
        bare = plain(token)
        for one in LANGUAGES:
            if bare in words("function", one):
                counts[one] += 2 if bare in _telling(one) else 0.5
            if any(token.endswith(ending) for ending in _ENDINGS[one]):
                counts[one] += 2
            if token in _SPELLED.get(one, ()):
                counts[one] += 2
            if not token.isascii() and one != "en":
                counts[one] += 0.5
    if hint in counts:
        counts[hint] += 1
    best = max(LANGUAGES, key=lambda one: counts[one])
    if counts[best] == 0 or (hint in LANGUAGES and counts[best] <= counts[hint]):
        return hint
    return best


# As they are written, with their accents.
_SPELLED = {
    "es": frozenset(("más", "está", "están", "también", "sí", "qué", "ya", "él", "según", "día", "días", "y")),
    "pt": frozenset(("é", "à", "às", "há", "até", "também", "você", "já", "são", "não", "está", "será", "dia")),
}
_ENDINGS = {
    "en": ("ing", "tion", "n't", "'s", "ed"),
    "es": ("ción", "ciones", "ñas", "ñol", "ieron", "aron", "ó", "idad", "ños", "ño"),
    "pt": ("ção", "ções", "ões", "ão", "ou", "eiro", "agem", "idade", "ê", "ém"),
}


@lru_cache(maxsize=3)
def _telling(language: str) -> frozenset[str]:
    """Small words of one language that are none of another's."""
    others: set[str] = set()
    for other in LANGUAGES:
        if other != language:
            others |= words("function", other)
    return frozenset(words("function", language) - others)


@lru_cache(maxsize=256)
def read(text: str, language: str, vocabulary: Vocabulary) -> Reading:
    """Read a text: its beginning, where it is very long. Never raises."""
    whole = text
    text = text[:LONGEST]
    language = language_of(text, language) or LANGUAGES[0]
    spans = sentences(text)
    is_cut = len(whole) > LONGEST or len(spans) > MOST_SENTENCES
    spans = spans[:MOST_SENTENCES]
    found = Reading(
        text=text,
        language=language,
        sentences=spans,
        courtesies=frozenset(at for at, span in enumerate(spans) if is_courtesy(text[span.start : span.end])),
        tokens=[],
        terms=[],
        facts=(),
        names=[],
        clauses=[],
        is_cut=is_cut,
    )
    _add_tokens(found)
    if (most := _bearable(found)) < len(found.tokens):
        del found.tokens[most:]
        found.is_cut = True
    _add_facts(found)
    _add_names(found, vocabulary)
    _weigh(found, vocabulary)
    _add_terms(found, vocabulary)
    _add_clauses(found)
    return found


def _bearable(found: Reading) -> int:
    """So many tokens are read. What says the same words over and over is read for a while only.

    Every word is held against each of its like in the other text: a word that stands there a hundred times in both
    would make ten thousand pairs.
    """
    counts: dict[str, int] = {}
    pairs, small = 0, words("function", found.language)
    for at, token in enumerate(found.tokens[:MOST_TOKENS]):
        if token.word[0].isalnum() and token.word not in small:
            count = counts.get(token.word, 0)
            counts[token.word] = count + 1
            pairs += 2 * count + 1
            if pairs > MOST_PAIRS:
                return at
    return MOST_TOKENS


# -- tokens --------------------------------------------------------------------------------------------------------


def _add_tokens(found: Reading) -> None:
    text = plain(found.text)
    for number, span in enumerate(found.sentences):
        for match in _TOKEN.finditer(text, span.start, span.end):
            start, end, word = match.start(), match.end(), match.group()
            cut = end
            if _NOT.search(word):
                cut = end - 3
            elif clitic := _CLITIC.search(word):
                cut = end - len(clitic.group())
            for first, last in ((start, cut), (cut, end)):
                if first < last:
                    piece = text[first:last].replace("e-mail", "email")
                    if found.language == "es" and (joined := _JOINED.fullmatch(found.text[first:last])):
                        piece = plain(joined[1])
                    token = Token(first, last, piece, found.text[first:last], number)
                    token.stem = stem_word(piece, found.language) if found.language else piece
                    found.tokens.append(token)


def _add_facts(found: Reading) -> None:
    facts: list[Fact] = []
    end = found.tokens[-1].end if found.tokens else 0
    read_facts = facts_of(found.text[: end + _BEHIND] if found.is_cut else found.text, found.language)
    found.is_cut = found.is_cut or len(read_facts) > MOST_FACTS
    for read_fact in read_facts[:MOST_FACTS]:
        fact = one = read_fact
        if fact.kind in ("boolean", "code") or _is_article(fact):
            continue
        first, last = _tokens_of(found.tokens, fact.start, fact.end)
        if first == last:
            continue
        first, last = _value_tokens(fact, found.tokens, first, last, found.language)
        if _INCHES.search(fact.text) and fact.kind == "quantity" and last < len(found.tokens):
            fact = replace(one, kind="number", value=Fraction(_INCHES.sub("", one.text)), unit="", end=one.start + 1)
            last = first + 1
        if last < len(found.tokens) and _is_day_of_month(fact, found.tokens[last].word):
            fact = replace(one, value=("every", "month", 1))
        if _is_rate(fact, found.tokens, first):
            fact = replace(one, kind="recurrence", value=("every", _UNITS_OF_RATES[fact.value], 1), unit="")
        for token in found.tokens[first:last]:
            token.fact = len(facts)
        facts.append(fact)
        found.fact_tokens.append((first, last))
    found.facts = tuple(facts)


_HOURS = re.compile(
    r"(?<=\d)\s?[–—-]\s?(?=\d{1,2}(?::\d\d|\s?h\b|\s?[ap]\.?m))|(?<=[ap]m|.[hH])\s?[–—-]\s?(?=\d)", re.IGNORECASE
)
_TO = re.compile(
    r"(?<![\d:.,])(?P<first>\d{1,4}(?:,\d{3})*(?:\.\d+)?) to (?P<second>\d{1,4}(?:,\d{3})*(?:\.\d+)?)(?![:.,]?\d)"
)
# "9 in June" is no length.
_INCHES = re.compile(r"(?<=\d) in$")
_MEASURED = ("number", "money", "percent", "quantity")


def _value_tokens(fact: Fact, tokens: list[Token], first: int, last: int, language: str) -> tuple[int, int]:
    """The tokens of the value itself, without "a maximum of" and "or more": those are told apart."""
    if not fact.bound or fact.bound == "range":
        return first, last
    loose = words("at_least", language) | words("at_most", language) | words("articles", language)
    if fact.kind in _MEASURED:
        loose |= words("function", language)
    loose -= words("counted", "")
    start, end = first, last
    while start < end and tokens[start].word in loose:
        start += 1
    while end > start and tokens[end - 1].word in loose:
        end -= 1
    return (start, end) if start < end else (first, last)


def _is_day_of_month(fact: Fact, following: str) -> bool:
    """Whether "todo dia 15" is every month, on the 15th."""
    is_day = fact.kind == "recurrence" and fact.value == ("every", "day", 1) and bool(_DAY.search(plain(fact.text)))
    return is_day and following.isdigit() and 0 < int(following) < 32


_DAY = re.compile(r"dias?$")
_UNITS_OF_RATES: dict[object, str] = {12: "year", 1: "month", 604_800: "week", 86_400: "day", 3_600: "hour"}
_RATED = re.compile(r"(?:an?|al|ao|por|per|un|uma|una|um) ")
_LASTING = frozenset(
    ("for", "with", "con", "com",
     "in", "within", "after", "about", "than", "least", "most", "over", "of", "every", "takes", "take", "lasts",
     "durante", "en", "em", "dentro", "de", "tras", "apos", "menos", "mas", "mais", "unos", "cerca", "is", "was", "has")
)  # fmt: skip


def _is_rate(fact: Fact, tokens: list[Token], first: int) -> bool:
    """Whether "a year" says how often ("3% a year"), not how long ("for a year")."""
    if fact.kind != "quantity" or fact.bound or fact.value not in _UNITS_OF_RATES or first == 0:
        return False
    if not _RATED.match(plain(fact.text)) or tokens[first - 1].word in _LASTING:
        return False
    # What is done so often, or costs so much, stands before it.
    return any(
        token.fact >= 0 and token.sentence == tokens[first].sentence for token in tokens[max(0, first - 4) : first]
    )


@lru_cache(maxsize=512)
def facts_of(text: str, language: str) -> tuple[Fact, ...]:
    """The facts of running text, in which numbers that move are no times: see _plain_ranges."""
    plainer, moved = _plain_ranges(text)
    found = []
    for fact in facts_in(plainer, language=language):
        start = min([start for start, end in moved if start <= fact.start < end], default=fact.start)
        is_told = fact.text and start == fact.start
        found.append(replace(fact, start=start, text=fact.text if is_told else text[start : fact.end]))
    return tuple(found)


def _plain_ranges(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with ranges written so that they are read as such, as long as it was, and where ranges were moved.

    "9:00–20:00" are two times, the second no zone of the first; "5 to 7 days" is no five minutes to a time, and a
    number went "from 10 to 12" by two values.
    """
    text = _HOURS.sub(lambda dash: " " * len(dash.group()), text)
    text = _PRICED.sub(r"\1;", text)
    moved: list[tuple[int, int]] = []

    def write(match: re.Match[str]) -> str:
        first, second = match["first"], match["second"]
        if _HOUR_BEHIND.match(text, match.end()):
            moved.append(match.span())
            return f"   {first}-{second}"
        if _MONTH.search(text, max(0, match.start() - 12), match.start()):
            return f"{first} -  {second}"
        if text[max(0, match.start() - 5) : match.start()].casefold() == "from " or not _is_less(first, second):
            return f"{first} ;  {second}"
        moved.append(match.span())
        return f"   {first}-{second}"

    text = _LEFT_TO.sub(" ;  ", _TO.sub(write, text))
    return _MOVED.sub(lambda match: match["before"] + " ;".ljust(len(match["to"])), text), moved


# "From $60 to $75 next year" is no 75 years.
_PRICED = re.compile(r"([$€£]\s?\d[\d.,]*\d|[$€£]\s?\d) (?=(?:next|last|this|every|each)\b)", re.IGNORECASE)
# "Pasó del 2,1 % al 2,8 %", but not "del 5 al 16 de agosto" or "de 9 a 20 h".
_MOVED = re.compile(
    r"(?P<before>\b(?:del?|desde|d[oa]) (?:R\$ ?|US\$ ?|\$ ?)?\d+(?:[.,]\d+)*(?: ?(?:%|€|\$|euros|reais))?)"
    r"(?P<to> (?:al?|ao|para|hasta|até) )(?=(?:R\$ ?|US\$ ?|\$ ?)?\d+(?:[.,]\d+)*(?![\d.,:]*(?:\d|:| ?h\b| de\b)))",
    re.IGNORECASE,
)
_HOUR_BEHIND = re.compile(r"\s?[ap]\.? ?m\b|\s+in the (?:morning|afternoon|evening)\b", re.IGNORECASE)
_LEFT_TO = re.compile(r"(?<=\d) to (?=\d{1,4}(?![\d:]))")
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? $", re.IGNORECASE)


def _is_less(first: str, second: str) -> bool:
    """Whether the first of two numbers as written in English is the smaller one."""
    return Fraction(first.replace(",", "")) < Fraction(second.replace(",", ""))


def _is_article(fact: Fact) -> bool:
    """Whether a number is only a "one" or "first" of running text, and says no amount."""
    if fact.kind not in ("number", "ordinal"):
        return False
    return not any(character.isdigit() for character in fact.text) and (
        fact.kind == "ordinal" or plain(fact.text) not in words("counted", "")
    )


def _tokens_of(tokens: list[Token], start: int, end: int) -> tuple[int, int]:
    first = next((at for at, token in enumerate(tokens) if token.end > start), len(tokens))
    last = first
    while last < len(tokens) and tokens[last].start < end:
        last += 1
    while last > first and not tokens[last - 1].word[-1].isalnum() and tokens[last - 1].word in ".,":
        last -= 1
    return first, last


def _add_names(found: Reading, vocabulary: Vocabulary) -> None:
    """Capitalised words inside a sentence, and at its beginning where nothing else explains the capital."""
    tokens = found.tokens
    no_names = words("title_words", found.language) | words("function", found.language)
    opening = {span.start for span in found.sentences}
    capitalised = sum(1 for token in tokens if token.written[:1].isupper())
    wordy = sum(1 for token in tokens if token.word[:1].isalpha())
    if wordy > 5 and capitalised > 0.7 * wordy:
        return  # everything is capitalised: it tells nothing
    at = 0
    while at < len(tokens):
        last = at
        while last < len(tokens) and last - at < 6 and _may_be_name(tokens, last, at, no_names):
            last += 1
        if last == at:
            at += 1
            continue
        first = at
        is_opening = tokens[first].start in opening or (first > 0 and tokens[first - 1].word in ":\"'(•")
        at = last
        if is_opening and last - first == 1 and not _is_acronym(tokens[first].written):
            continue
        if is_opening and _is_common(tokens[first], found, vocabulary):
            first += 1
        # "De Quito para Lima": a place, though "quito" is a verb, too.
        is_placed = first > 0 and found.language in ("es", "pt") and tokens[first - 1].word in _PLACING
        if not is_placed and all(_is_common(token, found, vocabulary) for token in tokens[first:last]):
            continue
        for token in tokens[first:last]:
            token.name = len(found.names)
        found.names.append(Name(first, last, tuple(token.word for token in tokens[first:last])))
    # "Size M", "plan B": a letter that is no word.
    for index, token in enumerate(tokens):
        is_letter = len(token.written) == 1 and token.written.isupper() and token.word not in "iaeouy"
        if is_letter and token.fact < 0 and token.name < 0:
            token.name = len(found.names)
            found.names.append(Name(index, index + 1, (token.word,)))
    # A name of the text stays one where it opens a sentence.
    known = {name.words[0]: number for number, name in enumerate(found.names) if len(name.words) == 1}
    for index, token in enumerate(tokens):
        if token.name < 0 and token.fact < 0 and token.word in known and token.written[:1].isupper():
            token.name = len(found.names)
            found.names.append(Name(index, index + 1, (token.word,)))


def with_names_of(reading: Reading, other: Reading) -> Reading:
    """A reading in which a word that opens a sentence is a name where the other text has it as one: "Mia", "Leo".

    A capital at the beginning says nothing by itself. The reading itself is left as it is.
    """
    known = {name.words[0] for name in other.names if len(name.words) == 1}
    opening = {span.start for span in reading.sentences}
    found = [
        at
        for at, token in enumerate(reading.tokens)
        if token.word in known
        and token.start in opening
        and token.is_content
        and token.fact < 0
        and token.name < 0
        and token.written[:1].isupper()
        and (at + 1 >= len(reading.tokens) or reading.tokens[at + 1].name < 0)
    ]
    if not found:
        return reading
    tokens, names = list(reading.tokens), list(reading.names)
    for at in found:
        tokens[at] = replace(tokens[at], name=len(names), weight=1.5)
        names.append(Name(at, at + 1, (tokens[at].word,)))
    return replace(reading, tokens=tokens, names=names)


_PLACING = frozenset(("desde", "hacia", "hasta", "para", "de", "a"))


def _may_be_name(tokens: list[Token], at: int, first: int, no_names: frozenset[str]) -> bool:
    token = tokens[at]
    if token.fact >= 0 or not token.written[:1].isupper() or token.word in no_names:
        return False
    return at == first or (token.sentence == tokens[at - 1].sentence and token.start - tokens[at - 1].end <= 1)


def _is_acronym(written: str) -> bool:
    return len(written) >= 2 and written.isupper()


def _is_common(token: Token, found: Reading, vocabulary: Vocabulary) -> bool:
    if _is_acronym(token.written):
        return False
    return token.word in words("light", found.language) or bool(
        _meaning(token.word, found.language, PHRASES, "r").concepts
    )


def _weigh(found: Reading, vocabulary: Vocabulary) -> None:
    light = words("light", found.language)
    empty = _HALVES.union(*(words(one, found.language) for one in ("function", "fillers", "negators")))
    # Courtesies are weighed as nothing: they claim nothing and cover nothing.
    for token in found.tokens:
        if token.sentence in found.courtesies or not token.word[0].isalnum():
            continue
        if token.fact >= 0:
            first, last = found.fact_tokens[token.fact]
            token.weight = _FACT / (last - first)
        elif token.name >= 0:
            token.weight = 1.5
        elif token.word in empty or token.word[0].isdigit() or len(token.word) == 1:
            token.weight = 0.0
        elif token.word in light or token.stem in _light_stems(found.language):
            token.weight = 0.5
        else:
            token.weight = 1.0
    # "up 12 %" says which way; "up" elsewhere is grammar.
    for at, token in enumerate(found.tokens):
        if token.word in _WAYS and token.weight == 0 and token.sentence not in found.courtesies:
            near = found.tokens[max(0, at - 4) : at + 5]
            if any(
                one.fact >= 0 and found.facts[one.fact].kind in ("percent", "money", "number", "quantity")
                for one in near
            ):
                after = found.tokens[at + 1].word if at + 1 < len(found.tokens) else ""
                if after not in ("to", "a", "ate", "hasta", "of", "than", "que", "de"):
                    token.weight = 1.0


_WAYS = frozenset(("up", "down"))
# What is left of "can't", "won't", "shan't".
_HALVES = frozenset(("ca", "wo", "sha"))


@lru_cache(maxsize=3)
def _light_stems(language: str) -> frozenset[str]:
    return frozenset(stem_word(word, language) for word in words("light", language))


# -- terms ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32_768)
def _meaning(term: str, language: str, vocabulary: Vocabulary, label: str) -> Meaning:
    return Meaning(
        frozenset((label, number) for number in vocabulary.concepts_of(term, language)),
        frozenset((label, *side) for side in vocabulary.opposites_of(term, language)),
        frozenset((label, *side) for side in vocabulary.contrasts_of(term, language)),
    )


@lru_cache(maxsize=32_768)
def meaning_of(term: str, language: str, vocabulary: Vocabulary) -> Meaning:
    """What a term may mean after the general vocabulary and after the one of replies."""
    found = _merged(term, language, vocabulary)
    if found == _NOTHING and language in ("es", "pt") and (we := _WE.fullmatch(term)):
        # Stemmers leave "abrimos" apart from "abrir".
        for ending in _INFINITIVES[we[2]]:
            if (found := _merged(we[1] + ending, language, vocabulary)) != _NOTHING:
                break
    return found


_NOTHING = Meaning(frozenset(), frozenset(), frozenset())
_WE = re.compile(r"(\w{2,}?)([aei])mos")
_INFINITIVES = {"a": ("ar",), "e": ("er", "ir"), "i": ("ir", "er")}


def _merged(term: str, language: str, vocabulary: Vocabulary) -> Meaning:
    one, other = _meaning(term, language, vocabulary, "v"), _meaning(term, language, PHRASES, "r")
    excluded = _meaning(term, language, EXCLUSIONS, "x")
    return Meaning(
        one.concepts | other.concepts, one.opposites | excluded.opposites, one.contrasts | excluded.contrasts
    )


@lru_cache(maxsize=4)
def _modal(language: str) -> frozenset[str]:
    """Words of extent, negation and modality, which are compared on their own."""
    sections = ("negators", "all", "some", "conditional", "possibility", "future", "and")
    return frozenset().union(*(words(section, language) for section in sections))


def _add_terms(found: Reading, vocabulary: Vocabulary) -> None:
    tokens = found.tokens
    for at, token in enumerate(tokens):
        if token.fact >= 0 or token.sentence in found.courtesies or not token.word[0].isalpha():
            continue
        if len(token.word) == 1 and token.name < 0:
            continue
        meaning = meaning_of(token.word, found.language, vocabulary)
        if token.weight > 0:
            found.terms.append(Term(at, at + 1, (token.stem,), meaning))
        elif meaning.concepts and token.word not in _modal(found.language):
            # Small words count where they say what a content word says: "with a bag" includes one.
            found.terms.append(Term(at, at + 1, (), Meaning(meaning.concepts, frozenset(), frozenset())))
    start, known = 0, set[tuple[int, int]]()
    while start < len(tokens):
        end = start
        while end < len(tokens) and tokens[end].sentence == tokens[start].sentence:
            end += 1
        if tokens[start].sentence not in found.courtesies:
            # A mark is part of no expression.
            places = [at for at in range(start, end) if not _is_hyphen(tokens, at)]
            listed = [tokens[at].word if tokens[at].word[0].isalnum() else "\x00" for at in places]
            for source in (vocabulary, PHRASES, EXCLUSIONS):
                for term in source.longest_terms(listed, found.language):
                    first, last = places[term.start], places[term.end - 1] + 1
                    if (
                        last - first > 1
                        and (first, last) not in known
                        and any(t.weight > 0 or t.fact < 0 for t in tokens[first:last])
                    ):
                        meaning = meaning_of(term.text, found.language, vocabulary)
                        known.add((first, last))
                        if meaning.concepts or meaning.opposites or meaning.contrasts:
                            stems = tuple(token.stem for token in tokens[first:last])
                            found.terms.append(Term(first, last, stems, meaning))
        start = end


def _is_hyphen(tokens: list[Token], at: int) -> bool:
    """Whether a token is the mark within "gift-card"; a dash between numbers is none."""
    if tokens[at].word != "-" or not 0 < at < len(tokens) - 1:
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    is_tight = before.end == tokens[at].start and tokens[at].end == after.start
    return is_tight and before.word.isalpha() and after.word.isalpha()


# -- clauses and what is denied ------------------------------------------------------------------------------------


def _add_clauses(found: Reading) -> None:
    tokens, language = found.tokens, found.language
    breaks, joins, finite = words("breaks", language), words("and", language), words("finite", language)
    first, segment = 0, 0
    for at, token in enumerate(tokens):
        is_grammar = token.fact < 0 and token.written.casefold() not in _ACCENTED
        is_new_sentence = at > 0 and token.sentence != tokens[at - 1].sentence
        is_mark = token.fact < 0 and (token.word in _BREAKING or token.word == ",")
        # "Breakfast: not included" is one clause, as "breakfast is not included" is.
        is_label = token.word == ":" and _is_label(tokens, first, at, finite)
        if is_new_sentence or is_mark or (is_grammar and token.word in joins):
            segment += 1
        token.segment = segment
        if at > first and not is_label and (is_new_sentence or is_mark or (is_grammar and token.word in breaks)):
            _close_clause(found, first, at)
            first = at
    if first < len(tokens):
        _close_clause(found, first, len(tokens))
    _deny(found)


def _is_label(tokens: list[Token], first: int, at: int, finite: frozenset[str]) -> bool:
    """Whether what stands before a colon is the beginning of a sentence, and none of its own."""
    is_opening = first == 0 or tokens[first - 1].sentence != tokens[at].sentence
    return first < at and is_opening and not any(one.word in finite for one in tokens[first:at])


def _close_clause(found: Reading, first: int, last: int) -> None:
    tokens = found.tokens
    if found.clauses and not any(token.is_content for token in tokens[first:last]):
        # Nothing of its own ("…, please"): it belongs to the clause before it, where that is of the same sentence.
        before = found.clauses[-1]
        is_last = last == len(tokens) or tokens[last].sentence != tokens[first].sentence or tokens[last].word in ":;"
        if (
            before.sentence == tokens[first].sentence
            and before.last == first
            and (is_last or not _has_negator(found, first, last))
        ):
            before.last = last
            for token in tokens[first:last]:
                token.clause = len(found.clauses) - 1
            return
    if found.clauses:
        # What stands before a break without content ("if", "so") opens the clause.
        before = found.clauses[-1]
        if before.sentence == tokens[first].sentence and not any(
            t.is_content for t in tokens[before.first : before.last]
        ):
            first = before.first
            found.clauses.pop()
    for token in tokens[first:last]:
        token.clause = len(found.clauses)
    found.clauses.append(Clause(first, last, tokens[first].sentence))


def _has_negator(found: Reading, first: int, last: int) -> bool:
    negators = words("negators", found.language)
    return any(token.word in negators for token in found.tokens[first:last])


_FLAGS = (
    "conditional",
    "possibility",
    "obligation",
    "optional",
    "permission",
    "future",
    "done",
    "restrictors",
    "all",
    "some",
)


def matches_phrase(listed: list[str], section: str, language: str) -> list[int]:
    """Where in a list of words a word or phrase of a section begins."""
    found = []
    for phrase in phrases(section, language):
        if len(phrase) == 1:
            found += [at for at, word in enumerate(listed) if word == phrase[0]]
        else:
            size = len(phrase)
            found += [at for at in range(len(listed) - size + 1) if tuple(listed[at : at + size]) == phrase]
    return found


@lru_cache(maxsize=4)
def _by_first(language: str) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    index: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for section in _FLAGS:
        for phrase in phrases(section, language):
            index.setdefault(phrase[0], []).append((section, phrase))
    return index


def _flags(listed: list[str], language: str) -> frozenset[str]:
    index = _by_first(language)
    found = set()
    for at, word in enumerate(listed):
        for section, phrase in index.get(word, ()):
            if section not in found and tuple(listed[at : at + len(phrase)]) == phrase:
                found.add(section)
    return frozenset(found)


_LACKING = frozenset(("without", "sin", "sem"))
_NOUN_DENIERS = frozenset(("no", "without", "sin", "sem", "ningun", "ninguna", "nenhum", "nenhuma", "zero"))


def _deny(found: Reading) -> None:
    tokens, language = found.tokens, found.language
    negators, negative = words("negators", language), words("negative", language)
    free, charge = words("free", language), words("charge", language)
    negative_phrases = [phrase for phrase in phrases("negative", language) if len(phrase) > 1]
    for clause in found.clauses:
        listed = [token.word for token in tokens[clause.first : clause.last]]
        clause.flags = _flags(listed, language)
        if tokens[clause.first].sentence in found.courtesies:
            continue
        for offset, word in enumerate(listed):
            at = clause.first + offset
            if tokens[at].fact >= 0 or tokens[at].name >= 0:
                continue
            if word in _RATHER and listed[offset + 1 : offset + 2] in _THAN:
                _deny_other(found, clause, at + 2)
            elif word in negators:
                _deny_behind(found, clause, listed, offset)
            elif (verb := _still_to(listed, offset, language)) is not None:
                # "Quedan dos por recuperar": they are not recovered.
                clause.negations += 1
                clause.implied += 1
                tokens[clause.first + verb].is_denied = tokens[clause.first + verb].is_focus = True
            elif word == "falta" and offset and listed[offset - 1] in _NEEDING:
                continue  # "no hace falta": it is not needed
            elif word in negative or any(tuple(listed[offset : offset + len(p)]) == p for p in negative_phrases):
                clause.negations += 1
                clause.implied += 1
                sizes = [len(p) for p in negative_phrases if tuple(listed[offset : offset + len(p)]) == p]
                clause.implying |= set(range(at, at + max(sizes, default=1)))
                _deny_scope(tokens, at + 1, clause, is_noun=False, own=at)
            elif word in free and not (
                offset and listed[offset - 1] in ("feel", "toll", "duty", "tax", "gluten", "hands")
            ):
                # What is free is "without charge": the charge is denied, where one is named.
                clause.negations += 1
                for token in tokens[clause.first : clause.last]:
                    if token.word in charge:
                        token.is_denied = not token.is_denied
                        token.is_focus = True


_NEEDING = frozenset(("hace", "hara", "haga", "hacia", "hizo", "faz", "fara", "fazia"))
_RATHER = frozenset(("rather", "instead", "lugar", "vez", "inves"))
_THAN = (["than"], ["of"], ["de"])


def _deny_other(found: Reading, clause: Clause, start: int) -> None:
    """Deny what stands behind "rather than" and "instead of", up to the next mark."""
    clause.lacks += 1
    rest = found.tokens[start : clause.last]
    reach = next((size for size, one in enumerate(rest) if not one.word[0].isalnum()), len(rest))
    _deny_scope(found.tokens, start, clause, is_noun=True, reach=min(reach, _TOKENS_AFTER_WITHOUT))


def _deny_behind(found: Reading, clause: Clause, listed: list[str], offset: int) -> None:
    """Deny what a "not" or "without" turns round."""
    tokens, language = found.tokens, found.language
    word, at = listed[offset], clause.first + offset
    following = listed[offset : offset + 3]
    if any(tuple(following[: len(phrase)]) == phrase for phrase in phrases("idle", language)):
        return
    if language in ("es", "pt") and word in words("doubled", language) and clause.negations:
        return
    if word == "nor" or _is_answer(found, at) or _is_otherwise(found, at, clause):
        return
    # "Days not taken by then expire": beside a noun it denies only what follows at once.
    is_beside_noun = word == "not" and offset > 0 and tokens[at - 1].is_content
    if word in _LACKING or is_beside_noun:
        clause.lacks += 1
    else:
        clause.negations += 1
    is_noun = word in _LACKING or (word in _NOUN_DENIERS and language == "en")
    reach = 2 if is_beside_noun else _TOKENS_AFTER_WITHOUT if word in _LACKING else _TOKENS_IN_SCOPE
    if is_beside_noun and any(token.name >= 0 for token in tokens[at + 1 : min(clause.last, at + 5)]):
        # "Not Dr. Cole": up to the end of the name.
        name = next(token.name for token in tokens[at + 1 : clause.last] if token.name >= 0)
        reach = max(reach, found.names[name].last - at - 1)
    _deny_scope(tokens, at + 1, clause, is_noun=is_noun or is_beside_noun, reach=reach)
    if word in _LACKING and at + 1 < clause.last and _is_verb(tokens[at + 1].word, language):
        for token in tokens[at + 2 : min(clause.last, at + 1 + reach)]:
            token.head = at + 1


_INFINITIVE = re.compile(r"\w{2,}[aei]r(?:l[aoe]s?|se)?")
_GERUND = re.compile(r"\w{3,}ing")


def _is_verb(word: str, language: str) -> bool:
    """Whether a word behind "without" or "por" is a verb."""
    return bool((_GERUND if language == "en" else _INFINITIVE).fullmatch(word))


def _still_to(listed: list[str], offset: int, language: str) -> int | None:
    """Where the verb stands that "quedan … por" puts off; None where there is none."""
    if language not in ("es", "pt") or listed[offset] not in words("put_off", language):
        return None
    for place in range(offset + 1, min(len(listed) - 1, offset + 7)):
        if listed[place] == "por" and _is_verb(listed[place + 1], language):
            return place + 1
    return None


def _is_answer(found: Reading, at: int) -> bool:
    """Whether a "no" answers a question: "No, …" at the beginning of a sentence, "if not, …"."""
    tokens = found.tokens
    is_first = at == 0 or tokens[at - 1].sentence != tokens[at].sentence or tokens[at - 1].word in ("if", "si", "se")
    return is_first and at + 1 < len(tokens) and tokens[at + 1].word in (",", ".", "!", ";")


def _is_otherwise(found: Reading, at: int, clause: Clause) -> bool:
    """Whether a "not" is all that a condition says: "if you don't, …", "si no lo hace, …"."""
    tokens = found.tokens[clause.first : clause.last]
    # What stands before the condition may be of the same clause.
    opening = next((place for place, one in enumerate(tokens) if one.word in ("if", "si", "se", "caso")), None)
    if opening is None or at < clause.first + opening:
        return False
    rest = tokens[opening:]
    end = next((place for place, one in enumerate(rest) if one.word in (",", ";")), -1)
    if end < 0 and (clause.last >= len(found.tokens) or found.tokens[clause.last].word not in (",", ";")):
        return False
    return not any(one.is_content for one in (rest[:end] if end >= 0 else rest))


def _deny_scope(
    tokens: list[Token], start: int, clause: Clause, *, is_noun: bool, reach: int = _TOKENS_IN_SCOPE, own: int = -1
) -> None:
    end = min(clause.last, start + reach)
    scope = [token for token in tokens[start:end] if token.is_content]
    verbs = [token for token in scope if token.fact < 0 and token.name < 0]
    if (own >= 0 and not verbs) or (not is_noun and all(token.weight < 1 for token in verbs)):
        # "Refunds are not possible", "the transfer was not completed": what is denied stands before.
        stop = start if own < 0 else own
        before = tokens[max(clause.first, stop - _TOKENS_BEFORE) : stop]
        scope += [token for token in before if token.is_content and token.fact < 0 and token.name < 0][-3:]
    for token in scope:
        token.is_denied = not token.is_denied
    heads = [token for token in scope if token.fact < 0 and token.name < 0][:2]
    for token in heads:
        token.is_focus = True
    if own >= 0:
        tokens[own].is_focus = True


def content(tokens: Iterable[Token]) -> list[Token]:
    """The tokens that say something of their own."""
    return [token for token in tokens if token.is_content]
