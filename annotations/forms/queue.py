"""Forms of the queue's managers: what is asked for, and what is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotations.models import QueueActionKind, User
from annotations.services import queue, queue_actions
from annotations.services.assignments import PRIORITY_LIMIT, REASON_LENGTH
from annotations.services.queue_actions import ActionRefusedError

#: The largest number that a row can have.
LARGEST_ID = 2**63 - 1


def filters_of(query: QueryDict) -> queue.Filters:
    """What an address asks for; what makes no sense there is as good as not asked."""
    state, person = query.get("state", ""), query.get("person", "")
    priority = query.get("priority", "").strip().lower()
    try:
        number = queue_actions.read_priority(priority)
    except ActionRefusedError:
        priority, number = "", None
    if priority not in ("high", "normal", "low"):
        priority = "" if number is None else str(number)
    return queue.Filters(
        q=query.get("q", "").replace("\x00", "\ufffd").strip(),
        dataset=query.get("dataset", "").replace("\x00", ""),
        language=query.get("language", "").replace("\x00", ""),
        state=state if state in queue.STATES else "",
        person=_id(person),
        priority=priority,
        reason=query.get("reason", "").replace("\x00", ""),
    )


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


class ActForm(forms.Form):
    """One act on the ticked conversations or on all that match. What the act does not use is not looked at."""

    do = forms.ChoiceField(
        label=_("What to do"), choices=(), error_messages={"required": _("Choose what is to be done.")}
    )
    scope = forms.ChoiceField(choices=(("ticked", "ticked"), ("all", "all")), required=False)
    priority = forms.ChoiceField(
        choices=(
            ("high", pgettext_lazy("priority", "high")),
            ("normal", pgettext_lazy("priority", "normal")),
            ("low", pgettext_lazy("priority", "low")),
        ),
        label=_("Priority"),
        required=False,
        initial="high",
        widget=forms.Select(attrs={"aria-label": _("Priority")}),
    )
    number = forms.IntegerField(
        label=_("or a number"),
        min_value=-PRIORITY_LIMIT,
        max_value=PRIORITY_LIMIT,
        required=False,
        help_text=format_lazy(_("From -{most} to {most}; high is 10, normal 0, low -10."), most=PRIORITY_LIMIT),
    )
    people = forms.TypedMultipleChoiceField(
        coerce=int, choices=(), label=_("People"), required=False, widget=forms.CheckboxSelectMultiple
    )
    each = forms.ChoiceField(
        label=_("Who gets which"),
        choices=(("", _("one of them each, in turn")), ("1", _("all of them, a place each"))),
        required=False,
        widget=forms.RadioSelect,
    )
    until = forms.DateField(
        label=_("Until the end of"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("Then the place is free for everybody. Empty: it is kept without an end."),
    )
    reason = forms.CharField(label=_("Why"), max_length=REASON_LENGTH, required=False)

    def __init__(
        self,
        *args: Any,
        kinds: Sequence[QueueActionKind],
        people: Sequence[User],
        ticked: Sequence[str] = (),
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.known = {user.pk: user for user in people}
        self.fields["do"].choices = [(kind.value, kind.label) for kind in kinds]  # type: ignore[attr-defined]
        self.fields["people"].choices = [(user.pk, str(user)) for user in people]  # type: ignore[attr-defined]
        self.ticked = [number for number in map(_id, ticked) if number is not None]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("scope") != "all" and not self.ticked:
            self.add_error("scope", _("Tick at least one conversation, or choose all that match."))
        return data

    def refuse(self, error: ActionRefusedError) -> None:
        """Say why the act was refused at the field that it is about."""
        field = {"due_at": "until"}.get(error.about, error.about)
        self.add_error(field if field in self.fields else None, str(error))

    def options(self) -> dict[str, Any]:
        """What the act takes, as ``queue_actions.perform`` reads it."""
        data = self.cleaned_data
        number, until = data.get("number"), data.get("until")
        return {
            "kind": data["do"],
            "priority": queue_actions.read_priority(data.get("priority") or "") if number is None else number,
            "people": [self.known[pk] for pk in data.get("people") or []],
            "each": data.get("each") == "1",
            "due_at": timezone.make_aware(datetime.combine(until, time.max)) if until else None,
            "reason": data.get("reason") or "",
        }
