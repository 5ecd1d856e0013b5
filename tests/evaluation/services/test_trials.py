from __future__ import annotations

import copy
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotations.services.errors import NotAllowedNowError
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, PolicyTrial, RunState, TrialChange, TrialState, TurnVerdict, Verdict
from evaluation.services import policies, runs, trials
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_project,
    make_report_version,
    make_run,
    make_trajectory,
    report_golden,
    report_trajectory,
)

pytestmark = pytest.mark.django_db

#: What is tried, each with what it must lead to on the run below.
LOOSER: dict[str, Any] = {"params": {"reports": {"metric": {"compare": "any"}}}}
STRICTER: dict[str, Any] = {"params": {"reports": {"region": {"compare": "literal"}}}}
NO_DEPENDENCIES: dict[str, Any] = {"default_dependencies": "none", "taint": False}
BROKEN: dict[str, Any] = {"params": {"reports": {"metric": {"compare": "regex"}}}}
GATED: dict[str, Any] = {"composition": {"rule": "gated", "cap": Decimal("0.1")}}
BY_POSITION: dict[str, Any] = {"alignment": "given"}


@pytest.fixture
def run() -> EvaluationRun:
    """Reports that pass, that fail with all that follows, that say EU otherwise, that go another way, and one that no
    engine can score."""
    dataset = make_dataset()
    two_ways = report_golden()
    second = copy.deepcopy(two_ways["paths"][0])
    second["id"] = "second"
    second["turns"][3]["params"]["metric"] = {"value": "profit", "compare": "literal"}
    two_ways["paths"].append(second)
    critical = report_golden()
    critical["paths"][0]["turns"][3]["critical"] = True
    unordered = report_trajectory(total=7)
    unordered["turns"][4], unordered["turns"][5] = unordered["turns"][5], unordered["turns"][4]
    lower = report_trajectory()
    lower["turns"][3]["args"]["region"] = "eu"
    invalid_pattern = report_golden()
    invalid_pattern["paths"][0]["turns"][3]["params"]["metric"] = {"value": "revenue("}
    records = []
    for golden, bodies in (
        (report_golden(), [report_trajectory(), report_trajectory(metric="profit"), lower]),
        (two_ways, [report_trajectory(metric="profit"), report_trajectory(metric="margin")]),
        (critical, [report_trajectory(metric="profit", total=3), unordered]),
        (invalid_pattern, [report_trajectory()]),
    ):
        conversation = make_conversation(dataset)
        records.append(make_golden_record(conversation, golden=golden))
        for trial, body in enumerate(bodies):
            make_trajectory(conversation, body=body, trial=trial)
    return make_run(make_dataset_version(dataset, records=records))


def try_out(run: EvaluationRun, body: dict[str, Any], **given: Any) -> PolicyTrial:
    trial = trials.begin(run=run, body=body, name="standard", seen_number=1, by=None, now=timezone.now(), **given)
    while trials.work(trial.pk, now=timezone.now()):
        pass
    trial.refresh_from_db()
    return trial


def really(run: EvaluationRun, body: dict[str, Any]) -> EvaluationRun:
    """The same trajectories planned and scored in a new run under a policy with this body."""
    policy = policies.create(project=run.project, body=body, by=None, name="really")
    return make_run(run.dataset_version, policy=policy)


def states(run: EvaluationRun) -> dict[tuple[int, str, int], tuple[str, str, bool]]:
    """Every turn verdict of a run in the words of a trial, by item, path and turn."""
    found = {}
    for turn in TurnVerdict.objects.filter(verdict__item__run=run).select_related("verdict__item"):
        state = "skipped" if turn.skipped else {None: "not_scored", True: "pass", False: "fail"}[turn.passed]
        place = turn.verdict.item.position, turn.verdict.path, turn.turn_no
        found[place] = state, turn.failure_reason, turn.ambiguous
    return found


