"""Forms about runs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from annotations.models import DatasetVersion, FailureReasonChoice, Project, TurnKind
from evaluation.aem.language import say, say_n
from evaluation.forms import fields
from evaluation.models import Policy
from evaluation.services import items, policies, runs, summaries
from evaluation.services.items import ItemFilter

ANY = ("", _("any"))


class RunForm(forms.Form):
    """What to score. Agent versions and trials are those of the dataset version that is chosen."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        help_text=_("What this run is to find out; may be left empty."),
    )
    dataset_version = forms.ModelChoiceField(
        DatasetVersion.objects.none(), label=_("Dataset version"), empty_label=None
    )
    agents = forms.MultipleChoiceField(
        label=_("Agent versions"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("None chosen: all of them."),
    )
    trials = forms.TypedMultipleChoiceField(
        label=_("Trials"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("None chosen: all of them, those without a number too."),
    )
    policy = forms.ModelChoiceField(Policy.objects.none(), label=_("Policy"), empty_label=None)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = (
            DatasetVersion.objects.filter(dataset__project=project)
            .select_related("dataset")
            .order_by("-created_at", "-pk")
        )
        _choices(self, "dataset_version").queryset = versions
        latest = policies.latest(project=project)
        _choices(self, "policy").queryset = Policy.objects.filter(pk__in=[policy.pk for policy in latest])
        self.version = self._chosen(versions)
        self.policies = latest
        if self.version is not None:
            self.initial.setdefault("dataset_version", self.version.pk)
            self._offer(
                "agents",
                [
                    (
                        items.key_of(found.version),
                        say_n(
                            "{agent} ({number} trajectory)",
                            "{agent} ({number} trajectories)",
                            found.trajectories,
                            agent=found.version.label,
                            number=f"{found.trajectories:,}",
                        ),
                    )
                    for found in runs.available_agents(self.version)
                ],
            )
            self._offer(
                "trials",
                [(trial, say("trial {number}", number=trial)) for trial in runs.available_trials(self.version)],
            )

    def _chosen(self, versions: QuerySet[DatasetVersion]) -> DatasetVersion | None:
        wanted = self.data.get("dataset_version") or self.initial.get("dataset_version")
        if wanted:
            found = next((version for version in versions if str(version.pk) == str(wanted)), None)
            if found is not None:
                return found
        return versions.first()

    def _offer(self, name: str, choices: list[tuple[Any, str]]) -> None:
        field = fields.offer(self, name, choices)
        if len(choices) < 2:
            # Nothing to choose between; the field would only ask a question that has one answer.
            field.widget = forms.MultipleHiddenInput()

    def clean_agents(self) -> list[runs.AgentVersion]:
        chosen = [items.agent_of(key) for key in self.cleaned_data["agents"]]
        return [agent for agent in chosen if agent is not None]


class ItemFilterForm(forms.Form):
    """The filters of a run's item list. Those without a box come from links, and are shown with a way out."""

    result = forms.ChoiceField(
        label=_("Result"),
        required=False,
        choices=[
            ANY,
            ("failed", _("test failed")),
            ("passed", _("test passed")),
            ("unknown", _("test not known")),
            ("left_open", _("something left open")),
            ("empty", _("nothing evaluated")),
            ("not_scored", _("not scored at all")),
            ("waiting", _("not looked at yet")),
        ],
    )
    cause = forms.ChoiceField(
        label=_("With a turn that is"),
        required=False,
        choices=[
            ANY,
            ("root", _("a root cause")),
            ("cascade", _("a cascade")),
            ("failed", _("failed")),
            ("passed", _("passed")),
            ("not_scored", _("not scored")),
        ],
    )
    reason = forms.ChoiceField(
        label=_("Reason"),
        required=False,
        choices=[ANY, *FailureReasonChoice.choices, (summaries.CASCADE, _("Earlier action failed"))],
    )
    tool = forms.CharField(label=_("Tool"), required=False)
    agent = forms.ChoiceField(label=_("Agent version"), required=False)
    first = forms.IntegerField(label=_("First failing turn"), required=False, min_value=1)
    ambiguous = forms.BooleanField(label=_("ambiguous"), required=False)
    stale = forms.BooleanField(label=_("out of date"), required=False)
    action = forms.CharField(required=False, widget=forms.HiddenInput)
    field = forms.CharField(required=False, widget=forms.HiddenInput)
    kind = forms.ChoiceField(required=False, choices=[ANY, *TurnKind.choices], widget=forms.HiddenInput)
    trial = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    chain = forms.CharField(required=False, widget=forms.HiddenInput)
    length = forms.CharField(required=False, widget=forms.HiddenInput)
    language = forms.CharField(required=False, widget=forms.HiddenInput)
    domain = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, agents: list[runs.AgentVersion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields.offer(self, "agent", [ANY, *((items.key_of(agent), agent.label) for agent in agents)])

    def wanted(self) -> ItemFilter:
        """The filter; of a value that cannot be, the field says so and the rest holds."""
        self.is_valid()
        return ItemFilter(**self.cleaned_data)

    @classmethod
    def kept(cls, given: QueryDict) -> str:
        """The part of a query that filters, as a query again: what a page carries along that was opened from a list."""
        return urlencode([(name, value) for name in cls.base_fields if (value := given.get(name, ""))])

    def from_links(self) -> list[tuple[str, str]]:
        """Name and value of the filters in force that have no box of their own."""
        return [
            (name, str(self.cleaned_data[name]))
            for name, field in self.fields.items()
            if field.widget.is_hidden and self.cleaned_data.get(name) not in ("", None)
        ]


class CompareForm(forms.Form):
    a = forms.ChoiceField(label=_("Version A"))
    b = forms.ChoiceField(label=_("Version B"))

    def __init__(self, *args: Any, agents: list[runs.AgentVersion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("a", "b"):
            fields.offer(self, name, [(items.key_of(agent), agent.label) for agent in agents])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors and data["a"] == data["b"]:
            self.add_error("b", say("Choose two different versions."))
        return data


def _choices(form: forms.Form, name: str) -> forms.ModelChoiceField[Any]:
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)  # noqa: S101
    return field
