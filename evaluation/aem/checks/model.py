"""What a check reports."""

from typing import Literal, NamedTuple

from evaluation.aem.pairs import ClaimMatch
from evaluation.aem.reasons import FailureReason

FindingKind = Literal["structure", "parameter", "claim", "reply"]


class Finding(NamedTuple):
    """Something that fails: a field or claim, or where ``field`` is None the turn's structure or whole reply."""

    reason: FailureReason
    kind: FindingKind
    field: str | None = None
    claim: ClaimMatch | None = None
