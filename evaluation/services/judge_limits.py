"""What all workers together keep when they ask a judge: rate, concurrency, a rest while it is down, a run's budget.

Every function is one or two statements that commit by themselves; none waits, and no transaction is open while a
request is under way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest

from evaluation.evaluators.judge.config import JudgeConfig
from evaluation.models import JudgeClaim, JudgeGate, JudgeSettings, JudgeSlot, JudgeUse

#: After so many requests in a row that nobody answered, nothing is asked for a while.
BREAK_AFTER = 5
REST = timedelta(seconds=60)
#: How much longer than its request a slot is held, for a worker that is slow to say that it ended.
SLOT_MARGIN = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and money of a request, in 10⁻¹²; money None where no price is known."""

    tokens_in: int
    tokens_out: int
    money: int | None


def get_gate(judge: JudgeSettings) -> JudgeGate:
    """The gate that all numbers of a judge share, with a slot for each request that may be under way."""
    gate, _ = JudgeGate.objects.get_or_create(project=judge.project, name=judge.name)
    return gate


def add_slots(gate: JudgeGate, config: JudgeConfig) -> None:
    """Make the slots that are missing; those beyond the settings are left alone and not taken."""
    there = set(JudgeSlot.objects.filter(gate=gate).values_list("position", flat=True))
    missing = [JudgeSlot(gate=gate, position=n) for n in range(config.concurrency) if n not in there]
    if missing:
        JudgeSlot.objects.bulk_create(missing, ignore_conflicts=True)


def take_slot(gate: JudgeGate, config: JudgeConfig, *, holder: str, now: datetime) -> int | None:
    """A free slot's id; None while as many requests are under way as may be."""
    is_free = Q(until=None) | Q(until__lt=now)
    until = now + timedelta(seconds=config.timeout_seconds) + SLOT_MARGIN
    free = JudgeSlot.objects.filter(is_free, gate=gate, position__lt=config.concurrency).order_by("position")
    for slot in free.values_list("pk", flat=True):
        if JudgeSlot.objects.filter(is_free, pk=slot).update(holder=holder, until=until):
            return slot
    return None


def leave_slot(slot: int, *, holder: str) -> None:
    """Give a slot back, unless its time was up and somebody else has it."""
    JudgeSlot.objects.filter(pk=slot, holder=holder).update(holder="", until=None)


def seconds_to_turn(gate: JudgeGate, config: JudgeConfig, *, now: datetime) -> float:
    """How long until the rate lets a request leave; 0 for now."""
    next_at = JudgeGate.objects.values_list("next_at", flat=True).get(pk=gate.pk)
    if next_at is None or next_at <= now:
        return 0.0
    # A clock that was set back must not stop everything.
    return float(min(next_at - now, _distance(config)).total_seconds())


def take_turn(gate: JudgeGate, config: JudgeConfig, *, now: datetime) -> bool:
    """Whether a request may leave now; then the next one may not before the rate allows.

    Requests leave at even distances: in any minute there are as many as the settings say, whoever sends them.
    """
    is_due = Q(next_at=None) | Q(next_at__lte=now) | Q(next_at__gt=now + _distance(config))
    return bool(JudgeGate.objects.filter(is_due, pk=gate.pk).update(next_at=now + _distance(config)))


def _distance(config: JudgeConfig) -> timedelta:
    return timedelta(seconds=60) / config.requests_a_minute


def closed_until(gate: JudgeGate, *, now: datetime) -> datetime | None:
    """Until when nothing is asked since nobody answered; None while it is open."""
    until: datetime | None = JudgeGate.objects.values_list("closed_until", flat=True).get(pk=gate.pk)
    return until if until is not None and until > now else None


def note_silence(gate: JudgeGate, *, now: datetime) -> None:
    """A request that nobody answered; too many in a row close the gate for a while."""
    JudgeGate.objects.filter(pk=gate.pk).update(failures=F("failures") + 1)
    JudgeGate.objects.filter(pk=gate.pk, failures__gte=BREAK_AFTER).update(closed_until=now + REST)


def note_answer(gate: JudgeGate) -> None:
    """The endpoint is there."""
    JudgeGate.objects.filter(pk=gate.pk, failures__gt=0).update(failures=0, closed_until=None)


# --- who asks what ---


