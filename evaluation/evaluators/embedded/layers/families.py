"""Words of one family: a verb, its irregular forms, its noun and the adjective of its result."""

from functools import lru_cache
from pathlib import Path

from evaluation.evaluators.embedded.language import LANGUAGES
from evaluation.evaluators.embedded.vocabulary import fold_term

_FILE = Path(__file__).parents[1] / "data" / "families.txt"


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, frozenset[int]]]:
    """By language and folded word the families in which it stands."""
    found: dict[str, dict[str, set[int]]] = {language: {} for language in LANGUAGES}
    for number, line in enumerate(_FILE.read_text("utf-8").splitlines()):
        language, _, listed = line.partition(":")
        if language in found:
            for word in listed.split(";"):
                found[language].setdefault(fold_term(word), set()).add(number)
    return {language: {word: frozenset(lines) for word, lines in words.items()} for language, words in found.items()}


def are_of_one_family(a: str, b: str, language: str) -> bool:
    """Whether two folded words are of one family, in the language, or in any where it is not known.

    >>> are_of_one_family("stolen", "theft", "en"), are_of_one_family("stolen", "steel", "en")
    (True, False)
    """
    tables = _tables()
    return any(
        not tables[one].get(a, _NONE).isdisjoint(tables[one].get(b, _NONE))
        for one in ((language,) if language in LANGUAGES else LANGUAGES)
    )


_NONE: frozenset[int] = frozenset()


@lru_cache(maxsize=8_192)
def relatives(word: str, language: str) -> tuple[str, ...]:
    """The other words of a word's families."""
    tables = _tables()
    found: set[str] = set()
    for one in (language,) if language in LANGUAGES else LANGUAGES:
        lines = tables[one].get(word, _NONE)
        if lines:
            found.update(other for other, at in tables[one].items() if at & lines)
    return tuple(sorted(found - {word}))
