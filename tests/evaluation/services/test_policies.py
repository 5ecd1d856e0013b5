from decimal import Decimal

import pytest

from evaluation.models import Policy
from evaluation.services import policies
from tests.factories import make_project

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
