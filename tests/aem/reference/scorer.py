"""The scoring rules, read word for word: align, check, attribute, compose.

An *item* is what fails in a turn: ``{"reason", "field", "class", "value", "golden", "part"}``. Its ``class`` says which
evidence rule applies: ``structure``, ``wrong`` (a wrong value, an extra key, an excluded value), ``missing`` (a key or
a claim), ``reply`` (a whole reply without claims), ``ref``, ``invented``.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.aem.reference.parse import ReferenceError, read_record, upstream_ids
from tests.aem.reference.values import (
    MISSING,
    appears,
    at_path,
    digit_run_stands,
    equal_auto,
    exact,
    fold,
    grounded,
    leaves,
    number_grounded,
    passes,
    telling_numbers,
)

__all__ = ["ReferenceError", "score_reference", "score_with_rules"]

Turn = dict[str, Any]
Item = dict[str, Any]

RANK = [
    "tool_mismatch",
    "action_mismatch",
    "missing_parameters",
    "extra_parameters",
    "inconsistent_parameter_values",
    "incomplete_response",
    "inconsistent_response",
]


# --- one golden turn beside one observed turn ------------------------------------------------------------------------


def holds(param: Turn, value: Any) -> bool:
    """Whether a present value passes for a parameter that is no ref: any accepted value passes."""
    if param["accepted"] is None:
        return value is not None
    return any(passes(golden, value, param["compare"]) for golden in param["accepted"])


def same_call(golden: Turn, observed: Turn) -> bool:
    """Same tool, and same action where one is asked for."""
    return bool(golden["tool"] == observed["tool"] and golden["action"] in {None, observed["action"]})


def covered(claim: Turn, reply: str) -> bool:
    """Whether a claim is covered: by what it must contain; with only excludes always; else by its text."""
    if claim["contains"]:
        return all(appears(value, reply) for value in claim["contains"])
    return bool(claim["excludes"]) or appears(claim["text"], reply)


def failing_items(golden: Turn, observed: Turn | None) -> list[Item]:
    """What fails in a turn before its refs are looked at; a list because one key or claim is one item per reason."""
    return list(_response_items(golden, observed) if golden["kind"] == "response" else _action_items(golden, observed))


def _response_items(golden: Turn, observed: Turn | None) -> Iterator[Item]:
    if observed is None:
        yield {"reason": "incomplete_response", "field": None, "class": "structure"}
        return
    reply = observed["text"]
    if not golden["claims"]:
        if fold(golden["text"]) != fold(reply):
            yield {"reason": "inconsistent_response", "field": None, "class": "reply", "value": reply}
        return
    for claim in golden["claims"]:
        if claim["required"] and not covered(claim, reply):
            unsaid = [value for value in claim["contains"] if not appears(value, reply)] or [claim["text"]]
            yield {
                "reason": "incomplete_response",
                "field": claim["id"],
                "class": "missing",
                "golden": unsaid,
                "part": claim,
            }
        said = [value for value in claim["excludes"] if appears(value, reply)]
        if said:
            yield {
                "reason": "inconsistent_response",
                "field": claim["id"],
                "class": "wrong",
                "value": said,
                "part": claim,
            }


def _action_items(golden: Turn, observed: Turn | None) -> Iterator[Item]:
    if observed is None or observed["tool"] != golden["tool"]:
        yield {"reason": "tool_mismatch", "field": None, "class": "structure"}
        return
    if not same_call(golden, observed):
        yield {"reason": "action_mismatch", "field": None, "class": "structure"}
        return
    args = observed["args"]
    for key, param in golden["params"].items():
        if key not in args:
            if param["required"]:
                yield {
                    "reason": "missing_parameters",
                    "field": key,
                    "class": "missing",
                    "golden": param["accepted"] or [],
                    "part": param,
                }
        elif not param["ref"] and not holds(param, args[key]):
            yield {
                "reason": "inconsistent_parameter_values",
                "field": key,
                "class": "wrong",
                "value": args[key],
                "part": param,
            }
    for key in extra_keys(golden, args):
        yield {"reason": "extra_parameters", "field": key, "class": "wrong", "value": args[key]}


def extra_keys(golden: Turn, args: dict[str, Any]) -> list[str]:
    """Keys neither annotated nor allowed."""
    if golden["extra"] == "allow":
        return []
    return [key for key in args if key not in golden["params"] and key not in golden["allowed_extra"]]


# --- align -----------------------------------------------------------------------------------------------------------


def pair_score(golden: Turn, observed: Turn) -> Fraction | None:
    """The score of a pair, or None where the two cannot pair."""
    if golden["kind"] != observed["kind"]:
        return None
    if golden["optional"] and failing_items(golden, observed):
        return None
    if golden["kind"] == "response":
        return 8 + 8 * share_covered(golden, observed)
    if golden["tool"] != observed["tool"]:
        score = Fraction(1, 100)
    elif not same_call(golden, observed):
        score = Fraction(4)
    else:
        score = 8 + 8 * share_held(golden, observed)
    return score - Fraction(1, 1000) if observed["error"] else score


def share_covered(golden: Turn, observed: Turn) -> Fraction:
    """Share of the required claims that a reply covers."""
    if not golden["claims"]:
        return Fraction(fold(golden["text"]) == fold(observed["text"]))
    required = [claim for claim in golden["claims"] if claim["required"]]
    if not required:
        return Fraction(1)
    return Fraction(sum(covered(claim, observed["text"]) for claim in required), len(required))


def share_held(golden: Turn, observed: Turn) -> Fraction:
    """Share of the params that are no refs and hold; an absent optional one holds."""
    params = {key: param for key, param in golden["params"].items() if not param["ref"]}
    if not params:
        return Fraction(1)
    args = observed["args"]
    held = sum(holds(param, args[key]) if key in args else not param["required"] for key, param in params.items())
    return Fraction(held, len(params))


Matching = list[int | None]


def every_matching(goldens: list[Turn], places: list[int], observed: list[Turn]) -> Iterator[tuple[Fraction, Matching]]:
    """Every way to give golden turns a place or none: order kept, but free among turns of one block."""
    scores = [[pair_score(golden, observed[place]) for place in places] for golden in goldens]
    matching: Matching = []

    def extend(total: Fraction) -> Iterator[tuple[Fraction, Matching]]:
        number = len(matching)
        if number == len(goldens):
            yield total, list(matching)
            return
        block = goldens[number]["block"]
        used = {place for place in matching if place is not None}
        before = [p for g, p in zip(goldens, matching, strict=False) if p is not None and g["block"] != block]
        first_free = max(before, default=-1)
        for column, place in enumerate(places):
            score = scores[number][column]
            if score is not None and place not in used and place > first_free:
                matching.append(place)
                yield from extend(total + score)
                matching.pop()
        matching.append(None)
        yield from extend(total)
        matching.pop()

    yield from extend(Fraction(0))


def best_matching(goldens: list[Turn], places: list[int], observed: list[Turn]) -> Matching:
    """Highest sum; then the smallest sum of positions; then the earlier golden turn takes the earlier observed one."""
    best: tuple[Any, Matching] | None = None
    for total, matching in every_matching(goldens, places, observed):
        positions = [place for place in matching if place is not None]
        in_order = [len(observed) if place is None else place for place in matching]
        key = (-total, sum(positions), in_order)
        if best is None or key < best[0]:
            best = (key, matching)
    return best[1] if best else []


def align(path: Turn, record: Turn) -> Matching:
    """For each counted golden turn the index of the observed turn that answers it, or None."""
    observed, goldens = record["observed"], path["counted"]
    if record["policy"]["alignment"] == "given":
        return align_given(goldens, observed)
    exchange = 0
    exchange_of = []
    for turn in observed:
        exchange += turn["kind"] == "user"
        exchange_of.append(exchange)
    agent_places = [place for place, turn in enumerate(observed) if turn["kind"] != "user"]
    if exchange != path["users"]:
        return best_matching(goldens, agent_places, observed)
    matching: Matching = []
    for number in range(exchange + 1):
        here = [golden for golden in goldens if golden["exchange"] == number]
        matching += best_matching(here, [p for p in agent_places if exchange_of[p] == number], observed)
    return matching


def align_given(goldens: list[Turn], observed: list[Turn]) -> Matching:
    """By position among agent and tool turns; inside a block the best permutation."""
    places = [place for place, turn in enumerate(observed) if turn["kind"] != "user"]
    matching: Matching = []
    for block in sorted({golden["block"] for golden in goldens}):
        members = [golden for golden in goldens if golden["block"] == block]
        start = len(matching)
        matching += best_matching(members, places[start : start + len(members)], observed)
    return matching


# --- check -----------------------------------------------------------------------------------------------------------


def check(golden: Turn, observed: Turn | None) -> Turn:
    """Items and sub-metrics of one golden turn; ``good`` and ``present`` stay open for the refs."""
    items = failing_items(golden, observed)
    checked: Turn = {"items": items, "structural": None, "completeness": None, "truthfulness": None}
    if golden["kind"] == "response":
        check_response(checked, golden, observed)
    else:
        check_action(checked, golden, observed)
    return checked


def check_response(checked: Turn, golden: Turn, observed: Turn | None) -> None:
    """Completeness and truthfulness of a reply."""
    required = [claim for claim in golden["claims"] if claim["required"]]
    if observed is None:
        checked["completeness"] = Fraction(0)
    elif not golden["claims"]:
        checked["completeness"] = checked["truthfulness"] = Fraction(not checked["items"])
    else:
        if required:
            checked["completeness"] = share_covered(golden, observed)
        contradicted = [item for item in checked["items"] if item["reason"] == "inconsistent_response"]
        checked["truthfulness"] = 1 - Fraction(len(contradicted), len(golden["claims"]))


def check_action(checked: Turn, golden: Turn, observed: Turn | None) -> None:
    """Structure and completeness of a call, and the count that its truthfulness is taken from."""
    broken = any(item["class"] == "structure" for item in checked["items"])
    checked["structural"] = Fraction(not broken)
    if broken or observed is None:
        checked["good"] = checked["present"] = 0
        return
    args = observed["args"]
    required = [key for key, param in golden["params"].items() if param["required"]]
    extra = extra_keys(golden, args)
    if required or extra:
        checked["completeness"] = Fraction(sum(key in args for key in required), len(required) + len(extra))
    present = [key for key, param in golden["params"].items() if key in args and not param["ref"]]
    wrong = [item for item in checked["items"] if item["reason"] == "inconsistent_parameter_values"]
    checked["present"] = len(present)
    checked["good"] = len(present) - len(wrong)


# --- attribute -------------------------------------------------------------------------------------------------------


class Attribution:
    """One path beside its matched trajectory: what each turn returned, which turns failed, and why."""

    def __init__(self, path: Turn, record: Turn, matching: Matching) -> None:
        self.goldens: list[Turn] = path["counted"]
        self.observed: list[Turn] = record["observed"]
        self.policy = record["policy"]
        self.matching = matching
        self.golden_by_id = {golden["id"]: golden for golden in self.goldens}
        self.verdicts: dict[str, Turn] = {}
        self.rules_met: Counter[str] = Counter()  # shows that random records reach every rule
        self.annotated = any(
            golden["depends_on"] is not None or any(p["from"] is not None or p.get("ref") for p in golden["parts"])
            for golden in self.goldens
        )

    def answer(self, golden_id: str) -> Turn | None:
        """The observed turn that answers a golden turn."""
        place = self.matching[self.golden_by_id[golden_id]["turn_no"] - 1]
        return None if place is None else self.observed[place]

    def result(self, golden_id: str) -> Any:
        """What a golden turn's observed turn returned; None where nothing is recorded."""
        answer = self.answer(golden_id)
        return None if answer is None else answer["result"]

    def failed(self, golden_id: str) -> bool:
        """Whether a turn failed; a skipped one did not."""
        return self.verdicts[golden_id]["passed"] is False

    def turn_edges(self, golden: Turn) -> list[tuple[str, str]]:
        """A turn's own dependencies, or the default ones where the path says nothing anywhere."""
        if self.annotated:
            return golden["depends_on"] or []
        if self.policy["default_dependencies"] == "none":
            return []
        return [
            (other["id"], "data")
            for other in self.goldens
            if other["turn_no"] < golden["turn_no"] and other["kind"] == "tool" and other["block"] != golden["block"]
        ]

    def item_edges(self, golden: Turn, item: Item) -> list[tuple[str, str]]:
        """Rule 1: the item's own sources if it has any (or says that it has none), else the turn's."""
        part = item.get("part")
        if part and (part["from"] is not None or part.get("ref")):
            return [(source, "own") for source in upstream_ids(part)]
        return self.turn_edges(golden)

    def candidates(self, golden: Turn, item: Item) -> list[str]:
        """Rule 2: the dependencies that failed and may excuse this item, in path order, each once."""
        kinds = {"state", "control"} if item["class"] == "structure" else {"own", "state", "data"}
        named = {source for source, kind in self.item_edges(golden, item) if kind in kinds}
        return [g["id"] for g in self.goldens if g["id"] in named and self.failed(g["id"])]

    # --- rule 4 ---

    def evidence(self, item: Item, candidates: list[str]) -> tuple[str, list[str]]:
        """Supported, refuted or absent, and the turns that an inherited item comes from."""
        results = {c: self.result(c) for c in candidates if self.result(c) is not None}
        when_nothing_grounds = "refuted" if len(results) == len(candidates) else "absent"
        if item["class"] == "wrong":
            grounding = [c for c in results if grounded(item["value"], results[c])]
            return ("supported", grounding) if grounding else (when_nothing_grounds, candidates)
        if item["class"] == "missing":
            wanted = list(item["golden"])
            ref = item["part"].get("ref")
            if ref and self.result(ref["turn"]) is not None:
                there = at_path(self.result(ref["turn"]), ref["path"])
                wanted += [] if there is MISSING else [there]
            if any(grounded(value, result) for value in wanted for result in results.values()):
                return "refuted", candidates
            return ("supported" if len(results) == len(candidates) else "absent"), candidates
        assert item["class"] == "reply"
        numbers = telling_numbers(item["value"])
        if not numbers:
            return "absent", candidates
        if all(any(number_grounded(n, result) for result in results.values()) for n in numbers):
            return "supported", candidates
        return when_nothing_grounds, candidates

    def judge_ref(self, key: str, param: Turn, value: Any) -> tuple[Item | None, str]:
        """A present ref field: the failing item if any, and held, unjudged, own, supported, refuted or absent."""
        source, path = param["ref"]["turn"], param["ref"]["path"]
        result = self.result(source)
        there = MISSING if result is None else at_path(result, path)
        equal = there is not MISSING and equal_auto(there, value)
        item = {
            "reason": "inconsistent_parameter_values",
            "field": key,
            "class": "ref",
            "value": value,
            "part": param,
        }
        if self.failed(source):
            if there is MISSING:
                return item, "absent"
            return item, "supported" if equal else "refuted"
        if result is None:
            return None, "unjudged"
        return (None, "held") if equal else (item, "own")

    # --- the turn ---

    def attribute(self, golden: Turn) -> Turn:
        """The verdict on one turn, given those on all earlier ones."""
        place = self.matching[golden["turn_no"] - 1]
        observed = None if place is None else self.observed[place]
        if observed is None and golden["optional"]:
            return {"place": None, "passed": None, "skipped": True}
        found: Turn = {
            "own": [],
            "inherited": [],
            "sources": set(),
            "ambiguous": False,
            "checked": check(golden, observed),
        }
        self.judge_items(golden, found)
        if golden["kind"] == "tool":
            self.judge_refs(golden, observed, found)
            self.apply_taint(golden, found)
        elif observed is not None and found["inherited"] and not found["own"]:
            self.look_for_invented_numbers(golden, place, found)
        if any(self.doubtful(golden, item) for item in found["own"]):
            self.rules_met["own but doubtful"] += 1
            found["ambiguous"] = True
        return self.verdict(golden, place, found)

    def judge_items(self, golden: Turn, found: Turn) -> None:
        """Rules 1 to 4: each failing item is the turn's own or inherited."""
        for item in found["checked"]["items"]:
            candidates = self.candidates(golden, item)
            if not candidates:
                evidence, sources = "no candidate", []
            elif item["class"] == "structure":
                evidence, sources = "inherited", candidates
            else:
                evidence, sources = self.evidence(item, candidates)
            self.rules_met[f"{item['class']}: {evidence}"] += 1
            self.put(item, evidence in {"no candidate", "refuted"}, sources, found)
            found["ambiguous"] |= evidence == "absent"

    def judge_refs(self, golden: Turn, observed: Turn | None, found: Turn) -> None:
        """Refs can be judged only now; they enter truthfulness."""
        checked = found["checked"]
        if observed is not None and checked["structural"] == 1:
            for key, param in golden["params"].items():
                if not param["ref"] or key not in observed["args"]:
                    continue
                item, evidence = self.judge_ref(key, param, observed["args"][key])
                self.rules_met[f"ref: {evidence}"] += 1
                checked["present"] += evidence != "unjudged"
                checked["good"] += evidence == "held"
                found["ambiguous"] |= evidence in {"unjudged", "absent"}
                if item is not None:
                    self.put(item, evidence in {"own", "refuted"}, [param["ref"]["turn"]], found)
        if checked["present"]:
            checked["truthfulness"] = Fraction(checked["good"], checked["present"])

    def put(self, item: Item, is_own: bool, sources: list[str], found: Turn) -> None:
        """File an item as own, or as inherited together with the turns it comes from."""
        if is_own:
            found["own"].append(item)
        else:
            found["inherited"].append(item)
            found["sources"] |= set(sources)

    def look_for_invented_numbers(self, golden: Turn, place: int | None, found: Turn) -> None:
        """Rule 6: an inherited reply may still hold a number that stands nowhere."""
        if self.invents(golden, place):
            self.rules_met["invented number"] += 1
            found["own"].append({"reason": "inconsistent_response", "field": None, "class": "invented"})
            found["ambiguous"] = True

    def apply_taint(self, golden: Turn, found: Turn) -> None:
        """Rule 7: right fields on a wrong state."""
        if not found["own"] and not found["inherited"] and self.policy["taint"]:
            state = {source for source, kind in self.turn_edges(golden) if kind == "state" and self.failed(source)}
            self.rules_met["taint"] += bool(state)
            found["sources"] |= state

    def verdict(self, golden: Turn, place: int | None, found: Turn) -> Turn:
        """The verdict that the found items add up to."""
        own, inherited, sources = found["own"], found["inherited"], found["sources"]
        verdict: Turn = {
            "place": place,
            "skipped": False,
            "checked": found["checked"],
            "ambiguous": found["ambiguous"],
            "own": bool(own),
            "passed": not own and not sources,
        }
        if own:
            verdict["reasons"] = sorted({item["reason"] for item in own}, key=RANK.index)
            verdict["fields"] = self.fields(golden, own)
            verdict["cascade_of"] = []
        elif verdict["passed"]:
            verdict |= {"reasons": [], "fields": [], "cascade_of": []}
        else:
            verdict["reasons"] = ["prior_action_failed"]
            verdict["fields"] = self.fields(golden, inherited)
            verdict["cascade_of"] = self.roots(sources)
        return verdict

    def fields(self, golden: Turn, items: list[Item]) -> list[str]:
        """The fields of items, sorted; a missing reply stands for its required claims."""
        names = {item["field"] for item in items if item["field"] is not None}
        if golden["kind"] == "response" and any(item["class"] == "structure" for item in items):
            names |= {claim["id"] for claim in golden["claims"] if claim["required"]}
        return sorted(names)

    def roots(self, sources: set[str]) -> list[int]:
        """The turn numbers of the root causes behind failed turns, through cascades."""
        numbers: set[int] = set()
        for source in sources:
            verdict = self.verdicts[source]
            numbers |= {self.golden_by_id[source]["turn_no"]} if verdict["own"] else set(verdict["cascade_of"])
        return sorted(numbers)

    def invents(self, golden: Turn, place: int | None) -> bool:
        """Rule 6: whether a reply holds a telling number that stands nowhere before it or in the golden turn."""
        assert place is not None
        earlier = self.observed[:place]
        if not any(turn["kind"] == "tool" and turn["result"] is not None for turn in earlier):
            return False
        places: list[Any] = [golden["text"]]
        places += [claim["text"] for claim in golden["claims"]]
        places += [value for claim in golden["claims"] for value in claim["contains"]]
        for turn in earlier:
            if turn["kind"] in {"user", "response"}:
                places.append(turn["text"])
            elif turn["kind"] == "tool":
                places += [turn["args"], turn["result"]]
        stands = [leaf for value in places for leaf in leaves(value)]
        return any(
            not number_grounded(number, stands) and not digit_run_stands(number, stands)
            for number in telling_numbers(self.observed[place]["text"])
        )

    def doubtful(self, golden: Turn, item: Item) -> bool:
        """Rule 8: whether an own item makes its turn ambiguous."""
        edges = list(self.item_edges(golden, item))
        if item["class"] == "structure":
            edges += [(source, "data") for part in golden["parts"] for source in upstream_ids(part)]
            if any(kind == "data" and self.failed(source) for source, kind in edges):
                return True
        for source, _ in edges:
            answer = self.answer(source)
            if self.verdicts[source]["passed"] and answer is not None and answer["error"]:
                return True
        return False

    def run(self) -> dict[str, Turn]:
        """Verdicts of all turns, in path order."""
        for golden in self.goldens:
            self.verdicts[golden["id"]] = self.attribute(golden)
        return self.verdicts


