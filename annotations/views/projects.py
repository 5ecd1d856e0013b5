"""Home, settings and history."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations import access
from annotations.forms.projects import ProjectForm, ProjectSettingsForm
from annotations.models import Capability, Change, Membership
from annotations.services import comparing, projects, queue
from annotations.services.errors import StaleRevisionError, WorkbenchError
from annotations.views.requests import user_of
from evaluation.aem.language import say


@require_safe
@access.signed_in
def home(request: HttpRequest) -> HttpResponse:
    memberships = Membership.objects.filter(user=user_of(request)).select_related("project").order_by("project__name")
    if len(memberships) == 1 and not request.GET:
        return redirect(memberships[0].project.get_absolute_url())
    return render(request, "annotations/projects/home.html", {"memberships": memberships})


@require_safe
@access.signed_in
def signed_in(request: HttpRequest) -> HttpResponse:
    """Where a sign-in in a second tab ends: it says to go back to the first."""
    return render(request, "annotations/projects/signed_in.html")


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def project_create(request: HttpRequest) -> HttpResponse:
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            project = projects.create_project(by=user_of(request), **form.cleaned_data)
        except WorkbenchError as error:  # somebody took the short name meanwhile
            form.add_error("slug", str(error))
        else:
            messages.success(
                request, say("{name} is there. Invite people, or import conversations.", name=project.name)
            )
            return redirect(project)
    return render(request, "annotations/projects/create.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def project_settings(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    project, conflict = viewer.project, None
    if request.method == "POST":
        form = ProjectSettingsForm(request.POST)
        if form.is_valid():
            now, overlap = timezone.now(), project.overlap
            try:
                project = projects.update_project(project=project, by=viewer.user, now=now, **form.cleaned_data)
            except StaleRevisionError as error:
                conflict = error
            else:
                messages.success(request, f"{say('Saved.')} {queue.effect_of_overlap(project, overlap, now)}".strip())
                return redirect("annotations:project-settings", slug)
    else:
        form = ProjectSettingsForm(
            initial={
                "name": project.name,
                "description": project.description,
                "is_blind": project.is_blind,
                "overlap": project.overlap,
                "seen_revision": project.revision,
            }
        )
    status = 409 if conflict else 422 if form.errors else 200
    context = {"viewer": viewer, "form": form, "conflict": conflict}
    return render(request, "annotations/projects/settings.html", context, status=status)


@require_safe
@access.signed_in
def project_history(request: HttpRequest, slug: str) -> HttpResponse:
    """Who changed what, newest first. It shows everybody's work, so blinded annotators see their own only."""
    viewer = access.get_project_or_404(request.user, slug)
    changes = Change.objects.filter(project=viewer.project).select_related("actor").order_by("-pk")
    if viewer.is_blinded:
        changes = changes.filter(actor=viewer.user)
    page = Paginator(changes, 50).get_page(request.GET.get("page"))
    comparing.put_in_words(page.object_list)
    return render(request, "annotations/projects/history.html", {"viewer": viewer, "page": page})


urlpatterns = [
    path("", home, name="home"),
    path("signed-in/", signed_in, name="signed-in"),
    path("projects/new/", project_create, name="project-create"),
    path("p/<slug:slug>/settings/", project_settings, name="project-settings"),
    path("p/<slug:slug>/history/", project_history, name="project-history"),
]
