from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Conversation, Project
from annotations.services import goldens
from evaluation.services import policies, policy_fields
from evaluation.services.policy_fields import FieldUse
from tests.factories import (
    make_conversation,
    make_dataset,
    make_golden_record,
    make_member,
    make_trajectory,
    report_golden,
)

pytestmark = pytest.mark.django_db

TOOLS: dict[str, Any] = {
    "reports": {
        "effect": "read",
        "schema": {"properties": {"metric": {"type": "string"}, "limit": {"type": "integer"}}},
    },
    "mail": {"effect": "write", "schema": {"properties": {"urgent": {"enum": ["yes", "no"]}}}},
}


@pytest.fixture
def conversation() -> Conversation:
    return make_conversation(make_dataset(), tools=TOOLS)


def found(project: Project) -> dict[str, FieldUse]:
    return {use.name: use for use in policy_fields.fields_of(project).uses}


def test_fields_come_from_goldens_in_force_and_from_the_schemas_of_tools(conversation: Conversation) -> None:
    golden = report_golden()
    golden["forbidden"] = [{"tool": "mail", "params": {"to": {"value": ["a", "b"]}}}]
    golden["outcome"] = [{"kind": "called", "tool": "mail", "params": {"to": {"value": True}}}]
    make_golden_record(conversation, golden=golden)
    make_golden_record(make_conversation(conversation.dataset, tools=TOOLS))
    uses = found(conversation.dataset.project)
    assert (uses["reports.metric"].count, uses["reports.metric"].kind, uses["reports.metric"].example) == (
        2,
        "text",
        "revenue",
    )
    assert (uses["reports.region"].count, uses["reports.region"].example) == (2, "EU")
    assert uses["reports.data_id"].kind == policy_fields.FROM_RESULT
    assert (uses["reports.limit"].count, uses["reports.limit"].kind) == (0, "number")
    assert (uses["mail.urgent"].count, uses["mail.urgent"].example) == (0, "yes")
    assert uses["mail.to"].count == 2


def test_what_is_read_is_kept_until_a_golden_changes(
    conversation: Conversation, django_assert_num_queries: Any
) -> None:
    project = conversation.dataset.project
    make_golden_record(conversation)
    assert found(project)["reports.metric"].own_count == 0
    with django_assert_num_queries(1):
        policy_fields.fields_of(project)
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["metric"]["compare"] = "literal"
    make_golden_record(conversation, golden=golden, policy={"threshold": 1})
    fields = policy_fields.fields_of(project)
    assert {use.name: use.own_count for use in fields.uses if use.own_count} == {"reports.metric": 1}
    assert (fields.own_settings, fields.goldens) == ((("threshold", 1),), 1)


def test_fields_of_other_projects_are_not_there(conversation: Conversation) -> None:
    make_golden_record(conversation)
    other = make_conversation(tools={})
    assert policy_fields.fields_of(other.dataset.project).uses == ()


def test_rules_come_first_and_those_for_nothing_are_there_too(conversation: Conversation) -> None:
    make_golden_record(conversation)
    fields = policy_fields.fields_of(conversation.dataset.project)
    policy = policies.parsed(
        {"params": {"reports": {"format": {"compare": "literal"}}, "ghost": {"x": {"threshold": 1}}}}
    )
    rows = policy_fields.under(policy, fields)
    assert [(row.use.name, row.use.count, row.is_ruled) for row in rows[:2]] == [
        ("reports.format", 1, True),
        ("ghost.x", 0, True),
    ]
    assert len(rows) == len(fields.uses) + 1
    assert len(policy_fields.under(policy, fields, only_ruled=True)) == 2


def test_a_rule_of_a_golden_leads_to_its_turn_in_the_workbench(conversation: Conversation) -> None:
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["metric"] = {"value": "revenue", "compare": {"as": "text", "threshold": 1}}
    make_golden_record(conversation, golden=golden)
    [rule] = policy_fields.fields_of(conversation.dataset.project).own
    [imported] = policy_fields.located([rule])
    assert (imported.rule.words, imported.url) == ("by meaning, threshold 1", conversation.get_absolute_url())
    annotator = make_member(conversation.dataset.project)
    written = goldens.start(conversation, annotator, make_trajectory(conversation))
    record = conversation.golden_records.get()
    record.golden = written
    record.save(update_fields=["golden"])
    turn = next(turn for turn in written.turns.all() if turn.kind == "action")
    turn.body = {**turn.body, "id": "g2"}
    turn.save(update_fields=["body"])
    [here] = policy_fields.located([rule])
    assert here.url == f"{written.get_absolute_url()}?turn={turn.pk}"


def test_a_comparison_that_cannot_be_read_breaks_no_page(conversation: Conversation) -> None:
    golden = report_golden()
    golden["paths"][0]["turns"][3]["params"]["metric"]["compare"] = {"as": "nearly"}
    make_golden_record(conversation, golden=golden)
    [rule] = policy_fields.fields_of(conversation.dataset.project).own
    assert rule.words == "by its type"
