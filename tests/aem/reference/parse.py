"""Reading a record: what must be refused, and one plain shape for all that is accepted."""

import json
import math
import re
from decimal import Decimal
from typing import Any

from tests.aem.reference.values import is_number, path_steps

COMPARES = {"auto", "literal", "text", "number", "date", "boolean", "regex", "set", "list", "object", "any"}
KINDS = {"state", "data", "control"}
ASSERTIONS = {"said", "not_said", "called", "state", "statement"}
NATIVE_GROUP = "OrderInvariant_"


class ReferenceError(ValueError):
    """A record that must be refused at parse."""


def refuse_unless(condition: Any, reason: str) -> None:
    """Refuse the record with a reason unless a condition holds."""
    if not condition:
        raise ReferenceError(reason)


# --- native dialogs --------------------------------------------------------------------------------------------------


def record_from_native(dialog: list[Any]) -> dict[str, Any]:
    """Turn AEM's published dialog format into a record with the alignment given."""
    golden_turns, observed_turns = [], []
    for number, entry in enumerate(dialog, start=1):
        gold = entry["gold_turn"]
        turn: dict[str, Any] = {"id": f"g{entry['turn_no']}"}
        if entry["turn"] == "Agent":
            turn["response"] = gold["response"]
        elif entry["turn"] == "Tool":
            turn |= {"tool": gold["tool_id"], "action": gold.get("action")}
            turn["params"] = {key: {"value": value} for key, value in (gold.get("args") or {}).items()}
        else:
            raise ReferenceError(f"entry {number}: unknown turn {entry['turn']!r}")
        if "depends_on" in entry:
            turn["depends_on"] = [f"g{other}" for other in entry["depends_on"]]
        for tag in entry.get("tags") or []:
            if tag.startswith(NATIVE_GROUP):
                turn["group"] = tag.removeprefix(NATIVE_GROUP)
                break
        golden_turns.append(turn)

        predicted = entry.get("predict_turn") or {}
        if "response" in predicted:
            observed_turns.append({"response": predicted["response"]})
        elif "tool_id" in predicted:
            call = {key: predicted[key] for key in ("action", "args", "result", "error") if key in predicted}
            observed_turns.append({"tool": predicted["tool_id"], **call})
        else:
            observed_turns.append({})
    return {
        "format": "aem/1",
        "id": "native",
        "golden": {"paths": [{"id": "main", "turns": golden_turns}]},
        "trajectory": {"turns": observed_turns},
        "policy": {"alignment": "given", "scorer": "exact"},
    }


# --- values with a meaning -------------------------------------------------------------------------------------------


