"""Every page in a language that puts each text in brackets: what stands outside of them is data, or was forgotten."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import models
from django.test import Client
from django.utils import translation

from annotations.models import Project, Role, User
from annotations.models.fields import ExactJSONField
from evaluation.formats import jsonio
from tests.people import client_of
from tests.world import RULES, make_world

_SPOKEN = frozenset(
    {
        "title",
        "placeholder",
        "alt",
        "aria-label",
        "aria-description",
        "data-key-label",
        "data-key-group",
        "data-confirm",
    }
)
_SILENT = frozenset({"script", "style", "code", "kbd", "pre", "samp", "textarea"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "br", "code", "del", "em", "i", "ins", "kbd", "mark", "samp", "small", "span", "strong"}
    | {"input", "sub", "sup", "time", "u", "wbr", "q"}
)
_PROSE = frozenset({"markdown", "lines"})
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"})
_WORD = re.compile(r"[^\W\d_]{2,}")
#: The same in every language: the product, formats, units, languages by their own names.
_SAME = frozenset(
    "AEM Workbench JSON CSV JSONL API URL HTML UTC Markdown English Español Português Brasil ms kB MB Celery Redis "
    "SQLite PostgreSQL Esc Ctrl Enter Tab Shift OpenAI Spearman Pearson Kendall Cohen Fleiss Krippendorff kappa "
    "alpha tau rho exact embedded judge true false null linear unweighted aem jsonl json csv tau-bench "
    "LangSmith https".casefold().split()
)


class _Reader(HTMLParser):
    """Collects texts that stand in no bracket, with the element they stand in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.depth = 0
        self.open: list[str] = []
        self.names: list[str] = []
        self.found: list[str] = []
        self.piece = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._boundary(tag)
        values = dict(attrs)
        for name in _SPOKEN:
            self._look(outside(values.get(name) or ""))
        if tag == "input" and values.get("type") in {"submit", "button"}:
            self._look(outside(values.get("value") or ""))
        if tag not in _VOID:
            # What people wrote as prose is nobody's to translate.
            is_prose = not _PROSE.isdisjoint((values.get("class") or "").split())
            self.open.append("pre" if is_prose else tag)
            self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._boundary(tag)
        while self.names and self.names.pop() != tag:
            self.open.pop()
        if self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if _SILENT.isdisjoint(self.open):
            left, self.depth = _outside(data, self.depth)
            self.piece += left
        elif self.depth == 0:
            self.piece += "\n"

    def _boundary(self, tag: str) -> None:
        self._look(self.piece)
        self.piece = ""
        if tag not in _INLINE:
            self.depth = 0

    def _look(self, text: str) -> None:
        self.found += [" ".join(piece.split()) for piece in text.split("\n") if _WORD.search(piece)]


def outside(text: str) -> str:
    return _outside(text, 0)[0]


def _outside(text: str, depth: int) -> tuple[str, int]:
    left = []
    for sign in text:
        if sign == "⟦":
            depth += 1
            left.append("\n")
        elif sign == "⟧":
            depth = max(0, depth - 1)
            left.append("\n")
        elif depth == 0:
            left.append(sign)
    return "".join(left), depth


def untranslated(page: str) -> list[str]:
    """The texts of a page that no translation reached; data among them."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.found


class Data:
    """Everything that stands in the database: what a page shows of it needs no translation."""

    def __init__(self) -> None:
        self.leaves: set[str] = set()
        for model in apps.get_models():
            if model.__module__.startswith("django."):
                continue
            columns = [
                column.attname
                for column in model._meta.concrete_fields
                if isinstance(column, models.CharField | models.TextField | models.JSONField | ExactJSONField)
                and not column.choices
            ]
            for row in model._default_manager.values_list(*columns) if columns else ():
                for value in row:
                    self._add(value)
        self.text = "\n".join(self.leaves)

    def _add(self, value: Any) -> None:
        if isinstance(value, str):
            self.leaves.add(_plain(value))
            if value[:1] in "[{":
                with suppress(jsonio.JsonError):
                    self._add(jsonio.loads(value))
        elif isinstance(value, dict):
            for key, part in value.items():
                self._add(str(key))
                self._add(part)
            self.leaves.add(_plain(jsonio.dumps(value)))
        elif isinstance(value, list):
            for part in value:
                self._add(part)
            self.leaves.add(_plain(jsonio.dumps(value)))

    def has(self, piece: str) -> bool:
        """Whether a text of a page is data, a part of data, or so written that it is no word of a language."""
        parts = re.split(r"[·/|]", _SCORER.sub("", _DATE.sub("", piece)))
        return self._has(piece) or all(
            self._has(part) or all(self._has(bit) for bit in re.split(r", |: ", part)) for part in parts
        )

    def _has(self, piece: str) -> bool:
        text = _plain(_VERSION.sub("", piece.strip()))
        if text in self.leaves or (len(text) >= 12 and text in self.text):
            return True
        words = [word for word in re.findall(r"[\w.$@/\[\]-]+", piece) if _WORD.search(word)]
        return all(_is_no_word(word) or _plain(word) in _SAME or self._is_name(word) for word in words)

    def _is_name(self, word: str) -> bool:
        return _plain(word.strip(".-[]/")) in self.leaves


#: What a scorer is made of, as a run keeps it: the name of a version, not a sentence.
_SCORER = re.compile(r"rules \d+, lists \w+, vocabulary \w+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?")
_VERSION = re.compile(r" v\d+$")


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" .,:;·…“”\"'()→✓✗◇●○↺↪⚑").casefold()


def _is_no_word(word: str) -> bool:
    return bool(re.search(r"[\d_$@]|[a-z][A-Z]|\w\.\w", word))


@pytest.fixture
def brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text that is put into a language comes out in brackets."""
    trans = translation._trans  # type: ignore[attr-defined]  # what Django itself asks

    def gettext(text: str) -> str:
        return f"⟦{text}⟧" if text else ""

    def ngettext(one: str, many: str, number: float) -> str:
        return f"⟦{one if number == 1 else many}⟧"

    translation.gettext("")  # the real ones are there before they are replaced
    for name in ("pgettext", "npgettext", "ngettext"):
        getattr(trans, name)
    monkeypatch.setattr(trans, "gettext", gettext)
    monkeypatch.setattr(trans, "ngettext", ngettext)
    monkeypatch.setattr(trans, "pgettext", lambda context, text: gettext(text))
    monkeypatch.setattr(trans, "npgettext", lambda context, one, many, number: ngettext(one, many, number))
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)  # refusals are part of the walk


