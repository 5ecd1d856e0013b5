"""The vocabulary: how terms are matched, what a project adds, and that no list contradicts itself."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from evaluation.evaluators.embedded.vocabulary import (
    ANY_LANGUAGE,
    LANGUAGES,
    STANDARD,
    Entry,
    Vocabulary,
    VocabularyError,
    data_files,
    fold_term,
    read_entries,
    stem_word,
)

LISTS = {
    "concepts/some.txt": """
        # a comment
        en: refund; reimbursement; money back | es: reembolso; devolución del dinero | pt: reembolso; estorno
        en: approve; authorize | es: aprobar; autorizar | pt: aprovar
        en: house; home | es: casa | pt: casa
        en: case | es: caso | pt: caso
        en: red | es: rojo | pt: vermelho
        en: network | es: red | pt: rede
        en: date | es: fecha | pt: data
        en: datum; data | es: dato | pt: dado
        xx: LA | en: Los Angeles
        en: clear; evident
        en: clear; delete
    """,
    "opposites.txt": """
        en: approve <> deny; reject | es: aprobar <> rechazar | pt: aprovar <> recusar
        en: clear <> fill
    """,
    "contrasts.txt": "en: net / gross | es: neto / bruto\nen: credit card / debit card; bank card / cash",
    "fillers.txt": "en: please; the; a pair of\nes: la; por favor",
}


@pytest.fixture
def small(tmp_path: Path) -> Vocabulary:
    (tmp_path / "concepts").mkdir()
    for name, text in LISTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return Vocabulary(tmp_path)


# -- folding and stems


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("São Paulo", "sao paulo"),
        ("  Round-Trip ", "round trip"),
        ("U.S.", "us"),
        ("driver’s license", "drivers license"),
        ("2.5", "2.5"),
        ("snake_case", "snake case"),
        ("Austin, TX", "austin tx"),
        ("1,200", "1,200"),
    ],
)
def test_terms_are_folded(text: str, folded: str) -> None:
    assert fold_term(text) == folded


@pytest.mark.parametrize("word", ["devolución", "devolucion", "devoluciones"])
def test_stem_does_not_hang_on_an_accent(word: str) -> None:
    assert stem_word(fold_term(word), "es") == stem_word("devoluciones", "es")


@pytest.mark.parametrize("word", ["bus", "a1b2", "x"])
def test_what_is_short_or_no_word_has_no_stem(word: str) -> None:
    assert stem_word(word, "en") == word


# -- what means the same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("refund", "Reimbursement"),
        ("refunds", "reimbursements"),
        ("approving", "authorized"),
        ("devolución del dinero", "reembolsos"),
        ("devolucion del dinero", "money back"),
        ("L.A.", "los angeles"),
    ],
)
def test_terms_of_one_concept_are_synonyms(small: Vocabulary, a: str, b: str) -> None:
    assert small.are_synonyms(a, b)
    assert small.are_synonyms(b, a)


def test_unknown_terms_are_no_synonyms_unless_equal(small: Vocabulary) -> None:
    assert small.are_synonyms("Zyx", "zyx")
    assert not small.are_synonyms("zyx", "xyz")
    assert small.concepts_of("zyx") == frozenset()


def test_ambiguous_term_stands_in_several_concepts(small: Vocabulary) -> None:
    assert len(small.concepts_of("clear")) == 2
    assert small.are_synonyms("clear", "evident")
    assert not small.are_synonyms("evident", "delete")


def test_language_of_both_words_comes_before_another(small: Vocabulary) -> None:
    assert not small.are_synonyms("red", "network")
    assert small.are_synonyms("red", "vermelho")
    assert small.concepts_of("red", "es") == small.concepts_of("network", "en")


def test_form_of_a_word_belongs_to_the_nearest_word(small: Vocabulary) -> None:
    assert small.concepts_of("casas", "es") == small.concepts_of("house")
    assert small.concepts_of("casos", "es") == small.concepts_of("case")


def test_short_stem_counts_only_where_the_language_is_known(small: Vocabulary) -> None:
    assert small.concepts_of("datos", "es") == small.concepts_of("datum")
    assert small.concepts_of("dates") == small.concepts_of("date")
    assert not small.are_synonyms("dates", "data")


# -- what excludes each other


@pytest.mark.parametrize(("a", "b"), [("approved", "denied"), ("reject", "approves"), ("aprobar", "rechazado")])
def test_sides_of_a_pair_are_opposites(small: Vocabulary, a: str, b: str) -> None:
    assert small.are_opposites(a, b)
    assert small.are_opposites(b, a)


def test_sides_are_opposites_across_languages(small: Vocabulary) -> None:
    assert small.are_opposites("approve", "rechazar")


def test_synonym_without_second_meaning_is_an_opposite_too(small: Vocabulary) -> None:
    assert small.are_opposites("authorize", "deny")
    assert not small.are_opposites("evident", "fill"), "clear has two meanings"


def test_terms_of_one_side_are_no_opposites(small: Vocabulary) -> None:
    assert not small.are_opposites("deny", "reject")
    assert not small.are_opposites("approve", "approves")


def test_siblings_are_contrasted(small: Vocabulary) -> None:
    assert small.are_contrasted("net", "gross")
    assert small.are_contrasted("credit cards", "debit card")
    assert small.are_contrasted("cash", "bank card")
    assert not small.are_contrasted("debit card", "bank card")
    assert not small.are_contrasted("net", "cash")
    assert small.contrasts_of("neto") == small.contrasts_of("net")


# -- fillers and pieces


def test_filler_of_a_language(small: Vocabulary) -> None:
    assert small.is_filler("the")
    assert small.is_filler("a pair of", "en")
    assert small.is_filler("la", "es")
    assert not small.is_filler("la", "en")
    assert not small.is_filler("refund")


def test_what_means_something_in_another_language_is_no_filler_of_an_unknown_one(small: Vocabulary) -> None:
    assert not small.is_filler("LA")


def test_tokens_are_cut_into_the_longest_terms(small: Vocabulary) -> None:
    terms = small.longest_terms(["Money", "back", "to", "my", "credit", "cards"])
    assert [(term.start, term.end, term.is_known) for term in terms] == [
        (0, 2, True),
        (2, 3, False),
        (3, 4, False),
        (4, 6, True),
    ]


def test_no_tokens_have_no_terms(small: Vocabulary) -> None:
    assert small.longest_terms([]) == ()
    assert small.longest_terms([""])[0].is_known is False


# -- a project's entries


def test_project_adds_synonyms_without_changing_what_was(small: Vocabulary) -> None:
    own = small.extended({"equal": [{"terms": ["Gold plan", "Premium"]}]})
    assert own.are_synonyms("gold plans", "premium")
    assert own.are_synonyms("refund", "reimbursement")
    assert not small.are_synonyms("gold plan", "premium")


def test_project_can_take_a_synonym_back(small: Vocabulary) -> None:
    own = small.extended({"different": [{"terms": ["refund", "reimbursement"]}]})
    assert not own.are_synonyms("refund", "reimbursement")
    assert own.are_contrasted("refund", "reimbursement")
    assert own.project_says("Refund", "REIMBURSEMENT") is False


def test_project_can_take_an_opposite_back(small: Vocabulary) -> None:
    own = small.extended({"equal": [{"terms": ["net", "gross"]}, {"terms": ["approve", "deny"]}]})
    assert not own.are_contrasted("net", "gross")
    assert not own.are_opposites("approve", "deny")


def test_entry_for_a_field_says_nothing_elsewhere(small: Vocabulary) -> None:
    own = small.extended({"equal": [{"terms": ["SP", "São Paulo"], "field": "city"}]})
    assert own.project_says("sp", "sao paulo", "city") is True
    assert own.project_says("sp", "sao paulo", "stops[2].City") is True
    assert own.project_says("sp", "sao paulo", "capacity") is None
    assert own.project_says("sp", "sao paulo") is None
    assert not own.are_synonyms("sp", "sao paulo")


def test_entry_for_a_field_comes_before_one_for_all(small: Vocabulary) -> None:
    own = small.extended(
        {"equal": [{"terms": ["large", "L"]}], "different": [{"terms": ["large", "L"], "field": "code"}]}
    )
    assert own.project_says("large", "l", "size") is True
    assert own.project_says("large", "l", "code") is False


def test_project_adds_opposites_and_fillers(small: Vocabulary) -> None:
    own = small.extended({"opposites": [[["escalate"], ["close", "drop"]]], "fillers": ["kindly"]})
    assert own.are_opposites("escalated", "dropping")
    assert own.is_filler("kindly")
    assert own.is_filler("kindly", "pt")


def test_entries_are_added_to_those_before(small: Vocabulary) -> None:
    own = small.extended({"fillers": ["kindly"]}).extended({"fillers": ["gladly", "kindly"]})
    assert own == small.extended({"fillers": ["kindly", "gladly"]})
    assert own.is_filler("kindly")


def test_standard_vocabulary_says_nothing_for_a_project() -> None:
    assert STANDARD.project_says("net", "gross") is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "a vocabulary is an object with equal, different, opposites, fillers"),
        ({"same": []}, "same: unknown part; there are equal, different, opposites, fillers"),
        ({"equal": {}}, "equal: needs a list"),
        ({"equal": ["a"]}, "equal[0]: needs an object with terms"),
        (
            {"equal": [{"terms": ["a", "b"], "fields": "x"}]},
            "equal[0].fields: unknown; an entry has terms and may have ",
        ),
        ({"equal": [{"terms": ["a", "b"], "field": 3}]}, "equal[0].field: needs the name of a parameter"),
        ({"equal": [{"terms": ["a", "b"]}, {"terms": "a"}]}, "equal[1].terms: needs a list of terms"),
        ({"equal": [{}]}, "equal[0].terms: needs a list of terms"),
        ({"equal": [{"terms": ["a", " A "]}]}, "equal[0].terms: needs at least two different terms"),
        ({"different": [{"terms": ["a", 1]}]}, "different[0].terms[1]: needs a text"),
        ({"different": [{"terms": ["a", " "]}]}, "different[0].terms[1]: is empty"),
        (
            {"equal": [{"terms": ["a", "b"]}], "different": [{"terms": ["c", "B", "A"]}]},
            "different[0].terms: 'a' and 'b' are said to be otherwise in equal[0]",
        ),
        ({"opposites": [["a"]]}, "opposites[0]: needs two sides, each a list of terms"),
        ({"opposites": [[["a"], "b"]]}, "opposites[0][1]: needs a list of terms"),
        ({"opposites": [[["a"], []]]}, "opposites[0][1]: needs at least one term"),
        ({"opposites": [[["a"], ["A", "b"]]]}, "opposites[0]: 'a' stands on both sides"),
        ({"fillers": [None]}, "fillers[0]: needs a text"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_place(small: Vocabulary, body: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=re.escape(message)):
        small.extended(body)


def test_contradiction_with_an_earlier_entry_is_refused(small: Vocabulary) -> None:
    own = small.extended({"equal": [{"terms": ["a", "b"]}]})
    with pytest.raises(VocabularyError, match="said to be otherwise"):
        own.extended({"different": [{"terms": ["a", "b"]}]})


# -- versions


def test_version_hangs_on_lists_and_entries(small: Vocabulary, tmp_path: Path) -> None:
    again = Vocabulary(small.directory)
    assert again.version == small.version
    assert small.extended({"fillers": ["x"]}).version != small.version
    assert small.extended({}).version == small.version

    other = tmp_path / "other"
    (other / "concepts").mkdir(parents=True)
    for name, text in LISTS.items():
        (other / name).write_text(text.replace("estorno", "devolução"), "utf-8")
    assert Vocabulary(other).version != small.version


# -- the lists that are delivered


@cache
def entries() -> tuple[tuple[str, str, Path, Entry], ...]:
    """Each entry of the delivered lists: its place as file and line, its kind, its file."""
    return tuple(
        (f"{path.name}:{entry.line_no}", kind, path, entry)
        for kind, path in data_files()
        for entry in read_entries(path.read_text("utf-8"), kind)
    )


def concept_lines() -> dict[tuple[str, str], set[str]]:
    """Where each folded term stands among the concepts, by language."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    for place, kind, _, entry in entries():
        if kind == "concept":
            for term in entry.sides[0]:
                places[entry.language, fold_term(term)].add(place)
    return places


