"""What two whole texts say before they are taken apart: truth, plain equality, lists of words, codes, initials."""

import re
from fractions import Fraction

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.facts.extract import FALSE_WORDS, TRUE_WORDS
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.layers.pair import SIGNIFICANT
from evaluation.evaluators.embedded.layers.places import (
    Named,
    compare_airports,
    compare_cities,
    compare_codes,
    compare_places,
    compare_units,
)
from evaluation.evaluators.embedded.layers.sides import field_words
from evaluation.evaluators.embedded.layers.symbols import compare_notes, compare_symbols
from evaluation.evaluators.embedded.layers.terms import are_contrasted, are_opposites, are_synonyms, initials_of
from evaluation.evaluators.embedded.layers.verdicts import shown, sure, unsure
from evaluation.evaluators.embedded.model import Judged
from evaluation.evaluators.embedded.vocabulary import Vocabulary, fold_term

_LAMBDA = re.compile(r"^\s*lambda\s+[\w, ]+:\s*")
_QUOTED = re.compile(r"""^(["'`“‘])(.*)["'`”’]$""", re.DOTALL)
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")


_NOT_LETTERS = re.compile(r"[\s'’_-]+")


def _signs_differ(a: str, b: str) -> bool:
    return sorted(SIGNIFICANT.findall(a)) != sorted(SIGNIFICANT.findall(b))


def tidied(text: str) -> str:
    """A text without what only wraps it: quotes, escaped quotes, "lambda x:", doubled spaces."""
    text = " ".join(_LAMBDA.sub("", text).replace('\\"', '"').replace("\\'", "'").split())
    text = _WRAPPED.sub(r"\1", _SCHEME.sub("", text))
    text = text.replace("_", " ") if _NAMED_VALUE.fullmatch(text) else _STOCK_COMPANY.sub("SA", text)
    text = _AT.sub("@", _POINT.sub(".", text)) if _AT.search(text) else text
    text = _TWO_FACTORS.sub("2FA", text)
    text = _OVER.sub(r"\1/\2", _TIMES_SIGN.sub(" x ", text))
    text = _BY.sub(r"\1 x \2\3", text)
    quoted = _QUOTED.match(text)
    return quoted[2] if quoted and quoted[1] not in quoted[2] else text


# "3x4", "3 × 4" and "3 by 4"; "120 over 80", as blood pressure is said.
_TIMES_SIGN = re.compile(r"(?<=[1-9])\s?[x×]\s?(?=\d)|(?<=[1-9]0)\s?[x×]\s?(?=\d)")
_BY = re.compile(r"^(\d+(?:[.,]\d+)?) by (\d+(?:[.,]\d+)?)((?: [a-z]{1,12})?)$")
_OVER = re.compile(r"\b(\d{2,3}) over (\d{2,3})\b")
_NAMED_VALUE = re.compile(r"[a-z]{2,}(?:_[a-z]{2,})*(?:_\d{1,3})?(?:_[a-z]{2,})*")  # "over_65"
_STOCK_COMPANY = re.compile(r"\bS/A\b")
# A number that counts nothing: where it stands, the words would be parted from it.
_TWO_FACTORS = re.compile(r"\b(?:two|2)[- ](?:factor|step) (?:authentication|verification|auth)\b", re.IGNORECASE)
_AT = re.compile(r"(?<=\w)\s?[\[(]\s?(?:at|arroba)\s?[\])]\s?(?=\w)")  # "ann [at] example.com"
_POINT = re.compile(r"(?<=\w)\s?[\[(]\s?(?:dot|punto|ponto)\s?[\])]\s?(?=\w)")
_WRAPPED = re.compile(r"<([^<>\s]+@[^<>\s]+|[a-z]+://[^<>\s]+)>")
_SCHEME = re.compile(r"^(?:mailto|tel):(?=\S)", re.IGNORECASE)
_UNIT_CASE = re.compile(r"\d\s?(m|mb|gb|kb|tb|mw|[kmgt]bps|[kmgt]b/s|mwh)\b", re.IGNORECASE)
_LITERAL = re.compile(r"[@/\\]|\w\.\w{2}")


def capitals_matter(a: str, b: str) -> bool:
    """Whether texts differ in a unit whose meaning hangs on capitals: Gb and GB, m and M."""
    return _UNIT_CASE.findall(a) != _UNIT_CASE.findall(b)


