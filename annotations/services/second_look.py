"""What was made under an older guideline, and may be in doubt since it changed; and what is decided about it.

"Still right" says that a golden or a label holds under the version in force: it is listed again after the next one.
"Ask again" returns a golden to its annotator, or asks for a label to be made anew. Nothing is deleted: the golden in
force stays so, and a label counts until it is saved again. Each act is one change of the history, and has one undo.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotations.models import (
    Capability,
    Change,
    Golden,
    GoldenStatus,
    GoldTurn,
    Guideline,
    HumanLabel,
    Membership,
    MergeGolden,
    Project,
    SecondLook,
    SecondLookKind,
    TurnKind,
    User,
)
from annotations.services import goldens as written
from annotations.services import history, projects
from annotations.services.errors import NotAllowedNowError, StaleRevisionError, WorkbenchError
from evaluation.aem.language import say, say_n

#: The acts in the history, and how one is taken back.
ACTIONS = {SecondLookKind.RIGHT: "second_look.right", SecondLookKind.AGAIN: "second_look.again"}
UNDONE = "second_look.undone"
LONGEST_COMMENT = 2000
_NAMES_SHOWN = 4


# --- what is in doubt -------------------------------------------------------------------------------------------------


def _older(version: Guideline) -> Q:
    """Made under an earlier version, or under one that is not known, as some imports are."""
    return Q(guideline__number__lt=version.number) | Q(guideline__isnull=True)


def _held(version: Guideline, of: str) -> QuerySet[SecondLook, Any]:
    """The ids of what somebody said holds under this version, or a later one."""
    looks = SecondLook.objects.filter(
        project=version.project_id,
        kind=SecondLookKind.RIGHT,
        guideline__number__gte=version.number,
        **{f"{of}__isnull": False},
    )
    ids: QuerySet[SecondLook, Any] = looks.order_by().values(of)
    return ids


def goldens_in_doubt(version: Guideline, *, tool: str = "") -> QuerySet[Golden]:
    """Goldens that were last saved before this version and are not said to hold under it; with ``tool`` only those that
    expect a call of it."""
    found = Golden.objects.in_project(version.project).filter(_older(version))
    found = found.exclude(pk__in=_held(version, "golden"))
    if tool:
        found = found.filter(pk__in=_with_tool(version.project, tool))
    related = ("conversation__dataset", "annotator", "guideline")
    return found.select_related(*related).order_by("guideline__number", "updated_at", "pk")


def labels_in_doubt(version: Guideline, *, reason: str = "") -> QuerySet[HumanLabel]:
    """Labels that were last saved before this version and are not said to hold under it; with ``reason`` only those
    that name this failure reason."""
    found = HumanLabel.objects.in_project(version.project).filter(_older(version))
    found = found.exclude(pk__in=_held(version, "label"))
    if reason:
        found = found.filter(failure_reason=reason)
    related = ("trajectory__conversation", "annotator", "guideline")
    return found.select_related(*related).defer("trajectory__body").order_by("guideline__number", "updated_at", "pk")


def tools_of(project: Project) -> list[str]:
    """The tools that goldens of the project expect, by name."""
    return sorted({tool for _, tool in _calls(project)})


def _with_tool(project: Project, tool: str) -> set[UUID]:
    return {golden for golden, name in _calls(project) if name == tool}


def _calls(project: Project) -> list[tuple[UUID, str]]:
    turns = GoldTurn.objects.filter(golden__conversation__dataset__project=project, kind=TurnKind.ACTION)
    rows = turns.order_by("pk").values_list("golden_id", "body").iterator(chunk_size=500)
    return [(golden, str(body.get("tool"))) for golden, body in rows]


# --- who was asked again ----------------------------------------------------------------------------------------------


def _unanswered(of: str) -> QuerySet[SecondLook]:
    """What was asked for again, and neither saved under that version since nor said to be right after all."""
    since = Q(**{f"{of}__guideline__isnull": True}) | Q(**{f"{of}__guideline__number__lt": F("guideline__number")})
    right = SecondLook.objects.filter(
        kind=SecondLookKind.RIGHT, guideline__number__gte=OuterRef("guideline__number"), **{of: OuterRef(of)}
    )
    looks = SecondLook.objects.filter(since, ~Exists(right), kind=SecondLookKind.AGAIN, **{f"{of}__isnull": False})
    return looks.select_related("by", "guideline").order_by("pk")


def asked_again(rows: Iterable[Golden] | Iterable[HumanLabel]) -> dict[Any, SecondLook]:
    """Of these goldens, or labels, those that were asked for again and are not saved since: who asked last, by id."""
    found: list[Golden | HumanLabel] = [*rows]
    of = "golden" if found and isinstance(found[0], Golden) else "label"
    looks = _unanswered(of).filter(**{f"{of}__in": [row.pk for row in found]})
    return {look.golden_id or look.label_id: look for look in looks}


@dataclass(frozen=True, slots=True)
class Asked:
    """A label that its annotator is asked to make again, and where: empty where no run shows the turn."""

    look: SecondLook
    label: HumanLabel
    address: str


_places_of: list[Callable[[Sequence[HumanLabel]], dict[int, str]]] = []


def use_places(places_of: Callable[[Sequence[HumanLabel]], dict[int, str]]) -> None:
    """Say where a label is made: the address of its turn's page, by the id of the label."""
    _places_of[:] = [places_of]


