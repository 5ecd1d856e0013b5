"""One click beside a decision: what is learned, what is scored again, and what the pages say of it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.access import get_viewer
from annotations.models import Role
from evaluation import tasks
from evaluation.models import Decision, EvaluationRun, Lesson, LessonKind
from evaluation.services import agreement, calibration, lessons, overview, trials, vocabularies
from tests.evaluation.services.test_lessons import PLACE, booked, booking_run, first
from tests.factories import make_member, score_run
from tests.people import cast_of, client_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
TYPED: dict[str, Any] = {"verdict": "pass", "reason": "People call it so.", "seen_revision": "0"}


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    rung: list[Any] = []
    monkeypatch.setattr(tasks, "ring", lambda **_: rung.append(1))
    return rung


def address(name: str, run: EvaluationRun, *, position: int = 1) -> str:
    return reverse(f"evaluation:{name}", args=[run.pk, position, 1])


def click(client: Client, run: EvaluationRun, kind: str, *, position: int = 1, scope: str = "", **typed: str) -> Any:
    """Press one of the buttons of the first pair, with what is typed into the decision."""
    _, pairs = first(run, position=position)
    data = {"learn": f"{kind}:{pairs[0].key}", **typed}
    if scope:
        data[f"scope-{pairs[0].key}"] = scope
    return client.post(address("lesson-learn", run, position=position), data)


def text_of(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_the_page_offers_three_buttons_and_loads_what_they_touch_later() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    client = client_of(carla)
    page = client.get(address("adjudicate", run)).content.decode()
    _, (pair,) = first(run)
    for kind in LessonKind.values:
        assert f'value="{kind}:{pair.key}"' in page
    assert re.findall(r'data-key="([aed])"', page) == ["a", "e", "d"]
    reach = f"{address('lesson-reach', run)}?pair={pair.key}"
    assert f'hx-get="{reach}"' in page
    said = text_of(client.get(reach, headers=HTMX))
    assert f"scores its 1 trajectory of {run} again" in said
    assert f"the pair came up in 2 trajectories of {run}, of which 2 fail there" in said
    whole = client.get(reach)
    assert "<html" in whole.content.decode()
    assert whole.content.decode().count("?turn=1") == 2
    assert "not here any more" in text_of(client.get(f"{address('lesson-reach', run)}?pair=nonsense", headers=HTMX))


def test_enter_in_the_decision_presses_none_of_them() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    page = client_of(carla).get(address("adjudicate", run)).content.decode()
    first_button = re.search(r'<button[^>]*form="decision"[^>]*>', page)
    assert first_button is not None
    assert "formaction" not in first_button[0]


def test_what_cannot_be_learned_is_a_reason_instead_of_a_button() -> None:
    run, carla = booking_run(booked("New York City", nights=3, code="B1"))
    page = client_of(carla).get(address("adjudicate", run)).content.decode()
    assert "Only texts can stand in the vocabulary." in page
    assert page.count('value="equal:') == 0
    assert "The field is compared as regex: change that in the golden instead." in page
    assert page.count('value="accepted:') == 1


def test_one_click_accepts_the_value_and_a_worker_scores_it_again(bells: list[Any]) -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    client = client_of(carla)
    answer = click(client, run, "accepted", **TYPED)
    lesson = Lesson.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, lesson.get_absolute_url())
    assert (lesson.kind, lesson.reason, lesson.learned_by) == (LessonKind.ACCEPTED, "People call it so.", carla)
    assert bells == [1]
    assert not Decision.objects.exists(), "learning decides nothing"

    again = lesson.rescored_in
    assert again is not None
    waiting = client.get(lesson.get_absolute_url())
    assert f'hx-get="{reverse("evaluation:run-progress", args=[again.pk])}"' in waiting.content.decode()
    assert "2 trajectories; new verdicts come in one by one." in text_of(waiting)

    score_run(again)
    done = text_of(client.get(lesson.get_absolute_url()))
    assert "1 of 2 turns have another verdict now" in done
    assert done.index("changed") < done.index("trial 1"), "what changed stands first"
    assert "Take it back" in done

    listed = text_of(client.get(reverse("evaluation:adjudication-list", args=[run.project.slug])))
    assert listed.count("scored again since:") == 2
    assert re.search(r"scored again since: ✓ pass", listed)
    assert re.search(f"Scored again since, in {again} : ✓ pass", text_of(client.get(address("adjudicate", run))))

    follower = client.get(again.get_absolute_url())
    assert "A part, scored again" in text_of(follower)
    assert f'href="{lesson.get_absolute_url()}"' in follower.content.decode()
    assert f'href="{run.get_absolute_url()}"' in follower.content.decode()
    assert "a part again" in text_of(client.get(reverse("evaluation:run-list", args=[run.project.slug])))


def test_what_was_typed_stands_in_the_decision_afterwards_until_it_is_decided() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    client = client_of(carla)
    lesson_url = click(client, run, "equal", **TYPED, failure_reason="tool_mismatch")["Location"]
    decision_url = address("adjudicate", run)
    assert f'href="{decision_url}"' in client.get(lesson_url).content.decode()
    page = client.get(decision_url).content.decode()
    assert "People call it so." in page
    assert "data-draft-live" in page
    assert re.search(r'value="pass"[^>]* checked', page)
    assert "mean the same in city" in page, "what it taught stands there"
    assert "calls them equal already" in page
    other = client.get(address("adjudicate", run, position=2)).content.decode()
    assert "People call it so." not in other
    assert client.post(decision_url, TYPED).status_code == 302
    assert "data-draft-live" not in client.get(decision_url).content.decode()


@pytest.mark.parametrize(("scope", "is_for_field"), [("", True), ("field", True), ("everywhere", False)])
def test_a_pair_is_equal_in_the_project(scope: str, is_for_field: bool) -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    client = client_of(carla)
    click(client, run, "equal", scope=scope)
    lesson = Lesson.objects.get()
    assert (lesson.kind, lesson.is_for_field) == (LessonKind.EQUAL, is_for_field)
    assert lesson.rescored_in is not None
    assert lesson.rescored_in.items.count() == 2, "both conversations have it"


def test_a_pair_is_never_equal_in_the_project() -> None:
    run, carla = booking_run(booked("NYC"))
    click(client_of(carla), run, "different")
    again = Lesson.objects.get().rescored_in
    assert again is not None
    score_run(again)
    assert [one.after and one.after.passed for one in lessons.changes(again)] == [False, False]


def test_under_exact_a_pair_is_learned_and_not_scored_again(bells: list[Any]) -> None:
    run, carla = booking_run(booked("the Big Smoke"), scorer="exact")
    client = client_of(carla)
    page = text_of(client.get(click(client, run, "equal")["Location"]))
    lesson = Lesson.objects.get()
    assert (lesson.rescored_in, bells) == (None, [])
    assert "compares exactly, without a vocabulary" in page
    assert "Touched in" in page
    assert vocabularies.latest(run.project) == lesson.vocabulary


def test_what_is_not_there_any_more_is_said() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    client = client_of(carla)
    click(client, run, "accepted")
    twice = click(client, run, "accepted")
    assert twice["Location"] == address("adjudicate", run)
    page = text_of(client.get(twice["Location"]))
    assert "Nothing was learned." in page
    assert "The golden in force accepts this value already." in page
    for sent in ("", "accepted:0123456789abcdef", "nonsense:0123456789abcdef", "accepted:x"):
        assert client.post(address("lesson-learn", run), {"learn": sent}).status_code == 302
    assert Lesson.objects.count() == 1


def test_it_is_taken_back() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    client = client_of(carla)
    click(client, run, "equal")
    lesson = Lesson.objects.get()
    page = text_of(client.get(lesson.get_absolute_url()))
    assert "The entry leaves the project's vocabulary" in page
    client.post(reverse("evaluation:lesson-take-back", args=[lesson.pk]))
    page = text_of(client.get(lesson.get_absolute_url()))
    assert "Taken back by" in page
    assert "The entry leaves the project's vocabulary" not in page
    newest = vocabularies.latest(run.project)
    assert newest is not None
    assert newest.body == {}
    client.post(reverse("evaluation:lesson-take-back", args=[lesson.pk]))
    assert "taken back already" in text_of(client.get(lesson.get_absolute_url()))


def test_other_runs_in_which_it_came_up_are_counted() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    earlier, _ = booking_run(booked("the BIG smoke"), booked("Gotham"))
    EvaluationRun.objects.filter(pk=earlier.pk).update(project=run.project, number=7)
    client = client_of(carla)
    click(client, run, "equal")
    lesson = Lesson.objects.get()
    elsewhere = reverse("evaluation:lesson-elsewhere", args=[lesson.pk])
    assert f'hx-get="{elsewhere}"' in client.get(lesson.get_absolute_url()).content.decode()
    said = client.get(elsewhere, headers=HTMX).content.decode()
    assert "2 trajectories" in said
    touched = reverse("evaluation:lesson-touched", args=[lesson.pk, earlier.pk])
    assert f'href="{touched}"' in said
    page = client.get(touched).content.decode()
    assert page.count("?turn=1") == 2


@pytest.mark.parametrize(("who", "status"), [("annotator", 403), ("engineer", 200), ("owner", 200), ("stranger", 404)])
def test_who_sees_what_was_learned(who: str, status: int) -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    client = client_of(cast_of(run.project)[who])
    assert client.get(lesson.get_absolute_url()).status_code == status
    assert client.get(reverse("evaluation:lesson-list", args=[run.project.slug])).status_code == status
    changing = {"engineer": 403, "owner": 302}.get(who, status)
    assert client.post(reverse("evaluation:lesson-take-back", args=[lesson.pk])).status_code == changing
    assert click(client, run, "accepted").status_code == changing


def test_a_run_that_follows_is_chosen_by_nobody_by_default() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    again = score_run(lessons.score_again(lesson=lesson, by=carla))
    project = run.project
    assert agreement.newest_runs(project) == [run]
    assert again in agreement.comparable_runs(project)
    assert calibration.default_runs(project) == [run]
    assert trials.default_run(project) == run
    assert again in trials.candidates(project)
    steps = overview.of_project(get_viewer(carla, project)).next_steps
    assert all(str(again) not in step.text for step in steps)
    project.is_blind = True
    project.save()
    runs_page, blinded = reverse("evaluation:run-list", args=[project.slug]), client_of(make_member(project))
    assert str(again) in client_of(carla).get(runs_page).content.decode()
    assert str(again) not in blinded.get(runs_page).content.decode(), "it tells what others dispute"
    listed = client_of(carla).get(reverse("evaluation:adjudication-list", args=[project.slug])).content.decode()
    assert "(a part)" in listed


def test_wherever_a_run_is_chosen_the_parts_come_last_and_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lesson makes a part; they neither pass for whole runs nor push the whole ones out."""
    run, carla = booking_run(booked("the Big Smoke"))
    item, (pair,) = first(run)
    lesson = lessons.add_entry(item=item, pair=pair, by=carla, is_equal=True, is_for_field=True, **PLACE)
    again = score_run(lessons.score_again(lesson=lesson, by=carla))
    for number in range(2):  # newer parts, without anything in them
        EvaluationRun.objects.create(
            project=run.project,
            number=100 + number,
            dataset_version=run.dataset_version,
            policy=run.policy,
            follows=run,
            state="done",
        )
    monkeypatch.setattr("evaluation.forms.policies.MOST_RUNS", 1)
    slug, client = run.project.slug, client_of(make_member(run.project, Role.OWNER))
    pages = [reverse(f"evaluation:{name}", args=[slug]) for name in ("calibration", "agreement", "adjudication-list")]
    for address_of_page in (*pages, reverse("evaluation:policy-edit", args=[slug, run.policy_id])):
        page = client.get(address_of_page).content.decode()
        options = re.findall(r'<option value="([0-9a-f-]{36})"[^>]*>([^<]*)</option>', page)
        assert options[0][0] == str(run.pk), address_of_page
        assert [words.endswith("(a part)") for _, words in options] == [False, True, True, True]
        chosen = client.get(address_of_page, {"run": str(again.pk)}).content.decode()
        assert address_of_page not in pages or f'<option value="{again.pk}" selected>' in chosen, address_of_page


def test_several_accepted_values_are_a_pair_each_and_one_button_accepts() -> None:
    run, carla = booking_run(booked("the Big Smoke"), booked("Gotham"))
    client = client_of(carla)
    click(client, run, "accepted")
    again = score_run(Lesson.objects.get().rescored_in)  # type: ignore[arg-type]
    gotham = again.items.get(trajectory__trial=1)
    page = client.get(address("adjudicate", again, position=gotham.position)).content.decode()
    assert page.count('value="accepted:') == 1
    assert page.count('value="equal:') == 2


def test_the_list_is_paged_and_a_member_of_another_project_gets_404() -> None:
    run, carla = booking_run(booked("the Big Smoke"))
    click(client_of(carla), run, "equal")
    page = text_of(client_of(carla).get(reverse("evaluation:lesson-list", args=[run.project.slug])))
    assert "“New York City” and “the Big Smoke” mean the same in city." in page
    other, outsider = booking_run(booked("x"))
    make_member(other.project, Role.OWNER)
    assert client_of(outsider).get(Lesson.objects.get().get_absolute_url()).status_code == 404
