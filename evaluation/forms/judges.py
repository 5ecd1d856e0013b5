"""Forms about judges and what runs may spend on them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.aem.language import mark, say
from evaluation.evaluators.judge import JudgeConfig, JudgeConfigError
from evaluation.evaluators.judge.config import KEY_VARIABLE, money_of
from evaluation.forms.fields import decimals_as_text
from evaluation.models import JudgeSettings, JudgeUse
from evaluation.services import judges

_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields under one heading."""

    title: str
    fields: list[forms.BoundField]

    @property
    def is_of_key(self) -> bool:
        """Whether the key is set here."""
        return any(field.name == "key" for field in self.fields)

    @property
    def is_open(self) -> bool:
        """Whether it must be seen: a field in it is refused."""
        return any(field.errors for field in self.fields)

    @property
    def said(self) -> str:
        """What is set there, for who does not open it; what is left empty is left out."""
        values = [(str(field.label), field.value()) for field in self.fields]
        words = [f"{label[:1].lower()}{label[1:]}: {value}" for label, value in values if value not in (None, "")]
        return " · ".join(words) or say("no limit")


class JudgeForm(forms.Form):
    """The settings of a judge. What is left empty is not sent, not limited, or not known."""

    name = forms.CharField(
        label=_("Name"), max_length=80, initial=judges.STANDARD, help_text=_("An existing name gets its next number.")
    )
    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        widget=forms.URLInput(attrs={"spellcheck": "false", "autocomplete": "off", "placeholder": "https://…/v1"}),
        help_text=_("Of any endpoint that understands OpenAI's chat completions, up to and with /v1."),
    )
    model = forms.CharField(label=_("Model"), max_length=200, widget=forms.TextInput(attrs={"spellcheck": "false"}))
    key_source = forms.ChoiceField(
        label=_("Key"),
        choices=[
            ("none", _("none is needed")),
            ("stored", _("stored here, encrypted")),
            ("env", _("from the environment, set by an administrator")),
        ],
        initial="stored",
    )
    key = forms.CharField(
        label=_("Key to store"),
        required=False,
        max_length=4096,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password"}),
        help_text=_("It is never shown again. Left empty, the key that is stored stays, for the same host."),
    )
    key_variable = forms.CharField(
        label=_("Name of the variable"),
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"spellcheck": "false", "placeholder": "AEM_JUDGE_KEY_…"}),
        help_text=_("The administrator also names the hosts that the key may be sent to, in AEM_JUDGE_HOSTS_…"),
    )
    use = forms.ChoiceField(
        label=_("Asked about"),
        choices=[
            ("ambiguous", _("only what the offline comparison leaves open")),
            ("alone", _("everything that is not equal to the letter")),
        ],
        help_text=_("A contradiction that the offline comparison finds is final in the first case."),
    )
    votes = forms.IntegerField(
        label=_("Votes"), initial=1, min_value=1, max_value=15, help_text=_("How often each question is asked.")
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        required=False,
        min_value=1,
        max_value=15,
        help_text=_("Votes that must be readable; left empty, more than half."),
    )
    temperature = forms.DecimalField(label=_("Temperature"), initial=0, min_value=0, max_value=2, decimal_places=2)
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        initial=1,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("The next votes take the next numbers."),
    )
    answer_tokens = forms.IntegerField(
        label=_("Longest answer, in tokens"),
        initial=1000,
        min_value=16,
        max_value=100_000,
        help_text=_("Models that think before they answer need more."),
    )
    timeout_seconds = forms.IntegerField(
        label=_("Wait for an answer, in seconds"), initial=60, min_value=1, max_value=600
    )
    retries = forms.IntegerField(
        label=_("Retries"),
        initial=4,
        min_value=0,
        max_value=10,
        help_text=_("When the endpoint does not answer, or has no time."),
    )
    requests_a_minute = forms.IntegerField(
        label=_("Requests a minute"),
        initial=60,
        min_value=1,
        max_value=60_000,
        help_text=_("At most, all workers together."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at the same time"),
        initial=4,
        min_value=1,
        max_value=64,
        help_text=_("At most, all workers together."),
    )
    budget_tokens = forms.IntegerField(
        label=_("Budget of a run, in tokens"), required=False, min_value=1, max_value=_LARGEST
    )
    budget_money = forms.DecimalField(
        label=_("Budget of a run, in money"),
        required=False,
        min_value=Decimal("0.000001"),
        max_value=1_000_000,
        decimal_places=6,
        help_text=_("In the unit of the prices. Published prices are in US dollars."),
    )
    price_in = forms.DecimalField(
        label=_("Price of a million tokens sent"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        decimal_places=6,
        help_text=_("Left empty: the published price of the model, where one is known."),
    )
    price_out = forms.DecimalField(
        label=_("Price of a million tokens received"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        decimal_places=6,
    )

    #: What a judge cannot do without; the rest has values that do, and is folded under headings.
    needed = (
        (mark("Where it is"), ("name", "base_url", "model")),
        (mark("Key"), ("key_source", "key", "key_variable")),
        (mark("What it is for"), ("use",)),
    )
    folded = (
        (mark("What it may cost"), ("budget_tokens", "budget_money", "price_in", "price_out")),
        (mark("How it is asked"), ("votes", "quorum", "temperature", "seed", "answer_tokens")),
        (mark("How fast"), ("timeout_seconds", "retries", "requests_a_minute", "concurrency")),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        decimals_as_text(self, "temperature", "budget_money", "price_in", "price_out")

    def fieldsets(self) -> list[FieldGroup]:
        """What is needed first, under the headings that the page gives it."""
        return [FieldGroup(say(title), [self[name] for name in names]) for title, names in self.needed]

    def folded_fieldsets(self) -> list[FieldGroup]:
        """The rest, to be opened."""
        return [FieldGroup(say(title), [self[name] for name in names]) for title, names in self.folded]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        source = data.get("key_source")
        if source == "env" and not KEY_VARIABLE.fullmatch(data.get("key_variable", "")):
            self.add_error("key_variable", say("It begins with AEM_JUDGE_KEY_ and goes on in capitals, digits and _."))
        if source != "stored" and data.get("key"):
            self.add_error("key", say("Choose “stored here” for this key, or leave it empty."))
        if not self.errors:
            try:
                JudgeConfig.from_json(self.body())
            except JudgeConfigError as error:
                self.add_error(None, str(error))
        return data

    def body(self) -> dict[str, Any]:
        """The settings document, which holds no key."""
        data = self.cleaned_data
        key: dict[str, Any] = {"source": data["key_source"]}
        if data["key_source"] == "env":
            key["variable"] = data["key_variable"]
        names = ("base_url", "model", "use", "votes", "timeout_seconds", "retries", "requests_a_minute")
        body: dict[str, Any] = {
            **{name: data[name] for name in (*names, "concurrency", "answer_tokens", "temperature", "seed")},
            "key": key,
            "budget": {"tokens": data["budget_tokens"], "money": data["budget_money"]},
            "prices": {"in": data["price_in"], "out": data["price_out"]},
        }
        if data["quorum"] is not None:
            body["quorum"] = data["quorum"]
        return body

    @staticmethod
    def initial_from(judge: JudgeSettings) -> dict[str, Any]:
        """The form's fields as a judge has them; never its key."""
        config = judges.read(judge.body)
        names = [name for name in JudgeForm.base_fields if name not in {"name", "key"}]
        return {"name": judge.name, **{name: getattr(config, name) for name in names}}


class BudgetForm(forms.Form):
    """What a run may spend on its judge, from its beginning on. Empty: no limit."""

    tokens = forms.IntegerField(label=_("Tokens"), required=False, min_value=1, max_value=_LARGEST)
    money = forms.DecimalField(
        label=_("Money"), required=False, min_value=Decimal("0.000001"), max_value=1_000_000, decimal_places=6
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        decimals_as_text(self, "money")

    @staticmethod
    def initial_from(use: JudgeUse) -> dict[str, Any]:
        """The limits that a run has now."""
        money = None if use.money_limit is None else money_of(use.money_limit).normalize()
        return {"tokens": use.token_limit, "money": money and f"{money:f}"}
