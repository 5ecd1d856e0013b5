"""Errors that a person can cause; each message is fit to show."""

from __future__ import annotations

from typing import Any

from evaluation.aem.language import say


class WorkbenchError(Exception):
    """Something a person asked for that cannot be done, said in one sentence."""


class StaleRevisionError(WorkbenchError):
    """A save named a revision that is no longer the newest; nothing was changed.

    ``current`` is the row as it is now, to be shown beside what the person typed.
    """

    def __init__(self, current: Any, *, seen: int) -> None:
        self.current = current
        self.seen = seen
        super().__init__(
            say(
                "Somebody saved this meanwhile: you saw revision {seen}, it is now at revision {current}. "
                "Nothing of yours is lost: compare both and save again.",
                seen=seen,
                current=current.revision,
            )
        )


class NotAllowedNowError(WorkbenchError):
    """The thing is in a state in which this cannot be done, such as editing what was submitted."""
