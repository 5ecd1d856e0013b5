"""Imports: first everything is said about a file, then a person takes what is good, or nothing.

The comparison with what is stored is computed by one function for the preview and for the writing, so that the preview
says what will happen. Raw files are kept byte for byte; writing reads them again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max, Q

from annotations.models import (
    Conversation,
    Dataset,
    Golden,
    GoldenStatus,
    HumanLabel,
    Project,
    ToolSet,
    Trajectory,
    User,
)
from annotations.services import documents, goldens, history
from annotations.services.errors import NotAllowedNowError, WorkbenchError
from evaluation.aem.language import kept, say
from evaluation.formats import jsonio, registry
from evaluation.formats.model import (
    ParsedConversation,
    ParsedDecision,
    ParsedFile,
    ParsedGolden,
    ParsedLabel,
    ParsedTrajectory,
    Problem,
    SourceFile,
)
from evaluation.models import Decision, ImportFile, ImportJob, ImportState

T = TypeVar("T")
SHOWN_PROBLEMS = 2_000
BATCH = 400

# Longest texts of the columns that name things; longer ones are refused by name, never cut.
_LIMITS = {"key": 200, "title": 300, "language": 20, "domain": 80}
_TRAJECTORY_LIMITS = {"key": 300, "agent": 120, "agent_version": 120}
_JUDGEMENT_LIMITS = {"path": 100, "turn": 100}
_LONGEST_PERSON = 150
_LONGEST_GOLDEN_ID = _JUDGEMENT_LIMITS["turn"]  # labels name the turns of goldens
_LARGEST_TRIAL = 2**31 - 1

# Reports are kept in English; pages show them through `retold` and `formats.words.told`.
_NO_CONVERSATION = kept(
    "there is no conversation in it; tool schemas count together with the results or tasks they belong to"
)
_TWO_ANNOTATIONS = kept("there are two annotations by {name}; one a person is kept")
_TRIAL = kept("trial {trial} is not a whole number from 0 to {most}")
_TWO_LABELS = kept("there are two labels by {name} on turn {turn} of path {path}; one a person is kept")
_TWO_DECISIONS = kept("there are two decisions on turn {turn} of path {path}; one a turn is kept")
_LONG_PATH_ID = kept("a path of the golden has an id of {length} characters; at most {most} are kept, none is cut off")
_LONG_TURN_ID = kept("a turn of the golden has an id of {length} characters; at most {most} are kept, none is cut off")
_LONG_PERSON = kept(
    "the name of a person has {length} characters ({start}…); at most {most} are kept, and none is cut off"
)
_LONG = kept("{name} has {length} characters; at most {most} are kept, and none is cut off")
_OTHER_TEXT = kept("{key}: {name} differs from what is stored; the stored one stays")
_OTHER_TOOLS = kept("{key}: tools differ from what is stored ({names}); the stored ones stay")
_ANNOTATED_HERE = kept("{key}: the golden was annotated here; it stays in force")
_NO_REASON = kept("(imported without a reason)")
#: What an import does, by thing and by what becomes of it.
_COUNTED = (
    kept("conversations new"),
    kept("conversations already present"),
    kept("goldens new"),
    kept("goldens already present"),
    kept("goldens changed"),
    kept("goldens changed, kept"),
    kept("goldens changed, kept: written here"),
    kept("tools changed, kept"),
    kept("tools changed: more is known of them"),
    kept("trajectories new"),
    kept("trajectories already present"),
    kept("trajectories changed"),
    kept("trajectories changed, kept"),
    kept("labels new"),
    kept("labels already present, kept"),
    kept("decisions new"),
    kept("decisions already present, kept"),
    kept("annotations new"),
    kept("annotations already present, kept"),
    kept("people new, without an account"),
)


class ImportRefusedError(WorkbenchError):
    """An import that cannot be made, said in one sentence."""


@dataclass(slots=True)
class Effect:
    """What an import does, or would do: counts by thing and by what becomes of it."""

    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"counts": dict(sorted(self.counts.items())), "notes": self.notes[:SHOWN_PROBLEMS]}


@transaction.atomic
def preview(
    *,
    project: Project,
    dataset: Dataset,
    by: User | None,
    files: Sequence[SourceFile],
    format_name: str = "",
    encoding: str = "",
    is_new_dataset: bool = False,
) -> ImportJob:
    """Keep the files, say everything about them, and write nothing of what is in them.

    ``is_new_dataset``: the dataset was made for this import, and goes again when nothing is written into it.
    """
    if not files:
        raise ImportRefusedError(say("Choose at least one file."))
    parsed = registry.read_files(files, format_name=format_name or None, encoding=encoding or None)
    good, refused = _within_limits(parsed.conversations)
    job = ImportJob.objects.create(
        project=project,
        dataset=dataset,
        format=parsed.format,
        encoding=encoding,
        created_by=by,
        state=ImportState.PREVIEWED if good else ImportState.FAILED,
    )
    for source in files:
        ImportFile.objects.create(
            job=job,
            name=shown_name(source.name),
            file=ContentFile(source.data, name=f"{job.pk}.upload"),
            sha256=hashlib.sha256(source.data).hexdigest(),
            size=len(source.data),
        )
    effect = _Writer(dataset=dataset, by=by, take_changes=True, is_dry=True).write(good)
    job.report = {**_report(parsed, refused, effect), "is_new_dataset": is_new_dataset}
    job.save(update_fields=["report"])
    if job.state == ImportState.FAILED:
        _remove_unused_dataset(job)
    return job


@transaction.atomic
def apply(*, job: ImportJob, by: User | None, now: datetime, take_changes: bool) -> ImportJob:
    """Write the good records of a previewed import, all or none.

    ``take_changes``: add a new version of what is there with other content; else leave what is there. What people wrote
    here is replaced in neither case.
    """
    job = ImportJob.objects.select_for_update().get(pk=job.pk)
    if job.state != ImportState.PREVIEWED:
        raise NotAllowedNowError(
            say("This import is not waiting for a decision: {state}.", state=job.get_state_display().lower())
        )
    if job.dataset is None:
        raise NotAllowedNowError(say("The dataset that this import was for is gone. Upload again."))
    try:
        files = [SourceFile(name=stored.name, data=stored.file.read()) for stored in job.files.all()]
    except OSError as error:
        raise ImportRefusedError(say("The uploaded file is not on the server any more. Upload it again.")) from error
    parsed = registry.read_files(files, format_name=job.format, encoding=job.encoding or None)
    good, refused = _within_limits(parsed.conversations)
    # Imports into one project follow each other: a second one started meanwhile sees what the first one wrote.
    Project.objects.select_for_update().get(pk=job.project_id)
    effect = _Writer(dataset=job.dataset, by=by, take_changes=take_changes, is_dry=False, now=now).write(good)
    job.report = {**_report(parsed, refused, effect), "written": True, "take_changes": take_changes}
    job.state = ImportState.APPLIED
    job.decided_at = now
    job.save(update_fields=["report", "state", "decided_at"])
    history.record(
        project=job.project, actor=by, action="import.applied", subject=job, after=job.report["effect"]["counts"]
    )
    return job


@transaction.atomic
def write(
    *, dataset: Dataset, by: User | None, now: datetime, conversations: Sequence[ParsedConversation]
) -> dict[str, int]:
    """Write values made by a program, such as the demo; raises ImportRefusedError where a name is too long."""
    good, refused = _within_limits(conversations)
    if refused:
        raise ImportRefusedError(refused[0].sentence())
    return dict(_Writer(dataset=dataset, by=by, take_changes=True, is_dry=False, now=now).write(good).counts)


@transaction.atomic
def discard(*, job: ImportJob, by: User | None, now: datetime) -> ImportJob:
    """Write nothing. The files and the report stay."""
    changed = ImportJob.objects.filter(pk=job.pk, state=ImportState.PREVIEWED).update(
        state=ImportState.DISCARDED, decided_at=now
    )
    if not changed:
        raise NotAllowedNowError(say("This import is not waiting for a decision any more."))
    history.record(project=job.project, actor=by, action="import.discarded", subject=job)
    job.refresh_from_db()
    _remove_unused_dataset(job)
    return job


def _remove_unused_dataset(job: ImportJob) -> None:
    """Remove the dataset that was made for an import of which nothing came, unless somebody uses it since."""
    dataset = job.dataset
    if dataset is None or not job.report.get("is_new_dataset"):
        return
    if not (dataset.conversations.exists() or dataset.versions.exists() or dataset.imports.exclude(pk=job.pk).exists()):
        dataset.delete()
        job.refresh_from_db()


def shown_name(name: str) -> str:
    """A file's name as it can be stored and shown: a sign for each byte that is no character and for each line end."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)[-255:]


