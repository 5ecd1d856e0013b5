"""AEM: one stored trajectory against one annotated golden, turn by turn, root causes told from cascades.

>>> from evaluation.aem import score_record
>>> verdict = score_record({
...     "format": "aem/1",
...     "golden": {"paths": [{"id": "main", "turns": [
...         {"user": "Cancel order 5"}, {"id": "g1", "tool": "cancel", "params": {"order": {"value": 5}}}]}]},
...     "trajectory": {"turns": [{"user": "Cancel order 5"}, {"tool": "cancel", "args": {"order": "6"}}]},
... })
>>> verdict.test_pass, verdict.first_failure_turn, str(verdict.root_cause)
(False, 1, 'inconsistent_parameter_values')
"""

from evaluation.aem.errors import RecordError, ScorerFailed, ScorerUnavailable
from evaluation.aem.native import is_native_dialog, record_from_native
from evaluation.aem.parse import parse_golden, parse_policy, parse_record, parse_tools, parse_trajectory
from evaluation.aem.pipeline import score, score_record
from evaluation.aem.reasons import REASON_RANK, FailureReason
from evaluation.aem.records import Golden, Policy, Record, Tools, Trajectory
from evaluation.aem.scorers import ClaimScore, Scorer, TextScore, get_scorer, register_scorer, unregister_scorer
from evaluation.aem.verdicts import ConversationVerdict, TurnVerdict

#: Raised by every change that moves a verdict.
ENGINE_VERSION: str = "1.1"

__all__ = [
    "ENGINE_VERSION",
    "REASON_RANK",
    "ClaimScore",
    "ConversationVerdict",
    "FailureReason",
    "Golden",
    "Policy",
    "Record",
    "RecordError",
    "Scorer",
    "ScorerFailed",
    "ScorerUnavailable",
    "TextScore",
    "Tools",
    "Trajectory",
    "TurnVerdict",
    "get_scorer",
    "is_native_dialog",
    "parse_golden",
    "parse_policy",
    "parse_record",
    "parse_tools",
    "parse_trajectory",
    "record_from_native",
    "register_scorer",
    "score",
    "score_record",
    "unregister_scorer",
]
