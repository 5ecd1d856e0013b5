"""`python -m aem_site.translations`: the catalogs of the languages, without any program beside Python.

    update          reads every text out of templates, Python and scripts into the catalogs, and compiles them
    compile         compiles the catalogs as they are
    check           says what is missing, out of date or wrong; exit code 1 when there is anything
    words [PATH…]   words in templates, scripts and Python that no translation can reach, as far as can be told

Texts of scripts are those of ``say("…")`` in static/js; see docs/translating.md.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

from babel.messages import pofile
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_javascript
from babel.messages.mofile import write_mo

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "aem_site" / "locale"
_BEGUN = datetime(2026, 12, 1, tzinfo=UTC)  # a date that changed with each update would make every two differ
_PLURALS = {"es": "nplurals=2; plural=(n != 1);", "pt_BR": "nplurals=2; plural=(n > 1);"}
LANGUAGES = {"es": "Spanish", "pt_BR": "Brazilian Portuguese"}
SCRIPTS = LOCALES / "scripts.json"  # the texts of scripts, for pages to bring them along translated
APPS = ("aem_site", "annotations", "evaluation")

#: What marks a text, and its arguments: c is the context, 1 the text, n its plural.
KEYWORDS = {
    "say": "1",
    "say_in": "c1",
    "say_n": "1n",
    "mark": "1",
    "kept": "1",
    "phrase": "1",
    "phrase_in": "c1",
    "_": "1",
    "gettext": "1",
    "gettext_noop": "1",
    "gettext_lazy": "1",
    "ngettext": "1n",
    "ngettext_lazy": "1n",
    "pgettext": "c1",
    "pgettext_lazy": "c1",
    "npgettext": "c1n",
}
_SOURCES = frozenset({"evaluation.aem.language", "annotations.sentences", "django.utils.translation"})
_LITERAL_TEXT = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL = re.compile(rf"\b(n?p?gettext|_)\(\s*({_LITERAL_TEXT}(?:\s*,\s*{_LITERAL_TEXT})*)")
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|\{(\w*)(?:![rsa])?(?::[^{}]*)?\}")
_ELEMENT = re.compile(r"</?([a-z][a-z0-9]*)")


@dataclass(frozen=True, slots=True)
class Text:
    """One text to be translated. ``many`` is its plural, ``context`` says what it is about; both may be empty."""

    context: str
    one: str
    many: str
    path: str

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.one


# --- what there is to translate -----------------------------------------------------------------------------------


def texts() -> list[Text]:
    """Every marked text of templates, Python and scripts, by place."""
    found: list[Text] = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                found += _of_python(path)
    for path in sorted((ROOT / "templates").rglob("*.html")):
        found += _of_template(path)
    return found + _of_scripts()


def script_texts() -> list[str]:
    """The texts of ``say("…")`` in static/js, in their order."""
    return list(dict.fromkeys(text.one for text in _of_scripts()))


def _scripts_file() -> str:
    return json.dumps(script_texts(), ensure_ascii=False, indent=1) + "\n"


def _of_python(path: Path) -> Iterator[Text]:
    tree = ast.parse(path.read_text("utf-8"))
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _SOURCES:
            names |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in KEYWORDS}
    place = _place(path)
    if place.removesuffix(".py").replace("/", ".") in _SOURCES:  # what it defines, it calls without an import
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        names |= {name: name for name in own & KEYWORDS.keys()}
    if not names:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in names:
            continue
        spec = KEYWORDS[names[node.func.id]]
        given = [part.value if isinstance(part, ast.Constant) else part for part in node.args[: len(spec)]]
        if any(isinstance(part, ast.JoinedStr) for part in given):
            raise SystemExit(f"{place}:{node.lineno}: {node.func.id}() of an f-string; name its values instead")
        if given and isinstance(given[-1], str):
            yield _text(spec, given, f"{place}:{node.lineno}", place)


def _of_template(path: Path) -> Iterator[Text]:
    from django.conf import settings  # noqa: PLC0415 - the tool itself needs no site

    if not settings.configured:
        settings.configure(USE_I18N=True)
    from django.utils.translation.template import templatize  # noqa: PLC0415

    place = _place(path)
    for found in _CALL.finditer(templatize(path.read_text("utf-8"), origin=str(path))):
        yield _text(KEYWORDS[found[1]], ast.literal_eval(f"[{found[2]}]"), place, place)


def _of_scripts() -> list[Text]:
    found = []
    for path in sorted((ROOT / "static" / "js").glob("*.js")):
        given: Any  # one text, or a list of them
        for _line, _name, given, _comments in extract_javascript(io.BytesIO(path.read_bytes()), {"say": None}, [], {}):
            text = given if isinstance(given, str) else given[0]
            if text:
                found.append(Text("", text, "", _place(path)))
    return found


def _text(spec: str, given: list[Any], where: str, place: str) -> Text:
    if len(given) < len(spec) or not all(isinstance(part, str) for part in given):
        raise SystemExit(f"{where}: {given!r} is not what can be translated: plain texts, all of them")
    parts = dict(zip(spec, given, strict=False))
    return Text(parts.get("c", ""), parts["1"], parts.get("n", ""), place)


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- catalogs -----------------------------------------------------------------------------------------------------


def read(language: str) -> Catalog:
    """The catalog of a language; an empty one where there is none yet."""
    path = LOCALES / language / "LC_MESSAGES" / "django.po"
    if not path.exists():
        return _empty(language)
    with path.open("rb") as file:
        return pofile.read_po(file, locale=language, domain="django")


def _empty(language: str) -> Catalog:
    catalog = Catalog(
        locale=language,
        domain="django",
        project="AEM Workbench",
        version="1",
        fuzzy=False,
        header_comment=f"# {LANGUAGES[language]}. Written by `python -m aem_site.translations update`.",
        creation_date=_BEGUN,
        revision_date=_BEGUN,
        last_translator="",
        language_team="",
        msgid_bugs_address="",
    )
    # One and many, as everywhere here; millions have a form of their own in newer tables, which nothing here needs.
    catalog.mime_headers = [("Plural-Forms", _PLURALS[language])]
    return catalog


def updated(language: str, found: Iterable[Text]) -> Catalog:
    """The catalog with exactly the texts ``found``, and the translations that there were."""
    old, new = read(language), _empty(language)
    for text in found:
        known = old.get(text.one, text.context or None)
        translated: Any = ""
        if known is not None:
            translated = known.string
            if isinstance(translated, str) and text.many:
                translated = (translated,) * new.num_plurals if not known.pluralizable else ""
            elif not isinstance(translated, str) and not text.many:
                translated = translated[0]
        ident: Any = (text.one, text.many) if text.many else text.one
        new.add(ident, translated, locations=[(text.path, 0)], context=text.context or None)
    return new


def write(language: str, catalog: Catalog) -> None:
    folder = LOCALES / language / "LC_MESSAGES"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "django.po").open("wb") as file:
        pofile.write_po(file, catalog, width=120, include_lineno=False, sort_by_file=False)
    compile_one(language)


def compiled(language: str) -> bytes:
    stream = io.BytesIO()
    write_mo(stream, read(language))
    return stream.getvalue()


def compile_one(language: str) -> None:
    (LOCALES / language / "LC_MESSAGES" / "django.mo").write_bytes(compiled(language))


def faults(found: Iterable[Text]) -> list[str]:
    """What is wrong with the catalogs, a line each."""
    found = list(found)
    stale = SCRIPTS.read_text("utf-8") != _scripts_file()
    first = ["scripts.json is not what the scripts say; run the update"] if stale else []
    return first + [fault for language in LANGUAGES for fault in _faults(language, found)]


def _faults(language: str, found: list[Text]) -> Iterator[str]:
    catalog = read(language)
    plurals: dict[tuple[str, str], str] = {}
    for text in found:
        if plurals.setdefault(text.key, text.many) != text.many:
            yield f"{text.path}: {text.one!r} has two plurals, or one and none; give one of them a context"
        message = catalog.get(text.one, text.context or None)
        if message is None:
            yield f"{language}: {text.path}: {text.one!r} is not in the catalog; run the update"
    known = {text.key for text in found}
    for message in catalog:
        if not message.id:
            continue
        one = message.id if isinstance(message.id, str) else message.id[0]
        if (message.context or "", one) not in known:
            yield f"{language}: {one!r} is in the catalog, and nowhere else; run the update"
        yield from (f"{language}: {fault}" for fault in _wrong(message, catalog.num_plurals))
    mo = LOCALES / language / "LC_MESSAGES" / "django.mo"
    if not mo.exists() or mo.read_bytes() != compiled(language):
        yield f"{language}: django.mo is not what django.po says; run the compile"


def _wrong(message: Message, plurals: int) -> Iterator[str]:
    sources = [message.id] if isinstance(message.id, str) else list(message.id)
    strings = _strings(message)
    if not all(strings) or (len(sources) > 1 and len(strings) != plurals):
        yield f"{sources[0]!r} is not translated"
        return
    if message.fuzzy:
        yield f"{sources[0]!r} is marked as unsure"
    wanted = set.union(*(placeholders(source) for source in sources))
    for string in strings:
        given = placeholders(string)
        # A singular may leave out its number.
        if (
            given - wanted
            or (len(sources) == 1 and wanted - given)
            or (len(sources) > 1 and wanted - given - {"count"} - _counts(sources))
        ):
            yield f"{sources[0]!r}: other placeholders in {string!r}"
        if sorted(_ELEMENT.findall(string)) != sorted(_ELEMENT.findall(sources[-1])) and sorted(
            _ELEMENT.findall(string)
        ) != sorted(_ELEMENT.findall(sources[0])):
            yield f"{sources[0]!r}: other elements in {string!r}"
        if (string[:1].isspace(), string[-1:].isspace()) != (sources[0][:1].isspace(), sources[0][-1:].isspace()):
            yield f"{sources[0]!r}: other blanks at the ends of {string!r}"


def _strings(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or [""])


def _counts(sources: list[str]) -> set[str]:
    """Placeholders that only one of singular and plural has: the number itself."""
    return placeholders(sources[0]) ^ placeholders(sources[-1])


def placeholders(text: str) -> set[str]:
    """The names of ``%(name)s`` and ``{name}`` in a text."""
    return {found[1] or found[2] or "" for found in _PLACEHOLDER.finditer(text)}


# --- words that no translation reaches ----------------------------------------------------------------------------

_COMMENT = re.compile(r"\{#.*?#\}|\{%\s*comment\b.*?\{%\s*endcomment\s*%\}|<!--.*?-->", re.DOTALL)
_TRANSLATED = re.compile(r"\{%\s*blocktrans(?:late)?\b.*?\{%\s*endblocktrans(?:late)?\s*%\}", re.DOTALL)
_SPOKEN = re.compile(
    r"""\b(?:title|placeholder|alt|aria-label|aria-description|aria-roledescription|data-key-label|data-confirm|label|summary)="([^"]*)\""""
)
_SETTING = re.compile(
    r"(\{%\s*block (?:width|lang|body_attributes|styles|scripts)\b\s*%\}).*?(\{%\s*endblock)", re.DOTALL
)
_SILENT = re.compile(r"<(script|style|code|kbd|pre|samp)\b[^>]*>.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?:^|\s)(?:hx|data|aria)-[a-z-]+=\"[^\"]*\"")
_VARIABLE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_BLOCK = re.compile(r"\{%.*?%\}", re.DOTALL)
#: What begins with a sign goes on a name or an address.
_LITERAL = re.compile(r"\|(?:yesno|pluralize|default|default_if_none|add):\"((?![-?])[^\"]*[^\W\d_]{2}[^\"]*)\"")
_WITH = re.compile(r"\b\w+=\"([^\"]*[^\W\d_]{2} [^\"]*)\"")
_WORD = re.compile(r"[^\W\d_]{2,}")
#: The names of the product and of formats, the same in every language.
SAME = frozenset(
    {"AEM", "Workbench", "JSON", "CSV", "JSONL", "API", "HTML", "Markdown", "UTC", "Esc", "Ctrl", "Enter", "URL", "SHA"}
)


def unmarked(path: Path) -> list[tuple[int, str]]:
    """Words of a template that stand in no translated text: line, words."""
    source = path.read_text("utf-8")
    hidden = _COMMENT.sub(_blank, source)
    hidden = _SETTING.sub(_blank, _TRANSLATED.sub(_blank, hidden))
    found: list[tuple[int, str]] = []

    def look(at: int, text: str) -> None:
        words = [word for word in _WORD.findall(text) if word not in SAME]
        if words:
            found.append((source.count("\n", 0, at) + 1, " ".join(text.split())))

    for block in _BLOCK.finditer(hidden):
        name = block[0][2:].split()[0]
        if name in {"include", "with"}:
            for given in _WITH.finditer(block[0]):
                look(block.start(), given[1])
    for literal in _LITERAL.finditer(hidden):
        look(literal.start(), literal[1])
    hidden = _VARIABLE.sub(_blank, _BLOCK.sub(_blank, hidden))
    for spoken in _SPOKEN.finditer(hidden):
        look(spoken.start(1), unescape(spoken[1]))
    # Attributes of a tag that another template writes: `hx-post="" hx-target="#form"`.
    hidden = _ATTRIBUTE.sub(_blank, _TAG.sub(_split, _SILENT.sub(_blank, hidden)))
    for text in re.finditer(r"[^\x00]+", hidden):
        look(text.start() + len(text[0]) - len(text[0].lstrip()), unescape(text[0]))
    return sorted(set(found))


_SAYING = frozenset({"success", "error", "warning", "info", "add_error", "Part"})
_SAID = frozenset({"label", "help_text", "empty_label", "verbose_name"})
#: Errors that no page shows: they tell of a fault in the program or its settings.
_OF_PROGRAMMERS = frozenset(
    {"AssertionError", "CommandError", "ImproperlyConfigured", "KeyError", "LookupError", "NotImplementedError"}
    | {"RuntimeError", "SystemExit", "TemplateSyntaxError", "TimeoutError", "TypeError", "ValueError"}
)
#: Who reads these reads English: programs that use the API, administrators at a command line, developers (models
#: explain their columns); and demo data is data.
_ENGLISH = frozenset({"api", "management", "demo", "migrations", "models", "aem_site"})
#: Errors of the engine are English, and told again where a page shows them (`evaluation/formats/words.py`).
_TOLD_AGAIN = ("evaluation/aem/",)
_OF_COMMANDS = ("evaluation/evaluators/judge_bench.py", "evaluation/formats/scoring_cli.py")
_LOGS = frozenset({"log", "logger", "logging"})
_SENTENCE = re.compile(r"[^\W\d_]{2,}[,;:]? [^\W\d_]+")


def unmarked_python(path: Path) -> list[tuple[int, str]]:
    """Texts for people in Python that are not marked, where it can be told: errors raised, messages, labels, parts."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        said: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            said = [] if _name(node.exc.func) in _OF_PROGRAMMERS or _name(node.exc.func).islower() else [*node.exc.args]
        elif isinstance(node, ast.Call):
            is_said = isinstance(node.func, ast.Attribute) or _name(node.func) == "Part"
            said = [*node.args] if is_said and _name(node.func) in _SAYING else []
            said += [keyword.value for keyword in node.keywords if keyword.arg in _SAID]
        for part in said:
            words = _written(part)
            if _SENTENCE.search(words):
                found.append((part.lineno, words))
    return sorted(set(found))


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return "" if getattr(function.value, "id", "") in _LOGS else function.attr
    return getattr(function, "id", "")


