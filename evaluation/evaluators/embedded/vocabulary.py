"""What words mean the same and what words exclude each other: word lists as data, and how they are looked up.

The lists are text files under `data/`, in three languages; `docs/vocabulary.md` has their format. A project adds its
own entries with `Vocabulary.extended`. Terms are matched folded (case, accents, hyphens) and else by stem.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evaluation.aem.language import say

DATA = Path(__file__).parent / "data"
LANGUAGES = {"en": "english", "es": "spanish", "pt": "portuguese"}
ANY_LANGUAGE = "xx"

Kind = Literal["concept", "opposite", "contrast", "filler"]
Side = tuple[int, int]

_COMBINING = re.compile("[\u0300-\u036f]")
_DOT = re.compile(r"\.(?!\d)")
_COMMA = re.compile(r",(?!\d)")
_SPACES = re.compile(" {2,}")
_REPLACED = (*((mark, " ") for mark in "-‐‑–_\t\r"), *((mark, "") for mark in "'’‘"))
# The stems of Spanish and Portuguese nouns hang on accents, which people leave out.
_ACCENTED_ENDINGS = {
    "es": ((re.compile("ion$"), "ión"), (re.compile("ia$"), "ía")),
    "pt": ((re.compile("cao$"), "ção"), (re.compile("coes$"), "ções"), (re.compile("sao$"), "são")),
}
_SHORTEST_INFLECTED = 4
_SHORTEST_STEM = 3
# Without knowing the language, "dates" would be a form of Spanish "dato".
_SHORTEST_STEM_OF_UNKNOWN_LANGUAGE = 4
_PREFIX = 3
_REMEMBERED = 1 << 15


class VocabularyError(ValueError):
    """A project's vocabulary that cannot be used: ``path`` names the place in it, ``reason`` says what is wrong."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}" if path else reason)


class Meaning(NamedTuple):
    """One place where a term stands: the ``line`` of a list (counted over all its files), there one ``side``."""

    language: str
    kind: Kind
    line: int
    side: int


class Term(NamedTuple):
    """A piece of a token list: tokens ``start`` to ``end`` (exclusive) are one known term, or one unknown word."""

    start: int
    end: int
    text: str
    is_known: bool


@lru_cache(maxsize=_REMEMBERED)
def fold_term(text: str) -> str:
    """The form in which terms are compared: case, accents, hyphens, apostrophes, full stops and commas make no odds.

    >>> fold_term("  São-Paulo "), fold_term("U.S."), fold_term("driver's license")
    ('sao paulo', 'us', 'drivers license')
    """
    return _fold(text).strip()


def _fold(text: str) -> str:
    """Fold a term, or a whole file at once, which is fifty times faster. Lines stay lines."""
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", text)).casefold()
    for mark, replacement in _REPLACED:
        plain = plain.replace(mark, replacement)
    return _SPACES.sub(" ", _COMMA.sub(" ", _DOT.sub("", plain)))


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    # The package reads the rules of thirty languages, a quarter of a second that only a stem needs.
    from snowballstemmer import stemmer  # type: ignore[import-untyped] # noqa: PLC0415

    stem: Callable[[str], str] = stemmer(LANGUAGES[language]).stemWord
    return stem


@cache
def _lookalikes() -> dict[str, dict[str, str]]:
    """By language: folded nouns that look like forms of other words, and their plurals, each with its singular."""
    found: dict[str, dict[str, str]] = {}
    for line in (DATA / "lookalikes.txt").read_text("utf-8").splitlines():
        language, _, listed = line.partition(":")
        if language in LANGUAGES:
            for word in map(fold_term, listed.split(";")):
                many = f"{word[:-2]}oes" if word.endswith("ao") else f"{word[:-1]}ns" if word.endswith("m") else ""
                plural = many or word + ("s" if word[-1] in "aeiou" else "es")
                found.setdefault(language, {}).update({word: word, plural: word})
    return found


def are_lookalikes(a: str, b: str, language: str) -> bool:
    """Whether two folded words are nouns that only look like forms of one: "puerto" and "puerta".

    >>> are_lookalikes("puerto", "puertas", "es"), are_lookalikes("puerta", "puertas", "es")
    (True, False)
    """
    for one in (language,) if language in LANGUAGES else LANGUAGES:
        known = _lookalikes().get(one, {})
        if a in known and b in known and known[a] != known[b]:
            return True
    return False


