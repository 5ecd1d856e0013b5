"""Checks of a call's parameters: whether they are there, and whether they are right."""

from collections.abc import Iterator

from evaluation.aem.checks.model import Finding
from evaluation.aem.pairs import TurnPair
from evaluation.aem.reasons import FailureReason


def missing_parameters(pair: TurnPair) -> Iterator[Finding]:
    """Yield each required key that the call left out (completeness). A key that is there with null is present."""
    for key in pair.plan.required:
        if key not in pair.args:
            yield Finding(FailureReason.MISSING_PARAMETERS, "parameter", key)


def extra_parameters(pair: TurnPair) -> Iterator[Finding]:
    """Yield each key that is neither annotated nor allowed (completeness)."""
    turn = pair.turn
    if turn.allows_extra:
        return
    for key in pair.args:
        if key not in turn.params and key not in turn.allowed_extra:
            yield Finding(FailureReason.EXTRA_PARAMETERS, "parameter", key)


def inconsistent_parameter_values(pair: TurnPair) -> Iterator[Finding]:
    """Yield each key whose value fails its comparison (truthfulness). Refs are judged while attributing."""
    for key, match in pair.matches.items():
        if not match.passed:
            yield Finding(FailureReason.INCONSISTENT_PARAMETER_VALUES, "parameter", key)
