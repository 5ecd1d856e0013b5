"""A golden tried on recorded runs: what would change, in bounded time, and for whom it is to be seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.models import Conversation, Golden, Role
from annotations.services import effects, goldens
from annotations.services.effects import IN_FORCE, CannotBeTriedError, EngineTerms, Outcome, Trial, Version
from evaluation.aem import TextScore
from evaluation.models import Policy
from evaluation.services import policies, vocabularies
from tests.factories import (
    make_conversation,
    make_golden_record,
    make_member,
    make_project,
    make_trajectory,
    report_golden,
    report_trajectory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_at_hand() -> Iterator[None]:
    effects.forget()
    yield
    effects.forget()


@pytest.fixture
def golden() -> Golden:
    """Drafted from a run that is right; beside it stand three runs of two versions that ask for profit."""
    conversation = make_conversation()
    source = make_trajectory(conversation, agent_version="1")
    for version, trial in (("2", 1), ("2", 2), ("3", 1)):
        body = report_trajectory(metric="profit")
        make_trajectory(conversation, body=body, agent_version=version, trial=trial)
    make_trajectory(conversation, body=report_trajectory(metric="old"), superseded_at="2026-01-01T00:00Z")
    return goldens.start(conversation, make_member(conversation.dataset.project), source)


class Ticking:
    """A clock that goes on by so many seconds each time it is asked."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def trial_of(golden: Golden, *, terms: Any = None, step: float = 0.0, seconds: float = 1.0) -> Trial:
    return Trial(golden.conversation, terms or EngineTerms(), Ticking(step), seconds)


def typed_of(golden: Golden, **params: Any) -> Version:
    """The golden with other accepted values of the first call's parameters."""
    saved = Version.saved(golden, list(golden.turns.all()))
    body = deepcopy(saved.golden)
    turn = next(turn for turn in body["paths"][0]["turns"] if turn.get("id") == "g2")
    for name, values in params.items():
        turn["params"][name] = {"values": values}
    return Version(body, saved.policy, saved.turns)


def try_it(golden: Golden, typed: Version, *, trial: Trial | None = None, **more: Any) -> Outcome:
    saved = Version.saved(golden, list(golden.turns.all()))
    given = {"is_blinded": False, "sees_all": True, **more}
    return effects.try_golden(trial or trial_of(golden), golden, typed, saved, **given)


