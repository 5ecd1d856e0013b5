"""Whether the optional embedding is used on this installation."""

from __future__ import annotations

from django.conf import settings

from evaluation.evaluators.embedded import embedding
from evaluation.evaluators.embedded.model import Embedding


def installed() -> str:
    """The name of the embedding that is in use; empty for none. `AEM_EMBEDDING=off` leaves an installed one aside."""
    return embedding.NAME if settings.AEM_EMBEDDING and embedding.is_installed() else ""


def find(name: str) -> Embedding | None:
    """The embedding of that name."""
    return embedding.find_embedding(name)
