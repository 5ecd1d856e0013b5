"""Short ways to write goldens and trajectories."""

from typing import Any

from evaluation.aem import ConversationVerdict, parse_golden, parse_policy, parse_tools, parse_trajectory, score

USER: dict[str, Any] = {"user": "Go"}


def gold(turn_id: str, tool: str = "a", params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A gold action turn; plain values stand for ``{"value": …}``."""
    annotated = {key: value if isinstance(value, dict) else {"value": value} for key, value in (params or {}).items()}
    return {"id": turn_id, "tool": tool, "params": annotated, **more}


def reply(turn_id: str, response: str = "x", *claims: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A gold response turn."""
    return {"id": turn_id, "response": response, **({"claims": list(claims)} if claims else {}), **more}


def call(tool: str = "a", args: Any = None, **more: Any) -> dict[str, Any]:
    """An observed call."""
    return {"tool": tool, "args": {} if args is None else args, **more}


def golden(*turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A golden with one path."""
    return {"paths": [{"id": "main", "turns": list(turns)}], **more}


def judge(
    gold_turns: list[dict[str, Any]],
    observed: list[dict[str, Any]],
    *,
    policy: dict[str, Any] | None = None,
    tools: dict[str, Any] | None = None,
    **more: Any,
) -> ConversationVerdict:
    """Score turns against turns."""
    final = {"final_state": more.pop("final_state")} if "final_state" in more else {}
    return score(
        parse_golden(golden(*gold_turns, **more)),
        parse_trajectory({"turns": observed, **final}),
        policy=parse_policy(policy),
        tools=parse_tools(tools),
    )


def value_passes(expected: Any, observed: Any, compare: Any = None, policy: dict[str, Any] | None = None) -> bool:
    """Whether an observed value passes against a golden one."""
    param = {"value": expected, **({} if compare is None else {"compare": compare})}
    verdict = judge([{"id": "g1", "tool": "t", "params": {"k": param}}], [call("t", {"k": observed})], policy=policy)
    return verdict.turns[0].passed is True