def _report(parsed: ParsedFile, refused: list[Problem], effect: Effect) -> dict[str, Any]:
    problems = [*parsed.problems, *refused]
    if not parsed.conversations and not problems:
        problems.append(Problem(_NO_CONVERSATION))
    errors = sum(problem.severity == "error" for problem in problems)
    return {
        "format": parsed.format,
        "counts": parsed.counts,
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": [{**asdict(problem), "sentence": problem.sentence()} for problem in problems[:SHOWN_PROBLEMS]],
        "problems_not_shown": max(0, len(problems) - SHOWN_PROBLEMS),
        "effect": effect.as_json(),
        "written": False,
    }


def _within_limits(conversations: Iterable[ParsedConversation]) -> tuple[list[ParsedConversation], list[Problem]]:
    """The conversations whose names fit into their columns, and a problem for each that does not."""
    good, problems = [], []
    for conversation in conversations:
        reasons = [*_unfit(conversation)]
        for reason in reasons:
            problems.append(
                Problem(reason, line=conversation.source_line, path=f"conversation {conversation.key[:60]}")
            )
        if not reasons:
            good.append(conversation)
    return good, problems


def _unfit(conversation: ParsedConversation) -> Iterator[str]:
    """Why a conversation cannot be stored as it is: names that are too long, and people who say two things at once."""
    yield from _too_long(conversation, _LIMITS)
    for golden in conversation.goldens:
        for path in golden.body.get("paths", ()):
            yield from _too_long_id(_LONG_PATH_ID, path.get("id"))
            for turn in path.get("turns", ()):
                yield from _too_long_id(_LONG_TURN_ID, turn.get("id"))
    for name in _repeated(entry.annotator for entry in conversation.annotations):
        yield _TWO_ANNOTATIONS.format(name=name)
    for annotation in conversation.annotations:
        yield from _too_long_person(annotation.annotator)
    for trajectory in conversation.trajectories:
        yield from _too_long(trajectory, _TRAJECTORY_LIMITS)
        if trajectory.trial is not None and not 0 <= trajectory.trial <= _LARGEST_TRIAL:
            yield _TRIAL.format(trial=trajectory.trial, most=_LARGEST_TRIAL)
        for label in trajectory.labels:
            yield from _too_long(label, _JUDGEMENT_LIMITS)
            yield from _too_long_person(label.annotator)
        for decision in trajectory.decisions:
            yield from _too_long(decision, _JUDGEMENT_LIMITS)
            yield from _too_long_person(decision.by)
        for path_id, turn_id, name in _repeated((row.path, row.turn, row.annotator) for row in trajectory.labels):
            yield _TWO_LABELS.format(name=name, turn=turn_id, path=path_id)
        for path_id, turn_id in _repeated((row.path, row.turn) for row in trajectory.decisions):
            yield _TWO_DECISIONS.format(turn=turn_id, path=path_id)


