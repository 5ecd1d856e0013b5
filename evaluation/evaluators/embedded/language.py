"""Folding a text character for character, and its words."""

import re
import unicodedata

from evaluation.evaluators.embedded.vocabulary import stem_word

LANGUAGES = ("en", "es", "pt")
_KEPT = {"º", "ª", "°", "²", "³", "½", "¼", "¾", "€", "£", "¥", "µ"}
_PLAIN = {
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("‘’‚‛ʼ′", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys(
        "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t", " "
    ),
    "μ": "µ",
    "ß": "s",
    "ø": "o",
    "ł": "l",
    "ı": "i",
    "Ø": "o",
    "Ł": "l",
}


class _Folding(dict[int, str]):
    """Each character's plain small form, one character for one, so that places in the text stay what they are."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _PLAIN:
            plain = _PLAIN[character]
        elif character in _KEPT:
            plain = character
        elif character.isdecimal():
            plain = str(unicodedata.decimal(character))
        else:
            base = unicodedata.normalize("NFD", character)[0]
            lower = base.lower()
            plain = lower if len(lower) == 1 else base
        self[code] = plain
        return plain


_folding = _Folding()


def plain(text: str) -> str:
    """The text in small letters without accents, with plain dashes, quotes and spaces; as long as the text.

    >>> plain("São Paulo – Época")
    'sao paulo - epoca'
    """
    return text.translate(_folding)


_WORD = re.compile(r"[^\W_]+(?:['.&+#](?=\w)[^\W_]+)*[+#]*", re.UNICODE)
_DIACRITIC = re.compile(r"[\u0300-\u036f]")


def words_of(text: str) -> list[str]:
    """The words of a text, plain; a word keeps an apostrophe, point or ampersand inside it.

    >>> words_of("Customers' PG&E bill, U.S.")
    ['customers', 'pg&e', 'bill', 'u.s']
    """
    return _WORD.findall(plain(_DIACRITIC.sub("", text)))


def stem(word: str, language: str) -> str:
    """The stem of a plain word in a language; the word itself for a language that is not known."""
    return stem_word(word, language) if language in LANGUAGES else word
