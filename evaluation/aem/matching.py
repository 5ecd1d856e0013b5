"""Perfect matchings for sets that are compared without regard to order."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Key = Callable[[Any], Hashable]


@dataclass(slots=True)
class _Class:
    """Elements that are alike, so that one stands for all of them."""

    sample: Any
    count: int


def has_perfect_matching(
    left: Sequence[Any],
    right: Sequence[Any],
    fits: Callable[[Any, Any], bool],
    *,
    alike: Key,
    bucket: Key | None = None,
) -> bool:
    """Whether each element on the left can have one of its own on the right.

    Elements with one ``alike`` key fit the same others. Only elements with one ``bucket`` key can fit at all.
    """
    if len(left) != len(right):
        return False
    if bucket is None:
        return _matches(_classes(left, alike), _classes(right, alike), fits)
    left_keys, right_keys = [bucket(one) for one in left], [bucket(one) for one in right]
    if Counter(left_keys) != Counter(right_keys):
        return False
    parts: dict[Hashable, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for key, one in zip(left_keys, left, strict=True):
        parts[key][0].append(one)
    for key, one in zip(right_keys, right, strict=True):
        parts[key][1].append(one)
    return all(_matches(_classes(these, alike), _classes(those, alike), fits) for these, those in parts.values())


def _classes(elements: Sequence[Any], alike: Key) -> list[_Class]:
    found: dict[Hashable, _Class] = {}
    for element in elements:
        key = alike(element)
        if key in found:
            found[key].count += 1
        else:
            found[key] = _Class(element, 1)
    return list(found.values())


def _matches(left: list[_Class], right: list[_Class], fits: Callable[[Any, Any], bool]) -> bool:
    """Augmenting paths between classes, as many elements at once as a path allows."""
    edges = [[at for at, other in enumerate(right) if fits(one.sample, other.sample)] for one in left]
    free = [other.count for other in right]
    taken: list[dict[int, int]] = [{} for _ in right]
    for start, one in enumerate(left):
        wanted = one.count
        while wanted:
            path = _path(start, edges, free, taken)
            if path is None:
                return False
            # Along the path each class gives up what the one before it takes.
            amount = min(wanted, free[path[-1][1]], *(taken[at][holder] for (_, at), (holder, _) in _steps(path)))
            free[path[-1][1]] -= amount
            for (_, at), (holder, _) in _steps(path):
                taken[at][holder] -= amount
            for holder, at in path:
                taken[at][holder] = taken[at].get(holder, 0) + amount
            wanted -= amount
    return True


def _steps(path: list[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return list(pairwise(path))


def _path(
    start: int, edges: list[list[int]], free: list[int], taken: list[dict[int, int]]
) -> list[tuple[int, int]] | None:
    """A way from a class on the left to one on the right that has elements left: pairs of who takes from which."""
    came_from: dict[int, int] = {}
    entered: dict[int, int] = {}
    queue = [start]
    while queue:
        one = queue.pop()
        for at in edges[one]:
            if at in came_from:
                continue
            came_from[at] = one
            if free[at]:
                return _walk(at, start, came_from, entered)
            for holder, amount in taken[at].items():
                if amount and holder != start and holder not in entered:
                    entered[holder] = at
                    queue.append(holder)
    return None


def _walk(end: int, start: int, came_from: dict[int, int], entered: dict[int, int]) -> list[tuple[int, int]]:
    path = [(came_from[end], end)]
    while path[-1][0] != start:
        at = entered[path[-1][0]]
        path.append((came_from[at], at))
    return path[::-1]
