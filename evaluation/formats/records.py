"""How ``aem/1`` records become conversations, shared by every format that is first turned into such records.

A record is checked as a whole before anything of it is taken; a refused record leaves nothing behind.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from evaluation.aem import RecordError, parse_golden, parse_policy, parse_tools, parse_trajectory
from evaluation.aem.language import kept
from evaluation.formats import jsonio
from evaluation.formats.model import (
    ParsedAnnotation,
    ParsedComment,
    ParsedConversation,
    ParsedDecision,
    ParsedFile,
    ParsedGolden,
    ParsedLabel,
    ParsedTrajectory,
    Problem,
)
from evaluation.formats.reading import Document, Fault, added, child

META_KEYS = ("title", "language", "domain", "user_goal", "system_prompt")
RECORD_KEYS = frozenset(
    {
        "format",
        "id",
        "conversation",
        "conversation_meta",
        "golden",
        "tools",
        "trajectory",
        "policy",
        "annotations",
        "labels",
        "decisions",
        "comments",
    }
)
GOLDEN_KEYS = ("paths", "forbidden", "outcome")
BODY_KEYS = ("turns", "final_state")
VERDICTS = frozenset({"pass", "fail", "unsure", "not_agent"})
SUB_VERDICTS = frozenset({"pass", "fail", "unsure"})
ATTRIBUTIONS = frozenset({"root", "cascade"})
FAILURE_REASONS = frozenset(
    {
        "tool_mismatch",
        "action_mismatch",
        "missing_parameters",
        "extra_parameters",
        "inconsistent_parameter_values",
        "incomplete_response",
        "inconsistent_response",
        "prior_action_failed",
    }
)

# Problems are kept in reports, in English; pages show them through `formats.words.told`.
_REPEATED = kept("the same record as {where}; it is taken once")
_ID_IN_USE = kept("the id {name} was already used for another trajectory")
_ANOTHER_META = kept("another {name} than in an earlier record; the earlier is kept")
_NO_RECORD = kept("there is no record in it")
_NO_CONVERSATION = kept("there is no conversation: neither a golden nor a trajectory")
_LABELS_OF_NOTHING = kept("labels and decisions need the trajectory that they judge")
_OTHER_GOLDEN = kept("the golden or its policy differs from that of the same conversation in {where}")
_OTHER_TOOLS = kept("the tools differ from those of the same conversation in an earlier record")
_ARGUMENTS = kept("the arguments are not an object ({shape}): kept as they are, not comparable")
_TEXT_OR_NUMBER = kept("must be a text that is not empty, or a whole number")
_NO_OBJECT = kept("must be an object, not {shape}")
_NO_LIST = kept("must be a list, not {shape}")
_OBJECT = kept("must be an object")
_TEXT = kept("must be a text")
_MISSING = kept("is missing")
_UNKNOWN_TURN = kept("the golden has no turn {turn} in path {path}")
_CHOICES = kept("must be one of {choices}, or null")
_TURN_IDS = kept("must be a list of golden turn ids")
_NOT_JSON = kept("text that is not JSON")
_HOLDING = kept("text holding {shape}")


class RefusedError(Exception):
    """A record that cannot be taken: every reason that was found, with its path."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        super().__init__("; ".join(fault.reason for fault in faults))


@dataclass(slots=True)
class Draft:
    """A conversation while its records come in."""

    key: str
    line: int | None
    meta: dict[str, str] = field(default_factory=dict)
    tools: dict[str, Any] = field(default_factory=dict)
    golden: ParsedGolden | None = None
    hashes: dict[str, str] = field(default_factory=dict)
    golden_place: str = ""
    trajectories: dict[str, ParsedTrajectory] = field(default_factory=dict)
    annotations: dict[str, ParsedAnnotation] = field(default_factory=dict)
    comments: dict[str, ParsedComment] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)

    def finished(self) -> ParsedConversation:
        """The conversation as it is handed out."""
        return ParsedConversation(
            key=self.key,
            tools=self.tools,
            goldens=(self.golden,) if self.golden else (),
            trajectories=tuple(self.trajectories.values()),
            annotations=tuple(self.annotations.values()),
            comments=tuple(self.comments.values()),
            extra=self.extra,
            source_line=self.line,
            **self.meta,
        )


