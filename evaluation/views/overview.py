"""A project's first page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from annotations import access
from annotations.models import Role
from evaluation.services import overview


@require_safe
@access.signed_in
def project_detail(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug)
    found = overview.of_project(viewer)
    context = {
        "viewer": viewer,
        "role_label": Role(viewer.role).label.lower(),
        "stations": found.stations,
        "next_steps": found.next_steps,
    }
    return render(request, "evaluation/projects/detail.html", context)


urlpatterns = [path("p/<slug:slug>/", project_detail, name="project-detail")]
