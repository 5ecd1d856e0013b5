"""A run with a judge, against a real server: what is asked, what is not scored, what is tried again."""

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotations.access import get_viewer
from annotations.models import Role
from annotations.services.errors import NotAllowedNowError
from evaluation.models import Answer, EvaluationRun, JudgeUse, RunState, TurnVerdict, Verdict
from evaluation.services import judging, policies, review, runs, scoring, trials
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_run,
    make_trajectory,
    score_run,
)
from tests.judges import make_judge
from tests.misbehaving import Endpoint, content, says
from tests.people import api_of, client_of

pytestmark = pytest.mark.django_db(transaction=True)

GOLDEN: dict[str, Any] = {
    "paths": [
        {
            "id": "main",
            "turns": [
                {"id": "u1", "user": "Note it."},
                {"id": "g1", "tool": "note", "params": {"topic": {"value": "the roof leaks"}}},
            ],
        }
    ]
}


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    found = Endpoint()
    yield found
    found.close()


Judged = Callable[..., EvaluationRun]


@pytest.fixture
def judged(endpoint: Endpoint) -> Judged:
    """Plans and scores a run with a judge over one conversation, a trajectory for each topic."""

    def run(*topics: str, **settings: Any) -> EvaluationRun:
        project = make_project()
        make_judge(endpoint, project, **settings)
        dataset = make_dataset(project)
        conversation = make_conversation(dataset, language="en")
        record = make_golden_record(conversation, golden=GOLDEN)
        for number, topic in enumerate(topics):
            body = {"turns": [{"user": "Note it."}, {"tool": "note", "args": {"topic": topic}}]}
            make_trajectory(conversation, trial=number, body=body)
        policy = policies.create(project=project, name="judged", body={"scorer": "judge"}, by=None)
        return make_run(make_dataset_version(dataset, records=[record]), policy=policy)

    return run


def passed(run: EvaluationRun) -> list[bool | None]:
    rows = TurnVerdict.objects.filter(verdict__item__run=run).order_by("verdict__item__position")
    return [row.passed for row in rows]


