"""Perfect matchings for sets that are compared without regard to order."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any


def has_perfect_matching(
    left: Sequence[Any],
    right: Sequence[Any],
    fits: Callable[[Any, Any], bool],
    bucket: Callable[[Any], Any] | None,
) -> bool:
    """Whether each element on the left can have one of its own on the right.

    ``bucket`` gives elements a key such that only elements of one key can fit.
    """
    if bucket is None:
        return _matches(left, right, fits)
    left_keys, right_keys = [bucket(one) for one in left], [bucket(one) for one in right]
    if Counter(left_keys) != Counter(right_keys):
        return False
    parts: dict[Any, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for key, one in zip(left_keys, left, strict=True):
        parts[key][0].append(one)
    for key, one in zip(right_keys, right, strict=True):
        parts[key][1].append(one)
    return all(_matches(these, those, fits) for these, those in parts.values())


def _matches(left: Sequence[Any], right: Sequence[Any], fits: Callable[[Any, Any], bool]) -> bool:
    """Augmenting paths, without recursion: sets may have thousands of elements."""
    if len(left) != len(right):
        return False
    owner: list[int | None] = [None] * len(right)
    edges = [[index for index, other in enumerate(right) if fits(one, other)] for one in left]
    for start in range(len(left)):
        came_from: dict[int, int] = {}
        queue = [start]
        end = None
        while queue and end is None:
            one = queue.pop()
            for other in edges[one]:
                if other in came_from:
                    continue
                came_from[other] = one
                holder = owner[other]
                if holder is None:
                    end = other
                    break
                queue.append(holder)
        if end is None:
            return False
        while end is not None:
            one = came_from[end]
            previous = next((index for index, holder in enumerate(owner) if holder == one), None)
            owner[end] = one
            end = previous
    return True
