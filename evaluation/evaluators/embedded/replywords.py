"""The word lists by which replies are read: negators, modals, courtesies, and what replies say in other words."""

import hashlib
import re
from functools import lru_cache

from evaluation.evaluators.embedded.language import plain
from evaluation.evaluators.embedded.vocabulary import DATA, Vocabulary

FOLDER = DATA / "replies"
LANGUAGES = ("en", "es", "pt")
# Looked at beside the general vocabulary, which has no verbs of service desks.
PHRASES = Vocabulary(FOLDER)
# Opposites and contrasts without concepts: what denies a word does not deny all that may be said instead of it.
EXCLUSIONS = Vocabulary(FOLDER / "exclusions")

_SECTION = re.compile(r"\[(\w+)\]")


@lru_cache(maxsize=1)
def _sections() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    section: dict[str, tuple[str, ...]] = {}
    for line in (FOLDER / "words.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if heading := _SECTION.fullmatch(line):
            section = found.setdefault(heading[1], {})
            continue
        language, _, words = line.partition(":")
        section[language] = tuple(plain(word.strip()) for word in words.split(";") if word.strip())
    return found


@lru_cache(maxsize=128)
def words(section: str, language: str) -> frozenset[str]:
    """The single words of a section in a language, plain; of all languages where it is not known."""
    return frozenset(word for word in _listed(section, language) if " " not in word)


@lru_cache(maxsize=128)
def phrases(section: str, language: str) -> tuple[tuple[str, ...], ...]:
    """The words and phrases of a section as token tuples, the longest first."""
    listed = {tuple(word.replace("-", " ").split()) for word in _listed(section, language)}
    return tuple(sorted(listed, key=lambda phrase: (-len(phrase), phrase)))


def _listed(section: str, language: str) -> list[str]:
    lists = _sections()[section]
    languages = (language,) if language in LANGUAGES else LANGUAGES
    return [word for one in (*languages, "xx") for word in lists.get(one, ())]


@lru_cache(maxsize=4)
def relations(language: str) -> tuple[dict[str, int], ...]:
    """Families of small words of which one takes another's place; a word has the number of its member."""
    families = []
    for line in (FOLDER / "relations.txt").read_text("utf-8").splitlines():
        tongue, _, listed = line.partition(":")
        if line.startswith("#") or tongue not in (language, "xx"):
            continue
        members = [member.split(";") for member in listed.split(" / ")]
        families.append({plain(word.strip()): at for at, member in enumerate(members) for word in member})
    return tuple(families)


@lru_cache(maxsize=4)
def families(language: str) -> tuple[dict[tuple[str, ...], int], ...]:
    """Families of small words and phrases of which a sentence has one or another; a phrase has its member's number."""
    found = []
    for line in (FOLDER / "families.txt").read_text("utf-8").splitlines():
        tongue, _, listed = line.partition(":")
        if line.startswith("#") or tongue not in (language, "xx"):
            continue
        members = [member.split(";") for member in listed.split(" / ")]
        found.append({tuple(plain(word).split()): at for at, member in enumerate(members) for word in member})
    return tuple(found)


@lru_cache(maxsize=4)
def forms(language: str) -> dict[str, int]:
    """By form of a verb that is a small word: the number of the verb."""
    found = {}
    for number, line in enumerate((FOLDER / "forms.txt").read_text("utf-8").splitlines()):
        tongue, _, listed = line.partition(":")
        if not line.startswith("#") and tongue == language:
            found.update({plain(word.strip()): number for word in listed.split(";")})
    return found


@lru_cache(maxsize=1)
def _courtesies() -> re.Pattern[str]:
    patterns = []
    for line in (FOLDER / "courtesies.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            patterns.append(line.partition(":")[2].strip())
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


@lru_cache(maxsize=1)
def version() -> str:
    """Twelve hexadecimal digits that change with any word list of replies: their names and their bytes."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.txt")):
        digest.update(path.relative_to(FOLDER).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only greets, thanks, apologises or offers help in general.

    >>> is_courtesy("Is there anything else I can help with?"), is_courtesy("The fee is $5.")
    (True, False)
    """
    bare = plain(sentence).strip(" \n\t.!?¡¿:,;*-")
    if not bare or len(bare) >= 200:
        return False
    if _courtesies().fullmatch(bare) is not None:
        return True
    # "Hello, thanks for your patience" are two courtesies; "Thanks, your bill is lower" is none.
    parts = [part.strip() for part in bare.split(",")]
    return len(parts) > 1 and all(part and _courtesies().fullmatch(part) is not None for part in parts)
