"""Words for what a run's summary holds."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from annotations.models import FailureReasonChoice
from evaluation.aem.language import mark, say, say_n
from evaluation.formats.words import told as told_problem
from evaluation.models import EvaluationRun, RunState
from evaluation.services.items import NOT_GIVEN
from evaluation.services.summaries import CASCADE, LONGEST

register = template.Library()

_REASONS = dict(FailureReasonChoice.choices)
_EARLIER = mark("Earlier action failed")
_CHAINS = {
    "single": mark("one call"),
    "two_step": mark("two calls in a row"),
    "complex": mark("three or more in a row"),
}
_STATE_CHIPS = {RunState.DONE: ("info", "✓"), RunState.FAILED: ("root", "✖"), RunState.STOPPED: ("skip", "■")}
_FILTER_WORDS = {
    "kind": mark("kind of turn"),
    "chain": mark("longest chain"),
    "length": mark("golden turns"),
    "field": mark("parameter or claim"),
    "action": mark("action"),
    "trial": mark("trial"),
    "language": mark("language"),
    "domain": mark("domain"),
}
_SUB_METRICS = {
    "structural": mark("structural"),
    "completeness": mark("completeness"),
    "truthfulness": mark("truthfulness"),
}
_SETTINGS = {
    "scorer": mark("scorer"),
    "alignment": mark("alignment"),
    "default_dependencies": mark("default dependencies"),
    "taint": mark("taint"),
    "extra_writes": mark("extra writes"),
}


@register.filter
def reason_text(reason: str) -> str:
    """A failure reason in words; an unknown one as it is."""
    return say(_EARLIER) if reason == CASCADE else str(_REASONS.get(reason, reason))


@register.filter
def chain_text(bucket: str) -> str:
    if bucket == NOT_GIVEN:
        return say("no call")
    return say(_CHAINS[bucket]) if bucket in _CHAINS else bucket


@register.filter
def filter_word(name: str) -> str:
    return say(_FILTER_WORDS[name]) if name in _FILTER_WORDS else name


@register.filter
def sub_metric_text(name: str) -> str:
    return say(_SUB_METRICS[name]) if name in _SUB_METRICS else name


@register.filter
def error_text(error: str) -> str:
    """Why something was not scored, as it was stored: a sentence, or one with its place in the record before it."""
    return told_problem(error)


@register.filter
def state_class(run: EvaluationRun) -> str:
    return _STATE_CHIPS.get(RunState(run.state), ("info", ""))[0]


@register.filter
def state_glyph(run: EvaluationRun) -> str:
    return _STATE_CHIPS.get(RunState(run.state), ("info", "…"))[1]


@register.simple_tag
def items_url(run: EvaluationRun, **filters: Any) -> str:
    """The address of the run's items that fit; an empty value asks for those where nothing was given."""
    query = {name: NOT_GIVEN if value == "" else value for name, value in filters.items() if value is not None}
    return f"{reverse('evaluation:run-items', args=[run.pk])}?{urlencode(query)}"


@register.simple_tag(takes_context=True)
def without_filter(context: dict[str, Any], name: str) -> str:
    """This list without one of its filters, from its first page."""
    query = context["request"].GET.copy()
    query.pop(name, None)
    query.pop("page", None)
    return f"?{query.urlencode()}"


@register.simple_tag
def group_url(run: EvaluationRun, name: str, row: dict[str, Any], cause: str | None = None) -> str:
    """The address of the items behind one row of a summary table; ``name`` is the filter that the table is about."""
    return items_url(run, **{name: row.get("key", row["value"]), "cause": cause})


@register.filter
def group_text(row: dict[str, Any], name: str) -> str:
    """How a row of a summary table is called."""
    if name == "chain":
        return chain_text(row["value"])
    if row["value"] == LONGEST:
        return say(LONGEST)
    return str(row["value"] or (say("unnamed agent") if name == "agent" else say("not given")))


@register.simple_tag
def left_open_words(left: dict[str, int]) -> str:
    """What nobody could judge in a run, in words."""
    turns, outcomes, calls = left["turns"], left["outcomes"], left["calls"]
    parts = [say_n("{number} turn", "{number} turns", turns, number=f"{turns:,}")] if turns else []
    parts += [say_n("{number} outcome", "{number} outcomes", outcomes, number=f"{outcomes:,}")] if outcomes else []
    if calls:
        parts.append(
            say_n(
                "whether a call was forbidden in {number} trajectory",
                "whether a call was forbidden in {number} trajectories",
                calls,
                number=f"{calls:,}",
            )
        )
    return say("{some} and {last}", some=", ".join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else parts[0]


@register.simple_tag
def policy_words(body: dict[str, Any]) -> str:
    """What a policy says other than the engine's defaults, in one line."""
    defaults = {
        "scorer": "exact",
        "alignment": "search",
        "default_dependencies": "linear",
        "taint": True,
        "extra_writes": "report",
    }
    parts = [
        f"{say(_SETTINGS[name])}: {str(body[name]).lower() if isinstance(body[name], bool) else body[name]}"
        for name, default in defaults.items()
        if name in body and body[name] != default
    ]
    composition = body.get("composition", {})
    if composition.get("rule", "unweighted") != "unweighted":
        rule, cap = composition["rule"], composition.get("cap")
        parts.append(
            say("composition: {rule}, cap {cap}", rule=rule, cap=cap)
            if "cap" in composition
            else say("composition: {rule}", rule=rule)
        )
    parts += [say("threshold {value}", value=body["threshold"])] if "threshold" in body else []
    parts += [say("margin {value}", value=body["margin"])] if "margin" in body else []
    if body.get("params"):
        parts.append(say("own comparisons for {names}", names=", ".join(sorted(body["params"]))))
    return " · ".join(parts) or say("the engine's defaults")
