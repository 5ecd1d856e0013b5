"""Where a label is made: the page of its turn, in the newest run that shows the trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from annotations.models import HumanLabel
from evaluation.models import RunItem


def places_of(labels: Sequence[HumanLabel]) -> dict[int, str]:
    """The address of each label's turn, by the id of the label; none where no run shows the turn."""
    items = RunItem.objects.filter(trajectory__in={label.trajectory_id for label in labels})
    shown: dict[int, list[RunItem]] = {}
    for item in items.select_related("golden_record", "verdict").order_by("-run__number"):
        shown.setdefault(item.trajectory_id, []).append(item)
    found = {}
    for label in labels:
        for item in shown.get(label.trajectory_id, []):
            verdict = getattr(item, "verdict", None)
            if verdict is not None and verdict.path not in ("", label.path):
                continue  # its page shows another way
            number = _turn_no(item.golden_record.body, label)
            if number is not None:
                address = reverse("evaluation:item-detail", args=[item.run_id, item.position])
                found[label.pk] = f"{address}?turn={number}"
                break
    return found


def _turn_no(body: Mapping[str, Any], label: HumanLabel) -> int | None:
    """The number of a label's turn under a golden; None where the golden does not have it."""
    for path in body["golden"]["paths"]:
        if str(path.get("id")) == label.path:
            keys = [str(turn.get("id", "")) for turn in path["turns"] if "user" not in turn]
            return keys.index(label.turn_key) + 1 if label.turn_key in keys else None
    return None