class TestWhatWouldChange:
    def test_says_which_turns_of_which_versions(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden, metric=["revenue", "profit"]))
        assert found.verdict is not None
        assert found.verdict.test_pass is True
        assert found.effect is not None
        assert (found.effect.total, found.effect.tried) == (4, 4)
        # The later turns of a run fail only since the second one does, and pass with it.
        passes = found.effect.groups["passes"]
        assert [version.agent for version in passes.versions] == ["reporter 2", "reporter 3"]
        first = passes.versions[0].lines[0]
        assert first.change.turn.key == "g2"
        assert first.sentences == ('metric should be "revenue", and is "profit".',)
        assert first.change.observed == 3
        assert len(found.effect.tests_pass) == 3
        assert "in 2 agent versions would pass" in found.effect.summary

    def test_says_why_passing_turns_would_fail(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden, region=["Asia"]))
        assert found.effect is not None
        fails = found.effect.groups["fails"]
        assert any('region should be "Asia", and is "EU".' in line.sentences for line in fails.versions[0].lines)
        assert found.verdict is not None
        assert found.verdict.test_pass is False

    def test_nothing_typed_changes_nothing_and_costs_nothing(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden), with_source=False)
        assert found.is_same
        assert found.effect is not None
        assert found.effect.is_empty
        assert found.effect.tried == 4

    def test_compares_with_the_golden_in_force(self, golden: Golden) -> None:
        record = make_golden_record(golden.conversation, golden=report_golden())
        found = try_it(golden, typed_of(golden, metric=["profit"]), against=IN_FORCE)
        assert found.record == record
        assert found.effect is not None
        assert found.effect.has_before
        assert {"passes", "fails"} <= found.effect.groups.keys()

    def test_without_one_in_force_the_golden_stands_alone(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden), against=IN_FORCE)
        assert found.effect is not None
        assert not found.effect.has_before
        assert found.effect.summary == "1 run would pass, 3 would fail."

    def test_the_tools_of_the_golden_in_force_are_its_own(self, golden: Golden) -> None:
        conversation = golden.conversation
        record = make_golden_record(conversation, golden=report_golden())
        from annotations.services import documents

        conversation.tool_set = documents.get_tool_set(project=conversation.dataset.project, tools={})
        conversation.save(update_fields=["tool_set"])
        found = try_it(golden, Version(record.body["golden"], {}), against=IN_FORCE)
        assert not found.is_same

    def test_what_the_engine_cannot_read_is_named_by_turn_and_field(self, golden: Golden) -> None:
        typed = typed_of(golden, metric=[])
        with pytest.raises(CannotBeTriedError, match=r"Turn 2 \(params\.metric"):
            try_it(golden, typed)

    def test_a_saved_golden_that_cannot_be_read_is_not_compared_with(self, golden: Golden) -> None:
        saved = typed_of(golden, metric=[])
        found = effects.try_golden(trial_of(golden), golden, typed_of(golden), saved, is_blinded=False, sees_all=True)
        assert found.effect is not None
        assert not found.effect.has_before

    def test_forbidden_calls_and_outcomes_change_runs_as_a_whole(self, golden: Golden) -> None:
        typed = typed_of(golden)
        typed.golden["forbidden"] = [{"tool": "reports", "action": "Render"}]
        found = try_it(golden, typed)
        assert found.effect is not None
        assert len(found.effect.tests_fail) == 1
        assert "1 run would fail" in found.effect.summary


class TestTime:
    def test_stops_in_time_and_says_how_far_it_came(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden, metric=["profit"]), trial=trial_of(golden, step=0.6), with_source=False)
        assert found.effect is not None
        assert 1 <= found.effect.tried < found.effect.total
        assert found.effect.is_partial

    def test_asked_again_it_goes_on_with_what_is_at_hand(self, golden: Golden) -> None:
        typed = typed_of(golden, metric=["profit"])
        try_it(golden, typed)
        with CaptureQueriesContext(connection) as queries:
            found = try_it(golden, typed, with_source=False)
        assert found.effect is not None
        assert not any("body" in query["sql"].split("FROM")[0] and "trajectory" in query["sql"] for query in queries)

    def test_queries_do_not_grow_with_runs_once_read(self, golden: Golden) -> None:
        try_it(golden, typed_of(golden))
        counts = []
        for _ in range(2):
            for trial in range(5):
                make_trajectory(golden.conversation, trial=trial + 10)
            try_it(golden, typed_of(golden, metric=["profit"]))
            with CaptureQueriesContext(connection) as queries:
                try_it(golden, typed_of(golden, metric=["other"]))
            counts.append(len(queries))
        assert counts[0] == counts[1]

    def test_a_slow_scorer_is_stopped_and_its_answers_are_kept(self, golden: Golden) -> None:
        clock = Ticking()

        class Slow:
            name, is_semantic, asked = "embedded", True, 0

            def compare(self, expected: Any, observed: Any, *, field: str, threshold: Any) -> TextScore:
                self.asked += 1
                clock.now += 0.6
                return TextScore(None, "")

            def claim(self, claim: str, reply: str, *, threshold: Any) -> Any:
                raise AssertionError("claims appear here")

        slow = Slow()

        class Terms(EngineTerms):
            def find_scorer(self, name: str, language: str) -> Any:
                return slow, "slow"

        golden.policy = {"scorer": "embedded"}
        bodies = [report_trajectory(metric=f"wording {n}") for n in range(8)]
        for n, body in enumerate(bodies):
            make_trajectory(golden.conversation, body=body, agent_version="4", trial=n)
        typed = typed_of(golden, metric=["turnover"])
        tried = []
        for _ in range(20):
            trial = Trial(golden.conversation, Terms(), clock, 1.0)
            found = try_it(golden, typed, trial=trial, with_source=False)
            assert found.effect is not None
            tried.append(found.effect.tried)
            if not found.effect.is_partial:
                break
        assert tried[0] < tried[-1] == 12
        assert tried == sorted(tried)
        assert slow.asked == 2 * 9 + 1  # each pair once: nine wordings under each golden, and revenue under the new

    def test_a_long_conversation_with_many_runs_answers_in_time(self) -> None:
        """280 turns, 40 runs: two seconds, or it says that it is partial."""
        conversation = make_conversation()
        bodies = [long_trajectory(n) for n in range(40)]
        runs = [make_trajectory(conversation, body=body, agent_version=str(n % 4)) for n, body in enumerate(bodies)]
        golden = goldens.start(conversation, make_member(conversation.dataset.project), runs[0])
        turn = golden.turns.filter(kind="action").first()
        assert turn is not None
        saved = Version.saved(golden, list(golden.turns.all()))
        for value in ("new", "newer"):
            typed = deepcopy(saved.golden)
            typed["paths"][0]["turns"][1]["params"]["a"] = {"value": value}
            begun = time.perf_counter()
            trial = Trial(conversation, EngineTerms(), time.monotonic, effects.SECONDS_TYPING)
            found = effects.try_golden(trial, golden, Version(typed, {}), saved, is_blinded=False, sees_all=True)
            assert time.perf_counter() - begun < 2
            assert found.effect is not None
            assert found.effect.tried == 40 or found.effect.is_partial