def labels_asked_of(project: Project, user: User) -> list[Asked]:
    """The labels that this person is asked to make again, first what was asked first."""
    looks = _unanswered("label").filter(project=project, label__annotator=user)
    related = looks.select_related("by", "guideline", "label__guideline", "label__trajectory__conversation__dataset")
    last = {look.label_id: look for look in related.defer("label__trajectory__body")}
    if not last:
        return []
    found = [(look, look.label) for look in last.values() if look.label is not None]
    places = _places_of[0]([label for _, label in found]) if _places_of else {}
    return [Asked(look, label, places.get(label.pk, "")) for look, label in found]


# --- acts -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """A golden or a label that an act left alone, and why."""

    golden: Golden | None
    label: HumanLabel | None
    why: str

    @property
    def title(self) -> str:
        if self.golden is not None:
            return str(self.golden.conversation)
        assert self.label is not None  # noqa: S101 - it is about one of the two
        return f"{self.label.trajectory.conversation} · {self.label.turn_key}"


@dataclass(slots=True)
class Outcome:
    """What an act did; ``act`` is None where nothing had to be changed. ``unchanged``: not in doubt, or asked."""

    act: Change | None = None
    changed: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)


@transaction.atomic
def say_right(
    *, project: Project, by: User, seen_number: int, goldens: Collection[UUID] = (), labels: Collection[int] = ()
) -> Outcome:
    """Say that these hold under the version in force, which is the one that was seen: they leave the list until the
    next. Raises StaleRevisionError for another version, WorkbenchError for what is not in the project."""
    version = _locked_version(project, seen_number)
    rows, labelled, unchanged = _chosen(version, goldens, labels)
    outcome = Outcome(unchanged=unchanged, changed=len(rows) + len(labelled))
    if outcome.changed:
        outcome.act = _recorded(version, by, SecondLookKind.RIGHT, rows, labelled)
    return outcome