def claim(judge: JudgeSettings, key: str, *, holder: str, now: datetime, lasts: timedelta) -> bool:
    """Whether this worker may ask the question now; not while another does."""
    until = now + lasts
    try:
        with transaction.atomic():
            JudgeClaim.objects.create(project=judge.project, key=key, holder=holder, until=until)
    except IntegrityError:
        ended = JudgeClaim.objects.filter(project=judge.project, key=key, until__lt=now)
        return bool(ended.update(holder=holder, until=until))
    return True


def renew_claims(judge: JudgeSettings, *, holder: str, now: datetime, lasts: timedelta) -> None:
    """Keep what this worker is asking."""
    JudgeClaim.objects.filter(project=judge.project, holder=holder).update(until=now + lasts)


def end_claims(judge: JudgeSettings, keys: Iterable[str], *, holder: str) -> None:
    """The questions are answered, or given up."""
    JudgeClaim.objects.filter(project=judge.project, key__in=list(keys), holder=holder).delete()


# --- budget ---

Budget = Literal["reserved", "wait", "spent"]


def reserve(use: JudgeUse, estimate: Cost) -> Budget:
    """Set aside what a request may cost, before it leaves.

    `spent`: the limit is reached. `wait`: it may be, by requests that are still under way. The last request may go over
    the limit, by what it costs itself.
    """
    tokens, money = F("tokens_in") + F("tokens_out") + F("assumed_tokens"), F("money") + F("assumed_money")
    within = (Q(token_limit=None) | Q(token_limit__gt=tokens + F("reserved_tokens"))) & (
        Q(money_limit=None) | Q(money_limit__gt=money + F("reserved_money"))
    )
    reserved = JudgeUse.objects.filter(within, pk=use.pk).update(
        reserved_tokens=F("reserved_tokens") + estimate.tokens_in + estimate.tokens_out,
        reserved_money=F("reserved_money") + (estimate.money or 0),
    )
    if reserved:
        return "reserved"
    is_spent = Q(token_limit__lte=tokens) | Q(money_limit__lte=money)
    return "spent" if JudgeUse.objects.filter(is_spent, pk=use.pk).exists() else "wait"


def settle(use: JudgeUse, estimate: Cost, *, cost: Cost | None, may_be_charged: bool) -> None:
    """Count what a request cost, in place of what was set aside. ``cost`` None: it did not say."""
    tokens = estimate.tokens_in + estimate.tokens_out
    is_assumed = may_be_charged and cost is None
    JudgeUse.objects.filter(pk=use.pk).update(
        requests=F("requests") + 1,
        # Nothing is left of it where the worker was so slow that it had been given up.
        reserved_tokens=Greatest(F("reserved_tokens") - tokens, 0),
        reserved_money=Greatest(F("reserved_money") - (estimate.money or 0), 0),
        assumed_tokens=F("assumed_tokens") + (tokens if is_assumed else 0),
        assumed_money=F("assumed_money") + ((estimate.money or 0) if is_assumed else 0),
        tokens_in=F("tokens_in") + (cost.tokens_in if cost else 0),
        tokens_out=F("tokens_out") + (cost.tokens_out if cost else 0),
        money=F("money") + ((cost.money or 0) if cost else 0),
        unpriced=F("unpriced") + int(is_assumed),
    )


def release(use: JudgeUse, estimate: Cost) -> None:
    """Take back what was set aside for a request that did not leave."""
    JudgeUse.objects.filter(pk=use.pk).update(
        reserved_tokens=Greatest(F("reserved_tokens") - estimate.tokens_in - estimate.tokens_out, 0),
        reserved_money=Greatest(F("reserved_money") - (estimate.money or 0), 0),
    )


def give_up_reserved(gate: JudgeGate, use: JudgeUse, *, holder: str, now: datetime) -> None:
    """Lost workers settle nothing: where nothing is under way any more, what they set aside may have been charged."""
    if JudgeSlot.objects.filter(gate=gate, until__gte=now).exclude(holder=holder).exists():
        return
    JudgeUse.objects.filter(pk=use.pk).update(
        assumed_tokens=F("assumed_tokens") + F("reserved_tokens"),
        assumed_money=F("assumed_money") + F("reserved_money"),
        reserved_tokens=0,
        reserved_money=0,
    )
