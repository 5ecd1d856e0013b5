"""Policies: how a run judges what its records leave open. Documents; an edit makes the next number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from django.db import transaction

from annotations.models import Change, Project, User
from annotations.services import history
from annotations.services.errors import StaleRevisionError, WorkbenchError
from evaluation import aem
from evaluation.aem import RecordError, ScorerUnavailable, parse_policy
from evaluation.aem.language import kept, mark, say, say_in
from evaluation.aem.parse_parts import parse_compare
from evaluation.aem.records import NO_COMPARE, Compare, Composition, ParamPolicy
from evaluation.models import Policy
from evaluation.services import numbered

STANDARD = "standard"

#: The settings of a policy, those of its composition, and those of a rule for one parameter.
SETTINGS = tuple(field.name for field in fields(aem.Policy))
COMPOSITION = tuple(field.name for field in fields(Composition))
RULE = tuple(field.name for field in fields(ParamPolicy))

#: How a comparison is called, beside its name in a document.
COMPARISON_WORDS = {
    "auto": mark("by its type"),
    "literal": mark("exactly, letter by letter"),
    "text": mark("by meaning"),
    "number": mark("as a number"),
    "date": mark("as a date written as 2026-03-31"),
    "boolean": mark("as yes or no"),
    "regex": mark("by a pattern"),
    "set": mark("as a list in any order"),
    "list": mark("as a list in this order"),
    "object": mark("as an object"),
    "any": mark("anything that is given"),
}
SETTING_WORDS = {
    "scorer": mark("evaluator"),
    "threshold": mark("threshold"),
    "margin": mark("margin"),
    "alignment": mark("alignment"),
    "default_dependencies": mark("default dependencies"),
    "taint": mark("taint"),
    "extra_writes": mark("extra writes"),
}
#: The names of settings where a document is spoken of.
_NAMES = {
    "scorer": mark("scorer"),
    "threshold": mark("threshold"),
    "margin": mark("margin"),
    "alignment": mark("alignment"),
    "default_dependencies": mark("default dependencies"),
    "taint": mark("taint"),
    "extra_writes": mark("extra writes"),
    "composition": mark("composition"),
    "params": mark("params"),
}
#: Choices by their names, as far as they are words; evaluators keep theirs in every language.
_CHOICES = {
    "search": mark("search"),
    "given": mark("given"),
    "linear": mark("linear"),
    "report": mark("report"),
    "unweighted": mark("unweighted"),
    "weighted": mark("weighted"),
}
_CANNOT = kept("This policy cannot be followed: {error}")


class PolicyRefusedError(WorkbenchError):
    """A policy that the engine cannot follow; the message names the setting and the reason."""


class StalePolicyError(StaleRevisionError):
    """The policy has a newer number than the one that was edited; ``current`` is that number, and nothing was kept."""

    def __init__(self, current: Policy, *, seen: int) -> None:
        self.current = current
        self.seen = seen
        said = (
            say("Somebody kept {policy} meanwhile: you edited number {seen}.", policy=current, seen=seen)
            if seen
            else say("{policy} is there already.", policy=current)
        )
        lost = say("Nothing of yours is lost: compare both, then keep yours or change it.")
        WorkbenchError.__init__(self, f"{said} {lost}")


@transaction.atomic
def create(
    *, project: Project, body: dict[str, Any], by: User | None, name: str = STANDARD, reason: str = ""
) -> Policy:
    """The next number of the named policy. The content of its last number gives that one again.

    Raises PolicyRefusedError for a body that the engine does not understand.
    """
    name = check_name(name)
    check(body)
    numbered.lock(project)
    newest = find_newest(project=project, name=name)
    policy, is_new = numbered.add(Policy, project=project, name=name, body=body, by=by, newest=newest)
    if not is_new:
        return policy
    history.record(
        project=project,
        actor=by,
        action="policy.created",
        subject=policy,
        before=newest and newest.body,
        after={"body": body, "reason": reason.strip()},
        scope=f"policy:{name}",
    )
    return policy


@transaction.atomic
def save(
    *, project: Project, name: str, body: dict[str, Any], by: User | None, seen_number: int, reason: str = ""
) -> Policy:
    """Keep an edit as the next number; one that changes nothing gives the newest number again.

    ``seen_number`` is the newest number of that name when the edit began, 0 for a name that was new. Raises
    StalePolicyError where it no longer is, PolicyRefusedError where the engine cannot follow the body.
    """
    name = check_name(name)
    check(body)
    numbered.lock(project)
    newest = find_newest(project=project, name=name)
    if newest is None and seen_number:
        raise PolicyRefusedError(
            say(
                "There is no policy {name}, so that nobody can have seen its number {number}.",
                name=name,
                number=seen_number,
            )
        )
    if newest is not None and newest.number != seen_number:
        raise StalePolicyError(newest, seen=seen_number)
    if newest is not None and not differences(newest.body, body):
        return newest
    return create(project=project, name=name, body=body, by=by, reason=reason)


@dataclass(frozen=True, slots=True)
class Adoption:
    """One change of a policy: the threshold of the whole, or threshold and comparison of a tool's parameter."""

    threshold: Decimal | None = None
    tool: str = ""
    param: str = ""
    compare: Any = None


