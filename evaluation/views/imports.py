"""Upload, preview, decide."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access
from annotations.access import Viewer
from annotations.models import Capability
from annotations.services import documents
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say
from evaluation.formats.model import SourceFile
from evaluation.formats.registry import FORMATS
from evaluation.forms.imports import ImportForm
from evaluation.models import ImportJob
from evaluation.services import imports


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def import_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug, require=Capability.IMPORT)
    form = ImportForm(request.POST or None, request.FILES or None, project=viewer.project)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        is_new = data["dataset"] is None and not viewer.project.datasets.filter(slug=data["slug"]).exists()
        dataset = data["dataset"] or documents.get_dataset(project=viewer.project, slug=data["slug"], name=data["name"])
        job = imports.preview(
            project=viewer.project,
            dataset=dataset,
            by=viewer.user,
            files=[SourceFile(name=file.name or "upload", data=file.read()) for file in data["files"]],
            format_name=data["format"],
            encoding=data["encoding"],
            is_new_dataset=is_new,
        )
        return redirect(job)
    jobs = viewer.project.imports.select_related("created_by", "dataset").prefetch_related("files")
    context = {
        "viewer": viewer,
        "form": form,
        "page": Paginator(jobs, 20).get_page(request.GET.get("page")),
        "formats": [
            {"name": known.name, "label": say(known.label), "description": say(known.description)}
            for known in FORMATS.values()
        ],
    }
    return render(request, "evaluation/imports/list.html", context, status=422 if form.errors else 200)


def _get_job(request: HttpRequest, job_id: UUID) -> tuple[Viewer, ImportJob]:
    job = get_object_or_404(ImportJob.objects.select_related("project", "dataset__project", "created_by"), pk=job_id)
    return access.get_viewer(request.user, job.project, require=Capability.IMPORT), job


@require_safe
@access.signed_in
def import_detail(request: HttpRequest, job_id: UUID) -> HttpResponse:
    viewer, job = _get_job(request, job_id)
    problems = Paginator(job.report.get("problems", []), 100).get_page(request.GET.get("page"))
    effect = job.report.get("effect", {})
    files = list(job.files.all())
    context = {
        "viewer": viewer,
        "job": job,
        "page": problems,
        "has_changes": any("changed" in name for name in effect.get("counts", {})),
        "files": files,
        "file_names": ", ".join(file.name for file in files),
    }
    return render(request, "evaluation/imports/detail.html", context)


@require_POST
@access.signed_in
def import_apply(request: HttpRequest, job_id: UUID) -> HttpResponse:
    viewer, job = _get_job(request, job_id)
    try:
        imports.apply(
            job=job, by=viewer.user, now=timezone.now(), take_changes=request.POST.get("take_changes") == "yes"
        )
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say("Imported."))
    return redirect(job)


@require_POST
@access.signed_in
def import_discard(request: HttpRequest, job_id: UUID) -> HttpResponse:
    viewer, job = _get_job(request, job_id)
    try:
        imports.discard(job=job, by=viewer.user, now=timezone.now())
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say("Nothing was imported. The file and the report are kept."))
    return redirect(job)


@require_safe
@access.signed_in
def import_file(request: HttpRequest, job_id: UUID, pk: int) -> HttpResponseBase:
    """The file as it came, byte for byte."""
    _, job = _get_job(request, job_id)
    stored = get_object_or_404(job.files, pk=pk)
    return FileResponse(
        stored.file.open("rb"), as_attachment=True, filename=stored.name, content_type="application/octet-stream"
    )


urlpatterns = [
    path("p/<slug:slug>/imports/", import_list, name="import-list"),
    path("imports/<uuid:job_id>/", import_detail, name="import-detail"),
    path("imports/<uuid:job_id>/apply/", import_apply, name="import-apply"),
    path("imports/<uuid:job_id>/discard/", import_discard, name="import-discard"),
    path("imports/<uuid:job_id>/files/<int:pk>/", import_file, name="import-file"),
]