def _repeated(names: Iterable[T]) -> list[T]:
    return [name for name, times in Counter(names).items() if times > 1]


def _too_long_id(sentence: str, name: Any) -> Iterator[str]:
    if isinstance(name, str) and len(name) > _LONGEST_GOLDEN_ID:
        yield sentence.format(length=f"{len(name):,}", most=_LONGEST_GOLDEN_ID)


def _too_long_person(name: str) -> Iterator[str]:
    if len(name) > _LONGEST_PERSON:
        yield _LONG_PERSON.format(length=f"{len(name):,}", start=name[:20], most=_LONGEST_PERSON)


def _too_long(value: Any, limits: dict[str, int]) -> Iterable[str]:
    for name, limit in limits.items():
        length = len(getattr(value, name))
        if length > limit:
            yield _LONG.format(name=name, length=f"{length:,}", most=limit)


def trajectory_hash(trajectory: ParsedTrajectory) -> str:
    """Over everything that makes two imports of a trajectory the same."""
    return jsonio.content_hash(
        {
            "body": trajectory.body,
            "metadata": trajectory.metadata,
            "agent": trajectory.agent,
            "agent_version": trajectory.agent_version,
            "trial": trajectory.trial,
            "reward": trajectory.reward,
        }
    )


def _storable_reward(reward: Decimal | int | None) -> Decimal | None:
    """The reward for the number column; None where it has more digits than the column (it is kept as given beside)."""
    if reward is None:
        return None
    value = Decimal(reward)
    rounded = round(value, 10) if abs(value) < Decimal(10) ** 9 else None
    return rounded if rounded == value else None