@transaction.atomic
def adopt(*, project: Project, name: str, changes: Sequence[Adoption], by: User | None, reason: str) -> Policy:
    """The next number of a policy: its newest one with these changes, and why, which its history keeps.

    Raises WorkbenchError without a reason or without such a policy, PolicyRefusedError where the engine could not
    follow the result. Changes that change nothing give the newest number again.
    """
    if not reason.strip():
        raise WorkbenchError(say("reason: say why, for the next reader."))
    numbered.lock(project)
    newest = find_newest(project=project, name=name)
    if newest is None:
        raise WorkbenchError(say("There is no policy {name} in this project.", name=name))
    body = newest.body
    for change in changes:
        body = _adopted(body, change)
    return save(project=project, name=name, body=body, by=by, seen_number=newest.number, reason=reason)


def _adopted(body: dict[str, Any], change: Adoption) -> dict[str, Any]:
    """A body with one change; the one that was given stays as it is."""
    if bool(change.tool) != bool(change.param):
        raise WorkbenchError(say("A change of a parameter names both tool and parameter."))
    if not change.tool:
        if change.compare is not None:
            raise WorkbenchError(say("A comparison is set for a tool's parameter, not for the whole policy."))
        return body if change.threshold is None else {**body, "threshold": change.threshold}
    params = body.get("params") or {}
    rules = params.get(change.tool) or {}
    rule = dict(rules.get(change.param) or {})
    if change.compare is not None:
        rule["compare"] = change.compare
    if change.threshold is not None:
        rule["threshold"] = change.threshold
    return {**body, "params": {**params, change.tool: {**rules, change.param: rule}}}


def get_standard(*, project: Project, by: User | None = None) -> Policy:
    """The newest number of the policy `standard`; number 1 leaves everything at the engine's defaults."""
    return find_newest(project=project, name=STANDARD) or create(project=project, body={}, by=by)


def find_newest(*, project: Project, name: str) -> Policy | None:
    """The newest number of a name."""
    return Policy.objects.filter(project=project, name=name).order_by("-number").first()


def latest(*, project: Project) -> list[Policy]:
    """The newest number of each of the project's policies."""
    return numbered.newest_of_each(Policy, project=project)


def check(body: dict[str, Any]) -> None:
    """Raises PolicyRefusedError where the engine would, and for settings that it does not know."""
    try:
        parse_policy(body)
    except (RecordError, ScorerUnavailable) as error:
        raise PolicyRefusedError(say(_CANNOT, error=error)) from error
    _refuse_unknown(body, "policy", SETTINGS)
    _refuse_unknown(body.get("composition"), "policy.composition", COMPOSITION)
    for tool, rules in (body.get("params") or {}).items():
        for param, rule in rules.items():
            _refuse_unknown(rule, f"policy.params.{tool}.{param}", RULE)


def _refuse_unknown(part: Any, place: str, known: Sequence[str]) -> None:
    """A setting with a slip in its name would change nothing, and nobody would be told."""
    unknown = next((str(key) for key in part or {} if key not in known), None)
    if unknown is not None:
        names = ", ".join(known)
        raise PolicyRefusedError(
            say(
                "This policy cannot be followed: {place}: there is no setting {unknown}; known are {names}.",
                place=place,
                unknown=f"{unknown!r:.60}",
                names=names,
            )
        )


