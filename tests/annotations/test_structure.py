"""What builds on what, what may come in any order, and the words in which something is refused."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.structure import (
    StepDraft,
    arcs_of,
    edges_of,
    free_group_name,
    group_problem,
    links_of,
    moved_problem,
    numbers_of,
    order_problem,
    runs_of,
    runs_problem,
    with_companions,
)


def path_of(*bodies: dict[str, Any]) -> list[StepDraft]:
    """Turns of one path; user turns are ``{"user": …}``, all others get an id and a number."""
    steps = []
    number = 0
    for place, body in enumerate(bodies):
        number += "user" not in body
        key = body.get("id") or (f"u{place}" if "user" in body else f"g{number}")
        steps.append(StepDraft(key, None if "user" in body else number, {"id": key, **body}))
    return steps


def call(*on: Any, **body: Any) -> dict[str, Any]:
    return {"tool": "t", **({"depends_on": list(on)} if on else {}), **body}


def ref(turn: str, path: str = "$.id") -> dict[str, Any]:
    return {"params": {"report_id": {"ref": {"turn": turn, "path": path}}}}


class TestEdges:
    def test_are_read_of_every_part_with_the_engines_places(self) -> None:
        body = {
            "response": "x",
            "depends_on": ["g1", {"turn": "g2", "kind": "control"}],
            "claims": [{"text": "It is 5", "from": ["g3"]}],
            "params": {"a.b": {"value": 1, "from": ["g4"]}},
        }
        found = [(edge.source, edge.kind, edge.field, edge.place) for edge in edges_of(body)]
        assert found == [
            ("g1", "state", "", "depends_on[0]"),
            ("g2", "control", "", "depends_on[1]"),
            ("g4", "data", "a.b", 'params["a.b"].from[0]'),
            ("g3", "data", "“It is 5”", "claims[0].from[0]"),
        ]

    @pytest.mark.parametrize(
        "body", [None, [], "x", {"depends_on": 7, "params": [1], "claims": {"a": 1}}, {"params": {"a": {"ref": 3}}}]
    )
    def test_of_nothing_readable_are_none(self, body: Any) -> None:
        assert edges_of(body) == []


class TestOrder:
    def test_a_later_turn_is_refused_by_both_numbers(self) -> None:
        problem = order_problem(path_of(call(), call(**ref("g3")), call()), about="g2")
        assert problem is not None
        assert problem.reason == "Turn 2 cannot build on turn 3: turn 3 comes later."
        assert problem.place == "params.report_id.ref"

    def test_a_circle_is_told_from_what_only_comes_later(self) -> None:
        problem = order_problem(path_of(call("g2"), call("g1")))
        assert problem is not None
        assert "turn 2 builds on turn 1 already, so that each would wait for the other" in problem.reason

    def test_a_circle_through_others_names_them(self) -> None:
        steps = path_of(call("g4"), call("g1"), call("g2"), call("g3"))
        problem = order_problem(steps)
        assert problem is not None
        assert "Turn 1 cannot build on turn 4" in problem.reason
        assert "(through turn 3 and turn 2)" in problem.reason

    def test_many_circles_end(self) -> None:
        keys = [f"g{n}" for n in range(1, 41)]
        steps = path_of(*(call(*(key for key in keys if key != f"g{n}")) for n in range(1, 41)))
        assert order_problem(steps) is not None

    @pytest.mark.parametrize(
        ("key", "words"),
        [("g2", "cannot build on itself"), ("g9", "not in this path: “g9”"), ("u0", "what the user says")],
    )
    def test_itself_nobody_and_the_user_are_refused(self, key: str, words: str) -> None:
        problem = order_problem(path_of({"user": "Hi"}, call(), call(key)))
        assert problem is not None
        assert words in problem.reason
        assert problem.reason.startswith("Turn 2 ")

    def test_turns_of_one_group_do_not_build_on_each_other(self) -> None:
        steps = path_of(call(group="A"), call(group="A", **ref("g1")))
        expected = "Turn 2 uses the result of turn 1: report_id, so that the two cannot come in any order (group A)."
        for about in ("g1", "g2", None):
            problem = order_problem(steps, about=about)
            assert problem is not None
            assert problem.reason == expected

    def test_groups_apart_may_build_on_each_other(self) -> None:
        steps = path_of(call(group="A"), {"user": "Go on"}, call(group="A", **ref("g1")))
        assert order_problem(steps) is None

    def test_what_is_wrong_elsewhere_stops_nobody(self) -> None:
        steps = path_of(call("g9"), call(), call("g2"))
        assert order_problem(steps, about="g2") is None
        assert order_problem(steps, about="g3") is None

    def test_a_move_says_what_must_stay_behind_what(self) -> None:
        one, two = path_of(call(), call(**ref("g1")))
        assert (
            moved_problem([two, one], "g1")
            == "Turn 2 must stay behind turn 1: it uses the result of turn 1: report_id."
        )
        assert moved_problem([one, two], "g1") == ""


class TestGroups:
    def test_are_neighbours_in_one_exchange(self) -> None:
        steps = path_of(call(group="A"), call(group="A"), call(), call(group="A"), {"user": "x"}, call(group="A"))
        assert [(run.name, run.keys) for run in runs_of(steps)] == [
            ("A", ("g1", "g2")),
            ("A", ("g4",)),
            ("A", ("g5",)),
        ]

    @pytest.mark.parametrize(
        ("chosen", "words"),
        [
            ([0], "Choose two turns or more"),
            ([0, 2], "Turn 2 stands between turn 1 and turn 3"),
            ([0, 3], "Turns 2 and 3 stand between turn 1 and turn 4"),
            ([3, 5], "The user speaks between turn 4 and turn 5"),
            ([3, 4], "What the user says stays where it is"),
            ([2, 3], "Turn 4 uses the result of turn 3: report_id. So it must come after turn 3"),
            ([0, 1], ""),
            ([0, 1, 2], ""),
        ],
    )
    def test_are_refused_with_the_reason(self, chosen: list[int], words: str) -> None:
        steps = path_of(call(), call(), call(), call(**ref("g3")), {"user": "x"}, call())
        problem = group_problem(steps, [steps[n] for n in chosen])
        assert problem.startswith(words) if words else not problem

    def test_companions_come_along(self) -> None:
        steps = path_of(call(), call(group="A"), call(group="A"), call())
        assert [step.key for step in with_companions(steps, ["g2", "g4"])] == ["g2", "g3", "g4"]

    def test_are_not_pulled_apart(self) -> None:
        one, two, three = path_of(call(group="A"), call(group="A"), call())
        assert runs_problem([one, two, three], [two, one, three]) == ""
        assert runs_problem([one, two, three], [one, three, two]).startswith("Turns 1 and 2 may come in any order")
        assert runs_problem([one, two, three], [two, three]) == ""

    def test_of_one_name_do_not_become_one(self) -> None:
        one, two, three = path_of(call(group="A"), call(), call(group="A"))
        assert "groups of the same name “A”" in runs_problem([one, two, three], [one, three])

    def test_names_are_short_and_new(self) -> None:
        assert free_group_name({"A", "B"}) == "C"
        assert free_group_name({chr(ord("A") + n) for n in range(26)}) == "A2"

    def test_numbers_are_read_as_spans(self) -> None:
        steps = path_of(call(), call(), call(), call())
        assert numbers_of(steps) == "turns 1 to 4"
        assert numbers_of([steps[0], steps[2]]) == "turns 1 and 3"
        assert numbers_of(steps[:1]) == "turn 1"


class TestLinks:
    def test_say_and_draw_what_builds_on_what(self) -> None:
        steps = path_of(
            call(),
            call("g1"),
            call(params={"a": {"ref": {"turn": "g1", "path": "$.id"}}, "b": {"value": 1, "from": ["g1"]}}),
            call({"turn": "g1", "kind": "control"}, "g9"),
        )
        links = links_of(steps)
        assert [link.sentence for link in links] == [
            "turn 2 works on what turn 1 did",
            "turn 3 uses the result of turn 1: a, b",
            "turn 4 happens because of turn 1",
        ]
        assert links[1].results == ("id",)
        arcs = arcs_of(links, {step.key: n for n, step in enumerate(steps)})
        assert len({arc.d for arc in arcs}) == 3
        assert arcs[0].d.startswith("M2 18C")

    def test_three_hundred_are_drawn_at_once(self) -> None:
        steps = path_of(call(), *(call(f"g{n}", **ref("g1")) for n in range(1, 300)))
        links = links_of(steps)
        arcs = arcs_of(links, {step.key: n for n, step in enumerate(steps)})
        assert len(arcs) == 598
        assert all(int(arc.d.split("C")[1].split()[0]) <= 60 for arc in arcs), "no arc leaves its column"
