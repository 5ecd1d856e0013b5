"""The guideline: its versions with their examples, what differs between two, and writing the next one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.forms.guidelines import ExampleFormSet, GuidelineForm
from annotations.models import Capability, Guideline
from annotations.services import drafts, guidelines, projects
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation.aem.language import say


@require_safe
@access.signed_in
def guideline(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug)
    versions = list(viewer.project.guidelines.select_related("created_by"))
    wanted = request.GET.get("version")
    shown = next((version for version in versions if str(version.number) == wanted), versions[0] if versions else None)
    context = {
        "viewer": viewer,
        "guideline": shown,
        "versions": versions,
        "in_force": versions[0] if versions else None,
        "examples": _shown(shown, viewer),
    }
    return render(request, "annotations/projects/guideline.html", context)


def _shown(version: Guideline | None, viewer: Viewer) -> guidelines.Shown:
    return guidelines.shown_to(version, user=viewer.user, is_blinded=viewer.is_blinded)


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def guideline_edit(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    current = projects.current_guideline(viewer.project)
    more: dict[str, Any] = {"conflict": None}
    if request.method == "POST":
        form = GuidelineForm(request.POST)
        rows = ExampleFormSet(request.POST, prefix="examples") if "examples-TOTAL_FORMS" in request.POST else None
        if form.is_valid() and (rows is None or rows.is_valid()):
            try:
                guidelines.save(
                    project=viewer.project,
                    by=viewer.user,
                    examples=None if rows is None else rows.examples(),
                    **form.cleaned_data,
                )
            except StaleRevisionError as error:
                more = {"conflict": error, "theirs": _shown(error.current, viewer)}
            except WorkbenchError as error:
                form.add_error(None, str(error))
            else:
                drafts.discard(user=viewer.user, name=f"guideline-{slug}")
                messages.success(request, say("Saved as a new version."))
                return redirect("annotations:guideline", slug)
    else:
        form = GuidelineForm(
            initial={
                "title": current.title if current else "Guideline",
                "body": current.body if current else projects.FIRST_GUIDELINE,
                "seen_number": current.number if current else 0,
            }
        )
        rows = None
    if rows is None:
        rows = ExampleFormSet.of(current, prefix="examples")
    has_errors = form.errors or (rows.is_bound and not rows.is_valid())
    status = 409 if more["conflict"] else 422 if has_errors else 200
    context = {"viewer": viewer, "form": form, "rows": rows, **more}
    return render(request, "annotations/projects/guideline_edit.html", context, status=status)


@require_safe
@access.signed_in
def guideline_changes(request: HttpRequest, slug: str) -> HttpResponse:
    """What differs between two versions; without a choice, between the newest and the one before it."""
    viewer = access.get_project_or_404(request.user, slug)
    versions = list(viewer.project.guidelines.select_related("created_by"))
    if not versions:
        raise Http404(say("There is no guideline yet."))
    by_number = {str(version.number): version for version in versions}
    after = by_number.get(request.GET.get("to", ""), versions[0])
    earlier = next((version for version in versions if version.number < after.number), after)
    before = by_number.get(request.GET.get("since", ""), earlier)
    found = guidelines.difference(
        before,
        after,
        examples_before=_flat(_shown(before, viewer)),
        examples_after=_flat(_shown(after, viewer)),
    )
    context = {"viewer": viewer, "versions": versions, "before": before, "after": after, "found": found}
    return render(request, "annotations/projects/guideline_changes.html", context)


def _flat(shown: guidelines.Shown) -> list[Any]:
    return [row for _, _, rows in shown.groups for row in rows]


@require_POST
@access.signed_in
def guideline_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """An older version again, as a new one."""
    viewer = access.get_project_or_404(request.user, slug, require=Capability.MANAGE)
    number, seen = (_number(request.POST.get(name, "")) for name in ("number", "seen_number"))
    try:
        made = guidelines.restore(project=viewer.project, by=viewer.user, number=number, seen_number=seen)
    except StaleRevisionError as error:
        said = say(
            "Nothing is restored: version {number} was saved meanwhile. Look at it.", number=error.current.number
        )
        messages.error(request, said)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        said = say("Version {number} is in force again, as version {other}.", number=number, other=made.number)
        messages.success(request, said)
    return redirect("annotations:guideline", slug)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0


urlpatterns = [
    path("p/<slug:slug>/guideline/", guideline, name="guideline"),
    path("p/<slug:slug>/guideline/edit/", guideline_edit, name="guideline-edit"),
    path("p/<slug:slug>/guideline/changes/", guideline_changes, name="guideline-changes"),
    path("p/<slug:slug>/guideline/restore/", guideline_restore, name="guideline-restore"),
]