# --- calls beside the path, outcomes ---------------------------------------------------------------------------------


def fits(pattern: Turn, call: Turn) -> bool:
    """Whether a call is one that a pattern names: each named key is present and holds."""
    return same_call(pattern, call) and all(
        key in call["args"] and holds(param, call["args"][key]) for key, param in pattern["params"].items()
    )


def unexpected_calls(path: Turn, record: Turn, matching: Matching) -> list[Turn]:
    """Forbidden calls, and unmatched ones, in the order of the trajectory."""
    listed = []
    for place, turn in enumerate(record["observed"]):
        if turn["kind"] != "tool":
            continue
        if any(fits(pattern, turn) for pattern in record["forbidden"]):
            kind = "forbidden"
        elif place in matching:
            continue
        elif any(golden["kind"] == "tool" and same_call(golden, turn) for golden in path["counted"]):
            kind = "retry"
        else:
            kind = "extra"
        wrote = turn["tool"] in record["writers"] and not turn["error"]
        listed.append({"observed": place, "kind": kind, "wrote": wrote})
    return listed


def outcome_holds(assertion: Turn, record: Turn) -> bool | None:
    """Whether an outcome assertion holds; None where that cannot be said."""
    replies = [turn["text"] for turn in record["observed"] if turn["kind"] == "response"]
    if assertion["kind"] == "said":
        return all(any(appears(value, reply) for reply in replies) for value in assertion["contains"])
    if assertion["kind"] == "not_said":
        return not any(appears(value, reply) for value in assertion["contains"] for reply in replies)
    if assertion["kind"] == "called":
        calls = [t for t in record["observed"] if t["kind"] == "tool" and not t["error"] and fits(assertion, t)]
        return bool(calls) if assertion["times"] is None else len(calls) == assertion["times"]
    if assertion["kind"] == "state":
        if record["final_state"] is None:
            return None
        value = at_path(record["final_state"], assertion["path"])
        return value is not MISSING and holds(assertion, value)
    return None


