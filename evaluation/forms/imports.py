"""The upload form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotations.models import Dataset, Project
from evaluation.aem.language import say
from evaluation.formats.registry import FORMATS

ENCODINGS = (
    ("", _("Found from the bytes (UTF-8, UTF-16)")),
    ("latin-1", _("Latin-1 (ISO 8859-1)")),
    ("cp1252", "Windows-1252"),
    ("cp1250", "Windows-1250"),
    ("shift_jis", _("Shift JIS")),
    ("gb18030", _("GB 18030")),
)


class _ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class _ManyFilesField(forms.FileField):
    widget = _ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(_ManyFilesField, self).clean(file, initial) for file in files]


class ImportForm(forms.Form):
    files = _ManyFilesField(  # type: ignore[assignment]  # the name is also one of the form's own attributes
        label=_("Files"),
        help_text=_("One or several; those that belong together, such as results and tool schemas, at once."),
    )
    dataset = forms.ModelChoiceField(
        queryset=Dataset.objects.none(), required=False, empty_label=_("A new dataset"), label=_("Into the dataset")
    )
    new_dataset = forms.CharField(max_length=120, required=False, label=_("Name of the new dataset"))
    format = forms.ChoiceField(
        required=False,
        label=_("Format"),
        choices=lambda: [
            ("", say("Found from the content")),
            *((name, say(known.label)) for name, known in FORMATS.items()),
        ],
    )
    encoding = forms.ChoiceField(required=False, choices=ENCODINGS, label=_("Encoding"))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        datasets = project.datasets.order_by("name")
        field = self.fields["dataset"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - declared above
        field.queryset = datasets
        if len(datasets) == 1:
            field.initial = datasets[0]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("dataset") is None:
            name = data.get("new_dataset", "").strip()
            slug = slugify(name)[:60]
            if not slug:
                self.add_error("new_dataset", say("Choose a dataset, or give a new one a name with letters or digits."))
            data["slug"], data["name"] = slug, name
        return data
