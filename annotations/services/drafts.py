"""Keeping what somebody typed until it is saved, in any browser."""

from __future__ import annotations

import re
from typing import Any

from django.db import IntegrityError, transaction

from annotations.models import Draft, User
from annotations.models.drafts import NAME_LENGTH
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say
from evaluation.formats import jsonio

#: A form's fields as JSON, in characters. More stays in the browser alone.
MOST_CHARACTERS = 1_000_000
#: Of one person; the oldest go first.
MOST_DRAFTS = 200

Fields = list[list[str]]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class DraftTooLargeError(WorkbenchError):
    """The fields take more room than a draft has; the browser keeps them."""


def find(*, user: User, name: str) -> Draft | None:
    return Draft.objects.filter(user=user, name=name).first()


def keep(*, user: User, name: str, fields: Any) -> None:
    """Store what is typed in a form, in place of what was stored of it before.

    Raises WorkbenchError for what is no list of names and values, DraftTooLargeError for too much of it.
    """
    if not name or len(name) > NAME_LENGTH or "\x00" in name:
        raise WorkbenchError(say("A draft needs the name of its form."))
    fields = _require_fields(fields)
    try:
        with transaction.atomic():
            _, is_new = Draft.objects.update_or_create(user=user, name=name, defaults={"fields": fields})
    except IntegrityError:  # another window was first with this form
        _, is_new = Draft.objects.update_or_create(user=user, name=name, defaults={"fields": fields})
    if is_new:
        kept = Draft.objects.filter(user=user).order_by("-updated_at", "-pk").values_list("pk", flat=True)
        Draft.objects.filter(pk__in=list(kept[MOST_DRAFTS:])).delete()


def discard(*, user: User, name: str) -> None:
    """What was typed is saved, or not wanted any more."""
    Draft.objects.filter(user=user, name=name).delete()


def _require_fields(fields: Any) -> Fields:
    if not isinstance(fields, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in fields
    ):
        raise WorkbenchError(say("A draft is a list of names and values."))
    text = jsonio.dumps(fields)
    if len(text) > MOST_CHARACTERS:
        raise DraftTooLargeError(say("This is too much to keep as a draft on the server; your browser keeps it."))
    return [[_UNSTORABLE.sub("\ufffd", part) for part in pair] for pair in fields]