# --- compose ---------------------------------------------------------------------------------------------------------


def success_rate(path: Turn, verdicts: dict[str, Turn], composition: Turn) -> Fraction | None:
    """The rate under a composition rule, or None where nothing counts."""
    evaluated = [golden for golden in path["counted"] if not verdicts[golden["id"]]["skipped"]]
    weighted = composition["rule"] == "weighted"
    weights = {golden["id"]: exact(golden["weight"]) if weighted else Fraction(1) for golden in evaluated}
    whole = sum(weights.values(), Fraction(0))
    if not whole:
        return None
    rate = sum((weights[g["id"]] for g in evaluated if verdicts[g["id"]]["passed"]), Fraction(0)) / whole
    critical_failed = any(g["critical"] and not verdicts[g["id"]]["passed"] for g in evaluated)
    if composition["rule"] == "gated" and critical_failed:
        rate = min(rate, exact(composition["cap"]))
    return rate


def mean(scores: list[Fraction | None]) -> Fraction | None:
    """The mean over the turns where something was judged."""
    judged = [score for score in scores if score is not None]
    return sum(judged, Fraction(0)) / len(judged) if judged else None


def longest_chain(path: Turn) -> int:
    """The longest run of consecutive golden actions; user and response turns break it."""
    longest = run = 0
    for turn in path["turns"]:
        run = run + 1 if turn["kind"] == "tool" else 0
        longest = max(longest, run)
    return longest


