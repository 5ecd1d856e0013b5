"""Checks of a reply: whether it says what it has to, and nothing else instead."""

from collections.abc import Iterator

from evaluation.aem.checks.model import Finding
from evaluation.aem.pairs import ClaimMatch, TurnPair
from evaluation.aem.reasons import FailureReason


def incomplete_response(pair: TurnPair) -> Iterator[Finding]:
    """Yield each required claim that is not covered (completeness); once for the turn where there is no reply."""
    if pair.observed is None:
        yield Finding(FailureReason.INCOMPLETE_RESPONSE, "structure")
        return
    for found in pair.claims:
        claim = found.plan.claim if found.plan else None
        if found.is_covered or found.says_otherwise or found.is_unknown or (claim and not claim.required):
            continue
        yield _finding(FailureReason.INCOMPLETE_RESPONSE, found)


def inconsistent_response(pair: TurnPair) -> Iterator[Finding]:
    """Yield each claim, required or not, that the reply contradicts (truthfulness)."""
    if pair.observed is None:
        return
    for found in pair.claims:
        if found.is_contradicted:
            yield _finding(FailureReason.INCONSISTENT_RESPONSE, found)


def _finding(reason: FailureReason, found: ClaimMatch) -> Finding:
    if found.plan is None:
        return Finding(reason, "reply", None, found)
    return Finding(reason, "claim", found.plan.claim.id, found)
