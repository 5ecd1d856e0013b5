"""The usual way to score with Celery: one task for each conversation, written as one writes Django.

Loaded into the workers of `pipeline.py`.
"""

from typing import Any

from celery import shared_task
from django.db import transaction

from evaluation import aem
from evaluation.formats import jsonio
from evaluation.models import RunItem, TurnVerdict, Verdict
from evaluation.services import scoring

#: Columns that a model takes as values and writes as JSON itself.
JSON_COLUMNS = {"outcome", "unexpected", "reasons", "fields", "cascade_of", "detail"}


@shared_task(acks_late=True)
def score_item(run_id: str, position: int) -> None:
    """Read, score and write one item: the same engine, and the same rows as in a chunk."""
    item = RunItem.objects.select_related("run__policy", "trajectory", "golden_record__tool_set").get(
        run=run_id, position=position
    )
    body = item.golden_record.body
    verdict = aem.score(
        aem.parse_golden(body["golden"]),
        aem.parse_trajectory(item.trajectory.body),
        policy=aem.parse_policy(body["policy"], base=aem.parse_policy(item.run.policy.body)),
        tools=aem.parse_tools(item.golden_record.tool_set.body),
    )
    rows = scoring.Rows()
    scoring.add_verdict(item.pk, verdict, rows)
    verdicts = [_model(Verdict, scoring.VERDICT_COLUMNS, row) for row in rows.verdicts]
    turns = [_model(TurnVerdict, scoring.TURN_COLUMNS, row) for row in rows.turns]
    with transaction.atomic():
        Verdict.objects.bulk_create(verdicts)
        TurnVerdict.objects.bulk_create(turns)


def _model(model: Any, columns: tuple[str, ...], row: Any) -> Any:
    values = dict(zip(columns, row, strict=True))
    for name in JSON_COLUMNS & values.keys():
        values[name] = None if values[name] is None else jsonio.loads(values[name])
    return model(**values)