def as_double(rate: Fraction | None) -> float | None:
    """The nearest double."""
    return None if rate is None else float(rate)


def score_path(path: Turn, record: Turn, rules_met: Counter[str]) -> tuple[Any, dict[str, Any]]:
    """The result for one path, with the key by which paths compete (smaller is better)."""
    matching = align(path, record)
    attribution = Attribution(path, record, matching)
    verdicts = attribution.run()
    rules_met += attribution.rules_met
    unexpected = unexpected_calls(path, record, matching)
    rate = success_rate(path, verdicts, record["policy"]["composition"])
    evaluated = [v for v in verdicts.values() if not v["skipped"]]
    roots = [g for g in path["counted"] if not verdicts[g["id"]]["skipped"] and verdicts[g["id"]]["own"]]
    failures = sum(not v["passed"] for v in evaluated)
    first = roots[0] if roots else None
    bad_write = record["policy"]["extra_writes"] == "fail" and any(call["wrote"] for call in unexpected)
    forbidden = any(call["kind"] == "forbidden" for call in unexpected)
    length = longest_chain(path)
    result = {
        "path": path["id"],
        "success_rate": as_double(rate),
        "test_pass": failures == 0 and not bad_write and not forbidden,
        "first_failure_turn": first["turn_no"] if first else None,
        "root_cause": verdicts[first["id"]]["reasons"][0] if first else None,
        "root_cause_count": len(roots),
        "cascading_count": failures - len(roots),
        "total_failures": failures,
        "sub_metrics": {
            name: as_double(mean([v["checked"][name] for v in evaluated]))
            for name in ("structural", "completeness", "truthfulness")
        },
        "chain": {"length": length, "bucket": [None, "single", "two_step", "complex"][min(length, 3)]},
        "outcome": [{"id": a["id"], "passed": outcome_holds(a, record)} for a in record["outcome"]],
        "unexpected": unexpected,
        "turns": [turn_result(golden, verdicts[golden["id"]]) for golden in path["counted"]],
    }
    key = (-rate if rate is not None else Fraction(1), len(roots))
    return key, result


