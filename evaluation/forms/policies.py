"""Forms about policies: the settings of one, its rules for tool parameters, and the run that a draft is tried on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import Case, When
from django.utils.translation import gettext_lazy as _

from annotations.models import Project
from evaluation.aem.language import say
from evaluation.aem.records import ParamPolicy
from evaluation.evaluators import registry as evaluators
from evaluation.formats import jsonio
from evaluation.forms.fields import decimals_as_text
from evaluation.models import EvaluationRun
from evaluation.services import policies, policy_fields, trials
from evaluation.services.policies import COMPARISON_WORDS, number_words
from evaluation.services.policy_fields import Fields, FieldUse

#: Rules of one policy that the page takes; more are written through the API.
MOST_RULES = 300
#: Runs that a draft can be tried on, the newest ones: whole runs, and parts that were scored again.
MOST_RUNS = 30
MOST_PARTS = 10
#: What a rule's own form fields are called; rows are ``rule-0-tool``, ``rule-1-tool`` and so on.
PREFIX = "rule"
_OWN = ("scorer", "threshold", "margin", "alignment", "default_dependencies", "taint", "extra_writes")


class RuleForm(forms.Form):
    """What a policy says about one parameter of a tool."""

    tool = forms.CharField(widget=forms.HiddenInput, strip=False, required=False)
    param = forms.CharField(widget=forms.HiddenInput, strip=False, required=False)
    compare = forms.ChoiceField(
        label=_("Compared"),
        required=False,
        choices=lambda: [
            ("", say("as usual: by its type")),
            *((name, f"{say(words)} ({name})") for name, words in COMPARISON_WORDS.items()),
        ],
    )
    abs = forms.DecimalField(label=_("Give or take"), required=False, min_value=0, max_digits=40)
    rel = forms.DecimalField(label=_("or this share of it"), required=False, min_value=0, max_digits=40)
    threshold = forms.DecimalField(label=_("Threshold"), required=False, min_value=0, max_value=1, max_digits=30)

    use: FieldUse | None = None
    """How the field occurs in the project; None where no golden and no tool has it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        decimals_as_text(self, "abs", "rel", "threshold")
        self.fields["threshold"].widget.attrs["placeholder"] = say("as above")
        self.fields["abs"].widget.attrs["placeholder"] = say("such as {value}", value="0.5")
        self.fields["rel"].widget.attrs["placeholder"] = say("such as {value}", value="0.01")

    @property
    def label(self) -> str:
        """Tool and parameter as a sentence names them."""
        return f"{self['tool'].value()}.{self['param'].value()}"

    @property
    def number(self) -> str:
        """Of its row."""
        return (self.prefix or "").rpartition("-")[2]

    @property
    def place(self) -> tuple[str, str]:
        return self["tool"].value() or "", self["param"].value() or ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name in ("abs", "rel"):
            if data.get(name) is not None and data.get("compare") != "number":
                self.add_error(name, say("Room is for a comparison as a number; choose that, or leave this empty."))
        return data

    def rule(self) -> dict[str, Any]:
        """The rule as it stands in the policy."""
        data = self.cleaned_data
        room = {name: data[name] for name in ("abs", "rel") if data.get(name) is not None}
        rule: dict[str, Any] = {}
        if data.get("compare"):
            rule["compare"] = {"as": data["compare"], **room} if room else data["compare"]
        if data.get("threshold") is not None:
            rule["threshold"] = data["threshold"]
        return rule

    @staticmethod
    def initial_from(tool: str, param: str, rule: ParamPolicy) -> dict[str, Any]:
        return {
            "tool": tool,
            "param": param,
            "compare": rule.compare.kind or "",
            "abs": number_words(rule.compare.abs),
            "rel": number_words(rule.compare.rel),
            "threshold": number_words(policies.rule_threshold(rule)),
        }


if TYPE_CHECKING:
    _RunChoice = forms.ModelChoiceField[EvaluationRun]
else:
    _RunChoice = forms.ModelChoiceField  # takes no parameters at run time


class RunChoiceField(_RunChoice):
    """A run, named with what it scored."""

    def label_from_instance(self, obj: EvaluationRun) -> str:
        words = f"{obj} · {obj.dataset_version} · {obj.policy} · {obj.get_state_display().lower()}"
        return say("{run} (a part)", run=words) if obj.is_part else words


