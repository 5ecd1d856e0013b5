"""The queue page: one's own work, what comes next, and why nothing is left."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Assignment, AssignmentState, Golden, Project, Role, User
from annotations.services import assignments
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
)
from tests.people import client_of

pytestmark = pytest.mark.django_db


def page_of(user: User, project: Project, **query: str) -> str:
    return client_of(user).get(reverse("annotations:queue", args=[project.slug]), query).content.decode()


def make_work(conversations: int = 1) -> tuple[Project, User]:
    project = make_project()
    dataset = make_dataset(project)
    for _ in range(conversations):
        make_trajectory(make_conversation(dataset))
    return project, make_member(project)


def take_next(user: User, project: Project) -> Golden:
    response = client_of(user).post(reverse("annotations:queue-next", args=[project.slug]))
    golden = Golden.objects.filter(annotator=user).latest("created_at")
    assert response["Location"] == golden.get_absolute_url()
    return golden


def test_the_next_conversation_opens_as_a_draft_of_its_run() -> None:
    project, ann = make_work()
    golden = take_next(ann, project)
    assert golden.turns.count() == 7
    assert "yours until" in page_of(ann, project)


def test_skipping_needs_a_reason_and_keeps_the_draft() -> None:
    project, ann = make_work()
    golden = take_next(ann, project)
    url = reverse("annotations:assignment-skip", args=[golden.conversation_id])
    client = client_of(ann)
    assert "Say why" in client.post(url, {"reason": " "}, follow=True).content.decode()
    page = client.post(url, {"reason": "not my field"}, follow=True).content.decode()
    assert "not my field" in page
    assert Golden.objects.filter(pk=golden.pk).exists()
    assert assignments.claim_next(project, make_member(project), timezone.now()) is not None


def test_a_lapsed_draft_is_offered_back() -> None:
    project, ann = make_work()
    golden = take_next(ann, project)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    assert "Your time ran out" in page_of(ann, project)
    take_up = reverse("annotations:golden-start", args=[golden.conversation_id])
    assert client_of(ann).post(take_up)["Location"] == golden.get_absolute_url()
    assert "Your time ran out" not in page_of(ann, project)


def test_a_draft_whose_place_is_taken_is_kept_and_says_so() -> None:
    project, ann = make_work()
    golden = take_next(ann, project)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    assert assignments.claim_next(project, make_member(project), timezone.now()) is not None
    take_up = reverse("annotations:golden-start", args=[golden.conversation_id])
    page = client_of(ann).post(take_up, follow=True).content.decode()
    assert "What you wrote is kept" in page
    lease = (
        client_of(ann)
        .post(reverse("annotations:golden-renew", args=[golden.pk]), headers={"HX-Request": "true"})
        .content.decode()
    )
    assert "places are taken" in lease
    assert "load" not in lease  # a fragment that renews itself on load would do so without end
    submitted = client_of(ann).post(reverse("annotations:golden-submit", args=[golden.pk]), follow=True)
    assert "Not submitted" in submitted.content.decode()


def test_an_open_page_prolongs_the_lease() -> None:
    project, ann = make_work()
    golden = take_next(ann, project)
    soon = timezone.now() + timedelta(minutes=1)
    Assignment.objects.update(lease_until=soon)
    client_of(ann).post(reverse("annotations:golden-renew", args=[golden.pk]), headers={"HX-Request": "true"})
    assert Assignment.objects.get().lease_until > soon


class TestWhyNothingIsLeft:
    def test_no_conversations(self) -> None:
        project = make_project()
        assert "no conversations yet" in page_of(make_member(project), project)

    def test_others_hold_it(self) -> None:
        project, ann = make_work()
        take_next(make_member(project), project)
        page = page_of(ann, project)
        assert "Nothing is left to take" in page
        assert "1 place in work; the first comes back at" in page

    def test_it_was_ones_own(self) -> None:
        project, ann = make_work()
        golden = take_next(ann, project)
        client_of(ann).post(reverse("annotations:golden-submit", args=[golden.pk]))
        page = page_of(ann, project)
        assert "You have had 1 conversation yourself" in page
        assert Assignment.objects.get().state == AssignmentState.DONE

    def test_all_came_with_goldens(self) -> None:
        project, ann = make_work()
        make_golden_record(project.datasets.get().conversations.get())
        assert "1 conversation came with a golden that is in force" in page_of(ann, project)

    def test_only_the_filter(self) -> None:
        project, ann = make_work()
        make_conversation(project.datasets.get(), language="es")
        assert "1 conversation waits" in page_of(ann, project, language="es")
        assert "Nothing waits with these filters" in page_of(ann, project, language="pt")


def test_who_may_see_it() -> None:
    project, _ = make_work()
    url = reverse("annotations:queue", args=[project.slug])
    assert client_of(make_member(project, Role.ENGINEER)).get(url).status_code == 403
    assert client_of(make_member(project, Role.OWNER)).get(url).status_code == 200


def test_queries_do_not_grow_with_rows() -> None:
    counts = []
    for number in (2, 12):
        project, ann = make_work(number)
        for _ in range(number - 1):
            take_next(ann, project)
        with CaptureQueriesContext(connection) as queries:
            page_of(ann, project)
        counts.append(len(queries))
    assert counts[0] == counts[1]