def turn_result(golden: Turn, verdict: Turn) -> dict[str, Any]:
    """One turn as the result document has it."""
    skipped = verdict["skipped"]
    reasons = [] if skipped else verdict["reasons"]
    return {
        "turn_no": golden["turn_no"],
        "golden": golden["id"],
        "observed": verdict["place"],
        "skipped": skipped,
        "passed": verdict["passed"],
        "failure_reason": reasons[0] if reasons else None,
        "reasons": reasons,
        "fields": [] if skipped else verdict["fields"],
        "cascade_of": [] if skipped else verdict["cascade_of"],
        "ambiguous": False if skipped else verdict["ambiguous"],
    }


def score_with_rules(record_or_native: dict[str, Any] | list[Any]) -> tuple[dict[str, Any], Counter[str]]:
    """The result document, and how often which attribution rule decided (over all paths)."""
    record = read_record(record_or_native)
    rules_met: Counter[str] = Counter()
    scored = [score_path(path, record, rules_met) for path in record["paths"]]
    best_key, best = scored[0]
    for key, result in scored[1:]:
        if key < best_key:
            best_key, best = key, result
    return best, rules_met


def score_reference(record_or_native: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """The result document of a record or a native dialog; raises ReferenceError for what must be refused at parse."""
    return score_with_rules(record_or_native)[0]
