"""Keys of judges: from the environment, or stored encrypted. Nothing shows, logs, exports or records them."""

from __future__ import annotations

import os
from base64 import urlsafe_b64encode
from importlib.util import find_spec
from typing import TYPE_CHECKING

from django.conf import settings

from annotations.models import Project
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import kept, say
from evaluation.evaluators.judge import JudgeConfig
from evaluation.models import JudgeKey
from evaluation.services.addresses import Endpoint
from evaluation.services.judge_client import Secret

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

MAX_KEY_LENGTH = 4096
CAN_STORE = find_spec("cryptography") is not None

_PREFIX, _HOSTS_PREFIX = "AEM_JUDGE_KEY_", "AEM_JUDGE_HOSTS_"

# Workers store these beside questions that could not be put.
_NOT_SET = kept(
    "No key {variable} is set for {host} where this program runs. An administrator sets the key, and names the hosts "
    "that it may be sent to in {hosts}."
)
_NONE_STORED = kept("No key is stored for this judge. Enter it in the settings.")
_OTHER_HOST = kept("The stored key was entered for another host, and is not sent to this one. Enter it again.")
_NOT_READABLE = kept(
    "The stored key can no longer be read, since AEM_ENCRYPTION_KEY (or SECRET_KEY) is another one than when it was "
    "stored. Enter the key again."
)
_CANNOT_STORE = kept("Keys cannot be stored here: the package cryptography is not installed.")
_NO_SECRET = kept("Keys cannot be stored or read: neither AEM_ENCRYPTION_KEY nor SECRET_KEY is set.")
_NO_TEXT = kept("A key has from 1 to {most} letters, digits and signs, without spaces.")


class JudgeKeyError(WorkbenchError):
    """A key that cannot be taken, found or used; the message never holds any of it."""


def check_text(text: str) -> str:
    """A key as it was typed, without white space around it; raises JudgeKeyError."""
    text = text.strip()
    if not text or len(text) > MAX_KEY_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise JudgeKeyError(say(_NO_TEXT, most=MAX_KEY_LENGTH))
    return text


def seal(text: str) -> str:
    """Encrypt a key for its row."""
    return _cipher().encrypt(text.encode("ascii")).decode("ascii")


def find_key(*, project: Project, name: str, config: JudgeConfig, endpoint: Endpoint) -> Secret | None:
    """The key to send to an endpoint, None where the settings say that there is none; raises JudgeKeyError."""
    if config.key_source == "env":
        return from_environment(config.key_variable, endpoint)
    if config.key_source == "stored":
        return _stored(project, name, endpoint)
    return None


def from_environment(variable: str, endpoint: Endpoint) -> Secret:
    """A key that the administrator set, for the hosts that they named beside it.

    Anybody who makes a project may write an address into its settings: without the list they could have the key sent to
    a host of their own.
    """
    hosts_variable = _HOSTS_PREFIX + variable.removeprefix(_PREFIX)
    text = os.environ.get(variable, "") if variable.startswith(_PREFIX) else ""
    hosts = {host.strip().lower() for host in os.environ.get(hosts_variable, "").split(",") if host.strip()}
    shown = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    if hosts.isdisjoint({endpoint.host, shown, f"{shown}:{endpoint.port}"}) or not text:
        # One sentence: whether the variable is set is the administrator's to know.
        raise JudgeKeyError(say(_NOT_SET, variable=variable, host=endpoint.host, hosts=hosts_variable))
    return Secret(check_text(text))


def _stored(project: Project, name: str, endpoint: Endpoint) -> Secret:
    row = JudgeKey.objects.filter(project=project, name=name).first()
    if row is None:
        raise JudgeKeyError(say(_NONE_STORED))
    if row.origin != endpoint.origin:
        raise JudgeKeyError(say(_OTHER_HOST))
    return Secret(_opened(row.sealed))


def _opened(sealed: str) -> str:
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - where it is missing, no key was stored

    try:
        return _cipher().decrypt(sealed.encode("ascii")).decode("ascii")
    except InvalidToken:
        raise JudgeKeyError(say(_NOT_READABLE)) from None


def _cipher() -> MultiFernet:
    """Encrypts with the first of the installation's keys, opens with any of them."""
    if not CAN_STORE:
        raise JudgeKeyError(say(_CANNOT_STORE))
    from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    given: list[str] = [*settings.AEM_ENCRYPTION_KEYS]
    if settings.SECRET_KEY_GIVEN:
        given += [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]
    if not given:
        raise JudgeKeyError(say(_NO_SECRET))
    derived = [
        HKDF(algorithm=SHA256(), length=32, salt=None, info=b"aem-workbench judge keys").derive(secret.encode())
        for secret in given
    ]
    return MultiFernet([Fernet(urlsafe_b64encode(key)) for key in derived])
