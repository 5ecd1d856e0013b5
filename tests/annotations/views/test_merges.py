"""The merge's page, as a page and as a fragment; who sees it; what is refused and how that is said."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import GoldenStatus, Merge, Role
from annotations.services import documents, goldens, merges
from tests.annotations.services.test_merges import CSV, HTML, PDF, Scene, change_and_hand_in, golden_with, hand_in
from tests.factories import make_conversation, make_member, report_golden
from tests.people import client_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


class Page:
    """The merge in somebody's browser."""

    def __init__(self, scene: Scene, client: Client | None = None) -> None:
        self.scene = scene
        self.client = client or client_of(scene.carla)
        self.url = scene.merge.get_absolute_url()

    def read(self, place: str = "", **headers: Any) -> str:
        query = {"item": self.scene.token(place)} if place else {}
        response = self.client.get(self.url, query, **headers)
        assert response.status_code == 200
        return response.content.decode()

    def post(self, name: str, *args: Any, htmx: bool = False, **data: Any) -> Any:
        url = reverse(f"annotations:merge-{name}", args=[self.scene.merge.pk, *args])
        return self.client.post(url, data, headers=HTMX if htmx else None)

    def decide(self, place: str, do: str, *, fields: dict[str, str] | None = None, **data: Any) -> Any:
        entry = self.scene.board.find(self.scene.token(place))
        assert entry is not None
        data = {"do": do, "revision": 0, "fingerprint": entry.item.fingerprint, **data}
        data |= {f"field:{name}": value for name, value in (fields or {}).items()}
        return self.post("decide", entry.item.token, **data)

    def take(self, place: str, **params: Any) -> str:
        return f"take:{self.scene.take(place, **params)['take']}"


def test_the_page_shows_versions_side_by_side_without_names() -> None:
    scene = Scene(PDF, HTML)
    text = Page(scene).read()
    assert "<b>0 of 1 difference decided</b>" in text
    assert "1 of 5 turns differs" in text
    assert "Turn 4: call of reports · Render" in text
    assert "<mark>html</mark>" in text
    assert "<mark>pdf</mark>" in text
    assert "accept all values" in text
    for golden in scene.goldens:
        assert str(golden.annotator) not in text
        assert str(golden.pk) not in text


def test_the_fragment_is_what_the_page_includes() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    fragment = page.read(headers=HTMX)
    assert fragment.lstrip().startswith('<div id="merge"')
    assert "<html" not in fragment
    assert "Turn 4: call of reports" in fragment


@pytest.mark.parametrize("htmx", [False, True])
def test_a_whole_merge(htmx: bool) -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    assert page.post("equal", htmx=htmx).status_code == (200 if htmx else 302)
    entry = scene.board.find(scene.token("turn:g4"))
    assert entry is not None
    response = page.decide("turn:g4", "fields", htmx=htmx, reason="Both open.", fields={"param format": "both"})
    assert response.status_code == (200 if htmx else 302)
    text = page.read()
    assert "<b>1 of 1 difference decided</b>" in text
    revision = Merge.objects.get().revision
    response = page.post("accept", htmx=htmx, revision=revision)
    assert response.status_code == (200 if htmx else 302)
    text = page.read("turn:g4")
    assert "in force" in text
    for golden in scene.goldens:
        assert str(golden.annotator) in text
        golden.refresh_from_db()
        assert golden.status == GoldenStatus.ACCEPTED
    scene.conversation.refresh_from_db()
    assert scene.conversation.golden_record is not None


def test_a_turn_of_one_golden_alone_is_kept_or_left_out() -> None:
    short = report_golden()
    del short["paths"][0]["turns"][5]
    scene = Scene(PDF, short)
    page = Page(scene)
    text = page.read("turn:g4")
    assert "∅ not in it" in text
    assert "keep it" in text
    assert "leave it out" in text
    assert page.decide("turn:g4", "out").status_code == 302
    assert scene.board.choices["turn:g4"] == {"out": True}


@pytest.mark.parametrize("htmx", [False, True])
def test_what_cannot_be_decided_is_said_and_what_was_typed_is_kept(htmx: bool) -> None:
    other = golden_with("g4", params={"format": {"value": "html"}}, optional=True)
    scene = Scene(PDF, other)
    response = Page(scene).decide("turn:g4", "fields", htmx=htmx, reason="Because <b>", fields={"param format": "both"})
    text = response.content.decode()
    assert response.status_code == 422
    assert "optional step is open" in text
    assert "Because &lt;b&gt;" in text
    assert 'value="both" checked' in text
    assert scene.board.choices == {}


