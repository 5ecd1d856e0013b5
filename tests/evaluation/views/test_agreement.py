"""Agreement and adjudication: figures, the rows behind them, and settling a turn."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Change, HumanLabel, Project, Role, Trajectory, User
from annotations.services import guidelines, labels
from evaluation.models import Decision, EvaluationRun, TurnVerdict
from evaluation.services import agreement
from tests.evaluation.views.test_review import make_run
from tests.factories import make_member, make_project, report_trajectory
from tests.people import client_of

pytestmark = pytest.mark.django_db

GOOD, BAD = report_trajectory(), report_trajectory(metric="profit", total=34)


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


def say(user: User, trajectory: Trajectory, turn: str, verdict: str, **more: Any) -> HumanLabel:
    return labels.save(
        trajectory=trajectory, path="main", turn_key=turn, by=user, seen_revision=0, verdict=verdict, **more
    )


def trajectories(run: EvaluationRun) -> list[Trajectory]:
    return [item.trajectory for item in run.items.order_by("position")]


def decide_url(run: EvaluationRun, position: int, turn: int) -> str:
    return reverse("evaluation:adjudicate", args=[run.pk, position, turn])


def decide(client: Client, run: EvaluationRun, turn: int, *, seen: int = 0, **fields: Any) -> Any:
    data = {"verdict": "pass", "reason": "because", "seen_revision": seen, **fields}
    return client.post(decide_url(run, 1, turn), data)


def test_figures_are_those_of_the_pairs(project: Project) -> None:
    run = make_run(project, bodies=[GOOD, BAD])
    ana = make_member(project)
    good, bad = trajectories(run)
    for turn in ("g1", "g2", "g3"):
        say(ana, good, turn, "pass")
    say(ana, bad, "g1", "pass")
    say(ana, bad, "g2", "fail", attribution="root", truthfulness="fail", structural="pass")
    say(ana, bad, "g3", "pass")  # the machine says cascade
    say(ana, bad, "g4", "unsure")
    found = agreement.report([run]).agreements
    verdicts = found["turn_verdict"]
    assert verdicts.n == 6
    assert verdicts.raw_agreement.value == pytest.approx(5 / 6)
    assert verdicts.excluded == {"human label: unsure": 1}
    assert verdicts.confusion.counts["fail"] == {"pass": 1, "fail": 1}
    assert found["attribution"].n == 1
    assert found["structural"].n == 1
    assert found["structural"].pearson.value is None
    assert found["structural"].pearson.reason == "too few (1)"


def test_no_variation_is_said_and_is_null_in_json(project: Project) -> None:
    """G17 on the page: 40 turns pass for the machine, people fail 2 of them."""
    run = make_run(project, bodies=[GOOD] * 8)
    ana = make_member(project)
    for number, trajectory in enumerate(trajectories(run)):
        for turn in ("g1", "g2", "g3", "g4", "g5"):
            failed = number == 0 and turn in ("g1", "g2")
            say(ana, trajectory, turn, "fail" if failed else "pass")
    page = client_of(make_member(project, Role.ENGINEER)).get(reverse("evaluation:agreement", args=[project.slug]))
    text = page.content.decode()
    assert "not defined (no variation in the automatic label)" in text
    assert "n = 40" in text
    assert "NaN" not in text
    report = page.context["report"].as_json()["machine_and_people"]["turn_verdict"]
    assert report["n"] == 40
    assert report["raw_agreement"]["value"] == 0.95
    assert report["pearson"]["value"] is None
    assert report["spearman"]["reason"] == "not defined (no variation in the automatic label)"


def test_every_number_opens_the_rows_behind_it(project: Project) -> None:
    run = make_run(project, bodies=[GOOD, BAD])
    ana = make_member(project)
    good, bad = trajectories(run)
    say(ana, good, "g1", "pass")
    say(ana, bad, "g3", "pass")
    rows = reverse("evaluation:agreement-rows", args=[project.slug])
    client = client_of(make_member(project, Role.OWNER))
    page = client.get(rows, {"sub_metric": "turn_verdict", "machine": "fail", "human": "pass"})
    assert [row["turn"].turn_key for row in page.context["rows"]] == ["g3"]
    assert f"{run.items.get(trajectory=bad).get_absolute_url()}?turn=3" in page.content.decode()
    assert len(client.get(rows, {"sub_metric": "turn_verdict"}).context["rows"]) == 2
    assert client.get(rows, {"sub_metric": "luck"}).status_code == 404
    assert client.get(rows, {"run": "luck"}).status_code == 404
    assert client.get(rows, {"reference": "99999"}).status_code == 404


def test_one_person_or_the_final_label_is_the_reference(project: Project) -> None:
    run = make_run(project, bodies=[GOOD])
    ana, ben = make_member(project), make_member(project)
    (good,) = trajectories(run)
    say(ana, good, "g1", "pass")
    say(ben, good, "g1", "fail")
    assert agreement.report([run]).agreements["turn_verdict"].n == 0  # they differ and nobody decided
    assert agreement.report([run], reference=str(ben.pk)).agreements["turn_verdict"].raw_agreement.value == 0
    decide(client_of(make_member(project, Role.ADJUDICATOR)), run, 1)
    final = agreement.report([run])
    assert final.agreements["turn_verdict"].raw_agreement.value == 1
    assert final.people.ceiling["turn_verdict"].raw_agreement.value == 0


def test_a_stray_label_on_another_path_is_counted_and_not_compared(project: Project) -> None:
    run = make_run(project, bodies=[GOOD])
    (good,) = trajectories(run)
    labels.save(
        trajectory=good, path="elsewhere", turn_key="g1", by=make_member(project), seen_revision=0, verdict="pass"
    )
    found = agreement.report([run]).agreements["turn_verdict"]
    assert found.n == 0
    assert found.excluded == {"automatic label: not scored": 1}


def test_blinded_annotators_see_no_agreement_and_no_adjudication() -> None:
    project = make_project(is_blind=True)
    client = client_of(make_member(project))
    for name in ("evaluation:agreement", "evaluation:agreement-rows", "evaluation:adjudication-list"):
        assert client.get(reverse(name, args=[project.slug])).status_code == 403


def test_what_is_ambiguous_or_contradicted_goes_to_people_and_leaves_when_decided(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    (bad,) = trajectories(run)
    ana, ben = make_member(project), make_member(project)
    say(ana, bad, "g1", "pass")  # agrees
    say(ana, bad, "g2", "pass")  # contradicts the machine
    say(ana, bad, "g3", "fail", attribution="cascade")
    say(ben, bad, "g3", "fail", attribution="root")  # people differ, on where it started
    TurnVerdict.objects.filter(turn_no=5).update(ambiguous=True)
    client = client_of(make_member(project, Role.ADJUDICATOR))
    url = reverse("evaluation:adjudication-list", args=[project.slug])

    def listed(**query: str) -> list[tuple[int, tuple[str, ...]]]:
        return [(entry.verdict.turn_no, entry.reasons) for entry in client.get(url, query).context["page"]]

    assert listed() == [
        (3, ("people differ", "people and machine differ")),
        (2, ("people and machine differ",)),
        (5, ("ambiguous",)),
    ]
    assert listed(reason="ambiguous") == [(5, ("ambiguous",))]
    response = decide(client, run, 3, verdict="fail", attribution="cascade", cascade_of=["g2"])
    assert response["Location"] == decide_url(run, 1, 2)  # on to the next
    assert [turn for turn, _ in listed()] == [2, 5]
    assert [turn for turn, _ in listed(state="decided")] == [3]


def test_who_narrowed_the_list_to_a_reason_goes_on_with_that_reason(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    (bad,) = trajectories(run)
    say(make_member(project), bad, "g2", "pass")  # weighs more than a doubt
    TurnVerdict.objects.filter(turn_no__gte=4).update(ambiguous=True)
    client = client_of(make_member(project, Role.ADJUDICATOR))
    url, kept = reverse("evaluation:adjudication-list", args=[project.slug]), f"?run={run.pk}&reason=ambiguous"
    listed = client.get(url + kept).content.decode()
    assert f'{decide_url(run, 1, 4)}{kept.replace("&", "&amp;")}"' in listed
    page = client.get(decide_url(run, 1, 4) + kept).content.decode()
    assert f'action="{decide_url(run, 1, 4)}{kept.replace("&", "&amp;")}"' in page
    assert f'{reverse("evaluation:item-detail", args=[run.pk, 1])}?turn=4"' in page
    data = {"verdict": "pass", "reason": "because", "seen_revision": 0}
    following = client.post(decide_url(run, 1, 4) + kept, data)["Location"]
    assert following == decide_url(run, 1, 5) + kept
    assert client.post(following, data)["Location"] == url + kept


def test_answers_are_anonymous_and_the_machine_comes_last(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    (bad,) = trajectories(run)
    ana = make_member(project)
    ana.display_name = "Ana Visible"
    ana.save()
    say(ana, bad, "g2", "pass", comment="as I read it")
    page = client_of(make_member(project, Role.ADJUDICATOR)).get(decide_url(run, 1, 2)).content.decode()
    assert "as I read it" in page
    assert "Ana Visible" not in page
    assert page.index("Person 1") < page.index(">Machine<")


def test_a_decision_needs_a_reason_and_settles(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    client = client_of(make_member(project, Role.ADJUDICATOR))
    assert decide(client, run, 2, reason="  ").status_code == 422
    assert decide(client, run, 2, verdict="unsure").status_code == 422
    assert not Decision.objects.exists()
    assert decide(client, run, 2).status_code == 302
    late = decide(client, run, 2, reason="mine is better")
    assert late.status_code == 409
    assert "mine is better" in late.content.decode()
    assert decide(client, run, 2, seen=1, reason="mine is better").status_code == 302
    assert Decision.objects.get().reason == "mine is better"
    client.post(reverse("evaluation:decision-take-back", args=[run.pk, 1, 2]))
    assert not Decision.objects.exists()
    actions = Change.objects.filter(subject_type="decision").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["decision.saved", "decision.saved", "decision.taken_back"]


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ENGINEER])
def test_others_do_not_decide(project: Project, role: str) -> None:
    run = make_run(project, bodies=[BAD])
    assert decide(client_of(make_member(project, role)), run, 2).status_code == 403


def test_empty_pages_say_what_is_missing(project: Project) -> None:
    client = client_of(make_member(project, Role.OWNER))
    agreement_url = reverse("evaluation:agreement", args=[project.slug])
    assert "No run has finished yet" in client.get(agreement_url).content.decode()
    make_run(project)
    assert "Nobody has labelled" in client.get(agreement_url).content.decode()
    listed = client.get(reverse("evaluation:adjudication-list", args=[project.slug])).content.decode()
    assert "Nothing is left to settle" in listed


def test_the_number_of_queries_does_not_grow_with_labels(project: Project) -> None:
    client = client_of(make_member(project, Role.OWNER))
    names = ("evaluation:agreement", "evaluation:agreement-rows", "evaluation:adjudication-list")
    counts = []
    for bodies in ([BAD], [BAD, GOOD] * 6):
        run = make_run(project, bodies=bodies)
        ana, ben = make_member(project), make_member(project)
        for trajectory in trajectories(run):
            for turn in ("g1", "g2", "g3"):
                say(ana, trajectory, turn, "pass")
                say(ben, trajectory, turn, "fail")
        row = []
        for name in names:
            url = reverse(name, args=[project.slug])
            with CaptureQueriesContext(connection) as queries:
                assert client.get(url, {"run": str(run.pk)}).status_code == 200
            row.append(len(queries))
        counts.append(row)
    assert counts[0] == counts[1]


def test_pictures_show_scores_and_intervals_and_their_links_open_turns(project: Project) -> None:
    run = make_run(project, bodies=[GOOD, BAD])
    ana = make_member(project)
    good, bad = trajectories(run)
    say(ana, good, "g2", "pass", truthfulness="pass")
    say(ana, bad, "g2", "fail", attribution="root", truthfulness="fail")
    client = client_of(make_member(project, Role.ENGINEER))
    text = client.get(reverse("evaluation:agreement", args=[project.slug])).content.decode()
    assert text.count('class="chart chart-bars"') == 2
    assert 'class="chart chart-strip"' in text
    turn = f"{reverse('evaluation:item-detail', args=[run.pk, 2])}?turn=2"
    assert f'<a href="{turn}" tabindex="-1">' in text
    assert client.get(turn).status_code == 200


def test_answers_name_turns_by_number_and_reasons_in_words(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    ana, carla = make_member(project), make_member(project, Role.ADJUDICATOR)
    label = say(ana, trajectories(run)[0], "g3", "fail", attribution="cascade", cascade_of=["g2"])
    HumanLabel.objects.filter(pk=label.pk).update(failure_reason="prior_action_failed")  # as an import may bring it
    text = client_of(carla).get(decide_url(run, 1, 3)).content.decode()
    assert "of turn 2" in text
    assert "Earlier action failed" in text


def test_a_reason_becomes_an_example_with_one_click_and_stands_beside_the_choice(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    client = client_of(make_member(project, Role.ADJUDICATOR))
    fields: dict[str, Any] = {
        "verdict": "fail",
        "failure_reason": "missing_parameters",
        "attribution": "root",
        "reason": "No region.",
    }
    decide(client, run, 2, **fields)
    assert "Make this an example" in client.get(decide_url(run, 1, 2)).content.decode()
    url = reverse("evaluation:decision-example", args=[run.pk, 1, 2])
    assert client.post(url).status_code == 302
    (example,) = project.guidelines.get().examples.all()
    assert (example.reason, example.verdict, example.why) == ("missing_parameters", "fail", "No region.")
    assert (example.trajectory, example.turn_key) == (run.items.get(position=1).trajectory, "g2")
    client.post(url)  # a second click changes nothing
    assert project.guidelines.count() == 1
    page = client.get(decide_url(run, 1, 2)).content.decode()
    assert "Examples: Missing parameters (1)" in page
    assert "example of the guideline</a>" in page
    review_page = client.get(reverse("evaluation:item-detail", args=[run.pk, 1]) + "?turn=3").content.decode()
    assert "All examples of the guideline (1)" in review_page
    decide(client, run, 3, verdict="pass", reason="It says so.", as_example="on")
    newest = project.guidelines.get(number=2).examples.all()
    assert [row.reason for row in newest] == ["missing_parameters", "passes"]
    decide(client, run, 4, verdict="pass", reason="", as_example="on")
    assert project.guidelines.count() == 2


def test_a_label_made_under_an_older_version_says_so(project: Project) -> None:
    run = make_run(project, bodies=[BAD])
    ana = make_member(project, Role.ADJUDICATOR)
    guidelines.add_example(project=project, by=ana, reason="general", text="One")
    trajectory = run.items.get(position=1).trajectory
    labels.save(trajectory=trajectory, path="main", turn_key="g2", by=ana, seen_revision=0, verdict="pass")
    url = reverse("evaluation:item-detail", args=[run.pk, 1]) + "?turn=2"
    assert "Made under version" not in client_of(ana).get(url).content.decode()
    guidelines.add_example(project=project, by=ana, reason="general", text="Two")
    headers: list[dict[str, str]] = [{}, {"HX-Request": "true"}]
    for asked in headers:
        page = client_of(ana).get(url, headers=asked).content.decode()
        assert "Made under version 1 of the guideline; version 2 is in force" in page