class _Writer:
    """Writes parsed conversations into a dataset, or (dry) only counts what it would do."""

    def __init__(
        self, *, dataset: Dataset, by: User | None, take_changes: bool, is_dry: bool, now: datetime | None = None
    ) -> None:
        self.dataset = dataset
        self.project = dataset.project
        self.by = by
        self.take_changes = take_changes
        self.is_dry = is_dry
        self.now = now
        self.effect = Effect()
        self.people: dict[str, User] = {}
        self.tools: dict[int, dict[str, Any]] = {}  # by conversation, as they are after the import

    def write(self, conversations: Sequence[ParsedConversation]) -> Effect:
        stored = {
            conversation.key: conversation
            for conversation in Conversation.objects.filter(dataset=self.dataset).select_related(
                "tool_set", "golden_record__tool_set"
            )
        }
        current = {
            (trajectory.conversation_id, trajectory.key): trajectory
            for trajectory in Trajectory.objects.filter(conversation__dataset=self.dataset)
            .current()
            .only("conversation_id", "key", "version", "content_hash")
        }
        new = [parsed for parsed in conversations if parsed.key not in stored]
        if not self.is_dry:
            stored |= self._add(new, current)
        added = {parsed.key for parsed in new}
        for parsed in conversations:
            if parsed.key in added:
                conversation = stored.get(parsed.key)
                self.count("conversations new")
                for _ in parsed.goldens[:1]:
                    self.count("goldens new")
                for trajectory in parsed.trajectories:
                    self.count("trajectories new")
                    row = current[conversation.pk, trajectory.key] if conversation is not None else None
                    self._labels(trajectory, row)
                self._annotations(parsed, conversation)
                continue
            conversation = self._known_conversation(parsed, stored[parsed.key])
            self._goldens(parsed, conversation)
            for trajectory in parsed.trajectories:
                row = self._trajectory(trajectory, conversation, current)
                self._labels(trajectory, row)
            self._annotations(parsed, conversation)
        return self.effect

    def count(self, what: str) -> None:
        self.effect.counts[what] += 1

    # conversations and tools

    def _add(
        self, conversations: Sequence[ParsedConversation], current: dict[tuple[int, str], Trajectory]
    ) -> dict[str, Conversation]:
        """Store conversations that are not here yet with their goldens and trajectories, many at a time."""
        tool_sets: dict[str, ToolSet] = {}
        rows = []
        for parsed in conversations:
            content_hash = jsonio.content_hash(parsed.tools)
            if content_hash not in tool_sets:
                tool_sets[content_hash] = documents.get_tool_set(project=self.project, tools=parsed.tools)
            rows.append(
                Conversation(
                    dataset=self.dataset,
                    key=parsed.key,
                    title=parsed.title,
                    language=parsed.language,
                    domain=parsed.domain,
                    user_goal=parsed.user_goal,
                    system_prompt=parsed.system_prompt,
                    tool_set=tool_sets[content_hash],
                    extra=_with_comments(parsed),
                )
            )
        pairs = list(zip(conversations, Conversation.objects.bulk_create(rows, batch_size=BATCH), strict=True))
        documents.accept_first_golden_records(
            project=self.project,
            bodies=[(row, _golden_body(golden)) for parsed, row in pairs for golden in parsed.goldens[:1]],
            by=self.by,
        )
        trajectories = Trajectory.objects.bulk_create(
            [_trajectory_row(trajectory, row) for parsed, row in pairs for trajectory in parsed.trajectories],
            batch_size=BATCH,
        )
        current |= {(trajectory.conversation_id, trajectory.key): trajectory for trajectory in trajectories}
        return {row.key: row for _, row in pairs}

    def _known_conversation(self, parsed: ParsedConversation, stored: Conversation) -> Conversation:
        self.count("conversations already present")
        filled = [
            name
            for name in ("title", "language", "domain", "user_goal", "system_prompt")
            if getattr(parsed, name) and not getattr(stored, name)
        ]
        for name in ("title", "language", "domain", "user_goal", "system_prompt"):
            if getattr(parsed, name) and getattr(stored, name) not in ("", getattr(parsed, name)):
                self.effect.notes.append(_OTHER_TEXT.format(key=parsed.key, name=name))
        tools = self.tools[stored.pk] = self._tools(parsed, stored)
        if not self.is_dry:
            for name in filled:
                setattr(stored, name, getattr(parsed, name))
            if tools != stored.tool_set.body:
                stored.tool_set = documents.get_tool_set(project=self.project, tools=tools)
                filled.append("tool_set")
            if filled:
                stored.save(update_fields=filled)
        return stored

    def _tools(self, parsed: ParsedConversation, stored: Conversation) -> dict[str, Any]:
        """The stored tools with what they lacked: further tools, and what is newly said of a known one."""
        known: dict[str, Any] = stored.tool_set.body
        tools, differing = dict(known), []
        for name, said in parsed.tools.items():
            before = tools.get(name, {})
            if not isinstance(said, Mapping) or not isinstance(before, Mapping):
                tools.setdefault(name, said)
                continue
            tools[name] = {**said, **before} if any(key not in before for key in said) or name not in tools else before
            differing += [f"{name}.{key}" for key, value in said.items() if key in before and before[key] != value]
        if differing:
            names = ", ".join(differing[:5]) + (" …" if len(differing) > 5 else "")
            self.effect.notes.append(_OTHER_TOOLS.format(key=parsed.key, names=names))
        if tools == known:
            return known
        if not self.take_changes:
            self.count("tools changed, kept")
            return known
        self.count("tools changed: more is known of them")
        return tools

    # goldens

    def _goldens(self, parsed: ParsedConversation, conversation: Conversation) -> None:
        for golden in parsed.goldens[:1]:
            body = _golden_body(golden)
            in_force = conversation.golden_record
            if in_force is None:
                self.count("goldens new")
            elif jsonio.content_hash(in_force.body) == jsonio.content_hash(body) and (
                in_force.golden_id is not None or in_force.tool_set.body == self.tools.get(in_force.conversation_id)
            ):
                self.count("goldens already present")
                continue
            elif in_force.golden_id is not None:
                self.count("goldens changed, kept: written here")
                self.effect.notes.append(_ANNOTATED_HERE.format(key=parsed.key))
                continue
            elif not self.take_changes:
                self.count("goldens changed, kept")
                continue
            else:
                self.count("goldens changed")
            if not self.is_dry:
                conversation.golden_record = documents.accept_golden_record(
                    conversation=conversation, body=body, by=self.by
                )

    # trajectories

    def _trajectory(
        self, parsed: ParsedTrajectory, conversation: Conversation, current: dict[tuple[int, str], Trajectory]
    ) -> Trajectory | None:
        content_hash = trajectory_hash(parsed)
        known = current.get((conversation.pk, parsed.key))
        version = 1
        if known is not None:
            if known.content_hash == content_hash:
                self.count("trajectories already present")
                return known
            if not self.take_changes:
                self.count("trajectories changed, kept")
                return known
            self.count("trajectories changed")
            if self.is_dry:
                return known
            siblings = Trajectory.objects.filter(conversation_id=known.conversation_id, key=parsed.key)
            earlier = siblings.filter(content_hash=content_hash).first()
            siblings.filter(superseded_at=None).update(superseded_at=self.now)
            if earlier is not None:  # what it was once: that version is in force again
                earlier.superseded_at = None
                earlier.save(update_fields=["superseded_at"])
                current[earlier.conversation_id, earlier.key] = earlier
                return earlier
            version = (siblings.aggregate(last=Max("version"))["last"] or 0) + 1
        else:
            self.count("trajectories new")
        if self.is_dry:
            return None
        row = _trajectory_row(parsed, conversation, version=version)
        row.save(force_insert=True)
        current[conversation.pk, parsed.key] = row
        return row

    # people's work

    def _labels(self, parsed: ParsedTrajectory, row: Trajectory | None) -> None:
        if row is None:
            for label in parsed.labels:
                self.count("labels new")
                self._person(label.annotator)
            for decision in parsed.decisions:
                self.count("decisions new")
                self._person(decision.by)
            return
        if parsed.labels:
            known = set(row.labels.values_list("path", "turn_key", "annotator_id"))
            for label in parsed.labels:
                person = self._person(label.annotator)
                if person is not None and (label.path, label.turn, person.pk) in known:
                    self.count("labels already present, kept")
                    continue
                self.count("labels new")
                if not self.is_dry and person is not None:
                    HumanLabel.objects.create(
                        trajectory=row, annotator=person, comment=label.comment, **_judgement(label)
                    )
        if parsed.decisions:
            decided = set(row.decisions.values_list("path", "turn_key"))
            for decision in parsed.decisions:
                person = self._person(decision.by)
                if (decision.path, decision.turn) in decided:
                    self.count("decisions already present, kept")
                    continue
                self.count("decisions new")
                if not self.is_dry and person is not None:
                    Decision.objects.create(
                        trajectory=row,
                        decided_by=person,
                        reason=decision.reason or _NO_REASON,
                        **_judgement(decision),
                    )

    def _annotations(self, parsed: ParsedConversation, conversation: Conversation | None) -> None:
        for annotation in parsed.annotations:
            person = self._person(annotation.annotator)
            if (
                conversation is not None
                and person is not None
                and Golden.objects.filter(conversation=conversation, annotator=person).exists()
            ):
                self.count("annotations already present, kept")
                continue
            self.count("annotations new")
            if self.is_dry or conversation is None or person is None:
                continue
            known_status = annotation.status in GoldenStatus.values
            extra: dict[str, Any] = {"import": dict(annotation.extra)} if annotation.extra else {}
            if not known_status:
                extra["status_as_given"] = annotation.status
            if annotation.guideline_version is not None:
                extra["guideline_version"] = annotation.guideline_version
            golden = Golden.objects.create(
                conversation=conversation, annotator=person, comment=annotation.comment, extra=extra
            )
            if annotation.golden is not None:
                goldens.load_body(golden, annotation.golden, person)
            golden.refresh_from_db()
            golden.extra = {**golden.extra, **extra}
            golden.status = annotation.status if known_status else GoldenStatus.SUBMITTED
            # It was written elsewhere: under the version that the file names where there is one, else nobody knows.
            number = annotation.guideline_version
            is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**31
            golden.guideline = self.project.guidelines.filter(number=number).first() if is_number else None
            golden.save(update_fields=["status", "extra", "guideline"])

    def _person(self, name: str) -> User | None:
        """Who was imported under that name before, or wrote here, or is a member; else somebody without an account.

        In this order, so that a second import finds the same person although people have joined or left since.
        """
        if name in self.people:
            return self.people[name]
        here = {"conversation__dataset__project": self.project}
        named = User.objects.filter(username=name)
        person = (
            User.objects.filter(imported_into=self.project, imported_name=name).first()
            or named.filter(memberships__project=self.project).first()
            or named.filter(
                Q(pk__in=HumanLabel.objects.in_project(self.project).values("annotator"))
                | Q(pk__in=Decision.objects.in_project(self.project).values("decided_by"))
                | Q(pk__in=Golden.objects.filter(**here).values("annotator"))
            ).first()
        )
        if person is None:
            if self.is_dry:
                return None
            digest = hashlib.sha256(name.encode("utf-8", errors="replace")).hexdigest()[:12]
            person = User(
                username=f"import-{self.project.pk}-{digest}",
                imported_into=self.project,
                imported_name=name,
                is_active=False,
            )
            person.set_unusable_password()
            person.save()
            self.count("people new, without an account")
        self.people[name] = person
        return person


