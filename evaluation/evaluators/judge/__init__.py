"""The language model as a judge of meaning: the part without a network, a clock or a database."""

from evaluation.evaluators.judge.answers import (
    Outcome,
    UnreadableAnswerError,
    Vote,
    count,
    not_asked,
    read_answer,
    restored,
)
from evaluation.evaluators.judge.ballots import Ballot, Poll, Sending
from evaluation.evaluators.judge.config import JudgeConfig, JudgeConfigError
from evaluation.evaluators.judge.questions import PROMPT_VERSION, Question
from evaluation.evaluators.judge.scorer import JudgeScorer, find_quote

__all__ = [
    "PROMPT_VERSION",
    "Ballot",
    "JudgeConfig",
    "JudgeConfigError",
    "JudgeScorer",
    "Outcome",
    "Poll",
    "Question",
    "Sending",
    "UnreadableAnswerError",
    "Vote",
    "count",
    "find_quote",
    "not_asked",
    "read_answer",
    "restored",
]
