"""What holds where a trajectory is changed: in the order of free turns, by a repeated call, upstream of a failure.

Section numbers are those of the description of what the engine computes. Where the property that one would like is
false under it, the docstring says so, and the true one is stated.
"""

import copy
import random
from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.aem.builders import call, gold, golden, judge, reply
from tests.aem.random_records import SCORERS, SEEDS, FakeScorer, Record, a_record, copies, judged, result_of, strict

VALUES = st.sampled_from(["D7", "D9", 34, "34", 120, "Porto", "porto", True])
RESULTS = st.one_of(
    st.none(), st.fixed_dictionaries({"id": VALUES, "text": st.sampled_from(["Ref D7", "34 and 87", ""])})
)


@st.composite
def free_turns(draw: st.DrawFn) -> tuple[Record, list[int]]:
    """A record with a group whose calls are told apart by their tools, and where the group's answers stand.

    Calls before and behind it, values right and wrong, results and errors are all there; so are dependencies, data that
    are handed on, and a reply.
    """
    before, size, behind = draw(st.integers(0, 2)), draw(st.integers(2, 4)), draw(st.integers(0, 3))
    annotate = draw(st.booleans())
    turns: list[dict[str, Any]] = [{"user": "Go"}]
    seen: list[dict[str, Any]] = [{"user": "Go"}]
    ids: list[str] = []
    for number in range(before + size + behind):
        is_free = before <= number < before + size
        upstream = ids[:before] if is_free else list(ids)
        more: dict[str, Any] = {"group": "q"} if is_free else {}
        if annotate and upstream:
            kind = draw(st.sampled_from(["state", "data", "control"]))
            more["depends_on"] = [{"turn": draw(st.sampled_from(upstream)), "kind": kind}]
        param: dict[str, Any] = {"value": draw(VALUES)}
        if annotate and upstream and draw(st.booleans()):
            param = {"ref": {"turn": draw(st.sampled_from(upstream)), "path": "$.id"}}
        turns.append(gold(f"g{number}", f"tool{number}", {"k": param}, **more))
        args = {key: draw(VALUES) for key in draw(st.sampled_from([["k"], ["k"], ["k", "z"], []]))}
        seen.append(
            call(f"tool{number}", args, result=draw(RESULTS), error=draw(st.sampled_from([False, False, True])))
        )
        ids.append(f"g{number}")
    if draw(st.booleans()):
        claim = {"text": "was 34", "contains": [draw(st.sampled_from([34, "D7", 87]))]}
        turns.append(reply("last", "It was 34", claim))
        seen.append({"response": draw(st.sampled_from(["It was 34", "It was 87", "D7 and 34", "Nothing."]))})
    record = {"format": "aem/1", "golden": golden(*turns), "trajectory": {"turns": seen}, "policy": {}}
    return record, list(range(1 + before, 1 + before + size))


@given(free_turns(), st.randoms(use_true_random=False), SCORERS)
@settings(max_examples=300, deadline=None)
def test_the_order_of_free_turns_changes_nothing(
    made: tuple[Record, list[int]], chance: random.Random, scorer: FakeScorer | None
) -> None:
    """Section 2: in a group the observed turns may come in any order; only where they stand changes.

    It holds where the answers are told apart by more than a tie, as by their tools here. Among answers that score
    equally the earliest is taken, so that then their order does decide which is taken, and which is unexpected.
    """
    record, places = made
    before = result_of(record, scorer)
    assert before is not None
    order = list(places)
    chance.shuffle(order)
    changed = copy.deepcopy(record)
    for to, at in zip(places, order, strict=True):
        changed["trajectory"]["turns"][to] = record["trajectory"]["turns"][at]
    after = result_of(changed, scorer)
    assert after is not None
    came_from = dict(zip(places, order, strict=True))
    for turn in after["turns"]:
        turn["observed"] = came_from.get(turn["observed"], turn["observed"])
    assert after == before