def _with_comments(parsed: ParsedConversation | ParsedTrajectory) -> dict[str, Any]:
    extra = dict(parsed.extra)
    if parsed.comments:
        extra["comments"] = [asdict(comment) for comment in parsed.comments]
    return extra


def _golden_body(golden: ParsedGolden) -> dict[str, Any]:
    body = documents.golden_body(golden=golden.body, policy=golden.policy)
    if golden.extra:
        body["extra"] = golden.extra
    return body


def _trajectory_row(parsed: ParsedTrajectory, conversation: Conversation, *, version: int = 1) -> Trajectory:
    return Trajectory(
        conversation=conversation,
        key=parsed.key,
        version=version,
        record_id=parsed.record_id,
        agent=parsed.agent,
        agent_version=parsed.agent_version,
        trial=parsed.trial,
        reward=_storable_reward(parsed.reward),
        reward_as_given=parsed.reward,
        body=parsed.body,
        metadata=parsed.metadata,
        extra=_with_comments(parsed),
        content_hash=trajectory_hash(parsed),
        turn_count=sum("user" not in turn for turn in parsed.body["turns"]),
    )


def _judgement(entry: ParsedLabel | ParsedDecision) -> dict[str, Any]:
    return {
        "path": entry.path,
        "turn_key": entry.turn,
        "verdict": entry.verdict or "",
        "structural": entry.structural or "",
        "completeness": entry.completeness or "",
        "truthfulness": entry.truthfulness or "",
        "failure_reason": entry.failure_reason or "",
        "attribution": entry.attribution or "",
        "cascade_of": list(entry.cascade_of),
        "extra": entry.extra,
    }
