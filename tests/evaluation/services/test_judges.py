"""Settings and keys of judges: what is kept, what is refused, and where a key never is."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import serializers
from django.db import IntegrityError, connection, transaction

from annotations.models import Change, Role
from evaluation.evaluators.judge import Question
from evaluation.models import JudgeKey, JudgeSettings
from evaluation.services import addresses, judge_keys, judges, judging
from evaluation.services.judge_client import Secret
from evaluation.services.judge_keys import JudgeKeyError
from tests import misbehaving
from tests.factories import make_member, make_project
from tests.judges import KEY, judge_body, make_judge
from tests.misbehaving import Endpoint, status

pytestmark = pytest.mark.django_db

Q = Question.of_values("a", "b")
VARIABLE, HOSTS = "AEM_JUDGE_KEY_LOCAL", "AEM_JUDGE_HOSTS_LOCAL"


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    found = Endpoint()
    yield found
    found.close()


def sent_key(endpoint: Endpoint) -> str | None:
    return endpoint.asked[-1].headers.get("Authorization")


# --- settings ---


def test_an_edit_makes_the_next_number(endpoint: Endpoint) -> None:
    first = make_judge(endpoint)
    second = make_judge(endpoint, first.project, votes=3)
    assert (first.number, second.number) == (1, 2)
    assert judges.find(project=first.project) == second
    assert judges.latest(project=first.project) == [second]
    assert JudgeSettings.objects.get(pk=first.pk).body == first.body


@pytest.mark.parametrize("change", [{"body": {}}, {"number": 2}, {"name": "other"}, {"content_hash": "y"}])
def test_no_statement_changes_settings(endpoint: Endpoint, change: dict[str, Any]) -> None:
    judge = make_judge(endpoint)
    with pytest.raises(IntegrityError, match="never change"), transaction.atomic():
        JudgeSettings.objects.filter(pk=judge.pk).update(**change)


def test_the_same_settings_are_the_same_number(endpoint: Endpoint) -> None:
    first = make_judge(endpoint)
    assert make_judge(endpoint, first.project) == first


def test_what_cannot_be_followed_is_not_kept(endpoint: Endpoint) -> None:
    with pytest.raises(judges.JudgeRefusedError, match="votes"):
        make_judge(endpoint, votes=0)
    with pytest.raises(judges.JudgeRefusedError, match="name"):
        make_judge(endpoint, name=" ")
    assert not JudgeSettings.objects.exists()


# --- stored keys ---


def test_a_stored_key_is_sent_and_nothing_else_of_us(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-the-server")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: of-the-server")
    judging.ask([Q], settings=make_judge(endpoint, key=KEY))
    headers = endpoint.asked[0].headers
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert "of-the-server" not in str(headers)
    assert {name.lower() for name in headers} <= {
        "host", "content-type", "content-length", "accept", "user-agent", "accept-encoding", "authorization",
    }  # fmt: skip


def test_without_a_key_none_is_sent(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-server")
    judging.ask([Q], settings=make_judge(endpoint))
    assert sent_key(endpoint) is None


def test_a_stored_key_is_encrypted(endpoint: Endpoint) -> None:
    make_judge(endpoint, key=KEY)
    row = JudgeKey.objects.get()
    assert KEY not in row.sealed
    assert row.origin == f"http://127.0.0.1:{endpoint.port}"


def test_a_key_left_empty_stays(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint, key=KEY)
    judging.ask([Q], settings=again(judge, endpoint.url))
    assert sent_key(endpoint) == f"Bearer {KEY}"


def again(judge: JudgeSettings, url: str, key: str = "") -> JudgeSettings:
    body = judge_body(url, key={"source": "stored"})
    return judges.create(project=judge.project, body=body, by=None, key=key)


def test_a_key_is_not_taken_to_another_host(endpoint: Endpoint) -> None:
    """Whoever may edit the settings without knowing the key cannot have it sent to a server of their own."""
    judge = make_judge(endpoint, key=KEY)
    elsewhere = f"http://localhost:{endpoint.port}/v1"
    with pytest.raises(JudgeKeyError, match="another host"):
        again(judge, elsewhere)
    again(judge, elsewhere, key="sk-other")
    # The first number asks where the first key belonged; that key is gone.
    (outcome,) = judging.ask([Q], settings=judge).values()
    assert outcome.cause == "refused"
    assert endpoint.asked == []


def test_a_key_can_be_taken_away(endpoint: Endpoint) -> None:
    judge = make_judge(endpoint, key=KEY)
    assert judges.forget_key(project=judge.project, name=judge.name, by=None)
    assert not judges.forget_key(project=judge.project, name=judge.name, by=None)
    (outcome,) = judging.ask([Q], settings=judge).values()
    assert outcome.sentence == "Not scored: No key is stored for this judge. Enter it in the settings."
    assert endpoint.asked == []


def test_another_encryption_key_opens_what_the_old_one_closed(endpoint: Endpoint, settings: Any) -> None:
    judge = make_judge(endpoint, key=KEY)
    settings.AEM_ENCRYPTION_KEYS = ["new"]
    judging.ask([Q], settings=judge)
    assert sent_key(endpoint) == f"Bearer {KEY}"
    judges.create(project=judge.project, body=judge.body, by=None, key="sk-second")
    settings.SECRET_KEY = settings.SECRET_KEY_GIVEN = "changed"
    judging.ask([Question.of_values("a", "c")], settings=judge)
    assert sent_key(endpoint) == "Bearer sk-second"


def test_a_key_that_cannot_be_read_any_more_is_said_to_be(endpoint: Endpoint, settings: Any) -> None:
    judge = make_judge(endpoint, key=KEY)
    settings.SECRET_KEY = settings.SECRET_KEY_GIVEN = "changed"
    assert "Enter the key again" in judges.try_it(judge).problem
    settings.SECRET_KEY_GIVEN = ""
    assert "neither AEM_ENCRYPTION_KEY nor SECRET_KEY is set" in judges.try_it(judge).problem


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "kéy", "x" * 5000, "\x00"])
def test_what_is_no_key_is_refused_and_not_repeated(endpoint: Endpoint, text: str) -> None:
    with pytest.raises(JudgeKeyError) as caught:
        make_judge(endpoint, key=text)
    assert text not in str(caught.value)
    assert not JudgeKey.objects.exists()


def test_a_key_without_the_setting_for_it_is_refused(endpoint: Endpoint) -> None:
    with pytest.raises(judges.JudgeRefusedError, match="stored"):
        judges.create(project=make_project(), body=judge_body(endpoint.url), by=None, key=KEY)


# --- keys from the environment ---


def test_a_key_from_the_environment_goes_to_the_hosts_named_for_it(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv(HOSTS, f"api.example.com, 127.0.0.1:{endpoint.port}")
    judging.ask([Q], settings=make_judge(endpoint, key_from=VARIABLE))
    assert sent_key(endpoint) == f"Bearer {KEY}"


@pytest.mark.parametrize("hosts", [None, "", "api.example.com", "127.0.0.1:1"])
def test_a_key_from_the_environment_goes_nowhere_else(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, hosts: str | None
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    if hosts is not None:
        monkeypatch.setenv(HOSTS, hosts)
    with pytest.raises(JudgeKeyError, match=HOSTS):
        make_judge(endpoint, key_from=VARIABLE)


def test_whether_a_variable_is_set_is_not_told(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint_of = addresses.parse(endpoint.url)
    said = set()
    for value in ("", KEY):
        monkeypatch.setenv(VARIABLE, value)
        with pytest.raises(JudgeKeyError) as caught:
            judge_keys.from_environment(VARIABLE, endpoint_of)
        said.add(str(caught.value))
    assert len(said) == 1


def test_other_variables_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AEM_JUDGE_HOSTS_SECRET_KEY", "example.org")
    monkeypatch.setenv("SECRET_KEY", KEY)
    with pytest.raises(JudgeKeyError):
        judge_keys.from_environment("SECRET_KEY", addresses.parse("https://example.org/v1"))


# --- where a key never is ---


def test_a_key_is_in_no_table_and_no_history(endpoint: Endpoint) -> None:
    owner = make_member(make_project(), Role.OWNER)
    project = owner.memberships.get().project
    judge = judges.create(project=project, body=judge_body(endpoint.url, key={"source": "stored"}), by=owner, key=KEY)
    judging.ask([Q], settings=judge)
    judges.forget_key(project=project, name=judge.name, by=owner)
    make_judge(endpoint, project, key=KEY)
    assert [change.action for change in Change.objects.filter(action__startswith="judge.").order_by("pk")] == [
        "judge.key_set", "judge.created", "judge.key_forgotten", "judge.key_set",
    ]  # fmt: skip
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            assert KEY not in str(cursor.fetchall()), table


def test_a_key_is_in_no_log_and_no_error(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2", "django", "evaluation", ""):
        caplog.set_level(logging.DEBUG, logger=name)
    judge = make_judge(endpoint, key=KEY)
    bad = (status(401), status(500), misbehaving.cut_off, misbehaving.huge, misbehaving.content(f"echo {KEY[:3]}"))
    for number, behaviour in enumerate(bad):
        endpoint.always = behaviour
        (outcome,) = judging.ask([Question.of_values("a", f"b{number}")], settings=judge).values()
        assert KEY not in outcome.sentence
        assert KEY not in judges.try_it(judge).problem
    assert caplog.records
    assert KEY not in caplog.text
    assert KEY not in "".join(str(record.__dict__) for record in caplog.records)


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_rows_that_are_dumped_hold_no_key(endpoint: Endpoint) -> None:
    make_judge(endpoint, key=KEY)
    rows = [*JudgeKey.objects.all(), *JudgeSettings.objects.all()]
    assert KEY not in serializers.serialize("json", rows)


# --- trying ---


def test_a_trial_takes_the_way_of_all_questions(endpoint: Endpoint) -> None:
    trial = judges.try_it(make_judge(endpoint, key=KEY))
    assert trial.is_right
    assert (trial.requests, trial.tokens_in, trial.problem) == (1, 100, "")
    assert endpoint.asked[0].material == {"parameter": "city", "first": "New York City", "second": "NYC"}
    assert sent_key(endpoint) == f"Bearer {KEY}"


def test_a_trial_finds_out_what_the_endpoint_understands(endpoint: Endpoint) -> None:
    endpoint.always = misbehaving.without("json_schema", then=misbehaving.says("different"))
    trial = judges.try_it(make_judge(endpoint))
    assert (trial.label, trial.is_right, trial.requests) == ("different", False, 2)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (status(401), "The endpoint refuses the request (HTTP 401)."),
        (status(500), "The endpoint has an error of its own (HTTP 500)."),
        (misbehaving.redirect("http://10.0.0.5/"), "The endpoint points to another address (HTTP 307)"),
        (misbehaving.content("secret of the inside"), "It answers, but not in the form that it was asked for."),
        (misbehaving.body(b"secret of the inside"), "What came is not JSON."),
        (misbehaving.slow(30), "No answer within 1 s."),
        (misbehaving.dribble, "No answer within 1 s."),
    ],
)
def test_a_trial_says_what_is_wrong_and_nothing_of_what_answered(
    endpoint: Endpoint, behaviour: misbehaving.Behaviour, problem: str
) -> None:
    endpoint.always = behaviour
    trial = judges.try_it(make_judge(endpoint, timeout_seconds=1))
    assert trial.problem.startswith(problem)
    assert "secret" not in trial.problem
    assert "10.0.0.5" not in trial.problem


def test_nobody_waits_long_for_a_trial(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "TRIAL_SECONDS", 1)
    endpoint.always = misbehaving.slow(30)
    assert judges.try_it(make_judge(endpoint, timeout_seconds=600)).seconds < 10