@given(free_turns(), st.randoms(use_true_random=False), SCORERS)
@settings(max_examples=300, deadline=None)
def test_the_order_in_which_free_turns_are_annotated_changes_only_their_numbers(
    made: tuple[Record, list[int]], chance: random.Random, scorer: FakeScorer | None
) -> None:
    """Sections 2 and 4: turns of one group are no sources of each other, and either order is the golden one.

    As above, where the answers are told apart by more than a tie.
    """
    record, places = made
    before = result_of(record, scorer)
    assert before is not None
    changed = copy.deepcopy(record)
    turns = changed["golden"]["paths"][0]["turns"]
    order = [turns[place] for place in places]
    chance.shuffle(order)
    turns[places[0] : places[-1] + 1] = order
    after = result_of(changed, scorer)
    assert after is not None
    number_of = {turn["golden"]: turn["turn_no"] for turn in before["turns"]}
    numbers = {turn["turn_no"]: number_of[turn["golden"]] for turn in after["turns"]}
    for turn in after["turns"]:
        turn["turn_no"] = numbers[turn["turn_no"]]
        turn["cascade_of"] = sorted(numbers[one] for one in turn["cascade_of"])
    after["turns"].sort(key=lambda turn: turn["turn_no"])
    # The first root cause may be another one of the group.
    for result in (before, after):
        result.pop("first_failure_turn")
        result.pop("root_cause")
    assert after == before


def test_among_free_answers_that_score_equally_the_earlier_is_taken() -> None:
    """Section 2: why the order of free turns can matter where answers tie: it decides which is taken."""
    turns = [gold("g1", "a", {"k": 1}, group="q"), gold("g2", "b", group="q"), gold("g3", "c", {"id": 5})]
    wrong, other = call("a", {"k": 2}, result={"id": 6}), call("a", {"k": 3}, result={"id": 7})
    last = [call("b"), call("c", {"id": 6})]
    assert judge(turns, [wrong, other, *last]).turns[2].cascade_of == (1,)
    assert judge(turns, [other, wrong, *last]).turns[2].cascade_of == ()


# --- repeated calls ---------------------------------------------------------------------------------------------------