@transaction.atomic
def ask_again(
    *,
    project: Project,
    by: User,
    seen_number: int,
    comment: str,
    goldens: Collection[UUID] = (),
    labels: Collection[int] = (),
) -> Outcome:
    """Return these goldens to their annotators and ask for these labels again; the comment says why.

    What cannot be asked for is left alone and named. Raises StaleRevisionError where another version is in force than
    was seen, WorkbenchError without a comment and for what is not in the project.
    """
    comment = comment.strip()
    if not comment:
        raise WorkbenchError(say("Say what is to be looked at: whoever is asked reads it."))
    if len(comment) > LONGEST_COMMENT:
        raise WorkbenchError(
            say("The comment has {count} characters; there can be {most}.", count=len(comment), most=LONGEST_COMMENT)
        )
    version = _locked_version(project, seen_number)
    rows, labelled, unchanged = _chosen(version, goldens, labels)
    outcome = Outcome(unchanged=unchanged)
    members = dict(Membership.objects.filter(project=project).values_list("user", "pk"))
    roles = Membership.objects.in_bulk(members.values())

    def may(person_id: int, capability: str) -> bool:
        return person_id in members and roles[members[person_id]].allows(capability)

    results = set(MergeGolden.objects.filter(golden__in=rows, is_result=True).values_list("golden", flat=True))
    returned, before = [], {}
    for golden in rows:
        why = _why_not_again(golden, may_annotate=may(golden.annotator_id, Capability.ANNOTATE), results=results)
        if why:
            outcome.refused.append(Refusal(golden, None, why))
            continue
        was = _review_of(golden)
        after = written.return_(golden, by, comment)
        before[str(golden.pk)] = {**was, "revision": after.revision}
        returned.append(golden)
    asked = asked_again(labelled)
    wanted = []
    for label in labelled:
        if not may(label.annotator_id, Capability.LABEL):
            why = say("{name} labels here no more", name=label.annotator)
            outcome.refused.append(Refusal(None, label, why))
        elif label.pk in asked and asked[label.pk].guideline_id == version.pk:
            outcome.unchanged += 1
        else:
            wanted.append(label)
    outcome.changed = len(returned) + len(wanted)
    if outcome.changed:
        # Asked once more under the same version: the newest comment counts.
        SecondLook.objects.filter(kind=SecondLookKind.AGAIN, guideline=version, golden__in=returned).delete()
        outcome.act = _recorded(
            version, by, SecondLookKind.AGAIN, returned, wanted, comment=comment, before={"goldens": before}
        )
    return outcome


def _why_not_again(golden: Golden, *, may_annotate: bool, results: set[UUID]) -> str:
    if golden.is_open:
        return say("it is being written already")
    if golden.pk in results:
        return say("it is the result of a merge: change it there")
    if not may_annotate:
        return say("{name} annotates here no more", name=golden.annotator)
    return ""


def _locked_version(project: Project, seen_number: int) -> Guideline:
    """The version in force; no other comes into force before this act is stored."""
    Project.objects.select_for_update().get(pk=project.pk)
    version = projects.current_guideline(project)
    if version is None:
        raise NotAllowedNowError(say("This project has no guideline yet."))
    if version.number != seen_number:
        version.revision = version.number  # type: ignore[attr-defined]
        raise StaleRevisionError(version, seen=seen_number)
    return version


def _chosen(
    version: Guideline, goldens: Collection[UUID], labels: Collection[int]
) -> tuple[list[Golden], list[HumanLabel], int]:
    """The chosen ones that are in doubt, always in one order, and how many are not. WorkbenchError for strange ones."""
    known = set(Golden.objects.in_project(version.project).filter(pk__in=goldens).values_list("pk", flat=True))
    for pk in goldens:
        if pk not in known:
            raise WorkbenchError(say("There is no golden {id} in this project.", id=pk))
    numbers = set(HumanLabel.objects.in_project(version.project).filter(pk__in=labels).values_list("pk", flat=True))
    for number in labels:
        if number not in numbers:
            raise WorkbenchError(say("There is no label {id} in this project.", id=number))
    if not goldens and not labels:
        raise WorkbenchError(say("Tick at least one row."))
    rows = list(goldens_in_doubt(version).filter(pk__in=known).order_by("pk"))
    labelled = list(labels_in_doubt(version).filter(pk__in=numbers).order_by("pk"))
    return rows, labelled, len(known) + len(numbers) - len(rows) - len(labelled)


def _review_of(golden: Golden) -> dict[str, Any]:
    """What a return changes."""
    return {
        "status": str(golden.status),
        "review_comment": golden.review_comment,
        "reviewed_by": golden.reviewed_by_id,
        "reviewed_at": golden.reviewed_at and golden.reviewed_at.isoformat(),
    }


def _recorded(
    version: Guideline,
    by: User,
    kind: SecondLookKind,
    goldens: Sequence[Golden],
    labels: Sequence[HumanLabel],
    *,
    comment: str = "",
    before: Any = None,
) -> Change:
    ids = {"goldens": [str(row.pk) for row in goldens], "labels": [row.pk for row in labels]}
    after = {"version": version.number, **ids, **({"comment": comment} if comment else {})}
    act = history.record(
        project=version.project, actor=by, action=ACTIONS[kind], subject=version, before=before, after=after
    )
    shared = {"project": version.project, "kind": kind, "guideline": version, "by": by, "at": timezone.now()}
    SecondLook.objects.bulk_create(
        [SecondLook(golden=row, comment=comment, act=act, **shared) for row in goldens]
        + [SecondLook(label=row, comment=comment, act=act, **shared) for row in labels],
        batch_size=400,
    )
    return act


