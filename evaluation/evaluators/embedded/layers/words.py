"""Words of two texts matched by meaning, and what forbids it: opposites, contrasts, negation, direction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from evaluation.evaluators.embedded.facts.extract import facts_in, spans_of
from evaluation.evaluators.embedded.facts.model import Fact
from evaluation.evaluators.embedded.language import LANGUAGES, plain
from evaluation.evaluators.embedded.vocabulary import Vocabulary, fold_term, stem_word

# Words that only join others, in three languages. What turns a meaning (not, without) and direction are looked at apart.
JOINING = frozenset(
    """a an the of for to in on at by from with and or as is are was were be been being it its this that these those
    into onto about over per regarding concerning via their our your my his her there has have had do does did will would
    can could should shall may than then so such own which who whom whose when where what how me i we you he she they us
    el la los las un una unos unas lo de del al a en por para con y e o u que se su sus es son era fue ser estar esta
    este estos estas como sobre mi tu nuestro nuestra hacia desde hasta segun cual donde
    os as um uma uns umas do da dos das no na nos nas ao aos pelo pela pelos pelas em com ou seu sua seus suas meu minha
    sao foi e para por d l 's""".split()
)
# Words that turn a meaning.
NEGATORS = frozenset(
    """not no non never none without neither nor nothing nobody cannot cant wont dont doesnt didnt isnt arent wasnt
    werent hasnt havent hadnt shouldnt wouldnt couldnt aint excluding except excl unable lacking lacks lack sans
    sin ningun ninguna ninguno nunca jamas tampoco ni excepto salvo excluyendo
    sem nao nenhum nenhuma nem jamais exceto excluindo menos""".split()
)
_NEGATIVE_PREFIX = re.compile(r"^(?:un|non|in|im|ir|il|dis|des|de|mis|anti|a)(?=[a-z]{4})")
GENERIC = frozenset(
    """museum hotel city town county district state region area country province team club company restaurant cafe
    airport university college school hospital department dept division team group order ticket invoice case item
    product brand recipe season league station street building center centre park beach river lake mountain island
    brewery theater theatre library bank store shop market office branch ecosystem rainforest particle structure theory
    war battle treaty signing event discovery song album movie film book game series piano guitar instrument rating level
    score type kind sort pair set piece list number code id reference ref no nr model version account name value
    project file figures figure data information info details detail report food music team's format style flavor
    museo ciudad pueblo provincia estado pais equipo empresa compania restaurante aeropuerto universidad departamento
    area grupo pedido orden ticket factura caso articulo producto marca receta temporada estacion calle edificio centro
    numero codigo referencia modelo cuenta nombre cifras datos informacion
    museu cidade municipio equipe time clube companhia aeroporto universidade departamento pedido fatura caso item
    produto marca receita temporada estacao rua edificio numero codigo referencia modelo conta nome dados informacoes
    informacao chamado protocolo reserva booking reservation confirmation tracking transaction customer user flight
    sku dni nif nie cpf cnpj rg zip zipcode postcode cep pin iban vin isbn ean rfc curp passport pasaporte passaporte po cv plate matricula policy poliza apolice rut ruc folio all every each todos todas any vuelo voo cliente usuario transaccion transacao boleto nota""".split()
)
# Before an id these say what it is an id of.
# Verbs and phrases by which something is asked for; they say nothing of what it is.
REQUESTING = frozenset(
    """find search look get show tell give list fetch retrieve display want need lookup information please help latest
    buscar busca mostrar muestra muestrame dame dime obtener obten consultar consulta quiero necesito ver encontrar listar
    mostre encontre procure procurar quero preciso obter liste consulte fazer hacer part""".split()
)
TITLES = frozenset(
    """dra profa sras srs eng enga mr mrs ms miss mx dr prof professor sir madam sr sra srta don dona doctor doctora doutor doutora senor senora
    senorita senhor senhora ing lic eng""".split()
)
LEGAL_FORMS = frozenset(
    """inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag sa s.a sl s.l srl s.r.l ltda lda
    cia sas bv nv oy ab spa holdings group""".split()
)
ADDRESS = {
    "st": "street", "str": "street", "ave": "avenue", "av": "avenue", "avda": "avenue", "avenida": "avenue",
    "rd": "road", "blvd": "boulevard", "bulevar": "boulevard", "dr": "drive", "ln": "lane", "ct": "court", "pl": "place",
    "sq": "square", "hwy": "highway", "pkwy": "parkway", "apt": "apartment", "apto": "apartment", "dpto": "apartment",
    "depto": "apartment", "apartamento": "apartment", "ste": "suite", "fl": "floor", "rm": "room", "bldg": "building",
    "c": "calle", "cl": "calle", "cll": "calle", "pza": "plaza", "pl.": "plaza", "ctra": "carretera", "pso": "paseo",
    "r": "rua", "pca": "praca", "al": "alameda", "tv": "travessa", "rod": "rodovia", "n": "north", "s": "south",
    "e": "east", "w": "west", "no": "number", "num": "number", "nº": "number", "unit": "apartment",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:['.&][^\W_]+)*[+#]*\.?(?<![ ])")
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


def _fold_word(text: str) -> str:
    word = plain(text).strip(".")
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


_BETWEEN_DATE_AND_TIME = re.compile(r"\s*(?:,|-|t|,? ?(?:at|on|a las?|as|a|el|em|no dia|on the))?\s*$")


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
            if _BETWEEN_DATE_AND_TIME.match(gap) and isinstance(date.value, tuple) and date.value[0] is not None:
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
    # A year that stands apart from its quarter has become part of that fact.
    years = {part for fact in facts if fact.kind in ("period", "date") for part in _YEAR.findall(str(fact.value))}
    words: list[Word] = []
    for match in _WORD.finditer(_parted(readable)):
        if any(start < match.end() and match.start() < end for start, end in spans):
            continue
        folded = _fold_word(match[0])
        if folded and not (folded.isdigit() and folded in years):
            words.append(Word(folded, readable[match.start() : match.end()].strip("."), match.start()))
    content: list[Term] = []
    neutral: list[Term] = []
    negations = 0
    own = field_words(field_name)
    is_all_capitals = readable.isupper()
    for at, word in enumerate(words):
        # "Product A", "replace A with B": a letter that is no article is a name.
        if len(word.text) == 1 and word.is_name and (at > 0 or len(words) == 1):
            words[at] = Word(word.text, word.written * 2, word.start)
    for piece in vocabulary.longest_terms([word.text for word in words], language):
        inside = tuple(words[piece.start : piece.end])
        term = Term(" ".join(word.text for word in inside), inside, piece.start)
        if (
            len(inside) == 1
            and inside[0].text in NEGATORS
            and not (inside[0].text == "no" and _is_number_sign(facts, inside[0]))
        ):
            negations += 1
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
    if not rest.endswith(
        ("ed", "able", "ful", "ing", "al", "ive", "ent", "able", "refundable", "stop", "paid", "read", "known", "safe")
    ):
        return None
    if match[0] == "non" and rest == "stop":
        return None
    base = Word(rest, term.words[0].written, term.words[0].start)
    return Term(rest, (base,), term.place)


# --- matching -----------------------------------------------------------------------------------------------------


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
            found.matches.append(Match(term, same.pop(0), 3, "the same word"))
        else:
            kept.append(term)
    found.left_a = kept
    found.left_b = sorted((term for terms in known.values() for term in terms), key=lambda term: term.place)


def match_terms(a: Side, b: Side, language: str, vocabulary: Vocabulary) -> Matching:
    """Match the terms of two texts: whole terms, then their single words, then words written together or as initials."""
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
            word.text in NEGATORS for t in (*found.left_a, *found.left_b) if len(t.words) > 1 for word in t.words
        )
        found.left_a, found.left_b = _single(found.left_a), _single(found.left_b)
        _match_round(found, language, vocabulary)
    if found.left_a and found.left_b:
        _match_joined(found, language, vocabulary)
        _match_initials(found)
    return found


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
                found.matches.append(Match(*pair, 2, "written together"))


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


_ABBREVIATED = frozenset(
    (
        ("st", "saint"), ("c", "calle"), ("r", "rua"), ("av", "avenida"), ("avda", "avenida"), ("pza", "plaza"), ("blvd", "boulevard"), ("rd", "road"), ("ave", "avenue"), ("ave", "avenida"), ("ste", "sainte"), ("mt", "mount"), ("mtn", "mountain"), ("ft", "fort"), ("sta", "santa"),
        ("sto", "santo"), ("dept", "department"), ("intl", "international"), ("natl", "national"), ("univ", "university"),
        ("assn", "association"), ("assoc", "association"), ("bros", "brothers"), ("govt", "government"), ("mgmt", "management"),
        ("mgr", "manager"), ("asst", "assistant"), ("acct", "account"), ("amt", "amount"), ("avg", "average"), ("min", "minimum"),
        ("max", "maximum"), ("qty", "quantity"), ("approx", "approximately"), ("temp", "temperature"), ("info", "information"),
        ("tech", "technology"), ("eng", "engineering"), ("dev", "development"), ("ops", "operations"), ("asc", "ascending"),
        ("desc", "descending"), ("prod", "production"), ("config", "configuration"), ("admin", "administrator"),
        ("gral", "general"), ("dpto", "departamento"), ("depto", "departamento"), ("tel", "telefono"), ("prov", "provincia"),
    )
)  # fmt: skip


@lru_cache(maxsize=65_536)
def _alike_words(a: str, b: str, is_name: bool, language: str, vocabulary: Vocabulary) -> tuple[int, str]:
    if a == b:
        return 3, "the same word"
    said = vocabulary.project_says(a, b)
    if said is False:
        return 0, ""
    if said or are_synonyms(a, b, language, vocabulary):
        return 2, "a list says that they mean the same"
    if (a, b) in _ABBREVIATED or (b, a) in _ABBREVIATED:
        return 2, "an abbreviation"
    if (len(a) == 1) != (len(b) == 1):
        return (1, "initial") if is_name and a[0] == b[0] else (0, "")
    if _is_plural(a, b) or _is_plural(b, a):
        return 3, "another form of the word"
    if is_name or are_opposites(a, b, language, vocabulary) or are_contrasted(a, b, language, vocabulary):
        return 0, ""
    if " " not in a and " " not in b:
        if _is_form(a, b, language):
            return 2, "another form of the word"
        if _spelled(a) == _spelled(b):
            return 2, "another spelling"
        if _is_derived(a, b, language):
            return 2, "a word of the same root"
        if _is_typo(a, b) and not (vocabulary.concepts_of(a, language) and vocabulary.concepts_of(b, language)):
            return 1, "a letter apart"
        return 0, ""
    first, second = a.split(), b.split()
    if len(first) == len(second):
        strengths = [_alike_words(x, y, is_name, language, vocabulary)[0] for x, y in zip(first, second, strict=True)]
        if min(strengths) >= 2:
            return 2, "other forms of the words"
    return 0, ""


def alike(a: Term, b: Term, language: str, vocabulary: Vocabulary) -> tuple[int, str]:
    """How sure it is that two terms mean the same (0 not at all), and why."""
    first, second = (a.text, b.text) if a.text <= b.text else (b.text, a.text)
    return _alike_words(first, second, a.is_name and b.is_name, language, vocabulary)


def _is_plural(one: str, many: str) -> bool:
    if len(one) < 3 or not many.endswith("s"):
        return False
    if many in (one + "s", one + "es"):
        return True
    if one.endswith("y") and many == one[:-1] + "ies":
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


# Endings by which one word makes another of the same matter. Not those that make persons (-er, -ee) or opposites.
_DERIVING = {
    "en": ("ations", "ation", "ational", "itional", "ments", "ment", "ions", "ion", "ional", "als", "al", "ally", "ance",
           "ence", "ing", "ings", "ed", "es", "s", "ly", "y", "ity", "ness", "ive", "ical", "ic", "ary", "hood", "d",
           "e", "ally", "ies", "ied", "ery", "eries", "age", "ure", "th"),
    "es": ("imiento", "imientos", "amiento", "amientos", "acion", "aciones", "icion", "cion", "ciones", "sion", "ado",
           "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ar", "er", "ir", "al", "ales", "ional", "mente", "o",
           "a", "os", "as", "e", "es", "ico", "ica", "ario", "aria", "encia", "ancia", "dad", "aje", "ante", "iendo", "ando"),
    "pt": ("imento", "imentos", "amento", "amentos", "acao", "acoes", "icao", "icoes", "cao", "coes", "sao", "soes", "ado",
           "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ar", "er", "ir", "al", "ais", "ional", "mente", "o", "a",
           "os", "as", "e", "es", "ico", "ica", "ario", "aria", "encia", "ancia", "dade", "agem", "ante", "endo", "ando", "r"),
}  # fmt: skip


@lru_cache(maxsize=16_384)
def _roots(word: str, language: str) -> frozenset[str]:
    endings = _DERIVING[language]
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


# --- what forbids it ----------------------------------------------------------------------------------------------


def opposed(
    terms_a: Sequence[Term], terms_b: Sequence[Term], language: str, vocabulary: Vocabulary
) -> tuple[Term, Term, str] | None:
    """The first terms left over that deny or exclude each other, and which: "opposite" or "contrast"."""
    for a in terms_a:
        for b in terms_b:
            if are_opposites(a.text, b.text, language, vocabulary):
                return a, b, "opposite"
            if are_contrasted(a.text, b.text, language, vocabulary):
                return a, b, "contrast"
            if _is_negated_form(a, b) or _is_negated_form(b, a):
                return a, b, "opposite"
    return None


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
}
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


