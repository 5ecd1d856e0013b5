"""Twenty people at the queue at once, through HTTP on the real web server: a short run of the benchmark of that name.

The lines printed are the figures; `benchmarks/queue_load.py` measures for a minute.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotations.models import Assignment, AssignmentState, Golden, Project, User
from tests.workers import worker_environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PEOPLE = 20


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    import queue_load  # type: ignore[import-not-found]

    return queue_load


@pytest.fixture
def web(load: Any, tmp_path: Path, transactional_db: None) -> Iterator[Any]:
    if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
        pytest.skip("SQLite in memory has one connection")
    with load.server(worker_environment(), tmp_path / "web.log") as running:
        yield running
    assert "Traceback" not in (tmp_path / "web.log").read_text(errors="replace")


def free(project: Project) -> None:
    """Without what the seed assigns: everybody may have everything."""
    Assignment.objects.filter(conversation__dataset__project=project).delete()


def held(project: Project) -> Counter[int]:
    places = Assignment.objects.filter(conversation__dataset__project=project, place__isnull=False)
    return Counter(places.values_list("conversation_id", flat=True))


def said(figure: Callable[[str], None], what: str, people: list[Any], seconds: float) -> None:
    waits = sorted(wait for person in people for wait in person.waits["claim"])
    figure(
        f"{connection.vendor}, over HTTP: {what}: {len(waits)} requests in {seconds:.2f} s, "
        f"half of them within {waits[len(waits) // 2]:.0f} ms"
    )
    assert [error for person in people for error in person.errors] == []


def test_thirty_conversations_for_one_person_each(load: Any, web: Any, figure: Callable[[str], None]) -> None:
    project, tokens = load.seed(30, overlap=1, people=PEOPLE, slug="one")
    free(project)
    people = [load.Person(web, token) for token in tokens]
    seconds = load.at_once(people, lambda person: person.take(project.slug))
    said(figure, "overlap 1, twenty press next at once", people, seconds)
    got = [number for person in people for number in person.claimed]
    assert len(got) == len(set(got)) == PEOPLE
    assert set(held(project).values()) == {1}


def test_thirty_conversations_for_two_people_each(load: Any, web: Any, figure: Callable[[str], None]) -> None:
    project, tokens = load.seed(30, overlap=2, people=PEOPLE, slug="two")
    free(project)
    people = [load.Person(web, token) for token in tokens]

    def three_times_and_by_the_back_door(person: Any) -> None:
        for _ in range(4):
            person.take(project.slug)
        # Who asks for one conversation by its number gets no place beyond the overlap either.
        for number in project.datasets.get().conversations.values_list("pk", flat=True)[:3]:
            person.ask("skip", "POST", f"conversations/{number}/goldens/", {})
        person.errors = [error for error in person.errors if "places are taken" not in error]

    seconds = load.at_once(people, three_times_and_by_the_back_door)
    said(figure, "overlap 2, twenty press next four times", people, seconds)
    assert set(held(project).values()) == {2}
    assert len(held(project)) == 30
    assert Assignment.objects.values("conversation", "annotator").distinct().count() == 60


def test_a_laptop_that_is_closed_for_longer_than_the_lease(load: Any, web: Any, figure: Callable[[str], None]) -> None:
    project, tokens = load.seed(3, overlap=1, people=PEOPLE + 1, slug="gone")
    free(project)
    gone, *people = [load.Person(web, token) for token in tokens]
    taken = gone.take(project.slug)
    gone.work(taken, random.Random(3), lambda: None)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    seconds = load.at_once(people, lambda person: person.take(project.slug))
    said(figure, "after the lease, twenty press next at once", people, seconds)
    got = [number for person in people for number in person.claimed]
    assert sorted(got) == sorted(project.datasets.get().conversations.values_list("pk", flat=True))
    first = User.objects.get(username="gone-0")
    assert Assignment.objects.get(annotator=first).state == AssignmentState.LAPSED
    draft = Golden.objects.get(annotator=first)
    assert set(gone.saved) <= set(draft.turns.values_list("pk", flat=True))
    offered = gone.ask("skip", "GET", f"projects/{project.slug}/queue/mine/")["results"]
    assert [row["golden"] for row in offered] == [str(draft.pk)]


def test_claiming_saving_submitting_and_skipping_lose_and_double_nothing(
    load: Any, web: Any, figure: Callable[[str], None]
) -> None:
    project, tokens = load.seed(40, overlap=2, people=PEOPLE)
    people = [load.Person(web, token) for token in tokens]

    def two_of_them(person: Any) -> None:
        chance = random.Random(person.token)
        for _ in range(2):
            taken = person.take(project.slug)
            if taken is not None:
                person.work(taken, chance, lambda: None)

    seconds = load.at_once(people, two_of_them)
    said(figure, "assigned places, priorities, saves, submissions and skips", people, seconds)
    names = [f"load-{number}" for number in range(PEOPLE)]
    assert load.faults(project, people, names) == []
    assert load.drain(project, names) == []
