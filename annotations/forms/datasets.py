"""Forms about datasets."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotations.models import Project
from evaluation.aem.language import say


class DatasetForm(forms.Form):
    name = forms.CharField(max_length=120, label=_("Name of the new dataset"))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        slug = slugify(data.get("name", ""))[:60]
        if "name" in data and not slug:
            self.add_error("name", say("The name needs letters or digits."))
        elif slug and self.project.datasets.filter(slug=slug).exists():
            self.add_error("name", say("There is a dataset {slug} already.", slug=slug))
        data["slug"] = slug
        return data