def long_trajectory(number: int) -> dict[str, Any]:
    """280 turns; every run goes wrong in other places."""
    turns: list[dict[str, Any]] = []
    for n in range(70):
        wrong = (n + number) % 13 == 0
        turns += [
            {"user": f"message {n}"},
            {
                "tool": "reports",
                "action": f"Do{n % 5}",
                "args": {"a": n + wrong, "b": "x" * 40},
                "result": {"id": f"R{n}"},
            },
            {"tool": "mail", "args": {"to": f"R{n}"}, "result": {"ok": True}},
            {"response": f"Number {n} is done."},
        ]
    return {"turns": turns}


class TestBlindness:
    def test_who_may_not_see_all_runs_sees_the_recorded_one_alone(self, golden: Golden) -> None:
        found = try_it(golden, typed_of(golden), sees_all=False)
        assert found.verdict is not None
        assert found.effect is None
        assert found.hidden == effects.WHILE_WRITTEN

    def test_who_is_blinded_learns_nothing_of_the_golden_in_force(self, golden: Golden) -> None:
        make_golden_record(golden.conversation, golden=report_golden())
        found = try_it(golden, typed_of(golden, metric=["profit"]), is_blinded=True)
        assert found.record is None
        assert found.effect is not None

    @pytest.mark.parametrize("is_typed", [True, False])
    def test_ones_own_golden_in_force_is_what_verdicts_were_computed_from(self, golden: Golden, is_typed: bool) -> None:
        goldens.submit(golden, golden.annotator)
        reviewer = make_member(golden.conversation.dataset.project, Role.ADJUDICATOR)
        goldens.accept(golden, reviewer)
        goldens.return_(golden, reviewer, "again")
        golden.refresh_from_db()
        typed = typed_of(golden, metric=["profit"]) if is_typed else typed_of(golden)
        found = try_it(golden, typed, is_blinded=True)
        assert found.effect is None
        assert found.hidden == effects.AS_IN_FORCE
        assert try_it(golden, typed).effect is not None

    def test_an_imported_golden_in_force_too(self, golden: Golden) -> None:
        make_golden_record(golden.conversation, golden=typed_of(golden, metric=["profit"]).golden)
        assert try_it(golden, typed_of(golden, metric=["profit"]), is_blinded=True).effect is None
        assert try_it(golden, typed_of(golden, metric=["x"]), is_blinded=True).effect is not None

    def test_whether_ones_own_is_the_same_as_that_of_others_cannot_be_found_out(self, golden: Golden) -> None:
        conversation: Conversation = golden.conversation
        other = make_member(conversation.dataset.project, Role.OWNER)
        theirs = goldens.start(conversation, other, golden.source_trajectory)
        goldens.submit(theirs, other)
        goldens.accept(theirs, other)
        found = try_it(golden, typed_of(golden, metric=["profit"]), is_blinded=True)
        assert found.effect is not None
        assert found.hidden == ""


