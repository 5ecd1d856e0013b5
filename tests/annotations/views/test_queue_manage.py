"""The whole queue as owners and adjudicators see it, and that nobody else does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import (
    Assignment,
    Conversation,
    Golden,
    GoldenRecord,
    GoldenStatus,
    Project,
    QueueAction,
    Role,
    User,
)
from annotations.services import assignments, goldens, projects
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db


class Desk:
    """A blind project with an owner who looks at the whole queue."""

    def __init__(self, conversations: int = 3, *, overlap: int = 1) -> None:
        self.project: Project = make_project(overlap=overlap, is_blind=True)
        self.owner = make_member(self.project, Role.OWNER)
        self.carla = make_member(self.project, Role.ADJUDICATOR)
        self.ann = self.person("Ann Archer")
        self.ben = self.person("Ben Baker")
        dataset = make_dataset(self.project)
        self.all = [make_conversation(dataset, key=f"key-{number}") for number in range(conversations)]
        self.url = reverse("annotations:queue-all", args=[self.project.slug])

    def person(self, name: str) -> User:
        user = make_member(self.project)
        user.display_name = name
        user.save()
        return user

    def page(self, *, by: User | None = None, **query: Any) -> str:
        response = client_of(by or self.owner).get(self.url, query)
        assert response.status_code == 200
        return str(response.content.decode())

    def act(self, do: str, *numbers: int, by: User | None = None, query: str = "", **fields: Any) -> Any:
        ticked = [self.all[number].pk for number in numbers]
        return client_of(by or self.owner).post(self.url + query, {"do": do, "c": ticked, **fields})

    def follow(self, response: Any) -> str:
        """The page to which a form leads, in the same browser."""
        assert response.status_code == 302, response.content.decode()
        return str(response.client.get(response["Location"]).content.decode())


class TestThePage:
    def test_says_who_holds_what_and_until_when(self) -> None:
        desk = Desk(4, overlap=2)
        own = assignments.claim(desk.all[0], desk.ann, timezone.now())
        assignments.claim(desk.all[1], desk.ben, timezone.now())
        assignments.skip(desk.all[1], desk.ben, "I do not speak Polish", timezone.now())
        desk.act("set_aside", 2, reason="The policy is being rewritten.")
        page = desk.page()
        assert f"in work until {own.lease_until:%H:%M} UTC" in page
        assert "Ann Archer" in page
        assert "skipped: “I do not speak Polish”" in page
        assert "The policy is being rewritten." in page
        assert page.count("0 of 2 people have handed in") == 4

    def test_languages_of_conversations_are_not_those_of_the_pages(self) -> None:
        desk = Desk(2)
        Conversation.objects.update(language="nl")
        for page in (desk.page(), client_of(desk.ann).get(reverse("annotations:queue", args=[desk.project.slug]))):
            text = page if isinstance(page, str) else page.content.decode()
            assert "<option>nl</option>" in text
            assert '<button class="plain" name="language" value="es" lang="es">' in text

    def test_why_nobody_is_asked(self) -> None:
        desk = Desk(1)
        record = GoldenRecord.objects.create(
            conversation=desk.all[0], number=1, body={}, tool_set=desk.all[0].tool_set, content_hash="0", turn_count=1
        )
        Conversation.objects.update(golden_record=record)
        Golden.objects.create(
            conversation=desk.all[0],
            annotator=desk.carla,
            status=GoldenStatus.ACCEPTED,
            guideline=projects.current_guideline(desk.project),
        )
        page = desk.page()
        assert "Nobody is asked: it has an accepted golden." in page
        assert "wrote a golden that the queue did not ask for; it is accepted" in page

    def test_filters_and_search(self) -> None:
        desk = Desk(3)
        make_trajectory(desk.all[1], body={"turns": [{"user": "Where is my parcel?"}, {"response": "There."}]})
        assert [key for key in ("key-0", "key-1", "key-2") if key in desk.page(q="PARCEL")] == ["key-1"]
        desk.act("priority", 2, priority="high")
        assert [key for key in ("key-0", "key-1", "key-2") if key in desk.page(priority="high")] == ["key-2"]
        for nonsense in ("state", "person", "priority", "order", "page", "done"):
            query: dict[str, Any] = {nonsense: "x"}
            assert "3 conversations" in desk.page(**query)

    def test_sorted_and_paged(self) -> None:
        desk = Desk(60)
        page = desk.page(order="-age")
        assert "key-59" in page
        assert "key-9<" not in page
        assert "1–50 of 60" in page
        assert "51–60 of 60" in desk.page(order="-age", page="2")
        for order in ("title", "-title", "priority", "-priority", "age", "done", "-done"):
            assert "60 conversations" in desk.page(order=order)
        assert 'aria-sort="ascending"' in desk.page(order="title")
        assert 'aria-sort="descending"' in desk.page(order="-done")

    def test_empty_pages_say_why(self) -> None:
        desk = Desk(1)
        assert "No conversation is “set aside”." in desk.page(state="set_aside")
        page = desk.page(q="zebra", priority="low")
        assert "has the priority low and has “zebra” in its title" in page
        assert "Show all 1" in page
        assert "no conversations yet" in Desk(0).page()

    def test_markup_in_titles_and_reasons_stays_text(self) -> None:
        desk = Desk(1)
        Conversation.objects.update(title="<script>alert(1)</script>")
        desk.act("set_aside", 0, reason="<img src=x onerror=alert(1)>")
        page = desk.page(q="<script>", done=str(QueueAction.objects.get().pk))
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page

    def test_queries_do_not_grow_with_rows(self) -> None:
        counts = []
        for number in (2, 20):
            desk = Desk(number, overlap=2)
            for conversation in desk.all:
                goldens.start(conversation, desk.ann, now=timezone.now())
                goldens.start(conversation, desk.carla, now=timezone.now())
            with CaptureQueriesContext(connection) as queries:
                desk.page()
            counts.append(len(queries))
        assert counts[0] == counts[1]


class TestActs:
    def test_on_the_ticked_ones_with_an_undo_in_the_bar_and_later(self) -> None:
        desk = Desk(3)
        page = desk.follow(desk.act("priority", 0, 2, priority="high"))
        assert "Priority set to high" in page
        assert "2 conversations" in page
        assert [row.priority for row in Conversation.objects.order_by("pk")] == [10, 0, 10]
        action = QueueAction.objects.get()
        undo = reverse("annotations:queue-act-undo", args=[desk.project.slug, action.pk])
        assert undo in page
        listed = client_of(desk.carla).get(reverse("annotations:queue-act-list", args=[desk.project.slug]))
        assert undo not in listed.content.decode()  # priorities are the owner's
        listed = client_of(desk.owner).get(reverse("annotations:queue-act-list", args=[desk.project.slug]))
        assert undo in listed.content.decode()
        page = desk.follow(client_of(desk.owner).post(undo, {"back": "state=waiting"}))
        assert "Undone: Priority set to high" in page
        assert set(Conversation.objects.values_list("priority", flat=True)) == {0}
        page = desk.follow(client_of(desk.owner).post(undo))
        assert "undone already" in page

    def test_on_everything_that_matches_also_on_other_pages(self) -> None:
        desk = Desk(60)
        Conversation.objects.filter(key="key-7").update(language="es")
        desk.act("priority", query="?language=es", scope="all", priority="low")
        assert list(Conversation.objects.exclude(priority=0).values_list("key", flat=True)) == ["key-7"]
        page = desk.follow(desk.act("priority", scope="all", priority="normal", number="42"))
        assert "Priority set to 42" in page
        assert Conversation.objects.filter(priority=42).count() == 60

    def test_assign_until_the_end_of_a_day(self) -> None:
        desk = Desk(2)
        day = timezone.localdate() + timedelta(days=3)
        page = desk.follow(desk.act("assign", 0, 1, people=[desk.ann.pk, desk.ben.pk], until=day.isoformat()))
        assert "Assigned to Ann Archer and Ben Baker, to one of them in turn, until" in page
        assert "not begun" in page
        held = Assignment.objects.order_by("conversation")
        assert [own.annotator for own in held] == [desk.ann, desk.ben]
        assert {timezone.localtime(own.due_at).date() for own in held if own.due_at} == {day}

    def test_what_was_left_alone_is_named_with_the_reason(self) -> None:
        desk = Desk(3)
        assignments.claim(desk.all[1], desk.ben, timezone.now())
        page = desk.follow(desk.act("assign", 0, 1, people=[desk.ann.pk]))
        assert "1 left alone" in page
        assert "key-1</a>: its places are taken" in page
        page = desk.follow(desk.act("assign", 1, people=[desk.ann.pk]))
        assert "Nothing was changed. key-1: its places are taken." in page

    def test_undo_names_what_changed_since(self) -> None:
        desk = Desk(2)
        desk.act("assign", 0, 1, people=[desk.ann.pk])
        assignments.claim(desk.all[0], desk.ann, timezone.now())
        action = QueueAction.objects.get()
        undo = reverse("annotations:queue-act-undo", args=[desk.project.slug, action.pk])
        page = desk.follow(client_of(desk.owner).post(undo))
        assert "key-0</a>: Ann Archer has begun it since" in page
        assert Assignment.objects.get().annotator == desk.ann
        detail = reverse("annotations:queue-act-detail", args=[desk.project.slug, action.pk])
        shown = client_of(desk.owner).get(detail).content.decode()
        assert "Ann Archer: no part in it" in shown
        assert "Ann Archer: assigned, not begun" in shown

    @pytest.mark.parametrize(
        ("do", "numbers", "fields", "place"),
        [
            ("priority", (), {}, "id_scope_error"),
            ("priority", (0,), {"number": "100"}, "id_number_error"),
            ("priority", (0,), {}, "id_priority_error"),
            ("assign", (0,), {}, "id_people_error"),
            ("assign", (0,), {"until": "2020-01-01", "people": "ANN"}, "id_until_error"),
            ("set_aside", (0,), {"reason": " "}, "id_reason_error"),
        ],
    )
    def test_what_is_refused_is_said_at_its_field(
        self, do: str, numbers: tuple[int, ...], fields: dict[str, Any], place: str
    ) -> None:
        desk = Desk(1)
        if "people" in fields:
            fields = {**fields, "people": str(desk.ann.pk)}
        page = desk.act(do, *numbers, **fields).content.decode()
        assert page.count('class="errorlist"') == 1
        assert f'<ul class="errorlist" id="{place}">' in page

    @pytest.mark.parametrize(
        ("do", "numbers", "fields", "said"),
        [
            ("priority", (), {}, "Tick at least one"),
            ("priority", (0,), {"number": "100"}, "less than or equal to 99"),
            ("priority", (0,), {}, "Say which priority"),
            ("assign", (0,), {}, "Choose at least one person"),
            ("assign", (0,), {"people": "999999"}, "not one of the available choices"),
            ("set_aside", (0,), {"reason": " "}, "Say why it is set aside"),
            ("overlap", (0,), {}, "not one of the available choices"),
            ("", (0,), {}, "Choose what is to be done"),
        ],
    )
    def test_what_lacks_something_is_refused_and_the_ticks_stay(
        self, do: str, numbers: tuple[int, ...], fields: dict[str, Any], said: str
    ) -> None:
        desk = Desk(2)
        response = desk.act(do, *numbers, **fields)
        assert response.status_code == 422
        page = response.content.decode()
        assert said in page
        assert page.count('name="c"') == 2
        assert all(f'id="c-{desk.all[number].pk}" aria-label="key-{number}" checked' in page for number in numbers)
        assert not QueueAction.objects.exists()

    def test_a_number_that_no_row_has_or_of_another_project_changes_nothing(self) -> None:
        desk, other = Desk(1), Desk(1)
        for wanted in (str(other.all[0].pk), "9" * 18):
            page = desk.follow(
                client_of(desk.owner).post(desk.url, {"do": "priority", "priority": "high", "c": wanted})
            )
            assert "No conversation was chosen" in page
        assert not Conversation.objects.exclude(priority=0).exists()

    def test_an_adjudicator_frees_and_sets_aside_and_leaves_priorities_to_the_owner(self) -> None:
        desk = Desk(2)
        assignments.claim(desk.all[0], desk.ann, timezone.now())
        assert desk.act("release", 0, by=desk.carla).status_code == 302
        assert desk.act("priority", 0, by=desk.carla, priority="high").status_code == 422
        assert 'value="assign"' not in desk.page(by=desk.carla)
        desk.act("priority", 0, priority="high")
        action = QueueAction.objects.get(kind="priority")
        undo = reverse("annotations:queue-act-undo", args=[desk.project.slug, action.pk])
        assert client_of(desk.carla).post(undo).status_code == 403


class TestTheAnnotatorsPage:
    def page(self, desk: Desk, user: User, **query: str) -> str:
        url = reverse("annotations:queue", args=[desk.project.slug])
        return str(client_of(user).get(url, query).content.decode())

    def test_says_why_this_one_is_next(self) -> None:
        desk = Desk(2)
        assert "it has been here longest" in self.page(desk, desk.ann)
        desk.act("priority", 1, priority="high")
        page = self.page(desk, desk.ann)
        assert "Its priority is high" in page
        assert f'name="expected" value="{desk.all[1].pk}"' in page

    def test_says_so_where_somebody_was_quicker(self) -> None:
        desk = Desk(2)
        assignments.claim(desk.all[0], desk.ben, timezone.now())
        url = reverse("annotations:queue-next", args=[desk.project.slug])
        response = client_of(desk.ann).post(url, {"expected": str(desk.all[0].pk)}, follow=True)
        assert "Somebody was quicker, so you have another one: key-1" in response.content.decode()

    def test_what_is_assigned_is_listed_and_can_be_begun(self) -> None:
        desk = Desk(2)
        desk.act("assign", 1, people=[desk.ann.pk])
        page = self.page(desk, desk.ann)
        assert "Assigned to you · 1" in page
        assert "It was assigned to you" in page
        start = reverse("annotations:golden-start", args=[desk.all[1].pk])
        assert start in page
        client_of(desk.ann).post(start)
        assert "Assigned to you · 1" not in self.page(desk, desk.ann)

    def test_returned_work_is_next_and_a_new_one_can_be_taken_instead(self) -> None:
        desk = Desk(2)
        golden = goldens.start(desk.all[1], desk.ann, now=timezone.now())
        goldens.add_turn(golden=golden, body={"response": "Yes."}, by=desk.ann)
        goldens.submit(golden, desk.ann)
        goldens.return_(golden, desk.carla, "More.")
        assert "your own returned work comes first" in self.page(desk, desk.ann)
        url = reverse("annotations:queue-next", args=[desk.project.slug])
        assert client_of(desk.ann).post(url)["Location"] == golden.get_absolute_url()
        client_of(desk.ann).post(url, {"new": "1"})
        assert Golden.objects.filter(annotator=desk.ann, conversation=desk.all[0]).exists()

    def test_a_draft_that_was_taken_back_is_offered_again(self) -> None:
        desk = Desk(1)
        goldens.start(desk.all[0], desk.ann, now=timezone.now())
        desk.act("release", 0)
        assert "Taken back · 1" in self.page(desk, desk.ann)

    def test_says_why_nothing_is_left(self) -> None:
        desk = Desk(2)
        desk.act("assign", 0, people=[desk.ben.pk])
        desk.act("set_aside", 1, reason="secret plans")
        page = self.page(desk, desk.ann)
        assert "1 place is kept for people to whom they are assigned" in page
        assert "1 conversation was set aside" in page
        assert "secret plans" not in page
        assert "Ben" not in page


class TestBlindness:
    """Who holds what, who skipped and why: owners and adjudicators alone learn it."""

    def test_an_annotator_finds_nobody_elses_work(self) -> None:
        desk = Desk(3, overlap=2)
        golden = goldens.start(desk.all[0], desk.ben, now=timezone.now())
        goldens.add_turn(golden=golden, body={"response": "zebra"}, by=desk.ben)
        goldens.submit(golden, desk.ben)
        assignments.claim(desk.all[1], desk.ben, timezone.now())
        assignments.skip(desk.all[1], desk.ben, "ocelot", timezone.now())
        desk.act("assign", 2, people=[desk.ben.pk])
        action = QueueAction.objects.get()
        client, api, slug = client_of(desk.ann), api_of(desk.ann), desk.project.slug
        for name, arguments in (
            ("queue-all", [slug]),
            ("queue-act-list", [slug]),
            ("queue-act-detail", [slug, action.pk]),
        ):
            assert client.get(reverse(f"annotations:{name}", args=arguments)).status_code == 403
        for path in ("items/", "summary/", "actions/", f"actions/{action.pk}/"):
            assert api.get(f"projects/{slug}/queue/{path}").status_code == 403
        seen = [
            client.get(reverse("annotations:queue", args=[slug])).content.decode(),
            client.get(reverse("annotations:project-history", args=[slug])).content.decode(),
            client.get(reverse("annotations:conversation-detail", args=[desk.all[0].pk])).content.decode(),
            api.get(f"projects/{slug}/queue/").content.decode(),
            api.get(f"projects/{slug}/queue/mine/").content.decode(),
            api.get(f"projects/{slug}/history/").content.decode(),
            api.post(f"projects/{slug}/queue/next/", {}).content.decode(),
            api.get(f"conversations/{desk.all[2].pk}/").content.decode(),
        ]
        for text in seen:
            for secret in ("zebra", "ocelot", "Ben Baker", "queue.assign", f'"{desk.ben.username}"'):
                assert secret not in text