def really_changed(before: EvaluationRun, after: EvaluationRun) -> tuple[Counter[str], int, int]:
    """Changes by name, turns that become ambiguous, and turns that no longer are; turns of other paths left out."""
    old, new = states(before), states(after)
    paths: list[dict[int, str]] = [
        dict(Verdict.objects.filter(item__run=run, error="").values_list("item__position", "path"))
        for run in (before, after)
    ]
    changes: Counter[str] = Counter()
    begins = ends = 0
    for place in old.keys() | new.keys():
        if paths[0].get(place[0], place[1]) != paths[1].get(place[0], place[1]):
            continue
        was, now = old.get(place, ("not_scored", "", False)), new.get(place, ("not_scored", "", False))
        if was[:2] != now[:2]:
            changes[f"{was[0]}>{now[0]}"] += 1
        begins += now[2] and not was[2]
        ends += was[2] and not now[2]
    return changes, begins, ends


@pytest.mark.parametrize("body", [{}, LOOSER, STRICTER, NO_DEPENDENCIES, BROKEN, GATED, BY_POSITION])
def test_a_trial_counts_what_a_run_under_the_policy_really_changes(run: EvaluationRun, body: dict[str, Any]) -> None:
    trial = try_out(run, body)
    other = really(run, body)
    changes, begins, ends = really_changed(run, other)
    assert Counter(trial.counts["turns"]) == changes
    assert (trial.counts["begins_ambiguous"], trial.counts["ends_ambiguous"]) == (begins, ends)
    for side, summary in ((trials.side(trial, "before"), run.summary), (trials.side(trial, "after"), other.summary)):
        everything = summary["all"]
        assert (side.judged, side.test_passed) == (everything["judged"], everything["test_passed"])
        assert (side.evaluated, side.passed) == (everything["evaluated"], everything["passed"])
        assert (side.root_causes, side.cascades) == (everything["root_causes"], everything["cascades"])
        assert (side.ambiguous, side.trajectories_not_scored) == (everything["ambiguous"], everything["not_scored"])
        assert side.mean_success_rate == pytest.approx(float(summary["mean_success_rate"]["mean"]))
    assert (trial.state, trial.done, trial.total) == (TrialState.DONE, 8, 8)


def test_the_numbers_of_the_made_up_run() -> None:
    """So that both ways of counting are not wrong together: 3 reports, 1 of which fails at its first call."""
    run = make_run(make_report_version(3, failing=1))
    assert (run.summary["all"]["test_passed"], run.summary["all"]["root_causes"]) == (2, 1)
    failed = run.summary["all"]["root_causes"] + run.summary["all"]["cascades"]
    trial = try_out(run, LOOSER)
    assert trial.counts["turns"] == {"fail>pass": failed}
    assert trial.counts["trajectories"] == {"fail>pass": 1}
    before, after = trials.side(trial, "before"), trials.side(trial, "after")
    assert (before.test_passed, before.judged, before.passed, before.evaluated) == (2, 3, 15 - failed, 15)
    assert (after.test_passed, after.judged, after.passed, after.evaluated) == (3, 3, 15, 15)
    stricter = try_out(run, {"params": {"reports": {"format": {"compare": "date"}}}})
    assert stricter.counts["turns"] == {"pass>fail": 2, "fail>fail": 1}, "what was inherited fails by itself now"
    assert stricter.counts["trajectories"] == {"pass>fail": 2}


def test_each_change_is_listed_with_both_verdicts_and_why(run: EvaluationRun) -> None:
    trial = try_out(run, LOOSER)
    rows = list(trials.find_changes(trial, group="passes"))
    assert len(rows) == trial.counts["turns"]["fail>pass"] > 0
    first = rows[0]
    assert (first.turn_key, first.tool, first.action) == ("g2", "reports", "FilterData")
    assert (first.before["state"], first.before["reason"]) == ("fail", "inconsistent_parameter_values")
    assert "profit" in first.before["sentence"]
    assert first.after["state"] == "pass"
    assert first.after["sentence"]
    listed = trials.with_items(trial, rows)
    assert [item.position for _, item in listed] == [row.position for row in rows]


def test_every_group_holds_as_many_rows_as_it_counts(run: EvaluationRun) -> None:
    for body in (LOOSER, STRICTER, BROKEN, NO_DEPENDENCIES, GATED, BY_POSITION):
        trial = try_out(run, body)
        found = trials.groups(trial)
        for group in found:
            assert trials.find_changes(trial, group=group.key).count() == group.count, group.key
        of_turns = trials.find_changes(trial).filter(turn_no__gt=0)
        assert of_turns.count() == trial.counts["changed_turns"]
        grouped = TrialChange.objects.none()
        for group in found:
            grouped |= trials.find_changes(trial, group=group.key)
        assert set(grouped.values_list("pk", flat=True)) == set(
            trials.find_changes(trial).values_list("pk", flat=True)
        ), "a change that is in no group would be found by nobody"


