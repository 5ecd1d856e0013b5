"""Members, invitations, account and tokens."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotations.models import ApiToken, Change, Invitation, Membership, Project, Role, User
from annotations.services import projects
from tests.factories import make_member, make_project, make_user
from tests.people import client_of

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough pass-word"


def test_owner_invites_and_a_new_person_joins_once() -> None:
    project = make_project()
    owner = make_member(project, Role.OWNER)
    client = client_of(owner)
    people = reverse("annotations:member-list", args=[project.slug])
    client.post(reverse("annotations:invitation-create", args=[project.slug]), {"role": "adjudicator", "note": "Eva"})
    page = client.get(people)
    link = page.context["new_link"]
    assert link in page.content.decode()
    assert client.get(people).context["new_link"] is None  # it is shown once

    visitor = client_of(None)
    assert visitor.get(link).status_code == 200
    form = {"username": "eva", "display_name": "Eva", "password1": PASSWORD, "password2": PASSWORD}
    response = visitor.post(link, form)
    assert response["Location"] == project.get_absolute_url()
    assert Membership.objects.get(user__username="eva").role == Role.ADJUDICATOR
    assert client_of(None).get(link).status_code == 404
    assert link.rsplit("/", 2)[1] not in Invitation.objects.get().digest


def test_signed_in_person_joins_with_their_account_and_keeps_a_role_they_have() -> None:
    project, user = make_project(), make_user()
    owner = make_member(project, Role.OWNER)
    for expected in (Role.ENGINEER, Role.ENGINEER):
        role = Role.ENGINEER if not Membership.objects.filter(user=user).exists() else Role.OWNER
        _, secret = projects.invite(project=project, role=role, by=owner, now=timezone.now())
        client_of(user).post(reverse("annotations:join", args=[secret]))
        assert Membership.objects.get(user=user).role == expected


@pytest.mark.parametrize("ended_by", ["revoked", "expired", "unknown"])
def test_an_ended_invitation_opens_nothing(ended_by: str) -> None:
    project, now = make_project(), timezone.now()
    owner = make_member(project, Role.OWNER)
    made_at = now - timedelta(days=15) if ended_by == "expired" else now
    invitation, secret = projects.invite(project=project, role=Role.OWNER, by=owner, now=made_at)
    if ended_by == "revoked":
        client_of(owner).post(reverse("annotations:invitation-revoke", args=[project.slug, invitation.pk]))
    if ended_by == "unknown":
        secret = "something-else"
    response = client_of(None).post(reverse("annotations:join", args=[secret]), {"username": "mallory"})
    assert response.status_code == 404
    assert not User.objects.filter(username="mallory").exists()


def test_there_is_no_registration_without_an_invitation() -> None:
    page = client_of(None).get(reverse("login")).content.decode()
    assert "no open registration" in page
    assert "demo-logins" not in page  # the demo was not loaded here


def test_the_last_owner_stays() -> None:
    project = make_project()
    owner = make_member(project, Role.OWNER)
    membership = Membership.objects.get(user=owner)
    client = client_of(owner)
    client.post(reverse("annotations:member-role", args=[project.slug, membership.pk]), {"role": "annotator"})
    client.post(reverse("annotations:member-remove", args=[project.slug, membership.pk]))
    assert Membership.objects.get(user=owner).role == Role.OWNER
    second = make_member(project, Role.OWNER)
    client.post(reverse("annotations:member-role", args=[project.slug, membership.pk]), {"role": "annotator"})
    assert Membership.objects.get(user=owner).role == Role.ANNOTATOR
    assert Membership.objects.get(user=second).role == Role.OWNER
    assert Change.objects.filter(action="member.role", project=project).count() == 1


def test_a_token_is_shown_once_stored_as_a_digest_and_revoked_by_its_holder_only() -> None:
    holder, other = make_user(), make_user()
    client = client_of(holder)
    client.post(reverse("annotations:token-create"), {"name": "nightly"})
    token = client.get(reverse("annotations:account")).context["new_token"]
    stored = ApiToken.objects.get()
    assert token not in (stored.digest, stored.token_key)
    revoke = reverse("annotations:token-revoke", args=[stored.token_key])
    assert client_of(other).post(revoke).status_code == 404
    assert client.post(revoke).status_code == 302
    assert not ApiToken.objects.exists()


def test_settings_saved_twice_from_the_same_page_conflict() -> None:
    project = make_project(name="First")
    client = client_of(make_member(project, Role.OWNER))
    url = reverse("annotations:project-settings", args=[project.slug])
    form = {"name": "Second", "description": "", "overlap": 2, "seen_revision": 1}
    assert client.post(url, form).status_code == 302
    late = client.post(url, {**form, "name": "Third"})
    assert late.status_code == 409
    assert 'value="Third"' in late.content.decode()
    assert "Second" in late.content.decode()
    assert Project.objects.get().name == "Second"


def test_a_guideline_is_versioned_and_its_markup_is_shown_not_run() -> None:
    project = make_project()
    client = client_of(make_member(project, Role.OWNER))
    edit = reverse("annotations:guideline-edit", args=[project.slug])
    nasty = "# Hi\n<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    client.post(edit, {"title": "<b>G</b>", "body": nasty, "seen_number": 0})
    late = client.post(edit, {"title": "other", "body": "mine", "seen_number": 0})
    assert late.status_code == 409
    assert "mine" in late.content.decode()
    page = client.get(reverse("annotations:guideline", args=[project.slug])).content.decode()
    assert "<h1>Hi</h1>" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert 'href="javascript' not in page
    assert "<b>G</b>" not in page
    assert project.guidelines.count() == 1


def test_project_with_a_name_without_letters_asks_for_a_short_name() -> None:
    client = client_of(make_user())
    url = reverse("annotations:project-create")
    response = client.post(url, {"name": "漢字", "overlap": 1})
    assert response.status_code == 422
    client.post(url, {"name": "漢字", "slug": "kanji", "overlap": 1})
    assert Project.objects.get().memberships.get().role == Role.OWNER


def test_lost_session_of_a_fragment_is_401_and_of_a_page_a_sign_in() -> None:
    url = reverse("annotations:home")
    assert client_of(None).get(url).status_code == 302
    response = client_of(None).get(url, headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert response["X-Session-Ended"] == "1"