def test_a_judge_alone_decides_and_a_second_run_asks_nothing(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.next(says("equal"), says("different"))
    run = judged("water comes in", "the roof is new", "water comes in", "the roof leaks")
    assert passed(run) == [True, False, True, True]
    assert len(endpoint.asked) == 2
    assert run.effort["judge"]["asked"] == 2
    assert run.effort["judge"]["tokens_in"] == 200
    item = TurnVerdict.objects.filter(verdict__item__run=run).order_by("verdict__item__position")[0].detail["items"][1]
    assert (item["scorer"], item["layer"], item["score"]) == ("judge", "judge", 1.0)

    again = make_run(run.dataset_version, policy=run.policy)
    assert passed(again) == [True, False, True, True]
    assert len(endpoint.asked) == 2
    assert again.effort["judge"]["asked"] == 0
    assert again.effort["judge"]["from_cache"] >= 2  # once a chunk


def test_only_what_the_offline_layers_leave_open_is_asked(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.always = says("equal")
    run = judged("the roof does not leak", "the roof leaks badly", use="ambiguous")
    assert [asked.material["second"] for asked in endpoint.asked] == ["the roof leaks badly"]
    assert passed(run) == [False, True]


def test_five_answers_of_which_two_can_be_read(endpoint: Endpoint, judged: Judged) -> None:
    """Not scored is no score: the rate is that of the readable ones, the number of the others stands beside it."""
    bad = [content("not JSON"), content('{"reason": "x"}'), content('{"reason": "x", "label": "NaN"}')]
    endpoint.next(says("equal"), says("different"), *[one for one in bad for _ in range(3)])
    run = judged("one thing", "two things", "three things", "four things", "five things")
    assert passed(run) == [True, False, None, None, None]
    everything = run.summary["all"]
    assert (everything["evaluated"], everything["passed"], everything["success_rate"]) == (2, 1, 0.5)
    assert (run.summary["not_scored_turns"], everything["turns_not_scored"], everything["judged"]) == (3, 3, 2)
    assert run.summary["sub_metrics"]["truthfulness"] == {"mean": 0.5, "n": 2, "full": 1}
    assert [verdict.not_scored for verdict in Verdict.objects.filter(item__run=run).order_by("item__position")] == [
        0,
        0,
        1,
        1,
        1,
    ]
    before = len(endpoint.asked)

    endpoint.always = says("equal")
    assert runs.score_unscored(run=run) == 3
    score_run(run)
    assert passed(run) == [True, False, True, True, True]
    assert sorted(asked.material["second"] for asked in endpoint.asked[before:]) == [
        "five things",
        "four things",
        "three things",
    ]
    assert run.summary["not_scored_turns"] == 0
    with pytest.raises(NotAllowedNowError, match="without a score"):
        runs.score_unscored(run=run)


def test_a_spent_budget_leaves_turns_open_and_more_of_it_finishes_the_run(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.always = says("equal")
    run = judged(*[f"thing number {word}" for word in ("one", "two", "three", "four")], budget={"tokens": 200})
    assert run.state == RunState.DONE
    open_turns = passed(run).count(None)
    assert 0 < open_turns < 4
    detail = TurnVerdict.objects.filter(verdict__item__run=run, passed=None)[0].detail
    assert "budget" in detail["sentence"]
    judging.set_budget(run=run, tokens=None, money=None, by=None)
    runs.score_unscored(run=run)
    score_run(run)
    assert passed(run) == [True] * 4
    assert len(endpoint.asked) == 4


def test_the_pages_say_that_the_budget_is_spent_and_what_to_do(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.always = says("equal")
    topics = [f"thing number {word}" for word in ("one", "two", "three", "four")]
    run = judged(*topics, budget={"tokens": 200})
    left = passed(run).count(None)
    owner = client_of(make_member(run.project, Role.OWNER))
    judges_page = reverse("evaluation:judge-list", args=[run.project.slug])
    budget_page = reverse("evaluation:run-judge", args=[run.pk])

    def text(client: Any, address: str) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", unescape(client.get(address).content.decode())).split())

    said = f"240 of 200 tokens, cost not known . Left: 0 tokens . {left} turns were left not scored because of it."
    for page in (text(owner, run.get_absolute_url()), text(owner, budget_page)):
        assert "The budget for the judge is spent." in page
        assert said.replace(" .", ".") in page.replace(" .", ".")
    assert "Set another budget , then try them again." in text(owner, run.get_absolute_url())
    assert f"budget spent standard 1 240 tokens cost not known 0 tokens {left} Set another budget" in text(
        owner, judges_page
    )
    engineer = client_of(make_member(run.project, Role.ENGINEER))
    assert "An owner can set another budget; then they can be tried again." in text(engineer, run.get_absolute_url())
    effort = api_of(make_member(run.project, Role.OWNER)).get(f"runs/{run.pk}/judge/").data
    assert (effort["is_spent"], effort["left"]["tokens"], effort["turns_left"]) == (True, 0, left)

    owner.post(budget_page, {"tokens": "100000", "money": ""})
    page = text(engineer, run.get_absolute_url())
    assert "was spent, and there is some now" in page
    assert "Left: 99,760 tokens" in page
    runs.score_unscored(run=run)
    score_run(run)
    assert "The budget for the judge" not in text(engineer, run.get_absolute_url())
    assert "budget spent" not in text(engineer, judges_page)

    project = run.project
    project.is_blind = True
    project.save()
    JudgeUse.objects.update(token_limit=1)
    blinded = client_of(make_member(project))
    for address in (run.get_absolute_url(), reverse("evaluation:run-progress", args=[run.pk]), judges_page):
        assert "spent" not in text(blinded, address), "how much was left open tells of verdicts"


def test_a_judge_that_is_asked_otherwise_makes_its_runs_out_of_date(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.always = says("equal")
    run = judged("one thing")
    make_judge(endpoint, run.project, budget={"tokens": 10_000}, requests_a_minute=7)
    assert not runs.staleness(run), "what it may cost and how fast it is asked moves no verdict"
    make_judge(endpoint, run.project, model="another")
    assert runs.staleness(run).scorer_changes == ("The judge is asked otherwise: standard 1 then, standard 3 now.",)


def test_the_review_page_says_what_was_stored_and_asks_nothing(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.next(says("equal"), *[content("no")] * 3)
    run = judged("one thing", "two things")
    before = len(endpoint.asked)
    first, second = run.items.order_by("position")
    assert review._explained(first, first.verdict)[0][1]["passed"] is True
    explained = review._explained(second, second.verdict)[0][1]
    assert explained["passed"] is None
    assert len(endpoint.asked) == before


def test_a_policy_that_asks_a_judge_needs_one() -> None:
    project = make_project()
    dataset = make_dataset(project)
    conversation = make_conversation(dataset)
    record = make_golden_record(conversation, golden=GOLDEN)
    make_trajectory(conversation)
    policy = policies.create(project=project, name="judged", body={"scorer": "judge"}, by=None)
    version = make_dataset_version(dataset, records=[record])
    with pytest.raises(NotAllowedNowError, match="judge"):
        runs.plan(project=project, dataset_version=version, policy=policy, by=None)
    assert not EvaluationRun.objects.exists()


def test_the_page_offers_to_try_again(endpoint: Endpoint, judged: Judged, client: Any) -> None:
    endpoint.next(*[content("no")] * 3)
    run = judged("one thing")
    client.force_login(make_member(run.project, Role.ENGINEER))
    page = client.get(run.get_absolute_url()).content.decode()
    assert "No scorer could judge 1 turn" in page
    assert reverse("evaluation:run-unscored", args=[run.pk]) in page
    client.post(reverse("evaluation:run-unscored", args=[run.pk]))
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    assert passed(score_run(run)) == [True]
    assert "No scorer could judge" not in client.get(run.get_absolute_url()).content.decode()


def test_what_would_be_judged_otherwise_is_not_offered_again(
    endpoint: Endpoint, judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.next(*[content("no")] * 3)
    run = judged("one thing")
    engineer = client_of(make_member(run.project, Role.ENGINEER))
    address = f'action="{reverse("evaluation:run-unscored", args=[run.pk])}"'
    assert address in engineer.get(run.get_absolute_url()).content.decode()
    monkeypatch.setattr("evaluation.evaluators.embedded.scorer.RULES", "99")
    page = engineer.get(run.get_absolute_url()).content.decode()
    assert address not in page
    assert "It cannot be tried again in this run" in page


@pytest.mark.parametrize(
    "more",
    [
        {"forbidden": [{"tool": "note", "params": {"topic": {"value": "a secret"}}}]},
        {"outcome": [{"id": "o", "kind": "called", "tool": "note", "params": {"topic": {"value": "a secret"}}}]},
    ],
)
def test_what_is_open_beside_the_turns_is_tried_again(endpoint: Endpoint, more: dict[str, Any]) -> None:
    endpoint.always = content("no")
    project = make_project()
    make_judge(endpoint, project)
    conversation = make_conversation(make_dataset(project), language="en")
    record = make_golden_record(conversation, golden=GOLDEN | more)
    body = {"turns": [{"user": "Note it."}, {"tool": "note", "args": {"topic": "the roof leaks"}}]}
    make_trajectory(conversation, body=body)
    policy = policies.create(project=project, name="judged", body={"scorer": "judge"}, by=None)
    run = make_run(make_dataset_version(conversation.dataset, records=[record]), policy=policy)

    def judged_parts() -> list[bool | None]:
        verdict = Verdict.objects.get(item__run=run)
        return [verdict.test_pass, *(one["passed"] for one in verdict.outcome)]

    assert None in judged_parts()
    engineer = client_of(make_member(project, Role.ENGINEER))
    page = engineer.get(run.get_absolute_url()).content.decode()
    assert f'action="{reverse("evaluation:run-unscored", args=[run.pk])}"' in page
    part = "1 outcome." if "outcome" in more else "whether a call was forbidden in 1 trajectory."
    assert f"No scorer could judge 1 turn and {part}" in page or f"No scorer could judge {part}" in page
    for result in ("left_open", *(["unknown"] if "forbidden" in more else [])):
        listed = engineer.get(reverse("evaluation:run-items", args=[run.pk]), {"result": result})
        assert [item.position for item in listed.context["page"]] == [1]
        over_api = api_of(make_member(project, Role.ENGINEER)).get(f"runs/{run.pk}/items/?result={result}")
        assert [item["position"] for item in over_api.data["results"]] == [1]
    endpoint.always = says("different")
    assert runs.score_unscored(run=run) == 1
    score_run(run)
    assert None not in judged_parts()
    assert "No scorer could judge" not in engineer.get(run.get_absolute_url()).content.decode()
    with pytest.raises(NotAllowedNowError, match="without a score"):
        runs.score_unscored(run=run)


def test_the_review_of_a_run_whose_answers_are_gone_shows_what_was_stored(endpoint: Endpoint, judged: Judged) -> None:
    run = judged("water comes in")
    Answer.objects.all().delete()
    viewer = get_viewer(make_member(run.project, Role.ENGINEER), run.project)
    turn = review.build(run.items.get(), viewer).turns[0]
    assert turn.verdict is not None
    assert turn.detail is not None
    assert (turn.verdict.passed, turn.detail["passed"]) == (True, True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each call gave or refused, in threads of their own that begin together."""
    begun = threading.Barrier(len(calls))

    def one(call: Callable[[], Any]) -> Any:
        begun.wait()
        try:
            return call()
        except NotAllowedNowError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(one, call) for call in calls]]


def test_people_and_workers_at_a_run_at_the_same_time(endpoint: Endpoint, judged: Judged) -> None:
    endpoint.always = content("no")
    run = judged("one thing", "two things", "three things", "four things")
    asked = len(endpoint.asked)
    endpoint.always = says("equal")

    def fresh() -> EvaluationRun:
        return EvaluationRun.objects.get(pk=run.pk)

    def work() -> None:
        while scoring.work(worker="test"):
            pass
        scoring.finish(now=timezone.now())

    pressed = at_once(*[lambda: runs.score_unscored(run=fresh()) for _ in range(4)])
    assert [one for one in pressed if not isinstance(one, NotAllowedNowError)] == [4]
    at_once(work, work, lambda: runs.stop(run=fresh()), work)
    if fresh().state == RunState.STOPPED:
        pressed = at_once(*[lambda: runs.resume(run=fresh()) for _ in range(3)])
        assert sum(one is None for one in pressed) == 1
        work()
    run.refresh_from_db()
    assert (run.state, passed(run)) == (RunState.DONE, [True] * 4)
    assert (run.summary["not_scored_turns"], run.summary["all"]["passed"]) == (0, 4)
    assert len(endpoint.asked) - asked == 4


def test_each_golden_record_is_judged_by_its_own_scorer(endpoint: Endpoint) -> None:
    """Exact, embedded and judge side by side in a run, and a trial of its policy afterwards says the same."""
    endpoint.always = says("equal")
    project = make_project()
    make_judge(endpoint, project)
    dataset = make_dataset(project)
    records = []
    for own in ("exact", "embedded", "judge", None):
        conversation = make_conversation(dataset, language="en")
        own_policy = {} if own is None else {"scorer": own}
        records.append(make_golden_record(conversation, golden=GOLDEN, policy=own_policy))
        for number, topic in enumerate(("the roofs leak", "rain comes in")):
            body = {"turns": [{"user": "Note it."}, {"tool": "note", "args": {"topic": topic}}]}
            make_trajectory(conversation, trial=number, body=body)
    version = make_dataset_version(dataset, records=records)
    run = make_run(version)
    scorers = {
        row.verdict.item.position: next(item for item in row.detail["items"] if item["field"] == "topic")["scorer"]
        for row in TurnVerdict.objects.filter(verdict__item__run=run).select_related("verdict__item")
    }
    assert [scorers[position] for position in range(1, 9)] == [
        *["exact", "exact"],
        *["embedded", "embedded"],
        *["judge", "judge"],
        *["exact", "exact"],
    ]
    assert passed(run)[4:] == [True, True, False, False]
    assert len(endpoint.asked) == 2

    trial = trials.begin(run=run, body={"scorer": "judge"}, name="d", seen_number=0, by=None, now=timezone.now())
    while trials.work(trial.pk, now=timezone.now()):
        pass
    trial.refresh_from_db()
    policy = policies.create(project=project, name="judged", body={"scorer": "judge"}, by=None)
    after = make_run(version, policy=policy)
    assert len(endpoint.asked) == 2
    assert trials.side(trial, "after").passed == after.summary["all"]["passed"]
    assert passed(after)[6:] == [True, True]
