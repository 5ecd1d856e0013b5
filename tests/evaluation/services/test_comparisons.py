import pytest

from evaluation.services.comparisons import compare
from evaluation.services.runs import AgentVersion
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_run,
    make_trajectory,
    report_trajectory,
)

pytestmark = pytest.mark.django_db

OLD, NEW = AgentVersion("reporter", "1"), AgentVersion("reporter", "2")


def test_versions_are_paired_by_conversation_and_trial() -> None:
    dataset = make_dataset()
    records = []
    # Per conversation and trial: whether the old and the new version pass; None where it has no trajectory.
    plan: list[list[tuple[bool | None, bool | None]]] = [
        [(True, False), (True, True)],
        [(False, True), (False, False)],
        [(True, None), (None, True)],
        [(True, False)],
    ]
    for trials in plan:
        conversation = make_conversation(dataset)
        records.append(make_golden_record(conversation))
        for trial, results in enumerate(trials):
            for agent, passed in zip((OLD, NEW), results, strict=True):
                if passed is not None:
                    make_trajectory(
                        conversation,
                        agent_version=agent.agent_version,
                        trial=trial,
                        body=report_trajectory(metric="revenue" if passed else "profit"),
                    )
    run = make_run(make_dataset_version(dataset, records=records))
    found = compare(run, OLD, NEW)
    result = found.result
    assert (found.pairs, found.only_a_has, found.only_b_has) == (5, 1, 1)
    assert (result.both_pass, result.only_a, result.only_b, result.both_fail) == (1, 2, 1, 1)
    assert result.difference.p_value == pytest.approx(1.0)
    assert [pair.trial for pair in found.worse] == [0, 0]
    assert [(pair.a.test_pass, pair.b.test_pass, pair.a.first_failure_turn) for pair in found.better] == [
        (False, True, 2)
    ]
    [reason] = found.reasons
    assert (reason.reason, reason.a, reason.b) == ("inconsistent_parameter_values", 2, 3)


def test_what_was_not_scored_takes_its_pair_out() -> None:
    conversation = make_conversation()
    make_trajectory(conversation, agent_version="1", body={"turns": [{"tool": 5}]})
    make_trajectory(conversation, agent_version="2")
    run = make_run(make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)]))
    found = compare(run, OLD, NEW)
    assert (found.pairs, found.result.n) == (1, 0)
    assert dict(found.result.excluded) == {"not evaluated in A": 1}
    assert found.result.difference.value is None


def test_trajectories_without_a_trial_are_paired_in_order() -> None:
    conversation = make_conversation()
    for agent_version in ("1", "2"):
        for key in ("x", "y"):
            make_trajectory(conversation, agent_version=agent_version, trial=None, key=f"{agent_version}-{key}")
    run = make_run(make_dataset_version(conversation.dataset, records=[make_golden_record(conversation)]))
    found = compare(run, OLD, NEW)
    assert (found.pairs, found.result.both_pass) == (2, 2)