def test_a_trajectory_that_fits_another_path_is_said_and_its_turns_are_not_compared(run: EvaluationRun) -> None:
    trial = try_out(run, LOOSER)
    row = trials.find_changes(trial, group="path").get()
    assert (row.before["path"], row.after["path"]) == ("second", "main")
    assert not trials.find_changes(trial).filter(position=row.position, turn_no__gt=0).exists()


def test_what_cannot_be_scored_under_the_draft_is_said_and_is_no_failure(run: EvaluationRun) -> None:
    trial = try_out(run, BROKEN)
    lost = trials.find_changes(trial, group="undecided").get()
    assert "regular expression" in lost.after["error"]
    turns = trials.find_changes(trial, group="not-scored")
    assert {turn.position for turn in turns} == {lost.position}
    assert trials.side(trial, "after").trajectories_not_scored == 1


def test_a_policy_of_a_record_itself_wins_and_is_counted() -> None:
    conversation = make_conversation()
    record = make_golden_record(conversation, policy={"params": {"reports": {"metric": {"compare": "literal"}}}})
    make_trajectory(conversation, body=report_trajectory(metric="Revenue"))
    run = make_run(make_dataset_version(conversation.dataset, records=[record]))
    trial = try_out(run, LOOSER)
    assert trial.counts["turns"] == {}
    assert trial.counts["own_settings"] == {"params": 1}


def test_the_verdicts_of_the_run_stay_as_they_are(run: EvaluationRun) -> None:
    before = list(TurnVerdict.objects.order_by("pk").values_list())
    try_out(run, LOOSER)
    assert list(TurnVerdict.objects.order_by("pk").values_list()) == before


