"""Datasets, their conversations, and releases."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import access
from annotations.forms.datasets import DatasetForm
from annotations.models import Capability, Dataset
from annotations.services import conversations, documents, releases, restoring
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say

PAGE_SIZE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def dataset_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_project_or_404(request.user, slug)
    form = DatasetForm(request.POST or None, project=viewer.project)
    if request.method == "POST":
        access.get_viewer(request.user, viewer.project, require=Capability.IMPORT)
        if form.is_valid():
            return redirect(documents.get_dataset(project=viewer.project, **form.cleaned_data))
    datasets = Dataset.objects.filter(project=viewer.project).annotate(
        conversation_count=Count("conversations", distinct=True),
        annotated_count=Count("conversations", filter=Q(conversations__golden_record__isnull=False), distinct=True),
        version_count=Count("versions", distinct=True),
    )
    context = {"viewer": viewer, "datasets": datasets.order_by("name"), "form": form}
    return render(request, "annotations/datasets/list.html", context, status=422 if form.errors else 200)


@require_safe
@access.signed_in
def dataset_detail(request: HttpRequest, slug: str, dataset_slug: str) -> HttpResponse:
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug)
    asked = {name: request.GET.get(name, "") for name in ("q", "state", "language", "domain")}
    asked["q"] = asked["q"].strip()
    found = conversations.find(dataset, **asked).select_related("golden_record")
    context = {
        "viewer": viewer,
        "dataset": dataset,
        "page": Paginator(found, PAGE_SIZE).get_page(request.GET.get("page")),
        "versions": dataset.versions.select_related("created_by")
        .annotate(golden_count=Count("items"))
        .order_by("-number"),
        "languages": _values(dataset, "language"),
        "domains": _values(dataset, "domain"),
        "filters": request.GET,
        "restored": restoring.find_restores(dataset).select_related("actor").first()
        if viewer.can(Capability.MANAGE)
        else None,
    }
    return render(request, "annotations/datasets/detail.html", context)


def _values(dataset: Dataset, name: str) -> list[str]:
    return list(dataset.conversations.exclude(**{name: ""}).order_by(name).values_list(name, flat=True).distinct())


@require_POST
@access.signed_in
def dataset_release(request: HttpRequest, slug: str, dataset_slug: str) -> HttpResponse:
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug, require=Capability.MANAGE)
    try:
        version = releases.release(dataset=dataset, by=viewer.user, note=request.POST.get("note", "").strip())
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect(dataset)
    messages.success(request, say("{version} is released. It will not change any more.", version=version))
    return redirect(version)


@require_safe
@access.signed_in
def dataset_version(request: HttpRequest, slug: str, dataset_slug: str, number: int) -> HttpResponse:
    viewer, version = access.get_dataset_version_or_404(request.user, slug, dataset_slug, number)
    items = version.items.select_related("golden_record__conversation").order_by("position")
    context = {
        "viewer": viewer,
        "version": version,
        "page": Paginator(items, PAGE_SIZE).get_page(request.GET.get("page")),
        "runs": [] if viewer.is_blinded else version.runs.order_by("-number"),
    }
    return render(request, "annotations/datasets/version.html", context)


urlpatterns = [
    path("p/<slug:slug>/datasets/", dataset_list, name="dataset-list"),
    path("p/<slug:slug>/datasets/<slug:dataset_slug>/", dataset_detail, name="dataset-detail"),
    path("p/<slug:slug>/datasets/<slug:dataset_slug>/release/", dataset_release, name="dataset-release"),
    path("p/<slug:slug>/datasets/<slug:dataset_slug>/v<int:number>/", dataset_version, name="dataset-version"),
]