@lru_cache(maxsize=_REMEMBERED)
def stem_word(word: str, language: str) -> str:
    """The stem of a folded word, itself folded; the word where it is too short to be an inflected form.

    >>> stem_word("refunds", "en"), stem_word("devolucion", "es"), stem_word("devolucoes", "pt")
    ('refund', 'devolu', 'devolu')
    """
    if len(word) < _SHORTEST_INFLECTED or not word.isalpha():
        return word
    if singular := _lookalikes().get(language, {}).get(word):
        return singular
    for ending, accented in _ACCENTED_ENDINGS.get(language, ()):
        word = ending.sub(accented, word)
    return fold_term(_stemmer(language)(word))


class Entry(NamedTuple):
    """One language of one line of a data file: its sides, each the terms that stand there."""

    line_no: int
    language: str
    sides: tuple[tuple[str, ...], ...]


_SEPARATORS: dict[Kind, str] = {"opposite": "<>", "contrast": " / "}


def read_entries(text: str, kind: Kind) -> Iterator[Entry]:
    """Read the text of a data file, line by line; a line without a language tag has the language ``""``."""
    separator = _SEPARATORS.get(kind)
    for line_no, line in enumerate(text.split("\n"), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        for part in content.split("|"):
            language, _, listed = part.partition(":")
            sides = listed.split(separator) if separator else [listed]
            terms = tuple([tuple([term for term in map(str.strip, side.split(";")) if term]) for side in sides])
            yield Entry(line_no, language.strip(), terms)


def data_files(directory: Path = DATA) -> list[tuple[Kind, Path]]:
    """The data files with their kind, in the order in which they are read."""
    return [
        *(("concept", path) for path in sorted((directory / "concepts").glob("*.txt"))),
        *(("opposite", path) for path in sorted(directory.glob("opposites*.txt"))),
        *(("contrast", path) for path in sorted(directory.glob("contrasts*.txt"))),
        ("filler", directory / "fillers.txt"),
    ]


def _shared_length(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


class _Lists:
    """The terms of some lists with where they stand. Filled once, then only read."""

    def __init__(self) -> None:
        self.meanings: dict[str, tuple[Meaning, ...]] = {}
        self.line_count = 0
        self._by_prefix: dict[tuple[int, str], list[str]] | None = None
        self._by_stem: dict[tuple[str, int, str], dict[tuple[str, ...], list[str]]] = {}

    def add(self, kind: Kind, entries: Iterator[Entry]) -> None:
        """Add folded entries; entries of one line share their line's number."""
        meanings, last, number = self.meanings, 0, self.line_count
        for line_no, language, sides in entries:
            if line_no != last:
                last = line_no
                number += 1
            for side, terms in enumerate(sides):
                meaning = Meaning(language, kind, number, side)
                for term in terms:
                    meanings[term] = (*meanings[term], meaning) if term in meanings else (meaning,)
        self.line_count = number
        self._by_prefix = None

    def lengths(self, first_word: str) -> tuple[int, ...]:
        """How many words the terms have that begin like this word, longest first."""
        return self._lengths.get(first_word[:_PREFIX], ())

    def like(self, words: tuple[str, ...], language: str) -> list[str]:
        """The terms of a language that are the same words in another form, the nearest form only."""
        stems = tuple([stem_word(word, language) for word in words])
        terms = self._stems(language, len(words), words[0][:_PREFIX]).get(stems, ())
        if len(terms) < 2:
            return list(terms)
        # Spanish "casas" has one stem with "caso" and "casa", and is a form of the second.
        text = " ".join(words)
        shared = [_shared_length(term, text) for term in terms]
        return [term for term, length in zip(terms, shared, strict=True) if length == max(shared)]

    def _stems(self, language: str, count: int, prefix: str) -> dict[tuple[str, ...], list[str]]:
        # Stemming every term takes seconds; a prefix at a time, when first asked for, is not noticed.
        found = self._by_stem.get((language, count, prefix))
        if found is None:
            found = {}
            for term in self._prefixes.get((count, prefix), ()):
                if any(meaning.language == language for meaning in self.meanings[term]):
                    found.setdefault(tuple([stem_word(word, language) for word in term.split()]), []).append(term)
            self._by_stem[language, count, prefix] = found
        return found

    @property
    def _prefixes(self) -> dict[tuple[int, str], list[str]]:
        if self._by_prefix is None:
            by_prefix: dict[tuple[int, str], list[str]] = {}
            for term in self.meanings:
                by_prefix.setdefault((term.count(" ") + 1, term[:_PREFIX].rstrip()), []).append(term)
            self._by_prefix = by_prefix
        return self._by_prefix

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        lengths: dict[str, set[int]] = {}
        for count, prefix in self._prefixes:
            lengths.setdefault(prefix, set()).add(count)
        return {prefix: tuple(sorted(counts, reverse=True)) for prefix, counts in lengths.items()}


@lru_cache(maxsize=8)
def _read(directory: Path) -> tuple[_Lists, str]:
    """The lists of a directory, and the hash of their text."""
    lists, content = _Lists(), hashlib.sha256()
    for kind, path in data_files(directory):
        text = path.read_text("utf-8")
        content.update(f"{path.name}\n{text}\n".encode())
        # The slash between siblings needs its spaces, which folding leaves.
        lists.add(kind, read_entries(_fold(text), kind))
    return lists, content.hexdigest()


@dataclass(frozen=True)
class Vocabulary:
    """The words that are known: built-in lists, and what a project added. Read when first used, never changed.

    Everything takes terms as people write them. ``language`` ("en", "es", "pt") narrows the lookup; without it a word
    is looked up in all languages, and two words are compared within a language that knows both, if there is one:
    "red" is no "network", although it is one in Spanish.
    """

    directory: Path = DATA
    body: str = "{}"

    # -- what a term means ------------------------------------------------------------------------------------------

    def concepts_of(self, term: str, language: str = "") -> frozenset[int]:
        """The concepts a term stands in. Two terms that share one mean the same."""
        return frozenset(m.line for m in self._meanings(fold_term(term), language) if m.kind == "concept")

    def opposites_of(self, term: str, language: str = "") -> frozenset[Side]:
        """The places of a term among the opposites: pair, side. The other side of a pair denies it."""
        return self._sides(fold_term(term), language, "opposite")

    def contrasts_of(self, term: str, language: str = "") -> frozenset[Side]:
        """The places of a term among the contrasts: set, sibling. Another sibling of a set excludes it."""
        return self._sides(fold_term(term), language, "contrast")

    def are_synonyms(self, a: str, b: str, language: str = "") -> bool:
        """Whether two terms mean the same: forms of one word, or terms of one concept."""
        first, second = fold_term(a), fold_term(b)
        if first == second:
            return True
        if (said := self.project_says(a, b)) is not None:
            return said
        return self._share_concept(first, second, language)

    def are_opposites(self, a: str, b: str, language: str = "") -> bool:
        """Whether one of the terms denies the other."""
        return self._exclude(fold_term(a), fold_term(b), language, "opposite")

    def are_contrasted(self, a: str, b: str, language: str = "") -> bool:
        """Whether the terms are siblings that exclude each other, such as "net" and "gross"."""
        first, second = fold_term(a), fold_term(b)
        if first != second and self.project_says(a, b) is False:
            return True
        return self._exclude(first, second, language, "contrast")

    def is_filler(self, word: str, language: str = "") -> bool:
        """Whether a word, or several, change nothing in a value ("the", "please").

        Where the language is not known, what means something in another one is none: "la" may be Los Angeles.
        """
        meanings = self._exact(fold_term(word))
        filler = {m.language for m in meanings if m.kind == "filler"}
        if language:
            return language in filler or ANY_LANGUAGE in filler
        return bool(filler) and all(m.language in filler for m in meanings)

    def longest_terms(self, tokens: Sequence[str], language: str = "") -> tuple[Term, ...]:
        """Cut tokens into known terms, from the left, the longest first; every token is in one piece.

        >>> [term.text for term in STANDARD.longest_terms(["flights", "to", "New", "York", "City"])]
        ['flights', 'to', 'new york city']
        """
        words = [fold_term(token) for token in tokens]
        pieces, start = [], 0
        while start < len(words):
            piece = self._longest(words, start, language)
            pieces.append(piece)
            start = piece.end
        return tuple(pieces)

    def _longest(self, words: list[str], start: int, language: str) -> Term:
        for count in self._lengths(words[start]):
            end = start + count
            if end > len(words):
                continue
            text = " ".join(words[start:end])
            if self._meanings(text, language):
                return Term(start, end, text, is_known=True)
        return Term(start, start + 1, words[start], is_known=False)

    # -- what a project says ----------------------------------------------------------------------------------------

    def project_says(self, a: str, b: str, field: str = "") -> bool | None:
        """What the project's own entries say of two whole values of a field; None where they say nothing.

        An entry for the field comes before one for all fields. A nested field is known by the end of its path.
        """
        pairs = self._project.pairs
        if not pairs:
            return None
        key = frozenset((fold_term(a), fold_term(b)))
        parts = _field_parts(field)
        for start in range(len(parts)):
            if (said := pairs.get((key, parts[start:]))) is not None:
                return said
        return pairs.get((key, ()))

    def extended(self, body: Mapping[str, Any]) -> Vocabulary:
        """This vocabulary with a project's entries added; the result is a further one.

        ``body`` has any of ``equal`` and ``different`` (lists of ``{"terms": [...], "field"?: ...}``), ``opposites``
        (lists of two sides, each a list of terms) and ``fillers`` (a list of words).

        Raises VocabularyError where the body cannot be understood or contradicts itself.
        """
        check_body(body)
        merged: dict[str, Any] = json.loads(self.body)
        for name, entries in body.items():
            merged[name] = [*merged.get(name, []), *(entry for entry in entries if entry not in merged.get(name, []))]
        check_body(merged)
        return Vocabulary(self.directory, json.dumps(merged, sort_keys=True, ensure_ascii=False))

    @cached_property
    def version(self) -> str:
        """A hash over the lists and the project's entries: what a verdict was decided with (12 hex digits)."""
        return hashlib.sha256(f"{_read(self.directory)[1]}\n{self.body}".encode()).hexdigest()[:12]

    # -- looking up -------------------------------------------------------------------------------------------------

    @cached_property
    def _lists(self) -> _Lists:
        return _read(self.directory)[0]

    @cached_property
    def _project(self) -> _Project:
        return _Project(json.loads(self.body), first_line=self._lists.line_count)

    @cached_property
    def _meanings(self) -> Callable[[str, str], tuple[Meaning, ...]]:
        return lru_cache(maxsize=_REMEMBERED)(self._find_meanings)

    @cached_property
    def _sides(self) -> Callable[[str, str, Kind], frozenset[Side]]:
        return lru_cache(maxsize=_REMEMBERED)(self._find_sides)

    def _lengths(self, word: str) -> list[int]:
        lengths = {*self._lists.lengths(word), *self._project.lists.lengths(word)}
        return sorted(lengths, reverse=True)

    def _exact(self, term: str) -> tuple[Meaning, ...]:
        own = self._project.lists.meanings.get(term, ())
        known = self._lists.meanings.get(term, ())
        return (*own, *known) if own else known

    def _find_meanings(self, term: str, language: str) -> tuple[Meaning, ...]:
        """Where a folded term stands: as it is written, else as another form of a listed term."""
        exact = self._exact(term)
        if not language:
            return tuple(exact or self._inflected(term, tuple(LANGUAGES), _SHORTEST_STEM_OF_UNKNOWN_LANGUAGE))
        spoken = [m for m in exact if m.language in (language, ANY_LANGUAGE)]
        return tuple(spoken or self._inflected(term, (language,), _SHORTEST_STEM) or exact)

    def _inflected(self, term: str, languages: tuple[str, ...], shortest: int) -> list[Meaning]:
        words = tuple(term.split())
        if not words:
            return []
        found: list[Meaning] = []
        for language in languages:
            if language in LANGUAGES and max(len(stem_word(word, language)) for word in words) >= shortest:
                for lists in (self._project.lists, self._lists):
                    for known in lists.like(words, language):
                        found += [m for m in lists.meanings[known] if m.language == language and m.kind != "filler"]
        return found

    def _share_concept(self, a: str, b: str, language: str) -> bool:
        first = {(m.language, m.line) for m in self._meanings(a, language) if m.kind == "concept"}
        second = {(m.language, m.line) for m in self._meanings(b, language) if m.kind == "concept"}
        return bool(_comparable(first, second))

    @cached_property
    def _sides_of_concepts(self) -> dict[tuple[Kind, int], set[tuple[str, Side]]]:
        """For each concept the sides on which a term stands that has no other meaning."""
        found: dict[tuple[Kind, int], set[tuple[str, Side]]] = {}
        for lists in (self._lists, self._project.lists):
            for meanings in lists.meanings.values():
                concepts = [m.line for m in meanings if m.kind == "concept"]
                if len(set(concepts)) == 1:
                    for m in meanings:
                        if m.kind in ("opposite", "contrast"):
                            found.setdefault((m.kind, concepts[0]), set()).add((m.language, (m.line, m.side)))
        return found

    def _find_sides(self, term: str, language: str, kind: Kind) -> frozenset[Side]:
        return frozenset(side for _, side in self._sides_by_language(term, language, kind))

    def _sides_by_language(self, term: str, language: str, kind: Kind) -> set[tuple[str, Side]]:
        meanings = self._meanings(term, language)
        sides = {(m.language, (m.line, m.side)) for m in meanings if m.kind == kind}
        concepts = [m.line for m in meanings if m.kind == "concept"]
        # What denies "approve" denies its synonyms too, but only where neither word has a second meaning.
        if not sides and len(set(concepts)) == 1:
            spoken = {m.language for m in meanings}
            for _, side in self._sides_of_concepts.get((kind, concepts[0]), ()):
                sides |= {(tongue, side) for tongue in spoken}
        return sides

    def _exclude(self, a: str, b: str, language: str, kind: Kind) -> bool:
        if a == b or self.project_says(a, b) is True:
            return False
        first, second = self._sides_by_language(a, language, kind), self._sides_by_language(b, language, kind)
        if not first or not second:
            return False
        lines = _comparable({(s, line) for s, (line, _) in first}, {(s, line) for s, (line, _) in second})
        excluded = any(_others(first, second, line) for line in lines)
        return excluded and not self._share_concept(a, b, language)


def _comparable(first: set[tuple[str, int]], second: set[tuple[str, int]]) -> set[int]:
    """The lines that both stand in, in a language that knows both; across languages only where there is none."""
    spoken = {language for language, _ in first} & {language for language, _ in second} - {ANY_LANGUAGE}
    if spoken:
        spoken.add(ANY_LANGUAGE)
        first = {known for known in first if known[0] in spoken}
        second = {known for known in second if known[0] in spoken}
    return {line for _, line in first} & {line for _, line in second}


def _others(first: set[tuple[str, Side]], second: set[tuple[str, Side]], line: int) -> bool:
    """Whether two terms stand on different sides of a line, and never on the same."""
    mine = {side for _, (at, side) in first if at == line}
    theirs = {side for _, (at, side) in second if at == line}
    return mine.isdisjoint(theirs)


class _Project:
    """A project's entries, ready to be looked up."""

    def __init__(self, body: Mapping[str, Any], *, first_line: int) -> None:
        self.pairs: dict[tuple[frozenset[str], tuple[str, ...]], bool] = {}
        self.lists = _Lists()
        self.lists.line_count = first_line
        if not body:
            return
        for name, is_equal in (("equal", True), ("different", False)):
            for entry in body.get(name, []):
                terms = [fold_term(term) for term in entry["terms"]]
                field = _field_parts(entry.get("field", ""))
                for pair in combinations(terms, 2):
                    self.pairs[frozenset(pair), field] = is_equal
                # An entry for one field says nothing of the words elsewhere.
                if not field:
                    self._add("concept" if is_equal else "contrast", [terms] if is_equal else [[t] for t in terms])
        for sides in body.get("opposites", []):
            self._add("opposite", [[fold_term(term) for term in side] for side in sides])
        self._add("filler", [[fold_term(word) for word in body.get("fillers", [])]])

    def _add(self, kind: Kind, sides: list[list[str]]) -> None:
        # A project's terms are of no stated language: each language may inflect them.
        listed = tuple(tuple(side) for side in sides)
        self.lists.add(kind, (Entry(1, language, listed) for language in LANGUAGES))


def _field_parts(field: str) -> tuple[str, ...]:
    """The names in a path to a field, without list positions: ``items[0].city`` has ``items``, ``city``."""
    return tuple(part for part in re.sub(r"\[\d*\]", "", field).casefold().split(".") if part)


# -- checking a project's entries --------------------------------------------------------------------------------------


def check_body(body: Any) -> None:
    """Check a project's entries; raises VocabularyError that names the first place where something is wrong."""
    if not isinstance(body, Mapping):
        raise VocabularyError("", say("a vocabulary is an object with equal, different, opposites, fillers"))
    if unknown := sorted(str(name) for name in body if name not in ("equal", "different", "opposites", "fillers")):
        raise VocabularyError(unknown[0], say("unknown part; there are equal, different, opposites, fillers"))
    for name, entries in body.items():
        if not isinstance(entries, list):
            raise VocabularyError(name, say("needs a list"))
    said: dict[tuple[frozenset[str], tuple[str, ...]], str] = {}
    for name in ("equal", "different"):
        for number, entry in enumerate(body.get(name, [])):
            _check_entry(f"{name}[{number}]", entry, said)
    for number, pair in enumerate(body.get("opposites", [])):
        _check_pair(f"opposites[{number}]", pair)
    for number, word in enumerate(body.get("fillers", [])):
        _check_term(f"fillers[{number}]", word)


def _check_entry(path: str, entry: Any, said: dict[tuple[frozenset[str], tuple[str, ...]], str]) -> None:
    if not isinstance(entry, Mapping):
        raise VocabularyError(path, say("needs an object with terms"))
    if unknown := sorted(str(name) for name in entry if name not in ("terms", "field")):
        raise VocabularyError(f"{path}.{unknown[0]}", say("unknown; an entry has terms and may have field"))
    if not isinstance(entry.get("field", ""), str):
        raise VocabularyError(f"{path}.field", say("needs the name of a parameter"))
    terms = _check_terms(f"{path}.terms", entry.get("terms"))
    if len(terms) < 2:
        raise VocabularyError(f"{path}.terms", say("needs at least two different terms"))
    name = path.partition("[")[0]
    for pair in combinations(sorted(terms), 2):
        key = (frozenset(pair), _field_parts(entry.get("field", "")))
        before = said.setdefault(key, path)
        if before.partition("[")[0] != name:
            raise VocabularyError(
                f"{path}.terms",
                say(
                    "{one} and {other} are said to be otherwise in {place}",
                    one=repr(pair[0]),
                    other=repr(pair[1]),
                    place=before,
                ),
            )


def _check_pair(path: str, pair: Any) -> None:
    if not isinstance(pair, list) or len(pair) != 2:
        raise VocabularyError(path, say("needs two sides, each a list of terms"))
    first, second = (_check_terms(f"{path}[{side}]", terms) for side, terms in enumerate(pair))
    if not first or not second:
        raise VocabularyError(f"{path}[{0 if not first else 1}]", say("needs at least one term"))
    if both := sorted(first & second):
        raise VocabularyError(path, say("{term} stands on both sides", term=repr(both[0])))


def _check_terms(path: str, terms: Any) -> set[str]:
    if not isinstance(terms, list):
        raise VocabularyError(path, say("needs a list of terms"))
    return {_check_term(f"{path}[{number}]", term) for number, term in enumerate(terms)}


def _check_term(path: str, term: Any) -> str:
    if not isinstance(term, str):
        raise VocabularyError(path, say("needs a text"))
    if not (folded := fold_term(term)):
        raise VocabularyError(path, say("is empty"))
    return folded


STANDARD = Vocabulary()
"""The built-in lists, without a project's. An object; the files are read when it is first asked something."""