class PolicyForm(forms.Form):
    """A draft: what a record leaves open comes from here. Its rules are forms of their own, in ``rules``."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("A name of its own makes a copy: the first number of a new policy."),
    )
    scorer = forms.ChoiceField(
        label=_("Evaluator"),
        choices=lambda: [(known.name, known.label_words) for known in evaluators.installed()],
        help_text=_("What decides where a value or a reply is not the same to the letter."),
    )
    threshold = forms.DecimalField(
        label=_("Threshold"),
        min_value=0,
        max_value=1,
        max_digits=30,
        help_text=_(
            "From which similarity on two texts count as the same, from 0 to 1. A lower one lets more pass. "
            "0.5 is only where the search for a good one starts: calibrate it on human labels."
        ),
    )
    margin = forms.DecimalField(
        label=_("Margin"),
        min_value=0,
        max_value=1,
        max_digits=30,
        help_text=_("A similarity this near to the threshold marks the verdict ambiguous, and a person settles it."),
    )
    alignment = forms.ChoiceField(
        label=_("Alignment"),
        choices=[("search", _("search: the best pairing")), ("given", _("given: by position"))],
        help_text=_("How it is found out which observed turn answers which golden turn."),
    )
    default_dependencies = forms.ChoiceField(
        label=_("Default dependencies"),
        choices=[("linear", _("linear: on every earlier call")), ("none", _("none: on nothing"))],
        help_text=_(
            "What a turn is taken to depend on where its golden says nothing at all. Only a turn that depends "
            "on a failed one can be excused as a cascade."
        ),
    )
    taint = forms.BooleanField(
        label=_("Taint: a right call on a wrong state fails"),
        required=False,
        help_text=_("A right call on a state that a failed call left behind fails too, as a cascade."),
    )
    extra_writes = forms.ChoiceField(
        label=_("Extra writes"),
        choices=[("report", _("report: say it, the test may pass")), ("fail", _("fail the test"))],
        help_text=_("What a call means that changes something and that the golden does not know."),
    )
    rule = forms.ChoiceField(
        label=_("Composition"),
        choices=[
            ("unweighted", _("unweighted: each turn counts the same")),
            ("weighted", _("weighted: by the turns' weights")),
            ("gated", _("gated: capped when a critical turn failed")),
        ],
        help_text=_("How the turns make the success rate."),
    )
    cap = forms.DecimalField(
        label=_("Cap"),
        min_value=0,
        max_value=1,
        max_digits=30,
        required=False,
        help_text=_("The most that a gated composition gives when a critical turn failed. For gated only."),
    )
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"placeholder": _("optional; kept in the history")}),
        help_text=_("What this change is for, for the next reader."),
    )
    seen_name = forms.CharField(widget=forms.HiddenInput, required=False)
    seen_number = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1, required=False)
    new_field = forms.CharField(
        label=_("Add a rule for"),
        required=False,
        widget=forms.TextInput(
            attrs={"list": "known-fields", "autocomplete": "off", "placeholder": _("tool.parameter"), "class": "mono"}
        ),
    )
    run = RunChoiceField(
        EvaluationRun.objects.none(),
        label=_("Try it on"),
        required=False,
        empty_label=None,
        help_text=_("The draft is scored on what this run scored, and compared with its verdicts. Nothing is changed."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        project: Project,
        fields: Fields,
        body: dict[str, Any] | None = None,
        initial: dict[str, Any] | None = None,
    ) -> None:
        """``body`` is the policy that the draft starts from; what the form has no field for is kept from there."""
        self.body_before = body or {}
        super().__init__(data, initial={**self._initial(), **(initial or {})})
        decimals_as_text(self, "threshold", "margin", "cap")
        scorer = self.fields["scorer"]
        assert isinstance(scorer, forms.ChoiceField)  # noqa: S101
        choices = [(known.name, known.label_words) for known in evaluators.installed()]
        if self.initial["scorer"] not in dict(choices):
            # Left out, the first of the others would be chosen without a word.
            missing = self.initial["scorer"]
            scorer.choices = [
                *choices,
                (missing, say("{name}: not installed here, so that nothing is scored", name=missing)),
            ]
        self.known = {(use.tool, use.param): use for use in fields.uses}
        run = self.fields["run"]
        assert isinstance(run, forms.ModelChoiceField)  # noqa: S101
        offered = trials.candidates(project)
        chosen = str(self.data.get("run") or self.initial.get("run") or "")
        # Whole runs first: each lesson makes a part of its own, and many of them would push the whole ones out.
        newest = [
            *offered.filter(follows=None).values_list("pk", flat=True)[:MOST_RUNS],
            *offered.exclude(follows=None).values_list("pk", flat=True)[:MOST_PARTS],
        ]
        # A run that was chosen elsewhere stays a choice, however old it is.
        run.queryset = (
            offered.filter(pk__in=[*newest, *(pk for pk in [_uuid(chosen)] if pk)])
            .select_related("dataset_version__dataset", "policy")
            .order_by(Case(When(follows=None, then=0), default=1), "-number")
        )
        default = trials.default_run(project)
        self.initial.setdefault("run", default.pk if default else None)
        self.rules = self._rules()
        for rule in self.rules:
            rule.use = self.known.get(rule.place)

    def _initial(self) -> dict[str, Any]:
        policy = policies.parsed(self.body_before)
        found: dict[str, Any] = {name: getattr(policy, name) for name in _OWN}
        for name in ("threshold", "margin"):
            found[name] = number_words(found[name])
        return {**found, "rule": policy.composition.rule, "cap": number_words(policy.composition.cap)}

    def _rules(self) -> list[RuleForm]:
        if self.is_bound:
            return [RuleForm(self.data, prefix=f"{PREFIX}-{number}") for number in rule_numbers(self.data)]
        policy = policies.parsed(self.body_before)
        return [
            RuleForm(prefix=f"{PREFIX}-{number}", initial=RuleForm.initial_from(tool, param, rule))
            for number, ((tool, param), rule) in enumerate(sorted(policies.rules_of(policy), key=lambda row: row[0]))
        ]

    def add_rule(self, name: str) -> str:
        """A further row, for a field as people or buttons name it. Returns why there is none, else an empty text."""
        place = self.place_of(name)
        if place is None:
            if not name:
                return say("Name a field first.")
            return say("{name}: name a tool and its parameter, such as booking.city.", name=name)
        if place in {rule.place for rule in self.rules}:
            return say("{field} has a rule already.", field=".".join(place))
        if len(self.rules) >= MOST_RULES:
            return say("There is room for {most} rules here; more are written through the API.", most=MOST_RULES)
        number = max((int(rule.number) for rule in self.rules), default=-1) + 1
        row = RuleForm(prefix=f"{PREFIX}-{number}", initial={"tool": place[0], "param": place[1]})
        row.use = self.known.get(place)
        row.fields["compare"].widget.attrs["autofocus"] = True
        self.rules.append(row)
        return ""

    def drop_rule(self, number: str) -> None:
        self.rules = [rule for rule in self.rules if rule.prefix != f"{PREFIX}-{number}"]

    def place_of(self, name: str) -> tuple[str, str] | None:
        """Tool and parameter of ``tool.param``, or of a button's value; None where it is neither."""
        for place, use in self.known.items():
            if name in (use.name, use.token):
                return place
        try:
            tool, param = jsonio.loads(name)
        except (jsonio.JsonError, TypeError, ValueError):
            tool, _, param = name.strip().partition(".")
        return (tool, param) if isinstance(tool, str) and isinstance(param, str) and tool and param else None

    def is_valid(self) -> bool:
        """Settings and rules alike, and the whole as the engine reads it."""
        is_fine = super().is_valid()
        for rule in self.rules:
            is_fine = rule.is_valid() and is_fine
        if not is_fine:
            return False
        places = [rule.place for rule in self.rules]
        twice = next((place for place in places if places.count(place) > 1), None)
        if twice is not None:
            self.add_error(None, say("{field} has two rules; keep one of them.", field=".".join(twice)))
            return False
        try:
            policies.check(self.body())
        except policies.PolicyRefusedError as error:
            self.add_error(None, str(error))
            return False
        return True

    def problems(self) -> Iterator[tuple[str, str]]:
        """Every error with the setting it is about."""
        for name, said in self.errors.items():
            label = str(self[name].label) if name in self.fields else ""
            yield from ((label, str(one)) for one in said)
        for rule in self.rules:
            if rule.is_bound:
                for name, said in rule.errors.items():
                    label = f", {str(rule[name].label).lower()}" if name in rule.fields else ""
                    yield from ((f"{rule.label}{label}", str(one)) for one in said)

    def body(self) -> dict[str, Any]:
        """The policy document: each setting spelled out, and what the form does not know as it was."""
        data = self.cleaned_data
        kept = {name: value for name, value in self.body_before.items() if name not in (*_OWN, "composition", "params")}
        body: dict[str, Any] = {**{name: data[name] for name in _OWN}, "composition": {"rule": data["rule"]}}
        if data["rule"] == "gated":
            body["composition"]["cap"] = data["cap"] if data["cap"] is not None else Decimal(0)
        params: dict[str, dict[str, Any]] = {}
        for row in self.rules:
            rule = row.rule()
            if rule:
                tool, param = row.place
                params.setdefault(tool, {})[param] = rule
        return {**body, **({"params": params} if params else {}), **kept}

    @property
    def seen(self) -> int:
        """The newest number of this name when the edit began; 0 where the draft has got a name of its own."""
        data = self.cleaned_data
        return (data["seen_number"] or 0) if data["seen_name"] == data["name"].strip() else 0

    @property
    def fields_to_offer(self) -> list[FieldUse]:
        """The fields that have no rule yet, the commonest first; those of earlier results are compared as they are."""
        ruled = {rule.place for rule in self.rules}
        found = [use for place, use in self.known.items() if place not in ruled]
        return sorted(found, key=lambda use: (use.kind == policy_fields.FROM_RESULT, -use.count, use.name))

    @property
    def evaluators(self) -> list[evaluators.Evaluator]:
        """All that there are, each with what it is; some need a package that is not installed here."""
        return list(evaluators.EVALUATORS.values())


def rule_numbers(data: Mapping[str, Any]) -> list[int]:
    """The numbers of the rows that a form was sent with, in their order.

    >>> rule_numbers({"rule-2-tool": "", "rule-0-tool": "", "rule-x-tool": "", "name": ""})
    [0, 2]
    """
    found = (name.split("-")[1] for name in data if name.startswith(f"{PREFIX}-") and name.endswith("-tool"))
    return sorted(int(number) for number in found if number.isdecimal() and len(number) < 6)[:MOST_RULES]


def _uuid(text: str) -> str | None:
    is_uuid = len(text) == 36 and all(part.isalnum() for part in text.split("-"))
    try:
        return text if is_uuid and int(text.replace("-", ""), 16) >= 0 else None
    except ValueError:
        return None