class Collector:
    """Gathers the records of an import into conversations and keeps count of what became of each."""

    def __init__(self, format_name: str) -> None:
        self.format = format_name
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {"lines": 0, "blank_lines": 0, "records": 0}
        self.drafts: dict[str, Draft] = {}
        self.read = 0
        self.duplicates = 0
        self._seen: dict[str, str] = {}
        # The hashes of goldens, tools and policies that were checked: the records of a conversation repeat them.
        self._checked: set[str] = set()

    def count(self, counts: dict[str, int]) -> None:
        """Add the counts of one more file."""
        self.counts = added([self.counts, counts])

    def report(self, document: Document, faults: Iterable[Fault], *, file: str | None = None) -> None:
        """Say what is wrong with a record; errors go with not adding it."""
        for fault in faults:
            self.problems.append(
                Problem(
                    fault.reason, fault.severity, document.line, fault.path, document.number, document.excerpt, file
                )
            )

    def is_repeated(self, document: Document, record: Any, *, file: str | None = None) -> bool:
        """Whether the same record was already read; it is counted and reported, not added again."""
        digest = jsonio.content_hash(record)
        place = place_of(document, file)
        if digest in self._seen:
            self.duplicates += 1
            reason = _REPEATED.format(where=self._seen[digest])
            self.report(document, [Fault(reason, None, "warning")], file=file)
            return True
        self._seen[digest] = place
        return False

    def add(self, document: Document, record: dict[str, Any], *, default_key: str, file: str | None = None) -> None:
        """Take one record, or report all that is wrong with it."""
        warnings: list[Fault] = []
        try:
            self._take(document, record, default_key=default_key, file=file, warnings=warnings)
        except RefusedError as refused:
            self.report(document, refused.faults, file=file)
            return
        self.read += 1
        self.report(document, warnings, file=file)

    def _take(
        self,
        document: Document,
        record: dict[str, Any],
        *,
        default_key: str,
        file: str | None,
        warnings: list[Fault],
    ) -> None:
        parts = RecordParts.of(record, default_key=default_key, line=document.line, checked=self._checked)
        warnings += parts.warnings
        draft = self.drafts.get(parts.conversation)
        faults = _clashes(draft, parts) if draft else []
        trajectory = parts.trajectory
        if trajectory and draft and trajectory.key in draft.trajectories:
            key = _trial_key(trajectory)
            if key in draft.trajectories:
                faults.append(Fault(_ID_IN_USE.format(name=repr(trajectory.key)), "id"))
            trajectory = replace(trajectory, key=key)
        if faults:
            raise RefusedError(faults)
        if draft is None:
            draft = self.drafts[parts.conversation] = Draft(parts.conversation, document.line)
        if parts.golden and draft.golden is None:
            draft.golden, draft.golden_place = parts.golden, place_of(document, file)
            draft.hashes.update({name: parts.hashes[name] for name in ("golden", "policy") if name in parts.hashes})
        if parts.tools and not draft.tools:
            draft.tools = parts.tools
            draft.hashes["tools"] = parts.hashes["tools"]
        for name, text in parts.meta.items():
            known = draft.meta.setdefault(name, text)
            if known != text:
                warnings.append(
                    Fault(
                        _ANOTHER_META.format(name=name),
                        f"conversation_meta.{name}",
                        "warning",
                    )
                )
        if trajectory:
            draft.trajectories[trajectory.key] = trajectory
        draft.annotations.update(parts.annotations)
        draft.comments.update(parts.comments)
        for name, value in parts.extra.items():
            if isinstance(value, dict):
                draft.extra[name] = {**value, **draft.extra.get(name, {})}
            else:
                draft.extra.setdefault(name, value)
        warnings += _unknown_turns(draft.golden, trajectory)

    def finish(self) -> ParsedFile:
        """Everything that was gathered."""
        if not self.problems and not self.counts["records"]:
            self.problems.append(Problem(_NO_RECORD))
        conversations = tuple(draft.finished() for draft in self.drafts.values())
        trajectories = [trajectory for found in conversations for trajectory in found.trajectories]
        counts = {
            **self.counts,
            "read": self.read,
            "duplicates": self.duplicates,
            "refused": max(0, self.counts["records"] - self.read - self.duplicates),
            "conversations": len(conversations),
            "goldens": sum(len(found.goldens) for found in conversations),
            "trajectories": len(trajectories),
            "turns": sum(len(trajectory.body["turns"]) for trajectory in trajectories),
            "annotations": sum(len(found.annotations) for found in conversations),
            "labels": sum(len(trajectory.labels) for trajectory in trajectories),
            "decisions": sum(len(trajectory.decisions) for trajectory in trajectories),
        }
        return ParsedFile(self.format, conversations, tuple(self.problems), counts)


