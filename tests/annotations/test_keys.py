"""The list of actions and their keys: no clash on any page, and every key of every template is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from annotations import keys
from annotations.models import TurnLabel

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
#: Drawn as they are: they are the same for everybody.
FIXED = {"Ctrl ↵", "⌘ ↵", "Esc", "?"}


def sources() -> Iterator[tuple[str, str]]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield str(path.relative_to(TEMPLATES)), path.read_text(encoding="utf-8")


def test_no_two_actions_of_a_page_have_one_key() -> None:
    clashes = [
        f"{one.name} and {other.name}: {one.key}"
        for one, other in combinations(keys.ACTIONS.values(), 2)
        if one.key and one.key == other.key and one.meets(other)
    ]
    assert clashes == []


def test_usual_keys_are_keys_that_somebody_could_choose() -> None:
    assert [action.name for action in keys.ACTIONS.values() if keys.read_key(action.key) != action.key] == []
    assert {page for action in keys.ACTIONS.values() for page in action.pages} == set(keys.PAGES)


def test_templates_draw_and_bind_named_keys_only() -> None:
    """A key written into a template works, but nobody can change it: give its action a name in annotations/keys.py."""
    found = [
        f"{name}: {text}"
        for name, source in sources()
        for text in re.findall(r'data-key="[^"]*"|<kbd>([^<{]*)</kbd>', source)
        if text not in FIXED
    ]
    assert found == []


def test_every_action_stands_in_a_template_and_every_template_names_known_ones() -> None:
    named = {name for _, source in sources() for name in re.findall(r'{% (?:key|kbd) "([^"]+)" %}', source)}
    assert named - set(keys.ACTIONS) == set()
    views = [
        path.read_text(encoding="utf-8")
        for app in ("annotations", "evaluation")
        for path in (ROOT / app).glob("views/*.py")
    ]
    everywhere = "".join([*views, *(source for _, source in sources())])
    given = {name for name in keys.ACTIONS if f'"{name}"' in everywhere}
    made = {f"workbench.suggestion-{digit}" for digit in "123456789"} | {f"verdict.{value}" for value in TurnLabel}
    assert set(keys.ACTIONS) - given - made == set()


class TestBound:
    def test_what_was_chosen_goes_before_the_usual_keys(self) -> None:
        held = keys.bound({"workbench.save": "ö", "workbench.take": ""})
        assert (held["workbench.save"], held["workbench.take"], held["workbench.next"]) == ("ö", "", "j")

    def test_an_action_that_came_later_gives_way(self) -> None:
        held = keys.bound({"workbench.save": "j"})
        assert (held["workbench.save"], held["workbench.next"]) == ("j", "")
        assert held["review.next-turn"] == "j", "on another page the key is free"

    def test_two_choices_that_came_to_meet_leave_the_first(self) -> None:
        held = keys.bound({"workbench.save": "ö", "workbench.take": "ö"})
        assert (held["workbench.save"], held["workbench.take"]) == ("ö", "")

    def test_names_that_are_gone_are_passed_over(self) -> None:
        assert keys.bound({"gone.away": "s"}) == keys.DEFAULTS


class TestReadKey:
    @pytest.mark.parametrize(
        ("pressed", "key"), [("S", "s"), (" é ", "é"), ("E\u0301", "é"), ("7", "7"), ("/", "/"), ("Ж", "ж")]
    )
    def test_letters_are_small_and_composed(self, pressed: str, key: str) -> None:
        assert keys.read_key(pressed) == key

    @pytest.mark.parametrize(
        "pressed", ["", " ", "?", "ab", "Enter", "\u0301", "\u200b", "\x00", "\ud800", "😀😀", "İ"]
    )
    def test_nothing_else_is_a_key(self, pressed: str) -> None:
        with pytest.raises(keys.KeyRefusedError):
            keys.read_key(pressed)