def test_slices_add_up_to_what_one_finds(run: EvaluationRun, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = try_out(run, LOOSER)
    monkeypatch.setattr(trials, "SLICE_ITEMS", 3)
    trial = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    assert trial.pk != whole.pk
    slices = []
    while trials.work(trial.pk, now=timezone.now()):
        trial.refresh_from_db()
        slices.append((trial.done, trial.percent, trial.state))
    trial.refresh_from_db()
    assert slices == [(3, 37, "running"), (6, 75, "running")]
    assert (trial.done, trial.percent, trial.state) == (8, 100, "done")
    assert trial.counts == whole.counts
    assert trial.changes.count() == whole.changes.count()


def test_a_slice_done_twice_is_counted_once(run: EvaluationRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "SLICE_ITEMS", 3)
    trial = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    really_slice = trials._slice

    def overtaken(late: PolicyTrial) -> Any:
        """Another worker does the very slice while this one is at it."""
        monkeypatch.setattr(trials, "_slice", really_slice)
        trials.work(late.pk, now=timezone.now())
        return really_slice(late)

    monkeypatch.setattr(trials, "_slice", overtaken)
    assert trials.work(trial.pk, now=timezone.now())
    trial.refresh_from_db()
    assert (trial.done, trial.counts["before"]["trajectories"]) == (3, 3)
    while trials.work(trial.pk, now=timezone.now()):
        pass
    assert not trials.work(trial.pk, now=timezone.now()), "and once more after the end"
    trial.refresh_from_db()
    assert trial.counts == try_out(run, LOOSER).counts


def test_a_stopped_trial_keeps_what_it_found_and_goes_no_further(
    run: EvaluationRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SLICE_ITEMS", 3)
    trial = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    trials.work(trial.pk, now=timezone.now())
    trials.stop(trial=trial, now=timezone.now())
    assert not trials.work(trial.pk, now=timezone.now())
    trial.refresh_from_db()
    assert (trial.state, trial.done) == (TrialState.STOPPED, 3)
    with pytest.raises(NotAllowedNowError):
        trials.stop(trial=trial, now=timezone.now())


def test_an_error_in_a_slice_ends_the_trial_and_is_shown(run: EvaluationRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("somewhere inside")

    monkeypatch.setattr(trials, "_slice", broken)
    trial = try_out(run, LOOSER)
    assert trial.state == TrialState.FAILED
    assert "somewhere inside" in trial.error


def test_a_trial_of_another_engine_is_not_gone_on_with(run: EvaluationRun) -> None:
    trial = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    PolicyTrial.objects.update(engine_version="0.0")
    assert not trials.work(trial.pk, now=timezone.now())
    trial.refresh_from_db()
    assert (trial.state, "engine 0.0" in trial.error) == (TrialState.FAILED, True)


def test_the_same_draft_at_work_is_not_begun_again(run: EvaluationRun) -> None:
    first = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    assert trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now()) == first
    assert trials.begin(run=run, body=STRICTER, name="standard", seen_number=1, by=None, now=timezone.now()) != first


def test_old_trials_go_with_new_ones(run: EvaluationRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "KEPT", 2)
    made = [try_out(run, body).pk for body in (LOOSER, STRICTER, BROKEN)]
    assert set(PolicyTrial.objects.values_list("pk", flat=True)) == set(made[1:])


def test_items_that_the_run_never_scored_are_left_out_and_counted(run: EvaluationRun) -> None:
    Verdict.objects.filter(item__run=run, item__position__lte=2).delete()
    trial = try_out(run, LOOSER)
    assert (trial.counts["missing"], trial.counts["before"]["trajectories"], trial.done) == (2, 6, 8)


def test_a_draft_that_cannot_be_followed_is_not_tried(run: EvaluationRun) -> None:
    with pytest.raises(policies.PolicyRefusedError, match="threshold"):
        trials.begin(run=run, body={"threshold": "half"}, name="standard", seen_number=1, by=None, now=timezone.now())
    assert not PolicyTrial.objects.exists()


def test_the_run_to_try_on_is_the_newest_finished_one() -> None:
    project = make_project()
    assert trials.default_run(project) is None
    version = make_report_version(1, dataset=make_dataset(project))
    finished = make_run(version)
    stopped = make_run(version, is_scored=False)
    runs.stop(run=stopped)
    at_work = make_run(version, is_scored=False)
    assert trials.default_run(project) == finished
    assert list(trials.candidates(project)) == [stopped, finished]
    with pytest.raises(trials.NothingToTryError, match="still at work"):
        trials.begin(run=at_work, body={}, name="standard", seen_number=1, by=None, now=timezone.now())
    EvaluationRun.objects.filter(pk=finished.pk).update(state=RunState.FAILED)
    assert trials.default_run(project) == stopped


def test_a_trial_at_rest_is_rung_for_once(run: EvaluationRun) -> None:
    trial = trials.begin(run=run, body=LOOSER, name="standard", seen_number=1, by=None, now=timezone.now())
    assert trials.resting(now=timezone.now()) == []
    later = timezone.now() + timedelta(seconds=trials.REST_SECONDS + 1)
    assert trials.resting(now=later) == [trial.pk]
    assert trials.resting(now=later) == []


def test_counts_are_kept_exactly(run: EvaluationRun) -> None:
    trial = try_out(run, GATED)
    assert isinstance(trial.counts["after"]["rates"], Decimal | int)
    assert jsonio.loads(jsonio.dumps(trial.counts)) == trial.counts


# Meanings


MEANINGS: dict[str, Any] = {"scorer": "embedded", "threshold": Decimal("0.7")}


def test_under_a_scorer_of_meanings_too_the_counts_are_those_of_a_run() -> None:
    dataset = make_dataset()
    records = []
    for metric in ("revenue", "Revenue figures", "sales", "profit", "34M"):
        conversation = make_conversation(dataset, language="en")
        records.append(make_golden_record(conversation))
        make_trajectory(conversation, body=report_trajectory(metric=metric))
    run = make_run(make_dataset_version(dataset, records=records))
    trial = try_out(run, MEANINGS)
    assert (trial.state, trial.error) == (TrialState.DONE, "")
    other = really(run, MEANINGS)
    changes, begins, ends = really_changed(run, other)
    assert Counter(trial.counts["turns"]) == changes
    assert changes["fail>pass"] > 0, "one of the spellings means the same"
    assert (trial.counts["begins_ambiguous"], trial.counts["ends_ambiguous"]) == (begins, ends)
    assert not trials.is_small(trial), "comparing for the first time is no matter of a moment"
