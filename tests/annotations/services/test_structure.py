"""Dependencies and free order as they are stored; what is refused names both turns and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.models import Golden, GoldTurn
from annotations.services import goldens
from annotations.services.errors import NotAllowedNowError
from evaluation.aem import parse_golden
from tests.factories import make_golden, report_golden

pytestmark = pytest.mark.django_db


def make_loaded() -> Golden:
    """u1, reply 1, u2, calls 2 (filter), 3 (aggregate, uses 2), 4 (render, works on 3), reply 5 (a claim from 3)."""
    golden = make_golden()
    return goldens.load_body(golden, report_golden(), golden.annotator)


def turn_of(golden: Golden, key: str) -> GoldTurn:
    return next(turn for turn in golden.turns.all() if turn.key == key)


def pks(golden: Golden, *keys: str) -> list[int]:
    return [turn_of(golden, key).pk for key in keys]


def save(golden: Golden, key: str, **change: Any) -> GoldTurn:
    turn = turn_of(golden, key)
    return goldens.update_turn(turn=turn, body={**turn.body, **change}, seen=turn.revision, by=golden.annotator)


def groups(golden: Golden) -> list[Any]:
    return [turn.body.get("group") for turn in golden.turns.all()]


class TestDependencies:
    def test_of_each_kind_are_added_changed_and_removed(self) -> None:
        golden = make_loaded()
        edges: list[Any] = ["g2", {"turn": "g1", "kind": "control"}, {"turn": "g3", "kind": "data"}]
        assert save(golden, "g4", depends_on=edges).body["depends_on"] == edges
        assert save(golden, "g4", depends_on=edges[1:]).body["depends_on"] == edges[1:]
        changed = [{"turn": "g1", "kind": "state"}]
        assert save(golden, "g4", depends_on=changed).body["depends_on"] == changed

    @pytest.mark.parametrize(
        ("key", "change", "field", "words"),
        [
            (
                "g3",
                {"depends_on": ["g4"]},
                "depends_on[0]",
                "Turn 3 cannot build on turn 4: turn 4 builds on turn 3 already, so that each would wait for the "
                "other.",
            ),
            (
                "g2",
                {"depends_on": [{"turn": "g4", "kind": "data"}]},
                "depends_on[0]",
                "Turn 2 cannot build on turn 4: turn 4 builds on turn 2 already (through turn 3), so that each would "
                "wait for the other.",
            ),
            (
                "g2",
                {"params": {"metric": {"ref": {"turn": "g5", "path": "$"}}}},
                "params.metric.ref",
                "Turn 2 cannot build on turn 5: turn 5 builds on turn 2 already (through turn 3), so that each would "
                "wait for the other.",
            ),
            (
                "g1",
                {"claims": [{"text": "EU", "from": ["g2"]}]},
                "claims[0].from[0]",
                "Turn 1 cannot build on turn 2: turn 2 comes later.",
            ),
        ],
    )
    def test_circles_and_later_turns_are_refused(
        self, key: str, change: dict[str, Any], field: str, words: str
    ) -> None:
        golden = make_loaded()
        before = goldens.golden_body(golden)
        with pytest.raises(goldens.TurnRefusedError) as refused:
            save(golden, key, **change)
        assert (refused.value.reason, refused.value.field) == (words, field)
        assert goldens.golden_body(golden) == before

    def test_a_new_turn_is_refused_too(self) -> None:
        golden = make_loaded()
        body = {"tool": "reports", "params": {}, "depends_on": ["g4"]}
        with pytest.raises(goldens.TurnRefusedError, match="The new turn cannot build on turn 4: turn 4 comes later"):
            goldens.add_turn(golden=golden, body=body, by=golden.annotator, after=turn_of(golden, "g2"))
        added = goldens.add_turn(golden=golden, body=body, by=golden.annotator, after=turn_of(golden, "g4"))
        assert added.turn_no == 5

    def test_a_move_is_refused_by_both_numbers(self) -> None:
        golden = make_loaded()
        with pytest.raises(
            NotAllowedNowError, match="Turn 3 must stay behind turn 2: it uses the result of turn 2: da"
        ):
            goldens.move_turn(turn=turn_of(golden, "g3"), by=golden.annotator, places=-1)
        with pytest.raises(NotAllowedNowError, match="Turn 4 must stay behind turn 3: it works on what turn 3 did"):
            goldens.move_turn(turn=turn_of(golden, "g3"), by=golden.annotator, places=1)


class TestGroups:
    def free(self, golden: Golden) -> None:
        """Nothing builds on anything, so that all may be grouped."""
        save(golden, "g3", params={}, depends_on=[])
        save(golden, "g4", depends_on=[])
        save(golden, "g5", claims=[])

    def test_are_made_joined_dissolved_and_undone(self) -> None:
        golden = make_loaded()
        self.free(golden)
        states = [goldens.golden_body(golden)]
        goldens.group_turns(golden=golden, turns=pks(golden, "g2", "g3"), by=golden.annotator)
        assert groups(golden) == [None, None, None, "A", "A", None, None]
        states.append(goldens.golden_body(golden))
        goldens.group_turns(golden=golden, turns=pks(golden, "g3", "g4"), by=golden.annotator)
        assert groups(golden) == [None, None, None, "A", "A", "A", None]
        parse_golden(goldens.golden_body(golden))
        states.append(goldens.golden_body(golden))
        goldens.ungroup_turns(golden=golden, turns=pks(golden, "g4"), by=golden.annotator)
        assert groups(golden) == [None] * 7
        for state in reversed(states):
            goldens.undo(golden=golden, by=golden.annotator)
            assert goldens.golden_body(golden) == state

    def test_two_that_stand_beside_each_other_stay_two(self) -> None:
        golden = make_loaded()
        self.free(golden)
        goldens.group_turns(golden=golden, turns=pks(golden, "g2", "g3"), by=golden.annotator)
        goldens.group_turns(golden=golden, turns=pks(golden, "g4", "g5"), by=golden.annotator)
        assert groups(golden) == [None, None, None, "A", "A", "B", "B"]

    @pytest.mark.parametrize(
        ("keys", "words"),
        [
            ([], "Choose the turns first"),
            (["g2"], "Choose two turns or more"),
            (["g1", "g2"], "The user speaks between turn 1 and turn 2"),
            (["g2", "g5"], "Turns 3 and 4 stand between turn 2 and turn 5"),
            (["g2", "g3"], "Turn 3 uses the result of turn 2: data_id. So it must come after turn 2"),
            (["u2", "g2"], "What the user says stays where it is"),
        ],
    )
    def test_are_refused_with_the_reason(self, keys: list[str], words: str) -> None:
        golden = make_loaded()
        with pytest.raises(NotAllowedNowError, match=words):
            goldens.group_turns(golden=golden, turns=pks(golden, *keys), by=golden.annotator)
        assert groups(golden) == [None] * 7

    def test_turns_of_two_ways_are_refused(self) -> None:
        golden = make_loaded()
        goldens.add_path(golden=golden, name="post", copy_of="main", by=golden.annotator)
        chosen = [golden.turns.get(path=path, turn_no=2).pk for path in ("main", "post")]
        with pytest.raises(NotAllowedNowError, match="different ways"):
            goldens.group_turns(golden=golden, turns=chosen, by=golden.annotator)

    def test_one_that_is_gone_is_said(self) -> None:
        golden = make_loaded()
        with pytest.raises(NotAllowedNowError, match="removed meanwhile"):
            goldens.group_turns(golden=golden, turns=[*pks(golden, "g2"), 10**9], by=golden.annotator)
        with pytest.raises(NotAllowedNowError, match="The order of none of these turns is free"):
            goldens.ungroup_turns(golden=golden, turns=pks(golden, "g2"), by=golden.annotator)

    def test_a_group_given_by_name_obeys_the_same_rules(self) -> None:
        golden = make_loaded()
        save(golden, "g3", group="A")
        with pytest.raises(goldens.TurnRefusedError) as refused:
            save(golden, "g2", group="A")
        assert refused.value.field == "group"
        assert refused.value.reason.startswith("Turn 3 uses the result of turn 2: data_id, so that the two cannot come")

    def test_nothing_pulls_one_apart(self) -> None:
        golden = make_loaded()
        self.free(golden)
        by = golden.annotator
        goldens.group_turns(golden=golden, turns=pks(golden, "g3", "g4"), by=by)
        with pytest.raises(NotAllowedNowError, match="Turns 3 and 4 may come in any order"):
            goldens.move_turn(turn=turn_of(golden, "g4"), by=by, places=1)
        goldens.move_turn(turn=turn_of(golden, "g2"), by=by, places=1)
        order = [turn.key for turn in golden.turns.all()]
        assert order == ["u1", "g1", "u2", "g3", "g4", "g2", "g5"], "past the whole group in one go"
        goldens.move_turn(turn=turn_of(golden, "g2"), by=by, places=-1)
        assert [turn.key for turn in golden.turns.all()] == ["u1", "g1", "u2", "g2", "g3", "g4", "g5"]
        new = goldens.add_turn(golden=golden, body={"response": "x"}, by=by, after=turn_of(golden, "g3"))
        assert [turn.key for turn in golden.turns.all()] == ["u1", "g1", "u2", "g2", "g3", "g4", new.key, "g5"]
        mate = goldens.add_turn(golden=golden, body={"response": "y", "group": "A"}, by=by, after=turn_of(golden, "g3"))
        assert [turn.key for turn in golden.turns.all()][4:7] == ["g3", mate.key, "g4"]
