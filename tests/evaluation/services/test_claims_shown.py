"""What a review says of a judged reply: claims with their sentences, what stands nowhere before, what decided."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Project, Role
from evaluation.models import EvaluationRun
from evaluation.services import claims_shown, policies
from tests.factories import (
    make_conversation,
    make_dataset,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_project,
    make_run,
    make_trajectory,
)
from tests.people import client_of

pytestmark = pytest.mark.django_db

GOLDEN = "Order A-1017 was shipped on May 2. The fee is $5, and it is not refundable. You can cancel within 30 days."
CLAIMS: list[dict[str, Any]] = [
    {"text": "Order A-1017 was shipped on May 2."},
    {"text": "The fee is $5"},
    {"text": "it is not refundable"},
    {"text": "You can cancel within 30 days.", "required": False},
    {"id": "id", "contains": ["A-1017"]},
]
#: Accents, an emoji of several characters and markup stand before what is quoted.
REPLY = (
    "Hi Zoë 👩🏽‍💻! <b>Order A-1017</b> was shipped on May 3. A fee of 5 dollars applies. Your ticket is T-99821. مرحبا"
)


@pytest.fixture
def project() -> Project:
    return make_project(is_blind=False)


def run_of(
    project: Project, reply: str, *, claims: Any = None, scorer: str = "embedded", result: Any = None
) -> EvaluationRun:
    turn: dict[str, Any] = {"id": "g2", "response": GOLDEN, **({"claims": claims} if claims else {})}
    turns = [
        {"id": "u1", "user": "Order A-1017?"},
        {"id": "g1", "tool": "orders", "params": {"city": {"value": "New York City"}}},
    ]
    dataset = make_dataset(project)
    conversation = make_conversation(dataset, language="en", tools={"orders": {"effect": "read"}})
    record = make_golden_record(conversation, golden={"paths": [{"id": "main", "turns": [*turns, turn]}]})
    call = {"tool": "orders", "args": {"city": "NYC"}, "result": {"fee": 5} if result is None else result}
    make_trajectory(conversation, body={"turns": [{"user": "Order A-1017?"}, call, {"response": reply}]})
    policy = policies.create(project=project, body={"scorer": scorer}, by=None, name=scorer)
    return make_run(make_dataset_version(dataset, records=[record]), policy=policy)


def page_of(project: Project, run: EvaluationRun, *, turn: int = 2, who: str = Role.ENGINEER) -> str:
    client = client_of(make_member(project, who))
    return client.get(f"{run.items.get(position=1).get_absolute_url()}?turn={turn}").content.decode()


def shown_of(project: Project, run: EvaluationRun) -> claims_shown.ReplyShown:
    client = client_of(make_member(project, Role.ENGINEER))
    page = client.get(f"{run.items.get(position=1).get_absolute_url()}?turn=2")
    shown = page.context["current"].reply
    assert isinstance(shown, claims_shown.ReplyShown)
    return shown


def test_each_claim_has_its_state_and_the_sentence_that_answers_it(project: Project) -> None:
    shown = shown_of(project, run_of(project, REPLY, claims=CLAIMS))
    found = {claim.number: (claim.word, claim.quote) for claim in shown.claims}
    assert found[1] == ("contradicted", "<b>Order A-1017</b> was shipped on May 3.")
    assert found[2] == ("covered", "A fee of 5 dollars applies.")
    assert found[3] == ("not said", "")
    assert found[4][0] == "not said, and need not be"
    assert found[5] == ("covered", "<b>Order A-1017</b> was shipped on May 3.")
    assert "May 3" in shown.claims[0].sentence
    assert "".join(piece.text for piece in shown.stretches) == REPLY
    assert not shown.is_derived
    assert shown.has_plain


def test_the_page_marks_them_by_number_word_and_glyph_and_runs_no_markup(project: Project) -> None:
    page = page_of(project, run_of(project, REPLY, claims=CLAIMS))
    reply = page[page.index("reply-marked") :]
    assert "<b>Order" not in page
    assert "&lt;b&gt;Order A-1017&lt;/b&gt; was shipped on " in reply
    marked = reply[reply.index('data-says="2"') :].partition("</mark>")[0]
    assert marked.startswith('data-says="2">A fee of 5 dollars applies.<sup')
    assert "②✓" in marked
    assert "(claim 2: covered)" in marked
    assert "①✖" in reply
    claim = page[page.index('data-claim="2"') :].partition("</li>")[0]
    place = claim.partition('href="#')[2].partition('"')[0]
    assert f'id="{place}" data-says="2"' in reply
    assert "layer: replies; score 1.00, threshold 0.50; scorer: embedded" in claim
    assert "further statements, no failure" in page


def test_what_stands_nowhere_before_is_a_hint(project: Project) -> None:
    run = run_of(project, "The fee is $5. Your ticket is T-99821.", claims=[{"text": "The fee is $5"}])
    shown = shown_of(project, run)
    assert shown.unknown == ["T-99821"]
    assert shown.claims[0].state == "covered"
    page = page_of(project, run)
    assert "A hint, no failure by itself" in page
    assert "✓ pass" in page.replace('<span aria-hidden="true">✓</span>', "✓")


@pytest.mark.parametrize("result", [{"ticket": "T-99821"}, "see t-99821.", {"a": ["x" * 5000, "T-99821"]}])
def test_what_a_result_gave_is_known(project: Project, result: Any) -> None:
    assert shown_of(project, run_of(project, REPLY, claims=CLAIMS, result=result)).unknown == ["May 3"]


def test_values_in_another_spelling_are_known(project: Project) -> None:
    reply = "The fee is $5. You paid $1,200 on 2 May."
    run = run_of(project, reply, claims=[{"text": "The fee is $5"}], result={"paid": 1200})
    assert shown_of(project, run).unknown == []


def test_beside_megabytes_it_says_that_it_did_not_look(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims_shown, "MOST_READ", 500)
    shown = shown_of(project, run_of(project, REPLY, claims=CLAIMS, result={"note": "x" * 600}))
    assert shown.unknown == []
    assert "too many" in shown.not_looked
    monkeypatch.setattr(claims_shown, "MOST_SEARCHED", 500)
    assert (
        "too many to look for" in shown_of(project, run_of(project, REPLY, claims=CLAIMS, result="x" * 600)).not_looked
    )


def test_a_golden_without_claims_shows_what_the_scorer_derived(project: Project) -> None:
    run = run_of(project, REPLY)
    shown = shown_of(project, run)
    assert shown.is_derived
    assert shown.whole is not None
    assert shown.whole.state == "contradicted"
    assert [claim.state for claim in shown.claims][:2] == ["contradicted", "covered"]
    page = page_of(project, run)
    assert "nobody has confirmed them" in page
    assert ">derived</span>" in page


def test_under_exact_nothing_is_derived(project: Project) -> None:
    shown = shown_of(project, run_of(project, REPLY, scorer="exact"))
    assert shown.claims == ()
    assert shown.whole is not None
    assert shown.whole.why == ""


def test_under_exact_a_claim_is_found_by_its_words(project: Project) -> None:
    shown = shown_of(
        project, run_of(project, "Well. The  FEE is $5!", claims=[{"text": "the fee is $5"}], scorer="exact")
    )
    assert [(claim.state, claim.quote) for claim in shown.claims] == [("covered", "The  FEE is $5!")]


def test_a_missing_reply_says_so(project: Project) -> None:
    run = run_of(project, REPLY, claims=CLAIMS)
    body = run.items.get(position=1).trajectory.body
    conversation = run.items.get(position=1).trajectory.conversation
    make_trajectory(conversation, body={"turns": body["turns"][:2]}, trial=1)
    again = make_run(run.dataset_version, policy=run.policy)
    client = client_of(make_member(project, Role.ENGINEER))
    page = client.get(f"{again.items.get(position=2).get_absolute_url()}?turn=2").content.decode()
    assert "A reply was expected, and there is none." in page


def test_a_value_says_what_decided(project: Project) -> None:
    page = page_of(project, run_of(project, REPLY, claims=CLAIMS), turn=1)
    because = page[page.index('class="because"') :].partition("</details>")[0]
    assert "layer: " in because
    assert "threshold 0.50" in because


def test_the_adjudicator_sees_the_same(project: Project) -> None:
    run = run_of(project, REPLY, claims=CLAIMS)
    client = client_of(make_member(project, Role.ADJUDICATOR))
    page = client.get(f"/runs/{run.pk}/items/1/turns/2/decide/").content.decode()
    assert "②✓" in page
    assert 'data-claim="1"' in page


def test_a_blinded_annotator_is_not_told(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(is_blind=True)
    page = page_of(project, run_of(project, REPLY, claims=CLAIMS), who=Role.ANNOTATOR)
    for told in ("claims-shown", "reply-marked", "contradicted", "nowhere"):
        assert told not in page, told
    assert "T-99821" in page


def test_right_to_left_and_long_replies_stay_text_and_fold(project: Project) -> None:
    page = page_of(project, run_of(project, REPLY + " More words." * 400, claims=CLAIMS))
    before = page[: page.index("reply-marked")]
    assert '<details><summary class="muted">' in before[-300:], "very long replies are closed"
    assert 'dir="auto"' in page
    assert "مرحبا" in page


def test_what_could_not_be_judged_is_not_decided_and_says_why(project: Project) -> None:
    item = run_of(project, REPLY, claims=CLAIMS).items.get(position=1)
    entry = {
        "kind": "claim",
        "field": "claim1",
        "passed": None,
        "expected": CLAIMS[0]["text"],
        "score": None,
        "threshold": 0.5,
        "scorer": "judge",
        "sentence": "Whether the claim holds could not be judged. The judge did not answer.",
    }
    shown = claims_shown.show(
        {"response": GOLDEN, "claims": CLAIMS[:1]},
        {"items": [entry]},
        item=item,
        observed=item.trajectory.body["turns"],
        position=2,
    )
    assert shown is not None
    (claim,) = shown.claims
    assert (claim.word, claim.glyph, claim.css_class) == ("not decided", "◇", "amb")
    assert "did not answer" in claim.sentence
    assert claim.why == "no score, threshold 0.50; scorer: judge"