def compare_whole(a: str, b: str, field: str, language: str, vocabulary: Vocabulary) -> Judged | None:  # noqa: PLR0911
    """What two whole texts say; None where they have to be taken apart."""
    truth = truth_of(a), truth_of(b)
    if None not in truth:
        return sure(
            truth[0] == truth[1],
            "typed",
            (said.SAME_TRUTH if truth[0] == truth[1] else said.OPPOSITE_TRUTH).format(a=shown(a), b=shown(b)),
        )
    bit = _bit_of_truth(truth, (a, b))
    if bit:
        return bit
    literal = _literals(a, b)
    if literal:
        return literal
    has_digits = any(c.isdigit() for c in a) or any(c.isdigit() for c in b)
    # In addresses and paths every point and dash counts.
    is_prose = not has_digits and not _LITERAL.search(a) and not _LITERAL.search(b) and not _signs_differ(a, b)
    if is_prose and _words_only(a) == _words_only(b) != "":
        if _accents_exclude(a, b):
            return unsure(False, Fraction(45, 100), "words", said.THEY_HAVE_OTHER_ACCENTS_WHICH)
        return sure(True, "exact", said.THEY_EQUAL_BUT_FOR_CASE_ACCENTS)
    if is_prose and len(a) > 5 and _NOT_LETTERS.sub("", plain(a)) == _NOT_LETTERS.sub("", plain(b)):
        return sure(True, "words", said.THEY_EQUAL_BUT_FOR_SPACES)
    if max(len(a), len(b)) > 120:
        return None
    listed = _by_lists(a, b, language, vocabulary)
    if listed:
        return listed
    return _by_tables(a, b, field, language, vocabulary, has_digits=has_digits)


def _bit_of_truth(truth: tuple[bool | None, bool | None], texts: tuple[str, str]) -> Judged | None:
    """A truth value beside "1" or "0", which may be one."""
    for told, text in ((truth[0], texts[1]), (truth[1], texts[0])):
        if told is not None and text.strip() in ("0", "1"):
            is_same = (text.strip() == "1") == told
            score = Fraction(6, 10) if is_same else Fraction(1, 5)
            return unsure(is_same, score, "typed", said.MAY_STAND_FOR_TRUTH_VALUE.format(text=shown(text)))
    return None


_PATH = re.compile(r"(?:~|\.{0,2})/[^\s/]\S*|[A-Za-z]:\\\S+")
_HANDLE = re.compile(r"@\w[\w.]*")


def _literals(a: str, b: str) -> Judged | None:
    """Paths and handles, in which every letter counts; and a number sign that only one text has."""
    for pattern, (same, but_for_capitals, other) in ((_PATH, said.PATHS), (_HANDLE, said.HANDLES)):
        if pattern.fullmatch(a) and pattern.fullmatch(b):
            if a.rstrip("/") == b.rstrip("/"):
                return sure(True, "typed", same)
            if a.casefold() == b.casefold():
                return unsure(True, Fraction(6, 10), "typed", but_for_capitals)
            return sure(False, "contradiction", other)
    if a.startswith("#") != b.startswith("#") and a.lstrip("# ").casefold() == b.lstrip("# ").casefold() != "":
        return sure(True, "typed", said.THEY_EQUAL_BUT_FOR_NUMBER)
    if a.startswith("@") != b.startswith("@") and a.lstrip("@").casefold() == b.lstrip("@").casefold() != "":
        return unsure(True, Fraction(7, 10), "typed", said.ONLY_ONE_WRITTEN_AS_HANDLE)
    return None


def _accents_exclude(a: str, b: str) -> bool:
    """Whether both texts have an accent on the same letter, and another one: "avó" and "avô"."""
    first, second = a.casefold(), b.casefold()
    if len(first) != len(second):
        return False
    return any(
        x != y and plain(x) == plain(y) not in (x, y) and not _is_nasal(first, second, at)
        for at, (x, y) in enumerate(zip(first, second, strict=True))
    ) or _accents_make_another_word(first, second)


def _is_nasal(a: str, b: str, at: int) -> bool:
    """The vowel of "Antônio" and "António", which Brazil and Portugal write apart."""
    return {a[at], b[at]} in ({"ô", "ó"}, {"ê", "é"}) and a[at + 1 : at + 2] in ("m", "n")


# Words that are another word without their accent. Whoever leaves accents out may mean either.
_OTHER_WITHOUT_ACCENT = frozenset(
    """año años papá mamá caña cañas peña campaña montaña coño moño uña cuña doña maña araña sueño secretaría secretária
    país avó avô maçã caça cocô forró camelô maiô manhã lã sábia sabiá sabía romã bebê bebé sofá""".split()  # noqa: SIM905
)


def _accents_make_another_word(a: str, b: str) -> bool:
    for word, other in zip(a.split(), b.split(), strict=False):
        word, other = word.strip(".,;:!?"), other.strip(".,;:!?")  # noqa: PLW2901
        pair = {word, other}
        if len(pair) == 2 and plain(word) == plain(other) and plain(word) in pair and pair & _OTHER_WITHOUT_ACCENT:
            return True
    return False


