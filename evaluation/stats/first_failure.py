"""Do machine and person find the same first failing turn? Always beside two answers that need no thought."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from evaluation.stats.agreement import MISSING
from evaluation.stats.figures import Figure, rate

# The number of the first failing turn, "none" where nothing failed, None where it is not known.
FirstTurn = int | Literal["none"] | None


class FirstFailure(NamedTuple):
    """What both sides say about one trajectory."""

    item: str
    machine: FirstTurn
    human: FirstTurn


@dataclass(frozen=True, slots=True)
class Hits:
    """How often an answer meets the person's: the very turn, or a turn next to it."""

    exact: Figure
    within_one: Figure

    def as_json(self) -> dict[str, Any]:
        return {"exact": self.exact.as_json(), "within_one": self.within_one.as_json()}


@dataclass(frozen=True, slots=True)
class FirstFailureAgreement:
    """The machine's hits beside those of always saying "none" and of always naming the commonest turn."""

    n: int
    excluded: Counter[str]
    machine: Hits
    always_none: Hits
    always_commonest: Hits
    commonest: int | None

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "excluded": dict(sorted(self.excluded.items())),
            "machine": self.machine.as_json(),
            "always_none": self.always_none.as_json(),
            "always_commonest": self.always_commonest.as_json(),
            "commonest": self.commonest,
        }


def first_failure_agreement(rows: Iterable[FirstFailure], *, only_failed: bool = False) -> FirstFailureAgreement:
    """Compare first failing turns; with ``only_failed`` only where the person found a failure at all."""
    excluded: Counter[str] = Counter()
    known: list[tuple[FirstTurn, FirstTurn]] = []
    for item, machine, human in rows:
        sides = (("automatic label", machine), ("human label", human))
        for side, turn in sides:
            if isinstance(turn, int) and turn < 1:
                raise ValueError(f"{item}, {side}: {turn} is no turn number (turns count from 1)")
        missing = [f"{side}: {MISSING}" for side, turn in sides if turn is None]
        if missing:
            excluded["; ".join(missing)] += 1
        elif only_failed and human == "none":
            excluded["human label: nothing failed"] += 1
        else:
            known.append((machine, human))

    turns = Counter(human for _, human in known if isinstance(human, int))
    # The earliest of equally common turns, so that the answer does not hang on the order of rows.
    commonest = min(turns, key=lambda turn: (-turns[turn], turn)) if turns else None
    return FirstFailureAgreement(
        n=len(known),
        excluded=excluded,
        machine=_hits(known),
        always_none=_hits([("none", human) for _, human in known]),
        always_commonest=_hits([(commonest, human) for _, human in known]),
        commonest=commonest,
    )


def _hits(pairs: list[tuple[FirstTurn, FirstTurn]]) -> Hits:
    return Hits(exact=_share(pairs, lambda guess, truth: guess == truth), within_one=_share(pairs, _near))


def _near(guess: FirstTurn, truth: FirstTurn) -> bool:
    if isinstance(guess, int) and isinstance(truth, int):
        return abs(guess - truth) <= 1
    return guess == truth


def _share(pairs: list[tuple[FirstTurn, FirstTurn]], hit: Callable[[FirstTurn, FirstTurn], bool]) -> Figure:
    return rate(sum(hit(guess, truth) for guess, truth in pairs), len(pairs))
