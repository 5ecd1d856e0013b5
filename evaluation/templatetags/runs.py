"""Words for what a run's summary holds."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from annotations.models import FailureReasonChoice
from evaluation.models import EvaluationRun, RunState
from evaluation.services.items import NOT_GIVEN
from evaluation.services.summaries import CASCADE

register = template.Library()

_REASONS = {**dict(FailureReasonChoice.choices), CASCADE: "Earlier action failed"}
_CHAINS = {"single": "one call", "two_step": "two calls in a row", "complex": "three or more in a row"}
_STATE_CHIPS = {RunState.DONE: ("info", "✓"), RunState.FAILED: ("root", "✖"), RunState.STOPPED: ("skip", "■")}
_FILTER_WORDS = {
    "kind": "kind of turn",
    "chain": "longest chain",
    "length": "golden turns",
    "field": "parameter or claim",
}


@register.filter
def reason_text(reason: str) -> str:
    """A failure reason in words; an unknown one as it is."""
    return str(_REASONS.get(reason, reason))


@register.filter
def chain_text(bucket: str) -> str:
    return _CHAINS.get(bucket, "no call" if bucket == NOT_GIVEN else bucket)


@register.filter
def filter_word(name: str) -> str:
    return _FILTER_WORDS.get(name, name)


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
    return str(row["value"] or ("unnamed agent" if name == "agent" else "not given"))


@register.simple_tag
def left_open_words(left: dict[str, int]) -> str:
    """What nobody could judge in a run, in words."""
    turns, outcomes, calls = left["turns"], left["outcomes"], left["calls"]
    parts = [f"{turns:,} turn{'' if turns == 1 else 's'}"] if turns else []
    parts += [f"{outcomes:,} outcome{'' if outcomes == 1 else 's'}"] if outcomes else []
    if calls:
        parts.append(f"whether a call was forbidden in {calls:,} trajector{'y' if calls == 1 else 'ies'}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


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
        f"{name.replace('_', ' ')}: {str(body[name]).lower() if isinstance(body[name], bool) else body[name]}"
        for name, default in defaults.items()
        if name in body and body[name] != default
    ]
    composition = body.get("composition", {})
    if composition.get("rule", "unweighted") != "unweighted":
        cap = f", cap {composition['cap']}" if "cap" in composition else ""
        parts.append(f"composition: {composition['rule']}{cap}")
    parts += [f"{name} {body[name]}" for name in ("threshold", "margin") if name in body]
    if body.get("params"):
        parts.append(f"own comparisons for {', '.join(sorted(body['params']))}")
    return " · ".join(parts) or "the engine's defaults"