@dataclass(slots=True)
class RecordParts:
    """One record, checked and taken apart."""

    conversation: str
    golden: ParsedGolden | None = None
    hashes: dict[str, str] = field(default_factory=dict)
    tools: dict[str, Any] = field(default_factory=dict)
    trajectory: ParsedTrajectory | None = None
    meta: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, ParsedAnnotation] = field(default_factory=dict)
    comments: dict[str, ParsedComment] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    warnings: list[Fault] = field(default_factory=list)

    @classmethod
    def of(cls, record: dict[str, Any], *, default_key: str, line: int | None, checked: set[str]) -> "RecordParts":
        """Check a record and take it apart; raises RefusedError with everything that is wrong."""
        faults: list[Fault] = []
        record_id = _identifier(record, "id", faults)
        named = _identifier(record, "conversation", faults)
        key = str(record_id) if record_id is not None else default_key
        parts = cls(str(named) if named is not None else key)
        golden = _part(record, "golden", dict, faults)
        trajectory = _part(record, "trajectory", dict, faults)
        tools = _part(record, "tools", dict, faults)
        policy = _part(record, "policy", dict, faults)
        meta = _part(record, "conversation_meta", dict, faults) or {}
        parts._check(golden, tools, policy, faults, checked)
        if trajectory is not None:
            check(parse_trajectory, trajectory, faults)
        if golden is None and trajectory is None and not meta and not record.get("annotations"):
            faults.append(Fault(_NO_CONVERSATION, ""))
        labels = _entries(record, "labels", _label, faults)
        decisions = _entries(record, "decisions", _decision, faults)
        comments = _entries(record, "comments", _comment, faults)
        annotations = _entries(record, "annotations", _annotation, faults)
        noted = _entries(meta, "comments", _comment, faults, path="conversation_meta")
        if trajectory is None and (labels or decisions):
            faults.append(Fault(_LABELS_OF_NOTHING, ""))
        _check_meta(meta, faults)
        if faults:
            raise RefusedError(faults)
        unknown = {name: value for name, value in record.items() if name not in RECORD_KEYS}
        if golden is not None:
            parts._take_golden(golden, policy or {})
        elif policy is not None:
            unknown["policy"] = policy
        parts.tools = tools or {}
        parts.meta = {name: meta[name] for name in META_KEYS if meta.get(name)}
        parts.annotations = {jsonio.content_hash(_plain(entry)): entry for entry in annotations}
        if trajectory is None:
            noted += comments
            if unknown or golden is None:
                parts.extra["record"] = unknown
            if isinstance(record_id, int):
                parts.extra["id"] = record_id
        else:
            run = _trajectory(trajectory, key, record_id, extra=unknown, line=line)
            parts.trajectory = replace(run, labels=tuple(labels), decisions=tuple(decisions), comments=tuple(comments))
            parts.warnings += argument_warnings(trajectory["turns"])
        parts.comments = {jsonio.content_hash(_plain(entry)): entry for entry in noted}
        meta_extra = {name: value for name, value in meta.items() if name not in (*META_KEYS, "comments")}
        if meta_extra:
            parts.extra["meta"] = meta_extra
        return parts

    def _check(self, golden: Any, tools: Any, policy: Any, faults: list[Fault], checked: set[str]) -> None:
        for name, value, parse in (
            ("golden", golden, parse_golden),
            ("tools", tools, parse_tools),
            ("policy", policy, parse_policy),
        ):
            if value is None:
                continue
            digest = jsonio.content_hash([name, value])
            self.hashes[name] = digest
            if digest not in checked and check(parse, value, faults):
                checked.add(digest)

    def _take_golden(self, golden: dict[str, Any], policy: dict[str, Any]) -> None:
        body = {name: golden[name] for name in GOLDEN_KEYS if name in golden}
        extra = {name: value for name, value in golden.items() if name not in GOLDEN_KEYS}
        self.golden = ParsedGolden(body, policy, extra)


def place_of(document: Document, file: str | None) -> str:
    """Where a record stands, for a message about another one."""
    place = f"line {document.line}" if document.line is not None else f"record {document.number}"
    return f"{place} of {file}" if file else place


def _trial_key(trajectory: ParsedTrajectory) -> str:
    """A key for one of several runs that share a record id: told apart by agent, version and trial."""
    agent = "-".join(part for part in (trajectory.agent, trajectory.agent_version) if part)
    trial = f"trial-{trajectory.trial}" if trajectory.trial is not None else ""
    return "/".join(part for part in (trajectory.key, agent, trial) if part)


