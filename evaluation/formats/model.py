"""What an importer makes of a file, whatever its format: conversations with goldens, trajectories and people's work.

The same values go into a writer, so that what was imported can be exported again. ``extra`` and ``metadata`` hold what
the format carried beyond the fields named here: opaque to everyone else, to be stored and handed back unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Json = Any
JsonObject = Mapping[str, Any]
Severity = Literal["error", "warning"]

EXCERPT_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to tell the person about a file: an error costs its record, a warning does not."""

    reason: str
    severity: Severity = "error"
    line: int | None = None
    path: str | None = None
    record: int | None = None
    excerpt: str = ""
    file: str | None = None

    def sentence(self) -> str:
        """The problem with its place in front, as it is shown.

        >>> Problem("turn_no 4 appears twice", line=12).sentence()
        'line 12: turn_no 4 appears twice'
        """
        places = [
            self.file,
            f"line {self.line}" if self.line is not None else None,
            f"record {self.record}" if self.line is None and self.record is not None else None,
            self.path,
        ]
        return ": ".join([place for place in places if place] + [self.reason])


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was handed over."""

    name: str
    data: bytes

    @property
    def stem(self) -> str:
        """The name without folders and ending."""
        base = self.name.replace("\\", "/").rsplit("/", 1)[-1]
        return base.rsplit(".", 1)[0] or base


@dataclass(frozen=True, slots=True)
class ParsedAnnotation:
    """One person's golden of a conversation, accepted or not."""

    annotator: str
    status: str = ""
    golden: dict[str, Any] | None = None
    comment: str = ""
    guideline_version: Json = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedLabel:
    """One person's judgement of one golden turn in one trajectory."""

    annotator: str
    path: str
    turn: str
    verdict: str | None = None
    structural: str | None = None
    completeness: str | None = None
    truthfulness: str | None = None
    failure_reason: str | None = None
    attribution: str | None = None
    cascade_of: tuple[str, ...] = ()
    comment: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedDecision:
    """What an adjudicator decided about one golden turn in one trajectory."""

    by: str
    path: str
    turn: str
    verdict: str | None = None
    structural: str | None = None
    completeness: str | None = None
    truthfulness: str | None = None
    failure_reason: str | None = None
    attribution: str | None = None
    cascade_of: tuple[str, ...] = ()
    reason: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedComment:
    """A remark on a conversation, or on a trajectory where it stands with one."""

    by: str
    text: str
    turn: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedGolden:
    """The reference of a conversation: ``body`` holds paths, forbidden and outcome as ``evaluation.aem`` reads them."""

    body: dict[str, Any]
    policy: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedTrajectory:
    """One recorded run: ``body`` holds turns and, where recorded, final_state; ``record_id`` is the source's own id."""

    key: str
    body: dict[str, Any]
    agent: str = ""
    agent_version: str = ""
    trial: int | None = None
    reward: Decimal | int | None = None
    record_id: Json = None
    metadata: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    labels: tuple[ParsedLabel, ...] = ()
    decisions: tuple[ParsedDecision, ...] = ()
    comments: tuple[ParsedComment, ...] = ()
    source_line: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedConversation:
    """A conversation with everything a file says about it."""

    key: str
    title: str = ""
    language: str = ""
    domain: str = ""
    user_goal: str = ""
    system_prompt: str = ""
    tools: dict[str, Any] = field(default_factory=dict)
    goldens: tuple[ParsedGolden, ...] = ()
    trajectories: tuple[ParsedTrajectory, ...] = ()
    annotations: tuple[ParsedAnnotation, ...] = ()
    comments: tuple[ParsedComment, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    source_line: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All that was found in one import, and all that was wrong with it."""

    format: str
    conversations: tuple[ParsedConversation, ...]
    problems: tuple[Problem, ...]
    counts: dict[str, int]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that cost a record."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that are worth knowing and cost nothing."""
        return tuple(problem for problem in self.problems if problem.severity == "warning")


class CannotWriteError(ValueError):
    """A format cannot carry what it was asked to write; ``reasons`` says what, one sentence each."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("; ".join(reasons))
