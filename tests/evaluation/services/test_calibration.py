"""Which labelled turns tell about a threshold, what they say, and adopting a threshold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from annotations.models import Change, Project, Role, User
from annotations.services.errors import StaleRevisionError
from evaluation.models import Decision, EvaluationRun, Policy
from evaluation.services import calibration, decisions, policies
from evaluation.services.calibration import ChangedSinceError, NothingToAdoptError, Report
from tests.evaluation.calibrated import GOLDEN, body, label, label_calls, make_calibrated_run, score_again
from tests.factories import make_member, make_project, make_report_version, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


@pytest.fixture
def ana(project: Project) -> User:
    return make_member(project)


def units(found: Report) -> list[tuple[float, bool, bool]]:
    """Score, whether people pass it, whether it passes now."""
    return [(float(each.unit.score), each.unit.is_right, each.unit.passes_now) for each in found.labelled]


def looked_at(run: EvaluationRun, sub_metric: Any = "truthfulness", slice_key: str = "all") -> Report:
    return calibration.report([run], sub_metric=sub_metric, slice_key=slice_key)


def test_the_score_of_a_turn_is_its_smallest_and_the_label_is_of_the_sub_metric(project: Project, ana: User) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8", note="window seat ~0.6"), body(city="Boston ~0.3")])
    label(run, ana, 1, "call", "fail", truthfulness="pass", completeness="fail")
    label(run, ana, 2, "call", "fail", truthfulness="fail")
    found = looked_at(run)
    assert units(found) == [(0.6, True, True), (0.3, False, False)]
    assert found.by_verdict == 0
    assert not found.excluded
    assert found.present_threshold == Fraction(1, 2)
    assert {each.unit.group for each in found.labelled} == {
        f"{item.trajectory.conversation.dataset.slug}/{item.trajectory.conversation.key}" for item in run.items.all()
    }


def test_completeness_is_of_required_claims_and_what_is_contradicted_hangs_on_no_threshold(
    project: Project, ana: User
) -> None:
    run = make_calibrated_run(project, [body(reply="All set ~0.7"), body(reply="It was refused ~no")])
    label(run, ana, 1, "reply", "pass", completeness="pass", truthfulness="pass")
    label(run, ana, 2, "reply", "fail", completeness="fail", truthfulness="fail")
    complete = looked_at(run, "completeness")
    assert units(complete) == [(0.7, True, True)]
    assert complete.excluded == {calibration.FIXED_FAILURE: 1}
    truthful = looked_at(run)
    assert units(truthful) == []
    assert truthful.excluded == {calibration.CONTRADICTIONS: 2}


def test_the_verdict_of_the_turn_is_the_label_only_where_it_can_be_about_nothing_else(
    project: Project, ana: User
) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8", reply="All set ~0.7")] * 4)
    label(run, ana, 1, "call", "pass")
    label(run, ana, 2, "call", "fail", attribution="root")
    label(run, ana, 3, "call", "fail", attribution="cascade")
    label(run, ana, 4, "call", "fail", completeness="fail")
    found = looked_at(run)
    assert [right for _, right, _ in units(found)] == [True, False]
    assert found.by_verdict == 2
    assert found.excluded == {calibration.NOT_SAID: 2}
    label(run, ana, 1, "reply", "pass")
    label(run, ana, 2, "reply", "fail")
    label(run, ana, 3, "reply", "fail", truthfulness="pass")
    complete = looked_at(run, "completeness")
    assert [right for _, right, _ in units(complete)] == [False]
    assert complete.excluded == {calibration.NOT_SAID: 2}
    assert [right for _, right, _ in units(looked_at(run, "turn_verdict"))].count(True) == 2


def test_what_is_unknown_stays_unknown_and_is_counted(project: Project, ana: User) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8")] * 6)
    ben = make_member(project)
    label(run, ana, 1, "call", "unsure")
    label(run, ana, 2, "call", "not_agent")
    label(run, ana, 3, "call", "pass", truthfulness="unsure")
    label(run, ana, 4, "call", "pass")
    label(run, ben, 4, "call", "fail")
    label(run, ana, 5, "call", "pass")
    found = looked_at(run)
    assert len(found.labelled) == 1
    assert found.excluded == {
        "human label: unsure": 2,
        "human label: not the agent's fault": 1,
        "human label: people differ, not decided": 1,
    }
    assert found.unlabelled == 7  # a call, and six replies in which a claim was looked for


def test_a_decision_goes_before_labels(project: Project, ana: User) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8")])
    label(run, ana, 1, "call", "pass", truthfulness="pass")
    decisions.decide(
        trajectory=run.items.get().trajectory,
        path="main",
        turn_key="call",
        by=make_member(project, Role.ADJUDICATOR),
        seen_revision=0,
        reason="So.",
        verdict="fail",
        truthfulness="fail",
    )
    assert Decision.objects.count() == 1
    assert [right for _, right, _ in units(looked_at(run))] == [False]


def test_what_no_threshold_changes_takes_the_turn_out(project: Project, ana: User) -> None:
    """An exact value that is wrong, and one that could not be judged; a wrong tool is not looked at by values."""
    golden = {
        **GOLDEN,
        "paths": [
            {
                **GOLDEN["paths"][0],
                "turns": [
                    {
                        "id": "call",
                        "tool": "booking",
                        "action": "Book",
                        "params": {
                            "city": {"value": "New York City"},
                            "note": {"value": "window", "compare": "literal"},
                        },
                    },
                ],
            }
        ],
    }
    bodies = [
        body(city="NYC ~0.8", note="window"),
        body(city="NYC ~0.8", note="door"),
        body(city="somewhere", note="window"),
        body(city="NYC ~0.8", note="window", tool="search"),
    ]
    run = make_calibrated_run(project, bodies, golden=golden)
    for position in range(1, 5):
        label(run, ana, position, "call", "pass", truthfulness="pass")
    found = looked_at(run)
    assert len(found.labelled) == 1
    assert found.excluded == {calibration.FIXED_FAILURE: 1, calibration.NOT_JUDGED: 1}


def test_slices_are_kinds_and_parameters_and_a_label_is_not_shared_out(project: Project, ana: User) -> None:
    bodies = [body(city="NYC ~0.8"), body(note="window seat ~0.6"), body(city="NYC ~0.7", note="a seat ~0.9")]
    run = make_calibrated_run(project, bodies)
    for position in (1, 2, 3):
        label(run, ana, position, "call", "pass", truthfulness="pass")
    found = looked_at(run)
    assert [(each.slice.key, each.n) for each in found.choices] == [
        ("all", 3),
        ("as:auto", 1),
        ("as:text", 1),
        ("param:booking/city", 1),
        ("param:booking/note", 1),
    ]
    texts = looked_at(run, slice_key="as:text")
    assert units(texts) == [(0.6, True, True)]
    assert texts.excluded == {calibration.OTHER_MEANING: 1}
    assert texts.fields == (("booking", "note"),)
    assert found.fields == ()
    with pytest.raises(LookupError):
        looked_at(run, slice_key="param:booking/hotel")


def test_a_threshold_of_its_own_is_not_moved_by_the_policys(project: Project, ana: User) -> None:
    policy = {"scorer": "embedded", "params": {"booking": {"city": {"threshold": Decimal("0.9")}}}}
    run = make_calibrated_run(project, [body(city="NYC ~0.8")], policy=policy)
    label(run, ana, 1, "call", "pass", truthfulness="pass")
    whole = looked_at(run)
    assert units(whole) == []
    assert whole.excluded == {calibration.OWN_THRESHOLD: 1}
    by_rule = looked_at(run, slice_key="param:booking/city")
    assert units(by_rule) == [(0.8, True, False)]
    assert by_rule.present_threshold == Fraction(9, 10)


@pytest.mark.parametrize(
    ("param", "record_policy"),
    [
        ({"value": "New York City", "compare": {"as": "text", "threshold": Decimal("0.9")}}, None),
        ({"value": "New York City"}, {"params": {"booking": {"city": {"threshold": Decimal("0.9")}}}}),
    ],
)
def test_what_a_golden_settles_no_policy_moves(
    project: Project, ana: User, param: dict[str, Any], record_policy: dict[str, Any] | None
) -> None:
    path = GOLDEN["paths"][0]
    turns = [{**path["turns"][1], "params": {**path["turns"][1]["params"], "city": param}}]
    golden = {**GOLDEN, "paths": [{**path, "turns": turns}]}
    run = make_calibrated_run(project, [body(city="NYC ~0.8")], golden=golden, record_policy=record_policy)
    label(run, ana, 1, "call", "pass", truthfulness="pass")
    assert units(looked_at(run)) == []
    assert units(looked_at(run, slice_key="param:booking/city")) == []


def test_a_record_with_a_threshold_is_moved_by_rules_alone(project: Project, ana: User) -> None:
    run = make_calibrated_run(
        project,
        [body(city="NYC ~0.8", reply="All set ~0.7")],
        record_policy={"threshold": Decimal("0.75")},
    )
    label(run, ana, 1, "call", "pass", truthfulness="pass")
    label(run, ana, 1, "reply", "pass", completeness="pass")
    assert units(looked_at(run)) == []
    assert units(looked_at(run, slice_key="param:booking/city")) == [(0.8, True, True)]
    assert looked_at(run, "completeness").excluded == {calibration.OWN_THRESHOLD: 1}


def test_runs_that_compare_exactly_or_by_different_scorers_cannot_be_calibrated(project: Project, ana: User) -> None:
    exact = make_run(make_report_version(1, dataset=project.datasets.create(slug="reports", name="Reports")))
    found = looked_at(exact)
    assert found.problem.startswith("These runs compared exactly")
    assert found.calibration.reason == "no labelled turn has a score"
    first, second = (make_calibrated_run(project, [body(city="NYC ~0.8")]) for _ in range(2))
    EvaluationRun.objects.filter(pk=second.pk).update(scorer_version="written 2")
    second.refresh_from_db()
    assert "different scorers" in calibration.report([first, second]).problem
    assert calibration.report([]).problem == "No run has finished yet."
    assert not looked_at(first).problem


def test_a_trajectory_of_several_runs_counts_once_as_the_newest_scored_it(project: Project, ana: User) -> None:
    first = make_calibrated_run(project, [body(city="NYC ~0.8")])
    second = score_again(first, policy={"scorer": "embedded", "threshold": Decimal("0.9")})
    label(first, ana, 1, "call", "pass", truthfulness="pass")
    for runs in ([first, second], [second, first]):
        found = calibration.report(runs)
        assert units(found) == [(0.8, True, False)]
        assert found.present == (Fraction(9, 10),)
    assert calibration.default_runs(project) == [second]


# --- adopting ---


def enough(project: Project, ana: User, *, what: str = "city", trials: int = 1) -> EvaluationRun:
    """100 calls: what scores up to 0.7 is wrong, what scores more is right, and from 0.5 up all of it passes now."""
    scores = [Fraction(10 + (number * 7) % 90, 100) for number in range(100)]
    bodies = [body(**{what: f"value {number} ~{float(score)}"}) for number, score in enumerate(scores)]
    run = make_calibrated_run(project, bodies, trials=trials)
    turn, sub_metric = ("reply", "completeness") if what == "reply" else ("call", "truthfulness")
    said = ["pass" if score > Fraction(7, 10) else "fail" for score in scores]
    label_calls(run, ana, said, turn=turn, sub_metric=sub_metric)
    return run


def adopt(found: Report, project: Project, by: User, **more: Any) -> Policy:
    proposal = found.calibration.proposal
    assert proposal is not None
    given = {"threshold": Fraction(proposal.threshold), "seen_number": 1, **more}
    return calibration.adopt(found=found, project=project, by=by, **given)


def test_a_threshold_is_adopted_as_the_next_number_with_how_it_was_found(project: Project, ana: User) -> None:
    run = enough(project, ana)
    found = looked_at(run)
    proposal = found.calibration.proposal
    assert proposal is not None
    assert Fraction(69, 100) < Fraction(proposal.threshold) < Fraction(73, 100)
    assert proposal.reported_on.false_pass == 0
    assert proposal.now.false_pass > 0
    made = adopt(found, project, ana)
    assert (made.name, made.number) == ("standard", 2)
    assert made.body == {"scorer": "embedded", "threshold": proposal.threshold}
    reason = Change.objects.get(subject_type="policy", subject_id=str(made.pk)).after["reason"]
    calibrated = found.calibration
    assert "Run 1: truthfulness, everything that follows the policy's threshold." in reason
    assert "the least cost, a false pass counting 5 times a false failure" in reason
    assert f"(seed 1, n = {calibrated.a.n} turns of {calibrated.a.conversations} conversations)" in reason
    assert f"On half b (n = {calibrated.b.n} turns of {calibrated.b.conversations} conversations)" in reason
    assert f"false-pass rate {proposal.reported_on.figures['false_pass_rate']}" in reason
    assert "before, with 0.5" in reason


def test_a_slice_of_values_becomes_rules_and_leaves_the_rest(project: Project, ana: User) -> None:
    run = enough(project, ana)
    found = looked_at(run, slice_key="as:auto")
    proposal = found.calibration.proposal
    assert proposal is not None
    made = adopt(found, project, ana)
    assert made.body == {
        "scorer": "embedded",
        "params": {"booking": {"city": {"threshold": proposal.threshold}}},
    }


def test_a_threshold_of_claims_is_the_policys(project: Project, ana: User) -> None:
    run = enough(project, ana, what="reply")
    found = looked_at(run, "completeness", "as:claim")
    assert found.also_moves_values
    made = adopt(found, project, ana)
    assert set(made.body) == {"scorer", "threshold"}


def test_another_number_or_other_labels_are_refused(project: Project, ana: User) -> None:
    run = enough(project, ana)
    found = looked_at(run)
    policies.create(project=project, body={"scorer": "embedded", "taint": False}, by=ana)
    with pytest.raises(StaleRevisionError):
        adopt(found, project, ana)
    with pytest.raises(ChangedSinceError, match=r"0\.42 was proposed"):
        adopt(found, project, ana, seen_number=2, threshold=Fraction("0.42"))
    assert Policy.objects.count() == 2
    made = adopt(found, project, ana, seen_number=2)
    assert made.body["taint"] is False


def test_nothing_is_adopted_from_too_little(project: Project, ana: User) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8")])
    label(run, ana, 1, "call", "pass", truthfulness="pass")
    with pytest.raises(NothingToAdoptError, match="no variation in the human label"):
        calibration.adopt(found=looked_at(run), project=project, by=ana, threshold=Fraction(1, 2), seen_number=1)


def test_trials_of_a_conversation_stay_in_one_half(project: Project, ana: User) -> None:
    run = enough(project, ana, trials=4)
    found = looked_at(run)
    assert found.calibration.whole.conversations == 25
    by_conversation: dict[str, set[str]] = {}
    for half in ("a", "b"):
        for row in found.rows(half=half):
            by_conversation.setdefault(row.unit.group, set()).add(half)
    assert len(by_conversation) == 25
    assert all(len(halves) == 1 for halves in by_conversation.values())


def test_the_rows_behind_a_number_are_as_many_as_it_says(project: Project, ana: User) -> None:
    found = looked_at(enough(project, ana))
    proposal = found.calibration.proposal
    assert proposal is not None
    for cell, count in proposal.reported_on._asdict().items():
        assert len(found.rows(half="b", cell=cell, threshold=Fraction(proposal.threshold))) == count
    for cell, count in proposal.now._asdict().items():
        assert len(found.rows(half="b", cell=cell)) == count
    assert len(found.rows()) == found.calibration.whole.n


def test_the_number_of_queries_does_not_grow_with_labels(
    project: Project, ana: User, django_assert_num_queries: Any
) -> None:
    small, large = (make_calibrated_run(project, [body(city="NYC ~0.8")] * count) for count in (1, 12))
    for run in (small, large):
        for position in range(1, run.items.count() + 1):
            label(run, ana, position, "call", "pass", truthfulness="pass")
    for run in (small, large):
        again = EvaluationRun.objects.select_related("policy").get(pk=run.pk)
        with django_assert_num_queries(7):
            looked_at(again)
