"""Sentences in the language of whom they are for.

The engine and everything pure writes English and knows no framework: a sentence is the English text with named
placeholders, and whoever shows it says with :func:`use` how a text is put into another language. Without that, in
workers, commands and plain use as a library, every sentence stays English.

``say``, ``say_in``, ``say_n``, ``mark`` and ``kept`` are what ``python -m aem_site.translations`` looks for: their
first argument is a plain literal there, never an f-string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

#: ``(context, one, many, count) -> text``; ``context`` is "", ``many`` None and ``count`` None where there are none.
Translator = Callable[[str, str, str | None, int | None], str]
_Shown = Mapping[str, Callable[[str], str]]


def _english(context: str, one: str, many: str | None, count: int | None) -> str:
    return one if many is None or count == 1 else many


_translate: Translator = _english
_kept: set[str] = set()
#: The placeholders whose values are kept texts themselves.
_TOLD = frozenset({"why", "label", "listed"})
#: What values look like, where the words around them are few.
_SHAPES = {"iata": "[A-Z]{3}", "label": "[^:;]+"}
_ENDS = re.compile(r"(?<=[.!?]) (?=\S)")


def use(translator: Translator | None) -> None:
    """Puts every later sentence into the language that ``translator`` speaks when it is asked; None: English."""
    global _translate  # noqa: PLW0603 - one for the process, which asks for the language of the request itself
    _translate = translator or _english


def say(text: str, /, **values: object) -> str:
    """A sentence in the reader's language, its ``{placeholders}`` filled in.

    >>> say("{name} is required and was left out.", name="region")
    'region is required and was left out.'
    """
    return _filled(_translate("", text, None, None), text, values)


def say_in(context: str, text: str, /, **values: object) -> str:
    """As :func:`say`, for a text that is too short to be clear: ``context`` tells the translator what it is about."""
    return _filled(_translate(context, text, None, None), text, values)


def say_n(one: str, many: str, count: int, /, **values: object) -> str:
    """As :func:`say`, by a number, which is ``{count}`` in the texts.

    >>> say_n("{count} turn", "{count} turns", 1), say_n("{count} turn", "{count} turns", 2)
    ('1 turn', '2 turns')
    """
    values = {"count": count, **values}
    return _filled(_translate("", one, many, count), one if count == 1 else many, values)


def mark(text: str) -> str:
    """The text as it is: it is shown through ``say(variable)`` somewhere else."""
    return text


def kept(text: str) -> str:
    """A text that is stored in English, once ``.format`` has filled it in, and shown through :func:`retold`."""
    _kept.add(text)
    _openings.cache_clear()
    return text


def retold(stored: str, **shown: Callable[[str], str]) -> str:
    """A stored sentence in the reader's language: one of the kept texts, filled in; any other comes back unchanged.

    Several kept sentences in a row are told one by one. What stands for ``{why}``, ``{label}`` or ``{listed}`` is told
    again itself; so is what comes behind the name of a field.

    ``shown`` puts a value into words first, by the name of its placeholder, where a value was stored in English too.

    >>> _ = kept("The address {host} did not answer."); retold("The address example.org did not answer.")
    'The address example.org did not answer.'
    """
    if _translate is _english:
        return stored
    told = _again(stored, shown)
    return stored if told is None else told


def _again(stored: str, shown: _Shown) -> str | None:
    """What is known, told again; None for what is not."""
    if stored in _kept:
        return say(stored)
    for end in _ENDS.finditer(stored):
        head = _one_again(stored[: end.start()], shown, is_last=False)
        rest = None if head is None else _again(stored[end.end() :], shown)
        if rest is not None:
            return f"{head} {rest}"
    told = _one_again(stored, shown)
    field, colon, rest = stored.partition(": ")
    if told is None and colon and " " not in field:
        told = _again(rest, shown)
        told = told and f"{field}: {told}"
    return told


def _one_again(stored: str, shown: _Shown, *, is_last: bool = True) -> str | None:
    if stored in _kept:
        return say(stored)
    for text, opening in _openings():
        if not is_last and text.endswith("}"):
            continue  # it has no end: the sentences behind it are a part of its value
        found = _pattern(text).fullmatch(stored) if stored.startswith(opening) else None
        if found:
            values = found.groupdict()
            told = {name: _nested(value, shown) for name, value in values.items() if name in _TOLD}
            told |= {name: put(values[name]) for name, put in shown.items() if name in values}
            return say(text, **values | told)
    return None


def _nested(value: str, shown: _Shown) -> str:
    """A part of a sentence, which may be kept with its full stop."""
    told = _again(value, shown)
    if told is None:
        told = _again(f"{value}.", shown)
        told = told and told.removesuffix(".")
    return value if told is None else told


@cache
def _openings() -> list[tuple[str, str]]:
    """The texts with values in them, the longest first, each with the words that it begins with."""
    texts = sorted((text for text in _kept if "{" in text), key=lambda text: (-len(text), text))
    return [(text, text.partition("{")[0]) for text in texts]


@cache
def _pattern(text: str) -> re.Pattern[str]:
    parts, seen = [], set()
    for piece in re.split(r"(\{[^{}]*\})", text):
        name = re.match(r"\{(\w+)", piece)
        if name is None:
            parts.append(re.escape(piece))
        elif name[1] in seen:
            parts.append(f"(?P={name[1]})")
        else:
            seen.add(name[1])
            parts.append(f"(?P<{name[1]}>{_SHAPES.get(name[1], '.*?')})")
    return re.compile("".join(parts), re.DOTALL)


def _filled(translated: str, text: str, values: dict[str, Any]) -> str:
    if not values:
        return translated
    try:
        return translated.format_map(values)
    except (KeyError, IndexError, ValueError):
        return text.format_map(values)  # a translation that cannot be filled in is worse than English


__all__ = ["Translator", "kept", "mark", "retold", "say", "say_in", "say_n", "use"]
