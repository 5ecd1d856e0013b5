"""Structural checks: whether the right thing was called at all."""

from collections.abc import Iterator

from evaluation.aem.checks.model import Finding
from evaluation.aem.pairs import TurnPair
from evaluation.aem.reasons import FailureReason


def tool_mismatch(pair: TurnPair) -> Iterator[Finding]:
    """Another tool was called, or nothing answers the turn."""
    if not pair.is_right_tool:
        yield Finding(FailureReason.TOOL_MISMATCH, "structure")


def action_mismatch(pair: TurnPair) -> Iterator[Finding]:
    """The right tool was called with another action."""
    if pair.is_right_tool and not pair.is_right_call:
        yield Finding(FailureReason.ACTION_MISMATCH, "structure")
