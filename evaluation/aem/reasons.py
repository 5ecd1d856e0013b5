"""Why a turn fails, in the published spelling and order of rank."""

from enum import StrEnum


class FailureReason(StrEnum):
    """The failure reasons of AEM."""

    TOOL_MISMATCH = "tool_mismatch"
    ACTION_MISMATCH = "action_mismatch"
    MISSING_PARAMETERS = "missing_parameters"
    EXTRA_PARAMETERS = "extra_parameters"
    INCONSISTENT_PARAMETER_VALUES = "inconsistent_parameter_values"
    INCOMPLETE_RESPONSE = "incomplete_response"
    INCONSISTENT_RESPONSE = "inconsistent_response"
    PRIOR_ACTION_FAILED = "prior_action_failed"


#: The first of several reasons is the one that is reported as ``failure_reason``.
REASON_RANK: dict[FailureReason, int] = {reason: rank for rank, reason in enumerate(FailureReason)}
