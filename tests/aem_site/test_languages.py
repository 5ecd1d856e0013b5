"""English, Spanish and Brazilian Portuguese: nothing is missing, and everybody gets their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from aem_site import translations
from annotations.models import Golden, Role
from annotations.services import goldens
from evaluation.aem import language
from tests.factories import (
    make_conversation,
    make_dataset,
    make_member,
    make_project,
    make_report_version,
    make_trajectory,
)
from tests.people import client_of

_ROOT = Path(__file__).resolve().parents[2]


def test_every_text_is_translated_and_compiled() -> None:
    found = translations.texts()
    assert found
    assert translations.faults(found) == []


@pytest.mark.parametrize("folder", ["templates", "static/js", "aem_site", "annotations", "evaluation"])
def test_no_words_for_people_stand_outside_a_translated_text(folder: str) -> None:
    assert list(translations._all_unmarked([_ROOT / folder])) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>Two words</p>", ["Two words"]),
        ('<p title="Two words">{{ name }}</p>', ["Two words"]),
        ('{% translate "Two words" %}{% blocktranslate %}More of {{ them }}{% endblocktranslate %}', []),
        ("{% block width %}narrow{% endblock %}<code>plain code</code>{# a note #}", []),
        ('{{ count }} turn{{ count|pluralize:"a,es" }}', ["a,es", "turn"]),
        ('{% include "x.html" with text="Two words" %}', ["Two words"]),
    ],
)
def test_unmarked_words_of_a_template_are_found(tmp_path: Path, source: str, words: list[str]) -> None:
    path = tmp_path / "page.html"
    path.write_text(source, "utf-8")
    assert sorted(found for _, found in translations.unmarked(path)) == sorted(words)


def test_unmarked_texts_of_python_and_scripts_are_found(tmp_path: Path) -> None:
    python = tmp_path / "some.py"
    python.write_text(
        'raise Wrong(f"{name} is not there")\nmessages.error(request, "Not done.")\n'
        'field(label="Some words", help_text=say("Other words"))\n',
        "utf-8",
    )
    assert [words for _, words in translations.unmarked_python(python)] == ["… is not there", "Not done.", "Some words"]
    script = tmp_path / "some.js"
    script.write_text('banner("Not saved yet");\nbanner(say("Saved it"));\n// "A comment here"\n', "utf-8")
    assert [words for _, words in translations.unmarked_script(script)] == ['"Not saved yet"']


def test_a_catalog_with_another_placeholder_is_refused() -> None:
    from babel.messages.catalog import Message

    faults = [*translations._wrong(Message("{name} is {value}", "{nombre} es {value}"), 2)]
    assert faults == ["'{name} is {value}': other placeholders in '{nombre} es {value}'"]
    assert [*translations._wrong(Message("<b>One</b>", "Uno"), 2)] == ["'<b>One</b>': other elements in 'Uno'"]
    assert [*translations._wrong(Message("One", ""), 2)] == ["'One' is not translated"]
    assert [*translations._wrong(Message("One", "Uno"), 2)] == []


def test_kept_sentences_are_told_again_in_another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    text = language.kept("The address {host} did not answer in {seconds} s.")
    stored = text.format(host="example.org", seconds=3)
    assert language.retold(stored) == stored
    words = {text: "{host} no respondió en {seconds} s."}
    monkeypatch.setattr(language, "_translate", lambda context, one, many, count: words.get(one, one))
    assert language.retold(stored) == "example.org no respondió en 3 s."
    assert language.retold("Something else.") == "Something else."


@pytest.mark.django_db
class TestChoice:
    def test_the_browser_is_asked_and_a_choice_is_kept_with_the_person(self) -> None:
        project = make_project()
        person = make_member(project, Role.OWNER)
        client = client_of(person)
        assert b'<html lang="en">' in client.get(project.get_absolute_url()).content
        asked = client.get(project.get_absolute_url(), headers={"accept-language": "pt"})
        assert b'<html lang="pt-br">' in asked.content
        answer = client.post(reverse("language"), {"language": "es", "next": project.get_absolute_url()})
        assert answer["Location"] == project.get_absolute_url()
        person.refresh_from_db()
        assert person.language == "es"
        elsewhere = client_of(person).get(project.get_absolute_url(), headers={"accept-language": "pt"})
        assert b'<html lang="es">' in elsewhere.content
        assert elsewhere["Content-Language"] == "es"

    def test_it_leads_back_to_the_page_it_was_sent_from(self, client: Client) -> None:
        page = "http://testserver/accounts/login/?next=/p/demo/"
        answer = client.post(reverse("language"), {"language": "es"}, headers={"referer": page})
        assert answer["Location"] == page
        elsewhere = {"referer": "https://elsewhere.example/"}
        assert client.post(reverse("language"), {"language": "es"}, headers=elsewhere)["Location"] == "/"

    def test_before_signing_in_a_cookie_keeps_it(self, client: Client) -> None:
        login = reverse("login")
        client.post(reverse("language"), {"language": "pt-br", "next": login})
        assert b'<html lang="pt-br">' in client.get(login).content

    @pytest.mark.parametrize("to", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", ""])
    def test_it_leads_to_no_other_site(self, client: Client, to: str) -> None:
        answer = client.post(reverse("language"), {"language": "es", "next": to})
        assert answer["Location"] == "/"

    def test_nothing_of_it_is_left_when_a_request_ends(self, client: Client) -> None:
        before = translation.get_language()
        assert b'<html lang="es">' in client.get(reverse("login"), headers={"accept-language": "es"}).content
        assert translation.get_language() == before

    def test_an_unknown_language_changes_nothing(self, client: Client) -> None:
        answer = client.post(reverse("language"), {"language": "xx", "next": "/"})
        assert answer.status_code == 302
        assert not answer.cookies

    def test_the_api_stays_english(self) -> None:
        person = make_member(make_project(), Role.OWNER)
        person.language = "es"
        person.save()
        answer = client_of(person).get("/api/v1/projects/none-such/", headers={"accept-language": "es"})
        assert answer.status_code == 404
        assert "no existe" not in answer.content.decode()
        assert "Content-Language" not in answer


@pytest.mark.django_db
class TestWhatIsKept:
    """Pages are for people; what is stored and exported is the same whoever asks, in whatever language."""

    def test_exports_are_the_same_in_every_language(self) -> None:
        version = make_report_version(2, failing=1)
        owner = make_member(version.dataset.project, Role.OWNER)
        page = reverse("evaluation:export", args=[version.dataset.project.slug, version.dataset.slug])
        for name in ("aem-1", "csv"):
            written = set()
            for code in ("en", "es", "pt-br"):
                owner.language = code
                owner.save()
                response = client_of(owner).get(f"{page}{name}/")
                assert response.status_code == 200
                written.add(response.getvalue())
            assert len(written) == 1

    def test_a_draft_is_stored_alike_in_every_language(self) -> None:
        project = make_project(overlap=3)
        conversation = make_conversation(make_dataset(project))
        trajectory = make_trajectory(conversation)
        stored = []
        for code in ("en", "es", "pt-br"):
            with translation.override(code):
                stored.append(_stored(goldens.start(conversation, make_member(project), trajectory)))
        assert stored[0][3]  # there are suggestions, and each says why
        assert stored[0] == stored[1] == stored[2]


def _stored(golden: Golden) -> tuple[object, ...]:
    turns = [(turn.kind, turn.body, turn.turn_no) for turn in golden.turns.all()]
    suggested = [(one.kind, one.field, one.proposal, one.why) for one in golden.suggestions.order_by("pk")]
    return golden.prefill, golden.extra, turns, suggested
