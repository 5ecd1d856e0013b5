"""The terms of two texts matched by meaning: the same word, listed, another form or spelling, initials."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.names import codes_of
from evaluation.evaluators.embedded.language import LANGUAGES, plain
from evaluation.evaluators.embedded.layers.families import are_of_one_family, relatives
from evaluation.evaluators.embedded.layers.lists import ABBREVIATED, DERIVING, JOINING, NEGATORS
from evaluation.evaluators.embedded.layers.sides import Side, Term
from evaluation.evaluators.embedded.vocabulary import Vocabulary, are_lookalikes, fold_term, stem_word

_SPELLINGS = (
    (re.compile("ae|oe(?!r)"), "e"),
    (re.compile("our(?=s?$|ed$|ing$|ite|able)"), "or"),
    (re.compile("is(?=e[sd]?$|ing$|ation)"), "iz"),
    (re.compile("ys(?=e[sd]?$)"), "yz"),
    (re.compile("tre(s?)$"), r"ter\1"),
    (re.compile("ll(?=ed$|ing$|er$)"), "l"),
    (re.compile("ogue(s?)$"), r"og\1"),
    (re.compile("ph"), "f"),
)


@dataclass(frozen=True, slots=True)
class Match:
    """Two terms that mean the same, how sure that is (3 the same word, 2 by list or form, 1 only alike), and why."""

    a: Term
    b: Term
    strength: int
    reason: str


@dataclass(slots=True)
class Matching:
    """The terms of two texts matched, and those left over on each side."""

    matches: list[Match] = field(default_factory=list)
    left_a: list[Term] = field(default_factory=list)
    left_b: list[Term] = field(default_factory=list)
    # What was left before terms were split into words, and the negations among those words.
    whole_a: tuple[Term, ...] = ()
    whole_b: tuple[Term, ...] = ()
    is_cut: bool = False  # more words were left than are compared one with another
    negations: int = 0


def are_synonyms(a: str, b: str, language: str, vocabulary: Vocabulary) -> bool:
    """Whether a list says that two terms mean the same, in the language or else across languages."""
    return vocabulary.are_synonyms(a, b, language) or (language != "" and vocabulary.are_synonyms(a, b))


def are_opposites(a: str, b: str, language: str, vocabulary: Vocabulary) -> bool:
    """Whether a list says that one term denies the other, in the language or else across languages."""
    return vocabulary.are_opposites(a, b, language) or (language != "" and vocabulary.are_opposites(a, b))


def are_contrasted(a: str, b: str, language: str, vocabulary: Vocabulary) -> bool:
    """Whether a list says that two terms exclude each other, in the language or else across languages."""
    return vocabulary.are_contrasted(a, b, language) or (language != "" and vocabulary.are_contrasted(a, b))


_MOST_PAIRS = 2_500  # terms of two texts that are compared one with another


def _take_identical(found: Matching) -> None:
    """Match the terms that are the same word, which needs no comparing of each with each."""
    known: dict[str, list[Term]] = {}
    for term in found.left_b:
        known.setdefault(term.text, []).append(term)
    kept = []
    for term in found.left_a:
        same = known.get(term.text)
        if same:
            found.matches.append(Match(term, same.pop(0), 3, said.SAME_WORD))
        else:
            kept.append(term)
    found.left_a = kept
    found.left_b = sorted((term for terms in known.values() for term in terms), key=lambda term: term.place)


def match_terms(a: Side, b: Side, language: str, vocabulary: Vocabulary) -> Matching:
    """Match the terms of two texts: whole terms, their single words, then words written together or as initials."""
    found = Matching(left_a=list(a.content), left_b=list(b.content))
    if len(found.left_a) * len(found.left_b) > 16:
        _take_identical(found)
    if len(found.left_a) * len(found.left_b) > _MOST_PAIRS:
        found.is_cut = True
        return found
    _match_round(found, language, vocabulary)
    found.whole_a, found.whole_b = tuple(found.left_a), tuple(found.left_b)
    if found.left_a and found.left_b:
        found.negations = sum(
            denies(word.text, language) for t in (*found.left_a, *found.left_b) if len(t.words) > 1 for word in t.words
        )
        found.left_a, found.left_b = _single(found.left_a), _single(found.left_b)
        _match_round(found, language, vocabulary)
    if found.left_a and found.left_b:
        _match_joined(found, language, vocabulary)
        _match_initials(found)
    _absorb(found)
    return found


def _absorb(found: Matching) -> None:
    """Drop what is left over on one side but said within a term of the other: "YoY growth", "year over year growth"."""
    if bool(found.left_a) == bool(found.left_b):
        return
    for match in found.matches:
        mine, theirs, left = (match.a, match.b, found.left_a) if found.left_a else (match.b, match.a, found.left_b)
        said = {word.text for word in theirs.words} - {word.text for word in mine.words}
        if len(theirs.words) > 1 and said:
            left[:] = [term for term in left if term.text not in said]


def denies(word: str, language: str) -> bool:
    """Whether a word turns a meaning; the Portuguese "no" is "in the"."""
    return word in NEGATORS and not (word == "no" and language == "pt")


def _single(terms: Sequence[Term]) -> list[Term]:
    return [
        Term(word.text, (word,), term.place + at)
        for term in terms
        for at, word in enumerate(term.words)
        if len(term.words) == 1 or word.written.isupper() or word.text not in JOINING | NEGATORS
    ]


def _match_round(found: Matching, language: str, vocabulary: Vocabulary) -> None:
    for wanted in (3, 2, 1):
        for term in list(found.left_a):
            for other in found.left_b:
                strength, reason = alike(term, other, language, vocabulary)
                if strength == wanted:
                    found.left_a.remove(term)
                    found.left_b.remove(other)
                    found.matches.append(Match(term, other, strength, reason))
                    break
        if not found.left_a or not found.left_b:
            return


def _match_joined(found: Matching, language: str, vocabulary: Vocabulary) -> None:
    """ "health care" and "healthcare", "check in" and "checkin"; two words that a list knows as one term."""
    for mine, theirs in ((found.left_a, found.left_b), (found.left_b, found.left_a)):
        is_swapped = mine is found.left_b
        for count in (2, 3):
            at = 0
            while at + count <= len(mine):
                run = mine[at : at + count]
                is_run = all(run[i + 1].place - run[i].place <= 2 for i in range(count - 1))
                joined = "".join(term.text for term in run)
                other = next(
                    (
                        t
                        for t in theirs
                        if is_run and (t.text.replace(" ", "") in (joined, joined + "s", joined.removesuffix("s")))
                    ),
                    None,
                )
                if other is None:
                    at += 1
                    continue
                whole = Term(" ".join(t.text for t in run), tuple(w for t in run for w in t.words), run[0].place)
                for term in run:
                    mine.remove(term)
                theirs.remove(other)
                pair = (other, whole) if is_swapped else (whole, other)
                found.matches.append(Match(*pair, 2, said.WRITTEN_TOGETHER))


def _match_initials(found: Matching) -> None:
    """An acronym on one side, the words it is made of on the other: "LA Lakers" and "Los Angeles Lakers"."""
    for mine, theirs in ((found.left_a, found.left_b), (found.left_b, found.left_a)):
        is_swapped = mine is found.left_b
        for term in list(mine):
            letters = term.words[0].written.replace(".", "").replace("&", "")
            if len(term.words) != 1 or not letters.isupper() or not 2 <= len(letters) <= 6:
                continue
            run = _initial_run(plain(letters), theirs)
            if run:
                whole = Term(" ".join(t.text for t in run), tuple(w for t in run for w in t.words), run[0].place)
                mine.remove(term)
                for one in run:
                    theirs.remove(one)
                pair = (whole, term) if is_swapped else (term, whole)
                found.matches.append(Match(*pair, 2, "initials"))


def _initial_run(letters: str, terms: Sequence[Term]) -> list[Term] | None:
    for start in range(len(terms)):
        run, initials = [], ""
        for term in terms[start:]:
            run.append(term)
            initials += "".join(word.text[0] for word in term.words if word.text not in JOINING)
            if initials == letters and len(initials) >= 2:
                return run
            if not letters.startswith(initials):
                break
    return None


def _are_only_forms(a: str, b: str, vocabulary: Vocabulary) -> bool:
    """Whether a name is on a list only as a form of another word: Oliver and Olivia are no olives."""
    return not all(vocabulary._exact(fold_term(name)) for name in (a, b))


@lru_cache(maxsize=65_536)
def _alike_words(a: str, b: str, is_name: bool, language: str, vocabulary: Vocabulary) -> tuple[int, str]:  # noqa: PLR0911, PLR0912  one answer for each case
    if a == b:
        return 3, said.SAME_WORD
    told = vocabulary.project_says(a, b)
    if told is False:
        return 0, ""
    if is_name and {a, b} == {"america", "us"}:
        return 1, said.OFTEN_SAME_COUNTRY  # "Bank of America" is no "US Bank"
    if told or (are_synonyms(a, b, language, vocabulary) and not (is_name and _are_only_forms(a, b, vocabulary))):
        return 2, said.LIST_SAYS_MEAN_SAME
    if are_lookalikes(a, b, language):
        return 0, ""
    if (a, b) in ABBREVIATED or (b, a) in ABBREVIATED:
        return 2, said.AN_ABBREVIATION
    if is_name and (are_of_one_family(a, b, language) or are_of_one_family(a, b, "")):
        return 1, said.NAME_SAME_FAMILY
    if is_name and min(len(a), len(b)) > 4 and _without_umlauts(a) == _without_umlauts(b):
        return 1, said.ANOTHER_SPELLING_NAME
    if (len(a) == 1) != (len(b) == 1):
        return (1, said.AN_INITIAL) if is_name and a[0] == b[0] else (0, "")
    if _is_plural(a, b) or _is_plural(b, a):
        return 3, said.ANOTHER_FORM_WORD
    if is_name and vocabulary.concepts_of(a, language) and not _are_only_forms(a, a, vocabulary):
        is_name = not vocabulary.concepts_of(b, language)  # words that are written with a capital, as in a heading
    if is_name or are_opposites(a, b, language, vocabulary) or are_contrasted(a, b, language, vocabulary):
        return 0, ""
    if " " not in a and " " not in b:
        if _is_form(a, b, language):
            return 2, said.ANOTHER_FORM_WORD
        if are_of_one_family(a, b, language):
            return 2, said.WORD_SAME_FAMILY
        first_spelled, second_spelled = sorted((_spelled(a), _spelled(b)), key=len)
        if first_spelled == second_spelled or _is_plural(first_spelled, second_spelled):
            return 2, said.ANOTHER_SPELLING
        if _is_derived(a, b, language):
            return 2, said.WORD_SAME_ROOT
        if _are_related(a, b, language, vocabulary):
            return 1, said.WORD_SAME_FAMILY_MEANS_SAME
        if _is_typo(a, b) and not (vocabulary.concepts_of(a, language) and vocabulary.concepts_of(b, language)):
            return 1, said.LETTER_APART
        return 0, ""
    first, second = a.split(), b.split()
    if len(first) == len(second):
        strengths = [_alike_words(x, y, is_name, language, vocabulary)[0] for x, y in zip(first, second, strict=True)]
        if min(strengths) >= 2:
            return 2, said.OTHER_FORMS_WORDS
    return 0, ""


def _are_related(a: str, b: str, language: str, vocabulary: Vocabulary) -> bool:
    """Whether a word means the same as one of the other's family: "theft" and "robbed", as "stolen" is "robbed"."""
    for word, other in ((a, b), (b, a)):
        for kin in relatives(word, language):
            if vocabulary.are_synonyms(kin, other, language) and not vocabulary.are_opposites(kin, other, language):
                return True
    return False


