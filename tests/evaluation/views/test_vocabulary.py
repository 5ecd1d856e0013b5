"""The page of a project's vocabulary: entries, numbers, files, and a pair looked up."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotations.models import Project, Role
from evaluation.evaluators.registry import EVALUATORS, Extra
from evaluation.formats import jsonio
from evaluation.models import Vocabulary
from evaluation.services import lessons, vocabularies
from tests.evaluation.services.test_lessons import PLACE, booked, booking_run, first
from tests.factories import make_member, make_project
from tests.people import cast_of, client_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
ENTRY = {"part": "equal", "terms": "Gold plan\nPremium", "others": "", "field": "", "reason": "", "seen_number": "0"}


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=True)


@pytest.fixture
def client(project: Project) -> Client:
    return client_of(make_member(project, Role.ENGINEER))


def url(project: Project, name: str = "", *parts: Any) -> str:
    return reverse(f"evaluation:vocabulary{f'-{name}' if name else ''}", args=[project.slug, *parts])


def text_of(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def newest(project: Project) -> Vocabulary:
    found = vocabularies.latest(project)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("who", "status"), [("annotator", 403), ("adjudicator", 200), ("engineer", 200), ("owner", 200), ("stranger", 404)]
)
def test_who_sees_and_edits_it(project: Project, who: str, status: int) -> None:
    client = client_of(cast_of(project)[who])
    assert client.get(url(project)).status_code == status
    assert client.post(url(project, "add"), ENTRY).status_code == (302 if status == 200 else status)
    assert client.post(url(project, "look"), {}).status_code == (422 if status == 200 else status)
    if status == 403:
        for page in ("evaluation:run-list", "evaluation:project-detail"):
            assert "vocabulary" not in client.get(reverse(page, args=[project.slug])).content.decode().lower()


def test_entries_are_added_in_plain_fields(project: Project, client: Client) -> None:
    assert "Nothing added yet" in text_of(client.get(url(project)))
    sent: list[dict[str, str]] = [
        ENTRY,
        {**ENTRY, "part": "different", "terms": "damaged; defective", "field": "reason"},
        {**ENTRY, "part": "opposites", "terms": "escalate", "others": "close\r\ndrop"},
        {**ENTRY, "part": "fillers", "terms": "kindly\nplease do"},
    ]
    for number, data in enumerate(sent):
        assert client.post(url(project, "add"), {**data, "seen_number": number}).status_code == 302
    assert newest(project).body == {
        "equal": [{"terms": ["Gold plan", "Premium"]}],
        "different": [{"terms": ["damaged", "defective"], "field": "reason"}],
        "opposites": [[["escalate"], ["close", "drop"]]],
        "fillers": ["kindly", "please do"],
    }
    page = text_of(client.get(url(project)))
    assert "Deny each other: “escalate” ↔ “close”, “drop” added" in page
    assert "only in the field reason" in page


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"terms": ""}, "Write the words."),
        ({"terms": "alone"}, "At least two are needed"),
        ({"terms": "NYC\nnyc"}, "needs at least two different terms"),
        ({"part": "opposites"}, "Write what the words above deny."),
        ({"others": "x"}, "has one side only"),
        ({"part": "fillers", "field": "city"}, "holds in every field"),
        ({"terms": "a\n" + "x" * 501}, "more than 500 characters"),
    ],
)
def test_what_cannot_be_added_is_said_and_stays_typed(
    project: Project, client: Client, sent: dict[str, str], said: str
) -> None:
    answer = client.post(url(project, "add"), {**ENTRY, "reason": "because", **sent})
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert 'value="because"' in answer.content.decode()
    assert not Vocabulary.objects.exists()


def test_a_contradiction_names_both_places(project: Project, client: Client) -> None:
    client.post(url(project, "add"), ENTRY)
    answer = client.post(url(project, "add"), {**ENTRY, "part": "different", "seen_number": "1"})
    assert answer.status_code == 422
    assert "different[0].terms: 'gold plan' and 'premium' are said to be otherwise in equal[0]" in text_of(answer)


def test_a_stale_edit_is_refused_keeps_what_was_typed_and_goes_through_then(project: Project, client: Client) -> None:
    vocabularies.create(project=project, body={"fillers": ["kindly"]}, by=None, seen_number=0)
    answer = client.post(url(project, "add"), ENTRY)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody changed the vocabulary meanwhile" in text_of(answer)
    assert "Change nothing: “kindly” added" in text_of(answer)
    assert "Gold plan" in page
    assert "data-draft-live" in page
    seen = re.search(r'action="[^"]*/add/".*?name="seen_number" value="(\d+)"', page, re.S)
    assert seen is not None
    assert client.post(url(project, "add"), {**ENTRY, "seen_number": seen[1]}).status_code == 302
    assert newest(project).body == {"equal": [{"terms": ["Gold plan", "Premium"]}], "fillers": ["kindly"]}
    removing = client.post(url(project, "remove"), {"entry": "0" * 16, "seen_number": "1"})
    assert removing.status_code == 302, "an entry that is not there is said so first"


def test_an_entry_is_removed_by_its_button(project: Project, client: Client) -> None:
    body = {"equal": [{"terms": ["A", "B"]}], "fillers": ["kindly"]}
    vocabularies.create(project=project, body=body, by=None, seen_number=0)
    page = client.get(url(project)).content.decode()
    key = re.search(r'name="entry" value="([0-9a-f]{16})"', page)
    assert key is not None
    stale = client.post(url(project, "remove"), {"entry": key[1], "seen_number": "0"})
    assert stale.status_code == 409
    assert newest(project).number == 1
    client.post(url(project, "remove"), {"entry": key[1], "seen_number": "1"})
    assert newest(project).body == {"fillers": ["kindly"]}
    again = client.post(url(project, "remove"), {"entry": key[1], "seen_number": "2"}, follow=True)
    assert "no such entry any more" in text_of(again)
    assert client.post(url(project, "remove"), {"entry": "x"}).status_code == 302


def test_long_lists_are_paged_and_searched(project: Project, client: Client) -> None:
    body = {"equal": [{"terms": [f"Gró{n}", f"Gros {n}"], "field": f"f{n}"} for n in range(40)], "fillers": ["kindly"]}
    vocabularies.create(project=project, body=body, by=None, seen_number=0)
    first_page = client.get(url(project)).content.decode()
    assert first_page.count('name="entry"') == 30
    assert 'rel="next"' in first_page
    found = client.get(url(project), {"q": "GRO7"}).content.decode()
    assert found.count('name="entry"') == 1
    assert "Gró7" in found
    assert client.get(url(project), {"q": "f31"}).content.decode().count('name="entry"') == 1
    assert client.get(url(project), {"part": "fillers"}).content.decode().count('name="entry"') == 1
    assert "None fits" in text_of(client.get(url(project), {"q": "nothing such"}))


def test_entries_say_who_added_them_and_how_often_the_pair_came_up() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    client = client_of(carla)
    page = client.get(url(run.project))
    assert f'href="{lesson.get_absolute_url()}"' in page.content.decode()
    assert f"number 1 , {carla}" in text_of(page)
    assert 'hx-trigger="load"' in page.content.decode()
    fragment = client.get(url(run.project), headers=HTMX)
    assert fragment.content.decode().strip().startswith('<div id="entries"')
    assert 'hx-trigger="load"' not in fragment.content.decode()
    assert re.search(r'<td class="num">1</td>', fragment.content.decode())


def test_a_number_is_shown_exported_and_made_the_newest_again(project: Project, client: Client) -> None:
    first_body = {"equal": [{"terms": ["São Paulo", "SP"], "field": "city"}]}
    vocabularies.create(project=project, body=first_body, by=None, seen_number=0, reason="local names")
    vocabularies.create(project=project, body={"fillers": ["kindly"]}, by=None, seen_number=1)
    page = text_of(client.get(url(project, "number", 1)))
    assert "Why: local names" in page
    assert "Mean the same: “São Paulo”, “SP” (field city) removed" in page, "what happened since"
    file = client.get(url(project, "file"), {"number": "1"})
    assert jsonio.loads(file.content) == first_body
    assert f'filename="{project.slug}-vocabulary-1.json"' in file["Content-Disposition"]
    assert jsonio.loads(client.get(url(project, "file")).content) == {"fillers": ["kindly"]}
    assert client.post(url(project, "restore", 1), {"seen_number": "1"}).status_code == 409
    assert client.post(url(project, "restore", 1), {"seen_number": "2"}).status_code == 302
    assert (newest(project).number, newest(project).body) == (3, first_body)
    for number in (9, 10**12):
        assert client.get(url(project, "number", number)).status_code == 404


def test_a_file_is_added_or_replaces(project: Project, client: Client) -> None:
    vocabularies.create(project=project, body={"fillers": ["kindly"]}, by=None, seen_number=0)
    file = SimpleUploadedFile("v.json", b'\xef\xbb\xbf{"fillers": ["kindly", "do"]}')
    client.post(url(project, "import"), {"file": file, "how": "add", "seen_number": "1"})
    assert newest(project).body == {"fillers": ["kindly", "do"]}
    text = jsonio.dumps({"equal": [{"terms": ["A", "B"]}]})
    client.post(url(project, "import"), {"text": text, "how": "replace", "seen_number": "2"})
    assert newest(project).body == {"equal": [{"terms": ["A", "B"]}]}
    again = client.post(url(project, "import"), {"text": text, "how": "add", "seen_number": "3"}, follow=True)
    assert "Nothing changes" in text_of(again)
    stale = client.post(url(project, "import"), {"text": '{"fillers": ["x"]}', "how": "add", "seen_number": "1"})
    assert stale.status_code == 409
    assert "fillers" in stale.content.decode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"equal": [{"terms": ["A"]}], "fillers": [3, ""]}', ["equal[0].terms", "fillers[0]", "fillers[1]"]),
        ("{", ["This is no JSON"]),
        ("", ["Choose a file"]),
        ("[]", ["a vocabulary is an object"]),
        ('{"fillers": ["\\u0000"]}', ["fillers[0]"]),
    ],
)
def test_a_faulty_file_names_every_place_and_changes_nothing(
    project: Project, client: Client, text: str, said: list[str]
) -> None:
    answer = client.post(url(project, "import"), {"text": text, "how": "add", "seen_number": "0"})
    assert answer.status_code == 422
    for part in said:
        assert part in text_of(answer)
    assert not Vocabulary.objects.exists()


def test_a_file_in_another_encoding_is_refused(project: Project, client: Client) -> None:
    file = SimpleUploadedFile("v.json", '{"fillers": ["é"]}'.encode("latin-1"))
    answer = client.post(url(project, "import"), {"file": file, "how": "add", "seen_number": "0"})
    assert (answer.status_code, "not UTF-8" in text_of(answer)) == (422, True)


def test_a_pair_is_looked_up_with_the_projects_words(project: Project, client: Client) -> None:
    asked = {"what": "values", "expected": "Gold plan", "observed": "Premium", "field": "", "language": "en"}
    before = client.post(url(project, "look"), asked, headers=HTMX)
    assert before.content.decode().strip().startswith('<section class="card" id="look"')
    assert "✓ equal" not in text_of(before)
    client.post(url(project, "add"), ENTRY)
    after = client.post(url(project, "look"), asked)
    assert "<html" in after.content.decode(), "without scripts it is the whole page"
    assert "✓ equal" in text_of(after)
    assert "The project's own entries call them equal." in text_of(after)
    profit = client.post(url(project, "look"), {**asked, "expected": "profit", "observed": "revenue"}, headers=HTMX)
    assert "✖ different" in text_of(profit)
    assert "The built-in lists: as wholes they exclude each other." in text_of(profit)


def test_a_claim_and_a_reply_are_looked_up(project: Project, client: Client) -> None:
    asked = {"what": "claim", "expected": "The refund is 40 euros.", "language": "en"}
    said = {**asked, "observed": "Hello! We refund you 40 euros. Bye."}
    covered = text_of(client.post(url(project, "look"), said, headers=HTMX))
    assert "covered" in covered
    assert "“We refund you 40 euros.”" in covered
    other = text_of(client.post(url(project, "look"), {**asked, "observed": "You get 50 euros back."}, headers=HTMX))
    assert "covered" not in other


def test_what_is_missing_here_is_said(project: Project, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Extra, "is_installed", property(lambda _: False))
    page = text_of(client.get(url(project)))
    for known in EVALUATORS.values():
        if known.extra is not None:
            assert f"{known.extra.gain}. Not installed: {known.extra.requirements}" in page
    monkeypatch.setattr(Extra, "is_installed", property(lambda _: True))
    assert "All are installed." in text_of(client.get(url(project)))