def _clashes(draft: Draft, parts: RecordParts) -> list[Fault]:
    faults = []
    if parts.golden and draft.golden and _golden_hashes(parts) != _golden_hashes(draft):
        faults.append(
            Fault(
                _OTHER_GOLDEN.format(where=draft.golden_place),
                "golden",
            )
        )
    if parts.tools and draft.tools and parts.hashes["tools"] != draft.hashes["tools"]:
        faults.append(Fault(_OTHER_TOOLS, "tools"))
    return faults


def _golden_hashes(of: "Draft | RecordParts") -> tuple[str | None, str | None]:
    """A golden with its policy; an empty policy is none."""
    policy = of.golden.policy if of.golden else {}
    return of.hashes.get("golden"), of.hashes.get("policy") if policy else None


def check(parse: Callable[[Any], Any], value: Any, faults: list[Fault]) -> bool:
    """Run one of the engine's parsers and keep what it complains about; its paths begin at the record."""
    try:
        parse(value)
    except RecordError as error:
        faults.append(Fault(error.reason, error.path))
        return False
    return True


def argument_warnings(turns: list[dict[str, Any]], path: str = "trajectory.turns") -> list[Fault]:
    """Name each call whose arguments are no object: they are kept as they came and cannot be compared."""
    found = []
    for index, turn in enumerate(turns):
        if "tool" in turn and "args" in turn:
            shape = _unreadable_shape(turn["args"])
            if shape:
                found.append(
                    Fault(
                        _ARGUMENTS.format(shape=shape),
                        f"{path}[{index}].args",
                        "warning",
                    )
                )
    return found


def _unreadable_shape(args: Any) -> str | None:
    if isinstance(args, dict):
        return None
    if isinstance(args, str):
        try:
            value = jsonio.loads(args)
        except jsonio.JsonError:
            return _NOT_JSON
        return None if isinstance(value, dict) else _HOLDING.format(shape=_shape(value))
    return _shape(args)


def _shape(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | Decimal):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _identifier(record: dict[str, Any], name: str, faults: list[Fault]) -> str | int | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        faults.append(Fault(_TEXT_OR_NUMBER, f"{name}"))
        return None
    return value


def _part(record: dict[str, Any], name: str, kind: type, faults: list[Fault]) -> Any:
    value = record.get(name)
    if value is not None and not isinstance(value, kind):
        faults.append(Fault(_NO_OBJECT.format(shape=_shape(value)), f"{name}"))
        return None
    return value


def _check_meta(meta: dict[str, Any], faults: list[Fault]) -> None:
    for name in META_KEYS:
        if not isinstance(meta.get(name, ""), str):
            faults.append(Fault(_TEXT, f"conversation_meta.{name}"))


def _trajectory(
    trajectory: dict[str, Any],
    key: str,
    record_id: str | int | None,
    *,
    extra: dict[str, Any],
    line: int | None,
) -> ParsedTrajectory:
    metadata = {name: value for name, value in trajectory.items() if name not in BODY_KEYS}
    lifted: dict[str, Any] = {}
    for name, kinds in (("agent", (str,)), ("agent_version", (str,)), ("trial", (int,)), ("reward", (int, Decimal))):
        value = metadata.get(name)
        if isinstance(value, kinds) and not isinstance(value, bool) and value != "":
            lifted[name] = metadata.pop(name)
    return ParsedTrajectory(
        key=key,
        body={name: trajectory[name] for name in BODY_KEYS if name in trajectory},
        record_id=record_id,
        metadata=metadata,
        extra=extra,
        source_line=line,
        **lifted,
    )


def _unknown_turns(golden: ParsedGolden | None, trajectory: ParsedTrajectory | None) -> list[Fault]:
    """Labels and decisions about turns that the golden does not have: kept, and said."""
    if golden is None or trajectory is None or not (trajectory.labels or trajectory.decisions):
        return []
    known = {
        (path.get("id", "main"), turn.get("id"))
        for path in golden.body.get("paths", [])
        for turn in path.get("turns", [])
    }
    faults = []
    judged: dict[str, tuple[ParsedLabel | ParsedDecision, ...]] = {
        "labels": trajectory.labels,
        "decisions": trajectory.decisions,
    }
    for name, entries in judged.items():
        for index, entry in enumerate(entries):
            if (entry.path, entry.turn) not in known:
                reason = _UNKNOWN_TURN.format(turn=repr(entry.turn), path=repr(entry.path))
                faults.append(Fault(reason, f"{name}[{index}]", "warning"))
    return faults