def fail_for(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


def test_every_entry_has_a_known_language_and_terms() -> None:
    problems = []
    for place, kind, _, entry in entries():
        if entry.language not in (*LANGUAGES, ANY_LANGUAGE):
            problems.append(f"{place}: unknown language {entry.language!r}")
        for number, side in enumerate(entry.sides, 1):
            if not side:
                problems.append(f"{place}: side {number} of {entry.language} is empty")
            problems += [f"{place}: {term!r} is empty when folded" for term in side if not fold_term(term)]
            problems += [f"{place}: {term!r} has a separator" for term in side if re.search(r"[|:<>]", term)]
        if kind == "opposite" and len(entry.sides) != 2:
            problems.append(f"{place}: {entry.language} has {len(entry.sides)} sides, an opposite has two")
        if kind == "contrast" and len(entry.sides) < 2:
            problems.append(f"{place}: {entry.language} has one sibling")
    fail_for(problems)


def test_no_term_stands_on_two_sides_of_a_line() -> None:
    problems = []
    for place, _, _, entry in entries():
        for one, other in combinations(entry.sides, 2):
            both = {fold_term(term) for term in one} & {fold_term(term) for term in other}
            problems += [f"{place}: {term!r} stands on two sides in {entry.language}" for term in sorted(both)]
    fail_for(problems)


def test_each_language_stands_once_in_a_line_with_the_same_sides() -> None:
    """The n-th sibling of each language is the same one."""
    problems = []
    by_line: dict[str, list[Entry]] = defaultdict(list)
    for place, _, _, entry in entries():
        by_line[place].append(entry)
    for place, parts in by_line.items():
        languages = [entry.language for entry in parts]
        if len(set(languages)) < len(languages):
            problems.append(f"{place}: a language stands twice")
        if len({len(entry.sides) for entry in parts}) > 1:
            problems.append(f"{place}: the languages have different numbers of siblings")
    fail_for(problems)


def test_no_line_is_a_copy_of_another() -> None:
    problems = []
    lines: dict[tuple[str, str], set[tuple[str, frozenset[frozenset[str]]]]] = defaultdict(set)
    for place, kind, _, entry in entries():
        sides = frozenset(frozenset(fold_term(term) for term in side) for side in entry.sides)
        lines[kind, place].add((entry.language, sides))
    first: dict[tuple[str, frozenset[tuple[str, frozenset[frozenset[str]]]]], str] = {}
    for (kind, place), said in lines.items():
        before = first.setdefault((kind, frozenset(said)), place)
        if before != place:
            problems.append(f"{place}: says the same as {before}")
    fail_for(problems)


def test_a_concept_names_at_least_two_terms() -> None:
    problems = []
    terms: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for place, kind, _, entry in entries():
        if kind == "concept":
            terms[place] |= {(entry.language, fold_term(term)) for term in entry.sides[0]}
    problems = [f"{place}: a single term is no concept" for place, known in terms.items() if len(known) < 2]
    fail_for(problems)


def test_what_excludes_each_other_is_no_synonym() -> None:
    places = concept_lines()
    problems = []
    for place, kind, _, entry in entries():
        if kind not in ("opposite", "contrast"):
            continue
        for one, other in combinations(entry.sides, 2):
            for a in map(fold_term, one):
                for b in map(fold_term, other):
                    known_a = places[entry.language, a] | places[ANY_LANGUAGE, a]
                    known_b = places[entry.language, b] | places[ANY_LANGUAGE, b]
                    problems += [f"{place}: {a!r} and {b!r} are synonyms in {at}" for at in sorted(known_a & known_b)]
    fail_for(problems)


def test_standard_lists_can_be_asked() -> None:
    assert STANDARD.are_synonyms("NYC", "New York City")
    assert STANDARD.are_contrasted("net", "gross")
    assert STANDARD.is_filler("please")
