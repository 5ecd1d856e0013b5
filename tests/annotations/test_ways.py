"""What differs between two ways of one golden."""

from __future__ import annotations

from typing import Any

from annotations.structure import StepDraft
from annotations.ways import compare


def way(*turns: tuple[str, dict[str, Any]]) -> list[StepDraft]:
    return [StepDraft(key, number, {"id": key, **body}) for number, (key, body) in enumerate(turns, start=1)]


ASK = ("g1", {"response": "Which region?"})
FILTER = ("g2", {"tool": "reports", "action": "FilterData", "params": {"region": {"value": "EU"}}})
RENDER = ("g3", {"tool": "reports", "action": "Render", "params": {"data": {"ref": {"turn": "g2", "path": "$.id"}}}})


def states(first: list[StepDraft], second: list[StepDraft]) -> list[str]:
    return [row.state for row in compare(first, second)]


class TestCompare:
    def test_a_copy_is_the_same(self) -> None:
        assert states(way(ASK, FILTER, RENDER), way(ASK, FILTER, RENDER)) == ["same"] * 3

    def test_a_changed_field_is_told_word_by_word(self) -> None:
        other = ("g2", {**FILTER[1], "params": {"region": {"values": ["EU", "Europe"]}}})
        row = compare(way(ASK, FILTER, RENDER), way(ASK, other, RENDER))[1]
        assert row.state == "changed"
        (field,) = row.fields
        assert field.label == "parameter region"
        assert [(piece.kind, piece.text) for piece in field.pieces] == [("same", "is EU"), ("ins", " or Europe")]

    def test_what_stands_in_one_alone_is_told(self) -> None:
        assert states(way(ASK, FILTER, RENDER), way(FILTER, RENDER)) == ["missing", "same", "same"]
        extra = ("g9", {"tool": "mail", "params": {}})
        assert states(way(ASK, FILTER, RENDER), way(ASK, FILTER, extra, RENDER)) == ["same", "same", "added", "same"]

    def test_ids_of_their_own_make_no_difference(self) -> None:
        render = ("x3", {**RENDER[1], "params": {"data": {"ref": {"turn": "x2", "path": "$.id"}}}})
        assert states(way(ASK, FILTER, RENDER), way(("x1", ASK[1]), ("x2", FILTER[1]), render)) == ["same"] * 3

    def test_the_same_id_for_another_turn_is_a_difference(self) -> None:
        extra = ("g5", FILTER[1])
        render = ("g3", {**RENDER[1], "params": {"data": {"ref": {"turn": "g5", "path": "$.id"}}}})
        rows = compare(way(ASK, FILTER, RENDER), way(ASK, FILTER, extra, render))
        assert [row.state for row in rows].count("added") == 1
        assert rows[-1].state == "changed"

    def test_another_tool_is_another_turn(self) -> None:
        assert states(way(FILTER), way(("g2", {"tool": "mail", "params": {}}))) == ["missing", "added"]

    def test_long_ways_without_anything_in_common_end_soon(self) -> None:
        first = way(*((f"a{n}", {"response": f"one {n}"}) for n in range(300)))
        second = way(*((f"b{n}", {"response": f"other {n}"}) for n in range(300)))
        assert states(first, second) == ["changed"] * 300

    def test_values_that_only_python_takes_for_equal_are_a_difference(self) -> None:
        for one, other in ((1, True), (0, False), ("[1]", [1])):
            first, second = (
                way(("g1", {"tool": "mail", "params": {"all": {"value": value}}})) for value in (one, other)
            )
            (row,) = compare(first, second)
            assert row.state == "changed"
            assert row.fields[0].label == "parameter all"

    def test_what_differs_behind_the_end_of_the_shown_words_is_a_difference(self) -> None:
        text = "so long that it is shortened wherever it is shown, " * 3
        for name in ("tool", "response"):
            first, second = (
                way(
                    (
                        "g1",
                        {"tool": "mail", "params": {"to": {"value": f"{text}{end}"}}}
                        if name == "tool"
                        else {"response": "-", "claims": [{"text": f"{text}{end}"}]},
                    )
                )
                for end in "ab"
            )
            (row,) = compare(first, second)
            assert row.state == "changed"
            assert {piece.kind for piece in row.fields[0].pieces} >= {"del", "ins"}
