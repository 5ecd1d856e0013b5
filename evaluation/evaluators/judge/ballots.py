"""The conversation behind one vote: what is sent next, after what came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.aem.language import kept
from evaluation.evaluators.judge.answers import Outcome, UnreadableAnswerError, Vote, count, read_answer
from evaluation.evaluators.judge.questions import Message, Mode, Question

#: How often a judge is told what was wrong with its reply, and asked again.
REASKS = 2
#: Endpoints understand more or less of how an answer is asked for; each refusal takes the next.
_NOT_TO_THE_END = kept("not asked to the end")
MODES: tuple[Mode, ...] = ("schema", "object", "plain", "bare")


@dataclass(frozen=True, slots=True)
class Sending:
    """One request: what goes to the model. ``seed`` None: no seed is sent."""

    messages: tuple[Message, ...]
    response_format: dict[str, Any] | None
    seed: int | None
    mode: Mode

    @property
    def tokens_at_most(self) -> int:
        """About as many tokens as these messages can have, for setting money aside: one for three bytes of text."""
        return 16 + sum(8 + len(message["content"].encode()) // 3 for message in self.messages)


@dataclass(slots=True)
class Ballot:
    """One vote on its way. Every second vote sees two values with their sides exchanged, and each has its own seed."""

    question: Question
    position: int
    seed: int | None
    vote: Vote | None = None
    """The vote once it is cast; one without a label where nothing readable came."""
    attempts: int = 0
    """Requests for the reply that is awaited now that came to nothing; the caller counts them."""
    _reasks: int = 0
    _added: list[Message] = field(default_factory=list)

    def sending(self, mode: Mode) -> Sending:
        """The next request."""
        is_swapped = self.question.kind == "values" and self.position % 2 == 1
        messages = (*self.question.messages(is_swapped=is_swapped), *self._added)
        seed = None if self.seed is None else self.seed + self.position
        return Sending(messages, self.question.response_format(mode), seed, mode)

    def hear(self, content: str) -> str:
        """Take a reply; empty where it could be read, else the problem, and it is asked again or has failed."""
        try:
            self.vote = read_answer(content, self.question.kind)
        except UnreadableAnswerError as error:
            problem = str(error)
            self.misread(problem, content)
            return problem
        return ""

    def misread(self, problem: str, content: str = "") -> None:
        """A reply that is no answer: ask again with the reason, twice at most."""
        if self._reasks == REASKS:
            self.fail(problem)
            return
        self._reasks += 1
        self.attempts = 0
        said = f"Your reply could not be used: {problem}. Answer the question again, in the form that was asked for."
        # What it said before goes along only where it is short: a reply of any length would be paid for again.
        before: list[Message] = [{"role": "assistant", "content": content}] if 0 < len(content) <= 2000 else []
        self._added = [*before, {"role": "user", "content": said}]

    def fail(self, problem: str) -> None:
        """No vote comes of this ballot."""
        self.vote = Vote(problem=problem)


@dataclass(slots=True)
class Poll:
    """A question with all its ballots; ``kept`` are the votes that an earlier poll could read."""

    question: Question
    ballots: list[Ballot]
    quorum: int

    @classmethod
    def open(cls, question: Question, *, votes: int, quorum: int, seed: int | None, kept: Sequence[Vote] = ()) -> Poll:
        """Votes that were read before are not asked for again."""
        ballots = [Ballot(question, position, seed) for position in range(votes)]
        for ballot, vote in zip(ballots, kept, strict=False):
            ballot.vote = vote if vote.is_readable else None
        return cls(question, ballots, quorum)

    @property
    def is_closed(self) -> bool:
        return all(ballot.vote is not None for ballot in self.ballots)

    def outcome(self) -> Outcome:
        """What came of it; votes that are not cast yet count as not read."""
        votes = [ballot.vote or Vote(problem=_NOT_TO_THE_END) for ballot in self.ballots]
        return count(votes, self.question.kind, quorum=self.quorum)