def check_name(name: str) -> str:
    """The name without white space around it; raises PolicyRefusedError where there is none, or it is too long."""
    name = name.strip()
    if not name:
        raise PolicyRefusedError(say("A policy needs a name."))
    if len(name) > name_length():
        raise PolicyRefusedError(
            say("A policy's name has at most {most} characters, not {length}.", most=name_length(), length=len(name))
        )
    return name


def name_length() -> int:
    return Policy._meta.get_field("name").max_length or 0


# --- in words ---


def number_words(number: Fraction | Decimal | int | None) -> str:
    """An exact number, as short as it can be written.

    >>> number_words(Fraction(7, 10)), number_words(Decimal("0.70")), number_words(1)
    ('0.7', '0.7', '1')
    """
    if number is None:
        return ""
    exact = Fraction(number)
    return f"{(Decimal(exact.numerator) / Decimal(exact.denominator)).normalize():f}"


def compare_words(compare: Compare) -> str:
    """A comparison with its tolerances.

    >>> compare_words(Compare("number", abs=Fraction(1, 2)))
    'as a number, give or take 0.5'
    """
    words = say(COMPARISON_WORDS[compare.kind or "auto"])
    room = []
    if compare.abs:
        room.append(say("give or take {room}", room=number_words(compare.abs)))
    if compare.rel:
        room.append(say("give or take {room}", room=f"{number_words(compare.rel * 100)} %"))
    if len(room) == 2:
        return f"{words}, {say('{one} or {other}', one=room[0], other=room[1])}"
    return ", ".join([words, *room])


def rule_words(rule: ParamPolicy) -> str:
    """What a policy says about one parameter."""
    parts = []
    if rule.compare.kind is not None:
        parts.append(say("compared {how}", how=compare_words(rule.compare)))
    threshold = rule_threshold(rule)
    if threshold is not None:
        parts.append(say("threshold {number}", number=number_words(threshold)))
    return ", ".join(parts) or say("nothing of its own")


def rule_threshold(rule: ParamPolicy) -> Fraction | None:
    """The threshold that counts of the two places in which a rule may have one."""
    return rule.compare.threshold if rule.threshold is None else rule.threshold


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What changes from one body to another, a sentence each; empty where both judge the same.

    Settings that are left out count as the engine's defaults. Raises PolicyRefusedError for a body that the engine
    does not understand.
    """
    old, new = parsed(before), parsed(after)
    found = [
        f"{say(words)} {setting_words(getattr(old, name))} → {setting_words(getattr(new, name))}"
        for name, words in SETTING_WORDS.items()
        if getattr(old, name) != getattr(new, name)
    ]
    if old.composition != new.composition:
        found.append(
            f"{say('composition')} {composition_words(old.composition)} → {composition_words(new.composition)}"
        )
    olds, news = dict(rules_of(old)), dict(rules_of(new))
    for place in sorted(olds.keys() | news.keys()):
        was, now = olds.get(place), news.get(place)
        field = ".".join(place)
        if was is None and now is not None:
            found.append(say("{field} now {rule}", field=field, rule=rule_words(now)))
        elif was is not None and now is None:
            found.append(say("{field} no longer {rule}", field=field, rule=rule_words(was)))
        elif was is not None and now is not None and _sense(was) != _sense(now):
            found.append(f"{field}: {rule_words(was)} → {rule_words(now)}")
    known = {*SETTING_WORDS, "composition", "params"}
    others = sorted((before.keys() | after.keys()) - known)
    found += [say("{name} changed", name=name) for name in others if before.get(name) != after.get(name)]
    return found


def parsed(body: dict[str, Any]) -> aem.Policy:
    """The policy as the engine reads it; raises PolicyRefusedError."""
    try:
        return parse_policy(body)
    except (RecordError, ScorerUnavailable) as error:
        raise PolicyRefusedError(say(_CANNOT, error=error)) from error


def rules_of(policy: aem.Policy) -> Iterator[tuple[tuple[str, str], ParamPolicy]]:
    """Tool and parameter with what the policy says about them; rules that say nothing are left out."""
    for tool, params in policy.params.items():
        for param, rule in params.items():
            if rule.compare.kind is not None or rule_threshold(rule) is not None:
                yield (tool, param), rule


def _sense(rule: ParamPolicy) -> tuple[Any, ...]:
    compare = rule.compare
    return compare.kind, compare.abs or 0, compare.rel or 0, rule_threshold(rule)


def setting_words(value: Any) -> str:
    """A setting's value as a sentence says it."""
    if isinstance(value, bool):
        return say_in("a setting", "on") if value else say_in("a setting", "off")
    if value in ("none", "fail"):
        return say_in("a setting", "none") if value == "none" else say_in("a setting", "fail")
    return number_words(value) if isinstance(value, Fraction) else choice_words(str(value))


