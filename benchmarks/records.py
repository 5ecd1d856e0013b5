"""Made-up records for the benchmarks: one conversation shape, with right and wrong runs in a fixed mix.

Each run has five turns: four calls, of which later ones use what earlier ones returned, and a reply. Chance comes from
a seed, so that every run and every peer sees the same records.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

TURNS = 5

# What goes wrong in a run, in percent; the rest is right. Most stored runs of a working agent are right.
MIX = {
    "wrong_lookup": 12,  # the first call asks for another customer, and what follows inherits it
    "wrong_value": 8,
    "missing_parameter": 7,
    "extra_parameter": 4,
    "wrong_tool": 5,
    "incomplete_reply": 4,
}


class Story(NamedTuple):
    """The facts of one conversation."""

    customer: str
    other: str
    order: str
    amount: float
    days: int

    @property
    def request(self) -> str:
        return f"I am {self.customer}. My last order came broken and I want my money back."


def records(count: int, *, runs: int = 1, seed: int = 1) -> Iterator[dict[str, Any]]:
    """``count`` records in the format aem/1; each golden is the reference of ``runs`` of them, one after the other."""
    chance = random.Random(seed)
    kinds = [*MIX, "right"]
    weights = [*MIX.values(), 100 - sum(MIX.values())]
    for conversation in range(-(-count // runs)):
        story = _story(chance)
        golden = {"paths": [{"id": "main", "turns": _golden(story, is_linked=conversation % 2 == 0)}]}
        for run in range(min(runs, count - conversation * runs)):
            yield {
                "format": "aem/1",
                "id": f"{conversation}/{run}",
                "golden": golden,
                "tools": {
                    "customers": {"effect": "read"},
                    "orders": {"effect": "read"},
                    "refunds": {"effect": "write"},
                    "mail": {"effect": "write"},
                },
                "trajectory": {"turns": _observed(story, chance.choices(kinds, weights)[0])},
                "policy": {"scorer": "exact"},
            }


def _story(chance: random.Random) -> Story:
    return Story(
        customer=f"C-{chance.randrange(10**6):06}",
        other=f"C-{chance.randrange(10**6):06}",
        order=f"ORD-{chance.randrange(10**8):08}",
        amount=chance.randrange(500, 90000) / 100,
        days=chance.randrange(1, 30),
    )


def conversation_of(record: dict[str, Any]) -> str:
    """Records of one conversation have the same golden."""
    return str(record["id"]).split("/", maxsplit=1)[0]


def _golden(story: Story, *, is_linked: bool) -> list[dict[str, Any]]:
    """The reference. Half of them say where values come from; the others leave it to the default dependencies."""

    def come_from(part: dict[str, Any], *sources: str) -> dict[str, Any]:
        return part | {"from": list(sources)} if is_linked else part

    def value(expected: object, *sources: str) -> dict[str, Any]:
        return come_from({"value": expected}, *sources)

    return [
        {"id": "u1", "user": story.request},
        {"id": "g1", "tool": "customers", "action": "get", "params": {"customer_id": value(story.customer)}},
        {
            "id": "g2",
            "tool": "orders",
            "action": "find",
            "params": {
                "customer_id": value(story.customer, "g1"),
                "within_days": value(story.days),
                "state": value("delivered"),
            },
        },
        {
            "id": "g3",
            "tool": "refunds",
            "action": "create",
            "params": {
                "order_id": value(story.order, "g2"),
                "amount": value(story.amount, "g2"),
                "reason": {"values": ["damaged", "broken"]},
            },
        },
        {
            "id": "g4",
            "tool": "mail",
            "action": "send",
            "params": {"customer_id": value(story.customer, "g1"), "template": value("refund_created")},
        },
        {
            "id": "g5",
            "response": f"Your refund of {story.amount} for order {story.order} is on its way.",
            "claims": [
                come_from({"id": "amount", "text": "the amount", "contains": [story.amount]}, "g3"),
                come_from({"id": "order", "text": "the order", "contains": [story.order]}, "g3"),
            ],
        },
    ]


def _observed(story: Story, kind: str) -> list[dict[str, Any]]:
    is_lost = kind == "wrong_lookup"
    found = story.other if is_lost else story.customer
    # Another customer has another order, so that later calls are wrong because of the first and not by themselves.
    order = f"ORD-{story.other[2:]}00" if is_lost else story.order
    amount = round(story.amount + 1, 2) if is_lost else story.amount
    lookup: dict[str, Any] = {"customer_id": found, "within_days": story.days, "state": "delivered"}
    refund: dict[str, Any] = {"order_id": order, "amount": amount, "reason": "damaged"}
    if kind == "wrong_value":
        refund["amount"] = round(story.amount + 10, 2)
    elif kind == "missing_parameter":
        del lookup["state"]
    elif kind == "extra_parameter":
        refund["currency"] = "EUR"
    said = "Your refund" if kind == "incomplete_reply" else f"Your refund of {refund['amount']} for order {order}"
    return [
        {"user": story.request},
        {
            "tool": "customers",
            "action": "get",
            "args": {"customer_id": found},
            "result": {"customer_id": found, "name": "Ada", "orders": 1},
        },
        {
            "tool": "shipments" if kind == "wrong_tool" else "orders",
            "action": "find",
            "args": lookup,
            "result": [{"order_id": order, "amount": amount}],
        },
        {
            "tool": "refunds",
            "action": "create",
            "args": refund,
            "result": {"refund_id": f"R-{order}", "order_id": order, "amount": refund["amount"]},
        },
        {
            "tool": "mail",
            "action": "send",
            "args": {"customer_id": found, "template": "refund_created"},
            "result": {"sent": True},
        },
        {"response": f"{said} is on its way."},
    ]


class Call(NamedTuple):
    """A call as peers want it. They know no actions, so that the action is part of the name."""

    name: str
    arguments: dict[str, Any]
    result: object


def calls(turns: list[dict[str, Any]]) -> list[Call]:
    """The calls of a run, or of a golden with its first accepted values."""
    return [
        Call(
            name=f"{turn['tool']}.{turn['action']}",
            arguments=turn["args"] if "args" in turn else {key: _first(param) for key, param in turn["params"].items()},
            result=turn.get("result"),
        )
        for turn in turns
        if "tool" in turn
    ]


def _first(param: dict[str, Any]) -> object:
    return param["value"] if "value" in param else param["values"][0]


def reply(turns: list[dict[str, Any]]) -> str:
    """The reply that ends a run or a golden."""
    return str(turns[-1]["response"])
