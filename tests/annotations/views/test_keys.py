"""The page on which one chooses one's keys, and the pages that then have them."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from django.db import connection, connections
from django.urls import reverse

from annotations import keys
from annotations.models import Golden, User
from annotations.services import goldens
from annotations.services import keys as service
from annotations.services.errors import WorkbenchError
from tests.factories import make_conversation, make_dataset, make_member, make_project, make_trajectory, make_user
from tests.people import client_of

URL = "/account/keys/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def golden(db: None) -> Golden:
    project = make_project()
    conversation = make_conversation(make_dataset(project))
    return goldens.start(conversation, make_member(project), make_trajectory(conversation))


def change(user: User, **fields: str) -> Any:
    return client_of(user).post(URL, fields, headers=HTMX)


def chosen(user: User) -> dict[str, str]:
    return dict(User.objects.get(pk=user.pk).chosen_keys)


def test_every_action_is_listed_with_its_pages_and_key(db: None) -> None:
    page = client_of(make_user()).get(URL).content.decode()
    for action in keys.ACTIONS.values():
        assert f'id="key-{action.name}" name="key" value="{action.key}"' in page, action.name
    assert all(words.replace("'", "&#x27;") in page for words in keys.PAGES.values())


def test_a_chosen_key_stands_on_the_next_page_and_fragment(golden: Golden) -> None:
    assert change(golden.annotator, action="workbench.save", key="Ö").status_code == 200
    client = client_of(golden.annotator)
    turn = golden.turns.get(position=1)
    fragment_url = reverse("annotations:golden-turn", args=[golden.pk, turn.pk])
    for page in (client.get(golden.get_absolute_url()), client.get(fragment_url, headers=HTMX)):
        html = page.content.decode()
        assert re.search(r'data-key="ö" data-action="workbench.save"[^>]*>Save <kbd>ö</kbd>', html)
        assert 'data-key="s"' not in html
    others = client_of(make_member(golden.conversation.dataset.project, "adjudicator"))
    assert 'data-key="ö"' not in others.get(golden.get_absolute_url()).content.decode()


def test_a_plus_is_named_where_programs_read_it(golden: Golden) -> None:
    turn = next(turn for turn in golden.turns.all() if turn.body.get("params"))
    page = client_of(golden.annotator).get(golden.get_absolute_url(), {"turn": turn.pk}).content.decode()
    button = re.search(r'<button[^>]*value="add-value:0"[^>]*data-value-button[^>]*>', page)
    assert button is not None
    assert 'data-key="+"' in button[0]
    assert 'aria-keyshortcuts="Plus"' in button[0]


def test_a_clash_is_refused_with_the_name_of_the_other_action(db: None) -> None:
    user = make_user()
    answer = change(user, action="workbench.save", key="u")
    assert answer.status_code == 422
    assert "“u” is the key of “Undo” there" in answer.content.decode()
    assert 'id="key-workbench.save-why"' in answer.content.decode()
    assert chosen(user) == {}
    assert change(user, action="queue.next", key="u").status_code == 200, "no undo stands on that page"


def test_what_was_free_before_may_be_taken_now(db: None) -> None:
    user = make_user()
    assert change(user, action="workbench.undo", key="ö").status_code == 200
    assert change(user, action="workbench.save", key="u").status_code == 200
    refused = change(user, action="workbench.undo", do="reset")
    assert refused.status_code == 422
    assert "“Save and stay”" in refused.content.decode()
    assert change(user, do="reset-all").status_code == 200
    assert chosen(user) == {}


def test_an_action_can_have_no_key_and_its_usual_one_again(golden: Golden) -> None:
    user = golden.annotator
    assert change(user, action="workbench.take", do="off").status_code == 200
    page = client_of(user).get(golden.get_absolute_url()).content.decode()
    assert 'data-key="a"' not in page
    assert "Take as observed </button>" in page
    assert change(user, action="workbench.take", do="reset").status_code == 200
    assert 'data-key="a"' in client_of(user).get(golden.get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    ("action", "key"), [("workbench.save", "?"), ("workbench.save", "Enter"), ("no.such", "s"), ("", "")]
)
def test_what_cannot_be_is_said_and_changes_nothing(db: None, action: str, key: str) -> None:
    user = make_user()
    answer = change(user, action=action, key=key)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert chosen(user) == {}


def test_works_as_a_page_too(db: None) -> None:
    user = make_user()
    client = client_of(user)
    done = client.post(URL, {"action": "queue.next", "key": "x"}, follow=True)
    assert "“Take the next conversation” is “x” now" in done.content.decode()
    refused = client.post(URL, {"action": "queue.next", "key": "j"})
    assert refused.status_code == 422
    assert "<h1>Keys</h1>" in refused.content.decode()


@pytest.mark.django_db(transaction=True)
def test_two_windows_cannot_give_one_key_to_two_actions() -> None:
    user = make_user()
    at_once = threading.Barrier(2)
    refused: list[str] = []

    def give(name: str) -> None:
        at_once.wait()
        try:
            service.choose(user=User.objects.get(pk=user.pk), action=keys.ACTIONS[name], key="ö")
        except WorkbenchError as error:
            refused.append(str(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=give, args=(name,)) for name in ("workbench.save", "workbench.take")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1, connection.vendor
    assert list(chosen(user).values()) == ["ö"]