def choice_words(choice: str) -> str:
    """The name of a choice in the reader's language."""
    return say(_CHOICES[choice]) if choice in _CHOICES else choice


def setting_name(name: str) -> str:
    """A setting's name as a sentence says it."""
    return say(_NAMES[name]) if name in _NAMES else name.replace("_", " ")


def composition_words(composition: Composition) -> str:
    """How turns make the rate; a cap counts for ``gated`` alone."""
    if composition.rule == "gated":
        return say("gated, cap {cap}", cap=number_words(composition.cap))
    return choice_words(composition.rule)


# --- what holds for a field ---

Origin = Literal["golden", "rule", "policy"]
_FROM = {
    "golden": mark("from the golden"),
    "rule": mark("from the policy's rule"),
    "policy": mark("as everywhere in the policy"),
}


@dataclass(frozen=True, slots=True)
class Effective:
    """How a field is compared in the end, and where each part of that comes from."""

    compare: Compare
    compare_from: Origin
    threshold: Fraction
    threshold_from: Origin

    @property
    def has_threshold(self) -> bool:
        """Whether meaning may decide, so that the threshold counts."""
        return self.compare.kind in ("auto", "text", "set", "list", "object")

    @property
    def words(self) -> str:
        """
        >>> effective(aem.Policy(), "booking", "city").words
        'by its type, threshold 0.5 (as everywhere in the policy)'
        """
        compared = compare_words(self.compare)
        if not self.has_threshold:
            return f"{compared} ({say(_FROM[self.compare_from])})"
        threshold = say("threshold {number}", number=number_words(self.threshold))
        if self.compare_from == self.threshold_from:
            return f"{compared}, {threshold} ({say(_FROM[self.compare_from])})"
        return f"{compared} ({say(_FROM[self.compare_from])}), {threshold} ({say(_FROM[self.threshold_from])})"


def effective(policy: aem.Policy, tool: str, param: str, *, own: Compare = NO_COMPARE) -> Effective:
    """How a field of a golden is compared under a policy; ``own`` is what the golden itself says and wins."""
    rule = policy.params.get(tool, {}).get(param, ParamPolicy())
    compare_from: Origin
    if own.kind is not None:
        compare, compare_from = own, "golden"
    elif rule.compare.kind is not None:
        compare, compare_from = rule.compare, "rule"
    else:
        compare, compare_from = Compare("auto"), "policy"
    thresholds: list[tuple[Fraction | None, Origin]] = [
        (own.threshold, "golden"),
        (rule_threshold(rule), "rule"),
    ]
    known = next(((value, origin) for value, origin in thresholds if value is not None), None)
    threshold, threshold_from = known or (policy.threshold, "policy")
    return Effective(compare, compare_from, threshold, threshold_from)


def own_compare(value: Any) -> Compare:
    """A golden's own comparison; an empty one where it has none or cannot be read, which scoring then says."""
    try:
        return parse_compare(value, "compare")
    except RecordError:
        return NO_COMPARE


# --- history ---


@dataclass(frozen=True, slots=True)
class Step:
    """One number of a policy: what it changed, and why."""

    policy: Policy
    changes: list[str]
    reason: str
    run_count: int


def steps(numbers: Sequence[Policy], *, before: Policy | None) -> list[Step]:
    """These numbers of one name, the newest first, each with what it changed; ``before`` precedes the last of them.

    Each carries ``run_count`` from its query.
    """
    ids = [str(policy.pk) for policy in numbers]
    said = Change.objects.filter(subject_type="policy", subject_id__in=ids, action="policy.created")
    reasons = {change.subject_id: _reason(change.after) for change in said}
    found = []
    for policy, earlier in zip(numbers, [*numbers[1:], before], strict=True):
        try:
            changes = differences(earlier.body if earlier else {}, policy.body)
        except PolicyRefusedError as error:
            changes = [str(error)]
        found.append(Step(policy, changes, reasons.get(str(policy.pk), ""), getattr(policy, "run_count", 0)))
    return found


def _reason(after: Any) -> str:
    return str(after.get("reason") or "") if isinstance(after, dict) else ""