def _written(node: ast.expr) -> str:
    """The words of a text that is written out, with … for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_written(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _written(node.left) + _written(node.right)
    if isinstance(node, ast.IfExp):
        return f"{_written(node.body)} / {_written(node.orelse)}"
    return ""


#: What browsers call keys and elements.
_SCRIPT_SAME = frozenset(
    {"AltGraph", "Backspace", "CapsLock", "Dead", "Delete", "Enter", "Escape", "Home", "Shift", "Tab", "Table"}
)
_SCRIPT_TEXT = re.compile(r"""(?<![\w$])(say\(\s*)?("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)""")


def unmarked_script(path: Path) -> list[tuple[int, str]]:
    """Texts of a script that look like words for people and do not stand in ``say()``."""
    source = re.sub(r"(?m:^|(?<=[;{}]))\s*//[^\n]*|/\*(?s:.*?)\*/", _blank, path.read_text("utf-8"))
    return [
        (source.count("\n", 0, found.start()) + 1, found[2])
        for found in _SCRIPT_TEXT.finditer(source)
        if not found[1]
        and found[2][1:-1] not in _SCRIPT_SAME
        and re.search(r"(?:[^\W\d_]+[,;:.]? ){2}[^\W\d_]+|^.\W*[A-Z][a-z]{2,}|[^\W\d_]{2,}[,.:] ?.$", found[2])
        and not re.search(r"[\[\]#=/{]|use strict|Content-|^.X-|HX-|^.[a-z]+-[a-z]+:.$", found[2])
    ]


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _split(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "\x00", found[0])


# --- the command --------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m aem_site.translations", description="The catalogs of the languages."
    )
    parser.add_argument("what", choices=("update", "compile", "check", "words"))
    parser.add_argument("paths", nargs="*", type=Path, help="templates, for `words`; without any: all")
    given = parser.parse_args(arguments)
    if given.what == "update":
        found = texts()
        SCRIPTS.write_text(_scripts_file(), "utf-8")
        for language in LANGUAGES:
            catalog = updated(language, found)
            write(language, catalog)
            missing = sum(1 for message in catalog if message.id and not _is_translated(message))
            print(f"{language}: {len(catalog)} texts, {missing} not translated")
        return 0
    if given.what == "compile":
        for language in LANGUAGES:
            compile_one(language)
        return 0
    lines = faults(texts()) if given.what == "check" else list(_all_unmarked(given.paths))
    print("\n".join(lines) or "nothing")
    return 1 if lines else 0


def _is_translated(message: Message) -> bool:
    return all(_strings(message))


_READERS = {".html": unmarked, ".py": unmarked_python, ".js": unmarked_script}


def _all_unmarked(paths: list[Path]) -> Iterator[str]:
    files: list[Path] = []
    for path in paths or [ROOT / "templates", ROOT / "static" / "js", *(ROOT / app for app in APPS)]:
        files += sorted(each for each in path.rglob("*") if each.suffix in _READERS) if path.is_dir() else [path]
    for path in files:
        if not _ENGLISH.isdisjoint(path.parts) or _place(path.resolve()).startswith(_TOLD_AGAIN + _OF_COMMANDS):
            continue
        for line, words in _READERS[path.suffix](path.resolve()):
            yield f"{path.resolve().relative_to(ROOT)}:{line}: {words}"


if __name__ == "__main__":
    sys.exit(main())
