"""The usual way to score with Celery: one task for each conversation. Loaded into the workers of `pipeline.py`."""

from uuid import UUID

from celery import shared_task
from django.db import transaction

from evaluation.models import TurnVerdict, Verdict
from evaluation.services import bulk, scoring


@shared_task(acks_late=True)
def score_item(run_id: str, position: int) -> None:
    """Read, score and write one item, with the very functions that a chunk is scored with."""
    rows = scoring.score_chunk(scoring.Claim(0, UUID(run_id), position, position, 1, ""))
    with transaction.atomic():
        bulk.insert(Verdict, scoring.VERDICT_COLUMNS, rows.verdicts)
        bulk.insert(TurnVerdict, scoring.TURN_COLUMNS, rows.turns)