# --- people's work that our own export carries ----------------------------------------------------------------------

Builder = Callable[[dict[str, Any], str, list[Fault]], Any]


def _entries(record: dict[str, Any], name: str, build: Builder, faults: list[Fault], *, path: str = "") -> list[Any]:
    value = record.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        faults.append(Fault(_NO_LIST.format(shape=_shape(value)), child(path, name)))
        return []
    built = []
    for index, entry in enumerate(value):
        place = f"{child(path, name)}[{index}]"
        if isinstance(entry, dict):
            built.append(build(dict(entry), place, faults))
        else:
            faults.append(Fault(_NO_OBJECT.format(shape=_shape(entry)), place))
    return built


def _text(entry: dict[str, Any], name: str, place: str, faults: list[Fault], *, required: bool = False) -> str:
    value = entry.pop(name, None)
    if value is None:
        if required:
            faults.append(Fault(_MISSING, f"{place}.{name}"))
        return ""
    if not isinstance(value, str):
        faults.append(Fault(_TEXT, f"{place}.{name}"))
        return ""
    return value


def _choice(entry: dict[str, Any], name: str, allowed: frozenset[str], place: str, faults: list[Fault]) -> str | None:
    value = entry.pop(name, None)
    if value is None or (isinstance(value, str) and value in allowed):
        return value
    faults.append(Fault(_CHOICES.format(choices=", ".join(sorted(allowed))), f"{place}.{name}"))
    return None


def _judgement(entry: dict[str, Any], place: str, faults: list[Fault]) -> dict[str, Any]:
    """The fields that labels and decisions share."""
    cascade_of = entry.pop("cascade_of", None) or []
    if not isinstance(cascade_of, list) or not all(isinstance(turn, str) for turn in cascade_of):
        faults.append(Fault(_TURN_IDS, f"{place}.cascade_of"))
        cascade_of = []
    return {
        "path": _text(entry, "path", place, faults, required=True),
        "turn": _text(entry, "turn", place, faults, required=True),
        "verdict": _choice(entry, "verdict", VERDICTS, place, faults),
        "structural": _choice(entry, "structural", SUB_VERDICTS, place, faults),
        "completeness": _choice(entry, "completeness", SUB_VERDICTS, place, faults),
        "truthfulness": _choice(entry, "truthfulness", SUB_VERDICTS, place, faults),
        "failure_reason": _choice(entry, "failure_reason", FAILURE_REASONS, place, faults),
        "attribution": _choice(entry, "attribution", ATTRIBUTIONS, place, faults),
        "cascade_of": tuple(cascade_of),
    }


def _label(entry: dict[str, Any], place: str, faults: list[Fault]) -> ParsedLabel:
    annotator = _text(entry, "annotator", place, faults, required=True)
    judgement = _judgement(entry, place, faults)
    return ParsedLabel(annotator=annotator, comment=_text(entry, "comment", place, faults), extra=entry, **judgement)


def _decision(entry: dict[str, Any], place: str, faults: list[Fault]) -> ParsedDecision:
    by = _text(entry, "by", place, faults, required=True)
    judgement = _judgement(entry, place, faults)
    return ParsedDecision(by=by, reason=_text(entry, "reason", place, faults), extra=entry, **judgement)


def _comment(entry: dict[str, Any], place: str, faults: list[Fault]) -> ParsedComment:
    return ParsedComment(
        by=_text(entry, "by", place, faults, required=True),
        text=_text(entry, "text", place, faults),
        turn=_text(entry, "turn", place, faults) or None,
        extra=entry,
    )


def _annotation(entry: dict[str, Any], place: str, faults: list[Fault]) -> ParsedAnnotation:
    golden = entry.pop("golden", None)
    if golden is not None and not isinstance(golden, dict):
        faults.append(Fault(_OBJECT, f"{place}.golden"))
        golden = None
    return ParsedAnnotation(
        annotator=_text(entry, "annotator", place, faults, required=True),
        status=_text(entry, "status", place, faults),
        golden=golden,
        comment=_text(entry, "comment", place, faults),
        guideline_version=entry.pop("guideline_version", None),
        extra=entry,
    )


def _plain(entry: ParsedAnnotation | ParsedComment) -> list[Any]:
    return [getattr(entry, name) for name in entry.__slots__]
