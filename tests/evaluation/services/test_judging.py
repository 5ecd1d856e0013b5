"""Asking a judge that behaves well, badly, or not at all; over a real connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from evaluation.evaluators.judge import JudgeScorer, Outcome, Question
from evaluation.formats import jsonio
from evaluation.models import Answer, EvaluationRun, JudgeGate, JudgeSettings, JudgeSlot, JudgeUse
from evaluation.services import judge_limits, judges, judging
from tests import misbehaving
from tests.factories import make_run
from tests.judges import make_judge, questions
from tests.misbehaving import Behaviour, Endpoint, content, says, status

pytestmark = pytest.mark.django_db

Q = Question.of_values("New York City", "NYC", field="city")


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    found = Endpoint()
    yield found
    found.close()


def ask_one(judge: JudgeSettings, question: Question = Q, **more: Any) -> Outcome:
    (outcome,) = judging.ask([question], settings=judge, **more).values()
    return outcome


def effort_of(run: EvaluationRun) -> dict[str, Any]:
    found = judging.effort(run)
    assert found is not None
    return found


# --- an endpoint that behaves ---


def test_a_question_is_asked_and_scored(endpoint: Endpoint) -> None:
    outcome = ask_one(make_judge(endpoint))
    assert outcome.score == 1
    assert outcome.sentence == "The judge says equal: Both name it."
    (asked,) = endpoint.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.material == {"parameter": "city", "first": "New York City", "second": "NYC"}
    assert (asked.mode, asked.body["temperature"], asked.body["seed"]) == ("json_schema", 0, 1)


def test_the_answer_is_kept_with_what_it_took(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint, prices={"in": Decimal("0.25"), "out": Decimal(2)})
    ask_one(judge)
    kept = Answer.objects.get()
    assert (kept.scorer, kept.state, kept.tokens_in, kept.tokens_out) == ("judge", "answered", 100, 20)
    assert kept.cost == Decimal("0.000065")
    assert kept.question["expected"] == '"New York City"'
    assert kept.raw[0]["reply"] == '{"reason": "Both name it.", "label": "equal"}'


def test_what_was_answered_is_not_asked_again(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    first = judging.ask(questions(5), settings=judge)
    endpoint.asked.clear()
    assert judging.ask(questions(5), settings=judge) == first
    assert endpoint.asked == []


def test_a_question_that_comes_twice_is_asked_once(endpoint: Endpoint) -> None:
    judging.ask([Q, Q, *questions(1), Q], settings=make_judge(endpoint))
    assert len(endpoint.asked) == 2


def test_another_project_does_not_see_the_answer(endpoint: Endpoint) -> None:
    ask_one(make_judge(endpoint))
    ask_one(make_judge(endpoint))
    assert len(endpoint.asked) == 2


def test_another_model_is_asked_anew(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    ask_one(judge)
    ask_one(make_judge(endpoint, judge.project, model="other"))
    assert len(endpoint.asked) == 2


def test_the_scorer_names_what_to_ask_and_takes_what_came(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    outcomes: dict[str, Outcome] = {}
    scorer = JudgeScorer(outcomes, fingerprint=judges.read(judge.body).fingerprint)
    half = Fraction(1, 2)
    assert scorer.compare("New York City", "NYC", field="city", threshold=half).score is None
    outcomes |= judging.ask(scorer.pending.values(), settings=judge)
    assert scorer.compare("New York City", "NYC", field="city", threshold=half).score == 1


def test_a_claim_is_asked_with_its_reply(endpoint: Endpoint) -> None:
    endpoint.always = says("contradicted", quote="It is 13.")
    outcome = ask_one(make_judge(endpoint), Question.of_claim("The total is 12.", "It is 13."))
    assert outcome.score == 0
    assert (outcome.label, outcome.quote) == ("contradicted", "It is 13.")
    assert endpoint.asked[0].material == {"claim": "The total is 12.", "reply": "It is 13."}


# --- votes ---


def test_votes_are_counted_and_a_split_is_ambiguous(endpoint: Endpoint) -> None:
    endpoint.next(says("equal"), says("different"), says("equal"))
    outcome = ask_one(make_judge(endpoint, votes=3))
    assert (outcome.score, outcome.label, outcome.is_split) == (Fraction(2, 3), "equal", True)
    assert [asked.body["seed"] for asked in endpoint.asked] == [1, 2, 3]


def test_a_panel_gives_a_result_from_those_that_answered(endpoint: Endpoint) -> None:
    endpoint.next(says("equal"), *[content("no idea")] * 3, says("equal"))
    outcome = ask_one(make_judge(endpoint, votes=3))
    assert outcome.score == 1
    assert not outcome.is_split
    assert "1 of 3 could not be read" in outcome.sentence


def test_below_the_quorum_nothing_is_scored_and_a_retry_asks_only_the_missing_votes(endpoint: Endpoint) -> None:
    endpoint.next(says("equal"), *[content("no idea")] * 6)
    judge = make_judge(endpoint, votes=3)
    run = make_run()
    assert ask_one(judge, run=run).score is None
    assert len(endpoint.asked) == 7
    endpoint.asked.clear()
    judging.retry(run=run, now=timezone.now())
    assert ask_one(judge, run=run).score == 1
    assert sorted(asked.body["seed"] for asked in endpoint.asked) == [2, 3]


def test_more_votes_ask_only_for_those_that_are_missing(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    ask_one(judge)
    outcome = ask_one(make_judge(endpoint, judge.project, votes=3))
    assert len(outcome.votes) == 3
    assert len(endpoint.asked) == 3


# --- endpoints that misbehave ---

BAD: dict[str, tuple[Behaviour, str]] = {
    "text": (content("They are equal."), "the reply is not JSON"),
    "no label": (content('{"reason": "x"}'), "the reply has no label"),
    "unknown label": (content('{"reason": "x", "label": "NaN"}'), "the label is none of"),
    "NaN": (content('{"reason": "x", "label": NaN}'), "the reply is not JSON"),
    "empty": (content(""), "the reply is empty"),
    "null": (content(None), "what came holds no reply"),
    "parts": (content([{"type": "text"}]), "what came holds no reply"),
    "refusal": (content(None, refusal="I cannot."), "the model refuses to answer"),
    "no choices": (misbehaving.body(b'{"choices": []}'), "what came holds no reply"),
    "choices of another kind": (misbehaving.body(b'{"choices": [7]}'), "what came holds no reply"),
    "a list": (misbehaving.body(b"[]"), "what came holds no reply"),
    "html": (misbehaving.body(b"<html>secret</html>", kind="text/html"), "what came is not JSON"),
    "bytes": (misbehaving.body(b"\xff\xfe\x00\x00"), "what came is not JSON"),
    "nothing": (misbehaving.body(b""), "what came is not JSON"),
    "deep": (misbehaving.body(b"[" * 60_000), "what came is not JSON"),
    "huge": (misbehaving.huge, "the answer is larger than 256 kB"),
    "packed": (misbehaving.body(b"\x1f\x8b", Content_Encoding="gzip"), "the answer is packed"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_read_is_asked_again_twice_and_then_not_scored(endpoint: Endpoint, kind: str) -> None:
    behaviour, problem = BAD[kind]
    endpoint.always = behaviour
    outcome = ask_one(make_judge(endpoint))
    assert (outcome.state, outcome.score) == ("unreadable", None)
    assert outcome.sentence.startswith(f"Not scored: {problem}")
    assert "secret" not in outcome.sentence
    assert len(endpoint.asked) == 3
    kept = Answer.objects.get()
    assert (kept.state, kept.error, len(kept.raw)) == ("unreadable", outcome.sentence, 3)


def test_a_good_answer_of_a_wrong_type_is_read(endpoint: Endpoint) -> None:
    data = misbehaving.completion('{"reason": "x", "label": "equal"}')
    endpoint.always = misbehaving.body(data, kind="text/plain")
    assert ask_one(make_judge(endpoint)).score == 1


def test_a_reply_that_is_corrected_counts(endpoint: Endpoint) -> None:
    endpoint.next(content("equal"))
    assert ask_one(make_judge(endpoint)).score == 1
    assert "the reply is not JSON" in endpoint.asked[1].body["messages"][-1]["content"]
    kept = Answer.objects.get()
    assert (kept.tokens_in, kept.tokens_out) == (200, 40)  # both replies were paid for
    assert [bool(entry.get("problem")) for entry in kept.raw] == [True, False]


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (misbehaving.slow(30), "no answer within 1 s"),
        (misbehaving.dribble, "no answer within 1 s"),
        (misbehaving.cut_off, "the connection ended before the answer did"),
        (misbehaving.hang_up, "the connection ended before the answer did"),
        (status(500), "the endpoint has an error of its own (HTTP 500)"),
        (status(429, Retry_After="0"), "the endpoint takes no more requests now (HTTP 429)"),
    ],
)
def test_who_does_not_answer_is_tried_again(endpoint: Endpoint, behaviour: Behaviour, problem: str) -> None:
    endpoint.always = behaviour
    started = time.monotonic()
    outcome = ask_one(make_judge(endpoint, timeout_seconds=1, retries=1))
    assert (outcome.score, outcome.sentence) == (None, f"Not scored: {problem}.")
    assert len(endpoint.asked) == 2
    assert time.monotonic() - started < 8


def test_an_endpoint_that_recovers_is_scored(endpoint: Endpoint) -> None:
    endpoint.next(status(500), status(429), misbehaving.cut_off)
    assert ask_one(make_judge(endpoint, retries=3)).score == 1
    assert len(endpoint.asked) == 4
    waits = [b.at - a.at for a, b in zip(endpoint.asked, endpoint.asked[1:], strict=False)]
    assert [wait >= least for wait, least in zip(waits, (0.4, 0.9, 1.9), strict=True)] == [True] * 3


def test_it_waits_as_long_as_it_is_asked_to(endpoint: Endpoint) -> None:
    endpoint.next(status(429, Retry_After="1.5"))
    assert ask_one(make_judge(endpoint, retries=1)).score == 1
    assert endpoint.asked[1].at - endpoint.asked[0].at >= 1.5


@pytest.mark.parametrize("header", ["soon", "-5", "nan", "1e999", "Wed, 21 Oct 2015 07:28:00 GMT", "9" * 5000])
def test_a_strange_wait_is_no_reason_to_stop(endpoint: Endpoint, header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.services.judge_transport.MAX_RETRY_AFTER_SECONDS", 0.1)
    endpoint.next(status(429, Retry_After=header))
    assert ask_one(make_judge(endpoint, retries=1)).score == 1


def test_nobody_there(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    endpoint.close()
    assert ask_one(judge).sentence == "Not scored: the endpoint cannot be reached."


@pytest.mark.parametrize("code", [400, 404, 422])
def test_an_endpoint_without_schemas_is_asked_for_json(endpoint: Endpoint, code: int) -> None:
    endpoint.always = misbehaving.without("json_schema", then=says("equal"), code=code)
    outcomes = judging.ask(questions(3), settings=make_judge(endpoint))
    assert {outcome.score for outcome in outcomes.values()} == {1}
    # Only the first question finds it out.
    assert [asked.mode for asked in endpoint.asked] == ["json_schema", "json_object", "json_object", "json_object"]


def test_an_endpoint_that_knows_neither_is_asked_plainly(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.without("json_schema", "json_object", then=says("equal"))
    assert ask_one(make_judge(endpoint)).score == 1
    assert [asked.mode for asked in endpoint.asked] == ["json_schema", "json_object", ""]


def test_a_question_that_is_refused_for_itself_stops_no_other(endpoint: Endpoint) -> None:
    endpoint.next(*[status(400)] * 4)
    outcomes = list(judging.ask(questions(2), settings=make_judge(endpoint)).values())
    assert outcomes[0].sentence == "Not scored: the endpoint refuses the request (HTTP 400)."
    assert outcomes[1].score == 1


@pytest.mark.parametrize("code", [401, 403, 404])
def test_an_endpoint_that_refuses_everything_is_not_asked_everything(endpoint: Endpoint, code: int) -> None:
    endpoint.always = status(code)
    outcomes = judging.ask(questions(20), settings=make_judge(endpoint))
    assert len(outcomes) == 20
    assert {outcome.sentence for outcome in outcomes.values()} == {
        f"Not scored: the endpoint refuses the request (HTTP {code})."
    }
    assert len(endpoint.asked) <= 4
    assert not Answer.objects.filter(state="answered").exists()


def test_a_redirect_is_not_followed(endpoint: Endpoint) -> None:
    elsewhere = Endpoint()
    try:
        for code in (301, 302, 303, 307, 308):
            endpoint.always = misbehaving.redirect(f"{elsewhere.url}/x", code)
            outcome = ask_one(make_judge(endpoint))
            assert (outcome.score, outcome.cause) == (None, "refused")
            assert f"HTTP {code}" in outcome.sentence
            assert str(elsewhere.port) not in outcome.sentence
        assert elsewhere.asked == []
    finally:
        elsewhere.close()


def test_no_answer_to_five_questions_and_a_retry_that_touches_only_the_failed(endpoint: Endpoint) -> None:
    """Two valid answers, three that cannot be read and a timeout: the mean is of two, four are not scored."""
    good, bad = (
        {"value 0": "equal", "value 1": "different"},
        {
            "value 2": content("no JSON"),
            "value 3": content('{"reason": "no label"}'),
            "value 4": content('{"reason": "x", "label": "NaN"}'),
            "value 5": misbehaving.slow(30),
        },
    )

    def play(handler: misbehaving.Handler) -> None:
        first = handler.server_endpoint.asked[-1].material["first"]
        says(good[first])(handler) if first in good else bad[first](handler)

    endpoint.always = play
    run = make_run()
    judge = make_judge(endpoint, timeout_seconds=1)
    outcomes = judging.ask(questions(6), settings=judge, run=run)
    scores = [outcome.score for outcome in outcomes.values()]
    assert scores == [1, 0, None, None, None, None]
    scored = [score for score in scores if score is not None]
    assert (sum(scored) / len(scored), len(scored)) == (Fraction(1, 2), 2)
    report = effort_of(run)
    assert report["unreadable"] == 4
    assert all(outcomes[key].sentence.startswith("Not scored: ") for key in list(outcomes)[2:])
    kept = {row.question["expected"]: row for row in Answer.objects.all()}
    assert kept['"value 2"'].raw[0]["reply"] == "no JSON"
    assert kept['"value 5"'].error == "Not scored: no answer within 1 s."

    # Until somebody asks for it, nothing is tried again.
    endpoint.asked.clear()
    assert judging.ask(questions(6), settings=judge, run=run) == outcomes
    assert endpoint.asked == []

    endpoint.always = says("equal")
    judging.retry(run=run, now=timezone.now())
    again = judging.ask(questions(6), settings=judge, run=run)
    assert [outcome.score for outcome in again.values()] == [1, 0, 1, 1, 1, 1]
    assert sorted(asked.material["first"] for asked in endpoint.asked) == [f"value {n}" for n in range(2, 6)]
    assert effort_of(run) == report | {
        "unreadable": 0,
        "questions": 18,
        "asked": 10,
        "from_cache": 8,
        "requests": 16,
        "votes": 6,
        "tokens_in": report["tokens_in"] + 400,
        "tokens_out": report["tokens_out"] + 80,
    }


def test_another_run_asks_again_what_could_not_be_read(endpoint: Endpoint) -> None:
    endpoint.next(*[content("no")] * 3)
    judge = make_judge(endpoint)
    assert ask_one(judge, run=make_run()).score is None
    assert ask_one(judge, run=make_run()).score == 1
    kept = Answer.objects.get()
    assert (kept.state, len(kept.raw), kept.tokens_in) == ("answered", 4, 400)


# --- an endpoint that is down ---


def test_an_endpoint_that_is_down_is_left_alone_for_a_while(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.hang_up
    judge = make_judge(endpoint)
    outcomes = judging.ask(questions(30), settings=judge)
    assert len(endpoint.asked) == judge_limits.BREAK_AFTER
    assert all(outcome.score is None for outcome in outcomes.values())
    later = [outcome for outcome in outcomes.values() if outcome.cause == "endpoint"]
    assert len(later) == 25
    assert later[0].sentence.startswith("Not scored: the endpoint does not answer; it is asked again from ")
    assert Answer.objects.count() == 5

    endpoint.always = says("equal")
    endpoint.asked.clear()
    assert ask_one(judge).cause == "endpoint"  # other workers leave it alone too
    assert endpoint.asked == []
    JudgeGate.objects.update(closed_until=timezone.now() - timedelta(seconds=1))
    assert ask_one(judge).score == 1
    assert JudgeGate.objects.get().failures == 0


def test_new_settings_are_tried_at_once(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.hang_up
    judge = make_judge(endpoint)
    judging.ask(questions(6), settings=judge)
    endpoint.always = says("equal")
    assert ask_one(make_judge(endpoint, judge.project, timeout_seconds=6)).score == 1


# --- rate, concurrency ---


def test_requests_leave_no_faster_than_the_rate(endpoint: Endpoint) -> None:
    judging.ask(questions(6), settings=make_judge(endpoint, requests_a_minute=600, concurrency=4))
    times = [asked.at for asked in endpoint.asked]
    assert len(times) == 6
    assert times[-1] - times[0] >= 0.45  # five distances of a tenth of a second, less the server's own delay


def test_requests_are_under_way_together_up_to_the_limit(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.slow(0.3)
    judging.ask(questions(9), settings=make_judge(endpoint, concurrency=3))
    assert endpoint.most_at_once in (2, 3)  # a busy machine may not get the third out in time


def test_slots_that_others_hold_are_not_used(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.slow(0.1)
    judge = make_judge(endpoint, concurrency=3)
    gate = judge_limits.get_gate(judge)
    config = judges.read(judge.body)
    judge_limits.add_slots(gate, config)
    for _ in range(2):
        assert judge_limits.take_slot(gate, config, holder="other", now=timezone.now()) is not None
    judging.ask(questions(4), settings=judge)
    assert endpoint.most_at_once == 1
    assert JudgeSlot.objects.filter(holder="other").count() == 2


def test_a_slot_of_a_lost_worker_is_free_when_its_time_is_up(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint)
    gate, config = judge_limits.get_gate(judge), judges.read(judge.body)
    judge_limits.add_slots(gate, config)
    before = timezone.now() - timedelta(minutes=5)
    assert judge_limits.take_slot(gate, config, holder="lost", now=before) is not None
    assert ask_one(judge).score == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_share_rate_and_concurrency_and_ask_nothing_twice(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.slow(0.05)
    judge = make_judge(endpoint, concurrency=2, requests_a_minute=1200)
    found: list[dict[str, Outcome]] = []

    def work() -> None:
        try:
            found.append(judging.ask(questions(12), settings=judge))
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert len(endpoint.asked) == 12
    assert found[0] == found[1]
    assert {outcome.score for outcome in found[0].values()} == {1}
    assert endpoint.most_at_once <= 2
    assert endpoint.asked[-1].at - endpoint.asked[0].at >= 0.5


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_a_request_is_under_way(endpoint: Endpoint) -> None:
    seen: list[bool] = []
    judging.ask(questions(3), settings=make_judge(endpoint), tick=lambda: seen.append(connection.in_atomic_block))
    assert seen
    assert not any(seen)


# --- budget ---


def test_a_spent_budget_stops_the_asking(endpoint: Endpoint) -> None:
    run = make_run()
    judge = make_judge(endpoint, budget={"tokens": 500})
    outcomes = list(judging.ask(questions(10), settings=judge, run=run).values())
    # 120 tokens each: with the fifth, 600 are spent.
    assert len(endpoint.asked) == 5
    assert [outcome.score for outcome in outcomes] == [1] * 5 + [None] * 5
    assert outcomes[-1].sentence == "Not scored: the budget of 500 tokens is spent."
    assert outcomes[-1].cause == "budget"
    report = effort_of(run)
    assert (report["tokens_in"], report["tokens_out"], report["requests"]) == (500, 100, 5)

    # The same run again spends nothing; with more it goes on where it stopped.
    judging.ask(questions(10), settings=judge, run=run)
    assert len(endpoint.asked) == 5
    judging.set_budget(run=run, tokens=5000, money=None, by=None)
    again = judging.ask(questions(10), settings=judge, run=run)
    assert {outcome.score for outcome in again.values()} == {1}
    assert len(endpoint.asked) == 10


def test_money_is_counted_exactly(endpoint: Endpoint) -> None:
    run = make_run()
    prices = {"in": Decimal("0.1"), "out": Decimal("0.3")}  # 16 millionths a question
    judge = make_judge(endpoint, prices=prices, budget={"money": Decimal("0.000048")})
    outcomes = judging.ask(questions(10), settings=judge, run=run)
    assert len(endpoint.asked) == 3
    assert sum(outcome.score is None for outcome in outcomes.values()) == 7
    report = effort_of(run)
    assert report["cost"] == Decimal("0.000048")
    assert "0.000048" in list(outcomes.values())[-1].sentence


def test_requests_under_way_count_against_the_budget(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.slow(0.1)
    judge = make_judge(endpoint, concurrency=8, budget={"tokens": 100})
    judging.ask(questions(10), settings=judge, run=make_run())
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_does_not_count_reaches_the_budget_too(endpoint: Endpoint) -> None:
    endpoint.always = says("equal", tokens=None)
    run = make_run()
    judge = make_judge(endpoint, budget={"tokens": 3000}, answer_tokens=500)
    judging.ask(questions(20), settings=judge, run=run)
    assert 1 < len(endpoint.asked) < 8
    report = effort_of(run)
    assert (report["tokens_in"], report["uncounted"]) == (0, len(endpoint.asked))


def test_without_a_price_the_cost_is_unknown(endpoint: Endpoint) -> None:
    run = make_run()
    ask_one(make_judge(endpoint), run=run)
    report = effort_of(run)
    assert (report["cost"], report["tokens_in"]) == (None, 100)
    assert Answer.objects.get().cost is None
    assert jsonio.loads(jsonio.dumps(report)) == report


def test_a_published_price_is_taken_where_none_is_given(endpoint: Endpoint) -> None:
    config = judges.read({"base_url": "https://api.openai.com/v1", "model": "gpt-4o-mini"})
    from evaluation.services import judge_prices

    assert judge_prices.cost_of(config, 1000, 100) == 210_000_000  # 0.00021


def test_a_budget_of_money_needs_a_price(endpoint: Endpoint) -> None:
    with pytest.raises(judges.JudgeRefusedError, match="no price is known"):
        make_judge(endpoint, budget={"money": 1})


def test_what_a_lost_worker_set_aside_stays_set_aside(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_limits, "SLOT_MARGIN", timedelta(seconds=0))
    run = make_run()
    judge = make_judge(endpoint, timeout_seconds=1, budget={"tokens": 1000})
    use = judging.plan_use(run=run, settings=judge)
    judge_limits.reserve(use, judge_limits.Cost(900, 200, None))
    assert ask_one(judge, run=run).cause == "budget"
    assert endpoint.asked == []
    assert JudgeUse.objects.get().assumed_tokens == 1100


def test_a_vote_that_was_paid_for_is_not_paid_for_again(endpoint: Endpoint) -> None:
    run = make_run()
    judge = make_judge(endpoint, votes=3, budget={"tokens": 200})
    assert ask_one(judge, run=run).cause == "budget"
    assert len(endpoint.asked) == 2
    judging.set_budget(run=run, tokens=None, money=None, by=None)
    assert ask_one(judge, run=run).score == 1
    assert len(endpoint.asked) == 3


# --- stopping ---


def test_a_lost_lease_stops_the_asking_and_keeps_what_came(endpoint: Endpoint) -> None:
    class LeaseLostError(Exception):
        pass

    def tick() -> None:
        if len(endpoint.asked) >= 3:
            raise LeaseLostError

    endpoint.always = misbehaving.slow(0.2)
    judge = make_judge(endpoint)
    with pytest.raises(LeaseLostError):
        judging.ask(questions(10), settings=judge, tick=tick)
    assert len(endpoint.asked) == 3
    assert Answer.objects.filter(state="answered").count() == 3


# --- settings that cannot be followed ---


def test_a_host_that_is_no_longer_allowed_is_not_called(endpoint: Endpoint, settings: Any) -> None:
    judge = make_judge(endpoint)
    settings.AEM_JUDGE_ALLOWED_HOSTS = []
    outcome = ask_one(judge)
    assert (outcome.score, outcome.cause) == (None, "refused")
    assert endpoint.asked == []


def test_without_the_extra_nothing_is_asked_and_it_is_said(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.services.judge_client.IS_AVAILABLE", False)
    assert "requirements-llm.txt" in ask_one(make_judge(endpoint)).sentence
    assert endpoint.asked == []
