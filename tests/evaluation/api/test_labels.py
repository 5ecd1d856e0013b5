"""Labels and decisions by the API, where names are odd; what is ordinary is in the main path and under blindness."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Role
from tests.factories import (
    make_conversation,
    make_dataset_version,
    make_golden_record,
    make_member,
    make_run,
    make_trajectory,
    report_golden,
)
from tests.people import api_of

pytestmark = pytest.mark.django_db


def test_a_turn_with_a_name_too_long_for_a_label_is_refused_with_a_sentence() -> None:
    conversation = make_conversation()
    golden: Any = report_golden()
    golden["paths"][0]["turns"][1]["id"] = "g" * 101
    version = make_dataset_version(conversation.dataset, records=[make_golden_record(conversation, golden=golden)])
    make_trajectory(conversation)
    run = make_run(version)
    caller = api_of(make_member(conversation.dataset.project, Role.OWNER))
    turn = f"runs/{run.pk}/items/1/turns/1/"
    for response in (
        caller.put(f"{turn}label/", {"seen_revision": 0, "verdict": "pass"}),
        caller.put(f"{turn}decision/", {"seen_revision": 0, "verdict": "pass", "reason": "so it is"}),
    ):
        assert response.status_code == 400
        assert "has 101 characters" in response.data["detail"]


def test_an_unfit_verdict_is_no_decision() -> None:
    run = make_run()
    caller = api_of(make_member(run.project, Role.ADJUDICATOR))
    path = f"runs/{run.pk}/items/1/turns/1/decision/"
    for body in (
        {"seen_revision": 0, "verdict": "unsure", "reason": "?"},
        {"seen_revision": 0, "verdict": "pass", "reason": "  "},
        {"seen_revision": 0, "verdict": "pass"},
        {"seen_revision": 3, "verdict": "pass", "reason": "late"},
    ):
        assert caller.put(path, body).status_code == 400, body
    assert caller.delete(path).status_code == 404
    assert caller.get(path).data["decision"] is None


def test_options_and_other_methods_say_what_is_there() -> None:
    run = make_run()
    caller = api_of(make_member(run.project, Role.ENGINEER))
    assert caller.call("options", f"runs/{run.pk}/").status_code == 200
    refused = caller.put(f"runs/{run.pk}/", {})
    assert refused.status_code == 405
    assert refused["Content-Type"] == "application/problem+json"