def refuse_nan(value: Any, place: str) -> None:
    """NaN and infinities are no JSON numbers, wherever they stand."""
    if isinstance(value, dict):
        for key, part in value.items():
            refuse_nan(part, f"{place}.{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            refuse_nan(part, f"{place}[{index}]")
    elif isinstance(value, float):
        refuse_unless(math.isfinite(value), f"{place}: not a number")
    elif isinstance(value, Decimal):
        refuse_unless(value.is_finite(), f"{place}: not a number")


def embedded_json(value: Any) -> Any:
    """Text that holds a JSON object or array is read as that JSON; anything else stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value, parse_float=Decimal)
    except ValueError:
        return value
    return parsed if isinstance(parsed, dict | list) else value


def read_compare(compare: Any, place: str) -> dict[str, Any]:
    """A comparison as ``{"as": name, …}``, whether it was written short or long."""
    long = {"as": compare} if isinstance(compare, str) else compare
    refuse_unless(isinstance(long, dict) and long.get("as") in COMPARES, f"{place}: unknown comparison {compare!r}")
    return dict(long)


def read_param(param: dict[str, Any], place: str, policy_compare: Any) -> dict[str, Any]:
    """A parameter with its accepted values as a list (None where any value will do) and its comparison resolved."""
    given = [key for key in ("value", "values", "ref") if key in param]
    own = read_compare(param["compare"], place) if "compare" in param else None
    refuse_unless(len(given) <= 1, f"{place}: more than one of value, values and ref")
    refuse_unless(given or (own and own["as"] == "any"), f"{place}: none of value, values and ref")
    if "ref" in param:
        refuse_unless(own is None, f"{place}: a comparison beside a ref")
        refuse_unless(path_steps(param["ref"].get("path")) is not None, f"{place}: malformed path")
    accepted = [param["value"]] if "value" in param else param.get("values")
    if own is not None and own["as"] == "regex":
        for pattern in accepted or []:
            try:
                re.compile(pattern)
            except (re.error, TypeError) as error:
                raise ReferenceError(f"{place}: invalid regex") from error
    from_policy = None if "ref" in param else policy_compare
    return {
        "accepted": accepted,
        "ref": param.get("ref"),
        "from": param.get("from"),
        "required": param.get("required", True),
        "compare": own or from_policy or {"as": "auto"},
    }


def read_params(params: Any, tool: str, place: str, policy: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """All parameters of a golden turn or a call pattern."""
    policies = policy["params"].get(tool, {})
    return {key: read_param(param, f"{place}.{key}", policies.get(key)) for key, param in (params or {}).items()}


# --- golden turns ----------------------------------------------------------------------------------------------------


def read_claim(claim: dict[str, Any], position: int) -> dict[str, Any]:
    """A claim with its defaults."""
    return {
        "id": claim.get("id", f"claim{position}"),
        "text": claim.get("text", ""),
        "required": claim.get("required", True),
        "contains": claim.get("contains") or [],
        "excludes": claim.get("excludes") or [],
        "from": claim.get("from"),
    }


def read_golden_turn(turn: dict[str, Any], place: str, policy: dict[str, Any]) -> dict[str, Any]:
    """One golden turn with its defaults."""
    kinds = [kind for kind in ("user", "response", "tool") if kind in turn]
    refuse_unless(len(kinds) == 1, f"{place}: unknown kind of turn")
    kind = kinds[0]
    read: dict[str, Any] = {"kind": kind, "id": turn.get("id")}
    if kind == "user":
        return read
    refuse_unless(turn.get("id") is not None, f"{place}: no id")
    weight = turn.get("weight", 1)
    refuse_unless(is_number(weight) and weight >= 0, f"{place}: negative weight")
    read |= {
        "optional": turn.get("optional", False),
        "critical": turn.get("critical", False),
        "weight": weight,
        "group": turn.get("group"),
    }
    read["depends_on"] = None
    if "depends_on" in turn:
        edges = [edge if isinstance(edge, dict) else {"turn": edge} for edge in turn["depends_on"]]
        read["depends_on"] = [(edge.get("turn"), edge.get("kind", "state")) for edge in edges]
        refuse_unless(all(kind in KINDS for _, kind in read["depends_on"]), f"{place}: unknown kind of dependency")
    if kind == "response":
        read["text"] = turn["response"]
        read["claims"] = [read_claim(claim, n) for n, claim in enumerate(turn.get("claims") or [], start=1)]
        ids = [claim["id"] for claim in read["claims"]]
        refuse_unless(len(ids) == len(set(ids)), f"{place}: claim id twice")
        read["parts"] = read["claims"]
    else:
        read |= {"tool": turn["tool"], "action": turn.get("action"), "extra": turn.get("extra", "forbid")}
        refuse_unless(read["extra"] in {"forbid", "allow"}, f"{place}: unknown kind of extra")
        read["allowed_extra"] = turn.get("allowed_extra") or []
        read["params"] = read_params(turn.get("params"), turn["tool"], place, policy)
        read["parts"] = list(read["params"].values())
    return read


def upstream_ids(part: dict[str, Any]) -> list[Any]:
    """The turns that a field or claim names as its source, by ``from`` and by ``ref``."""
    ref = part.get("ref")
    return list(part["from"] or []) + ([ref.get("turn")] if ref else [])


def read_path(path: dict[str, Any], place: str, policy: dict[str, Any]) -> dict[str, Any]:
    """One path: its turns, numbered, and cut into blocks whose turns may be matched in any order."""
    turns = [read_golden_turn(turn, f"{place}.turns[{n}]", policy) for n, turn in enumerate(path["turns"])]
    counted = [turn for turn in turns if turn["kind"] != "user"]
    refuse_unless(counted, f"{place}: no agent or tool turn")
    ids = [turn["id"] for turn in turns if turn["id"] is not None]
    refuse_unless(len(ids) == len(set(ids)), f"{place}: turn id twice")

    block = exchange = 0
    previous: dict[str, Any] | None = None
    for turn in turns:
        if turn["kind"] == "user":
            exchange += 1
            previous = None
            continue
        if previous is None or turn["group"] is None or turn["group"] != previous["group"]:
            block += 1
        turn |= {"block": block, "exchange": exchange}
        previous = turn
    for number, turn in enumerate(counted, start=1):
        turn["turn_no"] = number
        earlier = {other["id"] for other in counted[: number - 1] if other["block"] != turn["block"]}
        named = [other for other, _ in turn["depends_on"] or []]
        named += [other for part in turn["parts"] for other in upstream_ids(part)]
        refuse_unless(all(other in earlier for other in named), f"{place}: turn {number} depends on what it cannot")
    return {"id": path["id"], "turns": turns, "counted": counted, "users": exchange}


# --- the rest --------------------------------------------------------------------------------------------------------


def read_call_pattern(pattern: dict[str, Any], place: str, policy: dict[str, Any]) -> dict[str, Any]:
    """A forbidden call, or a call that an outcome asks for."""
    params = read_params(pattern.get("params"), pattern["tool"], place, policy)
    refuse_unless(not any(upstream_ids(param) for param in params.values()), f"{place}: no turn to come from here")
    return {"tool": pattern["tool"], "action": pattern.get("action"), "params": params}


def read_assertion(assertion: dict[str, Any], position: int, policy: dict[str, Any]) -> dict[str, Any]:
    """One outcome assertion."""
    place = f"outcome {position}"
    kind = assertion.get("kind")
    refuse_unless(kind in ASSERTIONS, f"{place}: unknown kind")
    read: dict[str, Any] = {"kind": kind, "id": assertion.get("id", f"outcome{position}")}
    if kind in {"said", "not_said"}:
        read["contains"] = assertion["contains"]
    elif kind == "called":
        read |= read_call_pattern(assertion, place, policy)
        read["times"] = assertion.get("times")
    elif kind == "state":
        refuse_unless(path_steps(assertion.get("path")) is not None, f"{place}: malformed path")
        refuse_unless(not ("value" in assertion and "values" in assertion), f"{place}: value and values")
        compare = read_compare(assertion.get("compare", "auto"), place)
        accepted = [assertion["value"]] if "value" in assertion else assertion.get("values")
        if accepted is not None:
            read_param({"values": accepted, "compare": compare}, place, None)
        read |= {"path": assertion["path"], "accepted": accepted, "compare": compare}
    return read


def read_policy(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy with its defaults."""
    composition = {"rule": "unweighted", "cap": 0, **(policy.get("composition") or {})}
    read = {
        "alignment": policy.get("alignment", "search"),
        "default_dependencies": policy.get("default_dependencies", "linear"),
        "taint": policy.get("taint", True),
        "extra_writes": policy.get("extra_writes", "report"),
        "composition": composition,
    }
    refuse_unless(composition["rule"] in {"unweighted", "weighted", "gated"}, "policy: unknown composition")
    refuse_unless(read["alignment"] in {"search", "given"}, "policy: unknown alignment")
    refuse_unless(read["default_dependencies"] in {"linear", "none"}, "policy: unknown default_dependencies")
    refuse_unless(read["extra_writes"] in {"report", "fail"}, "policy: unknown extra_writes")
    read["params"] = {
        tool: {
            key: read_compare(setting["compare"], f"policy.params.{tool}.{key}") if "compare" in setting else None
            for key, setting in settings.items()
        }
        for tool, settings in (policy.get("params") or {}).items()
    }
    return read


def read_observed_turn(turn: dict[str, Any]) -> dict[str, Any]:
    """One observed turn: its kind, what it said or called, and what came back (None: nothing recorded)."""
    if "user" in turn:
        return {"kind": "user", "text": turn["user"]}
    if "response" in turn:
        return {"kind": "response", "text": turn["response"], "result": turn["response"], "error": False}
    if "tool" in turn:
        args = embedded_json(turn.get("args"))
        return {
            "kind": "tool",
            "tool": turn["tool"],
            "action": turn.get("action"),
            "args": args if isinstance(args, dict) else {},
            "result": embedded_json(turn.get("result")),
            "error": bool(turn.get("error")),
        }
    return {"kind": "nothing", "result": None, "error": False}


def read_record(record: Any) -> dict[str, Any]:
    """A whole record in one plain shape; raises ReferenceError for what must be refused."""
    if isinstance(record, list):
        record = record_from_native(record)
    refuse_unless(isinstance(record, dict) and record.get("format") == "aem/1", "not a record")
    refuse_nan(record, "record")
    policy = read_policy(record.get("policy") or {})
    golden = record["golden"]
    paths = [read_path(path, f"paths[{n}]", policy) for n, path in enumerate(golden["paths"])]
    path_ids = [path["id"] for path in paths]
    refuse_unless(paths and len(path_ids) == len(set(path_ids)), "no path, or path id twice")
    outcome = [read_assertion(a, n, policy) for n, a in enumerate(golden.get("outcome") or [], start=1)]
    outcome_ids = [assertion["id"] for assertion in outcome]
    refuse_unless(len(outcome_ids) == len(set(outcome_ids)), "outcome id twice")
    forbidden = [read_call_pattern(p, f"forbidden[{n}]", policy) for n, p in enumerate(golden.get("forbidden") or [])]
    tools = record.get("tools") or {}
    refuse_unless(all(tool.get("effect", "read") in {"read", "write"} for tool in tools.values()), "unknown effect")
    return {
        "paths": paths,
        "outcome": outcome,
        "forbidden": forbidden,
        "writers": {name for name, tool in tools.items() if tool.get("effect") == "write"},
        "observed": [read_observed_turn(turn) for turn in record["trajectory"]["turns"]],
        "final_state": record["trajectory"].get("final_state"),
        "policy": policy,
    }
