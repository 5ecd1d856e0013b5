"""How often somebody may guess a password, without locking anybody else out.

Three limits in the same window of time, counted in the database and so over all web servers:

- one name from one address: a few wrong passwords;
- one address, whatever the names: ten times as many, since many people may share it;
- one name, from wherever: ten times as many, against guesses that come from everywhere.

Where a person has signed in before, only the first limit counts: a stranger who guesses at their name, or a neighbour
who guesses at others, does not keep them out.
"""

from __future__ import annotations

import ipaddress
import math
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotations.models import SignInAttempt
from evaluation.aem.language import mark, say, say_n

#: How many times as many wrong tries a whole address, or a whole name, has.
SHARED = 10
FAILURES_KEPT, PLACES_KEPT = timedelta(days=1), timedelta(days=30)
#: Somebody who has an IPv6 address has its whole network.
_NETWORK_BITS = 64


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is tried now, and for how long."""

    seconds: int
    reason: str

    @property
    def sentence(self) -> str:
        wait = say_n("Try again in {count} minute.", "Try again in {count} minutes.", math.ceil(self.seconds / 60))
        return f"{say(self.reason)} {wait}"


_OF_PLACE = mark("Too many wrong passwords for this name from here.")
_OF_ADDRESS = mark(
    "Too many wrong passwords from this network. Whoever has signed in from here lately still can; others have to wait."
)
_OF_ACCOUNT = mark(
    "Too many wrong passwords for this name, from several places. From where you signed in lately it still works."
)
_OF_TOKENS = mark("Too many requests with wrong tokens from this address; right ones are answered all the same.")


def address_of(request: HttpRequest) -> str:
    """Where a request comes from, for counting; empty where that cannot be told.

    Behind proxies that is what the outermost of them has seen: what stands further left in the header, anybody can
    write. An IPv6 address counts as its network.
    """
    said = str(request.META.get("REMOTE_ADDR", ""))
    if settings.AEM_PROXIES:
        passed_on = [part.strip() for part in str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
        said = passed_on[-settings.AEM_PROXIES] if len(passed_on) >= settings.AEM_PROXIES else ""
    try:
        address = ipaddress.ip_address(said)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
        address = address.ipv4_mapped
    return str(address)


def find_refusal(*, account: str, address: str, now: datetime) -> Refusal | None:
    """Why a password for this name is not even looked at now; None where it is.

    A name that nobody has is counted like any other, so that the answer does not tell which exist.
    """
    limit = settings.AEM_SIGN_IN_FAILURES
    if not limit:
        return None
    who, where = _hashed("account", _plain(account)), _hashed("address", address)
    failed = _failed(SignInAttempt.Kind.PASSWORD, now)
    if where:
        seconds = _seconds_left(failed.filter(account=who, address=where), limit, now)
        if seconds:
            return Refusal(seconds, _OF_PLACE)
        worked = SignInAttempt.objects.filter(account=who, address=where, has_worked=True, at__gt=now - PLACES_KEPT)
        if worked.exists():
            return None
        seconds = _seconds_left(failed.filter(address=where), limit * SHARED, now)
        if seconds:
            return Refusal(seconds, _OF_ADDRESS)
    seconds = _seconds_left(failed.filter(account=who), limit * SHARED, now)
    return Refusal(seconds, _OF_ACCOUNT) if seconds else None


def note_failure(*, account: str, address: str, now: datetime) -> None:
    """A wrong password, for a name that exists or not."""
    _note(SignInAttempt.Kind.PASSWORD, _hashed("account", _plain(account)), address, now)


def note_success(*, account: str, address: str, now: datetime) -> None:
    """Somebody is in: what they mistyped before does not count any more, and the place is known as theirs."""
    who, where = _hashed("account", _plain(account)), _hashed("address", address)
    if not where:
        return
    SignInAttempt.objects.filter(account=who, address=where, has_worked=False).delete()
    SignInAttempt.objects.update_or_create(account=who, address=where, has_worked=True, defaults={"at": now})


def note_wrong_token(*, address: str, now: datetime) -> Refusal | None:
    """A token that is none; a refusal where the address has sent too many of them.

    A token cannot be guessed, and a right one is always taken: this only keeps a program that does not notice that its
    token has gone from going on for ever.
    """
    limit = settings.AEM_SIGN_IN_FAILURES * SHARED
    if not limit or not address:
        return None
    failed = _failed(SignInAttempt.Kind.TOKEN, now).filter(address=_hashed("address", address))
    seconds = _seconds_left(failed, limit, now)
    if seconds:
        return Refusal(seconds, _OF_TOKENS)
    _note(SignInAttempt.Kind.TOKEN, "", address, now)
    return None


def _failed(kind: SignInAttempt.Kind, now: datetime) -> QuerySet[SignInAttempt]:
    return SignInAttempt.objects.filter(kind=kind, has_worked=False, at__gt=now - _window())


def _window() -> timedelta:
    return timedelta(minutes=settings.AEM_SIGN_IN_MINUTES)


def _seconds_left(failed: QuerySet[SignInAttempt], limit: int, now: datetime) -> int:
    """Until the first of the last so many failures is too old to count; 0 where there are fewer."""
    first = failed.order_by("-at").values_list("at", flat=True)[limit - 1 : limit].first()
    return 0 if first is None else max(1, math.ceil((first + _window() - now).total_seconds()))


def _note(kind: SignInAttempt.Kind, who: str, address: str, now: datetime) -> None:
    SignInAttempt.objects.create(kind=kind, account=who, address=_hashed("address", address), at=now)
    SignInAttempt.objects.filter(has_worked=False, at__lt=now - FAILURES_KEPT).delete()
    SignInAttempt.objects.filter(has_worked=True, at__lt=now - PLACES_KEPT).delete()


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _hashed(what: str, value: str) -> str:
    return salted_hmac(f"aem.sign_in.{what}", value, algorithm="sha256").hexdigest() if value else ""
