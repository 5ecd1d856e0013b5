"""Judges of a project: their settings as numbered documents, their keys, and a question to try them with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.models import Project, User
from annotations.services import history
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import retold, say
from evaluation.evaluators.judge import (
    Ballot,
    JudgeConfig,
    JudgeConfigError,
    Question,
    UnreadableAnswerError,
    read_answer,
)
from evaluation.evaluators.judge.ballots import MODES
from evaluation.models import JudgeGate, JudgeKey, JudgeSettings
from evaluation.services import addresses, judge_client, judge_keys, judge_prices, numbered
from evaluation.services.judge_client import CallError

STANDARD = "standard"
#: A person waits for a trial, and a web process with them.
TRIAL_SECONDS = 20
#: What a judge is tried with: two spellings of one city.
TRIAL = Question.of_values("New York City", "NYC", field="city")


class JudgeRefusedError(WorkbenchError):
    """Settings that cannot be kept; the message names the setting and the reason."""


def create(*, project: Project, body: Any, by: User | None, name: str = STANDARD, key: str = "") -> JudgeSettings:
    """The next number of the named judge. The content of its last number gives that one again.

    ``key`` is stored for the judge, encrypted, where the settings say that its key is stored; left out, the key that is
    stored stays, if it was entered for the same host. Raises JudgeRefusedError, AddressRefusedError or JudgeKeyError.
    """
    name = name.strip()
    if not name or len(name) > name_length():
        raise JudgeRefusedError(say("A judge needs a name of at most {most} characters.", most=name_length()))
    config = read(body)
    endpoint = addresses.check(config.base_url)
    key = _check_key(project, name, config, endpoint, key)
    if config.budget_money is not None and not judge_prices.are_known(config):
        raise JudgeRefusedError(
            say(
                "budget: money cannot be counted, since no price is known for this model at this address. Give both "
                "prices."
            )
        )
    with transaction.atomic():
        numbered.lock(project)
        if key:
            _store_key(project, name, endpoint, key, by)
        return _next_number(project, name, config.as_json(), by)


def _check_key(project: Project, name: str, config: JudgeConfig, endpoint: addresses.Endpoint, key: str) -> str:
    if config.key_source != "stored":
        if key.strip():
            raise JudgeRefusedError(say("key: a key was entered, but the settings do not say that it is stored"))
        if config.key_source == "env":
            judge_keys.from_environment(config.key_variable, endpoint)
        return ""
    if key.strip():
        return judge_keys.check_text(key)
    judge_keys.find_key(project=project, name=name, config=config, endpoint=endpoint)
    return ""


def _store_key(project: Project, name: str, endpoint: addresses.Endpoint, key: str, by: User | None) -> None:
    values = {"origin": endpoint.origin, "sealed": judge_keys.seal(key), "set_by": by, "set_at": timezone.now()}
    row, _ = JudgeKey.objects.update_or_create(project=project, name=name, defaults=values)
    after = {"name": name, "origin": endpoint.origin}
    history.record(project=project, actor=by, action="judge.key_set", subject=row, after=after, scope=f"judge:{name}")


def _next_number(project: Project, name: str, body: dict[str, Any], by: User | None) -> JudgeSettings:
    newest = find(project=project, name=name)
    made, is_new = numbered.add(JudgeSettings, project=project, name=name, body=body, by=by, newest=newest)
    if not is_new:
        return made
    history.record(
        project=project,
        actor=by,
        action="judge.created",
        subject=made,
        before=newest and newest.body,
        after=body,
        scope=f"judge:{name}",
    )
    # Whoever changes the settings wants to know at once whether they are right.
    JudgeGate.objects.filter(project=project, name=name).update(failures=0, closed_until=None)
    return made


@transaction.atomic
def forget_key(*, project: Project, name: str, by: User | None) -> bool:
    """Take the stored key away, from every number of the judge. Whether there was one."""
    row = JudgeKey.objects.filter(project=project, name=name).first()
    if row is None:
        return False
    history.record(
        project=project,
        actor=by,
        action="judge.key_forgotten",
        subject=row,
        before={"name": name, "origin": row.origin},
        scope=f"judge:{name}",
    )
    row.delete()
    return True


def read(body: Any) -> JudgeConfig:
    """The settings of a document; raises JudgeRefusedError."""
    try:
        return JudgeConfig.from_json(body)
    except JudgeConfigError as error:
        raise JudgeRefusedError(say("These settings cannot be followed: {error}", error=error)) from error


def find(*, project: Project, name: str = STANDARD) -> JudgeSettings | None:
    """The newest number of a judge."""
    return JudgeSettings.objects.filter(project=project, name=name).order_by("-number").first()


def latest(*, project: Project) -> list[JudgeSettings]:
    """The newest number of each of the project's judges, by name."""
    return numbered.newest_of_each(JudgeSettings, project=project)


def keys_set(*, project: Project) -> dict[str, datetime]:
    """When the stored key of each judge was set; all that is ever told of a key."""
    return dict(JudgeKey.objects.filter(project=project).values_list("name", "set_at"))


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying a judge. ``label`` is empty where it gave no answer; ``problem`` says why."""

    label: str
    problem: str
    seconds: float
    requests: int
    tokens_in: int | None = None
    tokens_out: int | None = None

    @property
    def is_right(self) -> bool:
        return self.label == "equal"


def try_it(judge: JudgeSettings, *, timer: Callable[[], float] = time.monotonic) -> Trial:
    """Ask the judge one fixed question on the way that all others take. Nothing of what answered is in the result."""
    started = timer()

    def ended(label: str, problem: str, requests: int, tokens: tuple[int | None, int | None] = (None, None)) -> Trial:
        return Trial(label, problem, timer() - started, requests, *tokens)

    if not judge_client.IS_AVAILABLE:
        return ended("", say(judge_client.MISSING), 0)
    try:
        config = read(judge.body)
        config = replace(config, timeout_seconds=min(config.timeout_seconds, TRIAL_SECONDS))
        endpoint = addresses.check(config.base_url)
        key = judge_keys.find_key(project=judge.project, name=judge.name, config=config, endpoint=endpoint)
    except WorkbenchError as error:
        return ended("", str(error), 0)
    caller = judge_client.open_caller(config, endpoint, key)
    requests = 0
    modes = list(MODES)
    try:
        while True:
            requests += 1
            try:
                reply = caller.ask(Ballot(TRIAL, 0, config.seed).sending(modes[0]))
                vote = read_answer(reply.content, TRIAL.kind)
            except CallError as error:
                if not error.asks_for_less or len(modes) == 1:
                    return ended("", _opening(retold(error.problem)), requests)
                del modes[0]
            except UnreadableAnswerError:
                return ended("", say("It answers, but not in the form that it was asked for."), requests)
            else:
                return ended(vote.label, "", requests, (reply.tokens_in, reply.tokens_out))
    finally:
        caller.close()


def _opening(problem: str) -> str:
    return f"{problem[:1].upper()}{problem[1:].rstrip('.')}."


def name_length() -> int:
    return JudgeSettings._meta.get_field("name").max_length or 0
