import re
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from annotations.services.errors import WorkbenchError
from evaluation.aem import get_scorer
from evaluation.aem.parse_parts import parse_param
from evaluation.aem.plan import make_comparer
from evaluation.models import Policy
from evaluation.services import policies
from tests.factories import make_project, make_run

pytestmark = pytest.mark.django_db


def test_the_standard_policy_is_made_once_and_leaves_all_at_the_defaults() -> None:
    project = make_project()
    first = policies.get_standard(project=project)
    assert (first.name, first.number, first.body) == ("standard", 1, {})
    assert policies.get_standard(project=project) == first


def test_an_edit_makes_the_next_number_and_keeps_the_old_one() -> None:
    project = make_project()
    first = policies.create(project=project, body={"alignment": "given"}, by=None)
    second = policies.create(project=project, body={"alignment": "search", "threshold": Decimal("0.70")}, by=None)
    assert (first.number, second.number) == (1, 2)
    first.refresh_from_db()
    assert first.body == {"alignment": "given"}
    second.refresh_from_db()
    assert str(second.body["threshold"]) == "0.70"
    assert policies.get_standard(project=project) == second
    assert policies.latest(project=project) == [second]


def test_the_same_content_again_is_no_new_number() -> None:
    project = make_project()
    first = policies.create(project=project, body={"alignment": "given"}, by=None, name="strict")
    assert policies.create(project=project, body={"alignment": "given"}, by=None, name="strict") == first


@pytest.mark.parametrize("body", [{"alignment": "guess"}, {"threshold": "half"}, {"extra_writes": 1}])
def test_what_the_engine_does_not_understand_is_refused_and_nothing_is_kept(body: dict[str, object]) -> None:
    with pytest.raises(policies.PolicyRefusedError):
        policies.create(project=make_project(), body=body, by=None)
    assert not Policy.objects.exists()


@pytest.mark.parametrize("name", ["", "  ", "n" * 81])
def test_a_policy_needs_a_name_that_fits(name: str) -> None:
    with pytest.raises(policies.PolicyRefusedError):
        policies.create(project=make_project(), body={}, by=None, name=name)


# What the database refuses


@pytest.mark.parametrize("column", ["body", "number", "name", "content_hash"])
def test_the_database_changes_no_policy(column: str) -> None:
    policy = policies.get_standard(project=make_project())
    value = {"body": {"taint": False}, "number": 7, "name": "other", "content_hash": "0" * 64}[column]
    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        Policy.objects.filter(pk=policy.pk).update(**{column: value})
    setattr(policy, column, value)
    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        policy.save()
    policy.refresh_from_db()
    assert (policy.body, policy.number, policy.name) == ({}, 1, "standard")


def test_a_policy_that_a_run_uses_is_not_deleted() -> None:
    run = make_run()
    with pytest.raises(ProtectedError):
        run.policy.delete()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM evaluation_policy WHERE id = %s", [run.policy_id])
        connection.check_constraints()
    assert Policy.objects.filter(pk=run.policy_id).exists()


# Keeping an edit


def test_a_save_names_the_number_that_it_saw() -> None:
    project = make_project()
    first = policies.save(project=project, name="own", body={}, by=None, seen_number=0)
    second = policies.save(project=project, name="own", body={"taint": False}, by=None, seen_number=1)
    assert (first.number, second.number) == (1, 2)
    with pytest.raises(policies.StalePolicyError, match="kept own 2 meanwhile: you edited number 1") as caught:
        policies.save(project=project, name="own", body={"margin": 0}, by=None, seen_number=1)
    assert (caught.value.current, caught.value.seen) == (second, 1)
    with pytest.raises(policies.StalePolicyError, match="own 2 is there already"):
        policies.save(project=project, name="own", body={"margin": 0}, by=None, seen_number=0)
    with pytest.raises(policies.PolicyRefusedError, match="no policy new"):
        policies.save(project=project, name="new", body={}, by=None, seen_number=3)
    assert Policy.objects.count() == 2


def test_a_save_that_judges_the_same_makes_no_number() -> None:
    project = make_project()
    first = policies.create(project=project, body={}, by=None)
    spelled_out = {"scorer": "exact", "threshold": Decimal("0.50"), "composition": {"rule": "unweighted"}, "params": {}}
    assert policies.save(project=project, name="standard", body=spelled_out, by=None, seen_number=1) == first


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"thresold": 1}, "policy: there is no setting 'thresold'"),
        ({"composition": {"caps": 1}}, "policy.composition: there is no setting 'caps'"),
        ({"params": {"booking": {"city": {"treshold": 1}}}}, "policy.params.booking.city: there is no setting"),
        ({"params": {"booking": {"city": {"compare": "nearly"}}}}, "booking.city.compare"),
        ({"threshold": 2}, "policy.threshold"),
    ],
)
def test_a_refusal_names_the_setting_and_the_reason(body: dict[str, Any], said: str) -> None:
    with pytest.raises(policies.PolicyRefusedError, match=re.escape(said)):
        policies.create(project=make_project(), body=body, by=None)


# Adopting what was found elsewhere


