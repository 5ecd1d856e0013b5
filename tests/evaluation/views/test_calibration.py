"""The calibration page: what it proposes, the turns behind each number, downloads, adopting and trying a threshold."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Project, Role, User
from evaluation.formats import jsonio
from evaluation.models import EvaluationRun, Policy, PolicyTrial
from evaluation.services import policies, summaries
from tests.evaluation.calibrated import body, label, label_calls, make_calibrated_run
from tests.factories import make_member, make_project, make_report_version, make_run
from tests.people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


@pytest.fixture
def engineer(project: Project) -> Client:
    return client_of(make_member(project, Role.ENGINEER))


def enough(project: Project, ana: User, *, count: int = 100) -> EvaluationRun:
    """Calls of which those that score up to 0.7 are wrong and the others right."""
    scores = [Fraction(10 + (number * 7) % 90, 100) for number in range(count)]
    run = make_calibrated_run(
        project, [body(city=f"value {number} ~{float(score)}") for number, score in enumerate(scores)]
    )
    said = ["pass" if score > Fraction(7, 10) else "fail" for score in scores]
    label_calls(run, ana, said, turn="call", sub_metric="truthfulness")
    return run


@pytest.fixture
def run(project: Project) -> EvaluationRun:
    return enough(project, make_member(project))


def url_of(project: Project, name: str = "calibration", *args: Any) -> str:
    return reverse(f"evaluation:{name}", args=[project.slug, *args])


def hidden(page: Any) -> dict[str, Any]:
    """What the form that adopts sends."""
    fields: dict[str, Any] = {}
    for name, value in page.context["query"]:
        fields.setdefault(name, []).append(value)
    return {
        **fields,
        "threshold": page.context["draft_threshold"],
        "seen_number": page.context["draft"].newest.number,
    }


def test_a_threshold_is_proposed_with_its_figures_beside_the_present_ones(
    project: Project, engineer: Client, run: EvaluationRun
) -> None:
    page = engineer.get(url_of(project))
    assert page.status_code == 200
    text = page.content.decode()
    proposal = page.context["proposal"]
    assert Fraction(69, 100) < Fraction(proposal.threshold) < Fraction(73, 100)
    assert f"Proposed: {page.context['draft_threshold']}" in text
    assert "Adopt as standard 2" in text
    assert text.count('class="chart chart-thresholds"') == 2
    assert "NaN" not in text
    assert f"threshold 0.5 → {page.context['draft_threshold']}" in text


def test_every_count_opens_its_turns(project: Project, engineer: Client, run: EvaluationRun) -> None:
    page = engineer.get(url_of(project))
    for block in page.context["blocks"]:
        for row in block["rows"]:
            assert sum(cell["count"] for cell in row["cells"]) == block["part"].n
    row = next(row for row in page.context["blocks"][0]["rows"] if row["words"] == "now")
    wrong = row["cells"][1]
    assert wrong["words"] == "passed, though people fail them"
    rows = engineer.get(wrong["url"])
    assert len(rows.context["page"].object_list) == wrong["count"] > 0
    text = rows.content.decode()
    first = rows.context["rows"][0]["row"].turn
    assert f"{first.item.get_absolute_url()}?turn=1" in text
    assert "with the threshold 0.5" in text
    assert {entry["half"] for entry in rows.context["rows"]} == {"b"}
    assert engineer.get(url_of(project, "calibration-rows"), {"half": "c"}).status_code == 404
    assert engineer.get(url_of(project, "calibration-rows"), {"at": "high"}).status_code == 404


def test_what_is_asked_for_is_done_and_what_cannot_be_is_said(
    project: Project, engineer: Client, run: EvaluationRun
) -> None:
    url = url_of(project)
    other = engineer.get(url, {"criterion": "false_passes", "percent": "50", "seed": "9", "slice": "as:auto"})
    assert other.context["calibration"].seed == 9
    assert other.context["calibration"].criterion.most == Fraction(1, 2)
    assert other.context["report"].slice.key == "as:auto"
    assert "booking.city now" in other.content.decode()
    wrong = engineer.get(url, {"weight": "-3", "criterion": "luck", "slice": "param:no/where"})
    assert wrong.status_code == 200
    assert wrong.context["calibration"].criterion.weight == 5
    assert wrong.context["report"].slice.key == "all"
    assert len(wrong.context["errors"]) == 2
    assert engineer.get(url, {"run": "luck"}).status_code == 404


def test_runs_of_another_project_are_not_there(engineer: Client, project: Project, run: EvaluationRun) -> None:
    other = make_calibrated_run(make_project(), [body(city="NYC ~0.8")])
    assert engineer.get(url_of(project), {"run": str(other.pk)}).status_code == 404


def test_downloads_hold_every_threshold(project: Project, engineer: Client, run: EvaluationRun) -> None:
    page = engineer.get(url_of(project))
    found = page.context["calibration"]
    table = engineer.get(url_of(project, "calibration-csv"))
    rows = list(csv.DictReader(io.StringIO(b"".join(table.streaming_content).decode())))  # type: ignore[attr-defined]
    whole = [row for row in rows if row["part"] == "all" and row["threshold"]]
    assert len(whole) >= len(found.whole.points) > 20
    for row in whole:
        assert sum(int(row[name]) for name in ("true_pass", "false_pass", "true_failure", "false_failure")) == 100
    last = max(whole, key=lambda row: Fraction(row["threshold"]))
    assert float(last["true_pass_rate"]) == int(last["true_pass"]) / found.whole.now.right
    document = engineer.get(url_of(project, "calibration-json"))
    read = jsonio.loads(document.content)
    assert read["proposal"]["threshold"] == found.proposal.threshold
    assert read["half_b"]["n"] == found.b.n


def test_adopting_makes_the_next_number(project: Project, engineer: Client, run: EvaluationRun) -> None:
    page = engineer.get(url_of(project))
    response = engineer.post(url_of(project, "calibration-adopt"), hidden(page))
    made = Policy.objects.get(number=2)
    assert response["Location"] == reverse("evaluation:policy-detail", args=[project.slug, made.pk])
    assert made.body["threshold"] == page.context["proposal"].threshold
    again = engineer.get(url_of(project))
    assert "standard 2 has this threshold already" in again.content.decode()
    assert "the newest number is standard 2" in again.content.decode()


def test_what_was_overtaken_is_refused_and_the_page_says_so(
    project: Project, engineer: Client, run: EvaluationRun
) -> None:
    seen = hidden(engineer.get(url_of(project)))
    policies.create(project=project, body={"scorer": "embedded", "taint": False}, by=None)
    late = engineer.post(url_of(project, "calibration-adopt"), seen)
    assert late.status_code == 409
    assert "Nothing was changed." in late.content.decode()
    assert "Adopt as standard 3" in late.content.decode()
    other = engineer.post(url_of(project, "calibration-adopt"), {**seen, "seen_number": 2, "threshold": "0.1"})
    assert other.status_code == 409
    assert "was proposed when you looked" in other.content.decode()
    assert engineer.post(url_of(project, "calibration-adopt"), {**seen, "threshold": ""}).status_code == 422
    assert Policy.objects.count() == 2


def test_a_threshold_is_tried_on_the_run_first(project: Project, engineer: Client, run: EvaluationRun) -> None:
    page = engineer.get(url_of(project))
    response = engineer.post(url_of(project, "calibration-try"), hidden(page))
    trial = PolicyTrial.objects.get()
    assert response["Location"] == f"{trial.get_absolute_url()}#effect"
    assert trial.run == run
    assert trial.body["threshold"] == page.context["proposal"].threshold
    assert (trial.name, trial.seen_number) == ("standard", 1)
    assert Policy.objects.count() == 1


def test_those_who_do_not_run_things_see_it_and_adopt_nothing(project: Project, run: EvaluationRun) -> None:
    adjudicator = client_of(make_member(project, Role.ADJUDICATOR))
    page = adjudicator.get(url_of(project))
    assert page.status_code == 200
    assert "Adopt as" not in page.content.decode()
    for name in ("calibration-adopt", "calibration-try"):
        assert adjudicator.post(url_of(project, name), hidden(page)).status_code == 403
    assert Policy.objects.count() == 1


def test_blinded_annotators_see_none_of_it() -> None:
    project = make_project(is_blind=True)
    client = client_of(make_member(project))
    for name in ("calibration", "calibration-rows", "calibration-csv", "calibration-json"):
        assert client.get(url_of(project, name)).status_code == 403


def test_empty_pages_say_what_is_missing(project: Project, engineer: Client) -> None:
    url = url_of(project)
    assert "No run has finished yet" in engineer.get(url).content.decode()
    make_run(make_report_version(1, dataset=project.datasets.create(slug="reports", name="Reports")))
    exact = engineer.get(url).content.decode()
    assert "These runs compared exactly" in exact
    assert "<code>embedded</code>" in exact
    run = make_calibrated_run(project, [body(city="NYC ~0.8")] * 2)
    nobody = engineer.get(url).content.decode()
    assert "In no labelled turn was truthfulness judged by meaning" in nobody
    assert "4 turns with something judged by meaning have no label" in nobody
    ana = make_member(project)
    label(run, ana, 1, "call", "unsure")
    unsure = engineer.get(url).content.decode()
    assert "No label tells about this threshold" in unsure
    assert "1 (human label: unsure)" in unsure
    label(run, ana, 2, "call", "pass", truthfulness="pass")
    few = engineer.get(url).content.decode()
    assert "No threshold is proposed" in few
    assert "Not defined (no variation in the human label: all 1 are pass)." in few
    assert "Adopt as" not in few
    assert few.count('class="chart chart-thresholds"') == 1


def test_the_number_of_queries_does_not_grow_with_labels(project: Project, engineer: Client) -> None:
    counts = []
    for count in (60, 90):
        run = enough(project, make_member(project), count=count)
        with CaptureQueriesContext(connection) as queries:
            assert engineer.get(url_of(project), {"run": str(run.pk)}).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_agreement_and_run_lead_here(project: Project, engineer: Client) -> None:
    run = make_calibrated_run(project, [body(city="NYC ~0.8")])
    EvaluationRun.objects.filter(pk=run.pk).update(summary=summaries.summarise(run.pk))
    link = f'href="{url_of(project)}?run={run.pk}"'
    assert link in engineer.get(run.get_absolute_url()).content.decode()
    agreement_url = reverse("evaluation:agreement", args=[project.slug])
    assert link in engineer.get(agreement_url, {"run": str(run.pk)}).content.decode()
    assert f'href="{url_of(project)}"' in engineer.get(agreement_url).content.decode()
    EvaluationRun.objects.filter(pk=run.pk).update(scorer_version="")
    assert url_of(project) not in engineer.get(run.get_absolute_url()).content.decode()
