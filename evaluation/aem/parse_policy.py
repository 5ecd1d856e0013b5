"""Parsing a policy over the one that it is based on."""

from dataclasses import replace
from typing import Any

from evaluation.aem.errors import RecordError
from evaluation.aem.parse_parts import parse_compare
from evaluation.aem.plain import child
from evaluation.aem.reading import a_choice, a_flag, a_number, an_object
from evaluation.aem.records import Composition, ParamPolicy, Policy

SCORERS = ("exact", "embedded", "judge")
RULES = ("unweighted", "weighted", "gated")


def parse_policy(obj: Any, *, base: Policy | None = None) -> Policy:
    """Read a policy. What it leaves open comes from ``base``, and then from the defaults."""
    base = base or Policy()
    if obj is None:
        return base
    given = an_object(obj, "policy")
    words: dict[str, Any] = {
        "scorer": a_choice(given, "scorer", "policy", SCORERS),
        "alignment": a_choice(given, "alignment", "policy", ("search", "given")),
        "default_dependencies": a_choice(given, "default_dependencies", "policy", ("linear", "none")),
        "extra_writes": a_choice(given, "extra_writes", "policy", ("report", "fail")),
        "threshold": a_number(given, "threshold", "policy", most=1),
        "margin": a_number(given, "margin", "policy", most=1),
    }
    return replace(
        base,
        **{name: value for name, value in words.items() if value is not None},
        taint=a_flag(given, "taint", "policy", default=base.taint),
        composition=_composition(given.get("composition"), base.composition),
        params=_params(given.get("params"), base),
    )


def _composition(value: Any, base: Composition) -> Composition:
    if value is None:
        return base
    path = "policy.composition"
    given = an_object(value, path)
    cap = a_number(given, "cap", path, most=1)
    return Composition(a_choice(given, "rule", path, RULES) or base.rule, base.cap if cap is None else cap)


def _params(value: Any, base: Policy) -> dict[str, dict[str, ParamPolicy]]:
    found = {tool: dict(params) for tool, params in base.params.items()}
    if value is None:
        return found
    for tool, keys in an_object(value, "policy.params").items():
        if not isinstance(tool, str):
            raise RecordError("policy.params", f"the key {tool!r:.40} is no text")
        path = child("policy.params", tool)
        for key, param in an_object(keys, path).items():
            if not isinstance(key, str):
                raise RecordError(path, f"the key {key!r:.40} is no text")
            place = child(path, key)
            given = an_object(param, place)
            compare = parse_compare(given.get("compare"), child(place, "compare"))
            threshold = a_number(given, "threshold", place, most=1)
            known = found.setdefault(tool, {}).get(key, ParamPolicy())
            found[tool][key] = ParamPolicy(
                compare if compare.kind is not None else known.compare,
                threshold if threshold is not None else known.threshold,
            )
    return found
