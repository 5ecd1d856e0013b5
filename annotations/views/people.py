"""Members, invitations, one's own account and API tokens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth_views
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse, reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access
from annotations.forms.projects import AccountForm, InvitationForm, JoinForm, RoleForm, TokenForm
from annotations.forms.sign_in import PasswordChangeForm
from annotations.models import ApiToken, Capability, Invitation, Role, User
from annotations.services import projects, sign_in
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation.aem.language import mark, say

_IS_NOW = {
    Role.ANNOTATOR: mark("{person} is now annotator."),
    Role.ADJUDICATOR: mark("{person} is now adjudicator."),
    Role.ENGINEER: mark("{person} is now agent engineer."),
    Role.OWNER: mark("{person} is now owner."),
}


@require_safe
@access.signed_in
def member_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug)
    invitations = (
        viewer.project.invitations.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
        if viewer.can(Capability.MANAGE)
        else Invitation.objects.none()
    )
    context = {
        "viewer": viewer,
        "memberships": viewer.project.memberships.select_related("user").order_by("role", "user__username"),
        "invitations": invitations.select_related("created_by"),
        "form": InvitationForm(),
        "may_manage": viewer.can(Capability.MANAGE),
        "roles": Role.choices,
        "new_link": request.session.pop("new_invitation", None),
    }
    return render(request, "annotations/people/members.html", context)


@require_POST
@access.signed_in
def invitation_create(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    form = InvitationForm(request.POST)
    if form.is_valid():
        _, secret = projects.invite(project=viewer.project, by=viewer.user, now=timezone.now(), **form.cleaned_data)
        request.session["new_invitation"] = request.build_absolute_uri(reverse("annotations:join", args=[secret]))
    else:
        messages.error(request, say("No invitation was made: choose a role."))
    return redirect("annotations:member-list", slug)


@require_POST
@access.signed_in
def invitation_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    invitation = get_object_or_404(viewer.project.invitations, pk=pk)
    projects.revoke_invitation(invitation=invitation, by=viewer.user, now=timezone.now())
    messages.success(request, say("The link no longer works."))
    return redirect("annotations:member-list", slug)


@require_POST
@access.signed_in
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    membership = get_object_or_404(viewer.project.memberships.select_related("user", "project"), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("Nothing was changed: choose one of the four roles."))
        return redirect("annotations:member-list", slug)
    try:
        projects.change_role(membership=membership, role=form.cleaned_data["role"], by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say(_IS_NOW[Role(membership.role)], person=membership.user))
    return redirect("annotations:member-list", slug)


@require_POST
@access.signed_in
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    membership = get_object_or_404(viewer.project.memberships.select_related("user", "project"), pk=pk)
    try:
        projects.remove_member(membership=membership, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        said = say("{person} is no longer a member. What they wrote stays.", person=membership.user)
        messages.success(request, said)
    return redirect("annotations:member-list", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Join by invitation: with the account one is signed in with, or with a new one. There is no other registration."""
    now = timezone.now()
    invitation = projects.find_open_invitation(secret=secret, now=now)
    if invitation is None:
        raise Http404(say("This invitation was used, revoked or has expired."))
    if request.user.is_authenticated:
        if request.method == "POST":
            return _accept(request, invitation, user_of(request))
        return render(request, "annotations/people/join.html", {"invitation": invitation})
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            projects.join(invitation=invitation, user=form.save(commit=False), now=now)
        except WorkbenchError as error:
            form.add_error(None, str(error))
        else:
            login(request, form.instance)
            messages.success(request, say("Welcome to {project}.", project=invitation.project.name))
            return redirect(invitation.project)
    context = {"invitation": invitation, "form": form}
    return render(request, "annotations/people/join.html", context, status=422 if form.errors else 200)


def _accept(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    try:
        projects.accept_invitation(invitation=invitation, user=user, now=timezone.now())
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect("annotations:home")
    messages.success(request, say("Welcome to {project}.", project=invitation.project.name))
    return redirect(invitation.project)


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def account(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    form = AccountForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, say("Saved."))
        return redirect("annotations:account")
    context = {
        "form": form,
        "tokens": ApiToken.objects.filter(user=user).order_by("-created"),
        "token_form": TokenForm(),
        "new_token": request.session.pop("new_token", None),
    }
    return render(request, "annotations/people/account.html", context, status=422 if form.errors else 200)


@require_POST
@access.signed_in
def token_create(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST)
    if form.is_valid():
        _, token = ApiToken.objects.create(user=user_of(request), expiry=None, name=form.cleaned_data["name"])
        request.session["new_token"] = token
    else:
        messages.error(request, say("No token was made: give it a name."))
    return redirect("annotations:account")


@require_POST
@access.signed_in
def token_revoke(request: HttpRequest, token_key: str) -> HttpResponse:
    deleted, _ = ApiToken.objects.filter(user=user_of(request), token_key=token_key).delete()
    if not deleted:
        raise Http404(say("There is no such token of yours."))
    messages.success(request, say("The token no longer works."))
    return redirect("annotations:account")


class PasswordChangeView(auth_views.PasswordChangeView):
    success_url = reverse_lazy("annotations:account")
    form_class = PasswordChangeForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "address": sign_in.address_of(self.request)}


urlpatterns = [
    path("p/<slug:slug>/people/", member_list, name="member-list"),
    path("p/<slug:slug>/people/invite/", invitation_create, name="invitation-create"),
    path("p/<slug:slug>/people/invitations/<int:pk>/revoke/", invitation_revoke, name="invitation-revoke"),
    path("p/<slug:slug>/people/<int:pk>/role/", member_role, name="member-role"),
    path("p/<slug:slug>/people/<int:pk>/remove/", member_remove, name="member-remove"),
    path("join/<str:secret>/", join, name="join"),
    path("account/", account, name="account"),
    path(
        "account/password/",
        PasswordChangeView.as_view(),
        name="password-change",
    ),
    path("account/tokens/", token_create, name="token-create"),
    path("account/tokens/<str:token_key>/revoke/", token_revoke, name="token-revoke"),
]
