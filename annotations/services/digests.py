"""Digests of trajectories, kept in memory: they never change, and some are too large to read for each page."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from annotations.models import Trajectory
from annotations.observed import Digest, digest_of

_KEPT = 32
_digests: OrderedDict[str, Digest] = OrderedDict()
_lock = Lock()


def get_digest(trajectory: Trajectory) -> Digest:
    """The digest of a trajectory, whose body may be deferred; it is read only when this process has not seen it yet."""
    key = trajectory.content_hash
    with _lock:
        if key in _digests:
            _digests.move_to_end(key)
            return _digests[key]
    digest = digest_of(trajectory.body["turns"])
    with _lock:
        _digests[key] = digest
        while len(_digests) > _KEPT:
            _digests.popitem(last=False)
    return digest
