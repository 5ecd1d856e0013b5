"""What the machine computes, and every comparison of it with people."""

from evaluation.models.decisions import Decision
from evaluation.models.heartbeats import WorkerHeartbeat
from evaluation.models.imports import ImportFile, ImportJob, ImportState
from evaluation.models.judges import JudgeClaim, JudgeGate, JudgeKey, JudgeSettings, JudgeSlot, JudgeUse
from evaluation.models.lessons import Lesson, LessonKind
from evaluation.models.meaning import Answer, AnswerState, RunAnswer, Vocabulary
from evaluation.models.runs import ChunkState, EvaluationRun, Policy, RunChunk, RunItem, RunState
from evaluation.models.trials import PolicyTrial, TrialChange, TrialState
from evaluation.models.verdicts import TurnVerdict, Verdict

__all__ = [
    "Answer",
    "AnswerState",
    "ChunkState",
    "Decision",
    "EvaluationRun",
    "ImportFile",
    "ImportJob",
    "ImportState",
    "JudgeClaim",
    "JudgeGate",
    "JudgeKey",
    "JudgeSettings",
    "JudgeSlot",
    "JudgeUse",
    "Lesson",
    "LessonKind",
    "Policy",
    "PolicyTrial",
    "RunAnswer",
    "RunChunk",
    "RunItem",
    "RunState",
    "TrialChange",
    "TrialState",
    "TurnVerdict",
    "Verdict",
    "Vocabulary",
    "WorkerHeartbeat",
]
