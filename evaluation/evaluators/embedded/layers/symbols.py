"""Whole values that are symbols: of shares, chemical elements, cities; and musical notes."""

import re
from functools import lru_cache
from pathlib import Path

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.layers.lists import LEGAL_FORMS
from evaluation.evaluators.embedded.layers.places import Named
from evaluation.evaluators.embedded.vocabulary import fold_term

_FILE = Path(__file__).parents[1] / "data" / "symbols.txt"
_SYMBOL = re.compile(r"[A-Z][a-z]?|[A-Z]{2,5}(?:\.[AB])?|[A-Z]{4}\d")
_KIND_WORDS = {
    "ticker": frozenset(("ticker", "symbol", "stock", "company", "share", "empresa", "accion", "acao", "compania")),
    "element": frozenset(("element", "elemento", "atom", "chemical", "compound", "metal")),
    "city": frozenset(("city", "ciudad", "cidade", "origin", "destination", "from", "to", "airport", "location")),
}


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, dict[str, frozenset[str]]], dict[str, set[str]]]:
    """By symbol and kind the folded names; by folded name the kinds in which it stands."""
    by_symbol: dict[str, dict[str, frozenset[str]]] = {}
    kinds: dict[str, set[str]] = {}
    for line in _FILE.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, listed = line.partition(":")
        kind, symbol = head.split()
        names = frozenset(fold_term(name) for name in listed.split(";"))
        by_symbol.setdefault(symbol, {})[kind] = names
        for name in names:
            kinds.setdefault(name, set()).add(kind)
    return by_symbol, kinds


def _without_form(text: str) -> str:
    words = fold_term(text.removeprefix("The ").replace(",", " ")).split()
    while len(words) > 1 and words[-1].replace(".", "") in LEGAL_FORMS:
        words.pop()
    return " ".join(words)


def compare_symbols(a: str, b: str, field_words: frozenset[str]) -> Named | None:
    """A symbol beside a name: "Fe" and "iron", "AAPL" and "Apple Inc."; None for other texts.

    >>> compare_symbols("Fe", "iron", frozenset()).is_equal, compare_symbols("Fe", "copper", frozenset()).is_equal
    (True, False)
    """
    a, b = a.strip(), b.strip()
    if len(a) > len(b):
        a, b = b, a
    if not _SYMBOL.fullmatch(a) or len(b) < 2:
        return None
    by_symbol, kinds = _tables()
    meanings = by_symbol.get(a)
    if meanings is None:
        return None
    names = {fold_term(b), _without_form(b)}
    for kind, listed in meanings.items():
        if names & listed:
            # "In" and "indio", "C" and "Citi": a letter alone or a word needs a field that says what it is.
            is_clear = len(a) > 1 or bool(_KIND_WORDS[kind] & field_words)
            return Named(True, is_clear, said.IS_SYMBOL.format(a=a, b=b))
    wanted = [kind for kind in meanings if kind != "city" and (len(a) > 2 or _KIND_WORDS[kind] & field_words)]
    if len(meanings) == 1 and wanted and any(wanted[0] in kinds.get(name, ()) for name in names):
        return Named(False, True, said.IS_NO_SYMBOL.format(a=a, b=b))
    return None


_NOTE = re.compile(r"(?P<n>[A-Ga-g])\s*-?\s*(?P<s>#|♯|sharp|b|♭|flat)?(?:[\s-]*(?P<m>maj(?:or)?|min(?:or)?|m|M))?")
_SOLFA = re.compile(
    r"(?P<n>do|re|mi|fa|sol|la|si)\s*(?P<s>#|♯|sostenido|sustenido|b|♭|bemol)?(?:\s*(?P<m>mayor|maior|menor))?"
)
_NAMES = {"do": "c", "re": "d", "mi": "e", "fa": "f", "sol": "g", "la": "a", "si": "b"}
_SHARP, _FLAT = ("#", "♯", "sharp", "sostenido", "sustenido"), ("b", "♭", "flat", "bemol")


def _note(text: str) -> tuple[str, str, str] | None:
    text = text.strip()
    match = _NOTE.fullmatch(text) or _SOLFA.fullmatch(plain(text))
    if match is None:
        return None
    name = _NAMES.get(match["n"], match["n"].lower())
    sign = "#" if match["s"] in _SHARP else "b" if match["s"] in _FLAT else ""
    mode = match["m"] or ""
    mode = "" if mode in ("", "major", "maj", "M", "mayor", "maior") else "minor"
    return name, sign, mode


def compare_notes(a: str, b: str) -> Named | None:
    """Two musical notes or keys of which one says that it is sharp, flat, major or minor: "F#" and "F sharp"."""
    if max(len(a), len(b)) > 16:
        return None
    first, second = _note(a), _note(b)
    if first is None or second is None or max(len(a.strip()), len(b.strip())) < 2:
        return None
    if first == second:
        is_said = bool(first[1] or first[2])
        return Named(True, is_said, said.THEY_SAME_NOTE)
    return Named(False, True, said.THEY_DIFFERENT_NOTES)
