"""First failing turns: exact, within one, and the two answers that need no thought."""

import json

import pytest

from evaluation.stats.figures import Figure
from evaluation.stats.first_failure import FirstFailure, FirstTurn, first_failure_agreement


def rows(*pairs: tuple[FirstTurn, FirstTurn]) -> list[FirstFailure]:
    return [FirstFailure(f"t-{number}", machine, human) for number, (machine, human) in enumerate(pairs)]


def test_exact_and_within_one_beside_the_naive_answers() -> None:
    result = first_failure_agreement(
        rows((2, 2), (3, 2), (5, 2), ("none", "none"), ("none", 4), (1, "none"), (None, 2), (4, None))
    )
    assert result.n == 6
    assert result.excluded == {"automatic label: no answer": 1, "human label: no answer": 1}
    assert result.machine.exact.value == 2 / 6
    assert result.machine.within_one.value == 3 / 6
    assert result.always_none.exact.value == 2 / 6
    assert result.commonest == 2
    assert result.always_commonest.exact.value == 3 / 6
    assert result.always_commonest.within_one.value == 3 / 6


def test_only_where_the_person_found_a_failure() -> None:
    result = first_failure_agreement(rows((2, 2), (3, 2), ("none", "none"), ("none", 4)), only_failed=True)
    assert result.n == 3
    assert result.excluded == {"human label: nothing failed": 1}
    assert result.machine.within_one.value == 2 / 3
    assert result.always_none.exact.value == 0.0


def test_nothing_failed_is_next_to_no_turn() -> None:
    assert first_failure_agreement(rows(("none", 1), (1, "none"))).machine.within_one.value == 0.0


def test_the_earliest_of_equally_common_turns() -> None:
    assert first_failure_agreement(rows((1, 7), (1, 3))).commonest == 3


def test_nothing_to_compare() -> None:
    result = first_failure_agreement([])
    assert result.machine.exact == Figure.undefined("no shared items", 0)
    assert result.commonest is None
    json.dumps(result.as_json(), allow_nan=False)


def test_turns_count_from_1() -> None:
    with pytest.raises(ValueError, match="t-0, human label: 0 is no turn number"):
        first_failure_agreement(rows((1, 0)))