def test_leaving_out_what_others_build_on_is_refused_with_the_reason() -> None:
    other = golden_with("g2", optional=True)
    scene = Scene(PDF, other)
    page = Page(scene)
    page.post("equal")
    response = page.decide("turn:g2", "out")
    assert response.status_code == 422
    assert "turn 2 is left out" in response.content.decode()


@pytest.mark.parametrize("htmx", [False, True])
def test_two_at_once_see_both_decisions(htmx: bool) -> None:
    scene = Scene(PDF, HTML)
    other = make_member(scene.project, Role.ADJUDICATOR)
    first = scene.decide("turn:g4", scene.take("turn:g4", format="pdf"), by=other, reason="Theirs is better.")
    page = Page(scene)
    response = page.decide("turn:g4", page.take("turn:g4", format="html"), htmx=htmx, reason="Mine.")
    text = response.content.decode()
    assert response.status_code == 409
    assert "Theirs is better." in text
    assert "Mine." in text
    assert f'name="revision" value="{first.revision}"' in text
    assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="pdf")
    again = page.decide("turn:g4", page.take("turn:g4", format="html"), revision=first.revision)
    assert again.status_code == 302
    assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="html")


def test_accepting_over_a_later_decision_is_a_conflict() -> None:
    scene = Scene(PDF, HTML)
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    scene.decide("turn:g4", scene.take("turn:g4", format="pdf"))
    response = Page(scene).post("accept", revision=1)
    assert response.status_code == 409
    assert "decided since you looked" in response.content.decode()


def test_undo_takes_the_last_decision_back() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    page.decide("turn:g4", page.take("turn:g4", format="pdf"))
    assert page.post("undo", item=scene.token("turn:g4")).status_code == 302
    assert scene.board.choices == {}
    assert page.post("undo").status_code == 422


def test_three_versions_have_a_letter_and_a_key_each() -> None:
    scene = Scene(PDF, HTML, CSV)
    text = Page(scene).read("turn:g4")
    for letter, action in (("A", "merge.take-a"), ("B", "merge.take-b"), ("C", "merge.take-c")):
        assert f"Take {letter}" in text
        assert f'data-action="{action}"' in text
    for value in ("pdf", "html", "csv"):
        assert f"<mark>{value}</mark>" in text


def test_two_that_agree_share_a_letter() -> None:
    text = Page(Scene(PDF, HTML, HTML)).read("turn:g4")
    assert "2 goldens" in text
    assert "Take C" not in text


def test_what_is_open_again_says_why() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    page.decide("turn:g4", page.take("turn:g4", format="pdf"), reason="It prints.")
    change_and_hand_in(scene.goldens[1], CSV, reviewer=scene.carla)
    text = page.read()
    assert "Open again: one of the goldens was changed here" in text
    assert "It prints." in text


def test_a_golden_with_its_annotator_is_told_and_the_rest_waits() -> None:
    scene = Scene(PDF, HTML)
    goldens.return_(scene.goldens[0], scene.carla, "Look again.")
    text = Page(scene).read()
    assert "1 golden of this merge is with its annotator" in text
    assert "Fewer than two goldens" in text
    assert Page(scene).post("equal").status_code == 422


def test_a_reason_becomes_an_example() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    page.decide("turn:g4", page.take("turn:g4", format="pdf"), reason="Customers print it.")
    assert "Make the reason an example" in page.read("turn:g4")
    token = scene.token("turn:g4")
    assert page.post("example", token, item=token).status_code == 302
    guideline = scene.project.guidelines.get()
    assert guideline.examples.get().why == "Customers print it."
    assert "since version 1" in page.read("turn:g4")


def test_a_reason_is_saved_later_and_an_example_with_the_decision() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    page.decide("turn:g4", page.take("turn:g4", format="pdf"))
    entry = scene.board.find(scene.token("turn:g4"))
    assert entry is not None
    assert entry.decision is not None
    page.decide("turn:g4", "same", revision=entry.decision.revision, reason="Later.", as_example="on")
    assert scene.board.choices["turn:g4"] == scene.take("turn:g4", format="pdf")
    assert scene.project.guidelines.get().examples.get().why == "Later."


