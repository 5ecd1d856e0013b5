"""The demo of judging meaning shows what it is there for: other spellings pass, contradictions fail, some is open.

Nothing here pins a single score: rules and word lists may grow, the story stays.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from annotations.demo import meaning
from annotations.demo.content import MEANING, build
from evaluation import aem
from evaluation.aem import parse_golden, parse_policy, parse_tools, parse_trajectory
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.vocabulary import STANDARD

VOCABULARY = STANDARD.extended(meaning.VOCABULARY)


class Seen(NamedTuple):
    """A turn of a run: what a careful reader finds (empty: nothing), and what the scorer said."""

    run: tuple[str, str, int]
    turn: str
    people: str
    verdict: Mapping[str, Any]

    @property
    def passed(self) -> bool:
        return bool(self.verdict["passed"])

    @property
    def is_sure(self) -> bool:
        return not self.verdict["ambiguous"]


@pytest.fixture(scope="module")
def seen() -> list[Seen]:
    found = []
    for script in meaning.SCRIPTS:
        scorer = EmbeddedScorer(language=meaning.LANGUAGES[script.domain], vocabulary=VOCABULARY)
        for version in ("2.2", "2.3"):
            for trial in (1, 2, 3):
                verdict = aem.score(
                    parse_golden(script.golden()),
                    parse_trajectory({"turns": script.turns(version, trial)}),
                    policy=parse_policy(meaning.POLICY),
                    tools=parse_tools(meaning.TOOLS[script.domain]),
                    scorer=scorer,
                )
                expect = script.variation(version, trial).expect
                run = (script.key, version, trial)
                for turn in verdict.as_explained()["turns"]:
                    found.append(Seen(run, turn["golden"], expect.get(turn["golden"], ""), turn))
    return found


def test_what_is_sure_is_right(seen: list[Seen]) -> None:
    sure = [one for one in seen if one.is_sure]
    assert len(sure) >= 80
    assert [(*one.run, one.turn) for one in sure if one.passed == bool(one.people)] == []


def test_other_spellings_pass_and_contradictions_fail(seen: list[Seen]) -> None:
    sure = Counter((one.turn, one.passed) for one in seen if one.is_sure)
    assert min(sure["call", True], sure["reply", True]) >= 20
    assert sure["call", False] >= 10
    assert sure["reply", False] >= 4


def test_some_turns_are_for_people_in_every_language(seen: list[Seen]) -> None:
    languages = {script.key: meaning.LANGUAGES[script.domain] for script in meaning.SCRIPTS}
    doubtful = Counter(languages[one.run[0]] for one in seen if not one.is_sure)
    assert min(doubtful["en"], doubtful["es"], doubtful["pt"]) >= 3
    # Of these, people pass many and fail some: a threshold has something to part.
    calls = Counter(bool(one.people) for one in seen if not one.is_sure and one.turn == "call")
    assert min(calls.values()) >= 4


def test_examples_of_the_readme(seen: list[Seen]) -> None:
    first = next(one for one in seen if one.run == ("sow-01", "2.2", 1) and one.turn == "call")
    assert (first.passed, first.is_sure) == (True, True)
    profit = next(one for one in seen if one.run == ("sow-04", "2.2", 2) and one.turn == "call")
    assert (profit.passed, profit.is_sure) == (False, True)


def test_every_failing_run_says_why() -> None:
    for script in meaning.SCRIPTS:
        for name, variation in script.variations.items():
            assert bool(variation.expect) == bool(variation.why), (script.key, name)


def test_both_people_read_and_some_runs_are_unread() -> None:
    conversations = [one for one in build().conversations if one.dataset == "in-other-words"]
    labels = [label for one in conversations for label in one.labels]
    assert {label.annotator for label in labels} == {"ana", "ben"}
    assert len(meaning.UNREAD) >= 3
    keys = {f"{script}-v{version}-t{trial}" for script, version, trial in meaning.UNREAD}
    assert keys <= {run.key for one in conversations for run in one.trajectories}
    assert not keys & {label.trajectory_key for label in labels}


def test_the_lesson_is_about_a_decided_pair() -> None:
    built = build()
    decided = {(each.trajectory_key, each.turn) for one in built.conversations for each in one.decisions}
    assert (built.lesson.trajectory_key, built.lesson.turn) in decided
    assert [dataset.policy for dataset in built.datasets].count(MEANING) == 1