def find_acts(project: Project) -> QuerySet[Change]:
    """The acts that stand, newest first."""
    actions = ACTIONS.values()
    found = Change.objects.filter(project=project, action__in=actions, undone_by__isnull=True)
    return found.select_related("actor").order_by("-pk")


@transaction.atomic
def undo(*, project: Project, act_pk: int, by: User) -> Outcome:
    """Take an act back: what was said to hold is in doubt again; a golden that was returned is as it was handed in.

    What its annotator has saved since stays as it is and is named. Raises NotAllowedNowError where the act was taken
    back already, and where all of it has changed since; nothing is changed then.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    act = find_acts(project).filter(pk=act_pk).first()
    if act is None:
        raise NotAllowedNowError(say("There is nothing to undo: it was taken back already."))
    outcome = Outcome()
    gone = []
    looks = act.looks.select_related("golden__conversation__dataset__project", "label__trajectory__conversation")
    for look in looks.select_related("label__guideline", "guideline").defer("label__trajectory__body"):
        if look.kind == SecondLookKind.AGAIN and (why := _why_not_back(look, act, by)):
            outcome.refused.append(Refusal(look.golden, look.label, why))
        else:
            gone.append(look.pk)
    if not gone:
        raise NotAllowedNowError(_all_changed(outcome.refused))
    SecondLook.objects.filter(pk__in=gone).delete()
    outcome.changed = len(gone)
    outcome.act = history.record(
        project=project,
        actor=by,
        action=UNDONE,
        subject=Guideline(pk=int(act.subject_id)),
        before=act.after,
        after={"taken back": len(gone), "left alone": len(outcome.refused)},
        undoes=act,
    )
    return outcome


def _why_not_back(look: SecondLook, act: Change, by: User) -> str:
    """Put what was asked for again back to what it was; else say why not, having changed nothing."""
    if look.label is not None:
        number = look.label.guideline.number if look.label.guideline is not None else 0
        return say("it was saved anew since") if number >= look.guideline.number else ""
    assert look.golden is not None  # noqa: S101 - a look is at one of the two
    golden = Golden.objects.select_for_update().get(pk=look.golden.pk)
    was = act.before["goldens"][str(golden.pk)]
    is_written = Change.objects.filter(scope=str(golden.pk), pk__gt=act.pk).exists()
    if is_written or golden.status != GoldenStatus.RETURNED or golden.revision != was["revision"]:
        return say("its annotator has gone on with it since")
    golden.status, golden.review_comment, golden.reviewed_by_id = (
        was["status"],
        was["review_comment"],
        was["reviewed_by"],
    )
    golden.reviewed_at = datetime.fromisoformat(was["reviewed_at"]) if was["reviewed_at"] else None
    golden.revision += 1
    # Not ``updated_at``: nobody has saved it.
    Golden.objects.filter(pk=golden.pk).update(
        **{name: getattr(golden, name) for name in ("status", "review_comment", "reviewed_at", "revision")},
        reviewed_by=golden.reviewed_by_id,
    )
    history.record(
        project=look.project,
        actor=by,
        action="golden.return_undone",
        subject=golden,
        before={"status": str(GoldenStatus.RETURNED)},
        after={"status": str(golden.status)},
    )
    return ""


def _all_changed(refused: Sequence[Refusal]) -> str:
    if not refused:
        return say("Nothing was undone: nothing of it is left.")
    named = "; ".join(f"{one.title}: {one.why}" for one in refused[:_NAMES_SHOWN])
    if len(refused) > _NAMES_SHOWN:
        named = say_n("{names} and {count} more", "{names} and {count} more", len(refused) - _NAMES_SHOWN, names=named)
    return say("Nothing was undone: all of it has changed since. {named}.", named=named)
