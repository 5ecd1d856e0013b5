"""What people read and write."""

from annotations.models.assignments import (
    HOLDING,
    Assignment,
    AssignmentState,
    QueueAction,
    QueueActionKind,
    QueueActionRow,
)
from annotations.models.datasets import Conversation, Dataset, DatasetVersion, DatasetVersionItem, ToolSet
from annotations.models.drafts import Draft
from annotations.models.examples import EXAMPLE_GROUPS, GuidelineExample
from annotations.models.goldens import Golden, GoldenRecord, GoldenStatus, GoldTurn, TurnKind
from annotations.models.guidelines import Guideline
from annotations.models.history import Change
from annotations.models.labels import Attribution, FailureReasonChoice, HumanLabel, Judgement, SubLabel, TurnLabel
from annotations.models.merges import Merge, MergeDecision, MergeGolden
from annotations.models.people import ApiToken, Capability, Invitation, Membership, Project, Role, User
from annotations.models.second_looks import SecondLook, SecondLookKind
from annotations.models.sign_in import SignInAttempt
from annotations.models.suggestions import Suggestion, SuggestionKind, SuggestionSource, SuggestionState
from annotations.models.trajectories import Trajectory

__all__ = [
    "EXAMPLE_GROUPS",
    "HOLDING",
    "ApiToken",
    "Assignment",
    "AssignmentState",
    "Attribution",
    "Capability",
    "Change",
    "Conversation",
    "Dataset",
    "DatasetVersion",
    "DatasetVersionItem",
    "Draft",
    "FailureReasonChoice",
    "GoldTurn",
    "Golden",
    "GoldenRecord",
    "GoldenStatus",
    "Guideline",
    "GuidelineExample",
    "HumanLabel",
    "Invitation",
    "Judgement",
    "Membership",
    "Merge",
    "MergeDecision",
    "MergeGolden",
    "Project",
    "QueueAction",
    "QueueActionKind",
    "QueueActionRow",
    "Role",
    "SecondLook",
    "SecondLookKind",
    "SignInAttempt",
    "SubLabel",
    "Suggestion",
    "SuggestionKind",
    "SuggestionSource",
    "SuggestionState",
    "ToolSet",
    "Trajectory",
    "TurnKind",
    "TurnLabel",
    "User",
]
