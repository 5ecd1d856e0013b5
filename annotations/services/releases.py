"""Releases: a dataset's goldens in force, frozen under a number."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from annotations.models import Conversation, Dataset, DatasetVersion, DatasetVersionItem, User
from annotations.services import history
from annotations.services.errors import WorkbenchError
from evaluation.aem.language import say
from evaluation.formats import jsonio


@transaction.atomic
def release(*, dataset: Dataset, by: User | None, note: str = "") -> DatasetVersion:
    """Freeze the goldens in force as the dataset's next version.

    Raises WorkbenchError where there is none, or where nothing has changed since the last version.
    """
    dataset = Dataset.objects.select_for_update().select_related("project").get(pk=dataset.pk)
    records = [
        conversation.golden_record
        for conversation in Conversation.objects.filter(dataset=dataset)
        .annotated()
        .select_related("golden_record")
        .order_by("key")
        if conversation.golden_record is not None
    ]
    if not records:
        raise WorkbenchError(say("No conversation of this dataset has an accepted golden yet."))
    content_hash = jsonio.content_hash([record.content_hash for record in records])
    last = dataset.versions.order_by("-number").first()
    if last is not None and last.content_hash == content_hash:
        raise WorkbenchError(say("Nothing has changed since version {number}.", number=last.number))
    number = (dataset.versions.aggregate(last=Max("number"))["last"] or 0) + 1
    version = DatasetVersion.objects.create(
        dataset=dataset, number=number, note=note, content_hash=content_hash, created_by=by
    )
    DatasetVersionItem.objects.bulk_create(
        [
            DatasetVersionItem(version=version, position=position, golden_record=record)
            for position, record in enumerate(records)
        ],
        batch_size=400,
    )
    history.record(
        project=dataset.project,
        actor=by,
        action="dataset.released",
        subject=version,
        after={"number": number, "goldens": len(records), "content_hash": content_hash},
    )
    return version
