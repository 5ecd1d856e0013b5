"""Asking a scorer, and taking no answer that is none."""

from fractions import Fraction
from typing import Any

from evaluation.aem.errors import ScorerFailed
from evaluation.aem.scorers import ClaimScore, Scorer, TextScore

_STATES = frozenset({"covered", "contradicted", "not_said", "unknown"})


def ask_compare(scorer: Scorer, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
    """Whether two values mean the same, by a scorer. Raises ScorerFailed where it raises or gives no score."""
    try:
        found: Any = scorer.compare(expected, observed, field=field, threshold=threshold)
    except Exception as error:
        raise ScorerFailed(scorer.name, f"{type(error).__name__}: {error}") from error
    if not isinstance(found, TextScore) or not _is_score(found.score):
        raise ScorerFailed(scorer.name, f"{found!r:.200} is no score of two values")
    return found


def ask_claim(scorer: Scorer, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
    """What a reply does with a claim, by a scorer. Raises ScorerFailed where it raises or gives no score."""
    try:
        found: Any = scorer.claim(claim, reply, threshold=threshold)
    except Exception as error:
        raise ScorerFailed(scorer.name, f"{type(error).__name__}: {error}") from error
    if not isinstance(found, ClaimScore) or found.state not in _STATES or not _is_score(found.score):
        raise ScorerFailed(scorer.name, f"{found!r:.200} is no score of a claim")
    return found


def _is_score(score: Any) -> bool:
    """Whether it is an exact share, or says that nobody knows; a float may be no number at all."""
    return score is None or (isinstance(score, Fraction | int) and not isinstance(score, bool) and 0 <= score <= 1)
