"""Forms about projects and people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotations.models import Project, Role, User
from evaluation.aem.language import say

BLIND_HELP = _("Annotators see neither each other's work nor the machine's verdict before they have saved their own.")
OVERLAP_HELP = _("How many write a golden for each.")
OVERLAP_CHANGE_HELP = _(
    "How many write a golden for each. More: conversations that had all their people wait again. Fewer: what is in "
    "work or done stays, nobody new is asked, and what is assigned beyond it and not begun is free."
)


class ProjectForm(forms.Form):
    name = forms.CharField(max_length=120, label=_("Name"))
    slug = forms.SlugField(
        max_length=60,
        required=False,
        label=_("Short name"),
        help_text=_("In addresses and commands; made from the name if empty."),
    )
    description = forms.CharField(label=_("Description"), widget=forms.Textarea(attrs={"rows": 2}), required=False)
    is_blind = forms.BooleanField(
        label=_("Blind"),
        required=False,
        initial=True,
        help_text=BLIND_HELP,
    )
    overlap = forms.IntegerField(
        label=_("People per conversation"),
        min_value=1,
        max_value=20,
        initial=1,
        help_text=OVERLAP_HELP,
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        slug = data.get("slug") or slugify(data.get("name", ""))[:60]
        if not slug and "name" in data:
            self.add_error("slug", say("The name has no letters that can stand in an address: give a short name."))
        elif Project.objects.filter(slug=slug).exists():
            self.add_error("slug", say("There is a project with the short name {slug} already.", slug=slug))
        data["slug"] = slug
        return data


class ProjectSettingsForm(forms.Form):
    name = forms.CharField(max_length=120, label=_("Name"))
    description = forms.CharField(label=_("Description"), widget=forms.Textarea(attrs={"rows": 3}), required=False)
    is_blind = forms.BooleanField(
        label=_("Blind"),
        required=False,
        help_text=BLIND_HELP,
    )
    overlap = forms.IntegerField(
        label=_("People per conversation"), min_value=1, max_value=20, help_text=OVERLAP_CHANGE_HELP
    )
    seen_revision = forms.IntegerField(widget=forms.HiddenInput)


class InvitationForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices, label=_("Role"))
    note = forms.CharField(max_length=200, required=False, label=_("For whom"), help_text=_("Only owners see this."))


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices, label=_("Role"))


class JoinForm(BaseUserCreationForm):  # type: ignore[type-arg]  # the class takes no argument at run time
    """A new account, for somebody who holds an invitation."""

    class Meta:
        model = User
        fields = ("username", "display_name")
        labels = {"display_name": _("Display name")}


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("display_name", "email", "language")
        labels = {"display_name": _("Display name"), "language": _("Language")}
        help_texts = {"language": _("Of the pages; empty: what the browser asks for.")}


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80, label=_("Name"), help_text=_("What it is for, such as “nightly import”."))
