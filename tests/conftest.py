"""What holds for every test."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """A process keeps answers of scorers by their rows; each test begins without rows."""
    yield
    meaning = sys.modules.get("evaluation.services.meaning")
    if meaning is not None:
        meaning.forget()