def _without_umlauts(name: str) -> str:
    return name.replace("ue", "u").replace("oe", "o").replace("ae", "a").replace("ss", "s")


def alike_words(a: str, b: str, language: str, vocabulary: Vocabulary) -> int:
    """How sure it is that two words that are no names mean the same, 0 to 3."""
    first, second = (a, b) if a <= b else (b, a)
    return _alike_words(first, second, False, language, vocabulary)[0]


def _is_acronym(term: Term) -> bool:
    word = term.words[0].written
    return len(term.words) == 1 and word.isupper() and not any(vowel in word for vowel in "AEIOU")


def alike(a: Term, b: Term, language: str, vocabulary: Vocabulary) -> tuple[int, str]:
    """How sure it is that two terms mean the same (0 not at all), and why."""
    first, second = (a.text, b.text) if a.text <= b.text else (b.text, a.text)
    if first != second and _is_acronym(a) and _is_acronym(b) and _is_plural(first, second):
        return 0, ""  # HTTPS are not several HTTP
    found = _alike_words(first, second, a.is_name and b.is_name, language, vocabulary)
    if found[0] < 2 and (_is_state(a, b) or _is_state(b, a)):
        return 2, said.CODE_STATE
    return found


def _is_state(code: Term, name: Term) -> bool:
    written = code.words[0].written
    if len(code.words) != 1 or len(written) != 2 or not written.isupper() or len(name.text) < 4:
        return False
    said = " ".join(word.written for word in name.words)
    return any(kind == "state" for kind, _ in codes_of(written) & codes_of(said))


