"""Calibration through the API: nulls with reasons, the proposal, and adopting it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from annotations.models import Change, Project, Role
from evaluation.models import EvaluationRun, Policy, RunState
from tests.evaluation.calibrated import body, label, label_calls, make_calibrated_run
from tests.factories import make_member, make_project, make_report_version, make_run
from tests.people import ApiCaller, api_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


@pytest.fixture
def api(project: Project) -> ApiCaller:
    return api_of(make_member(project, Role.ENGINEER))


@pytest.fixture
def run(project: Project) -> EvaluationRun:
    """Calls of which those that score up to 0.7 are wrong and the others right."""
    ana = make_member(project)
    scores = [Fraction(10 + (number * 7) % 90, 100) for number in range(100)]
    made = make_calibrated_run(
        project, [body(city=f"value {number} ~{float(score)}") for number, score in enumerate(scores)]
    )
    said = ["pass" if score > Fraction(7, 10) else "fail" for score in scores]
    label_calls(made, ana, said, turn="call", sub_metric="truthfulness")
    return made


def test_the_proposal_comes_with_figures_and_is_adopted(api: ApiCaller, run: EvaluationRun) -> None:
    found = api.get(f"runs/{run.pk}/calibration/").data
    proposal = found["proposal"]
    assert Fraction(69, 100) < Fraction(proposal["threshold"]) < Fraction(73, 100)
    assert found["present_threshold"] == Fraction(1, 2)
    assert found["half_a"]["n"] + found["half_b"]["n"] == found["whole"]["n"] == 100
    assert proposal["reported_on"]["n"] == found["half_b"]["n"]
    rate = proposal["reported_on"]["figures"]["true_pass_rate"]
    assert rate["low"] <= rate["value"] <= rate["high"]
    assert [each["slice"] for each in found["slices"]] == ["all", "as:auto", "param:booking/city"]
    adoption = found["adoption"]
    assert (adoption["policy"], adoption["seen_number"]) == ("standard", 1)
    sent = {"threshold": proposal["threshold"], "seen_number": 1}
    answer = api.post(f"runs/{run.pk}/calibration/adopt/", sent)
    assert answer.status_code == 201
    assert (answer.data["number"], answer.data["body"]) == (2, adoption["body"])
    assert "seed 1" in Change.objects.get(subject_type="policy", subject_id=str(answer.data["id"])).after["reason"]
    late = api.post(f"runs/{run.pk}/calibration/adopt/", sent)
    assert late.status_code == 409
    assert late.data["current"]["number"] == 2
    assert late.data["yours"] == sent


def test_another_threshold_is_refused(api: ApiCaller, run: EvaluationRun) -> None:
    refused = api.post(f"runs/{run.pk}/calibration/adopt/", {"threshold": 1, "seen_number": 1})
    assert refused.status_code == 400
    assert "1 was proposed when you looked" in refused.data["detail"]
    assert Policy.objects.count() == 1


def test_a_slice_of_values_is_adopted_as_a_rule(api: ApiCaller, run: EvaluationRun) -> None:
    asked = {"slice": "param:booking/city", "criterion": "false_passes", "percent": 0, "seed": 7}
    found = api.get(f"runs/{run.pk}/calibration/", **asked).data
    assert found["criterion"] == {
        "kind": "false_passes",
        "most": "0",
        "words": "the most true passes with at most 0 % false passes",
    }
    threshold = found["proposal"]["threshold"]
    made = api.post(f"runs/{run.pk}/calibration/adopt/", {**asked, "threshold": threshold, "seen_number": 1})
    assert made.data["body"]["params"] == {"booking": {"city": {"threshold": threshold}}}


def test_what_is_not_defined_is_null_with_a_reason(project: Project, api: ApiCaller) -> None:
    exact = make_run(make_report_version(1, dataset=project.datasets.create(slug="reports", name="Reports")))
    found = api.get(f"runs/{exact.pk}/calibration/").data
    assert found["problem"].startswith("These runs compared exactly")
    assert found["proposal"] is None
    assert found["adoption"] is None
    assert found["distance"] is None
    assert found["reason"] == "no labelled turn has a score"
    figures = found["whole"]["now"]["figures"]
    assert all(figure["value"] is None and figure["reason"] for figure in figures.values())
    EvaluationRun.objects.update(state=RunState.RUNNING)
    assert api.get(f"runs/{exact.pk}/calibration/").data["problem"] == "No run has finished yet."


@pytest.mark.parametrize(
    "query",
    [{"weight": 0}, {"percent": 101}, {"criterion": "luck"}, {"slice": "as:luck"}, {"seed": -1}, {"sub_metric": "all"}],
)
def test_what_cannot_be_asked_is_refused(api: ApiCaller, run: EvaluationRun, query: dict[str, object]) -> None:
    refused = api.get(f"runs/{run.pk}/calibration/", **query)
    assert refused.status_code == 400
    assert list(refused.data["errors"]) == list(query)


def test_what_is_left_out_is_counted(project: Project, api: ApiCaller) -> None:
    run = make_calibrated_run(project, [body(reply="All set ~no")])
    label(run, make_member(project), 1, "reply", "fail", completeness="fail", truthfulness="fail")
    found = api.get(f"runs/{run.pk}/calibration/", sub_metric="completeness").data
    assert found["excluded"] == {"another part of the turn fails at every threshold": 1}
    assert found["unlabelled_turns"] == 0