def surplus(result: dict[str, Any], at: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A result as if the observed turn at a position had never been, and what is said of that turn."""
    made = copy.deepcopy(result)
    own = [one for one in made["unexpected"] if one["observed"] == at]
    made["unexpected"] = [one for one in made["unexpected"] if one["observed"] != at]
    for one in [*made["unexpected"], *made["turns"]]:
        if one["observed"] is not None:
            one["observed"] -= one["observed"] > at
    return made, own


@given(copies(), st.data())
@settings(max_examples=300, deadline=None)
def test_a_call_made_once_more_is_unexpected_where_everything_is_right(record: Record, data: st.DataObject) -> None:
    """Section 2: a surplus copy of a call changes no turn's verdict, and is listed as a retry.

    True where every turn was answered in full, and no other call is the same: the copy stands anywhere behind the first
    in its exchange. In general it is false. A copy may answer a turn that nothing answered; it may take the place of a
    call that scores as much and stands later; and what it answers then leaves other turns for other answers.
    """
    turns = record["trajectory"]["turns"]
    calls = [at for at, turn in enumerate(turns) if "tool" in turn]
    assume(calls)
    at = data.draw(st.sampled_from(calls))
    assume(sum({**turn, "result": 0} == {**turns[at], "result": 0} for turn in turns) == 1)
    # Optional and free turns are told apart as the others are; only a call that asks for the same can take the copy.
    gold_turns = [turn for turn in record["golden"]["paths"][0]["turns"] if turn.get("tool") == turns[at]["tool"]]
    assume(len(gold_turns) == 1)
    end = at + 1
    while end < len(turns) and "user" not in turns[end]:
        end += 1
    to = data.draw(st.integers(at + 1, end))
    before = result_of(record)
    changed = copy.deepcopy(record)
    changed["trajectory"]["turns"].insert(to, copy.deepcopy(turns[at]))
    after, own = surplus(result_of(changed) or {}, to)
    assert after == before
    assert own == [{"observed": to, "kind": "retry", "wrote": False}]


@given(copies(), st.data())
@settings(max_examples=300, deadline=None)
def test_a_foreign_call_is_unexpected_where_everything_is_right(record: Record, data: st.DataObject) -> None:
    """Section 2: a call that no turn asks for changes no turn's verdict where each was answered in full.

    In general it is false: the 0.01 that it scores with a turn that nothing answered can decide between pairings that
    were equal before.
    """
    turns = record["trajectory"]["turns"]
    to = data.draw(st.integers(0, len(turns)))
    before = result_of(record)
    changed = copy.deepcopy(record)
    changed["trajectory"]["turns"].insert(to, {"tool": "foreign", "args": {"k": 1}})
    after, own = surplus(result_of(changed) or {}, to)
    assert after == before
    assert own == [{"observed": to, "kind": "extra", "wrote": False}]


def test_a_call_made_once_more_may_answer_what_nothing_answered() -> None:
    """Section 2: why a copy can change a verdict: the golden asks for the call twice."""
    turns = [gold("g1", "a", {"k": 1}), gold("g2", "a", {"k": 1})]
    assert judge(turns, [call("a", {"k": 1})]).success_rate == Fraction(1, 2)
    assert judge(turns, [call("a", {"k": 1})] * 2).success_rate == 1


def test_a_foreign_call_may_decide_between_equal_pairings() -> None:
    """Section 2: why a foreign call can change a verdict: it answers one turn a little, if the other is answered."""
    turns = [gold("g1", "book"), gold("g2", "pay")]
    crossed = [call("pay"), call("book")]
    assert [turn.passed for turn in judge(turns, crossed).turns] == [False, True]
    assert [turn.passed for turn in judge(turns, [*crossed, call("foreign")]).turns] == [True, False]


# --- upstream ---------------------------------------------------------------------------------------------------------


def explained_turns(record: Record, scorer: FakeScorer | None) -> list[dict[str, Any]]:
    """The turns of a record's verdict with all that was judged; none where it is refused."""
    verdict = judged(record, scorer)
    return [] if verdict is None else verdict.as_explained()["turns"]


def lasting(record: Record, turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The failing items of a turn that hang on nothing but its own pair.

    What it worked on, what a ref asks for, and whether a number was invented are told by turns upstream.
    """
    golden_turn = next(one for one in record["golden"]["paths"][0]["turns"] if one.get("id") == turn["golden"])
    refs = {key for key, param in golden_turn.get("params", {}).items() if "ref" in param}
    return [
        item
        for item in turn["items"]
        if item["passed"] is False
        and item["kind"] not in {"taint", "invented"}
        and not (item["field"] in refs and item["reason"] == "inconsistent_parameter_values")
    ]


def a_strict_record(seed: int) -> Record:
    """A record with one path whose turns are paired by position."""
    record = a_record(seed)
    assume(record is not None)
    assert record is not None
    record["golden"]["paths"] = record["golden"]["paths"][:1]
    return strict(record)


def position_of(record: Record, at: int) -> int:
    """The position of the observed agent or tool turn that stands at a place among them."""
    places = [place for place, turn in enumerate(record["trajectory"]["turns"]) if "user" not in turn]
    assume(at < len(places))
    return places[at]


def right_call(golden_turn: dict[str, Any]) -> dict[str, Any]:
    """A call that does what a gold turn without refs and patterns says."""
    args = {}
    for key, param in golden_turn["params"].items():
        compare = param.get("compare")
        assume("ref" not in param and compare != "regex")
        accepted = param.get("values") or [param.get("value", 1)]
        args[key] = accepted[0]
    return {"tool": golden_turn["tool"], "action": golden_turn.get("action"), "args": args}


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=400, deadline=None)
def test_no_change_upstream_makes_an_own_error_pass(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Section 4: what fails in a turn's own pair fails whatever the turns before it did or returned.

    A call before it is replaced by one of another record, or its result alone. Refs aside: what they ask for is told by
    the turn upstream.
    """
    record, donor = a_strict_record(seed), a_record(other)
    assume(donor is not None)
    assert donor is not None
    before = explained_turns(record, scorer)
    failing = [at for at, turn in enumerate(before) if at and lasting(record, turn)]
    assume(failing)
    last = failing[other % len(failing)]
    place = position_of(record, other % last)
    calls = [turn for turn in donor["trajectory"]["turns"] if "tool" in turn]
    assume(calls and "tool" in record["trajectory"]["turns"][place])
    taken = copy.deepcopy(calls[other % len(calls)])
    if other % 2:
        taken = {**record["trajectory"]["turns"][place], "result": taken.get("result")}
    changed = copy.deepcopy(record)
    changed["trajectory"]["turns"][place] = taken
    after = explained_turns(changed, scorer)
    assume(after)
    assert after[last]["passed"] is False
    assert [(item["kind"], item["field"], item["reason"]) for item in lasting(changed, after[last])] == [
        (item["kind"], item["field"], item["reason"]) for item in lasting(record, before[last])
    ]


@given(SEEDS, SEEDS)
@settings(max_examples=600, deadline=None)
def test_putting_a_call_right_upstream_leaves_a_root_cause_what_it_is(seed: int, other: int) -> None:
    """Section 4: a turn with a wrong value, an additional key, an excluded value or a wrong structure of its own is a
    root cause still when a turn before it is put right: it has fewer candidates to inherit from.

    It is false for what is missing: that a golden value stood in the result of the failed turn is what made the
    omission the turn's own, and with that turn put right another candidate may have left it out.
    """
    record = a_strict_record(seed)
    before = explained_turns(record, None)
    roots = [
        at
        for at, turn in enumerate(before)
        if at
        and any(
            item["origin"] == "own" and item["reason"] not in {"missing_parameters", "incomplete_response"}
            for item in lasting(record, turn)
        )
    ]
    assume(roots)
    last = roots[other % len(roots)]
    upstream = [at for at in range(last) if before[at]["passed"] is False and before[at]["kind"] == "action"]
    assume(upstream)
    at = upstream[other % len(upstream)]
    gold_turns = [turn for turn in record["golden"]["paths"][0]["turns"] if "user" not in turn]
    place = position_of(record, at)
    changed = copy.deepcopy(record)
    result = record["trajectory"]["turns"][place].get("result") if other % 2 else None
    changed["trajectory"]["turns"][place] = {**right_call(gold_turns[at]), "result": result}
    after = explained_turns(changed, None)
    assume(after and after[at]["passed"])
    assert after[last]["passed"] is False
    assert after[last]["cascade_of"] == []


def test_an_omission_can_become_inherited_when_one_of_two_sources_is_put_right() -> None:
    """Section 4: the case in which a root cause becomes a cascade by a turn put right upstream."""
    turns = [gold("g1", "a", {"k": 1}), gold("g2", "b", {"k": 1}), gold("g3", "c", {"id": "D7"})]
    held, empty = {"result": {"id": "D7"}}, {"result": {"id": "none"}}
    other = call("b", {"k": 2}, **empty)
    assert judge(turns, [call("a", {"k": 2}, **held), other, call("c")]).turns[2].cascade_of == ()
    assert judge(turns, [call("a", {"k": 1}, **held), other, call("c")]).turns[2].cascade_of == (2,)


@given(SEEDS)
@settings(max_examples=400, deadline=None)
def test_without_recorded_results_nothing_tells_own_from_inherited(seed: int) -> None:
    """Section 4: what is inherited becomes own only by evidence, which is what a failed turn upstream returned.

    With nothing recorded and every earlier call a source, each wrong or missing field or claim behind a failed call is
    inherited from it, and ambiguous.
    """
    record = a_strict_record(seed)
    record["policy"]["default_dependencies"] = "linear"
    for turn in record["trajectory"]["turns"]:
        turn.pop("result", None)
    for turn in record["golden"]["paths"][0]["turns"]:
        turn.pop("depends_on", None)
        for part in [*turn.get("claims", ()), *turn.get("params", {}).values()]:
            part.pop("from", None)
            if "ref" in part:
                del part["ref"]
                part["value"] = 1
    has_failed = False
    for turn in explained_turns(record, None):
        items = [item for item in lasting(record, turn) if item["field"] is not None or item["kind"] == "reply"]
        items = [] if any(item["kind"] == "structure" and item["passed"] is False for item in turn["items"]) else items
        if items and turn["observed"] is not None:
            assert {item["origin"] for item in items} == {"inherited" if has_failed else "own"}
            assert {item["evidence"] for item in items} == {"absent" if has_failed else None}
            assert turn["ambiguous"] or not has_failed
        has_failed = has_failed or (turn["passed"] is False and turn["kind"] == "action")


@given(SEEDS, SEEDS)
@settings(max_examples=400, deadline=None)
def test_an_inherited_value_becomes_own_only_where_every_source_was_recorded(seed: int, other: int) -> None:
    """Section 4: when the results of failed turns are taken away, no inherited wrong or missing value becomes own."""
    record = a_strict_record(seed)
    before = explained_turns(record, None)
    assume(any(turn["cascade_of"] for turn in before))
    changed = copy.deepcopy(record)
    for at, turn in enumerate(before):
        if turn["passed"] is False and turn["kind"] == "action" and turn["observed"] is not None and (other >> at) % 2:
            changed["trajectory"]["turns"][turn["observed"]].pop("result", None)
    for was, turn in zip(before, explained_turns(changed, None), strict=False):
        own = {
            (item["kind"], item["field"], item["reason"]) for item in lasting(changed, turn) if item["origin"] == "own"
        }
        inherited = {
            (item["kind"], item["field"], item["reason"])
            for item in lasting(record, was)
            if item["origin"] == "inherited"
        }
        assert not own & inherited


# --- accepted values --------------------------------------------------------------------------------------------------


@given(SEEDS, SEEDS, SCORERS)
@settings(max_examples=400, deadline=None)
def test_an_accepted_value_more_makes_no_passing_turn_fail(seed: int, other: int, scorer: FakeScorer | None) -> None:
    """Sections 1 and 3: any accepted value passes, so one more never fails a field, and with pairs by position and
    nothing optional no turn: more passes upstream leave no turn more to inherit.

    Under ``search`` it holds of a field and not of every turn: a pair that fits better can take an answer from another.
    """
    record, donor = a_strict_record(seed), a_record(other)
    assume(donor is not None)
    before = explained_turns(record, scorer)
    assume(before)
    chance = random.Random(other)
    changed = copy.deepcopy(record)
    params = [
        (key, param)
        for turn in changed["golden"]["paths"][0]["turns"]
        for key, param in turn.get("params", {}).items()
        if ("value" in param or "values" in param) and param.get("compare") != "regex"
    ]
    assume(params)
    for key, param in chance.sample(params, min(2, len(params))):
        more = chance.choice(
            [turn["args"][key] for turn in record["trajectory"]["turns"] if has_arg(turn, key)] or ["D7", 34, "Porto"]
        )
        accepted = param["values"] if "values" in param else [param.pop("value")]
        param["values"] = [*accepted, more] if chance.random() < 0.5 else [more, *accepted]
    after = explained_turns(changed, scorer)
    assume(after)
    for was, turn in zip(before, after, strict=True):
        if was["passed"]:
            assert turn["passed"]
        passed = {item["field"] for item in was["items"] if item["kind"] == "parameter" and item["passed"]}
        assert not passed & {
            item["field"] for item in turn["items"] if item["kind"] == "parameter" and item["passed"] is not True
        }


def has_arg(turn: dict[str, Any], key: str) -> bool:
    """Whether an observed turn has an argument that can be read."""
    return isinstance(turn.get("args"), dict) and key in turn["args"]
