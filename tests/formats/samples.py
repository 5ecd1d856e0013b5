"""Records that several tests use."""

from typing import Any

from evaluation.formats import jsonio
from evaluation.formats.model import SourceFile

GOLDEN: dict[str, Any] = {
    "paths": [
        {
            "id": "main",
            "turns": [
                {"user": "Olá, cancele o pedido A1."},
                {
                    "id": "g1",
                    "tool": "cancel",
                    "params": {"id": {"value": 107505301260286111}},
                    "x_turn": [1, {"y": None}],
                },
                {"id": "g2", "response": "Feito.", "claims": [{"text": "cancelado"}], "depends_on": ["g1"]},
            ],
            "x_path": "kept",
        },
        {"id": "other", "turns": [{"id": "h1", "response": "=no", "optional": True}]},
    ],
    "forbidden": [{"tool": "drop"}],
    "outcome": [{"id": "said", "kind": "said", "contains": ["12.50"]}],
    "x_golden": {"note": "kept"},
}

LABEL: dict[str, Any] = {
    "annotator": "ana",
    "path": "main",
    "turn": "g1",
    "verdict": "fail",
    "structural": "pass",
    "completeness": "pass",
    "truthfulness": "fail",
    "failure_reason": "inconsistent_parameter_values",
    "attribution": "root",
    "comment": 'another order, "A2"\nsee the log',
    "x_label": 1,
}


def record(record_id: str = "c1/run-1", **changes: Any) -> dict[str, Any]:
    """A record that uses everything that a record can have."""
    made: dict[str, Any] = {
        "format": "aem/1",
        "id": record_id,
        "conversation": "c1",
        "conversation_meta": {
            "title": "Cancelamento",
            "language": "pt",
            "domain": "shop",
            "user_goal": "cancel A1",
            "system_prompt": "Be kind.\nAlways.",
            "x_meta": [1],
        },
        "golden": GOLDEN,
        "tools": {"cancel": {"effect": "write", "schema": {"type": "object"}, "description": "Cancel an order"}},
        "trajectory": {
            "agent": "shop",
            "agent_version": "3",
            "trial": 0,
            "reward": jsonio.loads("0.50"),
            "x_run": {"cost": jsonio.loads("0.10")},
            "turns": [
                {"user": "Olá, cancele o pedido A1."},
                {"tool": "cancel", "args": {"id": 107505301260286110}, "result": {"ok": True}, "x_call": "kept"},
                {"tool": "cancel", "args": {}, "result": None, "error": "Error: unknown"},
                {"response": "+Feito: 12.50 \u2028 fim"},
            ],
            "final_state": {"orders": []},
        },
        "policy": {"extra_writes": "fail"},
        "annotations": [
            {
                "annotator": "ana",
                "status": "accepted",
                "golden": GOLDEN,
                "comment": "second reading",
                "guideline_version": 2,
                "x_annotation": True,
            },
            {"annotator": "rui", "status": "submitted"},
        ],
        "labels": [LABEL, {**LABEL, "annotator": "rui", "verdict": "not_agent", "cascade_of": ["g1"]}],
        "decisions": [{"by": "eva", "path": "main", "turn": "g1", "verdict": "fail", "reason": "the log says so"}],
        "comments": [{"by": "rui", "text": "'quoted", "turn": "g2"}, {"by": "ana", "text": "ok", "x_comment": 0}],
        "x_record": {"kept": ["as", {"it": "was"}]},
    }
    made.update(changes)
    return {name: value for name, value in made.items() if value is not ...}


def jsonl(*records: Any, end: str = "\n") -> bytes:
    """Records as the bytes of a JSONL file."""
    return "".join(jsonio.dumps(found) + end for found in records).encode()


def source(data: bytes | str, name: str = "file.jsonl") -> SourceFile:
    """A file that was handed over."""
    return SourceFile(name, data if isinstance(data, bytes) else data.encode())
