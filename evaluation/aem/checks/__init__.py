"""The checks, in the order of their rank; each is one function, named like the failure reason that it reports."""

from evaluation.aem.checks.findings import Checked, check
from evaluation.aem.checks.model import Finding
from evaluation.aem.checks.parameters import extra_parameters, inconsistent_parameter_values, missing_parameters
from evaluation.aem.checks.replies import incomplete_response, inconsistent_response
from evaluation.aem.checks.structure import action_mismatch, tool_mismatch

__all__ = [
    "Checked",
    "Finding",
    "action_mismatch",
    "check",
    "extra_parameters",
    "incomplete_response",
    "inconsistent_parameter_values",
    "inconsistent_response",
    "missing_parameters",
    "tool_mismatch",
]
