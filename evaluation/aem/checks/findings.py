"""The second stage: every finding of a pair, and its three scores."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from evaluation.aem.checks.model import Finding
from evaluation.aem.checks.parameters import extra_parameters, inconsistent_parameter_values, missing_parameters
from evaluation.aem.checks.replies import incomplete_response, inconsistent_response
from evaluation.aem.checks.structure import action_mismatch, tool_mismatch
from evaluation.aem.pairs import TurnPair
from evaluation.aem.values import ONE, ZERO


@dataclass(frozen=True, slots=True)
class Checked:
    """A pair with what fails in it, refs aside."""

    pair: TurnPair
    findings: tuple[Finding, ...]
    structural: Fraction | None
    completeness: Fraction | None
    #: Good values and values judged; refs enter while attributing.
    good: int
    judged: int
    is_close: bool = False

    @property
    def truthfulness(self) -> Fraction | None:
        """The share of what is right in what was judged."""
        return ratio(self.good, self.judged)


@lru_cache(maxsize=4096)
def ratio(part: int, whole: int) -> Fraction | None:
    """A share; None where there is nothing to take it of."""
    if not whole:
        return None
    return ONE if part == whole else Fraction(part, whole)


def check(pair: TurnPair) -> Checked:
    """Judge one pair."""
    return _check_call(pair) if pair.turn.is_action else _check_reply(pair)


def _check_call(pair: TurnPair) -> Checked:
    structure = (*tool_mismatch(pair), *action_mismatch(pair))
    if structure:
        # Nothing else about the turn is judged.
        return Checked(pair, structure, ZERO, None, 0, 0)
    missing, extra = tuple(missing_parameters(pair)), tuple(extra_parameters(pair))
    wrong = tuple(inconsistent_parameter_values(pair))
    required = len(pair.plan.required)
    return Checked(
        pair,
        missing + extra + wrong,
        ONE,
        ratio(required - len(missing), required + len(extra)),
        len(pair.matches) - len(wrong),
        len(pair.matches),
        any(match.is_close for match in pair.matches.values()),
    )


def _check_reply(pair: TurnPair) -> Checked:
    findings = (*incomplete_response(pair), *inconsistent_response(pair))
    if pair.observed is None:
        return Checked(pair, findings, None, ZERO, 0, 0)
    claims = pair.claims
    required = [found for found in claims if found.plan is None or found.plan.claim.required]
    contradicted = sum(found.is_contradicted for found in claims)
    return Checked(
        pair,
        findings,
        None,
        ratio(sum(found.is_covered for found in required), len(required)),
        len(claims) - contradicted,
        len(claims),
        any(found.is_close for found in claims),
    )