def test_adopting_changes_what_it_names_and_keeps_why() -> None:
    project = make_project()
    body = {"taint": False, "params": {"booking": {"city": {"compare": "text"}, "day": {"compare": "date"}}}}
    policies.create(project=project, body=body, by=None)
    made = policies.adopt(
        project=project,
        name="standard",
        changes=[
            policies.Adoption(threshold=Decimal("0.72")),
            policies.Adoption(tool="booking", param="city", threshold=Decimal("0.8")),
            policies.Adoption(tool="mail", param="to", compare="literal"),
        ],
        by=None,
        reason="calibrated on 120 labels",
    )
    assert made.number == 2
    assert made.body == {
        "taint": False,
        "threshold": Decimal("0.72"),
        "params": {
            "booking": {"city": {"compare": "text", "threshold": Decimal("0.8")}, "day": {"compare": "date"}},
            "mail": {"to": {"compare": "literal"}},
        },
    }
    [second, first] = policies.steps(list(Policy.objects.order_by("-number")), before=None)
    assert second.reason == "calibrated on 120 labels"
    assert second.changes == [
        "threshold 0.5 → 0.72",
        "booking.city: compared by meaning → compared by meaning, threshold 0.8",
        "mail.to now compared exactly, letter by letter",
    ]
    assert first.reason == ""
    again = policies.adopt(
        project=project,
        name="standard",
        changes=[policies.Adoption(threshold=Decimal("0.720"))],
        by=None,
        reason="once more",
    )
    assert again == made


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        (policies.Adoption(threshold=Decimal("0.7")), " ", "reason"),
        (policies.Adoption(threshold=Decimal(2)), "so", "threshold"),
        (policies.Adoption(threshold=Decimal("0.7"), tool="booking"), "so", "both tool and parameter"),
        (policies.Adoption(compare="text"), "so", "for a tool's parameter"),
    ],
)
def test_what_cannot_be_adopted_is_refused(change: policies.Adoption, reason: str, said: str) -> None:
    project = make_project()
    policies.get_standard(project=project)
    with pytest.raises(WorkbenchError, match=said):
        policies.adopt(project=project, name="standard", changes=[change], by=None, reason=reason)
    with pytest.raises(WorkbenchError, match="no policy other"):
        policies.adopt(project=project, name="other", changes=[], by=None, reason="so")
    assert Policy.objects.count() == 1


# In words


def test_differences_are_said_in_words() -> None:
    before = {"threshold": Decimal("0.5"), "params": {"a": {"x": {"compare": "number"}, "y": {"threshold": 1}}}}
    after = {
        "scorer": "embedded",
        "threshold": Decimal("0.70"),
        "taint": False,
        "composition": {"rule": "gated", "cap": Decimal("0.25")},
        "params": {"a": {"x": {"compare": {"as": "number", "abs": Decimal("0.5")}}}, "b": {"z": {"compare": "text"}}},
    }
    assert policies.differences(before, after) == [
        "evaluator exact → embedded",
        "threshold 0.5 → 0.7",
        "taint on → off",
        "composition unweighted → gated, cap 0.25",
        "a.x: compared as a number → compared as a number, give or take 0.5",
        "a.y no longer threshold 1",
        "b.z now compared by meaning",
    ]
    assert policies.differences(before, before) == []


def test_a_threshold_may_stand_in_two_places_of_a_rule_and_means_the_same() -> None:
    inside = {"params": {"a": {"x": {"compare": {"as": "text", "threshold": Decimal("0.8")}}}}}
    beside = {"params": {"a": {"x": {"compare": "text", "threshold": Decimal("0.8")}}}}
    assert policies.differences(inside, beside) == []


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (None, "by meaning, threshold 0.8 (from the policy's rule)"),
        ("literal", "exactly, letter by letter (from the golden)"),
        ({"as": "text", "threshold": 1}, "by meaning, threshold 1 (from the golden)"),
        ("text", "by meaning (from the golden), threshold 0.8 (from the policy's rule)"),
    ],
)
def test_the_rule_that_counts_for_a_field_is_said_with_where_it_comes_from(own: Any, said: str) -> None:
    policy = policies.parsed({"params": {"booking": {"city": {"compare": "text", "threshold": Decimal("0.8")}}}})
    assert policies.effective(policy, "booking", "city", own=policies.own_compare(own)).words == said


@pytest.mark.parametrize("own", [None, "literal", "text", {"as": "text", "threshold": Decimal("0.3")}])
@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"compare": "text"},
        {"threshold": Decimal("0.8")},
        {"compare": {"as": "text", "threshold": Decimal("0.6")}},
        {"compare": {"as": "text", "threshold": Decimal("0.6")}, "threshold": Decimal("0.9")},
    ],
)
def test_the_rule_that_is_said_is_the_one_that_the_engine_follows(own: Any, rule: dict[str, Any]) -> None:
    policy = policies.parsed({"threshold": Decimal("0.4"), "params": {"t": {"p": rule}}})
    said = policies.effective(policy, "t", "p", own=policies.own_compare(own))
    param = parse_param("p", {"value": "x", **({} if own is None else {"compare": own})}, "p")
    followed = make_comparer(param, policy.params["t"]["p"], policy, get_scorer("exact"))
    assert (followed.kind, followed.threshold) == (said.compare.kind, said.threshold)