_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "ox": "oxen", "louse": "lice", "crisis": "crises", "analysis": "analyses",
    "basis": "bases", "thesis": "theses", "criterion": "criteria", "phenomenon": "phenomena", "index": "indices",
    "matrix": "matrices", "vertex": "vertices", "appendix": "appendices", "cactus": "cacti", "fungus": "fungi",
    "nucleus": "nuclei", "stimulus": "stimuli", "alumnus": "alumni", "syllabus": "syllabi", "bacterium": "bacteria",
    "medium": "media", "datum": "data", "diagnosis": "diagnoses", "hypothesis": "hypotheses", "axis": "axes",
}  # fmt: skip


def _is_plural(one: str, many: str) -> bool:  # noqa: PLR0911  one answer for each ending
    if _PLURALS.get(one) == many:
        return True
    if len(one) < 3 or not many.endswith("s"):
        return False
    if many in (one + "s", one + "es"):
        return True
    if one.endswith("y") and many == one[:-1] + "ies":
        return True
    if many.endswith("ves") and one in (many[:-3] + "f", many[:-3] + "fe"):
        return True
    if one.endswith("z") and many == one[:-1] + "ces":
        return True
    if one.endswith("ao") and many in (one[:-2] + "oes", one[:-2] + "aos", one[:-2] + "aes"):
        return True
    if one.endswith("m") and many == one[:-1] + "ns":
        return True
    return one.endswith("l") and many == one[:-1] + "is" and len(one) > 3