def is_reversed(a: Side, b: Side, matching: Matching, language: str) -> tuple[str, str] | None:
    """What goes where the other text has it come from: "Boston to Denver" beside "Denver to Boston"."""
    if len(a.words) + len(b.words) > _MOST_DIRECTED:
        return None
    first, second = directions(a, language), directions(b, language)
    same: dict[str, set[str]] = {}
    for match in matching.matches:
        for one in (match.a.text, *(w.text for w in match.a.words)):
            same.setdefault(one, set()).update((match.b.text, *(w.text for w in match.b.words)))
    for term in _fact_terms(a):
        same.setdefault(term.text, set()).add(term.text)
    for role, other_role in (("to", "to"), ("with", "with"), ("over", "over"), ("before", "before"), ("after", "after"),
                             ("than", "than"), ("minus", "minus"), ("over", "under"), ("before", "after")):  # fmt: skip
        for x, y in ((first, second), (second, first)) if role != other_role else ((first, second),):
            if role not in x or other_role not in y:
                continue
            is_flipped = role != other_role
            before, after = x[role]
            other_before, other_after = y[other_role] if not is_flipped else (y[other_role][1], y[other_role][0])
            translated = (
                (lambda t: same.get(t, set())) if x is first else (lambda t: {k for k, v in same.items() if t in v})
            )
            for src in before - {""}:
                for dst in after - {""}:
                    if (
                        translated(src) & other_after
                        and translated(dst) & (other_before | y.get("from", (frozenset(), frozenset()))[1])
                        and not (translated(dst) & other_after)
                    ):
                        return src, dst
    return _from_and_to(first, second, same) or _only_from_or_to(a, b, first, second, same)