def _read(client: Client, url: str) -> tuple[str, str]:
    response = client.get(url, headers={"accept-language": "en"})
    kind = response.headers.get("Content-Type", "")
    if response.status_code not in {200, 403, 404, 409, 422} or not kind.startswith("text/html"):
        return "", response.headers.get("Location", "")
    parts = response.streaming_content if response.streaming else [response.content]  # type: ignore[attr-defined]
    return b"".join(parts).decode(), ""


def _require_none_forgotten(pages: dict[str, str], data: Data) -> None:
    """Fails with each text once and the first page that shows it."""
    found: dict[str, str] = {}
    for url, page in pages.items():
        for piece in untranslated(page):
            if not data.has(piece):
                found.setdefault(piece, url)
    if found:
        pytest.fail("\n".join(sorted(f"{url}: {piece}" for piece, url in found.items())), pytrace=False)


@pytest.mark.django_db
@pytest.mark.usefixtures("brackets")
def test_every_address_shows_no_untranslated_words() -> None:
    world = make_world()
    data = Data()
    pages: dict[str, str] = {}
    for role in (Role.OWNER, Role.ANNOTATOR, Role.ADJUDICATOR):
        client = client_of(world.cast[role])
        for name, rule in RULES.items():
            if rule.get is not None:
                pages[f"{name} ({role})"] = _read(client, world.url_of(name))[0]
    assert sum(1 for page in pages.values() if page) > 100
    _require_none_forgotten(pages, data)


@pytest.mark.django_db
@pytest.mark.usefixtures("brackets")
def test_the_demo_shows_no_untranslated_words_wherever_a_link_leads() -> None:
    call_command("load_demo", verbosity=0)
    data = Data()
    pages: dict[str, str] = {}
    for person in User.objects.filter(is_demo=True, username__in=("ana", "carla", "olga")):
        pages |= {f"{url} ({person.username})": page for url, page in _crawled(client_of(person))}
    assert len(pages) > 100
    _require_none_forgotten(pages, data)


def _crawled(client: Client, most: int = 250) -> Iterator[tuple[str, str]]:
    start = [project.get_absolute_url() for project in Project.objects.all()] + ["/", "/account/", "/account/keys/"]
    queue, seen = deque(start), set(start)
    kinds: dict[str, int] = {}
    while queue and len(seen) < 5000 and most:
        url = queue.popleft()
        page, moved = _read(client, url)
        most -= 1
        links = re.findall(r'(?:href|hx-get)="([^"#]+)"', page) + ([moved] if moved else [])
        if page:
            yield url, page
        for link in links:
            to = urldefrag(urljoin(url, link.replace("&amp;", "&")))[0]
            parts = urlsplit(to)
            if parts.netloc or parts.path.startswith(("/static/", "/api/", "/accounts/logout")) or to in seen:
                continue
            # Enough of one kind: pages of one address differ by their rows.
            kind = re.sub(r"\d+|[0-9a-f]{8,}", "#", parts.path) + re.sub(r"=[^&]*", "", parts.query)
            kinds[kind] = kinds.get(kind, 0) + 1
            if kinds[kind] <= 3:
                seen.add(to)
                queue.append(to)


def test_the_walk_finds_what_was_forgotten() -> None:
    page = '<p title="Some words">⟦Saved <b>now</b>⟧ and more</p><ul><li>⟦One⟧ two</li></ul><code>plain code</code>'
    assert untranslated(page) == ["Some words", "and more", "two"]