def _by_tables(a: str, b: str, field: str, language: str, vocabulary: Vocabulary, *, has_digits: bool) -> Judged | None:
    """Two whole texts by the tables of units, codes, airports and places, and by initials."""
    unit = compare_units(a, b)
    if unit:
        return _named(unit, "units")
    symbol = compare_symbols(a, b, field_words(field)) or compare_notes(a, b)
    if symbol:
        return _named(symbol, "symbols")
    if has_digits:
        return _codes(a, b) or _initials(a, b) or _initials(b, a)
    code = compare_codes(a, b, field_words(field)) or compare_airports(a, b)
    if code:
        return _named(code, "codes")
    acronym = _initials(a, b) or _initials(b, a)
    if acronym:
        return acronym
    place = compare_places(a, b, vocabulary, language) or compare_cities(a, b)
    return _named(place, "places") if place else None


def _named(found: Named, layer: str) -> Judged:
    if found.is_sure:
        return sure(found.is_equal, "typed" if found.is_equal else "contradiction", found.sentence)
    return unsure(found.is_equal, Fraction(7, 10) if found.is_equal else Fraction(3, 10), layer, found.sentence)


def _words_only(text: str) -> str:
    return " ".join(_LETTERS_ONLY.findall(plain(text).replace("'", "")))


def _by_lists(a: str, b: str, language: str, vocabulary: Vocabulary) -> Judged | None:
    if fold_term(a) == fold_term(b):
        # Folding drops points and dashes, which lists of words can do without and addresses and numbers cannot.
        return None
    if are_synonyms(a, b, language, vocabulary):
        return sure(True, "vocabulary", said.A_LIST_SAYS_MEAN_SAME.format(a=shown(a), b=shown(b)))
    if are_opposites(a, b, language, vocabulary):
        return sure(False, "contradiction", said.VALUES_ARE_OPPOSITE.format(a=shown(a), b=shown(b)))
    if are_contrasted(a, b, language, vocabulary):
        return sure(False, "contradiction", said.EXCLUDE_EACH_OTHER.format(a=shown(a), b=shown(b)))
    return None


def _initials(short: str, full: str) -> Judged | None:
    if any(c.isdigit() for c in short):
        return _initials_and_number(short, full)
    letters = re.sub(r"[.&\s]", "", short)
    if not 2 <= len(letters) <= 7 or not letters.isalpha() or " " in short.replace(". ", "").strip():
        return None
    if plain(letters) not in initials_of(full):
        return None
    sentence = said.ARE_INITIALS.format(short=shown(short), full=shown(full))
    if letters.isupper():
        return sure(True, "typed", sentence)
    return unsure(True, Fraction(3, 4), "words", sentence)


_LETTERED_CODE = re.compile(r"([A-Z]{1,5})[ #_-]?(\d{2,}[A-Z]?)")


def _codes(a: str, b: str) -> Judged | None:
    """ "PO 7781" beside "PO-7781", "AA123" beside "AA 123": letters and a number, parted or not."""
    one, other = _LETTERED_CODE.fullmatch(a.strip()), _LETTERED_CODE.fullmatch(b.strip())
    if one is None or other is None or one.groups() != other.groups():
        return None
    return sure(True, "typed", said.SAME_LETTERED_CODE.format(a=shown(a), b=shown(b)))


_LETTERS_AND_NUMBER = re.compile(r"([A-Za-z]{2,5})[- ]?(\d{1,4})")
_WORDS_AND_NUMBER = re.compile(r"([^\d]+?)\s+(\d{1,4}|II|III|IV|VI|VII|VIII|IX|XI|XII)")
_ROMANS = ("", "", "II", "III", "IV", "", "VI", "VII", "VIII", "IX", "", "XI", "XII")


def _initials_and_number(short: str, full: str) -> Judged | None:
    """ "WW2" beside "World War 2" or "World War II"."""
    one, other = _LETTERS_AND_NUMBER.fullmatch(short.strip()), _WORDS_AND_NUMBER.fullmatch(full.strip())
    if one is None or other is None or plain(one[1]) not in initials_of(other[1]):
        return None
    number = other[2] if other[2].isdigit() else str(_ROMANS.index(other[2]))
    if number != one[2]:
        return sure(False, "contradiction", said.HAVE_DIFFERENT_NUMBERS.format(short=shown(short), full=shown(full)))
    return sure(True, "typed", said.ARE_INITIALS_AND_NUMBER.format(short=shown(short), full=shown(full)))


def truth_of(text: str) -> bool | None:
    """The truth value that a whole text is, in three languages; None for another text."""
    word = plain(text).strip(" .!")
    return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None
