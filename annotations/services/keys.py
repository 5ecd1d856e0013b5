"""Giving actions other keys, one person at a time."""

from __future__ import annotations

from django.db import transaction

from annotations import keys
from annotations.models import User
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say


class KeyTakenError(WorkbenchError):
    """The key does something else on a page where the action stands; nothing was changed."""


@transaction.atomic
def choose(*, user: User, action: keys.Action, key: str) -> str:
    """Give an action this key, for this person; the key as it is stored.

    Raises KeyTakenError with the name of the action that has it, WorkbenchError for what cannot be a key.
    """
    try:
        key = keys.read_key(key)
    except keys.KeyRefusedError as error:
        raise WorkbenchError(str(error)) from error
    chosen = _locked(user)
    _require_free(action, key, chosen)
    _store(user, {**chosen, action.name: key})
    return key


@transaction.atomic
def switch_off(*, user: User, action: keys.Action) -> None:
    """Leave an action without a key: it is pressed with the mouse, or reached by Tab."""
    _store(user, {**_locked(user), action.name: ""})


@transaction.atomic
def reset(*, user: User, action: keys.Action) -> None:
    """Give an action its usual key back. Raises KeyTakenError where another one has it now."""
    chosen = {name: key for name, key in _locked(user).items() if name != action.name}
    _require_free(action, action.key, chosen)
    _store(user, chosen)


@transaction.atomic
def reset_all(*, user: User) -> None:
    _locked(user)
    _store(user, {})


def _require_free(action: keys.Action, key: str, chosen: dict[str, str]) -> None:
    # Without a key of its own, so that it takes from no other one what it is only about to leave.
    other = keys.find_taken(action, key, keys.bound({**chosen, action.name: ""}))
    if other is not None:
        raise KeyTakenError(
            say("“{key}” is the key of “{action}” there. Give that another key first.", key=key, action=other.said)
        )


def _locked(user: User) -> dict[str, str]:
    """What this person chose, held until the end of the transaction: two windows give no key twice."""
    return dict(User.objects.select_for_update().only("chosen_keys").get(pk=user.pk).chosen_keys)


def _store(user: User, chosen: dict[str, str]) -> None:
    user.chosen_keys = {name: key for name, key in chosen.items() if name in keys.ACTIONS}
    user.save(update_fields=["chosen_keys"])
