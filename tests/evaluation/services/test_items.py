from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from annotations.models import HumanLabel
from evaluation.models import EvaluationRun
from evaluation.services import items
from evaluation.services.items import ItemFilter
from evaluation.services.runs import AgentVersion
from tests.factories import make_member, make_report_version, make_run, make_trajectory

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> EvaluationRun:
    """Items 1 and 2 fail at turn 2, items 3 and 4 pass; item 5 is of another version and cannot be scored."""
    version = make_report_version(4, failing=2)
    last = version.items.get(position=3).golden_record.conversation
    make_trajectory(last, agent_version="9", trial=3, body={"turns": [{"tool": 5}]})
    return make_run(version)


def found(run: EvaluationRun, **wanted: Any) -> list[int]:
    return [item.position for item in items.find(run, ItemFilter(**wanted))]


@pytest.mark.parametrize(
    ("wanted", "positions"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"result": "failed"}, [1, 2]),
        ({"result": "passed"}, [3, 4]),
        ({"result": "not_scored"}, [5]),
        ({"result": "waiting"}, []),
        ({"result": "unknown"}, []),
        ({"result": "left_open"}, []),
        ({"result": "nonsense"}, []),
        ({"agent": '["reporter", "9"]'}, [5]),
        ({"agent": "nonsense"}, []),
        ({"trial": 3}, [5]),
        ({"first": 2}, [1, 2]),
        ({"first": 3}, []),
        ({"chain": "complex"}, [1, 2, 3, 4]),
        ({"length": "1–5"}, [1, 2, 3, 4, 5]),
        ({"length": "nonsense"}, []),
        ({"language": "en"}, [1, 2, 3, 4, 5]),
        ({"language": items.NOT_GIVEN}, []),
        ({"domain": "sales", "result": "failed"}, [1, 2]),
        ({"cause": "root"}, [1, 2]),
        ({"cause": "cascade"}, [1, 2]),
        ({"cause": "failed"}, [1, 2]),
        ({"cause": "passed"}, [1, 2, 3, 4]),
        ({"reason": "inconsistent_parameter_values"}, [1, 2]),
        ({"reason": "tool_mismatch"}, []),
        ({"tool": "reports"}, [1, 2, 3, 4]),
        ({"tool": "reports", "action": "FilterData", "cause": "root"}, [1, 2]),
        ({"tool": "reports", "action": "Render", "cause": "root"}, []),
        ({"field": "metric"}, [1, 2]),
        ({"field": "METRIC"}, []),
        ({"field": "metri"}, []),
        ({"field": 'me"tric'}, []),
        ({"kind": "response", "cause": "root"}, []),
        ({"stale": True}, []),
    ],
)
def test_items_are_found_by_what_they_show(run: EvaluationRun, wanted: dict[str, Any], positions: list[int]) -> None:
    assert found(run, **wanted) == positions


def test_what_is_asked_of_a_turn_must_hold_for_one_turn(run: EvaluationRun) -> None:
    """There is a root cause in these items and there is a call of Render, but Render is no root cause."""
    assert found(run, action="Render") == [1, 2, 3, 4]
    assert found(run, action="Render", cause="root") == []


def test_out_of_date_items_are_found(run: EvaluationRun) -> None:
    trajectory = run.items.get(position=2).trajectory
    trajectory.superseded_at = datetime(2026, 1, 1, tzinfo=UTC)
    trajectory.save(update_fields=["superseded_at"])
    assert found(run, stale=True) == [2]


def test_an_agent_version_survives_its_key() -> None:
    agent = AgentVersion('odd "name"', "1, 2")
    assert items.agent_of(items.key_of(agent)) == agent
    assert items.agent_of("[1, 2]") is None
    assert items.agent_of("") is None


def test_whoever_labels_sees_how_far_they_are(run: EvaluationRun) -> None:
    me, other = make_member(run.project), make_member(run.project)
    first, second = run.items.order_by("position")[:2]
    for person, item in ((me, first), (other, second)):
        HumanLabel.objects.create(
            trajectory=item.trajectory, annotator=person, path="main", turn_key="g1", verdict="pass"
        )
    mine = items.to_label(run, viewer=me)
    assert [item.own_labels for item in mine] == [1, 0, 0, 0, 0]
    assert [item.position for item in items.to_label(run, viewer=me, only_open=True)] == [2, 3, 4, 5]
