"""Downloads of datasets and of their versions."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from annotations import access
from annotations.models import Capability, Dataset, DatasetVersion
from evaluation.aem.language import say
from evaluation.formats.model import CannotWriteError
from evaluation.formats.registry import FORMATS
from evaluation.services import exports


def find_version(dataset: Dataset, number: str) -> DatasetVersion | None:
    """The version that a query names; None for the state of now. Raises Http404 for one that does not exist."""
    if not number:
        return None
    version = dataset.versions.filter(number=int(number)).first() if number.isdecimal() and len(number) < 10 else None
    if version is None:
        raise Http404(say("There is no such version."))
    return version


@require_safe
@access.signed_in
def export(request: HttpRequest, slug: str, dataset_slug: str) -> HttpResponse:
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug, require=Capability.EXPORT)
    context = {
        "viewer": viewer,
        "dataset": dataset,
        "version": find_version(dataset, request.GET.get("version", "")),
        "versions": dataset.versions.order_by("-number"),
        "formats": [
            {"address": exports.url_name(known.name), "label": say(known.label), "description": say(known.description)}
            for known in FORMATS.values()
            if known.write is not None
        ],
    }
    return render(request, "evaluation/exports/detail.html", context)


@require_safe
@access.signed_in
def export_file(request: HttpRequest, slug: str, dataset_slug: str, name: str) -> HttpResponseBase:
    """The file itself, streamed. What a format cannot carry is said before anything is sent."""
    viewer, dataset = access.get_dataset_or_404(request.user, slug, dataset_slug, require=Capability.EXPORT)
    version = find_version(dataset, request.GET.get("version", ""))
    with_people = request.GET.get("people", "1") == "1"
    try:
        written = exports.written(dataset=dataset, version=version, name=name, with_people=with_people)
    except KeyError:
        raise Http404(say("There is no such export.")) from None
    except CannotWriteError as error:
        context = {"viewer": viewer, "dataset": dataset, "reasons": error.reasons, "name": name}
        return render(request, "evaluation/exports/cannot.html", context, status=422)
    response = StreamingHttpResponse(written.chunks, content_type=written.content_type)
    response["Content-Disposition"] = f'attachment; filename="{written.filename}"'
    return response


urlpatterns = [
    path("p/<slug:slug>/datasets/<slug:dataset_slug>/export/", export, name="export"),
    path("p/<slug:slug>/datasets/<slug:dataset_slug>/export/<str:name>/", export_file, name="export-file"),
]