def test_to_the_workbench_and_back() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    assert page.post("workbench").url == scene.merge.get_absolute_url()
    merges.accept_equal(merge=scene.merge, by=scene.carla)
    page.decide("turn:g4", page.take("turn:g4", format="pdf"))
    to = page.post("workbench").url
    bench = page.client.get(to).content.decode()
    assert "This is the result of a merge" in bench
    assert "as you have edited it there" in page.read()


class TestReviewList:
    def listed(self, scene: Scene) -> str:
        url = reverse("annotations:golden-review-list", args=[scene.project.slug])
        return client_of(scene.carla).get(url).content.decode()

    def test_several_goldens_are_one_row_without_names(self) -> None:
        scene = Scene(PDF, HTML)
        text = self.listed(scene)
        assert "2 goldens to merge" in text
        assert "<kbd>j</kbd></button>" in text
        assert "80 %" in text
        assert "nothing to compare" in text
        for golden in scene.goldens:
            assert golden.get_absolute_url() not in text

    def test_one_alone_is_reviewed_as_before(self) -> None:
        scene = Scene(PDF, HTML)
        alone = hand_in(make_conversation(scene.conversation.dataset), PDF)
        text = self.listed(scene)
        assert alone.get_absolute_url() in text
        assert "<h2>To accept or return</h2>" in text

    def test_the_row_begins_the_merge(self) -> None:
        scene = Scene(PDF, HTML)
        Merge.objects.all().delete()
        url = reverse("annotations:merge-start", args=[scene.conversation.pk])
        response: Any = client_of(scene.carla).post(url)
        assert response.url == Merge.objects.get().get_absolute_url()


class TestWho:
    def test_annotators_never_see_a_merge(self) -> None:
        scene = Scene(PDF, HTML)
        for golden in scene.goldens:
            client = client_of(golden.annotator)
            assert client.get(scene.merge.get_absolute_url()).status_code == 403
            start = reverse("annotations:merge-start", args=[scene.conversation.pk])
            assert client.post(start).status_code == 403
            own = client.get(golden.get_absolute_url()).content.decode()
            assert "merge" not in own.lower()

    def test_one_who_wrote_one_may_look_and_decides_nothing(self) -> None:
        scene = Scene(PDF, HTML)
        owner = make_member(scene.project, Role.OWNER)
        hand_in(scene.conversation, PDF, annotator=owner)
        page = Page(scene, client_of(owner))
        assert "somebody else must merge them" in page.read()
        assert page.decide("turn:g4", "out").status_code == 422
        assert scene.board.choices == {}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"do": "take:\x00"},
        {"do": "fields", "field:\x00": "x"},
        {"do": "out", "revision": "9" * 40},
        {"do": "take:", "revision": "-1"},
        {"do": "out", "fingerprint": "\ud83d"},
        {"do": "out", "reason": "x" * 3000},
    ],
)
def test_odd_input_is_refused_in_words(data: dict[str, Any]) -> None:
    scene = Scene(PDF, HTML)
    data = {
        key: value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value for key, value in data.items()
    }
    response = Page(scene).post("decide", scene.token("turn:g4"), **data)
    assert response.status_code in (409, 422)
    assert scene.board.choices == {}


def test_what_accepting_changes_and_what_stays_is_said_before() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    body = documents.golden_body(golden=golden_with(), policy={"extra_writes": "fail"})
    documents.accept_golden_record(conversation=scene.conversation, body=body, by=scene.carla)
    page.post("equal")
    assert "Accepting the merge changes this" not in page.read()
    page.decide("turn:g4", page.take("turn:g4", format="html"))
    text = page.read()
    assert "Golden 1 is in force now. Accepting the merge changes this:" in text
    assert "<h3>Turn 4</h3>" in text
    assert "so they stay as in golden 1: Unknown calls that change something: fail" in text
    revision = Merge.objects.get().revision
    refused = page.post("accept", revision=revision, seen_number=0)
    assert refused.status_code == 422
    assert "Meanwhile golden 1 is in force" in refused.content.decode()
    assert page.post("accept", revision=revision, seen_number=1).status_code == 302
    assert "Accepting the merge changes this" not in page.read()


def test_a_merge_that_says_what_is_in_force_says_so() -> None:
    scene = Scene(PDF, HTML)
    page = Page(scene)
    body = documents.golden_body(golden=golden_with(), policy={})
    documents.accept_golden_record(conversation=scene.conversation, body=body, by=scene.carla)
    page.post("equal")
    page.decide("turn:g4", page.take("turn:g4", format="pdf"))
    assert "Golden 1, which is in force now, says the same" in page.read()
