"""A project's vocabulary as people edit it: entries in plain fields, whole files, and a pair to be looked up."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.aem.language import say
from evaluation.formats import jsonio
from evaluation.services import vocabularies
from evaluation.services.vocabularies import PARTS, Entry

LANGUAGES = (("", _("not known")), ("en", _("English")), ("es", _("Spanish")), ("pt", _("Portuguese")))
ADD, REPLACE = "add", "replace"
VALUES, CLAIM = "values", "claim"
LONGEST_FILE = 5_000_000
LONGEST_VALUE = 4_000
LONGEST_REPLY = 30_000


class SeenForm(forms.Form):
    """An edit of a number that somebody saw."""

    seen_number = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)
    reason = forms.CharField(required=False, max_length=500, label=_("Why"), widget=forms.TextInput)


class EntryForm(SeenForm):
    """One more entry."""

    part = forms.ChoiceField(choices=lambda: [(name, say(words)) for name, words in PARTS.items()], label=_("These"))
    terms = forms.CharField(
        label=_("Words"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One a line, or with semicolons between them. Case and accents make no difference."),
        error_messages={"required": _("Write the words.")},
    )
    others = forms.CharField(
        label=_("The other side"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Only for words that deny each other: what the words above deny."),
    )
    field = forms.CharField(
        label=_("Only in the field"),
        required=False,
        max_length=200,
        help_text=_("The parameter's name. Left empty it holds everywhere, also inside longer texts."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        part, terms, others = data.get("part"), lines_of(data.get("terms", "")), lines_of(data.get("others", ""))
        if part is None or "terms" not in data:
            return data
        if part == "opposites" and not others:
            self.add_error("others", say("Write what the words above deny."))
        if part != "opposites" and others:
            self.add_error("others", say("“{part}” has one side only.", part=say(PARTS[part])))
        if part in ("opposites", "fillers") and data.get("field"):
            self.add_error("field", say("“{part}” holds in every field.", part=say(PARTS[part])))
        if part in ("equal", "different") and len(terms) < 2:
            self.add_error("terms", say("At least two are needed, one a line."))
        return data

    def entries(self) -> list[Entry]:
        """What was written; several fillers are an entry each."""
        data = self.cleaned_data
        terms, others = lines_of(data["terms"]), lines_of(data["others"])
        if data["part"] == "opposites":
            return [Entry("opposites", (terms, others))]
        if data["part"] == "fillers":
            return [Entry("fillers", ((term,),)) for term in terms]
        return [Entry(data["part"], (terms,), data["field"].strip())]


def lines_of(text: str) -> tuple[str, ...]:
    """The terms in a text, by line or semicolon.

    >>> lines_of("NYC; New York\\n\\n Gotham ")
    ('NYC', 'New York', 'Gotham')
    """
    return tuple(dict.fromkeys(part.strip() for part in re.split(r"[;\r\n]", text) if part.strip()))


class RemoveForm(SeenForm):
    entry = forms.RegexField(regex=r"^[0-9a-f]{16}$")


class FileForm(SeenForm):
    """A vocabulary as JSON, as it is exported."""

    file = forms.FileField(required=False, label=_("A file"))
    text = forms.CharField(
        required=False,
        label=_("or its text"),
        max_length=LONGEST_FILE,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
    )
    how = forms.ChoiceField(
        choices=[(ADD, _("Add to what is there")), (REPLACE, _("Replace what is there"))], initial=ADD, label=_("Then")
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        text, upload = data.get("text", ""), data.get("file")
        if upload is not None:
            if upload.size > LONGEST_FILE:
                raise forms.ValidationError(say("The file is larger than {most} MB.", most=LONGEST_FILE // 1_000_000))
            try:
                text = upload.read().decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise forms.ValidationError(
                    say("The file is not UTF-8: byte {position} is wrong.", position=error.start)
                ) from error
        if not text.strip():
            raise forms.ValidationError(say("Choose a file, or paste its text."))
        data["text"] = text
        try:
            body = jsonio.loads(text)
        except jsonio.JsonError as error:
            raise forms.ValidationError(say("This is no JSON: {error}", error=error)) from error
        faults = vocabularies.faults_of(body)
        if faults:
            raise forms.ValidationError(faults)
        data["body"] = body
        return data


class LookForm(forms.Form):
    """Two values, or a claim and a reply, to be compared."""

    what = forms.ChoiceField(choices=[(VALUES, _("two values")), (CLAIM, _("a claim and a reply"))], initial=VALUES)
    expected = forms.CharField(
        max_length=LONGEST_VALUE, label=_("Expected value, or claim"), error_messages={"required": _("Type a value.")}
    )
    observed = forms.CharField(
        max_length=LONGEST_REPLY,
        label=_("Observed value, or reply"),
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Type a value.")},
    )
    field = forms.CharField(required=False, max_length=200, label=_("Field"))
    language = forms.ChoiceField(required=False, choices=LANGUAGES, label=_("Language"))
