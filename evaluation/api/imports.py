"""Imports (upload, report, decide) and exports."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import FileResponse, Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import access
from annotations.api.base import (
    AnyAccept,
    Endpoint,
    Input,
    JSONObject,
    Nothing,
    PageQuery,
    PersonSerializer,
    Row,
    found_or_404,
    operation,
)
from annotations.models import Capability
from annotations.services import documents
from evaluation.formats.model import CannotWriteError, SourceFile
from evaluation.formats.registry import FORMATS
from evaluation.forms.imports import ENCODINGS
from evaluation.models import ImportFile, ImportJob, ImportState
from evaluation.services import exports, imports

bringing = partial(operation, tag="imports")
taking = partial(operation, tag="exports")

_ENCODINGS = [name for name, _ in ENCODINGS if name]


class FormatSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    export_name = serializers.CharField(allow_null=True, help_text="As exports call it; null where it is only read.")
    label = serializers.CharField()  # type: ignore[assignment]
    description = serializers.CharField()
    example = serializers.CharField()


class ImportFileSerializer(Row):
    class Meta:
        model = ImportFile
        fields = ("id", "name", "size", "sha256")
        read_only_fields = fields


class ImportSerializer(Row):
    dataset = serializers.CharField(source="dataset.slug", read_only=True, allow_null=True, default=None)
    created_by = PersonSerializer(read_only=True, allow_null=True)
    files = ImportFileSerializer(many=True, read_only=True)

    class Meta:
        model = ImportJob
        fields = ("id", "dataset", "format", "encoding", "state", "files", "created_by", "created_at", "decided_at")
        read_only_fields = fields


class ImportDetailSerializer(ImportSerializer):
    report = JSONObject(read_only=True, help_text="Counts, problems by line, and what would be or was written.")

    class Meta:
        model = ImportJob
        fields = (*ImportSerializer.Meta.fields, "report")
        read_only_fields = fields


class ImportInput(Input):
    dataset = serializers.SlugField(max_length=60, help_text="Into which dataset; it is made if it is not there.")
    name = serializers.CharField(max_length=120, required=False, default="", help_text="The name of a new dataset.")
    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)
    format = serializers.ChoiceField(
        choices=list(FORMATS), required=False, default="", help_text="Found from the content if left out."
    )
    encoding = serializers.ChoiceField(
        choices=_ENCODINGS, required=False, default="", help_text="Found from the bytes if left out."
    )


class ImportQuery(PageQuery):
    state = serializers.ChoiceField(choices=ImportState.choices, required=False)
    dataset = serializers.SlugField(required=False)


class ApplyInput(Input):
    take_changes = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Add a new version of what is there with other content; else what is there stays.",
    )


class FormatList(Endpoint):
    @bringing("list_formats", "What can be read and written.", answers=FormatSerializer(many=True))
    def get(self, request: Request) -> Response:
        written = exports.writable()
        rows = [
            {
                "name": known.name,
                "export_name": exports.url_name(known.name) if exports.url_name(known.name) in written else None,
                "label": known.label,
                "description": known.description,
                "example": known.example,
            }
            for known in FORMATS.values()
        ]
        return Response(FormatSerializer(rows, many=True).data)


class ImportList(Endpoint):
    parser_classes = [MultiPartParser]

    @bringing("list_imports", "Uploads, the newest first.", query=ImportQuery, answers=ImportSerializer, is_page=True)
    def get(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.IMPORT)
        wanted = self.query(ImportQuery)
        jobs = viewer.project.imports.select_related("created_by", "dataset").prefetch_related("files").defer("report")
        if "state" in wanted:
            jobs = jobs.filter(state=wanted["state"])
        if "dataset" in wanted:
            jobs = jobs.filter(dataset__slug=wanted["dataset"])
        return self.page(jobs, ImportSerializer, order=("-created_at", "pk"))

    @bringing(
        "create_import",
        "Upload files. The answer says everything about them; nothing is written before `apply`.",
        body={"multipart/form-data": ImportInput},
        answers=ImportDetailSerializer,
        status=201,
    )
    def post(self, request: Request, slug: str) -> Response:
        viewer = access.get_project_or_404(self.user, slug, require=Capability.IMPORT)
        given = self.body(ImportInput)
        is_new = not viewer.project.datasets.filter(slug=given["dataset"]).exists()
        job = imports.preview(
            project=viewer.project,
            dataset=documents.get_dataset(project=viewer.project, slug=given["dataset"], name=given["name"]),
            is_new_dataset=is_new,
            by=self.user,
            files=[SourceFile(name=file.name or "upload", data=file.read()) for file in given["files"]],
            format_name=given["format"],
            encoding=given["encoding"],
        )
        return self.answer(ImportDetailSerializer, job, status=201)


class _Import(Endpoint):
    def job(self, job_id: UUID) -> ImportJob:
        rows = ImportJob.objects.select_related("project", "dataset__project", "created_by")
        job: ImportJob = found_or_404(rows, pk=job_id)
        access.get_viewer(self.user, job.project, require=Capability.IMPORT)
        return job


class ImportDetail(_Import):
    @bringing("get_import", "One upload with its report.", answers=ImportDetailSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        return self.answer(ImportDetailSerializer, self.job(job_id))


class ImportApply(_Import):
    @bringing("apply_import", "Write the good records, all or none.", body=ApplyInput, answers=ImportDetailSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        job = self.job(job_id)
        take_changes = self.body(ApplyInput)["take_changes"]
        job = imports.apply(job=job, by=self.user, now=timezone.now(), take_changes=take_changes)
        return self.answer(ImportDetailSerializer, job)


class ImportDiscard(_Import):
    @bringing("discard_import", "Write nothing; file and report stay.", body=Nothing, answers=ImportDetailSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        job = self.job(job_id)
        self.body(Nothing)
        return self.answer(ImportDetailSerializer, imports.discard(job=job, by=self.user, now=timezone.now()))


class ImportFileDetail(_Import):
    content_negotiation_class = AnyAccept

    @bringing(
        "download_import_file",
        "An uploaded file as it came, byte for byte.",
        answers=OpenApiTypes.BINARY,
        media="application/octet-stream",
    )
    def get(self, request: Request, job_id: UUID, pk: int) -> HttpResponseBase:
        stored = found_or_404(self.job(job_id).files.all(), pk=pk)
        return FileResponse(
            stored.file.open("rb"), as_attachment=True, filename=stored.name, content_type="application/octet-stream"
        )


# --- exports ---


class ExportQuery(Input):
    format = serializers.CharField(required=False, default="aem-1", help_text="The `export_name` of a format.")
    version = serializers.IntegerField(
        required=False, min_value=1, help_text="A released version; left out: the state of now."
    )
    people = serializers.BooleanField(
        required=False, default=True, help_text="Whether labels, decisions and annotations of people go with it."
    )


class Export(Endpoint):
    content_negotiation_class = AnyAccept

    @taking(
        "export_dataset",
        "A dataset as a file, streamed. What the format cannot carry is said before anything is sent.",
        query=ExportQuery,
        answers=OpenApiTypes.BINARY,
        media="application/x-ndjson",
    )
    def get(self, request: Request, slug: str, dataset_slug: str) -> HttpResponseBase:
        _, dataset = access.get_dataset_or_404(self.user, slug, dataset_slug, require=Capability.EXPORT)
        wanted = self.query(ExportQuery)
        version = None
        if "version" in wanted:
            version = dataset.versions.filter(number=wanted["version"]).first()
            if version is None:
                raise Http404("There is no such version.")
        try:
            written = exports.written(
                dataset=dataset, version=version, name=wanted["format"], with_people=wanted["people"]
            )
        except KeyError:
            known = ", ".join(exports.writable())
            raise ValidationError({"format": f"There is no such export; the formats are {known}."}) from None
        except CannotWriteError as error:
            raise ValidationError({"format": list(error.reasons)}) from error
        response = StreamingHttpResponse(written.chunks, content_type=written.content_type)
        response["Content-Disposition"] = f'attachment; filename="{written.filename}"'
        return response


_IMPORT = "imports/<uuid:job_id>/"
urlpatterns: list[Any] = [
    path("formats/", FormatList.as_view(), name="format-list"),
    path("projects/<slug:slug>/imports/", ImportList.as_view(), name="import-list"),
    path(_IMPORT, ImportDetail.as_view(), name="import-detail"),
    path(f"{_IMPORT}apply/", ImportApply.as_view(), name="import-apply"),
    path(f"{_IMPORT}discard/", ImportDiscard.as_view(), name="import-discard"),
    path(f"{_IMPORT}files/<int:pk>/", ImportFileDetail.as_view(), name="import-file"),
    path("projects/<slug:slug>/datasets/<slug:dataset_slug>/export/", Export.as_view(), name="export"),
]
