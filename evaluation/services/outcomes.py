"""What came out of recorded runs of agents, for parts that do not know of evaluation runs."""

from __future__ import annotations

from collections.abc import Mapping

from annotations.models import Conversation
from evaluation.models import RunItem, RunState


def passed(conversation: Conversation) -> Mapping[int, bool]:
    """Whether the newest verdict of each current trajectory passes, by the trajectory's number in the table.

    Only verdicts of finished runs on the golden in force count; one that could not be told is left out.
    """
    items = (
        RunItem.objects.scored()
        .filter(
            trajectory__conversation=conversation,
            trajectory__superseded_at__isnull=True,
            golden_record_id=conversation.golden_record_id,
            run__state=RunState.DONE,
        )
        .order_by("run__created_at", "pk")
        .values_list("trajectory_id", "verdict__test_pass")
    )
    newest = dict(items)
    return {pk: is_pass for pk, is_pass in newest.items() if is_pass is not None}
