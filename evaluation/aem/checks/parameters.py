"""Checks of a call's parameters: whether they are there, and whether they are right."""

from evaluation.aem.checks.model import Finding
from evaluation.aem.pairs import TurnPair
from evaluation.aem.reasons import FailureReason

_MISSING = FailureReason.MISSING_PARAMETERS
_EXTRA = FailureReason.EXTRA_PARAMETERS
_WRONG = FailureReason.INCONSISTENT_PARAMETER_VALUES


def missing_parameters(pair: TurnPair) -> list[Finding]:
    """Each required key that the call left out (completeness). A key that is there with null is present."""
    args = pair.args
    return [Finding(_MISSING, "parameter", key) for key in pair.plan.required if key not in args]


def extra_parameters(pair: TurnPair) -> list[Finding]:
    """Each key that is neither annotated nor allowed (completeness)."""
    turn = pair.turn
    if turn.allows_extra:
        return []
    return [
        Finding(_EXTRA, "parameter", key)
        for key in pair.args
        if key not in turn.params and key not in turn.allowed_extra
    ]


def inconsistent_parameter_values(pair: TurnPair) -> list[Finding]:
    """Each key whose value fails its comparison (truthfulness). Refs are judged while attributing."""
    return [
        Finding(_WRONG, "parameter", key)
        for key, match in pair.matches.items()
        if not match.passed and not match.is_unknown
    ]