def _is_form(a: str, b: str, language: str) -> bool:
    languages = (language,) if language in LANGUAGES else LANGUAGES
    return (
        len(a) > 3
        and len(b) > 3
        and a[:2] == b[:2]
        and any(stem_word(a, one) == stem_word(b, one) for one in languages)
    )


@lru_cache(maxsize=16_384)
def _spelled(word: str) -> str:
    for pattern, spelling in _SPELLINGS:
        word = pattern.sub(spelling, word)
    return word


@lru_cache(maxsize=16_384)
def _roots(word: str, language: str) -> frozenset[str]:
    endings = DERIVING[language]
    return frozenset(
        {word, *(word[: -len(end)] for end in endings if word.endswith(end) and len(word) - len(end) >= 5)}
    )


def _is_derived(a: str, b: str, language: str) -> bool:
    if a[:4] != b[:4] or min(len(a), len(b)) < 5:
        return False
    languages = (language,) if language in LANGUAGES else LANGUAGES
    return any(_roots(a, one) & _roots(b, one) for one in languages)


def _is_typo(a: str, b: str) -> bool:
    """Whether two long words are one slip apart: two letters swapped, one doubled or left out inside the word."""
    if min(len(a), len(b)) < 7 or abs(len(a) - len(b)) > 1 or a[0] != b[0] or a[-2:] != b[-2:]:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    if len(a) == len(b):
        return a[start:][:2] == b[start:][:2][::-1] and a[start + 2 :] == b[start + 2 :]
    shorter, longer = sorted((a, b), key=len)
    return shorter == longer[:start] + longer[start + 1 :]


def initials_of(text: str) -> frozenset[str]:
    """The initials of a text of several words, with and without its joining words."""
    words = [plain(word) for word in re.findall(r"[^\W\d_]+", text)]
    if not 2 <= len(words) <= 9:
        return frozenset()
    content = [word for word in words if word not in JOINING]
    spanish = (
        "".join(word[0] * 2 for word in content) if len(content) == 2 and all(w.endswith("s") for w in content) else ""
    )
    return frozenset(("".join(w[0] for w in words), "".join(w[0] for w in content), spanish)) - {""}