class TestTerms:
    """What a golden leaves open is settled as the project's runs settle it."""

    def test_the_standard_policy_counts_and_the_goldens_own_comes_first(self, golden: Golden) -> None:
        project = golden.conversation.dataset.project
        policies.create(project=project, body={"params": {"reports": {"metric": {"compare": "any"}}}}, by=None)
        terms = effects.terms_of(project, is_blinded=False)
        found = try_it(golden, typed_of(golden, metric=["other"]), trial=trial_of(golden, terms=terms))
        assert found.verdict is not None
        assert found.verdict.test_pass is True
        golden.policy = {"params": {"reports": {"metric": {"compare": "literal"}}}}
        found = try_it(golden, typed_of(golden, metric=["other"]), trial=trial_of(golden, terms=terms))
        assert found.verdict is not None
        assert found.verdict.test_pass is False

    def test_looking_makes_no_policy(self, golden: Golden) -> None:
        terms = effects.terms_of(golden.conversation.dataset.project, is_blinded=False)
        try_it(golden, typed_of(golden), trial=trial_of(golden, terms=terms))
        assert not Policy.objects.exists()

    def test_the_projects_words_are_for_those_who_are_not_blinded(self, golden: Golden) -> None:
        project = golden.conversation.dataset.project
        policies.create(project=project, body={"scorer": "embedded"}, by=None)
        body = {"equal": [{"terms": ["zorblax", "profit"]}]}
        vocabularies.create(project=project, body=body, by=None, seen_number=0)
        passing = {}
        for is_blinded in (True, False):
            terms = effects.terms_of(project, is_blinded=is_blinded)
            trial = Trial(golden.conversation, terms, time.monotonic, 60.0)
            found = try_it(golden, typed_of(golden, metric=["zorblax"]), trial=trial, is_blinded=is_blinded)
            assert found.effect is not None
            passing[is_blinded] = found.effect.passing
            assert bool(found.note) is is_blinded
        assert passing[False] > passing[True]

    def test_a_judge_is_not_asked(self, golden: Golden) -> None:
        project = golden.conversation.dataset.project
        policies.create(project=project, body={"scorer": "judge"}, by=None)
        terms = effects.terms_of(project, is_blinded=False)
        trial = Trial(golden.conversation, terms, time.monotonic, 60.0)
        found = try_it(golden, typed_of(golden, metric=["turnover"]), trial=trial)
        assert found.effect is not None
        assert not found.effect.is_partial
        assert "nobody is asked" in found.note

    def test_a_scorer_that_is_not_there_is_named(self, golden: Golden) -> None:
        golden.policy = {"scorer": "elsewhere"}
        with pytest.raises(CannotBeTriedError, match="elsewhere"):
            try_it(golden, typed_of(golden))


def test_projects_do_not_share_verdicts_under_other_policies() -> None:
    """What is kept is kept by everything that it hangs on."""
    found = []
    for rule in ("any", "literal"):
        conversation = make_conversation(make_project().datasets.create(slug="d", name="D"), key="same")
        source = make_trajectory(conversation, key="same", body=report_trajectory(metric="profit"))
        golden = goldens.start(conversation, make_member(conversation.dataset.project), source)
        project = conversation.dataset.project
        policies.create(project=project, body={"params": {"reports": {"metric": {"compare": rule}}}}, by=None)
        terms = effects.terms_of(project, is_blinded=False)
        outcome = try_it(golden, typed_of(golden, metric=["x"]), trial=trial_of(golden, terms=terms))
        assert outcome.effect is not None
        found.append(outcome.effect.passing)
    assert found == [1, 0]