def _from_and_to(
    first: dict[str, tuple[frozenset[str], frozenset[str]]],
    second: dict[str, tuple[frozenset[str], frozenset[str]]],
    same: dict[str, set[str]],
) -> tuple[str, str] | None:
    """Where one text says from X and the other to X, and neither says both of it."""
    empty: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    to_a, to_b = first.get("to", empty)[1], second.get("to", empty)[1]
    from_a, from_b = first.get("from", empty)[1], second.get("from", empty)[1]
    for x in from_a - {""}:
        if same.get(x, set()) & to_b and not same.get(x, set()) & from_b:
            for y in to_a - {""}:
                if same.get(y, set()) & (from_b | second.get("to", empty)[0]):
                    return x, y
    return None


_STRICTLY_FROM = frozenset(("from", "desde"))


def _only_from_or_to(
    a: Side,
    b: Side,
    first: dict[str, tuple[frozenset[str], frozenset[str]]],
    second: dict[str, tuple[frozenset[str], frozenset[str]]],
    same: dict[str, set[str]],
) -> tuple[str, str] | None:
    """Where one text only says from X, the other only to X: "flights to Rome" beside "flights from Rome"."""
    for x, y, is_first in ((a, b, True), (b, a, False)):
        one, other = (first, second) if is_first else (second, first)
        if (
            not any(word.text in _STRICTLY_FROM for word in x.words)
            or "to" in one
            or "from" in other
            or "to" not in other
        ):
            continue
        for source in one.get("from", (frozenset(), frozenset()))[1] - {""}:
            targets = same.get(source, set()) if is_first else {k for k, v in same.items() if source in v}
            if targets & other["to"][1]:
                return source, source
    return None


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


def stem_any(word: str) -> frozenset[str]:
    """The stems of a word in each language."""
    return frozenset(stem_word(fold_term(word), language) for language in LANGUAGES)
