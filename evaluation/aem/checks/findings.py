"""The second stage: every finding of a pair, and its three scores."""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from evaluation.aem.checks.model import Finding
from evaluation.aem.checks.parameters import extra_parameters, inconsistent_parameter_values, missing_parameters
from evaluation.aem.checks.replies import incomplete_response, inconsistent_response
from evaluation.aem.checks.structure import action_mismatch, tool_mismatch
from evaluation.aem.pairs import TurnPair
from evaluation.aem.values import ONE, ZERO


class Checked(NamedTuple):
    """A pair with what fails in it, refs aside."""

    pair: TurnPair
    findings: tuple[Finding, ...]
    structural: Fraction | None
    completeness: Fraction | None
    #: Good values and values judged; refs enter while attributing.
    good: int
    judged: int
    #: What a person should look at, and why.
    doubts: tuple[str, ...] = ()
    #: Parameters and claims that no scorer could judge: then the sub-metric that they enter is not judged either.
    unknown: tuple[str, ...] = ()
    #: Whether a semantic scorer decided something in it.
    is_semantic: bool = False

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
    return _check_call(pair) if pair.plan.is_action else _check_reply(pair)


def _check_call(pair: TurnPair) -> Checked:
    if not pair.is_right_call:
        # Nothing else about the turn is judged.
        return Checked(pair, (*tool_mismatch(pair), *action_mismatch(pair)), ZERO, None, 0, 0)
    missing, extra, wrong = missing_parameters(pair), extra_parameters(pair), inconsistent_parameter_values(pair)
    required, judged = len(pair.plan.required), len(pair.matches)
    return Checked(
        pair,
        (*missing, *extra, *wrong),
        ONE,
        ratio(required - len(missing), required + len(extra)),
        judged - len(wrong),
        judged,
        pair.doubts,
        pair.unknown,
        pair.is_semantic,
    )


def _check_reply(pair: TurnPair) -> Checked:
    findings = (*incomplete_response(pair), *inconsistent_response(pair))
    if pair.observed is None:
        return Checked(pair, findings, None, ZERO, 0, 0)
    required = covered = contradicted = 0
    doubts: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    #: Whether a semantic scorer decided something in it.
    is_semantic: bool = False
    for found in pair.claims:
        name = "the reply" if found.plan is None else found.plan.claim.id
        if found.plan is None or found.plan.claim.required:
            required += 1
            covered += found.is_covered
        contradicted += found.is_contradicted
        if found.doubt:
            doubts += (f"{name}: {found.doubt}",)
        if found.is_unknown:
            unknown += (name,)
    count = len(pair.claims)
    is_semantic = any(found.scorer != "exact" for found in pair.claims)
    completeness = ratio(covered, required)
    return Checked(pair, findings, None, completeness, count - contradicted, count, doubts, unknown, is_semantic)
