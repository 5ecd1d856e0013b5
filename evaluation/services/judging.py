"""Asking a judge: what was answered before is looked up, the rest is asked, and every answer is kept.

The thread that calls :func:`ask` does all the work on the database; other threads only wait for the endpoint. Rate,
concurrency and budget are kept over all workers, before each single request (:mod:`evaluation.services.judge_limits`).
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Count, F
from django.utils import timezone

from annotations.models import User
from annotations.services import history
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import kept, say
from evaluation.evaluators.judge import JudgeConfig, Outcome, Poll, Question, Sending, Vote, count, not_asked
from evaluation.evaluators.judge.answers import NOT_SCORED, Cause
from evaluation.evaluators.judge.ballots import MODES, Ballot
from evaluation.evaluators.judge.config import money_of, pico_of
from evaluation.models import Answer, AnswerState, EvaluationRun, JudgeGate, JudgeSettings, JudgeUse, TurnVerdict
from evaluation.services import addresses, judge_client, judge_keys, judge_limits, judge_prices, judges
from evaluation.services.judge_client import Caller, CallError, Reply
from evaluation.services.judge_limits import Cost

SCORER = "judge"
#: Waits between two attempts double from the first to the longest, where the endpoint does not name one.
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=0.5), timedelta(seconds=30)
#: How long the loop rests at most before it looks at everything again.
LOOK_SECONDS = 0.25
#: How many keys are looked up in one query.
LOOKED_UP_AT_ONCE = 500
COST_DECIMALS = Decimal("1e-8")
# Why something was not asked: stored in English, and told again in the reader's language.
_TOKENS_SPENT = kept("the budget of {tokens} tokens is spent.")
_MONEY_SPENT = kept("the budget of {money} is spent.")
_BOTH_SPENT = kept("the budget of {tokens} tokens or {money} is spent.")
_SILENT = kept("the endpoint does not answer; it is asked again from {time} UTC on.")
_STOPPED = kept("the work was stopped.")
#: How the sentence of what was not asked for want of money begins; by it such turns are found again.
_BUDGET_SPENT = NOT_SCORED.partition("{")[0] + _MONEY_SPENT.partition(" {")[0]


@dataclass(frozen=True, slots=True)
class _Setting:
    """Who is asked, for which run, and what the caller lends: a clock, a rest, a sign of life."""

    settings: JudgeSettings
    config: JudgeConfig
    run: EvaluationRun | None
    use: JudgeUse | None
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    tick: Callable[[], None]


class BudgetRefusedError(WorkbenchError):
    """A budget that cannot be set."""


def plan_use(*, run: EvaluationRun, settings: JudgeSettings) -> JudgeUse:
    """Freeze the judge that a run is planned with, and what it may spend."""
    config = judges.read(settings.body)
    money = None if config.budget_money is None else pico_of(config.budget_money)
    limits = {"settings": settings, "money_limit": money, "token_limit": config.budget_tokens}
    use, _ = JudgeUse.objects.get_or_create(run=run, defaults=limits)
    return use


@transaction.atomic
def set_budget(*, run: EvaluationRun, tokens: int | None, money: Decimal | None, by: User | None) -> JudgeUse:
    """Give a run another budget; None: no limit. What was spent stays spent. Raises BudgetRefusedError."""
    use = JudgeUse.objects.select_for_update().select_related("settings").filter(run=run).first()
    if use is None:
        raise BudgetRefusedError(say("This run asks no judge."))
    if tokens is not None and tokens < 1:
        raise BudgetRefusedError(say("A budget of tokens is a whole number from 1."))
    if money is not None and not (money.is_finite() and money > 0):
        raise BudgetRefusedError(say("A budget of money is a number above 0."))
    if money is not None and not judge_prices.are_known(judges.read(use.settings.body)):
        raise BudgetRefusedError(say("Money cannot be counted, since no price is known for this model."))
    before = _limits(use)
    use.token_limit = tokens
    use.money_limit = None if money is None else pico_of(money)
    use.save(update_fields=["token_limit", "money_limit"])
    history.record(
        project=run.project, actor=by, action="run.budget_set", subject=run, before=before, after=_limits(use)
    )
    return use


def _limits(use: JudgeUse) -> dict[str, Any]:
    money = None if use.money_limit is None else money_of(use.money_limit)
    return {"tokens": use.token_limit, "money": money}


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run may spend on its judge, what it has spent, and what it could not ask for lack of more.

    Money is None where it is not limited, or not known. ``assumed`` may have been charged without saying how much: it
    counts against the limits and is no part of what was spent.
    """

    run: EvaluationRun
    judge: str
    tokens: int
    money: Decimal | None
    token_limit: int | None
    money_limit: Decimal | None
    assumed_tokens: int
    assumed_money: Decimal
    turns_left: int
    """Turns that are not scored since the budget was spent."""

    @property
    def tokens_left(self) -> int | None:
        if self.token_limit is None:
            return None
        return max(0, self.token_limit - self.tokens - self.assumed_tokens)

    @property
    def money_left(self) -> Decimal | None:
        if self.money_limit is None:
            return None
        return max(Decimal(0), self.money_limit - (self.money or 0) - self.assumed_money)

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is asked."""
        return self.tokens_left == 0 or self.money_left == 0

    @property
    def needs_somebody(self) -> bool:
        """Whether there is something to be said: the budget is spent, or turns still wait for want of one."""
        return self.is_spent or self.turns_left > 0


def spending(runs: Sequence[EvaluationRun]) -> list[Spending]:
    """What each of the runs that ask a judge may spend and has spent, in their order; in two queries."""
    uses = {use.run_id: use for use in JudgeUse.objects.filter(run__in=runs).select_related("settings")}
    if not uses:
        return []
    unscored = TurnVerdict.objects.filter(verdict__item__run__in=list(uses), passed=None, skipped=False)
    left = dict(
        unscored.filter(detail__contains=_BUDGET_SPENT)
        .order_by()
        .values_list("verdict__item__run")
        .annotate(turns=Count("pk"))
    )
    return [_spending(run, uses[run.pk], turns_left=left.get(run.pk, 0)) for run in runs if run.pk in uses]


def _spending(run: EvaluationRun, use: JudgeUse, *, turns_left: int) -> Spending:
    limits = _limits(use)
    return Spending(
        run=run,
        judge=str(use.settings),
        tokens=use.tokens_in + use.tokens_out,
        money=money_of(use.money) if judge_prices.are_known(judges.read(use.settings.body)) else None,
        token_limit=limits["tokens"],
        money_limit=limits["money"],
        assumed_tokens=use.assumed_tokens,
        assumed_money=money_of(use.assumed_money),
        turns_left=turns_left,
    )


def retry(*, run: EvaluationRun, now: datetime) -> None:
    """From now on the run asks again what it could not read before. What was answered is not asked again."""
    JudgeUse.objects.filter(run=run).update(retry_from=now)


def effort(run: EvaluationRun) -> dict[str, Any] | None:
    """What the run had asked and what that took, for its report; None where it asks no judge.

    ``cost`` is None where no price is known. ``uncounted`` requests may have been charged and did not say how much.
    """
    use = JudgeUse.objects.select_related("settings").filter(run=run).first()
    if use is None:
        return None
    unreadable = Answer.objects.filter(run=run, scorer=SCORER, state=AnswerState.UNREADABLE)
    (spent,) = spending([run])
    return {
        "judge": str(use.settings),
        "questions": use.asked + use.from_cache,
        "asked": use.asked,
        "from_cache": use.from_cache,
        "requests": use.requests,
        "votes": use.votes,
        "unreadable": unreadable.count(),
        "unreadable_replies": use.unreadable,
        "tokens_in": use.tokens_in,
        "tokens_out": use.tokens_out,
        "cost": money_of(use.money) if judge_prices.are_known(judges.read(use.settings.body)) else None,
        "uncounted": use.unpriced,
        "budget": _limits(use),
        "left": {"tokens": spent.tokens_left, "money": spent.money_left},
        "is_spent": spent.is_spent,
        "turns_left": spent.turns_left,
    }


def ask(
    questions: Iterable[Question],
    *,
    settings: JudgeSettings,
    run: EvaluationRun | None = None,
    clock: Callable[[], datetime] = timezone.now,
    sleep: Callable[[float], None] = time.sleep,
    tick: Callable[[], None] | None = None,
) -> dict[str, Outcome]:
    """The outcome of each question, by its key; each distinct question is asked once at most, by any worker.

    Call it outside of a transaction: answers are kept as they come, so that nothing that was paid for is lost. ``tick``
    is called about four times a second, to keep a lease; where it raises, nothing more is sent, what is under way is
    waited for and kept, and then the error goes on to the caller. Raises nothing else for what an endpoint does: then
    the outcome has no score, and its sentence says why.
    """
    config = judges.read(settings.body)
    by_key = {question.key(config.fingerprint): question for question in questions}
    use = None if run is None else plan_use(run=run, settings=settings)
    setting = _Setting(settings, config, run, use, clock, sleep, tick or _nothing)
    known, kept = _look_up(by_key, setting)
    if use is not None and known:
        JudgeUse.objects.filter(pk=use.pk).update(from_cache=F("from_cache") + len(known))
    open_questions = {key: question for key, question in by_key.items() if key not in known}
    if open_questions:
        known |= _ask_open(open_questions, kept, setting)
    return {key: known[key] for key in by_key}


def known(
    questions: Iterable[Question], *, settings: JudgeSettings, run: EvaluationRun | None = None
) -> dict[str, Outcome]:
    """The outcomes that stand already, by key; nothing is asked and nothing written."""
    config = judges.read(settings.body)
    by_key = {question.key(config.fingerprint): question for question in questions}
    use = None if run is None else JudgeUse.objects.filter(run=run).first()
    return _look_up(by_key, _Setting(settings, config, run, use, timezone.now, time.sleep, _nothing))[0]


def _nothing() -> None:
    """Nobody holds a lease."""


def _ask_open(questions: Mapping[str, Question], kept: Mapping[str, Answer], setting: _Setting) -> dict[str, Outcome]:
    try:
        caller = _open_caller(setting.settings, setting.config)
    except WorkbenchError as error:
        return {key: not_asked(str(error), "refused") for key in questions}
    try:
        return _Session(setting, caller).ask(questions, kept)
    finally:
        caller.close()


def _open_caller(settings: JudgeSettings, config: JudgeConfig) -> Caller:
    if not judge_client.IS_AVAILABLE:
        raise judges.JudgeRefusedError(say(judge_client.MISSING))
    endpoint = addresses.check(config.base_url)
    key = judge_keys.find_key(project=settings.project, name=settings.name, config=config, endpoint=endpoint)
    return judge_client.open_caller(config, endpoint, key)


def _look_up(by_key: Mapping[str, Question], setting: _Setting) -> tuple[dict[str, Outcome], dict[str, Answer]]:
    """Outcomes that stand, and rows of those that must be asked, in full or for the votes that are missing."""
    known: dict[str, Outcome] = {}
    kept: dict[str, Answer] = {}
    keys = list(by_key)
    for start in range(0, len(keys), LOOKED_UP_AT_ONCE):
        rows = Answer.objects.filter(
            project=setting.settings.project_id, key__in=keys[start : start + LOOKED_UP_AT_ONCE]
        )
        for row in rows:
            outcome = _standing(row, by_key[row.key], setting)
            if outcome is not None:
                known[row.key] = outcome
            else:
                kept[row.key] = row
    return known, kept


def _standing(row: Answer, question: Question, setting: _Setting) -> Outcome | None:
    """What a kept row says; None where it must be asked (again)."""
    config, run, use = setting.config, setting.run, setting.use
    votes = _votes_of(row)[: config.votes]
    if len(votes) < config.votes:
        return None
    outcome = count(votes, question.kind, quorum=config.quorum)
    if outcome.state == "answered":
        # Votes that were not asked to the end are missing; votes that could not be read stay so.
        return outcome if row.state == AnswerState.ANSWERED else None
    is_of_run = run is not None and row.run_id == run.pk and (row.answer or {}).get("cause", "") == "unreadable"
    is_to_be_asked = use is None or (use.retry_from is not None and row.created_at < use.retry_from)
    return outcome if is_of_run and not is_to_be_asked else None


def _votes_of(row: Answer) -> list[Vote]:
    names = ("label", "reason", "quote", "problem")
    return [Vote(**{name: vote.get(name, "") for name in names}) for vote in (row.answer or {}).get("votes", [])]


@dataclass(slots=True)
class _Asking:
    """A question that this worker is asking, and what it has taken so far."""

    key: str
    poll: Poll
    raw: list[dict[str, Any]]
    tokens_in: int
    tokens_out: int
    money: int | None
    """None: not known, since a request did not say or no price is known."""
    new_votes: int = 0
    new_unreadable: int = 0


@dataclass(slots=True)
class _Task:
    """A ballot whose next request is due at some time."""

    asking: _Asking
    ballot: Ballot
    mode: int
    order: int
    since: datetime
    """When it was first due. What is asked again at once stays in front of what came later."""


@dataclass(slots=True)
class _UnderWay:
    task: _Task
    estimate: Cost
    slot: int


@dataclass(slots=True)
class _Session:
    """One call of :func:`ask`: a loop that starts, sends, receives and keeps, until nothing is left to do."""

    setting: _Setting
    caller: Caller
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    askings: dict[str, _Asking] = field(default_factory=dict)
    due: list[tuple[datetime, int, _Task]] = field(default_factory=list)
    under_way: dict[Future[Reply], _UnderWay] = field(default_factory=dict)
    elsewhere: dict[str, Question] = field(default_factory=dict)
    mode: int = 0
    stop: tuple[str, Cause] | None = None
    error: BaseException | None = None
    holder: str = field(default_factory=lambda: uuid4().hex)
    _order: int = 0
    _looked_at: datetime | None = None
    _renewed_at: datetime | None = None
    _budget_waits_since: datetime | None = None

    @property
    def settings(self) -> JudgeSettings:
        return self.setting.settings

    @property
    def config(self) -> JudgeConfig:
        return self.setting.config

    @property
    def use(self) -> JudgeUse | None:
        return self.setting.use

    @property
    def lasts(self) -> timedelta:
        """How long a claim stands without being renewed."""
        return timedelta(seconds=self.config.timeout_seconds) + judge_limits.SLOT_MARGIN

    def ask(self, questions: Mapping[str, Question], kept: Mapping[str, Answer]) -> dict[str, Outcome]:
        """Ask them all; the outcome of each."""
        gate = judge_limits.get_gate(self.settings)
        judge_limits.add_slots(gate, self.config)
        waiting = deque(questions.items())
        pool = ThreadPoolExecutor(max_workers=self.config.concurrency, thread_name_prefix="judge")
        try:
            while waiting or self.askings or self.elsewhere:
                self._keep_alive()
                if self.stop is not None and not self.under_way:
                    break
                rest = LOOK_SECONDS
                if self.stop is None:
                    self._begin(waiting, kept)
                    rest = self._send(gate, pool)
                self._look_elsewhere(waiting)
                self._receive(gate, rest)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            judge_limits.end_claims(self.settings, self.askings, holder=self.holder)
        self._give_up([*waiting, *self.elsewhere.items()])
        if self.error is not None:
            raise self.error
        return self.outcomes

    # --- beginning ---

    def _keep_alive(self) -> None:
        now = self.setting.clock()
        if self.error is None:
            try:
                self.setting.tick()
            except Exception as error:
                # What is under way is paid for: it is waited for and kept before the error goes on.
                self.error = error
                self.stop = _STOPPED, "stopped"
        if self._renewed_at is None or now - self._renewed_at > self.lasts / 3:
            if self.askings:
                judge_limits.renew_claims(self.settings, holder=self.holder, now=now, lasts=self.lasts)
            self._renewed_at = now

    def _begin(self, waiting: deque[tuple[str, Question]], kept: Mapping[str, Answer]) -> None:
        """Open as many questions as can be under way; those that another worker is asking are left to it."""
        now = self.setting.clock()
        while waiting and len(self.due) + len(self.under_way) < self.config.concurrency:
            key, question = waiting.popleft()
            if not judge_limits.claim(self.settings, key, holder=self.holder, now=now, lasts=self.lasts):
                self.elsewhere[key] = question
                continue
            # Between the look at the beginning and the claim another worker may have answered it.
            row = Answer.objects.filter(project=self.settings.project_id, key=key).first() or kept.get(key)
            standing = row and _standing(row, question, self.setting)
            if standing:
                self._take_over(key, standing)
                judge_limits.end_claims(self.settings, [key], holder=self.holder)
                continue
            self._open(key, question, row, now)

    def _open(self, key: str, question: Question, row: Answer | None, now: datetime) -> None:
        votes = _votes_of(row) if row else []
        poll = Poll.open(
            question, votes=self.config.votes, quorum=self.config.quorum, seed=self.config.seed, kept=votes
        )
        money = 0 if row is None else None if row.cost is None else pico_of(row.cost)
        asking = _Asking(
            key,
            poll,
            list(row.raw or []) if row else [],
            row.tokens_in if row else 0,
            row.tokens_out if row else 0,
            money,
        )
        self.askings[key] = asking
        if self.use is not None:
            JudgeUse.objects.filter(pk=self.use.pk).update(asked=F("asked") + 1)
        for ballot in poll.ballots:
            if ballot.vote is None:
                self._order += 1
                self._queue(_Task(asking, ballot, self.mode, self._order, now))
        if poll.is_closed:
            self._close(asking)

    def _queue(self, task: _Task, at: datetime | None = None) -> None:
        heapq.heappush(self.due, (at or task.since, task.order, task))

    # --- sending ---

    def _send(self, gate: JudgeGate, pool: ThreadPoolExecutor) -> float:
        """Send what is due and may leave; how many seconds may pass before it is worth looking again."""
        while self.due and len(self.under_way) < self.config.concurrency:
            now = self.setting.clock()
            at, _, task = self.due[0]
            if at > now:
                return min((at - now).total_seconds(), LOOK_SECONDS)
            closed = judge_limits.closed_until(gate, now=now)
            if closed is not None:
                self.stop = _SILENT.format(time=f"{closed:%H:%M:%S}"), "endpoint"
                return 0.0
            slot = judge_limits.take_slot(gate, self.config, holder=self.holder, now=now)
            if slot is None:
                return LOOK_SECONDS / 2
            sent, rest = self._send_one(gate, pool, task, slot, now)
            if not sent:
                judge_limits.leave_slot(slot, holder=self.holder)
                return min(rest, LOOK_SECONDS)
        return LOOK_SECONDS

    def _send_one(
        self, gate: JudgeGate, pool: ThreadPoolExecutor, task: _Task, slot: int, now: datetime
    ) -> tuple[bool, float]:
        """Whether the request has left; otherwise how many seconds may pass before it is worth trying again."""
        rest = judge_limits.seconds_to_turn(gate, self.config, now=now)
        if rest > 0:
            return False, rest
        sending = task.ballot.sending(MODES[task.mode])
        estimate = self._estimate(sending)
        if self.use is not None:
            budget = judge_limits.reserve(self.use, estimate)
            if budget != "reserved":
                self._budget_refuses(gate, self.use, is_spent=budget == "spent", now=now)
                return False, LOOK_SECONDS
        if not judge_limits.take_turn(gate, self.config, now=now):
            if self.use is not None:
                judge_limits.release(self.use, estimate)
            return False, LOOK_SECONDS / 10
        self._budget_waits_since = None
        heapq.heappop(self.due)
        self.under_way[pool.submit(self.caller.ask, sending)] = _UnderWay(task, estimate, slot)
        return True, 0.0

    def _estimate(self, sending: Sending) -> Cost:
        tokens_in, tokens_out = sending.tokens_at_most, self.config.answer_tokens
        return Cost(tokens_in, tokens_out, judge_prices.cost_of(self.config, tokens_in, tokens_out))

    def _budget_refuses(self, gate: JudgeGate, use: JudgeUse, *, is_spent: bool, now: datetime) -> None:
        if is_spent:
            use.refresh_from_db()
            self.stop = _spent(use), "budget"
            return
        # Requests under way may use it up, or cost less than was set aside for them; unless their worker was lost.
        if self._budget_waits_since is None:
            self._budget_waits_since = now
        elif not self.under_way and now - self._budget_waits_since > self.lasts:
            judge_limits.give_up_reserved(gate, use, holder=self.holder, now=now)

    # --- receiving ---

    def _receive(self, gate: JudgeGate, rest: float) -> None:
        if not self.under_way:
            if (self.askings or self.elsewhere) and self.stop is None and rest > 0:
                self.setting.sleep(rest)
            return
        done, _ = wait(self.under_way, timeout=rest, return_when=FIRST_COMPLETED)
        for future in done:
            sent = self.under_way.pop(future)
            try:
                reply = future.result()
            except CallError as error:
                self._failed(gate, sent, error)
            else:
                self._answered(gate, sent, reply)
            judge_limits.leave_slot(sent.slot, holder=self.holder)
            if sent.task.asking.poll.is_closed:
                self._close(sent.task.asking)

    def _answered(self, gate: JudgeGate, sent: _UnderWay, reply: Reply) -> None:
        task = sent.task
        self.mode = task.mode  # what this endpoint understands; the next questions begin there
        judge_limits.note_answer(gate)
        problem = task.ballot.hear(reply.content)
        self._account(sent, (reply.tokens_in, reply.tokens_out), may_be_charged=True)
        self._record(task, reply.content, problem)
        task.asking.new_unreadable += bool(problem)
        if task.ballot.vote is None:
            self._queue(task)

    def _failed(self, gate: JudgeGate, sent: _UnderWay, error: CallError) -> None:
        task, ballot = sent.task, sent.task.ballot
        self._account(sent, error.tokens, may_be_charged=error.may_be_charged)
        self._record(task, error.raw, error.problem, status=error.status)
        if error.is_silence:
            judge_limits.note_silence(gate, now=self.setting.clock())
        elif error.kind != "address":
            judge_limits.note_answer(gate)
        if error.asks_for_less and task.mode + 1 < len(MODES):
            task.mode += 1
            self._queue(task)
        elif error.kind == "unreadable":
            task.asking.new_unreadable += 1
            ballot.misread(error.problem)
            if ballot.vote is None:
                self._queue(task)
        elif error.is_passing:
            self._try_again(task, error)
        elif error.kind == "address" or error.status not in {400, 409, 413, 422}:
            # It would refuse every question: a wrong key, a wrong address, a wrong model.
            self.stop = f"{error.problem}.".replace("..", "."), "refused"
        else:
            ballot.fail(error.problem)

    def _try_again(self, task: _Task, error: CallError) -> None:
        task.ballot.attempts += 1
        if task.ballot.attempts > self.config.retries:
            task.ballot.fail(error.problem)
            return
        doubled = min(FIRST_WAIT * 2 ** (task.ballot.attempts - 1), LONGEST_WAIT)
        after = doubled if error.retry_after is None else timedelta(seconds=error.retry_after)
        self._queue(task, self.setting.clock() + after)

    def _account(self, sent: _UnderWay, tokens: tuple[int | None, int | None], *, may_be_charged: bool) -> None:
        """Count tokens and money of one request, for the question and for the run."""
        tokens_in, tokens_out = tokens
        cost = None
        if tokens_in is not None and tokens_out is not None:
            cost = Cost(tokens_in, tokens_out, judge_prices.cost_of(self.config, tokens_in, tokens_out))
        asking = sent.task.asking
        if cost is not None:
            asking.tokens_in += cost.tokens_in
            asking.tokens_out += cost.tokens_out
        if cost is not None and cost.money is not None and asking.money is not None:
            asking.money += cost.money
        elif cost is not None or may_be_charged:
            asking.money = None
        if self.use is not None:
            judge_limits.settle(self.use, sent.estimate, cost=cost, may_be_charged=may_be_charged)

    def _record(self, task: _Task, raw: str, problem: str, *, status: int | None = None) -> None:
        """A reply as it came, beside its question."""
        entry: dict[str, Any] = {"vote": task.ballot.position, "mode": MODES[task.mode], "reply": raw}
        if status is not None:
            entry["status"] = status
        if problem:
            entry["problem"] = problem
        task.asking.raw.append(entry)
        if not problem:
            task.asking.new_votes += 1

    # --- keeping ---

    def _close(self, asking: _Asking) -> None:
        outcome = asking.poll.outcome()
        self.outcomes[asking.key] = outcome
        self._keep(asking, outcome)
        del self.askings[asking.key]
        judge_limits.end_claims(self.settings, [asking.key], holder=self.holder)

    def _keep(self, asking: _Asking, outcome: Outcome, *, cause: Cause = "") -> None:
        """Write the answer. One that could not be read is kept with its reason, beside the votes that could."""
        is_answered = outcome.state == "answered" and not cause
        cost = None if asking.money is None else money_of(asking.money).quantize(COST_DECIMALS)
        answer = outcome.as_json() | ({} if is_answered else {"cause": cause or outcome.cause})
        Answer.objects.update_or_create(
            project=self.settings.project,
            key=asking.key,
            defaults={
                "scorer": SCORER,
                "state": AnswerState.ANSWERED if is_answered else AnswerState.UNREADABLE,
                "question": asking.poll.question.as_json(),
                "answer": answer,
                "error": "" if is_answered else outcome.sentence,
                "raw": asking.raw,
                "tokens_in": asking.tokens_in,
                "tokens_out": asking.tokens_out,
                "cost": cost,
                "run": self.setting.run,
                "created_at": self.setting.clock(),
            },
        )
        if self.use is not None:
            JudgeUse.objects.filter(pk=self.use.pk).update(
                votes=F("votes") + asking.new_votes, unreadable=F("unreadable") + asking.new_unreadable
            )

    def _take_over(self, key: str, outcome: Outcome) -> None:
        self.outcomes[key] = outcome
        if self.use is not None:
            JudgeUse.objects.filter(pk=self.use.pk).update(from_cache=F("from_cache") + 1)

    def _look_elsewhere(self, waiting: deque[tuple[str, Question]]) -> None:
        """Whether other workers have answered what they were asking; what they gave up is asked here."""
        now = self.setting.clock()
        if not self.elsewhere or (self._looked_at and now - self._looked_at < timedelta(seconds=LOOK_SECONDS)):
            return
        self._looked_at = now
        known, _ = _look_up(self.elsewhere, self.setting)
        for key, outcome in known.items():
            del self.elsewhere[key]
            self._take_over(key, outcome)
        waiting.extend(self.elsewhere.items())
        self.elsewhere.clear()

    def _give_up(self, left: Sequence[tuple[str, Question]]) -> None:
        """What was stopped before its end: the votes that were read are kept, and are not asked for again."""
        if self.stop is None:
            return
        sentence, cause = self.stop
        for key, asking in list(self.askings.items()):
            if asking.raw:
                self._keep(asking, asking.poll.outcome(), cause=cause)
            self.outcomes[key] = not_asked(sentence, cause)
        for key, _ in left:
            self.outcomes.setdefault(key, not_asked(sentence, cause))


def _spent(use: JudgeUse) -> str:
    """That the limits of a run are reached."""
    tokens = "" if use.token_limit is None else f"{use.token_limit:,}"
    money = "" if use.money_limit is None else f"{money_of(use.money_limit).normalize():f}"
    text = _BOTH_SPENT if tokens and money else _MONEY_SPENT if money else _TOKENS_SPENT
    return text.format(tokens=tokens, money=money)
